"""Axes: our own figure, or the caller's, of which nothing but the axes is touched."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

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


def width(text: Any, renderer: Any = None) -> float:
    """Return the width of a text in pixels."""
    return float(text.get_window_extent(renderer).width)


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


_BREAKS = " _-/."
_WORD = re.compile(r"[^ _\-/.]+.?")
_LETTERS, _ONE_LINE = 18, 28  # of a line of a name, and of a name that has only one
_MOST_LINES = 5  # of the name of an axis; a longer name is wider than its axis
_LEADING = 1.25  # letters high: a line of a name
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
    letters, room = _LETTERS if lines == 2 else _ONE_LINE, _SHARE * expected(ax)[0]
    longest = max((line for name in listed for line in _lines(name, letters, lines)), key=len,
                  default="")  # fmt: skip
    if not own and (needed := text_width(ax, longest, size)) > room:
        fitting, letters = max(4, int(len(longest) * room / needed)), len(longest)
        word = max(map(len, _WORD.findall(" ".join(listed))), default=0)
        letters = max(fitting, min(word, letters))  # smaller letters, where words would be broken
        size = max(size * fitting / letters, min(size, SMALLEST))
    stated = apart(listed, letters, lines)
    ax.set_yticks(range(len(listed)), stated, parse_math=typeset(stated))
    ax.set_ylim(len(listed) - 0.5, -0.5)
    ax.grid(False, axis="y")
    most = max((name.count("\n") + 1 for name in stated), default=1)
    ax.tick_params(axis="y", length=0, labelsize=min(size, slot / (_LEADING * most)))
    _fit(ax, ax.yaxis, "height")


def name_columns(
    ax: Any, names: Iterable[Any], *, own: bool = True, rotation: Any = "horizontal"
) -> None:
    """Name columns at 0, 1, 2 and so on; slanted where they would run into each other."""
    listed = [str(name) for name in names]
    size, slot = _room_of_names(ax, ax.xaxis, 0, len(listed))
    widest = max((72 * text_width(ax, line, size) for name in listed
                  for line in _lines(name, _LETTERS, 2)), default=0.0)  # fmt: skip
    if rotation == "horizontal" and widest > slot:
        rotation = 45
    turned = not isinstance(rotation, str) and 0 < rotation % 180 < 90
    align = {"ha": "right", "rotation_mode": "anchor"} if turned else {}
    letters = _LETTERS
    if turned and not own:  # at 45 degrees a letter takes 0.7 of its width from the height
        letters = max(4, int(_SHARE * inches(ax, 1) / (0.7 * text_width(ax, "n" * 10) / 10)))
    upright = rotation in ("vertical", 90, 270)
    stated = apart(listed, min(letters, _LETTERS), 1 if turned or upright else 2)
    ax.set_xticks(
        range(len(listed)), stated, rotation=rotation, parse_math=typeset(stated), **align
    )
    small = min(size, slot / _LEADING) if turned or upright else size
    ax.tick_params(axis="x", length=0, labelsize=small)
    _fit(ax, ax.xaxis, "width")


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
    need = lines if turned else max(_extent(label, along, renderer) for label, _, _ in entries)
    for label, _, _ in entries if need > slot else ():
        label.set_fontsize(0.95 * size * slot / need)


def _extent(label: Any, along: str, renderer: Any) -> float:
    return float(getattr(label.get_window_extent(renderer), along))


def _lines(name: str, letters: int, lines: int) -> list[str]:
    return wrapped(name, letters, lines).split("\n")


def _room_of_names(ax: Any, axis: Any, side: int, count: int) -> tuple[float, float]:
    """Return the size of the names of ticks, and the room that each has, in points."""
    ax.apply_aspect()
    ticks = axis.get_major_ticks(1)
    return float(ticks[0].label1.get_fontsize()), 0.92 * 72 * inches(ax, side) / max(count, 1)


SQUARE = (4.9, 4.7)  # inches
_PAD = 0.1  # inches, about the axes of a figure that lays them out


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


# By axes of figures without a layout their place, and what is taken from it by whom.
_TAKEN: WeakKeyDictionary[Any, tuple[Any, Any, dict[str, Any]]] = WeakKeyDictionary()


def narrow(ax: Any, inches: float, side: int = 0, what: str = "legend") -> None:
    """Take room from axes of a figure without a layout, on the right (0) or below (1)."""
    if not inches and ax not in _TAKEN:
        return
    place, spec, taken = _TAKEN.setdefault(
        ax, (ax.get_position(original=True), ax.get_subplotspec(), {})
    )
    taken[what] = np.array([inches * (side == 0), inches * (side == 1)])
    wide, high = np.maximum(1 - sum(taken.values()) / _size(ax) / place.size, 0.3).tolist()
    if spec is None:
        low = place.y1 - high * place.height
        ax.set_position([place.x0, low, wide * place.width, high * place.height])
    else:
        ratios = {"width_ratios": (wide, 1 - wide), "height_ratios": (high, 1 - high)}
        ax.set_subplotspec(spec.subgridspec(2, 2, wspace=0, hspace=0, **ratios)[0, 0])


def divided(ax: Any, heights: Sequence[float], columns: int = 1) -> list[Any]:
    """Divide axes into a grid of several, of which they are the first, row by row."""
    rows, figure, spec = len(heights), ax.figure, ax.get_subplotspec()
    if rows * columns == 1:
        return [ax]
    letters = ax.xaxis.label.get_fontsize() / 72
    gaps = (2.5 * letters * rows / inches(ax, 1), 6 * letters * columns / inches(ax, 0))
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
        text = ax.set_title(title, fontsize="medium")
        _write(ax, text, str(title), _along(ax)[0])


NOTE = "(unnamed"
FEW = 3  # axes of a figure that is laid out again for each change

# By the text of the name of an axis the name, its lines as they were written last, and its size.
_NAMES: WeakKeyDictionary[Any, tuple[str, str, float]] = WeakKeyDictionary()


def fit_labels(ax: Any, x: str | None = None, y: str | None = None) -> None:
    """Name the axes; a name that is longer than its axis has several lines."""
    # The lowest numbers of both axes meet at the corner.
    ax.tick_params(pad=0.38 * ax.xaxis.label.get_fontsize())
    new = ax.xaxis.label not in _NAMES
    for label, name in ((ax.xaxis.label, x), (ax.yaxis.label, y)):
        if name is not None:
            label.set_text("")
            size = _NAMES[label][2] if label in _NAMES else label.get_fontsize()
            _NAMES[label] = name, "", size
    fit_again(ax)
    if ax.figure.get_layout_engine() is None:
        _keep_in_figure(ax)
    elif ax.figure in _SETTLED and (new or len(ax.figure.axes) <= FEW) and len(ax.figure.axes) > 1:
        settled(ax)


def add_note(ax: Any, left_out: int) -> None:
    """Have the name of the x-axis say how many names are left out; 0 takes the words away."""
    label = ax.xaxis.label
    name = _NAMES.get(label, (label.get_text(),))[0].partition(NOTE)[0].rstrip("\n")
    fit_labels(ax, f"{name}\n{NOTE}:\u00a0{left_out})".strip("\n") if left_out else name)


def fit_again(ax: Any) -> None:
    """Break the names of axes into lines, and of those that share their row or column of a grid.

    A name that somebody has changed since stays.
    """
    _break(ax)
    neighbours = _neighbours(ax) if _laid_out(ax) else []
    own = around(ax, alone=True) if neighbours else np.zeros((2, 2))
    for other, side in neighbours:
        if own[0, 1 - side] > around(other, alone=True)[0, 1 - side]:
            _break(other)


def _break(ax: Any) -> None:
    labels = ax.xaxis.label, ax.yaxis.label
    roomy: list[bool] = []
    for side in (1, 0, 1, 0):  # the lines of one take room from the other
        label, name = labels[side], _name_of(labels[side])
        if all(roomy) and len(roomy) == 2:
            return
        if name:
            size = _NAMES[label][2]
            label.set(text="", fontsize=size)
            room = _along(ax)[side]
            _write_name(ax, label, room)
            # A line of the other name takes less than three of this size.
            one_line = label.get_text() == name
            roomy.append(one_line and text_width(ax, name, size) + 3 * size / 72 < room)


def _name_of(label: Any) -> str:
    """Return the name of an axis, or nothing if somebody else has changed it."""
    name, written, _ = _NAMES.get(label, ("", "", 0.0))
    return name if label.get_text() == written else ""


def _write_name(ax: Any, label: Any, room: float) -> None:
    name, _, size = _NAMES[label]
    label.set_fontsize(size)
    _write(ax, label, name, room)
    _NAMES[label] = name, label.get_text(), size


def settled(ax: Any) -> bool:
    """Lay out the figure as it is now; return whether all that is written around axes is inside it."""
    figure = ax.figure
    engine, page = figure.get_layout_engine(), figure.canvas.figure
    _SETTLED.add(figure)
    _lay_out(engine, page)
    for other in figure.axes:
        other.apply_aspect()
        for label, room in zip((other.xaxis.label, other.yaxis.label), _free(other), strict=True):
            if _name_of(label):
                _write_name(other, label, room)
    _lay_out(engine, page)
    ax.apply_aspect()
    box, whole = ax.get_tightbbox(), figure.bbox
    room = 0.01 * figure.dpi
    return bool((box.min > whole.min - room).all() and (box.max < whole.max + room).all())


# Figures in which names are next to axes.
_SETTLED: WeakSet[Any] = WeakSet()


def _lay_out(engine: Any, page: Any) -> None:
    with warnings.catch_warnings(action="ignore", category=UserWarning):  # axes without room
        engine.execute(page)


def _free(ax: Any) -> tuple[float, float]:
    """Return the length in inches of names of axes in a figure that is laid out, to their neighbours."""
    frame, page, found = ax.get_window_extent(), ax.figure.bbox, []
    others = [other.get_window_extent() for other in ax.figure.axes if other is not ax]
    for side in range(2):
        low, high = frame.min[side], frame.max[side]
        row = [o for o in others if o.min[1 - side] < frame.max[1 - side] and
               o.max[1 - side] > frame.min[1 - side]]  # fmt: skip
        before = max([(o.max[side] + low) / 2 for o in row if o.max[side] <= low],
                     default=page.min[side])  # fmt: skip
        after = min([(o.min[side] + high) / 2 for o in row if o.min[side] >= high],
                    default=page.max[side])  # fmt: skip
        middle = (low + high) / 2
        found.append(1.96 * min(middle - before, after - middle) / ax.figure.dpi)
    return float(found[0]), min(float(found[1]), frame.height / ax.figure.dpi + 3 * _PAD)


def _along(ax: Any) -> tuple[float, float]:
    """Return the length in inches of a name below the axes, and of one on their left.

    It may pass both ends of the axes by what is free there, to the edge of the figure at least.
    """
    written, spec = around(ax), ax.get_subplotspec()
    right, top = written[1] + 0.3 * _PAD
    if spec is not None and not spec.is_last_col():
        right = 0.5 * written[0, 0]
    wide, high = 0.98 * (_slot(ax, written) + 2 * np.minimum([right, top], written[0]))
    return float(wide), float(high)


def _keep_in_figure(ax: Any) -> None:
    """Shrink names of axes that a figure without a layout would cut at its edge."""
    ax.get_tightbbox()  # places the names next to the tick labels
    for label, along, side in ((ax.xaxis.label, "height", "y"), (ax.yaxis.label, "width", "x")):
        box = label.get_window_extent()
        outer, inner = getattr(box, f"{side}0"), getattr(box, f"{side}1")
        if outer < 0 < inner:
            scale_down(label, label.get_fontsize(), 0.95 * inner, None, along, least=SMALLEST)


def _write(ax: Any, text: Any, words: str, room: float) -> None:
    """Write words in lines of a limited length in inches, smaller where they would be many."""
    full = text.get_fontsize()
    for size in (full, 0.85 * full, 0.7 * full):  # many lines leave the axes no height
        lines = [_folded(ax, line, room, size) for line in words.split("\n")]
        stated = "\n".join(lines)
        widest = max(text_width(ax, line, size) for line in stated.split("\n"))
        if stated.count("\n") < _MOST_LINES:
            break
    small = size * min(1.0, room / max(widest, 1e-9))  # for a word, which is not broken
    text.set(text=stated, parse_math=typeset([stated]), fontsize=max(small, min(full, SMALLEST)))


def expected(ax: Any) -> tuple[float, float]:
    """Return width and height, in inches, that axes will have when their figure is laid out."""
    wide, high = side_of(ax, room_of(ax))
    return float(wide), float(high)


def room_of(ax: Any) -> Any:
    """Return the part of the figure of axes less what is written around them now, in inches."""
    return _slot(ax, around(ax))


def side_of(ax: Any, room: Any) -> Any:
    """Return the size of axes in a room in inches, of which square ones do not take all."""
    return np.repeat(room.min(), 2) if ax.get_box_aspect() is not None else np.asarray(room)


def _slot(ax: Any, written: Any) -> Any:
    """Return width and height in inches of the room of axes, all of which square ones do not take."""
    if not _laid_out(ax):
        return np.array(ax.get_position(original=True).size) * _size(ax)
    return np.maximum(_cell(ax) - written.sum(axis=0) - _PAD, 0.2)


def around(ax: Any, alone: bool = False) -> Any:
    """Return what is written left of and below axes, and right of and above them, in inches.

    Axes of one row of a grid leave the same room below, and those of a column on their left.
    """
    frame, whole = ax.get_window_extent().get_points(), ax.get_tightbbox(for_layout_only=True)
    written = np.abs(whole.get_points() - frame) / ax.figure.dpi
    for other, side in () if alone else _neighbours(ax):
        written[0, 1 - side] = max(written[0, 1 - side], around(other, alone=True)[0, 1 - side])
    return np.asarray(written)


def _neighbours(ax: Any) -> list[tuple[Any, int]]:
    """Return other axes in the same row (0) or column (1) of their grid."""
    found, spec = [], ax.get_subplotspec()
    for other in ax.figure.axes if spec is not None else ():
        place = other.get_subplotspec()
        if other is not ax and place is not None and place.get_gridspec() is spec.get_gridspec():
            found += [(other, 0)] if place.rowspan == spec.rowspan else []
            found += [(other, 1)] if place.colspan == spec.colspan else []
    return found


def _laid_out(ax: Any) -> bool:
    return ax.figure.get_layout_engine() is not None and ax.get_subplotspec() is not None


def _cell(ax: Any) -> Any:
    """Return width and height in inches of the part of the figure that is laid out for axes."""
    spec = ax.get_subplotspec()
    top = spec.get_topmost_subplotspec()
    grid = top.get_gridspec()
    ratios = grid.get_width_ratios(), grid.get_height_ratios()
    spans = top.colspan, top.rowspan
    shares = [np.array(r)[s].sum() / sum(r) for r, s in zip(ratios, spans, strict=True)]
    # Of grids in a cell of the outer grid.
    own, outer = spec.get_position(ax.figure).size, top.get_position(ax.figure).size
    return shares * own / outer * _size(ax)


def _folded(ax: Any, line: str, room: float, size: float) -> str:
    """Break a line before its brackets, then between words; only names longer than words are elided."""
    if text_width(ax, line, size) <= room:
        return line
    found: list[str] = []
    head, bracket, tail = line.partition(" (")
    for part in (head, f"({tail}") if bracket else (head,):
        now = ""
        for word in part.split(" "):
            more = f"{now} {word}".strip()
            if now and text_width(ax, more, size) > room:
                found.append(now)
                more = word
            now = more
        found.append(now)
    return "\n".join(
        elided(part, max(_LETTERS, int(0.95 * len(part) * room / long)))
        if (long := text_width(ax, part, size)) > room
        else part
        for part in found
    )


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


def _size(ax: Any) -> tuple[float, float]:
    """Return the size of the figure of the axes, or of their part of it, in inches."""
    box, dpi = ax.figure.bbox, ax.figure.dpi
    return box.width / dpi, box.height / dpi


def inches(ax: Any, side: int) -> float:
    """Return the present width (0) or height (1) of the axes in inches."""
    return float(ax.get_position().size[side] * _size(ax)[side])


def text_width(ax: Any, text: str, size: Any = None) -> float:
    """Return the width of a text in inches, as it would be drawn."""
    probe = ax.text(0, 0, text, fontsize=size)
    try:
        return width(probe) / float(ax.figure.dpi)
    finally:
        probe.remove()
