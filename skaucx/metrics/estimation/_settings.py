"""Arguments that intervals and bands share, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._arrays import Codes, check_same_length, group_codes, weight_vector, without_zero_weights
from ..._options import check_confidence_level, check_whole
from .._chunks.sources import is_chunked


def groups_of_rows(groups: Any, y_true: Any, sample_weight: Any) -> Codes:
    """Number the groups of the rows that weigh something."""
    codes = group_codes(groups, {"y_true": np.asarray(y_true)})
    kept, _ = without_zero_weights(weight_vector(sample_weight), codes)
    return np.unique(kept, return_inverse=True)[1].astype(np.intp)


def check_settings(confidence_level: Any, n_resamples: Any = 2) -> None:
    """Check the confidence, and the number of resamples."""
    check_confidence_level(confidence_level)
    check_whole("n_resamples", n_resamples, 2)


def repeated(frequency: Any, counts: Any, *columns: Any) -> list[Any]:
    """Return columns of rows with every row as often as it occurred; None stays None."""
    if counts is not None or is_chunked(columns[0]):
        raise ValueError("frequency counts rows in memory; leave it out with counts or chunks.")
    many = np.asarray(frequency)
    if many.ndim != 1 or many.dtype.kind not in "iuf" or (many < 0).any() or (many % 1).any():
        raise ValueError(
            f"frequency must be a vector of whole numbers >= 0, found {frequency!r}; weights that are "
            "none go into sample_weight."
        )
    arrays = [None if column is None else np.asarray(column) for column in columns]
    names = "y_true", "y_pred_or_score", "sample_weight", "groups"
    check_same_length({"frequency": many, **dict(zip(names, arrays, strict=True))})
    each = many.astype(np.intp)
    return [None if array is None else np.repeat(array, each, axis=0) for array in arrays]
