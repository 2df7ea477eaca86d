"""Tests of two models: of their labels, tables and scores, and paired tests by any metric."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils.multiclass import type_of_target

from ..._arrays import (
    Array,
    Bools,
    Codes,
    Floats,
    check_rows,
    check_same_length,
    float_array,
    group_codes,
    label_array,
    weight_vector,
)
from ..._compat import import_pandas, warn
from ..._options import Alternative, check_alternative, check_choice, check_flag, check_whole
from ..._text.html import table
from ..._text.numbers import fixed, p_value
from ..._text.tables import count, paragraph
from ...metrics._pairs.placements import cluster_parts, pair_mean, variance
from ...metrics._records.counts import given_table, weighted_bincount
from ...metrics._records.inputs import (
    LabelPair,
    check_binary_scores,
    check_label_pair,
    refuse_missing_class,
    rescaled,
)
from ...metrics._registry.declare import MetricFunction, options_of_state
from ...metrics._registry.names import NamedMetric, metric_or_function, named_metric
from ...metrics._registry.plain_functions import FunctionSample, FunctionState, PlainMetric
from ...metrics._registry.row import Metric
from ...metrics._registry.samples import (
    MetricOnSample,
    Resampling,
    generator,
    groups_of_blocks,
    has_placements,
    pieces,
    placement_values,
    resampled_pieces,
    sample_of,
)
from ...metrics.kinds.base import STRICT, Sample
from ...metrics.kinds.labels import LabelSample
from .._intervals.closed_forms import (
    Spread,
    curve,
    exact,
    forms,
    note_of_groups,
    of_labels,
    share_of,
    smoothed,
    table_function,
)
from .._intervals.gold import GoldDesign
from .._intervals.group_mean import Weighting, group_mean, weighted_mean
from .._intervals.interval import (
    Sides,
    groups_of_rows,
    noted,
    sample_of_counts_given,
)
from .result import (
    EXACT,
    ComparisonResult,
    accepted_range,
    as_extreme,
    half_width,
    inverted,
    null_difference,
    of_two_sides,
    resampled,
    studentised,
    tail,
)


def mcnemar_test(
    y_true: Any,
    y_pred_a: Any,
    y_pred_b: Any,
    *,
    method: Literal["auto", "exact", "mid-p", "corrected", "asymptotic"] = "auto",
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    groups: Any = None,
) -> ComparisonResult:
    r"""Compare the accuracy of two classifiers on the same examples by McNemar's test.

    The test uses the discordant examples, which one classifier alone predicts correctly: b by the
    first, c by the second.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True class labels, two or more classes; or multilabel indicators, correct if all of a row
        are.
    y_pred_a, y_pred_b : array-like of shape (n_samples,)
        Labels predicted by the two classifiers.
    method : {"auto", "exact", "mid-p", "corrected", "asymptotic"}, default="auto"
        "auto": "exact", and with `groups` "asymptotic", which alone takes them. "exact": binomial
        test of b against b + c [1]_. "mid-p": the same with half the probability of b, less
        conservative and recommended by [2]_. "corrected": chi-squared of ``(|b - c| - 1)^2 / (b +
        c)`` [3]_, 0 for b = c; "asymptotic" without the correction.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Alternative hypothesis for the difference a - b of the accuracies.
    confidence_level : float, default=0.95
        Nominal coverage of the interval, in (0, 1).
    groups : array-like of shape (n_samples,), default=None
        Clusters of rows that depend on each other, such as the examples of one patient.

    Returns
    -------
    ComparisonResult
        The statistic is b for "exact" and "mid-p", chi-squared otherwise; the estimates are the two
        accuracies. The interval of their difference is Tango's: the differences that the score test
        accepts [4]_, for "corrected" with the correction. At 0 the score test is that of
        "asymptotic" and "corrected", so p-value and interval agree; those of the exact tests can
        disagree close to the level.

    Raises
    ------
    ValueError
        If lengths differ, labels are missing, `method` or `confidence_level` is invalid, or there are
        `groups` with a method that takes none, or fewer than two of them.

    Notes
    -----
    With `groups` it is Obuchowski's test [5]_ of K clusters, of which cluster k has n_k rows and the
    surplus :math:`d_k = b_k - c_k`,

    .. math:: X^2 = \frac{K - 1}{K} \frac{(\sum_k d_k)^2}{\sum_k d_k^2}

    with clusters of one row (n - 1) / n of the asymptotic statistic. Its interval holds the
    differences d that the test accepts with :math:`d_k - n_k d` for :math:`d_k`.

    With b + c = 0 the p-value is 1. To compare other metrics of predicted labels, such as
    sensitivity, pass the positives only, or use
    :func:`paired_permutation_test`.

    Simulated size of the nominal 5 % test (``python -m benchmarks.sizes``): on 30 and 100 balanced
    examples 0.7 to 3.3 % for "exact" and "corrected", 2.2 to 4.8 % for "mid-p", 4.4 to 5.1 % for
    "asymptotic".

    References
    ----------
    .. [1] McNemar, Q. (1947). Note on the sampling error of the difference between correlated
       proportions or percentages. Psychometrika 12, 153-157.
    .. [2] Fagerland, M. W., Lydersen, S. and Laake, P. (2013). The McNemar test for binary
       matched-pairs data: mid-p and asymptotic are better than exact conditional. BMC Medical
       Research Methodology 13, 91.
    .. [3] Edwards, A. L. (1948). Note on the correction for continuity in testing the significance
       of the difference between correlated proportions. Psychometrika 13, 185-187.
    .. [4] Tango, T. (1998). Equivalence test and confidence interval for the difference in proportions
       for the paired-sample design. Statistics in Medicine 17, 891-908.
    .. [5] Obuchowski, N. A. (1998). On the comparison of correlated proportions for clustered data.
       Statistics in Medicine 17, 1495-1507.

    Examples
    --------
    >>> from skaucx.inference import mcnemar_test
    >>> y_true = [1, 1, 1, 0, 0, 0, 1, 0]
    >>> mcnemar_test(y_true, [1, 1, 1, 0, 0, 0, 1, 1], [1, 0, 0, 1, 0, 1, 1, 1], method="mid-p")
    McNemar's test, mid-p
      statistic 4.0000, p-value 0.0625
      estimates 0.8750, 0.3750
      difference 0.5000, 95 % interval 0.0134 to 0.7848
      target: these predictions
      note: the p-value is exact and the interval is Tango's: the two can disagree
        near the level
    """
    check_choice("method", method, ("auto", "exact", "mid-p", "corrected", "asymptotic"))
    if groups is not None and method not in ("auto", "asymptotic"):
        raise ValueError(f"groups are for method='asymptotic' or 'auto', found {method!r}.")
    right = right_answers(y_true, {"y_pred_a": y_pred_a, "y_pred_b": y_pred_b})
    b = int(np.sum(right[:, 0] & ~right[:, 1]))
    c = int(np.sum(right[:, 1] & ~right[:, 0]))
    sides = Sides.checked(alternative, confidence_level)
    first, second = right.mean(axis=0)
    n = len(right)
    if groups is None:
        method = "exact" if method == "auto" else method
        name = f"McNemar's test, {method}"
        statistic, p_value = mcnemar_statistic(b, c, method, alternative)
        error = np.sqrt(b + c - (b - c) ** 2 / n) / n
        ends = _tango(b, c, n, sides.two_sided, corrected=method == "corrected")
        note = EXACT.format("Tango's") if method in ("exact", "mid-p") else ""
    else:
        clusters = _Clusters(right, group_codes(groups, {"y_true": right}))
        name = f"McNemar's test of {clusters.many:,} groups, Obuchowski"
        z, error = clusters.statistic, clusters.error
        statistic, p_value = z**2, tail(z, alternative)
        ends = clusters.accepted(sides.two_sided)
        note = note_of_groups(clusters.many)
    low, high = sides.ends(*ends, (-1, 1))
    return ComparisonResult(
        method=name,
        statistic=float(statistic),
        p_value=float(p_value),
        estimates=(float(first), float(second)),
        difference=(b - c) / n,
        standard_error=float(error),
        interval=(float(low), float(high)),
        confidence_level=float(confidence_level),
        alternative=alternative,
        note=note,
    )


class _Clusters:
    """Obuchowski's test of the surplus of right answers of clusters."""

    def __init__(self, right: Array, codes: Codes) -> None:
        self.rows: Floats = np.bincount(codes).astype(np.float64)
        self.many = len(self.rows)
        if self.many < 2:
            raise ValueError("groups must hold two or more groups to compare, found one.")
        gap = right[:, 0].astype(np.float64) - right[:, 1]
        self.surplus: Floats = np.bincount(codes, gap).astype(np.float64)

    def _z(self, surplus: Floats) -> float:
        square = self.many / (self.many - 1) * (surplus @ surplus)
        return float(surplus.sum() / np.sqrt(square)) if square > 0 else 0.0

    @property
    def statistic(self) -> float:
        """The root of the statistic, with its sign."""
        return self._z(self.surplus)

    @property
    def error(self) -> float:
        """The standard error of the difference of the accuracies."""
        rest = self.surplus - self.rows * (self.surplus.sum() / self.rows.sum())
        return float(np.sqrt(self.many / (self.many - 1) * (rest @ rest)) / self.rows.sum())

    def accepted(self, confidence_level: float) -> tuple[float, float]:
        """Return the differences that the test accepts."""
        reach = half_width(1.0, confidence_level)
        centre = self.surplus.sum() / self.rows.sum()
        return accepted_range(
            lambda d: abs(self._z(self.surplus - self.rows * d)) <= reach, centre, (-1.0, 1.0)
        )


def cochran_q_test(y_true: Any, *y_preds: Any) -> ComparisonResult:
    r"""Test whether several classifiers are equally accurate on the same examples (Cochran's Q).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True class labels.
    *y_preds : array-like of shape (n_samples,)
        Labels predicted by each of two or more classifiers.

    Returns
    -------
    ComparisonResult
        The statistic is Q, chi-squared with K - 1 degrees of freedom for K classifiers;
        the estimates are the accuracies.

    Raises
    ------
    ValueError
        If fewer than two predictions are given, or their lengths differ.

    Notes
    -----
    .. math:: Q = (K - 1) \frac{K \sum_j G_j^2 - (\sum_j G_j)^2}{K \sum_i L_i - \sum_i L_i^2}

    where G_j is the number of correct predictions of classifier j and L_i the number of classifiers
    correct on example i [1]_. For two classifiers it is McNemar's chi-squared without correction.
    If all agree on every example, Q is 0 and the p-value 1.

    References
    ----------
    .. [1] Cochran, W. G. (1950). The comparison of percentages in matched samples. Biometrika 37,
       256-266.

    Examples
    --------
    >>> from skaucx.inference import cochran_q_test
    >>> y_true = [1, 1, 1, 0, 0, 0]
    >>> cochran_q_test(y_true, [1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 1], [0, 0, 0, 0, 1, 1])
    Cochran's Q test
      statistic 7.6000, p-value 0.0224
      estimates 1.0000, 0.6667, 0.1667
      target: these predictions
    """
    if len(y_preds) < 2:
        raise ValueError(f"y_preds must be of two or more classifiers, found {len(y_preds)}.")
    right = right_answers(y_true, {f"y_preds[{j}]": y_pred for j, y_pred in enumerate(y_preds)})
    statistic = cochran_q(right)
    df = len(y_preds) - 1
    return ComparisonResult(
        method="Cochran's Q test",
        statistic=float(statistic),
        p_value=float(stats.chi2.sf(statistic, df)),
        estimates=tuple(right.mean(axis=0).tolist()),
        df=df,
    )


