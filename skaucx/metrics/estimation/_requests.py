"""From metrics asked for on a sample to their intervals: closed forms, or one set of resamples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple

import numpy as np

from ..._arrays import (
    Array,
    Codes,
    Floats,
    check_same_length,
    group_codes,
    weight_vector,
    without_zero_weights,
)
from ..._options import check_choice, check_confidence_level, check_whole
from .._chunks.sources import is_chunked
from .._records.counts import given_table
from .._registry.averaging import apply, names_of
from .._registry.calls import plain
from .._registry.names import NamedMetric, is_plain_function, named_metrics
from .._registry.row import Metric
from .._registry.streamed import streamed_counts
from .._resampling.draws import Resampling, generator
from .._resampling.placements import reads_the_ends
from .._resampling.sample import own_parameters, sample_of
from ..kinds.base import STRICT, Problem, Sample
from ..kinds.labels import LabelSample, sample_of_table
from ..kinds.scores.cells import Plan
from ._bootstrap import BOOTSTRAPS, acceleration, replicates, share_below
from ._closed_forms import ALL_FORMS, CLUSTER, all_alike, cluster_forms, forms, note_of_clusters
from ._normal import Forms, Found
from ._result import Interval


def groups_of_rows(groups: Any, y_true: Any, sample_weight: Any) -> Codes:
    """Number the groups of the rows that weigh something."""
    codes = group_codes(groups, {"y_true": np.asarray(y_true)})
    kept, _ = without_zero_weights(weight_vector(sample_weight), codes)
    return np.unique(kept, return_inverse=True)[1].astype(np.intp)


def check_settings(confidence_level: Any, n_resamples: Any = 2) -> None:
    """Check the confidence, and the number of resamples."""
    check_confidence_level(confidence_level)
    check_whole("n_resamples", n_resamples, 2)


def repeated(frequency: Any, counts: Any, *columns: Any) -> list[Any]:
    """Return columns of rows with every row as often as it occurred; None stays None."""
    if counts is not None or is_chunked(columns[0]):
        raise ValueError("frequency counts rows in memory; leave it out with counts or chunks.")
    many = np.asarray(frequency)
    if many.ndim != 1 or many.dtype.kind not in "iuf" or (many < 0).any() or (many % 1).any():
        raise ValueError(
            f"frequency must be a vector of whole numbers >= 0, found {frequency!r}; weights that are "
            "none go into sample_weight."
        )
    arrays = [None if column is None else np.asarray(column) for column in columns]
    names = "y_true", "y_pred_or_score", "sample_weight", "groups"
    check_same_length({"frequency": many, **dict(zip(names, arrays, strict=True))})
    each = many.astype(np.intp)
    return [None if array is None else np.repeat(array, each, axis=0) for array in arrays]


Alternative = Literal["two-sided", "greater", "less"]


def check_alternative(alternative: Any) -> Alternative:
    """Return the alternative if it is a known one."""
    checked: Alternative = check_choice(
        "alternative", alternative, ("two-sided", "greater", "less")
    )
    return checked


class Sides(NamedTuple):
    """Which ends of an interval count, and how confident it is."""

    alternative: Alternative
    confidence_level: float

    @property
    def two_sided(self) -> float:
        """The confidence of the two-sided interval that has the end which counts."""
        if self.alternative == "two-sided":
            return self.confidence_level
        if self.confidence_level <= 0.5:
            raise ValueError(
                "A one-sided interval needs a confidence_level above 0.5, found "
                f"{self.confidence_level!r}."
            )
        return 2 * self.confidence_level - 1

    def ends(self, low: Any, high: Any, bounds: tuple[float, float]) -> tuple[Floats, Floats]:
        """Return the ends, the one that does not count moved to that of the range."""
        low, high = np.asarray(low), np.asarray(high)
        undefined = np.isnan(low) | np.isnan(high)
        if self.alternative == "less":
            low = np.where(undefined, np.nan, bounds[0])
        if self.alternative == "greater":
            high = np.where(undefined, np.nan, bounds[1])
        return low, high


@dataclass(frozen=True, eq=False)
class PlainMetric:
    """A function called as ``function(y_true, y_pred)``, of which nothing else is known."""

    formula: Callable[..., Any]
    parameters: Mapping[str, Any]
    bounds: tuple[float, float] = (-np.inf, np.inf)
    no_interval: str = ""

    @property
    def name(self) -> str:
        """What results call it."""
        return str(getattr(self.formula, "__name__", "the metric"))

    def value(self, state: FunctionState, **options: Any) -> Any:
        """Return the value, or one value a replicate."""
        return state.value(lambda *arrays: self.formula(*arrays, **self.parameters))


@dataclass(frozen=True, eq=False)
class FunctionState:
    """Rows of both arrays, or of every replicate."""

    arrays: tuple[Array, Array]
    counts: Floats | None = None

    def value(self, function: Callable[..., Any]) -> Any:
        """Return what the function gives."""
        if self.counts is None:
            return float(function(*self.arrays))
        rows = [np.repeat(np.arange(len(row)), row.astype(np.intp)) for row in self.counts]
        return np.array([float(function(*(x[own] for x in self.arrays))) for own in rows])


class FunctionSample(Sample):
    """Two arrays that a plain function takes."""

    def __init__(self, y_true: Any, y_pred: Any) -> None:
        self.arrays = np.asarray(y_true), np.asarray(y_pred)
        check_same_length({"y_true": self.arrays[0], "y_pred_or_score": self.arrays[1]})
        self.n_rows, self.weight = len(self.arrays[0]), None
        vector = self.arrays[0].ndim == 1 and self.arrays[0].dtype.kind != "f"
        codes = np.unique(self.arrays[0], return_inverse=True)[1] if vector else None
        self.strata = None if codes is None else codes.astype(np.intp)

    @property
    def state(self) -> Any:
        """The sample itself."""
        return FunctionState(self.arrays)

    def under(self, counts: Floats) -> Any:
        """Return one state of all replicates."""
        return FunctionState(self.arrays, counts)


class Rows(NamedTuple):
    """The arrays of a call, None where one is not given."""

    y_true: Any
    y_pred_or_score: Any
    sample_weight: Any
    groups: Any


class Judged(NamedTuple):
    """What is judged.

    Attributes
    ----------
    metrics : list
        Named metrics, or plain functions.
    sample : Sample
    parameters : mapping
        Those of the metrics: what belongs to the arrays is in the sample.
    groups : ndarray of int or None
        The group of each row.
    """

    metrics: Sequence[Any]
    sample: Sample
    parameters: Mapping[str, Any]
    groups: Codes | None = None


def judged(
    metrics: str | Iterable[str | Callable[..., Any]],
    rows: Rows,
    parameters: Mapping[str, Any],
    *,
    counts: Any,
    frequency: Any,
    layout: str | None = None,
) -> Judged:
    """Check what a call is given, and return what it judges."""
    if frequency is not None:
        rows = Rows(*repeated(frequency, counts, *rows))
    asked = list(metrics) if isinstance(metrics, (list, tuple)) else []
    plain = [each for each in asked if is_plain_function(each)]
    if plain and len(plain) < len(asked):
        raise ValueError("metrics mixes plain functions with metrics; ask for them in two calls.")
    if plain and counts is None:
        return _of_functions(plain, rows, parameters)
    wanted = named_metrics(metrics)
    if counts is not None:
        return Judged(wanted, _of_table(wanted, counts, rows, layout), parameters)
    if layout is not None:
        raise ValueError("layout is that of counts=, which are not given.")
    if is_chunked(rows.y_true):
        return Judged(wanted, _of_chunks(wanted, rows, parameters), parameters)
    return _of_rows(wanted, rows, parameters)


def _of_functions(
    functions: Sequence[Callable[..., Any]], rows: Rows, parameters: Mapping[str, Any]
) -> Judged:
    if rows.sample_weight is not None:
        raise ValueError("sample_weight needs a metric of this package, found a function.")
    sample = FunctionSample(rows.y_true, rows.y_pred_or_score)
    return Judged(functions, sample, parameters, _groups(rows))


def _of_rows(wanted: Sequence[NamedMetric], rows: Rows, parameters: Mapping[str, Any]) -> Judged:
    row, own = _one_kind(wanted), dict(parameters)
    sample = sample_of(
        row,
        rows.y_true,
        rows.y_pred_or_score,
        labels=own.get("labels"),
        sample_weight=rows.sample_weight,
        collapse=rows.groups is None,
        **{name: own.pop(name) for name in row.kind.inputs.beside if name in own},
    )
    return Judged(wanted, sample, own, _groups(rows))


def _groups(rows: Rows) -> Codes | None:
    if rows.groups is None:
        return None
    return groups_of_rows(rows.groups, rows.y_true, rows.sample_weight)


def _of_table(
    wanted: Sequence[NamedMetric], counts: Any, rows: Rows, layout: str | None
) -> LabelSample:
    """Return the sample that a table counts; nothing else of the rows can be given."""
    if any(array is not None for array in rows):
        raise ValueError(
            "counts stand for all rows; leave out y_true, y_pred_or_score, groups and sample_weight."
        )
    return sample_of_counts_given(_one_kind(wanted), counts, layout)


def sample_of_counts_given(row: Metric, counts: Any, layout: str | None = None) -> LabelSample:
    """Return the sample that a table of counts stands for."""
    if not row.kind.counted:
        raise ValueError(f"{row.name} judges scores, of which a table of counts tells nothing.")
    table = given_table(counts, layout).table
    if (table != np.floor(table)).any():
        raise ValueError("counts must be whole numbers: an interval needs the number of examples.")
    return sample_of_table(table, np.arange(len(table)))


def _of_chunks(wanted: Sequence[NamedMetric], rows: Rows, parameters: Mapping[str, Any]) -> Sample:
    if rows.groups is not None:
        raise ValueError("groups need rows in memory; of rows in chunks only counts are kept.")
    counts = streamed_counts(
        _one_kind(wanted),
        rows.y_true,
        rows.y_pred_or_score,
        Plan(),
        labels=parameters.get("labels"),
        sample_weight=rows.sample_weight,
    )
    return counts.sample


def _one_kind(wanted: Sequence[NamedMetric]) -> Metric:
    """Return a row that stands for what all metrics read: labels or scores."""
    kinds = {named.row.kind.inputs: named.row for named in wanted}
    if len(kinds) > 1:
        each = " and ".join(f"{row.name} judges {judged.name}" for judged, row in kinds.items())
        raise ValueError(f"{each}; ask for them in two calls.")
    return wanted[0].row


Question = tuple[Sample, dict[str, Any]]


def questions(sample: Sample, options: Mapping[str, Any]) -> list[Question]:
    """Return a sample and options for each class, in the order of the metric's values.

    None where one value is asked for, or where the sample has no classes to part.
    """
    if options.get("average", "binary") is not None:
        return []
    return sample.each_class(options)


def together(forms: Sequence[Forms]) -> Forms:
    """Return the intervals that every class has, each as arrays with an entry a class."""
    names = [name for name in forms[0] if all(name in own for own in forms)]
    return {name: partial(_joined, [own[name] for own in forms]) for name in names}


def _joined(forms: Sequence[Any]) -> Found:
    found = [form() for form in forms]
    low, high, error = (
        np.array(column) for column in zip(*(own[:3] for own in found), strict=True)
    )
    method, note = (
        "; ".join(dict.fromkeys(filter(None, texts)))
        for texts in zip(*(own[3:] for own in found), strict=True)
    )
    return Found(low, high, error, method, note)


_NO_GUARANTEE = (
    "the metric reads the lowest and the highest scores of the sample, so nothing vouches for the "
    "coverage of its bootstrap"
)

_SAMPLING_WEIGHTS = (
    "weights are sampling weights, which narrow no interval "
    "(frequency= of interval counts repetitions)"
)

_ONE_UNIT = "one row, or one group, shows no variation, so there is no interval"
_UNDEFINED = "undefined on the sample"
_NO_LIMITS = "the rows are too few, or too much alike, for limits by {}"
_NO_WIDTH = "the ends are equal, so there is no interval"
_BESIDE = "the estimate lies outside these limits, so there is no interval"
_ONE_SIDED = (
    "{:.3g} % of the resamples lie below the estimate: its bias is of the size of its standard error, "
    "and there is no interval"
)
_OPTIMISTIC = (
    "a greatest value over thresholds is biased upwards, so that coverage is not guaranteed (KS: 79 to "
    "94 % of nominal 95)"
)
# Below so many of a class the bootstrap of metrics of scores comes with a note
# (``python -m benchmarks.random_coverage``).
_FEW = 20
_FEW_DRAWN = f"below {_FEW} the bootstrap is often too narrow"
_NONE = "none"
_ROUNDING = 1e-12

# Rows beyond which "auto" leaves out BCa's correction, which falls with 1 / sqrt(n), and its jackknife.
_MOST_FOR_BCA = 50_000


@dataclass(frozen=True)
class Asked:
    """A metric with the options of its state, asked for on a sample."""

    key: str
    metric: Any
    options: Mapping[str, Any]
    sample: Sample
    sides: Sides
    groups: Codes | None = None
    label: str = ""

    @cached_property
    def estimate(self) -> Any:
        """The metric on the sample."""
        return self.metric.value(self.sample.state, **self.options)

    @cached_property
    def closed(self) -> Forms:
        """The intervals without resampling, the one that "auto" takes first."""
        if self._of_classes:
            return together([one.closed for one in self._of_classes])
        if isinstance(self.metric, PlainMetric):
            return {}
        asked = self.sample, self.metric, self.options
        if self.groups is not None or self.sample.weight is not None:
            return cluster_forms(*asked, self.groups, self.sides.two_sided)
        return forms(*asked, self.sides.two_sided)

    @cached_property
    def _of_classes(self) -> list[Asked]:
        """The same of each class by itself, which has the methods of one value."""
        if isinstance(self.metric, PlainMetric):
            return []
        parts = questions(self.sample, self.options)
        return [replace(self, sample=sample, options=options) for sample, options in parts]

    def method(self, wanted: str) -> str:
        """Return the method to use, or refuse one that the metric does not have."""
        if wanted in ALL_FORMS and (self.groups is not None or self.sample.weight is not None):
            clusters = "" if self.groups is None else f" or method={CLUSTER!r}"
            raise ValueError(
                f"method={wanted!r} takes every row as one independent example; with sample_weight or "
                f"groups use the bootstrap, method={' or '.join(map(repr, BOOTSTRAPS))}{clusters}."
            )
        closed = self.closed
        if self.sample.summed and (wanted in BOOTSTRAPS or not closed):
            raise ValueError(
                f"The interval of {self.metric.name} by the bootstrap draws rows with their weights, "
                f"and of rows in chunks only sums are kept; take method={CLUSTER!r} of a metric that "
                "has it, or pass arrays in memory."
            )
        if wanted == "auto":
            many = self.sample.n_rows > _MOST_FOR_BCA
            return next(iter(closed), "percentile" if many else "bca")
        return check_choice("method", wanted, ("auto", *closed, *BOOTSTRAPS))

    @cached_property
    def undefined(self) -> Any:
        """Whether the metric is 0/0 on the sample, or is for each class or part of an average."""
        if isinstance(self.metric, PlainMetric):
            return np.isnan(self.estimate)
        parameters, problem = self._problem
        value = partial(apply, self.metric, parameters=parameters)
        found = value(problem.record) if isinstance(problem, Problem) else problem.values(value)
        return np.isnan(found)

    @cached_property
    def _problem(self) -> Any:
        """The formula's own parameters, and what it is evaluated on."""
        select, parameters = self.metric.kind.select(self.metric, self.options, STRICT)
        own = {name: value for name, value in parameters.items() if name != "zero_division"}
        return own, select(self.sample.state)

    @property
    def _filled(self) -> Any:
        """What stands for an undefined part of an average; None where there is none."""
        if np.ndim(self.undefined) == np.ndim(self.estimate) or not self.undefined.any():
            return None
        given = self.options.get("zero_division", "warn")
        return self.metric.undefined if isinstance(given, str) else given

    @property
    def of_replicates(self) -> tuple[Any, Mapping[str, Any]]:
        """The metric with its options on resamples: a part undefined on the sample counts as there."""
        given = {} if self._filled is None else {"zero_division": self._filled}
        return self.metric, {**self.options, **given}

    @property
    def _why_undefined(self) -> str:
        """What of the metric is undefined on the sample, and why."""
        if isinstance(self.metric, PlainMetric) or not np.any(self.undefined):
            return ""
        parameters, problem = self._problem
        if isinstance(problem, Problem):
            return f"undefined on the sample ({self.metric.why(problem.record, parameters)})"
        parts, why = names_of(problem, self.undefined), self.metric.why(None, parameters)
        counted = "" if self._filled is None else f", where it counts as {self._filled:g}"
        return f"undefined ({why}) for {parts}{counted}"

    @property
    def units(self) -> int:
        """The number of independent rows, or groups."""
        if self.groups is not None:
            return int(self.groups.max()) + 1
        many = self.sample.multiplicity
        return self.sample.n_rows if many is None else int(many.sum())

    def result(self, method: str, found: Found, n_resamples: int = 0) -> Interval:
        """Return the public record."""
        low, high = self.sides.ends(found.low, found.high, self.metric.bounds)
        estimate = np.asarray(self.estimate)
        with np.errstate(invalid="ignore"):  # infinite ends
            widths, beside = high - low, np.maximum(low - estimate, estimate - high)
        refused = {
            "": np.isnan(estimate),
            _NO_WIDTH: (np.abs(widths) <= _ROUNDING) | ((low == high) & np.isinf(low)),
            _BESIDE: beside > _ROUNDING * np.maximum(1, np.abs(estimate)),
        }
        for which in refused.values():
            low, high = np.where(which, np.nan, low), np.where(which, np.nan, high)
        reasons = [why for why, which in refused.items() if which.any()]
        reasons = [self._why_undefined, found.note, *reasons]
        if np.isnan(low).any() and not any(reasons):
            few = _ONE_UNIT if self.units < 2 else _NO_LIMITS.format(method)
            reasons.append(_UNDEFINED if np.isnan(estimate).any() else few)
        weights = "" if self.sample.weight is None else _SAMPLING_WEIGHTS
        notes = (*reasons, note_of_clusters(self.groups, method), weights)
        return Interval(
            self.key,
            plain(self.estimate),
            plain(low),
            plain(high),
            plain(found.error),
            self.sides.confidence_level,
            found.method or method,
            n_resamples,
            "; ".join(filter(None, notes)),
            classes=self._classes,
            label=self.label,
        )

    @property
    def _classes(self) -> Any:
        """What each of several values is about."""
        if not np.ndim(self.estimate):
            return None
        return getattr(self._problem[1], "names", None)

    def notes(self, drawn: Resampling) -> list[str]:
        """Return what to know of the metric's bootstrap."""
        few = _few_of_a_class(self.sample, drawn)
        if isinstance(self.metric, PlainMetric):
            return [few]
        ends = self.options.get("rescale") == "minmax" or reads_the_ends(
            self.metric, own_parameters(self.metric, self.options)
        )
        best = self.metric.over_thresholds == "best"
        optimistic = _OPTIMISTIC if best else self.metric.interval_note
        return [_NO_GUARANTEE if ends else "", optimistic, few]


