"""Scores put in order together with their classes, and on a scale of which no sum overflows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._arrays import Array, Bools, Floats

# Between these exponents of 2 no difference overflows or is a denormal number.
_MODERATE = 900
# Numbers that are added up in a row: sums of more of them lose digits.
_RUN = 1 << 10


def moderate_exponent(lowest: Any, highest: Any) -> Any:
    """Return the exponent of 2 of the greatest score; 0 where it is moderate, so that nothing moves."""
    exponent = np.frexp(np.maximum(np.abs(lowest), np.abs(highest)))[1]
    return np.where(np.abs(exponent) > _MODERATE, exponent, 0)


def cumulative(weight: Array) -> Array:
    """Return the sums of the first 0, 1, ..., n weights; counts stay exact, as int64."""
    kind = np.float64 if weight.dtype.kind == "f" else np.int64
    sums: Array = np.zeros((-(-len(weight) // _RUN), _RUN), dtype=kind)
    sums.ravel()[: len(weight)] = weight
    np.cumsum(sums, axis=1, out=sums)
    sums[1:] += np.cumsum(sums[:-1, -1])[:, None]
    return np.append(kind(0), sums.ravel()[: len(weight)])


def distinct_scores(
    score: Array, truth: Bools, weight: Floats | None = None
) -> tuple[Floats, Array, Array]:
    """Return the distinct scores in rising order with the weight of each class at each.

    Weights that are not given count 1, and the sums are then integers.
    """
    order = np.argsort(score)
    values = score[order] + 0.0  # makes -0.0 equal to 0.0
    positive = truth[order]
    starts = np.flatnonzero(np.append(True, values[1:] != values[:-1])[: len(values)])
    kind = np.int64 if weight is None else np.float64
    sides = (side if weight is None else side * weight[order] for side in (positive, ~positive))
    own, others = (np.add.reduceat(side, starts, dtype=kind) for side in sides)
    return values[starts].astype(np.float64, copy=False), own, others