def right_answers(y_true: Any, predictions: dict[str, Any]) -> Any:
    """Return which predictions are correct, shape (n_samples, n_classifiers), bool."""
    columns = []
    for name, y_pred in predictions.items():
        pair = check_label_pair(y_true, y_pred, names=("y_true", name))
        same = pair.true == pair.pred
        columns.append(same.all(axis=1) if pair.multilabel else same)
    return np.column_stack(columns)


def mcnemar_statistic(
    b: Any, c: Any, method: str, alternative: Alternative = "two-sided"
) -> tuple[Any, Any]:
    """Return statistic and p-value for counts b and c of any one shape."""
    b, n = np.asarray(b), np.asarray(b) + np.asarray(c)
    if method in ("corrected", "asymptotic"):
        gap = np.maximum(np.abs(2 * b - n) - (method == "corrected"), 0)
        statistic = gap**2 / np.maximum(n, 1)
        signed = np.sign(2 * b - n) * np.sqrt(statistic)
        return statistic, tail(signed, alternative)
    half = stats.binom.pmf(b, n, 0.5) / 2 if method == "mid-p" else 0.0
    if alternative == "greater":
        return b, stats.binom.sf(b - 1, n, 0.5) - half
    if alternative == "less":
        return b, stats.binom.cdf(b, n, 0.5) - half
    fewer = np.minimum(b, n - b)
    p = 2 * stats.binom.cdf(fewer, n, 0.5)
    return b, np.minimum(p - 2 * half, 1)


def cochran_q(right: Any) -> Floats:
    """Return Q of correct predictions of shape (..., n_samples, n_classifiers)."""
    right = np.asarray(right, dtype=np.float64)
    classifiers = right.shape[-1]
    by_classifier, by_example = right.sum(axis=-2), right.sum(axis=-1)
    total = by_example.sum(axis=-1)
    above = classifiers * (by_classifier**2).sum(axis=-1) - total**2
    below = classifiers * total - (by_example**2).sum(axis=-1)
    return (classifiers - 1) * np.divide(above, below, out=np.zeros_like(total), where=below > 0)


def _tango(
    b: int, c: int, n: int, confidence_level: float, *, corrected: bool
) -> tuple[float, float]:
    r"""Return the differences d that the score test of matched pairs accepts (Tango 1998).

    .. math:: |b - c - n d| \le z \sqrt{n (2 q + d (1 - d))}

    where q, the maximum-likelihood probability that only the second is correct, is the greater root
    of
    :math:`2 n q^2 + ((2 n - b + c) d - b - c) q - c d (1 - d) = 0`.
    """
    reach = half_width(1.0, confidence_level)

    def accepts(d: float) -> bool:
        linear = (2 * n - b + c) * d - b - c
        root = np.sqrt(max(linear**2 + 8 * n * c * d * (1 - d), 0))
        error = np.sqrt(max(n * ((root - linear) / (2 * n) + d * (1 - d)), 0))
        return bool(max(abs(b - c - n * d) - corrected, 0) <= reach * error)

    return accepted_range(accepts, (b - c) / n, (-1.0, 1.0))


TableMethod = Literal["auto", "mid-p", "fisher", "boschloo", "score", "delta"]
_NAMES = {
    "mid-p": "Fisher's exact test, mid-p",
    "fisher": "Fisher's exact test",
    "boschloo": "Boschloo's exact test",
    "score": "Score test (Farrington and Manning)",
    "delta": "Delta method",
}


def two_table_test(
    metric: Any,
    counts_a: Any,
    counts_b: Any,
    *,
    layout: str | None = None,
    method: TableMethod = "auto",
    alternative: Alternative = "two-sided",
    margin: float = 0.0,
    confidence_level: float = 0.95,
    **parameters: Any,
) -> ComparisonResult:
    r"""Compare a metric between two independent confusion tables, such as two published ones.

    Parameters
    ----------
    metric : str or callable
        A metric of predicted labels, by name or alias, function or scorer.
    counts_a, counts_b : Counts or array-like of shape (n_classes, n_classes)
        Counts of two samples of different examples; ``Counts(tp=45, fp=0, fn=5, tn=0)`` if only the
        positives were counted.
    layout : str, default=None
        Layout of the tables, as for :func:`evaluate`; None means "tn fp fn tp", or "true rows".
    method : {"auto", "mid-p", "fisher", "boschloo", "score", "delta"}, default="auto"
        For proportions (recall, specificity, precision, accuracy ...): Fisher's exact test, its
        mid-p form [1]_, Boschloo's test, or the score test [2]_. For any metric: "delta", from the
        delta-method intervals of both tables. "auto" is "mid-p" for proportions, "score" with a
        margin, else "delta".
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Alternative hypothesis for the difference a - b.
    margin : float, default=0
        Non-inferiority margin: "greater" tests whether a - b is above -margin, "less" whether it is
        below margin.
    confidence_level : float, default=0.95
        Nominal coverage of the interval, in (0, 1).
    **parameters
        Parameters of the metric, such as ``average="macro"``.

    Returns
    -------
    ComparisonResult
        Likelihood ratios, odds ratios, relative risk and lift are compared as a ratio with its
        interval, all others as a difference. Except for the exact tests, whose note says so, the p-value
        and the interval come from one statistic: the two-sided p-value is below 1 - confidence_level
        exactly where the interval excludes 0, or a ratio of 1.

    Raises
    ------
    ValueError
        If the metric is not of labels, the method does not apply to it, or an argument is invalid.

    Notes
    -----
    The interval of "delta" is Newcombe's hybrid of the two intervals of :func:`interval` [3]_: with
    estimates and limits :math:`\theta_i, l_i, u_i` its lower limit is

    .. math:: \theta_1 - \theta_2 - \sqrt{(\theta_1 - l_1)^2 + (u_2 - \theta_2)^2}

    Its statistic is the z at which this interval begins to contain 0, or the margin. The exact
    tests have the same interval. The interval of "score" contains the differences that the test
    accepts [2]_. For ratios, interval and test use the difference of logarithms [4]_,

    .. math:: \log \frac{\theta_1}{\theta_2} \pm z \sqrt{s_1^2 / \theta_1^2 + s_2^2 / \theta_2^2}

    with the standard errors s of the delta method; if a ratio is 0 or infinite, two examples are
    added over the cells of both tables.

    The tables must count different examples. For two classifiers on the same examples use
    :func:`mcnemar_test` or :func:`paired_permutation_test`, which need the rows.

    References
    ----------
    .. [1] Lydersen, S., Fagerland, M. W. and Laake, P. (2009). Recommended tests for association in
       2 x 2 tables. Statistics in Medicine 28, 1159-1175.
    .. [2] Farrington, C. P. and Manning, G. (1990). Test statistics and sample size formulae for
       comparative binomial trials with null hypothesis of non-zero risk difference or non-unity relative
       risk. Statistics in Medicine 9, 1447-1454.
    .. [3] Newcombe, R. G. (1998). Interval estimation for the difference between independent
       proportions: comparison of eleven methods. Statistics in Medicine 17, 873-890.
    .. [4] Simel, D. L., Samsa, G. P. and Matchar, D. B. (1991). Likelihood ratios with confidence:
       sample size estimation for diagnostic test studies. Journal of Clinical Epidemiology 44,
       763-770.

    Examples
    --------
    >>> from skaucx.metrics import Counts
    >>> from skaucx.inference import two_table_test
    >>> a, b = Counts(tp=56, fp=0, fn=14, tn=0), Counts(tp=48, fp=0, fn=32, tn=0)
    >>> two_table_test("recall", a, b)
    Fisher's exact test, mid-p of recall, two tables
      statistic 0.2000, p-value 0.0084
      estimates 0.8000, 0.6000
      difference 0.2000, 95 % interval 0.0524 to 0.3339
      target: these two tables
      note: the p-value is exact and the interval is Newcombe's: the two can
        disagree near the level
    >>> a, b = Counts(tp=45, fp=12, fn=5, tn=138), Counts(tp=88, fp=30, fn=12, tn=170)
    >>> two_table_test("positive_likelihood_ratio", a, b)
    Delta method of positive_likelihood_ratio, two tables
      statistic 1.9758, p-value 0.0482
      estimates 11.2500, 5.8667
      ratio 1.9176, 95 % interval 1.0052 to 3.6581
      target: these two tables
    """
    sides = Sides.checked(alternative, confidence_level)
    shift = null_difference(margin, alternative)
    named = named_metric(metric)
    samples = [sample_of_counts_given(named.row, counts, layout) for counts in (counts_a, counts_b)]
    assumed = max(given_table(counts, layout).note for counts in (counts_a, counts_b))
    options = options_of_state(named.function, {**named.parameters, **parameters})
    tables = [_Table(named.row, sample, options) for sample in samples]
    a, b = (table.estimate for table in tables)
    shares = [table.share for table in tables]
    known: Any = None if None in shares else tuple(shares)
    how = _method(method, known, shift, named.row.name)
    found = ComparisonResult(
        method=f"{_NAMES[how]} of {named.row.name}, two tables",
        statistic=math.nan,
        p_value=math.nan,
        estimates=(a, b),
        confidence_level=float(confidence_level),
        alternative=alternative,
        target="these two tables",
    )
    if how == "delta" and named.row.bounds == (0, math.inf) and named.row.uninformed == 1:
        return noted(_ratio(found, named.row.name, tables, shift, sides), assumed)

    def hybrid(level: float) -> tuple[float, float]:
        """Return the limits of the difference from those of both intervals."""
        (low_a, high_a), (low_b, high_b) = (table.ends(level) for table in tables)
        low = a - b - math.hypot(a - low_a, high_b - b)
        return low, a - b + math.hypot(high_a - a, b - low_b)

    ends = hybrid
    if how == "delta":
        statistic = inverted(hybrid, a - b, shift)
        p_value = float(tail(statistic, alternative))
    else:
        statistic, p_value = _of_shares(how, known, shift, alternative)
        if how == "score" and known is not None and all(whole for _, whole in known):
            ends = partial(_not_rejected, known)
    width = named.row.bounds[1] - named.row.bounds[0]
    low, high = sides.ends(*ends(sides.two_sided), (-width, width))
    found = replace(
        found,
        statistic=statistic,
        p_value=p_value,
        difference=a - b,
        standard_error=math.hypot(*(table.error for table in tables)),
        interval=(float(low), float(high)),
        note="" if how in ("delta", "score") else EXACT.format("Newcombe's"),
    )
    return noted(found, assumed)


