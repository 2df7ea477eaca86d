"""Intervals without resampling, by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import special, stats
from sklearn.exceptions import UndefinedMetricWarning

from ..._arrays import Array, Bools, Codes, Floats
from ..._compat import warn
from .._pairs.placements import Placements, cluster_parts, counted_parts, pair_mean, variances
from .._resampling.draws import Resampling
from .._resampling.pair_means import has_placements, values_of
from .._resampling.sample import MetricOnSample
from ._bootstrap import BOOTSTRAPS
from ._influence import (
    TableFunction,
    binary_scores,
    called_alike,
    curve,
    example_losses,
    share_of,
    smoothed,
    table_function,
)
from ._normal import (
    PROPORTION_METHODS,
    Ends,
    Forms,
    Limits,
    Link,
    clopper_pearson,
    ends_on,
    exact,
    flat,
    hanley_mcneil_variance,
    link_of,
    linked,
    newcombe,
    on_scale,
    quantile,
    score_interval,
    score_t,
    symmetric,
)
from ._time_uniform import time_uniform

_OF_SHARES = {**PROPORTION_METHODS, "time-uniform": time_uniform}
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
# A variance relative to that of independent rows that can be rounding error.
_ROUNDING = 1e-12
# With fewer examples of a class, intervals from influence curves carry a note
# (``python -m benchmarks.influence_coverage``).
_FEWEST = 10
_FEW_EVENTS = (
    f"{{}} of a class: below {_FEWEST} coverage is not guaranteed (61 to 99 % of nominal 95)"
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
        return found if found.variance > _ROUNDING * independent.variance else independent

    @classmethod
    def _of_sums(cls, sums: Floats, many: Array | None = None) -> Spread:
        squares = sums**2
        weighed = squares if many is None else squares * many
        found = cls.of_squares(float(weighed.sum()), len(sums) if many is None else int(many.sum()))
        if found.units < 2:
            return found
        spread = float(weighed @ squares) - float(weighed.sum()) ** 2 / found.units
        if not spread > 0:
            return found
        freedom = 2 * float(weighed.sum()) ** 2 / spread
        return found._replace(freedom=min(max(freedom, 1.0), found.units - 1.0))

    @classmethod
    def of_informative(cls, rows: Floats, groups: Codes) -> Spread:
        """Return the same for the groups with nonzero influences."""
        moved = rows != 0
        return cls.of(rows[moved], np.unique(groups[moved], return_inverse=True)[1])

    @classmethod
    def of_squares(cls, squares: float, units: int) -> Spread:
        """Return the variance of the sum of the squared influences of units."""
        return cls(units / (units - 1) * squares if units > 1 else np.nan, units, units - 1.0)

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
    psi: Floats,
    groups: Codes | None,
    confidence_level: float,
    method: str = "",
) -> Limits:
    """Return Student's interval of a metric from the influences of the rows of a sample.

    It is symmetric on the logit scale of the metric's range, on the log scale if the range has no
    upper end, and with method "t" on the metric's own scale. If all rows have the same value the
    limits for a finite range are those of :func:`exact`.
    """
    sample, metric, value = on.sample, on.metric, on.value
    spread = Spread.of(psi, groups, sample.multiplicity)
    if not np.isfinite(spread.variance + value):
        return Limits.nothing()
    error = np.asarray(spread.error)
    of_classes = sample.ranked and metric.losses is None
    pairs = independent_pairs(sample, groups) if of_classes else spread.units
    note = _FEW_EVENTS.format(pairs) if of_classes and pairs < _FEWEST else ""
    reach = spread.reach(confidence_level, None if metric.losses is not None else spread.freedom)
    if method != STUDENT and (share := _share_of_trials(on)) is not None:
        p, size = float(value), share * spread.units
        if 0 < p < 1 and spread.variance > 0:
            size = p * (1 - p) / spread.variance  # as many as give a share this variance
        ends = score_interval(np.asarray(p * size), np.asarray(size), reach)
        return Limits(*ends, error, note=note)
    half = np.asarray(reach * spread.error)
    named = link_of(metric.bounds) if method != STUDENT else None
    if named is not None and metric.bounds[0] < value < metric.bounds[1]:
        ends = linked(value, half, named[1])
    else:
        ends = symmetric(value, half, metric.bounds)
    found = Limits(*ends, error, note=note)
    if not flat(found) or not error <= _ROUNDING:
        return found
    if not np.isfinite(metric.bounds[1] - metric.bounds[0]):
        return found._replace(note=_ALIKE)
    return Limits(*exact(value, pairs, confidence_level, metric.bounds), error, "exact", _ALIKE)


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


_SMOOTHED = "two examples are added over the cells, as all of some class have the same prediction"
# A standard error that can be rounding error of numerical derivatives.
_FLAT = 1e-6
_ONE_VALUE = "all resamples gave the same value"
_ALL_ALIKE = "all pairs have the same value, so the limits are those of min(P, N) independent pairs"


def forms(on: MetricOnSample, confidence_level: float) -> Forms:
    """Return the intervals of a metric, the one for "auto" first.

    Every row of the sample is an independent example.
    """
    if on.sample.counted:
        return _of_labels(on, confidence_level)
    if on.sample.one_column and (found := _of_scores(on, confidence_level)):
        return found
    if own := _own_interval(on, confidence_level):
        return own
    psi = curve(on, in_order=False)
    if psi is None:
        return {}
    found = _of_mean_share(on, confidence_level)
    names = [f"{named[0]}-{STUDENT}"] if (named := link_of(on.metric.bounds)) else []
    names = ["wilson"] if on.metric.trials is not None else names
    find = partial(linearized, on, psi, None, confidence_level)
    return found | {name: partial(find, name) for name in (*names, STUDENT)}


def _own_interval(on: MetricOnSample, confidence_level: float) -> Forms:
    """Return the interval declared with a metric."""
    if on.metric.interval is None:
        return {}
    parameters = on.metric.completed(on.parameters)
    found = on.metric.interval(on.record, confidence_level, **parameters)
    if found is None:
        return {}
    low, high, error = map(np.asarray, found)
    return {OWN: lambda: Limits(low, high, error)}


def _of_mean_share(on: MetricOnSample, confidence_level: float) -> Forms:
    """Return binomial intervals if the metric is a share of examples, such as top-k accuracy."""
    losses = example_losses(on) if on.metric.bounds == (0, 1) else None
    if losses is None or on.sample.multiplicity is not None or not np.isin(losses, (0, 1)).all():
        return {}
    return _of_share(float(losses.sum()), len(losses), confidence_level)


def _of_labels(on: MetricOnSample, confidence_level: float) -> Forms:
    """Binomial intervals if the metric is a proportion of counts; the delta method."""
    found: Forms = {}
    if (share := share_of(on)) is not None:
        found |= _of_share(*share, confidence_level)
    bounds, reach = on.metric.bounds, quantile(confidence_level)

    def delta(link: Link | None) -> Limits:
        found = _delta(on, partial(ends_on, reach=reach, bounds=bounds, link=link))
        # Haldane's table has limits for a ratio of 0/0 with examples of both classes.
        limits = bounds == (0, np.inf) and on.sample.state.table.sum(axis=1).all()
        undefined = np.isnan(on.value if limits else on.unfilled)
        return found._replace(
            low=np.where(undefined, np.nan, found.low),
            high=np.where(undefined, np.nan, found.high),
        )

    if named := link_of(bounds):
        found[named[0]] = lambda: delta(named[1])
    return found | {"delta": lambda: delta(None)}


def _of_share(part: float, whole: float, confidence_level: float) -> Forms:
    x, n = np.asarray(part), np.asarray(whole)

    def form(ends: Callable[[Floats, Floats, float], Ends]) -> Limits:
        if not whole > 0:
            return Limits.nothing()
        return Limits(*ends(x, n, confidence_level), np.sqrt(x * (n - x) / n) / n)

    return {name: partial(form, ends) for name, ends in _OF_SHARES.items()}


def _delta(on: MetricOnSample, ends: Callable[[Floats, Floats], Ends]) -> Limits:
    """Return the delta-method interval of a function of a table, smoothed if its variance would be 0."""
    # Var g(c) = grad' Cov(c) grad with Cov(c) = diag(c) - c c' / n of multinomial counts.
    estimate, value, table = on.value, table_function(on), on.sample.state.table
    error, hidden = value.standard_error(table), called_alike(table)
    low, high = ends(estimate, error)
    fails = ~((error > 0) & np.isfinite(low + high)) | hidden
    if not fails.any():
        return Limits(low, high, error)
    full = smoothed(table)
    middle, wider = value(full), value.standard_error(full)
    if (fails & ~(wider > _FLAT)).any():
        mean, sd = value.drawn(full)
        flat = ~(wider > _FLAT) & (sd > _FLAT)
        middle, wider = np.where(flat, mean, middle), np.where(flat, sd, wider)
    lower, higher = ends(middle, wider)
    return Limits(
        np.where(fails, np.fmin(lower, estimate), low),
        np.where(fails, np.fmax(higher, estimate), high),
        np.where(fails, wider, error),
        note=_SMOOTHED,
    )


def _of_scores(on: MetricOnSample, confidence_level: float) -> Forms:
    """Intervals from placement values, for means over pairs of a function of d alone."""
    binary = binary_scores(on)
    if binary is None:
        return {}
    truth, score = binary
    metric, many = on.metric, on.sample.multiplicity
    if many is None:
        many = np.ones(len(truth), dtype=np.int64)
    counts = many[truth], many[~truth]
    sizes = int(counts[0].sum()), int(counts[1].sum())
    if min(sizes) < 2:
        return dict.fromkeys([*_PAIR_FORMS, *_AUC_FORMS], partial(_too_few, metric.name, sizes))
    ranks = placements_of(on, truth, score)
    values = values_of(metric, on.parameters, ranks)
    # The method of "auto" is first (``python -m benchmarks.auc_coverage``).
    of_auc = _is_auc(values, metric.bounds, ranks)
    if on.sample.multiplicity is None:
        mean, parts = pair_mean(values[0]), variances(*values)
    else:
        mean, parts = counted_parts(values, counts)
    return _forms(Pairs(mean, parts, sizes, confidence_level, metric.bounds), of_auc)


def placements_of(on: MetricOnSample, truth: Bools, score: Floats) -> Placements:
    """Return the data of placement values, shared by metrics with the same positive class."""
    key = on.options.get("pos_label"), on.options.get("rescale")
    found: Placements = on.sample.placements(truth, score, key)
    return found


def _forms(pairs: Pairs, of_auc: bool) -> Forms:
    known = _AUC_FORMS | _PAIR_FORMS if of_auc else _PAIR_FORMS
    return {name: partial(_of_pairs, pairs, form) for name, form in known.items()}


def _is_auc(values: tuple[Floats, Floats], bounds: tuple[float, float], ranks: Placements) -> bool:
    """Whether a mean over pairs is the AUC, or linear in it, such as the Gini coefficient."""
    if not np.isfinite(bounds[1] - bounds[0]):
        return False
    of_auc = bounds[0] + (bounds[1] - bounds[0]) * (ranks.win_share + ranks.tie_share / 2)
    return bool(np.allclose(of_auc, np.concatenate(values), rtol=0, atol=_ROUNDING))


class Pairs(NamedTuple):
    """A mean over pairs with the two components of DeLong's variance, and the class sizes."""

    mean: Floats
    parts: Floats
    sizes: tuple[int, int]
    confidence_level: float
    bounds: tuple[float, float]
    # Number of disjoint pairs; None: the size of the smaller class.
    independent: int | None = None

    @property
    def error(self) -> Floats:
        """The standard error."""
        return np.sqrt(self.parts.sum(axis=0))

    @property
    def width(self) -> float:
        """The length of the metric's range."""
        return self.bounds[1] - self.bounds[0]

    @property
    def auc(self) -> Floats:
        """The mean as a share of the range."""
        return np.asarray((self.mean - self.bounds[0]) / self.width)

    def scaled(self, ends: Ends) -> Ends:
        """Return shares of the range as values of the metric."""
        return self.bounds[0] + self.width * ends[0], self.bounds[0] + self.width * ends[1]

    @property
    def student(self) -> float:
        """The quantile of Student's law with the degrees of freedom of Brunner & Munzel 2000."""
        # (v1 + v0)^2 / (v1^2 / (P - 1) + v0^2 / (N - 1))
        freedom = self.parts.sum() ** 2 / (self.parts**2 / (np.array(self.sizes) - 1)).sum()
        return float(stats.t.ppf((1 + self.confidence_level) / 2, freedom))


