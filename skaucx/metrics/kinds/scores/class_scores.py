"""Scores of the classes, probabilities among them, and totals over them, also chunk by chunk."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar, cast

import numpy as np

from ...._arrays import UNIT, Array, Codes, Floats, shown
from ...._compat import cached_property, warn
from ..._cells.edges import holds_scores
from ..._cells.score_histogram import ScoreCells
from ..._pairs.isotonic import Graded
from ..._pairs.ranking import RankedScores
from ..._records.inputs import ScoredIndicators, ScoredLabels, refuse_columns, refuse_multilabel
from ..labels import united
from ..totals import KnownTotals, Total, Weighed, total_of_columns, weight_of_each

Made = TypeVar("Made")


class KeptResults:
    """A record that keeps what several metrics make of it."""

    @cached_property
    def _made(self) -> dict[Any, Any]:
        return {}

    def once(self, make: Callable[[Any], Made]) -> Made:
        """Return what a function makes of the record, made at the first call."""
        if make not in self._made:
            self._made[make] = make(self)
        return cast(Made, self._made[make])


@dataclass(frozen=True, eq=False)
class Columns(Weighed):
    """Scores of the classes with the column of each example's true class.

    `score` has shape (n, K), or (n,) for those of the second of two classes; `outcome` has shape (n,),
    `weight` shape (n,) or (replicates, n).
    """

    score: Floats
    outcome: Codes
    weight: Floats

    def with_outcome(self, rows: Codes, outcome: int) -> Columns:
        """Return some of the rows, all with one outcome."""
        return Columns(self.score[rows], np.full(len(rows), outcome), self.weight[rows])

    @property
    def n_columns(self) -> int:
        """Columns of the scores; 1 for one score an example."""
        return 1 if self.score.ndim == 1 else self.score.shape[1]


@dataclass(frozen=True, eq=False)
class Probabilities(KeptResults, Weighed):
    """Class probabilities with the column of each example's true class.

    `probability` has shape (n, K), `outcome` shape (n,), `weight` shape (n,) or (replicates, n);
    `unit` is the rounding unit of the type that the probabilities came in, and `rank` gives the ranking
    of the second column where there is one already.
    """

    probability: Floats
    outcome: Codes
    weight: Floats
    unit: float = UNIT
    rank: Callable[[], RankedScores] | None = None
    _graded: dict[int, list[Graded]] = field(init=False, repr=False, default_factory=dict)

    def with_outcome(self, rows: Codes, outcome: int) -> Probabilities:
        """Return some of the rows, all with one outcome."""
        own = np.full(len(rows), outcome)
        return Probabilities(self.probability[rows], own, self.weight[rows], self.unit)

    def graded(self, column: int) -> list[Graded]:
        """Return a class against the rest, sorted once, for each set of weights."""
        if column not in self._graded:
            truth, probability = self.outcome == column, self.probability[:, column]
            weights = np.atleast_2d(self.weight)
            self._graded[column] = [Graded.of_rows(truth, probability, w) for w in weights]
            if self.rank is not None and self.weight.ndim == 1 and column == 1:
                self._graded[column] = [Graded(self.rank)]
        return self._graded[column]

    @property
    def n_columns(self) -> int:
        """The number of classes."""
        return self.probability.shape[1]

    @property
    def n_examples(self) -> int:
        """The number of examples, whatever they weigh."""
        return len(self.outcome)

    @property
    def class_weights(self) -> Floats:
        """The weight of the examples of each class, of shape (..., n_columns)."""
        return weight_of_each(self.outcome, self.n_columns, self.weight)

    @property
    def sizes(self) -> Floats:
        """Number of examples that each row represents: 0 if its weight is 0."""
        return (self.weight > 0).astype(np.float64)


def check_probabilities(scored: ScoredLabels) -> Floats:
    """Return the n x K matrix of class probabilities; one column means the positive class."""
    score = scored.score
    check_columns(scored, "y_proba")
    if score.ndim == 2:
        _check_rows(score, scored.unit)
        return score
    low, high = scored.extremes
    check_probability_range(min(low, 1 - high), max(high, 1 - low))
    both = np.empty((len(score), 2))
    np.subtract(1, score, out=both[:, 0])
    both[:, 1] = score
    return both


def check_columns(scored: ScoredLabels, name: str = "y_score") -> None:
    """Raise an error for scores that are neither a vector for two classes nor one column per class."""
    classes, needed = scored.classes, max(len(scored.classes), 2)
    if scored.columns is not None and len(scored.columns) < len(classes):
        unnamed = np.delete(classes, scored.columns)
        raise ValueError(f"y_true holds labels that labels= does not name: {shown(unnamed)}.")
    columns = 1 if scored.one_column else scored.score.shape[1]
    if needed != (2 if scored.one_column else columns):
        raise refuse_columns(name, columns, needed, classes)


def single_labels(scored: ScoredIndicators) -> Codes:
    """Return the one label that every row of indicators marks: classes, written in columns."""
    if (scored.true.sum(axis=1) != 1).any():
        raise refuse_multilabel("A loss of probabilities")
    _check_rows(scored.score, scored.unit)
    return scored.true.argmax(axis=1)


def check_probability_range(low: np.float64, high: np.float64) -> None:
    """Raise an error if the lowest or highest score is not a probability."""
    if low < 0 or high > 1:
        raise ValueError(
            f"y_proba lies in [{low:.6g}, {high:.6g}], but probabilities lie in [0, 1]; pass the "
            "output of predict_proba."
        )


def _check_rows(score: Floats, unit: float) -> None:
    """Raise an error for invalid probabilities, and warn of rows that do not sum to one."""
    check_probability_range(score.min(), score.max())
    totals = score.sum(axis=1)
    if np.abs(totals - 1).max() > math.sqrt(unit) + 1e-8:  # as scikit-learn
        warn(
            "The rows of y_proba do not sum to one (the least and greatest sums are "
            f"{totals.min():.6g} and {totals.max():.6g}), and are taken as they are; pass the "
            "output of predict_proba."
        )


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
        sums = {total: held[rows, outcome].sum(axis=0) for total, held in self.totals.items()}
        # Queries sum the losses of one positive class; those of the other are nan, thus not kept.
        return {total: found for total, found in sums.items() if not np.isnan(found).any()}


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
