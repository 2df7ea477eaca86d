"""Ways out of a nested result, and back."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from sklearn import config_context
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import get_scorer as sklearn_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skaucx.metrics import get_scorer
from skaucx.model_selection import (
    Decisions,
    Execution,
    NestedCV,
    NestedCVResult,
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


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"final": None, "threshold": "f1", "calibration": "sigmoid"},
        {"reject": {"cost": 0.2}, "prediction_sets": {"confidence_level": 0.9, "method": "refit"}},
        {"refit": ["recall", "roc_auc"], "sample_weight": np.arange(569.0) % 3 + 1},
    ],
    ids=["plain", "decided", "left open", "weighted"],
)
def test_json_both_ways(options):
    result = run(**options)
    again = NestedCVResult.from_json(result.to_json())
    assert again.to_json() == result.to_json()
    for name in ("roc_auc", "recall"):
        assert tuple(again.interval(name)) == tuple(result.interval(name))
        assert again.statistics(name).pooled == result.statistics(name).pooled
    assert again.winning_params == result.winning_params
    np.testing.assert_array_equal(again.thresholds, result.thresholds)
    np.testing.assert_array_equal(again.optimism, result.optimism)
    np.testing.assert_array_equal(again.predictions.y_pred, result.predictions.y_pred)
    assert str(again.tuning_matrix) == str(result.tuning_matrix)
    told = again.summary()
    assert told == result.summary() or "Calibration" in result.summary()
    ends = [tuple(one.pooled_interval("recall", random_state=0)) for one in (result, again)]
    assert ends[0] == ends[1]


def test_scorers_are_those_of_the_run():
    """Keys of one's own, parameters, responses, averages; a foreign scorer has no metric."""

    def own(model, X, y, sample_weight=None):
        return float((model.predict(X) == y).mean())

    scoring = {
        "f1": get_scorer("fbeta", beta=3, pos_label=0),
        "mine": "roc_auc",
        "price": get_scorer("neg_expected_cost", cost=[[0, 1], [5, 0]]),
        "benefit": get_scorer("net_benefit", threshold=0.2, response_method="predict"),
        "every": "f1_macro",
        "raw": get_scorer("mm7_auc", rescale="expit", response_method="predict_proba"),
        "neg_log_loss": sklearn_scorer("neg_log_loss"),
        "accuracy": own,
    }
    with config_context(enable_metadata_routing=True):
        weight = np.arange(569.0) % 3 + 1
        scoring["unweighted"] = get_scorer("recall").set_score_request(sample_weight=False)
        fresh = nested_cross_validate(
            GaussianNB().set_fit_request(sample_weight=True), {}, X, Y, scoring=scoring,
            sample_weight=weight, outer_cv=3, final=None,
        )  # fmt: skip
    loaded = NestedCVResult.from_json(fresh.to_json())
    assert set(loaded.scorer.names) == set(scoring) - {"accuracy"}
    for name in loaded.scorer.names:
        assert tuple(loaded.interval(name)) == tuple(fresh.interval(name)), name
        assert repr(loaded.metric(name)) == repr(fresh.metric(name))
    for name in ("f1", "unweighted", "benefit"):
        pairs = [tuple(one.pooled_interval(name, random_state=0)) for one in (fresh, loaded)]
        assert pairs[0] == pairs[1]
    assert loaded.summary() == fresh.summary()
    with pytest.raises(ValueError, match="metrics of this package"):
        loaded.pooled_interval("accuracy")
    assert NestedCVResult.from_json(loaded.to_json()).to_json() == fresh.to_json()


def test_labels_keep_their_kind():
    named = nested_cross_validate(
        TREE, {}, X, np.array(["ill", "well"])[Y], scoring="recall", pos_label="ill", outer_cv=2
    )
    for result in (named, run(outer_cv=2)):
        again = NestedCVResult.from_json(result.to_json())
        assert again.classes.counts == result.classes.counts
        assert str(again.classes) == str(result.classes)
        assert again.predictions.y_true.tolist() == result.predictions.y_true.tolist()


@pytest.mark.parametrize("text", ["", "[1, 2]", "{}", '{"test_scores": {"a": [1]}}'])
def test_other_text_is_refused(text):
    with pytest.raises(ValueError, match="not JSON of a NestedCVResult"):
        NestedCVResult.from_json(text)


def test_a_number_of_rows_that_cannot_be_is_refused(result):
    document = json.loads(result.to_json())
    for rows in (1, 10**400):
        with pytest.raises(ValueError, match="not JSON of a NestedCVResult"):
            NestedCVResult.from_json(json.dumps({**document, "n_samples": rows}))


def _places(document, at=()):
    """Yield the places of a document: every entry of an object, the first of a list."""
    if at:
        yield at
    entries = document if isinstance(document, dict) else range(1) if document else ()
    if isinstance(document, dict | list):
        for key in entries:
            yield from _places(document[key], (*at, key))


DAMAGES = {
    "null": lambda holder, key: holder.__setitem__(key, None),
    "word": lambda holder, key: holder.__setitem__(key, "word"),
    "cut": lambda holder, key: holder.__setitem__(
        key, holder[key][:-1] if isinstance(holder[key], list) else {}
    ),
    "great": lambda holder, key: holder.__setitem__(key, 10**400),
    "gone": lambda holder, key: holder.pop(key),
}


def test_damaged_results_fail_when_they_are_read(data_of_few_rows):
    """Any place lost, of another type, cut or too great: an error at once, or no harm done."""
    text = data_of_few_rows.to_json()
    refused = []
    for place in _places(json.loads(text)):
        for damage in DAMAGES.values():
            document = json.loads(text)
            holder = document
            for key in place[:-1]:
                holder = holder[key]
            damage(holder, place[-1])
            try:
                again = NestedCVResult.from_json(json.dumps(document))
            except ValueError as error:
                refused.append(str(error))
                continue
            assert again.summary()
            assert len(again.to_frame())
            assert again.interval("recall").metric == "recall"
    assert len(refused) > 100
    assert all("damaged" in error and len(error) < 400 for error in refused)
    for broken in ("[" * 100_000, '{"a":' * 5000, text[:-5]):
        with pytest.raises(ValueError, match="damaged"):
            NestedCVResult.from_json(broken)


@pytest.fixture
def data_of_few_rows():
    model = GaussianNB()
    return nested_cross_validate(
        model, {"var_smoothing": [1e-9, 1.0]}, X[:60], Y[:60], scoring="recall", outer_cv=2,
        inner_cv=2, decisions=Decisions(threshold="f1"),
    )  # fmt: skip


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
    assert NestedCVResult.from_json(kept.to_json()).estimators == ()
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
