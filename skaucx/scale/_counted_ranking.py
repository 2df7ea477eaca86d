"""The ranking of the cells of scores, through whose ends curves of counts go."""

from __future__ import annotations

import numpy as np

from .._arrays import Floats
from ..metrics._pairs.ranking import RankedScores
from ..metrics._records.counts import Counts
from ..metrics._records.inputs import check_unit_interval, rescaled
from ._score_histogram import ScoreCells, codes_of, scores_of


class CountedRanking(RankedScores):
    """Scores of which the lowest of each cell stands for all: the counts at these are exact.

    Parameters
    ----------
    cells : ScoreCells
    """

    def __init__(self, cells: ScoreCells) -> None:
        ends = cells.outer
        super().__init__(scores_of(cells.first.clip(*codes_of(ends))), *cells.sides)
        self.greatest = scores_of(cells.last.clip(*codes_of(ends)))
        self.wide = np.asarray((cells.first != cells.last) & (cells.positive + cells.negative != 1))
        self.exact = not self.wide.any()

    def counts_at_corners(self, upper: bool) -> Counts:
        """Return the counts along the upper or the lower edge of what the curve may be.

        Within a cell the positives come first, then the negatives, or the reverse.
        """
        counts, wide = self.threshold_counts, np.flatnonzero(self.wide[::-1])
        first = (counts.tp, counts.fn) if upper else (counts.fp, counts.tn)
        second = (counts.fp, counts.tn) if upper else (counts.tp, counts.fn)
        ahead = [np.insert(side, wide + 1, side[wide + 1]) for side in first]
        behind = [np.insert(side, wide + 1, side[wide]) for side in second]
        (tp, fn), (fp, tn) = (ahead, behind) if upper else (behind, ahead)
        return Counts(tp, fp, fn, tn)

    def thresholds_at_corners(self) -> Floats:
        """Return the thresholds of these points; that of a corner is its cell's."""
        return np.append(np.inf, np.repeat(self.values[::-1], 1 + self.wide[::-1]))

    def in_unit_range(self, metric: str, rescale: str | None, bounded: bool) -> RankedScores:
        """Return the scores in [0, 1], or brought there; all must be known unless cells are enough."""
        if not self.exact:
            if bounded:
                return self
            raise ValueError(
                f"{metric} needs score values, but only cells of scores are kept, because there are "
                f"too many distinct scores; round the scores, or pass arrays in memory."
            )
        if rescale is None:
            check_unit_interval(self.values, metric)
            return self
        return RankedScores(rescaled(self.values, rescale), self.positive, self.negative)
