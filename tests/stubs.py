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
_HEAD = '''"""Written by ``python tests/stubs.py`` from the registry of metrics."""

from collections.abc import Callable, Mapping
from inspect import Parameter
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._registry.row import Metric
'''
_FAMILY_HEAD = '''"""Written by ``python tests/stubs.py`` from the registry of metrics."""

from typing import Any, Literal

from numpy.typing import ArrayLike

from skaucx.metrics import _Metric, _OfCounts
'''
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
_NUMBERS = (
    "Share",
    "PositiveShare",
    "OpenShare",
    "NonNegative",
    "Positive",
    "UpToInfinity",
    "Replacement",
)
_OWN = {
    **dict.fromkeys(_NUMBERS, "float"),
    "WholePositive": "int",
    "Series": "ArrayLike",
    "Outputs": "ArrayLike",
    "OutputsOrVariance": "ArrayLike",
    "Power": "float",
    "Training": "ArrayLike",
    "Times": "ArrayLike",
    "Base": 'Literal["scor", "sond", "soft"]',
    "Band": "tuple[float, float]",
    "Objective": "Any",
    "SubjectTo": "dict[Any, tuple[str, float]]",
    "Difference": "Callable[[NDArray[np.float64]], NDArray[np.float64]]",
}


def own_type(annotation: str) -> str:
    """Return the type of a formula's own parameter without the mark that checks it."""
    mark, optional, _ = annotation.partition(" | None")
    return _OWN.get(mark, mark) + optional


def parameter(function, name, option) -> str:
    """Return a parameter as it stands in a stub."""
    if name in function.metric.inputs:
        return f"{name}: ArrayLike"
    formula = inspect.signature(function.metric.formula).parameters
    kind = own_type(formula[name].annotation) if name in formula else _TYPES[name]
    if option.default is option.empty:
        return f"{name}: {kind}"
    default = option.default
    shown = "..." if isinstance(default, float) and not math.isfinite(default) else repr(default)
    return f"{name}: {kind} = {shown}"


def metric_stub(name: str) -> str:
    """Return the type of one metric, and the metric."""
    function = METRICS[name]
    listed = []
    for place, (key, option) in enumerate(inspect.signature(function).parameters.items()):
        if place == len(function.metric.inputs):
            listed.append("*")
        listed.append(parameter(function, key, option))
    found = "Any" if "average" in function.options else "float"
    title = "".join(part.title() for part in function.__name__.split("_"))
    base = "_OfCounts" if function.metric.kind.counted else "_Metric"
    lines = [f"class _{title}({base}):", "    def __call__("]
    lines += [f"        {text}," for text in ("self", *listed)]
    lines += [f"    ) -> {found}: ...", "", f"{function.__name__}: _{title}"]
    return "\n".join(lines)


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


def metrics_of(module: str) -> list[str]:
    """Return the metrics that a public module holds."""
    return [name for name in METRICS if METRICS[name].__module__ == module]


def stub() -> str:
    """Return the stub of the package."""
    families = "\n".join(f"from . import {family} as {family}" for family in package.FAMILIES)
    own = map(metric_stub, metrics_of(package.__name__))
    parts = [_HEAD.rstrip(), families, "\n".join(reexports()), _BASES, *own]
    return "\n\n".join(parts) + "\n"


def family_stub(place: str) -> str:
    """Return the stub of a module of metrics, with the other names that it has."""
    metrics = metrics_of(place)
    functions = {METRICS[name].__name__ for name in metrics}
    module = importlib.import_module(place)
    others = sorted(
        f"from {relative(getattr(module, name).__module__, place)} import {name} as {name}"
        for name in module.__all__
        if name not in functions
    )
    head = _FAMILY_HEAD.rstrip() + "".join(f"\n{line}" for line in others)
    return "\n\n".join([head, *map(metric_stub, metrics)]) + "\n"


def relative(module: str, place: str) -> str:
    """Return a module as a package at a place imports it: its own rooms by a dot."""
    own = f"{place}."
    return f".{module.removeprefix(own)}" if module.startswith(own) else module


def stubs() -> dict[Path, str]:
    """Return every stub by its place."""
    families = {
        PLACE.with_name(f"{name}.pyi"): f"{package.__name__}.{name}" for name in package.FAMILIES
    }
    families[Path(regression.__file__).with_suffix(".pyi")] = regression.__name__
    return {PLACE: stub()} | {p: family_stub(name) for p, name in families.items()}


if __name__ == "__main__":
    for place, text in stubs().items():
        place.write_text(text)
