"""Precision-recall curves against scikit-learn's, and their areas against the scalar metrics."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import sklearn.metrics
from scipy import integrate
from sklearn.exceptions import UndefinedMetricWarning

from skaucx import metrics as sm
from skaucx.metrics import precision_recall_curve
from tests.closeness import rounding


def sample(n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return y, (rng.normal(size=n) + y).round(1), rng.uniform(0.1, 3, n)


@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_values_are_those_of_scikit_learn(drop, weighted):
    y, score, weight = sample()
    weight = np.ceil(weight) if weighted else None
    options = {"sample_weight": weight, "drop_intermediate": drop}
    found = precision_recall_curve(y, score, **options)
    expected = sklearn.metrics.precision_recall_curve(y, score, **options)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=rounding(len(y)))


@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_areas_equal_the_scalar_metrics(drop, weighted):
    y, score, weight = sample(seed=1)
    options = {"sample_weight": weight if weighted else None}
    curve = precision_recall_curve(y, score, drop_intermediate=drop, **options)
    for ours, metric in (
        (curve.area, sm.pr_auc_score),
        (curve.average_precision, sm.average_precision_score),
    ):
        assert ours == pytest.approx(metric(y, score, **options), abs=1e-12)
    if not weighted:
        theirs = sklearn.metrics.average_precision_score(y, score)
        assert curve.average_precision == pytest.approx(theirs, abs=1e-12)
    assert curve.prevalence == pytest.approx(np.average(y, weights=options["sample_weight"]))


@pytest.mark.parametrize("weighted", [False, True])
def test_area_is_the_integral_along_straight_roc_segments(weighted):
    y, score, weight = sample(80, seed=4)
    options = {"sample_weight": weight if weighted else None}
    curve = precision_recall_curve(y, score, **options)
    counts = curve.threshold_counts
    positives = counts.positives[0]

    def precision(recall):
        tp = recall * positives
        fp = np.interp(tp, counts.tp, counts.fp)
        return tp / (tp + fp)

    knots = np.unique(counts.tp) / positives
    pieces = [integrate.quad(precision, a + 1e-13, b)[0] for a, b in pairwise(knots)]
    assert curve.area == pytest.approx(sum(pieces), abs=1e-10)


def test_area_of_a_perfect_and_of_a_level_ranking():
    assert precision_recall_curve([0, 1, 1], [0.1, 0.5, 0.9]).area == 1
    assert precision_recall_curve([0, 1, 0, 0], [0.5] * 4).area == 0.25


def test_no_positive_example():
    with pytest.warns(UndefinedMetricWarning, match="no positive example"):
        curve = precision_recall_curve([0, 0], [0.1, 0.2])
    with pytest.warns(UserWarning, match="No positive class"):
        expected = sklearn.metrics.precision_recall_curve([0, 0], [0.1, 0.2])
    for ours, theirs in zip(curve, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert np.isnan([curve.area, curve.trapezoid_area, curve.average_precision]).all()


def test_no_negative_example():
    curve = precision_recall_curve([1, 1], [0.1, 0.2])
    assert (curve.area, curve.trapezoid_area, curve.prevalence) == (1, 1, 1)
