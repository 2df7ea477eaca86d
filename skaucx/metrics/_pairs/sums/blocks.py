"""The matrix h(p_i - n_j) of all pairs, cut into blocks of low rank, for many sums over it.

Where h is smooth a block of pairs is a product of two thin matrices, found by adaptive cross
approximation (Bebendorf 2000) from some of its rows and columns. Row sums, column sums and the sums of
many sets of weights then take near-linear time, for any h. One sum alone is many times as fast by the
moments of cells (`power_tree`, `logistic_grid`), which is why kernels of which the size of that
expansion is known bring their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from ...._arrays import Floats

Difference: TypeAlias = Callable[[Floats], Floats]

# Blocks of so few pairs are held as they are.
_FEW_PAIRS = 1 << 14
# Pairs of a block of a function of which nothing is known: bounds the memory.
_PAIRS_AT_ONCE = 1 << 20
# A block that needs a higher rank is split.
_HIGHEST_RANK = 48
# The error of a block, relative to its greatest value.
_TOLERANCE = 1e-14
# Multiplications of a product that BLAS leaves to one thread.
_ONE_THREAD = 240_000
# Rows, and columns, of a block on which an approximation is tried before it is trusted.
_PROBES = 7


class Block(NamedTuple):
    """Pairs of a range of positives with one of negatives: h is left @ right, or left alone."""

    rows: slice
    columns: slice
    left: Floats
    right: Floats | None

    @property
    def size(self) -> int:
        """How many numbers it holds."""
        return self.left.size + (0 if self.right is None else self.right.size)

    def total(self, wp: Floats, wn: Floats) -> Floats:
        """Return the weighted sums over the block for weights (positives, b) and (negatives, b)."""
        mine, other = _thin(self.left, wp[self.rows]), wn[self.columns]
        if self.right is not None:
            other = _thin(self.right.T, other)
        return np.einsum("kb,kb->b", mine, other)

    def add_sums(self, wp: Floats, wn: Floats, of_positives: Floats, of_negatives: Floats) -> None:
        """Add the sums over the block for each positive, and for each negative."""
        across, down = wn[self.columns], wp[self.rows] @ self.left
        if self.right is not None:
            across, down = self.right @ across, down @ self.right
        of_positives[self.rows] += self.left @ across
        of_negatives[self.columns] += down


def _thin(factor: Floats, weight: Floats) -> Floats:
    """Return factor.T @ weight, in products too small for BLAS to start threads."""
    step = max(16, _ONE_THREAD // max(1, factor.shape[1] * weight.shape[1]))
    sums = factor[:step].T @ weight[:step]
    for start in range(step, len(factor), step):
        sums += factor[start : start + step].T @ weight[start : start + step]
    return sums


def whole_blocks(h: Difference, positives: Floats, negatives: Floats) -> Iterator[Block]:
    """Cut the matrix of any function into blocks of all negatives, held as they are."""
    columns = slice(0, len(negatives))
    step = max(1, _PAIRS_AT_ONCE // max(1, len(negatives)))
    for start in range(0, len(positives), step):
        rows = slice(start, min(start + step, len(positives)))
        yield Block(rows, columns, h(positives[rows, None] - negatives) * 1.0, None)


def low_rank_blocks(
    h: Difference,
    is_smooth: Callable[[float, float], bool],
    positives: Floats,
    negatives: Floats,
    zero_up_to: float = -np.inf,
) -> Iterator[Block]:
    """Cut the matrix of distinct scores, each class in rising order, into blocks.

    `is_smooth` tells whether h is smooth at all differences between two. h is 0 at differences up to
    `zero_up_to`; pairs in no block count 0.
    """
    waiting = [(slice(0, len(positives)), slice(0, len(negatives)))]
    while waiting:
        rows, columns = waiting.pop()
        p, n = positives[rows], negatives[columns]
        if not len(p) or not len(n) or p[-1] - n[0] <= zero_up_to:
            continue
        if len(p) * len(n) <= _FEW_PAIRS:
            yield Block(rows, columns, h(p[:, None] - n), None)
        elif is_smooth(p[0] - n[-1], p[-1] - n[0]) and (cross := _cross(h, p, n)):
            yield Block(rows, columns, *cross)
        else:
            waiting += _quarters(p, n, rows.start, columns.start)


def _quarters(p: Floats, n: Floats, row: int, column: int) -> list[tuple[slice, slice]]:
    """Split a block at the median of its scores, or each side by itself where they lie apart."""
    if p[0] >= n[-1] or n[0] >= p[-1]:
        i, j = len(p) // 2, len(n) // 2
    else:
        scores = np.concatenate([p, n])
        middle = np.partition(scores, len(scores) // 2)[len(scores) // 2]
        i, j = (int(np.searchsorted(side, middle)) for side in (p, n))
    rows = slice(row, row + i), slice(row + i, row + len(p))
    columns = slice(column, column + j), slice(column + j, column + len(n))
    return [(r, c) for r in rows for c in columns]


def _cross(h: Difference, p: Floats, n: Floats) -> tuple[Floats, Floats] | None:
    """Return thin factors of h(p_i - n_j), or None where their rank is too high."""
    left, right = np.empty((_HIGHEST_RANK, len(p))), np.empty((_HIGHEST_RANK, len(n)))
    i, greatest = len(p) - 1, 0.0
    for k in range(_HIGHEST_RANK):
        row = h(p[i] - n) - left[:k, i] @ right[:k]
        j = int(np.argmax(np.abs(row)))
        greatest = max(greatest, abs(row[j]))
        if abs(row[j]) <= _TOLERANCE * greatest:
            i, j = _worst(h, p, n, left[:k], right[:k])
            row = h(p[i] - n) - left[:k, i] @ right[:k]
            if abs(row[j]) <= _TOLERANCE * greatest:
                return left[:k].T, right[:k]
        left[k], right[k] = (h(p - n[j]) - right[:k, j] @ left[:k]) / row[j], row
        left[k, i] = 1.0
        rest = np.abs(left[k])
        rest[i] = 0
        i = int(np.argmax(rest))
    return None


def _worst(h: Difference, p: Floats, n: Floats, left: Floats, right: Floats) -> tuple[int, int]:
    """Return the worst place of an approximation among some rows and some columns of the block."""
    rows, columns = (np.linspace(0, len(scores) - 1, _PROBES).astype(int) for scores in (p, n))
    across = np.abs(h(p[rows, None] - n) - left[:, rows].T @ right)
    down = np.abs(h(p[:, None] - n[columns]) - left.T @ right[:, columns])
    if across.max() >= down.max():
        i, j = np.unravel_index(np.argmax(across), across.shape)
        return int(rows[i]), int(j)
    i, j = np.unravel_index(np.argmax(down), down.shape)
    return int(i), int(columns[j])
