"""Threads for arithmetic on large arrays, where joblib's configuration requests them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import joblib
import numpy as np

Item = TypeVar("Item")
Result = TypeVar("Result")

# Below so many numbers a second thread costs more than it saves.
_MANY_NUMBERS = 1 << 21


def threads_for(size: int) -> int:
    """Return how many threads may work on so many numbers: 1 unless joblib's configuration has more.

    ``joblib.parallel_config(n_jobs=2)`` allows two; in its workers joblib allows one.
    """
    return 1 if size < _MANY_NUMBERS else allowed_threads()


def allowed_threads() -> int:
    """Return how many threads joblib's configuration allows."""
    return max(1, min(joblib.effective_n_jobs(None), joblib.cpu_count()))


def in_threads(work: Callable[[Item], Result], items: Sequence[Item], threads: int) -> list[Result]:
    """Return the results for all items in their order; each thread takes a run of them.

    Passing single results between threads would take longer than computing them.
    """
    if threads == 1:
        return list(map(work, items))
    runs = np.array_split(np.arange(len(items)), threads)
    with ThreadPoolExecutor(threads) as pool:
        found = pool.map(lambda run: [work(items[place]) for place in run.tolist()], runs)
        return [result for results in found for result in results]
