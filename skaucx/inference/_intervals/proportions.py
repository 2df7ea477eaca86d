"""Intervals of shares of rows, and of metrics that are one in disguise."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from ..._arrays import Floats
from ...metrics._kinds.averages import mean_over_classes
from ...metrics._records.counts import Counts
from ...metrics._registry.row import Metric, apply
from ...metrics._registry.samples import MetricOnSample
from .bootstrap import Ends
from .limits import quantile, symmetric


def wilson(x: Floats, n: Floats, confidence_level: float) -> Ends:
    """The p that a score test does not reject: |x/n - p| <= z sqrt(p (1 - p) / n)."""
    return score_interval(x, n, quantile(confidence_level))


def score_interval(x: Floats, n: Floats, z: float) -> Ends:
    """Wilson's interval of z standard errors."""
    # (x + z^2 / 2 -+ z sqrt(x (n - x) / n + z^2 / 4)) / (n + z^2) (Wilson 1927)
    half = z * np.sqrt(x * (n - x) / n + z**2 / 4) / (n + z**2)
    low, high = symmetric((x + z**2 / 2) / (n + z**2), half, (0, 1))
    return np.where(x == 0, 0.0, low), np.where(x == n, 1.0, high)


def clopper_pearson(x: Any, n: Any, confidence_level: Any) -> Ends:
    """The p that neither one-sided exact binomial test rejects."""
    tail, none, every = (1 - confidence_level) / 2, x <= 0, x >= n
    # Quantiles of Beta(x, n - x + 1) and Beta(x + 1, n - x) (Clopper & Pearson 1934).
    low = special.betaincinv(np.where(none, 1, x), np.where(none, 1, n - x + 1), tail)
    high = special.betaincinv(np.where(every, 1, x + 1), np.where(every, 1, n - x), 1 - tail)
    return np.where(none, 0.0, low), np.where(every, 1.0, high)


PROPORTION_METHODS: dict[str, Callable[[Floats, Floats, float], Ends]] = {
    "wilson": wilson,
    "clopper-pearson": clopper_pearson,
}


@dataclass(frozen=True)
class ShareForm:
    r"""A metric that is an increasing function of one share s = A / (A + B) of counts.

    .. math:: \frac{p_1 A + p_2 B}{w_1 A + w_2 B} = \frac{p_1 s + p_2 (1 - s)}{w_1 s + w_2 (1 - s)}

    F1 is 2 J / (1 + J) of the Jaccard index J = TP / (TP + FP + FN), and has its limits so mapped.
    """

    part: float
    whole: float
    of_part: tuple[float, float]
    of_rest: tuple[float, float]

    @property
    def itself(self) -> bool:
        """Whether the metric is the share."""
        (p, w), rest = self.of_part, self.of_rest
        return rest == (0, w) and p == w

    @property
    def linear(self) -> bool:
        """Whether the metric is linear in the share."""
        return self.of_part[1] == self.of_rest[1]

    def at(self, share: Floats) -> Floats:
        """Return the metric at a share."""
        if self.itself:
            return share
        (p, w), (q, v) = self.of_part, self.of_rest
        return np.asarray((p * share + q * (1 - share)) / (w * share + v * (1 - share)))

    def slope(self, share: Floats) -> Floats:
        """Return the derivative of the metric."""
        (p, w), (q, v) = self.of_part, self.of_rest
        # (p s + q (1 - s)) / (w s + v (1 - s)), by the quotient rule.
        return np.asarray((p * v - q * w) / (w * share + v * (1 - share)) ** 2)

    def limits(self, value: Floats, variance: Any, reach: float) -> Ends:
        """Return Wilson's limits of the metric, of the size at which a share has its variance."""
        (p, w), (q, v) = self.of_part, self.of_rest
        # The inverse of the metric; then n of slope^2 s (1 - s) / n = variance.
        share = (value * v - q) / (p - q - value * (w - v))
        size = np.asarray(share * (1 - share) * self.slope(share) ** 2 / variance)
        low, high = score_interval(share * size, size, reach)
        return self.at(low), self.at(high)


_FEW_CLASSES = 3  # whose table has cells of every sort: right, wrong, and of one class or another


def share_form(
    metric: Metric, record: Counts | Floats, parameters: Mapping[str, Any]
) -> ShareForm | None:
    """Return the share of counts of which a metric is an increasing function, else None.

    The formula is evaluated once on symbolic cells that support only addition, multiples and one
    division. Of a table of many classes, whose K^2 cells would be too many, on one of three with its
    right and its wrong rows; the form holds if it gives the value of the whole table. Counts of several
    classes against the rest count an example once a class: no ratio of their sums is a share.
    """
    if (counted := getattr(record, "cells", None)) is not None:
        values = np.array(counted)
        several = values.ndim > 1
        return None if several else _form_of(metric, Counts(*_as_cells(values)), parameters)
    table: Floats = np.asarray(record)
    if len(table) <= _FEW_CLASSES:
        return _form_of(metric, _as_cells(table), parameters)
    right = np.eye(len(table), dtype=bool)
    few = np.zeros((_FEW_CLASSES, _FEW_CLASSES))
    few[0, :2] = math.fsum(table[right]), math.fsum(table[~right])
    form = _form_of(metric, _as_cells(few), parameters)
    if form is None:
        return None
    value = form.at(np.asarray(form.part) / form.whole)
    whole = apply(metric, table, dict(parameters))
    return form if np.isclose(value, whole, atol=0, equal_nan=True) else None


