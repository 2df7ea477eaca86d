"""Rows drawn again: bootstrap replicates with BCa limits, and the jackknife."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import special

from ..._arrays import Floats
from ...metrics._kinds.averages import AVERAGES
from ...metrics._kinds.base import STRICT, Sample
from ...metrics._registry.resampling import Resampling, generator, pieces
from ...metrics._registry.row import Metric, MetricEvaluator
from .limits import Ends

# The error of the bias correction is of the order of z0^2, so it is not used beyond this z0: at 1
# the limits of a nominal 95 % interval are the quantiles of 52 and 99.997 %.
_MOST_BIAS = 1.0


def replicates(
    sample: Sample,
    readings: Sequence[MetricEvaluator],
    drawn: Resampling,
    n_resamples: int,
    random_state: Any,
) -> list[Floats]:
    """Return the values of metrics on the same resamples: arrays of shape (n_resamples, ...).

    Undefined values are nan.
    """
    parts = [
        values_under(sample, readings, counts)
        for counts in drawn.resamples(n_resamples, random_state)
    ]
    return [np.concatenate(values) for values in zip(*parts, strict=True)]


def percentile(values: Floats, confidence_level: float) -> Ends:
    """Return the quantiles of the defined replicates that cut off equal tails."""
    tails = (1 - confidence_level) / 2, (1 + confidence_level) / 2
    return _quantile(values, tails[0]), _quantile(values, tails[1])


def bca(values: Floats, estimate: Floats, acceleration: Floats, confidence_level: float) -> Ends:
    """Return the bias-corrected and accelerated quantiles (Efron 1987, equation 2.3).

    They are nan if most replicates are on one side of the estimate, so that the bias is about as
    large as the standard error.
    """
    # alpha = Phi(z0 + (z0 + z) / (1 - a (z0 + z))), with z0 = Phi^-1(the share below the estimate).
    bias = special.ndtri(share_below(values, estimate))
    z = special.ndtri(np.array([(1 - confidence_level) / 2, (1 + confidence_level) / 2]))
    valid = np.abs(bias) <= _MOST_BIAS
    bias = np.where(valid, bias, 0)
    shifted = np.add.outer(z, bias)
    shares = special.ndtr(bias + shifted / (1 - acceleration * shifted))
    low, high = (np.where(valid, _quantile(values, share), np.nan) for share in shares)
    return low, high


def share_below(values: Floats, estimate: Floats) -> Floats:
    """Return the share of the defined replicates below the estimate, plus half the share equal to it."""
    defined = np.maximum((~np.isnan(values)).sum(axis=0), 1)
    return np.asarray(
        ((values < estimate).sum(axis=0) + 0.5 * (values == estimate).sum(axis=0)) / defined
    )


def acceleration(
    sample: Sample,
    readings: Sequence[MetricEvaluator],
    drawn: Resampling,
    n_resamples: int,
    random_state: Any,
) -> list[Floats]:
    """Return sum d^3 / (6 (sum d^2)^(3/2)) of the jackknife deviations d, for each metric."""
    values, weight = without_units(sample, readings, drawn, random_state, n_resamples)
    return [_skewness(each, weight) for each in values]


def without_units(
    sample: Sample,
    readings: Sequence[MetricEvaluator],
    drawn: Resampling,
    random_state: Any,
    *most: int,
) -> tuple[list[Floats], Floats]:
    """Return the values of metrics without each unit, and for how many units each value counts."""
    deletions = drawn.deletions(generator(random_state), *most)
    parts = [(values_under(sample, readings, counts), many) for counts, many in deletions]
    values = zip(*(found for found, _ in parts), strict=True)
    return [np.concatenate(v) for v in values], np.concatenate([many for _, many in parts])


def _skewness(values: Floats, weight: Floats) -> Floats:
    weight = weight.reshape(-1, *[1] * (values.ndim - 1)) * np.isfinite(values)
    values = np.where(np.isfinite(values), values, 0)
    # Deletions after which the metric is undefined are ignored.
    total = np.maximum(weight.sum(axis=0), 1)
    deviation = (values * weight).sum(axis=0) / total - values
    square = (weight * deviation**2).sum(axis=0)
    cube = (weight * deviation**3).sum(axis=0)
    return np.divide(cube, 6 * square**1.5, where=square > 0, out=np.zeros(np.shape(square)))


def values_under(
    sample: Sample, readings: Sequence[MetricEvaluator], counts: Floats
) -> list[Floats]:
    """Return the values of metrics where row i counts ``counts[b, i]`` times, undefined ones as nan.

    Without its only row or group the sample is empty, and every metric is undefined.
    """
    held = np.asarray(counts.any(axis=1))
    drawn = counts if held.all() else np.where(held[:, None], counts, 1.0)
    states = (sample.reweighted(part) for part in pieces(drawn, sample.n_cells))
    parts = ([reading.value(state) for reading in readings] for state in states)
    values = [np.concatenate(found) for found in zip(*parts, strict=True)]
    if not held.all():
        for found in values:
            found[~held] = np.nan
    return values


def of_replicates(metric: Metric, options: Mapping[str, Any]) -> MetricEvaluator:
    """Return a metric as it is read from replicates.

    0/0 is nan; x/0 stays infinite, but an average with an undefined class is nan as well. If a
    number replaces 0/0 in an average, that number is used.
    """
    given = options.get("zero_division", "warn")
    if AVERAGES[options.get("average")].weights is None:
        given = np.nan
    elif isinstance(given, str) or given != given:
        given = STRICT
    return MetricEvaluator(metric, {**options, "zero_division": given})


def _quantile(values: Floats, share: Any) -> Floats:
    """Return the defined value of rank (B + 1) share in each column (Efron & Tibshirani 1993, 12.4)."""
    defined = (~np.isnan(values)).sum(axis=0)
    # Counted from the nearer end, so that both tails of 1 - x are those of x also where (B + 1) share
    # lies between two ranks.
    upper = np.asarray(share) > 0.5
    rank = np.rint((defined + 1) * np.where(upper, 1 - np.asarray(share), share))
    rank = np.clip(np.where(upper, defined + 1 - rank, rank), 1, np.maximum(defined, 1)).astype(
        np.intp
    )
    return np.take_along_axis(np.sort(values, axis=0), rank[None] - 1, axis=0)[0]
