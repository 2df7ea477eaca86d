"""Tests of one classifier against chance, and of a rate against a known value."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from scipy import stats

from ..._arrays import Floats, take_rows
from ..._options import (
    Alternative,
    RealRange,
    check_alternative,
    check_choice,
    check_confidence_level,
    check_whole,
)
from .._records.counts import given_table
from .._registry.declare import get_metric
from .._resampling.draws import generator, resampled_pieces
from .._resampling.sample import MetricOnSample, sample_of
from ..estimation._influence import share_of
from ..estimation._interval import Sides, sample_of_counts_given
from ..estimation._normal import wilson
from ..kinds.base import Sample
from ..kinds.labels import LabelState
from ._compared import metric_name
from ._comparison_result import EXACT, ComparisonResult, resampled, tail


def permutation_test(
    metric: Any,
    y_true: Any,
    y_pred_or_score: Any,
    *,
    n_resamples: int = 9999,
    alternative: Alternative = "greater",
    random_state: Any = None,
    **parameters: Any,
) -> ComparisonResult:
    r"""Test whether a classifier is better than chance, by shuffling the labels.

    Parameters
    ----------
    metric : str or callable
        Name, alias or function of a metric of this package, or any function with signature
        ``metric(y_true, y_pred)`` that returns a number.
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
    >>> from skaucx.metrics.comparisons import permutation_test
    >>> y_true = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> y_score = [0.1, 0.2, 0.3, 0.4, 0.6, 0.35, 0.5, 0.7, 0.8, 0.9]
    >>> found = permutation_test("roc_auc", y_true, y_score, n_resamples=999, random_state=0)
    >>> found.statistic, found.p_value < 0.05
    (0.88, True)
    """
    check_alternative(alternative)
    size, rng = check_whole("n_resamples", n_resamples, 2), generator(random_state)
    function = get_metric(metric) if isinstance(metric, str) else metric
    value = float(function(y_true, y_pred_or_score, **parameters))
    shuffled = _shuffled(function, y_true, y_pred_or_score, parameters, size, rng)
    drawn = resampled("shuffles", size, random_state)
    mean, spread = float(np.nanmean(shuffled)), float(np.nanstd(shuffled, ddof=1))
    return ComparisonResult(
        method=f"Permutation test of {metric_name(function, parameters)}, {drawn}",
        statistic=value,
        p_value=_share_as_extreme(shuffled, value, mean, alternative),
        estimates=(value, mean),
        difference=value - mean,
        standard_error=spread,
        alternative=alternative,
    )


def _share_as_extreme(
    shuffled: Floats, value: float, mean: float, alternative: Alternative
) -> float:
    if math.isnan(value):
        return math.nan
    centred, far = shuffled - mean, value - mean
    rounding = 1e-12 * max(abs(value), 1)
    if alternative == "two-sided":
        inside = np.abs(centred) < abs(far) - rounding
    else:
        side = 1 if alternative == "greater" else -1
        inside = side * centred < side * far - rounding
    return float((1 + np.sum(~inside)) / (1 + len(shuffled)))


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
        labels = options.pop("labels", None)
        beside = {n: options[n] for n in function.metric.kind.inputs.further if n in options}
        sample = sample_of(function.metric, y_true, y_pred, labels=labels, **beside)
        if sample.counted:
            return _of_tables(function, sample, options, size, rng)
        if sample.one_column:
            return _of_scores(function, sample, labels, options, size, rng)
    shuffles = (shuffle for rows in resampled_pieces(size, len(y_true)) for shuffle in rows)
    return np.array([_shuffled_once(function, y_true, y_pred, parameters, rng) for _ in shuffles])


def _shuffled_once(
    function: Any, y_true: Any, y_pred: Any, parameters: dict[str, Any], rng: np.random.Generator
) -> float:
    """Return the value after shuffling the labels with their weights."""
    rows, given = rng.permutation(len(y_true)), parameters
    if hasattr(function, "metric"):
        own = function.metric.kind.inputs.of_rows
        moved = {name: take_rows(given[name], rows) for name in own if name in given}
        given = {"zero_division": np.nan, **given, **moved}
    return float(function(np.asarray(y_true)[rows], y_pred, **given))


def _of_tables(
    function: Any, sample: Any, options: Any, size: int, rng: np.random.Generator
) -> Floats:
    """Draw confusion tables with the margins of the sample."""
    table = sample.state.table
    margins = (table.sum(axis=axis).astype(np.intp) for axis in (1, 0))
    law, found = stats.random_table(*margins), []
    for rows in resampled_pieces(size, table.size):
        tables = law.rvs(len(rows), random_state=rng).astype(np.float64)
        state = LabelState(tables, sample.pair.classes, sample.pair.named)
        found.append(np.asarray(function.metric.value(state, **options)))
    return np.concatenate(found)


def _of_scores(
    function: Any,
    sample: Any,
    labels: Any,
    options: Any,
    size: int,
    rng: np.random.Generator,
) -> Floats:
    """Give two copies of every score, one per class, weights 0 and 1, so that scores are sorted once."""
    scored = sample.scored
    truth = scored.true == scored.true.max()
    twice = np.repeat(scored.classes[[scored.true.max(), scored.true.min()]], len(truth))
    both: Sample = sample_of(
        function.metric, twice, np.tile(scored.score, 2), labels=scored.classes
    )
    found = []
    for rows in resampled_pieces(size, 2 * len(truth)):
        drawn = rng.permuted(np.tile(truth, (len(rows), 1)), axis=1)
        state = both.under(np.hstack([drawn, ~drawn]).astype(np.float64))
        found.append(np.asarray(function.metric.value(state, **options)))
    return np.concatenate(found)


def proportion_test(
    metric: Any,
    y_true: Any = None,
    y_pred: Any = None,
    *,
    counts: Any = None,
    layout: str | None = None,
    null: float | str = "majority",
    method: Literal["exact", "score"] = "exact",
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    **parameters: Any,
) -> ComparisonResult:
    r"""Test a rate, such as accuracy or recall, against a known value or the majority share.

    Parameters
    ----------
    metric : str or callable
        Name, alias or function of a metric that is a proportion: accuracy,
        recall, specificity, precision ...
    y_true, y_pred : array-like of shape (n_samples,), default=None
        True and predicted labels.
    counts : Counts or array-like of shape (n_classes, n_classes), default=None
        The counts of a published table instead of both arrays.
    layout : str, default=None
        Layout of the table, as for :func:`evaluate`; None means "tn fp fn tp", or "true rows".
    null : float or "majority", default="majority"
        The rate under the null hypothesis, in (0, 1); "majority" is the share of the most frequent
        true class, the accuracy of always predicting it.
    method : {"exact", "score"}, default="exact"
        The exact binomial test, or the one-proportion z test of textbooks, which is the score test: its
        statistic is :math:`z = (x/n - p_0) / \sqrt{p_0 (1 - p_0) / n}`, and the interval agrees with it.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Alternative hypothesis for the rate, relative to `null`.
    confidence_level : float, default=0.95
        Nominal coverage of the interval, in (0, 1).
    **parameters
        Parameters of the metric, such as ``pos_label``.

    Returns
    -------
    ComparisonResult
        The statistic is the number of successes, or z; the estimates are the rate and `null`, the
        interval is Wilson's of the rate minus `null`.

    Raises
    ------
    ValueError
        If the metric is not a proportion, its denominator is 0, or an argument is invalid.

    Examples
    --------
    >>> from skaucx.metrics.comparisons import proportion_test
    >>> y_true = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0]
    >>> found = proportion_test("accuracy", y_true, [1, 1, 1, 0, 0, 0, 0, 0, 0, 1])
    >>> found.estimates, round(found.p_value, 4)
    ((0.8, 0.6), 0.3335)
    >>> round(proportion_test("recall", counts=[[90, 10], [4, 46]], null=0.8).p_value, 4)
    0.0329
    >>> found = proportion_test("recall", counts=[[90, 10], [4, 46]], null=0.8, method="score")
    >>> round(found.statistic, 4), round(found.p_value, 4)
    (2.1213, 0.0339)
    """
    if str(method) == "z":
        raise ValueError("The z test of one share is method='score', found 'z'.")
    exact = check_choice("method", method, ("exact", "score")) == "exact"
    sides = Sides(check_alternative(alternative), check_confidence_level(confidence_level))
    function = get_metric(metric) if isinstance(metric, str) else metric
    given = {name: o.default for name, o in function.options.items()} | parameters
    labels = given.pop("labels", None)
    assumed = ""
    if counts is None:
        sample = sample_of(function.metric, y_true, y_pred, labels=labels)
    elif y_true is None and y_pred is None:
        sample, assumed = (
            sample_of_counts_given(function.metric, counts, layout),
            given_table(counts, layout).note,
        )
    else:
        raise ValueError("counts represent all rows; omit y_true and y_pred.")
    given = {name: given[name] for name in given if name not in ("sample_weight", "zero_division")}
    share = share_of(MetricOnSample(sample, function.metric, given)) if sample.counted else None
    if share is None or not share[1] > 0:
        raise ValueError(
            f"{function.metric.name} with these arguments is not a proportion; permutation_test "
            f"and paired_bootstrap_test accept any metric."
        )
    successes, trials = (round(x) for x in share)
    known = _null_rate(null, sample)
    rate = share[0] / share[1]
    if exact:
        statistic = float(successes)
        p_value = float(stats.binomtest(successes, trials, known, alternative).pvalue)
    else:
        statistic = (rate - known) / math.sqrt(known * (1 - known) / share[1])
        p_value = float(tail(statistic, alternative))
    low, high = wilson(np.asarray(share[0]), np.asarray(share[1]), sides.two_sided)
    low, high = sides.ends(low, high, (0, 1))
    name = "Exact binomial" if exact else "One-proportion z"
    return ComparisonResult(
        method=f"{name} test of {function.metric.name} against {known:.4g}",
        statistic=statistic,
        p_value=p_value,
        estimates=(rate, known),
        difference=rate - known,
        standard_error=math.sqrt(rate * (1 - rate) / share[1]),
        interval=(float(low) - known, float(high) - known),
        confidence_level=float(confidence_level),
        alternative=alternative,
        note="; ".join(filter(None, [EXACT.format("Wilson's") if exact else "", assumed])),
    )


def _null_rate(null: Any, sample: Any) -> float:
    if isinstance(null, str):
        if null != "majority":
            raise ValueError(f"null must be a number in (0, 1) or 'majority', found {null!r}.")
        sizes = sample.state.table.sum(axis=1)
        return float(sizes.max() / sizes.sum())
    return RealRange(0, 1, open_low=True, open_high=True).check("null", null)
