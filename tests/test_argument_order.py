"""One order of arguments: the true labels, what was predicted, then options (CONTRIBUTING.md)."""

from __future__ import annotations

import inspect

import pytest
import sklearn.metrics

from skaucx.metrics._registry.declare import METRICS
from tests.each import each
from tests.public import PUBLIC

pytestmark = pytest.mark.presentation

# What a function is about stands before the arrays where it has no default.
SUBJECTS = {"metric", "metrics", "curve", "path", "kind"}
_KINDS = inspect.Parameter
BY_PLACE = (_KINDS.POSITIONAL_ONLY, _KINDS.POSITIONAL_OR_KEYWORD, _KINDS.VAR_POSITIONAL)
FUNCTIONS = {
    name: function
    for name, function in PUBLIC.items()
    if inspect.isfunction(function)
    and name not in sklearn.metrics.__all__
    and not hasattr(function, "metric")
    and name != "cells_query"  # whose columns are named
    and "y_true" in inspect.signature(function).parameters
}


def by_place(function):
    parameters = inspect.signature(function).parameters.values()
    return [parameter.name for parameter in parameters if parameter.kind in BY_PLACE]


@each("name", FUNCTIONS)
def test_truth_then_prediction_then_options(name):
    parameters = inspect.signature(FUNCTIONS[name]).parameters
    names = by_place(FUNCTIONS[name])
    at = names.index("y_true")
    before, after = names[:at], names[at + 1 :]
    assert set(before) <= SUBJECTS
    assert all(parameters[subject].default is inspect.Parameter.empty for subject in before)
    predicted = [name for name in after if name.startswith(("y_", "score_"))]
    assert after[: len(predicted)] == predicted
    if not any(name.startswith(("y_", "score_")) for name in [*parameters][at + 1 :]):
        return  # about the truth alone
    assert predicted
    # A choice among metrics may follow by place; every other option is named.
    assert set(after[len(predicted) :]) <= {"metrics"}
    subjects = {name for name in parameters if name in SUBJECTS} - {"path"}
    needed = {name for name in subjects if parameters[name].default is inspect.Parameter.empty}
    assert needed <= set(before)


@each("name", METRICS)
def test_a_metric_takes_its_two_arrays_by_place_and_all_else_by_name(name):
    function = METRICS[name]
    names = by_place(function)
    assert tuple(names[:2]) == function.metric.inputs
    assert names[2:] == [] or function.metric.twin


def test_functions_are_found():
    assert {"interval", "evaluate", "delong_test", "threshold_curves"} <= set(FUNCTIONS)
