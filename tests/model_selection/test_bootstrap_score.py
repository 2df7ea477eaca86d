"""Bootstrap estimates by hand, against another .632+, rms and the iris data; weights and failures."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, brier_score_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import skaucx.metrics as m
from skaucx.metrics import get_scorer
from skaucx.model_selection import BootstrapSplit, bootstrap_score, repetition_spread
from skaucx.model_selection.bootstrap._score import (
    check_losses,
    mixed,
    out_of_bag_weight,
    values_of_labels,
)

# Mean error of 1000 rounds, 90 of 150 rows drawn; printed 0.032 for a splitter that drew both sides
# with replacement from a disjoint split, about 0.031 out of bag.


@pytest.fixture(scope="module")
def data():
    return make_classification(
        n_samples=80, n_features=5, n_informative=3, flip_y=0.2, random_state=0
    )


SPLIT = {"n_splits": 12, "random_state": 0}


def rounds(model, X, y, weight=None):
    for train, test in BootstrapSplit(**SPLIT).split(X, y):
        given = {} if weight is None else {"sample_weight": weight[train]}
        yield clone(model).fit(X[train], y[train], **given), test


@pytest.mark.parametrize("model", [DecisionTreeClassifier(random_state=0), GaussianNB()])
@pytest.mark.parametrize("method", [".632", ".632+"])
def test_accuracy_by_hand(data, method, model):
    X, y = data
    found = bootstrap_score(model, X, y, scoring="accuracy", method=method, **SPLIT)
    losses = np.full((12, 80), np.nan)
    for row, (fitted, test) in zip(losses, rounds(model, X, y), strict=True):
        row[test] = fitted.predict(X[test]) != y[test]
    err1 = np.nanmean(np.nanmean(losses[:, ~np.isnan(losses).all(axis=0)], axis=0))
    predicted = model.fit(X, y).predict(X)
    e = np.mean(predicted != y)
    assert found.out_of_bag_error == pytest.approx(err1)
    assert found.resubstitution_error == pytest.approx(e)
    weight = 0.632
    if method == ".632+":
        g = np.mean(predicted[:, None] != y)
        assert found.no_information_error == pytest.approx(g)
        assert e < err1 < g
        weight = 0.632 / (1 - 0.368 * (err1 - e) / (g - e))
    assert found.weight == pytest.approx(weight)
    assert found.error == pytest.approx((1 - weight) * e + weight * err1)
    assert found.estimate == pytest.approx(1 - found.error)
    np.testing.assert_allclose(found.rounds, 1 - np.nanmean(losses, axis=1))
    repetitions = (1 - weight) * (1 - e) + weight * found.rounds
    np.testing.assert_allclose(found.repetitions, repetitions)
    assert found.spread(0.5) == pytest.approx(np.percentile(repetitions, [25, 75]))


@pytest.mark.parametrize("metric", ["roc_auc", "soft_auc", "scor_auc", "mm1_auc", "mm11_auc"])
def test_every_score_on_either_side_is_no_information(data, metric):
    X, y = data
    p = GaussianNB().fit(X, y).predict_proba(X)[:, 1]
    d = p[:, None] - p
    h = {
        "roc_auc": (d > 0) + (d == 0) / 2,
        "soft_auc": 1 / (1 + np.exp(-7 * d)),
        "scor_auc": np.maximum(d, 0),
        "mm1_auc": np.maximum(d, 0) / np.ptp(p),
        "mm11_auc": d,
    }[metric]
    options = {"method": ".632+", "n_splits": 2, "random_state": 0}
    found = bootstrap_score(GaussianNB(), X, y, scoring=metric, **options).no_information_error
    assert found == pytest.approx(1 - h.mean(), abs=1e-12)


@pytest.mark.parametrize(
    ("e", "err1", "g", "weight"),
    [
        (0.1, 0.3, 0.5, 0.632 / (1 - 0.368 * 0.5)),
        (0.0, 0.6, 0.5, 1.0),
        (0.3, 0.2, 0.5, 0.632),
        (0.5, 0.6, 0.4, 0.632),
        (0.0, 0.0, 0.5, 0.632),
    ],
)
def test_weight(e, err1, g, weight):
    assert out_of_bag_weight(".632+", e, err1, g) == pytest.approx(weight)
    assert out_of_bag_weight(".632", e, err1, g) == 0.632
    assert mixed(out_of_bag_weight("plain", np.nan, err1, np.nan), np.nan, err1) == err1


LABEL_METRICS = [
    row.scorer_name for row in m.list_metrics() if row.kind.name in ("counts", "table")
]

# Shares of which neither end is good; a mean at one prevalence only.
NO_LOSSES = {"prevalence", "predicted_positive_rate"}
NEED_MORE = {
    "fbeta",
    "net_benefit",
    "feasible",
    "neg_expected_cost",
}  # a parameter without a default


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("name", sorted({*LABEL_METRICS} - NEED_MORE))
def test_metrics_are_means_of_losses_or_refused(name):
    """Tables of single examples tell, by the metric's own formula, which metrics are means."""
    random = np.random.default_rng(0)
    y, predicted = (random.random((2, 60)) < 0.4).astype(int)
    judge = get_scorer(name)
    bound = judge._score_func
    each = values_of_labels(bound, np.arange(2))[y, predicted]
    if np.isclose(each.mean(), bound(y, predicted)) and name not in NO_LOSSES:
        check_losses(name, bound)
    else:
        with pytest.raises(ValueError, match=r"mean of losses .*found .*takes any metric"):
            check_losses(name, bound)


