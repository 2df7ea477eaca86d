"""The package of `examples/plugin`: its metrics at every door, from its folder and installed."""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import itertools
import json
import subprocess
import sys
import venv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score

from skaucx.command.main import main
from skaucx.evaluation import evaluate
from skaucx.inference import interval, paired_bootstrap_test
from skaucx.metrics import get_scorer
from skaucx.metrics._kinds import INPUTS, KINDS
from skaucx.metrics._registry.declare import ALIASES, METRICS
from skaucx.metrics._registry.names import SETS
from skaucx.model_selection import nested_cross_validate
from skaucx.reports import report
from skaucx.testing import check_kind

ROOT = Path(__file__).parent.parent
PLUGIN = ROOT / "examples/plugin"
RNG = np.random.default_rng(0)
N = 240
T = RNG.integers(0, 2, N)
X = RNG.normal(size=(N, 2))
Y = (RNG.random(N) < 0.3 + 0.3 * T * (X[:, 0] > 0)).astype(int)
NAMES = ["qini", "auuc"]


class TwoModels(RegressorMixin, BaseEstimator):
    """The difference of two probabilities: of a model of the treated rows, and of the controls."""

    def __init__(self, C=1.0):
        self.C = C

    def fit(self, X, y, treatment):
        self.models_ = [
            LogisticRegression(C=self.C).fit(X[treatment == k], y[treatment == k]) for k in (0, 1)
        ]
        return self

    def predict(self, X):
        control, treated = (m.predict_proba(X)[:, 1] for m in self.models_)
        return treated - control


def by_definition(name, y, uplift, t):
    """Return a metric from its definition, one threshold after another."""

    def area(ranks):
        points = [(0, 0.0)]
        for rank in sorted(set(ranks.tolist()), reverse=True):
            on = ranks >= rank
            n_t, n_c = (t[on] == 1).sum(), (t[on] == 0).sum()
            y_t, y_c = y[on & (t == 1)].sum(), y[on & (t == 0)].sum()
            rate_t, rate_c = (y_t / n_t if n_t else 0), (y_c / n_c if n_c else 0)
            of_qini = y_t - (y_c * n_t / n_c if n_c else 0)
            of_uplift = (rate_t - rate_c) * (n_t + n_c)
            points.append((n_t + n_c, of_qini if name == "qini" else of_uplift))
        return sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in itertools.pairwise(points))

    if name == "qini":
        best = np.where(t == 1, y, -y)
    else:
        last = y if (y * (1 - t)).sum() > (t * (1 - y)).sum() else t
        best = 2 * (y == t) + last
    random = area(np.zeros(len(y)))
    return (area(uplift) - random) / (area(best) - random)


REGISTRIES = [METRICS, ALIASES, KINDS, SETS]


@pytest.fixture(scope="module")
def uplift():
    """Return the module from its folder; forget afterwards what it declares."""
    held = [dict(each) for each in REGISTRIES]
    inputs = list(INPUTS)
    sys.path.insert(0, str(PLUGIN))
    yield importlib.import_module("skaucx_uplift")
    sys.path.remove(str(PLUGIN))
    del sys.modules["skaucx_uplift"]
    INPUTS[:] = inputs
    for registry, before in zip(REGISTRIES, held, strict=True):
        registry.data.clear()
        registry.data.update(before)


def routed():
    """Return the estimator that requests the treatment, within routing."""
    return TwoModels().set_fit_request(treatment=True)


def door_function(name):
    return METRICS[name](Y, X[:, 0], treatment=T)


def door_scorer(name):
    with config_context(enable_metadata_routing=True):
        return get_scorer(name)(TwoModels().fit(X, Y, T), X, Y, treatment=T)


def door_cross_val_score(name):
    with config_context(enable_metadata_routing=True):
        return cross_val_score(
            routed(), X, Y, scoring=get_scorer(name), cv=3, params={"treatment": T}
        )


