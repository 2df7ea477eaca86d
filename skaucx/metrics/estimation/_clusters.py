"""Closed forms for rows that come in clusters: sums over clusters take the place of rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from ..._arrays import Bools, Codes, Floats
from ..._compat import warn
from .._pairs.placement_variance import cluster_parts, pair_mean
from .._registry.row import Metric
from .._resampling.counted import WeighedCells
from .._resampling.placements import values_of
from .._resampling.sample import LabelSample, Sample, own_parameters
from ._bootstrap import BOOTSTRAPS
from ._closed_forms import Pairs, interval_of_pairs, placements_of
from ._delta import TableFunction, called_alike, smoothed
from ._influence import binary_scores, curve, share_of, table_function
from ._linearized import Spread, linearized
from ._normal import Ends, Forms, Found, link_of, linked, symmetric
from ._proportions import score_interval

CLUSTER, LINEARIZED = "cluster", "linearized"
_SMOOTHED = "two groups are spread over the cells, as all of some class are called alike"
# Below so many clusters the intervals come with a note (``python -m benchmarks.cluster_coverage``).
_FEW = 30
_FEW_DRAWN = "their bootstrap is too narrow (6 or 8 groups: 66 to 92 % of nominal 95 covered)"
_FEW_SUMMED = "coverage is uneven (6 or 8 groups: 90 to 100 % of nominal 95)"


def cluster_forms(
    sample: Sample,
    metric: Metric,
    options: Mapping[str, Any],
    groups: Codes | None,
    confidence_level: float,
) -> Forms:
    """Return the interval of a metric of rows in clusters, if it has one without resampling.

    Without groups each of the weighted rows that were counted is one by itself.
    """
    if isinstance(sample, LabelSample):
        rows = groups is None and not isinstance(sample, WeighedCells)
        if rows or options.get("average", "binary") is None:
            return {}
        units = _units(sample, groups)
        return {CLUSTER: partial(_of_labels, sample, metric, options, units, confidence_level)}
    binary = binary_scores(sample, metric, options)
    if binary is None or groups is None or sample.weight is not None:
        psi = curve(sample, metric, options)
        if psi is None:
            return {}
        name = LINEARIZED if groups is None else CLUSTER
        return {name: partial(linearized, sample, metric, options, psi, groups, confidence_level)}
    return {CLUSTER: partial(_of_pairs, sample, metric, options, groups, confidence_level, *binary)}


def note_of_clusters(groups: Codes | None, method: str) -> str:
    """Say what few clusters do to an interval (``benchmarks/results/cluster_coverage.md``)."""
    return note_of_groups(0 if groups is None else int(groups.max()) + 1, method)


def note_of_groups(groups: int, method: str = CLUSTER) -> str:
    """Return the note by the number of groups; empty of none or many."""
    told = _FEW_DRAWN if method in BOOTSTRAPS else _FEW_SUMMED
    return f"{groups} groups: below {_FEW} {told}" if 0 < groups < _FEW else ""


class _Units(NamedTuple):
    """Independent units: how many, and the sums of influences over them from the slopes of cells."""

    size: int
    sums: Callable[[Floats], Spread]


def _units(sample: LabelSample, groups: Codes | None) -> _Units:
    if isinstance(sample, WeighedCells):
        return _Units(int(sample.sizes.sum()), partial(_of_cells, sample))
    codes = np.arange(sample.n_rows) if groups is None else groups

    def sums(slopes: Floats) -> Spread:
        rows = slopes[sample.pair.true, sample.pair.pred]
        rows = rows if sample.weight is None else rows * sample.weight
        return Spread.of_informative(rows, codes)

    return _Units(int(codes.max()) + 1, sums)


def _of_cells(sample: WeighedCells, slopes: Floats) -> Spread:
    """Sum the squares of the influences, weight times slope, of rows that tell something."""
    told = slopes != 0
    squares = float((slopes**2 * sample.squares)[told].sum())
    return Spread.of_squares(squares, int(sample.sizes[told].sum()))


def _of_labels(
    sample: LabelSample,
    metric: Metric,
    options: Mapping[str, Any],
    units: _Units,
    confidence_level: float,
) -> Found:
    """Wilson's interval of as many examples as the clusters are worth, or the delta method."""
    value, table = table_function(sample, metric, options), sample.state.table
    share = share_of(sample, metric, options)
    if np.isnan(value(table, zero_division=np.nan)):
        return _nothing()
    if share is not None:
        return _of_share(value, table, share, units, confidence_level)
    if not called_alike(table):
        sums = units.sums(value.gradient(table))
        low, high = _ends(metric, value(table), sums.error, sums.reach(confidence_level))
        if low < high:
            return Found(low, high, np.asarray(sums.error))
    return _smoothed(metric, value, table, units, confidence_level)


