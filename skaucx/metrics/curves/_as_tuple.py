"""Curves as tables and in short, and as the tuples of arrays that scikit-learn returns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, overload

import numpy as np

from ..._arrays import Floats
from ..._compat import import_pandas


class Points:
    """Arrays with an entry a point, as a table and in short."""

    _arrays: ClassVar[tuple[str, ...]]
    _values: ClassVar[tuple[str, ...]] = ()

    @property
    def _tuple(self) -> tuple[Floats, ...]:
        return tuple(getattr(self, name) for name in self._arrays)

    def __repr__(self) -> str:
        told = (getattr(self, name) for name in self._values)
        pairs = zip(self._values, told, strict=True)
        values = [f"{name}={x:.4f}" if isinstance(x, float) else str(x) for name, x in pairs]
        points = f"{max(map(len, self._tuple))} points"
        return f"{type(self).__name__}({', '.join([points, *values])})"

    def to_frame(self) -> Any:
        """Return a pandas DataFrame, a row a point; nan where a point has no threshold.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        points = max(map(len, self._tuple))
        padded = [np.append(x, np.full(points - len(x), np.nan)) for x in self._tuple]
        return import_pandas().DataFrame(dict(zip(self._arrays, padded, strict=True)))


class CurveTuple(Points):
    """A curve that unpacks, has a length and is indexed as the tuple of its arrays."""

    def __iter__(self) -> Iterator[Floats]:
        return iter(self._tuple)

    def __len__(self) -> int:
        return len(self._arrays)

    @overload
    def __getitem__(self, place: int) -> Floats: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Floats, ...]: ...
    def __getitem__(self, place: int | slice) -> Floats | tuple[Floats, ...]:
        return self._tuple[place]
