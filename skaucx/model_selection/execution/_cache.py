"""Finished fits kept on disk, so that a run that was killed continues."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial, reduce
from hashlib import blake2b
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from pickle import Unpickler
from types import CodeType, FunctionType
from typing import Any

import joblib
import sklearn
from joblib import Memory
from sklearn.utils.validation import check_memory

from ..._compat import Pickler, score_function, warn

FOLDER = "skaucx"
MAGIC = b"skaucx fit 1"
DIGEST_SIZE = 16


@dataclass(frozen=True)
class Entry:
    """The place of one fit in a store of joblib."""

    store: Any
    key: str

    def keep(self, value: Any) -> None:
        """Write the result of a fit; one that failed is not kept, so that it is tried again.

        It is written to a temporary name and then moved, so that a kill leaves no partial entry.
        """
        if getattr(value, "complete", True):
            pickled = _pickled(value)
            self.store.dump_item([FOLDER, self.key], MAGIC + _digest(pickled) + pickled, verbose=0)

    def read(self) -> tuple[Any, ...]:
        """Return the one fit; nothing where there is none, or with a warning one that was damaged."""
        if not self.store.contains_item([FOLDER, self.key]):
            return ()
        try:
            return (_unpickled(self.store.load_item([FOLDER, self.key], verbose=0)),)
        except Exception as error:
            self.store.clear_item([FOLDER, self.key])
            what = f"{type(error).__name__}: {error}"
            warn(f"A fit that memory keeps cannot be read ({what}); it is fitted again.")
            return ()


def _digest(pickled: bytes) -> bytes:
    return blake2b(pickled, digest_size=DIGEST_SIZE).digest()


def _pickled(value: Any) -> bytes:
    file = BytesIO()
    _Pickler(file, protocol=5).dump(value)
    return file.getvalue()


def _unpickled(stored: Any) -> Any:
    start = len(MAGIC) + DIGEST_SIZE
    if not isinstance(stored, bytes) or stored[:start] != MAGIC + _digest(stored[start:]):
        raise ValueError("it is no fit of skaucx, or its content has changed")
    return _Unpickler(BytesIO(stored[start:])).load()


class _Pickler(Pickler):  # type: ignore[misc]
    """Names objects of the user's script or notebook, of which workers have copies."""

    def persistent_id(self, value: Any) -> Any:
        name = getattr(value, "__qualname__", "<")
        if getattr(value, "__module__", None) != "__main__" or "<" in name:
            return None
        return name if isinstance(value, type) or callable(value) else None


class _Unpickler(Unpickler):
    def persistent_load(self, name: Any) -> Any:
        return reduce(getattr, str(name).split("."), sys.modules["__main__"])


class FitCache:
    """Names the entry of each fit by the content of all that it depends on.

    Each object is hashed once, however many fits share it.
    """

    def __init__(self, memory: Memory) -> None:
        self._store = memory.store_backend
        self._digests: dict[int, tuple[Any, str]] = {}

    def entry(self, function: Any, arguments: Mapping[str, Any]) -> Entry:
        parts = {name: self._digest(name, value) for name, value in arguments.items()}
        versions = version("skaucx"), sklearn.__version__
        name = f"{function.__module__}.{function.__qualname__}"
        code = _code_of(arguments.get("scorer"))
        return Entry(self._store, joblib.hash([name, versions, parts, code]))

    def _digest(self, name: str, value: Any) -> str:
        if id(value) not in self._digests:
            try:
                digest = joblib.hash(value, coerce_mmap=True)
            except Exception as error:
                raise ValueError(
                    f"memory needs a hash of everything that a fit depends on, but {name} cannot "
                    f"be pickled: {error} Leave memory=None, or define it in a module."
                ) from error
            self._digests[id(value)] = value, digest
        return self._digests[id(value)][1]


def _code_of(scorer: Any) -> str:
    """Return the code and the defaults of the functions among the scorers, which pickle by name."""
    found = []
    for one in getattr(scorer, "scorers", {}).values():
        function = score_function(one) or one
        while isinstance(function, partial):
            function = function.func
        if isinstance(function, FunctionType):
            defaults = function.__defaults__, function.__kwdefaults__
            found.append((_written(function.__code__), defaults))
    return repr(found)


def _written(code: CodeType) -> tuple[Any, ...]:
    """Return the bytecode, the names and the constants of code, without its place in a file."""
    constants = [_written(c) if isinstance(c, CodeType) else c for c in code.co_consts]
    return code.co_code, code.co_names, code.co_varnames, constants


def fit_cache(memory: Any) -> FitCache | None:
    """Return the cache in a joblib.Memory or below a path; None where nothing is to be kept."""
    place = os.fspath(memory) if isinstance(memory, os.PathLike) else memory
    if not (place is None or isinstance(place, str | Memory)):
        raise TypeError(f"memory must be a path or a joblib.Memory, found {type(memory).__name__}.")
    if isinstance(place, str):
        Path(place).mkdir(mode=0o700, parents=True, exist_ok=True)
    checked = check_memory(place)
    if checked.store_backend is None:
        return None
    _check_trusted(Path(place if isinstance(place, str) else checked.location))
    return FitCache(checked)


def _check_trusted(folder: Path) -> None:
    """Raise an error for a folder that everybody can write to: reading unpickles, which can run code."""
    if os.name != "posix" or not folder.is_dir():
        return
    mode = folder.stat().st_mode
    if mode & stat.S_IWOTH:
        raise ValueError(
            f"memory: everybody can write to {folder}, and reading its files can run code; use a "
            f"private folder (chmod go-w {folder})."
        )
    if mode & stat.S_IWGRP:
        warn(
            f"memory: the group can write to {folder}, and reading its files can run code; trust "
            f"all of its members, or use a private folder."
        )
