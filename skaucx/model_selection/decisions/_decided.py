"""What became of the outer test rows that were rejected, and of requested limits."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import UndefinedMetricWarning

from ..._text.plain import listed, paragraph
from .._fold_scores import moments, with_and_without
from .._types import Floats
from ..execution._job import Outcome
from ..execution._pool import OutOfFoldPredictions


@dataclass(frozen=True, eq=False)
class Rejections:
    """Rejections of outer test rows, and the scores of the accepted ones.

    Attributes
    ----------
    least : ndarray of shape (k,), float64
        The least confidence that each outer fold accepts.
    coverage : ndarray of shape (k,), float64
        Share of each outer test part that is accepted.
    scores : dict of str to ndarray of shape (k,), float64
        The outer scores of the accepted rows.
    rejected : ndarray of shape (m,), bool
        Of the pooled predictions, those rejected.
    """

    least: Floats
    coverage: Floats
    scores: Mapping[str, Floats]
    rejected: NDArray[np.bool_]

    def summary(self, all_scores: Mapping[str, Floats]) -> str:
        """Return coverage, requested confidence, and every metric on accepted and on all rows."""
        (share, share_sd), (least, least_sd) = moments(self.coverage), moments(self.least)
        pairs = with_and_without(self.scores, all_scores)
        return paragraph(
            f"Rejection: {share:.1%} of the test rows are predicted (sd {share_sd:.1%}), those "
            f"with a confidence of at least {least:.4g} (sd {least_sd:.2g}). Mean outer score of "
            f"these, and of all rows: {pairs}.",
            hang=2,
        )


@dataclass(frozen=True, eq=False)
class KeptLimit:
    """What became of a requested limit on the test rows of every outer fold.

    Attributes
    ----------
    request : str
        The metric and its limit, such as ``recall >= 0.9``.
    reached : ndarray of shape (k,), float64
        The metric on each outer test part; nan where it is undefined.
    inside : ndarray of shape (k,), float64
        The distance from the limit, negative if it is violated.
    infeasible : ndarray of shape (k,), bool
        Outer folds in which no threshold kept to all limits on the inner predictions; False of limits
        by which candidates were chosen.
    """

    request: str
    reached: Floats
    inside: Floats
    infeasible: NDArray[np.bool_]

    @property
    def met(self) -> NDArray[np.bool_]:
        """Whether the limit holds on each outer test part, shape (k,)."""
        return self.inside >= 0

    @property
    def shortfall(self) -> Floats:
        """How much each outer test part misses the limit, shape (k,); 0 where it is met."""
        return np.maximum(0.0, -self.inside)

    def __str__(self) -> str:
        k, defined = len(self.reached), ~np.isnan(self.inside)
        text = (
            f"Requested {self.request}: met on the test rows of {self.met.sum()} of {k} outer folds"
        )
        if defined.any():
            worst = int(np.nanargmin(self.inside))
            text += f", worst {self.reached[worst]:.4f} (shortfall {self.shortfall[worst]:.4f})"
        if not defined.all():
            text += f", undefined in {(~defined).sum()}"
        if self.infeasible.any():
            folds = listed("fold", np.flatnonzero(self.infeasible))
            text += (
                f". Infeasible on the inner predictions of outer {folds}, where the closest "
                f"threshold was chosen"
            )
        return f"{text}."


def kept_limits(
    constraints: Sequence[Any], decisions: Sequence[Any], predictions: OutOfFoldPredictions
) -> tuple[KeptLimit, ...]:
    """Evaluate the limits of the thresholds on the outer test rows."""
    cuts = [decision.cut for decision in decisions]
    folds = [predictions.fold == fold for fold in range(len(cuts))]
    infeasible = np.array([not cut.feasible for cut in cuts])
    found = []
    for one in constraints:
        reached = np.array([_value(one, predictions, rows, decisions[0]) for rows in folds])
        found.append(KeptLimit(str(one), reached, one.limit.gap(reached), infeasible))
    return tuple(found)


def _value(limit: Any, predictions: OutOfFoldPredictions, rows: Any, decision: Any) -> float:
    """Return the metric of a limit on the test rows of a fold; nan where it is undefined."""
    if not rows.any():
        return np.nan
    metric, weight = limit.metric, predictions.sample_weight
    sides = [predictions.y_true[rows], predictions.y_pred[rows]]
    options = {**metric.parameters, "zero_division": np.nan}
    if metric.judges_one_class:
        options["pos_label"] = decision.positive
    if weight is not None:
        options["sample_weight"] = weight[rows]
    with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
        value = metric.function(*sides, **options)
    return float(value)


def rejections_of(
    outcomes: Sequence[Outcome], decisions: Sequence[Any], names: Sequence[str]
) -> Rejections | None:
    """Collect the rejections of the outer folds; None if rejection was not requested."""
    if not decisions or decisions[0].least is None:
        return None
    rejected = [outcome.rejected for outcome in outcomes if outcome.rejected is not None]
    return Rejections(
        np.array([decision.least for decision in decisions]),
        np.array([np.nan if o.rejected is None else np.mean(~o.rejected) for o in outcomes]),
        {name: np.array([o.accepted.get(name, np.nan) for o in outcomes]) for name in names},
        np.concatenate([np.empty(0, dtype=bool), *rejected]),
    )
