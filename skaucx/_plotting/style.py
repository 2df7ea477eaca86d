"""Colours, lines and marks: the caller's where there are some, and legible on any ground."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

# Ten colours with a contrast of at least 4.5 to a white ground, and to a black one; neighbours in order
# differ in hue on the axis from blue to yellow or in lightness, which the colour-blind see, and lines in
# dashes.
LIGHT = (
    "#0072B2", "#8A6A00", "#6C165E", "#007A52", "#0B2612",
    "#B34A00", "#36128A", "#B0468F", "#7A3E00", "#5E5E25",
)  # fmt: skip
DARK = (
    "#9F71FB", "#D4D400", "#E43955", "#78B98E", "#CCF7A1",
    "#B07CA8", "#F39EF3", "#DC8937", "#3EF7D8", "#8080FF",
)  # fmt: skip
LINES = ("-", "--", "-.", (0, (1, 1)), (0, (6, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (3, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h")

_MOST_CELLS = 15  # in a row or a column, with words in them


def palette(ax: Any) -> tuple[str, ...]:
    """Return the caller's colours, or ours for a light or a dark ground."""
    from matplotlib import rcParams, rcParamsDefault
    from matplotlib.colors import to_hex

    cycle = rcParams["axes.prop_cycle"].by_key().get("color", [])
    if cycle and cycle != rcParamsDefault["axes.prop_cycle"].by_key()["color"]:
        return tuple(map(to_hex, cycle))
    return DARK if luminance(ink(ax)) > _MIDDLE else LIGHT


def line_styles(ax: Any) -> Callable[[int], dict[str, Any]]:
    """Return a function from n to colour and dashes of the n-th new line, after those that are named.

    References, which are muted, are not counted. The first 70 are all different.
    """
    from matplotlib.colors import to_rgba

    colours = palette(ax)
    named = [line for line in ax.get_lines() if not str(line.get_label()).startswith("_")]
    drawn = sum(to_rgba(line.get_color()) != muted(ax) for line in named)

    def style(number: int) -> dict[str, Any]:
        place = drawn + number
        return {"color": colours[place % len(colours)], "linestyle": LINES[place % len(LINES)]}

    return style


def marker(number: int) -> str:
    """Return the n-th marker."""
    return MARKERS[number % len(MARKERS)]


def luminance(colour: Any) -> float:
    r"""Return the relative luminance of a colour (WCAG 2).

    .. math:: Y = 0.2126 R + 0.7152 G + 0.0722 B

    of the linear parts R, G and B.
    """
    from matplotlib.colors import to_rgb

    part = np.asarray(to_rgb(colour))
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


# Contrast (Y1 + .05) / (Y2 + .05) is equal with black and with white at Y = sqrt(1.05 * 0.05) - 0.05.
_MIDDLE = 0.179


def ink(ax: Any) -> Any:
    """Return the colour of the text of axes."""
    return ax.xaxis.label.get_color()


def muted(ax: Any, share: float = 0.65) -> Any:
    """Return the colour of the text, so transparent that it recedes."""
    from matplotlib.colors import to_rgba

    return to_rgba(ink(ax), share)


def band_style(colour: Any, label: str | None = None) -> dict[str, Any]:
    """Return how a band in the colour of its curve is filled."""
    return {"color": colour, "alpha": 0.2, "linewidth": 0, "label": label or "_band"}


def styled(defaults: Mapping[str, Any], given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Join default keywords with the caller's, which may use matplotlib's short forms."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    return {**defaults, **normalize_kwargs(dict(given or {}), Line2D)}


def write_cells(image: Any, words: Any, kwargs: Mapping[str, Any] | None = None) -> Any:
    """Write words into the cells of an image, black or white, by contrast with the colour of the cell.

    With more than 15 rows or columns they would run into each other, and there are none.

    Parameters
    ----------
    image : matplotlib AxesImage
        A row and a column a cell.
    words : ndarray of shape (n_rows, n_columns) of str
    kwargs : dict, default=None
        Keywords of matplotlib's ``text``.

    Returns
    -------
    ndarray of shape (n_rows, n_columns) of matplotlib Text
    """
    ax = image.axes
    colours = image.cmap(image.norm(np.asarray(image.get_array())))
    texts = np.empty(words.shape, dtype=object)
    for (i, j), cell in np.ndenumerate(words):
        style = {
            "ha": "center",
            "va": "center",
            "color": "black" if luminance(colours[i, j][:3]) > _MIDDLE else "white",
            "fontsize": "small",
            "visible": max(words.shape) <= _MOST_CELLS,
        }
        texts[i, j] = ax.text(j, i, cell, clip_on=True, **styled(style, kwargs))
    return texts
