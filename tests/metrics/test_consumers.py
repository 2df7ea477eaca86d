"""Whatever takes ``scoring=`` in scikit-learn: no undefined value of ours wins there."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, RidgeClassifierCV
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
    permutation_test_score,
    validation_curve,
)
from sklearn.preprocessing import scale

from skaucx.metrics import get_scorer

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")

# Metrics that are undefined where everything is called so.
NAMES = {
    "mcc": 0,
    "npv": 1,
    "markedness": 0,
    "neg_false_omission_rate": 1,
    "diagnostic_odds_ratio": 0,
    "positive_likelihood_ratio": 0,
    "neg_negative_likelihood_ratio": 1,
}
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

# Who takes scoring= in scikit-learn, by file, and what the tests below make of it.
CONSUMERS = {
    "callback/_scoring_monitor.py": "reports scores, chooses nothing",
    "ensemble/_hist_gradient_boosting/gradient_boosting.py": "test_early_stopping",
    "feature_selection/_rfe.py": "test_rfecv",
    "feature_selection/_sequential.py": "test_sequential_feature_selector",
    "inspection/_permutation_importance.py": "test_permutation_importance",
    "linear_model/_logistic.py": "test_logistic_regression_cv",
    "linear_model/_ridge.py": "test_ridge_classifier_cv",
    "metrics/_scorer.py": "test_what_reports_scores_shows_the_undefined_ones",
    "model_selection/_classification_threshold.py": "test_tuned_threshold",
    "model_selection/_plot.py": "draws learning_curve and validation_curve",
    "model_selection/_search.py": "test_searches",
    "model_selection/_search_successive_halving.py": "test_searches",
    "model_selection/_validation.py": "test_what_reports_scores_shows_the_undefined_ones",
    "utils/_plotting.py": "names an axis",
}


class Switch(ClassifierMixin, BaseEstimator):
    """Calls the sign of the first column that varies, and errs on each fifth row; or calls all alike."""

    def __init__(self, alike, on=True, columns_needed=1):
        self.alike, self.on, self.columns_needed = alike, on, columns_needed

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.feature_importances_ = np.arange(X.shape[1], 0.0, -1)
        return self

    def predict(self, X):
        column = X[:, np.argmax(X.std(axis=0) > 0)]
        called = (column > 0) ^ (np.arange(len(X)) % 5 == 0)
        works = self.on and X.shape[1] >= self.columns_needed and X.std() > 0
        return called.astype(int) if works else np.full(len(X), self.alike)


@pytest.fixture(scope="module")
def data():
    y = np.arange(180) // 2 % 2
    rng = np.random.default_rng(0)
    return np.column_stack([2 * y - 1, rng.normal(size=(180, 2))]), y


def mostly(alike):
    """Two overlapping classes, two thirds of the rows of one."""
    y = np.where(np.arange(300) % 3 == 0, 1 - alike, alike)
    return y[:, None] + np.random.default_rng(0).normal(size=(300, 1)), y


def test_every_consumer_is_known():
    root = Path(sklearn.__file__).parent
    found = set()
    for path in root.rglob("*.py"):
        inside = path.relative_to(root)
        if {"tests", "_test_common", "externals"} & set(inside.parts):
            continue
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if "scoring" in text else ():
            if isinstance(node, ast.FunctionDef):
                names = {a.arg for a in (*node.args.args, *node.args.kwonlyargs)}
                found |= {inside.as_posix()} if "scoring" in names else set()
    assert found <= set(CONSUMERS)
    assert {told for told in CONSUMERS.values() if told.startswith("test_")} <= set(globals())


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
@spread_of_infinite
def test_rfecv(data, name):
    found = RFECV(Switch(NAMES[name], columns_needed=2), scoring=get_scorer(name), cv=CV).fit(*data)
    assert found.n_features_ == 2


@each_name
@pytest.mark.parametrize("constant", [0, 1], ids=["constant first", "constant last"])
def test_sequential_feature_selector(data, name, constant):
    X = np.insert(data[0][:, :1], constant, 0, axis=1)
    found = SequentialFeatureSelector(
        Switch(NAMES[name]), n_features_to_select=1, scoring=get_scorer(name), cv=CV
    ).fit(X, data[1])
    assert found.get_support().tolist() == [constant == 1, constant == 0]


@each_name
@pytest.mark.parametrize("Cs", [[1e-9, 1.0], [1.0, 1e-9]], ids=["first", "last"])
def test_logistic_regression_cv(name, Cs):
    X, y = mostly(NAMES[name])
    options = {"Cs": Cs, "cv": CV, "scoring": get_scorer(name), "random_state": 0}
    if sklearn.__version__ >= "1.8":
        options |= {"l1_ratios": (0,), "use_legacy_attributes": False}
    found = LogisticRegressionCV(**options).fit(X, y)
    assert np.ravel(found.C_)[0] == 1.0


@each_name
@spread_of_infinite
@pytest.mark.parametrize("alphas", [[1e9, 1.0], [1.0, 1e9]], ids=["first", "last"])
def test_ridge_classifier_cv(name, alphas):
    X, y = mostly(NAMES[name])
    found = RidgeClassifierCV(alphas, scoring=get_scorer(name), cv=CV).fit(X, y)
    assert found.alpha_ == 1.0


@each_name
def test_early_stopping(name):
    rng = np.random.default_rng(0)
    y = (np.arange(600) % 10 == 0).astype(int)
    X = 2 * y[:, None] + rng.normal(size=(600, 1))
    options = {"early_stopping": True, "n_iter_no_change": 50, "max_iter": 60, "random_state": 0}
    found = HistGradientBoostingClassifier(scoring=get_scorer(name), **options).fit(X, y)
    assert not np.isnan(found.validation_score_).any()
    assert found.n_iter_ == 60 or np.isfinite(found.validation_score_).any()


@each_name
@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
def test_permutation_importance(data, name):
    """An undefined baseline makes no feature important."""
    model = Switch(NAMES[name], on=False).fit(*data)
    found = permutation_importance(model, *data, scoring=get_scorer(name), n_repeats=2)
    assert not (found.importances > 0).any()


@each_name
def test_permutation_test_score(data, name):
    score, _, p_value = permutation_test_score(
        Switch(NAMES[name], on=False), *data, scoring=get_scorer(name), cv=CV, n_permutations=19
    )
    assert (score, p_value) == (FILLED[name], 1)


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
