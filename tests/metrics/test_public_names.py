"""Public names: few on the flat page, the others in modules, imported when used; all documented."""

from __future__ import annotations

import importlib
import inspect
import pickle
import re
import subprocess
import sys

import pytest

from skaucx import metrics
from skaucx.metrics._passed_through import PASSED_THROUGH
from skaucx.metrics._registry.declare import METRICS
from tests.each import each
from tests.public import PLACES, PUBLIC, STUDY_NAMES

pytestmark = pytest.mark.presentation

LISTED = [(module, name) for module, names in metrics._NAMES.items() for name in names]
SCRIPT = """
import sys
from skaucx.metrics import roc_auc_score
assert roc_auc_score([0, 1], [0.1, 0.9]) == 1
rooms = ("metrics.curves", "inference", "displays", "evaluation", "reports")
print([room for room in rooms if f"skaucx.{room}" in sys.modules])
from skaucx.metrics import *
from skaucx.inference import *
print(roc_curve.__module__, intervals.__name__)
"""


@each("module, name", LISTED)
def test_a_name_is_that_of_its_module(module, name):
    found = importlib.import_module(f".{module}", "skaucx.metrics")
    assert getattr(metrics, name) is getattr(found, name)
    assert name in metrics.__all__
    assert name in dir(metrics)


@each("place", [*PLACES, "skaucx.model_selection", "skaucx.scale", "skaucx.study"])
def test_dir_of_a_public_module_shows_its_public_names(place):
    module = importlib.import_module(place)
    public = {name for name in dir(module) if not name.startswith("_")}
    assert public - {*getattr(module, "FAMILIES", ())} == {*module.__all__}


def test_every_metric_is_in_one_public_module_and_the_flat_page_fits_one_screen():
    flat = [function for function in METRICS.values() if function.__module__ == "skaucx.metrics"]
    assert len(flat) < len(METRICS) - 50
    for name, function in METRICS.items():
        assert function.__name__ in importlib.import_module(function.__module__).__all__, name
        assert pickle.loads(pickle.dumps(function)) is function
    public = [name for name in dir(metrics) if not name.startswith("_")]
    assert len(public) <= 150
    assert set(public) == {*metrics.__all__, *metrics.FAMILIES}


@each("name, words", [
    ("gwet_ac1", "use `from skaucx[.]metrics[.]association import gwet_ac1`"),
    ("CostCurve", "use `from skaucx[.]metrics[.]curves import CostCurve`"),
    ("interval", "use `from skaucx[.]inference import interval`"),
    ("mm12_auc_score", "the function is prob_auc_score"),
    ("no_such_name", "no_such_name"),
])  # fmt: skip
def test_a_name_that_is_not_there_is_an_error_with_its_place(name, words):
    with pytest.raises(AttributeError, match=words):
        getattr(metrics, name)
    with pytest.raises(ImportError, match=words):
        exec(f"from skaucx.metrics import {name}", {})


def test_modules_do_not_take_the_place_of_names():
    assert not hasattr(metrics, "CalibrationDisplay")
    for module in sys.modules.copy():
        room, _, name = module.rpartition(".")
        assert room != "skaucx.metrics" or name not in metrics.__all__, module


def test_a_metric_does_not_import_the_rooms_above_it():
    told = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    )
    assert told.stdout.splitlines() == ["[]", "skaucx.metrics.curves._roc intervals"]


# ---- documentation in numpydoc's form, with examples ----

OURS = {name: thing for name, thing in PUBLIC.items() if thing is not PASSED_THROUGH.get(name)}
OURS |= STUDY_NAMES
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


def sections(thing):
    pieces = SECTION.split(inspect.getdoc(thing))
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


@each("thing", OURS.values())
def test_summary_sections_and_parameters(thing):
    lines, found, is_class = (
        inspect.getdoc(thing).splitlines(),
        sections(thing),
        inspect.isclass(thing),
    )
    assert lines[0].endswith(".")
    assert len(lines) == 1 or not lines[1]
    assert max(map(len, lines)) <= 110
    assert is_class or {"Returns", "Examples"} <= set(found)
    assert "None" not in found
    assert "@" not in inspect.getdoc(thing)
    if getattr(thing, "_is_protocol", False):  # which is not called
        return
    # A record's fields may stand under Attributes instead.
    described = found.get("Parameters", found.get("Attributes", "") if is_class else "")
    entries = re.findall(r"^(\*{0,2}\w[\w, ]*?)(?: : .+)?$", described, re.M)
    documented = [name.strip().lstrip("*") for entry in entries for name in entry.split(",")]
    parameters = [*inspect.signature(thing).parameters]
    assert not parameters or documented == parameters


@each("metric", METRICS.values())
def test_metrics_say_more(metric):
    found = sections(metric)
    assert found["Notes"].strip()
    assert ".. [1]" in found["References"]
    assert "ValueError" in found["Raises"]
    assert metric.metric.summary == inspect.getdoc(metric).splitlines()[0]


@each("thing", filter(inspect.isclass, OURS.values()))
def test_public_methods_of_classes_are_documented(thing):
    fields = getattr(thing, "__dataclass_fields__", {})  # described as parameters
    for attribute, member in vars(thing).items():
        if not attribute.startswith("_") and attribute not in fields:
            assert getattr(getattr(member, "__func__", member), "__doc__", None), attribute
