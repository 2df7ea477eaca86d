"""The properties of one metric, its value on a state, averages over classes, and undefined values."""

from __future__ import annotations

import inspect
import math
import typing
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import Any, Literal

import numpy as np
import sklearn.metrics
from sklearn.exceptions import UndefinedMetricWarning

from ..._arrays import Array
from ..._compat import warn
from ..._options import check_choice, check_flag, check_zero_division
from ..._text.plain import table as text_table
from ..._text.tables import Table
from .._kinds.averages import average_of
from .._kinds.base import STRICT, Kind, Problem, State, part_options

# The finite substitute in scorers for an infinite best value without counts.
_ENDLESS = 1e100
# The greatest excess over its range that rounding gives a value.
_ROUNDING = 1e-10
# The number of parts of an average that a message lists.
_MOST_NAMED = 10


def quiet() -> np.errstate:
    """Return the context in which 0/0 gives nan and x/0 gives inf, neither with a NumPy warning."""
    return np.errstate(divide="ignore", invalid="ignore", over="ignore")


def apply(metric: Any, record: Any, parameters: dict[str, Any]) -> Any:
    """Evaluate the formula; 0/0 gives nan and x/0 gives inf, neither with a NumPy warning.

    Without a record, if the positive class is unknown, the value is nan.
    """
    if record is None:
        return np.nan
    with quiet():
        return within(metric.bounds, metric.formula(record, **metric.checked(parameters)))


def within(bounds: tuple[float, float], values: Any) -> Any:
    """Return values clipped to the range, which rounding may exceed."""
    low, high = bounds
    if isinstance(values, float) and low <= values <= high:  # np.float64 is one
        return values
    clipped = np.clip(values, low, high)
    with quiet():  # inf - inf
        return np.where(np.abs(values - clipped) < _ROUNDING, clipped, values)[()]


def filled(
    metric: Any,
    values: Any,
    zero_division: Any,
    named: Problem | None = None,
    why: str = "",
    worst: float = math.nan,
) -> Any:
    """Replace undefined values by the value of the metric or of the caller.

    `why` is the reason, by default that of the metric. `worst` is the value that a scorer gives
    where the function gives nan.
    """
    if zero_division is STRICT:
        return np.where(np.isfinite(values), values, np.nan)[()]
    undefined, filler = np.isnan(values), zero_division
    if not undefined.any():
        return values
    if filler == "warn":
        filler = metric.undefined
        where = "" if named is None else f" for {names_of(named, undefined)}"
        warn(
            f"{metric.name} is undefined ({why or metric.reason}){where} and set to "
            f"{filler if filler == filler else worst:g}; zero_division= sets another value and "
            "silences this warning.",
            UndefinedMetricWarning,
        )
    return np.where(undefined, filler, values)[()]


def corrected(
    metric: Any, values: Any, record: Any, parameters: dict[str, Any], unit: float
) -> Any:
    """Return the values; infinite ones have half a unit (the least weight) added to every cell.

    If P and N are at least the least weight w, every table with an error has a value below that of
    the perfect one with w / 2 added, so the order is preserved; sums and means over folds are
    finite. An infinite best value without counts becomes a large number.
    """
    if record is None or not np.isinf(values).any():
        return values
    if metric.haldane_corrected:
        more = record.changed(lambda cell: cell + unit / 2)
        found = metric.formula(more, **metric.checked(parameters))
        values = np.where(np.isinf(values), found, values)[()]
    if metric.greater_is_better is None:
        return values
    best = math.inf if metric.greater_is_better else -math.inf
    return np.where(values == best, math.copysign(_ENDLESS, best), values)[()]


def names_of(problems: Any, undefined: Array) -> str:
    """Name the problems with an undefined value, here or in any replicate along the leading axes."""
    anywhere = undefined.reshape(-1, undefined.shape[-1]).any(axis=0)
    names = problems.names[anywhere].tolist()
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"{problems.noun} {', '.join(map(repr, names[:_MOST_NAMED]))}{more}"


