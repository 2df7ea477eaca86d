"""Mean curves are means of heights, and their areas the mean of areas."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from skaucx.metrics import (
    precision_recall_curve,
    prob_roc_curve,
    risk_coverage_curve,
    roc_curve,
    scor_roc_curve,
)
from skaucx.metrics.curves import cost_curve, mean_curve

MAKERS = [roc_curve, precision_recall_curve, scor_roc_curve, prob_roc_curve]


def made(make, seeds):
    y = np.arange(80) % 2
    return [
        make(y, np.clip(np.random.default_rng(s).normal(0.4 + 0.2 * y, 0.2), 0, 1)) for s in seeds
    ]


def test_heights_are_averaged_at_the_same_rates():
    curves = made(roc_curve, range(4))
    mean = mean_curve(curves, n_points=1001)
    heights = np.array([curve.tpr_at(mean.x) for curve in curves])
    np.testing.assert_allclose(mean.mean, heights.mean(axis=0))
    np.testing.assert_allclose(mean.sd, heights.std(axis=0, ddof=1))
    area = float((np.diff(mean.x) * (mean.mean[1:] + mean.mean[:-1])).sum() / 2)
    assert area == pytest.approx(np.mean([curve.area for curve in curves]), abs=2e-3)


def test_precision_at_a_recall_is_that_of_the_highest_threshold_that_reaches_it():
    [curve] = made(precision_recall_curve, [1])
    mean = mean_curve([curve], n_points=101)
    for recall, precision in zip(mean.x, mean.mean, strict=True):
        reached = curve.recall >= recall
        assert precision == curve.precision[np.flatnonzero(reached)[-1]]


def test_costs_and_risks_are_averaged_where_they_are_asked_for():
    for make, at in ((cost_curve, "cost"), (risk_coverage_curve, "coverage")):
        curves = made(make, range(4))
        mean = mean_curve(curves, n_points=101)
        heights = np.array([curve._heights(mean.x) for curve in curves])
        np.testing.assert_allclose(mean.mean, heights.mean(axis=0), err_msg=at)
        np.testing.assert_allclose(mean.sd, heights.std(axis=0, ddof=1))
        assert mean.value == pytest.approx(np.mean([curve.area for curve in curves]))
    with pytest.raises(TypeError, match="one kind"):
        mean_curve([*made(cost_curve, [0]), *made(risk_coverage_curve, [0])])


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


def test_bad_input():
    with pytest.raises(ValueError, match="one curve at least"):
        mean_curve([])
    with pytest.raises(TypeError, match="one kind"):
        mean_curve([*made(roc_curve, [0]), *made(precision_recall_curve, [0])])
    with pytest.raises(TypeError, match="as roc_curve and its like"):
        mean_curve([3])
