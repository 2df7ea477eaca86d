"""How the fits are run: backends, lost workers, kept fits, interrupts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import joblib
import numpy as np
import pytest
from joblib.externals.loky.process_executor import TerminatedWorkerError
from sklearn.datasets import make_classification
from sklearn.exceptions import FitFailedWarning
from sklearn.metrics import make_scorer
from sklearn.model_selection import KFold

from skaucx.model_selection import nested_cross_validate

from .records import recorded
from .unruly import Unruly

ROOT = Path(__file__).parents[2]
SMOOTH = [1e-9, 0.1, 1.0]
GRID = {"var_smoothing": SMOOTH}
# Inner training parts have 80 rows in outer folds 0 and 1, and 60 in outer fold 2.
OUTER = [
    (np.arange(40, 160), np.arange(40)),
    (np.arange(120), np.arange(120, 160)),
    (np.arange(30, 120), np.arange(30)),
]
N_FITS = 3 * 3 * 3


@pytest.fixture(scope="module")
def data():
    return make_classification(160, 5, flip_y=0.2, random_state=0)


def run(data, grid=GRID, *, estimator=None, **options):
    options = {"scoring": "roc_auc", "outer_cv": OUTER, "inner_cv": 3, "final": None, **options}
    return nested_cross_validate(estimator or Unruly(), grid, *data, **recorded(options))


@pytest.fixture(scope="module")
def plain(data):
    return run(data)


def same(result, plain, candidates=slice(None)):
    np.testing.assert_array_equal(result["test_roc_auc"], plain["test_roc_auc"])
    np.testing.assert_array_equal(result.inner_scores[:, candidates], plain.inner_scores)
    np.testing.assert_array_equal(result.winners, plain.winners)
    np.testing.assert_array_equal(
        result.predictions.responses["predict_proba"], plain.predictions.responses["predict_proba"]
    )


def logged(folder):
    return sorted(path.read_text() for path in Path(folder).iterdir())


def test_failed_fits_are_recorded(data, plain):
    grid = [GRID, {"act": ["fail"], "size": [80]}]
    with pytest.warns(FitFailedWarning, match="no mood"):
        result = run(data, grid)
    same(result, plain, candidates=slice(3))
    assert [(f.stage, f.outer_fold, f.inner_fold) for f in result.failures] == [
        ("inner", fold, inner) for fold in (0, 1) for inner in range(3)
    ]
    failed = result.failures[0]
    assert failed.params is result.candidates[3]
    assert failed.error == "RuntimeError: no mood"
    assert "in _fail" in failed.traceback
    assert np.isnan(result.inner_scores[:2, 3]).all()
    text = " ".join(result.summary().split())
    assert "Candidate act='fail', size=80 failed in 6 inner fits: RuntimeError: no mood" in text
    assert result.to_frame()["failed_fits"].tolist() == [3, 3, 0]
    assert "failed in 6 inner fits" in result._repr_html_()
    assert not plain.failures


def test_failed_refit_is_recorded(data):
    with pytest.warns(FitFailedWarning):
        result = run(data, {"act": ["fail"], "size": [90]}, error_score=0.25)
    (failed,) = result.failures
    assert (failed.stage, failed.outer_fold, failed.inner_fold) == ("outer", 2, None)
    assert result["test_roc_auc"][2] == 0.25
    assert "failed in 1 outer fit: RuntimeError: no mood" in " ".join(result.summary().split())


@pytest.mark.slow
def test_a_dead_worker_raises_and_the_run_started_again_fits_what_is_missing(data, plain, tmp_path):
    log, once = tmp_path / "log", str(tmp_path / "killed")
    log.mkdir()
    killer = Unruly(act="kill", size=60, once=once, log=str(log))
    options = {"estimator": killer, "memory": tmp_path / "kept"}
    with pytest.raises(TerminatedWorkerError):
        run(data, **options, n_jobs=2)
    kept = len(list((tmp_path / "kept").rglob("output.pkl")))
    begun = len(logged(log))
    assert 0 < kept < N_FITS
    same(run(data, **options, n_jobs=2), plain)
    assert len(logged(log)) == begun + N_FITS + 3 - kept


@pytest.mark.parametrize(
    ("place", "n_jobs"), [(str, 1), (Path, 2), (partial(joblib.Memory, verbose=0), 2)]
)
def test_memory_keeps_fits(data, plain, tmp_path, place, n_jobs):
    log = tmp_path / "log"
    log.mkdir()
    options = {"memory": place(tmp_path / "kept"), "estimator": Unruly(log=str(log))}
    same(run(data, **options, n_jobs=n_jobs), plain)
    assert len(logged(log)) == N_FITS + 3
    same(run(data, **options), plain)
    same(run((data[0].copy(), data[1].tolist()), **options), plain)
    assert len(logged(log)) == N_FITS + 3
    more = run(data, {"var_smoothing": [*SMOOTH, 0.5]}, **options)
    np.testing.assert_array_equal(more.inner_scores[:, :3], plain.inner_scores)
    assert len(logged(log)) >= N_FITS + 3 + 9


def test_memory_knows_what_a_fit_depends_on(data, tmp_path):
    X, y = data
    log = tmp_path / "log"
    log.mkdir()
    options = {"memory": str(tmp_path / "kept"), "estimator": Unruly(log=str(log))}

    def n_new(data=data, **more):
        before = len(logged(log))
        run(data, **{**options, **more})
        return len(logged(log)) - before

    assert n_new() == N_FITS + 3
    assert n_new() == 0
    assert n_new(scoring=["roc_auc", "f1"]) == 3  # inner folds score the metric that chooses
    assert n_new(scoring="f1") == N_FITS + 3
    assert n_new((X + 1, y)) == N_FITS + 3
    assert n_new(sample_weight=np.arange(160) + 1.0) == N_FITS + 3
    assert n_new(inner_cv=KFold(3, shuffle=True, random_state=0)) >= N_FITS
    assert n_new(final="vote") == 1
    assert n_new(estimator=Unruly(log=str(log), pause=1e-9)) == N_FITS + 3
    assert n_new(error_score=0.0) == N_FITS + 3


def test_memory_does_not_keep_failures(data, tmp_path):
    log = tmp_path / "log"
    log.mkdir()
    estimator = Unruly(act="fail", once=str(tmp_path / "failed"), log=str(log))
    with pytest.warns(FitFailedWarning):
        result = run(data, estimator=estimator, memory=tmp_path / "kept")
    assert len(result.failures) == 1
    healthy = run(data, estimator=estimator, memory=tmp_path / "kept")
    assert not healthy.failures
    assert len(logged(log)) <= N_FITS + 3 + 1 + 3


def test_memory_refuses_what_has_no_hash(data, tmp_path):
    scoring = {"hit": make_scorer(lambda y_true, y_pred: np.mean(y_true == y_pred))}
    with pytest.raises(ValueError, match=r"memory .* scorer .*pickled"):
        run(data, memory=tmp_path, scoring=scoring)


# A shell's background jobs ignore the interrupt, and so would the child.
CHILD = """
import signal, sys
from sklearn.datasets import make_classification
from tests.model_selection.unruly import Unruly
from skaucx.model_selection import Execution, nested_cross_validate
signal.signal(signal.SIGINT, signal.default_int_handler)
log, memory, act = sys.argv[1:]
X, y = make_classification(20_000, 16, random_state=0)
if __name__ == "__main__":
    nested_cross_validate(
        Unruly(log=log, act=act or None, pause=0.05), {"var_smoothing": [1e-9, 0.1, 1.0, 2.0]}, X, y,
        scoring="roc_auc", outer_cv=2, inner_cv=3, final=None, n_jobs=2,
        execution=Execution(memory=memory or None),
    )
"""


@contextmanager
def started(tmp_path, *arguments, n_fits):
    """Start a run in a process group of its own, wait for some fits, and leave no process."""
    log, temporary = tmp_path / "log", tmp_path / "tmp"
    log.mkdir(), temporary.mkdir()
    script = tmp_path / "child.py"
    script.write_text(CHILD)
    process = subprocess.Popen(
        [sys.executable, script, log, *arguments],
        env={
            **os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary),
            "JOBLIB_TEMP_FOLDER": str(temporary),
        },
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 60
        while len(list(log.iterdir())) < n_fits:
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stderr.close()


@pytest.mark.slow
def test_interrupt_returns_at_once_and_leaves_nothing(tmp_path):
    with started(tmp_path, "", "", n_fits=2) as process:
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        assert time.monotonic() - begin < 5
    assert "KeyboardInterrupt" in errors
    assert process.returncode == -signal.SIGINT
    workers = {int(path.name.split("-")[0]) for path in (tmp_path / "log").iterdir()}
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)
    assert not [path for path in (tmp_path / "tmp").rglob("*") if path.is_file()]
