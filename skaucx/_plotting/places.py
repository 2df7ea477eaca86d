"""Short labels of points, each put where it covers no other and not the legend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .fitting import SMALLEST, at_draw, scale_down, shortened, shrink

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
