"""Rejection: chosen on inner predictions, evaluated on outer test parts."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import HalvingGridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from skaucx.metrics.rejection import chow_predictions, chow_thresholds
from skaucx.model_selection import NestedCV, RejectingClassifier
from skaucx.model_selection.decisions._rejecting import least_accepted

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
NAMES = ["accuracy", "f1", "roc_auc"]


def fitted(model=None, grid=GRID, data=(X, Y), weight=None, **options):
    options = {
        "scoring": NAMES, "pos_label": "cancer", "outer_cv": OUTER, "inner_cv": INNER, **options,
    }  # fmt: skip
    return NestedCV(model or GaussianNB(), grid, **recorded(options)).fit(
        *data, sample_weight=weight
    )


def cost_by_hand(sure, wrong, weight, price, least):
    accepted = sure >= least
    return weight[accepted & wrong].sum() + price * weight[~accepted].sum()


@pytest.mark.parametrize("price", [0.0, 0.1, 0.3, 0.5, 1.0])
def test_no_other_cut_costs_less(price):
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
    reached = weight[sure >= least].sum() / weight.sum()
    more = np.unique(sure[sure > least])
    assert reached >= share - 1e-12
    assert len(more) == 0 or weight[sure > more[0]].sum() / weight.sum() < share


@pytest.mark.parametrize("threshold", [None, "f1"])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weights"])
def test_rejection_by_hand(threshold, weight):
    """The least confidence is that of the winner's inner predictions, judged on the test part."""
    cv = fitted(reject={"cost": 0.2}, threshold=threshold, weight=weight)
    result = cv.result_
    for fold, (train, test) in enumerate(OUTER.split(X, Y)):
        model = GaussianNB(**result.winning_params[fold])
        params = {} if weight is None else {"params": {"sample_weight": weight[train]}}
        inner = cross_val_predict(
            model, X[train], Y[train], cv=INNER, method="predict_proba", **params
        )
        cut = result.thresholds[fold] if threshold else 0.5

        def sure_of(p, cut=cut):
            way = np.where(p[:, 0] >= cut, 1 - cut, cut)
            return np.abs(p[:, 0] - cut) / way if threshold else p.max(axis=1)

        wrong = np.where(inner[:, 0] >= cut, "cancer", "healthy") != Y[train]
        given = None if weight is None else weight[train]
        least = least_accepted({"cost": 0.2}, sure_of(inner), wrong, given)
        assert result.rejections.least[fold] == pytest.approx(least, rel=1e-9)
        model.fit(X[train], Y[train], None if weight is None else weight[train])
        kept = sure_of(model.predict_proba(X[test])) >= least
        np.testing.assert_array_equal(
            result.rejections.rejected[result.predictions.fold == fold], ~kept
        )
        called = np.where(model.predict_proba(X[test])[:, 0] >= cut, "cancer", "healthy")
        held = None if weight is None else weight[test][kept]
        right = np.average(called[kept] == Y[test][kept], weights=held)
        assert result.rejections.scores["accuracy"][fold] == pytest.approx(right, rel=1e-12)
        assert result.rejections.coverage[fold] == pytest.approx(kept.mean())


@pytest.mark.parametrize("model", [GaussianNB(), LinearSVC()])
def test_the_final_model_rejects(model):
    grid = GRID if isinstance(model, GaussianNB) else {"C": [0.1, 1.0]}
    cv = fitted(model, grid, reject={"coverage": 0.8})
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
        alone = fitted(
            grid={key: [value] for key, value in result.winning_params[fold].items()},
            outer_cv=[(train, test)], final=None, **asked,
        ).result_  # fmt: skip
        assert result.thresholds[fold] == alone.thresholds[0]
        assert result["test_f1"][fold] == alone["test_f1"][0]
        assert result.rejections.least[fold] == alone.rejections.least[0]
    assert cv.best_estimator_.rejected(X).shape == (400,)


@pytest.mark.parametrize(
    ("options", "told"),
    [({"reject": 0.2}, "reject must be {'cost'"), ({"reject": {"cost": 2}}, r"reject\['cost'\]")],
    ids=str,
)
def test_wrong_wishes(options, told):
    with pytest.raises((ValueError, TypeError), match=told):
        fitted(**options)


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
    cut = alarm / (alarm + miss)
    model = RejectingClassifier(
        GaussianNB(), least=1 - price / alarm - price / miss, cut=cut, pos_label="healthy"
    ).fit(X, Y)
    proba = model.predict_proba(X)
    chow = chow_predictions(proba, reject_cost=price, cost=[[0, alarm], [miss, 0]])
    np.testing.assert_array_equal(model.rejected(X), chow.mask)
    low, high = chow_thresholds(reject_cost=price, cost=[[0, alarm], [miss, 0]])
    np.testing.assert_array_equal(model.rejected(X), (proba[:, 1] > low) & (proba[:, 1] < high))
    assert 0 < chow.mask.mean() < 1
