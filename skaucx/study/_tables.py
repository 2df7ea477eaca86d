"""Plain text tables for a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence


def text_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return rows in columns: the first to the left, the others to the right."""
    lines = [list(header), *([shown(cell) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip()
        for line in lines
    )


def text_columns(columns: Mapping[str, Iterable[object]]) -> str:
    """Return a table of named columns of one length."""
    return text_table(list(columns), list(zip(*columns.values(), strict=True)))


def shown(cell: object) -> str:
    """Return a cell as text: numbers with four decimals, a dash for what is undefined."""
    if isinstance(cell, float):
        return "-" if math.isnan(cell) else f"{cell:.4f}"
    return str(cell)
