"""Bands around ROC and precision-recall curves."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from ..._arrays import Floats, float_array
from ..._compat import warn
from ..._deprecation import renamed_argument
from ..._options import check_choice, check_flag
from .._formulas.rates import false_positive_rate
from .._formulas.rates import precision as precision_of
from .._formulas.rates import recall as recall_of
from .._records.counts import Counts
from .._records.inputs import check_one_column, check_scored_labels, refuse_multilabel
from .._resampling.draws import generator
from ..kinds.scores.sample import ScoreSample
from ._band_results import PrecisionRecallBand, RocBand
from ._bootstrap import plan
from ._normal import Ends, quantile
from ._rectangles import Points
from ._settings import check_settings, groups_of_rows

# Where a band is given by default.
_POINTS = 101


@renamed_argument("level", "confidence_level")
def roc_band(
    y_true: Any,
    y_score: Any,
    *,
    method: str = "auto",
    simultaneous: bool = True,
    confidence_level: float = 0.95,
    fpr: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    n_resamples: int = 2000,
    stratify: bool = False,
    random_state: Any = None,
) -> RocBand:
    """Return a band around the ROC curve.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_score : array-like of shape (n_samples,)
        Scores of the positive class.
    method : {"auto", "rectangles", "bootstrap", "dkw"}, default="auto"
        "rectangles": swept by Clopper and Pearson's rectangles around the points of the curve, whose
        size a simulation finds. "bootstrap": so many standard errors of the resampled curves around
        the curve. "dkw": what the inequality of Dvoretzky, Kiefer and Wolfowitz guarantees for any
        sample size and continuous scores, which is wide and always simultaneous. "auto" takes
        "rectangles", with weights or groups "bootstrap".
    simultaneous : bool, default=True
        Whether to widen the band until a share `confidence_level` of the simulated or resampled curves
        lies wholly inside.
    confidence_level : float, default=0.95
        Confidence, in (0, 1).
    fpr : array-like of shape (n_points,), default=None
        False positive rates in [0, 1]; None means 101 of equal distance.
    pos_label, sample_weight, groups, n_resamples, stratify, random_state
        As for :func:`interval`.

    Returns
    -------
    RocBand

    Raises
    ------
    ValueError, TypeError
        For bad input; for "rectangles" or "dkw" with weights or groups, or a pointwise "dkw".

    Warns
    -----
    UndefinedMetricWarning
        If a class is missing: the band is nan.

    Notes
    -----
    The rectangles are of a local confidence at which simulated curves of two normal classes, of the
    sizes and the AUC of the sample, lie inside; it depends on the curve but little. The simulated
    coverage of the bands stands in ``benchmarks/results/band_coverage.md``
    (``python -m benchmarks.band_coverage``): 92 to 99 % of whole curves by "rectangles"; "bootstrap" has
    as little as 23 % at an AUC of .95, where resampled curves know nothing of thresholds that the sample
    does not reach.

    With P positives and N negatives, each class's empirical distribution keeps within
    d = sqrt(log(2 / a) / (2 m)) of the true one with probability 1 - a, here the square root of
    `confidence_level`, as the two are independent; every point of the curve moves within its
    rectangle (Campbell 1994).

    The standard error is at least that of a proportion with two successes and two failures added, so
    that the bootstrap band has a width beside (0, 0) and (1, 1), too, where resampled curves agree.

    References
    ----------
    .. [1] G. Campbell, Advances in statistical methodology for the evaluation of diagnostic and
       laboratory tests, Statistics in Medicine 13, 499-508, 1994.
    .. [2] S. A. Macskassy and F. Provost, Confidence bands for ROC curves: methods and an empirical
       study, ROC Analysis in Artificial Intelligence, 61-70, 2004.

    Examples
    --------
    >>> from skaucx.metrics import roc_band
    >>> y_true, y_score = [0, 0, 0, 0, 1, 1, 1, 1], [0.1, 0.3, 0.4, 0.6, 0.35, 0.5, 0.7, 0.9]
    >>> band = roc_band(y_true, y_score, fpr=[0, 0.5, 1], random_state=0)
    >>> band.tpr.tolist(), band.high.tolist()
    ([0.5, 1.0, 1.0], [0.5, 1.0, 1.0])
    """
    check_choice("method", method, ("auto", "rectangles", "bootstrap", "dkw"))
    curve = CurveSample(y_true, y_score, pos_label, sample_weight, groups)
    at, method = _grid(fpr, "fpr"), curve.method(method)
    if method == "rectangles":
        tpr = _tpr_at(curve.counts, at)[0][0]
        low, high = _swept(
            curve, at, False, confidence_level, simultaneous, n_resamples, random_state
        )
    elif method == "dkw":
        tpr = _tpr_at(curve.counts, at)[0][0]
        low, high = _dkw(curve, at, confidence_level, check_flag("simultaneous", simultaneous))
    else:
        settings = n_resamples, stratify, random_state
        tpr, low, high = _resampled(curve, _tpr_at, at, confidence_level, simultaneous, *settings)
    low, high = np.minimum(low, tpr), np.maximum(high, tpr)  # where the curve rises straight up
    return RocBand(at, tpr, low, high, float(confidence_level), method, simultaneous)


@renamed_argument("level", "confidence_level")
def precision_recall_band(
    y_true: Any,
    y_score: Any,
    *,
    method: str = "auto",
    simultaneous: bool = True,
    confidence_level: float = 0.95,
    recall: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    n_resamples: int = 2000,
    stratify: bool = False,
    random_state: Any = None,
) -> PrecisionRecallBand:
    """Return a band around the precision-recall curve.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_score : array-like of shape (n_samples,)
        Scores of the positive class.
    method : {"auto", "rectangles", "bootstrap"}, default="auto"
        As for :func:`roc_band`; "rectangles" is at the prevalence of the sample.
    simultaneous, confidence_level
        As for :func:`roc_band`.
    recall : array-like of shape (n_points,), default=None
        Recalls in [0, 1]; None means 101 of equal distance.
    pos_label, sample_weight, groups, n_resamples, stratify, random_state
        As for :func:`interval`.

    Returns
    -------
    PrecisionRecallBand

    Raises
    ------
    ValueError, TypeError
        For bad input.

    Examples
    --------
    >>> from skaucx.metrics import precision_recall_band
    >>> y_true, y_score = [0, 0, 0, 0, 1, 1, 1, 1], [0.1, 0.3, 0.4, 0.6, 0.35, 0.5, 0.7, 0.9]
    >>> band = precision_recall_band(y_true, y_score, recall=[0.5, 1], random_state=0)
    >>> band.precision.round(4).tolist(), band.high.round(4).tolist()
    ([1.0, 0.6667], [1.0, 0.6667])
    """
    curve = CurveSample(y_true, y_score, pos_label, sample_weight, groups)
    check_choice("method", method, ("auto", "rectangles", "bootstrap"))
    at, method = _grid(recall, "recall"), curve.method(method)
    if method == "rectangles":
        precision = _precision_at(curve.counts, at)[0][0]
        sides = _swept(curve, at, True, confidence_level, simultaneous, n_resamples, random_state)
        high, low = (_precision(at, fpr, *curve.sizes) for fpr in sides)
    else:
        settings = n_resamples, stratify, random_state
        precision, low, high = _resampled(
            curve, _precision_at, at, confidence_level, simultaneous, *settings
        )
    low, high = np.minimum(low, precision), np.maximum(high, precision)
    return PrecisionRecallBand(
        at, precision, low, high, float(confidence_level), method, simultaneous
    )


class CurveSample:
    """Scores of one binary problem and the counts at all thresholds, with a leading axis of one."""

    def __init__(
        self, y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any, groups: Any
    ) -> None:
        scored = check_scored_labels(y_true, y_score, sample_weight=sample_weight)
        if scored.true.ndim == 2:
            raise refuse_multilabel("A band of a curve")
        check_one_column(scored.score)
        self.sample, self.pos_label = ScoreSample(scored), pos_label  # type: ignore[arg-type]
        self.groups = None if groups is None else groups_of_rows(groups, y_true, sample_weight)
        self.counts = self.under(np.ones((1, self.sample.n_rows)))

    def under(self, counts: Floats) -> Counts:
        """Return the counts at all thresholds, one row a replicate."""
        return self.sample.under(counts).binary_ranking(self.pos_label).threshold_counts

    def resampled(
        self,
        values: Callable[[Counts], Floats],
        n_resamples: int,
        stratify: bool,
        random_state: Any,
    ) -> Floats:
        """Return the values of the resamples that define all of them, one row a resample."""
        drawn = plan(self.sample, stratify=check_flag("stratify", stratify), groups=self.groups)
        parts = drawn.resamples(int(n_resamples), generator(random_state))
        found = np.concatenate([values(self.under(counts)) for counts in parts])
        return found[~np.isnan(found).any(axis=1)]

    @property
    def independent(self) -> bool:
        """Whether every row is one independent example."""
        return self.sample.weight is None and self.groups is None

    @property
    def sizes(self) -> tuple[int, int]:
        """The number of positives and of negatives."""
        return int(self.counts.positives[0, 0]), int(self.counts.negatives[0, 0])

    def method(self, wanted: str) -> str:
        """Return the method to use, or refuse one that takes rows as independent examples."""
        if wanted == "auto":
            return "rectangles" if self.independent else "bootstrap"
        if wanted == "rectangles" and not self.independent:
            raise ValueError(
                "method='rectangles' takes every row as one independent example; with sample_weight or "
                "groups use method='bootstrap'."
            )
        return wanted


def _grid(points: Any, name: str) -> Floats:
    if points is None:
        return np.linspace(0, 1, _POINTS)
    array = float_array(points, name)
    if array.ndim != 1 or not ((array >= 0) & (array <= 1)).all():
        raise ValueError(f"{name} must be a vector of numbers in [0, 1], found {points!r}.")
    return array


def _tpr_at(counts: Counts, at: Floats) -> tuple[Floats, Floats]:
    """Return the true positive rate at false positive rates, and the share of all rows behind it."""
    with np.errstate(invalid="ignore"):
        rows = zip(false_positive_rate(counts), recall_of(counts), strict=True)
        share = (counts.positives / counts.total)[:, -1:]
    return np.array([np.interp(at, x, y) for x, y in rows]), share


def _precision_at(counts: Counts, at: Floats) -> tuple[Floats, Floats]:
    """Return the precision at the highest threshold that reaches a recall, and the share called."""
    with np.errstate(invalid="ignore"):
        recall, precision = recall_of(counts), precision_of(counts)
        called = counts.predicted_positives / counts.total
    last = recall.shape[1] - 1
    places = np.array([np.clip(np.searchsorted(x, at), 1, last) for x in recall])
    precision, called = (np.take_along_axis(x, places, axis=1) for x in (precision, called))
    return np.where(recall[:, -1:] > 0, precision, np.nan), called


def _swept(
    curve: CurveSample,
    at: Floats,
    aside: bool,
    confidence_level: float,
    simultaneous: bool,
    n_resamples: int,
    random_state: Any,
) -> Ends:
    """Return the band that rectangles sweep, of false positive rates if `aside`; nan without a class."""
    check_settings(confidence_level, n_resamples)
    check_flag("simultaneous", simultaneous)
    if not all(curve.sizes):
        return _missing_class(at)
    counts = curve.counts[0]
    points = Points((counts.tp.astype(np.intp), counts.fp.astype(np.intp)), curve.sizes, aside)
    how = {"simultaneous": simultaneous, "n_draws": int(n_resamples)}
    return points.band(at, float(confidence_level), generator(random_state), **how)


def _precision(recall: Floats, fpr: Floats, positives: int, negatives: int) -> Floats:
    """Return the precision of rates at the prevalence of the sample; 1 where nothing is called."""
    right, wrong = recall * positives, fpr * negatives
    called = right + wrong
    return np.divide(right, called, out=np.ones_like(called), where=called > 0)


def _missing_class(at: Floats) -> Ends:
    warn(
        "A band needs examples of both classes; one is missing, and the band is nan.",
        UndefinedMetricWarning,
    )
    return np.full(len(at), np.nan), np.full(len(at), np.nan)


def _resampled(
    curve: CurveSample,
    values_at: Callable[[Counts, Floats], tuple[Floats, Floats]],
    at: Floats,
    confidence_level: float,
    simultaneous: bool,
    n_resamples: int,
    stratify: bool,
    random_state: Any,
) -> tuple[Floats, Floats, Floats]:
    """Return the curve of the sample and a band of so many standard errors around it."""
    check_settings(confidence_level, n_resamples)
    settings = n_resamples, stratify, random_state
    curves = curve.resampled(lambda counts: values_at(counts, at)[0], *settings)
    (middle,), share = values_at(curve.counts, at)
    if len(curves) < 2:
        return middle, *_missing_class(at)
    least = least_error(middle, share[0] * curve.sample.n_rows)
    width = half_width(curves, middle, least, confidence_level, simultaneous)
    return middle, *(np.clip(middle + side * width, 0, 1) for side in (-1, 1))


def half_width(
    curves: Floats, middle: Floats, least: Any, confidence_level: float, simultaneous: bool
) -> Floats:
    """Return so many standard errors of resampled curves that a share of them lies wholly inside."""
    error = np.maximum(curves.std(axis=0, ddof=1), least)
    reach = quantile(confidence_level)
    if check_flag("simultaneous", simultaneous):
        far = np.divide(np.abs(curves - middle), error, where=error > 0, out=0 * curves)
        reach = max(reach, float(np.quantile(far.max(axis=1), confidence_level)))
    return np.asarray(reach * error)


def least_error(share: Floats, trials: Floats) -> Floats:
    """Return the error of a proportion after two successes and two failures are added.

    Where all resampled curves agree, as beside (0, 0) and (1, 1), they show none of their own.
    """
    p = (share * trials + 2) / (trials + 4)
    return np.sqrt(p * (1 - p) / (trials + 4))


def _dkw(curve: CurveSample, at: Floats, confidence_level: float, simultaneous: bool) -> Ends:
    """Return the band swept by the rectangles in which the points of the curve lie."""
    check_settings(confidence_level)
    if not (curve.independent and simultaneous):
        raise ValueError(
            "method='dkw' is simultaneous and takes every row as one independent example; with "
            "sample_weight, groups or simultaneous=False use method='bootstrap'."
        )
    counts = curve.counts[0]
    if not (counts.positives[0] > 0 and counts.negatives[0] > 0):
        return _missing_class(at)
    up, aside = (
        _reach(float(size), confidence_level) for size in (counts.positives[0], counts.negatives[0])
    )
    fpr, tpr = false_positive_rate(counts), recall_of(counts)
    below = tpr[np.searchsorted(fpr, np.minimum(at - aside, 1.0))] - up
    above = tpr[np.searchsorted(fpr, at + aside, side="right") - 1] + up
    return np.clip(below, 0, 1), np.clip(above, 0, 1)


def _reach(size: float, confidence_level: float) -> float:
    """Return how far an empirical distribution strays from the true one (Massart 1990)."""
    return math.sqrt(math.log(2 / (1 - math.sqrt(confidence_level))) / (2 * size))
