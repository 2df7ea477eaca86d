"""Wins and ties between every two classes, each column of a score matrix searched once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ..._arrays import Array, Codes, Floats
from .sums.elementary import cumulative


class ClassPairs:
    """The shares of pairs won and tied between every two classes a and b, of shape (2, n_pairs).

    In row 0 class a is positive and its own column is the score, in row 1 class b. Formulas that read
    more of a ranking than these shares meet an `AttributeError`.

    Parameters
    ----------
    score : ndarray of shape (n, n_classes), float64
    rows_of_class : list of ndarray of int
        The rows of the class of each column.
    weight : ndarray of shape (n,), float64, or None
    pairs : sequence of (int, int)
        The columns of a and b.
    """

    def __init__(
        self,
        score: Floats,
        rows_of_class: Sequence[Codes],
        weight: Floats | None,
        pairs: Sequence[tuple[int, int]],
    ) -> None:
        self._score, self._rows, self._weight = score, rows_of_class, weight
        self._ways = tuple(np.array(pairs).T)

    @cached_property
    def win_share(self) -> Floats:
        """The share of pairs with d > 0."""
        return self._both_ways(self._sums[0])

    @cached_property
    def tie_share(self) -> Floats:
        """The share of pairs with d = 0."""
        return self._both_ways(self._sums[1])

    def _both_ways(self, sums: Floats) -> Floats:
        a, b = self._ways
        shares = sums / np.multiply.outer(self._totals, self._totals)
        return np.stack([shares[a, b], shares[b, a]])

    @cached_property
    def _unit_weight(self) -> Floats | None:
        """The weights times a power of two that keeps their products within the floats."""
        weight = self._weight
        return None if weight is None else np.ldexp(weight, -int(np.frexp(weight.max())[1]))

    @cached_property
    def _totals(self) -> Floats:
        """What each class weighs."""
        weight = self._unit_weight
        totals = [len(rows) if weight is None else weight[rows].sum() for rows in self._rows]
        return np.array(totals, dtype=np.float64)

    @cached_property
    def _sums(self) -> tuple[Floats, Floats]:
        """The weight of the pairs won and of those tied, by positive and by negative class."""
        order = np.concatenate(self._rows)
        starts = np.cumsum([0, *map(len, self._rows[:-1])])
        held = np.flatnonzero([len(rows) for rows in self._rows])
        weight = None if self._unit_weight is None else self._unit_weight[order]
        won, tied = np.zeros((2, len(self._rows), len(self._rows)))
        for k, own in enumerate(self._rows):
            above, alike = self._against(self._score[own, k], own, self._score[order, k])
            for sums, each in ((won, above), (tied, alike)):
                each = each if weight is None else each * weight
                sums[k, held] = np.add.reduceat(each, starts[held])
        return won, tied

    def _against(self, positives: Floats, own: Codes, scores: Floats) -> tuple[Array, Array]:
        """Return the weight of the positives above each score, and of those equal to it."""
        order = positives.argsort()
        left, right = (positives[order].searchsorted(scores, side) for side in ("left", "right"))
        if self._unit_weight is None:
            return len(own) - right, right - left
        weight = self._unit_weight[own[order]]
        below, above = cumulative(weight), cumulative(weight[::-1])[::-1]
        return above[right], below[right] - below[left]