class _Table:
    """A metric of one confusion table, with its interval."""

    def __init__(self, row: Metric, sample: Any, options: Mapping[str, Any]) -> None:
        on = self.on = MetricOnSample(sample, row, options)
        self.value, self.table, self.share = table_function(on), sample.state.table, share_of(on)
        estimate = on.filled()  # warns where it is undefined
        if np.ndim(estimate):
            raise ValueError("The metric must return one number; name an average such as 'macro'.")
        self.estimate = math.nan if np.isnan(on.unfilled) else float(estimate)
        self.error = float(self.value.standard_error(self.table))

    def ends(self, level: float) -> tuple[float, float]:
        """Return the limits of the "auto" interval."""
        found = next(iter(forms(self.on, level).values()))()
        return float(found.low), float(found.high)

    def logarithm(self, *, full: bool) -> tuple[float, float]:
        """Return the logarithm of the value and its standard error, of the smoothed table if `full`."""
        table = smoothed(self.table) if full else self.table
        with np.errstate(divide="ignore", invalid="ignore"):
            value = self.value(table)
            return float(np.log(value)), float(self.value.standard_error(table) / value)


def _ratio(
    found: ComparisonResult, name: str, tables: list[_Table], shift: float, sides: Sides
) -> ComparisonResult:
    """Compare two ratios by the difference of their logarithms."""
    if shift:
        raise ValueError(f"margin is a difference, and {name} is compared as a ratio; omit it.")
    undefined = any(math.isnan(table.estimate) for table in tables)
    full = not all(0 < table.estimate < math.inf for table in tables)
    (a, s), (b, t) = (table.logarithm(full=full) for table in tables)
    gap, error = (math.nan, math.nan) if undefined else (a - b, math.hypot(s, t))
    why = "a ratio is undefined" if undefined else "neither table has any variance"
    statistic = studentised(gap, error, "The test of two tables", why)
    half = half_width(error, sides.two_sided) if error > 0 else math.nan
    low, high = sides.ends(math.exp(gap - half), math.exp(gap + half), (0, math.inf))
    return replace(
        found,
        statistic=statistic,
        p_value=float(tail(statistic, found.alternative)),
        ratio=math.exp(gap),
        standard_error=error,
        interval=(float(low), float(high)),
        note="two examples are added over the cells of each table"
        if full and not undefined
        else "",
    )


def _method(method: Any, shares: Any, shift: float, name: str) -> str:
    """Return the method to use; raise an error for one that does not apply."""
    own = ("delta",) if shares is None else tuple(_NAMES)
    if str(method) == "z":
        raise ValueError("The z test of two shares is method='score', found 'z'.")
    how = str(check_choice("method", method, ("auto", *_NAMES)))
    if how == "auto":
        return own[0] if shares is None or not shift else "score"
    if how not in own:
        raise ValueError(
            f"{name} is not a proportion, so method={how!r} does not apply; use 'delta'."
        )
    if shift and how not in ("score", "delta"):
        raise ValueError(f"margin needs method='score' or 'delta', found {how!r}.")
    return how


def _of_shares(
    how: str, shares: Any, shift: float, alternative: Alternative
) -> tuple[float, float]:
    """Return statistic and p-value of two shares x of n."""
    (x, m), (y, n) = ((round(part), round(whole)) for part, whole in shares)
    if not (m and n):
        return math.nan, math.nan
    if how == "score":
        why = "both shares are 0 or both are 1"
        z = studentised(*_score(x, m, y, n, shift), "The score test", why)
        return z, float(tail(z, alternative))
    table = np.array([[x, m - x], [y, n - y]])
    if how != "mid-p":
        test = stats.boschloo_exact if how == "boschloo" else stats.fisher_exact
        return x / m - y / n, float(test(table, alternative=alternative).pvalue)
    # Given both margins x is hypergeometric; half of the probability of x itself counts.
    law = stats.hypergeom(m + n, x + y, m)
    half = law.pmf(x) / 2
    tails = {"greater": law.sf(x) + half, "less": law.cdf(x) - half}
    both = min(2 * min(tails.values()), 1.0)
    return x / m - y / n, float(tails.get(alternative, both))


def _not_rejected(shares: Any, level: float) -> tuple[float, float]:
    """Return the least and the greatest difference that the score test accepts."""
    (x, m), (y, n) = ((round(part), round(whole)) for part, whole in shares)
    reach = half_width(1.0, level)

    def accepts(shift: float) -> bool:
        gap, error = _score(x, m, y, n, shift)
        return abs(gap) <= reach * error

    return accepted_range(accepts, x / m - y / n, (-1.0, 1.0))


def _score(x: int, m: int, y: int, n: int, shift: float) -> tuple[float, float]:
    """Return the difference minus `shift`, and its error at the restricted maximum likelihood.

    The likelihood is greatest at a root of a cubic equation (Farrington & Manning 1990, appendix).
    """
    p, q, ratio = x / m, y / n, n / m
    a = 1 + ratio
    b = -(1 + ratio + p + ratio * q + shift * (ratio + 2))
    c = shift**2 + shift * (2 * p + ratio + 1) + p + ratio * q
    d = -p * shift * (1 + shift)
    v = b**3 / (3 * a) ** 3 - b * c / (6 * a**2) + d / (2 * a)
    u = math.copysign(math.sqrt(max(b**2 / (3 * a) ** 2 - c / (3 * a), 0)), v)
    w = (math.pi + math.acos(min(max(v / u**3, -1), 1) if u else 0)) / 3
    first = min(max(2 * u * math.cos(w) - b / (3 * a), max(shift, 0)), min(1, 1 + shift))
    second = first - shift
    error = math.sqrt(max(first * (1 - first) / m + second * (1 - second) / n, 0))
    return p - q - shift, error


# A difference, or its standard error, below this share of the values is rounding error.
_ROUNDING = 1e-14
_ALIKE = "both rankings are identical: the difference is 0 in every sample and has no interval"


def delong_test(
    y_true: Any,
    score_a: Any,
    score_b: Any,
    *,
    y_true_b: Any = None,
    metric: Any = "roc_auc",
    pos_label: Any = None,
    alternative: Alternative = "two-sided",
    margin: float = 0.0,
    groups: Any = None,
    blocks: int | str | None = None,
    confidence_level: float = 0.95,
    sample_weight: Any = None,
    **parameters: Any,
) -> ComparisonResult:
    r"""Compare two AUCs by DeLong's test, on the same examples or on two samples.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    score_a : array-like of shape (n_samples,)
        Scores of the first classifier.
    score_b : array-like of shape (n_samples,) or (n_samples_b,)
        Scores of the second one, for the same examples (paired) or for those of `y_true_b`.
    y_true_b : array-like of shape (n_samples_b,), default=None
        True labels of a second, independent sample: the test is then unpaired.
    metric : str or callable, default="roc_auc"
        The AUC, or a variant that is a mean over pairs of a function of the score difference and
        nothing else: prob, scor, sond, soft, mm11, gini, pairwise. The others read the span or
        the margin of the sample.
    pos_label : label, default=None
        The positive class; by default 1 of labels in {-1, 0, 1} and booleans.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Alternative hypothesis for the difference a - b.
    margin : float, default=0
        Non-inferiority margin: "greater" tests whether a - b is above -margin, "less" whether it is
        below margin.
    groups : array-like of shape (n_samples,), default=None
        Clusters, such as the examples of one patient: the variance is that of sums over groups
        [3]_. Paired tests only.
    blocks : int, "auto" or None, default=None
        Length of blocks of consecutive rows, for serially dependent rows; see :func:`interval`.
    confidence_level : float, default=0.95
        Nominal coverage of the interval, in (0, 1).
    sample_weight : None
        Weights raise an error; use :func:`paired_bootstrap_test`.
    **parameters
        Parameters of the metric, such as ``beta`` of soft_auc.

    Returns
    -------
    ComparisonResult
        The statistic is the difference divided by its standard error; normal if paired, Student's t
        if unpaired.

    Raises
    ------
    ValueError
        If weights are given, there are not two classes, the metric is of another kind, or an
        argument is invalid.

    Notes
    -----
    With :math:`V_{10}` the mean of h(d) over the negatives for each positive and :math:`V_{01}`
    that over the positives for each negative, the variance of the difference is

    .. math:: \frac{S_{10}}{P} + \frac{S_{01}}{N}

    with the variances S over the differences of both classifiers' values ([1]_, equations 4 to 7).
    It takes O(n log n) [2]_. With groups, of which I10 contain positives and I01 negatives, I in
    total, the deviations from the means are summed over each group first:

    .. math:: \frac{I_{10}}{I_{10} - 1} \sum_g \frac{u_g^2}{P^2} + \frac{I_{01}}{I_{01} - 1}
        \sum_g \frac{w_g^2}{N^2} + \frac{2 I}{I - 1} \sum_g \frac{u_g w_g}{P N}

    with u for the positives and w for the negatives [3]_.

    The unpaired form adds both variances and uses Welch's degrees of freedom, as pROC does.

    Two identical rankings have a difference of 0 in every sample: the p-value is 1, and there is no
    interval. Other differences without variance, as of AUCs of 1 and 0, have the exact interval of
    min(P, N) independent pairs, which has positive width, and the p-value at which this interval
    begins to contain 0. If a class has fewer than two examples the test is undefined: nan with a
    warning.

    Simulated size of the nominal 5 % test (``python -m benchmarks.sizes``): 3.5 to 6 % on 100
    balanced and on 1000 examples. With 5 positives among 100 it is up to 9 %, that of
    :func:`paired_permutation_test` 5 %. With AUCs of .95 on 15 + 15 examples it is 0.4 %.

    References
    ----------
    .. [1] DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). Comparing the areas under
       two or more correlated receiver operating characteristic curves: a nonparametric approach.
       Biometrics 44, 837-845.
    .. [2] Sun, X. and Xu, W. (2014). Fast implementation of DeLong's algorithm for comparing the
       areas under correlated receiver operating characteristic curves. IEEE Signal Processing
       Letters 21, 1389-1393.
    .. [3] Obuchowski, N. A. (1997). Nonparametric analysis of clustered ROC curve data. Biometrics 53,
       567-578.

    Examples
    --------
    >>> from skaucx.inference import delong_test
    >>> y_true = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> a, b = [0.9, 0.8, 0.7, 0.4, 0.5, 0.3, 0.2, 0.1], [0.9, 0.4, 0.6, 0.5, 0.7, 0.3, 0.2, 0.6]
    >>> delong_test(y_true, a, b)
    DeLong's paired test of roc_auc
      statistic 1.4350, p-value 0.1513
      estimates 0.9375, 0.6562
      difference 0.2812, 95 % interval -0.1029 to 0.6654
      target: these predictions
    """
    if sample_weight is not None:
        raise ValueError(
            "DeLong's test does not accept sample_weight; use paired_bootstrap_test for weighted "
            "metrics."
        )
    Sides.checked(alternative, confidence_level)
    shift = null_difference(margin, alternative)
    _warn_if_paired(y_true, y_true_b)
    function, parameters = metric_or_function(metric, parameters)
    _check_kind(function, parameters)
    truths, rescale = (y_true, y_true_b), parameters.get("rescale")
    samples = _samples(function.metric, truths, (score_a, score_b), pos_label, rescale)
    own = {name: value for name, value in parameters.items() if name != "rescale"}
    values = [
        placement_values(function.metric, own, truth, scores)
        if truth.any() and not truth.all()
        else None
        for truth, scores in samples
    ]
    groups = groups_of_blocks(blocks, groups, y_true, score_a, score_b)
    if groups is not None and y_true_b is not None:
        raise ValueError("groups are for paired tests; omit y_true_b.")
    if y_true_b is None:
        codes = groups_of_rows(groups, y_true)
        estimates, error, df = _paired(values[0], samples[0][0], codes)
    else:
        estimates, error, df = _unpaired(values)
    difference = _rounded(estimates[0] - estimates[1])
    independent = min(min(truth.sum(), (~truth).sum()) for truth, _ in samples)
    width = np.ptp(function.metric.bounds)
    if error == 0 and difference != shift:  # all pairs have the same difference
        statistic = np.nan
        p_value = _exact_p(difference, shift, independent, width, alternative)
    else:
        why = "a class has fewer than two examples"
        statistic = studentised(difference - shift, error, "DeLong's test", why)
        p_value = float(tail(statistic, alternative, df))
    alike, half = False, half_width(error, confidence_level, df)
    ends = difference - half, difference + half
    if error == 0:
        alike = y_true_b is None and _ranked_alike(*samples[0][1])
        exact_ends = exact(np.asarray(difference), independent, confidence_level, (-width, width))
        ends = (np.nan, np.nan) if alike else (float(exact_ends[0]), float(exact_ends[1]))
    return ComparisonResult(
        method=f"DeLong's {'unpaired' if len(values) > 1 else 'paired'} test of {function.metric.name}",
        statistic=statistic,
        p_value=p_value,
        estimates=estimates,
        difference=difference,
        standard_error=error,
        interval=ends,
        confidence_level=confidence_level,
        alternative=alternative,
        df=df,
        note=_ALIKE if alike else of_two_sides(alternative),
    )


