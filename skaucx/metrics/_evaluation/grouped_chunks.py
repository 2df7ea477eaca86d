"""Rows in chunks, counted by group: one state a group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import Any

import numpy as np

from ..._arrays import Codes, take_rows, weight_vector
from .._chunks.aggregation import Aggregate, Settings, aggregate_of, refuse_no_rows, rows_that_count
from .._chunks.sources import Arrays, Source
from ..kinds.base import TRUE, WEIGHT
from .partition import Partition

BY = "by"


@dataclass(frozen=True, eq=False)
class GroupTallies:
    """Counts of the rows of each group; those of all rows are their sum.

    Parameters
    ----------
    names : tuple of str
        The names of the columns that part the rows.
    parts : dict of group to Tally
    """

    names: tuple[str, ...]
    parts: Mapping[Any, Aggregate]

    def __add__(self, other: GroupTallies) -> GroupTallies:
        """Return the counts of the rows of both."""
        parts = dict(self.parts)
        for key, aggregate in other.parts.items():
            parts[key] = parts[key] + aggregate if key in parts else aggregate
        return GroupTallies(self.names, parts)

    @property
    def whole(self) -> Aggregate:
        """The counts of all rows."""
        return reduce(add, self.parts.values())


def tallied_by_group(source: Source, settings: Settings) -> GroupTallies:
    """Count the rows of every group of a source, groups in order."""
    total = source.summed(partial(_tallies_of, settings))
    if total is None:
        raise refuse_no_rows(settings)
    return GroupTallies(total.names, {key: total.parts[key] for key in sorted(total.parts)})


def _tallies_of(
    settings: Settings, arrays: Arrays, before: GroupTallies | None = None
) -> GroupTallies | None:
    """Count the rows of a chunk by group."""
    if not rows_that_count(arrays):
        return None
    arrays = dict(arrays)
    parts = Partition.of(arrays.pop(BY), arrays[TRUE], arrays.get(WEIGHT))
    weight = weight_vector(arrays.get(WEIGHT))
    rows = np.arange(len(parts.codes)) if weight is None else np.flatnonzero(weight > 0)
    known: Mapping[Any, Aggregate] = {} if before is None else before.parts
    found: dict[Any, Aggregate] = {}
    for code, key in enumerate(parts.keys):
        own = rows[parts.codes == code]
        aggregate = aggregate_of(settings, _taking(arrays, own), known.get(key))
        found |= {} if aggregate is None else {key: aggregate}
    return GroupTallies(parts.names, found)


def _taking(arrays: Mapping[str, Any], rows: Codes) -> dict[str, Any]:
    given = {name: values for name, values in arrays.items() if values is not None}
    return {
        name: take_rows(values if hasattr(values, "shape") else np.asarray(values), rows)
        for name, values in given.items()
    }
