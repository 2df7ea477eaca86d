"""States of rows that come in chunks, for metrics that are asked of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._states.totals import Squares, SumOf, Total
from .._streams.scores import Plan
from .._streams.sources import source_of
from .._streams.tally import COSTS, PRED, SCORE, TRUE, WEIGHT, Settings, tallied
from .._streams.tally import NUMBERS as OF_NUMBERS
from .._streams.tally import REJECTED as MASK
from .kinds import COSTED, LABELS, NUMBERS, PROBABILITIES, REJECTED, SCORES
from .row import Metric

# What a tally calls the counts of each prediction.
ARRAYS = {LABELS: PRED, SCORES: SCORE, COSTED: COSTS, REJECTED: MASK, NUMBERS: OF_NUMBERS}


def array_of(row: Metric) -> str:
    """Return what a tally calls the counts that a metric reads; refuse one that reads none."""
    name = ARRAYS.get(row.kind.judged)
    if name is None:
        raise ValueError(
            f"{row.name} judges {row.kind.judged.name}, which are not counted in chunks; pass all "
            "rows at once."
        )
    return name


def squares_for(row: Metric, options: Mapping[str, Any]) -> SumOf | None:
    """Return the sum of squares that gives the interval of a mean of losses; None for other metrics."""
    losses = row.losses
    mean = losses is not None and row.totals_of(options) == (SumOf(losses),)
    return SumOf(Squares(losses)) if losses is not None and mean else None


def plan_for(
    metrics: Iterable[Metric],
    options: Mapping[str, Any],
    max_cells: int | None = None,
    *,
    squares: bool = False,
) -> Plan:
    """Return what to keep of scores for the metrics to be read, and with `squares` for intervals."""
    rows = [row for row in metrics if row.kind.judged is SCORES]
    totals = [(row, row.totals_of(options)) for row in rows]
    if squares:
        more = [(row, squares_for(row, options)) for row in rows]
        totals += [(row, (total,)) for row, total in more if total is not None]
    plain = options.get("rescale") is None
    own = [(row.kind is PROBABILITIES, total) for row, held in totals for total in held or ()]
    kept = {} if max_cells is None else {"max_cells": max_cells}
    return Plan(
        ranked=any(not held or row.bounded for row, held in totals),
        of_probabilities=tuple(dict.fromkeys(total for proba, total in own if proba)),
        of_columns=tuple(dict.fromkeys(total for proba, total in own if not proba)),
        pairs=options.get("multi_class") == "ovo",
        strict=True,
        unit=next((row.name for row in rows if row.kind.scale == "unit"), "") if plain else "",
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
    """Count two arrays that come in chunks, and those beside them."""
    name = array_of(row)
    second_name = SCORE if name == SCORE else PRED
    names = dict(zip((TRUE, second_name), row.inputs, strict=True))
    settings = Settings(
        plan,
        None if labels is None else tuple(labels),
        names,
        kinds=(name,),
        numbers=numbers_of([row], {}) if name == OF_NUMBERS else (),
    )
    arrays = {TRUE: first, second_name: second, WEIGHT: sample_weight, **beside}
    return tallied(source_of(arrays, names), settings).counts[name]


def numbers_of(metrics: Iterable[Metric], options: Mapping[str, Any]) -> tuple[Total, ...]:
    """Return what to keep of numbers for the metrics to be read."""
    found: dict[Total, None] = {}
    for row in metrics:
        if row.kind.judged is NUMBERS:
            totals = row.totals_of(options)
            if totals is None:
                raise ValueError(
                    f"{row.name} is not declared as a mean of losses, and of numbers in chunks only "
                    "sums are kept; declare it with losses=, or pass all rows at once."
                )
            found |= dict.fromkeys(totals)
    return tuple(found)
