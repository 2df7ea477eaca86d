"""The report of an evaluation, of all rows or by groups."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .._faces import Reportable
from .._options import RealRange
from .._text.html import whole as table
from .._text.lines import Line, metric_line
from .._text.numbers import counted, significant, value, with_interval
from .._text.reported import DIRECTION, display_name, with_parameters
from ..evaluation._groups import GroupedEvaluation
from ..evaluation._result import Evaluation
from ..inference import Interval
from ..metrics._kinds.base import PRED, SCORE
from ._sheet import Sheet, facts_of, methods, of_hundred, write_sheet
from ._verdict import READ, verdict_of_result

_TITLE = "Evaluation"
_DATA = "predictions given to evaluate"
_NO_CONTROL = "Scores of rows are not kept: skaucx.report has the slider of the threshold."


def refuse_rows(given: Mapping[str, Any]) -> None:
    """Raise an error for arguments about rows where a result is given."""
    for name in (name for name, each in given.items() if each is not None):
        raise ValueError(f"{name} is about rows, and a result was given; leave one of them out.")


def write_result(
    path: Any, result: Any, *, threshold: float | None, title: str | None, **of_rows: Any
) -> Path:
    """Write the page of a result: of an evaluation, or what it shows, or the one that it writes."""
    if isinstance(result, Reportable):
        refuse_rows(of_rows)
        if isinstance(result, Evaluation | GroupedEvaluation):
            return write_sheet(path, sheet_of(result, threshold, title or _TITLE))
        return write_sheet(path, _printed(result, threshold, title))
    refuse_rows({"threshold": threshold})
    given = {name: each for name, each in {**of_rows, "title": title}.items() if each is not None}
    written: Path = result.report(path, **given)
    return written


def _printed(result: Any, threshold: Any, title: str | None) -> Sheet:
    """Return the page of a result that a notebook shows."""
    if threshold is not None:
        raise ValueError(f"threshold={threshold!r} is about predictions; leave it out.")
    named = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(result).__name__).capitalize()
    return Sheet(
        title or named,
        {},
        "",
        [],
        shown=result,
    )


def sheet_of(
    evaluation: Evaluation | GroupedEvaluation,
    threshold: float | None = None,
    title: str = _TITLE,
) -> Sheet:
    """Return the page of an evaluation."""
    by = evaluation if isinstance(evaluation, GroupedEvaluation) else None
    whole = evaluation.overall if isinstance(evaluation, GroupedEvaluation) else evaluation
    first = next(iter(evaluation.values())) if whole is None else whole
    positive = first.positive or (None, None)
    groups = {"Groups": _sizes(by)} if by is not None else {}
    if threshold is not None:
        if not any(row.kind.inputs.argument == PRED for row in first.rows.values()):
            raise ValueError(
                f"threshold={threshold!r} is about predicted labels, of which the evaluation has no "
                "metric; leave it out, or evaluate y_pred too."
            )
        cut = RealRange(-np.inf, np.inf).check("threshold", threshold)
        groups |= {"Threshold": f"{significant(cut)}, as given"}
    n = sum(by.sizes.values()) if by is not None else first.n_rows
    # Of metrics that have intervals and answer one of its questions.
    answers = first.intervals and (by is not None or set(READ) & set(first))
    return Sheet(
        title,
        facts_of(n, positive[0], None if whole is None else positive[1], _DATA, groups),
        _answer(whole, by),
        _lines(first, whole, by),
        _about(first, by),
        folded=[
            ("Metrics", _meanings(first)),
        ],
        methods=methods(first.intervals),
        notes=_cautions(first),
        verdict=verdict_of_result(evaluation) if answers else None,
    )


def _answer(whole: Evaluation | None, by: GroupedEvaluation | None) -> str:
    """Return in a sentence how good it is; of groups, which are furthest apart."""
    text = [] if whole is None else [_of_all(whole)]
    if by is not None:
        gaps = by.difference()
        name = next((n for n in gaps if np.ndim(gaps[n].estimate) == 0), None)
        if name is not None:
            words = _gap(by, name, gaps[name])
            words = f"{display_name(name)} of {words}" if name in by.extremes() else words
            text.append(f"Groups furthest apart: {words}.")
    return " ".join(filter(None, text))


def _of_all(whole: Evaluation) -> str:
    found = whole.intervals
    if whole.positive is not None and {"recall", "specificity"} <= found.keys():
        recall = of_hundred(found["recall"], whole.positive[0])
        return (
            f"The predictions find {recall} and clear {of_hundred(found['specificity'], 'other')}."
        )
    name = next((n for n in whole if np.ndim(whole[n]) == 0), None)
    if name is None:
        return ""
    numbers = _numbers(whole, name)[0][1]
    line = metric_line(name, numbers)
    return f"{line.name[:1].upper()}{line.name[1:]} is {line.text}."


def _gap(by: GroupedEvaluation, name: str, gap: Interval) -> str:
    """Return the groups that are furthest apart, and their difference with its interval."""
    if name not in by.extremes():
        return f"none, {gap.note}" if gap.note else "none"
    high, low = by.extremes()[name]
    pair = by.pair(high, low)[name]
    return (
        f"{_group(by, high)} {value(by[high][name])} \u2212 {_group(by, low)} "
        f"{value(by[low][name])} = {with_interval(pair.estimate, *pair)}"
        f"{', no difference shown' if 0 in pair else ''}"
    )


def _group(by: GroupedEvaluation, group: Any) -> str:
    return str(group) if len(by.names) == 1 else ", ".join(map(str, group))


def _lines(first: Evaluation, whole: Evaluation | None, by: GroupedEvaluation | None) -> list[Line]:
    """Return a line a metric; below it those of its classes or groups, and the gap."""
    lines: list[Line] = []
    for name, row in first.rows.items():
        if whole is None:
            lines.append(Line(display_name(name), None, row.bounds))
        else:
            lines += _values(whole, name, row)
        if by is None:
            continue
        for group, own in by.items():
            [(_, numbers), *more] = _numbers(own, name)
            if more:  # several classes in a group: to_frame() has them
                continue
            n = _n(own, by.sizes[group])
            lines.append(metric_line(name, numbers, row, _group(by, group), n=n, depth=1))
        gap = by.difference()[name]
        if np.ndim(gap.estimate) == 0:
            lines.append(Line("groups furthest apart", None, depth=1, words=_gap(by, name, gap)))
    return lines


def _values(whole: Evaluation, name: str, row: Any) -> list[Line]:
    found = _numbers(whole, name)
    if len(found) == 1:
        n = _n(whole, whole.n_rows)
        return [metric_line(name, found[0][1], row, share=whole.share, n=n)]
    inner = [metric_line(name, numbers, row, str(label), depth=1) for label, numbers in found]
    return [Line(display_name(name), None, row.bounds), *inner]


def _n(own: Evaluation, rows: int | None) -> str:
    if rows is None:
        return ""
    if own.positive is None:
        return counted(rows)
    return f"{counted(rows)} ({counted(own.positive[1])})"


def _numbers(own: Evaluation, name: str) -> list[tuple[Any, tuple[float, float, float]]]:
    """Return the classes of a metric with value and ends; the ends are nan where there are none."""
    return [
        (label, (cells["value"], cells.get("low", np.nan), cells.get("high", np.nan)))
        for label, cells in own.cells(name)
    ]


def _about(first: Evaluation, by: GroupedEvaluation | None) -> str:
    text = []
    if first.positive is not None:
        text.append("n: rows (of the positive class).")
        if any(row.kind.inputs.argument == SCORE for row in first.rows.values()):
            text.append(_NO_CONTROL)
    for one in list(first.intervals.values())[:1]:
        text.append(f"In brackets: {100 * one.confidence_level:g} % intervals.")
        if by is not None:
            text.append("Those of differences hold for all pairs of groups at once.")
            small = [_group(by, g) for g in by if any(g in own for own in by.too_small.values())]
            if small:
                text.append(f"Too small to compare by some metric: {', '.join(small)}.")
    text += map(with_parameters, _parameters(first))
    return " ".join(text)


def _cautions(first: Evaluation) -> list[str]:
    """Return the other lines of the note, unless they name the positive class, which is a fact."""
    lines = first.note.splitlines() if first.positive is None else []
    return [each for each in lines if each not in _parameters(first)]


def _parameters(first: Evaluation) -> list[str]:
    """Return the line of the note that states parameters of metrics, if there is one."""
    return [each for each in first.note.splitlines() if each.startswith("Parameters: ")]


def _sizes(by: GroupedEvaluation) -> str:
    rows = ", ".join(f"{_group(by, group)} {size:,}" for group, size in list(by.sizes.items())[:6])
    return f"{len(by)}: {rows}{' ...' if len(by) > 6 else ''}"


def _meanings(first: Evaluation) -> str:
    """Return what each metric is, and which way is better."""
    rows = [
        [display_name(name), DIRECTION[row.greater_is_better], row.summary]
        for name, row in first.rows.items()
    ]  # fmt: skip
    return table("", ["metric", "better", "what it is"], rows)
