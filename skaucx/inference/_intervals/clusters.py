"""Intervals of rows in groups: of cluster sums."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..._arrays import Bools, Codes, Floats
from ...metrics._kinds.base import WeightSums
from ...metrics._registry.samples import MetricOnSample
from .areas import binary_scores, too_few
from .bootstrap import BOOTSTRAPS
from .limits import ROUNDING, Forms, IntervalEstimate, on_scale
from .means import (
    ADDED,
    CLUSTER,
    LINEARIZED,
    Spread,
    TableFunction,
    influence_values,
    linearized,
    table_function,
)
from .proportions import form_of, score_interval

_SMOOTHED_GROUPS = "two groups are added over the cells, as {}"

# With fewer clusters the intervals carry a note (``python -m benchmarks.cluster_coverage``).
_FEW = 30

# benchmarks/results: cluster_coverage.md
_FEW_DRAWN = "their bootstrap is too narrow (6 or 8 groups: coverage of 66 to 92 %, nominal 95)"

# benchmarks/results: cluster_coverage.md
_FEW_SUMMED = "the coverage varies (6 or 8 groups: 89 to 99 %, nominal 95)"


def cluster_forms(on: MetricOnSample, groups: Codes | None) -> Forms:
    """Return the interval of a metric for rows in clusters, if it has a closed form.

    Without groups each weighted row is a cluster.
    """
    sample = on.sample
    if sample.counted:
        if on.options.get("average", "binary") is None:
            return {}
        units = _units(sample, groups)
        return {CLUSTER: partial(_labels_in_clusters, on, units)}
    name = LINEARIZED if groups is None else CLUSTER
    if (binary := binary_scores(on)) is not None:
        return {name: partial(_pairs_in_clusters, on, groups, binary[0])}
    psi = influence_values(on)
    if psi is None or on.metric.no_interval:
        return {}
    spread = Spread.of(psi, groups, sample.multiplicity)
    return {name: partial(linearized, on, spread, groups)}


def note_of_groups(groups: int, method: str = CLUSTER) -> str:
    """Say what few groups do to an interval (``benchmarks/results/cluster_coverage.md``)."""
    effect = _FEW_DRAWN if method in BOOTSTRAPS else _FEW_SUMMED
    return f"{groups} groups: below {_FEW} {effect}" if 0 < groups < _FEW else ""


class _Units(NamedTuple):
    """Independent units: their number, and sums of influences from a metric of cells."""

    size: int
    sums: Callable[[TableFunction], Spread]
    uneven: bool

    def reach(self, sums: Spread, confidence_level: float) -> float:
        """Return the quantile of Student's t; of uneven weights with Satterthwaite's freedom."""
        return sums.reach(confidence_level, sums.freedom if self.uneven else None)


def _units(sample: Any, groups: Codes | None) -> _Units:
    uneven = sample.weights is not None and sample.weights.uneven
    codes = np.arange(sample.n_rows) if groups is None else groups

    def sums(value: TableFunction) -> Spread:
        rows = value.slopes.at(sample.pair.true, sample.pair.pred)
        rows = rows if sample.weight is None else rows * sample.weight
        return Spread.of_informative(rows, codes)

    return _Units(int(codes.max()) + 1, sums, uneven)


def _labels_in_clusters(
    on: MetricOnSample, units: _Units, confidence_level: float
) -> IntervalEstimate:
    """Wilson's interval with the effective sample size of the clusters, or the delta method."""
    own = table_function(on)
    if np.isnan(on.unfilled):
        return IntervalEstimate.nothing()
    if (share := form_of(on)) is not None:
        # For a share of 0 or 1 the sample size is the number of clusters.
        inside = 0 < share.part < share.whole
        sums = units.sums(own if inside else own.smoothed())
        if np.isnan(sums.variance):
            return IntervalEstimate.nothing()
        p = np.asarray(share.part / share.whole)
        variance = sums.variance / share.slope(p) ** 2
        size = np.asarray(p * (1 - p) / variance if inside else float(sums.units))
        ends = score_interval(p * size, size, units.reach(sums, confidence_level))
        low, high = map(share.at, ends)
        return IntervalEstimate(low, high, np.asarray(sums.error if inside else 0.0))
    if not own.called_alike:
        sums = units.sums(own)
        reach = units.reach(sums, confidence_level)
        low, high = on_scale(on.value, np.asarray(sums.error), reach, on.metric.bounds)
        if low < high:
            return IntervalEstimate(low, high, np.asarray(sums.error))
    return _smoothed(on, own, units, confidence_level)


def _smoothed(
    on: MetricOnSample, own: TableFunction, units: _Units, confidence_level: float
) -> IntervalEstimate:
    """Add two clusters of mean size over the cells if the variance of the table would be 0."""
    mean_size = on.sample.state.sizes.sum() / units.size
    full = own.smoothed(ADDED * mean_size)
    # A cluster in one cell alone moves the value by its size times the slope of the cell.
    squares = full.slopes.over_all()[1]
    added = ADDED / len(on.sample.state.classes) ** 2 * mean_size**2 * squares
    sums = units.sums(full)
    if np.isnan(sums.variance):
        return IntervalEstimate.nothing()
    error = np.sqrt(sums.variance + added)
    low, high = on_scale(full.value, error, units.reach(sums, confidence_level), on.metric.bounds)
    ends = np.fmin(low, on.value), np.fmax(high, on.value)
    return IntervalEstimate(
        *ends, np.asarray(error), note=_SMOOTHED_GROUPS.format(own.why_smoothed)
    )


def without_groups(
    psi: Floats, truth: Bools, codes: Codes, weight: Floats | None = None
) -> Spread | None:
    r"""Return the variance of a mean over pairs by the jackknife of groups of rows.

    With the sums :math:`u_g` and :math:`w_g` of the influences of the positives and of the negatives
    of group g, which has the shares :math:`p_g` and :math:`q_g` of their weight, the value without
    the group is, to first order, lower by :math:`u_g / (1 - p_g) + w_g / (1 - q_g)`, and

    .. math:: v = \frac{m - 1}{m} \sum_g \left(\frac{u_g}{1 - p_g} + \frac{w_g}{1 - q_g}\right)^2

    None if one group has all examples of a class.
    """
    moved = np.zeros(int(codes.max()) + 1)
    for side in (truth, ~truth):
        own = side if weight is None else side * weight
        share = np.bincount(codes, own) / own.sum()
        if not share.max() < 1 - ROUNDING:
            return None
        moved += np.bincount(codes, psi * side) / (1 - share)
    return Spread.of_deletions(moved, psi, weight is not None and WeightSums.of(weight).uneven)


def _pairs_in_clusters(
    on: MetricOnSample, groups: Codes | None, truth: Bools, confidence_level: float
) -> IntervalEstimate:
    """Student's interval of a mean over pairs, on the scale of the metric's range."""
    psi = influence_values(on)
    if psi is None or not truth.any() or truth.all():
        return IntervalEstimate.nothing()
    codes = np.arange(len(truth)) if groups is None else groups
    spread = without_groups(psi, truth, codes, on.sample.weight)
    if spread is None:
        needed = "two groups with examples of each class"
        return too_few(on.metric.name, needed, "one", confidence_level)
    return linearized(on, spread, groups, confidence_level)
