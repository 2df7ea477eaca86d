"""A progress bar on standard error."""

from __future__ import annotations

import multiprocessing
import sys
import time
from types import TracebackType

_DELAY = 1.0  # seconds before the first drawing: short runs show nothing
_PAUSE = 0.2  # seconds between drawings
_CELLS = 30
_LONG = 5.0  # seconds left that one line in a log reports


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
        self._done, self._drawn, self._line = 0, "", False
        self._start = time.monotonic()
        self._next = self._start + _DELAY

    @classmethod
    def of_resamples(cls, total: int) -> ProgressBar:
        """Return the progress bar of resamples, which is drawn on a terminal only.

        Elsewhere, as in a log, one line reports the expected time if it exceeds some seconds.
        """
        here = multiprocessing.parent_process() is None
        bar = cls(total, shown=here)
        bar._line = not sys.stderr.isatty()
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
                print(f"{self._total:,} resamples, about {left:.0f} s left", file=sys.stderr)
            self._shown = False
            return
        bar = ("#" * int(share * _CELLS)).ljust(_CELLS, "-")
        self._write(f"[{bar}] {share:4.0%}, {left:.0f} s left")

    def _write(self, text: str) -> None:
        """Overwrite the bar."""
        print(f"\r{text.ljust(len(self._drawn))}\r{text}", end="", file=sys.stderr, flush=True)
        self._drawn = text
