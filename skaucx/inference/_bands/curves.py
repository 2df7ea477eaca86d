"""Bands around ROC, precision-recall and decision curves, by the bootstrap."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import integrate
from sklearn.exceptions import UndefinedMetricWarning

from ..._arguments import Label
from ..._arrays import Floats, RandomState, Rows, float_array
from ..._compat import warn
from ..._options import check_confidence_level, check_flag, check_whole
from ..._text.plain import paragraph
from ...metrics._formulas.rates import false_positive_rate
from ...metrics._formulas.rates import precision as precision_of
from ...metrics._formulas.rates import recall as recall_of
from ...metrics._kinds.base import Sample
from ...metrics._kinds.scores import ORDER
from ...metrics._records.counts import Counts
from ...metrics._records.inputs import check_binary_scores
from ...metrics._registry.resampling import Resampling, generator, seed_of
from ...metrics.curves._decisions import DecisionCurve, decision_curve, net_benefits
from ...metrics.curves._ranked import Points
from .._intervals.interval import groups_of_rows
from .._intervals.limits import quantile


class CurveSample:
    """Scores of one binary problem and the counts at all thresholds, with a leading axis of one."""

    def __init__(
        self,
        y_true: Any,
        y_score: Any,
        pos_label: Any,
        sample_weight: Any,
        groups: Any,
    ) -> None:
        self.truth, scored = check_binary_scores(
            "A band of a curve", y_true, y_score, pos_label, sample_weight=sample_weight
        )
        self.sample, self.pos_label = Sample(scored, ORDER.inputs), pos_label
        self.groups = groups_of_rows(groups, y_true, sample_weight)
        self.counts = self.reweighted(np.ones((1, self.sample.n_rows)))

    def reweighted(self, counts: Floats) -> Counts:
        """Return the counts at all thresholds, one row a replicate."""
        return self.sample.reweighted(counts).binary_ranking(self.pos_label).threshold_counts

    def resampled(self, values: Callable[[Counts], Floats], n_resamples: int, seed: int) -> Floats:
        """Return the values of the resamples without undefined values, one row per resample."""
        size = check_whole("n_resamples", n_resamples, 2)
        drawn = Resampling(self.sample.n_rows, self.groups, self.sample.multiplicity)
        parts = drawn.resamples(size, generator(seed))
        found = np.concatenate([values(self.reweighted(counts)) for counts in parts])
        return found[~np.isnan(found).any(axis=1)]


# Values of curves at given abscissae, and the share of the rows above each threshold.
ValuesAt = Callable[[Counts, Floats], tuple[Floats, Floats]]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class _Band(Points):
    """Short text of a band, and its label in legends."""

    low: Floats
    high: Floats
    confidence_level: float
    method: str
    simultaneous: bool
    n_resamples: int = 0
    seed: int | None = None
    note: str = ""
    target: str = "the population, by these predictions"

    @property
    def label(self) -> str:
        """The confidence level, and whether it is pointwise."""
        return f"{100 * self.confidence_level:g} % band{'' if self.simultaneous else ', pointwise'}"

    @property
    def about(self) -> str:
        """Draws and their seed, the target, and the note."""
        drawn = f"{self.n_resamples} draws, seed {self.seed}" if self.n_resamples else ""
        each = "the whole curve" if self.simultaneous else "each point of the curve separately"
        return "; ".join(filter(None, [drawn, f"target: {each} of {self.target}", self.note]))

    def __repr__(self) -> str:
        reported = f"{type(self).__name__}({len(self.low)} points, {self.label}, {self.method})"
        return f"{reported}\n{paragraph(self.about, hang=2)}"


@dataclass(frozen=True, eq=False, repr=False)
class RocBand(_Band):
    """A band around a ROC curve.

    Attributes
    ----------
    fpr : ndarray of shape (n_points,), float64
        False positive rates at which the band is given.
    tpr : ndarray of shape (n_points,), float64
        The curve of the sample at `fpr`, the upper end of vertical steps.
    low, high : ndarray of shape (n_points,), float64
        The band; nan where a class is missing.
    confidence_level : float
        The nominal confidence level.
    method : str
    simultaneous : bool
        Whether the confidence level applies to the whole curve, or to each point separately.
    n_resamples : int
        Number of resampled curves.
    seed : int or None
        The seed that reproduces them, given or drawn.
    note : str
        A caution about the band, or "".
    target : str
        The target of the band.
    """

    _arrays: ClassVar[tuple[str, ...]] = ("fpr", "tpr", "low", "high")

    fpr: Floats
    tpr: Floats


@dataclass(frozen=True, eq=False, repr=False)
class PrecisionRecallBand(_Band):
    """A band around a precision-recall curve.

    Attributes
    ----------
    recall : ndarray of shape (n_points,), float64
        Recalls at which the band is given.
    precision : ndarray of shape (n_points,), float64
        The precision at the highest threshold that reaches the recall.
    low, high : ndarray of shape (n_points,), float64
        The band; nan where a class is missing.
    confidence_level : float
        The nominal confidence level.
    method : str
    simultaneous : bool
        Whether the confidence level applies to the whole curve, or to each point separately.
    n_resamples : int
        Number of resampled curves.
    seed : int or None
        The seed that reproduces them, given or drawn.
    note : str
        A caution about the band, or "".
    target : str
        The target of the band.
    """

    _arrays: ClassVar[tuple[str, ...]] = ("recall", "precision", "low", "high")

    recall: Floats
    precision: Floats


# Default abscissae of a band.
_POINTS = 101
_OF_STEEP_CURVES = (  # benchmarks/results: coverage.md
    "bands hold fewer whole curves than they should where the AUC is near 1 (25 % simulated at .95), as "
    "resampled curves have no thresholds but those of the sample"
)
_STEEP = 0.9


def _around(
    kind: Callable[..., Any],
    sample: CurveSample,
    values_at: ValuesAt,
    at: Floats,
    simultaneous: bool,
    confidence_level: float,
    n_resamples: int,
    random_state: Any,
) -> Any:
    """Return a band of a multiple of the standard errors of resampled curves around the sample's."""
    level, seed = check_confidence_level(confidence_level), seed_of(random_state)
    simultaneous = check_flag("simultaneous", simultaneous)
    (middle,), share = values_at(sample.counts, at)
    curves = sample.resampled(lambda counts: values_at(counts, at)[0], n_resamples, seed)
    low, high, note = np.full((2, len(at)), np.nan), None, ""
    if len(curves) < 2:
        warn(
            "A band needs rows of both classes; one is missing, and the band is nan.",
            UndefinedMetricWarning,
        )
        low, high = low
    else:
        least = least_error(middle, share[0] * sample.sample.n_rows)
        width = half_width(curves, middle, least, level, simultaneous)
        low, high = np.clip(middle - width, 0, 1), np.clip(middle + width, 0, 1)
        rates = false_positive_rate(sample.counts[0]), recall_of(sample.counts[0])
        steep = integrate.trapezoid(rates[1], rates[0]) > _STEEP
        note = _OF_STEEP_CURVES if simultaneous and steep else ""
    return kind(
        at, middle, low=low, high=high, method="bootstrap", confidence_level=level,
        simultaneous=simultaneous, n_resamples=int(n_resamples), seed=seed, note=note,
    )  # fmt: skip


