"""One sample of predictions whose metrics are evaluated under many sets of weights of its rows."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias

import numpy as np

from ..._arrays import Array, Codes, Floats
from .._pairs.replicates import RankedReplicates, SortedScores
from .._records.inputs import (
    IndicatorPair,
    LabelPair,
    ScoredIndicators,
    ScoredLabels,
    check_label_pair,
    check_scored_labels,
    rescaled,
    score_columns,
)
from .._registry.row import Metric
from .._states.scores import LabelState, Probabilities, ScoreState, label_state, score_state

Problem: TypeAlias = tuple[Codes, SortedScores]


class State(Protocol):
    """What a metric is read from."""

    def value(self, metric: Metric, **options: Any) -> Any:
        """Return the metric's value, or one value a replicate along the first axis."""


class Sample:
    """Checked arrays of one call.

    Attributes
    ----------
    n_rows : int
    strata : ndarray of shape (n_rows,), int, or None
        The class of each row.
    multiplicity : ndarray of shape (n_rows,), int, or None
        How many equal examples each row stands for.
    weight : ndarray of shape (n_rows,), float64, or None
        Sample weights.
    """

    n_rows: int
    strata: Codes | None
    multiplicity: Array | None = None
    weight: Floats | None

    @property
    def state(self) -> State:
        """What metrics of the sample itself are read from."""
        raise NotImplementedError

    def under(self, counts: Floats) -> State:
        """Return what metrics are read from where row i counts ``counts[b, i]`` times."""
        raise NotImplementedError


def sample_of(
    metric: Metric,
    first: Any,
    second: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    collapse: bool = False,
) -> Sample:
    """Check the two arrays that a metric takes.

    With `collapse`, equal pairs of labels become one row with its multiplicity.
    """
    shared = {"labels": labels, "sample_weight": sample_weight}
    if metric.reads_labels:
        pair = check_label_pair(first, second, names=metric.inputs, **shared)
        return LoopSample(pair) if isinstance(pair, IndicatorPair) else LabelSample(pair, collapse)
    scored = check_scored_labels(first, second, score_name=metric.inputs[1], **shared)
    return LoopSample(scored) if isinstance(scored, ScoredIndicators) else ScoreSample(scored)


