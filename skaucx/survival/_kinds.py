"""Times until an event, some of them censored, with predicted risks or survival functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .._arrays import (
    Array,
    Bools,
    Codes,
    Floats,
    check_same_length,
    float_array,
    host_array,
    rows_of,
    score_array,
)
from .._compat import warn
from ..metrics._kinds import Record
from ..metrics._kinds.base import TRUE, Inputs, Kind, Sample

# With fewer events intervals carry a note (``python -m benchmarks.survival_coverage``).
FEWEST_EVENTS = 30
_FEW_EVENTS = "{} events: below {} coverage is not guaranteed"
# Standard errors below 1/2, and events, from which risks seem to have the wrong direction.
_CLEARLY, _FEWEST_EVENTS = 3, 10
_WRONG_WAY = (
    "Harrell's C of {} is {:.3f}, clearly below 1/2: greater values must mean earlier events. "
    "Of predicted times or survival probabilities pass the negative."
)
_CAUSES = (
    "{}: found neither two columns of which one is an event indicator of 0 and 1 (or False and "
    "True), nor a structured array with a field of such events and one of times. Several causes of "
    "events (competing risks) are not supported: the concordances and AUCs in use differ in which "
    "rows are controls (Wolbers et al. 2009, Blanche et al. 2013); recode the event of interest as "
    "1."
)


class ProductLimit:
    r"""Kaplan and Meier's estimate of the survival function of events, or of censoring.

    An event and a censoring at one time are taken in this order: the censored row was at risk of the
    event, the row with the event was not at risk of censoring any more.

    Attributes
    ----------
    times : ndarray of shape (n_times,), float64
        The distinct times, rising.
    value : ndarray of shape (n_times,), float64
        :math:`\prod_{u \le t} (1 - d_u / Y_u)` at each of them.
    """

    def __init__(self, time: Floats, event: Bools, weight: Floats, *, censoring: bool) -> None:
        self.times, self.codes = np.unique(time, return_inverse=True)
        self.ends = ~event if censoring else event
        self.censoring = censoring
        size = len(self.times)
        whole = np.bincount(self.codes, weight, size)
        events = np.bincount(self.codes, weight * event, size)
        from_here = np.cumsum(whole[::-1])[::-1]
        later = np.append(from_here[1:], 0.0)
        self.at_risk = later + (whole - events if censoring else whole)
        self.left = later if censoring else later + (whole - events)
        self._whole = from_here
        ratio = np.divide(self.left, self.at_risk, where=self.at_risk > 0, out=np.ones(size))
        self.value = np.cumprod(np.where(self._drops, ratio, 1.0))

    @property
    def _drops(self) -> Bools:
        return np.bincount(self.codes, self.ends, len(self.times)) > 0

    def at(self, time: Any, *, before: bool = False) -> Floats:
        """Return S(t), or S(t-) `before` the jump at t."""
        return np.append(1.0, self.value)[self._factors(time, before)]

    def _factors(self, time: Any, before: bool) -> Codes:
        return np.searchsorted(self.times, time, "left" if before else "right")

    def slopes(self, time: Any, change: Any, *, before: bool = False) -> Floats:
        r"""Return :math:`\sum_j a_j \, \partial \log S(t_j) / \partial w_i` for every row i.

        A row at risk beyond a jump adds :math:`1 / (Y - d) - 1 / Y` to the derivative of its factor's
        logarithm, one that ends there :math:`-1 / Y`.
        """
        factors, size = self._factors(np.ravel(time), before), len(self.times)
        sums = np.bincount(factors, np.ravel(change), size + 1)
        after = np.cumsum(sums[::-1])[::-1][1:]  # a_j of the t_j whose product has the factor
        known = self._drops & (self.left > 0)
        stays = np.zeros(size)
        np.divide(self.at_risk - self.left, self.at_risk * self.left, where=known, out=stays)
        stays *= after
        goes = -np.divide(after, self.at_risk, where=known, out=np.zeros(size))
        past = np.append(0.0, np.cumsum(stays))[self.codes]
        there = 0.0 if self.censoring else stays[self.codes]
        return np.asarray(past + np.where(self.ends, goes[self.codes], there))


class PairSums(NamedTuple):
    r"""Sums over comparable pairs of every row's partners.

    Attributes
    ----------
    won : ndarray of shape (n,), float64
        Of a case: :math:`\sum_j b_j \phi(r_i - r_j)` over the rows j that end later.
    among : ndarray of shape (n,), float64
        Of a case: :math:`\sum_j b_j` over them.
    lost, of : ndarray of shape (n,), float64
        The same of a row j over the cases i that end earlier, of weight :math:`a_i`.
    """

    won: Floats
    among: Floats
    lost: Floats
    of: Floats


def pair_sums(key: Codes, risk: Floats, cases: Floats, others: Floats) -> PairSums:
    r"""Sum over the pairs of a row i and a row j of greater key, in O(n log n).

    :math:`\phi` is 1 where the case has the higher risk, 1/2 for equal risks, else 0. Rows are parted by
    the bits of the rank of their risk from the highest to the lowest; the pairs that a bit parts are
    summed by running sums in the order of the keys.
    """
    n = len(key)
    rank = np.unique(risk, return_inverse=True)[1]
    order = np.lexsort((rank, key))  # within a key no later row has a lower risk
    won, lost = np.zeros(n), np.zeros(n)
    row, code, a, b = order, rank[order], cases[order], others[order]
    start, end = np.zeros(n, dtype=np.intp), np.full(n, n)
    place = np.arange(n)
    for bit in range(int(rank.max(initial=0)).bit_length() - 1, -1, -1):
        high = (code >> bit) & 1 == 1
        below = _running(np.where(high, 0.0, b))
        above = _running(np.where(high, a, 0.0))
        won[row] += np.where(high, below[end] - below[place], 0.0)
        lost[row] += np.where(high, 0.0, above[place] - above[start])
        lows = np.append(0, np.cumsum(~high))
        before = lows[:-1] - lows[start]
        middle = start + lows[end] - lows[start]
        to = np.where(high, middle + place - start - before, start + before)
        start, end = np.where(high, middle, start), np.where(high, end, middle)
        row, code, a, b, start, end = (_moved(x, to) for x in (row, code, a, b, start, end))
    tied_won, tied_lost = _alike(rank, key, cases, others)
    among, of = _alike(np.zeros(n, dtype=np.intp), key, cases, others)
    return PairSums(won + tied_won / 2, among, lost + tied_lost / 2, of)


def _running(values: Floats) -> Floats:
    return np.append(0.0, np.cumsum(values))


def _moved(values: Array, to: Codes) -> Array:
    found = np.empty_like(values)
    found[to] = values
    return found


def _alike(part: Codes, key: Codes, cases: Floats, others: Floats) -> tuple[Floats, Floats]:
    """Return sums of `others` of greater key, and of `cases` of lower, within each row's part."""
    order = np.lexsort((key, part))
    parts, keys = part[order], key[order]
    new = np.append(True, parts[1:] != parts[:-1])
    step = new | np.append(True, keys[1:] != keys[:-1])
    starts, bounds = np.flatnonzero(new), np.flatnonzero(step)
    first = starts[np.cumsum(new) - 1]
    last = np.append(starts[1:], len(key))[np.cumsum(new) - 1]
    own = np.cumsum(step) - 1
    here, beyond = bounds[own], np.append(bounds[1:], len(key))[own]
    after, before = _running(others[order]), _running(cases[order])
    won, lost = np.empty(len(key)), np.empty(len(key))
    won[order] = after[last] - after[beyond]
    lost[order] = before[here] - before[first]
    return won, lost


