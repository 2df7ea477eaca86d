"""Rooms stay below their ceilings in CONTRIBUTING.md; ``python -m tests.test_sizes`` renews the table.

Statements of the syntax tree are counted, docstrings aside: they do not change with the layout of lines.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

PACKAGE, TABLE = (Path(__file__).parents[1] / name for name in ("skaucx", "CONTRIBUTING.md"))
ROW = re.compile(
    r"^\| ((?:`[\w/.]+`(?:, )?)+|\*\*all\*\*) \| ([\d,]+) \| ([\d,]+) \|", re.MULTILINE
)


def statements(source):
    """Return the number of statements of a module; strings that stand alone are none."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt)]
    values = [node.value for node in nodes if isinstance(node, ast.Expr)]
    constants = [value.value for value in values if isinstance(value, ast.Constant)]
    return len(nodes) - sum(isinstance(constant, str) for constant in constants)


def ceilings():
    """Return the ceiling of each row of the table, named by its folders and files."""
    rows = ROW.findall(TABLE.read_text(encoding="utf-8"))
    return {room: int(at_most.replace(",", "")) for room, _, at_most in rows}


def sizes():
    """Return the statements of each row: a file counts where the longest part of its path stands."""
    rows = {place: room for room in ceilings() for place in re.findall(r"`([\w/.]+)`", room)}
    found = Counter()
    for path in sorted(PACKAGE.rglob("*.py")):
        own = path.relative_to(PACKAGE)
        above = own.parents[:-1] or own.parents  # files of the top level stand in "."
        places = [each.as_posix() for each in (own, *above) if each.as_posix() in rows]
        assert places, f"{own} is in no room of the table in CONTRIBUTING.md"
        count = statements(path.read_text(encoding="utf-8"))
        found.update({rows[places[0]]: count, "**all**": count})
    return found


def test_every_room_is_below_its_ceiling():
    found, most = sizes(), ceilings()
    assert len(most) > 10
    above = {room: (found[room], most[room]) for room in most if found[room] > most[room]}
    assert not above, "statements and ceiling; give something up, or find a simpler design"


def test_a_docstring_is_no_statement():
    assert statements('"""Of a module."""\nif x:\n    "a note"\n    y = 1\n') == 2


if __name__ == "__main__":
    now = sizes()
    text = TABLE.read_text(encoding="utf-8")
    renewed = ROW.sub(lambda row: f"| {row[1]} | {now[row[1]]:,} | {row[3]} |", text)
    TABLE.write_text(renewed, encoding="utf-8")