def _ranked_alike(first: Floats, second: Floats) -> bool:
    return np.array_equal(stats.rankdata(first), stats.rankdata(second))


def _exact_p(
    difference: float, shift: float, independent: int, width: float, alternative: Alternative
) -> float:
    r"""Return the p-value at which the exact interval of a constant difference reaches the null.

    With :math:`s = (\alpha / 2)^{1 / k}` the end :math:`s d - (1 - s) w` of :func:`exact` is the null at
    :math:`s = (w + d_0) / (w + d)`.
    """
    side = np.sign(difference - shift)
    share = (width + side * shift) / (width + side * difference)
    single = max(share, 0.0) ** independent
    if alternative == "two-sided":
        return float(min(2 * single, 1))
    return float(single if (side > 0) == (alternative == "greater") else 1)


def takes_delong(function: MetricFunction, parameters: Mapping[str, Any]) -> bool:
    """Whether a metric with these parameters is a mean over pairs of a function of d alone."""
    own = {name: value for name, value in parameters.items() if name in function.metric.parameters}
    return parameters.get("rescale") != "minmax" and has_placements(function.metric, own)


def _check_kind(function: Any, parameters: Mapping[str, Any]) -> None:
    """Raise an error for a metric without DeLong's test, and for parameters that it does not accept."""
    row = getattr(function, "metric", None)
    if row is None:
        raise TypeError(f"metric must be a metric of this package or its name, found {function!r}.")
    if unknown := set(parameters) - set(row.parameters) - {"rescale"}:
        raise TypeError(
            f"delong_test of {row.name} does not accept the parameter {sorted(unknown)[0]!r}."
        )
    if not takes_delong(function, parameters):
        raise ValueError(
            f"{row.name} with these parameters is not a mean over pairs of a function of their "
            f"difference alone, so DeLong's test does not apply; use paired_bootstrap_test."
        )


def _samples(
    metric: Metric, truths: tuple[Any, Any], scores: tuple[Any, Any], pos_label: Any, rescale: Any
) -> list[tuple[Bools, Floats]]:
    """Return truth and scores of each sample; a paired sample has both classifiers' scores."""
    labels, paired = label_array(truths[0], "y_true"), truths[1] is None
    others = labels if paired else label_array(truths[1], "y_true_b")
    known = np.unique(np.concatenate([labels, others])) if labels.ndim == others.ndim == 1 else None
    checked, unit = [], metric.name if metric.kind.scale == "unit" and rescale is None else ""
    for name, truth, score in zip(("score_a", "score_b"), (labels, others), scores, strict=True):
        positive, scored = check_binary_scores(
            "DeLong's test",
            truth,
            score,
            pos_label,
            unit=unit,
            labels=known,
            names=("y_true", name),
        )
        checked.append((positive, rescaled(scored.score, rescale)))
    if not paired:
        return checked
    return [(checked[0][0], np.stack([score for _, score in checked]))]


Values = tuple[Floats, Floats] | None


def _paired(
    values: Values, truth: Bools, groups: Codes | None
) -> tuple[tuple[float, float], float, float]:
    """Estimates of both classifiers, standard error of their difference; df is inf: normal."""
    if values is None:
        return (np.nan, np.nan), np.nan, np.inf
    first, second = pair_mean(values[0]).tolist()
    differences = values[0][0] - values[0][1], values[1][0] - values[1][1]
    if groups is None:
        error = np.sqrt(variance(*differences))
    else:
        error = np.sqrt(cluster_parts(*differences, groups[truth], groups[~truth]).variance)
    return (first, second), _rounded(error), np.inf


def _warn_if_paired(y_true: Any, y_true_b: Any) -> None:
    """Warn if two samples have identical labels, which are probably paired."""
    if y_true_b is None:
        return
    labels, others = np.asarray(y_true), np.asarray(y_true_b)
    changes = labels.ndim == 1 and np.count_nonzero(labels[1:] != labels[:-1]) > 1
    if changes and np.array_equal(labels, others):
        warn(
            "y_true_b equals y_true in every row, so the examples seem to be the same; the "
            "unpaired test assumes two independent samples. Omit y_true_b for the paired test."
        )


def _unpaired(values: list[Values]) -> tuple[tuple[float, float], float, float]:
    """The same for two samples, with Welch's degrees of freedom."""
    means = [np.nan if v is None else float(pair_mean(v[0])) for v in values]
    variances = np.array([np.nan if v is None else float(variance(*v)) for v in values])
    sizes = np.array([1 if v is None else len(v[0]) + len(v[1]) for v in values])
    total, below = variances.sum(), (variances**2 / np.maximum(sizes - 1, 1)).sum()
    df = total**2 / below if below > 0 else 1.0
    return (means[0], means[1]), _rounded(np.sqrt(total)), float(df)


def _rounded(value: Any) -> float:
    return 0.0 if abs(value) < _ROUNDING else float(value)


_COLUMNS = ("part", "value", "low", "high")
_UNFIT = (
    "the p-value does not test added value: noise markers and miscalibrated models raise the index "
    "(Pepe et al. 2015, Hilden and Gerds 2014); compare proper scores or net benefit"
)


@dataclass(frozen=True, repr=False)
class NetReclassification:
    """Net reclassification of one model over another.

    Attributes
    ----------
    value : float
        The sum of the two parts, in [-2, 2].
    interval : tuple of float
        Its lower and upper limit.
    positives, negatives : float
        The share of the positives that move up minus the share that move down, and the share of the
        negatives that move down minus the share that move up.
    positives_interval, negatives_interval : tuple of float
    statistic, p_value : float
        Of the test that the value is 0: the value divided by its standard error.
    standard_error : float
        Standard error of the value, used for test and interval.
    confidence_level : float
    alternative : {"two-sided", "greater", "less"}
    tables : tuple of ndarray of shape (K, K), float64, or None
        Numbers of positives, and of negatives, in category i of the second model and j of the
        first; None for the continuous index.
    note : str
        A caution about the value.
    target : str
        What is compared.
    """

    value: float
    interval: tuple[float, float]
    positives: float
    negatives: float
    positives_interval: tuple[float, float]
    negatives_interval: tuple[float, float]
    statistic: float
    p_value: float
    standard_error: float
    confidence_level: float = 0.95
    alternative: Alternative = "two-sided"
    tables: tuple[Floats, Floats] | None = None
    note: str = ""
    target: str = "these predictions"

    def __repr__(self) -> str:
        level = f"{100 * self.confidence_level:g} %"
        names = ("value", "positives", "negatives")
        kind = "continuous" if self.tables is None else f"{len(self.tables[0])} categories"
        lines = [
            f"Net reclassification, {kind}",
            *(
                f"  {name} {fixed(value)} ({level}: {fixed(low)} to {fixed(high)})"
                for name, (_, value, low, high) in zip(names, self._rows, strict=True)
            ),
            f"  statistic {fixed(self.statistic)}, p-value {p_value(self.p_value)}",
            f"  target: {self.target}",
        ]
        note = [paragraph(f"  {self.note}", hang=4)] if self.note else []
        return "\n".join([*lines, *note])

    @property
    def _rows(self) -> list[tuple[str, float, float, float]]:
        return [
            ("all", self.value, *self.interval),
            ("positives", self.positives, *self.positives_interval),
            ("negatives", self.negatives, *self.negatives_interval),
        ]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row for all examples and one for each class.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return import_pandas().DataFrame(self._rows, columns=_COLUMNS).set_index("part")

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        reported = f"Net reclassification, p-value {p_value(self.p_value)}"
        return table(reported, _COLUMNS, self._rows, self.note)


