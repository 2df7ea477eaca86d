"""Samples of which only counts are left, and placement values of scores with their counts."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ..._arrays import Array, Bools, Codes, Floats
from .._cells.codes import codes_of, scores_of
from .._pairs.placements import Placements
from .._records.inputs import LabelPair, ScoredLabels
from .._states.labels import LabelState
from .._states.problems import State
from .._states.scores import score_state
from .._streams.labels import LabelCounts, named_codes
from .._streams.numbers import CostSums, NumberTotals
from .._streams.scores import GREATEST, ScoreCounts
from .sample import LabelSample, Sample, ScoreSample


def sample_of_counts(counts: Any) -> Sample:
    """Return the sample of counted labels, or of one counted score an example."""
    if isinstance(counts, LabelCounts):
        return WeighedCells.of(counts) if counts.weighted else _of_labels(counts)
    if isinstance(counts, CostSums | NumberTotals):
        raise ValueError(
            "An interval needs what each row contributes, and of costs and numbers in chunks only sums "
            "are kept; pass arrays in memory."
        )
    if counts.weighted:
        raise ValueError(
            "An interval of scores with weights draws rows with their weights, and of rows in chunks "
            "only sums are kept; pass arrays in memory, or ask for metrics of predicted labels."
        )
    if isinstance(counts, ScoreCounts) and GREATEST in counts.cells:
        return CountedScores(counts)
    if not counts.plan.ranked:
        raise ValueError(
            "An interval needs cells of scores or sums of squares, and only sums of losses were kept; "
            "use evaluate(data=..., intervals=True), or MetricAccumulator() of all metrics."
        )
    raise ValueError(
        "An interval needs the rows of several columns together, and of rows in chunks each column is "
        "counted by itself; pass arrays in memory, or one score an example."
    )


def _of_labels(counts: LabelCounts) -> LabelSample:
    named = named_codes(counts.classes, counts.named)
    return sample_of_table(counts.table, counts.classes, named)


def sample_of_table(table: Array, classes: Array, named: Codes | None = None) -> LabelSample:
    """Return the sample that a K x K table counts, a row a cell."""
    true, pred = np.nonzero(table)
    sample = LabelSample(LabelPair(classes, true, pred, None, named))
    sample.multiplicity = table[true, pred].astype(np.int64)
    return sample


class WeighedCells(LabelSample):
    """Labels with sampling weights, of which sums are left: a row a cell of the table.

    Attributes
    ----------
    squares, sizes : ndarray of shape (K, K), float64
        Sums of the squares of the weights, and numbers of rows, that each cell holds.
    """

    def __init__(
        self, table: Floats, squares: Floats, sizes: Floats, classes: Array, named: Codes | None
    ) -> None:
        true, pred = np.nonzero(table)
        super().__init__(LabelPair(classes, true, pred, table[true, pred], named))
        self.squares, self.sizes = squares, sizes

    @classmethod
    def of(cls, counts: LabelCounts) -> WeighedCells:
        """Take what was counted."""
        named = named_codes(counts.classes, counts.named)
        return cls(counts.table, counts.squares, counts.sizes, counts.classes, named)

    def against_rest(self, code: int) -> WeighedCells:
        """Return the sample of one class against all others."""
        table, squares, sizes = (
            LabelState(table, self.pair.classes).one_vs_rest[..., code].table
            for table in (self.state.table, self.squares, self.sizes)
        )
        return WeighedCells(table, squares, sizes, np.array([False, True]), None)


def against_rest(sample: LabelSample | ScoreSample, code: int, column: int = 0) -> Sample:
    """Return the sample of one class, by its code and column of scores, against all others."""
    classes = np.array([False, True])
    if isinstance(sample, ScoreSample):
        scored = sample.scored
        true, score = (scored.true == code).astype(np.intp), scored.score[:, column]
        return ScoreSample(ScoredLabels(classes, true, score, scored.weight, None, scored.unit))
    if isinstance(sample, WeighedCells):
        return sample.against_rest(code)
    if sample.multiplicity is not None:
        return sample_of_table(sample.state.one_vs_rest[..., code].table, classes)
    pair = sample.pair
    true, pred = ((labels == code).astype(np.intp) for labels in (pair.true, pair.pred))
    return LabelSample(LabelPair(classes, true, pred, pair.weight, None))


class CountedScores(ScoreSample):
    """One score an example: those of a cell and class stand in its middle, as one row."""

    def __init__(self, counts: ScoreCounts) -> None:
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
        scored = self.scored
        weight = np.asarray(self.multiplicity, dtype=np.float64)
        return score_state(
            ScoredLabels(scored.classes, scored.true, scored.score, weight, scored.columns)
        )

    def _placed(self, truth: Bools, score: Floats) -> Placements:
        return CountedPlacements(truth, score, np.asarray(self.multiplicity))


class TotalledScores(Sample):
    """Scores of which sums of losses and of their squares are left."""

    weight = None

    def __init__(self, counts: ScoreCounts, state: Any) -> None:
        self._state, n = state, counts.n_examples
        # The losses as two rows that stand for all examples with the same mean and variance.
        self.multiplicity = np.array([n - n // 2, n // 2][: min(n, 2)])
        self.n_rows, self.strata = len(self.multiplicity), None

    @property
    def state(self) -> Any:
        """What metrics are read from."""
        return self._state

    def losses(self, total: float, squares: float) -> Floats:
        """Return two losses, as many examples as :attr:`multiplicity` each, of these sums."""
        sizes = 1.0 * np.asarray(self.multiplicity)
        mean = total / sizes.sum()
        deviation = np.sqrt(max(squares / sizes.sum() - mean**2, 0.0))
        if len(sizes) < 2:
            return np.array([mean])
        ratio = np.sqrt(sizes[1] / sizes[0])
        return np.array([mean + deviation * ratio, mean - deviation / ratio])


class CountedPlacements(Placements):
    """Placement values of scores of which each stands for several examples.

    Parameters
    ----------
    truth : ndarray of shape (n,), bool
    score : ndarray of shape (n,), float64
    multiplicity : ndarray of shape (n,), int
    """

    def __init__(self, truth: Bools, score: Floats, multiplicity: Array) -> None:
        super().__init__(truth, score)
        sides = (truth, ~truth)
        counts = (
            np.bincount(place, multiplicity[side], minlength=len(self._values))
            for place, side in zip(self._places, sides, strict=True)
        )
        self._positive, self._negative = (side.astype(np.int64) for side in counts)

    def _of_each(self, over_negatives: Array, over_positives: Array) -> Floats:
        p, n = self._places
        return np.concatenate(
            [over_negatives[p] / self._negative.sum(), over_positives[n] / self._positive.sum()]
        )

    @property
    def mean_difference(self) -> Floats:
        """The mean of d."""
        height = self._values - self._values[0]
        over_n, over_p = (height * self._negative).sum(), (height * self._positive).sum()
        return self._of_each(
            self._negative.sum() * height - over_n, over_p - self._positive.sum() * height
        )


def counted_parts(
    values: tuple[Floats, Floats], counts: tuple[Array, Array]
) -> tuple[Floats, Floats]:
    """Return a mean over pairs and the parts S10 / P and S01 / N of DeLong's variance."""
    sides = list(zip(values, counts, strict=True))
    means = [np.average(v, weights=count) for v, count in sides]
    parts = [
        (count * (v - mean) ** 2).sum() / (float(count.sum()) * (count.sum() - 1.0))
        for (v, count), mean in zip(sides, means, strict=True)
    ]
    return np.asarray(means[0]), np.array(parts)
