"""Predicted labels counted once, from which any number of metrics is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np

from ..._arrays import Array, Codes, Floats
from ..._compat import cached_property
from ..._options import check_choice
from .._records.counts import Counts, confusion_table
from .._records.inputs import (
    IndicatorPair,
    LabelPair,
    positive_code,
    refuse_multilabel,
    warn_of_positive_of_many,
)
from .problems import Problem, Problems


class LabelState:
    """A confusion table over sorted classes, or a stack of them, from which metrics are read."""

    def __init__(
        self, table: Floats, classes: Array, named: Codes | None = None, unit: float = 1.0
    ) -> None:
        self.table, self.classes, self.named = table, classes, named
        self.unit = unit  # the least weight of a row
        self._of_class: dict[int, Counts] = {}

    multilabel = False

    @property
    def of_many(self) -> dict[str, str]:
        """The average that stands for that of one class, where there are many."""
        return {} if len(self.classes) <= 2 else {"average": "macro"}

    def read(self, evaluate: Callable[[Any], Any], **options: Any) -> Any:
        """Return what `evaluate` makes of the state."""
        return evaluate(self)

    @cached_property
    def one_vs_rest(self) -> Counts:
        """One binary table a class."""
        return Counts.one_vs_rest(self.table)

    def binary_counts(self, pos_label: Any, either: bool = False) -> Counts:
        """Return the table of the positive class; of nan where no rule tells which that is."""
        code = positive_code(self.classes, pos_label, either=either)
        if code is None:
            return Counts(*np.full(4, np.nan))
        if code < 0:
            total = np.asarray(self.table.sum(axis=(-2, -1)))
            nothing = np.zeros_like(total)
            return Counts(nothing, nothing, nothing, total)
        if code not in self._of_class:
            self._of_class[code] = self._against_rest(code)
        return self._of_class[code]

    def _against_rest(self, code: int) -> Counts:
        if self.table.shape == (2, 2):
            return Counts.from_cells(self.table if code else self.table[::-1, ::-1])
        return self.one_vs_rest[code if self.table.ndim == 2 else (..., code)]

    def averaged(
        self, average: str | None = "binary", pos_label: Any = None, either: bool = False
    ) -> Problem | Problems:
        """Return what an average evaluates: the counts of one class, of all added up, or of each."""
        rule = self._rules[check_choice("average", average, self._rules)]
        if average == "binary":
            return Problem(self.binary_counts(pos_label, either))
        warn_of_positive_of_many(pos_label, average)
        return rule(self, average)

    def _added_up(self, average: str | None) -> Problem:
        return Problem(self.each(average)[0].pooled)

    def _apart(self, average: str | None) -> Problems:
        counts, sizes, names = self.each(average)
        return Problems(lambda formula: formula(counts), sizes, names)

    _rules: ClassVar[Mapping[str | None, Callable[..., Problem | Problems]]] = {
        "binary": _apart,
        "macro": _apart,
        "micro": _added_up,
        "weighted": _apart,
        None: _apart,
    }

    def whole(self, metric: str, multilabel: bool) -> Floats:
        """Return the table that a metric of the whole table reads."""
        return self._named_table

    @cached_property
    def _named_table(self) -> Floats:
        if self.named is None:
            return self.table
        return self.table[..., self.named[:, None], self.named]

    def each(self, average: str | None) -> tuple[Counts, Floats, Array]:
        """Return the binary tables to average over, the size and the name of each."""
        counts, classes = self.one_vs_rest, self.classes
        if self.named is not None:
            counts, classes = counts[..., self.named], classes[self.named]
        return counts, counts.positives, classes


class IndicatorState(LabelState):
    """Multilabel indicators, counted a label or a sample at a time."""

    multilabel = True
    of_many: ClassVar[dict[str, str]] = {"average": "macro"}

    def _samples(self, average: str | None) -> Problems:
        return self._apart(average)._replace(noun="sample")

    _rules: ClassVar[Mapping[str | None, Callable[..., Problem | Problems]]] = {
        "samples": _samples,
        "macro": LabelState._apart,
        "micro": LabelState._added_up,
        "weighted": LabelState._apart,
        None: LabelState._apart,
    }

    def __init__(self, pair: IndicatorPair) -> None:
        self.pair, self.unit = pair, _least(pair.weight)

    def whole(self, metric: str, multilabel: bool) -> Floats:
        """Return the table of rows that are right as a whole, or wrong (subset accuracy)."""
        if not multilabel:
            raise refuse_multilabel(metric)
        right = (self.pair.true == self.pair.pred).all(axis=1)
        return confusion_table(np.ones_like(right, dtype=np.intp), right * 1, 2, self.pair.weight)

    def each(self, average: str | None) -> tuple[Counts, Floats, Array]:
        """Return one binary table a label, or one a sample."""
        pair, axis = self.pair, 1 if average == "samples" else 0
        true, pred = pair.true, pair.pred
        names = np.arange(true.shape[1]) if pair.named is None else pair.named
        true, pred = true[:, names], pred[:, names]
        weight = None if axis or pair.weight is None else pair.weight[:, None]
        counts = Counts(
            *(
                cells.sum(axis=axis, dtype=np.float64)
                if weight is None
                else (cells * weight).sum(axis=axis)
                for cells in (true & pred, ~true & pred, true & ~pred, ~true & ~pred)
            )
        )
        if axis == 0:
            return counts, counts.positives, names
        sizes = np.ones(len(true)) if pair.weight is None else pair.weight
        return counts, sizes, np.arange(len(true))


def label_state(pair: LabelPair | IndicatorPair) -> LabelState:
    """Count predicted labels."""
    if isinstance(pair, IndicatorPair):
        return IndicatorState(pair)
    table = confusion_table(pair.true, pair.pred, len(pair.classes), pair.weight)
    named = pair.named
    whole = named is not None and named.tolist() == [*range(len(pair.classes))]
    return LabelState(table, pair.classes, None if whole else named, _least(pair.weight))


def _least(weight: Floats | None) -> float:
    """Return the least weight of a row, those of weight 0 being left out."""
    return 1.0 if weight is None else float(np.min(weight))
