"""Sample sizes and power: of rates, AUCs, prediction models and comparisons."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats

from ..._options import OPEN_SHARE, RealRange, check_choice, check_confidence_level, check_whole
from ..._text.tables import Table, Tabular
from .._intervals.areas import exponential_covariances

Alternative = Literal["two-sided", "one-sided"]

ABOVE_ZERO = RealRange(0, math.inf, open_low=True)


@dataclass(frozen=True)
class SampleSize(Tabular):
    """Number of examples that a study needs.

    Attributes
    ----------
    n_positive, n_negative : int
        Examples of the two classes.
    power : float
        Power of the test with these numbers; nan for a size from a half-width.

    Examples
    --------
    >>> from skaucx.inference import roc_auc_sample_size
    >>> roc_auc_sample_size(0.7, power=0.9).total
    82
    """

    n_positive: int
    n_negative: int
    power: float

    def __str__(self) -> str:
        power = "" if math.isnan(self.power) else f", power {self.power:.3f}"
        return f"{self.n_positive} positives and {self.n_negative} negatives{power}"

    @property
    def total(self) -> int:
        """Examples of both classes."""
        return self.n_positive + self.n_negative

    def _table(self) -> Table:
        power = () if math.isnan(self.power) else (self.power,)
        cells = self.n_positive, self.n_negative, self.total, *power
        head = ("positives", "negatives", "total", "power")[: len(cells)]
        return Table(head, [cells], "Sample size")


@dataclass(frozen=True)
class Design:
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
            raise ValueError("The effect is 0: no sample size is sufficient.")
        z = float(stats.norm.ppf(OPEN_SHARE.check("power", power)))
        errors = self.z * math.sqrt(self.under_null(1, ratio))
        errors += z * math.sqrt(self.under_alternative(1, ratio))
        return (max(errors, 0) / self.effect) ** 2

    def size(self, ratio: float, power: float) -> SampleSize:
        """Return the smallest sample, rounded up."""
        ratio = ABOVE_ZERO.check("ratio", ratio)
        found = sizes(ratio, self.needed(ratio, power))
        return replace(found, power=self.power(found.n_positive, found.n_negative))


def sizes(ratio: float, needed: float) -> SampleSize:
    """Return whole numbers of positives and of `ratio` times as many negatives."""
    return SampleSize(max(math.ceil(needed), 1), max(math.ceil(ratio * needed), 1), math.nan)


def upper_quantile(alpha: float, alternative: Alternative) -> float:
    check_choice("alternative", alternative, ("two-sided", "one-sided"))
    sides = 2 if alternative == "two-sided" else 1
    return float(stats.norm.isf(OPEN_SHARE.check("alpha", alpha) / sides))


def rate_power(
    rate: float,
    n: float,
    *,
    null: float,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
) -> float:
    """Power of a test of a sensitivity or specificity against a null value.

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
    >>> from skaucx.inference import rate_power
    >>> round(rate_power(0.9, 100, null=0.8), 3)
    0.764
    """
    plan = _one_rate(rate, null, alpha, alternative)
    return plan.power(ABOVE_ZERO.check("n", n), math.inf)


def rate_sample_size(
    rate: float,
    *,
    null: float | None = None,
    half_width: float | None = None,
    prevalence: float = 0.5,
    of: Literal["positives", "negatives"] = "positives",
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
) -> SampleSize:
    r"""Number of examples for a sensitivity or specificity, for a test or an interval.

    Parameters
    ----------
    rate : float
        The true sensitivity (or specificity), in (0, 1).
    null : float, default=None
        Value under the null hypothesis: plan a test against this value.
    half_width : float, default=None
        Instead of `null`: plan an interval of level 1 - `alpha` with this half-width.
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
        Numbers of both classes such that the expected number of the class in question is
        sufficient.

    Raises
    ------
    ValueError
        If an argument is out of its range, or not one of `null` and `half_width` is given.

    Notes
    -----
    With p the rate and p0 the null value the class in question needs [1]_

    .. math::

       n = \frac{\left(z_\alpha \sqrt{p_0 (1 - p_0)} + z_\beta \sqrt{p (1 - p)}\right)^2}{(p -
       p_0)^2}

    examples for a test, and for a half-width w

    .. math:: n = \frac{z_\alpha^2 \, p (1 - p)}{w^2}

    and n / prevalence examples in total for a sensitivity [2]_.

    References
    ----------
    .. [1] Obuchowski, N. A. (1998). Sample size calculations in studies of test accuracy.
       Statistical Methods in Medical Research 7, 371-392.
    .. [2] Buderer, N. M. F. (1996). Statistical methodology: I. Incorporating the prevalence of
       disease into the sample size calculation for sensitivity and specificity. Academic Emergency
       Medicine 3, 895-900.

    Examples
    --------
    >>> from skaucx.inference import rate_sample_size
    >>> rate_sample_size(0.9, half_width=0.1, prevalence=0.2)
    SampleSize(n_positive=35, n_negative=140, power=nan)
    >>> rate_sample_size(0.9, null=0.8, of="negatives").n_negative
    108
    """
    check_choice("of", of, ("positives", "negatives"))
    share = OPEN_SHARE.check("prevalence", prevalence)
    if (null is None) == (half_width is None):
        raise ValueError(
            "One of null (to plan a test) and half_width (to plan an interval) must be given, "
            f"found null={null!r} and half_width={half_width!r}."
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


def _one_rate(rate: float, null: Any, alpha: float, alternative: Alternative) -> Design:
    p, p0 = OPEN_SHARE.check("rate", rate), OPEN_SHARE.check("null", null)
    z = upper_quantile(alpha, alternative)
    return Design(p - p0, lambda n, _: p0 * (1 - p0) / n, lambda n, _: p * (1 - p) / n, z)


def _needed_for_width(
    rate: float, half_width: float, alpha: float, alternative: Alternative
) -> float:
    p, w = OPEN_SHARE.check("rate", rate), ABOVE_ZERO.check("half_width", half_width)
    return upper_quantile(alpha, alternative) ** 2 * p * (1 - p) / w**2


Variance = Literal["binormal", "obuchowski", "hanley-mcneil"]


def roc_auc_power(
    auc: float,
    n_positive: float,
    n_negative: float,
    *,
    null: float = 0.5,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    variance: Variance = "binormal",
    spread: float = 1.0,
) -> float:
    r"""Power of a test of an AUC against a null value.

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
    variance : {"binormal", "obuchowski", "hanley-mcneil"}, default="binormal"
        Variance of the AUC: the exact one of the binormal model with `spread`, which is what
        :func:`interval` estimates; the approximation [1]_ of equal spread, or that of the
        negative-exponential model [2]_, for plans by published formulas.
    spread : float, default=1
        Standard deviation of the positives' scores over that of the negatives', above 0; another than
        1 needs ``variance="binormal"``.

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
    The variances of [1]_ are

    .. math:: 0.0099 \, e^{-a^2/2} \left(\frac{5 a^2 + 8}{P} + \frac{a^2 + 8}{N}\right), \quad
        a = 1.414 \, \Phi^{-1}(A)

    with the constants as printed in [1]_, equations 2 and 3, and the one of [2]_ as
    :func:`roc_auc_sample_size` describes it. The probability of a significant result in the wrong
    direction is ignored. Under the null hypothesis each variance is that of an AUC of `null`, as
    the limit of :func:`interval` that a test compares with it has; "binormal" is given in
    :func:`roc_auc_difference_power`. For normal classes the first variance is above it, by
    a fifth at an AUC of .75 with balanced classes and up to twofold with nine negatives a positive
    (``benchmarks/results/planning.md``, ``python -m benchmarks.planning``).

    References
    ----------
    .. [1] Obuchowski, N. A., Lieber, M. L. and Wians, F. H. (2004). ROC curves in clinical
       chemistry: uses, misuses, and possible solutions. Clinical Chemistry 50, 1118-1125.
    .. [2] Hanley, J. A. and McNeil, B. J. (1982). The meaning and use of the area under a receiver
       operating characteristic (ROC) curve. Radiology 143, 29-36.

    Examples
    --------
    >>> from skaucx.inference import roc_auc_power
    >>> round(roc_auc_power(0.73, 41, 72, variance="obuchowski"), 4)
    0.9897
    """
    plan = _one_auc(auc, null, alpha, alternative, variance, spread)
    return plan.power(*_sizes(n_positive, n_negative))


def roc_auc_sample_size(
    auc: float,
    *,
    null: float | None = None,
    half_width: float | None = None,
    ratio: float = 1.0,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    variance: Variance = "binormal",
    spread: float = 1.0,
) -> SampleSize:
    r"""Number of examples for a test of an AUC, or for an interval of given half-width.

    Parameters
    ----------
    auc : float
        The true AUC, in (0, 1).
    null : float, default=None
        AUC under the null hypothesis, in (0, 1): plan a test against this value. None means 0.5
        without `half_width`.
    half_width : float, default=None
        Instead of `null`: plan an interval of level 1 - `alpha` with this half-width.
    ratio : float, default=1
        Negatives for each positive, above 0.
    power : float, default=0.8
        Wanted probability of a significant result, in (0, 1); for a test only.
    alpha : float, default=0.05
        Size of the test, or 1 - level of the interval, in (0, 1).
    alternative : {"two-sided", "one-sided"}, default="two-sided"
    variance : {"binormal", "obuchowski", "hanley-mcneil"}, default="binormal"
        Variance of the AUC: the exact one of the binormal model with `spread`, which is what
        :func:`interval` estimates; the approximation [1]_ of equal spread, or that of the
        negative-exponential model [2]_, for plans by published formulas.
    spread : float, default=1
        Standard deviation of the positives' scores over that of the negatives', above 0; another than
        1 needs ``variance="binormal"``.

    Returns
    -------
    SampleSize
        Rounded up, so that :func:`roc_auc_power` of it is at least `power`, or the half-width of
        :math:`A \pm z_\alpha \sqrt{V}` at most `half_width`; with fewer than 50 examples of a class
        the mean half-width of :func:`interval` is up to a quarter greater.

    Raises
    ------
    ValueError
        If an argument is out of its range, `auc` is equal to `null`, or both of `null` and
        `half_width` are given.

    Notes
    -----
    The variance of [1]_ is given in :func:`roc_auc_power`, "binormal" in
    :func:`roc_auc_difference_power`; that of [2]_, with P positives and N negatives, is

    .. math::

       \frac{1}{PN} \left(A (1 - A) + (P - 1) \left(\frac{A}{2 - A} - A^2\right) + (N - 1)
       \left(\frac{2 A^2}{1 + A} - A^2\right)\right)

    of which the leading terms for large P and N are used, as in the tables of [2]_.

    References
    ----------
    .. [1] Obuchowski, N. A., Lieber, M. L. and Wians, F. H. (2004). ROC curves in clinical
       chemistry: uses, misuses, and possible solutions. Clinical Chemistry 50, 1118-1125.
    .. [2] Hanley, J. A. and McNeil, B. J. (1982). The meaning and use of the area under a receiver
       operating characteristic (ROC) curve. Radiology 143, 29-36.

    Examples
    --------
    >>> from skaucx.inference import roc_auc_sample_size
    >>> size = roc_auc_sample_size(0.8, null=0.7, ratio=4, power=0.9, alternative="one-sided")
    >>> size.n_positive, size.n_negative, round(size.power, 3)
    (62, 248, 0.901)
    >>> roc_auc_sample_size(0.8, ratio=4, half_width=0.05).total
    454
    """
    if half_width is None:
        plan = _one_auc(auc, 0.5 if null is None else null, alpha, alternative, variance, spread)
        return plan.size(ratio, power)
    if null is not None:
        raise ValueError(
            "One of null (to plan a test) and half_width (to plan an interval) may be given, found "
            f"null={null!r} and half_width={half_width!r}."
        )
    ratio, width = ABOVE_ZERO.check("ratio", ratio), ABOVE_ZERO.check("half_width", half_width)
    plan = _one_auc(auc, 0.5, alpha, alternative, variance, spread)
    return sizes(ratio, plan.under_alternative(1, ratio) * (plan.z / width) ** 2)


def roc_auc_difference_power(
    auc_a: float,
    auc_b: float,
    n_positive: float,
    n_negative: float,
    *,
    correlation: float = 0.0,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    variance: Variance = "binormal",
) -> float:
    r"""Power of a test of the difference of two AUCs.

    Parameters
    ----------
    auc_a, auc_b : float
        The true AUCs, in (0, 1).
    n_positive, n_negative : float
        Examples of the two classes, above 0; in each of the two samples if they are unpaired.
    correlation : float, default=0
        Correlation of the two estimates, in (-1, 1): 0 for two samples (unpaired); for two
        classifiers on the same examples that of their AUCs, such as 0.5.
    alpha : float, default=0.05
        Size of the test, in (0, 1).
    alternative : {"two-sided", "one-sided"}, default="two-sided"
    variance : {"binormal", "obuchowski", "hanley-mcneil"}, default="binormal"
        "binormal" is the variance of the AUC of two normal classes, without the approximation of
        "obuchowski", evaluated at the AUCs of the alternative also under the null hypothesis, like
        DeLong's test. The others are those of :func:`roc_auc_power`, evaluated at `auc_a` under the
        null hypothesis.

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
    With variances :math:`V_1` and :math:`V_2` and correlation :math:`r` the variance of the difference
    is :math:`2 V_1 (1 - r)` under the null hypothesis and :math:`V_1 + V_2 - 2 r \sqrt{V_1 V_2}` under
    the alternative [1]_ [2]_; "binormal" uses the latter for both. Its variance for many
    positives P and negatives N is

    .. math:: V = (Q - A^2) (1 / P + 1 / N), \quad
        Q = \Phi_2(\Phi^{-1}(A), \Phi^{-1}(A); 1/2)

    with the bivariate normal distribution function of correlation 1/2.

    References
    ----------
    .. [1] Obuchowski, N. A. and McClish, D. K. (1997). Sample size determination for diagnostic
       accuracy studies involving binormal ROC curve indices. Statistics in Medicine 16, 1529-1542.
    .. [2] Hanley, J. A. and McNeil, B. J. (1983). A method of comparing the areas under receiver
       operating characteristic curves derived from the same cases. Radiology 148, 839-843.

    Examples
    --------
    >>> from skaucx.inference import roc_auc_difference_power
    >>> round(roc_auc_difference_power(0.75, 0.85, 100, 100, correlation=0.5), 3)
    0.898
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
    alternative: Alternative = "two-sided",
    variance: Variance = "binormal",
) -> SampleSize:
    """Number of examples for a test of the difference of two AUCs.

    Parameters
    ----------
    auc_a, auc_b : float
        The true AUCs, in (0, 1).
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
    variance : {"binormal", "obuchowski", "hanley-mcneil"}, default="binormal"
        "binormal" is the variance of the AUC of two normal classes, without the approximation of
        "obuchowski", evaluated at the AUCs of the alternative also under the null hypothesis, like
        DeLong's test. The others are those of :func:`roc_auc_power`, evaluated at `auc_a` under the
        null hypothesis.

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
    >>> from skaucx.inference import roc_auc_difference_sample_size
    >>> roc_auc_difference_sample_size(0.75, 0.85, correlation=0.5).total
    152
    """
    plan = _two_aucs(auc_a, auc_b, correlation, alpha, alternative, variance)
    return plan.size(ratio, power)


