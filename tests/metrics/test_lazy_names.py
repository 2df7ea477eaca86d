"""Names of `skaucx.metrics` whose modules are imported when they are first asked for."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from skaucx import metrics

LISTED = [(module, name) for module, names in metrics._NAMES.items() for name in names]

SCRIPT = """
import sys
from skaucx.metrics import roc_auc_score
assert roc_auc_score([0, 1], [0.1, 0.9]) == 1
rooms = ("curves", "estimation", "displays", "comparisons", "planning", "pages", "reports")
print([room for room in rooms if f"skaucx.metrics.{room}" in sys.modules])
from skaucx.metrics import *
print(roc_curve.__module__, intervals.__name__)
"""


@pytest.mark.parametrize(("module", "name"), LISTED, ids=[name for _, name in LISTED])
def test_a_name_is_that_of_its_module(module, name):
    found = importlib.import_module(f"skaucx.metrics.{module}")
    assert getattr(metrics, name) is getattr(found, name)
    assert name in metrics.__all__
    assert name in dir(metrics)


@pytest.mark.parametrize("module", [m for m in metrics._NAMES if not m.startswith("_")])
def test_all_names_of_a_room_are_listed(module):
    room = importlib.import_module(f"skaucx.metrics.{module}")
    assert sorted(metrics._NAMES[module]) == sorted(room.__all__)


def test_names_are_listed_once():
    assert len(set(metrics.__all__)) == len(metrics.__all__)


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
