"""Thresholds of several classes and labels, chosen inside and evaluated on outer test parts."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_classification, make_multilabel_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score, jaccard_score
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.utils.validation import check_is_fitted

from skaucx.metrics import get_scorer
from skaucx.model_selection import (
    Decisions,
    Execution,
    FixedDecisionClassifier,
    NestedCV,
    nested_cross_validate,
)
from skaucx.model_selection.decisions._several_thresholds import class_rule, label_rule
from tests.each import each

from .records import recorded
from .unruly import Unruly

X, CODES = make_classification(
    240, 6, n_informative=4, n_classes=3, weights=[0.7, 0.2], class_sep=0.7, random_state=1
)
Y = np.array(["rest", "cancer", "cyst"])[CODES]
CLASSES = np.unique(Y)
WEIGHT = np.random.default_rng(0).uniform(0.2, 3, 240)
XL, YL = make_multilabel_classification(200, 8, n_classes=3, random_state=0)
OUTER, INNER = StratifiedKFold(3), StratifiedKFold(4)
# True classes in rows, in sorted order: a missed cancer costs 10.
COST = np.array([[0, 10, 10], [1, 0, 1], [1, 1, 0]])


def nested(threshold, model=None, grid=None, **options):
    options = {"scoring": ["f1_macro", "accuracy"], "outer_cv": OUTER, "inner_cv": INNER, **options}
    return nested_cross_validate(
        model or GaussianNB(),
        grid or {},
        X,
        Y,
        decisions=Decisions(threshold=threshold),
        **recorded(options),
    )


def reachable(score):
    """All predictions that offsets can make of three classes: around points where lines of ties meet."""
    ties = [np.unique(score[:, i] - score[:, j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    corners = [
        *itertools.product(ties[0], ties[1]),
        *((x, x + d) for x, d in itertools.product(ties[0], ties[2])),
        *((y - d, y) for y, d in itertools.product(ties[1], ties[2])),
    ]
    angle = np.pi * (np.arange(8) / 4 + 1 / 8)
    around = np.array(corners)[:, None] + 1e-6 * np.column_stack([np.cos(angle), np.sin(angle)])
    offset = np.insert(around.reshape(-1, 2), 0, 0, axis=1)
    return np.unique((score + offset[:, None]).argmax(axis=2), axis=0)


def macro_f1(truth, called, weight):
    return f1_score(truth, called, average="macro", sample_weight=weight, zero_division=0)


def micro_f1(truth, called, weight):
    return f1_score(truth, called, average="micro", sample_weight=weight, zero_division=0)


def micro_jaccard(truth, called, weight):
    return jaccard_score(truth, called, average="micro", sample_weight=weight, zero_division=0)


def recall_with_accuracy(truth, called, weight):
    kept = accuracy_score(truth, called, sample_weight=weight) >= 0.5
    return balanced_accuracy_score(truth, called, sample_weight=weight) if kept else -1


OF_CLASSES = {
    "f1": ("f1_macro", macro_f1),
    "constrained": ({"balanced_accuracy": {"accuracy": (">=", 0.5)}}, recall_with_accuracy),
    "costs": (
        get_scorer("neg_expected_cost", cost=COST),
        lambda truth, called, weight: -np.average(COST[truth, called], weights=weight),
    ),
}
OF_LABELS = {
    "macro": ("f1_macro", macro_f1),
    "micro": ("f1_micro", micro_f1),
    "jaccard": ("jaccard_micro", micro_jaccard),
    "whole rows": (
        "accuracy",
        lambda truth, called, weight: accuracy_score(truth, called, sample_weight=weight),
    ),
}


@pytest.mark.parametrize("name", OF_CLASSES)
def test_thresholds_of_classes_are_the_best_of_all(name):
    """With ties, weights and values of both responses."""
    given, value = OF_CLASSES[name]
    rng, rule = np.random.default_rng(0), class_rule(given, np.arange(3))
    for case in range(4):
        proba = rng.dirichlet(np.ones(3), 6)
        if case % 2:
            proba = np.round(proba, 1) + 0.05
            proba /= proba.sum(axis=1, keepdims=True)
        truth = np.append([0, 1, 2], rng.integers(0, 3, 3))
        weight = None if case % 3 else rng.uniform(0.2, 3, 6)
        best = max(value(truth, called, weight) for called in reachable(np.log(proba)))
        cut = rule.choose(truth, proba, np.arange(3), weight)
        found = value(truth, (proba / cut.threshold).argmax(axis=1), weight)
        assert found == pytest.approx(best, abs=1e-9)
        if name != "constrained":
            assert abs(cut.value) == pytest.approx(abs(best), abs=1e-9)
        assert cut.threshold.sum() == pytest.approx(1)
        cut = rule.choose(truth, np.log(proba), np.arange(3), weight, ratio=False)
        found = value(truth, (np.log(proba) - cut.threshold).argmax(axis=1), weight)
        assert found == pytest.approx(best, abs=1e-9)
        assert cut.threshold.sum() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("name", OF_LABELS)
def test_thresholds_of_labels_are_the_best_of_all(name):
    given, value = OF_LABELS[name]
    rng = np.random.default_rng(0)
    for case in range(3):
        proba = rng.random((4, 3))
        proba = np.round(proba, 1) if case % 2 else proba
        truth = (rng.random((4, 3)) < proba).astype(int)
        weight = None if case % 3 else rng.uniform(0.2, 3, 4)
        every = [np.append(np.unique(column), np.inf) for column in proba.T]
        calls = np.unique([1 * (proba >= cut) for cut in itertools.product(*every)], axis=0)
        best = max(value(truth, called, weight) for called in calls)
        cut = label_rule(given, 3).choose(truth, proba, weight)
        assert value(truth, 1 * (proba >= cut.threshold), weight) == pytest.approx(best, abs=1e-9)
        assert cut.value == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_by_hand(weighted):
    """Inner predictions, thresholds and outer scores by scikit-learn and the rule alone."""
    weight = WEIGHT if weighted else None
    result = nested("f1_macro", sample_weight=weight)
    assert result.thresholds.shape == (3, 3)

    def of(rows):
        return {"sample_weight": WEIGHT[rows]} if weighted else {}

    for fold, (train, test) in enumerate(OUTER.split(X, Y)):
        inner = np.empty((len(train), 3))
        for a, b in INNER.split(X[train], Y[train]):
            fitted = GaussianNB().fit(X[train][a], Y[train][a], **of(train[a]))
            inner[b] = fitted.predict_proba(X[train][b])
        rule = class_rule("f1_macro", CLASSES)
        cut = rule.choose(Y[train], inner, CLASSES, of(train).get("sample_weight"))
        np.testing.assert_allclose(result.thresholds[fold], cut.threshold, rtol=1e-12)
        proba = GaussianNB().fit(X[train], Y[train], **of(train)).predict_proba(X[test])
        for scores, share in ((result["test_f1_macro"], cut.threshold),
                              (result.plain_scores["f1_macro"], 1)):  # fmt: skip
            called = CLASSES[(proba / share).argmax(axis=1)]
            assert scores[fold] == pytest.approx(
                macro_f1(Y[test], called, of(test).get("sample_weight"))
            )


@each("seed", range(5))
@each("weighted", [False, True])
def test_order_of_rows_is_irrelevant(seed, weighted):
    """Of several best places the same is found: rounded scores give many."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=40)
    score = np.round(rng.dirichlet(np.ones(3), 40) + 0.2 * np.eye(3)[y], 1) / 1.2
    weight = rng.integers(1, 4, 40).astype(float) if weighted else None
    rule = class_rule("f1_macro", np.arange(3))
    cut = rule.choose(y, score, np.arange(3), weight)
    order = rng.permutation(40)
    again = rule.choose(y[order], score[order], np.arange(3), weight[order] if weighted else None)
    assert_array_equal(again.threshold, cut.threshold)
    assert again.value == pytest.approx(cut.value, rel=1e-12)


