r"""Tests of any metric of two classifiers on the same rows: influences, bootstrap, permutation.

The variance of the difference of two values is that of the differences of the influences of every row
on them: of a mean over pairs DeLong's, of a mean over rows that of a paired t test.

With the differences :math:`d_b` of B resamples the two-sided p-value of the bootstrap (Davison and
Hinkley 1997, sections 4.4 and 5.3) is

.. math:: p = \frac{2}{B + 1} \min(1 + \#\{d_b \le 0\}, 1 + \#\{d_b \ge 0\})

and the lower end of the interval at confidence :math:`1 - \alpha` is the resample of rank k, the
greatest integer below :math:`\alpha (B + 1) / 2`. Of B exchanges p = (1 + number at least as extreme) /
(1 + B) (Phipson and Smyth 2010); scores are exchanged as ranks where the metric depends on their order
only (Bandos, Rockette and Gur 2005). This test of exchangeability has no interval.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import UndefinedMetricWarning

from ..._arguments import MetricLike
from ..._arrays import Floats, RandomState, check_rows
from ..._compat import warn
from ..._options import Alternative, Confidence, check_choice, check_whole
from ...metrics._registry.names import metric_or_function
from ...metrics._registry.resampling import generator
from .._intervals.influence import Spread
from .delong import ROUNDING, delong_test
from .paired_call import PairedCall
from .result import (
    ComparisonResult,
    as_extreme,
    null_difference,
    of_two_sides,
    resampled,
    studentised,
    tail,
)

Method = Literal["auto", "bootstrap", "permutation"]

_NONE = (math.nan, math.nan)
_NO_SPREAD = "the difference is 0 in every resample, so it has no interval"
_NO_CHANGE = "no row changes the difference"
# A standard error relative to the difference that can be rounding error.
_ROUNDING_OF_ERRORS = 1e-12


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
    method : {"auto", "bootstrap", "permutation"}, default="auto"
        "auto": Student's t of the differences of the influences of rows, where there are some, else
        the bootstrap; "permutation" exchanges the predictions of single rows.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Alternative hypothesis for the difference a - b.
    margin : float, default=0
        Non-inferiority: "greater" tests a - b > -margin, "less" a - b < margin.
    groups, sample_weight : array-like of shape (n_samples,), default=None
        Clusters of dependent rows, such as patients; sampling weights.
    n_resamples : int, default=2000
        Resamples or exchanges.
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

    Examples
    --------
    >>> from skaucx import paired_test
    >>> a, b = [0.9, 0.8, 0.7, 0.4, 0.3, 0.2], [0.6, 0.4, 0.6, 0.5, 0.3, 0.6]
    >>> round(paired_test("brier_score", [1, 1, 1, 0, 0, 0], a, b).p_value, 4)
    0.0341
    """
    check_choice("method", method, ("auto", "bootstrap", "permutation"))
    Confidence(confidence_level, alternative=alternative)
    function, parameters = metric_or_function(metric, parameters)
    sides: dict[str, Any] = {"alternative": alternative, "confidence_level": confidence_level}
    null = null_difference(margin, alternative)
    size = check_whole("n_resamples", n_resamples, 2)
    check_rows({"y_true": y_true, "y_pred_a": y_pred_a, "y_pred_b": y_pred_b})
    predictions = y_pred_a, y_pred_b
    call = PairedCall(function, parameters, y_true, predictions, sample_weight, groups)
    if method == "permutation":
        refused = {"groups": groups is not None, "margin": bool(margin)}
        for name in (name for name, given in refused.items() if given):
            raise ValueError(
                f"method='permutation' exchanges predictions of single rows and takes no {name}; "
                "leave it out, or use method='bootstrap'."
            )
        return _by_exchange(call, size, alternative, random_state)
    if method == "auto" and call.has_placements:
        first, second = call.predictions
        rows: dict[str, Any] = {"groups": groups, "margin": margin, **sides, **parameters}
        return delong_test(call.y_true, first, second, metric=function, **rows)
    if method == "auto" and call.ours:
        found = _by_influence(call, null=null, **sides)
        if found is not None:
            return found
    return _by_resamples(call, size, null, random_state, **sides)


def _by_influence(call: PairedCall, **tested: Any) -> ComparisonResult | None:
    """Compare by Student's t of the differences of influences; None without influences."""
    estimates, psi = call.estimates(), call.influences()
    if psi is None:
        return None
    metric, sample = call.metric, call.samples[0]
    spread = Spread.of(psi, sample, call.groups)
    difference, df = estimates[0] - estimates[1], spread.freedom
    if call.groups is None and sample.weight is None:
        df = max(len(psi) - 1.0, 1.0)
    error = math.sqrt(spread.variance)
    error = 0.0 if error <= _ROUNDING_OF_ERRORS * abs(difference) else error
    why = _NO_CHANGE if error == 0 else "the difference or its variance is undefined"
    name = "Paired t test" if metric.losses is not None else "Paired test by influences"
    return ComparisonResult.of_difference(
        f"{name} of {call.name}", estimates, difference, error, df=df, test="The paired test",
        most=np.ptp(metric.under(call.parameters).bounds), why=why,
        note="" if error > 0 else f"{why}: no interval", **tested,
    )  # fmt: skip


def _by_resamples(
    call: PairedCall,
    size: int,
    null: float,
    random_state: Any,
    alternative: Alternative,
    confidence_level: float,
) -> ComparisonResult:
    """Test by resampling the rows of both classifiers together."""
    estimates = call.estimates()
    differences = _defined_differences(call.drawn(generator(random_state), size))
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
        method=f"Paired bootstrap test of {call.name}, {resampled('resamples', size, random_state)}",
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
    values = call.ranked(estimates).exchanged(generator(random_state), size)
    difference = estimates[0] - estimates[1]
    with np.errstate(invalid="ignore"):  # inf - inf
        found = values[0] - values[1]
    rounding = 1e-12 * max(np.abs(values[np.isfinite(values)]).max(initial=1), 1)
    p_value = (1 + as_extreme(found, difference, rounding, alternative).sum()) / (1 + size)
    return ComparisonResult(
        method=f"Paired permutation test of {call.name}, "
        f"{resampled('random exchanges', size, random_state)}",
        statistic=difference,
        p_value=float(p_value) if np.isfinite(difference) else np.nan,
        estimates=estimates,
        difference=difference,
        alternative=alternative,
    )
