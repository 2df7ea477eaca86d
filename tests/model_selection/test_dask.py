"""Nested cross-validation on a real cluster of two worker processes on this machine."""

from __future__ import annotations

import os
import signal
import threading
import time

import joblib
import numpy as np
import pytest
from sklearn.datasets import make_classification

from skaucx.model_selection import nested_cross_validate

from .unruly import Unruly

distributed = pytest.importorskip("distributed")

X, Y = make_classification(160, 5, flip_y=0.2, random_state=0)


def run(**options):
    grid = {"var_smoothing": [1e-9, 0.1, 1.0]}
    return nested_cross_validate(
        Unruly(**options), grid, X, Y, scoring="roc_auc", outer_cv=3, inner_cv=3
    )


def same(result, plain):
    np.testing.assert_array_equal(result["test_roc_auc"], plain["test_roc_auc"])
    np.testing.assert_array_equal(result.inner_scores, plain.inner_scores)
    np.testing.assert_array_equal(
        result.predictions.responses["predict_proba"], plain.predictions.responses["predict_proba"]
    )
    assert result.final.index == plain.final.index
    assert not result.failures


@pytest.mark.slow
def test_dask(tmp_path):
    """Same numbers as one process, also when a worker is killed half-way."""
    plain = run()
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
        joblib.parallel_config("dask"),
    ):
        same(run(), plain)
        victim = next(iter(client.run(os.getpid).values()))
        thread = threading.Thread(target=_kill_half_way, args=(victim, tmp_path))
        thread.start()
        same(run(log=str(tmp_path), pause=0.05), plain)
        thread.join()
        workers = {int(path.name.split("-")[0]) for path in tmp_path.iterdir()}
        assert victim in workers
        assert len(workers) >= 2
        assert len(list(tmp_path.iterdir())) >= 27 + 4


def _kill_half_way(pid, log):
    while sum(path.name.startswith(f"{pid}-") for path in log.iterdir()) < 4:
        time.sleep(0.005)
    os.kill(pid, signal.SIGKILL)
