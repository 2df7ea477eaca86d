"""Probabilities of the classes, and scores of all classes read together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from .base import SCORED, STRICT, Kind, Problem, Selected, part_options
from .scores import SCORES


def _matrix(metric: Any, options: Mapping[str, Any], zero_division: Any, read: str) -> Selected:
    settings, own = part_options(options, ("pos_label",))
    scorer = zero_division is STRICT or zero_division is SCORED
    free = scorer and metric.symmetric

    def problem(state: Any) -> Problem:
        classes = getattr(state.scored, "classes", None)
        guessed = scorer and classes is not None and metric.guesses_among(classes)
        return Problem(getattr(state, read)(**settings, either=free or guessed))

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
