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
HEAVY = ("sklearn.calibration", "sklearn.isotonic")
ROOM = "skaucx.model_selection"
SELECTION = "import sklearn.model_selection"
# What is imported, after what; what of this package may be loaded, and what may not.
CASES = {
    "the room": ("pass", f"import {ROOM}", ["skaucx", "skaucx._faces", ROOM], ["sklearn", "numpy"]),
    "NestedCV": (
        SELECTION,
        f"from {ROOM} import NestedCV, nested_cross_validate, Decisions",
        [f"{ROOM}._nested", f"{ROOM}._run_options", f"{ROOM}._types"],
        [f"{ROOM}.{room}" for room in ("searches", "results", "decisions", "execution")],
    ),
    "CalibratingClassifier": (
        SELECTION, f"from {ROOM} import CalibratingClassifier", [f"{ROOM}.decisions"],
        [f"{ROOM}.{room}" for room in ("searches", "results", "bootstrap", "comparisons")],
    ),
    "metrics": (
        "import sklearn.metrics", "import skaucx.metrics", ["skaucx.metrics._formulas"],
        ["skaucx.metrics.curves", "skaucx.inference", "skaucx.metrics._registry.resampling"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_nothing_is_imported_before_it_is_used(case):
    before, code, needed, later = CASES[case]
    command = [sys.executable, "-c", LISTED.format(before, code)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = set(json.loads(done.stdout))
    assert set(needed) <= found
    packages = (
        {"skaucx.inference"} if case == "metrics" else set()
    )  # the package alone, not its rooms
    unwanted = [*HEAVY, *later] if before != "pass" else later
    assert not {
        m for m in found - packages if any(f"{m}.".startswith(f"{one}.") for one in unwanted)
    }
