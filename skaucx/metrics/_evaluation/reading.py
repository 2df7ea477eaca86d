"""An evaluation read from checked arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ._text import about_evaluation
from .input import EvaluationInput
from .result import Evaluation
from .uncertain import Certainty, intervals_of
from .values import baselines_of, read_metrics


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


def evaluated(given: EvaluationInput, requested: EvaluationRequest) -> Evaluation:
    """Read metrics, and their intervals from the same sorted scores."""
    if requested.certainty is None:
        samples, states = {}, given.states
    else:
        samples = given.samples(whole=requested.certainty.groups is not None)
        states = {kind: sample.state for kind, sample in samples.items()}
    found = read_metrics(states, requested.metrics, requested.parameters)
    beside = baselines_of(states, found, requested.parameters) if requested.baselines else {}
    certain = {}
    if requested.certainty is not None:
        certain = intervals_of(found.read, samples, requested.certainty, given.rows)
    note = " ".join(filter(None, [found.note, requested.note]))
    rows = max((record.n_rows for record in given.records.values()), default=None)
    about = about_evaluation(requested.metrics, rows)
    return Evaluation(found.values, found.rows, found.classes, note, beside, certain, about=about)
