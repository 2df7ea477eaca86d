"""What the scores of a nested run owe to chance: to the rows that were tested, to the choices made."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ...metrics._scorers.bound import BoundMetric
from .._types import Floats, Rows
from ._choice import Choice, choice_law, choice_of
from ._noise import RowNoise, noise_or_none


class Chance:
    """Finds it for the metrics of a result, each once."""

    def __init__(self, result: Any) -> None:
        self._result = result
        self._noises: dict[str, RowNoise | None] = {}

    def noise(self, name: str, bound: BoundMetric | None) -> RowNoise | None:
        """Return the variance of a metric's mean score due to the test rows; None where not known."""
        if name not in self._noises:
            folds = np.flatnonzero(~np.isnan(self._result.test_scores[name]))
            self._noises[name] = noise_or_none(
                bound, self._result.predictions, folds, self._cuts(folds)
            )
        return self._noises[name]

    def _cuts(self, folds: Rows) -> tuple[Floats, str] | None:
        """Return the thresholds that some folds chose and the response that they cut, if they did."""
        decisions = self._result.decisions
        if not decisions or decisions[0].cut is None:
            return None
        return self._result.thresholds[folds], decisions[0].reads

    def choice(self, name: str) -> Choice | None:
        """Return what a metric owes to the choice of candidates; None where no inner scores tell."""
        if len(self._result.candidates) < 2 or self._result.decisions:
            return None
        own = self.inner(name)
        return None if own is None else choice_of(self._law, own, self._result.winners)

    def inner(self, name: str) -> Floats | None:
        """Return the inner scores of a metric, shape (k, C, l); None where they are not known."""
        result = self._result
        if not result.inner_scores.size:
            return None
        if name in result.refit:
            return np.asarray(result.inner_scores[..., result.refit.index(name)])
        return result.inner_others.get(name)

    def chosen(self, name: str) -> Floats | None:
        """Return the inner scores of the winners, shape (k, l); None where they are not known."""
        inner, winners = self.inner(name), self._result.winners
        return None if inner is None else inner[np.arange(len(winners)), winners]

    @cached_property
    def _law(self) -> Floats:
        """How likely each candidate is chosen, for draws of its true inner mean."""
        return choice_law(self._result.inner_scores[..., 0])
