r"""Derivatives of areas under curves with respect to the weight of an example: their influence curves.

A metric that reads the counts at K + 1 falling thresholds, the first above all scores, depends on
an example through tp or fp at thresholds up to its score. The functions of counts return two arrays
of shape (K,): the derivatives with respect to the weight of a positive and of a negative at each
distinct score, falling (the infinitesimal jackknife: Jaeckel 1972; Efron 1982, chapter 6).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..._arrays import Array, Bools, Floats, quotient
from .._pairs.ranking import PairMeans, RankedScores
from .._records.counts import Counts

Slopes = tuple[Floats, Floats]

# The least number of rows with which the influence of a best cut covers 93 to 97 % of nominal 95; that
# of the best of noisy values covers less with any number and is used on request only.
ENOUGH, ON_REQUEST = 10_000, math.inf

# Relative change of a cell, or of a total; the rule of fourth order below leaves an error near 1e-12.
STEP = 1e-3
# The five-point rule: where values are taken, in steps, and what each weighs in the slope.
TIMES, _WEIGHTS = np.array([1.0, -1.0, 2.0, -2.0]), np.array([2 / 3, -2 / 3, -1 / 12, 1 / 12])
# Steps of sums of many terms, in examples: small, as some have kinks. The rule of second order leaves
# an error near their square.
_OF_TERMS = 3e-4
# Ranks on either side of a cut that the local share of positives is read from: k^(4/5) / 2 of the k
# above it, the rate of a window whose bias and variance fall together.
_WINDOW, _RATE = 0.5, -0.2

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
    # tp / P has the slope -tp / P^2 with respect to P.
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


def positive_share(r: PairMeans, **parameters: Any) -> Any:
    """Return the share of the examples that are positive."""
    c = r.threshold_counts
    return c.positives[-1] / c.total[-1]


def of_average_precision(r: PairMeans) -> Slopes:
    r"""Derive :math:`\sum_k (R_k - R_{k-1}) P_k` with recall R = tp / P and precision P = tp / m."""
    c = r.threshold_counts
    right, gains = quotient(c.tp, c.predicted_positives, 1.0), np.diff(c.tp, prepend=0.0)
    return _of_precision(c, right - np.append(right[1:], 0.0), gains)


def of_linear_pr_auc(c: Counts) -> Slopes:
    r"""Derive :math:`\sum_k (R_k - R_{k-1}) (P_k + P_{k-1}) / 2`."""
    right, gains = quotient(c.tp, c.predicted_positives, 1.0), np.diff(c.tp, prepend=0.0)
    before, after = np.append(1.0, right[:-1]), np.append(right[1:], -right[-1])
    return _of_precision(c, (before - after) / 2, (gains + np.append(gains[1:], 0.0)) / 2)


def _of_precision(c: Counts, of_tp: Floats, of_precision: Floats) -> Slopes:
    """Return the derivatives of S / P from those of S with respect to tp and to precision tp / m."""
    # tp / (tp + fp) has the slopes fp / m^2 and -tp / m^2.
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
        nodes, weights = np.polynomial.legendre.leggauss(_FEW if growth is None else _MANY)
        for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
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


def derivatives(values: Floats, steps: Floats) -> Floats:
    """Return derivatives from values at the steps of the rule, first axis; 0 where a step is 0."""
    with np.errstate(invalid="ignore"):  # an infinite ratio has no slope
        change = (values.T * _WEIGHTS).sum(axis=-1).T if values.ndim else np.asarray(values)
    steps = np.reshape(steps, (*np.shape(steps), *[1] * (np.ndim(change) - np.ndim(steps))))
    shape = np.broadcast_shapes(np.shape(change), np.shape(steps))  # one nan where all is undefined
    return np.divide(change, steps, where=steps > 0, out=np.zeros(shape))


def of_rows(r: RankedScores, slopes: Slopes, truth: Bools, score: Array) -> Floats:
    """Return the slope of each row by its class and its score."""
    of_positives, of_negatives = (side[::-1] for side in slopes)
    # Sorting anew takes less time than looking up each score.
    order = np.argsort(score)
    ordered, right = score[order], truth[order]
    place = np.append(0, np.cumsum(ordered[1:] != ordered[:-1]))
    found = np.empty(len(score))
    found[order] = np.where(right, of_positives[place], of_negatives[place])
    return found * r.unit


def of_cut(
    c: Counts,
    called: Any,
    value: Callable[[Counts], Any],
    bound: Callable[[Counts], Any] | None = None,
) -> Slopes:
    r"""Return the slopes of a function g of the four counts where the `called` highest are called.

    Where the cut keeps the function h of the counts, such as their specificity, at its value, an example
    moves it. Of the examples at the cut the share :math:`\rho` is positive, so that the counts (tp, fp,
    fn, tn) move along :math:`v = (\rho, 1 - \rho, -\rho, \rho - 1)`, and the slope with respect to
    each count is that of

    .. math:: \nabla g - \frac{v \cdot \nabla g}{v \cdot \nabla h} \nabla h
    """
    reached = c.predicted_positives
    inside = np.clip((called - reached[:-1]) / np.diff(reached), 0, 1)
    held = np.array([np.interp(called, reached, cells) for cells in (c.tp, c.fp, c.fn, c.tn)])
    slopes = _of_four(value, held)
    if bound is not None:
        ranks = max(1.0, called / c.total[-1] * len(inside))
        window = max(called * min(_WINDOW * ranks**_RATE, 1), c.total[-1] / len(inside))
        ends = np.clip([called - window, called + window], 0, c.total[-1])
        share = float(np.diff(np.interp(ends, reached, c.tp))[0] / np.diff(ends)[0])
        along, fixed = np.array([share, 1 - share, -share, share - 1]), _of_four(bound, held)
        slopes = slopes - fixed * (along @ slopes) / (along @ fixed)
    of_tp, of_fp, of_fn, of_tn = slopes
    return inside * of_tp + (1 - inside) * of_fn, inside * of_fp + (1 - inside) * of_tn


def _of_four(function: Callable[[Counts], Any], held: Floats) -> Floats:
    steps = STEP * np.where(held > 0, held, held[held > 0].min())
    moved = held + TIMES[:, None, None] * np.diag(steps)
    return derivatives(np.asarray(function(Counts(*np.moveaxis(moved, -1, 0)))), steps)


def of_steps(formula: Callable[[Any], Any], c: Counts) -> Slopes:
    """Return the slopes of a formula that is a constant and a sum over the steps between thresholds.

    Each step is a formula of two thresholds: an example above both moves both, one at the score between
    them the lower one.
    """
    sides, totals = (c.tp, c.fp), (c.positives[-1], c.negatives[-1])
    steps = [np.stack([side[:-1], side[1:]], axis=-1) for side in sides]
    unit = c.total[-1] / len(steps[0])

    def value(called: Sequence[Floats], held: Sequence[Any]) -> Any:
        tp, fp = called
        counts = Counts(tp, fp, held[0] - tp, held[1] - fp)
        return formula(SimpleNamespace(threshold_counts=counts))

    def slope(side: int, moved: Floats) -> Floats:
        """Return the slope of the steps along a move of the counts of one class."""
        size = np.maximum(moved[:, 1], 0)
        held = np.flatnonzero(size)
        # Central differences, whose error is of second order.
        up, down = (
            value(
                [each[held] + h * moved[held] * (k == side) for k, each in enumerate(steps)], totals
            )
            for h in (_OF_TERMS, -_OF_TERMS)
        )
        slopes = np.zeros(len(size))
        slopes[held] = (up - down) / (2 * _OF_TERMS * size[held])
        return slopes

    found = []
    for side, (each, total) in enumerate(zip(steps, totals, strict=True)):
        # A move of one row, or of less where fewer are called: no count falls below 0.
        above = slope(side, np.repeat(np.minimum(each[:, :1], unit), 2, axis=1))
        own = slope(side, np.stack([np.zeros(len(each)), np.diff(each)[:, 0]], axis=-1))
        up, down = (
            value(sides, [*totals[:side], total + h, *totals[side + 1 :]])
            for h in (_OF_TERMS * unit, -_OF_TERMS * unit)
        )
        of_total = (up - down) / (2 * _OF_TERMS * unit)
        found.append(own + np.append(np.cumsum(above[:0:-1])[::-1], 0) + of_total)
    return found[0], found[1]