def _delong(p: Pairs) -> Limits:
    return Limits(*symmetric(p.mean, quantile(p.confidence_level) * p.error, p.bounds), p.error)


def _logit(p: Pairs, reach: float | None = None) -> Limits:
    reach = reach or quantile(p.confidence_level)
    return Limits(*on_scale(p.mean, p.error, reach, p.bounds), p.error)


def _logit_t(p: Pairs) -> Limits:
    if not p.error > 0:
        return Limits(p.mean, p.mean, p.error)
    return _logit(p, p.student)


def _hanley_mcneil(p: Pairs) -> Limits:
    error = p.width * np.sqrt(hanley_mcneil_variance(p.auc, *p.sizes))
    return Limits(*symmetric(p.mean, quantile(p.confidence_level) * error, p.bounds), error)


def _newcombe(p: Pairs) -> Limits:
    return Limits(*p.scaled(newcombe(p.auc, *p.sizes, p.confidence_level)), p.error)


def _score_t(p: Pairs) -> Limits:
    parts = p.parts / p.width**2
    return Limits(*p.scaled(score_t(p.auc, parts, *p.sizes, p.confidence_level)), p.error)


_PAIR_FORMS: dict[str, Callable[[Pairs], Limits]] = {
    "logit-t": _logit_t,
    "logit": _logit,
    "delong": _delong,
}
_AUC_FORMS: dict[str, Callable[[Pairs], Limits]] = {
    "score-t": _score_t,
    "newcombe": _newcombe,
    "hanley-mcneil": _hanley_mcneil,
}


