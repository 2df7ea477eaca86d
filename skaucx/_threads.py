"""Threads for arithmetic on large arrays, where joblib's configuration requests them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import joblib
import numpy as np

Item = TypeVar("Item")
Result = TypeVar("Result")

# Below so many numbers a second thread costs more than it saves.
_MANY_NUMBERS = 1 << 21
# Results buffered per thread: bounds the memory.
_AHEAD = 4


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


def ahead_in_threads(
    work: Callable[[Item], Result], items: Iterable[Item], threads: int
) -> Iterator[Result]:
    """Yield the results for all items in their order, as the items come, found by so many threads."""
    if threads == 1:
        yield from map(work, items)
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[Result]] = deque()
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) > _AHEAD * threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
