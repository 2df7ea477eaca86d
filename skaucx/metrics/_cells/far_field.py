r"""Negatives far from a window of positives, replaced by a few that weigh what they count for.

Over a range of negatives that is short beside its distance from the kinks of h, a polynomial through
the values of :math:`h(p - x)` at 16 nodes :math:`x_k` follows it to the last digits, for all p of the
window:

.. math:: \sum_j w_j h(p - n_j) = \sum_k W_k h(p - x_k), \quad W_k = \sum_j w_j \ell_k(n_j),

where :math:`\ell_k` are the Lagrange polynomials of the nodes. A mesh of such ranges, which widen with
their distance, stands for any number of negatives. A node is a negative like any other: lifted again
onto the nodes of a mesh of a narrower window it loses nothing, and in its own place it stays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..._arrays import Array, Bools, Floats
from .._pairs.sums.chebyshev import nodes_within

# Nodes of a range of the mesh: 9.9^-16 = 1e-16.
_NODES = 16
# Floats beside a window that are kept as they are, and of which a range with nodes has at least so many.
_KEPT_FLOATS = 1024
# Scores whose polynomials are evaluated together: their few arrays stay in a core's own cache.
_AT_ONCE = 1 << 12
_LEAST = 5e-324


class Points(NamedTuple):
    """Distinct scores, rising, and what they weigh."""

    values: Floats
    weight: Floats

    @classmethod
    def none(cls) -> Points:
        return cls(np.empty(0), np.empty(0))

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
    """A range near a window, and its ends with room for the floats beside it."""

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
    """Return the near ranges with room for the floats beside them, those that meet as one."""
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
