"""Losses of class probabilities, summed chunk by chunk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from ..._arrays import Array, Floats
from .._records.counts import weighted_bincount
from .._records.probabilities import check_probabilities
from .._states.scores import Probabilities
from .labels import united

Losses = Callable[..., Floats]


@dataclass(frozen=True, eq=False)
class LossSums:
    """Sums of losses over the examples of each class, with either outcome where there are two.

    Parameters
    ----------
    classes : ndarray of shape (K,)
    weight : ndarray of shape (K,), float64
        The weight of the examples of each class.
    sums : dict
        From each loss to an array of shape (K, 2), or (K, 1) for more than two outcomes.
    n_columns : int
        Columns of the probabilities, at least 2.
    refused : str
        Why there are no losses: the scores are no probabilities.
    """

    classes: Array
    weight: Floats
    sums: Mapping[Losses, Floats]
    n_columns: int
    refused: str = ""

    @classmethod
    def of(cls, losses: Sequence[Losses], scored: Any) -> LossSums:
        """Sum the losses of a chunk."""
        if not losses:
            return cls(np.arange(0), np.zeros(0), {}, 0)
        classes = scored.classes
        try:
            matrix = check_probabilities(scored)
        except ValueError as error:
            return cls(classes, np.zeros(len(classes)), {}, 0, str(error))
        weight = np.ones(len(matrix)) if scored.weight is None else scored.weight
        outcomes = _outcomes(scored, matrix.shape[1])
        sums = {
            loss: np.column_stack(
                [
                    weighted_bincount(
                        scored.true,
                        len(classes),
                        loss(Probabilities(matrix, outcome, weight)) * weight,
                    )
                    for outcome in outcomes
                ]
            )
            for loss in losses
        }
        sizes = weighted_bincount(scored.true, len(classes), scored.weight)
        return cls(classes, sizes, sums, matrix.shape[1])

    def __add__(self, other: LossSums) -> LossSums:
        """Return the sums over the rows of both."""
        refused = self.refused or other.refused
        if refused or not self.sums:
            return LossSums(self.classes, self.weight, {}, 0, refused)
        classes, codes = united(self.classes, other.classes)
        weight = np.zeros(len(classes))
        sums = {}
        for part, place in zip((self, other), codes, strict=True):
            weight[place] += part.weight
        for loss, own in self.sums.items():
            sums[loss] = np.zeros((len(classes), own.shape[1]))
            for part, place in zip((self, other), codes, strict=True):
                sums[loss][place] += part.sums[loss]
        return LossSums(classes, weight, sums, self.n_columns)

    def of_positive(self, code: int | None) -> SummedLosses:
        """Return the sums with the class of a code as outcome 1; None where each has its column."""
        if self.refused:
            raise ValueError(self.refused)
        rows = np.arange(len(self.classes))
        outcome = rows if code is None else (rows == code) * 1
        if self.n_columns > 2:
            outcome = np.zeros_like(rows)
        totals = {loss: float(sums[rows, outcome].sum()) for loss, sums in self.sums.items()}
        return SummedLosses(totals, float(self.weight.sum()), self.n_columns)


@dataclass(frozen=True, eq=False)
class SummedLosses:
    """What formulas ask of :class:`Probabilities`, of which only sums are left."""

    totals: Mapping[Losses, float]
    total_weight: float
    n_columns: int

    @property
    def probability(self) -> NoReturn:
        """Refuse: single rows are not kept."""
        raise ValueError(
            "The metric needs the probabilities of every row, and of rows in chunks only sums of losses "
            "are kept; pass arrays in memory."
        )

    outcome = weight = probability

    def sum_of(self, losses: Losses) -> np.float64:
        """Return the weighted sum of the losses of the examples."""
        if losses not in self.totals:
            raise ValueError(
                f"Of examples in chunks only sums of losses are kept, and {losses.__name__} is none of "
                f"them: {', '.join(loss.__name__ for loss in self.totals)}."
            )
        return np.float64(self.totals[losses])


def _outcomes(scored: Any, columns: int) -> list[Array]:
    """Return the columns of the true classes; of two columns both, as a class may come later."""
    if columns > 2:
        return [scored.true if scored.columns is None else np.argsort(scored.columns)[scored.true]]
    return [np.full(len(scored.true), side) for side in (0, 1)]
