"""Axes: our own figure, or the caller's, of which nothing but the axes is touched."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import fill
from typing import Any

import numpy as np

from .._compat import import_pyplot

SQUARE = (4.9, 4.7)  # inches
SMALLEST = 5.0  # points
_LETTERS, _LINE = 20, 44  # of a line of a name, and of a name in a legend
_LEADING = 1.25  # letters high: a line of a name
_ROWS, _LINE_HIGH = 24, 0.19  # lines of a column of a legend, and inches of a line


def new_axes(ax: Any = None, size: tuple[float, float] = SQUARE) -> tuple[Any, Any]:
    """Return axes and their figure; if none are given, new ones of a size in inches at 10 points."""
    if ax is None:
        pyplot = import_pyplot()
        scale = max(1.0, pyplot.rcParams["font.size"] / 10)
        _, ax = pyplot.subplots(layout="constrained", figsize=(scale * size[0], scale * size[1]))
        ax.set_anchor("W")  # a square axes leaves room on its right
    return ax, ax.figure


def unit_square(ax: Any, side: float = 1.0) -> None:
    """Show the square from 0 to `side`, its edges free of the frame; a logarithmic axis stays one."""
    room = 0.01 * side
    for axis, limit in ((ax.xaxis, ax.set_xlim), (ax.yaxis, ax.set_ylim)):
        limit(*((-room, side + room) if axis.get_scale() == "linear" else (None, side)))
    ax.set_box_aspect(1)


def wrapped(name: Any, letters: int = _LETTERS) -> str:
    r"""Return a name in lines of limited length; nothing is left out.

    Examples
    --------
    >>> from skaucx._plotting.axes import wrapped
    >>> wrapped("a negative class with forty letters").splitlines()
    ['a negative class', 'with forty letters']
    """
    return "\n".join(fill(line, letters) for line in str(name).split("\n"))


def legible(name: str) -> str:
    """Return a name for a legend, which would omit one that begins with an underscore."""
    return f" {name}" if name.startswith("_") and name != "_" else name


def typeset(words: Iterable[str]) -> bool:
    r"""Return whether to read dollar signs as mathematics: where a TeX command is between them.

    Examples
    --------
    >>> from skaucx._plotting.axes import typeset
    >>> typeset(["$5 to $10"]), typeset([r"model $\beta$"])
    (False, True)
    """
    return any("\\" in name for name in words)


def entitle(ax: Any, title: str | None) -> None:
    """Set a title where the caller has set none."""
    has = any(ax.get_title(loc) for loc in ("left", "center", "right"))
    if title and not has:
        ax.set_title(_broken(ax, title, 0), fontsize="medium", parse_math=typeset([title]))


def fit_labels(ax: Any, x: str | None = None, y: str | None = None) -> None:
    """Name the axes; a long name has several lines."""
    if x is not None:
        ax.set_xlabel(_broken(ax, x, 0), parse_math=typeset([x]))
    if y is not None:
        ax.set_ylabel(_broken(ax, y, 1), parse_math=typeset([y]))


def _broken(ax: Any, words: str, side: int) -> str:
    """Return words in lines as long as a side of the axes, at half a letter's height a letter."""
    letters = max(int(72 * inches(ax)[side] / (0.5 * ax.xaxis.label.get_fontsize())), 8)
    lines = words.replace(" (", "\n(") if max(map(len, words.split("\n"))) > letters else words
    return "\n".join(fill(line, letters) for line in lines.split("\n"))


def name_rows(ax: Any, names: Iterable[Any]) -> None:
    """Name rows at 0, 1, 2 and so on, from the top; grid lines would strike through their text."""
    listed = [wrapped(name) for name in names]
    ax.set_yticks(range(len(listed)), listed, parse_math=typeset(listed))
    ax.set_ylim(len(listed) - 0.5, -0.5)
    ax.grid(False, axis="y")
    ax.tick_params(axis="y", length=0, labelsize=_size_of_names(ax, listed, 1))


