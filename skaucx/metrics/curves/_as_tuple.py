"""Curves as the tuples of arrays that scikit-learn returns, as tables and in short."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, overload

import numpy as np

from ..._arrays import Floats
from ..._compat import import_pandas


class CurveTuple:
    """A curve that unpacks, has a length and is indexed as the tuple of its arrays."""

    _arrays: ClassVar[tuple[str, ...]]
    _values: ClassVar[tuple[str, ...]] = ()

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

    @property
    def _tuple(self) -> tuple[Floats, ...]:
        return tuple(getattr(self, name) for name in self._arrays)

    def __repr__(self) -> str:
        values = [f"{name}={getattr(self, name):.4f}" for name in self._values]
        return f"{type(self).__name__}({', '.join([f'{max(map(len, self))} points', *values])})"

    def to_frame(self) -> Any:
        """Return a pandas DataFrame, a row a point; nan where a point has no threshold.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        points = max(map(len, self))
        padded = [np.append(x, np.full(points - len(x), np.nan)) for x in self]
        return import_pandas().DataFrame(dict(zip(self._arrays, padded, strict=True)))
