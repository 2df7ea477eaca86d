"""How far long work is, in lines on standard error."""

from __future__ import annotations

import sys
import time

from joblib.logger import short_format_time


class Lines:
    """Prints lines while tasks are done, the longer they take the more rarely.

    The time between two is a second or a tenth of the time elapsed, divided by ``verbose``; none are
    printed for 0.
    """

    def __init__(self, verbose: int, what: str, total: int) -> None:
        self._verbose, self._what, self._total = verbose, what, total
        self._start = self._last = time.monotonic()

    def arrived(self, done: int) -> None:
        """Take how many are done."""
        now = time.monotonic()
        elapsed, left = now - self._start, self._total - done
        soon = (now - self._last) * self._verbose < max(1.0, elapsed / 10)
        if not self._verbose or (left and soon):
            return
        self._last = now
        spent, rest = (short_format_time(t).strip() for t in (elapsed, elapsed * left / done))
        text = f"[NestedCV] {done} of {self._total} {self._what}, {spent} elapsed"
        print(text + (f", about {rest} left" if left else ""), file=sys.stderr)
