"""Groups as pictures: a row each, and the line of all rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._text.lines import Line
from .._text.numbers import counted
from .._text.reported import Reported, shown
from ..evaluation._groups import GroupedEvaluation
from ..metrics._registry.names import named_metric
from ._parts import PagePredictions
from ._verdict import grouped, groupings

_MOST = 12  # rows of a picture; of more groups the farthest from all rows
Forest = tuple[str, list[Line]]


def forest(
    name: str, kind: str, each: Mapping[str, Any], sizes: Mapping[str, str], overall: float
) -> Forest:
    """Return the lines of intervals by group, sorted by estimate, with a mark at that of all rows."""
    row = named_metric(name).row
    held = [(g, one) for g, one in each.items() if np.isfinite(float(one.estimate))]
    held.sort(key=lambda item: -abs(float(item[1].estimate) - overall))
    left, held = len(held) - _MOST, held[:_MOST]
    held.sort(key=lambda item: float(item[1].estimate), reverse=row.greater_is_better is False)
    lines = [
        Line.of(
            Reported.of(name, one, about=str(group), bounds=row.bounds),
            n=sizes.get(group, ""), depth=1, reference=overall, logarithmic=row.ratio,
        )
        for group, one in held
    ]  # fmt: skip
    if left > 0:
        lines.append(Line(f"{left} more, nearer to all rows", None, depth=1, words="."))
    return f"{shown(name)} by {kind}", lines


def forests_of_groups(found: GroupedEvaluation) -> list[Forest]:
    """Return a picture a metric of one value, a row a group."""
    labels = {g: str(g) if len(found.names) == 1 else ", ".join(map(str, g)) for g in found}
    sizes = {labels[g]: counted(found.sizes[g]) for g in found}
    parts = []
    for name in found.rows:
        own = {labels[g]: found[g].intervals[name] for g in found}
        if any(np.ndim(one.estimate) for one in own.values()):
            continue
        overall = np.nan if found.overall is None else float(found.overall[name])
        parts.append(forest(name, " and ".join(found.names), own, sizes, overall))
    return parts


def forests_of(given: PagePredictions, by: Any, confidence_level: float) -> list[Forest]:
    """Return the pictures of the groups of each column."""
    drawn: list[Forest] = []
    for name, column in groupings(by).items():
        drawn += forests_of_groups(grouped(given, {name: column}, confidence_level))
    return drawn
