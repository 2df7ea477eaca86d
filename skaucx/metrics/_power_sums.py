"""Sums of (p - n)^q over the positive-negative pairs with p > n, in near-linear time.

The scores, scaled to a span below 1, fall into cells that halve from level to level. A cell of
positives meets the same cell of negatives and its left neighbour; such a pair is summed score by
score where it holds few and split otherwise. The halves that lie D = 2 or 3 cells of width w apart,
with places u and v in [-1, 1] inside them, see a smooth and homogeneous summand,

    d^q = w^q (D + (u - v) / 2)^q = w^q sum over m, n of A_D[m, n] T_m(u) T_n(v),

so all their pairs sum to w^q <A_D, outer(M_p, M_n)>, where M holds the sums of T_0, T_1, ... over the
scores of a cell; the M of a cell follow from those of its halves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev
from scipy import sparse

from ._arrays import Array, Bools, Floats
from ._near_pairs import exact_origin, sum_over_ranges
from ._pair_sums import sum_of_wins, sum_over_pairs

# Up to so many pairs their plain sum is quicker.
_FEW_PAIRS = 100_000
# Two cells with at most so many pairs are summed score by score: quickest from 1e4 to 1e6 scores.
_CROWD = 128
# Chebyshev moments of a cell: an error of 2e-14 with 16, 6e-13 with 14.
_MOMENTS = 16
# Above this power the expansion loses digits (4e-12 at 10): pair by pair.
_HIGHEST_POWER = 6
# Scores whose moments are taken together: their few arrays stay in a core's own cache.
_SCORES_AT_ONCE = 1 << 14
# Rows in one matrix product: 32 x 128 x 32 stays below where BLAS starts threads.
_ROWS_AT_ONCE = 128


class _Cells(NamedTuple):
    """The cells of one class at one level: their ids, their scores' range, and which are split."""

    ids: Floats
    first: Array
    last: Array
    split: Bools


class _Pairs(NamedTuple):
    """Pairs of cells: which of the positives', which of the negatives', and how far apart."""

    p: Array
    n: Array
    offset: Array

    def only(self, chosen: Bools) -> _Pairs:
        return _Pairs(self.p[chosen], self.n[chosen], self.offset[chosen])


class _Level(NamedTuple):
    """One level of the tree: cells of both classes, pairs to sum directly and pairs that split."""

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
    scale = 2.0 ** (math.frexp(high / 2 - low / 2)[1] + 1)
    origin = exact_origin(low, high)
    p, wp = _distinct((positives - origin) / scale, wp)
    n, wn = _distinct((negatives - origin) / scale, wn)
    if len(p) * len(n) <= _FEW_PAIRS or q > _HIGHEST_POWER:
        total = sum_over_pairs(lambda d: np.maximum(d, 0) ** q, p, n, wp, wn)
    else:
        total = _sum_by_tree((p, wp), (n, wn), q)
    return float(total * np.float64(scale) ** q)


def _sum_by_tree(
    positives: tuple[Floats, Floats | None], negatives: tuple[Floats, Floats | None], q: float
) -> float:
    levels = _levels(positives[0], negatives[0])
    near = _near_sum(positives, negatives, levels, q)
    return math.fsum([near, *_far_sums(*positives, *negatives, levels, q)])


def _distinct(x: Floats, w: Floats | None) -> tuple[Floats, Floats | None]:
    """Merge equal scores into one that weighs as much; None stays where all differ."""
    first = np.concatenate([[True], x[1:] != x[:-1]])
    if first.all():
        return x, w
    starts = np.flatnonzero(first)
    sums = np.diff(starts, append=len(x)) if w is None else np.add.reduceat(w, starts)
    return x[starts], sums.astype(np.float64)


def _levels(p: Floats, n: Floats) -> list[_Level]:
    """Return the tree of cells, from the widest, until no pair of neighbours is split."""
    p_cells, n_cells = _widest_cells(p), _widest_cells(n)
    offset = p_cells.ids[:, None] - n_cells.ids
    first, second = np.nonzero(offset >= 0)
    pairs = _Pairs(first, second, offset[first, second])
    levels: list[_Level] = []
    while True:
        crowd = _sizes(p_cells)[pairs.p] * _sizes(n_cells)[pairs.n] > _CROWD
        direct, split = pairs.only(~crowd), pairs.only(crowd)
        p_cells.split[split.p] = True
        n_cells.split[split.n] = True
        levels.append(_Level(p_cells, n_cells, direct, split))
        if not len(split.p):
            return levels
        pairs = _pairs_of_halves(p_cells, n_cells, split)
        half = 0.5 ** len(levels)
        p_cells, n_cells = _halves(p, p_cells, half), _halves(n, n_cells, half)
        pairs = pairs.only((_sizes(p_cells)[pairs.p] > 0) & (_sizes(n_cells)[pairs.n] > 0))


