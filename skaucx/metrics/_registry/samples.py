"""A metric on a sample of rows, from which values, placements and losses are read."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from ..._arrays import Bools, Floats
from .._kinds.base import Problem, Problems, Sample
from .._pairs.placements import ENDS, NoPlacementsError, Placements
from .._pairs.ranking import RankedScores
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
    def problem(self) -> Problem | Problems:
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


# Scores of both classes, with ties within and between them, on which a formula is tried.
_PROBE = (
    np.array([True, True, True, True, True, False, False, False, False]),
    np.array([0.9, 0.7, 0.55, 0.4, 0.4, 0.7, 0.5, 0.4, 0.15]),
)

_ROUNDING = 1e-10


def placement_values(
    metric: Metric, parameters: Mapping[str, Any], truth: Bools, score: Floats
) -> tuple[Floats, Floats]:
    """Return a metric's placement values of the positives and of the negatives.

    Parameters
    ----------
    metric : Metric
        One that is a mean of a function h(d) that reads no other score.
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

    Raises
    ------
    NoPlacementsError
        If the metric is not such a mean.
    """
    columns = score.reshape(-1, score.shape[-1])
    values = np.stack(
        [apply(metric, Placements(truth, column), dict(parameters)) for column in columns]
    )
    values = np.broadcast_to(values.T, columns.T.shape).T.reshape(score.shape)
    positives = np.count_nonzero(truth)
    return values[..., :positives], values[..., positives:]


def values_of(metric: Metric, parameters: Mapping[str, Any], ranks: Placements) -> Floats:
    """Return a metric's placement values of one ranking: of the positives, then of the negatives."""
    return np.broadcast_to(apply(metric, ranks, dict(parameters)), (sum(ranks.sizes),))


def has_placements(metric: Metric, parameters: Mapping[str, Any]) -> bool:
    """Whether the metric is a mean over pairs of a function of the score difference alone.

    A formula that is not an affine function of such means fails here, because the means of its
    placement values differ from its value.
    """
    if metric.kind.scale is None:
        return False
    given = tuple(parameters.items())
    try:
        return _has_placements(metric, given)
    except TypeError:  # parameters without a hash
        return _has_placements.__wrapped__(metric, given)


@lru_cache
def _has_placements(metric: Metric, given: tuple[tuple[str, Any], ...]) -> bool:
    parameters = dict(given)
    if _first_beyond_pairs(metric, parameters) is not None:
        return False
    own = apply(metric, RankedScores.from_scores(*_PROBE), parameters)
    means = [values.mean() for values in placement_values(metric, parameters, *_PROBE)]
    return bool(np.allclose(means, own, rtol=_ROUNDING, atol=_ROUNDING))


def reads_the_ends(metric: Metric, parameters: Mapping[str, Any]) -> bool:
    """Whether the metric reads the span or the margin of the sample."""
    return metric.kind.scale is not None and _first_beyond_pairs(metric, parameters) in ENDS


def _first_beyond_pairs(metric: Metric, parameters: Mapping[str, Any]) -> str | None:
    """Return the first input of the formula other than means over pairs."""
    try:
        apply(metric, Placements(*_PROBE), dict(parameters))
    except NoPlacementsError as error:
        return error.name
    return None