def test_round_that_never_saw_a_class_counts():
    X, y = load_iris(return_X_y=True)
    rows = np.r_[0:40, 50:90, 100:102]
    found = bootstrap_score(
        GaussianNB(var_smoothing=1e-3), X[rows], y[rows], scoring="neg_log_loss", method=".632",
        n_splits=30, random_state=0,
    )  # fmt: skip
    assert np.isfinite(found.rounds).all()
    assert found.rounds.min() < -2 * 36 / 40


def test_groups_and_jobs(data):
    X, y = np.repeat(data[0], 2, axis=0), np.repeat(data[1], 2)
    model, options = KNeighborsClassifier(1), {"scoring": "accuracy", "random_state": 0}
    options["n_splits"] = 20
    apart = bootstrap_score(model, X, y, groups=np.repeat(np.arange(80), 2), **options)
    torn = bootstrap_score(model, X, y, **options)
    assert torn.estimate > apart.estimate + 0.05
    with parallel_config("threading"):
        two = bootstrap_score(model, X, y, n_jobs=2, **options)
    np.testing.assert_array_equal(two.rounds, torn.rounds)


def test_text_and_pickle(data):
    found = bootstrap_score(
        GaussianNB(), *data, scoring="accuracy", method=".632+", n_splits=5, random_state=0
    )
    low, high = found.spread()
    assert str(found) == (
        f"accuracy {found.estimate:.4f} by the .632+ bootstrap, 5 rounds; 95 % spread over "
        f"repetitions\n  {low:.4f} to {high:.4f}\n"
        f"Positive class: 1, {np.sum(data[1])} of {len(data[1])} rows."
    )
    assert pickle.loads(pickle.dumps(found)).estimate == found.estimate
    with pytest.raises(ValueError, match="confidence_level must be"):
        found.spread(95)


def test_wrong_arguments(data):
    with pytest.raises(ValueError, match=r"method must be .*found 'oob'"):
        bootstrap_score(GaussianNB(), *data, scoring="accuracy", method="oob")
    with pytest.raises(ValueError, match=r"one metric or a scorer, found \['f1', 'mcc'\]"):
        bootstrap_score(GaussianNB(), *data, scoring=["f1", "mcc"])


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


def test_weighted_rounds(data, weight):
    X, y = data
    found = bootstrap_score(
        GaussianNB(), X, y, scoring="accuracy", sample_weight=weight.tolist(), **SPLIT
    )
    expected = [
        accuracy_score(y[test], model.predict(X[test]), sample_weight=weight[test])
        for model, test in rounds(GaussianNB(), X, y, weight)
    ]
    np.testing.assert_allclose(found.rounds, expected, rtol=1e-12)
    assert found.estimate == pytest.approx(np.mean(expected), rel=1e-12)


