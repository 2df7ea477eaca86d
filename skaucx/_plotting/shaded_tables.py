"""Shaded tables: the text of a cell fits its size and contrasts with its colour."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .fitting import SMALLEST, at_draw
from .style import readable_on, styled


def write_cells(image: Any, words: Any, kwargs: Mapping[str, Any] | None = None) -> Any:
    """Write words into the cells of an image, black or white, by contrast with the colour of the cell.

    Where the cells are small the text shrinks, then only its first line is left, then that without
    the zero before a decimal point, then nothing.

    Parameters
    ----------
    image : matplotlib AxesImage
        A row and a column a cell.
    words : ndarray of shape (n_rows, n_columns) of str
    kwargs : dict, default=None
        Keywords of matplotlib's ``text``.

    Returns
    -------
    ndarray of shape (n_rows, n_columns) of matplotlib Text
    """
    ax = image.axes
    colours = image.cmap(image.norm(np.asarray(image.get_array())))
    texts = np.empty(words.shape, dtype=object)
    for (i, j), cell in np.ndenumerate(words):
        style = {"ha": "center", "va": "center", "color": readable_on(colours[i, j][:3])}
        texts[i, j] = ax.text(j, i, cell, clip_on=True, **styled(style, kwargs))
    if texts.size:
        at_draw(ax, _fit, ax, texts, words, texts.flat[0].get_fontsize())
    return texts


def _fit(ax: Any, texts: Any, words: Any, size: float, renderer: Any) -> None:
    box = ax.get_window_extent(renderer)
    rows, columns = texts.shape
    wide, high = 0.86 * box.width / columns, 0.94 * box.height / rows
    for form in (str, _first_line, _without_zero):
        told = np.vectorize(form, otypes=[object])(words)
        small = _fitting_size(texts, told, size, (wide, high), renderer)
        if small >= min(size, SMALLEST):
            break
    else:
        for text in texts.flat:
            text.set_visible(False)


def _first_line(words: str) -> str:
    return words.split("\n", 1)[0]


def _without_zero(words: str) -> str:
    return _first_line(words).replace("0.", ".", 1)


def _fitting_size(
    texts: Any, words: Any, size: float, room: tuple[float, float], renderer: Any
) -> float:
    """Write words as large as the fullest cell allows, and return that size."""
    wide = high = 1.0
    for text, cell in zip(texts.flat, words.flat, strict=True):
        text.set(text=cell, fontsize=size, visible=True)
    for text in texts.flat:
        box = text.get_window_extent(renderer)
        wide, high = max(wide, box.width), max(high, box.height)
    small = float(size * min(1.0, room[0] / wide, room[1] / high))
    for text in texts.flat:
        text.set_fontsize(small)
    return small
