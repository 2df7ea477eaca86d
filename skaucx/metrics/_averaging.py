"""From binary problems to one value: averages over classes, and the rule for undefined values."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from ._arrays import Array, Codes, Floats
from ._counts import Counts, confusion_table, weighted_bincount
from ._inputs import (
    LabelPair,
    ScoredLabels,
    check_probabilities,
    check_unit_interval,
    positive_code,
    rescaled,
    score_columns,
)
from ._options import check_choice, check_zero_division
from ._ranking import RankedScores
from ._row import Metric

# zero_division of scorers: undefined and infinite values become nan, also within an average.
STRICT = "strict"


@dataclass(frozen=True, eq=False)
class Probabilities:
    """Class probabilities with the column of each example's true class.

    `probability` has shape (n, K), `outcome` shape (n,), `weight` shape (n,).
    """

    probability: Floats
    outcome: Codes
    weight: Floats


def apply(metric: Metric, record: Any, parameters: dict[str, Any]) -> Any:
    """Evaluate the formula; 0/0 gives nan and x/0 gives inf, neither with a NumPy warning."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return metric.formula(record, **metric.checked(parameters))


def settle(metric: Metric, values: Any, zero_division: Any, classes: Array | None = None) -> Any:
    """Give undefined values the value that the metric's row or the caller names."""
    values = np.asarray(values, dtype=np.float64)
    if zero_division == STRICT:
        return np.where(np.isfinite(values), values, np.nan)
    filler = check_zero_division(zero_division)
    undefined = np.isnan(values)
    if not undefined.any():
        return values
    if filler == "warn":
        filler = metric.undefined
        where = "" if classes is None else f" for {_named(classes, undefined)}"
        warnings.warn(
            f"{metric.name} is undefined (0/0){where} and set to {filler:g}; zero_division= sets "
            "another value and silences this warning.",
            UndefinedMetricWarning,
            stacklevel=2,
        )
    return np.where(undefined, filler, values)


def average_values(
    metric: Metric,
    values: Floats,
    sizes: Floats,
    average: str | None,
    zero_division: Any,
    classes: Array | None,
) -> Any:
    """Settle one value a class, then average them plainly or by class size."""
    values = settle(metric, values, zero_division, classes)
    if average is None:
        return values
    weights = np.ones_like(values) if average == "macro" else sizes
    if not isinstance(zero_division, str) and np.isnan(zero_division):
        weights = np.where(np.isnan(values), 0, weights)
    counted = weights > 0  # a class of no weight adds nothing, not even its nan
    if not counted.any():
        return settle(metric, np.nan, zero_division)
    return np.average(values[counted], weights=weights[counted])


class LabelState:
    """A confusion table over sorted classes, from which any number of metrics is read."""

    averages = ("binary", "macro", "micro", "weighted", None)

    def __init__(self, table: Floats, classes: Array, named: Codes | None = None) -> None:
        self.table, self.classes, self.named = table, classes, named

    @classmethod
    def from_pair(cls, pair: LabelPair) -> LabelState:
        """Count labels."""
        table = confusion_table(pair.true, pair.pred, len(pair.classes), pair.weight)
        return cls(table, pair.classes, pair.named)

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
            nothing = np.zeros(())
            return Counts(nothing, nothing, nothing, np.asarray(self.table.sum()))
        return self.one_vs_rest[code]

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
            table = self.table if self.named is None else self.table[np.ix_(self.named, self.named)]
            return settle(metric, apply(metric, table, parameters), zero_division)
        check_choice("average", average, self.averages)
        if average == "binary":
            counts = self.binary_counts(pos_label, metric.one_or_fail)
            return settle(metric, apply(metric, counts, parameters), zero_division)
        counts, classes = self.one_vs_rest, self.classes
        if self.named is not None:
            counts, classes = counts[self.named], classes[self.named]
        if average == "micro":
            return settle(metric, apply(metric, counts.pooled, parameters), zero_division)
        values = apply(metric, counts, parameters)
        return average_values(metric, values, counts.positives, average, zero_division, classes)


class ScoreState:
    """Scores, ranked once a binary problem, from which any number of metrics is read."""

    averages = ("macro", "weighted", "micro", None)

    def __init__(self, scored: ScoredLabels) -> None:
        self.scored = scored
        self._rankings: dict[tuple[Any, ...], RankedScores] = {}

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

        if self.scored.score.ndim == 1:
            code = positive_code(self.scored.classes, pos_label, one_or_fail=metric.one_or_fail)
            return settle(metric, np.nan if code is None else evaluate("one", code), zero_division)
        check_choice("multi_class", multi_class, ("ovr", "ovo"))
        check_choice("average", average, self.averages[: 2 if multi_class == "ovo" else 4])
        if average == "micro":
            return settle(metric, evaluate("cells"), zero_division)
        problems = self._pairs if multi_class == "ovo" else self._rests
        values, sizes, classes = problems(evaluate)
        return average_values(metric, values, sizes, average, zero_division, classes)

    def _rests(self, evaluate: Callable[..., Any]) -> tuple[Floats, Floats, Array]:
        """Evaluate each class against the rest: values, class sizes, class labels."""
        columns, sizes = score_columns(self.scored), self._class_sizes()
        values = [evaluate("rest", k) for k in range(len(columns))]
        return np.array(values), sizes, self.scored.classes[columns]

    def _pairs(self, evaluate: Callable[..., Any]) -> tuple[Floats, Floats, Array]:
        """Evaluate each pair of classes both ways (Hand & Till): values, sizes, names."""
        columns, sizes = score_columns(self.scored), self._class_sizes()
        labels = self.scored.classes[columns]
        pairs = list(combinations(range(len(columns)), 2))
        values = [(evaluate("pair", a, b) + evaluate("pair", b, a)) / 2 for a, b in pairs]
        names = [f"{labels[a]} against {labels[b]}" for a, b in pairs]
        return np.array(values), np.array([sizes[a] + sizes[b] for a, b in pairs]), np.array(names)

    def _class_sizes(self) -> Floats:
        scored = self.scored
        sizes = weighted_bincount(scored.true, len(scored.classes), scored.weight)
        return sizes[score_columns(scored)]

    def probabilities(self, pos_label: Any = None) -> Probabilities:
        """Return the probability of every class, a column each."""
        scored = self.scored
        matrix = check_probabilities(scored.score)
        if matrix.shape[1] == 2:
            code = positive_code(scored.classes, pos_label)
            # A lone class of unknown side is taken as the greater one, as its score claims.
            outcome = scored.true == (len(scored.classes) - 1 if code is None else code)
        else:
            outcome = np.argsort(score_columns(scored))[scored.true]
        weight = np.ones(len(matrix)) if scored.weight is None else scored.weight
        return Probabilities(matrix, outcome.astype(np.intp), weight)

    def _ranking(self, problem: tuple[Any, ...], rescale: str | None) -> RankedScores:
        key = (*problem, rescale)
        if key not in self._rankings:
            truth, score, weight = self._binary_problem(*problem)
            self._rankings[key] = RankedScores.from_scores(truth, rescaled(score, rescale), weight)
        return self._rankings[key]

    def _binary_problem(self, kind: str, *codes: int) -> tuple[Array, Floats, Floats | None]:
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


def _named(classes: Array, undefined: Array) -> str:
    listed = ", ".join(repr(label) for label in classes[undefined].tolist())
    return f"class {listed}"
