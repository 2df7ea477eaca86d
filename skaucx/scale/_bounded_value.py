"""A value that is known to lie between two others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._arrays import Floats
from .._text.tables import Table, Tabular


@dataclass(frozen=True, eq=False, repr=False)
class BoundedValue(Tabular):
    """The value of a metric with the bounds that hold the exact one.

    Attributes
    ----------
    value : float or ndarray of shape (n_classes,), float64
        Between the bounds; ``float(...)`` of the whole gives it too.
    low, high : float or ndarray of shape (n_classes,), float64
        The exact value of the same rows, as it would be found in memory, lies between them.
    note : str
        Why the bounds are no closer than the metric's range, where they are not; else empty.

    Examples
    --------
    >>> from skaucx.scale import BoundedValue
    >>> auc = BoundedValue(0.75, 0.7499, 0.7501)
    >>> float(auc), round(auc.width, 4), 0.75005 in auc
    (0.75, 0.0002, True)
    """

    value: Any
    low: Any
    high: Any
    note: str = ""

    @property
    def width(self) -> Any:
        """The distance of the bounds."""
        return self.high - self.low

    def __float__(self) -> float:
        return float(self.value)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Floats:
        return np.array(self.value, dtype=dtype)

    def __format__(self, form: str) -> str:
        return format(self.value, form)

    def __contains__(self, value: float) -> bool:
        """Whether a value lies between the bounds, or in every class's."""
        return bool(np.all((self.low <= value) & (value <= self.high)))

    def __repr__(self) -> str:
        ends = f"Certified({self.value!r}, low={self.low!r}, high={self.high!r}"
        return f"{ends}, note={self.note!r})" if self.note else f"{ends})"

    def _table(self) -> Table:
        columns = {name: np.atleast_1d(getattr(self, name)) for name in ("value", "low", "high")}
        return Table.of_columns(columns, self.note)


def between(low: Any, high: Any, value: Any = None, note: str = "") -> Any:
    """Return a value between two bounds, their middle unless given; a plain one where they meet."""
    low, high = (np.asarray(end, dtype=np.float64) for end in (low, high))
    same = (low == high) | np.isnan(low) | np.isnan(high)
    middle = low + (high - low) / 2 if value is None else np.clip(value, low, high)
    value = np.where(same, low, middle)
    if same.all():
        return float(value) if value.ndim == 0 else value
    if value.ndim == 0:
        return BoundedValue(float(value), float(low), float(high), note)
    return BoundedValue(value, low, high, note)
