"""Tests of two classifiers by any metric: the paired bootstrap and the paired permutation test."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils.multiclass import type_of_target

from .._arrays import (
    Array,
    Codes,
    Floats,
    check_same_length,
    label_array,
    score_array,
    weight_vector,
)
from .._declare import MetricFunction, get_metric
from .._inputs import LabelPair, check_label_pair
from ._replicates import ExampleReplicates, LabelReplicates, Replicates
from ._result import (
    Alternative,
    ComparisonResult,
    check_alternative,
    check_share,
    studentised,
    tail,
)


def paired_bootstrap_test(
    metric: Any,
    y_true: Any,
    y_pred_a: Any,
    y_pred_b: Any,
    *,
    n_resamples: int = 2000,
    stratified: bool = True,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
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
    stratified : bool, default=True
        Whether every replicate has as many examples of each class as the data.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What the difference a - b is under the alternative.
    level : float, default=0.95
        Nominal coverage of the interval, in (0, 1).
    random_state : int, Generator or None, default=None
        Seed of the draws, as :func:`numpy.random.default_rng` takes it.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, for metrics of this package: an example that is drawn twice weighs twice as much.
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
    (0.2125, True)
    """
    check_alternative(alternative)
    check_share("level", level)
    function, replicates, estimates = _compared(
        metric, y_true, y_pred_a, y_pred_b, sample_weight, parameters
    )
    size = check_size("n_resamples", n_resamples)
    values = replicates.drawn(np.random.default_rng(random_state), size, bool(stratified))
    differences = _defined(values[0] - values[1])
    difference = estimates[0] - estimates[1]
    error = float(np.std(differences, ddof=1)) if len(differences) > 1 else np.nan
    statistic = studentised(
        difference, error, "The paired bootstrap test", "no replicate of the difference varies"
    )
    ends = (1 - level) / 2, (1 + level) / 2
    low, high = np.quantile(differences, ends) if len(differences) else (np.nan, np.nan)
    return ComparisonResult(
        method=f"Paired bootstrap test of {_name(function)}, {size} replicates",
        statistic=statistic,
        p_value=float(tail(statistic, stats.norm, alternative)),
        estimates=estimates,
        difference=difference,
        standard_error=error,
        interval=(float(low), float(high)),
        level=level,
        alternative=alternative,
    )


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
    random_state : int, Generator or None, default=None
        Seed of the draws, as :func:`numpy.random.default_rng` takes it.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, for metrics of this package.
    **parameters
        Parameters of the metric.

    Returns
    -------
    ComparisonResult
        The statistic is the difference; there is no interval.

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
    Paired permutation test of f1, exact: statistic=0.6032, p_value=0.125, estimates=(0.8889, 0.2857), difference=0.6032
    """
    check_alternative(alternative)
    function, replicates, estimates = _compared(
        metric, y_true, y_pred_a, y_pred_b, sample_weight, parameters
    )
    size = check_size("n_resamples", n_resamples)
    difference = estimates[0] - estimates[1]
    every = replicates.every_exchange()
    if every is not None:
        values, probability = every
        p_value = probability[_extreme(values, difference, alternative)].sum()
    else:
        values = replicates.exchanged(np.random.default_rng(random_state), size)
        p_value = (1 + _extreme(values, difference, alternative).sum()) / (1 + size)
    how = "exact" if every is not None else f"{size} random exchanges"
    return ComparisonResult(
        method=f"Paired permutation test of {_name(function)}, {how}",
        statistic=difference,
        p_value=float(min(p_value, 1)) if np.isfinite(difference) else np.nan,
        estimates=estimates,
        difference=difference,
        alternative=alternative,
    )


def check_size(name: str, value: Any) -> int:
    """Return a number of replicates."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 2:
        raise ValueError(f"{name} must be an integer of 2 or more, found {value!r}.")
    return int(value)


def _extreme(values: Floats, difference: float, alternative: Alternative) -> Array:
    """Return which replicates are at least as extreme; equal up to rounding is as extreme."""
    found = values[0] - values[1]
    least = difference - 1e-12 * max(np.abs(values[np.isfinite(values)]).max(initial=1), 1)
    if alternative == "two-sided":
        least = abs(difference) - (difference - least)
        return ~(np.abs(found) < least)
    if alternative == "less":
        return ~(-found < least - 2 * difference)
    return ~(found < least)


