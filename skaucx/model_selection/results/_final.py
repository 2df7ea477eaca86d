"""The final model: that which is fitted on all data, for use."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from .._types import Model, Params, Rows, Rule

# Where a final model keeps the threshold; a parameter of that name of another class may be anything.
_CUT = {"FixedThresholdClassifier": "threshold", "RejectingClassifier": "cut"}
LOGARITHMIC = 50  # ratio of the greatest to the least value from which a logarithmic scale is used


@dataclass(frozen=True, eq=False)
class FinalModel:
    """The model that is fitted on all data, and how its parameters were chosen.

    Attributes
    ----------
    rule : {"search", "vote", "mean"}
    index : int or None
        Index of the chosen candidate; None where a mean is none of them.
    params : dict
    inner_mean : float
        Its mean over the inner folds of all outer folds ("vote") or of the search on all data; nan
        for a mean, which no inner fold has scored.
    votes : int
        Outer folds that chose the same candidate.
    rivals : int
        Other candidates with the same number of votes.
    estimator : estimator
        Fitted on all data.
    threshold : float or None
        The threshold that it applies to the scores of two classes; None where it has none.
    """

    rule: Rule
    index: int | None
    params: Params
    inner_mean: float
    votes: int
    rivals: int
    estimator: Model
    threshold: float | None = None

    def __post_init__(self) -> None:
        """Keep the threshold, which a saved result has without the estimator."""
        cut = getattr(self.estimator, _CUT.get(type(self.estimator).__name__, ""), None)
        if self.threshold is None and isinstance(cut, Real) and math.isfinite(cut):
            object.__setattr__(self, "threshold", float(cut))

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

    @classmethod
    def of_mean(
        cls,
        candidates: Sequence[Params],
        counts: Rows,
        params: Params,
        estimator: Model,
    ) -> FinalModel:
        """Put together the mean of the parameters that the outer folds chose."""
        index = list(candidates).index(params) if params in candidates else None
        votes = 0 if index is None else int(counts[index])
        return cls("mean", index, params, float("nan"), votes, 0, estimator)


def logarithmic(values: Iterable[Any]) -> bool:
    """Whether numbers span orders of magnitude, so that a logarithmic scale is appropriate.

    Examples
    --------
    >>> from skaucx.model_selection.results._final import logarithmic
    >>> logarithmic([0.01, 1, 100]), logarithmic([1, 2, 3])
    (True, False)
    """
    given = [float(value) for value in values]
    return min(given) > 0 and max(given) / min(given) >= LOGARITHMIC


def mean_params(candidates: Sequence[Params], winners: Sequence[int]) -> Params:
    """Return the mean parameters of the winners: of whole numbers rounded, of the rest as they are.

    The mean is the geometric one where the candidates span a ratio of 50 or more.

    Examples
    --------
    >>> from skaucx.model_selection.results._final import mean_params
    >>> grid = [{"C": 0.01, "k": 1}, {"C": 1.0, "k": 3}, {"C": 100.0, "k": 3}]
    >>> found = mean_params(grid, [0, 2, 2])
    >>> round(found["C"], 4), found["k"]
    (4.6416, 2)
    """
    return {
        name: _mean([c[name] for c in candidates], [candidates[w][name] for w in winners])
        for name in candidates[0]
    }


def check_numbers(candidates: Sequence[Params]) -> None:
    """Raise an error for candidates whose parameters have no mean.

    Raises
    ------
    ValueError
        If they set different parameters, or differ in one that is not a number.
    """
    for name in dict.fromkeys(name for params in candidates for name in params):
        values = [params.get(name, "nothing") for params in candidates]
        if not all(map(_is_number, values)) and not _all_same(values):
            raise ValueError(
                f"final='mean' needs parameters that are numbers; {name} is "
                f"{' or '.join(dict.fromkeys(map(repr, values)))}. Use final='search'."
            )


def _mean(among: Sequence[Any], chosen: Sequence[Any]) -> Any:
    if _all_same(chosen):
        return chosen[0]
    if logarithmic(among):
        mean = math.exp(statistics.fmean(map(math.log, chosen)))
    else:
        mean = statistics.fmean(chosen)
    return round(mean) if all(isinstance(value, Integral) for value in among) else mean


def _all_same(values: Sequence[Any]) -> bool:
    return len({*map(repr, values)}) == 1


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
