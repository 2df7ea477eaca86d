"""Frames and record batches in chunks, and the columns of them that hold labels and scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from os import PathLike
from typing import Any

import numpy as np

from ..._arrays import Array
from ..._compat import import_arrow, import_extra
from .sources import Arrays, Chunk, Chunks, Partitions, PartOf, Source, delayed_parts, is_dask

# Counting a chunk costs a merge with all cells so far: batches of engines are smaller, and joined.
_ROWS_AT_ONCE = 1 << 20

# A list of columns makes a matrix; those of a tuple stay apart.
Column = str | list[str] | tuple[str, ...]
# From the names of arrays to those of columns.
Columns = Mapping[str, Column]


class Frames(Source):
    """Columns of frames of pandas, polars, Dask or pyarrow that come in chunks.

    Parameters
    ----------
    data : Dask data frame, table, relation, lazy frame, path, or iterable
        Of frames, tables, record batches or dicts of arrays.
    columns : dict of str to str, list of str or tuple of str
    """

    def __init__(self, data: Any, columns: Columns) -> None:
        self._frames = _frames(data, _names(columns))
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
        try:
            return self.part_of(chosen, before)
        except (TypeError, ValueError) as error:
            called = ", ".join(f"{name} is {column!r}" for name, column in self.columns.items())
            raise type(error)(f"{error} Columns: {called}.") from error


@dataclass(frozen=True)
class _Numbered:
    """Frames with their names; re-iterable if the data are."""

    data: Iterable[Any]

    def __iter__(self) -> Iterator[Chunk]:
        for number, frame in enumerate(self.data):
            yield Chunk(f"chunk {number}", {"frame": frame})


@dataclass(frozen=True)
class _Batches:
    """Record batches of a table, a query or a folder; as often as they are gone through.

    Nothing but the batch at hand is in memory, if the engine does not collect all of it itself.
    """

    data: Any
    columns: Sequence[str]

    def __iter__(self) -> Iterator[Any]:
        data, columns = self.data, list(self.columns)
        if isinstance(data, (str, PathLike)):
            dataset = import_extra("pyarrow.dataset", "A path as data", "skaucx[files]")
            # Without it, the compressed columns of the whole file are read ahead.
            options = dataset.ParquetFragmentScanOptions(pre_buffer=False)
            kind = dataset.ParquetFileFormat(default_fragment_scan_options=options)
            kind = "csv" if str(data).endswith(".csv") else kind
            folder = dataset.dataset(data, format=kind, partitioning="hive")
            known = [name for name in columns if name in folder.schema.names]
            scanned = {"batch_size": _ROWS_AT_ONCE, "batch_readahead": 1, "fragment_readahead": 1}
            yield from _joined(folder.to_batches(columns=known, **scanned))
        elif _is_lazy(data):
            held = data.select([name for name in columns if name in data.collect_schema().names()])
            batches = getattr(held, "collect_batches", None)  # polars 1.33
            yield from (
                [held.collect(engine="streaming")]
                if batches is None
                else batches(chunk_size=_ROWS_AT_ONCE)
            )
        else:
            yield from _joined(import_arrow().RecordBatchReader.from_stream(data))


def _joined(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield tables of about :data:`_ROWS_AT_ONCE` rows of record batches."""
    table, held, rows = import_arrow().Table, [], 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        if rows >= _ROWS_AT_ONCE:
            yield table.from_batches(held)
            held, rows = [], 0
    if held:
        yield table.from_batches(held)


def _is_lazy(data: Any) -> bool:
    """Whether data are a lazy frame of polars."""
    return hasattr(data, "collect_schema") and hasattr(data, "collect")


def _names(columns: Columns) -> list[str]:
    """Return the columns that are read."""
    found = [[each] if isinstance(each, str) else each for each in columns.values()]
    return list(dict.fromkeys(chain.from_iterable(found)))


def _frames(data: Any, columns: Sequence[str]) -> Source:
    if is_dask(data):
        return Partitions([{"frame": part} for part in delayed_parts(data)])
    streams = hasattr(data, "__arrow_c_stream__") or _is_lazy(data)
    if streams or isinstance(data, (str, PathLike)):
        data = _Batches(data, columns)
    elif isinstance(data, Mapping):
        data = [data]
    if hasattr(data, "rdd") or not isinstance(data, Iterable):
        raise TypeError(
            "data must be a table, a path, a relation or lazy frame of an engine, a Dask data "
            "frame, or "
            f"an iterable of frames or record batches, found {type(data).__name__}; count the "
            f"rows of "
            "another engine by skaucx.metrics.accumulation.cells_query."
        )
    chunks = _Numbered(data)
    return Chunks(iter(chunks) if isinstance(data, Iterator) else chunks)


def _values(frame: Any, column: Column) -> Any:
    if isinstance(column, tuple):
        return {name: column_of(frame, name) for name in column}
    if isinstance(column, list):
        return np.column_stack([column_of(frame, name) for name in column])
    return column_of(frame, column)


def _known_columns(frame: Any) -> list[str]:
    known = getattr(getattr(frame, "schema", None), "names", None)
    if callable(known):
        known = known()
    return list(known if isinstance(known, (list, tuple)) else getattr(frame, "columns", frame))


def has_column(frame: Any, name: str) -> bool:
    """Whether a frame has a column of this name."""
    return name in _known_columns(frame)


def column_of(frame: Any, name: str) -> Any:
    """Return a column of a frame, a table, a record batch or a dict of arrays."""
    known = _known_columns(frame)
    if name not in known:
        raise ValueError(
            f"There is no column {name!r}; the columns are {', '.join(map(str, known))}."
        )
    values = frame[name]
    if hasattr(values, "dictionary_decode") or hasattr(values, "combine_chunks"):
        return _of_arrow(values)
    return values


def _of_arrow(values: Any) -> Array:
    """Return a column of pyarrow as an array; nulls become nan or None, which raise errors."""
    if hasattr(values, "combine_chunks"):
        values = values.combine_chunks()
    if hasattr(values, "dictionary_decode"):
        values = values.dictionary_decode()
    return np.asarray(values.to_numpy(zero_copy_only=False))