def roc_band(
    y_true: Rows,
    y_score: Rows,
    *,
    simultaneous: bool = True,
    confidence_level: float = 0.95,
    fpr: ArrayLike | None = None,
    pos_label: Label = None,
    sample_weight: Rows | None = None,
    groups: ArrayLike | None = None,
    n_resamples: int = 2000,
    random_state: RandomState = None,
) -> RocBand:
    r"""Return a band around the ROC curve.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_score : array-like of shape (n_samples,)
        Scores of the positive class.
    simultaneous : bool, default=True
        Whether to widen the band until it contains a share `confidence_level` of the resampled curves
        entirely.
    confidence_level : float, default=0.95
        Confidence, in (0, 1).
    fpr : array-like of shape (n_points,), default=None
        False positive rates in [0, 1]; None means 101 equally spaced ones.
    pos_label, sample_weight, groups, n_resamples, random_state
        As for :func:`interval`.

    Returns
    -------
    RocBand

    Raises
    ------
    ValueError, TypeError
        For bad input.

    Warns
    -----
    UndefinedMetricWarning
        If a class is missing; the band is then nan.

    Notes
    -----
    The target is the curve of the population of which the rows, or the groups, are a random sample.

    The band is the curve -+ a multiple of the standard errors of resampled curves (sup-t band): the
    normal quantile, or, if `simultaneous`, the greatest deviation that a share `confidence_level` of
    them keep.

    The standard error is at least that of a proportion with two successes and two failures added,
    so that the bootstrap band also has a width close to (0, 0) and (1, 1), where resampled curves
    agree.

    References
    ----------
    .. [1] S. A. Macskassy and F. Provost, Confidence bands for ROC curves: methods and an empirical
       study, ROC Analysis in Artificial Intelligence, 61-70, 2004.

    Examples
    --------
    >>> from skaucx.inference import roc_band
    >>> y_true, y_score = [0, 0, 0, 0, 1, 1, 1, 1], [0.1, 0.3, 0.4, 0.6, 0.35, 0.5, 0.7, 0.9]
    >>> band = roc_band(y_true, y_score, fpr=[0, 0.5, 1], random_state=0)
    >>> band.tpr.tolist(), band.high.tolist()
    ([0.5, 1.0, 1.0], [1.0, 1.0, 1.0])
    """
    sample = CurveSample(y_true, y_score, pos_label, sample_weight, groups)
    how = simultaneous, confidence_level, n_resamples, random_state
    return _around(RocBand, sample, _tpr_at, _grid(fpr, "fpr"), *how)


