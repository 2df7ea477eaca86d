"""Net reclassification and integrated discrimination improvement."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..._arguments import Label
from ..._arrays import (
    Bools,
    Floats,
    check_rows,
    float_array,
)
from ..._options import Alternative, Confidence
from ..._text.numbers import ends, fixed, p_value
from ..._text.plain import paragraph
from ..._text.tables import Table, Tabular
from ...metrics._records.inputs import (
    check_binary_scores,
    refuse_missing_class,
)
from ...metrics._records.totals import weighted_bincount
from .delong import delong_test
from .result import (
    ComparisonResult,
    half_width,
    studentised,
    tail,
)

_COLUMNS = ("part", "value", "low", "high")

_UNFIT = (
    "the p-value does not test added value: noise markers and miscalibrated models raise the index "
    "(Pepe et al. 2015, Hilden and Gerds 2014); compare proper scores or net benefit"
)


@dataclass(frozen=True, repr=False)
class NetReclassification(Tabular):
    """Net reclassification of one model over another.

    Attributes
    ----------
    value : float
        The sum of the two parts, in [-2, 2].
    interval : tuple of float
        Its lower and upper limit.
    positives, negatives : float
        The share of the positives that move up minus the share that move down, and the share of the
        negatives that move down minus the share that move up.
    positives_interval, negatives_interval : tuple of float
    statistic, p_value : float
        Of the test that the value is 0: the value divided by its standard error.
    standard_error : float
        Standard error of the value, used for test and interval.
    confidence_level : float
    alternative : {"two-sided", "greater", "less"}
    tables : tuple of ndarray of shape (K, K), float64, or None
        Numbers of positives, and of negatives, in category i of the second model and j of the
        first; None for the continuous index.
    note : str
        A caution about the value.
    target : str
        What is compared.
    """

    value: float
    interval: tuple[float, float]
    positives: float
    negatives: float
    positives_interval: tuple[float, float]
    negatives_interval: tuple[float, float]
    statistic: float
    p_value: float
    standard_error: float
    confidence_level: float = 0.95
    alternative: Alternative = "two-sided"
    tables: tuple[Floats, Floats] | None = None
    note: str = ""
    target: str = "these predictions"

    _index = "part"

    def __repr__(self) -> str:
        level = f"{100 * self.confidence_level:g} %"
        names = ("value", "positives", "negatives")
        kind = "continuous" if self.tables is None else f"{len(self.tables[0])} categories"
        lines = [
            f"Net reclassification, {kind}",
            *(
                f"  {name} {fixed(value)} ({level}: {ends(low, high)})"
                for name, (_, value, low, high) in zip(names, self._rows, strict=True)
            ),
            f"  statistic {fixed(self.statistic)}, p-value {p_value(self.p_value)}",
            f"  target: {self.target}",
        ]
        note = [paragraph(f"  {self.note}", hang=4)] if self.note else []
        return "\n".join([*lines, *note])

    @property
    def _rows(self) -> list[tuple[str, float, float, float]]:
        return [
            ("all", self.value, *self.interval),
            ("positives", self.positives, *self.positives_interval),
            ("negatives", self.negatives, *self.negatives_interval),
        ]

    def _table(self) -> Table:
        caption = f"Net reclassification, p-value {p_value(self.p_value)}"
        return Table(_COLUMNS, self._rows, caption, [self.note] if self.note else [])


def net_reclassification(
    y_true: ArrayLike,
    y_proba_a: ArrayLike,
    y_proba_b: ArrayLike,
    *,
    thresholds: ArrayLike | None = None,
    pos_label: Label = None,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    sample_weight: ArrayLike | None = None,
) -> NetReclassification:
    r"""Return the net reclassification index of one model over another, with its test and interval.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_proba_a, y_proba_b : array-like of shape (n_samples,)
        Probabilities of the positive class by the two models on the same examples.
    thresholds : float or array-like of float, default=None
        Limits between categories of risk: 0.06 and 0.2 give three. A probability equal to a
        threshold is above it. None counts every change up or down (the continuous index).
    pos_label : int, float, bool or str, default=None
        The positive class; see :func:`recall_score`.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Alternative hypothesis for the value: not 0, above 0, below 0.
    confidence_level : float, default=0.95
        Nominal coverage of the intervals, in (0, 1).
    sample_weight : array-like of shape (n_samples,), default=None
        Weights >= 0.

    Returns
    -------
    NetReclassification
        Greater than 0 if the first model moves examples in the correct direction relative to the
        second.

    Raises
    ------
    ValueError, TypeError
        If there are not two classes, or an argument is invalid.

    Warnings
    --------
    The index is not a proper score: making the probabilities of a model more extreme, and the model
    worse, can give a positive index, especially a continuous one [3]_ [4]_. Report both parts
    instead of their sum, which gives the classes equal weight whatever their sizes, and report the
    difference of a proper score (:func:`brier_score_loss`) or of the
    :func:`net_benefit_score`.

    Notes
    -----
    With the moves u = 1 (up, from the second to the first), 0 or -1 (down),

    .. math:: \bar u_{y=1} - \bar u_{y=0}

    [1]_. Test and interval use one standard error [2]_,

    .. math:: \sqrt{\frac{\overline{u^2}_{y=1} - \bar u_{y=1}^2}{P} + \frac{\overline{u^2}_{y=0} -
        \bar u_{y=0}^2}{N}}

    so that the two-sided p-value is below 1 - confidence_level exactly where the interval excludes 0.
    The test of [1]_ omits the squared means, which is done here only if all moves of a class are
    equal. The p-value tests whether the index is 0. Fitting noise markers raises the continuous
    index above 0, also on independent data [4]_: a small p-value is not evidence of added value.

    References
    ----------
    .. [1] M. J. Pencina, R. B. D'Agostino Sr, R. B. D'Agostino Jr and R. S. Vasan, Evaluating the added
       predictive ability of a new marker: from area under the ROC curve to reclassification and
       beyond, Statistics in Medicine 27(2), 157-172, 2008.
    .. [2] M. J. Pencina, R. B. D'Agostino Sr and E. W. Steyerberg, Extensions of net reclassification
       improvement calculations to measure usefulness of new biomarkers, Statistics in Medicine
       30(1), 11-21, 2011.
    .. [3] J. Hilden and T. A. Gerds, A note on the evaluation of novel biomarkers: do not rely on
       integrated discrimination improvement and net reclassification index, Statistics in Medicine
       33(19), 3405-3414, 2014.
    .. [4] M. S. Pepe, J. Fan, Z. Feng, T. Gerds and J. Hilden, The net reclassification index (NRI): a
       misleading measure of prediction improvement even with independent test data sets, Statistics
       in Biosciences 7(2), 282-295, 2015.

    Examples
    --------
    >>> from skaucx.inference import net_reclassification
    >>> y_true = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> a, b = [0.9, 0.7, 0.6, 0.3, 0.4, 0.2, 0.1, 0.1], [0.8, 0.4, 0.7, 0.2, 0.6, 0.1, 0.1, 0.3]
    >>> found = net_reclassification(y_true, a, b, thresholds=0.5)
    >>> found.value, found.positives, found.negatives
    (0.5, 0.25, 0.25)
    """
    Confidence(confidence_level, alternative=alternative)
    truth, first, second, weight = _scored(y_true, y_proba_a, y_proba_b, pos_label, sample_weight)
    cuts = None if thresholds is None else _cuts(thresholds)
    if cuts is not None:
        first, second = _category(first, cuts), _category(second, cuts)
    moves = np.sign(first - second)
    up, of_up = _mean_move(moves[truth], weight[truth])
    down, of_down = _mean_move(-moves[~truth], weight[~truth])
    value, error = up + down, math.hypot(of_up, of_down)
    statistic = studentised(value, error, "Net reclassification", "no example moves")

    def around(middle: float, error: float, most: float) -> tuple[float, float]:
        half = half_width(error, confidence_level)
        return max(middle - half, -most), min(middle + half, most)

    return NetReclassification(
        value=value,
        interval=around(value, error, 2),
        positives=up,
        negatives=down,
        positives_interval=around(up, of_up, 1),
        negatives_interval=around(down, of_down, 1),
        statistic=statistic,
        p_value=float(tail(statistic, alternative)),
        standard_error=error,
        confidence_level=confidence_level,
        alternative=alternative,
        tables=None if cuts is None else _tables(truth, first, second, weight, len(cuts) + 1),
        note=_UNFIT if cuts is None else "",
    )


def integrated_discrimination_improvement(
    y_true: ArrayLike,
    y_proba_a: ArrayLike,
    y_proba_b: ArrayLike,
    *,
    pos_label: Label = None,
    alternative: Alternative = "two-sided",
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> ComparisonResult:
    r"""Return the integrated discrimination improvement: the difference of two discrimination slopes.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_proba_a, y_proba_b : array-like of shape (n_samples,)
        Probabilities of the positive class by the two models on the same examples.
    pos_label : int, float, bool or str, default=None
        The positive class; see :func:`recall_score`.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What the difference a - b is under the alternative.
    groups : array-like of shape (n_samples,), default=None
        Clusters of dependent examples, as in :func:`delong_test`.
    confidence_level : float, default=0.95
        Nominal coverage of the interval, in (0, 1).

    Returns
    -------
    ComparisonResult
        The estimates are the discrimination slopes, the difference is the improvement.

    Raises
    ------
    ValueError, TypeError
        The errors of :func:`delong_test`.

    Warnings
    --------
    Like net reclassification it is not a proper score: more extreme probabilities without new
    information raise it. See the warning of :func:`net_reclassification`.

    Notes
    -----
    .. math:: (\bar a_{y=1} - \bar a_{y=0}) - (\bar b_{y=1} - \bar b_{y=0})

    The discrimination slope of a model, the mean probability of the positives minus that of the
    negatives, is :func:`mm11_auc_score`, the mean of the score difference over all pairs. The test
    is DeLong's with ``metric="mm11_auc"``; the standard error uses the paired differences of both
    classes as in [1]_, but does not assume independent slopes. With weights:
    ``paired_test("mm11_auc", ..., sample_weight=..., method="bootstrap")``.

    References
    ----------
    .. [1] M. J. Pencina, R. B. D'Agostino Sr, R. B. D'Agostino Jr and R. S. Vasan, Evaluating the added
       predictive ability of a new marker: from area under the ROC curve to reclassification and
       beyond, Statistics in Medicine 27(2), 157-172, 2008.

    Examples
    --------
    >>> from skaucx.inference import integrated_discrimination_improvement
    >>> y_true = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> a, b = [0.9, 0.7, 0.6, 0.3, 0.4, 0.2, 0.1, 0.1], [0.8, 0.4, 0.7, 0.2, 0.6, 0.1, 0.1, 0.3]
    >>> round(integrated_discrimination_improvement(y_true, a, b).difference, 4)
    0.175
    """
    check_rows({"y_true": y_true, "y_proba_a": y_proba_a, "y_proba_b": y_proba_b, "groups": groups})
    found = delong_test(
        y_true,
        y_proba_a,
        y_proba_b,
        metric="mm11_auc",
        pos_label=pos_label,
        alternative=alternative,
        groups=groups,
        confidence_level=confidence_level,
    )
    notes = "; ".join(filter(None, (_UNFIT, found.note)))
    return replace(found, method="Integrated discrimination improvement, paired", note=notes)


def _mean_move(moves: Floats, weight: Floats) -> tuple[float, float]:
    """Return the mean of moves, +1 in the correct direction and -1 in the wrong one, and its error.

    If all moves are equal, the standard error is that under the null hypothesis.
    """
    mean = float(np.average(moves, weights=weight))
    gaps = moves if (moves == moves[0]).all() else moves - mean
    return mean, float(np.sqrt(((weight * gaps) ** 2).sum()) / weight.sum())


def _scored(
    y_true: Any, y_proba_a: Any, y_proba_b: Any, pos_label: Any, sample_weight: Any
) -> tuple[Bools, Floats, Floats, Floats]:
    """Check both models' probabilities: which rows are positive, both scores, and the weights."""
    sides, truth, weight = [], np.empty(0, dtype=bool), None
    for name, proba in (("y_proba_a", y_proba_a), ("y_proba_b", y_proba_b)):
        truth, scored = check_binary_scores(
            "net_reclassification", y_true, proba, pos_label, unit="net_reclassification",
            sample_weight=sample_weight, names=("y_true", name),
        )  # fmt: skip
        weight = scored.weight
        sides.append(scored.score)
    if truth.all() or not truth.any():
        raise refuse_missing_class("net reclassification")
    return truth, sides[0], sides[1], np.ones(len(truth)) if weight is None else weight


def _cuts(thresholds: Any) -> Floats:
    cuts = np.atleast_1d(float_array(thresholds, "thresholds", scalar=True))
    if cuts.ndim != 1 or not (np.diff(cuts) > 0).all() or not ((cuts > 0) & (cuts <= 1)).all():
        raise ValueError(
            f"thresholds must rise within (0, 1], found {np.asarray(thresholds).tolist()!r}."
        )
    return cuts


def _category(proba: Floats, cuts: Floats) -> Floats:
    """Return how many of the thresholds each probability reaches."""
    return np.searchsorted(cuts, proba, side="right").astype(np.float64)


def _tables(
    truth: Bools, first: Floats, second: Floats, weight: Floats, size: int
) -> tuple[Floats, Floats]:
    """Count the examples of each class by both models' categories, those of the second in rows."""
    cells = (second * size + first).astype(np.intp)
    positives, negatives = (
        weighted_bincount(cells[rows], size * size, weight[rows]).reshape(size, size)
        for rows in (truth, ~truth)
    )
    return positives, negatives
