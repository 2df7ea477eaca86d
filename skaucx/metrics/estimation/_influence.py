"""The influence of each example on the value of a metric; the squares add up to its variance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..._arrays import Bools, Codes, Floats
from .._records.inputs import positive_code
from .._records.rescaling import rescaled
from .._registry.row import Metric
from .._resampling.draws import Resampling
from .._resampling.placements import has_placements, placement_values
from .._resampling.sample import own_parameters
from ..kinds.base import STRICT, Sample
from ..kinds.labels import LabelSample
from ..kinds.scores.sample import ScoreSample
from ._bootstrap import values_under
from ._delta import TableFunction, called_alike, smoothed
from ._proportions import share_of_counts


def influences(
    sample: Sample, metric: Metric, options: Mapping[str, Any], groups: Codes | None = None
) -> Floats:
    """Return the influence of every row of a sample on the value of a metric, of shape (n_rows,).

    The squares of the sums over independent units, rows or `groups`, add up to the variance of the
    value: exactly DeLong's for a mean over pairs of independent rows, the delta method's for a metric
    of predicted labels, the jackknife's for any other. The influence of units that the jackknife
    leaves out together stands with one of their rows.
    """
    if isinstance(sample, LabelSample) and options.get("average", "binary") is not None:
        return of_labels(sample, metric, options)
    binary = binary_scores(sample, metric, options)
    if binary is not None and sample.weight is None:
        values = placement_values(metric, own_parameters(metric, options), *binary)
        return of_pairs(*values, binary[0])
    return by_jackknife(sample, metric, options, groups)


def binary_scores(
    sample: Sample, metric: Metric, options: Mapping[str, Any]
) -> tuple[Bools, Floats] | None:
    """Return truth and scores, where the metric is a mean over the pairs of one binary problem."""
    one_column = isinstance(sample, ScoreSample) and sample.scored.one_column
    if not one_column or options.get("rescale") == "minmax":
        return None
    if not has_placements(metric, own_parameters(metric, options)):
        return None
    scored = sample.scored  # type: ignore[attr-defined]
    truth = scored.true == positive_code(scored.classes, options.get("pos_label"))
    return truth, rescaled(scored.score, options.get("rescale"))


def of_pairs(of_positives: Floats, of_negatives: Floats, truth: Bools) -> Floats:
    """Return deviations of placement values whose squares add up to DeLong's variance."""
    found = np.empty(len(truth))
    for side, values in ((truth, of_positives), (~truth, of_negatives)):
        size = len(values)
        scale = np.sqrt(size * (size - 1.0)) if size > 1 else np.nan
        found[side] = (values - values.mean()) / scale
    return found


def of_labels(sample: LabelSample, metric: Metric, options: Mapping[str, Any]) -> Floats:
    """Return the gradient with respect to the share of each row's cell of the confusion table.

    Where the table itself shows no variance it is that of the smoothed one.
    """
    value, table = table_function(sample, metric, options), sample.state.table
    slopes = value.gradient(table)
    if called_alike(table) or not np.isfinite(slopes).all() or not slopes.any():
        table = smoothed(table)
        slopes = value.gradient(table)
    own = slopes[sample.pair.true, sample.pair.pred] - (slopes * table).sum() / table.sum()
    return own if sample.weight is None else own * sample.weight


def share_of(
    sample: LabelSample, metric: Metric, options: Mapping[str, Any]
) -> tuple[float, float] | None:
    """Return the two sums of counts whose ratio a metric is, or None where it is no share."""
    if options.get("average", "binary") != "binary":
        return None
    problem: Any = metric.kind.select(metric, options, STRICT)[0](sample.state)
    return share_of_counts(metric, problem.record, own_parameters(metric, options))


def table_function(
    sample: LabelSample, metric: Metric, options: Mapping[str, Any]
) -> TableFunction:
    """Return the metric as a function of tables over the classes of a sample."""
    return TableFunction(metric, options, sample.pair.classes, sample.pair.named)


def by_jackknife(
    sample: Sample, metric: Metric, options: Mapping[str, Any], groups: Codes | None = None
) -> Floats:
    r"""Return :math:`\sqrt{(m - 1) / m} (\bar\theta - \theta_{-i})` within each class of m units.

    Beyond a thousand units, random bundles of units are left out together. A unit without which the
    metric is undefined has no influence.
    """
    strata = sample.strata if groups is None else None
    drawn = Resampling(sample.n_rows, strata, groups)
    bundle = drawn.bundles(np.random.default_rng(0))
    rows = bundle if groups is None else bundle[groups]
    first = np.unique(rows, return_index=True)[1]
    left_out = np.concatenate(
        [
            values_under(sample, [(metric, options)], counts)[0]
            for counts, _ in drawn.without(bundle)
        ]
    )
    found = np.zeros(sample.n_rows)
    of_rows = np.zeros(sample.n_rows, dtype=np.intp) if strata is None else strata
    for code in np.unique(of_rows):
        own = first[of_rows[first] == code]
        values = left_out[rows[own]]
        size = np.isfinite(values).sum()
        deviation = np.where(np.isfinite(values), np.nanmean(values) - values, 0.0)
        found[own] = np.sqrt((size - 1) / size) * deviation
    return found
