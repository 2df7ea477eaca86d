"""Arguments that intervals and bands share, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._arrays import Codes, group_codes, weight_vector, without_zero_weights
from ..._options import check_confidence_level, check_whole


def groups_of_rows(groups: Any, y_true: Any, sample_weight: Any) -> Codes:
    """Number the groups of the rows that weigh something."""
    codes = group_codes(groups, {"y_true": np.asarray(y_true)})
    kept, _ = without_zero_weights(weight_vector(sample_weight), codes)
    return np.unique(kept, return_inverse=True)[1].astype(np.intp)


def check_settings(confidence_level: Any, n_resamples: Any = 2) -> None:
    """Check the confidence, and the number of resamples."""
    check_confidence_level(confidence_level)
    check_whole("n_resamples", n_resamples, 2)
