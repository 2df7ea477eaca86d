"""scorROC and probROC by their constructions; mean curves are means of heights."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from sklearn.metrics import auc

from skaucx import metrics as sm
from skaucx.metrics import (
    precision_recall_curve,
    prob_roc_curve,
    risk_coverage_curve,
    roc_curve,
    scor_roc_curve,
)
from skaucx.metrics.curves import _score_curves, cost_curve, mean_curve
from tests.closeness import rounding
from tests.datasets import binary

AREAS = {scor_roc_curve: sm.scor_auc_score, prob_roc_curve: sm.prob_auc_score}


Y, SCORE = binary.y, binary.score
weighing = pytest.mark.parametrize(
    "options", [{}, {"sample_weight": binary.weight}], ids=["plain", "weighted"]
)


@weighing
@pytest.mark.parametrize("curve", AREAS)
def test_areas_equal_the_metrics(curve, options):
    for scale, far in ((1, {}), (9, {"rescale": "minmax"})):
        area = curve(Y, scale * SCORE, **far, **options).area
        expected = AREAS[curve](Y, scale * SCORE, **far, **options)
        assert area == pytest.approx(expected, abs=1e-12)


@weighing
def test_scor_roc_is_the_auc_of_lowered_positives(options):
    shift, heights = scor_roc_curve(Y, SCORE, **options)
    assert (shift[0], shift[-1], heights[-1]) == (0, 1, 0)
    steps = np.diff(shift) > 1e-9
    middles = (shift[1:] + shift[:-1])[steps] / 2
    for tau, height in zip([0, *middles], [heights[0], *heights[1:][steps]], strict=True):
        expected = sm.roc_auc_score(Y, SCORE - tau * Y, **options)
        assert height == pytest.approx(expected, abs=rounding(len(Y)))


@weighing
def test_many_pairs_are_drawn_as_mean_steps(options, monkeypatch):
    exact = scor_roc_curve(Y, SCORE, **options)
    monkeypatch.setattr(_score_curves, "_PAIRS", 0)
    steps = scor_roc_curve(Y, SCORE, n_steps=40, **options)
    assert len(steps.shift) == 81
    assert steps.area == pytest.approx(exact.area, abs=1e-12)
    fine = np.linspace(0, 1, 40_001)[:-1] + 1 / 80_000
    at = np.searchsorted(exact.shift, fine, side="right") - 1
    expected = exact.auc[at].reshape(40, -1).mean(axis=1)
    np.testing.assert_allclose(steps.auc[1::2], expected, atol=2e-3)
    assert (np.diff(steps.auc) <= 1e-12).all()


def test_prob_roc_is_the_sweep_over_blurred_negatives():
    curve = prob_roc_curve(Y, SCORE, sample_weight=binary.weight)
    p, wp = SCORE[Y == 1], binary.weight[Y == 1]
    n, wn = SCORE[Y == 0], binary.weight[Y == 0]
    at, close = curve.thresholds, {"rtol": 0, "atol": rounding(len(Y))}
    assert (at[0], at[-1]) == (2, -1)
    blurred = [np.average(np.clip((n + 1 - t) / 2, 0, 1), weights=wn) for t in at]
    np.testing.assert_allclose(curve.fpr, blurred, **close)
    above = [np.average(p > t, weights=wp) for t in at[1:-1:2]]
    np.testing.assert_allclose(curve.tpr[1:-1:2], above, **close)
    reached = [np.average(p >= t, weights=wp) for t in at[2:-1:2]]
    np.testing.assert_allclose(curve.tpr[2:-1:2], reached, **close)


def made(make, seeds=range(4)):
    y = np.arange(80) % 2
    return [
        make(y, np.clip(np.random.default_rng(s).normal(0.4 + 0.2 * y, 0.2), 0, 1)) for s in seeds
    ]


def test_heights_are_averaged_at_the_same_rates():
    for make, n in ((roc_curve, 1001), (cost_curve, 101), (risk_coverage_curve, 101)):
        curves = made(make)
        mean = mean_curve(curves, n_points=n)
        heights = [c.tpr_at(mean.x) if make is roc_curve else c._heights(mean.x) for c in curves]
        np.testing.assert_allclose(mean.mean, np.mean(heights, axis=0), err_msg=make.__name__)
        np.testing.assert_allclose(mean.sd, np.std(heights, axis=0, ddof=1))
        area = np.mean([curve.area for curve in curves])
        assert mean.value == pytest.approx(area)
        assert auc(mean.x, mean.mean) == pytest.approx(area, abs=2e-3)


def test_precision_at_a_recall_is_that_of_the_highest_threshold_that_reaches_it():
    [curve] = made(precision_recall_curve, [1])
    mean = mean_curve([curve], n_points=101)
    for recall, precision in zip(mean.x, mean.mean, strict=True):
        assert precision == curve.precision[np.flatnonzero(curve.recall >= recall)[-1]]


def test_the_risk_between_two_thresholds_is_the_expected_one():
    """Of equally sure examples those that are accepted are drawn at random."""
    y, p = np.array([1, 1, 0, 1, 0]), np.array([0.9, 0.7, 0.7, 0.7, 0.6])
    curve = risk_coverage_curve(y, p)
    orders = [[0, *order, 4] for order in permutations([1, 2, 3])]
    for k in range(1, 6):
        expected = np.mean([np.mean(y[order[:k]] != 1) for order in orders])
        assert curve.at(k / 5) == pytest.approx(expected)
    assert curve.at(0) == curve.risk[0]
    np.testing.assert_array_equal(curve.at(curve.coverage), curve.risk)
