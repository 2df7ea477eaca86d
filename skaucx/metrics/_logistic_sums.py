"""Sums of 1 / (1 + exp(-beta d)) over all positive-negative pairs, d = p - n, in near-linear time.

The scores fall into cells of one width W, a power of two with s = beta W in (1, 2]. With places u and
v in [-1, 1] inside two cells that lie D cells apart, the summand is smooth,

    sigma(beta d) = sigma(s (D + (u - v) / 2)) = sum over m, n of A_D[m, n] T_m(u) T_n(v),

so all pairs of the two cells sum to <A_D, outer(M_p, M_n)>, where M holds the sums of T_0, T_1, ...
over the scores of a cell. Pairs of cells further apart count 1 or, proven too small to matter, 0.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev
from scipy import special

from ._inputs import Array, Floats
from ._pair_sums import running_sums, sum_over_pairs

# Up to so many pairs their plain sum is quicker (measured at beta 7: 1.0 ms either way).
_FEW_PAIRS = 100_000
# Chebyshev moments of a cell: the poles at beta d = +-i pi leave an error of 6.4^-18 = 3e-15.
_MOMENTS = 18
# Beyond this beta d the summand is 1 or exp(beta d) to the last digit of a float64.
_SATURATED = 38.0
# What may be neglected, relative to the sum.
_NEGLIGIBLE = 1e-17
# Cells with fewer scores on average take their moments score by score, others by Taylor's way.
_CROWDED = 256
# Scores in a fine cell, on average: fewer cost more in edges than they save in Taylor terms.
_FINE_SCORES = 64
# Finest split of a cell: there four Taylor terms reach 1e-15.
_FINEST = 2048
# Cells taken together: products of 18 x 512 x 18 stay below where BLAS starts threads.
_CELLS_AT_ONCE = 512
# Largest float quotient span / W that the grid takes; beyond it scores go pair by pair.
_WIDEST = 1e300


class _Cells(NamedTuple):
    """Occupied cells of one class, in rising order."""

    ids: Floats
    starts: Array
    weight: Floats

    def between(self, low: float, high: float) -> slice:
        """Return the range of the cells with low <= id < high."""
        first, last = np.searchsorted(self.ids, (low, high))
        return slice(int(first), int(last))


def sum_of_logistics(
    positives: Floats, negatives: Floats, wp: Floats | None, wn: Floats | None, beta: float
) -> float:
    """Return the weighted sum of 1 / (1 + exp(-beta (p - n))); all arrays sorted by score."""
    low, high = min(positives[0], negatives[0]), max(positives[-1], negatives[-1])
    step = 2.0 ** math.floor(math.log2(2 / beta))
    if len(positives) * len(negatives) <= _FEW_PAIRS or not high / _WIDEST - low / _WIDEST < step:
        with np.errstate(over="ignore"):
            return sum_over_pairs(lambda d: special.expit(beta * d), positives, negatives, wp, wn)
    origin = exact_origin(low, high)
    x, y = (positives - origin) / step, (negatives - origin) / step
    s = beta * step
    if s * (x[-1] - y[0]) < -_SATURATED:
        return _sum_of_exponentials(x, y, wp, wn, s)
    p_cells, n_cells = _occupied(x, wp), _occupied(y, wn)
    farthest = 1 + math.ceil(_SATURATED / s)
    ones = _weight_apart(p_cells, n_cells, farthest)
    offsets = np.arange(_lowest_offset(x, y, wp, wn, p_cells, n_cells, s), farthest + 1)
    tables = _tables(s, offsets)
    near = [
        _near_sum(_in_cells(x, wp, p_cells, p), _in_cells(y, wn, n_cells, n), offsets, tables)
        for p, n in _batches(p_cells, n_cells, int(offsets[0]), farthest)
    ]
    return math.fsum([ones, *near])
