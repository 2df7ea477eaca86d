"""Many metrics read from states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..._text.tables import paragraph
from .._records.inputs import refuse_no_predictions
from .._registry.calls import plain
from .._registry.declare import (
    METRICS,
    MetricFunction,
    check_complete,
    get_metric,
    missing_options,
    share,
)
from .._registry.names import NamedMetric, labels_of, named_metrics
from .._registry.row import Metric
from ..kinds.base import Inputs

_AVERAGED = "Metrics of one class are plain averages over the classes (average='macro')."


class MetricValues(NamedTuple):
    """Values of states for the requested metrics, and with all their options."""

    values: dict[str, Any]
    rows: dict[str, Metric]
    classes: dict[str, Any]
    note: str
    asked: dict[str, NamedMetric]
    read: list[NamedMetric]


def read_metrics(
    states: Mapping[Inputs, Any], metrics: Any, parameters: Mapping[str, Any]
) -> MetricValues:
    """Read metrics by their names, or all that can be read; of many classes on average."""
    if not states and metrics is None:
        raise refuse_no_predictions()
    chosen = _readable(states, parameters) if metrics is None else named_metrics(metrics)
    for state in states.values():
        state.expect(len(chosen))
    asked = {named.key: named for named in chosen}
    found = MetricValues({}, {key: named.row for key, named in asked.items()}, {}, "", asked, [])
    averaged = False
    for named, own in zip(
        chosen, share(parameters, [named.function.options for named in chosen]), strict=True
    ):
        if named.row.kind.inputs not in states:
            raise refuse_no_predictions(named.row.name, named.row.kind.inputs.argument)
        state, given = states[named.row.kind.inputs], {**named.parameters, **own}
        options = _options(named, state, given)
        found.read.append(NamedMetric(named.key, named.function, options))
        averaged |= "average" in set(options) - set(given)
        value = found.values[named.key] = plain(named.row.value(state, **options))
        if isinstance(value, np.ndarray):
            found.classes[named.key] = named.row.names(state, **options)
    notes = [_AVERAGED] if averaged else []
    return found._replace(
        note="\n".join(
            filter(
                None, [" ".join([*_positive_classes(found.read), *notes]), *_parameters(found.read)]
            )
        )
    )


def _parameters(read: Iterable[NamedMetric]) -> list[str]:
    """Return a sentence of the parameters that a reader must see, if there are any."""
    return [paragraph(told, hang=2)] if (told := labels_of(read)) else []


def _positive_classes(read: Iterable[NamedMetric]) -> list[str]:
    """Return the positive class that was named, and each metric that names another one itself."""
    named: dict[Any, list[str]] = {}
    for each in read:
        label = each.parameters.get("pos_label")
        averaged = each.row.kind.counted and each.parameters.get("average", "binary") != "binary"
        if label is not None and not averaged and each.row.positive_matters():
            named.setdefault(label, []).append(each.key)
    if len(named) == 1:
        return [f"Positive class: {next(iter(named))}."]
    return [f"Positive class of {', '.join(keys)}: {label}." for label, keys in named.items()]


def values_of(
    states: Mapping[Inputs, Any], metrics: Any, parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the values of metrics by their names."""
    return read_metrics(states, metrics, parameters).values


def _options(named: NamedMetric, state: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that a metric is read with, those of many classes where none are given."""
    given = {name: value for name, value in given.items() if name != "labels"}
    if given.get("average") == "binary" != named.row.kind.options.get("average"):
        del given["average"]  # what metrics of labels call one value
    check_complete(named.function, given)
    usual = getattr(state, "of_many", {})
    return {name: usual[name] for name in usual if name in named.function.options} | given


def _readable(states: Mapping[Inputs, Any], parameters: Mapping[str, Any]) -> list[NamedMetric]:
    """Return the metrics that can be read from the states, all their parameters given."""
    found = [
        NamedMetric(function.metric.name, function)
        for function in chosen_metrics(states, None, parameters)
    ]
    indicators = {judged for judged, state in states.items() if getattr(state, "multilabel", False)}
    return [n for n in found if n.row.multilabel or n.row.kind.inputs not in indicators]


def chosen_metrics(
    judged: Iterable[Inputs], metrics: Iterable[str] | None, parameters: Mapping[str, Any]
) -> list[MetricFunction]:
    """Return the metrics that are named, or all of some predictions whose parameters are given."""
    if metrics is not None:
        return [get_metric(m) for m in metrics]
    known = set(judged)
    return [
        function
        for function in METRICS.values()
        if function.metric.kind.inputs in known and not missing_options(function, parameters)
    ]
