"""Axes: our own figure, or the caller's, of which nothing but the axes is touched."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from .._compat import import_pyplot

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
    >>> from skaucx._plotting.axes import shortened
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


_SHORT = {
    "matthews_corrcoef": "MCC",
    "mcc": "MCC",
    "cohen_kappa": "kappa",
    "npv": "NPV",
    "f1": "F1",
    "p4": "P4",
    "observed_expected_ratio": "observed : expected",
}
_BREAKS = " _-/."
_LETTERS = 18  # of a line of a name
_SHARE = 0.3  # of the caller's axes, which names of rows may take


def shown(metric: str) -> str:
    """Return a metric's name as a reader writes it."""
    short = _SHORT.get(metric, metric)
    return short.replace("roc_auc", "ROC AUC").replace("_auc", " AUC").replace("_", " ")


def wrapped(name: Any, letters: int = _LETTERS, lines: int = 2) -> str:
    r"""Return a name in lines of limited length, elided if it needs more lines.

    Examples
    --------
    >>> from skaucx._plotting.axes import wrapped
    >>> wrapped("a_negative_class_name_with_forty_letters").splitlines()
    ['a_negative_class_', 'name_with_f…etters']
    """
    found: list[str] = []
    rest = str(name)
    while len(rest) > letters and len(found) < lines - 1:
        cut = max(rest.rfind(mark, 0, letters) for mark in _BREAKS) + 1
        cut = cut if 2 * cut >= letters else letters
        found.append(rest[:cut].rstrip(" "))
        rest = rest[cut:]
    return "\n".join([*found, elided(rest, letters)])


def name_rows(ax: Any, names: Iterable[Any], *, own: bool = True) -> None:
    """Name rows at 0, 1, 2 and so on, from the top; names leave the caller's axes their room.

    Grid lines through the rows would strike through their text.
    """
    listed = [str(name) for name in names]
    letters, room = _LETTERS, _SHARE * inches(ax, 0)
    lines = [line for name in listed for line in wrapped(name).split("\n")]
    needed = max((text_width(ax, line) for line in {*lines}), default=0.0)
    if not own and needed > room:
        letters = max(4, int(letters * room / needed))
    ax.set_yticks(range(len(listed)), [wrapped(name, letters) for name in listed])
    ax.set_ylim(len(listed) - 0.5, -0.5)
    ax.grid(False, axis="y")
    ax.tick_params(axis="y", length=0)
    _fit(ax, ax.yaxis, "height")


def name_columns(
    ax: Any, names: Iterable[Any], *, own: bool = True, rotation: Any = "horizontal"
) -> None:
    """Name columns at 0, 1, 2 and so on; slanted where they would run into each other."""
    listed = [str(name) for name in names]
    slot = 0.95 * inches(ax, 0) / max(len(listed), 1)
    lines = [line for name in listed for line in wrapped(name).split("\n")]
    if rotation == "horizontal" and any(text_width(ax, line) > slot for line in {*lines}):
        rotation = 45
    turned = not isinstance(rotation, str) and 0 < rotation % 180 < 90
    align = {"ha": "right", "rotation_mode": "anchor"} if turned else {}
    letters = _LETTERS
    if turned and not own:  # at 45 degrees a letter takes 0.7 of its width from the height
        letters = max(4, int(_SHARE * inches(ax, 1) / (0.7 * text_width(ax, "n" * 10) / 10)))
    told = [wrapped(name, min(letters, _LETTERS), 1 if turned else 2) for name in listed]
    ax.set_xticks(range(len(listed)), told, rotation=rotation, **align)
    ax.tick_params(axis="x", length=0)
    _fit(ax, ax.xaxis, "width")


def _fit(ax: Any, axis: Any, along: str) -> None:
    """Have the names of rows or columns brought to their room when they are drawn."""
    labels = [tick.label1 for tick in axis.get_major_ticks()]
    if labels:
        at_draw(ax, _fit_ticks, ax, axis, labels[0].get_fontsize(), along)


def _fit_ticks(ax: Any, axis: Any, size: float, along: str, renderer: Any) -> None:
    """Write names so small that none runs into the next; leave some out if that is not enough."""
    labels = [tick.label1 for tick in axis.get_major_ticks()]
    for label in labels:
        label.set(fontsize=size, visible=True)
    slot = getattr(ax.get_window_extent(renderer), along) / len(labels)
    turned = labels[0].get_rotation() % 90 > 0
    lines = 1.5 * size * ax.figure.dpi / 72  # the width of a slanted line
    need = lines if turned else max(_extent(label, along, renderer) for label in labels)
    if need <= slot:
        return
    small = max(0.9 * size * slot / need, min(size, SMALLEST))
    every = max(1, int(-(-need * small / size // slot)))
    for number, label in enumerate(labels):
        label.set(fontsize=small, visible=number % every == 0)


def _extent(label: Any, along: str, renderer: Any) -> float:
    return float(getattr(label.get_window_extent(renderer), along))


SQUARE = (4.9, 4.7)  # inches
_WRAPPED = 1.2  # lengths of an axis: a longer name has two lines, a shorter one smaller letters


def new_axes(ax: Any = None, size: tuple[float, float] = SQUARE) -> tuple[Any, Any]:
    """Return axes and their figure; if none are given, new ones of a size in inches at 10 points."""
    if ax is None:
        pyplot = import_pyplot()
        scale = max(1.0, pyplot.rcParams["font.size"] / 10)
        _, ax = pyplot.subplots(layout="constrained", figsize=(scale * size[0], scale * size[1]))
        ax.set_anchor("W")  # a square axes leaves room on its right
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
        _fit_names(ax, ax.set_title(title, fontsize="medium"), "width")


def fit_labels(ax: Any, x: str | None = None, y: str | None = None) -> None:
    """Name the axes; a name that is longer than its axis wraps, then shrinks, then is elided."""
    for name, axis, along in ((x, ax.xaxis, "width"), (y, ax.yaxis, "height")):
        if name is None:
            continue
        axis.label.set_text(name)
        if _length(axis.label, along) > _WRAPPED * _slot(ax, along):
            axis.label.set_text(name.replace(" (", "\n("))
        _fit_names(ax, axis.label, along)


def _fit_names(ax: Any, text: Any, along: str) -> None:
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
    axis.get_tightbbox(renderer)  # places the name next to the tick labels
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
