"""Bounds of metrics of scores from cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Bools, Codes, Floats, quotient
from ..metrics._pairs.placements import ENDS
from ..metrics._records.counts import Counts
from ._score_histogram import ScoreCells, codes_of, scores_of
from ._summing import KNOWN, SUMMED, PairSum, SummedScores, sums_read_by

# Sums over thresholds, here and in memory, lie within this of the exact ones, relatively.
_OF_STEPS = 1e-12


class CellSteps(NamedTuple):
    """True and false positives before and after each cell, thresholds falling; which hold one score."""

    tp_before: Floats
    fp_before: Floats
    tp: Floats
    fp: Floats
    point: Bools


def average_precision_bound(c: CellSteps, upper: bool) -> float:
    r"""Bound the sum of the precisions at which recall grows.

    With F false positives after a cell the i-th of its positives is found at a precision of at least
    f(i) = (TP + i) / (TP + i + F), concave and rising, so that
    :math:`\sum_{i=1}^p f(i) \ge p (f(0) + f(p)) / 2`. At most, all are found before its negatives.
    """
    # p positives above f false ones: sum_i (TP + i) / (TP + i + F) <= p (TP + p) / (TP + p + F_before)
    if upper:
        least = most = _precision(c.tp, c.fp_before)
    else:
        least, most = _precision(c.tp_before, c.fp), _precision(c.tp, c.fp)
    found = np.where(c.point, _precision(c.tp, c.fp), (least + most) / 2)
    return _mean_over_positives(c, found)


def pr_auc_bound(c: CellSteps, upper: bool) -> float:
    r"""Bound the area under precision against recall, interpolated or by trapezoids.

    Within a cell precision is at least f(i) = (TP + i) / (TP + i + F), concave, so that any subdivision
    covers no less than the chord, and at most g(i), the same with the false positives before the cell,
    so that it covers no more than :math:`\int g \le p\, g(p / 2)`.
    """
    if upper:
        within = _precision((c.tp + c.tp_before) / 2, c.fp_before)
    else:
        within = (_precision(c.tp_before, c.fp) + _precision(c.tp, c.fp)) / 2
    return _mean_over_positives(c, within)


def break_even_bound(c: CellSteps, upper: bool) -> float:
    """Bound the mean of precision and recall within the cell where as many are called as positive."""
    positives = c.tp[-1]
    if not positives > 0:
        return np.nan
    at = int(np.argmax((c.tp > 0) & (c.tp + c.fp >= positives)))
    # The cut with TP + FP = P lies in this cell: at best all its positives come first, at worst last.
    cuts = [(c.tp_before[at], c.fp_before[at]), (c.tp[at], c.fp[at])]
    if not c.point[at]:
        cuts = [(c.tp[at], c.fp_before[at])] if upper else [(c.tp_before[at], c.fp[at])]
    ends: list[tuple[Any, Any]] = [
        (_precision(tp, fp), tp / positives) for tp, fp in cuts if tp > 0 or not c.point[at]
    ]
    precision, recall = min(ends, key=lambda end: float(abs(end[0] - end[1])))
    return float((precision + recall) / 2)


def _best_bound(metric: Any, c: CellSteps, upper: bool, parameters: Mapping[str, Any]) -> Any:
    """Return the best of the thresholds between cells, or what a best one is at most.

    Where no threshold between cells will do, and one within them might, the value is at least the least.
    """
    best = metric.formula(_corners(c, upper), **parameters)
    if upper or not np.isnan(best):
        return best
    return best if np.isnan(_best_bound(metric, c, True, parameters)) else metric.bounds[0]


def _corners(c: CellSteps, upper: bool) -> SimpleNamespace:
    """Return the thresholds between cells, above which a best one lies at most at the corners within.

    Within a cell no threshold has more true positives than those after it and fewer false ones than
    those before, or the reverse.
    """
    tp, fp = (np.append(0, after) for after in (c.tp, c.fp))
    if upper:
        wide = ~c.point
        tp = np.concatenate([tp, c.tp[wide], c.tp_before[wide]])
        fp = np.concatenate([fp, c.fp_before[wide], c.fp[wide]])
    return SimpleNamespace(threshold_counts=Counts(tp, fp, c.tp[-1] - tp, c.fp[-1] - fp))


class StepBound(NamedTuple):
    """How the counts before and after every cell bound a metric of the counts at thresholds.

    Attributes
    ----------
    of : callable
        Takes the steps and whether the upper bound is requested; returns the bound.
    by_values : bool
        Whether the bounds of a metric of the order meet only where every score is known.
    at_one_cut : bool
        Whether the value is read at one threshold, so that no sum is rounded.
    """

    of: Callable[[CellSteps, bool], float]
    by_values: bool = False
    at_one_cut: bool = False


STEP_BOUNDS = {
    "average_precision": StepBound(average_precision_bound),
    "pr_auc": StepBound(pr_auc_bound, by_values=True),
    "break_even_point": StepBound(break_even_bound, at_one_cut=True),
}
_OF_BINS = "binned_calibration_error"


def is_bounded(metric: Any) -> bool:
    """Whether bounds of the scores imply bounds of the value."""
    own = metric.name in STEP_BOUNDS or metric.name == _OF_BINS
    return own or metric.rises or metric.over_thresholds == "best"


def _precision(tp: Floats, fp: Floats) -> Floats:
    """Return tp / (tp + fp), 1 where nothing is called positive."""
    return quotient(tp, tp + fp, 1.0)


def _mean_over_positives(c: CellSteps, precision: Floats) -> float:
    total = c.tp[-1]
    if not total > 0:
        return np.nan
    return float(((c.tp - c.tp_before) * precision).sum() / total)


def bound(metric: Any, scores: Any, parameters: Mapping[str, Any]) -> Any:
    """Return the bound of a metric on the side of the given scores; its range where there is none.

    Parameters
    ----------
    metric : Metric
    scores : EdgeScores
    parameters : mapping
        The formula's own parameters.
    """
    if scores.values_exact or scores.side == 0:
        return np.clip(metric.formula(scores, **parameters), *metric.bounds)
    requested = sums_read_by(metric.formula, parameters)
    exact = _summed(metric, scores, requested, parameters)
    if exact is not None:
        return np.clip(exact, *metric.bounds)
    read = {each.name for each in requested}
    if not is_bounded(metric) or (read & ENDS and not scores.cells.ends_exact):
        return metric.bounds[scores.side > 0] if scores.pairs > 0 else np.nan
    if "threshold_counts" not in read:
        return np.clip(metric.formula(scores, **parameters), *metric.bounds)
    if scores.points.all():  # the cells keep the counts at every threshold
        return metric.formula(scores, **parameters)
    one_cut = metric.over_thresholds == "best"
    if one_cut:
        value = _best_bound(metric, scores.steps, scores.side > 0, parameters)
    elif (of_steps := STEP_BOUNDS.get(metric.name)) is None:
        value = metric.formula(scores, **parameters)
    else:
        value = of_steps.of(scores.steps, scores.side > 0)
        one_cut = of_steps.at_one_cut
    exact = one_cut and not scores.cells.weighted
    return np.clip(value + (0 if exact else scores.side * _OF_STEPS * abs(value)), *metric.bounds)


def _summed(
    metric: Any, scores: Any, requested: set[PairSum], parameters: Mapping[str, Any]
) -> Any:
    """Return the metric from sums over all pairs; None where passes have not found them."""
    if metric.over_thresholds and requested == {PairSum("threshold_counts")}:
        request = metric.formula, tuple(sorted(parameters.items()))
        steps = PairSum(metric.over_thresholds, request)
        scores.unresolved.add(steps)
        return scores.means.get(steps)
    sums = {each for each in requested if each.name not in KNOWN}
    if not all(each.name in SUMMED and each.kinks(1.0) is not None for each in sums):
        return None
    scores.unresolved.update(sums)
    if not sums <= scores.means.keys():
        return None
    return metric.formula(SummedScores(scores, scores.means), **parameters)


def bound_of_probabilities(metric: Any, record: Any, parameters: Mapping[str, Any]) -> Any:
    """Return the bound of a metric on the side of a record of probabilities in cells.

    All metrics are known where every score is; elsewhere what is made of totals that were kept, and of
    nothing else.
    """
    held = record.holds(metric.totals_of(parameters))
    if record.known or (record.side == 0 and not held):
        return np.clip(metric.formula(record, **parameters), *metric.bounds)
    if held:
        return metric.formula(record.totals_alone, **parameters)
    if metric.name != _OF_BINS:
        return metric.bounds[record.side > 0]
    found = calibration_error_bound(record.cells, record.side > 0, **metric.completed(parameters))
    return np.clip(found, *metric.bounds)


# Sums over bins, here and in memory, lie within this of the exact ones.
_OF_SUMS = 1e-12
# Shares of the weight are compared with those of bins up to this rounding.
_ROUNDING = 1e-9


class BinBounds(NamedTuple):
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
    def of(cls, cells: ScoreCells, n_bins: int, strategy: str) -> BinBounds:
        """Sort the cells into bins."""
        reach = codes_of(cells.outer)
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

        # sum y - sum p of a cell is its positives less p of each row, with p within the cell; of a
        # cell that is cut, a bin holds at worst the negatives alone, at best the positives alone.
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
    b, whole = BinBounds.of(cells, n_bins, strategy), float(cells.total)
    slack = _OF_SUMS if upper else -_OF_SUMS
    if upper:
        distance = np.maximum(np.abs(b.low), np.abs(b.high))
        ratio = np.minimum(quotient(distance, b.total, 1.0), 1.0) * (b.most > 0)
    else:
        distance = np.maximum(np.maximum(b.low, -b.high), 0)
        ratio = quotient(distance, b.most, 0.0)
    if norm == "max":
        return float(ratio.max()) + slack
    if norm == "l1":
        return float(distance.sum() / whole) + slack
    squares = distance * ratio
    if debias:
        squares = _without_variance(b, squares, upper, weighted=cells.weighted)
    return float(np.sqrt(max(squares.sum() / whole, 0))) + slack


def _without_variance(b: BinBounds, squares: Floats, upper: bool, *, weighted: bool) -> Floats:
    """Bound squares less the variance of the frequency, rate (1 - rate) / (size - 1), times the size.

    A bin of size 1 counts nothing.
    """
    if weighted:  # a size may come as near to 1 as it likes
        return squares if upper else np.full_like(squares, -np.inf)
    rates = (
        quotient(b.positive, b.most, 0.0),
        np.minimum(quotient(b.positive + b.more_positive, b.total, 1.0), 1.0),
    )
    ends = [rate * (1 - rate) for rate in rates]
    if upper:
        return squares - b.total * quotient(np.minimum(*ends), b.most - 1, 0.0)
    # r (1 - r) is greatest at 1/2 where that lies between the rates, else at the one nearer to it.
    spread = np.where((rates[0] <= 0.5) & (rates[1] >= 0.5), 0.25, np.maximum(*ends))
    return np.where(b.total > 1, squares, 0) - b.most * quotient(spread, b.total - 1, 0.25)


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
