"""Tables for a notebook: they take their colours from the page, light or dark, and run no script."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import partial
from html import escape
from typing import Any

import numpy as np

from .._faces import Reportable
from .numbers import fixed

_TABLE = "border-collapse: collapse; color: inherit; background: transparent; margin: 0.5em 0"
_NUMBER = re.compile(r"(?:[<>] )?[-+]?[\d.,]+(?: %)?")  # as text, such as a small p-value
ROWS = 12  # of a table in a notebook; the rest is folded
_WHOLE = 15  # rows of a table that stays on one page of paper
_POINTS = 200  # of a small curve
_CELL = "border-bottom: 1px solid currentColor; padding: 0.2em 0.7em; text-align: "


class Markup(str):
    """What is HTML already."""


def table(
    caption: str,
    head: Sequence[str],
    rows: Iterable[Sequence[str | float]],
    note: str = "",
    *,
    most: int | None = ROWS,
) -> str:
    """Return a table with a caption, and a note below; numbers have four digits, right-aligned.

    Rows beyond `most` are folded; None shows all.
    """
    names = "".join(f'<th scope="col" style="{_CELL}left">{escape(name)}</th>' for name in head)
    cells = list(rows)
    lines = [f"<tr>{''.join(map(_cell, row))}</tr>" for row in cells]
    shown, rest = lines[:most], lines[len(lines[:most]) :]
    together = "; break-inside: avoid" if len(lines) <= _WHOLE else ""
    title = f'<caption style="color: inherit; text-align: left">{escape(caption)}</caption>'
    top = f"<thead><tr>{names}</tr></thead>"  # which paper repeats on every page
    opened = f'<table style="{_TABLE}{together}">'
    folded = ""
    if rest:
        more = sum(row[0] != "" for row in cells[-len(rest) :])  # not the scales of marks
        inside = f"{opened}{top}<tbody>{''.join(rest)}</tbody></table>"
        folded = f"<details><summary>{more} more rows</summary>{inside}</details>"
    below = paragraph(note) if note else ""
    return f"{opened}{title}{top}<tbody>{''.join(shown)}</tbody></table>{folded}{below}"


whole = partial(table, most=None)


def curve(caption: str, x: Any, *lines: Any) -> str:
    """Return a small picture of curves over the same places of the unit square, the first boldest."""
    keep = np.unique(np.linspace(0, len(x) - 1, min(len(x), _POINTS)).round().astype(int))
    places = np.asarray(x)[keep]
    drawn = "".join(
        f'<polyline points="{_points(places, np.asarray(y)[keep])}" fill="none" '
        f'stroke="currentColor" stroke-width="{0.5 if k else 1.5}"/>'
        for k, y in enumerate(lines)
    )
    frame = '<rect width="100" height="100" fill="none" stroke="currentColor" opacity="0.4"/>'
    picture = f'<svg viewBox="-2 -2 104 104" width="140" height="140">{frame}{drawn}</svg>'
    return f"<figure>{picture}<figcaption>{escape(caption)}</figcaption></figure>"


def _points(x: Any, y: Any) -> str:
    return " ".join(
        f"{100 * a:.1f},{100 - 100 * b:.1f}"
        for a, b in zip(x, y, strict=True)
        if np.isfinite(a) and np.isfinite(b)
    )


def paragraph(text: str) -> str:
    """Return a paragraph."""
    return f"<p>{escape(text)}</p>"


def preformatted(text: str) -> str:
    """Return text as it stands."""
    return f"<pre>{escape(text)}</pre>"


class Preformatted(Reportable):
    """Results that a notebook shows as they are printed."""

    def _repr_html_(self) -> str:
        """Show the result in a notebook, as it is printed."""
        return preformatted(str(self))


def _cell(value: str | float) -> str:
    if isinstance(value, Markup):
        return f'<td style="{_CELL}left">{value}</td>'
    if isinstance(value, str) and not _NUMBER.fullmatch(value):
        return f'<td style="{_CELL}left">{escape(value.strip()).replace("_", "_<wbr/>")}</td>'
    text = (
        value if isinstance(value, str) else str(value) if isinstance(value, int) else fixed(value)
    )
    return f'<td style="{_CELL}right; white-space: nowrap">{escape(text)}</td>'
