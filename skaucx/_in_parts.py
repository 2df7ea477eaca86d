"""Rows that come in parts, and the one place through which the core hands them to a reader of these.

The core computes from arrays in memory. Iterators of chunks, collections of Dask, frames and files in
batches, and counts of rows are handed to what a package announces in the group ``skaucx.sources``: a
module, or an object, with the functions of :class:`Reader`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, cast

import numpy as np

from ._annexes import announced, require


class CountedRows:
    """Counts that functions of labels and scores take in place of the labels.

    Attributes
    ----------
    weighted : bool
        Whether the rows were weighed.
    """

    weighted: bool


class Reader(Protocol):
    """The functions of an announced source."""

    def counts(self, row: Any, first: Any, second: Any, options: Any = None, **arrays: Any) -> Any:
        """Count the two arrays of a metric, and further arrays by name.

        The counts have a `state`, from which metrics are read, and a `sample`, from which intervals are
        computed. With options no more is kept than the metric needs.
        """

    def ranking(self, y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any) -> Any:
        """Return a ranking of one score an example, or of the ends of cells of scores."""

    def probabilities(self, total: Any, y_true: Any, y_proba: Any, sample_weight: Any) -> Any:
        """Return the state of one probability an example, of which a total is kept."""

    def evaluated(self, data: Any, arrays: Any, by: Any, labels: Any, requested: Any) -> Any:
        """Return the evaluation of rows, or of each of their groups."""

    def accumulator(self, metrics: Any, **options: Any) -> Any:
        """Return what counts chunks one after another, for the command line."""

    def counts_all(self, metrics: Any) -> bool:
        """Whether counts of chunks determine all requested metrics."""

    def evaluated_groups(self, groups: Any, name: str, parameters: Any, **options: Any) -> Any:
        """Return the evaluation of groups of which each was counted in an accumulator."""


def is_dask(values: Any) -> bool:
    """Whether values are a collection of Dask: partitions that another process may hold."""
    return hasattr(values, "__dask_graph__")


def in_parts(*values: Any) -> bool:
    """Whether one of some arrays comes in parts: as an iterator, a collection of Dask, or counts."""
    return any(
        type(each) is not np.ndarray and (is_dask(each) or isinstance(each, Iterator | CountedRows))
        for each in values
    )


def announced_reader() -> Reader | None:
    """Return the announced reader of rows in parts, None where no package announces one."""
    return cast("Reader | None", next(iter(announced("skaucx.sources").values()), None))


def reader() -> Reader:
    """Return the announced reader of rows in parts; raise an error where there is none."""
    found = announced_reader()
    if found is None:
        raise require("scale", "Reading rows in chunks, in batches of frames or from files")
    return found


def is_bounded(value: Any) -> bool:
    """Whether a value of rows in parts is known by a lower and an upper bound only."""
    return hasattr(value, "width")
