"""Pages of the guide: their code is Python, their links hold, and the contents list each of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from skaucx import model_selection
from tests.public import PUBLIC, STUDY_NAMES

pytestmark = pytest.mark.presentation

GUIDE = Path(__file__).parents[1] / "examples" / "guide"
PAGES = {page.stem: page.read_text(encoding="utf-8") for page in GUIDE.glob("*.md")}
CELL = re.compile(r"^```(?:\{code-cell\} )?python\n(?::.*\n)*(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_cells_are_python():
    """The build of the site executes them, and an error ends it; test_recipes runs its own page."""
    cells = [(name, cell) for name, text in PAGES.items() for cell in CELL.findall(text)]
    assert len(cells) > 50
    for name, cell in cells:
        compile(cell, name, "exec")


def test_the_landing_page_is_the_readme():
    readme = (GUIDE.parents[1] / "README.md").read_text(encoding="utf-8")
    assert CELL.findall(PAGES["index"])[0] == CELL.findall(readme)[0]
    assert readme.split("\n\n")[1] in PAGES["index"]


def test_links_between_pages_hold():
    """Links to `api` are checked when the site is built: it warns of a missing page."""
    for page, text in PAGES.items():
        named = set(re.findall(r"\{doc\}`(\w+)`", text))
        assert named <= PAGES.keys(), page
        for path in re.findall(r"\]\(([^):]+)\)", text):
            assert path.startswith("api/") or (GUIDE / path).exists(), (page, path)
    listed = re.findall(r"^(?:\w+ <)?(\w+)>?$", PAGES["index"] + PAGES["start"], re.MULTILINE)
    assert PAGES.keys() - {"index"} <= set(listed)


def test_names_of_the_guide_are_public():
    """Names in backquotes that end like ours are exported, those of other packages aside."""
    public = {
        *PUBLIC,
        *model_selection.__all__,
        *STUDY_NAMES,
        "error_score",
        "learning_curve",
        "y_score",
    }
    name = re.compile(r"`(\w+_(?:score|test|curve|loss|corrcoef|sample_size|display))`")
    for page in PAGES.keys() - {"coming_from"}:
        assert set(name.findall(PAGES[page])) <= public, page
