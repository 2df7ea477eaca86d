"""Sums of the counts of two sets of cells, each in rising order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..._arrays import Array, Bools
from .codes import PREFIXES, ScoreCodes, level_within, low_bits

Sides = tuple[Array, Array]

_TAG = np.uint64(1)
# So many rows leave both counts of a cell room in one integer of 64 bits.
_PACKED_ROWS = 1 << 31
_LOW_HALF = (1 << 32) - 1


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
    first, of_second = _interleaved(*codes, level)
    new = np.append(True, first[1:] != first[:-1])
    if np.count_nonzero(new) > most:
        level = level_within(first, most)
        first &= ~low_bits(first, level)
        np.not_equal(first[1:], first[:-1], out=new[1:])
    starts, places = np.flatnonzero(new), (np.flatnonzero(~of_second), np.flatnonzero(of_second))

    def sums(one: Array, other: Array) -> Array:
        in_order = np.empty(len(first), dtype=np.result_type(one, other))
        in_order[places[0]], in_order[places[1]] = one, other
        return np.asarray(np.add.reduceat(in_order, starts))

    if _fit_together(sides):
        both = sums(*((positive << 32) | negative for positive, negative in sides))
        positive, negative = both >> 32, both & _LOW_HALF
    else:
        positive, negative = (sums(*pair) for pair in zip(*sides, strict=True))
    return first[starts], positive, negative, level


def _interleaved(a: ScoreCodes, b: ScoreCodes, level: int) -> tuple[ScoreCodes, Bools]:
    """Return both codes in rising order, and which are the second's; of equal ones a's come first."""
    codes = np.concatenate([a, b])
    # The stable sort finds the two runs and merges them.
    if level < PREFIXES:
        order = np.argsort(codes, kind="stable")
        return codes[order], order >= len(a)
    codes[len(a) :] |= _TAG
    codes.sort(kind="stable")
    of_b = (codes & _TAG).astype(bool)
    codes &= ~_TAG
    return codes, of_b


def _fit_together(sides: Sequence[Sides]) -> bool:
    counts = [side for pair in sides for side in pair]
    counted = all(count.dtype.kind == "i" for count in counts)
    return counted and sum(int(count.sum()) for count in counts) < _PACKED_ROWS
