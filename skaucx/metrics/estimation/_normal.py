"""Intervals from an estimate and its standard error, on the scale where a normal law fits best."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy import special

from ..._arrays import Bools, Floats

Ends: TypeAlias = tuple[Floats, Floats]
# A width that rounding alone can give.
_ROUNDING = 1e-12


class Found(NamedTuple):
    """The ends of an interval, the standard error, and another name or a note where there is one."""

    low: Floats
    high: Floats
    error: Floats
    method: str = ""
    note: str = ""


Forms: TypeAlias = dict[str, Callable[[], Found]]


class Link(NamedTuple):
    """A rising map of a metric's range onto the whole line, its inverse, and its slope."""

    forward: Callable[[Floats], Floats]
    inverse: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]


LOG = Link(np.log, np.exp, lambda x: 1 / x)


def quantile(confidence_level: float) -> float:
    """Return z such that a standard normal number lies in [-z, z] with this probability."""
    return float(special.ndtri((1 + confidence_level) / 2))


def logit(low: float, high: float) -> Link:
    """Return the log-odds of the place between two bounds; between -1 and 1 it is Fisher's z."""
    width = high - low
    return Link(
        lambda x: special.logit((x - low) / width),
        lambda y: low + width * special.expit(y),
        lambda x: width / ((x - low) * (high - x)),
    )


def link_of(bounds: tuple[float, float]) -> tuple[str, Link] | None:
    """Return the name and the link of a metric's range: "log", "logit", or None if it is no range."""
    low, high = bounds
    if low == 0 and high == np.inf:
        return "log", LOG
    return ("logit", logit(low, high)) if np.isfinite(high - low) else None


def symmetric(estimate: Floats, half: Floats, bounds: tuple[float, float]) -> Ends:
    """Return the estimate -+ half, within the bounds."""
    return np.clip(estimate - half, *bounds), np.clip(estimate + half, *bounds)


def linked(estimate: Floats, half: Floats, link: Link) -> Ends:
    """Return the interval that is symmetric on the link's scale, `half` wide at the estimate's slope."""
    middle, reach = link.forward(estimate), half * link.slope(estimate)
    return link.inverse(middle - reach), link.inverse(middle + reach)


def flat(found: Found) -> Bools:
    """Whether the ends of an interval differ by no more than rounding."""
    return np.asarray(~(found.high > found.low + _ROUNDING))
