"""The table of a result: one source of its text, HTML, LaTeX, Markdown and frame."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from typing import Any, ClassVar

import numpy as np

from .._compat import import_pandas
from .._faces import Reportable
from . import html, latex, markdown, plain
from .lines import MARKS, Block, Line, with_scales
from .numbers import ends, fixed


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """The rows of a result, which print as text, HTML, LaTeX and Markdown, or become a frame.

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
    lines : sequence of Line or None
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
    lines: Sequence[Line | None] = ()
    hidden: Collection[str] = ()
    bar: str = "no effect"

    @classmethod
    def of_columns(cls, columns: Mapping[str, Iterable[Any]], *more: Any, **options: Any) -> Table:
        """Return the table of named columns of one length; further arguments as of the class."""
        return cls([*columns], [*zip(*columns.values(), strict=True)], *more, **options)

    def printed(self) -> Table:
        """Return the table without the columns that only its frame has."""
        places = [k for k, name in enumerate(self.head) if name not in self.hidden]
        head, *rows = ([row[k] for k in places] if row else row for row in (self.head, *self.rows))
        return replace(self, head=head, rows=rows, hidden=())

    def texts(self) -> list[list[str]]:
        """Return the cells as they are written."""
        formats = [self.formats.get(name, _written) for name in self.head]
        return [
            [
                x if isinstance(x, str) else write(x)
                for write, x in zip(formats, row, strict=bool(row))
            ]
            for row in self.rows
        ]

    def text(self, *, explained: bool = True, **options: Any) -> str:
        """Return the table as wide as the terminal; `options` are those of its layout.

        `explained` is whether a note says what the marks are.
        """
        caption = [plain.paragraph(line, hang=2) for line in self.caption.splitlines()]
        notes = [plain.paragraph(note, hang=2) for note in self.notes]
        rows = [row or [""] * len(self.head) for row in self.texts()]
        options = {"left": self.left, "headed": self.headed, **options}
        head, room = [*self.head], plain.room_for(self.head, rows, self.left) if self.lines else 0
        if room:
            head, rows = self._marked(head, rows, lambda block: block.bars(room))
            options["left"] = {*self.left, ""}
            notes += [plain.paragraph(MARKS.format(self.bar), hang=2)] if explained else []
        return "\n".join([*caption, plain.table(head, rows, **options), *notes])

    __str__ = text

    def _marked(
        self, head: Sequence[str], rows: Iterable[list[Any]], drawn: Callable[[Block], list[str]]
    ) -> tuple[list[str], list[list[Any]]]:
        """Return head and rows with what is drawn of them; lines that follow share a scale."""
        at = 1 + next(k for k, name in enumerate(head) if "interval" in name)
        keys = iter(with_scales(line for line in self.lines if line is not None))
        own = [(None if line is None else next(keys)[0], line) for line in self.lines]
        coming = own[-1:]  # from the last row on: what it shows, or the next that shows something
        for each in own[-2::-1]:
            coming.append(each if each[1] else coming[-1])
        scales: list[Any] = []
        named: set[str] = set()
        for (key, line), (following, first) in zip(own, coming[::-1], strict=True):
            # A metric keeps its scale from group to group.
            again = scales and following == scales[-1] and first and first.name in named
            scales.append(following if line is None and again else key)
            named |= {line.name} if line else set()
        marked, left = [], iter(rows)
        for key, held in groupby(zip(scales, self.lines, strict=True), key=lambda each: each[0]):
            lines = [line for _, line in held]
            found = iter([] if key is None else drawn(Block.of([x for x in lines if x])))
            pictures = ["" if line is None else next(found) for line in lines] + [*found]
            cells = [next(left) for _ in lines] + [[""] * len(head)] * (len(pictures) - len(lines))
            marked += [
                [*row[:at], each, *row[at:]] for row, each in zip(cells, pictures, strict=True)
            ]
        return [*head[:at], "", *head[at:]], marked

    def html(self, most: int | None = None) -> str:
        """Return the table for a page or a notebook; rows beyond `most` are folded."""
        head, rows = [*self.head], self.texts()
        if "better" in head:
            place = head.index("better")
            rows = [row[:place] + [_ARROWS.get(x, x) for x in row[place:]] for row in rows]
        if self.lines:  # shown and folded rows have scales of their own
            ends, parts = [0, len(rows) if most is None else most, len(rows)], []
            for first, last in pairwise(ends):
                own = replace(self, lines=self.lines[first:last])
                head_of_part, part = own._marked(
                    head, rows[first:last],
                    lambda b: [html.Markup(x) for x in [*map(b.picture, b.lines), b.axis]],
                )  # fmt: skip
                parts.append([*filter(any, part)])
            head, rows, most = head_of_part, [*parts[0], *parts[1]], len(parts[0])
        notes = "".join(map(html.paragraph, self.notes))
        caption = " ".join(self.caption.splitlines())
        return html.table(caption, head, filter(any, rows), most=most) + notes

    def _repr_html_(self) -> str:
        return self.html(html.ROWS)

    def markdown(self) -> str:
        """Return a pipe table."""
        table = markdown.table(self.caption, self.head, filter(any, self.texts()))
        return "\n\n".join([table, *map(markdown.escape, self.notes)])

    def latex(self) -> str:
        """Return a table that may run over pages, which needs booktabs and longtable."""
        return latex.table(self.caption, self.head, filter(any, self.texts()), self.notes)

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


_ENDS = "low", "high"
_ARROWS = {"high": "\u2191", "low": "\u2193"}


def _written(value: Any) -> str:
    """Return a number as a cell: four decimals, counts whole."""
    if value is None or isinstance(value, tuple):
        return "" if value is None else ends(*value)
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int | np.integer) else fixed(value)


class Tabular(Reportable):
    """A result that prints as its table, in a terminal and in a notebook."""

    _index: ClassVar[str | Sequence[str] | None] = None

    def _table(self) -> Table:
        raise NotImplementedError

    def __repr__(self) -> str:
        return self._table().printed().text()

    def _repr_html_(self) -> str:
        """Show the table in a notebook."""
        return self._table().printed()._repr_html_()

    def to_html(self) -> str:
        """Return the table as HTML, which takes its colours from the page that contains it."""
        return self._table().printed().html()

    def to_latex(self) -> str:
        """Return the table as LaTeX, which needs the packages booktabs and longtable."""
        return self._table().printed().latex()

    def to_markdown(self) -> str:
        """Return the table with pipes."""
        return self._table().printed().markdown()

    def to_frame(self) -> Any:
        """Return the rows as a pandas DataFrame.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return self._table().frame(self._index)