def _few_of_a_class(sample: Sample, drawn: Resampling) -> str:
    """Return a note where some class has few rows, or few groups."""
    if sample.strata is None:
        return ""
    units = np.arange(sample.n_rows) if drawn.groups is None else drawn.groups
    many = np.ones(sample.n_rows) if sample.multiplicity is None else sample.multiplicity
    held = np.unique(np.column_stack([sample.strata, units]), axis=0, return_index=True)[1]
    least = int(np.bincount(sample.strata[held], many[held])[np.unique(sample.strata)].min())
    noun = "rows" if drawn.groups is None else "groups"
    return f"{least} {noun} of a class: {_FEW_DRAWN}" if least < _FEW else ""


def answers(
    asked: Sequence[Asked],
    wanted: str,
    drawn: Resampling,
    n_resamples: int,
    seed: int,
) -> dict[str, Interval]:
    """Answer without resampling where the method needs none, the others from the same resamples."""
    methods = {each.key: each.method(wanted) for each in asked}
    results, left = {}, []
    for each in asked:
        method = methods[each.key]
        if method not in BOOTSTRAPS:
            results[each.key] = each.result(method, each.closed[method]())
        elif each.units < 2 or each.metric.no_interval:
            note = _ONE_UNIT if each.units < 2 else each.metric.no_interval
            results[each.key] = each.result(_NONE, Found.nothing(note, np.shape(each.estimate)))
        else:
            left.append(each)
    if left:
        found = _bootstrapped(left, methods, drawn, n_resamples, generator(seed))
        results |= {name: replace(one, random_state=seed) for name, one in found.items()}
    return {name: results[name] for name in methods}


