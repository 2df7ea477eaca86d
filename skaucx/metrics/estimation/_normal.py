"""Intervals from an estimate and its standard error, on a transformed scale."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from scipy import special

from ..._arrays import Bools, Floats
from .._records.counts import Counts
from .._registry.averaging import apply
from .._registry.row import Metric

Ends: TypeAlias = tuple[Floats, Floats]
# A width that can be rounding error.
_ROUNDING = 1e-12


class Limits(NamedTuple):
    """The limits of an interval, the standard error, and an optional name and note."""

    low: Floats
    high: Floats
    error: Floats
    method: str = ""
    note: str = ""

    @classmethod
    def nothing(cls, note: str = "", shape: tuple[int, ...] = ()) -> Limits:
        """Return no interval, with the reason."""
        nan = np.full(shape, np.nan)
        return cls(nan, nan, nan, note=note)


Forms: TypeAlias = dict[str, Callable[[], Limits]]


class Link(NamedTuple):
    """An increasing map of a metric's range onto the real line, its inverse, and its derivative."""

    forward: Callable[[Floats], Floats]
    inverse: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]


LOG = Link(np.log, np.exp, lambda x: 1 / x)


def quantile(confidence_level: float) -> float:
    """Return z such that a standard normal variable is in [-z, z] with this probability."""
    return float(special.ndtri((1 + confidence_level) / 2))


def logit(low: float, high: float) -> Link:
    """Return the log-odds of the relative position between two bounds; on [-1, 1] it is Fisher's z."""
    width = high - low
    return Link(
        lambda x: special.logit((x - low) / width),
        lambda y: low + width * special.expit(y),
        lambda x: width / ((x - low) * (high - x)),
    )


def link_of(bounds: tuple[float, float]) -> tuple[str, Link] | None:
    """Return the name and the link of a metric's range: "log", "logit", or None."""
    low, high = bounds
    if low == 0 and high == np.inf:
        return "log", LOG
    return ("logit", logit(low, high)) if np.isfinite(high - low) else None


def symmetric(estimate: Floats, half: Floats, bounds: tuple[float, float]) -> Ends:
    """Return the estimate -+ half, within the bounds."""
    return np.clip(estimate - half, *bounds), np.clip(estimate + half, *bounds)


def linked(estimate: Floats, half: Floats, link: Link) -> Ends:
    """Return the interval that is symmetric on the link's scale, with half-width `half`."""
    middle, reach = link.forward(estimate), half * link.slope(estimate)
    return link.inverse(middle - reach), link.inverse(middle + reach)


def ends_on(
    estimate: Floats, error: Floats, *, reach: float, bounds: tuple[float, float], link: Link | None
) -> Ends:
    """Return the interval of `reach` standard errors, on the scale of the link if there is one."""
    if link is None:
        return symmetric(estimate, reach * error, bounds)
    with np.errstate(divide="ignore", invalid="ignore"):
        return linked(estimate, reach * error, link)


def on_scale(estimate: Floats, error: Floats, reach: float, bounds: tuple[float, float]) -> Ends:
    """Return the interval of `reach` standard errors on the scale of the metric's range."""
    named = link_of(bounds)
    return ends_on(estimate, error, reach=reach, bounds=bounds, link=named and named[1])


def flat(found: Limits) -> Bools:
    """Whether the limits of an interval are equal up to rounding."""
    return np.asarray(~(found.high > found.low + _ROUNDING))


def wald(x: Floats, n: Floats, confidence_level: float) -> Ends:
    """The share p = x / n -+ z sqrt(p (1 - p) / n)."""
    p = x / n
    return _clipped(p, quantile(confidence_level) * np.sqrt(p * (1 - p) / n))


def agresti_coull(x: Floats, n: Floats, confidence_level: float) -> Ends:
    """Wald's interval after z^2 / 2 successes and as many failures are added."""
    z2 = quantile(confidence_level) ** 2
    return wald(x + z2 / 2, n + z2, confidence_level)


def wilson(x: Floats, n: Floats, confidence_level: float) -> Ends:
    """The p that a score test does not reject: |x/n - p| <= z sqrt(p (1 - p) / n)."""
    return score_interval(x, n, quantile(confidence_level))


