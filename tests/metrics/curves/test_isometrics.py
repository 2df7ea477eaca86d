"""Isometrics against the metrics of real counts and against their known shapes."""

from __future__ import annotations

import numpy as np
import pytest

from skaucx.metrics import Counts, list_metrics
from skaucx.metrics._registry.names import named_metric
from skaucx.metrics.curves import isometrics
from tests.each import each

GIVEN = {"beta": 2.0, "threshold": 0.3, "cost": [[0, 1], [5, 0]]}
# A table at which the bounds are not kept has no value.
NAMES = [
    row.name
    for row in list_metrics()
    if row.kind.counted and row.name != "feasible" and not row.reads_size
]


def options_of(name):
    return {
        key: value for key, value in GIVEN.items() if key in named_metric(name).function.options
    }


@each("name", NAMES)
def test_roc_space_holds_the_metric_of_each_table(name):
    fpr, tpr, values = isometrics(name, 0.25, n_points=5, **options_of(name))
    for i, row in enumerate(values):
        for j, found in enumerate(row):
            counts = {"tp": 100 * tpr[i], "fn": 100 * (1 - tpr[i]),
                      "fp": 300 * fpr[j], "tn": 300 * (1 - fpr[j])}  # fmt: skip
            expected = named_metric(name).function.from_counts(
                **counts, zero_division=np.nan, **options_of(name)
            )
            expected = expected if np.isfinite(expected) else np.nan
            assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)


@each("name", NAMES)
def test_both_spaces_agree(name):
    tp, fp, fn, tn = 30, 20, 10, 140
    precision, recall, prevalence = 0.6, 0.75, 0.2
    x, y, values = isometrics(name, prevalence, space="pr", n_points=21, **options_of(name))
    found = values[np.argmin(np.abs(y - precision)), np.argmin(np.abs(x - recall))]
    expected = named_metric(name).function.from_counts(tp, fp, fn, tn, **options_of(name))
    assert found == pytest.approx(expected, abs=1e-12)
    # All negatives called positive leave a precision of r s / (r s + 1 - r) at recall s.
    reached = y[:, None] > prevalence * x / (prevalence * x + 1 - prevalence) - 1e-9
    assert np.isnan(values[~reached]).all()


def test_a_function_of_counts():
    def arithmetic_mean(c: Counts):
        return (c.tp / c.positives + c.tp / c.predicted_positives) / 2

    found = isometrics(arithmetic_mean, 0.3, space="pr", n_points=11)
    assert found.metric == "arithmetic_mean"
    assert found.values[-1, -1] == pytest.approx(1)
    assert found.values[5, 10] == pytest.approx((1 + 0.5) / 2)


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"prevalence": 0}, ValueError, "prevalence must be a finite number in"),
        ({"metric": "krippendorff_alpha"}, ValueError, "depends on the number of examples"),
        ({"space": "det"}, ValueError, "space must be one of 'roc', 'pr'"),
        ({"metric": "f3"}, ValueError, "'f3' is not the name of a metric"),
        ({"metric": "roc_auc"}, ValueError, "not a function of the confusion table"),
        ({"metric": lambda c: 1.0}, ValueError, "metric must return shape"),
        ({"beta": 2}, TypeError, "None of the metrics takes it"),
        ({"metric": "net_benefit"}, TypeError, "needs the parameter .threshold."),
        ({"n_points": 1}, ValueError, "n_points must be a whole number >= 2"),
    ],
)
def test_refusals(options, error, says):
    with pytest.raises(error, match=says):
        isometrics(**({"metric": "f1"} | options))
