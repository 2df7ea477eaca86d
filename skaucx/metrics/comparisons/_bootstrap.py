"""The paired bootstrap test of two classifiers by any metric."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from ..._arrays import Floats
from ..._compat import warn
from ..._deprecation import renamed_argument
from ..._options import check_confidence_level, check_flag, check_whole
from .._resampling.draws import generator
from ..estimation._requests import Alternative, check_alternative
from ._compared import compared, metric_name
from ._result import (
    ComparisonResult,
    null_difference,
    resampled,
    studentised,
    tail,
)

# A difference of two values, as a share of them, that rounding alone can give.
_ROUNDING = 1e-14
_NONE = (math.nan, math.nan)
_NO_SPREAD = "the difference is 0 in every resample, so it has no interval"


@renamed_argument("level", "confidence_level")
def paired_bootstrap_test(
    metric: Any,
    y_true: Any,
    y_pred_a: Any,
    y_pred_b: Any,
    *,
    n_resamples: int = 2000,
    stratify: bool = False,
    groups: Any = None,
    alternative: Alternative = "two-sided",
    margin: float = 0.0,
    confidence_level: float = 0.95,
    random_state: Any = None,
    sample_weight: Any = None,
    **parameters: Any,
) -> ComparisonResult:
    r"""Compare two classifiers on the same examples by any metric, by the bootstrap.

    Parameters
    ----------
    metric : str or callable
        Name, alias or function of a metric of this package, or any function that is called as
        ``metric(y_true, y_pred)`` and returns a number.
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        True labels.
    y_pred_a, y_pred_b : array-like of shape (n_samples,) or (n_samples, n_classes)
        What the metric reads of the two classifiers: labels, scores or probabilities.
    n_resamples : int, default=2000
        Number of replicates.
    stratify : bool, default=False
        Whether every replicate has as many examples of each class as the data: right for case-control
        designs, whose class counts were chosen. By default the class counts are random with the rows.
    groups : array-like of shape (n_samples,), default=None
        Examples of one group, such as those of one patient, are drawn together; with `stratify` a
        group must be of one class.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What the difference a - b is under the alternative.
    margin : float, default=0
        Test non-inferiority: with "greater" whether a - b is above -margin, with "less" below margin.
    confidence_level : float, default=0.95
        Nominal coverage of the interval, in (0, 1).
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, for metrics of this package: an example that is drawn twice weighs twice as much. They
        are sampling weights: an example of weight 50 is one example, and narrows nothing.
    **parameters
        Parameters of the metric.

    Returns
    -------
    ComparisonResult
        The interval lies between percentiles of the replicates, and the p-value is the one at which this
        interval begins to contain 0, or the margin [1]_. The statistic is the difference in units of
        the standard deviation of its replicates.

    Raises
    ------
    ValueError, TypeError
        If an argument has a value that is not among those described, or as the metric raises.

    See Also
    --------
    paired_test : The same question by the best method that a metric has.

    Notes
    -----
    Of the differences :math:`d_b` of B replicates, the two-sided p-value is

    .. math:: p = \frac{2}{B + 1} \min(1 + \#\{d_b \le 0\}, 1 + \#\{d_b \ge 0\})

    and the lower end of the interval at confidence :math:`1 - \alpha` is the replicate of rank k, the
    greatest whole number below :math:`\alpha (B + 1) / 2`. With so few replicates that k is 0, and where
    the difference itself lies outside its percentiles, there is no interval, and a note.

    Replicates on which the metric is undefined for either classifier are left out, with a warning
    that reports their share. Two classifiers whose difference is 0 in every replicate have statistic
    0 and p-value 1; with another constant difference the test is undefined: nan with a warning.
    Neither has an interval. Real sizes: ``python -m benchmarks.sizes`` and
    ``python -m benchmarks.random_sizes``.

    References
    ----------
    .. [1] Davison, A. C. and Hinkley, D. V. (1997). Bootstrap methods and their application. Cambridge
       University Press, sections 4.4 and 5.3.

    Examples
    --------
    >>> from skaucx.metrics import paired_bootstrap_test
    >>> y_true = [1, 1, 1, 1, 0, 0, 0, 0] * 10
    >>> a = [0.9, 0.8, 0.7, 0.4, 0.5, 0.3, 0.2, 0.1] * 10
    >>> b = [0.9, 0.4, 0.6, 0.5, 0.7, 0.3, 0.2, 0.6] * 10
    >>> result = paired_bootstrap_test("scor_auc", y_true, a, b, random_state=0)
    >>> round(result.difference, 4), result.p_value < 0.001
    (0.225, True)
    """
    check_alternative(alternative)
    check_confidence_level(confidence_level)
    function, replicates, estimates = compared(
        metric, y_true, y_pred_a, y_pred_b, sample_weight, parameters, groups=groups
    )
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
        "no replicate of the difference varies",
    )
    if error > 0:
        p_value = _p_value(differences, shift, alternative)
        ends, note = _percentiles(differences, difference, confidence_level)
    else:
        p_value, ends = tail(statistic, alternative), (np.nan, np.nan)
        note = _NO_SPREAD if statistic == 0 else ""
    return ComparisonResult(
        method=f"Paired bootstrap test of {metric_name(function)}, {drawn}",
        statistic=statistic,
        p_value=float(p_value),
        estimates=estimates,
        difference=difference,
        standard_error=error,
        interval=ends,
        confidence_level=confidence_level,
        alternative=alternative,
        note=note,
    )


def _p_value(differences: Floats, shift: float, alternative: Alternative) -> float:
    below, above = (differences <= shift).sum(), (differences >= shift).sum()
    counts = {"greater": below, "less": above, "two-sided": min(below, above)}
    share = (1 + counts[alternative]) / (1 + len(differences))
    return float(min((1 + (alternative == "two-sided")) * share, 1))


def _percentiles(
    differences: Floats, difference: float, confidence_level: float
) -> tuple[tuple[float, float], str]:
    """Return the interval that excludes a null where the p-value is below 1 - confidence_level."""
    ranked, tails = np.sort(differences), round((1 - confidence_level) / 2, 12)
    rank = math.ceil(round((len(ranked) + 1) * tails, 9)) - 1
    if rank < 1:
        least = math.floor(1 / tails)
        return _NONE, f"{least} resamples at least are needed for the interval"
    low, high = float(ranked[rank - 1]), float(ranked[-rank])
    if not low <= difference <= high:
        return _NONE, "the difference lies outside the percentiles of its resamples: no interval"
    return (low, high), ""


def _defined_differences(values: Floats) -> Floats:
    """Return first minus second, without undefined replicates, and report how many those are."""
    with np.errstate(invalid="ignore"):  # inf - inf
        differences = values[0] - values[1]
    differences = np.where(np.abs(differences) <= _ROUNDING * np.abs(values[0]), 0, differences)
    defined = differences[np.isfinite(differences)]
    if len(defined) < len(differences):
        warn(
            f"The metric is undefined on {len(differences) - len(defined)} of {len(differences)} "
            "replicates, which are left out.",
            UndefinedMetricWarning,
        )
    return defined