def score_interval(x: Floats, n: Floats, z: float) -> Ends:
    """Wilson's interval of z standard errors."""
    half = z * np.sqrt(x * (n - x) / n + z**2 / 4) / (n + z**2)
    low, high = _clipped((x + z**2 / 2) / (n + z**2), half)
    return np.where(x == 0, 0.0, low), np.where(x == n, 1.0, high)


def clopper_pearson(x: Any, n: Any, confidence_level: Any) -> Ends:
    """The p that neither one-sided exact binomial test rejects."""
    tail, none, every = (1 - confidence_level) / 2, x <= 0, x >= n
    low = special.betaincinv(np.where(none, 1, x), np.where(none, 1, n - x + 1), tail)
    high = special.betaincinv(np.where(every, 1, x + 1), np.where(every, 1, n - x), 1 - tail)
    return np.where(none, 0.0, low), np.where(every, 1.0, high)


def jeffreys(x: Floats, n: Floats, confidence_level: float) -> Ends:
    """Equal-tailed posterior interval under Jeffreys' prior, including 0 or 1 if x is extreme."""
    tail = (1 - confidence_level) / 2
    low = special.betaincinv(x + 0.5, n - x + 0.5, tail)
    high = special.betaincinv(x + 0.5, n - x + 0.5, 1 - tail)
    return np.where(x == 0, 0.0, low), np.where(x == n, 1.0, high)


PROPORTION_METHODS: dict[str, Callable[[Floats, Floats, float], Ends]] = {
    "wilson": wilson,
    "clopper-pearson": clopper_pearson,
    "agresti-coull": agresti_coull,
    "jeffreys": jeffreys,
    "wald": wald,
}


def share_of_counts(
    metric: Metric, record: Counts | Floats, parameters: Mapping[str, Any]
) -> tuple[float, float] | None:
    """Return numerator and denominator of a metric that is a ratio of sums of counts, else None.

    The formula is evaluated once on symbolic cells that support only addition and one division.
    """
    try:
        share = apply(metric, _as_cells(record), dict(parameters))
    except (TypeError, AttributeError, ValueError):
        return None
    return (share.part.value, share.whole.value) if isinstance(share, _Share) else None


class _Share:
    """A sum of cells divided by a sum that contains it."""

    def __init__(self, part: _Cells, whole: _Cells) -> None:
        self.part, self.whole = part, whole


class _Cells:
    """A sum of distinct cells of a table."""

    def __init__(self, names: frozenset[int], value: float) -> None:
        self.names, self.value = names, value

    def __add__(self, other: Any) -> _Cells:
        if not isinstance(other, _Cells) or self.names & other.names:
            return NotImplemented
        return _Cells(self.names | other.names, self.value + other.value)

    def __radd__(self, other: Any) -> _Cells:
        return self if other == 0 else NotImplemented  # the start of a sum of cells

    def __truediv__(self, other: Any) -> _Share:
        if not isinstance(other, _Cells) or not self.names < other.names:
            return NotImplemented
        return _Share(self, other)


def _as_cells(record: Counts | Floats) -> Any:
    values = np.array(getattr(record, "cells", record))
    cells = np.empty(values.shape, dtype=object)
    for name, (place, value) in enumerate(np.ndenumerate(values)):
        cells[place] = _Cells(frozenset([name]), float(value))
    return Counts(*cells) if isinstance(record, Counts) else cells


def _clipped(middle: Floats, half: Floats) -> Ends:
    return np.clip(middle - half, 0, 1), np.clip(middle + half, 0, 1)


# Halvings of [0, 1] that reach the resolution of float64.
_HALVINGS = 60

T = TypeVar("T", float, Floats)


def exponential_covariances(auc: T) -> tuple[T, T]:
    """Return Q1 - A^2 and Q2 - A^2, the covariances of two pairs that share an example.

    For exponential scores Q1 = A / (2 - A), if the positive differs, and Q2 = 2 A^2 / (1 + A), if
    the negative does (Hanley & McNeil 1982).
    """
    return auc * (1 - auc) ** 2 / (2 - auc), auc**2 * (1 - auc) / (1 + auc)


