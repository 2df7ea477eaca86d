"""Scores of the two classes, sorted once, and the pair means that every AUC variant is made of.

A formula is written once and is evaluated on every class that implements :class:`PairMeans`. p and n
stand for the score of a positive and of a negative, d for p - n; a *mean* or a *share* runs over all
pairs, each weighing the product of its two weights, and is nan where a class is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from ..._arrays import Array, Bools, Codes, Floats
from ..._compat import cached_property
from ..._threads import in_threads, threads_for
from .._records.counts import Counts
from .kernels import Kernel, Relative, ScoresByClass, kernel_of
from .placements import Placements
from .sorting import distinct_scores, moderate_scale, sort_in_place
from .sums.elementary import cumulative, sum_of_gains_above, sum_of_gaps

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
        if self._moderate is not None:
            return self._moderate.mean_gain_above(share)
        if share not in self._means_above:
            self._means_above[share] = self._mean_gain_above(share)
        return self._means_above[share]

    @cached_property
    def _means_above(self) -> dict[float, Values]:
        return {}

    @property
    def _moderate(self) -> PairMeans | None:
        """The same scores on a scale of which no sum overflows, None where it is their own."""

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


# Maps scores to codes; None where some have none.
Coding: TypeAlias = Callable[[Array], Any]

# Codes of 31 bits leave one for the class.
_HIGHEST_CODE = 2.0**31 - 1
# Of so many of the scores, so few are equal where linear codes distinguish most scores.
_SAMPLE, _FEW_EQUAL = 1000, 10
# Scores whose code mixes the classes, as a share of all, beyond which all are put in order instead.
_MOST_MIXED = 1 / 16
# Last bits of a code: so many values are sifted of few codes and of many, by one byte each.
_SIEVES, _FEW_WANTED = (1 << 16, 1 << 20), 1000
# Scores taken together: their few arrays stay in a core's own cache.
_AT_ONCE = 1 << 16
_NARROW = 1 << 16


def wins_and_ties_of_few(truth: Bools, score: Array) -> tuple[int, int]:
    """Return how many pairs have d > 0 and how many d = 0."""
    positive, negative = score[truth], score[~truth]
    negative.sort()
    wins = int(np.add.reduce(negative.searchsorted(positive)))
    return wins, int(np.add.reduce(negative.searchsorted(positive, "right"))) - wins


class _KeyCounts(NamedTuple):
    """What is counted of a range of sorted keys.

    Attributes
    ----------
    positives, positions : int
        The number of positives, and the sum of their positions among all keys.
    alike, crowd : int
        The number of pairs that share a code, and of keys with a code that mixes the classes.
    mixed : ndarray
        Those codes.
    """

    positives: int
    positions: int
    alike: int
    crowd: int
    mixed: Array


def wins_and_ties(truth: Bools, score: Array) -> tuple[int, int] | None:
    """Return how many pairs have d > 0 and how many d = 0; None where too many scores share a code.

    Scores of one code and of both classes are compared as they are, so the counts are exact.
    """
    keys = _keys(truth, score, _single_codes)
    if keys is not None:
        return _ahead_and_alike(_counts_of_keys(keys, exact=True))
    score = score.astype(np.float64, copy=False)
    coding = _linear_coding(score)
    keys = None if coding is None else _keys(truth, score, coding)
    if coding is None or keys is None or _crowded(keys):
        return None
    parts = _counts_of_keys(keys, exact=False)
    if sum(part.crowd for part in parts) > _MOST_MIXED * len(score):
        return None
    wins, alike = _ahead_and_alike(parts)
    if not alike:
        return wins, 0
    rows, codes = _rows_of(np.concatenate([part.mixed for part in parts]), score, coding)
    within, ties = _within(codes, truth[rows], score[rows])
    return wins + within, ties


def _keys(truth: Bools, score: Array, coding: Coding) -> Array | None:
    """Return the codes with the class as last bit; None where a score has no code."""
    if coding(score[:_SAMPLE]) is None:
        return None
    keys = np.empty(len(score), dtype=np.uint32)

    def fill(start: int) -> bool:
        block = slice(start, start + _AT_ONCE)
        codes = coding(score[block])
        if codes is None:
            return False
        np.left_shift(codes, np.uint32(1), out=keys[block])
        keys[block] |= truth[block]
        return True

    starts = range(0, len(keys), _AT_ONCE)
    return keys if all(in_threads(fill, starts, threads_for(len(keys)))) else None


def _crowded(keys: Array) -> bool:
    """Estimate from a sample of the keys whether too many scores share a code."""
    sample = np.sort(keys[:: -(-len(keys) // _AT_ONCE)]) >> np.uint32(1)
    # A sample has as many equal pairs, of all, as the square of its share.
    alike = np.count_nonzero(sample[1:] == sample[:-1]) * (len(keys) / len(sample)) ** 2
    return bool(alike > 2 * _MOST_MIXED * len(keys))


def _counts_of_keys(keys: Array, *, exact: bool) -> list[_KeyCounts]:
    """Sort keys in place, and count them range by range, no code in two of them.

    If a code determines the score, none is named that mixes the classes.
    """
    sort_in_place(keys)
    places = np.arange(_AT_ONCE, len(keys), _AT_ONCE)
    stops = np.searchsorted(keys, keys[places] | np.uint32(1), side="right")
    edges = np.unique(np.concatenate([[0], stops, [len(keys)]])).tolist()
    threads = threads_for(len(keys))
    ranges = [(keys[start:stop], start) for start, stop in pairwise(edges)]
    return in_threads(lambda part: _count_keys(*part, exact=exact), ranges, threads)


def _count_keys(keys: Array, start: int, *, exact: bool) -> _KeyCounts:
    # How many positives stand before each of the keys, and how many there are.
    so_far = np.zeros(len(keys) + 1, dtype=np.uint32)
    np.cumsum(keys & np.uint32(1), out=so_far[1:])
    steps = keys[1:] ^ keys[:-1]
    # All negatives of a code stand before its positives.
    if np.count_nonzero(steps == 1) <= _MOST_MIXED * len(keys):
        last = keys[:-1][steps == 1]
        ends = [keys.searchsorted(end, "right") for end in (last, last | np.uint32(1))]
        below, above = ends[0] - keys.searchsorted(last), ends[1] - ends[0]
    else:
        last, below, above = _codes(keys, so_far, steps)
    pairs = below * above
    mixed = np.arange(0) if exact else np.flatnonzero(pairs)
    # The sum of 0, 1, ..., n fits into 32 bits, where adding is fast, for n < 2^16.
    wide = np.int64 if len(so_far) > _NARROW else np.uint32
    positives = int(so_far[-1])
    return _KeyCounts(
        positives,
        # Each positive is counted at all the keys behind its own, and at the end.
        positives * (start + len(keys)) - int(so_far.sum(dtype=wide)),
        int(pairs.sum()),
        int((below + above)[mixed].sum()),
        last[mixed] >> np.uint32(1),
    )


def _codes(keys: Array, so_far: Array, steps: Array) -> tuple[Array, Codes, Codes]:
    """Return the last key of each code, and its numbers of negatives and of positives."""
    edges = np.concatenate([[-1], np.flatnonzero(steps > 1), [len(keys) - 1]])
    edges += 1
    so_far = so_far.take(edges).astype(np.intp)
    above = so_far[1:] - so_far[:-1]
    return keys.take(edges[1:] - 1), edges[1:] - edges[:-1] - above, above


def _ahead_and_alike(parts: list[_KeyCounts]) -> tuple[int, int]:
    """Return how many pairs have the code of the positive above the other, and how many the same."""
    positives, positions, alike = (sum(each) for each in list(zip(*parts, strict=True))[:3])
    return positions - positives * (positives - 1) // 2 - alike, alike


def _single_codes(score: Array) -> Array | None:
    """Return the bits of scores that are numbers of single precision >= 0, which rise with them."""
    with np.errstate(over="ignore", under="ignore"):
        narrow = score.astype(np.float32)
    if (score.dtype != np.float32 and not (narrow == score).all()) or narrow.min() < 0:
        return None
    narrow += np.float32(0)  # makes -0.0 equal to 0.0
    return narrow.view(np.uint32)


def _linear_coding(score: Floats) -> Coding | None:
    """Return what maps scores to integers, of which none is lower than that of a lower score."""
    if len(np.unique(score[:_SAMPLE])) < len(score[:_SAMPLE]) - _FEW_EQUAL:
        return None
    low = score.min()
    with np.errstate(over="ignore"):
        span = score.max() - low
        scale = _HIGHEST_CODE / span if span > 0 else np.inf
    if not (np.isfinite(span) and np.isfinite(scale)):
        return None

    def coding(part: Floats) -> Array:
        codes = part - low
        codes *= scale
        return codes.astype(np.int32).view(np.uint32)

    return coding


def _rows_of(wanted: Array, score: Floats, coding: Coding) -> tuple[Codes, Array]:
    """Return the rows whose code is among a few, sifted by its last bits first, and their codes."""
    last_bits = np.uint32(_SIEVES[len(wanted) > _FEW_WANTED] - 1)
    sieve = np.zeros(int(last_bits) + 1, dtype=bool)
    sieve[wanted & last_bits] = True

    def sifted(start: int) -> tuple[Codes, Array]:
        of_block = coding(score[start : start + _AT_ONCE])
        found = np.flatnonzero(sieve.take(of_block & last_bits))
        return found + start, of_block[found]

    starts = range(0, len(score), _AT_ONCE)
    blocks = in_threads(sifted, starts, threads_for(len(score)))
    row, code = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    kept = np.isin(code, wanted)
    return row[kept], code[kept]


def _within(codes: Array, truth: Bools, score: Floats) -> tuple[int, int]:
    """Return the wins and the ties among the pairs of one code."""
    order = np.lexsort((score, codes))
    codes, truth, score = codes[order], truth[order], score[order]
    starts = np.flatnonzero(np.append(True, (codes[1:] != codes[:-1]) | (score[1:] != score[:-1])))
    positive = np.add.reduceat(truth, starts, dtype=np.int64)
    negative = np.diff(starts, append=len(truth)) - positive
    below = np.append(0, np.cumsum(negative)[:-1])
    of_code = np.searchsorted(codes[starts], codes[starts])
    return int((positive * (below - below[of_code])).sum()), int((positive * negative).sum())


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

    Attributes
    ----------
    exact : bool
        Whether each of the values is that of all examples counted there.
    """

    exact: bool = True

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
        if weight is None or not len(weight):
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

    @cached_property
    def placements(self) -> Placements:
        """The placement values of the examples of each score and class."""
        return Placements.of_distinct(self.values, self.positive, self.negative)

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
        if not self.pairs > 0:
            return np.float64(np.nan)
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

    @cached_property
    def _moderate(self) -> RankedScores | None:
        scale = moderate_scale(self.lowest, self.highest) if self.pairs > 0 else 0
        if not scale:
            return None
        return RankedScores(np.ldexp(self.values, scale), self.positive, self.negative)

    def _mean_gain_above(self, share: float) -> np.float64:
        if not self.pairs > 0:
            return np.float64(np.nan)
        if not self.span > 0:
            return np.float64(0)
        if share == 0:
            return self.mean_gain / self.span
        gains = sum_of_gains_above(*self._sides, float(self.lowest), float(share * self.span))
        return gains / self.pairs / self.span

    def mean_of(self, h: Kernel | Callable[[Floats], Floats]) -> np.float64:
        """Return the mean of h(d)."""
        if not self.pairs > 0:
            return np.float64(np.nan)
        return kernel_of(h).total(self._sides, self._below) / self.pairs

    def mean_of_relative(self, h: Kernel) -> np.float64:
        """Return the mean of h(d / span), 0 where the span is 0."""
        if not self.span > 0:
            return np.float64(0 if self.pairs > 0 else np.nan)
        return self.mean_of(Relative(h, float(self.span)))

    @cached_property
    def _sides(self) -> ScoresByClass:
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
        return Counts(tp, fp, fn, tn).ordered(self.positive_first)


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
