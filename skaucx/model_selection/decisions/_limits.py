"""What became of requested limits on the outer test rows, as notes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from ..._text.plain import listed
from .._types import Floats
from ..execution._job import Outcome
from ..execution._out_of_fold import OutOfFoldPredictions
from ._decision import Decision
from ._rules import Constrained, Limit
from ._threshold import Constraint, threshold_rule

# The first word of each note.
REQUESTED = "Requested "


def notes_of_candidates(rule: Any, reported: Sequence[Outcome]) -> list[str]:
    """Return a note for each limit by which candidates were chosen."""
    if not isinstance(rule, Constrained):
        return []
    notes = []
    for name, limit in rule.bounds.items():
        reached = np.array([outcome.scores[name] for outcome in reported])
        notes.append(f"{_kept(f'{name} {limit} of the candidate chosen', limit, reached)}.")
    return notes


def notes_of_thresholds(
    threshold: Any, decisions: Sequence[Decision], predictions: OutOfFoldPredictions
) -> list[str]:
    """Return a note for each limit of the thresholds."""
    rule = threshold_rule(threshold)
    if rule is None or not decisions:
        return []
    infeasible = [fold for fold, d in enumerate(decisions) if d.cut and not d.cut.feasible]
    notes = []
    for one in rule.constraints:
        reached = [_reached(one, predictions, fold, d) for fold, d in enumerate(decisions)]
        text = _kept(str(one), one.limit, np.array(reached))
        if infeasible:
            text += (
                f". Infeasible on the inner predictions of outer {listed('fold', infeasible)}, where "
                "the closest threshold was chosen"
            )
        notes.append(f"{text}.")
    return notes


def _kept(request: str, limit: Limit, reached: Floats) -> str:
    """Return in how many folds a metric keeps to a limit, and how far it is off at worst."""
    inside = limit.gap(reached)
    defined = ~np.isnan(inside)
    text = f"{REQUESTED}{request}: met on the test rows of {(inside >= 0).sum()} of {len(reached)} "
    text += "outer folds"
    if defined.any():
        worst = int(np.nanargmin(inside))
        text += f", worst {reached[worst]:.4f} (shortfall {max(0.0, -inside[worst]):.4f})"
    return text if defined.all() else f"{text}, undefined in {(~defined).sum()}"


def _reached(
    one: Constraint, predictions: OutOfFoldPredictions, fold: int, decision: Decision
) -> float:
    """Return the metric of a limit on the test rows of a fold; nan where it is undefined."""
    rows = predictions.fold == fold
    if not rows.any():
        return np.nan
    metric, weight = one.metric, predictions.sample_weight
    options = {**metric.parameters, "zero_division": np.nan}
    if metric.judges_one_class:
        options["pos_label"] = decision.positive
    if weight is not None:
        options["sample_weight"] = weight[rows]
    with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
        return float(metric.function(predictions.y_true[rows], predictions.y_pred[rows], **options))
