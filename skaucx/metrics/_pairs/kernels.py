"""Functions h of the score difference d = p - n whose mean over all pairs a metric is.

A kernel says what h is and, where it knows, how its sums over all pairs are found in near-linear time.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from ..._arrays import Array, Floats
from .sums.blocks import Block, low_rank_blocks, whole_blocks
from .sums.logistic_grid import sum_of_logistics
from .sums.power_table import raised_to
from .sums.power_tree import sum_of_powers

# The widest range of d, in units of 1 / beta, on which the logistic function is tried across its bend.
_WIDEST_BEND = 64.0


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
    def rate(self) -> float | None:
        return None

    def of_exponential(self, x: Floats) -> Floats:
        """Return h where exp(-rate d) = x, which may be overwritten."""
        raise NotImplementedError

    def blocks(self, positives: Floats, negatives: Floats) -> Iterator[Block]:
        """Cut the matrix h(p_i - n_j) of distinct scores in rising order into blocks."""
        return low_rank_blocks(self, self.is_smooth, positives, negatives, self.zero_up_to)

    def total(
        self,
        positives: Floats,
        negatives: Floats,
        wp: Floats | None,
        wn: Floats | None,
        below: Array | None = None,
    ) -> float:
        """Return the weighted sum of h(p - n) over all pairs.

        Distinct scores of each class in rising order with their weights, None where all are 1;
        `below`, where known, counts the negatives below each positive.
        """
        weights = [
            np.ones((len(scores), 1)) if w is None else w[:, None]
            for scores, w in ((positives, wp), (negatives, wn))
        ]
        blocks = self.blocks(positives, negatives)
        return math.fsum(float(block.total(*weights)[0]) for block in blocks)

    def sums_of_each(
        self, positives: Floats, negatives: Floats, wp: Floats, wn: Floats
    ) -> tuple[Floats, Floats]:
        """Return the sum of h over the other class for each positive and for each negative."""
        of_positives, of_negatives = np.zeros(len(positives)), np.zeros(len(negatives))
        for block in self.blocks(positives, negatives):
            block.add_sums(wp, wn, of_positives, of_negatives)
        return of_positives, of_negatives


@dataclass(frozen=True, eq=False)
class Function(Kernel):
    """Any vectorised function of the difference.

    Parameters
    ----------
    h : callable
        Takes an array of differences, returns an array of the same shape.
    kinks : tuple of float, default=None
        All differences at which h or one of its derivatives jumps: between them it is as smooth as a
        polynomial, and its sums take near-linear time. None where that is not known; h is then
        evaluated pair by pair, in bounded memory.
    """

    h: Callable[[Floats], Floats]
    kinks: tuple[float, ...] | None = None

    def __call__(self, d: Floats) -> Floats:
        return self.h(d)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Function) and (self.h, self.kinks) == (other.h, other.kinks)

    def __hash__(self) -> int:
        return hash(self.kinks)  # a callable object need not be hashable

    def is_smooth(self, low: float, high: float) -> bool:
        return self.kinks is not None and not any(low <= kink <= high for kink in self.kinks)

    def blocks(self, positives: Floats, negatives: Floats) -> Iterator[Block]:
        if self.kinks is None:
            return whole_blocks(self, positives, negatives)
        return super().blocks(positives, negatives)


@dataclass(frozen=True)
class Power(Kernel):
    """d^q where d > 0, else 0."""

    q: float
    zero_up_to: ClassVar[float] = 0.0

    def __call__(self, d: Floats) -> Floats:
        won = d > 0
        # Powers of numbers <= 0 are slow: taken of 1, then put to 0.
        raised = raised_to(self.q)(np.where(won, d, 1.0))
        raised *= won
        return raised

    def is_smooth(self, low: float, high: float) -> bool:
        return low >= 0

    def total(
        self,
        positives: Floats,
        negatives: Floats,
        wp: Floats | None,
        wn: Floats | None,
        below: Array | None = None,
    ) -> float:
        return sum_of_powers(positives, negatives, wp, wn, self.q, below)


@dataclass(frozen=True)
class Logistic(Kernel):
    """1 / (1 + exp(-beta d))."""

    beta: float

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

    def total(
        self,
        positives: Floats,
        negatives: Floats,
        wp: Floats | None,
        wn: Floats | None,
        below: Array | None = None,
    ) -> float:
        return sum_of_logistics(positives, negatives, wp, wn, self.beta)


def kernel_of(h: Kernel | Callable[[Floats], Floats]) -> Kernel:
    """Return a kernel as it is, and a plain function as one that is evaluated pair by pair."""
    return h if isinstance(h, Kernel) else Function(h)
