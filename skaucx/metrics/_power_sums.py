"""Sums of (p - n)^q over the positive-negative pairs with p > n, in near-linear time.

The scores, scaled to a span below 1, fall into cells that halve from level to level. A cell of
positives meets the same cell of negatives and its left neighbour; such a pair is summed score by
score where it holds few and split otherwise. The halves that lie D = 2 or 3 cells of width w apart,
with places u and v in [-1, 1] inside them, see a smooth and homogeneous summand,

    d^q = w^q (D + (u - v) / 2)^q = w^q sum over k, m of A_D[k, m] T_k(u) T_m(v),

so all their pairs sum to w^q <A_D, outer(M_p, M_n)>, where M holds the sums of T_0, T_1, ... over the
scores of a cell; the M of a cell follow from those of its halves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev
from scipy import sparse

from ._arrays import Array, Bools, Floats
from ._near_pairs import Side, exact_origin, sum_over_ranges
from ._pair_sums import sum_of_wins

# Up to so many pairs their plain sum is quicker (1.8 ms either way).
_FEW_PAIRS = 200_000
# Two cells with at most so many pairs are summed score by score: quickest from 1e4 to 1e6 scores.
_CROWD = 160
# Chebyshev moments of a cell: an error of 4e-15 with 16, 6e-13 with 14.
_MOMENTS = 16
# Above this power the expansion loses digits (8e-15 at 10, 3e-11 at 20): pair by pair.
_HIGHEST_POWER = 10
# Halvings before the width of a cell nears the smallest floats.
_DEEPEST = 1000
# Scores whose moments are taken together: their few arrays stay in a core's own cache.
_SCORES_AT_ONCE = 1 << 14
# Rows in one matrix product: 32 x 128 x 32 stays below where BLAS starts threads.
_ROWS_AT_ONCE = 128


class _Cells(NamedTuple):
    """The cells of one class at one level: their ids, their scores' ranges, and which are split."""

    ids: Floats
    first: Array
    last: Array
    split: Bools

    @property
    def sizes(self) -> Array:
        """How many scores each cell holds."""
        return self.last - self.first

    @property
    def places_when_split(self) -> Array:
        """For each split cell, its place among the split ones."""
        return np.cumsum(self.split) - 1


class _Pairs(NamedTuple):
    """Pairs of cells: places among the positives' cells, the negatives', and how far apart."""

    p: Array
    n: Array
    offset: Array

    def only(self, chosen: Bools) -> _Pairs:
        """Return the chosen pairs."""
        return _Pairs(self.p[chosen], self.n[chosen], self.offset[chosen])


class _Level(NamedTuple):
    """One level of the tree: the cells of both classes, the pairs summed directly and those split."""

    p: _Cells
    n: _Cells
    direct: _Pairs
    split: _Pairs


