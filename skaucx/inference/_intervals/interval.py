"""Intervals of any metric: the request, its sample, closed forms or resamples, and the result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..._arrays import (
    Codes,
    Floats,
    RandomState,
    Rows,
    by_name,
    check_rows,
    check_same_length,
    group_codes,
    host_array,
    take_rows,
    weight_vector,
    without_zero_weights,
)
from ..._compat import warn
from ..._options import (
    Confidence,
    check_choice,
    check_flag,
    check_whole,
)
from ..._text.numbers import fixed
from ..._text.plain import paragraph
from ..._text.tables import Table, Tabular
from ...metrics._kinds import known_inputs
from ...metrics._kinds.base import PRED, SCORE, Sample
from ...metrics._kinds.labels import LabelSample, sample_of_table
from ...metrics._records.counts import Counts, given_table
from ...metrics._registry.declare import (
    missing_options,
    options_of_state,
    plain,
    share,
)
from ...metrics._registry.names import (
    NamedMetric,
    check_called_with_arrays,
    is_plain_function,
    is_set,
    members_of,
    named_metric,
    named_metrics,
    names_sets,
    requested_entries,
)
from ...metrics._registry.plain_functions import FunctionSample, PlainMetric
from ...metrics._registry.resampling import (
    Resampling,
    generator,
    seed_of,
)
from ...metrics._registry.row import Metric, names_of, quiet
from ...metrics._registry.samples import MetricOnSample, reads_the_ends, sample_of
from .bootstrap import (
    BOOTSTRAPS,
    acceleration,
    bend_of,
    of_replicates,
    replicates,
    share_below,
    values_under,
)
from .closed_forms import ALL_FORMS, all_alike, analytic_intervals
from .clusters import cluster_forms, note_of_groups
from .limits import Forms, IntervalEstimate
from .means import CLUSTER, of_labels


@dataclass(frozen=True, eq=False, repr=False)
class Interval(Tabular):
    """A confidence interval for the value of a metric in the population.

    Attributes
    ----------
    metric : str
    estimate : float or ndarray of shape (n_classes,), float64
        The metric on the sample.
    low, high : float or ndarray of shape (n_classes,), float64
        The limits; nan if there is no interval.
    standard_error : float or ndarray of shape (n_classes,), float64
        Standard error of the estimate; nan if the method has none.
    confidence_level : float
        The nominal confidence level.
    method : str
        The method used.
    n_resamples : int
        Number of bootstrap resamples on which the metric was defined; 0 without resampling.
    note : str
        A caution about the interval, or "".
    target : str
        The target of the interval.
    classes : ndarray of shape (n_classes,) or None
        The class, label or pair of each entry, if there are several.
    random_state : int or None
        Seed that reproduces the resamples, given or drawn; None without resampling.
    label : str
        The metric with the parameters that its value depends on, such as ``fbeta(beta=2)``.

    Notes
    -----
    It unpacks into its limits: ``low, high = interval(...)``.
    """

    metric: str
    estimate: Any
    low: Any
    high: Any
    standard_error: Any
    confidence_level: float
    method: str
    n_resamples: int = 0
    note: str = ""
    target: str = "the population, by these predictions"
    classes: Any = None
    random_state: int | None = None
    label: str = ""

    _index = "metric"

    def __iter__(self) -> Iterator[Any]:
        return iter((self.low, self.high))

    def __contains__(self, value: float) -> bool:
        """Whether a value is between the limits, or in the interval of every class."""
        return bool(np.all((self.low <= value) & (value <= self.high)))

    @property
    def drawn(self) -> str:
        """The number of resamples and the seed."""
        seed = "" if self.random_state is None else f", seed {self.random_state}"
        return f"{self.n_resamples} resamples{seed}"

    def __repr__(self) -> str:
        resamples = f", {self.drawn}" if self.n_resamples else ""
        share = f"{100 * self.confidence_level:g} %"
        how = f"{self.method}{resamples}"
        lines = [
            f"{self.label or self.metric}{''.join(f' of {each}' for each in name)} {fixed(value)} "
            + (
                f"(no {share} interval; {how})"
                if np.isnan([low, high]).all()
                else f"({share}: {fixed(low)} to {fixed(high)}; {how})"
            )
            for *name, value, low, high in self._rows
        ]
        notes = [paragraph(f"Note: {self.note}", hang=2)] if self.note else []
        return "\n".join([*(paragraph(line, hang=2) for line in lines), *notes])

    @property
    def _rows(self) -> Iterator[tuple[Any, ...]]:
        """The class, if there are several, the estimate, and the limits of each."""
        names = [] if self.classes is None else [[str(name) for name in self.classes]]
        values = (self.estimate, self.low, self.high)
        return zip(*names, *(np.atleast_1d(x).tolist() for x in values), strict=True)

    def _table(self) -> Table:
        names = ("estimate", "low", "high", "standard_error")
        numbers = {name: np.atleast_1d(getattr(self, name)) for name in names}
        shared = ("metric", "confidence_level", "method", "n_resamples", "random_state")
        rows = len(numbers["estimate"])
        return Table.of_columns(
            ({} if self.classes is None else {"class": self.classes})
            | numbers
            | {name: [getattr(self, name)] * rows for name in shared},
            f"{self.label or self.metric}, {100 * self.confidence_level:g} % interval ({self.method})",
            notes=[self.note] if self.note else [],
            formats={"class": str},
            hidden=("standard_error", *shared),
        )


def noted(found: Any, note: str) -> Any:
    """Return a result with an additional note, if any."""
    return replace(found, note="; ".join(filter(None, [found.note, note]))) if note else found


def groups_of_rows(groups: Any, y_true: Any, sample_weight: Any = None) -> Codes | None:
    """Number the groups of the rows with positive weight, if any."""
    if groups is None:
        return None
    codes = group_codes(groups, {"y_true": host_array(y_true)})
    kept, _ = without_zero_weights(weight_vector(sample_weight), codes)
    return np.unique(kept, return_inverse=True)[1].astype(np.intp)


def repeated(frequency: Any, counts: Any, rows: CallArrays) -> Codes:
    """Return every row as often as its frequency."""
    if counts is not None:
        raise ValueError("frequency counts rows; omit it, or counts.")
    many = np.asarray(frequency)
    if many.ndim != 1 or many.dtype.kind not in "iuf" or (many < 0).any() or (many % 1).any():
        raise ValueError(
            f"frequency must be a vector of whole numbers >= 0, found {frequency!r}; pass other "
            f"weights as sample_weight."
        )
    arrays = {name: each for name, each in rows._asdict().items() if each is not None}
    check_same_length({"frequency": many, **arrays})
    return np.repeat(np.arange(len(many)), many.astype(np.intp))


class CallArrays(NamedTuple):
    """The arrays of a call; None for missing ones."""

    y_true: Any
    y_pred_or_score: Any
    sample_weight: Any
    groups: Any

    def check(self, metric: Metric) -> None:
        """Raise an error for arrays of different lengths; kinds with other targets check theirs."""
        if metric.kind.inputs.of_classes:
            check_rows(self._asdict())

    def subset(self, rows: Codes) -> CallArrays:
        """Return some of the rows."""
        arrays = (None if each is None else np.asarray(each)[rows] for each in self)
        return CallArrays(*arrays)


def interval_input(
    metrics: str | Iterable[str | Callable[..., Any]],
    rows: CallArrays,
    parameters: Mapping[str, Any],
    *,
    counts: Any,
    frequency: Any,
) -> tuple[Sequence[Any], Sample, Mapping[str, Any], Codes | None]:
    """Return the metrics, or plain functions, their sample, its parameters left, and the groups."""
    named = by_name(rows.y_pred_or_score, rows.y_true, "y_pred_or_score", parameters.get("labels"))
    rows = rows._replace(y_pred_or_score=named)
    each_row = None if frequency is None else repeated(frequency, counts, rows)
    requested = list(metrics) if isinstance(metrics, (list, tuple)) else []
    plain = [each for each in requested if is_plain_function(each)]
    if plain and len(plain) < len(requested):
        raise ValueError("metrics mixes plain functions with metrics; use two calls.")
    if plain and counts is None:
        for each in plain:
            check_called_with_arrays(each)
        if rows.sample_weight is not None:
            raise ValueError("sample_weight needs a metric of this package, found a function.")
        return _functions(plain, rows, parameters, each_row)
    if each_row is not None:
        further = {name for inputs in known_inputs() for name in inputs.extra_arrays} & set(
            parameters
        )
        own_arrays = {name: parameters[name] for name in further}
        check_same_length({"frequency": frequency, **own_arrays})
        own_arrays = {name: take_rows(array, each_row) for name, array in own_arrays.items()}
        rows, parameters = rows.subset(each_row), {**parameters, **own_arrays}
    sets = names_sets(metrics)
    wanted = _readable(metrics, rows, parameters) if sets else named_metrics(metrics)
    row, own = _one_kind(wanted), dict(parameters)
    if counts is not None:
        if any(array is not None for array in rows):
            raise ValueError(
                "counts represent all rows; omit y_true, y_pred_or_score, groups and sample_weight."
            )
        return wanted, sample_of_counts_given(row, counts), own, None
    arrays = rows.y_true, rows.y_pred_or_score
    shared = {"labels": own.get("labels"), "sample_weight": rows.sample_weight}
    shared |= {name: own.pop(name) for name in row.kind.inputs.extra_arrays if name in own}
    rows.check(row)
    sample = sample_of(row, *arrays, collapse=rows.groups is None, **shared)
    return wanted, sample, own, groups_of_rows(rows.groups, rows.y_true, rows.sample_weight)


def _functions(
    functions: list[Any], rows: CallArrays, parameters: Mapping[str, Any], each_row: Codes | None
) -> tuple[Sequence[Any], Sample, Mapping[str, Any], Codes | None]:
    """Return plain functions with their own arrays, and the sample that they are evaluated on."""
    bound = [PlainMetric.of(each, parameters, rows.y_true) for each in functions]
    if each_row is not None:
        rows, bound = rows.subset(each_row), [each.subset(each_row) for each in bound]
    sample = FunctionSample(rows.y_true, rows.y_pred_or_score)
    return bound, sample, {}, groups_of_rows(rows.groups, rows.y_true)


def _readable(metrics: Any, rows: CallArrays, parameters: Mapping[str, Any]) -> list[NamedMetric]:
    """Return the metrics; of sets, those that read the one array given, with a warning of the others."""
    entries = [entry for _, entry in requested_entries(metrics)]
    single = [named_metric(entry) for entry in entries if not is_set(entry)]
    given = np.asarray(rows.y_pred_or_score)
    labels = rows.y_pred_or_score is None or given.dtype.kind != "f"
    if not labels and given.ndim == 1:
        labels = set(np.unique(given).tolist()) <= set(np.asarray(rows.y_true).tolist())
    inputs = next(each for each in known_inputs() if each.argument == (PRED if labels else SCORE))
    state = None
    if rows.y_pred_or_score is not None:
        state = inputs.state(
            rows.y_true, given, names=("y_true", inputs.argument), labels=parameters.get("labels")
        )
    found, left = {named.key: named for named in single}, []
    for named in (named for entry in entries if is_set(entry) for named in members_of(entry)):
        row = named.row
        if named.key in found or row.kind.inputs.extra_arrays or not row.kind.inputs.of_classes:
            continue
        if row.kind.inputs is not inputs or (state is not None and not state.accepts(row.kind)):
            left.append(named.key)
        elif not named.complete(parameters):
            left.append(f"{named.key} ({', '.join(missing_options(named.function, parameters))}=)")
        else:
            found[named.key] = named
    if left:
        warn(
            f"No interval of {', '.join(left)}: not computed from {inputs.name} and the parameters "
            "given. evaluate(y_true, y_pred, y_score, metrics, intervals=True) reads labels and scores."
        )
    if not found:
        raise ValueError(f"None of the metrics of {metrics!r} is computed from {inputs.name}.")
    return list(found.values())


def sample_of_counts_given(row: Metric, counts: Any) -> LabelSample:
    """Return the sample of a table of counts."""
    if not row.kind.counted:
        raise ValueError(f"{row.name} needs scores, which a table of counts does not contain.")
    table = given_table(counts).table
    if (table != np.floor(table)).any():
        raise ValueError("counts must be whole numbers: an interval needs the number of examples.")
    return sample_of_table(table, np.arange(len(table)))


def _one_kind(wanted: Sequence[NamedMetric]) -> Metric:
    """Return the common input of all metrics: labels or scores."""
    kinds = {named.row.kind.inputs: named.row for named in wanted}
    if len(kinds) > 1:
        each = " and ".join(f"{row.name} reads {inputs.name}" for inputs, row in kinds.items())
        raise ValueError(
            f"{each}; use two calls, or evaluate(y_true, y_pred, y_score, metrics, intervals=True)."
        )
    return wanted[0].row


def together(forms: Sequence[Forms]) -> Forms:
    """Return the intervals as arrays with one entry per class."""
    names = [name for name in forms[0] if all(name in own for own in forms)]
    return {name: partial(_joined, [own[name] for own in forms]) for name in names}


def _joined(forms: Sequence[Any], confidence_level: float) -> IntervalEstimate:
    found = [form(confidence_level) for form in forms]
    low, high, error = (
        np.array(column) for column in zip(*(own[:3] for own in found), strict=True)
    )
    method, note = (
        "; ".join(dict.fromkeys(filter(None, texts)))
        for texts in zip(*(own[3:] for own in found), strict=True)
    )
    return IntervalEstimate(low, high, error, method, note)


_NO_GUARANTEE = (
    "the metric depends on the lowest and the highest scores of the sample, so the coverage of "
    "its bootstrap is not guaranteed"
)

_SAMPLING_WEIGHTS = (
    "weights are sampling weights, which do not narrow the interval (use frequency= for "
    "repetitions)"
)

_ONE_UNIT = "one row, or one group, has no variation, so there is no interval"
_UNDEFINED = "undefined on the sample"
_NO_LIMITS = "the rows are too few, or too similar, for limits by {}"
_NO_WIDTH = "the limits are equal, so there is no interval"
_BESIDE = "the estimate is outside these limits, so there is no interval"
_ONE_SIDED = (
    "{:.3g} % of the resamples are below the estimate: its bias is as large as its standard "
    "error, and there is no interval"
)
_OPTIMISTIC = "a maximum over thresholds is biased upwards, so coverage is not guaranteed"
# With fewer examples of a class the bootstrap of metrics of scores carries a note
# (``python -m benchmarks.random_coverage``).
_FEW = 20
_FEW_DRAWN = f"below {_FEW} the bootstrap is often too narrow"
# Of weighted rows (``python -m benchmarks.weight_coverage``).
_FEW_EFFECTIVE = 50
_NONE = "none"
_ROUNDING = 1e-12

# Number of rows above which "auto" omits the BCa correction, which is O(1 / sqrt(n)), and its
# jackknife.
_MOST_FOR_BCA = 50_000


@dataclass(frozen=True, eq=False)
class Request(MetricOnSample):
    """The interval of a metric on a sample."""

    key: str
    sides: Confidence
    groups: Codes | None = None
    label: str = ""

    def __post_init__(self) -> None:
        row = self.metric
        if "normalize" in self.options:
            vars(self)["metric"] = row.under(self.options)
        elif getattr(row, "bounds_under", None) and "objective" not in self.options:
            on = self.record.n_columns, self.record.greatest_error
            vars(self)["metric"] = row.under(self.options, *on)

    @cached_property
    def estimate(self) -> Any:
        """The metric on the sample."""
        return self.filled()

    @cached_property
    def undefined(self) -> Any:
        """Whether the metric, or each class or part of an average, is 0/0 on the sample."""
        return np.isnan(self.values)

    @cached_property
    def closed(self) -> Forms:
        """The intervals without resampling, the one of "auto" first."""
        if self._of_classes:
            return together([one.closed for one in self._of_classes])
        if self.groups is not None or self.sample.weight is not None:
            return cluster_forms(self, self.groups)
        return analytic_intervals(self)

    @cached_property
    def _of_classes(self) -> list[Request]:
        """The same of each class by itself, in the order of the values; none of one value."""
        if self.options.get("average", "binary") is not None:
            return []
        parts = self.sample.each_class(self.options)
        return [replace(self, sample=sample, options=options) for sample, options in parts]

    def at(self, sides: Confidence) -> Request:
        """Return the request at another confidence, with what is found of it so far."""
        if sides == self.sides:
            return self
        found = copy(self)
        vars(found)["sides"] = sides
        return found

    def method(self, wanted: str, drawn: Resampling) -> str:
        """Return the method to use; raise an error for one that the metric does not have."""
        if wanted in ALL_FORMS and (self.groups is not None or self.sample.weight is not None):
            clusters = "" if self.groups is None else f" or method={CLUSTER!r}"
            raise ValueError(
                f"method={wanted!r} requires independent rows; with sample_weight or groups use "
                f"the bootstrap, method='bca' or 'percentile'{clusters}."
            )
        closed = self.closed
        if wanted == "auto":
            rows = self.sample.n_rows
            if closed and rows >= getattr(self.metric, "influence_from", 0) and self._open(drawn):
                return next(iter(closed))
            return "bca" if rows <= _MOST_FOR_BCA else "percentile"
        return check_choice("method", wanted, ("auto", *closed, *BOOTSTRAPS))

    def _open(self, drawn: Resampling) -> bool:
        """Whether the variance of closed forms, of random class sizes, is that of the design.

        It is where classes are not fixed, or where their sizes do not change the metric: recall, but
        not precision.
        """
        if drawn.strata is None or self._of_classes:
            return drawn.strata is None
        reading = of_replicates(self.metric, self.options)
        [twice] = values_under(
            self.sample, [reading], (1.0 + drawn.strata[None]).astype(np.float64)
        )
        return bool(np.allclose(twice, self.values, rtol=1e-9, atol=1e-12, equal_nan=True))

    @property
    def _filled(self) -> Any:
        """The value that replaces an undefined part of an average, or None."""
        if np.ndim(self.undefined) == np.ndim(self.estimate) or not self.undefined.any():
            return None
        given = self.options.get("zero_division", "warn")
        return self.metric.undefined if isinstance(given, str) else given

    @property
    def resampled(self) -> Any:
        """The metric as it is read from resamples: a part undefined on the sample counts as there."""
        given = {} if self._filled is None else {"zero_division": self._filled}
        return of_replicates(self.metric, {**self.options, **given})

    @property
    def _why_undefined(self) -> str:
        """Which part of the metric is undefined on the sample, and why."""
        if not np.any(self.undefined):
            return ""
        if self.problem.names is None:
            return f"undefined on the sample ({self.metric.why(self.record, self.parameters)})"
        parts = names_of(self.problem, self.undefined)
        why = self.metric.why(None, self.parameters)
        counted = "" if self._filled is None else f", where it counts as {self._filled:g}"
        return f"undefined ({why}) for {parts}{counted}"

    @property
    def units(self) -> int:
        """The number of independent rows, or groups."""
        if self.groups is not None:
            return int(self.groups.max()) + 1
        many = self.sample.multiplicity
        return self.sample.n_rows if many is None else int(many.sum())

    def result(self, method: str, found: IntervalEstimate, n_resamples: int = 0) -> Interval:
        """Return the public record."""
        low, high = self.sides.ends(found.low, found.high, self.metric.bounds)
        estimate = np.asarray(self.estimate)
        with np.errstate(invalid="ignore"):  # infinite limits
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
        few_groups = "" if self.groups is None else note_of_groups(self.units, method)
        notes = (*reasons, few_groups, self.note_of_weights)
        return Interval(
            self.key,
            plain(self.estimate),
            plain(low),
            plain(high),
            plain(found.error),
            self.sides.level,
            found.method or method,
            n_resamples,
            "; ".join(filter(None, notes)),
            classes=getattr(self.problem, "names", None) if np.ndim(estimate) else None,
            label=self.label,
        )

    @cached_property
    def note_of_weights(self) -> str:
        """What weights do to an interval, and how many equal weights estimate a mean as well."""
        weights = self.sample.weights
        if weights is None:
            return ""
        parts = [_SAMPLING_WEIGHTS]
        if weights.uneven:
            parts.append(f"effective size {weights.effective:.0f} of {weights.rows:.0f} rows")
            if weights.effective < _FEW_EFFECTIVE:
                parts.append(f"below {_FEW_EFFECTIVE} coverage is not guaranteed")
        return "; ".join(parts)

    def notes(self, drawn: Resampling) -> list[str]:
        """Return the notes on the metric's bootstrap."""
        return [*self.cautions, _few_of_a_class(self.sample, drawn)]

    @property
    def cautions(self) -> list[str]:
        """Cautions about the variance of the metric, which hold for every method."""
        ends = self.options.get("rescale") == "minmax"
        ends = ends or reads_the_ends(self.metric, self.parameters)
        best = self.metric.over_thresholds == "best"
        optimistic = self.metric.interval_note or (_OPTIMISTIC if best else "")
        return [_NO_GUARANTEE if ends else "", optimistic]


