"""Totals over scored rows that come chunk by chunk, for either outcome where there are two."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from ...._arrays import Array, Codes, Floats
from ..._cells.edges import holds_scores
from ..._cells.score_histogram import ScoreCells
from ..._pairs.isotonic import Graded
from ..._pairs.ranking import RankedScores
from ..._records.inputs import ScoredLabels
from ..labels import united
from ..totals import KnownTotals, Total, total_of_columns
from .class_scores import Columns, KeptResults, Probabilities, check_columns, check_probabilities


def probability_rows(scored: ScoredLabels) -> Probabilities:
    """Return class probabilities, or raise an error."""
    matrix = check_probabilities(scored)
    return Probabilities(matrix, scored.column_of_truth, scored.weights, scored.unit)


def column_rows(scored: ScoredLabels) -> Columns:
    """Return scores of the classes, or raise an error."""
    check_columns(scored)
    return Columns(scored.score, scored.column_of_truth, scored.weights)


@dataclass(frozen=True, eq=False)
class ClassTotals:
    """Totals over the examples of each class, with either outcome where there are two.

    Parameters
    ----------
    classes : ndarray of shape (K,)
    totals : dict
        From each total to an array of shape (K, 2, ...), or (1, 1, ...) for more than two outcomes.
    n_columns : int
        Columns of the scores.
    refused : str
        Why there are no totals: the scores are not probabilities.
    """

    classes: Array
    totals: Mapping[Total, Floats]
    n_columns: int
    refused: str = ""

    @classmethod
    def of(
        cls,
        wanted: Sequence[Total],
        scored: Any,
        read: Callable[[Any], Probabilities | Columns],
        strict: bool = False,
    ) -> ClassTotals:
        """Find the totals of a chunk."""
        if not wanted:
            return cls(np.arange(0), {}, 0)
        try:
            record = read(scored)
        except ValueError as error:
            if strict:
                raise
            return cls(scored.classes, {}, 0, str(error))
        parts = [[record]]
        if record.n_columns <= 2:  # of two outcomes both, as a class may come later
            of_class = [np.flatnonzero(scored.true == k) for k in range(len(scored.classes))]
            parts = [[record.with_outcome(own, side) for side in (0, 1)] for own in of_class]
        own_totals = {total_of_columns(total, record.n_columns) for total in wanted}
        totals = {
            total: np.array([[total(part) for part in row] for row in parts], dtype=np.float64)
            for total in wanted
            if total in own_totals
        }
        return cls(scored.classes, totals, record.n_columns)

    def __add__(self, other: ClassTotals) -> ClassTotals:
        """Return the totals over the rows of both."""
        refused = self.refused or other.refused
        classes, codes = united(self.classes, other.classes)
        if refused:
            return ClassTotals(classes, {}, 0, refused)
        totals = {}
        for total in [t for t in self.totals if t in other.totals]:  # files withhold some
            parts = self.totals[total], other.totals[total]
            if self.n_columns > 2:
                totals[total] = parts[0] + parts[1]
                continue
            totals[total] = np.zeros((len(classes), *parts[0].shape[1:]))
            for part, place in zip(parts, codes, strict=True):
                totals[total][place] += part
        return ClassTotals(classes, totals, self.n_columns)

    def of_positive(self, code: int | None) -> dict[Total, Floats]:
        """Return the totals with the class of a code as outcome 1; None where each has its column."""
        if self.refused:
            raise ValueError(self.refused)
        if self.n_columns > 2:
            return {total: held[0, 0] for total, held in self.totals.items()}
        rows = np.arange(len(self.classes))
        outcome = rows if code is None else (rows == code) * 1
        return {total: held[rows, outcome].sum(axis=0) for total, held in self.totals.items()}


@dataclass(frozen=True, eq=False)
class ColumnProbabilities(KnownTotals):
    """Probabilities of several classes, whose columns are known separately.

    Parameters
    ----------
    ranked : callable
        Gives the scores of a class against the rest, ranked.
    """

    ranked: Callable[[int], RankedScores]

    def graded(self, column: int) -> list[Graded]:
        """Return a class against the rest."""
        return [Graded(partial(self.ranked, column))]


@dataclass(frozen=True, eq=False)
class CellProbabilities(KeptResults, KnownTotals):
    """One probability an example, of which the cells and totals are left.

    It has the interface of :class:`Probabilities`, with rows that each represent the examples of a
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

    @property
    def known(self) -> bool:
        """Whether every score is known."""
        return holds_scores(self.cells)

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
        """Number of examples that each row represents."""
        if self.cells.weighted:
            raise ValueError(
                "The metric needs the weight of every row, and of weighted rows in chunks only "
                "sums are kept; pass arrays in memory."
            )
        return self.weight

    def graded(self, column: int) -> list[Graded]:
        """Return a class against the rest."""
        return self._rows.graded(column)

    def total(self, of: Total) -> Any:
        """Return a total, from the cells where it was not kept."""
        return super().total(of) if self.holds([of]) else of(self._rows)
