"""What may be imported before it is used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks a process after an import")

# One process imports what is plain, and a fork of it each of the codes: the modules of each beyond it.
LISTED = """
import json, os, sys
plain, *codes = json.loads(sys.argv[1])
exec(plain)
known = set(sys.modules)
for code in codes:
    sys.stdout.flush()
    if not os.fork():
        exec(code)
        print(json.dumps(sorted(m for m in sys.modules.keys() - known
                                if m.partition(".")[0] not in sys.stdlib_module_names)))
        sys.exit()
    if os.wait()[1]:
        sys.exit(code)
"""
OTHERS = ("numpy", "scipy", "joblib", "threadpoolctl", "sklearn")
FACES = {"skaucx", "skaucx.inference"}
# What each name may load of this package beyond what scikit-learn's module loads.
NESTED = {
    "skaucx._arguments", "skaucx._arrays", "skaucx._compat", "skaucx._faces", "skaucx._options",
    "skaucx.model_selection",
    "skaucx.model_selection._nested", "skaucx.model_selection._run_options",
    "skaucx.model_selection._types",
}  # fmt: skip
# A metric needs the formulas and what declares them; no scorer, curve, interval, or sum over pairs.
METRICS = (
    "skaucx._arguments", "skaucx._arrays", "skaucx._compat", "skaucx._faces",
    "skaucx._options", "skaucx._text", "skaucx.metrics._formulas",
    "skaucx.metrics._pairs", "skaucx.metrics._passed_through", "skaucx.metrics._records",
    "skaucx.metrics._registry", "skaucx.metrics._kinds",
)  # fmt: skip
LATER = (
    "importlib.metadata", "sklearn.isotonic", "skaucx.metrics._registry.resampling",
)  # fmt: skip


FROM = "from skaucx.model_selection import "
CODES = {
    "pass": ("import skaucx.model_selection",),
    "import sklearn.model_selection": tuple(
        FROM + name
        for name in ("NestedCV, nested_cross_validate", "Decisions", "CalibratingClassifier")
    ),
    "import sklearn.metrics": ("import skaucx.metrics",),
}


@cache
def loaded(plain):
    """Return the modules that each code loads beyond those that `plain` has loaded."""
    given = json.dumps([plain, *CODES[plain]])
    done = subprocess.run(
        [sys.executable, "-c", LISTED, given], capture_output=True, text=True, check=True
    )
    return dict(zip(CODES[plain], map(json.loads, done.stdout.splitlines()), strict=True))


def within(module, places):
    return any(module == place or module.startswith(f"{place}.") for place in places)


def test_the_face_imports_nothing():
    [found] = loaded("pass").values()
    assert [m for m in found if within(m, ["skaucx", *OTHERS])] == [
        "skaucx", "skaucx._faces", "skaucx.model_selection",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("plain", "code", "allowed"),
    [
        ("import sklearn.model_selection", code, NESTED)
        for code in CODES["import sklearn.model_selection"][:2]
    ]
    + [("import sklearn.metrics", "import skaucx.metrics", {*METRICS, "skaucx.metrics"})],
    ids=["NestedCV", "Decisions", "metrics"],
)
def test_nothing_is_imported_before_it_is_used(plain, code, allowed):
    """Searches, decisions, results, pictures and reports are imported by the first run or call."""
    found = set(loaded(plain)[code]) - FACES
    own = {module for module in found if within(module, ["skaucx"])}
    assert own - {"skaucx.metrics"} <= {m for m in own if within(m, allowed - {"skaucx.metrics"})}
    assert own
    assert not found & set(LATER)


def test_estimators_of_decisions_load_no_search_and_no_result():
    found = set(loaded("import sklearn.model_selection")[f"{FROM}CalibratingClassifier"])
    heavy = ("sklearn.ensemble", "sklearn.calibration", "sklearn.neighbors", "sklearn.cluster")
    rooms = ("searches", "results", "bootstrap", "comparisons")
    assert not [m for m in found if within(m, heavy)]
    assert not [m for m in found if within(m, [f"skaucx.model_selection.{r}" for r in rooms])]