@pytest.mark.parametrize("metric", ["accuracy", "neg_brier_score_loss"])
def test_weighted_losses(data, weight, metric):
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
    for model, test in rounds(GaussianNB(), X, y, weight):
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
    model = next(rounds(GaussianNB(), X, y, weight))[0]
    first = np.average(loss(y[test], model, X[test]), weights=weight[test])
    assert found.rounds[0] == pytest.approx(1 - first if metric == "accuracy" else -first)


def test_round_whose_tested_rows_weigh_nothing_is_undefined(data):
    X, y = data
    weight = np.ones(80)
    _, test = next(BootstrapSplit(**SPLIT).split(X, y))
    weight[test] = 0
    given = {"scoring": "accuracy", "method": ".632", "sample_weight": weight, **SPLIT}
    with pytest.warns(UserWarning, match="zero everywhere"):
        found = bootstrap_score(GaussianNB(), X, y, **given)
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


def test_all_rounds_fail(data):
    with pytest.raises(ValueError, match=r"All 12 bootstrap fits(.|\n)*no mood to fit"):
        bootstrap_score(Moody(99), *data, scoring="accuracy", **SPLIT)
    with pytest.raises(RuntimeError, match="no mood to fit"):
        bootstrap_score(Moody(99), *data, scoring="accuracy", method=".632", **SPLIT)


RMS = json.loads(Path(__file__).parents[1].joinpath("data/optimism_values.json").read_text())


class GivenDraws(np.random.RandomState):
    """Draws that were written down."""

    def __init__(self, draws):
        super().__init__(0)
        self._rows = iter(np.asarray(draws))

    def randint(self, *args, **options):
        return next(self._rows)


def logistic():
    return LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)


@pytest.mark.parametrize(
    ("metric", "theirs", "sign"),
    [("calibration_slope", "Slope", 1), ("gini", "Dxy", 1), ("neg_brier_score", "B", -1)],
)
def test_agrees_with_rms_on_the_same_draws(metric, theirs, sign):
    # rms recalibrates a resample's model on the original rows before R2 is computed: not compared.
    found = bootstrap_score(
        logistic(), np.array(RMS["X"]), np.array(RMS["y"]), scoring=metric, method="optimism",
        n_splits=len(RMS["draws"]), random_state=GivenDraws(RMS["draws"]),
    )  # fmt: skip
    apparent, _, _, optimism, corrected = RMS[theirs]
    assert found.estimate == pytest.approx(sign * corrected, abs=2e-6)
    assert found.rounds.mean() == pytest.approx(sign * (apparent - optimism), abs=2e-6)
    greater = metric != "neg_brier_score"
    own = 1 - found.resubstitution_error if greater else -found.resubstitution_error
    assert own == pytest.approx(sign * apparent, abs=2e-6)


@pytest.mark.parametrize("error_score", [np.nan, 0.0])
def test_a_resample_of_one_class_is_left_out(error_score):
    X, y = np.arange(12.0)[:, None], np.array([1] + [0] * 11)
    with pytest.warns(Warning, match="bootstrap fits"):
        found = bootstrap_score(
            logistic(), X, y, scoring="roc_auc", method="optimism", n_splits=30, random_state=0,
            error_score=error_score,
        )  # fmt: skip
    lost = np.isnan(found.rounds).sum()
    assert 0 < lost < 30
    assert f"{lost} of them" in str(found)
    assert np.isfinite(found.estimate)


def test_percentiles_of_the_means_of_repetitions():
    scores = np.random.default_rng(0).random((40, 5))
    low, high = repetition_spread(scores.ravel(), n_folds=5, confidence_level=0.8)
    assert (low, high) == pytest.approx(tuple(np.quantile(scores.mean(axis=1), [0.1, 0.9])))
    assert repetition_spread([0.5, 0.7]) == pytest.approx((0.505, 0.695))
    assert repetition_spread([0.5, np.nan, 0.7, 0.7], n_folds=2) == pytest.approx((0.7, 0.7))
    assert np.isnan(repetition_spread([np.nan])).all()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"scores": [0.1] * 7, "n_folds": 2}, "multiple of n_folds=2"),
        ({"scores": [0.1], "n_folds": 0}, "n_folds must be"),
        ({"scores": [0.1], "confidence_level": 1.0}, "confidence_level"),
    ],
)
def test_what_is_refused(given, told):
    with pytest.raises(ValueError, match=told):
        repetition_spread(given.pop("scores"), **given)
