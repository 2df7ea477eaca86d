"""Predictions counted or ranked once, from which any number of metrics is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from ..._arrays import Array, Codes, Floats
from ..._options import check_choice
from .._pairs.ranking import RankedScores
from .._records.counts import Counts, confusion_table, weighted_bincount
from .._records.inputs import (
    IndicatorPair,
    LabelPair,
    ScoredIndicators,
    ScoredLabels,
    check_one_column,
    check_probabilities,
    check_unit_interval,
    known_positive,
    positive_code,
    refuse_multilabel,
    refuse_positive_of_many,
    rescaled,
    score_columns,
    warn_of_positive_of_many,
)
from .._registry.averaging import STRICT, apply, average_values, settle
from .._registry.row import Metric


@dataclass(frozen=True, eq=False)
class Probabilities:
    """Class probabilities with the column of each example's true class.

    `probability` has shape (n, K), `outcome` shape (n,), `weight` shape (n,) or (replicates, n).
    """

    probability: Floats
    outcome: Codes
    weight: Floats


class LabelState:
    """A confusion table over sorted classes, or a stack of them, from which metrics are read."""

    averages = ("binary", "macro", "micro", "weighted", None)

    def __init__(self, table: Floats, classes: Array, named: Codes | None = None) -> None:
        self.table, self.classes, self.named = table, classes, named
        self._of_class: dict[int, Counts] = {}

    @cached_property
    def one_vs_rest(self) -> Counts:
        """One binary table a class."""
        return Counts.one_vs_rest(self.table)

    def binary_counts(self, pos_label: Any, one_or_fail: bool = False) -> Counts:
        """Return the table of the positive class; of nan where no rule tells which that is."""
        code = positive_code(self.classes, pos_label, one_or_fail=one_or_fail)
        if code is None:
            return Counts(*np.full(4, np.nan))
        if code < 0:
            total = np.asarray(self.table.sum(axis=(-2, -1)))
            nothing = np.zeros_like(total)
            return Counts(nothing, nothing, nothing, total)
        if code not in self._of_class:
            self._of_class[code] = self.one_vs_rest[..., code]
        return self._of_class[code]

    def value(
        self,
        metric: Metric,
        *,
        average: str | None = "binary",
        pos_label: Any = None,
        zero_division: Any = "warn",
        **parameters: Any,
    ) -> Any:
        """Return one metric: a float, or one value a class."""
        if metric.reads == "table":
            return settle(metric, apply(metric, self.whole(metric), parameters), zero_division)
        check_choice("average", average, self.averages)
        if average == "binary":
            counts = self.binary_counts(
                pos_label, metric.one_or_fail and zero_division is not STRICT
            )
            return settle(metric, apply(metric, counts, parameters), zero_division)
        warn_of_positive_of_many(pos_label, average)
        counts, sizes, classes = self.problems(average)
        if average == "micro":
            return settle(metric, apply(metric, counts.pooled, parameters), zero_division)
        values = apply(metric, counts, parameters)
        return average_values(metric, values, sizes, average, zero_division, classes)

    def whole(self, metric: Metric) -> Floats:
        """Return the table that a metric of the whole table reads."""
        return self._named_table

    @cached_property
    def _named_table(self) -> Floats:
        if self.named is None:
            return self.table
        return self.table[..., self.named[:, None], self.named]

    def problems(self, average: str | None) -> tuple[Counts, Floats, Array]:
        """Return the binary tables to average over, the size and the name of each."""
        counts, classes = self.one_vs_rest, self.classes
        if self.named is not None:
            counts, classes = counts[..., self.named], classes[self.named]
        return counts, counts.positives, classes


class IndicatorState(LabelState):
    """Multilabel indicators, counted a label or a sample at a time."""

    averages = ("samples", "macro", "micro", "weighted", None)

    def __init__(self, pair: IndicatorPair) -> None:
        self.pair = pair

    def whole(self, metric: Metric) -> Floats:
        """Return the table of rows that are right as a whole, or wrong (subset accuracy)."""
        if not metric.multilabel:
            raise refuse_multilabel(metric.name)
        right = (self.pair.true == self.pair.pred).all(axis=1)
        return confusion_table(np.ones_like(right, dtype=np.intp), right * 1, 2, self.pair.weight)

    def problems(self, average: str | None) -> tuple[Counts, Floats, Array]:
        """Return one binary table a label, or one a sample."""
        pair, axis = self.pair, 1 if average == "samples" else 0
        true, pred = pair.true, pair.pred
        names = np.arange(true.shape[1]) if pair.named is None else pair.named
        true, pred = true[:, names], pred[:, names]
        weight = None if axis or pair.weight is None else pair.weight[:, None]
        counts = Counts(
            *(
                cells.sum(axis=axis, dtype=np.float64)
                if weight is None
                else (cells * weight).sum(axis=axis)
                for cells in (true & pred, ~true & pred, true & ~pred, ~true & ~pred)
            )
        )
        if axis == 0:
            return counts, counts.positives, names
        sizes = np.ones(len(true)) if pair.weight is None else pair.weight
        return counts, sizes, np.array([f"sample {i}" for i in range(len(true))])


class ScoreState:
    """Scores, ranked once a binary problem, from which any number of metrics is read."""

    averages: tuple[str | None, ...] = ("macro", "weighted", "micro", None)
    target = "multiclass"

    def __init__(self, scored: Any) -> None:
        self.scored = scored
        self._rankings: dict[tuple[Any, ...], RankedScores] = {}
        self._probabilities: dict[int | None, Probabilities] = {}

    def value(
        self,
        metric: Metric,
        *,
        average: str | None = "macro",
        multi_class: str = "raise",
        pos_label: Any = None,
        rescale: str | None = None,
        zero_division: Any = "warn",
        **parameters: Any,
    ) -> Any:
        """Return one metric: a float, or one value a class."""
        if metric.reads == "probabilities":
            record = self.probabilities(pos_label)
            return settle(metric, apply(metric, record, parameters), zero_division)
        check_choice("rescale", rescale, (None, "minmax", "expit"))
        if metric.reads == "unit_values" and rescale is None:
            check_unit_interval(self.scored.score, metric.name)

        def evaluate(*problem: Any) -> Any:
            return apply(metric, self._ranking(problem, rescale), parameters)

        check_choice("multi_class", multi_class, ("raise", "ovr", "ovo"))
        check_choice("average", average, (*self.averages, "samples"))
        if self.scored.score.ndim == 1:
            one_or_fail = metric.one_or_fail and zero_division is not STRICT
            code = positive_code(self.scored.classes, pos_label, one_or_fail=one_or_fail)
            return settle(metric, np.nan if code is None else evaluate("one", code), zero_division)
        refuse_positive_of_many(pos_label, self.target)
        problems = self.problems(average, multi_class)
        if average == "micro":
            return settle(metric, evaluate("cells"), zero_division)
        values, sizes, classes = problems(evaluate)
        return average_values(metric, values, sizes, average, zero_division, classes)

    def problems(self, average: str | None, multi_class: str) -> Callable[..., Any]:
        """Return the method that evaluates the binary problems of a score matrix."""
        check_choice("multi_class", multi_class, ("ovr", "ovo"))
        check_choice("average", average, self.averages[: 2 if multi_class == "ovo" else 4])
        return self._pairs if multi_class == "ovo" else self._rests

    def _rests(self, evaluate: Callable[..., Any]) -> tuple[Floats, Floats, Array]:
        """Evaluate each class against the rest: values, class sizes, class labels."""
        columns, sizes = score_columns(self.scored), self._class_sizes()
        values = [evaluate("rest", k) for k in range(len(columns))]
        return np.stack(values, axis=-1), sizes, self.scored.classes[columns]

    def _pairs(self, evaluate: Callable[..., Any]) -> tuple[Floats, Floats, Array]:
        """Evaluate each pair of classes both ways (Hand & Till): values, sizes, names."""
        columns, sizes = score_columns(self.scored), self._class_sizes()
        labels = self.scored.classes[columns]
        pairs = list(combinations(range(len(columns)), 2))
        values = [(evaluate("pair", a, b) + evaluate("pair", b, a)) / 2 for a, b in pairs]
        names = [f"{labels[a]} against {labels[b]}" for a, b in pairs]
        of_pairs = np.stack([sizes[..., a] + sizes[..., b] for a, b in pairs], axis=-1)
        return np.stack(values, axis=-1), of_pairs, np.array(names)

    def _class_sizes(self) -> Floats:
        scored = self.scored
        sizes = weighted_bincount(scored.true, len(scored.classes), scored.weight)
        return sizes[score_columns(scored)]

    def probabilities(self, pos_label: Any = None) -> Probabilities:
        """Return the probability of every class, a column each."""
        scored, matrix, classes = self.scored, self._matrix, self.scored.classes
        code = None
        if scored.score.ndim == 1 or len(classes) == 1:
            code = positive_code(classes, pos_label if scored.score.ndim == 1 else None)
            # A lone class of unknown side is taken as the greater one, as its score claims.
            code = len(classes) - 1 if code is None else code
        if code not in self._probabilities:
            weight = np.ones(len(matrix)) if scored.weight is None else scored.weight
            self._probabilities[code] = Probabilities(matrix, self._outcome(code), weight)
        return self._probabilities[code]

    @cached_property
    def _matrix(self) -> Floats:
        return check_probabilities(self.scored)

    def _outcome(self, code: int | None) -> Codes:
        """Return the column of each true class; of a positive class, 1, where one is given."""
        true, columns = self.scored.true, self.scored.columns
        if code is not None:
            return (true == code).astype(np.intp)
        return true if columns is None else np.argsort(columns)[true]

    def binary_ranking(self, pos_label: Any = None, rescale: str | None = None) -> RankedScores:
        """Return the ranking of the only score, which must be one."""
        check_one_column(self.scored.score)
        code = known_positive(positive_code(self.scored.classes, pos_label))
        return self._ranking(("one", code), rescale)

    def _ranking(self, problem: tuple[Any, ...], rescale: str | None) -> RankedScores:
        key = (*problem, rescale)
        if key not in self._rankings:
            truth, score, weight = self.binary_problem(*problem)
            self._rankings[key] = RankedScores.from_scores(truth, rescaled(score, rescale), weight)
        return self._rankings[key]

    def binary_problem(self, kind: str, *codes: int) -> tuple[Array, Floats, Floats | None]:
        """Return truth, score and weight of one binary problem among the classes.

        ("one", code) ranks the only score, ("rest", k) column k against all other classes,
        ("pair", a, b) column a among the examples of a and b, ("cells",) every cell of the matrix.
        """
        true, score, weight = self.scored.true, self.scored.score, self.scored.weight
        if kind == "one":
            return true == codes[0], score, weight
        columns = score_columns(self.scored)
        if kind == "rest":
            return true == columns[codes[0]], score[:, codes[0]], weight
        if kind == "cells":
            repeated = None if weight is None else np.repeat(weight, len(columns))
            return (true[:, None] == columns).ravel(), score.ravel(), repeated
        a, b = codes
        rows = (true == columns[a]) | (true == columns[b])
        return true[rows] == columns[a], score[rows, a], None if weight is None else weight[rows]


class IndicatorScores(ScoreState):
    """Scores of multilabel indicators, ranked a label or a sample at a time."""

    averages = ("samples", "macro", "weighted", "micro", None)
    target = "multilabel-indicator"

    def problems(self, average: str | None, multi_class: str) -> Callable[..., Any]:
        """Return the method that evaluates the binary problems of an indicator matrix."""
        check_choice("average", average, self.averages)
        return self._samples if average == "samples" else self._labels

    def probabilities(self, pos_label: Any = None) -> Probabilities:
        """Refuse: the losses of probabilities judge one target."""
        raise refuse_multilabel("A loss of probabilities")

    def _labels(self, evaluate: Callable[..., Any]) -> tuple[Floats, Floats, Array]:
        weight = 1 if self.scored.weight is None else self.scored.weight[:, None]
        labels = np.arange(self.scored.true.shape[1])
        sizes = (self.scored.true * weight).sum(axis=0, dtype=np.float64)
        return np.stack([evaluate("label", k) for k in labels], axis=-1), sizes, labels

    def _samples(self, evaluate: Callable[..., Any]) -> tuple[Floats, Floats, Array]:
        rows = np.arange(len(self.scored.true))
        weight = self.scored.weight
        values = np.array([evaluate("sample", i) for i in rows])
        return values, np.ones(len(rows)) if weight is None else weight, rows

    def binary_problem(self, kind: str, *codes: int) -> tuple[Array, Floats, Floats | None]:
        true, score, weight = self.scored.true, self.scored.score, self.scored.weight
        if kind == "cells":
            repeated = None if weight is None else np.repeat(weight, true.shape[1])
            return true.ravel(), score.ravel(), repeated
        if kind == "label":
            return true[:, codes[0]], score[:, codes[0]], weight
        return true[codes[0]], score[codes[0]], None


def label_state(pair: LabelPair | IndicatorPair) -> LabelState:
    """Count predicted labels."""
    if isinstance(pair, IndicatorPair):
        return IndicatorState(pair)
    table = confusion_table(pair.true, pair.pred, len(pair.classes), pair.weight)
    return LabelState(table, pair.classes, pair.named)


def score_state(scored: ScoredLabels | ScoredIndicators) -> ScoreState:
    """Hold scores ready for ranking."""
    if isinstance(scored, ScoredIndicators):
        return IndicatorScores(scored)
    return ScoreState(scored)
