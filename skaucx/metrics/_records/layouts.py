"""The order of the cells of a 2 x 2 table, and whether the table's own names say otherwise."""

from __future__ import annotations

from typing import Any

from ..._compat import warn

_OF_TRUTH = ("true", "truth", "actual", "reference", "observed", "condition", "gold", "label")
_OF_CALLS = ("pred", "test", "call", "response", "output")


def check_layout(layout: Any) -> list[str]:
    """Return the names of the four cells, row by row."""
    names = layout.split() if isinstance(layout, str) else []
    if sorted(names) != ["fn", "fp", "tn", "tp"]:
        raise ValueError(
            f"layout must name the cells tp, fp, fn and tn in the order of the table, found {layout!r}."
        )
    return names


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
