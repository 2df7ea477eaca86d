"""An evaluation from gold labels of some rows and a judge's labels of all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._arrays import Codes, take_rows
from .._registry.names import NamedMetric
from ..estimation._gold import missing
from ..estimation._interval import Interval, intervals
from ..kinds.base import PRED, SCORE, TRUE, WEIGHT
from .grouped import GroupedEvaluation, Partition, compared
from .input import EvaluationInput
from .reading import EvaluationRequest
from .result import Evaluation
from .uncertain import Certainty
from .values import read_metrics

_ROWS = (TRUE, PRED, SCORE, WEIGHT)


@dataclass(frozen=True, eq=False)
class GoldEvaluation:
    """The arrays of an evaluation, and what says which rows have gold labels.

    Attributes
    ----------
    arrays : dict of str to array-like or None
    gold : dict of str to array-like or None
        `judged`, `labelled`, `strata` and `inclusion`, as :func:`interval` takes them.
    labels : array-like or None
    certainty : Certainty
        That of the estimates, which come with their intervals.
    """

    arrays: Mapping[str, Any]
    gold: Mapping[str, Any]
    labels: Any
    certainty: Certainty

    @classmethod
    def of(
        cls, arrays: Mapping[str, Any], gold: Mapping[str, Any], labels: Any, certainty: Certainty
    ) -> GoldEvaluation | None:
        """Refuse what gold labels do not correct; return None where all rows have theirs."""
        if all(each is None for each in gold.values()):
            return None
        for name in (name for name, given in arrays.items() if given is not None):
            if name not in _ROWS:
                raise ValueError(f"{name} cannot be combined with gold labels of some rows.")
        truth, marked = np.asarray(arrays[TRUE]), gold["labelled"]
        if truth.ndim != 1:
            raise ValueError(f"y_true must be a vector, found shape {truth.shape}.")
        chosen = ~missing(truth) if marked is None else np.asarray(marked)
        if labels is None:
            labels = np.unique(truth[chosen])
        given = {name: arrays[name] for name in _ROWS}
        return cls(given, {**gold, "labelled": chosen}, labels, certainty)

    def evaluated(self, requested: EvaluationRequest, by: Any) -> Evaluation | GroupedEvaluation:
        """Return the corrected metrics of all rows, or of every group."""
        size = len(np.asarray(self.arrays[TRUE]))
        overall = self._of(np.arange(size), requested)
        if by is None:
            return overall
        parts = Partition.of(by, np.arange(size), None)
        rows = {key: np.flatnonzero(parts.codes == code) for code, key in enumerate(parts.keys)}

        def of(key: Any, reading: EvaluationRequest) -> Evaluation:
            return self._of(rows[key], reading)

        sizes = {key: len(own) for key, own in rows.items()}
        return compared(of, sizes, overall, parts.names, requested)

    def _of(self, rows: Codes, requested: EvaluationRequest) -> Evaluation:
        own, gold = _taken(self.arrays, rows), _taken(self.gold, rows)
        chosen = np.flatnonzero(gold["labelled"])
        # The gold rows alone say which metrics there are, and with which options.
        given = EvaluationInput.of(_taken(own, chosen), self.labels, None, requested.metrics)
        found = read_metrics(given.states, requested.metrics, requested.parameters)
        certainty = self.certainty if requested.certainty is None else requested.certainty
        certain: dict[str, Interval] = {}
        for inputs in given.records:
            wanted = [each for each in found.read if each.row.kind.inputs is inputs]
            if wanted:
                certain |= self._intervals(wanted, own, gold, rows, certainty)
        certain = {key: certain[key] for key in found.values}
        values = {key: each.estimate for key, each in certain.items()}
        return Evaluation(
            values,
            found.rows,
            found.classes,
            found.note,
            {},
            certain if requested.certainty else {},
        )

    def _intervals(
        self,
        wanted: list[NamedMetric],
        own: Mapping[str, Any],
        gold: Mapping[str, Any],
        rows: Codes,
        certainty: Certainty,
    ) -> dict[str, Interval]:
        named: Any = wanted
        return intervals(
            named,
            own[TRUE],
            own[wanted[0].row.kind.inputs.argument],
            sample_weight=own[WEIGHT],
            confidence_level=certainty.confidence_level,
            alternative=certainty.alternative,
            groups=None if certainty.groups is None else certainty.groups[rows],
            **gold,
            **({} if self.labels is None else {"labels": self.labels}),
        )


def _taken(arrays: Mapping[str, Any], rows: Codes) -> dict[str, Any]:
    return {name: None if each is None else take_rows(each, rows) for name, each in arrays.items()}