def name_columns(ax: Any, names: Iterable[Any], rotation: Any = "horizontal") -> None:
    """Name columns at 0, 1, 2 and so on; slanted where they would run into each other."""
    listed = [str(name) for name in names]
    letters = max((len(line) for name in listed for line in name.split("\n")), default=0)
    width = 0.56 * ax.xaxis.label.get_fontsize() / 72
    slanted = rotation == "horizontal" and width * letters * len(listed) > inches(ax)[0]
    look: dict[str, Any] = {"rotation": 45 if slanted else rotation}
    if slanted:
        look |= {"ha": "right", "rotation_mode": "anchor"}
        listed = [wrapped(name) for name in listed]
    ax.set_xticks(range(len(listed)), listed, parse_math=typeset(listed), **look)
    size = _size_of_names(ax, listed, 0) if slanted else ax.xaxis.label.get_fontsize()
    ax.tick_params(axis="x", length=0, labelsize=size)


def name_table(
    ax: Any,
    rows: Iterable[Any],
    columns: Iterable[Any],
    x: str | None = None,
    y: str | None = None,
    rotation: Any = "horizontal",
) -> None:
    """Name rows, columns and axes of a table."""
    ax.grid(False)
    name_rows(ax, rows)
    name_columns(ax, columns, rotation)
    fit_labels(ax, x, y)


def _size_of_names(ax: Any, names: Sequence[str], side: int) -> float:
    """Return the size of names in rows, or in slanted columns, that do not run into each other."""
    lines = sum(name.count("\n") + 1 for name in names)
    most = max((name.count("\n") + 1 for name in names), default=1) * max(len(names), 1)
    room = 72 * inches(ax)[side] / (_LEADING * max(lines, most))
    return float(min(ax.xaxis.label.get_fontsize(), max(room, SMALLEST)))


def key(ax: Any, *, own: bool, title: str | None = None, **options: Any) -> None:
    """Name what is drawn: right of the axes in a figure of ours, which grows, or in the axes."""
    handles, names = ax.get_legend_handles_labels()
    # A reference that is drawn again has one name.
    named = {wrapped(name, _LINE): handle for handle, name in zip(handles, names, strict=True)}
    look: dict[str, Any] = {"loc": "best", "title": title, "fontsize": "small", **options}
    lines = sum(name.count("\n") + 1 for name in named)
    if own:
        look |= {"loc": "upper left", "bbox_to_anchor": (1, 1), "frameon": False}
        look |= {"ncols": max(-(-lines // _ROWS), 1)}
    legend = ax.legend(named.values(), named, **look)
    for text in legend.get_texts():
        text.set_parse_math(typeset([text.get_text()]))
    if own:
        wide, high = ax.figure.get_size_inches()
        needed = legend.get_window_extent().width / ax.figure.dpi
        ax.figure.set_size_inches(wide + needed, max(high, _LINE_HIGH * min(lines, _ROWS)))


def label_points(ax: Any, points: Sequence[tuple[float, float]], words: Sequence[str]) -> None:
    """Write labels below and right of points."""
    for point, text in zip(points, words, strict=True):
        ax.annotate(
            text, point, xytext=(5, -5), textcoords="offset points", va="top", fontsize="small"
        )


def state_rows(ax: Any, rows: Iterable[tuple[float, str]]) -> None:
    """Write right of the axes what belongs to rows."""
    listed = list(rows)
    size = min(_size_of_names(ax, [""] * len(listed), 1), 0.85 * ax.xaxis.label.get_fontsize())
    place = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
    for row, text in listed:
        look = {"va": "center", "fontsize": size, "annotation_clip": False}
        ax.annotate(text, (1, row), xytext=(6, 0), **place, **look)


def divided(ax: Any, heights: Sequence[float]) -> list[Any]:
    """Divide a subplot into several below each other, of which it is the first."""
    if len(heights) == 1:
        return [ax]
    if ax.get_subplotspec() is None:
        raise ValueError(
            "ax must be a subplot, so that it can be divided; found axes at a place of their own."
        )
    parts = ax.get_subplotspec().subgridspec(len(heights), 1, height_ratios=heights)
    ax.set_subplotspec(parts[0])
    return [ax, *(ax.figure.add_subplot(parts[k]) for k in range(1, len(heights)))]


def inches(ax: Any) -> Any:
    """Return width and height in inches of the part of the figure that the axes have."""
    spec = ax.get_subplotspec()
    place = ax.get_position(original=True) if spec is None else spec.get_position(ax.figure)
    return np.array(place.size) * ax.figure.bbox.size / ax.figure.dpi
