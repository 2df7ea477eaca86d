"""How the fits are run: backends, engines, lost workers, kept and damaged fits, interrupts."""

from __future__ import annotations

import importlib
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
import warnings
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import joblib
import numpy as np
import pytest
from joblib.externals.loky.process_executor import TerminatedWorkerError
from sklearn.exceptions import FitFailedWarning
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.naive_bayes import GaussianNB

from skaucx.model_selection import nested_cross_validate
from skaucx.model_selection.execution._cache import fit_cache

from .records import recorded
from .unruly import DATA, GRID, OUTER, Unruly, whole_run

ROOT = Path(__file__).parents[2]
N_FITS = 3 * 3 * 3 + 3  # and the refits


def run(data=DATA, grid=GRID, *, estimator=None, **options):
    options = {"scoring": "roc_auc", "outer_cv": OUTER, "inner_cv": 3, "final": None, **options}
    return nested_cross_validate(estimator or Unruly(), grid, *data, **recorded(options))


@pytest.fixture(scope="module")
def plain():
    return run()


def same(result, plain):
    for found, wanted in (
        (result["test_roc_auc"], plain["test_roc_auc"]),
        (result.inner_scores, plain.inner_scores),
        (result.winners, plain.winners),
        (result.predictions.scores("predict_proba"), plain.predictions.scores("predict_proba")),
    ):
        np.testing.assert_array_equal(found, wanted)


@pytest.fixture
def log(tmp_path):
    """A folder with a file for each fit."""
    folder = tmp_path / "log"
    folder.mkdir()
    return folder


def fits(log):
    return len(list(log.iterdir()))


def entries(folder):
    return sorted(Path(folder).rglob("output.pkl"))


@pytest.mark.slow
def test_a_dead_worker_raises_and_the_run_started_again_fits_what_is_missing(plain, log, tmp_path):
    killer = Unruly(act="kill", size=60, once=str(tmp_path / "killed"), log=str(log))
    options = {"estimator": killer, "memory": tmp_path / "kept", "n_jobs": 2}
    with pytest.raises(TerminatedWorkerError):
        run(**options)
    kept, begun = len(entries(tmp_path / "kept")), fits(log)
    assert 0 < kept < N_FITS - 3
    same(run(**options), plain)
    assert fits(log) == begun + N_FITS - kept


@pytest.mark.parametrize(
    ("place", "n_jobs"), [(str, 1), (Path, 2), (partial(joblib.Memory, verbose=0), 2)]
)
def test_memory_keeps_fits(plain, log, tmp_path, place, n_jobs):
    options = {"memory": place(tmp_path / "kept"), "estimator": Unruly(log=str(log))}
    same(run(**options, n_jobs=n_jobs), plain)
    assert fits(log) == N_FITS
    same(run(**options), plain)
    same(run((DATA[0].copy(), DATA[1].tolist()), **options), plain)
    assert fits(log) == N_FITS
    more = run(grid={"var_smoothing": [*GRID["var_smoothing"], 0.5]}, **options)
    np.testing.assert_array_equal(more.inner_scores[:, :3], plain.inner_scores)
    assert fits(log) >= N_FITS + 9


def test_memory_knows_what_a_fit_depends_on(log, tmp_path):
    options = {"memory": str(tmp_path / "kept"), "estimator": Unruly(log=str(log))}

    def n_new(data=DATA, **more):
        before = fits(log)
        run(data, **{**options, **more})
        return fits(log) - before

    assert n_new() == N_FITS
    assert n_new() == 0
    assert n_new(scoring=["roc_auc", "f1"]) == 3  # inner folds score the metric that chooses
    assert n_new(scoring="f1") == N_FITS
    assert n_new((DATA[0] + 1, DATA[1])) == N_FITS
    assert n_new(sample_weight=np.arange(160) + 1.0) == N_FITS
    assert n_new(inner_cv=KFold(3, shuffle=True, random_state=0)) >= N_FITS - 3
    assert n_new(final="vote") == 1
    assert n_new(estimator=Unruly(log=str(log), pause=1e-9)) == N_FITS
    assert n_new(error_score=0.0) == N_FITS


def test_memory_does_not_keep_failures(log, tmp_path):
    failing = Unruly(act="fail", once=str(tmp_path / "failed"), log=str(log))
    with pytest.warns(FitFailedWarning):
        result = run(estimator=failing, memory=tmp_path / "kept")
    assert len(result.failures) == 1
    assert not run(estimator=failing, memory=tmp_path / "kept").failures
    assert fits(log) <= N_FITS + 1 + 3


class OwnGrid(GridSearchCV):
    """A grid search of a class of its own, and so one that runs by itself."""


