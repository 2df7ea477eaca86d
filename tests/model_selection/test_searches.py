"""Every kind of search inside, against scikit-learn's own tools and loops written by hand."""

from __future__ import annotations

from typing import ClassVar

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
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from skaucx.metrics import one_pass_scorer
from skaucx.model_selection import NestedCV, _run, nested_cross_validate
from skaucx.model_selection.searches._separate import distinct

from .records import recorded

DEPTHS = {"max_depth": [1, 2, 3, 5]}
DRAWS = {"max_depth": randint(1, 7), "min_samples_leaf": randint(1, 20)}
OUTER = StratifiedKFold(3, shuffle=True, random_state=1)
INNER = StratifiedKFold(2, shuffle=True, random_state=2)


class OwnGrid(GridSearchCV):
    """A grid search of a class of its own, and so one that runs by itself."""


class CountedGrid(OwnGrid):
    """Tells how many rows each of its fits had."""

    begun: ClassVar[list[int]] = []

    def fit(self, X, y=None, **params):
        self.begun.append(len(X))
        return super().fit(X, y, **params)


@pytest.fixture(scope="module")
def data():
    return make_classification(
        n_samples=150, n_features=6, n_informative=3, flip_y=0.2, weights=[0.6], random_state=0
    )


@pytest.fixture
def tree():
    return DecisionTreeClassifier(random_state=0)


def assert_same(ours, theirs):
    """Compare results of two nested runs."""
    assert list(ours) == list(theirs)
    for key in theirs:
        np.testing.assert_array_equal(ours[key], theirs[key])
    assert ours.winning_params == theirs.winning_params
    np.testing.assert_allclose(ours.inner_means, theirs.inner_means, rtol=1e-12)
    np.testing.assert_array_equal(ours.predictions.y_pred, theirs.predictions.y_pred)


def by_hand(search, X, y, names):
    """Fit a search on every outer training part; return test scores and the fitted searches."""
    searches = [clone(search).fit(X[train], y[train]) for train, _ in OUTER.split(X, y)]
    scorer = one_pass_scorer(names)
    scores = [
        scorer(found.best_estimator_, X[test], y[test])
        for found, (_, test) in zip(searches, OUTER.split(X, y), strict=True)
    ]
    return {name: [fold[name] for fold in scores] for name in names}, searches


def batches(monkeypatch):
    """Record the number of fits in every batch."""
    sizes = []
    fit_all = _run.fit_all

    def counting(jobs, *options):
        sizes.append(len(jobs))
        return fit_all(jobs, *options)

    monkeypatch.setattr(_run, "fit_all", counting)
    return sizes


@pytest.mark.parametrize("kind", ["grid", "draws"])
def test_ready_search_is_taken_apart(data, tree, kind, monkeypatch):
    options = {"scoring": "roc_auc", "cv": INNER}
    if kind == "grid":
        search, drawn = GridSearchCV(tree, DEPTHS, **options), (tree, DEPTHS)
    else:
        search = RandomizedSearchCV(tree, DRAWS, n_iter=5, random_state=3, **options)
        sampler = ParameterSampler(DRAWS, 5, random_state=3)
        drawn = tree, [{name: [value] for name, value in one.items()} for one in sampler]
    sizes = batches(monkeypatch)
    ours = NestedCV(search, scoring=["f1", "mm7_auc"], outer_cv=OUTER).fit(*data)
    candidates = len(ours.result_.candidates)
    assert sizes == [(3 + 1) * candidates * 2, 3 + 1]
    plain = NestedCV(
        *drawn, scoring=["f1", "mm7_auc", "roc_auc"], refit="roc_auc", outer_cv=OUTER,
        inner_cv=INNER,
    ).fit(*data)  # fmt: skip
    assert_same(ours.result_, plain.result_)
    assert ours.result_.refit == ("roc_auc",)
    assert ours.best_params_ == plain.best_params_
    whole = clone(search).fit(*data)
    assert ours.best_index_ == whole.best_index_
    np.testing.assert_array_equal(ours.predict(data[0]), whole.predict(data[0]))
    theirs = cross_validate(search, *data, cv=OUTER, return_estimator=True)
    np.testing.assert_allclose(ours.result_["test_roc_auc"], theirs["test_score"], rtol=1e-12)
    assert list(ours.result_.winning_params) == [s.best_params_ for s in theirs["estimator"]]


