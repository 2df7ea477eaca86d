"""Pictures: how lines look, and how axes, legends, labels and tables keep clear of each other."""

from __future__ import annotations

from .axes import (
    despined,
    entitle,
    fit_labels,
    inches,
    name_columns,
    name_rows,
    new_axes,
    shown,
    tabular,
    text_width,
    unit_square,
    widen,
    wrapped,
)
from .legends import key, share_of_rows
from .places import fit_rows, keep_inside, label_points
from .shaded_tables import write_cells
from .style import (
    BLUE,
    GREEN,
    LIGHT,
    ORANGE,
    band_style,
    ink,
    line_styles,
    marker,
    muted,
    palette,
    readable_on,
    styled,
)

__all__ = [
    "BLUE",
    "GREEN",
    "LIGHT",
    "ORANGE",
    "band_style",
    "despined",
    "entitle",
    "fit_labels",
    "fit_rows",
    "inches",
    "ink",
    "keep_inside",
    "key",
    "label_points",
    "line_styles",
    "marker",
    "muted",
    "name_columns",
    "name_rows",
    "new_axes",
    "palette",
    "readable_on",
    "share_of_rows",
    "shown",
    "styled",
    "tabular",
    "text_width",
    "unit_square",
    "widen",
    "wrapped",
    "write_cells",
]
