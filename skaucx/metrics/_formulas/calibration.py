"""Calibration: whether events happen as often as their predicted probabilities say.

Every formula reads a :class:`~skaucx.metrics._states.scores.Probabilities`, also with a leading axis of
sets of weights. Of two classes the probability of the positive one is judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Literal

import numpy as np
from scipy import special

from ..._arrays import Array, Bools, Floats
from ..._options import WholePositive
from .._pairs.pooling import over_blocks
from .._pairs.ranking import RankedScores
from .._pairs.replicates import SortedScores
from .._records.counts import Counts
from .._registry.declare import metric
from .._registry.kinds import PROBABILITIES
from .._states.scores import Probabilities

calibration = partial(metric, kind=PROBABILITIES, family="calibration")

# Bin edges are compared with shares of the weight up to this rounding.
_ROUNDING = 1e-9
_MOST_STEPS = 50
# Steps square their error: after one this small only rounding is left.
_STEP = 1e-9
# Beyond such a change of the log-odds the classes are taken as separated.
_SEPARATED = 1e3


@calibration("calibration_error", "Kumar et al. 2019", better="low", aliases=("ece",), swapped=True)
def calibration_error(
    p: Probabilities,
    *,
    norm: Literal["l1", "l2", "max"] = "l1",
    n_bins: WholePositive = 15,
    strategy: Literal["uniform", "quantile"] = "uniform",
    debias: bool = False,
    classes: Literal["top", "each"] = "top",
) -> Floats:
    r"""Calibration error: how far predicted probabilities are from observed frequencies, bin by bin.

    Parameters
    ----------
    norm : {"l1", "l2", "max"}, default="l1"
        The mean distance (the expected calibration error, ECE), the root of the mean squared one, or
        the greatest.
    n_bins : int, default=15
        The number of bins.
    strategy : {"uniform", "quantile"}, default="uniform"
        Bins of one width, closed above, or of about one weight; equal probabilities stay together.
    debias : bool, default=False
        With "l2", whether to subtract from each bin the variance of its frequency; weights then count
        as repetitions.
    classes : {"top", "each"}, default="top"
        Of three or more classes: the probability of the likeliest class, or the mean over the classes.

    Notes
    -----
    .. math:: \Bigl( \sum_k \frac{w_k}{w} \, |\bar y_k - \bar p_k|^r \Bigr)^{1/r}

    over the bins k that hold examples, r = 1 or 2. Debiased, :math:`\bar y_k (1 - \bar y_k) / (w_k - 1)`
    is subtracted from each square, and a negative sum is 0.

    Examples
    --------
    >>> from skaucx.metrics import calibration_error
    >>> round(calibration_error([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.1375
    >>> round(calibration_error([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], n_bins=2), 4)
    0.0875
    """
    if debias and norm != "l2":
        raise ValueError(f"debias=True needs norm='l2', found norm={norm!r}.")
    problems = _top_label(p) if classes == "top" else _one_vs_rest(p)
    bins = partial(_bins, n_bins=n_bins, strategy=strategy)
    errors = [_binned_error(y, q, p.weight, bins, norm, debias) for y, q in problems]
    return np.mean(errors, axis=0)


line = partial(calibration, better="neither", bounds=(-np.inf, np.inf), undefined=np.nan)


@line("calibration_slope", "Van Calster et al. 2019", swapped=True)
def calibration_slope(p: Probabilities) -> Floats:
    r"""Calibration slope: 1 where probabilities are neither too extreme (below 1) nor too timid.

    Notes
    -----
    .. math:: \operatorname{logit} P(y = 1) = a + b \operatorname{logit} p

    The slope b of the logistic regression without penalty; of three or more classes the mean over the
    classes. It is undefined where one class occurs, where the classes are separated, and where a
    probability of 0 or 1 is wrong; a right one is left out, as its log-odds decide nothing.

    Examples
    --------
    >>> from skaucx.metrics import calibration_slope
    >>> round(calibration_slope([0, 1, 0, 1, 1], [0.1, 0.3, 0.6, 0.7, 0.9]), 4)
    0.8975
    """
    return np.mean([_line(y, q, p.weight)[1] for y, q in _one_vs_rest(p)], axis=0)


@line("calibration_intercept", "Van Calster et al. 2019", aliases=("calibration_in_the_large",))
def calibration_intercept(p: Probabilities, *, joint: bool = False) -> Floats:
    r"""Calibration intercept: above 0 where probabilities are too low, below where too high.

    Parameters
    ----------
    joint : bool, default=False
        Whether to take the intercept that is fitted together with the slope. By default the slope is
        fixed at 1, which is calibration in the large; the two answer different questions.

    Notes
    -----
    .. math:: \operatorname{logit} P(y = 1) = a + b \operatorname{logit} p

    The intercept a of the logistic regression without penalty, with b = 1 or fitted. It is undefined
    where :func:`calibration_slope` is; with b = 1 separated classes do not matter.

    Examples
    --------
    >>> from skaucx.metrics import calibration_intercept
    >>> y_true, y_proba = [0, 1, 0, 1, 1], [0.1, 0.3, 0.6, 0.7, 0.9]
    >>> round(calibration_intercept(y_true, y_proba), 4)
    0.4857
    >>> round(calibration_intercept(y_true, y_proba, joint=True), 4)
    0.4687
    """
    fit = partial(_line, slope=None if joint else 1.0)
    return np.mean([fit(y, q, p.weight)[0] for y, q in _one_vs_rest(p)], axis=0)


part = partial(calibration, bounds=(0, np.inf), undefined=np.nan)


@part("miscalibration", "Dimitriadis et al. 2021", better="low", swapped=True)
def miscalibration(p: Probabilities, *, loss: Literal["brier", "log"] = "brier") -> Floats:
    r"""Miscalibration: the part of the loss that recalibrating the probabilities would spare.

    Parameters
    ----------
    loss : {"brier", "log"}, default="brier"
        The proper loss S that is taken apart: the squared error or -log.

    Notes
    -----
    .. math:: MCB = S(p) - S(\hat p), \qquad S = MCB - DSC + UNC

    with the isotonic regression :math:`\hat p` of the class on p (the CORP decomposition). Of three or
    more classes the mean over the classes, each against the rest.

    Examples
    --------
    >>> from skaucx.metrics import miscalibration
    >>> round(miscalibration([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 6)
    0.033125
    """
    return _mean_part(p, loss, lambda s: s.own - s.refit)


@part("discrimination", "Dimitriadis et al. 2021", best=np.nan, swapped=True)
def discrimination(p: Probabilities, *, loss: Literal["brier", "log"] = "brier") -> Floats:
    r"""Discrimination: the loss that the order of the probabilities spares beside the prior alone.

    Parameters
    ----------
    loss : {"brier", "log"}, default="brier"
        The proper loss S that is taken apart: the squared error or -log.

    Notes
    -----
    .. math:: DSC = S(\pi) - S(\hat p), \qquad S = MCB - DSC + UNC

    with the isotonic regression :math:`\hat p` of the class on p and the prevalence :math:`\pi`. Of
    three or more classes the mean over the classes, each against the rest.

    Examples
    --------
    >>> from skaucx.metrics import discrimination
    >>> discrimination([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.125
    """
    return _mean_part(p, loss, lambda s: s.prior - s.refit)


@part("uncertainty", "Dimitriadis et al. 2021", better="neither", swapped=True)
def uncertainty(p: Probabilities, *, loss: Literal["brier", "log"] = "brier") -> Floats:
    r"""Uncertainty: the loss of predicting the prevalence for all.

    Parameters
    ----------
    loss : {"brier", "log"}, default="brier"
        The proper loss S that is taken apart: the squared error or -log.

    Notes
    -----
    .. math:: UNC = S(\pi), \qquad S = MCB - DSC + UNC

    with the prevalence :math:`\pi` of the sample. Of three or more classes the mean over the classes,
    each against the rest.

    Examples
    --------
    >>> from skaucx.metrics import uncertainty
    >>> uncertainty([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.25
    """
    return _mean_part(p, loss, lambda s: s.prior)


def _one_vs_rest(p: Probabilities) -> Iterator[tuple[Bools, Floats]]:
    """Yield the class and the probability of each binary problem: one of two classes."""
    classes = p.probability.shape[1]
    for k in [1] if classes == 2 else range(classes):
        yield p.outcome == k, p.probability[:, k]


def _top_label(p: Probabilities) -> Iterator[tuple[Bools, Floats]]:
    """Yield whether the likeliest of many classes is true, and its probability."""
    if p.probability.shape[1] == 2:
        yield from _one_vs_rest(p)
    else:
        top = p.probability.argmax(axis=1)
        yield p.outcome == top, np.take_along_axis(p.probability, top[:, None], axis=1)[:, 0]


def _bins(probability: Floats, weight: Floats, n_bins: int, strategy: str) -> Array:
    """Return the bin of each example; by quantiles, equal probabilities have one bin."""
    if strategy == "uniform":
        return np.searchsorted(np.linspace(0, 1, n_bins + 1)[1:-1], probability)
    values, group = np.unique(probability, return_inverse=True)
    held = np.bincount(group, weight, minlength=len(values))
    below = np.append(0, np.cumsum(held)[:-1]) / held.sum()
    bins = np.floor(below * n_bins + _ROUNDING).astype(np.intp)
    return np.minimum(bins, n_bins - 1)[group]


def _binned_error(
    y: Bools,
    probability: Floats,
    weight: Floats,
    bins: Callable[[Floats, Floats], Array],
    norm: str,
    debias: bool,
) -> Floats:
    """Return the distance of frequencies from probabilities over bins, for each set of weights."""
    if weight.ndim > 1:
        given = (_binned_error(y, probability, row, bins, norm, debias) for row in weight)
        return np.array(list(given))
    places = bins(probability, weight)
    total, events, expected = (
        np.bincount(places, weight * x) for x in (np.ones(len(y)), y, probability)
    )
    held = total > 0
    total, events, expected = total[held], events[held], expected[held]
    distance, share = np.abs(events - expected) / total, total / total.sum()
    if norm == "max":
        return distance.max()
    if norm == "l1":
        return (share * distance).sum()
    variance = np.zeros(len(total))
    if debias:
        rate, several = events / total, total > 1
        variance[several] = (rate * (1 - rate))[several] / (total - 1)[several]
        distance = np.where(several, distance, 0)
    return np.sqrt(max((share * (distance**2 - variance)).sum(), 0))


def _line(
    y: Bools, probability: Floats, weight: Floats, slope: float | None = None
) -> tuple[Any, Any]:
    """Return the intercept and the slope of the class on the log-odds, for each set of weights."""
    if weight.ndim > 1:
        lines = np.array([_line(y, probability, row, slope) for row in weight])
        return lines[:, 0], lines[:, 1]
    sure = (probability == 0) | (probability == 1)
    wrong = sure & (y != (probability == 1)) & (weight > 0)
    kept = ~sure & (weight > 0)
    y, x, w = y[kept], special.logit(probability[kept]), weight[kept]
    if wrong.any() or not 0 < np.count_nonzero(y) < len(y):
        return np.float64(np.nan), np.float64(np.nan)
    return _newton(y, x, w / w.max(), slope)


def _newton(y: Bools, x: Floats, w: Floats, slope: float | None) -> tuple[Any, Any]:
    """Maximise the likelihood; nan where it has no maximum."""
    design = np.ones((1, len(x))) if slope is not None else np.stack([np.ones(len(x)), x])
    offset = 0.0 if slope is None else slope * x
    beta = np.zeros(len(design))
    for _ in range(_MOST_STEPS):
        fitted = special.expit(beta @ design + offset)
        gradient = design @ (w * (y - fitted))
        curvature = (design * (w * fitted * (1 - fitted))) @ design.T
        if not np.linalg.cond(curvature) < 1 / np.finfo(np.float64).eps:
            break
        step = np.linalg.solve(curvature, gradient)
        beta = beta + step
        if np.abs(beta).max() > _SEPARATED:
            break
        if np.abs(step).max() <= _STEP * max(1.0, np.abs(beta).max()):
            return beta[0], beta[1] if slope is None else np.float64(slope)
    return np.float64(np.nan), np.float64(np.nan)


def _mean_part(
    p: Probabilities, loss: Literal["brier", "log"], chosen: Callable[[_MeanLosses], Floats]
) -> Floats:
    """Return a part of the loss, made of those of `_MeanLosses`, as a mean over problems."""
    parts = [chosen(_MeanLosses(y, q, p.weight, loss)) for y, q in _one_vs_rest(p)]
    return np.mean(parts, axis=0)


class _MeanLosses:
    """The mean losses S(p) of the probabilities, of their isotonic refit, and of the prevalence."""

    def __init__(
        self, y: Bools, probability: Floats, weight: Floats, loss: Literal["brier", "log"]
    ) -> None:
        self._y, self._probability, self._loss = y, probability, loss
        self._weight = weight / weight.max()
        self._of_groups = _half_gini if loss == "brier" else _entropy

    @property
    def own(self) -> Floats:
        """That of the probabilities as they are."""
        y, q = self._y, self._probability
        if self._loss == "brier":
            losses = (y - q) ** 2
        else:
            unit = np.finfo(np.float64).eps
            losses = -np.log(np.clip(np.where(y, q, 1 - q), unit, 1 - unit))
        return (losses * self._weight).sum(axis=-1) / self._total

    @property
    def refit(self) -> Floats:
        """That of the isotonic regression of the class on the probability."""
        counts = _threshold_counts(self._y, self._probability, self._weight)
        found = over_blocks(counts, lambda p, n: self._of_groups(p, n).sum())
        return found / counts.total[..., -1]

    @property
    def prior(self) -> Floats:
        """That of the prevalence."""
        positive, negative = ((side * self._weight).sum(axis=-1) for side in (self._y, ~self._y))
        return self._of_groups(positive, negative) / self._total

    @property
    def _total(self) -> Floats:
        return self._weight.sum(axis=-1)


def _threshold_counts(y: Bools, probability: Floats, weight: Floats) -> Counts:
    if weight.ndim == 1:
        return RankedScores.from_scores(y, probability, weight).threshold_counts
    return SortedScores(y, probability).replicates(weight).threshold_counts


def _half_gini(positive: Floats, negative: Floats) -> Floats:
    """Return the summed squared error of groups that are predicted their share of positives."""
    return positive * negative / (positive + negative)


def _entropy(positive: Floats, negative: Floats) -> Floats:
    """Return the summed log loss of groups that are predicted their share of positives."""
    total = positive + negative
    terms = special.xlogy(positive, positive / total) + special.xlogy(negative, negative / total)
    return np.asarray(-terms)
