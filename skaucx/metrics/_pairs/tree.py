"""Sums of a function of the score difference over one class, for each score of the other.

The scores, scaled to a span below 1, fall into cells that halve from level to level. Two cells are
*far* where h over their differences is a short Chebyshev expansion, *near* where they hold few pairs,
and are split otherwise. All cells of a level have one width w, so an expansion depends on the offset
D of two cells only: with places u and v in [-1, 1] inside them,

    h(x - y) = h(w (D + (u - v) / 2)) = sum over k, m of A[k, m] T_k(u) T_m(v).

Over the scores of the other cell this sums to A M, where the moments M are the sums of T_0, T_1, ...
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse

from ..._arrays import Bools, Codes, Floats

if TYPE_CHECKING:
    from .kernels import Kernel

# Up to so many pairs all are evaluated; two cells with at most so many are near.
_FEW_PAIRS, _NEAR_PAIRS = 1 << 18, 1 << 10
# Pairs evaluated at once: their few arrays stay in a core's own cache.
_AT_ONCE = 1 << 16
# Chebyshev terms of an expansion; what it may leave out of the greatest value of a block, and of the
# least where h does not change its sign, so that sums of small values are exact too.
_TERMS, _LEFT_OUT, _LEFT_OUT_OF_LEAST = 18, 3e-15, 1e-12
# How far it may be from h at a corner: what rounds there, of the greatest value.
_CORNER = 1e-13
# What may be left out of a pair, as a share of the greatest value over the number of pairs.
_NEGLIGIBLE = 1e-17
# Scores of each class at which the greatest value is looked for.
_PROBES = 100
# Halvings before the width of a cell nears the smallest floats.
_DEEPEST = 1000


class _Cells(NamedTuple):
    """The cells of one width that hold scores, rising: from `first` to before `last`."""

    ids: Floats
    first: Codes
    last: Codes
    parent: Codes

    @property
    def sizes(self) -> Codes:
        """How many scores each cell holds."""
        return self.last - self.first


class _Level(NamedTuple):
    """The cells of one width, which of them are split, and the pairs that are far."""

    depth: int
    cells: tuple[_Cells, _Cells]
    split: tuple[Bools, Bools]
    far: list[tuple[Floats, Codes, Codes]]


class _Leaves:
    """The cells of one class that are not split, in rising order, and polynomials at their scores.

    Attributes
    ----------
    places : list of ndarray
        The cells of each level that are not split, and their places among all leaves.
    terms : ndarray of shape (terms, n)
        T_0(u), T_1(u), ... of the place u of each score in its leaf, from -1 to 1.
    """

    def __init__(self, x: Floats, levels: list[_Level], side: int) -> None:
        whole = [np.flatnonzero(~level.split[side]) for level in levels]
        cells = [level.cells[side] for level in levels]
        ids, first, last = (
            np.concatenate([part[k][chosen] for part, chosen in zip(cells, whole, strict=True)])
            for k in range(3)
        )
        counts = [len(chosen) for chosen in whole]
        factor = np.repeat([2.0 ** (level.depth + 1) for level in levels], counts)
        order = np.argsort(first)
        self.starts, self.sizes = first[order], (last - first)[order]
        among = np.split(np.argsort(order), np.cumsum(counts)[:-1])
        self.places = list(zip(whole, among, strict=True))
        u = x * np.repeat(factor[order], self.sizes) - np.repeat(2 * ids[order] + 1, self.sizes)
        self.terms = np.empty((_TERMS, len(x)))
        # T_{m+1}(u) = 2 u T_m(u) - T_{m-1}(u)
        self.terms[0], self.terms[1] = 1, u
        u *= 2
        for m in range(2, _TERMS):
            np.multiply(u, self.terms[m - 1], out=self.terms[m])
            self.terms[m] -= self.terms[m - 2]

    def moments(self, weight: Floats) -> Floats:
        """Return the weighted sums of the polynomials in each leaf, (b, leaves, terms)."""
        sums = [np.add.reduceat(weight * term, self.starts, axis=1) for term in self.terms]
        return np.stack(sums, axis=2)

    def values(self, seen: Floats) -> Floats:
        """Return expansions around the leaves, (b, leaves, terms), at the scores, (b, n)."""
        values = np.zeros((len(seen), self.terms.shape[1]))
        for m, term in enumerate(self.terms):
            values += np.repeat(seen[:, :, m], self.sizes, axis=1) * term
        return values


def sums_over(h: Kernel, x: Floats, y: Floats, weight: Floats) -> Floats:
    """Return the sums of w_j h(x_i - y_j) over all y for each x, one row a set of weights.

    Both are distinct and rising; `weight` has shape (b, len(y)), the sums (b, len(x)).
    """
    if h.kinks is None or len(x) * len(y) <= _FEW_PAIRS:
        return _pair_by_pair(h, x, y, weight)
    sides, scale = _scaled(x, y)
    levels, near = _levels(h, sides, scale)
    own, others = (_Leaves(side, levels, k) for k, side in enumerate(sides))
    moments = _moments(levels, others, weight)
    at_leaves = np.zeros((len(weight), len(own.sizes), _TERMS))
    seen = np.zeros((len(weight), 0, _TERMS))
    for level, of_others, (whole, leaves) in zip(levels, moments, own.places, strict=True):
        seen = _passed_down(level.cells[0], seen, level.depth)
        for table, a, b in level.far:
            seen[:, a] += of_others[:, b] @ table.T
        at_leaves[:, leaves] = seen[:, whole]
    sums = own.values(at_leaves)
    _add_near(h, x, y, near, weight, sums)
    return sums


def _pair_by_pair(h: Kernel, x: Floats, y: Floats, weight: Floats) -> Floats:
    step = max(1, _AT_ONCE // max(1, len(y)))
    parts = [
        weight @ np.asarray(h(x[start : start + step] - y[:, None]), dtype=np.float64)
        for start in range(0, len(x), step)
    ]
    return np.concatenate(parts, axis=1) if parts else np.zeros((len(weight), 0))


def _add_near(h: Kernel, x: Floats, y: Floats, near: Codes, weight: Floats, sums: Floats) -> None:
    """Add the sums over near cells: the first and last scores of both, (4, pairs of cells)."""
    pairs = np.cumsum((near[1] - near[0]) * (near[3] - near[2]))
    by_row = np.ascontiguousarray(weight.T)
    reached = np.searchsorted(y, x - h.zero_up_to)
    for part in np.split(near, np.flatnonzero(np.diff(pairs // _AT_ONCE)) + 1, axis=1):
        repeats = part[1] - part[0]
        rows = _ranges(part[0], part[1])
        first, last = np.repeat(part[2:], repeats, axis=1)
        last = np.clip(reached[rows], first, last)
        columns, sizes = _ranges(first, last), last - first
        values = h(np.repeat(x[rows], sizes) - y[columns])
        edges = np.append(0, np.cumsum(sizes))
        matrix = sparse.csr_array((values, columns, edges), shape=(len(rows), len(y)))
        for own, found in zip(sums, (matrix @ by_row).T, strict=True):
            own += np.bincount(rows, found, len(x))


def _scaled(x: Floats, y: Floats) -> tuple[tuple[Floats, Floats], float]:
    """Shift and scale both by what keeps them exact, into (-1, 1); return the scale too."""
    low, high = min(x[0], y[0]), max(x[-1], y[-1])
    origin = 0.0
    if low > 0 and high <= 2 * low:
        origin = low
    elif high < 0 and low >= 2 * high:
        origin = high
    scale = 2.0 ** math.frexp(max(high - origin, origin - low, 5e-324))[1]
    return ((x - origin) / scale, (y - origin) / scale), scale


def _levels(h: Kernel, sides: tuple[Floats, Floats], scale: float) -> tuple[list[_Level], Codes]:
    """Return the levels of cells, from the widest to the narrowest, and the ranges of near cells."""
    probed = [side[np.linspace(0, len(side) - 1, _PROBES).astype(int)] for side in sides]
    greatest = np.abs(h((probed[0][:, None] - probed[1]) * scale)).max()
    negligible = _NEGLIGIBLE * greatest / (len(sides[0]) * len(sides[1]))
    p, n = (_roots(side) for side in sides)
    a, b = (axis.ravel() for axis in np.indices((len(p.ids), len(n.ids))))
    levels: list[_Level] = []
    near = []
    while len(a):
        depth = len(levels)
        offsets, which = np.unique(p.ids[a] - n.ids[b], return_inverse=True)
        tables, short = _expansions(h, offsets, scale * 0.5**depth, negligible)
        far = [(tables[k], a[which == k], b[which == k]) for k in np.flatnonzero(short)]
        a, b = a[~short[which]], b[~short[which]]
        few = (p.sizes[a] * n.sizes[b] <= _NEAR_PAIRS) | (depth == _DEEPEST)
        near.append(np.stack([p.first[a], p.last[a], n.first[b], n.last[b]])[:, few])
        a, b = a[~few], b[~few]
        split = _marked(len(p.ids), a), _marked(len(n.ids), b)
        levels.append(_Level(depth, (p, n), split, far))
        p, of_p = _halves(sides[0], p, split[0], depth)
        n, of_n = _halves(sides[1], n, split[1], depth)
        # Each half of one with each half of the other.
        a, b = np.repeat(of_p[a], 2, axis=1).ravel(), np.tile(of_n[b], (1, 2)).ravel()
        held = (a >= 0) & (b >= 0)
        a, b = a[held], b[held]
    return levels, np.concatenate(near, axis=1)


def _marked(size: int, places: Codes) -> Bools:
    marked = np.zeros(size, dtype=bool)
    marked[places] = True
    return marked


def _expansions(
    h: Kernel, offsets: Floats, width: float, negligible: float
) -> tuple[Floats, Bools]:
    """Return the coefficients A at each offset, and whether they are all that is needed."""
    nodes, transform = _interpolation()
    values = h(width * (offsets[:, None, None] + (nodes[:, None] - nodes) / 2))
    tables = transform @ values @ transform.T
    sizes = np.abs(values)
    greatest, least = sizes.max(axis=(1, 2)), sizes.min(axis=(1, 2))
    one_sign = values.min(axis=(1, 2)) * values.max(axis=(1, 2)) >= 0
    allowed = np.minimum(
        _LEFT_OUT * greatest, np.where(one_sign, _LEFT_OUT_OF_LEAST * least, np.inf)
    )
    # The last two coefficients of a series that falls fast bound what is left out.
    tails = np.abs(tables[:, -2:]).max(axis=(1, 2)), np.abs(tables[:, :, -2:]).max(axis=(1, 2))
    short = np.maximum(*tails) <= np.maximum(allowed, negligible)
    # The nodes do not reach the corners of a block, where T_m(1) = 1 and T_m(-1) = (-1)^m.
    signs = 1.0 - 2 * (np.arange(_TERMS) % 2)
    for end, corner in ((-1, signs @ tables), (1, tables @ signs)):
        missed = np.abs(h(width * (offsets + end)) - corner.sum(axis=1))
        short &= missed <= np.maximum(_CORNER * greatest, negligible)
    for kink in h.kinks or ():
        short &= np.abs(offsets * width - kink) > width
    return tables, short


@cache
def _interpolation() -> tuple[Floats, Floats]:
    """Return the nodes, and the matrix that turns values there into Chebyshev coefficients."""
    # c_m = 2 / n sum_j f(cos a_j) cos(m a_j), half of it for m = 0, at a_j = (j + 1/2) pi / n.
    angles = (np.arange(_TERMS) + 0.5) * np.pi / _TERMS
    transform = np.cos(np.outer(np.arange(_TERMS), angles)) * 2 / _TERMS
    transform[0] /= 2
    return np.cos(angles), transform


def _roots(x: Floats) -> _Cells:
    """Return the cells of width 1 that hold scores: [-1, 0) and [0, 1)."""
    ids = np.unique(np.floor(x[[0, -1]]))
    first = np.searchsorted(x, ids)
    return _Cells(ids, first, np.append(first[1:], len(x)), np.zeros(len(ids), dtype=np.intp))


def _halves(x: Floats, cells: _Cells, split: Bools, depth: int) -> tuple[_Cells, Codes]:
    """Return the halves of the split cells, and the two places of each cell's halves, -1 if empty."""
    parents = np.flatnonzero(split)
    whole, start, stop = (part[parents] for part in cells[:3])
    middle = np.searchsorted(x, (2 * whole + 1) * 0.5 ** (depth + 1)).clip(start, stop)
    ids = (2 * whole[:, None] + np.arange(2.0)).ravel()
    first, last = (np.stack(s, axis=1).ravel() for s in ((start, middle), (middle, stop)))
    held = last > first
    places = np.full((len(split), 2), -1)
    places[parents] = np.where(held, np.cumsum(held) - 1, -1).reshape(-1, 2)
    return _Cells(ids[held], first[held], last[held], np.repeat(parents, 2)[held]), places


