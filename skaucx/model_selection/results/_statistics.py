"""Mean, spread and interval of a metric's scores over k folds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import special

from ..._compat import cached_property
from ..._options import check_confidence_level
from ..._text.reported import NO_EFFECT, Reported
from ...inference import Interval
from ...inference._intervals.limits import (
    constant_pairs_interval,
    link_of,
    linked,
    score_interval,
)
from ...inference._intervals.methods import note_of_groups
from .._fold_scores import moments
from .._types import Floats, Rows
from ..execution._out_of_fold import Pooled
from ._noise import SamplingVariance

_OF_OTHERS = (  # benchmarks/results: nested_coverage.md
    "the parameters are chosen by another metric, and other data may choose candidates with very "
    "different values of this one: coverage is not guaranteed (73 % of nominal 95 at worst)"
)
# Of folds of fewer rows only means over rows or pairs are averaged.
_LEAST_ROWS = 5


@dataclass(frozen=True, eq=False)
class MetricStatistics:
    """Outer scores of one metric over k folds.

    Attributes
    ----------
    scores : ndarray of shape (k,), float64
        One value a fold, nan where undefined.
    pooled : Pooled
        The metric of the joined out-of-fold predictions, or why there is none.
    n_train, n_test : ndarray of shape (k,), int
        Rows of each fold.
    metric : str
        Its name.
    bounds : tuple of float
        The least and the greatest value of the score.
    noise : callable
        Returns the variance of the mean score that is due to test rows, or None where not known.
    errors : tuple of str
        The exceptions, in one line each, that left a fold without a score.
    trained : ndarray of shape (k,) or None
        Scores of the training parts.
    chosen_by_another : bool
        Whether another metric chose among several candidates.
    """

    scores: Floats
    pooled: Pooled
    n_train: Rows
    n_test: Rows
    metric: str = "score"
    bounds: tuple[float, float] = (-np.inf, np.inf)
    noise: Callable[[], SamplingVariance | None] = lambda: None
    errors: tuple[str, ...] = ()
    trained: Floats | None = None
    chosen_by_another: bool = False

    @cached_property
    def _moments(self) -> tuple[float, float]:
        mean, sd = moments(self.scores)
        return float(mean), float(sd)

    @property
    def mean(self) -> float:
        """Mean of the defined folds; nan where these are too small for it, see `pooled_only`."""
        return np.nan if self.pooled_only else self._moments[0]

    @property
    def sd(self) -> float:
        """Standard deviation of the defined folds, with their number less one below."""
        return np.nan if self.pooled_only else self._moments[1]

    @cached_property
    def pooled_only(self) -> str:
        """Why there is no mean over the folds, with the alternative; "" if there is one.

        A metric that is a mean neither over rows nor over pairs, such as F1, has another value on few
        rows than on many, and is undefined on some.
        """
        size = float(np.median(self.n_test)) if len(self.n_test) else np.inf
        if size >= _LEAST_ROWS:
            return ""
        noise, pooled = self._noise, self.pooled.value
        alike = np.isnan(pooled) or bool(np.isclose(self._moments[0], pooled))
        if alike if noise is None else noise.of_rows:
            return ""
        return (
            f"is not a mean over rows, so it is not averaged over folds of {size:g} "
            f"{'row' if size == 1 else 'rows'}; use the pooled value and pooled_interval()"
        )

    @property
    def undefined(self) -> int:
        """Number of undefined folds."""
        return int(np.isnan(self.scores).sum())

    @property
    def gaps(self) -> str:
        """In how many folds the metric is undefined, with the exceptions if any; "" for none."""
        if not self.undefined:
            return ""
        found = f"{self.metric} is undefined in {self.undefined} of {len(self.scores)} folds"
        return ": ".join([found, *dict.fromkeys(self.errors)][:2]).rstrip(".") + "."

    @cached_property
    def _noise(self) -> SamplingVariance | None:
        return self.noise()

    def interval(self, confidence_level: float = 0.95) -> Interval:
        """Interval of the mean score; see :func:`fold_interval`."""
        if self.pooled_only:
            note = f"{self.metric} {self.pooled_only}"
            found = _undefined(np.nan, confidence_level, self.n_train, note)
        else:
            given = self.scores, self.n_train, self.n_test, self._noise, self.bounds
            found = fold_interval(*given, confidence_level)
            if self.chosen_by_another:
                found = replace(found, note="; ".join(filter(None, [found.note, _OF_OTHERS])))
        return replace(found, metric=self.metric)

    def record(self, confidence_level: float = 0.95) -> dict[str, Any]:
        """Return the cells of a table of metrics, on a terminal, in a notebook, a frame and a page."""
        trained = {} if self.trained is None else {"train": float(moments(self.trained)[0])}
        return {
            "mean": self.mean,
            f"{100 * confidence_level:g} % interval": tuple(self.interval(confidence_level)),
            "sd": self.sd,
            "pooled": self.pooled.value,
            "undefined": self.undefined,
            **trained,
        }

    def line(self, confidence_level: float = 0.95) -> Reported:
        """Return what is drawn of it: the mean and its interval, under the sign of the score."""
        low, high = self.interval(confidence_level)
        usual = NO_EFFECT.get(self.metric, np.nan)
        return Reported(
            self.metric, self.mean, low, high, bounds=self.bounds, reference=usual, better=True
        )


def fold_interval(
    scores: Floats,
    n_train: Rows,
    n_test: Rows,
    noise: SamplingVariance | None = None,
    bounds: tuple[float, float] = (-np.inf, np.inf),
    confidence_level: float = 0.95,
) -> Interval:
    r"""Interval of the mean score of folds, for the expected score of the procedure.

    With J folds of variance :math:`s^2`, of which test rows alone make :math:`w`, and the ratio
    :math:`o = n_\mathrm{test} / n_\mathrm{train}`, the variance of the mean is

    .. math:: (1 + o) v + (1 / J + o) \max(s^2 - w, 0)

    where :math:`v` is the variance that the test rows give to the mean, about :math:`w / J`: by the
    influence curves of an AUC within its folds [1]_, by the binomial law for a rate [2]_, that of the
    mean of the losses of all rows for a mean of losses, by the delta method or the jackknife for any
    other metric. Rows, or groups of them, are a random sample, class counts included.
    Between-fold variation beyond it is due to the models, and is included as in Nadeau and Bengio's
    correction [3]_. Without `noise` all of :math:`s^2` does. The factor :math:`1 + o` is an
    allowance for the draw of the training data, chosen by simulation (``python -m
    benchmarks.nested_coverage``).

    Metrics of predicted labels also move with the cut, which the models of all folds learn from nearly
    the same rows, or choose inside. For these the interval is the wider of this one and of the corrected
    resampled t of the folds.

    Student's t has Satterthwaite's degrees of freedom, of groups of rows their number less one.
    A rate has Wilson's limits, any other metric with a finite range those of the logit scale, so
    the limits stay in the range.

    Parameters
    ----------
    scores : ndarray of shape (k,), float64
        nan where undefined.
    n_train, n_test : ndarray of shape (k,), int
        Rows of each fold; where sizes differ, their totals over the defined folds count.
    noise : SamplingVariance, optional
        The variance due to the test rows.
    bounds : tuple of float
        The least and the greatest value of the score.
    confidence_level : float, default=0.95
        Nominal coverage, in (0, 1).

    Returns
    -------
    Interval
        nan where there is nothing to compute it from: of one fold without `noise`.

    Raises
    ------
    ValueError
        If ``confidence_level`` is not in (0, 1).

    References
    ----------
    .. [1] LeDell, E., Petersen, M. and van der Laan, M. (2015). Computationally efficient confidence
       intervals for cross-validated area under the ROC curve estimates. Electronic Journal of
       Statistics 9, 1583-1607.
    .. [2] Bayle, P., Bayle, A., Janson, L. and Mackey, L. (2020). Cross-validation confidence
       intervals for test error. NeurIPS 33, 16339-16350.
    .. [3] Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. Machine
       Learning 52, 239-281.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.model_selection.results._statistics import fold_interval
    >>> sizes = np.full(5, 80), np.full(5, 20)
    >>> found = fold_interval(np.array([0.8, 0.9, 0.85, 0.95, 0.9]), *sizes, bounds=(0, 1))
    >>> round(found.low, 3), round(found.high, 3)
    (0.728, 0.952)
    """
    check_confidence_level(confidence_level)
    defined = ~np.isnan(scores)
    mean, folds = float(moments(scores)[0]), int(defined.sum())
    if folds + (noise is not None) < 2:
        return _undefined(mean, confidence_level, n_train)
    method = "Nadeau-Bengio" if noise is None else f"folds, {noise.method}"
    by_rows, by_models = variance_parts(scores, n_train, n_test, noise)
    total = by_rows + by_models
    if not total > 0 and (noise is None or np.isnan(noise.trials)):
        independent = folds if noise is None else noise.independent
        ends = np.nan, np.nan
        if np.isfinite(bounds[1] - bounds[0]):
            low, high = constant_pairs_interval(
                np.asarray(mean), independent, confidence_level, bounds
            )
            ends = float(low), float(high)
        target = _target(n_train[defined])
        return Interval("score", mean, *ends, 0.0, confidence_level, "exact", target=target)
    df = satterthwaite(by_rows, by_models, folds, noise)
    trials = np.nan if noise is None else noise.trials / (1 + n_test.sum() / n_train.sum())
    ends = _ends(mean, total, trials, student(confidence_level, df), bounds)
    if noise is not None and noise.learned:
        method = f"{method}, or the corrected t where it is wider"
        corrected = variance_parts(scores, n_train, n_test, None)[1]
        if corrected > 0:
            wider = _ends(mean, corrected, trials, student(confidence_level, folds - 1), bounds)
            ends = min(ends[0], wider[0]), max(ends[1], wider[1])
    return Interval(
        "score", mean, *ends, float(np.sqrt(total)), confidence_level, method,
        note=note_of_groups(0 if noise is None else noise.groups), target=_target(n_train[defined]),
    )  # fmt: skip


def satterthwaite(
    by_rows: float, by_models: float, folds: int, noise: SamplingVariance | None
) -> float:
    """Return the degrees of freedom of a sum of two variances; those of groups are their number."""
    of_groups = noise.groups - 1 if noise is not None and noise.groups > 1 else np.inf
    below = by_rows**2 / of_groups + (by_models**2 / (folds - 1) if by_models > 0 else 0.0)
    return (by_rows + by_models) ** 2 / below if below > 0 else np.inf


def corrected_error(scores: Floats, n_train: Rows, n_test: Rows) -> tuple[float, float, float]:
    """Mean, its corrected standard error, and its df; Nadeau and Bengio's, see :func:`fold_interval`.

    Parameters
    ----------
    scores : ndarray of shape (k,), float64
        nan where undefined.
    n_train, n_test : ndarray of shape (k,), int
        Rows of each fold.

    Returns
    -------
    mean, error : float
        nan with fewer than two defined folds.
    df : float
        Defined folds less one.
    """
    defined = ~np.isnan(scores)
    folds = int(defined.sum())
    if folds < 2:
        return np.nan, np.nan, folds - 1
    of_folds = variance_parts(scores, n_train, n_test, None)[1]
    return float(moments(scores)[0]), float(np.sqrt(of_folds)), folds - 1


def variance_parts(
    scores: Floats, n_train: Rows, n_test: Rows, noise: SamplingVariance | None
) -> tuple[float, float]:
    """Return the variance of the mean that is due to test rows, and the one due to models."""
    defined = ~np.isnan(scores)
    folds, sd = int(defined.sum()), float(moments(scores)[1])
    overlap = n_test[defined].sum() / n_train[defined].sum()
    of_mean, of_fold = (0.0, 0.0) if noise is None else (noise.of_mean, noise.of_fold)
    excess = max(sd**2 - of_fold, 0.0) if folds > 1 else 0.0
    return float((1 + overlap) * of_mean), float((1 / folds + overlap) * excess)


def student(confidence_level: float, df: float) -> float:
    """Return how many standard errors an interval reaches to either side."""
    return float(special.stdtrit(df, (1 + confidence_level) / 2))


def _ends(
    mean: float, variance: float, trials: float, reach: float, bounds: tuple[float, float]
) -> tuple[float, float]:
    """Return Wilson's limits of a rate; for another metric those on its own scale."""
    if np.isnan(trials):
        return _linked(mean, math.sqrt(variance), reach, bounds)
    low, high = bounds
    share = (mean - low) / (high - low)
    spread = share * (1 - share)
    size = np.asarray(spread * (high - low) ** 2 / variance if spread > 0 else trials)
    first, last = score_interval(share * size, size, reach)
    return low + (high - low) * float(first), low + (high - low) * float(last)


def _linked(
    mean: float, error: float, reach: float, bounds: tuple[float, float]
) -> tuple[float, float]:
    """Return the interval on the scale of the range; a mean at an end is moved inside by its error."""
    if bounds == (-np.inf, 0):  # a loss as a score
        low, high = _linked(-mean, error, reach, (0, np.inf))
        return -high, -low
    link = link_of(bounds)
    low, high = bounds
    if link is None:
        return max(low, mean - reach * error), min(high, mean + reach * error)
    inside = min(max(mean, low + min(error, (high - low) / 2)), high - min(error, (high - low) / 2))
    at_end = mean <= low or mean >= high
    ends = linked(np.asarray(inside if at_end else mean), np.asarray(reach * error), link)
    return min(float(ends[0]), mean), max(float(ends[1]), mean)


def _target(n_train: Rows) -> str:
    rows = "" if not len(n_train) else f", fitted on about {round(n_train.mean())} rows"
    return f"the procedure{rows}"


def _undefined(mean: float, confidence_level: float, n_train: Rows, note: str = "") -> Interval:
    ends, target = (np.nan, np.nan, np.nan), _target(n_train)
    return Interval("score", mean, *ends, confidence_level, "none", note=note, target=target)