@dataclass(frozen=True, eq=False)
class Survival(Record):
    """Times with whether each ends in an event; the base of the two records below."""

    time: Floats
    event: Bools

    @cached_property
    def censoring(self) -> ProductLimit:
        """The probability of not being censored."""
        return ProductLimit(self.time, self.event, self.weights, censoring=True)

    @cached_property
    def survival(self) -> ProductLimit:
        """The probability of no event."""
        return ProductLimit(self.time, self.event, self.weights, censoring=False)


@dataclass(frozen=True, eq=False)
class Risks(Survival):
    """Times, events, and risks of shape (n,), or (n, n_times) where they change with time."""

    risk: Floats
    weight: Floats | None = None

    @cached_property
    def key(self) -> Codes:
        """The order of the ends: an event before what is censored at its time."""
        return 2 * np.unique(self.time, return_inverse=True)[1] + ~self.event

    @cached_property
    def pairs(self) -> PairSums:
        """Sums over the pairs of an event and a row that ends later."""
        if self.risk.ndim != 1:
            raise ValueError(
                "y_score must hold one risk an example, shape (n_samples,), for a concordance, "
                f"found shape {self.risk.shape}."
            )
        return pair_sums(self.key, self.risk, self.weights * self.event, self.weights)


@dataclass(frozen=True, eq=False)
class SurvivalFunctions(Survival):
    """Times, events, and probabilities of no event, a column a time.

    `grid` are the times of the columns; None where the metric's parameter names them.
    """

    by_row: ClassVar[tuple[str, ...]] = ("time", "event", "probability")

    probability: Floats
    grid: Floats | None = None
    weight: Floats | None = None

    def at(self, times: Floats) -> Floats:
        """Return the probabilities at some times, shape (n, n_times)."""
        if self.grid is None:
            if self.probability.shape[1] != len(times):
                raise ValueError(
                    f"y_pred has {self.probability.shape[1]} columns for {len(times)} times; pass "
                    "a column for each, a frame whose columns are named by their times, or step "
                    "functions."
                )
            return self.probability
        if times.max() > self.grid[-1]:
            raise ValueError(
                f"The time {times.max():g} lies beyond the last time of the predictions in y_pred, "
                f"{self.grid[-1]:g}."
            )
        steps = np.column_stack([np.ones(len(self.probability)), self.probability])
        return steps[:, np.searchsorted(self.grid, times, "right")]


