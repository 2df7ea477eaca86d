"""Scorers inside scikit-learn's tools: names, searches, pipelines, routing, the one-pass scorer."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest
import sklearn
import sklearn.metrics
from sklearn.base import clone
from sklearn.datasets import make_classification, make_multilabel_classification
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from skaucx import metrics as sm
from skaucx.metrics import get_scorer, get_scorers, one_pass_scorer
from skaucx.metrics._registry.declare import METRICS

BOTH = ["mm7_auc", "roc_auc", "specificity", "neg_log_loss"]
CV = StratifiedKFold(4)


@pytest.fixture(scope="module")
def data():
    return make_classification(
        n_samples=160, n_features=6, n_informative=3, flip_y=0.2, weights=[0.65], random_state=0
    )


@pytest.fixture(scope="module")
def named(data):
    """The same data with the positive class first in the alphabet."""
    X, y = data
    return X, np.where(y == 1, "bad", "good")


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def folds(data, scorer, model=None):
    """Score the folds of CV one by one, each with a model fitted anew."""
    X, y = data
    model = GaussianNB() if model is None else model
    return [scorer(clone(model).fit(X[a], y[a]), X[b], y[b]) for a, b in CV.split(X, y)]


class TestNames:
    @pytest.mark.parametrize(
        ("wrong", "near"),
        [
            ("mm7_ac", "mm7_auc"),
            ("specifity", "specificity"),
            ("log_loss", "neg_log_loss"),
            ("roc_auc_ov", "roc_auc_ovo"),
        ],
    )
    def test_unknown_names_suggest_near_ones(self, wrong, near):
        with pytest.raises(ValueError, match=f"'{wrong}' is not the name of a scorer.*'{near}'"):
            get_scorer(wrong)

    @pytest.mark.parametrize("wrong", ["", "zzzzzzzz", None, 3, ["roc_auc"]])
    def test_names_like_nothing(self, wrong):
        with pytest.raises((ValueError, TypeError), match="scorer"):
            get_scorer(wrong)

    def test_parameters_are_checked_at_once(self):
        with pytest.raises(
            TypeError, match=r"roc_auc_score does not accept the parameter 'beta'.*'max_fpr'"
        ):
            get_scorer("roc_auc", beta=2)
        with pytest.raises(TypeError, match="fbeta_score needs the parameter 'beta'"):
            get_scorer("fbeta")
        with pytest.raises(ValueError, match="q must be a finite number"):
            get_scorer("sond_auc", q=-1)

    @pytest.mark.parametrize("make", [get_scorers, one_pass_scorer])
    def test_a_parameter_that_none_takes(self, make):
        with pytest.raises(TypeError, match="pos_lable"):
            make(["recall", "roc_auc"], pos_lable=0)

    def test_lists_and_dicts(self):
        assert list(get_scorers(BOTH)) == BOTH
        mine = make_scorer(sm.accuracy_score)
        chosen = get_scorers({"a": "mm7_auc", "b": "neg_log_loss", "c": mine})
        assert list(chosen) == ["a", "b", "c"]
        assert chosen["c"] is mine
        assert one_pass_scorer("mm7_auc").names == ("mm7_auc",)
        with pytest.raises(TypeError, match="list of names or a dict"):
            get_scorers("mm7_auc")
        with pytest.raises(TypeError, match="name or a callable"):
            get_scorers({"a": 3})
        with pytest.raises(ValueError, match="did you mean"):
            get_scorers(["mm7_auk"])

    def test_a_plain_function_is_no_scorer(self, data):
        def agreement(y_true, y_pred):
            return np.mean(y_true == y_pred)

        for make in (get_scorer, lambda function: one_pass_scorer([function, "recall"])):
            with pytest.raises(
                TypeError, match=r"agreement is not a scorer.*make_scorer\(agreement\)"
            ):
                make(agreement)
        model = GaussianNB().fit(*data)
        for scorer in (lambda estimator, X, y: 0.5, lambda *data: 0.5, make_scorer(agreement)):
            assert get_scorer(scorer)(model, *data) >= 0.5

    def test_parameters_go_to_the_metrics_that_take_them(self, data):
        model = GaussianNB().fit(*data)
        chosen = get_scorers(["sond_auc", "fbeta", "specificity"], q=1, beta=2)
        assert chosen["sond_auc"](model, *data) == pytest.approx(
            get_scorer("scor_auc")(model, *data)
        )
        found = one_pass_scorer(["sond_auc", "fbeta", "specificity"], q=1, beta=2)(model, *data)
        assert found == pytest.approx({name: s(model, *data) for name, s in chosen.items()})


class TestObjects:
    @pytest.mark.parametrize("name", BOTH)
    def test_is_a_scorer_of_scikit_learn(self, name):
        scorer = get_scorer(name)
        assert isinstance(scorer, type(sklearn.metrics.get_scorer("roc_auc")))
        assert sklearn.metrics.check_scoring(GaussianNB(), scoring=scorer) is scorer
        bound = scorer._score_func
        assert bound.__name__ in repr(scorer)
        assert "y_true" in inspect.signature(bound).parameters

    def test_signature_shows_the_bound_parameters(self):
        bound = get_scorer("fbeta", beta=2, pos_label="bad")._score_func
        parameters = inspect.signature(bound).parameters
        assert parameters["beta"].default == 2
        assert parameters["pos_label"].default == "bad"
        assert "zero_division" not in parameters

    def test_one_pass_scorer_pickles(self, data):
        model = GaussianNB().fit(*data)
        scorer = one_pass_scorer(BOTH)
        fresh = pickle.loads(pickle.dumps(scorer))
        assert fresh(model, *data) == scorer(model, *data)
        again = pickle.loads(pickle.dumps(scorer))  # once used, it holds more
        assert again(model, *data) == scorer(model, *data)
        assert repr(again) == repr(scorer)
        assert all(name in repr(scorer) for name in BOTH)

    def test_metrics_of_the_order_read_the_decision_function(self, data):
        """Saturated probabilities tie, margins do not."""
        X, y = data
        model = LogisticRegression(C=1e6).fit(1000 * X, y)
        for name in ("roc_auc", "gini", "partial_roc_auc", "average_precision"):
            function = METRICS[name]
            expected = function(y, model.decision_function(1000 * X))
            assert get_scorer(name)(model, 1000 * X, y) == expected
        svm = LinearSVC().fit(X, y)
        assert get_scorer("roc_auc")(svm, X, y) == sm.roc_auc_score(y, svm.decision_function(X))
        with pytest.raises(AttributeError, match="predict_proba"):
            get_scorer("mm7_auc")(svm, X, y)
        with pytest.raises(
            AttributeError, match=r"LinearSVC has none of.*predict_proba.*'mm7_auc'"
        ):
            one_pass_scorer(["mm7_auc"])(svm, X, y)


class TestPositiveClass:
    NAMES = ("recall", "specificity", "roc_auc", "mm7_auc", "average_precision", "neg_log_loss")

    @pytest.mark.parametrize("name", NAMES)
    @pytest.mark.parametrize("labels", [["bad", "good"], [1, 2]], ids=["strings", "1 and 2"])
    def test_nobody_guesses_which_class_is_positive(self, data, name, labels):
        """A metric of which both classes have the same value goes on; any other asks."""
        X, y = data
        y = np.array(labels)[y]
        fitted, scorers = GaussianNB().fit(X, y), (get_scorer(name), one_pass_scorer([name]))
        if name in ("recall", "specificity", "average_precision"):
            for scorer in scorers:
                with pytest.raises(
                    ValueError, match=rf"{labels[0]}.*{labels[1]}.*{name}.*pos_label"
                ):
                    scorer(fitted, X, y)
            return
        both = [get_scorer(name, pos_label=label)(fitted, X, y) for label in labels]
        assert both[0] == pytest.approx(both[1], rel=1e-12)
        assert scorers[0](fitted, X, y) == both[1]
        assert scorers[1](fitted, X, y) == {name: both[1]}

    @pytest.mark.parametrize("scorer", [get_scorer, lambda *a, **k: one_pass_scorer(a, **k)])
    def test_an_absent_pos_label(self, named, scorer):
        fitted = GaussianNB().fit(*named)
        for name in self.NAMES:
            with pytest.raises(ValueError, match=r"pos_label='?ugly'? is not"):
                scorer(name, pos_label="ugly")(fitted, *named)

    def test_differing_pos_labels_are_refused(self):
        scorers = {
            "bad": get_scorer("roc_auc", pos_label="bad"),
            "good": get_scorer("roc_auc", pos_label="good"),
        }
        with pytest.raises(ValueError, match="one_pass_scorer"):
            get_scorers(scorers)
        with pytest.raises(ValueError, match="one_pass_scorer"):
            get_scorers({"bad": scorers["bad"], "any": "mm7_auc"})
        assert list(get_scorers(["roc_auc", "mm7_auc", "accuracy"])) == [
            "roc_auc", "mm7_auc", "accuracy",
        ]  # fmt: skip

    def test_scikit_learn_mixes_up_differing_pos_labels(self, named):
        """Upstream in 1.9.1: the cache of a multimetric scorer ignores pos_label.

        The reason for one_pass_scorer. When this fails, scikit-learn has mended it, and the refusal
        in get_scorers may go.
        """
        ap = sklearn.metrics.average_precision_score
        scorers = {
            label: make_scorer(ap, response_method="predict_proba", pos_label=label)
            for label in ("bad", "good")
        }
        right = {label: folds(named, scorer) for label, scorer in scorers.items()}
        mixed = cross_validate(GaussianNB(), *named, scoring=scorers, cv=CV)
        np.testing.assert_allclose(mixed["test_bad"], right["bad"])
        assert np.abs(mixed["test_good"] - right["good"]).max() > 0.1

    def test_one_pass_scorer_keeps_them_apart(self, named):
        scorers = {
            f"{name}-{label}": get_scorer(name, pos_label=label)
            for name in self.NAMES
            for label in ("bad", "good")
        }
        found = cross_validate(GaussianNB(), *named, scoring=one_pass_scorer(scorers), cv=CV)
        for key, scorer in scorers.items():
            np.testing.assert_allclose(found[f"test_{key}"], folds(named, scorer), rtol=1e-12)


class TestTools:
    def test_cross_validate_with_several(self, data):
        scorers = get_scorers(BOTH)
        found = cross_validate(GaussianNB(), *data, scoring=scorers, cv=CV, return_train_score=True)
        one = cross_validate(
            GaussianNB(), *data, scoring=one_pass_scorer(BOTH), cv=CV, return_train_score=True
        )
        for name, scorer in scorers.items():
            np.testing.assert_allclose(found[f"test_{name}"], folds(data, scorer))
            np.testing.assert_allclose(one[f"test_{name}"], found[f"test_{name}"], rtol=1e-12)
            np.testing.assert_allclose(one[f"train_{name}"], found[f"train_{name}"], rtol=1e-12)

    def test_tuned_threshold_with_pos_label(self, data, named):
        options = {"cv": CV, "store_cv_results": True}
        scorer = get_scorer("f1", pos_label="bad")
        tuned = TunedThresholdClassifierCV(GaussianNB(), scoring=scorer, **options).fit(*named)
        plain = TunedThresholdClassifierCV(GaussianNB(), scoring=get_scorer("f1"), **options)
        plain.fit(*data)
        np.testing.assert_allclose(tuned.cv_results_["scores"], plain.cv_results_["scores"])


class TestUndefinedFolds:
    def test_a_search_is_not_won_by_a_filler(self):
        """A constant classifier has an undefined precision: 0, as of scikit-learn's scorer."""
        X, y = np.zeros((12, 1)), np.array([0, 1] * 6)
        scorer = get_scorer("precision")
        search = GridSearchCV(
            DummyClassifier(strategy="constant"), {"constant": [0, 1]}, scoring=scorer, cv=3
        )
        with pytest.warns(UndefinedMetricWarning, match="precision is undefined"):
            search.fit(X, y)
        assert search.cv_results_["mean_test_score"].tolist() == [0, 0.5]

    def test_infinite_values_have_half_an_example_more_in_every_cell(self):
        X = np.array([[0.0], [1.0]] * 4)
        y = np.array([0, 1] * 4)
        model = GaussianNB().fit(X, y)
        assert get_scorer("lr_plus")(model, X, y) == pytest.approx(9)
        assert one_pass_scorer(["dor"])(model, X, y)["dor"] == pytest.approx(81)


