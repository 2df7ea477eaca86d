"""Axes: names that fit, ticks of tables, and the legend below."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import fill
from typing import Any

_LONGEST = 44  # letters of a line of the name of an axis
_LINE = 60  # letters of a line of a name in the legend
_ACROSS = 45  # letters that columns have side by side


def unit_square(ax: Any, side: float = 1.0) -> None:
    """Show the square from 0 to `side`, its edges free of the frame; a logarithmic axis stays one."""
    room = 0.01 * side
    for axis, limit in ((ax.xaxis, ax.set_xlim), (ax.yaxis, ax.set_ylim)):
        limit(*((-room, side + room) if axis.get_scale() == "linear" else (None, side)))
    ax.set_box_aspect(1)


def wrapped(name: Any, letters: int) -> str:
    r"""Return a name in lines of limited length; nothing is left out.

    Examples
    --------
    >>> from skaucx._plotting.axes import wrapped
    >>> wrapped("a negative class with forty letters", 20).splitlines()
    ['a negative class', 'with forty letters']
    """
    return "\n".join(fill(line, letters) for line in str(name).split("\n"))


def typeset(words: str) -> bool:
    r"""Return whether to read dollar signs as mathematics: where a TeX command is between them.

    Examples
    --------
    >>> from skaucx._plotting.axes import typeset
    >>> typeset("$5 to $10"), typeset(r"model $\beta$")
    (False, True)
    """
    return "\\" in words


def fit_labels(ax: Any, x: str | None = None, y: str | None = None) -> None:
    """Name the axes; a long name has several lines."""
    for words, name in ((x, ax.set_xlabel), (y, ax.set_ylabel)):
        if words is not None:
            parts = words if len(words) <= _LONGEST else words.replace(" (", "\n(")
            name(wrapped(parts, _LONGEST), parse_math=typeset(words))


def name_rows(ax: Any, names: Iterable[Any]) -> None:
    """Name rows at 0, 1, 2 and so on, from the top; grid lines would strike through their text."""
    listed = [str(name) for name in names]
    ax.set_yticks(range(len(listed)), listed, parse_math=typeset("".join(listed)))
    ax.set_ylim(len(listed) - 0.5, -0.5)
    ax.grid(False, axis="y")
    ax.tick_params(axis="y", length=0, labelsize="small")


def name_columns(ax: Any, names: Iterable[Any], rotation: Any = "horizontal") -> None:
    """Name columns at 0, 1, 2 and so on; upright where the names are long."""
    listed = [str(name) for name in names]
    letters = max((len(line) for name in listed for line in name.split("\n")), default=0)
    if rotation == "horizontal" and letters * len(listed) > _ACROSS:
        rotation = "vertical"
    ax.set_xticks(
        range(len(listed)), listed, rotation=rotation, parse_math=typeset("".join(listed))
    )
    ax.tick_params(axis="x", length=0, labelsize="small")


def name_table(ax: Any, rows: Iterable[Any], columns: Iterable[Any], rotation: Any) -> None:
    """Name the rows and columns of a table."""
    ax.grid(False)
    name_rows(ax, rows)
    name_columns(ax, columns, rotation)


def key(ax: Any, *, own: bool, title: str | None = None) -> None:
    """Name what is drawn: below the axes, where a layout makes room, otherwise in them.

    A figure of ours grows by the names.
    """
    from matplotlib.transforms import ScaledTranslation

    page, drawn = ax.figure, zip(*ax.get_legend_handles_labels(), strict=True)
    named = {wrapped(name, _LINE): part for part, name in drawn}  # one drawn again has one name
    look: dict[str, Any] = {"title": title, "fontsize": 8.5}
    if page.get_layout_engine() is not None:
        ax.set_anchor("S")  # the names of a square hang from the bottom of its part of the figure
        depth = (ax.bbox.y0 - ax.xaxis.get_tightbbox().y0) / page.dpi
        below = ax.transAxes + ScaledTranslation(0, -depth, page.dpi_scale_trans)
        look |= {
            "loc": "upper left",
            "bbox_to_anchor": (0, 0),
            "bbox_transform": below,
            "frameon": False,
        }
    legend = ax.legend(named.values(), named, **look)
    for text in legend.get_texts():
        text.set_parse_math(typeset(text.get_text()))
    if own:
        size = page.get_size_inches()
        page.set_size_inches(size[0], size[1] + legend.get_window_extent().height / page.dpi)