def _one_auc(
    auc: float, null: float, alpha: float, alternative: Alternative, variance: str, spread: float
) -> Design:
    a, a0 = OPEN_SHARE.check("auc", auc), OPEN_SHARE.check("null", null)
    of = _VARIANCES[check_choice("variance", variance, _VARIANCES)]
    z = upper_quantile(alpha, alternative)
    ratio = ABOVE_ZERO.check("spread", spread)
    if of is _exact_binormal_variance:
        of = partial(of, spread=ratio)
    elif ratio != 1:
        raise ValueError(f"spread={spread!r} needs variance='binormal', found {variance!r}.")
    return Design(a - a0, lambda p, n: of(a0, p, n), lambda p, n: of(a, p, n), z)


def _two_aucs(
    auc_a: float,
    auc_b: float,
    correlation: float,
    alpha: float,
    alternative: Alternative,
    variance: str,
) -> Design:
    a, b = OPEN_SHARE.check("auc_a", auc_a), OPEN_SHARE.check("auc_b", auc_b)
    r = RealRange(-1, 1, open_low=True, open_high=True).check("correlation", correlation)
    of = _VARIANCES[check_choice("variance", variance, _VARIANCES)]

    def under_alternative(p: float, n: float) -> float:
        va, vb = of(a, p, n), of(b, p, n)
        return va + vb - 2 * r * math.sqrt(va * vb)

    z = upper_quantile(alpha, alternative)
    if of is _exact_binormal_variance:
        return Design(a - b, under_alternative, under_alternative, z)
    return Design(a - b, lambda p, n: 2 * of(a, p, n) * (1 - r), under_alternative, z)


