"""Bounds of pair means from cells: every score at the edge of its cell that lowers, or raises, them.

Let h be non-decreasing in d = p - n. A positive moved down and a negative moved up, each no further than
its cell reaches, lower no pair's true h: the mean over all pairs then bounds that of the rows from
below, and the reverse from above. The span and the margin are those of the exact ends of the classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from .._arrays import Array, Bools, Floats
from ..metrics._pairs.kernels import Kernel
from ..metrics._pairs.ranking import RankedScores
from ..metrics._pairs.sorting import moderate_scale
from ..metrics._records.inputs import rescaled
from ._bounds import CellSteps, bound
from ._score_histogram import MOST_PAIRS, ScoreCells, ScoreCodes, codes_of, scores_of, sums_of_runs

Side = Literal[-1, 0, 1]
_Reach: TypeAlias = tuple[ScoreCodes, ScoreCodes]
# Counts of both classes, and what a weight of 1 has become in them.
_Sides: TypeAlias = tuple[Array, Array, float]

# A pair mean and its counterpart in memory lie within 1e-12 of the mean |h| of the exact sums.
_OF_SUMS = 2e-12
# The share of a count among all pairs takes a few roundings.
_OF_SHARES = 8 * np.finfo(np.float64).eps


class Known(NamedTuple):
    """What cells determine exactly: the order of the two classes, all scores; which hold rows of one."""

    order: bool
    values: bool
    points: Bools

    @classmethod
    def of(cls, cells: ScoreCells, p: _Reach, n: _Reach) -> Known:
        if p is n:
            return cls(True, True, np.ones(len(cells), dtype=bool))
        has_p, has_n = (side > 0 for side in cells.sides)
        single = ~(has_p & (p[0] != p[1])) & ~(has_n & (n[0] != n[1]))
        both = has_p & has_n
        points = single & ~(both & (p[0] != n[0]))
        if not cells.weighted:
            points |= cells.positive + cells.negative == 1
        parted = (p[0] > n[1]) | (n[0] > p[1])
        decided = ~both | points | parted
        return cls(bool(decided.all()), bool(single.all()), points)


class EdgeScores(RankedScores):
    """Scores at the edges of their cells, whose pair means are rounded away from those of the rows.

    Parameters
    ----------
    ends : ndarray of shape (2, 2), float64
        The lowest and the highest score of the positives, then of the negatives.
    side : {-1, 0, 1}
        Whether pair means are lower bounds, of scores in the middle of their cells, or upper bounds.
    known : Known
        What the cells determine exactly.
    cells : ScoreCells
        Those of the rows.

    Attributes
    ----------
    means : mapping
        The computed sums over all pairs of the rows, by request.
    open : set
        The requested sums.
    """

    def __init__(
        self,
        values: Floats,
        positive: Array,
        negative: Array,
        unit: float,
        *,
        ends: Floats,
        side: Side,
        known: Known,
        cells: ScoreCells,
    ) -> None:
        super().__init__(values, positive, negative, unit)
        self.ends, self.side, self.cells = ends, side, cells
        self.order_exact, self.values_exact, self.points = known
        self._known = known
        self.means: Mapping[Any, Any] = {}
        self.unresolved = set[Any]()

    @property
    def lowest(self) -> np.float64:
        """The lowest score of the whole set."""
        return self.ends[:, 0].min()

    @property
    def highest(self) -> np.float64:
        """The highest score of the whole set."""
        return self.ends[:, 1].max()

    @cached_property
    def margin(self) -> np.float64:
        """The lowest positive minus the highest negative; negative where the classes overlap."""
        return self.ends[0, 0] - self.ends[1, 1] if self.pairs > 0 else np.float64(np.nan)

    def _outward(self, exact: bool, value: np.float64, slack: float) -> np.float64:
        return value if exact else value + self.side * slack

    @property
    def win_share(self) -> np.float64:
        """The share of pairs with d > 0: the strict AUC."""
        return self._share_outward(super().win_share)

    @property
    def tie_share(self) -> np.float64:
        """The share of pairs with d = 0."""
        return self._share_outward(super().tie_share)

    def _share_outward(self, share: np.float64) -> np.float64:
        counted = self.positive.dtype.kind == "i"
        exact = self.values_exact or (self.order_exact and counted)
        return self._outward(exact, share, (_OF_SHARES if counted else _OF_SUMS) * share)

    @cached_property
    def mean_difference(self) -> np.float64:
        """The mean of d."""
        return self._outward(self.values_exact, super().mean_difference, _OF_SUMS * self.span)

    @cached_property
    def mean_gain(self) -> np.float64:
        """The mean of max(d, 0)."""
        mean = super().mean_gain
        return self._outward(self.values_exact, mean, _OF_SUMS * mean)

    @cached_property
    def _moderate(self) -> EdgeScores | None:
        scale = moderate_scale(self.lowest, self.highest)
        if not scale:
            return None
        return EdgeScores(
            np.ldexp(self.values, scale),
            self.positive,
            self.negative,
            self.unit,
            ends=np.ldexp(self.ends, scale),
            side=self.side,
            known=self._known,
            cells=self.cells,
        )

    def _mean_gain_above(self, share: float) -> np.float64:
        mean = super()._mean_gain_above(share)
        # Lowered by the shift, a gain loses the digits that the span has beyond it.
        slack = _OF_SUMS * mean + (_OF_SHARES if share else 0)
        return np.maximum(self._outward(self.values_exact, mean, slack), 0)

    def mean_of(self, h: Kernel | Callable[[Floats], Floats]) -> np.float64:
        """Return the mean of h(d), a bound where h never falls."""
        mean = super().mean_of(h)
        return self._outward(self.values_exact, mean, _OF_SUMS * np.abs(mean))

    def metric_bound(self, metric: Any, parameters: Mapping[str, Any]) -> Any:
        """Return the bound of a metric on the side of the scores."""
        return bound(metric, self, parameters)

    @cached_property
    def steps(self) -> CellSteps:
        """The counts that the cells keep exactly: those at thresholds between cells."""
        cells = self.cells
        fp, tp = (np.cumsum(w[::-1], dtype=np.float64) for w in (cells.negative, cells.positive))
        return CellSteps(
            tp - cells.positive[::-1], fp - cells.negative[::-1], tp, fp, self.points[::-1]
        )


def edge_scores(cells: ScoreCells, side: Side, rescale: str | None = None) -> EdgeScores:
    """Return the scores of cells that hold some rows, moved to their edges.

    Parameters
    ----------
    cells : ScoreCells
    side : {-1, 0, 1}
        Whether pair means are to be lower bounds, of the middle of cells, or upper bounds.
    rescale : {None, "minmax", "expit"}
        As for metrics of scores.
    """
    reach = _reach_of_classes(cells)
    known = Known.of(cells, *reach)
    places = [cells.known_ends.ravel(), *_places_of_classes(*reach, side)]
    del reach  # as long as all that follows
    mapped = rescaled(np.concatenate(places), rescale)
    places = np.split(mapped[4:], len(places) - 1)
    sides = _safe_counts(*cells.sides)
    return EdgeScores(
        *_ranked(places, *sides[:2]),
        sides[2],
        ends=mapped[:4].reshape(2, 2),
        side=side,
        known=known._replace(order=known.order and (rescale is None or known.values)),
        cells=cells,
    )


def _reach_of_classes(cells: ScoreCells) -> tuple[_Reach, _Reach]:
    """Return the lowest and the highest code that each class can have in every cell.

    They are one object where every cell is one score.
    """
    if cells.first is cells.last or np.array_equal(cells.first, cells.last):
        both = cells.first, cells.last
        return both, both
    p, n = (
        (cells.first.clip(*edges), cells.last.clip(*edges))
        for edges in codes_of(cells.known_ends.ravel()).reshape(2, 2)
    )
    return p, n


def _places_of_classes(p: _Reach, n: _Reach, side: Side) -> list[Floats]:
    """Return the scores of the positives of each cell and of the negatives, once where they are alike.

    The positives are moved toward a side, the negatives away from it.
    """
    codes = [_at(*p, side)] if p is n else [_at(*p, side), _at(*n, -side)]
    return [scores_of(each) for each in codes]


def holds_scores(cells: ScoreCells) -> bool:
    """Whether cells determine the score of every row."""
    wide = 0 if cells.first is cells.last else int(np.count_nonzero(cells.first != cells.last))
    # Only the cells of the four ends may be wide and yet leave one score.
    return not wide or (wide <= cells.ends.size and bool(edge_scores(cells, -1).values_exact))


def _at(low: ScoreCodes, high: ScoreCodes, side: int) -> ScoreCodes:
    """Return the codes at the lower edges, in the middle, or at the upper edges."""
    if side == 0:
        return low + (high - low) // np.uint64(2)
    return low if side < 0 else high


def _safe_counts(positive: Array, negative: Array) -> _Sides:
    """Return counts whose products neither overflow nor vanish, and what a weight of 1 has become."""
    if positive.dtype.kind == "f":
        # A power of two changes no share.
        exponent = -int(np.frexp(max(positive.max(), negative.max()))[1])
        unit = float(np.ldexp(1.0, exponent))
        return positive * unit, negative * unit, unit
    if float(positive.sum()) * float(negative.sum()) > MOST_PAIRS:
        return positive.astype(np.float64), negative.astype(np.float64), 1.0
    return positive, negative, 1.0


def _ranked(
    places: Sequence[Floats], positive: Array, negative: Array
) -> tuple[Floats, Array, Array]:
    """Return the distinct scores of both classes, given one of each, or one of both, a rising cell."""
    columns = [*places, positive, negative]
    values, positive, negative = columns if len(places) == 1 else _both(*columns)
    rises = values[1:] > values[:-1]
    if rises.all():
        return values, positive, negative
    # expit may turn the order of neighbouring floats round by its last bit.
    values = np.maximum.accumulate(values)
    starts = np.append(0, np.flatnonzero(values[1:] != values[:-1]) + 1)
    return values[starts], sums_of_runs(positive, starts), sums_of_runs(negative, starts)


def _both(p: Floats, n: Floats, positive: Array, negative: Array) -> Iterator[Array]:
    """Yield the places of the class with the lower score of each cell and of the other, with counts."""
    first, none = p <= n, positive.dtype.type(0)
    held = np.column_stack(
        [np.where(first, positive, negative) > 0, np.where(first, negative, positive) > 0]
    ).ravel()
    for lower, higher in (
        (np.minimum(p, n), np.maximum(p, n)),
        (np.where(first, positive, none), np.where(first, none, positive)),
        (np.where(first, none, negative), np.where(first, negative, none)),
    ):
        yield np.compress(held, np.column_stack([lower, higher]))
