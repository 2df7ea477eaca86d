"""One sample of predictions whose metrics are evaluated under many sets of weights of its rows."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from .._registry.averaging import Reading, quiet
from .._registry.row import Metric
from ..kinds.base import Problem, Problems, Sample


def sample_of(
    metric: Metric,
    first: Any,
    second: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    collapse: bool = False,
    **further: Any,
) -> Sample:
    """Check the two arrays of a metric, and its further arrays.

    With `collapse`, equal pairs of labels become one row with its multiplicity.
    """
    inputs = metric.kind.inputs
    shared = {"labels": labels, "sample_weight": sample_weight, **further}
    record = inputs.check(first, second, names=metric.inputs, **shared)
    return inputs.sample(record, inputs, collapse)


@dataclass(frozen=True, eq=False)
class MetricOnSample:
    """A metric under its options, on a sample; what several steps read is evaluated once.

    Attributes
    ----------
    sample : Sample
    metric : Metric
    options : mapping
        Keywords of the metric's function, save what belongs to the arrays.
    """

    sample: Any
    metric: Any
    options: Mapping[str, Any]

    @cached_property
    def reading(self) -> Reading:
        """The metric under its options."""
        return Reading(self.metric, self.options)

    parameters = property(attrgetter("reading.parameters"), doc="The formula's own parameters.")

    @cached_property
    def problem(self) -> Problem | Problems:
        """The input of the formula."""
        return self.reading.problem(self.sample.state)

    record = property(attrgetter("problem.record"), doc="The record of the only problem.")

    @cached_property
    def values(self) -> Any:
        """The formula's values, one or one a class, undefined ones as nan."""
        with quiet():
            return self.reading.evaluated(self.problem)

    def settled(self) -> Any:
        """Return the metric on the sample; warn where it is undefined."""
        if self.sample.state.read is not None:
            return self.reading.value(self.sample.state)
        return self.reading.settled(self.problem, self.values)

    @property
    def unfilled(self) -> Any:
        """The metric on the sample, nan if undefined; averages are over defined parts."""
        return self.reading.settled(self.problem, self.values, np.nan)

    @cached_property
    def value(self) -> Any:
        """The metric on the sample, without a warning."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)  # reported with the estimate
            return np.asarray(self.settled())
