"""A bar on standard error that shows how far a long run has come."""

from __future__ import annotations

import sys
import time
from types import TracebackType

_DELAY = 1.0  # seconds before the first drawing: short runs show nothing
_PAUSE = 0.2  # seconds between drawings
_CELLS = 30


class ProgressBar:
    """A bar that is drawn on standard error while it is open, and wiped out at the end.

    Parameters
    ----------
    total : int
        Steps of the whole work.
    shown : bool
        Whether to draw at all.
    """

    def __init__(self, total: int, *, shown: bool) -> None:
        self._total, self._shown = max(total, 1), shown
        self._done, self._drawn = 0, ""
        self._start = time.monotonic()
        self._next = self._start + _DELAY

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
        bar = ("#" * int(share * _CELLS)).ljust(_CELLS, "-")
        self._write(f"[{bar}] {share:4.0%}, {left:.0f} s left")

    def _write(self, text: str) -> None:
        """Write over what was drawn last."""
        print(f"\r{text.ljust(len(self._drawn))}\r{text}", end="", file=sys.stderr, flush=True)
        self._drawn = text
