"""Intervals of metrics by their influence curves: means over rows, and smooth functions of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from ..._arguments import MetricLike
from ..._arrays import Array, Bools, Codes, Floats
from ...metrics._formulas.slopes import STEP, TIMES, derivatives, of_rows, of_sorted_rows, of_steps
from ...metrics._kinds.averages import average_of, mean_over_classes
from ...metrics._kinds.base import Sample
from ...metrics._kinds.labels import LabelState, MovedState
from ...metrics._kinds.scores.state import BinaryProblem, ClassCells, OneScore, OneVsOne, OneVsRest
from ...metrics._pairs.placements import (
    Placements,
)
from ...metrics._records.counts import MovedCounts
from ...metrics._records.inputs import positive_code, rescaled, score_columns
from ...metrics._records.totals import KnownTotals
from ...metrics._registry.declare import options_of_state
from ...metrics._registry.names import named_metric
from ...metrics._registry.resampling import Resampling, pieces, resampled_pieces
from ...metrics._registry.row import Metric, MetricEvaluator, apply, quiet
from ...metrics._registry.samples import MetricOnSample, has_placements, sample_of, values_of
from ...metrics._registry.samples import placement_values as values_of_metric
from .areas import binary_scores, constant_pairs_interval
from .bootstrap import Ends, of_replicates, values_under
from .limits import ROUNDING, IntervalEstimate, ends_on, has_zero_width, link_of
from .proportions import clopper_pearson, score_interval

# Tables drawn if all derivatives are 0; the standard deviation from 400 draws has an error of 4 %.
_DRAWS = 400
# Cells read for the slopes of a table, above which the standard error is that of those draws: 4 K^2 for
# each cell that holds examples, about ten seconds.
_MOST_READ = 1 << 30

# Total number of examples added, evenly over the cells, if the variance of the table is 0; in a
# binary table that is 1/2 per cell (Haldane 1956, Anscombe 1956).
ADDED = 2.0


class ClassSlopes(NamedTuple):
    """Derivatives with respect to the four counts of every class, of shape (K,) each.

    A cell (i, j) is a true negative of all classes but i and j, a true positive of i if i = j, else a
    false negative of i and a false positive of j.
    """

    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats

    def at(self, true: Codes, pred: Codes) -> Floats:
        """Return the derivatives with respect to some cells."""
        right = self.tp - self.tn
        of_true, of_pred = self.fn - self.tn, self.fp - self.tn
        own = np.where(true == pred, right[true], of_true[true] + of_pred[pred])
        return np.asarray(self.tn.sum() + own)

    def over_all(self) -> tuple[float, float]:
        """Return the sums of the derivatives with respect to all K^2 cells, and of their squares."""
        codes, rest = np.arange(len(self.tn)), float(self.tn.sum())
        u, v = rest + self.fn - self.tn, self.fp - self.tn
        diagonal = np.stack([u + v, self.at(codes, codes)])
        # sum_ij (u_i + v_j)^2 = K sum (u - mean u)^2 + K sum (v - mean v)^2 + K^2 (mean u + mean v)^2
        mean, size = float(u.mean() + v.mean()), len(u)
        squares = size * (
            ((u - u.mean()) ** 2).sum() + ((v - v.mean()) ** 2).sum() + size * mean**2
        )
        (out, own), (out_2, own_2) = diagonal.sum(axis=1), (diagonal**2).sum(axis=1)
        return float(size**2 * mean - out + own), float(squares - out_2 + own_2)


class CellSlopes(NamedTuple):
    """Derivatives with respect to the cells of a table, of shape (K, K), 0 for empty ones."""

    cells: Floats

    def at(self, true: Codes, pred: Codes) -> Floats:
        """Return the derivatives with respect to some cells."""
        return np.asarray(self.cells[true, pred])

    def over_all(self) -> tuple[float, float]:
        """Return the sums of the derivatives with respect to all K^2 cells, and of their squares."""
        return float(self.cells.sum()), float((self.cells**2).sum())


class TableFunction:
    """A metric at one confusion table, with its slopes.

    Parameters
    ----------
    reading : MetricEvaluator
        A metric of predicted labels under its options.
    state : LabelState
    """

    def __init__(self, reading: MetricEvaluator, state: LabelState) -> None:
        self.reading, self.state = reading, state

    @cached_property
    def value(self) -> Floats:
        """The value, or the value of each class."""
        return self._of(self.state)

    def _of(self, state: LabelState) -> Floats:
        return np.asarray(self.reading.unreported(state))

    def smoothed(self, added: float = ADDED) -> TableFunction:
        """Return the metric at the table with examples added evenly over its cells, by default two."""
        return TableFunction(self.reading, self.state.smoothed(added))

    @property
    def called_alike(self) -> bool:
        """Whether all examples of some class have one prediction, so that its variance would be 0."""
        cells = self.state.cells
        return bool((np.bincount(cells.true[cells.held > 0]) == 1).any())

    @property
    def why_smoothed(self) -> str:
        """Why the variance of the table does not serve."""
        if self.called_alike:
            return "all examples of a class have the same prediction"
        return "the estimated variance is 0 or the value at an end of its range"

    @cached_property
    def standard_error(self) -> Floats:
        """The standard error of the value, or of that of each class.

        The cells are multinomial with n fixed, so for the gradient g with respect to the counts c the
        variance is sum g^2 c - (sum g c)^2 / n. An empty cell adds nothing.
        """
        if self._reads_much:
            return self.drawn[1]
        if self.value.ndim:
            # Of the table of a class against the rest, of four cells.
            slopes = self._by_counts()
            counts = np.stack(self.state.each(None)[0].cells)
            square, linear = (slopes**2 * counts).sum(axis=0), (slopes * counts).sum(axis=0)
        else:
            linear, square = map(np.asarray, self._sums)
        return np.sqrt(np.maximum(square - linear**2 / self.state.sizes.sum(), 0))

    @property
    def _sums(self) -> tuple[float, float]:
        """The sums of the slopes of all examples, and of their squares."""
        cells, slopes = self.state.cells, self.slopes
        each = slopes.at(cells.true, cells.pred)
        linear, square = slopes.over_all() if cells.added else (0.0, 0.0)
        # In order of size, so that no order of the classes changes a digit.
        return (
            cells.added * linear + float(np.sort(each * cells.held).sum()),
            cells.added * square + float(np.sort(each**2 * cells.held).sum()),
        )

    @property
    def mean_slope(self) -> float:
        """The mean slope of an example."""
        return self._sums[0] / float(self.state.sizes.sum())

    @cached_property
    def drawn(self) -> tuple[Floats, Floats]:
        """The mean and the standard deviation of the values of multinomial tables like this one.

        They replace the delta method if all derivatives are 0, as at a minimum inside the range.
        """
        rng, table, named = np.random.default_rng(0), self.state.table, self.state.named
        n = max(1, round(float(table.sum())))
        values = []
        for chosen in resampled_pieces(_DRAWS, table.size):
            tables = rng.multinomial(n, table.ravel() / table.sum(), len(chosen))
            cells = tables.reshape(-1, *table.shape).astype(np.float64)
            values.append(self._of(LabelState(cells, self.state.classes, named)))
        found = np.concatenate(values)
        with np.errstate(invalid="ignore"):  # an infinite value among them
            return found.mean(axis=0), found.std(axis=0)

    @cached_property
    def slopes(self) -> ClassSlopes | CellSlopes:
        """The derivatives of one value."""
        if self._reads_counts:
            return ClassSlopes(*self._by_counts())
        if self._reads_much:
            cells, classes = len(self.state.cells.true), len(self.state.classes)
            raise ValueError(
                f"The influence of {cells:,} pairs of true and predicted classes on "
                f"{self.reading.metric.name} would take too long, as it reads each cell of a table of "
                f"{classes:,} classes; use method='percentile', or join rare classes."
            )
        return CellSlopes(self._by_cells())

    def _by_cells(self) -> Floats:
        table, classes, named = self.state.table, self.state.classes, self.state.named
        found = np.zeros(table.size)
        for chosen in pieces(np.flatnonzero(table), len(TIMES) * table.size):
            steps = STEP * table.ravel()[chosen]
            changes = np.zeros((len(chosen), table.size))
            changes[np.arange(len(chosen)), chosen] = steps
            moved = table + TIMES[:, None, None, None] * changes.reshape(-1, *table.shape)
            found[chosen] = derivatives(self._of(LabelState(moved, classes, named)), steps)
        return found.reshape(table.shape)

    def _by_counts(self) -> Floats:
        """Return the derivatives with respect to the four counts of every class, of shape (4, K).

        Of a value a class, those with respect to its own counts, of the scored classes alone.
        """
        state = self.state
        counts = np.stack(np.broadcast_arrays(*state.one_vs_rest.cells))
        # Steps are relative to the counts, so that a slope has the same digits at any size.
        steps = STEP * counts
        # Axes: the count; as it is, or moved; the step; the count that moves; the class.
        cells = np.empty((4, 2, len(TIMES), *counts.shape))
        cells[:] = counts[:, None, None, None]
        for count, step in enumerate(steps):
            cells[count, 1, :, count] += TIMES[:, None] * step
        moved = self._of(MovedState(MovedCounts(*cells), state.classes, state.named))
        if self.value.ndim:
            return derivatives(moved[1], steps if state.named is None else steps[:, state.named])
        scored = None if self.reading.options.get("average") == "binary" else state.named
        if scored is None:
            return derivatives(moved, steps)
        found = np.zeros_like(steps)
        found[:, scored] = derivatives(moved, steps[:, scored])
        return found

    @property
    def note_of_error(self) -> str:
        """What a reader has to know of the standard error."""
        if not self._reads_much:
            return ""
        classes = len(self.state.classes)
        return f"the standard error is that of {_DRAWS} drawn tables of these {classes:,} classes"

    @property
    def _reads_much(self) -> bool:
        if self._reads_counts:
            return False
        held = len(self.state.cells.true) if not self.state.cells.added else np.inf
        return len(TIMES) * held * len(self.state.classes) ** 2 > _MOST_READ

    @cached_property
    def _reads_counts(self) -> bool:
        """Whether the counts of each class against the rest hold all that is read."""
        if "average" in self.reading.metric.kind.options:
            return True
        if self.state.named is not None:
            return False
        record: Any = self.reading.problem(self.state).record
        return not isinstance(record, np.ndarray) or len(record) < len(self.state.classes)


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
    if mean_over_classes(average) != "by size" or how == "one":
        return np.asarray(slopes.mean(axis=0))
    read, rescale = partial(apply, on.metric), options.get("rescale")
    rankings = ([on.sample.state.ranking(p, rescale) for p in problems] for problems, _ in parts)
    values = [np.mean([read(r, dict(on.parameters)) for r in each]) for each in rankings]
    own = np.array([np.isin(scored.true, codes) for _, codes in parts])
    return _weighted(slopes, values, own, scored.weight)


def _weighted(slopes: Floats, values: Sequence[Any], own: Bools, weight: Floats | None) -> Floats:
    r"""Return the derivatives of :math:`T = \sum_k S_k T_k / S`.

    S_k is the weight of the rows that part k has for its `own`, which moves with theirs.
    """
    weight = np.ones(own.shape[1]) if weight is None else weight
    sizes = own @ weight
    value = sizes @ np.array(values) / sizes.sum()
    # A row of part k moves T by (T_k - T) / S; slopes are those times the weight of all rows.
    moved = ((np.array(values) - value)[:, None] * own).sum(axis=0) * weight.sum()
    return np.asarray((sizes @ slopes + moved) / sizes.sum())


def _parts(
    scored: Any, options: Mapping[str, Any], how: str | None, average: str, either: bool
) -> list[_Part] | None:
    if how == "one":
        code = positive_code(scored.classes, options.get("pos_label"), either=either)
        return None if code is None else [([OneScore(code)], np.arange(2))]
    columns = score_columns(scored)
    if how == "ovr" and average_of(average).over == "sums":
        return [([ClassCells()], columns)]
    if mean_over_classes(average) is None:
        return None
    if how == "ovr":
        return [([OneVsRest(k)], columns[[k]]) for k in range(len(columns))]
    pairs = combinations(range(len(columns)), 2)
    return [([OneVsOne(a, b), OneVsOne(b, a)], columns[[a, b]]) for a, b in pairs]


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
        # The mean over pairs moves by V - mean V over the weight of the class (DeLong et al. 1988).
        each = np.ones(len(truth)) if weight is None else weight
        ranks = Placements(truth, rescaled(score, rescale), each)
        slopes = np.empty(len(truth))
        values = np.split(values_of(metric, parameters, ranks), ranks.sizes[:1])
        for side, own in zip((truth, ~truth), values, strict=True):
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
        return of_pairs(*values_of_metric(on.metric, on.parameters, *binary), binary[0])
    found = influence_values(on)
    if found is None:
        return by_jackknife(on, groups)
    units = sample.n_rows if groups is None else int(groups.max()) + 1
    return found * np.sqrt(units / (units - 1)) if units > 1 else found * np.nan


def influence_values(on: MetricOnSample, *, in_order: bool = True) -> Floats | None:
    r"""Return :math:`w_i \, \partial T / \partial w_i` for every row i; None where no form is known.

    A row that represents several equal examples has the sum of theirs. Rows that need not be
    `in_order` are not looked up.
    """
    slopes: Floats | None = row_losses(on)
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
    own, totals = metric.influence, metric.totals_of(on.parameters)
    if own is None and totals is not None and all(hasattr(total, "slopes") for total in totals):
        own = partial(_of_totals, metric, totals)
    if own is None or sample.counted:
        return None
    if sample.record.multilabel:
        return _of_labels(on)
    with quiet():
        slopes = own(on.record, **metric.completed(on.parameters))
    if np.shape(slopes) != (sample.n_rows,) and not sample.ranked:
        return None  # of several values
    weight = weights_of(sample)
    return np.asarray(slopes * (sample.n_rows if weight is None else weight.sum()))


def _of_labels(on: MetricOnSample) -> Floats | None:
    """Return the derivatives of an average over the scored labels of multilabel indicators."""
    record, average = on.sample.record, on.options.get("average") or "macro"
    weighting = mean_over_classes(average)
    if weighting is None:
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
    if weighting == "equal":
        return np.asarray(slopes.mean(axis=0))
    return _weighted(slopes, [label.value for label in labels], record.true.T, on.sample.weight)


def _of_totals(metric: Metric, totals: Sequence[Any], p: Any, **parameters: Any) -> Floats:
    r"""Return the derivatives of a formula of totals T and class weights, by the chain rule.

    .. math:: \frac{\partial f}{\partial w_i}
              = \sum_T \frac{\partial f}{\partial T} \frac{\partial T}{\partial w_i}
                + \frac{\partial f}{\partial W_{y_i}}
    """
    own, n, parts = p.class_weights, len(p.weights), [np.asarray(total(p)) for total in totals]
    ends = np.cumsum([0, *(each.size for each in parts)])
    held = np.concatenate([*(each.ravel() for each in parts), own])
    slopes_of = (total.slopes(p).reshape(n, -1) for total in totals)
    of_rows = np.column_stack([np.empty((n, 0)), *slopes_of])
    steps = STEP * np.append(p.weights @ np.abs(of_rows), own)

    def known(row: Floats) -> KnownTotals:
        _, *moved, sizes = np.split(row, ends)
        shaped = (new.reshape(old.shape) for new, old in zip(moved, parts, strict=True))
        return KnownTotals(dict(zip(totals, shaped, strict=True)), sizes, n, len(sizes))

    rows = (held + times * np.diag(steps) for times in TIMES)
    values = [[metric.formula(known(row), **parameters) for row in moved] for moved in rows]
    slopes = derivatives(np.array(values), steps)
    if slopes.ndim > 1:
        return slopes  # of several values
    return np.asarray(of_rows @ slopes[: ends[-1]] + slopes[ends[-1] :][getattr(p, "outcome", 0)])


def weights_of(sample: Sample) -> Floats | None:
    """Return the weight of each row, or its number of examples; None if all are equal."""
    return sample.weight if sample.multiplicity is None else 1.0 * sample.multiplicity


def row_losses(on: MetricOnSample) -> Floats | None:
    """Return the value of every row if the metric is their mean; otherwise None.

    If it is their sum (``normalize=False``), the values are multiplied by their number.
    """
    sample = on.sample
    if on.metric.losses is None or sample.counted or on.problem.names is not None:
        return None
    values: Floats = np.asarray(
        on.metric.losses(sample.state.by_example(on.record), **on.parameters)
    )
    if values.shape != (sample.n_rows,):
        return None
    if on.options.get("normalize", True) is False:
        weight = weights_of(sample)
        values = values * (len(values) if weight is None else weight.sum())
    return values


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
    sample, value = on.sample, table_function(on)
    cells = value.state.cells
    slopes = value.slopes.at(cells.true, cells.pred)
    if value.called_alike or not np.isfinite(slopes).all() or not slopes.any():
        value = value.smoothed()
    own = value.slopes.at(sample.pair.true, sample.pair.pred) - value.mean_slope
    return own if sample.weight is None else own * sample.weight


def table_function(on: MetricOnSample) -> TableFunction:
    """Return the metric at the confusion table of a sample."""
    return TableFunction(on.reading, on.sample.state)


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


# Quantiles of a class at which scores are cut to estimate the design effect.
_CUTS = np.linspace(0.05, 0.95, 19)


class EffectiveSize(NamedTuple):
    """The effective sample size of a share, or of each of several, with degrees of freedom."""

    size: Any
    freedom: float = math.inf

    def ends(self, share: Floats, rate: Any) -> Ends:
        r"""Return Clopper-Pearson intervals of shares, with equal tails.

        For a sample in groups (Korn and Graubard 1998, Survey Methodology 24, 193-201):

        .. math:: n^* = n_\text{eff} \, (z_{\eta / 2} / t_{\eta / 2, d})^2
        """
        size = self.size
        if math.isfinite(self.freedom):
            size = size * (special.ndtri(rate / 2) / special.stdtrit(self.freedom, rate / 2)) ** 2
        return clopper_pearson(share * size, size, 1 - rate)

    def at(self, points: Any) -> EffectiveSize:
        """Return the sizes at some of the shares."""
        return self._replace(size=self.size[points]) if np.ndim(self.size) else self

    @property
    def typical(self) -> float:
        """The size at the median of the shares."""
        return float(np.median(self.size))


def effective_size(
    p: Floats, above: Floats, weight: Floats, groups: Codes | None, hits: Iterable[Array]
) -> EffectiveSize:
    r"""Return the effective sample sizes of shares of weighted rows in groups.

    .. math:: n_\text{eff} = \frac{1}{D} \, \frac{p (1 - p)}{\sum_i w_i^2 (x_i - p)^2},
        \qquad d + 1 = 1 / \sum_g W_g^2

    Parameters
    ----------
    p : ndarray of shape (n_points,), float64
        The shares.
    above : ndarray of shape (n_points,), float64
        The sums of the squared weights of the rows that count for them.
    weight : ndarray of shape (n_rows,), float64
        Weights whose sum is 1.
    groups : ndarray of shape (n_rows,), int, or None
    hits : iterable of ndarray of shape (n_rows,), bool
        Rows that count for a share. The design effect D, the variance of sums over groups divided
        by that of independent rows (at least 1), is pooled over all of them.

    Returns
    -------
    EffectiveSize
        nan if one group has all the weight.
    """
    _, codes = np.unique(np.arange(len(weight)) if groups is None else groups, return_inverse=True)
    among, total = np.bincount(codes, weight), float(weight @ weight)
    if len(among) < 2:
        return EffectiveSize(math.nan, math.nan)
    inside = np.flatnonzero((p > 0) & (p < 1))
    size = np.full(len(p), 1 / total)
    if len(inside):
        q, squares = p[inside], above[inside]
        # q (1 - q) / n is the variance sum a_i^2 (hit_i - q)^2 of the weighted share.
        found = q * (1 - q) / (squares * (1 - q) ** 2 + (total - squares) * q**2)
        size = np.minimum(size, np.interp(np.arange(len(p)), inside, found))
    design = 1.0 if groups is None else _design_effect(weight, codes, hits)
    return EffectiveSize(size / design, max(1.0, 1 / float(among @ among) - 1))


def _design_effect(weight: Floats, codes: Codes, hits: Iterable[Array]) -> float:
    influences = [weight * (hit - weight @ hit) for hit in hits]
    independent = sum(Spread.of(psi).variance for psi in influences)
    found = sum(Spread.of(psi, codes).variance for psi in influences)
    return max(1.0, found / independent) if independent > 0 else len(codes) / (codes.max() + 1.0)


def cuts(score: Floats) -> Iterator[Array]:
    """Yield which scores of a class are above each of several thresholds."""
    for cut in np.unique(np.quantile(score, _CUTS, method="lower")):
        yield score > cut


STUDENT = "t"

# With fewer examples of a class, intervals from influence curves carry a note
# (``python -m benchmarks.influence_coverage``).
FEWEST = 10

_FEW_EVENTS = (  # benchmarks/results: influence_coverage.md
    f"{{}} of a class: below {FEWEST} coverage is not guaranteed (61 to 100 % of nominal 95)"
)

_ALIKE = "all examples have the same value"


class Spread(NamedTuple):
    """The variance of a sum of influences over independent units, and the number of units.

    `freedom` are the degrees of freedom of Student's distribution, by matching the mean and
    variance of the estimated variance to a scaled chi-squared distribution (Satterthwaite 1946):
    fewer than units if few units dominate.
    """

    variance: float
    units: int
    freedom: float = np.nan

    @classmethod
    def of(cls, rows: Floats, groups: Codes | None = None, many: Array | None = None) -> Spread:
        r"""Return :math:`v = \frac{m}{m - 1} \sum_g s_g^2` of the sums of m groups, or of rows.

        A row that represents `many` equal examples has the sum of their influences. The variance of
        v is about :math:`\sum_g s_g^4 - v^2 / m`. If all groups are identical v would be 0, and the
        variance of independent rows is used.
        """
        if groups is None:
            times = None if many is None else many.astype(np.float64)
            each = rows if times is None else rows / times
            return cls._of_sums(each, times)
        found = cls._of_sums(np.asarray(np.bincount(groups, rows), dtype=np.float64))
        independent = cls.of_squares(float(rows @ rows), found.units)
        return found if found.variance > ROUNDING * independent.variance else independent

    @classmethod
    def _of_sums(cls, sums: Floats, many: Array | None = None) -> Spread:
        squares = sums**2
        weighed = squares if many is None else squares * many
        units = len(sums) if many is None else int(many.sum())
        return cls.of_squares(float(weighed.sum()), units, float(weighed @ squares))

    @classmethod
    def of_informative(cls, rows: Floats, groups: Codes) -> Spread:
        """Return the same for the groups with nonzero influences."""
        moved = rows != 0
        return cls.of(rows[moved], np.unique(groups[moved], return_inverse=True)[1])

    @classmethod
    def of_squares(cls, squares: float, units: int, fourths: float = 0.0) -> Spread:
        """Return the variance from the sums of the squared influences of units and of their squares."""
        if units < 2:
            return cls(np.nan, units, units - 1.0)
        # Satterthwaite: 2 V^2 / Var V for the sum V of m squares, Var V being m times that of a square.
        spread, most = fourths - squares**2 / units, units - 1.0
        freedom = min(max(2 * squares**2 / spread, 1.0), most) if spread > 0 else most
        return cls(units / most * squares, units, freedom)

    @classmethod
    def of_deletions(cls, moved: Floats, rows: Floats, uneven: bool) -> Spread:
        r"""Return :math:`\frac{m - 1}{m} \sum_g d_g^2` of what the value loses without each group.

        Uneven weights take Satterthwaite's degrees of freedom, others units - 1: groups of one size
        have no few that dominate.
        """
        found, squares = cls._of_sums(moved), float(rows @ rows)
        size = found.units
        if not moved @ moved > ROUNDING * squares:
            return cls.of_squares(squares, size)
        return cls(
            (size - 1) / size * float(moved @ moved), size, found.freedom if uneven else size - 1
        )

    @property
    def error(self) -> float:
        """The standard error."""
        return math.sqrt(self.variance)

    def reach(self, confidence_level: float, freedom: float | None = None) -> float:
        """Return the quantile of Student's t, by default with units - 1 degrees of freedom."""
        freedom = self.units - 1 if freedom is None else freedom
        return float(special.stdtrit(freedom, (1 + confidence_level) / 2))


