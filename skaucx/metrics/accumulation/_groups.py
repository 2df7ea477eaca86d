"""Groups of rows that were counted each by itself, compared."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

from .._evaluation.grouped import GroupedEvaluation, compared
from .._evaluation.reading import Reading
from .._evaluation.uncertain import certainty_of
from ._accumulator import MetricAccumulator


def evaluated_groups(
    groups: Mapping[Any, MetricAccumulator],
    name: str,
    parameters: Mapping[str, Any],
    *,
    intervals: bool,
    confidence_level: float,
    n_resamples: int,
    random_state: Any,
) -> GroupedEvaluation:
    """Return metrics of groups that were counted each by itself, as :func:`evaluate` compares them."""
    certainty = certainty_of(intervals, confidence_level, "two-sided", n_resamples, random_state)
    asked, first = Reading(None, parameters, certainty), next(iter(groups.values()))
    whole = reduce(MetricAccumulator.merge, groups.values(), first.emptied())
    sizes = {key: counts.n_samples for key, counts in groups.items()}
    return compared(
        lambda key, reading: groups[key].read_as(reading),
        sizes,
        whole.read_as(asked),
        (name,),
        asked,
    )
