"""Sources of rows in chunks, data frames among them, and sums of their counts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, zip_longest
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .._arrays import of_arrow
from .._compat import import_arrow, import_dask, import_extra
from .._in_parts import in_parts, is_dask
from .._threads import ahead_in_threads, allowed_threads

Arrays = Mapping[str, Any]
_END = object()


class Chunk(NamedTuple):
    """The arrays of some rows by their names, and what messages call them."""

    name: str
    arrays: Arrays


# Counts a chunk, given the previous counts if known; None where no row weighs anything. Counts add up.
PartOf = Callable[[Arrays, Any], Any]


class Source(ABC):
    """Rows in chunks.

    Attributes
    ----------
    repeatable : bool
        Whether the rows can be read again.
    """

    repeatable: bool = True

    @abstractmethod
    def summed(self, part_of: PartOf) -> Any:
        """Return the sum of the counts of all chunks that have rows, None where none has any."""


class Successive(Source):
    """Chunks that come one after another.

    Parameters
    ----------
    chunks : iterable of Chunk
    """

    def __init__(self, chunks: Iterable[Chunk]) -> None:
        self._chunks = chunks
        self.repeatable = not isinstance(chunks, Iterator)

    def summed(self, part_of: PartOf) -> Any:
        total: Any = None

        def counted(chunk: Chunk) -> tuple[Chunk, Any]:
            return chunk, _part(chunk, part_of, total)

        # This thread reads, and adds up in the order of the chunks what others count.
        for chunk, part in ahead_in_threads(counted, self._chunks, allowed_threads()):
            total = _joined(total, chunk, part)
        return total


def with_chunk(total: Any, chunk: Chunk, part_of: PartOf) -> Any:
    """Return the counts with those of a chunk; errors of its input name it."""
    return _joined(total, chunk, _part(chunk, part_of, total))


def _part(chunk: Chunk, part_of: PartOf, before: Any) -> Any:
    """Return the counts of a chunk, None where it has no rows."""
    arrays = chunk.arrays
    empty = all(hasattr(array, "__len__") and len(array) == 0 for array in arrays.values())
    with _named(chunk):
        return None if empty else part_of(arrays, before)


def _joined(total: Any, chunk: Chunk, part: Any) -> Any:
    with _named(chunk):
        return _added(total, part)


@contextmanager
def _named(chunk: Chunk) -> Iterator[None]:
    """Let errors of input name the chunk."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise type(error)(f"{chunk.name}: {error}") from error


class Partitions(Source):
    """Partitions of collections of Dask, counted where they lie and added up in a tree.

    Parameters
    ----------
    partitions : sequence of dict of str to Delayed
    """

    def __init__(self, partitions: Sequence[Arrays]) -> None:
        self._partitions = partitions

    def summed(self, part_of: PartOf) -> Any:
        dask = import_dask()
        count, add = dask.delayed(_counted, pure=False), dask.delayed(_added, pure=False)
        level = [
            count(part_of, f"partition {number}", tuple(arrays), *arrays.values())
            for number, arrays in enumerate(self._partitions)
        ]
        while len(level) > 1:
            level = [add(*level[k : k + 2]) for k in range(0, len(level), 2)]
        (total,) = dask.compute(level[0]) if level else (None,)
        return total


def _counted(part_of: PartOf, name: str, names: Sequence[str], *arrays: Any) -> Any:
    return with_chunk(None, Chunk(name, dict(zip(names, arrays, strict=True))), part_of)


def _added(one: Any, other: Any = None) -> Any:
    if one is None or other is None:
        return other if one is None else one
    return one + other


def source_of(arrays: Arrays, names: Mapping[str, str] | None = None) -> Source:
    """Return the source of arrays that come in chunks side by side; None is an array not given.

    `names` are what messages call the arrays, where they differ.
    """
    given = {name: array for name, array in arrays.items() if array is not None}
    dask = [name for name, array in given.items() if is_dask(array)]
    whole = [name for name, array in given.items() if not in_parts(array)]
    if whole or len(dask) not in (0, len(given)):
        called = {name: (names or {}).get(name, name) for name in given}
        found = ", ".join(f"{called[name]} {type(array).__name__}" for name, array in given.items())
        raise TypeError(
            "Arrays in chunks must be all iterators of arrays, or all collections of Dask; found "
            f"{found}. An iterator of single values, one a row, becomes an array by list(...)."
        )
    return Partitions(_partitions(given)) if dask else Successive(_side_by_side(given))


def _side_by_side(given: Arrays) -> Iterator[Chunk]:
    for number, parts in enumerate(zip_longest(*given.values(), fillvalue=_END)):
        ended = [name for name, part in zip(given, parts, strict=True) if part is _END]
        if ended:
            raise ValueError(
                f"{' and '.join(ended)} ended after {number} chunks, before the other arrays."
            )
        yield Chunk(f"chunk {number}", dict(zip(given, parts, strict=True)))


