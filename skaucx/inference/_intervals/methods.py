r"""The method of each metric's interval: this table, and :func:`forms_of`, which follows it.

========================================  ==============================================================
a metric that is                          has by default
========================================  ==============================================================
a share of rows (`share=`, `trials=`)     Wilson's interval; "clopper-pearson" on request
a mean over pairs (AUC, Gini, scor, ...)  DeLong's variance, Student's t on the logit scale ("delong");
                                          "hanley-mcneil" on request, of the AUC and Gini
a mean over rows (a loss)                 Student's t, on the logit or the log scale of the range ("t")
a function of a table of 30 classes       the delta method, by the derivative of the table ("delta");
                                          not a macro average with a class of fewer than five rows
a function with an influence curve        the same of its influences ("t")
declared with an interval                 that ("score")
declared with a reason for none           no interval, with the reason
anything else                             BCa of the bootstrap ("bca"); above 20,000 rows its percentiles
                                          ("percentile")
========================================  ==============================================================

Of rows in groups the first five are "cluster": sums of influences over groups, Student's t with the
effective number of groups minus 1, :math:`1 / \sum_g p_g^2 - 1`; of weighted rows they are "robust",
each row a group. Without influences whole groups are drawn again. What has no variance, as all rows or
pairs have one value, has an "exact" interval where its range is bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from ..._arrays import Bools, Codes, Floats
from ..._options import check_choice
from ...metrics._kinds.averages import mean_over_classes
from ...metrics._registry.samples import MetricOnSample
from .bootstrap import bca, percentile, share_below
from .influence import (
    MOST_CLASSES,
    Influence,
    Spread,
    influence_of,
    influence_values,
    positives_of_pairs,
    units_of,
    weights_of,
)
from .limits import (
    ROUNDING,
    Ends,
    Form,
    IntervalEstimate,
    clopper_pearson,
    constant_pairs_interval,
    has_zero_width,
    on_scale,
    score_interval,
    student,
    wilson,
)

CLUSTER, ROBUST = "cluster", "robust"
DRAWN = ("bca", "percentile")
# Of more rows the acceleration of BCa costs more than it moves the limits.
MOST_ACCELERATED = 20_000
# A class of fewer rows, whose own value has no variance to go by, is drawn again in a macro average.
_FEWEST = 5
# Whether a metric has an interval of its own is asked at the level that is read most often.
_USUAL_LEVEL = 0.95

_FEW = 10
_FEW_OF_A_CLASS = f"{{}} of a class: below {_FEW} coverage is not guaranteed"
_FEW_GROUPS = (  # benchmarks/results: coverage.md
    "{:.1f} effective groups of {}: below 10 coverage is not guaranteed"
)
_ALIKE = "all {} have the same value, so the limits are those of min(P, N) independent pairs"
_ALONE = "one {} has all rows that the metric reads, or all of a class"
_UNBOUNDED = "all rows have the same value"


_ONE_VALUE = "all resamples gave the same value"
_ONE_SIDED = (
    "{:.3g} % of the resamples are below the estimate: its bias is as large as its standard "
    "error, and there is no interval"
)
# The step of a derivative along the imaginary axis, where nothing cancels.
_STEP = 1e-20


class Share(NamedTuple):
    """A metric that is a share of rows, or an increasing function of one."""

    part: float
    whole: float
    at: Callable[[Any], Any] = np.asarray

    @property
    def value(self) -> Any:
        """The metric's value."""
        return self.at(self.part / self.whole)

    @property
    def itself(self) -> bool:
        """Whether the metric is the share."""
        return self.at is np.asarray

    @property
    def slope(self) -> Floats:
        """The derivative of the function."""
        return np.imag(self.at(self.part / self.whole + _STEP * 1j)) / _STEP


def method_of(on: Any, groups: Codes | None, wanted: str, rows: float) -> tuple[str, Form | None]:
    """Return the name of the method, and what gives its limits; None if rows are drawn again."""
    found = forms_of(on, groups) if isinstance(on, MetricOnSample) else {}
    why = on.metric.no_interval
    if why and not found:
        return "none", lambda _: IntervalEstimate.nothing(why, np.shape(on.estimate))
    usual = next(iter(found), "bca" if rows <= MOST_ACCELERATED else "percentile")
    check_choice("method", wanted, ("auto", *found, *DRAWN))
    name = usual if wanted == "auto" else wanted
    return name, found.get(name)


