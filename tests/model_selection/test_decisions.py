"""Calibration and threshold, chosen on inner predictions, judged on outer test parts."""

from __future__ import annotations

import html
import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_diabetes, make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import Ridge
from sklearn.metrics import brier_score_loss, f1_score, recall_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from skaucx._compat import CALIBRATIONS
from skaucx.metrics import get_scorer
from skaucx.model_selection import CalibratingClassifier, Decisions, NestedCV, nested_cross_validate
from skaucx.model_selection.decisions._threshold import threshold_rule
from tests.closeness import minimum

from .records import recorded

X, CODES = make_classification(
    300, 6, n_informative=3, weights=[0.75], flip_y=0.1, class_sep=0.6, random_state=1
)
Y = np.array(["healthy", "cancer"])[CODES]  # the positive class is the first in order
WEIGHT = np.random.default_rng(0).uniform(0.2, 3, 300)
GRID = {"var_smoothing": [1e-9, 0.1, 1.0]}
OUTER, INNER = StratifiedKFold(2), StratifiedKFold(3)
NAMES = ["roc_auc", "f1", "recall", "precision", "neg_brier_score"]


def nested(model=None, grid=GRID, y=Y, **options):
    options = {
        "scoring": NAMES, "pos_label": "cancer", "outer_cv": OUTER, "inner_cv": INNER, **options,
    }  # fmt: skip
    return nested_cross_validate(model or GaussianNB(), grid, X, y, **recorded(options))


def brute_force(score, positive, value, weight=None):
    """The best cut among mid-points, by a function of true and called positives."""
    cuts = np.unique(score)
    cuts = np.r_[-np.inf, (cuts[1:] + cuts[:-1]) / 2, np.inf][::-1]
    with np.errstate(all="ignore"):
        values = [value(positive, score >= cut, weight) for cut in cuts]
    return cuts[int(np.nanargmax(values))]


def sums(truth, called, weight):
    """The weights of the positives, of those called positive, and of those that are both."""
    w = np.ones(len(truth)) if weight is None else weight
    return w @ truth, w @ called, w @ (truth & called)


def f1(truth, called, weight):
    positives, calls, hits = sums(truth, called, weight)
    return 2 * hits / (positives + calls)


def precision_with_recall(truth, called, weight):
    positives, calls, hits = sums(truth, called, weight)
    return hits / calls if hits >= 0.8 * positives else np.nan


def saved(truth, called, weight):
    cost = np.where(truth, np.where(called, 0.0, 5.0), np.where(called, 1.0, 0.0))
    return -np.average(cost, weights=weight)


# True classes in rows, in sorted order: a missed cancer costs 5.
COST = [[0, 5], [1, 0]]
RULES = {
    "f1": ("f1", f1),
    "constrained": ({"precision": {"recall": (">=", 0.8)}}, precision_with_recall),
    "costs": (COST, saved),
    "loss": (get_scorer("neg_expected_cost", cost=COST), saved),
}


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weights"])
@pytest.mark.parametrize("rule", RULES)
def test_the_cut_is_the_best_of_all(rule, weight):
    given, value = RULES[rule]
    score = np.round(GaussianNB().fit(X, Y).predict_proba(X)[:, 0], 2)  # with ties
    found = threshold_rule(given).choose(Y, score, "cancer", weight)
    expected = brute_force(score, Y == "cancer", value, weight)
    assert found.threshold == pytest.approx(expected, abs=1e-12)
    assert found.feasible


def test_limits_that_cannot_be_kept_together_are_missed_least_in_sum():
    score = GaussianNB().fit(X, Y).predict_proba(X)[:, 0]
    positive = Y == "cancer"
    limits = {"recall": (">=", 0.97), "specificity": (">=", 0.97), "accuracy": (">=", 0.1)}
    cuts = np.unique(score)
    short = []
    for cut in np.r_[-np.inf, (cuts[1:] + cuts[:-1]) / 2]:
        called = score >= cut
        kept = called[positive].mean(), (~called)[~positive].mean()
        short.append(sum(max(0, 0.97 - share) for share in kept))
    found = threshold_rule({"f1": limits}).choose(Y, score, "cancer", None)
    called = score >= found.threshold
    reached = called[positive].mean(), (~called)[~positive].mean()
    assert not found.feasible
    assert sum(max(0, 0.97 - share) for share in reached) == pytest.approx(min(short))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("rule", ["f1", "constrained", "costs"])