def _widest_cells(x: Floats) -> _Cells:
    ids, first = np.unique(np.floor(x), return_index=True)
    return _Cells(ids, first, np.append(first[1:], len(x)), np.zeros(len(ids), dtype=bool))


def _sizes(cells: _Cells) -> Array:
    return cells.last - cells.first


def _halves(x: Floats, cells: _Cells, width: float) -> _Cells:
    """Return the left and right half, of the given width, of each cell that is split."""
    ids = 2 * np.repeat(cells.ids[cells.split], 2)
    ids[1::2] += 1
    first = np.repeat(cells.first[cells.split], 2)
    last = np.repeat(cells.last[cells.split], 2)
    first[1::2] = last[::2] = np.searchsorted(x, ids[1::2] * width)
    return _Cells(ids, first, last, np.zeros(len(ids), dtype=bool))


def _pairs_of_halves(p_cells: _Cells, n_cells: _Cells, split: _Pairs) -> _Pairs:
    """Return the pairs of halves that are one cell or right neighbours: the others are far or lost.

    A cell with itself: left with left, right with right, right with left. A cell with its left
    neighbour: left with right.
    """
    p = 2 * (np.cumsum(p_cells.split) - 1)[split.p]
    n = 2 * (np.cumsum(n_cells.split) - 1)[split.n]
    same = split.offset == 0
    p_same, n_same, zero = p[same], n[same], split.offset[same]
    return _Pairs(
        np.concatenate([p_same, p_same + 1, p_same + 1, p[~same]]),
        np.concatenate([n_same, n_same + 1, n_same, n[~same] + 1]),
        np.concatenate([zero, zero, zero + 1, split.offset[~same]]),
    )


def _near_sum(
    positives: tuple[Floats, Floats | None],
    negatives: tuple[Floats, Floats | None],
    levels: Sequence[_Level],
    q: float,
) -> float:
    """Sum the pairs of scores in all direct pairs of cells, d^q as exp(q log d)."""
    p, wp = positives
    ranges = [_direct_ranges(level) for level in levels]
    p_first, p_last, n_first, n_last = (np.concatenate(parts) for parts in zip(*ranges, strict=True))
    sizes = p_last - p_first
    rows = np.repeat(p_last - np.cumsum(sizes), sizes)
    rows += np.arange(len(rows))
    below = np.searchsorted(negatives[0], p)[rows]
    first = np.repeat(n_first, sizes)
    last = np.minimum(np.repeat(n_last, sizes), below)
    np.maximum(last, first, out=last)

    def h(d: Floats) -> Floats:
        np.log(d, out=d)
        d *= q
        return np.exp(d, out=d)

    return sum_over_ranges(h, (p[rows], None if wp is None else wp[rows]), negatives, first, last)


def _direct_ranges(level: _Level) -> tuple[Array, Array, Array, Array]:
    """Return the ranges of positives, each with the one range of negatives that it meets here.

    A cell of negatives and its left neighbour follow one another, so two ranges are joined to one.
    """
    size = len(level.p.ids)
    first, last = np.full(size, np.iinfo(np.intp).max), np.zeros(size, dtype=np.intp)
    for offset in (0, 1):
        p, n, _ = level.direct.only(level.direct.offset == offset)
        first[p] = np.minimum(first[p], level.n.first[n])
        last[p] = np.maximum(last[p], level.n.last[n])
    met = last > 0
    return level.p.first[met], level.p.last[met], first[met], last[met]


def _far_sums(
    p: Floats, wp: Floats | None, n: Floats, wn: Floats | None, levels: Sequence[_Level], q: float
) -> list[float]:
    """Return the sums over the far pairs of halves, level by level from the narrowest."""
    p_leaves = _leaf_moments(p, wp, [level.p for level in levels])
    n_leaves = _leaf_moments(n, wn, [level.n for level in levels])
    tables = _tables(q)
    sums = []
    p_moments = n_moments = np.empty((0, _MOMENTS))
    for depth in range(len(levels) - 1, -1, -1):
        level = levels[depth]
        p_halves, n_halves = (m.reshape(-1, 2 * _MOMENTS) for m in (p_moments, n_moments))
        apart = level.split.offset == 1
        far_p = (np.cumsum(level.p.split) - 1)[level.split.p[apart]]
        far_n = (np.cumsum(level.n.split) - 1)[level.split.n[apart]]
        products = _sum_of_products(p_halves[far_p], n_halves[far_n])
        sums.append(float((tables * products).sum()) * 0.5 ** ((depth + 1) * q))
        p_moments = _raised(p_halves, p_leaves[depth], level.p)
        n_moments = _raised(n_halves, n_leaves[depth], level.n)
    return sums


