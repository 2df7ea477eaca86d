"""Where intervals cover less than they should: the cells below 92 % of a simulated table.

``python -m benchmarks.coverage --below`` prints :data:`BELOW` from the runs that fill
``benchmarks/results/coverage.md``: how many of the nominal 95 % intervals by default contain the value
of the population. A sample has the row of the greatest size of :data:`SIZES` that it reaches: of rows
the number of the rarest class decides, of groups their number. Below 92 % the note of an interval says
so, below 88 % there is no interval at that size; methods on request are as they are.
"""

from __future__ import annotations

from collections.abc import Mapping

# The sizes of the designs of the table.
SIZES = {"rows of a class": (5, 20, 25, 50, 500), "groups": (10, 30)}
# By metric and size; a size that is not there covers 92 % or more.
BELOW: Mapping[str, Mapping[str, Mapping[int, float]]] = {"rows of a class": {}, "groups": {}}
ENOUGH, LEAST = 92.0, 88.0

NOTE = "intervals of this metric at {} {} contained the true value in {:g} % of simulated samples"


def coverage_below(metric: str, noun: str, size: float) -> tuple[float, str]:
    """Return the coverage of a metric's interval at a size, in per cent, and what to say of it."""
    held = [each for each in SIZES[noun] if each <= size]
    row = max(held, default=SIZES[noun][0])
    found = BELOW[noun].get(metric, {}).get(row, 95.0)
    return found, NOTE.format(row, noun, found) if found < ENOUGH else ""
