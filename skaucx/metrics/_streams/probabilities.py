"""Probabilities of which totals, and the cells of each column, are left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, cast

import numpy as np

from ..._arrays import Codes, Floats
from .._cells.cells import ScoreCells
from .._cells.edges import tells_scores
from .._pairs.graded import Graded
from .._pairs.ranking import RankedScores
from .._states.scores import Made, Probabilities
from .._states.totals import Total
from .totals import KnownTotals


@dataclass(frozen=True, eq=False)
class ColumnProbabilities(KnownTotals):
    """Probabilities of several classes, each of whose columns is known by itself.

    Parameters
    ----------
    ranked : callable
        Gives the scores of a class against the rest, ranked.
    """

    ranked: Callable[[int], RankedScores]

    def graded(self, column: int) -> list[Graded]:
        """Return a class against the rest."""
        nothing = np.zeros(0)
        return [Graded(nothing > 0, nothing, nothing, partial(self.ranked, column))]


@dataclass(frozen=True, eq=False)
class CellProbabilities(KnownTotals):
    """One probability an example, of which the cells and totals are left.

    It has what formulas ask of :class:`Probabilities`, of rows that each stand for the examples of a
    cell and class.

    Parameters
    ----------
    cells : ScoreCells
    side : {-1, 0, 1}
        Whether metrics are to be lower bounds, those of the middle of cells, or upper bounds.
    ranked : callable
        Gives the scores of the cells, ranked.
    """

    cells: ScoreCells
    side: int
    ranked: Callable[[], RankedScores]
    _made: dict[Any, Any] = field(init=False, repr=False, default_factory=dict)

    @property
    def known(self) -> bool:
        """Whether every score is known."""
        return tells_scores(self.cells)

    @property
    def totals_alone(self) -> KnownTotals:
        """The same without the cells."""
        return KnownTotals(self.totals, self.class_weights, self.n_examples, self.n_columns)

    @cached_property
    def _rows(self) -> Probabilities:
        ranked = self.ranked()
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

    def total(self, of: Total) -> Any:
        """Return a total, from the cells where it was not kept."""
        return super().total(of) if self.holds([of]) else of(self._rows)