def test_memory_keeps_whole_searches(log, tmp_path):
    def search(grid):
        own = OwnGrid(Unruly(log=str(log)), grid)
        return run(estimator=own, grid=None, memory=tmp_path / "kept", final="search")

    first = search(GRID)
    begun = fits(log)
    assert begun == 4 * (3 * 3 + 1)
    same(search(GRID), first)
    assert fits(log) == begun
    search({"var_smoothing": [0.5]})
    assert fits(log) == begun + 4 * (3 + 1)


def test_memory_refuses_what_has_no_hash(tmp_path):
    scoring = {"hit": make_scorer(lambda y_true, y_pred: np.mean(y_true == y_pred))}
    with pytest.raises(ValueError, match=r"memory .* scorer .*pickled"):
        run(memory=tmp_path, scoring=scoring)


def flipped(path):
    """One bit in the middle of the scores: it could be read without a word."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def folder(path):
    path.unlink()
    path.mkdir()


DAMAGES = {
    "emptied": lambda path: path.write_bytes(b""),
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-20]),
    "flipped": flipped,
    "of another kind": lambda path: joblib.dump({"scores": 1}, path),
    "no pickle": lambda path: path.write_text("hello"),
    "other bytes": lambda path: joblib.dump(pickle.dumps(3), path),
    "a class that is gone": lambda path: path.write_bytes(b"cmissing_module\nThing\n."),
    "a folder": folder,
}


@pytest.mark.presentation
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_is_fitted_again(plain, tmp_path, damage):
    run(memory=tmp_path)
    kept = entries(tmp_path)
    assert len(kept) == N_FITS
    for path in kept[::9]:
        DAMAGES[damage](path)
    with pytest.warns(UserWarning, match="cannot be read .*fitted again") as told:
        same(run(memory=tmp_path, n_jobs=1 + (damage == "a folder")), plain)
    assert len(told) == len(kept[::9])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(run(memory=tmp_path), plain)
    assert entries(tmp_path) == kept
    assert not list(tmp_path.rglob("output.pkl.*"))


@pytest.mark.presentation
def test_a_place_that_cannot_be_written_costs_a_warning(plain, tmp_path):
    """The folder of an entry is a file."""
    run(memory=tmp_path)
    place = entries(tmp_path)[0].parent
    shutil.rmtree(place)
    place.write_text("in the way")
    with pytest.warns(Warning, match="Unable to cache"):
        same(run(memory=tmp_path), plain)


@pytest.mark.presentation
@pytest.mark.skipif(os.name != "posix", reason="rights of POSIX")
def test_memory_is_kept_where_only_the_owner_writes(tmp_path):
    """What is kept there runs as code when it is read: of a path and of a joblib.Memory alike."""
    fresh = tmp_path / "new" / "fits"
    fit_cache(fresh)
    assert fresh.stat().st_mode & 0o777 == 0o700
    for mode, ending in ((0o777, ValueError), (0o1777, ValueError), (0o770, UserWarning)):
        for number, kind in enumerate((str, Path, joblib.Memory)):
            folder = tmp_path / f"{mode}{number}"
            folder.mkdir()
            folder.chmod(mode)
            context = pytest.raises if ending is ValueError else pytest.warns
            with context(ending, match="can write to"):
                fit_cache(kind(folder))


@pytest.mark.presentation
def test_a_function_that_changes_is_scored_again(tmp_path, monkeypatch):
    """joblib pickles functions by their names; the code of a scorer belongs to the key."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for value in (0.25, 0.75):
        (tmp_path / "metrics_of_mine.py").write_text(f"def own(model, X, y):\n    return {value}\n")
        sys.modules.pop("metrics_of_mine", None)
        importlib.invalidate_caches()
        own = importlib.import_module("metrics_of_mine").own
        found = run(scoring={"own": own}, memory=tmp_path / "fits")
        assert found["test_own"].tolist() == [value] * 3
    sys.modules.pop("metrics_of_mine")


