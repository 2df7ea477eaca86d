"""Scores sorted once, with many sets of weights: the pair means of each over a leading axis."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from ..._arrays import Array, Bools, Codes, Floats
from .._records.counts import Counts
from .kernels import Kernel, Relative, kernel_of
from .ranking import PairMeans
from .sorting import moderate_scale

if TYPE_CHECKING:
    from .sums.pair_matrix import PairMatrix

# Weights of so few replicates of so many rows are gathered as bytes where they are whole and small.
_FEW_REPLICATES, _MANY_ROWS = 4, 100_000
# Shifts of the scores of which the places are kept.
_MOST_SHIFTS = 4


def by_row(weight: Array) -> Array:
    """Return weights of shape (b, n) as (n, b), as they are gathered: bytes of few and whole ones.

    Rows of many replicates are gathered at the speed of the memory; a single number a row is not, unless
    all of them stay near the core.
    """
    weight = weight.T
    if weight.shape[1] <= _FEW_REPLICATES and len(weight) > _MANY_ROWS:
        with np.errstate(invalid="ignore"):
            whole = weight.astype(np.uint8)
        if (whole == weight).all():
            return np.ascontiguousarray(whole)
    return np.ascontiguousarray(weight)


class SortedScores:
    """The distinct scores of n rows in rising order, and how weights of rows are gathered at them.

    Parameters
    ----------
    truth : ndarray of shape (m,), bool
    score : ndarray of shape (m,), float64
    rows : ndarray of shape (m,), int, default=None
        The row of a larger sample that each score belongs to; None where they are the sample.
    """

    def __init__(self, truth: Bools, score: Floats, rows: Codes | None = None) -> None:
        order = np.argsort(score)
        positive, ordered = truth[order], score[order]
        first = np.append(True, ordered[1:] != ordered[:-1])[: len(order)]
        self.values = ordered[first]
        taken = order if rows is None else rows[order]
        run, tied = _runs(positive, np.flatnonzero(first))
        self.positives, self.negatives = (
            _Side(taken[side], ordered[side], run[side], len(tied))
            for side in (positive, ~positive)
        )
        self.tied = np.flatnonzero(tied)
        self._matrices: dict[Kernel, PairMatrix] = {}
        self._reached: dict[float, Reached] = {}

    def replicates(self, weight: Floats) -> RankedReplicates:
        """Return the replicates that weigh the rows by `weight`, of shape (b, n)."""
        return RankedReplicates(self, by_row(weight))

    @cached_property
    def moderate(self) -> SortedScores | None:
        """The scores on a scale of which no sum overflows, None where it is their own."""
        scale = moderate_scale(self.values[0], self.values[-1])
        if not scale:
            return None
        scaled = copy.copy(self)
        scaled.values, scaled._reached = np.ldexp(self.values, scale), {}
        scaled.positives, scaled.negatives = (
            side.scaled(scale) for side in (self.positives, self.negatives)
        )
        return scaled

    def matrix(self, kernel: Kernel) -> PairMatrix:
        """Return the matrix of a kernel over the distinct scores of the two classes."""
        if kernel not in self._matrices:
            self._matrices[kernel] = kernel.matrix(self.positives.values, self.negatives.values)
        return self._matrices[kernel]

    def reached(self, shift: float) -> Reached:
        """Return the positives that are above some negative when lowered by a shift, and which."""
        if shift not in self._reached:
            if len(self._reached) == _MOST_SHIFTS:
                self._reached.clear()
            self._reached[shift] = self._reached_from(shift)
        return self._reached[shift]

    def _reached_from(self, shift: float) -> Reached:
        # Measured from the lowest score, so that lowering the positives loses no digit of the span.
        lowered = self.positives.values - self.values[0] - shift
        n = self.negatives.values - self.values[0]
        above = slice(int(np.searchsorted(lowered, n[0])) if len(n) else len(lowered), None)
        reach = np.searchsorted(n, lowered[above], side="right")
        return Reached(above, reach, lowered[above] - n[reach - 1])


class Reached(NamedTuple):
    """A range of positives, how many distinct negatives each reaches, and its gain over the last."""

    above: slice
    reach: Codes
    gain: Floats


def _runs(positive: Bools, starts: Codes) -> tuple[Codes, Bools]:
    """Cut sorted scores into runs of negatives followed by positives, with the classes of each.

    Scores at which both classes stand are runs of their own. `starts` is where the distinct scores
    begin. Returns the run of each score, and which runs are tied.
    """
    if not len(starts):
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=bool)
    some = np.logical_or.reduceat(positive, starts)
    tied = some & ~np.logical_and.reduceat(positive, starts)
    begins = np.append(True, tied[1:] | tied[:-1] | (some[:-1] & ~some[1:]))
    sizes = np.diff(starts, append=len(positive))
    return np.repeat(np.cumsum(begins) - 1, sizes), tied[begins]


class _Side:
    """The rows of one class in the order of their scores, and the distinct scores among them."""

    def __init__(self, rows: Codes, ordered: Floats, run: Codes, n_runs: int) -> None:
        starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(rows)])
        self.values, self._rows = ordered[starts], rows
        self._score_edges = np.append(starts, len(rows))
        self._run_edges = np.searchsorted(run, np.arange(n_runs + 1))

    def scaled(self, exponent: int) -> _Side:
        """Return the same rows with their scores times a power of two."""
        side = copy.copy(self)
        side.values = np.ldexp(self.values, exponent)
        return side

    def at_scores(self, weight: Array) -> Array:
        """Return what each distinct score weighs, (m, b), for weights of rows, (n, b)."""
        if len(self.values) == len(self._rows):
            return weight.take(self._rows, axis=0)
        return self._gathered(self._score_edges, weight)

    def in_runs(self, weight: Array) -> Floats:
        """Return what the class weighs in each run, (runs, b), for weights of rows, (n, b)."""
        return self._gathered(self._run_edges, weight)

    def _gathered(self, edges: Codes, weight: Array) -> Floats:
        if weight.dtype == np.uint8:
            taken = weight.take(self._rows, axis=0)
            return np.diff(_running(taken).take(edges, axis=0), axis=0)
        shape, ones = (len(edges) - 1, len(weight)), np.ones(len(self._rows))
        return np.asarray(sparse.csr_array((ones, self._rows, edges), shape=shape) @ weight)


class RankedReplicates(PairMeans):
    """The names of :class:`RankedScores`, with one value a replicate; scores of weight 0 do not count.

    Held with the replicates on the last axis, so that running sums add long rows.

    Parameters
    ----------
    scores : SortedScores
    weight : ndarray of shape (n, b), float64 or uint8
        What each row weighs in each replicate.
    """

    def __init__(self, scores: SortedScores, weight: Array) -> None:
        self.scores, self.weight = scores, weight
        self.p, self.n = scores.positives.values, scores.negatives.values

    @cached_property
    def positive(self) -> Array:
        """What each distinct score of the positives weighs, (m, b)."""
        return self.scores.positives.at_scores(self.weight)

    @cached_property
    def negative(self) -> Array:
        """What each distinct score of the negatives weighs, (m, b)."""
        return self.scores.negatives.at_scores(self.weight)

    @property
    def positive_total(self) -> Floats:
        """The weight of the positives."""
        return self._shares[0]

    @property
    def negative_total(self) -> Floats:
        """The weight of the negatives."""
        return self._shares[1]

    @property
    def total(self) -> Floats:
        """The weight of all examples."""
        return self.positive_total + self.negative_total

    @cached_property
    def pairs(self) -> Floats:
        """The weight of all pairs."""
        return self.positive_total * self.negative_total

    @cached_property
    def _shares(self) -> tuple[Floats, Floats, Floats, Floats]:
        """The weights of positives, of negatives, of the pairs with d > 0 and of those with d = 0."""
        positive = self.scores.positives.in_runs(self.weight)
        negative = self.scores.negatives.in_runs(self.weight)
        lowest, tied = _running(negative), self.scores.tied
        ties = _dot(positive[tied], negative[tied])
        # A run's own negatives lie below its positives, save where they tie.
        below = lowest[1:].copy() if len(tied) else lowest[1:]
        below[tied] = lowest[:-1][tied]
        return positive.sum(axis=0) * 1.0, lowest[-1] * 1.0, _dot(positive, below), ties

    @property
    def win_share(self) -> Floats:
        """The share of pairs with d > 0."""
        return self._shares[2] / self.pairs

    @property
    def tie_share(self) -> Floats:
        """The share of pairs with d = 0."""
        return self._shares[3] / self.pairs

    @cached_property
    def _lowest_negatives(self) -> Floats:
        """The weight of the 0, 1, ... lowest scores of negatives, of shape (m_negative + 1, b)."""
        return _running(self.negative)

    @cached_property
    def _ends(self) -> tuple[Floats, Floats, Floats, Floats]:
        """The lowest and the highest score of the positives, then of the negatives."""
        return (
            *_first_and_last(self.p, self.positive > 0),
            *_first_and_last(self.n, self.negative > 0),
        )

    @property
    def lowest(self) -> Floats:
        """The lowest score."""
        return np.minimum(self._ends[0], self._ends[2])

    @property
    def highest(self) -> Floats:
        """The highest score."""
        return np.maximum(self._ends[1], self._ends[3])

    @cached_property
    def margin(self) -> Floats:
        """The lowest positive minus the highest negative."""
        return np.where(self.pairs > 0, self._ends[0] - self._ends[3], np.nan)

    @cached_property
    def mean_difference(self) -> Floats:
        """The mean of d."""
        # Heights above the lowest score: an offset of all scores costs no digits.
        lowest = self.scores.values[0]
        above = (self.p - lowest) @ self.positive / self.positive_total
        return above - (self.n - lowest) @ self.negative / self.negative_total

    @cached_property
    def _gains_at_negatives(self) -> Floats:
        """The sum of max(v - n, 0) at each negative's score v: terms >= 0, none cancels."""
        # G(v_j) = G(v_{j-1}) + W(v_{j-1}) (v_j - v_{j-1}), W the weight of the negatives up to there.
        return _running(self._lowest_negatives[1:-1] * np.diff(self.n)[:, None])

    @cached_property
    def mean_gain(self) -> Floats:
        """The mean of max(d, 0)."""
        return self._sum_of_gains(0.0, slice(None)) / self.pairs

    @cached_property
    def _moderate(self) -> RankedReplicates | None:
        moderate = self.scores.moderate
        return None if moderate is None else RankedReplicates(moderate, self.weight)

    def _mean_gain_above(self, share: float) -> Floats:
        span = np.where(self.span > 0, self.span, 1)
        if share == 0:
            return self.mean_gain / span
        sums = np.zeros(len(span))
        # Few shifts differ, for few scores are ever an end.
        shifts, which = np.unique(share * self.span, return_inverse=True)
        for k, each in enumerate(shifts):
            if np.isfinite(each):
                chosen = slice(None) if len(shifts) == 1 else np.flatnonzero(which == k)
                sums[chosen] = self._sum_of_gains(each, chosen)
        return sums / self.pairs / span

    def _sum_of_gains(self, shift: float, chosen: Any) -> Floats:
        """Return the weighted sum of max(p - shift - n, 0) in the chosen replicates."""
        # Of p' = p - shift over the last negative v <= p': G(v) + W(v) (p' - v).
        above, reach, gain = self.scores.reached(shift)
        gains = self._lowest_negatives[:, chosen][reach] * gain[:, None]
        gains += self._gains_at_negatives[:, chosen][reach - 1]
        return _dot(self.positive[above, chosen], gains)

    def mean_of(self, h: Kernel | Callable[[Floats], Floats]) -> Floats:
        """Return the mean of h(d)."""
        over_negatives = self.scores.matrix(kernel_of(h)).over_negatives(self.negative)
        return _dot(self.positive, over_negatives) / self.pairs

    def mean_of_relative(self, h: Kernel) -> Floats:
        """Return the mean of h(d / span), 0 where the span is 0: few spans differ."""
        span = self.span
        means = np.where(self.pairs > 0, 0.0, np.nan)
        for each in np.unique(span[span > 0]):
            means = np.where(span == each, self.mean_of(Relative(h, float(each))), means)
        return means

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
        return Counts(tp, fp, fn, tn).ordered(self.positive_first)


def _first_and_last(values: Floats, shown: Bools) -> tuple[Floats, Floats]:
    """Return the first and the last value shown in each column; inf and -inf where none is."""
    if not len(values):
        return np.full(shown.shape[1], np.inf), np.full(shown.shape[1], -np.inf)
    some = shown.any(axis=0)
    first, last = shown.argmax(axis=0), len(shown) - 1 - shown[::-1].argmax(axis=0)
    return np.where(some, values[first], np.inf), np.where(some, values[last], -np.inf)


def _running(weight: Array) -> Array:
    """Return the sums of the first 0, 1, ..., m rows; those of bytes as integers."""
    whole = weight.dtype.kind in "iu"
    sums = np.zeros((len(weight) + 1, weight.shape[1]), dtype=np.int64 if whole else np.float64)
    np.cumsum(weight, axis=0, out=sums[1:])
    return sums


def _dot(a: Array, b: Array) -> Floats:
    return np.asarray(np.einsum("mb,mb->b", a, b, dtype=np.float64))
