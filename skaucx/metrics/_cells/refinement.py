"""Cells split where they cost a bound most, by another pass over the rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..._arrays import Bools, Codes, Floats
from .cells import UNLIMITED, ScoreCells, check_same_rows, merged
from .codes import ScoreCodes, codes_of, scores_of

# The least number of bits by which a pass tells rows apart.
_LEAST_BITS = 6


@dataclass(frozen=True, eq=False)
class Split:
    """Cells that are counted again, in finer cells.

    Parameters
    ----------
    first, last : ndarray of shape (m,), uint64
        The codes of the lowest and the highest float of each.
    kept : ndarray of shape (m,), uint64
        The mask of the bits by which the rows of each are told apart.
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
