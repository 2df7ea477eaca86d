"""Windows of scores: what a pass over the rows keeps of them to pair some positives with all negatives.

A *window* holds the distinct scores between two positives, as many as memory allows, and the negatives
near to where a kernel bends for them. All other negatives are far, and a few nodes stand for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Array, Bools, Floats
from ..metrics._pairs.sums.cell_pairs import nodes_within
from ..metrics._records.inputs import rescaled
from ._score_histogram import UNLIMITED, ScoreCells, check_same_rows, codes_of, scores_of

# Nodes of a range of the mesh: 9.9^-16 = 1e-16.
_NODES = 16
# Floats next to a window that are kept as they are, and of which a range with nodes has at least so
# many.
_KEPT_FLOATS = 1024
# Scores whose polynomials are evaluated together: their few arrays stay in a core's own cache.
_AT_ONCE = 1 << 12
_LEAST = 5e-324


class Points(NamedTuple):
    """Distinct scores, rising, and what they weigh."""

    values: Floats
    weight: Floats

    @classmethod
    def of(cls, values: Floats, weight: Floats) -> Points:
        """Return points in order; those of one score become one."""
        order = np.argsort(values, kind="stable")  # finds runs, and merges them
        values = values[order]
        starts = np.flatnonzero(np.append(True, values[1:] != values[:-1])[: len(values)])
        return cls(
            values[starts], np.add.reduceat(weight[order], starts) if len(starts) else weight
        )

    def joined(self, other: Points) -> Points:
        """Return the points of both."""
        if not len(self.values) or not len(other.values):
            return self if len(self.values) else other
        return Points.of(*map(np.concatenate, zip(self, other, strict=True)))


class _Range(NamedTuple):
    """A range near a window, and its ends with room for the floats next to it."""

    outer_low: float
    low: float
    high: float
    outer_high: float

    @property
    def outer(self) -> Floats:
        return np.array([self.outer_low, self.outer_high])


class Mesh(NamedTuple):
    """Neighbouring ranges of scores, and which of them lie near the window.

    Attributes
    ----------
    edges : ndarray of shape (m + 1,), float64
    near : ndarray of shape (m,), bool
    """

    edges: Floats
    near: Bools

    def lifted(self, points: Points) -> Points:
        """Return the points with those in crowded far ranges on the nodes."""
        first = np.searchsorted(points.values, self.edges)
        first[-1] = len(points.values)
        sizes = np.diff(first)
        ends = np.abs(self.edges)
        floats = np.spacing(np.maximum(ends[1:], ends[:-1]))
        wide = np.diff(self.edges) > _KEPT_FLOATS / 4 * floats
        crowded = np.flatnonzero((sizes > _NODES) & ~self.near & wide)
        if not len(crowded):
            return points
        lifted = np.zeros(len(sizes), dtype=bool)
        lifted[crowded] = True
        chosen = np.zeros(len(points.values), dtype=bool)
        chosen[first[0] :] = np.repeat(lifted, sizes)
        far = Points(points.values[chosen], points.weight[chosen])
        nodes = nodes_within(self.edges[crowded], self.edges[crowded + 1], _NODES)
        weight = _of_nodes(far, sizes[crowded], nodes)
        rest = Points(points.values[~chosen], points.weight[~chosen])
        return rest.joined(Points(nodes.ravel(), weight.ravel()))


def _of_nodes(points: Points, sizes: Array, nodes: Floats) -> Floats:
    """Return the weights of the nodes of each range; the points of ranges follow each other."""
    half = (nodes[:, -1:] - nodes[:, :1]) / 2
    apart = (nodes[:, :, None] - nodes[:, None]) / half[:, None]
    apart[:, np.arange(_NODES), np.arange(_NODES)] = 1
    of_node = 1 / apart.prod(axis=2)  # barycentric; of the nodes as they are rounded
    found = np.zeros_like(nodes)
    place = np.repeat(np.arange(len(sizes)), sizes)
    for start in range(0, len(place), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        at = place[part]
        offset = points.values[part, None] - nodes[at]
        offset /= half[at]
        met = offset == 0
        offset[met] = 1
        # The shares of a point x: l_k(x) = (w_k / (x - x_k)) / sum over j of w_j / (x - x_j).
        share = of_node[at] / offset
        share /= share.sum(axis=1, keepdims=True)
        rows = met.any(axis=1)
        share[rows] = met[rows]
        share *= points.weight[part, None]
        starts = np.flatnonzero(np.append(True, at[1:] != at[:-1]))
        found[at[starts]] += np.add.reduceat(share, starts, axis=0)
    return found


def distances(width: Callable[[float], float], span: float) -> Floats | None:
    """Return rising distances, each range between two of them as wide as `width` of the lower allows.

    None where they come to no end.
    """
    found = [_KEPT_FLOATS * _LEAST]
    while found[-1] < 2 * span and len(found) < 1 << 15:
        found.append(found[-1] + width(found[-1]))
    return np.array(found) if found[-1] >= 2 * span else None


def mesh(
    near: Sequence[tuple[float, float]], distance: Floats, lowest: float, highest: float
) -> Mesh:
    """Return the mesh of all scores that is graded towards some near ranges."""
    ranges = _apart(near, distance)
    first, last = ranges[0], ranges[-1]
    parts = [-_graded(-first.low, -first.outer_low, -lowest, distance)[::-1]]
    for here, following in pairwise(ranges):
        parts += [here.outer, _between(here, following, distance)]
    parts += [last.outer, _graded(last.high, last.outer_high, highest, distance)]
    edges = np.concatenate(parts)
    starts_near = np.isin(edges[:-1], [each.outer_low for each in ranges])
    # No node lies beyond the ends: the span stays as it is.
    return Mesh(edges.clip(lowest, highest), starts_near)


def _apart(near: Sequence[tuple[float, float]], distance: Floats) -> list[_Range]:
    """Return the near ranges with room for the floats next to them, those that meet as one."""
    found: list[_Range] = []
    rooms = [
        [distance[np.searchsorted(distance, _KEPT_FLOATS * np.spacing(abs(e)))] for e in ends]
        for ends in near
    ]
    every = [
        _Range(low - below, low, high, high + above)
        for (low, high), (below, above) in zip(near, rooms, strict=True)
    ]
    for one in sorted(every):
        if found and one.outer_low <= found[-1].outer_high:
            before = found.pop()
            low, high = min(before.low, one.low), max(before.high, one.high)
            one = _Range(before.outer_low, low, high, max(before.outer_high, one.outer_high))
        found.append(one)
    return found


def _graded(end: float, outer: float, limit: float, distance: Floats) -> Floats:
    """Return the edges above `outer`, graded from the end of a range, to just past a limit."""
    edges = end + distance
    edges = edges[edges > outer]
    return edges[: int(np.searchsorted(edges, limit)) + 1]


def _between(here: _Range, following: _Range, distance: Floats) -> Floats:
    """Return the edges strictly between two near ranges, from both up to the middle."""
    gap = following.low - here.high
    last = int(np.searchsorted(distance, gap / 2, side="right"))
    edges = np.concatenate([here.high + distance[:last], following.low - distance[:last][::-1]])
    width = np.diff(distance[max(last - 1, 0) :][:2]).sum()
    if last and gap - 2 * distance[last - 1] > width:
        edges = np.insert(edges, last, here.high + gap / 2)
    return np.unique(edges[(edges > here.outer_high) & (edges < following.outer_low)])


# How far from a kink the rounding of differences may put a pair, in units of the last place.
_ROUNDING = 4


@dataclass(frozen=True, eq=False)
class Window:
    """A range of scores whose positives are paired with all negatives.

    Parameters
    ----------
    first, last : float
        The lowest positive of the range and the highest score that it may hold.
    ends : ndarray of shape (2, 2), float64
        The lowest and the highest score of the positives, then of the negatives, before rescaling.
    rescale : {None, "minmax", "expit"}
    kinks : tuple of float
        The differences other than 0 at which kernels bend.
    distance : ndarray
        Of the edges of a mesh from the window.
    most : int
        The greatest number of distinct scores.
    paired : bool
        Whether anything is summed over pairs, for which the negatives beyond are kept.
    """

    first: float
    last: float
    ends: Floats
    rescale: str | None
    kinks: tuple[float, ...]
    distance: Floats
    most: int
    paired: bool = True

    def count(
        self, truth: Bools, score: Floats, weight: Floats | None, before: Any = None
    ) -> WindowRows:
        """Count the rows in the window, and lift those that are far."""
        mapped = rescaled(np.concatenate([self.ends.ravel(), score]), self.rescale)[4:]
        cells = ScoreCells.count(truth, mapped, weight, UNLIMITED)
        window = self if before is None else before.window
        above = np.zeros((2, 2), dtype=cells.positive.dtype)
        others = Points(np.empty(0), np.empty(0))
        found = WindowRows(replace(self, last=np.inf), cells, others, above, np.inf)
        found = found._divided(np.searchsorted(cells.first, WindowRows._code(self.first)), 0)
        return found.until(window.last).within_limit().lifted()

    @property
    def mapped_ends(self) -> Floats:
        """The ends after rescaling, in the order of `ends`."""
        return rescaled(self.ends.ravel(), self.rescale)

    @property
    def near(self) -> list[tuple[float, float]]:
        """The ranges of negatives near to which a kernel bends."""
        found = [(self.first, self.last)]
        for kink in self.kinks:
            slack = self.slack(kink)
            found.append((self.first - kink - slack, self.last - kink + slack))
        return found

    def slack(self, kink: float) -> float:
        """Return how far from a kink the rounding of differences is felt."""
        return _ROUNDING * float(np.spacing(max(abs(self.first), abs(self.last), abs(kink))))


@dataclass(frozen=True, eq=False)
class WindowRows:
    """What a window keeps of rows.

    Parameters
    ----------
    window : Window
    held : ScoreCells
        A cell for each distinct score within.
    others : Points
        The negatives beyond, or nodes in their place.
    beyond : ndarray of shape (2, 2)
        The positives below the window and above it, then the negatives.
    following : float
        The lowest positive above it.
    """

    window: Window
    held: ScoreCells
    others: Points
    beyond: Array
    following: float

    def __add__(self, other: WindowRows) -> WindowRows:
        """Return what is kept of the rows of both."""
        last = min(self.window.last, other.window.last)
        mine, others = self.until(last), other.until(last)
        both = WindowRows(
            mine.window,
            mine.held + others.held,
            mine.others.joined(others.others),
            mine.beyond + others.beyond,
            min(mine.following, others.following),
        )
        return both.within_limit().lifted()

    def until(self, last: float) -> WindowRows:
        """Return the rows of a window that ends earlier."""
        if last == self.window.last:
            return self
        stop = np.searchsorted(self.held.first, self._code(last), side="right")
        return replace(self._divided(stop, 1), window=replace(self.window, last=last))

    @staticmethod
    def _code(score: float) -> np.uint64:
        return codes_of(np.array([score]))[0]

    def _divided(self, place: np.intp, above: int) -> WindowRows:
        """Return the rows without those before a place, or without those behind it."""
        parts = np.arange(place), np.arange(place, len(self.held))
        out, kept = parts[above], parts[1 - above]
        if not len(out):
            return self
        cells, beyond = self.held.taken(out), self.beyond.copy()
        beyond[:, above] += [side.sum() for side in cells.sides]
        values = scores_of(cells.first)
        positive, negative = (side > 0 for side in cells.sides)
        lowest = values[positive].min(initial=np.inf) if above else np.inf
        negative &= self.window.paired
        points = Points(values[negative], cells.negative[negative].astype(np.float64))
        return replace(
            self,
            held=replace(self.held.taken(kept), level=0),
            others=self.others.joined(points),
            beyond=beyond,
            following=min(self.following, float(lowest)),
        )

    def within_limit(self) -> WindowRows:
        """Return the rows of as long a window as the limit allows, which ends at a positive."""
        first, last = self.window.first, self.window.last
        ends = scores_of(self.held.first[self.held.positive > 0])
        lasts = np.concatenate([[first], ends[(ends > first) & (ends < last)], [last]])
        sizes = np.searchsorted(scores_of(self.held.first), lasts, side="right")
        for kink in self.window.kinks:
            slack = self.window.slack(kink)
            start = np.searchsorted(self.others.values, first - kink - slack)
            stop = lasts - kink + slack
            stop = np.minimum(stop, first) if kink > 0 else stop
            sizes += np.maximum(np.searchsorted(self.others.values, stop) - start, 0)
        fitting = np.flatnonzero(sizes <= self.window.most)
        return self.until(float(lasts[fitting[-1] if len(fitting) else 0]))

    def lifted(self) -> WindowRows:
        """Return the rows with nodes in the place of far negatives."""
        others = self.others
        if not len(others.values):
            return self
        if self.window.last == self.window.first:
            # The differences of one positive are what counts: negatives that give the same are one.
            values = self.window.first - (self.window.first - others.values)
            others = Points.of(values, others.weight)
        ends = self.window.mapped_ends
        far = mesh(self.window.near, self.window.distance, ends.min(), ends.max())
        return replace(self, others=far.lifted(others))

    def check_same_rows(self, cells: ScoreCells) -> None:
        """Refuse rows that are not those of the cells."""
        found = zip(self.beyond, self.held.sides, strict=True)
        for side, (beyond, held) in zip(cells.sides, found, strict=True):
            check_same_rows(side.sum(), beyond.sum() + held.sum())
