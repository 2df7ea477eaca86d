"""Legends: inside the caller's axes, next to new ones, of limited length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .axes import SMALLEST, at_draw, inches, scale_down, shortened, shrink, widen

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
    at_draw(ax, _place, ax)
    return labels


def _place(ax: Any, renderer: Any) -> None:
    """Place every label of the axes, the earlier ones first, clear of the points themselves."""
    legend, inside = ax.get_legend(), ax.get_window_extent(renderer)
    labels = [text for text in ax.texts if text.get_gid() == "label" and hasattr(text, "xy")]
    taken = [_mark(ax, label.xy) for label in labels]
    taken += [] if legend is None else [legend.get_window_extent(renderer)]
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
    at_draw(ax, _keep, ax, text, text.get_text(), text.get_fontsize(), text.get_position(), height)


def _keep(
    ax: Any,
    text: Any,
    full: str,
    size: float,
    at: tuple[float, float],
    height: float,
    renderer: Any,
) -> None:
    box = ax.get_window_extent(renderer)
    text.set_position(at)
    scale_down(text, size, height * box.height, renderer, "height")
    shrink(text, full, text.get_fontsize(), 0.98 * box.width, renderer)
    found = text.get_window_extent(renderer)
    move = max(box.x0 + 2 - found.x0, 0) + min(box.x1 - 2 - found.x1, 0)
    if move:
        x, y = text.get_transform().transform(at)
        text.set_position(text.get_transform().inverted().transform((x + move, y)))


def fit_rows(ax: Any, texts: Sequence[Any]) -> None:
    """Have texts, in rows of one unit of the y-axis, shrink equally until all fit into row and frame."""
    full = [(text, text.get_text(), text.get_fontsize()) for text in texts]
    for text in texts:
        text.set_in_layout(False)
    at_draw(ax, _fit_rows, ax, full)


def _fit_rows(ax: Any, texts: list[tuple[Any, str, float]], renderer: Any) -> None:
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
_SHARES = 0.94, 0.6  # of width and height of the caller's axes, which a legend may take


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
    if not ax.get_legend_handles_labels()[1]:
        return None
    stays = ax.get_legend() is not None and ax.get_legend().get_gid() == _BESIDE
    if stays or (own and beside):
        return _beside(ax, own, title, options)
    size = {} if own else {"fontsize": "small", "title_fontsize": "small"}
    legend = ax.legend(loc=loc, title=title, **(size | {"framealpha": 0.85} | options))
    legend.set_in_layout(False)  # it is fitted to the axes, not they to it
    _watch(ax, legend, shares or ((0.97, 0.8) if own else _SHARES))
    return legend


def share_of_rows(ax: Any, rows: float) -> float:
    """Return the share of the height of the axes that the rows of a legend take, half at most."""
    letter = ax.xaxis.label.get_fontsize() / 72
    return float(min(_LINE * letter * (rows + 0.5) / inches(ax, 1), 0.5))


def _beside(ax: Any, own: bool, title: str | None, options: Any) -> Any:
    """Put the legend to the right, and widen a figure that was made for these axes by its width."""
    legend = ax.legend(
        loc="upper left", bbox_to_anchor=(1.02, 1), borderaxespad=0, title=title, **options
    )
    legend.set_gid(_BESIDE)
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


def _watch(ax: Any, legend: Any, shares: tuple[float, float]) -> None:
    """Have the legend brought to its room when it is drawn."""
    full = [text.get_text() for text in legend.get_texts()]
    sizes = [text.get_fontsize() for text in legend.get_texts()]
    heading = legend.get_title().get_text(), legend.get_title().get_fontsize()
    at_draw(ax, _fit, ax, legend, full, sizes, heading, shares)


def _fit(
    ax: Any,
    legend: Any,
    full: list[str],
    sizes: list[float],
    heading: tuple[str, float],
    shares: tuple[float, float],
    renderer: Any,
) -> None:
    """Shrink a legend, then omit its last entries, then truncate its names."""
    if legend is not ax.get_legend():
        return
    box = ax.get_window_extent(renderer)
    wide, high = shares[0] * box.width, shares[1] * box.height
    for scale in (1.0, 0.85, 0.7):
        _restore(legend, full, [max(scale * s, min(s, SMALLEST)) for s in sizes])
        legend.get_title().set(text=heading[0], fontsize=scale * heading[1])
        extent = legend.get_window_extent(renderer)
        if extent.width <= wide and extent.height <= high:
            return
    if extent.height > high:
        rows = len(full) + (1 if heading[0] else 0)
        _cap(legend, max(1, int(high / (extent.height / rows)) - (1 if heading[0] else 0)))
    _narrow(legend, wide, renderer)


def _restore(legend: Any, full: list[str], sizes: list[float]) -> None:
    """Show every entry as requested."""
    for row in _rows(legend):
        _show(row, True)
    for text, words, size in zip(legend.get_texts(), full, sizes, strict=True):
        text.set(text=words, fontsize=size)


def _cap(legend: Any, most: int) -> None:
    """Show the first entries; the last one gives the number of omitted ones."""
    rows, texts = _rows(legend), legend.get_texts()
    _, columns = legend.get_children()[0].get_children()
    if len(rows) <= most or len(columns.get_children()) > 1:
        return
    for row in rows[most:]:
        _show(row, False)
    texts[most - 1].set_text(f"and {len(rows) - most + 1} more")
    for part in rows[most - 1].get_children()[:1]:  # the sample of the line
        part.set_visible(False)


def _narrow(legend: Any, wide: float, renderer: Any) -> None:
    """Cut the names of a legend that is too wide."""
    texts = [text for text in [*legend.get_texts(), legend.get_title()] if text.get_visible()]
    _, entries = legend.get_children()[0].get_children()
    columns = max(len(entries.get_children()), 1)
    for _ in range(4):
        extent = legend.get_window_extent(renderer).width
        if extent <= wide:
            return
        longest = max(text.get_window_extent(renderer).width for text in texts)
        room = max(longest - (extent - wide) / columns, 0.1 * longest)
        for text in texts:
            found = text.get_window_extent(renderer).width
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
