"""The sheet: one layout for every page, of words, one table with its intervals, and what folds."""

from __future__ import annotations

import base64
import hashlib
import math
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from .._compat import import_extra
from .._options import check_folder
from .._text.html import paragraph, preformatted
from .._text.numbers import counted, percent, significant, with_interval
from .._text.records import Reported, display_name
from ..inference import Interval

# The value of no effect: chance, no error of the risks, no use.
NO_EFFECT = {
    "roc_auc": 0.5, "matthews_corrcoef": 0.0, "cohen_kappa": 0.0, "informedness": 0.0,
    "observed_expected_ratio": 1.0, "calibration_slope": 1.0,
    "calibration_intercept": 0.0, "net_benefit": 0.0,
}  # fmt: skip
_WORDS = 150  # of the table before its rest folds
_WIDE, _LEFT, _RIGHT = 240.0, 34.0, 8.0  # of a chart, in the units of its picture
_HIGH, _TOP, _BOTTOM = 190.0, 10.0, 34.0
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
    name: str, numbers: Sequence[Any], row: Any = None, about: str = "", **more: Any
) -> Line:
    """Return the line of a metric, or of a part of it, on the scale of its row."""
    estimate, low, high = map(float, numbers)
    bounds = None if row is None else row.bounds
    better = None if row is None else row.greater_is_better
    usual = None if row is None or better is None else row.uninformed
    usual = 1.0 if row is not None and row.ratio else np.nan if usual is None else usual
    reference = more.pop("reference", NO_EFFECT.get(name, usual))
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
            low, high = min([*drawn, *more], default=0.0), max([*drawn, *more], default=1.0)
        if not low < high:
            low, high = (low - 0.1, high + 0.1) if np.isfinite(bounds).all() else (low, low + 1)
            low, high = max(low, bounds[0]), min(high, bounds[1])
        places = ticks_of(low, high, logarithmic)
        return cls(lines, min(low, places[0]), max(high, places[-1]),
                   [(p, significant(p)) for p in places], logarithmic)  # fmt: skip

    def x(self, number: float) -> float:
        """Return where a number lies, in per cent of the scale."""
        ends = self.low, self.high, max(number, 1e-300) if self.logarithmic else number
        low, high, at = map(math.log, ends) if self.logarithmic else ends
        return round(min(max(100 * (at - low) / (high - low), 0), 100), 2)


def blocks_of(lines: Iterable[Line]) -> list[Block]:
    """Return the lines by their scales, in the order in which the scales occur.

    Metrics without an end of their range share a scale with nobody but the lines of their own name.
    """
    held: dict[Any, list[Line]] = {}
    key: Any = None
    for line in lines:
        if line.depth == 0:
            finite = line.bounds is not None and np.isfinite(line.bounds).all()
            key = line.bounds if finite else line.name
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


@dataclass(frozen=True)
class Series:
    """A curve of a chart, or with ``low`` and ``high`` points with their intervals."""

    x: Any
    y: Any
    name: str = ""
    colour: int = 0
    low: Any = None
    high: Any = None
    step: bool = False


@dataclass(frozen=True)
class Chart:
    """A small multiple: curves over two scales, with a mark that follows the threshold.

    Attributes
    ----------
    kind : str
        What the script moves: "roc", "reliability" or "benefit".
    title, across, up : str
        What it shows, and the names of both scales.
    series : list of Series
    x, y : tuple of two float
        The ends of the scales.
    """

    kind: str
    title: str
    across: str
    up: str
    series: list[Series]
    x: Bounds
    y: Bounds
    wide: float = _WIDE
    high: float = _HIGH

    def px(self, number: float) -> float:
        """Return the place of a number from the left."""
        share = (number - self.x[0]) / (self.x[1] - self.x[0])
        return round(_LEFT + share * (self.wide - _LEFT - _RIGHT), 1)

    def py(self, number: float) -> float:
        """Return the place of a number from the top."""
        share = (number - self.y[0]) / (self.y[1] - self.y[0])
        return round(self.high - _BOTTOM - share * (self.high - _TOP - _BOTTOM), 1)

    def points(self, series: Series) -> str:
        """Return the points of a curve, which the page cuts at the frame."""
        at = np.transpose([np.asarray(part, dtype=float) for part in (series.x, series.y)])
        return " ".join(f"{self.px(a)},{self.py(b)}" for a, b in at[np.isfinite(at).all(axis=1)])

    def ticks(self, axis: str) -> list[tuple[float, str]]:
        """Return places and labels along a scale."""
        (low, high), place = (self.x, self.px) if axis == "x" else (self.y, self.py)
        inside = [t for t in ticks_of(low, high) if low - 1e-9 <= t <= high + 1e-9]
        return [(place(t), significant(t)) for t in inside]


