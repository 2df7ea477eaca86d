"""Averages over classes, and the rule for undefined values."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from ..._arrays import Array, Floats
from ..._compat import warn
from ..._options import check_zero_division
from .._cells.bounds import bound, bound_of_probabilities
from .._cells.edges import EdgeScores
from .._records.counts import Counts
from ..kinds.base import SCORED, STRICT, Problem, Problems, State
from ..kinds.scores.class_totals import CellProbabilities

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
    with quiet():
        return apply_quietly(metric, record, parameters)


def apply_quietly(metric: Any, record: Any, parameters: dict[str, Any]) -> Any:
    """Evaluate the formula as `apply` does, within :func:`quiet`."""
    if record is None:
        return np.nan
    checked = metric.checked(parameters) if parameters else {}
    if type(record) is EdgeScores:  # isinstance with a Protocol takes as long as a formula
        return bound(metric, record, checked)
    if type(record) is CellProbabilities:
        return bound_of_probabilities(metric, record, checked)
    return within(metric.bounds, metric.formula(record, **checked))


def within(bounds: tuple[float, float], values: Any) -> Any:
    """Return values clipped to the range, which rounding may exceed."""
    low, high = bounds
    if isinstance(values, float):  # np.float64 is one
        if values > high:
            return high if values - high < _ROUNDING else values
        return low if values < low and low - values < _ROUNDING else values
    if not isinstance(values, np.ndarray) or values.dtype != np.float64:
        return values
    over, under = values > high, values < low
    if over.any():
        values = np.where(over & (values - high < _ROUNDING), high, values)
    return np.where(under & (low - values < _ROUNDING), low, values) if under.any() else values


def settle(
    metric: Any,
    values: Any,
    zero_division: Any,
    named: Problems | None = None,
    why: Callable[[], str] = lambda: "0/0",
) -> Any:
    """Replace undefined values by the value of the metric or of the caller.

    `why` gives the reason; it is called only for the warning.
    """
    if zero_division is STRICT or zero_division is SCORED:
        if zero_division is SCORED and metric.greater_is_better is not None:
            best = np.inf if metric.greater_is_better else -np.inf
            values = np.where(values == best, math.copysign(_ENDLESS, best), values)[()]
        if isinstance(values, float) or np.ndim(values) == 0:
            return values if math.isfinite(values) else np.nan
        return np.where(np.isfinite(values), values, np.nan)
    if isinstance(values, float) and values == values:
        return values
    filler = zero_division
    values = np.asarray(values, dtype=np.float64)
    if filler != filler:  # nan stays nan
        return values
    undefined = np.isnan(values)
    if not undefined.any():
        return values
    if filler == "warn":
        filler = metric.undefined
        where = "" if named is None else f" for {names_of(named, undefined)}"
        warn(
            f"{metric.name} is undefined ({why()}){where} and set to {filler:g}; zero_division= "
            f"sets "
            "another value and silences this warning.",
            UndefinedMetricWarning,
        )
    return np.where(undefined, filler, values)


def corrected(
    metric: Any, values: Any, record: Any, parameters: dict[str, Any], unit: float
) -> Any:
    """Return the values; infinite ones have half a unit (the least weight) added to every cell.

    If P and N are at least the least weight w, every table with an error has a value below that of
    the perfect one with w / 2 added, so the order is preserved; sums and means over folds are
    finite.
    """
    if metric.finite is None or record is None or not np.isinf(values).any():
        return values

    def more(counts: Counts) -> Counts:
        return Counts(*(cells + unit / 2 for cells in counts.cells))

    found = metric.finite(record, more, **metric.checked(parameters))
    return np.where(np.isinf(values), found, values)[()]


def value_of_record(
    metric: Any, record: Any, parameters: dict[str, Any], zero_division: Any
) -> Any:
    """Evaluate a metric on its record and replace undefined values."""
    values, filler = apply(metric, record, parameters), check_zero_division(zero_division)
    return settle(metric, values, filler, why=lambda: metric.why(record, parameters))


def average_values(
    metric: Any,
    values: Floats,
    problems: Problems,
    average: str | None,
    zero_division: Any,
) -> Any:
    """Replace undefined values per class, then average: unweighted ("macro") or by class size."""
    values = settle(metric, values, zero_division, problems, lambda: metric.why(None, {}))
    if average is None:
        return values
    weights = np.ones_like(values) if average == "macro" else problems.sizes
    counted = weights > 0  # a class without examples adds nothing, not even nan
    if isinstance(zero_division, Real) and np.isnan(float(zero_division)):
        counted = counted & ~np.isnan(values)
    elif metric.kind.needs_every_class:
        counted = counted | np.isnan(values)  # an average of AUCs needs every class with scores
    total = np.sum(weights, axis=-1, where=counted)
    with np.errstate(invalid="ignore"):
        sums = np.sum(values * weights, axis=-1, where=counted)
    clash = np.isnan(sums) & ~np.isnan(values).any(axis=-1)
    if (total > 0).all() and not clash.any():
        return within(metric.bounds, sums / total)
    means = np.divide(sums, total, where=total > 0, out=np.full_like(sums, np.nan))
    return settle(metric, means, zero_division, why=lambda: "inf - inf" if clash.any() else "0/0")


def names_of(problems: Problems, undefined: Array) -> str:
    """Name the problems with an undefined value, here or in any replicate along the leading axes."""
    anywhere = undefined.reshape(-1, undefined.shape[-1]).any(axis=0)
    names = problems.names[anywhere].tolist()
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"{problems.noun} {', '.join(map(repr, names[:_MOST_NAMED]))}{more}"


class Reading:
    """A metric with options, which are interpreted once and applied to any number of states.

    Parameters
    ----------
    metric : Metric
    options : mapping
        Keywords of its function, except the arrays and the options checked with them. Their
        `zero_division`, "warn" by default, may be STRICT or SCORED.
    """

    def __init__(self, metric: Any, options: Mapping[str, Any]) -> None:
        self.metric, self.options = metric, dict(options)
        given = self.options.pop("zero_division", "warn")
        known = given is STRICT or given is SCORED or (isinstance(given, str) and given == "warn")
        self.zero_division = given if known else check_zero_division(given)
        self.problem, self.parameters = metric.kind.select(metric, self.options, self.zero_division)

    def value(self, state: State) -> Any:
        """Return the metric of a state: a float, or one value per class, replicate or both."""
        with quiet():
            return self.value_quietly(state)

    def unreported(self, state: State) -> Any:
        """Return the metric of a state, without the warning that another value of it comes with."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            return self.value(state)

    def value_quietly(self, state: State) -> Any:
        """Return the metric of a state, within :func:`quiet`."""
        if state.read is None:
            return self._value(state)
        by_order = self.metric.kind.scale == "order"
        return state.read(
            self._value, bounded=self.metric.bounded, by_order=by_order, **self.options
        )

    def _value(self, state: Any) -> Any:
        problem = self.problem(state)
        return self.settled(problem, self.evaluated(problem, getattr(state, "unit", 1.0)))

    def evaluated(self, problem: Any, unit: float = 1.0) -> Any:
        """Return the formula's value of one problem, or of each of several; undefined ones are nan.

        `unit` is the least weight of a row.
        """
        metric, parameters = self.metric, self.parameters

        def evaluated(record: Any) -> Any:
            found = apply_quietly(metric, record, parameters)
            if self.zero_division is not SCORED:
                return found
            return corrected(metric, found, record, parameters, unit)

        one = problem.names is None
        return evaluated(problem.record) if one else problem.values(evaluated)

    def settled(self, problem: Problem | Problems, values: Any, zero_division: Any = None) -> Any:
        """Return the values of problems with undefined ones replaced, and averaged."""
        metric, parameters = self.metric, self.parameters
        zero_division = self.zero_division if zero_division is None else zero_division
        if problem.names is None:
            record = problem.record
            return settle(metric, values, zero_division, why=lambda: metric.why(record, parameters))
        average = self.options.get("average", metric.kind.options.get("average"))
        return average_values(metric, values, problem, average, zero_division)
