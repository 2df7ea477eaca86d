"""Scores of two classes counted in cells: a state of bounded size that merges in any order.

Floats become integers in the same order, so that the leading bits of a score name a cell that holds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .._arrays import Array, Bools, Codes, Floats
from ..metrics._pairs.sorting import distinct_scores, sort_in_place

ScoreCodes: TypeAlias = npt.NDArray[np.uint64]

_SIGN = np.uint64(1 << 63)
# Bits of sign, exponent and mantissa that show which codes of a level are a bit shorter.
_PREFIX_BITS = 16
PREFIXES = 1 << _PREFIX_BITS
_BEHIND_PREFIX = 64 - _PREFIX_BITS


def codes_of(score: Array) -> ScoreCodes:
    """Return 64-bit integers that rise with finite scores; -0.0 is 0.0.

    The bits of a float >= 0 rise with it and get the sign bit; those of a float < 0 are all flipped.
    """
    bits = np.add(score, 0.0, dtype=np.float64).view(np.uint64)
    negative = (bits.view(np.int64) >> 63).view(np.uint64)
    bits ^= negative | _SIGN
    return bits


def scores_of(codes: ScoreCodes) -> Floats:
    """Return the scores of codes: the inverse of :func:`codes_of`."""
    bits = codes.view(np.int64) >> 63
    np.invert(bits, out=bits)
    bits |= _SIGN.view(np.int64)
    bits ^= codes.view(np.int64)
    return bits.view(np.float64)


def low_bits(codes: ScoreCodes, level: int) -> ScoreCodes:
    """Return the masks of the bits that rising codes drop at a level.

    Level ``d * 2**16 + k`` drops d bits, and one bit more of the codes whose 16 leading bits are below
    k. Each level's cells are unions of those of the level before.
    """
    dropped, prefix = divmod(level, PREFIXES)
    masks = np.full(len(codes), (1 << dropped) - 1, dtype=np.uint64)
    if prefix:
        shorter = slice(np.searchsorted(codes, np.uint64(prefix << _BEHIND_PREFIX)))
        masks[shorter] = np.uint64((2 << dropped) - 1)
    return masks


def coarser_from(codes: ScoreCodes, level: int, higher: int) -> slice:
    """Return where rising codes may drop more bits at a higher level."""
    (dropped, prefix), (more, below) = divmod(level, PREFIXES), divmod(higher, PREFIXES)
    if dropped < more:
        return slice(0, len(codes))
    ends = np.array([prefix, below], dtype=np.uint64) << np.uint64(_BEHIND_PREFIX)
    return slice(*codes.searchsorted(ends).tolist())


def shorter_below(level: int) -> int:
    """Return the code below which one bit more is dropped."""
    return (level % PREFIXES) << _BEHIND_PREFIX


def level_within(codes: ScoreCodes, most: int) -> int:
    """Return the least level that leaves at most `most` of rising codes distinct."""
    if len(codes) <= most:
        return 0
    # Two neighbours fall together once the highest bit in which they differ is dropped.
    apart = codes[1:] ^ codes[:-1]
    place = len(apart) - most
    dropped = int(np.partition(apart, place)[place]).bit_length()
    if dropped > _BEHIND_PREFIX:
        return dropped * PREFIXES
    above = np.count_nonzero(apart >= np.uint64(1 << (dropped - 1)))
    falling = np.flatnonzero((apart >> np.uint64(dropped - 1)) == 1)
    last = codes[falling[above - most]]
    return (dropped - 1) * PREFIXES + int(last >> np.uint64(_BEHIND_PREFIX)) + 1


ClassPair = tuple[Array, Array]

# Cells of one of the two taken together: their few arrays stay in a core's own cache.
_AT_ONCE = 1 << 16


def added(
    codes: tuple[ScoreCodes, ScoreCodes], sides: tuple[ClassPair, ClassPair], level: int, most: int
) -> tuple[ScoreCodes, Array, Array, int]:
    """Return the codes of the cells of both at the least level that leaves at most `most`.

    Parameters
    ----------
    codes : tuple of ndarray, uint64
        The first codes of the cells of each, rising, with the bits below `level` at 0.
    sides : tuple of tuple of ndarray
        The positives and the negatives in the cells of each.
    level, most : int

    Returns
    -------
    codes, positive, negative : ndarray
    level : int
    """
    size, end = sum(map(len, codes)), 0
    kinds = codes[0].dtype, *(np.result_type(*pair) for pair in zip(*sides, strict=True))
    whole = [np.empty(size, dtype=kind) for kind in kinds]
    for rows in _stretches(*codes):
        part = _added_part(
            [one[part] for one, part in zip(codes, rows, strict=True)],
            [[side[part] for side in own] for own, part in zip(sides, rows, strict=True)],
            level // PREFIXES,
        )
        start, end = end, end + len(part[0])
        for column, own in zip(whole, part, strict=True):
            column[start:end] = own
    first, positive, negative = (column[:end] for column in whole)
    if len(first) > most:
        higher = level_within(first, most)
        first, positive, negative = coarsened((first, positive, negative), level, higher)
        level = higher
    return first, positive, negative, level


def _added_part(
    codes: Sequence[ScoreCodes], sides: Sequence[Sequence[Array]], dropped: int
) -> tuple[Array, ...]:
    """Return the codes, the positives and the negatives of a part of the cells of both."""
    both, counts = (
        np.concatenate(codes),
        [np.concatenate(side) for side in zip(*sides, strict=True)],
    )
    least = both.min()
    if counts[0].dtype.kind == "i":
        bits = max(int(count.max()).bit_length() for count in counts)
        if (int(both.max() - least) >> dropped).bit_length() + 2 * bits <= 64:
            return _of_packed(both, counts, least, dropped, bits)
    order = _order(both, dropped)
    return summed_runs(both.take(order), *(count.take(order) for count in counts))


def _of_packed(
    codes: ScoreCodes, counts: Sequence[Array], least: np.uint64, dropped: int, bits: int
) -> tuple[Array, ...]:
    """Return the same where a code, as far above the least one, and both counts fit in one integer."""
    positive, negative = counts
    keys = codes - least
    keys >>= np.uint64(dropped)
    keys <<= np.uint64(2 * bits)
    keys |= (positive << bits | negative).view(np.uint64)
    keys.sort(kind="stable")  # finds the two runs and merges them
    held = (keys & np.uint64((1 << 2 * bits) - 1)).view(np.int64)
    keys >>= np.uint64(2 * bits)
    keys <<= np.uint64(dropped)
    keys += least
    return summed_runs(keys, held >> bits, held & ((1 << bits) - 1))


def coarsened(cells: tuple[ScoreCodes, Array, Array], level: int, higher: int) -> tuple[Array, ...]:
    """Return the first codes and the counts of cells at a higher level."""
    changed = coarser_from(cells[0], level, higher)
    codes, *counts = (column[changed] for column in cells)
    fewer = summed_runs(codes & ~low_bits(codes, higher), *counts)
    return tuple(
        np.concatenate([column[: changed.start], part, column[changed.stop :]])
        for column, part in zip(cells, fewer, strict=True)
    )


def summed_runs(codes: ScoreCodes, *weights: Array) -> tuple[Array, ...]:
    """Return the distinct of rising codes, and the sums of the counts or weights of each."""
    starts = starts_of_runs(codes)
    if len(starts) == len(codes):
        return codes, *weights
    return codes.take(starts), *(sums_of_runs(weight, starts) for weight in weights)


def starts_of_runs(codes: Array) -> Codes:
    """Return where the runs of equal codes begin."""
    new = np.empty(len(codes), dtype=bool)
    new[:1] = True
    np.not_equal(codes[1:], codes[:-1], out=new[1:])
    return np.flatnonzero(new)


def sums_of_runs(weight: Array, starts: Codes) -> Array:
    """Return the sum of each run of counts or weights."""
    if weight.dtype.kind == "f":
        return np.asarray(np.add.reduceat(weight, starts))
    below = np.cumsum(weight).take(np.append(starts[1:], len(weight)) - 1)
    return np.diff(below, prepend=0)


def _stretches(a: ScoreCodes, b: ScoreCodes) -> Iterator[tuple[slice, slice]]:
    """Yield the rows of each in turn that have the codes of a range."""
    pivots = max(a, b, key=len)[_AT_ONCE::_AT_ONCE]
    cuts = [[0, *codes.searchsorted(pivots).tolist(), len(codes)] for codes in (a, b)]
    for of_a, of_b in zip(*map(pairwise, cuts), strict=True):
        if of_a[0] < of_a[1] or of_b[0] < of_b[1]:
            yield slice(*of_a), slice(*of_b)


def _order(codes: ScoreCodes, dropped: int) -> Codes:
    """Return the stable order of two rising runs of codes, all of whose last bits are 0."""
    places, least = len(codes).bit_length(), codes.min()
    if int(codes.max() - least) >> dropped >= 1 << (64 - places):
        return np.argsort(codes, kind="stable")
    # Code and place in one integer; the stable sort finds the two runs and merges them.
    keys = codes - least
    keys >>= np.uint64(dropped)
    keys <<= np.uint64(places)
    keys |= np.arange(len(codes), dtype=np.uint64)
    keys.sort(kind="stable")
    keys &= np.uint64((1 << places) - 1)
    return keys.view(np.intp)


# Scores taken together: their few arrays stay in a core's own cache.
_KEYS_AT_ONCE = 1 << 15


def counted(truth: Bools, score: Array, level: int) -> tuple[ScoreCodes, Array, Array, Floats]:
    """Count scores in the cells of a level that drops a bit or more, which the class takes.

    Parameters
    ----------
    truth : ndarray of shape (n,), bool
    score : ndarray of shape (n,), float32 or float64
        At least one.
    level : int
        See :func:`low_bits`.

    Returns
    -------
    first : ndarray of shape (m,), uint64
        The first codes of the cells, rising.
    positive, negative : ndarray of shape (m,), int64
    ends : ndarray of shape (2, 2), float64
        The lowest and the highest score of the positives, then of the negatives.
    """
    ends = _ends(truth, score)
    reach = codes_of(np.array([ends[:, 0].min(), ends[:, 1].max()]))
    reach &= ~low_bits(reach, level)
    least, dropped = reach[0], np.uint64(level // PREFIXES)
    widest = int((reach[1] - least) >> dropped)
    # One cell more may be the end of those that drop one bit more.
    kind = np.uint32 if widest < 2**31 - 2 else np.uint64
    keys = np.empty(len(score), dtype=kind)
    for rows in _blocks(len(keys)):
        codes = codes_of(score[rows])
        codes -= least
        codes >>= dropped
        codes += codes
        codes |= truth[rows]
        keys[rows] = codes
    sort_in_place(keys)
    shorter = max(shorter_below(level) - int(least), 0) >> int(dropped)
    parts = [_runs(part, kind(min(shorter, widest + 2))) for part in _stretches_of_keys(keys)]
    cells, positive, negative = (np.concatenate(part) for part in zip(*parts, strict=True))
    return (cells.astype(np.uint64) << dropped) + least, positive, negative, ends


def _blocks(size: int) -> Iterator[slice]:
    return (slice(start, start + _KEYS_AT_ONCE) for start in range(0, size, _KEYS_AT_ONCE))


def _stretches_of_keys(keys: Array) -> Iterator[Array]:
    """Yield stretches of sorted keys, no cell in two of them."""
    pivots = keys[_KEYS_AT_ONCE::_KEYS_AT_ONCE] & ~keys.dtype.type(3)
    cuts = [0, *keys.searchsorted(pivots).tolist(), len(keys)]
    return (keys[start:stop] for start, stop in pairwise(cuts) if start < stop)


def _runs(keys: Array, shorter: np.unsignedinteger) -> tuple[Array, Array, Array]:
    """Return the distinct cells of sorted keys, with their numbers of positives and of negatives.

    Cells below `shorter` drop one bit more.
    """
    cells = keys >> 1
    cells[: cells.searchsorted(shorter)] &= ~keys.dtype.type(1)
    starts = starts_of_runs(cells)
    positive = sums_of_runs((keys & 1).astype(np.int64), starts)
    return cells.take(starts), positive, np.diff(starts, append=len(keys)) - positive


def _ends(truth: Bools, score: Array) -> Floats:
    """Return the lowest and the highest score of each class; inf and -inf where it is empty."""
    ends = np.array([[np.inf, -np.inf]] * 2)
    for rows in _blocks(len(score)):
        for end, chosen in zip(ends, (truth[rows], ~truth[rows]), strict=True):
            held = np.compress(chosen, score[rows])
            end[0] = min(end[0], held.min(initial=np.inf))
            end[1] = max(end[1], held.max(initial=-np.inf))
    return ends + 0.0


# Beyond so many pairs, sums of products of counts leave int64.
MOST_PAIRS = 2.0**62
# As `max_cells`: as many as there are.
UNLIMITED = 1 << 62
_COLUMNS = ("first", "last", "positive", "negative")


@dataclass(frozen=True, eq=False)
class ScoreCells:
    """How many positives and negatives score within each cell, a range of the floats.

    A cell is the set of floats that share the leading bits of their order-preserving code; `level`
    is the number of bits that they do not share. It is 0, and every cell one float, while there are
    no more than `max_cells` distinct scores; beyond, it is the least level that leaves so few
    cells. As the cells of a level are unions of cells of the level before, it follows from the set
    of rows alone, whatever their order and partition.

    Parameters
    ----------
    first, last : ndarray of shape (m,), uint64
        The codes of the lowest and of the highest float of each cell; the cells rise, disjoint.
    positive, negative : ndarray of shape (m,), int64 or float64
        The number, or the weight, of the examples of each class in each cell.
    ends : ndarray of shape (2, 2), float64
        The lowest and the highest score of the positives, then of the negatives; inf and -inf where
        a class is empty.
    level : int or None
        See :func:`low_bits`; None for cells of other widths.
    max_cells : int
        The greatest number of cells.
    ends_exact : bool
        Whether `ends` are scores of rows, not edges of cells.
    """

    first: ScoreCodes
    last: ScoreCodes
    positive: Array
    negative: Array
    ends: Floats
    level: int | None
    max_cells: int
    ends_exact: bool = True

    @classmethod
    def empty(cls, max_cells: int) -> ScoreCells:
        """Return the state of no rows."""
        nothing, none = np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64)
        ends = np.array([[np.inf, -np.inf]] * 2)
        return cls(nothing, nothing, none, none, ends, 0, max_cells)

    @classmethod
    def count(
        cls, truth: Bools, score: Array, weight: Floats | None, max_cells: int, level: int = 0
    ) -> ScoreCells:
        """Count the scores of examples whose class is the boolean `truth`, all of weight > 0."""
        if level >= PREFIXES and weight is None and len(score):
            first, positive, negative, ends = counted(truth, score, level)
            last = first | low_bits(first, level)
            return cls(first, last, positive, negative, ends, level, max_cells).within_limit()
        wide = score.astype(np.float64, copy=False)
        values, positive, negative = distinct_scores(wide, truth, weight)
        if weight is None:
            positive, negative = positive.astype(np.int64), negative.astype(np.int64)
        exact = cls.of_scores(values, positive, negative, max_cells)
        return exact.coarsened(level).within_limit()

    @classmethod
    def of_scores(
        cls, values: Floats, positive: Array, negative: Array, max_cells: int
    ) -> ScoreCells:
        """Return a cell for each of distinct rising scores."""
        ends = np.array([_weighted_ends(values, positive), _weighted_ends(values, negative)])
        codes = codes_of(values)
        return cls(codes, codes, positive, negative, ends, 0, max_cells)

    def __len__(self) -> int:
        return len(self.first)

    def __add__(self, other: ScoreCells) -> ScoreCells:
        """Return the state of the rows of both."""
        return merged([self, other])

    @property
    def swapped(self) -> ScoreCells:
        """The same scores with the classes exchanged."""
        ends = self.ends[::-1].copy()
        return replace(self, positive=self.negative, negative=self.positive, ends=ends)

    @property
    def total(self) -> float:
        """The number, or the weight, of all rows."""
        return self.positive.sum().item() + self.negative.sum().item()

    @property
    def outer(self) -> Floats:
        """The lowest and the highest score."""
        return np.array([self.ends[:, 0].min(), self.ends[:, 1].max()])

    @property
    def known_ends(self) -> Floats:
        """The ends, of an empty class those of the other."""
        return np.where(np.isfinite(self.ends), self.ends, self.ends[::-1])

    @property
    def weighted(self) -> bool:
        """Whether rows were weighed."""
        return self.positive.dtype.kind == "f"

    def coarsened(self, level: int) -> ScoreCells:
        """Return the cells of a higher level."""
        if self.level is None or level <= self.level:
            return self
        low = low_bits(self.first, level)
        return replace(self.grouped(self.first & ~low, self.last | low), level=level)

    def codes_at(self, level: int) -> ScoreCodes:
        """Return the first codes of the cells of a higher level that hold these."""
        return self.first if level == self.level else self.first & ~low_bits(self.first, level)

    def within_limit(self) -> ScoreCells:
        """Return the state coarsened until it has no more than `max_cells` cells."""
        if len(self) <= self.max_cells:
            return self
        if self.level is None:  # runs of neighbouring cells of any width
            return self.joined(np.arange(0, len(self), -(-len(self) // self.max_cells)))
        return self.coarsened(level_within(self.first, self.max_cells))

    def grouped(self, first: ScoreCodes, last: ScoreCodes) -> ScoreCells:
        """Return the state with the given ranges, neighbours of one range together."""
        if not len(self):
            return self
        return replace(self, first=first, last=last).joined(starts_of_runs(first))

    def taken(self, chosen: Array) -> ScoreCells:
        """Return some of the cells."""
        return self._with(*(getattr(self, name)[chosen] for name in _COLUMNS))

    def joined(self, starts: Array) -> ScoreCells:
        """Return one cell for each run of neighbouring cells; runs begin at `starts`."""
        last = self.last[np.append(starts[1:], len(self)) - 1]
        return self._with(
            self.first[starts], last, *(sums_of_runs(side, starts) for side in self.sides)
        )

    def _with(self, *columns: Array) -> ScoreCells:
        """Return cells of any width."""
        cells: dict[str, Any] = dict(zip(_COLUMNS, columns, strict=True))
        return replace(self, **cells, level=None)

    def at_least(self, count: float) -> ScoreCells:
        """Return cells in which neither class has a count above 0 and below `count`.

        Neighbours are joined, from the lowest up, until it is so; the ends of the classes become the
        edges of their cells, so that no single row shows.
        """
        positive, negative = (np.append(0, np.cumsum(side)) for side in self.sides)
        starts = _starts_of_runs(positive, negative, count)
        state = self.joined(starts)
        ends = np.array([state._outer(side) for side in state.sides])
        return replace(state, ends=ends, ends_exact=False)

    @property
    def sides(self) -> tuple[Array, Array]:
        """The counts of the positives and of the negatives."""
        return self.positive, self.negative

    def _outer(self, weight: Array) -> tuple[float, float]:
        """Return the outer edges of the cells that hold examples of a class."""
        held = np.flatnonzero(weight)
        if not len(held):
            return np.inf, -np.inf
        lowest, highest = scores_of(np.array([self.first[held[0]], self.last[held[-1]]]))
        greatest = np.finfo(np.float64).max
        return max(float(np.nan_to_num(lowest, nan=-greatest)), -greatest), min(
            float(np.nan_to_num(highest, nan=greatest)), greatest
        )


def merged(states: Sequence[ScoreCells]) -> ScoreCells:
    """Return the state of the rows of all, merged two by two."""
    if len(states) == 1:
        return states[0]
    half = len(states) // 2
    return _merged_two(merged(states[:half]), merged(states[half:]))


def _merged_two(a: ScoreCells, b: ScoreCells) -> ScoreCells:
    limit = min(a.max_cells, b.max_cells)
    if not len(a) or not len(b):
        return replace(a if len(a) else b, max_cells=limit).within_limit()
    low, high = np.minimum(a.ends[:, 0], b.ends[:, 0]), np.maximum(a.ends[:, 1], b.ends[:, 1])
    ends = np.stack([low, high], axis=-1)
    if a.level is None or b.level is None:
        return _overlaid(a, b, ends, limit)
    level = max(a.level, b.level)
    codes = a.codes_at(level), b.codes_at(level)
    first, positive, negative, level = added(codes, (a.sides, b.sides), level, limit)
    last = first | low_bits(first, level) if level else first
    return ScoreCells(first, last, positive, negative, ends, level, limit)


def _overlaid(a: ScoreCells, b: ScoreCells, ends: Floats, limit: int) -> ScoreCells:
    """Merge cells of several widths: those that overlap become one."""
    order = np.argsort(np.concatenate([a.first, b.first]), kind="stable")
    first, last, positive, negative = (
        np.concatenate([getattr(a, name), getattr(b, name)])[order] for name in _COLUMNS
    )
    reach = np.maximum.accumulate(last)
    starts = np.flatnonzero(np.append(True, first[1:] > reach[:-1]))
    union = ScoreCells(
        first, reach, positive, negative, ends, None, limit, a.ends_exact and b.ends_exact
    )
    return union.joined(starts).within_limit()


def check_same_rows(before: Any, again: Any) -> None:
    """Refuse counts of rows that another pass found changed."""
    before, again = np.atleast_1d(before, again)
    changed = ~np.isclose(before, again, rtol=1e-9, atol=0)
    if changed.any():
        raise ValueError(
            f"The rows changed between two passes: cells that held {before[changed].sum():g} "
            f"examples of a class hold {again[changed].sum():g}; pass data that give the same "
            "rows each time."
        )


def _weighted_ends(values: Floats, weight: Array) -> tuple[float, float]:
    held = weight != 0
    if not held.any():
        return np.inf, -np.inf
    return values[held.argmax()], values[len(held) - 1 - held[::-1].argmax()]


def _starts_of_runs(positive: Array, negative: Array, count: float) -> Array:
    """Return where runs of cells begin, none with a small count, from the counts below each cell."""

    def enough(start: int, end: int) -> bool:
        return not any(0 < below[end] - below[start] < count for below in (positive, negative))

    size, starts, end = len(positive) - 1, [], 0
    while end < size:
        starts.append(end)
        end += 1
        while end < size and not enough(starts[-1], end):
            short = [b for b in (positive, negative) if 0 < b[end] - b[starts[-1]] < count]
            reached = max(int(np.searchsorted(b, b[starts[-1]] + count)) for b in short)
            end = min(reached, size)
    while starts and not enough(starts[-1], size):
        starts.pop()
    if size and not starts:
        raise ValueError(
            f"A class has {min(positive[-1], negative[-1]):g} rows, fewer than minimum_count="
            f"{count:g}; its counts cannot be determined."
        )
    return np.array(starts, dtype=np.intp)
