"""Pictures: how lines look, and how axes, legends, labels and tables keep clear of each other."""

from __future__ import annotations

from .._text.reported import shown
from .axes import (
    fit_labels,
    key,
    name_columns,
    name_rows,
    name_table,
    typeset,
    unit_square,
    wrapped,
)
from .display import Display
from .style import (
    LIGHT,
    band_style,
    ink,
    line_styles,
    marker,
    muted,
    palette,
    styled,
    write_cells,
)

__all__ = [
    "LIGHT",
    "Display",
    "band_style",
    "fit_labels",
    "ink",
    "key",
    "line_styles",
    "marker",
    "muted",
    "name_columns",
    "name_rows",
    "name_table",
    "palette",
    "shown",
    "styled",
    "typeset",
    "unit_square",
    "wrapped",
    "write_cells",
]
