"""What the pages of the guide name, link and show; the site's build executes their cells."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from skaucx import model_selection
from skaucx.metrics._registry.names import named_metric
from tests.public import PUBLIC, STUDY_NAMES

pytestmark = pytest.mark.presentation

GUIDE = Path(__file__).parents[1] / "examples" / "guide"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CELL = re.compile(r"^```\{code-cell\} python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def found_in(page, pattern):
    """Return the Python of a page, without the options of its cells."""
    found = pattern.findall(page.read_text(encoding="utf-8"))
    return [re.sub(r"\A(?::.*\n)+", "", block) for block in found]


def test_cells_are_python(tally):
    """The build of the site executes them, and an error ends it; test_recipes runs its own page."""
    cells = {page.stem: found_in(page, CELL) for page in GUIDE.glob("*.md")}
    for name, own in cells.items():
        for cell in own:
            compile(cell, name, "exec")
            tally["cells of the guide"] += 1
    assert cells["own_metric"]
    blocks = {page.stem for page in GUIDE.glob("*.md") if found_in(page, BLOCK)}
    assert blocks == {"what_it_does_not_do"}


def test_twenty_tasks_take_ten_lines_each():
    """After the data and the model, which all of them share."""
    tasks = (GUIDE / "tasks.md").read_text(encoding="utf-8").split("\n## ")[1:]
    assert len(tasks) == 20
    for task in tasks:
        title = task.partition("\n")[0]
        assert title.startswith("I have ")
        assert " I want " in title
        code = re.findall(r"(?ms)^```\{code-cell\} python\n(.*?)^```$", task)
        for block in code:
            assert sum(bool(line.strip()) for line in block.splitlines()) <= 10, title


def test_the_landing_page_is_the_readme():
    """The same problem, picture and code; the site runs it and shows what it prints."""
    readme = (GUIDE.parents[1] / "README.md").read_text(encoding="utf-8")
    landing = (GUIDE / "index.md").read_text(encoding="utf-8")
    assert found_in(GUIDE / "index.md", CELL)[0] == BLOCK.search(readme)[1]
    problem = readme.split("\n\n")[1]
    assert problem in landing
    assert "![The first screen of a report" in landing
    assert "images/verdict.png" in landing


def test_every_page_has_a_line_in_the_guide():
    text = (GUIDE / "start.md").read_text(encoding="utf-8")
    entries = dict(re.findall(r"^\{doc\}`([\w/]+)`\n: (.+\.)$", text, re.MULTILINE))
    pages = {page.stem for page in GUIDE.glob("*.md")} - {"index"}
    assert len(pages) == 18
    assert pages - {"start"} <= set(entries)


def test_links_between_pages_hold():
    """Pages named by {doc}, files named by links and pictures, and pages of the contents exist.

    What the site generates, under `api`, is checked when it is built: it warns of a missing page.
    """
    for page in GUIDE.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        for name in re.findall(r"\{doc\}`(\w+)`", text):  # not those of `api`
            assert (GUIDE / f"{name}.md").exists(), (page.name, name)
        for path in re.findall(r"\]\(([^):]+)\)", text):
            assert path.startswith("api/") or (GUIDE / path).exists(), (page.name, path)
    contents = "".join(
        (GUIDE / name).read_text(encoding="utf-8") for name in ("index.md", "start.md")
    )
    listed = set(re.findall(r"^(?:\w+ <)?(\w+)>?$", contents, re.M))
    assert {page.stem for page in GUIDE.glob("*.md")} == listed | {"index"}


def test_code_fits_into_80_columns():
    """The two commands that set up a checkout aside, which are one line each."""
    code = re.compile(
        r"^```(?:python|\{code-cell\} python|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL
    )
    for page in (GUIDE.parents[1] / "README.md", *GUIDE.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        for block in code.findall(re.sub(r"(?s)<!-- example -->.*<!-- end -->", "", text)):
            assert not [line for line in block.splitlines() if len(line) > 80], page.name


def test_names_of_the_guide_are_public():
    """Names in backquotes that end like ours are exported, those of other packages aside."""
    public = {*PUBLIC, *model_selection.__all__, *STUDY_NAMES}
    name = re.compile(r"`(\w+_(?:score|test|curve|loss|corrcoef|sample_size|display))`")
    for page in GUIDE.glob("*.md"):
        if page.stem != "coming_from":
            found = set(name.findall(page.read_text(encoding="utf-8"))) - {
                "error_score",
                "learning_curve",
                "y_score",
            }
            assert found <= public, page.name


def test_what_is_declined_has_a_reason():
    """Verbal grades of an AUC, and clustering metrics by name."""
    for page, reason, name in (
        ("which_metric", "\n## Is an AUC of 0.8 good?\n", "auc_grade"),
        ("what_it_does_not_do", "\nClustering metrics are in", "v_measure"),
    ):
        assert reason in (GUIDE / f"{page}.md").read_text(encoding="utf-8")
        with pytest.raises(ValueError, match="is not the name"):
            named_metric(name)
