"""Any function of true labels and predictions, as a metric that the bootstrap judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._arrays import Array, Floats, check_same_length
from .._resampling.sample import Sample


@dataclass(frozen=True, eq=False)
class PlainMetric:
    """A function called as ``function(y_true, y_pred)``, of which nothing else is known."""

    formula: Callable[..., Any]
    parameters: Mapping[str, Any]
    bounds: tuple[float, float] = (-np.inf, np.inf)
    no_interval: str = ""

    @property
    def name(self) -> str:
        """What results call it."""
        return str(getattr(self.formula, "__name__", "the metric"))

    def value(self, state: FunctionState, **options: Any) -> Any:
        """Return the value, or one value a replicate."""
        return state.value(lambda *arrays: self.formula(*arrays, **self.parameters))


@dataclass(frozen=True, eq=False)
class FunctionState:
    """Rows of both arrays, or of every replicate."""

    arrays: tuple[Array, Array]
    counts: Floats | None = None

    def value(self, function: Callable[..., Any]) -> Any:
        """Return what the function gives."""
        if self.counts is None:
            return float(function(*self.arrays))
        rows = [np.repeat(np.arange(len(row)), row.astype(np.intp)) for row in self.counts]
        return np.array([float(function(*(x[own] for x in self.arrays))) for own in rows])


class FunctionSample(Sample):
    """Two arrays that a plain function takes."""

    def __init__(self, y_true: Any, y_pred: Any) -> None:
        self.arrays = np.asarray(y_true), np.asarray(y_pred)
        check_same_length({"y_true": self.arrays[0], "y_pred_or_score": self.arrays[1]})
        self.n_rows, self.weight = len(self.arrays[0]), None
        vector = self.arrays[0].ndim == 1 and self.arrays[0].dtype.kind != "f"
        codes = np.unique(self.arrays[0], return_inverse=True)[1] if vector else None
        self.strata = None if codes is None else codes.astype(np.intp)

    @property
    def state(self) -> Any:
        """The sample itself."""
        return FunctionState(self.arrays)

    def under(self, counts: Floats) -> Any:
        """Return one state of all replicates."""
        return FunctionState(self.arrays, counts)