def _binormal_variance(auc: float, positives: float, negatives: float) -> float:
    """Variance of an AUC of two normal classes; constants as printed in equation 3."""
    a = 1.414 * float(stats.norm.ppf(auc))
    spread = (5 * a * a + 8) / positives + (a * a + 8) / negatives
    return 0.0099 * math.exp(-a * a / 2) * spread


def _exponential_variance(auc: float, positives: float, negatives: float) -> float:
    """Leading terms of Hanley and McNeil's variance."""
    q1, q2 = exponential_covariances(auc)
    return q1 / negatives + q2 / positives


def _exact_binormal_variance(
    auc: float, positives: float, negatives: float, *, spread: float = 1.0
) -> float:
    """Variance of the empirical AUC of two normal classes, to leading order in 1 / n.

    Two pairs that share an example both win with probability Phi_2(h, h; r), h = Phi^-1(auc), which is
    Phi(h) - 2 T(h, sqrt((1 - r) / (1 + r))) by Owen's T function. Of deviations s for the positives and
    1 for the negatives, r = s^2 / (1 + s^2) with a positive in common, 1 / (1 + s^2) with a negative.
    """
    h, found = float(special.ndtri(auc)), 0.0
    for own, size in ((spread**2, positives), (1.0, negatives)):
        r = own / (1 + spread**2)
        both = special.ndtr(h) - 2 * special.owens_t(h, math.sqrt((1 - r) / (1 + r)))
        found += float(both - auc * auc) / size
    return found