def test_what_a_search_leaves_open_is_filled_in(data, tree):
    search = GridSearchCV(tree, DEPTHS)
    ours = NestedCV(search, scoring=["f1", "roc_auc"], inner_cv=3, outer_cv=OUTER).fit(*data)
    plain = NestedCV(tree, DEPTHS, scoring=["f1", "roc_auc"], inner_cv=3, outer_cv=OUTER).fit(*data)
    assert_same(ours.result_, plain.result_)
    other = nested_cross_validate(search, None, *data, scoring=["f1", "roc_auc"], refit="roc_auc")
    assert other.refit == ("roc_auc",)
    assert other.n_inner == (5,) * 5


def test_scoring_of_the_search_is_reported_where_no_other_is_given(data, tree):
    search = GridSearchCV(tree, DEPTHS, scoring=["f1", "roc_auc"], refit="roc_auc", cv=3)
    result = nested_cross_validate(search, X=data[0], y=data[1], outer_cv=3)
    assert list(result) == ["test_f1", "test_roc_auc"]
    assert result.refit == ("roc_auc",)


def test_error_score_and_jobs_of_a_search_that_is_taken_apart(data, tree, monkeypatch):
    options = []
    fit_all = _run.fit_all

    def recording(jobs, n_jobs, execution):
        options.append(n_jobs)
        return fit_all(jobs, n_jobs, execution)

    monkeypatch.setattr(_run, "fit_all", recording)
    search = GridSearchCV(
        tree, {"max_depth": [2, "deep"]}, scoring="f1", cv=2, error_score=-7.0, n_jobs=1
    )
    with pytest.warns(FitFailedWarning, match=r"error_score=-7\.0"):
        result = nested_cross_validate(search, None, *data, outer_cv=2)
    assert (result.inner_scores[:, 1] == -7).all()
    assert options == [1, 1]


@pytest.mark.parametrize("kind", ["grid", "random", "forest"])
@pytest.mark.filterwarnings("ignore:The number of unique classes is greater:UserWarning")
def test_halving_against_a_loop(data, tree, kind):
    options = {"scoring": "roc_auc", "cv": INNER, "random_state": 0}
    if kind == "grid":
        search = HalvingGridSearchCV(tree, DEPTHS, min_resources=30, **options)
    elif kind == "random":
        search = HalvingRandomSearchCV(tree, DRAWS, n_candidates=5, min_resources=30, **options)
    else:
        search = HalvingGridSearchCV(
            RandomForestClassifier(random_state=0), {"max_features": [1, 3, 6]},
            resource="n_estimators", max_resources=9, **options,
        )  # fmt: skip
    X, y = data
    nested = NestedCV(search, scoring=["f1", "mm7_auc"], outer_cv=OUTER).fit(X, y)
    result = nested.result_
    scores, searches = by_hand(search, X, y, ["f1", "mm7_auc", "roc_auc"])
    for name, values in scores.items():
        assert result[f"test_{name}"].tolist() == values
    assert list(result.winning_params) == [found.best_params_ for found in searches]
    means = [found.best_score_ for found in searches]
    np.testing.assert_allclose(result.inner_means, means, rtol=1e-12)
    whole = clone(search).fit(X, y)
    assert result.final.rule == "search"
    assert result.final.inner_mean == pytest.approx(whole.best_score_, rel=1e-12)
    assert nested.best_params_ == whole.best_params_ == result.candidates[nested.best_index_]
    np.testing.assert_array_equal(nested.predict_proba(X), whole.predict_proba(X))


def test_result_of_searches_that_run_by_themselves(data, tree):
    search = OwnGrid(tree, DEPTHS, scoring="roc_auc", cv=3)
    result = nested_cross_validate(search, None, *data, scoring="f1", outer_cv=4)
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
def test_search_by_itself_gives_what_the_flat_one_gives(data, kind):
    """Weights in fits and scores, groups in both loops, any kind of X."""
    X, y = data
    model, grid = KINDS[kind]
    if kind == "frame":
        index = np.arange(150)[::-1]
        X, y = pd.DataFrame(X, index), pd.Series(np.array(["a", "b"])[y], index)
    elif kind == "sparse":
        X = csr_matrix(X * (X > 0))
    elif kind == "kernel":
        X = X @ X.T
    weight = np.random.default_rng(3).integers(1, 30, 150).astype(float)
    groups = np.random.default_rng(4).permutation(150) % 12
    options = {"scoring": ["roc_auc", "f1"], "outer_cv": GroupKFold(3)}
    options |= {"pos_label": "b"} if kind == "frame" else {}
    with sklearn.config_context(enable_metadata_routing=kind == "routing"):
        own, flat = (
            NestedCV(
                search(model, grid, cv=GroupKFold(4)), final="search", **recorded(options)
            ).fit(X, y, sample_weight=weight, groups=groups)
            for search in (OwnGrid, GridSearchCV)
        )
    assert not own.result_.inner_scores.size
    assert flat.result_.inner_scores.size
    assert_same(own.result_, flat.result_)
    assert own.best_params_ == flat.best_params_
    np.testing.assert_array_equal(own.predict(X), flat.predict(X))
    unweighted = nested_cross_validate(
        OwnGrid(model, grid, cv=GroupKFold(4)), None, X, y, groups=groups, **recorded(options)
    )
    assert (own.result_.inner_means != unweighted.inner_means).all()


