"""The influence of each example on a metric; the sum of squares estimates the variance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from ..._arrays import Array, Bools, Codes, Floats
from .._formulas.slopes import STEP, TIMES, derivatives, of_rows, of_sorted_rows, of_steps
from .._pairs.placements import CountedPlacements
from .._records.counts import Counts
from .._records.inputs import positive_code, rescaled, score_columns
from .._registry.averaging import Reading, apply, quiet
from .._registry.row import Metric
from .._resampling.draws import Resampling, pieces
from .._resampling.pair_means import has_placements, placement_values, values_of
from .._resampling.sample import MetricOnSample, sample_of
from ..kinds.base import Sample
from ..kinds.labels import LabelState
from ..kinds.scores.class_scores import Probabilities
from ..kinds.scores.state import BinaryProblem, ClassCells, OneScore, OneVsOne, OneVsRest
from ..kinds.totals import KnownTotals, SumOf
from ._bootstrap import of_replicates, values_under
from ._normal import share_of_counts

# Tables drawn if all derivatives are 0; the standard deviation from 400 draws has an error of 4 %.
_DRAWS = 400
# Total number of examples added, evenly over the cells, if the variance of the table is 0; in a
# binary table that is 1/2 per cell (Haldane 1956, Anscombe 1956).
_ADDED = 2.0


class TableFunction:
    """A metric as a function of stacks of confusion tables, with its slopes.

    Parameters
    ----------
    reading : Reading
        A metric of predicted labels under its options.
    classes : ndarray of shape (K,)
    named : ndarray of int, or None
        The classes that ``labels`` names.
    """

    def __init__(self, reading: Reading, classes: Array, named: Codes | None) -> None:
        self.reading, self.classes, self.named = reading, classes, named

    def __call__(self, tables: Floats) -> Floats:
        """Return the values of tables of shape (..., K, K), of shape (...) or (..., C)."""
        return np.asarray(self.reading.unreported(LabelState(tables, self.classes, self.named)))

    def standard_error(self, table: Floats) -> Floats:
        """Return the standard error of the value of one table.

        The cells are multinomial with n fixed, so for the gradient g with respect to the counts c the
        variance is sum g^2 c - (sum g c)^2 / n. An empty cell adds nothing.
        """
        square, linear = np.asarray(0.0), np.asarray(0.0)
        for cells, slopes in self._slopes(table):
            counts = table.ravel()[cells].reshape(-1, *[1] * (slopes.ndim - 1))
            # In order of size, so that no order of the classes changes a digit.
            square = square + np.sort(slopes**2 * counts, axis=0).sum(axis=0)
            linear = linear + np.sort(slopes * counts, axis=0).sum(axis=0)
        return np.sqrt(np.maximum(square - linear**2 / table.sum(), 0))

    def drawn(self, table: Floats) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of the values of multinomial tables like this one.

        They replace the delta method if all derivatives are 0, as at a minimum inside the range.
        """
        rng = np.random.default_rng(0)
        n = max(1, round(float(table.sum())))
        values = []
        for chosen in pieces(np.arange(_DRAWS), table.size):
            tables = rng.multinomial(n, table.ravel() / table.sum(), len(chosen))
            values.append(self(tables.reshape(-1, *table.shape).astype(np.float64)))
        found = np.concatenate(values)
        with np.errstate(invalid="ignore"):  # an infinite value among them
            return found.mean(axis=0), found.std(axis=0)

    def gradient(self, table: Floats) -> Floats:
        """Return the derivatives with respect to the cells of a table, 0 for empty cells."""
        found = np.zeros(table.size)
        for cells, slopes in self._slopes(table):
            found[cells] = slopes
        return found.reshape(table.shape)

    def _slopes(self, table: Floats) -> Iterator[tuple[Codes, Floats]]:
        """Yield indices of the non-empty cells, and the derivatives with respect to them."""
        if "average" in self.reading.metric.kind.options:  # metrics of one class against the rest
            yield from self._by_counts(table)
            return
        cells = np.flatnonzero(table)
        for chosen in pieces(cells, len(TIMES) * table.size):
            steps = STEP * table.ravel()[chosen]
            changes = np.zeros((len(chosen), table.size))
            changes[np.arange(len(chosen)), chosen] = steps
            moved = table + TIMES[:, None, None, None] * changes.reshape(-1, *table.shape)
            yield chosen, derivatives(self(moved), steps)

    def _by_counts(self, table: Floats) -> Iterator[tuple[Codes, Floats]]:
        """Yield the same from 4 K derivatives, with respect to the four counts of every class.

        A cell (i, j) is a true negative of all classes but i and j, a true positive of i if i = j, else
        a false negative of i and a false positive of j.
        """
        counts = np.stack(Counts.one_vs_rest(table).cells)  # of shape (4, K)
        classes = np.arange(counts.shape[1])
        parts = pieces(classes, 4 * len(TIMES) * counts.size)  # each of the four counts changes
        found = [self._by_class(counts, chosen) for chosen in parts]
        tp, fp, fn, tn = np.concatenate(found, axis=1)
        rest = tn.sum(axis=0)
        for cells in pieces(np.flatnonzero(table), max(1, rest.size)):
            i, j = np.unravel_index(cells, table.shape)
            right = (i == j).reshape(-1, *[1] * rest.ndim)
            yield cells, rest - tn[i] + np.where(right, tp[i], fn[i] + fp[j] - tn[j])

    def _by_class(self, counts: Floats, chosen: Codes) -> Floats:
        """Return the derivatives with respect to the four counts of some classes, count by count."""
        steps = STEP * counts[:, chosen]
        # Axes: the count and the class that change; then the count and the class that are
        # evaluated.
        # Steps are relative to the counts, so that a slope has the same digits at any size.
        changes = np.zeros((4, len(chosen), *counts.shape))
        count, place = np.indices(steps.shape)
        changes[count, place, count, chosen[place]] = steps
        moved = counts + TIMES[:, None, None, None, None] * changes
        state = LabelState(np.zeros((*moved.shape[:-2], 0, 0)), self.classes, self.named)
        state.one_vs_rest = Counts(*np.moveaxis(moved, -2, 0))
        return derivatives(np.asarray(self.reading.unreported(state)), steps)