def own_parameters(metric: Metric, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the options that the formula itself takes."""
    own = inspect.signature(metric.formula).parameters
    return {name: options[name] for name in options if name in own}


class LabelSample(Sample):
    """True and predicted labels."""

    def __init__(self, pair: LabelPair, collapse: bool = False) -> None:
        self.pair = pair
        cells = pair.true * len(pair.classes) + pair.pred
        self.weight = pair.weight
        if collapse and pair.weight is None:
            cells, self.multiplicity = np.unique(cells, return_counts=True)
        self.n_rows, self.strata = len(cells), cells // len(pair.classes)
        self._order = np.argsort(cells, kind="stable")
        self._cells, self._starts = np.unique(cells[self._order], return_index=True)

    @property
    def state(self) -> LabelState:
        """The confusion table of the sample itself."""
        once = np.ones(self.n_rows) if self.multiplicity is None else 1.0 * self.multiplicity
        return LabelState(self.under(once[None]).table[0], self.pair.classes, self.pair.named)

    def under(self, counts: Floats) -> LabelState:
        """Return one confusion table a replicate."""
        weight = counts if self.weight is None else counts * self.weight
        size = len(self.pair.classes)
        tables = np.zeros((len(counts), size * size))
        tables[:, self._cells] = np.add.reduceat(weight[:, self._order], self._starts, axis=1)
        return LabelState(tables.reshape(-1, size, size), self.pair.classes, self.pair.named)


class ScoreSample(Sample):
    """True labels with scores, sorted once for each binary problem."""

    def __init__(self, scored: ScoredLabels) -> None:
        self.scored, self.weight = scored, scored.weight
        self.n_rows, self.strata = len(scored.true), scored.true
        self._problems: dict[Any, Problem] = {}

    @property
    def state(self) -> State:
        """The scores of the sample itself."""
        return score_state(self.scored)

    def under(self, counts: Floats) -> ScoreState:
        """Return one ranking a replicate."""
        return _ReplicatedScores(self, counts)

    def problem(self, key: Any, make: Callable[[], Problem]) -> Problem:
        """Return the rows of a binary problem and its scores in order, sorted at the first call."""
        if key not in self._problems:
            self._problems[key] = make()
        return self._problems[key]


class LoopSample(Sample):
    """Any sample, evaluated replicate by replicate."""

    def __init__(self, record: Any) -> None:
        self.record, self.weight = record, record.weight
        self.n_rows = len(record.true)
        self.strata = record.true if record.true.ndim == 1 else None

    @property
    def state(self) -> State:
        """The sample itself."""
        record = self.record
        return score_state(record) if hasattr(record, "score") else label_state(record)

    def under(self, counts: Floats) -> State:
        """Return one state a replicate."""
        return _EachReplicate(self.record, counts)


class _EachReplicate:
    """Replicates without a common form: one state after another."""

    def __init__(self, record: Any, counts: Floats) -> None:
        weight = counts if record.weight is None else counts * record.weight
        self._states = [_reweighted(record, row) for row in weight]

    def value(self, metric: Metric, **options: Any) -> Floats:
        """Return one value a replicate."""
        return np.stack([state.value(metric, **options) for state in self._states])


def _reweighted(record: Any, weight: Floats) -> Any:
    """Return the state of the rows that weigh something."""
    kept = weight > 0
    second = "score" if hasattr(record, "score") else "pred"
    rows = {name: getattr(record, name)[kept] for name in ("true", second)}
    record = dataclasses.replace(record, weight=weight[kept], **rows)
    return label_state(record) if second == "pred" else score_state(record)


class _ReplicatedScores(ScoreState):
    """Scores under many sets of weights; every value has a leading axis of replicates."""

    def __init__(self, sample: ScoreSample, counts: Floats) -> None:
        # Row numbers go where weights go, so that a binary problem tells which rows it has.
        rows = np.arange(sample.n_rows, dtype=np.float64)
        super().__init__(dataclasses.replace(sample.scored, weight=rows))
        self._sample = sample
        self._counts = counts if sample.weight is None else counts * sample.weight
        self._replicates: dict[Any, RankedReplicates] = {}
        self._each: _EachReplicate | None = None

    def value(self, metric: Metric, **options: Any) -> Any:
        """Return one value a replicate, or one a replicate and class."""
        if options.get("rescale") != "minmax":
            return super().value(metric, **options)
        # The range of each replicate is its own.
        record = dataclasses.replace(self.scored, weight=None)
        self._each = self._each or _EachReplicate(record, self._counts)
        return self._each.value(metric, **options)

    def probabilities(self, pos_label: Any = None) -> Probabilities:
        """Return the probabilities with a set of weights a replicate."""
        return dataclasses.replace(super().probabilities(pos_label), weight=self._counts)

    def _class_sizes(self) -> Floats:
        columns = score_columns(self.scored)
        sizes = [self._counts[:, self.scored.true == k].sum(axis=1) for k in columns]
        return np.stack(sizes, axis=-1)

    def _ranking(self, problem: tuple[Any, ...], rescale: str | None) -> Any:
        key = (*problem, rescale)
        if key not in self._replicates:
            rows, scores = self._sample.problem(key, lambda: self._sorted(problem, rescale))
            weight = self._counts if problem[0] in ("one", "rest") else self._counts[:, rows]
            self._replicates[key] = scores.replicates(weight)
        return self._replicates[key]

    def _sorted(self, problem: tuple[Any, ...], rescale: str | None) -> Problem:
        truth, score, rows = self.binary_problem(*problem)
        return np.asarray(rows, dtype=np.intp), SortedScores(truth, rescaled(score, rescale))
