"""Tables for a notebook: they take their colours from the page, light or dark, and run no script."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

_TABLE = "border-collapse: collapse; color: inherit; background: transparent; margin: 0.5em 0"
_NUMBER = re.compile(
    r"(?:[<>] )?[-+]?[\d.,]+(?:e[-+]\d+)?(?: %)?"
)  # as text, such as a small p-value
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


def paragraph(text: str) -> str:
    """Return a paragraph."""
    return f"<p>{escape(text)}</p>"


class Preformatted:
    """Results that a notebook shows as they are printed."""

    def _repr_html_(self) -> str:
        """Show the result in a notebook, as it is printed."""
        return f"<pre>{escape(str(self))}</pre>"


def _cell(text: str) -> str:
    if isinstance(text, Markup):
        return f'<td style="{_CELL}left">{text}</td>'
    if _NUMBER.fullmatch(text):
        return f'<td style="{_CELL}right; white-space: nowrap">{escape(text)}</td>'
    return f'<td style="{_CELL}left">{escape(text.strip()).replace("_", "_<wbr/>")}</td>'