OWN = "score"
ALL_FORMS = (*_OF_SHARES, OWN, "log", "log-t", "delta", *_PAIR_FORMS, *_AUC_FORMS, STUDENT)


def _of_pairs(pairs: Pairs, form: Callable[[Pairs], Limits]) -> Limits:
    """Return the interval, or the exact one if all pairs have the same value and the variance is 0."""
    found = form(pairs)
    if not flat(found):
        return found
    independent = pairs.independent or min(pairs.sizes)
    ends = exact(pairs.mean, independent, pairs.confidence_level, pairs.bounds)
    return Limits(*ends, np.asarray(np.nan), "exact", _ALL_ALIKE)


def interval_of_pairs(pairs: Pairs, values: tuple[Floats, Floats], ranks: Placements) -> Limits:
    """Return the interval of "auto" for a mean over pairs."""
    of_auc = _is_auc(values, pairs.bounds, ranks)
    return _of_pairs(pairs, _score_t if of_auc else _logit_t)


def _too_few(name: str, sizes: tuple[int, int]) -> Limits:
    warn(
        f"The variance of {name} needs two examples of each class, found {sizes[0]} positives and "
        f"{sizes[1]} negatives; the interval is nan.",
        UndefinedMetricWarning,
    )
    return Limits.nothing()