def linearized(
    on: MetricOnSample,
    spread: Spread,
    groups: Codes | None,
    confidence_level: float,
) -> IntervalEstimate:
    """Return Student's interval of a metric from the variance of the influences of a sample.

    It is symmetric on the logit scale of the metric's range, on the log scale if the range has no
    upper end, and on the metric's own scale if it has no ends. If all rows have the same value the
    limits for a finite range are those of :func:`exact`.
    """
    sample, metric, value = on.sample, on.metric, on.value
    if not np.isfinite(spread.variance + value):
        return IntervalEstimate.nothing()
    error = np.asarray(spread.error)
    of_classes = sample.ranked and metric.losses is None
    pairs = independent_pairs(sample, groups) if of_classes else spread.units
    note = _FEW_EVENTS.format(pairs) if of_classes and pairs < FEWEST else ""
    reach = spread.reach(confidence_level, None if metric.losses is not None else spread.freedom)
    if (share := _share_of_trials(on)) is not None:
        p, size = float(value), share * spread.units
        if 0 < p < 1 and spread.variance > 0:
            size = p * (1 - p) / spread.variance  # as many as give a share this variance
        ends = score_interval(np.asarray(p * size), np.asarray(size), reach)
        return IntervalEstimate(*ends, error, note=note)
    inside = metric.bounds[0] < value < metric.bounds[1]
    named = link_of(metric.bounds) if inside else None
    ends = ends_on(value, error, reach=reach, bounds=metric.bounds, link=named and named[1])
    found = IntervalEstimate(*ends, error, note=note)
    if not has_zero_width(found) or not error <= ROUNDING:
        return found
    if not np.isfinite(metric.bounds[1] - metric.bounds[0]):
        return found._replace(note=_ALIKE)
    return IntervalEstimate(
        *constant_pairs_interval(value, pairs, confidence_level, metric.bounds),
        error,
        "exact",
        _ALIKE,
    )


