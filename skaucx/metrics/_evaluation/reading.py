"""An evaluation read from checked arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._records.inputs import known_positive, names_positive, positive_code
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
    further = baselines_of(states, found, requested.parameters) if requested.baselines else {}
    certain = {}
    if requested.certainty is not None:
        certain = intervals_of(found.read, samples, requested.certainty, given.rows)
    note = " ".join(filter(None, [found.note, requested.note]))
    rows = max((record.n_rows for record in given.records.values()), default=None)
    positive = _positive(given, requested.parameters)
    about = about_evaluation(requested.metrics, rows, positive, note)
    return Evaluation(
        found.values, found.rows, found.classes, note, further, certain, about=about, n_rows=rows,
        positive=positive,
    )  # fmt: skip


def _positive(given: EvaluationInput, parameters: Mapping[str, Any]) -> tuple[Any, int] | None:
    """Return the positive class and its rows, from the first record of labels without weights."""
    for record in given.records.values():
        classes = getattr(record, "classes", None)
        if classes is not None and record.weight is None:
            return positive_of(
                classes, np.bincount(record.true, minlength=len(classes)), parameters
            )
    return None


def positive_of(classes: Any, sizes: Any, parameters: Mapping[str, Any]) -> tuple[Any, int] | None:
    """Return the positive one of two classes and its rows, for metrics that are not averages."""
    named = parameters.get("pos_label")
    if len(classes) != 2 or parameters.get("average", "binary") != "binary":
        return None
    if named is None and not names_positive(classes):
        return None
    code = known_positive(positive_code(classes, named))
    return (classes[code].tolist(), int(sizes[code])) if code >= 0 else None
