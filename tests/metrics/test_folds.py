"""Scorers in searches: folds that lack a class, and metrics whose best value is infinite.

On a fold that lacks a class a scorer gives the function's value, or else the worst of the range. A
perfect candidate wins every search.
"""

from __future__ import annotations

import functools
import math
import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV

import skaucx.metrics as sm
from skaucx.metrics import get_scorer, one_pass_scorer
from skaucx.metrics._kinds.labels import LABELS
from skaucx.metrics._kinds.scores import SCORES
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics._registry.names import scorer_names
from skaucx.model_selection import nested_cross_validate
from tests.each import each
from tests.metrics.needed import needed_parameters

undefined_ok = pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
RNG = np.random.default_rng(0)
TRUTH = np.repeat([0, 1, 2], 20)
X = RNG.normal(size=(60, 3)) + 1.5 * np.eye(3)[TRUTH]
MODELS = {
    2: LogisticRegression().fit(X[:40], TRUTH[:40]),
    3: LogisticRegression().fit(X, TRUTH),
    "unseen": LogisticRegression().fit(X[:40], TRUTH[:40]),  # class 2 is not in training
}


@functools.cache
def folds(trained):
    """Return the rows of folds that lack a class in truth, in predictions too, or hold one alone."""
    called, last = MODELS[trained].predict(X), 1 if trained == 2 else 2
    some, found = last >= TRUTH, {}
    for code in (0, last):
        found[f"without {code}"] = some & (code != TRUTH)
        found[f"nowhere {code}"] = some & (code != TRUTH) & (called != code)
        found[f"only {code}"] = code == TRUTH
        found[f"only {code}, right"] = (code == TRUTH) & (called == code)
        found[f"only {code}, wrong"] = (code == TRUTH) & (called != code)
    return {fold: np.flatnonzero(kept) for fold, kept in found.items() if kept.any()}


NAMES = {
    name: (METRICS[metric], dict(how))
    for name, (metric, how) in scorer_names().items()
    if METRICS[metric].metric.kind.inputs in (LABELS, SCORES)
    and name.startswith(METRICS[metric].metric.scorer_name)  # no alias
    and how.get("average") != "samples"
    and not name.endswith(("_ovr_macro", "_ovo_macro"))  # the same as without the average
}


def expected(function, own, model, rows):
    """Return the function's value with the classes of the model; an average takes those that occur."""
    row, classes = function.metric, np.union1d(model.classes_, TRUTH[rows])
    if row.kind.inputs is SCORES:
        score = model.predict_proba(X[rows])
        if row.kind.response_method != "predict_proba" and "multi_class" not in own:
            margins = len(classes) == 2 or row.kind.response_method == "decision_function"
            score = model.decision_function(X[rows]) if margins else score
        score = np.column_stack([-score, score]) if score.ndim == 1 else score
        lacking = 0 if np.allclose(score.sum(axis=1), 1) else score.min(initial=0)
        new = np.full((len(rows), len(classes) - score.shape[1]), lacking)  # classes sort last
        score = np.column_stack([score, new])
        score = score[:, 1] if len(classes) == 2 else score
        return function(TRUTH[rows], score, **own, labels=classes)
    if own.get("average") not in ("macro", "weighted") and "labels" in function.options:
        own = {"labels": classes, **own}
    return function(TRUTH[rows], model.predict(X[rows]), **own)


def needed(metric, trained):
    """Return the parameters that a metric needs for the classes of a model's folds."""
    own = needed_parameters(metric, 2 if trained == 2 else 3)
    # The matrix of costs says nothing of which class is new.
    return own | ({"labels": [*range(len(own["cost"]))]} if "cost" in own else {})


