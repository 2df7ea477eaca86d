"""What predictions cost, and what the same call of all examples would."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._arrays import Floats
from .._records.example_costs import CostedLabels


@dataclass(frozen=True, eq=False)
class Costs:
    """Mean costs over examples: of the predictions, and of each class called for all of them.

    `incurred` has shape (...), `constant` (..., n_classes).
    """

    incurred: Floats
    constant: Floats


class CostState:
    """Costs held ready, under one set of weights or, of shape (replicates, n), many."""

    multilabel = False

    def __init__(self, record: CostedLabels) -> None:
        self._record = record

    def read(self, evaluate: Callable[[Any], Any], **options: Any) -> Any:
        """Return what `evaluate` makes of the state."""
        return evaluate(self)

    @property
    def each(self) -> Costs:
        """The costs of every example by itself."""
        record = self._record
        return Costs(record.costs[np.arange(len(record.pred)), record.pred], record.costs)

    @property
    def costs(self) -> Costs:
        """The mean costs."""
        each, weight = self.each, self._record.weight
        weight = np.ones(len(each.incurred)) if weight is None else weight
        shares = weight / weight.sum(axis=-1, keepdims=True)

        def mean(costs: Floats) -> Floats:
            return np.asarray((shares * costs).sum(axis=-1))

        return Costs(mean(each.incurred), np.stack([mean(k) for k in each.constant.T], axis=-1))
