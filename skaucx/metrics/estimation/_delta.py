"""The delta method for any metric of a confusion table: multinomial cells, numerical gradient."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from ..._arrays import Array, Codes, Floats
from .._records.counts import Counts
from .._registry.row import Metric
from ..kinds.labels import LabelState

# Relative change of a cell; the rule of fourth order below leaves an error near 1e-12.
_STEP = 1e-3
# Weights of the differences at 1 and 2 steps.
_RULE = ((1, 2 / 3), (2, -1 / 12))
# Cells of changed tables that are held at once.
_CELLS_AT_ONCE = 1 << 20
# Tables drawn where the slopes tell nothing; a standard deviation of 400 is right within 4 %.
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

    def __call__(self, tables: Floats, **changed: Any) -> Floats:
        """Return the values of tables of shape (..., K, K), of shape (...) or (..., C)."""
        return self._value(LabelState(tables, self.classes, self.named), **changed)

    def standard_error(self, table: Floats) -> Floats:
        """Return the standard error of the value of one table.

        The cells are multinomial with n fixed, so for the gradient g with respect to the counts c the
        variance is sum g^2 c - (sum g c)^2 / n. An empty cell adds nothing.
        """
        square, linear = np.asarray(0.0), np.asarray(0.0)
        for cells, slopes in self._slopes(table):
            counts = table.ravel()[cells].reshape(-1, *[1] * (slopes.ndim - 1))
            square = square + (slopes**2 * counts).sum(axis=0)
            linear = linear + (slopes * counts).sum(axis=0)
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

    def _value(self, state: LabelState, **changed: Any) -> Floats:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)  # told with the estimate
            return np.asarray(self.metric.value(state, **{**self.options, **changed}))

    def _slopes(self, table: Floats) -> Iterator[tuple[Codes, Floats]]:
        """Yield numbers of cells that are not empty, and the derivatives with respect to them."""
        if "average" in self.metric.kind.options:  # read one class against the rest
            yield from self._by_counts(table)
            return
        cells = np.flatnonzero(table)
        for chosen in _pieces(cells, table.size):
            steps = _STEP * table.ravel()[chosen]
            changes = np.zeros((len(chosen), table.size))
            changes[np.arange(len(chosen)), chosen] = steps
            changes = changes.reshape(-1, *table.shape)

            def value(times: float, changes: Floats = changes) -> Floats:
                return self(table + times * changes)

            yield chosen, derivative(value, steps)

    def _by_counts(self, table: Floats) -> Iterator[tuple[Codes, Floats]]:
        """Yield the like from 4 K derivatives, with respect to the four counts of every class.

        A cell (i, j) is a true negative of all classes but i and j, a true positive of i if i = j, else
        a false negative of i and a false positive of j.
        """
        counts = Counts.one_vs_rest(table)
        tp, fp, fn, tn = (self._by_count(counts, name) for name in ("tp", "fp", "fn", "tn"))
        rest = tn.sum(axis=0)
        for cells in _pieces(np.flatnonzero(table), max(1, rest.size)):
            i, j = np.unravel_index(cells, table.shape)
            right = (i == j).reshape(-1, *[1] * rest.ndim)
            yield cells, rest - tn[i] + np.where(right, tp[i], fn[i] + fp[j] - tn[j])

    def _by_count(self, counts: Counts, name: str) -> Floats:
        """Return the derivatives with respect to one of the four counts of every class."""
        own = getattr(counts, name)
        found = []
        for chosen in _pieces(np.arange(len(own)), 4 * len(own)):
            steps = _STEP * own[chosen]
            change = np.zeros((len(chosen), len(own)))
            change[np.arange(len(chosen)), chosen] = steps

            def value(c: float, change: Floats = change) -> Floats:
                state = LabelState(np.empty((0, 0)), self.classes, self.named)
                cells = {
                    cell: getattr(counts, cell) + 0 * change for cell in ("tp", "fp", "fn", "tn")
                }
                state.one_vs_rest = Counts(**{**cells, name: own + c * change})
                return self._value(state)

            found.append(derivative(value, steps))
        return np.concatenate(found)


def derivative(value: Callable[[float], Floats], steps: Floats) -> Floats:
    """Return the derivatives along changes of `steps`, 0 where a step is 0."""
    with np.errstate(invalid="ignore"):  # an infinite ratio has no slope
        change = sum(weight * (value(times) - value(-times)) for times, weight in _RULE)
    steps = steps.reshape(-1, *[1] * (np.ndim(change) - 1))
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
