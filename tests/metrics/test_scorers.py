"""Scorers inside scikit-learn's tools: names, searches, pipelines, routing, the one-pass scorer."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest
import sklearn
import sklearn.metrics
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import (
    load_breast_cancer,
    make_classification,
    make_multilabel_classification,
)
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import check_scoring, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    RandomizedSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import scale
from sklearn.svm import LinearSVC

from skaucx import metrics as sm
from skaucx.metrics import get_scorer, get_scorers, one_pass_scorer

BOTH = ["mm7_auc", "roc_auc", "specificity", "neg_log_loss"]
CV = StratifiedKFold(4)
X, Y = make_classification(160, 6, n_informative=3, flip_y=0.2, weights=[0.65], random_state=0)
NAMED = np.where(Y == 1, "bad", "good")  # the positive class is the first in the alphabet
FITTED = GaussianNB().fit(X, Y)
SVM = LinearSVC().fit(X, Y)


def folds(y, scorer):
    """Score the folds of CV one by one, each with a model fitted anew."""
    return [scorer(GaussianNB().fit(X[a], y[a]), X[b], y[b]) for a, b in CV.split(X, y)]


# ---- names and parameters ----


def agreement(y_true, y_pred):
    return np.mean(y_true == y_pred)


REFUSED = [
    (lambda: get_scorer("mm7_ac"), "'mm7_ac' is not the name of a scorer.*'mm7_auc'"),
    (lambda: get_scorer("specifity"), "'specifity' is not the name of a scorer.*'specificity'"),
    (lambda: get_scorer("log_loss"), "'log_loss' is not the name of a scorer.*'neg_log_loss'"),
    (lambda: get_scorer("roc_auc_ov"), "'roc_auc_ov' is not the name of a scorer.*'roc_auc_ovo'"),
    *((lambda wrong=wrong: get_scorer(wrong), "scorer") for wrong in ("", "zz", None, 3, ["mcc"])),
    (lambda: get_scorer("roc_auc", beta=2), "roc_auc_score does not accept .*'beta'.*'max_fpr'"),
    (lambda: get_scorer("fbeta"), "fbeta_score needs the parameter 'beta'"),
    (lambda: get_scorer("sond_auc", q=-1), "q must be a finite number"),
    (lambda: get_scorers(["recall", "roc_auc"], pos_lable=0), "pos_lable"),
    (lambda: one_pass_scorer(["recall", "roc_auc"], pos_lable=0), "pos_lable"),
    (lambda: get_scorers("mm7_auc"), "list of names or a dict"),
    (lambda: get_scorers({"a": 3}), "name or a callable"),
    (lambda: get_scorers(["mm7_auk"]), "did you mean"),
    (lambda: get_scorer(agreement), r"agreement is not a scorer.*make_scorer\(agreement\)"),
    (lambda: one_pass_scorer([agreement, "recall"]), r"agreement.*make_scorer\(agreement\)"),
    (lambda: get_scorer("mm7_auc")(SVM, X, Y), "predict_proba"),
    (
        lambda: one_pass_scorer(["mm7_auc"])(SVM, X, Y),
        "LinearSVC has none of.*predict_proba.*'mm7_auc'",
    ),
]


@pytest.mark.parametrize(("call", "words"), REFUSED, ids=[words for _, words in REFUSED])
def test_refuses(call, words):
    with pytest.raises((ValueError, TypeError, AttributeError), match=words):
        call()


def test_lists_and_dicts():
    assert list(get_scorers(BOTH)) == BOTH
    mine = make_scorer(sm.accuracy_score)
    chosen = get_scorers({"a": "mm7_auc", "b": "neg_log_loss", "c": mine})
    assert list(chosen) == ["a", "b", "c"]
    assert chosen["c"] is mine
    assert one_pass_scorer("mm7_auc").names == ("mm7_auc",)
    for scorer in (lambda estimator, X, y: 0.5, lambda *data: 0.5, make_scorer(agreement)):
        assert get_scorer(scorer)(FITTED, X, Y) >= 0.5


def test_parameters_go_to_the_metrics_that_take_them():
    asked = ["sond_auc", "fbeta", "specificity"]
    alone = {name: s(FITTED, X, Y) for name, s in get_scorers(asked, q=1, beta=2).items()}
    assert alone["sond_auc"] == pytest.approx(get_scorer("scor_auc")(FITTED, X, Y))
    assert one_pass_scorer(asked, q=1, beta=2)(FITTED, X, Y) == pytest.approx(alone)


# ---- objects ----


def test_is_a_scorer_of_scikit_learn_whose_signature_shows_the_bound_parameters():
    scorer = get_scorer("fbeta", beta=2, pos_label="bad")
    assert isinstance(scorer, type(sklearn.metrics.get_scorer("roc_auc")))
    assert check_scoring(GaussianNB(), scoring=scorer) is scorer
    assert "fbeta_score" in repr(scorer)
    parameters = inspect.signature(scorer._score_func).parameters
    assert (parameters["beta"].default, parameters["pos_label"].default) == (2, "bad")
    assert "y_true" in parameters
    assert "zero_division" not in parameters


def test_one_pass_scorer_pickles():
    scorer = one_pass_scorer(BOTH)
    for _ in range(2):  # once used, it holds more
        again = pickle.loads(pickle.dumps(scorer))
        assert again(FITTED, X, Y) == scorer(FITTED, X, Y)
    assert repr(again) == repr(scorer)
    assert all(name in repr(scorer) for name in BOTH)


# ---- the positive class ----

OF_A_CLASS = ("recall", "specificity", "average_precision")
OF_BOTH = ("roc_auc", "mm7_auc", "neg_log_loss")


@pytest.mark.parametrize("labels", [["bad", "good"], [1, 2]], ids=["strings", "1 and 2"])
def test_nobody_guesses_which_class_is_positive(labels):
    """A metric of which both classes have the same value goes on; any other asks."""
    y = np.array(labels)[Y]
    fitted = GaussianNB().fit(X, y)
    for name in OF_A_CLASS:
        for scorer in (get_scorer(name), one_pass_scorer([name])):
            told = rf"{labels[0]}.*{labels[1]}.*{name}.*pos_label"
            with pytest.raises(ValueError, match=told):
                scorer(fitted, X, y)
    for name in OF_BOTH:
        both = [get_scorer(name, pos_label=label)(fitted, X, y) for label in labels]
        assert both[0] == pytest.approx(both[1], rel=1e-12)
        assert get_scorer(name)(fitted, X, y) == both[1]
        assert one_pass_scorer([name])(fitted, X, y) == {name: both[1]}


def test_differing_pos_labels_are_refused():
    bad, good = (get_scorer("roc_auc", pos_label=label) for label in ("bad", "good"))
    for scorers in ({"bad": bad, "good": good}, {"bad": bad, "any": "mm7_auc"}):
        with pytest.raises(ValueError, match="one_pass_scorer"):
            get_scorers(scorers)


def test_scikit_learn_mixes_up_differing_pos_labels():
    """Upstream in 1.9.1: the cache of a multimetric scorer ignores pos_label.

    The reason for one_pass_scorer. When this fails, scikit-learn has mended it, and the refusal
    in get_scorers may go.
    """
    ap, labels = sklearn.metrics.average_precision_score, ("bad", "good")
    of_proba = {"response_method": "predict_proba"}
    scorers = {label: make_scorer(ap, **of_proba, pos_label=label) for label in labels}
    mixed = cross_validate(GaussianNB(), X, NAMED, scoring=scorers, cv=CV)
    np.testing.assert_allclose(mixed["test_bad"], folds(NAMED, scorers["bad"]))
    assert np.abs(mixed["test_good"] - folds(NAMED, scorers["good"])).max() > 0.1


def test_one_pass_scorer_keeps_them_apart():
    scorers = {
        f"{name}-{label}": get_scorer(name, pos_label=label)
        for name in OF_A_CLASS + OF_BOTH
        for label in ("bad", "good")
    }
    found = cross_validate(GaussianNB(), X, NAMED, scoring=one_pass_scorer(scorers), cv=CV)
    for key, scorer in scorers.items():
        np.testing.assert_allclose(found[f"test_{key}"], folds(NAMED, scorer), rtol=1e-12)


# ---- scikit-learn's tools ----


def test_tuned_threshold_with_pos_label():
    scores = []
    for y, own in ((NAMED, {"pos_label": "bad"}), (Y, {})):
        how = {"scoring": get_scorer("f1", **own), "cv": CV, "store_cv_results": True}
        tuned = TunedThresholdClassifierCV(GaussianNB(), **how).fit(X, y)
        scores.append(tuned.cv_results_["scores"])
    np.testing.assert_allclose(*scores)


@pytest.mark.parametrize("name", ["scor_auc", "roc_auc", "neg_log_loss", "mm1_auc"])
def test_a_search_of_thresholds_hands_over_labels(name):
    scorer = get_scorer(name, pos_label="bad")
    search = TunedThresholdClassifierCV(LogisticRegression(), scoring=scorer, cv=2)
    with pytest.raises(
        ValueError, match=r"reads scores, .* labels, .'bad'.*choose a metric of them"
    ):
        search.fit(X, NAMED)


def test_metrics_of_the_training_part_are_refused_as_scorers():
    """scikit-learn hands no training part to a scorer; a scale in its place goes everywhere."""
    for make in (get_scorer, lambda name: get_scorers([name])):
        with pytest.raises(ValueError, match=r"'neg_mase_loss' reads the training part .* scale="):
            make("neg_mase_loss")
    scorer = get_scorer("neg_mase_loss", scale=2.0)
    rows, y = np.arange(30.0)[:, None], np.arange(30.0) ** 1.5
    assert np.isfinite(cross_val_score(DummyRegressor(), rows, y, scoring=scorer, cv=3)).all()
    assert list(one_pass_scorer(["neg_mase_loss"]).names) == ["neg_mase_loss"]


@pytest.mark.parametrize("requested", [True, False])
@pytest.mark.parametrize("one_pass", [False, True])
def test_routed_weights_reach_fits_or_scores(one_pass, requested):
    weight = np.random.default_rng(0).uniform(0.1, 3, len(Y))
    scorer = get_scorer("mm7_auc")
    with sklearn.config_context(enable_metadata_routing=True):
        scoring = one_pass_scorer(["mm7_auc"]) if one_pass else get_scorer("mm7_auc")
        scoring = scoring.set_score_request(sample_weight=requested)
        model = GaussianNB().set_fit_request(sample_weight=not requested)
        params = {"sample_weight": weight}
        found = cross_validate(model, X, Y, scoring=scoring, cv=CV, params=params)
    expected = [
        scorer(GaussianNB().fit(X[a], Y[a]), X[b], Y[b], sample_weight=weight[b])
        if requested
        else scorer(GaussianNB().fit(X[a], Y[a], weight[a]), X[b], Y[b])
        for a, b in CV.split(X, Y)
    ]
    np.testing.assert_allclose(found["test_mm7_auc" if one_pass else "test_score"], expected)
    assert not np.allclose(expected, folds(Y, scorer))


# ---- multilabel indicators: probabilities come as a matrix, or as a list with a label each ----

ROWS, INDICATORS = make_multilabel_classification(120, n_classes=3, random_state=0)
FOREST = RandomForestClassifier(10, random_state=0)
OF_LABELS = ("f1_macro", "accuracy", "specificity_weighted", "mm7_auc_ovr_weighted")


@pytest.mark.parametrize("model", [FOREST, OneVsRestClassifier(LogisticRegression())])
def test_one_pass_equals_single_scorers_of_labels(model):
    fitted = clone(model).fit(ROWS, INDICATORS)
    found = one_pass_scorer([*OF_LABELS, "f1_samples"])(fitted, ROWS, INDICATORS)
    for name in OF_LABELS:
        alone = get_scorer(name)(fitted, ROWS, INDICATORS)
        assert found[name] == pytest.approx(alone, rel=1e-12)
    assert np.isnan(found["f1_samples"])  # undefined for rows without a label
    filled = sm.f1_score(INDICATORS, fitted.predict(ROWS), average="samples", zero_division=1)
    scorer = get_scorer("f1_samples", zero_division=1)
    assert scorer(fitted, ROWS, INDICATORS) == filled
    found = one_pass_scorer(["f1_samples"], zero_division=1)(fitted, ROWS, INDICATORS)
    assert found == {"f1_samples": filled}


def test_a_label_that_was_never_positive_has_probability_0():
    fitted = clone(FOREST).fit(ROWS, INDICATORS * [1, 0, 1])
    first, _, last = fitted.predict_proba(ROWS)
    proba = np.column_stack([first[:, 1], np.zeros(120), last[:, 1]])
    expected = sm.roc_auc_score(INDICATORS, proba, average="micro")
    scorer = get_scorer("roc_auc", average="micro")
    assert scorer(fitted, ROWS, INDICATORS) == expected
    assert one_pass_scorer({"auc": scorer})(fitted, ROWS, INDICATORS) == {"auc": expected}


# ---- searches: no undefined value of ours wins there ----

# Metrics that are undefined where everything is called so.
ALIKE = {
    "mcc": 0, "npv": 1, "markedness": 0, "neg_false_omission_rate": 1, "diagnostic_odds_ratio": 0,
    "positive_likelihood_ratio": 0, "neg_negative_likelihood_ratio": 1,
}  # fmt: skip
each_name = pytest.mark.parametrize("name", ALIKE)
undefined_ok = pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
SIDE = np.arange(180) // 2 % 2
ROWS_OF_SIDES = 2.0 * SIDE[:, None] - 1


class Switch(ClassifierMixin, BaseEstimator):
    """Calls the sign of a column, and errs on each fifth row; or calls all alike."""

    def __init__(self, alike, on=True):
        self.alike, self.on = alike, on

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        called = (X[:, 0] > 0) ^ (np.arange(len(X)) % 5 == 0)
        return called.astype(int) if self.on else np.full(len(X), self.alike)


@each_name
@undefined_ok
# Minus infinity less itself, which scikit-learn takes for the spread over folds, is nan.
@pytest.mark.filterwarnings(
    "ignore:invalid value encountered:RuntimeWarning",
    "ignore:One or more of the (test|train) scores are non-finite:UserWarning",
)
@pytest.mark.parametrize("order", [[True, False], [False, True]], ids=["first", "last"])
@pytest.mark.parametrize(
    ("search", "options"),
    [
        (GridSearchCV, {}), (RandomizedSearchCV, {"n_iter": 2, "random_state": 0}),
        (HalvingGridSearchCV, {"random_state": 0}),
        (HalvingRandomSearchCV, {"n_candidates": 2, "min_resources": 120, "random_state": 0}),
    ],
    ids=["grid", "random", "halving grid", "halving random"],
)  # fmt: skip
def test_searches(name, order, search, options):
    model, how = Switch(ALIKE[name]), {"scoring": get_scorer(name), "cv": 3, **options}
    found = search(model, {"on": order}, **how).fit(ROWS_OF_SIDES, SIDE)
    assert found.best_params_ == {"on": True}
    assert np.isfinite(found.best_score_)


@each_name
@undefined_ok
def test_tuned_threshold(name):
    rows, y = load_breast_cancer(return_X_y=True)
    model, scorer = LogisticRegression().fit(rows := scale(rows), y), get_scorer(name)
    how = {"cv": "prefit", "refit": False, "store_cv_results": True}
    tuned = TunedThresholdClassifierCV(model, scoring=scorer, **how).fit(rows, y)
    score = model.predict_proba(rows)[:, 1]
    values = np.array([scorer._score_func(y, score >= t) for t in tuned.cv_results_["thresholds"]])
    assert tuned.best_score_ == (values * scorer._sign)[np.isfinite(values)].max()
    assert 0 < tuned.predict(rows).mean() < 1


def test_infinite_scores_have_half_an_example_more_in_every_cell():
    rows, y = np.array([[0.0], [1.0]] * 4), np.array([0, 1] * 4)
    model = GaussianNB().fit(rows, y)
    assert get_scorer("lr_plus")(model, rows, y) == pytest.approx(9)
    assert one_pass_scorer(["dor"])(model, rows, y)["dor"] == pytest.approx(81)
