"""An estimator that misbehaves where it is told to, and a run with all options on."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from skaucx.model_selection import Decisions, Execution, nested_cross_validate

DATA = make_classification(160, 5, flip_y=0.2, random_state=0)
GRID = {"var_smoothing": [1e-9, 0.1, 1.0]}
# Inner training parts have 80 rows in outer folds 0 and 1, and 60 in outer fold 2.
OUTER = [
    (np.arange(40, 160), np.arange(40)),
    (np.arange(120), np.arange(120, 160)),
    (np.arange(30, 120), np.arange(30)),
]


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


def whole_run(log=None, memory=None, n_samples=300, n_jobs=None):
    """Return as numbers all that comes of a run; with a log fits take a while."""
    X, y = make_classification(n_samples, 6, flip_y=0.1, random_state=0)
    result = nested_cross_validate(
        Unruly(log=log, pause=0.02 * (log is not None)), {"var_smoothing": [1e-9, 0.1, 10.0, 1e4]},
        X, y, scoring=["neg_brier_score", "f1"], outer_cv=2, inner_cv=3, n_jobs=n_jobs,
        execution=Execution(memory=memory),
        decisions=Decisions(
            calibration="isotonic", threshold={"precision": {"recall": (">=", 0.6)}},
            reject={"coverage": 0.8},
        ),
    )  # fmt: skip
    model = result.final.estimator
    parts = [
        result["test_neg_brier_score"], result["test_f1"], result.plain_scores["f1"],
        result.inner_means, result.thresholds, result.rejections.least, result.rejections.coverage,
        result.predictions.responses["predict_proba"], model.predict_proba(X), model.rejected(X),
    ]  # fmt: skip
    return np.concatenate([np.ravel(part).astype(float) for part in parts])
