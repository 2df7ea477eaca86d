"""A reported number with its sign and meaning, and the table of a result: one source of every form."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from .._compat import import_pandas
from .._faces import Reportable
from . import html, latex, markdown
from .numbers import fixed, with_interval
from .tables import paragraph
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

    def text(self, **options: Any) -> str:
        """Return the table for a terminal, 80 columns wide; `options` are those of its layout."""
        caption = [paragraph(line, hang=2) for line in self.caption.splitlines()]
        notes = [paragraph(note, hang=2) for note in self.notes]
        rows = [row or [""] * len(self.head) for row in self.texts()]
        options = {"left": self.left, "headed": self.headed, **options}
        return "\n".join([*caption, text_table(self.head, rows, **options), *notes])

    __str__ = text

    def html(self) -> str:
        """Return the table for a page or a notebook."""
        rows = [row for row in self.texts() if any(row)]
        notes = "".join(map(html.paragraph, self.notes))
        return html.table(" ".join(self.caption.splitlines()), self.head, rows) + notes

    _repr_html_ = html

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
        return self._table().html()

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
