"""Scores counted in cells that drop some bits, so that one sort of half the width orders them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from ..._arrays import Array, Bools, Floats
from .._pairs.sorting import sort_in_place
from .addition import starts_of_runs, sums_of_runs
from .codes import PREFIXES, ScoreCodes, codes_of, low_bits, shorter_below

# Scores taken together: their few arrays stay in a core's own cache.
_AT_ONCE = 1 << 15


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
    parts = [_runs(part, kind(min(shorter, widest + 2))) for part in _stretches(keys)]
    cells, positive, negative = (np.concatenate(part) for part in zip(*parts, strict=True))
    return (cells.astype(np.uint64) << dropped) + least, positive, negative, ends


def _blocks(size: int) -> Iterator[slice]:
    return (slice(start, start + _AT_ONCE) for start in range(0, size, _AT_ONCE))


def _stretches(keys: Array) -> Iterator[Array]:
    """Yield stretches of sorted keys, no cell in two of them."""
    pivots = keys[_AT_ONCE::_AT_ONCE] & ~keys.dtype.type(3)
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
