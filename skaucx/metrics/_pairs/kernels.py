"""Functions h of the score difference d = p - n, of which AUC variants are means over all pairs."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from ..._arrays import Floats


class Kernel(ABC):
    """A vectorised function h of the difference d; its sums over all pairs take near-linear time.

    Attributes
    ----------
    zero_up_to : float
        h is 0 at all differences up to this one, which then need not be evaluated.
    """

    zero_up_to: ClassVar[float] = -math.inf

    @property
    def kinks(self) -> tuple[float, ...] | None:
        """All differences at which h or one of its derivatives jumps; None where they are not known."""
        return None

    @abstractmethod
    def __call__(self, d: Floats) -> Floats:
        """Return h(d)."""

    def reaching(self, value: float) -> float:
        """Return the difference above 0 at which h, if it never falls, reaches a value."""
        return math.nan


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
    >>> capped_gain_score = declare("values", bounds=(0, 0.2), pair_mean=True)(capped_gain_score)
    >>> round(capped_gain_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.3]), 3)
    0.125
    """

    h: Callable[[Floats], Floats]
    kinks: tuple[float, ...] | None = None

    def __call__(self, d: Floats) -> Floats:
        return np.asarray(self.h(d), dtype=np.float64)


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
        won = d > 0
        # Powers of numbers <= 0 are slow: taken of 1, then put to 0.
        raised = np.where(won, d, 1.0) ** self.q
        raised *= won
        return raised


@dataclass(frozen=True)
class HalfLinear(Kernel):
    """(1 + d) / 2."""

    kinks: ClassVar[tuple[float, ...]] = ()

    def reaching(self, value: float) -> float:
        return 2 * value - 1

    def __call__(self, d: Floats) -> Floats:
        return (1 + d) / 2


@dataclass(frozen=True)
class Logistic(Kernel):
    """1 / (1 + exp(-beta d))."""

    beta: float
    kinks: ClassVar[tuple[float, ...]] = ()

    def reaching(self, value: float) -> float:
        return float(special.logit(value)) / self.beta

    def __call__(self, d: Floats) -> Floats:
        # Half the time of special.expit.
        values = np.asarray(-self.beta * d)
        with np.errstate(over="ignore"):
            np.exp(values, out=values)
        values += 1
        return np.reciprocal(values, out=values)


@dataclass(frozen=True)
class Floored(Kernel):
    """h(d), and at least `floor` where d > 0; h never falls."""

    h: Kernel
    floor: float

    @property
    def kinks(self) -> tuple[float, ...] | None:
        """Those of h, the differences of 0, and where h crosses the floor."""
        crossing = self.h.reaching(self.floor)
        if self.h.kinks is None or math.isnan(crossing):
            return None
        crossed = (crossing,) if 0 < crossing < math.inf else ()
        return (*{*self.h.kinks, 0.0, *crossed},)

    def __call__(self, d: Floats) -> Floats:
        values = self.h(d)
        return np.where(d > 0, np.maximum(values, self.floor), values)


@dataclass(frozen=True)
class Relative(Kernel):
    """h(d / span)."""

    h: Kernel
    span: float

    @property
    def kinks(self) -> tuple[float, ...] | None:
        """Those of h in units of the scores."""
        of_h = self.h.kinks
        return None if of_h is None else tuple(kink * self.span for kink in of_h)

    def __call__(self, d: Floats) -> Floats:
        return self.h(d / self.span)


def kernel_of(h: Kernel | Callable[[Floats], Floats]) -> Kernel:
    """Return a kernel as it is, and a plain function as one that is evaluated pair by pair."""
    return h if isinstance(h, Kernel) else DifferenceFunction(h)
