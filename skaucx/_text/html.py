"""Tables for a notebook: they take their colours from the page, light or dark, and run no script."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import numpy as np

_TABLE = "border-collapse: collapse; color: inherit; background: transparent; margin: 0.5em 0"
_NUMBER = re.compile(
    r"(?:[<>] )?[-+]?[\d.,]+(?:e[-+]\d+)?(?: %)?"
)  # as text, such as a small p-value
_POINTS = 200  # of a small curve
_CELL = "border-bottom: 1px solid currentColor; padding: 0.2em 0.7em; text-align: "


class Markup(str):
    """What is HTML already."""


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table with a caption; numbers are right-aligned."""
    names = "".join(f'<th scope="col" style="{_CELL}left">{escape(name)}</th>' for name in head)
    lines = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    title = f'<caption style="color: inherit; text-align: left">{escape(caption)}</caption>'
    return (
        f'<table style="{_TABLE}">{title if caption else ""}<thead><tr>{names}</tr></thead>'
        f"<tbody>{lines}</tbody></table>"
    )


def folded(summary: str, content: str) -> str:
    """Return what is collapsed until its summary is clicked."""
    return f"<details><summary>{escape(summary)}</summary>{content}</details>"


def curve(caption: str, x: Any, *lines: Any) -> str:
    """Return a small picture of curves over the same places of the unit square, the first boldest."""
    keep = np.unique(np.linspace(0, len(x) - 1, min(len(x), _POINTS)).round().astype(int))
    places, drawn = np.asarray(x)[keep], []
    for k, y in enumerate(lines):
        heights = np.asarray(y)[keep]
        points = " ".join(
            f"{100 * a:.1f},{100 - 100 * b:.1f}"
            for a, b in zip(places, heights, strict=True)
            if np.isfinite([a, b]).all()
        )
        width = 0.5 if k else 1.5
        drawn.append(
            f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="{width}"/>'
        )
    frame = '<rect width="100" height="100" fill="none" stroke="currentColor" opacity="0.4"/>'
    picture = f'<svg viewBox="-2 -2 104 104" width="140" height="140">{frame}{"".join(drawn)}</svg>'
    return f"<figure>{picture}<figcaption>{escape(caption)}</figcaption></figure>"


def paragraph(text: str) -> str:
    """Return a paragraph."""
    return f"<p>{escape(text)}</p>"


def preformatted(text: str) -> str:
    """Return text as it stands."""
    return f"<pre>{escape(text)}</pre>"


class Preformatted:
    """Results that a notebook shows as they are printed."""

    def _repr_html_(self) -> str:
        """Show the result in a notebook, as it is printed."""
        return preformatted(str(self))


def _cell(text: str) -> str:
    if isinstance(text, Markup):
        return f'<td style="{_CELL}left">{text}</td>'
    if _NUMBER.fullmatch(text):
        return f'<td style="{_CELL}right; white-space: nowrap">{escape(text)}</td>'
    return f'<td style="{_CELL}left">{escape(text.strip()).replace("_", "_<wbr/>")}</td>'
