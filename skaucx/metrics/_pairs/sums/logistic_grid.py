"""Sums of 1 / (1 + exp(-beta d)) over all positive-negative pairs, d = p - n, in near-linear time.

The scores fall into cells of one width W, a power of two with s = beta W in (1, 2]. With places u and
v in [-1, 1] inside two cells that lie D cells apart, the summand is smooth,

    sigma(beta d) = sigma(s (D + (u - v) / 2)) = sum over m, n of A_D[m, n] T_m(u) T_n(v),

so all pairs of the two cells sum to <A_D, outer(M_p, M_n)>, where M holds the sums of T_0, T_1, ...
over the scores of a cell. Pairs of cells further apart count 1 or, proven too small to matter, 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev
from scipy import special

from ...._arrays import Array, Floats
from .cell_pairs import (
    Side,
    coefficients,
    exact_origin,
    moments_of_cells,
    sum_over_ranges,
    weights_of,
)
from .elementary import cumulative, sum_over_pairs

# Up to so many pairs their plain sum is quicker (0.4 ms either way at beta 7) ...
_FEW_PAIRS = 40_000
# ... or up to so many if exp(beta d) is a product of two powers (0.4 ms as well), which costs digits
# where beta d exceeds this.
_FEW_PRODUCTS = 200_000
_WIDEST_PRODUCT = 32.0
# Chebyshev moments of a cell: the poles at beta d = +-i pi leave an error below 6.4^-18 = 3e-15.
_MOMENTS = 18
# Beyond this beta d the summand is 1 or exp(beta d) to the last digit of a float64.
_SATURATED = 38.0
# What may be left out, relative to the sum.
_NEGLIGIBLE = 1e-17
# Scores in a fine cell, on average: fewer cost more in edges than they save in Taylor terms.
_FINE_SCORES = 64
# Cells that allow for fewer fine cells take their moments score by score.
_LEAST_FINE = 4
# Finest split of a cell: there four Taylor terms reach 1e-15.
_FINEST = 2048
# So few neighbouring cells are all met at once.
_FEW_CELLS = 8
# Of so few scores those of both classes are taken together.
_FEW_SCORES = 1 << 12
# Cells taken together: products of 18 x 512 x 18 stay below where BLAS starts threads.
_CELLS_AT_ONCE = 512
# A cell and its neighbours within reach cost as much as so many pairs one by one (4 us).
_PAIRS_A_CELL = 200
# Cell numbers are exact below.
_MOST_CELLS = 2.0**51
# Scores divided by W stay finite below.
_WIDEST = 1e300


class _Side(NamedTuple):
    """One class: sorted scores in units of W, their weights, and the cells that they occupy."""

    x: Floats
    w: Floats | None
    ids: Floats
    starts: Array
    cell_weights: Floats


def sum_of_logistics(
    positives: Floats, negatives: Floats, wp: Floats | None, wn: Floats | None, beta: float
) -> float:
    """Return the weighted sum of 1 / (1 + exp(-beta (p - n))); all arrays sorted by score."""
    low, high = min(positives[0], negatives[0]), max(positives[-1], negatives[-1])
    if len(positives) * len(negatives) <= _FEW_PRODUCTS and beta * (high - low) <= _WIDEST_PRODUCT:
        return _sum_of_products(positives, negatives, wp, wn, beta)
    width = 2.0 ** math.floor(math.log2(2 / beta))
    finite = max(-low, high) / _WIDEST < width
    if len(positives) * len(negatives) <= _FEW_PAIRS or not finite:
        with np.errstate(over="ignore"):
            return sum_over_pairs(lambda d: special.expit(beta * d), positives, negatives, wp, wn)
    origin = exact_origin(low, high)
    x, y = (positives - origin) / width, (negatives - origin) / width
    s = beta * width
    if s * (x[-1] - y[0]) <= -_SATURATED:
        return _sum_of_exponentials(x, y, wp, wn, s)
    lowest, highest = (math.floor(end) for end in (min(x[0], y[0]), max(x[-1], y[-1])))
    if highest - lowest < _FEW_CELLS:
        return _sum_of_few_cells((x, wp), (y, wn), np.arange(lowest, highest + 1.0), s)
    return _sum_by_reach(_side(x, wp), _side(y, wn), s)


def _sum_of_products(
    p: Floats, n: Floats, wp: Floats | None, wn: Floats | None, beta: float
) -> float:
    """Return the sum of 1 / (1 + exp(-beta p) exp(beta n)), pair by pair."""
    # One exponential a score instead of one a pair; about the middle neither factor overflows.
    middle = max(p[-1], n[-1]) / 2 + min(p[0], n[0]) / 2
    values = np.exp(beta * (middle - p))[:, None] * np.exp(beta * (n - middle))
    values += 1
    np.reciprocal(values, out=values)
    per_positive = values.sum(axis=1) if wn is None else values @ wn
    return float(per_positive.sum() if wp is None else per_positive @ wp)


def _sum_of_exponentials(
    x: Floats, y: Floats, wp: Floats | None, wn: Floats | None, s: float
) -> float:
    """Return the sum of exp(s (x - y)), which the summand is where all x lie far below all y."""
    # The greatest factor stands outside, so that the others are at most 1.
    of_x, of_y = np.exp(s * (x - x[-1])), np.exp(s * (y[0] - y))
    sums = [v.sum() if w is None else (v * w).sum() for v, w in ((of_x, wp), (of_y, wn))]
    return float(math.exp(s * (x[-1] - y[0])) * sums[0] * sums[1])


def _sum_of_few_cells(p: Side, n: Side, ids: Floats, s: float) -> float:
    """Return the sum over all pairs of a few cells, at all offsets in one product."""
    starts = [np.searchsorted(x, ids) for x, _ in (p, n)]
    if len(p[0]) + len(n[0]) <= _FEW_SCORES:
        (x, wp), (y, wn) = p, n
        sizes = [np.diff(at, append=len(z)) for at, z in zip(starts, (x, y), strict=True)]
        held = np.concatenate([x, y])
        weighted = wp is not None or wn is not None
        w = np.concatenate([weights_of(p), weights_of(n)]) if weighted else None
        moments = moments_of_cells(_places(held), w, np.concatenate(sizes), _MOMENTS)
        of_p, of_n = moments.reshape(2, -1)
    else:
        of_p, of_n = (
            _moments_between(*side, ids, at).ravel()
            for side, at in zip((p, n), starts, strict=True)
        )
    return float(of_p @ _all_tables(s, len(ids)) @ of_n)


def _side(x: Floats, w: Floats | None) -> _Side:
    cell = np.floor(x)
    starts = np.concatenate([[0], np.flatnonzero(cell[1:] != cell[:-1]) + 1])
    weights = np.diff(starts, append=len(x)) if w is None else np.add.reduceat(w, starts)
    return _Side(x, w, cell[starts], np.append(starts, len(x)), weights.astype(np.float64))


def _sum_by_reach(p: _Side, n: _Side, s: float) -> float:
    """Sum the pairs that lie beyond reach by counting, the others one by one or cell by cell."""
    lowest, highest = _lowest_offset(p, n, s), 1 + math.ceil(_SATURATED / s)
    wide = max(-p.x[0], -n.x[0], p.x[-1], n.x[-1]) > _MOST_CELLS
    if wide or (len(p.ids) + len(n.ids)) * _LEAST_FINE > len(p.x) + len(n.x):
        first = np.searchsorted(n.x, p.x - highest)
        last = np.searchsorted(n.x, p.x - lowest)
        if wide or (last - first).sum() <= _PAIRS_A_CELL * (len(p.ids) + len(n.ids)):
            below = first if n.w is None else cumulative(n.w)[first]
            ones = float((below if p.w is None else p.w * below).sum())
            return ones + sum_over_ranges(
                lambda d: special.expit(s * d), (p.x, p.w), (n.x, n.w), first, last
            )
    near = _sum_by_cells(p, n, s, range(lowest, highest + 1))
    return math.fsum([_weight_apart(p, n, highest), *near])


def _weight_apart(p: _Side, n: _Side, offset: int) -> float:
    """Return the weight of the pairs whose cells lie more than `offset` apart."""
    below = cumulative(n.cell_weights)[np.searchsorted(n.ids, p.ids - offset)]
    return float((p.cell_weights * below).sum())


def _lowest_offset(p: _Side, n: _Side, s: float) -> int:
    """Return the offset of cells below which all pairs together are negligible.

    The sum is at least the summand of the highest positive and the lowest negative, and at least
    half the weight of the pairs with d > 0; a pair at offset D adds less than exp(s (D + 1)).
    """
    top = special.expit(s * (p.x[-1] - n.x[0]))
    top *= (1 if p.w is None else p.w[-1]) * (1 if n.w is None else n.w[0])
    least = max(top, _weight_apart(p, n, 0) / 2, np.finfo(np.float64).tiny)
    total = p.cell_weights.sum() * n.cell_weights.sum()
    return math.floor(math.log(_NEGLIGIBLE * least / total) / s) - 1


def _sum_by_cells(p: _Side, n: _Side, s: float, offsets: range) -> Iterator[float]:
    """Yield the sums over the pairs of cells at the given offsets, in batches of cells."""
    low = int(max(offsets[0], p.ids[0] - n.ids[-1]))
    high = int(min(offsets[-1], p.ids[-1] - n.ids[0]))
    tables = _tables(s, low, high)
    cells = np.union1d(p.ids, n.ids)
    for first in range(0, len(cells), _CELLS_AT_ONCE):
        batch = cells[first : first + _CELLS_AT_ONCE]
        of_p = slice(*np.searchsorted(p.ids, (batch[0], batch[-1] + 1)))
        of_n = slice(*np.searchsorted(n.ids, (batch[0] - high, batch[-1] - low + 1)))
        if of_p.stop > of_p.start and of_n.stop > of_n.start:
            moments = _moments(p, of_p), _moments(n, of_n)
            for offset, table in zip(range(low, high + 1), tables, strict=True):
                # <A_D, sum of outer(M_p, M_n)> over the pairs of cells at the offset D
                ids = n.ids[of_n]
                at = np.searchsorted(ids[:-1], p.ids[of_p] - offset)
                met = ids[at] == p.ids[of_p] - offset
                yield float((table * (moments[0][met].T @ moments[1][at[met]])).sum())


@lru_cache(maxsize=4)
def _tables(s: float, low: int, high: int) -> Floats:
    """Return the Chebyshev coefficients A_D of sigma(s (D + (u - v) / 2)) for D from low to high."""
    return coefficients(lambda d: special.expit(s * d), np.arange(low, high + 1), _MOMENTS)[1]


@lru_cache(maxsize=4)
def _all_tables(s: float, cells: int) -> Floats:
    """Return the coefficients between all pairs of so many neighbouring cells, as one matrix."""
    tables, rows = _tables(s, 1 - cells, cells - 1), np.arange(cells)
    blocks = tables[rows[:, None] - rows + cells - 1]
    return blocks.transpose(0, 2, 1, 3).reshape(cells * _MOMENTS, -1)


def _moments(side: _Side, cells: slice) -> Floats:
    """Return the sums of w T_0(u), w T_1(u), ... in each of a range of cells."""
    ids, starts = side.ids[cells], side.starts[cells]
    inside = slice(starts[0], side.starts[cells.stop])
    w = None if side.w is None else side.w[inside]
    return _moments_between(side.x[inside], w, ids, starts - starts[0])


def _moments_between(x: Floats, w: Floats | None, ids: Floats, starts: Array) -> Floats:
    """Return the moments of rising cells, of which each begins at a place among the scores."""
    fine = len(x) // (len(ids) * _FINE_SCORES)
    if fine < _LEAST_FINE:
        return moments_of_cells(_places(x), w, np.diff(starts, append=len(x)), _MOMENTS)
    return _moments_by_taylor(x, w, ids, min(1 << fine.bit_length() - 1, _FINEST))


def _places(x: Floats) -> Floats:
    """Return the places of scores within their cells, from -1 to 1."""
    return 2 * (x - np.floor(x)) - 1


def _moments_by_taylor(x: Floats, w: Floats | None, ids: Floats, split: int) -> Floats:
    """Return the moments from the sums of w t^k, k = 0, 1, ..., in `split` fine cells a cell."""
    edges = (ids[:, None] + np.arange(split) / split).ravel()
    starts = np.searchsorted(x, edges)
    filled = np.flatnonzero(np.diff(starts, append=len(x)))
    t = x * split
    t -= np.floor(t) + 0.5
    lift = _lift(split)
    sums = np.zeros((len(lift), len(edges)))
    term = np.ones_like(x) if w is None else w.copy()
    for k in range(len(lift)):
        sums[k, filled] = np.add.reduceat(term, starts[filled])
        term *= t
    return np.einsum("kcf,kfm->cm", sums.reshape(len(lift), len(ids), split), lift)


@lru_cache(maxsize=16)
def _lift(split: int) -> Floats:
    """Return the Taylor coefficients [k, f, m] of T_m about the centre of fine cell f.

    The summand's own term k is below (1 / (pi split))^k; those below 1e-15 are left out.
    """
    terms = math.ceil(math.log(1e15) / math.log(math.pi * split))
    centres = (2 * np.arange(split) + 1) / split - 1
    polynomials: Array = np.eye(_MOMENTS)
    lift = np.empty((terms, split, _MOMENTS))
    for k in range(terms):
        lift[k] = chebyshev.chebval(centres, polynomials).T
        # At centre + 2 t / split the k-th derivative counts (2 t / split)^k / k!, t in [-1/2, 1/2].
        polynomials = chebyshev.chebder(polynomials, scl=2 / split / (k + 1))
    return lift
