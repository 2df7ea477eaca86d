"""What formulas read of scores, and which of it passes over the rows can sum up exactly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .._pairs.kernels import Kernel, Relative, kernel_of
from .._pairs.ranking import RankedScores


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
