"""Totals over scored rows that come chunk by chunk, for either outcome where there are two."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import numpy as np

from ..._arrays import UNIT, Array, Codes, Floats
from .._records.inputs import ScoredLabels
from .._records.probabilities import check_columns, check_probabilities
from .._states.scores import Columns, Probabilities
from .._states.totals import SumOf, Total, UniformBins, named_total
from .labels import united


class Rows(NamedTuple):
    """Checked rows of scores: what totals are called on, under any outcome.

    Attributes
    ----------
    n_columns : int
    under : callable
        Takes some of the rows, their outcomes and weights; returns the record.
    """

    n_columns: int
    under: Callable[[Any, Codes, Floats], Any]


def probability_rows(scored: ScoredLabels) -> Rows:
    """Return class probabilities, or refuse what is none."""
    matrix = check_probabilities(scored)
    return Rows(
        matrix.shape[1],
        lambda rows, outcome, weight: Probabilities(matrix[rows], outcome, weight, scored.unit),
    )


def column_rows(scored: ScoredLabels) -> Rows:
    """Return scores of the classes, or refuse them."""
    check_columns(scored)
    return Rows(
        1 if scored.score.ndim == 1 else scored.score.shape[1],
        lambda rows, outcome, weight: Columns(scored.score[rows], outcome, weight),
    )


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
        Why there are no totals: the scores are no probabilities.
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
        read: Callable[[Any], Rows],
        strict: bool = False,
    ) -> ClassTotals:
        """Find the totals of a chunk."""
        if not wanted:
            return cls(np.arange(0), {}, 0)
        try:
            rows = read(scored)
        except ValueError as error:
            if strict:
                raise
            return cls(scored.classes, {}, 0, str(error))
        weight = np.ones(len(scored.true)) if scored.weight is None else scored.weight
        if rows.n_columns > 2:
            columns = scored.columns
            outcome = scored.true if columns is None else np.argsort(columns)[scored.true]
            parts = [[rows.under(slice(None), outcome, weight)]]
        else:  # of two outcomes both, as a class may come later
            of_class = [np.flatnonzero(scored.true == k) for k in range(len(scored.classes))]
            parts = [
                [rows.under(own, np.full(len(own), side), weight[own]) for side in (0, 1)]
                for own in of_class
            ]
        own_totals = {_of_columns(total, rows.n_columns) for total in wanted}
        totals = {
            total: np.array([[total(record) for record in row] for row in parts], dtype=np.float64)
            for total in wanted
            if total in own_totals
        }
        return cls(scored.classes, totals, rows.n_columns)

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
class KnownTotals:
    """What formulas ask of rows of which only totals are left.

    Parameters
    ----------
    totals : dict
    class_weights : ndarray of shape (n_classes,), float64
        The weight of the examples of each class, in the order of the columns.
    n_examples, n_columns : int
    """

    totals: Mapping[Total, Floats]
    class_weights: Floats
    n_examples: int
    n_columns: int

    unit = UNIT

    @property
    def known(self) -> bool:
        """Whether every score is known."""
        return False

    @property
    def total_weight(self) -> Any:
        """The number, or the weight, of all examples."""
        return self.class_weights.sum()

    def __getattr__(self, name: str) -> NoReturn:
        """Refuse what only single rows tell."""
        raise refuse_rows() if name in _OF_ROWS else AttributeError(name)

    def holds(self, totals: Sequence[Total] | None) -> bool:
        """Whether totals were kept, those that a formula is made of."""
        return totals is not None and all(
            _of_columns(total, self.n_columns) in self.totals for total in totals
        )

    def total(self, of: Total) -> Any:
        """Return a total that was kept."""
        if not self.holds([of]):
            kept = ", ".join(map(named_total, self.totals)) or "none"
            raise ValueError(
                f"Of rows in chunks only totals are kept, and {named_total(of)} is none of them: "
                f"{kept}. MetricAccumulator keeps those of the metrics and n_bins that it is made with."
            )
        return self.totals[_of_columns(of, self.n_columns)]

    def sum_of(self, losses: Callable[..., Floats]) -> Any:
        """Return the weighted sum of the losses of the examples."""
        return self.total(SumOf(losses))


# What formulas ask of rows of which more is left than totals.
_OF_ROWS = frozenset(
    {"probability", "score", "true", "pred", "outcome", "weight", "sizes", "graded", "once"}
)


def _of_columns(total: Total, n_columns: int) -> Total:
    return total.of_columns(n_columns) if isinstance(total, UniformBins) else total


def refuse_rows() -> ValueError:
    """Return the error for what reads single rows, or cells of scores that are not kept."""
    return ValueError(
        "The metric needs the scores of every row, and of rows in chunks only totals and cells of each "
        "column of scores by itself are kept; pass arrays in memory."
    )
