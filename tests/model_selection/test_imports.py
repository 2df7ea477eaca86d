"""What may be imported before it is used."""

from __future__ import annotations

import subprocess
import sys
from functools import cache

import pytest

LISTED = """
import sys
{code}
print(*sorted(m for m in sys.modules if m.partition(".")[0] not in sys.stdlib_module_names))
"""
OTHERS = ("numpy", "scipy", "joblib", "threadpoolctl", "sklearn")
FACES = {"skaucx", "skaucx.inference"}
# What each name may load of this package beyond what scikit-learn's module loads.
NESTED = {
    "skaucx._arrays", "skaucx._compat", "skaucx._faces", "skaucx._options", "skaucx.model_selection",
    "skaucx.model_selection._nested", "skaucx.model_selection._run_options",
    "skaucx.model_selection._types",
}  # fmt: skip
# A metric needs the formulas and what declares them; no scorer, curve, interval, or sum over pairs.
METRICS = (
    "skaucx._annexes", "skaucx._arrays", "skaucx._compat", "skaucx._faces", "skaucx._in_parts",
    "skaucx._options", "skaucx._text", "skaucx._threads", "skaucx.metrics._formulas",
    "skaucx.metrics._pairs", "skaucx.metrics._passed_through", "skaucx.metrics._records",
    "skaucx.metrics._registry", "skaucx.metrics.kinds",
)  # fmt: skip
LATER = (
    "importlib.metadata", "sklearn.isotonic", "skaucx.metrics._pairs.sums.pair_matrix",
    "skaucx.metrics._pairs.sums.power_tree", "skaucx.metrics._registry.resampling",
)  # fmt: skip


@cache
def loaded(code):
    done = subprocess.run(
        [sys.executable, "-c", LISTED.format(code=code)], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def within(module, places):
    return any(module == place or module.startswith(f"{place}.") for place in places)


def test_the_face_imports_nothing():
    found = loaded("import skaucx.model_selection")
    assert [m for m in found if within(m, ["skaucx", *OTHERS])] == [
        "skaucx", "skaucx._faces", "skaucx.model_selection",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("plain", "code", "allowed"),
    [
        ("import sklearn.model_selection", f"from skaucx.model_selection import {name}", NESTED)
        for name in ("NestedCV, nested_cross_validate", "Decisions")
    ]
    + [("import sklearn.metrics", "import skaucx.metrics", {*METRICS, "skaucx.metrics"})],
    ids=["NestedCV", "Decisions", "metrics"],
)
def test_nothing_is_imported_before_it_is_used(plain, code, allowed):
    """Searches, decisions, results, pictures and reports are imported by the first run or call."""
    found = set(loaded(code)) - set(loaded(plain)) - FACES
    own = {module for module in found if within(module, ["skaucx"])}
    assert own - {"skaucx.metrics"} <= {m for m in own if within(m, allowed - {"skaucx.metrics"})}
    assert own
    assert not found & set(LATER)


def test_estimators_of_decisions_load_no_search_and_no_result():
    found = set(loaded("from skaucx.model_selection import CalibratingClassifier"))
    heavy = ("sklearn.ensemble", "sklearn.calibration", "sklearn.neighbors", "sklearn.cluster")
    rooms = ("searches", "results", "bootstrap", "comparisons", "stability")
    assert not [m for m in found if within(m, heavy)]
    assert not [m for m in found if within(m, [f"skaucx.model_selection.{r}" for r in rooms])]
