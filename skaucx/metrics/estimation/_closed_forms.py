"""The intervals without resampling that a sample has for a metric, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from ..._arrays import Bools, Floats
from ..._compat import warn
from .._pairs.placement_variance import pair_mean, variances
from .._pairs.placements import Placements
from .._registry.averaging import STRICT
from .._registry.row import Metric
from .._resampling.counted import counted_parts
from .._resampling.draws import Resampling
from .._resampling.placements import has_placements, values_of
from .._resampling.sample import LabelSample, Sample, ScoreSample, own_parameters
from ._auc_forms import exact, hanley_mcneil_variance, newcombe, score_t
from ._delta import TableFunction, called_alike, smoothed
from ._influence import binary_scores, curve, example_losses, share_of, table_function
from ._linearized import STUDENT, independent_pairs, linearized
from ._normal import Ends, Forms, Found, Link, flat, link_of, linked, quantile, symmetric
from ._proportions import PROPORTION_METHODS

_SMOOTHED = "two examples are spread over the cells, as all of some class are called alike"
_ROUNDING = 1e-12
# A standard error that the rounding of numerical slopes can give.
_FLAT = 1e-6
_ONE_VALUE = "all resamples gave the same value"
_ALL_ALIKE = "all pairs are alike, so the ends are those of min(P, N) independent pairs"


def forms(
    sample: Sample, metric: Metric, options: Mapping[str, Any], confidence_level: float
) -> Forms:
    """Return the intervals of a metric, the one that `auto` takes first.

    Every row of the sample counts as one independent example.
    """
    parameters = own_parameters(metric, options)
    if isinstance(sample, LabelSample):
        return _of_labels(sample, metric, options, confidence_level)
    if isinstance(sample, ScoreSample) and sample.scored.one_column:
        found = _of_scores(sample, metric, options, parameters, confidence_level)
        if found:
            return found
    if own := _own_interval(sample, metric, options, confidence_level):
        return own
    psi = curve(sample, metric, options)
    if psi is None:
        return {}
    found = _of_mean_share(sample, metric, options, confidence_level)
    names = [f"{named[0]}-{STUDENT}"] if (named := link_of(metric.bounds)) else []
    names = ["wilson"] if metric.trials is not None else names
    find = partial(linearized, sample, metric, options, psi, None, confidence_level)
    return found | {name: partial(find, name) for name in (*names, STUDENT)}


def _own_interval(
    sample: Sample, metric: Metric, options: Mapping[str, Any], confidence_level: float
) -> Forms:
    """Return the interval that a metric declares."""
    if metric.interval is None:
        return {}
    problem, parameters = metric.kind.select(metric, options, STRICT)
    held: Any = problem(sample.state)
    found = metric.interval(held.record, confidence_level, **metric.completed(parameters))
    if found is None:
        return {}
    low, high, error = map(np.asarray, found)
    return {OWN: lambda: Found(low, high, error)}


def _of_mean_share(
    sample: Sample, metric: Metric, options: Mapping[str, Any], confidence_level: float
) -> Forms:
    """Return binomial intervals where the metric is the share of examples that count, such as top-k."""
    losses = example_losses(sample, metric, options) if metric.bounds == (0, 1) else None
    if losses is None or sample.multiplicity is not None or ((losses != 0) & (losses != 1)).any():
        return {}
    return _of_share(float(losses.sum()), len(losses), confidence_level)


def _of_labels(
    sample: LabelSample,
    metric: Metric,
    options: Mapping[str, Any],
    confidence_level: float,
) -> Forms:
    """Binomial intervals where the metric is a share of some counts among others; the delta method."""
    found: Forms = {}
    if (share := share_of(sample, metric, options)) is not None:
        found |= _of_share(*share, confidence_level)
    value, table = table_function(sample, metric, options), sample.state.table

    def delta(link: Link | None) -> Found:
        ends = partial(_ends, reach=quantile(confidence_level), bounds=metric.bounds, link=link)
        found = _delta(value, table, ends)
        undefined = np.isnan(value(table, zero_division=np.nan))
        if metric.bounds == (0, np.inf) and table.sum(axis=1).all():
            # Haldane's table has limits for a ratio of 0/0 with examples of both classes.
            undefined = np.isnan(value(table))
        return found._replace(
            low=np.where(undefined, np.nan, found.low),
            high=np.where(undefined, np.nan, found.high),
        )

    if named := link_of(metric.bounds):
        found[named[0]] = lambda: delta(named[1])
    return found | {"delta": lambda: delta(None)}


def _of_share(part: float, whole: float, confidence_level: float) -> Forms:
    x, n = np.asarray(part), np.asarray(whole)
    nothing = np.asarray(np.nan)

    def form(ends: Callable[[Floats, Floats, float], Ends]) -> Found:
        if not whole > 0:
            return Found(nothing, nothing, nothing)
        return Found(*ends(x, n, confidence_level), np.sqrt(x * (n - x) / n) / n)

    return {name: partial(form, ends) for name, ends in PROPORTION_METHODS.items()}


def _delta(value: TableFunction, table: Floats, ends: Callable[[Floats, Floats], Ends]) -> Found:
    """Return the interval of a function of a table, of the smoothed table where that hides variance."""
    estimate, error = value(table), value.standard_error(table)
    low, high = ends(estimate, error)
    fails = ~((error > 0) & np.isfinite(low + high)) | called_alike(table)
    if not fails.any():
        return Found(low, high, error)
    full = smoothed(table)
    middle, wider = value(full), value.standard_error(full)
    if (fails & ~(wider > _FLAT)).any():
        mean, sd = value.drawn(full)
        flat = ~(wider > _FLAT) & (sd > _FLAT)
        middle, wider = np.where(flat, mean, middle), np.where(flat, sd, wider)
    lower, higher = ends(middle, wider)
    return Found(
        np.where(fails, np.fmin(lower, estimate), low),
        np.where(fails, np.fmax(higher, estimate), high),
        np.where(fails, wider, error),
        note=_SMOOTHED,
    )


def _ends(
    estimate: Floats, error: Floats, *, reach: float, bounds: tuple[float, float], link: Link | None
) -> Ends:
    """Return the interval of `reach` standard errors, on the link's scale if there is one."""
    if link is None:
        return symmetric(estimate, reach * error, bounds)
    with np.errstate(divide="ignore", invalid="ignore"):
        return linked(estimate, reach * error, link)


