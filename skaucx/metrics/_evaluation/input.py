"""What an evaluation reads, checked once: labels, scores, counts, rejections, costs, numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..._arrays import Array, Codes, named_labels, take_rows, weight_vector
from .._records.inputs import accepted_rows
from .._registry.names import (
    is_set,
    members_of,
    named_metric,
    named_metrics,
    names_sets,
    requested_entries,
)
from ..kinds import INPUTS
from ..kinds.base import PRED, TRUE, WEIGHT, Inputs, Sample

REJECTED = "rejected"


@dataclass(frozen=True, eq=False)
class EvaluationInput:
    """Records of the rows by the inputs that they were checked as, or the table that counts them.

    Attributes
    ----------
    records : dict of Inputs to Record
    tables : dict of Inputs to State
        The states of a given table of counts.
    rows : dict of Inputs to ndarray of int
        The rows of a record that holds some only: those whose predictions are accepted.
    """

    records: Mapping[Inputs, Any]
    tables: Mapping[Inputs, Any] = field(default_factory=dict)
    rows: Mapping[Inputs, Codes] = field(default_factory=dict)

    @classmethod
    def of(
        cls, arrays: Mapping[str, Any], labels: Any, counts: Any, metrics: Any
    ) -> EvaluationInput:
        """Check the arrays that are given as the requested metrics read them."""
        read = inputs_read(metrics, arrays)
        accepted, weight = _accepted(arrays), arrays.get(WEIGHT)
        records, rows = {}, {}
        for inputs in read:
            own = {
                TRUE: arrays.get(TRUE),
                inputs.argument: arrays.get(inputs.argument),
                WEIGHT: weight,
            }
            own |= {name: arrays.get(name) for name in inputs.further}
            own = {name: values for name, values in own.items() if values is not None}
            if inputs.argument not in own:
                continue
            if accepted is not None and inputs.argument == PRED and REJECTED not in inputs.further:
                kept = np.flatnonzero(accepted)
                if not len(kept):
                    continue
                own = {name: take_rows(values, kept) for name, values in own.items()}
                own[PRED] = np.asarray(np.ma.getdata(own[PRED]))  # type: ignore[arg-type]
                counted = weight_vector(weight)
                rows[inputs] = np.flatnonzero(
                    accepted if counted is None else accepted[counted > 0]
                )
            first, second = own.pop(TRUE, None), own.pop(inputs.argument)
            names = TRUE, inputs.argument
            records[inputs] = inputs.check(first, second, names=names, labels=labels, **own)
        if counts is None:
            return cls(records, rows=rows)
        for name in (PRED, WEIGHT):
            if arrays.get(name) is not None:
                raise ValueError(
                    f"counts represents the predicted labels of all examples, so {name} does not "
                    "go with it; pass one of the two."
                )
        classes = _class_names(labels, len(counts))
        tables = {each: each.of_table(counts, classes) for each in INPUTS if each.of_table}
        return cls(records, tables)

    @property
    def states(self) -> dict[Inputs, Any]:
        """What metrics are read from."""
        found = {inputs: inputs.hold(record) for inputs, record in self.records.items()}
        return {**found, **self.tables}

    def samples(self, *, whole: bool) -> dict[Inputs, Sample]:
        """Return the resampling units; with `whole`, equal rows are not merged."""
        found = {
            inputs: inputs.sample(record, inputs, not whole)
            for inputs, record in self.records.items()
        }
        return {**found, **{inputs: state.sample for inputs, state in self.tables.items()}}

    def taking(self, rows: Codes) -> EvaluationInput:
        """Return some of the rows, in order, of the same classes."""
        records, part = {}, {}
        for inputs, record in self.records.items():
            own = rows
            if inputs in self.rows:
                own = np.flatnonzero(np.isin(self.rows[inputs], rows))
                part[inputs] = np.searchsorted(rows, self.rows[inputs][own])
            records[inputs] = record.taking(own)
        return EvaluationInput(records, rows=part)


def inputs_read(metrics: Any, given: Mapping[str, Any]) -> tuple[Inputs, ...]:
    """Return the inputs of the requested metrics, or of all whose arrays are given."""
    entries = [] if metrics is None else requested_entries(metrics)
    named = [named_metric(entry) for _, entry in entries if not is_set(entry)]
    found = dict.fromkeys(each.row.kind.inputs for each in named)
    if names_sets(metrics):
        masked = np.ma.isMaskedArray(given.get(PRED))
        there = {name for name, values in given.items() if values is not None}
        there |= {REJECTED} if masked else set()
        read = {n.row.kind.inputs for _, e in entries if is_set(e) for n in members_of(e)}
        usual = [each for each in INPUTS if each.evaluated_with in there]
        # A set of kinds that are read by request only, such as those of survival times.
        own = [each for each in INPUTS if each in read and each.argument in there]
        found |= dict.fromkeys(own if read and not any(e.evaluated_with for e in read) else usual)
    for inputs in found:
        _check_further(inputs, given)
    return tuple(found)


def further_arrays(metrics: Any) -> set[str]:
    """Return the names of further arrays of one entry an example that the metrics may read."""
    read = INPUTS if metrics is None else [n.row.kind.inputs for n in named_metrics(metrics)]
    return {name for inputs in read for name in inputs.further if name != REJECTED}


def _check_further(inputs: Inputs, given: Mapping[str, Any]) -> None:
    """Raise an error for arrays of examples without predictions, or with rejections."""
    named = [name for name in inputs.further if name != REJECTED]
    missing = given.get(inputs.argument) is None or given.get(REJECTED) is not None
    if named and (missing or np.ma.isMaskedArray(given.get(inputs.argument))):
        raise ValueError(
            f"{named[0]} go with {inputs.name}; pass {inputs.argument}, none of them rejected."
        )


def _accepted(arrays: Mapping[str, Any]) -> Any:
    """Return which predictions are not rejected; None where none can be."""
    pred, rejected = arrays.get(PRED), arrays.get(REJECTED)
    if pred is None or (rejected is None and not np.ma.isMaskedArray(pred)):
        return None
    return accepted_rows(pred, rejected=rejected)


def _class_names(labels: Any, classes: int) -> Array:
    """Return the names of the classes of a table."""
    if labels is None:
        return np.arange(classes)
    named = named_labels(labels)
    if len(named) != classes:
        raise ValueError(f"counts has {classes} classes, but labels names {len(named)}.")
    return named
