"""Fits that are kept: damaged entries, classes of a script, runs whose parent was killed."""

from __future__ import annotations

import importlib
import os
import pickle
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import joblib
import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from skaucx.model_selection import Execution, nested_cross_validate
from skaucx.model_selection.execution._cache import fit_cache

pytestmark = pytest.mark.presentation

ROOT = Path(__file__).parents[2]
DATA = make_classification(100, 4, flip_y=0.2, random_state=0)
GRID = {"var_smoothing": [1e-9, 1.0]}


def run(memory, **options):
    return nested_cross_validate(
        GaussianNB(),
        GRID,
        *DATA,
        scoring="roc_auc",
        outer_cv=2,
        inner_cv=2,
        execution=Execution(memory=memory),
        **options,
    )


def entries(folder):
    return sorted(Path(folder).rglob("output.pkl"))


def emptied(path):
    path.write_bytes(b"")


def truncated(path):
    path.write_bytes(path.read_bytes()[:-20])


def flipped(path):
    """One bit in the middle of the scores: it could be read without a word."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def of_another_kind(path):
    joblib.dump({"scores": 1}, path)


def no_pickle(path):
    path.write_text("hello")


def other_bytes(path):
    joblib.dump(pickle.dumps(3), path)


def of_a_class_that_is_gone(path):
    path.write_bytes(b"cmissing_module\nThing\n.")


def folder(path):
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    ("damage", "n_jobs"),
    [
        (emptied, 2),
        (truncated, 1),
        (flipped, 1),
        (of_another_kind, 1),
        (no_pickle, 1),
        (other_bytes, 1),
        (of_a_class_that_is_gone, 1),
        (folder, 2),
    ],
)
def test_a_damaged_entry_is_fitted_again(tmp_path, damage, n_jobs):
    first = run(tmp_path)
    kept = entries(tmp_path)
    assert len(kept) == 12 + 2 + 1
    for path in kept[::5]:
        damage(path)
    with pytest.warns(UserWarning, match="cannot be read .*fitted again") as told:
        again = run(tmp_path, n_jobs=n_jobs)
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
