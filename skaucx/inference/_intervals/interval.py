"""Intervals of any metric: how a call is read, its sample drawn again where it must, and the result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

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
    groups_of,
    host_array,
    weight_vector,
    without_zero_weights,
)
from ..._options import Confidence, check_whole
from ..._text.numbers import fixed
from ..._text.plain import paragraph
from ..._text.tables import Table, Tabular
from ...metrics._formulas.auc import ENDS
from ...metrics._kinds.base import Sample
from ...metrics._kinds.labels import sample_of_table
from ...metrics._records.counts import Counts, given_table
from ...metrics._registry.declare import options_of_state, plain, share
from ...metrics._registry.names import (
    NamedMetric,
    check_called_with_arrays,
    is_plain_function,
    named_metrics,
)
from ...metrics._registry.plain_functions import PlainMetric, PlainRows, plain_sample
from ...metrics._registry.resampling import Resampling, generator, seed_of
from ...metrics._registry.row import MetricEvaluator, names_of, quiet
from ...metrics._registry.samples import MetricOnSample, sample_of
from .bootstrap import acceleration, of_replicates, replicates
from .covered import coverage_below, noun_of
from .limits import ROUNDING, Form, IntervalEstimate
from .methods import DRAWN, fewest_of_a_class, limits_of_replicates, method_of, rows_of_classes

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
        A caution about the interval, such as a simulated coverage below 92 %, or "". Below 88 % at the
        size of the sample there are no limits.
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
            f"{self.label or self.metric}{''.join(f' of {each}' for each in name)} {fixed(value)} "
            + (
                f"(no {share} interval; {how})"
                if np.isnan([low, high]).all()
                else f"({share}: {fixed(low)} to {fixed(high)}; {how})"
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
        return self._table().text() if self else "{}"

    def _repr_html_(self) -> str:
        """Show the table in a notebook."""
        return self._table()._repr_html_()

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


def groups_of_rows(groups: Any, y_true: Any, sample_weight: Any = None) -> Codes | None:
    """Number the groups of the rows with positive weight, if any."""
    if groups is None:
        return None
    codes = groups_of(groups, {"y_true": host_array(y_true)})[1]
    kept, _ = without_zero_weights(weight_vector(sample_weight), codes)
    return np.unique(kept, return_inverse=True)[1].astype(np.intp)


def frequencies(frequency: Any, rows: Mapping[str, Any]) -> Codes:
    """Return how many equal examples each row stands for."""
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


# Metrics, or plain functions, their sample, its parameters left, and the groups of the rows.
Read = tuple[Sequence[Any], Sample, Mapping[str, Any], Codes | None]


def read_rows(
    metrics: Any, parameters: Mapping[str, Any], rows: Mapping[str, Any], frequency: Any = None
) -> Read:
    """Check the arrays of a call of metrics, or of plain functions."""
    true, weight = rows["y_true"], rows["sample_weight"]
    second = by_name(rows["y_pred_or_score"], true, "y_pred_or_score", parameters.get("labels"))
    many = None if frequency is None else frequencies(frequency, rows)
    several = metrics if isinstance(metrics, (list, tuple)) else []
    functions = [each for each in several if is_plain_function(each)]
    if functions:
        if len(functions) < len(metrics):
            raise ValueError("metrics mixes plain functions with metrics; use two calls.")
        return _of_functions(functions, parameters, {**rows, "y_pred_or_score": second}, many)
    wanted = named_metrics(metrics)
    inputs, own = _inputs_of(wanted), dict(parameters)
    if inputs.of_classes:
        check_rows({**rows, "y_pred_or_score": second})
    weight = weight if many is None else many
    shared: dict[str, Any] = {"labels": own.get("labels"), "sample_weight": weight}
    shared |= {name: own.pop(name) for name in inputs.extra_arrays if name in own}
    collapse = rows["groups"] is None and many is None
    sample = sample_of(wanted[0].row, true, second, collapse=collapse, **shared)
    if many is not None:
        # Rows that stand for several count, and are drawn, as often.
        sample = Sample(sample.record, sample.inputs, many[many > 0])
    return wanted, sample, own, groups_of_rows(rows["groups"], true, weight)


def _of_functions(
    functions: list[Any], parameters: Mapping[str, Any], rows: Mapping[str, Any], many: Any
) -> Read:
    """Return plain functions with their own arrays, and the sample that they are evaluated on.

    They are given as many rows as there are examples, as they know nothing of frequencies.
    """
    if rows["sample_weight"] is not None:
        raise ValueError("sample_weight needs a metric of this package, found a function.")
    for each in functions:
        check_called_with_arrays(each)
    bound = [PlainMetric.of(each, parameters, rows["y_true"]) for each in functions]
    if many is not None:
        each_row = np.repeat(np.arange(len(many)), many)
        bound = [each.subset(each_row) for each in bound]
        rows = {k: None if each is None else np.asarray(each)[each_row] for k, each in rows.items()}
    sample = plain_sample(rows["y_true"], rows["y_pred_or_score"])
    return bound, sample, {}, groups_of_rows(rows["groups"], rows["y_true"])


def read_counts(
    metrics: Any, parameters: Mapping[str, Any], counts: Any, others: Mapping[str, Any]
) -> Read:
    """Check a table of counts, with which no arrays go."""
    if any(each is not None for each in others.values()):
        raise ValueError(f"counts represent all rows; omit {', '.join(others)}.")
    wanted = named_metrics(metrics)
    for name in (named.row.name for named in wanted if not named.row.kind.counted):
        raise ValueError(f"{name} needs scores, which a table of counts does not contain.")
    table = given_table(counts).table
    if (table != np.floor(table)).any():
        raise ValueError("counts must be whole numbers: an interval needs the number of examples.")
    return wanted, sample_of_table(table, np.arange(len(table))), parameters, None


def _inputs_of(wanted: Sequence[NamedMetric]) -> Any:
    """Return the common input of all metrics: labels or scores."""
    kinds = {named.row.kind.inputs: named.row.name for named in wanted}
    if len(kinds) > 1:
        each = " and ".join(f"{name} reads {inputs.name}" for inputs, name in kinds.items())
        raise ValueError(
            f"{each}; use two calls, or evaluate(y_true, y_pred, y_score, metrics, intervals=True)."
        )
    return next(iter(kinds))


_SAMPLING_WEIGHTS = (
    "weights are sampling weights, which do not narrow the interval (use frequency= for "
    "repetitions)"
)
_ONE_UNIT = "one row, or one group, has no variation, so there is no interval"
_UNDEFINED = "undefined on the sample"
_NO_LIMITS = "the rows are too few, or too similar, for limits by {}"
_NO_WIDTH = "the limits are equal, so there is no interval"
_BESIDE = "the estimate is outside these limits, so there is no interval"
_OPTIMISTIC = "a maximum over thresholds is biased upwards, so coverage is not guaranteed"
_FEW_DRAWN = {"rows of a class": 20, "groups": 30}


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
            return f"undefined on the sample ({self.metric.reason})"
        problems: Any = self.problem
        parts = names_of(problems, self.undefined)
        counted = "" if self._filled is None else f", where it counts as {self._filled:g}"
        return f"undefined ({self.metric.reason}) for {parts}{counted}"

    @property
    def caution(self) -> str:
        """What holds of the metric's intervals by every method."""
        ends = self.options.get("rescale") == "minmax"
        best = self.metric.over_thresholds == "best"
        optimistic = self.metric.interval_note or (_OPTIMISTIC if best else "")
        notes = [ENDS if ends else "", optimistic]
        return "; ".join(dict.fromkeys(filter(None, notes)))


