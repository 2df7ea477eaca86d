"""Every public name is documented in numpydoc's form, with examples."""

from __future__ import annotations

import inspect
import re

import pytest

from skaucx.metrics._passed_through import PASSED_THROUGH
from skaucx.metrics._registry.declare import METRICS
from tests.each import each
from tests.public import PUBLIC as ALL
from tests.public import STUDY_NAMES

pytestmark = pytest.mark.presentation

PUBLIC = {name: thing for name, thing in ALL.items() if thing is not PASSED_THROUGH.get(name)}
PUBLIC |= STUDY_NAMES
FUNCTIONS = {name: thing for name, thing in PUBLIC.items() if not inspect.isclass(thing)}
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


def sections(thing):
    pieces = SECTION.split(inspect.getdoc(thing))
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def described(thing):
    """Return the parameters' text; a record's fields may stand under Attributes instead."""
    found = sections(thing)
    return found.get("Parameters", found.get("Attributes", "") if inspect.isclass(thing) else "")


def documented(thing):
    entries = re.findall(r"^(\*{0,2}\w[\w, ]*?)(?: : .+)?$", described(thing), re.M)
    return [name.strip().lstrip("*") for entry in entries for name in entry.split(",")]


@each("name", PUBLIC)
def test_summary_is_one_line(name):
    lines = inspect.getdoc(PUBLIC[name]).splitlines()
    assert lines[0].endswith(".")
    assert len(lines) == 1 or not lines[1]
    assert max(map(len, lines)) <= 110


def parameters_of(thing):
    """Return the names of the parameters; a protocol is not called."""
    return [] if getattr(thing, "_is_protocol", False) else [*inspect.signature(thing).parameters]


@each("name", PUBLIC)
def test_sections(name):
    thing = PUBLIC[name]
    found = sections(thing)
    if parameters_of(thing):
        assert described(thing)
    if name in FUNCTIONS:
        assert {"Returns", "Examples"} <= set(found)
    assert "None" not in found
    assert "@" not in inspect.getdoc(thing)


@each("name", PUBLIC)
def test_every_parameter_is_documented(name):
    thing = PUBLIC[name]
    parameters = parameters_of(thing)
    if parameters:
        assert documented(thing) == parameters


@each("name", [function.__name__ for function in METRICS.values()])
def test_metrics_say_more(name):
    found = sections(PUBLIC[name])
    assert found["Notes"].strip()
    assert ".. [1]" in found["References"]
    assert "ValueError" in found["Raises"]
    row = PUBLIC[name].metric
    assert row.summary == inspect.getdoc(PUBLIC[name]).splitlines()[0]


@each("name", [n for n, thing in PUBLIC.items() if inspect.isclass(thing)])
def test_public_methods_of_classes_are_documented(name):
    fields = getattr(PUBLIC[name], "__dataclass_fields__", {})  # described as parameters
    for attribute, member in vars(PUBLIC[name]).items():
        if not attribute.startswith("_") and attribute not in fields:
            member = getattr(member, "__func__", member)
            assert getattr(member, "__doc__", None), attribute
