"""An estimator that misbehaves where it is told to, for tests in several processes."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from sklearn.naive_bayes import GaussianNB


class Unruly(GaussianNB):
    """Naive Bayes that does ``act`` when fitted on ``size`` rows, and writes a file a fit.

    The file holds the candidate and the rows.
    """

    def __init__(self, var_smoothing=1e-9, act=None, size=None, once=None, log=None, pause=0.0):
        super().__init__(var_smoothing=var_smoothing)
        self.act = act
        self.size = size
        self.once = once
        self.log = log
        self.pause = pause

    def fit(self, X, y, sample_weight=None):
        if self.log is not None:
            text = f"{self.var_smoothing} {self.act} {X.shape[0]}"
            (Path(self.log) / f"{os.getpid()}-{time.time_ns()}").write_text(text)
        time.sleep(self.pause)
        if self.act is not None and self.size in (None, X.shape[0]) and self._first_time():
            getattr(self, f"_{self.act}")()
        return super().fit(X, y, sample_weight)

    def _first_time(self):
        if self.once is None:
            return True
        try:
            Path(self.once).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    def _kill(self):
        os.kill(os.getpid(), signal.SIGKILL)

    def _fail(self):
        raise RuntimeError("no mood")
