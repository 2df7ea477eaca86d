"""Sums over all pairs of a positive and a negative score."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ...._arrays import Array, Floats

# Pairs evaluated at once: 8 MB of differences stay near the cache and bound the memory.
_PAIRS_AT_ONCE = 1 << 20
# Up to so many pairs their gains are taken one by one (0.06 ms either way).
_FEW_PAIRS = 40_000
# Scores whose gaps, and positives whose gains, are taken together: their few arrays stay in a core's
# own cache.
_SCORES_AT_ONCE = 1 << 14
_POSITIVES_AT_ONCE = 1 << 14
# Runs of weights that grow side by side take a third of the time of one after another, and are more
# exact: no more than these numbers are added up in a row.
_FEW_WEIGHTS, _RUN, _RUNS_AT_ONCE = 1 << 12, 1 << 4, 1 << 12


def cumulative(weight: Array) -> Array:
    """Return the sums of the first 0, 1, ..., n weights; counts stay exact, as int64."""
    size = len(weight)
    if weight.dtype.kind in "bi":
        counts = np.empty(size + 1, dtype=np.int64)  # zeros would come in small pages
        counts[0] = 0
        weight.cumsum(out=counts[1:])
        return counts
    if size <= _FEW_WEIGHTS:
        return np.append(0.0, weight.cumsum())
    rows = -(-size // _RUN)
    sums = np.zeros(1 + rows * _RUN)
    sums[1 : size + 1] = weight
    runs, below = sums[1:].reshape(rows, _RUN), 0.0
    for start in range(0, rows, _RUNS_AT_ONCE):
        part = runs[start : start + _RUNS_AT_ONCE]
        for k in range(1, _RUN):
            part[:, k] += part[:, k - 1]
        part[1:] += part[:-1, -1].cumsum()[:, None]
        part += below
        below = part[-1, -1]
    return sums[: size + 1]


def sum_of_gaps(values: Floats, positive: Array, negative: Array) -> float:
    """Return the weighted sum of max(p - n, 0) from the weight of each class at each rising score.

    A gap between neighbouring scores counts once for every negative below and every positive above
    it: all terms are >= 0 and none cancels.
    """
    # sum_k (x_{k+1} - x_k) N_k P_{k+1}, with N_k the negatives up to x_k, P_k the positives from x_k on.
    if positive.dtype.kind == "f":
        sums = np.diff(values)
        sums *= cumulative(negative)[1:-1]
        sums *= cumulative(positive[::-1])[-2:0:-1]
        return float(sums.sum())
    partial, below, above = [], 0, int(positive.sum())
    for start in range(0, len(values) - 1, _SCORES_AT_ONCE):
        reached = values[start : start + _SCORES_AT_ONCE + 1]
        sums = reached[1:] - reached[:-1]
        part = slice(start, start + len(sums))
        # Running sums of integers take a fifth of the time of those of floats.
        lower = negative[part].cumsum(dtype=np.int64)
        lower += below
        higher = positive[part].cumsum(dtype=np.int64)
        np.subtract(above, higher, out=higher)
        below, above = int(lower[-1]), int(higher[-1])
        sums *= lower
        sums *= higher
        partial.append(sums.sum())
    # Exact over blocks, of which there may be many.
    return math.fsum(partial)


def sum_of_gains(
    positives: Floats, negatives: Floats, wp: Floats | None, wn: Floats | None
) -> float:
    """Return the weighted sum of max(p - n, 0); all arrays sorted by score.

    max(p - n, 0) is the step from n to the next
    positive and the gaps between positives from there to p. A step counts once for every positive
    above it, a gap also for every negative below it: all terms are >= 0 and none cancels.
    """
    if len(positives) * len(negatives) <= _FEW_PAIRS:
        gains = np.maximum(positives[:, None] - negatives, 0)
        per_positive = gains.sum(axis=1) if wn is None else gains @ wn
        return float(per_positive.sum() if wp is None else per_positive @ wp)
    # sum_i A_i (p_i - p_{i-1}) N(p_{i-1}) + sum over n_j in [p_{i-1}, p_i) of A_i w_j (p_i - n_j), with
    # A_i the weight of the positives from p_i on and N that of the negatives below.
    above = None if wp is None else cumulative(wp[::-1])[:0:-1]
    lighter = None if wn is None else cumulative(wn)
    partial, last, reached = [], positives[0], 0
    for start in range(0, len(positives), _POSITIVES_AT_ONCE):
        p = positives[start : start + _POSITIVES_AT_ONCE]
        left = len(positives) - start
        wins = np.arange(left, left - len(p), -1) if above is None else above[start:][: len(p)]
        ends = np.searchsorted(negatives, p)
        starts = np.append(reached, ends[:-1])
        gaps = np.diff(p, prepend=last)
        gaps *= starts if lighter is None else lighter.take(starts)
        gaps *= wins
        met = slice(reached, ends[-1])
        steps = np.repeat(p, ends - starts) - negatives[met]
        steps *= np.repeat(wins, ends - starts)
        partial += [gaps.sum(), (steps if wn is None else steps * wn[met]).sum()]
        last, reached = p[-1], ends[-1]
    return math.fsum(partial)


def sum_of_gains_above(
    positives: Floats,
    negatives: Floats,
    wp: Floats | None,
    wn: Floats | None,
    lowest: float,
    shift: float,
) -> float:
    """Return the weighted sum of max(p - n - shift, 0), shift >= 0; no score lies below `lowest`."""
    # Measured from the lowest score, so that lowering the positives loses no digit of the span.
    lowered = positives[np.searchsorted(positives, lowest + shift) :] - lowest
    lowered -= shift
    np.maximum(lowered, 0, out=lowered)
    if not len(lowered):
        return 0.0
    wp = None if wp is None else wp[len(wp) - len(lowered) :]
    reached = slice(np.searchsorted(negatives, positives[-1] - shift, side="right"))
    wn = None if wn is None else wn[reached]
    return sum_of_gains(lowered, negatives[reached] - lowest, wp, wn)


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
    # sum_i w_i N(p_i), with N(p) the weight of the negatives below p
    below = np.searchsorted(negatives, positives, side="left")
    won = below if wn is None else cumulative(wn)[below]
    return float((won if wp is None else wp * won).sum())
