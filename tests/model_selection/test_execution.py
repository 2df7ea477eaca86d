"""How the fits are run: backends, lost workers, time limits, kept fits, interrupts."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import FitFailedWarning
from sklearn.metrics import make_scorer
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from skaucx.model_selection import Execution, NestedCV, nested_cross_validate
from skaucx.model_selection.execution import _executor as executor_module
from skaucx.model_selection.execution._executor import FitExecutor
from skaucx.model_selection.execution._job import Job, perform_all

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


class OneOfThree:
    """The first of three stratified folds."""

    def split(self, X, y, groups=None):
        yield next(iter(StratifiedKFold(3).split(X, y)))

    def get_n_splits(self, X=None, y=None, groups=None):
        return 1


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


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_same_numbers_under_every_backend(data, plain, backend):
    with joblib.parallel_config(backend, n_jobs=2):
        same(run(data), plain)


@pytest.mark.parametrize(("kind", "n_files"), [(np.asarray, 1), (pd.DataFrame, 1), (csr_matrix, 2)])
def test_data_are_written_once_for_all_workers_and_removed(tmp_path, monkeypatch, kind, n_files):
    shared, log = tmp_path / "shared", tmp_path / "log"
    shared.mkdir(), log.mkdir()
    X, y = make_classification(20_000, 16, random_state=0)
    estimator = Unruly(log=str(log), look=str(shared))
    monkeypatch.setenv("JOBLIB_TEMP_FOLDER", str(shared))
    run((kind(X), y), {}, estimator=estimator, outer_cv=KFold(2), inner_cv=2, n_jobs=2)
    seen = {tuple(text.splitlines()[1:]) for text in logged(log)}
    assert len(list(log.iterdir())) == 6
    assert len(set().union(*seen)) == n_files
    assert not list(shared.glob("*/*"))


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
    assert "Candidate act='fail', size=80 failed on 3 of 3 inner folds of outer fold 0" in text
    assert "on 3 of 3 inner folds of outer fold 1: RuntimeError: no mood" in text
    assert result.to_frame()["failed_fits"].tolist() == [3, 3, 0]
    assert "Failed fits" in result._repr_html_()
    assert not plain.failures
    assert "Failed" not in plain._repr_html_()


def test_failed_refit_is_recorded(data):
    with pytest.warns(FitFailedWarning):
        result = run(data, {"act": ["fail"], "size": [90]}, error_score=0.25)
    (failed,) = result.failures
    assert (failed.stage, failed.outer_fold, failed.inner_fold) == ("outer", 2, None)
    assert result["test_roc_auc"][2] == 0.25
    assert "failed in the refit of outer fold 2" in " ".join(result.summary().split())


@pytest.mark.slow
def test_dead_workers_lose_nothing(data, tmp_path):
    """Two candidates kill their workers, by exit and by SIGKILL; all other fits arrive."""
    acts = {"act": ["exit", "kill"], "size": [60], "var_smoothing": [1.0]}
    healthy = run(data, inner_cv=OneOfThree())
    with pytest.warns(FitFailedWarning, match="killed its worker process twice"):
        result = run(
            data, [GRID, acts], estimator=Unruly(log=str(tmp_path)), n_jobs=2, inner_cv=OneOfThree()
        )
    same(result, healthy, candidates=slice(3))
    name = "the fit of act={!r}, size=60, var_smoothing=1.0 on inner fold 0 of outer fold 2"
    assert sorted(failed.error for failed in result.failures) == [
        f"RuntimeError: {name.format(act)} killed its worker process twice"
        for act in ("exit", "kill")
    ]
    assert "EXIT(3)" in "".join(failed.traceback for failed in result.failures)
    fits = logged(tmp_path)
    for act in ("exit", "kill"):
        assert fits.count(f"1.0 {act} 60") == 2


@pytest.mark.slow
def test_who_kills_a_worker_once_is_tried_again(data, plain, tmp_path):
    estimator = Unruly(act="kill", once=str(tmp_path / "killed"))
    same(run(data, estimator=estimator, n_jobs=2), plain)
    assert (tmp_path / "killed").exists()


@pytest.mark.slow
def test_dead_worker_raises_where_errors_are_to_raise(data):
    with pytest.raises(
        RuntimeError, match=r"fit of act='exit' on .* killed its worker process twice"
    ):
        run(data, {"act": ["exit"]}, n_jobs=2, error_score="raise", outer_cv=OUTER[:1])


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
    assert n_new(scoring=["roc_auc", "f1"]) == N_FITS + 3  # inner folds score all metrics
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


def test_wrong_memory(data):
    with pytest.raises(TypeError, match=r"memory .*joblib\.Memory, found int"):
        run(data, memory=3)


def test_memory_refuses_what_has_no_hash(data, tmp_path):
    scoring = {"hit": make_scorer(lambda y_true, y_pred: np.mean(y_true == y_pred))}
    with pytest.raises(ValueError, match=r"memory .* scorer .*pickled"):
        run(data, memory=tmp_path, scoring=scoring)


def test_memory_location_none_keeps_nothing(data, plain):
    same(run(data, memory=joblib.Memory(None)), plain)


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
def test_a_killed_run_continues(tmp_path):
    with started(tmp_path, tmp_path / "kept", "", n_fits=12):
        pass
    n_begun = len(logged(tmp_path / "log"))
    n_kept = len(list((tmp_path / "kept").rglob("output.pkl")))
    assert n_begun - 2 <= n_kept < 24
    arguments = [sys.executable, tmp_path / "child.py", tmp_path / "log", tmp_path / "kept", ""]
    subprocess.run(arguments, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert len(logged(tmp_path / "log")) == n_begun + 24 + 2 - n_kept


@pytest.mark.slow
@pytest.mark.parametrize("act", ["", "spin"])
def test_interrupt_returns_at_once_and_leaves_nothing(tmp_path, act):
    with started(tmp_path, "", act, n_fits=2) as process:
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        assert time.monotonic() - begin < 5
    assert "KeyboardInterrupt" in errors
    assert process.returncode == -signal.SIGINT
    workers = {int(path.name.split("-")[0]) for path in (tmp_path / "log").iterdir()}
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)
    assert not [path for path in (tmp_path / "tmp").rglob("*") if path.is_file()]


def test_parameters_clone_and_pickle(data, tmp_path):
    nested = NestedCV(
        GaussianNB(), GRID, scoring="roc_auc",
        execution=Execution(memory=str(tmp_path), error_score=0.0), n_jobs=2,
        outer_cv=2, inner_cv=2,
    )  # fmt: skip
    params = clone(nested).get_params(deep=False)["execution"]
    assert (params.memory, params.error_score) == (str(tmp_path), 0.0)
    copy = pickle.loads(pickle.dumps(clone(nested).fit(*data)))
    np.testing.assert_array_equal(
        copy.result_["test_roc_auc"], nested.fit(*data).result_["test_roc_auc"]
    )


def plus(data, number):
    return data[0] + number


def test_short_fits_on_one_sample_are_sent_together(monkeypatch):
    datasets, sent = ([0], [1000]), []

    def recorded(tasks, data):
        sent.append((len(tasks), data))
        assert {jobs[task.index].data is data for task in tasks} == {True}
        return perform_all(tasks, data)

    monkeypatch.setattr(executor_module, "perform_all", recorded)
    with joblib.parallel_config("threading"), FitExecutor(datasets, n_jobs=2) as executor:
        for _ in range(2):  # what fits take is known from the first batch
            sent.clear()
            jobs = [
                Job("inner", {}, plus, {"number": i}, datasets[i // 100 % 2]) for i in range(400)
            ]
            expected = [1000 * (i // 100 % 2) + i for i in range(400)]
            assert executor.run(jobs, "sums") == expected
    assert sum(size for size, _ in sent) == 400
    assert len(sent) < 50
    assert max(size for size, _ in sent) > 50 > 4 > sent[-1][0]


@pytest.mark.slow
def test_who_dies_among_fits_that_are_sent_together_loses_none(data, tmp_path):
    grid = {"var_smoothing": np.logspace(-9, 0, 12)}
    killer = Unruly(act="kill", size=60, once=str(tmp_path / "killed"))
    same(run(data, grid, estimator=killer, n_jobs=2), run(data, grid))
    assert (tmp_path / "killed").exists()
