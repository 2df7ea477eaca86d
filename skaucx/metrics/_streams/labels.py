"""Predicted labels counted chunk by chunk."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..._arrays import Array, Codes, Floats, number_classes, shown
from .._records.counts import Counts, confusion_table
from .._records.inputs import IndicatorPair, LabelPair, refuse_multilabel
from .._states.labels import IndicatorState, LabelState


@dataclass(frozen=True, eq=False)
class LabelCounts:
    """A confusion table over the classes met so far.

    Parameters
    ----------
    classes : ndarray of shape (K,)
        Sorted.
    table, squares, sizes : ndarray of shape (K, K), float64
        The weights of the rows in each cell, their squares, and the number of rows.
    named : ndarray or None
        The caller's ``labels``, in that order.
    weighted : bool
        Whether rows were weighed; else the three tables are one.
    """

    classes: Array
    table: Floats
    squares: Floats
    sizes: Floats
    named: Array | None
    weighted: bool

    @classmethod
    def of(cls, pair: LabelPair) -> LabelCounts:
        """Count a chunk."""
        named = None if pair.named is None else pair.classes[pair.named]
        weights = [None] if pair.weight is None else [pair.weight, pair.weight**2, None]
        tables = [confusion_table(pair.true, pair.pred, len(pair.classes), w) for w in weights]
        table, squares, sizes = tables if len(tables) == 3 else tables * 3
        return cls(pair.classes, table, squares, sizes, named, pair.weight is not None)

    def __add__(self, other: LabelCounts) -> LabelCounts:
        """Return the counts of the rows of both."""
        classes, codes = united(self.classes, other.classes)
        weighted = self.weighted or other.weighted

        def summed(name: str) -> Floats:
            table = np.zeros((len(classes), len(classes)))
            for part, place in zip((self, other), codes, strict=True):
                table[np.ix_(place, place)] += getattr(part, name)
            return table

        table = summed("table")
        others = (summed("squares"), summed("sizes")) if weighted else (table, table)
        return LabelCounts(classes, table, *others, self.named, weighted)

    @property
    def state(self) -> LabelState:
        """What metrics are read from."""
        return LabelState(self.table, self.classes, named_codes(self.classes, self.named))


@dataclass(frozen=True, eq=False)
class IndicatorCounts:
    """Binary counts of each label of multilabel indicators, and how many rows are right as a whole.

    Parameters
    ----------
    counts : Counts
        Of shape (n_labels,).
    rows : ndarray of shape (2, 2), float64
        The table of rows that are right as a whole or wrong.
    named : ndarray of int or None
        The columns that the caller's ``labels`` choose.
    weighted : bool
        Whether rows were weighed.
    """

    counts: Counts
    rows: Floats
    named: Codes | None
    weighted: bool

    @classmethod
    def of(cls, pair: IndicatorPair) -> IndicatorCounts:
        """Count a chunk."""
        whole = IndicatorState(replace(pair, named=None))
        return cls(
            whole.each("macro")[0],
            whole.whole("", multilabel=True),
            pair.named,
            pair.weight is not None,
        )

    def __add__(self, other: IndicatorCounts) -> IndicatorCounts:
        """Return the counts of the rows of both."""
        labels = len(self.counts.tp), len(other.counts.tp)
        if labels[0] != labels[1]:
            raise ValueError(
                f"Chunks have different numbers of labels: {labels[0]} and {labels[1]}."
            )
        pairs = zip(self.counts.cells, other.counts.cells, strict=True)
        counts = Counts(*(a + b for a, b in pairs))
        weighted = self.weighted or other.weighted
        return IndicatorCounts(counts, self.rows + other.rows, self.named, weighted)

    @property
    def state(self) -> CountedIndicators:
        """What metrics are read from."""
        return CountedIndicators(self)


class CountedIndicators(IndicatorState):
    """Multilabel indicators of which only the counts of each label are left."""

    def __init__(self, counted: IndicatorCounts) -> None:
        self.counted = counted

    def whole(self, metric: str, multilabel: bool) -> Floats:
        """Return the table of rows that are right as a whole, or wrong (subset accuracy)."""
        if not multilabel:
            raise refuse_multilabel(metric)
        return self.counted.rows

    def each(self, average: str | None) -> tuple[Counts, Floats, Array]:
        """Return one binary table a label."""
        if average == "samples":
            raise refuse_samples()
        counts, named = self.counted.counts, self.counted.named
        names = np.arange(len(counts.tp)) if named is None else named
        return counts[names], counts[names].positives, names


def united(first: Array, second: Array) -> tuple[Array, list[Codes]]:
    """Return the sorted classes of two parts, and the codes of each part's own."""
    try:
        return number_classes({"the classes so far": first, "those of this part": second})
    except TypeError:
        raise TypeError(
            f"Labels of one kind are needed, found {shown(first)} in one part and {shown(second)} in "
            "another."
        ) from None


def named_codes(classes: Array, named: Array | None) -> Codes | None:
    """Return the codes of the caller's labels."""
    return None if named is None else np.searchsorted(classes, named)


def refuse_samples() -> ValueError:
    """Return the error for an average over rows of which only counts are kept."""
    return ValueError(
        "average='samples' is a mean over rows, and of rows in chunks only counts are kept; choose "
        "'macro', 'micro', 'weighted' or None, or pass arrays in memory."
    )


Labelled = LabelCounts | IndicatorCounts


def label_counts(pair: Any) -> Labelled:
    """Count a chunk of predicted labels or of indicators."""
    return IndicatorCounts.of(pair) if isinstance(pair, IndicatorPair) else LabelCounts.of(pair)
