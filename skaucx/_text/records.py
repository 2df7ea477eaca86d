"""A reported number with its sign and meaning, and the table of a result: one source of every form."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from typing import Any, ClassVar

import numpy as np

from .._compat import import_pandas
from .._faces import Reportable
from . import html, latex, markdown
from .numbers import fixed, significant, with_interval
from .tables import paragraph, room_for
from .tables import table as text_table

DIRECTION = {True: "high", False: "low", None: ""}

_SHORT = {
    "matthews_corrcoef": "MCC",
    "mcc": "MCC",
    "cohen_kappa": "kappa",
    "observed_expected_ratio": "O:E ratio",
    "d2_brier": "scaled Brier score",
    "d2_log_loss": "McFadden R2",
    "fbeta": "F-beta",
    "harrell_c": "Harrell's C",
    "uno_c": "Uno's C",
    "survival_oe_ratio": "O:E ratio",
    "survival_calibration_slope": "calibration slope",
}
_CAPITALS = (
    "AUC BEDROC E50 E90 F1 H KS NPV P4 PR R2 ROC V Aickin Bangdiwala Bennett Blanquet Braun Bray Brier "
    "Cramer Curtis Fowlkes Gini Goodman Gwet Harrell Jaccard Kendall Krippendorff Kruskal Kulczynski "
    "Mallows Nagelkerke Scott Theil Tversky Yule"
)
_WORDS = {word.lower(): word for word in _CAPITALS.split()}
_AVERAGES = {
    "macro": "macro",
    "micro": "micro",
    "weighted": "weighted",
    "samples": "by row",
    "ovr": "one-vs-rest",
    "ovo": "one-vs-one",
}


def shown(metric: str) -> str:
    """Return a metric's name as a reader writes it.

    Examples
    --------
    >>> from skaucx._text.records import shown
    >>> shown("roc_auc_ovr_weighted"), shown("f1_macro"), shown("fbeta(beta=2)")
    ('ROC AUC (one-vs-rest, weighted)', 'F1 (macro)', 'F-beta (beta=2)')
    """
    name, _, given = metric.partition("(")
    notes = [given.rstrip(")")] if given else []
    while (parts := name.rpartition("_"))[0] and parts[2] in _AVERAGES:
        name, notes = parts[0], [_AVERAGES[parts[2]], *notes]
    words = " ".join(_WORDS.get(word, word) for word in name.split("_"))
    return _SHORT.get(name, words) + (f" ({', '.join(notes)})" if notes else "")


@dataclass(frozen=True)
class Reported:
    """One number of a result: its metric and sign go together into every form of it.

    Attributes
    ----------
    metric : str
        The metric as named; ``neg_log_loss`` is the negated loss, whose number is at most 0.
    estimate, low, high : float
        The ends are nan where there is no interval.
    about : str
        The row: an estimator, a class, a group, or a pair as "first \u2212 second".
    better : bool or None
        Whether greater is better; None where neither is.
    reference : float
        The value of no effect: 0 of a difference, 1 of a ratio; nan where there is none.
    rows : float
        The rows behind it; nan where they are not known.
    bounds : tuple of two float or None
        The range of the metric.
    """

    metric: str
    estimate: float
    low: float = np.nan
    high: float = np.nan
    about: str = ""
    better: bool | None = None
    reference: float = np.nan
    rows: float = np.nan
    bounds: tuple[float, float] | None = None

    @classmethod
    def of(cls, metric: str, found: Any, scale: float = 1.0, **more: Any) -> Reported:
        """Return the number of an interval, times a positive scale."""
        estimate, low, high = (scale * float(x) for x in (found.estimate, found.low, found.high))
        return cls(metric, estimate, low, high, **more)

    @property
    def numbers(self) -> tuple[float, float, float]:
        """Estimate and ends."""
        return self.estimate, self.low, self.high

    @property
    def name(self) -> str:
        """The metric's name as a reader writes it."""
        return shown(self.metric)

    @property
    def text(self) -> str:
        """Estimate and interval in one precision."""
        return with_interval(*self.numbers)

    def as_loss(self) -> Reported:
        """Return the number of the loss where the metric is a negated one, name and signs at once.

        Examples
        --------
        >>> from skaucx._text.records import Reported
        >>> found = Reported("neg_log_loss", -0.17, -0.22, -0.14, better=True).as_loss()
        >>> found.name, found.text, found.better
        ('log loss', '0.17 [0.14, 0.22]', False)
        """
        if not self.metric.startswith("neg_"):
            return self
        bounds = None if self.bounds is None else (-self.bounds[1], -self.bounds[0])
        return replace(
            self, metric=self.metric.removeprefix("neg_"), estimate=-self.estimate, low=-self.high,
            high=-self.low, reference=-self.reference + 0.0, bounds=bounds,
            better=None if self.better is None else not self.better,
        )  # fmt: skip


