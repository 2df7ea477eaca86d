"""Sums of (p - n)^q over the positive-negative pairs with p > n, in near-linear time.

The scores, scaled to a span below 1, fall into cells that halve from level to level. A cell of
positives meets the same cell of negatives and its left neighbour; such a pair is summed score by
score where it holds few and split otherwise. The halves that lie D = 2 or 3 cells of width w apart,
with places u and v in [-1, 1] inside them, see a smooth and homogeneous summand,

    d^q = w^q (D + (u - v) / 2)^q = w^q sum over k, m of A_D[k, m] T_k(u) T_m(v),

so all their pairs sum to w^q <A_D, outer(M_p, M_n)>, where M holds the sums of T_0, T_1, ... over the
scores of a cell; the M of a cell follow from those of its halves.

Crowded cells are split many levels at once. The moments of a level then lie in one array in the order
of the cells, and its far pairs are the product of that array with itself moved by one cell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...._arrays import Array, Bools, Floats
from ...._compat import exponentials_are_vectorised
from .cell_pairs import (
    Side,
    coefficients,
    concatenated_ranges,
    exact_origin,
    moments_of_cells,
    shift,
    sum_over_ranges,
    weights_of,
)
from .elementary import cumulative, sum_of_wins

# The table holds c^q for the numbers c with so many leading bits, over so many powers of two: 256 kB,
# of which the top few stay in a core's nearest cache (8 and 12 bits are a hundredth slower).
_LEADING_BITS = 10
_BINADES = 32
_OTHER_BITS = 52 - _LEADING_BITS
# The exponent field of an infinite float.
_INFINITE = 2047
# Above this exponent q the series in d / c - 1 is long, and the expansion in cells loses digits
# (8e-15 at 10, 3e-11 at 20): pair by pair.
_HIGHEST_EXPONENT = 10
# Up to this one the error eps q |log d| of logarithms stays below that of the table.
_LOW_EXPONENT = 0.25


def raised_to(q: float) -> Callable[[Floats], Floats]:
    """Return d -> d^q for d > 0, which overwrites d; exact to 6e-16 from 1e-10 to 1."""
    low = _LOW_EXPONENT if exponentials_are_vectorised() else 0
    by = _by_table if low < q <= _HIGHEST_EXPONENT else _by_logarithm
    return lambda d: by(d, q)


def _by_logarithm(d: Floats, q: float) -> Floats:
    np.log(d, out=d)
    d *= q
    return np.exp(d, out=d)


def _by_table(d: Floats, q: float) -> Floats:
    """Return c^q (1 + r)^q, where c is d cut to its leading bits and r = d / c - 1."""
    if not d.size:
        return d
    lowest, highest = (int(end.view(np.int64)) >> 52 for end in (d.min(), d.max()))
    if lowest == 0 or highest - lowest >= _BINADES or highest == _INFINITE:
        return _by_logarithm(d, q)
    # d = c (1 + r) with 0 <= r < 2^-b: (1 + r)^q = sum_k binom(q, k) r^k, by Horner's rule.
    table, terms = _table(q)
    bits = d.view(np.int64)
    c = (bits & -(1 << _OTHER_BITS)).view(np.float64)
    places = bits >> _OTHER_BITS
    places -= (highest - _BINADES + 1) << _LEADING_BITS
    d -= c
    d /= c
    terms = terms * 2.0 ** (q * (highest - 1023))
    value = d * terms[-1]
    for term in terms[-2:0:-1]:
        value += term
        value *= d
    value += terms[0]
    value *= table.take(places)
    return value


@lru_cache(maxsize=4)
def _table(q: float) -> tuple[Floats, Floats]:
    """Return c^q up to c = 2, and the binomial coefficients of (1 + r)^q that matter."""
    size = 1 << _LEADING_BITS
    table = 2.0 ** (q * np.arange(1.0 - _BINADES, 1))[:, None] * (1 + np.arange(size) / size) ** q
    # binom(q, k + 1) = binom(q, k) (q - k) / (k + 1), until r^k binom(q, k) < 1e-16 for every r < 2^-b.
    terms = [1.0, q]
    while abs(terms[-1] * (q - len(terms) + 1) / len(terms)) > 1e-16 * float(size) ** len(terms):
        terms.append(terms[-1] * (q - len(terms) + 1) / len(terms))
    return table.ravel(), np.array(terms)


# Up to so many pairs, or so many a score, their plain sum is quicker (0.25 ms either way; 2 to 5 ns a
# pair against 100 ns a score).
_FEW_PAIRS = 150_000
_FEW_PAIRS_A_SCORE = 16
# Two cells with at most so many pairs are summed score by score; crowded cells are split until they
# hold at most so many scores on average: both quickest from 1e4 to 1e6 scores, and flat around it.
_CROWD = 600
_SCORES_A_CELL = 24
# Chebyshev moments of a cell: an error of 4e-15 with 16, 6e-13 with 14.
_MOMENTS = 16
# Fewer suffice for narrow cells, whose far pairs weigh little among all; of so many cells it is found
# out how few.
_FEWEST_MOMENTS, _MANY_CELLS = 2, 1 << 11
# What they may leave out of a sum at most; it is a hundredth of that, as a rule.
_TOLERANCE = 1e-14
# So many levels above, expansions of narrow cells leave out nothing.
_LEVELS_ABOVE = 25
# Halvings before the width of a cell nears the smallest floats.
_DEEPEST = 1000
# Integers of fewer bits, and twice them plus one, are exact as floats.
_EXACT_BITS = 52
# Cells whose moments are taken together: the few arrays of their scores stay in a core's own cache.
_CELLS_AT_ONCE = 1 << 10
# Halvings that such a block is lifted by itself; the rest is small enough to be lifted as a whole.
_HALVINGS_AT_ONCE = 5
# Rows in one matrix product: 32 x 128 x 32 stays below where BLAS starts threads.
_ROWS_AT_ONCE = 128
# Near pairs at once: bounds the memory of their arrays.
_PAIRS_AT_ONCE = 1 << 18


class _Cells(NamedTuple):
    """Cells of one width in rising order, `halvings` narrower than the crowded cells they split.

    Where two crowded cells are no neighbours, an empty one with ids of nan stands between them.
    """

    depth: int
    halvings: int
    ids: Floats
    first: Array  # (2, m): where the scores of each cell begin among the positives, the negatives
    last: Array
    split: Bools

    @property
    def sizes(self) -> Array:
        """How many positives and how many negatives each cell holds."""
        return self.last - self.first

    @property
    def has_left(self) -> Bools:
        """Whether the cell before is the left neighbour."""
        left = np.zeros(len(self.ids), dtype=bool)
        np.equal(self.ids[1:] - self.ids[:-1], 1, out=left[1:])
        return left


def sum_of_powers(
    positives: Floats,
    negatives: Floats,
    wp: Floats | None,
    wn: Floats | None,
    q: float,
    below: Array | None = None,
) -> float:
    """Return the weighted sum of (p - n)^q over the pairs with p > n; all arrays sorted by score.

    `below`, where known, counts the negatives below each positive.
    """
    if q == 0:
        return sum_of_wins(positives, negatives, wp, wn)
    low, high = min(positives[0], negatives[0]), max(positives[-1], negatives[-1])
    origin = exact_origin(low, high)
    # The scale is a power of two above the span, by its roots: it may itself exceed the floats.
    exponent = math.frexp(high / 2 - low / 2)[1] + 1
    roots = 2.0 ** (exponent // 2), 2.0 ** (exponent - exponent // 2)
    p = _distinct(_scaled(positives, origin, roots), wp)
    n = _distinct(_scaled(negatives, origin, roots), wn)
    if below is None or len(p[0]) < len(positives) or len(n[0]) < len(negatives):
        below = np.searchsorted(n[0], p[0])
    total = _sum_of_scaled(p, n, below, q)
    with np.errstate(over="ignore"):
        return float(total and total * np.float64(roots[0]) ** q * np.float64(roots[1]) ** q)


def _scaled(x: Floats, origin: float, roots: tuple[float, float]) -> Floats:
    """Return (x - origin) / roots[0] / roots[1]; x itself, not a copy, where nothing changes it."""
    if origin:
        x = x - origin
    return x if roots == (1, 1) else x / roots[0] / roots[1]


def _distinct(x: Floats, w: Floats | None) -> Side:
    """Merge equal scores into one that weighs as much; no weights mean that all differ."""
    rises = x[1:] != x[:-1]
    if rises.all():
        return x, w
    starts = np.append(0, np.flatnonzero(rises) + 1)
    sums = np.diff(starts, append=len(x)) if w is None else np.add.reduceat(w, starts)
    return x[starts], sums.astype(np.float64)


def _sum_of_scaled(p: Side, n: Side, below: Array, q: float) -> float:
    few = max(_FEW_PAIRS, _FEW_PAIRS_A_SCORE * (len(p[0]) + len(n[0])))
    if len(p[0]) * len(n[0]) <= few or q > _HIGHEST_EXPONENT:
        return sum_over_ranges(raised_to(q), p, n, np.zeros_like(below), below)
    generations = _generations(p[0], n[0])
    near = (part for cells in generations for part in _near_sums(p, n, below, cells, q))
    return math.fsum([*near, *_far_sums(p, n, generations, q)])


def _generations(p: Floats, n: Floats) -> list[_Cells]:
    """Return cells, then those into which the crowded ones are split, and so on."""
    ids = np.arange(math.floor(min(p[0], n[0])), math.floor(max(p[-1], n[-1])) + 1.0)
    first, last = (np.stack([np.searchsorted(x, edge) for x in (p, n)]) for edge in (ids, ids + 1))
    cells = _Cells(0, 0, ids, first, last, np.ones(len(ids), dtype=bool))
    generations = []
    while cells.split.any():
        cells = _parts(p, n, cells)
        generations.append(cells)
    return generations


def _parts(p: Floats, n: Floats, cells: _Cells) -> _Cells:
    """Return the crowded cells halved until they hold few scores on average."""
    ids = cells.ids[cells.split]
    average = cells.sizes[:, cells.split].sum() / len(ids)
    wanted = math.ceil(math.log2(average / _SCORES_A_CELL))
    # The ids of the parts stay exact; a cell with a longer id holds four floats at most, no crowd.
    exact = _EXACT_BITS - math.frexp(np.abs(ids).max())[1]
    halvings = max(1, min(wanted, exact, _DEEPEST - cells.depth))
    depth, parts = cells.depth + halvings, 1 << halvings
    places = np.arange(len(ids))
    places[1:] += np.cumsum(ids[1:] - ids[:-1] > 1)
    # Empty cells at the end make the number a multiple of a power of two: larger batches.
    rounded = 1 << max(0, int(places[-1]).bit_length() - 3)
    shape = (-(-(places[-1] + 1) // rounded) * rounded, parts)
    part_ids = np.full(shape, np.nan)
    part_ids[places] = ids[:, None] * parts + np.arange(parts)
    first, last = np.zeros((2, 2, *shape), dtype=np.intp)
    for k, x in enumerate((p, n)):
        first[k, places] = np.searchsorted(x, part_ids[places] * 0.5**depth)
        last[k, places, :-1] = first[k, places, 1:]
        last[k, places, -1] = cells.last[k, cells.split]
    first, last = first.reshape(2, -1), last.reshape(2, -1)
    whole = _Cells(depth, halvings, part_ids.ravel(), first, last, np.zeros(first.shape[1], bool))
    return whole._replace(split=_crowded(whole)) if depth < _DEEPEST else whole


def _crowded(cells: _Cells) -> Bools:
    """Return which cells hold too many pairs, by themselves or with a neighbour."""
    p, n = cells.sizes
    crowded = p * n > _CROWD
    with_left = cells.has_left[1:] & (p[1:] * n[:-1] > _CROWD)
    crowded[1:] |= with_left
    crowded[:-1] |= with_left
    return crowded


def _near_sums(p: Side, n: Side, below: Array, cells: _Cells, q: float) -> Iterator[float]:
    """Return the sums of d^q over the scores of cells with themselves and with left neighbours.

    A pair of which both are split is left to their parts.
    """
    x, w = p
    raised = raised_to(q)

    def near_sum(ranges: tuple[Array, Array, Array, Array]) -> float:
        p_first, p_last, n_first, n_last = ranges
        sizes = p_last - p_first
        rows = _rows(p_first, sizes, len(x))
        first = np.repeat(n_first, sizes)
        last = np.maximum(np.minimum(np.repeat(n_last, sizes), below[rows]), first)
        return sum_over_ranges(raised, (x[rows], None if w is None else w[rows]), n, first, last)

    return map(near_sum, _direct_ranges(cells))


def _direct_ranges(cells: _Cells) -> Iterator[tuple[Array, Array, Array, Array]]:
    """Yield ranges of positives, each with the one range of negatives that it meets directly.

    The scores of a cell of negatives follow those of its left neighbour, so two ranges become one.
    """
    left_too = cells.has_left
    left_too[1:] &= ~(cells.split[1:] & cells.split[:-1])
    (p_first, n_first), (p_last, n_last) = cells.first, cells.last
    n_last = np.where(cells.split, n_first, n_last)
    n_first = np.append(n_first[:1], np.where(left_too[1:], n_first[:-1], n_first[1:]))
    ranges = np.stack([p_first, p_last, n_first, n_last])[
        :, (p_last > p_first) & (n_last > n_first)
    ]
    blocks = ((ranges[1] - ranges[0]) * (ranges[3] - ranges[2])).cumsum() // _PAIRS_AT_ONCE
    for part in np.split(ranges, np.flatnonzero(blocks[1:] != blocks[:-1]) + 1, axis=1):
        if part.size:
            p_first, p_last, n_first, n_last = part
            yield p_first, p_last, n_first, n_last


def _far_sums(p: Side, n: Side, generations: Sequence[_Cells], q: float) -> Iterator[float]:
    """Yield the sums over the far pairs of cells, from the narrowest to the widest."""
    orders, moments = _orders(p, n, generations, q), np.empty((2, 0, _MOMENTS))
    sums: dict[int, Floats] = {}
    for cells, order in zip(reversed(generations), orders, strict=True):
        blocks: Iterable[Floats] = _moments_in_blocks(p, n, cells, moments, order[0])
        products = [np.zeros((2 * r, 2 * r)) for r in order[:-1]]
        for k, product in enumerate(products):
            blocks = _parents(blocks, product, order[k + 1])
            if k + 1 in (_HALVINGS_AT_ONCE, cells.halvings):
                found = list(blocks)
                moments = found[0] if len(found) == 1 else np.concatenate(found, axis=1)
                blocks = [moments]
        for k, product in enumerate(products):
            product *= 0.5 ** (q * (cells.depth - k))
            sums[order[k]] = product if order[k] not in sums else sums[order[k]] + product
        if len(generations) > 1:
            moments = moments[:, ~np.isnan(cells.ids[:: 1 << cells.halvings])]
    for size, product in sums.items():
        yield (product * _moment_table(q, size)).sum()


def _orders(p: Side, n: Side, generations: Sequence[_Cells], q: float) -> Iterator[list[int]]:
    """Yield how many moments the cells of each width need, from the narrowest to the widest.

    What an expansion leaves out counts no more than its pairs: those of narrow cells are few and close.
    """
    halvings = [cells.halvings for cells in reversed(generations)]
    needed = np.full(sum(halvings) + 1, _MOMENTS)
    if sum(len(cells.ids) for cells in generations) >= _MANY_CELLS:
        sums = np.concatenate([_far_weights(p, n, cells, q) for cells in reversed(generations)])
        needed = _fewest(sums, _left_out(q), _TOLERANCE * sums.sum())
    for start, count in zip(np.cumsum([0, *halvings]), halvings, strict=False):
        yield needed[start : start + count + 1].tolist()


def _fewest(sums: Floats, left_out: Floats, allowed: float) -> Array:
    """Return as few moments, level by level, as leave out so much in all.

    `sums` are those of the far pairs of each level, each of which sees all narrower cells.
    """
    padded = np.append(sums, np.zeros(_LEVELS_ABOVE))
    seen = np.lib.stride_tricks.sliding_window_view(padded, _LEVELS_ABOVE)
    each = allowed
    while True:
        enough = seen[:, :, None] * left_out <= each
        needed = enough.argmax(axis=2).max(axis=1).clip(_FEWEST_MOMENTS)
        if (seen * left_out[:, needed].T).sum() <= allowed:
            return needed
        each /= 4


def _far_weights(p: Side, n: Side, cells: _Cells, q: float) -> Floats:
    """Return the sums of (a cell's width)^q over the pairs in far halves, level by level."""
    held = []
    for (_, w), first, last in zip((p, n), cells.first, cells.last, strict=True):
        below = None if w is None else cumulative(np.abs(w))
        held.append(
            (last - first if below is None else below[last] - below[first]).astype(np.float64)
        )
    found = []
    for _ in range(cells.halvings):
        (left_p, right_p), (left_n, right_n) = (side.reshape(-1, 2).T for side in held)
        # Left with left and right with right lie two halves apart, right with left three.
        found.append((left_p[1:] * left_n[:-1] + right_p[1:] * (left_n + right_n)[:-1]).sum())
        held = [left_p + right_p, left_n + right_n]
    return np.array(found) * 0.5 ** (q * (cells.depth - np.arange(cells.halvings)))


def _parents(blocks: Iterable[Floats], products: Floats, order: int) -> Iterator[Floats]:
    """Yield so many moments of each two halves together; add to the products of far halves."""
    size = len(products)
    left, lift = np.zeros((1, size)), _lift(size // 2, order)
    for block in blocks:
        p, n = couples = block.reshape(2, -1, size)
        rows = len(n) if len(n) <= _ROWS_AT_ONCE else math.gcd(len(n), _ROWS_AT_ONCE)
        batches = (-1, rows, size)
        p, lefts = p.reshape(batches), np.concatenate([left, n[:-1]]).reshape(batches)
        products += p[0].T @ lefts[0] if len(p) == 1 else (p.transpose(0, 2, 1) @ lefts).sum(axis=0)
        left = n[-1:]
        yield (couples.reshape(batches) @ lift).reshape(2, -1, order)


@lru_cache(maxsize=64)
def _lift(order: int, order_above: int) -> Floats:
    """Return the matrix that turns the moments of two halves into those of both together."""
    return np.concatenate([half[:order, :order_above] for half in shift(_MOMENTS)])


def _moments_in_blocks(
    p: Side, n: Side, cells: _Cells, of_split: Floats, order: int
) -> Iterator[Floats]:
    """Return the moments of both classes in blocks of cells, of the split ones from `of_split`."""
    places, any_split = np.cumsum(cells.split) - 1, bool(cells.split.any())
    weighted = p[1] is not None or n[1] is not None

    def moments_from(start: int) -> Floats:
        part = slice(start, start + _CELLS_AT_ONCE)
        split, first = cells.split[part], cells.first[:, part]
        sizes = cells.last[:, part] - first
        if any_split:
            sizes[:, split] = 0
        rows = _rows(first[0], sizes[0], len(p[0])), _rows(first[1], sizes[1], len(n[0]))
        u = np.concatenate([p[0][rows[0]], n[0][rows[1]]])
        # Places within the cells, from -1 to 1.
        u *= 2.0 ** (cells.depth + 1)
        u -= np.repeat(np.tile(2 * cells.ids[part] + 1, 2), sizes.ravel())
        w = np.concatenate([weights_of(p, rows[0]), weights_of(n, rows[1])]) if weighted else None
        moments = moments_of_cells(u, w, sizes.ravel(), order).reshape(2, -1, order)
        if any_split:
            moments[:, split] = of_split[:, places[part][split]]
        return moments

    return map(moments_from, range(0, len(cells.ids), _CELLS_AT_ONCE))


def _rows(first: Array, sizes: Array, total: int) -> Any:
    """Return the rows in ranges, of so many in all: a slice where they follow each other."""
    count = int(sizes.sum())
    if count in (0, total):
        return slice(0, count)
    held = np.flatnonzero(sizes)
    start, stop = first[held[0]], first[held[-1]] + sizes[held[-1]]
    return (
        slice(start, stop) if stop - start == count else concatenated_ranges(first, first + sizes)
    )


@lru_cache(maxsize=64)
def _moment_table(q: float, order: int) -> Floats:
    """Return the coefficients of d^q between the two halves of a cell and of its left neighbour.

    Left with left and right with right lie 2 apart, right with left 3; left with right are near and
    belong to the next level.
    """
    two, three = coefficients(lambda d: d**q, np.array([2.0, 3.0]), _MOMENTS)[1][:, :order, :order]
    return np.block([[two, np.zeros_like(two)], [three, two]])


@lru_cache(maxsize=4)
def _left_out(q: float) -> Floats:
    """Return what so many moments of two cells leave out at most, a row a level of far pairs above.

    Cells within far ones k levels above lie 2^k + 1 apart or more; in units of those ones' (width)^q.
    """
    offsets = 2 ** np.arange(_LEVELS_ABOVE, dtype=np.longdouble) + 1
    power: Any = np.longdouble(q)
    tables = np.abs(coefficients(lambda d: d**power, offsets, _MOMENTS)[1])
    kept = [tables[:, :r, :r].sum(axis=(1, 2)) for r in range(_MOMENTS + 1)]
    # Scores of cells D apart differ by D - 1 widths or more.
    left_out: Any = (kept[-1] - np.array(kept)).T / (offsets[:, None] - 1) ** power
    return np.asarray(left_out, dtype=np.float64)
