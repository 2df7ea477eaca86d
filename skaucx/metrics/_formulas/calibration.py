"""Calibration: agreement of predicted probabilities with event rates.

Every formula reads a :class:`~skaucx.metrics._kinds.scores.class_scores.Probabilities`, also with a
leading axis of sets of weights. For two classes it evaluates the probability of the positive one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np
from scipy import optimize, special

from ..._arrays import Bools, Floats, quotient
from ..._options import WholePositive
from .._kinds.scores import PROBABILITIES
from .._kinds.scores.class_scores import Probabilities
from .._pairs.isotonic import Graded
from .._records.totals import uniform_bins
from .._registry.declare import metric

calibration = partial(metric, kind=PROBABILITIES, family="calibration")

# Tolerance for the comparison of bin edges with cumulative shares of weight.
_ROUNDING = 1e-9
_MOST_STEPS = 100
# Newton's method converges quadratically: after a step this small only rounding remains.
_STEP = 1e-7


def _interval_of_squares(
    p: Probabilities, confidence_level: float, **parameters: Any
) -> tuple[float, float, float] | None:
    r"""Return limits and standard error of the debiased l2 error, by inverting its test.

    With :math:`\theta^2 = \sum_k \pi_k \mu_k^2` the debiased square T has, for the variances
    :math:`\sigma_k^2` of the outcomes in bins, the variance and the third cumulant

    .. math:: \frac{4}{n} \sum_k \pi_k \mu_k^2 \sigma_k^2 + \frac{1}{n} \operatorname{Var}_\pi \mu_k^2
              + \frac{2}{n^2} \sum_k \sigma_k^4, \qquad
              \frac{24}{n^2} \sum_k \pi_k \mu_k^2 \sigma_k^4 + \frac{8}{n^3} \sum_k \sigma_k^6

    The first terms dominate for a miscalibrated model, the last for a calibrated one, whose T
    converges faster (Sun et al. 2024). The sum is valid for every :math:`\theta`; the profile of
    the mu_k is that of the sample. The normal quantile is corrected for skewness.
    """
    if not parameters["debias"] or (parameters["classes"] == "each" and p.n_columns > 2):
        return None
    if parameters["strategy"] == "uniform":
        bins = uniform_bins(p, parameters["n_bins"], parameters["classes"])[:, 0]
    else:
        bins = _quantiles(_top_label(p)[0][0], parameters["n_bins"])
    n, held = bins[0].sum(), bins[0] > 1
    if not held.any():
        return None
    total, positive, probability = bins[:, held]
    share, gaps = total / n, ((positive - probability) / total) ** 2
    rate = positive / total
    # A squared gap exceeds that of the expected rates by Var(rate), of which r (1 - r) / (m - 1) is an
    # unbiased estimate (Kumar et al. 2019).
    square = share @ (gaps - rate * (1 - rate) / (total - 1))
    # One pseudo-example with the predicted probability, so that a bin of one class has a variance.
    rate = (positive + probability / total) / (total + 1)
    spread = rate * (1 - rate)
    shown = share @ gaps
    of_gaps = share * gaps / shown if shown > 0 else share / share.sum()
    unequal = max(share @ gaps**2 / shown**2 - 1, 0.0) if shown > 0 else 0.0
    z = special.ndtri((1 + confidence_level) / 2)

    def reach(at: float, z: float) -> float:
        """Return the quantile of T minus its mean if the squared error is `at`."""
        # Cumulants of a quadratic form in normal gaps, k2 = 4 m'Sm + 2 tr S^2 and k3 = 24 m'S^2m +
        # 8 tr S^3, and the quantile of Cornish and Fisher (1938): z sqrt(k2) + k3 (z^2 - 1) / (6 k2).
        variance = (4 * at * (of_gaps @ spread) + unequal * at**2) / n + 2 * (
            spread**2
        ).sum() / n**2
        third = 24 * at * (of_gaps @ spread**2) / n**2 + 8 * (spread**3).sum() / n**3
        return float(z * np.sqrt(variance) + third / variance * (z**2 - 1) / 6)

    found, low, high = max(square, 0.0), 0.0, 1.0
    if square > reach(0.0, z):
        low = optimize.brentq(lambda at: square - at - reach(at, z), 0.0, square)
    if found - 1 < reach(1.0, -z):
        high = optimize.brentq(lambda at: found - at - reach(at, -z), found, 1.0)
    error = reach(found, 1.0) / (2 * np.sqrt(found)) if found > 0 else np.nan
    return float(np.sqrt(low)), float(np.sqrt(high)), float(error)


@calibration(
    "binned_calibration_error",
    "Kumar et al. 2019",
    better="low",
    aliases=("ece",),
    symmetric=True,
    interval=_interval_of_squares,
    no_interval=(
        "the calibration error of a sample is biased upward, and more so that of a resample, so "
        "there is no interval; 'debiased_calibration_error' (norm='l2', debias=True) has one for "
        "unweighted rows"
    ),
)
def binned_calibration_error(
    p: Probabilities,
    *,
    norm: Literal["l1", "l2", "max"] = "l1",
    n_bins: WholePositive = 15,
    strategy: Literal["uniform", "quantile"] = "uniform",
    debias: bool = False,
    classes: Literal["top", "each"] = "top",
) -> Floats:
    r"""Calibration error: the distance of predicted probabilities from observed frequencies in bins.

    Parameters
    ----------
    norm : {"l1", "l2", "max"}, default="l1"
        The mean distance (the expected calibration error, ECE), the root of the mean squared one, or
        the greatest.
    n_bins : int, default=15
        The number of bins.
    strategy : {"uniform", "quantile"}, default="uniform"
        Bins of equal width, closed above, or of about equal weight; equal probabilities share a
        bin.
    debias : bool, default=False
        With "l2", whether to subtract from each bin the variance of its frequency; weights then count
        as repetitions.
    classes : {"top", "each"}, default="top"
        For three or more classes: the probability of the most probable class, or the mean over the
        classes.

    Notes
    -----
    .. math:: \Bigl( \sum_k \frac{w_k}{w} \, |\bar y_k - \bar p_k|^r \Bigr)^{1/r}

    over the non-empty bins k, r = 1 or 2. Debiased, :math:`\bar y_k (1 - \bar y_k) / (w_k - 1)`
    is subtracted from each square, and a negative sum is 0. A bin of one row has no such variance:
    debiased it counts as 0, but its row counts in w.

    :func:`interval` has limits for ``norm="l2"`` with ``debias=True`` only, for two classes or the
    most probable one, and for unweighted rows. The debiased square converges at one rate where the
    model is miscalibrated and at a faster one where it is calibrated [1]_; the limits use both
    variances at once. Their target is the binned error, a lower bound of the error without bins.
    ``"debiased_calibration_error"`` names it wherever metrics are named.

    References
    ----------
    .. [1] Y. Sun, P. Chaudhari, I. J. Barnett and E. Dobriban, A confidence interval for the l2 expected
       calibration error, arXiv:2408.08998, 2024.

    Examples
    --------
    >>> from skaucx.metrics import binned_calibration_error
    >>> round(binned_calibration_error([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.1375
    >>> round(binned_calibration_error([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], n_bins=2), 4)
    0.0875
    """
    if debias and norm != "l2":
        raise ValueError(f"debias=True needs norm='l2', found norm={norm!r}.")
    if strategy == "uniform":
        bins = uniform_bins(p, n_bins, classes)
        return np.asarray(_binned_error(bins, norm, debias).mean(axis=-1))[()]
    problems = _top_label(p) if classes == "top" else _one_vs_rest(p)
    return _mean(p, problems, lambda g: _binned_error(_quantiles(g, n_bins), norm, debias))


line = partial(
    calibration,
    better="neither",
    bounds=(-np.inf, np.inf),
    undefined=np.nan,
    reason=(
        "one class has no rows, the probabilities separate the classes or belong to one, or a wrong one "
        "is exactly 0 or 1; clip the probabilities, such as to [1e-6, 1 - 1e-6]"
    ),
)


def _influence_of_line(p: Probabilities, place: int, slope: float | None = None) -> Floats:
    r"""Return the influence of each example on the intercept (place 0) or the slope (place 1).

    By the estimating equations :math:`\sum_i w_i (y_i - \pi_i) x_i = 0` of the fit, with
    :math:`x_i = (1, \operatorname{logit} p_i)` and :math:`\pi_i` the fitted probability, it is
    :math:`H^{-1} (y_i - \pi_i) x_i` with the information H, which gives the sandwich variance (Huber
    1967; White 1982). For many classes it is their mean.
    """
    columns, free, found = [1] if p.n_columns == 2 else range(p.n_columns), slope is None, []
    for k, [graded] in zip(columns, _one_vs_rest(p), strict=True):
        fit, x = _line(graded, slope), special.logit(p.probability[:, k])
        sure = np.isinf(x)
        x[sure] = 0.0
        fitted = special.expit(fit[0] + fit[1] * x)
        missed = np.where(sure, 0.0, (p.outcome == k) - fitted)
        spread = np.where(sure, 0.0, p.weight * fitted * (1 - fitted))
        if not np.isfinite(fit[0]):
            return np.full(len(x), np.nan)
        row = np.linalg.inv(_curvature(spread, x, free))[place]
        found.append(missed * (row[0] + row[1] * x if free else row[0]))
    return np.asarray(np.mean(found, axis=0))


@line(
    "calibration_slope",
    "Van Calster et al. 2019",
    symmetric=True,
    influence=partial(_influence_of_line, place=1),
)
def calibration_slope(p: Probabilities) -> Floats:
    r"""Calibration slope: below 1 if probabilities are overconfident, above 1 if underconfident.

    Notes
    -----
    .. math:: \operatorname{logit} P(y = 1) = a + b \operatorname{logit} p

    The slope b of the unpenalised logistic regression; for three or more classes the mean over the
    classes. It is undefined if only one class occurs, if the classes are separated, and if a
    probability of 0 or 1 is wrong; correct ones are omitted, because they do not affect the fit.

    Examples
    --------
    >>> from skaucx.metrics import calibration_slope
    >>> round(calibration_slope([0, 1, 0, 1, 1], [0.1, 0.3, 0.6, 0.7, 0.9]), 4)
    0.8975
    """
    return of_classes(p, lambda g: _line(g)[1])


@line(
    "calibration_intercept",
    "Van Calster et al. 2019",
    aliases=("calibration_in_the_large",),
    influence=lambda p, *, joint: _influence_of_line(p, 0, None if joint else 1.0),
)
def calibration_intercept(p: Probabilities, *, joint: bool = False) -> Floats:
    r"""Calibration intercept: above 0 if probabilities are too low, below 0 if too high.

    Parameters
    ----------
    joint : bool, default=False
        Whether to fit the intercept together with the slope. By default the slope is fixed at 1
        (calibration in the large); the two quantities differ.

    Notes
    -----
    .. math:: \operatorname{logit} P(y = 1) = a + b \operatorname{logit} p

    The intercept a of the unpenalised logistic regression, with b = 1 or fitted. It is undefined
    where :func:`calibration_slope` is, except that separated classes are allowed with b = 1.

    Examples
    --------
    >>> from skaucx.metrics import calibration_intercept
    >>> y_true, y_proba = [0, 1, 0, 1, 1], [0.1, 0.3, 0.6, 0.7, 0.9]
    >>> round(calibration_intercept(y_true, y_proba), 4)
    0.4857
    >>> round(calibration_intercept(y_true, y_proba, joint=True), 4)
    0.4687
    """
    return of_classes(p, lambda g: _line(g, None if joint else 1.0)[0])


part = partial(calibration, bounds=(0, np.inf), undefined=np.nan, symmetric=True)


@part(
    "miscalibration_component",
    "Dimitriadis et al. 2021",
    better="low",
    no_interval=(
        "the isotonic fit of a sample, and more so of a resample, overfits, so there is no interval"
    ),
)
def miscalibration_component(
    p: Probabilities, *, loss: Literal["brier", "log"] = "brier"
) -> Floats:
    r"""Miscalibration in the Brier decomposition: the loss that isotonic recalibration would remove.

    Parameters
    ----------
    loss : {"brier", "log"}, default="brier"
        The proper loss S that is decomposed: the squared error or -log.

    Notes
    -----
    .. math:: \mathrm{MCB} = S(p) - S(\hat p), \qquad S = \mathrm{MCB} - \mathrm{DSC} + \mathrm{UNC}

    with the isotonic regression :math:`\hat p` of the class on p (the CORP decomposition). For
    three or more classes the mean over the classes, each against the rest.

    Examples
    --------
    >>> from skaucx.metrics import miscalibration_component
    >>> round(miscalibration_component([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 6)
    0.033125
    """
    return of_classes(p, lambda g: _own(g, loss) - _refit(g, loss))


@part(
    "discrimination_component",
    "Dimitriadis et al. 2021",
    best=np.nan,
    no_interval=(
        "the isotonic regression is fitted to the evaluated rows and biases the estimate upwards, and "
        "no interval was found that holds: the bootstrap covers 81.5 to 92.0 % of nominal 95"
    ),
)
def discrimination_component(
    p: Probabilities, *, loss: Literal["brier", "log"] = "brier"
) -> Floats:
    r"""Discrimination in the Brier decomposition: recalibrated probabilities against the prevalence.

    Parameters
    ----------
    loss : {"brier", "log"}, default="brier"
        The proper loss S that is decomposed: the squared error or -log.

    Notes
    -----
    .. math:: \mathrm{DSC} = S(\pi) - S(\hat p), \qquad S = \mathrm{MCB} - \mathrm{DSC} + \mathrm{UNC}

    with the isotonic regression :math:`\hat p` of the class on p and the prevalence :math:`\pi`.
    For three or more classes the mean over the classes, each against the rest.

    Examples
    --------
    >>> from skaucx.metrics import discrimination_component
    >>> discrimination_component([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.125
    """

    def value(g: Graded) -> Any:
        prior = _OF_GROUPS[loss](g.positive.sum(), g.negative.sum()) / g.total.sum()
        return prior - _refit(g, loss)

    return of_classes(p, value)


@part(
    "uncertainty_component",
    "Dimitriadis et al. 2021",
    better="neither",
    no_interval="it is about the prevalence alone: ask for the interval of 'prevalence'",
)
def uncertainty_component(p: Probabilities, *, loss: Literal["brier", "log"] = "brier") -> Floats:
    r"""Uncertainty in the Brier decomposition: the loss of predicting the prevalence for every row.

    Parameters
    ----------
    loss : {"brier", "log"}, default="brier"
        The proper loss S that is decomposed: the squared error or -log.

    Notes
    -----
    .. math:: \mathrm{UNC} = S(\pi), \qquad S = \mathrm{MCB} - \mathrm{DSC} + \mathrm{UNC}

    with the prevalence :math:`\pi` of the sample. For three or more classes the mean over the
    classes, each against the rest.

    Examples
    --------
    >>> from skaucx.metrics import uncertainty_component
    >>> uncertainty_component([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.25
    """
    weights = p.class_weights / np.asarray(p.total_weight)[..., None]
    shares = weights[..., [1]] if p.n_columns == 2 else weights
    others = weights[..., [0]] if p.n_columns == 2 else 1 - weights
    return np.asarray(_OF_GROUPS[loss](shares, others).mean(axis=-1))[()]


Problems = list[list[Graded]]


def _one_vs_rest(p: Probabilities) -> Problems:
    """Return each class against the rest, or one of two classes, for each set of weights."""
    return [p.graded(k) for k in ([1] if p.n_columns == 2 else range(p.n_columns))]


def _top_label(p: Probabilities) -> Problems:
    """Return whether the most probable class is true, with its probability."""
    if p.n_columns == 2:
        return _one_vs_rest(p)
    top = p.probability.argmax(axis=1)
    probability = np.take_along_axis(p.probability, top[:, None], axis=1)[:, 0]
    return [[Graded.of_rows(p.outcome == top, probability, w) for w in np.atleast_2d(p.weight)]]


def of_classes(p: Probabilities, value: Callable[[Graded], Any]) -> Floats:
    """Return the mean over the classes, each against the rest, or the value of the positive one."""
    return _mean(p, _one_vs_rest(p), value)


def _mean(p: Probabilities, problems: Problems, value: Callable[[Graded], Any]) -> Floats:
    """Return the mean of a value over problems, one for each set of weights."""
    found = np.array([[value(graded) for graded in each] for each in problems])
    return np.reshape(found.mean(axis=0), np.shape(p.total_weight))


def _quantiles(g: Graded, n_bins: int) -> Floats:
    """Return the non-empty bins of about equal weight, as :func:`uniform_bins` has them."""
    # A probability is in the bin of the weight below it; equal ones are never parted.
    below = np.append(0, np.cumsum(g.total)[:-1]) / g.total.sum()
    bins = np.minimum(np.floor(below * n_bins + _ROUNDING), n_bins - 1)
    starts = np.append(0, np.flatnonzero(np.diff(bins)) + 1)
    parts = np.stack([g.total, g.positive, g.total * g.values])
    return np.add.reduceat(parts, starts, axis=1) / g.unit


def _binned_error(bins: Floats, norm: str, debias: bool) -> Any:
    """Return the distance of frequencies from probabilities over the non-empty bins."""
    total, positive, probability = bins
    distance = quotient(np.abs(positive - probability), total)
    if norm == "max":
        return distance.max(axis=-1)
    share = total / total.sum(axis=-1, keepdims=True)
    if norm == "l1":
        return (share * distance).sum(axis=-1)
    if not debias:
        return np.sqrt((share * distance**2).sum(axis=-1))
    # The square of a distance exceeds that of the true one by the variance of the frequency, estimated
    # by r (1 - r) / (n - 1) (Kumar et al. 2019), of which one example shows nothing.
    rate, several = quotient(positive, total), total > 1
    variance = quotient(np.where(several, rate * (1 - rate), 0), np.where(several, total - 1, 0))
    squares = np.where(several, distance**2, 0) - variance
    return np.sqrt(np.maximum((share * squares).sum(axis=-1), 0))


def _line(g: Graded, slope: float | None = None) -> tuple[Any, Any]:
    """Return the intercept and the slope of the class on the log-odds, or the intercept of a slope.

    Of a slope there is one where both classes occur. Without a slope the likelihood has a maximum only
    where their log-odds overlap, by more than one value (Albert & Anderson 1984).
    """
    nothing = np.float64(np.nan), np.float64(np.nan)
    sure = slice(int(g.values[0] == 0), len(g.values) - int(g.values[-1] == 1))
    positive, negative, x = g.positive[sure], g.negative[sure], g.log_odds[sure]
    wrong = g.positive[g.values == 0].sum() + g.negative[g.values == 1].sum()
    if wrong > 0 or not positive.sum() > 0 or not negative.sum() > 0:
        return nothing
    total = positive + negative
    positive, total = positive / total.max(), total / total.max()
    if slope is not None:
        return _intercept(slope * x, positive, total), np.float64(slope)
    ends = [x[side > 0][[0, -1]] for side in (positive, negative)]
    overlap = ends[0][0] < ends[1][1] and ends[1][0] < ends[0][1]
    return (_newton(x, positive, total) if overlap else None) or nothing


def _intercept(x: Floats, positive: Floats, total: Floats) -> np.float64:
    """Return the root of the score, which falls from above 0 to below 0 between the ends."""
    middle = special.logit(positive.sum() / total.sum())
    ends = middle - x[-1] - 1, middle - x[0] + 1

    def score(a: float) -> float:
        return float((positive - total * special.expit(a + x)).sum())

    return np.float64(optimize.brentq(score, *ends, xtol=1e-13))


def _curvature(spread: Floats, x: Floats, free: bool) -> Any:
    """Return the information of the intercept, or of both."""
    if not free:
        return [[spread.sum()]]
    weighed = spread * x
    return [[spread.sum(), weighed.sum()], [weighed.sum(), (weighed * x).sum()]]


def _newton(x: Floats, positive: Floats, total: Floats) -> tuple[Any, Any] | None:
    """Maximise the concave likelihood by Newton's method, with steps that are halved until it rises."""

    def likelihood(line: Floats) -> float:
        odds = line[0] + line[1] * x
        return float((positive * odds - total * np.logaddexp(0, odds)).sum())

    line = np.array([special.logit(positive.sum() / total.sum()), 0.0])
    for _ in range(_MOST_STEPS):
        fitted = special.expit(line[0] + line[1] * x)
        missed = positive - total * fitted
        curvature = _curvature(total * fitted * (1 - fitted), x, True)
        if not np.linalg.cond(curvature) < 1 / np.finfo(np.float64).eps:
            return None
        step = np.linalg.solve(curvature, [missed.sum(), (missed * x).sum()])
        least = _STEP * max(1.0, np.abs(line).max())
        if np.abs(step).max() <= least:
            return line[0] + step[0], line[1] + step[1]
        before = likelihood(line)
        while likelihood(line + step) < before and np.abs(step).max() > least:
            step = step / 2
        line = line + step
    return None


def _losses(truth: Bools | bool, p: Floats, loss: Literal["brier", "log"]) -> Floats:
    """Return the loss of each probability that is nowhere 0 for what happened."""
    return (truth - p) ** 2 if loss == "brier" else -np.log(np.where(truth, p, 1 - p))


def _own(g: Graded, loss: Literal["brier", "log"]) -> Any:
    """Return the mean loss of the probabilities."""
    # Clipped as by scikit-learn's log_loss: the log of 0 would outweigh all others.
    unit = np.finfo(np.float64).eps
    p = g.values if loss == "brier" else np.clip(g.values, unit, 1 - unit)
    of_positive, of_negative = (_losses(truth, p, loss) for truth in (True, False))
    return (g.positive * of_positive + g.negative * of_negative).sum() / g.total.sum()


def _refit(g: Graded, loss: Literal["brier", "log"]) -> Any:
    """Return the mean loss of the isotonic fit."""
    return _OF_GROUPS[loss](*g.blocks).sum() / g.total.sum()


def _half_gini(positive: Floats, negative: Floats) -> Floats:
    """Return the summed squared error of predicting each group's share of positives."""
    return positive * negative / (positive + negative)


def _entropy(positive: Floats, negative: Floats) -> Floats:
    """Return the summed log loss of predicting each group's share of positives."""
    total = positive + negative
    terms = special.xlogy(positive, positive / total) + special.xlogy(negative, negative / total)
    return np.asarray(-terms)


_OF_GROUPS = {"brier": _half_gini, "log": _entropy}
