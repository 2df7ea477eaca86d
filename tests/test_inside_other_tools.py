"""The blocks of the page "Inside other tools", each where its package is installed."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[1] / "examples" / "guide" / "inside_other_tools.md").read_text(
    encoding="utf-8"
)
CELLS = re.findall(r"^```\{code-cell\} python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
OF_ALL = [cell for cell in CELLS if "except ImportError" not in cell]
TOOLS = {
    "skore": "mm7_auc",
    "mlflow": "npv",
    "optuna": r"0\.\d+",
    "wandb": r"0\.\d+",
    "mapie": "95 %",
}


@pytest.mark.filterwarnings("default")  # those of other packages
@pytest.mark.parametrize("tool", TOOLS)
def test_block(tool, capsys, monkeypatch, tmp_path):
    """With SKAUCX_OTHER_TOOLS set, as in the workflow, a package that is not there is an error."""
    if "SKAUCX_OTHER_TOOLS" not in os.environ:
        pytest.importorskip(tool)
    monkeypatch.chdir(tmp_path)
    [own] = [
        cell for cell in CELLS if re.search(rf"^    (import|from) {tool}\b", cell, re.MULTILINE)
    ]
    names: dict[str, object] = {}
    for cell in [*OF_ALL, own]:
        capsys.readouterr()
        exec(compile(cell, "inside_other_tools.md", "exec"), names)
    printed = capsys.readouterr().out
    assert "pip install" not in printed
    assert re.search(TOOLS[tool], printed)


def test_every_block_is_run():
    assert len(CELLS) == len(OF_ALL) + len(TOOLS)
