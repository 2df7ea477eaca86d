"""Fits that are kept: damaged entries, classes of a script, runs whose parent was killed."""

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
from pathlib import Path

import joblib
import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from skaucx.model_selection import Execution, nested_cross_validate
from skaucx.model_selection.execution._cache import fit_cache

from .records import recorded
from .unruly import Unruly
from .whole_run import whole_run

pytestmark = pytest.mark.presentation

ROOT = Path(__file__).parents[2]
DATA = make_classification(100, 4, flip_y=0.2, random_state=0)
GRID = {"var_smoothing": [1e-9, 1.0]}


def run(memory, **options):
    given = {"scoring": "roc_auc", "outer_cv": 2, "inner_cv": 2, **options}
    return nested_cross_validate(
        GaussianNB(), GRID, *DATA, execution=Execution(memory=memory), **given
    )


def entries(folder):
    return sorted(Path(folder).rglob("output.pkl"))


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


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_is_fitted_again(tmp_path, damage):
    first = run(tmp_path)
    kept = entries(tmp_path)
    assert len(kept) == 12 + 2 + 1
    for path in kept[::5]:
        DAMAGES[damage](path)
    with pytest.warns(UserWarning, match="cannot be read .*fitted again") as told:
        again = run(tmp_path, n_jobs=1 + (damage == "a folder"))
    assert len(told) == len(kept[::5])
    np.testing.assert_array_equal(again["test_roc_auc"], first["test_roc_auc"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whole = run(tmp_path)
    np.testing.assert_array_equal(whole.inner_scores, first.inner_scores)
    assert entries(tmp_path) == kept
    assert not list(tmp_path.rglob("output.pkl.*"))


def test_a_place_that_cannot_be_written_costs_a_warning(tmp_path):
    """The folder of an entry is a file."""
    first = run(tmp_path)
    place = entries(tmp_path)[0].parent
    shutil.rmtree(place)
    place.write_text("in the way")
    with pytest.warns(Warning, match="Unable to cache"):
        again = run(tmp_path)
    np.testing.assert_array_equal(again["test_roc_auc"], first["test_roc_auc"])


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
def test_a_class_of_the_script(tmp_path, n_jobs):
    """In a worker it is a copy without a module; a later run finds the fits of its own class."""
    (tmp_path / "log").mkdir()
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, "-W", "error", tmp_path / "script.py", tmp_path / "kept", n_jobs]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    found = [
        subprocess.run(command, check=True, env=environment, text=True, stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    assert len(list((tmp_path / "log").iterdir())) <= 12 + 2 + 1
    assert found[0].stdout == found[1].stdout


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


def test_a_function_that_changes_is_scored_again(tmp_path, monkeypatch):
    """joblib pickles functions by their names; the code of a scorer belongs to the key."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    found = []
    for value in ("0.25", "0.75"):
        (tmp_path / "metrics_of_mine.py").write_text(f"def own(model, X, y):\n    return {value}\n")
        sys.modules.pop("metrics_of_mine", None)
        importlib.invalidate_caches()
        own = importlib.import_module("metrics_of_mine").own
        result = nested_cross_validate(
            GaussianNB(), GRID, *DATA, scoring={"own": own}, outer_cv=2, inner_cv=2,
            execution=Execution(memory=tmp_path / "fits"),
        )  # fmt: skip
        found.append(result["test_own"].tolist())
    sys.modules.pop("metrics_of_mine")
    assert found == [[0.25] * 2, [0.75] * 2]


SCRIPT_KEPT = """
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
    (tmp_path / "script.py").write_text(SCRIPT_KEPT)
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


DATA_KEPT = make_classification(120, 5, class_sep=2, flip_y=0.02, random_state=0)
ALL_OF_IT = {
    "scoring": ["neg_brier_score", "f1"], "outer_cv": 2, "inner_cv": 3, "calibration": "isotonic",
    "threshold": {"precision": {"recall": (">=", 0.6)}},
    "reject": {"coverage": 0.8},
}  # fmt: skip


def numbers(**act):
    """Run all of it on the backend that is set, and return all that came of it as numbers."""
    grid = {"var_smoothing": [1e-9, 0.1, 10.0, 1e4]}
    result = nested_cross_validate(Unruly(**act), grid, *DATA_KEPT, **recorded(ALL_OF_IT))
    model = result.final.estimator
    parts = [
        result["test_neg_brier_score"], result["test_f1"], result.plain_scores["f1"], result.inner_means,
        result.thresholds, result.rejections.least, result.rejections.coverage,
        result.predictions.responses["predict_proba"], model.predict_proba(DATA_KEPT[0]),
        model.rejected(DATA_KEPT[0]),
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
def test_a_full_disk_costs_a_warning(start, tmp_path):
    """Files end after 300 bytes: no fit can be kept, and none is read back in part."""
    _, errors = start("-", "full", most=300).communicate(timeout=120)
    assert "Unable to cache" in errors
    again = whole_run(tmp_path / "log", tmp_path / "full")
    np.testing.assert_array_equal(again, whole_run(tmp_path / "log"))
