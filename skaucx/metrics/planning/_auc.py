"""Sample size and power of an AUC, and of a difference of two."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Literal

from scipy import special, stats

from ..._options import OPEN_SHARE, RealRange, check_choice
from ..estimation._normal import exponential_covariances
from ._rates import ABOVE_ZERO, Design, SampleSize, Sides, sizes, upper_quantile

Variance = Literal["obuchowski", "hanley-mcneil", "binormal"]
DifferenceVariance = Literal["binormal", "obuchowski", "hanley-mcneil"]


def roc_auc_power(
    auc: float,
    n_positive: float,
    n_negative: float,
    *,
    null: float = 0.5,
    alpha: float = 0.05,
    alternative: Sides = "two-sided",
    variance: Variance = "obuchowski",
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
    variance : {"obuchowski", "hanley-mcneil", "binormal"}, default="obuchowski"
        Variance of the AUC: the approximation [1]_ of the binormal model of equal spread, of the
        negative-exponential model [2]_, or the exact one of the binormal model with `spread`.
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
    The variances are

    .. math:: 0.0099 \, e^{-a^2/2} \left(\frac{5 a^2 + 8}{P} + \frac{a^2 + 8}{N}\right), \quad
        a = 1.414 \, \Phi^{-1}(A)

    with the constants as printed in [1]_, equations 2 and 3, and the one of [2]_ as
    :func:`roc_auc_sample_size` describes it. The probability of a significant result in the wrong
    direction is ignored. For normal classes the first variance is above that of the empirical AUC,
    by a fifth at an AUC of .75 with balanced classes: most of its plans are conservative, as
    ``benchmarks/results/planning.md`` shows.

    References
    ----------
    .. [1] Obuchowski, N. A., Lieber, M. L. and Wians, F. H. (2004). ROC curves in clinical
       chemistry: uses, misuses, and possible solutions. Clinical Chemistry 50, 1118-1125.
    .. [2] Hanley, J. A. and McNeil, B. J. (1982). The meaning and use of the area under a receiver
       operating characteristic (ROC) curve. Radiology 143, 29-36.

    Examples
    --------
    >>> from skaucx.metrics.planning import roc_auc_power
    >>> round(roc_auc_power(0.73, 41, 72), 4)
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
    alternative: Sides = "two-sided",
    variance: Variance = "obuchowski",
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
    variance : {"obuchowski", "hanley-mcneil", "binormal"}, default="obuchowski"
        Variance of the AUC: the approximation [1]_ of the binormal model of equal spread, of the
        negative-exponential model [2]_, or the exact one of the binormal model with `spread`.
    spread : float, default=1
        Standard deviation of the positives' scores over that of the negatives', above 0; another than
        1 needs ``variance="binormal"``.

    Returns
    -------
    SampleSize
        Rounded up, so that :func:`roc_auc_power` of it is at least `power`, or the half-width of
        :math:`A \pm z_\alpha \sqrt{V}` at most `half_width`.

    Raises
    ------
    ValueError
        If an argument is out of its range, `auc` is equal to `null`, or both of `null` and
        `half_width` are given.

    Notes
    -----
    The binormal variance is given in :func:`roc_auc_power`; the other one, with P positives and N
    negatives, is

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
    >>> from skaucx.metrics.planning import roc_auc_sample_size
    >>> size = roc_auc_sample_size(0.8, ratio=4, power=0.9, alternative="one-sided")
    >>> size.n_positive, size.n_negative, round(size.power, 3)
    (9, 36, 0.905)
    >>> roc_auc_sample_size(0.8, ratio=4, half_width=0.05).total
    654
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
    alternative: Sides = "two-sided",
    variance: DifferenceVariance = "binormal",
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
    >>> from skaucx.metrics.planning import roc_auc_difference_power
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
    alternative: Sides = "two-sided",
    variance: DifferenceVariance = "binormal",
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
    >>> from skaucx.metrics.planning import roc_auc_difference_sample_size
    >>> roc_auc_difference_sample_size(0.75, 0.85, correlation=0.5).total
    152
    """
    plan = _two_aucs(auc_a, auc_b, correlation, alpha, alternative, variance)
    return plan.size(ratio, power)


def _one_auc(
    auc: float, null: float, alpha: float, alternative: Sides, variance: str, spread: float
) -> Design:
    a, a0 = OPEN_SHARE.check("auc", auc), OPEN_SHARE.check("null", null)
    of = _VARIANCES[check_choice("variance", variance, _VARIANCES)]
    z = upper_quantile(alpha, alternative)
    ratio = ABOVE_ZERO.check("spread", spread)
    if of is _exact_binormal_variance:
        of = partial(of, spread=ratio)
        # The test uses the variance that it finds, also under the null hypothesis.
        return Design(a - a0, lambda p, n: of(a, p, n), lambda p, n: of(a, p, n), z)
    if ratio != 1:
        raise ValueError(f"spread={spread!r} needs variance='binormal', found {variance!r}.")
    return Design(a - a0, lambda p, n: of(a0, p, n), lambda p, n: of(a, p, n), z)


def _two_aucs(
    auc_a: float, auc_b: float, correlation: float, alpha: float, alternative: Sides, variance: str
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
