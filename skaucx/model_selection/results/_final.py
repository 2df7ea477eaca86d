"""The final model: that which is fitted on all data, for use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .._types import Model, Params, Rows, Rule


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
        Other candidates with as many votes.
    estimator : estimator
        Fitted on all data.
    """

    rule: Rule
    index: int
    params: Params
    inner_mean: float
    votes: int
    rivals: int
    estimator: Model

    @classmethod
    def of(
        cls,
        rule: Rule,
        index: int,
        candidates: Sequence[Params],
        inner_mean: float,
        counts: Rows,
        estimator: Model,
    ) -> FinalModel:
        """Put together the choice of one candidate, given how many outer folds chose each."""
        return cls(
            rule=rule,
            index=index,
            params=candidates[index],
            inner_mean=float(inner_mean),
            votes=int(counts[index]),
            rivals=int((counts == counts[index]).sum()) - 1,
            estimator=estimator,
        )