def test_costs_are_elkans_rule():
    result = nested(COST, scoring=["neg_log_loss", "accuracy"])
    predictions = result.predictions
    expected = CLASSES[(predictions.responses["predict_proba"] @ COST).argmin(axis=1)]
    np.testing.assert_array_equal(predictions.y_pred, expected)
    assert np.isnan(result.thresholds).all()
    assert "class of the least expected cost" in result.summary()


def test_shipped_is_plain_and_told():
    names = ["f1_macro", "neg_log_loss"]
    for model, threshold in (
        (GaussianNB(), "f1_macro"),
        (LinearSVC(), "f1_macro"),
        (GaussianNB(), COST),
    ):
        cv = NestedCV(model, {}, scoring=names[: 1 + hasattr(model, "predict_proba")],
                      decisions=Decisions(threshold=threshold),
                      outer_cv=OUTER, inner_cv=INNER).fit(X, Y)  # fmt: skip
        shipped = cv.best_estimator_
        assert isinstance(shipped, FixedDecisionClassifier)
        check_is_fitted(shipped.estimator_)
        response = (
            shipped.predict_proba(X)
            if hasattr(model, "predict_proba")
            else shipped.decision_function(X)
        )
        if threshold is COST:
            expected = (response @ shipped.cost).argmin(axis=1)
        elif hasattr(model, "predict_proba"):
            expected = (response / shipped.thresholds).argmax(axis=1)
        else:
            expected = (response - shipped.thresholds).argmax(axis=1)
        assert np.mean(expected != response.argmax(axis=1)) > 0
        for copy in (shipped, pickle.loads(pickle.dumps(shipped)), clone(shipped).fit(X, Y)):
            np.testing.assert_array_equal(copy.predict(X), CLASSES[expected])
        result = cv.result_
        if threshold is not COST:
            assert "Thresholds chosen on inner predictions: cancer" in " ".join(
                result.summary().split()
            )
            np.testing.assert_array_equal(
                result.to_frame()["threshold_cyst"], result.thresholds[:, 1]
            )
            assert f"threshold_cyst.fold_{2}" in result.to_flat_dict()


