"""Frames and record batches in chunks, and the columns of them that hold labels and scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._arrays import Array
from .sources import Arrays, Chunk, Chunks, Partitions, PartOf, Source, delayed_parts, is_dask

# A list of columns makes a matrix; those of a tuple stay apart.
Column = str | list[str] | tuple[str, ...]
# From the names of arrays to those of columns.
Columns = Mapping[str, Column]


class Frames(Source):
    """Columns of frames of pandas, polars, Dask or pyarrow that come in chunks.

    Parameters
    ----------
    data : Dask data frame, or iterable
        Of frames, tables, record batches or dicts of arrays.
    columns : dict of str to str, list of str or tuple of str
    """

    def __init__(self, data: Any, columns: Columns) -> None:
        self._frames = _frames(data)
        self._columns = columns
        self.repeatable = self._frames.repeatable

    def summed(self, part_of: PartOf) -> Any:
        return self._frames.summed(_OfColumns(part_of, self._columns))


@dataclass(frozen=True)
class _OfColumns:
    """Counts the columns of a frame."""

    part_of: PartOf
    columns: Columns

    def __call__(self, arrays: Arrays, before: Any) -> Any:
        frame = arrays["frame"]
        chosen = {name: _values(frame, column) for name, column in self.columns.items()}
        return self.part_of(chosen, before)


@dataclass(frozen=True)
class _Numbered:
    """Frames with their names; as often as the data can be gone through."""

    data: Iterable[Any]

    def __iter__(self) -> Iterator[Chunk]:
        for number, frame in enumerate(self.data):
            yield Chunk(f"chunk {number}", {"frame": frame})


def _frames(data: Any) -> Source:
    if is_dask(data):
        return Partitions([{"frame": part} for part in delayed_parts(data)])
    if hasattr(data, "columns") or isinstance(data, (str, dict)) or not isinstance(data, Iterable):
        raise TypeError(
            "data must be a Dask data frame or an iterable of frames or record batches, found "
            f"{type(data).__name__}; put a single frame into a list, and read a Parquet file by "
            "pyarrow.parquet.ParquetFile(path).iter_batches()."
        )
    chunks = _Numbered(data)
    return Chunks(iter(chunks) if isinstance(data, Iterator) else chunks)


def _values(frame: Any, column: Column) -> Any:
    if isinstance(column, tuple):
        return {name: _column(frame, name) for name in column}
    if isinstance(column, list):
        return np.column_stack([_column(frame, name) for name in column])
    return _column(frame, column)


def _column(frame: Any, name: str) -> Any:
    """Return a column of a frame, a table, a record batch or a dict of arrays."""
    known = getattr(getattr(frame, "schema", None), "names", None)
    if not isinstance(known, (list, tuple)) and not callable(known):
        known = list(getattr(frame, "columns", frame))
    if callable(known):
        known = list(known())
    if name not in known:
        raise ValueError(
            f"There is no column {name!r}; the columns are {', '.join(map(str, known))}."
        )
    values = frame[name]
    if hasattr(values, "dictionary_decode") or hasattr(values, "combine_chunks"):
        return _of_arrow(values)
    return values


def _of_arrow(values: Any) -> Array:
    """Return a column of pyarrow as an array; nulls become nan or None, and are refused as such."""
    if hasattr(values, "combine_chunks"):
        values = values.combine_chunks()
    if hasattr(values, "dictionary_decode"):
        values = values.dictionary_decode()
    return np.asarray(values.to_numpy(zero_copy_only=False))
