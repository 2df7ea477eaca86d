"""How two measures order the same pairs of things."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from .._arrays import Codes, Floats, check_same_length, score_array
from .._text.html import table

# Values of measures that lie no further apart are equal: sums of six scores round by 1e-15.
TIE = 1e-12


@dataclass(frozen=True)
class PairOrders:
    """In how many pairs of things two measures agree and differ.

    Parameters
    ----------
    same : int
        Pairs that both order, alike.
    reversed : int
        Pairs that both order, one against the other.
    first_only, second_only : int
        Pairs that only the first, or only the second, measure tells apart.
    neither : int
        Pairs that neither tells apart.
    """

    same: int
    reversed: int
    first_only: int
    second_only: int
    neither: int

    def _repr_html_(self) -> str:
        """Show the counts in a notebook."""
        counts = asdict(self)
        return table("pairs", [*counts], [[*counts.values()]])

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return self.same + self.reversed + self.first_only + self.second_only + self.neither

    @property
    def different(self) -> int:
        """The pairs that the two order differently: one against the other, or one only."""
        return self.reversed + self.first_only + self.second_only


def pair_orders(first: Any, second: Any) -> PairOrders:
    """Count in how many pairs two measures of the same things agree and differ.

    By counting inversions, in O(m log m). Values within 1e-12 of a neighbour are equal to it.

    Parameters
    ----------
    first, second : array-like of shape (m,)
        The value of each thing by one measure and by the other.

    Returns
    -------
    PairOrders

    Examples
    --------
    >>> from skaucx.study import pair_orders
    >>> pair_orders([1, 2, 3, 3], [10, 30, 20, 20])
    PairOrders(same=3, reversed=2, first_only=0, second_only=0, neither=1)
    """
    a, b = _ranks(score_array(first, "first")), _ranks(score_array(second, "second"))
    check_same_length({"first": a, "second": b})
    order = np.lexsort((b, a))
    inversions = count_inversions(b[order])
    ties_a, ties_b = _ties(a), _ties(b)
    ties_both = _ties(np.unique(a * len(b) + b, return_inverse=True)[1])
    pairs = len(a) * (len(a) - 1) // 2
    return PairOrders(
        same=pairs - ties_a - ties_b + ties_both - inversions,
        reversed=inversions,
        first_only=ties_b - ties_both,
        second_only=ties_a - ties_both,
        neither=ties_both,
    )


def count_inversions(values: Codes) -> int:
    """Count the pairs that stand in strictly falling order, by merging sorted runs.

    Every level sorts rows of two sorted runs, which a stable sort merges in one sweep; a member of
    the left run is inverted with those of the right run that land before it.
    """
    length = 1 << max(len(values) - 1, 0).bit_length()
    runs = np.full(length, values.max(initial=0))
    runs[: len(values)] = values
    runs, total = runs[:, None], 0
    while len(runs) > 1:
        rows = runs.reshape(len(runs) // 2, -1)
        order = np.argsort(rows, axis=1, kind="stable")
        from_right = order >= rows.shape[1] // 2
        total += int(np.cumsum(from_right, axis=1)[~from_right].sum())
        runs = np.take_along_axis(rows, order, axis=1)
    return total


def _ranks(values: Floats) -> Codes:
    """Number the values from the lowest, those within `TIE` of a neighbour alike."""
    order = np.argsort(values, kind="stable")
    steps = np.diff(values[order], prepend=values[order[:1]]) > TIE
    rank = np.empty(len(values), dtype=np.intp)
    rank[order] = np.cumsum(steps)
    return rank


def _ties(rank: Codes) -> int:
    count = np.bincount(rank)
    return int((count * (count - 1) // 2).sum())
