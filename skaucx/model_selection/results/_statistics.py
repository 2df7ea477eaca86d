"""Mean, spread and interval of a metric's scores over k folds: pure functions of arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from ..._deprecation import renamed_argument
from ..._options import check_choice, check_confidence_level
from ...metrics.estimation import Interval
from ...metrics.estimation._closed_forms import (
    exact,
    link_of,
    linked,
    note_of_groups,
    score_interval,
)
from .._types import Floats, Rows
from ._chance_variation import Choice
from ._noise import RowNoise, nested_variance
from ._pool import Pooled

# The cut moves with more than the share of positives. Chosen by simulation, see the tables printed by
# ``python -m benchmarks.nested_coverage``.
_OF_LEARNED = 1.5
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
    noise : callable or None
        Returns the variance of the mean score that is due to test rows, or None where not known.
    choice : callable or None
        Returns the effect of the chosen candidates on the scores, or None if unknown.
    chosen : callable or None
        Returns the inner scores of the candidates chosen, shape (k, l), or None where not known.
    """

    scores: Floats
    pooled: Pooled
    n_train: Rows
    n_test: Rows
    metric: str = "score"
    bounds: tuple[float, float] = (-np.inf, np.inf)
    noise: Callable[[], RowNoise | None] = lambda: None
    choice: Callable[[], Choice | None] = lambda: None
    chosen: Callable[[], Floats | None] = lambda: None

    @property
    def mean(self) -> float:
        """Mean of the defined folds; nan where these are too small for it, see `pooled_only`."""
        return np.nan if self.pooled_only else float(moments(self.scores)[0])

    @property
    def sd(self) -> float:
        """Standard deviation of the defined folds, with their number less one below."""
        return np.nan if self.pooled_only else float(moments(self.scores)[1])

    @property
    def pooled_only(self) -> str:
        """Why there is no mean over the folds, with the alternative; "" if there is one.

        A metric that is a mean neither over rows nor over pairs, such as F1, has another value on few
        rows than on many, and is undefined on some.
        """
        size = float(np.median(self.n_test)) if len(self.n_test) else np.inf
        if size >= _LEAST_ROWS:
            return ""
        noise, pooled = self.noise(), self.pooled.value
        alike = np.isnan(pooled) or bool(np.isclose(moments(self.scores)[0], pooled))
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

    @renamed_argument("level", "confidence_level")
    def interval(self, confidence_level: float = 0.95, method: str = "auto") -> Interval:
        """Interval of the mean score; see :func:`fold_interval` and :func:`nested_interval`."""
        sizes = self.n_train, self.n_test
        if check_choice("method", method, ("auto", "nested")) == "nested":
            noise, inner = self.noise(), self.chosen()
            found = nested_interval(
                self.scores, *sizes, noise, inner, self.bounds, confidence_level
            )
            return replace(found, metric=self.metric)
        if self.pooled_only:
            ends, note = (np.nan, np.nan), f"{self.metric} {self.pooled_only}"
            found = _interval(np.nan, ends, np.nan, confidence_level, self.n_train, "none")
            return replace(found, metric=self.metric, note=note)
        found = fold_interval(
            self.scores, *sizes, self.noise(), self.bounds, confidence_level, self.choice()
        )
        return replace(found, metric=self.metric)

    def record(self, confidence_level: float = 0.95) -> dict[str, float]:
        """Return all of it by name, the ends of the interval among them."""
        low, high = self.interval(confidence_level)
        return {
            "mean": self.mean,
            "sd": self.sd,
            "pooled": self.pooled.value,
            "low": low,
            "high": high,
            "undefined": self.undefined,
        }


