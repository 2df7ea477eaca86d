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
    check_choice,
    check_flag,
    check_whole,
)
from ...metrics._registry.names import metric_or_function
from ...metrics._registry.resampling import (
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

Method = Literal["auto", "delong", "mcnemar", "influence", "bootstrap", "permutation"]

_METHODS = ("delong", "mcnemar", "influence", "bootstrap")
_NONE = (math.nan, math.nan)
_NO_SPREAD = "the difference is 0 in every resample, so it has no interval"


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
    r"""Compare two classifiers on the same examples by any metric.

    Parameters
    ----------
    metric : str or callable
        Name or function, or any ``metric(y_true, y_pred)`` that returns a number.
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        True labels.
    y_pred_a, y_pred_b : array-like of shape (n_samples,) or (n_samples, n_classes)
        Labels, scores or probabilities by the two, as the metric requires.
    method : {"auto", "delong", "mcnemar", "influence", "bootstrap", "permutation"}, default="auto"
        "auto" is the best that applies; "permutation" exchanges the predictions of single rows.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Alternative hypothesis for the difference a - b.
    margin : float, default=0
        Non-inferiority: "greater" tests a - b > -margin, "less" a - b < margin.
    groups, sample_weight : array-like of shape (n_samples,), default=None
        Clusters of dependent rows, such as patients; sampling weights.
    n_resamples, stratify : int and bool, default=2000 and False
        Resamples or exchanges; whether the design fixes the class sizes.
    confidence_level, random_state : float and int, default=0.95 and None
        Nominal coverage of the interval, in (0, 1); the seed of the draws.
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

    Notes
    -----
    With the differences :math:`d_b` of B resamples, the two-sided p-value of the bootstrap [1]_ is

    .. math:: p = \frac{2}{B + 1} \min(1 + \#\{d_b \le 0\}, 1 + \#\{d_b \ge 0\})

    and the lower end of the interval at confidence :math:`1 - \alpha` is the resample of rank k,
    the greatest integer below :math:`\alpha (B + 1) / 2`. Resamples on which the metric is undefined are
    left out, with a warning.

    Exchanges are enumerated where they are few; otherwise p = (1 + number at least as extreme) / (1 + B)
    [2]_. Scores are exchanged as ranks where the metric depends on their order only [3]_. This test of
    exchangeability has no interval.

    References
    ----------
    .. [1] Davison, A. C. and Hinkley, D. V. (1997). Bootstrap methods and their application. Cambridge
       University Press, sections 4.4 and 5.3.
    .. [2] Phipson, B. and Smyth, G. K. (2010). Permutation p-values should never be zero.
       Statistical Applications in Genetics and Molecular Biology 9(1), 39.
    .. [3] Bandos, A. I., Rockette, H. E. and Gur, D. (2005). A permutation test sensitive to
       differences in areas for comparing ROC curves from a paired design. Statistics in Medicine 24,
       2873-2893.

    Examples
    --------
    >>> from skaucx import paired_test
    >>> a, b = [0.9, 0.8, 0.7, 0.4, 0.3, 0.2], [0.6, 0.4, 0.6, 0.5, 0.3, 0.6]
    >>> round(paired_test("brier_score", [1, 1, 1, 0, 0, 0], a, b).p_value, 4)
    0.0341
    """
    check_choice("method", method, ("auto", *_METHODS, "permutation"))
    Confidence(confidence_level, alternative=alternative)
    by_class = check_flag("stratify", stratify)
    function, parameters = metric_or_function(metric, parameters)
    sides: dict[str, Any] = {"alternative": alternative, "confidence_level": confidence_level}
    null = null_difference(margin, alternative)
    size = check_whole("n_resamples", n_resamples, 2)
    check_rows({"y_true": y_true, "y_pred_a": y_pred_a, "y_pred_b": y_pred_b})
    predictions = y_pred_a, y_pred_b
    call = PairedCall.of(function, parameters, y_true, predictions, sample_weight, groups)
    y_true, (y_pred_a, y_pred_b) = call.y_true, call.predictions
    if method == "permutation":
        refused = {"groups": groups is not None, "margin": bool(margin), "stratify": by_class}
        for name in (name for name, given in refused.items() if given):
            raise ValueError(
                f"method='permutation' exchanges predictions of single rows and takes no {name}; "
                "leave it out, or use method='bootstrap'."
            )
        return _by_exchange(call, size, alternative, random_state)
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
    return _by_resamples(call, size, by_class, null, random_state, **sides)


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


def _by_resamples(
    call: PairedCall,
    size: int,
    stratify: bool,
    null: float,
    random_state: Any,
    alternative: Alternative,
    confidence_level: float,
) -> ComparisonResult:
    """Test by resampling the rows of both classifiers together."""
    estimates, replicates = call.estimates(), call.replicates()
    values = replicates.drawn(generator(random_state), size, stratify)
    differences = _defined_differences(values)
    drawn = resampled(f"resamples{' within classes' if stratify else ''}", size, random_state)
    difference = estimates[0] - estimates[1]
    error = float(np.std(differences, ddof=1)) if len(differences) > 1 else np.nan
    statistic = studentised(
        difference - null,
        error,
        "The paired bootstrap test",
        "the replicates of the difference have no variance",
    )
    if error > 0:
        p_value = _p_value(differences, null, alternative)
        ends, note = _percentiles(differences, difference, confidence_level)
    else:
        p_value, ends = tail(statistic, alternative), _NONE
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


def _by_exchange(
    call: PairedCall, size: int, alternative: Alternative, random_state: Any
) -> ComparisonResult:
    """Test by exchanging the predictions of each row with probability 1/2."""
    estimates = call.estimates()
    replicates = call.ranked(estimates).replicates()
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