def all_alike(
    on: MetricOnSample, drawn: Resampling, confidence_level: float, found: Limits
) -> Limits:
    """Replace an interval of width 0 by one that depends on the sample size, if possible.

    For independent labels this is the first closed form; for metrics of scores with a finite range
    it is the exact interval of a mean over pairs.
    """
    sample, metric = on.sample, on.metric
    if sample.counted and sample.weight is None and drawn.groups is None:
        method, form = next(iter(forms(on, confidence_level).items()))
        return form()._replace(method=method, note=_ONE_VALUE)
    if not sample.ranked or not np.isfinite(metric.bounds[1] - metric.bounds[0]):
        return found._replace(note=_ONE_VALUE)
    note = _ALL_ALIKE if has_placements(metric, on.parameters) else _ONE_VALUE
    independent = independent_pairs(sample, drawn.groups)
    classes = len(np.unique(sample.scored.true))
    problems = 1 if sample.scored.one_column else classes * (classes - 1)
    ends = exact(found.low, independent, 1 - (1 - confidence_level) / problems, metric.bounds)
    no_width = np.abs(found.high - found.low) <= _ROUNDING  # not without limits
    low, high = (np.where(no_width, end, was) for end, was in zip(ends, found[:2], strict=True))
    return Limits(low, high, np.where(no_width, np.nan, found.error), "exact", note)


