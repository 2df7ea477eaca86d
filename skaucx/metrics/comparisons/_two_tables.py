"""Two independent confusion tables, compared by a metric of predicted labels."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from scipy import stats

from ..._options import check_choice, check_confidence_level
from .._records.counts import given_table
from .._registry.names import named_metric
from .._resampling.sample import LabelSample
from ..estimation._influence import share_of, table_function
from ..estimation._interval import intervals_of_sample
from ..estimation._result import Interval
from ..estimation._samples import sample_of_counts_given
from ..estimation._sides import Alternative, Sides, check_alternative
from ._result import ComparisonResult, null_difference, studentised, tail

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
        Counts of two samples of different examples; ``Counts(tp=45, fp=0, fn=5, tn=0)`` where
        only the positives were counted.
    layout : str, default=None
        That of tables, as for :func:`evaluate`; None is "tn fp fn tp", or "true rows".
    method : {"auto", "mid-p", "fisher", "boschloo", "score", "delta"}, default="auto"
        Of shares of some counts among others (recall, specificity, precision, accuracy ...): Fisher's
        exact test, its mid-p form [1]_, Boschloo's test, or the score test at a difference [2]_. Of any
        metric: the delta method. "auto" is "mid-p" for shares, "score" with a margin, else "delta".
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What the difference a - b is under the alternative.
    margin : float, default=0
        Test non-inferiority: with "greater" whether a - b is above -margin, with "less" below margin.
    confidence_level : float, default=0.95
        Nominal coverage of the interval, in (0, 1).
    **parameters
        Parameters of the metric, such as ``average="macro"``.

    Returns
    -------
    ComparisonResult
        The interval of the difference is Newcombe's hybrid of the intervals of both [3]_: with estimates
        and ends :math:`\theta_i, l_i, u_i` it starts at

        .. math:: \theta_1 - \theta_2 - \sqrt{(\theta_1 - l_1)^2 + (u_2 - \theta_2)^2}

    Raises
    ------
    ValueError
        If the metric does not judge labels, a method is asked for that it does not have, or an argument
        has a value that is not among those described.

    Notes
    -----
    Both tables must count different examples. For two classifiers on the same examples take
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

    Examples
    --------
    >>> from skaucx.metrics import Counts, two_table_test
    >>> a, b = Counts(tp=56, fp=0, fn=14, tn=0), Counts(tp=48, fp=0, fn=32, tn=0)
    >>> two_table_test("recall", a, b)
    Fisher's exact test, mid-p of recall, two tables
      statistic 0.2000, p-value 0.0084
      estimates 0.8000, 0.6000
      difference 0.2000, 95 % interval 0.0524 to 0.3339
    """
    sides = Sides(check_alternative(alternative), check_confidence_level(confidence_level))
    shift = null_difference(margin, alternative)
    named = named_metric(metric)
    samples = [sample_of_counts_given(named.row, counts, layout) for counts in (counts_a, counts_b)]
    level = sides.two_sided
    a, b = (
        intervals_of_sample([named], sample, parameters, confidence_level=level)[named.key]
        for sample in samples
    )
    options = {name: o.default for name, o in named.function.options.items()}
    options = options | dict(named.parameters) | parameters
    options = {k: v for k, v in options.items() if k not in ("labels", "sample_weight")}
    shares = [share_of(sample, named.row, options) for sample in samples]
    if any(np.ndim(each.estimate) for each in (a, b)):
        raise ValueError("The metric must give one number; name an average such as 'macro'.")
    known = None if None in shares else tuple(shares)
    how = _method(method, known, shift, named.row.name)
    errors = [_error(sample, named.row, options) for sample in samples]
    difference, error = float(a.estimate - b.estimate), math.hypot(*errors)
    if how == "delta":
        why = "neither table has any variance"
        statistic = studentised(difference - shift, error, "The test of two tables", why)
        p_value = float(tail(statistic, alternative))
    else:
        statistic, p_value = _of_shares(how, known, shift, alternative)
    return ComparisonResult(
        method=f"{_NAMES[how]} of {named.row.name}, two tables",
        statistic=statistic,
        p_value=p_value,
        estimates=(float(a.estimate), float(b.estimate)),
        difference=difference,
        standard_error=error,
        interval=_hybrid(a, b, sides, named.row.bounds),
        confidence_level=float(confidence_level),
        alternative=alternative,
        note=max(given_table(counts, layout).note for counts in (counts_a, counts_b)),
    )


def _method(method: Any, shares: Any, shift: float, name: str) -> str:
    """Return the method to use, or refuse one that does not apply."""
    own = _OF_SHARES if shares is not None else ("delta",)
    how = str(check_choice("method", method, ("auto", *_NAMES)))
    if how == "auto":
        return own[0] if shares is None or not shift else "score"
    if how not in own:
        raise ValueError(
            f"{name} is no share of counts, so method={how!r} does not apply; use 'delta'."
        )
    if shift and how not in ("score", "delta"):
        raise ValueError(f"margin needs method='score' or 'delta', found {how!r}.")
    return how


def _error(sample: LabelSample, row: Any, options: Any) -> float:
    value = table_function(sample, row, options)
    return float(value.standard_error(sample.state.table))


def _hybrid(a: Interval, b: Interval, sides: Sides, bounds: Any) -> tuple[float, float]:
    """Return the ends of the difference from those of both intervals."""
    middle = a.estimate - b.estimate
    low = middle - math.hypot(a.estimate - a.low, b.high - b.estimate)
    high = middle + math.hypot(a.high - a.estimate, b.estimate - b.low)
    width = bounds[1] - bounds[0]
    ends = sides.ends(low, high, (-width, width))
    return float(ends[0]), float(ends[1])


def _of_shares(
    how: str, shares: Any, shift: float, alternative: Alternative
) -> tuple[float, float]:
    """Return statistic and p-value of two shares x of n."""
    (x, m), (y, n) = ((round(part), round(whole)) for part, whole in shares)
    if not (m and n):
        return math.nan, math.nan
    if how == "score":
        z = _score(x, m, y, n, shift)
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


def _score(x: int, m: int, y: int, n: int, shift: float) -> float:
    """Return the difference minus `shift` over its error at the likeliest shares that far apart.

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
    return studentised(p - q - shift, error, "The score test", "both shares are 0 or both are 1")
