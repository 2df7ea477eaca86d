"""Intervals at a threshold: those of the labels that it gives."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from skaucx.inference import interval, interval_at_threshold
from skaucx.inference._intervals.at_threshold import Bound, BoundSample
from skaucx.metrics import threshold_curves
from skaucx.metrics._records.counts import Counts
from skaucx.metrics._registry.declare import METRICS

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 60)
SCORE = np.round(RNG.random(60) + 0.5 * Y, 2)
CURVES = threshold_curves(Y, SCORE)


@pytest.mark.parametrize("threshold", [0.4, 0.731, float(np.sort(SCORE)[-3])])
def test_every_metric_has_the_interval_of_the_labels(threshold):
    called = (threshold <= SCORE).astype(int)
    for name in CURVES.values:
        own = {"threshold": threshold} if name == "net_benefit" else {}
        if own and threshold > 1:
            with pytest.raises(ValueError, match="threshold must be"):
                interval_at_threshold(CURVES, name, threshold)
            continue
        found = interval_at_threshold(CURVES, name, threshold)
        expected = interval(name, Y, called, zero_division=np.nan, **own)
        for end in ("estimate", "low", "high", "standard_error"):
            np.testing.assert_allclose(getattr(found, end), getattr(expected, end), err_msg=name)
        assert found.method == expected.method
        assert found.target.endswith("on")
        assert "optimistic" not in found.note


def test_the_best_threshold_and_what_its_choice_costs():
    at, value = CURVES.best("informedness")
    best = interval_at_threshold(CURVES, "youden_j", confidence_level=0.9)
    fixed = interval_at_threshold(CURVES, "informedness", at, confidence_level=0.9)
    assert best.estimate == pytest.approx(value)
    assert (best.low, best.high) == (fixed.low, fixed.high)
    assert "optimistic" in best.note
    assert "ignores the choice" in best.note
    bound = {"recall": (">=", 0.9)}
    kept = interval_at_threshold(CURVES, "precision", subject_to=bound)
    assert kept.estimate == pytest.approx(CURVES.best("precision", bound)[1])


def test_parameters_and_names_of_the_curves_are_kept():
    curves = threshold_curves(Y, SCORE, {"mine": "fbeta", "f1": "f1"}, beta=3)
    found = interval_at_threshold(curves, "mine")
    assert found.estimate == pytest.approx(curves.best("mine")[1])
    front = curves.pareto_front("mine", "f1")
    assert interval_at_threshold(front, "mine").estimate == pytest.approx(found.estimate)


def test_what_has_no_interval():
    weighted = threshold_curves(Y, SCORE, ["f1"], sample_weight=np.full(60, 2.0))
    with pytest.raises(ValueError, match="no counts of examples"):
        interval_at_threshold(weighted, "f1")
    costs = np.ones((60, 2))
    paid = threshold_curves(Y, SCORE, ["example_cost_loss"], example_costs=costs)
    with pytest.raises(ValueError, match="more than the counts"):
        interval_at_threshold(paid, "example_cost_loss", 0.4)
    with pytest.raises(ValueError, match="subject_to"):
        interval_at_threshold(CURVES, "f1", 0.4, subject_to={"recall": (">=", 0.9)})
    with pytest.raises(ValueError, match="found nan"):
        interval_at_threshold(CURVES, "f1", np.nan)
    with (
        pytest.warns(UndefinedMetricWarning, match="No threshold keeps"),
        pytest.raises(ValueError, match="has no best threshold"),
    ):
        interval_at_threshold(CURVES, "f1", subject_to={"recall": (">=", 2)})


def test_a_threshold_at_which_nobody_is_called_keeps_to_no_bound():
    """Precision is undefined there, and recall highest where precision is not reached."""
    bound = Bound(METRICS["precision"].metric, 0.9)
    tp, fp = np.array([0.0, 1, 2]), np.array([0.0, 1, 1])
    counts = Counts(tp, fp, 2 - tp, 1 - fp)
    assert bound.reached(counts)[0] == -np.inf
    assert not bound.places(counts)[1]


def test_two_thresholds_are_a_choice():
    """Of a constant score all rows are called or none; the share of positives is the same at both."""
    bound = Bound(METRICS["recall"].metric, 0.5)
    sample = BoundSample([0, 1, 1, 0, 1], np.full(5, 0.5), None, 1, bound)
    found = {name: sample.chooses(METRICS[name].metric, {}) for name in ("accuracy", "prevalence")}
    assert found == {"accuracy": True, "prevalence": False}
