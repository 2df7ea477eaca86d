"""Adjacent violators pooled: the blocks of scores within which a ranking cannot be trusted.

The blocks are the segments of the ROC convex hull, and the shares of positives in them are the isotonic
regression of the class on the score.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.isotonic import isotonic_regression

from ..._arrays import Codes, Floats
from .._records.counts import Counts


def over_blocks(counts: Counts, value: Callable[[Floats, Floats], Any]) -> Any:
    """Return what `value` makes of the positives and the negatives of the blocks, scores falling.

    `counts` are threshold counts, also with leading axes; there is one value for each of them.
    """
    positive, negative = np.diff(counts.tp), np.diff(counts.fp)
    if positive.ndim == 1:
        return value(*pooled(positive, negative))
    shape, columns = positive.shape[:-1], positive.shape[-1]
    rows = zip(positive.reshape(-1, columns), negative.reshape(-1, columns), strict=True)
    return np.reshape([value(*pooled(*row)) for row in rows], shape)


def pooled(positive: Floats, negative: Floats) -> tuple[Floats, Floats]:
    """Return the class weights of the blocks of adjacent scores whose share of positives falls."""
    held = positive + negative > 0
    positive, negative = positive[held], negative[held]
    starts = block_starts(positive, negative)
    return np.add.reduceat(positive, starts), np.add.reduceat(negative, starts)


def block_starts(positive: Floats, negative: Floats) -> Codes:
    """Return where the blocks begin; each score must weigh something."""
    total = positive + negative
    # Counts need none of scikit-learn's checks, which take longer than the fit of a fold.
    with config_context(skip_parameter_validation=True, assume_finite=True):
        fit = isotonic_regression(positive / total, sample_weight=total, increasing=False)
    return np.flatnonzero(np.append(True, fit[1:] != fit[:-1]))