SCRIPT = """
import sys, time
from pathlib import Path
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB
from skaucx.model_selection import Execution, nested_cross_validate

class Mine(GaussianNB):
    def fit(self, X, y, sample_weight=None):
        (Path(sys.argv[0]).parent / "log" / str(time.time_ns())).touch()
        return super().fit(X, y, sample_weight)

X, y = make_classification(100, 4, flip_y=0.2, random_state=0)
if __name__ == "__main__":
    result = nested_cross_validate(
        Mine(), {"var_smoothing": [1e-9, 1.0]}, X, y, scoring="roc_auc", outer_cv=2, inner_cv=2,
        n_jobs=int(sys.argv[2]), execution=Execution(memory=sys.argv[1]),
    )
    assert type(result.final.estimator) is Mine
    print(result.final.estimator.predict(X[:5]), result["test_roc_auc"])
"""


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", ["1", "2"])
def test_a_class_of_the_script(log, tmp_path, n_jobs):
    """In a worker it is a copy without a module; a later run finds the fits of its own class."""
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, "-W", "error", tmp_path / "script.py", tmp_path / "kept", n_jobs]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    found = [
        subprocess.run(command, check=True, env=environment, text=True, stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    assert fits(log) <= 12 + 2 + 1
    assert found[0].stdout == found[1].stdout


@pytest.fixture(scope="module")
def whole():
    return whole_run()


@pytest.mark.presentation
@pytest.mark.parametrize(
    ("backend", "n_jobs"), [("loky", 1), ("loky", 2), ("threading", 2), ("multiprocessing", 2)]
)
def test_all_of_it_has_the_same_digits_on_every_backend(whole, backend, n_jobs):
    with joblib.parallel_config(backend, n_jobs=n_jobs):
        np.testing.assert_array_equal(whole_run(), whole)


@contextmanager
def dask():
    distributed = pytest.importorskip("distributed")
    options = {"processes": False, "dashboard_address": ":0", "silence_logs": 50}
    with distributed.LocalCluster(n_workers=2, **options) as cluster, distributed.Client(cluster):
        yield


@contextmanager
def ray():
    engine = pytest.importorskip("ray")
    register = pytest.importorskip("ray.util.joblib").register_ray
    engine.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    register()
    yield
    engine.shutdown()


@contextmanager
def spark():
    sql = pytest.importorskip("pyspark.sql")
    register = pytest.importorskip("joblibspark").register_spark
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("Spark needs Java")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        settings = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        session = settings.config("spark.log.level", "ERROR").getOrCreate()
        register()
        yield
        session.stop()


# The engines warn of their own settings.
@pytest.mark.filterwarnings("ignore::DeprecationWarning:ray")
@pytest.mark.filterwarnings("ignore::FutureWarning:ray")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore:Spark (local mode|session is not):UserWarning")
@pytest.mark.filterwarnings("ignore:`apply_async` is deprecated:DeprecationWarning")
@pytest.mark.parametrize("engine", [dask, ray, spark], ids=lambda engine: engine.__name__)
def test_scores_of_every_engine_are_those_of_processes(engine):
    model = {"estimator": GaussianNB(), "final": "search", "n_jobs": 2}
    with joblib.parallel_config("loky"):
        wanted = run(**model)
    with engine(), joblib.parallel_config(engine.__name__):
        found = run(**model)
    same(found, wanted)
    assert found.final.index == wanted.final.index
    assert not found.failures


def test_a_dask_array_has_the_results_of_the_array_itself(plain):
    """Folds are taken into memory."""
    array = pytest.importorskip("dask.array")
    chunks = [array.from_array(part, chunks=60) for part in DATA]
    same(run(chunks), plain)


# A shell's background jobs ignore the interrupt, and so would the child.
CHILD = """
import signal
import numpy as np
from tests.model_selection.unruly import whole_run
signal.signal(signal.SIGINT, signal.default_int_handler)
if __name__ == "__main__":
    np.save("found.npy", whole_run(**{options}))
"""


@contextmanager
def started(log, n_fits=0, **options):
    """Start a run in a process group of its own, wait for some fits, and leave no process."""
    place, temporary = log.parent, log.parent / "tmp"
    temporary.mkdir(exist_ok=True)
    (place / "child.py").write_text(CHILD.format(options={"log": str(log), **options}))
    environment = {
        "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary), "JOBLIB_TEMP_FOLDER": str(temporary),
    }  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "child.py"], cwd=place, env=os.environ | environment,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 60
        while fits(log) < n_fits:
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stderr.close()


@pytest.mark.slow
def test_interrupt_returns_at_once_and_leaves_nothing(log):
    with started(log, n_fits=2, n_samples=20_000, n_jobs=2) as process:
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        assert time.monotonic() - begin < 5
    assert "KeyboardInterrupt" in errors
    assert process.returncode == -signal.SIGINT
    workers = {int(path.name.split("-")[0]) for path in log.iterdir()}
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)
    assert not [path for path in (log.parent / "tmp").rglob("*") if path.is_file()]


@pytest.mark.slow
def test_a_killed_run_with_all_of_it_continues(whole, log, tmp_path):
    memory = str(tmp_path / "kept")
    np.testing.assert_array_equal(whole_run(str(log)), whole)
    needed = fits(log)
    with started(log, n_fits=needed + needed // 2, memory=memory) as process:
        process.send_signal(signal.SIGKILL)
    begun = fits(log) - needed
    assert 0 < begun < needed
    with started(log, memory=memory) as process:
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    np.testing.assert_array_equal(np.load(tmp_path / "found.npy"), whole)
    assert fits(log) - needed <= needed + 4
    before = fits(log)
    np.testing.assert_array_equal(whole_run(str(log), memory), whole)
    assert fits(log) == before
