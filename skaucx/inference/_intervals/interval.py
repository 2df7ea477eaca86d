"""Intervals of any metric: how a call is read, its sample drawn again where it must, and the result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..._arguments import Label
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
    weight_vector,
    without_zero_weights,
)
from ..._compat import warn
from ..._options import Confidence, check_whole
from ..._text.numbers import fixed, significant
from ..._text.plain import paragraph
from ..._text.tables import Table, Tabular
from ...metrics._kinds import known_inputs
from ...metrics._kinds.base import PRED, SCORE, Sample
from ...metrics._kinds.labels import sample_of_table
from ...metrics._records.counts import Counts, given_table
from ...metrics._registry.declare import missing_options, options_of_state, plain, share
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
from ...metrics._registry.plain_functions import PlainMetric, PlainRows, plain_sample
from ...metrics._registry.resampling import Resampling, generator, seed_of
from ...metrics._registry.row import Metric, MetricEvaluator, names_of, quiet
from ...metrics._registry.samples import MetricOnSample, reads_the_ends, sample_of
from .bootstrap import acceleration, of_replicates, replicates
from .limits import ROUNDING, Form, IntervalEstimate
from .methods import DRAWN, by_parts, fewest_of_a_class, limits_of_replicates, method_of

_REFITTED = "not about a model fitted again"
POPULATION = "the population, by these predictions"


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
    target: str = POPULATION
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
            f"{self.label or self.metric}{''.join(f' of {each}' for each in name)} {shown(value)} "
            + (
                f"(no {share} interval; {how})"
                if np.isnan([low, high]).all()
                else f"({share}: {shown(low)} to {shown(high)}; {how})"
            )
            for *name, value, low, high in self._rows
        ]
        lines += [f"About {self.about}"]
        lines += [f"Note: {self.note}"] if self.note else []
        return "\n".join(paragraph(line, hang=2) for line in lines)

    @property
    def about(self) -> str:
        """The target, and what the interval says nothing about."""
        return f"{self.target}; {_REFITTED}" if self.target == POPULATION else self.target

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


class Intervals(dict[str, Interval]):
    """Intervals by the names of their metrics, which print as a table."""

    def __repr__(self) -> str:
        return self._table().printed().text() if self else "{}"

    def _repr_html_(self) -> str:
        """Show the table in a notebook."""
        return self._table().printed()._repr_html_()

    def _table(self) -> Table:
        rows = [
            [" of ".join([one.label or one.metric, *name]), value, low, high, one.method]
            for one in self.values()
            for *name, value, low, high in one._rows
        ]
        title, *notes = notes_of(self)
        return Table(("metric", "estimate", "low", "high", "method"), rows, title, notes=notes)


def notes_of(intervals: Mapping[str, Interval]) -> list[str]:
    """Return the text on level, target and resamples of intervals, and that on their notes."""
    first = next(iter(intervals.values()))
    most = max(intervals.values(), key=lambda found: found.n_resamples)
    drawn = f", bootstrap of {most.drawn}" if most.n_resamples else ""
    each = ", pointwise, not simultaneous" if len(intervals) > 1 else ""
    said: dict[str, list[str]] = {}
    for name, found in intervals.items():
        for line in filter(None, found.note.split("; ")):
            said.setdefault(line, []).append(name)
    return [
        f"{100 * first.confidence_level:g} % intervals{each}: {first.about}{drawn}.",
        *(
            f"{'All' if 1 < len(names) == len(intervals) else few(names, 4)}: {line}."
            for line, names in said.items()
        ),
    ]


def few(texts: Sequence[str], most: int = 5) -> str:
    """Return the first of some texts, and how many more there are."""
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {more} more" if more > 0 else "")


def shown(value: float) -> str:
    """Return a number with four decimals, or, where these would all be 0 or 9, with its digits."""
    text = fixed(value)
    return significant(value) if text[0] in "<>" else text


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


def frequencies(frequency: Any, counts: Any, rows: Mapping[str, Any]) -> Codes:
    """Return how many equal examples each row stands for."""
    if counts is not None:
        raise ValueError("frequency counts rows; omit it, or counts.")
    if rows["sample_weight"] is not None:
        raise ValueError("sample_weight does not go with frequency; pass one of the two.")
    many = np.asarray(frequency)
    if many.ndim != 1 or many.dtype.kind not in "iuf" or (many < 0).any() or (many % 1).any():
        raise ValueError(
            f"frequency must be a vector of whole numbers >= 0, found {frequency!r}; pass other "
            f"weights as sample_weight."
        )
    arrays = {name: each for name, each in rows.items() if each is not None}
    check_same_length({"frequency": many, **arrays})
    return many.astype(np.int64)


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
    many = None if frequency is None else frequencies(frequency, counts, rows._asdict())
    requested = list(metrics) if isinstance(metrics, (list, tuple)) else []
    functions = [each for each in requested if is_plain_function(each)]
    if functions and len(functions) < len(requested):
        raise ValueError("metrics mixes plain functions with metrics; use two calls.")
    if functions and counts is None:
        return _functions(functions, rows, parameters, many)
    wanted = _readable(metrics, rows, parameters) if names_sets(metrics) else named_metrics(metrics)
    row, own = _one_kind(wanted), dict(parameters)
    if counts is not None:
        if any(array is not None for array in rows):
            raise ValueError(
                "counts represent all rows; omit y_true, y_pred_or_score, groups and sample_weight."
            )
        return wanted, sample_of_counts_given(row, counts), own, None
    weight = rows.sample_weight if many is None else many
    shared: dict[str, Any] = {"labels": own.get("labels"), "sample_weight": weight}
    shared |= {name: own.pop(name) for name in row.kind.inputs.extra_arrays if name in own}
    rows.check(row)
    collapse = rows.groups is None and many is None
    sample = sample_of(row, rows.y_true, rows.y_pred_or_score, collapse=collapse, **shared)
    if many is not None:
        # Rows that stand for several count, and are drawn, as often.
        sample = Sample(sample.record, sample.inputs, many[many > 0])
    return wanted, sample, own, groups_of_rows(rows.groups, rows.y_true, weight)


def _functions(
    functions: list[Any], rows: CallArrays, parameters: Mapping[str, Any], many: Codes | None
) -> tuple[Sequence[Any], Sample, Mapping[str, Any], Codes | None]:
    """Return plain functions with their own arrays, and the sample that they are evaluated on.

    They are given as many rows as there are examples, as they know nothing of frequencies.
    """
    for each in functions:
        check_called_with_arrays(each)
    if rows.sample_weight is not None:
        raise ValueError("sample_weight needs a metric of this package, found a function.")
    bound = [PlainMetric.of(each, parameters, rows.y_true) for each in functions]
    if many is not None:
        each_row = np.repeat(np.arange(len(many)), many)
        rows, bound = rows.subset(each_row), [each.subset(each_row) for each in bound]
    sample = plain_sample(rows.y_true, rows.y_pred_or_score)
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


def sample_of_counts_given(row: Metric, counts: Any) -> Sample:
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


_SAMPLING_WEIGHTS = (
    "weights are sampling weights, which do not narrow the interval (use frequency= for "
    "repetitions)"
)
_NO_GUARANTEE = (
    "the metric depends on the lowest and the highest scores of the sample, so the coverage of "
    "its bootstrap is not guaranteed"
)
_ONE_UNIT = "one row, or one group, has no variation, so there is no interval"
_UNDEFINED = "undefined on the sample"
_NO_LIMITS = "the rows are too few, or too similar, for limits by {}"
_NO_WIDTH = "the limits are equal, so there is no interval"
_BESIDE = "the estimate is outside these limits, so there is no interval"
_OPTIMISTIC = "a maximum over thresholds is biased upwards, so coverage is not guaranteed"
_FEW, _FEW_GROUPS = 20, 30
_FEW_DRAWN = "{} {}: below {} the bootstrap is often too narrow"


@dataclass(frozen=True, eq=False)
class Asked(MetricOnSample):
    """A metric whose interval is asked for, on its sample."""

    key: str
    label: str = ""

    @cached_property
    def estimate(self) -> Any:
        """The metric on the sample."""
        return self.filled()

    @cached_property
    def undefined(self) -> Any:
        """Whether the metric, or each class or part of an average, is 0/0 on the sample."""
        return np.isnan(self.values)

    @property
    def names(self) -> Any:
        """The class, or pair, of each value."""
        return self.problem.names

    @property
    def _filled(self) -> Any:
        """The value that replaces an undefined part of an average, or None."""
        if np.ndim(self.undefined) == np.ndim(self.estimate) or not self.undefined.any():
            return None
        given = self.options.get("zero_division", "warn")
        return self.metric.undefined if isinstance(given, str) else given

    @property
    def drawn_as(self) -> MetricEvaluator:
        """The metric as it is read from resamples: a part undefined on the sample counts as there."""
        given = {} if self._filled is None else {"zero_division": self._filled}
        return of_replicates(self.metric, {**self.options, **given})

    @property
    def why_undefined(self) -> str:
        """Which part of the metric is undefined on the sample, and why."""
        if not np.any(self.undefined):
            return ""
        if self.names is None:
            return f"undefined on the sample ({self.metric.why(self.record, self.parameters)})"
        problems: Any = self.problem
        parts = names_of(problems, self.undefined)
        counted = "" if self._filled is None else f", where it counts as {self._filled:g}"
        return f"undefined ({self.metric.why(None, self.parameters)}) for {parts}{counted}"

    @property
    def caution(self) -> str:
        """What holds of the metric's intervals by every method."""
        ends = self.options.get("rescale") == "minmax"
        ends = ends or reads_the_ends(self.metric, self.parameters)
        best = self.metric.over_thresholds == "best"
        optimistic = self.metric.interval_note or (_OPTIMISTIC if best else "")
        return "; ".join(filter(None, [_NO_GUARANTEE if ends else "", optimistic]))


