"""The influence of each example on the value of a metric; the squares add up to its variance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..._arrays import Bools, Codes, Floats
from .._records.inputs import positive_code
from .._records.rescaling import rescaled
from .._registry.averaging import STRICT, quiet
from .._registry.row import Metric
from .._registry.streamed import squares_for
from .._resampling.counted import TotalledScores
from .._resampling.draws import Resampling
from .._resampling.placements import has_placements, placement_values
from .._resampling.sample import LabelSample, Sample, ScoreSample, own_parameters
from .._states.example_costs import CostState
from .._states.scores import Probabilities
from .._states.totals import SumOf
from .._streams.totals import KnownTotals
from ._bootstrap import values_under
from ._delta import TableFunction, called_alike, derivative, smoothed
from ._proportions import share_of_counts
from ._ranked import ranked_slopes

# Relative change of a total, at which the rule of fourth order leaves an error near 1e-12.
_STEP = 1e-3


def influences(
    sample: Sample, metric: Metric, options: Mapping[str, Any], groups: Codes | None = None
) -> Floats:
    """Return the influence of every row of a sample on the value of a metric, of shape (n_rows,).

    Rows, or groups, are a random sample, class counts included: the squares of the sums of influences
    over independent units add up to the variance of the value. It is exactly DeLong's for a mean over
    pairs of independent rows, that of a mean for a mean over rows, the delta method's for a metric of
    predicted labels, the infinitesimal jackknife's where the metric has a curve, and the jackknife's for
    any other. The influence of units that the jackknife leaves out together stands with one of their
    rows.
    """
    if isinstance(sample, LabelSample) and options.get("average", "binary") is not None:
        return of_labels(sample, metric, options)
    binary = binary_scores(sample, metric, options)
    if binary is not None and sample.weight is None:
        values = placement_values(metric, own_parameters(metric, options), *binary)
        return of_pairs(*values, binary[0])
    found = curve(sample, metric, options)
    if found is None:
        return by_jackknife(sample, metric, options, groups)
    units = sample.n_rows if groups is None else int(groups.max()) + 1
    return found * np.sqrt(units / (units - 1)) if units > 1 else found * np.nan


def paired_influences(
    first: Sample,
    second: Sample,
    metric: Metric,
    options: Mapping[str, Any],
    groups: Codes | None = None,
) -> Floats:
    """Return the influence of every row on the difference of a metric of two predictions for them."""
    one, other = (influences(sample, metric, options, groups) for sample in (first, second))
    return one - other


def curve(sample: Sample, metric: Metric, options: Mapping[str, Any]) -> Floats | None:
    r"""Return :math:`w_i \, \partial T / \partial w_i` for every row i; None where no form is known.

    A row that stands for several equal examples has the sum of theirs.
    """
    slopes: Floats | None = example_losses(sample, metric, options)
    if slopes is None:
        slopes = _slopes(sample, metric, options)
    if slopes is None:
        return None
    weight = weights_of(sample)
    if weight is None:
        return (slopes - slopes.mean()) / len(slopes)
    share = weight / weight.sum()
    return np.asarray(share * (slopes - share @ slopes))


def _slopes(sample: Sample, metric: Metric, options: Mapping[str, Any]) -> Floats | None:
    """Return the derivatives with respect to the weights of the rows, times the total weight."""
    if isinstance(sample, ScoreSample) and metric.kind.scale is not None:
        return ranked_slopes(sample, metric, options)
    own, parameters = metric.influence, own_parameters(metric, options)
    totals = metric.totals_of(parameters) if isinstance(sample, ScoreSample) else None
    if own is None and totals and all(isinstance(total, SumOf) for total in totals):
        own = partial(_of_totals, metric, totals)
    if own is None or isinstance(sample, LabelSample | TotalledScores):
        return None
    problem: Any = metric.kind.select(metric, options, STRICT)[0](sample.state)
    with quiet():
        slopes = own(problem.record, **parameters)
    weight = weights_of(sample)
    return np.asarray(slopes * (sample.n_rows if weight is None else weight.sum()))


def _of_totals(
    metric: Metric, totals: Sequence[Any], p: Probabilities, **parameters: Any
) -> Floats:
    """Return the slopes of a formula of sums of losses and of the class weights, by the chain rule."""
    losses = [total.values(p) for total in totals]
    held = np.append([each @ p.weight for each in losses], p.class_weights)
    steps = _STEP * held

    def value(times: float) -> Floats:
        moved = held + times * np.diag(steps)
        facts = p.n_examples, p.n_columns
        known = (
            KnownTotals(dict(zip(totals, row, strict=False)), row[len(totals) :], *facts)
            for row in moved
        )
        return np.array([metric.formula(each, **parameters) for each in known])

    slopes = derivative(value, steps)
    parts = [slope * each for slope, each in zip(slopes, losses, strict=False)]
    return np.asarray(np.sum(parts, axis=0) + slopes[len(totals) :][p.outcome])


def weights_of(sample: Sample) -> Floats | None:
    """Return what every row weighs, or how many examples it stands for; None where all are alike."""
    return sample.weight if sample.multiplicity is None else 1.0 * sample.multiplicity


def example_losses(sample: Sample, metric: Metric, options: Mapping[str, Any]) -> Floats | None:
    """Return the value of every row where the metric is their mean; None where it is not.

    Where it is their sum (``normalize=False``) they are as many times larger.
    """
    if metric.losses is None or isinstance(sample, LabelSample):
        return None
    problem: Any = metric.kind.select(metric, options, STRICT)[0](sample.state)
    if isinstance(sample, TotalledScores):
        sums = SumOf(metric.losses), squares_for(metric, options)
        values = sample.losses(*(problem.record.total(total) for total in sums))
    else:
        record = sample.state.each if isinstance(sample.state, CostState) else problem.record
        values = np.asarray(metric.losses(record, **own_parameters(metric, options)))
    if values.shape != (sample.n_rows,):
        return None
    if options.get("normalize", True) is False:
        weight = weights_of(sample)
        values = values * (len(values) if weight is None else weight.sum())
    return values


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
    r"""Return :math:`\sqrt{(m - 1) / m} (\bar\theta - \theta_{-i})` of m units: rows, or groups.

    Beyond a thousand units, random bundles of units are left out together. A unit without which the
    metric is undefined has no influence.
    """
    drawn = Resampling(sample.n_rows, None, groups)
    bundle = drawn.bundles(np.random.default_rng(0))
    first = np.unique(bundle if groups is None else bundle[groups], return_index=True)[1]
    values = np.concatenate(
        [
            values_under(sample, [(metric, options)], counts)[0]
            for counts, _ in drawn.without(bundle)
        ]
    )
    defined = np.isfinite(values)
    size = np.count_nonzero(defined)
    found = np.zeros(sample.n_rows)
    if size:
        deviation = np.where(defined, values[defined].mean() - values, 0.0)
        found[first] = np.sqrt((size - 1) / size) * deviation
    return found
