"""The README is short and its code runs, and so do the examples."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from skaucx.metrics import list_metrics

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
RESULTS = ROOT / "benchmarks" / "results"
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def load(path, monkeypatch):
    spec = importlib.util.spec_from_file_location(f"example_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


def test_is_short():
    assert len(README.encode()) <= 9_000


def test_tables_of_measures_hold_every_metric(monkeypatch):
    tables = load(ROOT / "examples" / "measures.py", monkeypatch).tables()
    for row in list_metrics():
        assert f"| `{row.function}` | {row.summary.rstrip('.')} |" in tables


def test_figures_are_those_of_the_results():
    """Each row of the tables of speed and truth ends with cells of a measured row."""
    measured = "".join(path.read_text(encoding="utf-8") for path in RESULTS.glob("*.md"))
    speed, truth = (
        README.partition(f"## {title}\n")[2].partition("\n## ")[0] for title in ("Speed", "Truth")
    )
    found = [
        line.strip("| ").split(" | ")
        for line in (speed + truth).splitlines()
        if re.match(r"\|.*\d", line)
    ]
    rows = [row for row in found if re.fullmatch(r"[\d./ ]+(\(missed\))?", row[-1])]
    assert len(rows) >= 7
    for row in rows:
        assert all(
            f"| {cell} |" in measured
            for cell in row
            if re.fullmatch(r"[\d./ ]+(\(missed\))?", cell)
        ), row


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
    assert shown
    for path in shown:
        assert path.stem in drawn
        assert path.stat().st_size < 60_000


def test_examples_are_found():
    assert len(EXAMPLES) >= 5
