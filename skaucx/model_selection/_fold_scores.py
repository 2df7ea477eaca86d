"""Means of the scores of folds, some of which may be undefined."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ._types import Floats


def moments(scores: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation (k - 1) over the defined entries of the last axis.

    Parameters
    ----------
    scores : ndarray of shape (..., k), float64

    Returns
    -------
    mean, sd : ndarray of shape (...), float64
        nan where no entry is defined, for the standard deviation where fewer than two are.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.model_selection._fold_scores import moments
    >>> mean, sd = moments(np.array([[1.0, np.nan, 3.0], [2.0, np.nan, np.nan]]))
    >>> mean.tolist(), sd.round(4).tolist()
    ([2.0, 2.0], [1.4142, nan])
    """
    missing, mean = np.isnan(scores), mean_of_defined(scores)
    deviations = np.where(missing, 0.0, scores - mean[..., None])
    return mean, np.sqrt(ratio((deviations**2).sum(axis=-1), (~missing).sum(axis=-1) - 1))


def mean_of_defined(scores: Floats) -> Floats:
    """Return the mean of the defined entries of the last axis; nan where there is none."""
    missing = np.isnan(scores)
    return ratio(np.where(missing, 0.0, scores).sum(axis=-1), (~missing).sum(axis=-1))


def with_and_without(scores: Mapping[str, Floats], others: Mapping[str, Floats]) -> str:
    """Return the mean of each metric, in brackets that of the others."""
    return ", ".join(
        f"{name} {moments(each)[0]:.4f} ({moments(others[name])[0]:.4f})"
        for name, each in scores.items()
    )


def ratio(above: Any, below: Any) -> Floats:
    """Return quotients, nan where the divisor is not positive."""
    return np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0)
