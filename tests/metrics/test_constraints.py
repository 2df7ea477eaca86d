"""Any two metrics under a constraint, Pareto fronts, dominance: against torchmetrics and brute force."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV

import skaucx.metrics as sm
from skaucx.metrics import get_scorer
from skaucx.metrics._registry.names import named_metric


def drawn(seed, n=40, decimals=1):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([0, 1], [n - n // 3, n // 3]))
    return y, np.round(rng.normal(y, 1), decimals)


OBJECTIVES = ["npv", "mcc", "accuracy", "expected_cost", "lr_plus"]
BOUNDS = [
    {"recall": (">=", 0.7)},
    {"fpr": ("<=", 0.2)},
    {"precision": (">=", 0.6), "recall": (">=", 0.5)},
    {"specificity": (">=", 1.0), "recall": (">=", 0.9)},
]


@pytest.mark.parametrize("name", OBJECTIVES)
@pytest.mark.parametrize("bounds", BOUNDS)
def test_the_best_of_any_metric_by_trying_every_threshold(name, bounds):
    function = named_metric(name).function
    given = {"cost": [[0, 1], [5, 0]]} if name == "expected_cost" else {}
    sign = -1 if function.metric.greater_is_better is False else 1
    objective = functools.partial(function, **given)
    for seed in range(8):
        y, score = drawn(seed)
        weight = np.random.default_rng(seed).integers(1, 4, len(y))
        options = {"sample_weight": weight, "zero_division": np.nan}
        reached = []
        for cut in [np.inf, *np.unique(score)]:
            pred = (score >= cut).astype(int)
            kept = all(
                named_metric(other).function(y, pred, **options) >= limit - 1e-12
                if sign == ">="
                else named_metric(other).function(y, pred, **options) <= limit + 1e-12
                for other, (sign, limit) in bounds.items()
            )
            value = sign * function(y, pred, **given, **options)
            alone = sm.feasible_score(y, pred, objective=objective, subject_to=bounds, **options)
            np.testing.assert_allclose(alone, value if kept else np.nan, rtol=1e-12)
            reached += [value] if kept and not np.isnan(value) else []
        expected = max(reached, default=np.nan)
        found = sm.best_feasible_score(y, score, objective=objective, subject_to=bounds, **options)
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_what_is_infeasible_is_nan_and_said_why():
    y, score = [0, 1, 0, 1], [0.9, 0.8, 0.2, 0.1]
    with pytest.warns(UndefinedMetricWarning, match="no threshold reaches the bound"):
        assert np.isnan(sm.recall_at_precision_score(y, score, min_precision=0.9))
    asked = {"objective": "npv", "subject_to": {"precision": (">=", 0.9)}}
    with pytest.warns(UndefinedMetricWarning, match="a bound is not satisfied"):
        assert np.isnan(sm.best_feasible_score(y, score, **asked))
    with pytest.warns(UndefinedMetricWarning, match=r"a bound is not satisfied.*class"):
        sm.feasible_score([0, 1, 2], [1, 2, 0], average="macro", **asked)


def test_bad_objectives_and_bounds():
    y, score = drawn(0)
    for objective, match in (
        ("roc_auc", "not a function of the confusion table"),
        ("prevalence", "no better direction"),
        ("f1_macro", "average"),
        ("nonsense", "not the name"),
    ):
        with pytest.raises(ValueError, match=match):
            sm.best_feasible_score(y, score, objective=objective, subject_to={"fpr": ("<=", 0.5)})
    with pytest.raises(TypeError, match="beta"):
        sm.best_feasible_score(y, score, objective="fbeta", subject_to={"fpr": ("<=", 0.5)})
    for bad in ({}, None, {"fpr": 0.5}, {"fpr": ("<", 0.5)}, {"fpr": ("<=", "x")}, ["fpr"]):
        with pytest.raises((ValueError, TypeError), match="subject_to"):
            sm.best_feasible_score(y, score, objective="npv", subject_to=bad)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_a_scorer_tunes_the_threshold_and_the_model():
    X, y = make_classification(400, 5, flip_y=0.2, weights=[0.7], random_state=0)
    bounds = {"recall": (">=", 0.8)}
    scorer = get_scorer("feasible", objective="precision", subject_to=bounds)
    tuned = TunedThresholdClassifierCV(
        LogisticRegression(), scoring=scorer, cv="prefit", refit=False, thresholds=200
    )
    tuned = tuned.set_params(estimator=LogisticRegression().fit(X, y)).fit(X, y)
    assert sm.recall_score(y, tuned.predict(X)) >= 0.8
    score = tuned.estimator_.predict_proba(X)[:, 1]
    best = sm.best_feasible_score(y, score, objective="precision", subject_to=bounds)
    assert tuned.best_score_ == pytest.approx(best, abs=0.02)
    inside = TunedThresholdClassifierCV(LogisticRegression(), scoring=scorer, cv=5).fit(X, y)
    assert np.isfinite(inside.best_score_)
    search = GridSearchCV(
        LogisticRegression(), {"C": [1e-4, 1.0]},
        scoring=get_scorer("best_feasible", objective="npv", subject_to={"fpr": (">=", 0.2)}), cv=3,
    ).fit(X, y)  # fmt: skip
    assert np.isfinite(search.best_score_)


@pytest.mark.parametrize("seed", range(8))
def test_dominance_in_precision_recall_space(seed):
    """By the precision of both hulls on a fine grid of recalls, and by the hulls in ROC space."""
    y, one = drawn(seed, 60, 2)
    _, other = drawn(seed + 100, 60, 2)
    other = other + 0.7 * y * (seed % 2)
    curves = [sm.precision_recall_curve(y, score) for score in (one, other)]
    found = sm.curves.compare_hulls(*curves)
    at, wrong = np.linspace(0.0005, 0.9995, 1000), []
    for score in (one, other):
        hull = sm.roc_curve(y, score).hull()
        first = np.argmax(hull.tpr == 1) + 1
        wrong.append(np.interp(at, hull.tpr[:first], hull.fpr[:first]) * 2)
    precision = [at / (at + fp) for fp in wrong]
    for intervals, ahead in (
        (found.first, precision[0] > precision[1] + 1e-9),
        (found.second, precision[1] > precision[0] + 1e-9),
    ):
        inside = np.zeros(len(at), dtype=bool)
        for low, high in intervals:
            inside |= (at > low) & (at < high)
        np.testing.assert_array_equal(inside, ahead)
    hulls = sm.curves.compare_hulls(*(sm.roc_curve(y, score) for score in (one, other)))
    assert found.covering == hulls.covering


def test_dominance_at_another_prevalence_and_of_a_missing_class():
    y, score = drawn(1)
    curve = sm.precision_recall_curve(y, score)
    assert sm.curves.compare_hulls(curve, curve).covering == "both"
    rarer = sm.precision_recall_curve(y, score, sample_weight=np.where(y, 0.05, 1))
    assert sm.curves.compare_hulls(curve, rarer).covering == "first"
    with pytest.raises(ValueError, match="second is undefined"):
        sm.curves.compare_hulls(curve, sm.precision_recall_curve([1, 1], [0.1, 0.2]))
