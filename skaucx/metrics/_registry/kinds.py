"""The kinds of what metrics read, in one table: labels counted, scores ranked, probabilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ..._arrays import Array, label_array, score_array
from .._records.count_inputs import check_binary
from .._records.counts import Counts
from .._records.example_costs import check_costed_labels
from .._records.inputs import (
    check_label_pair,
    check_scored_labels,
    check_unit_range,
    positive_scores,
)
from .._records.numbers import check_numbers, number_vector
from .._records.rejections import check_rejections, masked_labels
from .._states.example_costs import CostState
from .._states.labels import label_state
from .._states.numbers import NumberState
from .._states.problems import Problem, Problems
from .._states.scores import score_state
from .averaging import SCORED, STRICT
from .kind import Kind, Prediction

Selected = tuple[Callable[[Any], Problem | Problems], dict[str, Any]]


def _of_positive_class(response: Array, classes: Array | None, positive: Any) -> Array:
    """Return the scores of the positive class of two, or the matrix of many."""
    if classes is None or len(classes) > 2:
        return response
    return positive_scores(response, classes, positive)


def _as_it_is(response: Array, classes: Array | None, positive: Any) -> Array:
    return response


LABELS = Prediction(
    "predicted labels",
    "y_pred",
    read=label_array,
    check=check_label_pair,
    hold=label_state,
    of_response=_as_it_is,
)
SCORES = Prediction(
    "scores",
    "y_score",
    read=score_array,
    check=check_scored_labels,
    hold=score_state,
    of_response=_of_positive_class,
    in_columns=True,
)
REJECTED = Prediction(
    "predicted labels with a mask",
    "y_pred",
    read=masked_labels,
    check=check_rejections,
    hold=label_state,
    of_response=_as_it_is,
    beside=("rejected",),
)
COSTED = Prediction(
    "predicted labels with costs of examples",
    "y_pred",
    read=label_array,
    check=check_costed_labels,
    hold=CostState,
    of_response=_as_it_is,
    beside=("example_costs",),
    of_rows=("example_costs",),
)
NUMBERS = Prediction(
    "predicted numbers",
    "y_pred",
    read=number_vector,
    read_true=number_vector,
    check=check_numbers,
    hold=NumberState,
    of_response=_as_it_is,
)


def _split(options: Mapping[str, Any], names: tuple[str, ...]) -> tuple[dict[str, Any], ...]:
    """Part the options into those of the state and those of the formula."""
    own = dict(options)
    return {name: own.pop(name) for name in names if name in own}, own


def _counts(metric: Any, options: Mapping[str, Any], zero_division: Any) -> Selected:
    settings, own = _split(options, ("average", "pos_label"))
    settings["either"] = not metric.positive_matters()
    return lambda state: state.averaged(**settings), own


def _table(metric: Any, options: Mapping[str, Any], zero_division: Any) -> Selected:
    _, own = _split(options, ("average", "pos_label"))
    return lambda state: Problem(state.whole(metric.name, metric.multilabel)), own


def _ranking(metric: Any, options: Mapping[str, Any], zero_division: Any) -> Selected:
    settings, own = _split(options, ("average", "multi_class", "pos_label", "rescale"))
    strict = zero_division is STRICT or zero_division is SCORED
    settings["either"] = strict and not metric.positive_matters(as_scorer=True)
    unit = metric.kind.scale == "unit" and settings.get("rescale") is None

    def problem(state: Any) -> Problem | Problems:
        if unit:
            check_unit_range(state.scored.extremes, metric.name)
        found: Problem | Problems = state.averaged(**settings)
        return found

    return problem, own


def _matrix(
    metric: Any, options: Mapping[str, Any], zero_division: Any, read: Callable[..., Any]
) -> Selected:
    settings, own = _split(options, ("pos_label",))
    scorer = zero_division is STRICT or zero_division is SCORED
    free = scorer and not metric.positive_matters(as_scorer=True)

    def problem(state: Any) -> Problem:
        classes = getattr(state.scored, "classes", None)
        guessed = scorer and classes is not None and metric.guesses_among(classes)
        return Problem(read(state, **settings, either=free or guessed))

    return problem, own


def _cells(metric: Any, options: Mapping[str, Any], zero_division: Any) -> Selected:
    whole, own = _table(metric, options, zero_division)

    def problem(state: Any) -> Problem | Problems:
        many = getattr(state, "multilabel", False)
        return Problem(state.each("micro")[0].pooled.table) if many else whole(state)

    return problem, own


def _rejections(metric: Any, options: Mapping[str, Any], zero_division: Any) -> Selected:
    settings, own = _split(options, ("rejected",))
    if settings.get("rejected") is not None:
        raise TypeError(
            "rejected= goes to the metric itself; here the mask comes with the predictions: "
            "numpy.ma.array(y_pred, mask=rejected)."
        )
    return lambda state: Problem(state.binary_counts(None)), own


def _example_costs(metric: Any, options: Mapping[str, Any], zero_division: Any) -> Selected:
    return lambda state: Problem(state.costs), _split(options, ("example_costs",))[1]


def _numbers(metric: Any, options: Mapping[str, Any], zero_division: Any) -> Selected:
    return lambda state: Problem(state.numbers), dict(options)


_BY_CLASS: Mapping[str, Mapping[str, str]] = {"": {}} | {
    f"_{average}": {"average": average} for average in ("macro", "micro", "samples", "weighted")
}
_AVERAGES_OF = {"ovr": ("macro", "micro", "weighted"), "ovo": ("macro", "weighted")}
_BY_PROBLEM: Mapping[str, Mapping[str, str]] = {"": {}} | {
    f"_{how}{suffix}": {"multi_class": how, "average": average}
    for how, averages in _AVERAGES_OF.items()
    for suffix, average in (("", "macro"), *((f"_{average}", average) for average in averages))
}
_LABELS = {"labels": None, "pos_label": None}
_RANKED = {**_LABELS, "average": "macro", "multi_class": "raise"}

COUNTS = Kind(
    "counts",
    LABELS,
    _counts,
    "predict",
    options={**_LABELS, "average": "binary"},
    suffixes=_BY_CLASS,
    of_counts=lambda counts: counts,
    of_tables=lambda cells: Counts.from_table(check_binary(cells)),
)
TABLE = Kind(
    "table",
    LABELS,
    _table,
    "predict",
    suffixes={"": {}},
    multilabel=False,
    of_counts=lambda counts: counts.table,
    of_tables=lambda cells: cells,
)
ORDER = Kind(
    "order",
    SCORES,
    _ranking,
    ("decision_function", "predict_proba"),
    options=_RANKED,
    suffixes=_BY_PROBLEM,
    scale="order",
    needs_every_class=True,
)
RELATIVE_VALUES = replace(ORDER, name="relative_values", scale="shift and scale")
VALUES = replace(
    ORDER,
    name="values",
    response_method="predict_proba",
    options={**_RANKED, "rescale": None},
    scale="any",
)
UNIT_VALUES = replace(VALUES, name="unit_values", scale="unit")
PROBABILITIES = Kind(
    "probabilities",
    SCORES,
    partial(_matrix, read=lambda state, **settings: state.probabilities(**settings)),
    "predict_proba",
    options=_LABELS,
    suffixes={"": {}},
    multilabel=False,
)
COLUMNS = replace(
    PROBABILITIES,
    name="columns",
    select=partial(_matrix, read=lambda state, **settings: state.columns(**settings)),
    response_method=("decision_function", "predict_proba"),
)
MARGINS = replace(COLUMNS, name="margins", response_method="decision_function")
# Tables as above; of multilabel indicators that of all cells, not of whole rows.
CELLS = replace(TABLE, select=_cells, multilabel=True)
REJECTIONS = Kind(
    "rejections",
    REJECTED,
    _rejections,
    "predict",
    options={"rejected": None},
    suffixes={"": {}},
    multilabel=False,
)
EXAMPLE_COSTS = Kind(
    "example_costs",
    COSTED,
    _example_costs,
    "predict",
    options={"labels": None, "example_costs": None},
    suffixes={"": {}},
    multilabel=False,
)
REGRESSION = Kind("regression", NUMBERS, _numbers, "predict", suffixes={"": {}}, multilabel=False)

KINDS = {
    kind.name: kind
    for kind in (
        COUNTS,
        TABLE,
        ORDER,
        RELATIVE_VALUES,
        VALUES,
        UNIT_VALUES,
        PROBABILITIES,
        COLUMNS,
        MARGINS,
        REJECTIONS,
        EXAMPLE_COSTS,
        REGRESSION,
    )
}
