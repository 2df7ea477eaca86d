"""The layout of a confusion table, and whether the table's own names say otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._arrays import Floats
from ..._compat import warn

_OF_TRUTH = ("true", "truth", "actual", "reference", "observed", "condition", "gold", "label")
_OF_CALLS = ("pred", "test", "call", "response", "output")


# Classes in rising order, the negatives first; how scikit-learn lays tables out, and the other way.
TRUE_ROWS, PREDICTED_ROWS = "true rows", "predicted rows"
_CELLS = {TRUE_ROWS: "tn fp fn tp", PREDICTED_ROWS: "tn fn fp tp"}


def check_layout(layout: Any) -> list[str]:
    """Return the names of the four cells of a 2 x 2 table, row by row."""
    cells = _CELLS.get(layout, layout) if isinstance(layout, str) else ""
    names = cells.split()
    sides = {*names[:2]}, {*names[::2]}  # a row and a column each hold one true or one called class
    apart = {"tp", "tn"} not in sides and {"fp", "fn"} not in sides
    if sorted(names) != ["fn", "fp", "tn", "tp"] or not apart:
        raise ValueError(
            "layout must be 'true rows', 'predicted rows', or name the cells tp, fp, fn and tn of a "
            f"2 x 2 table row by row, such as 'tp fp fn tn', found {layout!r}."
        )
    return names


def arranged(cells: Floats, layout: str | None, table: Any = None) -> Floats:
    """Return tables of shape (..., K, K) with true rows and, of two classes, the negatives first."""
    layout = TRUE_ROWS if layout is None else layout
    if cells.shape[-1] == 2:
        names = check_layout(layout)
        warn_of_contradiction(table, names)
        order = [names.index(name) for name in _CELLS[TRUE_ROWS].split()]
        return cells.reshape(*cells.shape[:-2], 4)[..., order].reshape(cells.shape)
    if layout not in _CELLS:
        raise ValueError(
            f"layout of a table of {cells.shape[-1]} classes must be 'true rows' or 'predicted rows', "
            f"found {layout!r}."
        )
    warn_of_contradiction(table, _CELLS[layout].split())
    return np.swapaxes(cells, -1, -2) if layout == PREDICTED_ROWS else cells


def warn_of_contradiction(table: Any, names: list[str]) -> None:
    """Warn where the axes and labels of a data frame say another layout than `names`."""
    if not hasattr(table, "columns") or not hasattr(table, "index"):
        return
    index, columns = table.index, table.columns
    rows_true = {*names[:2]} in ({"tn", "fp"}, {"tp", "fn"})
    told = _side(index.name), _side(columns.name)
    expected = ("true", "predicted") if rows_true else ("predicted", "true")
    for axis, side, wanted in zip(("rows", "columns"), told, expected, strict=True):
        if side not in (None, wanted):
            warn(
                f"The {axis} of the table are named as {side} classes, but layout={' '.join(names)!r} "
                f"takes them as {wanted} ones; give the layout of the table."
            )
            return
    positives_first = names[0] == "tp"
    for axis, labels in (("rows", index.tolist()), ("columns", columns.tolist())):
        if labels in ([0, 1], [1, 0]) and (labels == [1, 0]) != positives_first:
            warn(
                f"The {axis} of the table are in the order {labels}, but layout={' '.join(names)!r} "
                f"has the {'positives' if positives_first else 'negatives'} first; give the layout of "
                "the table."
            )
            return


def _side(name: Any) -> str | None:
    """Return whose classes an axis of this name holds, or None where it does not say."""
    words = str(name or "").lower()
    calls, truth = (any(w in words for w in of) for of in (_OF_CALLS, _OF_TRUTH))
    return None if calls == truth else "predicted" if calls else "true"