def net_reclassification(
    y_true: Any,
    y_proba_a: Any,
    y_proba_b: Any,
    *,
    thresholds: Any = None,
    pos_label: Any = None,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    sample_weight: Any = None,
) -> NetReclassification:
    r"""Return the net reclassification index of one model over another, with its test and interval.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_proba_a, y_proba_b : array-like of shape (n_samples,)
        Probabilities of the positive class by the two models on the same examples.
    thresholds : float or array-like of float, default=None
        Limits between categories of risk: 0.06 and 0.2 give three. A probability equal to a
        threshold is above it. None counts every change up or down (the continuous index).
    pos_label : int, float, bool or str, default=None
        The positive class; see :func:`recall_score`.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Alternative hypothesis for the value: not 0, above 0, below 0.
    confidence_level : float, default=0.95
        Nominal coverage of the intervals, in (0, 1).
    sample_weight : array-like of shape (n_samples,), default=None
        Weights >= 0.

    Returns
    -------
    NetReclassification
        Greater than 0 if the first model moves examples in the correct direction relative to the
        second.

    Raises
    ------
    ValueError, TypeError
        If there are not two classes, or an argument is invalid.

    Warnings
    --------
    The index is not a proper score: making the probabilities of a model more extreme, and the model
    worse, can give a positive index, especially a continuous one [3]_ [4]_. Report both parts
    instead of their sum, which gives the classes equal weight whatever their sizes, and report the
    difference of a proper score (:func:`brier_score_loss`) or of the
    :func:`net_benefit_score`.

    Notes
    -----
    With the moves u = 1 (up, from the second to the first), 0 or -1 (down),

    .. math:: \bar u_{y=1} - \bar u_{y=0}

    [1]_. Test and interval use one standard error [2]_,

    .. math:: \sqrt{\frac{\overline{u^2}_{y=1} - \bar u_{y=1}^2}{P} + \frac{\overline{u^2}_{y=0} -
        \bar u_{y=0}^2}{N}}

    so that the two-sided p-value is below 1 - confidence_level exactly where the interval excludes 0.
    The test of [1]_ omits the squared means, which is done here only if all moves of a class are
    equal. The p-value tests whether the index is 0. Fitting noise markers raises the continuous
    index above 0, also on independent data [4]_: a small p-value is not evidence of added value.

    References
    ----------
    .. [1] M. J. Pencina, R. B. D'Agostino Sr, R. B. D'Agostino Jr and R. S. Vasan, Evaluating the added
       predictive ability of a new marker: from area under the ROC curve to reclassification and
       beyond, Statistics in Medicine 27(2), 157-172, 2008.
    .. [2] M. J. Pencina, R. B. D'Agostino Sr and E. W. Steyerberg, Extensions of net reclassification
       improvement calculations to measure usefulness of new biomarkers, Statistics in Medicine
       30(1), 11-21, 2011.
    .. [3] J. Hilden and T. A. Gerds, A note on the evaluation of novel biomarkers: do not rely on
       integrated discrimination improvement and net reclassification index, Statistics in Medicine
       33(19), 3405-3414, 2014.
    .. [4] M. S. Pepe, J. Fan, Z. Feng, T. Gerds and J. Hilden, The net reclassification index (NRI): a
       misleading measure of prediction improvement even with independent test data sets, Statistics
       in Biosciences 7(2), 282-295, 2015.

    Examples
    --------
    >>> from skaucx.inference import net_reclassification
    >>> y_true = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> a, b = [0.9, 0.7, 0.6, 0.3, 0.4, 0.2, 0.1, 0.1], [0.8, 0.4, 0.7, 0.2, 0.6, 0.1, 0.1, 0.3]
    >>> found = net_reclassification(y_true, a, b, thresholds=0.5)
    >>> found.value, found.positives, found.negatives
    (0.5, 0.25, 0.25)
    """
    Sides.checked(alternative, confidence_level)
    truth, first, second, weight = _scored(y_true, y_proba_a, y_proba_b, pos_label, sample_weight)
    cuts = None if thresholds is None else _cuts(thresholds)
    if cuts is not None:
        first, second = _category(first, cuts), _category(second, cuts)
    moves = np.sign(first - second)
    up, of_up = _mean_move(moves[truth], weight[truth])
    down, of_down = _mean_move(-moves[~truth], weight[~truth])
    value, error = up + down, math.hypot(of_up, of_down)
    statistic = studentised(value, error, "Net reclassification", "no example moves")

    def around(middle: float, error: float, most: float) -> tuple[float, float]:
        half = half_width(error, confidence_level)
        return max(middle - half, -most), min(middle + half, most)

    return NetReclassification(
        value=value,
        interval=around(value, error, 2),
        positives=up,
        negatives=down,
        positives_interval=around(up, of_up, 1),
        negatives_interval=around(down, of_down, 1),
        statistic=statistic,
        p_value=float(tail(statistic, alternative)),
        standard_error=error,
        confidence_level=confidence_level,
        alternative=alternative,
        tables=None if cuts is None else _tables(truth, first, second, weight, len(cuts) + 1),
        note=_UNFIT if cuts is None else "",
    )


def integrated_discrimination_improvement(
    y_true: Any,
    y_proba_a: Any,
    y_proba_b: Any,
    *,
    pos_label: Any = None,
    alternative: Alternative = "two-sided",
    groups: Any = None,
    confidence_level: float = 0.95,
) -> ComparisonResult:
    r"""Return the integrated discrimination improvement: the difference of two discrimination slopes.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_proba_a, y_proba_b : array-like of shape (n_samples,)
        Probabilities of the positive class by the two models on the same examples.
    pos_label : int, float, bool or str, default=None
        The positive class; see :func:`recall_score`.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What the difference a - b is under the alternative.
    groups : array-like of shape (n_samples,), default=None
        Clusters of dependent examples, as in :func:`delong_test`.
    confidence_level : float, default=0.95
        Nominal coverage of the interval, in (0, 1).

    Returns
    -------
    ComparisonResult
        The estimates are the discrimination slopes, the difference is the improvement.

    Raises
    ------
    ValueError, TypeError
        The errors of :func:`delong_test`.

    Warnings
    --------
    Like net reclassification it is not a proper score: more extreme probabilities without new
    information raise it. See the warning of :func:`net_reclassification`.

    Notes
    -----
    .. math:: (\bar a_{y=1} - \bar a_{y=0}) - (\bar b_{y=1} - \bar b_{y=0})

    The discrimination slope of a model, the mean probability of the positives minus that of the
    negatives, is :func:`mm11_auc_score`, the mean of the score difference over all pairs. The test
    is DeLong's with ``metric="mm11_auc"``; the standard error uses the paired differences of both
    classes as in [1]_, but does not assume independent slopes. With weights:
    ``paired_bootstrap_test("mm11_auc", ..., sample_weight=...)``.

    References
    ----------
    .. [1] M. J. Pencina, R. B. D'Agostino Sr, R. B. D'Agostino Jr and R. S. Vasan, Evaluating the added
       predictive ability of a new marker: from area under the ROC curve to reclassification and
       beyond, Statistics in Medicine 27(2), 157-172, 2008.

    Examples
    --------
    >>> from skaucx.inference import integrated_discrimination_improvement
    >>> y_true = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> a, b = [0.9, 0.7, 0.6, 0.3, 0.4, 0.2, 0.1, 0.1], [0.8, 0.4, 0.7, 0.2, 0.6, 0.1, 0.1, 0.3]
    >>> round(integrated_discrimination_improvement(y_true, a, b).difference, 4)
    0.175
    """
    found = delong_test(
        y_true,
        y_proba_a,
        y_proba_b,
        metric="mm11_auc",
        pos_label=pos_label,
        alternative=alternative,
        groups=groups,
        confidence_level=confidence_level,
    )
    notes = "; ".join(filter(None, (_UNFIT, found.note)))
    return replace(found, method="Integrated discrimination improvement, paired", note=notes)


def _mean_move(moves: Floats, weight: Floats) -> tuple[float, float]:
    """Return the mean of moves, +1 in the correct direction and -1 in the wrong one, and its error.

    If all moves are equal, the standard error is that under the null hypothesis.
    """
    mean = float(np.average(moves, weights=weight))
    gaps = moves if (moves == moves[0]).all() else moves - mean
    return mean, float(np.sqrt(((weight * gaps) ** 2).sum()) / weight.sum())


def _scored(
    y_true: Any, y_proba_a: Any, y_proba_b: Any, pos_label: Any, sample_weight: Any
) -> tuple[Bools, Floats, Floats, Floats]:
    """Check both models' probabilities: which rows are positive, both scores, and the weights."""
    sides, truth, weight = [], np.empty(0, dtype=bool), None
    for name, proba in (("y_proba_a", y_proba_a), ("y_proba_b", y_proba_b)):
        truth, scored = check_binary_scores(
            "net_reclassification", y_true, proba, pos_label, unit="net_reclassification",
            sample_weight=sample_weight, names=("y_true", name),
        )  # fmt: skip
        weight = scored.weight
        sides.append(scored.score)
    if truth.all() or not truth.any():
        raise refuse_missing_class("net reclassification")
    return truth, sides[0], sides[1], np.ones(len(truth)) if weight is None else weight


def _cuts(thresholds: Any) -> Floats:
    cuts = np.atleast_1d(float_array(thresholds, "thresholds", scalar=True))
    if cuts.ndim != 1 or not (np.diff(cuts) > 0).all() or not ((cuts > 0) & (cuts <= 1)).all():
        raise ValueError(
            f"thresholds must rise within (0, 1], found {np.asarray(thresholds).tolist()!r}."
        )
    return cuts


def _category(proba: Floats, cuts: Floats) -> Floats:
    """Return how many of the thresholds each probability reaches."""
    return np.searchsorted(cuts, proba, side="right").astype(np.float64)


def _tables(
    truth: Bools, first: Floats, second: Floats, weight: Floats, size: int
) -> tuple[Floats, Floats]:
    """Count the examples of each class by both models' categories, those of the second in rows."""
    cells = (second * size + first).astype(np.intp)
    positives, negatives = (
        weighted_bincount(cells[rows], size * size, weight[rows]).reshape(size, size)
        for rows in (truth, ~truth)
    )
    return positives, negatives


# Greatest numbers of examples, and of outcomes of counts, whose exchanges are enumerated.
_MOST_UNLIKE, _MOST_COUNTS = 14, 1 << 20


class Replicates(ABC):
    """The metric of two classifiers on replicates of their examples.

    Parameters
    ----------
    metric : Metric or PlainMetric
    options : mapping
        Its parameters.
    samples : list of Sample
        The examples with the predictions of each classifier.
    strata : ndarray of shape (n,), int, or None
        Class of each example.
    groups : ndarray of shape (n,), int, or None
        Examples with the same code are drawn together.
    multiplicity : ndarray of shape (n,), int, or None
        How many examples each row stands for.
    """

    def __init__(
        self,
        metric: Any,
        options: Mapping[str, Any],
        samples: list[Any],
        strata: Codes | None,
        groups: Codes | None = None,
        multiplicity: Codes | None = None,
    ) -> None:
        self.metric, self.options, self.samples = metric, options, samples
        self.strata, self.groups, self.multiplicity = strata, groups, multiplicity

    def drawn(self, rng: np.random.Generator, size: int, stratify: bool) -> Floats:
        """Return the metric of both on examples drawn with replacement, shape (2, size)."""
        strata = self.strata if stratify else None
        plan = Resampling(self.samples[0].n_rows, strata, self.groups, self.multiplicity)
        return np.concatenate([self.of_counts(c) for c in plan.resamples(size, rng)], axis=1)

    def of_counts(self, counts: Floats) -> Floats:
        """Return the metric of both where example i counts ``counts[r, i]`` times, (2, rows)."""
        states = [sample.under(counts) for sample in self.samples]
        return np.stack([self.metric.value(state, **self.options) for state in states])

    @abstractmethod
    def exchanged(self, rng: np.random.Generator, size: int) -> Floats:
        """Return the metric of both after random exchanges, shape (2, size)."""

    @abstractmethod
    def every_exchange(self) -> tuple[Floats, Floats] | None:
        """Return the metric of both after all exchanges, and their probabilities; None if too many."""


