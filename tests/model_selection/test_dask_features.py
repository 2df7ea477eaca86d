"""X as a Dask array: folds are cut lazily, and nothing takes the whole of it into memory."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, SGDClassifier

from skaucx.model_selection import NestedCV, nested_cross_validate

dask = pytest.importorskip("dask")
array = pytest.importorskip("dask.array")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(240, 3))
Y = np.where(X[:, 0] + RNG.normal(size=240) > 0, "ill", "well")
GRID = {"alpha": [1e-4, 1e-1]}
OPTIONS = {"scoring": "roc_auc", "pos_label": "ill", "outer_cv": 3, "inner_cv": 2}


class BlockByBlock(ClassifierMixin, BaseEstimator):
    """A classifier that holds one block of a Dask array at a time; of other arrays slices."""

    def __init__(self, alpha=1e-4):
        self.alpha = alpha

    def fit(self, X, y):
        self.classes_, self.model_, start = np.unique(y), SGDClassifier(random_state=0), 0
        self.model_.set_params(loss="log_loss", alpha=self.alpha)
        for block in self._blocks(X):
            rows = slice(start, start + len(block))
            if len(block):
                self.model_.partial_fit(block, y[rows], self.classes_)
            start = rows.stop
        return self

    def predict_proba(self, X):
        blocks = [self.model_.predict_proba(b) for b in self._blocks(X) if len(b)]
        return np.concatenate(blocks)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    @staticmethod
    def _blocks(X):
        if not hasattr(X, "to_delayed"):
            return np.array_split(X, 4)
        return (np.asarray(block.compute()) for block in X.to_delayed().ravel())


@pytest.fixture
def features():
    return array.from_array(X, chunks=(60, 3))


def test_an_estimator_of_dask_arrays(features, monkeypatch):
    monkeypatch.setattr(array.Array, "__array__", lambda *_, **__: pytest.fail("X was taken whole"))
    monkeypatch.setattr(array.Array, "compute", lambda *_, **__: pytest.fail("X was taken whole"))
    found = NestedCV(BlockByBlock(), GRID, **OPTIONS).fit(features, Y)
    assert found.best_estimator_.model_.coef_.shape == (1, 3)
    # The same folds are cut of blocks in memory, each row in its order.
    again = nested_cross_validate(BlockByBlock(), GRID, features, Y, **OPTIONS)
    np.testing.assert_array_equal(again["test_roc_auc"], found.result_["test_roc_auc"])


def test_an_estimator_of_arrays(features):
    """It takes the folds into memory; the results are those of the array itself."""
    grid = {"C": [0.1, 1]}
    for labels in (Y, array.from_array(Y, chunks=60)):
        found = NestedCV(LogisticRegression(), grid, **OPTIONS).fit(features, labels)
        wanted = NestedCV(LogisticRegression(), grid, **OPTIONS).fit(X, Y)
        np.testing.assert_array_equal(found.result_["test_roc_auc"], wanted.result_["test_roc_auc"])