def _raised(halves: Floats, leaves: Floats, cells: _Cells) -> Floats:
    """Return the moments of all cells of a level: of those split, from their halves."""
    moments = np.empty((len(cells.ids), _MOMENTS))
    moments[~cells.split] = leaves
    moments[cells.split] = _product(halves, _shift())
    return moments


def _in_batches(rows: Floats) -> tuple[Floats, Floats]:
    whole = len(rows) // _ROWS_AT_ONCE * _ROWS_AT_ONCE
    return rows[:whole].reshape(-1, _ROWS_AT_ONCE, rows.shape[1]), rows[whole:]


def _product(rows: Floats, matrix: Floats) -> Floats:
    batches, rest = _in_batches(rows)
    return np.concatenate([(batches @ matrix).reshape(-1, matrix.shape[1]), rest @ matrix])


def _sum_of_products(rows: Floats, others: Floats) -> Floats:
    """Return rows.T @ others."""
    (batches, rest), (other_batches, other_rest) = _in_batches(rows), _in_batches(others)
    return (batches.transpose(0, 2, 1) @ other_batches).sum(axis=0) + rest.T @ other_rest


def _leaf_moments(x: Floats, w: Floats | None, levels: Sequence[_Cells]) -> list[Floats]:
    """Return the moments of the cells that are not split, level by level."""
    leaves = [~cells.split for cells in levels]
    first = np.concatenate([cells.first[leaf] for cells, leaf in zip(levels, leaves)])
    last = np.concatenate([cells.last[leaf] for cells, leaf in zip(levels, leaves)])
    ids = np.concatenate([cells.ids[leaf] for cells, leaf in zip(levels, leaves)])
    counts = [int(leaf.sum()) for leaf in leaves]
    scale = np.repeat(0.5 ** -np.arange(1.0, len(levels) + 1), counts)
    order = np.argsort(first + last, kind="stable")
    moments = np.zeros((len(order), _MOMENTS))
    starts = np.append(0, last[order])
    done = 0
    while done < len(order):
        upto = max(int(np.searchsorted(starts, starts[done] + _SCORES_AT_ONCE, side="right")) - 1, done + 1)
        part = order[done:upto]
        inside = slice(starts[done], starts[upto])
        sizes = np.diff(starts[done : upto + 1])
        u = x[inside] * np.repeat(scale[part], sizes) - np.repeat(2 * ids[part] + 1, sizes)
        moments[part] = _moments(u, None if w is None else w[inside], starts[done : upto + 1] - starts[done])
        done = upto
    return np.split(moments, np.cumsum(counts)[:-1])


def _moments(u: Floats, w: Floats | None, starts: Array) -> Floats:
    """Return the sums of w T_0(u), w T_1(u), ... over each range of u between two starts."""
    w = np.ones_like(u) if w is None else w
    places = np.arange(len(u), dtype=np.int32)
    sums = sparse.csr_array((w, places, starts.astype(np.int32)), shape=(len(starts) - 1, len(u)))
    moments = np.empty((len(starts) - 1, _MOMENTS))
    before, now, double_u = np.ones_like(u), u.copy(), 2 * u
    for m in range(_MOMENTS):
        moments[:, m] = sums @ before
        np.subtract(double_u * now, before, out=before)
        before, now = now, before
    return moments


def _tables(q: float) -> Floats:
    """Return the coefficients of d^q between two halves of a cell and two of its left neighbour.

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
    nodes = np.cos((np.arange(_MOMENTS) + 0.5) * np.pi / _MOMENTS)
    transform = chebyshev.chebvander(nodes, _MOMENTS - 1).T * 2 / _MOMENTS
    transform[0] /= 2
    return nodes, transform


@lru_cache(maxsize=1)
def _shift() -> Floats:
    """Return the matrix from the moments of two halves to those of the cell: T_m((t -+ 1) / 2).

    By T_{m+1}(u) = 2 u T_m(u) - T_{m-1}(u) with u = (t -+ 1) / 2: exact, for all entries are dyadic.
    """
    parts = []
    for side in (-1, 1):
        rows = [np.array([1.0]), np.array([side / 2, 0.5])]
        for _ in range(2, _MOMENTS):
            rows.append(chebyshev.chebsub(chebyshev.chebmul([side, 1.0], rows[-1]), rows[-2]))
        parts.append(np.array([np.pad(row, (0, _MOMENTS - len(row))) for row in rows]).T)
    return np.concatenate(parts)
