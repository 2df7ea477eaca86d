"""True and predicted numbers, under one set of weights or many."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._arrays import Floats
from .._records.numbers import NumberPair
from .totals import Weighed


@dataclass(frozen=True, eq=False)
class Numbers(Weighed):
    """True and predicted values of shape (n,), with weights of shape (n,) or (replicates, n)."""

    true: Floats
    pred: Floats
    weight: Floats

    def mean_of(self, values: Floats) -> Any:
        """Return the weighted mean of one value an example."""
        return (values * self.weight).sum(axis=-1) / self.weight.sum(axis=-1)


class NumberState:
    """Numbers held ready, from which any number of metrics is read."""

    multilabel = False

    def __init__(self, pair: NumberPair) -> None:
        weight = np.ones(len(pair.true)) if pair.weight is None else pair.weight
        self.numbers = Numbers(pair.true, pair.pred, weight)

    def read(self, evaluate: Callable[[Any], Any], **options: Any) -> Any:
        """Return what `evaluate` makes of the state."""
        return evaluate(self)