def survival_times(values: Any, name: str) -> tuple[Floats, Bools]:
    """Return times and events from a structured array, two columns, or a frame of two columns."""
    names = getattr(getattr(values, "dtype", None), "names", None)
    if names is not None:
        columns = [host_array(values[field]) for field in names]
    elif hasattr(values, "columns"):
        named = getattr(values, "column_names", values.columns)  # columns of Arrow are the arrays
        columns = [host_array(values[column]) for column in named]
    else:
        array = host_array(values)
        if array.ndim != 2:
            raise ValueError(
                f"{name} must hold times and events, as a structured array or as two columns, "
                f"found shape {array.shape}."
            )
        columns = list(array.T)
    if len(columns) != 2:
        raise ValueError(f"{name} must hold times and events, found {len(columns)} columns.")
    first, second = (float_array(column, name) for column in columns)
    # The times may all be 1: of two columns of 0 and 1 the events are those with a 0, or the second.
    if _indicates(second) and (not _indicates(first) or first.all()):
        time, event = first, second
    elif _indicates(first):
        time, event = second, first
    else:
        raise ValueError(_CAUSES.format(name))
    odd = ~(np.isfinite(time) & (time > 0))
    if odd.any():
        raise ValueError(f"{name} must hold finite times > 0; it does not in {rows_of(odd)}.")
    return time, event == 1


def _indicates(values: Floats) -> bool:
    return bool(((values == 0) | (values == 1)).all())


def check_risks(
    y_true: Any,
    y_score: Any,
    *,
    names: Sequence[str] = ("y_true", "y_score"),
    sample_weight: Any = None,
) -> Risks:
    """Check survival times with risks, where greater risks mean earlier events."""
    time, event = survival_times(y_true, names[0])
    risk = score_array(y_score, names[1])
    check_same_length({names[0]: time, names[1]: risk})
    risk = risk[:, 0] if risk.ndim == 2 and risk.shape[1] == 1 else risk
    record = Risks(time, event, risk).weighed(sample_weight)
    if record.risk.ndim == 1 and record.event.sum() >= _FEWEST_EVENTS:
        _warn_of_direction(record, names[1])
    return record


def _warn_of_direction(record: Risks, name: str) -> None:
    pairs, weight = record.pairs, record.weights
    total = float((weight * record.event) @ pairs.among)
    value = float((weight * record.event) @ pairs.won) / total if total > 0 else 0.5
    slopes = record.event * (pairs.won - value * pairs.among) + pairs.lost - value * pairs.of
    if total > 0 and value + _CLEARLY * float(np.linalg.norm(weight * slopes)) / total < 0.5:
        warn(_WRONG_WAY.format(name, value))


