"""What single examples contribute: placement values, losses, the gradient of softAUC."""

from __future__ import annotations

import numpy as np
import pytest

from skaucx import metrics as sm
from skaucx.inference import example_losses, interval, placement_values, soft_auc_gradient

PAIR_MEANS = ("prob", "scor", "sond", "soft", "mm11")
RNG = np.random.default_rng(3)
TRUTH = np.where(RNG.random(60) < 0.4, "ill", "well")
SCORE = RNG.random(60).round(2)


def test_the_metrics_with_placements_are_those_whose_difference_function_reads_only_d():
    rows = {row.name: row for row in sm.list_metrics()}
    found = {n for n, row in rows.items() if row.averages_pairs({"difference": np.sign})}
    assert found == {"roc_auc", "gini", "pairwise_auc", *(f"{n}_auc" for n in PAIR_MEANS)}
    for rescale, told in (("minmax", True), ("expit", False)):
        asked = {"rescale": rescale, "n_resamples": 20, "random_state": 0, "pos_label": "ill"}
        found = interval("scor_auc", TRUTH, SCORE, **asked)
        assert ("lowest and the highest scores" in found.note) is told


@pytest.mark.parametrize("metric", ["roc_auc", *(f"{name}_auc" for name in PAIR_MEANS)])
def test_placement_values_by_the_pairs(metric):
    values = placement_values(TRUTH, SCORE, metric=metric, pos_label="ill")
    expected = sm.get_scorer(metric)._score_func(TRUTH, SCORE, pos_label="ill")
    assert values.of_positives.mean() == pytest.approx(expected, abs=1e-12)
    assert values.of_negatives.mean() == pytest.approx(expected, abs=1e-12)
    if metric == "roc_auc":
        p, n = SCORE[TRUTH == "ill"], SCORE[TRUTH == "well"]
        wins = (p[:, None] > n) + (p[:, None] == n) / 2
        assert values.partial_sums == pytest.approx(wins.sum(axis=1))
        assert values.of_negatives == pytest.approx(wins.mean(axis=0))


def test_gradient_is_the_difference_quotient():
    for beta in (0.5, 7.0, 40.0):
        found = soft_auc_gradient(TRUTH, SCORE, beta=beta, pos_label="ill")
        assert found.sum() == pytest.approx(0, abs=1e-12)
        for row in range(0, 60, 7):
            step = np.where(np.arange(60) == row, 1e-5, 0)
            high, low = (
                sm.soft_auc_score(TRUTH, SCORE + sign * step, beta=beta, pos_label="ill")
                for sign in (1, -1)
            )
            assert found[row] == pytest.approx((high - low) / 2e-5, abs=1e-7)


def test_gradient_of_many_rows_is_that_of_the_pairs():
    y, s = RNG.random(3000) < 0.3, RNG.normal(size=3000)
    found = soft_auc_gradient(y, s, beta=3.0)
    d = np.subtract.outer(s[y], s[~y])
    slope = 3 / (1 + np.exp(-3 * d)) / (1 + np.exp(3 * d)) / d.size
    assert np.abs(found[y] - slope.sum(axis=1)).max() < 1e-12 * slope.sum(axis=1).max()
    assert np.abs(found[~y] + slope.sum(axis=0)).max() < 1e-12 * slope.sum(axis=0).max()


def test_losses_of_each_example():
    p = RNG.random(60)
    y = 1 * (TRUTH == "ill")
    assert example_losses("brier_score_loss", y, p) == pytest.approx((p - y) ** 2)
    log = example_losses("neg_log_loss", y, p)
    assert log == pytest.approx(-np.log(np.where(y, p, 1 - p)))
    assert log.mean() == pytest.approx(sm.log_loss(y, p))


def test_what_is_refused():
    with pytest.raises(ValueError, match="mm7_auc is no mean over pairs"):
        placement_values(TRUTH, SCORE, metric="mm7_auc", pos_label="ill")
    with pytest.raises(ValueError, match="roc_auc is no mean over examples"):
        example_losses("roc_auc", [0, 1], [0.1, 0.2])
    with pytest.raises(ValueError, match="both classes"):
        soft_auc_gradient([1, 1], [0.1, 0.2])
    with pytest.raises(ValueError, match="beta must be"):
        soft_auc_gradient([1, 0], [0.1, 0.2], beta=0)
    with pytest.raises(ValueError, match="pos_label"):
        placement_values(TRUTH, SCORE)
