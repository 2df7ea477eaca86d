"""The README is short and its code runs, and so do the examples."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import json
import re
import runpy
import sys
import tomllib
from functools import cache
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import pytest
import sklearn
from matplotlib import pyplot

from skaucx import model_selection
from skaucx.metrics import list_metrics
from tests import test_layers
from tests.each import each
from tests.public import PUBLIC
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


@cache
def load(path):
    """Return an example as a module, which several tests share."""
    spec = importlib.util.spec_from_file_location(f"example_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, spec.name, module)  # dataclasses look it up
        spec.loader.exec_module(module)
    return module


def test_is_short():
    assert len(README.split()) <= 500
    assert README.partition("\n\n")[2].startswith("scikit-learn says AUC .79.")


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


def test_tables_of_measures_hold_every_metric():
    tables = load(ROOT / "examples" / "measures.py").tables()
    for row in list_metrics():
        line = re.search(
            rf"^\| `{row.function}` \| {re.escape(row.summary.rstrip('.'))} \|.*$", tables, re.M
        )
        assert line, row.name
        assert all(alias in line[0] for alias in row.aliases)
    assert len(tables.splitlines()) == len(list_metrics()) + 2


def test_tables_are_listed_and_exist():
    """The list of what is measured names every table, and the guide none that does not exist."""
    tables = {path.name for path in RESULTS.glob("*.md")} - {"README.md"}
    listed = (RESULTS / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\]\((\w+\.md)\)", listed)) == tables
    texts = [*(ROOT / "examples/guide").glob("*.md"), *(ROOT / "skaucx").rglob("*.py")]
    text = README + "".join(path.read_text(encoding="utf-8") for path in texts)
    named = re.findall(r"benchmarks/results(?:/|: )(\w+\.md)", text)
    assert set(named) <= {*tables, "README.md"}


@each("path", sorted(set(RESULTS.glob("*.md")) - {RESULTS / "README.md"}))
def test_each_table_names_its_command(path):
    """And the command is one that exists."""
    named = re.findall(r"python -m (benchmarks(?:\.\w+)?)", path.read_text(encoding="utf-8"))
    assert named
    assert all(importlib.util.find_spec(name) for name in named)


def test_figures_stand_in_their_tables():
    """Those of the README in the table that they link to, those of the guide's pages in its rows."""
    linked = re.findall(rf"\[([^\]]*\d[^\]]*)\]\({BLOB}benchmarks/results/(\w+\.md)\)", README)
    assert len(linked) >= 3
    for shown, table in linked:
        figure = re.search(r"\d[\d.]*(?: of \d+)?", shown)[0]
        assert f" {figure} |" in (RESULTS / table).read_text(encoding="utf-8"), shown
    speed = (GUIDE / "large.md").read_text(encoding="utf-8").partition("\n## Speed")[2]
    rows = re.findall(r"^(\| .* \| .* \|) (\d\S*.*) \|$", speed, re.M)
    measured = (RESULTS / "ratios.md").read_text(encoding="utf-8").splitlines()
    assert len(rows) > 3
    for work, ratio in rows:
        assert any(line.startswith(work) and f"| {ratio} |" in line for line in measured), work


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
        load(ROOT / "examples" / "drop_in_names.py").main()
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
    load(ROOT / "examples" / f"{name}.py").main()
    assert capsys.readouterr().out.strip()


@pytest.mark.slow
@each("path", STORIES)
def test_story_asks_draws_and_answers(path, monkeypatch, capsys):
    """Its title is a question, it shows a picture, and prints no more than a screen."""
    drawn = []
    monkeypatch.setattr(pyplot, "show", lambda: drawn.extend(pyplot.get_fignums()))
    assert (
        ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        .partition("\n")[0]
        .endswith("?")
    )
    runpy.run_path(str(path), run_name="__main__")
    pyplot.close("all")
    lines = capsys.readouterr().out.splitlines()
    assert drawn
    assert 0 < len(lines) <= SCREEN[1]
    assert max(map(len, lines)) <= SCREEN[0]


def test_what_other_packages_lack_is_searched():
    """The third column of the table is that of the script, which finds no such name here."""
    script = load(ROOT / "examples" / "other_packages.py")
    searched = script.ROWS
    page = (GUIDE / "coming_from.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\S+) [\d.]+ \|.*?\|(.*?)\|$", page, re.MULTILINE)
    assert {name.lower() for name, _ in rows} == set(searched)
    for row in rows:
        package, cell = row[0].lower(), [each.strip() for each in row[1].split(",")]
        assert set(cell) & set(script.SEARCHED) == set(searched[package]), package
    names = script.public_names("scikit-learn")
    assert len(names) > 500
    for thing in searched["scikit-learn"]:
        match = re.compile(script.SEARCHED[thing], re.IGNORECASE)
        assert not [name for name in names if match.search(name)], thing


def test_pictures_are_small_and_from_the_gallery():
    drawn = {picture.__name__ for picture in load(ROOT / "examples/gallery.py").PICTURES}
    shown = [ROOT / path for path in re.findall(rf"!\[.+?\]\({RAW}(\S+)\)", README)]
    assert shown
    for path in shown:  # a page is a picture, too: that of a story
        assert path.stem in drawn or path.with_suffix(".py").name in {p.name for p in STORIES}
        assert path.stat().st_size < 60_000


def test_the_gallery_shows_every_display():
    drawn = "".join(
        inspect.getsource(picture) for picture in load(ROOT / "examples/gallery.py").PICTURES
    )
    displays = [name for name in {*PUBLIC, *model_selection.__all__} if name.endswith("Display")]
    assert len(displays) > 15
    missing = [name for name in displays if f"{name}(" not in drawn and f"{name}." not in drawn]
    assert not missing, "add a picture of it to examples/gallery.py"


def test_notebook_is_the_story():
    """``sphinx_gallery_py2jupyter examples/nested_cv.py`` of the package sphinx-gallery makes it."""
    cells = json.loads((ROOT / "examples/nested_cv.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    story = (ROOT / "examples/nested_cv.py").read_text(encoding="utf-8")
    blocks = [re.sub(r"\A(?:#.*\n)+", "", block).strip() for block in story.split("# %%\n")[1:]]
    assert code == blocks


def test_examples_are_found():
    assert len(STORIES) >= 10
    assert {path.stem for path in EXAMPLES} >= set(TOOLS)


def test_the_gallery_holds_the_stories_alone():
    """A tool has no title, without which a page of the site cannot be linked."""
    build = (ROOT / "examples" / "guide" / "build.py").read_text(encoding="utf-8")
    ignored = ast.literal_eval(re.search(r"^TOOLS = (\(.+\))", build, re.MULTILINE)[1])
    assert set(ignored) == set(TOOLS)


def test_rooms_are_those_of_the_layers():
    """The table of the guide orders the rooms by their imports, and leaves none out."""
    rooms = load(ROOT / "examples" / "rooms.py")
    rows = [line.split(" | ") for line in rooms.table().splitlines()[2:]]
    names = [row[0].strip("| `") for row in rows]
    assert {"_arrays", "metrics._formulas", "model_selection.results", "command"} <= set(names)
    assert set(names) <= {*test_layers.ROOMS, "metrics._passed_through"}
    for place, (_, told, below) in enumerate(rows):
        assert told.endswith(".")
        assert set(re.findall(r"`([\w.]+)`", below)) <= set(names[:place])