@dataclass(frozen=True, eq=False)
class AskedFunction:
    """A user's function, of which nothing else is known."""

    sample: Any
    metric: PlainMetric

    key = label = property(lambda self: self.metric.name)
    drawn_as = property(lambda self: self.metric)
    undefined, names, why_undefined, caution = False, None, "", ""

    @cached_property
    def estimate(self) -> float:
        """The function of all rows."""
        return float(self.metric.value(self.sample.state))


def _asked(
    metrics: Sequence[NamedMetric], sample: Any, parameters: Mapping[str, Any]
) -> Iterator[Asked]:
    """Yield each metric with its options; those of its own precede shared ones.

    ``pos_label`` is for the metrics that take it, where others are of no class.
    """
    given = dict(parameters)
    if all("pos_label" not in named.function.options for named in metrics):
        given.pop("pos_label", None)
    for named, own in zip(
        metrics, share(given, [named.function.options for named in metrics]), strict=True
    ):
        bound = replace(named, parameters={**named.parameters, **own})
        options = options_of_state(bound.function, bound.parameters)
        on = Asked(sample, bound.row, options, bound.key, bound.label)
        if "normalize" in options:
            on = replace(on, metric=bound.row.under(options))
        elif getattr(bound.row, "bounds_under", None) and "objective" not in options:
            classes = on.record.n_columns, on.record.greatest_error
            on = replace(on, metric=bound.row.under(options, *classes))
        yield on


