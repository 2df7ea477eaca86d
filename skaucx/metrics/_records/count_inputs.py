"""Counts, confusion tables and costs that are given as such, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._arrays import Floats, float_array


def check_counts(counts: dict[str, Any]) -> list[Floats]:
    """Check the four counts of a confusion table: finite, non-negative, of shapes that broadcast."""
    arrays = [float_array(value, name, scalar=True) for name, value in counts.items()]
    for name, array in zip(counts, arrays, strict=True):
        if not np.isfinite(array).all() or (array < 0).any():
            raise ValueError(f"{name} must hold finite counts >= 0, found {counts[name]!r}.")
    try:
        return list(np.broadcast_arrays(*arrays))
    except ValueError:
        shapes = {name: array.shape for name, array in zip(counts, arrays, strict=True)}
        raise ValueError(f"The counts must have shapes that broadcast, found {shapes}.") from None


def check_table(table: Any) -> Floats:
    """Check a K x K confusion matrix (rows true, columns predicted), leading axes allowed."""
    (array,) = check_counts({"table": table})
    if array.ndim < 2 or array.shape[-1] != array.shape[-2] or array.shape[-1] < 2:
        raise ValueError(
            f"table must be K x K with K >= 2 (rows true, columns predicted), found shape "
            f"{array.shape}."
        )
    return array


def check_single_table(table: Any) -> Floats:
    """Check one K x K confusion matrix."""
    array = check_table(table)
    if array.ndim != 2:
        raise ValueError(f"One table of shape (K, K) is needed, found shape {array.shape}.")
    return array


def check_cost(cost: Any, classes: int) -> Floats:
    """Check a K x K matrix of costs, ``cost[true, predicted]``."""
    array = float_array(cost, "cost")
    if array.shape != (classes, classes) or not np.isfinite(array).all():
        raise ValueError(
            f"cost must be a finite {classes} x {classes} matrix, cost[true, predicted], found "
            f"shape {array.shape}; name all classes with labels= if some do not occur."
        )
    return array


def check_binary(table: Floats) -> Floats:
    """Check that several confusion tables are 2 x 2."""
    if table.shape[-1] != 2:
        raise ValueError(
            f"A stack of tables must be 2 x 2 for this metric, found shape {table.shape}; pass "
            "K x K tables one at a time, with average=."
        )
    return table
