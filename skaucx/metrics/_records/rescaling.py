"""Scores mapped into [0, 1], where metrics read their values."""

from __future__ import annotations

import numpy as np
from scipy import special

from ..._arrays import Array, Floats


def rescaled(score: Array, how: str | None) -> Floats:
    """Map scores into [0, 1]: by their own range ("minmax"), or as log-odds ("expit")."""
    score = score.astype(np.float64, copy=False)
    if how is None:
        return score
    if how == "expit":
        return np.asarray(special.expit(score), dtype=np.float64)
    low, high = score.min(), score.max()
    if high == low:
        return np.zeros_like(score)
    # Halves, so that a span beyond the largest float cannot overflow; but not of the least floats.
    scale = 0.5 if 0.5 * high - 0.5 * low > np.finfo(np.float64).max / 4 else 1.0
    return (scale * score - scale * low) / (scale * high - scale * low)
