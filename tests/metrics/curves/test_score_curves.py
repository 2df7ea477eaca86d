"""scorROC and probROC: their constructions point by point, and areas that equal the metrics."""

from __future__ import annotations

import numpy as np
import pytest

from skaucx import metrics as sm
from skaucx.metrics import prob_roc_curve, scor_roc_curve
from skaucx.metrics.curves import _score_curves
from tests.closeness import rounding


def sample(n=60, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return y, np.clip(rng.normal(0.4, 0.2, n) + 0.2 * y, 0, 1).round(2), rng.uniform(0.1, 3, n)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("curve", [scor_roc_curve, prob_roc_curve])
def test_areas_equal_the_metrics(curve, weighted):
    y, score, weight = sample()
    metric = {scor_roc_curve: sm.scor_auc_score, prob_roc_curve: sm.prob_auc_score}[curve]
    options = {"sample_weight": weight if weighted else None}
    assert curve(y, score, **options).area == pytest.approx(metric(y, score, **options), abs=1e-12)
    far = {"rescale": "minmax", **options}
    assert curve(y, 9 * score, **far).area == pytest.approx(metric(y, 9 * score, **far), abs=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_scor_roc_is_the_auc_of_lowered_positives(weighted):
    y, score, weight = sample(seed=3)
    options = {"sample_weight": weight if weighted else None}
    shift, auc = scor_roc_curve(y, score, **options)
    assert (shift[0], shift[-1]) == (0, 1)
    assert auc[0] == pytest.approx(sm.roc_auc_score(y, score, **options), abs=rounding(len(y)))
    assert auc[-1] == 0
    middles = (shift[1:] + shift[:-1])[np.diff(shift) > 1e-9] / 2
    heights = auc[1:][np.diff(shift) > 1e-9]
    for tau, height in zip(middles, heights, strict=True):
        expected = sm.roc_auc_score(y, score - tau * y, **options)
        assert height == pytest.approx(expected, abs=rounding(len(y)))


@pytest.mark.parametrize("weighted", [False, True])
def test_many_pairs_are_drawn_as_mean_steps(weighted, monkeypatch):
    y, score, weight = sample(200, seed=5)
    options = {"sample_weight": weight if weighted else None}
    exact = scor_roc_curve(y, score, **options)
    monkeypatch.setattr(_score_curves, "_PAIRS", 0)
    steps = scor_roc_curve(y, score, n_steps=40, **options)
    assert len(steps.shift) == 81
    assert steps.area == pytest.approx(exact.area, abs=1e-12)
    fine = np.linspace(0, 1, 40_001)[:-1] + 1 / 80_000
    at = np.searchsorted(exact.shift, fine, side="right") - 1
    expected = exact.auc[at].reshape(40, -1).mean(axis=1)
    np.testing.assert_allclose(steps.auc[1::2], expected, atol=2e-3)
    assert (np.diff(steps.auc) <= 1e-12).all()


def test_prob_roc_is_the_sweep_over_blurred_negatives():
    y, score, weight = sample(seed=7)
    curve = prob_roc_curve(y, score, sample_weight=weight)
    p, wp, n, wn = score[y == 1], weight[y == 1], score[y == 0], weight[y == 0]
    assert (curve.thresholds[0], curve.thresholds[-1]) == (2, -1)
    for t, fpr in zip(curve.thresholds, curve.fpr, strict=True):
        assert fpr == pytest.approx(
            np.average(np.clip((n + 1 - t) / 2, 0, 1), weights=wn), abs=rounding(len(y))
        )
    above = [np.average(p > t, weights=wp) for t in curve.thresholds[1:-1:2]]
    np.testing.assert_allclose(curve.tpr[1:-1:2], above, atol=rounding(len(y)))
    at = [np.average(p >= t, weights=wp) for t in curve.thresholds[2:-1:2]]
    np.testing.assert_allclose(curve.tpr[2:-1:2], at, atol=rounding(len(y)))


@pytest.mark.parametrize("curve", [scor_roc_curve, prob_roc_curve])
@pytest.mark.parametrize(
    ("y", "score", "options", "says"),
    [
        ([0, 1], [0.2, 1.2], {}, "needs them in \\[0, 1\\]"),
        ([1, 1], [0.2, 0.3], {}, "one class only"),
        ([0, 1], [0.2, 0.3], {"rescale": "log"}, "rescale must be one of"),
        ([0, 1], [0.2, 0.3], {"n_steps": 0}, r"n_steps .*>= 1"),
    ],
)
def test_refusals(curve, y, score, options, says):
    curve = scor_roc_curve if "n_steps" in options else curve
    with pytest.raises(ValueError, match=says):
        curve(y, score, **options)
