"""A test of one set of predictions: whether they are better than chance."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from ..._arguments import MetricLike
from ..._arrays import Floats, RandomState, by_name, check_rows, host_array, take_rows
from ..._options import (
    Alternative,
    check_alternative,
    check_whole,
)
from ...metrics._kinds.labels import LabelState
from ...metrics._registry.names import metric_or_function
from ...metrics._registry.plain_functions import PlainMetric
from ...metrics._registry.resampling import generator, pieces
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
    metric is undefined counts as extreme. Tables of predicted labels are drawn with their margins
    fixed, and two classes of scores are sorted once. The test is not valid on the training data of
    the classifier.

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
    check_alternative(alternative)
    size, rng = check_whole("n_resamples", n_resamples, 2), generator(random_state)
    function, parameters = metric_or_function(metric, parameters)
    called = f"{metric_name(function, parameters)}, {resampled('shuffles', size, random_state)}"
    if not hasattr(function, "metric"):
        function, parameters = PlainMetric.of(function, parameters, y_true), {}
        y_true = host_array(y_true)
    check_rows({"y_true": y_true, "y_pred_or_score": y_pred_or_score})
    labels = parameters.get("labels")
    y_pred_or_score = by_name(y_pred_or_score, y_true, "y_pred_or_score", labels)
    value = float(function(y_true, y_pred_or_score, **parameters))
    shuffled = _shuffled(function, y_true, y_pred_or_score, parameters, size, rng)
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


def _shuffled(
    function: Any,
    y_true: Any,
    y_pred: Any,
    parameters: dict[str, Any],
    size: int,
    rng: np.random.Generator,
) -> Floats:
    """Return the metric on shuffled labels, undefined values as nan."""
    options = {"zero_division": np.nan, **parameters}
    if hasattr(function, "metric"):
        metric, labels = function.metric, options.pop("labels", None)
        further = {n: options[n] for n in metric.kind.inputs.extra_arrays if n in options}
        sample: Any = sample_of(metric, y_true, y_pred, labels=labels, **further)
        if sample.counted or sample.one_column:
            draws = _draws_of_tables if sample.counted else _draws_of_scores
            width, draw = draws(metric, sample, rng)
            drawn = (draw(len(rows)) for rows in pieces(range(size), width))
            return np.concatenate([np.asarray(metric.value(each, **options)) for each in drawn])
    shuffles = (shuffle for rows in pieces(range(size), len(y_true)) for shuffle in rows)
    return np.array([_shuffled_once(function, y_true, y_pred, parameters, rng) for _ in shuffles])


def _shuffled_once(
    function: Any, y_true: Any, y_pred: Any, parameters: dict[str, Any], rng: np.random.Generator
) -> float:
    """Return the value after shuffling the labels with their weights."""
    rows, given = rng.permutation(len(y_true)), parameters
    if hasattr(function, "metric"):
        own = function.metric.kind.inputs.per_row_arguments
        moved = {name: take_rows(given[name], rows) for name in own if name in given}
        given = {"zero_division": np.nan, **given, **moved}
    else:
        function = function.subset(rows)
    return float(function(np.asarray(y_true)[rows], y_pred, **given))


# The numbers of one draw, and a function that draws many.
_Draws = tuple[int, Callable[[int], Any]]


def _draws_of_tables(metric: Metric, sample: Any, rng: np.random.Generator) -> _Draws:
    """Draw confusion tables with the margins of the sample."""
    table = sample.state.table
    law = stats.random_table(*(table.sum(axis=axis).astype(np.intp) for axis in (1, 0)))

    def draw(many: int) -> LabelState:
        tables = law.rvs(many, random_state=rng).astype(np.float64)
        return LabelState(tables, sample.record.classes, sample.record.named)

    return table.size, draw


def _draws_of_scores(metric: Metric, sample: Any, rng: np.random.Generator) -> _Draws:
    """Give two copies of every score, one per class, weights 0 and 1, so that scores are sorted once."""
    scored = sample.record
    truth = scored.true == scored.true.max()
    twice = np.repeat(scored.classes[[scored.true.max(), scored.true.min()]], len(truth))
    both = sample_of(metric, twice, np.tile(scored.score, 2), labels=scored.classes)

    def draw(many: int) -> Any:
        drawn = rng.permuted(np.tile(truth, (many, 1)), axis=1)
        return both.reweighted(np.hstack([drawn, ~drawn]).astype(np.float64))

    return 2 * len(truth), draw
