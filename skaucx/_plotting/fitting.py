"""Texts that are brought to the room they have, when the figure is drawn and its layout is known.

Fitted text only shrinks, so that a layout found for the full text stays free of collisions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

SMALLEST = 5.0  # points; smaller text is not read but hidden
_ELLIPSIS = "\u2026"


def at_draw(ax: Any, fit: Callable[..., None], *what: Any) -> None:
    """Have ``fit(*what, renderer)`` called before the artists of the axes are drawn."""
    from matplotlib.artist import Artist

    hook = Artist()
    hook.set_zorder(float("-inf"))
    hook.set_in_layout(False)
    hook.set_gid("fit")
    hook.draw = partial(fit, *what)  # type: ignore[method-assign]
    ax.add_artist(hook)


def width(text: Any, renderer: Any = None) -> float:
    """Return the width of a text in pixels."""
    return float(text.get_window_extent(renderer).width)


def shrink(
    text: Any, full: str, size: float, room: float, renderer: Any, along: str = "width"
) -> None:
    """Write a text as large as its room allows, but not too small; the rest is elided."""
    text.set_text(full)
    scale_down(text, size, room, renderer, along, least=max(0.7 * size, min(size, SMALLEST)))
    found = float(getattr(text.get_window_extent(renderer), along))
    if found > room:
        text.set_text(shortened(full, room / found))


def scale_down(
    text: Any, size: float, room: float, renderer: Any, along: str, least: float = 0.0
) -> None:
    """Write a text in this size, or in a smaller one if needed."""
    text.set_fontsize(size)
    found = float(getattr(text.get_window_extent(renderer), along))
    while found > room and size > least:  # letters grow in steps, so once may not be enough
        size = max(0.97 * size * room / found, least)
        text.set_fontsize(size)
        found = float(getattr(text.get_window_extent(renderer), along))


def shortened(text: str, share: float) -> str:
    """Return the longest line of a text cut to a share of its length: of "name (value)" the name.

    Examples
    --------
    >>> from skaucx._plotting.fitting import shortened
    >>> shortened("LogisticRegression (AUC = 0.75)", 0.7)
    'Logis\u2026on (AUC = 0.75)'
    >>> shortened("True positive rate", 0.5)
    'True \u2026te'
    >>> shortened("Classifier (AUC = 0.75 [0.66, 0.82])", 0.4)
    'AUC = 0.75'
    >>> shortened("positive (a class of a long name)", 0.3)
    'positive'
    """
    lines = text.split("\n")
    most = max(1, int(max(map(len, lines)) * share * 0.97))
    return "\n".join(line if len(line) <= most else _cut(line, most) for line in lines)


def _cut(line: str, most: int) -> str:
    head, mark, tail = line.rstrip().rpartition(" (")
    kept = most - len(mark + tail)
    if mark and kept >= 4:
        return f"{elided(head, kept)}{mark}{tail}"
    if mark and len(tail) - 1 <= most:
        return tail.removesuffix(")")
    estimate, ends, _ = tail.partition(" [")  # of a value with its interval the value
    if mark and ends and len(estimate) <= most:
        return estimate
    return head if mark and len(head) <= most else elided(line, most)


def elided(text: str, most: int) -> str:
    """Return a text of limited length; its ends, which distinguish names, are kept."""
    if len(text) <= most:
        return text
    end = max(most - 1, 1) * 2 // 5
    return f"{text[: max(most - 1, 1) - end]}{_ELLIPSIS}{text[len(text) - end :]}"
