"""Reliability curves: observed event rates by predicted probability, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from scipy.optimize import isotonic_regression

from ..._arguments import Label
from ..._arrays import Floats, RandomState, Rows, check_rows
from ..._options import check_choice, check_confidence_level, check_whole
from ...metrics._pairs.isotonic import Graded
from ...metrics._pairs.ranking import RankedScores
from ...metrics._pairs.smoothing import smooth
from ...metrics._registry.resampling import generator, seed_of
from ...metrics.curves._ranked import Points, ranked_unit_scores
from .._intervals.limits import Ends, wilson

# Distinct probabilities, with the positives and negatives at each.
_Distinct = tuple[Floats, Floats, Floats]


@dataclass(frozen=True, eq=False, repr=False)
class ReliabilityCurve(Points):
    """Observed event rates by predicted probability, with intervals.

    Attributes
    ----------
    predicted, observed : ndarray of shape (n_points,), float64
        Mean probability and share of positives of each bin, nan in empty ones; with "isotonic", the
        distinct probabilities and their recalibrated values.
    low, high : ndarray of shape (n_points,), float64
        The interval of the share of positives; for "consistency" its range under perfect
        calibration. nan for weighted rows.
    weight : ndarray of shape (n_points,), float64
        Number or weight of the examples of each point.
    edges : ndarray of shape (n_bins + 1,), float64, or None
        The edges of the bins.
    method : {"binned", "isotonic", "spline"}
    band : {"confidence", "consistency"}
        The type of the intervals.
    confidence_level : float
    n_resamples : int
        Number of simulated samples for "isotonic"; 0 for bins.
    seed : int or None
        The seed that reproduces them, given or drawn.
    simultaneous : bool
        Whether the band is for the whole curve. Otherwise the intervals are pointwise: the coverage of
        the whole curve is lower.
    """

    _arrays: ClassVar[tuple[str, ...]] = ("predicted", "observed", "low", "high", "weight")

    predicted: Floats
    observed: Floats
    low: Floats
    high: Floats
    weight: Floats
    edges: Floats | None
    method: str
    band: str
    confidence_level: float
    n_resamples: int = 0
    seed: int | None = None
    simultaneous: bool = False

    @property
    def label(self) -> str:
        """The confidence level, and whether it is pointwise or that of the whole curve."""
        scope = "simultaneous" if self.simultaneous else "pointwise"
        return f"{100 * self.confidence_level:g} % {self.band}, {scope}"

    def __repr__(self) -> str:
        drawn = f", {self.n_resamples} draws, seed {self.seed}" if self.n_resamples else ""
        reported = f"{len(self.predicted)} {'bins' if self.edges is not None else 'points'}"
        return f"ReliabilityCurve({reported}, {self.label},\n  {self.method}{drawn})"


def reliability_curve(
    y_true: Rows,
    y_proba: Rows,
    *,
    method: Literal["binned", "isotonic", "spline"] = "binned",
    n_bins: int = 10,
    strategy: Literal["uniform", "quantile"] = "uniform",
    band: Literal["confidence", "consistency"] = "confidence",
    simultaneous: bool = False,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    random_state: RandomState = None,
    pos_label: Label = None,
    sample_weight: Rows | None = None,
) -> ReliabilityCurve:
    r"""Return the observed event rates by predicted probability, with intervals.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes; both must occur.
    y_proba : array-like of shape (n_samples,)
        Probabilities of the positive class.
    method : {"binned", "isotonic", "spline"}, default="binned"
        The share of positives in bins of probabilities; or the isotonic regression of the class on the
        probability (CORP [1]_); or a smooth curve: least squares on a restricted cubic spline with 5
        knots. Only the first needs bins.
    n_bins : int, default=10
        The number of bins.
    strategy : {"uniform", "quantile"}, default="uniform"
        Bins of equal width, closed above, or of about equal weight; equal probabilities share a
        bin.
    band : {"confidence", "consistency"}, default="confidence"
        Pointwise intervals of the true event rate or, for "isotonic" only, the range of the curve
        under perfect calibration.
    simultaneous : bool, default=False
        For "spline": a band for the whole curve instead of one for each point.
    confidence_level : float, default=0.95
        Confidence, in (0, 1).
    n_resamples : int, default=1000
        Number of simulated samples for the intervals of "isotonic", which has none with 0, and of
        simulated curves for a simultaneous band.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the simulated samples.
    pos_label : int, float, bool or str, default=None
        The positive class; see :func:`recall_score`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights >= 0; weighted rows have no interval.

    Returns
    -------
    ReliabilityCurve

    Raises
    ------
    ValueError, TypeError
        If probabilities are outside [0, 1], a class is missing, or an argument is invalid.

    Notes
    -----
    Bins have Wilson's intervals. The band of a smooth curve follows from the variance of the fit and
    does not include its bias; a simultaneous one uses the greatest deviation of simulated normal
    curves. The isotonic intervals are quantiles of curves refitted to
    simulated classes, drawn with the recalibrated ("confidence") or the predicted ("consistency")
    probability of each example. The components of the loss for the isotonic curve are
    :func:`miscalibration_component`, :func:`discrimination_component` and
    :func:`uncertainty_component`.

    See Also
    --------
    CalibrationDisplay : Its picture.

    References
    ----------
    .. [1] T. Dimitriadis, T. Gneiting and A. I. Jordan, Stable reliability diagrams for probabilistic
       classifiers, PNAS 118(8), e2016191118, 2021.

    Examples
    --------
    >>> from skaucx.inference import reliability_curve
    >>> y_true, y_proba = [0, 0, 1, 0, 1, 1], [0.1, 0.3, 0.3, 0.6, 0.7, 0.9]
    >>> reliability_curve(y_true, y_proba, n_bins=2).observed.round(4).tolist()
    [0.3333, 0.6667]
    >>> curve = reliability_curve(y_true, y_proba, method="isotonic", random_state=0)
    >>> curve.predicted.tolist(), curve.observed.tolist()
    ([0.1, 0.3, 0.6, 0.7, 0.9], [0.0, 0.3333333333333333, 0.3333333333333333, 1.0, 1.0])
    """
    check_choice("method", method, ("binned", "isotonic", "spline"))
    check_choice("band", band, ("confidence", "consistency"))
    check_confidence_level(confidence_level)
    if band == "consistency" and method != "isotonic":
        raise ValueError(f"band='consistency' needs method='isotonic', found method={method!r}.")
    if simultaneous and method != "spline":
        raise ValueError(f"simultaneous=True needs method='spline', found method={method!r}.")
    check_choice("strategy", strategy, ("uniform", "quantile"))
    if y_proba is not None:
        check_rows({"y_true": y_true, "y_proba": y_proba, "sample_weight": sample_weight})
    level = float(confidence_level)
    ranked = ranked_unit_scores(
        "a reliability curve", y_true, y_proba, pos_label, sample_weight, None
    )
    hits, misses = (
        np.asarray(side, float) / ranked.unit for side in (ranked.positive, ranked.negative)
    )
    values = np.asarray(ranked.values)
    distinct = values, hits, misses
    if method == "binned":
        number = check_whole("n_bins", n_bins, 1)
        edges = np.linspace(0, 1, number + 1)
        if strategy == "quantile":
            edges = _of_equal_weight(edges[1:-1], *distinct)
        return _of_bins(distinct, edges, level, sample_weight is None)
    none = method == "isotonic" and (n_resamples == 0 or sample_weight is not None)  # no band
    size = 0 if none else check_whole("n_resamples", n_resamples, 2)
    if method == "spline":
        return _smooth(sample_weight, distinct, level, size * simultaneous, random_state)
    total, seed = hits + misses, seed_of(random_state)
    observed = _isotonic(hits, total)
    low, high = _redrawn(values if band == "consistency" else observed, total, size, level, seed)
    if band == "confidence":
        low, high = np.minimum(low, observed), np.maximum(high, observed)
    settings = None, method, band, level, size, seed
    return ReliabilityCurve(values, observed, low, high, total, *settings)


def _smooth(
    sample_weight: Any, distinct: _Distinct, level: float, size: int, random_state: Any
) -> ReliabilityCurve:
    """Return a smooth curve with its band, simultaneous if its size is not 0.

    Sums of weights do not give the variance of a share.
    """
    values, hits, misses = distinct
    if sample_weight is not None:
        raise ValueError("method='spline' has a band for unweighted rows only; omit sample_weight.")
    fit = smooth(Graded(lambda: RankedScores(values, hits, misses)))
    seed = seed_of(random_state) if size else None
    low, high = fit.ends(values, level, size, None if seed is None else generator(seed))
    settings = None, "spline", "confidence", level, size, seed, size > 0
    return ReliabilityCurve(values, fit(values), low, high, hits + misses, *settings)


def _of_equal_weight(shares: Floats, values: Floats, hits: Floats, misses: Floats) -> Floats:
    """Return the edges of bins of about equal weight; equal probabilities share a bin."""
    below = np.cumsum(hits + misses)
    cuts = values[np.searchsorted(below, shares * below[-1])]
    return np.unique(np.concatenate([[0.0], cuts, [1.0]]))


def _of_bins(distinct: _Distinct, edges: Floats, level: float, counts: bool) -> ReliabilityCurve:
    values, hits, misses = distinct
    many = len(edges) - 1
    place = np.clip(np.searchsorted(edges, values) - 1, 0, many - 1)  # closed above
    weight, positive, mass = (
        np.bincount(place, part, many).astype(np.float64)
        for part in (hits + misses, hits, (hits + misses) * values)
    )
    held = weight > 0
    observed, predicted = (
        np.divide(part, weight, out=np.full(many, np.nan), where=held) for part in (positive, mass)
    )
    # Wilson's interval needs counts, not sums of weights.
    low, high = np.full((2, many), np.nan)
    if counts:
        low[held], high[held] = wilson(positive[held], weight[held], level)
    return ReliabilityCurve(
        predicted, observed, low, high, weight, edges, "binned", "confidence", level
    )


def _isotonic(hits: Floats, total: Floats) -> Floats:
    """Return the isotonic regression of the class at the distinct probabilities, ascending."""
    return np.asarray(isotonic_regression(hits / total, weights=total).x).clip(0, 1)


def _redrawn(p: Floats, total: Floats, size: int, confidence_level: float, seed: int) -> Ends:
    """Return quantiles of curves refitted to classes drawn with these probabilities."""
    if size == 0:
        return np.full_like(p, np.nan), np.full_like(p, np.nan)
    # Y* ~ Bernoulli(p), p recalibrated (confidence) or predicted (consistency); then refitted.
    rows, rng, tail = total.astype(np.int64), generator(seed), (1 - confidence_level) / 2
    curves = [_isotonic(rng.binomial(rows, p).astype(np.float64), total) for _ in range(size)]
    low, high = np.quantile(curves, [tail, 1 - tail], axis=0)
    return low, high
