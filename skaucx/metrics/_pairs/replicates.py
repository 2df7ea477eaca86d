"""Scores sorted once, with many sets of weights: the pair means of each over a leading axis."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from ..._arrays import Bools, Codes, Floats
from .._records.counts import Counts
from .contract import PairMeans
from .kernels import Kernel, kernel_of
from .sorting import moderate_scale
from .sums.pair_matrix import PairMatrix


class SortedScores:
    """The distinct scores of n rows in rising order, and how weights of rows are gathered at them.

    Parameters
    ----------
    truth : ndarray of shape (n,), bool
    score : ndarray of shape (n,), float64
    """

    def __init__(self, truth: Bools, score: Floats) -> None:
        rows = np.argsort(score)
        self.values = np.unique(score)
        self.positives = _Side(rows[truth[rows]], score)
        self.negatives = _Side(rows[~truth[rows]], score)
        self._matrices: dict[Kernel, PairMatrix] = {}

    def replicates(self, weight: Floats) -> RankedReplicates:
        """Return the replicates that weigh the rows by `weight`, of shape (b, n)."""
        sides = (side.gathered(weight.T) for side in (self.positives, self.negatives))
        return RankedReplicates(self, *sides)

    @cached_property
    def moderate(self) -> SortedScores:
        """The scores on a scale of which no sum overflows: these where it is their own."""
        scale = moderate_scale(self.values[0], self.values[-1])
        if not scale:
            return self
        scaled = copy.copy(self)
        scaled.values = np.ldexp(self.values, scale)
        scaled.positives, scaled.negatives = (
            side.scaled(scale) for side in (self.positives, self.negatives)
        )
        return scaled

    def matrix(self, kernel: Kernel) -> PairMatrix:
        """Return the matrix of a kernel over the distinct scores of the two classes."""
        if kernel not in self._matrices:
            self._matrices[kernel] = kernel.matrix(self.positives.values, self.negatives.values)
        return self._matrices[kernel]


class _Side:
    """The rows of one class in the order of their scores, and the distinct scores among them."""

    def __init__(self, rows: Codes, score: Floats) -> None:
        ordered = score[rows]
        self.rows = rows
        self.starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(rows)])
        self.values = ordered[self.starts]

    def scaled(self, exponent: int) -> _Side:
        """Return the same rows with their scores times a power of two."""
        side = copy.copy(self)
        side.values = np.ldexp(self.values, exponent)
        return side

    def gathered(self, weight: Floats) -> Floats:
        """Return what each distinct score weighs, (m, b), for weights of rows, (n, b)."""
        ordered = weight[self.rows]
        if len(self.starts) == len(self.rows):
            return np.ascontiguousarray(ordered)
        return np.add.reduceat(ordered, self.starts, axis=0)


class RankedReplicates(PairMeans):
    """The names of :class:`RankedScores`, with one value a replicate; scores of weight 0 do not count.

    Held with the replicates on the last axis, so that running sums add long rows.

    Parameters
    ----------
    scores : SortedScores
    positive : ndarray of shape (m_positive, b), float64
        What each distinct score of the positives weighs.
    negative : ndarray of shape (m_negative, b), float64
        The same of the negatives.
    """

    def __init__(self, scores: SortedScores, positive: Floats, negative: Floats) -> None:
        self.positive, self.negative = positive, negative
        self.scores, self.p, self.n = scores, scores.positives.values, scores.negatives.values
        self._means_above: dict[float, Floats] = {}

    @cached_property
    def positive_total(self) -> Floats:
        """The weight of the positives."""
        return self.positive.sum(axis=0)

    @cached_property
    def negative_total(self) -> Floats:
        """The weight of the negatives."""
        return self.negative.sum(axis=0)

    @cached_property
    def pairs(self) -> Floats:
        """The weight of all pairs."""
        return self.positive_total * self.negative_total

    @cached_property
    def _lowest_negatives(self) -> Floats:
        """The weight of the 0, 1, ... lowest scores of negatives, of shape (m_negative + 1, b)."""
        return _running(self.negative)

    @cached_property
    def win_share(self) -> Floats:
        """The share of pairs with d > 0."""
        below = np.searchsorted(self.n, self.p)
        return _dot(self.positive, self._lowest_negatives[below]) / self.pairs

    @cached_property
    def tie_share(self) -> Floats:
        """The share of pairs with d = 0."""
        _, p, n = np.intersect1d(self.p, self.n, assume_unique=True, return_indices=True)
        return _dot(self.positive[p], self.negative[n]) / self.pairs

    @cached_property
    def _ends(self) -> tuple[Floats, Floats, Floats, Floats]:
        """The lowest and the highest score of the positives, then of the negatives."""
        ends = []
        for values, weight in ((self.p, self.positive), (self.n, self.negative)):
            for order, none in ((slice(None), np.inf), (slice(None, None, -1), -np.inf)):
                found, shown = np.append(values[order], none), (weight > 0)[order]
                ends.append(found[np.where(shown.any(axis=0), shown.argmax(axis=0), -1)])
        return ends[0], ends[1], ends[2], ends[3]

    @property
    def lowest(self) -> Floats:
        """The lowest score."""
        return np.minimum(self._ends[0], self._ends[2])

    @property
    def highest(self) -> Floats:
        """The highest score."""
        return np.maximum(self._ends[1], self._ends[3])

    @cached_property
    def span(self) -> Floats:
        """The highest minus the lowest score."""
        return self.highest - self.lowest

    @cached_property
    def margin(self) -> Floats:
        """The lowest positive minus the highest negative."""
        return np.where(self.pairs > 0, self._ends[0] - self._ends[3], np.nan)

    @cached_property
    def mean_difference(self) -> Floats:
        """The mean of d."""
        lowest = self.scores.values[0]
        above = (self.p - lowest) @ self.positive / self.positive_total
        return above - (self.n - lowest) @ self.negative / self.negative_total

    @cached_property
    def _gains_at_negatives(self) -> Floats:
        """The sum of max(v - n, 0) at each negative's score v: terms >= 0, none cancels."""
        return _running(self._lowest_negatives[1:-1] * np.diff(self.n)[:, None])

    @cached_property
    def mean_gain(self) -> Floats:
        """The mean of max(d, 0)."""
        return self._sum_of_gains(0.0, slice(None)) / self.pairs

    def mean_gain_above(self, share: float) -> Floats:
        """Return the mean of max(d / span - share, 0), 0 where the span is 0."""
        if self.scores.moderate is not self.scores:
            scaled = RankedReplicates(self.scores.moderate, self.positive, self.negative)
            return scaled.mean_gain_above(share)
        if share not in self._means_above:
            span = np.where(self.span > 0, self.span, 1)
            gains = self.mean_gain if share == 0 else self._mean_gain_beyond(share * self.span)
            self._means_above[share] = gains / span
        return self._means_above[share]

    def _mean_gain_beyond(self, shift: Floats) -> Floats:
        """Return the mean of max(d - shift, 0): few shifts differ, for few scores are ever an end."""
        sums = np.zeros(len(shift))
        shifts, which = np.unique(shift, return_inverse=True)
        for k, each in enumerate(shifts):
            if np.isfinite(each):
                chosen = np.flatnonzero(which == k)
                sums[chosen] = self._sum_of_gains(each, chosen)
        return sums / self.pairs

    def _sum_of_gains(self, shift: float, chosen: Any) -> Floats:
        """Return the weighted sum of max(p - shift - n, 0) in the chosen replicates."""
        # Measured from the lowest score, so that lowering the positives loses no digit of the span.
        lowest = self.scores.values[0]
        lowered, n = self.p - lowest - shift, self.n - lowest
        above = slice(np.searchsorted(lowered, n[0]) if len(n) else len(lowered), None)
        reached = np.searchsorted(n, lowered[above], side="right")
        places = reached if isinstance(chosen, slice) else (reached[:, None], chosen)
        beneath = reached - 1 if isinstance(chosen, slice) else (reached[:, None] - 1, chosen)
        gains = self._lowest_negatives[places] * (lowered[above] - n[reached - 1])[:, None]
        gains += self._gains_at_negatives[beneath]
        return _dot(self.positive[above, chosen], gains)

    def mean_of(self, h: Kernel | Callable[[Floats], Floats]) -> Floats:
        """Return the mean of h(d)."""
        over_negatives = self.scores.matrix(kernel_of(h)).over_negatives(self.negative)
        return _dot(self.positive, over_negatives) / self.pairs

    @cached_property
    def threshold_counts(self) -> Counts:
        """The counts at every distinct score as threshold, falling, after one above them all."""
        values, shape = self.scores.values[::-1], (len(self.scores.values), self.positive.shape[1])
        cells = []
        for own, weight in ((self.p, self.positive), (self.n, self.negative)):
            spread = np.zeros(shape)
            spread[np.searchsorted(-values, -own)] = weight
            called = _running(spread).T
            cells += [called, _running(spread[::-1])[::-1].T]
        tp, fn, fp, tn = cells
        return Counts(tp, fp, fn, tn)


def _running(weight: Floats) -> Floats:
    """Return the sums of the first 0, 1, ..., m rows."""
    sums = np.zeros((len(weight) + 1, weight.shape[1]))
    np.cumsum(weight, axis=0, out=sums[1:])
    return sums


def _dot(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.einsum("mb,mb->b", a, b))
