"""Pictures of matplotlib on a page, in the colours of the page."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from typing import Any

from ..._compat import import_pyplot
from ..._plotting import LIGHT

# Placeholder colours, replaced by those of the page in the final drawing.
_INK, _PAPER = "#010101", "#fefefe"


@contextmanager
def page_style() -> Iterator[None]:
    """Draw in the colours of the page, independent of the caller's style, and close the figures."""
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


def figure(caption: str, draw: Callable[..., Any], size: tuple[float, float] = (5.0, 4.2)) -> str:
    """Return a picture of a size in inches with its caption; ``draw(ax=...)`` returns a display."""
    _, ax = import_pyplot().subplots(figsize=size, layout="constrained")
    display = draw(ax=ax)
    caption_html = f"<figcaption>{escape(caption)}</figcaption>"
    return f"<figure>{_svg(display.figure_, caption)}{caption_html}</figure>"


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


def figures(parts: Sequence[str]) -> str:
    """Return pictures side by side, as many as the page is wide."""
    return f'<div class="pictures">{"".join(parts)}</div>' if parts else ""
