"""The README's tables and code, and the examples, are what the package prints and runs."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def load(path, monkeypatch):
    spec = importlib.util.spec_from_file_location(f"example_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


def test_measures_are_those_of_the_registry(monkeypatch):
    measures = load(ROOT / "examples" / "measures.py", monkeypatch)
    table = re.search(r"<!-- measures -->\n(.*)<!-- end of measures -->", README, re.DOTALL)
    assert table is not None
    assert table[1].strip() == measures.tables()


def test_code_runs():
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(blocks) >= 3
    exec("\n".join(blocks), {})


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_example_runs(path, monkeypatch, capsys):
    load(path, monkeypatch).main()
    assert capsys.readouterr().out.strip()


def test_pictures_are_small_and_from_the_gallery(monkeypatch):
    drawn = {
        picture.__name__ for picture in load(ROOT / "examples/gallery.py", monkeypatch).PICTURES
    }
    shown = [ROOT / path for path in re.findall(r"!\[.+?\]\((\S+)\)", README)]
    assert len(shown) >= 2
    for path in shown:
        assert path.stem in drawn
        assert path.stat().st_size < 60_000


def test_examples_are_found():
    assert len(EXAMPLES) >= 5
