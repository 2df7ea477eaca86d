"""What may be imported before it is used."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

LISTED = """
import json, sys
{}
before = set(sys.modules)
{}
print(json.dumps(sorted(set(sys.modules) - before)))
"""
HEAVY = ["sklearn.calibration", "sklearn.isotonic"]
INFERENCE = [f"skaucx.inference.{room}" for room in ("_bands", "_intervals", "_planning", "_tests")]
ROOM, SELECTION = "skaucx.model_selection", "import sklearn.model_selection"


def rooms(*names):
    return [f"{ROOM}.{name}" for name in names]


# What is imported, after what; what of this package may be loaded, and what may not.
CASES = {
    "the room": ("pass", f"import {ROOM}", ["skaucx", "skaucx._faces", ROOM], ["sklearn", "numpy"]),
    "NestedCV": (
        SELECTION, f"from {ROOM} import NestedCV, nested_cross_validate, Decisions",
        rooms("_nested", "_run_options", "_types"),
        [*HEAVY, *rooms("searches", "results", "decisions", "execution")],
    ),
    "CalibratingClassifier": (
        SELECTION, f"from {ROOM} import CalibratingClassifier", rooms("decisions"),
        [*HEAVY, *rooms("searches", "results", "bootstrap", "comparisons")],
    ),
    "metrics": (
        "import sklearn.metrics", "import skaucx.metrics", ["skaucx.metrics._formulas"],
        [*HEAVY, "skaucx.metrics.curves", "skaucx.metrics._registry.resampling", *INFERENCE],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_nothing_is_imported_before_it_is_used(case):
    before, code, needed, later = CASES[case]
    command = [sys.executable, "-c", LISTED.format(before, code)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = set(json.loads(done.stdout))
    assert set(needed) <= found
    unwanted = tuple(f"{name}." for name in later)
    assert not [module for module in found if f"{module}.".startswith(unwanted)]
