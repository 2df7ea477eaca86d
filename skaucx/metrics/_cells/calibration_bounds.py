"""Bounds of the calibration error from cells of probabilities."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._arrays import Codes, Floats
from .codes import codes_of, scores_of
from .score_histogram import ScoreCells

# Sums over bins, here and in memory, lie within this of the exact ones.
_OF_SUMS = 1e-12
# Shares of the weight are compared with those of bins up to this rounding.
_ROUNDING = 1e-9


class Bins(NamedTuple):
    """What bins hold: for sure in cells that lie within them, and at most in those cut by their ends.

    Attributes
    ----------
    total, positive : ndarray of shape (n_bins,), float64
        Of the cells within.
    low, high : ndarray of shape (n_bins,), float64
        Between which the positives less the sum of the probabilities lie.
    more, more_positive : ndarray of shape (n_bins,), float64
        What the cut cells may add to the first two.
    """

    total: Floats
    positive: Floats
    low: Floats
    high: Floats
    more: Floats
    more_positive: Floats

    @property
    def most(self) -> Floats:
        """What they hold at most."""
        return self.total + self.more

    @classmethod
    def of(cls, cells: ScoreCells, n_bins: int, strategy: str) -> Bins:
        """Sort the cells into bins."""
        reach = codes_of(np.array([cells.ends[:, 0].min(), cells.ends[:, 1].max()]))
        low, high = (scores_of(edge.clip(*reach)).clip(0, 1) for edge in (cells.first, cells.last))
        positive, negative = (side.astype(np.float64) for side in cells.sides)
        total = positive + negative
        first, last = _ends_of_cells(low, high, total, n_bins, strategy, weighted=cells.weighted)
        inside, cut = np.flatnonzero(first == last), np.flatnonzero(first != last)

        def sums(weight: Floats) -> Floats:
            return np.asarray(np.bincount(first[inside], weight[inside], n_bins), dtype=np.float64)

        def may_add(weight: Floats) -> Floats:
            """Sum over the bins that each cut cell touches."""
            ends = (first[cut], 1), (last[cut] + 1, -1)
            steps = sum(sign * np.bincount(at, weight[cut], n_bins + 1) for at, sign in ends)
            return np.maximum(np.cumsum(steps)[:-1], 0)

        return cls(
            sums(total),
            sums(positive),
            sums(positive - total * high) - may_add(negative * high),
            sums(positive - total * low) + may_add(positive * (1 - low)),
            may_add(total),
            may_add(positive),
        )


def calibration_error_bound(
    cells: ScoreCells,
    upper: bool,
    *,
    norm: str,
    n_bins: int,
    strategy: str,
    debias: bool,
    **others: Any,
) -> float:
    """Bound the distance of frequencies from probabilities over bins.

    Within a bin the positives less the sum of the probabilities lie between those of all scores at the
    upper and at the lower edges of their cells; cells that an end of the bin cuts belong to it or not.
    """
    # With d_k = sum y - sum p of bin k of size n_k: l1 is sum |d_k| / n, l2^2 is sum d_k^2 / n_k / n.
    b, whole = Bins.of(cells, n_bins, strategy), float(cells.total)
    slack = _OF_SUMS if upper else -_OF_SUMS
    if upper:
        distance = np.maximum(np.abs(b.low), np.abs(b.high))
        ratio = np.minimum(_over(distance, b.total, 1.0), 1.0) * (b.most > 0)
    else:
        distance = np.maximum(np.maximum(b.low, -b.high), 0)
        ratio = _over(distance, b.most, 0.0)
    if norm == "max":
        return float(ratio.max()) + slack
    if norm == "l1":
        return float(distance.sum() / whole) + slack
    squares = distance * ratio
    if debias:
        squares = _without_variance(b, squares, upper, weighted=cells.weighted)
    return float(np.sqrt(max(squares.sum() / whole, 0))) + slack


def _without_variance(b: Bins, squares: Floats, upper: bool, *, weighted: bool) -> Floats:
    """Bound squares less the variance of the frequency, rate (1 - rate) / (size - 1), times the size.

    A bin of size 1 counts nothing.
    """
    if weighted:  # a size may come as near to 1 as it likes
        return squares if upper else np.full_like(squares, -np.inf)
    rates = (
        _over(b.positive, b.most, 0.0),
        np.minimum(_over(b.positive + b.more_positive, b.total, 1.0), 1.0),
    )
    ends = [rate * (1 - rate) for rate in rates]
    if upper:
        return squares - b.total * _over(np.minimum(*ends), b.most - 1, 0.0)
    # r (1 - r) is greatest at 1/2 where that lies between the rates, else at the one nearer to it.
    spread = np.where((rates[0] <= 0.5) & (rates[1] >= 0.5), 0.25, np.maximum(*ends))
    return np.where(b.total > 1, squares, 0) - b.most * _over(spread, b.total - 1, 0.25)


def _ends_of_cells(
    low: Floats, high: Floats, total: Floats, n_bins: int, strategy: str, *, weighted: bool
) -> tuple[Codes, Codes]:
    """Return the first and the last bin that the rows of each cell may lie in."""
    if strategy == "uniform":
        edges = np.linspace(0, 1, n_bins + 1)[1:-1]
        return np.searchsorted(edges, low), np.searchsorted(edges, high)
    above = np.cumsum(total)
    first = above - total
    last = np.where(low == high, first, above - (not weighted))
    # Sums of weights in memory are rounded elsewhere.
    shift = _ROUNDING if weighted else 0.0

    def bins(below: Floats, shift: float) -> Codes:
        found = np.floor(below / above[-1] * n_bins + _ROUNDING + shift)
        return np.clip(found, 0, n_bins - 1).astype(np.intp)

    return bins(first, -shift), bins(last, shift)


def _over(part: Floats, whole: Floats, empty: float) -> Floats:
    return np.divide(part, whole, out=np.full(len(part), empty), where=whole > 0)
