"""Values of a JSON file from another party: each is checked as it is read, and errors name its field."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ..._arrays import Array

Read = TypeVar("Read")
_LONGEST = 40


class Field:
    """A value of a JSON file, with the file and the field that hold it.

    Parameters
    ----------
    value : object
        What :mod:`json` returns.
    file, name : str
    """

    def __init__(self, value: Any, file: str, name: str = "") -> None:
        self.value, self.file, self.name = value, file, name

    @classmethod
    def of_file(cls, path: str | PathLike[str]) -> Field:
        """Read a file that must be JSON."""
        try:
            text = Path(path).read_text(encoding="utf-8")
            return cls(json.loads(text, object_pairs_hook=_distinct), str(path))
        except (ValueError, RecursionError) as error:  # not UTF-8, not JSON, or nested without end
            raise ValueError(f"{path} is not JSON: {error}") from None

    def error(self, wanted: str) -> ValueError:
        """Return the error for a value that is not what it must be."""
        found = repr(self.value)
        found = found if len(found) <= _LONGEST else f"{found[:_LONGEST]} ..."
        name = self.name or "the whole"
        return ValueError(f"{self.file} is damaged: {name} must be {wanted}, found {found}.")

    def check(self, right: bool, wanted: str) -> None:
        """Refuse a value of which something does not hold."""
        if not right:
            raise self.error(wanted)

    def __getitem__(self, key: str) -> Field:
        """Return a field of an object."""
        self.check(isinstance(self.value, dict), "an object")
        if key not in self.value:
            name = f"{self.name}.{key}" if self.name else key
            raise ValueError(f"{self.file} is damaged: {name} is missing.")
        return Field(self.value[key], self.file, f"{self.name}.{key}" if self.name else key)

    def __contains__(self, key: str) -> bool:
        return isinstance(self.value, dict) and key in self.value

    def __iter__(self) -> Iterator[Field]:
        self.check(isinstance(self.value, list), "a list")
        return (
            Field(each, self.file, f"{self.name}[{place}]") for place, each in enumerate(self.value)
        )

    def optional(self, read: Callable[[Field], Read]) -> Read | None:
        """Return what is read of a value that may be null."""
        return None if self.value is None else read(self)

    def whole(self, low: int, high: int) -> int:
        """Return a whole number within bounds."""
        right = type(self.value) is int and low <= self.value <= high
        self.check(right, f"a whole number from {low} to {high}")
        return int(self.value)

    def flag(self) -> bool:
        """Return true or false."""
        self.check(isinstance(self.value, bool), "true or false")
        return bool(self.value)

    def text(self) -> str:
        """Return a string."""
        self.check(isinstance(self.value, str), "a string")
        return str(self.value)

    def numbers(self, shape: tuple[int, ...], *, kind: type = np.float64) -> Array:
        """Return finite numbers of a shape, -1 where any length will do."""
        wanted = f"finite numbers of shape {shape}".replace("-1", "any")
        try:
            entries = np.array(self.value, dtype=object)
            found = entries.astype(np.float64)
        except (ValueError, TypeError, OverflowError, RecursionError):
            raise self.error(wanted) from None
        fits = found.ndim == len(shape) and all(
            want in (-1, size) for want, size in zip(shape, found.shape, strict=True)
        )
        plain = set(map(type, entries.ravel().tolist())) <= {int, float}
        self.check(fits and plain and bool(np.isfinite(found).all()), wanted)
        if kind is np.float64:
            wide = entries[abs(found) >= 2**53].tolist()
            self.check(not any(isinstance(each, int) for each in wide), "numbers that floats hold")
            return found
        exact = (found == np.floor(found)) & (abs(found) < 2.0**63)
        self.check(bool(exact.all()), f"whole numbers of shape {shape}")
        return entries.astype(kind)

    def counts(self, shape: tuple[int, ...], *, whole: bool) -> Array:
        """Return numbers of rows, or sums of weights, none below 0."""
        found = self.numbers(shape, kind=np.int64 if whole else np.float64)
        self.check(bool((found >= 0).all()), "counts >= 0")
        return found

    def labels(self, *, rising: bool) -> Array:
        """Return labels of one kind, none of them twice."""
        self.check(isinstance(self.value, list) and bool(self.value), "a list of labels")
        kinds = set(map(type, self.value))
        one_kind = any(kinds <= kind for kind in ({str}, {bool}, {int, float}))
        self.check(one_kind, "a list of strings, of numbers, or of true and false")
        found = np.array(self.value)
        kept = found.dtype.kind in "biufU" and found.tolist() == self.value
        self.check(kept, "labels that NumPy holds without a change")
        self.check(len(np.unique(found)) == len(found), "labels of which none occurs twice")
        self.check(not rising or np.unique(found).tolist() == self.value, "labels that rise")
        return found


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, of which no field may occur twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has two fields of one name")
    return found