def _of_scores(
    sample: ScoreSample,
    metric: Metric,
    options: Mapping[str, Any],
    parameters: Mapping[str, Any],
    confidence_level: float,
) -> Forms:
    """Intervals from placement values, for means over pairs of a function of d alone."""
    binary = binary_scores(sample, metric, options)
    if binary is None:
        return {}
    truth, score = binary
    many = (
        np.ones(len(truth), dtype=np.int64) if sample.multiplicity is None else sample.multiplicity
    )
    counts = many[truth], many[~truth]
    sizes = int(counts[0].sum()), int(counts[1].sum())
    if min(sizes) < 2:
        return dict.fromkeys([*_PAIR_FORMS, *_AUC_FORMS], partial(_too_few, metric.name, sizes))
    ranks = placements_of(sample, options, truth, score)
    values = values_of(metric, parameters, ranks)
    # What "auto" takes comes first (``python -m benchmarks.auc_coverage``).
    of_auc = _is_auc(values, metric.bounds, ranks)
    if sample.multiplicity is None:
        return forms_of_pairs(*values, metric.bounds, confidence_level, of_auc=of_auc)
    mean, parts = counted_parts(values, counts)
    return _forms(Pairs(mean, parts, sizes, confidence_level, metric.bounds), of_auc)


def placements_of(
    sample: ScoreSample, options: Mapping[str, Any], truth: Bools, score: Floats
) -> Placements:
    """Return what placement values are read from; metrics of one positive class share it."""
    return sample.placements(truth, score, (options.get("pos_label"), options.get("rescale")))


def forms_of_pairs(
    of_positives: Floats,
    of_negatives: Floats,
    bounds: tuple[float, float],
    confidence_level: float,
    *,
    of_auc: bool,
) -> Forms:
    """Return the intervals of a mean over pairs from its placement values."""
    sizes = len(of_positives), len(of_negatives)
    parts = variances(of_positives, of_negatives)
    return _forms(Pairs(pair_mean(of_positives), parts, sizes, confidence_level, bounds), of_auc)


def _forms(pairs: Pairs, of_auc: bool) -> Forms:
    known = _AUC_FORMS | _PAIR_FORMS if of_auc else _PAIR_FORMS
    return {name: partial(_of_pairs, pairs, form) for name, form in known.items()}


def _is_auc(values: tuple[Floats, Floats], bounds: tuple[float, float], ranks: Placements) -> bool:
    """Whether a mean over pairs is the AUC, or a line of it such as Gini's index."""
    if not np.isfinite(bounds[1] - bounds[0]):
        return False
    of_auc = bounds[0] + (bounds[1] - bounds[0]) * (ranks.win_share + ranks.tie_share / 2)
    return bool(np.allclose(of_auc, np.concatenate(values), rtol=0, atol=_ROUNDING))


