"""Checked arrays of one call, of which rows are taken and weighted."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, ClassVar, Self

import numpy as np

from ..._arrays import Codes, Floats, check_same_length, weight_vector


class Record:
    """Base of the checked arrays of one call: a frozen dataclass with a field `weight`, or None.

    Attributes
    ----------
    by_row : tuple of str
        The fields that have one entry an example; all but `weight` where a class does not name them.
    many_weights : bool
        Whether formulas take weights of shape (replicates, n), so that all resamples are evaluated at
        once; otherwise one after another.
    multilabel : bool
        Whether it holds multilabel indicators.
    weight : ndarray of shape (n_rows,), float64, or None
    """

    by_row: ClassVar[tuple[str, ...]] = ()
    many_weights: ClassVar[bool] = False
    multilabel: ClassVar[bool] = False
    weight: Floats | None

    def _rows(self) -> dict[str, Any]:
        names = self.by_row or [f.name for f in fields(self) if f.name != "weight"]  # type: ignore[arg-type]
        return {name: getattr(self, name) for name in names}

    @property
    def strata(self) -> Codes | None:
        """The class of each row, where rows have one."""
        return None

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(next(iter(self._rows().values())))

    @property
    def weights(self) -> Floats:
        """The weight of each row, 1 where none are given."""
        return np.ones(self.n_rows) if self.weight is None else self.weight

    def weighed(self, sample_weight: Any) -> Self:
        """Check that all rows have one entry, and weight them; rows of weight 0 are removed."""
        weight = weight_vector(sample_weight)
        check_same_length({**self._rows(), "sample_weight": weight})
        return self if weight is None else self.weighing(weight)

    def weighing(self, weight: Floats) -> Self:
        """Return the rows of weight above 0, with their new weights."""
        kept = weight > 0
        rows = {name: values[kept] for name, values in self._rows().items()}
        return replace(self, weight=weight[kept], **rows)  # type: ignore[type-var]

    def taking(self, rows: Codes) -> Self:
        """Return some of the rows, with their weights."""
        taken = {name: values[rows] for name, values in self._rows().items()}
        weight = None if self.weight is None else self.weight[rows]
        return replace(self, weight=weight, **taken)  # type: ignore[type-var]
