"""Any two metrics under a constraint, and dominance in precision-recall space, by brute force."""

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


def keeps(limits, y, pred, options):
    for name, (sign, limit) in limits.items():
        value = named_metric(name).function(y, pred, **options)
        if not (value >= limit - 1e-12 if sign == ">=" else value <= limit + 1e-12):
            return False
    return True


@pytest.mark.parametrize("name", OBJECTIVES)
@pytest.mark.parametrize("bounds", BOUNDS)
def test_the_best_of_any_metric_by_trying_every_threshold(name, bounds):
    function = named_metric(name).function
    if name == "expected_cost":
        function = functools.partial(function, cost=[[0, 1], [5, 0]])
    sign = -1 if named_metric(name).function.metric.greater_is_better is False else 1
    asked = {"objective": function, "subject_to": bounds}
    for seed in range(8):
        y, score = drawn(seed)
        weight = np.random.default_rng(seed).integers(1, 4, len(y))
        options, reached = {"sample_weight": weight, "zero_division": np.nan}, []
        for cut in [np.inf, *np.unique(score)]:
            pred = (score >= cut).astype(int)
            kept = keeps(bounds, y, pred, options)
            reached.append(sign * function(y, pred, **options) if kept else np.nan)
            alone = sm.feasible_score(y, pred, **asked, **options)
            np.testing.assert_allclose(alone, reached[-1], rtol=1e-12)
        expected = max((value for value in reached if not np.isnan(value)), default=np.nan)
        found = sm.best_feasible_score(y, score, **asked, **options)
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


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_a_scorer_tunes_the_threshold_and_the_model():
    X, y = make_classification(400, 5, flip_y=0.2, weights=[0.7], random_state=0)
    model, asked = LogisticRegression(), {"subject_to": {"recall": (">=", 0.8)}}
    scorer = get_scorer("feasible", objective="precision", **asked)
    how = {"scoring": scorer, "cv": "prefit", "refit": False, "thresholds": 200}
    tuned = TunedThresholdClassifierCV(model.fit(X, y), **how).fit(X, y)
    assert sm.recall_score(y, tuned.predict(X)) >= 0.8
    score = tuned.estimator_.predict_proba(X)[:, 1]
    best = sm.best_feasible_score(y, score, objective="precision", **asked)
    assert tuned.best_score_ == pytest.approx(best, abs=0.02)
    inside = TunedThresholdClassifierCV(model, scoring=scorer, cv=5).fit(X, y)
    assert np.isfinite(inside.best_score_)
    scorer = get_scorer("best_feasible", objective="npv", subject_to={"fpr": (">=", 0.2)})
    search = GridSearchCV(model, {"C": [1e-4, 1.0]}, scoring=scorer, cv=3).fit(X, y)
    assert np.isfinite(search.best_score_)


@pytest.mark.parametrize("seed", range(8))
def test_dominance_in_precision_recall_space(seed):
    """By the precision of both hulls on a fine grid of recalls, and by the hulls in ROC space."""
    y, one = drawn(seed, 60, 2)
    _, other = drawn(seed + 100, 60, 2)
    other = other + 0.7 * y * (seed % 2)
    rocs = [sm.roc_curve(y, score) for score in (one, other)]
    found = sm.curves.compare_hulls(*(sm.precision_recall_curve(y, s) for s in (one, other)))
    at, precision = np.linspace(0.0005, 0.9995, 1000), []
    for hull in (roc.hull() for roc in rocs):
        first = np.argmax(hull.tpr == 1) + 1
        precision.append(at / (at + 2 * np.interp(at, hull.tpr[:first], hull.fpr[:first])))
    for intervals, ahead in (
        (found.first, precision[0] > precision[1] + 1e-9),
        (found.second, precision[1] > precision[0] + 1e-9),
    ):
        inside = np.zeros(len(at), dtype=bool)
        for low, high in intervals:
            inside |= (at > low) & (at < high)
        np.testing.assert_array_equal(inside, ahead)
    assert found.covering == sm.curves.compare_hulls(*rocs).covering


def test_dominance_at_another_prevalence_and_of_a_missing_class():
    y, score = drawn(1)
    curve = sm.precision_recall_curve(y, score)
    assert sm.curves.compare_hulls(curve, curve).covering == "both"
    rarer = sm.precision_recall_curve(y, score, sample_weight=np.where(y, 0.05, 1))
    assert sm.curves.compare_hulls(curve, rarer).covering == "first"
    with pytest.raises(ValueError, match="second is undefined"):
        sm.curves.compare_hulls(curve, sm.precision_recall_curve([1, 1], [0.1, 0.2]))