class LabelReplicates(Replicates):
    """Predicted labels without weights, as counts of the cells (true, first, second).

    Resampled examples fall into the cells by a multinomial distribution, and of the examples
    predicted as i by one classifier and as j by the other a binomial number is exchanged.

    Parameters
    ----------
    metric : Metric
        A metric of labels.
    options : dict
        Its parameters.
    first, second : LabelPair
        True labels with those of each classifier, numbered by the same classes.
    """

    def __init__(
        self, metric: Metric, options: Mapping[str, Any], first: LabelPair, second: LabelPair
    ) -> None:
        self.k = k = len(first.classes)
        codes = (first.true * k + first.pred) * k + second.pred
        swapped = (first.true * k + second.pred) * k + first.pred
        # Cells that occur, or could after an exchange.
        self.cells = np.unique(np.concatenate([codes, swapped]))
        self.counts = np.bincount(np.searchsorted(self.cells, codes), minlength=len(self.cells))
        self.true, self.a, self.b = np.unravel_index(self.cells, (k, k, k))
        samples = [
            LabelSample(LabelPair(first.classes, self.true, predicted, None, first.named))
            for predicted in (self.a, self.b)
        ]
        super().__init__(metric, options, samples, self.true, multiplicity=self.counts)

    def exchanged(self, rng: np.random.Generator, size: int) -> Floats:
        here, there, sizes = self._exchanges()
        found = []
        for rows in resampled_pieces(size, len(self.cells)):
            kept = rng.binomial(sizes, 0.5, (len(rows), len(sizes)))
            found.append(self.of_counts(self._moved(here, there, sizes, kept)))
        return np.concatenate(found, axis=1)

    def every_exchange(self) -> tuple[Floats, Floats] | None:
        here, there, sizes = self._exchanges()
        if np.log(sizes + 1.0).sum() > np.log(_MOST_COUNTS):
            return None
        shape = tuple((sizes + 1).tolist())
        laws = [stats.binom.pmf(np.arange(size + 1), size, 0.5) for size in sizes]
        found, probability = [], []
        for rows in pieces(range(int(np.prod(shape))), len(self.cells)):
            at = np.unravel_index(np.asarray(rows), shape) if shape else ()
            kept = np.array(at, dtype=np.intp).reshape(len(sizes), len(rows)).T
            found.append(self.of_counts(self._moved(here, there, sizes, kept)))
            chances = [chance[column] for chance, column in zip(laws, kept.T, strict=True)]
            probability.append(np.prod(chances, axis=0) * np.ones(len(rows)))
        return np.concatenate(found, axis=1), np.concatenate(probability)

    def _exchanges(self) -> tuple[Codes, Codes, Codes]:
        """Return the cells (t, i, j) and (t, j, i) with i < j, and the examples in both."""
        here = np.flatnonzero(self.a < self.b)
        swapped = (self.true[here] * self.k + self.b[here]) * self.k + self.a[here]
        there = np.searchsorted(self.cells, swapped)
        return here, there, self.counts[here] + self.counts[there]

    def _moved(self, here: Codes, there: Codes, sizes: Codes, kept: Codes) -> Codes:
        counts = np.tile(self.counts, (len(kept), 1))
        counts[:, here], counts[:, there] = kept, sizes - kept
        return counts

    def of_counts(self, counts: Array) -> Floats:
        """Return the metric of both classifiers for counts of the cells, shape (2, rows)."""
        parts = pieces(counts, self.k**2)
        return np.concatenate(
            [super(LabelReplicates, self).of_counts(1.0 * p) for p in parts], axis=1
        )


class ExampleReplicates(Replicates):
    """Predictions of any kind, resampled and exchanged by example.

    Parameters
    ----------
    first, second : ndarray of shape (n, ...)
        The predictions of the two classifiers.
    *parts
        As :class:`Replicates` takes them.
    """

    def __init__(self, first: Array, second: Array, *parts: Any) -> None:
        super().__init__(*parts)
        self.first, self.second = first, second
        unlike = _unlike(first, second).reshape(len(first), -1).any(axis=1)
        self.unlike = np.flatnonzero(unlike)

    @abstractmethod
    def of_exchanges(self, exchange: Bools) -> Floats:
        """Return the metric of both with marked predictions exchanged, (2, rows)."""

    def _of_marks(self, marks: Iterable[Bools]) -> Floats:
        """Return the same for marks of the unlike predictions, in pieces."""
        found = []
        for piece in marks:
            exchange = np.zeros((len(piece), len(self.first)), dtype=bool)
            exchange[:, self.unlike] = piece
            found.append(self.of_exchanges(exchange))
        return np.concatenate(found, axis=1)

    def exchanged(self, rng: np.random.Generator, size: int) -> Floats:
        parts = resampled_pieces(size, len(self.first))
        return self._of_marks(rng.random((len(rows), len(self.unlike))) < 0.5 for rows in parts)

    def every_exchange(self) -> tuple[Floats, Floats] | None:
        if len(self.unlike) > _MOST_UNLIKE:
            return None
        outcomes, bits = 1 << len(self.unlike), np.arange(len(self.unlike))
        parts = pieces(range(outcomes), len(self.first))
        values = self._of_marks(np.asarray(rows)[:, None] >> bits & 1 > 0 for rows in parts)
        return values, np.full(outcomes, 1 / outcomes)


class FunctionReplicates(ExampleReplicates):
    """Predictions evaluated by a plain function, one replicate at a time.

    Parameters
    ----------
    metric : PlainMetric
    y_true : ndarray of shape (n, ...)
    first, second : ndarray of shape (n, ...)
    groups : ndarray of shape (n,), int, or None
        Examples with the same code are drawn together.
    """

    def __init__(
        self, metric: PlainMetric, y_true: Array, first: Array, second: Array, groups: Codes | None
    ) -> None:
        samples = [FunctionSample(y_true, pred) for pred in (first, second)]
        super().__init__(first, second, metric, {}, samples, _strata(y_true), groups)
        self.y_true = y_true

    def of_exchanges(self, exchange: Bools) -> Floats:
        values = np.empty((2, len(exchange)))
        for place, chosen in enumerate(exchange):
            first, second = self.first.copy(), self.second.copy()
            first[chosen], second[chosen] = self.second[chosen], self.first[chosen]
            states = [FunctionState((self.y_true, pred)) for pred in (first, second)]
            values[:, place] = [self.metric.value(state) for state in states]
        return values


class WeightedReplicates(ExampleReplicates):
    """Predictions of any kind, evaluated by a metric of this package for all replicates at once.

    Exchanges are weights of 0 or 1 for the concatenated examples of both classifiers, so scores are
    sorted once.

    Parameters
    ----------
    metric : Metric
    options : dict
        Its parameters.
    y_true : ndarray of shape (n,) or (n, n_labels)
    first, second : ndarray of shape (n,) or (n, n_classes)
    shared : dict
        ``labels``, positive ``sample_weight``, and other arguments with rows.
    groups : ndarray of shape (n,), int, or None
        Examples with the same code are drawn together.
    """

    def __init__(
        self,
        metric: Metric,
        options: Mapping[str, Any],
        y_true: Array,
        first: Array,
        second: Array,
        shared: Mapping[str, Any],
        groups: Codes | None,
    ) -> None:
        samples = [sample_of(metric, y_true, pred, **shared) for pred in (first, second)]
        super().__init__(first, second, metric, options, samples, samples[0].strata, groups)
        weight = shared["sample_weight"]
        twice = {**shared, "sample_weight": None if weight is None else np.tile(weight, 2)}
        of_rows = (name for name in metric.kind.inputs.of_rows if name in shared)
        twice |= {name: np.concatenate([shared[name]] * 2) for name in of_rows}
        both = _joined(first, second)
        self.joined = sample_of(metric, np.concatenate([y_true, y_true]), both, **twice)

    def of_exchanges(self, exchange: Bools) -> Floats:
        kept = ~exchange
        weights = (np.hstack(sides) for sides in ((kept, exchange), (exchange, kept)))
        states = [self.joined.under(weight.astype(np.float64)) for weight in weights]
        return np.stack([self.metric.value(state, **self.options) for state in states])


def _joined(first: Array, second: Array) -> Array:
    """Concatenate predictions, with their masks of rejections, if any."""
    both: Array = np.concatenate([np.ma.getdata(first), np.ma.getdata(second)])
    if not np.ma.isMaskedArray(first):
        return both
    mask = np.concatenate([np.ma.getmaskarray(first), np.ma.getmaskarray(second)])
    return np.ma.array(both, mask=mask)


def _unlike(first: Array, second: Array) -> Bools:
    """Return where two arrays of predictions, or their masks, differ."""
    parts = np.ma.getdata(first) != np.ma.getdata(second)
    return np.asarray(parts | (np.ma.getmaskarray(first) != np.ma.getmaskarray(second)))


def _strata(true: Array) -> Codes | None:
    """Return the class of each example; None for targets without classes."""
    if type_of_target(true) not in ("binary", "multiclass"):
        return None
    return np.unique(true, return_inverse=True)[1].astype(np.intp)


def metric_name(function: Any, parameters: Mapping[str, Any]) -> str:
    """Return the name of a metric with the parameters that define its value."""
    if hasattr(function, "metric"):
        return NamedMetric(function.metric.name, function, parameters).label
    return str(getattr(function, "__name__", "the metric"))


def _label_pairs(
    y_true: Any, y_pred_a: Any, y_pred_b: Any, labels: Any
) -> tuple[LabelPair, LabelPair] | None:
    """Number the labels of both classifiers by the same classes; None for multilabel indicators."""
    pairs = [check_label_pair(y_true, y_pred, labels=labels) for y_pred in (y_pred_a, y_pred_b)]
    if any(pair.multilabel for pair in pairs):
        return None
    vectors: list[Any] = pairs
    classes = np.unique(np.concatenate([pair.classes for pair in vectors]))
    both = []
    for pair in vectors:
        at = np.searchsorted(classes, pair.classes)
        named = None if pair.named is None else at[pair.named]
        both.append(LabelPair(classes, at[pair.true], at[pair.pred], None, named))
    return both[0], both[1]