@quiet()  # steps that leave the range of floats give no limits
def intervals_at(
    confidence_levels: Sequence[float | Confidence],
    metrics: Sequence[Any],
    sample: Sample,
    parameters: Mapping[str, Any],
    *,
    method: str = "auto",
    groups: Codes | None = None,
    n_resamples: int = 2000,
    random_state: Any = None,
) -> list[dict[str, Interval]]:
    """Return the intervals of metrics on a sample at several levels, from the same resamples."""
    levels = [Confidence.of(level) for level in confidence_levels]
    size, seed = check_whole("n_resamples", n_resamples, 2), seed_of(random_state)
    if isinstance(sample.record, PlainRows):
        asked: list[Any] = [AskedFunction(sample, each) for each in metrics]
    else:
        asked = list(_asked(metrics, sample, parameters))
    rows = sample.n_rows if sample.multiplicity is None else int(sample.multiplicity.sum())
    units = rows if groups is None else int(groups.max()) + 1
    ways = [method_of(on, groups, method, rows) for on in asked]
    drawn = [k for k, (name, _) in enumerate(ways) if name in DRAWN and units > 1]
    forms = {k: form for k, (_, form) in enumerate(ways)}
    bca = any(ways[k][0] == "bca" for k in drawn)
    found = _of_resamples([asked[k] for k in drawn], sample, groups, size, seed, bca=bca)
    for k, (values, bend) in zip(drawn, found, strict=True):
        forms[k] = limits_of_replicates(ways[k][0], values, np.asarray(asked[k].estimate), bend)
    many = {
        k: int((~np.isnan(values)).sum(axis=0).min())
        for k, (values, _) in zip(drawn, found, strict=True)
    }
    for k, on in enumerate(asked):
        if ways[k][0] == "jackknife" and units > 1:
            forms[k] = by_parts(on, on.drawn_as, groups, seed)
    every: list[dict[str, Interval]] = []
    for sides in levels:
        every.append({})
        for k, on in enumerate(asked):
            name = ways[k][0] if forms[k] is not None else "none"
            one = result_of(on, name, forms[k], sides, groups)
            if k in many:
                one = replace(one, n_resamples=many[k], random_state=seed)
            every[-1][on.key] = one
    return every


