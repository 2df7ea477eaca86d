"""Sums of predicted numbers, and of what examples cost, chunk by chunk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..._arrays import Array, Floats, shown
from .._records.example_costs import CostedLabels
from .._records.numbers import NumberPair
from .._states.example_costs import Costs, CostState
from .._states.numbers import NumberState
from .._states.totals import Total
from .labels import united
from .totals import KnownTotals


class _Summed:
    """A state of which sums over rows are left."""

    multilabel = False

    def read(self, evaluate: Callable[[Any], Any], **options: Any) -> Any:
        """Return what `evaluate` makes of the state."""
        return evaluate(self)


@dataclass(frozen=True, eq=False)
class NumberTotals(_Summed):
    """Totals over true and predicted numbers.

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
    def of(cls, wanted: Sequence[Total], pair: NumberPair) -> NumberTotals:
        """Find the totals of a chunk."""
        rows = NumberState(pair).numbers
        totals = {total: np.asarray(rows.total(total), dtype=np.float64) for total in wanted}
        return cls(totals, float(rows.total_weight), len(pair.true), pair.weight is not None)

    def __add__(self, other: NumberTotals) -> NumberTotals:
        """Return the totals over the rows of both."""
        return NumberTotals(
            {total: own + other.totals[total] for total, own in self.totals.items()},
            self.weight + other.weight,
            self.n_examples + other.n_examples,
            self.weighted or other.weighted,
        )

    @property
    def state(self) -> NumberTotals:
        """What metrics are read from."""
        return self

    @property
    def numbers(self) -> KnownTotals:
        """What formulas ask of rows of which totals are left."""
        return KnownTotals(self.totals, np.array([self.weight]), self.n_examples, 1)


@dataclass(frozen=True, eq=False)
class CostSums(_Summed):
    """Sums of what examples cost: of their predictions, and of each class called for all of them.

    Parameters
    ----------
    classes : ndarray of shape (K,)
    sums : Costs
    weight : float
    weighted : bool
        Whether rows were weighed.
    """

    classes: Array
    sums: Costs
    weight: float
    weighted: bool

    @classmethod
    def of(cls, record: CostedLabels) -> CostSums:
        """Sum the costs of a chunk."""
        each = CostState(record).each
        weight = np.ones(len(record.true)) if record.weight is None else record.weight
        sums = Costs(weight @ each.incurred, weight @ each.constant)
        return cls(record.classes, sums, float(weight.sum()), record.weight is not None)

    def __add__(self, other: CostSums) -> CostSums:
        """Return the sums over the rows of both."""
        classes, _ = united(self.classes, other.classes)
        if not len(classes) == len(self.classes) == len(other.classes):
            raise ValueError(
                f"example_costs are those of the classes {shown(self.classes)} in one part and "
                f"{shown(other.classes)} in another; name all of them with labels=."
            )
        sums = Costs(
            self.sums.incurred + other.sums.incurred, self.sums.constant + other.sums.constant
        )
        weighted = self.weighted or other.weighted
        return replace(self, sums=sums, weight=self.weight + other.weight, weighted=weighted)

    @property
    def state(self) -> CostSums:
        """What metrics are read from."""
        return self

    @property
    def costs(self) -> Costs:
        """The mean costs."""
        return Costs(self.sums.incurred / self.weight, self.sums.constant / self.weight)
