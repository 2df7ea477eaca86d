"""Colours, lines and marks: the caller's where there are some, and legible on any ground."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .axes import SMALLEST, inches

# Ten colours whose lightness differs by 5 or more (CIE L*), so that they differ in grey and for the
# colour-blind; neighbours in order differ by more. The second list is for a dark ground.
LIGHT = (
    "#0072B2", "#E69F00", "#6C165E", "#00A276", "#0B2612",
    "#CC5803", "#36128A", "#C98BBF", "#7A3E00", "#5E5E25",
)  # fmt: skip
DARK = (
    "#9F71FB", "#D4D400", "#E43955", "#78B98E", "#CCF7A1",
    "#8E5C86", "#F39EF3", "#DC8937", "#3EF7D8", "#3E3EF7",
)  # fmt: skip
BLUE, ORANGE, GREEN = "#0072B2", "#CC5803", "#00A276"
LINES = ("-", "--", "-.", (0, (1, 1)), (0, (6, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (3, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h")

_OF_PAGE = 0.75  # of a part of the figure, which the axes of a table fill
_NEAR = 0.12  # RGB colours in [0, 1] closer than this are similar


def line_styles(ax: Any) -> Callable[[int], dict[str, Any]]:
    """Return a function from n to colour, dashes and size of marks of the n-th new line in the axes.

    Colours come from the caller's cycle where it is not matplotlib's own; those that lines of the axes
    have already are passed over. The first 70 are all different.
    """
    colours = _free(ax, palette(ax))
    drawn = _series(ax)

    def style(number: int) -> dict[str, Any]:
        dashes = LINES[(drawn + number) % len(LINES)]
        look = {"color": colours[number % len(colours)], "linestyle": dashes}
        return look | {"markersize": mark_size(ax)}

    return style


def _series(ax: Any) -> int:
    """Return how many lines of the axes are named."""
    return sum(not str(line.get_label()).startswith("_") for line in ax.get_lines())


def palette(ax: Any) -> tuple[str, ...]:
    """Return the caller's colours, or ours for a light or a dark ground."""
    from matplotlib import rcParams, rcParamsDefault
    from matplotlib.colors import to_hex

    cycle = rcParams["axes.prop_cycle"].by_key().get("color", [])
    if cycle and cycle != rcParamsDefault["axes.prop_cycle"].by_key()["color"]:
        return tuple(map(to_hex, cycle))
    return DARK if luminance(ax.get_facecolor()) < 0.2 else LIGHT


def _free(ax: Any, colours: tuple[str, ...]) -> list[str]:
    """Return the colours in order, those that lines have already at the end."""
    from matplotlib.colors import to_rgb

    lines = [line for line in ax.get_lines() if not str(line.get_label()).startswith("_")]
    used = np.array([to_rgb(line.get_color()) for line in lines]).reshape(-1, 3)
    taken = [bool((np.abs(used - to_rgb(c)).max(axis=1) < _NEAR).any()) for c in colours]
    return [c for c, t in zip(colours, taken, strict=True) if not t] + [
        c for c, t in zip(colours, taken, strict=True) if t
    ]


def mark_size(ax: Any) -> float:
    """Return the size of marks in points: the caller's, or that of a small letter."""
    from matplotlib import rcParams, rcParamsDefault

    chosen = rcParams["lines.markersize"]
    if chosen != rcParamsDefault["lines.markersize"]:
        return float(chosen)
    return float(np.clip(0.6 * ax.xaxis.label.get_fontsize(), 2, 10))


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


def readable_on(colour: Any) -> str:
    """Return black or white, whichever has the higher contrast with a colour."""
    # Contrast (Y1 + .05) / (Y2 + .05) is equal for both at Y = sqrt(1.05 * 0.05) - 0.05.
    return "black" if luminance(colour) > 0.179 else "white"


def ink(ax: Any) -> Any:
    """Return the colour of the text, or one that shows where the axes are as dark or as light."""
    from matplotlib import rcParams

    colour, ground = rcParams["text.color"], _ground(ax)
    clear = abs(luminance(colour) - luminance(ground)) > 0.3
    return colour if clear else readable_on(ground)


def muted(ax: Any, share: float = 0.6) -> Any:
    """Return the colour of the text, mixed with so much of the ground that it recedes."""
    from matplotlib.colors import to_hex, to_rgb

    mixed = share * np.asarray(to_rgb(ink(ax))) + (1 - share) * np.asarray(to_rgb(_ground(ax)))
    return to_hex((mixed[0], mixed[1], mixed[2]))


def _ground(ax: Any) -> Any:
    """Return the background colour of the axes, or of the figure if they are transparent."""
    face = ax.get_facecolor()
    return face if face[3] > 0.5 else ax.figure.get_facecolor()


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

    Where the cells are small the text shrinks, then only its first line is left, then nothing.

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
    wide, high = 72 * _OF_PAGE * inches(ax) / words.shape[::-1]
    if ax.get_aspect() == 1:
        wide = high = min(wide, high)
    texts = np.empty(words.shape, dtype=object)
    lines = [line for cell in words.flat for line in cell.split("\n")]
    small = min(wide / (0.6 * max(map(len, lines), default=1)), high / 2.6)
    if small < SMALLEST:
        words = np.array([[cell.split("\n")[0] for cell in row] for row in words], dtype=object)
        small = min(wide / (0.6 * max(map(len, words.flat), default=1)), high / 1.3)
    size = min(small, ax.xaxis.label.get_fontsize())
    for (i, j), cell in np.ndenumerate(words):
        style = {"ha": "center", "va": "center", "color": readable_on(colours[i, j][:3])}
        style |= {"fontsize": size, "visible": size >= SMALLEST}
        texts[i, j] = ax.text(j, i, cell, clip_on=True, **styled(style, kwargs))
    return texts
