"""Intervals of proportions, and which metrics are proportions of counts.

Closed forms as in Brown, Cai & DasGupta 2001; x of n trials, vectorised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import special

from ..._arrays import Floats
from .._records.counts import Counts
from .._registry.averaging import apply
from .._registry.row import Metric
from ._normal import Ends, quantile


def wald(x: Floats, n: Floats, confidence_level: float) -> Ends:
    """The share p = x / n -+ z sqrt(p (1 - p) / n)."""
    p = x / n
    return _clipped(p, quantile(confidence_level) * np.sqrt(p * (1 - p) / n))


def agresti_coull(x: Floats, n: Floats, confidence_level: float) -> Ends:
    """Wald's interval after z^2 / 2 successes and as many failures are added."""
    z2 = quantile(confidence_level) ** 2
    return wald(x + z2 / 2, n + z2, confidence_level)


def wilson(x: Floats, n: Floats, confidence_level: float) -> Ends:
    """The p that a score test does not reject: |x/n - p| <= z sqrt(p (1 - p) / n)."""
    return score_interval(x, n, quantile(confidence_level))


def score_interval(x: Floats, n: Floats, z: float) -> Ends:
    """Wilson's interval of z standard errors."""
    half = z * np.sqrt(x * (n - x) / n + z**2 / 4) / (n + z**2)
    low, high = _clipped((x + z**2 / 2) / (n + z**2), half)
    return np.where(x == 0, 0.0, low), np.where(x == n, 1.0, high)


def clopper_pearson(x: Any, n: Any, confidence_level: Any) -> Ends:
    """The p that neither one-sided exact binomial test rejects."""
    tail, none, every = (1 - confidence_level) / 2, x <= 0, x >= n
    low = special.betaincinv(np.where(none, 1, x), np.where(none, 1, n - x + 1), tail)
    high = special.betaincinv(np.where(every, 1, x + 1), np.where(every, 1, n - x), 1 - tail)
    return np.where(none, 0.0, low), np.where(every, 1.0, high)


def jeffreys(x: Floats, n: Floats, confidence_level: float) -> Ends:
    """Equal-tailed posterior interval under Jeffreys' prior, 0 or 1 included where x is at an end."""
    tail = (1 - confidence_level) / 2
    low = special.betaincinv(x + 0.5, n - x + 0.5, tail)
    high = special.betaincinv(x + 0.5, n - x + 0.5, 1 - tail)
    return np.where(x == 0, 0.0, low), np.where(x == n, 1.0, high)


PROPORTION_METHODS: dict[str, Callable[[Floats, Floats, float], Ends]] = {
    "wilson": wilson,
    "clopper-pearson": clopper_pearson,
    "agresti-coull": agresti_coull,
    "jeffreys": jeffreys,
    "wald": wald,
}


def share_of_counts(
    metric: Metric, record: Counts | Floats, parameters: Mapping[str, Any]
) -> tuple[float, float] | None:
    """Return the two sums of counts whose ratio a metric is, or None for any other formula.

    The formula is evaluated once on stand-ins of the cells that support only addition and one division.
    """
    try:
        share = apply(metric, _as_cells(record), dict(parameters))
    except (TypeError, AttributeError, ValueError):
        return None
    return (share.part.value, share.whole.value) if isinstance(share, _Share) else None


class _Share:
    """A sum of cells divided by one that holds it."""

    def __init__(self, part: _Cells, whole: _Cells) -> None:
        self.part, self.whole = part, whole


class _Cells:
    """A sum of distinct cells of a table."""

    def __init__(self, names: frozenset[int], value: float) -> None:
        self.names, self.value = names, value

    def __add__(self, other: Any) -> _Cells:
        if not isinstance(other, _Cells) or self.names & other.names:
            return NotImplemented
        return _Cells(self.names | other.names, self.value + other.value)

    def __radd__(self, other: Any) -> _Cells:
        return self if other == 0 else NotImplemented  # where a sum of cells starts

    def __truediv__(self, other: Any) -> _Share:
        if not isinstance(other, _Cells) or not self.names < other.names:
            return NotImplemented
        return _Share(self, other)


def _as_cells(record: Counts | Floats) -> Any:
    values = np.array(record.cells) if isinstance(record, Counts) else np.asarray(record)
    cells = np.empty(values.shape, dtype=object)
    for name, (place, value) in enumerate(np.ndenumerate(values)):
        cells[place] = _Cells(frozenset([name]), float(value))
    return Counts(*cells) if isinstance(record, Counts) else cells


def _clipped(middle: Floats, half: Floats) -> Ends:
    return np.clip(middle - half, 0, 1), np.clip(middle + half, 0, 1)
