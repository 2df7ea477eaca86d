"""Pages of predictions and of evaluations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from .._text.numbers import counted
from .._text.reported import Reported, display_name
from .._text.tables import Table
from ..evaluation._groups import GroupedEvaluation
from ..evaluation._result import Evaluation
from ._control import control_of
from ._page import Page, facts_of, methods
from ._pictures import pictures_of
from ._predictions import RATIO, SLOPE, PagePredictions
from ._verdict import (
    NOTHING_SAID,
    Found,
    grouped,
    verdict_lines,
    verdict_of_evaluation,
)

_BRACKETS = "In brackets: {:g} % intervals."
_RATES = ("recall", "specificity", "precision", "npv")
_LEAST = 3  # classes that are named as found least
_NAMED = 6  # classes or groups that are named with their rows


def page_of_predictions(
    given: PagePredictions,
    title: str,
    *,
    metrics: Any = None,
    by: Any = None,
    confidence_level: float = 0.95,
    of: Found | None = None,
) -> Page:
    """Return the page of predictions of classes."""
    found = given.evaluate(_usual(given) if metrics is None else metrics, confidence_level)
    facts = {"Threshold": given.origin} if given.origin else {}
    n, sizes = given.weight(), {c: given.weight(given.y_true == c) for c in given.classes}
    tables = [
        Table.of_lines(
            "Metric", lines_of(found, counted(n)), [_BRACKETS.format(100 * confidence_level)]
        )
    ]
    answer = _answer(found, "" if np.isnan(given.threshold) else given.origin)
    if given.positive is None:
        facts["Classes"] = _sizes(sizes)
        if given.y_pred is not None:
            each = given.evaluate(["recall"], confidence_level, average=None, labels=given.classes)
            recall = [
                replace(line, about=str(label), n=counted(sizes[label]))
                for label, line in zip(given.classes, lines_of(each, ""), strict=True)
            ]
            recall.sort(key=lambda line: np.nan_to_num(line.estimate, nan=np.inf))
            worst = ", ".join(f"{line.about} {line.text}" for line in recall[:_LEAST])
            answer = f"Worst classes by recall: {worst}."
            tables.append(Table.of_lines("Recall of each class", recall))
    groups = grouped(given, by, confidence_level)
    tables += [table for own in groups for table in tables_of_groups(own)]
    return Page(
        title,
        facts_of(n, given.positive, sizes.get(given.positive), **facts),
        verdict_lines(given, groups, confidence_level, of),
        answer,
        tables=tables,
        pictures=pictures_of(given),
        control=control_of(given),
        methods=methods(found.intervals),
    )


def _usual(given: PagePredictions) -> list[str]:
    """Return the metrics of a page of which none are requested."""
    names: list[str] = []
    if given.score is not None:
        names += ["roc_auc"] if given.positive is None else ["roc_auc", "average_precision"]
    if given.y_pred is not None:
        names += ["accuracy", "balanced_accuracy"] if given.positive is None else _RATES
        names.append("matthews_corrcoef")
    if given.two and given.probabilities:
        names += [RATIO, SLOPE]
    return names


def _answer(found: Evaluation, threshold: str = "") -> str:
    """Return in a sentence how good it is: recall and specificity, or the first metric."""
    lines = {name: found.line(name, found.cells(name)[0][1]) for name in found}
    rates = [lines[name] for name in ("recall", "specificity") if name in lines]
    read = rates if len(rates) == 2 else [*lines.values()][:1]
    text = ", ".join(f"{line.name} {line.text}" for line in read)
    at = f"At the threshold {threshold}: " if len(rates) == 2 and threshold else ""
    return f"{at}{text if at else text[:1].upper() + text[1:]}."


def lines_of(found: Evaluation, n: str) -> list[Reported]:
    """Return a line a metric of some rows, or one a class of it."""
    return [
        found.line(name, own, about="" if label == "" else f"{display_name(name)} of {label}", n=n)
        for name in found
        for label, own in found.cells(name)
    ]


def tables_of_groups(found: GroupedEvaluation) -> list[Table]:
    """Return a table a metric of one value, a row a group, with a mark at the value of all rows."""
    tables = []
    for name, overall in found.overall.items():
        lines = [
            own.line(
                name, own.cells(name)[0][1], reference=overall, n=counted(found.sizes[group]),
                about=str(group) if len(found.names) == 1 else ", ".join(map(str, group)),
            )
            for group, own in found.items()
            if np.size(own[name]) == 1 and np.isfinite(own[name])
        ]  # fmt: skip
        lines.sort(key=lambda line: -line.estimate if line.better is False else line.estimate)
        tables.append(Table.of_lines(f"{display_name(name)} by {', '.join(found.names)}", lines))
    return tables


def page_of_evaluation(found: Evaluation | GroupedEvaluation, title: str) -> Page:
    """Return the page of an evaluation, of all rows or by groups."""
    whole = found.overall if isinstance(found, GroupedEvaluation) else found
    n = "" if whole.n_rows is None else counted(whole.n_rows)
    levels = {100 * one.confidence_level for one in whole.intervals.values()}
    tables = [Table.of_lines("Metric", lines_of(whole, n), [*map(_BRACKETS.format, levels)])]
    facts, folded = {}, {}
    if isinstance(found, GroupedEvaluation):
        facts["Groups"] = _sizes(found.sizes)
        tables += tables_of_groups(found)
        folded["Groups by every metric"] = str(found)
    return Page(
        title,
        facts_of(whole.n_rows, *(whole.positive or (None, None)), **facts),
        verdict_of_evaluation(found) if whole.intervals else NOTHING_SAID,
        _answer(whole),
        tables=tables,
        folded=folded,
        methods=[*methods(whole.intervals), *whole.note.splitlines()],
    )


def _sizes(sizes: Mapping[Any, Any]) -> str:
    """Return classes or groups with their rows, of many their number."""
    if len(sizes) > _NAMED:
        return f"{len(sizes)}, of {counted(min(sizes.values()))} to {counted(max(sizes.values()))} rows"
    return ", ".join(f"{label} {counted(rows)}" for label, rows in sizes.items())
