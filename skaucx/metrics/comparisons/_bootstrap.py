"""The paired bootstrap test of two classifiers by any metric."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from ..._arrays import Floats
from ..._compat import warn
from ..._deprecation import renamed_argument
from ..._options import check_confidence_level, check_flag, check_whole
from .._resampling.draws import generator
from ..estimation._sides import Alternative, check_alternative
from ._compared import compared, metric_name
from ._result import (
    ComparisonResult,
    null_difference,
    studentised,
    tail,
)


@renamed_argument("level", "confidence_level")
def paired_bootstrap_test(
    metric: Any,
    y_true: Any,
    y_pred_a: Any,
    y_pred_b: Any,
    *,
    n_resamples: int = 2000,
    stratify: bool | None = None,
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
    stratify : bool, default=None
        Whether every replicate has as many examples of each class as the data; None means so unless
        groups are given.
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
        The statistic is the difference in units of the standard deviation of its replicates, and
        the p-value that of the normal distribution, as in [1]_; the interval lies between
        percentiles of the replicates.

    Raises
    ------
    ValueError, TypeError
        If an argument has a value that is not among those described, or as the metric raises.

    Notes
    -----
    Replicates on which the metric is undefined for either classifier are left out, with a warning
    that tells their share. Two classifiers whose difference is 0 in every replicate have statistic
    0 and p-value 1; with another constant difference the test is undefined: nan with a warning.
    Neither has an interval. Of the AUC its real size at a nominal 5 % is up to 12 % with 5 positives
    among 100 (``python -m benchmarks.sizes``).

    References
    ----------
    .. [1] Robin, X. et al. (2011). pROC: an open-source package for R and S+ to analyze and compare
       ROC curves. BMC Bioinformatics 12, 77.

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
    by_class = groups is None if stratify is None else check_flag("stratify", stratify)
    values = replicates.drawn(generator(random_state), size, by_class)
    differences = _defined_differences(values)
    difference = estimates[0] - estimates[1]
    error = float(np.std(differences, ddof=1)) if len(differences) > 1 else np.nan
    shift = null_difference(margin, alternative)
    statistic = studentised(
        difference - shift,
        error,
        "The paired bootstrap test",
        "no replicate of the difference varies",
    )
    ends = (1 - confidence_level) / 2, (1 + confidence_level) / 2
    low, high = np.quantile(differences, ends) if error > 0 else (np.nan, np.nan)
    return ComparisonResult(
        method=f"Paired bootstrap test of {metric_name(function)}, {size} replicates",
        statistic=statistic,
        p_value=float(tail(statistic, alternative)),
        estimates=estimates,
        difference=difference,
        standard_error=error,
        interval=(float(low), float(high)),
        confidence_level=confidence_level,
        alternative=alternative,
        df=np.inf,
    )


def _defined_differences(values: Floats) -> Floats:
    """Return first minus second, without undefined replicates, and tell how many those are."""
    with np.errstate(invalid="ignore"):  # inf - inf
        differences = values[0] - values[1]
    defined = differences[np.isfinite(differences)]
    if len(defined) < len(differences):
        warn(
            f"The metric is undefined on {len(differences) - len(defined)} of {len(differences)} "
            "replicates, which are left out.",
            UndefinedMetricWarning,
        )
    return defined
