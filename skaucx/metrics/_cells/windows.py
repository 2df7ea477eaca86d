"""Windows of scores: what a pass over the rows keeps of them to pair some positives with all negatives.

A *window* holds the distinct scores between two positives, as many as memory allows, and the negatives
near to where a kernel bends for them. All other negatives are far, and a few nodes stand for them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..._arrays import Array, Bools, Floats
from .._records.rescaling import rescaled
from .cells import UNLIMITED, ScoreCells, check_same_rows
from .codes import codes_of, scores_of
from .far_field import Mesh, Points, mesh

# How far beside a kink the rounding of differences may put a pair, in units of the last place.
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
        found = WindowRows(replace(self, last=np.inf), cells, Points.none(), above, np.inf)
        return found.from_first().until(window.last).within_limit().lifted()

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

    @property
    def mesh(self) -> Mesh:
        """The mesh on which far negatives are lifted."""
        ends = self.mapped_ends
        return mesh(self.near, self.distance, ends.min(), ends.max())


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

    def from_first(self) -> WindowRows:
        """Return the rows without those below the window."""
        return self._divided(np.searchsorted(self.held.first, self._code(self.window.first)), 0)

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
        return replace(self, others=self.window.mesh.lifted(others))

    def check_same_rows(self, cells: ScoreCells) -> None:
        """Refuse rows that are not those of the cells."""
        found = zip(self.beyond, self.held.sides, strict=True)
        for side, (beyond, held) in zip(cells.sides, found, strict=True):
            check_same_rows(side, np.append(beyond, held.sum()))
