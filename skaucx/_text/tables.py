"""The table of a result: one source of its text, HTML, Markdown and frame."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any, ClassVar

import numpy as np

from .._compat import import_pandas
from . import html, markdown, plain
from .lines import MARKS, drawn_in_html, drawn_in_text, scale_name
from .numbers import ends, fixed
from .reported import Reported

_ENDS = "low", "high"


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """The rows of a result, which print as text, HTML and Markdown, or become a frame.

    Attributes
    ----------
    head : sequence of str
    rows : sequence of sequence of str, int, float or bool
        Cells as they are; an empty row is a rule between parts. Low and high end of an interval are one
        cell, and two columns of the frame; None is an empty cell.
    caption : str
    notes : sequence of str
        Below the table in every form.
    formats : dict of str to callable
        How the numbers of a column are written; with four decimals where it is not among them.
    left : collection of str
        Columns of words, which text has to the left.
    headed : bool
        Whether text has the names of the columns.
    lines : sequence of Reported
        What is drawn of each row, in a column after that of the intervals.
    hidden : collection of str
        Columns that only the frame has.
    bar : str
        What the bar of a line marks, such as the value without an effect.

    Examples
    --------
    >>> from skaucx._text.tables import Table
    >>> found = Table(["metric", "mean"], [["recall", 0.8125]], notes=["Of 16 rows."])
    >>> print(found)
    metric    mean
    recall  0.8125
    Of 16 rows.
    >>> print(found.markdown())
    | metric | mean |
    | --- | --- |
    | recall | 0.8125 |
    <BLANKLINE>
    Of 16 rows.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[Any]]
    caption: str = ""
    notes: Sequence[str] = ()
    formats: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)
    left: Collection[str] = ()
    headed: bool = True
    lines: Sequence[Reported] = ()
    hidden: Collection[str] = ()
    bar: str = "no effect"

    @classmethod
    def of_columns(cls, columns: Mapping[str, Iterable[Any]], *more: Any, **options: Any) -> Table:
        """Return the table of named columns of one length; further arguments as of the class."""
        return cls([*columns], [*zip(*columns.values(), strict=True)], *more, **options)

    @classmethod
    def of_lines(cls, title: str, lines: Sequence[Reported], notes: Sequence[str] = ()) -> Table:
        """Return the table of reported numbers with their marks, for a page."""
        rows = [
            [one.about or one.name, " ".join(filter(None, [one.text, one.note])), one.n]
            for one in lines
        ]
        return cls([title, "estimate [interval]", "n"], rows, notes=notes, lines=lines)

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """Return the names and the cells of what is printed, as they are written."""
        places = [k for k, name in enumerate(self.head) if name not in self.hidden]
        formats = [self.formats.get(name, _written) for name in self.head]
        rows = []
        for row in self.rows:
            written = (row[k] if isinstance(row[k], str) else formats[k](row[k]) for k in places)
            rows.append([*written] if row else [])
        return [self.head[k] for k in places], rows

    def text(self, *, explained: bool = True) -> str:
        """Return the table as wide as the terminal, with a note on the marks if `explained`."""
        head, rows = self.cells()
        rows, left, notes = [row or [""] * len(head) for row in rows], {*self.left}, [*self.notes]
        if self.lines and (room := plain.room_for(head, rows, left)):
            head, rows = self._marked(head, rows, partial(drawn_in_text, width=room))
            left.add("")
            notes += [MARKS.format(self.bar)] if explained else []
        written = plain.table(head, rows, left=left, headed=self.headed)
        parts = [plain.paragraphs(self.caption.splitlines()), written, plain.paragraphs(notes)]
        return "\n".join(filter(None, parts))

    __str__ = text

    def _marked(
        self,
        head: list[str],
        rows: Sequence[list[str]],
        drawn: Callable[[list[Reported]], Sequence[str]],
    ) -> tuple[list[str], list[list[str]]]:
        """Return head and rows with what is drawn of them; lines that follow share a scale."""
        at = 1 + next(k for k, name in enumerate(head) if "interval" in name)
        marked, left = [], iter(rows)
        for _, held in groupby(self.lines, key=scale_name):
            lines = [*held]
            cells = [next(left) for _ in lines] + [[""] * len(head)]  # of the scale
            for row, mark in zip(cells, drawn(lines), strict=True):
                marked.append([*row[:at], mark, *row[at:]])
        return [*head[:at], "", *head[at:]], marked

    def html(self) -> str:
        """Return the table for a page or a notebook."""
        notes = "".join(map(html.paragraph, self.notes))
        head, rows = self.cells()
        if self.lines:
            head, rows = self._marked(head, rows, drawn_in_html)
        return html.table(" ".join(self.caption.split()), head, filter(any, rows)) + notes

    def _repr_html_(self) -> str:
        return f'<div style="max-height: 32em; overflow: auto">{self.html()}</div>'

    def markdown(self) -> str:
        """Return a pipe table."""
        head, rows = self.cells()
        table = markdown.table(self.caption, head, filter(any, rows))
        return "\n\n".join([table, *map(markdown.escape, self.notes)])

    def frame(self, index: str | Sequence[str] | None = None) -> Any:
        """Return a pandas DataFrame with the cells as they are, indexed by some columns.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        rows, columns = [*filter(len, self.rows)], dict[str, Sequence[Any]]()
        held = zip(*rows, strict=True) if rows else [()] * len(self.head)
        for name, cells in zip(self.head, held, strict=True):
            pairs = any(isinstance(cell, tuple) for cell in cells)
            columns |= zip(_ENDS, zip(*cells, strict=True), strict=True) if pairs else {name: cells}
        found = import_pandas().DataFrame(columns)
        if index is None:
            return found
        return found.set_index(index if isinstance(index, str) else [*index])


def _written(value: Any) -> str:
    """Return a number as a cell: four decimals, counts whole."""
    if value is None or isinstance(value, tuple):
        return "" if value is None else ends(*value)
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int | np.integer) else fixed(value)


class Tabular:
    """A result that prints as its table, in a terminal and in a notebook."""

    _index: ClassVar[str | Sequence[str] | None] = None

    def _table(self) -> Table:
        raise NotImplementedError

    def __repr__(self) -> str:
        return self._table().text()

    def _repr_html_(self) -> str:
        """Show the table in a notebook."""
        return self._table()._repr_html_()

    def to_html(self) -> str:
        """Return the table as HTML, which takes its colours from the page that contains it."""
        return self._table().html()

    def to_markdown(self) -> str:
        """Return the table with pipes."""
        return self._table().markdown()

    def to_frame(self) -> Any:
        """Return the rows as a pandas DataFrame.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return self._table().frame(self._index)