def precision_recall_band(
    y_true: Rows,
    y_score: Rows,
    *,
    simultaneous: bool = True,
    confidence_level: float = 0.95,
    recall: ArrayLike | None = None,
    pos_label: Label = None,
    sample_weight: Rows | None = None,
    groups: ArrayLike | None = None,
    n_resamples: int = 2000,
    random_state: RandomState = None,
) -> PrecisionRecallBand:
    """Return a band around the precision-recall curve.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_score : array-like of shape (n_samples,)
        Scores of the positive class.
    simultaneous, confidence_level
        As for :func:`roc_band`.
    recall : array-like of shape (n_points,), default=None
        Recalls in [0, 1]; None means 101 equally spaced ones.
    pos_label, sample_weight, groups, n_resamples, random_state
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
    >>> from skaucx.inference import precision_recall_band
    >>> y_true, y_score = [0, 0, 0, 0, 1, 1, 1, 1], [0.1, 0.3, 0.4, 0.6, 0.35, 0.5, 0.7, 0.9]
    >>> band = precision_recall_band(y_true, y_score, recall=[0.5, 1], random_state=0)
    >>> band.precision.round(4).tolist(), band.high.round(4).tolist()
    ([1.0, 0.6667], [1.0, 1.0])
    """
    sample = CurveSample(y_true, y_score, pos_label, sample_weight, groups)
    how = simultaneous, confidence_level, n_resamples, random_state
    return _around(PrecisionRecallBand, sample, _precision_at, _grid(recall, "recall"), *how)


def _grid(points: Any, name: str) -> Floats:
    if points is None:
        return np.linspace(0, 1, _POINTS)
    array = float_array(points, name)
    if array.ndim != 1 or not ((array >= 0) & (array <= 1)).all():
        raise ValueError(f"{name} must be a vector of numbers in [0, 1], found {points!r}.")
    return array


def _tpr_at(counts: Counts, at: Floats) -> tuple[Floats, Floats]:
    """Return the true positive rate at false positive rates, and the share above the threshold."""
    with np.errstate(invalid="ignore"):
        rows = zip(false_positive_rate(counts), recall_of(counts), strict=True)
        share = (counts.positives / counts.total)[:, -1:]
    return np.array([np.interp(at, x, y) for x, y in rows]), share


def _precision_at(counts: Counts, at: Floats) -> tuple[Floats, Floats]:
    """Return the precision at the highest threshold with a recall, and the share predicted positive."""
    with np.errstate(invalid="ignore"):
        recall, precision = recall_of(counts), precision_of(counts)
        called = counts.predicted_positives / counts.total
    last = recall.shape[1] - 1
    places = np.array([np.clip(np.searchsorted(x, at), 1, last) for x in recall])
    precision, called = (np.take_along_axis(x, places, axis=1) for x in (precision, called))
    return np.where(recall[:, -1:] > 0, precision, np.nan), called


def half_width(
    curves: Floats, middle: Floats, least: Any, confidence_level: float, simultaneous: bool
) -> Floats:
    """Return the multiple of standard errors whose band contains a share of whole resampled curves."""
    error = np.maximum(curves.std(axis=0, ddof=1), least)
    reach = quantile(confidence_level)
    if check_flag("simultaneous", simultaneous):
        far = np.divide(np.abs(curves - middle), error, where=error > 0, out=0 * curves)
        reach = max(reach, float(np.quantile(far.max(axis=1), confidence_level)))
    return np.asarray(reach * error)


def least_error(share: Floats, trials: Floats) -> Floats:
    """Return the error of a proportion after two successes and two failures are added.

    Where all resampled curves agree, as close to (0, 0) and (1, 1), their own standard error is 0.
    """
    p = (share * trials + 2) / (trials + 4)
    return np.sqrt(p * (1 - p) / (trials + 4))


