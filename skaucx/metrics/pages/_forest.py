"""A forest of intervals, and its numbers in a table."""

from __future__ import annotations

from collections.abc import Mapping

from ..._text.html import table
from ..displays import ForestDisplay
from ._figures import figure, figures


def forest_with_numbers(
    forest: ForestDisplay, caption: str, more: Mapping[str, Mapping[str, str]] | None = None
) -> str:
    """Return the picture, and a table of estimate and ends with further columns by row."""
    models = len(forest.intervals)
    rows = max(len(found) for found in forest.intervals.values())
    high = 0.9 + rows * (0.3 + 0.15 * (models - 1))
    picture = figure(caption, forest.plot, size=(5.2, high))
    more = {} if more is None else more
    cells = [
        [*([model] if models > 1 else []), row, words, *(col.get(row, "") for col in more.values())]
        for model, found in forest.words().items()
        for row, words in found.items()
    ]
    head = [*(["model"] if models > 1 else []), "metric", "estimate [interval]", *more]
    return figures([picture, table("", head, cells)])
