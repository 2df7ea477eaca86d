"""Scores of examples, ranked once a binary problem; probabilities, and all columns together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ..._records.inputs import (
    check_scored_labels,
    check_unit_range,
    refuse_multilabel,
    scores_of_positive,
)
from ..averages import AVERAGES, NAMED
from ..base import Inputs, Kind, Problem
from .state import score_state

SCORES = Inputs(
    "scores",
    "y_score",
    check=check_scored_labels,
    make_state=score_state,
    of_response=scores_of_positive,
    of_classes=True,
    evaluated_with="y_score",
)


def _ranking(reading: Any, state: Any, **settings: Any) -> Any:
    metric = reading.metric
    if metric.kind.scale == "unit" and settings.get("rescale") is None:
        check_unit_range(state.scored.extremes, metric.name)
    settings["either"] = reading.scored and metric.symmetric
    settings["by_wins"] = metric.kind.scale == "order" and metric.averages_pairs(reading.parameters)
    return state.averaged(**settings)


_AVERAGES_OF = {
    "ovr": [name for name in NAMED if AVERAGES[name].over != "rows"],
    "ovo": [name for name in NAMED if AVERAGES[name].over == "classes"],
}
_BY_PROBLEM: Mapping[str, Mapping[str, str]] = {"": {}} | {
    f"_{how}{suffix}": {"multi_class": how, "average": average}
    for how, averages in _AVERAGES_OF.items()
    for suffix, average in (("", "macro"), *((f"_{average}", average) for average in averages))
}
_OPTIONS = {"labels": None, "pos_label": None, "average": "macro", "multi_class": "raise"}
ORDER = Kind(
    "order",
    SCORES,
    _ranking,
    ("average", "multi_class", "pos_label", "rescale"),
    ("decision_function", "predict_proba"),
    options=_OPTIONS,
    suffixes=_BY_PROBLEM,
    scale="order",
    multilabel=True,
)
# Probabilities first, so that the values of classifiers with and without decision_function compare.
RELATIVE_VALUES = replace(
    ORDER,
    name="relative_values",
    response_method=("predict_proba", "decision_function"),
    scale="shift and scale",
)
VALUES = replace(
    ORDER,
    name="values",
    response_method="predict_proba",
    options={**_OPTIONS, "rescale": None},
    scale="any",
)
UNIT_VALUES = replace(VALUES, name="unit_values", scale="unit")


def _matrix(reading: Any, state: Any, read: str, pos_label: Any = None) -> Problem:
    metric, either = reading.metric, reading.scored and reading.metric.symmetric
    if state.multilabel and read == "columns":
        raise refuse_multilabel(metric.name)
    if reading.scored and not state.multilabel:
        either = either or metric.guesses_among(state.scored.classes)
    found = getattr(state, read)(pos_label=pos_label, either=either)
    if read == "probabilities" and found.labels is not None and not metric.kind.multilabel:
        raise refuse_multilabel(metric.name)
    return Problem(found)


PROBABILITIES = Kind(
    "probabilities",
    SCORES,
    partial(_matrix, read="probabilities"),
    ("pos_label",),
    "predict_proba",
    options={"labels": None, "pos_label": None},
)
COLUMNS = replace(
    PROBABILITIES,
    name="columns",
    problem=partial(_matrix, read="columns"),
    response_method=("decision_function", "predict_proba"),
)
MARGINS = replace(COLUMNS, name="margins", response_method="decision_function")
