"""Predicted labels counted from which any number of metrics is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np

from ..._arrays import Array, Codes, Floats
from ..._compat import warn
from .._records.counts import (
    Counts,
    TableCells,
    confusion_table,
)
from .._records.inputs import (
    IndicatorPair,
    LabelPair,
    check_label_pair,
    check_scored_labels,
    check_unit_range,
    known_positive,
    names_one_class,
    positive_code,
    refuse_multilabel,
    scores_of_positive,
    sorts_first,
)
from .averages import NAMED, average_of
from .base import (
    Inputs,
    Kind,
    Problem,
    Sample,
    State,
)

# The table of fewer classes takes at most 128 KiB and little time; of more, most metrics read the counts
# of each class, without it.
_MANY_CLASSES = 128


class LabelState(State):
    """A confusion table over sorted classes, or a stack of them, from which metrics are read.

    Of many classes it is held by its `cells`, and made whole for what reads all of it.
    """

    ways: ClassVar[tuple[str, ...]] = ("one", "classes", "sums")

    def __init__(
        self,
        table: Floats | None,
        classes: Array,
        named: Codes | None = None,
        unit: float = 1.0,
        cells: TableCells | None = None,
    ) -> None:
        self.classes, self.named, self.unit, self._cells = classes, named, unit, cells
        if table is not None:
            self.table = table
        self._of_class: dict[int, Counts] = {}

    @cached_property
    def table(self) -> Floats:
        """The whole table."""
        return self._cells.table  # type: ignore[union-attr]

    @property
    def of_many(self) -> dict[str, str]:
        """The default average for many classes."""
        return {} if len(self.classes) <= 2 else {"average": "macro"}

    @cached_property
    def one_vs_rest(self) -> Counts:
        """One binary table a class."""
        return self._cells.one_vs_rest if self._cells else Counts.one_vs_rest(self.table)

    def binary_counts(self, pos_label: Any, either: bool = False) -> Counts:
        """Return the table of the positive class; nan if it is unknown."""
        code = positive_code(self.classes, pos_label, either=either)
        if code is None:
            return Counts(*np.full(4, np.nan))
        if code < 0:
            total = np.asarray(self.one_vs_rest.of_class(0).total)
            nothing, first = np.zeros_like(total), sorts_first(self.classes, code, pos_label)
            return Counts(nothing, nothing, nothing, total).ordered(first)
        if code not in self._of_class:
            table = self.table
            self._of_class[code] = (
                Counts.from_cells(table if code else table[..., ::-1, ::-1])
                if table.shape[-2:] == (2, 2)
                else self.one_vs_rest.of_class(code)
            ).ordered(sorts_first(self.classes, code))
        return self._of_class[code]

    def averaged(
        self, average: str | None = "binary", pos_label: Any = None, either: bool = False
    ) -> Problem:
        """Return what an average evaluates: the counts of one class, of all added up, or of each."""
        rule = average_of(average, self.ways)
        if rule.over == "one":
            return Problem(self.binary_counts(pos_label, either))
        if names_one_class(pos_label):
            warn(
                f"pos_label={pos_label!r} is ignored with average={average!r}, which takes every class "
                "as positive in turn; labels=[...] chooses classes."
            )
        counts, sizes, names = self.each(average)
        if rule.over == "sums":
            return Problem(counts.pooled)
        noun = "sample" if rule.over == "rows" else "class"
        occurs = None if self.multilabel else counts.tp + counts.fp + counts.fn > 0
        return Problem(None, lambda formula: formula(counts), sizes, names, noun, occurs)

    @cached_property
    def scored(self) -> Floats:
        """The table of the scored classes."""
        if self.named is None:
            return self.table
        return self.table[..., self.named[:, None], self.named]

    @property
    def apart(self) -> Counts:
        """The counts of each scored class against the rest."""
        if self.named is None:
            return self.one_vs_rest
        return Counts.one_vs_rest(self.scored) if self._cells is None else self._among.one_vs_rest

    @property
    def right(self) -> Floats:
        """The table of the scored classes, or one of examples that are wrong, or right."""
        return self.scored if self._cells is None else self._among.outcomes

    cells = right

    @property
    def _among(self) -> Any:
        """The cells of the scored classes."""
        return self._cells if self.named is None else self._cells.among(self.named)  # type: ignore[union-attr]

    def each(self, average: str | None) -> tuple[Counts, Floats, Array]:
        """Return the binary tables to average over, the size and the name of each."""
        counts, classes = self.one_vs_rest, self.classes
        if self.named is not None:
            counts, classes = counts[..., self.named], classes[self.named]
        return counts, counts.positives, classes


class IndicatorState(LabelState):
    """Multilabel indicators, counted a label or a sample at a time."""

    multilabel = True
    of_many: Any = {"average": "macro"}  # noqa: RUF012
    ways: ClassVar[tuple[str, ...]] = ("classes", "rows", "sums")

    def __init__(self, pair: IndicatorPair) -> None:
        self.pair, self.unit = pair, float(pair.weights.min())

    @property
    def right(self) -> Floats:
        """The table of rows that are right as a whole, or wrong (subset accuracy)."""
        right = (self.pair.true == self.pair.pred).all(axis=1)
        return confusion_table(np.ones_like(right, dtype=np.intp), right * 1, 2, self.pair.weight)

    @property
    def cells(self) -> Floats:
        """The table of all cells."""
        return self.each("micro")[0].pooled.table

    def each(self, average: str | None) -> tuple[Counts, Floats, Array]:
        """Return one binary table a label, or one a sample."""
        pair, axis = self.pair, 1 if average_of(average).over == "rows" else 0
        codes = np.arange(pair.true.shape[1]) if pair.named is None else pair.named
        true, pred = pair.true[:, codes], pair.pred[:, codes]
        weight = 1.0 if axis or pair.weight is None else pair.weight[:, None]
        cells = true & pred, ~true & pred, true & ~pred, ~true & ~pred
        counts = Counts(*((cell * weight).sum(axis=axis) for cell in cells))
        if axis == 0:
            return counts, counts.positives, codes if pair.columns is None else pair.columns[codes]
        return counts, pair.weights, np.arange(len(true))


def label_state(pair: Any) -> LabelState:
    """Count predicted labels."""
    if pair.multilabel:
        return IndicatorState(pair)
    size, named, unit = len(pair.classes), pair.named, float(pair.weights.min())
    if named is not None and named.tolist() == [*range(size)]:
        named = None
    if size > _MANY_CLASSES:
        cells = TableCells(pair.true, pair.pred, pair.weight, size)
        return LabelState(None, pair.classes, named, unit, cells)
    table = confusion_table(pair.true, pair.pred, size, pair.weight)
    return LabelState(table, pair.classes, named, unit)


def sample_of_table(table: Array, classes: Array, named: Codes | None = None) -> Sample:
    """Return the sample that a K x K table counts, a row a cell."""
    true, pred = np.nonzero(table)
    pair = LabelPair(classes, true, pred, None, named)
    return Sample(pair, LABELS, table[true, pred].astype(np.int64))


def _check(
    threshold: float,
    pos_label: Any,
    y_true: Any,
    y_score: Any,
    *,
    names: Sequence[str] = ("y_true", "y_score"),
    **given: Any,
) -> Any:
    """Check probabilities, and cut them: a row is predicted positive from the threshold on."""
    scored = check_scored_labels(y_true, y_score, names=names, **given)
    check_unit_range(scored.extremes, f"The threshold {threshold:g}, at which {names[1]} is cut,")
    above = scored.score >= threshold
    if scored.multilabel:
        return IndicatorPair(scored.true, above, scored.weight, None)
    classes = scored.classes
    if scored.one_column or (len(classes) == 2 and scored.score.shape[1] == 2):
        code = known_positive(positive_code(classes, pos_label))
        called = above if scored.one_column else above[:, code]
        both, positive = both_classes(classes, code, pos_label)
        true, pred = (
            np.where(side, positive, 1 - positive) for side in (scored.true == code, called)
        )
        return LabelPair(both, true, pred, scored.weight, None)
    columns = scored.columns if scored.columns is not None else np.arange(len(classes))
    true = scored.true[:, None] == columns
    return IndicatorPair(true, above, scored.weight, None, classes[columns])


def both_classes(classes: Array, code: int, pos_label: Any) -> tuple[Array, int]:
    """Return two classes, of which a lone one may be either, and the code of the positive one."""
    if len(classes) == 2:
        return classes, code
    positive = classes[0] if code == 0 else np.asarray(1 if pos_label is None else pos_label)
    other = classes[0]
    if code == 0:  # any other label stands for the class that does not occur
        other = f"not {positive}" if positive.dtype.kind in "OUS" else 1 * (positive == 0)
    both = np.unique(np.array([other, positive.item()], dtype=None))
    return both, int(np.flatnonzero(both == positive)[0])


@lru_cache(maxsize=256, typed=True)
def cut_scores(threshold: float, pos_label: Any = None) -> Inputs:
    """Return the input of metrics of labels that reads probabilities and cuts them."""
    return replace(
        LABELS,
        name=f"probabilities cut at {threshold:g}",
        argument="y_score",
        check=partial(_check, threshold, pos_label),
        of_response=scores_of_positive,
        evaluated_with=None,
        cut=None,
    )


LABELS = Inputs(
    "predicted labels",
    "y_pred",
    check=check_label_pair,
    make_state=label_state,
    of_classes=True,
    evaluated_with="y_pred",
    cut=cut_scores,
)


def _counts(reading: Any, state: Any, **settings: Any) -> Any:
    return state.averaged(**settings, either=reading.metric.symmetric)


def _table(reading: Any, state: Any, read: str, **settings: Any) -> Problem:
    if state.multilabel and not reading.metric.kind.multilabel:
        raise refuse_multilabel(reading.metric.name)
    return Problem(getattr(state, read))


_BY_CLASS: Mapping[str, Mapping[str, str]] = {"": {}} | {
    f"_{average}": {"average": average} for average in NAMED
}
COUNTS = Kind(
    "counts",
    LABELS,
    _counts,
    ("average", "pos_label"),
    options={"labels": None, "pos_label": None, "average": "binary"},
    multilabel=True,
    suffixes=_BY_CLASS,
    of_counts=lambda counts: counts,
)
TABLE = Kind(
    "table",
    LABELS,
    partial(_table, read="scored"),
    ("average", "pos_label"),
    of_counts=attrgetter("by_label"),
)
# Tables of which only the counts of each class against the rest are read.
CLASSES = replace(
    TABLE,
    problem=partial(_table, read="apart"),
    of_counts=lambda counts: Counts.one_vs_rest(counts.table),
)
# Tables of which only the right and the wrong examples are read.
RIGHT = replace(TABLE, problem=partial(_table, read="right"))
# Tables as above; of multilabel indicators that of all cells, not of whole rows.
CELLS = replace(TABLE, problem=partial(_table, read="cells"), multilabel=True)
