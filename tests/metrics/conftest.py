"""Parameters that a metric cannot do without, and how the tests call metrics with them."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from skaucx.metrics._registry.declare import METRICS

_COSTS = np.array([[0.0, 1.0, 4.0], [5.0, -0.5, 2.0], [3.0, 6.0, 0.0]])
_NEEDED = {
    "fbeta": lambda classes: {"beta": 2.0},
    "expected_cost": lambda classes: {"cost": _COSTS[:classes, :classes].tolist()},
    "mase_loss": lambda classes: {"scale": 2.0},
    "pairwise_auc": lambda classes: {"difference": np.tanh},
}


@pytest.fixture(scope="session")
def needed():
    """Return the parameters that a metric needs for a number of classes."""

    def parameters(metric, classes=2):
        return _NEEDED.get(metric.metric.name, lambda classes: {})(classes)

    return parameters


@pytest.fixture(scope="session")
def evaluated(needed):
    """Call a metric with the parameters that it needs, and those of `options` that it takes."""

    def value(metric, first, second, classes=2, **options):
        taken = inspect.signature(metric).parameters
        options = {name: option for name, option in options.items() if name in taken}
        return metric(first, second, **needed(metric, classes), **options)

    return value


@pytest.fixture(scope="session")
def metrics_by_scorer_name():
    return {function.metric.scorer_name: function for function in METRICS.values()}
