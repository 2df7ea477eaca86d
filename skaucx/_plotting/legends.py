"""Legends: inside the caller's axes, next to new ones, of limited length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .axes import (
    SMALLEST,
    Entry,
    at_draw,
    expected,
    fit_again,
    inches,
    scale_down,
    shortened,
    shrink,
    typeset,
    widen,
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


def keep_inside(ax: Any, text: Any, height: float) -> None:
    """Have a text shrink to a share of the height of the axes, and move until it is inside them."""
    at_draw(ax, [text], _keep, ax, text.get_position(), height)


def _keep(
    ax: Any, at: tuple[float, float], height: float, entries: list[Entry], renderer: Any
) -> None:
    box = ax.get_window_extent(renderer)
    for text, full, size in entries:
        text.set_position(at)
        scale_down(text, size, height * box.height, renderer, "height")
        shrink(text, full, text.get_fontsize(), 0.98 * box.width, renderer)
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


_BESIDE = "beside"  # gid of a legend to the right of axes in a figure of ours
_LETTERS = 46  # of a line of a legend next to the axes
_LINE = 1.6  # letters high: a row
_INSIDE, _LARGEST = (0.94, 0.8), (0.9, 0.6)  # of width and height of our axes, of the caller's
_BELOW = 0.35  # lengths of the height of the axes, which a legend below them may have
_HEAD = 0.65  # of the height, that a legend above the curves may take
_TALL = 1.0  # inches, which axes keep above such a legend
_GAP = 0.06  # inches, between the name of an axis and a legend below it
_COMPACT = {
    "handlelength": 1.0, "handletextpad": 0.4, "borderpad": 0.25, "borderaxespad": 0.3,
    "labelspacing": 0.3,
}  # fmt: skip
_WHOLE, _SMALLER = (0.97, 0.7), 0.8  # of the axes and of the letters, where room is short
_LEAST = 0.3  # of the letters in a strip of the axes that is kept for the legend
_CLEAR = 0.02  # lengths of the axes, from a legend to a curve


def key(
    ax: Any,
    *,
    own: bool,
    loc: str,
    beside: bool = False,
    title: str | None = None,
    shares: tuple[float, float] | None = None,
    **options: Any,
) -> Any:
    """Label the axes.

    Parameters
    ----------
    ax : matplotlib Axes
    own : bool
        Whether the figure is ours and has no other axes.
    loc : str
        Corner of a legend inside the axes.
    beside : bool, default=False
        Whether to put the legend of a figure of ours to the right of the axes, where no curve runs.
    title : str, default=None
    shares : (float, float), default=None
        Of width and height of the axes, which a legend inside them may take.
    **options
        Keywords of matplotlib's ``legend``.
    """
    handles, names = ax.get_legend_handles_labels()
    if not names:
        return None
    stays = ax.get_legend() is not None and ax.get_legend().get_gid() == _BESIDE
    if stays or (own and beside):
        return _beside(ax, own, title, options)
    from matplotlib import rcParams

    plain = own or rcParams["legend.fontsize"] != "medium"  # sizes that the caller has not chosen
    size = {} if plain else {"fontsize": "small", "title_fontsize": "small"}
    look = size | {"framealpha": 0.85} | options
    ax.apply_aspect()
    inside, entries = np.array(expected(ax)), list(zip(handles, names, strict=True))
    room = inside * (shares or (_INSIDE if own else _LARGEST))
    legend = _legend(ax, entries, loc=loc, title=title, **look)
    fits = (_size(legend) <= room).all()
    if own or shares is not None:
        _fit(legend, handles, room, 1.0 if shares is None else _LEAST)
    if shares is not None or ((own or fits) and _clear(ax, legend, inside)):
        return legend
    if own:
        return _beside(ax, own, title, options)
    small = legend.get_texts()[0].get_fontsize()
    return _compact(ax, entries, inside, loc, title, _COMPACT | look | {"title_fontsize": small})


def _compact(
    ax: Any,
    entries: Sequence[tuple[Any, str]],
    inside: Any,
    loc: str,
    title: str | None,
    look: dict[str, Any],
) -> Any:
    """Return a small legend in a free corner, below the axes, or above the curves."""
    entries = [(handle, _two_lines(handle, name)) for handle, name in entries]
    named = [entry for entry in entries if not _of_chance(entry[0])]
    shorter = [named or entries]
    if ax.get_box_aspect() is not None:  # where no room can be made, bands go without a name
        shorter += [[one for one in named if hasattr(one[0], "get_xydata")] or entries]
    for shown in (entries, *shorter):
        legend = _legend(ax, shown, loc=loc, title=title, **look)
        _fit(legend, [handle for handle, _ in shown], inside * _WHOLE, _SMALLER)
        if _clear(ax, legend, inside):
            return legend
    high = _size(legend)[1]
    laid_out = ax.figure.get_layout_engine() is not None
    if laid_out and high < _BELOW * inside[1] and inside[1] - high > _TALL:
        return _below(ax, title, look, inside)
    share = (high + 0.1) / inside[1]
    legend.set_loc("best")
    if share < _HEAD and ax.get_box_aspect() is None and ax.get_yscale() == "linear":
        low, top = ax.get_ylim()
        top = low + (top - low) / (1 - share)
        if ax.get_autoscaley_on():  # and stays so for curves that are added
            ax.update_datalim([(0, top)], updatex=False)
            ax.autoscale_view(scalex=False)
        else:
            ax.set_ylim(low, top)
        legend.set_loc("upper center")
    return legend


def _legend(ax: Any, entries: Sequence[tuple[Any, str]], **look: Any) -> Any:
    """Return a legend that is fitted to the axes, not they to it."""
    handles, names = zip(*entries, strict=True)
    legend = ax.legend(handles, names, **look)
    legend.set_in_layout(False)
    _plain(legend)
    return legend


def _plain(legend: Any) -> None:
    """Show dollar signs as they are, where no TeX command is between them."""
    for text in legend.get_texts():
        text.set_parse_math(typeset([text.get_text()]))


def _clear(ax: Any, legend: Any, inside: Any) -> bool:
    """Move a legend to a corner where no curve runs; return whether there is one."""
    if _free(ax, legend, inside):
        return True
    for other in ("best", *_CORNERS):
        legend.set_loc(other)
        if _free(ax, legend, inside):
            return True
    return False


def _size(legend: Any) -> Any:
    """Return width and height of a legend in inches."""
    return np.array(legend.get_window_extent().size) / legend.figure.dpi


def _of_chance(handle: Any) -> bool:
    """Return whether an entry is a line of chance; containers of bars have no mark of it."""
    return getattr(handle, "get_gid", str)() == "chance"


def _two_lines(handle: Any, name: str) -> str:
    """Return a name and below it its value; of a line of chance the name."""
    head, value, end = name.partition(" (")
    if not value or _of_chance(handle):
        return head
    return f"{head}\n{end.removesuffix(')')}"


_CORNERS = "upper left", "upper right", "lower right", "lower left"


def _free(ax: Any, legend: Any, room: Any) -> bool:
    """Return whether no curve of the axes runs through its legend."""
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
    for line in ax.get_lines():
        if line.get_gid() == "chance" or not line.get_visible() or not len(line.get_xydata()):
            continue
        steps = STEP_LOOKUP_MAP[line.get_drawstyle()](*line.get_xydata().T)
        points = line.get_transform().transform(np.transpose(steps))
        inside = (points > box.min) & (points < box.max)
        if inside.all(axis=1).any() or Path(points).intersects_bbox(box, filled=False):
            return False
    return True


def _below(ax: Any, title: str | None, look: dict[str, Any], room: Any) -> Any:
    """Put the legend below the name of the x-axis, where the layout of the figure makes room."""
    from matplotlib.transforms import ScaledTranslation

    dpi, scale = ax.figure.dpi, ax.figure.dpi_scale_trans
    down = (ax.get_window_extent().y0 - ax.get_tightbbox().y0) / dpi + _GAP
    place = {
        "loc": "upper center", "bbox_to_anchor": (0.5, 0), "borderaxespad": 0, "frameon": False,
        "bbox_transform": ax.transAxes + ScaledTranslation(0, -down, scale),
    }  # fmt: skip
    for columns in (3, 2, 1):
        legend = ax.legend(title=title, **(look | place | {"ncols": columns}))
        _plain(legend)
        if legend.get_window_extent().width <= room[0] * dpi:
            break
    _fit(legend, ax.get_legend_handles_labels()[0], room * (1.1, 0.9))
    fit_again(ax)
    return legend


def share_of_rows(ax: Any, rows: float) -> float:
    """Return the share of the height of the axes that the rows of a legend take, half at most."""
    letter = ax.xaxis.label.get_fontsize() / 72
    return float(min(_LINE * letter * (rows + 0.5) / expected(ax)[1], 0.5))


def _beside(ax: Any, own: bool, title: str | None, options: Any) -> Any:
    """Put the legend to the right, and widen a figure that was made for these axes by its width."""
    legend = ax.legend(
        loc="upper left", bbox_to_anchor=(1.02, 1), borderaxespad=0, title=title, **options
    )
    legend.set_gid(_BESIDE)
    _plain(legend)
    for text in legend.get_texts():
        lines = text.get_text().split("\n")
        most = max(map(len, lines))
        if most > _LETTERS:
            text.set_text(shortened(text.get_text(), _LETTERS / most))
    extent, dpi = legend.get_window_extent(), ax.figure.dpi
    entries = len(legend.get_texts()) + (title is not None)
    room = (inches(ax, 1) + 0.2) * dpi
    if extent.height > room:
        _cap(legend, max(1, int(room * entries / extent.height) - (title is not None)))
    if own:
        widen(ax.figure, legend.get_window_extent().width / dpi + 0.2)
    return legend


def _fit(legend: Any, handles: Sequence[Any], room: Any, least: float = 1.0) -> None:
    """Write a legend smaller, if needed to a share of its size, omit its last entries, cut names."""
    heading = 1 if legend.get_title().get_text() else 0
    for handle, text in zip(handles, legend.get_texts(), strict=True):
        if _size(legend)[0] > room[0] and _of_chance(handle):
            text.set_text(text.get_text().partition(" (")[0])
    texts = [*legend.get_texts(), legend.get_title()]
    sizes, share = [text.get_fontsize() for text in texts], 1.0
    while (fits := float((room / _size(legend)).min())) < 1 and share > least:
        share = max(0.98 * share * fits, least)
        for text, size in zip(texts, sizes, strict=True):
            text.set_fontsize(max(share * size, min(size, SMALLEST)))
    if (high := _size(legend)[1]) > room[1]:
        _cap(legend, int(room[1] / high * (len(handles) + heading)) - heading)
    _narrow(legend, room[0] * legend.figure.dpi)


def _cap(legend: Any, most: int) -> None:
    """Show the first entries; the last one gives the number of omitted ones."""
    rows, texts = _rows(legend), legend.get_texts()
    most = max(most, 2)  # one name, and how many are left out
    _, columns = legend.get_children()[0].get_children()
    if len(rows) <= most or len(columns.get_children()) > 1:
        return
    for row in rows[most:]:
        _show(row, False)
    texts[most - 1].set_text(f"and {len(rows) - most + 1} more")
    for part in rows[most - 1].get_children()[:1]:  # the sample of the line
        part.set_visible(False)


def _narrow(legend: Any, wide: float) -> None:
    """Cut the names of a legend that is too wide."""
    texts = [text for text in [*legend.get_texts(), legend.get_title()] if text.get_visible()]
    _, entries = legend.get_children()[0].get_children()
    columns = max(len(entries.get_children()), 1)
    for _ in range(4):
        extent = legend.get_window_extent().width
        if extent <= wide:
            return
        longest = max(text.get_window_extent().width for text in texts)
        room = max(longest - (extent - wide) / columns, 0.1 * longest)
        for text in texts:
            found = text.get_window_extent().width
            if found > room:
                text.set_text(shortened(text.get_text(), room / found))


def _rows(legend: Any) -> list[Any]:
    """Return the boxes of the entries, each a sample of the line and its name."""
    _, entries = legend.get_children()[0].get_children()
    return [row for column in entries.get_children() for row in column.get_children()]


def _show(row: Any, visible: bool) -> None:
    row.set_visible(visible)
    for part in row.get_children():
        part.set_visible(visible)
        for artist in part.get_children():
            artist.set_visible(visible)
