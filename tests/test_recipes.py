"""What serves instead of what skaucx does not do: each block of the guide's page runs."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest
from matplotlib import pyplot

PAGE = Path(__file__).parents[1] / "examples" / "guide" / "what_it_does_not_do.md"
SHARED, *BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
# Packages that `.ci/part peers` installs, and those that `.ci/part recipes` installs as well.
PEERS = {"fairlearn", "statsmodels"}
OTHERS = {
    "arch", "autorank", "baycomp", "lightgbm", "mapie", "optuna_integration", "ppi_py", "ranx",
    "scikit_posthocs", "sksurv",
}  # fmt: skip


def packages(block):
    """Return the packages that a block imports."""
    nodes = list(ast.walk(ast.parse(block)))
    names = [each.name for node in nodes if isinstance(node, ast.Import) for each in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom)]
    return {name.partition(".")[0] for name in names}


def cases():
    """Yield each block with the mark of the part that installs its packages."""
    for block in BLOCKS:
        needed = packages(block)
        mark = [pytest.mark.recipes] if needed & OTHERS else [pytest.mark.peers]
        marks = mark if needed & (OTHERS | PEERS) else []
        yield pytest.param(block, marks=marks, id=block.split("\n")[0])


@pytest.mark.filterwarnings("default")  # those of other packages are no concern of ours
@pytest.mark.parametrize("block", list(cases()))
def test_block_runs(block, capsys):
    for name in packages(block) & (OTHERS | PEERS):
        import_module(name)
    space = {}
    exec(SHARED, space)
    exec(block, space)
    pyplot.close("all")
    assert capsys.readouterr().out.strip()


def test_every_package_has_a_block():
    assert {*PEERS, *OTHERS} <= set.union(*map(packages, BLOCKS))
