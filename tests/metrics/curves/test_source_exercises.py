"""What lectures draw by hand of curves: fronts, mirror images, points at thresholds, models."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate

from skaucx import displays
from skaucx import metrics as sm
from skaucx.metrics import precision_recall_curve, roc_curve
from skaucx.metrics.curves import DensityModel, RocCurve, compare_fronts, compare_hulls
from tests.closeness import rounding

RNG = np.random.default_rng(7)
y_true, scores = RNG.integers(0, 2, 200), RNG.normal(size=200).round(1)


def test_pareto_front_is_what_no_other_point_beats():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        curve = RocCurve.from_points(*rng.integers(0, 8, (2, 12)) / 7)
        points = np.column_stack([curve.fpr, curve.tpr])
        kept = [
            not any(
                (q[0] <= p[0] and q[1] >= p[1]) and (q[0] < p[0] or q[1] > p[1]) for q in points
            )
            for p in points
        ]
        corners = [{*p} <= {0, 1} and p[0] == p[1] for p in points]
        kept = np.array(kept) & ~np.array(corners)
        front = curve.pareto_front()
        assert front.fpr.tolist() == curve.fpr[kept].tolist()
        assert front.tpr.tolist() == curve.tpr[kept].tolist()
        vertices = {*zip(*curve.hull()[:2], strict=True)}
        # (0, 0) and (1, 1) are of every curve, and no point that was measured.
        assert vertices - {(0, 0), (1, 1)} <= {*zip(front.fpr, front.tpr, strict=True)}
    of_scores = roc_curve(y_true, scores).pareto_front()
    fpr, tpr = roc_curve(y_true, scores).at(of_scores.thresholds)
    assert fpr.tolist() == of_scores.fpr.tolist()
    assert tpr.tolist() == of_scores.tpr.tolist()


def test_negated_is_the_curve_of_negated_scores():
    curve, negated = roc_curve(y_true, scores), roc_curve(y_true, -scores)
    mirrored = curve.negated()
    assert mirrored.area == pytest.approx(1 - curve.area) == pytest.approx(negated.area)
    np.testing.assert_allclose(mirrored.fpr, negated.fpr, atol=rounding(1))
    np.testing.assert_allclose(mirrored.tpr, negated.tpr, atol=rounding(1))
    assert mirrored.negated().tpr == pytest.approx(curve.tpr)
    # Above a threshold of the negated scores lies what did not reach the old one.
    assert mirrored.thresholds[0] == np.inf
    for place in range(len(mirrored.fpr)):
        called = -scores >= mirrored.thresholds[place]
        assert called[y_true == 0].mean() == pytest.approx(mirrored.fpr[place])
        assert called[y_true == 1].mean() == pytest.approx(mirrored.tpr[place])


def test_a_repaired_curve_is_that_of_scores_reversed_within_each_concavity():
    """Flach and Wu 2005: the order is reversed between the vertices of the hull, nowhere else."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        y, s = rng.integers(0, 2, 60), rng.normal(size=60).round(1)
        curve = roc_curve(y, s)
        starts = np.unique(curve.hull().thresholds[1:])  # of the blocks, rising
        block = np.searchsorted(starts, s, side="right")
        reversed_order = roc_curve(y, 1000 * block - s, drop_intermediate=False)
        repaired = roc_curve(y, s, drop_intermediate=False).repaired()
        np.testing.assert_allclose(repaired.fpr, reversed_order.fpr, atol=1e-12)
        np.testing.assert_allclose(repaired.tpr, reversed_order.tpr, atol=1e-12)
        area = sm.hull_auc_score(y, s, repair="mirror")
        assert curve.repaired().area == pytest.approx(area, abs=1e-12)
        whole = ~np.isnan(repaired.thresholds)  # the vertices of the hull keep theirs
        fpr, tpr = curve.at(repaired.thresholds[whole])
        np.testing.assert_allclose((fpr, tpr), (repaired.fpr[whole], repaired.tpr[whole]))
        assert repaired.hull().area >= curve.hull().area - 1e-12
    measured = RocCurve.from_points([0.2, 0.4, 0.5], [0.4, 0.1, 0.7])
    repaired = measured.repaired()
    assert repaired.area == pytest.approx(2 * measured.hull().area - measured.area)
    assert (np.diff(repaired.fpr) >= 0).all()


def test_fronts_are_compared_as_fronts():
    """Two radar operators: the hull of B covers that of A, two points of whose front B never reaches."""
    a = RocCurve.from_points([0.20, 0.25, 0.40, 0.70, 0.90], [0.20, 0.30, 0.60, 0.80, 0.85])
    b = RocCurve.from_points([0.10, 0.20, 0.50, 0.95], [0.15, 0.40, 0.80, 0.95])
    assert compare_hulls(a, b).covering == "second"
    found = compare_fronts(a, b)
    assert found.covering is None
    np.testing.assert_array_equal(found.first, [[0.4, 0.5], [0.9, 0.95]])
    np.testing.assert_array_equal(found.second, [[0.1, 0.4], [0.5, 0.7], [0.95, 1]])
    assert compare_fronts(a, a).covering == "both"
    front = a.pareto_front()
    assert front.tpr_at([0.1, 0.2, 0.3, 1]).tolist() == [0, 0.2, 0.3, 0.85]
    stairs = integrate.quad(front.tpr_at, 0, 1, points=front.fpr)[0]
    assert front.area == pytest.approx(stairs)
    for bad, kind in ((None, TypeError), (roc_curve_of_one_class(), ValueError)):
        with pytest.raises(kind, match="second"):
            compare_fronts(a, bad)


