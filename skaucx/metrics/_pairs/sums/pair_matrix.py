"""The matrix h(p_i - n_j) of all pairs as an operator on weights: one, or many sets of them at once.

Row sums, column sums and the sums of many resamples are products with it. Where h is smooth it is taken
apart into pairs of cells and the products take linear time. A single sum alone is several times as
fast by `power_tree` and `logistic_grid`, which are written for one h each.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from ...._arrays import Codes, Floats
from .cell_pairs import (
    MOMENTS,
    Cells,
    Difference,
    Level,
    Scaled,
    concatenated_ranges,
    levels_of,
    polynomials,
    shift,
)

# Up to so many pairs the matrix is held as it is.
_FEW_PAIRS = 1 << 18
# Pairs, or coefficients, in one piece of a matrix; numbers of a matrix that are kept from one product
# to the next (each with its place, 128 MB). Together they bound the memory.
_AT_ONCE = 1 << 20
_MOST_KEPT = 1 << 23
# Two cells with at most so many pairs are near: many where the values are kept and only multiplied, few
# where there are more scores than that, as every product evaluates them anew.
_FEW_PAIRS_KEPT, _MOST_SCORES_KEPT, _FEW_PAIRS_ANEW = 4000, 100_000, 640
# Multiplications of a product that BLAS leaves to one thread.
_ONE_THREAD = 240_000


class PairMatrix(ABC):
    """The matrix of h over the distinct scores of positives (rows) and negatives (columns)."""

    @abstractmethod
    def over_negatives(self, weight: Floats) -> Floats:
        """Return the sums over the negatives, (positives, b), for their weights, (negatives, b)."""

    @abstractmethod
    def over_positives(self, weight: Floats) -> Floats:
        """Return the sums over the positives, (negatives, b), for their weights, (positives, b)."""


class Pieces:
    """Parts of a matrix: kept after their first use where they are small, else made for each."""

    def __init__(self, make: Callable[[], Iterator[Any]], numbers: float) -> None:
        self._make, self._small = make, numbers <= _MOST_KEPT
        self._kept: list[Any] | None = None

    def __iter__(self) -> Iterator[Any]:
        if not self._small:
            return self._make()
        if self._kept is None:
            self._kept = list(self._make())
        return iter(self._kept)


class WholeMatrix(PairMatrix):
    """The matrix of any function, pair by pair in pieces of bounded memory."""

    def __init__(self, h: Difference, positives: Floats, negatives: Floats) -> None:
        self.h, self.positives, self.negatives = h, positives, negatives
        self._pieces = Pieces(self._rows, float(len(positives)) * len(negatives))

    def _rows(self) -> Iterator[tuple[slice, Floats]]:
        step = max(1, _AT_ONCE // max(1, len(self.negatives)))
        for start in range(0, len(self.positives), step):
            rows = slice(start, start + step)
            yield rows, self.h(self.positives[rows, None] - self.negatives) * 1.0

    def over_negatives(self, weight: Floats) -> Floats:
        sums = np.empty((len(self.positives), weight.shape[1]))
        for rows, piece in self._pieces:
            sums[rows] = _product(piece, weight)
        return sums

    def over_positives(self, weight: Floats) -> Floats:
        sums = np.zeros((len(self.negatives), weight.shape[1]))
        for rows, piece in self._pieces:
            sums += _product(piece.T, weight[rows])
        return sums


def _product(matrix: Floats, weight: Floats) -> Floats:
    """Return matrix @ weight, in products too small for BLAS to start threads."""
    least = 1 if weight.shape[1] == 1 else 16  # several sets of weights need rows to be fast at all
    step = max(least, _ONE_THREAD // max(1, matrix.shape[1] * weight.shape[1]))
    if len(matrix) <= step:
        return matrix @ weight
    parts = [matrix[start : start + step] @ weight for start in range(0, len(matrix), step)]
    return np.concatenate(parts)


class CellMatrix(PairMatrix):
    """The matrix of a function that is smooth in parts: near pairs, and expansions of far cells."""

    def __init__(self, h: Difference, x: Scaled, levels: list[Level]) -> None:
        self.h, self.x, self.levels = h, x, levels
        self._bases = [
            [self._basis(level.depth, level.cells[k], x.sides[k]) for level in levels]
            for k in (0, 1)
        ]
        pairs = sum(float(_near_pairs(level).sum()) for level in levels)
        self._near = Pieces(self._near_pieces, pairs)

    def over_negatives(self, weight: Floats) -> Floats:
        sums = self._over(1, 0, weight)
        for piece in self._near:
            sums += piece @ weight
        return sums

    def over_positives(self, weight: Floats) -> Floats:
        sums = self._over(0, 1, weight)
        for piece in self._near:
            sums += piece.T @ weight
        return sums

    def _over(self, source: int, target: int, weight: Floats) -> Floats:
        """Return the sums over far cells of one class for each score of the other."""
        moments = self._moments(source, weight)
        sums = np.zeros((len(self.x.sides[target]), weight.shape[1]))
        seen = np.zeros((0, MOMENTS, weight.shape[1]))
        for k, level in enumerate(self.levels):
            cells = level.cells[target]
            seen = _passed_down(cells, seen) if k else np.zeros((len(cells.ids), *seen.shape[1:]))
            # What far cells add to the expansion around a cell: A_D M, with M the moments of the other.
            for far in level.far:
                table = far.table if target == 0 else far.table.T
                seen[far.places[target]] += _each(table, moments[k][far.places[source]])
            # Add the expansions around the cells that are not split, at their scores.
            for places, rows, piece in self._bases[target][k]:
                sums[rows] += piece.T @ seen[places].reshape(-1, sums.shape[1])
        return sums

    def _moments(self, source: int, weight: Floats) -> list[Floats]:
        """Return the moments of the cells of every level, from their scores or their halves."""
        found: list[Floats] = []
        below: tuple[Cells, Floats] | None = None
        for level, basis in zip(self.levels[::-1], self._bases[source][::-1], strict=True):
            cells = level.cells[source]
            moments = np.zeros((len(cells.ids), MOMENTS, weight.shape[1]))
            for places, rows, piece in basis:
                moments[places] = (piece @ weight[rows]).reshape(-1, MOMENTS, weight.shape[1])
            if below is not None:
                _pass_up(*below, moments)
            below = cells, moments
            found.append(moments)
        return found[::-1]

    def _basis(self, depth: int, cells: Cells, x: Floats) -> Pieces:
        """Return the polynomials T_m(u) at the scores of the cells that are not split."""
        whole = np.flatnonzero(~cells.split)

        def make() -> Iterator[tuple[Codes, Codes, Any]]:
            for places in _groups(whole, cells.sizes[whole], _AT_ONCE // MOMENTS):
                sizes = cells.sizes[places]
                rows = concatenated_ranges(cells.first[places], cells.last[places])
                # Places within the cells, from -1 to 1.
                middles = np.repeat(2 * cells.ids[places] + 1, sizes)
                u = x[rows] * 2.0 ** (depth + 1) - middles
                yield places, rows, _blocks_of_cells(polynomials(u, MOMENTS), sizes)

        return Pieces(make, float(cells.sizes[whole].sum()) * MOMENTS)

    def _near_pieces(self) -> Iterator[Any]:
        """Yield the near pairs as sparse matrices."""
        x, y = self.x.sides
        for level in self.levels:
            (p, n), (a, b) = level.cells, level.near
            for places in _groups(np.arange(len(a)), _near_pairs(level), _AT_ONCE):
                of_p, of_n = a[places], b[places]
                rows = concatenated_ranges(p.first[of_p], p.last[of_p])
                others = np.repeat(of_n, p.sizes[of_p])
                columns = concatenated_ranges(n.first[others], n.last[others])
                rows = np.repeat(rows, n.sizes[others])
                values = self.h((x[rows] - y[columns]) * self.x.scale)
                yield sparse.coo_array((values, (rows, columns)), shape=(len(x), len(y))).tocsr()


def _near_pairs(level: Level) -> Codes:
    """Return how many pairs of scores each near pair of cells holds."""
    (p, n), (a, b) = level.cells, level.near
    return p.sizes[a] * n.sizes[b]


def _groups(places: Codes, sizes: Codes, most: int) -> Iterator[Codes]:
    """Cut places into groups that together hold about `most` each."""
    if len(places):
        group = np.cumsum(sizes) // most
        yield from np.split(places, np.flatnonzero(np.diff(group)) + 1)


def _blocks_of_cells(values: Floats, sizes: Codes) -> Any:
    """Return the sparse matrix (cells * moments, scores) of the values (scores, moments)."""
    count, size = len(sizes), len(values)
    cell = np.repeat(np.arange(count), sizes)
    by_score = sparse.csr_array(
        (
            values.ravel(),
            (cell[:, None] * MOMENTS + np.arange(MOMENTS)).ravel(),
            np.arange(0, size * MOMENTS + 1, MOMENTS),
        ),
        shape=(size, count * MOMENTS),
    )
    return by_score.T.tocsr()


def _each(table: Floats, moments: Floats) -> Floats:
    """Return table @ moments of each cell."""
    return np.einsum("km,cmb->ckb", table, moments, optimize=True)


def _passed_down(cells: Cells, seen: Floats) -> Floats:
    """Return the expansions around halves of those around their cells."""
    left, right = shift(MOMENTS)
    found = seen[cells.parent]
    odd = cells.ids % 2 == 1
    found[~odd] = _each(left, found[~odd])
    found[odd] = _each(right, found[odd])
    return found


def _pass_up(cells: Cells, moments: Floats, above: Floats) -> None:
    """Add the moments of halves to those of their cells."""
    odd = cells.ids % 2 == 1
    for half, matrix in zip((~odd, odd), shift(MOMENTS), strict=True):
        above[cells.parent[half]] += _each(matrix.T, moments[half])


def pair_matrix(
    h: Difference,
    is_smooth: Callable[[float, float], bool],
    zero_up_to: float,
    positives: Floats,
    negatives: Floats,
) -> PairMatrix:
    """Return the matrix of distinct scores in rising order, for an h that is smooth where it says."""
    few = len(positives) * len(negatives) <= _FEW_PAIRS
    with np.errstate(over="ignore"):
        span = max(positives[-1], negatives[-1]) - min(positives[0], negatives[0]) if not few else 0
    if few or not np.isfinite(span):
        return WholeMatrix(h, positives, negatives)
    x = Scaled.of(positives, negatives)
    kept = len(positives) + len(negatives) <= _MOST_SCORES_KEPT
    near = _FEW_PAIRS_KEPT if kept else _FEW_PAIRS_ANEW
    return CellMatrix(h, x, list(levels_of(h, is_smooth, zero_up_to, x, near)))