def _form_of(metric: Metric, cells: Any, parameters: Mapping[str, Any]) -> ShareForm | None:
    try:
        found = apply(metric, cells, dict(parameters))
    except (TypeError, AttributeError, ValueError):
        return None
    found = found.item() if isinstance(found, np.ndarray) and not found.ndim else found
    return found if isinstance(found, ShareForm) else None


class _Cells:
    """A sum of multiples of the cells of a table."""

    def __init__(self, times: Mapping[int, float], values: Mapping[int, float]) -> None:
        self.times = {name: many for name, many in times.items() if many}
        self.values = values

    def __add__(self, other: Any) -> _Cells:
        if isinstance(other, (int, float)) and other == 0:  # the start of a sum of cells
            return self
        if not isinstance(other, _Cells):
            return NotImplemented
        names = self.times.keys() | other.times.keys()
        times = {name: self.times.get(name, 0) + other.times.get(name, 0) for name in names}
        return _Cells(times, {**self.values, **other.values})

    __radd__ = __add__

    def __mul__(self, many: Any) -> _Cells:
        if not isinstance(many, (int, float)) or not 0 <= many < np.inf:
            return NotImplemented
        return _Cells({name: many * own for name, own in self.times.items()}, self.values)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> ShareForm:
        if not isinstance(other, _Cells):
            return NotImplemented
        names = sorted(self.times.keys() | other.times.keys())
        pairs = {name: (self.times.get(name, 0), other.times.get(name, 0)) for name in names}
        kinds = set(pairs.values())
        if len(kinds) != 2 or not all(whole > 0 for _, whole in kinds):
            return NotImplemented
        rest, part = sorted(kinds, key=lambda kind: kind[0] / kind[1])
        if rest[0] * part[1] == part[0] * rest[1]:
            return NotImplemented
        sums = {
            kind: math.fsum(other.values[name] for name in names if pairs[name] == kind)
            for kind in kinds
        }
        return ShareForm(sums[part], sums[part] + sums[rest], part, rest)


def _as_cells(values: Floats) -> Any:
    cells = np.empty(values.shape, dtype=object)
    for name, (place, value) in enumerate(np.ndenumerate(values)):
        cells[place] = _Cells({name: 1}, {name: float(value)})
    return cells


def form_of(on: MetricOnSample) -> ShareForm | None:
    """Return the share of the sample of which a metric is an increasing function, else None."""
    average = on.options.get("average", "binary")
    if average == "binary":
        return share_form(on.metric, on.record, on.parameters)
    if mean_over_classes(average) == "by size" and _of_true_rows(on):
        # sum_k n_k (A_k / n_k) / sum_k n_k is the ratio of the sums
        return share_form(on.metric, on.sample.state.each(average)[0].pooled, on.parameters)
    if average != "micro" or not hasattr(counts := on.record, "tp"):
        return None
    state: Any = on.sample.state
    outcomes, size = state.outcomes, len(state.classes)
    right, rows = float(np.trace(outcomes)), float(outcomes.sum())
    found = counts.tp, counts.fp, counts.fn, counts.total
    if not np.allclose(found, (right, rows - right, rows - right, size * rows), atol=0):
        return None
    # Micro-averaged over all classes, a right prediction is one tp and K - 1 tn, a wrong one a fp, a fn
    # and K - 2 tn: every ratio of these is a function of accuracy.
    values = {0: right, 1: rows - right}
    times = ({0: 1}, {1: 1}, {1: 1}, {0: size - 1, 1: size - 2})
    cells: Any = [_Cells(own, values) for own in times]
    return _form_of(on.metric, Counts(*cells), on.parameters)


def _of_true_rows(on: MetricOnSample) -> bool:
    """Whether the metric of a class is a share of its true rows, as recall is."""
    probe = Counts(*np.array([1.0, 10.0, 100.0, 1000.0]))
    form = None if on.metric.kind.of_counts is None else share_form(on.metric, probe, on.parameters)
    return form is not None and form.itself and form.whole == probe.tp + probe.fn


def share_of(on: MetricOnSample) -> tuple[float, float] | None:
    """Return the two sums of counts whose ratio a metric is, or None if it is not a proportion."""
    form = form_of(on)
    return (form.part, form.whole) if form is not None and form.itself else None
