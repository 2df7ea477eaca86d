"""Functions h of the score difference d = p - n, of which AUC variants are means over all pairs.

A kernel evaluates h and, where h is smooth in parts, sums it over all pairs in near-linear time.
The modules of these sums are imported by the first sum.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np
from scipy import special

from ..._arrays import Array, Floats

if TYPE_CHECKING:
    from .sums.pair_matrix import PairMatrix

# The logistic function has faded from a half to 1e-17 at so many units of 1 / beta.
_FADED = 40.0
# Terms of the polynomials by which smooth parts are tried, what they may leave out of the greatest
# value, and how often the span is halved until they do.
_TERMS, _LEFT_OUT, _MOST_HALVINGS = 16, 1e-13, 11
# The widest range of d, in units of 1 / beta, on which the logistic function is tried across its bend.
_WIDEST_BEND = 64.0


# The distinct scores of positives and of negatives, and their weights, None where all are 1.
ScoresByClass: TypeAlias = tuple[Floats, Floats, Floats | None, Floats | None]


class Kernel(ABC):
    """A vectorised function h of the difference d, with what is known of its sums over all pairs.

    A subclass is a frozen dataclass of the parameters of h, so that equal kernels are one key.

    Attributes
    ----------
    zero_up_to : float
        h is 0 at all differences up to this one.
    rate : float or None
        Where h is a function of exp(-rate d) given by `of_exponential`; a sum over pairs then needs
        one exponential a score.
    """

    zero_up_to: ClassVar[float] = -math.inf

    @abstractmethod
    def __call__(self, d: Floats) -> Floats:
        """Return h(d)."""

    def is_smooth(self, low: float, high: float) -> bool:
        """Whether h is known to be smooth at all differences from `low` to `high`."""
        return False

    @property
    def kinks(self) -> tuple[float, ...] | None:
        """All differences at which h or one of its derivatives jumps; None where they are not known."""
        return None

    def smooth_width(self, distance: float, span: float) -> float:
        """Return how wide a range of differences may be for a short polynomial to follow h.

        Parameters
        ----------
        distance : float
            That of the range from all kinks.
        span : float
            The greatest difference of two scores.
        """
        # The nearest singularity is then five half-widths from the middle: 9.9^-k with k terms.
        return distance / 2

    def reaching(self, value: float) -> float:
        """Return the difference above 0 at which h, if it never falls, reaches a value."""
        return math.nan

    @property
    def rate(self) -> float | None:
        return None

    def of_exponential(self, x: Floats) -> Floats:
        """Return h where exp(-rate d) = x, which may be overwritten."""
        raise NotImplementedError

    def matrix(self, positives: Floats, negatives: Floats) -> PairMatrix:
        """Return the matrix h(p_i - n_j) of distinct scores in rising order."""
        from .sums.pair_matrix import pair_matrix

        return pair_matrix(self, self.is_smooth, self.zero_up_to, positives, negatives)

    def total(self, sides: ScoresByClass, below: Array | None = None) -> float:
        """Return the weighted sum of h(p - n) over all pairs.

        Distinct scores of each class in rising order with their weights, None where all are 1;
        `below`, where known, counts the negatives below each positive.
        """
        positives, negatives, wp, wn = sides
        wp = np.ones(len(positives)) if wp is None else wp
        wn = np.ones(len(negatives)) if wn is None else wn
        over_negatives = self.matrix(positives, negatives).over_negatives(wn[:, None])
        return float((wp * over_negatives[:, 0]).sum())


@dataclass(frozen=True, eq=False)
class DifferenceFunction(Kernel):
    """A function h of the score difference, and where it bends, for a declared metric's pair mean.

    Parameters
    ----------
    h : callable
        Takes an array of differences, returns an array of the same shape.
    kinks : tuple of float, default=None
        All differences at which h or one of its derivatives jumps. Between them h must be smooth
        enough for a polynomial to follow it; its sums over all pairs then take near-linear time. None
        where they are not known: h is then evaluated pair by pair, in bounded memory.

    Examples
    --------
    A gain that counts up to 0.2 only, and its mean over all pairs:

    >>> import numpy as np
    >>> from skaucx.metrics import declare
    >>> from skaucx.metrics._kinds import DifferenceFunction
    >>> gain = DifferenceFunction(lambda d: np.clip(d, 0, 0.2), kinks=(0.0, 0.2))
    >>> def capped_gain_score(r):
    ...     '''By how much the positives outscore the negatives, 0.2 at most.'''
    ...     return r.mean_of(gain)
    >>> capped_gain_score = declare("values", bounds=(0, 0.2))(capped_gain_score)
    >>> round(capped_gain_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.3]), 3)
    0.125
    """

    h: Callable[[Floats], Floats]
    kinks: tuple[float, ...] | None = None

    def __call__(self, d: Floats) -> Floats:
        return self.h(d)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DifferenceFunction):
            return NotImplemented
        return (self.h, self.kinks) == (other.h, other.kinks)

    def __hash__(self) -> int:
        return hash(self.kinks)  # a callable object need not be hashable

    def is_smooth(self, low: float, high: float) -> bool:
        """Whether no kink lies between `low` and `high`."""
        return self.kinks is not None and not any(low <= kink <= high for kink in self.kinks)

    def smooth_width(self, distance: float, span: float) -> float:
        """Return how wide a range, so far from all kinks, a polynomial follows h; found by trial."""
        return min(distance / 2, _smooth_width(self, span))

    def matrix(self, positives: Floats, negatives: Floats) -> PairMatrix:
        """Return the matrix h(p_i - n_j), in smooth blocks where the kinks are known."""
        if self.kinks is None:
            from .sums.pair_matrix import WholeMatrix

            return WholeMatrix(self, positives, negatives)
        return super().matrix(positives, negatives)


@dataclass(frozen=True)
class Power(Kernel):
    """d^q where d > 0, else 0."""

    q: float
    zero_up_to: ClassVar[float] = 0.0
    kinks: ClassVar[tuple[float, ...]] = (0.0,)

    def reaching(self, value: float) -> float:
        with np.errstate(divide="ignore"):
            return float(value ** (1 / np.float64(self.q)))

    def __call__(self, d: Floats) -> Floats:
        from .sums.power_tree import raised_to

        won = d > 0
        # Powers of numbers <= 0 are slow: taken of 1, then put to 0.
        raised = raised_to(self.q)(np.where(won, d, 1.0))
        raised *= won
        return raised

    def is_smooth(self, low: float, high: float) -> bool:
        return low >= 0

    def total(self, sides: ScoresByClass, below: Array | None = None) -> float:
        from .sums.power_tree import sum_of_powers

        return sum_of_powers(*sides, self.q, below)


@dataclass(frozen=True)
class HalfLinear(Kernel):
    """(1 + d) / 2."""

    kinks: ClassVar[tuple[float, ...]] = ()

    def reaching(self, value: float) -> float:
        return 2 * value - 1

    def __call__(self, d: Floats) -> Floats:
        return (1 + d) / 2

    def is_smooth(self, low: float, high: float) -> bool:
        return True


@dataclass(frozen=True)
class Logistic(Kernel):
    """1 / (1 + exp(-beta d))."""

    beta: float
    kinks: ClassVar[tuple[float, ...]] = ()

    def smooth_width(self, distance: float, span: float) -> float:
        """Return a width on which h, where it is small, stays of one order."""
        return min(distance / 2, max(1 / self.beta, distance / _FADED))

    def reaching(self, value: float) -> float:
        return float(special.logit(value)) / self.beta

    def __call__(self, d: Floats) -> Floats:
        return special.expit(self.beta * d)

    def is_smooth(self, low: float, high: float) -> bool:
        return low >= 0 or high <= 0 or self.beta * (high - low) <= _WIDEST_BEND

    @property
    def rate(self) -> float:
        return self.beta

    def of_exponential(self, x: Floats) -> Floats:
        x += 1
        return np.reciprocal(x, out=x)

    def total(self, sides: ScoresByClass, below: Array | None = None) -> float:
        from .sums.logistic_grid import sum_of_logistics

        return sum_of_logistics(*sides, self.beta)


@dataclass(frozen=True)
class Floored(Kernel):
    """h(d), and at least `floor` where d > 0; h never falls."""

    h: Kernel
    floor: float

    @property
    def zero_up_to(self) -> float:  # type: ignore[override]
        return self.h.zero_up_to

    @property
    def kinks(self) -> tuple[float, ...] | None:
        """Those of h, the differences of 0, and where h crosses the floor."""
        crossing = self.h.reaching(self.floor)
        if self.h.kinks is None or math.isnan(crossing):
            return None
        crossed = (crossing,) if 0 < crossing < math.inf else ()
        return (*{*self.h.kinks, 0.0, *crossed},)

    def smooth_width(self, distance: float, span: float) -> float:
        return self.h.smooth_width(distance, span)

    def __call__(self, d: Floats) -> Floats:
        values = self.h(d)
        return np.where(d > 0, np.maximum(values, self.floor), values)

    def is_smooth(self, low: float, high: float) -> bool:
        """Whether h is smooth there, and on one side of the floor, and the differences of 0."""
        if high <= 0:
            return self.h.is_smooth(low, high)
        ends = self.h(np.array([low, high])) >= self.floor
        return low > 0 and self.h.is_smooth(low, high) and bool(ends[0] == ends[1])


@dataclass(frozen=True)
class Relative(Kernel):
    """h(d / span)."""

    h: Kernel
    span: float

    @property
    def zero_up_to(self) -> float:  # type: ignore[override]
        return self.h.zero_up_to * self.span

    @property
    def kinks(self) -> tuple[float, ...] | None:
        """Those of h in units of the scores."""
        of_h = self.h.kinks
        return None if of_h is None else tuple(kink * self.span for kink in of_h)

    def smooth_width(self, distance: float, span: float) -> float:
        return self.span * self.h.smooth_width(distance / self.span, span / self.span)

    def __call__(self, d: Floats) -> Floats:
        return self.h(d / self.span)

    def is_smooth(self, low: float, high: float) -> bool:
        return self.h.is_smooth(low / self.span, high / self.span)


def kernel_of(h: Kernel | Callable[[Floats], Floats]) -> Kernel:
    """Return a kernel as it is, and a plain function as one that is evaluated pair by pair."""
    return h if isinstance(h, Kernel) else DifferenceFunction(h)


@lru_cache(maxsize=16)
def _smooth_width(h: DifferenceFunction, span: float) -> float:
    """Return the widest range on which a short polynomial follows h wherever no kink is near, or 0."""
    from .sums.cell_pairs import expansions

    for halvings in range(_MOST_HALVINGS + 1):
        width = span / 2**halvings
        middles = np.arange(-span, span, width) + width / 2
        distance = np.abs(middles[:, None] - np.array(h.kinks)).min(axis=1, initial=np.inf)
        tried = middles[distance > 2.5 * width]
        values, terms = expansions(h, tried, width, _TERMS)
        greatest = np.abs(values).max(axis=1, initial=0)
        # The last two coefficients of a series that falls this fast bound what is left out.
        if (np.abs(terms[:, -2:]).max(axis=1) <= _LEFT_OUT * greatest).all():
            return width
    return 0.0
