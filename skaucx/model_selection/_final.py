"""The model to ship."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ._types import Model, Params


@dataclass(frozen=True, eq=False)
class FinalModel:
    """The model to ship and how its parameters were chosen.

    Attributes
    ----------
    rule : {"vote", "search"}
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

    rule: Literal["vote", "search"]
    index: int
    params: Params
    inner_mean: float
    votes: int
    rivals: int
    estimator: Model
