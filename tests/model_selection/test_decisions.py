"""Threshold, calibration and rejection, chosen on inner predictions and evaluated on outer parts."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import brier_score_loss, f1_score, recall_score
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from skaucx._compat import CALIBRATIONS
from skaucx.metrics import get_scorer
from skaucx.metrics.rejection import chow_predictions, chow_thresholds
from skaucx.model_selection import CalibratingClassifier, NestedCV, RejectingClassifier
from skaucx.model_selection.decisions._rejecting import least_accepted
from skaucx.model_selection.decisions._threshold import threshold_rule
from tests.closeness import minimum

from .records import recorded

X, CODES = make_classification(
    400, 6, n_informative=3, weights=[0.7], flip_y=0.1, class_sep=0.6, random_state=1
)
Y = np.array(["healthy", "cancer"])[CODES]  # the positive class is the first in order
THREE = make_classification(
    400, 6, n_informative=4, n_classes=3, class_sep=0.8, weights=[0.6, 0.3], random_state=2
)
WEIGHT = np.random.default_rng(0).uniform(0.2, 3, 400)
GRID = {"var_smoothing": [1e-9, 0.1, 1.0]}
OUTER, INNER = StratifiedKFold(2), StratifiedKFold(3)
NAMES = ["roc_auc", "f1", "recall", "accuracy", "neg_brier_score"]


def fitted(model=None, grid=GRID, weight=None, **options):
    options = {
        "scoring": NAMES, "pos_label": "cancer", "outer_cv": OUTER, "inner_cv": INNER, **options,
    }  # fmt: skip
    cv = NestedCV(model or GaussianNB(), grid, **recorded(options))
    return cv.fit(X, Y, sample_weight=weight)


def nested(*arguments, **options):
    return fitted(*arguments, final=None, **options).result_


def told(result):
    return " ".join(result.summary().split())


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
each_weight = pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weights"])


@each_weight
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

    def missed(cut):
        called = score >= cut
        kept = called[positive].mean(), (~called)[~positive].mean()
        return sum(max(0, 0.97 - share) for share in kept)

    limits = {"recall": (">=", 0.97), "specificity": (">=", 0.97), "accuracy": (">=", 0.1)}
    found = threshold_rule({"f1": limits}).choose(Y, score, "cancer", None)
    cuts = np.unique(score)
    short = [missed(cut) for cut in np.r_[-np.inf, (cuts[1:] + cuts[:-1]) / 2]]
    assert not found.feasible
    assert missed(found.threshold) == pytest.approx(min(short))


@each_weight
@pytest.mark.parametrize("rule", ["f1", "constrained", "costs"])
def test_thresholds_by_hand(rule, weight):
    """Search, inner predictions, cut and outer scores by scikit-learn alone."""
    given, value = RULES[rule]
    result = nested(threshold=given, weight=weight)
    for fold, (train, test) in enumerate(OUTER.split(X, Y)):
        if weight is None:
            search = GridSearchCV(GaussianNB(), GRID, scoring="roc_auc", cv=INNER)
            assert search.fit(X[train], Y[train]).best_params_ == result.winning_params[fold]
        own, held = (None if weight is None else weight[rows] for rows in (train, test))
        model = GaussianNB(**result.winning_params[fold])
        inner = inner_probabilities(model, train, own)
        cut = brute_force(inner, Y[train] == "cancer", value, own)
        assert result.thresholds[fold] == pytest.approx(cut, abs=1e-12)
        score = model.fit(X[train], Y[train], own).predict_proba(X[test])[:, 0]
        for name, function in (("f1", f1_score), ("recall", recall_score)):
            with_it, without = (
                function(Y[test] == "cancer", score >= at, sample_weight=held)
                for at in (cut, np.nextafter(0.5, 1))
            )
            assert result[f"test_{name}"][fold] == pytest.approx(with_it, abs=1e-12)
            assert result.plain_scores[name][fold] == pytest.approx(without, abs=1e-12)


def inner_probabilities(model, train, weight):
    """The probabilities of the positive class that inner fits give the rows held out."""
    given = {} if weight is None else {"params": {"sample_weight": weight}}
    return cross_val_predict(
        model, X[train], Y[train], cv=INNER, method="predict_proba", **given
    )[:, 0]  # fmt: skip


@pytest.mark.parametrize("method", CALIBRATIONS)
@pytest.mark.parametrize(
    ("model", "grid"), [(GaussianNB(), GRID), (LinearSVC(), {"C": [0.1, 1.0]})], ids=["nb", "svc"]
)
def test_calibration_is_that_of_scikit_learn(method, model, grid):
    probable = isinstance(model, GaussianNB)
    result = nested(
        model, grid, calibration=method, scoring=NAMES if probable else ["roc_auc", "mcc"]
    )
    for fold, (train, test) in enumerate(OUTER.split(X, Y)):
        chosen = clone(model).set_params(**result.winning_params[fold])
        expected = CalibratedClassifierCV(chosen, method=method, cv=INNER, ensemble=False)
        proba = expected.fit(X[train], Y[train]).predict_proba(X[test])
        own = result.predictions.fold == fold
        found = result.predictions.responses["predict_proba"][own]
        # A temperature is a searched minimum, and |d p / d log beta| = p (1 - p) |logit p| < 1.
        near = minimum() if method == "temperature" else 1e-12
        np.testing.assert_allclose(found, proba, atol=near)
        if probable:
            loss = brier_score_loss(Y[test] == "cancer", proba[:, 0])
            assert result["test_neg_brier_score"][fold] == pytest.approx(-loss, abs=near)


@pytest.mark.parametrize("method", CALIBRATIONS)
@pytest.mark.parametrize("model", [GaussianNB(), LinearSVC()], ids=["nb", "svc"])
@pytest.mark.parametrize("weight", [None, WEIGHT[:200]], ids=["", "weights"])
def test_calibration_of_a_fitted_model_is_that_of_scikit_learn(method, model, weight):
    (A, b), rows = THREE, np.arange(200)
    model = FrozenEstimator(clone(model).fit(A[:200], b[:200]))
    ours = CalibratingClassifier(model, method).fit(A[200:], b[200:], sample_weight=weight)
    theirs = CalibratedClassifierCV(model, method=method, cv=[(rows, rows)], ensemble=False)
    with warnings.catch_warnings(action="ignore"):
        theirs.fit(A[200:], b[200:], sample_weight=weight)
    np.testing.assert_array_equal(ours.predict_proba(A), theirs.predict_proba(A))
    np.testing.assert_array_equal(ours.predict(A), theirs.predict(A))
    assert ours.n_features_in_ == 6


@pytest.mark.parametrize("final", ["vote", "search"])
def test_the_final_model_carries_them(final):
    cv = fitted(calibration="isotonic", threshold="f1", final=final)
    model = cv.best_estimator_
    called = cv.predict_proba(X)[:, 0] >= model.threshold
    np.testing.assert_array_equal(cv.predict(X), np.where(called, "cancer", "healthy"))
    assert np.mean(called != (cv.predict_proba(X)[:, 0] > 0.5)) > 0
    for copy in (pickle.loads(pickle.dumps(model)), clone(model).fit(X, Y)):
        np.testing.assert_array_equal(copy.predict(X), model.predict(X))
    if final == "search":
        expected = CalibratedClassifierCV(
            GaussianNB(**cv.best_params_), method="isotonic", cv=INNER, ensemble=False
        ).fit(X, Y)
        np.testing.assert_allclose(cv.predict_proba(X), expected.predict_proba(X), atol=1e-12)


def test_constraints_that_nothing_keeps_to():
    with pytest.warns(UserWarning, match="No threshold keeps to the constraints"):
        result = nested(threshold={"recall": {"precision": (">=", 1.1)}})
    assert np.isfinite(result["test_recall"]).all()
    said = "Requested precision >= 1.1: met on the test rows of 0 of 2 outer folds, worst "
    assert said in told(result)


def test_every_limit_of_a_threshold_is_reported_on_the_test_rows():
    """Of losses and of scores, with their own sign, feasible inside or not."""
    limits = {
        "recall": (">=", 0.6), "neg_false_positive_rate": ("<=", 0.4), "accuracy": (">=", 0.5),
    }  # fmt: skip
    result = nested(threshold={"precision": limits}, scoring=[*limits, "f1"])
    for name, (sign, bound) in limits.items():
        rate = name.removeprefix("neg_")
        scores = result[f"test_{name}"] * (1 if name == rate else -1)
        short = bound - scores if sign == ">=" else scores - bound
        said = f"Requested {rate} {sign} {bound:g}: met on the test rows of {(short <= 0).sum()} of"
        worst = f"worst {scores[short.argmax()]:.4f} (shortfall {max(0, short.max()):.4f})"
        assert f"{said} 2 outer folds, {worst}" in told(result)
    assert "Requested" not in nested(threshold="f1").summary()


def test_limits_of_the_choice_of_candidates_are_reported():
    """Next to those of a threshold, of which there may be several."""
    limits = {"recall": (">=", 0.5), "roc_auc": (">=", 0.99)}
    with pytest.warns(UserWarning, match="No candidate keeps to"):
        result = nested(
            refit={"precision": limits}, threshold={"precision": {"recall": (">=", 0.7)}},
            scoring=[*NAMES, "precision"],
        )  # fmt: skip
    chosen, _, cut, *_ = result.notes
    recall = result["test_recall"]
    met = "Requested recall >= {} met on the test rows of {} of "
    assert chosen.startswith(met.format("0.5 of the candidate chosen:", (recall >= 0.5).sum()))
    assert cut.startswith(met.format("0.7:", (recall >= 0.7).sum()))
    assert chosen in told(result)


def cost_by_hand(sure, wrong, weight, price, least):
    accepted = sure >= least
    return weight[accepted & wrong].sum() + price * weight[~accepted].sum()


@pytest.mark.parametrize("price", [0.0, 0.1, 0.3, 0.5, 1.0])
def test_no_other_rejection_costs_less(price):
    rng = np.random.default_rng(3)
    sure, weight = np.round(rng.uniform(0.5, 1, 80), 2), rng.uniform(0.1, 2, 80)
    wrong = rng.uniform(size=80) > sure
    least = least_accepted({"cost": price}, sure, wrong, weight)
    levels = np.r_[-np.inf, np.unique(sure), np.inf]
    best = min(cost_by_hand(sure, wrong, weight, price, cut) for cut in levels)
    assert cost_by_hand(sure, wrong, weight, price, least) == pytest.approx(best, abs=1e-12)
    if price == 1:
        assert least == -np.inf


@pytest.mark.parametrize("share", [0.0, 0.31, 0.8, 1.0])
def test_coverage_that_is_asked_for(share):
    rng = np.random.default_rng(4)
    sure, weight = np.round(rng.uniform(0.5, 1, 90), 2), rng.uniform(0.1, 2, 90)
    least = least_accepted({"coverage": share}, sure, np.zeros(90, dtype=bool), weight)
    assert weight[sure >= least].sum() / weight.sum() >= share - 1e-12
    more = np.unique(sure[sure > least])
    assert len(more) == 0 or weight[sure > more[0]].sum() / weight.sum() < share


@pytest.mark.parametrize("threshold", [None, "f1"])
@each_weight
def test_rejection_by_hand(threshold, weight):
    """The least confidence is that of the winner's inner predictions, judged on the test part."""
    result = nested(reject={"cost": 0.2}, threshold=threshold, weight=weight)
    for fold, (train, test) in enumerate(OUTER.split(X, Y)):
        own, held = (None if weight is None else weight[rows] for rows in (train, test))
        model = GaussianNB(**result.winning_params[fold])
        cut = result.thresholds[fold] if threshold else 0.5

        def judged(p, y, cut=cut):
            way = np.where(p >= cut, 1 - cut, cut)
            sure = np.abs(p - cut) / way if threshold else np.maximum(p, 1 - p)
            return sure, np.where(p >= cut, "cancer", "healthy") != y

        least = least_accepted(
            {"cost": 0.2}, *judged(inner_probabilities(model, train, own), Y[train]), own
        )
        assert result.rejections.least[fold] == pytest.approx(least, rel=1e-9)
        model.fit(X[train], Y[train], own)
        sure, wrong = judged(model.predict_proba(X[test])[:, 0], Y[test])
        kept = sure >= least
        np.testing.assert_array_equal(
            result.rejections.rejected[result.predictions.fold == fold], ~kept
        )
        right = np.average(~wrong[kept], weights=None if held is None else held[kept])
        assert result.rejections.scores["accuracy"][fold] == pytest.approx(right, rel=1e-12)
        assert result.rejections.coverage[fold] == pytest.approx(kept.mean())


