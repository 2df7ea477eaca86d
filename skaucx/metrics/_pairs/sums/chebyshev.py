"""Chebyshev expansions of a function of the difference between two cells.

With places u and v in [-1, 1] inside two cells, h = sum over k, m of A[k, m] T_k(u) T_m(v). All pairs of
the cells then sum to <A, outer(M_p, M_n)>, where the moments M are the sums of T_0, T_1, ... over the
scores of a cell.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.polynomial import chebyshev

from ...._arrays import Array, Bools, Floats

# Of so few scores all terms at once take half the time of one after another.
_FEW_SCORES = 1 << 12


@lru_cache(maxsize=4)
def _interpolation(size: int, kind: type = np.float64) -> tuple[Floats, Floats]:
    """Return the nodes, and the matrix that turns values there into Chebyshev coefficients."""
    angles = (np.arange(size) + kind(0.5)) * np.arctan2(kind(0), kind(-1)) / size
    transform = np.cos(np.outer(np.arange(size), angles)) * 2 / size
    transform[0] /= 2
    return np.cos(angles), transform


def coefficients(
    h: Callable[[Floats], Floats], offsets: Array, size: int, width: float = 1.0
) -> tuple[Floats, Floats]:
    """Return h(width (D + (u - v) / 2)) at the nodes, and A, (offsets, size, size), for offsets D.

    They are as exact as the floats of the offsets.
    """
    kind = np.longdouble if np.asarray(offsets).dtype == np.longdouble else np.float64
    nodes, transform = _interpolation(size, kind)
    values = h(width * (np.asarray(offsets)[:, None, None] + (nodes[:, None] - nodes) / 2))
    return values, transform @ values @ transform.T


def expansions(
    h: Callable[[Floats], Floats], middles: Floats, width: float, size: int
) -> tuple[Floats, Floats]:
    """Return h at the nodes of ranges of one width, and its coefficients there, (ranges, size)."""
    nodes, transform = _interpolation(size)
    values = h(middles[:, None] + width / 2 * nodes)
    return values, values @ transform.T


def nodes_within(first: Floats, last: Floats, size: int) -> Floats:
    """Return the nodes of ranges in rising order, (ranges, size)."""
    nodes, _ = _interpolation(size)
    middle, half = (first + last) / 2, (last - first) / 2
    return np.asarray(middle[:, None] + half[:, None] * nodes[::-1])


def moments_of_cells(u: Floats, w: Floats | None, sizes: Array, count: int) -> Floats:
    """Return the sums of w T_0(u), w T_1(u), ... over the scores of each cell, (cells, count).

    The scores of cells follow each other; by T_{m+1}(u) = 2 u T_m(u) - T_{m-1}(u).
    """
    edges = np.append(0, np.cumsum(sizes))
    if len(u) <= _FEW_SCORES:
        return _moments_of_few(u, w, edges[:-1], sizes > 0, count)
    held = sizes > 0
    starts = edges[:-1][held]
    sums = np.empty((count, len(starts)))
    now = np.ones_like(u) if w is None else w.copy()
    after, double_u, product = u * now, 2 * u, np.empty_like(u)
    # now = w T_m(u), after = w T_{m+1}(u): three arrays, whatever the degree.
    for m in range(count):
        np.add.reduceat(now, starts, out=sums[m])
        np.multiply(double_u, after, out=product)
        np.subtract(product, now, out=now)
        now, after = after, now
    moments = np.zeros((len(sizes), count))
    moments[held] = sums.T
    return moments


def _moments_of_few(u: Floats, w: Floats | None, first: Array, held: Bools, count: int) -> Floats:
    """Return the moments from all terms at once, which are few enough to stay in a core's cache."""
    terms, double_u = np.empty((count, len(u))), 2 * u
    terms[0] = 1 if w is None else w
    np.multiply(u, terms[0], out=terms[1])
    for m in range(2, count):
        np.multiply(double_u, terms[m - 1], out=terms[m])
        terms[m] -= terms[m - 2]
    moments = np.zeros((len(first), count))
    if held.any():
        moments[held] = np.add.reduceat(terms, first[held], axis=1).T
    return moments


def polynomials(u: Floats, count: int) -> Floats:
    """Return T_0(u), T_1(u), ... of each score, (scores, count)."""
    values = np.empty((len(u), count))
    values[:, 0], values[:, 1] = 1, u
    for m in range(2, count):
        values[:, m] = 2 * u * values[:, m - 1] - values[:, m - 2]
    return values


@lru_cache(maxsize=4)
def shift(count: int) -> tuple[Floats, Floats]:
    """Return for each half of a cell the matrix of T_m((v -+ 1) / 2) = sum over k of S[k, m] T_k(v).

    Moments of a half times it are its part in those of the cell. By the recurrence of T_m; all entries
    are dyadic, so exact.
    """
    # T_{m+1}(x) = 2 x T_m(x) - T_{m-1}(x) at x = (v + side) / 2, in coefficients of T_k(v).
    blocks = []
    for side in (-1.0, 1.0):
        rows = [np.array([1.0]), np.array([side / 2, 0.5])]
        while len(rows) < count:
            rows.append(chebyshev.chebsub(chebyshev.chebmul([side, 1.0], rows[-1]), rows[-2]))
        blocks.append(np.transpose([np.pad(row, (0, count - len(row))) for row in rows]))
    return blocks[0], blocks[1]
