"""Sample size and power: of an AUC, of a difference of two, of sensitivity and specificity.

A count of positives and negatives is planned so that a test of the given size finds an effect with
the given probability. With the effect d, its variance V0 under the null hypothesis and VA under the
alternative, each times the number n of positives,

    sqrt(n) |d| = z(alpha) sqrt(V0) + z(power) sqrt(VA)

where z is the upper quantile of the normal distribution, at alpha / 2 for a two-sided test.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from scipy import stats

from ._options import Interval, check_choice

Variance = Literal["obuchowski", "hanley-mcneil"]
Sides = Literal["two-sided", "one-sided"]

_OPEN_SHARE = Interval(0, 1, open_low=True, open_high=True)
_ABOVE_ZERO = Interval(0, math.inf, open_low=True)


@dataclass(frozen=True)
class SampleSize:
    """How many examples a study needs.

    Attributes
    ----------
    n_positive, n_negative : int
        Examples of the two classes.
    power : float
        Probability that the test with these numbers finds the effect; nan where the size was asked
        for a half-width.

    Examples
    --------
    >>> from skaucx.metrics import roc_auc_sample_size
    >>> roc_auc_sample_size(0.7, power=0.9).total
    82
    """

    n_positive: int
    n_negative: int
    power: float

    @property
    def total(self) -> int:
        """Examples of both classes."""
        return self.n_positive + self.n_negative


def roc_auc_power(
    auc: float,
    n_positive: float,
    n_negative: float,
    *,
    null: float = 0.5,
    alpha: float = 0.05,
    alternative: Sides = "two-sided",
    variance: Variance = "obuchowski",
) -> float:
    r"""Probability that a test finds an AUC to differ from a null value.

    Parameters
    ----------
    auc : float
        The true AUC, in (0, 1).
    n_positive, n_negative : float
        Examples of the two classes, above 0.
    null : float, default=0.5
        AUC under the null hypothesis, in (0, 1).
    alpha : float, default=0.05
        Size of the test, in (0, 1).
    alternative : {"two-sided", "one-sided"}, default="two-sided"
    variance : {"obuchowski", "hanley-mcneil"}, default="obuchowski"
        Variance of the AUC: of the binormal model [1]_ or of the negative-exponential one [2]_.

    Returns
    -------
    float
        In (0, 1).

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Notes
    -----
    The variances are

    .. math:: V_{binormal} = 0.0099 e^{-A^2/2} ((5 A^2 + 8) / P + (A^2 + 8) / N), A = 1.414
        \Phi^{-1}(AUC)

    with the constants as printed in [1]_, equations 2 and 3, and the one of [2]_ as
    :func:`roc_auc_sample_size` describes it. The chance of a significant result in the wrong
    direction is left out.

    References
    ----------
    .. [1] Obuchowski, N. A., Lieber, M. L. and Wians, F. H. (2004). ROC curves in clinical
       chemistry: uses, misuses, and possible solutions. Clinical Chemistry 50, 1118-1125.
    .. [2] Hanley, J. A. and McNeil, B. J. (1982). The meaning and use of the area under a receiver
       operating characteristic (ROC) curve. Radiology 143, 29-36.

    Examples
    --------
    >>> from skaucx.metrics import roc_auc_power
    >>> round(roc_auc_power(0.73, 41, 72), 4)
    0.9897
    """
    plan = _one_auc(auc, null, alpha, alternative, variance)
    return plan.power(*_sizes(n_positive, n_negative))


def roc_auc_sample_size(
    auc: float,
    *,
    null: float = 0.5,
    ratio: float = 1.0,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: Sides = "two-sided",
    variance: Variance = "obuchowski",
) -> SampleSize:
    r"""Number of examples with which a test finds an AUC to differ from a null value.

    Parameters
    ----------
    auc : float
        The true AUC, in (0, 1).
    null : float, default=0.5
        AUC under the null hypothesis, in (0, 1).
    ratio : float, default=1
        Negatives for each positive, above 0.
    power : float, default=0.8
        Wanted probability of a significant result, in (0, 1).
    alpha : float, default=0.05
        Size of the test, in (0, 1).
    alternative : {"two-sided", "one-sided"}, default="two-sided"
    variance : {"obuchowski", "hanley-mcneil"}, default="obuchowski"
        Variance of the AUC: of the binormal model [1]_ or of the negative-exponential one [2]_.

    Returns
    -------
    SampleSize
        Rounded up, so that :func:`roc_auc_power` of it is at least `power`.

    Raises
    ------
    ValueError
        If an argument is out of its range, or `auc` is equal to `null`.

    Notes
    -----
    The binormal variance stands in :func:`roc_auc_power`; the other one, with P positives and N
    negatives, is

    .. math:: (A (1 - A) + (P - 1) (A / (2 - A) - A^2) + (N - 1) (2 A^2 / (1 + A) - A^2)) / (P N)

    of which the leading terms for large P and N are taken here, as the tables of [2]_ do.

    References
    ----------
    .. [1] Obuchowski, N. A., Lieber, M. L. and Wians, F. H. (2004). ROC curves in clinical
       chemistry: uses, misuses, and possible solutions. Clinical Chemistry 50, 1118-1125.
    .. [2] Hanley, J. A. and McNeil, B. J. (1982). The meaning and use of the area under a receiver
       operating characteristic (ROC) curve. Radiology 143, 29-36.

    Examples
    --------
    >>> from skaucx.metrics import roc_auc_sample_size
    >>> size = roc_auc_sample_size(0.8, ratio=4, power=0.9, alternative="one-sided")
    >>> size.n_positive, size.n_negative, round(size.power, 3)
    (9, 36, 0.905)
    """
    plan = _one_auc(auc, null, alpha, alternative, variance)
    return plan.size(ratio, power)


def roc_auc_difference_power(
    auc_a: float,
    auc_b: float,
    n_positive: float,
    n_negative: float,
    *,
    correlation: float = 0.0,
    alpha: float = 0.05,
    alternative: Sides = "two-sided",
    variance: Variance = "obuchowski",
) -> float:
    """Probability that a test finds two AUCs to differ.

    Parameters
    ----------
    auc_a, auc_b : float
        The true AUCs, in (0, 1); the first is the one that both have under the null hypothesis.
    n_positive, n_negative : float
        Examples of the two classes, above 0; in each of the two samples if they are unpaired.
    correlation : float, default=0
        Correlation of the two estimates, in (-1, 1): 0 for two samples (unpaired); for two
        classifiers on the same examples that of their AUCs, such as 0.5.
    alpha : float, default=0.05
        Size of the test, in (0, 1).
    alternative : {"two-sided", "one-sided"}, default="two-sided"
    variance : {"obuchowski", "hanley-mcneil"}, default="obuchowski"
        As :func:`roc_auc_power` takes it.

    Returns
    -------
    float
        In (0, 1).

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Notes
    -----
    With variances V1 and V2 and correlation r the variance of the difference is 2 V1 (1 - r) under
    the null hypothesis and V1 + V2 - 2 r sqrt(V1 V2) under the alternative [1]_ [2]_.

    References
    ----------
    .. [1] Obuchowski, N. A. and McClish, D. K. (1997). Sample size determination for diagnostic
       accuracy studies involving binormal ROC curve indices. Statistics in Medicine 16, 1529-1542.
    .. [2] Hanley, J. A. and McNeil, B. J. (1983). A method of comparing the areas under receiver
       operating characteristic curves derived from the same cases. Radiology 148, 839-843.

    Examples
    --------
    >>> from skaucx.metrics import roc_auc_difference_power
    >>> round(roc_auc_difference_power(0.75, 0.85, 100, 100, correlation=0.5), 3)
    0.793
    """
    plan = _two_aucs(auc_a, auc_b, correlation, alpha, alternative, variance)
    return plan.power(*_sizes(n_positive, n_negative))


def roc_auc_difference_sample_size(
    auc_a: float,
    auc_b: float,
    *,
    correlation: float = 0.0,
    ratio: float = 1.0,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: Sides = "two-sided",
    variance: Variance = "obuchowski",
) -> SampleSize:
    """Number of examples with which a test finds two AUCs to differ.

    Parameters
    ----------
    auc_a, auc_b : float
        The true AUCs, in (0, 1); the first is the one that both have under the null hypothesis.
    correlation : float, default=0
        Correlation of the two estimates, in (-1, 1): 0 for two samples (unpaired); for two
        classifiers on the same examples that of their AUCs, such as 0.5.
    ratio : float, default=1
        Negatives for each positive, above 0.
    power : float, default=0.8
        Wanted probability of a significant result, in (0, 1).
    alpha : float, default=0.05
        Size of the test, in (0, 1).
    alternative : {"two-sided", "one-sided"}, default="two-sided"
    variance : {"obuchowski", "hanley-mcneil"}, default="obuchowski"
        As :func:`roc_auc_power` takes it.

    Returns
    -------
    SampleSize
        Examples of each of the two samples if they are unpaired, of the only one if paired; rounded
        up.

    Raises
    ------
    ValueError
        If an argument is out of its range, or the AUCs are equal.

    References
    ----------
    .. [1] Obuchowski, N. A. and McClish, D. K. (1997). Sample size determination for diagnostic
       accuracy studies involving binormal ROC curve indices. Statistics in Medicine 16, 1529-1542.
    .. [2] Hanley, J. A. and McNeil, B. J. (1983). A method of comparing the areas under receiver
       operating characteristic curves derived from the same cases. Radiology 148, 839-843.

    Examples
    --------
    >>> from skaucx.metrics import roc_auc_difference_sample_size
    >>> roc_auc_difference_sample_size(0.75, 0.85, correlation=0.5).total
    204
    """
    plan = _two_aucs(auc_a, auc_b, correlation, alpha, alternative, variance)
    return plan.size(ratio, power)


def rate_power(
    rate: float, n: float, *, null: float, alpha: float = 0.05, alternative: Sides = "two-sided"
) -> float:
    """Probability that a test finds a sensitivity or specificity to differ from a null value.

    Parameters
    ----------
    rate : float
        The true sensitivity (or specificity), in (0, 1).
    n : float
        Number of positives (or negatives), above 0.
    null : float
        Value under the null hypothesis, in (0, 1).
    alpha : float, default=0.05
        Size of the test, in (0, 1).
    alternative : {"two-sided", "one-sided"}, default="two-sided"

    Returns
    -------
    float
        In (0, 1), by the normal approximation [1]_.

    Raises
    ------
    ValueError
        If an argument is out of its range.

    References
    ----------
    .. [1] Obuchowski, N. A. (1998). Sample size calculations in studies of test accuracy.
       Statistical Methods in Medical Research 7, 371-392.

    Examples
    --------
    >>> from skaucx.metrics import rate_power
    >>> round(rate_power(0.9, 100, null=0.8), 3)
    0.764
    """
    plan = _one_rate(rate, null, alpha, alternative)
    return plan.power(_ABOVE_ZERO.check("n", n), math.inf)


def rate_sample_size(
    rate: float,
    *,
    null: float | None = None,
    half_width: float | None = None,
    prevalence: float = 0.5,
    of: Literal["positives", "negatives"] = "positives",
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: Sides = "two-sided",
) -> SampleSize:
    r"""Number of examples for a sensitivity or a specificity: for a test, or for a precision.

    Parameters
    ----------
    rate : float
        The true sensitivity (or specificity), in (0, 1).
    null : float, default=None
        Value under the null hypothesis: plan a test that finds the difference.
    half_width : float, default=None
        Instead of `null`: plan an interval of level 1 - `alpha` that reaches so far to either side.
    prevalence : float, default=0.5
        Share of positives among the examples to be collected, in (0, 1).
    of : {"positives", "negatives"}, default="positives"
        The class that the rate is a share of: positives for a sensitivity, negatives for a
        specificity.
    power : float, default=0.8
        Wanted probability of a significant result, in (0, 1); for a test only.
    alpha : float, default=0.05
        Size of the test, or 1 - level of the interval, in (0, 1).
    alternative : {"two-sided", "one-sided"}, default="two-sided"

    Returns
    -------
    SampleSize
        So many of both classes that enough of the class in question are expected among them.

    Raises
    ------
    ValueError
        If an argument is out of its range, or not one of `null` and `half_width` is given.

    Notes
    -----
    With p the rate and p0 the null value the class in question needs [1]_

    .. math:: n = (z_\alpha \sqrt{p_0 (1 - p_0)} + z_\beta \sqrt{p (1 - p)})^2 / (p - p_0)^2

    examples for a test, and for a half-width w

    .. math:: n = z_\alpha^2 p (1 - p) / w^2

    of which prevalence makes n / prevalence examples in all for a sensitivity [2]_.

    References
    ----------
    .. [1] Obuchowski, N. A. (1998). Sample size calculations in studies of test accuracy.
       Statistical Methods in Medical Research 7, 371-392.
    .. [2] Buderer, N. M. F. (1996). Statistical methodology: I. Incorporating the prevalence of
       disease into the sample size calculation for sensitivity and specificity. Academic Emergency
       Medicine 3, 895-900.

    Examples
    --------
    >>> from skaucx.metrics import rate_sample_size
    >>> rate_sample_size(0.9, half_width=0.1, prevalence=0.2)
    SampleSize(n_positive=35, n_negative=140, power=nan)
    >>> rate_sample_size(0.9, null=0.8, of="negatives").n_negative
    108
    """
    check_choice("of", of, ("positives", "negatives"))
    share = _OPEN_SHARE.check("prevalence", prevalence)
    if (null is None) == (half_width is None):
        raise ValueError(
            "One of null (to plan a test) and half_width (to plan an interval) must be given, found "
            f"null={null!r} and half_width={half_width!r}."
        )
    if half_width is not None:
        n, reached = math.ceil(_needed_for_width(rate, half_width, alpha, alternative)), math.nan
    else:
        plan = _one_rate(rate, null, alpha, alternative)
        n = max(math.ceil(plan.needed(math.inf, power)), 1)
        reached = plan.power(n, math.inf)
    others = math.ceil(n * ((1 - share) / share if of == "positives" else share / (1 - share)))
    positives, negatives = (n, others) if of == "positives" else (others, n)
    return SampleSize(positives, negatives, reached)


@dataclass(frozen=True)
class _Plan:
    """An effect, and the variance of its estimate as a function of both class sizes."""

    effect: float
    under_null: Callable[[float, float], float]
    under_alternative: Callable[[float, float], float]
    z: float

    def power(self, positives: float, negatives: float) -> float:
        """Return the probability of a significant result in the direction of the effect."""
        room = abs(self.effect) - self.z * math.sqrt(self.under_null(positives, negatives))
        error = math.sqrt(self.under_alternative(positives, negatives))
        return float(stats.norm.cdf(room / error))

    def needed(self, ratio: float, power: float) -> float:
        """Return the number of positives, not rounded, with `ratio` negatives for each."""
        if self.effect == 0:
            raise ValueError("The effect is 0: no sample is large enough to find it.")
        z = float(stats.norm.ppf(_OPEN_SHARE.check("power", power)))
        errors = self.z * math.sqrt(self.under_null(1, ratio))
        errors += z * math.sqrt(self.under_alternative(1, ratio))
        return (max(errors, 0) / self.effect) ** 2

    def size(self, ratio: float, power: float) -> SampleSize:
        """Return the smallest sample, rounded up."""
        ratio = _ABOVE_ZERO.check("ratio", ratio)
        needed = self.needed(ratio, power)
        positives, negatives = max(math.ceil(needed), 1), max(math.ceil(ratio * needed), 1)
        return SampleSize(positives, negatives, self.power(positives, negatives))


def _one_auc(auc: float, null: float, alpha: float, alternative: Sides, variance: str) -> _Plan:
    a, a0 = _OPEN_SHARE.check("auc", auc), _OPEN_SHARE.check("null", null)
    of = _VARIANCES[check_choice("variance", variance, _VARIANCES)]
    z = _upper_quantile(alpha, alternative)
    return _Plan(a - a0, lambda p, n: of(a0, p, n), lambda p, n: of(a, p, n), z)


def _two_aucs(
    auc_a: float, auc_b: float, correlation: float, alpha: float, alternative: Sides, variance: str
) -> _Plan:
    a, b = _OPEN_SHARE.check("auc_a", auc_a), _OPEN_SHARE.check("auc_b", auc_b)
    r = Interval(-1, 1, open_low=True, open_high=True).check("correlation", correlation)
    of = _VARIANCES[check_choice("variance", variance, _VARIANCES)]

    def under_alternative(p: float, n: float) -> float:
        va, vb = of(a, p, n), of(b, p, n)
        return va + vb - 2 * r * math.sqrt(va * vb)

    z = _upper_quantile(alpha, alternative)
    return _Plan(a - b, lambda p, n: 2 * of(a, p, n) * (1 - r), under_alternative, z)


def _one_rate(rate: float, null: Any, alpha: float, alternative: Sides) -> _Plan:
    p, p0 = _OPEN_SHARE.check("rate", rate), _OPEN_SHARE.check("null", null)
    z = _upper_quantile(alpha, alternative)
    return _Plan(p - p0, lambda n, _: p0 * (1 - p0) / n, lambda n, _: p * (1 - p) / n, z)


def _needed_for_width(rate: float, half_width: float, alpha: float, alternative: Sides) -> float:
    p, w = _OPEN_SHARE.check("rate", rate), _ABOVE_ZERO.check("half_width", half_width)
    return _upper_quantile(alpha, alternative) ** 2 * p * (1 - p) / w**2


def _binormal_variance(auc: float, positives: float, negatives: float) -> float:
    """Variance of an AUC of two normal classes; constants as printed in equation 3."""
    a = 1.414 * float(stats.norm.ppf(auc))
    spread = (5 * a * a + 8) / positives + (a * a + 8) / negatives
    return 0.0099 * math.exp(-a * a / 2) * spread


def _exponential_variance(auc: float, positives: float, negatives: float) -> float:
    """Leading terms of Hanley and McNeil's variance."""
    q1, q2 = auc / (2 - auc), 2 * auc * auc / (1 + auc)
    return (q1 - auc * auc) / negatives + (q2 - auc * auc) / positives


_VARIANCES: dict[str, Callable[[float, float, float], float]] = {
    "obuchowski": _binormal_variance,
    "hanley-mcneil": _exponential_variance,
}


def _upper_quantile(alpha: float, alternative: Sides) -> float:
    check_choice("alternative", alternative, ("two-sided", "one-sided"))
    sides = 2 if alternative == "two-sided" else 1
    return float(stats.norm.isf(_OPEN_SHARE.check("alpha", alpha) / sides))


def _sizes(n_positive: float, n_negative: float) -> tuple[float, float]:
    return _ABOVE_ZERO.check("n_positive", n_positive), _ABOVE_ZERO.check("n_negative", n_negative)
