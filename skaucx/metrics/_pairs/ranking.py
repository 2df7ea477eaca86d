"""Scores of the two classes, sorted once, and the pair means that every AUC variant is made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._arrays import Array, Bools, Floats
from ..._compat import cached_property
from .._records.counts import Counts
from .contract import PairMeans
from .counting import wins_and_ties, wins_and_ties_of_few
from .kernels import Kernel, Relative, kernel_of
from .sorting import distinct_scores, moderate_scale
from .sums.elementary import cumulative, sum_of_gains_above, sum_of_gaps

# Up to so few scores, and from so many on, wins alone are counted without putting all in order.
_FEW_SCORES, _MANY_SCORES = 1 << 9, 1 << 15


class RankedScores(PairMeans):
    """The distinct scores in rising order with the weight of each class at each.

    In the names below p and n are a positive's and a negative's score, d = p - n, and a *share* or a
    *mean* runs over all pairs, each weighing the product of its two weights. Where one class is
    empty they are nan.

    Parameters
    ----------
    values : ndarray of shape (m,), float64
        Distinct scores, rising.
    positive, negative : ndarray of shape (m,), int8, int64 or float64
        How many examples of the class have that score (int8 where no score occurs twice), or what
        they weigh.
    unit : float, default=1.0
        What a weight of 1 has become in them.
    """

    def __init__(self, values: Floats, positive: Array, negative: Array, unit: float = 1.0) -> None:
        self.values, self.positive, self.negative, self.unit = values, positive, negative, unit

    @classmethod
    def from_scores(
        cls, truth: Bools, score: Array, weight: Floats | None = None, *, several: bool = True
    ) -> RankedScores:
        """Rank scores of examples whose class is the boolean `truth`.

        Where not `several` metrics are read, few or many scores are put in order only if one needs
        more than the shares of wins and ties.
        """
        if weight is None and not several and not _FEW_SCORES < len(score) < _MANY_SCORES:
            return CountedScores(truth, score)
        score = score.astype(np.float64, copy=False)
        if weight is None:
            return cls(*distinct_scores(score, truth, None))
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

    @property
    def win_share(self) -> np.float64:
        """The share of pairs with d > 0: the strict AUC."""
        if self._won is None:
            self._won = self._wins_and_ties()
        return self._won[0] / self.pairs

    @property
    def tie_share(self) -> np.float64:
        """The share of pairs with d = 0."""
        if self._won is None:
            self._won = self._wins_and_ties()
        return self._won[1] / self.pairs

    # What the next function returns, once it was called.
    _won: tuple[Any, Any] | None = None

    def _wins_and_ties(self) -> tuple[Any, Any]:
        """Return the number, or the relative weight, of pairs with d > 0 and of those with d = 0."""
        won = cumulative(self.negative)[:-1]
        won *= self.positive
        if self.positive.dtype == np.int8:  # no score occurs twice
            return won.sum(), 0
        return won.sum(), (self.positive * self.negative).sum()

    @cached_property
    def errors(self) -> float:
        """The number (or relative weight) of pairs with d <= 0."""
        return float((self.negative * cumulative(self.positive)[1:]).sum())

    @property
    def lowest(self) -> np.float64:
        """The lowest score of the whole set."""
        return self.values[0]

    @property
    def highest(self) -> np.float64:
        """The highest score of the whole set."""
        return self.values[-1]

    @property
    def span(self) -> np.float64:
        """The highest minus the lowest score of the whole set."""
        return self.highest - self.lowest

    @cached_property
    def margin(self) -> np.float64:
        """The lowest positive minus the highest negative; negative where the classes overlap."""
        if not self.pairs > 0:
            return np.float64(np.nan)
        highest_negative = len(self.values) - 1 - np.argmax(self.negative[::-1] > 0)
        return self.values[np.argmax(self.positive > 0)] - self.values[highest_negative]

    @cached_property
    def mean_difference(self) -> np.float64:
        """The mean of d."""
        positives, negatives, wp, wn = self._sides
        # Around a common score of the set, so that a narrow set keeps all its digits.
        above = _sum(positives - self.lowest, wp) / self.positive_total
        return above - _sum(negatives - self.lowest, wn) / self.negative_total

    @cached_property
    def mean_gain(self) -> np.float64:
        """The mean of max(d, 0)."""
        if not self.pairs > 0:
            return np.float64(np.nan)
        return sum_of_gaps(self.values, self.positive, self.negative) / self.pairs

    def mean_gain_above(self, share: float) -> np.float64:
        """Return the mean of max(d / span - share, 0), 0 where the span is 0."""
        if share not in self._means_above:
            self._means_above[share] = self._mean_gain_above(share)
        return self._means_above[share]

    @cached_property
    def _means_above(self) -> dict[float, np.float64]:
        return {}

    def _mean_gain_above(self, share: float) -> np.float64:
        if not self.pairs > 0:
            return np.float64(np.nan)
        if not self.span > 0:
            return np.float64(0)
        if scale := moderate_scale(self.lowest, self.highest):
            scaled = np.ldexp(self.values, scale)
            return RankedScores(scaled, self.positive, self.negative).mean_gain_above(share)
        if share == 0:
            return self.mean_gain / self.span
        gains = sum_of_gains_above(*self._sides, float(self.lowest), float(share * self.span))
        return gains / self.pairs / self.span

    def mean_of(self, h: Kernel | Callable[[Floats], Floats]) -> np.float64:
        """Return the mean of h(d)."""
        if not self.pairs > 0:
            return np.float64(np.nan)
        return kernel_of(h).total(*self._sides, self._below) / self.pairs

    def mean_of_relative(self, h: Kernel) -> np.float64:
        """Return the mean of h(d / span), 0 where the span is 0."""
        if not self.span > 0:
            return np.float64(0 if self.pairs > 0 else np.nan)
        return self.mean_of(Relative(h, float(self.span)))

    @cached_property
    def _sides(self) -> tuple[Floats, Floats, Floats | None, Floats | None]:
        """The distinct scores of each class, and their weights, or None where all are 1."""
        (positives, wp), (negatives, wn) = self._side(self.positive), self._side(self.negative)
        return positives, negatives, wp, wn

    def _side(self, weight: Array) -> tuple[Floats, Floats | None]:
        held = _held(weight)
        scores = np.compress(held, self.values)
        if weight.dtype == np.int8:
            return scores, None
        kept = np.compress(held, weight).astype(np.float64)
        return scores, None if (kept == 1).all() else kept

    @cached_property
    def _below(self) -> Array:
        """How many distinct scores of negatives lie below each of the positives."""
        return np.compress(_held(self.positive), cumulative(_held(self.negative))[:-1])

    @cached_property
    def threshold_counts(self) -> Counts:
        """The counts at every distinct score as threshold, falling, after one above them all."""
        (tp, fn), (fp, tn) = map(_called_and_not, (self.positive, self.negative))
        return Counts(tp, fp, fn, tn)


class CountedScores(RankedScores):
    """Scores of weight 1, whose wins and ties are counted before they are put in order.

    Parameters
    ----------
    truth : ndarray of shape (n,), bool
    score : ndarray of shape (n,), float64 or float32
    """

    def __init__(self, truth: Bools, score: Array) -> None:
        self._truth, self._score, self.unit = truth, score, 1.0
        self.positive_total = np.float64(np.count_nonzero(truth))
        self.negative_total = len(truth) - self.positive_total
        self.pairs = self.positive_total * self.negative_total

    @cached_property
    def _distinct(self) -> tuple[Floats, Array, Array]:
        return distinct_scores(self._score.astype(np.float64, copy=False), self._truth, None)

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

    def _wins_and_ties(self) -> tuple[Any, Any]:
        found = None
        if "_distinct" not in self.__dict__:
            few = len(self._score) <= _FEW_SCORES
            found = (wins_and_ties_of_few if few else wins_and_ties)(self._truth, self._score)
        return super()._wins_and_ties() if found is None else found


def _called_and_not(weight: Array) -> tuple[Floats, Floats]:
    """Return what of a class reaches each threshold, falling, and what does not."""
    called = cumulative(weight[::-1])
    # Counts are differences to the last digit; of weights they would lose some.
    rest = cumulative(weight)[::-1] if weight.dtype.kind == "f" else called[-1] - called
    return called.astype(np.float64), rest.astype(np.float64)


def _held(weight: Array) -> Bools:
    """Return where a class has scores; a bool mask compresses six times as fast as a number's."""
    return weight.view(np.bool_) if weight.dtype == np.int8 else weight != 0


def _sum(values: Floats, weight: Floats | None) -> np.float64:
    return values.sum() if weight is None else (values * weight).sum()
