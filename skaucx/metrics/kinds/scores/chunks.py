"""Scores counted in cells chunk by chunk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import Any, Literal

import numpy as np

from ...._arrays import Array, Floats
from ..._cells.score_histogram import ScoreCells
from ..._records.counts import weighted_bincount
from ..._records.inputs import (
    check_unit_range,
    positive_code,
    score_columns,
)
from ..labels import united
from ..totals import Total, UniformBins
from .class_totals import ClassTotals, column_rows, probability_rows
from .counted import CountedScoreState
from .resampled import CountedScoreSample
from .state import GREATEST, BinaryProblem, LabelColumn, OneScore, OneVsOne, OneVsRest, Ranked

# The default of cells a binary problem.
MAX_CELLS = 1 << 20


@dataclass(frozen=True)
class CountingPlan:
    """What to keep of scores.

    Parameters
    ----------
    max_cells : int
        The greatest number of cells of a binary problem.
    ranked : bool
        Whether to keep cells.
    of_probabilities, of_columns : tuple of Total
        Totals of class probabilities, and of any scores of the classes.
    pairs : bool
        Whether to keep cells of each pair of classes too (``multi_class="ovo"``).
    strict : bool
        Whether scores without such totals raise an error at once, not when they are requested.
    unit : str
        The metric that needs scores in [0, 1], if one does.
    """

    max_cells: int = MAX_CELLS
    ranked: bool = True
    of_probabilities: tuple[Total, ...] = ()
    of_columns: tuple[Total, ...] = ()
    pairs: bool = False
    strict: bool = False
    unit: str = ""

    @property
    def kept(self) -> tuple[Any, ...]:
        """What must be alike for counts to add up."""
        return self.ranked, self.of_probabilities, self.of_columns, self.pairs

    @property
    def totals(self) -> tuple[Total, ...]:
        """All totals that are kept."""
        return self.of_probabilities + self.of_columns

    def binned(self, n_bins: Sequence[int]) -> CountingPlan:
        """Return the plan with calibration bins of these numbers, if it has any."""
        others = [t for t in self.of_probabilities if not isinstance(t, UniformBins)]
        if len(others) == len(self.of_probabilities):
            return self
        ways: tuple[Literal["top", "each"], ...] = ("top", "each")
        bins = [UniformBins(number, classes) for number in n_bins for classes in ways]
        return replace(self, of_probabilities=(*others, *bins))


@dataclass(frozen=True, eq=False)
class ScoreCounts:
    """Scores of labelled examples, counted in cells a binary problem.

    Parameters
    ----------
    plan : CountingPlan
    classes : ndarray of shape (K,)
        Sorted classes met so far; of multilabel indicators the numbers of the labels.
    sizes : ndarray of shape (K,), float64
        The number, or the weight, of the examples of each class.
    columns : int
        Columns of the scores; 0 for one score an example.
    named : ndarray or None
        The caller's ``labels``.
    cells : dict
        From each binary problem to its cells.
    of_probabilities, of_columns : ClassTotals
    n_examples : int
        Rows that weigh more than 0.
    weighted : bool
        Whether rows were weighed.
    multilabel : bool
    means : dict
        Known sums over all pairs of a binary problem and a rescaling.
    """

    plan: CountingPlan
    classes: Array
    sizes: Floats
    columns: int
    named: Array | None
    cells: Mapping[BinaryProblem, ScoreCells]
    of_probabilities: ClassTotals
    of_columns: ClassTotals
    n_examples: int
    weighted: bool
    multilabel: bool = False
    means: Mapping[Ranked, Mapping[Any, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, plan: CountingPlan, scored: Any, levels: Mapping[Any, int | None]) -> ScoreCounts:
        """Count a chunk, in cells of the levels that are reached anyway."""
        if plan.strict and plan.unit:
            check_unit_range(scored.extremes, plan.unit)
        named: Array | None = None
        totals: tuple[tuple[Total, ...], ...] = ((), ())
        if scored.multilabel:
            columns = scored.true.shape[1]
            classes, weight = (
                np.arange(columns),
                1 if scored.weight is None else scored.weight[:, None],
            )
            sizes = (scored.true * weight).sum(axis=0, dtype=np.float64)
        else:
            columns = 0 if scored.one_column else scored.score.shape[1]
            classes, totals = scored.classes, (plan.of_probabilities, plan.of_columns)
            if not columns:
                positive_code(classes, either=True)  # raises an error for more than two classes
            sizes = weighted_bincount(scored.true, len(classes), scored.weight)
            named = None if scored.columns is None else classes[scored.columns]
        return cls(
            plan,
            classes,
            sizes,
            columns,
            named,
            {p: _counted(plan, p, scored, levels.get(p)) for p in _problems(plan, scored, columns)},
            ClassTotals.of(totals[0], scored, probability_rows, plan.strict),
            ClassTotals.of(totals[1], scored, column_rows, plan.strict),
            len(scored.true),
            scored.weight is not None,
            scored.multilabel,
        )

    @property
    def state(self) -> CountedScoreState:
        """What metrics are read from: the lower and the upper edges of the cells."""
        return CountedScoreState(self)

    @property
    def sample(self) -> CountedScoreSample:
        """The resampling units: the examples of a cell as rows at its midpoint."""
        if self.weighted:
            raise ValueError(
                "An interval of scores with weights draws rows with their weights, and of rows in "
                "chunks only sums are kept; pass arrays in memory, or choose metrics of labels."
            )
        if GREATEST not in self.cells and not self.plan.ranked:
            raise ValueError(
                "An interval needs cells of scores or sums of squares, and only sums of losses "
                "were kept; use evaluate(data=..., intervals=True), or MetricAccumulator() of all "
                "metrics."
            )
        if GREATEST not in self.cells:
            raise ValueError(
                "An interval needs all columns of a row, but for rows in chunks each column is "
                "counted separately; pass arrays in memory, or one score per example."
            )
        return CountedScoreSample(self)

    @property
    def holds_rows(self) -> bool:
        """Whether the cells represent rows: one score per example, each of weight 1."""
        return GREATEST in self.cells and not self.weighted

    @property
    def levels(self) -> dict[BinaryProblem, int | None]:
        """The level of each problem's cells."""
        return {problem: cells.level for problem, cells in self.cells.items()}

    def __add__(self, other: ScoreCounts) -> ScoreCounts:
        """Return the counts of the rows of both."""
        if (self.columns, self.multilabel) != (other.columns, other.multilabel):
            raise ValueError(
                f"Scores of one shape are needed, found {_shape(self)} in one part and "
                f"{_shape(other)} in another."
            )
        classes, codes = united(self.classes, other.classes)
        sizes = np.zeros(len(classes))
        for part, place in zip((self, other), codes, strict=True):
            sizes[place] += part.sizes
        if not self.columns:
            positive_code(classes, either=True)
        mine, others = (part._facing(classes) for part in (self, other))
        return replace(
            self,
            classes=classes,
            sizes=sizes,
            cells={problem: cells + others[problem] for problem, cells in mine.items()},
            of_probabilities=self.of_probabilities + other.of_probabilities,
            of_columns=self.of_columns + other.of_columns,
            n_examples=self.n_examples + other.n_examples,
            weighted=self.weighted or other.weighted,
            means={},
        )

    def _facing(self, classes: Array) -> Mapping[BinaryProblem, ScoreCells]:
        """Return the cells with the greatest of the classes as the positive one of a lone score."""
        if self.columns or not self.cells or self.classes[-1] == classes[-1]:
            return self.cells
        return {GREATEST: self.cells[GREATEST].swapped}


def _problems(plan: CountingPlan, scored: Any, columns: int) -> Sequence[BinaryProblem]:
    """Return the binary problems whose scores are kept."""
    if not plan.ranked:
        return []
    if scored.multilabel:
        return [LabelColumn(k) for k in range(columns)]
    if not columns:
        return [GREATEST]
    if columns == 2 and len(scored.classes) <= 2:
        return []  # both columns of a binary problem: good for losses only
    every = range(len(score_columns(scored)))
    pairs = permutations(every, 2) if plan.pairs else ()
    return [OneVsRest(k) for k in every] + [OneVsOne(a, b) for a, b in pairs]


def _counted(
    plan: CountingPlan, problem: BinaryProblem, scored: Any, level: int | None
) -> ScoreCells:
    own = OneScore(len(scored.classes) - 1) if problem == GREATEST else problem
    truth, score, weight = own.of(scored)
    if not len(score):
        return ScoreCells.empty(plan.max_cells)
    return ScoreCells.count(truth, score, weight, plan.max_cells, level or 0)


def _shape(counts: ScoreCounts) -> str:
    if not counts.columns:
        return "one score an example"
    return f"{counts.columns} columns{' of multilabel indicators' if counts.multilabel else ''}"
