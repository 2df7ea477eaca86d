"""Joining the predictions of outer folds, made by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from skaucx.model_selection import nested_cross_validate
from skaucx.model_selection.execution._job import Dataset, Outcome
from skaucx.model_selection.execution._out_of_fold import pool

NAN = np.nan
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


def test_failed_fold_is_left_out():
    predictions = joined(
        outcome("ab", "ab", predict_proba=[[1.0, 0.0], [0.0, 1.0]]),
        Outcome({}, failure="Traceback"),
        outcome("b", "ab", predict_proba=[[0.0, 1.0]]),
    )
    assert predictions.row.tolist() == [3, 1, 2]
    assert predictions.fold.tolist() == [0, 0, 2]


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