def test_labels_have_a_threshold_each():
    models = {
        "list of tables": MultiOutputClassifier(LogisticRegression()),
        "one table": OneVsRestClassifier(LogisticRegression()),
        "decision values": OneVsRestClassifier(LinearSVC()),
        "forest": RandomForestClassifier(2, random_state=0),
    }
    options = {"scoring": ["f1_micro", "accuracy"], "outer_cv": KFold(2), "inner_cv": KFold(2)}
    for name, model in models.items():
        cv = NestedCV(
            model, {}, decisions=Decisions(threshold="f1_micro"), **recorded(options)
        ).fit(XL, YL)
        result = cv.result_
        assert result.thresholds.shape == (2, 3), name
        assert {"threshold_0", "threshold_2"} <= set(result.to_frame())
        assert result.predictions.y_pred.shape == (200, 3)
        if name != "decision values":
            share = result.predictions.responses["predict_proba"]
            called = share >= result.thresholds[result.predictions.fold]
            np.testing.assert_array_equal(result.predictions.y_pred, called)
        fitted = pickle.loads(pickle.dumps(cv.best_estimator_))
        np.testing.assert_array_equal(fitted.predict(XL), cv.predict(XL))
        assert "labels whose score is at least" in " ".join(result.summary().split())
    model = models["one table"]
    alone = (
        NestedCV(model, {}, decisions=Decisions(threshold="f1"), **recorded(options))
        .fit(XL, YL)
        .result_
    )
    apart = (
        NestedCV(
            model, {}, decisions=Decisions(threshold=["f1", "recall", "mcc"]), **recorded(options)
        )
        .fit(XL, YL)
        .result_
    )
    np.testing.assert_array_equal(apart.thresholds[:, 0], alone.thresholds[:, 0])
    assert (apart.thresholds[:, 1] < alone.thresholds[:, 1]).all()
    limits = {"precision": {"recall": (">=", 0.7)}}
    kept = (
        NestedCV(model, {}, decisions=Decisions(threshold=limits), **recorded(options))
        .fit(XL, YL)
        .result_.kept_limits
    )
    assert [one.request for one in kept] == [f"recall of label {k} >= 0.7" for k in range(3)]