def display_name(metric: str) -> str:
    """Return the name of a metric as a reader writes it; that of a negated loss is the loss."""
    return shown(metric.removeprefix("neg_"))


# The value of no effect: chance, no error of the risks, no use.
NO_EFFECT = {
    "roc_auc": 0.5, "matthews_corrcoef": 0.0, "cohen_kappa": 0.0, "informedness": 0.0,
    "observed_expected_ratio": 1.0, "calibration_slope": 1.0,
    "calibration_intercept": 0.0, "net_benefit": 0.0,
}  # fmt: skip
Bounds = tuple[float, float]


@dataclass(frozen=True)
class Line:
    """A line of the table: a name, an estimate with its interval, and where it is drawn.

    Attributes
    ----------
    name : str
    numbers : tuple of three float, or None
        Estimate and ends, which are nan without an interval; None of a heading.
    bounds : tuple of two float, or None
        The range of the metric, whose scale the interval is drawn on; None draws nothing.
    n : str
        The rows of the line.
    depth : int
        1 of a group, a class or an estimator below its heading.
    words : str
        What the line says in place of an interval, or after it.
    logarithmic : bool
        Whether the scale is one of ratios.
    reference : float
        A value that is marked: of no effect, or that of all rows; nan for none.
    better : bool or None
        Whether greater is better; None where neither is.
    mark : {"dot", "diamond", "none"}
        How the estimate is drawn.
    """

    name: str
    numbers: tuple[float, float, float] | None
    bounds: Bounds | None = None
    n: str = ""
    depth: int = 0
    words: str = ""
    logarithmic: bool = False
    reference: float = np.nan
    better: bool | None = None
    mark: str = "dot"

    @classmethod
    def of(cls, found: Reported, **more: Any) -> Line:
        """Return the line of a number, which is that of its part if it is about one.

        A negated loss appears as the loss.
        """
        found = found.as_loss()
        bounds = found.bounds or (-np.inf, np.inf)
        given = {"reference": found.reference, "better": found.better} | more
        return cls(found.about or found.name, found.numbers, bounds, **given)

    @property
    def text(self) -> str:
        """Estimate and interval in one precision."""
        return "" if self.numbers is None else with_interval(*self.numbers)


def metric_line(
    name: str,
    numbers: Sequence[Any],
    row: Any = None,
    about: str = "",
    *,
    share: float = np.nan,
    **more: Any,
) -> Line:
    """Return the line of a metric, or of a part of it, on the scale of its row.

    `share` is that of the positive class, which is the chance level of the average precision.
    """
    estimate, low, high = map(float, numbers)
    bounds = None if row is None else row.bounds
    better = None if row is None else row.greater_is_better
    usual = None if row is None or better is None else row.uninformed
    usual = 1.0 if row is not None and row.ratio else np.nan if usual is None else usual
    chance = {"average_precision": share, **NO_EFFECT}
    reference = more.pop("reference", chance.get(name, usual))
    found = Reported(name, estimate, low, high, about, better, reference, bounds=bounds)
    return Line.of(found, logarithmic=row is not None and row.ratio, **more)


