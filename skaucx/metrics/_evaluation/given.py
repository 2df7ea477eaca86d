"""What is given to be judged, held ready: labels, scores, counts, rejected predictions, numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..._arrays import named_labels, take_rows
from .._records.count_inputs import check_single_table
from .._records.counts import Counts
from .._records.rejections import accepted_rows, masked_labels
from .._registry.kind import Prediction
from .._registry.kinds import LABELS, NUMBERS, REJECTED, SCORES
from .._registry.names import named_metrics
from .._states.labels import LabelState

States = dict[Prediction, Any]


def states_of(
    y_true: Any,
    y_pred: Any,
    y_score: Any,
    counts: Any,
    rejected: Any,
    shared: Mapping[str, Any],
    metrics: Any,
) -> States:
    """Hold ready what is given, as the metrics that are asked for read it."""
    states: States = {}
    if y_pred is not None:
        states |= _of_predictions(y_true, y_pred, rejected, shared, metrics)
    if y_score is not None:
        states[SCORES] = _state(SCORES, y_true, y_score, shared)
    if counts is not None:
        given = {"y_pred": y_pred, "sample_weight": shared["sample_weight"]}
        states[LABELS] = _of_counts(counts, shared["labels"], given)
    return states


def _of_predictions(
    y_true: Any, y_pred: Any, rejected: Any, shared: Mapping[str, Any], metrics: Any
) -> States:
    asked = {n.row.kind.judged for n in named_metrics(metrics)} if metrics is not None else set()
    if NUMBERS in asked:
        kinds = [NUMBERS, LABELS] if LABELS in asked else [NUMBERS]
        return {kind: _state(kind, y_true, y_pred, shared) for kind in kinds}
    if rejected is None and not np.ma.isMaskedArray(y_pred):
        # Without a mask nothing is rejected, which is told where it is asked for.
        kinds = [LABELS, REJECTED] if REJECTED in asked else [LABELS]
        return {kind: _state(kind, y_true, y_pred, shared) for kind in kinds}
    return _with_mask(y_true, masked_labels(y_pred, rejected=rejected), shared)


def _with_mask(y_true: Any, masked: Any, shared: Mapping[str, Any]) -> States:
    """Return all predictions with their mask, and the labels of those that are accepted."""
    states = {REJECTED: _state(REJECTED, y_true, masked, shared)}
    rows = np.flatnonzero(accepted_rows(masked))
    if len(rows):
        weight = shared["sample_weight"]
        kept = dict(shared, sample_weight=None if weight is None else np.asarray(weight)[rows])
        states[LABELS] = _state(LABELS, take_rows(y_true, rows), masked.data[rows], kept)
    return states


def _state(judged: Prediction, first: Any, second: Any, shared: Mapping[str, Any]) -> Any:
    return judged.state(first, second, names=("y_true", judged.argument), **shared)


def _of_counts(counts: Any, labels: Any, given: Mapping[str, Any]) -> LabelState:
    for name, value in given.items():
        if value is not None:
            raise ValueError(
                f"counts stands for the predicted labels of all examples, so {name} does not go "
                "with it; pass one of the two."
            )
    table = check_single_table(counts.table if isinstance(counts, Counts) else counts)
    return LabelState(table, _class_names(labels, len(table)))


def _class_names(labels: Any, classes: int) -> Any:
    """Return the names of the classes of a table."""
    if labels is None:
        return np.arange(classes)
    named = named_labels(labels)
    if len(named) != classes:
        raise ValueError(f"counts has {classes} classes, but labels names {len(named)}.")
    return named
