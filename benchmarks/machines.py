"""The measured work that depends on the machine: 10^8 scores, two threads, the time of an import."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from tempfile import TemporaryDirectory

import joblib
import numpy as np

import skaucx.metrics as sx

from .measure import Row, Work, ratio_of_times

Line = tuple[str, str, float, str, Callable[[], list[float]]]

_SCORES_AT_ONCE = 10**6
_IMPORTS = 10
_WANTED_IMPORT = 50.0
_TIMED_IMPORT = """
import time
import sklearn.metrics, sklearn.model_selection, sklearn.pipeline
before = time.process_time()
import skaucx.metrics
print(time.process_time() - before)
"""


def suite(*, quick: bool = False, only: str = "") -> Iterator[Row]:
    """Measure line by line those whose work holds the text `only`."""
    for work, against, wanted, unit, measure in _lines():
        if only in work and not (quick and "10^" in work):
            yield Row(work, against, wanted, *measure(), unit)


def _lines() -> Iterator[Line]:
    work = "import of skaucx.metrics, beyond scikit-learn's"
    yield work, "50 ms", 1.0, "ms", lambda: [_import_time(), _WANTED_IMPORT]
    for name, judge in (("AUC", sx.roc_auc_score), ("all variants", sx.auc_family)):
        work = f"{name}, n = 10^7, two threads"
        yield work, "one thread", 0.65, "ms", lambda judge=judge: _of_threads(judge)
    yield "AUC, n = 10^8, float32", "NumPy's sum of the scores", 40.0, "ms", _of_many
    work = "extra memory of the AUC, n = 10^8, float32"
    yield work, "one byte a score", 12.0, "B", lambda: [_bytes_a_score(), 1.0]


def scores(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and scores of single precision, made in parts of bounded memory."""
    rng = np.random.default_rng(n)
    y, s = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.float32)
    for start in range(0, n, _SCORES_AT_ONCE):
        part = slice(start, min(start + _SCORES_AT_ONCE, n))
        y[part] = rng.integers(0, 2, part.stop - start)
        s[part] = 1 / (1 + np.exp(-rng.normal(y[part], 1.5)))
    return y, s


def _of_threads(judge: Work) -> list[float]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 10**7)
    s = 1 / (1 + np.exp(-rng.normal(y, 1.5)))

    def in_two() -> None:
        with joblib.parallel_config(n_jobs=2):
            judge(y, s)

    return ratio_of_times(in_two, lambda: judge(y, s), clock=time.perf_counter)


def _of_many() -> list[float]:
    y, s = scores(10**8)
    return ratio_of_times(lambda: sx.roc_auc_score(y, s), s.sum, budget=0, least=2)


def _bytes_a_score() -> float:
    y, s = scores(10**8)
    tracemalloc.start()
    sx.roc_auc_score(y, s)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / len(s)


def _import_time() -> float:
    """Return the least milliseconds of an import whose modules are compiled already."""
    with TemporaryDirectory() as compiled:
        kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        given = {**kept, "PYTHONPYCACHEPREFIX": compiled}
        command = [sys.executable, "-c", _TIMED_IMPORT]
        runs = [
            subprocess.run(command, env=given, capture_output=True, check=True, text=True)
            for _ in range(1 + _IMPORTS)
        ]
    return 1e3 * min(float(run.stdout) for run in runs[1:])
