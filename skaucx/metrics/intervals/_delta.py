"""The delta method for any metric of a confusion table: multinomial cells, numerical gradient."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..._arrays import Floats

# Relative change of a cell; the rule of fourth order below leaves an error near 1e-12.
_STEP = 1e-3
# Weights of the differences at 1 and 2 steps.
_RULE = ((1, 2 / 3), (2, -1 / 12))
# Cells of changed tables that are held at once.
_CELLS_AT_ONCE = 1 << 20
# Examples added in all, evenly over the cells, where the table itself gives no variance; in a binary
# table that is 1/2 a cell (Haldane 1956, Anscombe 1956).
_ADDED = 2.0


def standard_error(value: Callable[[Floats], Floats], table: Floats) -> Floats:
    """Return the standard error of a function of one table of counts.

    Parameters
    ----------
    value : callable
        Takes tables of shape (..., K, K) and returns values of shape (...) or (..., C).
    table : ndarray of shape (K, K)

    Notes
    -----
    The cells are multinomial with n fixed, so for the gradient g with respect to the counts c the
    variance is sum g^2 c - (sum g c)^2 / n. An empty cell adds nothing.
    """
    slopes = _slopes(value, table)
    counts = table[table > 0].reshape(-1, *[1] * (slopes.ndim - 1))
    variance = (slopes**2 / counts).sum(axis=0) - slopes.sum(axis=0) ** 2 / table.sum()
    return np.sqrt(np.maximum(variance, 0))


def gradient(value: Callable[[Floats], Floats], table: Floats) -> Floats:
    """Return the derivatives with respect to the cells of a table, 0 for its empty cells."""
    found = np.zeros(table.shape)
    found[table > 0] = _slopes(value, table) / table[table > 0]
    return found


def _slopes(value: Callable[[Floats], Floats], table: Floats) -> Floats:
    """Return c times the derivative with respect to c for every cell that is not empty."""
    cells = np.flatnonzero(table)
    at_once = max(1, _CELLS_AT_ONCE // table.size)
    parts = []
    for start in range(0, len(cells), at_once):
        chosen = cells[start : start + at_once]
        changes = np.zeros((len(chosen), table.size))
        changes[np.arange(len(chosen)), chosen] = _STEP * table.ravel()[chosen]
        changes = changes.reshape(-1, *table.shape)
        with np.errstate(invalid="ignore"):  # an infinite ratio has no slope
            parts.append(
                sum(
                    weight * (value(table + steps * changes) - value(table - steps * changes))
                    for steps, weight in _RULE
                )
                / np.asarray(_STEP)
            )
    return np.concatenate(parts)


def called_alike(table: Floats) -> bool:
    """Whether all examples of some class have the same prediction: that hides its variance."""
    return bool((((table > 0).sum(axis=-1) == 1) & (table.sum(axis=-1) > 0)).any())


def smoothed(table: Floats) -> Floats:
    """Return the table with two examples more, spread evenly over its cells."""
    return table + _ADDED / table.size
