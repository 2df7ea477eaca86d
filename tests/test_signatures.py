"""Signatures of the public calls: few enough parameters to be read."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import re

import pytest

import skaucx
from skaucx.evaluation import evaluate
from skaucx.inference import Confidence, interval, intervals

MOST = 16


def public_calls():
    """Yield each public function, class that is no record, and public method of a class, by name."""
    places = {"skaucx"} | {
        module.name
        for module in pkgutil.walk_packages(skaucx.__path__, "skaucx.")
        if not any(part.startswith("_") for part in module.name.split("."))
    }
    for place in sorted(places):
        module = importlib.import_module(place)
        for name in getattr(module, "__all__", ()):
            found = getattr(module, name)
            if inspect.isclass(found):
                yield from (
                    (f"{name}.{own}", getattr(found, own))
                    for own, value in vars(found).items()
                    if not own.startswith("_") and callable(getattr(value, "__func__", value))
                )
            if callable(found) and not dataclasses.is_dataclass(found):
                yield name, found


def test_no_public_call_has_more_parameters_than_a_reader_holds():
    counts = {}
    for name, call in public_calls():
        try:
            counts[name] = len(inspect.signature(call).parameters)
        except (TypeError, ValueError):  # aliases of types have none
            continue
    assert len(counts) > 400
    assert not {name: count for name, count in counts.items() if count > MOST}


# Data of any library, results of any class, and the records of kinds, whose authors know their types.
OF_ANY_TYPE = {
    "CheckReport(iterable)",  # a list
    "DensityModel(positives)",
    "DensityModel(negatives)",  # frozen distributions of SciPy
    "ScoreCounts.from_frame(cells)",  # a frame of any library
    "evaluate(data)",
    "verdict(y_true)",
    "over_outputs(record)",
    "SumOf.slopes(rows)",
    "SpreadOf.slopes(rows)",
}


def test_public_parameters_have_types():
    """An editor can use them; only what is passed on, *args and **kwargs, is of any type."""
    found = set()
    for name, call in public_calls():
        module = str(getattr(inspect.unwrap(call), "__module__", ""))
        # The stubs hold the types of metrics; what authors of kinds override is theirs.
        if not module.startswith("skaucx") or "metrics._kinds" in module or hasattr(call, "metric"):
            continue
        try:
            given = inspect.signature(call).parameters.values()
        except (TypeError, ValueError):
            continue
        for parameter in given:
            passed_on = parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
            if not passed_on and parameter.name not in ("self", "cls"):
                kind = str(parameter.annotation)
                if kind == "Any" or parameter.annotation is parameter.empty:
                    found.add(f"{name}({parameter.name})")
    assert not sorted(found - OF_ANY_TYPE)


@pytest.mark.parametrize(
    ("option", "value", "record"),
    [
        ("alternative", "greater", "Confidence(alternative=...)"),
        ("simultaneous", True, "Confidence(simultaneous=True)"),
        ("layout", "tp fp fn tn", "Counts.from_table(table, layout=...)"),
    ],
)
def test_an_option_of_a_record_names_the_record(option, value, record):
    for call in (
        lambda **how: evaluate([0, 1], [0, 1], metrics=["recall"], **how),
        lambda **how: interval("recall", [0, 1], [0, 1], **how),
        lambda **how: intervals(["recall"], [0, 1], [0, 1], **how),
    ):
        with pytest.raises(TypeError, match=f"{option} .*{re.escape(record)}"):
            call(**{option: value})


def test_confidence():
    for bad in ({"level": 0}, {"level": "95"}, {"alternative": "up"}, {"simultaneous": 1}):
        [(name, value)] = bad.items()
        name = "confidence_level" if name == "level" else name
        with pytest.raises((TypeError, ValueError), match=f"{name} .*found {value!r}"):
            Confidence(**bad)
    with pytest.raises(ValueError, match="by= and intervals=True"):
        interval("recall", [0, 1], [0, 1], confidence_level=Confidence(simultaneous=True))
