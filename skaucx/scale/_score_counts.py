"""Scores counted in cells chunk by chunk, and what is read from cells: lower and upper bounds."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, reduce
from itertools import permutations
from operator import add
from typing import Any, ClassVar, Literal

import numpy as np

from .._arrays import Array, Codes, Floats
from .._in_parts import CountedRows
from ..metrics._kinds.averages import averages_over
from ..metrics._kinds.base import SCORE, Counting, Inputs, Sample, State
from ..metrics._kinds.labels import named_codes, refuse_samples, united
from ..metrics._kinds.scores import SCORES
from ..metrics._kinds.scores.class_scores import (
    Columns,
    KeptResults,
    Probabilities,
    check_columns,
    check_probabilities,
    check_probability_range,
)
from ..metrics._kinds.scores.state import (
    GREATEST,
    BinaryProblem,
    ClassCells,
    IndicatorScores,
    LabelCells,
    LabelColumn,
    OneScore,
    OneVsOne,
    OneVsRest,
    Ranked,
    ScoreSample,
    ScoreState,
)
from ..metrics._pairs.isotonic import Graded
from ..metrics._pairs.ranking import RankedScores
from ..metrics._records.inputs import (
    ScoredIndicators,
    ScoredLabels,
    check_unit_range,
    positive_code,
    score_columns,
)
from ..metrics._records.totals import (
    KnownTotals,
    SumOf,
    Total,
    UniformBins,
    named_total,
    total_of_columns,
    weighted_bincount,
)
from ._bounded_value import between
from ._bounds import bound_of_probabilities, is_bounded
from ._edges import (
    EdgeScores,
    Side,
    edge_scores,
    holds_scores,
)
from ._score_histogram import ScoreCells
from ._summing import PairSum


@dataclass(frozen=True)
class Squares:
    """The squares of the values of examples, whose sum gives their variance."""

    values: Callable[..., Floats]

    def __call__(self, rows: Any, **own: Any) -> Any:
        """Return the square of the value of each row."""
        return self.values(rows, **own) ** 2

    def __str__(self) -> str:
        return f"squares of {named_total(self.values)}"


def squares_for(row: Any, options: Mapping[str, Any]) -> SumOf | None:
    """Return the sum of squares that gives the interval of a mean of losses; None for other metrics."""
    [total, *others] = row.totals_of(options) or (None,)
    if others or not isinstance(total, SumOf) or total.values is not row.losses:
        return None
    return SumOf(Squares(total.values), total.own)


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
        parts: Sequence[Sequence[Any]] = [[record]]
        if record.n_columns <= 2:  # of two outcomes both, as a class may come later
            of_class = [np.flatnonzero(scored.true == k) for k in range(len(scored.classes))]
            parts = [record.with_outcomes(own) for own in of_class]
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
        held = [np.flatnonzero(weight != 0) for weight in sides]
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

    def metric_bound(self, metric: Any, parameters: Mapping[str, Any]) -> Any:
        """Return the bound of a metric on the side of the record."""
        return bound_of_probabilities(metric, self, parameters)

    def total(self, of: Total) -> Any:
        """Return a total, from the cells where it was not kept."""
        return super().total(of) if self.holds([of]) else of(self._rows)


_NO_BOUND = (
    "the value may fall where a positive's score rises or a negative's falls, so cells of scores "
    "do not "
    "bound it; tolerance=0 finds it where it is declared with over_thresholds=, or is a mean over "
    "pairs "
    "of a DifferenceFunction with its kinks"
)
_NO_ENDS = "the lowest and highest scores are withheld, and metrics that read them have no bound"


class CountedScoreState(ScoreState):
    """Scores moved to the edges of their cells, from which certified values are read.

    Parameters
    ----------
    counts : ScoreCounts
    side : {-1, 0, 1}
        The lower edges, the midpoints or the upper edges.
    """

    whole_matrix: ClassVar[BinaryProblem] = ClassCells()
    accepts, baselines = State.accepts, State.baselines  # single rows are not kept

    def __init__(self, counts: Any, side: Side = -1) -> None:
        super().__init__(_record(counts))
        self.counts, self.side = counts, side
        self._edges: dict[Ranked, EdgeScores] = {}
        self._others: dict[Side, CountedScoreState] = {}

    def read(
        self,
        evaluate: Callable[[Any], Any],
        *,
        metric: Any,
        **options: Any,
    ) -> Any:
        """Return what `evaluate` makes of the lower and of the upper edges, as a certified value.

        Without bounds the value is that at the midpoints of the cells, with the metric's range as
        bounds. What reads the order alone needs no lowest and highest score.
        """
        low = evaluate(self)
        if self.exact:
            return low
        with warnings.catch_warnings(action="ignore"):  # the warning is given with the lower bound
            high = evaluate(self._at(1))
            bounded = is_bounded(metric)
            if bounded and (metric.kind.scale == "order" or self._ends_exact):
                return between(low, high)
            note = _NO_BOUND if not bounded else _NO_ENDS
            return between(low, high, evaluate(self._at(0)), note)

    @property
    def _ends_exact(self) -> bool:
        return all(cells.ends_exact for cells in self.counts.cells.values())

    @cached_property
    def exact(self) -> bool:
        """Whether the cells determine all scores."""
        return all(map(holds_scores, self.counts.cells.values()))

    def _at(self, side: Side) -> CountedScoreState:
        if side not in self._others:
            self._others[side] = type(self)(self.counts, side)
        return self._others[side]

    @property
    def sample(self) -> CountedScoreSample:
        """The resampling units: the examples of a cell as rows at its midpoint."""
        if self.counts.weighted:
            raise ValueError(
                "An interval of scores with weights draws rows with their weights, and of rows in "
                "chunks only sums are kept; pass arrays in memory, or choose metrics of labels."
            )
        if GREATEST not in self.counts.cells and not self.counts.plan.ranked:
            raise ValueError(
                "An interval needs cells of scores or sums of squares, and only sums of losses "
                "were kept; use evaluate(data=..., intervals=True), or MetricAccumulator(metrics, "
                "intervals=True)."
            )
        if GREATEST not in self.counts.cells:
            raise ValueError(
                "An interval needs all columns of a row, but for rows in chunks each column is "
                "counted separately; pass arrays in memory, or one score per example."
            )
        return CountedScoreSample(self if self.exact else self._of_middles)

    @property
    def _of_middles(self) -> CountedScoreState:
        """The state of rows in the middle of their cells."""
        own = self._at(0).ranking(OneScore(len(self.scored.classes) - 1))
        positive, negative = (
            side.astype(np.int64, copy=False) for side in (own.positive, own.negative)
        )
        cells = ScoreCells.of_scores(own.values, positive, negative, self.counts.plan.max_cells)
        return CountedScoreState(replace(self.counts, cells={GREATEST: cells}, means={}))

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
    def unresolved_sums(self) -> dict[Ranked, tuple[ScoreCells, set[PairSum]]]:
        """The requested sums over all pairs, for the cells of binary problems and rescalings."""
        return {
            key: (self.cells_of(key[0]), edges.unresolved)
            for key, edges in self._edges.items()
            if edges.unresolved
        }

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


class _CountedIndicators(IndicatorScores, CountedScoreState):
    """A column of scores a label."""

    whole_matrix: ClassVar[BinaryProblem] = LabelCells()

    def _counted(self, rescale: str | None) -> Any:
        return self._labels(rescale)._replace(sizes=self.counts.sizes)

    def _refused(self, rescale: str | None) -> Any:
        raise refuse_samples()

    _rules: ClassVar[Mapping[Any, Any]] = {
        **IndicatorScores._rules,
        **averages_over(classes=_counted, rows=_refused),
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


class _CountedRows(ScoreState):
    """Rows that stand for several examples, positives first, whose rankings are those of their cells."""

    def __init__(self, cells: CountedScoreState) -> None:
        self._rankings, self._probabilities, self.cells = {}, {}, cells
        self.greatest = OneScore(len(cells.scored.classes) - 1)
        counts = cells.ranking(self.greatest).placements.counts
        self.multiplicity = counts.astype(np.int64, copy=False)

    @cached_property
    def scored(self) -> ScoredLabels:
        """The rows with their numbers of examples as weights."""
        ranked, known = self.cells.ranking(self.greatest), self.cells.scored
        held = [np.flatnonzero(side != 0) for side in (ranked.positive, ranked.negative)]
        score = np.concatenate([ranked.values.take(rows) for rows in held])
        true = np.repeat([self.greatest.positive, 0], [len(rows) for rows in held])
        weight = self.multiplicity.astype(np.float64)
        return ScoredLabels(known.classes, true, score, weight, known.columns)

    def averaged(self, *arguments: Any, **choices: Any) -> Any:
        """Return the ranking of the cells."""
        return self.cells.averaged(*arguments, **choices)

    def ranking(self, problem: BinaryProblem, rescale: str | None = None) -> RankedScores:
        """Return the ranking of the cells of a binary problem."""
        return self.cells.ranking(problem, rescale)


class CountedScoreSample(ScoreSample):
    """One score per example: those of a cell of one score and of a class are one row."""

    one_column, weight = True, None

    def __init__(self, cells: CountedScoreState) -> None:
        self._rows, self._sorted = _CountedRows(cells), {}
        self.state, self.multiplicity = self._rows, self._rows.multiplicity
        self.n_rows = len(self.multiplicity)

    @cached_property
    def scored(self) -> ScoredLabels:  # type: ignore[override]
        """The rows without weights."""
        return replace(self._rows.scored, weight=None)

    @cached_property
    def record(self) -> ScoredLabels:
        """The same."""
        return self.scored

    @cached_property
    def strata(self) -> Codes:
        """The class of each row."""
        return self.scored.true


class TotalledScores(Sample):
    """Scores of which sums of losses and of their squares are left."""

    summed = True
    weight = None
    strata = None

    def __init__(self, n_examples: int, state: Any) -> None:
        self.state, n = state, n_examples
        # The losses as two rows with the mean and variance of all examples.
        self.multiplicity = np.array([n - n // 2, n // 2][: min(n, 2)])
        self.n_rows = len(self.multiplicity)

    def losses_of(self, metric: Any, record: Any, parameters: Mapping[str, Any]) -> Floats:
        """Return two losses, each of :attr:`multiplicity` examples, with the known sums."""
        total, squares = (
            record.total(each)
            for each in (*metric.totals_of(parameters), squares_for(metric, parameters))
        )
        sizes = 1.0 * np.asarray(self.multiplicity)
        mean = total / sizes.sum()
        deviation = np.sqrt(max(squares / sizes.sum() - mean**2, 0.0))
        if len(sizes) < 2:
            return np.array([mean])
        # m + s sqrt(n2 / n1) and m - s sqrt(n1 / n2) have the mean m and the variance s^2.
        ratio = np.sqrt(sizes[1] / sizes[0])
        return np.array([mean + deviation * ratio, mean - deviation / ratio])


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
class ScoreCounts(CountedRows):
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
        return _CountedIndicators(self) if self.multilabel else CountedScoreState(self)

    @property
    def sample(self) -> CountedScoreSample:
        """What is resampled."""
        return self.state.sample

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


def plan_of(
    metrics: Iterable[Any],
    options: Mapping[str, Any],
    max_cells: int | None = None,
    *,
    squares: bool = False,
) -> CountingPlan:
    """Return what to keep of scores in chunks for metrics, and with `squares` for their intervals."""
    metrics = list(metrics)
    rows = [row for row in metrics if row.kind.inputs is SCORES]
    totals = [(row, row.totals_of(options)) for row in rows]
    if squares:
        more = [(row, squares_for(row, options)) for row in rows]
        totals += [(row, (total,)) for row, total in more if total is not None]
    plain = options.get("rescale") is None
    own = [
        (row.kind.name == "probabilities", total) for row, held in totals for total in held or ()
    ]
    kept = {} if max_cells is None else {"max_cells": max_cells}
    return CountingPlan(
        ranked=any(not held or is_bounded(row) for row, held in totals)
        or any(row.cuts for row in metrics),
        of_probabilities=tuple(dict.fromkeys(total for proba, total in own if proba)),
        of_columns=tuple(dict.fromkeys(total for proba, total in own if not proba)),
        pairs=options.get("multi_class") == "ovo",
        strict=True,
        unit=next((row.name for row in rows if row.kind.scale == "unit"), "") if plain else "",
        **kept,
    )


def _count(settings: Any, scored: Any, before: Any) -> ScoreCounts:
    return ScoreCounts.of(settings.plan, scored, {} if before is None else before.levels)


_OF_SCORES = Counting(SCORE, SCORE, _count)


def counting_of(inputs: Inputs) -> Counting | None:
    """Return how chunks of a kind are counted: as it states itself, or scores in cells."""
    return _OF_SCORES if inputs is SCORES else inputs.counting