def _bootstrapped(
    asked: Sequence[Asked],
    methods: Mapping[str, str],
    drawn: Resampling,
    n_resamples: int,
    rng: Any,
) -> dict[str, Interval]:
    """Answer from replicates of all metrics on the same resamples."""
    sample, formulas = asked[0].sample, [each.of_replicates for each in asked]
    values = replicates(sample, formulas, drawn, n_resamples, rng)
    bends = [np.zeros(v.shape[1:]) for v in values]
    if "bca" in methods.values():
        bends = acceleration(sample, formulas, drawn, n_resamples, rng)
    return {
        each.key: _from_replicates(each, methods[each.key], v, bend, drawn)
        for each, v, bend in zip(asked, values, bends, strict=True)
    }


def _from_replicates(
    each: Asked, method: str, values: Floats, bend: Floats, drawn: Resampling
) -> Interval:
    defined, estimate = (~np.isnan(values)).sum(axis=0), np.asarray(each.estimate)
    fails = (defined < 2) | np.isnan(estimate)
    values = np.where(fails, 0.0, values)
    with np.errstate(invalid="ignore"):  # infinite ratios have no standard deviation
        error = np.nanstd(values, axis=0, ddof=1)
        alike = ~fails & ~(np.nanmax(values, axis=0) > np.nanmin(values, axis=0) + _ROUNDING)
    low, high = BOOTSTRAPS[method](values, estimate, bend, each.sides.two_sided)
    below = share_below(values, estimate)
    beside = ~fails & ~alike & ~((low <= estimate) & (estimate <= high))
    low, high, error = (np.where(fails | beside, np.nan, x) for x in (low, high, error))
    found, notes = Found(low, high, error), each.notes(drawn)
    if alike.any():
        found = all_alike(
            each.sample, each.metric, each.options, drawn, each.sides.two_sided, found
        )
    if beside.any():
        worst = float(below[beside].ravel()[np.argmax(np.abs(below[beside] - 0.5))])
        notes.append(_ONE_SIDED.format(100 * worst))
    missing = len(values) - int(defined.min())
    if missing:
        notes.append(f"undefined on {missing} of {len(values)} resamples")
    note = "; ".join(filter(None, [found.note, *notes]))
    return each.result(method, found._replace(note=note), int(defined.min()))
