"""The README's tables and code are what the package prints and runs."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_measures_are_those_of_the_registry() -> None:
    spec = importlib.util.spec_from_file_location("measures", ROOT / "examples" / "measures.py")
    assert spec is not None
    assert spec.loader is not None
    measures = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(measures)
    table = re.search(r"<!-- measures -->\n(.*)<!-- end of measures -->", README, re.DOTALL)
    assert table is not None
    assert table[1].strip() == measures.tables()


def test_code_runs() -> None:
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(blocks) >= 3
    exec("\n".join(blocks), {})


def test_every_example_runs(capsys) -> None:
    examples = sorted((ROOT / "examples").glob("*.py"))
    assert len(examples) >= 5
    for path in examples:
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.main()
        assert capsys.readouterr().out.strip(), path.name
