"""Totals over rows: sums of losses, weights in bins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from ..._arrays import UNIT, Codes, Floats

# Rows summed one after another before partial sums are added pairwise: keeps 1e7 weights exact
# to about 1e-13, where one running sum loses four digits.
_BLOCK = 1024

# Takes rows with weights of shape (n,) or (replicates, n); returns an array, one a replicate.
Total: TypeAlias = Callable[[Any], Floats]

# Probabilities are summed in three whole parts of so many bits: sums of 2^35 of them are exact, so
# that they do not depend on the order of the rows.
_BITS, _PARTS = 18, 3
SCALE = float(1 << _BITS)
_FEW_EDGES = 100


@dataclass(frozen=True)
class SumOf:
    """The weighted sum of a value of each example, or of several, along the last axis.

    Parameters
    ----------
    values : callable
        Takes rows; returns an array of shape (n,) or (n, k).
    own : tuple of pairs
        The names and the values of its parameters.
    """

    values: Callable[..., Floats]
    own: tuple[tuple[str, Any], ...] = ()

    def __call__(self, rows: Any) -> Any:
        """Return the weighted sum over rows."""
        return (self.slopes(rows).T * rows.weights).sum(axis=-1)

    def slopes(self, rows: Any) -> Floats:
        """Return the derivative of the total with respect to the weight of each row."""
        return np.asarray(self.values(rows, **dict(self.own)))


@dataclass(frozen=True)
class SpreadOf:
    """The weight, the mean, and the sum of squares about the mean of a value of the rows, or of several.

    They are the first axis.
    """

    values: Callable[[Any], Floats]

    def __call__(self, rows: Any) -> Floats:
        """Return the three of all rows."""
        x, weight = self.values(rows), rows.weights
        mean = np.average(x, axis=0, weights=weight)  # exactly a constant that all rows share
        return np.stack([np.full_like(mean, weight.sum()), mean, weight @ (x - mean) ** 2])

    def slopes(self, rows: Any) -> Floats:
        """Return the derivatives of the three with respect to the weight of each row."""
        weight, mean, _ = self(rows)
        apart = self.values(rows) - mean
        return np.stack([np.ones_like(apart), apart / weight, apart**2], axis=1)


class Weighed:
    """Rows with weights of shape (n,) or (replicates, n), and totals over them."""

    weight: Any

    @property
    def weights(self) -> Floats:
        """The weight of each row."""
        return np.asarray(self.weight)

    @property
    def class_weights(self) -> Floats:
        """The weight of the examples of each class; of all where rows have none."""
        return np.asarray(self.total_weight)[..., None]

    @property
    def total_weight(self) -> Any:
        """The number, or the weight, of all examples."""
        return self.weights.sum(axis=-1)

    def total(self, of: Total) -> Any:
        """Return a total over the rows."""
        return of(self)

    def sum_of(self, losses: Callable[[Any], Floats]) -> Any:
        """Return the weighted sum of the losses of the examples."""
        return self.total(SumOf(losses))


def weighted_bincount(codes: Codes, size: int, weight: Floats | None) -> Floats:
    """Return the weight of every code below `size`, summed in blocks."""
    if weight is None and size == 2:
        ones = np.count_nonzero(codes)
        return np.array([len(codes) - ones, ones], dtype=np.float64)
    if weight is None:
        return np.bincount(codes, minlength=size).astype(np.float64)
    if len(codes) <= _BLOCK:
        return np.asarray(np.bincount(codes, weight, minlength=size), dtype=np.float64)
    blocks = -(-len(codes) // _BLOCK)
    placed = codes + size * (np.arange(len(codes)) // _BLOCK)
    partial = np.bincount(placed, weight, minlength=size * blocks)
    return np.asarray(partial.reshape(blocks, size).sum(axis=0))


def weight_of_each(codes: Codes, size: int, weight: Floats) -> Floats:
    """Return the weight of every code below `size`, for each set of weights."""
    if weight.ndim == 1:
        return weighted_bincount(codes, size, weight)
    return np.stack([weighted_bincount(codes, size, own) for own in weight])


@dataclass(frozen=True)
class UniformBins:
    """The content of bins of probabilities, of equal width and closed above.

    Called on probabilities it returns an array of shape (..., n_problems, 5, n_bins): the weight, that
    of the positives, and the sum of the probabilities in its whole parts.

    Parameters
    ----------
    n_bins : int
    classes : {"top", "each"}
        Of three or more classes: the greatest probability of each row, or the probability of each.
    """

    n_bins: int
    classes: Literal["top", "each"] = "top"

    def __call__(self, p: Any) -> Floats:
        """Return the content of the bins."""
        if self.classes == "top" and p.n_columns > 2:
            top = p.probability.argmax(axis=1)
            rows = np.arange(len(top))
            found = [self._of(p.outcome == top, p.probability[rows, top], p.weight)]
        else:
            columns = [1] if p.n_columns == 2 else range(p.n_columns)
            found = [self._of(p.outcome == k, p.probability[:, k], p.weight) for k in columns]
        return np.stack(found, axis=-3)

    @property
    def edges(self) -> Floats:
        """The edges of the bins."""
        return np.linspace(0, 1, self.n_bins + 1)

    def _of(self, truth: Any, probability: Floats, weight: Floats) -> Floats:
        bins = _number_below(self.edges[1:-1], probability)
        found = [
            weight_of_each(bins, self.n_bins, weight),
            weight_of_each(bins, self.n_bins, weight * truth),
        ]
        rest = probability
        for _ in range(_PARTS):
            rest = rest * SCALE
            whole = np.floor(rest)
            found.append(weight_of_each(bins, self.n_bins, weight * whole))
            rest = rest - whole
        return np.stack(found, axis=-2)


def _number_below(edges: Floats, values: Floats) -> Codes:
    """Return how many edges lie below each value; few are compared faster than searched."""
    if len(edges) > _FEW_EDGES:
        return np.searchsorted(edges, values)
    found = np.zeros(len(values), dtype=np.uint8)
    for edge in edges:
        found += values > edge
    return found.astype(np.intp)


@dataclass(frozen=True)
class Bins:
    """The content of bins of probabilities.

    Attributes
    ----------
    total, positive, probability : ndarray of shape (..., n_bins), float64
        The weight of the examples, that of the positives, and the sum of the probabilities.
    """

    total: Floats
    positive: Floats
    probability: Floats

    @classmethod
    def of(cls, held: Floats) -> Bins:
        """Read what :class:`UniformBins` found."""
        total, positive, *parts = np.moveaxis(held, -2, 0)
        probability = np.zeros_like(total)
        for part in reversed(parts):
            probability = (probability + part) / SCALE
        return cls(total, positive, probability)


@dataclass(frozen=True, eq=False)
class KnownTotals:
    """What formulas of totals ask of rows: the totals themselves.

    Parameters
    ----------
    totals : dict
    class_weights : ndarray of shape (n_classes,), float64
        The weight of the examples of each class, in the order of the columns.
    n_examples, n_columns : int
    """

    totals: Mapping[Total, Floats]
    class_weights: Floats
    n_examples: int
    n_columns: int

    unit = UNIT

    @property
    def n_rows(self) -> int:
        """The number of examples."""
        return self.n_examples

    @property
    def total_weight(self) -> Any:
        """The number, or the weight, of all examples."""
        return self.class_weights.sum()

    def total(self, of: Total) -> Any:
        """Return one of the totals."""
        return self.totals[of]

    sum_of = Weighed.sum_of
