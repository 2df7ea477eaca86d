"""The text of an evaluation by groups: a table a metric, a line a group, and the gaps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._text.numbers import fixed
from .._text.tables import Table
from ..inference._intervals.interval import Interval, few

_MOST_GROUPS = 20


def groups_tables(found: Any) -> list[Table]:
    """Return a table a metric, a line a group, with the gaps; the last has the notes."""
    *tables, last = [_table_of(found, name, gap) for name, gap in found.difference().items()]
    return [*tables, replace(last, notes=[*last.notes, *_notes(found)])]


def _table_of(found: Any, name: str, gap: Interval) -> Table:
    parts = [(called(found.names, group), found.sizes[group], found[group]) for group in found]
    cut = len(parts) - _MOST_GROUPS
    notes = [f"... and {cut} more groups: to_frame() shows all"] if cut > 0 else []
    parts = parts[:_MOST_GROUPS]
    parts.append(("all", sum(found.sizes.values()), found.overall))
    middle, rows, lines = found.overall[name], [], []
    for label, size, own in parts:
        for of_class, cell in own.cells(name):
            named = label if of_class == "" else f"{label}, class {of_class}"
            _, positives = own.positive or (None, None)
            rows.append(
                [named, size, positives, cell["value"], (cell.get("low"), cell.get("high"))]
            )
            lines.append(own.line(name, cell, reference=middle))
    ends = f"{100 * found.confidence_level:g} % interval"
    hidden = ["positives"] if any(own.positive is None for *_, own in parts) else []
    if not parts[0][-1].intervals:
        hidden.append(ends)
    return Table(
        [name, "rows", "positives", "value", ends], rows, bar="all rows",
        notes=[*notes, *_gaps(found, name, gap)], hidden=hidden,
        lines=[] if ends in hidden or np.ndim(middle) else lines,
    )  # fmt: skip


def _gaps(found: Any, name: str, gap: Interval) -> list[str]:
    """Return the difference of the groups that are furthest apart, and the greatest of any two."""
    if np.ndim(gap.estimate):
        return []
    if gap.note:
        return [f"no gap: {gap.note}"]
    if not gap.estimate > 0:
        return [f"difference {_gap_text(gap)}"]
    values = {group: own[name] for group, own in found.items() if not np.isnan(own[name])}
    high, low = max(values, key=values.__getitem__), min(values, key=values.__getitem__)
    texts = [f"{_group(found, group)} {fixed(found[group][name])}" for group in (high, low)]
    lines = [f"{' - '.join(texts)}: difference {_gap_text(found.pair(high, low)[name])}"]
    if len(found) > 2 and not np.isnan(gap.low):
        lines.append(f"greatest difference between any two groups: {_gap_text(gap)}")
    return lines


def called(names: Sequence[str], group: Any) -> str:
    """Return the name of a group: each column with its value."""
    values: Sequence[Any] = group if len(names) > 1 else (group,)
    return ", ".join(f"{name} = {value}" for name, value in zip(names, values, strict=True))


def _group(found: Any, group: Any) -> str:
    """Return the value of a group of one column, or all its columns with their values."""
    return str(group) if len(found.names) == 1 else called(found.names, group)


def _gap_text(gap: Interval) -> str:
    """Return a difference with its limits; those that hold 0 show none."""
    ends = "" if np.isnan(gap.low) else f" ({fixed(gap.low)} to {fixed(gap.high)})"
    unclear = ", no difference shown" if gap.low <= 0 <= gap.high else ""
    return gap.note or f"{fixed(gap.estimate)}{ends}{unclear}"


def _notes(found: Any) -> Iterator[str]:
    """Return the text on odds, averages, intervals of differences, and on undefined values."""
    if found.has_odds:
        yield f"equalized odds difference: {_gap_text(found.equalized_odds())}"
    first = next(iter(found.values()))
    if first.positive is not None and first.positive[0] != 1:
        yield f"Positive class: {first.positive[0]}."
    yield from first.note.splitlines()
    if first.intervals:
        level, each = 100 * found.confidence_level, "hold one by one, not simultaneously"
        if found.simultaneous:
            own = 100 * next(iter(first.intervals.values())).confidence_level
            each = f"hold for all groups at once, of one metric (Bonferroni: {own:.4g} % each)"
        yield (
            f"Differences with {level:g} % limits that hold for all pairs of groups at once, of one "
            f"metric; the intervals of groups {each}."
        )
    small = "Too small to compare (below 10 rows, or an interval over half the range of the metric)"
    undefined = "Undefined, and excluded from the gaps"
    for what, groups_of in ((undefined, found.undefined), (small, found.too_small)):
        by_groups: dict[tuple[Any, ...], list[str]] = {}
        for name, own in groups_of.items():
            by_groups.setdefault(tuple(own), []).append(name)
        for own, names in by_groups.items():
            yield f"{what}: {few(names)} where {few([called(found.names, g) for g in own])}."
    intervals = [each for own in found.values() for each in own.intervals.values()]
    notes = {note for each in intervals for note in each.note.split("; ")}
    yield from sorted(f"Note: {note}." for note in notes if " effective groups of " in note)
