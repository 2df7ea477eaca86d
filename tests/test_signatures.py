"""Signatures of public calls: few parameters, with types and help, in one order."""

from __future__ import annotations

import dataclasses
import inspect

import pytest
import sklearn.metrics
from sklearn.utils.fixes import parse_version

import skaucx
from skaucx import model_selection
from skaucx.inference import Confidence, interval
from skaucx.metrics._registry.declare import METRICS
from tests.public import PUBLIC, STUDY_NAMES

TUNING = {name: getattr(model_selection, name) for name in model_selection.__all__}
CALLS = {
    name: each
    for name, each in (PUBLIC | STUDY_NAMES | TUNING).items()
    if callable(each) and not dataclasses.is_dataclass(each)
    if name not in sklearn.metrics.__all__ and not hasattr(each, "metric")
}
# What a function is about stands before the arrays where it has no default.
SUBJECTS = {"metric", "metrics", "curve", "path", "kind"}
OF_ANY_TYPE = {"evaluate(data)", "verdict(y_true)"}  # data of any library, results of any class
SIX = [name for name in skaucx.__all__ if inspect.isfunction(getattr(skaucx, name))]


def parameters(call):
    return inspect.signature(call).parameters


def by_place(call):
    kinds = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)
    return [name for name, each in parameters(call).items() if each.kind not in kinds]


def test_no_public_call_has_more_parameters_than_a_reader_holds():
    assert len(CALLS) > 80
    assert max(len(parameters(call)) for call in [*CALLS.values(), *METRICS.values()]) <= 16


def test_public_parameters_have_types():
    """An editor can use them; only what is passed on, *args and **kwargs, is of any type."""
    untyped = {
        f"{name}({each.name})"
        for name, call in CALLS.items()
        if inspect.isfunction(call)
        for each in parameters(call).values()
        if each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL)
        if each.annotation is each.empty or str(each.annotation) == "Any"
    }
    assert not untyped - OF_ANY_TYPE


@pytest.mark.presentation
@pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.9"),
    reason="an older scikit-learn lacks names that the stub passes on",
)
def test_stubs_say_what_the_metrics_take():
    from tests.stubs import stubs

    for place, text in stubs().items():
        assert place.read_text() == text, "run python tests/stubs.py"


def test_the_truth_then_predictions_then_options():
    """A choice among metrics may follow by place; every other option is named."""
    of_rows = {name: call for name, call in CALLS.items() if "y_true" in by_place(call)}
    assert {"interval", "evaluate", "delong_test", "threshold_curves"} <= set(of_rows)
    for name, call in of_rows.items():
        names = by_place(call)
        before, after = names[: names.index("y_true")], names[names.index("y_true") + 1 :]
        assert set(before) <= SUBJECTS, name
        assert all(parameters(call)[each].default is inspect.Parameter.empty for each in before)
        predicted = [each for each in after if each.startswith(("y_", "score_"))]
        rest = after[len(predicted) :]
        assert after == predicted + rest, name
        assert set(rest) <= {"metrics"} or not predicted, name
    for name, call in METRICS.items():
        assert tuple(by_place(call)[:2]) == call.metric.inputs
        assert not by_place(call)[2:] or call.metric.twin, name


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("confidence_level", {"level": 0}),
        ("confidence_level", {"level": "95"}),
        ("alternative", {"alternative": "up"}),
        ("simultaneous", {"simultaneous": 1}),
    ],
)
def test_confidence_refuses(name, bad):
    [value] = bad.values()
    with pytest.raises((TypeError, ValueError), match=f"{name} .*found {value!r}"):
        Confidence(**bad)


def test_an_interval_of_one_metric_is_not_simultaneous():
    with pytest.raises(ValueError, match="by= and intervals=True"):
        interval("recall", [0, 1], [0, 1], confidence_level=Confidence(simultaneous=True))
