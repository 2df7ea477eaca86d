"""Exact sums over all pairs, of the positives of one window a pass over the rows.

What formulas read of scores decides which sums passes can find. The negatives near a window and the
nodes in the place of all others make a ranking, so that its sums are those that are taken in memory. The
sums of windows add up to the pair means of all rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Array, Floats
from ..metrics._pairs.kernels import Kernel, Relative, kernel_of
from ..metrics._pairs.ranking import RankedScores
from ..metrics._pairs.sums.elementary import cumulative
from ..metrics._records.counts import Counts
from ..metrics._records.inputs import rescaled
from ._score_histogram import MOST_PAIRS, ScoreCells, scores_of
from ._windows import Window, WindowRows, distances


class PairSum(NamedTuple):
    """A name of the contract of pair means, and the argument where it is a method.

    The names "sum" and "best" stand for a formula that adds up over the steps between thresholds, or is
    the best of thresholds; the argument is the formula with its parameters.
    """

    name: str
    argument: Any = None

    def kernel(self, span: float) -> Kernel | None:
        """Return the kernel whose mean is requested, if any."""
        if self.name == "mean_of":
            return kernel_of(self.argument)
        return Relative(self.argument, span) if self.name == "mean_of_relative" else None

    def kinks(self, span: float) -> tuple[float, ...] | None:
        """Return the differences at which what is summed over pairs bends; None if not known."""
        if self.name == "mean_gain_above":
            return (self.argument * span,)
        kernel = self.kernel(span)
        return () if kernel is None else kernel.kinks


# Followed from the cells alone.
KNOWN = frozenset({"pairs", "total", "lowest", "highest", "span", "margin"})
SUMMED = frozenset(
    {
        "win_share",
        "tie_share",
        "mean_difference",
        "mean_gain",
        "mean_gain_above",
        "mean_of",
        "mean_of_relative",
        "sum",
        "best",
    }
)
_METHODS = frozenset({"mean_gain_above", "mean_of", "mean_of_relative"})
# A pair on which any formula can be tried.
_ONE_PAIR = RankedScores(
    np.array([0.0, 1.0]), np.array([0, 1], dtype=np.int8), np.array([1, 0], dtype=np.int8)
)


class _Recorder:
    """Scores of one pair that keep what a formula reads of them."""

    def __init__(self) -> None:
        self.requested = set[PairSum]()

    def __getattr__(self, name: str) -> Any:
        if name in _METHODS:
            return partial(self._called, name)
        self.requested.add(PairSum(name))
        return getattr(_ONE_PAIR, name)

    def _called(self, name: str, argument: Any) -> Any:
        self.requested.add(PairSum(name, argument))
        return getattr(_ONE_PAIR, name)(argument)


def sums_read_by(formula: Callable[..., Any], parameters: Mapping[str, Any]) -> set[PairSum]:
    """Return what a formula reads with some parameters."""
    recorder = _Recorder()
    formula(recorder, **parameters)
    return recorder.requested


class SummedScores:
    """Pair means whose sums over all pairs have been found.

    Parameters
    ----------
    scores : PairMeans
        Those that know the pairs and the ends.
    means : mapping of PairSum to float
    """

    def __init__(self, scores: Any, means: Mapping[PairSum, Any]) -> None:
        self._scores, self._means = scores, means

    def __getattr__(self, name: str) -> Any:
        if name in _METHODS:
            return lambda argument: self._means[PairSum(name, argument)]
        return getattr(self._scores, name) if name in KNOWN else self._means[PairSum(name)]


# Beyond this span the distances of a mesh would leave the floats.
_WIDEST = 2.0**1000
# What the scores within a window determine, with the numbers of those beyond.
_STEPS = frozenset({"sum", "best"})
_HELD = _STEPS | {"win_share", "tie_share"}


class Part(NamedTuple):
    """The sums of a window.

    Attributes
    ----------
    sums : dict of PairSum to number
    ends : ndarray of shape (2, 2)
        The true and the false positives above the window and at its lowest threshold.
    """

    sums: Mapping[PairSum, Any]
    ends: Floats


@dataclass(frozen=True, eq=False)
class Summing:
    """Sums that windows have found so far, and the window of the next pass.

    Parameters
    ----------
    cells : ScoreCells
        Of the same rows.
    requested : frozenset of PairSum
    window : Window or None
        None after the last.
    parts : tuple of Part
        The sums of each window.
    """

    cells: ScoreCells
    requested: frozenset[PairSum]
    window: Window | None
    parts: tuple[Part, ...] = ()

    @classmethod
    def of(
        cls, cells: ScoreCells, requested: Iterable[PairSum], rescale: str | None, most: int
    ) -> Summing | None:
        """Begin at the lowest positive; None where a class is empty, or a kernel not known well enough.

        Parameters
        ----------
        cells : ScoreCells
        requested : iterable of PairSum
        rescale : {None, "minmax", "expit"}
        most : int
            The greatest number of distinct scores in a window.
        """
        if not np.isfinite(cells.ends).all():
            return None
        ends = rescaled(cells.ends.ravel(), rescale)
        with np.errstate(over="ignore"):
            span = float(ends.max() - ends.min())
        requested = frozenset(each for each in requested if each.name in _HELD or span < _WIDEST)
        bends, distance = [each.kinks(span) for each in requested], _distances(requested, span)
        if not requested or not span > 0 or None in bends or distance is None:
            return None
        # The differences other than 0 that occur at which anything bends.
        kinks = sorted({k for kinks in bends for k in kinks or () if 0 < abs(k) <= span})
        window = Window(
            float(ends[0]),
            float(ends[1]),
            cells.ends,
            rescale,
            tuple(kinks),
            distance,
            most,
            paired=any(each.name not in _HELD for each in requested),
        )
        return cls(cells, requested, window)

    @cached_property
    def totals(self) -> tuple[float, ...]:
        """The number, or the weight, of all positives and of all negatives."""
        return tuple(side.sum().item() for side in self.cells.sides)

    @cached_property
    def unit(self) -> float:
        """What a weight of 1 becomes, so that products neither overflow nor vanish."""
        exponent = -int(np.frexp(max(self.totals))[1]) if self.cells.weighted else 0
        return float(np.ldexp(1.0, exponent))

    @cached_property
    def pairs(self) -> np.float64:
        """The number, or the relative weight, of all pairs."""
        positive, negative = self.totals
        return np.float64(positive * self.unit) * np.float64(negative * self.unit)

    def scaled(self, side: Array) -> Array:
        """Return counts, or weights in units, whose products are numbers of their type."""
        counted = not self.cells.weighted and self.pairs < MOST_PAIRS
        return side if counted else side * self.unit

    def after(self, found: WindowRows) -> Summing:
        """Return the sums with those of a window, and the window that follows."""
        found.check_same_rows(self.cells)
        window = None
        if np.isfinite(found.following):
            highest = float(found.window.mapped_ends[1])
            window = replace(found.window, first=found.following, last=highest)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            part = self._part(found)
        return replace(self, window=window, parts=(*self.parts, part))

    @property
    def means(self) -> dict[PairSum, np.float64]:
        """The requested sums over all pairs, and over the steps between all thresholds."""
        found, before, bridges = {}, np.zeros(2), []
        # The true and the false positives at both ends of the steps that no window holds.
        whole = np.array(self.totals)[:, None] * self.unit
        for ends in [*(part.ends for part in self.parts[::-1]), whole]:
            bridges.append(self._counts(*np.stack([before, ends[:, 0]], axis=-1)))
            before = ends[:, -1]
        for each in self.parts[0].sums:
            values = [part.sums[each] for part in self.parts]
            if each.name in _STEPS:
                values += [float(_read(each, bridge)) for bridge in bridges]
            if each.name == "best":
                found[each] = np.fmax.reduce(values)
            elif each.name == "sum":
                # The value without a step, to which the steps of every part are added.
                start = _read(each, self._counts(np.zeros(1), np.zeros(1)))
                found[each] = start + math.fsum(value - start for value in values)
            else:
                counted = isinstance(values[0], int)
                total = np.float64(sum(values) if counted else math.fsum(values))
                found[each] = total / self.pairs
        return found

    def _part(self, rows: WindowRows) -> Part:
        """Return sums over the pairs of the window's positives with all negatives."""
        positive, negative = (self.scaled(side) for side in rows.held.sides)
        below = cumulative(negative)[:-1] + self.scaled(rows.beyond)[1, 0]
        found: dict[PairSum, Any] = {
            PairSum("win_share"): (positive * below).sum().item(),
            PairSum("tie_share"): (positive * negative).sum().item(),
        }
        # The true and the false positives above the window, then at its falling thresholds.
        sides = zip(rows.held.sides, rows.beyond, strict=True)
        called = self.unit * np.array([cumulative(side[::-1]) + out[1] for side, out in sides])
        ranked: Any = _ranked(rows, self.unit) if rows.window.paired else None
        for each in {*self.requested} - found.keys():
            if each.name in _STEPS:
                found[each] = float(_read(each, self._counts(*called)))
            else:
                mean = getattr(ranked, each.name)
                mean = mean if each.argument is None else mean(each.argument)
                found[each] = float(mean * ranked.pairs)
        return Part(found, called[:, [0, -1]])

    def _counts(self, tp: Floats, fp: Floats) -> Counts:
        positive, negative = (total * self.unit for total in self.totals)
        return Counts(tp, fp, np.maximum(positive - tp, 0), np.maximum(negative - fp, 0))