def test_metrics_of_the_training_part_are_refused_as_scorers():
    """scikit-learn hands no training part to a scorer; a scale in its place goes everywhere."""
    X, y = np.arange(30.0)[:, None], np.arange(30.0) ** 1.5
    trained = [
        name for name, function in METRICS.items() if {"y_train", "scale"} <= {*function.options}
    ]
    assert trained == ["mase_loss"]
    for name in trained:
        with pytest.raises(ValueError, match=f"'neg_{name}' reads the training part .* scale="):
            get_scorer(f"neg_{name}")
        with pytest.raises(ValueError, match="reads the training part"):
            sm.get_scorers([f"neg_{name}"])
        scorer = get_scorer(f"neg_{name}", scale=2.0)
        assert np.isfinite(cross_val_score(DummyRegressor(), X, y, scoring=scorer, cv=3)).all()
        assert list(one_pass_scorer([f"neg_{name}"]).names) == [f"neg_{name}"]


@pytest.mark.parametrize("requested", [True, False])
@pytest.mark.parametrize("one_pass", [False, True])
def test_routed_weights_reach_fits_or_scores(data, routing, one_pass, requested):
    X, y = data
    weight = np.random.default_rng(0).uniform(0.1, 3, len(y))
    scorer = get_scorer("mm7_auc")
    scoring = one_pass_scorer(["mm7_auc"]) if one_pass else get_scorer("mm7_auc")
    scoring = scoring.set_score_request(sample_weight=requested)
    model = GaussianNB().set_fit_request(sample_weight=not requested)
    found = cross_validate(model, X, y, scoring=scoring, cv=CV, params={"sample_weight": weight})
    expected = [
        scorer(GaussianNB().fit(X[a], y[a]), X[b], y[b], sample_weight=weight[b])
        if requested
        else scorer(GaussianNB().fit(X[a], y[a], weight[a]), X[b], y[b])
        for a, b in CV.split(X, y)
    ]
    np.testing.assert_allclose(found["test_mm7_auc" if one_pass else "test_score"], expected)
    assert not np.allclose(expected, folds(data, scorer))


