"""Weights and failed rounds of bootstrap_score, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.exceptions import FitFailedWarning
from sklearn.metrics import accuracy_score, brier_score_loss, roc_auc_score
from sklearn.naive_bayes import GaussianNB

from skaucx.metrics import mm7_auc_score
from skaucx.model_selection import BootstrapSplit, bootstrap_score

SPLIT = {"n_splits": 12, "random_state": 0}


@pytest.fixture(scope="module")
def data():
    return make_classification(
        n_samples=80, n_features=5, n_informative=3, flip_y=0.2, random_state=0
    )


@pytest.fixture(scope="module")
def weight():
    return np.random.default_rng(2).integers(0, 9, 80).astype(float)


class Moody(ClassifierMixin, BaseEstimator):
    """Naive Bayes that fails without a certain row."""

    def __init__(self, needs=None):
        self.needs = needs

    def fit(self, X, y):
        if self.needs is not None and self.needs not in X[:, 0]:
            raise RuntimeError("no mood to fit")
        self.model_ = GaussianNB().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X)

    def predict_proba(self, X):
        return self.model_.predict_proba(X)


def rounds(X, y, weight):
    for train, test in BootstrapSplit(**SPLIT).split(X, y):
        yield GaussianNB().fit(X[train], y[train], weight[train]), test


def test_plain(data, weight):
    X, y = data
    found = bootstrap_score(
        GaussianNB(), X, y, scoring="accuracy", sample_weight=weight.tolist(), **SPLIT
    )
    expected = [
        accuracy_score(y[test], model.predict(X[test]), sample_weight=weight[test])
        for model, test in rounds(X, y, weight)
    ]
    np.testing.assert_allclose(found.rounds, expected, rtol=1e-12)
    assert found.estimate == pytest.approx(np.mean(expected), rel=1e-12)


@pytest.mark.parametrize("metric", ["accuracy", "neg_brier_score_loss"])
def test_losses(data, weight, metric):
    """Err1, e and g are weighted over examples, g over pairs of them."""
    X, y = data

    def loss(truth, model, X):
        if metric == "accuracy":
            return (model.predict(X) != truth).astype(float)
        return (model.predict_proba(X)[:, 1] - truth) ** 2

    found = bootstrap_score(
        GaussianNB(), X, y, scoring=metric, method=".632+", sample_weight=weight, **SPLIT
    )
    total, times = np.zeros((2, 80))
    for model, test in rounds(X, y, weight):
        total[test] += loss(y[test], model, X[test])
        times[test] += 1
    err1 = np.average(total[times > 0] / times[times > 0], weights=weight[times > 0])
    whole = GaussianNB().fit(X, y, weight)
    pairs = np.array([loss(np.full(80, truth), whole, X) for truth in y])
    assert found.out_of_bag_error == pytest.approx(err1, rel=1e-12)
    e = np.average(loss(y, whole, X), weights=weight)
    assert found.resubstitution_error == pytest.approx(e, rel=1e-12)
    if metric == "accuracy":
        e_of_sklearn = 1 - accuracy_score(y, whole.predict(X), sample_weight=weight)
    else:
        e_of_sklearn = brier_score_loss(y, whole.predict_proba(X)[:, 1], sample_weight=weight)
    assert e == pytest.approx(e_of_sklearn, rel=1e-12)
    g = np.average(pairs, weights=np.multiply.outer(weight, weight))
    assert found.no_information_error == pytest.approx(g, rel=1e-12)
    test = next(BootstrapSplit(**SPLIT).split(X, y))[1]
    model = next(rounds(X, y, weight))[0]
    first = np.average(loss(y[test], model, X[test]), weights=weight[test])
    assert found.rounds[0] == pytest.approx(1 - first if metric == "accuracy" else -first)


@pytest.mark.parametrize("metric", ["roc_auc", "mm7_auc"])
def test_auc(data, weight, metric):
    X, y = data
    score = {"roc_auc": roc_auc_score, "mm7_auc": mm7_auc_score}[metric]
    found = bootstrap_score(
        GaussianNB(), X, y, scoring=metric, method=".632+", sample_weight=weight, **SPLIT
    )
    expected = [
        score(y[test], model.predict_proba(X[test])[:, 1], sample_weight=weight[test])
        for model, test in rounds(X, y, weight)
    ]
    np.testing.assert_allclose(found.rounds, expected, rtol=1e-12)
    p = GaussianNB().fit(X, y, weight).predict_proba(X)[:, 1]
    assert found.resubstitution_error == pytest.approx(1 - score(y, p, sample_weight=weight))
    truth = np.repeat([0, 1], 80)
    g = 1 - score(truth, np.tile(p, 2), sample_weight=np.tile(weight, 2))
    assert found.no_information_error == pytest.approx(g)


def test_equal_weights_are_no_weights(data):
    options = {"scoring": "accuracy", "method": ".632+", **SPLIT}
    plain = bootstrap_score(GaussianNB(), *data, **options)
    equal = bootstrap_score(GaussianNB(), *data, sample_weight=np.full(80, 3.0), **options)
    assert equal.estimate == pytest.approx(plain.estimate, rel=1e-12)


def test_round_whose_tested_rows_weigh_nothing_is_undefined(data):
    X, y = data
    weight = np.ones(80)
    _, test = next(BootstrapSplit(**SPLIT).split(X, y))
    weight[test] = 0
    found = bootstrap_score(
        GaussianNB(), X, y, scoring="accuracy", method=".632", sample_weight=weight, **SPLIT
    )
    assert np.isnan(found.rounds).tolist() == [True] + [False] * 11
    assert np.isfinite(found.estimate)


@pytest.mark.parametrize("metric", ["accuracy", "roc_auc"])
@pytest.mark.parametrize("method", ["plain", ".632"])
@pytest.mark.parametrize("error_score", [np.nan, 0.25])
def test_failed_rounds(data, method, metric, error_score):
    X, y = data
    fails = np.array([7 not in train for train, _ in BootstrapSplit(**SPLIT).split(X, y)])
    options = {"scoring": metric, "method": method, "error_score": error_score, **SPLIT}
    with pytest.warns(FitFailedWarning, match=f"{fails.sum()} of .* bootstrap fits") as caught:
        found = bootstrap_score(Moody(X[7, 0]), X, y, **options)
    assert "no mood to fit" in str(caught[0].message)
    well = bootstrap_score(Moody(), X, y, **options)
    np.testing.assert_array_equal(found.rounds, np.where(fails, error_score, well.rounds))
    if method == "plain":
        assert found.estimate == pytest.approx(np.nanmean(found.rounds), rel=1e-12)
        return
    if metric == "accuracy":
        total, times = np.zeros((2, 80))
        for failed, (train, test) in zip(fails, BootstrapSplit(**SPLIT).split(X, y), strict=True):
            if not failed:
                total[test] += GaussianNB().fit(X[train], y[train]).predict(X[test]) != y[test]
            elif error_score == 0.25:
                total[test] += 0.75
            times[test] += not (failed and np.isnan(error_score))
        err1 = np.mean(total[times > 0] / times[times > 0])
    else:
        err1 = 1 - np.nanmean(found.rounds)
    assert found.out_of_bag_error == pytest.approx(err1, rel=1e-12)


def test_error_score_raise(data):
    X, y = data
    with pytest.raises(RuntimeError, match="no mood to fit"):
        bootstrap_score(Moody(X[7, 0]), X, y, scoring="accuracy", error_score="raise", **SPLIT)
    with pytest.raises(ValueError, match="error_score must be a number or 'raise'"):
        bootstrap_score(Moody(), X, y, scoring="accuracy", error_score="ignore")


def test_all_rounds_fail(data):
    with pytest.raises(ValueError, match=r"All 12 bootstrap fits(.|\n)*no mood to fit"):
        bootstrap_score(Moody(99), *data, scoring="accuracy", **SPLIT)
    with pytest.raises(RuntimeError, match="no mood to fit"):
        bootstrap_score(Moody(99), *data, scoring="accuracy", method=".632", **SPLIT)