CLUSTER, LINEARIZED = "cluster", "linearized"
_SMOOTHED_GROUPS = (
    "two groups are added over the cells, as all of some class have the same prediction"
)
# With fewer clusters the intervals carry a note (``python -m benchmarks.cluster_coverage``).
_FEW = 30
_FEW_DRAWN = "their bootstrap is too narrow (6 or 8 groups: coverage of 66 to 92 %, nominal 95)"
_FEW_SUMMED = "the coverage varies (6 or 8 groups: 90 to 100 %, nominal 95)"


def cluster_forms(on: MetricOnSample, groups: Codes | None, confidence_level: float) -> Forms:
    """Return the interval of a metric for rows in clusters, if it has a closed form.

    Without groups each weighted row is a cluster.
    """
    sample = on.sample
    if sample.counted:
        rows = groups is None and not sample.summed
        if rows or on.options.get("average", "binary") is None:
            return {}
        units = _units(sample, groups)
        return {CLUSTER: partial(_labels_in_clusters, on, units, confidence_level)}
    binary = binary_scores(on)
    if binary is None or groups is None or sample.weight is not None:
        psi = curve(on)
        if psi is None:
            return {}
        name = LINEARIZED if groups is None else CLUSTER
        return {name: partial(linearized, on, psi, groups, confidence_level)}
    return {CLUSTER: partial(_pairs_in_clusters, on, groups, confidence_level, *binary)}


def note_of_groups(groups: int, method: str = CLUSTER) -> str:
    """Say what few groups do to an interval (``benchmarks/results/cluster_coverage.md``)."""
    effect = _FEW_DRAWN if method in BOOTSTRAPS else _FEW_SUMMED
    return f"{groups} groups: below {_FEW} {effect}" if 0 < groups < _FEW else ""


class _Units(NamedTuple):
    """Independent units: their number, and sums of influences from the derivatives of cells."""

    size: int
    sums: Callable[[Floats], Spread]


def _units(sample: Any, groups: Codes | None) -> _Units:
    if sample.summed:
        return _Units(int(sample.sizes.sum()), partial(_of_cells, sample))
    codes = np.arange(sample.n_rows) if groups is None else groups

    def sums(slopes: Floats) -> Spread:
        rows = slopes[sample.pair.true, sample.pair.pred]
        rows = rows if sample.weight is None else rows * sample.weight
        return Spread.of_informative(rows, codes)

    return _Units(int(codes.max()) + 1, sums)


