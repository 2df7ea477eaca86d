"""Many metrics read from states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._records.inputs import refuse_no_predictions
from .._registry.declare import (
    METRICS,
    MetricFunction,
    check_complete,
    get_metric,
    missing_options,
    plain,
    share,
)
from .._registry.kind import Prediction
from .._registry.kinds import SCORES


def values_of(
    states: Mapping[Prediction, Any], metrics: Iterable[str] | None, parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the values of metrics by their names; of all that can be read where None are named."""
    if not states:
        raise refuse_no_predictions()
    chosen = chosen_metrics(states, metrics, parameters)
    if SCORES in states:
        states[SCORES].several = len(chosen) > 1
    values = {}
    for function, options in zip(
        chosen, share(parameters, [function.options for function in chosen]), strict=True
    ):
        row = function.metric
        judged = row.kind.judged
        if judged not in states:
            raise refuse_no_predictions(row.name, judged.argument)
        if judged is SCORES and options.get("average") == "binary":
            del options["average"]
        check_complete(function, options)
        values[row.name] = plain(row.value(states[judged], **options))
    return values


def chosen_metrics(
    judged: Iterable[Prediction], metrics: Iterable[str] | None, parameters: Mapping[str, Any]
) -> list[MetricFunction]:
    """Return the metrics that are named, or all of some predictions whose parameters are given."""
    if metrics is not None:
        return [get_metric(m) for m in metrics]
    known = set(judged)
    return [
        function
        for function in METRICS.values()
        if function.metric.kind.judged in known and not missing_options(function, parameters)
    ]
