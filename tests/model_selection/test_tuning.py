"""The tuning matrix against separate runs, and how it reads."""

from __future__ import annotations

import pickle
import sys

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from skaucx.model_selection import TuningMatrix, nested_cross_validate

NAN = np.nan
METRICS = ["f1", "roc_auc", "neg_log_loss", "specificity"]
REFIT = ["roc_auc", "neg_log_loss", "specificity"]
DEPTHS = {"max_depth": [1, 2, 3, 5]}
TREE = DecisionTreeClassifier(random_state=0)


@pytest.fixture(scope="module")
def data():
    return make_classification(
        n_samples=150, n_features=6, n_informative=3, flip_y=0.2, weights=[0.6], random_state=0
    )


def run(data, refit, **options):
    options = {"scoring": METRICS, "outer_cv": 4, "inner_cv": 3} | options
    return nested_cross_validate(TREE, DEPTHS, *data, refit=refit, **options)


@pytest.fixture(scope="module")
def result(data):
    return run(data, REFIT)


def test_rows_are_those_of_separate_runs(data, result):
    matrix = result.tuning_matrix
    assert matrix.tuned_on == tuple(REFIT)
    assert matrix.reported_on == tuple(METRICS)
    for row, name in enumerate(REFIT):
        alone = run(data, name)
        np.testing.assert_array_equal(matrix.winners[row], alone.winners)
        np.testing.assert_array_equal(matrix.scores[row], list(alone.values()))
        np.testing.assert_array_equal(matrix.inner_means[row], alone.inner_means)
        np.testing.assert_array_equal(matrix.optimism[row], alone.optimism)
    assert len({tuple(winners) for winners in matrix.winners.tolist()}) == len(REFIT)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_undecided_metric_is_named(data):
    X, y = data
    order = np.argsort(y, kind="stable")
    outer = [(order[:100], order[50:])]
    with pytest.warns(UserWarning, match="'roc_auc' is undefined for every") as caught:
        nested_cross_validate(
            TREE, DEPTHS, X, y, scoring=["accuracy", "roc_auc"], refit=["accuracy", "roc_auc"],
            outer_cv=outer, inner_cv=_OneClassTests(),
        )  # fmt: skip
    assert len(caught) == 1


class _OneClassTests:
    def split(self, X, y, groups=None):
        for label in np.unique(y):
            test = np.flatnonzero(y == label)[:5]
            yield np.setdiff1d(np.arange(len(y)), test), test

    def get_n_splits(self, X=None, y=None, groups=None):
        return 2


@pytest.fixture
def matrix():
    return TuningMatrix(
        tuned_on=("f1", "roc_auc"),
        reported_on=("roc_auc", "f1"),
        scores=np.array([[[0.5, 0.75], [0.25, NAN]], [[1.0, 0.5], [0.5, 0.75]]]),
        winners=np.array([[0, 1], [1, 1]]),
        inner_means=np.array([[0.5, 0.5], [0.75, 1.0]]),
        candidates=({"C": 0.1}, {"C": 10}),
    )


def test_derived_values(matrix):
    np.testing.assert_allclose(matrix.means, [[0.625, 0.25], [0.75, 0.625]])
    np.testing.assert_allclose(matrix.spreads, np.array([[0.25, NAN], [0.5, 0.25]]) / np.sqrt(2))
    assert matrix.undefined.tolist() == [[0, 1], [0, 0]]
    np.testing.assert_array_equal(matrix.optimism, [[0.25, NAN], [-0.25, 0.5]])


def test_frame(matrix, monkeypatch):
    frame = matrix.to_frame()
    assert frame.index.tolist() == ["f1", "roc_auc"]
    assert frame.shape == (2, 6)
    assert frame["f1"].loc["roc_auc", "mean"] == 0.625
    np.testing.assert_array_equal(frame["roc_auc"]["sd"], matrix.spreads[:, 0])
    assert frame["f1"]["undefined"].tolist() == [1, 0]
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install"):
        matrix.to_frame()


def test_text(matrix):
    assert (
        str(matrix)
        == """\
Tuning matrix: mean (sd) of the outer folds, by metric reported on
tuned on          roc_auc               f1
f1        0.6250 (0.1768)     0.2500 (nan)
roc_auc   0.7500 (0.3536)  0.6250 (0.1768)
Undefined folds, excluded from mean and sd: f1 tuned on f1 (1 of 2).
The best row, picked after reading the matrix, is optimistic: name the metric to
  tune on beforehand, or confirm the pick on data that took no part.

best     candidate: how many of 2 folds chose it
f1       0: 1, 1: 1
roc_auc  1: 2
      0  C=0.1
      1  C=10"""
    )
    assert repr(matrix) == "TuningMatrix(2 tuned on x 2 reported on: f1, roc_auc)"


def test_summary_shows_the_matrix_and_the_caution(result):
    summary = result.summary()
    assert str(result.tuning_matrix) in summary
    assert max(map(len, summary.splitlines())) <= 80
    again = pickle.loads(pickle.dumps(result))
    assert again.summary() == summary
