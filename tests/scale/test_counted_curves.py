"""Curves of rows in chunks: exact points, and curves below and above the one of the rows in memory."""

from __future__ import annotations

import numpy as np
import pytest

import skaucx.metrics as sx
from skaucx.scale import MetricAccumulator
from tests.closeness import rounding
from tests.scale.score_families import families

FAMILIES = [
    pytest.param(truth, score, id=name)
    for name, truth, score in families(np.random.default_rng(0), 3000, 0.2)
]
ORDINARY = FAMILIES[0].values


def counted(truth, score, max_cells, weight=None):
    counts = MetricAccumulator(max_cells=max_cells)
    for rows in np.array_split(np.random.default_rng(1).permutation(len(truth)), 5):
        own = None if weight is None else weight[rows]
        counts.update(truth[rows], y_score=score[rows], sample_weight=own)
    return counts


@pytest.mark.parametrize(("truth", "score"), FAMILIES)
def test_roc(truth, score):
    exact = sx.roc_curve(truth, score, drop_intermediate=False)
    curve = counted(truth, score, 60).curve(sx.roc_curve, drop_intermediate=False)
    points = set(zip(exact.fpr, exact.tpr, strict=True))
    assert set(zip(curve.fpr, curve.tpr, strict=True)) <= points
    for point in np.random.default_rng(2).integers(1, len(curve.fpr), 20):
        called = score >= curve.thresholds[point]
        assert curve.tpr[point] == called[truth].mean()
        assert curve.fpr[point] == called[~truth].mean()
    if curve.low is None:
        assert all(map(np.array_equal, curve, exact))
        return
    at = np.random.default_rng(3).random(500)
    low, true, high = (c.tpr_at(at) for c in (curve.low, exact, curve.high))
    assert (low <= true + 1e-12).all()
    assert (true <= high + 1e-12).all()
    assert curve.low.area <= exact.area <= curve.high.area
    assert curve.low.area < curve.area < curve.high.area or exact.area == 1


@pytest.mark.parametrize(("truth", "score"), FAMILIES)
def test_precision_recall(truth, score):
    exact = sx.precision_recall_curve(truth, score)
    curve = counted(truth, score, 60).curve(sx.precision_recall_curve)
    points = set(zip(exact.precision, exact.recall, strict=True))
    assert set(zip(curve.precision, curve.recall, strict=True)) <= points
    if curve.low is None:
        assert all(map(np.array_equal, curve, exact))
        return
    # Between the cells' ends, where no curve stands upright.
    inside = ~np.isin(exact.recall, curve.recall)
    at, true = exact.recall[inside], exact.precision[inside]
    low, high = (np.interp(at, c.recall[::-1], c.precision[::-1]) for c in (curve.low, curve.high))
    assert (low <= true + 1e-12).all()
    assert (true <= high + 1e-12).all()


def test_while_the_scores_fit_curves_are_those_in_memory():
    truth, score = ORDINARY
    weight = np.random.default_rng(4).exponential(size=len(truth))
    for curve, options in (
        (sx.roc_curve, {}),
        (sx.precision_recall_curve, {"drop_intermediate": True}),
        (sx.curves.cost_curve, {}),
        (sx.decision_curve, {}),
        (sx.curves.brier_curve, {}),
        (sx.prob_roc_curve, {}),
    ):
        for own in (None, weight):
            parts = (iter(np.array_split(a, 4)) for a in (truth, score))
            chunked = {} if own is None else {"sample_weight": iter(np.array_split(own, 4))}
            found = curve(*parts, **options, **chunked)
            wanted = curve(truth, score, sample_weight=own, **options)
            for ours, theirs in zip(found, wanted, strict=True):
                np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=rounding())
    found = sx.threshold_curves(iter([truth]), iter([score]), ["f1", "recall"])
    assert found.best("f1") == sx.threshold_curves(truth, score, ["f1", "recall"]).best("f1")


def test_the_positive_class_and_what_is_refused():
    truth, score = ORDINARY
    label = np.where(truth, "ill", "well")
    counts = counted(label, score, 50)
    curve = counts.curve(sx.roc_curve, pos_label="ill")
    assert set(curve.tpr) <= set(sx.roc_curve(truth, score, drop_intermediate=False).tpr)
    with pytest.raises(ValueError, match="pos_label"):
        counts.curve(sx.roc_curve)
    with pytest.raises(ValueError, match="probROC needs score values, but only cells"):
        counts.curve(sx.prob_roc_curve, pos_label="ill")
    with pytest.raises(ValueError, match="needs y_score"):
        MetricAccumulator().update(label, label).curve(sx.roc_curve)
    matrix = MetricAccumulator().update([0, 1, 2], y_score=np.eye(3))
    with pytest.raises(ValueError, match="found 3 columns"):
        matrix.curve(sx.roc_curve)
    with pytest.raises(ValueError, match=r"chunk 1: .*NaN"):
        sx.roc_curve(iter([[0, 1], [0, 1]]), iter([[0.1, 0.2], [np.nan, 0.3]]))
    with pytest.raises(TypeError, match=r"iterator.* rows in chunks"):
        sx.risk_coverage_curve(iter([truth]), iter([score]))
