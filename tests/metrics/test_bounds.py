"""No value leaves its metric's range, not by rounding either."""

from __future__ import annotations

import numpy as np
import pytest

from skaucx.metrics import list_metrics
from skaucx.metrics._registry.declare import METRICS
from tests.metrics.needed import NEEDED

NAMES = [row.name for row in list_metrics() if row.kind.judged.argument in ("y_pred", "y_score")]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("name", NAMES)
def test_values_stay_within_the_bounds(name):
    """Perfect, reversed, tied and random predictions of 2 to 60 examples."""
    function, row = METRICS[name], METRICS[name].metric
    rng = np.random.default_rng(0)
    for n in range(2, 60):
        y = np.append([0, 1], rng.integers(0, 2, n - 2))
        for score in (1.0 * y, 1.0 - y, rng.random(n), np.round(rng.random(n), 1)):
            given = (score > 0.5) * 1 if row.kind.counted else score
            try:
                value = float(function(y, given, **NEEDED.get(name, {})))
            except (TypeError, ValueError):
                continue  # asks for more than two arrays, or for other labels
            assert np.isnan(value) or row.bounds[0] <= value <= row.bounds[1], (n, value)


@pytest.mark.parametrize("average", ["macro", "weighted", "micro"])
@pytest.mark.parametrize("name", ["f1", "recall", "informedness", "fowlkes_mallows_index"])
def test_averages_stay_within_the_bounds(name, average):
    rng = np.random.default_rng(0)
    for classes in range(3, 30):
        y = np.append(np.arange(classes), rng.integers(0, classes, 100))
        assert METRICS[name](y, y, average=average) <= 1