@functools.cache
def scorers(trained):
    """Return the scorers of folds of a model: many classes need an average where there are some."""
    found = {}
    for name, (function, how) in NAMES.items():
        kind = function.metric.kind
        of_two = "average" not in how and (kind.name == "counts" or kind.scale)
        reads_other_scores = function.metric.cuts or name.startswith("pairwise_auc")
        if not reads_other_scores and not (of_two and trained != 2):
            found[name] = get_scorer(name, **needed(function.metric.name, trained))
    return found


@functools.cache
def in_one_pass(trained, fold):
    rows = folds(trained)[fold]
    return one_pass_scorer(scorers(trained))(MODELS[trained], X[rows], TRUTH[rows])


@pytest.mark.parametrize("trained", MODELS)
@each("name", NAMES)
def test_a_fold_without_a_class(name, trained):
    if (scorer := scorers(trained).get(name)) is None:
        return
    (function, how), model = NAMES[name], MODELS[trained]
    row, own = function.metric, needed(function.metric.name, trained) | how
    low, high = row.under(own, 2 if trained == 2 else 3).bounds
    sign, worst = (-1, high) if row.greater_is_better is False else (1, low)
    for fold, rows in folds(trained).items():
        if how.get("average") in ("micro", "weighted") and "0" not in fold:
            continue  # the last class is tried of the other averages
        with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
            value = sign * expected(function, own, model, rows)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", UndefinedMetricWarning)
            found = scorer(model, X[rows], TRUTH[rows])
        alone = in_one_pass(trained, fold)[name]
        assert not np.isnan(found), fold
        if np.isinf(value) and row.haldane_corrected:  # half an example more in every cell
            assert np.isfinite(found), fold
        else:
            wanted = value if np.isfinite(value) else sign * worst
            assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12), fold
        assert np.isnan(alone) or alone == found, fold
        if np.isnan(value):
            assert any("is undefined" in str(warning.message) for warning in told), fold
            assert np.isnan(alone), fold


@undefined_ok
def test_no_candidate_within_the_bounds():
    """A metric under constraints has the range of its objective."""
    for name, objective, worst in (("feasible", "precision", 0), ("best_feasible", "fpr", -1)):
        scorer = get_scorer(name, objective=objective, subject_to={"recall": (">=", 2.0)})
        assert scorer(MODELS[2], X[:40], TRUTH[:40]) == worst


@undefined_ok
@pytest.mark.parametrize("name", [n for n, f in METRICS.items() if f.metric.kind.scale])
def test_a_class_without_weight_has_no_say(name):
    """Of labels, and of each class against the rest; an equal weight needs the value of each."""
    function, own = METRICS[name], needed_parameters(name)
    score = MODELS[3].predict_proba(X)
    truth = (np.arange(3) == TRUTH[:, None]).astype(int)
    truth[:, 2] = 0
    value = function(truth, score, average="weighted", **own)
    assert value == pytest.approx(
        function(truth[:, :2], score[:, :2], average="weighted", **own), rel=1e-12
    )
    one = function(truth, score, average=None, zero_division=np.nan, **own)
    if np.isnan([one[2], function.metric.undefined]).all():
        assert np.isnan(function(truth, score, average="macro", **own))
    rows = TRUTH < 2
    ovr = {"multi_class": "ovr", "labels": [0, 1, 2], **own}
    each = function(TRUTH[rows], score[rows], average=None, zero_division=np.nan, **ovr)
    value = function(TRUTH[rows], score[rows], average="weighted", **ovr)
    assert value == pytest.approx(each[:2].mean(), rel=1e-12)


