"""Arguments that intervals and bands share, checked."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from .._arrays import Codes, check_same_length, weight_vector, without_zero_weights


def group_codes(groups: Any, y_true: Any, sample_weight: Any) -> Codes:
    """Number the groups of the rows that weigh something."""
    names = np.asarray(groups)
    if names.ndim != 1:
        raise ValueError(f"groups must be one-dimensional, found shape {names.shape}.")
    check_same_length({"y_true": y_true, "groups": names})
    kept, _ = without_zero_weights(weight_vector(sample_weight), names)
    return np.unique(kept, return_inverse=True)[1]


def check_settings(level: Any, n_resamples: Any = 2) -> None:
    """Check the confidence, and the number of resamples."""
    if isinstance(level, bool) or not isinstance(level, Real) or not 0 < float(level) < 1:
        raise ValueError(f"level must be a number in (0, 1), found {level!r}.")
    if isinstance(n_resamples, bool) or not isinstance(n_resamples, Integral) or n_resamples < 2:
        raise ValueError(f"n_resamples must be an integer of at least 2, found {n_resamples!r}.")
