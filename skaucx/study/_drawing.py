"""What the pictures of the studies share: axes, colours, rows, curves, shades, files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Self

import numpy as np

from .._arrays import Array, Floats
from .._compat import import_pyplot
from .._plotting import line_style, marker

_SAME = 10  # decimals in which curves agree that are drawn as one


class Display(ABC):
    """A picture that can be drawn on any axes; `_draw` puts it there."""

    ax_: Any
    figure_: Any

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches of a figure of its own."""
        return 7.0, 4.0

    def plot(self, ax: Any = None) -> Self:
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None means those of a new figure.

        Returns
        -------
        Display
            Itself, with the axes as `ax_` and their figure as `figure_`.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        if ax is None:
            _, ax = import_pyplot().subplots(figsize=self.size, layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        self._draw(ax)
        return self

    @abstractmethod
    def _draw(self, ax: Any) -> None: ...


def save_pictures(displays: Sequence[Display], path: str | PathLike[str]) -> None:
    """Draw displays side by side and write them to a file."""
    pyplot = import_pyplot()
    widths, heights = zip(*(display.size for display in displays), strict=True)
    figure, axes = pyplot.subplots(
        1, len(displays), figsize=(sum(widths), max(heights)), squeeze=False,
        layout="constrained", width_ratios=widths,
    )  # fmt: skip
    try:
        for display, ax in zip(displays, axes[0], strict=True):
            display.plot(ax)
        figure.savefig(path, dpi=200)
    finally:
        pyplot.close(figure)


def name_rows(ax: Any, names: Iterable[str]) -> None:
    """Name rows at 0, 1, 2 and so on, from the top."""
    listed = list(names)
    ax.set_yticks(range(len(listed)), listed)
    ax.set_ylim(len(listed) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)


def number_plainly(axis: Any) -> None:
    """Write 1e-05 on a logarithmic axis, which needs no mathematical typesetting."""
    from matplotlib.ticker import LogFormatter

    axis.set_major_formatter(LogFormatter())
    axis.set_minor_formatter(LogFormatter())


def draw_ranges(ax: Any, values: Floats, rows: Array, label: str, style: Mapping[str, Any]) -> None:
    """Draw each row of values: the range as a line, the quartiles as a box, the median as a dot."""
    low, left, median, right, high = np.quantile(values, [0, 0.25, 0.5, 0.75, 1], axis=1)
    ax.hlines(rows, low, high, color="0.2", linewidth=1.2, zorder=1)
    ax.barh(
        rows, right - left, left=left, height=0.3, edgecolor="0.2", label=label, zorder=2, **style
    )
    ax.plot(median, rows, "o", color="white", markeredgecolor="0.2", markersize=4, zorder=3)


def draw_curves(ax: Any, x: Floats, curves: Mapping[str, Floats]) -> None:
    """Draw a curve a measure, those that coincide as one; a measure looks alike in all pictures."""
    places = {name: place for place, name in enumerate(curves)}
    for names, y in _merged(curves).items():
        place = places[names[0]]
        ax.plot(
            x, y, label=", ".join(names), **line_style(place), marker=marker(place),
            linewidth=1.2, markersize=6, markeredgecolor="white", markeredgewidth=0.5,
        )  # fmt: skip


def _merged(curves: Mapping[str, Floats]) -> dict[tuple[str, ...], Floats]:
    """Return the curves that differ, each under the names of all that coincide with it."""
    names: dict[bytes, list[str]] = {}
    for name, curve in curves.items():
        names.setdefault((np.round(curve, _SAME) + 0.0).tobytes(), []).append(name)
    return {tuple(same): curves[same[0]] for same in names.values()}


def draw_legend(ax: Any) -> None:
    """Name the curves to the right of the axes."""
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False, handlelength=3)


def draw_shades(ax: Any, table: Floats) -> None:
    """Draw a table in shades of one hue, the numbers in it."""
    image = ax.imshow(table, cmap="Blues", vmin=0, vmax=max(table.max(), 1e-4), aspect="auto")
    for (row, column), value in np.ndenumerate(table):
        colour = "white" if image.norm(value) > 0.55 else "black"
        ax.text(column, row, f"{value:.4f}", ha="center", va="center", color=colour, fontsize=8)
