"""A test of one set of predictions: whether they are better than chance."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..._arguments import MetricLike
from ..._arrays import Array, Codes, RandomState, by_name, check_rows, host_array, take_rows
from ..._options import (
    ALTERNATIVES,
    Alternative,
    check_choice,
    check_whole,
)
from ...metrics._registry.names import metric_or_function
from ...metrics._registry.plain_functions import PlainMetric
from ...metrics._registry.resampling import generator
from ...metrics._registry.row import Metric
from ...metrics._registry.samples import sample_of
from .paired_call import metric_name
from .result import ComparisonResult, as_extreme, resampled


def permutation_test(
    metric: MetricLike,
    y_true: ArrayLike,
    y_pred_or_score: ArrayLike,
    *,
    n_resamples: int = 9999,
    alternative: Alternative = "greater",
    random_state: RandomState = None,
    **parameters: Any,
) -> ComparisonResult:
    r"""Test whether a classifier is better than chance, by shuffling the labels.

    Parameters
    ----------
    metric : str or callable
        Name, alias or function of a metric of this package, or any function with signature
        ``metric(y_true, y_pred)`` that returns a number. Its keyword arrays, in `parameters` or bound
        by ``functools.partial``, need one entry per row and follow the rows; arrays in a closure or
        an attribute cannot be seen and stay as they are.
    y_true : array-like of shape (n_samples,)
        True labels.
    y_pred_or_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Predictions to evaluate: labels, scores or probabilities.
    n_resamples : int, default=9999
        Number of shuffles.
    alternative : {"greater", "less", "two-sided"}, default="greater"
        Whether the metric is above its mean under shuffled labels, below it, or either; use "less"
        for a loss.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the shuffles.
    **parameters
        Parameters of the metric.

    Returns
    -------
    ComparisonResult
        The statistic is the metric; the estimates are the metric and its mean over the shuffles;
        the standard error is the standard deviation over the shuffles.

    Raises
    ------
    ValueError, TypeError
        If an argument is invalid, or from the metric itself.

    Notes
    -----
    The p-value is (1 + number at least as extreme) / (1 + n_resamples) [1]_; a shuffle on which the
    metric is undefined counts as extreme. Arrays of the examples, such as their costs, go with the
    labels. The test is not valid on the training data of the classifier.

    References
    ----------
    .. [1] Phipson, B. and Smyth, G. K. (2010). Permutation p-values should never be zero.
       Statistical Applications in Genetics and Molecular Biology 9(1), 39.

    Examples
    --------
    >>> from skaucx.inference import permutation_test
    >>> y_true = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> y_score = [0.1, 0.2, 0.3, 0.4, 0.6, 0.35, 0.5, 0.7, 0.8, 0.9]
    >>> found = permutation_test("roc_auc", y_true, y_score, n_resamples=999, random_state=0)
    >>> found.statistic, found.p_value < 0.05
    (0.88, True)
    """
    check_choice("alternative", alternative, ALTERNATIVES)
    size, rng = check_whole("n_resamples", n_resamples, 2), generator(random_state)
    function, parameters = metric_or_function(metric, parameters)
    called = f"{metric_name(function, parameters)}, {resampled('shuffles', size, random_state)}"
    ours = hasattr(function, "metric")
    if not ours:
        function, parameters = PlainMetric.of(function, parameters, y_true), {}
        y_true = host_array(y_true)
    check_rows({"y_true": y_true, "y_pred_or_score": y_pred_or_score})
    labels = parameters.get("labels")
    y_pred_or_score = by_name(y_pred_or_score, y_true, "y_pred_or_score", labels)
    value = float(function(y_true, y_pred_or_score, **parameters))
    true, shuffled = np.asarray(y_true), np.empty(size)
    for i in range(size):
        rows = rng.permutation(len(true))
        if ours:
            shuffled[i] = _of_shuffled(function.metric, true, y_pred_or_score, parameters, rows)
        else:
            shuffled[i] = function.subset(rows)(true[rows], y_pred_or_score)
    mean, spread = float(np.nanmean(shuffled)), float(np.nanstd(shuffled, ddof=1))
    rounding = 1e-12 * max(abs(value), 1)
    extreme = as_extreme(shuffled - mean, value - mean, rounding, alternative)
    return ComparisonResult(
        method=f"Permutation test of {called}",
        statistic=value,
        p_value=math.nan if math.isnan(value) else float((1 + extreme.sum()) / (1 + size)),
        estimates=(value, mean),
        difference=value - mean,
        standard_error=spread,
        alternative=alternative,
    )


def _of_shuffled(
    metric: Metric, true: Array, given: Any, parameters: dict[str, Any], rows: Codes
) -> Any:
    """Return a metric where the labels, and what goes with them, are in this order; nan if undefined."""
    inputs, options = metric.kind.inputs, {"zero_division": np.nan, **parameters}
    names = ("labels", "sample_weight", *inputs.extra_arrays)
    shared = {name: options.pop(name, None) for name in names}
    for name in inputs.per_row_arguments:
        shared[name] = None if shared[name] is None else take_rows(shared[name], rows)
    return metric.value(sample_of(metric, true[rows], given, **shared).state, **options)
