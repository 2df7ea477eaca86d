"""Limits of an interval: Wilson's and exact ones of a share, those on a scale, those of equal values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy import special

from ..._arrays import Bools, Floats

Ends: TypeAlias = tuple[Floats, Floats]

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


# What gives the limits at a confidence level.
Form: TypeAlias = Callable[[float], IntervalEstimate]


class Link(NamedTuple):
    """An increasing map of a metric's range onto the real line, its inverse, and its derivative."""

    forward: Callable[[Floats], Floats]
    inverse: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]


def quantile(confidence_level: float) -> float:
    """Return z such that a standard normal variable is in [-z, z] with this probability."""
    return float(special.ndtri((1 + confidence_level) / 2))


def student(confidence_level: float, freedom: float) -> float:
    """Return the same of Student's t."""
    return float(special.stdtrit(freedom, (1 + confidence_level) / 2))


def link_of(bounds: tuple[float, float]) -> Link | None:
    """Return the log of a range from 0 on, the logit of a bounded one, or None."""
    low, high = bounds
    if low == 0 and high == np.inf:
        return Link(np.log, np.exp, lambda x: 1 / x)
    if not np.isfinite(high - low):
        return None
    width = high - low
    return Link(
        lambda x: special.logit((x - low) / width),
        lambda y: low + width * special.expit(y),
        # d/dx log((x - low) / (high - x))
        lambda x: width / ((x - low) * (high - x)),
    )


def linked(estimate: Floats, half: Floats, link: Link) -> Ends:
    """Return the interval that is symmetric on the link's scale, with half-width `half`."""
    middle, reach = link.forward(estimate), half * link.slope(estimate)
    return link.inverse(middle - reach), link.inverse(middle + reach)


def on_scale(estimate: Floats, error: Floats, reach: float, bounds: tuple[float, float]) -> Ends:
    """Return the interval of `reach` standard errors, symmetric on the scale of the range.

    At an end of the range, which has no place on that scale, it is symmetric, within the bounds.
    """
    link = link_of(bounds)
    estimate, half = np.asarray(estimate), reach * np.asarray(error)
    if link is None or not bounds[0] < estimate < bounds[1]:
        return np.clip(estimate - half, *bounds), np.clip(estimate + half, *bounds)
    return linked(estimate, half, link)


def wilson(x: Floats, n: Floats, confidence_level: float) -> Ends:
    """The p that a score test does not reject: |x/n - p| <= z sqrt(p (1 - p) / n)."""
    return score_interval(x, n, quantile(confidence_level))


def score_interval(x: Floats, n: Floats, z: float) -> Ends:
    """Wilson's interval of z standard errors."""
    # (x + z^2 / 2 -+ z sqrt(x (n - x) / n + z^2 / 4)) / (n + z^2) (Wilson 1927)
    middle = (x + z**2 / 2) / (n + z**2)
    half = z * np.sqrt(x * (n - x) / n + z**2 / 4) / (n + z**2)
    low, high = np.clip(middle - half, 0, 1), np.clip(middle + half, 0, 1)
    return np.where(x == 0, 0.0, low), np.where(x == n, 1.0, high)


def clopper_pearson(x: Any, n: Any, confidence_level: Any) -> Ends:
    """The p that neither one-sided exact binomial test rejects."""
    tail, none, every = (1 - confidence_level) / 2, x <= 0, x >= n
    # Quantiles of Beta(x, n - x + 1) and Beta(x + 1, n - x) (Clopper & Pearson 1934).
    low = special.betaincinv(np.where(none, 1, x), np.where(none, 1, n - x + 1), tail)
    high = special.betaincinv(np.where(every, 1, x + 1), np.where(every, 1, n - x), 1 - tail)
    return np.where(none, 0.0, low), np.where(every, 1.0, high)


def constant_pairs_interval(
    value: Floats, independent: int, confidence_level: float, bounds: tuple[float, float]
) -> Ends:
    """Return an interval for a mean of h if every pair, or row, of the sample has the same h.

    k = `independent` disjoint pairs are independent, and all have h = c. By the argument of Clopper
    and Pearson, h = c has a probability of at least b = (alpha / 2)^(1 / k), so the mean of h is
    between b c + (1 - b) times its least and its greatest value, for any distribution of the
    scores.
    """
    share = ((1 - confidence_level) / 2) ** (1 / independent)
    low, high = (np.asarray(share * value + (1 - share) * end) for end in bounds)
    return low, high


def has_zero_width(found: IntervalEstimate) -> Bools:
    """Whether the limits of an interval are equal up to rounding."""
    return np.asarray(~(found.high > found.low + ROUNDING))
