"""Metrics by group as text, 80 columns wide, and as tables of a notebook."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..._text import html
from ..._text.numbers import fixed
from ..._text.tables import elided, paragraph, table
from ..estimation._interval import Interval
from ._text import cell

_MOST_GROUPS, _MOST_NAMED = 20, 5
_LABEL = 34  # letters of a group


def groups_text(found: Any) -> str:
    """Return a table a metric, a line a group, and the gaps."""
    blocks = [_block(found, name) for name in found.rows]
    if notes := list(_notes(found)):
        blocks.append("\n".join(paragraph(note, hang=2) for note in notes))
    return "\n\n".join(blocks)


def _block(found: Any, name: str) -> str:
    rows = [
        [called(found.names, group), f"{found.sizes[group]:,}", *_cells(own, name)]
        for group, own in found.items()
    ]
    cut = len(rows) - _MOST_GROUPS
    rows = rows[:_MOST_GROUPS]
    if found.overall is not None:
        rows.append(["all", f"{sum(found.sizes.values()):,}", *_cells(found.overall, name)])
    share = _share(found)
    heads = [elided(name, _LABEL), "rows", "value", *([f"{share} interval"] if share else [])]
    lines = [table(heads, rows, label=_LABEL)]
    if cut > 0:
        lines.append(f"... and {cut} more groups: to_frame() shows all")
    difference, ratio = found.difference()[name], found.ratio()[name]
    gaps = [
        f"{kind} {_told(gap)}"
        for kind, gap in (("difference", difference), ("ratio", ratio))
        if np.ndim(gap.estimate) == 0 and not np.isnan(gap.estimate)
    ]
    if np.ndim(difference.estimate) == 0 and difference.note:
        gaps = [f"no gap: {difference.note}"]
    return "\n".join([*lines, *([paragraph(", ".join(gaps), hang=2)] if gaps else [])])


def _cells(own: Any, name: str) -> list[str]:
    """Return a value, or those of several classes, with the ends of the interval if any."""
    cells = [cell(own[name])]
    if own.intervals:
        ends = zip(*(np.atleast_1d(end) for end in own.intervals[name]), strict=True)
        cells.append(" ".join(f"{fixed(low)} to {fixed(high)}" for low, high in ends))
    return cells


def called(names: Sequence[str], group: Any) -> str:
    """Return the name of a group: each column with its value."""
    values: Sequence[Any] = group if len(names) > 1 else (group,)
    return ", ".join(f"{name} = {value}" for name, value in zip(names, values, strict=True))


def _told(gap: Interval) -> str:
    if gap.note:
        return gap.note
    if np.isnan(gap.low):
        return fixed(gap.estimate)
    return f"{fixed(gap.estimate)} ({fixed(gap.low)} to {fixed(gap.high)})"


def _share(found: Any) -> str:
    level = found.simultaneous or _level_of_each(found)
    return "" if level is None else f"{100 * level:g} %"


def _level_of_each(found: Any) -> float | None:
    first = next(iter(found.values()))
    return next((own.confidence_level for own in first.intervals.values()), None)


def _notes(found: Any) -> Iterator[str]:
    """Return the text on averages, on intervals of differences, and on undefined values."""
    first = next(iter(found.values()))
    if first.note:
        yield first.note
    if share := _share(found):
        each = "hold one by one, not simultaneously"
        if found.simultaneous:
            level = f"{100 * (_level_of_each(found) or 0):.4g} %"
            each = f"hold for all groups at once, of one metric (Bonferroni: {level} each)"
        yield (
            f"Differences and ratios with {share} limits that hold for all pairs of groups at "
            f"once, of "
            f"one metric; the intervals of groups {each}."
        )
    by_groups: dict[tuple[Any, ...], list[str]] = {}
    for name, missing in found.undefined.items():
        by_groups.setdefault(tuple(missing), []).append(name)
    for missing, names in by_groups.items():
        groups = _few([called(found.names, group) for group in missing])
        yield f"Undefined, and excluded from the gaps: {_few(names)} where {groups}."
    intervals = [each for own in found.values() for each in own.intervals.values()]
    notes = {note for each in intervals for note in each.note.split("; ")}
    yield from sorted(f"Note: {note}." for note in notes if " groups: below " in note)


def _few(texts: Sequence[str]) -> str:
    more = len(texts) - _MOST_NAMED
    return ", ".join(texts[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def groups_html(found: Any) -> str:
    """Return a table of all groups by metric, and one of the gaps."""
    names = list(found.rows)
    share = _share(found)
    heads = ["metric", "group", "rows", "value", *([f"{share} interval"] if share else [])]
    rows = [
        [name, called(found.names, group), found.sizes[group], *_cells(own, name)]
        for name in names
        for group, own in found.items()
    ]
    gaps = [
        [name, _told(found.difference()[name]), _told(found.ratio()[name])]
        for name in names
        if np.ndim(found.difference()[name].estimate) == 0
    ]
    return (
        html.table("metrics by group", heads, rows)
        + html.table("gaps", ["metric", "difference", "ratio"], gaps)
        + "".join(map(html.paragraph, _notes(found)))
    )
