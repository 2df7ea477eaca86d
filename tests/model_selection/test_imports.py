"""What may be imported before it is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

LISTED = """
import sys
{code}
print(*sorted(m for m in sys.modules if m.partition(".")[0] not in sys.stdlib_module_names))
"""
# Rooms of the package that a name of the face needs; those that draw, report and search are not here.
ROOMS = (
    "skaucx._annexes", "skaucx._arrays", "skaucx._compat", "skaucx._faces",
    "skaucx._in_parts", "skaucx._options",
    "skaucx._progress", "skaucx._text", "skaucx._threads", "skaucx.inference._intervals",
    "skaucx.metrics", "skaucx.model_selection",
)  # fmt: skip
OTHERS = ("numpy", "scipy", "joblib", "threadpoolctl", "sklearn")
HEAVY = (
    "sklearn.ensemble", "sklearn.calibration", "sklearn.neighbors", "sklearn.cluster",
    "sklearn.decomposition", "skaucx.model_selection.bootstrap", "skaucx.model_selection.comparisons",
    "skaucx.model_selection.results._nested_displays", "skaucx.model_selection.results._report",
    "skaucx.model_selection.stability",
)  # fmt: skip
FACES = ("skaucx", "skaucx.inference")


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


@pytest.mark.parametrize("name", ["NestedCV", "nested_cross_validate", "CalibratingClassifier"])
def test_a_name_imports_what_a_run_needs(name):
    plain = set(loaded("import sklearn.model_selection, sklearn.pipeline"))
    found = set(loaded(f"from skaucx.model_selection import {name}")) - plain - set(FACES)
    assert not [m for m in found if not within(m, [*ROOMS, *OTHERS])]
    assert not [m for m in found if within(m, HEAVY)]
