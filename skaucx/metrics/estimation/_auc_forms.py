"""Intervals of a mean over pairs: of the AUC and of its variants that are functions of d alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from scipy import special

from ..._arrays import Bools, Floats
from ._normal import Ends, quantile

# Halvings of [0, 1] that reach the resolution of float64.
_HALVINGS = 60

T = TypeVar("T", float, Floats)


def exponential_covariances(auc: T) -> tuple[T, T]:
    """Return Q1 - A^2 and Q2 - A^2, the covariances of two pairs that share an example.

    Of exponential scores Q1 = A / (2 - A), where the positive differs and Q2 = 2 A^2 / (1 + A), where
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

    Newcombe's variance V(A) of exponential scores keeps its shape and gets the size of DeLong's: it is
    multiplied by (D + 2 U) / (V(auc) + 2 U), with D = S10 / P + S01 / N. U, the variance of an AUC of
    1 - 1 / (2 min(P, N)), makes it Newcombe's where hardly a pair is lost and D tells nothing. Student's
    t has the degrees of freedom of Brunner & Munzel for both parts of D + 2 U.
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

    return _edge(accepted, auc, np.zeros_like(auc)), _edge(accepted, auc, np.ones_like(auc))


def _edge(accepted: Callable[[Floats], Bools], inside: Floats, outside: Floats) -> Floats:
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
    """Return an interval for a mean of h where every pair of the sample has the same h.

    Of all pairs k = `independent` have no example in common, so they are independent. All had h = c:
    by Clopper and Pearson h = c then has a probability of at least b = (alpha / 2)^(1 / k), and the
    mean of h lies between b c + (1 - b) times its least and its greatest value. This holds for any law
    of the scores.
    """
    share = ((1 - confidence_level) / 2) ** (1 / independent)
    low, high = (np.asarray(share * value + (1 - share) * end) for end in bounds)
    return low, high
