"""Sums over all positive-negative pairs: numerics only, no metric is known here."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ._arrays import Array, Floats

# Pairs evaluated at once: 8 MB of differences stay near the cache and bound the memory.
_PAIRS_AT_ONCE = 1 << 20
# Terms added one after another before the partial sums are added: keeps 1e7 of them exact to 1e-13.
_BLOCK = 1024


def cumulative(weight: Array) -> Array:
    """Return the sums of the first 0, 1, ..., n weights; integers stay exact, as int64."""
    size, counts = len(weight), weight.dtype.kind == "i"
    sums = np.zeros(size + 1, dtype=np.int64 if counts else np.float64)
    if size <= _BLOCK or counts:
        np.cumsum(weight, out=sums[1:])
        return sums
    blocks = -(-size // _BLOCK)
    padded = np.zeros(blocks * _BLOCK)
    padded[:size] = weight
    within = np.cumsum(padded.reshape(blocks, _BLOCK), axis=1)
    before = np.zeros((blocks, 1))
    np.cumsum(within[:-1, -1], out=before[1:, 0])
    sums[1:] = (within + before).ravel()[:size]
    return sums


def sum_of_gains(values: Floats, positive: Array, negative: Array) -> float:
    """Return the weighted sum of max(p - n, 0) over scores in rising order.

    max(p - n, 0) is the sum of the gaps between neighbours from n to p, so a gap counts once for
    every negative below and positive above it: all terms are >= 0 and none cancels.
    """
    terms = np.diff(values)
    terms *= cumulative(negative)[1:-1]
    terms *= cumulative(positive[::-1])[-2:0:-1]
    return float(terms.sum())


def sum_of_shifted_gains(values: Floats, positive: Array, negative: Array, shift: float) -> float:
    """Return the weighted sum of max(p - shift - n, 0), shift >= 0, over scores in rising order."""
    # Measured from the lowest score, so that lowering the positives loses no digit of the span.
    height = values - values[0]
    high, low = np.searchsorted(height, [shift, height[-1] - shift])
    lowered, wins = _held(height[high:], positive[high:])
    raised, losses = _held(height[:low], negative[:low])
    merged = np.concatenate([raised, lowered - shift])
    order = np.argsort(merged, kind="stable")  # two sorted runs: merged in linear time
    wins = np.concatenate([np.zeros(len(raised), dtype=wins.dtype), wins])
    losses = np.concatenate([losses, np.zeros(len(lowered), dtype=losses.dtype)])
    return sum_of_gains(merged[order], wins[order], losses[order])


def _held(values: Floats, weight: Array) -> tuple[Floats, Array]:
    """Return the scores that a class has, and what it weighs there."""
    return np.compress(weight, values), np.compress(weight, weight)


def sum_over_pairs(
    h: Callable[[Floats], Floats],
    positives: Floats,
    negatives: Floats,
    wp: Floats | None = None,
    wn: Floats | None = None,
) -> float:
    """Return the weighted sum of h(p - n) over all pairs, in blocks of bounded memory."""
    rows = max(1, _PAIRS_AT_ONCE // max(1, len(negatives)))
    partial = []
    for start in range(0, len(positives), rows):
        block = slice(start, start + rows)
        for low in range(0, len(negatives), _PAIRS_AT_ONCE):
            columns = slice(low, low + _PAIRS_AT_ONCE)
            values = h(positives[block, None] - negatives[None, columns])
            if wn is not None:
                values = values * wn[columns]
            per_positive = values.sum(axis=1)
            partial.append(float((per_positive if wp is None else wp[block] * per_positive).sum()))
    return math.fsum(partial)


def sum_of_wins(
    positives: Floats, negatives: Floats, wp: Floats | None, wn: Floats | None
) -> float:
    """Return the weight of the pairs with p > n; all arrays sorted by score."""
    below = np.searchsorted(negatives, positives, side="left")
    won = below if wn is None else cumulative(wn)[below]
    return float((won if wp is None else wp * won).sum())
