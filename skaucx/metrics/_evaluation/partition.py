"""Columns that part the rows into groups, and their intersections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._arrays import Codes, check_same_length, group_codes, weight_vector


@dataclass(frozen=True, eq=False)
class Partition:
    """The groups of the rows that weigh something.

    Attributes
    ----------
    names : tuple of str
        The names of the columns.
    keys : tuple
        The groups that occur, in order: a value, or a tuple of one value a column.
    codes : ndarray of shape (n_rows,), int
        The group of each row.
    """

    names: tuple[str, ...]
    keys: tuple[Any, ...]
    codes: Codes

    @classmethod
    def of(cls, by: Any, y_true: Any, sample_weight: Any = None) -> Partition:
        """Take one column, a matrix, a dict or a data frame of columns."""
        columns = _columns(by)
        true, weight = np.asarray(y_true), weight_vector(sample_weight)
        kept = np.ones(len(true), dtype=bool) if weight is None else weight > 0
        values, codes = [], []
        for name, column in columns.items():
            check_same_length({"y_true": true, f"by {name}": column})
            codes.append(group_codes(column, {"y_true": true})[kept])
            values.append(np.unique(np.asarray(column)).tolist())
        found, group = np.unique(np.stack(codes, axis=1), axis=0, return_inverse=True)
        keys = [tuple(v[k] for v, k in zip(values, row, strict=True)) for row in found.tolist()]
        single = [key[0] for key in keys] if len(columns) == 1 else keys
        return cls(tuple(columns), tuple(single), group.ravel().astype(np.intp))


def _columns(by: Any) -> dict[str, Any]:
    """Return the columns by their names."""
    if isinstance(by, Mapping) or hasattr(by, "columns"):
        found = {str(name): np.asarray(by[name]) for name in by}
    else:
        array = np.asarray(by)
        if array.ndim not in (1, 2):
            raise ValueError(
                f"by must hold one value a row, or one column or more, found shape {array.shape}."
            )
        name = str(getattr(by, "name", None) or "group")
        parts = [array] if array.ndim == 1 else list(array.T)
        found = (
            {name: array} if len(parts) == 1 else {f"{name} {k}": c for k, c in enumerate(parts)}
        )
    if not found:
        raise ValueError("by holds no column; pass one value a row at least.")
    return found
