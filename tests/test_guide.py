"""Examples in docstrings run; pages of the guide hold: code, links, calls of other packages and ours."""

from __future__ import annotations

import ast
import doctest
import pkgutil
import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import sklearn.metrics
from matplotlib import pyplot

import skaucx
from skaucx import metrics, model_selection
from tests.public import PUBLIC, STUDY_NAMES

ROOMS = [module.name for module in pkgutil.walk_packages(skaucx.__path__, "skaucx.")]
# Docstrings of functions that are passed on; their examples are tests of scikit-learn's versions.
THEIRS = {vars(sklearn.metrics)[name].__doc__ for name in sklearn.metrics.__all__}


@pytest.mark.parametrize("name", [name for name in ["skaucx", *ROOMS] if "__main__" not in name])
def test_examples_in_docstrings_run(name):
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for test in doctest.DocTestFinder().find(import_module(name), name):
        if not test.examples or test.docstring in THEIRS:
            continue  # a run of none makes a debugger, which looks for every file that was read
        assert runner.run(test).failed == 0, test.name


GUIDE = Path(__file__).parents[1] / "examples" / "guide"
PAGES = {page.stem: page.read_text(encoding="utf-8") for page in GUIDE.glob("*.md")}
CELL = re.compile(r"^```(?:\{code-cell\} )?python\n(?::.*\n)*(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_cells_are_python():
    """The build of the site executes them, and an error ends it; tests run those of two pages."""
    cells = [(name, cell) for name, text in PAGES.items() for cell in CELL.findall(text)]
    assert len(cells) > 50
    for name, cell in cells:
        compile(cell, name, "exec")


def test_the_landing_page_is_the_readme():
    readme = (GUIDE.parents[1] / "README.md").read_text(encoding="utf-8")
    assert CELL.findall(PAGES["index"])[0] == CELL.findall(readme)[0]
    assert readme.split("\n\n")[1] in PAGES["index"]


def test_links_between_pages_hold_and_the_contents_list_each():
    """Links to `api` are checked when the site is built: it warns of a missing page."""
    for page, text in PAGES.items():
        assert set(re.findall(r"\{doc\}`(\w+)`", text)) <= PAGES.keys(), page
        for path in re.findall(r"\]\(([^):]+)\)", text):
            assert path.startswith("api/") or (GUIDE / path).exists(), (page, path)
    listed = re.findall(r"^(?:\w+ <)?(\w+)>?$", PAGES["index"] + PAGES["start"], re.MULTILINE)
    assert PAGES.keys() - {"index"} <= set(listed)


@pytest.mark.presentation
def test_names_of_the_guide_are_public():
    """Names in backquotes that end like ours are exported, those of other packages aside."""
    public = {*PUBLIC, *model_selection.__all__, *STUDY_NAMES}
    public |= {"error_score", "learning_curve", "y_score"}
    name = re.compile(r"`(\w+_(?:score|test|curve|loss|corrcoef|sample_size|display))`")
    for page in PAGES.keys() - {"coming_from"}:
        assert set(name.findall(PAGES[page])) <= public, page


# What serves instead of what skaucx does not do, a block each, after one that all share.
SHARED, *BLOCKS = CELL.findall(PAGES["what_it_does_not_do"])
# Packages that `.ci/part peers` installs, and those that `.ci/part recipes` installs as well.
PEERS = {"fairlearn", "statsmodels"}
OTHERS = {
    "arch", "autorank", "baycomp", "lightgbm", "mapie", "optuna_integration", "ppi_py", "ranx",
    "scikit_posthocs", "sksurv",
}  # fmt: skip


def packages(block):
    """Return the packages that a block imports."""
    nodes = list(ast.walk(ast.parse(block)))
    names = [each.name for node in nodes if isinstance(node, ast.Import) for each in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom)]
    return {name.partition(".")[0] for name in names}


def recipes():
    """Yield each block with the mark of the part that installs its packages."""
    for block in BLOCKS:
        needed = packages(block)
        marks = [pytest.mark.recipes] if needed & OTHERS else []
        marks += [pytest.mark.peers] if needed & PEERS and not marks else []
        yield pytest.param(block, marks=marks, id=block.split("\n")[0])


@pytest.mark.filterwarnings("default")  # those of other packages are no concern of ours
@pytest.mark.parametrize("block", list(recipes()))
def test_what_serves_instead_runs(block, capsys):
    space = {}
    exec(SHARED + block, space)
    pyplot.close("all")
    assert capsys.readouterr().out.strip()


def test_every_package_has_a_block():
    assert {*PEERS, *OTHERS} <= set.union(*map(packages, BLOCKS))


# Tables of other packages' calls and ours.
MODULES = {
    "scikit-learn": ["sklearn.metrics"],
    "imbalanced-learn": ["imblearn.metrics"],
    "PyCM": ["pycm"],
    "mlxtend": ["mlxtend.evaluate"],
    "torchmetrics": ["torchmetrics.classification", "torch"],
    "fairlearn": ["sklearn.metrics", "fairlearn.metrics"],
}
MARKS = {"torchmetrics": pytest.mark.recipes, "scikit-learn": ()}


def rows():
    """Yield the package and both calls of each line of a table whose calls are whole."""
    for part in PAGES["coming_from"].split("\n## ")[1:]:
        package = part.partition("\n")[0]
        for there, here in re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|$", part, re.MULTILINE):
            if package in MODULES and "..." not in there + here:
                marks = MARKS.get(package, pytest.mark.peers)
                yield pytest.param(package, there, here, marks=marks)


ROWS = list(rows())


def data():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    score = np.clip(rng.normal(0.35 + 0.3 * y, 0.25), 0, 1)
    other = np.clip(score + rng.normal(0, 0.2, 80), 0, 1)
    p, b = (score > 0.5).astype(int), (other > 0.5).astype(int)
    groups, c = rng.integers(0, 3, 80), rng.integers(0, 2, 80)
    return {"y": y, "score": score, "p": p, "a": p, "b": b, "c": c, "groups": groups}


class Ours(dict):
    """The names of the column "here": public ones of any module, many of them imported when used."""

    def __missing__(self, name):
        if name in PUBLIC:
            return PUBLIC[name]
        if name in ("regression", "study"):
            return import_module(f"skaucx.{name}")
        return getattr(model_selection if name in model_selection.__all__ else metrics, name)


@pytest.mark.parametrize(("package", "there", "here"), ROWS)
def test_both_calls_give_the_same(package, there, here):
    space = {}
    for module in MODULES[package]:
        pytest.importorskip(module.partition(".")[0])
        space |= vars(import_module(module))
    theirs = eval(there, space | data())
    found = eval(here, {}, Ours(data()))
    if callable(found):
        assert "scorer" in type(found).__name__.lower()
    else:
        assert np.asarray(found) == pytest.approx(np.asarray(theirs), rel=1e-6)


def test_our_names_in_the_tables_exist():
    """Also in the lines of packages that are not installed, and in those that are not run."""
    assert {row.values[0] for row in ROWS} == set(MODULES)
    names, found = Ours(data()), set()
    calls = PAGES["coming_from"].partition("\n## What only one")[0]
    lines = re.findall(r"^\| `.+\| (.+) \|$", calls, re.MULTILINE)
    for here in re.findall(r"`([^`]+)`", " ".join(lines)):
        for part in ast.walk(ast.parse(f"y{here}" if here[0] == "." else here)):
            if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
                assert hasattr(names[part.value.id], part.attr), here
            elif isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
                assert callable(names[part.func.id]), here
                found.add(part.func.id)
    assert len(found) > 30
