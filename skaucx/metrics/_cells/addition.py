"""Sums of the counts of two sets of cells, each in rising order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from ..._arrays import Array, Codes
from .codes import PREFIXES, ScoreCodes, coarser_from, level_within, low_bits

Sides = tuple[Array, Array]

# So many rows leave both counts of a cell room in one integer of 64 bits.
_PACKED_ROWS = 1 << 31
_LOW_HALF = (1 << 32) - 1
# Cells of one of the two taken together: their few arrays stay in a core's own cache.
_AT_ONCE = 1 << 16


def added(
    codes: tuple[ScoreCodes, ScoreCodes], sides: tuple[Sides, Sides], level: int, most: int
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
    first, positive, negative = _union(codes, sides, level // PREFIXES)
    if len(first) > most:
        higher = level_within(first, most)
        first, positive, negative = coarsened((first, positive, negative), level, higher)
        level = higher
    return first, positive, negative, level


def _union(
    codes: tuple[ScoreCodes, ScoreCodes], sides: tuple[Sides, Sides], dropped: int
) -> tuple[Array, ...]:
    """Return the codes, the positives and the negatives of the cells of both."""
    parts = [
        _added_part(
            [one[part] for one, part in zip(codes, rows, strict=True)],
            [[side[part] for side in own] for own, part in zip(sides, rows, strict=True)],
            dropped,
        )
        for rows in _stretches(*codes)
    ]
    return tuple(np.concatenate(part) for part in zip(*parts, strict=True))


def _added_part(
    codes: Sequence[ScoreCodes], sides: Sequence[Sequence[Array]], dropped: int
) -> tuple[Array, ...]:
    """Return the codes, the positives and the negatives of a part of the cells of both."""
    both, packed = np.concatenate(codes), _fit_together(sides)
    order = _order(both, dropped)
    if packed:
        sides = [[(positive << 32) | negative] for positive, negative in sides]
    counts = (np.concatenate(pair).take(order) for pair in zip(*sides, strict=True))
    first, *sums = summed_runs(both.take(order), *counts)
    return (first, sums[0] >> 32, sums[0] & _LOW_HALF) if packed else (first, *sums)


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


def _fit_together(sides: Sequence[Sequence[Array]]) -> bool:
    counts = [side for pair in sides for side in pair]
    counted = all(count.dtype.kind == "i" for count in counts)
    return counted and sum(int(count.sum()) for count in counts) < _PACKED_ROWS