_VARIANCES: dict[str, Callable[..., float]] = {
    "binormal": _exact_binormal_variance,
    "obuchowski": _binormal_variance,
    "hanley-mcneil": _exponential_variance,
}


def _sizes(n_positive: float, n_negative: float) -> tuple[float, float]:
    return ABOVE_ZERO.check("n_positive", n_positive), ABOVE_ZERO.check("n_negative", n_negative)


_MOST_EXAMPLES = 1 << 53
_NODES = 4000  # equally likely values of a distribution of log-odds


@dataclass(frozen=True, repr=False)
class ModelSampleSize(Tabular):
    """How many examples a study of a prediction model needs, criterion by criterion.

    Attributes
    ----------
    criteria : dict of str to int
        Examples that each criterion needs.
    total : int
        The greatest of them.
    events : int
        Positives among so many, rounded up.
    events_per_parameter : float
        nan for a validation.
    facts : dict of str to float
        Quantities that the criteria use, such as the Cox-Snell R2.
    """

    criteria: dict[str, int]
    total: int
    events: int
    events_per_parameter: float = math.nan
    facts: dict[str, float] = field(default_factory=dict)

    def _table(self) -> Table:
        rows = [*self.criteria.items(), ("events at the greatest", self.events)]
        return Table(["criterion", "examples"], rows)


