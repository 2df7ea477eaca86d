"""Every block of code of the guide runs, each page in a namespace of its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[1] / "examples" / "guide"
BLOCK = re.compile(r"^```(?:python|\{code-cell\} python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page):
    """Return the Python of a page, without the options of its cells."""
    found = BLOCK.findall(page.read_text(encoding="utf-8"))
    return [re.sub(r"\A(?::.*\n)+", "", block) for block in found]


PAGES = {page.stem: page for page in sorted(GUIDE.glob("*.md")) if blocks(page)}


@pytest.mark.parametrize("name", PAGES)
def test_code_of_a_page_runs(name, tmp_path, monkeypatch, tally):
    monkeypatch.chdir(tmp_path)
    space = {"__name__": f"guide_{name}"}
    for block in blocks(PAGES[name]):
        exec(compile(block, str(PAGES[name]), "exec"), space)
        tally["blocks of code in the guide"] += 1


def test_pages_are_found():
    assert "own_metric" in PAGES
