"""Bands swept by rectangles around the points of a ROC curve, of a size found by simulation.

At a threshold with j of P positives and k of N negatives above it the true rates lie in a rectangle
whose sides are Clopper and Pearson's intervals of a local confidence 1 - eta. A rising curve through all
rectangles lies, at a false positive rate x, below the top of each rectangle that stands right of x, and
above the bottom of each that stands left of it. The true curve stays inside with a probability that
depends on eta and on the sizes of the classes, hardly on the curve: it is found by simulation of two
normal classes with the AUC of the sample.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from scipy import integrate, special

from ..._arrays import Array, Bools, Codes, Floats
from ._normal import Ends

# Local error rates that are tried, of which the simulation chooses.
_RATES = np.geomspace(2e-4, 0.6, 32)
# Larger classes are simulated as if they had so many examples: the rate falls with log log n.
_MOST_SIMULATED = 1000
# Draws for a pointwise band, which are looked at point by point.
_MOST_POINTWISE = 500
# Thresholds that get a rectangle each; of more, so many evenly spread ones.
_MOST_POINTS = 20_000

Counts = tuple[Codes, Codes]


@dataclass(frozen=True)
class Points:
    """The points of a curve: the counts above falling thresholds, and the sizes of the classes.

    `aside` exchanges the axes: the band is then one of false positive rates at true positive rates.
    """

    above: Counts
    sizes: tuple[int, int]
    aside: bool = False

    def band(
        self, at: Floats, confidence_level: float, rng: np.random.Generator, **how: Any
    ) -> Ends:
        """Return the band whose local error rates a simulation chooses."""
        calibration = Calibration(self.sizes, self._auc, self.aside)
        rates = calibration.rates(at, confidence_level, rng, **how)
        low, high = np.empty(len(at)), np.empty(len(at))
        for rate in np.unique(rates):
            own = rates == rate
            low[own], high[own] = sweep(*self._rectangles(float(rate)), at[own], self.aside)
        return low, high

    def _rectangles(self, rate: float) -> tuple[Ends, Ends]:
        """Return the sides of the rectangles along the true and the false positive rate."""
        j, k = self.above
        if len(j) > _MOST_POINTS:
            chosen = np.linspace(0, len(j) - 1, _MOST_POINTS).astype(np.intp)
            j, k = j[chosen], k[chosen]
        return clopper_pearson(j, self.sizes[0], rate), clopper_pearson(k, self.sizes[1], rate)

    @property
    def _auc(self) -> float:
        """The area under the curve, not nearer to 1/2 or 1 than half a lost pair an example."""
        j, k = self.above
        area = float(integrate.trapezoid(j, k)) / (self.sizes[0] * self.sizes[1])
        return min(max(area, 0.5), 1 - 0.5 / min(self.sizes))


def sweep(of_tpr: Ends, of_fpr: Ends, at: Floats, aside: bool) -> Ends:
    """Return the least and the greatest ordinate of rising curves through all rectangles."""
    (left, right), (bottom, top) = (of_tpr, of_fpr) if aside else (of_fpr, of_tpr)
    first = np.searchsorted(left, at, side="left")
    last = np.searchsorted(right, at, side="right") - 1
    return np.where(last < 0, 0.0, bottom[last]), np.append(top, 1.0)[first]


@dataclass(frozen=True)
class Calibration:
    """Local error rates at which curves of two normal classes stay inside often enough."""

    sizes: tuple[int, int]
    auc: float
    aside: bool

    def rates(
        self,
        at: Floats,
        confidence_level: float,
        rng: np.random.Generator,
        *,
        simultaneous: bool,
        n_draws: int,
    ) -> Floats:
        """Return one local error rate a point, the same for all of a simultaneous band."""
        p, n = (min(size, _MOST_SIMULATED) for size in self.sizes)
        tables = [clopper_pearson(np.arange(size + 1), size, _RATES[:, None]) for size in (p, n)]
        draws = self._draws(p, n, n_draws, rng)
        if simultaneous:
            passed = self._passed(tables, draws)
            level = int(np.quantile(passed, 1 - confidence_level, method="lower")) - 1
            return np.full(len(at), _RATES[max(level, 0)])
        few = min(n_draws, _MOST_POINTWISE)
        inside = sum(self._inside(tables, above, at) for above in islice(draws, few))
        enough = np.cumprod(inside >= confidence_level * few, axis=0).sum(axis=0)
        return np.asarray(_RATES[np.maximum(enough - 1, 0)])

    def _passed(self, tables: list[Ends], draws: Iterator[Counts]) -> list[int]:
        """Return for each draw how many of the rates, from the least, have the whole curve inside."""
        of_tpr, of_fpr = tables
        curve_at = self._curve(of_fpr[0]), self._curve(of_fpr[1])
        return [
            int(
                ((of_tpr[0][:, j] <= curve_at[1][:, k]) & (curve_at[0][:, k] <= of_tpr[1][:, j]))
                .all(axis=1)
                .sum()
            )
            for j, k in draws
        ]

    def _inside(self, tables: list[Ends], above: Counts, at: Floats) -> Bools:
        """Return for each rate at which points the curve of a draw is inside."""
        truth = self._curve(at, -1) if self.aside else self._curve(at)
        found = []
        for level in range(len(_RATES)):
            of_tpr, of_fpr = (
                (low[level, counts], high[level, counts])
                for (low, high), counts in zip(tables, above, strict=True)
            )
            low, high = sweep(of_tpr, of_fpr, at, self.aside)
            found.append((low <= truth) & (truth <= high))
        return np.array(found)

    def _curve(self, rate: Floats, side: int = 1) -> Floats:
        """Return the true positive rate at false positive rates, or with side -1 the reverse."""
        return np.asarray(special.ndtr(special.ndtri(rate) + side * self._shift))

    @property
    def _shift(self) -> float:
        return float(np.sqrt(2) * special.ndtri(self.auc))

    def _draws(
        self, positives: int, negatives: int, n_draws: int, rng: np.random.Generator
    ) -> Iterator[Counts]:
        truth = np.repeat([True, False], [positives, negatives])
        for _ in range(n_draws):
            scores = rng.normal(size=len(truth)) + self._shift * truth
            yield counts_above(truth[np.argsort(-scores)])


def counts_above(ordered: Array) -> Counts:
    """Return the positives and the negatives among the first 0, 1, ... of ordered labels."""
    j = np.append(0, np.cumsum(ordered)).astype(np.intp)
    return j, np.arange(len(j)) - j


def clopper_pearson(x: Codes, size: int, rate: Any) -> Ends:
    """Return Clopper and Pearson's intervals of x successes, each end missed at half the rate."""
    low = special.betaincinv(np.maximum(x, 1), size - x + 1, rate / 2)
    high = special.betaincinv(x + 1, np.maximum(size - x, 1), 1 - rate / 2)
    return np.where(x == 0, 0.0, low), np.where(x == size, 1.0, high)
