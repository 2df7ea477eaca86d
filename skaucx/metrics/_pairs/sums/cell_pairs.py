"""All pairs of two sorted sets of scores, cut into pairs of cells that are far, near or negligible.

The scores, scaled to a span below 1, fall into cells that halve from level to level. Two cells are *far*
where h over their differences is a short Chebyshev expansion, *near* where they hold few pairs, and are
split otherwise. All that has to be known of h is where it is smooth.

With places u and v in [-1, 1] inside two cells, h = sum over k, m of A[k, m] T_k(u) T_m(v). All pairs of
the cells then sum to <A, outer(M_p, M_n)>, where the moments M are the sums of T_0, T_1, ... over the
scores of a cell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.polynomial import chebyshev

from ...._arrays import Array, Bools, Codes, Floats

# Of so few scores all terms at once take half the time of one after another.
_FEW_SCORES = 1 << 12


@lru_cache(maxsize=4)
def _interpolation(size: int, kind: type = np.float64) -> tuple[Floats, Floats]:
    """Return the nodes, and the matrix that turns values there into Chebyshev coefficients."""
    # c_m = 2 / n sum_j f(cos a_j) cos(m a_j), half of it for m = 0, at a_j = (j + 1/2) pi / n; pi comes
    # from arctan2 in the precision of the kind.
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
    # T_{m+1}(u) = 2 u T_m(u) - T_{m-1}(u)
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


# Sorted scores of one class with their weights, None where all weigh 1.
Side: TypeAlias = tuple[Floats, Floats | None]

# Pairs evaluated at once: their few arrays of 256 kB stay in a core's own cache.
_PAIRS_AT_ONCE = 1 << 15


def exact_origin(low: float, high: float) -> float:
    """Return a score that subtracts exactly from all in [low, high]: an end of it, or 0."""
    if low > 0 and high <= 2 * low:
        return low
    return high if high < 0 and low >= 2 * high else 0.0


def weights_of(side: Side, rows: Any = slice(None)) -> Floats:
    """Return the weights of a class, or of some of its rows."""
    x, w = side
    return np.ones(len(x[rows])) if w is None else w[rows]


def concatenated_ranges(first: Array, last: Array) -> Array:
    """Return first[0], ..., last[0] - 1, first[1], ..., last[1] - 1, and so on."""
    sizes = last - first
    ends = np.cumsum(sizes)
    places = np.repeat(last - ends, sizes)
    places += np.arange(len(places))
    return places


def sum_over_ranges(
    h: Callable[[Floats], Floats],
    positives: Side,
    negatives: Side,
    first: Array,
    last: Array,
) -> float:
    """Return the weighted sum of h(p - n) over each positive's negatives from first to last - 1."""
    (p, wp), (n, wn) = positives, negatives
    sizes = last - first
    ends = np.cumsum(sizes)
    cuts = np.searchsorted(ends, np.arange(_PAIRS_AT_ONCE, sizes.sum(), _PAIRS_AT_ONCE))
    partial = []
    for start, stop in zip([0, *cuts], [*cuts, len(ends)], strict=True):
        rows, size = slice(start, stop), sizes[start:stop]
        column = concatenated_ranges(first[rows], last[rows])
        differences = np.repeat(p[rows], size)
        differences -= n.take(column)
        values = h(differences)
        if wn is not None:
            values *= wn.take(column)
        if wp is not None:
            values *= np.repeat(wp[rows], size)
        partial.append(float(values.sum()))
    return math.fsum(partial)


Difference: TypeAlias = Callable[[Floats], Floats]
# One of the positives and one of the negatives.
Pair: TypeAlias = tuple[Codes, Codes]

