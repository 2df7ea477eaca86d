"""One classifier against chance and against a known rate; SciPy is the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats
from sklearn.metrics import roc_auc_score

from skaucx import metrics
from skaucx.inference import permutation_test

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1], [18, 12])
SCORE = RNG.normal(size=30) + 0.8 * Y
SETTINGS = {"n_resamples": 3000, "random_state": 0}


def test_auc_against_chance_is_the_test_of_mann_and_whitney():
    found = permutation_test("roc_auc", Y, SCORE, **SETTINGS)
    exact = stats.mannwhitneyu(SCORE[Y == 1], SCORE[Y == 0], alternative="greater", method="exact")
    assert found.p_value == pytest.approx(exact.pvalue, abs=0.01)
    less = permutation_test("roc_auc", Y, SCORE, alternative="less", **SETTINGS)
    assert less.p_value == pytest.approx(1 - exact.pvalue, abs=0.01)
    assert found.estimates[1] == pytest.approx(0.5, abs=0.01)
    assert found.standard_error == pytest.approx(np.sqrt(31 / (12 * 18 * 12)), rel=0.05)


def test_accuracy_against_chance_is_fishers_test():
    pred = SCORE > 0.4
    found = permutation_test("accuracy", Y, pred * 1, **SETTINGS)
    table = [[np.sum((i == Y) & (pred == j)) for j in (0, 1)] for i in (0, 1)]
    assert found.p_value == pytest.approx(stats.fisher_exact(table, "greater").pvalue, abs=0.015)


@pytest.mark.parametrize("metric", ["scor_auc", "f1"])
def test_a_plain_function_has_the_same_law(metric):
    given = (SCORE > 0.4) * 1 if metric == "f1" else special.expit(SCORE)
    ours = permutation_test(metric, Y, given, **SETTINGS)
    function = getattr(metrics, f"{metric}_score")
    plain = permutation_test(lambda y, p: function(y, p), Y, given, n_resamples=400, random_state=1)
    assert plain.statistic == pytest.approx(ours.statistic, rel=1e-12)
    assert plain.estimates[1] == pytest.approx(ours.estimates[1], abs=0.02)
    assert plain.standard_error == pytest.approx(ours.standard_error, rel=0.15)


def test_labels_of_any_kind_and_sides():
    words = np.array(["no", "yes"])[Y]
    less = permutation_test("roc_auc", words, SCORE, pos_label="no", alternative="less", **SETTINGS)
    assert less.statistic == pytest.approx(1 - roc_auc_score(Y, SCORE))
    assert less.p_value < 0.1
    both = permutation_test("roc_auc", Y, SCORE, alternative="two-sided", **SETTINGS)
    one = permutation_test("roc_auc", Y, SCORE, **SETTINGS)
    assert one.p_value <= both.p_value < 0.01
    three = np.arange(30) % 3
    assert permutation_test("accuracy", three, three, n_resamples=200).p_value == 1 / 201


def test_two_shuffles_are_enough_and_one_is_not():
    found = permutation_test("roc_auc", Y, SCORE, n_resamples=2, random_state=0)
    assert found.p_value in (1 / 3, 2 / 3, 1)
    with pytest.raises(ValueError, match="n_resamples"):
        permutation_test("roc_auc", Y, SCORE, n_resamples=1)
