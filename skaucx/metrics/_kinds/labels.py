"""Predicted labels counted once, from which any number of metrics is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from operator import attrgetter, methodcaller
from typing import Any, ClassVar

import numpy as np

from ..._arrays import Array, Bools, Codes, Floats, label_array, score_array
from ..._options import check_choice
from .._records.counts import (
    Counts,
    TableCells,
    confusion_table,
    each_class,
)
from .._records.inputs import (
    IndicatorPair,
    LabelPair,
    check_binary,
    check_label_pair,
    check_scored_labels,
    check_unit_range,
    known_positive,
    positive_code,
    refuse_multilabel,
    scores_of_positive,
    sorts_first,
    warn_of_positive_of_many,
)
from .averages import NAMED, average_of, averages_over
from .base import (
    Inputs,
    Kind,
    Problem,
    Problems,
    Sample,
    Selected,
    State,
    part_options,
)

# The table of fewer classes takes at most 128 KiB and little time; of more, most metrics read the counts
# of each class, without it.
_MANY_CLASSES = 128


class LabelState(State):
    """A confusion table over sorted classes, or a stack of them, from which metrics are read."""

    def __init__(
        self, table: Floats, classes: Array, named: Codes | None = None, unit: float = 1.0
    ) -> None:
        self.table, self.classes, self.named = table, classes, named
        self.unit = unit  # the least weight of a row
        self._of_class: dict[int, Counts] = {}

    @property
    def of_many(self) -> dict[str, str]:
        """The default average for many classes."""
        return {} if len(self.classes) <= 2 else {"average": "macro"}

    @cached_property
    def one_vs_rest(self) -> Counts:
        """One binary table a class."""
        return Counts.one_vs_rest(self.table)

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
                Counts.from_cells(table if code else table[::-1, ::-1])
                if table.shape == (2, 2)
                else self.one_vs_rest.of_class(code)
            ).ordered(sorts_first(self.classes, code))
        return self._of_class[code]

    def averaged(
        self, average: str | None = "binary", pos_label: Any = None, either: bool = False
    ) -> Problem | Problems:
        """Return what an average evaluates: the counts of one class, of all added up, or of each."""
        if average == "binary" and "binary" in self._rules:
            return Problem(self.binary_counts(pos_label, either))
        rule = self._rules[check_choice("average", average, self._rules)]
        warn_of_positive_of_many(pos_label, average)
        return rule(self, average)

    def _added_up(self, average: str | None) -> Problem:
        return Problem(self.each(average)[0].pooled)

    def _apart(self, average: str | None) -> Problems:
        counts, sizes, names = self.each(average)

        def occurs() -> Bools:
            return np.asarray(counts.tp + counts.fp + counts.fn > 0)

        return Problems(
            lambda formula: formula(counts),
            sizes,
            names,
            added=counts.over_classes,
            occurs=None if self.multilabel else occurs,
        )

    _rules: ClassVar[Mapping[str | None, Callable[..., Problem | Problems]]] = {
        **averages_over(one=_apart, classes=_apart, sums=_added_up)
    }

    def whole(self, metric: str, multilabel: bool) -> Floats:
        """Return the table that a metric of the whole table reads."""
        return self._named_table

    def apart(self, metric: str, multilabel: bool) -> Counts:
        """Return the counts of each class of that table against the rest."""
        return self.one_vs_rest if self.named is None else each_class(self._named_table)

    def right(self, metric: str, multilabel: bool) -> Floats:
        """Return that table, or one of examples that are wrong, or right."""
        return self.whole(metric, multilabel)

    @property
    def outcomes(self) -> Floats:
        """The same of all classes."""
        return self.table

    @property
    def sizes(self) -> Floats:
        """The weight of the examples of each class."""
        return np.asarray(self.table.sum(axis=-1))

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


class CellState(LabelState):
    """A table of many classes, or a stack of them, by its cells: made whole for what reads all of it."""

    def __init__(
        self, cells: Any, classes: Array, named: Codes | None = None, unit: float = 1.0
    ) -> None:
        self.cells, self.classes, self.named, self.unit = cells, classes, named, unit
        self._of_class: dict[int, Counts] = {}

    @cached_property
    def table(self) -> Floats:  # type: ignore[override]
        """The whole table."""
        return self.cells.table

    @cached_property
    def one_vs_rest(self) -> Counts:
        """One binary table a class."""
        return self.cells.one_vs_rest

    outcomes = property(attrgetter("cells.outcomes"), doc="The table of wrong and right examples.")
    sizes = property(attrgetter("one_vs_rest.positives"), doc="The weight of each class.")

    @property
    def _scored(self) -> TableCells:
        return self.cells if self.named is None else self.cells.among(self.named)

    def apart(self, metric: str, multilabel: bool) -> Counts:
        """Return the counts of each scored class against the rest."""
        return self.one_vs_rest if self.named is None else self._scored.one_vs_rest

    def right(self, metric: str, multilabel: bool) -> Floats:
        """Return the table of examples of the scored classes that are wrong, or right."""
        return self._scored.outcomes


class IndicatorState(LabelState):
    """Multilabel indicators, counted a label or a sample at a time."""

    multilabel = True
    of_many: Any = {"average": "macro"}  # noqa: RUF012

    def _samples(self, average: str | None) -> Problems:
        return self._apart(average)._replace(noun="sample")

    _rules: ClassVar[Mapping[str | None, Callable[..., Problem | Problems]]] = {
        **averages_over(classes=LabelState._apart, rows=_samples, sums=LabelState._added_up)
    }

    def __init__(self, pair: IndicatorPair) -> None:
        self.pair, self.unit = pair, _least(pair.weight)

    def whole(self, metric: str, multilabel: bool) -> Floats:
        """Return the table of rows that are right as a whole, or wrong (subset accuracy)."""
        if not multilabel:
            raise refuse_multilabel(metric)
        return self.rows

    def apart(self, metric: str, multilabel: bool) -> Counts:
        """Return the counts of rows that are right as a whole, and of those that are wrong."""
        return each_class(self.whole(metric, multilabel))

    @property
    def rows(self) -> Floats:
        """The table of rows that are right as a whole, or wrong."""
        right = (self.pair.true == self.pair.pred).all(axis=1)
        return confusion_table(np.ones_like(right, dtype=np.intp), right * 1, 2, self.pair.weight)

    def each(self, average: str | None) -> tuple[Counts, Floats, Array]:
        """Return one binary table a label, or one a sample."""
        pair, axis = self.pair, 1 if average_of(average).over == "rows" else 0
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


def label_state(pair: Any) -> LabelState:
    """Count predicted labels."""
    if pair.multilabel:
        return IndicatorState(pair)
    size, named, unit = len(pair.classes), pair.named, _least(pair.weight)
    if named is not None and named.tolist() == [*range(size)]:
        named = None
    if size > _MANY_CLASSES:
        cells = TableCells(pair.true, pair.pred, pair.weight, size)
        return CellState(cells, pair.classes, named, unit)
    table = confusion_table(pair.true, pair.pred, size, pair.weight)
    return LabelState(table, pair.classes, named, unit)


def _least(weight: Floats | None) -> float:
    """Return the least positive weight of a row."""
    return 1.0 if weight is None else float(np.min(weight))


class LabelSample(Sample):
    """True and predicted labels."""

    counted = True

    def __init__(self, pair: LabelPair, inputs: Any = None, collapse: bool = False) -> None:
        self.record = self.pair = pair
        cells = pair.true * len(pair.classes) + pair.pred
        self.weight = pair.weight
        if collapse and pair.weight is None:
            cells, self.multiplicity = np.unique(cells, return_counts=True)
        self.cells, self.n_rows, self.n_cells = cells, len(cells), len(pair.classes) ** 2
        self.strata = None if pair.strata is None else cells // len(pair.classes)
        self._order = np.argsort(cells, kind="stable")
        self._cells, self._starts = np.unique(cells[self._order], return_index=True)

    @cached_property
    def state(self) -> LabelState:
        """The confusion table of the sample itself."""
        once = np.ones(self.n_rows) if self.multiplicity is None else 1.0 * self.multiplicity
        return self._state(self._held(once[None])[0])

    def reweighted(self, counts: Floats) -> LabelState:
        """Return one confusion table a replicate."""
        return self._state(self._held(counts))

    def _held(self, counts: Floats) -> Floats:
        """Return the weight that each cell holds in each replicate."""
        weight = counts if self.weight is None else counts * self.weight
        return np.asarray(np.add.reduceat(weight[:, self._order], self._starts, axis=1))

    def _state(self, held: Floats) -> LabelState:
        size, named = len(self.pair.classes), (self.pair.classes, self.pair.named)
        if size > _MANY_CLASSES:
            true, pred = divmod(self._cells, size)
            return CellState(TableCells(true, pred, held, size), *named)
        tables = np.zeros((*held.shape[:-1], size * size))
        tables[..., self._cells] = held
        return LabelState(tables.reshape(*held.shape[:-1], size, size), *named)

    def each_class(self, options: Mapping[str, Any]) -> list[tuple[Sample, dict[str, Any]]]:
        """Return the sample of each class against all others."""
        alone = {**options, "pos_label": True, "average": "binary"}
        codes = range(len(self.pair.classes)) if self.pair.named is None else self.pair.named
        return [(self.against_rest(int(code)), alone) for code in codes]

    def against_rest(self, code: int, column: int = 0) -> LabelSample:
        """Return the sample of one class against all others."""
        classes = np.array([False, True])
        if self.multiplicity is not None:
            return sample_of_table(self.state.one_vs_rest[..., code].table, classes)
        true, pred = ((side == code).astype(np.intp) for side in (self.pair.true, self.pair.pred))
        return LabelSample(LabelPair(classes, true, pred, self.pair.weight, None))


def sample_of_table(table: Array, classes: Array, named: Codes | None = None) -> LabelSample:
    """Return the sample that a K x K table counts, a row a cell."""
    true, pred = np.nonzero(table)
    sample = LabelSample(LabelPair(classes, true, pred, None, named))
    sample.multiplicity = table[true, pred].astype(np.int64)
    return sample


def _label_sample(pair: Any, inputs: Any, collapse: bool = False) -> Sample:
    """Return the resampling units of labels; with `collapse`, equal pairs become one row."""
    if pair.multilabel:
        return Sample(pair, inputs)
    return LabelSample(pair, inputs, collapse)


@dataclass(frozen=True, eq=False)
class CutColumns(IndicatorPair):
    """Whether the probability of each of many classes reaches the threshold, a column each."""

    columns: Array


class CutColumnsState(IndicatorState):
    """The tables of one class against the rest, named by the classes."""

    pair: CutColumns

    def each(self, average: str | None) -> Any:
        """Return one binary table a class, or one a row."""
        counts, sizes, names = super().each(average)
        return (
            counts,
            sizes,
            names if average_of(average).over == "rows" else self.pair.columns[names],
        )


def _hold(pair: Any) -> Any:
    return CutColumnsState(pair) if isinstance(pair, CutColumns) else label_state(pair)


def _check(
    threshold: float,
    pos_label: Any,
    y_true: Any,
    y_score: Any,
    *,
    names: Sequence[str] = ("y_true", "y_score"),
    **given: Any,
) -> Any:
    """Check probabilities, and cut them: a row is called positive from the threshold on."""
    scored = check_scored_labels(y_true, y_score, names=names, **given)
    _check_range(threshold, scored.extremes, names[1])
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
    return CutColumns(true, above, scored.weight, None, classes[columns])


def _check_range(threshold: float, extremes: tuple[Any, Any], name: str = "y_score") -> None:
    check_unit_range(extremes, f"The threshold {threshold:g}, at which {name} is cut,")


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
        read=score_array,
        read_true=label_array,
        check=partial(_check, threshold, pos_label),
        make_state=_hold,
        of_response=scores_of_positive,
        in_columns=True,
        evaluated_with=None,
        cut=None,
    )


LABELS = Inputs(
    "predicted labels",
    "y_pred",
    read=label_array,
    read_true=label_array,
    check=check_label_pair,
    make_state=label_state,
    sample=_label_sample,
    of_classes=True,
    evaluated_with="y_pred",
    cut=cut_scores,
)


def _counts(metric: Any, options: Mapping[str, Any], scored: bool) -> Selected:
    settings, own = part_options(options, ("average", "pos_label"))
    settings["either"] = metric.symmetric
    return methodcaller("averaged", **settings), own


def _table(metric: Any, options: Mapping[str, Any], scored: bool) -> Selected:
    _, own = part_options(options, ("average", "pos_label"))
    return lambda state: Problem(state.whole(metric.name, metric.multilabel)), own


def _right(metric: Any, options: Mapping[str, Any], scored: bool) -> Selected:
    _, own = part_options(options, ("average", "pos_label"))
    return lambda state: Problem(state.right(metric.name, metric.multilabel)), own


def _classes(metric: Any, options: Mapping[str, Any], scored: bool) -> Selected:
    _, own = part_options(options, ("average", "pos_label"))
    return lambda state: Problem(state.apart(metric.name, metric.multilabel)), own


def _cells(metric: Any, options: Mapping[str, Any], scored: bool) -> Selected:
    right, own = _right(metric, options, scored)

    def problem(state: Any) -> Problem | Problems:
        each_label = state.multilabel
        return Problem(state.each("micro")[0].pooled.table) if each_label else right(state)

    return problem, own


_BY_CLASS: Mapping[str, Mapping[str, str]] = {"": {}} | {
    f"_{average}": {"average": average} for average in NAMED
}
COUNTS = Kind(
    "counts",
    LABELS,
    _counts,
    options={"labels": None, "pos_label": None, "average": "binary"},
    multilabel=True,
    suffixes=_BY_CLASS,
    of_counts=lambda counts: counts,
    of_tables=lambda cells: Counts.from_table(check_binary(cells)),
)
TABLE = Kind(
    "table",
    LABELS,
    _table,
    of_counts=attrgetter("by_label"),
    of_tables=lambda cells: cells,
)
# Tables of which only the counts of each class against the rest are read.
CLASSES = replace(
    TABLE,
    select=_classes,
    of_counts=lambda counts: Counts.one_vs_rest(counts.table),
    of_tables=Counts.one_vs_rest,
)
# Tables of which only the right and the wrong examples are read.
RIGHT = replace(TABLE, select=_right)
# Tables as above; of multilabel indicators that of all cells, not of whole rows.
CELLS = replace(TABLE, select=_cells, multilabel=True)