@dataclass(frozen=True)
class Block:
    """Lines that share a scale."""

    lines: list[Line]
    low: float
    high: float
    ticks: list[tuple[float, str]]
    logarithmic: bool

    @classmethod
    def of(cls, lines: list[Line]) -> Block:
        """Find the scale: from the least to the greatest of all ends and references."""
        lines = [line if line.bounds else replace(line, reference=np.nan) for line in lines]
        drawn = [x for line in lines if line.bounds for x in line.numbers or () if np.isfinite(x)]
        drawn += [line.reference for line in lines if np.isfinite(line.reference)]
        bounds = next((line.bounds for line in lines if line.bounds), (0.0, 1.0))
        logarithmic = any(line.logarithmic for line in lines) and all(x > 0 for x in drawn)
        if logarithmic:
            low, high = min([0.5, *drawn]), max([2.0, *drawn])
        else:  # 0 belongs to the scale of a metric without reference: the best loss, or no difference
            more = [] if np.isfinite(bounds).all() or len(drawn) > 3 else [0.0]
            drawn = [*drawn, *more] or list(bounds)
            low, high = min(drawn), max(drawn)
        if not low < high:
            room = 0.1 if np.isfinite(bounds).all() else max(1.0, abs(low))
            low, high = max(low - room, bounds[0]), min(high + room, bounds[1])
        places = ticks_of(low, high, logarithmic)
        return cls(lines, min(low, places[0]), max(high, places[-1]),
                   [(p, significant(p)) for p in places], logarithmic)  # fmt: skip

    def x(self, number: float) -> float:
        """Return where a number lies, in per cent of the scale."""
        ends = self.low, self.high, max(number, 1e-300) if self.logarithmic else number
        low, high, at = map(math.log, ends) if self.logarithmic else ends
        return round(min(max(100 * (at - low) / (high - low), 0), 100), 2)

    def picture(self, line: Line) -> str:
        """Return estimate, interval and reference on the scale, as SVG; "" where there is none."""
        if not line.bounds or line.numbers is None or np.isnan(line.numbers[0]):
            return ""
        estimate, low, high = map(self.x, line.numbers)
        parts = ['<line class="base" x2="100%" y1="50%" y2="50%" stroke-opacity="0.3"/>']
        if line.reference == line.reference:
            at = f'x1="{self.x(line.reference)}%" x2="{self.x(line.reference)}%"'
            parts.append(f'<line class="reference" {at} y1="-15%" y2="115%" stroke-dasharray="2"/>')
        if not np.isnan(line.numbers[1:]).any():
            parts.append(f'<line x1="{low}%" x2="{high}%" y1="50%" y2="50%" stroke-width="2.5"/>')
        if line.mark == "dot":
            parts.append(f'<circle class="dot" cx="{estimate}%" cy="50%" r="4"/>')
        elif line.mark == "diamond":
            path = '<path d="M-5 0 0-5 5 0 0 5z"/>'
            parts.append(f'<svg class="diamond" x="{estimate}%" y="50%" {_SEEN}>{path}</svg>')
        return _svg(16, parts)

    @property
    def axis(self) -> str:
        """The scale of the pictures, as SVG."""
        return _svg(14, [
            f'<text x="{self.x(place)}%" y="11" text-anchor="middle" font-size="11" '
            f'stroke="none">{written}</text>' for place, written in self.ticks
        ])  # fmt: skip

    def bars(self, width: int) -> list[str]:
        r"""Return the lines in characters, and the scale below.

        Examples
        --------
        >>> from skaucx._text.records import Block, Line
        >>> lines = [Line("AUC", (0.8, 0.7, 0.88), (0, 1), reference=0.5)]
        >>> print("\n".join(Block.of(lines).bars(20)))
        |         ----o----
        0.5              0.9
        """
        drawn = []
        for line in self.lines:
            cells = [" "] * width
            if line.bounds and line.numbers is not None and not np.isnan(line.numbers[0]):
                at, low, high, usual = (
                    -1 if np.isnan(number) else round(self.x(number) / 100 * (width - 1))
                    for number in (*line.numbers, line.reference)
                )
                if low >= 0 and high >= 0:
                    cells[low : high + 1] = "-" * (high + 1 - low)
                if usual >= 0:
                    cells[usual] = "|"
                cells[at] = "o"
            drawn.append("".join(cells).rstrip())
        (_, first), *_, (_, last) = self.ticks
        return [*drawn, f"{first}{last:>{width - len(first)}}"]


_SEEN = 'overflow="visible"'


def _svg(height: int, parts: Iterable[str]) -> str:
    """Return a picture as wide as its cell, in the colour of the text around it."""
    colours = 'stroke="currentColor" fill="currentColor"'
    style = "display: block; min-width: 9em; overflow: visible"
    return (
        f'<svg width="100%" height="{height}" style="{style}" {colours} aria-hidden="true">'
        f"{''.join(parts)}</svg>"
    )


