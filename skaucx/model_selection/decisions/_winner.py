"""Which candidate wins: pure functions of arrays of inner scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from .._fold_scores import mean_of_defined
from .._types import Floats, Model, Params, Rows


@dataclass(frozen=True, eq=False)
class Selection:
    """The outcome of one inner search over C candidates and l inner folds.

    Attributes
    ----------
    winner : int
        Index of the chosen candidate; 0 if nothing could be decided.
    means : ndarray of shape (C,), float64
        Mean of the defined scores of every candidate, nan where there is none.
    dropped : ndarray of shape (l,), bool
        Inner folds on which every candidate is undefined.
    undefined : ndarray of shape (C,), int
        Number of the remaining inner folds on which a candidate is undefined.
    """

    winner: int
    means: Floats
    dropped: NDArray[np.bool_]
    undefined: NDArray[np.intp]

    @property
    def decided(self) -> bool:
        """Whether any inner fold was left to decide."""
        return not bool(self.dropped.all())


def select(scores: Floats) -> Selection:
    """Choose among candidates by their scores on inner folds.

    The winner is undefined (nan) on the fewest folds, then has the highest mean, then comes first
    in the grid; so a fully defined candidate always precedes one that is not. Folds on which every
    candidate is undefined do not count.

    Parameters
    ----------
    scores : ndarray of shape (C, l), float64

    Returns
    -------
    Selection

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.model_selection.decisions._winner import select
    >>> choice = select(np.array([[0.9, np.nan, np.nan], [0.6, np.nan, 0.8]]))
    >>> choice.winner, choice.dropped.tolist(), choice.undefined.tolist()
    (1, [False, True, False], [1, 0])
    """
    means, dropped, undefined = _rank_keys(scores)
    winner = int(np.lexsort((-means, undefined))[0])
    return Selection(winner, means, dropped, undefined)


def vote(
    selections: Sequence[Selection], scores: Sequence[Floats]
) -> tuple[int, NDArray[np.intp], Floats]:
    """Elect the candidate chosen most often.

    Ties go to the candidate that is undefined on the fewest inner folds, then to the highest mean
    over the inner folds of all outer folds, then to the first in the grid.

    Parameters
    ----------
    selections : sequence of k Selection
    scores : sequence of k ndarray of shape (C, l), float64
        The inner scores behind the selections; l may differ between outer folds.

    Returns
    -------
    winner : int
        Index of the elected candidate.
    counts : ndarray of shape (C,), int
        Outer folds that chose each candidate; a fold that could not decide has no vote.
    means : ndarray of shape (C,), float64
        Mean of each candidate over the inner folds of all outer folds.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.model_selection.decisions._winner import select, vote
    >>> scores = [np.array([[0.9, 0.8], [0.5, 0.6]]), np.array([[0.6, 0.6], [0.7, 0.7]])]
    >>> winner, counts, means = vote([select(s) for s in scores], scores)
    >>> winner, counts.tolist()
    (0, [1, 1])
    """
    means, _, undefined = _rank_keys(np.concatenate(scores, axis=1))
    counts = count_wins(selections)
    return int(np.lexsort((-means, undefined, -counts))[0]), counts, means


def count_wins(selections: Sequence[Selection]) -> NDArray[np.intp]:
    """Count how many searches chose each candidate; one that could not decide does not count."""
    winners = [selection.winner for selection in selections if selection.decided]
    return np.bincount(np.array(winners, dtype=np.intp), minlength=len(selections[0].means))


def _rank_keys(scores: Floats) -> tuple[Floats, NDArray[np.bool_], NDArray[np.intp]]:
    """Means over defined folds (C,), folds to drop (l,), undefined folds that are left (C,)."""
    scores = np.ascontiguousarray(scores)  # sums round differently along strided rows
    missing = np.isnan(scores)
    dropped = missing.sum(axis=0) == len(scores)
    return mean_of_defined(scores), dropped, missing.sum(axis=1) - dropped.sum()


# Where a final model keeps the threshold; a parameter of that name of another class may be anything.
_CUT = {"FixedThresholdClassifier": "threshold", "RejectingClassifier": "cut"}


@dataclass(frozen=True, eq=False)
class FinalModel:
    """The model that is fitted on all data, and how its parameters were chosen.

    Attributes
    ----------
    rule : {"search", "vote"}
    index : int
        Index of the chosen candidate.
    params : dict
    inner_mean : float
        Its mean over the inner folds of all outer folds ("vote") or of the search on all data.
    votes : int
        Outer folds that chose the same candidate.
    rivals : int
        Other candidates with the same number of votes.
    estimator : estimator
        Fitted on all data.
    """

    rule: str
    index: int
    params: Params
    inner_mean: float
    votes: int
    rivals: int
    estimator: Model

    @property
    def threshold(self) -> float | None:
        """The threshold that it applies to the scores of two classes; None where it has none."""
        cut = getattr(self.estimator, _CUT.get(type(self.estimator).__name__, ""), None)
        return float(cut) if isinstance(cut, Real) and math.isfinite(cut) else None

    @classmethod
    def of(
        cls,
        rule: str,
        index: int,
        candidates: Sequence[Params],
        inner_mean: float,
        counts: Rows,
        estimator: Model,
    ) -> FinalModel:
        """Put together the choice of one candidate, given how many outer folds chose each."""
        votes, rivals = int(counts[index]), int((counts == counts[index]).sum()) - 1
        params, mean = candidates[index], float(inner_mean)
        return cls(rule, index, params, mean, votes, rivals, estimator)
