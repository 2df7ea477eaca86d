"""The delta method for any metric of a confusion table: multinomial cells, numerical gradient."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from ..._arrays import Array, Codes, Floats
from .._records.counts import Counts
from .._registry.reading import Reading
from .._registry.row import Metric
from ..kinds.labels import LabelState

# Relative change of a cell; the rule of fourth order below leaves an error near 1e-12.
_STEP = 1e-3
# The five-point rule: where values are taken, in steps, and what each weighs in the slope.
TIMES, _WEIGHTS = np.array([1.0, -1.0, 2.0, -2.0]), np.array([2 / 3, -2 / 3, -1 / 12, 1 / 12])
# Cells of changed tables that are held at once.
_CELLS_AT_ONCE = 1 << 20
# Tables drawn where all slopes are 0; a standard deviation of 400 is right within 4 %.
_DRAWS = 400
# Examples added in all, evenly over the cells, where the table itself gives no variance; in a binary
# table that is 1/2 a cell (Haldane 1956, Anscombe 1956).
_ADDED = 2.0


class TableFunction:
    """A metric as a function of stacks of confusion tables, with its slopes.

    Parameters
    ----------
    metric : Metric
        One of predicted labels.
    options : dict
        Its options.
    classes : ndarray of shape (K,)
    named : ndarray of int, or None
        The classes that ``labels`` names.
    """

    def __init__(
        self, metric: Metric, options: Mapping[str, Any], classes: Array, named: Codes | None
    ) -> None:
        self.metric, self.options, self.classes, self.named = metric, options, classes, named
        self._reading = Reading(metric, *_parted(options))

    def __call__(self, tables: Floats, **changed: Any) -> Floats:
        """Return the values of tables of shape (..., K, K), of shape (...) or (..., C)."""
        reading = self._reading
        if changed:
            reading = Reading(self.metric, *_parted({**self.options, **changed}))
        return _value(reading, LabelState(tables, self.classes, self.named))

    def standard_error(self, table: Floats) -> Floats:
        """Return the standard error of the value of one table.

        The cells are multinomial with n fixed, so for the gradient g with respect to the counts c the
        variance is sum g^2 c - (sum g c)^2 / n. An empty cell adds nothing.
        """
        square, linear = np.asarray(0.0), np.asarray(0.0)
        for cells, slopes in self._slopes(table):
            counts = table.ravel()[cells].reshape(-1, *[1] * (slopes.ndim - 1))
            # In order of size, so that no order of the classes changes a digit.
            square = square + np.sort(slopes**2 * counts, axis=0).sum(axis=0)
            linear = linear + np.sort(slopes * counts, axis=0).sum(axis=0)
        return np.sqrt(np.maximum(square - linear**2 / table.sum(), 0))

    def drawn(self, table: Floats) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of the values of multinomial tables like this one.

        They tell the spread where all derivatives are 0, as at a minimum inside the range.
        """
        rng = np.random.default_rng(0)
        n = max(1, round(float(table.sum())))
        values = []
        for chosen in _pieces(np.arange(_DRAWS), table.size):
            tables = rng.multinomial(n, table.ravel() / table.sum(), len(chosen))
            values.append(self(tables.reshape(-1, *table.shape).astype(np.float64)))
        found = np.concatenate(values)
        with np.errstate(invalid="ignore"):  # an infinite value among them
            return found.mean(axis=0), found.std(axis=0)

    def gradient(self, table: Floats) -> Floats:
        """Return the derivatives with respect to the cells of a table, 0 for its empty cells."""
        found = np.zeros(table.size)
        for cells, slopes in self._slopes(table):
            found[cells] = slopes
        return found.reshape(table.shape)

    def _slopes(self, table: Floats) -> Iterator[tuple[Codes, Floats]]:
        """Yield numbers of cells that are not empty, and the derivatives with respect to them."""
        if "average" in self.metric.kind.options:  # read one class against the rest
            yield from self._by_counts(table)
            return
        cells = np.flatnonzero(table)
        for chosen in _pieces(cells, len(TIMES) * table.size):
            steps = _STEP * table.ravel()[chosen]
            changes = np.zeros((len(chosen), table.size))
            changes[np.arange(len(chosen)), chosen] = steps
            moved = table + TIMES[:, None, None, None] * changes.reshape(-1, *table.shape)
            yield chosen, derivatives(self(moved), steps)

    def _by_counts(self, table: Floats) -> Iterator[tuple[Codes, Floats]]:
        """Yield the like from 4 K derivatives, with respect to the four counts of every class.

        A cell (i, j) is a true negative of all classes but i and j, a true positive of i if i = j, else
        a false negative of i and a false positive of j.
        """
        counts = np.stack(Counts.one_vs_rest(table).cells)  # of shape (4, K)
        classes = np.arange(counts.shape[1])
        pieces = _pieces(classes, len(TIMES) * counts.size)
        found = [self._by_class(counts, chosen) for chosen in pieces]
        tp, fp, fn, tn = np.concatenate(found, axis=1)
        rest = tn.sum(axis=0)
        for cells in _pieces(np.flatnonzero(table), max(1, rest.size)):
            i, j = np.unravel_index(cells, table.shape)
            right = (i == j).reshape(-1, *[1] * rest.ndim)
            yield cells, rest - tn[i] + np.where(right, tp[i], fn[i] + fp[j] - tn[j])

    def _by_class(self, counts: Floats, chosen: Codes) -> Floats:
        """Return the derivatives with respect to the four counts of some classes, count by count."""
        steps = _STEP * counts[:, chosen]
        # Axes: the count moved, the class moved; then the count and the class that are read.
        changes = np.zeros((4, len(chosen), *counts.shape))
        count, place = np.indices(steps.shape)
        changes[count, place, count, chosen[place]] = steps
        moved = counts + TIMES[:, None, None, None, None] * changes
        state = LabelState(np.zeros((*moved.shape[:-2], 0, 0)), self.classes, self.named)
        state.one_vs_rest = Counts(*np.moveaxis(moved, -2, 0))
        return derivatives(_value(self._reading, state), steps)


def _parted(options: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    """Part the options from what stands for undefined values."""
    own = dict(options)
    return own, own.pop("zero_division", "warn")


def _value(reading: Reading, state: LabelState) -> Floats:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)  # reported with the estimate
        return np.asarray(reading.value(state))


def derivatives(values: Floats, steps: Floats) -> Floats:
    """Return derivatives from values at the steps of the rule, first axis; 0 where a step is 0."""
    with np.errstate(invalid="ignore"):  # an infinite ratio has no slope
        change = (values.T * _WEIGHTS).sum(axis=-1).T if values.ndim else np.asarray(values)
    steps = steps.reshape(*steps.shape, *[1] * (np.ndim(change) - steps.ndim))
    shape = np.broadcast_shapes(np.shape(change), np.shape(steps))  # one nan where all is undefined
    return np.divide(change, steps, where=steps > 0, out=np.zeros(shape))


def _pieces(rows: Codes, width: int) -> Iterator[Codes]:
    """Cut rows of a width into pieces of bounded size."""
    step = max(1, _CELLS_AT_ONCE // width)
    return (rows[start : start + step] for start in range(0, len(rows), step))


def called_alike(table: Floats) -> bool:
    """Whether all examples of some class have the same prediction: that hides its variance."""
    return bool((((table > 0).sum(axis=-1) == 1) & (table.sum(axis=-1) > 0)).any())


def smoothed(table: Floats) -> Floats:
    """Return the table with two examples more, spread evenly over its cells."""
    return table + _ADDED / table.size
