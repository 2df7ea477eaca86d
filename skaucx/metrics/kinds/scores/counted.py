"""What metrics of scores are read from when only cells are left: the lower and the upper bound."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import cached_property, partial, reduce
from operator import add
from typing import Any, ClassVar

import numpy as np

from ...._arrays import Floats
from ..._cells.certified import between
from ..._cells.edges import EdgeScores, Side, edge_scores, holds_scores
from ..._cells.score_histogram import ScoreCells
from ..._cells.summing import PairSum
from ..._records.inputs import ScoredIndicators, ScoredLabels, positive_code, score_columns
from ..base import Problem, Problems, State
from ..labels import named_codes, refuse_samples
from ..totals import KnownTotals
from .class_scores import check_columns, check_probability_range
from .class_totals import CellProbabilities, ClassTotals, ColumnProbabilities
from .state import (
    GREATEST,
    BinaryProblem,
    ClassCells,
    IndicatorScores,
    LabelCells,
    OneScore,
    OneVsOne,
    OneVsRest,
    Ranked,
    ScoreState,
)

_NO_BOUND = (
    "the value may fall where a positive's score rises or a negative's falls, so cells of scores "
    "do not "
    "bound it; tolerance=0 finds it where it is declared with over_thresholds=, or is a mean over "
    "pairs "
    "of a DifferenceFunction with its kinks"
)
_NO_ENDS = "the lowest and highest scores are withheld, and metrics that read them have no bound"


class CountedScoreState(State):
    """Scores counted in cells, from which certified values are read."""

    def __init__(self, counts: Any) -> None:
        self.counts, self.multilabel = counts, counts.multilabel
        self._states: dict[Side, _AtEdges] = {}

    @property
    def of_many(self) -> dict[str, str]:
        """The default treatment of the classes of a matrix of scores."""
        many = self.counts.columns and not self.multilabel
        return {"multi_class": "ovr"} if many else {}

    def probabilities(self, pos_label: Any = None, either: bool = True) -> Any:
        """Return what is left of the probabilities, those of cells at their lower edges."""
        return self._at_edges(-1).probabilities(pos_label, either)

    def columns(self, pos_label: Any = None, either: bool = True) -> Any:
        """Return totals of the scores of the classes."""
        return self._at_edges(-1).columns(pos_label, either)

    def read(
        self,
        evaluate: Callable[[Any], Any],
        *,
        bounded: bool = True,
        by_order: bool = False,
        **options: Any,
    ) -> Any:
        """Return what `evaluate` makes of the lower and of the upper edges, as a certified value.

        Without bounds the value is that at the midpoints of the cells, with the metric's range as
        bounds. What reads the order alone needs no lowest and highest score.
        """
        low = evaluate(self._at_edges(-1))
        if self.exact:
            return low
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the warning is given with the lower bound
            high = evaluate(self._at_edges(1))
            if bounded and (by_order or self._ends_exact):
                return between(low, high)
            note = _NO_BOUND if not bounded else _NO_ENDS
            return between(low, high, evaluate(self._at_edges(0)), note)

    @property
    def scored(self) -> ScoredLabels | ScoredIndicators:
        """A record of the classes and of the ends of the scores."""
        return self._at_edges(-1).scored

    def averaged(self, **options: Any) -> Problem | Problems:
        """Return what an average evaluates, at the lower edges."""
        return self._at_edges(-1).averaged(**options)

    @property
    def open(self) -> dict[Ranked, tuple[ScoreCells, set[PairSum]]]:
        """The requested sums over all pairs, for the cells of binary problems."""
        state = self._at_edges(-1)
        return {key: (state.cells_of(key[0]), requested) for key, requested in state.open.items()}

    @cached_property
    def exact(self) -> bool:
        """Whether the cells determine all scores."""
        return all(map(holds_scores, self.counts.cells.values()))

    @cached_property
    def _ends_exact(self) -> bool:
        return all(cells.ends_exact for cells in self.counts.cells.values())

    def _at_edges(self, side: Side) -> _AtEdges:
        if side not in self._states:
            state = _EdgeIndicators if self.counts.multilabel else _AtEdges
            self._states[side] = state(self.counts, side)
        return self._states[side]


class _AtEdges(ScoreState):
    """Scores moved to the edges of their cells: one an example, or a column a class."""

    whole_matrix: ClassVar[BinaryProblem] = ClassCells()

    def __init__(self, counts: Any, side: Side) -> None:
        super().__init__(_record(counts))
        self.counts, self.side = counts, side
        self._edges: dict[Ranked, EdgeScores] = {}

    def _class_sizes(self) -> Floats:
        return self.counts.sizes[score_columns(self.scored)]

    def _counted_pairs(self, pairs: Any, rescale: str | None) -> None:
        return None

    def ranking(self, problem: BinaryProblem, rescale: str | None = None) -> EdgeScores:
        """Return the edges of the cells of a binary problem, put in order at the first call."""
        key = problem, rescale
        if key not in self._edges:
            edges = edge_scores(self.cells_of(problem), self.side, rescale)
            edges.means = self.counts.means.get(key, {})
            self._edges[key] = edges
        return self._edges[key]

    @property
    def open(self) -> dict[Ranked, set[PairSum]]:
        """The requested sums over all pairs, by binary problem and rescaling."""
        return {key: edges.open for key, edges in self._edges.items() if edges.open}

    def cells_of(self, problem: BinaryProblem) -> ScoreCells:
        """Return the cells of a binary problem, with its positive class as such."""
        cells = self.counts.cells
        if isinstance(problem, OneScore):
            greatest = len(self.counts.classes) - 1
            found = cells[GREATEST]
            return found if problem.positive == greatest else found.swapped
        if problem == self.whole_matrix:
            return reduce(add, (c for p, c in cells.items() if not isinstance(p, OneVsOne)))
        if problem not in cells:
            raise ValueError(
                "multi_class='ovo' needs cells of every pair of classes, which are kept on "
                "request only: MetricAccumulator(multi_class='ovo'), or pass arrays in memory."
            )
        return cells[problem]

    def probabilities(self, pos_label: Any = None, either: bool = True) -> Any:
        """Return totals with the positive class as outcome 1, and the cells of the scores."""
        code = self._positive(pos_label, either)
        if not self.counts.plan.of_probabilities:  # or each chunk has been checked
            check_columns(self.scored, "y_proba")
            check_probability_range(*self.scored.extremes)
        known = self._known(self.counts.of_probabilities, code, max(self.counts.columns, 2))
        facts = known.totals, known.class_weights, known.n_examples, known.n_columns
        if not self.counts.columns and GREATEST in self.counts.cells:
            problem = OneScore(int(code or 0))
            cells = self.cells_of(problem)
            return CellProbabilities(*facts, cells, self.side, partial(self.ranking, problem))
        rests = [c for p, c in self.counts.cells.items() if isinstance(p, OneVsRest)]
        if rests and all(map(holds_scores, rests)):
            return ColumnProbabilities(*facts, lambda k: self.ranking(OneVsRest(k)))
        return known

    def columns(self, pos_label: Any = None, either: bool = True) -> Any:
        """Return totals with the positive class as outcome 1."""
        code = self._positive(pos_label, either)
        return self._known(self.counts.of_columns, code, max(self.counts.columns, 1))

    def _positive(self, pos_label: Any, either: bool) -> int | None:
        """Return the code of the class whose score is given, or None for a column a class."""
        classes, one = self.scored.classes, not self.counts.columns
        if not one and len(classes) > 1:
            return None
        code = positive_code(classes, pos_label if one else None, either=either or not one)
        return len(classes) - 1 if code is None else code

    def _known(self, totals: ClassTotals, code: int | None, n_columns: int) -> KnownTotals:
        sizes = self.counts.sizes
        if code is None:
            columns = self.scored.columns
            weights = sizes if columns is None else sizes[columns]
        else:
            weights = np.array([np.delete(sizes, code).sum(), sizes[code]])
        held = totals.of_positive(code)
        return KnownTotals(held, weights, self.counts.n_examples, n_columns)


class _EdgeIndicators(IndicatorScores, _AtEdges):
    """A column of scores a label."""

    whole_matrix: ClassVar[BinaryProblem] = LabelCells()

    def _counted(self, rescale: str | None) -> Any:
        return self._labels(rescale)._replace(sizes=self.counts.sizes)

    def _refused(self, rescale: str | None) -> Any:
        raise refuse_samples()

    _rules: ClassVar[Mapping[Any, Any]] = {
        **IndicatorScores._rules,
        **dict.fromkeys(("macro", "weighted", None), _counted),
        "samples": _refused,
    }


def _record(counts: Any) -> ScoredLabels | ScoredIndicators:
    """Return a record of the classes and of the ends of the scores, a column each."""
    ends = [c.outer for p, c in counts.cells.items() if not isinstance(p, OneVsOne)]
    score = np.column_stack(ends) if ends else np.zeros((2, max(counts.columns, 1)))
    if counts.multilabel:
        return ScoredIndicators(np.ones(score.shape, dtype=bool), score, None)
    codes = named_codes(counts.classes, counts.named)
    rows = np.zeros(len(score), dtype=np.intp)
    return ScoredLabels(counts.classes, rows, score if counts.columns else score[:, 0], None, codes)