class MetricEvaluator:
    """A metric with options, which are interpreted once and applied to any number of states.

    Parameters
    ----------
    metric : Metric
    options : mapping
        Keywords of its function, except the arrays and the options checked with them. Their
        `zero_division`, "warn" by default, may be :data:`STRICT`.
    scored : bool, default=False
        Whether a scorer evaluates: infinite best values are finite, so that they have a mean, and of
        two classes the greater may be positive where the value is the same for both.
    occurring : bool, default=False
        Whether averages leave out classes that are neither true nor predicted of any example.
    worst : float, default=nan
        The value that a scorer gives where the function gives nan.
    """

    def __init__(
        self,
        metric: Any,
        options: Mapping[str, Any],
        *,
        scored: bool = False,
        occurring: bool = False,
        worst: float = math.nan,
    ) -> None:
        self.metric, self.options = metric, dict(options)
        self.scored, self.occurring, self.worst = scored, occurring, worst
        given = self.options.pop("zero_division", "warn")
        self.zero_division = given if given is STRICT else check_zero_division(given)
        self.settings, self.parameters = part_options(self.options, metric.kind.settings)

    def problem(self, state: Any) -> Any:
        """Return what the formula is evaluated on: one record, or several to average over."""
        return self.metric.kind.problem(self, state, **self.settings)

    def value(self, state: Any) -> Any:
        """Return the metric of a state: a float, or one value per class, replicate or both."""
        with quiet():
            if not isinstance(state, list) and self.options.get("rescale") == "minmax":
                state = state.each_replicate
            if isinstance(state, list):
                return np.stack([self.value(one) for one in state])
            problem = self.problem(state)
            return self.filled(problem, self.evaluated(problem, state.unit))

    def unreported(self, state: State) -> Any:
        """Return the metric of a state, without the warning that another value of it comes with."""
        with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
            return self.value(state)

    def evaluated(self, problem: Any, unit: float = 1.0) -> Any:
        """Return the formula's value of one problem, or of each of several; undefined ones are nan.

        `unit` is the least weight of a row.
        """
        metric, parameters = self.metric, self.parameters

        def evaluated(record: Any) -> Any:
            found = apply(metric, record, parameters)
            return corrected(metric, found, record, parameters, unit) if self.scored else found

        return problem.values(evaluated) if problem.values else evaluated(problem.record)

    def filled(self, problem: Any, values: Any, zero_division: Any = None) -> Any:
        """Return the values with undefined ones replaced; those of several problems averaged."""
        filler = self.zero_division if zero_division is None else zero_division
        fill = partial(filled, self.metric, zero_division=filler, worst=self.worst)
        if problem.names is None:
            return fill(values)
        average = self.options.get("average", self.metric.kind.options.get("average"))
        if average is None:
            return fill(values, named=problem)
        equal = average_of(average).weights == "equal"
        weights = np.broadcast_to(1.0 if equal else problem.sizes, values.shape)
        if self.occurring and problem.occurs is not None:
            weights = np.where(problem.occurs, weights, 0.0)
        counted = weights > 0  # a class without weight has no say, also where it is undefined
        values = fill(np.where(counted, values, 0.0), named=problem)
        if filler != filler:
            counted = counted & ~np.isnan(values)
        with quiet():
            sums = np.where(counted, values * weights, 0).sum(axis=-1)
            means = sums / np.where(counted, weights, 0).sum(axis=-1)
        means = within(self.metric.bounds, means)
        if not (np.isnan(means) & ~np.isnan(values).any(axis=-1)).any():
            return means
        why = "inf - inf" if np.isinf(values).any() else "0/0"
        return fill(means, why=why)


