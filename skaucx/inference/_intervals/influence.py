"""Influences of rows: the derivative of a metric with respect to the weight of each row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..._arguments import MetricLike
from ..._arrays import Bools, Codes, Floats
from ...metrics._formulas.slopes import STEP, TIMES, derivatives, of_pairs, of_rows, of_steps
from ...metrics._kinds.averages import average_of, mean_over_classes
from ...metrics._kinds.base import Sample
from ...metrics._kinds.labels import LabelState
from ...metrics._kinds.scores.state import (
    BinaryProblem,
    all_cells,
    binary_of,
    column,
    one_score,
    one_vs_one,
)
from ...metrics._records.inputs import positive_code, rescaled, score_columns
from ...metrics._registry.declare import options_of_state
from ...metrics._registry.names import named_metric
from ...metrics._registry.resampling import Resampling
from ...metrics._registry.row import quiet
from ...metrics._registry.samples import MetricOnSample, sample_of, values_of
from .bootstrap import of_replicates, values_under
from .limits import ROUNDING

# The number of classes up to which the table of a sample is differentiated.
MOST_CLASSES = 30

# Number of examples, or of groups of mean size, added evenly over the cells of a table whose own
# variance would be 0; in a binary table that is 1/2 per cell (Haldane 1956, Anscombe 1956).
ADDED = 2.0

_SMOOTHED = "{}, so the table is smoothed: two {}, spread over its cells, are added"
_SAME, _FLAT = "all rows of a class have the same prediction", "the estimated variance is 0"


class Influence(NamedTuple):
    """The influence of each row of a sample on a value; together they add up to 0.

    Attributes
    ----------
    psi : ndarray of shape (n_rows,), float64
        Of a row that stands for several, the sum of theirs.
    value : float
        The value at which they are taken.
    added : float
        The variance that examples add which are no rows.
    note : str
    """

    psi: Floats
    value: Any
    added: float = 0.0
    note: str = ""


class Spread(NamedTuple):
    """The variance of a sum of influences, with the degrees of freedom of Student's t."""

    variance: float
    freedom: float

    @classmethod
    def of(
        cls, psi: Floats, sample: Any, groups: Codes | None, strata: Codes | None = None
    ) -> Spread:
        """Return the variance over rows, or over groups of rows; weighted rows are groups."""
        if groups is None and sample.weight is None:
            return cls.of_rows(psi, sample.multiplicity)
        weight = weights_of(sample)
        codes = np.arange(len(psi)) if groups is None else groups
        return cls.of_groups(psi, codes, np.ones(len(psi)) if weight is None else weight, strata)

    @classmethod
    def of_rows(cls, psi: Floats, many: Any = None) -> Spread:
        r"""Return :math:`v = \frac{n}{n - 1} \sum_i \psi_i^2`; a row may stand for `many` equal ones.

        The degrees of freedom are Satterthwaite's: with the variance of v about
        :math:`\sum_i \psi_i^4 - v^2 / n` they are fewer than n - 1 where few rows dominate.
        """
        many = np.ones(len(psi)) if many is None else many.astype(np.float64)
        n, each = float(many.sum()), (psi / many) ** 2
        if n < 2:
            return cls(np.nan, 1.0)
        squares, most = float(many @ each), n - 1
        spread = float(many @ each**2) - squares**2 / n
        freedom = min(max(2 * squares**2 / spread, 1.0), most) if spread > 0 else most
        return cls(n / most * squares, freedom)

    @classmethod
    def of_classes(cls, psi: Floats, truth: Bools, many: Any = None) -> Spread:
        r"""Return DeLong's variance, :math:`\sum_c \frac{n_c}{n_c - 1} \sum_{i \in c} \psi_i^2`.

        The degrees of freedom are those of Brunner and Munzel (2000) for the parts of both.
        """
        many = np.ones(len(psi)) if many is None else many.astype(np.float64)
        sizes = np.array([many[truth].sum(), many[~truth].sum()])
        if sizes.min() < 2:
            return cls(np.nan, 1.0)
        squares = psi**2 / many
        parts = np.array([squares[truth].sum(), squares[~truth].sum()]) * sizes / (sizes - 1)
        # (v1 + v0)^2 / (v1^2 / (P - 1) + v0^2 / (N - 1))
        variance, below = float(parts.sum()), float((parts**2 / (sizes - 1)).sum())
        return cls(variance, variance**2 / below if below > 0 else 1.0)

    @classmethod
    def of_groups(
        cls, psi: Floats, groups: Codes, weight: Floats, strata: Codes | None = None
    ) -> Spread:
        r"""Return the variance of sums over m groups, with the shares p of the weight that they hold.

        .. math:: v = \frac{m - 1}{m} \sum_g \left(\sum_{i \in g} \frac{\psi_i}{1 - p_g}\right)^2

        It is that of the jackknife of groups, to first order. The degrees of freedom are the effective
        number of groups minus 1, :math:`1 / \sum_g p_g^2 - 1`. Groups without influence do not count;
        with `strata`, such as classes, p is the share of the stratum. nan if one group holds all.
        """
        held = psi != 0 if strata is None else np.ones(len(psi), dtype=bool)
        codes = np.unique(groups[held], return_inverse=True)[1]
        psi, weight, units = psi[held], weight[held], int(codes.max(initial=-1)) + 1
        own = codes * 0 if strata is None else strata[held]
        if units < 2:
            return cls(np.nan if units else 0.0, 1.0)
        place, totals = own * units + codes, np.bincount(own, weight)
        within = np.bincount(place, weight, len(totals) * units) / totals.repeat(units)
        if within.max() > 1 - ROUNDING:
            return cls(np.nan, 1.0)
        sums = np.bincount(codes, psi / (1 - within[place]))
        among = np.bincount(codes, weight) / weight.sum()
        variance = (units - 1) / units * float(sums @ sums)
        # Groups of one composition have sums of 0: then rows are the units.
        independent = float(psi @ psi)
        variance = variance if variance > ROUNDING * independent else independent
        return cls(variance, max(1 / float(among @ among) - 1, 1.0))


