"""Metrics of pooled predictions against the same metrics called on them."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer as theirs
from sklearn.metrics import make_scorer
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import skaucx.metrics as m
from skaucx.inference import interval
from skaucx.metrics import get_scorer
from skaucx.metrics._registry.declare import METRICS
from skaucx.model_selection import NestedCV, nested_cross_validate
from skaucx.model_selection.execution._job import Dataset, Outcome
from skaucx.model_selection.execution._out_of_fold import pool, score_bounds
from tests.metrics.needed import needed_parameters


@pytest.fixture(scope="module")
def data():
    return make_classification(n_samples=90, n_features=4, flip_y=0.3, random_state=0)


def pooled(result):
    return {name: result.statistics(name).pooled for name in result.test_scores}


def test_values_are_those_of_the_functions(data):
    X, names = data[0], np.array(["healthy", "ill"])[data[1]]
    metrics = ["roc_auc", "mm7_auc", "f1", "neg_log_loss", "matthews_corrcoef"]
    weight = np.random.default_rng(0).integers(1, 5, 90).astype(float)
    result = nested_cross_validate(
        LogisticRegression(),
        {},
        X,
        names,
        scoring=metrics,
        inner_cv=2,
        sample_weight=weight,
        pos_label="ill",
    )
    found, p = pooled(result), result.predictions
    ill = p.responses["predict_proba"][:, 1]
    options = {"sample_weight": weight[p.row]}
    assert found["roc_auc"].value == m.roc_auc_score(
        p.y_true, p.responses["decision_function"], **options
    )
    assert found["mm7_auc"].value == m.mm7_auc_score(p.y_true, ill, pos_label="ill", **options)
    assert found["f1"].value == m.f1_score(p.y_true, p.y_pred, pos_label="ill", **options)
    assert found["neg_log_loss"].value == -m.log_loss(p.y_true, ill, **options)
    assert all(entry.reason is None for entry in found.values())
    assert abs(found["roc_auc"].value - result["test_roc_auc"].mean()) > 1e-4


def test_scorers_of_other_kinds(data):
    def size(estimator, X, y):
        return float(len(X))

    def coefficient(estimator, X, y):
        return float(estimator.coef_[0, 0])

    scoring = {"theirs": theirs("f1"), "size": size, "coefficient": coefficient, "ours": "f1"}
    result = nested_cross_validate(LinearSVC(), {}, *data, scoring=scoring, inner_cv=2)
    found = pooled(result)
    assert found["theirs"].value == found["ours"].value > 0.5
    assert np.isnan(found["size"].value)
    assert found["size"].reason.startswith("TypeError: ")
    assert found["coefficient"].reason == (
        "AttributeError: coef_ is not among the pooled predictions"
    )


def test_undefined_and_missing_say_so(data):
    ones = [(np.arange(45), np.flatnonzero(data[1] == 1)[-5:])]
    result = nested_cross_validate(
        GaussianNB(), {}, *data, scoring="roc_auc", outer_cv=ones, inner_cv=2
    )
    found = pooled(result)["roc_auc"]
    assert np.isnan(found.value)
    assert found.reason == "undefined on the pooled predictions"


def test_predictions_have_a_frame():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.where(np.arange(60) % 2, "ill", "well")
    run = NestedCV(GaussianNB(), {}, scoring="recall", pos_label="ill", outer_cv=3, inner_cv=2).fit(
        X, y
    )
    held = run.result_.predictions
    frame = held.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == ["row", "fold", "y", "y_pred", "p_ill"]
    np.testing.assert_array_equal(frame["p_ill"], held.responses["predict_proba"][:, 0])
    assert ((frame["p_ill"] > 0.5) == (frame["y_pred"] == "ill")).all()
    three = NestedCV(GaussianNB(), {}, scoring="accuracy", outer_cv=3, inner_cv=2)
    frame = three.fit(X, np.arange(60) % 3, groups=None).result_.predictions.to_frame()
    assert list(frame.columns)[4:] == ["p_0", "p_1", "p_2"]
    np.testing.assert_allclose(frame[["p_0", "p_1", "p_2"]].sum(axis=1), 1)


Y = np.array(["a", "b", "c", "a"])
TESTS = [np.array([3, 1]), np.array([0]), np.array([2])]


def joined(*outcomes):
    return pool(Dataset(np.zeros((4, 1)), Y, None, None, False), TESTS, outcomes)


def outcome(labels, classes, **responses):
    arrays = {name: np.array(values) for name, values in responses.items()}
    return Outcome({}, {**arrays, "predict": np.array(list(labels))}, np.array(list(classes)))


def test_columns_follow_all_classes():
    predictions = joined(
        outcome("ac", "ac", predict_proba=[[0.8, 0.2], [0.1, 0.9]], decision_function=[-1.0, 2.0]),
        outcome("b", "abc", predict_proba=[[0.2, 0.5, 0.3]], decision_function=[[1.0, 2.0, 3.0]]),
        outcome("c", "bc", predict_proba=[[0.4, 0.6]], decision_function=[[4.0, 5.0]]),
    )
    assert predictions.row.tolist() == [3, 1, 0, 2]
    assert predictions.fold.tolist() == [0, 0, 1, 2]
    assert predictions.y_true.tolist() == ["a", "b", "a", "c"]
    assert predictions.y_pred.tolist() == ["a", "c", "b", "c"]
    assert predictions.classes.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(
        predictions.responses["predict_proba"],
        [[0.8, 0, 0.2], [0.1, 0, 0.9], [0.2, 0.5, 0.3], [0, 0.4, 0.6]],
    )
    np.testing.assert_array_equal(
        predictions.responses["decision_function"], [[1, -2, -1], [-2, -2, 2], [1, 2, 3], [0, 4, 5]]
    )


def test_response_that_a_fold_lacks_is_left_out():
    predictions = joined(
        outcome("ab", "ab", predict_proba=[[1.0, 0.0], [0.0, 1.0]]),
        outcome("b", "ab"),
        outcome("b", "ab", predict_proba=[[0.0, 1.0]]),
    )
    assert predictions.responses == {}
    assert predictions.y_pred.tolist() == ["a", "b", "b", "b"]


def test_printed_predictions_and_their_frame():
    pandas = pytest.importorskip("pandas")
    X, y = make_classification(40, 4, random_state=0)
    frame = pandas.DataFrame(X, index=[f"patient {i}" for i in range(40)])
    result = nested_cross_validate(GaussianNB(), {}, frame, y, scoring="roc_auc", final=None)
    lines = repr(result.predictions).splitlines()
    assert lines[0] == "40 out-of-fold predictions of 5 outer folds"
    assert lines[-1] == "... and 30 more: to_frame()"
    assert len(lines) == 13
    table = result.predictions.to_frame()
    assert table.index.tolist() == [f"patient {i}" for i in result.predictions.row]
    assert list(table) == ["row", "fold", "y", "y_pred", "p_1"]


X, Y_INTERVAL = make_classification(80, n_features=5, random_state=0)
WORDS = np.array(["bad", "good"])[Y_INTERVAL]


def nested(estimator=None, grid=None, y=Y_INTERVAL, outer_cv=3):
    model = GaussianNB() if estimator is None else estimator
    return nested_cross_validate(
        model,
        grid or {"var_smoothing": [1e-9, 0.1]},
        X,
        y,
        scoring="accuracy",
        outer_cv=outer_cv,
        inner_cv=2,
    )


def test_it_is_the_interval_of_the_pooled_predictions():
    result = nested(y=WORDS)
    pooled = result.predictions
    found = result.pooled_interval("accuracy")
    expected = interval("accuracy", pooled.y_true, pooled.y_pred)
    assert (found.low, found.high) == (expected.low, expected.high)
    # Ranks across folds compare scores of different models: the value has no interval.
    auc = result.pooled_interval("roc_auc")
    score = pooled.responses["predict_proba"][:, 1]
    assert auc.estimate == interval("roc_auc", pooled.y_true == "good", score).estimate
    assert np.isnan([auc.low, auc.high]).all()
    assert auc.method == "none"
    assert "there is none; interval() is that of the mean of the folds" in auc.note
    with pytest.raises(ValueError, match="pass pos_label"):
        result.pooled_interval("recall")
    assert result.pooled_interval("recall", pos_label="good").estimate == pytest.approx(
        np.mean(pooled.y_pred[pooled.y_true == "good"] == "good")
    )


def test_rows_tested_twice_are_drawn_together():
    once = nested()
    twice = nested(outer_cv=RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0))
    ask = {"method": "percentile", "random_state": 0, "n_resamples": 500}
    errors = [r.pooled_interval("accuracy", **ask).standard_error for r in (once, twice)]
    assert errors[1] == pytest.approx(errors[0], rel=0.25)
    with pytest.raises(ValueError, match="method must be one of"):
        twice.pooled_interval("accuracy", method="wilson")


def test_a_missing_response_is_named():
    with pytest.raises(ValueError, match="predict_proba"):
        nested(LinearSVC(), {"C": [0.1, 1]}).pooled_interval("mm7_auc")


def test_the_range_of_a_score_is_that_of_its_function():
    """Whoever makes the scorer, of every metric of labels and scores."""
    for name, function in METRICS.items():
        own, row = needed_parameters(name), function.metric
        sign = -1 if row.greater_is_better is False else 1
        ends = tuple(sorted(sign * end for end in row.bounds))
        made = make_scorer(function, greater_is_better=sign > 0, **own)
        bound = make_scorer(functools.partial(function, **own), greater_is_better=sign > 0)
        assert score_bounds(made) == score_bounds(bound) == ends
        assert score_bounds(get_scorer(row.scorer_name, **own)) == ends
    assert score_bounds(get_scorer("accuracy", normalize=False)) == (0, np.inf)
    assert score_bounds(make_scorer(lambda y, called: 0.5)) == (-np.inf, np.inf)
