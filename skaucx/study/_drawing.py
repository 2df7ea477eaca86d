"""What the pictures of the studies share: axes, colours, rows, curves, shades, files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Self

import numpy as np

from .._arrays import Array, Floats
from .._compat import import_pyplot
from .._plotting import ink, line_styles, marker, new_axes, tabular, wrapped, write_cells
from .._text.numbers import fixed

_SAME = 10  # decimals in which curves agree that are drawn as one


class Display(ABC):
    """A picture that can be drawn on any axes; `_draw` puts it there."""

    ax_: Any
    figure_: Any
    _own: bool

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches of a figure of its own."""
        return 5.4, 4.0

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
        self._own = ax is None
        self.ax_, self.figure_ = new_axes(ax, self.size)
        self._draw(self.ax_)
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


def number_plainly(axis: Any) -> None:
    """Write 1e-05 on a logarithmic axis, which needs no mathematical typesetting."""
    from matplotlib.ticker import LogFormatter

    axis.set_major_formatter(LogFormatter())
    axis.set_minor_formatter(LogFormatter())


def draw_ranges(ax: Any, values: Floats, rows: Array, label: str, style: Mapping[str, Any]) -> None:
    """Draw each row of values: the range as a line, the quartiles as a box, the median as a dot."""
    low, left, median, right, high = np.quantile(values, [0, 0.25, 0.5, 0.75, 1], axis=1)
    line = ink(ax)
    ax.hlines(rows, low, high, color=line, linewidth=1.2, zorder=1)
    ax.barh(
        rows, right - left, left=left, height=0.3, edgecolor=line, label=label, zorder=2, **style
    )
    dot = {"color": ax.get_facecolor(), "markeredgecolor": line, "markersize": 4, "zorder": 3}
    ax.plot(median, rows, "o", **dot)


def draw_curves(ax: Any, x: Floats, curves: Mapping[str, Floats]) -> None:
    """Draw a curve a measure, those that coincide as one; a measure looks alike in all pictures."""
    places = {name: place for place, name in enumerate(curves)}
    styles = line_styles(ax)
    for names, y in _merged(curves).items():
        place = places[names[0]]
        ax.plot(
            x, y, label=wrapped(", ".join(names), 30, 4), **styles(place), marker=marker(place),
            linewidth=1.2, markersize=6, markeredgecolor=ax.get_facecolor(), markeredgewidth=0.5,
        )  # fmt: skip


def _merged(curves: Mapping[str, Floats]) -> dict[tuple[str, ...], Floats]:
    """Return the curves that differ, each under the names of all that coincide with it."""
    names: dict[bytes, list[str]] = {}
    for name, curve in curves.items():
        names.setdefault((np.round(curve, _SAME) + 0.0).tobytes(), []).append(name)
    return {tuple(same): curves[same[0]] for same in names.values()}


def draw_shades(ax: Any, table: Floats) -> None:
    """Draw a table in shades of one hue, the numbers in it."""
    image = ax.imshow(table, cmap="Blues", vmin=0, vmax=max(table.max(), 1e-4), aspect="auto")
    tabular(ax)
    words = np.array([[fixed(number) for number in row] for row in table], dtype=object)
    write_cells(image, words, {"fontsize": "small"})
