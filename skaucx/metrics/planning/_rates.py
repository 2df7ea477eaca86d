"""Sample size and power of a sensitivity or a specificity."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from scipy import stats

from ..._options import OPEN_SHARE, RealRange, check_choice
from ..._text.html import table

Sides = Literal["two-sided", "one-sided"]

ABOVE_ZERO = RealRange(0, math.inf, open_low=True)


@dataclass(frozen=True)
class SampleSize:
    """Number of examples that a study needs.

    Attributes
    ----------
    n_positive, n_negative : int
        Examples of the two classes.
    power : float
        Power of the test with these numbers; nan for a size from a half-width.

    Examples
    --------
    >>> from skaucx.metrics.planning import roc_auc_sample_size
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

    def _repr_html_(self) -> str:
        """Show the numbers in a notebook."""
        cells: dict[str, int | float] = {
            "positives": self.n_positive,
            "negatives": self.n_negative,
            "total": self.total,
        }
        if not math.isnan(self.power):
            cells["power"] = self.power
        return table("Sample size", list(cells), [list(cells.values())])


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


def upper_quantile(alpha: float, alternative: Sides) -> float:
    check_choice("alternative", alternative, ("two-sided", "one-sided"))
    sides = 2 if alternative == "two-sided" else 1
    return float(stats.norm.isf(OPEN_SHARE.check("alpha", alpha) / sides))


def rate_power(
    rate: float, n: float, *, null: float, alpha: float = 0.05, alternative: Sides = "two-sided"
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
    >>> from skaucx.metrics.planning import rate_power
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
    alternative: Sides = "two-sided",
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
    >>> from skaucx.metrics.planning import rate_sample_size
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


def _one_rate(rate: float, null: Any, alpha: float, alternative: Sides) -> Design:
    p, p0 = OPEN_SHARE.check("rate", rate), OPEN_SHARE.check("null", null)
    z = upper_quantile(alpha, alternative)
    return Design(p - p0, lambda n, _: p0 * (1 - p0) / n, lambda n, _: p * (1 - p) / n, z)


def _needed_for_width(rate: float, half_width: float, alpha: float, alternative: Sides) -> float:
    p, w = OPEN_SHARE.check("rate", rate), ABOVE_ZERO.check("half_width", half_width)
    return upper_quantile(alpha, alternative) ** 2 * p * (1 - p) / w**2
