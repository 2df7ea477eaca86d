"""Rankings of scores of which only counts are left."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._arrays import Floats
from .._cells.cells import ScoreCells
from .._cells.codes import codes_of, scores_of
from .._chunks.sources import source_of
from .._chunks.tally import SCORE, TRUE, WEIGHT, Settings, tallied
from .._pairs.ranking import RankedScores
from .._records.counts import Counts
from .._records.inputs import known_positive, positive_code
from ..kinds.scores.binary import GREATEST
from ..kinds.scores.cells import Plan, ScoreCounts


class CountedRanking(RankedScores):
    """Scores of which the lowest of each cell stands for all: the counts at these are exact.

    Parameters
    ----------
    cells : ScoreCells
    """

    def __init__(self, cells: ScoreCells) -> None:
        ends = np.array([cells.ends[:, 0].min(), cells.ends[:, 1].max()])
        super().__init__(scores_of(cells.first.clip(*codes_of(ends))), *cells.sides)
        self.wide = np.asarray((cells.first != cells.last) & (cells.positive + cells.negative != 1))

    @property
    def exact(self) -> bool:
        """Whether every cell holds one score."""
        return not self.wide.any()

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


def is_counted(y_true: Any) -> bool:
    """Whether rows have been counted already."""
    return isinstance(y_true, ScoreCounts)


def counted_ranking(
    y_true: Any, y_score: Any, pos_label: Any = None, sample_weight: Any = None
) -> CountedRanking:
    """Count scores that come in chunks, or take those counted, and rank their cells."""
    counts = y_true
    if not is_counted(counts):
        source = source_of({TRUE: y_true, SCORE: y_score, WEIGHT: sample_weight})
        counts = tallied(source, Settings(Plan())).scores
    if GREATEST not in counts.cells:
        raise ValueError(
            "Curves need the scores of the positive class, one an example; found "
            f"{counts.columns or 'no'} columns of them."
        )
    code = known_positive(positive_code(counts.classes, pos_label))
    cells = counts.cells[GREATEST]
    return CountedRanking(cells if code == len(counts.classes) - 1 else cells.swapped)
