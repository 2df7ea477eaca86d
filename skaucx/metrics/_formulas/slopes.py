r"""Derivatives of areas under curves with respect to the weight of an example: their influence curves.

A metric that reads the counts at K + 1 falling thresholds, the first above all scores, depends on
an example through tp or fp at thresholds up to its score. The functions of counts return two arrays
of shape (K,): the derivatives with respect to the weight of a positive and of a negative at each
distinct score, falling (the infinitesimal jackknife: Jaeckel 1972; Efron 1982, chapter 6).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..._arrays import Array, Bools, Floats
from .._pairs.ranking import PairMeans, RankedScores
from .._records.counts import Counts

Slopes = tuple[Floats, Floats]

# Relative change of a cell, or of a total; the rule of fourth order below leaves an error near 1e-12.
STEP = 1e-3
# The five-point rule: where values are taken, in steps, and what each weighs in the slope.
TIMES, _WEIGHTS = np.array([1.0, -1.0, 2.0, -2.0]), np.array([2 / 3, -2 / 3, -1 / 12, 1 / 12])
# Steps of sums of many terms, in examples: small, as some have kinks.
_OF_TERMS = 3e-4
# Ranks on either side of a cut that the local share of positives is read from: k^(4/5) / 2 of the k
# above it, the rate of a window whose bias and variance fall together.
_WINDOW, _RATE = 0.5, -0.2


def positive_share(r: PairMeans, **parameters: Any) -> Any:
    """Return the share of the examples that are positive."""
    c = r.threshold_counts
    return c.positives[-1] / c.total[-1]


def of_average_precision(r: PairMeans) -> Slopes:
    r"""Derive :math:`\sum_k (R_k - R_{k-1}) P_k` with recall R = tp / P and precision P = tp / m."""
    c = r.threshold_counts
    tp, fp, gains, called = c.tp[1:], c.fp[1:], np.diff(c.tp), c.predicted_positives[1:]
    right, positives = tp / called, c.positives[-1]
    # tp / (tp + fp) has the slopes fp / m^2 and -tp / m^2.
    of_tp = right - np.append(right[1:], 0.0) + gains * fp / called**2
    of_fp = -gains * tp / called**2
    # An example counts at its own score as threshold, and at all below.
    of_positives, of_negatives = (np.cumsum(each[::-1])[::-1] for each in (of_tp, of_fp))
    value = gains @ right / positives
    return (of_positives - value) / positives, of_negatives / positives


def of_pairs(r: RankedScores, values: Any) -> Slopes:
    """Derive a mean over pairs by the placement values of a positive and a negative at each score.

    It moves by V - mean V over the weight of the class (DeLong et al. 1988).
    """
    of_positives, of_negatives = (
        (own - own @ held / held.sum())[::-1] / held.sum()
        for own, held in zip(np.split(values, 2), (r.positive, r.negative), strict=True)
    )
    return of_positives, of_negatives


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
    place = np.searchsorted(r.values, score)
    return np.where(truth, of_positives[place], of_negatives[place]) * r.unit


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
        held, slopes, values = np.flatnonzero(size), np.zeros(len(size)), []
        for step in _OF_TERMS * TIMES:
            called = [each[held] for each in steps]
            called[side] = called[side] + step * moved[held]
            values.append(value(called, totals))
        slopes[held] = derivatives(np.array(values), _OF_TERMS * size[held])
        return slopes

    found = []
    for side, each in enumerate(steps):
        # A move of one row, or of less where fewer are called: no count falls below 0.
        above = slope(side, np.repeat(np.minimum(each[:, :1], unit), 2, axis=1))
        own = slope(side, np.stack([np.zeros(len(each)), np.diff(each)[:, 0]], axis=-1))
        moved = (np.eye(2)[side] * step * unit + totals for step in _OF_TERMS * TIMES)
        values = np.array([value(sides, held) for held in moved])
        of_total = derivatives(values, _OF_TERMS * unit)
        found.append(own + np.append(np.cumsum(above[:0:-1])[::-1], 0) + of_total)
    return found[0], found[1]
