"""Costs of every example: by hand, as scorer in scikit-learn's searches, bad input."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate

import skaucx.metrics as sm


def drawn(classes, n=60):
    rng = np.random.default_rng(classes)
    y, pred = rng.integers(0, classes, (2, n))
    return y, pred, rng.random((n, classes, classes)), rng.uniform(0.1, 2, n)


@pytest.mark.parametrize("classes", [2, 4])
def test_by_adding_up(classes):
    y, pred, cost, weight = drawn(classes)
    each = np.array([cost[i, t, p] for i, (t, p) in enumerate(zip(y, pred, strict=True))])
    of_calls = cost[np.arange(len(y)), y]
    for w in (None, weight):
        expected = np.average(each, weights=w)
        found = sm.example_cost_loss(y, pred, cost=cost, sample_weight=w)
        assert found == pytest.approx(expected, rel=1e-12)
        again = sm.example_cost_loss(y, pred, cost=of_calls, sample_weight=w)
        assert again == pytest.approx(found, rel=1e-12)
        cheapest = np.average(of_calls, axis=0, weights=w).min()
        saved = sm.example_cost_loss(y, pred, cost=cost, sample_weight=w, savings=True)
        assert saved == pytest.approx(1 - expected / cheapest, rel=1e-12)
    names = np.array(list("dbca"))[:classes]
    by_name = sm.example_cost_loss(names[y], names[pred], cost=cost, labels=names)
    assert by_name == pytest.approx(each.mean(), rel=1e-12)


def test_equal_costs_for_all_are_the_expected_cost():
    y, pred, _, weight = drawn(3)
    table = [[0, 1, 4], [5, 0, 2], [3, 6, 0]]
    cost = np.broadcast_to(table, (len(y), 3, 3))
    found = sm.example_cost_loss(y, pred, cost=cost, sample_weight=weight)
    assert found == pytest.approx(sm.expected_cost(y, pred, cost=table, sample_weight=weight))


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_searches_hand_the_scorer_its_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 2)), np.arange(120) % 2
    cost = np.column_stack([np.where(y, rng.exponential(50, 120), 0), np.full(120, 5.0)])
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = sm.example_cost_scorer()
        search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1]}, scoring=scorer, cv=3)
        search.fit(X, y, cost=cost)
        assert search.best_score_ < 0
        result = cross_validate(
            LogisticRegression(), X, y, scoring=scorer, cv=3, params={"cost": cost},
            return_estimator=True, return_indices=True,
        )  # fmt: skip
    for score, model, rows in zip(
        result["test_score"], result["estimator"], result["indices"]["test"], strict=True
    ):
        expected = sm.example_cost_loss(y[rows], model.predict(X[rows]), cost=cost[rows])
        assert score == pytest.approx(-expected)


def test_bad_costs():
    for cost, match in (
        ([[1, 2]], "2 examples"),
        ([[1], [2]], "2 classes"),
        ([[1, np.inf], [2, 3]], "finite"),
        ([1, 2], "shape"),
        ([["a", "b"], ["c", "d"]], "numbers"),
    ):
        with pytest.raises(ValueError, match=match):
            sm.example_cost_loss([0, 1], [1, 0], cost=cost)
    with pytest.raises(ValueError, match="multilabel"):
        sm.example_cost_loss(np.eye(2, dtype=int), np.eye(2, dtype=int), cost=[[1, 2], [3, 4]])
    assert np.isnan(sm.example_cost_loss([0, 1], [1, 0], cost=np.zeros((2, 2)), savings=True))
