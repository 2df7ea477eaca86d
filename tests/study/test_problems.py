"""Problems of scikit-learn, and their examples as numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits

from skaucx.study import load_problems
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
