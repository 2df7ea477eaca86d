"""The paired permutation test of two classifiers by any metric."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._arrays import Array, Floats
from ..._options import check_whole
from .._resampling.draws import generator
from ..estimation._requests import Alternative, check_alternative
from ._compared import compared, metric_name
from ._result import ComparisonResult, resampled


def paired_permutation_test(
    metric: Any,
    y_true: Any,
    y_pred_a: Any,
    y_pred_b: Any,
    *,
    n_resamples: int = 9999,
    alternative: Alternative = "two-sided",
    random_state: Any = None,
    sample_weight: Any = None,
    **parameters: Any,
) -> ComparisonResult:
    r"""Compare two classifiers on the same examples by any metric, by exchanging predictions.

    Under the null hypothesis it does not matter which classifier a prediction comes from. So the
    two predictions of each example are exchanged or not, each with probability 1/2, and the observed
    difference is compared with those that arise. True labels stay, so every class keeps its size.

    Parameters
    ----------
    metric : str or callable
        Name, alias or function of a metric of this package, or any function that is called as
        ``metric(y_true, y_pred)`` and returns a number.
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        True labels.
    y_pred_a, y_pred_b : array-like of shape (n_samples,) or (n_samples, n_classes)
        What the metric reads of the two classifiers: labels, scores or probabilities.
    n_resamples : int, default=9999
        Number of random exchanges, where they are not enumerated.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What the difference a - b is under the alternative.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, for metrics of this package.
    **parameters
        Parameters of the metric.

    Returns
    -------
    ComparisonResult
        The statistic is the difference; there is no interval. The null distribution is that of the
        exchanges, of which no interval of the difference is the inverse.

    Raises
    ------
    ValueError, TypeError
        If an argument has a value that is not among those described, or as the metric raises.

    Notes
    -----
    The exact distribution is enumerated where it is small: of labels, up to a million tables of
    how many examples change sides; of scores, where at most 14 examples differ. Otherwise the
    p-value is (1 + number at least as extreme) / (1 + n_resamples) [1]_. Exchanges after which the
    metric is undefined count as extreme.

    Scores are exchanged as ranks where the metric does not depend on anything else, so that two
    classifiers of different scale can be compared [2]_. Other metrics exchange the scores
    themselves, which must be on one scale. The null hypothesis is more than an equal metric: that
    the two are exchangeable.

    References
    ----------
    .. [1] Phipson, B. and Smyth, G. K. (2010). Permutation p-values should never be zero.
       Statistical Applications in Genetics and Molecular Biology 9(1), 39.
    .. [2] Bandos, A. I., Rockette, H. E. and Gur, D. (2005). A permutation test sensitive to
       differences in areas for comparing ROC curves from a paired design. Statistics in Medicine 24,
       2873-2893.

    Examples
    --------
    >>> from skaucx.metrics import paired_permutation_test
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
    function, replicates, estimates = compared(
        metric, y_true, y_pred_a, y_pred_b, sample_weight, parameters, as_ranks=True
    )
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
        method=f"Paired permutation test of {metric_name(function)}, {how}",
        statistic=difference,
        p_value=float(min(p_value, 1)) if np.isfinite(difference) else np.nan,
        estimates=estimates,
        difference=difference,
        alternative=alternative,
    )


def _extreme(values: Floats, difference: float, alternative: Alternative) -> Array:
    """Return which replicates are at least as extreme; equal up to rounding is as extreme."""
    with np.errstate(invalid="ignore"):  # inf - inf
        found = values[0] - values[1]
    least = difference - 1e-12 * max(np.abs(values[np.isfinite(values)]).max(initial=1), 1)
    if alternative == "two-sided":
        least = abs(difference) - (difference - least)
        return ~(np.abs(found) < least)
    if alternative == "less":
        return ~(-found < least - 2 * difference)
    return ~(found < least)
