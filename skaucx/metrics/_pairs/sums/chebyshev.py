"""Chebyshev expansions of a function of the difference between two cells.

With places u and v in [-1, 1] inside two cells, h = sum over k, m of A[k, m] T_k(u) T_m(v). All pairs of
the cells then sum to <A, outer(M_p, M_n)>, where the moments M are the sums of T_0, T_1, ... over the
scores of a cell.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy import sparse

from ...._arrays import Array, Floats


@lru_cache(maxsize=4)
def _interpolation(size: int) -> tuple[Floats, Floats]:
    """Return the nodes, and the matrix that turns values there into Chebyshev coefficients."""
    angles = (np.arange(size) + 0.5) * np.pi / size
    transform = np.cos(np.outer(np.arange(size), angles)) * 2 / size
    transform[0] /= 2
    return np.cos(angles), transform


def coefficients(h: Callable[[Floats], Floats], offsets: Array, size: int) -> Floats:
    """Return A of h(D + (u - v) / 2) for each offset D, of shape (offsets, size, size)."""
    nodes, transform = _interpolation(size)
    values = h(np.asarray(offsets)[:, None, None] + (nodes[:, None] - nodes) / 2)
    return transform @ values @ transform.T


def moments_of_cells(u: Floats, w: Floats | None, sizes: Array, count: int) -> Floats:
    """Return the sums of w T_0(u), w T_1(u), ... over the scores of each cell, (cells, count).

    The scores of cells follow each other; by T_{m+1}(u) = 2 u T_m(u) - T_{m-1}(u).
    """
    edges = np.append(0, np.cumsum(sizes))
    weights = np.ones(len(u)) if w is None else w
    sums = sparse.csr_array((weights, np.arange(len(u)), edges), shape=(len(sizes), len(u)))
    moments = np.empty((len(sizes), count))
    before, now, double_u = np.ones_like(u), u.copy(), 2 * u
    for m in range(count):
        moments[:, m] = sums @ before
        np.subtract(double_u * now, before, out=before)
        before, now = now, before
    return moments