@pytest.mark.parametrize("model", [GaussianNB(), LinearSVC()])
def test_the_final_model_rejects(model):
    probable = isinstance(model, GaussianNB)
    grid, names = (GRID, NAMES) if probable else ({"C": [0.1, 1.0]}, NAMES[:4])
    cv = fitted(model, grid, scoring=names, reject={"coverage": 0.8})
    final = cv.best_estimator_
    rejected = final.rejected(X)
    assert 0.7 < 1 - rejected.mean() < 0.9
    labels = cv.predict(X)
    np.testing.assert_array_equal(np.ma.getmaskarray(labels), rejected)
    np.testing.assert_array_equal(labels.data, final.estimator_.predict(X))
    for copy in (pickle.loads(pickle.dumps(final)), clone(final).fit(X, Y)):
        np.testing.assert_array_equal(copy.rejected(X), rejected)
    assert (labels.data != Y)[~rejected].mean() < (labels.data != Y).mean()


def test_a_search_that_runs_by_itself():
    """Halving knows no inner predictions of its winner: they are made, with the same digits."""
    search = HalvingGridSearchCV(
        GaussianNB(), GRID, scoring="accuracy", min_resources=200, factor=2, cv=None, random_state=0
    )
    asked = {"threshold": "f1", "calibration": "sigmoid", "reject": {"cost": 0.2}}
    cv = fitted(search, None, scoring=["f1", "accuracy"], **asked)
    result = cv.result_
    for fold, (train, test) in enumerate(OUTER.split(X, Y)):
        grid = {key: [value] for key, value in result.winning_params[fold].items()}
        alone = nested(grid=grid, outer_cv=[(train, test)], **asked)
        assert result.thresholds[fold] == alone.thresholds[0]
        assert result["test_f1"][fold] == alone["test_f1"][0]
        assert result.rejections.least[fold] == alone.rejections.least[0]
    assert cv.best_estimator_.rejected(X).shape == (400,)


