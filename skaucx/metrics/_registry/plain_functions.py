"""A user's function of predictions as a metric of rows that are drawn again."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from ..._arrays import Array, Codes, Floats, check_same_length, host_array, take_rows
from .._kinds.base import Inputs, Sample, State
from .._records.inputs import Record


@dataclass(frozen=True, eq=False)
class PlainMetric:
    """A user's function, called as ``function(y_true, y_pred, **parameters)``.

    Attributes
    ----------
    formula : callable
    parameters : mapping
        Its keywords that do not depend on the rows.
    of_rows : mapping
        Its keyword arrays with one entry per row, which are drawn with the rows.
    """

    formula: Callable[..., Any]
    parameters: Mapping[str, Any]
    of_rows: Mapping[str, Any]
    bounds: tuple[float, float] = (-np.inf, np.inf)
    no_interval: str = ""

    @classmethod
    def of(cls, function: Callable[..., Any], parameters: Mapping[str, Any], y_true: Any) -> Self:
        """Sort the keywords of a function into constants and arrays of rows.

        Keywords are those given, those that ``functools.partial`` binds, and defaults. The arrays
        in a closure or an attribute cannot be seen.
        """
        n_rows, bound = len(y_true), partial(function)  # a partial function of one is flat
        for place, value in enumerate(bound.args):
            if _is_array(value):
                raise ValueError(
                    f"Argument {place} of {_name(function)}, which functools.partial binds by "
                    f"position, is an array of {len(value)} entries; bind it by its name, so "
                    "that it can follow the rows."
                )
        keywords = {**bound.keywords, **parameters}
        usual = {
            name: value
            for name, value in _defaults(function).items()
            if name not in keywords and _is_array(value) and len(value) == n_rows
        }
        arrays = {name: value for name, value in keywords.items() if _is_array(value)}
        for name, value in arrays.items():
            if len(value) != n_rows:
                raise ValueError(
                    f"{name} has {len(value)} entries and y_true has {n_rows} rows: the keyword "
                    f"arrays of {_name(function)} follow the rows. Put an array that is a constant "
                    f"into the function: lambda y_true, y_pred: {_name(function)}(y_true, y_pred, "
                    f"{name}=...)."
                )
        constants = {name: value for name, value in keywords.items() if name not in arrays}
        rows = {
            name: value if hasattr(value, "columns") else host_array(value)
            for name, value in (usual | arrays).items()
        }
        return cls(partial(bound.func, *bound.args), constants, rows)

    @property
    def name(self) -> str:
        """Its name in results."""
        return _name(self.formula)

    def subset(self, rows: Codes) -> Self:
        """Return the function with its own arrays in another order, or of some of the rows."""
        return replace(self, of_rows={n: take_rows(v, rows) for n, v in self.of_rows.items()})

    def __call__(self, y_true: Array, y_pred: Array) -> float:
        """Return the value of all rows."""
        found = self.formula(y_true, y_pred, **self.parameters, **self.of_rows)
        if np.ndim(found):
            raise ValueError(
                f"{self.name} must return one number, found shape {np.shape(found)}; use an average "
                "such as average='macro'."
            )
        return float(found)

    def value(self, state: State, **options: Any) -> Any:
        """Return the value, or one value per replicate."""
        record = state.record
        if record.weight is None:
            return self(record.true, record.pred)
        drawn = (np.repeat(np.arange(len(row)), row.astype(np.intp)) for row in record.weight)
        return np.array([self.subset(rows)(record.true[rows], record.pred[rows]) for rows in drawn])


def _name(function: Any) -> str:
    inner = function.func if isinstance(function, partial) else function
    return str(getattr(inner, "__name__", "the metric"))


def _defaults(function: Any) -> dict[str, Any]:
    """Return the default values of a function's keywords."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # written in C
        return {}
    return {name: parameter.default for name, parameter in signature.parameters.items()}


def _is_array(value: Any) -> bool:
    if isinstance(value, (str, bytes, Mapping, Set, type)) or not hasattr(value, "__len__"):
        return False
    return isinstance(value, (list, tuple, range)) or len(np.shape(value)) > 0


@dataclass(frozen=True, eq=False)
class PlainRows(Record):
    """Two arrays of rows for a plain function, drawn as often as each row weighs."""

    many_weights: ClassVar[bool] = True

    true: Array
    pred: Array
    weight: Floats | None = None

    @property
    def strata(self) -> Codes | None:
        """The class of each row, where the first array holds labels."""
        if self.true.ndim != 1 or self.true.dtype.kind == "f":
            return None
        return np.unique(self.true, return_inverse=True)[1].astype(np.intp)


_PLAIN = Inputs("arrays", "y_pred", PlainRows)


def plain_sample(y_true: Any, y_pred: Any) -> Sample:
    """Return two arrays of as many rows for a plain function as a sample."""
    true, pred = host_array(y_true), host_array(y_pred)
    check_same_length({"y_true": true, "y_pred_or_score": pred})
    return Sample(PlainRows(true, pred), _PLAIN)
