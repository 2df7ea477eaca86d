"""Scores ranked once a binary problem, from which any number of metrics is read; resampled as counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from ...._arrays import Array, Codes, Floats
from ...._compat import cached_property
from ...._options import check_choice
from ..._pairs.ranking import ClassPairs, RankedScores
from ..._pairs.replicates import RankedReplicates, SortedScores
from ..._records.inputs import (
    ScoredIndicators,
    ScoredLabels,
    check_one_column,
    known_positive,
    positive_code,
    refuse_multilabel,
    refuse_positive_of_many,
    rescaled,
    score_columns,
    sorts_first,
)
from ..._records.totals import weighted_bincount
from ..averages import averages_over
from ..base import EachReplicate, Formula, Kind, Problem, Problems, Sample, State
from .class_scores import (
    Columns,
    Probabilities,
    check_columns,
    check_probabilities,
    probabilities_of_labels,
)


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
# A binary problem, and how its scores are rescaled.
Ranked: TypeAlias = tuple[BinaryProblem, str | None]


class _Choices(NamedTuple):
    """How the classes of scores are put against each other, and scores brought into [0, 1]."""

    average: str | None
    multi_class: str
    rescale: str | None


_USUAL = _Choices("macro", "raise", None)


class ScoreState(State):
    """Scores, ranked once a binary problem, from which any number of metrics is read."""

    target = "multiclass"

    def accepts(self, kind: Kind) -> bool:
        """Whether the scores are probabilities, where the kind reads these."""
        low, high = self.scored.extremes
        probabilities = kind.scale == "unit" or kind.response_method == "predict_proba"
        return not probabilities or (low >= 0 and high <= 1)

    @property
    def of_many(self) -> dict[str, str]:
        """The default treatment of the classes of a matrix of scores."""
        return {} if self.scored.one_column else {"multi_class": "ovr"}

    def __init__(self, scored: Any) -> None:
        self.scored = scored
        self._rankings: dict[tuple[BinaryProblem, str | None], RankedScores] = {}
        self._probabilities: dict[int | None, Probabilities] = {}

    def averaged(
        self, pos_label: Any = None, either: bool = False, **choices: Any
    ) -> Problem | Problems:
        """Return what an average evaluates: the ranking of the only score, of all cells, or of each.

        The choices are `average`, "macro" by default, `multi_class` and `rescale`.
        """
        average, multi_class, rescale = self._checked(**choices) if choices else _USUAL
        if self.scored.one_column:
            code = positive_code(self.scored.classes, pos_label, either=either)
            return Problem(None if code is None else self._of_class(code, pos_label, rescale))
        rule = self._rule(average, multi_class)
        refuse_positive_of_many(pos_label, self.target)
        return rule(self, rescale)

    def _checked(
        self,
        average: str | None = _USUAL.average,
        multi_class: str = _USUAL.multi_class,
        rescale: str | None = _USUAL.rescale,
    ) -> _Choices:
        check_choice("rescale", rescale, (None, "minmax", "expit"))
        check_choice("multi_class", multi_class, ("raise", "ovr", "ovo"))
        check_choice("average", average, dict.fromkeys((*self._averages, *IndicatorScores._rules)))
        return _Choices(average, multi_class, rescale)

    _averages: ClassVar[tuple[str | None, ...]] = tuple(averages_over(classes=1, sums=1))

    def _rule(self, average: str | None, multi_class: str) -> Callable[..., Problem | Problems]:
        columns = score_columns(self.scored)
        if multi_class == "raise":
            raise ValueError(
                f"multi_class must be one of 'ovr', 'ovo': y_score has {len(columns)} columns, one "
                "a class: pass multi_class='ovr' (each class against the rest) or 'ovo' (pairs of "
                "classes); a metric by its name takes the suffix '_ovr' or '_ovo'."
            )
        rules = self._rules[check_choice("multi_class", multi_class, self._rules)]
        return rules[check_choice("average", average, rules)]

    def _rests(self, rescale: str | None) -> Problems:
        """Each class against the rest."""
        columns = score_columns(self.scored)
        problems = [OneVsRest(k) for k in range(len(columns))]
        values = self._each(problems, rescale)
        return Problems(values, self._class_sizes(), self.scored.classes[columns])

    def _pairs(self, rescale: str | None) -> Problems:
        """Each pair of classes, both ways (Hand & Till 2001)."""
        columns, sizes = score_columns(self.scored), self._class_sizes()
        labels = self.scored.classes[columns]
        pairs = list(combinations(range(len(columns)), 2))

        def one_way(formula: Formula, a: int, b: int) -> Floats:
            return np.asarray(formula(self.ranking(OneVsOne(a, b), rescale)))

        counted = self._counted_pairs(pairs, rescale)

        def values(formula: Formula) -> Floats:
            # A formula that reads more than wins and ties, or one pair at a time, goes through them.
            with suppress(AttributeError, TypeError, ValueError):
                one, other = formula(counted)
                return np.asarray((one + other) / 2)
            both = [(one_way(formula, a, b) + one_way(formula, b, a)) / 2 for a, b in pairs]
            return np.stack(both, axis=-1)

        names = np.array([f"{labels[a]} against {labels[b]}" for a, b in pairs])
        of_pairs = np.stack([sizes[..., a] + sizes[..., b] for a, b in pairs], axis=-1)
        return Problems(values, of_pairs, names)

    def _counted_pairs(
        self, pairs: Sequence[tuple[int, int]], rescale: str | None
    ) -> ClassPairs | None:
        """Return the wins and ties of all pairs at once; None where each pair has its own scores."""
        scored = self.scored
        rows = [scored.rows_of_class[code] for code in score_columns(scored)]
        return ClassPairs(scored.score, rows, scored.weight, pairs) if rescale is None else None

    def _cells(self, rescale: str | None) -> Problem:
        return Problem(self.ranking(ClassCells(), rescale))

    _rules: ClassVar[Mapping[Any, Any]] = {
        "ovr": averages_over(classes=_rests, sums=_cells),
        "ovo": {name: rule for name, rule in averages_over(classes=_pairs).items() if name},
    }

    def _each(
        self, problems: Sequence[BinaryProblem], rescale: str | None
    ) -> Callable[[Formula], Floats]:
        """Return what evaluates a formula on one ranking after another."""

        def values(formula: Formula) -> Floats:
            return np.stack([formula(self.ranking(p, rescale)) for p in problems], axis=-1)

        return values

    def _class_sizes(self) -> Floats:
        scored = self.scored
        sizes = weighted_bincount(scored.true, len(scored.classes), scored.weight)
        return sizes[score_columns(scored)]

    def probabilities(self, pos_label: Any = None, either: bool = True) -> Probabilities:
        """Return the probability of every class, a column each."""
        scored, matrix = self.scored, self._matrix
        code = self._second_column(pos_label, either)
        if code not in self._probabilities:
            known = scored.one_column and code is not None and not scored.rounded
            held = scored, self._rankings
            rank = partial(_ranked, *held, OneScore(int(code or 0))) if known else None
            self._probabilities[code] = Probabilities(
                matrix, self._outcome(code), scored.weights, scored.unit, rank
            )
        return self._probabilities[code]

    def columns(self, pos_label: Any = None, either: bool = True) -> Columns:
        """Return the scores of the classes as they are."""
        check_columns(self.scored)
        outcome = self._outcome(self._second_column(pos_label, either))
        return Columns(self.scored.score, outcome, self.scored.weights)

    def _second_column(self, pos_label: Any, either: bool) -> int | None:
        """Return the code of the class whose score is given, or None for a column a class."""
        one, classes = self.scored.one_column, self.scored.classes
        if not one and len(classes) > 1:
            return None
        code = positive_code(classes, pos_label if one else None, either=either or not one)
        return known_positive(code)

    @cached_property
    def _matrix(self) -> Floats:
        return check_probabilities(self.scored)

    def _outcome(self, code: int | None) -> Codes:
        """Return the column of each true class; of a positive class, 1, where one is given."""
        scored = self.scored
        return scored.column_of_truth if code is None else (scored.true == code).astype(np.intp)

    def binary_ranking(self, pos_label: Any = None, rescale: str | None = None) -> RankedScores:
        """Return the ranking of the only score, which must be one."""
        check_one_column(self.scored.score)
        code = known_positive(positive_code(self.scored.classes, pos_label))
        return self._of_class(code, pos_label, rescale)

    def _of_class(self, code: int, pos_label: Any, rescale: str | None) -> Any:
        """Return the ranking of the only score, with the place of the class among the labels."""
        found = self.ranking(OneScore(code), rescale)
        found.positive_first = sorts_first(self.scored.classes, code, pos_label)
        return found

    def ranking(self, problem: BinaryProblem, rescale: str | None = None) -> RankedScores:
        """Return the ranking of a binary problem, made at the first call."""
        return _ranked(self.scored, self._rankings, problem, rescale)

    def each_class(self) -> dict[Any, Binary]:
        """Return the binary problem of each class against the rest."""
        labels = self.scored.classes[score_columns(self.scored)].tolist()
        return {label: OneVsRest(k).of(self.scored) for k, label in enumerate(labels)}

    def all_cells(self) -> Binary:
        """Return the binary problem of all cells of the score matrix."""
        return ClassCells().of(self.scored)


def _ranked(
    scored: Any,
    rankings: dict[Any, RankedScores],
    problem: BinaryProblem,
    rescale: str | None = None,
) -> RankedScores:
    """Return the ranking of a binary problem, made at the first call.

    Of parts of a state: a state that its own records refer to would outlive its last use.
    """
    key = problem, rescale
    found = rankings.get(key)
    if found is None:
        truth, score, weight = problem.of(scored)
        score = score if rescale is None else rescaled(score, rescale)
        found = rankings[key] = RankedScores.from_scores(truth, score, weight)
    return found


class IndicatorScores(ScoreState):
    """Scores of multilabel indicators, ranked a label or a sample at a time."""

    target = "multilabel-indicator"
    multilabel = True
    of_many: Any = {}  # noqa: RUF012
    _averages: ClassVar[tuple[str | None, ...]] = tuple(averages_over(rows=1, classes=1, sums=1))

    def _rule(self, average: str | None, multi_class: str) -> Callable[..., Problem | Problems]:
        return self._rules[check_choice("average", average, self._averages)]

    def probabilities(self, pos_label: Any = None, either: bool = True) -> Any:
        """Return the probability of every label."""
        return probabilities_of_labels(self.scored)

    def columns(self, pos_label: Any = None, either: bool = True) -> Columns:
        """Raise an error for data with one class per example."""
        raise refuse_multilabel("A metric of the scores of one true class")

    def _labels(self, rescale: str | None) -> Problems:
        """Each label separately."""
        weight = 1 if self.scored.weight is None else self.scored.weight[:, None]
        labels = np.arange(self.scored.true.shape[1])
        sizes = (self.scored.true * weight).sum(axis=0, dtype=np.float64)
        problems = [LabelColumn(k) for k in labels.tolist()]
        return Problems(self._each(problems, rescale), sizes, labels)

    def _samples(self, rescale: str | None) -> Problems:
        """The labels of each example."""
        rows, weight = np.arange(len(self.scored.true)), self.scored.weight
        problems = [SampleRow(i) for i in rows.tolist()]
        sizes = np.ones(len(rows)) if weight is None else weight
        return Problems(self._each(problems, rescale), sizes, rows, "sample")

    def _cells(self, rescale: str | None) -> Problem:
        return Problem(self.ranking(LabelCells(), rescale))

    _rules: ClassVar[Mapping[Any, Any]] = {
        **averages_over(rows=_samples, classes=_labels, sums=_cells)
    }

    def each_class(self) -> dict[Any, Binary]:
        """Return the binary problem of each label."""
        columns = range(self.scored.score.shape[1])
        return {k: LabelColumn(k).of(self.scored) for k in columns}

    def all_cells(self) -> Binary:
        """Return the binary problem of all cells of the indicators."""
        return LabelCells().of(self.scored)


def score_state(scored: ScoredLabels | ScoredIndicators) -> ScoreState:
    """Hold scores ready for ranking."""
    if scored.multilabel:
        return IndicatorScores(scored)
    return ScoreState(scored)


# Rankings held at once with their replicates, which bounds the memory of many classes.
_MOST_HELD = 8


def sample_of_scores(scored: Any, inputs: Any, collapse: bool = False) -> Sample:
    """Return the resampling units of scores."""
    return Sample(scored, inputs) if scored.multilabel else ScoreSample(scored)


class ScoreSample(Sample):
    """True labels with scores, sorted once for each binary problem."""

    ranked = True

    def __init__(self, scored: ScoredLabels, inputs: Any = None) -> None:
        super().__init__(scored, inputs)
        self.scored, self.one_column = scored, scored.one_column
        self._sorted: dict[Any, SortedScores] = {}

    @cached_property
    def state(self) -> State:
        """The scores of the sample itself."""
        return score_state(self.scored)

    def each_class(self, options: Mapping[str, Any]) -> list[tuple[Sample, dict[str, Any]]]:
        """Return the sample of each class against all others, of a matrix of scores."""
        if options.get("multi_class") != "ovr":
            return []
        alone = {**options, "pos_label": True, "average": "macro", "multi_class": "raise"}
        columns = enumerate(score_columns(self.scored))
        return [(self.against_rest(int(code), column), alone) for column, code in columns]

    def against_rest(self, code: int, column: int = 0) -> ScoreSample:
        """Return the sample of one class, by its code and column of scores, against all others."""
        scored, classes = self.scored, np.array([False, True])
        true, score = (scored.true == code).astype(np.intp), scored.score[:, column]
        one = ScoreSample(ScoredLabels(classes, true, score, scored.weight, None, scored.unit))
        one.weight, one.multiplicity = self.weight, self.multiplicity
        return one

    def reweighted(self, counts: Floats) -> ScoreState:
        """Return one ranking a replicate."""
        return _ReplicatedScores(self, counts)

    def sorted(self, problem: BinaryProblem, rescale: str | None) -> SortedScores:
        """Return the scores of a binary problem in order, sorted at the first call."""
        key = problem, rescale
        if key not in self._sorted:
            truth, score, _ = problem.of(self.scored)
            rows = problem.rows(self.scored)
            self._sorted[key] = SortedScores(truth, rescaled(score, rescale), rows)
        return self._sorted[key]


class _ReplicatedScores(ScoreState):
    """Scores under many sets of weights; every value has a leading axis of replicates."""

    def __init__(self, sample: ScoreSample, counts: Floats) -> None:
        super().__init__(replace(sample.scored, weight=None))
        self._sample = sample
        self._counts = counts if sample.weight is None else counts * sample.weight
        self._replicates: dict[Any, RankedReplicates] = {}
        self._one_by_one: EachReplicate | None = None

    def read(self, evaluate: Callable[[Any], Any], **options: Any) -> Any:
        """Return one value a replicate, or one a replicate and class."""
        if options.get("rescale") != "minmax":
            return evaluate(self)
        # The range of each replicate is its own.
        self._one_by_one = self._one_by_one or EachReplicate(self.scored, score_state, self._counts)
        return self._one_by_one.read(evaluate)

    def probabilities(self, pos_label: Any = None, either: bool = True) -> Probabilities:
        """Return the probabilities with a set of weights a replicate."""
        found = super().probabilities(pos_label, either)
        return replace(found, weight=self._counts, rank=None)

    def columns(self, pos_label: Any = None, either: bool = True) -> Columns:
        """Return the scores of the classes with a set of weights a replicate."""
        return replace(super().columns(pos_label, either), weight=self._counts)

    def _class_sizes(self) -> Floats:
        columns = score_columns(self.scored)
        sizes = [self._counts[:, self.scored.true == k].sum(axis=1) for k in columns]
        return np.stack(sizes, axis=-1)

    def _counted_pairs(self, pairs: Any, rescale: str | None) -> None:
        return None

    def ranking(self, problem: BinaryProblem, rescale: str | None = None) -> Any:
        """Return the replicates of the ranking of a binary problem."""
        key = problem, rescale
        if key not in self._replicates:
            if len(self._replicates) == _MOST_HELD:
                self._replicates.clear()
            scores = self._sample.sorted(problem, rescale)
            self._replicates[key] = RankedReplicates(scores, self._counts)
        return self._replicates[key]
