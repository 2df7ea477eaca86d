"""Limits of an interval: the scale on which they are symmetric, and the inversion of a test."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy import special

from ..._arrays import Bools, Floats
from .bootstrap import Ends

# A width, and a variance relative to that of independent rows, that can be rounding error.
ROUNDING = 1e-12


class IntervalEstimate(NamedTuple):
    """The limits of an interval, the standard error, and an optional name and note."""

    low: Floats
    high: Floats
    error: Floats
    method: str = ""
    note: str = ""

    @classmethod
    def nothing(cls, note: str = "", shape: tuple[int, ...] = ()) -> IntervalEstimate:
        """Return no interval, with the reason."""
        nan = np.full(shape, np.nan)
        return cls(nan, nan, nan, note=note)


Forms: TypeAlias = dict[str, Callable[[float], IntervalEstimate]]


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
        # d/dx log((x - low) / (high - x))
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


def has_zero_width(found: IntervalEstimate) -> Bools:
    """Whether the limits of an interval are equal up to rounding."""
    return np.asarray(~(found.high > found.low + ROUNDING))


# Halvings of [0, 1] that reach the resolution of float64.
HALVINGS = 60


def invert_test(accepted: Callable[[Floats], Bools], inside: Floats) -> Ends:
    """Return the ends of the accepted part of [0, 1] around a value inside."""
    both, outside = (
        np.stack([inside, inside]),
        np.stack([np.zeros_like(inside), np.ones_like(inside)]),
    )
    low, high = bisect(accepted, both, outside)
    return low, high


def bisect(accepted: Callable[[Floats], Bools], inside: Floats, outside: Floats) -> Floats:
    """Bisect for the last accepted value between one inside and an end of the range."""
    outside = np.where(accepted(outside) & (outside == inside), inside, outside)
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        within = accepted(middle)
        inside, outside = np.where(within, middle, inside), np.where(within, outside, middle)
    return np.asarray((inside + outside) / 2)
