"""Tests of predicted labels: McNemar's, Cochran's Q, and two independent confusion tables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
from scipy import stats

from ..._arrays import Array, Codes, Floats, group_codes
from ..._deprecation import renamed_argument
from ..._options import Alternative, check_choice
from .._records.counts import given_table
from .._records.inputs import check_label_pair
from .._registry.declare import options_of_state
from .._registry.names import named_metric
from .._registry.row import Metric
from .._resampling.sample import MetricOnSample
from ..estimation._closed_forms import forms, note_of_groups, share_of, smoothed, table_function
from ..estimation._interval import Sides, noted, sample_of_counts_given
from ._comparison_result import (
    EXACT,
    ComparisonResult,
    accepted_range,
    half_width,
    inverted,
    null_difference,
    studentised,
    tail,
)


@renamed_argument("level", "confidence_level")
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
    >>> from skaucx.metrics import mcnemar_test
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
    >>> from skaucx.metrics.comparisons import cochran_q_test
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


Method = Literal["auto", "mid-p", "fisher", "boschloo", "score", "delta"]
_OF_SHARES = ("mid-p", "fisher", "boschloo", "score", "delta")
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
    method: Method = "auto",
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
    >>> from skaucx.metrics.comparisons import two_table_test
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
        estimate = on.settled()  # warns where it is undefined
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
    own = _OF_SHARES if shares is not None else ("delta",)
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
    if how == "boschloo":
        return x / m - y / n, float(stats.boschloo_exact(table, alternative=alternative).pvalue)
    if how == "fisher":
        return x / m - y / n, float(stats.fisher_exact(table, alternative=alternative).pvalue)
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