def door_grid_search(name):
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            routed(), {"C": [0.1, 1]}, scoring=get_scorer(name), cv=3, error_score="raise"
        )
        return search.fit(X, Y, treatment=T).cv_results_["mean_test_score"]


def door_nested_run(name):
    with config_context(enable_metadata_routing=True):
        result = nested_cross_validate(
            routed(), {"C": [0.1, 1]}, X, Y, scoring=[name], outer_cv=3, inner_cv=2, treatment=T
        )
    assert name in str(result.summary())
    return result[f"test_{name}"]


def door_evaluate(name):
    return evaluate(Y, y_score=X[:, 0], metrics=[name], treatment=T)[name]


def test_without_names_the_metrics_of_the_kind_are_read_and_none_of_classes(uplift):
    assert list(evaluate(Y, y_score=X[:, 0], treatment=T)) == NAMES
    numbers = Y + np.arange(N) % 3
    with pytest.raises(ValueError, match="y_true must hold 0 and 1, found 2"):
        evaluate(numbers, y_score=X[:, 0], treatment=T)


def door_interval(name):
    found = interval(name, Y, X[:, 0], treatment=T, n_resamples=100, random_state=0)
    assert found.low < found.estimate < found.high
    return found.estimate


def door_paired_test(name):
    found = paired_bootstrap_test(
        name, Y, X[:, 0], X[:, 1], treatment=T, n_resamples=100, random_state=0
    )
    assert found.difference == pytest.approx(np.subtract(*found.estimates))
    return found.difference


def door_groups(name):
    half = np.arange(N) % 2
    found = evaluate(Y, y_score=X[:, 0], metrics=[name], treatment=T, by=half)
    assert found[0][name] == pytest.approx(
        evaluate(Y[half == 0], y_score=X[half == 0, 0], metrics=[name], treatment=T[half == 0])[
            name
        ]
    )
    return [found[k][name] for k in (0, 1)]


def door_weights(name):
    weight, twice = 1 + np.arange(N) % 2, np.repeat(np.arange(N), 1 + np.arange(N) % 2)
    found, repeated = (
        evaluate(Y[rows], y_score=X[rows, 0], metrics=[name], treatment=T[rows], **given)[name]
        for rows, given in ((slice(None), {"sample_weight": weight}), (twice, {}))
    )
    assert found == pytest.approx(repeated)
    return found


def door_named_set(name):
    found = evaluate(Y, y_score=X[:, 0], metrics="uplift", treatment=T)
    assert list(found) == NAMES
    return found[name]


def door_report(name, folder):
    found = evaluate(Y, y_score=X[:, 0], metrics=[name], treatment=T, intervals=True)
    page = found.report(folder / "page.html").read_text(encoding="utf-8")
    assert f"{found[name]:.2f}" in page
    report(folder / "rows.html", Y, y_score=X[:, 0], metrics=[name], treatment=T)
    assert f"{found[name]:.2f}" in (folder / "rows.html").read_text(encoding="utf-8")
    return found[name]


def door_command_line(name, folder):
    path = folder / "rows.csv"
    frame = pd.DataFrame({"bought": Y, "uplift": X[:, 0], "letter": T})
    frame.to_csv(path, index=False)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = main(
            ["evaluate", str(path), "--true", "bought", "--score", "uplift", "--metrics", name,
             "--array", "treatment=letter", "--json"]
        )  # fmt: skip
    assert not status
    return json.loads(printed.getvalue())[name]


ON_ROWS = [door_function, door_evaluate, door_interval, door_named_set]
OF_PARTS = [door_paired_test, door_groups, door_weights]
OF_MODELS = [door_scorer, door_cross_val_score, door_grid_search, door_nested_run]
IN_FILES = [door_report, door_command_line]


def every_door(folder):
    """Pass both metrics through all doors; return how many doors there are."""
    for name in NAMES:
        expected = pytest.approx(by_definition(name, Y, X[:, 0], T), rel=1e-9)
        for door in ON_ROWS:
            assert door(name) == expected, door.__name__
        for door in IN_FILES:
            assert door(name, folder) == expected, door.__name__
        for door in (*OF_PARTS, *OF_MODELS):
            assert np.isfinite(door(name)).all(), door.__name__
    return len([*ON_ROWS, *OF_PARTS, *OF_MODELS, *IN_FILES])