def _of_resamples(
    asked: Sequence[Any], sample: Any, groups: Codes | None, size: int, seed: int, *, bca: bool
) -> list[tuple[Floats, Floats]]:
    """Return the replicates of each metric on the same resamples, and its acceleration."""
    if not asked:
        return []
    drawn, rng = Resampling.of(sample, groups=groups), generator(seed)
    readings = [on.drawn_as for on in asked]
    values = replicates(sample, readings, drawn, size, rng)
    bends = [np.zeros(v.shape[1:]) for v in values]
    if bca:
        bends = acceleration(sample, readings, drawn, size, rng)
    return list(zip(values, bends, strict=True))


def result_of(
    on: Any, method: str, form: Form | None, sides: Confidence, groups: Codes | None
) -> Interval:
    """Return the public record: what is no interval has no limits, with the reason."""
    found = (
        form(sides.two_sided)
        if form
        else IntervalEstimate.nothing(_ONE_UNIT, np.shape(on.estimate))
    )
    low, high = sides.ends(found.low, found.high, on.metric.bounds)
    estimate = np.asarray(on.estimate)
    with np.errstate(invalid="ignore"):  # infinite limits
        widths, beside = high - low, np.maximum(low - estimate, estimate - high)
    refused = {
        "": np.isnan(estimate),
        _NO_WIDTH: (np.abs(widths) <= ROUNDING) | ((low == high) & np.isinf(low)),
        _BESIDE: beside > ROUNDING * np.maximum(1, np.abs(estimate)),
    }
    for which in refused.values():
        low, high = np.where(which, np.nan, low), np.where(which, np.nan, high)
    reasons = [
        on.why_undefined,
        found.note,
        *(why for why, where in refused.items() if where.any()),
    ]
    if np.isnan(low).any() and not any(reasons):
        reasons.append(_UNDEFINED if np.isnan(estimate).any() else _NO_LIMITS.format(method))
    notes = [
        *reasons,
        on.caution,
        note_of_drawn(on, groups) if method in DRAWN else "",
        note_of_weights(on),
    ]
    return Interval(
        on.key, plain(on.estimate), plain(low), plain(high), plain(found.error), sides.level,
        found.method or method, note="; ".join(filter(None, notes)),
        classes=on.names if np.ndim(estimate) else None, label=on.label,
    )  # fmt: skip


def note_of_drawn(on: Any, groups: Codes | None) -> str:
    """Say where rows of a class, or groups, are too few for the bootstrap."""
    if groups is not None:
        many = int(groups.max()) + 1
        return _FEW_DRAWN.format(many, "groups", _FEW_GROUPS) if many < _FEW_GROUPS else ""
    least = fewest_of_a_class(on.sample)
    return _FEW_DRAWN.format(least, "rows of a class", _FEW) if least < _FEW else ""


def note_of_weights(on: Any) -> str:
    """Say what weights do to an interval, and from a design effect of 2 how large it is."""
    weight = on.sample.weight
    if weight is None:
        return ""
    effective = weight.sum() ** 2 / (weight @ weight)  # Kish 1965
    if len(weight) < 2 * effective:
        return _SAMPLING_WEIGHTS
    return f"{_SAMPLING_WEIGHTS}; effective size {effective:.0f} of {len(weight)} rows"


