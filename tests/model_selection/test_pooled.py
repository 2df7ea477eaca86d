"""Pooled predictions: their metrics and intervals against the functions, their columns and frame."""

from __future__ import annotations

import functools

import numpy as np
import pandas as pd
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
from skaucx.model_selection import nested_cross_validate
from skaucx.model_selection.execution._job import Dataset, Outcome
from skaucx.model_selection.execution._out_of_fold import pool, score_bounds
from tests.metrics.needed import needed_parameters

X, CODES = make_classification(n_samples=90, n_features=4, flip_y=0.3, random_state=0)
Y = np.array(["healthy", "ill"])[CODES]
TWICE = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)


def nested(model=None, y=CODES, x=X, scoring="accuracy", **options):
    given = {"scoring": scoring, "outer_cv": 3, "inner_cv": 2, "final": None, **options}
    return nested_cross_validate(model or GaussianNB(), {}, x, y, **given)


def test_values_are_those_of_the_functions():
    """A row counts as often as it was tested, with its weight."""
    metrics = ["roc_auc", "mm7_auc", "f1", "neg_log_loss", "matthews_corrcoef"]
    weight = np.random.default_rng(0).integers(1, 5, 90).astype(float)
    given = {"sample_weight": weight, "pos_label": "ill", "outer_cv": TWICE}
    result = nested(LogisticRegression(), Y, scoring=metrics, **given)
    p = result.predictions
    assert np.bincount(p.row).tolist() == [2] * 90
    ill, own = p.responses["predict_proba"][:, 1], {"sample_weight": weight[p.row]}
    expected = {
        "roc_auc": m.roc_auc_score(p.y_true, p.responses["decision_function"], **own),
        "mm7_auc": m.mm7_auc_score(p.y_true, ill, pos_label="ill", **own),
        "f1": m.f1_score(p.y_true, p.y_pred, pos_label="ill", **own),
        "neg_log_loss": -m.log_loss(p.y_true, ill, **own),
    }
    assert {name: result.pooled[name].value for name in expected} == expected
    assert all(result.statistics(name).pooled.reason is None for name in metrics)
    assert abs(expected["roc_auc"] - result["test_roc_auc"].mean()) > 1e-4


def test_scorers_of_other_kinds():
    def size(estimator, X, y):
        return float(len(X))

    def coefficient(estimator, X, y):
        return float(estimator.coef_[0, 0])

    scoring = {"theirs": theirs("f1"), "size": size, "coefficient": coefficient, "ours": "f1"}
    found = nested(LinearSVC(), scoring=scoring).pooled
    assert found["theirs"].value == found["ours"].value > 0.5
    assert np.isnan(found["size"].value)
    assert found["size"].reason.startswith("TypeError: ")
    missing = "AttributeError: coef_ is not among the pooled predictions"
    assert found["coefficient"].reason == missing


def test_undefined_values_say_so():
    ones = [(np.arange(45), np.flatnonzero(CODES == 1)[-5:])]
    found = nested(scoring="roc_auc", outer_cv=ones).pooled["roc_auc"]
    assert np.isnan(found.value)
    assert found.reason == "undefined on the pooled predictions"


def test_predictions_in_print_and_as_a_frame():
    rows = pd.DataFrame(X, index=[f"patient {i}" for i in range(90)])
    held = nested(y=np.where(CODES, "ill", "well"), x=rows, pos_label="ill").predictions
    lines = repr(held).splitlines()
    assert lines[0] == "90 out-of-fold predictions of 3 outer folds"
    assert lines[-1] == "... and 80 more: to_frame()"
    assert len(lines) == 13
    frame = held.to_frame()
    assert frame.index.tolist() == [f"patient {i}" for i in held.row]
    assert list(frame.columns) == ["row", "fold", "y", "y_pred", "p_ill"]
    np.testing.assert_array_equal(frame["p_ill"], held.responses["predict_proba"][:, 0])
    assert ((frame["p_ill"] > 0.5) == (frame["y_pred"] == "ill")).all()
    frame = nested(y=np.arange(90) % 3).predictions.to_frame()
    assert list(frame.columns)[4:] == ["p_0", "p_1", "p_2"]
    np.testing.assert_allclose(frame[["p_0", "p_1", "p_2"]].sum(axis=1), 1)


