"""Scores put in order once, together with their classes, and on a scale of which no sum overflows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._arrays import Array, Bools, Floats
from ..._threads import in_threads, threads_for

# Between these spans a sum of differences over all pairs neither overflows nor meets denormal numbers.
_MODERATE = 2.0**-900, 2.0**900
_HALVED = 2.0**-901, 2.0**899
# So few scores are put in order together with their rows sooner than together with their classes.
_FEW_SCORES = 1 << 9
# Scores taken together: their few arrays stay in a core's own cache.
_AT_ONCE = 1 << 16
# So few are put in order sooner by NumPy's own sort of rows.
_FEW_ORDERED = 1 << 12
# Fewer descents leave runs that a stable sort merges, many times as fast.
_FEW_RUNS = 1 << 3
_ALL_BUT_SIGN = np.int64(2**63 - 1)
# The exponent of a span beyond the largest float.
_BEYOND = 1025


def moderate_scale(lowest: Any, highest: Any) -> Any:
    """Return the exponent of 2 by which scores are multiplied so that their span is moderate.

    It is 0 where the span already is, so that nothing is lost and most scores stay as they are.
    """
    if isinstance(highest, float) and _HALVED[0] < highest / 2 - lowest / 2 < _HALVED[1]:
        return 0
    with np.errstate(over="ignore"):
        span = np.asarray(highest - lowest)
    if span.size and span.min() >= _MODERATE[0] and span.max() <= _MODERATE[1]:
        return np.zeros(span.shape, dtype=np.intp)
    extreme = (span > 0) & ((span < _MODERATE[0]) | (span > _MODERATE[1]))
    exponent = np.where(np.isinf(span), _BEYOND, np.frexp(span)[1])
    return np.where(extreme, -exponent, 0)


def sort_with_truth(score: Floats, truth: Bools) -> tuple[Floats, Bools]:
    """Return the scores in rising order with their classes.

    The bits of a float >= 0 rise with its value and leave the sign bit free, so one sort of
    (bits, class) as an integer orders both at once; scores < 0 are sorted by size and turned round.
    """
    if score.size and score.min() < 0:
        below = score < 0
        sizes, low_truth = _sort_sizes(-np.compress(below, score), np.compress(below, truth))
        high, high_truth = _sort_sizes(np.compress(~below, score), np.compress(~below, truth))
        return np.concatenate([-sizes[::-1], high]), np.concatenate([low_truth[::-1], high_truth])
    return _sort_sizes(score, truth)


def _sort_sizes(size: Floats, truth: Bools) -> tuple[Floats, Bools]:
    keys, in_order = np.empty(len(size), dtype=np.uint64), np.empty(len(size), dtype=bool)

    def put_together(rows: slice) -> None:
        part = keys[rows]
        np.add(size[rows], 0.0, out=part.view(np.float64))  # + 0.0 makes -0.0 equal to 0.0
        part <<= np.uint64(1)
        part |= truth[rows]

    def take_apart(rows: slice) -> None:
        part = keys[rows]
        np.not_equal(part & np.uint64(1), np.uint64(0), out=in_order[rows])
        part >>= np.uint64(1)

    threads = threads_for(len(keys))
    blocks = [slice(start, start + _AT_ONCE) for start in range(0, len(keys), _AT_ONCE)]
    in_threads(put_together, blocks, threads)
    sort_in_place(keys)
    in_threads(take_apart, blocks, threads)
    return keys.view(np.float64), in_order


def sort_in_place(keys: Array) -> None:
    """Sort an array, of many numbers in as many threads as joblib's configuration allows."""
    threads = threads_for(len(keys))
    edges = len(keys) * np.arange(1, threads) // threads
    if threads > 1:
        keys.partition(edges)
    in_threads(np.ndarray.sort, np.split(keys, edges), threads)


def rising_rows(score: Floats) -> tuple[Array, Floats]:
    """Return the rows of scores in rising order, and the scores in that order.

    The integers that rise with the scores are sorted with the row in their last bits; bits without
    room are compared where they matter. Few rising runs, as of scores counted class by class, are
    merged.
    """
    size = len(score)
    few = size <= _FEW_ORDERED
    if few or np.count_nonzero(score[1:] < score[:-1]) < _FEW_RUNS:
        order = score.argsort(kind=None if few else "stable")
        return order, score.take(order) + 0.0
    image = (score + 0.0).view(np.int64)  # + 0.0 makes -0.0 equal to 0.0
    if image.min() < 0:
        image ^= (image >> 63) & _ALL_BUT_SIGN
    keys = image.view(np.uint64) - image.min().view(np.uint64)
    room = np.uint64((size - 1).bit_length())
    dropped = max(0, int(keys.max()).bit_length() + int(room) - 64)
    keys >>= np.uint64(dropped)
    keys <<= room
    keys |= np.arange(size, dtype=np.uint64)
    sort_in_place(keys)
    order = (keys & ((np.uint64(1) << room) - np.uint64(1))).view(np.int64)
    values = score.take(order)
    if dropped and (values[1:] < values[:-1]).any():
        keys >>= room
        alike = keys[1:] == keys[:-1]
        rows = np.flatnonzero(np.append(alike, False) | np.append(False, alike))
        order[rows] = order[rows[np.lexsort((values[rows], keys[rows]))]]
        values = score.take(order)
    values += 0.0
    return order, values


def distinct_scores(
    score: Floats, truth: Bools, weight: Floats | None
) -> tuple[Floats, Array, Array]:
    """Return the distinct scores in rising order with the weight of each class at each.

    Weights that are not given count 1, and the sums are then integers (int8 where all scores differ).
    """
    if weight is None and len(score) > _FEW_SCORES:
        values, truth = sort_with_truth(score, truth)
    else:
        order, values = rising_rows(score)
        truth = truth.take(order)
        weight = None if weight is None else weight.take(order)
    rises = values[1:] != values[:-1]
    positive: Array
    negative: Array
    if weight is None:
        positive, negative, kind = truth.view(np.int8), (~truth).view(np.int8), np.int64
    else:
        positive, kind = weight * truth, None
        negative = weight - positive
    if rises.all():
        return values, positive, negative
    starts = np.concatenate([[0], rises.nonzero()[0] + 1])
    sums = [np.add.reduceat(side, starts, dtype=kind) for side in (positive, negative)]
    return values[starts], sums[0], sums[1]
