"""What an evaluation judges, checked once: labels, scores, counts, rejections, costs, numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..._arrays import Array, Codes, named_labels, take_rows, weight_vector
from .._records.rejections import accepted_rows, masked_labels
from .._registry.kind import Prediction
from .._registry.kinds import COSTED, LABELS, NUMBERS, REJECTED, SCORES
from .._registry.names import named_metrics
from .._resampling.counted import sample_of_table
from .._resampling.sample import Sample, sample_of_record
from .._states.labels import LabelState


@dataclass(frozen=True, eq=False)
class Judged:
    """Records of the rows by what of a model they judge, or the table that counts its labels.

    Attributes
    ----------
    records : dict of Prediction to Record
    table : ndarray of shape (n_classes, n_classes), float64, or None
    classes : ndarray of shape (n_classes,) or None
        Those of the table.
    rows : dict of Prediction to ndarray of int
        The rows of a record that holds some only: labels whose predictions are accepted.
    """

    records: Mapping[Prediction, Any]
    table: Array | None = None
    classes: Any = None
    rows: Mapping[Prediction, Codes] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        y_true: Any,
        y_pred: Any,
        y_score: Any,
        counts: Any,
        rejected: Any,
        shared: Mapping[str, Any],
        metrics: Any,
        example_costs: Any = None,
    ) -> Judged:
        """Check what is given, as the metrics that are asked for read it."""
        found = cls({})
        if y_pred is not None:
            found = _of_predictions(y_true, y_pred, rejected, shared, metrics)
        records = dict(found.records)
        if example_costs is not None or COSTED in asked_predictions(metrics):
            if y_pred is None or REJECTED in records:
                raise refuse_costs()
            given = {**shared, "example_costs": example_costs}
            records[COSTED] = _record(COSTED, y_true, y_pred, given)
        if y_score is not None:
            records[SCORES] = _record(SCORES, y_true, y_score, shared)
        if counts is None:
            return cls(records, rows=found.rows)
        for name, value in (("y_pred", y_pred), ("sample_weight", shared["sample_weight"])):
            if value is not None:
                raise ValueError(
                    f"counts stands for the predicted labels of all examples, so {name} does not go "
                    "with it; pass one of the two."
                )
        return cls(records, counts, _class_names(shared["labels"], len(counts)))

    @property
    def states(self) -> dict[Prediction, Any]:
        """What metrics are read from."""
        found = {judged: judged.hold(record) for judged, record in self.records.items()}
        if self.table is not None:
            found[LABELS] = LabelState(self.table, self.classes)
        return found

    def samples(self, *, whole: bool) -> dict[Prediction, Sample]:
        """Return what is resampled; with `whole`, rows of the same labels stay apart."""
        found = {
            judged: sample_of_record(record, judged, collapse=not whole)
            for judged, record in self.records.items()
        }
        if self.table is not None:
            if (self.table != np.floor(self.table)).any():
                raise ValueError(
                    "counts must be whole numbers: an interval needs the number of examples."
                )
            found[LABELS] = sample_of_table(self.table, self.classes)
        return found

    def taking(self, rows: Codes) -> Judged:
        """Return some of the rows, in order, of the same classes."""
        records, part = {}, {}
        for judged, record in self.records.items():
            own = rows
            if judged in self.rows:
                own = np.flatnonzero(np.isin(self.rows[judged], rows))
                part[judged] = np.searchsorted(rows, self.rows[judged][own])
            records[judged] = record.taking(own)
        return Judged(records, rows=part)


def asked_predictions(metrics: Any) -> set[Prediction]:
    """Return what the metrics that are named judge."""
    return set() if metrics is None else {n.row.kind.judged for n in named_metrics(metrics)}


def refuse_costs() -> ValueError:
    """Return the error for costs of examples without predicted labels."""
    return ValueError(
        "example_costs are those of predicted labels; pass y_pred, none of them rejected."
    )


def _of_predictions(
    y_true: Any, y_pred: Any, rejected: Any, shared: Mapping[str, Any], metrics: Any
) -> Judged:
    asked = asked_predictions(metrics)
    kinds = [LABELS]
    if NUMBERS in asked:
        kinds = [NUMBERS, LABELS] if LABELS in asked else [NUMBERS]
    elif rejected is not None or np.ma.isMaskedArray(y_pred):
        return _with_mask(y_true, masked_labels(y_pred, rejected=rejected), shared)
    elif (
        REJECTED in asked
    ):  # without a mask nothing is rejected, which is told where it is asked for
        kinds = [LABELS, REJECTED]
    return Judged({kind: _record(kind, y_true, y_pred, shared) for kind in kinds})


def _with_mask(y_true: Any, masked: Any, shared: Mapping[str, Any]) -> Judged:
    """Return all predictions with their mask, and the labels of those that are accepted."""
    records = {REJECTED: _record(REJECTED, y_true, masked, shared)}
    accepted, weight = accepted_rows(masked), weight_vector(shared["sample_weight"])
    rows = np.flatnonzero(accepted)
    if not len(rows):
        return Judged(records)
    kept = dict(shared, sample_weight=None if weight is None else weight[rows])
    records[LABELS] = _record(LABELS, take_rows(y_true, rows), masked.data[rows], kept)
    counted = accepted if weight is None else accepted[weight > 0]
    return Judged(records, rows={LABELS: np.flatnonzero(counted)})


def _record(judged: Prediction, first: Any, second: Any, shared: Mapping[str, Any]) -> Any:
    return judged.check(first, second, names=("y_true", judged.argument), **shared)


def _class_names(labels: Any, classes: int) -> Array:
    """Return the names of the classes of a table."""
    if labels is None:
        return np.arange(classes)
    named = named_labels(labels)
    if len(named) != classes:
        raise ValueError(f"counts has {classes} classes, but labels names {len(named)}.")
    return named
