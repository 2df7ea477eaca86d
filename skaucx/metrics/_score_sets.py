"""Many small score sets at once: the pair means of each, over a leading axis."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from ._arrays import Array, Bools, Floats


class ScoreSets:
    """Sets of m scores each, with the means and shares of :class:`RankedScores` for every set.

    Held with the sets on the last axis, so that a sum over pairs adds long rows.

    Parameters
    ----------
    truth : ndarray of shape (sets, m), bool
    score : ndarray of shape (sets, m), float64
    """

    def __init__(self, truth: Bools, score: Floats) -> None:
        self.truth, self.score = np.ascontiguousarray(truth.T), np.ascontiguousarray(score.T)
        self._means_above: dict[float, Floats] = {}

    @cached_property
    def difference(self) -> Floats:
        """The difference d of each unordered pair, -inf where both are of one class."""
        i, j = np.triu_indices(len(self.score), 1)
        sign = self.truth[i].astype(np.int8) - self.truth[j].astype(np.int8)
        d = (self.score[i] - self.score[j]) * sign
        d[sign == 0] = -np.inf
        return d

    @cached_property
    def positives(self) -> Floats:
        """The number of positives."""
        return self.truth.sum(axis=0, dtype=np.float64)

    @cached_property
    def pairs(self) -> Floats:
        """The number of pairs."""
        return self.positives * (len(self.truth) - self.positives)

    def _mean(self, h: Array) -> Floats:
        return h.sum(axis=0, dtype=np.float64) / self.pairs

    def _mean_where(self, chosen: Bools, h: Callable[[Floats], Floats]) -> Floats:
        """Return the mean of h(d), evaluated only where chosen and 0 elsewhere."""
        values = np.zeros(self.difference.shape)
        places = np.flatnonzero(chosen)
        values.ravel()[places] = h(self.difference.ravel()[places])
        return self._mean(values)

    @cached_property
    def _judged(self) -> Bools:
        return self.difference > -np.inf

    @cached_property
    def _won(self) -> Bools:
        return self.difference > 0

    @cached_property
    def _gain(self) -> Floats:
        return np.maximum(self.difference, 0)

    @cached_property
    def win_share(self) -> Floats:
        """The share of pairs with d > 0."""
        return self._mean(self._won)

    @cached_property
    def tie_share(self) -> Floats:
        """The share of pairs with d = 0."""
        return self._mean(self.difference == 0)

    @cached_property
    def lowest(self) -> Floats:
        """The lowest score."""
        return self.score.min(axis=0)

    @cached_property
    def span(self) -> Floats:
        """The highest minus the lowest score."""
        return self.score.max(axis=0) - self.lowest

    @cached_property
    def margin(self) -> Floats:
        """The lowest positive minus the highest negative."""
        lowest = np.where(self.truth, self.score, np.inf).min(axis=0)
        return lowest - np.where(self.truth, -np.inf, self.score).max(axis=0)

    @cached_property
    def mean_difference(self) -> Floats:
        """The mean of d."""
        height = self.score - self.lowest
        above = np.where(self.truth, height, 0).sum(axis=0) / self.positives
        below = np.where(self.truth, 0, height).sum(axis=0) / (len(self.truth) - self.positives)
        return above - below

    @cached_property
    def mean_gain(self) -> Floats:
        """The mean of max(d, 0)."""
        return self._mean(self._gain)

    def mean_gain_above(self, share: float) -> Floats:
        """Return the mean of max(d / span - share, 0), 0 where the span is 0."""
        if share not in self._means_above:
            span = np.where(self.span > 0, self.span, 1)
            excess = self._gain if share == 0 else np.maximum(self._gain - share * span, 0)
            self._means_above[share] = self._mean(excess) / span
        return self._means_above[share]

    def mean_of(self, h: Callable[[Floats], Floats]) -> Floats:
        """Return the mean of h(d)."""
        return self._mean_where(self._judged, h)

    def mean_power(self, q: float) -> Floats:
        """Return the mean of d^q over the pairs with d > 0, the others counting 0."""
        return self._mean_where(self._won, lambda d: np.power(d, q))

    def mean_logistic(self, beta: float) -> Floats:
        """Return the mean of 1 / (1 + exp(-beta d))."""
        return self._mean_where(self._judged, lambda d: 1 / (1 + np.exp(-beta * d)))
