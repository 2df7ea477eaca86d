"""A table of metrics with their intervals, for a terminal, a notebook, a paper or pandas."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from ..._compat import import_pandas
from ..._text import html, latex
from ..._text.numbers import fixed
from ..._text.tables import paragraph, table

_MOST = 50  # lines of a table in print


@dataclass(frozen=True)
class ReportRow:
    """One metric of one class, or of all.

    Attributes
    ----------
    part : str
        The class, or "overall".
    metric : str
    estimate, low, high : float
        nan where there is none.
    method : str
        How the interval was found.
    """

    part: str
    metric: str
    estimate: float
    low: float
    high: float
    method: str


@dataclass(frozen=True, eq=False, repr=False)
class ReportTable:
    """Metrics of each class and overall, with intervals; made by :func:`report_table`.

    Attributes
    ----------
    rows : tuple of ReportRow
        The rows of the table, over which it iterates.
    facts : tuple of str
        Classes, positive class and prevalence, operating point, weights and groups, and that the
        intervals are not simultaneous.
    confidence_level : float
        The confidence of the intervals.
    threshold : float or None
        The threshold of the scores, if any.

    Notes
    -----
    ``table["cancer", "recall"]`` is the row of a metric.
    """

    rows: tuple[ReportRow, ...]
    facts: tuple[str, ...]
    confidence_level: float
    threshold: float | None = None

    def __iter__(self) -> Iterator[ReportRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: tuple[Any, str]) -> ReportRow:
        part, metric = place
        for row in self.rows:
            if (row.part, row.metric) == (str(part), metric):
                return row
        raise KeyError(place)

    @property
    def _head(self) -> list[str]:
        return ["", "estimate", f"{100 * self.confidence_level:g} % interval", "method"]

    def _lines(self) -> Iterator[list[str]]:
        """Yield one line per part and, below it, one per metric, with empty lines between parts."""
        part = None
        for row in self.rows:
            if row.part != part:
                if part is not None:
                    yield ["", "", "", ""]
                yield [row.part, "", "", ""]
                part = row.part
            ends = f"{fixed(row.low)} to {fixed(row.high)}"
            yield [f"  {row.metric}", fixed(row.estimate), ends, row.method]

    def __repr__(self) -> str:
        facts = [paragraph(fact, hang=2) for fact in self.facts]
        lines = table(self._head, _cut(list(self._lines()))).splitlines()
        return "\n".join([*facts, "", *(line.rstrip() for line in lines)])

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_html(self) -> str:
        """Return the table as HTML, which takes its colours from the page that contains it."""
        rows = [
            [r.part, r.metric, fixed(r.estimate), f"{fixed(r.low)} to {fixed(r.high)}", r.method]
            for r in self.rows
        ]
        return html.table(" ".join(self.facts), ["class", "metric", *self._head[1:]], rows)

    def to_latex(self) -> str:
        """Return the table as LaTeX, which needs the package booktabs."""
        return latex.table(" ".join(self.facts), self._head, self._lines())

    def to_frame(self) -> Any:
        """Return a pandas DataFrame, one row per class and metric: estimate, low, high, method.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        frame = import_pandas().DataFrame([asdict(row) for row in self.rows])
        return frame.set_index(["part", "metric"])


def _cut(lines: list[list[str]]) -> list[list[str]]:
    """Omit classes in the middle of many; the last part, for all classes, stays."""
    ends = [k for k, line in enumerate(lines) if not any(line)]  # of each part but the last
    if len(lines) <= _MOST or not ends:
        return lines
    kept = max((end for end in ends if end <= _MOST), default=ends[0])
    more = sum(end > kept for end in ends)
    reported = [f"... and {more} more classes: to_frame()", "", "", ""]
    return [*lines[: kept + 1], reported, *lines[ends[-1] :]] if more else lines
