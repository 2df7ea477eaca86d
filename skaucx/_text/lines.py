"""What is drawn of the rows of a table: estimates and intervals on shared scales."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .numbers import significant, with_interval
from .reported import NO_EFFECT, Reported

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
    reference = {"average_precision": share, **NO_EFFECT}.get(name, usual)
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
        parts.append(f'<circle class="dot" cx="{estimate}%" cy="50%" r="4"/>')
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
        >>> from skaucx._text.lines import Block, Line
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


MARKS = "Marks: o the estimate, - its interval, | {}."


def _svg(height: int, parts: Iterable[str]) -> str:
    """Return a picture as wide as its cell, in the colour of the text around it."""
    colours = 'stroke="currentColor" fill="currentColor"'
    style = "display: block; min-width: 9em; overflow: visible"
    return (
        f'<svg width="100%" height="{height}" style="{style}" {colours} aria-hidden="true">'
        f"{''.join(parts)}</svg>"
    )


def with_scales(lines: Iterable[Line]) -> Iterator[tuple[Any, Line]]:
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
    for key, line in with_scales(lines):
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