def called_alike(table: Floats) -> bool:
    """Whether all examples of some class have the same prediction, so that its variance would be 0."""
    return bool((((table > 0).sum(axis=-1) == 1) & (table.sum(axis=-1) > 0)).any())


def smoothed(table: Floats) -> Floats:
    """Return the table with two examples added evenly over its cells."""
    return table + _ADDED / table.size


# An entry of an average: its binary problems and the codes of their classes.
_Part = tuple[Sequence[BinaryProblem], Codes]


def ranked_slopes(on: MetricOnSample, in_order: bool) -> Floats | None:
    r"""Return :math:`W \, \partial T / \partial w_i` of rows of total weight W, up to a constant.

    Unless they must be `in_order`, those of one score a row are sorted. None if no form is known.
    """
    scored, options = on.sample.state.scored, on.options
    average = options.get("average") or "macro"
    how = "one" if scored.one_column else options.get("multi_class")
    parts = _parts(scored, options, how, average, not on.metric.positive_matters())
    if parts is None:
        return None
    in_order |= how != "one" or scored.weight is not None or on.sample.multiplicity is not None
    each = []
    for problems, _ in parts:
        found = [_of_problem(on, problem, in_order) for problem in problems]
        if any(one is None for one in found):
            return None
        each.append(np.mean(np.array(found), axis=0))
    slopes = np.array(each)
    if average != "weighted" or how == "one":
        return np.asarray(slopes.mean(axis=0))
    values = [_value_of_part(on, problems) for problems, _ in parts]
    own = np.array([np.isin(scored.true, codes) for _, codes in parts])
    return _weighted(slopes, values, own, scored.weight)