def sum_of_powers(
    positives: Floats, negatives: Floats, wp: Floats | None, wn: Floats | None, q: float
) -> float:
    """Return the weighted sum of (p - n)^q over the pairs with p > n; all arrays sorted by score."""
    if q == 0:
        return sum_of_wins(positives, negatives, wp, wn)
    low, high = min(positives[0], negatives[0]), max(positives[-1], negatives[-1])
    origin = exact_origin(low, high)
    # The scale is a power of two above the span, by its roots: it may itself exceed the floats.
    exponent = math.frexp(high / 2 - low / 2)[1] + 1
    roots = 2.0 ** (exponent // 2), 2.0 ** (exponent - exponent // 2)
    p = _distinct((positives - origin) / roots[0] / roots[1], wp)
    n = _distinct((negatives - origin) / roots[0] / roots[1], wn)
    total = _sum_of_scaled(p, n, q)
    with np.errstate(over="ignore"):
        return float(total and total * np.float64(roots[0]) ** q * np.float64(roots[1]) ** q)


def _distinct(x: Floats, w: Floats | None) -> Side:
    """Merge equal scores into one that weighs as much; no weights mean that all differ."""
    first = np.concatenate([[True], x[1:] != x[:-1]])
    if first.all():
        return x, w
    starts = np.flatnonzero(first)
    sums = np.diff(starts, append=len(x)) if w is None else np.add.reduceat(w, starts)
    return x[starts], sums.astype(np.float64)


def _sum_of_scaled(p: Side, n: Side, q: float) -> float:
    below = np.searchsorted(n[0], p[0])
    if len(p[0]) * len(n[0]) <= _FEW_PAIRS or q > _HIGHEST_POWER:
        return sum_over_ranges(_power(q), p, n, np.zeros_like(below), below)
    levels = _levels(p[0], n[0])
    return math.fsum([_near_sum(p, n, below, levels, q), *_far_sums(p, n, levels, q)])


def _power(q: float) -> Callable[[Floats], Floats]:
    """Return d -> d^q for d > 0, which overwrites d; quicker than np.power and as exact below 1."""

    def power(d: Floats) -> Floats:
        np.log(d, out=d)
        d *= q
        return np.exp(d, out=d)

    return power


def _levels(p: Floats, n: Floats) -> list[_Level]:
    """Return the tree of cells, from the widest, until no pair of neighbours is split."""
    p_cells, n_cells = _widest_cells(p), _widest_cells(n)
    offset = (p_cells.ids[:, None] - n_cells.ids).astype(np.intp)
    first, second = np.nonzero(offset >= 0)
    pairs = _Pairs(first, second, offset[first, second])
    levels: list[_Level] = []
    while True:
        crowd = p_cells.sizes[pairs.p] * n_cells.sizes[pairs.n] > _CROWD
        crowd &= len(levels) < _DEEPEST
        split = pairs.only(crowd)
        p_cells.split[split.p] = True
        n_cells.split[split.n] = True
        levels.append(_Level(p_cells, n_cells, pairs.only(~crowd), split))
        if not len(split.p):
            return levels
        pairs = _pairs_of_halves(p_cells, n_cells, split)
        width = 0.5 ** len(levels)
        p_cells, n_cells = _halves(p, p_cells, width), _halves(n, n_cells, width)
        pairs = pairs.only((p_cells.sizes[pairs.p] > 0) & (n_cells.sizes[pairs.n] > 0))


def _widest_cells(x: Floats) -> _Cells:
    ids, first = np.unique(np.floor(x), return_index=True)
    return _Cells(ids, first, np.append(first[1:], len(x)), np.zeros(len(ids), dtype=bool))


def _halves(x: Floats, cells: _Cells, width: float) -> _Cells:
    """Return the left and right half, of the given width, of each cell that is split."""
    ids = 2 * np.repeat(cells.ids[cells.split], 2)
    ids[1::2] += 1
    first = np.repeat(cells.first[cells.split], 2)
    last = np.repeat(cells.last[cells.split], 2)
    first[1::2] = last[::2] = np.searchsorted(x, ids[1::2] * width)
    return _Cells(ids, first, last, np.zeros(len(ids), dtype=bool))


def _pairs_of_halves(p_cells: _Cells, n_cells: _Cells, split: _Pairs) -> _Pairs:
    """Return the pairs of halves that are one cell or right neighbours; the others are far or lost.

    A cell with itself: left with left, right with right, right with left. A cell with its left
    neighbour: left with right.
    """
    p = 2 * p_cells.places_when_split[split.p]
    n = 2 * n_cells.places_when_split[split.n]
    same = split.offset == 0
    p_same, n_same, zero = p[same], n[same], split.offset[same]
    return _Pairs(
        np.concatenate([p_same, p_same + 1, p_same + 1, p[~same]]),
        np.concatenate([n_same, n_same + 1, n_same, n[~same] + 1]),
        np.concatenate([zero, zero, zero + 1, split.offset[~same]]),
    )


def _near_sum(p: Side, n: Side, below: Array, levels: Sequence[_Level], q: float) -> float:
    """Sum d^q over the scores in all direct pairs of cells; `below` counts the n below each p."""
    x, w = p
    ranges = zip(*(_direct_ranges(level) for level in levels), strict=True)
    p_first, p_last, n_first, n_last = (np.concatenate(parts) for parts in ranges)
    sizes = p_last - p_first
    rows = np.repeat(p_last - np.cumsum(sizes), sizes)
    rows += np.arange(len(rows))
    first = np.repeat(n_first, sizes)
    last = np.minimum(np.repeat(n_last, sizes), below[rows])
    np.maximum(last, first, out=last)
    return sum_over_ranges(_power(q), (x[rows], None if w is None else w[rows]), n, first, last)


def _direct_ranges(level: _Level) -> tuple[Array, Array, Array, Array]:
    """Return the ranges of positives, each with the one range of negatives that it meets here.

    The scores of a cell of negatives follow those of its left neighbour, so two ranges become one.
    """
    size = len(level.p.ids)
    first, last = np.full(size, np.iinfo(np.intp).max), np.zeros(size, dtype=np.intp)
    for offset in (0, 1):
        p, n, _ = level.direct.only(level.direct.offset == offset)
        first[p] = np.minimum(first[p], level.n.first[n])
        last[p] = np.maximum(last[p], level.n.last[n])
    met = last > 0
    return level.p.first[met], level.p.last[met], first[met], last[met]


def _far_sums(p: Side, n: Side, levels: Sequence[_Level], q: float) -> Iterator[float]:
    """Yield the sums over the far pairs of halves, level by level from the narrowest."""
    p_leaves = _leaf_moments(*p, [level.p for level in levels])
    n_leaves = _leaf_moments(*n, [level.n for level in levels])
    table = _table(q)
    p_moments, n_moments = p_leaves[-1], n_leaves[-1]
    for depth in range(len(levels) - 2, -1, -1):
        level = levels[depth]
        p_halves, n_halves = (m.reshape(-1, 2 * _MOMENTS) for m in (p_moments, n_moments))
        apart = level.split.offset == 1
        far_p = level.p.places_when_split[level.split.p[apart]]
        far_n = level.n.places_when_split[level.split.n[apart]]
        products = _sum_of_products(p_halves, far_p, n_halves, far_n)
        yield float((table * products).sum()) * 0.5 ** ((depth + 1) * q)
        p_moments = _with_parents(p_halves, p_leaves[depth], level.p)
        n_moments = _with_parents(n_halves, n_leaves[depth], level.n)


def _sum_of_products(p: Floats, far_p: Array, n: Floats, far_n: Array) -> Floats:
    """Return p[far_p].T @ n[far_n]."""
    total = np.zeros((p.shape[1], n.shape[1]))
    for start in range(0, len(far_p), _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        total += p[far_p[rows]].T @ n[far_n[rows]]
    return total


def _with_parents(halves: Floats, leaves: Floats, cells: _Cells) -> Floats:
    """Return the moments of all cells of a level, of the split ones from their halves."""
    moments = np.empty((len(cells.ids), _MOMENTS))
    moments[~cells.split] = leaves
    split = np.flatnonzero(cells.split)
    for start in range(0, len(split), _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        moments[split[rows]] = halves[rows] @ _shift()
    return moments


def _leaf_moments(x: Floats, w: Floats | None, levels: Sequence[_Cells]) -> list[Floats]:
    """Return the moments of the cells that are not split, level by level."""
    leaves = [~cells.split for cells in levels]
    counts = [int(np.count_nonzero(leaf)) for leaf in leaves]
    ids, first, last = (
        np.concatenate([cells[field][leaf] for cells, leaf in zip(levels, leaves, strict=True)])
        for field in range(3)
    )
    scale = np.repeat(2.0 ** np.arange(1, len(levels) + 1), counts)
    order = np.argsort(first + last, kind="stable")  # an empty cell after one that ends there
    starts = np.append(0, last[order])
    moments = np.empty((len(order), _MOMENTS))
    cuts = np.unique(np.searchsorted(starts, np.arange(0, len(x), _SCORES_AT_ONCE)))
    for start, stop in zip(cuts, [*cuts[1:], len(order)], strict=True):
        part, edges = order[start:stop], starts[start : stop + 1]
        inside, sizes = slice(edges[0], edges[-1]), np.diff(edges)
        u = x[inside] * np.repeat(scale[part], sizes) - np.repeat(2 * ids[part] + 1, sizes)
        moments[part] = _moments(u, None if w is None else w[inside], edges - edges[0])
    return np.split(moments, np.cumsum(counts)[:-1])


def _moments(u: Floats, w: Floats | None, edges: Array) -> Floats:
    """Return the sums of w T_0(u), w T_1(u), ... over each range of u between two edges."""
    w = np.ones_like(u) if w is None else w
    sums = sparse.csr_array((w, np.arange(len(u)), edges), shape=(len(edges) - 1, len(u)))
    moments = np.empty((len(edges) - 1, _MOMENTS))
    before, now, double_u = np.ones_like(u), u.copy(), 2 * u
    for m in range(_MOMENTS):
        moments[:, m] = sums @ before
        np.subtract(double_u * now, before, out=before)
        before, now = now, before
    return moments


def _table(q: float) -> Floats:
    """Return the coefficients of d^q between the two halves of a cell and of its left neighbour.

    Left with left and right with right lie 2 apart, right with left 3; left with right are near and
    belong to the next level.
    """
    nodes, transform = _chebyshev()
    two, three = (
        transform @ (offset + (nodes[:, None] - nodes) / 2) ** q @ transform.T for offset in (2, 3)
    )
    return np.block([[two, np.zeros_like(two)], [three, two]])


@lru_cache(maxsize=1)
def _chebyshev() -> tuple[Floats, Floats]:
    """Return the nodes, and the matrix that turns values there into Chebyshev coefficients."""
    angles = (np.arange(_MOMENTS) + 0.5) * np.pi / _MOMENTS
    transform = np.cos(np.outer(np.arange(_MOMENTS), angles)) * 2 / _MOMENTS
    transform[0] /= 2
    return np.cos(angles), transform


@lru_cache(maxsize=1)
def _shift() -> Floats:
    """Return the matrix from the moments of two halves to those of their cell.

    By T_{m+1}(u) = 2 u T_m(u) - T_{m-1}(u) at u = (v -+ 1) / 2; all entries are dyadic, so exact.
    """
    blocks = []
    for side in (-1.0, 1.0):
        rows = [np.array([1.0]), np.array([side / 2, 0.5])]
        while len(rows) < _MOMENTS:
            rows.append(chebyshev.chebsub(chebyshev.chebmul([side, 1.0], rows[-1]), rows[-2]))
        blocks.append(np.transpose([np.pad(row, (0, _MOMENTS - len(row))) for row in rows]))
    return np.concatenate(blocks)
