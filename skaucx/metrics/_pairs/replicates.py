"""Scores sorted once, with many sets of weights: the pair means of each over a leading axis."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from ..._arrays import Array, Bools, Codes, Floats
from .._records.counts import Counts
from .kernels import Kernel, Relative, kernel_of
from .ranking import PairMeans, RankedScores
from .tree import sums_over


class SortedScores:
    """The distinct scores of n rows in rising order, and the rows of each.

    Parameters
    ----------
    truth : ndarray of shape (m,), bool
    score : ndarray of shape (m,), float64
    rows : ndarray of shape (m,), int, default=None
        The row of a larger sample that each score belongs to; None where they are the sample.
    """

    def __init__(self, truth: Bools, score: Floats, rows: Codes | None = None) -> None:
        order = np.argsort(score)
        ordered = score[order]
        first = np.append(True, ordered[1:] != ordered[:-1])[: len(order)]
        self.values, self.starts = ordered[first], np.flatnonzero(first)
        self.truth, self.rows = truth[order], order if rows is None else rows[order]

    def replicates(self, weight: Floats) -> RankedReplicates:
        """Return the replicates that weigh the rows by `weight`, of shape (b, n)."""
        return RankedReplicates(self, weight)


class RankedReplicates(PairMeans):
    """The names of :class:`RankedScores`, with one value a replicate; scores of weight 0 do not count.

    Parameters
    ----------
    scores : SortedScores
    weight : ndarray of shape (b, n), float64
        What each row weighs in each replicate.
    """

    def __init__(self, scores: SortedScores, weight: Floats) -> None:
        self.values = scores.values
        taken = weight.take(scores.rows, axis=1)
        self.positive, self.negative = (
            np.add.reduceat(taken * side, scores.starts, axis=1)
            for side in (scores.truth, ~scores.truth)
        )
        self.positive_total = self.positive.sum(axis=1)
        self.negative_total = self.negative.sum(axis=1)

    @property
    def total(self) -> Floats:
        """The weight of all examples."""
        return self.positive_total + self.negative_total

    @cached_property
    def pairs(self) -> Floats:
        """The weight of all pairs."""
        return self.positive_total * self.negative_total

    @cached_property
    def win_share(self) -> Floats:
        """The share of pairs with d > 0."""
        below = _running(self.negative)[:, :-1]
        return np.asarray(_dot(self.positive, below) / self.pairs)

    @cached_property
    def tie_share(self) -> Floats:
        """The share of pairs with d = 0."""
        return np.asarray(_dot(self.positive, self.negative) / self.pairs)

    @cached_property
    def _each(self) -> list[RankedScores]:
        """The ranking of every replicate."""
        found = []
        for positive, negative in zip(self.positive, self.negative, strict=True):
            held = positive + negative > 0
            found.append(RankedScores(self.values[held], positive[held], negative[held]))
        return found

    def _one_by_one(self, value: Callable[[RankedScores], np.float64]) -> Floats:
        """Return a value of the ranking of every replicate, nan of one without weight."""
        return np.array([value(r) if len(r.values) else np.nan for r in self._each])

    @cached_property
    def lowest(self) -> Floats:
        """The lowest score."""
        return self._one_by_one(lambda r: r.lowest)

    @cached_property
    def highest(self) -> Floats:
        """The highest score."""
        return self._one_by_one(lambda r: r.highest)

    @cached_property
    def margin(self) -> Floats:
        """The lowest positive minus the highest negative."""
        return self._one_by_one(lambda r: r.margin)

    @cached_property
    def mean_difference(self) -> Floats:
        """The mean of d."""
        return self._one_by_one(lambda r: r.mean_difference)

    @cached_property
    def mean_gain(self) -> Floats:
        """The mean of max(d, 0)."""
        return self._one_by_one(lambda r: r.mean_gain)

    def mean_gain_above(self, share: float) -> Floats:
        """Return the mean of max(d / span - share, 0), 0 where the span is 0."""
        return self._one_by_one(lambda r: r.mean_gain_above(share))

    def mean_of(self, h: Kernel | Callable[[Floats], Floats]) -> Floats:
        """Return the mean of h(d)."""
        p, n = (np.flatnonzero(side.any(axis=0)) for side in (self.positive, self.negative))
        if not (len(p) and len(n)):
            return np.full(len(self.pairs), np.nan)
        sums = sums_over(kernel_of(h), self.values[p], self.values[n], self.negative[:, n])
        return np.asarray(_dot(self.positive[:, p], sums) / self.pairs)

    def mean_of_relative(self, h: Kernel) -> Floats:
        """Return the mean of h(d / span), 0 where the span is 0: few spans differ."""
        means = np.where(self.pairs > 0, 0.0, np.nan)
        for each in np.unique(self.span[self.span > 0]):
            means = np.where(self.span == each, self.mean_of(Relative(h, float(each))), means)
        return means

    @cached_property
    def threshold_counts(self) -> Counts:
        """The counts at every distinct score as threshold, falling, after one above them all."""
        sides = self.positive, self.negative
        tp, fp = (_running(side[:, ::-1]) for side in sides)
        fn, tn = (_running(side)[:, ::-1] for side in sides)
        return Counts(tp, fp, fn, tn).ordered(self.positive_first)


def _running(weight: Array) -> Floats:
    """Return the sums of the first 0, 1, ..., m weights of each replicate."""
    sums = np.zeros((len(weight), weight.shape[1] + 1))
    np.cumsum(weight, axis=1, out=sums[:, 1:])
    return sums


def _dot(a: Floats, b: Floats) -> Floats:
    return np.asarray((a * b).sum(axis=1))
