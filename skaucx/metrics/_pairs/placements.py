"""Placement values: the pair means of the AUC variants, seen from each example.

The placement value of a positive is the mean of h(d) over the negatives, that of a negative the mean
over the positives (DeLong et al. 1988, equation 2, for h = 1 if d > 0, 1/2 if d = 0).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NoReturn

import numpy as np

from ..._arrays import Array, Bools, Floats
from .sums.blocks import Kernel, logistic, power, sums_of_each
from .sums.elementary import cumulative

# Differences evaluated at once for a function given by the caller.
_PAIRS_AT_ONCE = 1 << 20


class NoPlacementsError(AttributeError):
    """A formula reads more of the scores than means of functions of d."""


class Placements:
    """The pair means of :class:`RankedScores`, one an example: positives first, then negatives.

    A formula that is affine in these means gives the placement values of its metric. One that reads
    anything else, such as the span of the sample, has none: it fails with `NoPlacementsError`.

    Parameters
    ----------
    truth : ndarray of shape (n,), bool
    score : ndarray of shape (n,), float64
    """

    def __init__(self, truth: Bools, score: Floats) -> None:
        order = np.argsort(score)
        ordered, right = score[order], truth[order]
        first = np.append(True, ordered[1:] != ordered[:-1])
        starts = np.flatnonzero(first)
        self.values = ordered[starts]
        self.positive = np.add.reduceat(right, starts, dtype=np.int64)
        self.negative = np.diff(starts, append=len(score)) - self.positive
        place = np.empty(len(score), dtype=np.intp)
        place[order] = np.cumsum(first) - 1
        self._places = place[truth], place[~truth]

    def __getattr__(self, name: str) -> NoReturn:
        raise NoPlacementsError(name)

    def _of_each(self, over_negatives: Array, over_positives: Array) -> Floats:
        """Divide sums at each distinct score by the size of the other class."""
        p, n = self._places
        return np.concatenate([over_negatives[p] / len(n), over_positives[n] / len(p)])

    @cached_property
    def win_share(self) -> Floats:
        """The share of the other class that is on the right side."""
        return self._of_each(
            cumulative(self.negative)[:-1], cumulative(self.positive[::-1])[-2::-1]
        )

    @cached_property
    def tie_share(self) -> Floats:
        """The share of the other class at the same score."""
        return self._of_each(self.negative, self.positive)

    @cached_property
    def mean_difference(self) -> Floats:
        """The mean of d."""
        height = self.values - self.values[0]
        p, n = self._places
        over_n, over_p = (height * self.negative).sum(), (height * self.positive).sum()
        return self._of_each(len(n) * height - over_n, over_p - len(p) * height)

    @cached_property
    def mean_gain(self) -> Floats:
        """The mean of max(d, 0)."""
        # A gap counts once for every negative below it and every positive above it.
        gaps = np.diff(self.values)
        rising = cumulative(gaps * cumulative(self.negative)[1:-1])
        falling = cumulative((gaps * cumulative(self.positive[::-1])[-2:0:-1])[::-1])[::-1]
        return self._of_each(rising, falling)

    def mean_power(self, q: float) -> Floats:
        """Return the mean of d^q where d > 0, else 0."""
        return self._mean_of_kernel(power(q))

    def mean_logistic(self, beta: float) -> Floats:
        """Return the mean of 1 / (1 + exp(-beta d))."""
        return self._mean_of_kernel(logistic(beta))

    def mean_of(self, h: Callable[[Floats], Floats]) -> Floats:
        """Return the mean of h(d), pair by pair in bounded memory."""
        p, n = (self.values[place] for place in self._places)
        over_n, over_p = np.empty(len(p)), np.zeros(len(n))
        step = max(1, _PAIRS_AT_ONCE // len(n))
        for start in range(0, len(p), step):
            part = h(p[start : start + step, None] - n)
            over_n[start : start + step] = part.sum(axis=1)
            over_p += part.sum(axis=0)
        return np.concatenate([over_n / len(n), over_p / len(p)])

    def _mean_of_kernel(self, kernel: Kernel) -> Floats:
        has = [np.flatnonzero(weight) for weight in (self.positive, self.negative)]
        scores = [self.values[held] for held in has]
        weights = [self.positive[has[0]] * 1.0, self.negative[has[1]] * 1.0]
        sums = np.zeros((2, len(self.values)))
        for row, held, of_each in zip(
            sums, has, sums_of_each(kernel, *scores, *weights), strict=True
        ):
            row[held] = of_each
        return self._of_each(*sums)