def _weighted(slopes: Floats, values: Sequence[Any], own: Bools, weight: Floats | None) -> Floats:
    r"""Return the derivatives of :math:`T = \sum_k S_k T_k / S`.

    S_k is the weight of the rows that part k has for its `own`, which moves with theirs.
    """
    weight = np.ones(own.shape[1]) if weight is None else weight
    sizes = own @ weight
    value = sizes @ np.array(values) / sizes.sum()
    moved = ((np.array(values) - value)[:, None] * own).sum(axis=0) * weight.sum()
    return np.asarray((sizes @ slopes + moved) / sizes.sum())


def _parts(
    scored: Any, options: Mapping[str, Any], how: str | None, average: str, either: bool
) -> list[_Part] | None:
    if how == "one":
        code = positive_code(scored.classes, options.get("pos_label"), either=either)
        return None if code is None else [([OneScore(code)], np.arange(2))]
    columns = score_columns(scored)
    if how == "ovr" and average == "micro":
        return [([ClassCells()], columns)]
    if average not in ("macro", "weighted"):
        return None
    if how == "ovr":
        return [([OneVsRest(k)], columns[[k]]) for k in range(len(columns))]
    pairs = combinations(range(len(columns)), 2)
    return [([OneVsOne(a, b), OneVsOne(b, a)], columns[[a, b]]) for a, b in pairs]


def _value_of_part(on: MetricOnSample, problems: Sequence[BinaryProblem]) -> Any:
    rankings = [on.sample.state.ranking(each, on.options.get("rescale")) for each in problems]
    return np.mean([apply(on.metric, ranked, dict(on.parameters)) for ranked in rankings])


def _of_problem(on: MetricOnSample, problem: BinaryProblem, in_order: bool) -> Floats | None:
    """Return the derivatives with respect to the rows of one binary problem."""
    metric, parameters, rescale = on.metric, on.parameters, on.options.get("rescale")
    state: Any = on.sample.state
    truth, score, weight = problem.of(state.scored)
    whole = len(state.scored.true) if state.scored.weight is None else state.scored.weight.sum()
    if metric.influence is not None or metric.over_thresholds == "sum":
        ranked, completed = state.ranking(problem, rescale), metric.completed(parameters)
        with quiet():
            if metric.influence is not None:
                found = metric.influence(ranked, **completed)
            else:
                found = of_steps(partial(metric.formula, **completed), ranked.threshold_counts)
        rows_of = (
            of_rows(ranked, found, truth, score) if in_order else of_sorted_rows(ranked, found)
        )
        slopes = rows_of * whole
    elif rescale != "minmax" and has_placements(metric, parameters):
        each = np.ones(len(truth)) if weight is None else weight
        ranks = CountedPlacements(truth, rescaled(score, rescale), each)
        slopes = np.empty(len(truth))
        for side, own in zip((truth, ~truth), values_of(metric, parameters, ranks), strict=True):
            with np.errstate(invalid="ignore"):  # of one class
                share = each[side] / each[side].sum()
            slopes[side] = (own - share @ own) * whole / each[side].sum()
    else:
        return None
    rows = problem.rows(state.scored)
    if rows is not None:
        slopes = np.bincount(rows, slopes, len(state.scored.true))
    return np.asarray(slopes)


