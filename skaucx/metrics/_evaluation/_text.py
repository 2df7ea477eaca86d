"""An evaluation as text: grouped, the essential metrics first, 80 columns wide."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from ..._text import html
from ..._text.numbers import fixed
from ..._text.tables import WIDTH, elided, paragraph
from .._cells.certified import Certified
from .._registry.row import Metric

Rows = Mapping[str, Metric]
Baselines = Mapping[str, Mapping[str, Any]]
_NONE: Baselines = MappingProxyType({})

DIRECTION = {True: "high", False: "low", None: ""}

_ESSENTIAL = (
    "accuracy", "balanced_accuracy", "matthews_corrcoef", "f1", "recall", "specificity",
    "precision", "npv", "prevalence", "roc_auc", "average_precision", "brier_score_loss", "log_loss",
)  # fmt: skip
_MOST = 15  # metrics of a list that is neither grouped nor cut
_GROUP = 10  # metrics that are shown of a group
_CLASSES = 4  # values in a line; with more the range is printed


def evaluation_text(
    values: Mapping[str, Any], rows: Rows, note: str, baselines: Baselines = _NONE
) -> str:
    """Return one line a metric; a long list in groups, of which each is cut."""
    return in_groups(
        lambda names: _lines(values, rows, names, baselines), rows, [note] if note else []
    )


def in_groups(lines: Callable[[Sequence[str]], list[str]], rows: Rows, notes: Sequence[str]) -> str:
    """Return the lines of all metrics, of many in groups of which each is cut, and the notes."""
    if len(rows) <= _MOST:
        return "\n".join([*lines(list(rows)), *notes])
    blocks = []
    for title, names in _groups(rows).items():
        shown = names[:_GROUP]
        more = len(names) - len(shown)
        rest = [f"... and {more} more: to_frame() shows all"] if more else []
        blocks.append("\n".join([title, *lines(shown), *rest]))
    return "\n\n".join([*blocks, *(["\n".join(notes)] if notes else [])])


def note_of_classes(classes: Mapping[str, Any]) -> str:
    """Return the names of the classes, if all metrics have one value for each of few classes."""
    named = {tuple(map(str, np.asarray(names).tolist())) for names in classes.values()}
    if len(named) != 1 or len(names := named.pop()) > _CLASSES:
        return ""
    return paragraph(f"Several values in a line are those of {', '.join(names)}, in this order.")


def _groups(rows: Rows) -> dict[str, list[str]]:
    """Return the names by kind of input, the essential ones first."""
    found: dict[str, list[str]] = {}
    for name, row in rows.items():
        found.setdefault(f"From {row.kind.inputs.name}", []).append(name)
    return {title: sorted(names, key=_place) for title, names in found.items()}


def essential_first(rows: Rows) -> list[str]:
    """Return the names, the essential ones first if there are many."""
    return sorted(rows, key=_place) if len(rows) > _MOST else list(rows)


def _place(name: str) -> int:
    return _ESSENTIAL.index(name) if name in _ESSENTIAL else len(_ESSENTIAL)


def _lines(
    values: Mapping[str, Any], rows: Rows, names: Sequence[str], baselines: Baselines
) -> list[str]:
    if baselines:
        return _beside(values, names, baselines)
    cells = {name: cell(values[name]) for name in names}
    label, width = max(map(len, names), default=0), max(map(len, cells.values()), default=0)
    lines = []
    for name, told in cells.items():
        row = rows[name]
        head = f"{name:{label}}  {told:>{width}}  {DIRECTION[row.greater_is_better]:4}  "
        lines.append((head + _summary(row.summary, WIDTH - len(head))).rstrip())
    return lines


def _beside(values: Mapping[str, Any], names: Sequence[str], baselines: Baselines) -> list[str]:
    """Return one line a metric, its value before those of the baselines."""
    columns = [values, *baselines.values()]
    table = [["", "value", *baselines], *([n, *(cell(c[n]) for c in columns)] for n in names)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in table
    ]


def cell(value: Any) -> str:
    """Return a value, those of a few classes, or the range of those of many."""
    if isinstance(value, Certified):
        return f"{cell(value.value)} +- {np.max(value.width) / 2:.1g}"
    numbers = np.atleast_1d(value)
    if len(numbers) <= _CLASSES:
        return "  ".join(fixed(number) for number in numbers)
    return f"{len(numbers)} classes, {fixed(numbers.min())} to {fixed(numbers.max())}"


def _summary(text: str, room: int) -> str:
    """Return a summary, or its names only, as the room allows."""
    if len(text) <= room:
        return text
    names = text.partition(":")[0]
    return names if len(names) <= room else elided(names, max(room, 0)) if room > 8 else ""


def evaluation_html(
    values: Mapping[str, Any], rows: Rows, note: str, baselines: Baselines = _NONE
) -> str:
    """Return a table a group, with all metrics."""
    tables = "".join(
        html.table(
            title,
            ["metric", "value", *baselines, "better", "what it is"],
            [
                [
                    name,
                    *(
                        column[name] if isinstance(column[name], float) else cell(column[name])
                        for column in (values, *baselines.values())
                    ),
                    DIRECTION[rows[name].greater_is_better],
                    rows[name].summary,
                ]
                for name in names
            ],
        )
        for title, names in _groups(rows).items()
    )
    return tables + (html.paragraph(note) if note else "")
