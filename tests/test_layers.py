"""Modules import from the rooms below their own only, in no circle and with nothing private."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import skaucx

ROOT = Path(skaucx.__file__).parent
MOST_LINES = 400

# Rooms from the lowest to the highest; a module imports from lower rooms, and from its own where
# no circle arises.
ROOMS = [
    ["_compat", "metrics._arrays", "metrics._options", "metrics._references"],
    ["metrics._row", "metrics._inputs", "metrics._count_inputs", "metrics._sorting"],
    [
        "metrics._counts", "metrics._pair_sums", "metrics._near_pairs", "metrics._logistic_sums",
        "metrics._power_sums", "metrics._powers",
    ],
    ["metrics._ranking", "metrics._score_sets"],
    ["metrics._averaging", "metrics._states"],
    ["metrics._docstrings", "metrics._declare"],
    ["metrics.rates"],
    ["metrics.composites", "metrics.agreement", "metrics.curve_areas", "metrics.probability"],
    ["metrics.auc"],
    ["metrics._bound"],
    ["metrics._one_pass"],
    ["metrics.scorers", "metrics.evaluation", "metrics.families"],
    ["metrics.curves._ranked", "metrics.curves._hull"],
    ["metrics.curves._roc", "metrics.curves._precision_recall", "metrics.curves._thresholds"],
    [
        "metrics.curves._score_curves", "metrics.curves._linear_density",
        "metrics.curves._isometrics", "metrics.curves._comparison",
    ],
    ["metrics.curves"],
    ["metrics.displays._style", "metrics.displays._responses"],
    ["metrics.displays._sources"],
    ["metrics.displays._curve_display"],
    [
        "metrics.displays._roc", "metrics.displays._precision_recall",
        "metrics.displays._thresholds", "metrics.displays._confusion", "metrics.displays._scores",
        "metrics.displays._isometrics",
    ],
    ["metrics.displays"],
    [
        "metrics.intervals._pair_blocks", "metrics.intervals._resampling", "metrics.intervals._delong",
        "metrics.intervals._normal", "metrics.intervals._delta", "metrics.intervals._pairs",
        "metrics.intervals._result", "metrics.intervals._settings",
    ],
    [
        "metrics.intervals._placements", "metrics.intervals._replicates",
        "metrics.intervals._proportions",
    ],
    ["metrics.intervals._sample"],
    ["metrics.intervals._forms", "metrics.intervals._bootstrap"],
    ["metrics.intervals._answers", "metrics.intervals._bands"],
    ["metrics.intervals._interval"],
    ["metrics.intervals"],
    ["metrics.planning._plan", "metrics.planning._auc", "metrics.planning._rates"],
    ["metrics.planning"],
    [
        "metrics.comparisons._result", "metrics.comparisons._replicates",
        "metrics.comparisons._compared",
    ],
    [
        "metrics.comparisons._delong", "metrics.comparisons._matched",
        "metrics.comparisons._ranked", "metrics.comparisons._bootstrap",
        "metrics.comparisons._permutation",
    ],
    ["metrics.comparisons._critical_difference"],
    ["metrics.comparisons"],
    ["metrics"],
    ["model_selection._types", "model_selection._text"],
    [
        "model_selection.execution._cache", "model_selection.execution._folds",
        "model_selection.execution._progress", "model_selection.execution._job",
        "model_selection.execution._failures", "model_selection.execution._batch",
        "model_selection.execution._executor", "model_selection.execution",
    ],
    [
        "model_selection.results._pool", "model_selection.results._pooled",
        "model_selection.results._selection", "model_selection.results._statistics",
        "model_selection.results._final", "model_selection.results._tuning",
        "model_selection.results._json", "model_selection.results._html",
        "model_selection.results._page", "model_selection.results._summary",
        "model_selection.results._displays", "model_selection.results._report",
        "model_selection.results._result", "model_selection.results",
    ],
    [
        "model_selection.searches._scoring", "model_selection.searches._inner_search",
        "model_selection.searches._procedure", "model_selection.searches._row_numbers",
        "model_selection.searches._flat_search", "model_selection.searches._own_search",
        "model_selection.searches",
    ],
    ["model_selection._run", "model_selection._nested", "model_selection._cross_validate"],
    [
        "model_selection.bootstrap._split", "model_selection.bootstrap._losses",
        "model_selection.bootstrap._fit", "model_selection.bootstrap._score",
        "model_selection.bootstrap",
    ],
    [
        "model_selection.comparisons._tests", "model_selection.comparisons._result",
        "model_selection.comparisons._pooled_delong", "model_selection.comparisons._estimators",
        "model_selection.comparisons",
    ],
    ["model_selection"],
    [
        "study._sets", "study._orders", "study._tables", "study._progress",
        "study._drawing",
    ],
    ["study._text", "study._generators", "study._classifiers", "study._measures"],
    ["study._problems", "study._choice"],
    ["study._violations", "study._simulation", "study._regret"],
    ["study._displays"],
    ["study._arguments"],
    ["study._violations_command", "study._simulate_command", "study._regret_command"],
    ["study._command_line"],
    ["study"],
    ["study.__main__"],
    [""],
]  # fmt: skip
LEVEL = {module: level for level, room in enumerate(ROOMS) for module in room}
# What scikit-learn's callback mixin asks of third parties (design.md).
ALLOWED_PRIVATE = {"sklearn.callback"}


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(ROOT.rglob("*.py"))}
each_module = pytest.mark.parametrize("module", MODULES, ids=lambda name: name or "skaucx")


def imported(module):
    """Yield the absolute dotted names that a module imports, at any depth of its code."""
    path = MODULES[module]
    package = ["skaucx", *module.split(".")] if module else ["skaucx"]
    if path.name != "__init__.py":
        package = package[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
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
    return found - {module}


GRAPH = {module: own_imports(module) for module in MODULES}


@each_module
def test_every_module_has_a_room(module):
    assert module in LEVEL, "name its room in tests/test_layers.py"


def test_no_room_is_of_a_module_that_is_gone():
    assert set(LEVEL) <= set(MODULES)


@each_module
def test_imports_go_down(module):
    upward = {other for other in GRAPH[module] if LEVEL.get(other, 99) > LEVEL.get(module, 99)}
    assert not upward


def test_no_circle():
    done, path = set(), []

    def visit(module):
        assert module not in path, f"circle: {' -> '.join([*path, module])}"
        if module in done:
            return
        path.append(module)
        for other in sorted(GRAPH[module]):
            visit(other)
        path.pop()
        done.add(module)

    for module in MODULES:
        visit(module)
    assert done == set(MODULES)


def test_the_walk_sees_imports():
    """Relative, absolute and nested ones, or the tests above prove nothing."""
    assert "metrics._declare" in GRAPH["metrics.rates"]
    assert "metrics.rates" in GRAPH["metrics"]
    assert "metrics" in GRAPH["model_selection._nested"]
    assert "pandas" in imported("_compat")


@each_module
def test_nothing_private_of_scikit_learn(module):
    private = {
        name
        for name in imported(module)
        if name.startswith("sklearn.")
        and any(part.startswith("_") for part in name.split("."))
        and name.rpartition(".")[0] not in ALLOWED_PRIVATE
    }
    assert not private


@each_module
def test_matplotlib_and_pandas_are_imported_when_asked_for_only(module):
    top = ast.parse(MODULES[module].read_text()).body
    eager = {
        alias.name
        for node in top
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        if (getattr(node, "module", None) or alias.name).split(".")[0] in ("matplotlib", "pandas")
    }
    assert not eager


@each_module
def test_length(module):
    assert len(MODULES[module].read_text().splitlines()) <= MOST_LINES