class PairedCall(NamedTuple):
    """A metric, or a plain function, with the arrays of two classifiers."""

    function: Any
    parameters: dict[str, Any]
    y_true: Any
    predictions: tuple[Any, Any]
    sample_weight: Any = None
    groups: Any = None

    @property
    def ours(self) -> bool:
        """Whether the metric is one of this package."""
        return hasattr(self.function, "metric")

    @property
    def name(self) -> str:
        """The name of the metric with the parameters that define its value."""
        return metric_name(self.function, self.parameters)

    @property
    def has_rows(self) -> bool:
        """Whether the metric's influence is taken of so many rows."""
        return len(self.y_true) >= self.function.metric.influence_from

    @property
    def has_placements(self) -> bool:
        """Whether it is a mean over pairs to which DeLong's test applies."""
        if not self.ours or self.sample_weight is not None:
            return False
        known = {*self.function.metric.parameters, "rescale", "pos_label"}
        if not set(self.parameters) <= known or not takes_delong(self.function, self.parameters):
            return False
        columns = all(np.ndim(each) == 1 for each in (self.y_true, *self.predictions))
        return columns and type_of_target(self.y_true) == "binary"

    @property
    def independent(self) -> bool:
        """Whether the metric is one of this package, of independent rows without weights."""
        return self.ours and self.sample_weight is None and self.groups is None

    @property
    def counts_right(self) -> int:
        """1 for a metric that is the share of right rows, such as accuracy, -1 of wrong ones, else 0."""
        if not self.independent or not self.function.metric.kind.counted:
            return 0
        metric, (options, shared) = self.function.metric, self._options()
        is_right, is_wrong = True, True
        for y_pred in self.predictions:
            sample = sample_of(metric, self.y_true, y_pred, labels=shared["labels"])
            if not sample.counted:
                return 0
            share, table = share_of(MetricOnSample(sample, metric, options)), sample.state.table
            right, rows = float(np.trace(table)), float(table.sum())
            is_right, is_wrong = is_right and share == (right, rows), is_wrong and share == (
                rows - right, rows,
            )  # fmt: skip
        return int(is_right) or -int(is_wrong)

    def estimates(self) -> tuple[float, float]:
        """Return the metric of both classifiers on all examples."""
        if self.sample_weight is not None and not self.ours:
            raise ValueError(
                "sample_weight needs a metric of this package, found a plain function."
            )
        if not self.ours:
            held: Any = self.replicates()
            return held.metric(held.y_true, held.first), held.metric(held.y_true, held.second)
        first, second = self.predictions
        rows = {"y_pred_a": first, "y_pred_b": second}
        if self.function.metric.kind.inputs.of_classes:
            rows |= {"y_true": self.y_true, "sample_weight": self.sample_weight}
        check_rows(rows)
        given = {"sample_weight": self.sample_weight, **self.parameters}
        first, second = (self.function(self.y_true, each, **given) for each in self.predictions)
        if np.ndim(first):
            raise ValueError(
                f"The metric must return one number, found shape {np.shape(first)}; use an average "
                f"such as average='macro'."
            )
        return float(first), float(second)

    def ranked(self, estimates: tuple[float, float]) -> PairedCall:
        """Return mid-ranks in (0, 1) instead of scores, if the metric depends on their order only."""
        scores = self.predictions
        if any(np.ndim(each) != 1 for each in scores) or not self.ours:
            return self
        if self.function.metric.kind.scale != "order":
            return self
        first, second = (stats.rankdata(score) / (len(score) + 1) for score in scores)
        found = self._replace(predictions=(first, second))
        return found if np.allclose(found.estimates(), estimates, rtol=0, atol=1e-12) else self

    def replicates(self) -> Replicates:
        """Return what evaluates replicates of the examples of both classifiers."""
        if not self.ours:
            true, first, second = (np.asarray(each) for each in (self.y_true, *self.predictions))
            check_same_length({"y_true": true, "y_pred_a": first, "y_pred_b": second})
            plain = PlainMetric.of(self.function, self.parameters, true)
            groups = groups_of_rows(self.groups, true)
            return FunctionReplicates(plain, true, first, second, groups)
        # Replicates have the values of the function, without its warnings.
        metric, filler = self.function.metric, self.parameters.get("zero_division", "warn")
        options = self.parameters | {
            "zero_division": metric.undefined if filler == "warn" else filler
        }
        labels = options.pop("labels", None)
        if metric.kind.counted and self.independent:
            pairs = _label_pairs(self.y_true, *self.predictions, labels)
            if pairs is not None:
                return LabelReplicates(metric, options, *pairs)
        rows = {n: np.asarray(options.pop(n)) for n in metric.kind.inputs.of_rows if n in options}
        return WeightedReplicates(metric, options, *self.checked({"labels": labels, **rows}))

    def checked(
        self, shared: dict[str, Any]
    ) -> tuple[Array, Array, Array, dict[str, Any], Codes | None]:
        """Return truth, predictions, shared arguments and groups of examples with positive weight."""
        inputs = self.function.metric.kind.inputs
        true, weight = inputs.read_true(self.y_true, "y_true"), weight_vector(self.sample_weight)
        named = zip(self.predictions, ("y_pred_a", "y_pred_b"), strict=True)
        first, second = (inputs.read(y_pred, name) for y_pred, name in named)
        codes = groups_of_rows(self.groups, true, weight)
        if weight is not None and not weight.all():
            kept = weight > 0
            true, first, second, weight = true[kept], first[kept], second[kept], weight[kept]
            shared = shared | {
                name: shared[name][kept] for name in inputs.of_rows if name in shared
            }
        return true, first, second, {**shared, "sample_weight": weight}, codes

    def _options(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the options of the metric, and the arguments that belong to the arrays."""
        options, of_rows = options_of_state(self.function, self.parameters), {}
        for name in self.function.metric.kind.inputs.of_rows:
            if name in options:
                of_rows[name] = options.pop(name)
        return options, {"labels": self.parameters.get("labels"), **of_rows}

    def by_gold(self, gold: dict[str, Any], **tested: Any) -> ComparisonResult:
        """Compare on gold labels of some rows, corrected by a judge's labels of all rows."""
        if not self.ours:
            raise ValueError(
                f"{metric_name(self.function, {})} is a plain function, whose influences are not known; "
                "take a metric of this package."
            )
        options, shared = self._options()
        gold |= {"groups": self.groups, "labels": shared["labels"]}
        gold |= {"sample_weight": self.sample_weight}
        design = GoldDesign.of(self.y_true, self.predictions, **gold)
        found = design.corrected(self.function.metric, options, shared)
        by_judge = "" if design.judge is None else f" + judge = {found.worth:.0f} gold rows"
        error = math.sqrt(max(found.variance, 0.0))
        tested |= {"why": _NO_CHANGE, "note": f"{found.n_gold} gold rows{by_judge}"}
        name = "Paired test by gold labels"
        return self._by_student(name, found.values, error, found.freedom, **tested)

    def by_influence(self, **tested: Any) -> ComparisonResult | None:
        """Compare by Student's t of the differences of influences; None without an influence curve."""
        estimates, metric, (options, shared) = (
            self.estimates(),
            self.function.metric,
            self._options(),
        )
        truth, *both, shared, groups = self.checked(shared)
        samples = [sample_of(metric, truth, each, **shared) for each in both]
        first, second = (_curve(sample, metric, options) for sample in samples)
        if first is None or second is None:
            return None
        spread = Spread.of(first - second, groups)
        small = spread.error <= _ROUNDING_OF_ERRORS * abs(estimates[0] - estimates[1])
        error = 0.0 if small else spread.error
        why = _NO_CHANGE if error == 0 else "the difference or its variance is undefined"
        tested |= {"why": why, "note": "" if error > 0 else f"{why}: no interval"}
        name = "Paired t test" if metric.losses is not None else "Paired test by influence curves"
        return self._by_student(name, estimates, error, max(spread.units - 1, 1), **tested)

    def _by_student(
        self, name: str, estimates: tuple[float, ...], error: float, df: float, **tested: Any
    ) -> ComparisonResult:
        return ComparisonResult.of_difference(
            f"{name} of {self.name}", estimates, estimates[0] - estimates[1], error, df=df,
            test="The paired test", most=np.ptp(self.function.metric.under(self.parameters).bounds),
            **tested,
        )  # fmt: skip


def _curve(sample: Sample, metric: Metric, options: dict[str, Any]) -> Floats | None:
    if not sample.counted:
        return curve(MetricOnSample(sample, metric, {**options, "zero_division": STRICT}))
    if options.get("average", "binary") is None:
        return None
    return of_labels(MetricOnSample(sample, metric, options))


_NONE = (math.nan, math.nan)
_NO_SPREAD = "the difference is 0 in every resample, so it has no interval"


def paired_bootstrap_test(
    metric: Any,
    y_true: Any,
    y_pred_a: Any,
    y_pred_b: Any,
    *,
    n_resamples: int = 2000,
    stratify: bool = False,
    groups: Any = None,
    blocks: int | str | None = None,
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
        Name, alias or function of a metric of this package, or any function with signature
        ``metric(y_true, y_pred)`` that returns a number. Its keyword arrays, in `parameters` or bound
        by ``functools.partial``, need one entry per row and follow the rows; arrays in a closure or
        an attribute cannot be seen and stay as they are.
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        True labels.
    y_pred_a, y_pred_b : array-like of shape (n_samples,) or (n_samples, n_classes)
        Predictions of the two classifiers, as the metric requires: labels, scores or probabilities.
    n_resamples : int, default=2000
        Number of replicates.
    stratify : bool, default=False
        Whether to resample within classes, which fixes the class counts (case-control designs). By
        default the class counts are random.
    groups : array-like of shape (n_samples,), default=None
        Clusters, such as the examples of one patient, which are drawn together; with `stratify` a
        group must be of one class.
    blocks : int, "auto" or None, default=None
        Length of blocks of consecutive rows, for serially dependent rows; see :func:`interval`.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Alternative hypothesis for the difference a - b.
    margin : float, default=0
        Non-inferiority margin: "greater" tests whether a - b is above -margin, "less" whether it is
        below margin.
    confidence_level : float, default=0.95
        Nominal coverage of the interval, in (0, 1).
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws.
    sample_weight : array-like of shape (n_samples,), default=None
        Sampling weights, for metrics of this package: an example drawn twice has twice its weight;
        a weight of 50 does not narrow the interval.
    **parameters
        Parameters of the metric.

    Returns
    -------
    ComparisonResult
        The interval is the percentile interval of the replicates, and the p-value is the level at
        which it begins to contain 0, or the margin [1]_. The statistic is the difference divided by
        the standard deviation of its replicates.

    Raises
    ------
    ValueError, TypeError
        If an argument is invalid, or from the metric itself.

    See Also
    --------
    paired_test : The same comparison by the best method for the metric.

    Notes
    -----
    With the differences :math:`d_b` of B replicates, the two-sided p-value is

    .. math:: p = \frac{2}{B + 1} \min(1 + \#\{d_b \le 0\}, 1 + \#\{d_b \ge 0\})

    and the lower end of the interval at confidence :math:`1 - \alpha` is the replicate of rank k,
    the greatest integer below :math:`\alpha (B + 1) / 2`. If k is 0, or if the difference is
    outside its percentiles, there is no interval, but a note.

    Replicates on which the metric is undefined for either classifier are ignored, with a warning
    that reports their share. Two classifiers whose difference is 0 in every replicate have
    statistic 0 and p-value 1; with another constant difference the test is undefined: nan with a
    warning. Neither has an interval. Simulated sizes: ``python -m benchmarks.sizes`` and ``python
    -m benchmarks.random_sizes``.

    References
    ----------
    .. [1] Davison, A. C. and Hinkley, D. V. (1997). Bootstrap methods and their application. Cambridge
       University Press, sections 4.4 and 5.3.

    Examples
    --------
    >>> from skaucx.inference import paired_bootstrap_test
    >>> y_true = [1, 1, 1, 1, 0, 0, 0, 0] * 10
    >>> a = [0.9, 0.8, 0.7, 0.4, 0.5, 0.3, 0.2, 0.1] * 10
    >>> b = [0.9, 0.4, 0.6, 0.5, 0.7, 0.3, 0.2, 0.6] * 10
    >>> result = paired_bootstrap_test("scor_auc", y_true, a, b, random_state=0)
    >>> round(result.difference, 4), result.p_value < 0.001
    (0.225, True)
    """
    Sides.checked(alternative, confidence_level)
    groups = groups_of_blocks(blocks, groups, y_true, y_pred_a, y_pred_b)
    own = metric_or_function(metric, parameters)
    call = PairedCall(*own, y_true, (y_pred_a, y_pred_b), sample_weight, groups)
    estimates, replicates = call.estimates(), call.replicates()
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
        "the replicates of the difference have no variance",
    )
    if error > 0:
        p_value = _p_value(differences, shift, alternative)
        ends, note = _percentiles(differences, difference, confidence_level)
    else:
        p_value, ends = tail(statistic, alternative), (np.nan, np.nan)
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
    share = (1 + counts[alternative]) / (1 + len(differences))
    return float(min((1 + (alternative == "two-sided")) * share, 1))


def _percentiles(
    differences: Floats, difference: float, confidence_level: float
) -> tuple[tuple[float, float], str]:
    """Return the interval that excludes the null exactly if p < 1 - confidence_level."""
    ranked, tails = np.sort(differences), round((1 - confidence_level) / 2, 12)
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
    differences = np.where(np.abs(differences) <= _ROUNDING * np.abs(values[0]), 0, differences)
    defined = differences[np.isfinite(differences)]
    if len(defined) < len(differences):
        warn(
            f"The metric is undefined on {len(differences) - len(defined)} of {len(differences)} "
            "replicates, which are ignored.",
            UndefinedMetricWarning,
        )
    return defined


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

    Under the null hypothesis the predictions of both classifiers are exchangeable. The two
    predictions of each example are exchanged with probability 1/2, and the observed difference is
    compared with the differences after such exchanges. The true labels and class sizes are fixed.

    Parameters
    ----------
    metric : str or callable
        Name, alias or function of a metric of this package, or any function with signature
        ``metric(y_true, y_pred)`` that returns a number. Its keyword arrays, in `parameters` or bound
        by ``functools.partial``, need one entry per row and follow the rows; arrays in a closure or
        an attribute cannot be seen and stay as they are.
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        True labels.
    y_pred_a, y_pred_b : array-like of shape (n_samples,) or (n_samples, n_classes)
        Predictions of the two classifiers, as the metric requires: labels, scores or probabilities.
    n_resamples : int, default=9999
        Number of random exchanges, if they are not enumerated.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Alternative hypothesis for the difference a - b.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, for metrics of this package.
    **parameters
        Parameters of the metric.

    Returns
    -------
    ComparisonResult
        The statistic is the difference; there is no interval, because the test of exchangeability
        cannot be inverted for a difference.

    Raises
    ------
    ValueError, TypeError
        If an argument is invalid, or from the metric itself.

    Notes
    -----
    Small exact distributions are enumerated: for labels, up to a million tables of exchanged
    examples; for scores, if at most 14 examples differ. Otherwise the p-value is (1 + number at
    least as extreme) / (1 + n_resamples) [1]_. Exchanges after which the metric is undefined count
    as extreme.

    Scores are exchanged as ranks if the metric depends on their order only, so that classifiers
    with different scales can be compared [2]_. For other metrics the scores themselves are
    exchanged and must have the same scale. The null hypothesis is exchangeability, which is
    stronger than an equal metric.

    References
    ----------
    .. [1] Phipson, B. and Smyth, G. K. (2010). Permutation p-values should never be zero.
       Statistical Applications in Genetics and Molecular Biology 9(1), 39.
    .. [2] Bandos, A. I., Rockette, H. E. and Gur, D. (2005). A permutation test sensitive to
       differences in areas for comparing ROC curves from a paired design. Statistics in Medicine 24,
       2873-2893.

    Examples
    --------
    >>> from skaucx.inference import paired_permutation_test
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
    own = metric_or_function(metric, parameters)
    call = PairedCall(*own, y_true, (y_pred_a, y_pred_b), sample_weight)
    estimates = call.estimates()
    replicates = call.ranked(estimates).replicates()
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


Method = Literal["auto", "delong", "mcnemar", "influence", "bootstrap"]
_METHODS = ("delong", "mcnemar", "influence", "bootstrap")
# A standard error relative to the difference that can be rounding error.
_ROUNDING_OF_ERRORS = 1e-12
_NO_CHANGE = "no row changes the difference"


def paired_test(
    metric: Any,
    y_true: Any,
    y_pred_a: Any,
    y_pred_b: Any,
    *,
    method: Method = "auto",
    alternative: Alternative = "two-sided",
    margin: float = 0.0,
    groups: Any = None,
    blocks: int | str | None = None,
    n_resamples: int = 2000,
    stratify: bool = False,
    confidence_level: float = 0.95,
    random_state: Any = None,
    sample_weight: Any = None,
    judged: Any = None,
    labelled: Any = None,
    strata: Any = None,
    inclusion: Any = None,
    **parameters: Any,
) -> ComparisonResult:
    r"""Compare two classifiers on the same examples by any metric, by the best method for it.

    Parameters
    ----------
    metric : str or callable
        Name, alias or function of a metric of this package, or any function with signature
        ``metric(y_true, y_pred)`` that returns a number. Its keyword arrays, in `parameters` or bound
        by ``functools.partial``, need one entry per row and follow the rows; arrays in a closure or
        an attribute cannot be seen and stay as they are.
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        True labels.
    y_pred_a, y_pred_b : array-like of shape (n_samples,) or (n_samples, n_classes)
        Predictions of the two classifiers, as the metric requires: labels, scores or probabilities.
    method : {"auto", "delong", "mcnemar", "influence", "bootstrap"}, default="auto"
        "delong": :func:`delong_test`, for the AUC and its variants that are means over pairs. "mcnemar":
        McNemar's test without correction, for the accuracy. "influence": Student's t of the
        differences of influences by row, for metrics with influence curves; for means over rows,
        such as the Brier score, it is the paired t test of the losses. "bootstrap":
        :func:`paired_bootstrap_test`, for any metric. "auto" is the first that applies; for
        predicted labels without weights and groups the bootstrap precedes "influence".
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Alternative hypothesis for the difference a - b.
    margin : float, default=0
        Non-inferiority margin: "greater" tests whether a - b is above -margin, "less" whether it is
        below margin.
    groups : array-like of shape (n_samples,), default=None
        Clusters, such as the examples of one patient: groups are the random sample.
    blocks : int, "auto" or None, default=None
        Length of blocks of consecutive rows, for serially dependent rows; see :func:`interval`.
    n_resamples : int, default=2000
        Number of resamples of the bootstrap.
    stratify : bool, default=False
        Whether the class counts are fixed by design, as in a case-control study. Only the bootstrap
        supports it; "auto" then uses the bootstrap, except for means over pairs.
    confidence_level : float, default=0.95
        Nominal coverage of the interval, in (0, 1).
    random_state : int, RandomState, Generator or None, default=None
        Seed of the bootstrap.
    sample_weight : array-like of shape (n_samples,), default=None
        Sampling weights, for metrics of this package.
    judged, labelled, strata, inclusion
        Gold labels of some rows only, corrected by a judge's labels of all; see :func:`interval`. The
        test is then by influence curves.
    **parameters
        Parameters of the metric.

    Returns
    -------
    ComparisonResult
        The estimates, their difference with its interval, and the test, all from one statistic: the
        two-sided p-value is below 1 - confidence_level exactly where the interval excludes 0.

    Raises
    ------
    ValueError, TypeError
        If an argument is invalid, the method does not apply to the metric, or from the metric
        itself.

    Notes
    -----
    The variance of the difference of two smooth metrics of the same rows is

    .. math:: \frac{n}{n - 1} \sum_i (\psi_i^a - \psi_i^b)^2

    with the influences :math:`\psi` of the rows [1]_. With groups they are summed within groups
    before squaring, and n is the number of groups. The class counts are random with the rows.

    Predicted labels are resampled as counts, at a cost independent of n. With 20 positives among
    200, the nominal 5 % test of two recalls has a size of 8.8 % with "influence" and 4.9 % with the
    bootstrap (``python -m benchmarks.random_sizes``).

    References
    ----------
    .. [1] Efron, B. (1982). The jackknife, the bootstrap and other resampling plans. SIAM, chapter 6.

    Examples
    --------
    >>> from skaucx.inference import paired_test
    >>> y_true = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> a, b = [0.9, 0.8, 0.7, 0.4, 0.5, 0.3, 0.2, 0.1], [0.9, 0.4, 0.6, 0.5, 0.7, 0.3, 0.2, 0.6]
    >>> paired_test("brier_score", y_true, a, b)
    Paired t test of brier_score_loss
      statistic -1.7979, p-value 0.1152
      estimates 0.1113, 0.2200
      difference -0.1087, 95 % interval -0.2518 to 0.0343
      target: these predictions
    """
    check_choice("method", method, ("auto", *_METHODS))
    Sides.checked(alternative, confidence_level)
    by_class = check_flag("stratify", stratify)
    function, parameters = metric_or_function(metric, parameters)
    groups = groups_of_blocks(blocks, groups, y_true, y_pred_a, y_pred_b)
    sides: dict[str, Any] = {"alternative": alternative, "confidence_level": confidence_level}
    null = null_difference(margin, alternative)
    call = PairedCall(function, parameters, y_true, (y_pred_a, y_pred_b), sample_weight, groups)
    gold = {"judged": judged, "labelled": labelled, "strata": strata, "inclusion": inclusion}
    if any(each is not None for each in gold.values()):
        if method not in ("auto", "influence") or by_class:
            raise ValueError(
                "Gold labels of some rows are compared by influence curves: leave out stratify, and "
                f"take method='auto', found {method!r}."
            )
        return call.by_gold(gold, null=null, **sides)
    # Resampling the counts of independent labels is cheap.
    counted = call.independent and call.function.metric.kind.counted
    skipped = "influence" if counted else ""
    order = [name for name in _METHODS if name != skipped] if method == "auto" else [method]
    applies = {
        "delong": call.has_placements,
        "mcnemar": not (margin or by_class) and bool(call.counts_right),
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
        if call.counts_right > 0:
            return mcnemar_test(y_true, y_pred_a, y_pred_b, method="asymptotic", **sides)
        # The second has as much more wrong as the first has right.
        found = mcnemar_test(y_true, y_pred_b, y_pred_a, method="asymptotic", **sides)
        return replace(found, estimates=tuple(1 - each for each in found.estimates[::-1]))
    draws = {"n_resamples": n_resamples, "stratify": by_class, "random_state": random_state}
    return paired_bootstrap_test(
        function, y_true, y_pred_a, y_pred_b, **draws, **rows, **parameters
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
        As for :func:`skaucx.inference.group_mean`.
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
    >>> from skaucx.inference import group_mean_test
    >>> rng = np.random.default_rng(0)
    >>> query, y = np.repeat(np.arange(50), 8), rng.integers(2, size=400)
    >>> better, worse = y + rng.normal(size=400), rng.normal(size=400)
    >>> group_mean_test("ndcg", y, better, worse, groups=query, k=5).p_value < 0.001
    True
    """
    sides = Sides.checked(alternative, confidence_level)
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
        **sides._asdict(),
        target="the mean over groups of the population",
    )
