"""True labels with scores, sorted once for each binary problem and resampled as counts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from ...._arrays import Array, Bools, Floats
from ..._cells.score_histogram import codes_of, scores_of
from ..._pairs.placements import Placements
from ..._pairs.replicates import RankedReplicates, SortedScores, by_row
from ..._records.inputs import ScoredLabels, rescaled, score_columns
from ..base import EachReplicate, Sample, State
from ..labels import named_codes
from ..totals import SumOf, squares_for
from .class_scores import Columns, Probabilities
from .state import GREATEST, BinaryProblem, ScoreState, score_state

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
        self._placements: dict[Any, Placements] = {}

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
        return ScoreSample(ScoredLabels(classes, true, score, scored.weight, None, scored.unit))

    def placements(self, truth: Bools, score: Floats, key: Any) -> Placements:
        """Return what placement values are read from, sorted at the first call with a key."""
        if key not in self._placements:
            self._placements[key] = Placements(truth, score, self.multiplicity)
        return self._placements[key]

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


class _ReplicatedScores(ScoreState):
    """Scores under many sets of weights; every value has a leading axis of replicates."""

    def __init__(self, sample: ScoreSample, counts: Floats) -> None:
        super().__init__(dataclasses.replace(sample.scored, weight=None))
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
            self._replicates[key] = RankedReplicates(scores, self._by_row)
        return self._replicates[key]


class CountedScoreSample(ScoreSample):
    """One score per example: those of a cell and class are one row at its midpoint."""

    def __init__(self, counts: Any) -> None:
        cells = counts.cells[GREATEST]
        reach = [
            np.stack([cells.first, cells.last]).clip(*codes_of(ends))
            for ends in cells.ends
            if np.isfinite(ends).all()
        ]
        middles = [scores_of(low + (high - low) // np.uint64(2)) for low, high in reach]
        held = [side > 0 for side in cells.sides]
        greatest = len(counts.classes) - 1
        score = np.concatenate([m[h] for m, h in zip(middles, filter(np.any, held), strict=True)])
        true = np.concatenate(
            [np.full(h.sum(), code) for h, code in zip(held, (greatest, 0), strict=True)]
        )
        codes = named_codes(counts.classes, counts.named)
        super().__init__(ScoredLabels(counts.classes, true, score, None, codes))
        self.multiplicity = np.concatenate(
            [side[h] for side, h in zip(cells.sides, held, strict=True)]
        )

    @cached_property
    def state(self) -> State:
        """The scores with their counts."""
        weight = np.asarray(self.multiplicity, dtype=np.float64)
        return score_state(dataclasses.replace(self.scored, weight=weight))


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
            record.total(each) for each in (SumOf(metric.losses), squares_for(metric, parameters))
        )
        sizes = 1.0 * np.asarray(self.multiplicity)
        mean = total / sizes.sum()
        deviation = np.sqrt(max(squares / sizes.sum() - mean**2, 0.0))
        if len(sizes) < 2:
            return np.array([mean])
        ratio = np.sqrt(sizes[1] / sizes[0])
        return np.array([mean + deviation * ratio, mean - deviation / ratio])
