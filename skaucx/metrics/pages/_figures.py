"""Figures inside a page: drawings that take the page's colours, light or dark."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from ..._compat import import_pyplot
from ..._plotting import LIGHT

# Colours that stand for those of the page until the drawing is written.
_INK, _PAPER = "#010101", "#fefefe"
_POINTS = 250  # of a curve that tells its values under the pointer


@dataclass(frozen=True)
class Hover:
    """A curve that tells its values under the pointer, and follows the threshold of the page."""

    x: Any
    y: Any
    thresholds: Any
    names: tuple[str, str]


@contextmanager
def page_style() -> Iterator[None]:
    """Draw in the colours of the page, whatever the caller's style is, and close what was opened."""
    pyplot = import_pyplot()
    opened = set(pyplot.get_fignums())
    ink = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    paper = ("axes.facecolor", "figure.facecolor", "legend.facecolor")
    colours = dict.fromkeys(ink, _INK) | dict.fromkeys(paper, _PAPER)
    try:
        with (
            pyplot.style.context("default"),
            pyplot.rc_context(colours | {"legend.edgecolor": "0.6"}),
        ):
            yield
    finally:
        for number in set(pyplot.get_fignums()) - opened:
            pyplot.close(number)


def figure(
    caption: str,
    draw: Callable[..., Any],
    hover: Hover | None = None,
    size: tuple[float, float] = (5.0, 4.2),
) -> str:
    """Return a picture of a size in inches with its caption; ``draw(ax=...)`` returns a display."""
    _, ax = import_pyplot().subplots(figsize=size, layout="constrained")
    display = draw(ax=ax)
    data = "" if hover is None else _data(display, hover)
    return (
        f"<figure{data}>{_svg(display.figure_, caption)}"
        f"<figcaption>{escape(caption)}{'<output></output>' if data else ''}</figcaption></figure>"
    )


def _svg(drawn: Any, caption: str) -> str:
    """Return a figure as SVG whose ink, paper and lines are variables of the page."""
    with io.StringIO() as file:
        drawn.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
        text = file.getvalue()
    import_pyplot().close(drawn)
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    variables = {_INK: "--ink", _PAPER: "--paper"}
    variables |= {colour.lower(): f"--line{k}" for k, colour in enumerate(LIGHT)}
    for colour, name in variables.items():
        text = text.replace(colour, f"var({name})")
    width, height = (72 * inches for inches in drawn.get_size_inches())
    head = (
        f'<svg role="img" aria-label="{escape(caption, quote=True)}" '
        f'viewBox="0 0 {width:g} {height:g}" style="width: {width / 72 * 7:.1f}rem">'
    )
    return head + text[text.index(">") + 1 :]


def _data(display: Any, hover: Hover) -> str:
    """Return the points of a curve in shares of the picture, for the script of the page."""
    ax, drawn = display.ax_, display.figure_
    drawn.draw_without_rendering()
    keep = np.unique(np.linspace(0, len(hover.x) - 1, _POINTS).round().astype(int))
    x, y, t = (np.asarray(part, float)[keep] for part in (hover.x, hover.y, hover.thresholds))
    pixels = ax.transData.transform(np.column_stack([x, y])) / drawn.bbox.size
    points = np.column_stack([pixels[:, 0], 1 - pixels[:, 1], x, y, t])
    rows = [[_plain(number) for number in row] for row in points if np.isfinite(row[:4]).all()]
    told = json.dumps({"points": rows, "names": hover.names}, separators=(",", ":"))
    return f' data-curve="{escape(told, quote=True)}"'


def _plain(number: float) -> float | None:
    return float(f"{number:.4g}") if np.isfinite(number) else None


def figures(parts: Sequence[str]) -> str:
    """Return pictures side by side, as many as the page is wide."""
    return f'<div class="pictures">{"".join(parts)}</div>' if parts else ""
