"""Modules import from the rooms below their own only, in no circle and with nothing private."""

from __future__ import annotations

import ast
import importlib
from functools import cache
from pathlib import Path

import pytest

import skaucx
from skaucx.metrics import _kinds as kinds
from skaucx.metrics._pairs.ranking import RankedScores

pytestmark = pytest.mark.presentation

ROOT = Path(skaucx.__file__).parent

# Rooms, packages or modules, from the lowest to the highest: a module imports from lower rooms, and
# from its own where no circle arises. The longest name that a module starts with is its room.
ROOMS = [
    "_faces",
    "_compat",
    "_arguments",
    "_progress",
    "_arrays",
    "_options",
    "_text",
    "_plotting",
    "metrics._records",
    "metrics._pairs",
    "metrics._kinds",
    "metrics._registry",
    "metrics._formulas",
    "metrics._scorers",
    "metrics.association",
    "metrics.calibration",
    "metrics.costs",
    "metrics.imbalance",
    "metrics.information",
    "metrics.similarity",
    "metrics.curves",
    "metrics.rejection",
    "inference._intervals",
    "inference._bands",
    "inference._tests",
    "inference._planning",
    "inference",
    "evaluation",
    "displays",
    "reports",
    "metrics",
    "model_selection._types",
    "model_selection._fold_scores",
    "model_selection._run_options",
    "model_selection._checks",
    "model_selection._scoring",
    "model_selection.execution",
    "model_selection.decisions",
    "model_selection.results",
    "model_selection.searches",
    "model_selection._run",
    "model_selection._nested",
    "model_selection.bootstrap",
    "model_selection.comparisons",
    "model_selection",
    "regression",
    "command",
    "study",
    "__main__",
    "",
]


def room_of(module):
    """Return the room that a module stands in."""
    holders = [r for r in ROOMS if module == r or (r and module.startswith(f"{r}."))]
    return max(holders, key=len, default=None)


# Imports that run back, inside functions.
BACKWARD = {"metrics._kinds.listed": {"regression"}}


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(ROOT.rglob("*.py"))}


@cache
def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module", autouse=True)
def _no_tree_is_kept():
    """A million of nodes would be visited by every later search for cycles."""
    yield
    tree_of.cache_clear()


@cache
def imported(module):
    """Return the absolute dotted names that a module imports, at any depth of its code."""
    return tuple(_imports(module))


def _imports(module):
    path = MODULES[module]
    package = ["skaucx", *module.split(".")] if module else ["skaucx"]
    if path.name != "__init__.py":
        package = package[:-1]
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            base = [*base, *(node.module or "").split(".")] if node.module else base
            yield from (".".join([*base, alias.name]) for alias in node.names)


def own_imports(module):
    """Return the modules of skaucx that a module imports from."""
    found = set()
    for name in imported(module):
        if name != "skaucx" and not name.startswith("skaucx."):
            continue
        target = name.removeprefix("skaucx").removeprefix(".")
        while target not in MODULES:
            target = target.rpartition(".")[0]
        found.add(target)
    return found - {module} - BACKWARD.get(module, set())


@cache
def graph():
    """Return the modules that each module imports from; tests ask, so that no collection does."""
    return {module: own_imports(module) for module in MODULES}


def test_every_module_has_a_room():
    homeless = [module for module in MODULES if room_of(module) is None]
    assert not homeless, "name their rooms in tests/test_layers.py"


def test_no_room_is_of_a_module_that_is_gone():
    assert {room_of(module) for module in MODULES} == set(ROOMS)


def test_imports_go_down():
    level = {module: ROOMS.index(room_of(module)) for module in MODULES}
    upward = [(m, other) for m in MODULES for other in graph()[m] if level[other] > level[m]]
    assert not upward


def test_no_circle():
    done, path = set(), []

    def visit(module):
        assert module not in path, f"circle: {' -> '.join([*path, module])}"
        if module in done:
            return
        path.append(module)
        for other in sorted(graph()[module]):
            visit(other)
        path.pop()
        done.add(module)

    for module in MODULES:
        visit(module)
    assert done == set(MODULES)