@pytest.mark.parametrize("digits", [0, 1, 9])
@pytest.mark.parametrize("name", NAMES)
def test_values_are_those_of_the_definition(uplift, name, digits):
    function = getattr(uplift, f"{name}_score")
    for part in np.array_split(np.arange(N), 6):
        score, y, t = np.round(X[part, 0], digits), Y[part], T[part]
        expected = by_definition(name, y, score, t)
        assert function(y, score, treatment=t) == pytest.approx(expected, rel=1e-9)


# Values of qini_auc_score and uplift_auc_score of scikit-uplift 0.5.1 on these rows.
def test_values_are_those_of_scikit_uplift(uplift):
    t = np.array([1, 0] * 10)
    score = np.arange(20) // 3 % 5
    y = np.array([0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0])
    assert uplift.qini_score(y, score, treatment=t) == pytest.approx(QINI)
    assert uplift.auuc_score(y, score, treatment=t) == pytest.approx(AUUC)


QINI, AUUC = 0.12837837837837837, 0.1865234375


def test_docstrings_keep_their_own_references(uplift):
    assert "Radcliffe" in uplift.qini_score.__doc__
    assert r"Q = y^t - y^c \frac{n^t}{n^c}" in uplift.qini_score.__doc__


def test_it_is_small_and_uses_public_names():
    code = ast.parse((PLUGIN / "skaucx_uplift/__init__.py").read_text(encoding="utf-8"))
    assert sum(isinstance(node, ast.stmt) for node in ast.walk(code)) <= 120
    imports = [ast.unparse(n) for n in ast.walk(code) if isinstance(n, ast.ImportFrom)]
    own = [line for line in imports if "skaucx" in line]
    assert len(own) == 2
    assert not any("._" in line or " _" in line for line in own)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({}, TypeError, "treatment is missing"),
        ({"treatment": T + 1}, ValueError, "treatment must hold 0 and 1, found 2"),
        ({"treatment": T[1:]}, ValueError, "treatment"),
        ({"treatment": T.astype(str)}, ValueError, "treatment must hold one number"),
        ({"treatment": T, "sample_weight": -np.ones(N)}, ValueError, "sample_weight"),
    ],
)
def test_bad_arrays_are_refused(uplift, given, error, message):
    with pytest.raises(error, match=message):
        uplift.qini_score(Y, X[:, 0], **given)


def test_the_checks_of_the_package_pass(uplift):
    report = check_kind(uplift.UPLIFT, Y[:80], X[:80, 0], treatment=T[:80])
    assert {each.reason for each in report if each.outcome == "does not apply"} == {
        "no losses are declared", "no losses, influence or totals are declared, or none of these rows",
    }  # fmt: skip


def test_every_door_from_its_folder(uplift, tmp_path):
    assert every_door(tmp_path) == 15


SCRIPT = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from tests.test_plugin import every_door
print(every_door(Path(sys.argv[2])), sys.modules["skaucx_uplift"].__file__)
"""


@pytest.mark.slow
def test_every_door_where_it_is_installed(tmp_path):
    """A fresh environment finds the metrics by the entry points of the package alone."""
    place = tmp_path / "environment"
    venv.create(place, with_pip=False)
    python = place / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    [site] = place.rglob("site-packages")
    others = [path for path in sys.path if "site-packages" in path]
    (site / "others.pth").write_text("\n".join([*others, str(ROOT)]), encoding="utf-8")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation",
         "--no-index", "--target", str(site), str(PLUGIN)],
        check=True,
    )  # fmt: skip
    run = subprocess.run(
        [str(python), "-c", SCRIPT, str(ROOT), str(tmp_path)],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert not run.returncode, run.stderr
    doors, path = run.stdout.split()
    assert doors == "15"
    assert Path(path).is_relative_to(site)