def development_sample_size(
    *,
    prevalence: float,
    n_parameters: int,
    auc: float | None = None,
    r2_cox_snell: float | None = None,
    r2_nagelkerke: float | None = None,
    shrinkage: float = 0.9,
    optimism: float = 0.05,
    half_width: float = 0.05,
) -> ModelSampleSize:
    r"""Number of examples to develop a prediction model of a binary outcome.

    Parameters
    ----------
    prevalence : float
        Expected share of positives, in (0, 1).
    n_parameters : int
        Candidate parameters of the model: coefficients, not variables.
    auc, r2_cox_snell, r2_nagelkerke : float, default=None
        The expected performance, exactly one of the three, each in (0, 1). From an AUC, above 0.5, R2
        is derived for normal log-odds [2]_.
    shrinkage : float, default=0.9
        The least expected shrinkage of the coefficients, in (0, 1).
    optimism : float, default=0.05
        The greatest expected optimism of Nagelkerke's R2, in (0, 1): the apparent R2 less that of the
        true risks. On new rows the fitted model loses about as much again.
    half_width : float, default=0.05
        Half the width of the 95 % interval of the overall risk, in (0, 1).

    Returns
    -------
    ModelSampleSize
        With the criteria "shrinkage", "optimism of R2" and "overall risk".

    Raises
    ------
    ValueError, TypeError
        If an argument is out of its range, or not exactly one performance is given.

    Notes
    -----
    With S the shrinkage, P the parameters and the prevalence :math:`\pi` [1]_

    .. math:: n_1 = \frac{P}{(S - 1) \ln(1 - R^2_\mathrm{CS} / S)}, \qquad
              n_3 = \Bigl(\frac{1.96}{w}\Bigr)^2 \pi (1 - \pi),

    and :math:`n_2` is :math:`n_1` at the shrinkage
    :math:`R^2_\mathrm{CS} / (R^2_\mathrm{CS} + \delta \max R^2_\mathrm{CS})` for the optimism
    :math:`\delta`, with :math:`\max R^2_\mathrm{CS} = 1 - (\pi^\pi (1 - \pi)^{1 - \pi})^2`. Derived from
    an AUC, R2 is that of the logistic model itself, not of a simulated sample, so that the sizes differ
    slightly from those of simulation. In simulation the mean calibration slope is 2 to 3 hundredths
    below the planned shrinkage (``benchmarks/results/planning.md``).

    References
    ----------
    .. [1] R. D. Riley et al., Calculating the sample size required for developing a clinical prediction
       model, BMJ 368, m441, 2020.
    .. [2] R. D. Riley, B. Van Calster and G. S. Collins, A note on estimating the Cox-Snell R2 from a
       reported C statistic (AUROC) to inform sample size calculations for developing a prediction
       model with a binary outcome, Statistics in Medicine 40(4), 859-864, 2021.

    Examples
    --------
    >>> from skaucx.inference import development_sample_size
    >>> size = development_sample_size(prevalence=0.174, n_parameters=24, r2_cox_snell=0.288)
    >>> size.total, size.criteria["overall risk"]
    (662, 221)
    """
    share = OPEN_SHARE.check("prevalence", prevalence)
    parameters = check_whole("n_parameters", n_parameters, 1)
    given = {"auc": auc, "r2_cox_snell": r2_cox_snell, "r2_nagelkerke": r2_nagelkerke}
    found = {n: OPEN_SHARE.check(n, v) for n, v in given.items() if v is not None}
    if len(found) != 1:
        raise ValueError(
            f"Exactly one of auc, r2_cox_snell and r2_nagelkerke must be given, found {given}."
        )
    greatest = -math.expm1(2 * (special.xlogy(share, share) + special.xlogy(1 - share, 1 - share)))
    if auc is not None:
        if auc <= 0.5:
            raise ValueError(f"auc must lie above 0.5, found {auc!r}.")
        r2 = _cox_snell(auc, share)
    else:
        r2 = found.get("r2_cox_snell", found.get("r2_nagelkerke", 0.0) * greatest)
    if r2 >= greatest:
        raise ValueError(
            f"r2_cox_snell must lie below {greatest:.4g}, the greatest at this prevalence, found "
            f"{r2:.4g}."
        )
    s = OPEN_SHARE.check("shrinkage", shrinkage)
    if r2 >= s:
        raise ValueError(f"shrinkage must lie above the Cox-Snell R2 of {r2:.4g}, found {s!r}.")
    delta = OPEN_SHARE.check("optimism", optimism)
    width = OPEN_SHARE.check("half_width", half_width)

    def shrunk(at: float) -> int:
        return math.ceil(parameters / ((at - 1) * math.log1p(-r2 / at)))

    criteria = {
        "shrinkage": shrunk(s),
        "optimism of R2": shrunk(r2 / (r2 + delta * greatest)),
        "overall risk": math.ceil((1.96 / width) ** 2 * share * (1 - share)),
    }
    total = max(criteria.values())
    facts = {"r2_cox_snell": r2, "greatest_r2_cox_snell": greatest, "r2_nagelkerke": r2 / greatest}
    events = total * share
    return ModelSampleSize(criteria, total, math.ceil(events), events / parameters, facts)