def _scales(lines: Iterable[Line]) -> Iterator[tuple[Any, Line]]:
    """Yield lines with their scales: ranges that are finite, or the name of the metric."""
    key: Any = None
    for line in lines:
        if line.depth == 0:
            finite = line.bounds is not None and np.isfinite(line.bounds).all()
            key = line.bounds if finite else line.name
        yield key, line


def blocks_of(lines: Iterable[Line]) -> list[Block]:
    """Return the lines by their scales, in the order in which the scales occur.

    Metrics without an end of their range share a scale with nobody but the lines of their own name.
    """
    held: dict[Any, list[Line]] = {}
    for key, line in _scales(lines):
        held.setdefault(key, []).append(line)
    return [Block.of(each) for each in held.values()]


def ticks_of(low: float, high: float, logarithmic: bool = False, most: int = 4) -> list[float]:
    """Return round numbers from at or below the low to at or above the high end of a scale."""
    if logarithmic:
        many = max(1, math.ceil(math.log2(high / low) / most))
        first, last = (math.floor(math.log2(low) / many), math.ceil(math.log2(high) / many))
        return [2.0 ** (many * k) for k in range(first, last + 1)]
    rough = (high - low) / most
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * m for m in (1, 2, 2.5, 5, 10) if size * m >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(step * k, 12) for k in range(first, last + 1)]


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """The rows of a result, which print as text, HTML, LaTeX and Markdown, or become a frame.

    Attributes
    ----------
    head : sequence of str
    rows : sequence of sequence of str, int, float or bool
        Cells as they are; an empty row is a rule between parts.
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

    Examples
    --------
    >>> from skaucx._text.records import Table
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
        caption = [paragraph(line, hang=2) for line in self.caption.splitlines()]
        notes = [paragraph(note, hang=2) for note in self.notes]
        rows = [row or [""] * len(self.head) for row in self.texts()]
        options = {"left": self.left, "headed": self.headed, **options}
        head, room = [*self.head], room_for(self.head, rows, self.left) if self.lines else 0
        if room:
            head, rows = self._marked(head, rows, lambda block: block.bars(room))
            options["left"] = {*self.left, ""}
            notes += [paragraph(MARKS, hang=2)] if explained else []
        return "\n".join([*caption, text_table(head, rows, **options), *notes])

    __str__ = text

    def _marked(
        self, head: Sequence[str], rows: Iterable[list[Any]], drawn: Callable[[Block], list[str]]
    ) -> tuple[list[str], list[list[Any]]]:
        """Return head and rows with what is drawn of them; lines that follow share a scale."""
        at = 1 + next(k for k, name in enumerate(head) if "interval" in name)
        keys = iter(_scales(line for line in self.lines if line is not None))
        scales = [None if line is None else next(keys)[0] for line in self.lines]
        marked, left = [], iter(rows)
        for key, held in groupby(zip(scales, self.lines, strict=True), key=lambda each: each[0]):
            lines = [line for _, line in held]
            pictures = (
                [""] * len(lines) if key is None else drawn(Block.of([x for x in lines if x]))
            )
            own = [next(left) for _ in lines] + [[""] * len(head)] * (len(pictures) - len(lines))
            marked += [
                [*row[:at], each, *row[at:]] for row, each in zip(own, pictures, strict=True)
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
        found = import_pandas().DataFrame([*filter(len, self.rows)], columns=[*self.head])
        return found if index is None else found.set_index(index)


MARKS = "Marks: o the estimate, - its interval, | chance or no effect."
_ARROWS = {"high": "\u2191", "low": "\u2193"}


def _written(value: Any) -> str:
    """Return a number as a cell: four decimals, counts whole."""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int | np.integer) else fixed(value)


class Tabular(Reportable):
    """A result that prints as its table, in a terminal and in a notebook."""

    _index: ClassVar[str | Sequence[str] | None] = None

    def _table(self) -> Table:
        raise NotImplementedError

    def __repr__(self) -> str:
        return self._table().text()

    def __str__(self) -> str:
        return self._table().text()

    def _repr_html_(self) -> str:
        """Show the table in a notebook."""
        return self._table()._repr_html_()

    def to_html(self) -> str:
        """Return the table as HTML, which takes its colours from the page that contains it."""
        return self._table().html()

    def to_latex(self) -> str:
        """Return the table as LaTeX, which needs the packages booktabs and longtable."""
        return self._table().latex()

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
