"""Scores of the two classes, sorted once, and the pair means that every AUC variant is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from ._arrays import Array, Floats
from ._counts import Counts
from ._pair_sums import running_sums, sum_of_gains, sum_of_ties, sum_of_wins, sum_over_pairs


@dataclass(frozen=True, eq=False)
class RankedScores:
    """Scores of positives and negatives, each in rising order, with their weights.

    In the names below p and n are a positive's and a negative's score, d = p - n, and a *share* or a
    *mean* runs over all pairs, each weighing the product of its two weights. Where one class is
    empty they are nan.
    """

    positives: Floats
    negatives: Floats
    positive_weights: Floats | None = None
    negative_weights: Floats | None = None

    @classmethod
    def from_scores(cls, truth: Array, score: Floats, weight: Floats | None = None) -> RankedScores:
        """Part the scores by the boolean `truth` and sort each class."""
        if weight is None:
            return cls(np.sort(score[truth]), np.sort(score[~truth]))
        # A power of two changes no share, and keeps products of weights within the floats.
        weight = np.ldexp(weight, -int(np.frexp(weight.max())[1]))
        parts = []
        for side in (truth, ~truth):
            order = np.argsort(score[side], kind="stable")
            parts.append((score[side][order], weight[side][order]))
        (positives, wp), (negatives, wn) = parts
        return cls(positives, negatives, wp, wn)

    @property
    def _sides(self) -> tuple[Floats, Floats, Floats | None, Floats | None]:
        return self.positives, self.negatives, self.positive_weights, self.negative_weights

    @cached_property
    def positive_total(self) -> np.float64:
        """The number, or the relative weight, of the positives."""
        w = self.positive_weights
        return np.float64(len(self.positives) if w is None else w.sum())

    @cached_property
    def negative_total(self) -> np.float64:
        """The number, or the relative weight, of the negatives."""
        w = self.negative_weights
        return np.float64(len(self.negatives) if w is None else w.sum())

    @cached_property
    def pairs(self) -> np.float64:
        """The number, or the relative weight, of all pairs."""
        return self.positive_total * self.negative_total

    @cached_property
    def win_share(self) -> np.float64:
        """The share of pairs with d > 0: the strict AUC."""
        return sum_of_wins(*self._sides) / self.pairs

    @cached_property
    def tie_share(self) -> np.float64:
        """The share of pairs with d = 0."""
        return sum_of_ties(*self._sides) / self.pairs

    @cached_property
    def errors(self) -> float:
        """The number (or relative weight) of pairs with d <= 0."""
        positives, negatives, wp, wn = self._sides
        wins_of_negatives = sum_of_wins(negatives, positives, wn, wp)
        return wins_of_negatives + sum_of_ties(*self._sides)

    @cached_property
    def lowest(self) -> np.float64:
        """The lowest score of the whole set."""
        return np.concatenate([self.positives[:1], self.negatives[:1]]).min()

    @cached_property
    def highest(self) -> np.float64:
        """The highest score of the whole set."""
        return np.concatenate([self.positives[-1:], self.negatives[-1:]]).max()

    @cached_property
    def span(self) -> np.float64:
        """The highest minus the lowest score of the whole set."""
        return self.highest - self.lowest

    @cached_property
    def margin(self) -> np.float64:
        """The lowest positive minus the highest negative; negative where the classes overlap."""
        if not (len(self.positives) and len(self.negatives)):
            return np.float64(np.nan)
        return self.positives[0] - self.negatives[-1]

    @property
    def relative_margin(self) -> np.float64:
        """The margin as a share of the span; nan where the span is 0."""
        return self.margin / self.span if self.span > 0 else np.float64(np.nan)

    @property
    def median(self) -> float:
        """The median of all scores, weights aside."""
        return float(np.median(np.concatenate([self.positives, self.negatives])))

    @cached_property
    def mean_difference(self) -> np.float64:
        """The mean of d."""
        # Around a common score of the set, so that a narrow set keeps all its digits.
        return _mean(self.positives - self.lowest, self.positive_weights) - _mean(
            self.negatives - self.lowest, self.negative_weights
        )

    @cached_property
    def mean_gain(self) -> np.float64:
        """The mean of max(d, 0)."""
        return sum_of_gains(*self._sides) / self.pairs

    def mean_gain_above(self, share: float) -> np.float64:
        """Return the mean of max(d / span - share, 0), 0 where the span is 0."""
        if not self.span > 0:
            return np.float64(0) * self.pairs / self.pairs
        if share == 0:
            return self.mean_gain / self.span
        # Measured from the lowest score, so that lowering the positives loses no digit of the span.
        lowered = (self.positives - self.lowest) - share * self.span
        raised = self.negatives - self.lowest
        gains = sum_of_gains(lowered, raised, self.positive_weights, self.negative_weights)
        return gains / self.pairs / self.span

    def mean_power(self, q: float) -> np.float64:
        """Return the mean of d^q over the pairs with d > 0, the others counting 0."""

        def h(d: Floats) -> Floats:
            return np.where(d > 0, np.power(np.maximum(d, 0), q), 0)

        return self.mean_of(h)

    def mean_logistic(self, beta: float) -> np.float64:
        """Return the mean of 1 / (1 + exp(-beta d))."""
        return self.mean_of(lambda d: np.asarray(special.expit(beta * d)))

    def mean_of(self, h: Callable[[Floats], Floats]) -> np.float64:
        """Return the mean of h(d), pair by pair in bounded memory."""
        return sum_over_pairs(h, *self._sides) / self.pairs

    @cached_property
    def threshold_counts(self) -> Counts:
        """The counts at every distinct score as threshold, falling, after one above them all."""
        thresholds = np.unique(np.concatenate([self.positives, self.negatives]))
        tp, fn = _above_and_below(self.positives, self.positive_weights, thresholds)
        fp, tn = _above_and_below(self.negatives, self.negative_weights, thresholds)
        return Counts(tp, fp, fn, tn)


def _mean(values: Floats, weight: Floats | None) -> np.float64:
    if weight is None:
        return values.sum() / np.float64(len(values))
    return (values * weight).sum() / weight.sum()


def _above_and_below(
    ranked: Floats, weight: Floats | None, thresholds: Floats
) -> tuple[Floats, Floats]:
    """Weigh the scores at or above each threshold, from +inf downwards, and those below."""
    cut = np.append(np.searchsorted(ranked, thresholds, side="left"), len(ranked))[::-1]
    from_top = running_sums(None if weight is None else weight[::-1], len(ranked))
    from_bottom = running_sums(weight, len(ranked))
    return from_top[len(ranked) - cut].astype(np.float64), from_bottom[cut].astype(np.float64)
