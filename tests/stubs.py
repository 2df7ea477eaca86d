"""The stub of `skaucx.metrics`, written from the registry: ``python tests/stubs.py`` renews it."""

from __future__ import annotations

import ast
import importlib
import inspect
import math
from pathlib import Path

import skaucx.metrics as package
from skaucx import regression
from skaucx.metrics._kinds.averages import AVERAGES
from skaucx.metrics._passed_through import PASSED_THROUGH
from skaucx.metrics._registry.declare import METRICS

PLACE = Path(package.__file__).with_suffix(".pyi")
_FIRST = '"""Written by ``python tests/stubs.py`` from the registry of metrics."""'
_HEAD = f"""{_FIRST}

from collections.abc import Callable, Mapping
from inspect import Parameter
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._registry.row import Metric"""
_FAMILY_HEAD = f"""{_FIRST}

from typing import Any, Literal

from numpy.typing import ArrayLike

from skaucx.metrics import _Metric, _OfCounts"""
_TYPES = {
    "labels": "ArrayLike | None",
    "pos_label": "Any",
    "rejected": "ArrayLike | None",
    "example_costs": "ArrayLike | None",
    "sample_weight": "ArrayLike | None",
    "zero_division": 'float | Literal["warn"]',
    "multi_class": 'Literal["raise", "ovr", "ovo"]',
    "rescale": 'Literal["minmax", "expit"] | None',
    "average": "Literal[" + ", ".join(f'"{name}"' for name in AVERAGES if name) + "] | None",
}
_FLOATS = (
    "Share", "PositiveShare", "OpenShare", "NonNegative", "Positive", "UpToInfinity", "Replacement",
    "Power",
)  # fmt: skip
_OWN = {
    **dict.fromkeys(_FLOATS, "float"),
    "WholePositive": "int",
    "Series": "ArrayLike",
    "Outputs": "ArrayLike",
    "OutputsOrVariance": "ArrayLike",
    "Base": 'Literal["scor", "sond", "soft"]',
    "Band": "tuple[float, float]",
    "Objective": "Any",
    "SubjectTo": "dict[Any, tuple[str, float]]",
    "Difference": "Callable[[NDArray[np.float64]], NDArray[np.float64]]",
}


def parameter(function, name, option) -> str:
    """Return a parameter as it stands in a stub; one with a mark has the type of what it checks."""
    if name in function.metric.inputs:
        return f"{name}: ArrayLike"
    formula = inspect.signature(function.metric.formula).parameters
    kind = _TYPES.get(name)
    if name in formula:
        mark, optional, _ = formula[name].annotation.partition(" | None")
        kind = _OWN.get(mark, mark) + optional
    default = option.default
    if default is option.empty:
        return f"{name}: {kind}"
    shown = "..." if isinstance(default, float) and not math.isfinite(default) else repr(default)
    return f"{name}: {kind} = {shown}"


def metric_stub(function) -> str:
    """Return the type of one metric, and the metric."""
    options = inspect.signature(function).parameters.items()
    listed = ["self", *(parameter(function, name, option) for name, option in options)]
    listed.insert(1 + len(function.metric.inputs), "*")
    found = "Any" if "average" in function.options else "float"
    title = "_" + "".join(part.title() for part in function.__name__.split("_"))
    base = "_OfCounts" if function.metric.kind.counted else "_Metric"
    lines = [
        f"class {title}({base}):",
        "    def __call__(",
        *(f"        {each}," for each in listed),
    ]
    return "\n".join([*lines, f"    ) -> {found}: ...", "", f"{function.__name__}: {title}"])


_BASES = """class _Metric:
    def __call__(self, *arrays: Any, **options: Any) -> Any: ...
    __name__: str
    metric: Metric
    options: Mapping[str, Parameter]

class _OfCounts(_Metric):
    def from_counts(
        self,
        tp: ArrayLike | Counts,
        fp: ArrayLike | None = None,
        fn: ArrayLike | None = None,
        tn: ArrayLike | None = None,
        *,
        zero_division: float | Literal["warn"] = "warn",
        **parameters: Any,
    ) -> Any: ...
    def from_table(
        self, table: ArrayLike, *, zero_division: float | Literal["warn"] = "warn", **options: Any
    ) -> Any: ..."""


def reexports() -> list[str]:
    """Return the imports of the package, each name given to whoever imports from it."""
    given: dict[str, list[str]] = {}
    for node in ast.parse(Path(package.__file__).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.level and node.module:
            names = [alias.name for alias in node.names if alias.name in package.__all__]
            given.setdefault(node.module, []).extend(names)
    lines = []
    for module, names in sorted({**given, **package._NAMES}.items()):
        if names:
            lines.append(f"from .{module} import (")
            lines += [f"    {name} as {name}," for name in names] + [")"]
    passed = [name for name, found in PASSED_THROUGH.items() if getattr(package, name) is found]
    lines.append("from sklearn.metrics import (")
    return [*lines, *(f"    {name} as {name}," for name in passed), ")"]


def metrics_of(module: str) -> dict[str, str]:
    """Return the stubs of the metrics that a public module holds, by their names."""
    own = [function for function in METRICS.values() if function.__module__ == module]
    return {function.__name__: metric_stub(function) for function in own}


def stub() -> str:
    """Return the stub of the package."""
    families = "\n".join(f"from . import {family} as {family}" for family in package.FAMILIES)
    own = metrics_of(package.__name__).values()
    return "\n\n".join([_HEAD, families, "\n".join(reexports()), _BASES, *own]) + "\n"


def family_stub(place: str) -> str:
    """Return the stub of a module of metrics, with the other names that it has."""
    metrics, module, others = metrics_of(place), importlib.import_module(place), []
    for name in set(module.__all__) - metrics.keys():
        source = getattr(module, name).__module__
        source = (
            f".{source.removeprefix(f'{place}.')}" if source.startswith(f"{place}.") else source
        )
        others.append(f"from {source} import {name} as {name}")
    return "\n\n".join(["\n".join([_FAMILY_HEAD, *sorted(others)]), *metrics.values()]) + "\n"


def stubs() -> dict[Path, str]:
    """Return every stub by its place."""
    rooms = {
        PLACE.with_name(f"{name}.pyi"): f"{package.__name__}.{name}" for name in package.FAMILIES
    }
    rooms[Path(regression.__file__).with_suffix(".pyi")] = regression.__name__
    return {PLACE: stub()} | {place: family_stub(name) for place, name in rooms.items()}


if __name__ == "__main__":
    for place, text in stubs().items():
        place.write_text(text)