def decision_band(
    y_true: Rows,
    y_proba: Rows,
    *,
    thresholds: ArrayLike | None = None,
    prevalence: float | None = None,
    simultaneous: bool = True,
    confidence_level: float = 0.95,
    pos_label: Label = None,
    sample_weight: Rows | None = None,
    groups: ArrayLike | None = None,
    n_resamples: int = 2000,
    random_state: RandomState = None,
) -> DecisionCurve:
    r"""Return a decision curve with a band around its net benefit, by the bootstrap.

    Parameters
    ----------
    y_true, y_proba, thresholds, prevalence
        As for :func:`decision_curve`.
    simultaneous : bool, default=True
        Whether to widen the band until it contains a share `confidence_level` of the resampled
        curves entirely; needed if a threshold is chosen after inspecting the curve.
    confidence_level : float, default=0.95
        Confidence, in (0, 1).
    pos_label, sample_weight, groups, n_resamples, random_state
        As for :func:`interval`.

    Returns
    -------
    DecisionCurve
        Its ``low`` and ``high`` are the band; :class:`DecisionDisplay` draws it.

    Raises
    ------
    ValueError, TypeError
        As :func:`decision_curve` and :func:`interval` raise.

    Notes
    -----
    The half-width is a constant multiple of the standard errors of the resampled curves (sup-t
    band): with the standard error :math:`s(t)` and a resampled curve :math:`NB^*`,

    .. math:: NB(t) \pm q \, s(t), \qquad q = \text{quantile of} \max_t |NB^*(t) - NB(t)| / s(t)

    The standard error is at least that of the shares of true and false positives with two of each
    added to the sample, so that the band also has a width where nobody is predicted positive; it is
    wide at thresholds that few scores reach.

    References
    ----------
    .. [1] J. L. Montiel Olea and M. Plagborg-Moller, Simultaneous confidence bands: theory,
       implementation, and an application to SVARs, Journal of Applied Econometrics 34(1), 1-17, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.inference import decision_band
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.integers(0, 2, 200)
    >>> y_proba = np.clip(0.3 * y_true + 0.7 * rng.random(200), 0, 1)
    >>> band = decision_band(y_true, y_proba, thresholds=[0.2, 0.5], random_state=0)
    >>> bool((band.low < band.net_benefit).all() and (band.net_benefit < band.high).all())
    True
    """
    check_confidence_level(confidence_level)
    curve = decision_curve(
        y_true, y_proba, thresholds=thresholds, prevalence=prevalence, pos_label=pos_label,
        confidence_level=confidence_level, sample_weight=sample_weight,
    )  # fmt: skip
    rows = CurveSample(y_true, y_proba, pos_label, sample_weight, groups)
    values = np.unique(rows.sample.record.score)
    places = len(values) - np.searchsorted(values, curve.thresholds)
    odds = curve.thresholds / (1 - curve.thresholds)

    def benefits(counts: Counts) -> Floats:
        at = Counts(*(cells[:, places] for cells in counts.cells))
        return net_benefits(at if prevalence is None else at.at_prevalence(prevalence), odds)

    seed = seed_of(random_state)
    with np.errstate(invalid="ignore"):  # a resample without one of the classes
        curves = rows.resampled(benefits, n_resamples, seed)
    least = _least_error(rows.counts[0][places], odds, rows.sample.n_rows, prevalence)
    width = half_width(curves, curve.net_benefit, least, confidence_level, simultaneous)
    greatest = 1.0 if prevalence is None else curve.prevalence
    low, high = curve.net_benefit - width, np.minimum(curve.net_benefit + width, greatest)
    method = f"bootstrap, {n_resamples} draws, seed {seed}"
    return dataclasses.replace(curve, low=low, high=high, simultaneous=simultaneous, method=method)


def _least_error(counts: Counts, odds: Floats, examples: int, prevalence: float | None) -> Floats:
    """Return the standard error of true and false positives after adding two of each, and of the others.

    With a fixed prevalence they are shares of their classes, otherwise of all rows.
    """
    sizes, shares = (counts.total, counts.total), (1.0, 1.0)
    if prevalence is not None:
        sizes, shares = (counts.positives, counts.negatives), (prevalence, 1 - prevalence)
    right, wrong = (
        share * least_error(calls / size, examples * size / counts.total)
        for calls, size, share in zip((counts.tp, counts.fp), sizes, shares, strict=True)
    )
    return np.hypot(right, odds * wrong)
