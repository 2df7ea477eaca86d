"""Pairs within cells counted by another pass over the rows; only how many are wins and ties is kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..._arrays import Array, Bools, Codes, Floats
from .cells import UNLIMITED, ScoreCells, check_same_rows
from .codes import ScoreCodes


@dataclass(frozen=True, eq=False)
class Settling:
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
    plan : Settling
    cells : ScoreCells
        A cell for each distinct score.
    ranks : int
        Those of the plan's cells below it are held.
    """

    plan: Settling
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


def unsettled(cells: ScoreCells) -> Floats:
    """Return the share of all pairs that may go either way within each cell."""
    pairs = max(float(cells.positive.sum()), 1.0) * max(float(cells.negative.sum()), 1.0)
    known = (cells.first == cells.last) | cells.within.of(cells.first)
    own = cells.positive.astype(np.float64) * cells.negative / pairs
    return np.where(known, 0.0, own)


def settling(cells: ScoreCells, share: Floats, tolerance: float, most: int) -> Settling | None:
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
    return Settling(cells.first[chosen], cells.last[chosen], rank, most)
