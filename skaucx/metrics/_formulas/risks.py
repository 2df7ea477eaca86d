"""Predicted risks: metrics recommended for reports of clinical prediction models.

Every formula reads a :class:`~skaucx.metrics._kinds.scores.probabilities.Probabilities`. For two classes
it evaluates the probability of the positive one, for more the mean over the classes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np
from scipy import fft

from ..._arrays import Floats
from .._kinds.scores import PROBABILITIES
from .._kinds.scores.class_scores import Probabilities
from .._pairs.isotonic import Graded
from .._pairs.smoothing import distances, quantiles
from .._registry.declare import metric
from .calibration import of_classes
from .probability import log_loss

risk = partial(metric, kind=PROBABILITIES, family="calibration", undefined=np.nan)
_UPWARD = (
    "the value of a sample is biased upward, and more so that of a resample, so there is no interval; "
    "'debiased_calibration_error' has one"
)


def _influence_of_ratio(p: Probabilities) -> Floats:
    """Return the derivatives of O / E = sum w y / sum w p with respect to the weights."""
    columns = [1] if p.n_columns == 2 else range(p.n_columns)
    found = []
    for k in columns:
        truth, expected = p.outcome == k, p.weight @ p.probability[:, k]
        ratio = (p.weight @ truth) / expected
        # (y - p O / E) / E, by the quotient rule.
        found.append((truth - ratio * p.probability[:, k]) / expected)
    return np.asarray(np.mean(found, axis=0))


@risk(
    "observed_expected_ratio",
    "Debray et al. 2017",
    better="neither",
    bounds=(0, np.inf),
    best=np.nan,
    aliases=("oe_ratio",),
    influence=_influence_of_ratio,
    reason="all probabilities of the class are 0, so none of it is expected",
)
def observed_expected_ratio(p: Probabilities) -> Floats:
    r"""Observed-expected ratio: observed over expected number of positives; 1 is right on average.

    Notes
    -----
    .. math:: \frac{O}{E} = \frac{\sum_i w_i y_i}{\sum_i w_i p_i}

    Above 1 the probabilities are too low on average, below 1 too high.

    Examples
    --------
    >>> from skaucx.metrics import observed_expected_ratio
    >>> round(observed_expected_ratio([0, 1, 0, 1, 1], [0.1, 0.3, 0.6, 0.7, 0.9]), 4)
    1.1538
    """

    def ratio(g: Graded) -> Any:
        expected = g.total @ g.values
        return g.positive.sum() / expected if expected > 0 else np.nan

    return of_classes(p, ratio)


curve = partial(
    risk,
    better="low",
    bounds=(0, 1),
    symmetric=False,
    no_interval=_UPWARD,
)


def _of_distances(p: Probabilities, value: Callable[[Floats, Floats], Any]) -> Floats:
    return of_classes(p, lambda g: value(distances(g), g.total / g.total.sum()))


def _quantile(distance: Floats, share: Floats, at: float) -> Any:
    order = np.argsort(distance)
    return quantiles(distance[order], share[order], (at,))[0]


@curve("integrated_calibration_index", "Austin & Steyerberg 2019", aliases=("ici", "eavg"))
def integrated_calibration_index(p: Probabilities) -> Floats:
    r"""ICI: the mean distance of the probabilities from a smooth calibration curve.

    Notes
    -----
    .. math:: \frac{1}{w} \sum_i w_i \, |\hat c(p_i) - p_i|

    with the curve :math:`\hat c` of the class on the probability, the least-squares fit of a restricted
    cubic spline with 5 knots at quantiles of the probabilities. The value of a sample is above 0 even if
    the model is calibrated.

    Examples
    --------
    >>> from skaucx.metrics import integrated_calibration_index
    >>> y_true = [0, 0, 1, 0, 1, 0, 1, 1]
    >>> y_proba = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.9]
    >>> round(integrated_calibration_index(y_true, y_proba), 4)
    0.099
    """
    return _of_distances(p, lambda distance, share: share @ distance)


@curve("e50_calibration_error", "Austin & Steyerberg 2019", aliases=("e50",), room="calibration")
def e50(p: Probabilities) -> Floats:
    r"""E50: the median distance of the probabilities from a smooth calibration curve.

    Notes
    -----
    The median of :math:`|\hat c(p_i) - p_i|` over the examples.

    Examples
    --------
    >>> from skaucx.metrics.calibration import e50_calibration_error
    >>> y_true = [0, 0, 1, 0, 1, 0, 1, 1]
    >>> y_proba = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.9]
    >>> round(e50_calibration_error(y_true, y_proba), 4)
    0.1
    """
    return _of_distances(p, partial(_quantile, at=0.5))


@curve("e90_calibration_error", "Austin & Steyerberg 2019", aliases=("e90",), room="calibration")
def e90(p: Probabilities) -> Floats:
    r"""E90: the 90th percentile of the distance of the probabilities from a smooth calibration curve.

    Notes
    -----
    The 90th percentile of :math:`|\hat c(p_i) - p_i|` over the examples.

    Examples
    --------
    >>> from skaucx.metrics.calibration import e90_calibration_error
    >>> y_true = [0, 0, 1, 0, 1, 0, 1, 1]
    >>> y_proba = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.9]
    >>> round(e90_calibration_error(y_true, y_proba), 4)
    0.1541
    """
    return _of_distances(p, partial(_quantile, at=0.9))


@curve(
    "estimated_calibration_index",
    "Van Hoorde et al. 2015",
    bounds=(0, 100),
    aliases=("eci",),
    room="calibration",
)
def eci(p: Probabilities) -> Floats:
    r"""ECI: 100 times the mean squared distance of the probabilities from a smooth calibration curve.

    Notes
    -----
    .. math:: \frac{100}{w} \sum_i w_i \, (\hat c(p_i) - p_i)^2

    Examples
    --------
    >>> from skaucx.metrics.calibration import estimated_calibration_index
    >>> y_true = [0, 0, 1, 0, 1, 0, 1, 1]
    >>> y_proba = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.9]
    >>> round(estimated_calibration_index(y_true, y_proba), 4)
    1.4298
    """
    return _of_distances(p, lambda distance, share: 100 * (share @ distance**2))


# SmoothECE on a grid: its step is a tenth of the least bandwidth that is searched.
_LEAST, _GRID, _HALVINGS = 1e-3, 1 << 12, 14


def _smooth_error(g: Graded) -> Any:
    """Return the smooth calibration error at the bandwidth that equals it.

    The cosine transform diagonalises the reflected kernel: it multiplies cos(pi k x) by
    exp(-(pi k width)^2 / 2).
    """
    total = g.total.sum()
    places = np.minimum(g.values * _GRID, _GRID - 1e-9) - 0.5
    low = np.floor(places).astype(np.intp)
    part = places - low
    residual = (g.positive - g.total * g.values) / total
    grid = np.zeros(_GRID)
    for cell, share in ((low, 1 - part), (low + 1, part)):
        np.add.at(grid, np.clip(cell, 0, _GRID - 1), share * residual)

    # A reflected Gaussian kernel of width h multiplies the k-th cosine wave by exp(-(pi k h)^2 / 2). The
    # error falls as h grows, so its fixed point error(h) = h is bisected (Blasiok & Nakkiran 2024).
    waves, squares = fft.dct(grid), (np.pi * np.arange(_GRID)) ** 2 / 2

    def error(width: float) -> float:
        return float(np.abs(fft.idct(waves * np.exp(-squares * width**2))).sum())

    narrow, wide = _LEAST, 1.0
    if error(narrow) <= narrow:
        return error(narrow)
    for _ in range(_HALVINGS):
        middle = (narrow + wide) / 2
        narrow, wide = (middle, wide) if error(middle) > middle else (narrow, middle)
    return error(wide)


@risk(
    "smooth_calibration_error",
    "Blasiok & Nakkiran 2024",
    better="low",
    bounds=(0, 1),
    symmetric=True,
    aliases=("smece", "smooth_ece"),
    room="calibration",
    no_interval=_UPWARD,
)
def smooth_calibration_error(p: Probabilities) -> Floats:
    r"""SmoothECE: the calibration error of kernel-smoothed residuals, without bins.

    Notes
    -----
    .. math:: \mathrm{smECE}_\sigma = \int_0^1 \Bigl| \frac1w \sum_i w_i \, K_\sigma(t, p_i)
              (y_i - p_i) \Bigr| \, dt

    with the Gaussian kernel reflected at 0 and 1, at the bandwidth :math:`\sigma` that equals the value.
    Residuals are on a grid of 4,096 points; the least bandwidth is 0.001. For three or more classes it
    is the mean over the classes, each against the rest.

    Examples
    --------
    >>> from skaucx.metrics.calibration import smooth_calibration_error
    >>> round(smooth_calibration_error([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 3)
    0.112
    """
    return of_classes(p, _smooth_error)


def _slopes_of_nagelkerke(p: Probabilities, *, kind: Literal["nagelkerke", "cox-snell"]) -> Floats:
    """Return the derivatives through the mean log loss L and that of the shares, H."""
    losses, shares = log_loss(p), p.class_weights / p.total_weight
    of_shares = -np.log(shares[p.outcome])
    own, prior = (p.weight @ each / p.total_weight for each in (losses, of_shares))
    ratio, most = np.exp(2 * (own - prior)), 1 - np.exp(-2 * prior)
    gained = 2 * ratio * ((of_shares - prior) - (losses - own))
    if kind == "nagelkerke":
        gained = (gained - (1 - ratio) * 2 * (1 - most) / most * (of_shares - prior)) / most
    return np.asarray(gained / p.total_weight)


@risk(
    "nagelkerke_r2_score",
    "Nagelkerke 1991",
    better="high",
    bounds=(-np.inf, 1),
    symmetric=True,
    influence=_slopes_of_nagelkerke,
    family="losses of probabilities",
)
def nagelkerke_r2(
    p: Probabilities, *, kind: Literal["nagelkerke", "cox-snell"] = "nagelkerke"
) -> Any:
    r"""Nagelkerke's R2: the gain in likelihood over the class shares, as a share of the greatest gain.

    Parameters
    ----------
    kind : {"nagelkerke", "cox-snell"}, default="nagelkerke"
        Whether to divide by the value of perfect predictions.

    Notes
    -----
    .. math:: R^2_\mathrm{CS} = 1 - e^{2 (L - L_0)}, \qquad
              R^2_\mathrm{N} = \frac{R^2_\mathrm{CS}}{1 - e^{-2 L_0}}

    with the log loss L of the probabilities and :math:`L_0` of the class shares. The probabilities are
    taken as they are, without recalibration, so that the value may be negative. McFadden's R2,
    :math:`1 - L / L_0`, is :func:`d2_log_loss_score`.

    Examples
    --------
    >>> from skaucx.metrics import nagelkerke_r2_score
    >>> round(nagelkerke_r2_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.4761
    """
    own = p.sum_of(log_loss) / p.total_weight
    shares = p.class_weights / np.asarray(p.total_weight)[..., None]
    prior = -(shares * np.log(np.where(shares > 0, shares, 1.0))).sum(axis=-1)
    gain = -np.expm1(np.minimum(2 * (own - prior), 700.0))
    found = gain if kind == "cox-snell" else gain / np.where(prior > 0, -np.expm1(-2 * prior), 1)
    return np.where(prior > 0, found, np.nan)[()]