@dataclass(frozen=True, eq=False)
class AskedFunction:
    """A user's function, of which nothing else is known."""

    sample: Any
    metric: PlainMetric

    options: Mapping[str, Any] = field(default_factory=dict, init=False)

    key = label = property(lambda self: self.metric.name)
    drawn_as = property(lambda self: self.metric)
    undefined, names, why_undefined, caution = False, None, "", ""

    @cached_property
    def estimate(self) -> float:
        """The function of all rows."""
        return float(self.metric.value(self.sample.state))


def asked_of(metrics: Sequence[Any], sample: Any, parameters: Mapping[str, Any]) -> Iterator[Any]:
    """Yield each metric with its options, or each function; those of its own precede shared ones.

    ``pos_label`` is for the metrics that take it, where others are of no class.
    """
    if isinstance(sample.record, PlainRows):
        yield from (AskedFunction(sample, each) for each in metrics)
        return
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
    asked = list(asked_of(metrics, sample, parameters))
    rows = sample.n_rows if sample.multiplicity is None else int(sample.multiplicity.sum())
    units = rows if groups is None else int(groups.max()) + 1
    ways = {on.key: method_of(on, groups, method, rows) for on in asked}
    drawn = [on for on in asked if ways[on.key][0] in DRAWN and units > 1]
    bent = any(ways[on.key][0] == "bca" for on in drawn)
    held = _of_resamples(drawn, sample, groups, size, seed, bent=bent)
    every: list[dict[str, Interval]] = [{} for _ in levels]
    for on in asked:
        name, form = ways[on.key]
        renewed: dict[str, Any] = {}
        if on.key in held:
            values, bend = held[on.key]
            form = partial(limits_of_replicates, name, values, np.asarray(on.estimate), bend)
            defined = int((~np.isnan(values)).sum(axis=0).min())
            renewed = {"n_resamples": defined, "random_state": seed}
        for sides, found in zip(levels, every, strict=True):
            one = result_of(on, name if form else "none", form, sides, groups, method == "auto")
            found[on.key] = replace(one, **renewed)
    return every