# Chebyshev moments of a cell.
MOMENTS = 18
# What an expansion may leave out, of the greatest value in a block; and of the least one where h does
# not change its sign, so that sums of small values are exact too.
_TOLERANCE, _LEAST_TOLERANCE = 3e-15, 1e-12
# How far it may be from h at a corner: what rounds there, of the greatest value.
_CORNER_TOLERANCE = 1e-13
# What may be left out of all pairs together, of the greatest value.
_NEGLIGIBLE = 1e-17
# Scores of each class at which the greatest value is looked for.
_PROBES = 100
# Halvings before the width of a cell nears the smallest floats.
_DEEPEST = 1000


class Cells(NamedTuple):
    """The cells of one width that hold scores of one class, in rising order."""

    ids: Floats
    first: Codes  # where the scores of each cell begin and end
    last: Codes
    parent: Codes  # the place of the cell that each is half of, at the level above
    split: Bools

    @property
    def sizes(self) -> Codes:
        """How many scores each cell holds."""
        return self.last - self.first


class Far(NamedTuple):
    """Cells at one offset from each other: h is the expansion with the coefficients in `table`."""

    table: Floats
    places: Pair  # of the cells of positives, of those of negatives


class Level(NamedTuple):
    """Cells of one width, a quantity of the scaled scores, and those of their pairs that end here."""

    depth: int
    cells: tuple[Cells, Cells]
    far: list[Far]
    near: Pair


class Scaled(NamedTuple):
    """Sorted scores of both classes, shifted and scaled exactly into (-1, 1)."""

    sides: tuple[Floats, Floats]
    scale: float

    @classmethod
    def of(cls, positives: Floats, negatives: Floats) -> Scaled:
        low, high = min(positives[0], negatives[0]), max(positives[-1], negatives[-1])
        origin, scale = exact_origin(low, high), 2.0 ** math.frexp(max(high - low, 5e-324))[1]
        largest = max(abs(high - origin), abs(low - origin))
        scale = max(scale, 2.0 ** math.frexp(largest)[1]) if largest else scale
        return cls(((positives - origin) / scale, (negatives - origin) / scale), scale)


def levels_of(
    h: Difference,
    is_smooth: Callable[[float, float], bool],
    zero_up_to: float,
    x: Scaled,
    few_pairs: int,
) -> Iterator[Level]:
    """Yield the levels of cells, from the widest to the narrowest.

    Two cells with at most `few_pairs` pairs are near.
    """
    settle = _Settler(h, is_smooth, zero_up_to, x)
    p, n = (_roots(side) for side in x.sides)
    a, b = (axis.ravel() for axis in np.indices((len(p.ids), len(n.ids))))
    for depth in range(_DEEPEST + 1):
        few = p.sizes[a] * n.sizes[b] <= few_pairs
        far, open_ = settle(depth, p, n, a, b, few | (depth == _DEEPEST))
        near = open_ & few if depth < _DEEPEST else open_
        split = open_ & ~near
        for cells, places in ((p, a), (n, b)):
            cells.split[places[split]] = True
        yield Level(depth, (p, n), far, (a[near], b[near]))
        if not split.any():
            return
        halves = (_halves(s, c, depth) for s, c in zip(x.sides, (p, n), strict=True))
        (p, p_child), (n, n_child) = halves
        # Each half of one with each half of the other.
        a = np.repeat(p_child[a[split]], 2, axis=1).ravel()
        b = np.tile(n_child[b[split]], (1, 2)).ravel()
        held = (a >= 0) & (b >= 0)
        a, b = a[held], b[held]


