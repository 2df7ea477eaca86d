"""Which closed forms a metric has on a sample."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from ..._arrays import Floats
from ...metrics._pairs.placements import counted_parts
from ...metrics._registry.resampling import Resampling
from ...metrics._registry.samples import MetricOnSample, has_placements, values_of
from .areas import (
    ALL_ALIKE,
    Pairs,
    constant_pairs_interval,
    is_auc,
    limits_of_pairs,
    logit_t,
    placements_of,
    score_t_of_pairs,
    too_few,
)
from .bootstrap import Ends
from .limits import ROUNDING, Forms, IntervalEstimate, Link, ends_on, link_of, quantile
from .means import (
    FEWEST,
    STUDENT,
    Spread,
    independent_pairs,
    influence_values,
    linearized,
    row_losses,
    table_function,
)
from .proportions import PROPORTION_METHODS, ShareForm, form_of

_SMOOTHED = "{}, so the table is smoothed: two examples, spread over its cells, are added"

# A standard error that can be rounding error of numerical derivatives.
_FLAT = 1e-6

# Whether a metric has an interval of its own is asked at the level that is read most often.
_USUAL_LEVEL = 0.95

_ONE_VALUE = "all resamples gave the same value"


def analytic_intervals(on: MetricOnSample) -> Forms:
    """Return the intervals of a metric, the one for "auto" first.

    Every row of the sample is an independent example.
    """
    if on.sample.counted:
        return _of_table(on)
    if on.sample.one_column and (known := _of_scores(on)):
        return known
    if on.metric.interval is not None:
        own = cache(partial(on.metric.interval, on.record, **on.metric.completed(on.parameters)))
        if own(_USUAL_LEVEL) is not None:
            return {OWN: partial(_of_own, own)}
    psi = influence_values(on, in_order=False)
    if psi is None or on.metric.no_interval:
        return {}
    # Losses of probabilities lie between 0 and 1 in other samples.
    losses = row_losses(on) if on.metric.bounds == (0, 1) and not on.metric.proper else None
    if losses is not None and on.sample.multiplicity is None and np.isin(losses, (0, 1)).all():
        # A share of examples, such as top-k accuracy, has binomial intervals.
        share = ShareForm(float(losses.sum()), float(len(losses)), (1, 1), (0, 1))
        return _of_share(share)
    named = link_of(on.metric.bounds)
    name = (
        "wilson" if on.metric.trials is not None else f"{named[0]}-{STUDENT}" if named else STUDENT
    )
    spread = Spread.of(psi, None, on.sample.multiplicity)
    return {name: partial(linearized, on, spread, None)}


def _of_own(own: Callable[[float], Any], confidence_level: float) -> IntervalEstimate:
    low, high, error, note = own(confidence_level)
    return IntervalEstimate(np.asarray(low), np.asarray(high), np.asarray(error), note=note)


def _of_table(on: MetricOnSample) -> Forms:
    """Binomial intervals of a function of one proportion of counts; the delta method."""
    found: Forms = {}
    if (share := form_of(on)) is not None:
        found |= _of_share(share)
    bounds = on.metric.bounds

    def delta(link: Link | None, confidence_level: float) -> IntervalEstimate:
        reach = quantile(confidence_level)
        found = _delta(on, partial(ends_on, reach=reach, bounds=bounds, link=link))
        # Haldane's table has limits for a ratio of 0/0 with examples of both classes.
        limits = bounds == (0, np.inf) and on.sample.state.sizes.all()
        undefined = np.isnan(on.value if limits else on.unfilled)
        counts = on.sample.state.sizes
        least = counts.min(initial=np.inf, where=counts > 0)
        few = _FEW_OF_CLASS.format(f"{least:g}") if least < FEWEST else ""
        return found._replace(
            low=np.where(undefined, np.nan, found.low),
            high=np.where(undefined, np.nan, found.high),
            note="; ".join(filter(None, [found.note, few])),
        )

    if not found:
        name, link = link_of(bounds) or ("delta", None)
        found[name] = partial(delta, link)
    return found


def _of_share(share: ShareForm) -> Forms:
    x, n = np.asarray(share.part), np.asarray(share.whole)

    def form(
        ends: Callable[[Floats, Floats, float], Ends], confidence_level: float
    ) -> IntervalEstimate:
        if not share.whole > 0:
            return IntervalEstimate.nothing()
        low, high = map(share.at, ends(x, n, confidence_level))
        # Delta method with the binomial error sqrt(p (1 - p) / n) of the share p = x / n.
        return IntervalEstimate(low, high, share.slope(x / n) * np.sqrt(x * (n - x) / n) / n)

    return {name: partial(form, ends) for name, ends in PROPORTION_METHODS.items()}


def _delta(on: MetricOnSample, ends: Callable[[Floats, Floats], Ends]) -> IntervalEstimate:
    """Return the delta-method interval of a function of a table, smoothed if its variance would be 0."""
    # Var g(c) = grad' Cov(c) grad with Cov(c) = diag(c) - c c' / n of multinomial counts.
    estimate, own = on.value, table_function(on)
    error = own.standard_error
    low, high = ends(estimate, error)
    fails = ~((error > 0) & np.isfinite(low + high)) | own.called_alike
    if not fails.any():
        return IntervalEstimate(low, high, error, note=own.note_of_error)
    full = own.smoothed()
    middle, wider = full.value, full.standard_error
    if (fails & ~(wider > _FLAT)).any():
        mean, sd = full.drawn
        flat = ~(wider > _FLAT) & (sd > _FLAT)
        middle, wider = np.where(flat, mean, middle), np.where(flat, sd, wider)
    lower, higher = ends(middle, wider)
    return IntervalEstimate(
        np.where(fails, np.fmin(lower, estimate), low),
        np.where(fails, np.fmax(higher, estimate), high),
        np.where(fails, wider, error),
        note=_SMOOTHED.format(own.why_smoothed),
    )


# With fewer examples of a class the intervals of functions of several rates carry a note.
_FEW_OF_CLASS = (  # benchmarks/results: coverage.md
    f"{{}} of a class: below {FEWEST} coverage is not guaranteed (87 to 100 % of nominal 95)"
)
# With fewer examples of a class the intervals of means over pairs carry a note.
_FEW_OF_AUC = 100
_UNEQUAL = (  # benchmarks/results: coverage.md
    "{} of a class, a third of the other or less: coverage varies where their scores spread unequally "
    "(85 to 100 % of nominal 95)"
)
_FEW_OF_VALUES = (  # benchmarks/results: coverage.md
    "{} of a class: below 50 coverage is not guaranteed for high values (75 to 95 % of nominal 95)"
)


def _of_scores(on: MetricOnSample) -> Forms:
    """Intervals from placement values, for means over pairs of a function of d alone."""
    ranks, metric = placements_of(on), on.metric
    if ranks is None:
        return {}
    counts = np.split(ranks.counts, ranks.sizes[:1])
    sizes = int(counts[0].sum()), int(counts[1].sum())
    if min(sizes) < 2:
        found = f"{sizes[0]} positives and {sizes[1]} negatives"
        none = partial(too_few, metric.name, "two examples of each class", found)
        return dict.fromkeys(("score-t", "logit-t"), none)
    values = values_of(metric, on.parameters, ranks)
    of_auc = is_auc(values, metric.bounds, ranks)
    mean, parts = counted_parts(np.split(values, ranks.sizes[:1]), counts)
    pairs = Pairs(mean, parts, sizes, metric.bounds)
    if of_auc:
        rare = min(sizes) < _FEW_OF_AUC and max(sizes) >= 3 * min(sizes)
        name, form, note = "score-t", score_t_of_pairs, _UNEQUAL if rare else ""
    else:
        name, form, note = (
            "logit-t",
            logit_t,
            _FEW_OF_VALUES if min(sizes) < _FEW_OF_AUC / 2 else "",
        )
    return {name: partial(limits_of_pairs, pairs, form, note.format(min(sizes)))}


OWN = "score"

ALL_FORMS = (
    *PROPORTION_METHODS,
    OWN,
    "log",
    "log-t",
    "logit",
    "logit-t",
    "score-t",
    "delta",
    STUDENT,
)


def all_alike(
    on: MetricOnSample, drawn: Resampling, confidence_level: float, found: IntervalEstimate
) -> IntervalEstimate:
    """Replace an interval of width 0 by one that depends on the sample size, if possible.

    For independent labels this is the first closed form; for metrics of scores with a finite range
    it is the exact interval of a mean over pairs.
    """
    sample, metric = on.sample, on.metric
    if sample.counted and sample.weight is None and drawn.groups is None:
        method, form = next(iter(analytic_intervals(on).items()))
        return form(confidence_level)._replace(method=method, note=_ONE_VALUE)
    if not sample.ranked or not np.isfinite(metric.bounds[1] - metric.bounds[0]):
        return found._replace(note=_ONE_VALUE)
    note = ALL_ALIKE if has_placements(metric, on.parameters) else _ONE_VALUE
    independent = independent_pairs(sample, drawn.groups)
    classes = len(np.unique(sample.scored.true))
    problems = 1 if sample.scored.one_column else classes * (classes - 1)
    ends = constant_pairs_interval(
        found.low, independent, 1 - (1 - confidence_level) / problems, metric.bounds
    )
    no_width = np.abs(found.high - found.low) <= ROUNDING  # not without limits
    low, high = (np.where(no_width, end, was) for end, was in zip(ends, found[:2], strict=True))
    return IntervalEstimate(low, high, np.where(no_width, np.nan, found.error), "exact", note)
