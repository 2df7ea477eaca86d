"""Adjacent violators pooled, and convex hulls: blocks of scores within which no ranking can be trusted.

The blocks are the segments of the ROC convex hull, and the shares of positives in them are the isotonic
regression of the class on the score.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from scipy import optimize, special
from scipy.spatial import ConvexHull

from ..._arrays import Bools, Codes, Floats
from .._records.counts import Counts
from .ranking import RankedScores


def over_blocks(counts: Counts, value: Callable[[Floats, Floats], Any]) -> Any:
    """Return what `value` makes of the positives and the negatives of the blocks, scores falling.

    `counts` are threshold counts, also with leading axes; there is one value for each of them.
    """
    positive, negative = np.diff(counts.tp), np.diff(counts.fp)
    if positive.ndim == 1:
        return value(*pooled(positive, negative))
    shape, columns = positive.shape[:-1], positive.shape[-1]
    rows = zip(positive.reshape(-1, columns), negative.reshape(-1, columns), strict=True)
    return np.reshape([value(*pooled(*row)) for row in rows], shape)


def pooled(positive: Floats, negative: Floats) -> tuple[Floats, Floats]:
    """Return the class weights of the blocks of adjacent scores whose share of positives falls."""
    held = positive + negative > 0
    positive, negative = positive[held], negative[held]
    starts = block_starts(positive, negative)
    return np.add.reduceat(positive, starts), np.add.reduceat(negative, starts)


def block_starts(positive: Floats, negative: Floats) -> Codes:
    """Return where the blocks begin; each score must weigh something."""
    total = positive + negative
    fit = optimize.isotonic_regression(positive / total, weights=total, increasing=False)
    return np.asarray(fit.blocks[:-1])


class Graded:
    """Probabilities with their outcomes, under one set of weights.

    Parameters
    ----------
    rank : callable
        Gives the ranking of the probabilities, at the first use.
    """

    def __init__(self, rank: Callable[[], RankedScores]) -> None:
        self._rank = rank

    @classmethod
    def of_rows(cls, truth: Bools, probability: Floats, weight: Floats) -> Graded:
        """Return what rows give; a resample leaves those of weight 0 out."""

        def rank() -> RankedScores:
            held = weight > 0
            return RankedScores.from_scores(truth[held], probability[held], weight[held])

        return cls(rank)

    @cached_property
    def _ranked(self) -> RankedScores:
        return self._rank()

    @property
    def values(self) -> Floats:
        """The distinct probabilities, rising."""
        return self._ranked.values

    @property
    def unit(self) -> float:
        """What a weight of 1 has become in the sums below."""
        return self._ranked.unit

    @cached_property
    def positive(self) -> Floats:
        """What the positives weigh at each distinct probability."""
        return np.asarray(self._ranked.positive, dtype=np.float64)

    @cached_property
    def negative(self) -> Floats:
        """What the negatives weigh at each distinct probability."""
        return np.asarray(self._ranked.negative, dtype=np.float64)

    @cached_property
    def total(self) -> Floats:
        """What all weigh at each distinct probability."""
        return self.positive + self.negative

    @cached_property
    def log_odds(self) -> Floats:
        """The log-odds of the distinct probabilities."""
        return np.asarray(special.logit(self.values))

    @cached_property
    def blocks(self) -> tuple[Floats, Floats]:
        """Positives and negatives of the blocks of the isotonic regression, probabilities falling."""
        return pooled(self.positive[::-1], self.negative[::-1])


# Of more points of a curve, those within blocks of pooled scores are left out first.
_MANY = 1 << 12
# A point this close to a chord adds nothing to a hull.
_TOLERANCE = 1e-12


def upper_hull(fpr: Floats, tpr: Floats) -> Codes:
    """Return the indices of the upper hull's vertices, from the first point, (0, 0), to the last."""
    kept = _ends_of_blocks(fpr, tpr) if len(fpr) > _MANY else None
    return _of_points(fpr, tpr) if kept is None else kept[_of_points(fpr[kept], tpr[kept])]


def _ends_of_blocks(fpr: Floats, tpr: Floats) -> Codes | None:
    """Return the first point and the ends of the blocks, which hold all vertices, of rising points."""
    across, up = np.diff(fpr), np.diff(tpr)
    if across.min() < 0 or up.min() < 0:
        return None
    held = np.flatnonzero(across + up > 0)
    starts = block_starts(up[held], across[held])
    return np.concatenate([[0], held[starts[1:]], [len(fpr) - 1]])


def _of_points(fpr: Floats, tpr: Floats) -> Codes:
    last = len(fpr) - 1
    # The corner (1, 0) makes a triangle of any curve, so that no hull is flat.
    points = np.append(np.column_stack([fpr, tpr]), [[1.0, 0.0]], axis=0)
    cycle = ConvexHull(points).vertices  # counter-clockwise: the corner, (1, 1), ..., (0, 0)
    chain = np.roll(cycle, -int(np.argmax(cycle == last + 1)))[:0:-1]
    inner = chain[(points[chain] > 0).any(axis=1) & (points[chain] < 1).any(axis=1)]
    kept: list[int] = []
    for vertex in [0, *inner.tolist(), last]:
        while len(kept) > 1 and not _above(points[kept[-2]], points[kept[-1]], points[vertex]):
            kept.pop()
        kept.append(vertex)
    return np.array(kept, dtype=np.intp)


def _above(start: Floats, point: Floats, end: Floats) -> bool:
    """Whether a point lies above the chord from `start` to `end`, by more than the tolerance."""
    # The cross product is the distance from the chord times its length.
    chord, leg = end - start, point - start
    return bool(chord[0] * leg[1] - chord[1] * leg[0] > _TOLERANCE * np.hypot(*chord))
