"""The report of an evaluation, of all rows or by groups."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..._plotting import shown
from ..._text.numbers import value
from ..._text.tables import count
from .._evaluation.grouped import GroupedEvaluation
from .._evaluation.result import Evaluation
from ..displays import ForestDisplay
from ..estimation import Interval
from ._page import figure, figures, lead, origin, page, page_style

_MOST = 24  # intervals that a forest can be read with, on one page


def report_evaluation(
    path: str | PathLike[str],
    evaluation: Evaluation | GroupedEvaluation,
    *,
    title: str = "Evaluation",
) -> Path:
    """Write what `evaluate` found up as one HTML page, which needs no network.

    The page holds a headline, the forest of the intervals, if requested, and every value; for an
    evaluation by groups also the differences between them. It follows the light or dark setting of
    the reader, and prints.

    Parameters
    ----------
    path : str or path
        File to write, replaced if it exists.
    evaluation : Evaluation or GroupedEvaluation
        As :func:`evaluate` returns it; the first of its metrics is the headline.
    title : str, default="Evaluation"

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    ImportError
        If matplotlib is not installed.

    See Also
    --------
    report_predictions : The page of the predictions themselves, with their curves.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from skaucx.metrics import evaluate
    >>> from skaucx.metrics.pages import report_evaluation
    >>> names = ["recall", "specificity"]
    >>> found = evaluate([0, 0, 1, 1, 0, 1], [0, 0, 1, 1, 1, 1], metrics=names, intervals=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = report_evaluation(pathlib.Path(folder, "report.html"), found)
    ...     written.read_text().startswith("<!DOCTYPE html>")
    True
    """
    with page_style():
        text = page(
            title,
            [
                ("*", _headline(evaluation)),
                ("Intervals*", _forest(evaluation)),
                ("Metrics*", f'<div class="values">{evaluation._repr_html_()}</div>'),
                ("How it was made*", origin("")),
            ],
        )
    written = Path(path)
    written.write_text(text, encoding="utf-8")
    return written


def _headline(evaluation: Evaluation | GroupedEvaluation) -> str:
    """Return the first metric with a single value, and its interval."""
    whole = evaluation.overall if isinstance(evaluation, GroupedEvaluation) else evaluation
    if whole is None:  # groups that were counted apart
        return lead(count(len(evaluation), "group"), "", "", _sizes(evaluation))
    name = next((n for n in whole if np.ndim(_number(whole[n])) == 0), None)
    if name is None:
        return ""
    found = whole.intervals.get(name)
    ends = "" if found is None else f"[{value(found.low)}, {value(found.high)}]"
    words = [] if found is None else [_of_interval(found)]
    if isinstance(evaluation, GroupedEvaluation):
        gap = evaluation.difference()[name]
        words.append(f"{_sizes(evaluation)} Greatest difference between groups: {_gap(gap)}.")
    return lead(shown(name), value(_number(whole[name])), ends, " ".join(words))


def _number(found: Any) -> Any:
    """Return the point value of a metric of rows in chunks."""
    return getattr(found, "value", found)


def _of_interval(found: Interval) -> str:
    return f"In brackets the {100 * found.confidence_level:g} % interval for {found.target}."


def _sizes(evaluation: Any) -> str:
    rows = ", ".join(f"{group} {size:,}" for group, size in list(evaluation.sizes.items())[:10])
    more = "" if len(evaluation) <= 10 else " ..."
    return f"{sum(evaluation.sizes.values()):,} rows in {count(len(evaluation), 'group')}: {rows}{more}."


def _gap(gap: Interval) -> str:
    if gap.note:
        return f"none, {gap.note}"
    told = value(gap.estimate)
    return told if np.isnan(gap.low) else f"{told} [{value(gap.low)}, {value(gap.high)}]"


def _forest(evaluation: Evaluation | GroupedEvaluation) -> str:
    """Return the picture of the intervals of metrics with two ends."""
    parts: Mapping[str, Evaluation] = {"": evaluation}  # type: ignore[dict-item]
    if isinstance(evaluation, GroupedEvaluation):
        parts = evaluation.named()
    rows = evaluation.rows
    names = [n for n in rows if np.isfinite(rows[n].bounds).all()]
    names = names[: max(_MOST // len(parts), 4)]
    if not names or not all(part.intervals for part in parts.values()):
        return ""
    kept = {called: {n: part.intervals[n] for n in names} for called, part in parts.items()}
    forest = ForestDisplay(kept)
    lines = sum(np.size(found.estimate) for found in next(iter(kept.values())).values())
    more = len(rows) - len(names)
    told = "Estimates with their intervals" + (
        f"; {count(more, 'further metric')} below" if more else ""
    )
    size = (7.0, 0.9 + lines * (0.3 + 0.15 * (len(parts) - 1)))
    return figures([figure(told, forest.plot, size=size)])
