"""The guide's tables of other packages' calls and ours hold: both are run, and the values compared."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from skaucx import metrics, model_selection
from tests.public import PUBLIC

PAGE = Path(__file__).parents[1] / "examples" / "guide" / "coming_from.md"
MODULES = {
    "scikit-learn": ["sklearn.metrics"],
    "imbalanced-learn": ["imblearn.metrics"],
    "PyCM": ["pycm"],
    "mlxtend": ["mlxtend.evaluate"],
    "torchmetrics": ["torchmetrics.classification", "torch"],
    "fairlearn": ["sklearn.metrics", "fairlearn.metrics"],
}
LINE = re.compile(r"^\| `([^`]+)` \| `([^`]+)` \|$", re.MULTILINE)


def rows():
    """Yield the package and both calls of each line of a table whose calls are whole."""
    for part in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        package = part.partition("\n")[0]
        for there, here in LINE.findall(part):
            if package in MODULES and "..." not in there + here:
                yield package, there, here


def data():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    score = np.clip(rng.normal(0.35 + 0.3 * y, 0.25), 0, 1)
    other = np.clip(score + rng.normal(0, 0.2, 80), 0, 1)
    p, b = (score > 0.5).astype(int), (other > 0.5).astype(int)
    groups = rng.integers(0, 3, 80)
    c = rng.integers(0, 2, 80)
    return {"y": y, "score": score, "p": p, "a": p, "b": b, "c": c, "groups": groups}


class Ours(dict):
    """The names of the column "here": public ones of any module, many of them imported when used."""

    def __missing__(self, name):
        if name in PUBLIC:
            return PUBLIC[name]
        if name in ("regression", "study"):
            return import_module(f"skaucx.{name}")
        return getattr(model_selection if name in model_selection.__all__ else metrics, name)


MARKS = {"torchmetrics": pytest.mark.recipes, "scikit-learn": ()}
LINES = [pytest.param(*row, marks=MARKS.get(row[0], pytest.mark.peers)) for row in rows()]


@pytest.mark.parametrize(("package", "there", "here"), LINES)
def test_both_calls_give_the_same(package, there, here):
    space = data()
    for module in MODULES[package]:
        pytest.importorskip(module.partition(".")[0])
        space |= vars(import_module(module))
    theirs = eval(there, space | data())
    found = eval(here, {}, Ours(data()))
    if callable(found):
        assert "scorer" in type(found).__name__.lower()
    else:
        assert np.asarray(found) == pytest.approx(np.asarray(theirs), rel=1e-6)


def test_our_names_exist():
    """Also in the lines of packages that are not installed, and in those that are not run."""
    names, found = Ours(data()), set()
    calls = PAGE.read_text(encoding="utf-8").partition("\n## What only one")[0]
    lines = re.findall(r"^\| `.+\| (.+) \|$", calls, re.MULTILINE)
    for here in re.findall(r"`([^`]+)`", " ".join(lines)):
        for part in ast.walk(ast.parse(f"y{here}" if here[0] == "." else here)):
            if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
                assert hasattr(names[part.value.id], part.attr), here
            elif isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
                assert callable(names[part.func.id]), here
                found.add(part.func.id)
    assert len(found) > 30


def test_rows_are_found():
    assert {package for package, *_ in rows()} == set(MODULES)
