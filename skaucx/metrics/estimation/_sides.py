"""Intervals with two ends, or with one that counts."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from ..._arrays import Floats
from ..._options import check_choice

Alternative = Literal["two-sided", "greater", "less"]


def check_alternative(alternative: Any) -> Alternative:
    """Return the alternative if it is a known one."""
    checked: Alternative = check_choice(
        "alternative", alternative, ("two-sided", "greater", "less")
    )
    return checked


class Sides(NamedTuple):
    """Which ends of an interval count, and how confident it is."""

    alternative: Alternative
    confidence_level: float

    @property
    def two_sided(self) -> float:
        """The confidence of the two-sided interval that has the end which counts."""
        if self.alternative == "two-sided":
            return self.confidence_level
        if self.confidence_level <= 0.5:
            raise ValueError(
                "A one-sided interval needs a confidence_level above 0.5, found "
                f"{self.confidence_level!r}."
            )
        return 2 * self.confidence_level - 1

    def ends(self, low: Any, high: Any, bounds: tuple[float, float]) -> tuple[Floats, Floats]:
        """Return the ends, the one that does not count moved to that of the range."""
        low, high = np.asarray(low), np.asarray(high)
        undefined = np.isnan(low) | np.isnan(high)
        if self.alternative == "less":
            low = np.where(undefined, np.nan, bounds[0])
        if self.alternative == "greater":
            high = np.where(undefined, np.nan, bounds[1])
        return low, high