# All metrics whose best value is infinite, and those that have an objective that may be one of them.
ENDLESS = sorted(
    n for n, f in METRICS.items() if math.isinf(f.metric.best) and f.metric.kind.name == "counts"
)
BOUND = {"subject_to": {"recall": (">=", 0.5)}}
SCORINGS = {name: {} for name in (*ENDLESS, "diagnostic_odds_ratio_macro")} | {
    "feasible": {"objective": "lr_plus", **BOUND},
    "best_feasible": {"objective": "dor", **BOUND},
}
HALVES = np.arange(120) % 2
ROWS = np.column_stack([HALVES, np.arange(120) // 2 % 10])


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


class TestInfiniteBestValues:
    @pytest.mark.parametrize("name", SCORINGS)
    def test_every_search_takes_the_perfect_candidate(self, name):
        scorer = pickle.loads(pickle.dumps(get_scorer(name, **SCORINGS[name])))
        for scoring, refit in ((scorer, True), (one_pass_scorer({"score": scorer}), "score")):
            search = GridSearchCV(Wrong(), {"wrong": [2, 0, 1]}, scoring=scoring, cv=3, refit=refit)
            assert search.fit(ROWS, HALVES).best_params_ == {"wrong": 0}
            assert np.isfinite(search.best_score_)
            assert np.isfinite(search.cv_results_["mean_test_score"]).all()

    @undefined_ok
    @pytest.mark.parametrize("name", ENDLESS)
    def test_the_perfect_threshold_is_taken(self, name):
        tuned = TunedThresholdClassifierCV(
            Wrong(), scoring=get_scorer(name), thresholds=np.array([0.1, 0.5, 0.9]), cv=3
        ).fit(ROWS, HALVES)
        assert tuned.best_threshold_ == 0.5
        assert np.isfinite(tuned.best_score_)

    @pytest.mark.parametrize("name", ENDLESS)
    def test_nested_runs_take_the_perfect_candidate(self, name):
        few = {"outer_cv": 3, "inner_cv": 3, "refit": name}
        grid = {"wrong": [2, 0, 1]}
        found = nested_cross_validate(Wrong(), grid, ROWS, HALVES, scoring=[name], **few)
        assert [p["wrong"] for p in found.winning_params] == [0, 0, 0]
        assert np.isfinite(found["test_" + name]).all()

    @undefined_ok
    @pytest.mark.parametrize("name", ENDLESS)
    def test_no_table_with_an_error_has_more_than_the_perfect_one(self, name):
        """Over all tables of some class sizes, and with unequal weights of any size."""
        rng, scorer = np.random.default_rng(0), get_scorer(name)
        for positives, negatives in ((1, 1), (1, 9), (7, 2), (5, 5)):
            y = np.repeat([1, 0], [positives, negatives])
            for weight in (None, np.full(len(y), 1e-3), rng.uniform(0.01, 100, len(y))):
                held = np.ones(len(y)) if weight is None else weight
                half, p, n = held.min() / 2, held[y == 1].sum(), held[y == 0].sum()
                best = _score(scorer, y, y, weight)
                expected = METRICS[name].from_counts(p + half, half, half, n + half)
                assert best == pytest.approx(expected)
                for missed, false in np.ndindex(positives + 1, negatives + 1):
                    called = y.copy()
                    called[:missed], called[positives : positives + false] = 0, 1
                    found = _score(scorer, y, called, weight)
                    assert found <= best
                    value = METRICS[name](y, called, sample_weight=weight, zero_division=np.nan)
                    # Where no cell of errors is empty, the function's value.
                    if missed and false and np.isfinite(value):
                        assert found == pytest.approx(value)

    def test_of_a_declared_metric(self):
        def margin_ratio_score(r):
            """Share of pairs in order, over the share of others."""
            right = r.mean_of(sm._kinds.DifferenceFunction(lambda d: (d > 0) * 1.0, kinks=(0.0,)))
            return right / (1 - right)

        declared = sm.declare("order", bounds=(0, np.inf))(margin_ratio_score)
        search = GridSearchCV(Wrong(), {"wrong": [2, 0]}, scoring=get_scorer(declared), cv=3)
        assert search.fit(ROWS, HALVES).best_params_ == {"wrong": 0}
        assert np.isfinite(search.best_score_)


def _score(scorer, y, called, weight):
    model = Wrong().fit(None, [0, 1])
    X = np.column_stack([called, np.full(len(y), 9)])
    return scorer(model, X, y, sample_weight=weight)