def influences(on: MetricOnSample, groups: Codes | None = None) -> Floats:
    """Return the influence of every row of a sample on the value of a metric, of shape (n_rows,).

    Rows, or groups, are a random sample, class counts included. The variance of the value is the
    sum over independent units of their squared influences. It equals DeLong's variance for a mean
    over pairs of independent rows, the variance of a mean for a mean over rows, that of the delta
    method for a metric of predicted labels, that of the infinitesimal jackknife for metrics with an
    influence curve, and that of the jackknife otherwise. Units that the jackknife deletes together
    have their influence at one of their rows.
    """
    sample = on.sample
    if sample.counted and on.options.get("average", "binary") is not None:
        return of_labels(on)
    binary = binary_scores(on)
    if binary is not None and sample.weight is None:
        return of_pairs(*placement_values(on.metric, on.parameters, *binary), binary[0])
    found = curve(on)
    if found is None:
        return by_jackknife(on, groups)
    units = sample.n_rows if groups is None else int(groups.max()) + 1
    return found * np.sqrt(units / (units - 1)) if units > 1 else found * np.nan


def curve(on: MetricOnSample, *, in_order: bool = True) -> Floats | None:
    r"""Return :math:`w_i \, \partial T / \partial w_i` for every row i; None where no form is known.

    A row that represents several equal examples has the sum of theirs. Rows that need not be
    `in_order` are not looked up.
    """
    slopes: Floats | None = example_losses(on)
    if slopes is None:
        slopes = _slopes(on, in_order)
    if slopes is None:
        return None
    weight = weights_of(on.sample)
    if weight is None:
        return (slopes - slopes.mean()) / len(slopes)
    # The slopes are known up to a constant, which leaves with their mean: influences add up to 0.
    share = weight / weight.sum()
    return np.asarray(share * (slopes - share @ slopes))


def _slopes(on: MetricOnSample, in_order: bool) -> Floats | None:
    """Return the derivatives with respect to the weights of the rows, times the total weight."""
    sample, metric = on.sample, on.metric
    if sample.ranked and metric.kind.scale is not None:
        return ranked_slopes(on, in_order)
    own, parameters = metric.influence, on.parameters
    totals = metric.totals_of(parameters) if sample.ranked else None
    if own is None and totals is not None and all(isinstance(total, SumOf) for total in totals):
        own = partial(_of_totals, metric, totals)
    if own is None or sample.counted or sample.summed:
        return None
    if sample.record.multilabel:
        return _of_labels(on)
    with quiet():
        slopes = own(on.record, **metric.completed(parameters))
    weight = weights_of(sample)
    return np.asarray(slopes * (sample.n_rows if weight is None else weight.sum()))


def _of_labels(on: MetricOnSample) -> Floats | None:
    """Return the derivatives of an average over the scored labels of multilabel indicators."""
    record, average = on.sample.record, on.options.get("average") or "macro"
    if average not in ("macro", "weighted"):
        return None
    options = {**on.options, "average": None, "multi_class": "raise", "pos_label": True}
    labels = [
        MetricOnSample(
            sample_of(on.metric, *columns, sample_weight=on.sample.weight), on.metric, options
        )
        for columns in zip(record.true.T, record.score.T, strict=True)
    ]
    found = [_slopes(label, True) for label in labels]
    if any(one is None for one in found):
        return None
    slopes = np.array(found)
    if average == "macro":
        return np.asarray(slopes.mean(axis=0))
    return _weighted(slopes, [label.value for label in labels], record.true.T, on.sample.weight)


def _of_totals(
    metric: Metric, totals: Sequence[Any], p: Probabilities, **parameters: Any
) -> Floats:
    """Return the derivatives of a formula of sums of losses and class weights, by the chain rule."""
    losses = [total.values(p) for total in totals]
    held = np.append([each @ p.weight for each in losses], p.class_weights)
    steps = STEP * held

    def value(times: float) -> Floats:
        moved = held + times * np.diag(steps)
        facts = p.n_examples, p.n_columns
        known = (
            KnownTotals(dict(zip(totals, row, strict=False)), row[len(totals) :], *facts)
            for row in moved
        )
        return np.array([metric.formula(each, **parameters) for each in known])

    slopes = derivatives(np.stack([value(times) for times in TIMES]), steps)
    parts = [slope * each for slope, each in zip(slopes, losses, strict=False)]
    return np.asarray(np.sum(parts, axis=0) + slopes[len(totals) :][p.outcome])


