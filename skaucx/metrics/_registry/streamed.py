"""States of rows in chunks for requested metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._chunks.aggregation import Settings, aggregated
from .._chunks.sources import source_of
from ..kinds.base import TRUE, WEIGHT, Counting
from ..kinds.scores.chunks import CountingPlan
from ..kinds.totals import Total
from .row import Metric


def counting_of(row: Metric) -> Counting:
    """Return how chunks are counted for a metric; raise an error if its kind does not define it."""
    inputs = row.kind.inputs
    if inputs.counting is None:
        raise ValueError(
            f"{row.name} reads {inputs.name}, which are not counted in chunks; pass all rows at "
            f"once."
        )
    return inputs.counting


def streamed_counts(
    row: Metric,
    first: Any,
    second: Any,
    plan: CountingPlan,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    **further: Any,
) -> Any:
    """Count two arrays in chunks, with their further arrays."""
    counting, second_name = counting_of(row), row.kind.inputs.argument
    names = dict(zip((TRUE, second_name), row.inputs, strict=True))
    settings = Settings(
        plan,
        None if labels is None else tuple(labels),
        names,
        kinds=(counting.key,),
        numbers=totals_of([row], {}),
    )
    arrays = {TRUE: first, second_name: second, WEIGHT: sample_weight, **further}
    return aggregated(source_of(arrays, names), settings).counts[counting.key]


def totals_of(metrics: Iterable[Metric], options: Mapping[str, Any]) -> tuple[Total, ...]:
    """Return the sums to keep for metrics of kinds without other states."""
    found: dict[Total, None] = {}
    for row in metrics:
        if counting_of(row).totals_only:
            totals = row.totals_of(options)
            if totals is None:
                raise ValueError(
                    f"{row.name} is not declared as a mean of losses, and of "
                    f"{row.kind.inputs.name} in "
                    "chunks only sums are kept; declare it with losses=, or pass all rows at once."
                )
            found |= dict.fromkeys(totals)
    return tuple(found)
