"""An evaluation read from checked arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .baselines import baselines_of
from .input import EvaluationInput
from .result import Evaluation
from .uncertain import Certainty, intervals_of
from .values import read_metrics


@dataclass(frozen=True, eq=False)
class EvaluationRequest:
    """The request of an evaluation, on checked arrays.

    Attributes
    ----------
    metrics : str, list, dict or scorer, or None
    parameters : dict
        Given to every metric that takes them.
    certainty : Certainty or None
        How intervals are computed, if requested.
    baselines : bool
        Whether chance levels are included.
    note : str
        How counts were read, where that is assumed.
    """

    metrics: Any
    parameters: Mapping[str, Any]
    certainty: Certainty | None = None
    baselines: bool = False
    note: str = ""


def evaluated(given: EvaluationInput, asked: EvaluationRequest) -> Evaluation:
    """Read metrics, and their intervals from the same sorted scores."""
    if asked.certainty is None:
        samples, states = {}, given.states
    else:
        samples = given.samples(whole=asked.certainty.groups is not None)
        states = {kind: sample.state for kind, sample in samples.items()}
    found = read_metrics(states, asked.metrics, asked.parameters)
    beside = baselines_of(states, found, asked.parameters) if asked.baselines else {}
    certain = {}
    if asked.certainty is not None:
        certain = intervals_of(found.read, samples, asked.certainty, given.rows)
    note = " ".join(filter(None, [found.note, asked.note]))
    return Evaluation(found.values, found.rows, found.classes, note, beside, certain)
