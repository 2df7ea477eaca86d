"""Values are the same for any number of threads of joblib's configuration, to the last digit."""

import joblib
import numpy as np
import pytest

from skaucx import _threads
from skaucx.metrics import auc_family, roc_auc_score

ROWS = 70_000


@pytest.fixture
def used(monkeypatch):
    """Let few numbers be many, and note the numbers of threads that were asked for."""
    counts = []

    class Pool(_threads.ThreadPoolExecutor):
        def __init__(self, threads):
            counts.append(threads)
            super().__init__(threads)

    monkeypatch.setattr(_threads, "_MANY_NUMBERS", 1000)
    monkeypatch.setattr(_threads, "ThreadPoolExecutor", Pool)
    monkeypatch.setattr(_threads.joblib, "cpu_count", lambda: 3)
    return counts


def scores(kind):
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, ROWS)
    s = 1 / (1 + np.exp(-rng.normal(y, 1.5)))
    return y, {"double": s, "single": s.astype(np.float32), "tied": s.round(4), "one": 0 * s}[kind]


@pytest.mark.parametrize("kind", ["double", "single", "tied", "one"])
@pytest.mark.parametrize("judge", [roc_auc_score, auc_family])
def test_values_are_those_of_one_thread(judge, kind, used):
    y, s = scores(kind)
    alone = judge(y, s)
    assert used == []
    for threads in (2, 3):
        with joblib.parallel_config(n_jobs=threads):
            assert judge(y, s) == alone
        assert set(used) == {threads}
        used.clear()


def test_no_more_threads_than_cores(used):
    y, s = scores("double")
    with joblib.parallel_config(n_jobs=64):
        roc_auc_score(y, s)
    assert set(used) == {3}


def test_few_numbers_take_one_thread():
    with joblib.parallel_config(n_jobs=2):
        assert _threads.threads_for(ROWS) == 1
        assert _threads.threads_for(1 << 22) == min(2, joblib.cpu_count())


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_workers_of_joblib_take_one_thread(backend):
    with joblib.parallel_config(backend=backend, n_jobs=2):
        found = joblib.Parallel()(joblib.delayed(_threads.threads_for)(1 << 22) for _ in range(2))
    assert found == [1, 1]
