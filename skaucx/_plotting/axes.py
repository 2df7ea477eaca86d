"""Axes: our own figure, or the caller's, of which nothing but the axes is touched."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from textwrap import wrap
from typing import Any
from unicodedata import east_asian_width
from warnings import catch_warnings

import numpy as np

from .._compat import import_pyplot

SMALLEST = 5.0  # points; smaller text is not read but hidden
_ELLIPSIS = "\u2026"

Entry = tuple[Any, str, float]  # a text, its words and its size as requested


@dataclass(eq=False)
class _Fitting:
    """Brings texts to their room at every draw, except those that were changed since the last one."""

    fit: Callable[[list[Entry], Any], None]
    entries: list[Entry]
    states: list[Any]

    def __call__(self, renderer: Any) -> None:
        held = zip(self.entries, self.states, strict=True)
        self.entries = [entry for entry, state in held if _state(entry[0]) == state]
        self.fit(self.entries, renderer)
        self.states = [_state(text) for text, _, _ in self.entries]


def _state(text: Any) -> Any:
    return text.get_text(), text.get_fontsize(), text.get_visible(), text.get_position()


def at_draw(ax: Any, texts: Iterable[Any], fit: Callable[..., None], *what: Any) -> None:
    """Have ``fit(*what, entries, renderer)`` called before the artists of the axes are drawn.

    An entry is a text with its words and its size as they are now.
    """
    from matplotlib.artist import Artist

    entries = [(text, text.get_text(), text.get_fontsize()) for text in texts]
    hook = Artist()
    hook.set_zorder(float("-inf"))
    hook.set_in_layout(False)
    hook.set_gid("fit")
    states = [_state(text) for text, _, _ in entries]
    hook.draw = _Fitting(partial(fit, *what), entries, states)  # type: ignore[method-assign]
    ax.add_artist(hook)


def scale_down(text: Any, size: float, room: float, renderer: Any, along: str) -> None:
    """Write a text in this size, or in a smaller one if needed."""
    text.set_fontsize(size)
    # Letters grow in steps, so once may not be enough.
    while (found := getattr(text.get_window_extent(renderer), along)) > room and size > 0:
        size *= 0.97 * room / found
        text.set_fontsize(size)


def elided(text: str, most: int) -> str:
    """Return a text of limited length; its ends, which distinguish names, are kept."""
    if len(text) <= most:
        return text
    end = max(most - 1, 1) * 2 // 5
    return f"{text[: max(most - 1, 1) - end]}{_ELLIPSIS}{text[len(text) - end :]}"


_BREAKS = " _-/."
_LETTERS, _ONE_LINE = 18, 28  # of a line of a name, and of a name that has only one
_LEADING = 1.25  # letters high: a line of a name
_ALONG = 0.88  # of the length of an axis, which its name may have
_SHARE = 0.3  # of the caller's axes, which names of rows may take


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
    # A Chinese character is as wide as two letters.
    wide = sum(east_asian_width(letter) in "WF" for letter in rest)
    letters = max(letters * len(rest) // max(len(rest) + wide, 1), 1)
    while len(rest) > letters and len(found) < lines - 1:
        cut = max(rest.rfind(mark, 0, letters) for mark in _BREAKS) + 1
        cut = cut if 2 * cut >= letters else letters
        found.append(rest[:cut].rstrip(" "))
        rest = rest[cut:]
    return "\n".join([*found, elided(rest, letters)])


def apart(names: Sequence[str], letters: int, lines: int) -> list[str]:
    r"""Return names in lines of limited length; different names stay different.

    Of names that would be elided to the same text the part that they share is elided first.

    Examples
    --------
    >>> from skaucx._plotting.axes import apart
    >>> names = ["non-small-cell carcinoma of left lung", "non-small-cell adenocarcinoma of left lung"]
    >>> apart(names, 16, 1)
    ['…carcinom…t lung', '…adenocar…t lung']
    """
    stated = [wrapped(name, letters, lines) for name in names]
    for text in {text for text in stated if stated.count(text) > 1}:
        held = {name: name for name, own in zip(names, stated, strict=True) if own == text}
        start = len(
            list(takewhile(lambda letters_: len({*letters_}) == 1, zip(*held, strict=False)))
        )
        for number, name in enumerate(held if len(held) > 1 else (), 1):
            short = wrapped(f"{_ELLIPSIS}{name[start:]}", letters, lines)
            mark = f" {number}"
            again = short in held.values() or short in stated
            held[name] = f"{elided(name, max(letters - len(mark), 1))}{mark}" if again else short
        stated = [held.get(name, own) for name, own in zip(names, stated, strict=True)]
    return stated


def name_rows(ax: Any, names: Iterable[Any], *, own: bool = True) -> None:
    """Name rows at 0, 1, 2 and so on, from the top; names leave the caller's axes their room.

    Grid lines through the rows would strike through their text.
    """
    listed = [str(name) for name in names]
    size, slot = _room_of_names(ax, ax.yaxis, 1, len(listed))
    # A name has one line where two would be much smaller.
    lines = 2 if 2 * _LEADING * 0.8 * size <= slot else 1
    letters = _LETTERS if lines == 2 else _ONE_LINE
    widest = _widest(ax, apart(listed, letters, lines), size)
    share = 1.0 if own else min(1.0, _SHARE * inches(ax)[0] / max(widest, 1e-9))
    small = max(share * size, min(size, SMALLEST))  # smaller letters before fewer of them
    stated = apart(listed, max(4, int(letters * share * size / small)), lines)
    ax.set_yticks(range(len(listed)), stated, parse_math=typeset(stated))
    ax.set_ylim(len(listed) - 0.5, -0.5)
    ax.grid(False, axis="y")
    most = max((name.count("\n") + 1 for name in stated), default=1)
    ax.tick_params(axis="y", length=0, labelsize=min(small, slot / (_LEADING * most)))
    if ax.get_anchor() == "C" and len(ax.figure.axes) > 1:
        ax.set_anchor("W")  # so that a layout sees what is written before a square
    _fit(ax, ax.yaxis, "height")


def name_columns(
    ax: Any, names: Iterable[Any], *, own: bool = True, rotation: Any = "horizontal"
) -> None:
    """Name columns at 0, 1, 2 and so on; slanted where they would run into each other."""
    listed = [str(name) for name in names]
    size, slot = _room_of_names(ax, ax.xaxis, 0, len(listed))
    if rotation == "horizontal" and 72 * _widest(ax, apart(listed, _LETTERS, 2), size) > slot:
        rotation = 45
    turned = not isinstance(rotation, str) and 0 < rotation % 180 < 90
    align = {"ha": "right", "rotation_mode": "anchor"} if turned else {}
    letters = _LETTERS
    if turned and not own:  # at 45 degrees a letter takes 0.7 of its width from the height
        fitting = int(_SHARE * inches(ax)[1] / (0.07 * text_width(ax, "n" * 10)))
        letters = max(4, min(fitting, letters))
    flat = not turned and rotation not in ("vertical", 90, 270)
    stated = apart(listed, letters, 2 if flat else 1)
    ax.set_xticks(
        range(len(listed)), stated, rotation=rotation, parse_math=typeset(stated), **align
    )
    ax.tick_params(axis="x", length=0, labelsize=size if flat else min(size, slot / _LEADING))
    _fit(ax, ax.xaxis, "width")


def _widest(ax: Any, names: Iterable[str], size: float) -> float:
    return max((text_width(ax, name, size) for name in names), default=0.0)


def _fit(ax: Any, axis: Any, along: str) -> None:
    """Have the names of rows or columns brought to their room when they are drawn."""
    labels = [tick.label1 for tick in axis.get_major_ticks()]
    if labels:
        at_draw(ax, labels, _fit_names, ax, along)


def _fit_names(ax: Any, along: str, entries: list[Entry], renderer: Any) -> None:
    """Write names so small that none runs into the next; that the layout has seen is never larger."""
    if not entries:
        return
    size = entries[0][0].get_fontsize()
    first, last = (ax.yaxis if along == "height" else ax.xaxis).get_view_interval()
    slot = getattr(ax.get_window_extent(renderer), along) / abs(last - first)
    turned = entries[0][0].get_rotation() % 90 > 0
    lines = _LEADING * size * ax.figure.dpi / 72  # the width of a slanted line
    need = (
        lines
        if turned
        else max(getattr(label.get_window_extent(renderer), along) for label, _, _ in entries)
    )
    for label, _, _ in entries if need > slot else ():
        label.set_fontsize(0.95 * size * slot / need)


def _room_of_names(ax: Any, axis: Any, side: int, count: int) -> tuple[float, float]:
    """Return the size of the names of ticks, and the room that each has, in points."""
    ticks = axis.get_major_ticks(1)
    return float(ticks[0].label1.get_fontsize()), 0.92 * 72 * inches(ax)[side] / max(count, 1)


SQUARE = (4.9, 4.7)  # inches
_NAMES = 6.0  # letters high: names of rows and the name of their axis
_MARGIN = 4.0  # letters high: numbers of an axis and its name
OUTSIDE = "outside"  # gid of texts that annotate axes from without


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


def despined(ax: Any) -> None:
    """Remove the top and the right spine."""
    ax.spines[["top", "right"]].set_visible(False)


def blank(ax: Any) -> None:
    """Leave nothing of axes but their room and the names below it."""
    ax.set(xticks=[], yticks=[], frame_on=False)


def widen(panels: Sequence[Any]) -> None:
    """Widen a figure of ours by what is right of its axes, and by names of rows longer than usual."""
    figure, boxes = panels[0].figure, [ax.get_tightbbox() for ax in panels]
    both = [(a.bbox.x0 - b.x0, b.x1 - a.bbox.x1) for a, b in zip(panels, boxes, strict=True)]
    left, right = np.max(both, axis=0) / figure.dpi
    usual = _NAMES * panels[0].xaxis.label.get_fontsize() / 72
    wide, high = figure.get_size_inches()
    figure.set_size_inches(wide + right + max(left - usual, 0), high)


@dataclass(eq=False)
class _Inside:
    """Places axes of a figure without a layout so that what is around them is seen.

    What is next to the axes stays in their part. On the other sides a part has room for numbers and a
    name; the axes leave room for whatever needs more.
    """

    ax: Any
    panels: Sequence[Any]

    def get_subplotspec(self) -> Any:
        """Return the part, which ``tight_layout`` changes."""
        return self.ax.get_subplotspec()

    def __call__(self, ax: Any, renderer: Any) -> Any:
        from matplotlib.transforms import Bbox

        place, page = ax.get_position(original=True), ax.figure.bbox.size
        whole = ax.get_tightbbox(renderer, call_axes_locator=False)
        before, after = ax.bbox.p0 - whole.p0, whole.x1 - ax.bbox.x1
        for one in self.panels:  # which have their names and numbers in common columns
            if one is not ax:
                before[0] = max(before[0], one.bbox.x0 - one.yaxis.get_tightbbox(renderer).x0)
                after = max(after, on_the_right(one))
        margin = _MARGIN * ax.xaxis.label.get_fontsize() * ax.figure.dpi / 72
        before = np.maximum(before - np.minimum(margin, place.p0 * page), 0)
        return Bbox([place.p0 + before / page, place.p1 - [max(after, 0) / page[0], 0]])


def on_the_right(ax: Any) -> float:
    """Return the width in pixels of the texts next to the right edge of axes."""
    boxes = [text.get_window_extent() for text in ax.texts if text.get_gid() == OUTSIDE]
    return float(max([ax.bbox.x1, *(box.x1 for box in boxes)]) - ax.bbox.x1)


def keep_inside(panels: Sequence[Any]) -> None:
    """Have axes leave room for what is around them in a figure without a layout, which would not."""
    for ax in panels:
        free = isinstance(ax.get_axes_locator(), _Inside | None)
        if free and ax.figure.get_layout_engine() is None:
            ax.set_axes_locator(_Inside(ax, panels))


def divided(ax: Any, heights: Sequence[float], columns: int = 1) -> list[Any]:
    """Divide axes into a grid of several, of which they are the first, row by row."""
    rows, figure, spec = len(heights), ax.figure, ax.get_subplotspec()
    if rows * columns == 1:
        return [ax]
    letters = ax.xaxis.label.get_fontsize() / 72
    gaps = np.array([2.5 * rows, 6 * columns]) * letters / inches(ax)[::-1]
    free = figure.get_layout_engine() is None
    space = dict(zip(("hspace", "wspace"), gaps, strict=True)) if free else {}
    place = ax.get_position(original=True)
    ends = {"left": place.x0, "right": place.x1, "bottom": place.y0, "top": place.y1}
    made = figure.add_gridspec if spec is None else spec.subgridspec
    parts = made(rows, columns, height_ratios=heights, **space, **(ends if spec is None else {}))
    ax.set_subplotspec(parts[0, 0])
    axes = [ax, *(figure.add_subplot(parts[k]) for k in range(1, rows * columns))]
    for one in axes if spec is None else ():
        one.set_in_layout(False)  # a layout leaves axes at a place of the caller's alone
    return axes


def entitle(ax: Any, title: str | None) -> None:
    """Set a title where the caller has set none."""
    has = any(ax.get_title(loc) for loc in ("left", "center", "right"))
    if title and not has:
        write(ax, ax.set_title("", fontsize="medium"), str(title), inches(ax)[0])


def fit_labels(ax: Any, x: str | None = None, y: str | None = None) -> None:
    """Name the axes; a name that is longer than its axis has several lines."""
    # The lowest numbers of both axes meet at the corner.
    ax.tick_params(pad=0.42 * ax.xaxis.label.get_fontsize())
    ax.xaxis.get_tick_space = partial(_tick_space, ax)
    labels = ax.xaxis.label, ax.yaxis.label
    for label, name, room in zip(labels, (x, y), inches(ax), strict=True):
        if name is not None:
            write(ax, label, name, room)


def _tick_space(ax: Any) -> int:
    """Return how many numbers an x-axis has room for: matplotlib assumes short ones."""
    return max(int(0.75 * type(ax.xaxis).get_tick_space(ax.xaxis)), 1)


def name_table(
    ax: Any,
    rows: Iterable[Any],
    columns: Iterable[Any],
    x: str | None = None,
    y: str | None = None,
    *,
    own: bool,
    rotation: Any = "horizontal",
) -> None:
    """Name rows, columns and axes of a table; names of rows and columns take room of the others."""
    ax.grid(False)
    ax.tick_params(length=0)
    name_rows(ax, rows, own=own)
    name_columns(ax, columns, own=own, rotation=rotation)
    fit_labels(ax, x, y)
    if not own and y:
        write(ax, ax.yaxis.label, y, laid_out(ax)[1])


def write(ax: Any, text: Any, words: str, room: float) -> None:
    """Write words in lines of a limited length in inches, smaller where a word is longer.

    A line is broken before its brackets, then between words; only names longer than words are elided.
    """
    size = text.get_fontsize()
    found: list[str] = []
    for line in words.split("\n"):
        letters = max(1, int(_ALONG * len(line) * room / max(text_width(ax, line, size), 1e-9)))
        for part in [line] if letters >= len(line) else line.replace(" (", "\n(", 1).split("\n"):
            pieces = wrap(part, letters, break_long_words=False, break_on_hyphens=False)
            found += [elided(piece, max(_LETTERS, letters)) for piece in pieces]
    stated = "\n".join(found)
    share = min(1.0, room / max(text_width(ax, stated, size), 1e-9))
    small = max(size * share, min(size, SMALLEST))
    text.set(text=stated, parse_math=typeset([stated]), fontsize=small, label=words)


def words_of(text: Any) -> str:
    """Return the words of a text before they were broken into lines, or as they were set since."""
    words, stated = str(text.get_label()), str(text.get_text())
    return words if words.split() == stated.split() else stated


def typeset(words: Iterable[str]) -> bool:
    r"""Return whether to read dollar signs as mathematics: where a TeX command is between them.

    Examples
    --------
    >>> from skaucx._plotting.axes import typeset
    >>> typeset(["$5 to $10"]), typeset([r"model $\beta$"])
    (False, True)
    """
    return any("\\" in name for name in words)


def legible(name: str) -> str:
    """Return a name for a legend, which would omit one that begins with an underscore."""
    return f" {name}" if name.startswith("_") and name != "_" else name


def inches(ax: Any) -> Any:
    """Return width and height in inches of the part of the figure that axes have without a layout.

    A layout gives them about as much, less what is written next to them.
    """
    spec, page = ax.get_subplotspec(), ax.figure.bbox
    place = ax.get_position(original=True) if spec is None else spec.get_position(ax.figure)
    return np.array(place.size) * page.size / ax.figure.dpi


def laid_out(ax: Any) -> Any:
    """Return width and height in inches that axes have once the layout of their figure is executed."""
    engine = ax.figure.get_layout_engine()
    if engine is not None:
        with catch_warnings(action="ignore", category=UserWarning):  # axes without room
            engine.execute(ax.figure.canvas.figure)
    return np.array(ax.get_position(original=True).size) * ax.figure.bbox.size / ax.figure.dpi


def text_width(ax: Any, text: str, size: Any = None) -> float:
    """Return the width of a text in inches, as it would be drawn."""
    probe = ax.text(0, 0, text, fontsize=size)
    try:
        return float(probe.get_window_extent().width / ax.figure.dpi)
    finally:
        probe.remove()