def _moments(levels: list[_Level], leaves: _Leaves, weight: Floats) -> list[Floats]:
    """Return the moments of the cells of every level, (b, cells, terms), from leaves or halves."""
    found: list[Floats] = []
    of_leaves = leaves.moments(weight)
    halves = None
    for level, (whole, places) in zip(levels[::-1], leaves.places[::-1], strict=True):
        moments = np.zeros((len(weight), len(level.cells[1].ids), _TERMS))
        moments[:, whole] = of_leaves[:, places]
        if halves is not None:
            for side, matrix in zip(_sides(halves), _shift(), strict=True):
                moments[:, halves.parent[side]] += found[-1][:, side] @ matrix
        halves = level.cells[1]
        found.append(moments)
    return found[::-1]


def _passed_down(cells: _Cells, seen: Floats, depth: int) -> Floats:
    """Return the expansions around halves of those around their cells."""
    found = np.zeros((len(seen), len(cells.ids), _TERMS))
    if depth:
        for side, matrix in zip(_sides(cells), _shift(), strict=True):
            found[:, side] = seen[:, cells.parent[side]] @ matrix.T
    return found


def _sides(halves: _Cells) -> tuple[Codes, Codes]:
    """Return the places of the left and of the right halves."""
    odd = halves.ids % 2 == 1
    return np.flatnonzero(~odd), np.flatnonzero(odd)


@cache
def _shift() -> tuple[Floats, Floats]:
    """Return for each half of a cell the matrix of T_m((v -+ 1) / 2) = sum over k of S[k, m] T_k(v)."""
    # T_{m+1}(x) = 2 x T_m(x) - T_{m-1}(x) at x = (v + side) / 2, all entries dyadic, so exact.
    blocks = []
    for side in (-1.0, 1.0):
        rows = [np.array([1.0]), np.array([side / 2, 0.5])]
        while len(rows) < _TERMS:
            twice = np.polynomial.chebyshev.chebmul([side, 1.0], rows[-1])
            rows.append(np.polynomial.chebyshev.chebsub(twice, rows[-2]))
        blocks.append(np.transpose([np.pad(row, (0, _TERMS - len(row))) for row in rows]))
    return blocks[0], blocks[1]


def _ranges(first: Codes, last: Codes) -> Codes:
    """Return first[0], ..., last[0] - 1, first[1], ..., last[1] - 1, and so on."""
    sizes = last - first
    return np.repeat(last - np.cumsum(sizes), sizes) + np.arange(sizes.sum())
