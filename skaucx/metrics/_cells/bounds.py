"""Bounds of metrics of scores from cells."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from ..._arrays import Floats
from .._records.counts import Counts
from .edges import CellSteps, EdgeScores
from .pair_sums import PairSum, SummedScores, steps_of, sums_for, sums_read_by

# Sums over thresholds, here and in memory, lie within this of the exact ones, relatively.
_OF_STEPS = 1e-12


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


def _best_bound(metric: Bounded, c: CellSteps, upper: bool, parameters: Mapping[str, Any]) -> Any:
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


def _precision(tp: Floats, fp: Floats) -> Floats:
    """Return tp / (tp + fp), 1 where nothing is called positive."""
    called = tp + fp
    return np.divide(tp, called, where=called > 0, out=np.ones(np.shape(called)))


def _mean_over_positives(c: CellSteps, precision: Floats) -> float:
    total = c.tp[-1]
    if not total > 0:
        return np.nan
    return float(((c.tp - c.tp_before) * precision).sum() / total)


class Bounded(Protocol):
    """What of a metric's row bounds ask."""

    @property
    def name(self) -> str:
        """The canonical name."""

    @property
    def formula(self) -> Callable[..., Any]:
        """The pure function of the pair means and threshold counts."""

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest value."""

    @property
    def step_bound(self) -> StepBound | None:
        """Its bounds from the steps at the edges of cells, where it does not rise with the scores."""

    @property
    def over_thresholds(self) -> Literal["sum", "best"] | None:
        """Whether its value is a sum over the steps between thresholds, or the best of thresholds."""

    @property
    def bin_bound(self) -> Callable[..., float] | None:
        """Its bounds from cells of probabilities."""

    @property
    def bounded(self) -> bool:
        """Whether cells of scores give bounds of it."""

    def completed(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the formula's own parameters, with their defaults where none are given."""

    def totals_of(self, parameters: Mapping[str, Any]) -> Any:
        """Return the totals over rows that the formula is made of; None where it reads more."""


def bound(metric: Bounded, scores: EdgeScores, parameters: Mapping[str, Any]) -> Any:
    """Return the bound of a metric on the side of the given scores; its range where there is none.

    Parameters
    ----------
    metric : Bounded
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
    if not metric.bounded or (read & _ENDS and not scores.cells.ends_exact):
        return metric.bounds[scores.side > 0] if scores.pairs > 0 else np.nan
    if "threshold_counts" not in read:
        return np.clip(metric.formula(scores, **parameters), *metric.bounds)
    if scores.steps_exact:
        return metric.formula(scores, **parameters)
    one_cut = metric.over_thresholds == "best"
    if one_cut:
        value = _best_bound(metric, scores.steps, scores.side > 0, parameters)
    elif metric.step_bound is None:
        value = metric.formula(scores, **parameters)
    else:
        value = metric.step_bound.of(scores.steps, scores.side > 0)
        one_cut = metric.step_bound.at_one_cut
    exact = one_cut and not scores.cells.weighted
    return np.clip(value + (0 if exact else scores.side * _OF_STEPS * abs(value)), *metric.bounds)


def _summed(
    metric: Bounded, scores: EdgeScores, requested: set[PairSum], parameters: Mapping[str, Any]
) -> Any:
    """Return the metric from sums over all pairs; None where passes have not found them."""
    if metric.over_thresholds and requested == {PairSum("threshold_counts")}:
        steps = steps_of(metric.over_thresholds, metric.formula, parameters)
        scores.open.add(steps)
        return scores.means.get(steps)
    sums = sums_for(requested)
    if sums is None:
        return None
    scores.open.update(sums)
    if not sums <= scores.means.keys():
        return None
    return metric.formula(SummedScores(scores, scores.means), **parameters)


def bound_of_probabilities(metric: Bounded, record: Any, parameters: Mapping[str, Any]) -> Any:
    """Return the bound of a metric on the side of a record of probabilities in cells.

    All metrics are known where every score is; elsewhere what is made of totals that were kept, and of
    nothing else.
    """
    held = record.holds(metric.totals_of(parameters))
    if record.known or (record.side == 0 and not held):
        return np.clip(metric.formula(record, **parameters), *metric.bounds)
    if held:
        return metric.formula(record.totals_alone, **parameters)
    if metric.bin_bound is None:
        return metric.bounds[record.side > 0]
    found = metric.bin_bound(record.cells, record.side > 0, **metric.completed(parameters))
    return np.clip(found, *metric.bounds)


def reads_shares_only(metric: Bounded, parameters: Mapping[str, Any]) -> bool:
    """Whether a metric follows from the shares of wins and ties among all pairs."""
    own = inspect.signature(metric.formula).parameters
    given = {name: value for name, value in parameters.items() if name in own}
    with np.errstate(divide="ignore", invalid="ignore"):
        names = {each.name for each in sums_read_by(metric.formula, given)}
    return names <= {"win_share", "tie_share", "pairs"}


# What formulas read of the lowest and the highest scores.
_ENDS = frozenset(
    {
        "lowest",
        "highest",
        "span",
        "margin",
        "relative_margin",
        "mean_gain_above",
        "mean_of_relative",
    }
)
