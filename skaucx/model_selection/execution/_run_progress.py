"""How far a run is: who is told, and lines on stderr or in a notebook's cell."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Protocol

from joblib.logger import short_format_time

from ._job import Job

Remaining = Callable[[], float]


def notebook_display() -> Any:
    """Return what shows things in a notebook; None where Python does not run in one."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return ipython.display.display if ipython and hasattr(shell, "kernel") else None


class Watcher(Protocol):
    """Is told how far a run is."""

    def begin(self, what: str, total: int) -> None: ...

    def arrived(
        self, done: int, total: int, remaining: Remaining, job: Job, value: Any
    ) -> None: ...

    def end(self) -> None: ...


class Lines:
    """Prints lines on stderr, the longer a run takes the more rarely.

    The time between two is a second or a tenth of the time elapsed, divided by ``verbose``.
    """

    def __init__(self, verbose: int) -> None:
        self._verbose = verbose
        self._what = ""
        self._shown: Any = None
        self._start = self._last = 0.0

    def begin(self, what: str, total: int) -> None:
        self._what, self._shown = what, None
        self._start = self._last = time.monotonic()

    def arrived(
        self, done: int, total: int, remaining: Remaining, job: Any = None, value: Any = None
    ) -> None:
        now = time.monotonic()
        elapsed = now - self._start
        if done < total and (now - self._last) * self._verbose < max(1.0, elapsed / 10):
            return
        self._last = now
        left = f", about {short_format_time(remaining()).strip()} left" if done < total else ""
        spent = short_format_time(elapsed).strip()
        self._tell(f"[NestedCV] {done} of {total} {self._what}, {spent} elapsed{left}")

    def _tell(self, text: str) -> None:
        """Write a line; in a notebook, over the line before of the same batch."""
        display = notebook_display()
        if display is None:
            sys.stderr.write(f"{text}\n")
        elif self._shown is None:
            self._shown = display({"text/plain": text}, raw=True, display_id=True)
        else:
            self._shown.update({"text/plain": text}, raw=True)

    def end(self) -> None:
        pass
