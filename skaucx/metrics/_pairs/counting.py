"""Wins and ties counted exactly: of many scores from codes of half the size of a score."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np

from ..._arrays import Array, Bools, Codes, Floats

# Maps scores to codes; None where some have none.
Coding: TypeAlias = Callable[[Floats], Any]

# Codes of 31 bits leave one for the class.
_HIGHEST_CODE = 2.0**31 - 1
# Of so many of the scores, so few are equal where linear codes tell most scores apart.
_SAMPLE, _FEW_EQUAL = 1000, 10
# Mixed codes, and scores in them, as a share of all scores, beyond which all are put in order instead.
_MOST_MIXED = 1 / 16
# Scores taken together: their few arrays stay in a core's own cache.
_AT_ONCE = 1 << 16


def wins_and_ties_of_few(truth: Bools, score: Floats) -> tuple[int, int]:
    """Return how many pairs have d > 0 and how many d = 0."""
    positive, negative = score[truth], score[~truth]
    negative.sort()
    lower, not_higher = (negative.searchsorted(positive, side) for side in ("left", "right"))
    wins = int(np.add.reduce(lower))
    return wins, int(np.add.reduce(not_higher)) - wins


def wins_and_ties(truth: Bools, score: Floats) -> tuple[int, int] | None:
    """Return how many pairs have d > 0 and how many d = 0; None where too many scores share a code.

    Scores of one code and of both classes are compared as they are, so the counts are exact.
    """
    coding: Coding | None = _single_codes
    keys, exact = _keys(truth, score, _single_codes), True
    if keys is None:
        coding, exact = _linear_coding(score), False
        keys = None if coding is None else _keys(truth, score, coding)
    if coding is None or keys is None:
        return None
    keys.sort()
    # All negatives of a code stand before its positives.
    wins, last = _wins(keys), _ends_of_negatives(keys)
    if not exact and len(last) > _MOST_MIXED * len(score):
        return None
    mixed = keys[last] >> np.uint32(1)
    first = np.searchsorted(keys, mixed << np.uint32(1))
    end = np.searchsorted(keys, mixed << np.uint32(1) | np.uint32(1), side="right")
    alike = int(((last + 1 - first) * (end - last - 1)).sum())
    if exact or not alike:
        return wins - alike, alike
    if (end - first).sum() > _MOST_MIXED * len(score):
        return None
    rows, codes = _rows_of(mixed, score, coding)
    within, ties = _within(codes, truth[rows], score[rows])
    return wins - alike + within, ties


def _blocks(size: int) -> Iterator[slice]:
    return (slice(start, start + _AT_ONCE) for start in range(0, size, _AT_ONCE))


def _keys(truth: Bools, score: Floats, coding: Coding) -> Array | None:
    """Return the codes with the class as last bit; None where a score has no code."""
    keys = np.empty(len(score), dtype=np.uint32)
    for block in _blocks(len(score)):
        codes = coding(score[block])
        if codes is None:
            return None
        np.left_shift(codes, np.uint32(1), out=keys[block])
        keys[block] |= truth[block]
    return keys


def _single_codes(score: Floats) -> Array | None:
    """Return the bits of scores that are numbers of single precision >= 0, which rise with them."""
    with np.errstate(over="ignore", under="ignore"):
        narrow = score.astype(np.float32)
    if not (narrow == score).all() or narrow.min() < 0:
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


def _wins(keys: Array) -> int:
    """Return how many pairs have the key of the negative first, of sorted keys."""
    positions = positives = 0
    for block in _blocks(len(keys)):
        found = np.flatnonzero((keys[block] & np.uint32(1)).astype(bool))
        positions += int(found.sum()) + block.start * len(found)
        positives += len(found)
    return positions - positives * (positives - 1) // 2


def _ends_of_negatives(keys: Array) -> Codes:
    """Return where the last negative of each code that mixes the classes stands, of sorted keys."""
    found = []
    for block in _blocks(len(keys) - 1):
        upper = keys[block.start + 1 : block.stop + 1]
        steps = upper ^ keys[block.start : block.start + len(upper)]
        found.append(np.flatnonzero(steps == 1) + block.start)
    return np.concatenate(found)


def _rows_of(wanted: Array, score: Floats, coding: Coding) -> tuple[Codes, Array]:
    """Return the rows whose code is among a few, sifted by its last bits first, and their codes."""
    sieve = np.zeros(1 << 16, dtype=bool)
    sieve[wanted.astype(np.uint16)] = True
    rows, codes = [], []
    for block in _blocks(len(score)):
        of_block = coding(score[block])
        sifted = np.flatnonzero(sieve.take(of_block.astype(np.uint16)))
        rows.append(sifted + block.start)
        codes.append(of_block[sifted])
    row, code = np.concatenate(rows), np.concatenate(codes)
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
