"""Many small score sets at once: the pair means of each, over a leading axis."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from ..._arrays import Array, Bools, Floats
from .._records.counts import Counts
from .kernels import Kernel, kernel_of
from .ranking import PairMeans
from .sorting import moderate_exponent


class ScoreSets(PairMeans):
    """Sets of m scores each, with the means and shares of :class:`RankedScores` for every set.

    Held with the sets on the last axis, so that a sum over pairs adds long rows.

    Parameters
    ----------
    truth : ndarray of shape (sets, m), bool
    score : ndarray of shape (sets, m), float64
    """

    def __init__(self, truth: Bools, score: Floats) -> None:
        self.truth, self.score = np.ascontiguousarray(truth.T), np.ascontiguousarray(score.T)

    @cached_property
    def difference(self) -> Floats:
        """The difference d of each unordered pair, -inf where both are of one class."""
        # p - n is the sum of two scores of which a negative's has changed its sign.
        d = self._over_pairs(np.add, self._signed)
        return np.where(self._of_pairs, d, -np.inf)

    @cached_property
    def _ones(self) -> Floats:
        """1 for each positive, 0 for each negative: faster factors than bools."""
        return self.truth.astype(np.float64)

    @cached_property
    def _signed(self) -> Floats:
        """The scores, those of negatives with changed sign."""
        return self.score * (2 * self._ones - 1)

    def _over_pairs(self, combine: Callable[..., Array], x: Array) -> Array:
        """Combine x of each two scores of a set, the first with the second, third and so on."""
        size = len(x)
        pairs = np.empty((size * (size - 1) // 2, x.shape[1]), dtype=x.dtype)
        start = 0
        for i in range(size - 1):
            combine(x[i], x[i + 1 :], out=pairs[start : start + size - 1 - i])
            start += size - 1 - i
        return pairs

    @cached_property
    def positives(self) -> Floats:
        """The number of positives."""
        return self._ones.sum(axis=0)

    @property
    def total(self) -> Floats:
        """The number of all examples."""
        return np.full(self.truth.shape[1], float(len(self.truth)))

    @cached_property
    def pairs(self) -> Floats:
        """The number of pairs."""
        return self.positives * (len(self.truth) - self.positives)

    def _mean(self, h: Array) -> Floats:
        # Bools are counted four times as fast as bytes.
        total = h.view(np.int8).sum(axis=0, dtype=np.int32) if h.dtype == bool else h.sum(axis=0)
        return total / self.pairs

    @cached_property
    def _of_pairs(self) -> Bools:
        return self._over_pairs(np.logical_xor, self.truth)

    @cached_property
    def win_share(self) -> Floats:
        """The share of pairs with d > 0."""
        return self._mean(self.difference > 0)

    @cached_property
    def tie_share(self) -> Floats:
        """The share of pairs with d = 0."""
        return self._mean(self.difference == 0)

    @cached_property
    def lowest(self) -> Floats:
        """The lowest score."""
        return self.score.min(axis=0)

    @cached_property
    def highest(self) -> Floats:
        """The highest score."""
        return self.score.max(axis=0)

    @cached_property
    def margin(self) -> Floats:
        """The lowest positive minus the highest negative."""
        lowest = np.where(self.truth, self.score, np.inf).min(axis=0)
        return lowest - np.where(self.truth, -np.inf, self.score).max(axis=0)

    @cached_property
    def mean_difference(self) -> Floats:
        """The mean of d."""
        # Heights above the lowest score: an offset of all scores costs no digits.
        height = self.score - self.lowest
        of_positives = height * self._ones
        of_negatives = height - of_positives
        above = of_positives.sum(axis=0) / self.positives
        return above - of_negatives.sum(axis=0) / (len(self.truth) - self.positives)

    @cached_property
    def mean_gain(self) -> Floats:
        """The mean of max(d, 0)."""
        return self._mean(np.maximum(self.difference, 0))

    @cached_property
    def _moderate(self) -> ScoreSets:
        """The sets on scales on which no difference overflows or is a denormal number."""
        scale = -moderate_exponent(self.lowest, self.highest)
        return ScoreSets(self.truth.T, np.ldexp(self.score, scale).T) if scale.any() else self

    def mean_gain_above(self, share: float) -> Floats:
        """Return the mean of max(d / span - share, 0), 0 where the span is 0."""
        sets = self._moderate
        span = np.where(sets.span > 0, sets.span, 1)
        if share == 0:
            return sets.mean_gain / span
        return sets._mean(np.maximum(sets.difference - share * span, 0)) / span

    def mean_of(self, h: Kernel | Callable[[Floats], Floats]) -> Floats:
        """Return the mean of h(d)."""
        values = np.zeros(self.difference.shape)
        values[self._of_pairs] = kernel_of(h)(self.difference[self._of_pairs])
        return self._mean(values)

    def mean_of_relative(self, h: Kernel) -> Floats:
        """Return the mean of h(d / span), 0 where the span is 0."""
        sets = self._moderate
        span = np.where(sets.span > 0, sets.span, 1)
        means = sets._mean(np.where(self._of_pairs, h(sets.difference / span), 0.0))
        return np.where(sets.span > 0, means, 0 * means)

    @cached_property
    def threshold_counts(self) -> Counts:
        """The counts at every score as threshold, falling, after one above them all.

        A score that occurs k times is there k times, each with the counts of all that reach it.
        """
        falling = np.argsort(-self.score, axis=0)
        score, truth = (np.take_along_axis(a, falling, axis=0) for a in (self.score, self.truth))
        called = [
            np.cumsum(side, axis=0, dtype=np.float64) for side in (truth, np.logical_not(truth))
        ]
        for k in range(len(score) - 2, -1, -1):
            tied = score[k] == score[k + 1]
            for side in called:
                np.copyto(side[k], side[k + 1], where=tied)
        tp, fp = (np.concatenate([np.zeros_like(side[:1]), side]).T for side in called)
        return Counts(tp, fp, tp[:, -1:] - tp, fp[:, -1:] - fp)