def _of_share(
    value: TableFunction,
    table: Floats,
    share: tuple[float, float],
    units: _Units,
    confidence_level: float,
) -> Found:
    """Return Wilson's interval; a share of 0 or 1 stands on as many examples as clusters."""
    inside = 0 < share[0] < share[1]
    sums = units.sums(value.gradient(table if inside else smoothed(table)))
    if np.isnan(sums.variance):
        return _nothing()
    p = share[0] / share[1]
    size = np.asarray(p * (1 - p) / sums.variance if inside else float(sums.units))
    ends = score_interval(p * size, size, sums.reach(confidence_level))
    return Found(*ends, np.asarray(sums.error if inside else 0.0))


def _smoothed(
    metric: Metric, value: TableFunction, table: Floats, units: _Units, confidence_level: float
) -> Found:
    """Add two clusters of mean size, spread over the table, where its own cells hide variance."""
    mean_size = table.sum() / units.size
    full = mean_size * smoothed(table / mean_size)
    slopes = value.gradient(full)
    added = ((full - table) / mean_size * (mean_size * slopes) ** 2).sum()
    sums = units.sums(slopes)
    if np.isnan(sums.variance):
        return _nothing()
    error = np.sqrt(sums.variance + added)
    low, high = _ends(metric, value(full), error, sums.reach(confidence_level))
    ends = np.fmin(low, value(table)), np.fmax(high, value(table))
    return Found(*ends, np.asarray(error), note=_SMOOTHED)


def _ends(metric: Metric, estimate: Floats, error: float, reach: float) -> Ends:
    named = link_of(metric.bounds)
    if named is None:
        return symmetric(estimate, np.asarray(reach * error), metric.bounds)
    with np.errstate(divide="ignore", invalid="ignore"):
        return linked(estimate, np.asarray(reach * error), named[1])


def _of_pairs(
    sample: Any,
    metric: Metric,
    options: Mapping[str, Any],
    groups: Codes,
    confidence_level: float,
    truth: Bools,
    score: Floats,
) -> Found:
    """Score-t or logit-t with placement values summed over clusters (Obuchowski 1997)."""
    if not truth.any() or truth.all():
        return _nothing()
    ranks = placements_of(sample, options, truth, score)
    values = values_of(metric, own_parameters(metric, options), ranks)
    found = cluster_parts(*values, groups[truth], groups[~truth])
    if np.isnan(found.variance):
        warn(
            f"The variance of {metric.name} needs two groups with examples of each class, found "
            f"{found.sizes[0]} with positives and {found.sizes[1]} with negatives; the interval is nan.",
            UndefinedMetricWarning,
        )
        return _nothing()
    parts = np.array([found.s10, found.s01])
    if found.variance > 0:
        parts *= found.variance / parts.sum()
    # A cluster of both classes serves one independent pair only.
    independent = max(1, min(*found.sizes[:2], found.sizes[2] // 2))
    pairs = Pairs(
        pair_mean(values[0]), parts, found.sizes[:2], confidence_level, metric.bounds, independent
    )
    return interval_of_pairs(pairs, values, ranks)


def _nothing() -> Found:
    nothing = np.asarray(np.nan)
    return Found(nothing, nothing, nothing)
