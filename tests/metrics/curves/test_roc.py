"""ROC curves against scikit-learn's, hulls against brute force and the printed radar operators."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import sklearn.metrics
from sklearn.exceptions import UndefinedMetricWarning

from skaucx import metrics as sm
from skaucx.metrics import roc_curve
from skaucx.metrics.curves import RocCurve, compare_hulls, one_vs_rest_curves
from tests.closeness import rounding

WORKED = json.loads((Path(__file__).parents[2] / "data" / "worked_examples.json").read_text())


def sample(n=300, seed=0, ties=True):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    score = rng.normal(size=n) + y
    return y, score.round(1) if ties else score, rng.uniform(0.1, 3, n)


def operators():
    return [RocCurve.from_points(*np.transpose(WORKED["operators"][name])) for name in "AB"]


# Which points are straight is a matter of rounding under real weights.
@pytest.mark.parametrize(
    ("weights", "drop"),
    [(None, False), (None, True), ("whole", False), ("whole", True), ("real", False)],
)
@pytest.mark.parametrize("ties", [False, True])
def test_values_are_those_of_scikit_learn(drop, weights, ties):
    y, score, weight = sample(ties=ties)
    weight = {None: None, "whole": np.ceil(weight), "real": weight}[weights]
    expected = sklearn.metrics.roc_curve(y, score, sample_weight=weight, drop_intermediate=drop)
    found = roc_curve(y, score, sample_weight=weight, drop_intermediate=drop)
    assert len(list(found)) == 3
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=rounding(len(y)), atol=rounding(len(y)))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("drop", [False, True])
def test_areas_equal_the_scalar_metrics(weighted, drop):
    y, score, weight = sample(500)
    options = {"sample_weight": weight if weighted else None}
    curve = roc_curve(y, score, drop_intermediate=drop, **options)
    assert curve.area == pytest.approx(sm.roc_auc_score(y, score, **options), abs=1e-12)
    for band in (
        {},
        {"fpr": (0.1, 0.4)},
        {"tpr": (0.55, 1)},
        {"fpr": (0, 0.3), "standardize": True},
    ):
        expected = sm.partial_roc_auc_score(y, score, **band, **options)
        assert curve.partial_area(**band) == pytest.approx(expected, abs=1e-12)
    theirs = sklearn.metrics.roc_auc_score(y, score, max_fpr=0.3, **options)
    assert curve.partial_area(fpr=(0, 0.3), standardize=True) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("name", ["A", "B"])
def test_hulls_of_the_radar_operators(name):
    curve = dict(zip("AB", operators(), strict=True))[name]
    hull = curve.hull()
    np.testing.assert_allclose(np.column_stack(list(hull)[:2]), WORKED["operators"][f"hull_{name}"])
    assert hull.area == pytest.approx(WORKED["operators"][f"hull_auc_{name}"], abs=1e-12)
    assert np.isnan(hull.thresholds).all()


def test_operator_b_covers_a():
    a, b = operators()
    comparison = compare_hulls(a, b)
    assert comparison.covering == "second"
    assert comparison.first.shape == (0, 2)
    np.testing.assert_array_equal(comparison.second, [[0, 1]])
    assert compare_hulls(b, a).covering == "first"
    assert compare_hulls(b, b.hull()).covering == "both"
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
    assert len(comparison.first) == 2
    assert len(comparison.second) == 1


def _turn(a, b, c):
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])


def _area(points):
    x, y = np.transpose(points)
    return np.diff(x) @ (y[1:] + y[:-1]) / 2


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize(("n", "ties"), [(60, True), (60, False), (30_000, True), (30_000, False)])
def test_hull_is_that_of_a_walk_along_the_points(n, ties, weighted):
    """Beyond 4,096 points those within pooled blocks of scores are left out first."""
    y, score, weight = sample(n, ties=False)
    score = score.round(1 if n < 100 else 4) if ties else score
    curve = roc_curve(y, score, sample_weight=weight if weighted else None, drop_intermediate=False)
    assert n < 100 or len(curve.fpr) > 5000
    kept = []
    for x, h in zip(curve.fpr, curve.tpr, strict=True):
        while len(kept) > 1 and _turn(*kept[-2:], (x, h)) >= 0:
            kept.pop()
        kept.append((x, h))
    hull = curve.hull()
    assert hull.area == pytest.approx(_area(kept), rel=1e-12)
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
        compare_hulls(RocCurve.from_points([0.5], [0.6]), curve)


@pytest.mark.parametrize("given", [[0.1, 0.2], (0, 1), None, np.zeros((2, 2))])
def test_hulls_of_other_things(given):
    curve = RocCurve.from_points([0.5], [0.6])
    with pytest.raises(TypeError, match=r"second must be a RocCurve.*from_points"):
        compare_hulls(curve, given)
    with pytest.raises(TypeError, match="first must be a RocCurve"):
        compare_hulls(given, curve)


def test_several_classes():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 90)
    score = rng.dirichlet(np.ones(3), 90)
    names, weight = np.array(["a", "b", "c"])[y], rng.uniform(1, 2, 90)
    curves = one_vs_rest_curves(roc_curve, names, score, micro=True, sample_weight=weight)
    assert list(curves) == ["a", "b", "c", "micro"]
    options = {"multi_class": "ovr", "sample_weight": weight}
    np.testing.assert_allclose(
        [curves[name].area for name in "abc"],
        sm.roc_auc_score(names, score, average=None, **options),
        atol=1e-12,
    )
    micro = sm.roc_auc_score(names, score, average="micro", **options)
    assert curves["micro"].area == pytest.approx(micro, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: roc_curve(["no", "yes"], [0.1, 0.2]), r"pos_label.*no.*yes"),
        (lambda: roc_curve([0, 1, 2], [0.1, 0.2, 0.3]), "two classes, found 3"),
        (lambda: roc_curve([0, 1], [[0.1, 0.9], [0.2, 0.8]]), "must be one-dimensional"),
        (lambda: roc_curve([0, 1], [0.1, np.nan]), "NaN or infinity in y_score"),
        (lambda: roc_curve([0, 1], [0.1, 0.2], drop_intermediate=2), "must be True or False"),
        (lambda: one_vs_rest_curves(roc_curve, [0, 1], [0.1, 0.9]), "one column per class"),
        (lambda: RocCurve.from_points([0.2], [1.1]), "tpr must be a vector of rates"),
        (lambda: RocCurve.from_points([0.2, 0.3], [0.1]), "inconsistent numbers"),
        (lambda: operators()[0].partial_area(fpr=(0.5, 0.1)), "low < high"),
        (
            lambda: RocCurve.from_points([0.2, 0.5], [0.6, 0.4]).partial_area(tpr=(0, 0.5)),
            "tpr falls between measured points",
        ),
    ],
)  # fmt: skip
def test_refusals(call, says):
    with pytest.raises(ValueError, match=says):
        call()
