"""Gaps between groups, with limits that hold for all pairs of groups at once."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import special, stats

from ..._arrays import Floats


class Ends(NamedTuple):
    """Values of a metric in K groups with the ends of their intervals, each of shape (K, ...)."""

    value: Floats
    low: Floats
    high: Floats


def pairwise_level(confidence_level: float, groups: int) -> float:
    """Return the confidence of single intervals such that all pairs of groups hold at once.

    z becomes q / sqrt(2), with q the quantile of the range of as many normal variables as groups
    (Tukey); for two groups the confidence is unchanged.
    """
    if groups <= 2:
        return confidence_level
    return float(2 * special.ndtr(_range_quantile(confidence_level, groups) / math.sqrt(2)) - 1)


@functools.lru_cache(maxsize=64)
def _range_quantile(confidence_level: float, groups: int) -> float:
    return float(stats.studentized_range.ppf(confidence_level, groups, np.inf))


def difference(ends: Ends) -> tuple[Floats, Floats]:
    r"""Return limits of the greatest minus the least value.

    A pair of groups has the limits of Zou and Donner,
    :math:`d - \sqrt{(\theta_1 - l_1)^2 + (u_2 - \theta_2)^2}` and its mirror image. Where they hold for
    all pairs, the greatest difference lies between the greatest of the lower and of the upper ones.
    """
    low, high = _of_pairs(ends, lambda x: x)
    return np.maximum(_greatest(low), 0), np.maximum(_greatest(high), 0)


def ratio(ends: Ends) -> tuple[Floats, Floats]:
    """Return limits of the least divided by the greatest value, of a metric that is 0 or more."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = Ends(*(np.log(np.maximum(part, 0)) for part in ends))
        low, high = _of_pairs(logs, lambda x: np.where(np.isnan(x), np.inf, x))
    return np.exp(-_greatest(high)), np.minimum(np.exp(-_greatest(low)), 1)


def _of_pairs(ends: Ends, reach: Callable[[Floats], Floats]) -> tuple[Floats, Floats]:
    """Return limits of every ordered difference, of shape (K, K, ...)."""
    with np.errstate(invalid="ignore"):  # infinite ratios are infinitely apart, or nan
        below, above = reach(ends.value - ends.low), reach(ends.high - ends.value)
        middle = ends.value[:, None] - ends.value[None]
        down = np.sqrt(below[:, None] ** 2 + above[None] ** 2)
        up = np.sqrt(above[:, None] ** 2 + below[None] ** 2)
        return middle - down, middle + up


def _greatest(limits: Floats) -> Any:
    """Return the greatest over pairs of two groups."""
    groups = len(limits)
    apart = limits[~np.eye(groups, dtype=bool)].reshape(groups * (groups - 1), *limits.shape[2:])
    return apart.max(axis=0)