class TestMultilabel:
    """Multilabel indicators: probabilities come as a matrix, or as a list with a label each."""

    NAMES = ("f1_macro", "f1_samples", "accuracy", "specificity_weighted", "mm7_auc_ovr_weighted")

    @pytest.mark.parametrize("listed", [False, True])
    def test_one_pass_equals_single_scorers(self, listed):
        X, y = make_multilabel_classification(120, n_classes=3, random_state=0)
        if listed:
            model = RandomForestClassifier(10, random_state=0)
        else:
            model = OneVsRestClassifier(LogisticRegression())
        fitted = model.fit(X, y)
        found = one_pass_scorer(self.NAMES)(fitted, X, y)
        for name in self.NAMES:
            if name == "f1_samples":  # undefined for rows without a label
                assert np.isnan(found[name])
                continue
            assert found[name] == pytest.approx(get_scorer(name)(fitted, X, y), rel=1e-12)

    def test_a_label_that_was_never_positive_has_probability_0(self):
        X, y = make_multilabel_classification(120, n_classes=3, random_state=0)
        fitted = RandomForestClassifier(10, random_state=0).fit(X, y * [1, 0, 1])
        first, _, last = fitted.predict_proba(X)
        proba = np.column_stack([first[:, 1], np.zeros(120), last[:, 1]])
        expected = sm.roc_auc_score(y, proba, average="micro")
        scorer = get_scorer("roc_auc", average="micro")
        assert scorer(fitted, X, y) == expected
        assert one_pass_scorer({"auc": scorer})(fitted, X, y) == {"auc": expected}

    def test_a_filler_is_the_callers_choice(self):
        X, y = make_multilabel_classification(120, n_classes=3, random_state=0)
        fitted = RandomForestClassifier(10, random_state=0).fit(X, y)
        expected = sm.f1_score(y, fitted.predict(X), average="samples", zero_division=1)
        assert get_scorer("f1_samples", zero_division=1)(fitted, X, y) == expected
        assert one_pass_scorer(["f1_samples"], zero_division=1)(fitted, X, y) == {
            "f1_samples": expected
        }


@pytest.mark.parametrize("name", ["scor_auc", "roc_auc", "neg_log_loss", "mm1_auc"])
def test_a_search_of_thresholds_hands_over_labels(name, data):
    X, y = data[0], np.array(["no", "yes"])[data[1]]
    search = TunedThresholdClassifierCV(
        LogisticRegression(), scoring=get_scorer(name, pos_label="yes"), cv=2
    )
    with pytest.raises(
        ValueError, match=r"reads scores, .* labels, .'yes'.*choose a metric of them"
    ):
        search.fit(X, y)