def weights_of(sample: Sample) -> Floats | None:
    """Return the weight of each row, or its number of examples; None if all are equal."""
    return sample.weight if sample.multiplicity is None else 1.0 * sample.multiplicity


def example_losses(on: MetricOnSample) -> Floats | None:
    """Return the value of every row if the metric is their mean; otherwise None.

    If it is their sum (``normalize=False``), the values are multiplied by their number.
    """
    sample = on.sample
    if on.metric.losses is None or sample.counted:
        return None
    values: Floats = sample.losses_of(on.metric, on.record, on.parameters)
    if values.shape != (sample.n_rows,):
        return None
    if on.options.get("normalize", True) is False:
        weight = weights_of(sample)
        values = values * (len(values) if weight is None else weight.sum())
    return values


def binary_scores(on: MetricOnSample) -> tuple[Bools, Floats] | None:
    """Return truth and scores if the metric is a mean over the pairs of one binary problem."""
    options = on.options
    if not on.sample.one_column or options.get("rescale") == "minmax":
        return None
    if not has_placements(on.metric, on.parameters):
        return None
    scored = on.sample.scored
    truth = scored.true == positive_code(scored.classes, options.get("pos_label"))
    return truth, rescaled(scored.score, options.get("rescale"))


def of_pairs(of_positives: Floats, of_negatives: Floats, truth: Bools) -> Floats:
    """Return scaled deviations of placement values; their sum of squares is DeLong's variance."""
    found = np.empty(len(truth))
    for side, values in ((truth, of_positives), (~truth, of_negatives)):
        size = len(values)
        scale = np.sqrt(size * (size - 1.0)) if size > 1 else np.nan
        found[side] = (values - values.mean()) / scale
    return found


def of_labels(on: MetricOnSample) -> Floats:
    """Return the gradient with respect to the share of each row's cell of the confusion table.

    If the variance of the table is 0 the smoothed table is used.
    """
    sample, value, table = on.sample, table_function(on), on.sample.state.table
    slopes = value.gradient(table)
    if called_alike(table) or not np.isfinite(slopes).all() or not slopes.any():
        table = smoothed(table)
        slopes = value.gradient(table)
    own = slopes[sample.pair.true, sample.pair.pred] - (slopes * table).sum() / table.sum()
    return own if sample.weight is None else own * sample.weight


def share_of(on: MetricOnSample) -> tuple[float, float] | None:
    """Return the two sums of counts whose ratio a metric is, or None if it is not a proportion."""
    if on.options.get("average", "binary") != "binary":
        return None
    return share_of_counts(on.metric, on.record, on.parameters)


def table_function(on: MetricOnSample) -> TableFunction:
    """Return the metric as a function of tables over the classes of a sample."""
    return TableFunction(on.reading, on.sample.pair.classes, on.sample.pair.named)


def by_jackknife(on: MetricOnSample, groups: Codes | None = None) -> Floats:
    r"""Return :math:`\sqrt{(m - 1) / m} (\bar\theta - \theta_{-i})` of m units: rows, or groups.

    With more than a thousand units, random bundles of units are deleted together. A unit without
    which the metric is undefined has influence 0.
    """
    sample, readings = on.sample, [of_replicates(on.metric, on.options)]
    drawn = Resampling(sample.n_rows, None, groups)
    bundle = drawn.bundles(np.random.default_rng(0))
    first = np.unique(bundle if groups is None else bundle[groups], return_index=True)[1]
    values = np.concatenate(
        [values_under(sample, readings, counts)[0] for counts, _ in drawn.without(bundle)]
    )
    defined = np.isfinite(values)
    size = np.count_nonzero(defined)
    found = np.zeros(sample.n_rows)
    if size:
        deviation = np.where(defined, values[defined].mean() - values, 0.0)
        found[first] = np.sqrt((size - 1) / size) * deviation
    return found
