"""Scores ranked once a binary problem, from which any number of metrics is read."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ...._arrays import Array, Codes, Floats
from ...._compat import cached_property
from ...._options import check_choice
from ..._pairs.ranking import ClassPairs, RankedScores
from ..._pairs.replicates import SortedScores
from ..._records.inputs import (
    ScoredIndicators,
    ScoredLabels,
    check_one_column,
    known_positive,
    names_one_class,
    positive_code,
    rescaled,
    score_columns,
    sorts_first,
)
from ..._records.totals import weight_of_each
from ..averages import AVERAGES, averages_over
from ..base import Formula, Kind, Problem, State
from .class_scores import (
    Columns,
    Probabilities,
    check_columns,
    check_probabilities,
    probabilities_of_labels,
)

# Rankings held at once with their replicates, which bounds the memory of many classes.
_MOST_HELD = 8


class Binary(NamedTuple):
    """Truth, score and weight of the examples, or the cells, of one binary problem, and the row of each.

    `rows` is None where every row stands once, in order.
    """

    truth: Array
    score: Array
    weight: Array | None
    rows: Codes | None = None


# What takes a binary problem out of scores, and where.
BinaryProblem: TypeAlias = tuple[Any, ...]


def binary_of(scored: Any, problem: BinaryProblem) -> Binary:
    """Take a binary problem out of scores."""
    take, *place = problem
    return take(scored, *place)


def one_score(scored: Any, code: int) -> Binary:
    """Return the only score: the class of a code against the other."""
    return Binary(scored.true == code, scored.score, scored.weight)


def column(scored: Any, k: int) -> Binary:
    """Return a column of scores: its class against all others, or its label."""
    multilabel = scored.multilabel
    truth = scored.true[:, k] if multilabel else scored.true == score_columns(scored)[k]
    return Binary(truth, scored.score[:, k], scored.weight)


def one_vs_one(scored: Any, k: int, other: int) -> Binary:
    """Return a column of scores among the examples of its class and of another."""
    columns = score_columns(scored)
    own, others = (scored.rows_of_class[columns[each]] for each in (k, other))
    rows = np.concatenate([own, others])
    weight = None if scored.weight is None else scored.weight[rows]
    return Binary(np.arange(len(rows)) < len(own), scored.score[rows, k], weight, rows)


def labels_of_row(scored: Any, row: int) -> Binary:
    """Return the labels of one example of multilabel indicators, which have no weights."""
    return Binary(scored.true[row], scored.score[row], None)


def all_cells(scored: Any) -> Binary:
    """Return every cell of the scores: whether its class, or label, is true."""
    multilabel = scored.multilabel
    truth = scored.true if multilabel else scored.true[:, None] == score_columns(scored)
    rows = np.repeat(np.arange(len(truth)), truth.shape[1])
    weight = None if scored.weight is None else scored.weight[rows]
    return Binary(truth.ravel(), scored.score.ravel(), weight, rows)


class ScoreState(State):
    """Scores, ranked once a binary problem, from which any number of metrics is read.

    With weights of shape (replicates, n) every value has a leading axis of replicates.
    """

    target = "multiclass"

    def __init__(self, scored: Any) -> None:
        self.scored = scored
        self._replicated = scored.weight is not None and scored.weight.ndim == 2
        self._rankings: dict[Any, Any] = {}
        self._probabilities: dict[int | None, Probabilities] = {}

    def accepts(self, kind: Kind) -> bool:
        """Whether the scores are probabilities, where the kind reads these."""
        low, high = self.scored.extremes
        probabilities = kind.scale == "unit" or kind.response_method == "predict_proba"
        return not probabilities or (low >= 0 and high <= 1)

    @property
    def each_replicate(self) -> Any:
        """The states of replicates one by one, where a value depends on the range of each."""
        if not self._replicated:
            return self
        return [ScoreState(self.scored.weighing(row)) for row in self.scored.weight]

    @property
    def of_many(self) -> dict[str, str]:
        """The default treatment of the classes of a matrix of scores."""
        return {} if self.scored.one_column else {"multi_class": "ovr"}

    def averaged(
        self,
        average: str | None = "macro",
        multi_class: str = "raise",
        rescale: str | None = None,
        pos_label: Any = None,
        either: bool = False,
        by_wins: bool = False,
    ) -> Problem:
        """Return what an average evaluates: the ranking of the only score, of all cells, or of each.

        With `by_wins` the formula reads the shares of pairs won and tied alone.
        """
        check_choice("rescale", rescale, (None, "minmax", "expit"))
        check_choice("multi_class", multi_class, ("raise", "ovr", "ovo"))
        check_choice("average", average, averages_over("classes", "rows", "sums"))
        if self.scored.one_column:
            code = positive_code(self.scored.classes, pos_label, either=either)
            return Problem(None if code is None else self._of_class(code, pos_label, rescale))
        over = AVERAGES[check_choice("average", average, self._averages(multi_class))].over
        if names_one_class(pos_label):
            raise ValueError(
                f"Parameter pos_label is fixed to 1 for {self.target} y_true. Do not set pos_label or "
                f"set pos_label to 1. Found {pos_label!r}, but every class is positive in turn."
            )
        if over == "sums":
            return Problem(self.ranking((all_cells,), rescale))
        if multi_class == "ovo" and not self.multilabel:
            return self._pairs(rescale, by_wins)
        problems, sizes, names = self._each(over)

        def values(formula: Formula) -> Floats:
            return np.stack([formula(self.ranking(p, rescale)) for p in problems], axis=-1)

        return Problem(None, values, sizes, names, "sample" if over == "rows" else "class")

    def _averages(self, multi_class: str) -> Sequence[str | None]:
        """Return the averages that there are."""
        columns = score_columns(self.scored)
        if multi_class == "raise":
            raise ValueError(
                f"multi_class must be one of 'ovr', 'ovo': y_score has {len(columns)} columns, one "
                "a class: pass multi_class='ovr' (each class against the rest) or 'ovo' (pairs of "
                "classes); a metric by its name takes the suffix '_ovr' or '_ovo'."
            )
        if multi_class == "ovo":
            return [name for name in averages_over("classes") if name]
        return averages_over("classes", "sums")

    def _each(self, over: str) -> tuple[list[BinaryProblem], Floats, Array]:
        """Return the problem of each class against the rest, with sizes and names."""
        columns = score_columns(self.scored)
        problems = [(column, k) for k in range(len(columns))]
        return problems, self._class_sizes(), self.scored.classes[columns]

    def _pairs(self, rescale: str | None, by_wins: bool) -> Problem:
        """Return each pair of classes, both ways (Hand & Till 2001)."""
        scored, columns, sizes = self.scored, score_columns(self.scored), self._class_sizes()
        labels = scored.classes[columns]
        pairs = list(combinations(range(len(columns)), 2))

        def one_way(formula: Formula, k: int, other: int) -> Floats:
            return np.asarray(formula(self.ranking((one_vs_one, k, other), rescale)))

        def values(formula: Formula) -> Floats:
            if by_wins and rescale is None and not self._replicated:
                rows = [scored.rows_of_class[code] for code in columns]
                one, other = formula(ClassPairs(scored.score, rows, scored.weight, pairs))
                return np.asarray((one + other) / 2)
            both = [(one_way(formula, a, b) + one_way(formula, b, a)) / 2 for a, b in pairs]
            return np.stack(both, axis=-1)

        names = np.array([f"{labels[a]} against {labels[b]}" for a, b in pairs])
        of_pairs = np.stack([sizes[..., a] + sizes[..., b] for a, b in pairs], axis=-1)
        return Problem(None, values, of_pairs, names)

    def _class_sizes(self) -> Floats:
        true, weights = self.scored.true, self.scored.weights
        return weight_of_each(true, len(self.scored.classes), weights)[
            ..., score_columns(self.scored)
        ]

    def probabilities(self, pos_label: Any = None, either: bool = True) -> Any:
        """Return the probability of every class, a column each."""
        scored, matrix = self.scored, self._matrix  # whose columns are checked before the class
        code = self._second_column(pos_label, either)
        if code not in self._probabilities:
            given = matrix, self._outcome(code), scored.weights, scored.unit
            self._probabilities[code] = Probabilities(*given)
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
        true, columns = self.scored.true, self.scored.columns
        if code is not None:
            return (true == code).astype(np.intp)
        return true if columns is None else np.argsort(columns)[true]

    def binary_ranking(self, pos_label: Any = None, rescale: str | None = None) -> Any:
        """Return the ranking of the only score, which must be one."""
        check_one_column(self.scored.score)
        code = known_positive(positive_code(self.scored.classes, pos_label))
        return self._of_class(code, pos_label, rescale)

    def _of_class(self, code: int, pos_label: Any, rescale: str | None) -> Any:
        """Return the ranking of the only score, with the place of the class among the labels."""
        found = self.ranking((one_score, code), rescale)
        found.positive_first = sorts_first(self.scored.classes, code, pos_label)
        return found

    def ranking(self, problem: BinaryProblem, rescale: str | None = None) -> Any:
        """Return the ranking of a binary problem, or those of all replicates, made at the first call."""
        key = problem, rescale
        if key not in self._rankings:
            if self._replicated and len(self._rankings) == _MOST_HELD:
                self._rankings.clear()
            self._rankings[key] = self._ranked(problem, rescale)
        return self._rankings[key]

    def _ranked(self, problem: BinaryProblem, rescale: str | None) -> Any:
        scored, key = self.scored, (problem, rescale)
        if not self._replicated:
            truth, score, weight, _ = binary_of(scored, problem)
            return RankedScores.from_scores(truth, rescaled(score, rescale), weight)
        if key not in scored.in_order:
            truth, score, _, rows = binary_of(scored.reweighed(None), problem)
            scored.in_order[key] = SortedScores(truth, rescaled(score, rescale), rows)
        return scored.in_order[key].replicates(scored.weight)

    def each_class(self) -> dict[Any, Binary]:
        """Return the binary problem of each class against the rest, or of each label."""
        problems, _, names = self._each("classes")
        found = (binary_of(self.scored, problem) for problem in problems)
        return dict(zip(names.tolist(), found, strict=True))


class IndicatorScores(ScoreState):
    """Scores of multilabel indicators, ranked a label or a sample at a time."""

    target = "multilabel-indicator"
    multilabel = True
    of_many: Any = {}  # noqa: RUF012

    def probabilities(self, pos_label: Any = None, either: bool = True) -> Any:
        """Return the probability of every label."""
        return probabilities_of_labels(self.scored)

    def _averages(self, multi_class: str) -> Sequence[str | None]:
        return averages_over("rows", "classes", "sums")

    def _each(self, over: str) -> tuple[list[BinaryProblem], Floats, Array]:
        """Return the problem of each label, or of each example."""
        true, weight = self.scored.true, self.scored.weights
        if over == "rows":
            rows = np.arange(len(true))
            return [(labels_of_row, i) for i in rows.tolist()], weight, rows
        labels = np.arange(true.shape[1])
        sizes = (true * weight[:, None]).sum(axis=0, dtype=np.float64)
        return [(column, k) for k in labels.tolist()], sizes, labels


def score_state(scored: ScoredLabels | ScoredIndicators) -> ScoreState:
    """Hold scores ready for ranking."""
    return IndicatorScores(scored) if scored.multilabel else ScoreState(scored)
