"""How far long work is: a bar on a terminal, lines in a log or in the cell of a notebook."""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any, TypeVar

from joblib.logger import short_format_time

_DELAY = 1.0  # seconds before the first drawing: short runs show nothing
_PAUSE = 0.2  # seconds between drawings
_CELLS = 30
_LONG = 2.0  # seconds left that one line in a log reports


class ProgressBar:
    """A progress bar on standard error, erased at the end.

    Parameters
    ----------
    total : int
        Steps of the whole work.
    shown : bool
        Whether to draw at all.
    """

    def __init__(self, total: int, *, shown: bool) -> None:
        self._total, self._shown = max(total, 1), shown
        self._done, self._drawn, self._line = 0, "", ""
        self._start = time.monotonic()
        self._next = self._start + _DELAY

    @classmethod
    def of_resamples(cls, total: int, what: str = "resamples") -> ProgressBar:
        """Return the progress bar of resamples or the like, which is drawn on a terminal only.

        Elsewhere, as in a log, one line reports the expected time if it exceeds some seconds.
        """
        here = multiprocessing.parent_process() is None
        bar = cls(total, shown=here)
        bar._line = "" if sys.stderr.isatty() else what
        return bar

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._drawn:
            self._write("")

    def advance(self, steps: int = 1) -> None:
        """Count steps that are done."""
        self._done += steps
        now = time.monotonic()
        if self._shown and now >= self._next:
            self._next = now + _PAUSE
            self._draw(now - self._start)

    def _draw(self, seconds: float) -> None:
        share = self._done / self._total
        left = seconds * (self._total - self._done) / self._done
        if self._line:
            if left > _LONG:
                print(f"{self._total:,} {self._line}, about {left:.0f} s left", file=sys.stderr)
            self._shown = False
            return
        bar = ("#" * int(share * _CELLS)).ljust(_CELLS, "-")
        self._write(f"[{bar}] {share:4.0%}, {left:.0f} s left")

    def _write(self, text: str) -> None:
        """Overwrite the bar."""
        print(f"\r{text.ljust(len(self._drawn))}\r{text}", end="", file=sys.stderr, flush=True)
        self._drawn = text


Item = TypeVar("Item")


def counted(items: Iterable[Item], bar: ProgressBar) -> Iterator[Item]:
    """Yield items, each of which is a step once it is done with."""
    for each in items:
        yield each
        bar.advance()


def notebook_display() -> Any:
    """Return what shows things in a notebook; None where Python does not run in one."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return ipython.display.display if ipython and hasattr(shell, "kernel") else None


class Lines:
    """Prints lines on stderr while tasks are done, the longer they take the more rarely.

    The time between two is a second or a tenth of the time elapsed, divided by ``verbose``; none are
    printed for 0.
    """

    def __init__(self, verbose: int, what: str, total: int) -> None:
        self._verbose, self._what, self._total = verbose, what, total
        self._shown: Any = None
        self._start = self._last = time.monotonic()

    def arrived(self, done: int) -> None:
        """Take how many are done."""
        now = time.monotonic()
        elapsed = now - self._start
        if not self._verbose:
            return
        if done < self._total and (now - self._last) * self._verbose < max(1.0, elapsed / 10):
            return
        self._last = now
        seconds = elapsed * (self._total - done) / done
        left = f", about {short_format_time(seconds).strip()} left" if done < self._total else ""
        spent = short_format_time(elapsed).strip()
        self._tell(f"[NestedCV] {done} of {self._total} {self._what}, {spent} elapsed{left}")

    def _tell(self, text: str) -> None:
        """Write a line; in a notebook, over the line before of the same tasks."""
        display = notebook_display()
        if display is None:
            sys.stderr.write(f"{text}\n")
        elif self._shown is None:
            self._shown = display({"text/plain": text}, raw=True, display_id=True)
        else:
            self._shown.update({"text/plain": text}, raw=True)
