"""Inputs that arithmetic or NumPy would change unseen are refused, with the argument's name."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import skaucx.metrics as sm
from skaucx import evaluation
from skaucx.metrics._registry.declare import METRICS
from tests.metrics.needed import needed_parameters


def test_weights_that_overflow_are_refused_by_every_metric():
    y, weight = [0, 1, 1, 0], np.full(4, 1e308)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name, function in METRICS.items():
            judged = function.metric.kind.inputs
            second = [0.1, 0.7, 0.6, 0.4] if judged.argument == "y_score" else [0, 1, 1, 0]
            given = needed_parameters(name)
            if judged.extra_arrays:
                given = {
                    judged.extra_arrays[0]: np.zeros((4, 2))
                    if name in ("savings", "example_cost_loss")
                    else [0, 0, 1, 0]
                }
            with pytest.raises(ValueError, match=r"sample_weight .*greatest float"):
                function(y, second, sample_weight=weight, **given)
    assert sm.recall_score(y, y, sample_weight=weight / 1e10) == 1


def test_a_parameter_that_no_metric_takes_is_named_for_what_it_is():
    y = ["a", "b"] * 5
    taken = {option for function in METRICS.values() for option in function.options}
    for name in (
        taken
        - set(METRICS["accuracy"].options)
        - {"pos_label", "prevalence", "example_costs", "labels", "rejected", "threshold"}
    ):
        with pytest.raises(
            TypeError, match=f"None of the metrics takes it: '{name}' is a parameter"
        ):
            evaluation.evaluate(y, y, metrics=["accuracy"], **{name: 1})
    with pytest.raises(TypeError, match="is not the name of a parameter"):
        evaluation.evaluate(y, y, metrics=["accuracy"], levle=0.9)