def forms_of(on: MetricOnSample, groups: Codes | None) -> dict[str, Form]:
    """Return the intervals of a metric without resampling, the usual one first."""
    if parts := _of_classes(on):
        return _together([forms_of(part, groups) for part in parts])
    if groups is not None:
        return _of_influences(on, groups, CLUSTER)
    if on.sample.weight is not None:
        return _of_influences(on, None, ROBUST)
    usual = "delta" if on.sample.counted else "t"
    return _of_independent(on) or _of_influences(on, None, usual)


def _of_independent(on: MetricOnSample) -> dict[str, Form]:
    """Return the intervals of a share, of a mean over pairs, and those that a metric declares."""
    metric = on.metric
    if metric.interval is not None:
        own = cache(partial(metric.interval, on.record, **metric.completed(on.parameters)))
        if own(_USUAL_LEVEL) is not None:
            return {"score": lambda level: _own_limits(*own(level))}
    if (share := share_of(on)) is not None:
        ends = {"wilson": wilson, "clopper-pearson": clopper_pearson}
        return {name: partial(_of_share, share, each) for name, each in ends.items()}
    truth = None if on.sample.counted else positives_of_pairs(on)
    return {} if truth is None else _of_pairs(on, truth)


def _of_influences(on: MetricOnSample, groups: Codes | None, name: str) -> dict[str, Form]:
    """Return the interval from the influences of rows, if the metric has them."""
    if on.metric.no_interval or (on.sample.counted and drawn_again(on)):
        return {}
    found = influence_of(on, groups)
    return {} if found is None else {name: partial(_by_influence, on, groups, found, share_of(on))}


def drawn_again(on: MetricOnSample) -> bool:
    """Whether a metric of a table has no form of its own: of too many classes, or too rare ones."""
    state: Any = on.sample.state
    if len(state.classes) > MOST_CLASSES or on.options.get("average", "binary") is None:
        return True
    sizes = state.one_vs_rest.positives
    macro = mean_over_classes(on.options.get("average", "binary")) == "equal"
    return bool(macro and len(state.classes) > 2 and sizes[sizes > 0].min() < _FEWEST)


def share_of(on: MetricOnSample) -> Share | None:
    """Return the numerator and the denominator of a metric that is a share of rows, else None."""
    metric, sample, average = on.metric, on.sample, on.options.get("average", "binary")
    if metric.share is None or on.options.get("normalize", True) is False:
        return None
    if not metric.kind.counted:
        return Share(*metric.share(on.record, **on.parameters))
    if not sample.counted or on.parameters.get("prevalence") is not None:
        return None
    if average == "binary":
        return Share(np.nan, np.nan) if on.record is None else Share(*metric.share(on.record))
    counts, size = sample.state.each(average)[0], float(sample.state.one_vs_rest.positives.sum())
    part, whole, *at = metric.share(counts)
    # A share of the true rows of each class: sum_k n_k (A_k / n_k) / sum_k n_k.
    by_size = mean_over_classes(average) == "by size" and np.array_equal(whole, counts.positives)
    found = Share(float(np.sum(part)), float(np.sum(whole)), *at)
    # The counts of all classes added up: a right row is a true positive, a wrong one errs twice.
    if average == "micro" and np.isclose(found.value, found.part / size, rtol=1e-12):
        return Share(found.part, size)
    return found if by_size else None


def _own_limits(low: float, high: float, error: float) -> IntervalEstimate:
    return IntervalEstimate(np.asarray(low), np.asarray(high), np.asarray(error))


def _of_share(
    share: Share, ends: Callable[[Floats, Floats, float], Ends], confidence_level: float
) -> IntervalEstimate:
    x, n = np.asarray(share.part), np.asarray(share.whole)
    if not n > 0:
        return IntervalEstimate.nothing()
    low, high = map(share.at, ends(x, n, confidence_level))
    # Delta method with the binomial error sqrt(p (1 - p) / n) of the share p = x / n.
    return IntervalEstimate(low, high, share.slope * np.sqrt(x * (n - x) / n) / n)


