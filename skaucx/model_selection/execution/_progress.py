"""How far a run is: lines on stderr, and scikit-learn's callbacks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Protocol

from joblib.logger import short_format_time

Remaining = Callable[[], float]


class Watcher(Protocol):
    """Is told how far a run is."""

    def begin(self, what: str, total: int) -> None: ...

    def arrived(self, done: int, total: int, remaining: Remaining) -> None: ...

    def end(self) -> None: ...


class Lines:
    """Prints lines on stderr, the longer a run takes the more rarely.

    The time between two is a second or a tenth of the time elapsed, divided by ``verbose``.
    """

    def __init__(self, verbose: int) -> None:
        self._verbose = verbose
        self._what = ""
        self._start = self._last = 0.0

    def begin(self, what: str, total: int) -> None:
        self._what = what
        self._start = self._last = time.monotonic()

    def arrived(self, done: int, total: int, remaining: Remaining) -> None:
        now = time.monotonic()
        elapsed = now - self._start
        if done < total and (now - self._last) * self._verbose < max(1.0, elapsed / 10):
            return
        self._last = now
        left = f", about {short_format_time(remaining()).strip()} left" if done < total else ""
        spent = short_format_time(elapsed).strip()
        sys.stderr.write(f"[NestedCV] {done} of {total} {self._what}, {spent} elapsed{left}\n")

    def end(self) -> None:
        pass


class Callbacks:
    """Tells scikit-learn's callbacks: a task for each batch of fits, below it one for each fit.

    A fit is reported when its result arrives. Callbacks are not handed on to the estimator.
    """

    def __init__(self, estimator: Any, context: Any) -> None:
        self._estimator = estimator
        self._root = context
        self._batch: Any = None

    def begin(self, what: str, total: int) -> None:
        self._batch = self._root.subcontext(task_name=what, max_subtasks=total)
        self._batch.call_on_fit_task_begin(estimator=self._estimator)

    def arrived(self, done: int, total: int, remaining: Remaining) -> None:
        fit = self._batch.subcontext(task_name="fit")
        fit.call_on_fit_task_begin(estimator=self._estimator)
        fit.call_on_fit_task_end(estimator=self._estimator)

    def end(self) -> None:
        self._batch.call_on_fit_task_end(estimator=self._estimator)