@dataclass(frozen=True)
class Sheet:
    """What a page says, in the order in which it is read.

    Attributes
    ----------
    title : str
    facts : dict of str to str
        Rows, positives, threshold, role of the data: a name and a value each.
    answer : str
        One sentence: how good, for whom, at which threshold.
    lines : list of Line
    about : str
        What estimates and intervals of the table are.
    control : Control or None
        The threshold with what follows it.
    folded : list of (str, str)
        Heading and HTML of what folds; empty ones are omitted.
    notes : list of str
        Warnings that a reader of the first screen needs.
    verdict : Verdict or None
        The first lines.
    forests : list of (str, list of Line)
        Groups or sites by a metric: one picture each, on the first screen.
    shown : str
        HTML of tables or pictures below the table of metrics.
    """

    title: str
    facts: Mapping[str, str]
    answer: str
    lines: Sequence[Line]
    about: str = ""
    control: Any = None
    folded: Sequence[tuple[str, str]] = ()
    notes: Sequence[str] = field(default_factory=tuple)
    verdict: Any = None
    forests: Sequence[tuple[str, Sequence[Line]]] = ()
    shown: str = ""

    def html(self) -> str:
        """Return the page."""
        lines, cut = list(self.lines), self._shown_at_once()
        return str(
            _template().render(
                sheet=self,
                shown=_scrolling(self.shown),
                blocks=blocks_of(lines[:cut]),
                rest=blocks_of(lines[cut:]),
                forests_drawn=[(name, Block.of([*each])) for name, each in self.forests],
                folded=[(name, _scrolling(stated)) for name, stated in self.folded if stated],
                script=_script(),
                policy=_policy(),
            )
        )

    def _shown_at_once(self) -> int:
        """Return how many lines the first screen has room for; a metric stays whole, with its groups."""
        words = [len(f"{x.name} {x.text} {x.words} {x.n}".split()) for x in self.lines]
        starts = [k for k, line in enumerate(self.lines) if not line.depth]
        ends = [*starts[1:], len(words)]
        room = _WORDS - (len(str(self.verdict).split()) if self.verdict else 0)
        return max((end for end in ends if sum(words[:end]) <= room), default=next(iter(ends)))


@cache
def _template(name: str = "sheet") -> Any:
    jinja2 = import_extra("jinja2", "A report", "skaucx[report]")
    loader = jinja2.FileSystemLoader(Path(__file__).parent / "templates")
    environment = jinja2.Environment(
        loader=loader, autoescape=True, extensions=["jinja2.ext.loopcontrols"],
        trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    environment.filters |= {"counted": counted, "percent": percent, "significant": significant}
    return environment.get_template(f"{name}.html.jinja")


@cache
def _script() -> str:
    """Return the script of the page."""
    return (Path(__file__).parent / "templates" / "sheet.js").read_text(encoding="utf-8")


@cache
def _policy() -> str:
    """Return the content security policy: the page's own script, by its hash, and nothing else.

    Styles stand in attributes, of pictures too, for which a policy has no hashes.
    """
    digest = base64.b64encode(hashlib.sha256(_script().encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _scrolling(content: str) -> str:
    """Make a table that is wider than the page scrollable."""
    return content.replace("<table", '<div class="scroll"><table').replace(
        "</table>", "</table></div>"
    )


def forests_html(forests: Sequence[tuple[str, Sequence[Line]]]) -> str:
    """Return pictures of groups for the part that folds."""
    drawn = [(name, Block.of([*each])) for name, each in forests]
    return str(_template("tables").module.forests(drawn)) if drawn else ""


def write_sheet(path: str | PathLike[str], sheet: Sheet) -> Path:
    """Write a page whole or, where that fails, not at all, and return its file."""
    text, written = sheet.html(), Path(path)
    target = written.resolve()
    if target.exists() and not target.is_file():  # such as a pipe
        target.write_text(text, encoding="utf-8")
        return written
    check_folder(target)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)
    return written


def origin(call: str) -> str:
    """Return the code that made the numbers, and the versions that it ran with."""
    packages = ("skaucx", "scikit-learn", "numpy", "scipy", "joblib")
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    lines = [call] if call else []
    return preformatted("\n\n".join([*lines, f"Python {platform.python_version()}, {versions}"]))


def methods(found: Mapping[str, Interval]) -> str:
    """Return how the intervals of metrics were computed, what they are about, and their cautions."""
    if not found:
        return ""
    by: dict[str, list[str]] = {}
    for name, one in found.items():
        stated = [
            f"Interval by {one.method}, for {one.target}",
            *filter(None, one.note.split("; ")),
        ]
        for each in stated:
            by.setdefault(each, []).append(display_name(name))
    return "".join(
        paragraph(f"{', '.join(dict.fromkeys(names))}: {stated}.") for stated, names in by.items()
    )


def of_hundred(found: Any, label: Any = None) -> str:
    """Return a share and its interval as counts of 100: "92 of 100 malignant rows [85, 95]"."""
    numbers = [float(x) for x in (found.estimate, found.low, found.high)]
    if np.isnan(numbers[0]):
        return "an undefined share" if label is None else f"an undefined share of {_rows_of(label)}"
    ends = "" if np.isnan(numbers[1:]).all() else f" [{_whole(numbers[1])}, {_whole(numbers[2])}]"
    return f"{_whole(numbers[0])} of 100{'' if label is None else f' {_rows_of(label)}'}{ends}"


def _whole(share: float) -> str:
    """Return a share of 100, with a decimal where it would else look like none or all."""
    if np.isnan(share):
        return "undefined"
    places = 1 if round(100 * share) in (0, 100) and share not in (0, 1) else 0
    return f"{100 * share:.{places}f}"


def _rows_of(label: Any) -> str:
    """Return the rows of a class in a sentence."""
    text = str(label)
    return f"{text} rows" if any(letter.isalpha() for letter in text) else f"rows of class {text}"


def facts_of(
    n: Any, positive: Any, positives: Any, data: str, more: Mapping[str, str]
) -> dict[str, str]:
    """Return the facts at the head of a page."""
    stated = {} if n is None else {"Rows": counted(n)}
    if positives is not None and n:
        share = percent(float(positives) / float(n))
        stated["Positive class"] = f"{positive}: {counted(positives)} rows ({share})"
    return stated | dict(more) | {"Data": data}