@pytest.mark.parametrize("data", [(X, Y), THREE], ids=["two", "three"])
@pytest.mark.parametrize("price", [0.05, 0.2, 0.45])
def test_rejection_is_chows_rule(data, price):
    """An error costs 1: what is rejected costs more to predict, by the same probabilities."""
    model = RejectingClassifier(GaussianNB(), least=1 - price).fit(*data)
    chow = chow_predictions(model.predict_proba(data[0]), reject_cost=price, labels=model.classes_)
    found = model.predict(data[0])
    np.testing.assert_array_equal(found.mask, chow.mask)
    np.testing.assert_array_equal(found.data, chow.data)
    assert 0 < found.mask.mean() < 1


def test_rejection_beside_a_threshold_is_chows_rule_of_costs():
    """The threshold a / (a + b) for costs a of a false alarm, b of a miss, 1 - d (a + b) / (a b)."""
    alarm, miss, price = 2.0, 10.0, 0.6
    least, cut = 1 - price / alarm - price / miss, alarm / (alarm + miss)
    model = RejectingClassifier(GaussianNB(), least=least, cut=cut, pos_label="healthy").fit(X, Y)
    proba, costs = model.predict_proba(X), {"reject_cost": price, "cost": [[0, alarm], [miss, 0]]}
    chow = chow_predictions(proba, **costs)
    np.testing.assert_array_equal(model.rejected(X), chow.mask)
    low, high = chow_thresholds(**costs)
    np.testing.assert_array_equal(model.rejected(X), (proba[:, 1] > low) & (proba[:, 1] < high))
    assert 0 < chow.mask.mean() < 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"threshold": "roc_auc"}, "metrics of the confusion table"),
        ({"threshold": "f1_macro"}, "metrics of the confusion table"),
        ({"threshold": 0.3}, "threshold must be the name of a metric"),
        ({"threshold": {"f1": {"recall": ("==", 1)}}}, "constraint of 'recall'"),
        ({"threshold": {"f1": {}, "mcc": {}}}, "one metric to be best"),
        ({"threshold": "mcc", "scoring": "mcc", "pos_label": None}, "pass pos_label"),
        ({"calibration": "platt"}, "calibration must be one of 'sigmoid', 'isotonic'"),
        ({"reject": 0.2}, "reject must be {'cost'"),
        ({"reject": {"cost": 2}}, r"reject\['cost'\]"),
    ],
    ids=str,
)
def test_wrong_wishes(options, words):
    with pytest.raises((ValueError, TypeError), match=words):
        nested(**options)
