"""A metric of two classifiers on resampled examples, and on examples whose predictions change sides.

Each class below holds the predictions of two classifiers on the same examples and returns the metric
of both for many replicates at once: drawn with replacement, or with the two predictions of random
examples exchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np
from scipy import sparse, stats

from .._arrays import Array, Bools, Codes, Floats
from .._averaging import apply, settle
from .._counts import Counts
from .._declare import MetricFunction
from .._inputs import LabelPair, positive_code
from .._states import LabelState
from ..intervals._resampling import Resampling

# Numbers that are held at once: replicates times examples, or times cells.
_AT_ONCE = 1 << 20
# Exchanges that are enumerated rather than drawn.
MOST_EXACT = 1 << 14


class Replicates(Protocol):
    """The metric of two classifiers on replicates of their examples."""

    def drawn(self, rng: np.random.Generator, size: int, stratify: bool) -> Floats:
        """Return the metric of both on examples drawn with replacement, shape (2, size)."""

    def exchanged(self, rng: np.random.Generator, size: int) -> Floats:
        """Return the metric of both after random exchanges, shape (2, size)."""

    def every_exchange(self) -> tuple[Floats, Floats] | None:
        """Return the metric of both after all exchanges, and how probable each is; None if many."""


class LabelReplicates:
    """Predicted labels without weights: counts of the cells (true, first, second) are all there is.

    Resampled examples fall into the cells by a multinomial distribution, and of the examples that
    one classifier calls i and the other j a binomial number changes sides.

    Parameters
    ----------
    function : MetricFunction
        A metric that reads labels.
    first, second : LabelPair
        True labels with those of each classifier, numbered by the same classes.
    options : dict
        Parameters of the metric, `zero_division` among them.
    """

    def __init__(
        self,
        function: MetricFunction,
        first: LabelPair,
        second: LabelPair,
        options: dict[str, Any],
    ) -> None:
        self.function, self.options = function, options
        self.classes, self.named = first.classes, first.named
        k = len(self.classes)
        codes = (first.true * k + first.pred) * k + second.pred
        swapped = (first.true * k + second.pred) * k + first.pred
        # Cells that occur, or would after an exchange.
        self.cells = np.unique(np.concatenate([codes, swapped]))
        self.counts = np.bincount(np.searchsorted(self.cells, codes), minlength=len(self.cells))
        self.true, self.a, self.b = np.unravel_index(self.cells, (k, k, k))

    def drawn(self, rng: np.random.Generator, size: int, stratify: bool) -> Floats:
        strata = self.true if stratify else None
        plan = Resampling(len(self.cells), strata=strata, multiplicity=self.counts)
        return np.concatenate([self._values(c) for c in plan.resamples(size, rng)], axis=1)

    def exchanged(self, rng: np.random.Generator, size: int) -> Floats:
        here, there, sizes = self._exchanges()
        return np.concatenate(
            [
                self._values(
                    self._moved(here, there, sizes, rng.binomial(sizes, 0.5, (rows, len(sizes))))
                )
                for rows in _chunks(size, len(self.cells))
            ],
            axis=1,
        )

    def every_exchange(self) -> tuple[Floats, Floats] | None:
        here, there, sizes = self._exchanges()
        if np.log(sizes + 1.0).sum() > np.log(MOST_EXACT * 64):
            return None
        shape = tuple((sizes + 1).tolist())
        outcomes = int(np.prod(shape))
        found, probability = [], []
        start = 0
        for rows in _chunks(outcomes, len(self.cells)):
            at = np.unravel_index(np.arange(start, start + rows), shape) if shape else ()
            kept = np.array(at, dtype=np.intp).reshape(len(sizes), rows).T
            found.append(self._values(self._moved(here, there, sizes, kept)))
            probability.append(np.prod(stats.binom.pmf(kept, sizes, 0.5), axis=1))
            start += rows
        return np.concatenate(found, axis=1), np.concatenate(probability)

    def _exchanges(self) -> tuple[Codes, Codes, Codes]:
        """Return the cells (t, i, j) and (t, j, i) with i < j, and the examples in both."""
        k = len(self.classes)
        here = np.flatnonzero(self.a < self.b)
        there = np.searchsorted(self.cells, (self.true[here] * k + self.b[here]) * k + self.a[here])
        return here, there, self.counts[here] + self.counts[there]

    def _moved(self, here: Codes, there: Codes, sizes: Codes, kept: Codes) -> Codes:
        counts = np.tile(self.counts, (len(kept), 1))
        counts[:, here], counts[:, there] = kept, sizes - kept
        return counts

    def _values(self, counts: Array) -> Floats:
        """Return the metric of both classifiers for counts of the cells, shape (2, rows)."""
        k, cells = len(self.classes), np.arange(len(self.cells))
        values = np.empty((2, len(counts)))
        for found, predicted in zip(values, (self.a, self.b), strict=True):
            at = (cells, self.true * k + predicted)
            place = sparse.csr_array((np.ones(len(cells)), at), shape=(len(cells), k * k))
            start = 0
            for rows in _chunks(len(counts), k * k):
                part = np.asarray(counts[start : start + rows].astype(np.float64) @ place)
                found[start : start + rows] = self._of_tables(part.reshape(-1, k, k))
                start += rows
        return values

    def _of_tables(self, tables: Floats) -> Floats:
        """Return the metric of each table: all at once where it reads one class or all cells."""
        row, own = self.function.metric, dict(self.options)
        average, pos_label = own.pop("average", "binary"), own.pop("pos_label", None)
        filler = own.pop("zero_division")
        if row.reads == "table" and self.named is None:
            return np.asarray(settle(row, apply(row, tables, own), filler))
        code = positive_code(self.classes, pos_label) if average == "binary" else None
        if row.reads == "counts" and code is not None and code >= 0:
            counts = Counts.one_vs_rest(tables)[..., code]
            return np.asarray(settle(row, apply(row, counts, own), filler))
        return np.array([self._of_table(table) for table in tables])

    def _of_table(self, table: Floats) -> Any:
        state = LabelState(table, self.classes, self.named)
        return state.value(self.function.metric, **self.options)


class ExampleReplicates:
    """Predictions of any kind, judged replicate by replicate.

    Parameters
    ----------
    value : callable
        Called as ``value(y_true, y_pred, times)`` with how often each example counts.
    y_true : ndarray of shape (n, ...)
    first, second : ndarray of shape (n, ...)
        The predictions of the two classifiers.
    strata : ndarray of shape (n,), int
        Class of each example.
    groups : ndarray of shape (n,), int, default=None
        Examples of one code are drawn together.
    """

    def __init__(
        self,
        value: Callable[[Array, Array, Array], float],
        y_true: Array,
        first: Array,
        second: Array,
        strata: Codes,
        groups: Codes | None = None,
    ) -> None:
        self.value, self.y_true, self.first, self.second = value, y_true, first, second
        self.strata, self.groups = strata, groups
        unlike = (first != second).reshape(len(first), -1).any(axis=1)
        self.unlike = np.flatnonzero(unlike)

    def drawn(self, rng: np.random.Generator, size: int, stratify: bool) -> Floats:
        strata = self.strata if stratify else None
        plan = Resampling(len(self.strata), strata=strata, groups=self.groups)
        return np.concatenate([self.of_counts(c) for c in plan.resamples(size, rng)], axis=1)

    def exchanged(self, rng: np.random.Generator, size: int) -> Floats:
        return np.concatenate(
            [
                self.of_exchanges(rng.random((rows, len(self.unlike))) < 0.5)
                for rows in _chunks(size, len(self.strata))
            ],
            axis=1,
        )

    def every_exchange(self) -> tuple[Floats, Floats] | None:
        outcomes = 2.0 ** len(self.unlike)
        if outcomes > MOST_EXACT:
            return None
        bits = np.arange(int(outcomes))[:, None] >> np.arange(len(self.unlike)) & 1
        return self.of_exchanges(bits.astype(bool)), np.full(len(bits), 1 / outcomes)

    def of_counts(self, counts: Array) -> Floats:
        """Return the metric of both where example i counts `counts[r, i]` times, shape (2, rows)."""
        return np.array(
            [
                [self.value(self.y_true, pred, times) for times in counts]
                for pred in (self.first, self.second)
            ]
        )

    def of_exchanges(self, exchange: Bools) -> Floats:
        """Return the metric of both with the unlike predictions exchanged where said, (2, rows)."""
        once = np.ones(len(self.y_true), dtype=np.intp)
        values = np.empty((2, len(exchange)))
        for place, chosen in enumerate(exchange):
            rows = self.unlike[chosen]
            first, second = self.first.copy(), self.second.copy()
            first[rows], second[rows] = self.second[rows], self.first[rows]
            values[:, place] = [self.value(self.y_true, pred, once) for pred in (first, second)]
        return values


def _chunks(size: int, width: int) -> Iterator[int]:
    """Cut so many rows of a width into pieces of bounded size."""
    step = max(1, _AT_ONCE // max(width, 1))
    return (min(step, size - start) for start in range(0, size, step))
