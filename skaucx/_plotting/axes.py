"""Axes: our own figure, or the caller's, of which nothing but the axes is touched."""

from __future__ import annotations

from typing import Any

from .._compat import import_pyplot
from .fitting import SMALLEST, at_draw, scale_down, shrink, width

SQUARE = (4.9, 4.7)  # inches
_WRAPPED = 1.2  # lengths of an axis: a longer name has two lines, a shorter one smaller letters


def new_axes(ax: Any = None, size: tuple[float, float] = SQUARE) -> tuple[Any, Any]:
    """Return axes and their figure; if none are given, new ones of a size in inches at 10 points."""
    if ax is None:
        pyplot = import_pyplot()
        scale = max(1.0, pyplot.rcParams["font.size"] / 10)
        _, ax = pyplot.subplots(layout="constrained", figsize=(scale * size[0], scale * size[1]))
        ax.set_anchor("W")  # a square keeps clear of what stands to its right
    return ax, ax.figure


def unit_square(ax: Any) -> None:
    """Show the square from 0 to 1, its edges free of the frame."""
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
    # The zeros of both axes meet at the corner.
    ax.tick_params(pad=0.38 * ax.xaxis.label.get_fontsize())


def despined(ax: Any) -> None:
    """Remove the top and the right spine."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def tabular(ax: Any) -> None:
    """Take the grid off axes that hold a table."""
    ax.grid(False)
    ax.tick_params(length=0)


def widen(figure: Any, inches: float) -> None:
    """Widen a figure of ours."""
    wide, high = figure.get_size_inches()
    figure.set_size_inches(wide + inches, high)


def entitle(ax: Any, title: str | None) -> None:
    """Set a title where the caller has set none."""
    has = any(ax.get_title(loc) for loc in ("left", "center", "right"))
    if title and not has:
        _fit(ax, ax.set_title(title, fontsize="medium"), "width")


def fit_labels(ax: Any, x: str | None = None, y: str | None = None) -> None:
    """Name the axes; a name that is longer than its axis wraps, then shrinks, then is elided."""
    for name, axis, along in ((x, ax.xaxis, "width"), (y, ax.yaxis, "height")):
        if name is None:
            continue
        axis.label.set_text(name)
        if _length(axis.label, along) > _WRAPPED * _slot(ax, along):
            axis.label.set_text(name.replace(" (", "\n("))
        _fit(ax, axis.label, along)


def _fit(ax: Any, text: Any, along: str) -> None:
    """Bring a text to its side of the axes, now and when the layout is known.

    A text that overhangs its axes would have the layout shrink them, which makes it overhang more.
    """
    full, room = text.get_text(), 1.05 * _slot(ax, along)
    shrink(text, full, text.get_fontsize(), room, None, along)
    at_draw(ax, _fit_along, ax, text, full, text.get_fontsize(), along)


def _fit_along(ax: Any, text: Any, full: str, size: float, along: str, renderer: Any) -> None:
    # A label is centred on its axis, and may reach over the tick labels at both ends.
    room = 1.05 * _slot(ax, along)
    shrink(text, full, size, room, renderer, along)
    if ax.figure.get_layout_engine() is None:
        _keep_inside(ax, text, along, renderer)


def _keep_inside(ax: Any, text: Any, along: str, renderer: Any) -> None:
    """Shrink a name of an axis that a figure without a layout would cut at its edge."""
    axis = ax.xaxis if along == "width" else ax.yaxis
    if text is not axis.label:
        return
    axis.get_tightbbox(renderer)  # puts the name beside the tick labels
    box = text.get_window_extent(renderer)
    across = "height" if along == "width" else "width"
    edge, inner = (box.y0, box.y1) if along == "width" else (box.x0, box.x1)
    if edge < 0 < inner:
        scale_down(text, text.get_fontsize(), inner, renderer, across, least=SMALLEST)


def _slot(ax: Any, along: str) -> float:
    """Return the length in pixels of the place of the axes, which a square one need not fill."""
    place = ax.get_position(original=True)
    return float(getattr(place, along) * getattr(ax.figure.bbox, along))


def _length(text: Any, along: str) -> float:
    return float(getattr(text.get_window_extent(), along))


def inches(ax: Any, side: int) -> float:
    """Return the present width (0) or height (1) of the axes in inches."""
    return float(ax.get_position().size[side] * ax.figure.get_size_inches()[side])


def text_width(ax: Any, text: str, size: Any = None) -> float:
    """Return the width of a text in inches, as it would be drawn."""
    probe = ax.text(0, 0, text, fontsize=size)
    try:
        return width(probe) / float(ax.figure.dpi)
    finally:
        probe.remove()
