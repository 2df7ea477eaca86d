"""Names of lines and points: next to the points, right of the axes or below them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .axes import (
    OUTSIDE,
    Entry,
    apart,
    at_draw,
    inches,
    laid_out,
    on_the_right,
    scale_down,
    typeset,
    words_of,
    write,
)

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


def state_rows(ax: Any, rows: Iterable[tuple[float, str]]) -> None:
    """Write right of the axes what belongs to rows; texts shrink until none runs into the next."""
    place = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
    look = {"va": "center", "fontsize": "small", "annotation_clip": False, "gid": OUTSIDE}
    texts = [ax.annotate(text, (1, row), xytext=(6, 0), **place, **look) for row, text in rows]
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
    box, (low, high) = ax.get_window_extent(renderer), ax.get_ylim()
    for text, _, size in texts:
        scale_down(text, size, box.height / abs(high - low), renderer, "height")
        found = text.get_window_extent(renderer)  # is fixed at its end or its middle
        room = found.width - max(box.x0 - found.x0, found.x1 - box.x1, 0)
        scale_down(text, text.get_fontsize(), room, renderer, "width")
    small = min((text.get_fontsize() for text, _, _ in texts), default=0.0)
    for text, _, _ in texts:
        text.set_fontsize(small)


_LETTERS = 33, 24, 14  # of a line of a name, and of one where room is short
# Of width and height what names leave the axes; a square keeps its size next to names on its right.
_LEFT, _OF_SQUARE = np.array([0.55, 0.6]), np.array([1, 0.71])
_GAP = 0.1  # inches, between axes and what is next to them
_MOST = 3  # columns of a legend
_NOTE = "(unnamed"

Names = list[tuple[Any, str]]  # artists and what they are called


def key(
    ax: Any,
    *,
    own: bool,
    title: str | None = None,
    of: Any = None,
    within: bool = False,
    **options: Any,
) -> None:
    """Name what is drawn: right of the axes, or else below them.

    No legend moves the limits of an axis, covers a curve or cuts a value. Where there is no room for
    all names those on top of the others, such as averages, are named, and the name of the x-axis
    counts the rest.

    Parameters
    ----------
    ax : matplotlib Axes
    own : bool
        Whether the figure is ours and has no other axes, so that it may grow.
    title : str, default=None
    of : matplotlib Axes, default=None
        Other axes, whose artists are named.
    within : bool, default=False
        Whether the axes are empty, and the names stand in them.
    **options
        Keywords of matplotlib's ``legend``.
    """
    from matplotlib import rcParams

    if ax.get_legend() is not None:
        ax.get_legend().remove()
    across = words_of(ax.xaxis.label).partition(_NOTE)[0].rstrip()
    pairs = zip(*(of or ax).get_legend_handles_labels(), strict=True)
    drawn = [(artist if hasattr(artist, "axes") else artist[0], name) for artist, name in pairs]
    names = [(artist, name) for artist, name in drawn if artist.get_visible()]
    if not own and rcParams["legend.fontsize"] == "medium":  # the caller has chosen no size
        options = {"fontsize": "small", "title_fontsize": "small"} | options
    if not names:
        return
    if ax.get_box_aspect() is not None and ax.get_anchor() in ("C", "W", "N"):
        ax.set_anchor("W")  # the room that a square leaves is where the names are
    room, label = (inches(ax) if own else laid_out(ax)), ax.xaxis.label
    # Before an axis is room, too.
    along = room[0] + (4 if len(ax.figure.axes) > 1 else 2) * _GAP
    high = _inches(label)[1]
    write(ax, label, across, along)
    room[1] += high - _inches(label)[1]
    forms = [_folded(names, letters) for letters in _LETTERS]
    look = {"title": title, "handlelength": 1.7} | options
    if within:
        look |= {"loc": "upper left", "bbox_to_anchor": (0, 1), "bbox_transform": ax.transAxes}
    forms = forms[:1] if own else [*forms, _folded(_bare(names), _LETTERS[-1])]
    forms = [form for k, form in enumerate(forms) if form not in forms[:k]]
    # A legend is measured for each form only until one holds all names.
    places: Iterable[_Place] = (_Place.of(ax, form, look, room, own, within) for form in forms)
    place = next((place for place in places if place.many >= len(names)), None)
    if place is None:
        room = room - [0, 1.15 * ax.xaxis.label.get_fontsize() / 72]  # for the count of the others
        places = [_Place.of(ax, form, look, room, own, within) for form in forms]
        place = max(places, key=lambda place: place.many)
        if place.many < len(names):
            left_out = f"{_NOTE}:\u00a0{len(names) - place.many})"
            write(ax, label, f"{across}\n{left_out}".lstrip(), along)
    down = place.fill(ax, look, own) if place.many else 0.0
    _fit_names(ax, room - [0, down])


def _fit_names(ax: Any, left: Any) -> None:
    """Break the name of the y-axis for the height that is left; flush long names with their axes."""
    write(ax, ax.yaxis.label, ax.get_ylabel().replace("\n", " "), left[1] + 4 * _GAP)
    if ax.get_anchor() == "W":  # a square at the left of its room
        ax.xaxis.label.set(x=0, ha="left")
    for side, label in enumerate((ax.xaxis.label, ax.yaxis.label)):
        if label.get_ha() != "left" and _inches(label)[side] > 0.9 * left[side]:
            # A layout sees no length of names; before an axis there is more room than after it.
            label.set(ha="right", ma="center", **{"xy"[side]: 1})


class _Place(NamedTuple):
    """The place of a legend, right of the axes (0) or below them (1), and how many names it holds."""

    names: Names
    side: int
    columns: int
    many: int

    @classmethod
    def of(
        cls, ax: Any, names: Names, look: dict[str, Any], room: Any, own: bool, within: bool
    ) -> _Place:
        """Return the first of both places that holds all names, or else the one that holds more."""
        legend = _legend(ax, _on_top(names), look, loc="upper left")  # not yet where it is best
        texts, whole = np.array([_inches(text) for text in legend.get_texts()]), _inches(legend)
        widths = np.maximum.accumulate(texts[:, 0]) + whole[0] - texts[:, 0].max()
        high = whole[1] / len(names)
        legend.remove()
        if own:
            return cls(names, 0, -(-len(names) // int(room[1] / high)), len(names))
        high += np.ptp(texts[:, 1]) / 2  # of those that are kept several lines may be higher
        free = room if within else _free(ax, room)
        across, down = np.array([[free[0] - _GAP, room[0] + _GAP], [room[1], free[1]]]) - _GAP
        columns = (across[:, None] / widths).astype(int).clip(0, _MOST)
        held = columns * (down / high).astype(int)[:, None] > np.arange(len(names))
        many = [int(np.flatnonzero([True, *each])[-1]) for each in held]
        side = int(np.argmax(many))
        rows = max(int(down[0] / high), 1)
        taken = -(-many[0] // rows), columns[1][max(many[1] - 1, 0)]
        return cls(names, side, int(taken[side]), many[side])

    def fill(self, ax: Any, look: dict[str, Any], own: bool) -> float:
        """Write the names there, those on top before others; return the height they take."""
        from matplotlib.transforms import ScaledTranslation

        kept = _on_top(self.names)[: self.many]
        side, figure, names = self.side, ax.figure, [each for each in self.names if each in kept]
        if side:
            offset = 0, (ax.get_tightbbox().y0 - ax.bbox.y0) / figure.dpi - _GAP / 2
        else:
            offset = on_the_right(ax) / figure.dpi + _GAP, 0
        legend = _legend(
            ax, names, look | {"ncols": self.columns}, borderaxespad=0, frameon=False,
            loc="upper center" if side else "upper left", bbox_to_anchor=(0.5, 0) if side else (1, 1),
            bbox_transform=ax.transAxes + ScaledTranslation(*offset, figure.dpi_scale_trans),
        )  # fmt: skip
        taken = _inches(legend)
        if not own and ax.get_box_aspect() is not None and ax.get_anchor() in ("W", "N"):
            ax.set_anchor("WN"[side])
            ax.xaxis.label.set(x=0.5 * side, ha=("left", "center")[side])
        return float(taken[1] * side)


def _free(ax: Any, room: Any) -> Any:
    """Return the room of names; a layout sees how high a square is, not how wide."""
    square = ax.get_box_aspect() is not None
    return room - (room.min() * _OF_SQUARE if square else room * _LEFT)


def _on_top(names: Names) -> Names:
    """Return names in the order in which they are kept where room is short."""
    return sorted(names, key=lambda each: -each[0].get_zorder())


def _legend(ax: Any, names: Names, look: dict[str, Any], **place: Any) -> Any:
    legend = ax.legend(*zip(*names, strict=True), **(place | look))
    for text in legend.get_texts():  # dollar signs, unless a TeX command is between them
        text.set_parse_math(typeset([text.get_text()]))
    return legend


def _inches(artist: Any) -> Any:
    """Return width and height in inches."""
    return np.array(artist.get_window_extent().size) / artist.figure.dpi


def _folded(names: Names, letters: int) -> Names:
    """Return names in lines of limited length; values, after a colon or in brackets, are never cut."""
    heads, values = [], []
    for _, name in names:
        head, mark, value = name.rpartition(" (") if name.endswith(")") else (name, "", "")
        head, colon, more = (head or value).replace("\n", " ").partition(": ")
        heads.append(head + colon.strip())
        stated = f"({value}" if more else value[:-1]
        values.append([more, stated if mark else ""])
    firsts = apart(heads, letters, 2)
    return [
        (handle, name if len(name) <= letters else "\n".join(filter(None, [first, *stated])))
        for (handle, name), first, stated in zip(names, firsts, values, strict=True)
    ]


def _bare(names: Names) -> Names:
    """Return names without what they have in brackets, unless that has a number."""
    parts = [(artist, name, *name.partition(" (")[::2]) for artist, name in names]
    return [
        (artist, name if any(map(str.isdigit, more)) else head)
        for artist, name, head, more in parts
    ]