def test_the_walk_sees_imports():
    """Relative, absolute and nested ones, or the tests above prove nothing."""
    assert "metrics._registry.declare" in graph()["metrics._formulas.rates"]
    assert "metrics._formulas" in graph()["metrics"]
    assert "metrics" in graph()["model_selection._scoring"]
    nested = imported("model_selection.decisions._calibration")
    assert "sklearn.calibration.CalibratedClassifierCV" in nested


def test_nothing_private_of_scikit_learn():
    private = [
        (module, name)
        for module in MODULES
        for name in imported(module)
        if name.startswith("sklearn.") and any(part.startswith("_") for part in name.split("."))
    ]
    assert not private


def test_matplotlib_and_pandas_are_imported_only_where_they_are_used():
    eager = [
        (module, alias.name)
        for module, path in MODULES.items()
        for node in tree_of(path).body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        if (getattr(node, "module", None) or alias.name).split(".")[0] in ("matplotlib", "pandas")
    ]
    assert not eager


def test_a_base_name_of_a_module_stands_once():
    """A curve, its display and its band share a name, and so do a kind, formulas and their family."""
    mirrored = {"metrics.curves", "displays"}
    of_kinds = {
        "metrics._kinds",
        "metrics._formulas",
        "metrics",
    }  # and a public family its formulas
    beside = {"regression", "study"}  # have modules of the same names
    rooms = {}
    for module in MODULES:
        room, _, name = module.rpartition(".")
        if MODULES[module].name not in ("__init__.py", "__main__.py"):
            rooms.setdefault(name, []).append(room)
    several = {name: held for name, held in rooms.items() if len(held) > 1}
    assert not {
        name: held
        for name, held in several.items()
        if not (set(held) <= mirrored or set(held) <= of_kinds or set(held) <= beside)
    }


# Where a kind may be named.
BY_KIND = ("metrics._kinds", "metrics._records", "metrics._formulas")


def of_kinds(module):
    return module.startswith((*BY_KIND, "regression", "study"))


def test_no_module_asks_what_a_metric_reads():
    """No constant that describes a kind is imported outside the kinds and the formulas."""
    constants = {
        f"{module}.{name}"
        for module in MODULES
        if module.startswith("metrics._kinds")
        for name, value in vars(importlib.import_module(f"skaucx.{module}")).items()
        if isinstance(value, kinds.Kind | kinds.Inputs)
    }
    assert len(constants) > 20
    for module in MODULES:
        found = constants & {name.removeprefix("skaucx.") for name in imported(module)}
        assert of_kinds(module) or not found, module


def test_few_places_ask_for_the_class_of_what_a_kind_holds():
    """Samples, states and records are asked for what they hold; the rest are arguments of users."""
    held = {
        name
        for module in MODULES
        if module.startswith((*BY_KIND[:2], "metrics.curves", "inference"))
        for name, value in vars(importlib.import_module(f"skaucx.{module}")).items()
        if isinstance(value, type)
        if issubclass(value, kinds.Sample | kinds.State | kinds.Record | RankedScores)
        or name.endswith("Counts")
    }
    assert {"Counts", "FunctionSample", "ScoreState"} < held
    found = [
        (module, ast.unparse(node))
        for module, path in MODULES.items()
        if not of_kinds(module)
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance"
        if held & {name.id for name in ast.walk(node.args[1]) if isinstance(name, ast.Name)}
    ]
    assert len(found) <= 5, found


def test_what_costs_of_examples_are_stands_in_few_files():
    """The kind, its registration, its formulas, the curve over thresholds, a named set of metrics."""

    def names(path):
        tree = tree_of(path)
        docs = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body
            if isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield "" if id(node) in docs else node.value
            for field in ("id", "attr", "arg", "name", "module"):
                yield str(getattr(node, field, ""))

    naming = {
        module for module, path in MODULES.items() if any("example_cost" in n for n in names(path))
    }
    assert len(naming) <= 4, naming