def units_of(sample: Any, groups: Codes | None) -> float:
    """Return the effective number of independent rows, or of groups: 1 / the sum of squared shares."""
    if groups is None and sample.weight is None:
        return float(sample.n_rows if sample.multiplicity is None else sample.multiplicity.sum())
    weight = weights_of(sample)
    weight = np.ones(sample.n_rows) if weight is None else weight
    among = weight if groups is None else np.bincount(groups, weight)
    return float(among.sum() ** 2 / (among @ among))


def influence_of(on: MetricOnSample, groups: Codes | None = None) -> Influence | None:
    """Return the influences of the rows on a metric, or None where no form is known.

    The variance of the value is the sum of their squares over independent units. It is the variance of
    a mean for a mean over rows, DeLong's for a mean over pairs, that of the delta method for a metric of
    labels, and that of the infinitesimal jackknife for a metric with an influence curve.
    """
    if on.sample.counted:
        return of_table(on, groups)
    psi = influence_values(on)
    return None if psi is None else Influence(psi, on.value)


def of_table(on: MetricOnSample, groups: Codes | None = None) -> Influence | None:
    """Return the influences by the derivative of a metric of a table of up to 30 classes.

    Where they would be 0, as all rows of a class have the same prediction, the table is smoothed.
    """
    sample, state = on.sample, on.sample.state
    if len(state.classes) > MOST_CLASSES or on.options.get("average", "binary") is None:
        return None
    table, at, added, note = state.table, on.value, 0.0, ""
    slopes = _table_slopes(on, table)
    alike = ((table > 0).sum(axis=1) == 1).any()
    if alike or not np.isfinite(slopes).all() or np.abs(slopes).max() <= ROUNDING:
        size = table.sum() / units_of(sample, groups)
        table = table + ADDED * size / table.size
        at = np.asarray(on.reading.unreported(LabelState(table, state.classes, state.named)))
        slopes = _table_slopes(on, table)
        # What is added lies in one cell each: a cell has its slope times the size.
        added = ADDED / table.size * size**2 * float((slopes**2).sum())
        note = _SMOOTHED.format(_SAME if alike else _FLAT, "rows" if groups is None else "groups")
    psi = slopes.ravel()[sample.record.cells] - (slopes * table).sum() / table.sum()
    weight = weights_of(sample)
    return Influence(psi if weight is None else psi * weight, at, added, note)


def _table_slopes(on: MetricOnSample, table: Floats) -> Floats:
    """Return the derivatives of a metric with respect to the cells of a table, 0 for empty cells."""
    state, held = on.sample.state, np.flatnonzero(table)
    steps = STEP * table.ravel()[held]
    changes = np.zeros((len(held), table.size))
    changes[np.arange(len(held)), held] = steps
    moved = table + TIMES[:, None, None, None] * changes.reshape(-1, *table.shape)
    values = on.reading.unreported(LabelState(moved, state.classes, state.named))
    found = np.zeros(table.size)
    found[held] = derivatives(np.asarray(values), steps)
    return found.reshape(table.shape)


def influences(on: MetricOnSample) -> Floats:
    """Return influences of independent rows whose sum of squares is the variance of the value.

    Without a form they are those of the jackknife, of random bundles where rows are many: each at one
    of its rows.
    """
    found = influence_of(on)
    if found is None:
        return _by_jackknife(on)
    sizes = np.full(len(found.psi), len(found.psi))
    if (truth := positives_of_pairs(on)) is not None and on.sample.weight is None:
        sizes = np.where(truth, truth.sum(), (~truth).sum())
    return found.psi * (np.sqrt(sizes / (sizes - 1.0)) if sizes.min() > 1 else np.nan)


def _by_jackknife(on: MetricOnSample) -> Floats:
    r"""Return :math:`\sqrt{(m - 1) / m} (\bar\theta - \theta_{-i})` of m rows, or bundles of rows.

    A row without which the metric is undefined has influence 0.
    """
    sample, readings = on.sample, [of_replicates(on.metric, on.options)]
    drawn = Resampling(sample.n_rows)
    bundle = drawn.bundles(np.random.default_rng(0))
    first = np.unique(bundle, return_index=True)[1]
    values = np.concatenate(
        [values_under(sample, readings, counts)[0] for counts, _ in drawn.without(bundle)]
    )
    defined = np.isfinite(values)
    size, found = np.count_nonzero(defined), np.zeros(sample.n_rows)
    if size:
        deviation = np.where(defined, values[defined].mean() - values, 0.0)
        found[first] = np.sqrt((size - 1) / size) * deviation
    return found


