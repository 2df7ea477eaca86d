"""True and predicted numbers of a regression or a forecast."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._arrays import Floats, score_array, weighed
from .._records.inputs import Record
from .base import PRED, TRUE, Counting, Inputs, Kind, State
from .totals import KnownTotals, Summed, Total, Weighed


@dataclass(frozen=True, eq=False)
class NumberPair(Record):
    """True and predicted values, with weights or None."""

    many_weights = True

    true: Floats
    pred: Floats
    weight: Floats | None

    @property
    def numbers(self) -> Numbers:
        """The values with the weight of each row."""
        return Numbers(self.true, self.pred, self.weights)


def number_vector(values: Any, name: str) -> Floats:
    """Return finite numbers of shape (n,)."""
    array = score_array(values, name)
    if array.ndim != 1:
        raise ValueError(
            f"{name} must be one-dimensional, one number an example, found shape {array.shape}."
        )
    return array


def check_numbers(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    names: Sequence[str] = ("y_true", "y_pred"),
) -> NumberPair:
    """Check true and predicted numbers; there are no `labels`."""
    if labels is not None:
        raise TypeError("labels name classes, which numbers do not have; omit it.")
    true, pred = (number_vector(y, name) for y, name in zip((y_true, y_pred), names, strict=True))
    return NumberPair(*weighed(names, true, pred, sample_weight))


@dataclass(frozen=True, eq=False)
class Numbers(Weighed):
    """True and predicted values of shape (n,), with weights of shape (n,) or (replicates, n)."""

    true: Floats
    pred: Floats
    weight: Floats

    def mean_of(self, values: Floats) -> Any:
        """Return the weighted mean of one value an example."""
        return (values * self.weight).sum(axis=-1) / self.weight.sum(axis=-1)


@dataclass(frozen=True, eq=False)
class NumberTotals(Summed):
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
        rows = pair.numbers
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
    def record(self) -> KnownTotals:
        """What formulas ask of rows of which totals are left."""
        return KnownTotals(self.totals, np.array([self.weight]), self.n_examples, 1)


def _counted(settings: Any, pair: NumberPair, before: Any) -> NumberTotals:
    return NumberTotals.of(settings.numbers, pair)


NUMBERS = Inputs(
    "predicted numbers",
    "y_pred",
    read=number_vector,
    read_true=number_vector,
    check=check_numbers,
    hold=lambda pair: State(pair.numbers),
    counting=Counting("numbers", "y_pred", _counted, totals_only=True),
    texts={
        TRUE: """array-like of shape (n_samples,)
    True numbers, finite.""",
        PRED: """array-like of shape (n_samples,)
    Predicted numbers, finite.""",
    },
)


REGRESSION = Kind("regression", NUMBERS)
