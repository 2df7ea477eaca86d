"""Tests of two classifiers on different rows, by their confusion tables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from ..._arguments import MetricLike
from ..._options import Alternative, Confidence, check_choice
from ...metrics._records.counts import Counts, given_table
from ...metrics._registry.declare import options_of_state
from ...metrics._registry.names import named_metric
from ...metrics._registry.row import Metric
from ...metrics._registry.samples import MetricOnSample
from .._intervals.closed_forms import analytic_intervals
from .._intervals.interval import (
    noted,
    sample_of_counts_given,
)
from .._intervals.means import table_function
from .._intervals.proportions import form_of
from .result import (
    EXACT,
    ComparisonResult,
    accepted_range,
    half_width,
    inverted,
    null_difference,
    studentised,
    tail,
)

TableMethod = Literal["auto", "mid-p", "fisher"]

_NAMES = {
    "mid-p": "Fisher's exact test, mid-p",
    "fisher": "Fisher's exact test",
    "score": "Score test (Farrington and Manning)",
    "delta": "Delta method",
}


def two_table_test(
    metric: MetricLike,
    counts_a: Counts | ArrayLike,
    counts_b: Counts | ArrayLike,
    *,
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
    method : {"auto", "mid-p", "fisher"}, default="auto"
        For proportions (recall, specificity, precision, accuracy ...): Fisher's exact test, or its
        mid-p form [1]_. "auto" is "mid-p" for proportions, with a margin the score test [2]_, and for
        other metrics the delta method, from the intervals of both tables.
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
    The interval of the delta method is Newcombe's hybrid of the two intervals of :func:`interval` [3]_:
    with estimates and limits :math:`\theta_i, l_i, u_i` its lower limit is

    .. math:: \theta_1 - \theta_2 - \sqrt{(\theta_1 - l_1)^2 + (u_2 - \theta_2)^2}

    Its statistic is the z at which this interval begins to contain 0, or the margin. The exact
    tests have the same interval. The interval of the score test contains the differences that the test
    accepts [2]_. For ratios, interval and test use the difference of logarithms [4]_,

    .. math:: \log \frac{\theta_1}{\theta_2} \pm z \sqrt{s_1^2 / \theta_1^2 + s_2^2 / \theta_2^2}

    with the standard errors s of the delta method; if a ratio is 0 or infinite, two examples are
    added over the cells of both tables.

    The tables must count different examples. For two classifiers on the same examples use
    :func:`mcnemar_test` or ``paired_test(method="permutation")``, which need the rows.

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
    sides = Confidence(confidence_level, alternative=alternative)
    shift = null_difference(margin, alternative)
    named = named_metric(metric)
    samples = [sample_of_counts_given(named.row, counts) for counts in (counts_a, counts_b)]
    assumed = max(given_table(counts).note for counts in (counts_a, counts_b))
    options = options_of_state(named.function, {**named.parameters, **parameters})
    tables = [_Table(named.row, sample, options) for sample in samples]
    a, b = (table.estimate for table in tables)
    forms: Any = [table.form for table in tables]
    # Of a metric that is linear in a share the test is that of the share.
    known, slope = None, 1.0
    if all(each is not None and each.linear for each in forms):
        slopes = {float(np.diff(each.at(np.arange(2.0)))[0]) for each in forms}
        if len(slopes) == 1:  # micro averages over other numbers of classes differ
            known, slope = tuple((each.part, each.whole) for each in forms), slopes.pop()
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
        # A lower limit loses the distances to the lower limit of a and to the upper one of b.
        low = a - b - math.hypot(a - low_a, high_b - b)
        return low, a - b + math.hypot(high_a - a, b - low_b)

    ends = hybrid
    if how == "delta":
        statistic = inverted(hybrid, a - b, shift)
        p_value = float(tail(statistic, alternative))
    else:
        statistic, p_value = _of_shares(how, known, shift / slope, alternative)
        if how == "score" and known is not None and all(whole for _, whole in known):
            ends = partial(_not_rejected, known, slope)
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
        self.own, self.form = table_function(on), form_of(on)
        estimate = on.filled()  # warns where it is undefined
        if np.ndim(estimate):
            raise ValueError("The metric must return one number; name an average such as 'macro'.")
        self.estimate = math.nan if np.isnan(on.unfilled) else float(estimate)
        self.error = float(self.own.standard_error)

    def ends(self, level: float) -> tuple[float, float]:
        """Return the limits of the "auto" interval."""
        found = next(iter(analytic_intervals(self.on).values()))(level)
        return float(found.low), float(found.high)

    def logarithm(self, *, full: bool) -> tuple[float, float]:
        """Return the logarithm of the value and its standard error, of the smoothed table if `full`."""
        own = self.own.smoothed() if full else self.own
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(np.log(own.value)), float(own.standard_error / own.value)


def _ratio(
    found: ComparisonResult, name: str, tables: list[_Table], shift: float, sides: Confidence
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
        note="each table is smoothed: two examples, spread over its cells, are added"
        if full and not undefined
        else "",
    )


def _method(method: Any, shares: Any, shift: float, name: str) -> str:
    """Return the method to use; raise an error for one that does not apply."""
    how = str(check_choice("method", method, ("auto", "mid-p", "fisher")))
    if how == "auto":
        return "delta" if shares is None else "score" if shift else "mid-p"
    if shares is None:
        raise ValueError(f"{name} is not a proportion, so method={how!r} does not apply; omit it.")
    if shift:
        raise ValueError(f"margin has the score test, found method={how!r}; omit the method.")
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
    if how == "fisher":
        return x / m - y / n, float(stats.fisher_exact(table, alternative=alternative).pvalue)
    # Given both margins x is hypergeometric; half of the probability of x itself counts.
    law = stats.hypergeom(m + n, x + y, m)
    half = law.pmf(x) / 2
    tails = {"greater": law.sf(x) + half, "less": law.cdf(x) - half}
    both = min(2 * min(tails.values()), 1.0)
    return x / m - y / n, float(tails.get(alternative, both))


def _not_rejected(shares: Any, slope: float, level: float) -> tuple[float, float]:
    """Return the least and the greatest difference that the score test of the shares accepts."""
    (x, m), (y, n) = ((round(part), round(whole)) for part, whole in shares)
    reach = half_width(1.0, level)

    def accepts(shift: float) -> bool:
        gap, error = _score(x, m, y, n, shift)
        return abs(gap) <= reach * error

    low, high = accepted_range(accepts, x / m - y / n, (-1.0, 1.0))
    return slope * low, slope * high


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
    # The middle root of a p^3 + b p^2 + c p + d = 0, by its trigonometric form.
    w = (math.pi + math.acos(min(max(v / u**3, -1), 1) if u else 0)) / 3
    first = min(max(2 * u * math.cos(w) - b / (3 * a), max(shift, 0)), min(1, 1 + shift))
    second = first - shift
    error = math.sqrt(max(first * (1 - first) / m + second * (1 - second) / n, 0))
    return p - q - shift, error