def interval(
    metric: str | Callable[..., Any],
    y_true: Rows | None = None,
    y_pred_or_score: Rows | None = None,
    *,
    counts: Counts | ArrayLike | None = None,
    groups: ArrayLike | None = None,
    sample_weight: Rows | None = None,
    frequency: ArrayLike | None = None,
    pos_label: Label = None,
    confidence_level: float | Confidence = 0.95,
    method: str = "auto",
    n_resamples: int = 2000,
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
    groups : array-like of shape (n_samples,), default=None
        Clusters, such as patients.
    sample_weight, frequency : array-like of shape (n_samples,), default=None
        Sampling weights >= 0; numbers of equal examples that rows stand for.
    pos_label : label, default=None
        The positive class; by default 1.
    confidence_level : float or Confidence, default=0.95
        In (0, 1); one-sided by ``Confidence(0.95, alternative="greater")``.
    method : str, default="auto"
        A closed form where one applies, else "bca"; the guide lists the methods.
    n_resamples, random_state : int, default=2000 and None
        Resamples and their seed.
    **parameters
        The metric's own arguments; arrays of a callable follow the rows.

    Returns
    -------
    Interval
        It prints; ``low``, ``high``, ``estimate``, ``method``, ``note``.

    Raises
    ------
    ValueError, TypeError
        If an argument is invalid.

    Examples
    --------
    >>> from skaucx import interval
    >>> interval("accuracy", [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1, 1])
    accuracy 0.8750 (95 %: 0.5291 to 0.9776; wilson)
    About the population, by these predictions; not about a model fitted again
    """
    found = intervals(
        [metric], y_true, y_pred_or_score, counts=counts, groups=groups,
        sample_weight=sample_weight, frequency=frequency, pos_label=pos_label,
        confidence_level=confidence_level, method=method, n_resamples=n_resamples,
        random_state=random_state, **parameters,
    )  # fmt: skip
    return next(iter(found.values()))


def intervals(
    metrics: Iterable[str | Callable[..., Any]],
    y_true: Rows | None = None,
    y_pred_or_score: Rows | None = None,
    *,
    counts: Counts | ArrayLike | None = None,
    groups: ArrayLike | None = None,
    sample_weight: Rows | None = None,
    frequency: ArrayLike | None = None,
    pos_label: Label = None,
    confidence_level: float | Confidence = 0.95,
    method: str = "auto",
    n_resamples: int = 2000,
    random_state: RandomState = None,
    **parameters: Any,
) -> Intervals:
    """Return the intervals of several metrics; bootstrap intervals share the resamples.

    Parameters
    ----------
    metrics : str, list, dict or one-pass scorer
        Metrics, each as for :func:`interval`, either all of predicted labels or all of scores. Of a
        set of :func:`list_sets`, such as "clinical", those that the array and the parameters allow;
        a warning names the others, and :func:`evaluate` with ``intervals=True`` reads both arrays.
    y_true, y_pred_or_score, counts, groups, sample_weight, frequency, pos_label
        As for :func:`interval`.
    confidence_level, method, n_resamples, random_state
        As for :func:`interval`.
    **parameters
        Passed to every metric that accepts them.

    Returns
    -------
    dict of str to Interval
        It prints as a table.

    Raises
    ------
    ValueError, TypeError
        The errors of :func:`interval`; metrics of labels mixed with metrics of scores.

    Examples
    --------
    >>> from skaucx.inference import intervals
    >>> found = intervals(["recall", "mcc"], [0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 0, 1, 1, 1])
    >>> round(found["recall"].low, 4), found["matthews_corrcoef"].method
    (0.3006, 'delta')
    """
    sides, note = _of_one(confidence_level), "" if counts is None else given_table(counts).note
    rows = CallArrays(y_true, y_pred_or_score, sample_weight, groups)
    given = parameters if pos_label is None else {**parameters, "pos_label": pos_label}
    wanted, sample, own, codes = interval_input(
        metrics, rows, given, counts=counts, frequency=frequency
    )
    [found] = intervals_at(
        [sides], wanted, sample, own, method=method, groups=codes, n_resamples=n_resamples,
        random_state=random_state,
    )  # fmt: skip
    return Intervals({key: noted(each, note) for key, each in found.items()})


def _of_one(given: float | Confidence) -> Confidence:
    """Return the confidence of intervals of which each holds by itself."""
    confidence = Confidence.of(given)
    if confidence.simultaneous:
        raise ValueError(
            "simultaneous=True is about intervals of groups; pass it to evaluate with by= and "
            "intervals=True."
        )
    return confidence
