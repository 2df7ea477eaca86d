"""Floats as integers in the same order, so that leading bits of a score name a cell that holds it."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ..._arrays import Array, Floats

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
    return np.where(codes & _SIGN, codes ^ _SIGN, ~codes).view(np.float64)


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
