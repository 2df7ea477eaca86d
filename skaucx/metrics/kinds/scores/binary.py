"""The binary problems among the classes or labels of scored examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ...._arrays import Array, Codes
from ..._records.inputs import score_columns


class Binary(NamedTuple):
    """Truth, score and weight of the examples, or the cells, of one binary problem.

    The scores are of type float64, or as they were given, float32.
    """

    truth: Array
    score: Array
    weight: Array | None


class _Whole:
    """A problem in which every row stands once."""

    def rows(self, scored: Any) -> Codes | None:
        """Return the rows that the problem takes, in its order; None for all of them."""
        return None


@dataclass(frozen=True)
class OneScore(_Whole):
    """The only score: the class of a code against the other."""

    positive: int

    def of(self, scored: Any) -> Binary:
        """Take the problem out of scored labels."""
        return Binary(scored.true == self.positive, scored.given, scored.weight)


@dataclass(frozen=True)
class OneVsRest(_Whole):
    """A column of a score matrix: its class against all others."""

    column: int

    def of(self, scored: Any) -> Binary:
        """Take the problem out of scored labels."""
        code = score_columns(scored)[self.column]
        return Binary(scored.true == code, scored.score[:, self.column], scored.weight)


@dataclass(frozen=True)
class OneVsOne:
    """A column of a score matrix among the examples of two classes."""

    column: int
    other: int

    def rows(self, scored: Any) -> Codes:
        """Return the rows of the two classes."""
        return np.concatenate(self._rows_of_classes(scored))

    def _rows_of_classes(self, scored: Any) -> list[Codes]:
        columns = score_columns(scored)
        return [scored.rows_of_class[columns[k]] for k in (self.column, self.other)]

    def of(self, scored: Any) -> Binary:
        """Take the problem out of scored labels."""
        own, others = self._rows_of_classes(scored)
        rows = np.concatenate([own, others])
        truth = np.arange(len(rows)) < len(own)
        weight = None if scored.weight is None else scored.weight[rows]
        return Binary(truth, scored.score[rows, self.column], weight)


@dataclass(frozen=True)
class ClassCells:
    """Every cell of a score matrix: whether its class is the true one."""

    def rows(self, scored: Any) -> Codes:
        """Return the row of each cell."""
        return np.repeat(np.arange(len(scored.true)), scored.score.shape[1])

    def of(self, scored: Any) -> Binary:
        """Take the problem out of scored labels."""
        truth = (scored.true[:, None] == score_columns(scored)).ravel()
        weight = None if scored.weight is None else scored.weight[self.rows(scored)]
        return Binary(truth, scored.score.ravel(), weight)


@dataclass(frozen=True)
class LabelColumn(_Whole):
    """One label of multilabel indicators."""

    column: int

    def of(self, scored: Any) -> Binary:
        """Take the problem out of scored indicators."""
        return Binary(scored.true[:, self.column], scored.score[:, self.column], scored.weight)


@dataclass(frozen=True)
class SampleRow(_Whole):
    """The labels of one example of multilabel indicators."""

    row: int

    def of(self, scored: Any) -> Binary:
        """Take the problem out of scored indicators."""
        return Binary(scored.true[self.row], scored.score[self.row], None)


@dataclass(frozen=True)
class LabelCells(_Whole):
    """Every cell of multilabel indicators."""

    def of(self, scored: Any) -> Binary:
        """Take the problem out of scored indicators."""
        weight = scored.weight
        repeated = None if weight is None else np.repeat(weight, scored.true.shape[1])
        return Binary(scored.true.ravel(), scored.score.ravel(), repeated)


BinaryProblem = OneScore | OneVsRest | OneVsOne | ClassCells | LabelColumn | SampleRow | LabelCells
# The only score, its greatest class as the positive one.
GREATEST = OneScore(-1)
# A binary problem, and how its scores are rescaled.
Ranked: TypeAlias = tuple[BinaryProblem, str | None]