def _defined(differences: Floats) -> Floats:
    """Leave undefined replicates out and tell how many they are."""
    defined = differences[np.isfinite(differences)]
    if len(defined) < len(differences):
        warnings.warn(
            f"The metric is undefined on {len(differences) - len(defined)} of {len(differences)} "
            "replicates, which are left out.",
            UndefinedMetricWarning,
            stacklevel=3,
        )
    return defined


def _name(function: Any) -> str:
    return getattr(getattr(function, "metric", None), "name", None) or getattr(
        function, "__name__", "the metric"
    )


def _compared(
    metric: Any, y_true: Any, y_pred_a: Any, y_pred_b: Any, sample_weight: Any, parameters: Any
) -> tuple[Any, Replicates, tuple[float, float]]:
    """Return the metric, the replicates of both classifiers, and its values on all examples."""
    function = get_metric(metric) if isinstance(metric, str) else metric
    if not callable(function):
        raise TypeError(f"metric must be the name of a metric or a function, found {metric!r}.")
    ours = hasattr(function, "metric")
    if sample_weight is not None and not ours:
        raise ValueError("sample_weight needs a metric of this package, found a plain function.")
    shared = {"sample_weight": sample_weight} if ours else {}
    first, second = (
        float(function(y_true, y_pred, **shared, **parameters)) for y_pred in (y_pred_a, y_pred_b)
    )
    if not ours:
        return function, _rows(function, y_true, y_pred_a, y_pred_b, parameters), (first, second)
    # Replicates are what the function returns for them, but without a warning each.
    filler = parameters.get("zero_division", "warn")
    filler = function.metric.undefined if filler == "warn" else filler
    options = parameters | {"zero_division": filler}
    if function.metric.reads_labels and sample_weight is None:
        pairs = _label_pairs(y_true, y_pred_a, y_pred_b, options.pop("labels", None))
        if pairs is not None:
            return function, LabelReplicates(function, *pairs, options), (first, second)
        options = parameters | {"zero_division": filler}
    replicates = _weighted(function, y_true, y_pred_a, y_pred_b, sample_weight, options)
    return function, replicates, (first, second)


def _label_pairs(
    y_true: Any, y_pred_a: Any, y_pred_b: Any, labels: Any
) -> tuple[LabelPair, LabelPair] | None:
    """Number the labels of both classifiers by the same classes; None for multilabel indicators."""
    pairs = [check_label_pair(y_true, y_pred, labels=labels) for y_pred in (y_pred_a, y_pred_b)]
    if not all(isinstance(pair, LabelPair) for pair in pairs):
        return None
    classes = np.unique(np.concatenate([pair.classes for pair in pairs]))
    both = []
    for pair in pairs:
        at = np.searchsorted(classes, pair.classes)
        named = None if pair.named is None else at[pair.named]
        both.append(LabelPair(classes, at[pair.true], at[pair.pred], None, named))
    return both[0], both[1]


def _weighted(
    function: MetricFunction,
    y_true: Any,
    y_pred_a: Any,
    y_pred_b: Any,
    sample_weight: Any,
    options: dict[str, Any],
) -> ExampleReplicates:
    """Judge replicates by a metric of this package, with how often an example counts as weight."""
    true = label_array(y_true, "y_true")
    read = label_array if function.metric.reads_labels else score_array
    first, second = read(y_pred_a, "y_pred_a"), read(y_pred_b, "y_pred_b")
    weight = weight_vector(sample_weight)

    def value(truth: Array, pred: Array, times: Codes) -> float:
        counted = times if weight is None else times * weight
        return float(function(truth, pred, sample_weight=counted, **options))

    return ExampleReplicates(value, true, first, second, _strata(true))


def _rows(
    function: Callable[..., Any], y_true: Any, y_pred_a: Any, y_pred_b: Any, parameters: Any
) -> ExampleReplicates:
    """Judge replicates by a plain function, with rows that stand for how often an example counts."""
    true, first, second = (np.asarray(given) for given in (y_true, y_pred_a, y_pred_b))
    check_same_length({"y_true": true, "y_pred_a": first, "y_pred_b": second})

    def value(truth: Array, pred: Array, times: Codes) -> float:
        rows = np.repeat(np.arange(len(times)), times)
        return float(function(truth[rows], pred[rows], **parameters))

    return ExampleReplicates(value, true, first, second, _strata(true))


def _strata(true: Array) -> Codes:
    """Return the class of each example; one class for targets without classes."""
    if type_of_target(true) not in ("binary", "multiclass"):
        return np.zeros(len(true), dtype=np.intp)
    return np.unique(true, return_inverse=True)[1].astype(np.intp)
