"""Which candidates can no longer win, from the inner folds that are done: functions of arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._types import Floats

Bools = NDArray[np.bool_]


def out_of_the_race(scores: Floats, done: Bools, high: Floats) -> Bools:
    """Return the candidates that cannot be chosen by any metric.

    Parameters
    ----------
    scores : ndarray of shape (C, l, R), float64
    done : ndarray of shape (C, l), bool
        Inner folds that each candidate was fitted on.
    high : ndarray of shape (R,), float64
        Greatest score of each metric.

    Returns
    -------
    ndarray of shape (C,), bool
        All False where some metric has no candidate that is fitted and defined on every fold.
    """
    out = np.logical_not(done.all(axis=1))
    for metric, greatest in enumerate(high):
        leader = _leader(scores[:, :, metric], done)
        if leader is None:
            return np.zeros(len(scores), dtype=bool)
        out &= beaten(scores[:, :, metric], done, leader, greatest)
    return out


def _leader(scores: Floats, done: Bools) -> int | None:
    """Return the best candidate that is fitted and defined on every fold, or None."""
    whole = np.logical_and(done.all(axis=1), ~np.isnan(scores).any(axis=1))
    if not whole.any():
        return None
    return int(
        np.argmax(np.where(whole, np.where(whole[:, None], scores, 0).mean(axis=1), -np.inf))
    )


def beaten(scores: Floats, done: Bools, leader: int, high: float) -> Bools:
    """Return which candidates stay below the leader even with the greatest score on all remaining folds.

    A candidate that was undefined on a fold ranks after the leader, which is defined on all. Differences
    within rounding do not count.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.model_selection.searches._race import beaten
    >>> scores = np.array([[0.99, 0.97], [0.9, np.nan], [0.97, np.nan]])
    >>> beaten(scores, ~np.isnan(scores), leader=0, high=1.0).tolist()
    [False, True, False]
    """
    left = (~done).sum(axis=1)
    reached = np.where(done, np.nan_to_num(scores), 0.0).sum(axis=1)
    hoped = np.multiply(left, high, out=np.zeros(len(left)), where=left > 0)
    best = scores[leader].mean()
    margin = 1e-12 * max(1.0, abs(best))
    undefined = (done & np.isnan(scores)).any(axis=1)
    return undefined | ((reached + hoped) / scores.shape[1] < best - margin)
