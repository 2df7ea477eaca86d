"""States of rows that come in chunks, for metrics that are asked of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._streams.scores import Plan
from .._streams.sources import source_of
from .._streams.tally import PRED, SCORE, TRUE, WEIGHT, Settings, tallied
from .kinds import LABELS, PROBABILITIES, SCORES
from .row import Metric

# The array of a tally that each prediction is.
ARRAYS = {LABELS: PRED, SCORES: SCORE}


def array_of(row: Metric) -> str:
    """Return the array of a tally that a metric judges; refuse one that reads no such array."""
    name = ARRAYS.get(row.kind.judged)
    if name is None:
        raise ValueError(
            f"{row.name} judges {row.kind.judged.name}, which are not counted in chunks; pass all "
            "rows at once."
        )
    return name


def plan_for(
    metrics: Iterable[Metric], options: Mapping[str, Any], max_cells: int | None = None
) -> Plan:
    """Return what to keep of scores for the metrics to be read."""
    rows = [row for row in metrics if row.kind.judged is SCORES]
    totals = [(row, row.totals_of(options)) for row in rows]
    own = [(row.kind is PROBABILITIES, total) for row, held in totals for total in held or ()]
    kept = {} if max_cells is None else {"max_cells": max_cells}
    return Plan(
        ranked=any(not held or row.bounded for row, held in totals),
        of_probabilities=tuple(dict.fromkeys(total for proba, total in own if proba)),
        of_columns=tuple(dict.fromkeys(total for proba, total in own if not proba)),
        pairs=options.get("multi_class") == "ovo",
        **kept,
    )


def streamed_counts(
    row: Metric,
    first: Any,
    second: Any,
    plan: Plan,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    **beside: Any,
) -> Any:
    """Count two arrays that come in chunks."""
    array = array_of(row)
    names = dict(zip((TRUE, array), row.inputs, strict=True))
    settings = Settings(plan, None if labels is None else tuple(labels), names)
    source = source_of({TRUE: first, array: second, WEIGHT: sample_weight}, names)
    return tallied(source, settings).counts[array]
