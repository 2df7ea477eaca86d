"""Scores of examples, ranked once a binary problem; probabilities, and all columns together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from operator import methodcaller
from typing import Any

from ...._arrays import label_array, score_array
from ..._records.inputs import (
    check_scored_labels,
    check_unit_range,
    refuse_multilabel,
    scores_of_positive,
)
from ..averages import AVERAGES, NAMED
from ..base import Inputs, Kind, Problem, Selected, part_options
from .class_scores import LabelProbabilities
from .state import score_state

SCORES = Inputs(
    "scores",
    "y_score",
    read=score_array,
    read_true=label_array,
    check=check_scored_labels,
    make_state=score_state,
    of_response=scores_of_positive,
    of_classes=True,
    evaluated_with="y_score",
)


def _ranking(metric: Any, options: Mapping[str, Any], scored: bool) -> Selected:
    settings, own = part_options(options, ("average", "multi_class", "pos_label", "rescale"))
    settings["either"] = scored and metric.symmetric
    averaged = methodcaller("averaged", **settings)
    if metric.kind.scale != "unit" or settings.get("rescale") is not None:
        return averaged, own

    def of_probabilities(state: Any) -> Any:
        check_unit_range(state.scored.extremes, metric.name)
        return averaged(state)

    return of_probabilities, own


_OF_CLASSES = tuple(name for name in NAMED if AVERAGES[name].over == "classes")
_AVERAGES_OF = {
    "ovr": tuple(name for name in NAMED if AVERAGES[name].over != "rows"),
    "ovo": _OF_CLASSES,
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


def _matrix(metric: Any, options: Mapping[str, Any], scored: bool, read: str) -> Selected:
    settings, own = part_options(options, ("pos_label",))
    free = scored and metric.symmetric

    def problem(state: Any) -> Problem:
        if state.multilabel and read == "columns":
            raise refuse_multilabel(metric.name)
        guessed = scored and not state.multilabel and metric.guesses_among(state.scored.classes)
        found = getattr(state, read)(**settings, either=free or guessed)
        if isinstance(found, LabelProbabilities) and not metric.multilabel:
            raise refuse_multilabel(metric.name)
        return Problem(found)

    return problem, own


PROBABILITIES = Kind(
    "probabilities",
    SCORES,
    partial(_matrix, read="probabilities"),
    "predict_proba",
    options={"labels": None, "pos_label": None},
)
COLUMNS = replace(
    PROBABILITIES,
    name="columns",
    select=partial(_matrix, read="columns"),
    response_method=("decision_function", "predict_proba"),
)
MARGINS = replace(COLUMNS, name="margins", response_method="decision_function")
