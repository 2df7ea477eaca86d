"""The README is short and its code runs, and so do the examples."""

from __future__ import annotations

import importlib.util
import json
import re
import runpy
import tomllib
from pathlib import Path

import pytest
import sklearn
from matplotlib import pyplot

from tests.readme import renewed

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = ROOT / "examples" / "guide"
RESULTS = ROOT / "benchmarks" / "results"
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
TOOLS = ("drop_in_names", "gallery", "measures", "other_packages", "rooms", "study_tables")
STORIES = [path for path in EXAMPLES if path.stem not in TOOLS]
URLS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
BLOB = f"{URLS['Source']}/blob/main/"
RAW = BLOB.replace("github.com", "raw.githubusercontent.com").replace("blob/", "")
SCREEN = (80, 50)  # columns and lines


def test_links_are_absolute_and_hold():
    """A package index shows the README too, without the files of the repository."""
    links = re.findall(r"\]\((\S+?)\)", README)
    assert len(links) >= 8
    for link in links:
        assert link.startswith("https://"), link
        for place in (BLOB, RAW):
            if link.startswith(place):
                assert (ROOT / link.removeprefix(place)).exists(), link
        if page := re.fullmatch(rf"{URLS['Documentation']}/en/stable/(\w+)\.html", link):
            assert (ROOT / f"examples/guide/{page[1]}.md").exists(), link


def test_output_is_what_the_code_prints():
    """The blocks without a language that follow code; of the summary, its first table."""
    assert len(re.findall(r"```\n\n```\n", README)) == 2
    assert renewed() == README, "run python -m tests.readme"


def test_tables_are_listed_and_exist():
    """The list of what is measured names every table, and the guide none that does not exist."""
    tables = {path.name for path in RESULTS.glob("*.md")} - {"README.md"}
    listed = (RESULTS / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\]\((\w+\.md)\)", listed)) == tables
    texts = [*(ROOT / "examples/guide").glob("*.md"), *(ROOT / "skaucx").rglob("*.py")]
    text = README + "".join(path.read_text(encoding="utf-8") for path in texts)
    named = re.findall(r"benchmarks/results(?:/|: )(\w+\.md)", text)
    assert set(named) <= {*tables, "README.md"}


def test_each_table_names_its_command():
    """And the command is one that exists."""
    for path in set(RESULTS.glob("*.md")) - {RESULTS / "README.md"}:
        named = re.findall(r"python -m (benchmarks(?:\.\w+)?)", path.read_text(encoding="utf-8"))
        assert named, path.name
        assert all(map(importlib.util.find_spec, named)), path.name


def test_figures_stand_in_their_tables():
    """A figure of the README is a cell of the table that it links to."""
    linked = re.findall(rf"\[([^\]]*\d[^\]]*)\]\({BLOB}benchmarks/results/(\w+\.md)\)", README)
    assert linked
    for shown, table in linked:
        figure = re.search(r"\d[\d.]*(?: of \d+)?", shown)[0]
        assert f" {figure} |" in (RESULTS / table).read_text(encoding="utf-8"), shown


def test_names_of_scikit_learn(capsys):
    """The page is what the tool prints for the version that it names; the README counts its rows."""
    page = (GUIDE / "coming_from.md").read_text(encoding="utf-8")
    table = page.partition("\n| `sklearn.metrics` |")[2]
    rows = re.findall(r"^\| `.*\|$", table, re.MULTILINE)
    kinds = [row.split(" | ")[1] for row in rows]
    many = {kind: kinds.count(kind) for kind in ("extended", "unchanged", "not about classifiers")}
    assert ", ".join(f"{n} {kind}" for kind, n in many.items()) in README
    assert sum(many.values()) == len(rows)
    if f"scikit-learn {'.'.join(sklearn.__version__.split('.')[:2])} gives" in page:
        runpy.run_path(str(ROOT / "examples/drop_in_names.py"), run_name="__main__")
        assert capsys.readouterr().out.splitlines()[2:] == rows


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name == "gallery"))
        for name in TOOLS
        if name != "study_tables"  # of which tests/study reads what it prints
    ],
)
def test_tool_runs(name, capsys):
    runpy.run_path(str(ROOT / "examples" / f"{name}.py"), run_name="__main__")
    assert capsys.readouterr().out.strip()


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[pytest.mark.slow] * (path.stem != "nested_cv"), id=path.stem)
        for path in STORIES  # that of the README's command runs with every change
    ],
)
def test_story_draws_and_prints_a_screen(path, monkeypatch, capsys):
    drawn = []
    monkeypatch.setattr(pyplot, "show", lambda: drawn.extend(pyplot.get_fignums()))
    runpy.run_path(str(path), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert drawn
    assert 0 < len(lines) <= SCREEN[1]
    assert max(map(len, lines)) <= SCREEN[0]


def test_notebook_is_the_story():
    """``sphinx_gallery_py2jupyter examples/nested_cv.py`` of the package sphinx-gallery makes it."""
    cells = json.loads((ROOT / "examples/nested_cv.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    story = (ROOT / "examples/nested_cv.py").read_text(encoding="utf-8")
    blocks = [re.sub(r"\A(?:#.*\n)+", "", block).strip() for block in story.split("# %%\n")[1:]]
    assert code == blocks
