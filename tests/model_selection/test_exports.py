"""Ways out of a nested result."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from skaucx.model_selection import (
    Execution,
    NestedCV,
    nested_cross_validate,
)

from .records import recorded

pytestmark = pytest.mark.presentation

X, Y = load_breast_cancer(return_X_y=True)
TREE = DecisionTreeClassifier(random_state=0)
GRID = [{"max_depth": [1, 3]}, {"min_samples_leaf": [5, 20, 20]}]


def run(**options):
    options = {"scoring": ["roc_auc", "recall"], "outer_cv": 3, "inner_cv": 4, **options}
    return nested_cross_validate(TREE, GRID, X, Y, **recorded(options))


@pytest.fixture(scope="module")
def result():
    return run()


def test_the_table_of_a_fold_is_that_of_a_grid_search(result):
    rows = np.setdiff1d(np.arange(569), result.predictions.row[result.predictions.fold == 1])
    search = GridSearchCV(TREE, GRID, scoring="roc_auc", cv=4).fit(X[rows], Y[rows])
    ours, theirs = result.cv_results(1), search.cv_results_
    assert {name for name in theirs if "time" not in name} == set(ours)
    assert ours["params"] == theirs["params"]
    for name in ours:
        if name.startswith("param_"):
            assert ours[name].tolist() == theirs[name].tolist()
        elif name != "params":
            np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-12)
    with pytest.raises(ValueError, match=r"fold .*0 to 2, found 3"):
        result.cv_results(3)


def test_tables_of_several_metrics():
    result = run(refit=["roc_auc", "recall"])
    table = result.cv_results(0)
    assert {"mean_test_roc_auc", "rank_test_recall", "split3_test_recall"} <= set(table)
    assert table["rank_test_recall"].min() == 1


def test_flat_numbers(result):
    flat = result.to_flat_dict()
    assert flat["roc_auc.mean"] == result.statistics("roc_auc").mean
    assert flat["recall.fold_2"] == result["test_recall"][2]
    assert (flat["roc_auc.low"], flat["roc_auc.high"]) == tuple(result.interval("roc_auc"))
    assert flat["roc_auc.optimism"] == pytest.approx(result.optimism.mean())
    assert all(type(value) is float for value in flat.values())
    assert json.loads(json.dumps(flat, allow_nan=False)) == flat
    # What MLflow takes as a name.
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz_.0123456789") for name in flat)


@pytest.mark.parametrize("search", [False, True], ids=["grid", "search"])
def test_estimators_are_kept_where_asked(search):
    given = (GridSearchCV(TREE, GRID[0]), None) if search else (TREE, GRID[0])
    kept = nested_cross_validate(
        *given,
        X,
        Y,
        scoring="roc_auc",
        outer_cv=3,
        execution=Execution(return_estimator=True),
        final=None,
    )
    assert len(kept.estimators) == 3
    for fold, model in enumerate(kept.estimators):
        mine = kept.predictions.fold == fold
        proba = model.predict_proba(X[kept.predictions.row[mine]])
        np.testing.assert_array_equal(proba, kept.predictions.responses["predict_proba"][mine])
    assert not run(final=None).estimators


def test_skops_holds_a_fitted_run():
    io = pytest.importorskip("skops.io")
    nested = NestedCV(TREE, GRID, scoring=["roc_auc", "recall"], outer_cv=2, inner_cv=2).fit(X, Y)
    for thing in (nested, nested.best_estimator_):
        written = io.dumps(thing)
        unknown = io.get_untrusted_types(data=written)
        assert all(name.startswith(("skaucx.", "sklearn.")) for name in unknown), unknown
        again = io.loads(written, trusted=unknown)
        np.testing.assert_array_equal(again.predict_proba(X), nested.predict_proba(X))
    model = io.get_untrusted_types(data=io.dumps(nested.best_estimator_))
    assert not [name for name in model if name.startswith("skaucx.")]  # scikit-learn's own object
    pickle.loads(pickle.dumps(nested.result_))
