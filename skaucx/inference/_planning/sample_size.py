"""Sample sizes of tests and intervals of rates and AUCs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Literal

from scipy import special, stats

from ..._options import OPEN_SHARE, RealRange, check_choice
from ..._text.tables import Table, Tabular

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


def power_of(effect: float, z: float, under_null: float, variance: float) -> float:
    """Return the probability of a significant result in the direction of the effect."""
    room = abs(effect) - z * math.sqrt(under_null)
    return float(stats.norm.cdf(room / math.sqrt(variance)))


def needed(effect: float, z: float, under_null: float, variance: float, power: float) -> float:
    """Return the number of examples, not rounded, from the variances with one."""
    reach = float(stats.norm.ppf(OPEN_SHARE.check("power", power)))
    if effect == 0:
        raise ValueError("The effect is 0: no sample size is sufficient.")
    errors = z * math.sqrt(under_null) + reach * math.sqrt(variance)
    return (max(errors, 0) / effect) ** 2


def upper_quantile(alpha: float, alternative: Alternative) -> float:
    check_choice("alternative", alternative, ("two-sided", "one-sided"))
    sides = 2 if alternative == "two-sided" else 1
    return float(stats.norm.isf(OPEN_SHARE.check("alpha", alpha) / sides))


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

    examples for a test. For a half-width w, that of Wilson's interval, which :func:`interval` prints,

    .. math:: z_\alpha^2 \left(p (1 - p) \, n + z_\alpha^2 / 4\right) = w^2 (n + z_\alpha^2)^2

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
    SampleSize(n_positive=37, n_negative=148, power=nan)
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
        p, p0 = OPEN_SHARE.check("rate", rate), OPEN_SHARE.check("null", null)
        z, spreads = upper_quantile(alpha, alternative), (p0 * (1 - p0), p * (1 - p))
        n = max(math.ceil(needed(p - p0, z, *spreads, power)), 1)
        reached = power_of(p - p0, z, *(spread / n for spread in spreads))
    others = math.ceil(n * ((1 - share) / share if of == "positives" else share / (1 - share)))
    positives, negatives = (n, others) if of == "positives" else (others, n)
    return SampleSize(positives, negatives, reached)


def _needed_for_width(
    rate: float, half_width: float, alpha: float, alternative: Alternative
) -> float:
    """Return the n at which Wilson's interval of a rate has a half-width."""
    p, w = OPEN_SHARE.check("rate", rate), ABOVE_ZERO.check("half_width", half_width)
    square = upper_quantile(alpha, alternative) ** 2
    # z^2 (p (1 - p) n + z^2 / 4) = w^2 (n + z^2)^2
    half = square * (p * (1 - p) - 2 * w**2) / (2 * w**2)
    rest = square**2 * (w**2 - 0.25) / w**2
    return half + math.sqrt(max(half**2 - rest, 0.0))


def roc_auc_sample_size(
    auc: float,
    *,
    null: float | None = None,
    half_width: float | None = None,
    ratio: float = 1.0,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
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
    spread : float, default=1
        Standard deviation of the positives' scores over that of the negatives', above 0.

    Returns
    -------
    SampleSize
        Rounded up, so that its power is at least `power`, or the half-width of
        :math:`A \pm z_\alpha \sqrt{V}` at most `half_width`; with fewer than 50 examples of a class
        the mean half-width of :func:`interval` is up to a quarter greater.

    Raises
    ------
    ValueError
        If an argument is out of its range, `auc` is equal to `null`, or both of `null` and
        `half_width` are given.

    Notes
    -----
    The scores of both classes are taken as normal. With P positives and N negatives the variance of the
    AUC, which :func:`interval` estimates, is for an equal spread

    .. math:: (Q - A^2) (1 / P + 1 / N), \quad Q = \Phi_2(\Phi^{-1}(A), \Phi^{-1}(A); 1/2)

    with the bivariate normal distribution function of correlation 1/2. Under the null hypothesis it is
    that of an AUC of `null`. The probability of a significant result in the wrong direction is ignored.

    Examples
    --------
    >>> from skaucx.inference import roc_auc_sample_size
    >>> size = roc_auc_sample_size(0.8, null=0.7, ratio=4, power=0.9, alternative="one-sided")
    >>> size.n_positive, size.n_negative, round(size.power, 3)
    (62, 248, 0.901)
    >>> roc_auc_sample_size(0.8, ratio=4, half_width=0.05).total
    454
    """
    if null is not None and half_width is not None:
        raise ValueError(
            "One of null (to plan a test) and half_width (to plan an interval) may be given, found "
            f"null={null!r} and half_width={half_width!r}."
        )
    a, a0 = OPEN_SHARE.check("auc", auc), OPEN_SHARE.check("null", 0.5 if null is None else null)
    z, ratio = upper_quantile(alpha, alternative), ABOVE_ZERO.check("ratio", ratio)
    of = partial(binormal_variance, spread=ABOVE_ZERO.check("spread", spread))
    if half_width is None:
        positives = needed(a - a0, z, of(a0, 1, ratio), of(a, 1, ratio), power)
    else:
        width = ABOVE_ZERO.check("half_width", half_width)
        positives = of(a, 1, ratio) * (z / width) ** 2
    p, n = (max(math.ceil(each), 1) for each in (positives, ratio * positives))
    reached = power_of(a - a0, z, of(a0, p, n), of(a, p, n)) if half_width is None else math.nan
    return SampleSize(p, n, reached)


def binormal_variance(auc: float, positives: float, negatives: float, spread: float) -> float:
    """Return the variance of the empirical AUC of two normal classes, to leading order in 1 / n.

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