def check_survival_functions(
    y_true: Any,
    y_pred: Any,
    *,
    names: Sequence[str] = ("y_true", "y_pred"),
    sample_weight: Any = None,
) -> SurvivalFunctions:
    """Check survival times with probabilities of no event."""
    time, event = survival_times(y_true, names[0])
    probability, grid = survival_probabilities(y_pred, names[1])
    check_same_length({names[0]: time, names[1]: probability})
    odd = np.asarray(~((probability >= 0) & (probability <= 1)).all(axis=1))
    if odd.any():
        raise ValueError(
            f"{names[1]} must hold probabilities of no event in [0, 1]; it does not in "
            f"{rows_of(odd)}."
        )
    return SurvivalFunctions(time, event, probability, grid).weighed(sample_weight)


def survival_probabilities(values: Any, name: str) -> tuple[Floats, Floats | None]:
    """Return probabilities, one column per time, and the times; None if no times are given."""
    if hasattr(values, "columns"):
        return _of_frame(values, name)
    array = host_array(values)
    if array.dtype == object and array.ndim == 1 and len(array) and callable(array[0]):
        grid = np.unique(np.concatenate([each.x for each in array]))
        within = min(float(each.x[-1]) for each in array)
        grid = grid[grid <= within].astype(np.float64)
        return np.stack([np.atleast_1d(each(grid)) for each in array]).astype(np.float64), grid
    array = float_array(values, name)
    if array.ndim not in (1, 2):
        raise ValueError(
            f"{name} must hold probabilities of shape (n_samples, n_times), a frame of them whose "
            f"columns are named by their times, or step functions, found shape {array.shape}."
        )
    return array.reshape(len(array), -1), None


def _of_frame(frame: Any, name: str) -> tuple[Floats, Floats]:
    try:
        grid = np.array([float(column) for column in frame.columns])
    except (TypeError, ValueError):
        grid = np.array([np.nan])
    if not (np.isfinite(grid).all() and (np.diff(grid) > 0).all()):
        raise ValueError(
            f"{name}: the columns of a frame must be named by their times, rising; of one with a "
            "row a time and a column an example pass the transpose, .T."
        )
    return float_array(np.asarray(frame), name), grid


class SurvivalSample(Sample):
    """Rows with times and events."""

    def __init__(self, record: Any, inputs: Inputs, collapse: bool = False) -> None:
        super().__init__(record, inputs, collapse)
        events = int(record.event.sum())
        if events < FEWEST_EVENTS:
            self.caution = _FEW_EVENTS.format(events, FEWEST_EVENTS)


def _two_columns(values: Any, name: str) -> Floats:
    return np.column_stack(survival_times(values, name))


def _rows_of_functions(values: Any, name: str) -> Any:
    return values if hasattr(values, "columns") else host_array(values)


_TEXTS: Mapping[str, str] = {
    TRUE: """array-like of shape (n_samples,) or (n_samples, 2)
    Times until the event or censoring, and whether it is an event: a structured array of both, or two
    columns (also of a frame), of which the one of 0 and 1, or False and True, holds the events.""",
    "y_score": """array-like of shape (n_samples,) or (n_samples, n_times)
    Risks: greater ones mean earlier events. A column a time where they change with time.""",
    "y_pred": """array-like of shape (n_samples, n_times) or (n_samples,)
    Probabilities of no event: a column a time, a frame whose columns are named by their times, or
    step functions as scikit-survival's ``predict_survival_function`` returns them.""",
}


class _Endless:
    """A survival function that never falls."""

    x: ClassVar[Floats] = np.array([np.inf])

    def __call__(self, time: Floats) -> Floats:
        return np.ones(len(time))


def _of_no_event(y: Any) -> Array:
    # Of a perfect prediction all times of events would be steps of every function.
    functions = np.empty(len(y), dtype=object)
    functions[:] = _Endless()
    return functions


_SURVIVAL = partial(Inputs, sample=SurvivalSample, read_true=_two_columns, texts=_TEXTS)
RISKS = _SURVIVAL("risks", "y_score", check_risks, perfect=lambda y: -survival_times(y, TRUE)[0])
SURVIVAL_FUNCTIONS = _SURVIVAL(
    "survival functions",
    "y_pred",
    check_survival_functions,
    read=_rows_of_functions,
    perfect=_of_no_event,
)

SURVIVAL_RISKS = Kind("survival_risks", RISKS)
SURVIVAL_PROBABILITIES = Kind(
    "survival_probabilities", SURVIVAL_FUNCTIONS, response_method=("predict_survival_function",)
)
