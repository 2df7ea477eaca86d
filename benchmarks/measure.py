"""Least times and peaks of two pieces of work, measured in turn in one process."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Work = Callable[[], Any]

# Work that takes longer (s) is measured once.
_ONCE = 8.0


@dataclass(frozen=True)
class Row:
    """One line of the table: what was measured, the ratio wanted, the ratio found.

    `floor` is the ratio of ours to its fits and predictions alone, of work that fits models.
    """

    work: str
    against: str
    wanted: float
    ours: float
    theirs: float
    unit: str = "ms"
    floor: float | None = None

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs


def ratio_of_times(
    ours: Work,
    theirs: Work,
    *,
    budget: float = 2.0,
    least: int = 3,
    clock: Callable[[], float] = time.process_time,
) -> list[float]:
    """Return the least milliseconds of each, timed in turn until the budget (s) is spent.

    The first turn warms up, and is the only one where it takes many times the budget. Processor time
    depends little on other work of the machine; work with several threads or processes needs the time
    of the wall.
    """
    first = [_seconds(work, clock) for work in (ours, theirs)]
    if sum(first) > _ONCE:
        return [1e3 * seconds for seconds in first]
    times: tuple[list[float], list[float]] = ([], [])
    start = time.perf_counter()
    while len(times[0]) < least or time.perf_counter() - start < budget:
        for kept, work in zip(times, (ours, theirs), strict=True):
            kept.append(_seconds(work, clock))
        if len(times[0]) >= 400:
            break
    return [1e3 * min(kept) for kept in times]


def _seconds(work: Work, clock: Callable[[], float]) -> float:
    before = clock()
    work()
    return clock() - before


def ratio_of_peaks(ours: Work, theirs: Work) -> list[float]:
    """Return the peak of extra memory of each in MB."""
    return [_peak(work) for work in (ours, theirs)]


def _peak(work: Work) -> float:
    gc.collect()
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20
