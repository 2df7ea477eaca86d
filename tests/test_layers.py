"""Modules import from the rooms below their own only, in no circle and with nothing private."""

from __future__ import annotations

import ast
from functools import cache
from importlib.util import resolve_name
from pathlib import Path

import pytest

import skaucx

pytestmark = pytest.mark.presentation

ROOT = Path(skaucx.__file__).parent
# Packages and modules from the lowest to the highest. The longest name that a module starts with is its
# room: it imports from lower rooms, and from its own where no circle arises.
ROOMS = [
    *("_faces", "_compat", "_arguments", "_arrays", "_options", "_text", "_plotting"),
    *(f"metrics.{room}" for room in (
        "_records", "_pairs", "_kinds", "_registry", "_formulas", "_scorers", "association",
        "calibration", "costs", "imbalance", "information", "similarity", "curves", "rejection",
    )),
    *(f"inference.{room}" for room in ("_intervals", "_bands", "_tests", "_planning")),
    *("inference", "evaluation", "displays", "metrics"),
    *(f"model_selection.{room}" for room in (
        "_types", "_fold_scores", "_run_options", "_checks", "_scoring", "execution", "decisions",
        "results", "searches", "_run", "_nested", "bootstrap", "comparisons",
    )),
    *("model_selection", "reports", "regression", "scale", "command", "study", "__main__"),
]  # fmt: skip
# The import that runs back, inside a function, at the first name that is not known.
BACKWARD = {("metrics._kinds.listed", "regression")}


MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix("__init__").strip("."): path
    for path in sorted(ROOT.rglob("*.py"))
}


def level(module):
    """Return the place of a module's room; the package itself is above all."""
    if not module:
        return len(ROOMS)
    return ROOMS.index(max((r for r in ROOMS if f"{module}.".startswith(f"{r}.")), key=len))


@cache
def imports():
    """Return the dotted names that each module imports at any depth, and whether at its top."""
    found = {}
    for module, path in MODULES.items():
        package = f"skaucx.{module}".strip(".")
        package = package if path.name == "__init__.py" else package.rpartition(".")[0]
        tree, names = ast.parse(path.read_text(encoding="utf-8")), found.setdefault(module, {})
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names.update((alias.name, node in tree.body) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = resolve_name("." * node.level + (node.module or ""), package)
                names.update((f"{base}.{alias.name}", node in tree.body) for alias in node.names)
    return found


@cache
def graph():
    """Return the modules of this package that each module imports from."""
    found = {}
    for module, names in imports().items():
        own = [name for name in names if name.startswith("skaucx")]
        targets = {name.removeprefix("skaucx").strip(".") for name in own}
        while outside := targets - MODULES.keys():
            targets = targets - outside | {name.rpartition(".")[0] for name in outside}
        found[module] = {each for each in targets - {module} if (module, each) not in BACKWARD}
    return found


def test_imports_go_down():
    assert {level(module) for module in MODULES} == {*range(len(ROOMS) + 1)}
    assert not [(m, other) for m in MODULES for other in graph()[m] if level(other) > level(m)]
    assert "metrics._registry.declare" in graph()["metrics._formulas.rates"]  # or nothing is proven
    assert all("skaucx." + back in imports()[module] for module, back in BACKWARD)


def test_no_circle():
    left = dict(graph())
    while done := [module for module, others in left.items() if not others & left.keys()]:
        left = {module: others for module, others in left.items() if module not in done}
    assert not left, "each of these modules imports, in the end, itself"


def test_nothing_private_of_scikit_learn():
    names = {name for found in imports().values() for name in found if name.startswith("sklearn.")}
    assert "sklearn.calibration.CalibratedClassifierCV" in names
    assert not [name for name in names if "._" in name]


def test_matplotlib_and_pandas_are_imported_only_where_they_are_used():
    assert not [
        (module, name)
        for module, found in imports().items()
        for name, eager in found.items()
        if eager and name.split(".")[0] in ("matplotlib", "pandas")
    ]