@pytest.mark.parametrize(
    "options",
    [{"scoring": ["f1", "roc_auc"], "refit": "roc_auc"}, {"scoring": "roc_auc", "refit": False}],
    ids=["a name", "False"],
)
def test_refit_of_a_search_that_runs_by_itself(data, tree, options):
    """Winners are fitted whatever it says, and the metric that it names chooses."""
    own, flat = (
        nested_cross_validate(search(tree, DEPTHS, cv=3, **options), None, *data, outer_cv=3)
        for search in (OwnGrid, GridSearchCV)
    )
    assert own.refit == ("roc_auc",)
    assert not own.inner_scores.size
    assert_same(own, flat)


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


def test_bare_search(data):
    bare, flat = (
        NestedCV(search(SVC(), {"C": [0.1, 1.0]}, scoring="roc_auc", cv=3), outer_cv=3)
        for search in (BareSearch, GridSearchCV)
    )
    assert is_classifier(bare)
    assert hasattr(bare, "decision_function")
    assert not hasattr(bare, "predict_proba")
    assert_same(bare.fit(*data).result_, flat.fit(*data).result_)
    np.testing.assert_array_equal(bare.classes_, [0, 1])


def search_of(kind=GridSearchCV, **options):
    return kind(DecisionTreeClassifier(random_state=0), DEPTHS, **options)


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
def test_wrong_options(data, options, error, message):
    nested = NestedCV(**recorded(options))
    with pytest.raises(error, match=message):
        nested.fit(*data)


@pytest.fixture
def optuna():
    pytest.importorskip("optuna_integration")
    import optuna

    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield optuna
    optuna.logging.set_verbosity(level)


@pytest.mark.filterwarnings("ignore:`optuna.terminator` module has been deprecated")
@pytest.mark.filterwarnings("ignore:.*is experimental.*")
def test_optuna_against_a_loop(data, tree, optuna):
    from optuna_integration import OptunaSearchCV

    space = {"max_depth": optuna.distributions.IntDistribution(1, 6)}
    search = OptunaSearchCV(tree, space, scoring="roc_auc", cv=INNER, n_trials=4, random_state=0)
    X, y = data
    nested = NestedCV(search, scoring=["f1", "mm7_auc"], outer_cv=OUTER).fit(X, y)
    scores, searches = by_hand(search, X, y, ["f1", "mm7_auc", "roc_auc"])
    for name, values in scores.items():
        assert nested.result_[f"test_{name}"].tolist() == values
    assert list(nested.result_.winning_params) == [found.best_params_ for found in searches]
    means = [found.best_score_ for found in searches]
    np.testing.assert_allclose(nested.result_.inner_means, means, rtol=1e-12)
    assert nested.best_params_ == clone(search).fit(X, y).best_params_


def test_same_parameters_are_told_by_content():
    trees = [{"model": DecisionTreeClassifier(max_depth=d), "w": np.ones(2)} for d in (1, 2, 1)]
    found, places = distinct([None, *trees])
    assert places == [0, 0, 1, 0]
    assert [params["model"].max_depth for params in found] == [1, 2]


def test_memory_keeps_whole_searches(data, tree, tmp_path):
    CountedGrid.begun.clear()
    search = CountedGrid(tree, DEPTHS, scoring="roc_auc", cv=3)
    options = {"scoring": "f1", "outer_cv": 3, "memory": tmp_path}
    first = nested_cross_validate(search, None, *data, **recorded(options))
    assert CountedGrid.begun == [100, 100, 100, 150]
    assert_same(nested_cross_validate(search, None, *data, **recorded(options)), first)
    assert len(CountedGrid.begun) == 4
    other = CountedGrid(tree, {"max_depth": [2]}, scoring="roc_auc", cv=3)
    nested_cross_validate(other, None, *data, **recorded(options))
    assert len(CountedGrid.begun) == 8
