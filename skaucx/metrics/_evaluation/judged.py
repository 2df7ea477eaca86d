"""What an evaluation judges, checked once: predicted labels, scores, or a table of counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._arrays import Array, Codes, named_labels
from .._records.count_inputs import check_single_table
from .._records.counts import Counts
from .._registry.kind import Prediction
from .._registry.kinds import LABELS, SCORES
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
    """

    records: Mapping[Prediction, Any]
    table: Array | None = None
    classes: Any = None

    @classmethod
    def of(cls, y_true: Any, y_pred: Any, y_score: Any, counts: Any, shared: Any) -> Judged:
        """Check what is given."""
        given = {LABELS: y_pred, SCORES: y_score}
        records = {
            judged: judged.check(y_true, array, names=("y_true", judged.argument), **shared)
            for judged, array in given.items()
            if array is not None
        }
        if counts is None:
            return cls(records)
        for name, value in (("y_pred", y_pred), ("sample_weight", shared["sample_weight"])):
            if value is not None:
                raise ValueError(
                    f"counts stands for the predicted labels of all examples, so {name} does not go "
                    "with it; pass one of the two."
                )
        table = check_single_table(counts.table if isinstance(counts, Counts) else counts)
        return cls(records, table, _class_names(shared["labels"], len(table)))

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
        """Return some of the rows, of the same classes."""
        return Judged({judged: record.taking(rows) for judged, record in self.records.items()})


def _class_names(labels: Any, classes: int) -> Array:
    """Return the names of the classes of a table."""
    if labels is None:
        return np.arange(classes)
    named = named_labels(labels)
    if len(named) != classes:
        raise ValueError(f"counts has {classes} classes, but labels names {len(named)}.")
    return named
