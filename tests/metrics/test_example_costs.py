"""Costs of every example: by hand, in searches, nested runs, intervals and tests, bad input."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV, cross_validate

import skaucx.metrics as sm
from skaucx import evaluation, inference
from skaucx.metrics.costs import example_cost_loss, savings_score
from skaucx.metrics.rejection import chow_predictions
from skaucx.model_selection import NestedCV


def drawn(classes, n=60, seed=0):
    rng = np.random.default_rng([classes, seed])
    y, pred = rng.integers(0, classes, (2, n))
    return y, pred, rng.random((n, classes, classes)), rng.uniform(0.1, 2, n)


def by_hand(y, pred, cost, weight):
    """Mean cost, and the savings of Bahnsen et al. 2015, equations 3 and 4."""
    of_class = weight @ cost[np.arange(len(y)), y]
    total = weight @ cost[np.arange(len(y)), y, pred]
    return total / weight.sum(), (of_class.min() - total) / of_class.min()


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_by_hand(classes, weighted):
    names = np.array(list("cabd"))[:classes]
    for seed in range(4):
        y, pred, cost, weight = drawn(classes, seed=seed)
        weight[:3] = 0
        weight = weight if weighted else np.ones(len(y))
        given = {"sample_weight": weight} if weighted else {}
        expected = by_hand(y, pred, cost, weight)
        for metric, value in zip((example_cost_loss, savings_score), expected, strict=True):
            for costs in (
                cost,
                cost[np.arange(len(y)), y],
                cost.tolist(),
            ):  # also by the call alone
                found = metric(y, pred, example_costs=costs, **given)
                assert found == pytest.approx(value, rel=1e-12)
            found = metric(names[y], names[pred], example_costs=cost, labels=names, **given)
            assert found == pytest.approx(value, rel=1e-12)


def test_savings_of_the_cheapest_class_are_0_and_of_free_predictions_1():
    y, _, cost, weight = drawn(2)
    best = np.argmin([np.average(cost[np.arange(60), y, k], weights=weight) for k in (0, 1)])
    same = np.full(60, best)
    assert savings_score(y, same, example_costs=cost, sample_weight=weight) == 0
    assert savings_score(y, y, example_costs=cost * (1 - np.eye(2))) == 1


@pytest.mark.parametrize("least", [0.0, -1.0])
def test_nothing_to_save(least):
    cost = np.full((2, 2), least)
    with pytest.warns(sklearn.exceptions.UndefinedMetricWarning, match="costs nothing, or gains"):
        assert savings_score([0, 1], [1, 0], example_costs=cost) == 0
    assert example_cost_loss([0, 1], [1, 0], example_costs=cost) == least


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 2)), np.arange(120) % 2
    X[:, 0] += y
    cost = np.column_stack([np.where(y, rng.exponential(50, 120), 0), np.full(120, 5.0)])
    return X, y, cost


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_searches_hand_scorers_their_rows(data):
    X, y, cost = data
    names, model = ["neg_example_cost_loss", "savings", "recall"], LogisticRegression()
    kept = {"return_estimator": True, "return_indices": True, "cv": 3}
    with sklearn.config_context(enable_metadata_routing=True):
        scorers, once = sm.get_scorers(names), sm.one_pass_scorer(names)
        result, again = (
            cross_validate(model, X, y, scoring=scoring, params={"example_costs": cost}, **kept)
            for scoring in (scorers, once)
        )
        search = GridSearchCV(model, {"C": [0.01, 1]}, scoring=scorers["savings"], cv=3)
        assert np.isfinite(search.fit(X, y, example_costs=cost).best_score_)
        tuned = TunedThresholdClassifierCV(model, scoring=scorers["savings"], cv=3)
        tuned.fit(X, y, example_costs=cost)
        assert tuned.best_threshold_ < 0.4  # a miss costs ten times a false alarm
    for name, metric, sign in zip(names, (example_cost_loss, savings_score), (-1, 1), strict=False):
        expected = [
            sign * metric(y[rows], fitted.predict(X[rows]), example_costs=cost[rows])
            for fitted, rows in zip(result["estimator"], result["indices"]["test"], strict=True)
        ]
        for found in (result, again):
            np.testing.assert_allclose(found[f"test_{name}"], expected)
    np.testing.assert_array_equal(again["test_recall"], result["test_recall"])


def test_nested_runs_pool_the_rows_of_folds(data):
    X, y, cost = data
    nested = NestedCV(
        LogisticRegression(), {"C": [0.01, 1]}, scoring=["savings", "recall"], refit="savings",
        outer_cv=3, inner_cv=2,
    )  # fmt: skip
    result = nested.fit(X, y, example_costs=cost).result_
    rows, y_pred = result.predictions.row, result.predictions.y_pred
    joined = savings_score(y[rows], y_pred, example_costs=cost[rows])
    assert result.statistics("savings").pooled.value == pytest.approx(joined)
    found = result.pooled_interval("savings", n_resamples=50, random_state=0)
    assert found.estimate == pytest.approx(joined)
    with pytest.raises(ValueError, match="example_costs is missing"):
        nested.fit(X, y)


def test_evaluation():
    y, pred, cost, weight = drawn(2)
    by, given = np.arange(60) % 2, {"example_costs": cost}
    found = evaluation.evaluate(y, pred, sample_weight=weight, by=by, **given)
    for group in (0, 1):
        expected = by_hand(*(each[by == group] for each in (y, pred, cost, weight)))
        values = [found[group][name] for name in ("example_cost_loss", "savings")]
        assert values == pytest.approx(expected)
    names = ["savings", "example_cost", "recall"]
    found = evaluation.evaluate(y, pred, metrics=names, intervals=True, n_resamples=99, **given)
    _, savings = by_hand(y, pred, cost, np.ones(60))
    assert found.intervals["example_cost_loss"].method == "t"
    assert found.intervals["savings"].low < savings < found.intervals["savings"].high


def test_intervals():
    y, pred, cost, _ = drawn(2, 200)
    each = cost[np.arange(200), y, pred]
    found = inference.interval("example_cost", y, pred, example_costs=cost)
    reach = 1.9719565 * each.std(ddof=1) / np.sqrt(200)
    assert (found.low, found.high) == pytest.approx((each.mean() - reach, each.mean() + reach))
    how = {"example_costs": cost, "method": "percentile", "n_resamples": 400, "random_state": 0}
    for name in ("example_cost", "savings"):
        boot = inference.interval(name, y, pred, **how)
        assert boot.low < boot.estimate < boot.high
    assert boot.high - boot.low > 0.05
    alike = inference.interval("example_cost", y, pred, example_costs=np.ones((200, 2)))
    assert alike.note.startswith("all rows have the same value")


def test_two_classifiers_and_chance():
    y, pred, cost, _ = drawn(2, 80)
    options = {"example_costs": cost, "random_state": 0, "n_resamples": 199}
    other = np.where(np.arange(80) < 30, y, pred)
    cost[np.arange(80), y, y] = 0
    expected = by_hand(y, pred, cost, np.ones(80))[1], by_hand(y, other, cost, np.ones(80))[1]
    for how in ("bootstrap", "permutation"):
        found = inference.paired_test("savings", y, pred, other, method=how, **options)
        assert found.estimates == pytest.approx(expected)
        assert found.p_value < 0.05
    # Shuffled labels take their costs along.
    right = inference.permutation_test("example_cost", y, y, alternative="less", **options)
    assert right.p_value == 1 / 200


def test_the_cheapest_call_of_each_example():
    _, _, cost, _ = drawn(3)
    p = np.random.default_rng(2).dirichlet(np.ones(3), 60)
    expected = np.array([one @ each for one, each in zip(p, cost, strict=True)])
    found = chow_predictions(p, reject_cost=0.3, cost=cost)
    np.testing.assert_array_equal(found.data, expected.argmin(axis=1))
    np.testing.assert_array_equal(found.mask, expected.min(axis=1) > 0.3)


def test_names_of_a_frame_of_costs_are_refused():
    table, y, pred = np.arange(9).reshape(3, 3), ["a", "b", "c"], ["b", "c", "c"]
    expected = sm.expected_cost(y, pred, cost=table)
    assert sm.expected_cost(y, pred, cost=pd.DataFrame(table)) == expected
    named = pd.DataFrame(table, index=list("abc"), columns=list("cab"))
    with pytest.raises(ValueError, match=r"cost is a frame .*to_numpy"):
        sm.expected_cost(y, pred, cost=named)
    with pytest.raises(ValueError, match=r"cost is a frame .*to_numpy"):
        chow_predictions(np.full((2, 3), 1 / 3), reject_cost=1, cost=named)
