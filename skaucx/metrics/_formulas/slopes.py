r"""Derivatives of areas under curves with respect to the weight of an example: their influence curves.

A metric that reads the counts at K + 1 falling thresholds, the first above all scores, depends on
an example through tp or fp at thresholds up to its score. The functions of counts return two arrays
of shape (K,): the derivatives with respect to the weight of a positive and of a negative at each
distinct score, falling (the infinitesimal jackknife: Jaeckel 1972; Efron 1982, chapter 6).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._arrays import Floats
from .._records.counts import Counts

Slopes = tuple[Floats, Floats]

# Gauss-Legendre rule on [0, 1]: few nodes are exact to rounding if the number of predicted
# positives grows by at most this factor; many nodes on the log scale for any growth.
_FEW, _MANY, _SMALL = 5, 48, 0.1


def of_counts(c: Counts, of_tp: Floats, of_fp: Floats, of_totals: tuple[Any, Any]) -> Slopes:
    """Sum derivatives with respect to tp and fp over the thresholds at or below an example's score."""
    of_positives, of_negatives = (
        np.cumsum(slopes[:0:-1])[::-1] + of_total
        for slopes, of_total in zip((of_tp, of_fp), of_totals, strict=True)
    )
    return of_positives, of_negatives


def of_polygon(c: Counts, of_tpr: Floats, of_fpr: Floats) -> Slopes:
    """Return the derivatives of a function of TPR = tp / P and FPR = fp / N at the thresholds."""
    of_tp, of_fp = of_tpr / c.positives[-1], of_fpr / c.negatives[-1]
    totals = -(of_tp @ c.tp) / c.positives[-1], -(of_fp @ c.fp) / c.negatives[-1]
    return of_counts(c, of_tp, of_fp, totals)


def of_area(x: Floats, y: Floats, left: Any, right: Any) -> Slopes:
    r"""Return the derivatives of the area under a polygon with respect to x and y of its corners.

    Moving a corner up raises the adjacent segments; moving it right by dx lowers them by dy / dx
    times as much. For the part of a segment that counts, from its fraction s to its fraction t,
    `left` is :math:`\int_s^t (1 - u) \, du` and `right` is :math:`\int_s^t u \, du`.
    """
    return -_at_corners(np.diff(y), left, right), _at_corners(np.diff(x), left, right)


def of_part(enters: Floats, leaves: Floats) -> tuple[Floats, Floats]:
    """Return the contribution of the ends of a segment to its part between two fractions."""
    leaves = np.maximum(leaves, enters)
    right = (leaves**2 - enters**2) / 2
    return leaves - enters - right, right


def _at_corners(steps: Floats, left: Any, right: Any) -> Floats:
    found = np.zeros(len(steps) + 1)
    found[:-1] += steps * left
    found[1:] += steps * right
    return found


def of_average_precision(c: Counts) -> Slopes:
    r"""Derive :math:`\sum_k (R_k - R_{k-1}) P_k` with recall R = tp / P and precision P = tp / m."""
    right, gains = _precision(c), np.diff(c.tp, prepend=0.0)
    return _of_precision(c, right - np.append(right[1:], 0.0), gains)


def of_linear_pr_auc(c: Counts) -> Slopes:
    r"""Derive :math:`\sum_k (R_k - R_{k-1}) (P_k + P_{k-1}) / 2`."""
    right, gains = _precision(c), np.diff(c.tp, prepend=0.0)
    before, after = np.append(1.0, right[:-1]), np.append(right[1:], -right[-1])
    return _of_precision(c, (before - after) / 2, (gains + np.append(gains[1:], 0.0)) / 2)


def _precision(c: Counts) -> Floats:
    called = c.predicted_positives
    return np.divide(c.tp, called, where=called > 0, out=np.ones(len(called)))


def _of_precision(c: Counts, of_tp: Floats, of_precision: Floats) -> Slopes:
    """Return the derivatives of S / P from those of S with respect to tp and to precision tp / m."""
    called = np.where(c.predicted_positives > 0, c.predicted_positives, np.inf)
    each = of_precision / called**2
    return _over_positives(c, of_tp + each * c.fp, -each * c.tp)


def _over_positives(c: Counts, of_tp: Floats, of_fp: Floats) -> Slopes:
    """Return the derivatives of S / P; S is homogeneous of degree 1 in the counts (Euler's theorem)."""
    positives = c.positives[-1]
    of_tp, of_fp = of_tp / positives, of_fp / positives
    value = of_tp @ c.tp + of_fp @ c.fp
    return of_counts(c, of_tp, of_fp, (-value / positives, 0.0))


def of_pr_auc(c: Counts) -> Slopes:
    r"""Derive the sum over steps of :math:`\frac{h}{P} \int_0^1 t(u) / m(u) \, du`.

    Within a step of h true positives, the counts t (true positives) and m (predicted positives) are
    linear in u, from t_1 to t_2 and m_1 to m_2. The derivatives of the integral with respect to
    them are taken under the integral sign.
    """
    called, hits = c.predicted_positives, np.diff(c.tp)
    of_hits, of_calls = np.zeros(len(called)), np.zeros(len(called))
    few = np.diff(called) <= _SMALL * called[:-1]
    few |= called[:-1] == 0  # everything is constant within the first step
    for steps in (few, ~few):
        k = np.flatnonzero(steps)
        growth = None if steps is few else np.log(called[k + 1] / called[k])
        t1, m1, h, s = c.tp[k], called[k], hits[k], called[k + 1] - called[k]
        for node, weight in _rule(_FEW if growth is None else _MANY):
            # On the log scale m = m_1 exp(v) and du = m dv / (m_2 - m_1).
            u = node if growth is None else m1 * np.expm1(node * growth) / s
            m, t = m1 + u * s, t1 + u * h
            du = weight if growth is None else weight * growth * m / s
            share = t / m * du
            each = h / m * du
            of_hits[k] += each * (1 - u) - share
            of_hits[k + 1] += each * u + share
            of_calls[k] -= each * share / du * (1 - u)
            of_calls[k + 1] -= each * share / du * u
    return _over_positives(c, of_hits + of_calls, of_calls)


def _rule(size: int) -> list[tuple[float, float]]:
    nodes, weights = np.polynomial.legendre.leggauss(size)
    return list(zip((nodes + 1) / 2, weights / 2, strict=True))
