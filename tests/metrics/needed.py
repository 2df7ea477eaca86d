"""Metrics of labels and of scores of them, the parameters that they need, and calls with these."""

from __future__ import annotations

import numpy as np

from skaucx.metrics._kinds.labels import LABELS
from skaucx.metrics._kinds.scores import SCORES
from skaucx.metrics._registry.declare import METRICS

# Those of rejected predictions and of numbers have tests of their own.
OF_CLASSES = {name: f for name, f in METRICS.items() if f.metric.kind.inputs in (LABELS, SCORES)}

_COSTS = np.array([[0.0, 1.0, 4.0], [5.0, -0.5, 2.0], [3.0, 6.0, 0.0]])
_FEASIBLE = {"objective": "adjusted_g_mean", "subject_to": {"fpr": ("<=", 0.9)}}
_MADE = {
    "fbeta": lambda classes: {"beta": 2.0},
    "expected_cost": lambda classes: {"cost": _COSTS[:classes, :classes].tolist()},
    "net_benefit": lambda classes: {"threshold": 0.3},
    "mase_loss": lambda classes: {"scale": 2.0},
    "top_k_accuracy": lambda classes: {"k": 1},
    "pairwise_auc": lambda classes: {"difference": np.tanh},
    "feasible": lambda classes: _FEASIBLE,
    "best_feasible": lambda classes: _FEASIBLE,
}
NEEDED = {name: make(2) for name, make in _MADE.items()}


def needed_parameters(name, classes=2):
    """Return the parameters that a metric needs for a number of classes."""
    return dict(_MADE[name](classes)) if name in _MADE else {}


def evaluated(metric, first, second, classes=2, **options):
    """Call a metric with the parameters that it needs, and those of `options` that it takes."""
    options = {name: option for name, option in options.items() if name in metric.options}
    return metric(first, second, **needed_parameters(metric.metric.name, classes), **options)
