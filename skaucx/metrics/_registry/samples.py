"""A metric on a sample of rows, from which values, placements and losses are read."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from ..._arrays import Bools, Floats
from .._kinds.base import Sample
from .._pairs.placements import Placements
from .._records.inputs import warn_of_apart
from .row import Metric, MetricEvaluator, apply, quiet


def sample_of(
    metric: Metric,
    first: Any,
    second: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    collapse: bool = False,
    names: tuple[str, str] | None = None,
    **further: Any,
) -> Sample:
    """Check the two arrays of a metric, and its further arrays.

    With `collapse`, equal pairs of labels become one row with its multiplicity. Errors name the
    arrays by `names`, by default as the metric does.
    """
    inputs = metric.kind.inputs
    shared = {"labels": labels, "sample_weight": sample_weight, **further}
    names = names or metric.inputs
    record = inputs.record(first, second, names=names, **shared)
    warn_of_apart(record, names)
    return Sample.of(record, inputs, collapse)


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
    def reading(self) -> MetricEvaluator:
        """The metric under its options."""
        return MetricEvaluator(self.metric, self.options)

    parameters = property(attrgetter("reading.parameters"), doc="The formula's own parameters.")

    @cached_property
    def problem(self) -> Any:
        """The input of the formula."""
        return self.reading.problem(self.sample.state)

    record = property(attrgetter("problem.record"), doc="The record of the only problem.")

    @cached_property
    def values(self) -> Any:
        """The formula's values, one or one a class, undefined ones as nan."""
        with quiet():
            return self.reading.evaluated(self.problem)

    def filled(self) -> Any:
        """Return the metric on the sample; warn where it is undefined."""
        return self.reading.filled(self.problem, self.values)

    @property
    def unfilled(self) -> Any:
        """The metric on the sample, nan if undefined; averages are over defined parts."""
        return self.reading.filled(self.problem, self.values, np.nan)

    @cached_property
    def value(self) -> Any:
        """The metric on the sample, without a warning."""
        # reported with the estimate
        with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
            return np.asarray(self.filled())


def placement_values(
    metric: Metric, parameters: Mapping[str, Any], truth: Bools, score: Floats
) -> tuple[Floats, Floats]:
    """Return a metric's placement values of the positives and of the negatives.

    Parameters
    ----------
    metric : Metric
        One that is a mean over pairs.
    parameters : dict
        The formula's own parameters.
    truth : ndarray of shape (n,), bool
        Both classes must occur.
    score : ndarray of shape (..., n), float64
        The scores of one classifier, or of several along the leading axes.

    Returns
    -------
    of_positives : ndarray of shape (..., P), float64
    of_negatives : ndarray of shape (..., N), float64
        The mean of either is the metric's value.
    """
    columns = score.reshape(-1, score.shape[-1])
    ranks = [Placements(truth, column) for column in columns]
    values = np.stack([values_of(metric, parameters, own) for own in ranks]).reshape(score.shape)
    positives = np.count_nonzero(truth)
    return values[..., :positives], values[..., positives:]


def values_of(metric: Metric, parameters: Mapping[str, Any], ranks: Placements) -> Floats:
    """Return a metric's placement values of one ranking: of the positives, then of the negatives."""
    return np.broadcast_to(apply(metric, ranks, dict(parameters)), (sum(ranks.sizes),))