def test_by_hand(rule, weighted):
    """Search, inner predictions, cut and outer scores by scikit-learn alone."""
    given, value = RULES[rule]
    weight = {"sample_weight": WEIGHT} if weighted else {}
    result = nested(threshold=given, **weight)
    for fold, (train, test) in enumerate(OUTER.split(X, Y)):
        part = {name: w[train] for name, w in weight.items()}
        if not weighted:
            search = GridSearchCV(GaussianNB(), GRID, scoring="roc_auc", cv=INNER)
            assert search.fit(X[train], Y[train]).best_params_ == result.winning_params[fold]
        model = GaussianNB(**result.winning_params[fold])
        inner = np.empty(len(train))
        for a, b in INNER.split(X[train], Y[train]):
            inner_weight = {name: w[a] for name, w in part.items()}
            fitted = clone(model).fit(X[train][a], Y[train][a], **inner_weight)
            inner[b] = fitted.predict_proba(X[train][b])[:, 0]
        cut = brute_force(inner, Y[train] == "cancer", value, part.get("sample_weight"))
        assert result.thresholds[fold] == pytest.approx(cut, abs=1e-12)
        score = model.fit(X[train], Y[train], **part).predict_proba(X[test])[:, 0]
        for name, function in (("f1", f1_score), ("recall", recall_score)):
            own = {name: w[test] for name, w in weight.items()}
            with_it, without = (
                function(Y[test] == "cancer", score >= at, **own)
                for at in (cut, np.nextafter(0.5, 1))
            )
            assert result[f"test_{name}"][fold] == pytest.approx(with_it, abs=1e-12)
            assert result.plain_scores[name][fold] == pytest.approx(without, abs=1e-12)


@pytest.mark.parametrize("method", CALIBRATIONS)
@pytest.mark.parametrize(
    ("model", "grid"), [(GaussianNB(), GRID), (LinearSVC(), {"C": [0.1, 1.0]})], ids=["nb", "svc"]
)
def test_calibration_is_that_of_scikit_learn(method, model, grid):
    scoring = ["roc_auc", "mcc"] if isinstance(model, LinearSVC) else NAMES
    result = nested(model, grid, calibration=method, scoring=scoring)
    for fold, (train, test) in enumerate(OUTER.split(X, Y)):
        chosen = clone(model).set_params(**result.winning_params[fold])
        expected = CalibratedClassifierCV(chosen, method=method, cv=INNER, ensemble=False)
        proba = expected.fit(X[train], Y[train]).predict_proba(X[test])
        own = result.predictions.fold == fold
        found = result.predictions.responses["predict_proba"][own]
        # A temperature is a searched minimum, and |d p / d log beta| = p (1 - p) |logit p| < 1.
        near = minimum() if method == "temperature" else 1e-12
        np.testing.assert_allclose(found, proba, atol=near)
        if scoring is NAMES:
            loss = brier_score_loss(Y[test] == "cancer", proba[:, 0])
            assert result["test_neg_brier_score"][fold] == pytest.approx(-loss, abs=near)


@pytest.mark.parametrize("final", ["vote", "search"])
def test_the_final_model_carries_them(final):
    cv = NestedCV(
        GaussianNB(), GRID, scoring=NAMES, pos_label="cancer", outer_cv=OUTER, inner_cv=INNER,
        decisions=Decisions(calibration="isotonic", threshold="f1"), final=final,
    )  # fmt: skip
    cv.fit(X, Y)
    model = cv.best_estimator_
    called = cv.predict_proba(X)[:, 0] >= model.threshold
    np.testing.assert_array_equal(cv.predict(X), np.where(called, "cancer", "healthy"))
    assert np.mean(called != (cv.predict_proba(X)[:, 0] > 0.5)) > 0
    for copy in (pickle.loads(pickle.dumps(model)), clone(model).fit(X, Y)):
        np.testing.assert_array_equal(copy.predict(X), model.predict(X))
    if final == "search":
        inner = cross_val_predict(
            CalibratedClassifierCV(GaussianNB(**cv.best_params_), method="isotonic", cv=INNER),
            X, Y, cv=INNER,
        )  # fmt: skip
        assert len(inner) == 300
        expected = CalibratedClassifierCV(
            GaussianNB(**cv.best_params_), method="isotonic", cv=INNER, ensemble=False
        ).fit(X, Y)
        np.testing.assert_allclose(cv.predict_proba(X), expected.predict_proba(X), atol=1e-12)


