"""Tests of any metric of two classifiers on the same rows: bootstrap, permutation, influence."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import UndefinedMetricWarning

from ..._arguments import MetricLike
from ..._arrays import (
    Array,
    Floats,
    RandomState,
    check_rows,
)
from ..._compat import warn
from ..._options import (
    Alternative,
    Confidence,
    check_alternative,
    check_choice,
    check_flag,
    check_whole,
)
from ...metrics._registry.names import metric_or_function
from ...metrics._registry.resampling import (
    dependent_rows,
    generator,
)
from .delong import ROUNDING, delong_test
from .mcnemar import mcnemar_test
from .paired_call import PairedCall, metric_name
from .result import (
    ComparisonResult,
    as_extreme,
    null_difference,
    of_two_sides,
    resampled,
    studentised,
    tail,
)

_NONE = (math.nan, math.nan)

_NO_SPREAD = "the difference is 0 in every resample, so it has no interval"


def paired_bootstrap_test(
    metric: MetricLike,
    y_true: ArrayLike,
    y_pred_a: ArrayLike,
    y_pred_b: ArrayLike,
    *,
    n_resamples: int = 2000,
    stratify: bool = False,
    groups: ArrayLike | None = None,
    alternative: Alternative = "two-sided",
    margin: float = 0.0,
    confidence_level: float = 0.95,
    random_state: RandomState = None,
    sample_weight: ArrayLike | None = None,
    **parameters: Any,
) -> ComparisonResult:
    r"""Compare two classifiers on the same examples by any metric, by the bootstrap.

    Parameters
    ----------
    metric : str or callable
        Name, alias or function of a metric of this package, or any function with signature
        ``metric(y_true, y_pred)`` that returns a number. Its keyword arrays, in `parameters` or bound
        by ``functools.partial``, need one entry per row and follow the rows; arrays in a closure or
        an attribute cannot be seen and stay as they are.
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        True labels.
    y_pred_a, y_pred_b : array-like of shape (n_samples,) or (n_samples, n_classes)
        Predictions of the two classifiers, as the metric requires: labels, scores or probabilities.
    n_resamples : int, default=2000
        Number of replicates.
    stratify : bool, default=False
        Whether to resample within classes, which fixes the class counts (case-control designs). By
        default the class counts are random.
    groups : array-like of shape (n_samples,), default=None
        Clusters, such as the examples of one patient, which are drawn together; with `stratify` a
        group must be of one class.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Alternative hypothesis for the difference a - b.
    margin : float, default=0
        Non-inferiority margin: "greater" tests whether a - b is above -margin, "less" whether it is
        below margin.
    confidence_level : float, default=0.95
        Nominal coverage of the interval, in (0, 1).
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws.
    sample_weight : array-like of shape (n_samples,), default=None
        Sampling weights, for metrics of this package: an example drawn twice has twice its weight;
        a weight of 50 does not narrow the interval.
    **parameters
        Parameters of the metric.

    Returns
    -------
    ComparisonResult
        The interval is the percentile interval of the replicates, and the p-value is the level at
        which it begins to contain 0, or the margin [1]_. The statistic is the difference divided by
        the standard deviation of its replicates.

    Raises
    ------
    ValueError, TypeError
        If an argument is invalid, or from the metric itself.

    See Also
    --------
    paired_test : The same comparison by the best method for the metric.

    Notes
    -----
    With the differences :math:`d_b` of B replicates, the two-sided p-value is

    .. math:: p = \frac{2}{B + 1} \min(1 + \#\{d_b \le 0\}, 1 + \#\{d_b \ge 0\})

    and the lower end of the interval at confidence :math:`1 - \alpha` is the replicate of rank k,
    the greatest integer below :math:`\alpha (B + 1) / 2`. If k is 0, or if the difference is
    outside its percentiles, there is no interval, but a note.

    Replicates on which the metric is undefined for either classifier are ignored, with a warning
    that reports their share. Two classifiers whose difference is 0 in every replicate have
    statistic 0 and p-value 1; with another constant difference the test is undefined: nan with a
    warning. Neither has an interval. Simulated sizes: ``python -m benchmarks.sizes`` and ``python
    -m benchmarks.random_sizes``.

    References
    ----------
    .. [1] Davison, A. C. and Hinkley, D. V. (1997). Bootstrap methods and their application. Cambridge
       University Press, sections 4.4 and 5.3.

    Examples
    --------
    >>> from skaucx.inference import paired_bootstrap_test
    >>> y_true = [1, 1, 1, 1, 0, 0, 0, 0] * 10
    >>> a = [0.9, 0.8, 0.7, 0.4, 0.5, 0.3, 0.2, 0.1] * 10
    >>> b = [0.9, 0.4, 0.6, 0.5, 0.7, 0.3, 0.2, 0.6] * 10
    >>> result = paired_bootstrap_test("scor_auc", y_true, a, b, random_state=0)
    >>> round(result.difference, 4), result.p_value < 0.001
    (0.225, True)
    """
    Confidence(confidence_level, alternative=alternative)
    groups, _ = dependent_rows(groups, y_true, y_pred_a, y_pred_b)
    own = metric_or_function(metric, parameters)
    call = PairedCall.of(*own, y_true, (y_pred_a, y_pred_b), sample_weight, groups)
    estimates, replicates = call.estimates(), call.replicates()
    size = check_whole("n_resamples", n_resamples, 2)
    values = replicates.drawn(generator(random_state), size, check_flag("stratify", stratify))
    differences = _defined_differences(values)
    drawn = resampled(f"resamples{' within classes' if stratify else ''}", size, random_state)
    difference = estimates[0] - estimates[1]
    error = float(np.std(differences, ddof=1)) if len(differences) > 1 else np.nan
    shift = null_difference(margin, alternative)
    statistic = studentised(
        difference - shift,
        error,
        "The paired bootstrap test",
        "the replicates of the difference have no variance",
    )
    if error > 0:
        p_value = _p_value(differences, shift, alternative)
        ends, note = _percentiles(differences, difference, confidence_level)
    else:
        p_value, ends = tail(statistic, alternative), (np.nan, np.nan)
        note = _NO_SPREAD if statistic == 0 else ""
    return ComparisonResult(
        method=f"Paired bootstrap test of {call.name}, {drawn}",
        statistic=statistic,
        p_value=float(p_value),
        estimates=estimates,
        difference=difference,
        standard_error=error,
        interval=ends,
        confidence_level=confidence_level,
        alternative=alternative,
        note=of_two_sides(alternative, note),
    )


def _p_value(differences: Floats, shift: float, alternative: Alternative) -> float:
    below, above = (differences <= shift).sum(), (differences >= shift).sum()
    counts = {"greater": below, "less": above, "two-sided": min(below, above)}
    # The observed difference counts as one more replicate: no p-value is 0.
    share = (1 + counts[alternative]) / (1 + len(differences))
    return float(min((1 + (alternative == "two-sided")) * share, 1))


def _percentiles(
    differences: Floats, difference: float, confidence_level: float
) -> tuple[tuple[float, float], str]:
    """Return the interval that excludes the null exactly if p < 1 - confidence_level."""
    ranked, tails = np.sort(differences), round((1 - confidence_level) / 2, 12)
    # (B + 1) alpha / 2, rounded first: 25 must not be 25.000000000000004.
    rank = math.ceil(round((len(ranked) + 1) * tails, 9)) - 1
    if rank < 1:
        least = math.floor(1 / tails)
        return _NONE, f"{least} resamples at least are needed for the interval"
    low, high = float(ranked[rank - 1]), float(ranked[-rank])
    if not low <= difference <= high:
        return _NONE, "the difference is outside the percentiles of its resamples: no interval"
    return (low, high), ""


def _defined_differences(values: Floats) -> Floats:
    """Return first minus second without undefined replicates, and warn with their number."""
    with np.errstate(invalid="ignore"):  # inf - inf
        differences = values[0] - values[1]
    differences = np.where(np.abs(differences) <= ROUNDING * np.abs(values[0]), 0, differences)
    defined = differences[np.isfinite(differences)]
    if len(defined) < len(differences):
        warn(
            f"The metric is undefined on {len(differences) - len(defined)} of {len(differences)} "
            "replicates, which are ignored.",
            UndefinedMetricWarning,
        )
    return defined


def paired_permutation_test(
    metric: MetricLike,
    y_true: ArrayLike,
    y_pred_a: ArrayLike,
    y_pred_b: ArrayLike,
    *,
    n_resamples: int = 9999,
    alternative: Alternative = "two-sided",
    random_state: RandomState = None,
    sample_weight: ArrayLike | None = None,
    **parameters: Any,
) -> ComparisonResult:
    r"""Compare two classifiers on the same examples by any metric, by exchanging predictions.

    Under the null hypothesis the predictions of both classifiers are exchangeable. The two
    predictions of each example are exchanged with probability 1/2, and the observed difference is
    compared with the differences after such exchanges. The true labels and class sizes are fixed.

    Parameters
    ----------
    metric : str or callable
        Name, alias or function of a metric of this package, or any function with signature
        ``metric(y_true, y_pred)`` that returns a number. Its keyword arrays, in `parameters` or bound
        by ``functools.partial``, need one entry per row and follow the rows; arrays in a closure or
        an attribute cannot be seen and stay as they are.
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        True labels.
    y_pred_a, y_pred_b : array-like of shape (n_samples,) or (n_samples, n_classes)
        Predictions of the two classifiers, as the metric requires: labels, scores or probabilities.
    n_resamples : int, default=9999
        Number of random exchanges, if they are not enumerated.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Alternative hypothesis for the difference a - b.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, for metrics of this package.
    **parameters
        Parameters of the metric.

    Returns
    -------
    ComparisonResult
        The statistic is the difference; there is no interval, because the test of exchangeability
        cannot be inverted for a difference.

    Raises
    ------
    ValueError, TypeError
        If an argument is invalid, or from the metric itself.

    Notes
    -----
    Small exact distributions are enumerated: for labels, up to a million tables of exchanged
    examples; for scores, if at most 14 examples differ. Otherwise the p-value is (1 + number at
    least as extreme) / (1 + n_resamples) [1]_. Exchanges after which the metric is undefined count
    as extreme.

    Scores are exchanged as ranks if the metric depends on their order only, so that classifiers
    with different scales can be compared [2]_. For other metrics the scores themselves are
    exchanged and must have the same scale. The null hypothesis is exchangeability, which is
    stronger than an equal metric.

    References
    ----------
    .. [1] Phipson, B. and Smyth, G. K. (2010). Permutation p-values should never be zero.
       Statistical Applications in Genetics and Molecular Biology 9(1), 39.
    .. [2] Bandos, A. I., Rockette, H. E. and Gur, D. (2005). A permutation test sensitive to
       differences in areas for comparing ROC curves from a paired design. Statistics in Medicine 24,
       2873-2893.

    Examples
    --------
    >>> from skaucx.inference import paired_permutation_test
    >>> y_true = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> a, b = [1, 1, 1, 1, 0, 0, 0, 1], [1, 0, 0, 0, 0, 1, 1, 0]
    >>> paired_permutation_test("f1", y_true, a, b)
    Paired permutation test of f1, exact
      statistic 0.6032, p-value 0.1250
      estimates 0.8889, 0.2857
      difference 0.6032
      target: these predictions
    """
    check_alternative(alternative)
    own = metric_or_function(metric, parameters)
    call = PairedCall.of(*own, y_true, (y_pred_a, y_pred_b), sample_weight)
    estimates = call.estimates()
    replicates = call.ranked(estimates).replicates()
    size = check_whole("n_resamples", n_resamples, 2)
    difference = estimates[0] - estimates[1]
    every = replicates.every_exchange()
    if every is not None:
        values, probability = every
        p_value = probability[_extreme(values, difference, alternative)].sum()
    else:
        values = replicates.exchanged(generator(random_state), size)
        p_value = (1 + _extreme(values, difference, alternative).sum()) / (1 + size)
    how = "exact" if every is not None else resampled("random exchanges", size, random_state)
    return ComparisonResult(
        method=f"Paired permutation test of {call.name}, {how}",
        statistic=difference,
        p_value=float(min(p_value, 1)) if np.isfinite(difference) else np.nan,
        estimates=estimates,
        difference=difference,
        alternative=alternative,
    )


def _extreme(values: Floats, difference: float, alternative: Alternative) -> Array:
    """Return which replicates are at least as extreme."""
    with np.errstate(invalid="ignore"):  # inf - inf
        found = values[0] - values[1]
    rounding = 1e-12 * max(np.abs(values[np.isfinite(values)]).max(initial=1), 1)
    return as_extreme(found, difference, rounding, alternative)


Method = Literal["auto", "delong", "mcnemar", "influence", "bootstrap"]

_METHODS = ("delong", "mcnemar", "influence", "bootstrap")


def paired_test(
    metric: MetricLike,
    y_true: ArrayLike,
    y_pred_a: ArrayLike,
    y_pred_b: ArrayLike,
    *,
    method: Method = "auto",
    alternative: Alternative = "two-sided",
    margin: float = 0.0,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    n_resamples: int = 2000,
    stratify: bool = False,
    confidence_level: float = 0.95,
    random_state: RandomState = None,
    **parameters: Any,
) -> ComparisonResult:
    """Compare two classifiers on the same examples by any metric.

    Parameters
    ----------
    metric : str or callable
        Name or function, or any ``metric(y_true, y_pred)`` that returns a number.
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        True labels.
    y_pred_a, y_pred_b : array-like of shape (n_samples,) or (n_samples, n_classes)
        Labels, scores or probabilities by the two, as the metric requires.
    method : {"auto", "delong", "mcnemar", "influence", "bootstrap"}, default="auto"
        "auto" is the best that applies; the guide lists those of each metric.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Alternative hypothesis for the difference a - b.
    margin : float, default=0
        Non-inferiority: "greater" tests a - b > -margin, "less" a - b < margin.
    groups, sample_weight : array-like of shape (n_samples,), default=None
        Clusters of dependent rows, such as patients; sampling weights.
    n_resamples, stratify : int and bool, default=2000 and False
        Resamples; whether the design fixes the class sizes.
    confidence_level, random_state : float and int, default=0.95 and None
        Nominal coverage of the interval, in (0, 1); the seed of the bootstrap.
    **parameters
        Parameters of the metric; arrays of a callable follow the rows.

    Returns
    -------
    ComparisonResult
        Estimates, difference with interval, and p-value, all from one statistic.

    Raises
    ------
    ValueError, TypeError
        If an argument is invalid, or the method does not apply to the metric.

    Examples
    --------
    >>> from skaucx import paired_test
    >>> a, b = [0.9, 0.8, 0.7, 0.4, 0.3, 0.2], [0.6, 0.4, 0.6, 0.5, 0.3, 0.6]
    >>> round(paired_test("brier_score", [1, 1, 1, 0, 0, 0], a, b).p_value, 4)
    0.0341
    """
    check_choice("method", method, ("auto", *_METHODS))
    Confidence(confidence_level, alternative=alternative)
    by_class = check_flag("stratify", stratify)
    function, parameters = metric_or_function(metric, parameters)
    groups, _ = dependent_rows(groups, y_true, y_pred_a, y_pred_b)
    sides: dict[str, Any] = {"alternative": alternative, "confidence_level": confidence_level}
    null = null_difference(margin, alternative)
    check_rows({"y_true": y_true, "y_pred_a": y_pred_a, "y_pred_b": y_pred_b})
    predictions = y_pred_a, y_pred_b
    call = PairedCall.of(function, parameters, y_true, predictions, sample_weight, groups)
    y_true, (y_pred_a, y_pred_b) = call.y_true, call.predictions
    # Resampling the counts of independent labels is cheap.
    counted = call.independent and call.function.metric.kind.counted
    skipped = "influence" if counted else ""
    order = [name for name in _METHODS if name != skipped] if method == "auto" else [method]
    applies = {
        "delong": call.has_placements,
        "mcnemar": not (margin or by_class) and call.by_right_rows is not None,
        "influence": call.ours and not by_class and (method != "auto" or call.has_rows),
        "bootstrap": True,
    }
    how = next((name for name in order if applies[name]), None)
    if how == "influence":
        found = call.by_influence(null=null, **sides)
        if found is not None:
            return found
        how = "bootstrap" if method == "auto" else None
    if how is None:
        raise ValueError(
            f"method={method!r} does not apply to {metric_name(function, {})} with these arguments; "
            f"use 'auto' or 'bootstrap'."
        )
    rows = {"groups": groups, "sample_weight": sample_weight, "margin": margin, **sides}
    if how == "delong":
        return delong_test(y_true, y_pred_a, y_pred_b, metric=function, **rows, **parameters)
    if how == "mcnemar":
        ends = cast(tuple[float, float], call.by_right_rows)
        return _by_right_rows(ends, y_true, (y_pred_a, y_pred_b), **sides)
    return paired_bootstrap_test(
        function, y_true, y_pred_a, y_pred_b, n_resamples=n_resamples, stratify=by_class,
        random_state=random_state, **rows, **parameters,
    )  # fmt: skip


def _by_right_rows(
    ends: tuple[float, float], y_true: Any, y_preds: tuple[Any, Any], **sides: Any
) -> ComparisonResult:
    """Test a metric that is linear in the accuracy, with its values at accuracies of 0 and 1."""
    none, every = ends
    slope = abs(every - none)
    # Of a metric that falls the second has as much more wrong as the first has right.
    order = 1 if every > none else -1
    found = mcnemar_test(y_true, *y_preds[::order], method="asymptotic", **sides)
    return replace(
        found,
        estimates=tuple(none + (every - none) * each for each in found.estimates[::order]),
        difference=slope * found.difference,
        standard_error=slope * found.standard_error,
        interval=(slope * found.interval[0], slope * found.interval[1]),
    )