def _of_cells(sample: Any, slopes: Floats) -> Spread:
    """Sum the squared influences (weight times derivative) of informative rows."""
    moved = slopes != 0
    squares = float((slopes**2 * sample.squares)[moved].sum())
    return Spread.of_squares(squares, int(sample.sizes[moved].sum()))


def _labels_in_clusters(on: MetricOnSample, units: _Units, confidence_level: float) -> Limits:
    """Wilson's interval with the effective sample size of the clusters, or the delta method."""
    value, table = table_function(on), on.sample.state.table
    if np.isnan(on.unfilled):
        return Limits.nothing()
    if (share := share_of(on)) is not None:
        return _share_in_clusters(value, table, share, units, confidence_level)
    if not called_alike(table):
        sums = units.sums(value.gradient(table))
        reach = sums.reach(confidence_level)
        low, high = on_scale(on.value, np.asarray(sums.error), reach, on.metric.bounds)
        if low < high:
            return Limits(low, high, np.asarray(sums.error))
    return _smoothed(on, value, table, units, confidence_level)


def _share_in_clusters(
    value: TableFunction,
    table: Floats,
    share: tuple[float, float],
    units: _Units,
    confidence_level: float,
) -> Limits:
    """Return Wilson's interval; for a share of 0 or 1 the sample size is the number of clusters."""
    inside = 0 < share[0] < share[1]
    sums = units.sums(value.gradient(table if inside else smoothed(table)))
    if np.isnan(sums.variance):
        return Limits.nothing()
    p = share[0] / share[1]
    size = np.asarray(p * (1 - p) / sums.variance if inside else float(sums.units))
    ends = score_interval(p * size, size, sums.reach(confidence_level))
    return Limits(*ends, np.asarray(sums.error if inside else 0.0))


def _smoothed(
    on: MetricOnSample, value: TableFunction, table: Floats, units: _Units, confidence_level: float
) -> Limits:
    """Add two clusters of mean size over the cells if the variance of the table would be 0."""
    mean_size = table.sum() / units.size
    full = mean_size * smoothed(table / mean_size)
    slopes = value.gradient(full)
    added = ((full - table) / mean_size * (mean_size * slopes) ** 2).sum()
    sums = units.sums(slopes)
    if np.isnan(sums.variance):
        return Limits.nothing()
    error = np.sqrt(sums.variance + added)
    low, high = on_scale(value(full), error, sums.reach(confidence_level), on.metric.bounds)
    ends = np.fmin(low, on.value), np.fmax(high, on.value)
    return Limits(*ends, np.asarray(error), note=_SMOOTHED_GROUPS)


def _pairs_in_clusters(
    on: MetricOnSample,
    groups: Codes,
    confidence_level: float,
    truth: Bools,
    score: Floats,
) -> Limits:
    """Score-t or logit-t interval with placement values summed over clusters (Obuchowski 1997)."""
    if not truth.any() or truth.all():
        return Limits.nothing()
    metric, ranks = on.metric, placements_of(on, truth, score)
    values = values_of(metric, on.parameters, ranks)
    found = cluster_parts(*values, groups[truth], groups[~truth])
    if np.isnan(found.variance):
        warn(
            f"The variance of {metric.name} needs two groups with examples of each class, found "
            f"{found.sizes[0]} with positives and {found.sizes[1]} with negatives; the interval "
            f"is nan.",
            UndefinedMetricWarning,
        )
        return Limits.nothing()
    # The covariance of both sums within groups of both classes is spread over the two parts.
    parts = np.array([found.s10, found.s01])
    if found.variance > 0:
        parts *= found.variance / parts.sum()
    # A cluster with both classes is used for one independent pair only.
    independent = max(1, min(*found.sizes[:2], found.sizes[2] // 2))
    pairs = Pairs(
        pair_mean(values[0]), parts, found.sizes[:2], confidence_level, metric.bounds, independent
    )
    return interval_of_pairs(pairs, values, ranks)
