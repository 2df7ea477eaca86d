"""One sample of predictions whose metrics are evaluated under many sets of weights of its rows."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from .._registry.row import Metric
from ..kinds.base import Sample


def sample_of(
    metric: Metric,
    first: Any,
    second: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    collapse: bool = False,
    **beside: Any,
) -> Sample:
    """Check the two arrays that a metric takes, and those beside them.

    With `collapse`, equal pairs of labels become one row with its multiplicity.
    """
    inputs = metric.kind.inputs
    shared = {"labels": labels, "sample_weight": sample_weight, **beside}
    record = inputs.check(first, second, names=metric.inputs, **shared)
    return inputs.sample(record, inputs, collapse)


def own_parameters(metric: Metric, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the options that the formula itself takes."""
    own = inspect.signature(metric.formula).parameters
    return {name: options[name] for name in options if name in own}