def positives_of_pairs(on: MetricOnSample) -> Bools | None:
    """Return which rows are positive if the metric is a mean over the pairs of one binary problem."""
    one = on.sample.one_column and on.options.get("rescale") != "minmax"
    if not one or not on.metric.averages_pairs(on.parameters):
        return None
    scored = on.sample.record
    return np.asarray(scored.true == positive_code(scored.classes, on.options.get("pos_label")))


# An entry of an average: its binary problems and the codes of their classes.
_Part = tuple[Sequence[BinaryProblem], Codes]


def ranked_slopes(on: MetricOnSample) -> Floats | None:
    r"""Return :math:`W \, \partial T / \partial w_i` of rows of total weight W, up to a constant.

    None if no form is known.
    """
    scored, options = on.sample.state.scored, on.options
    average = options.get("average") or "macro"
    how = "one" if scored.one_column else options.get("multi_class")
    parts = _parts(scored, options, how, average, not on.metric.positive_matters())
    if parts is None:
        return None
    each = [[_of_problem(on, problem) for problem in problems] for problems, _ in parts]
    if any(one is None for found in each for one in found):
        return None
    slopes = np.array([np.mean(np.array(found), axis=0) for found in each])
    if mean_over_classes(average) != "by size" or how == "one":
        return np.asarray(slopes.mean(axis=0))
    own = np.array([np.isin(scored.true, codes) for _, codes in parts])
    return _weighted(slopes, on.values, own, scored.weight)


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
        return None if code is None else [([(one_score, code)], np.arange(2))]
    columns = score_columns(scored)
    if how == "ovr" and average_of(average).over == "sums":
        return [([(all_cells,)], columns)]
    if mean_over_classes(average) is None:
        return None
    if how == "ovr":
        return [([(column, k)], columns[[k]]) for k in range(len(columns))]
    pairs = combinations(range(len(columns)), 2)
    return [([(one_vs_one, a, b), (one_vs_one, b, a)], columns[[a, b]]) for a, b in pairs]


def _of_problem(on: MetricOnSample, problem: BinaryProblem) -> Floats | None:
    """Return the derivatives with respect to the rows of one binary problem."""
    metric, parameters, rescale = on.metric, on.parameters, on.options.get("rescale")
    state: Any = on.sample.state
    truth, score, _, rows = binary_of(state.scored, problem)
    whole = len(state.scored.true) if state.scored.weight is None else state.scored.weight.sum()
    ranked, completed = state.ranking(problem, rescale), metric.completed(parameters)
    with quiet():
        if metric.influence is not None:
            found = metric.influence(ranked, **completed)
        elif rescale != "minmax" and metric.averages_pairs(parameters):
            found = of_pairs(ranked, values_of(metric, parameters, ranked.placements))
        elif metric.over_thresholds == "sum":
            found = of_steps(partial(metric.formula, **completed), ranked.threshold_counts)
        else:
            return None
    slopes = of_rows(ranked, found, truth, rescaled(score, rescale)) * whole
    if rows is not None:
        slopes = np.bincount(rows, slopes, len(state.scored.true))
    return np.asarray(slopes)


def influence_values(on: MetricOnSample) -> Floats | None:
    r"""Return :math:`w_i \, \partial T / \partial w_i` for every row i; None where no form is known.

    A row that represents several equal examples has the sum of theirs.
    """
    slopes: Floats | None = row_losses(on)
    if slopes is None:
        slopes = _slopes(on)
    if slopes is None:
        return None
    weight = weights_of(on.sample)
    if weight is None:
        return (slopes - slopes.mean()) / len(slopes)
    # The slopes are known up to a constant, which leaves with their mean: influences add up to 0.
    share = weight / weight.sum()
    return np.asarray(share * (slopes - share @ slopes))


def _slopes(on: MetricOnSample) -> Floats | None:
    """Return the derivatives with respect to the weights of the rows, times the total weight."""
    sample, metric = on.sample, on.metric
    if sample.ranked and metric.kind.scale is not None:
        return ranked_slopes(on)
    own, ranks = metric.influence, metric.kind.scale is not None
    if sample.counted or not (ranks or own):
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
    found = [_slopes(label) for label in labels]
    if any(one is None for one in found):
        return None
    slopes = np.array(found)
    if weighting == "equal":
        return np.asarray(slopes.mean(axis=0))
    return _weighted(slopes, [label.value for label in labels], record.true.T, on.sample.weight)


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
    values: Floats = np.asarray(on.metric.losses(on.record, **on.parameters))
    if values.shape != (sample.n_rows,):
        return None
    if on.options.get("normalize", True) is False:
        weight = weights_of(sample)
        values = values * (len(values) if weight is None else weight.sum())
    return values


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