def test_a_class_that_a_fold_never_saw():
    rare = np.where(np.arange(240) == 7, "odd", Y)
    found = nested_cross_validate(
        GaussianNB(), {}, X, rare, scoring="accuracy", decisions=Decisions(threshold="f1_micro"),
        outer_cv=KFold(3),
        inner_cv=KFold(3), execution=Execution(checks=None),
    )  # fmt: skip
    predictions = found.predictions
    for fold, (train, test) in enumerate(KFold(3).split(X)):
        here = predictions.y_pred[predictions.fold == fold]
        assert set(here) <= set(rare[train])  # "odd" is row 7, which only the first fold tests
        assert found["test_accuracy"][fold] == accuracy_score(rare[test], here)
        assert ("odd" in rare[train]) == (fold > 0)


AT_ONCE = {
    "classes": (
        GaussianNB(), {"var_smoothing": [1e-9, 1e-2, 1.0]}, X, Y,
        {"f1_macro": {"balanced_accuracy": (">=", 0.4), "accuracy": (">=", 0.3)}},
        {"calibration": "sigmoid", "reject": {"coverage": 0.9},
         "prediction_sets": {"confidence_level": 0.8, "method": "refit"}},
    ),
    "two": (
        GaussianNB(), {"var_smoothing": [1e-9, 1e-2, 1.0]}, X, np.where(Y == "rest", "rest", "cancer"),
        {"precision": {"recall": (">=", 0.6), "accuracy": (">=", 0.3)}},
        {"pos_label": "cancer", "calibration": "isotonic", "reject": {"coverage": 0.9},
         "prediction_sets": {"confidence_level": 0.8, "method": "refit"}},
    ),
    "labels": (
        RandomForestClassifier(3, random_state=0), {"max_depth": [1, 3]}, XL, YL,
        {"precision_micro": {"recall_micro": (">=", 0.6), "accuracy": (">=", 0.1)}}, {},
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*:UserWarning")
@pytest.mark.parametrize("case", AT_ONCE)
def test_everything_at_once(case, tmp_path):
    """Weights, groups, calibration, rejection, resumed, in two processes: the same digits."""
    model, grid, A, b, threshold, own = AT_ONCE[case]
    several = ["accuracy"] if case == "labels" else ["accuracy", "neg_log_loss"]
    options = {
        "scoring": [*several, "f1" if case == "two" else "f1_macro"],
        "refit": several if case == "two" else several[0],
        "sample_weight": WEIGHT[: len(A)], "groups": np.arange(len(A)) // 2,
        "outer_cv": GroupKFold(2), "inner_cv": GroupKFold(2), "threshold": threshold, **own,
    }  # fmt: skip
    first = nested_cross_validate(model, grid, A, b, **recorded(options, memory=tmp_path))
    for change in ({"memory": tmp_path}, {"n_jobs": 2, "final": None}):
        again = nested_cross_validate(model, grid, A, b, **recorded({**options, **change}))
        np.testing.assert_array_equal(again.thresholds, first.thresholds)
        np.testing.assert_array_equal(again.predictions.y_pred, first.predictions.y_pred)
        for name in options["scoring"]:
            np.testing.assert_array_equal(again[f"test_{name}"], first[f"test_{name}"])
        assert list(map(str, again.kept_limits)) == list(map(str, first.kept_limits))
        if "reject" in own:
            np.testing.assert_array_equal(again.rejections.coverage, first.rejections.coverage)
    # No row of an outer test part has a part in its own thresholds.
    changed = b.copy()
    test = first.predictions.row[first.predictions.fold == 0]
    changed[test] = np.random.default_rng(0).permutation(b[test])
    again = nested_cross_validate(model, grid, A, changed, **recorded({**options, "final": None}))
    np.testing.assert_array_equal(again.thresholds[0], first.thresholds[0])
    assert not np.array_equal(again.thresholds[1], first.thresholds[1])


def test_no_fit_more(tmp_path):
    fits = []
    for name, threshold in (("plain", None), ("more", "f1_macro")):
        (tmp_path / name).mkdir()
        nested(threshold, Unruly(log=str(tmp_path / name)), scoring="accuracy")
        fits.append(len(list((tmp_path / name).iterdir())))
    assert fits[0] == fits[1] > 0


def test_unbiased_on_noise():
    """Of noise labels the outer scores are at chance level, and the inner ones above it."""
    rng, outside, inside = np.random.default_rng(0), [], []
    for _ in range(9):
        noise, codes = rng.normal(size=(90, 3)), rng.permutation(np.repeat([0, 1, 2], 30))
        found = nested_cross_validate(
            GaussianNB(), {}, noise, codes, scoring="balanced_accuracy",
            decisions=Decisions(threshold="balanced_accuracy"), outer_cv=OUTER, inner_cv=OUTER,
            final=None, execution=Execution(checks=None),
        )  # fmt: skip
        outside.append(found["test_balanced_accuracy"].mean())
        inside.append(np.mean([one.cut.value for one in found.decisions]))
    error = np.std(outside, ddof=1) / np.sqrt(9)
    assert abs(np.mean(outside) - 1 / 3) < 3 * error
    assert np.mean(inside) > 1 / 3 + 0.05


@pytest.mark.parametrize(
    ("data", "options", "told"),
    [
        ("classes", {"threshold": "f1"}, "does not apply"),
        ("classes", {"threshold": "roc_auc_ovr"}, "metrics of the confusion table of all classes"),
        ("classes", {"threshold": np.ones((2, 2))}, "or 3 x 3 costs"),
        ("classes", {"threshold": COST, "reject": {"cost": 0.2}}, "confidence, which costs"),
        ("labels", {"threshold": ["f1"]}, "1 entries, and there are 3 labels"),
        ("labels", {"threshold": "roc_auc_ovr_macro"}, "metrics of the confusion table"),
        (
            "labels",
            {"threshold": "f1_samples"},
            "average='samples' is a mean over rows; choose 'macro'",
        ),
    ],
    ids=str,
)
def test_wrong_requests(data, options, told):
    A, b = (X, Y) if data == "classes" else (XL, YL)
    model = LogisticRegression() if data == "classes" else OneVsRestClassifier(LogisticRegression())
    with pytest.raises((ValueError, TypeError), match=told):
        nested_cross_validate(model, {}, A, b, scoring="accuracy", **recorded(options))


def test_fixed_decisions_check_what_they_are_given():
    model = GaussianNB()
    for given, told in (
        ({"thresholds": [0.5, 0.5]}, "thresholds must be one a class"),
        ({"cost": np.ones((2, 2))}, "cost needs probabilities of as many"),
    ):
        with pytest.raises(ValueError, match=told):
            FixedDecisionClassifier(model, **given).fit(X, Y).predict(X)
    with pytest.raises(ValueError, match="pass one of them"):
        FixedDecisionClassifier(model, thresholds=np.ones(3), cost=COST).fit(X, Y)
    with pytest.raises(ValueError, match="response_method must be"):
        FixedDecisionClassifier(model, response_method="predict").fit(X, Y)