def _of_pairs(on: MetricOnSample, truth: Bools) -> dict[str, Form]:
    """Return the intervals of a mean over pairs of independent rows."""
    many = np.ones(len(truth)) if on.sample.multiplicity is None else on.sample.multiplicity
    sizes = np.array([many[truth].sum(), many[~truth].sum()], dtype=np.float64)
    if sizes.min() < 2:
        held = f"{sizes[0]:g} positives and {sizes[1]:g} negatives"
        why = f"the variance needs two rows of each class, found {held}"
        return {"delong": lambda _: IntervalEstimate.nothing(why)}
    psi, least = influence_values(on), int(sizes.min())
    found: dict[str, Form] = {
        "delong": partial(_on_logit, on, *Spread.of_classes(np.asarray(psi), truth, many), least)
    }
    if on.metric.name in ("roc_auc", "gini"):
        low, high = on.metric.bounds
        auc = (on.value - low) / (high - low)
        variance = exponential_variance(auc, *sizes) / sizes.prod() * (high - low) ** 2
        found["hanley-mcneil"] = partial(_on_logit, on, float(variance), np.inf, least)
    return found


def exponential_variance(auc: Floats, positives: float, negatives: float) -> Floats:
    """Return P N times the variance of an AUC of exponential scores (Hanley & McNeil 1982, eq. 1).

    Two pairs with the negative in common are both right with probability Q1 = A / (2 - A), with the
    positive in common with probability Q2 = 2 A^2 / (1 + A).
    """
    q1, q2 = auc / (2 - auc) - auc**2, 2 * auc**2 / (1 + auc) - auc**2
    return np.asarray(auc * (1 - auc) + (positives - 1) * q1 + (negatives - 1) * q2)


def _on_logit(
    on: MetricOnSample, variance: float, freedom: float, least: int, confidence_level: float
) -> IntervalEstimate:
    mean, error = on.value, np.asarray(np.sqrt(variance))
    ends = on_scale(mean, error, student(confidence_level, freedom), on.metric.bounds)
    note = _FEW_OF_A_CLASS.format(least) if least < _FEW else ""
    found = IntervalEstimate(*ends, error, note=note)
    if not has_zero_width(found):
        return found
    ends = constant_pairs_interval(mean, least, confidence_level, on.metric.bounds)
    return IntervalEstimate(*ends, np.asarray(np.nan), "exact", _ALIKE.format("pairs"))


def _by_influence(
    on: MetricOnSample,
    groups: Codes | None,
    found: Influence,
    share: Share | None,
    confidence_level: float,
) -> IntervalEstimate:
    """Return Student's limits from the variance of influences, on the scale of the metric's range."""
    sample, metric = on.sample, on.metric
    independent = groups is None and sample.weight is None
    pairs = positives_of_pairs(on) is not None
    spread = Spread.of(found.psi, sample, groups, sample.strata if pairs else None)
    if not np.isfinite(spread.variance) or units_of(sample, groups) <= 1 + ROUNDING:
        return IntervalEstimate.nothing(_ALONE.format("row" if groups is None else "group"))
    if np.isnan(on.unfilled if sample.counted else on.value):
        return IntervalEstimate.nothing()
    units, (variance, freedom) = units_of(sample, groups), spread
    if independent and sample.counted:  # counts are multinomial
        freedom, variance = np.inf, variance * (units - 1) / units
    elif independent and metric.losses is not None:
        freedom = max(units - 1, 1.0)
    reach = student(confidence_level, freedom)
    error = np.sqrt(variance + found.added)
    notes = [found.note, _note_of_units(on, groups, freedom)]
    if share is not None or (metric.trials is not None and sample.one_column):
        ends = _of_effective_share(on, share, variance, units, reach)
    else:
        ends = on_scale(found.value, error, reach, metric.bounds)
    low, high = np.fmin(ends[0], on.value), np.fmax(ends[1], on.value)
    limits = IntervalEstimate(low, high, np.asarray(error), note="; ".join(filter(None, notes)))
    if not has_zero_width(limits) or sample.counted:
        return limits
    if not np.isfinite(metric.bounds[1] - metric.bounds[0]):
        return limits._replace(note=_UNBOUNDED)
    least = int(units) if metric.losses is not None else _independent_pairs(sample, groups)
    ends = constant_pairs_interval(on.value, least, confidence_level, metric.bounds)
    return IntervalEstimate(*ends, np.asarray(np.nan), "exact", _ALIKE.format("rows or pairs"))


def _of_effective_share(
    on: MetricOnSample, share: Share | None, variance: float, units: float, reach: float
) -> Ends:
    """Return Wilson's limits of as many independent rows as give a share its variance."""
    if share is None:
        of_all = float(on.metric.trials(on.record, **on.parameters))
        share = Share(float(on.value) * of_all, of_all)
    else:
        weight = weights_of(on.sample)
        of_all = share.whole / float(on.sample.n_rows if weight is None else weight.sum())
    p, size = share.part / share.whole, units * of_all
    if 0 < p < 1 and variance > 0:
        size = p * (1 - p) * float(share.slope) ** 2 / variance
    low, high = score_interval(np.asarray(p * size), np.asarray(size), reach)
    return share.at(low), share.at(high)


