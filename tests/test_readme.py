"""README, examples and the other files of the repository: code runs, links hold, versions are alike.

``python -m tests.test_readme`` renews the output that the README shows.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import re
import runpy
import tomllib
from pathlib import Path

import pytest
import sklearn
from matplotlib import pyplot

ROOT = Path(__file__).parents[1]


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


README = text("README.md")
RESULTS = ROOT / "benchmarks" / "results"
TABLES = {path.name: path.read_text(encoding="utf-8") for path in RESULTS.glob("*.md")}
LISTED = TABLES.pop("README.md")
TOOLS = ("drop_in_names", "gallery", "measures", "other_packages", "rooms", "study_tables")
STORIES = sorted({path.stem for path in (ROOT / "examples").glob("*.py")}.difference(TOOLS))
PROJECT = tomllib.loads(text("pyproject.toml"))["project"]
BLOB = f"{PROJECT['urls']['Source']}/blob/main/"
RAW = BLOB.replace("github.com", "raw.githubusercontent.com").replace("blob/", "")
SCREEN = (80, 50)  # columns and lines
# Code, and the block without a language that follows it, if one does.
BLOCKS = re.compile(r"(```python\n(.*?)```)(\n\n```\n(.*?)```)?", re.DOTALL)
PAGES = re.compile(r".*(\.report|report)\(.*\n")


def renewed():
    """Return the README with what its code prints: as many lines, from that of the same beginning on."""
    space = {}

    def block(found):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(PAGES.sub("", found[2]), space)
        if not found[3]:
            return found[0]
        lines, shown = printed.getvalue().splitlines(), found[4].splitlines()
        first = shown[0].partition("  ")[0]
        start = next(k for k, line in enumerate(lines) if line.startswith(first))
        return "\n".join([found[1], "", "```", *lines[start : start + len(shown)], "```"])

    return BLOCKS.sub(block, README)


def test_links_are_absolute_and_hold():
    """A package index shows the README too, without the files of the repository."""
    links = re.findall(r"\]\((\S+?)\)", README)
    assert len(links) >= 8
    for link in links:
        assert link.startswith("https://"), link
        for place in (BLOB, RAW):
            if link.startswith(place):
                assert (ROOT / link.removeprefix(place)).exists(), link
        if page := re.fullmatch(rf"{PROJECT['urls']['Documentation']}/en/stable/(\w+)\.html", link):
            assert (ROOT / f"examples/guide/{page[1]}.md").exists(), link


def test_output_is_what_the_code_prints():
    """The blocks without a language that follow code; of the summary, its first table."""
    assert len(re.findall(r"```\n\n```\n", README)) == 2
    assert renewed() == README, "run python -m tests.test_readme"


def test_tables_are_listed_exist_and_name_their_command():
    """The list of what is measured names every table, and nothing one that does not exist."""
    assert set(re.findall(r"\]\((\w+\.md)\)", LISTED)) == TABLES.keys()
    files = [*(ROOT / "examples/guide").glob("*.md"), *(ROOT / "skaucx").rglob("*.py")]
    texts = README + "".join(path.read_text(encoding="utf-8") for path in files)
    named = re.findall(r"benchmarks/results(?:/|: )(\w+\.md)", texts)
    assert set(named) <= {*TABLES, "README.md"}
    for name, table in TABLES.items():
        commands = re.findall(r"python -m (benchmarks(?:\.\w+)?)", table)
        assert commands, name
        assert all(map(importlib.util.find_spec, commands)), name


def test_figures_stand_in_their_tables():
    """A figure of the README is a cell of the table that it links to."""
    linked = re.findall(rf"\[([^\]]*\d[^\]]*)\]\({BLOB}benchmarks/results/(\w+\.md)\)", README)
    assert linked
    for shown, table in linked:
        figure = re.search(r"\d[\d.]*(?: of \d+)?", shown)[0]
        assert f" {figure} |" in TABLES[table], shown


def test_names_of_scikit_learn(capsys):
    """The page is what the tool prints for the version that it names; the README counts its rows."""
    page = text("examples/guide/coming_from.md")
    rows = re.findall(r"^\| `.*\|$", page.partition("\n| `sklearn.metrics` |")[2], re.MULTILINE)
    kinds = [row.split(" | ")[1] for row in rows]
    many = {kind: kinds.count(kind) for kind in ("extended", "unchanged", "not about classifiers")}
    assert ", ".join(f"{n} {kind}" for kind, n in many.items()) in README
    assert sum(many.values()) == len(rows)
    if f"scikit-learn {'.'.join(sklearn.__version__.split('.')[:2])} gives" in page:
        runpy.run_path(str(ROOT / "examples/drop_in_names.py"), run_name="__main__")
        assert capsys.readouterr().out.splitlines()[2:] == rows


def unless(names, *fast):
    """Return names as cases, slow ones unless they are fast."""
    return [pytest.param(n, marks=[pytest.mark.slow] * (n not in fast), id=n) for n in names]


# tests/study reads what study_tables prints
@pytest.mark.parametrize("name", unless(TOOLS[:-1], *{*TOOLS} - {"gallery"}))
def test_tool_runs(name, capsys):
    runpy.run_path(str(ROOT / "examples" / f"{name}.py"), run_name="__main__")
    assert capsys.readouterr().out.strip()


@pytest.mark.parametrize("name", unless(STORIES, "nested_cv"))
def test_story_draws_and_prints_a_screen(name, monkeypatch, capsys):
    drawn = []
    monkeypatch.setattr(pyplot, "show", lambda: drawn.extend(pyplot.get_fignums()))
    runpy.run_path(str(ROOT / "examples" / f"{name}.py"), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert drawn
    assert 0 < len(lines) <= SCREEN[1]
    assert max(map(len, lines)) <= SCREEN[0]


def test_notebook_is_the_story():
    """``sphinx_gallery_py2jupyter examples/nested_cv.py`` of the package sphinx-gallery makes it."""
    cells = json.loads(text("examples/nested_cv.ipynb"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    blocks = text("examples/nested_cv.py").split("# %%\n")[1:]
    assert code == [re.sub(r"\A(?:#.*\n)+", "", block).strip() for block in blocks]


def test_citation_zenodo_conda_and_changelog_are_of_this_version():
    """The recipe for conda requires what the wheel requires; the first release says what rooms have."""
    for name, of in (("CITATION.cff", "\n{}: {}\n"), (".zenodo.json", '"{}": "{}"')):
        for key in ("version", "license"):
            assert of.format(key, PROJECT[key]) in text(name), name
    recipe = text(".github/conda/recipe.yaml")
    assert f'version: "{PROJECT["version"]}"' in recipe
    needed = {name.replace(">=", " >=") for name in PROJECT["dependencies"]}
    run = recipe.partition("  run:\n")[2].partition("\ntests:")[0]
    assert set(re.findall(r"- (.+)", run)) == needed | {f"python {PROJECT['requires-python']}"}
    [entry] = text("CHANGELOG.md").split("\n## ")[1:]
    assert entry.split()[0] == PROJECT["version"]
    assert all(f"`skaucx.{room}`" in entry for room in ("regression", "study"))


def test_workflows_publish_without_a_token():
    """Only the job that publishes may write, and what it may write is its identity."""
    workflows = {path.name: path.read_text() for path in (ROOT / ".github/workflows").glob("*.yml")}
    for name, workflow in workflows.items():
        assert "permissions:\n  contents: read\n" in workflow, name
        assert "secrets." not in workflow, name
    release = workflows["release.yml"]
    assert "id-token: write" in release.partition("  publish:")[2]
    assert release.count("write") == 1


def test_files_that_contributing_names_exist():
    """Paths in backquotes, from the root, the package or its metrics."""
    path = r"`([\w./]+\.(?:py|pyi|json|md|cff)|\.ci/(?:run|full|part|oldest))`"
    named = re.findall(path, text("CONTRIBUTING.md"))
    assert named
    for path in named:
        places = (ROOT, ROOT / "skaucx", ROOT / "skaucx/metrics")
        assert any((place / path).exists() for place in places), path


if __name__ == "__main__":
    (ROOT / "README.md").write_text(renewed(), encoding="utf-8")
