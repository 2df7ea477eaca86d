"""What is drawn of the rows of a table: estimates and intervals on a scale that rows share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from .html import Markup
from .numbers import significant
from .reported import Reported

MARKS = "Marks: o the estimate, - its interval, | {}."


def scale_of(rows: Sequence[Reported]) -> list[float]:
    """Return the round numbers of a scale from the least to the greatest of all ends and references."""
    drawn = [x for row in rows for x in (*row.numbers, row.reference) if np.isfinite(x)]
    bounds = rows[-1].bounds
    if not np.isfinite(bounds).all() and len(drawn) < 4:
        drawn.append(0.0)  # the best loss, or no difference
    low, high = min(drawn or bounds), max(drawn or bounds)
    if not low < high:
        room = 0.1 if np.isfinite(bounds).all() else max(1.0, abs(low))
        low, high = max(low - room, bounds[0]), min(high + room, bounds[1])
    return ticks_of(low, high)


def places(row: Reported, scale: Sequence[float]) -> list[float | None]:
    """Return where estimate, ends and reference lie, as shares of the scale; None where nan."""
    shares = [(x - scale[0]) / (scale[-1] - scale[0]) for x in (*row.numbers, row.reference)]
    return [None if math.isnan(x) else round(min(max(x, 0), 1), 4) for x in shares]


def drawn_in_text(rows: Sequence[Reported], width: int) -> list[str]:
    r"""Return rows in characters, and the scale below.

    Examples
    --------
    >>> from skaucx._text.lines import drawn_in_text
    >>> from skaucx._text.reported import Reported
    >>> print("\n".join(drawn_in_text([Reported("auc", 0.8, 0.7, 0.88, reference=0.5)], 20)))
    |         ----o----
    0.5              0.9
    """
    scale, drawn = scale_of(rows), []
    for row in rows:
        cells = [" "] * width
        at, low, high, reference = (
            None if x is None else round(x * (width - 1)) for x in places(row, scale)
        )
        if at is not None:
            if low is not None and high is not None:
                cells[low : high + 1] = "-" * (high + 1 - low)
            if reference is not None:
                cells[reference] = "|"
            cells[at] = "o"
        drawn.append("".join(cells).rstrip())
    first, last = significant(scale[0]), significant(scale[-1])
    return [*drawn, f"{first}{last:>{width - len(first)}}"]


def drawn_in_html(rows: Sequence[Reported]) -> list[str]:
    """Return rows as SVG, and the scale below."""
    scale, drawn = scale_of(rows), []
    for row in rows:
        at, low, high, reference = places(row, scale)
        parts = ['<line class="base" x2="100%" y1="50%" y2="50%" stroke-opacity="0.3"/>']
        if reference is not None:
            x = f'x1="{reference:.2%}" x2="{reference:.2%}"'
            parts.append(f'<line class="reference" {x} y1="-15%" y2="115%" stroke-dasharray="2"/>')
        if low is not None and high is not None:
            x = f'x1="{low:.2%}" x2="{high:.2%}"'
            parts.append(f'<line {x} y1="50%" y2="50%" stroke-width="2.5"/>')
        if at is not None:
            parts.append(f'<circle class="dot" cx="{at:.2%}" cy="50%" r="4"/>')
        drawn.append(Markup("" if at is None else _svg(16, parts)))
    written = [
        f'<text x="{(tick - scale[0]) / (scale[-1] - scale[0]):.2%}" y="11" text-anchor="middle" '
        f'font-size="11" stroke="none">{significant(tick)}</text>'
        for tick in scale
    ]
    return [*drawn, Markup(_svg(14, written))]


def _svg(height: int, parts: Iterable[str]) -> str:
    """Return a picture as wide as its cell, in the colour of the text around it."""
    colours = 'stroke="currentColor" fill="currentColor"'
    style = "display: block; min-width: 9em; overflow: visible"
    return (
        f'<svg width="100%" height="{height}" style="{style}" {colours} aria-hidden="true">'
        f"{''.join(parts)}</svg>"
    )


def scale_name(row: Reported) -> object:
    """Return what rows on one scale have in common: a finite range, or the metric."""
    return row.bounds if np.isfinite(row.bounds).all() else row.metric


def ticks_of(low: float, high: float, most: int = 4) -> list[float]:
    """Return round numbers from at or below the low to at or above the high end of a scale."""
    rough = (high - low) / most
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * m for m in (1, 2, 2.5, 5, 10) if size * m >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(step * k, 12) for k in range(first, last + 1)]
