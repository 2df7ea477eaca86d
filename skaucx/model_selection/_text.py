"""Small pieces of plain text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

WIDTH = 88


def parameters(params: Mapping[str, Any]) -> str:
    """Parameters as ``name=value``, without line breaks."""
    values = {k: v.item() if isinstance(v, np.generic) else v for k, v in params.items()}
    text = ", ".join(f"{name}={' '.join(repr(v).split())}" for name, v in values.items())
    return text or "the estimator as given"


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(noun: str, numbers: Iterable[int]) -> str:
    items = [str(number) for number in numbers]
    return f"{noun if len(items) == 1 else noun + 's'} {', '.join(items)}"


def paragraph(text: str, *, lead: str = "", hang: int | None = None) -> str:
    """Text behind a lead, wrapped; further lines are indented by the lead or by ``hang``."""
    return textwrap.fill(
        text,
        max(WIDTH, len(lead) + 20),
        initial_indent=lead,
        subsequent_indent=" " * (len(lead) if hang is None else hang),
        break_long_words=False,
        break_on_hyphens=False,
    )


def columns(cells: Sequence[str], *, lead: str = "") -> str:
    """Cells of one width behind a lead, as many a line as fit."""
    fit = max(1, (WIDTH - len(lead)) // (len(cells[0]) + 2))
    lines = ["  ".join(cells[i : i + fit]) for i in range(0, len(cells), fit)]
    return lead + ("\n" + " " * len(lead)).join(lines)
