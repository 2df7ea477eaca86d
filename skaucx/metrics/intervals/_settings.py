"""Arguments that intervals and bands share, checked."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from ..._arrays import Codes, check_same_length, weight_vector, without_zero_weights
from ..._options import check_whole


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
    check_whole("n_resamples", n_resamples, 2)