def _cox_snell(auc: float, share: float) -> float:
    """Return the R2 of normal log-odds, means sqrt(2) Phi^-1(AUC) apart in the two classes.

    The logistic model of such classes is right: its log-odds are logit(share) + d (x - d / 2).
    """
    d = math.sqrt(2) * float(special.ndtri(auc))
    z = special.ndtri((np.arange(_NODES) + 0.5) / _NODES)
    base = special.logit(share) - d * d / 2
    gain = share * special.log_expit(base + d * (z + d)).mean()
    gain += (1 - share) * special.log_expit(-(base + d * z)).mean()
    prior = special.xlogy(share, share) + special.xlogy(1 - share, 1 - share)
    return float(-math.expm1(-2 * (gain - prior)))


def validation_sample_size(
    *,
    prevalence: float,
    auc: float,
    linear_predictor: ArrayLike,
    oe_width: float = 0.2,
    slope_width: float = 0.2,
    auc_width: float = 0.1,
    threshold: float | None = None,
    sensitivity: float | None = None,
    specificity: float | None = None,
    net_benefit_width: float = 0.2,
    oe_ratio: float = 1.0,
    intercept: float = 0.0,
    slope: float = 1.0,
    confidence_level: float = 0.95,
) -> ModelSampleSize:
    r"""Number of examples to validate a prediction model of a binary outcome on new data.

    Parameters
    ----------
    prevalence : float
        Expected share of positives, in (0, 1).
    auc : float
        Expected AUC, in (0, 1).
    linear_predictor : (float, float), or array-like of shape (n_samples,)
        The expected log-odds of the predicted risks: mean and standard deviation of normal ones, or a
        sample of them.
    oe_width, slope_width : float, default=0.2
        Width of the interval of the O:E ratio and of the calibration slope, above 0.
    auc_width : float, default=0.1
        Width of the interval of the AUC, above 0.
    threshold : float, default=None
        Plan the standardized net benefit at this probability too, in (0, 1).
    sensitivity, specificity : float, default=None
        Those expected at the threshold, in [0, 1]; by default those that follow from the linear
        predictor.
    net_benefit_width : float, default=0.2
        Width of the interval of the standardized net benefit, above 0.
    oe_ratio : float, default=1
        The expected O:E ratio, above 0.
    intercept : float, default=0
        The expected calibration intercept; ``facts["mean_risk"]`` should then be near `prevalence`.
    slope : float, default=1
        The expected calibration slope, above 0.
    confidence_level : float, default=0.95
        Confidence of the intervals, in (0, 1).

    Returns
    -------
    ModelSampleSize
        With the criteria "O:E ratio", "calibration slope", "AUC" and "net benefit".

    Raises
    ------
    ValueError, TypeError
        If an argument is out of its range.

    Notes
    -----
    The widths are those of [1]_: of O:E on the log scale with the variance
    :math:`(1 - \pi) / (n \pi)`; of the slope by the information of the logistic model, integrated over
    the linear predictor; of the AUC by Newcombe's variance [2]_; of the standardized net benefit by

    .. math:: \frac1n \Bigl( \frac{Se (1 - Se)}{\pi} + \frac{w^2 Sp (1 - Sp)}{1 - \pi}
              + \frac{w^2 (1 - Sp)^2}{\pi (1 - \pi)} \Bigr), \qquad
              w = \frac{1 - \pi}{\pi} \frac{t}{1 - t}

    References
    ----------
    .. [1] R. D. Riley et al., Minimum sample size for external validation of a clinical prediction model
       with a binary outcome, Statistics in Medicine 40(19), 4230-4251, 2021.
    .. [2] R. G. Newcombe, Confidence intervals for an effect size measure based on the Mann-Whitney
       statistic, part 2, Statistics in Medicine 25(4), 559-573, 2006.

    Examples
    --------
    >>> from skaucx.inference import validation_sample_size
    >>> size = validation_sample_size(prevalence=0.018, auc=0.8, linear_predictor=(-5, 2.5),
    ...                               oe_width=1)
    >>> size.criteria["O:E ratio"], size.criteria["AUC"]
    (906, 4252)
    """
    share, area = OPEN_SHARE.check("prevalence", prevalence), OPEN_SHARE.check("auc", auc)
    z = float(special.ndtri((1 + check_confidence_level(confidence_level)) / 2))
    x = _log_odds(linear_predictor)
    ratio, b = ABOVE_ZERO.check("oe_ratio", oe_ratio), ABOVE_ZERO.check("slope", slope)
    # exp(log r + z se) - exp(log r - z se) = 2 r sinh(z se)
    error = math.asinh(ABOVE_ZERO.check("oe_width", oe_width) / (2 * ratio)) / z
    criteria = {"O:E ratio": math.ceil((1 - share) / (share * error**2))}
    risk = special.expit(float(intercept) + b * x)
    spread = risk * (1 - risk)
    information = np.array([[spread.mean(), (spread * x).mean()], [0.0, (spread * x * x).mean()]])
    determinant = information[0, 0] * information[1, 1] - information[0, 1] ** 2
    of_slope = float(information[0, 0] / determinant)
    width = ABOVE_ZERO.check("slope_width", slope_width)
    criteria["calibration slope"] = math.ceil(of_slope * (2 * z / width) ** 2)
    width = ABOVE_ZERO.check("auc_width", auc_width)
    criteria["AUC"] = 1 + bisect_left(
        range(1, _MOST_EXAMPLES),
        True,
        key=lambda n: 2 * z * math.sqrt(_newcombe(area, share, n)) <= width,
    )
    facts = {"mean_risk": float(risk.mean()), "variance_of_slope": of_slope}
    if threshold is not None:
        t = OPEN_SHARE.check("threshold", threshold)
        called = special.expit(x) >= t
        found = float((risk * called).mean() / risk.mean())
        spared = float(((1 - risk) * ~called).mean() / (1 - risk).mean())
        se = found if sensitivity is None else float(sensitivity)
        sp = spared if specificity is None else float(specificity)
        w = (1 - share) / share * t / (1 - t)
        variance = se * (1 - se) / share + w**2 * sp * (1 - sp) / (1 - share)
        variance += w**2 * (1 - sp) ** 2 / (share * (1 - share))
        width = ABOVE_ZERO.check("net_benefit_width", net_benefit_width)
        criteria["net benefit"] = math.ceil(variance * (2 * z / width) ** 2)
        facts |= {
            "sensitivity": se,
            "specificity": sp,
            "standardized_net_benefit": se - (1 - sp) * w,
        }
    total = max(criteria.values())
    return ModelSampleSize(criteria, total, math.ceil(total * share), facts=facts)


def _log_odds(given: Any) -> Any:
    found = np.asarray(given, dtype=np.float64)
    if found.ndim != 1 or len(found) < 2 or not np.isfinite(found).all():
        raise ValueError(
            "linear_predictor must be the mean and the standard deviation of log-odds, or a sample "
            f"of them, finite, found {given!r}."
        )
    if len(found) > 2:
        return found
    scale = ABOVE_ZERO.check("linear_predictor[1]", float(found[1]))
    return found[0] + scale * special.ndtri((np.arange(_NODES) + 0.5) / _NODES)


def _newcombe(auc: float, share: float, n: float) -> float:
    """Return Newcombe's variance of an AUC, his method 4."""
    both = (1 - auc) / (2 - auc) + auc / (1 + auc)
    return auc * (1 - auc) * (1 + (n / 2 - 1) * both) / (n**2 * share * (1 - share))
