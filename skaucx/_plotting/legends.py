"""Legends: in a free corner, at the ends of lines, right of the axes or below them.

No legend moves the limits of an axis, covers a curve or cuts a value: where there is no room for a
name the name of the x-axis says how many are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from .axes import (
    FEW,
    NOTE,
    SMALLEST,
    Entry,
    add_note,
    apart,
    around,
    at_draw,
    fit_again,
    narrow,
    room_of,
    scale_down,
    settled,
    shortened,
    side_of,
    typeset,
    widen,
)
from .style import ink

# Offsets in points with the alignment that leads away from the point.
_PLACES = (
    (5, -5, "left", "top"),
    (5, 5, "left", "bottom"),
    (-5, 5, "right", "bottom"),
    (-5, -5, "right", "top"),
)


def label_points(ax: Any, points: Sequence[tuple[float, float]], words: Sequence[str]) -> list[Any]:
    """Write labels next to points; a label without a free place is omitted."""
    labels = [
        ax.annotate(
            text, point, xytext=_PLACES[0][:2], textcoords="offset points", va="top",
            fontsize="small", gid="label",
        )
        for point, text in zip(points, words, strict=True)
    ]  # fmt: skip
    for label in labels:
        label.set_in_layout(False)
    at_draw(ax, labels, _place, ax)
    return labels


def _place(ax: Any, entries: list[Entry], renderer: Any) -> None:
    """Place labels of points, the earlier ones first, clear of the points and of other labels."""
    legend, inside = ax.get_legend(), ax.get_window_extent(renderer)
    labels = [text for text, _, _ in entries]
    known = [text for text in ax.texts if text.get_gid() == "label" and hasattr(text, "xy")]
    taken = [_mark(ax, label.xy) for label in known]
    taken += [] if legend is None else [legend.get_window_extent(renderer)]
    before = known[: known.index(labels[0])] if labels else []
    taken += [text.get_window_extent(renderer) for text in before if text.get_visible()]
    for label in labels:
        label.set_visible(True)
        for x, y, ha, va in _PLACES:
            label.set(position=(x, y), ha=ha, va=va)
            box = label.get_window_extent(renderer)
            held = inside.x0 <= box.x0 and box.x1 <= inside.x1
            held &= inside.y0 <= box.y0 and box.y1 <= inside.y1
            if held and not any(box.overlaps(other) for other in taken):
                taken.append(box)
                break
        else:
            label.set_visible(False)


def _mark(ax: Any, point: tuple[float, float]) -> Any:
    """Return the box of the mark of a point, six points wide."""
    from matplotlib.transforms import Bbox

    (x, y), half = ax.transData.transform(point), 3 * ax.figure.dpi / 72
    return Bbox.from_extents(x - half, y - half, x + half, y + half)


def keep_inside(ax: Any, text: Any, height: float) -> None:
    """Have a text shrink to a share of the height of the axes, and move until it is inside them."""
    at_draw(ax, [text], _keep, ax, text.get_position(), height)


def _keep(
    ax: Any, at: tuple[float, float], height: float, entries: list[Entry], renderer: Any
) -> None:
    box = ax.get_window_extent(renderer)
    for text, _, size in entries:
        text.set_position(at)
        scale_down(text, size, height * box.height, renderer, "height")
        scale_down(text, text.get_fontsize(), 0.98 * box.width, renderer, "width")
        found = text.get_window_extent(renderer)
        move = max(box.x0 + 2 - found.x0, 0) + min(box.x1 - 2 - found.x1, 0)
        if move:
            x, y = text.get_transform().transform(at)
            text.set_position(text.get_transform().inverted().transform((x + move, y)))


def fit_steps(ax: Any, texts: Sequence[Any]) -> None:
    """Have annotations, one at each of some heights, shrink until none runs into the next."""
    at_draw(ax, texts, _fit_steps, ax)


def _fit_steps(ax: Any, texts: list[Entry], renderer: Any) -> None:
    heights = np.sort([ax.transData.transform((1, text.xy[1]))[1] for text, _, _ in texts])
    if len(heights) > 1:
        step = 72 * float(np.diff(heights).min()) / ax.figure.dpi
        for text, _, size in texts:
            text.set_fontsize(min(size, 0.8 * step))


def fit_rows(ax: Any, texts: Sequence[Any]) -> None:
    """Have texts, in rows of one unit of the y-axis, shrink equally until all fit into row and frame."""
    for text in texts:
        text.set(in_layout=False, parse_math=typeset([text.get_text()]))
    at_draw(ax, texts, _fit_rows, ax)


def _fit_rows(ax: Any, texts: list[Entry], renderer: Any) -> None:
    low, high = ax.get_ylim()
    box = ax.get_window_extent(renderer)
    for text, full, size in texts:
        text.set_text(full)
        scale_down(text, size, box.height / abs(high - low), renderer, "height")
        least = max(0.7 * text.get_fontsize(), min(text.get_fontsize(), SMALLEST))
        room = _room(text, box, renderer)
        scale_down(text, text.get_fontsize(), room, renderer, "width", least)
    small = min((text.get_fontsize() for text, _, _ in texts), default=0.0)
    for text, full, _ in texts:
        text.set_fontsize(small)
        found, room = text.get_window_extent(renderer).width, _room(text, box, renderer)
        if found > room:
            text.set_text(shortened(full, room / found))


def _room(text: Any, box: Any, renderer: Any) -> float:
    """Return the width that a text, fixed at its end or its middle, has inside a box."""
    found = text.get_window_extent(renderer)
    return float(found.width - max(box.x0 - found.x0, found.x1 - box.x1, 0))


_CORNERS = "upper left", "upper right", "lower right", "lower left"
_LETTERS, _SHORTER = (46, 24), 16  # of a line of a name, and of one where room is short
_INSIDE = (0.94, 0.8), (0.9, 0.6)  # of width and height of our axes, of the caller's
_KEPT, _LEAST = (
    (0.42, 0.55),
    0.62,
)  # of width and height, and inches, which a legend leaves the axes
_ABOUT = 0.95  # of that, which is expected before the figure is laid out
_TRIES = 8  # places that are tried in a figure of few axes; one in others
_GAP = 0.1  # inches, from the axes to what is next to them
_CLEAR = 0.02  # lengths of the axes, from a legend to a curve
_STEP = 1.15  # heights of a text, from the end of a line to the next
_END, _GROUND = "end", "ground"  # gids: of a name at the end of a line; of what a legend may cover
_COLUMNS = 3

Names = list[tuple[Any, str]]  # artists and what they are called


def key(
    ax: Any,
    *,
    own: bool,
    loc: str | None,
    beside: bool = False,
    title: str | None = None,
    of: Any = None,
    **options: Any,
) -> bool:
    """Name what is drawn, at the first place of the list that has room.

    1. a corner of the axes where no curve runs, 2. the ends of the lines, 3. right of the axes,
    4. below them. Otherwise the names that fit are written, and the name of the x-axis counts the
    others. Lines drawn last but on top of the others, such as averages, are named first then.

    Parameters
    ----------
    ax : matplotlib Axes
    own : bool
        Whether the figure is ours and has no other axes, so that it may grow.
    loc : str or None
        The first corner to try; None for no corner.
    beside : bool, default=False
        Whether no corner is tried in a figure of ours.
    title : str, default=None
    of : matplotlib Axes, default=None
        Other axes, whose artists are named.
    **options
        Keywords of matplotlib's ``legend``.

    Returns
    -------
    bool
        Whether all are named. Axes that are off hold all names or none.
    """
    for text in [text for text in ax.texts if text.get_gid() == _END]:
        text.remove()
    names = [
        pair for pair in zip(*(of or ax).get_legend_handles_labels(), strict=True) if _seen(pair[0])
    ]
    if not names:
        return True
    if ax.get_legend() is not None:
        ax.get_legend().remove()
    if NOTE in ax.get_xlabel():
        add_note(ax, 0)
    narrow(ax, 0.0)
    from matplotlib import rcParams

    plain = own or rcParams["legend.fontsize"] != "medium"  # sizes that the caller has not chosen
    size = {} if plain else {"fontsize": "small", "title_fontsize": "small"}
    place = _Place(ax, own, title, size | {"framealpha": 0.85} | options)
    long, short = _folded(names, _LETTERS[not own], 3), _folded(names, _SHORTER, 2)
    corner = loc if not (own and beside) else None
    places: tuple[Callable[[Names], bool], ...] = place.at_ends, place.outside, place.below
    forms = [names]
    for form in (long,) if own else (long, short, _bare(names)):
        forms += [form] if form not in forms else []
    if corner:
        places = (partial(place.inside, corner), *(places if ax.axison else ()))
    if any(find(form) for find in places for form in forms):
        return True
    if ax.axison:
        place.some(short)
    return False


@dataclass
class _Place:
    """Where the names of axes find room; each method returns whether it has written them."""

    ax: Any
    own: bool
    title: str | None
    look: dict[str, Any]
    tries: int = 0  # layouts of the figure, which take long where it has many axes

    def __post_init__(self) -> None:
        self.ax.apply_aspect()
        self.around = around(self.ax)
        self.room = room_of(self.ax)  # inches, without a legend
        self.inner = side_of(self.ax, self.room)

    def inside(self, corner: str, names: Names) -> bool:
        legend = self._legend(names, loc=corner)
        legend.set_in_layout(False)  # it is fitted to the axes, not they to it
        fits = (
            _inches(legend) <= self.inner * (_INSIDE[not self.own] if self.ax.axison else 1)
        ).all()
        for place in (corner, "best", *_CORNERS) if fits else ():
            legend.set_loc(place)
            if _free(self.ax, legend, self.inner):
                return True
        return self._taken_back(legend)

    def at_ends(self, names: Names) -> bool:
        """Write each name where its line leaves the axes, if the names are apart."""
        ends = [_end(self.ax, handle) for handle, _ in names]
        if self.title or len(names) < 2 or np.isnan(ends).any():
            return False
        size = self.look.get("fontsize")
        probes = [self.ax.text(0, 0, name, fontsize=size) for _, name in names]
        wide, high = np.max([_inches(probe) for probe in probes], axis=0)
        for probe in probes:
            probe.remove()
        if np.diff(np.sort(ends)).min() * self.inner[1] < _STEP * high:
            return False
        texts = [
            self.ax.annotate(
                name, (1, end), xycoords="axes fraction", xytext=(4, 0), va="center",
                textcoords="offset points", fontsize=size, color=ink(self.ax), gid=_END,
                annotation_clip=False, parse_math=typeset([name]),
            )
            for end, (_, name) in zip(ends, names, strict=True)
        ]  # fmt: skip
        if self._take(0, wide + _GAP):
            return True
        for text in texts:
            text.remove()
        return False

    def outside(self, names: Names) -> bool:
        place = {"loc": "upper left", **self._next_to((1, 1), (self.around[1, 0] + _GAP, 0))}
        for columns in range(1, _COLUMNS + 1):
            legend = self._legend(names, **place, ncols=columns)
            wide, high = _inches(legend)
            grows = self.own and self.ax.figure.get_layout_engine() is not None
            if high <= self.inner[1] + grows * _GAP and self._take(0, wide + _GAP):
                return True
            if high <= self.inner[1]:
                break
        return self._taken_back(legend)

    def below(self, names: Names) -> bool:
        for _ in range(2):  # the name of the x-axis may have other lines then
            down = around(self.ax)[0, 1] + 0.6 * _GAP
            place = {"loc": "upper center", "frameon": False, **self._next_to((0.5, 0), (0, -down))}
            for columns in range(_COLUMNS, 0, -1):
                legend = self._legend(names, **(place | {"ncols": columns}))
                wide, high = _inches(legend)
                if wide <= self.room[0] + _GAP:
                    break
            if wide > self.room[0] + _GAP or not self._take(1, high + 0.6 * _GAP):
                return self._taken_back(legend)
            top = self.ax.xaxis.label.get_window_extent().y0
            if legend.get_window_extent().y1 <= top + 1:
                return True
            legend.remove()
        return self._taken_back(legend)

    def some(self, names: Names) -> None:
        """Name what there is room for, and count the rest below the x-axis."""
        add_note(self.ax, len(names))  # before the room below it is measured
        self.__post_init__()
        self.tries = 0
        most = sorted(range(len(names)), key=lambda k: -names[k][0].get_zorder())
        legend = self._legend(names)
        rows = int(self.inner[1] / _inches(legend)[1] * len(names))
        legend.remove()
        for place, count in ((self.outside, rows), (self.below, 3), (self.below, 1)):
            held = sorted(most[: min(count, len(names) - 1)])
            if held and place([names[k] for k in held]):
                add_note(self.ax, len(names) - len(held))
                return
        small = len(self.ax.figure.axes) <= FEW
        for _ in range(2 if small and self.ax.figure.get_layout_engine() is not None else 0):
            settled(self.ax)  # twice: names were broken for what was tried before

    def _next_to(self, corner: tuple[float, float], offset: tuple[float, float]) -> dict[str, Any]:
        """Return the keywords of a legend at an offset in inches from a corner of the axes."""
        from matplotlib.transforms import ScaledTranslation

        moved = self.ax.transAxes + ScaledTranslation(*offset, self.ax.figure.dpi_scale_trans)
        return {"bbox_to_anchor": corner, "bbox_transform": moved, "borderaxespad": 0}

    def _legend(self, names: Names, **place: Any) -> Any:
        handles, words = zip(*names, strict=True)
        legend = self.ax.legend(handles, words, title=self.title, **(self.look | place))
        for text in legend.get_texts():  # dollar signs, unless a TeX command is between them
            text.set_parse_math(typeset([text.get_text()]))
        return legend

    def _take(self, side: int, length: float) -> bool:
        """Take a length in inches right of or below the axes, if enough is left of them."""
        ax, figure = self.ax, self.ax.figure
        if self.own and side == 0:
            widen(figure, length)
            return True
        least = np.maximum(_KEPT * self.inner, np.minimum(_LEAST, self.inner))
        left = side_of(ax, self.room - length * np.array([side == 0, side == 1]))
        if (left < _ABOUT * least)[side]:
            return False
        if figure.get_layout_engine() is None:
            narrow(ax, length, side)
            fit_again(ax)
            for artist in (ax.get_legend(), *ax.texts):
                if artist is not None and artist.get_gid() in (None, _END):
                    artist.set_in_layout(False)
            return True
        self.tries += 1
        if self.tries > (_TRIES if len(figure.axes) <= FEW else 1):
            return False
        anchor = ax.get_anchor()
        if ax.get_box_aspect() is not None and anchor == "C":
            ax.set_anchor("WN"[side])  # the room that a square leaves is where the names are
        inside = settled(ax)
        found = np.array(ax.get_window_extent().size) / figure.dpi
        if inside and (found >= least)[side]:
            return True
        ax.set_anchor(anchor)
        return False

    def _taken_back(self, legend: Any) -> bool:
        if legend.axes is not None:
            legend.remove()
        fit_again(self.ax)
        return False


def _seen(handle: Any) -> bool:
    return bool(getattr(handle, "get_visible", lambda: True)())


def _inches(artist: Any) -> Any:
    """Return width and height in inches."""
    return np.array(artist.get_window_extent().size) / artist.figure.dpi


def _folded(names: Names, letters: int, lines: int) -> Names:
    """Return names in lines of limited length; values, after a colon or in brackets, are never cut."""
    heads, values = [], []
    for _, name in names:
        head, mark, value = name.rpartition(" (") if name.endswith(")") else (name, "", "")
        head, colon, more = (head or value).replace("\n", " ").partition(": ")
        heads.append(head + colon.strip())
        values.append([more, value[:-1] if mark else ""])
    firsts = apart(heads, letters, lines)
    return [
        (handle, name if len(name) <= letters else "\n".join(filter(None, [first, *stated])))
        for (handle, name), first, stated in zip(names, firsts, values, strict=True)
    ]


def _bare(names: Names) -> Names:
    """Return names without what they have in brackets, if none of that is a number."""
    parts = [name.partition(" (")[::2] for _, name in names]
    whole = any(character.isdigit() for _, more in parts for character in more)
    return names if whole else [(h, head) for (h, _), (head, _) in zip(names, parts, strict=True)]


def _end(ax: Any, handle: Any) -> float:
    """Return the height, as a share of the axes, at which a line reaches their right edge; or nan."""
    points = np.empty((0, 2))
    if getattr(handle, "axes", None) == ax and hasattr(handle, "get_xydata"):
        shown = ax.transAxes.inverted().transform(
            handle.get_transform().transform(handle.get_xydata())
        )
        points = shown[np.isfinite(shown).all(axis=1)]
    if not len(points) or points[:, 0].max() < _AT_END:
        return np.nan
    height = float(points[np.argmax(points[:, 0]), 1])
    return height if 0 <= height <= 1 else np.nan


_AT_END = 0.9  # of the width of the axes, which a line with a name at its end reaches


def _free(ax: Any, legend: Any, room: Any) -> bool:
    """Return whether no curve and no bar of the axes runs through its legend."""
    from matplotlib.cbook import STEP_LOOKUP_MAP
    from matplotlib.path import Path
    from matplotlib.transforms import Bbox

    box, gap = legend.get_window_extent(), _CLEAR * ax.bbox.width
    wide, high = np.array(ax.bbox.size) / ax.figure.dpi / room - 1
    x, y = box.width * wide, box.height * high  # by which it is larger in smaller axes
    left, low = box.x0 - ax.bbox.x0 > ax.bbox.x1 - box.x1, box.y0 - ax.bbox.y0 > ax.bbox.y1 - box.y1
    box = Bbox.from_extents(
        box.x0 - gap - x * left, box.y0 - gap - y * low,
        box.x1 + gap + x * (not left), box.y1 + gap + y * (not low),
    )  # fmt: skip
    if any(
        box.overlaps(text.get_window_extent())
        for text in ax.texts
        if text.get_visible() and text.get_clip_on()
    ):
        return False
    for patch in ax.patches:
        path = patch.get_transform().transform_path(patch.get_path())
        if patch.get_gid() != _GROUND and path.intersects_bbox(box, filled=True):
            return False
    for line in ax.get_lines():
        if line.get_gid() == _GROUND or not line.get_visible() or not len(line.get_xydata()):
            continue
        steps = STEP_LOOKUP_MAP[line.get_drawstyle()](*line.get_xydata().T)
        points = line.get_transform().transform(np.transpose(steps))
        inside = (points > box.min) & (points < box.max)
        if inside.all(axis=1).any() or Path(points).intersects_bbox(box, filled=False):
            return False
    return True
