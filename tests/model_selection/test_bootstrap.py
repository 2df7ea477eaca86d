"""Bootstrap splits, alone and in scikit-learn's tools."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB

from skaucx.model_selection import BootstrapSplit


@pytest.fixture(scope="module")
def data():
    return make_classification(n_samples=60, n_features=4, flip_y=0.2, random_state=0)


def splits(*arguments, groups=None, **options):
    cv = BootstrapSplit(*arguments, random_state=0, **options)
    return list(cv.split(np.zeros((50, 1)), groups=groups))


def test_test_rows_are_those_never_drawn():
    found = splits(30)
    assert len(found) == 30
    for train, test in found:
        assert len(train) == 50
        assert test.tolist() == [row for row in range(50) if row not in train]
    assert len({tuple(train) for train, _ in found}) == 30


@pytest.mark.parametrize(
    ("size", "drawn"), [(None, 50), (7, 7), (1, 1), (0.5, 25), (1.0, 50), (0.001, 1), (80, 80)]
)
def test_train_size(size, drawn):
    assert {len(train) for train, _ in splits(3, train_size=size)} == {drawn}


def test_groups_are_drawn_and_left_out_as_a_whole():
    groups = np.array([f"g{i % 9}" for i in range(50)])
    for train, test in splits(20, groups=groups):
        assert set(groups[train]).isdisjoint(groups[test])
        assert set(groups[train]) | set(groups[test]) == set(groups)
        times = np.bincount(train, minlength=50)
        for group in np.unique(groups):
            assert len(set(times[groups == group])) == 1
        assert sum(times[[np.argmax(groups == g) for g in np.unique(groups)]]) == 9
    assert {len(set(groups[train])) for train, _ in splits(20, groups=groups, train_size=1)} == {1}


def test_draws_that_leave_nothing_out_are_repeated():
    cv = BootstrapSplit(200, random_state=0)
    assert all(len(test) == 1 for _, test in cv.split([[0], [1]]))
    with pytest.raises(ValueError, match="1000 draws of 1 from 1"):
        next(cv.split([[0]]))


def test_cross_validate_fits_on_what_was_drawn(data):
    X, y = data
    cv = BootstrapSplit(4, random_state=1)
    scores = cross_validate(GaussianNB(), X, y, cv=cv)["test_score"]
    expected = [
        GaussianNB().fit(X[train], y[train]).score(X[test], y[test])
        for train, test in cv.split(X, y)
    ]
    assert scores.tolist() == expected


@pytest.mark.parametrize("routing", [False, True])
def test_groups_arrive_with_and_without_routing(data, routing):
    X, y = data
    groups = np.arange(60) // 6
    cv = BootstrapSplit(5, random_state=0)
    with sklearn.config_context(enable_metadata_routing=routing):
        given = {"params": {"groups": groups}} if routing else {"groups": groups}
        scores = cross_validate(LogisticRegression(), X, y, cv=cv, return_indices=True, **given)
    assert np.isfinite(scores["test_score"]).all()
    for train, test in zip(*scores["indices"].values(), strict=True):
        assert set(groups[train]).isdisjoint(groups[test])


@pytest.mark.parametrize(
    ("options", "n", "said"),
    [
        ({"n_splits": 0}, 5, "n_splits must be a whole number >= 1, found 0"),
        ({"train_size": 0}, 5, "train_size must be .* found 0"),
        ({"train_size": 1.5}, 5, r"train_size must be .* found 1\.5"),
        ({"train_size": True}, 5, "train_size must be .* found True"),
        ({}, 0, "X has 0 rows"),
    ],
)
def test_wrong_options(options, n, said):
    with pytest.raises(ValueError, match=said):
        list(BootstrapSplit(**options).split(np.zeros(n)))
