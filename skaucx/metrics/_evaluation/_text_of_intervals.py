"""An evaluation with its intervals as text, 80 columns wide, and as tables of a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..._text import html
from ..._text.numbers import fixed
from ..._text.tables import WIDTH, elided, paragraph
from .._registry.row import Metric
from ..estimation._interval import Interval
from ._text import DIRECTION, Rows

# A metric's values by class: name of the class, value, limits and method.
Lines = Mapping[str, Sequence[tuple[Any, Mapping[str, Any]]]]
_LABEL = 30  # letters of a metric and its class


_NUMBERS = "value", "low", "high"
_BY_ITSELF = ", pointwise, not simultaneous"


def intervals_text(lines: Lines, rows: Rows, intervals: Mapping[str, Interval], note: str) -> str:
    """Return one line a value, then what the intervals are about."""
    notes = [paragraph(told, hang=2) for told in _notes(intervals, note)]
    return "\n".join([*_block(lines, rows), *notes])


def _block(lines: Lines, rows: Mapping[str, Metric]) -> list[str]:
    cells = [
        (
            _name(name, label),
            *(fixed(own[column]) for column in _NUMBERS),
            DIRECTION[rows[name].greater_is_better],
            own["method"],
        )
        for name, values in lines.items()
        for label, own in values
    ]
    first = min(max((len(cell[0]) for cell in cells), default=0), _LABEL)
    sizes = [max(len(cell[k]) for cell in cells) for k in (1, 2, 3)] if cells else []
    return [
        f"{elided(name, first):{first}}  {value:>{sizes[0]}}  {low:>{sizes[1]}} to "
        f"{high:<{sizes[2]}}  {better:4}  {method}"[:WIDTH].rstrip()
        for name, value, low, high, better, method in cells
    ]


def _name(name: str, label: Any) -> str:
    return name if label == "" else f"{name} of {label}"


def _notes(intervals: Mapping[str, Interval], note: str) -> list[str]:
    """Return the text on averages, on the target of the intervals, and on their notes."""
    first = next(iter(intervals.values()))
    most = max(intervals.values(), key=lambda found: found.n_resamples)
    resamples = f", bootstrap of {most.drawn}" if most.n_resamples else ""
    said: dict[str, list[str]] = {}
    for name, found in intervals.items():
        for told in filter(None, found.note.split("; ")):
            said.setdefault(told, []).append(name)
    shared = [told for told, names in said.items() if len(names) == len(intervals) > 1]
    share = f"{100 * first.confidence_level:g} %"
    return [
        *([note] if note else []),
        f"{share} intervals{_BY_ITSELF if len(intervals) > 1 else ''}: {first.target}{resamples}.",
        *(f"All: {told}." for told in shared),
        *(f"{_listed(names)}: {told}." for told, names in said.items() if told not in shared),
    ]


def _listed(names: Sequence[str], most: int = 4) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def intervals_html(lines: Lines, rows: Rows, intervals: Mapping[str, Interval], note: str) -> str:
    """Return one table, with all metrics, and what else is known of each, such as baselines."""
    first = next(iter(lines.values()))[0][1]
    numbers = [column for column in first if column != "method"]
    table = html.table(
        "metrics",
        ["metric", *numbers, "method", "better", "what it is"],
        [
            [
                _name(name, label), *(own[column] for column in numbers), own["method"],
                DIRECTION[rows[name].greater_is_better], rows[name].summary,
            ]
            for name, values in lines.items()
            for label, own in values
        ],
    )  # fmt: skip
    return table + "".join(map(html.paragraph, _notes(intervals, note)))
