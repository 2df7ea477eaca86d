"""The delta method for any metric of a confusion table: multinomial cells, numerical gradient."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..._arrays import Floats

# Relative change of a cell; the rule of fourth order below leaves an error near 1e-12.
_STEP = 1e-3
# Weights of the differences at 1 and 2 steps.
_RULE = ((1, 2 / 3), (2, -1 / 12))
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
    cells = np.flatnonzero(table)
    counts = table.ravel()[cells]
    changes = np.zeros((len(cells), *table.shape))
    changes.reshape(len(cells), -1)[np.arange(len(cells)), cells] = _STEP * counts
    # c times the derivative with respect to c
    with np.errstate(invalid="ignore"):  # an infinite ratio has no slope
        slopes = sum(
            weight * (value(table + steps * changes) - value(table - steps * changes))
            for steps, weight in _RULE
        ) / np.asarray(_STEP)
    counts = counts.reshape(-1, *[1] * (np.ndim(slopes) - 1))
    variance = (slopes**2 / counts).sum(axis=0) - slopes.sum(axis=0) ** 2 / table.sum()
    return np.sqrt(np.maximum(variance, 0))


def called_alike(table: Floats) -> bool:
    """Whether all examples of some class have the same prediction: that hides its variance."""
    return bool((((table > 0).sum(axis=-1) == 1) & (table.sum(axis=-1) > 0)).any())


def smoothed(table: Floats) -> Floats:
    """Return the table with two examples more, spread evenly over its cells."""
    return table + _ADDED / table.size
