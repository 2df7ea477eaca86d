"""Names: of metrics as a reader writes them, and of rows and columns as their room allows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .axes import inches, text_width
from .fitting import SMALLEST, at_draw, elided

_SHORT = {
    "matthews_corrcoef": "MCC",
    "mcc": "MCC",
    "cohen_kappa": "kappa",
    "npv": "NPV",
    "f1": "F1",
    "p4": "P4",
}
_BREAKS = " _-/."
_LETTERS = 18  # of a line of a name
_SHARE = 0.3  # of the caller's axes, which names of rows may take


def shown(metric: str) -> str:
    """Return a metric's name as a reader writes it."""
    short = _SHORT.get(metric, metric)
    return short.replace("roc_auc", "ROC AUC").replace("_auc", " AUC").replace("_", " ")


def wrapped(name: Any, letters: int = _LETTERS, lines: int = 2) -> str:
    r"""Return a name in lines of so many letters, elided where it needs more lines.

    Examples
    --------
    >>> from skaucx._plotting.names import wrapped
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

    A line of a grid through every row would strike through what is written there.
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
    lines = 1.5 * size * ax.figure.dpi / 72  # what a slanted line takes
    need = lines if turned else max(_extent(label, along, renderer) for label in labels)
    if need <= slot:
        return
    small = max(0.9 * size * slot / need, min(size, SMALLEST))
    every = max(1, int(-(-need * small / size // slot)))
    for number, label in enumerate(labels):
        label.set(fontsize=small, visible=number % every == 0)


def _extent(label: Any, along: str, renderer: Any) -> float:
    return float(getattr(label.get_window_extent(renderer), along))
