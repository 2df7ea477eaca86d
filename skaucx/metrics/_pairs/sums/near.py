"""What the fast pair sums share: exact shifts of scores, and pairs taken one by one in blocks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from ...._arrays import Array, Floats

# Sorted scores of one class with their weights, None where all weigh 1.
Side: TypeAlias = tuple[Floats, Floats | None]

# Pairs evaluated at once: their few arrays of 256 kB stay in a core's own cache.
_PAIRS_AT_ONCE = 1 << 15
# Of them, so many are written at once.
_PAIRS_TOGETHER = 1 << 14
# Ranges of one size are taken together, where there are many and none is longer.
_MANY_RANGES, _LONGEST_TOGETHER = 1 << 12, 1 << 8


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


def by_size(sizes: Array) -> Iterator[tuple[int, Array]]:
    """Yield each size above 0, 2^16 at most, with the places that have it."""
    order = np.argsort(sizes.astype(np.uint16), kind="stable")
    ends = np.cumsum(np.bincount(sizes)).tolist()
    for size, (start, stop) in enumerate(pairwise(ends), start=1):
        if stop > start:
            yield size, order[start:stop]


def sum_over_ranges(
    h: Callable[[Floats], Floats],
    positives: Side,
    negatives: Side,
    first: Array,
    last: Array,
) -> float:
    """Return the weighted sum of h(p - n) over each positive's negatives from first to last - 1."""
    sizes = last - first
    if len(sizes) < _MANY_RANGES or sizes.max() > _LONGEST_TOGETHER:
        pairs = _pairs_in_order(positives, negatives, first, sizes)
    else:
        pairs = _pairs_by_size(positives, negatives, first, sizes)
    return math.fsum(
        float((h(d) if weight is None else h(d) * weight).sum()) for d, weight in pairs
    )


def _pairs_in_order(p: Side, n: Side, first: Array, sizes: Array) -> Iterator[Side]:
    """Yield the differences and the weights of pairs, range by range."""
    ends = np.cumsum(sizes)
    cuts = np.searchsorted(ends, np.arange(_PAIRS_AT_ONCE, sizes.sum(), _PAIRS_AT_ONCE))
    for start, stop in zip([0, *cuts], [*cuts, len(ends)], strict=True):
        rows, size = slice(start, stop), sizes[start:stop]
        column = concatenated_ranges(first[rows], first[rows] + size)
        differences = np.repeat(p[0][rows], size) - n[0][column]
        of_p = None if p[1] is None else np.repeat(p[1][rows], size)
        of_n = None if n[1] is None else n[1][column]
        yield differences, of_p if of_n is None else of_n if of_p is None else of_p * of_n


def _pairs_by_size(p: Side, n: Side, first: Array, sizes: Array) -> Iterator[Side]:
    """Yield the differences and the weights of pairs, ranges of one size side by side."""
    used = 1 if p[1] is None and n[1] is None else 2
    pairs, filled = np.empty((used, _PAIRS_AT_ONCE)), 0

    def taken() -> Side:
        return pairs[0, :filled], pairs[1, :filled] if used > 1 else None

    for size, group in by_size(sizes):
        for rows in np.array_split(group, -(-len(group) * size // _PAIRS_TOGETHER)):
            column = first[rows] + np.arange(size)[:, None]
            if filled + column.size > _PAIRS_AT_ONCE:
                yield taken()
                filled = 0
            part = pairs[:used, filled : filled + column.size].reshape(used, *column.shape)
            np.subtract(p[0].take(rows), n[0].take(column), out=part[0])
            if used > 1:
                np.multiply(_taken(p[1], rows), _taken(n[1], column), out=part[1])
            filled += column.size
    yield taken()


def _taken(w: Floats | None, places: Array) -> Any:
    return 1.0 if w is None else w.take(places)