class PlainRequest(Request):
    """The interval of a function of which nothing else is known: that of the bootstrap."""

    closed: Any = {}  # noqa: RUF012
    undefined: Any = False
    problem: Any = None
    cautions: Any = ()

    def filled(self) -> Any:
        """Return the value of the function."""
        return self.metric.value(self.sample.state)

    @property
    def resampled(self) -> Any:
        """The function itself."""
        return self.metric


def _few_of_a_class(sample: Sample, drawn: Resampling) -> str:
    """Return a note if some class has few rows, or few groups."""
    if sample.strata is None:
        return ""
    units = np.arange(sample.n_rows) if drawn.groups is None else drawn.groups
    many = np.ones(sample.n_rows) if sample.multiplicity is None else sample.multiplicity
    held = np.unique(np.column_stack([sample.strata, units]), axis=0, return_index=True)[1]
    least = int(np.bincount(sample.strata[held], many[held])[np.unique(sample.strata)].min())
    noun = "rows" if drawn.groups is None else "groups"
    return f"{least} {noun} of a class: {_FEW_DRAWN}" if least < _FEW else ""


def answers(
    requested: Sequence[Request],
    wanted: str,
    drawn: Resampling,
    n_resamples: int,
    seed: int,
    levels: Sequence[Confidence],
) -> list[dict[str, Interval]]:
    """Compute closed forms, and the other intervals from shared resamples, at each of the levels."""
    methods = {each.key: each.method(wanted, drawn) for each in requested}
    made: dict[str, Callable[[Request], Interval]] = {}
    left = []
    for each in requested:
        method = methods[each.key]
        if method not in BOOTSTRAPS:
            made[each.key] = partial(_from_closed_form, method=method)
        elif each.units < 2 or each.metric.no_interval:
            made[each.key] = _without_limits
        else:
            left.append(each)
    if left:
        rng = generator(seed)
        readings = [each.resampled for each in left]
        values = replicates(left[0].sample, readings, drawn, n_resamples, rng)
        bends = [np.zeros(v.shape[1:]) for v in values]
        if "bca" in methods.values():
            bends = _accelerations(left, drawn, n_resamples, rng)
        for each, v, bend in zip(left, values, bends, strict=True):
            made[each.key] = partial(
                _from_replicates,
                method=methods[each.key],
                values=v,
                bend=bend,
                drawn=drawn,
                seed=seed,
            )
    return [{each.key: made[each.key](each.at(sides)) for each in requested} for sides in levels]


