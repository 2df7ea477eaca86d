"""Words and tables in plain text, 80 columns wide or as a terminal is."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

import numpy as np

# Columns of the text; the command line sets those of its terminal.
WIDTH: ContextVar[int] = ContextVar("columns", default=80)


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


def paragraph(text: str, *, lead: str = "", hang: int | None = None) -> str:
    """Text behind a lead, wrapped; further lines are indented by the lead or by ``hang``."""
    return _wrapped(text, lead, hang, WIDTH.get())


@lru_cache(maxsize=64)
def _wrapped(text: str, lead: str, hang: int | None, width: int) -> str:
    return textwrap.fill(
        text,
        max(width, len(lead) + 20),
        initial_indent=lead,
        subsequent_indent=" " * (len(lead) if hang is None else hang),
        break_long_words=False,
        break_on_hyphens=False,
    )


def paragraphs(texts: Iterable[str]) -> str:
    """Texts one below the other, each wrapped, its further lines indented by two."""
    return "\n".join(paragraph(text, hang=2) for text in texts)


def columns(cells: Sequence[str], *, lead: str = "") -> str:
    """Cells of one width after a lead, as many per line as fit."""
    fit = max(1, (WIDTH.get() - len(lead) + 2) // (len(cells[0]) + 2))
    lines = ["  ".join(cells[i : i + fit]) for i in range(0, len(cells), fit)]
    return lead + ("\n" + " " * len(lead)).join(lines)


def elided(text: str, most: int) -> str:
    """Return a text of limited length, its middle omitted.

    Examples
    --------
    >>> from skaucx._text.tables import elided
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
    width: int | None = None,
    label: int = 34,
    left: Collection[str] = (),
    headed: bool = True,
) -> str:
    """Return rows of cells, the first to the left; columns that do not fit follow in blocks below.

    Parameters
    ----------
    head : sequence of str
    rows : sequence of sequence of str
    width : int, default=None
        Columns of the terminal.
    label : int, default=34
        Letters of the first column; longer texts lose their middle.
    left : collection of str, default=()
        Columns of words, to the left; the last one is cut where the room ends.
    headed : bool, default=True
        Whether the names of the columns are printed; those of several blocks always are.

    Examples
    --------
    >>> from skaucx._text.tables import table
    >>> print(table(["metric", "mean", "sd"], [["f1", "0.9", "0.1"]], width=14))
    metric  mean
    f1       0.9
    <BLANKLINE>
    metric   sd
    f1      0.1
    """
    lines = [[elided(line[0], label), *line[1:]] for line in ([head] if headed else []) + [*rows]]
    room = WIDTH.get() if width is None else width
    first, *sizes = [max(map(len, cells)) for cells in zip(*lines, strict=True)] or [0]
    words, last = [name in left for name in head[1:]], len(sizes) - 1
    if sizes and words[last]:
        taken = first + sum(size + 2 for size in sizes)
        sizes[last] = min(sizes[last], max(_LEAST, sizes[last] + room - taken))
    blocks = _blocks(sizes, room - first)
    if len(blocks) > 1 and not headed:
        return table(head, rows, width=width, label=label, left=left)

    def cell(text: str, k: int) -> str:
        return _fitted(text, sizes[k]).ljust(sizes[k]) if words[k] else text.rjust(sizes[k])

    return "\n\n".join(
        "\n".join(
            "  ".join([line[0].ljust(first), *(cell(line[1 + k], k) for k in block)]).rstrip()
            for line in lines
        )
        for block in blocks
    )


_LEAST = 9  # letters of a last column of words


def _fitted(text: str, room: int) -> str:
    """Return a text, or what stands before its colon, as the room allows."""
    if len(text) <= room:
        return text
    return elided(text.partition(":")[0], room)


def _blocks(sizes: Sequence[int], room: int) -> list[list[int]]:
    """Put columns into blocks of which each fits into the room."""
    blocks: list[list[int]] = [[]]
    left = room
    for number, size in enumerate(sizes):
        if blocks[-1] and size + 2 > left:
            blocks.append([])
            left = room
        blocks[-1].append(number)
        left -= size + 2
    return blocks