@lru_cache(maxsize=256)
def own_parameters(formula: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    """Return the parameters of a formula other than its record."""
    return tuple(inspect.signature(formula).parameters.values())[1:]


def _check_of(hint: Any) -> Any:
    """Return the check of an annotation: bool, Literal, a marker, or one of these or None."""
    if hint is bool:
        return check_flag
    if typing.get_origin(hint) is Literal:
        return lambda name, value: check_choice(name, value, typing.get_args(hint))
    inner = [_check_of(part) for part in typing.get_args(hint) if part is not type(None)]
    if type(None) in typing.get_args(hint) and inner and inner[0]:
        return lambda name, value: None if value is None else inner[0](name, value)
    mark = next(iter(getattr(hint, "__metadata__", ())), None)
    return getattr(mark, "check", mark)


@dataclass(frozen=True, eq=False, repr=False)
class Metric:
    """One row of the registry.

    Parameters
    ----------
    function : str
        The name of the public function.
    formula : callable
        Pure function of the record of its `kind`, vectorised over its leading axes; nan for 0/0.
    kind : Kind
        The input of the formula.
    family : str
        The group of the metric in tables.
    greater_is_better : bool or None
        None if neither direction is better.
    bounds : tuple of float
        The least and the greatest value.
    bounds_under : callable or None
        The same of a number of classes under the formula's parameters, where they narrow the range.
    best : float
        The value of a perfect prediction.
    undefined : float
        The value that replaces 0/0.
    source : str
        The defining paper or book.
    aliases : tuple of str
        Other names in use.
    twin : str or None
        The function of scikit-learn with the same values.
    inputs : tuple of str
        The names of the two arrays of the function.
    formerly : str or None
        The older name of the second in scikit-learn.
    losses : callable or None
        The value of each example, if the metric is their mean. It takes the record of single
        examples along the first axis, and the formula's parameters.
    influence : callable or None
        The derivative of the value with respect to the weight of each example, as a function of the
        record and the formula's parameters; for metrics of counts at thresholds two arrays, for a
        positive and for a negative at each distinct score, descending. None if no form is known.
    share : callable or None
        For metrics that are a share of rows: takes the record, or the counts, and returns numerator
        and denominator, and, where the value is an increasing function of that share, the function.
    trials : callable or None
        For metrics of scores that are a proportion: the share of all examples in the denominator,
        as a function of the record and the formula's parameters.
    pair_mean : bool or callable
        For metrics of scores: whether the value is an affine function of means over pairs of functions
        of the score difference; a callable takes its parameters.
    traits : tuple of str
        "symmetric" if the value stays the same where two classes, and with them their scores, are
        exchanged. For metrics of tables: "prevalence_free", whose value stays the same when every
        positive counts three times; "ignores_true_negatives"; "reads_size", whose value changes when
        every count is doubled, so that proportions such as a point in ROC space do not determine it;
        and "iterative", found iteratively, which is slow at all thresholds of many scores.
    uninformed : float or None
        The chance level, if it does not depend on the data: 1 for ratios.
    over_thresholds : {"sum", "best"} or None
        For metrics of counts at thresholds: whether the value is a constant plus a sum over the
        steps between neighbouring ones, or the maximum over them of a function that is monotone in
        true and in false positives, in opposite directions.
    sharpest : float or None
        For metrics of probability values: the power of the true odds at which the metric is best,
        if known; inf if it increases with the power, 1 for proper metrics.
    interval : callable or None
        Takes a record of unweighted rows, the confidence level and the formula's parameters, and
        returns the limits and the standard error of an interval specific to the metric, or None.
    no_interval : str
        Why the bootstrap is not valid for the metric, if so.
    interval_note : str
        A note on the coverage of intervals of the metric.
    reason : str
        The reason for an undefined value.
    """

    function: str
    formula: Callable[..., Any]
    kind: Kind
    family: str
    greater_is_better: bool | None
    bounds: tuple[float, float]
    best: float
    undefined: float
    source: str
    bounds_under: Callable[..., tuple[float, float]] | None = None
    aliases: tuple[str, ...] = ()
    twin: str | None = None
    inputs: tuple[str, str] = ("y_true", "y_pred")
    formerly: str | None = None
    losses: Callable[..., Any] | None = None
    influence: Callable[..., Any] | None = None
    share: Callable[..., tuple[Any, ...]] | None = None
    trials: Callable[..., Any] | None = None
    pair_mean: bool | Callable[..., bool] = False
    traits: tuple[str, ...] = ()
    uninformed: float | None = None
    over_thresholds: Literal["sum", "best"] | None = None
    sharpest: float | None = None
    reason: str = "0/0"
    interval: Callable[..., tuple[Any, Any, Any, str] | None] | None = None
    no_interval: str = ""
    interval_note: str = ""

    @cached_property
    def name(self) -> str:
        """The canonical name: the function's, without ``_score``."""
        return self.function.removesuffix("_score")

    def __repr__(self) -> str:
        _, _, reads, bounds, better, _ = self.facts()
        return f"Metric({self.name!r}, {reads=!s}, range={bounds}, {better=!s})"

    def facts(self) -> tuple[str, ...]:
        """Return what a table of metrics shows of it, as text."""
        low, high = (f"{bound:.2g}" for bound in self.bounds)
        better = {True: "higher", False: "lower", None: "neither"}[self.greater_is_better]
        proper = {True: "yes", False: "no", None: ""}[self.proper]
        aliases = ", ".join(self.aliases)
        reads = self.kind.inputs.name.partition(" with ")[0]
        return self.name, aliases, reads, f"{low} to {high}", better, proper

    @property
    def ratio(self) -> bool:
        """Whether values belong on a logarithmic scale: from 0 without an end, and 0 is not the best."""
        return self.bounds[0] == 0 and np.isinf(self.bounds[1]) and self.best != 0

    @property
    def proper(self) -> bool | None:
        """Whether the metric is proper; None if it does not use probability values."""
        return None if self.sharpest is None else self.sharpest == 1

    @property
    def haldane_corrected(self) -> bool:
        """Whether scorers replace an infinite value by that with half an example more in every cell."""
        return math.isinf(self.best) and self.kind.name in ("counts", "rejections")

    @property
    def symmetric(self) -> bool:
        """Whether the value is the same where two classes, and with them their scores, are exchanged."""
        return "symmetric" in self.traits

    def positive_matters(self) -> bool:
        """Whether the value depends on which of two classes is the positive one.

        Scores that are given are those of one class, so it does.
        """
        return not (self.kind.counted and self.symmetric)

    @cached_property
    def guesses(self) -> bool:
        """Whether scikit-learn's function has no argument for the positive class of two."""
        twin = getattr(sklearn.metrics, self.twin) if self.twin else None
        return twin is not None and "pos_label" not in inspect.signature(twin).parameters

    def guesses_among(self, classes: Array) -> bool:
        """Whether scikit-learn's function takes the greater of two labels as positive by default.

        scikit-learn's losses do so for numbers, and require the class for strings.
        """
        loss = self.twin is not None and self.kind.scale is None
        return self.guesses or (loss and classes.dtype.kind in "iuf")

    @property
    def scorer_name(self) -> str:
        """The scorer name, with the prefix neg_ for losses."""
        return f"neg_{self.name}" if self.greater_is_better is False else self.name

    @cached_property
    def summary(self) -> str:
        """The first line of the docstring."""
        return (self.formula.__doc__ or "").strip().partition("\n")[0]

    def checked(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Check the values given for the formula's own parameters."""
        checks = self.parameters
        return {
            name: checks[name](name, value) if name in checks else value
            for name, value in parameters.items()
        }

    @cached_property
    def parameters(self) -> Mapping[str, Callable[[str, Any], Any]]:
        """The annotated parameters of the formula, with their checks."""
        if not own_parameters(self.formula):
            return {}
        hints = inspect.get_annotations(self.formula, eval_str=True)
        return {name: check for name, hint in hints.items() if (check := _check_of(hint))}

    def averages_pairs(self, parameters: Mapping[str, Any]) -> bool:
        """Whether the value is a mean over pairs of a function of the score difference alone."""
        declared = self.pair_mean
        return declared(**self.completed(parameters)) if callable(declared) else declared

    def completed(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the formula's own parameters, with their defaults where none are given."""
        own = own_parameters(self.formula)
        every = {each.name: each.default for each in own} | dict(parameters)
        return {each.name: every[each.name] for each in own if every[each.name] is not each.empty}

    @property
    def cuts(self) -> bool:
        """Whether the metric reads labels, and is about those that its parameter `threshold` gives."""
        own = {each.name for each in own_parameters(self.formula)}
        return self.kind.inputs.cut is not None and "threshold" in own

    def cut(self, options: Mapping[str, Any], pos_label: Any = None) -> Metric:
        """Return the row that reads probabilities of `pos_label` and cuts them at its threshold.

        A metric of labels without a threshold stays as it is.
        """
        threshold = self.completed(options).get("threshold") if self.cuts else None
        if threshold is None:
            return self
        self.checked({"threshold": threshold})
        inputs = self.kind.inputs.cut(float(threshold), pos_label)  # type: ignore[misc]
        return replace(
            self, kind=replace(self.kind, inputs=inputs, response_method="predict_proba")
        )

    def under(self, options: Mapping[str, Any], classes: int = 2, *further: float) -> Metric:
        """Return the row with the range that it has under options with a number of classes.

        `further` are what else its `bounds_under` takes.
        """
        if options.get("normalize", True) is False:  # a sum instead of a mean has no upper bound
            return replace(self, bounds=(-np.inf if self.bounds[0] < 0 else 0.0, np.inf))
        if self.bounds_under is None:
            return self
        return replace(self, bounds=self.bounds_under(classes, *further, **self.completed(options)))

    def value(self, state: Any, **options: Any) -> Any:
        """Return the metric of a state: a float, or one value per class, replicate or both."""
        return MetricEvaluator(self, options).value(state)

    def names(self, state: Any, **options: Any) -> Any:
        """Return the classes, labels or samples that the values of a metric belong to."""
        return MetricEvaluator(self, options).problem(state).names


_FACTS = ("metric", "also called", "reads", "range", "better", "proper")


class Metrics(list[Metric]):
    """Rows of the registry, shown as a table."""

    def __repr__(self) -> str:
        rows = [(name, reads, *more) for name, _, reads, *more in (row.facts() for row in self)]
        return text_table([_FACTS[0], *_FACTS[2:]], rows, label=28)

    def _repr_html_(self) -> str:
        """Show the table in a notebook."""
        return Table(_FACTS, [row.facts() for row in self], f"{len(self)} metrics")._repr_html_()