def _partitions(given: Arrays) -> list[Arrays]:
    """Return the partitions of Dask arrays, series and frames that lie side by side."""
    columns = {name: delayed_parts(values) for name, values in given.items()}
    counts = {name: len(parts) for name, parts in columns.items()}
    if len(set(counts.values())) > 1:
        raise ValueError(
            f"Found collections of different numbers of partitions: {counts}; rechunk or "
            f"repartition them identically."
        )
    return [dict(zip(columns, parts, strict=True)) for parts in zip(*columns.values(), strict=True)]


def delayed_parts(values: Any) -> list[Any]:
    """Return the partitions of a collection of Dask, whole rows each."""
    if getattr(values, "ndim", 1) == 2 and hasattr(values, "rechunk"):
        values = values.rechunk({1: -1})
    return list(np.ravel(np.array(values.to_delayed(), dtype=object)))


# Counting a chunk costs a merge with all cells so far: batches of engines are smaller, and joined.
_ROWS_AT_ONCE = 1_000_000

# A list of columns makes a matrix; those of a tuple stay apart.
Column = str | list[str] | tuple[str, ...]
# From the names of arrays to those of columns.
Columns = Mapping[str, Column]


class Frames(Source):
    """Columns of frames of pandas, polars, Dask or pyarrow that come in chunks.

    Parameters
    ----------
    data : Dask data frame, data set of Ray, table, relation, lazy frame, path, or iterable
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
            bare = hasattr(frame, "__arrow_c_array__") or hasattr(frame, "__arrow_c_stream__")
            if bare and not hasattr(frame, "__getitem__"):
                frame = import_arrow().table(frame)
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
            if "://" not in str(data) and not Path(data).exists():
                raise FileNotFoundError(f"data: there is no file or folder {str(data)!r}.")
            # Otherwise the compressed columns of the whole file are read ahead.
            options = dataset.ParquetFragmentScanOptions(pre_buffer=False)
            kind = dataset.ParquetFileFormat(default_fragment_scan_options=options)
            kind = "csv" if str(data).endswith(".csv") else kind
            folder = dataset.dataset(data, format=kind, partitioning="hive")
            known = [name for name in columns if name in folder.schema.names]
            # A scan of all of it keeps up to 1 GiB of batches ahead: row groups come one by one.
            parts = chain.from_iterable(map(_row_groups, folder.get_fragments()))
            how = {"schema": folder.schema, "columns": known, "batch_size": _ROWS_AT_ONCE}
            yield from _joined_of_frames(
                batch for part in parts for batch in part.to_batches(**how)
            )
        elif _is_data_set(data):
            held = data.select_columns([name for name in columns if name in data.columns()])
            yield from held.iter_batches(batch_size=_ROWS_AT_ONCE, batch_format="pyarrow")
        elif _is_lazy(data):
            held = data.select([name for name in columns if name in data.collect_schema().names()])
            batches = getattr(held, "collect_batches", None)  # polars 1.33
            yield from (
                [held.collect(engine="streaming")]
                if batches is None
                else batches(chunk_size=_ROWS_AT_ONCE)
            )
        else:
            yield from _joined_of_frames(import_arrow().RecordBatchReader.from_stream(data))


def _row_groups(fragment: Any) -> list[Any]:
    """Return the parts of a file, of CSV the whole."""
    split = getattr(fragment, "split_by_row_group", None)
    return [fragment] if split is None else split()


def _joined_of_frames(batches: Iterable[Any]) -> Iterator[Any]:
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


def _is_data_set(data: Any) -> bool:
    """Whether data are a data set of Ray."""
    return hasattr(data, "iter_batches") and hasattr(data, "select_columns")


def _names(columns: Columns) -> list[str]:
    """Return the columns that are read."""
    found = [[each] if isinstance(each, str) else each for each in columns.values()]
    return list(dict.fromkeys(chain.from_iterable(found)))


def _frames(data: Any, columns: Sequence[str]) -> Source:
    if is_dask(data):
        return Partitions([{"frame": part} for part in delayed_parts(data)])
    streams = hasattr(data, "__arrow_c_stream__") or _is_lazy(data) or _is_data_set(data)
    if streams or isinstance(data, (str, PathLike)):
        data = _Batches(data, columns)
    elif isinstance(data, Mapping) or hasattr(data, "__arrow_c_array__"):
        data = [data]
    if hasattr(data, "rdd") or not isinstance(data, Iterable):
        raise TypeError(
            "data must be a table, a path, a relation or lazy frame of an engine, a Dask data "
            f"frame, or an iterable of frames or record batches, found {type(data).__name__}; count "
            "the rows of another engine by skaucx.scale.cells_query."
        )
    chunks = _Numbered(data)
    return Successive(iter(chunks) if isinstance(data, Iterator) else chunks)


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
        return of_arrow(values)
    return values