@pytest.mark.usefixtures("captions_only")
def test_constraints_that_nothing_keeps_to(tmp_path):
    with pytest.warns(UserWarning, match="No threshold keeps to the constraints"):
        result = nested(threshold={"recall": {"precision": (">=", 1.1)}})
    assert np.isfinite(result["test_recall"]).all()
    k = result.n_outer
    [text] = [note for note in result.notes if note.startswith("Requested")]
    assert text.startswith(
        f"Requested precision >= 1.1: met on the test rows of 0 of {k} outer folds, worst "
    )
    assert text in " ".join(result.summary().split())
    result.report(tmp_path / "page.html")
    page = html.unescape((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert f'<p class="note">{text}</p>' in page


def test_every_limit_of_a_threshold_is_reported_on_the_test_rows():
    """Of losses and of scores, with their own sign, feasible inside or not."""
    limits = {
        "recall": (">=", 0.6),
        "neg_false_positive_rate": ("<=", 0.4),
        "accuracy": (">=", 0.5),
    }
    result = nested(
        threshold={"precision": limits},
        scoring=["recall", "neg_false_positive_rate", "accuracy", "f1"],
    )
    outer = [
        result["test_recall"],
        -result["test_neg_false_positive_rate"],
        result["test_accuracy"],
    ]
    text = " ".join(result.summary().split())
    for (name, (sign, bound)), scores in zip(limits.items(), outer, strict=True):
        met = scores >= bound if sign == ">=" else scores <= bound
        told = f"Requested {name.removeprefix('neg_')} {sign} {bound:g}: met on the test rows of"
        short = bound - scores if sign == ">=" else scores - bound
        worst = short.argmax()
        told = f"{told} {met.sum()} of {len(scores)} outer folds, worst {scores[worst]:.4f} "
        assert f"{told}(shortfall {max(0, short[worst]):.4f})" in text
    assert "Requested" not in nested(threshold="f1").summary()


def test_limits_of_the_choice_of_candidates_are_reported():
    """Next to those of a threshold, of which there may be several."""
    limits = {"recall": (">=", 0.5), "roc_auc": (">=", 0.99)}
    with pytest.warns(UserWarning, match="No candidate keeps to"):
        result = nested(
            refit={"precision": limits}, threshold={"precision": {"recall": (">=", 0.7)}}
        )
    chosen, _, cut, *_ = result.notes
    recall = result["test_recall"]
    met = "Requested recall >= {} met on the test rows of {} of "
    assert chosen.startswith(met.format("0.5 of the candidate chosen:", (recall >= 0.5).sum()))
    assert cut.startswith(met.format("0.7:", (recall >= 0.7).sum()))
    assert chosen in " ".join(result.summary().split())


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"threshold": "roc_auc"}, "metrics of the confusion table"),
        ({"threshold": "f1_macro"}, "metrics of the confusion table"),
        ({"threshold": 0.3}, "threshold must be the name of a metric"),
        ({"threshold": {"f1": {"recall": ("==", 1)}}}, "constraint of 'recall'"),
        ({"threshold": {"f1": {}, "mcc": {}}}, "one metric to be best"),
        ({"calibration": "platt"}, "calibration must be one of 'sigmoid', 'isotonic'"),
    ],
    ids=str,
)
def test_wrong_wishes(options, told):
    with pytest.raises((ValueError, TypeError), match=told):
        nested(**options)


def test_where_there_is_nothing_to_cut():
    with pytest.raises(ValueError, match="needs a classifier"):
        nested_cross_validate(
            Ridge(), {}, *load_diabetes(return_X_y=True), decisions=Decisions(threshold="f1")
        )
    with pytest.raises(ValueError, match="pass pos_label"):
        nested_cross_validate(
            GaussianNB(), {}, X, Y, decisions=Decisions(threshold="mcc"), scoring="mcc"
        )


X_GIVEN, CODES_GIVEN = make_classification(
    300, 6, n_informative=4, n_classes=3, weights=[0.6, 0.3], random_state=0
)
Y_GIVEN = np.array(["a", "b", "c"])[CODES_GIVEN]
WEIGHT_GIVEN = np.random.default_rng(0).uniform(0.2, 3, 150)


@pytest.mark.parametrize("method", CALIBRATIONS)
@pytest.mark.parametrize("model", [GaussianNB(), LinearSVC()], ids=["nb", "svc"])
@pytest.mark.parametrize("weight", [None, WEIGHT_GIVEN], ids=["", "weights"])
def test_it_is_the_method_of_scikit_learn_on_held_out_rows(method, model, weight):
    model = clone(model).fit(X_GIVEN[:150], Y_GIVEN[:150])
    ours = CalibratingClassifier(FrozenEstimator(model), method)
    ours.fit(X_GIVEN[150:], Y_GIVEN[150:], sample_weight=weight)
    rows = np.arange(150)
    theirs = CalibratedClassifierCV(
        FrozenEstimator(model), method=method, cv=[(rows, rows)], ensemble=False
    )
    with warnings.catch_warnings(action="ignore"):
        theirs.fit(X_GIVEN[150:], Y_GIVEN[150:], sample_weight=weight)
    np.testing.assert_array_equal(ours.predict_proba(X_GIVEN), theirs.predict_proba(X_GIVEN))
    np.testing.assert_array_equal(ours.predict(X_GIVEN), theirs.predict(X_GIVEN))
    again = pickle.loads(pickle.dumps(ours))
    np.testing.assert_array_equal(again.predict_proba(X_GIVEN), ours.predict_proba(X_GIVEN))
    assert ours.n_features_in_ == 6
