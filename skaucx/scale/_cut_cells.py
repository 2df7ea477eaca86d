"""Scores counted in cells, cut at a threshold that may lie within one of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from ..metrics._kinds.base import Inputs
from ..metrics._kinds.labels import CutCounts, LabelSample, LabelState
from ..metrics._kinds.scores.state import GREATEST, OneScore
from ._aggregation import Aggregate
from ._bounded_value import between
from ._edges import Side
from ._score_counts import CountedScoreState, ScoreCounts, counting_of

# Sums of the same weights in another order are equal up to this.
_OF_SUMS = 1e-12


def with_cuts(aggregate: Aggregate, cuts: Iterable[Inputs]) -> Aggregate:
    """Return the counts with those of scores cut at thresholds, from the cells."""
    scores = aggregate.scores
    if scores is None:
        return aggregate
    countings = [own for each in cuts if (own := counting_of(each)) and own.of_ranking]
    cells = {own.key: CutCells(scores, own.of_ranking) for own in countings}
    return replace(aggregate, counts={**aggregate.counts, **cells})


@dataclass(frozen=True, eq=False)
class CutCells:
    """Cells of scores, cut at a threshold.

    Parameters
    ----------
    scores : ScoreCounts
    of_ranking : callable
        Counts ranked scores, as of :class:`Counting`.
    """

    scores: ScoreCounts
    of_ranking: Any

    def _at(self, side: Side) -> CutCounts:
        """Count the scores at the worst edges of their cells, in the middle or at the best edges."""
        if GREATEST not in self.scores.cells:
            raise ValueError(
                "Scores are cut at a threshold from cells of one score a row, and of several columns "
                "of scores, or of metrics that need sums alone, no such cells are kept; pass one score "
                "a row to MetricAccumulator() of all metrics, or all rows at once."
            )
        state = CountedScoreState(self.scores, side)
        return cast(
            CutCounts,
            self.of_ranking(self.scores.classes, lambda code: state.ranking(OneScore(code))),
        )

    @property
    def state(self) -> CutCellState:
        """What metrics are read from."""
        return CutCellState(self._at)

    @property
    def sample(self) -> LabelSample:
        """The resampling units: the rows of a cell are called by its middle."""
        if self.scores.weighted:
            return cast(LabelSample, self.scores.sample)  # raises the error for weighted scores
        return self._at(0).sample


class CutCellState(LabelState):
    """Tables of cells cut at a threshold, from which bounded values are read.

    Parameters
    ----------
    counts_at : callable
        Gives the counts with each cell at its worst edge (-1), its middle (0) or its best edge (1).
    """

    def __init__(self, counts_at: Callable[[Side], CutCounts]) -> None:
        middle = counts_at(0).state
        super().__init__(middle.table, middle.classes, middle.named)
        self._counts_at = counts_at

    @cached_property
    def _ends(self) -> tuple[LabelState, LabelState]:
        return self._counts_at(-1).state, self._counts_at(1).state

    def read(self, evaluate: Callable[[Any], Any], *, metric: Any, **options: Any) -> Any:
        """Return the metric of the rows, bounded where the threshold lies within a cell."""
        value, (worst, best) = evaluate(self), self._ends
        if np.allclose(worst.table, best.table, rtol=_OF_SUMS, atol=0):
            return value
        if not metric.rises:
            raise ValueError(
                f"The threshold of {metric.name} lies within a cell of scores, {metric.name} is not "
                "declared with rises=True, and so has no bounds there; count with more max_cells, "
                "narrow the cells, or pass all rows at once."
            )
        with warnings.catch_warnings(action="ignore"):  # the warning is given with the value
            return between(evaluate(worst), evaluate(best), value)