class Pairs(NamedTuple):
    """A mean over pairs with the two parts of DeLong's variance, and the sizes of the classes."""

    mean: Floats
    parts: Floats
    sizes: tuple[int, int]
    confidence_level: float
    bounds: tuple[float, float]
    # Pairs without an example in common; None: as many as the smaller class has examples.
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
        freedom = self.parts.sum() ** 2 / (self.parts**2 / (np.array(self.sizes) - 1)).sum()
        return float(stats.t.ppf((1 + self.confidence_level) / 2, freedom))


def _delong(p: Pairs) -> Found:
    return Found(*symmetric(p.mean, quantile(p.confidence_level) * p.error, p.bounds), p.error)


def _logit(p: Pairs, reach: float | None = None) -> Found:
    named = link_of(p.bounds)
    link, reach = named and named[1], reach or quantile(p.confidence_level)
    return Found(*_ends(p.mean, p.error, reach=reach, bounds=p.bounds, link=link), p.error)


def _logit_t(p: Pairs) -> Found:
    if not p.error > 0:
        return Found(p.mean, p.mean, p.error)
    return _logit(p, p.student)


def _hanley_mcneil(p: Pairs) -> Found:
    error = p.width * np.sqrt(hanley_mcneil_variance(p.auc, *p.sizes))
    return Found(*symmetric(p.mean, quantile(p.confidence_level) * error, p.bounds), error)


def _newcombe(p: Pairs) -> Found:
    return Found(*p.scaled(newcombe(p.auc, *p.sizes, p.confidence_level)), p.error)


def _score_t(p: Pairs) -> Found:
    parts = p.parts / p.width**2
    return Found(*p.scaled(score_t(p.auc, parts, *p.sizes, p.confidence_level)), p.error)


_PAIR_FORMS: dict[str, Callable[[Pairs], Found]] = {
    "logit-t": _logit_t,
    "logit": _logit,
    "delong": _delong,
}
_AUC_FORMS: dict[str, Callable[[Pairs], Found]] = {
    "score-t": _score_t,
    "newcombe": _newcombe,
    "hanley-mcneil": _hanley_mcneil,
}


OWN = "score"
ALL_FORMS = (*PROPORTION_METHODS, OWN, "log", "log-t", "delta", *_PAIR_FORMS, *_AUC_FORMS, STUDENT)


def _of_pairs(pairs: Pairs, form: Callable[[Pairs], Found]) -> Found:
    """Return the interval, or the exact one where all pairs are alike and the variance is 0."""
    found = form(pairs)
    if not flat(found):
        return found
    independent = pairs.independent or min(pairs.sizes)
    ends = exact(pairs.mean, independent, pairs.confidence_level, pairs.bounds)
    return Found(*ends, np.asarray(np.nan), "exact", _ALL_ALIKE)


def interval_of_pairs(pairs: Pairs, values: tuple[Floats, Floats], ranks: Placements) -> Found:
    """Return the first of the intervals that "auto" takes of a mean over pairs."""
    of_auc = _is_auc(values, pairs.bounds, ranks)
    return _of_pairs(pairs, _score_t if of_auc else _logit_t)


def _too_few(name: str, sizes: tuple[int, int]) -> Found:
    warn(
        f"The variance of {name} needs two examples of each class, found {sizes[0]} positives and "
        f"{sizes[1]} negatives; the interval is nan.",
        UndefinedMetricWarning,
    )
    nothing = np.asarray(np.nan)
    return Found(nothing, nothing, nothing)


def all_alike(
    sample: Sample,
    metric: Metric,
    options: Mapping[str, Any],
    drawn: Resampling,
    confidence_level: float,
    found: Found,
) -> Found:
    """Replace an interval of width 0 by one that knows the size of the sample, if there is any.

    That is the first closed form for independent labels, and for any metric of scores with a finite
    range the exact one, which takes it for a mean over pairs.
    """
    parameters = own_parameters(metric, options)
    if isinstance(sample, LabelSample) and sample.weight is None and drawn.groups is None:
        method, form = next(iter(forms(sample, metric, options, confidence_level).items()))
        return form()._replace(method=method, note=_ONE_VALUE)
    if not isinstance(sample, ScoreSample) or not np.isfinite(metric.bounds[1] - metric.bounds[0]):
        return found._replace(note=_ONE_VALUE)
    note = _ALL_ALIKE if has_placements(metric, parameters) else _ONE_VALUE
    independent = independent_pairs(sample, drawn.groups)
    classes = len(np.unique(sample.scored.true))
    problems = 1 if sample.scored.one_column else classes * (classes - 1)
    ends = exact(found.low, independent, 1 - (1 - confidence_level) / problems, metric.bounds)
    no_width = np.abs(found.high - found.low) <= _ROUNDING  # not where there are no ends
    low, high = (np.where(no_width, end, was) for end, was in zip(ends, found[:2], strict=True))
    return Found(low, high, np.where(no_width, np.nan, found.error), "exact", note)
