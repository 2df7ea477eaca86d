"""Wins and ties counted exactly: of many scores from codes of half the size of a score."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..._arrays import Array, Bools, Codes, Floats
from ..._threads import in_threads, threads_for
from .sorting import sort_in_place

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
    """Whether a sample foretells that too many scores share a code, before all are sorted."""
    sample = np.sort(keys[:: -(-len(keys) // _AT_ONCE)]) >> np.uint32(1)
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
    so_far, steps = _positives_so_far(keys), keys[1:] ^ keys[:-1]
    # All negatives of a code stand before its positives.
    if np.count_nonzero(steps == 1) <= _MOST_MIXED * len(keys):
        last = keys[:-1][steps == 1]
        ends = [keys.searchsorted(end, "right") for end in (last, last | np.uint32(1))]
        below, above = ends[0] - keys.searchsorted(last), ends[1] - ends[0]
    else:
        last, below, above = _codes(keys, so_far, steps)
    pairs = below * above
    mixed = np.arange(0) if exact else np.flatnonzero(pairs)
    return _KeyCounts(
        *_positions(so_far, start),
        int(pairs.sum()),
        int((below + above)[mixed].sum()),
        last[mixed] >> np.uint32(1),
    )


def _positives_so_far(keys: Array) -> Array:
    """Return how many positives stand before each of the keys, and how many there are."""
    so_far = np.zeros(len(keys) + 1, dtype=np.uint32)
    np.cumsum(keys & np.uint32(1), out=so_far[1:])
    return so_far


def _positions(so_far: Array, start: int) -> tuple[int, int]:
    """Return the number of positives, and the sum of their positions among all keys."""
    # The sum of 0, 1, ..., n fits into 32 bits, where adding is fast, for n < 2^16.
    wide = np.int64 if len(so_far) > _NARROW else np.uint32
    positives, size = int(so_far[-1]), len(so_far) - 1
    # Each positive is counted at all the keys behind its own, and at the end.
    return positives, positives * (start + size) - int(so_far.sum(dtype=wide))


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
