"""The interface through which formulas read the scores of two classes.

A formula is written once and is evaluated on every class that implements this interface. p and n stand
for the score of a positive and of a negative, d for p - n; a *mean* or a *share* runs over all pairs,
each weighing the product of its two weights, and is nan where a class is empty.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from ..._arrays import Floats
from ..._compat import cached_property
from .._records.counts import Counts
from .kernels import Kernel

# One number for one ranking, or one a replicate, a set or an example on the last axis.
Values: TypeAlias = Any


class PairMeans(Protocol):
    """Means over all pairs of a positive and a negative, and the counts at every threshold.

    Implemented by a ranking of scores (:class:`RankedScores`), by one with many sets of weights
    (:class:`RankedReplicates`), by many small score sets (:class:`ScoreSets`) and, as far as they are
    means over pairs, by the examples of a sample (:class:`Placements`). What one of them cannot answer
    it refuses with an `AttributeError` that says why.
    """

    @property
    def pairs(self) -> Values:
        """The number, or the weight, of all pairs."""

    @property
    def total(self) -> Values:
        """The number, or the weight as it was given, of all examples."""

    @property
    def win_share(self) -> Values:
        """The share of pairs with d > 0: the strict AUC."""

    @property
    def tie_share(self) -> Values:
        """The share of pairs with d = 0."""

    @property
    def mean_difference(self) -> Values:
        """The mean of d."""

    @property
    def mean_gain(self) -> Values:
        """The mean of max(d, 0)."""

    def mean_gain_above(self, share: float) -> Values:
        """Return the mean of max(d / span - share, 0), 0 where the span is 0."""
        if self._moderate is not self:
            return self._moderate.mean_gain_above(share)
        if share not in self._means_above:
            self._means_above[share] = self._mean_gain_above(share)
        return self._means_above[share]

    @cached_property
    def _means_above(self) -> dict[float, Values]:
        return {}

    @property
    def _moderate(self) -> PairMeans:
        """The same scores on a scale of which no sum overflows: these where it is their own."""

    def _mean_gain_above(self, share: float) -> Values:
        """Return the mean of max(d / span - share, 0) of scores on a moderate scale."""

    def mean_of(self, h: Kernel | Callable[[Floats], Floats]) -> Values:
        """Return the mean of h(d): fast where h is a kernel that knows how, else pair by pair."""

    def mean_of_relative(self, h: Kernel) -> Values:
        """Return the mean of h(d / span), 0 where the span is 0."""

    @property
    def lowest(self) -> Values:
        """The lowest score."""

    @property
    def highest(self) -> Values:
        """The highest score."""

    @cached_property
    def span(self) -> Values:
        """The highest minus the lowest score."""
        return self.highest - self.lowest

    @property
    def margin(self) -> Values:
        """The lowest positive minus the highest negative; negative where the classes overlap."""

    @property
    def threshold_counts(self) -> Counts:
        """The counts at every distinct score as threshold, falling, after one above them all."""
