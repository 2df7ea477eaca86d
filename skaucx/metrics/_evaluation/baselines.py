"""The values of uninformed predictions.

Of predicted labels the expected table is evaluated. Of scores, those that are the same for every
example; and for "random", each example with the score of each other.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..kinds.base import Inputs
from .values import MetricValues, read_metrics

BASELINES = ("majority", "prior", "uniform", "random")
_ROUNDING = 1e-14


def baselines_of(
    states: Mapping[Inputs, Any], found: MetricValues, given: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Return the values of the same metrics for every baseline, nan where one has no meaning."""
    positive = given.get("pos_label")
    parts = {
        inputs: state.baselines(positive)
        for inputs, state in states.items()
        if inputs.with_baselines
    }
    return {name: _values(name, parts, found, given) for name in BASELINES}


def _values(
    name: str,
    parts: Mapping[Inputs, Mapping[str, Any]],
    found: MetricValues,
    given: Mapping[str, Any],
) -> dict[str, Any]:
    own = {judged: made[name] for judged, made in parts.items() if name in made}
    values = {key: np.full(np.shape(value), np.nan)[()] for key, value in found.values.items()}
    readable = {
        key: named for key, named in found.requested.items() if named.row.kind.inputs in own
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a baseline is often undefined (nan)
        for key, named in readable.items():
            taken = {k: v for k, v in given.items() if k in named.function.options}
            taken.setdefault("zero_division", np.nan)
            value = read_metrics(own, {key: named}, taken).values[key]
            # An expected table of no association is so up to rounding.
            values[key] = np.where(np.abs(value) < _ROUNDING, 0.0, value)[()]
    return values
