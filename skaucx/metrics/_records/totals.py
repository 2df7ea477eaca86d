"""Sums over rows: of losses, and of weights in bins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ..._arrays import Codes, Floats

# Rows summed one after another before partial sums are added pairwise: keeps 1e7 weights exact
# to about 1e-13, where one running sum loses four digits.
_BLOCK = 1024


class Weighed:
    """Rows with weights of shape (n,) or (replicates, n), and sums over them."""

    weight: Any

    @property
    def weights(self) -> Floats:
        """The weight of each row."""
        return np.asarray(self.weight)

    @property
    def total_weight(self) -> Any:
        """The number, or the weight, of all examples."""
        return self.weights.sum(axis=-1)

    def sum_of(self, losses: Callable[..., Floats], **own: Any) -> Any:
        """Return the weighted sum of the losses of the examples under their own parameters."""
        return (np.asarray(losses(self, **own)).T * self.weights).sum(axis=-1)


def weight_of_each(codes: Codes, size: int, weight: Floats | None) -> Floats:
    """Return the weight of every code below `size`, summed in blocks, for each set of weights."""
    if weight is not None and weight.ndim == 2:
        return np.stack([weight_of_each(codes, size, own) for own in weight])
    if weight is None:
        return np.bincount(codes, minlength=size).astype(np.float64)
    if len(codes) <= _BLOCK:
        return np.asarray(np.bincount(codes, weight, minlength=size), dtype=np.float64)
    blocks = -(-len(codes) // _BLOCK)
    placed = codes + size * (np.arange(len(codes)) // _BLOCK)
    partial = np.bincount(placed, weight, minlength=size * blocks)
    return np.asarray(partial.reshape(blocks, size).sum(axis=0))


def uniform_bins(p: Any, n_bins: int, classes: Literal["top", "each"] = "top") -> Floats:
    """Return bins of equal width, closed above, of shape (3, ..., n_problems, n_bins).

    They hold the weight of the examples, that of the positives, and the sum of the probabilities.
    `classes` says which problems three or more classes have: whether the class of the greatest
    probability of each row is true, or each class.
    """
    if classes == "top" and p.n_columns > 2:
        top = p.probability.argmax(axis=1)
        problems = [(p.outcome == top, p.probability[np.arange(len(top)), top])]
    else:
        columns = [1] if p.n_columns == 2 else range(p.n_columns)
        problems = [(p.outcome == k, p.probability[:, k]) for k in columns]
    edges, found = np.linspace(0, 1, n_bins + 1), []
    for truth, probability in problems:
        bins = np.searchsorted(edges[1:-1], probability)
        parts = (p.weight, p.weight * truth, p.weight * probability)
        found.append([weight_of_each(bins, n_bins, part) for part in parts])
    return np.stack([np.stack(part, axis=-2) for part in zip(*found, strict=True)])