def joined(*outcomes):
    y = np.array(["a", "b", "c", "a"])
    tests = [np.array([3, 1]), np.array([0]), np.array([2])]
    return pool(Dataset(np.zeros((4, 1)), y, None, None, False), tests, outcomes)


def outcome(labels, classes, **responses):
    arrays = {name: np.array(values) for name, values in responses.items()}
    return Outcome({}, {**arrays, "predict": np.array(list(labels))}, np.array(list(classes)))


def test_columns_follow_all_classes():
    found = joined(
        outcome("ac", "ac", predict_proba=[[0.8, 0.2], [0.1, 0.9]], decision_function=[-1.0, 2.0]),
        outcome("b", "abc", predict_proba=[[0.2, 0.5, 0.3]], decision_function=[[1.0, 2.0, 3.0]]),
        outcome("c", "bc", predict_proba=[[0.4, 0.6]], decision_function=[[4.0, 5.0]]),
    )
    assert found.row.tolist() == [3, 1, 0, 2]
    assert found.fold.tolist() == [0, 0, 1, 2]
    assert found.y_true.tolist() == ["a", "b", "a", "c"]
    assert found.y_pred.tolist() == ["a", "c", "b", "c"]
    assert found.classes.tolist() == ["a", "b", "c"]
    chances = [[0.8, 0, 0.2], [0.1, 0, 0.9], [0.2, 0.5, 0.3], [0, 0.4, 0.6]]
    np.testing.assert_array_equal(found.responses["predict_proba"], chances)
    decisions = [[1, -2, -1], [-2, -2, 2], [1, 2, 3], [0, 4, 5]]
    np.testing.assert_array_equal(found.responses["decision_function"], decisions)


def test_response_that_a_fold_lacks_is_left_out():
    found = joined(
        outcome("ab", "ab", predict_proba=[[1.0, 0.0], [0.0, 1.0]]),
        outcome("b", "ab"),
        outcome("b", "ab", predict_proba=[[0.0, 1.0]]),
    )
    assert found.responses == {}
    assert found.y_pred.tolist() == ["a", "b", "b", "b"]


def test_an_interval_is_that_of_the_pooled_predictions():
    result = nested(y=Y)
    held, found = result.predictions, result.pooled_interval("accuracy")
    expected = interval("accuracy", held.y_true, held.y_pred)
    assert (found.low, found.high) == (expected.low, expected.high)
    # Ranks across folds compare scores of different models: the value has no interval.
    auc, score = result.pooled_interval("roc_auc"), held.responses["predict_proba"][:, 1]
    assert auc.estimate == interval("roc_auc", held.y_true == "ill", score).estimate
    assert np.isnan([auc.low, auc.high]).all()
    assert auc.method == "none"
    assert "there is none; interval() is that of the mean of the folds" in auc.note
    with pytest.raises(ValueError, match="pass pos_label"):
        result.pooled_interval("recall")
    recall = result.pooled_interval("recall", pos_label="ill").estimate
    assert recall == pytest.approx(np.mean(held.y_pred[held.y_true == "ill"] == "ill"))
    with pytest.raises(ValueError, match="predict_proba"):
        nested(LinearSVC()).pooled_interval("mm7_auc")


def test_rows_tested_twice_are_drawn_together():
    once, twice = nested(), nested(outer_cv=TWICE)
    ask = {"method": "percentile", "random_state": 0, "n_resamples": 500}
    errors = [r.pooled_interval("accuracy", **ask).standard_error for r in (once, twice)]
    assert errors[1] == pytest.approx(errors[0], rel=0.25)
    with pytest.raises(ValueError, match="method must be one of"):
        twice.pooled_interval("accuracy", method="wilson")


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
