"""Bands swept by rectangles around the points of a ROC curve, of a size found by simulation.

At each threshold the true rates lie in a rectangle whose sides are Clopper and Pearson's intervals of a
local confidence 1 - eta, for as many independent examples as the rows of the class are worth. A rising
curve through all rectangles lies, at a false positive rate x, below the top of each rectangle that
stands right of x, and above the bottom of each that stands left of it. The true curve stays inside with
a probability that depends on eta and on the sizes of the classes, hardly on the curve: it is found by
simulation of two normal classes with the AUC of the sample.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from scipy import integrate, special

from ..._arrays import Array, Bools, Codes, Floats
from ._effective_size import EffectiveSize
from ._normal import Ends, clopper_pearson

# Local error rates that are tried, of which the simulation chooses.
_RATES = np.geomspace(2e-4, 0.6, 32)
# Larger classes are simulated as if they had so many examples: the rate falls with log log n.
_MOST_SIMULATED = 1000
# Scores that are drawn at once.
_AT_ONCE = 1 << 18
# Draws for a pointwise band, which are looked at point by point.
_MOST_POINTWISE = 500
# Thresholds that get a rectangle each; of more, so many evenly spread ones.
_MOST_POINTS = 20_000

Counts = tuple[Codes, Codes]


@dataclass(frozen=True)
class RatePoints:
    """The points of a curve: true and false positive rates at falling thresholds, and their sizes.

    `aside` exchanges the axes: the band is then one of false positive rates at true positive rates.
    """

    rates: tuple[Floats, Floats]
    sizes: tuple[EffectiveSize, EffectiveSize]
    aside: bool = False

    def band(
        self, at: Floats, confidence_level: float, rng: np.random.Generator, **how: Any
    ) -> tuple[Floats, Floats, Floats]:
        """Return the band, and the local error rate of each point that a simulation chooses."""
        p, n = (int(np.clip(round(each.typical), 1, _MOST_SIMULATED)) for each in self.sizes)
        calibration = Calibration((p, n), self._auc, self.aside)
        local = calibration.rates(at, confidence_level, rng, **how)
        low, high = np.empty(len(at)), np.empty(len(at))
        for rate in np.unique(local):
            own = local == rate
            low[own], high[own] = sweep(*self._rectangles(float(rate)), at[own], self.aside)
        return low, high, local

    def _rectangles(self, local: float) -> tuple[Ends, Ends]:
        """Return the sides of the rectangles along the true and the false positive rate."""
        few: Any = slice(None)
        if len(self.rates[0]) > _MOST_POINTS:
            few = np.linspace(0, len(self.rates[0]) - 1, _MOST_POINTS).astype(np.intp)
        of_tpr, of_fpr = (
            each.at(few).ends(rate[few], local)
            for each, rate in zip(self.sizes, self.rates, strict=True)
        )
        return of_tpr, of_fpr

    @property
    def _auc(self) -> float:
        """The area under the curve, not nearer to 1/2 or 1 than half a lost pair an example."""
        area = float(integrate.trapezoid(*self.rates))
        return min(max(area, 0.5), 1 - 0.5 / max(1.0, min(each.typical for each in self.sizes)))


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
        of_size = {
            size: clopper_pearson(np.arange(size + 1), size, 1 - _RATES[:, None])
            for size in set(self.sizes)
        }
        tables = [of_size[size] for size in self.sizes]
        draws = self._draws(n_draws, rng)
        if simultaneous:
            passed = self._passed(tables, draws)
            level = int(np.quantile(passed, 1 - confidence_level, method="lower")) - 1
            return np.full(len(at), _RATES[max(level, 0)])
        few = min(n_draws, _MOST_POINTWISE)
        each = (counts_above(ordered) for drawn in draws for ordered in drawn)
        inside = sum(self._inside(tables, above, at) for above in islice(each, few))
        enough = np.cumprod(inside >= confidence_level * few, axis=0).sum(axis=0)
        return np.asarray(_RATES[np.maximum(enough - 1, 0)])

    def _passed(self, tables: list[Ends], draws: Iterator[Bools]) -> Codes:
        """Return for each draw how many of the rates, from the least, have the whole curve inside.

        Between the j-th positive and the next, k negatives and more are above the threshold. The curve
        is nearest to the lower right corner of a rectangle where they are fewest, to the upper left
        one where they are most, so that the corners of the positives decide.
        """
        table, positives = self._levels(tables), self.sizes[0]
        found = []
        for ordered in draws:
            place = np.flatnonzero(ordered).reshape(-1, positives) % ordered.shape[1]
            above = place - np.arange(positives)
            found.append(table[above, np.arange(1, positives + 1)].min(axis=1))
        return np.concatenate(found)

    def _levels(self, tables: list[Ends]) -> Codes:
        """Return how many rates have a curve inside that has its j-th positive below k negatives."""
        (bottom, top), (left, right) = tables
        right_of, left_of = self._curve(right), self._curve(left)
        negatives, width = left.shape[1], bottom.shape[1] + 1
        change = np.zeros(negatives * width, dtype=np.int8)
        for level in range(len(_RATES)):
            # bottom_j <= R(right_k) and R(left_k) <= top_(j - 1) hold from the first to the last j.
            first = np.searchsorted(top[level], left_of[level]) + 1
            last = np.searchsorted(bottom[level], right_of[level], side="right")
            row = np.arange(negatives) * width
            change[row + np.minimum(first, last)] += 1
            change[row + last] -= 1
        return np.cumsum(change.reshape(negatives, width), axis=1, dtype=np.int8)

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

    def _draws(self, n_draws: int, rng: np.random.Generator) -> Iterator[Bools]:
        """Yield which of the examples of each draw, from the highest score on, are positive."""
        positives, size = self.sizes[0], sum(self.sizes)
        step = max(1, _AT_ONCE // size)
        for start in range(0, n_draws, step):
            fallen = -rng.standard_normal((min(step, n_draws - start), size))
            fallen[:, :positives] -= self._shift
            # The last bit of a score carries its class through the sort.
            bits = fallen.view(np.int64)
            bits &= ~1
            bits[:, :positives] |= 1
            fallen.sort(axis=1)
            yield (bits & 1).astype(bool)


def counts_above(ordered: Array) -> Counts:
    """Return the positives and the negatives among the first 0, 1, ... of ordered labels."""
    j = np.append(0, np.cumsum(ordered)).astype(np.intp)
    return j, np.arange(len(j)) - j