def _distances(requested: Iterable[PairSum], span: float) -> Floats | None:
    """Return the distances of the edges of a mesh on which all that is summed is smooth."""
    kernels = [kernel for each in requested if (kernel := each.kernel(span))]
    if all(each.name in _HELD for each in requested):
        return np.empty(0)  # no mesh is made

    def width(distance: float) -> float:
        return min((h.smooth_width(distance, span) for h in kernels), default=distance / 2)

    return distances(width, span)


def _ranked(rows: WindowRows, unit: float) -> RankedScores:
    """Return the positives of the window and all negatives, with the ends of the whole set."""
    of_ends = rows.window.mapped_ends
    values = np.concatenate([scores_of(rows.held.first), rows.others.values, of_ends])
    order = np.argsort(values, kind="stable")  # finds runs, and merges them
    values = values[order]
    starts = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
    none = np.zeros(len(of_ends))
    sides = (
        [rows.held.positive, np.zeros(len(rows.others.weight)), none],
        [rows.held.negative, rows.others.weight, none],
    )
    positive, negative = (np.add.reduceat(np.concatenate(w)[order], starts) for w in sides)
    return RankedScores(values[starts], positive * unit, negative * unit)


def _read(steps: PairSum, counts: Counts) -> Any:
    """Return what a formula makes of the steps between some thresholds."""
    formula, parameters = steps.argument
    with np.errstate(divide="ignore", invalid="ignore"):
        return formula(SimpleNamespace(threshold_counts=counts), **dict(parameters))
