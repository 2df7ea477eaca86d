"""Words and tables in plain text, as wide as the terminal, or 80 columns."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

_LABEL = 34  # letters of a first column
_WORDS = 9  # letters that a last column of words keeps
_LEAST, _MOST = 12, 24  # characters of a drawn interval; the least of a first column too


def width() -> int:
    """Return the columns of text: those of COLUMNS or the terminal, 80 where there is none."""
    return min(max(shutil.get_terminal_size().columns, 40), 120)


def parameters(params: Mapping[str, Any]) -> str:
    """Parameters as ``name=value``, without line breaks."""
    values = {k: v.item() if isinstance(v, np.generic) else v for k, v in params.items()}
    text = ", ".join(f"{name}={' '.join(repr(v).split())}" for name, v in values.items())
    return text or "the estimator as given"


def count(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural where it is not one."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def listed(noun: str, numbers: Iterable[int]) -> str:
    """Return a noun with the numbers that it has."""
    items = [str(number) for number in numbers]
    return f"{noun if len(items) == 1 else noun + 's'} {', '.join(items)}"


def names(text: str) -> list[str]:
    """Return the names in a list parted by commas."""
    return [name.strip() for name in text.split(",")]


def paragraph(text: str, *, lead: str = "", hang: int | None = None) -> str:
    """Text behind a lead, wrapped; further lines are indented by the lead or by ``hang``."""
    return textwrap.fill(
        text,
        max(width(), len(lead) + 20),
        initial_indent=lead,
        subsequent_indent=" " * (len(lead) if hang is None else hang),
        break_long_words=False,
        break_on_hyphens=False,
    )


def paragraphs(texts: Iterable[str]) -> str:
    """Texts one below the other, each wrapped, its further lines indented by two."""
    return "\n".join(paragraph(text, hang=2) for text in texts)


def elided(text: str, most: int) -> str:
    """Return a text of limited length, its middle omitted.

    Examples
    --------
    >>> from skaucx._text.plain import elided
    >>> elided("a logistic regression pipeline, tuned", 20)
    'a logisti...e, tuned'
    """
    if len(text) <= most:
        return text
    rest = max(most - 3, 2)
    return f"{text[: rest - rest // 2]}...{text[len(text) - rest // 2 :]}"


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    label: int = _LABEL,
    left: Collection[str] = (),
    headed: bool = True,
) -> str:
    """Return rows of cells, the first to the left; columns that do not fit follow in blocks below.

    Parameters
    ----------
    head : sequence of str
    rows : sequence of sequence of str
    label : int, default=34
        Letters of the first column; longer texts lose their middle.
    left : collection of str, default=()
        Columns of words, to the left; the last one is cut where the room ends.
    headed : bool, default=True
        Whether the names of the columns are printed.

    Examples
    --------
    >>> from skaucx._text.plain import table
    >>> print(table(["metric", "mean", "sd"], [["f1", "0.9", "0.1"]]))
    metric  mean   sd
    f1       0.9  0.1
    """
    lines = ([head] if headed else []) + [*rows]
    room = width()
    sizes = [max(map(len, cells)) for cells in zip(*lines, strict=True)] or [0]
    widest = max(sizes[1 : len(sizes) - bool(left)], default=0)
    sizes[0] = min(sizes[0], max(min(label, room - widest - 2), _LEAST))
    if head[-1] in left and head[-1]:  # words; a drawing, which has no name, stays whole
        free = room - sum(size + 2 for size in sizes[:-1])
        sizes[-1] = min(sizes[-1], free if free >= _WORDS else room - sizes[0] - 2)
    blocks: list[list[int]] = [[]]
    for place in range(1, len(sizes)):
        used = sizes[0] + sum(sizes[k] + 2 for k in (*blocks[-1], place))
        if blocks[-1] and used > room:
            blocks.append([])
        blocks[-1].append(place)
    return "\n\n".join(_block(head, lines, block, sizes, left) for block in blocks)


def _block(
    head: Sequence[str], lines: Sequence[Sequence[str]], block: Sequence[int],
    sizes: Sequence[int], left: Collection[str],
) -> str:  # fmt: skip
    """Return the first column and some others."""
    written = []
    for line in lines:
        if any(line) and not any(line[place] for place in (0, *block)):
            continue  # a scale, in the block of its drawing only
        cells = [elided(line[0], sizes[0]).ljust(sizes[0])]
        for place in block:
            text, words = line[place], head[place] in left
            if words and head[place] and len(text) > sizes[place]:
                text = textwrap.shorten(text, sizes[place], placeholder="...")
            cells.append(text.ljust(sizes[place]) if words else text.rjust(sizes[place]))
        written.append("  ".join(cells).rstrip())
    return "\n".join(written)


def room_for(head: Sequence[str], rows: Sequence[Sequence[str]], left: Collection[str]) -> int:
    """Return how many columns of the terminal a table leaves for a drawing; 0 where too few.

    A last column of words is cut where the drawing would else have no room; in a table that does not
    fit anyway, the drawing follows below with the columns that are left.
    """
    sizes = [max(map(len, cells)) for cells in zip(head, *rows, strict=True)]
    sizes[0] = min(sizes[0], _LABEL)
    room = width() - sum(size + 2 for size in sizes)
    more = room + (max(0, sizes[-1] - _WORDS) if head[-1] in left else 0)
    return 0 if 0 <= more < _LEAST else min(_MOST, max(room, _LEAST))
