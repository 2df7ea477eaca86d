"""An estimator that misbehaves where it is told to, for tests in several processes."""

from __future__ import annotations

import collections
import itertools
import os
import signal
import time
from pathlib import Path

from sklearn.naive_bayes import GaussianNB


class Unruly(GaussianNB):
    """Naive Bayes that does ``act`` when fitted on ``size`` rows, and writes a file a fit.

    The file holds the candidate and the rows; ``look`` is a folder whose files it names too.
    """

    def __init__(
        self, var_smoothing=1e-9, act=None, size=None, once=None, log=None, look=None, pause=0.0
    ):
        super().__init__(var_smoothing=var_smoothing)
        self.act = act
        self.size = size
        self.once = once
        self.log = log
        self.look = look
        self.pause = pause

    def fit(self, X, y, sample_weight=None):
        if self.log is not None:
            seen = [] if self.look is None else sorted(map(str, Path(self.look).glob("*/*")))
            text = "\n".join([f"{self.var_smoothing} {self.act} {X.shape[0]}", *seen])
            (Path(self.log) / f"{os.getpid()}-{time.time_ns()}").write_text(text)
        time.sleep(self.pause)
        if self.act is not None and self.size in (None, X.shape[0]) and self._first_time():
            getattr(self, f"_{self.act}")()
        return super().fit(_dense(X), y, sample_weight)

    def predict(self, X):
        return super().predict(_dense(X))

    def predict_proba(self, X):
        return super().predict_proba(_dense(X))

    def _first_time(self):
        if self.once is None:
            return True
        try:
            Path(self.once).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    def _exit(self):
        os._exit(3)

    def _kill(self):
        os.kill(os.getpid(), signal.SIGKILL)

    def _fail(self):
        raise RuntimeError("no mood")

    def _sleep(self):
        time.sleep(1000)

    def _spin(self):
        """Hang in C, with the interpreter's lock."""
        collections.deque(itertools.repeat(0), maxlen=0)


def _dense(X):
    return X.toarray() if hasattr(X, "toarray") else X
