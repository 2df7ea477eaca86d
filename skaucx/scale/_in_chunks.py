"""Metrics of rows in chunks, from as many passes as their bounds need, and of their groups."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from typing import Any

import numpy as np

from .._arrays import host_array, take_rows, weight_vector
from .._options import RealRange, check_whole
from ..evaluation._evaluator import (
    Certain,
    Certainty,
    EvaluationRequest,
    inputs_read,
    intervals_of,
    positive_of,
    read_metrics,
    requested_metrics,
)
from ..evaluation._groups import GroupedEvaluation, Partition, compared
from ..evaluation._result import Evaluation, about_evaluation
from ..metrics._kinds import INPUTS
from ..metrics._kinds.base import PRED, SCORE, TRUE, WEIGHT, Counting, Inputs, Sample
from ..metrics._kinds.scores import SCORES
from ..metrics._records.inputs import refuse_no_predictions
from ..metrics._records.totals import Total
from ..metrics._registry.names import NamedMetric, names_sets
from ..metrics._registry.row import Metric
from ._aggregation import (
    Aggregate,
    OpenBounds,
    Parts,
    Settings,
    Target,
    aggregate_of,
    aggregated,
    counted_inputs,
    refined,
    rows_that_count,
    sum_of_parts,
)
from ._batches import Arrays, Frames, Source, source_of
from ._bounded_value import BoundedValue
from ._bounds import STEP_BOUNDS
from ._score_counts import (
    MAX_CELLS,
    CountingPlan,
    TotalledScores,
    counting_of,
    plan_of,
    squares_for,
)


def needed_counting(row: Metric) -> Counting:
    """Return how chunks are counted for a metric; raise an error if its kind does not define it."""
    counting = counting_of(row.kind.inputs)
    if counting is None:
        raise ValueError(
            f"{row.name} reads {row.kind.inputs.name}, which are not counted in chunks; pass all "
            "rows at once."
        )
    return counting


def totals_of(metrics: Iterable[Metric], options: Mapping[str, Any]) -> tuple[Total, ...]:
    """Return the sums to keep for metrics of kinds without other states."""
    found: dict[Total, None] = {}
    for row in metrics:
        if needed_counting(row).totals_only:
            totals = row.totals_of(options)
            if totals is None:
                raise ValueError(
                    f"{row.name} is not declared as a mean of losses, and of "
                    f"{row.kind.inputs.name} in chunks only sums are kept; declare it with mean= or "
                    "totals=, or pass all rows at once."
                )
            found |= dict.fromkeys(totals)
    return tuple(found)


BY = "by"


def _counts_by_group(
    settings: Settings, arrays: Arrays, before: Parts | None = None
) -> Parts | None:
    """Count the rows of a chunk by group."""
    if not rows_that_count(arrays):
        return None
    arrays = dict(arrays)
    parts = Partition.of(arrays.pop(BY), arrays[TRUE], arrays.get(WEIGHT))
    weight = weight_vector(arrays.get(WEIGHT))
    rows = np.arange(len(parts.codes)) if weight is None else np.flatnonzero(weight > 0)
    known: Mapping[Any, Aggregate] = {} if before is None else before.held
    given = {
        name: values if hasattr(values, "shape") else host_array(values)
        for name, values in arrays.items()
        if values is not None
    }
    found: dict[Any, Aggregate] = {}
    for key, own in parts.rows.items():
        taken = {name: take_rows(values, rows[own]) for name, values in given.items()}
        aggregate = aggregate_of(settings, taken, known.get(key))
        found |= {} if aggregate is None else {key: aggregate}
    return Parts(found, parts.names)


_UNREACHED = (
    "memory does not hold the scores, and only metrics declared with over_thresholds= and means "
    "over pairs of functions with known kinks are summed up pass by pass"
)


def _source_of(data: Any, arrays: Arrays, by: Any) -> tuple[Source, Arrays]:
    """Return the source of rows out of frames, or of arrays in chunks, and what is given of them."""
    given = {name: array for name, array in arrays.items() if array is not None}
    if not given.keys() & {PRED, SCORE}:
        raise refuse_no_predictions()
    if TRUE not in given:
        raise TypeError("y_true is None; pass what holds the true labels.")
    if by is not None:
        given[BY] = by
    return source_of(given) if data is None else Frames(data, _columns(given)), given


def _columns(given: Arrays) -> dict[str, Any]:
    for name, column in given.items():
        single = (TRUE, WEIGHT, "rejected")
        names = column if isinstance(column, list) and name not in single else [column]
        if not names or not all(isinstance(each, str) for each in names):
            raise TypeError(
                f"With data, {name} must be the name of a column, or y_score or by a list of "
                f"names; found {column!r}."
            )
    found = dict(given)
    if BY in given:  # a tuple means separate columns, a list a matrix
        found[BY] = (given[BY],) if isinstance(given[BY], str) else tuple(given[BY])
    return found


@dataclass(frozen=True, eq=False)
class Chunks:
    """Rows in chunks, and how much of them is kept: the argument `data` of :func:`evaluate`.

    Parameters
    ----------
    data : Dask data frame, or iterable of frames or record batches, default=None
        None where the arrays themselves come in chunks.
    max_cells : int, default=2**20
        How many distinct scores, or cells of scores, are kept for each binary problem. Metrics of
        scores are exact up to this number of distinct scores, and have bounds beyond.
    tolerance : float, default=None
        For rows that can be read again: the greatest distance of the bounds. Passes are repeated as
        needed (see ``passes``); 0 requests exact values. Memory stays that of some four million cells,
        or scores. However many the scores, the AUC becomes exact, and all its variants, areas under
        curves and average precision as they would be in memory, up to some 1e-15 of rounding: each
        pass pairs the positives of one range of scores with all negatives. Other metrics of scores are
        exact if the distinct scores fit into memory.

    Raises
    ------
    TypeError, ValueError
        If `max_cells` or `tolerance` is not among the values described.

    Examples
    --------
    >>> from skaucx.evaluation import evaluate
    >>> from skaucx.scale import Chunks
    >>> frames = [{"label": [0, 0, 1], "p": [0.1, 0.6, 0.7]}, {"label": [1, 1], "p": [0.4, 0.9]}]
    >>> rows = Chunks(frames, max_cells=2, tolerance=0)
    >>> found = evaluate("label", y_score="p", data=rows, metrics=["roc_auc"])
    >>> round(float(found["roc_auc"]), 4)
    0.8333
    """

    data: Any = None
    max_cells: int = field(default=MAX_CELLS, kw_only=True)
    tolerance: float | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        check_whole("max_cells", self.max_cells, 1)
        if self.tolerance is not None:
            RealRange(0, math.inf).check("tolerance", self.tolerance)


def evaluated_in_chunks(
    data: Any,
    arrays: Arrays,
    by: Any,
    labels: Any,
    requested: EvaluationRequest,
) -> Evaluation | GroupedEvaluation:
    """Return metrics of rows in chunks, or of each of their groups, after as many passes as needed."""
    chunks = data if isinstance(data, Chunks) else Chunks(data)
    tolerance = chunks.tolerance
    source, given = _source_of(chunks.data, arrays, by)
    labels, options = None if labels is None else tuple(labels), requested.parameters
    read = inputs_read(requested.metrics, dict.fromkeys(given, True), options)
    cuts = tuple(each for each in read if each not in INPUTS)
    chosen = metrics_of_counts(read, requested.metrics, options)
    settings = Settings(
        plan_of_metrics(chosen, options, chunks.max_cells, squares=requested.certainty is not None),
        labels,
        kinds=tuple(own.key for each in read if (own := counting_of(each))),
        numbers=totals_of([named.row for named in chosen], options),
        cuts=cuts,
    )
    if not names_sets(requested.metrics):
        requested = replace(requested, metrics=chosen)
    if tolerance is not None:
        _check_tolerance(source, by)
    if by is not None:
        by_group = aggregated(source, settings, _counts_by_group)
        parts = {key: by_group.held[key] for key in sorted(by_group.held)}
        sizes = {key: aggregate.rows for key, aggregate in parts.items()}
        counts = {**parts, None: sum_of_parts(list(parts.values()))}
        return compared(
            lambda reading, key: evaluated_counts(counts[key], reading, cuts=cuts),
            sizes,
            by_group.names,
            requested,
        )
    aggregate, passes = aggregated(source, settings), 1
    if tolerance is not None:
        wanted = _wanted(chosen, requested, tolerance, cuts)
        aggregate, more = refined(aggregate, source, settings, wanted)
        passes += more
    most_apart = math.inf if tolerance is None else tolerance
    return evaluated_counts(aggregate, requested, passes, most_apart, cuts)


def evaluated_counts(
    aggregate: Aggregate,
    requested: EvaluationRequest,
    passes: int = 1,
    tolerance: float = math.inf,
    cuts: Sequence[Inputs] = (),
) -> Evaluation:
    """Read metrics from counts, and their intervals."""
    states = states_of(aggregate, cuts)
    found = read_metrics(states, _metrics_of(aggregate, states, requested), requested.parameters)
    certain: Certain = {}, {}
    if requested.certainty is not None:
        certain = _intervals(aggregate, states, found.read, requested.certainty, cuts)
    values = {key: _noted(value, tolerance) for key, value in found.values.items()}
    positive = _positive(aggregate, requested)
    about = about_evaluation(requested.metrics, aggregate.rows, positive, found.note)
    return Evaluation(
        values, found.rows, found.classes, found.note, intervals=certain[0], passes=passes,
        about=about, n_rows=aggregate.rows, positive=positive, of_pairs=certain[1],
    )  # fmt: skip


def _positive(aggregate: Aggregate, requested: EvaluationRequest) -> tuple[Any, int] | None:
    """Return the positive class and its rows, of rows without weights."""
    for counts in (aggregate.labels, aggregate.scores):
        classes = getattr(counts, "classes", None)
        if counts is not None and classes is not None and not counts.weighted:
            sizes = counts.sizes if counts.sizes.ndim == 1 else counts.sizes.sum(axis=1)
            return positive_of(classes, sizes, requested.parameters)
    return None


def _intervals(
    aggregate: Aggregate,
    states: Mapping[Inputs, Any],
    read: Sequence[NamedMetric],
    certainty: Certainty,
    cuts: Sequence[Inputs],
) -> Certain:
    """Return the intervals of metrics: means of losses from sums, others from samples of counts."""
    scores = aggregate.scores
    held = () if scores is None or scores.weighted else scores.plan.totals
    means = [n for n in read if squares_for(n.row, n.parameters) in held]
    others = [n for n in read if n not in means]
    needed = {each.row.kind.inputs for each in others}
    samples: dict[Inputs, Sample] = {
        # Scores are in order in their state.
        inputs: (states[inputs] if inputs is SCORES else aggregate.counts[name]).sample
        for name, inputs in counted_inputs(cuts).items()
        if inputs in needed and name in aggregate.counts
    }
    parts = [intervals_of(others, samples, certainty, {})] if others else []
    if means and scores is not None:
        totals = TotalledScores(scores.n_examples, states[SCORES])
        parts += [intervals_of(means, {means[0].row.kind.inputs: totals}, certainty, {})]
    own, of_pairs = (reduce(or_, held) for held in zip(*parts, strict=True))
    return {each.key: own[each.key] for each in read}, of_pairs


def _noted(value: Any, tolerance: float) -> Any:
    """Return a value, with a note if its bounds are further apart than requested."""
    if not isinstance(value, BoundedValue) or value.note or np.max(value.width) <= tolerance:
        return value
    return replace(value, note=_UNREACHED)


def _metrics_of(
    aggregate: Aggregate, states: Mapping[Inputs, Any], requested: EvaluationRequest
) -> Sequence[NamedMetric]:
    """Return the requested metrics, or those of sets that can be computed."""
    every = aggregate.scores is not None and aggregate.scores.holds_rows
    return metrics_of_counts(states, requested.metrics, requested.parameters, every=every)


def _wanted(
    chosen: Sequence[NamedMetric],
    requested: EvaluationRequest,
    tolerance: float,
    cuts: Sequence[Inputs],
) -> Target:
    """Return what bounds are to be tightened."""

    def read(aggregate: Aggregate) -> OpenBounds:
        states = states_of(aggregate, cuts)
        # the warning is given with the returned values
        with warnings.catch_warnings(action="ignore"):
            metrics = _metrics_of(aggregate, states, requested)
            found = read_metrics(states, metrics, requested.parameters).values.values()
        widths = [float(np.max(v.width)) for v in found if isinstance(v, BoundedValue)]
        sums = {
            key: each for state in states.values() for key, each in state.unresolved_sums.items()
        }
        return OpenBounds(max(widths, default=0.0), sums)

    options = [(n.row, {**n.parameters, **requested.parameters}) for n in chosen]
    scored = [
        row
        for row, own in options
        if row.kind.inputs.in_columns and not (row.kind.counted or row.totals_of(own))
    ]
    by_values = any(
        row.kind.scale != "order" or (row.name in STEP_BOUNDS and STEP_BOUNDS[row.name].by_values)
        for row in scored
    )
    return Target(read, tolerance, by_values)


def plan_of_metrics(
    metrics: Sequence[NamedMetric],
    options: Mapping[str, Any],
    max_cells: int,
    *,
    squares: bool = False,
) -> CountingPlan:
    """Return what to keep of scores for metrics, each with its own parameters."""
    if any(named.parameters.get("multi_class") == "ovo" for named in metrics):
        options = {**options, "multi_class": "ovo"}
    if any("rescale" in named.parameters for named in metrics):
        options = {"rescale": "", **options}
    return plan_of([named.row for named in metrics], options, max_cells, squares=squares)


def metrics_of_counts(
    read: Iterable[Inputs], metrics: Any, parameters: Mapping[str, Any], *, every: bool = True
) -> list[NamedMetric]:
    """Return the metrics that are named, or all; not `every`, those computed from sums."""
    found = requested_metrics(read, metrics, parameters)
    if not names_sets(metrics):
        return found
    return [each for each in found if _of_counts(each.row, parameters, every)]


def _of_counts(row: Metric, parameters: Mapping[str, Any], every: bool) -> bool:
    """Whether counts, cells of scores or totals are enough."""
    if row.kind.counted or not row.kind.inputs.in_columns or row.kind.scale is not None:
        return True
    # Of probabilities, or all columns of scores.
    return row.totals_of(parameters) is not None or (every and row.kind.name == "probabilities")


def states_of(aggregate: Aggregate, cuts: Sequence[Inputs] = ()) -> dict[Inputs, Any]:
    """Return the states of the metrics, by their input."""
    known, counts = counted_inputs(cuts), aggregate.counts
    return {inputs: counts[name].state for name, inputs in known.items() if name in counts}


def _check_tolerance(source: Source, by: Any) -> None:
    if by is not None:
        raise ValueError(
            "tolerance needs all rows in one count, and by counts each group; evaluate the groups "
            "one by one, or raise max_cells."
        )
    if not source.repeatable:
        raise ValueError(
            "tolerance needs rows that can be read again; pass Dask collections, or data as a "
            "list of frames or another re-iterable object, not an iterator."
        )
