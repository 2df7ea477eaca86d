"""What the fast pair sums share: exact shifts of scores, and pairs taken one by one in blocks."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from ...._arrays import Array, Floats

# Sorted scores of one class with their weights, None where all weigh 1.
Side: TypeAlias = tuple[Floats, Floats | None]

# Pairs evaluated at once: their few arrays of 256 kB stay in a core's own cache.
_PAIRS_AT_ONCE = 1 << 15


def exact_origin(low: float, high: float) -> float:
    """Return a score that subtracts exactly from all in [low, high]: an end of it, or 0."""
    if low > 0 and high <= 2 * low:
        return low
    return high if high < 0 and low >= 2 * high else 0.0


def concatenated_ranges(first: Array, last: Array) -> Array:
    """Return first[0], ..., last[0] - 1, first[1], ..., last[1] - 1, and so on."""
    sizes = last - first
    ends = np.cumsum(sizes)
    places = np.repeat(last - ends, sizes)
    places += np.arange(len(places))
    return places


def sum_over_ranges(
    h: Callable[[Floats], Floats],
    positives: Side,
    negatives: Side,
    first: Array,
    last: Array,
) -> float:
    """Return the weighted sum of h(p - n) over each positive's negatives from first to last - 1."""
    (p, wp), (n, wn) = positives, negatives
    sizes = last - first
    ends = np.cumsum(sizes)
    cuts = np.searchsorted(ends, np.arange(_PAIRS_AT_ONCE, sizes.sum(), _PAIRS_AT_ONCE))
    partial = []
    for start, stop in zip([0, *cuts], [*cuts, len(ends)], strict=True):
        rows, size = slice(start, stop), sizes[start:stop]
        column = concatenated_ranges(first[rows], last[rows])
        differences = np.repeat(p[rows], size)
        differences -= n.take(column)
        values = h(differences)
        if wn is not None:
            values *= wn.take(column)
        if wp is not None:
            values *= np.repeat(wp[rows], size)
        partial.append(float(values.sum()))
    return math.fsum(partial)
