"""An evaluation as text: grouped, the essential metrics first, 80 columns wide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from ..._text import html
from ..._text.numbers import fixed
from ..._text.tables import WIDTH, count, elided, paragraph
from .._cells.certified import Certified
from .._registry.names import is_set, requested_entries
from .._registry.row import Metric

Rows = Mapping[str, Metric]
Baselines = Mapping[str, Mapping[str, Any]]
_NONE: Baselines = MappingProxyType({})

DIRECTION = {True: "high", False: "low", None: ""}

# How the text of the default metrics begins and ends.
DEFAULT = "Metrics of the set 'default'"
MORE = "More: metrics='all', the name of a set of list_sets(), or a list of names."
_CLASSES = 4  # values in a line; with more the range is printed


def about_evaluation(metrics: Any, rows: int | None) -> str:
    """Return which metrics were requested, and on how many rows; nothing of a table of counts."""
    entries = [entry for _, entry in requested_entries("default" if metrics is None else metrics)]
    named = f"the set {entries[0]!r}" if len(entries) == 1 and is_set(entries[0]) else ""
    if rows is None:
        return ""
    return f"Metrics{' of ' if named else ''}{named}, {count(rows, 'row')}"


def evaluation_text(
    values: Mapping[str, Any], rows: Rows, note: str, baselines: Baselines = _NONE
) -> str:
    """Return one line a metric, in the order in which they were requested, and the note."""
    return "\n".join([*_lines(values, rows, list(rows), baselines), *([note] if note else [])])


def note_of_classes(classes: Mapping[str, Any]) -> str:
    """Return the names of the classes, if all metrics have one value for each of few classes."""
    named = {tuple(map(str, np.asarray(names).tolist())) for names in classes.values()}
    if len(named) != 1 or len(names := named.pop()) > _CLASSES:
        return ""
    return paragraph(f"Several values in a line are those of {', '.join(names)}, in this order.")


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
    """Return a table of all metrics."""
    table = html.table(
        "metrics",
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
            for name in rows
        ],
    )
    return table + (html.paragraph(note) if note else "")
