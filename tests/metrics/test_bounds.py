"""No value leaves its metric's range, not by rounding either."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from skaucx.metrics._registry.declare import METRICS, get_metric
from tests.each import each
from tests.metrics.needed import NEEDED
from tests.metrics.of_classes import OF_CLASSES


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@each("name", OF_CLASSES)
def test_values_stay_within_the_bounds(name):
    """Perfect, reversed, tied and random predictions of 1 to 60 examples, weighted and not."""
    function, row = METRICS[name], METRICS[name].metric
    rng, own = np.random.default_rng(0), dict(NEEDED.get(name, {}))
    if "labels" in function.options and "pos_label" not in function.options:
        own["labels"] = [0, 1]  # where a class does not occur
    for n in (1, 1, 2, 2, *range(3, 60, 3)):
        y = rng.integers(0, 2, n)
        for score in (1.0 * y, 1.0 - y, rng.random(n), np.round(rng.random(n), 1)):
            given = (score > 0.5) * 1 if row.kind.counted else score
            for weight in (None, rng.uniform(0.1, 4, n)):
                value = function(y, given, sample_weight=weight, **own)
                assert isinstance(value, float)
                assert np.isnan(value) or row.bounds[0] <= value <= row.bounds[1], (n, value)


@pytest.mark.parametrize("average", ["macro", "weighted", "micro"])
@pytest.mark.parametrize("name", ["f1", "recall", "informedness", "fowlkes_mallows_index"])
def test_averages_stay_within_the_bounds(name, average):
    rng = np.random.default_rng(0)
    for classes in range(3, 30):
        y = np.append(np.arange(classes), rng.integers(0, classes, 100))
        assert METRICS[name](y, y, average=average) <= 1


EXTREME = [
    [1e308, -1e308, 9e307, -9e307],
    [1.7e308, -1.7e308, 1.7e308, -1.7e308],
    [-1e308, 1e308, -1e308, 1e308],
    [5e-324, 0, 1e-323, 0],
    [1e-310, 1e-311, 2e-310, 3e-311],
    [1e308, -1e308, 0, 5e-324],
    [1e308, 1e308, 1e308, 1e308],
]


@pytest.mark.parametrize("score", EXTREME)
@pytest.mark.parametrize("name", ["mm1_auc", "mm4_auc"])
def test_extreme_scores_have_the_values_of_fractions(name, score):
    """Free of scale: the same as of exact fractions of the span."""
    exact = [Fraction(x) for x in score]
    span = max(exact) - min(exact)
    scaled = [float((x - min(exact)) / span) if span else 0.0 for x in exact]
    y = [1, 0, 1, 0]
    found = METRICS[name](y, score)
    assert found == pytest.approx(METRICS[name](y, scaled), rel=1e-12)
    assert METRICS[name].metric.bounds[0] <= found <= METRICS[name].metric.bounds[1]


@pytest.mark.parametrize("score", EXTREME)
@pytest.mark.parametrize(
    "name", ["prob_auc", "scor_auc", "sond_auc", "mm6_auc", "mm7_auc", "mm11_auc"]
)
def test_extreme_scores_are_rescaled(name, score):
    exact = [Fraction(x) for x in score]
    span = max(exact) - min(exact)
    scaled = [float((x - min(exact)) / span) if span else 0.0 for x in exact]
    found = METRICS[name]([1, 0, 1, 0], score, rescale="minmax")
    assert found == pytest.approx(METRICS[name]([1, 0, 1, 0], scaled), rel=1e-12)


@pytest.mark.parametrize("name", ["mcc", "kappa", "f1", "informedness", "markedness"])
def test_perfect_labels_of_any_number_stay_within_the_bounds(name):
    rng, function = np.random.default_rng(0), get_metric(name)
    low, high = function.metric.bounds
    for n in range(2, 400):
        y = np.append([0, 1], rng.integers(0, 2, n - 2))
        for pred in (y, 1 - y):
            assert low <= function(y, pred) <= high, n
        weight = rng.random(n)
        assert high - 1e-12 <= function(y, y, sample_weight=weight) <= high, n
