"""A metric against the threshold, on one set of scores or as the mean over folds."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..._arrays import Bools, Floats
from ..._plotting import shown
from ..._text.numbers import significant, spread, value
from .._registry.declare import get_metric
from ..curves import ThresholdCurves
from ..estimation import interval_at_threshold

_POINTS = 401  # places at which the curves of folds are averaged


@dataclass(frozen=True, eq=False)
class Best:
    """Where a metric is best; of several folds, where their mean is.

    `low` and `high` are the ends of its interval, of several folds one standard deviation away; nan
    without.
    """

    threshold: float
    value: float
    sd: float = np.nan
    low: float = np.nan
    high: float = np.nan


@dataclass(frozen=True, eq=False)
class MetricSeries:
    """A metric over thresholds from low to high, of one or several folds."""

    metric: str
    folds: Sequence[ThresholdCurves]
    low: float
    high: float
    confidence_level: float | None = None

    @property
    def many(self) -> bool:
        """Whether there are several folds."""
        return len(self.folds) > 1

    def steps(self, fold: ThresholdCurves) -> tuple[Floats, Floats]:
        """Return thresholds and values from low to high; a value holds down to the next lower score."""
        t, values = fold.thresholds[::-1], fold[self.metric][::-1]
        t = np.where(np.isinf(t), self.high, t)
        return np.append(self.low, t), np.append(values[0], values)

    def mean(self) -> tuple[Floats, Floats, Floats]:
        """Return thresholds, and mean and standard deviation of the folds there."""
        grid = np.linspace(self.low, self.high, _POINTS)
        table = np.array([self._at(fold, grid) for fold in self.folds])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # nan where no fold is defined
            return grid, np.nanmean(table, axis=0), np.nanstd(table, axis=0, ddof=1)

    def _all_defined(self, grid: Floats) -> Bools:
        """Return where each fold is defined that is so anywhere: a mean of few may top all maxima."""
        table = np.array([self._at(fold, grid) for fold in self.folds])
        held = ~np.isnan(table)
        return np.asarray(held[held.any(axis=1)].all(axis=0))

    def _at(self, fold: ThresholdCurves, grid: Floats) -> Floats:
        t, values = self.steps(fold)
        return values[np.minimum(np.searchsorted(t, grid, side="left"), len(t) - 1)]

    def best(self) -> Best | None:
        """Return the best point; None where nothing beats calling all, or none, positive."""
        if not self.many:
            [fold] = self.folds
            at, height = fold.best(self.metric)
            if self._trivial(fold[self.metric], height):
                return None
            return Best(at, height, np.nan, *self._interval(fold))
        t, mean, sd = self.mean()
        mean = np.where(self._all_defined(t), mean, np.nan)
        if np.isnan(mean).all():
            return None
        pick = np.nanargmin if self._low_is_good else np.nanargmax
        at = int(pick(mean))
        if self._trivial(mean, mean[at]):
            return None
        ends = float(mean[at] - sd[at]), float(mean[at] + sd[at])
        return Best(float(t[at]), float(mean[at]), float(sd[at]), *ends)

    def _interval(self, fold: ThresholdCurves) -> tuple[float, float]:
        """Return the ends of the interval at the best threshold, where they are asked for."""
        if self.confidence_level is None or not fold.metric(self.metric).row.kind.counted:
            return np.nan, np.nan
        level = self.confidence_level
        found = interval_at_threshold(fold, self.metric, confidence_level=level)
        return float(found.low), float(found.high)

    @property
    def _low_is_good(self) -> bool:
        return get_metric(self.metric).metric.greater_is_better is False

    @staticmethod
    def _trivial(curve: Floats, best: float) -> bool:
        return bool(np.isnan(best) or best in (curve[0], curve[-1]))

    def label(self, best: Best | None) -> str:
        """Say what is best and where; in brackets the mean of what is best on each fold alone."""
        if best is None:
            return shown(self.metric)
        at = f"at {significant(best.threshold)}"
        if not self.many:
            ends = f" [{value(best.low)}, {value(best.high)}]" if np.isfinite(best.low) else ""
            return f"{shown(self.metric)}: best {value(best.value)}{ends} {at}"
        own = np.nanmean([fold.best(self.metric)[1] for fold in self.folds])
        told = spread(best.value, best.sd)
        return f"{shown(self.metric)}: {told} {at} ({value(own)})"


def ends_of(folds: Sequence[ThresholdCurves]) -> tuple[float, float]:
    """Return the range of the thresholds, with a little room where all, or none, is positive."""
    finite = np.concatenate([fold.thresholds[np.isfinite(fold.thresholds)] for fold in folds])
    low, high = float(finite.min()), float(finite.max())
    room = 0.03 * (high - low) or 0.5
    return low - room, high + room
