"""Plain text tables for a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._compat import import_pandas
from .._text.numbers import fixed
from .._text.plain import paragraph, table
from ..metrics import named_metric


def text_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return rows in columns, 80 columns wide: the first to the left, the others to the right."""
    return table(header, [[shown(cell) for cell in row] for row in rows])


def text_columns(columns: Mapping[str, Iterable[object]]) -> str:
    """Return a table of named columns of one length."""
    return text_table(list(columns), list(zip(*columns.values(), strict=True)))


def frame(columns: Any, rows: Any, name: str) -> Any:
    """Return a pandas DataFrame of columns, whose index has a name."""
    pandas = import_pandas()
    return pandas.DataFrame(columns, index=pandas.Index(rows, name=name))


def shown(cell: object) -> str:
    """Return a cell as text: numbers with four decimals, a dash for undefined values."""
    if isinstance(cell, float):
        return "-" if math.isnan(cell) else fixed(cell)
    return str(cell)


def of_sharpening(measures: Iterable[str]) -> str:
    """Return which measures are not proper, and the effect of sharpening true probabilities."""
    reported = [
        f"{row.name} " + ("rises with it" if math.isinf(row.sharpest) else f"{row.sharpest:g}")
        for row in (named_metric(name).row for name in measures)
        if row.sharpest is not None and not row.proper
    ]
    if not reported:
        return ""
    text = (
        "Not proper: with the odds of true probabilities raised to a power, Brier score and log "
        f"loss are best at 1, but {', '.join(reported)} (python -m benchmarks.dangers)."
    )
    return paragraph(text, hang=2)
