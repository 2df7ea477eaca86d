"""Sources of rows in chunks, and sums of their counts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..._compat import import_dask
from ..._threads import ahead_in_threads, allowed_threads

Arrays = Mapping[str, Any]
_END = object()


class Chunk(NamedTuple):
    """The arrays of some rows by their names, and what messages call them."""

    name: str
    arrays: Arrays


class Part(Protocol):
    """The counts of some rows; parts can be added."""

    def __add__(self, other: Any) -> Any:
        """Return the counts of the rows of both."""


class PartOf(Protocol):
    """Counts a chunk, given the previous counts if known."""

    def __call__(self, arrays: Arrays, before: Any) -> Any:
        """Return the counts, None where no row weighs anything."""


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


class Chunks(Source):
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
    with _named(chunk):
        return None if _is_empty(chunk) else part_of(chunk.arrays, before)


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
            pairs = [add(*level[k : k + 2]) for k in range(0, len(level), 2)]
            level = pairs
        (total,) = dask.compute(level[0]) if level else (None,)
        return total


def _counted(part_of: PartOf, name: str, names: Sequence[str], *arrays: Any) -> Any:
    return with_chunk(None, Chunk(name, dict(zip(names, arrays, strict=True))), part_of)


def _added(one: Any, other: Any = None) -> Any:
    if one is None or other is None:
        return other if one is None else one
    return one + other


def is_dask(values: Any) -> bool:
    """Whether values are a collection of Dask: partitions that another process may hold."""
    return hasattr(values, "__dask_graph__")


def is_chunked(values: Any) -> bool:
    """Whether values come in chunks: an iterator of arrays, or a collection of Dask."""
    return type(values) is not np.ndarray and (is_dask(values) or isinstance(values, Iterator))


def source_of(arrays: Arrays, names: Mapping[str, str] | None = None) -> Source:
    """Return the source of arrays that come in chunks side by side; None is an array not given.

    `names` are what messages call the arrays, where they differ.
    """
    given = {name: array for name, array in arrays.items() if array is not None}
    dask = [name for name, array in given.items() if is_dask(array)]
    whole = [name for name, array in given.items() if not is_chunked(array)]
    if whole or len(dask) not in (0, len(given)):
        called = {name: (names or {}).get(name, name) for name in given}
        found = ", ".join(f"{called[name]} {type(array).__name__}" for name, array in given.items())
        raise TypeError(
            "Arrays in chunks must be all iterators of arrays, or all collections of Dask; found "
            f"{found}."
        )
    return Partitions(_partitions(given)) if dask else Chunks(_side_by_side(given))


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


def _is_empty(chunk: Chunk) -> bool:
    return all(hasattr(array, "__len__") and len(array) == 0 for array in chunk.arrays.values())
