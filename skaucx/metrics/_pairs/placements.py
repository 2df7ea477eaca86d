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
from .kernels import Kernel, kernel_of
from .sorting import cumulative
from .tree import sums_over


class NoPlacementsError(AttributeError):
    """Raised where a formula reads `name`, which is no mean over pairs of a function of d."""


class Placements:
    """The pair means of the contract, one an example, or one a score and class: positives come first.

    A formula that is affine in these means gives the placement values of its metric. One that reads
    anything else, such as the span of the sample, has none: it is refused with `NoPlacementsError`.

    Parameters
    ----------
    truth : ndarray of shape (n,), bool
    score : ndarray of shape (n,), float64
    multiplicity : ndarray of shape (n,), int or float64, default=None
        Where each stands for several examples, or has a weight.
    """

    def __init__(self, truth: Bools, score: Floats, multiplicity: Array | None = None) -> None:
        self._values, place = np.unique(score, return_inverse=True)
        each = np.ones(len(score), dtype=np.intp) if multiplicity is None else multiplicity
        self._places = place[truth], place[~truth]
        self._positive, self._negative = (
            np.bincount(where, each[side], minlength=len(self._values)).astype(each.dtype)
            for where, side in zip(self._places, (truth, ~truth), strict=True)
        )
        self._totals = self._positive.sum(), self._negative.sum()

    @classmethod
    def of_distinct(cls, values: Floats, positive: Array, negative: Array) -> Placements:
        """Return those of a positive and of a negative at each rising score."""
        found, every = cls.__new__(cls), np.arange(len(values))
        found._values, found._positive, found._negative = values, positive, negative
        found._places, found._totals = (every, every), (positive.sum(), negative.sum())
        return found

    @property
    def sizes(self) -> tuple[int, int]:
        """How many positives and negatives have a value."""
        return len(self._places[0]), len(self._places[1])

    def __getattr__(self, name: str) -> NoReturn:
        raise NoPlacementsError(
            f"Placement values have no {name}: each is a mean of a function of d over the other class "
            f"of one example, and {name} is no such mean.",
            name=name,
            obj=self,
        )

    def _of_each(self, over_negatives: Array, over_positives: Array) -> Floats:
        """Divide sums at each distinct score by the total of the other class."""
        # V10(x) = sum_j h(x - y_j) / N of a positive x, V01(y) = sum_i h(x_i - y) / P of a negative y.
        (p, n), (positives, negatives) = self._places, self._totals
        found = np.empty(sum(self.sizes))
        np.divide(over_negatives.take(p), negatives, out=found[: len(p)])
        np.divide(over_positives.take(n), positives, out=found[len(p) :])
        return found

    @cached_property
    def win_share(self) -> Floats:
        """The share of the other class that is on the right side."""
        return self._of_each(
            cumulative(self._negative)[:-1], cumulative(self._positive[::-1])[-2::-1]
        )

    @cached_property
    def tie_share(self) -> Floats:
        """The share of the other class at the same score."""
        return self._of_each(self._negative, self._positive)

    @cached_property
    def mean_difference(self) -> Floats:
        """The mean of d."""
        # sum_j (x - y_j) = N x - sum_j y_j, in heights above the lowest score: no digits are lost
        # where all scores are large.
        height = self._values - self._values[0]
        positives, negatives = self._totals
        over_n, over_p = (height * self._negative).sum(), (height * self._positive).sum()
        return self._of_each(negatives * height - over_n, over_p - positives * height)

    @cached_property
    def mean_gain(self) -> Floats:
        """The mean of max(d, 0)."""
        # A gap counts once for every negative below it and every positive above it.
        gaps = np.diff(self._values)
        rising = cumulative(gaps * cumulative(self._negative)[1:-1])
        falling = cumulative((gaps * cumulative(self._positive[::-1])[-2:0:-1])[::-1])[::-1]
        return self._of_each(rising, falling)

    def mean_of(self, h: Kernel | Callable[[Floats], Floats]) -> Floats:
        """Return the mean of h(d)."""
        has = [np.flatnonzero(weight) for weight in (self._positive, self._negative)]
        p, n = (self._values[held] for held in has)
        wp, wn = self._positive[has[0]][None] * 1.0, self._negative[has[1]][None] * 1.0
        sums, kernel = np.zeros((2, len(self._values))), kernel_of(h)
        sums[0, has[0]] = sums_over(kernel, p, n, wn)[0]
        # h(p - n) = h(-n - (-p)), and scores that change their sign are in the other order.
        sums[1, has[1]] = sums_over(kernel, -n[::-1], -p[::-1], wp[:, ::-1])[0, ::-1]
        return self._of_each(*sums)
