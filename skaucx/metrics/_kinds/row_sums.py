"""Rows in chunks of which the totals of the requested metrics are kept and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._arrays import Floats
from .._records.totals import KnownTotals, Total
from .base import Counting, Summed


@dataclass(frozen=True, eq=False)
class RowSums(Summed):
    """Totals over rows of a kind of which nothing else is kept.

    Parameters
    ----------
    totals : dict
    weight : float
    n_examples : int
    weighted : bool
        Whether rows were weighed.
    """

    totals: Mapping[Total, Floats]
    weight: float
    n_examples: int
    weighted: bool

    @classmethod
    def of(cls, wanted: Sequence[Total], record: Any) -> RowSums:
        """Find the totals of the record of a chunk."""
        totals = {total: np.asarray(total(record), dtype=np.float64) for total in wanted}
        return cls(totals, float(record.total_weight), record.n_rows, record.weight is not None)

    def __add__(self, other: RowSums) -> RowSums:
        """Return the totals over the rows of both."""
        return RowSums(
            {
                # Sums are added, unless a total says how its parts are joined.
                total: getattr(total, "merge", np.add)(own, other.totals[total])
                for total, own in self.totals.items()
            },
            self.weight + other.weight,
            self.n_examples + other.n_examples,
            self.weighted or other.weighted,
        )

    @property
    def record(self) -> KnownTotals:
        """What formulas read of rows of which totals are left."""
        return KnownTotals(self.totals, np.array([self.weight]), self.n_examples, 1)


def sums_only(key: str, array: str) -> Counting:
    """Return how a kind is counted in chunks by the totals that its metrics declare.

    `key` is the name of the counts, and `array` the second array of a call. Metrics with ``mean``,
    ``losses`` or ``totals`` then work on rows in chunks, and others are refused by name.
    """

    def count(settings: Any, record: Any, before: Any) -> RowSums:
        return RowSums.of(settings.numbers, record)

    return Counting(key, array, count, totals_only=True)