def _of_resamples(
    asked: Sequence[Any], sample: Any, groups: Codes | None, size: int, seed: int, *, bent: bool
) -> dict[str, tuple[Floats, Floats]]:
    """Return the replicates of each metric on the same resamples, and its acceleration."""
    if not asked:
        return {}
    drawn, rng = Resampling(sample.n_rows, groups, sample.multiplicity), generator(seed)
    readings = [on.drawn_as for on in asked]
    values = replicates(sample, readings, drawn, size, rng)
    none = [np.zeros(())] * len(asked)
    bends = acceleration(sample, readings, drawn, size, rng) if bent else none
    pairs = zip(values, bends, strict=True)
    return dict(zip([on.key for on in asked], pairs, strict=True))


def result_of(
    on: Any,
    method: str,
    form: Form | None,
    sides: Confidence,
    groups: Codes | None,
    usual: bool = True,
) -> Interval:
    """Return the public record: what is no interval has no limits, with the reason.

    `usual` is whether the method is the one by default, of which the coverage is known.
    """
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
    noun = "rows of a class" if groups is None else "groups"
    size = fewest_of_a_class(on.sample) if groups is None else int(groups.max()) + 1
    kept, below = _coverage(on, size, groups is not None) if usual else (True, "")
    if not kept:
        low, high = low * np.nan, high * np.nan
    drawn = method in DRAWN and size < _FEW_DRAWN[noun]
    few_drawn = f"{size} {noun}: below {_FEW_DRAWN[noun]} the bootstrap is often too narrow"
    notes = [*reasons, below, on.caution, few_drawn if drawn else "", note_of_weights(on)]
    return Interval(
        on.key, plain(on.estimate), plain(low), plain(high), plain(found.error), sides.level,
        found.method or method, note="; ".join(filter(None, notes)),
        classes=on.names if np.ndim(estimate) else None, label=on.label,
    )  # fmt: skip


def _coverage(on: Any, size: float, grouped: bool) -> tuple[bool, str]:
    """Return whether the interval by default is one at a size, and what to say of its coverage."""
    classes = 0 if grouped else len(rows_of_classes(on.sample))
    if classes > 2 and on.options.get("average", "macro") != "macro":
        return True, ""  # the table has macro averages
    return coverage_below(on.metric.name, noun_of(classes, grouped), size)


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
        ``low``, ``high`` (none where they cover below 88 %), ``estimate``, ``method``, ``note``.

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
        Metrics, or the name of a set, each as for :func:`interval`, either all of predicted labels or
        all of scores; :func:`evaluate` with ``intervals=True`` reads both arrays.
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
    sides = Confidence.of(confidence_level)
    if sides.simultaneous:
        raise ValueError(
            "simultaneous=True is about intervals of groups; pass it to evaluate with by= and "
            "intervals=True."
        )
    rows = {"y_true": y_true, "y_pred_or_score": y_pred_or_score, "groups": groups}
    rows["sample_weight"] = sample_weight
    given = parameters if pos_label is None else {**parameters, "pos_label": pos_label}
    if counts is None:
        wanted, sample, own, codes = read_rows(metrics, given, rows, frequency)
    else:
        others = {**rows, "frequency": frequency}
        wanted, sample, own, codes = read_counts(metrics, given, counts, others)
    [found] = intervals_at(
        [sides], wanted, sample, own, method=method, groups=codes, n_resamples=n_resamples,
        random_state=random_state,
    )  # fmt: skip
    if counts is not None and (note := given_table(counts).note):
        for key, one in found.items():
            found[key] = replace(one, note="; ".join(filter(None, [one.note, note])))
    return Intervals(found)