def moments(scores: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation (k - 1) over the defined entries of the last axis.

    Parameters
    ----------
    scores : ndarray of shape (..., k), float64

    Returns
    -------
    mean, sd : ndarray of shape (...), float64
        nan where no entry is defined, for the standard deviation where fewer than two are.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.model_selection.results._statistics import moments
    >>> mean, sd = moments(np.array([[1.0, np.nan, 3.0], [2.0, np.nan, np.nan]]))
    >>> mean.tolist(), sd.round(4).tolist()
    ([2.0, 2.0], [1.4142, nan])
    """
    missing = np.isnan(scores)
    defined = np.sum(~missing, axis=-1)
    mean = _ratio(np.where(missing, 0.0, scores).sum(axis=-1), defined)
    deviations = np.where(missing, 0.0, scores - mean[..., None])
    return mean, np.sqrt(_ratio((deviations**2).sum(axis=-1), defined - 1))


def fold_interval(
    scores: Floats,
    n_train: Rows,
    n_test: Rows,
    noise: RowNoise | None = None,
    bounds: tuple[float, float] = (-np.inf, np.inf),
    confidence_level: float = 0.95,
    choice: Choice | None = None,
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
    the same rows. Where labels are probabilities above 1/2, the cut follows the log-odds of the share
    of positives, on which row i has the influence :math:`c_i`. With :math:`\psi_i`, that of the row on
    the metric, and the metric's slope g with the log-odds of the models, the factor :math:`1 + o` of v
    gives way to

    .. math:: v + 1.5 \max\Bigl(\sum_i (\psi_i + g c_i)^2 - \sum_i \psi_i^2, 0\Bigr)

    where the factor 1.5 allows for other influences on the threshold. For thresholds chosen in the
    inner folds, the variance to multiply by 1.5 is the jackknife over the folds. For labels of
    another origin the interval is at least as wide as by Nadeau and Bengio's correction alone.

    The folds may all choose a candidate where other data would have led to another one. With
    `choice` each score is corrected for the effect of its candidate, and the variance of the
    expectation over all candidates is added; the interval is centred at the mean of the corrected
    scores and contains the mean of the observed ones.

    Student's t has Satterthwaite's degrees of freedom, of groups of rows their number less one.
    A rate has Wilson's limits, any other metric with a finite range those of the logit scale, so
    the limits stay in the range.

    Parameters
    ----------
    scores : ndarray of shape (k,), float64
        nan where undefined.
    n_train, n_test : ndarray of shape (k,), int
        Rows of each fold; where sizes differ, their totals over the defined folds count.
    noise : RowNoise, optional
        The variance due to the test rows.
    bounds : tuple of float
        The least and the greatest value of the score.
    confidence_level : float, default=0.95
        Nominal coverage, in (0, 1).
    choice : Choice, optional
        The effect of the chosen candidates on the scores.

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
        return _interval(mean, (np.nan, np.nan), np.nan, confidence_level, n_train, "none")
    method = "Nadeau-Bengio" if noise is None else f"folds, {noise.method}"
    centre, by_choice = mean, 0.0
    if choice is not None:
        scores = scores + choice.shift
        centre, by_choice = float(np.clip(moments(scores)[0], *bounds)), choice.variance
        noise = noise and noise.at((centre - bounds[0]) / (bounds[1] - bounds[0]))
        method = f"{method}, choice of candidates"
    by_rows, by_models = variance_parts(scores, n_train, n_test, noise)
    total = by_rows + by_models + by_choice
    if not total > 0 and (noise is None or np.isnan(noise.trials)):
        independent = folds if noise is None else noise.independent
        ends = _exact(mean, independent, confidence_level, bounds)
        return _interval(mean, ends, 0.0, confidence_level, n_train[defined], "exact")
    df = satterthwaite(by_rows, by_models, folds, noise)
    trials = np.nan if noise is None else noise.trials / (1 + n_test.sum() / n_train.sum())
    ends = _ends(centre, total, trials, _student(confidence_level, df), bounds)
    corrected = variance_parts(scores, n_train, n_test, None)[1] + by_choice
    if noise is not None and noise.cut_unknown and corrected > 0:
        wider = _ends(centre, corrected, trials, _student(confidence_level, folds - 1), bounds)
        ends = min(ends[0], wider[0]), max(ends[1], wider[1])
    ends = min(ends[0], mean), max(ends[1], mean)
    found = _interval(mean, ends, np.sqrt(total), confidence_level, n_train[defined], method)
    return replace(found, note=note_of_groups(0 if noise is None else noise.groups))


def satterthwaite(by_rows: float, by_models: float, folds: int, noise: RowNoise | None) -> float:
    """Return the degrees of freedom of a sum of two variances; those of groups are their number."""
    of_groups = noise.groups - 1 if noise is not None and noise.groups > 1 else np.inf
    below = by_rows**2 / of_groups + (by_models**2 / (folds - 1) if by_models > 0 else 0.0)
    return (by_rows + by_models) ** 2 / below if below > 0 else np.inf


def nested_interval(
    scores: Floats,
    n_train: Rows,
    n_test: Rows,
    noise: RowNoise | None,
    inner: Floats | None,
    bounds: tuple[float, float],
    confidence_level: float,
) -> Interval:
    """Interval of the mean score of repeated folds, with a variance estimated from inner folds.

    See :func:`nested_variance`; the ends are on the scales of :func:`fold_interval`.
    """
    check_confidence_level(confidence_level)
    if noise is None or inner is None:
        raise ValueError(
            "method='nested' needs a metric of this package with pooled predictions, and its inner "
            "scores; these are missing for separate searches, and with a threshold or calibration."
        )
    mean, variance = (
        float(moments(scores)[0]),
        nested_variance(scores, inner, n_train, n_test, noise),
    )
    reach = _student(confidence_level, np.inf)
    ends = _ends(mean, variance, noise.trials, reach, bounds)
    error = math.sqrt(variance)
    found = _interval(mean, ends, error, confidence_level, n_train, "nested, repeated folds")
    return replace(found, note=note_of_groups(noise.groups))


def corrected_error(
    scores: Floats, n_train: Rows, n_test: Rows, by_class: float = 0.0
) -> tuple[float, float, float]:
    """Mean, its corrected standard error, and its df; Nadeau and Bengio's, see :func:`fold_interval`.

    Parameters
    ----------
    scores : ndarray of shape (k,), float64
        nan where undefined.
    n_train, n_test : ndarray of shape (k,), int
        Rows of each fold.
    by_class : float
        Variance of the mean by the class counts, which the scores of stratified folds do not show. It is
        added, with the allowance 1 + o for the draw of the training data.

    Returns
    -------
    mean, error : float
        nan with fewer than two defined folds.
    df : float
        Defined folds less one; with `by_class` Satterthwaite's.
    """
    defined = ~np.isnan(scores)
    folds = int(defined.sum())
    if folds < 2:
        return np.nan, np.nan, folds - 1
    of_folds = variance_parts(scores, n_train, n_test, None)[1]
    more = (1 + n_test[defined].sum() / n_train[defined].sum()) * by_class
    df = folds - 1 if not more else satterthwaite(more, of_folds, folds, None)
    return float(moments(scores)[0]), float(np.sqrt(of_folds + more)), df


def _ratio(above: Floats, below: Rows) -> Floats:
    return np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0)


def variance_parts(
    scores: Floats, n_train: Rows, n_test: Rows, noise: RowNoise | None
) -> tuple[float, float]:
    """Return the variance of the mean that is due to test rows, and the one due to models."""
    defined = ~np.isnan(scores)
    folds, sd = int(defined.sum()), float(moments(scores)[1])
    overlap = n_test[defined].sum() / n_train[defined].sum()
    of_mean, of_fold = (0.0, 0.0) if noise is None else (noise.of_mean, noise.of_fold)
    excess = max(sd**2 - of_fold, 0.0) if folds > 1 else 0.0
    if noise is None or np.isnan(noise.learned):
        by_rows = (1 + overlap) * of_mean
    else:
        by_rows = of_mean + _OF_LEARNED * noise.learned
    return float(by_rows), float((1 / folds + overlap) * excess)


def _student(confidence_level: float, df: float) -> float:
    return float(stats.t.ppf((1 + confidence_level) / 2, df))


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
    named = link_of(bounds)
    if named is None:
        return mean - reach * error, mean + reach * error
    low, high = bounds
    inside = min(max(mean, low + min(error, (high - low) / 2)), high - min(error, (high - low) / 2))
    at_end = mean <= low or mean >= high
    ends = linked(np.asarray(inside if at_end else mean), np.asarray(reach * error), named[1])
    return min(float(ends[0]), mean), max(float(ends[1]), mean)


def _exact(
    mean: float, independent: int, confidence_level: float, bounds: tuple[float, float]
) -> tuple[float, float]:
    """Return the interval from independent equal values; nan if the range is not finite."""
    if not np.isfinite(bounds[1] - bounds[0]):
        return np.nan, np.nan
    low, high = exact(np.asarray(mean), independent, confidence_level, bounds)
    return float(low), float(high)


def _interval(
    mean: float,
    ends: tuple[float, float],
    error: float,
    confidence_level: float,
    n_train: Rows,
    method: str,
) -> Interval:
    rows = "" if not len(n_train) else f", fitted on about {round(n_train.mean())} rows"
    target = f"the procedure{rows}"
    return Interval("score", mean, *ends, float(error), confidence_level, method, target=target)
