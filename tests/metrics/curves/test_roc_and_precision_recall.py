"""ROC and precision-recall curves against scikit-learn's, hulls against brute force and in print."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import sklearn.metrics
from scipy import integrate
from sklearn.exceptions import UndefinedMetricWarning

from skaucx import metrics as sm
from skaucx.metrics import precision_recall_curve, roc_curve
from skaucx.metrics.curves import (
    RocCurve,
    compare_hulls,
    one_vs_rest_curves,
)
from tests.closeness import rounding

WORKED = json.loads((Path(__file__).parents[2] / "data" / "worked_examples.json").read_text())
PRINTED = WORKED["operators"]
A, B = (RocCurve.from_points(*np.transpose(PRINTED[name])) for name in "AB")
BANDS = [{}, {"fpr": (0.1, 0.4)}, {"tpr": (0.55, 1)}, {"fpr": (0, 0.3), "standardize": True}]


def sample(n=300, seed=0, ties=True):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    score = rng.normal(size=n) + y
    return y, score.round(1) if ties else score, rng.uniform(0.1, 3, n)


# Which points are straight is a matter of rounding under real weights.
@pytest.mark.parametrize(
    ("weights", "drop"),
    [(None, False), (None, True), ("whole", False), ("whole", True), ("real", False)],
)
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("name", ["roc_curve", "precision_recall_curve"])
def test_values_are_those_of_scikit_learn(name, drop, weights, ties):
    y, score, weight = sample(ties=ties)
    weight = {None: None, "whole": np.ceil(weight), "real": weight}[weights]
    options = {"sample_weight": weight, "drop_intermediate": drop}
    found = getattr(sm, name)(y, score, **options)
    expected = getattr(sklearn.metrics, name)(y, score, **options)
    close = rounding(len(y))
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(
            ours, theirs, rtol=close, atol=close if name == "roc_curve" else 0
        )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("drop", [False, True])
def test_areas_equal_the_scalar_metrics(weighted, drop):
    y, score, weight = sample(500)
    options = {"sample_weight": weight if weighted else None}
    curve = roc_curve(y, score, drop_intermediate=drop, **options)
    other = precision_recall_curve(y, score, drop_intermediate=drop, **options)
    for area, metric in (
        (curve.area, sm.roc_auc_score),
        (other.area, sm.pr_auc_score),
        (other.average_precision, sm.average_precision_score),
    ):
        assert area == pytest.approx(metric(y, score, **options), abs=1e-12)
    for band in BANDS:
        expected = sm.partial_roc_auc_score(y, score, **band, **options)
        assert curve.partial_area(**band) == pytest.approx(expected, abs=1e-12)
    theirs = sklearn.metrics.roc_auc_score(y, score, max_fpr=0.3, **options)
    assert curve.partial_area(**BANDS[-1]) == pytest.approx(theirs, abs=1e-12)
    assert other.prevalence == pytest.approx(np.average(y, weights=options["sample_weight"]))


def test_points_at_many_thresholds():
    y, score, _ = sample(200, 7)
    wanted = np.array([[3.0, 0.55], [-0.2, -9.0]])
    fpr, tpr = roc_curve(y, score, drop_intermediate=False).at(wanted)
    precision, recall = precision_recall_curve(y, score).at(wanted)
    assert fpr.shape == precision.shape == (2, 2)
    for place, threshold in np.ndenumerate(wanted):
        table = sm.Counts.from_labels(y, 1 * (score >= threshold))
        assert fpr[place] == pytest.approx(table.fp / table.negatives)
        assert tpr[place] == recall[place] == pytest.approx(table.tp / table.positives)
        if table.predicted_positives:
            assert precision[place] == pytest.approx(table.tp / table.predicted_positives)
    assert roc_curve(y, score).at(np.inf) == (0.0, 0.0)
    assert precision_recall_curve(y, score).at(99) == (1.0, 0.0)


@pytest.mark.parametrize("weighted", [False, True])
def test_precision_recall_area_is_the_integral_along_straight_roc_segments(weighted):
    y, score, weight = sample(80, seed=4)
    curve = precision_recall_curve(y, score, sample_weight=weight if weighted else None)
    counts = curve.threshold_counts
    positives = counts.positives[0]

    def precision(recall):
        tp = recall * positives
        fp = np.interp(tp, counts.tp, counts.fp)
        return tp / (tp + fp)

    knots = np.unique(counts.tp) / positives
    pieces = [integrate.quad(precision, a + 1e-13, b)[0] for a, b in pairwise(knots)]
    assert curve.area == pytest.approx(sum(pieces), abs=1e-10)


def test_precision_recall_area_of_a_perfect_and_of_a_level_ranking():
    assert precision_recall_curve([0, 1, 1], [0.1, 0.5, 0.9]).area == 1
    assert precision_recall_curve([0, 1, 0, 0], [0.5] * 4).area == 0.25


@pytest.mark.parametrize("name", ["A", "B"])
def test_hulls_of_the_radar_operators(name):
    hull = {"A": A, "B": B}[name].hull()
    np.testing.assert_allclose(np.column_stack(list(hull)[:2]), PRINTED[f"hull_{name}"])
    assert hull.area == pytest.approx(PRINTED[f"hull_auc_{name}"], abs=1e-12)
    assert np.isnan(hull.thresholds).all()


def test_operator_b_covers_a():
    comparison = compare_hulls(A, B)
    assert comparison.covering == "second"
    assert comparison.first.shape == (0, 2)
    np.testing.assert_array_equal(comparison.second, [[0, 1]])
    assert compare_hulls(B, A).covering == "first"
    assert compare_hulls(B, B.hull()).covering == "both"
    near = RocCurve.from_points([0.25], [0.75 + 5e-13])
    assert compare_hulls(RocCurve.from_points([0.25], [0.75]), near).covering == "both"


def test_hulls_that_cross_twice():
    first = RocCurve.from_points([0.1, 0.9], [0.5, 0.99])
    second = RocCurve.from_points([0.4], [0.9])
    comparison = compare_hulls(first, second)
    assert comparison.covering is None
    grid = np.linspace(0, 1, 2001)
    lead = first.hull().tpr_at(grid) - second.hull().tpr_at(grid)
    for intervals, higher in ((comparison.first, lead > 1e-12), (comparison.second, lead < -1e-12)):
        inside = ((grid[:, None] > intervals[:, 0]) & (grid[:, None] < intervals[:, 1])).any(axis=1)
        strictly = np.abs(lead) > 1e-3
        np.testing.assert_array_equal(inside[strictly], higher[strictly])
    assert (len(comparison.first), len(comparison.second)) == (2, 1)


def _turn(a, b, c):
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize(("n", "ties"), [(60, True), (60, False), (30_000, True), (30_000, False)])
def test_hull_is_that_of_a_walk_along_the_points(n, ties, weighted):
    """Beyond 4,096 points those within pooled blocks of scores are left out first."""
    y, score, weight = sample(n, ties=False)
    score = score.round(1 if n < 100 else 4) if ties else score
    curve = roc_curve(y, score, sample_weight=weight if weighted else None, drop_intermediate=False)
    assert n < 100 or len(curve.fpr) > 5000
    kept = []
    for point in zip(curve.fpr, curve.tpr, strict=True):
        while len(kept) > 1 and _turn(*kept[-2:], point) >= 0:
            kept.pop()
        kept.append(point)
    hull = curve.hull()
    assert hull.area == pytest.approx(sklearn.metrics.auc(*np.transpose(kept)), rel=1e-12)
    assert (hull.tpr_at(curve.fpr) >= curve.tpr - 1e-12).all()
    assert set(zip(hull.fpr, hull.tpr, strict=True)) <= set(zip(curve.fpr, curve.tpr, strict=True))
    np.testing.assert_array_equal(hull.hull().fpr, hull.fpr)


def test_points_within_the_tolerance_of_a_chord_are_dropped():
    on = RocCurve.from_points([0.25, 0.5, 0.75], [0.5 + 5e-13, 0.75, 0.875 - 1e-13]).hull()
    np.testing.assert_array_equal(on.fpr, [0, 0.25, 0.5, 1])
    assert len(RocCurve.from_points([0.25, 0.5], [0.25 + 5e-13, 0.5]).hull().fpr) == 2
    assert len(RocCurve.from_points([0.25, 0.5], [0.25 + 5e-12, 0.5]).hull().fpr) == 3


def test_measured_points_need_no_order():
    shuffled = RocCurve.from_points([0.9, 0.2, 0.4], [0.85, 0.2, 0.6])
    assert shuffled.fpr.tolist() == [0, 0.2, 0.4, 0.9, 1]
    assert shuffled.area == pytest.approx(sklearn.metrics.auc(shuffled.fpr, shuffled.tpr))


@pytest.mark.parametrize(("y", "rate"), [([0, 0], "tpr"), ([1, 1], "fpr")])
def test_a_missing_class(y, rate):
    with pytest.warns(UndefinedMetricWarning, match="y_true holds no"):
        curve = roc_curve(y, [0.2, 0.7])
    assert np.isnan(getattr(curve, rate)).all()
    assert np.isnan(curve.area)
    assert curve.hull() is curve
    with pytest.raises(ValueError, match="second is undefined"):
        compare_hulls(A, curve)


def test_a_missing_class_of_precision_and_recall():
    with pytest.warns(UndefinedMetricWarning, match="no positive example"):
        curve = precision_recall_curve([0, 0], [0.1, 0.2])
    with pytest.warns(UserWarning, match="No positive class"):
        expected = sklearn.metrics.precision_recall_curve([0, 0], [0.1, 0.2])
    for ours, theirs in zip(curve, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert np.isnan([curve.area, curve.trapezoid_area, curve.average_precision]).all()
    curve = precision_recall_curve([1, 1], [0.1, 0.2])
    assert (curve.area, curve.trapezoid_area, curve.prevalence) == (1, 1, 1)


def test_several_classes():
    rng = np.random.default_rng(2)
    y, score = np.array(["a", "b", "c"])[rng.integers(0, 3, 90)], rng.dirichlet(np.ones(3), 90)
    options = {"sample_weight": rng.uniform(1, 2, 90)}
    curves = one_vs_rest_curves(roc_curve, y, score, micro=True, **options)
    assert list(curves) == ["a", "b", "c", "micro"]
    options["multi_class"] = "ovr"
    each = sm.roc_auc_score(y, score, average=None, **options)
    micro = sm.roc_auc_score(y, score, average="micro", **options)
    areas = [curve.area for curve in curves.values()]
    np.testing.assert_allclose(areas, [*each, micro], rtol=0, atol=1e-12)
