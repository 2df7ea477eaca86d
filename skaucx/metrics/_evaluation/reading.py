"""An evaluation read from checked arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .judged import Judged
from .result import Evaluation
from .uncertain import Certainty, intervals_of
from .values import read_metrics


def evaluated(
    judged: Judged, metrics: Any, parameters: Mapping[str, Any], certainty: Certainty | None
) -> Evaluation:
    """Read metrics, and their intervals from the same sorted scores."""
    if certainty is None:
        found = read_metrics(judged.states, metrics, parameters)
        return Evaluation(*found[:4])
    samples = judged.samples(whole=certainty.groups is not None)
    states = {kind: sample.state for kind, sample in samples.items()}
    found = read_metrics(states, metrics, parameters)
    return Evaluation(*found[:4], intervals_of(found.asked, samples, certainty))
