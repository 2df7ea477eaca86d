"""Which candidates can no longer win, from the inner folds that are done: functions of arrays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from .._types import Floats

Bools = NDArray[np.bool_]
# Chance that the statistical race drops a candidate that would have had the higher mean.
ERROR = 0.05
FEWEST_FOLDS = 3

# From scores (C, l), folds done (C, l), the leader and the greatest score: who cannot win.
Losers = Callable[[Floats, Bools, int, float], Bools]


def out_of_the_race(scores: Floats, done: Bools, high: Floats, losers: Losers) -> Bools:
    """Return the candidates that cannot be chosen by any metric.

    Parameters
    ----------
    scores : ndarray of shape (C, l, R), float64
    done : ndarray of shape (C, l), bool
        Inner folds that each candidate was fitted on.
    high : ndarray of shape (R,), float64
        Greatest score of each metric.
    losers : callable
        :func:`beaten` or :func:`probably_beaten`.

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
        out &= losers(scores[:, :, metric], done, leader, greatest)
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


def probably_beaten(scores: Floats, done: Bools, leader: int, high: float) -> Bools:
    r"""Return which candidates are certainly or probably beaten, from the finished folds.

    A one-sided t test of the differences d to the leader on J of l folds, three at least. It tests
    the mean over these l folds, of which J are a sample without replacement, not the mean over
    other data:

    .. math:: t = \bar d / (s \sqrt{1/J - 1/l})

    with J - 1 degrees of freedom, at a level of 5 % each time that a candidate is looked at.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.model_selection.searches._race import probably_beaten
    >>> scores = np.array([[0.75, 0.76, 0.77, 0.76], [0.73, 0.74, 0.76, np.nan]])
    >>> probably_beaten(scores, ~np.isnan(scores), leader=0, high=1.0).tolist()
    [False, True]
    """
    lost = beaten(scores, done, leader, high)
    folds = done.sum(axis=1)
    for candidate in np.flatnonzero(~lost & (folds >= FEWEST_FOLDS) & (folds < done.shape[1])):
        seen = done[candidate]
        differences = scores[leader, seen] - scores[candidate, seen]
        error = differences.std(ddof=1) * np.sqrt(1 / seen.sum() - 1 / len(seen))
        if error > 0:
            t = differences.mean() / error
            lost[candidate] = stats.t.sf(t, seen.sum() - 1) < ERROR
    return lost


RACES: dict[str, Losers] = {"exact": beaten, "statistical": probably_beaten}