class _Settler:
    """Decides on pairs of cells by the expansion of h at their offset."""

    def __init__(
        self,
        h: Difference,
        is_smooth: Callable[[float, float], bool],
        zero_up_to: float,
        x: Scaled,
    ) -> None:
        self.h, self.is_smooth, self.zero_up_to, self.scale = h, is_smooth, zero_up_to, x.scale
        probed = [side[np.linspace(0, len(side) - 1, _PROBES).astype(int)] for side in x.sides]
        greatest = np.abs(h((probed[0][:, None] - probed[1]) * x.scale)).max()
        # So little that all pairs together are negligible compared with the greatest of those probed.
        self.negligible = _NEGLIGIBLE * greatest / math.prod(float(len(side)) for side in x.sides)

    def __call__(
        self, depth: int, p: Cells, n: Cells, a: Codes, b: Codes, few: Bools
    ) -> tuple[list[Far], Bools]:
        """Return the far pairs of cells, and which pairs are neither far nor negligible."""
        offsets, which = np.unique(p.ids[a] - n.ids[b], return_inverse=True)
        width = self.scale * 0.5**depth
        tables, kept = self._tables(offsets, width)
        far, open_ = [], (kept & ~np.array([t is not None for t in tables]))[which]
        open_ |= few & kept[which]
        order = np.argsort(which, kind="stable")
        ends = np.searchsorted(which[order], np.arange(len(offsets) + 1))
        for k, table in enumerate(tables):
            if table is not None and kept[k]:
                places = order[ends[k] : ends[k + 1]]
                places = places[~few[places]]
                if len(places):
                    far.append(Far(table, (a[places], b[places])))
        return far, open_

    def _tables(self, offsets: Floats, width: float) -> tuple[list[Floats | None], Bools]:
        """Return the expansion at each offset or None, and whether any pair there counts."""
        ends = np.stack([offsets - 1, offsets + 1]) * width
        at_ends = self.h(ends)
        values, tables = coefficients(self.h, offsets, MOMENTS, width)
        size = np.maximum(np.abs(values).max(axis=(1, 2)), np.abs(at_ends).max(axis=0))
        smooth = np.array([self.is_smooth(*d) for d in ends.T.tolist()], dtype=bool)
        counts = (ends[1] > self.zero_up_to) & ~(smooth & (size <= self.negligible))
        one_sign = values.min(axis=(1, 2)) * values.max(axis=(1, 2)) >= 0
        least = np.where(one_sign, np.abs(values).min(axis=(1, 2)), size)
        left_out = np.maximum(
            np.abs(tables[:, -2:]).max(axis=(1, 2)), np.abs(tables[:, :, -2:]).max(axis=(1, 2))
        )
        short = smooth & (left_out <= _TOLERANCE * size) & (left_out <= _LEAST_TOLERANCE * least)
        # The nodes do not reach the corners of a block: h is looked at there too.
        # There T_m(1) = 1 and T_m(-1) = (-1)^m.
        alternating = 1.0 - 2 * (np.arange(MOMENTS) % 2)
        for known, found in zip(at_ends, (alternating @ tables, tables @ alternating), strict=True):
            short &= np.abs(known - found.sum(axis=1)) <= _CORNER_TOLERANCE * size
        return [table if good else None for table, good in zip(tables, short, strict=True)], counts


def _roots(x: Floats) -> Cells:
    """Return the cells of width 1: [-1, 0) and [0, 1)."""
    ids = np.floor(x[[0, -1]])
    ids = ids if ids[0] != ids[1] else ids[:1]
    first = np.searchsorted(x, ids)
    return Cells(
        ids, first, np.append(first[1:], len(x)), np.zeros(len(ids), int), np.zeros(len(ids), bool)
    )


def _halves(x: Floats, cells: Cells, depth: int) -> tuple[Cells, Codes]:
    """Return the halves of the split cells, and the two places of each cell's halves, -1 if empty."""
    parents = np.flatnonzero(cells.split)
    whole, start, stop = (part[parents] for part in (cells.ids, cells.first, cells.last))
    middle = np.searchsorted(x, (2 * whole + 1) * 0.5 ** (depth + 1)).clip(start, stop)
    ids = (2 * whole[:, None] + np.arange(2.0)).ravel()
    first, last = (np.stack(s, axis=1).ravel() for s in ((start, middle), (middle, stop)))
    held = last > first
    child = np.full((len(cells.ids), 2), -1)
    child[parents] = np.where(held, np.cumsum(held) - 1, -1).reshape(-1, 2)
    parent = np.repeat(parents, 2)[held]
    halves = Cells(ids[held], first[held], last[held], parent, np.zeros(len(parent), bool))
    return halves, child
