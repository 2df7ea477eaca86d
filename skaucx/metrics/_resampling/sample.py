"""One sample of predictions whose metrics are evaluated under many sets of weights of its rows."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from ..._arrays import Array, Bools, Codes, Floats
from .._pairs.placements import Placements
from .._pairs.replicates import RankedReplicates, SortedScores, by_row
from .._records.inputs import (
    LabelPair,
    ScoredLabels,
    score_columns,
)
from .._records.rescaling import rescaled
from .._registry.kind import Prediction
from .._registry.kinds import SCORES
from .._registry.row import Metric
from .._states.binary import BinaryProblem
from .._states.labels import LabelState
from .._states.problems import State
from .._states.scores import Columns, Probabilities, ScoreState, score_state

# Rankings held at once with their replicates, which bounds the memory of many classes.
_MOST_HELD = 8


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
    **beside: Any,
) -> Sample:
    """Check the two arrays that a metric takes, and those beside them.

    With `collapse`, equal pairs of labels become one row with its multiplicity.
    """
    judged = metric.kind.judged
    shared = {"labels": labels, "sample_weight": sample_weight, **beside}
    record = judged.check(first, second, names=metric.inputs, **shared)
    return sample_of_record(record, judged, collapse=collapse)


def sample_of_record(record: Any, judged: Prediction, *, collapse: bool = False) -> Sample:
    """Return the sample of checked arrays."""
    if isinstance(record, LabelPair):
        return LabelSample(record, collapse)
    return ScoreSample(record) if isinstance(record, ScoredLabels) else RecordSample(record, judged)


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
        self.n_rows = len(cells)
        self.strata = cells // len(pair.classes) if pair.drawn_by_class else None
        self._order = np.argsort(cells, kind="stable")
        self._cells, self._starts = np.unique(cells[self._order], return_index=True)

    @cached_property
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
        self._sorted: dict[Any, SortedScores] = {}
        self._placements: dict[Any, Placements] = {}

    @cached_property
    def state(self) -> State:
        """The scores of the sample itself."""
        return score_state(self.scored)

    def placements(self, truth: Bools, score: Floats, key: Any) -> Placements:
        """Return what placement values are read from, sorted at the first call with a key."""
        if key not in self._placements:
            self._placements[key] = self._placed(truth, score)
        return self._placements[key]

    def _placed(self, truth: Bools, score: Floats) -> Placements:
        return Placements(truth, score)

    def under(self, counts: Floats) -> ScoreState:
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


class RecordSample(Sample):
    """Any record; its replicates at once where its state takes many sets of weights, else in turn."""

    def __init__(self, record: Any, judged: Prediction) -> None:
        self.record, self.judged, self.weight = record, judged, record.weight
        self.n_rows = len(record.true)
        strata = record.drawn_by_class and record.true.ndim == 1
        self.strata = record.true if strata else None

    @cached_property
    def state(self) -> Any:
        """The sample itself."""
        return self.judged.hold(self.record)

    def under(self, counts: Floats) -> State:
        """Return one state of all replicates, or one a replicate."""
        if self.record.many_weights:
            weight = counts if self.weight is None else counts * self.weight
            return self.judged.hold(dataclasses.replace(self.record, weight=weight))
        return _EachReplicate(self.record, self.judged, counts)


class _EachReplicate:
    """Replicates without a common form: one state after another."""

    def __init__(self, record: Any, judged: Prediction, counts: Floats) -> None:
        weight = counts if record.weight is None else counts * record.weight
        self._states = [judged.hold(record.weighing(row)) for row in weight]

    def read(self, evaluate: Callable[[Any], Any], **options: Any) -> Floats:
        """Return one value a replicate."""
        return np.stack([evaluate(state) for state in self._states])


class _ReplicatedScores(ScoreState):
    """Scores under many sets of weights; every value has a leading axis of replicates."""

    def __init__(self, sample: ScoreSample, counts: Floats) -> None:
        super().__init__(dataclasses.replace(sample.scored, weight=None))
        self._sample = sample
        self._counts = counts if sample.weight is None else counts * sample.weight
        self._replicates: dict[Any, RankedReplicates] = {}
        self._one_by_one: _EachReplicate | None = None

    def read(self, evaluate: Callable[[Any], Any], **options: Any) -> Any:
        """Return one value a replicate, or one a replicate and class."""
        if options.get("rescale") != "minmax":
            return evaluate(self)
        # The range of each replicate is its own.
        self._one_by_one = self._one_by_one or _EachReplicate(self.scored, SCORES, self._counts)
        return self._one_by_one.read(evaluate)

    def probabilities(self, pos_label: Any = None, either: bool = True) -> Probabilities:
        """Return the probabilities with a set of weights a replicate."""
        found = super().probabilities(pos_label, either)
        return dataclasses.replace(found, weight=self._counts, rank=None)

    def columns(self, pos_label: Any = None, either: bool = True) -> Columns:
        """Return the scores of the classes with a set of weights a replicate."""
        return dataclasses.replace(super().columns(pos_label, either), weight=self._counts)

    def _class_sizes(self) -> Floats:
        columns = score_columns(self.scored)
        sizes = [self._counts[:, self.scored.true == k].sum(axis=1) for k in columns]
        return np.stack(sizes, axis=-1)

    def _counted_pairs(self, pairs: Any, rescale: str | None) -> None:
        return None

    @cached_property
    def _by_row(self) -> Array:
        """The counts as every ranking gathers them."""
        return by_row(self._counts)

    def ranking(self, problem: BinaryProblem, rescale: str | None = None) -> Any:
        """Return the replicates of the ranking of a binary problem."""
        key = problem, rescale
        if key not in self._replicates:
            if len(self._replicates) == _MOST_HELD:
                self._replicates.clear()
            scores = self._sample.sorted(problem, rescale)
            self._replicates[key] = scores.weighed(self._by_row)
        return self._replicates[key]
