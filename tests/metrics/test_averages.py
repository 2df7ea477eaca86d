"""Averages over classes and over pairs of classes; metrics of all columns at once."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.svm import LinearSVC

import skaucx.metrics as sm
from skaucx.evaluation import evaluate
from skaucx.inference import example_losses, interval, jackknife, paired_test
from skaucx.metrics._registry.names import named_metric
from skaucx.metrics._registry.row import Metric
from tests.closeness import rounding
from tests.datasets import binary, classes, labels
from tests.each import each

Y, P = classes.y, classes.score


@each("call", [
    lambda **how: sm.f1_score(Y, classes.pred, **how),
    lambda **how: sm.f1_score(labels.y, labels.pred, **how),
    lambda **how: sm.roc_auc_score(Y, P, multi_class="ovr", **how),
    lambda **how: sm.roc_auc_score(labels.y, labels.score, **how),
    lambda **how: interval("f1", Y, classes.pred, **how),
    lambda **how: evaluate(Y, classes.pred, metrics=["f1"], **how),
])  # fmt: skip
def test_an_average_that_is_not_in_the_table_raises(call):
    with pytest.raises(ValueError, match=r"average.*middle"):
        call(average="middle")


# ---- all pairs of classes at once ----


@pytest.mark.parametrize("weight", [None, classes.weight + 0.1], ids=["plain", "weighted"])
@pytest.mark.parametrize("decimals", [1, 15], ids=["tied", "distinct"])
@pytest.mark.parametrize("metric", [sm.roc_auc_score, sm.gini_score, sm.mm4_auc_score])
def test_all_pairs_at_once_are_one_by_one(metric, decimals, weight, monkeypatch):
    for average in ("macro", "weighted"):
        asked = {"multi_class": "ovo", "average": average, "sample_weight": weight}
        with monkeypatch.context() as patch:
            at_once = metric(Y, P.round(decimals), **asked)
            patch.setattr(Metric, "averages_pairs", lambda *given: False)
            one_by_one = metric(Y, P.round(decimals), **asked)
        assert at_once == pytest.approx(one_by_one, rel=rounding(len(Y)))


def test_a_formula_that_reads_curves_goes_pair_by_pair():
    whole = sm.roc_auc_score(Y, P, multi_class="ovo")
    assert sm.roc_auc_score(Y, P, multi_class="ovo", max_fpr=1.0) == whole
    assert 0.5 < sm.roc_auc_score(Y, P, multi_class="ovo", max_fpr=0.3) < whole


def test_a_class_without_examples_is_undefined_and_named():
    kept = Y != "cat"
    with pytest.warns(UndefinedMetricWarning, match="cat"):
        found = sm.roc_auc_score(Y[kept], P[kept], multi_class="ovo", labels=np.unique(Y))
    assert np.isnan(found)


# ---- all columns at once: D2 scores, top-k accuracy, hinge loss, ordered classes ----


@each("loss, function, d2", [
    ("brier", sm.brier_score_loss, sm.d2_brier_score), ("log", sm.log_loss, sm.d2_log_loss_score),
])  # fmt: skip
def test_d2_is_the_loss_in_units_of_the_uncertainty(loss, function, d2):
    y, p, weight = binary.y, binary.score, {"sample_weight": binary.weight}
    uncertainty = sm.uncertainty_component(y, p, loss=loss, **weight)
    assert d2(y, p, **weight) == pytest.approx(
        1 - function(y, p, **weight) / uncertainty, rel=1e-12
    )
    shares = np.full(len(y), np.average(y, weights=binary.weight))
    assert d2(y, shares, **weight) == pytest.approx(0, abs=rounding(len(y)))


def test_hinge_of_two_columns_is_that_of_their_difference():
    y, score = binary.y, 4 * binary.score - 2
    both = np.column_stack([-score, score]) / 2
    assert sm.hinge_loss(y, both) == pytest.approx(sm.hinge_loss(y, score), rel=1e-12)


@each("score", [[1.5, 0.2, 0.4, 0.9], [0.9, 0.2, 0.4, 0.6], [-0.1, 0.2, 0.4, 0.6]])
@each("k", [1, 2])
def test_top_k_is_the_mean_over_rows_of_any_range(score, k):
    """Scores within [0, 1] are cut at 1/2, others at 0, for the metric and for each row."""
    losses = example_losses("top_k_accuracy", [1, 1, 1, 0], score, k=k)
    assert losses.mean() == sm.top_k_accuracy_score([1, 1, 1, 0], score, k=k)


@pytest.mark.parametrize("name", ["d2_brier", "d2_log_loss", "top_k_accuracy", "hinge_loss"])
@pytest.mark.parametrize("data", [binary, classes], ids=["two", "three"])
def test_intervals_tests_and_replicates(name, data):
    y, other, own = data.y, np.clip(data.score, 0.01, 0.99), {}
    if data is classes:
        other = other / other.sum(axis=1, keepdims=True)
    if name == "hinge_loss":
        other = 4 * other - 2
    if name == "top_k_accuracy":
        own = {"k": 1}
    for weight in (None, data.weight):
        settings = {"n_resamples": 200, "random_state": 0, "sample_weight": weight, **own}
        found = interval(name, y, other, method="percentile", **settings)
        assert found.low < found.estimate < found.high
        turned = np.roll(other, 1, axis=0)
        gap = paired_test(name, y, other, turned, **settings, method="bootstrap")
        assert gap.estimates[0] == pytest.approx(found.estimate)
        assert gap.p_value < 0.05
    # The jackknife leaves out one row at a time, by weights; here by hand.
    function, n = named_metric(name).function, len(y)
    kept = [np.arange(n) != i for i in range(n)]
    left = [function(y[k], other[k], labels=np.unique(y), **own) for k in kept]
    error = jackknife(name, y, other, **own).standard_error
    assert error == pytest.approx(np.std(left) * np.sqrt(n - 1), rel=1e-9)


def test_scorers_judge_decision_functions():
    model = LinearSVC().fit(classes.X, Y)
    found = sm.one_pass_scorer(["neg_hinge_loss", "top_k_accuracy"])(model, classes.X, Y)
    decision = model.decision_function(classes.X)
    assert found["neg_hinge_loss"] == -sm.hinge_loss(Y, decision)
    assert found["top_k_accuracy"] == sm.top_k_accuracy_score(Y, decision)


MEAN_ERROR = sm.imbalance.macro_averaged_mean_absolute_error


def test_macro_averaged_error_of_imbalanced_learn():
    """imbalanced-learn 0.14, macro_averaged_mean_absolute_error."""
    rng = np.random.default_rng(0)
    y = rng.choice(5, 60, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    pred, w = np.clip(y + rng.integers(-2, 3, 60), 0, 4), rng.random(60)
    assert MEAN_ERROR(y, pred) == pytest.approx(0.8152352941176471, rel=rounding(60))
    weighted = MEAN_ERROR(y, pred, sample_weight=w)
    assert weighted == pytest.approx(0.7938142996375366, rel=rounding(60))
    assert MEAN_ERROR([1, 2, 2, 2], [1, 2, 1, 2]) == pytest.approx(1 / 6)


def test_macro_averaged_error_of_the_order_of_labels_and_classes_without_examples():
    for y, pred, order, value in (
        (["low", "high"], ["high", "high"], ["low", "mid", "high"], 1),
        ([0, 0, 2], [0, 1, 2], None, 0.25),  # 1 is predicted only
        ([0, 2], [2, 2], None, 0.5),  # neighbours among the classes that occur
        ([0, 2], [2, 2], [0, 1, 2], 1),
    ):
        assert MEAN_ERROR(y, pred, labels=order) == pytest.approx(value)
    found = interval(MEAN_ERROR, [0, 1, 2, 2] * 20, [0, 1, 1, 2] * 20, random_state=0)
    assert found.low < found.estimate < found.high
    assert found.estimate == pytest.approx(1 / 6)


@pytest.mark.recipes
def test_ranked_probability_score_of_scoringrules():
    scoringrules = pytest.importorskip("scoringrules")
    for seed in range(20):
        rng = np.random.default_rng(seed)
        k = int(rng.integers(3, 8))
        y, p, w = rng.integers(0, k, 50), rng.dirichlet(np.ones(k), 50), rng.random(50)
        theirs = np.average(scoringrules.rps_score(y + 1, p) / (k - 1), weights=w)
        found = sm.ranked_probability_score_loss(y, p, labels=range(k), sample_weight=w)
        assert found == pytest.approx(theirs, rel=1e-12)


def test_ranked_probability_score_of_two_classes_is_the_brier_score():
    found = sm.ranked_probability_score_loss(binary.y, binary.score)
    brier = sm.brier_score_loss(binary.y, binary.score)
    assert found == pytest.approx(brier, rel=rounding(60))
