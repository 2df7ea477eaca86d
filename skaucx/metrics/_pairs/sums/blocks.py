"""The matrix h(p_i - n_j) of all pairs, cut into blocks of low rank, for many sums over it.

Away from d = 0 the powers and the logistic function are smooth, so a block of pairs is a product of
two thin matrices, found by adaptive cross approximation (Bebendorf 2000) from some of its rows and
columns. Row sums, column sums and the sums of many sets of weights then take near-linear time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy import special

from ...._arrays import Floats

# Blocks of so few pairs are held as they are.
_FEW_PAIRS = 1 << 14
# A block that needs a higher rank is split.
_HIGHEST_RANK = 48
# The error of a block, relative to its greatest value.
_TOLERANCE = 1e-14
# Multiplications of a product that BLAS leaves to one thread.
_ONE_THREAD = 240_000
# Rows, and columns, of a block on which an approximation is tried before it is trusted.
_PROBES = 7
# The widest block, in units of 1 / beta, that is tried across the bend of the logistic function.
_WIDEST = 32.0


class Kernel(NamedTuple):
    """A rising function h of the difference, and where a block of it is smooth.

    `smooth` takes the lowest and the highest positive, then the lowest and the highest negative.
    """

    h: Callable[[Floats], Floats]
    smooth: Callable[[float, float, float, float], bool]


class Block(NamedTuple):
    """Pairs of a range of positives with one of negatives: h is left @ right, or left alone."""

    rows: slice
    columns: slice
    left: Floats
    right: Floats | None

    def total(self, wp: Floats, wn: Floats) -> Floats:
        """Return the weighted sums over the block for weights (positives, b) and (negatives, b)."""
        mine, other = _thin(self.left, wp[self.rows]), wn[self.columns]
        if self.right is not None:
            other = _thin(self.right.T, other)
        return np.einsum("kb,kb->b", mine, other)


def _thin(factor: Floats, weight: Floats) -> Floats:
    """Return factor.T @ weight, in products too small for BLAS to start threads."""
    step = max(16, _ONE_THREAD // (factor.shape[1] * weight.shape[1]))
    sums = factor[:step].T @ weight[:step]
    for start in range(step, len(factor), step):
        sums += factor[start : start + step].T @ weight[start : start + step]
    return sums


def power(q: float) -> Kernel:
    """Return d^q where d > 0, else 0."""

    def h(d: Floats) -> Floats:
        # Powers of numbers <= 0 are slow: taken of 1, then put to 0.
        won = d > 0
        return np.where(won, np.where(won, d, 1.0) ** q, 0.0)

    return Kernel(h, lambda p_low, p_high, n_low, n_high: p_low >= n_high)


def logistic(beta: float) -> Kernel:
    """Return 1 / (1 + exp(-beta d))."""

    def smooth(p_low: float, p_high: float, n_low: float, n_high: float) -> bool:
        apart = p_low >= n_high or n_low >= p_high
        return apart or beta * (max(p_high, n_high) - min(p_low, n_low)) <= _WIDEST

    return Kernel(lambda d: special.expit(beta * d), smooth)


def low_rank_blocks(kernel: Kernel, positives: Floats, negatives: Floats) -> Iterator[Block]:
    """Cut the matrix of distinct scores, each class in rising order, into blocks.

    Pairs in no block count 0.
    """
    waiting = [(slice(0, len(positives)), slice(0, len(negatives)))]
    while waiting:
        rows, columns = waiting.pop()
        p, n = positives[rows], negatives[columns]
        if not len(p) or not len(n) or not kernel.h(p[-1:] - n[:1])[0] > 0:
            continue
        if len(p) * len(n) <= _FEW_PAIRS:
            yield Block(rows, columns, kernel.h(p[:, None] - n), None)
        elif kernel.smooth(p[0], p[-1], n[0], n[-1]) and (cross := _cross(kernel.h, p, n)):
            yield Block(rows, columns, *cross)
        else:
            waiting += _quarters(p, n, rows.start, columns.start)


def sums_of_each(
    kernel: Kernel, positives: Floats, negatives: Floats, wp: Floats, wn: Floats
) -> tuple[Floats, Floats]:
    """Return the sum of h over the other class for each positive and for each negative.

    Distinct scores of each class in rising order, with their weights.
    """
    of_positives, of_negatives = np.zeros(len(positives)), np.zeros(len(negatives))
    for rows, columns, left, right in low_rank_blocks(kernel, positives, negatives):
        if right is None:
            of_positives[rows] += left @ wn[columns]
            of_negatives[columns] += wp[rows] @ left
        else:
            of_positives[rows] += left @ (right @ wn[columns])
            of_negatives[columns] += (wp[rows] @ left) @ right
    return of_positives, of_negatives


def _quarters(p: Floats, n: Floats, row: int, column: int) -> list[tuple[slice, slice]]:
    """Split a block at the median of its scores."""
    middle = np.partition(np.concatenate([p, n]), (len(p) + len(n)) // 2)[(len(p) + len(n)) // 2]
    i, j = (int(np.searchsorted(scores, middle)) for scores in (p, n))
    rows = slice(row, row + i), slice(row + i, row + len(p))
    columns = slice(column, column + j), slice(column + j, column + len(n))
    return [(r, c) for r in rows for c in columns]


def _cross(h: Callable[[Floats], Floats], p: Floats, n: Floats) -> tuple[Floats, Floats] | None:
    """Return thin factors of h(p_i - n_j), or None where their rank is too high."""
    left, right = np.empty((_HIGHEST_RANK, len(p))), np.empty((_HIGHEST_RANK, len(n)))
    i, negligible = len(p) - 1, _TOLERANCE * float(h(p[-1:] - n[:1])[0])
    for k in range(_HIGHEST_RANK):
        row = h(p[i] - n) - left[:k, i] @ right[:k]
        j = int(np.argmax(np.abs(row)))
        if abs(row[j]) <= negligible:
            i, j = _worst(h, p, n, left[:k], right[:k])
            row = h(p[i] - n) - left[:k, i] @ right[:k]
            if abs(row[j]) <= negligible:
                return left[:k].T, right[:k]
        left[k], right[k] = (h(p - n[j]) - right[:k, j] @ left[:k]) / row[j], row
        left[k, i] = 1.0
        rest = np.abs(left[k])
        rest[i] = 0
        i = int(np.argmax(rest))
    return None


def _worst(
    h: Callable[[Floats], Floats], p: Floats, n: Floats, left: Floats, right: Floats
) -> tuple[int, int]:
    """Return the worst place of an approximation among some rows and some columns of the block."""
    rows, columns = (np.linspace(0, len(scores) - 1, _PROBES).astype(int) for scores in (p, n))
    across = np.abs(h(p[rows, None] - n) - left[:, rows].T @ right)
    down = np.abs(h(p[:, None] - n[columns]) - left.T @ right[:, columns])
    if across.max() >= down.max():
        i, j = np.unravel_index(np.argmax(across), across.shape)
        return int(rows[i]), int(j)
    i, j = np.unravel_index(np.argmax(down), down.shape)
    return int(i), int(columns[j])
