"""Plain text tables for a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from .._text.numbers import fixed
from .._text.tables import table


def text_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return rows in columns, 80 columns wide: the first to the left, the others to the right."""
    return table(header, [[shown(cell) for cell in row] for row in rows])


def text_columns(columns: Mapping[str, Iterable[object]]) -> str:
    """Return a table of named columns of one length."""
    return text_table(list(columns), list(zip(*columns.values(), strict=True)))


def shown(cell: object) -> str:
    """Return a cell as text: numbers with four decimals, a dash for what is undefined."""
    if isinstance(cell, float):
        return "-" if math.isnan(cell) else fixed(cell)
    return str(cell)