def _share_of_trials(on: MetricOnSample) -> float | None:
    """Return the share of the examples in the denominator of a metric that is a proportion."""
    if on.metric.trials is None or not on.sample.one_column:
        return None
    return float(on.metric.trials(on.record, **on.parameters))


def independent_pairs(sample: Any, groups: Codes | None) -> int:
    """Return the number of disjoint pairs of units of two classes."""
    true = sample.scored.true
    if groups is None:
        held = np.bincount(true, sample.multiplicity)
        return max(1, int(min(held[held > 0].min(), held.sum() // 2)))
    held = np.array([len(np.unique(groups[true == k])) for k in np.unique(true)])
    # A group with several classes is used for one pair only.
    return max(1, int(min(held.min(), len(np.unique(groups)) // 2)))


CLUSTER, LINEARIZED = "cluster", "linearized"


def example_losses(
    metric: MetricLike, y_true: ArrayLike, y_pred: ArrayLike, **parameters: Any
) -> Floats:
    """Return the value of each example, of which a metric is the mean.

    Parameters
    ----------
    metric : str or callable
        Name, alias, function or scorer of a metric that is a mean over examples: Brier score, log
        loss, squared error, Hamming loss ...
    y_true : array-like of shape (n_samples,)
        True labels, or numbers.
    y_pred : array-like of shape (n_samples,) or (n_samples, n_classes)
        What the metric reads: probabilities, labels or numbers.
    **parameters
        Parameters of the metric.

    Returns
    -------
    ndarray of shape (n_samples,), float64

    Raises
    ------
    ValueError, TypeError
        If an input is invalid, or the metric is no mean over examples.

    Examples
    --------
    >>> from skaucx.inference import example_losses
    >>> example_losses("brier_score_loss", [1, 0, 1], [0.9, 0.2, 0.4]).round(2).tolist()
    [0.01, 0.04, 0.36]
    """
    named = named_metric(metric)
    options = options_of_state(named.function, {**named.parameters, **parameters})
    names, labels = ("y_true", "y_pred"), options.pop("labels", None)
    sample = sample_of(named.row, y_true, y_pred, labels=labels, names=names)
    values = row_losses(MetricOnSample(sample, named.row, options))
    if values is None:
        raise ValueError(
            f"{named.key} is no mean over examples, which have no values of their own."
        )
    return values