def roc_curve_of_one_class():
    return RocCurve(np.array([0.0, 1.0]), np.full(2, np.nan), np.full(2, np.nan))


def test_points_at_many_thresholds():
    wanted = np.array([[3.0, 0.55], [-0.2, -9.0]])
    fpr, tpr = roc_curve(y_true, scores, drop_intermediate=False).at(wanted)
    precision, recall = precision_recall_curve(y_true, scores).at(wanted)
    counts = sm.threshold_curves(y_true, scores, ["recall"]).counts_at(wanted)
    assert fpr.shape == precision.shape == counts.tp.shape == (2, 2)
    for place, threshold in np.ndenumerate(wanted):
        table = sm.Counts.from_labels(y_true, 1 * (scores >= threshold))
        assert tuple(cell[place] for cell in counts.cells) == table.cells
        assert fpr[place] == pytest.approx(table.fp / table.negatives)
        assert tpr[place] == recall[place] == pytest.approx(table.tp / table.positives)
        if table.predicted_positives:
            assert precision[place] == pytest.approx(table.tp / table.predicted_positives)
    assert roc_curve(y_true, scores).at(np.inf) == (0.0, 0.0)
    assert precision_recall_curve(y_true, scores).at(99) == (1.0, 0.0)
    for at in (roc_curve(y_true, scores).at, precision_recall_curve(y_true, scores).at):
        with pytest.raises(ValueError, match="threshold must be a number"):
            at([0.5, np.nan])
    with pytest.raises(ValueError, match="measured without scores"):
        sm.curves.PrecisionRecallCurve.from_points([0.5, 1], [1, 0.5]).at(0.3)


def test_threshold_curves_at_given_thresholds():
    names = ["recall", "precision", "net_benefit"]
    probability = 1 / (1 + np.exp(-scores))
    every = sm.threshold_curves(y_true, probability, names)
    wanted = [0.2, 0.5, 0.35]
    some = sm.threshold_curves(y_true, probability, names, thresholds=wanted)
    assert some.thresholds.tolist() == [0.5, 0.35, 0.2]
    for place, threshold in enumerate(some.thresholds):
        table = every.counts_at(threshold)
        assert some["recall"][place] == pytest.approx(table.tp / table.positives)
        price = threshold / (1 - threshold)
        worth = (table.tp - table.fp * price) / table.total
        assert some["net_benefit"][place] == pytest.approx(worth)
        assert some.counts_at(threshold).cells == table.cells
    with pytest.raises(ValueError, match="is none of them"):
        some.counts_at(0.4)
    costs = RNG.random((len(y_true), 2))
    whole = sm.threshold_curves(y_true, scores, ["example_cost_loss"], example_costs=costs)
    part = sm.threshold_curves(
        y_true, scores, ["example_cost_loss"], example_costs=costs, thresholds=whole.thresholds[3:9]
    )
    assert part["example_cost_loss"].tolist() == whole["example_cost_loss"][3:9].tolist()


def test_break_even_tells_its_gap():
    even = precision_recall_curve([1, 1, 0, 0], [0.9, 0.8, 0.2, 0.1]).break_even()
    assert even == (1.0, 1.0, 1.0, 0.0, False)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        y, s = rng.integers(0, 2, 12), rng.integers(0, 4, 12) / 2
        found = precision_recall_curve(y, s).break_even()
        assert found.value == pytest.approx(sm.break_even_point(y, s))
        assert found.value == pytest.approx((found.precision + found.recall) / 2)
        assert found.gap == pytest.approx(abs(found.precision - found.recall))
        cuts = [(s >= t).sum() for t in np.unique(s)]
        assert found.interpolated == (found.gap > 1e-9) == (y.sum() not in cuts)


def test_operating_points_on_precision_recall():
    display = sm.PrecisionRecallDisplay.from_predictions(
        y_true, scores, operating_points=[0.5, 1.0]
    )
    precision, recall = precision_recall_curve(y_true, scores).at([0.5, 1.0])
    drawn = [line.get_xydata()[0].tolist() for line in display.points_]
    assert drawn == [list(point) for point in zip(recall, precision, strict=True)]
    assert {"t = 0.5", "t = 1"} <= {text.get_text() for text in display.ax_.texts}
    assert sm.PrecisionRecallDisplay.from_predictions(y_true, scores).points_ == []


def test_the_optimum_is_among_the_points_drawn():
    """Class 1 twice as frequent: accuracy is best at 1/3, where the weighted densities meet."""
    model = DensityModel(prevalence=2 / 3)
    curves = model.threshold_curves(["accuracy", "fbeta"], beta=2)
    assert curves.best("accuracy").threshold == pytest.approx(1 / 3, abs=1e-7)
    assert curves.best("fbeta").threshold == model.optimum("fbeta", beta=2)[0]
    display = displays.ThresholdDisplay(model.threshold_curves(["accuracy"])).plot()
    assert "0.333" in display.ax_.get_legend().get_texts()[0].get_text()
    positive, negative = model.densities(1 / 3)
    assert 2 * positive == pytest.approx(negative)
