"""Where intervals cover less than they should: the cells below 92 % of a simulated table.

``python -m benchmarks.coverage --below`` prints :data:`BELOW` from the runs that fill
``benchmarks/results/coverage.md``: how many of the nominal 95 % intervals by default contain the value
of the population. A sample has the row of the greatest size of :data:`SIZES` that it reaches: of rows
the number of the rarest class decides, of groups their number. Below 92 % the note of an interval says
so, below 88 % there is no interval at that size; methods on request are as they are. Of several classes
the table has macro averages.
"""

from __future__ import annotations

from collections.abc import Mapping

_TWO, _SEVERAL, _GROUPS = "rows of a class", "rows of the rarest of several classes", "groups"
# The sizes of the designs of the table.
SIZES = {_TWO: (5, 20, 25, 50, 500), _SEVERAL: (3, 9), _GROUPS: (10, 30)}
# By metric and size; a size that is not there covers 92 % or more.
BELOW: Mapping[str, Mapping[str, Mapping[int, float]]] = {_TWO: {}, _SEVERAL: {}, _GROUPS: {}}
ENOUGH, LEAST = 92.0, 88.0

NOTE = "intervals of this metric at {} {} contained the true value in {:g} % of simulated samples"


def noun_of(classes: int, grouped: bool) -> str:
    """Return what the size of a sample counts."""
    if grouped:
        return _GROUPS
    return _SEVERAL if classes > 2 else _TWO


def coverage_below(metric: str, noun: str, size: float) -> tuple[bool, str]:
    """Return whether a metric has an interval at a size, and what to say of its coverage if low."""
    held = [each for each in SIZES[noun] if each <= size]
    row = max(held, default=SIZES[noun][0])
    found = BELOW[noun].get(metric, {}).get(row, 100.0)
    return found >= LEAST, NOTE.format(row, noun, found) if found < ENOUGH else ""
