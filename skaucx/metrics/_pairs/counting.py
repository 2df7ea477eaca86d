"""Wins and ties counted exactly: of many scores from codes of half the size of a score."""

from __future__ import annotations

import numpy as np

from ..._arrays import Array, Bools, Codes, Floats

# Codes of 31 bits leave one for the class.
_HIGHEST_CODE = 2.0**31 - 1
# Of so many of the scores, so few are equal where linear codes tell most scores apart.
_SAMPLE, _FEW_EQUAL = 1000, 10
# Mixed codes, and scores in them, as a share of all scores, beyond which all are put in order instead.
_MOST_MIXED = 1 / 16


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
    codes = _exact_codes(score)
    exact = codes is not None
    codes = codes if exact else _linear_codes(score)
    if codes is None:
        return None
    keys = codes << np.uint32(1)
    keys |= truth
    keys.sort()
    positives = np.flatnonzero((keys & np.uint32(1)).astype(bool))
    # All negatives of a code stand before its positives.
    wins = int(positives.sum()) - len(positives) * (len(positives) - 1) // 2
    last = np.flatnonzero(keys[1:] ^ keys[:-1] == 1)
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
    rows = _rows_of(mixed, codes)
    within, ties = _within(codes[rows], truth[rows], score[rows])
    return wins - alike + within, ties


def _exact_codes(score: Floats) -> Array | None:
    """Return the bits of scores that are numbers of single precision >= 0, which rise with them."""
    for part in (score[:_SAMPLE], score):
        with np.errstate(over="ignore", under="ignore"):
            narrow = part.astype(np.float32)
        if not (narrow == part).all():
            return None
    narrow += np.float32(0)  # makes -0.0 equal to 0.0
    return None if narrow.min() < 0 else narrow.view(np.uint32)


def _linear_codes(score: Floats) -> Array | None:
    """Map scores to integers, of which none is lower than that of a lower score."""
    if len(np.unique(score[:_SAMPLE])) < len(score[:_SAMPLE]) - _FEW_EQUAL:
        return None
    low = score.min()
    with np.errstate(over="ignore"):
        span = score.max() - low
        scale = _HIGHEST_CODE / span if span > 0 else np.inf
    if not (np.isfinite(span) and np.isfinite(scale)):
        return None
    codes = score - low
    codes *= scale
    return codes.astype(np.int32).view(np.uint32)


def _rows_of(wanted: Array, codes: Array) -> Codes:
    """Return the rows whose code is among a few, sifted by its last bits first."""
    sieve = np.zeros(1 << 16, dtype=bool)
    sieve[wanted.astype(np.uint16)] = True
    rows = np.flatnonzero(sieve.take(codes.astype(np.uint16)))
    return rows[np.isin(codes[rows], wanted)]


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
