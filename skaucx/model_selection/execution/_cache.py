"""Finished fits kept on disk, so that a run that was killed continues."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import joblib
import sklearn
from joblib import Memory
from sklearn.utils.validation import check_memory

FOLDER = "skaucx"


@dataclass(frozen=True)
class Entry:
    """The place of one fit in a store of joblib."""

    store: Any
    key: str

    def keep(self, value: Any) -> None:
        """Write the result of a fit; one that failed is not kept, so that it is tried again."""
        if getattr(value, "complete", True):
            self.store.dump_item([FOLDER, self.key], value, verbose=0)

    def found(self) -> bool:
        return bool(self.store.contains_item([FOLDER, self.key]))

    def load(self) -> Any:
        return self.store.load_item([FOLDER, self.key], verbose=0)


class FitCache:
    """Names the entry of each fit by the content of all that it depends on.

    Each object is hashed once, however many fits share it.
    """

    def __init__(self, memory: Memory) -> None:
        self._store = memory.store_backend
        self._digests: dict[int, tuple[Any, str]] = {}

    def entry(self, function: Any, arguments: Mapping[str, Any], sample: Any) -> Entry:
        parts = {name: self._digest(name, value) for name, value in arguments.items()}
        versions = version("skaucx"), sklearn.__version__
        name = f"{function.__module__}.{function.__qualname__}"
        key = joblib.hash([name, versions, parts, self._digest("the data", sample)])
        return Entry(self._store, key)

    def _digest(self, name: str, value: Any) -> str:
        if id(value) not in self._digests:
            try:
                digest = joblib.hash(value, coerce_mmap=True)
            except Exception as error:
                raise ValueError(
                    f"memory needs a hash of everything that a fit depends on, but {name} cannot be "
                    f"pickled: {error} Leave memory=None, or define it in a module."
                ) from error
            self._digests[id(value)] = value, digest
        return self._digests[id(value)][1]


def fit_cache(memory: Any) -> FitCache | None:
    """Return the cache in a joblib.Memory or below a path; None where nothing is to be kept."""
    place = os.fspath(memory) if isinstance(memory, os.PathLike) else memory
    if not (place is None or isinstance(place, str | Memory)):
        raise TypeError(f"memory must be a path or a joblib.Memory, found {type(memory).__name__}.")
    checked = check_memory(place)
    return None if checked.store_backend is None else FitCache(checked)
