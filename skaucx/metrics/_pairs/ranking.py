"""Scores of the two classes in order, and the pair means that every AUC variant is made of.

A formula is written once and is evaluated on every class that implements :class:`PairMeans`. p and n
stand for the score of a positive and of a negative, d for p - n; a *mean* or a *share* runs over all
pairs, each weighing the product of its two weights, and is nan where a class is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

from ..._arrays import Array, Bools, Codes, Floats
from ..._compat import cached_property
from .._records.counts import Counts
from .kernels import Kernel, Relative, kernel_of
from .placements import Placements
from .sorting import cumulative, distinct_scores, moderate_exponent
from .tree import sums_over

# One number for one ranking, or one a replicate, a set or an example on the last axis.
Values: TypeAlias = Any


class PairMeans(Protocol):
    """Means over all pairs of a positive and a negative, and the counts at every threshold.

    Implemented by a ranking of scores (:class:`RankedScores`), by one with many sets of weights
    (:class:`RankedReplicates`), by many small score sets (:class:`ScoreSets`) and, as far as they are
    means over pairs, by the examples of a sample (:class:`Placements`). What one of them cannot answer
    it refuses with an `AttributeError` that says why.
    """

    # Whether the positive class sorts before the other one, where scores are those of labels.
    positive_first: bool = False

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


class RankedScores(PairMeans):
    """The distinct scores in rising order with the weight of each class at each.

    Parameters
    ----------
    values : ndarray of shape (m,), float64
        Distinct scores, rising.
    positive, negative : ndarray of shape (m,), int64 or float64
        How many examples of the class have that score, or what they weigh.
    unit : float, default=1.0
        What a weight of 1 has become in them.
    """

    def __init__(self, values: Floats, positive: Array, negative: Array, unit: float = 1.0) -> None:
        self.values, self.positive, self.negative, self.unit = values, positive, negative, unit

    @classmethod
    def from_scores(cls, truth: Bools, score: Array, weight: Floats | None = None) -> RankedScores:
        """Rank scores of examples whose class is the boolean `truth`."""
        if weight is None or not len(weight):
            return CountedScores(truth, score)
        # A power of two changes no share, and keeps products of weights within the floats.
        unit = float(np.ldexp(1.0, -int(np.frexp(weight.max())[1])))
        return cls(*distinct_scores(score, truth, weight * unit), unit)

    @cached_property
    def positive_total(self) -> np.float64:
        """The number, or the relative weight, of the positives."""
        return np.float64(self.positive.sum())

    @cached_property
    def negative_total(self) -> np.float64:
        """The number, or the relative weight, of the negatives."""
        return np.float64(self.negative.sum())

    @property
    def total(self) -> np.float64:
        """The number, or the weight as it was given, of all examples."""
        return (self.positive_total + self.negative_total) / self.unit

    @cached_property
    def pairs(self) -> np.float64:
        """The number, or the relative weight, of all pairs."""
        return self.positive_total * self.negative_total

    @cached_property
    def placements(self) -> Placements:
        """The placement values of a positive and of a negative at each score."""
        return Placements.of_distinct(self.values, self.positive, self.negative)

    @property
    def win_share(self) -> np.float64:
        """The share of pairs with d > 0: the strict AUC."""
        return self._wins_and_ties[0] / self.pairs

    @property
    def tie_share(self) -> np.float64:
        """The share of pairs with d = 0."""
        return self._wins_and_ties[1] / self.pairs

    @cached_property
    def _wins_and_ties(self) -> tuple[Any, Any]:
        """The number, or the relative weight, of pairs with d > 0 and of those with d = 0."""
        below = cumulative(self.negative)[:-1]
        return (self.positive * below).sum(), (self.positive * self.negative).sum()

    @property
    def lowest(self) -> np.float64:
        """The lowest score of the whole set."""
        return self.values[0]

    @property
    def highest(self) -> np.float64:
        """The highest score of the whole set."""
        return self.values[-1]

    @cached_property
    def margin(self) -> np.float64:
        """The lowest positive minus the highest negative; negative where the classes overlap."""
        positives, negatives, *_ = self._sides
        return positives[0] - negatives[-1] if self.pairs > 0 else np.float64(np.nan)

    @cached_property
    def mean_difference(self) -> np.float64:
        """The mean of d."""
        if not self.pairs > 0:
            return np.float64(np.nan)
        positives, negatives, wp, wn = self._sides
        # Around a common score of the set, so that a narrow set keeps all its digits.
        above = ((positives - self.lowest) * wp).sum() / self.positive_total
        return above - ((negatives - self.lowest) * wn).sum() / self.negative_total

    @cached_property
    def mean_gain(self) -> np.float64:
        """The mean of max(d, 0)."""
        return _sum_of_gains(self.values, self.positive, self.negative) / self.pairs

    def mean_gain_above(self, share: float) -> np.float64:
        """Return the mean of max(d / span - share, 0), 0 where the span is 0."""
        if not (self.pairs > 0 and self.span > 0):
            return np.float64(0 if self.pairs > 0 else np.nan)
        values, positive, negative = self._moderate, self.positive, self.negative
        span = values[-1] - values[0]
        if share > 0:
            # Measured from the lowest score, so that lowering the positives loses no digit of the span.
            heights = values - values[0]
            lowered = heights - share * span
            above, reached = lowered >= 0, heights <= lowered[-1]
            values = np.concatenate([lowered[above], heights[reached]])
            order = np.argsort(values, kind="stable")  # two rising runs: merged in linear time
            positive = np.append(positive[above], np.zeros_like(positive[reached]))[order]
            negative = np.append(np.zeros_like(negative[above]), negative[reached])[order]
            values = values[order]
        return _sum_of_gains(values, positive, negative) / self.pairs / span

    @cached_property
    def _moderate(self) -> Floats:
        """The scores on a scale on which no difference overflows or is a denormal number."""
        return np.asarray(np.ldexp(self.values, -moderate_exponent(self.lowest, self.highest)))

    def mean_of(self, h: Kernel | Callable[[Floats], Floats]) -> np.float64:
        """Return the mean of h(d)."""
        if not self.pairs > 0:
            return np.float64(np.nan)
        positives, negatives, wp, wn = self._sides
        over_negatives = sums_over(kernel_of(h), positives, negatives, wn[None])[0]
        return np.float64((wp * over_negatives).sum() / self.pairs)

    def mean_of_relative(self, h: Kernel) -> np.float64:
        """Return the mean of h(d / span), 0 where the span is 0."""
        if not self.span > 0:
            return np.float64(0 if self.pairs > 0 else np.nan)
        scaled = RankedScores(self._moderate, self.positive, self.negative)
        return scaled.mean_of(Relative(h, float(scaled.span)))

    @cached_property
    def _sides(self) -> tuple[Floats, Floats, Floats, Floats]:
        """The distinct scores of each class, and their weights."""
        p, n = self.positive > 0, self.negative > 0
        return self.values[p], self.values[n], self.positive[p] * 1.0, self.negative[n] * 1.0

    @cached_property
    def threshold_counts(self) -> Counts:
        """The counts at every distinct score as threshold, falling, after one above them all."""
        sides = self.positive, self.negative
        tp, fp = (cumulative(side[::-1]) * 1.0 for side in sides)
        fn, tn = (cumulative(side)[::-1] * 1.0 for side in sides)
        return Counts(tp, fp, fn, tn).ordered(self.positive_first)


class CountedScores(RankedScores):
    """Scores of weight 1, whose wins and ties are counted without putting all of them in order.

    Parameters
    ----------
    truth : ndarray of shape (n,), bool
    score : ndarray of shape (n,), float64 or float32
    """

    def __init__(self, truth: Bools, score: Array) -> None:
        self._truth, self._score, self.unit = truth, score, 1.0
        self.positive_total = np.float64(np.count_nonzero(truth))
        self.negative_total = len(truth) - self.positive_total

    @cached_property
    def _distinct(self) -> tuple[Floats, Array, Array]:
        return distinct_scores(self._score, self._truth)

    @property
    def values(self) -> Floats:  # type: ignore[override]
        """The distinct scores, rising."""
        return self._distinct[0]

    @property
    def positive(self) -> Array:  # type: ignore[override]
        """How many positives have each distinct score."""
        return self._distinct[1]

    @property
    def negative(self) -> Array:  # type: ignore[override]
        """How many negatives have each distinct score."""
        return self._distinct[2]

    @cached_property
    def _wins_and_ties(self) -> tuple[int, int]:
        positives, negatives = self._score[self._truth], self._score[~self._truth]
        positives.sort()
        negatives.sort()
        below = negatives.searchsorted(positives)
        tied = negatives.take(below, mode="clip") == positives if len(negatives) else below < 0
        reached = negatives.searchsorted(positives[tied], "right")
        return int(below.sum()), int((reached - below[tied]).sum())


def _sum_of_gains(values: Floats, positive: Array, negative: Array) -> Any:
    """Return the weighted sum of max(p - n, 0) from the weight of each class at each rising score.

    A gap between neighbouring scores counts once for every negative below and every positive above
    it: all terms are >= 0 and none cancels.
    """
    below, above = cumulative(negative)[1:-1], cumulative(positive[::-1])[-2:0:-1]
    return (np.diff(values) * below * above).sum()


class ClassPairs:
    """The shares of pairs won and tied between every two classes a and b, of shape (2, n_pairs).

    In row 0 class a is positive and its own column is the score, in row 1 class b. Formulas that read
    more of a ranking than these shares meet an `AttributeError`.

    Parameters
    ----------
    score : ndarray of shape (n, n_classes), float64
    rows_of_class : list of ndarray of int
        The rows of the class of each column.
    weight : ndarray of shape (n,), float64, or None
    pairs : sequence of (int, int)
        The columns of a and b.
    """

    def __init__(
        self,
        score: Floats,
        rows_of_class: Sequence[Codes],
        weight: Floats | None,
        pairs: Sequence[tuple[int, int]],
    ) -> None:
        self._score, self._rows, self._weight = score, rows_of_class, weight
        self._ways = tuple(np.array(pairs).T)

    @cached_property
    def win_share(self) -> Floats:
        """The share of pairs with d > 0."""
        return self._both_ways(self._sums[0])

    @cached_property
    def tie_share(self) -> Floats:
        """The share of pairs with d = 0."""
        return self._both_ways(self._sums[1])

    def _both_ways(self, sums: Floats) -> Floats:
        a, b = self._ways
        shares = sums / np.multiply.outer(self._totals, self._totals)
        return np.stack([shares[a, b], shares[b, a]])

    @cached_property
    def _unit_weight(self) -> Floats | None:
        """The weights times a power of two that keeps their products within the floats."""
        weight = self._weight
        return None if weight is None else np.ldexp(weight, -int(np.frexp(weight.max())[1]))

    @cached_property
    def _totals(self) -> Floats:
        """What each class weighs."""
        weight = self._unit_weight
        totals = [len(rows) if weight is None else weight[rows].sum() for rows in self._rows]
        return np.array(totals, dtype=np.float64)

    @cached_property
    def _sums(self) -> tuple[Floats, Floats]:
        """The weight of the pairs won and of those tied, by positive and by negative class."""
        order = np.concatenate(self._rows)
        starts = np.cumsum([0, *map(len, self._rows[:-1])])
        held = np.flatnonzero([len(rows) for rows in self._rows])
        weight = None if self._unit_weight is None else self._unit_weight[order]
        won, tied = np.zeros((2, len(self._rows), len(self._rows)))
        for k, own in enumerate(self._rows):
            above, alike = self._against(self._score[own, k], own, self._score[order, k])
            for sums, each in ((won, above), (tied, alike)):
                each = each if weight is None else each * weight
                sums[k, held] = np.add.reduceat(each, starts[held])
        return won, tied

    def _against(self, positives: Floats, own: Codes, scores: Floats) -> tuple[Array, Array]:
        """Return the weight of the positives above each score, and of those equal to it."""
        order = positives.argsort()
        left, right = (positives[order].searchsorted(scores, side) for side in ("left", "right"))
        if self._unit_weight is None:
            return len(own) - right, right - left
        weight = self._unit_weight[own[order]]
        below, above = cumulative(weight), cumulative(weight[::-1])[::-1]
        return above[right], below[right] - below[left]
