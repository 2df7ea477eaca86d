"""What is lost where a run is killed, two share a folder, or the disk is full: nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import joblib
import numpy as np
import pytest
from sklearn.datasets import make_classification

from skaucx.model_selection import nested_cross_validate

from .records import recorded
from .unruly import Unruly
from .whole_run import whole_run

pytestmark = pytest.mark.presentation

ROOT = Path(__file__).parents[2]
SCRIPT = """
import resource, signal, sys
import numpy as np
from tests.model_selection.whole_run import whole_run

out, log, memory, most = sys.argv[1:]
if __name__ == "__main__":
    if int(most):  # no file may grow beyond, as on a full disk
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(most), int(most)))
    np.save(sys.stdout.buffer if out == "-" else out, whole_run(log, memory))
"""


@pytest.fixture
def start(tmp_path):
    """Start a run in a process of its own; it writes what it found to a file."""
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "log").mkdir()

    def begin(name, memory, most=0):
        return subprocess.Popen(
            [sys.executable, tmp_path / "script.py", tmp_path / name, tmp_path / "log",
             tmp_path / memory, str(most)],
            env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    return begin


def found(process, path):
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return np.load(f"{path}.npy")


def fits(tmp_path):
    return len(list((tmp_path / "log").iterdir()))


DATA = make_classification(120, 5, class_sep=2, flip_y=0.02, random_state=0)
ALL_OF_IT = {
    "scoring": ["neg_brier_score", "f1"], "outer_cv": 2, "inner_cv": 3, "calibration": "isotonic",
    "threshold": {"precision": {"recall": (">=", 0.6)}},
    "reject": {"coverage": 0.8},
}  # fmt: skip


def numbers(**act):
    """Run all of it on the backend that is set, and return all that came of it as numbers."""
    grid = {"var_smoothing": [1e-9, 0.1, 10.0, 1e4]}
    result = nested_cross_validate(Unruly(**act), grid, *DATA, **recorded(ALL_OF_IT))
    model = result.final.estimator
    parts = [
        result["test_neg_brier_score"], result["test_f1"], result.plain_scores["f1"], result.inner_means,
        result.thresholds, result.rejections.least, result.rejections.coverage,
        result.predictions.responses["predict_proba"], model.predict_proba(DATA[0]),
        model.rejected(DATA[0]),
    ]  # fmt: skip
    return np.concatenate([np.ravel(part).astype(float) for part in parts])


@pytest.fixture(scope="module")
def alone():
    return numbers()


@pytest.mark.parametrize(
    ("backend", "n_jobs"), [("loky", 1), ("loky", 2), ("threading", 2), ("multiprocessing", 2)]
)
def test_all_of_it_has_the_same_digits_on_every_backend(alone, backend, n_jobs):
    with joblib.parallel_config(backend, n_jobs=n_jobs):
        np.testing.assert_array_equal(numbers(), alone)


@pytest.mark.slow
def test_a_killed_run_with_all_of_it_continues(start, tmp_path):
    whole = whole_run(tmp_path / "log")
    needed = fits(tmp_path)
    process = start("killed", "kept")
    while fits(tmp_path) < needed + needed // 2:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    begun = fits(tmp_path) - needed
    assert 0 < begun < needed
    again = found(start("again", "kept"), tmp_path / "again")
    np.testing.assert_array_equal(again, whole)
    assert fits(tmp_path) - needed <= needed + 4
    before = fits(tmp_path)
    np.testing.assert_array_equal(whole_run(tmp_path / "log", tmp_path / "kept"), whole)
    assert fits(tmp_path) == before


@pytest.mark.slow
def test_two_runs_share_a_folder(start, tmp_path):
    processes = {name: start(name, "shared") for name in ("first", "second")}
    results = [found(process, tmp_path / name) for name, process in processes.items()]
    np.testing.assert_array_equal(*results)
    before = fits(tmp_path)
    third = whole_run(tmp_path / "log", tmp_path / "shared")
    np.testing.assert_array_equal(third, results[0])
    assert fits(tmp_path) == before
    assert not list((tmp_path / "shared").rglob("output.pkl.*"))


@pytest.mark.slow
def test_a_full_disk_costs_a_warning(start, tmp_path):
    """Files end after 300 bytes: no fit can be kept, and none is read back in part."""
    _, errors = start("-", "full", most=300).communicate(timeout=120)
    assert "Unable to cache" in errors
    again = whole_run(tmp_path / "log", tmp_path / "full")
    np.testing.assert_array_equal(again, whole_run(tmp_path / "log"))
