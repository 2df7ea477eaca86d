"""Whatever takes ``scoring=`` in scikit-learn: no undefined value of ours wins there."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import check_scoring
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    RandomizedSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
    learning_curve,
    validation_curve,
)
from sklearn.preprocessing import scale

from skaucx.metrics import get_scorer

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")

# Metrics that are undefined where everything is called so.
NAMES = {
    "mcc": 0, "npv": 1, "markedness": 0, "neg_false_omission_rate": 1, "diagnostic_odds_ratio": 0,
    "positive_likelihood_ratio": 0, "neg_negative_likelihood_ratio": 1,
}  # fmt: skip
# Their scores there: as the functions fill, or else the worst.
FILLED = dict.fromkeys(NAMES, 0.0) | {
    "neg_false_omission_rate": -1.0,
    "neg_negative_likelihood_ratio": -np.inf,
}
each_name = pytest.mark.parametrize("name", NAMES)
CV = StratifiedKFold(3)
# Minus infinity less itself, which scikit-learn takes for the spread over folds, is nan.
spread_of_infinite = pytest.mark.filterwarnings(
    "ignore:invalid value encountered:RuntimeWarning",
    "ignore:One or more of the (test|train) scores are non-finite:UserWarning",
)


class Switch(ClassifierMixin, BaseEstimator):
    """Calls the sign of the first column that varies, and errs on each fifth row; or calls all alike."""

    def __init__(self, alike, on=True):
        self.alike, self.on = alike, on

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        column = X[:, np.argmax(X.std(axis=0) > 0)]
        called = (column > 0) ^ (np.arange(len(X)) % 5 == 0)
        works = self.on and X.std() > 0
        return called.astype(int) if works else np.full(len(X), self.alike)


@pytest.fixture(scope="module")
def data():
    y = np.arange(180) // 2 % 2
    rng = np.random.default_rng(0)
    return np.column_stack([2 * y - 1, rng.normal(size=(180, 2))]), y


@each_name
@spread_of_infinite
@pytest.mark.parametrize("order", [[True, False], [False, True]], ids=["first", "last"])
@pytest.mark.parametrize(
    ("search", "options"),
    [
        (GridSearchCV, {}),
        (RandomizedSearchCV, {"n_iter": 2, "random_state": 0}),
        (HalvingGridSearchCV, {"random_state": 0}),
        (HalvingRandomSearchCV, {"n_candidates": 2, "min_resources": 120, "random_state": 0}),
    ],
    ids=["grid", "random", "halving grid", "halving random"],
)
def test_searches(data, name, order, search, options):
    found = search(
        Switch(NAMES[name]), {"on": order}, scoring=get_scorer(name), cv=CV, **options
    ).fit(*data)
    assert found.best_params_ == {"on": True}
    assert np.isfinite(found.best_score_)


@each_name
def test_tuned_threshold(name):
    X, y = load_breast_cancer(return_X_y=True)
    model = LogisticRegression().fit(X := scale(X), y)
    scorer = get_scorer(name)
    tuned = TunedThresholdClassifierCV(
        model, scoring=scorer, cv="prefit", refit=False, store_cv_results=True
    ).fit(X, y)
    score = model.predict_proba(X)[:, 1]
    values = np.array([scorer._score_func(y, score >= t) for t in tuned.cv_results_["thresholds"]])
    brute = (values * scorer._sign)[np.isfinite(values)].max()
    assert tuned.best_score_ == brute
    assert 0 < tuned.predict(X).mean() < 1


@each_name
@pytest.mark.parametrize("constant", [0, 1], ids=["constant first", "constant last"])
def test_sequential_feature_selector(data, name, constant):
    X = np.insert(data[0][:, :1], constant, 0, axis=1)
    found = SequentialFeatureSelector(
        Switch(NAMES[name]), n_features_to_select=1, scoring=get_scorer(name), cv=CV
    ).fit(X, data[1])
    assert found.get_support().tolist() == [constant == 1, constant == 0]


@each_name
@spread_of_infinite
def test_what_reports_scores_shows_the_undefined_ones(data, name):
    off, scorer = Switch(NAMES[name], on=False), get_scorer(name)
    assert check_scoring(off, scoring=scorer) is scorer
    assert (cross_val_score(off, *data, scoring=scorer, cv=CV) == FILLED[name]).all()
    found = cross_validate(off, *data, scoring={"one": scorer}, cv=CV)
    assert (found["test_one"] == FILLED[name]).all()
    _, train, test = learning_curve(off, *data, scoring=scorer, cv=CV, train_sizes=[60, 90])
    assert (train == FILLED[name]).all()
    assert (test == FILLED[name]).all()
    given = {"param_name": "on", "param_range": [False, True], "scoring": scorer, "cv": CV}
    _, test = validation_curve(Switch(NAMES[name]), *data, **given)
    assert (test[0] == FILLED[name]).all()
    assert (test[1] > FILLED[name]).all()
