"""Scores put in order once, together with their classes, and on a scale of which no sum overflows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._arrays import Array, Bools, Floats

# Between these spans a sum of differences over all pairs neither overflows nor meets denormal numbers.
_MODERATE = 2.0**-900, 2.0**900
# The exponent of a span beyond the largest float.
_BEYOND = 1025


def moderate_scale(lowest: Any, highest: Any) -> Any:
    """Return the exponent of 2 by which scores are multiplied so that their span is moderate.

    It is 0 where the span already is, so that nothing is lost and most scores stay as they are.
    """
    with np.errstate(over="ignore"):
        span = np.asarray(highest - lowest)
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
    keys = (size + 0.0).view(np.uint64) << np.uint64(1)  # + 0.0 makes -0.0 equal to 0.0
    keys |= truth
    keys.sort()
    return (keys >> np.uint64(1)).view(np.float64), (keys & np.uint64(1)).astype(bool)


def distinct_scores(
    score: Floats, truth: Bools, weight: Floats | None
) -> tuple[Floats, Array, Array]:
    """Return the distinct scores in rising order with the weight of each class at each.

    Weights that are not given count 1, and the sums are then integers (int8 where all scores differ).
    """
    if weight is None:
        values, positive = sort_with_truth(score, truth)
        positive, size = positive.view(np.int8), None
    else:
        order = np.argsort(score)
        values, weight = score[order], weight[order]
        positive, size = np.where(truth[order], weight, 0), weight
    first = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=first[1:])
    if first.all():
        if size is None:
            return values, positive, 1 - positive
        return values, positive, np.where(positive > 0, 0, size)
    starts = np.flatnonzero(first)
    if size is None:
        sums = np.add.reduceat(positive, starts, dtype=np.int64)
        return values[starts], sums, np.diff(starts, append=len(values)) - sums
    negative = np.where(positive > 0, 0, size)
    return values[starts], np.add.reduceat(positive, starts), np.add.reduceat(negative, starts)
