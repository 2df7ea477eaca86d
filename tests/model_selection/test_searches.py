"""Every kind of search inside, against scikit-learn's own tools and loops written by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.sparse import csr_matrix
from scipy.stats import loguniform, randint
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    ParameterSampler,
    RandomizedSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
)
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from skaucx.metrics import one_pass_scorer
from skaucx.model_selection import NestedCV, _run, nested_cross_validate
from skaucx.model_selection.searches._separate import distinct

DEPTHS = {"max_depth": [1, 2, 3, 5]}
DRAWS = {"max_depth": randint(1, 7), "min_samples_leaf": randint(1, 20)}
OUTER = StratifiedKFold(3, shuffle=True, random_state=1)
INNER = StratifiedKFold(2, shuffle=True, random_state=2)


class OwnGrid(GridSearchCV):
    """A grid search of a class of its own, and so one that runs by itself."""


def search_of(kind=GridSearchCV, **options):
    return kind(TREE, DEPTHS, **options)


X, Y = make_classification(
    n_samples=150, n_features=6, n_informative=3, flip_y=0.2, weights=[0.6], random_state=0
)
TREE = DecisionTreeClassifier(random_state=0)


def assert_same(ours, theirs):
    """Compare results of two nested runs."""
    assert list(ours) == list(theirs)
    for key in theirs:
        np.testing.assert_array_equal(ours[key], theirs[key])
    assert ours.winning_params == theirs.winning_params
    np.testing.assert_allclose(ours.inner_means, theirs.inner_means, rtol=1e-12)
    np.testing.assert_array_equal(ours.predictions.y_pred, theirs.predictions.y_pred)


@pytest.fixture
def batches(monkeypatch):
    """The number of fits in every batch, and its n_jobs."""
    found = []
    fit_all = _run.fit_all

    def counting(jobs, n_jobs, execution):
        found.append((len(jobs), n_jobs))
        return fit_all(jobs, n_jobs, execution)

    monkeypatch.setattr(_run, "fit_all", counting)
    return found


@pytest.mark.parametrize("kind", ["grid", "draws"])
def test_ready_search_is_taken_apart(kind, batches):
    options = {"scoring": "roc_auc", "cv": INNER}
    if kind == "grid":
        search, drawn = GridSearchCV(TREE, DEPTHS, **options), (TREE, DEPTHS)
    else:
        search = RandomizedSearchCV(TREE, DRAWS, n_iter=5, random_state=3, **options)
        sampler = ParameterSampler(DRAWS, 5, random_state=3)
        drawn = TREE, [{name: [value] for name, value in one.items()} for one in sampler]
    ours = NestedCV(search, scoring=["f1", "mm7_auc"], outer_cv=OUTER).fit(X, Y)
    candidates = len(ours.result_.candidates)
    assert batches == [((3 + 1) * candidates * 2, None), (3 + 1, None)]
    plain = NestedCV(
        *drawn, scoring=["f1", "mm7_auc", "roc_auc"], refit="roc_auc", outer_cv=OUTER,
        inner_cv=INNER,
    ).fit(X, Y)  # fmt: skip
    assert_same(ours.result_, plain.result_)
    assert ours.result_.refit == ("roc_auc",)
    assert ours.best_params_ == plain.best_params_
    whole = clone(search).fit(X, Y)
    assert ours.best_index_ == whole.best_index_
    np.testing.assert_array_equal(ours.predict(X), whole.predict(X))


def test_what_a_search_leaves_open_is_filled_in():
    names = ["f1", "roc_auc"]
    search, folds = GridSearchCV(TREE, DEPTHS), {"inner_cv": 3, "outer_cv": OUTER}
    ours = nested_cross_validate(search, None, X, Y, scoring=names, **folds)
    assert_same(ours, nested_cross_validate(TREE, DEPTHS, X, Y, scoring=names, **folds))
    other = nested_cross_validate(search, None, X, Y, scoring=names, refit="roc_auc")
    assert other.refit == ("roc_auc",)
    assert other.n_inner == (5,) * 5
    search = GridSearchCV(TREE, DEPTHS, scoring=names, refit="roc_auc", cv=3)
    result = nested_cross_validate(search, X=X, y=Y, outer_cv=3)
    assert list(result) == ["test_f1", "test_roc_auc"]
    assert result.refit == ("roc_auc",)


def test_error_score_and_jobs_of_a_search_that_is_taken_apart(batches):
    grid = {"max_depth": [2, "deep"]}
    search = GridSearchCV(TREE, grid, scoring="f1", cv=2, error_score=-7.0, n_jobs=1)
    with pytest.warns(FitFailedWarning, match=r"error_score=-7\.0"):
        result = nested_cross_validate(search, None, X, Y, outer_cv=2)
    assert (result.inner_scores[:, 1] == -7).all()
    assert [n_jobs for _, n_jobs in batches] == [1, 1]


HALVING = {"scoring": "roc_auc", "cv": INNER, "random_state": 0}
SEPARATE = {
    "grid": HalvingGridSearchCV(TREE, DEPTHS, min_resources=30, **HALVING),
    "random": HalvingRandomSearchCV(TREE, DRAWS, n_candidates=5, min_resources=30, **HALVING),
    "forest": HalvingGridSearchCV(
        RandomForestClassifier(random_state=0), {"max_features": [1, 3, 6]},
        resource="n_estimators", max_resources=9, **HALVING,
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", SEPARATE)
@pytest.mark.filterwarnings("ignore:The number of unique classes is greater:UserWarning")
def test_halving_against_a_loop(kind):
    search = SEPARATE[kind]
    nested = NestedCV(search, scoring=["f1", "mm7_auc"], outer_cv=OUTER).fit(X, Y)
    result, scorer = nested.result_, one_pass_scorer(["f1", "mm7_auc", "roc_auc"])
    for fold, (train, test) in enumerate(OUTER.split(X, Y)):
        found = clone(search).fit(X[train], Y[train])
        for name, value in scorer(found.best_estimator_, X[test], Y[test]).items():
            assert result[f"test_{name}"][fold] == value
        assert result.winning_params[fold] == found.best_params_
        assert result.inner_means[fold] == pytest.approx(found.best_score_, rel=1e-12)
    whole = clone(search).fit(X, Y)
    assert result.final.rule == "search"
    assert result.final.inner_mean == pytest.approx(whole.best_score_, rel=1e-12)
    assert nested.best_params_ == whole.best_params_ == result.candidates[nested.best_index_]
    np.testing.assert_array_equal(nested.predict_proba(X), whole.predict_proba(X))


def test_result_of_searches_that_run_by_themselves():
    search = OwnGrid(TREE, DEPTHS, scoring="roc_auc", cv=3)
    result = nested_cross_validate(search, None, X, Y, scoring="f1", outer_cv=4)
    winners = list(dict.fromkeys(params["max_depth"] for params in result.winning_params))
    assert [params["max_depth"] for params in result.candidates[: len(winners)]] == winners
    assert result.winner_counts.sum() == 4
    assert result.inner_scores.shape == (4, len(result.candidates), 0, 1)
    expected = result.inner_means - result["test_roc_auc"]
    np.testing.assert_array_equal(result.optimism, expected)
    assert "4 outer x 3 inner folds, a separate search in each" in result.summary()
    assert "one more inner search on all data" in " ".join(result.summary().split())
    assert "a separate search" in result._repr_html_()


KINDS = {
    "frame": (
        make_pipeline(StandardScaler(), GaussianNB()),
        {"gaussiannb__var_smoothing": [1e-3, 0.1, 1]},
    ),
    "sparse": (MultinomialNB(), {"alpha": [0.01, 1, 100]}),
    "kernel": (SVC(kernel="precomputed"), {"C": [0.01, 0.1, 1]}),
    "routing": (GaussianNB(), {"var_smoothing": [1e-3, 0.1, 1]}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_search_by_itself_gives_what_the_flat_one_gives(kind):
    """Weights in fits and scores, groups in both loops, any kind of X."""
    (model, grid), x, y = KINDS[kind], X, Y
    if kind == "frame":
        index = np.arange(150)[::-1]
        x, y = pd.DataFrame(X, index), pd.Series(np.array(["a", "b"])[Y], index)
    elif kind == "sparse":
        x = csr_matrix(X * (X > 0))
    elif kind == "kernel":
        x = X @ X.T
    weight = np.random.default_rng(3).integers(1, 30, 150).astype(float)
    groups = np.random.default_rng(4).permutation(150) % 12
    options = {"scoring": ["roc_auc", "f1"], "outer_cv": GroupKFold(3)}
    options |= {"pos_label": "b"} if kind == "frame" else {}
    searches = [search(model, grid, cv=GroupKFold(4)) for search in (OwnGrid, GridSearchCV)]
    with sklearn.config_context(enable_metadata_routing=kind == "routing"):
        own, flat = (
            NestedCV(search, **options).fit(x, y, sample_weight=weight, groups=groups)
            for search in searches
        )
    assert not own.result_.inner_scores.size
    assert flat.result_.inner_scores.size
    assert_same(own.result_, flat.result_)
    assert own.best_params_ == flat.best_params_
    np.testing.assert_array_equal(own.predict(x), flat.predict(x))
    plain = nested_cross_validate(searches[0], None, x, y, groups=groups, **options)
    assert (own.result_.inner_means != plain.inner_means).all()


class BareSearch(BaseEstimator):
    """A search with nothing but what makes it one: no tags, no methods, no table, no refit."""

    def __init__(self, estimator, param_grid, scoring=None, cv=None):
        self.estimator, self.param_grid = estimator, param_grid
        self.scoring, self.cv = scoring, cv

    def fit(self, X, y):
        found = GridSearchCV(self.estimator, self.param_grid, scoring=self.scoring, cv=self.cv)
        found.fit(X, y)
        self.best_estimator_, self.best_params_ = found.best_estimator_, found.best_params_
        self.best_score_ = found.best_score_
        return self


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (OwnGrid, {"scoring": ["f1", "roc_auc"], "refit": "roc_auc"}),
        (OwnGrid, {"scoring": "roc_auc", "refit": False}),
        (BareSearch, {"scoring": "roc_auc"}),
    ],
)
def test_winners_are_fitted_whatever_a_search_that_runs_by_itself_does(kind, options):
    """The metric that it names chooses."""
    own, flat = (
        NestedCV(search(SVC(), {"C": [0.1, 1.0]}, cv=3, **options), outer_cv=3)
        for search in (kind, GridSearchCV)
    )
    assert is_classifier(own)
    assert hasattr(own, "decision_function")
    assert not hasattr(own, "predict_proba")
    assert_same(own.fit(X, Y).result_, flat.fit(X, Y).result_)
    assert own.result_.refit == ("roc_auc",)
    assert not own.result_.inner_scores.size
    np.testing.assert_array_equal(own.classes_, [0, 1])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"estimator": search_of(cv=3), "inner_cv": 3}, ValueError,
         "inner_cv is set twice, to 3 and by the search to 3"),
        ({"estimator": search_of(scoring="f1"), "scoring": ["f1", "npv"], "refit": "npv"},
         ValueError, "refit is set twice, to 'npv' and by the search to 'f1'"),
        ({"estimator": search_of(scoring={"f1": make_scorer(f1_score)}, refit="f1"),
          "scoring": "f1"},
         ValueError, "'f1' is one scorer in scoring and another in that of the search"),
        ({"estimator": search_of(cv=[([0, 1], [2, 3])])}, ValueError,
         "inner_cv must be an integer or a splitter"),
        ({"estimator": search_of(OwnGrid), "final": "vote"}, ValueError,
         "final='vote' needs candidates that all outer folds share, and every OwnGrid finds"),
        ({"estimator": search_of(OwnGrid), "scoring": ["f1", "npv"], "refit": ["f1", "npv"]},
         ValueError, "OwnGrid runs separately and chooses by one metric"),
        ({"estimator": search_of(OwnGrid, refit=np.argmax, scoring=["f1", "npv"])}, ValueError,
         "whose refit is a function needs one metric"),
        ({"estimator": SVC()}, TypeError, "param_grid=None needs an estimator that is a search"),
        ({"estimator": TunedThresholdClassifierCV(LogisticRegression()), "scoring": "f1"},
         TypeError, "needs an estimator that is a search, .* found TunedThresholdClassifierCV"),
        ({"estimator": SVC(), "param_grid": {"C": loguniform(1, 2)}}, TypeError,
         r"param_grid: .*Distributions go into RandomizedSearchCV\("),
        ({"estimator": SVC(), "param_grid": np.ones((3, 2))}, TypeError, "param_grid: "),
        ({"estimator": SVC(), "param_grid": [], "scoring": "f1"}, ValueError, "no candidates"),
        ({"estimator": SVC(), "param_grid": {}, "scoring": "sharpness"}, ValueError, "sharpness"),
    ],
)  # fmt: skip
def test_wrong_options(options, error, message):
    with pytest.raises(error, match=message):
        NestedCV(**options).fit(X, Y)


def test_same_parameters_are_told_by_content():
    trees = [{"model": DecisionTreeClassifier(max_depth=d), "w": np.ones(2)} for d in (1, 2, 1)]
    found, places = distinct([None, *trees])
    assert places == [0, 0, 1, 0]
    assert [params["model"].max_depth for params in found] == [1, 2]
