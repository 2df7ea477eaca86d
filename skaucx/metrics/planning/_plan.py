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
from dataclasses import dataclass, replace
from typing import Literal

from scipy import stats

from ..._options import OPEN_SHARE, RealRange, check_choice
from ..._text.html import table

Sides = Literal["two-sided", "one-sided"]

ABOVE_ZERO = RealRange(0, math.inf, open_low=True)


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
class Plan:
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