def _note_of_units(on: MetricOnSample, groups: Codes | None, freedom: float) -> str:
    """Say where rows, or groups, are so few that coverage is not guaranteed."""
    if groups is not None:
        return note_of_groups(freedom + 1, int(groups.max()) + 1)
    least = fewest_of_a_class(on.sample)
    few = least < _FEW and (on.sample.counted or on.metric.losses is None)
    return _FEW_OF_A_CLASS.format(least) if few else ""


def note_of_groups(effective: float, groups: int = 0) -> str:
    """Say what few groups do to an interval."""
    return _FEW_GROUPS.format(effective, groups or effective) if 0 < effective < _FEW else ""


def rows_of_classes(sample: Any) -> Codes:
    """Return the number of rows of each class that occurs; none without classes."""
    held = np.bincount([] if sample.strata is None else sample.strata, sample.multiplicity)
    return held[held > 0].astype(np.intp)


def fewest_of_a_class(sample: Any) -> float:
    """Return the number of rows of the rarest class that occurs; infinite without classes."""
    held = rows_of_classes(sample)
    return int(held.min()) if len(held) else np.inf


def _independent_pairs(sample: Any, groups: Codes | None) -> int:
    """Return the number of disjoint pairs of units of two classes, or of units without classes."""
    units = int(units_of(sample, groups))
    if not sample.ranked or sample.strata is None:
        return max(1, units)
    if groups is None:
        return max(1, min(int(fewest_of_a_class(sample)), units // 2))
    held = [len(np.unique(groups[sample.strata == k])) for k in np.unique(sample.strata)]
    # A group with several classes is used for one pair only.
    return max(1, min(*held, units // 2))


def _of_classes(on: MetricOnSample) -> list[MetricOnSample]:
    """Return the same of each class by itself, in the order of the values; none of one value."""
    if on.options.get("average", "binary") is not None:
        return []
    parts = on.sample.each_class(on.options)
    return [MetricOnSample(sample, on.metric, options) for sample, options in parts]


def _together(forms: Sequence[dict[str, Form]]) -> dict[str, Form]:
    """Return the intervals that all classes have as arrays with one entry a class."""
    names = [name for name in forms[0] if all(name in own for own in forms)]
    return {name: partial(_joined, [own[name] for own in forms]) for name in names}


def _joined(forms: Sequence[Form], confidence_level: float) -> IntervalEstimate:
    found = [form(confidence_level) for form in forms]
    low, high, error = (np.array(column) for column in zip(*(x[:3] for x in found), strict=True))
    method, note = (
        "; ".join(dict.fromkeys(filter(None, texts)))
        for texts in zip(*(own[3:] for own in found), strict=True)
    )
    return IntervalEstimate(low, high, error, method, note)


def limits_of_replicates(
    method: str, values: Floats, estimate: Floats, bend: Floats, confidence_level: float
) -> IntervalEstimate:
    """Return the percentile or BCa limits of bootstrap replicates, nan where they have none."""
    defined = (~np.isnan(values)).sum(axis=0)
    fails = (defined < 2) | np.isnan(estimate)
    values = np.where(fails, 0.0, values)
    if method == "bca":
        low, high = bca(values, estimate, bend, confidence_level)
    else:
        low, high = percentile(values, confidence_level)
    with np.errstate(invalid="ignore"):  # infinite ratios have no standard deviation
        error = np.nanstd(values, axis=0, ddof=1)
        alike = ~(np.nanmax(values, axis=0) > np.nanmin(values, axis=0) + ROUNDING) & ~fails
    beside = ~fails & ~alike & ~((low <= estimate) & (estimate <= high))
    low, high, error = (np.where(fails | beside, np.nan, x) for x in (low, high, error))
    notes = [_ONE_VALUE if alike.any() else ""]
    if beside.any():
        below = share_below(values, estimate)[beside].ravel()
        worst = float(below[np.argmax(np.abs(below - 0.5))])
        notes.append(_ONE_SIDED.format(100 * worst))
    if missing := len(values) - int(defined.min()):
        notes.append(f"undefined on {missing} of {len(values)} resamples")
    return IntervalEstimate(low, high, error, note="; ".join(filter(None, notes)))
