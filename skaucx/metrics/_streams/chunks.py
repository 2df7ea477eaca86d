"""The forms in which rows come in chunks, and the fold over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Any, NamedTuple, TypeVar

import numpy as np

_T = TypeVar("_T")
_END = object()


class Chunk(NamedTuple):
    """The arrays of some rows, None where there is none, and what messages call them."""

    name: str
    arrays: tuple[Any, ...]


def is_dask(values: Any) -> bool:
    """Whether values are a collection of Dask: partitions that another process may hold."""
    return hasattr(values, "__dask_graph__")


def is_chunked(values: Any) -> bool:
    """Whether values come in chunks: an iterator of arrays, or a collection of Dask."""
    return is_dask(values) or isinstance(values, Iterator)


def chunks_of(arrays: dict[str, Any]) -> Iterator[Chunk]:
    """Go through iterators of arrays side by side; None stands for an array that is not given."""
    given = {name: array for name, array in arrays.items() if array is not None}
    whole = [name for name, array in given.items() if not isinstance(array, Iterator)]
    if whole:
        raise TypeError(
            f"{' and '.join(whole)} must come in chunks as {next(iter(set(given) - set(whole)))} does, "
            "an iterator of arrays."
        )
    for number, parts in enumerate(zip_longest(*given.values(), fillvalue=_END)):
        ended = [name for name, part in zip(given, parts, strict=True) if part is _END]
        if ended:
            raise ValueError(
                f"{' and '.join(ended)} ends before the other arrays do, after {number} chunks."
            )
        parts_by_name = dict(zip(given, parts, strict=True))
        yield Chunk(f"chunk {number}", tuple(map(parts_by_name.get, arrays)))


def in_chunk(name: str, work: Callable[[], _T]) -> _T:
    """Return the result of some work on a chunk; errors of its input name it."""
    try:
        return work()
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from error


def is_empty(array: Any) -> bool:
    """Whether a chunk has no rows."""
    shape = np.shape(array) if not hasattr(array, "shape") else array.shape
    return len(shape) > 0 and shape[0] == 0
