"""Losses of class probabilities, summed chunk by chunk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn, cast

import numpy as np

from ..._arrays import UNIT, Array, Codes, Floats
from .._cells.cells import ScoreCells
from .._cells.edges import tells_scores
from .._pairs.graded import Graded
from .._pairs.ranking import RankedScores
from .._records.counts import weighted_bincount
from .._records.probabilities import check_probabilities
from .._states.scores import Made, Probabilities
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
                        loss(Probabilities(matrix, outcome, weight, scored.unit)) * weight,
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
        raise _refuse_rows()

    outcome = weight = sizes = probability

    def graded(self, column: int) -> NoReturn:
        """Refuse: single rows are not kept."""
        raise _refuse_rows()

    once = graded

    def sum_of(self, losses: Losses) -> np.float64:
        """Return the weighted sum of the losses of the examples."""
        if losses not in self.totals:
            raise ValueError(
                f"Of examples in chunks only sums of losses are kept, and {losses.__name__} is none of "
                f"them: {', '.join(loss.__name__ for loss in self.totals)}."
            )
        return np.float64(self.totals[losses])


class CellProbabilities:
    """One probability an example, of which the cells and the sums of losses are left.

    It has what formulas ask of :class:`Probabilities`, of rows that each stand for the examples of a
    cell and class.

    Parameters
    ----------
    sums : SummedLosses
    cells : ScoreCells
    side : {-1, 0, 1}
        Whether metrics are to be lower bounds, those of the middle of cells, or upper bounds.
    ranked : callable
        Gives the scores of the cells, ranked.
    """

    def __init__(
        self, sums: SummedLosses, cells: ScoreCells, side: int, ranked: Callable[[], RankedScores]
    ) -> None:
        self.sums, self.cells, self.side, self._ranked = sums, cells, side, ranked
        self.n_columns, self.total_weight, self.unit = 2, cells.total, UNIT
        self._made: dict[Any, Any] = {}

    @cached_property
    def known(self) -> bool:
        """Whether every score is known."""
        return tells_scores(self.cells)

    @cached_property
    def _rows(self) -> Probabilities:
        ranked = self._ranked()
        sides = ranked.negative, ranked.positive
        held = [np.flatnonzero(weight) for weight in sides]
        score = np.concatenate([ranked.values[rows] for rows in held]).clip(0, 1)
        weight = np.concatenate([w[rows] for w, rows in zip(sides, held, strict=True)])
        outcome = np.repeat([0, 1], [len(rows) for rows in held])
        matrix = np.column_stack([1 - score, score])
        return Probabilities(matrix, outcome, weight / ranked.unit)

    @property
    def probability(self) -> Floats:
        """The probability of each class, a column each."""
        return self._rows.probability

    @property
    def outcome(self) -> Codes:
        """The column of each true class."""
        return self._rows.outcome

    @property
    def weight(self) -> Floats:
        """The number, or the weight, of the examples of each row."""
        return self._rows.weight

    @property
    def sizes(self) -> Floats:
        """How many examples each row stands for."""
        if self.cells.weighted:
            raise ValueError(
                "The metric needs the weight of every row, and of weighted rows in chunks only sums are "
                "kept; pass arrays in memory."
            )
        return self.weight

    def graded(self, column: int) -> list[Graded]:
        """Return a class against the rest."""
        return self._rows.graded(column)

    def once(self, make: Callable[[Any], Made]) -> Made:
        """Return what a function makes of the record, made at the first call."""
        if make not in self._made:
            self._made[make] = make(self)
        return cast(Made, self._made[make])

    def sum_of(self, losses: Losses) -> Any:
        """Return the sum of the losses of the examples, from the cells where it was not kept."""
        return (self.sums if losses in self.sums.totals else self._rows).sum_of(losses)


def _refuse_rows() -> ValueError:
    return ValueError(
        "The metric needs the probabilities of every row, and of rows in chunks only sums of losses "
        "and cells of one probability an example are kept; pass arrays in memory."
    )


def _outcomes(scored: Any, columns: int) -> list[Array]:
    """Return the columns of the true classes; of two columns both, as a class may come later."""
    if columns > 2:
        return [scored.true if scored.columns is None else np.argsort(scored.columns)[scored.true]]
    return [np.full(len(scored.true), side) for side in (0, 1)]