def exponential_variance(auc: Floats, positives: float, negatives: float) -> Floats:
    """Return P N times the variance of an AUC of exponential scores (Hanley & McNeil 1982, eq. 1)."""
    q1, q2 = exponential_covariances(auc)
    return np.asarray(auc * (1 - auc) + (positives - 1) * q1 + (negatives - 1) * q2)


def hanley_mcneil_variance(auc: Floats, positives: int, negatives: int) -> Floats:
    """Return the variance of an AUC of exponential scores."""
    return exponential_variance(auc, positives, negatives) / (positives * negatives)


def newcombe(auc: Floats, positives: int, negatives: int, confidence_level: float) -> Ends:
    """Return the AUCs that a score test does not reject (Newcombe 2006, method 5).

    Its variance is that of Hanley & McNeil at the AUC tested, with both classes as large as their
    mean: A (1 - A) (1 + m (1 - A) / (2 - A) + m A / (1 + A)) / (P N), m = (P + N) / 2 - 1.
    """
    return _not_rejected(auc, positives, negatives, quantile(confidence_level), np.asarray(1.0))


def score_t(
    auc: Floats, parts: Floats, positives: int, negatives: int, confidence_level: float
) -> Ends:
    """Return the AUCs that a score test with the variance of the data does not reject.

    Newcombe's variance V(A) of exponential scores is scaled to DeLong's: it is multiplied by (D + 2
    U) / (V(auc) + 2 U), with D = S10 / P + S01 / N. U, the variance of an AUC of 1 - 1 / (2 min(P,
    N)), gives Newcombe's variance if nearly all pairs are ranked correctly and D is uninformative.
    Student's t has the degrees of freedom of Brunner & Munzel for both terms of D + 2 U.
    """
    sizes = np.array([positives, negatives]).reshape(2, *[1] * (parts.ndim - 1))
    few = _of_mean_sizes(np.asarray(1 - 0.5 / sizes.min()), positives, negatives)
    size = (parts.sum(axis=0) + 2 * few) / (_of_mean_sizes(auc, positives, negatives) + 2 * few)
    freedom = (parts + few).sum(axis=0) ** 2 / ((parts + few) ** 2 / (sizes - 1)).sum(axis=0)
    reach = special.stdtrit(freedom, (1 + confidence_level) / 2)
    return _not_rejected(auc, positives, negatives, reach, np.asarray(size))


def _of_mean_sizes(auc: Floats, positives: int, negatives: int) -> Floats:
    size = (positives + negatives) / 2
    return exponential_variance(auc, size, size) / (positives * negatives)


def _not_rejected(auc: Floats, positives: int, negatives: int, reach: Any, size: Floats) -> Ends:
    def accepted(a: Floats) -> Bools:
        spread = size * _of_mean_sizes(a, positives, negatives)
        return np.abs(a - auc) <= reach * np.sqrt(spread)

    return edge(accepted, auc, np.zeros_like(auc)), edge(accepted, auc, np.ones_like(auc))


def edge(accepted: Callable[[Floats], Bools], inside: Floats, outside: Floats) -> Floats:
    """Bisect for the last accepted value between one inside and an end of the range."""
    outside = np.where(accepted(outside) & (outside == inside), inside, outside)
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        within = accepted(middle)
        inside, outside = np.where(within, middle, inside), np.where(within, outside, middle)
    return np.asarray((inside + outside) / 2)


def exact(
    value: Floats, independent: int, confidence_level: float, bounds: tuple[float, float]
) -> Ends:
    """Return an interval for a mean of h if every pair of the sample has the same h.

    k = `independent` disjoint pairs are independent, and all have h = c. By the argument of Clopper
    and Pearson, h = c has a probability of at least b = (alpha / 2)^(1 / k), so the mean of h is
    between b c + (1 - b) times its least and its greatest value, for any distribution of the
    scores.
    """
    share = ((1 - confidence_level) / 2) ** (1 / independent)
    low, high = (np.asarray(share * value + (1 - share) * end) for end in bounds)
    return low, high
