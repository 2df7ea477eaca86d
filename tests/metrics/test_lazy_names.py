"""Names of `skaucx.metrics`: few on the flat page, the others in public modules, imported when used."""

from __future__ import annotations

import importlib
import pickle
import subprocess
import sys

import pytest

from skaucx import metrics
from skaucx.metrics._registry.declare import METRICS
from tests.public import PLACES

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


@pytest.mark.parametrize(("module", "name"), LISTED, ids=[name for _, name in LISTED])
def test_a_name_is_that_of_its_module(module, name):
    found = importlib.import_module(f".{module}", "skaucx.metrics")
    assert getattr(metrics, name) is getattr(found, name)
    assert name in metrics.__all__
    assert name in dir(metrics)


def test_the_flat_page_fits_one_screen():
    public = [name for name in dir(metrics) if not name.startswith("_")]
    assert len(public) <= 150
    assert set(public) == {*metrics.__all__, *metrics.FAMILIES}


@pytest.mark.parametrize(
    "place", [*PLACES, "skaucx.model_selection", "skaucx.scale", "skaucx.study"]
)
def test_dir_of_a_public_module_shows_its_public_names(place):
    module = importlib.import_module(place)
    public = {name for name in dir(module) if not name.startswith("_")}
    assert public - {*getattr(module, "FAMILIES", ())} == {*module.__all__}


def test_every_metric_is_in_one_public_module():
    flat = 0
    for name, function in METRICS.items():
        module = importlib.import_module(function.__module__)
        assert function.__name__ in module.__all__, name
        assert pickle.loads(pickle.dumps(function)) is function
        flat += module is metrics
    assert flat < len(METRICS) - 50


def test_a_name_that_moved_is_an_error_with_its_place():
    with pytest.raises(
        AttributeError, match=r"use `from skaucx[.]metrics[.]association import gwet_ac1`"
    ):
        metrics.gwet_ac1  # noqa: B018
    with pytest.raises(ImportError, match=r"use `from skaucx[.]metrics[.]curves import CostCurve`"):
        from skaucx.metrics import CostCurve  # noqa: F401
    with pytest.raises(ImportError, match=r"use `from skaucx[.]inference import interval`"):
        from skaucx.metrics import interval  # noqa: F401
    with pytest.raises(AttributeError, match="the function is prob_auc_score"):
        metrics.mm12_auc_score  # noqa: B018
    assert not hasattr(metrics, "CalibrationDisplay")


def test_modules_do_not_take_the_place_of_names():
    for module in sys.modules.copy():
        room, _, name = module.rpartition(".")
        assert room != "skaucx.metrics" or name not in metrics.__all__, module


def test_a_metric_does_not_import_the_rooms_above_it():
    told = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    )
    assert told.stdout.splitlines() == ["[]", "skaucx.metrics.curves._roc intervals"]


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'no_such_name'"):
        metrics.no_such_name  # noqa: B018
