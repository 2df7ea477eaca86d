"""How pictures look: colours, lines and axes that print well and do not hang on colour alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._compat import import_pyplot

# Okabe & Ito 2008, but its yellow, which white paper swallows.
BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"
COLOURS = (BLUE, ORANGE, GREEN, "#CC79A7", "#E69F00", "#56B4E9", "#000000")
GREY = "#767676"
LINES = ("-", "--", "-.", (0, (1, 1)), (0, (6, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h")

SQUARE = (4.9, 4.7)  # inches

_SHORT = {"matthews_corrcoef": "MCC", "cohen_kappa": "kappa", "npv": "NPV", "f1": "F1", "p4": "P4"}
_ALIASES = {
    "c": "color",
    "ls": "linestyle",
    "lw": "linewidth",
    "ds": "drawstyle",
    "ms": "markersize",
    "mec": "markeredgecolor",
    "mfc": "markerfacecolor",
    "mew": "markeredgewidth",
    "aa": "antialiased",
    "ec": "edgecolor",
    "fc": "facecolor",
}


def line_style(number: int) -> dict[str, Any]:
    """Return the colour and dashes of the n-th line; no two of the first 35 are alike."""
    return {"color": COLOURS[number % len(COLOURS)], "linestyle": LINES[number % len(LINES)]}


def marker(number: int) -> str:
    """Return the n-th marker."""
    return MARKERS[number % len(MARKERS)]


def styled(defaults: Mapping[str, Any], given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Join default keywords with the caller's, which may use matplotlib's short forms."""
    full = {}
    for name, value in (given or {}).items():
        known = _ALIASES.get(name, name)
        if known in full:
            raise TypeError(f"Both {known!r} and its short form are given; give one of them.")
        full[known] = value
    return {**defaults, **full}


def new_axes(ax: Any = None, size: tuple[float, float] = SQUARE) -> tuple[Any, Any]:
    """Return axes and their figure, new ones of a size in inches if none are given."""
    if ax is None:
        _, ax = import_pyplot().subplots(layout="constrained", figsize=size)
        ax.set_anchor("W")  # a square keeps clear of what stands to its right
    return ax, ax.figure


def unit_square(ax: Any) -> None:
    """Show the square from 0 to 1, its edges free of the frame."""
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")


def despined(ax: Any) -> None:
    """Remove the top and the right spine."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def legend_beside(ax: Any, **options: Any) -> None:
    """Put the legend to the right of the axes, where no curve runs; widen a square figure of ours."""
    legend = ax.legend(loc="upper left", bbox_to_anchor=(1.02, 1), borderaxespad=0, **options)
    width, height = ax.figure.get_size_inches()
    if height == SQUARE[1]:
        longest = max(len(text.get_text()) for text in [*legend.get_texts(), legend.get_title()])
        ax.figure.set_size_inches(max(width, SQUARE[0] + 0.7 + 0.08 * longest), height)


def shown(metric: str) -> str:
    """Return a metric's name as a reader writes it."""
    short = _SHORT.get(metric, metric)
    return short.replace("roc_auc", "ROC AUC").replace("_auc", " AUC").replace("_", " ")
