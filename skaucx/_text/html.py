"""Tables for a notebook: they take their colours from the page, light or dark, and run no script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from .numbers import fixed

_TABLE = "border-collapse: collapse; color: inherit; background: transparent; margin: 0.5em 0"
_CELL = "border-bottom: 1px solid currentColor; padding: 0.2em 0.7em; text-align: "


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str | float]]) -> str:
    """Return a table with a caption; numbers get four digits and stand to the right."""
    lines = ["".join(f'<th scope="col" style="{_CELL}left">{escape(name)}</th>' for name in head)]
    lines += ["".join(map(_cell, row)) for row in rows]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    title = f'<caption style="color: inherit; text-align: left">{escape(caption)}</caption>'
    return f'<table style="{_TABLE}">{title}{body}</table>'


def paragraph(text: str) -> str:
    """Return a paragraph."""
    return f"<p>{escape(text)}</p>"


def _cell(value: str | float) -> str:
    if isinstance(value, str):
        return f'<td style="{_CELL}left">{escape(value)}</td>'
    text = str(value) if isinstance(value, int) else fixed(value)
    return f'<td style="{_CELL}right">{escape(text)}</td>'
