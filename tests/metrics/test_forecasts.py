"""Scores of ordered classes: against imbalanced-learn, scoringrules and loops."""

from __future__ import annotations

import numpy as np
import pytest

import skaucx.metrics as sm
from skaucx import inference
from tests.closeness import rounding


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
