"""Metrics of all columns at once: D2 scores, top-k accuracy, hinge loss, ordered classes."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import LinearSVC

import skaucx.metrics as sm
from skaucx import inference
from skaucx.metrics._registry.names import named_metric
from tests.closeness import rounding


def drawn(classes, n=80, seed=0):
    rng = np.random.default_rng([classes, seed])
    y = np.append(np.arange(classes), rng.integers(0, classes, n - classes))
    score = rng.normal(size=(n, classes)) + 2 * np.eye(classes)[y]
    p = np.exp(score) / np.exp(score).sum(axis=1, keepdims=True)
    return (y, score, p) if classes > 2 else (y, score[:, 1] - score[:, 0], p[:, 1])


@pytest.mark.parametrize("loss", ["brier", "log"])
def test_d2_is_the_loss_in_units_of_the_uncertainty(loss):
    y, _, p = drawn(2)
    weight = np.random.default_rng(1).uniform(0.1, 2, len(y))
    of_p = {"brier": sm.brier_score_loss, "log": sm.log_loss}[loss](y, p, sample_weight=weight)
    unc = sm.uncertainty_component(y, p, loss=loss, sample_weight=weight)
    d2 = {"brier": sm.d2_brier_score, "log": sm.d2_log_loss_score}[loss]
    assert d2(y, p, sample_weight=weight) == pytest.approx(1 - of_p / unc, rel=1e-12)
    shares = np.full(len(y), np.average(y, weights=weight))
    assert d2(y, shares, sample_weight=weight) == pytest.approx(0, abs=rounding(len(y)))


def test_hinge_of_two_columns_is_that_of_their_difference():
    y, score, _ = drawn(2)
    both = np.column_stack([-score, score]) / 2
    assert sm.hinge_loss(y, both) == pytest.approx(sm.hinge_loss(y, score), rel=1e-12)


@pytest.mark.parametrize(
    "score", [[1.5, 0.2, 0.4, 0.9], [0.9, 0.2, 0.4, 0.6], [-0.1, 0.2, 0.4, 0.6]]
)
def test_top_k_is_the_mean_over_rows_of_any_range(score):
    """Scores within [0, 1] are cut at 1/2, others at 0, for the metric and for each row."""
    for k in (1, 2):
        each = inference.example_losses("top_k_accuracy", [1, 1, 1, 0], score, k=k)
        assert each.mean() == sm.top_k_accuracy_score([1, 1, 1, 0], score, k=k)


@pytest.mark.parametrize("name", ["d2_brier", "d2_log_loss", "top_k_accuracy", "hinge_loss"])
@pytest.mark.parametrize("classes", [2, 4])
def test_intervals_tests_and_replicates(name, classes):
    y, score, p = drawn(classes)
    other = score if name in ("hinge_loss", "top_k_accuracy") else p
    own = {"k": 1} if name == "top_k_accuracy" else {}
    weight = np.random.default_rng(2).uniform(0.1, 2, len(y))
    for w in (None, weight):
        settings = {"n_resamples": 200, "random_state": 0, "sample_weight": w, **own}
        found = inference.interval(name, y, other, method="percentile", **settings)
        assert found.low < found.estimate < found.high
        turned = np.roll(other, 1, axis=0)
        gap = inference.paired_test(name, y, other, turned, **settings, method="bootstrap")
        assert gap.estimates[0] == pytest.approx(found.estimate)
        assert gap.p_value < 0.05
    # The jackknife leaves out one row at a time, by weights; here by hand.
    error = inference.jackknife(name, y, other, **own).standard_error
    function = named_metric(name).function
    labels = np.arange(classes)
    left = [
        function(np.delete(y, i), np.delete(other, i, axis=0), labels=labels, **own)
        for i in range(len(y))
    ]
    spread = np.sqrt((len(y) - 1) / len(y) * np.sum((left - np.mean(left)) ** 2))
    assert error == pytest.approx(spread, rel=1e-9)


def test_scorers_judge_decision_functions():
    y, score, _ = drawn(4)
    model = LinearSVC().fit(score, y)
    found = sm.one_pass_scorer(["neg_hinge_loss", "top_k_accuracy"])(model, score, y)
    decision = model.decision_function(score)
    assert found["neg_hinge_loss"] == -sm.hinge_loss(y, decision)
    assert found["top_k_accuracy"] == sm.top_k_accuracy_score(y, decision)


class TestMacroAveragedMeanAbsoluteError:
    def test_imbalanced_learn(self):
        """imbalanced-learn 0.14, macro_averaged_mean_absolute_error."""
        rng = np.random.default_rng(0)
        y = rng.choice(5, 60, p=[0.4, 0.3, 0.15, 0.1, 0.05])
        pred, w = np.clip(y + rng.integers(-2, 3, 60), 0, 4), rng.random(60)
        assert set(y) == set(range(5))
        metric = sm.imbalance.macro_averaged_mean_absolute_error
        assert metric(y, pred) == pytest.approx(0.8152352941176471, rel=rounding(60))
        assert metric(y, pred, sample_weight=w) == pytest.approx(
            0.7938142996375366, rel=rounding(60)
        )
        assert metric([1, 2, 2, 2], [1, 2, 1, 2]) == pytest.approx(1 / 6)

    def test_order_of_labels_and_classes_without_examples(self):
        metric, order = sm.imbalance.macro_averaged_mean_absolute_error, ["low", "mid", "high"]
        assert metric(["low", "high"], ["high", "high"], labels=order) == 1
        assert metric([0, 0, 2], [0, 1, 2]) == pytest.approx(0.25)  # 1 is predicted only
        assert metric([0, 2], [2, 2]) == 0.5  # neighbours among the classes that occur
        assert metric([0, 2], [2, 2], labels=[0, 1, 2]) == 1
        found = inference.interval(metric, [0, 1, 2, 2] * 20, [0, 1, 1, 2] * 20, random_state=0)
        assert found.low < found.estimate < found.high
        assert found.estimate == pytest.approx(1 / 6)


class TestRankedProbabilityScore:
    @pytest.mark.recipes
    def test_scoringrules(self):
        scoringrules = pytest.importorskip("scoringrules")
        for seed in range(20):
            rng = np.random.default_rng(seed)
            classes = int(rng.integers(3, 8))
            y, p = rng.integers(0, classes, 50), rng.dirichlet(np.ones(classes), 50)
            w = rng.random(50)
            theirs = scoringrules.rps_score(y + 1, p) / (classes - 1)
            found = sm.ranked_probability_score_loss(y, p, labels=range(classes), sample_weight=w)
            assert found == pytest.approx(np.average(theirs, weights=w), rel=1e-12)

    def test_of_two_classes_it_is_the_brier_score(self):
        rng = np.random.default_rng(0)
        y, p = rng.integers(0, 2, 50), rng.random(50)
        found = sm.ranked_probability_score_loss(y, p)
        assert found == pytest.approx(sm.brier_score_loss(y, p), rel=rounding(50))
