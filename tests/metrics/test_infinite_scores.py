"""A perfect candidate wins every search, also by metrics whose best value is infinite."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV

import skaucx.metrics as sm
from skaucx.metrics import get_scorer, one_pass_scorer
from skaucx.metrics._registry.declare import METRICS
from skaucx.model_selection import nested_cross_validate

# All metrics whose best value is infinite, and those that have an objective that may be one of them.
ENDLESS = sorted(
    n for n, f in METRICS.items() if math.isinf(f.metric.best) and f.metric.kind.name == "counts"
)
SCORINGS = {name: {} for name in ENDLESS} | {
    "feasible": {"objective": "lr_plus", "subject_to": {"recall": (">=", 0.5)}},
    "best_feasible": {"objective": "dor", "subject_to": {"recall": (">=", 0.5)}},
    "diagnostic_odds_ratio_macro": {},
}


class Wrong(ClassifierMixin, BaseEstimator):
    """Calls some rows wrongly: those whose second column is below `wrong`."""

    def __init__(self, wrong=0):
        self.wrong = wrong

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return (self.decision_function(X) > 0).astype(int)

    def decision_function(self, X):
        right = np.where(X[:, 0] > 0, 1.0, -1.0)
        return np.where(X[:, 1] < self.wrong, -right, right)

    def predict_proba(self, X):
        high = 0.5 + self.decision_function(X) / 4
        return np.column_stack([1 - high, high])


@pytest.fixture(scope="module")
def rows():
    y = np.arange(120) % 2
    return np.column_stack([y, np.arange(120) // 2 % 10]), y


@pytest.mark.parametrize("name", SCORINGS)
def test_every_search_takes_the_perfect_candidate(name, rows):
    X, y = rows
    grid, parameters = {"wrong": [2, 0, 1]}, SCORINGS[name]
    scorer = pickle.loads(pickle.dumps(get_scorer(name, **parameters)))
    for scoring in (scorer, one_pass_scorer({"it": scorer})):
        refit = True if scoring is scorer else "it"
        search = GridSearchCV(Wrong(), grid, scoring=scoring, cv=3, refit=refit).fit(X, y)
        assert search.best_params_ == {"wrong": 0}
        assert np.isfinite(search.best_score_)
        column = "score" if scoring is scorer else "it"
        assert np.isfinite(search.cv_results_[f"mean_test_{column}"]).all()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("name", ENDLESS)
def test_the_perfect_threshold_is_taken(name, rows):
    X, y = rows
    tuned = TunedThresholdClassifierCV(
        Wrong(), scoring=get_scorer(name), thresholds=np.array([0.1, 0.5, 0.9]), cv=3
    ).fit(X, y)
    assert tuned.best_threshold_ == 0.5
    assert np.isfinite(tuned.best_score_)


def test_nested_runs_take_the_perfect_candidate(rows):
    X, y = rows
    for name in ENDLESS:
        found = nested_cross_validate(
            Wrong(), {"wrong": [2, 0, 1]}, X, y, scoring=[name], refit=name,
            outer_cv=3, inner_cv=3,
        )  # fmt: skip
        assert [p["wrong"] for p in found.winning_params] == [0, 0, 0]
        assert np.isfinite(found["test_" + name]).all()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_no_table_with_an_error_has_more_than_the_perfect_one():
    """Over all tables of some class sizes, and with unequal weights of any size."""
    rng = np.random.default_rng(0)
    for name in ENDLESS:
        scorer = get_scorer(name)
        for positives, negatives in ((1, 1), (1, 9), (7, 2), (5, 5)):
            y = np.repeat([1, 0], [positives, negatives])
            for weight in (None, np.full(len(y), 1e-3), rng.uniform(0.01, 100, len(y))):
                best = _score(scorer, y, y, weight)
                assert math.isfinite(best)
                for missed in range(positives + 1):
                    for false in range(negatives + 1):
                        called = y.copy()
                        called[:missed], called[positives : positives + false] = 0, 1
                        assert _score(scorer, y, called, weight) <= best
                        if missed and false:  # no cell of errors is empty: the function's value
                            value = METRICS[name](
                                y, called, sample_weight=weight, zero_division=np.nan
                            )
                            if np.isfinite(value):
                                assert _score(scorer, y, called, weight) == pytest.approx(value)


def _score(scorer, y, called, weight):
    X = np.column_stack([called, np.full(len(y), 9)])
    model = Wrong()
    model.classes_ = np.array([0, 1])
    return scorer(model, X, y, sample_weight=weight)


def test_a_declared_metric_with_an_infinite_best_value(rows):
    def margin_ratio_score(r):
        """Share of pairs in order, over the share of others."""
        right = r.mean_of(sm._kinds.DifferenceFunction(lambda d: (d > 0) * 1.0, kinks=(0.0,)))
        return right / (1 - right)

    declared = sm.declare("order", bounds=(0, np.inf))(margin_ratio_score)
    try:
        X, y = rows
        search = GridSearchCV(Wrong(), {"wrong": [2, 0]}, scoring=get_scorer(declared), cv=3)
        assert search.fit(X, y).best_params_ == {"wrong": 0}
        assert np.isfinite(search.best_score_)
    finally:
        del METRICS["margin_ratio"]
