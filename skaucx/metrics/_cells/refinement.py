"""Cells split where they cost a bound most, by another pass over the rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..._arrays import Array, Bools, Codes, Floats
from .codes import ScoreCodes, codes_of, scores_of
from .score_histogram import UNLIMITED, ScoreCells, check_same_rows, merged

# The least number of bits by which a pass distinguishes rows.
_LEAST_BITS = 6


@dataclass(frozen=True, eq=False)
class Split:
    """Cells that are counted again, in finer cells.

    Parameters
    ----------
    first, last : ndarray of shape (m,), uint64
        The codes of the lowest and the highest float of each.
    kept : ndarray of shape (m,), uint64
        The mask of the bits that distinguish the rows of each.
    """

    first: ScoreCodes
    last: ScoreCodes
    kept: ScoreCodes

    def count(
        self, truth: Bools, score: Floats, weight: Floats | None, before: Any = None
    ) -> ScoreCells:
        """Count the rows that fall into the cells."""
        codes = codes_of(score)
        place = np.searchsorted(self.first, codes, side="right") - 1
        inside = np.flatnonzero((place >= 0) & (codes <= self.last[place]))
        if not len(inside):
            return ScoreCells.empty(UNLIMITED)
        exact = ScoreCells.count(
            truth[inside], score[inside], None if weight is None else weight[inside], UNLIMITED
        )
        place = np.searchsorted(self.first, exact.first, side="right") - 1
        kept = self.kept[place]
        first = np.maximum(exact.first & kept, self.first[place])
        last = np.minimum(exact.last | ~kept, self.last[place])
        return replace(exact.grouped(first, last), level=None)

    def put_into(self, cells: ScoreCells, finer: ScoreCells) -> ScoreCells:
        """Return the cells with the finer ones in the place of those that were split."""
        chosen = np.isin(cells.first, self.first, assume_unique=True)
        rest = replace(cells.taken(~chosen), max_cells=UNLIMITED)
        whole = cells.taken(chosen)
        for side, again in zip(whole.sides, finer.sides, strict=True):
            check_same_rows(side, again)
        both = merged([rest, finer])
        return replace(both, max_cells=UNLIMITED, ends=cells.ends, level=None, within=cells.within)


def costs(cells: ScoreCells, *, values: bool) -> Floats:
    """Return what each cell can add to the width of the bounds, up to a factor.

    Within a cell p n of all P N pairs may go either way, and the precision at which its positives are
    found; where score values count, every score may lie anywhere between the edges.
    """
    total = [max(float(side.sum()), 1.0) for side in cells.sides]
    p, n = (side / whole for side, whole in zip(cells.sides, total, strict=True))
    called = np.cumsum((cells.positive + cells.negative)[::-1], dtype=np.float64)[::-1]
    own = cells.positive + cells.negative
    lone = cells.first == cells.last
    found = p * np.where(own > 1, own, 0) / called
    cost = p * n + found
    # Precision meets recall in the cell where as many are called positive as there are positives.
    meeting = np.searchsorted(-called, -total[0], side="right") - 1
    cost[meeting] += own[meeting] / called[0]
    if values:
        reach = [
            scores_of(edge.clip(*codes_of(_outer(cells)))) for edge in (cells.first, cells.last)
        ]
        width = np.clip(reach[1] - reach[0], np.finfo(np.float64).tiny, 1.0)
        cost = cost + (p + n) * width
    return np.where(lone | cells.within.of(cells.first), 0.0, cost)


def _outer(cells: ScoreCells) -> Floats:
    return np.array([cells.ends[:, 0].min(), cells.ends[:, 1].max()])


def split(cells: ScoreCells, cost: Floats, tolerance: float, most: int) -> Split | None:
    """Return the split of the costliest cells whose others cost less than the tolerance.

    It makes at most `most` cells; None where no cell can be split.
    """
    order = np.argsort(-cost, kind="stable")
    order = order[cost[order] > 0]
    remaining = np.append(np.cumsum(cost[order][::-1])[::-1], 0.0)
    chosen = order[: int(np.argmax(remaining <= tolerance / 4))] if len(order) else order
    while len(chosen):
        plan = _finest(cells, np.sort(chosen), most)
        if plan is not None:
            return plan
        chosen = chosen[: len(chosen) // 2]
    return None


def _finest(cells: ScoreCells, chosen: Codes, most: int) -> Split | None:
    """Return the split of all chosen cells into no more than `most`, None if there is no such."""
    first, last = cells.first[chosen], cells.last[chosen]
    bits = np.frexp((first ^ last).astype(np.float64))[1]
    rows = np.inf if cells.weighted else (cells.positive + cells.negative)[chosen]
    # A few bits a pass, or the passes do not come to an end.
    for more in range(int(bits.max()), min(_LEAST_BITS, int(bits.max())) - 1, -1):
        if np.minimum(2.0 ** np.minimum(bits, more), rows).sum() <= most:
            dropped = np.maximum(bits - more, 0).astype(np.uint64)
            return Split(first, last, ~((np.uint64(1) << dropped) - np.uint64(1)))
    return None


@dataclass(frozen=True, eq=False)
class PairCount:
    """Cells whose pairs are counted, as many of the first in `rank` as memory holds.

    A pass keeps the distinct scores of the cells. Where they grow too many, the cells of the last ranks
    are left to another pass: which are, follows from the set of rows alone.

    Parameters
    ----------
    first, last : ndarray of shape (m,), uint64
        The codes of the lowest and of the highest float of each cell; the cells rise, disjoint.
    rank : ndarray of shape (m,), int
        0 for the cell that comes first.
    most : int
        The greatest number of distinct scores.
    """

    first: ScoreCodes
    last: ScoreCodes
    rank: Codes
    most: int

    def count(
        self, truth: Bools, score: Floats, weight: Floats | None, before: Any = None
    ) -> Scores:
        """Count the distinct scores of the rows that fall into the cells."""
        exact = ScoreCells.count(truth, score, weight, UNLIMITED)
        ranks = len(self.rank) if before is None else before.ranks
        return Scores(self, exact, len(self.rank)).of_ranks(ranks).within_limit()

    def put_into(self, cells: ScoreCells, found: Scores) -> ScoreCells:
        """Return the cells with the pairs of those counted whose distinct scores memory held."""
        held = np.flatnonzero(self.rank < found.ranks)
        if not len(held):
            return cells
        first = self.first[held]
        of_cell = np.searchsorted(first, found.cells.first, side="right") - 1
        positive, negative = found.cells.sides
        starts = np.flatnonzero(np.diff(of_cell, prepend=-1))
        below = np.append(0, np.cumsum(negative))
        whole = cells.taken(np.isin(cells.first, first, assume_unique=True))
        for before, again in zip(whole.sides, found.cells.sides, strict=True):
            check_same_rows(before, again)
        own = below[:-1] - below[starts][of_cell]
        wins, ties = (positive * own).sum().item(), (positive * negative).sum().item()
        return replace(cells, within=cells.within.joined_by(first, wins, ties))


@dataclass(frozen=True, eq=False)
class Scores:
    """The distinct scores of the cells of a plan, as far as they fit.

    Parameters
    ----------
    plan : PairCount
    cells : ScoreCells
        A cell for each distinct score.
    ranks : int
        Those of the plan's cells below it are held.
    """

    plan: PairCount
    cells: ScoreCells
    ranks: int

    def __add__(self, other: Scores) -> Scores:
        """Return the distinct scores of the rows of both."""
        ranks = min(self.ranks, other.ranks)
        mine, others = (part.of_ranks(ranks).cells for part in (self, other))
        return Scores(self.plan, mine + others, ranks).within_limit()

    def of_ranks(self, ranks: int) -> Scores:
        """Return the scores of the cells below a rank."""
        place = self._places
        inside = self.cells.first <= self.plan.last[place]
        inside &= (place >= 0) & (self.plan.rank[place] < ranks)
        if inside.all():
            return replace(self, ranks=ranks)
        return replace(self, cells=replace(self.cells.taken(inside), level=0), ranks=ranks)

    def within_limit(self) -> Scores:
        """Return the scores of as many cells as the limit allows."""
        if len(self.cells) <= self.plan.most:
            return self
        sizes = np.bincount(self.plan.rank[self._places], minlength=self.ranks)
        return self.of_ranks(int(np.searchsorted(np.cumsum(sizes), self.plan.most, side="right")))

    @property
    def _places(self) -> Array:
        return np.searchsorted(self.plan.first, self.cells.first, side="right") - 1


def undecided(cells: ScoreCells) -> Floats:
    """Return the share of all pairs that may go either way within each cell."""
    pairs = max(float(cells.positive.sum()), 1.0) * max(float(cells.negative.sum()), 1.0)
    known = (cells.first == cells.last) | cells.within.of(cells.first)
    own = cells.positive.astype(np.float64) * cells.negative / pairs
    return np.where(known, 0.0, own)


def pair_count(cells: ScoreCells, share: Floats, tolerance: float, most: int) -> PairCount | None:
    """Return the plan to count the pairs of the cells that hold most of them; None if none is left.

    Parameters
    ----------
    cells : ScoreCells
    share : ndarray of shape (n_cells,), float64
        As :func:`unsettled` returns it.
    tolerance : float
        The share of the pairs that may stay open.
    most : int
        The greatest number of distinct scores that a pass holds.
    """
    order = np.argsort(-share, kind="stable")
    order = order[share[order] > 0]
    remaining = np.append(np.cumsum(share[order][::-1])[::-1], 0.0)
    order = order[: int(np.argmax(remaining <= tolerance / 4))]
    if not len(order):
        return None
    chosen = np.sort(order)
    rank = np.empty(len(order), dtype=np.intp)
    rank[np.searchsorted(chosen, order)] = np.arange(len(order))
    return PairCount(cells.first[chosen], cells.last[chosen], rank, most)