def _from_closed_form(each: Request, method: str) -> Interval:
    found = each.closed[method](each.sides.two_sided)
    note = "; ".join(filter(None, [found.note, each.metric.interval_note]))
    return each.result(method, found._replace(note=note))


def _without_limits(each: Request) -> Interval:
    note = _ONE_UNIT if each.units < 2 else each.metric.no_interval
    return each.result(_NONE, IntervalEstimate.nothing(note, np.shape(each.estimate)))


def _accelerations(
    requested: list[Request], drawn: Resampling, n_resamples: int, rng: np.random.Generator
) -> list[Floats]:
    """Return the accelerations of metrics; of counts from derivatives, else by the jackknife.

    Derivatives give a function of a metric, such as 1 / x, the acceleration of the metric itself.
    """
    smooth = [each for each in requested if each.sample.counted and not np.ndim(each.estimate)]
    found = {each.key: bend_of(of_labels(each), drawn) for each in smooth}
    if rest := [each for each in requested if each.key not in found]:
        readings = [each.resampled for each in rest]
        bends = acceleration(rest[0].sample, readings, drawn, n_resamples, rng)
        found |= {each.key: bend for each, bend in zip(rest, bends, strict=True)}
    return [found[each.key] for each in requested]


def _from_replicates(
    each: Request, method: str, values: Floats, bend: Floats, drawn: Resampling, seed: int
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
    found, notes = IntervalEstimate(low, high, error), each.notes(drawn)
    if alike.any():
        found = all_alike(each, drawn, each.sides.two_sided, found)
    if beside.any():
        worst = float(below[beside].ravel()[np.argmax(np.abs(below[beside] - 0.5))])
        notes.append(_ONE_SIDED.format(100 * worst))
    missing = len(values) - int(defined.min())
    if missing:
        notes.append(f"undefined on {missing} of {len(values)} resamples")
    note = "; ".join(filter(None, [found.note, *notes]))
    result = each.result(method, found._replace(note=note), int(defined.min()))
    return replace(result, random_state=seed)


def interval(
    metric: str | Callable[..., Any],
    y_true: Rows | None = None,
    y_pred_or_score: Rows | None = None,
    *,
    counts: Counts | ArrayLike | None = None,
    method: str = "auto",
    confidence_level: float | Confidence = 0.95,
    sample_weight: Rows | None = None,
    frequency: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_resamples: int = 2000,
    stratify: bool = False,
    random_state: RandomState = None,
    **parameters: Any,
) -> Interval:
    """Return a confidence interval for the value of a metric in the population.

    Parameters
    ----------
    metric : str or callable
        Name ("f1_macro"), function or scorer, or any ``metric(y_true, y_pred)``.
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        True class labels, or multilabel indicators.
    y_pred_or_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Predicted labels, scores or probabilities, as the metric requires.
    counts : Counts or array-like of shape (n_classes, n_classes), default=None
        Instead of both arrays: the table, ``[[tn, fp], [fn, tp]]`` of two.
    method : str, default="auto"
        A closed form where one applies, else "bca"; the guide lists the methods.
    confidence_level : float or Confidence, default=0.95
        In (0, 1); one-sided by ``Confidence(0.95, alternative="greater")``.
    sample_weight, frequency : array-like of shape (n_samples,), default=None
        Sampling weights >= 0; numbers of equal examples that rows stand for.
    groups : array-like of shape (n_samples,), default=None
        Clusters, such as patients.
    n_resamples, stratify, random_state : default=2000, False and None
        Resamples; whether the design fixes the class sizes; the seed.
    **parameters
        The metric's own arguments; arrays of a callable follow the rows.

    Returns
    -------
    Interval
        It prints; ``low``, ``high``, ``estimate``, ``method``, ``note``.

    Raises
    ------
    ValueError, TypeError
        If an argument is invalid, or the metric does not have the method.

    Examples
    --------
    >>> from skaucx import interval
    >>> interval("accuracy", [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1, 1])
    accuracy 0.8750 (95 %: 0.5291 to 0.9776; wilson)
    """
    found = intervals(
        [metric], y_true, y_pred_or_score, counts=counts, method=method,
        confidence_level=confidence_level, sample_weight=sample_weight, frequency=frequency,
        groups=groups, n_resamples=n_resamples, stratify=stratify, random_state=random_state,
        **parameters,
    )  # fmt: skip
    return next(iter(found.values()))


def intervals(
    metrics: Iterable[str | Callable[..., Any]],
    y_true: Rows | None = None,
    y_pred_or_score: Rows | None = None,
    *,
    counts: Counts | ArrayLike | None = None,
    method: str = "auto",
    confidence_level: float | Confidence = 0.95,
    sample_weight: Rows | None = None,
    frequency: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_resamples: int = 2000,
    stratify: bool = False,
    random_state: RandomState = None,
    **parameters: Any,
) -> dict[str, Interval]:
    """Return the intervals of several metrics; bootstrap intervals share the resamples.

    Parameters
    ----------
    metrics : str, list, dict or one-pass scorer
        Metrics, each as for :func:`interval`, either all of predicted labels or all of scores. Of a
        set of :func:`list_sets`, such as "clinical", those that the array and the parameters allow;
        a warning names the others, and :func:`evaluate` with ``intervals=True`` reads both arrays.
    y_true, y_pred_or_score, counts, method, confidence_level, sample_weight, frequency
        As for :func:`interval`.
    groups, n_resamples, stratify, random_state
        As for :func:`interval`.
    **parameters
        Passed to every metric that accepts them.

    Returns
    -------
    dict of str to Interval

    Raises
    ------
    ValueError, TypeError
        The errors of :func:`interval`; metrics of labels mixed with metrics of scores.

    Examples
    --------
    >>> from skaucx.inference import intervals
    >>> found = intervals(["recall", "mcc"], [0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 0, 1, 1, 1])
    >>> found["recall"]
    recall 0.7500 (95 %: 0.3006 to 0.9544; wilson)
    >>> found["matthews_corrcoef"].method
    'logit'
    """
    sides, note = _of_one(confidence_level), "" if counts is None else given_table(counts).note
    rows = CallArrays(y_true, y_pred_or_score, sample_weight, groups)
    wanted, sample, own, codes = interval_input(
        metrics, rows, parameters, counts=counts, frequency=frequency
    )
    found = intervals_of_sample(
        wanted, sample, own, groups=codes, method=method, confidence_level=sides,
        n_resamples=n_resamples, stratify=stratify, random_state=random_state,
    )  # fmt: skip
    return {key: noted(each, note) for key, each in found.items()}


def _of_one(given: float | Confidence) -> Confidence:
    """Return the confidence of intervals of which each holds by itself."""
    confidence = Confidence.of(given)
    if confidence.simultaneous:
        raise ValueError(
            "simultaneous=True is about intervals of groups; pass it to evaluate with by= and "
            "intervals=True."
        )
    return confidence


def intervals_of_sample(
    metrics: Sequence[Any],
    sample: Sample,
    parameters: Mapping[str, Any],
    *,
    confidence_level: float | Confidence = 0.95,
    **options: Any,
) -> dict[str, Interval]:
    """Return the intervals of metrics on a sample, with the options of :func:`intervals_at`."""
    [found] = intervals_at([confidence_level], metrics, sample, parameters, **options)
    return found


def intervals_at(
    confidence_levels: Sequence[float | Confidence],
    metrics: Sequence[Any],
    sample: Sample,
    parameters: Mapping[str, Any],
    *,
    method: str = "auto",
    groups: Codes | None = None,
    n_resamples: int = 2000,
    stratify: bool = False,
    random_state: Any = None,
) -> list[dict[str, Interval]]:
    """Return the intervals of metrics on a sample at several levels, from the same resamples."""
    levels = [Confidence.of(level) for level in confidence_levels]
    size, stratify = check_whole("n_resamples", n_resamples, 2), check_flag("stratify", stratify)
    if isinstance(sample, FunctionSample):
        requests: list[Request] = [
            PlainRequest(sample, each, {}, each.name, levels[0], groups) for each in metrics
        ]
    else:
        requests = [
            Request(sample, row, options, key, levels[0], groups, label)
            for row, options, key, label in _bound(metrics, parameters)
        ]
    drawn = Resampling.of(sample, stratify=stratify, groups=groups)
    with quiet():  # steps that leave the range of floats give no limits
        return answers(requests, method, drawn, size, seed_of(random_state), levels)


def _bound(
    metrics: Sequence[NamedMetric], parameters: Mapping[str, Any]
) -> Iterator[tuple[Metric, Mapping[str, Any], str, str]]:
    """Yield each metric with its options, key and label; those of its own precede shared ones."""
    given = share(parameters, [named.function.options for named in metrics])
    for named, own in zip(metrics, given, strict=True):
        bound = replace(named, parameters={**named.parameters, **own})
        options = options_of_state(bound.function, bound.parameters)
        yield bound.row, options, bound.key, bound.label
