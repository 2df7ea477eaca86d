"""Two models compared by a metric's mean over groups, such as queries or users."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..._options import Alternative, check_alternative, check_confidence_level
from ..._text.tables import count
from ..estimation._group_mean import Weighting, group_mean, weighted_mean
from ._comparison_result import (
    ComparisonResult,
)


def group_mean_test(
    metric: Any,
    y_true: Any,
    y_pred_a: Any,
    y_pred_b: Any,
    *,
    groups: Any,
    average: Weighting = "macro",
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    **options: Any,
) -> ComparisonResult:
    """Test two models by the difference of a metric's means over the same groups.

    Parameters
    ----------
    metric : str or callable
        As for :func:`skaucx.metrics.estimation.group_mean`.
    y_true : array-like of shape (n_samples,)
    y_pred_a, y_pred_b : array-like of shape (n_samples,)
        What the metric reads of each model: scores, or predicted labels.
    groups : array-like of shape (n_samples,)
        The group of each row: a query, a user.
    average : {"macro", "weighted"}, default="macro"
        Whether every group counts equally, or by its number of rows.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Whether the first mean differs, is greater, or is less.
    confidence_level : float, default=0.95
        Of the interval of the difference, in (0, 1).
    **options
        ``sample_weight`` and parameters of the metric, such as ``k`` and ``pos_label``.

    Returns
    -------
    ComparisonResult

    Raises
    ------
    ValueError, TypeError
        If an input is invalid.

    Notes
    -----
    A paired t test of the differences of the groups in which both models have a value, with one degree
    of freedom less than there are such groups; the groups are the random sample.

    References
    ----------
    .. [1] M. D. Smucker, J. Allan and B. Carterette, A comparison of statistical significance tests for
       information retrieval evaluation, CIKM 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.metrics.comparisons import group_mean_test
    >>> rng = np.random.default_rng(0)
    >>> query, y = np.repeat(np.arange(50), 8), rng.integers(2, size=400)
    >>> better, worse = y + rng.normal(size=400), rng.normal(size=400)
    >>> group_mean_test("ndcg", y, better, worse, groups=query, k=5).p_value < 0.001
    True
    """
    check_alternative(alternative)
    level = check_confidence_level(confidence_level)
    first, second = (
        group_mean(metric, y_true, pred, groups=groups, average=average, **options)
        for pred in (y_pred_a, y_pred_b)
    )
    both = first.defined & second.defined
    kept = replace(first, values=first.values + 0 * second.values)
    difference, error = weighted_mean((first.values - second.values)[both], kept.weights)
    n, lost = int(both.sum()), int((~both).sum())
    return ComparisonResult.of_difference(
        f"paired t test over {n} groups, {first.metric}",
        tuple(weighted_mean(each.values[both], kept.weights)[0] for each in (first, second)),
        difference,
        error,
        df=n - 1,
        why="fewer than two groups differ",
        note=f"undefined in {count(lost, 'group')}" if lost else "",
        alternative=alternative,
        confidence_level=level,
        target="the mean over groups of the population",
    )
