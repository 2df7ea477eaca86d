"""What became of requested limits on the outer test rows, as notes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._types import Floats
from ..execution._job import Outcome
from ..execution._out_of_fold import OutOfFoldPredictions, metric_on
from ._rules import Constrained, Limit
from ._threshold import threshold_rule

# The first word of each note.
REQUESTED = "Requested "


def notes_of_limits(
    rule: Any, threshold: Any, reported: Sequence[Outcome], predictions: OutOfFoldPredictions
) -> list[str]:
    """Return a note for each limit by which candidates, or thresholds, were chosen."""
    notes = []
    if isinstance(rule, Constrained):
        for name, limit in rule.bounds.items():
            reached = [outcome.scores[name] for outcome in reported]
            notes.append(_kept(f"{name} {limit} of the candidate chosen", limit, np.array(reached)))
    cut = threshold_rule(threshold)
    for metric, limit in () if cut is None else cut.constraints:
        parts = [np.flatnonzero(predictions.fold == fold) for fold in range(len(reported))]
        reached = [
            float(metric_on(metric, predictions, rows).unfilled) if len(rows) else np.nan
            for rows in parts
        ]
        named = f"{metric.function.metric.name} {limit}"
        notes.append(_kept(named, limit, np.array(reached)))
    return notes


def _kept(request: str, limit: Limit, reached: Floats) -> str:
    """Return in how many folds a metric keeps to a limit, and how far it is off at worst."""
    inside = limit.gap(reached)
    text = f"{REQUESTED}{request}: met on the test rows of {(inside >= 0).sum()} of {len(reached)} "
    text += "outer folds"
    if missing := int(np.isnan(inside).sum()):
        text += f", undefined in {missing}"
    if missing < len(inside):
        worst = int(np.nanargmin(inside))
        text += f", worst {reached[worst]:.4f} (shortfall {max(0.0, -inside[worst]):.4f})"
    return f"{text}."
