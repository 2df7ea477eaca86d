"""Metrics of predictions with rejections.

Every formula reads :class:`~skaucx.metrics.Counts` in which a wrong prediction is positive and a
rejected one predicted positive: tp are rejected errors, fp rejected correct predictions, fn
accepted errors.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from ..._arrays import Codes, Floats, quotient
from ..._options import OpenShare, PositiveShare, Share
from .._kinds.rejections import REJECTIONS
from .._kinds.scores import PROBABILITIES
from .._kinds.scores.class_scores import Probabilities
from .._records.counts import Counts
from .._registry.declare import metric
from .rates import precision
from .slopes import of_cut

selective = partial(metric, kind=PROBABILITIES, family="rejection", inputs=("y_true", "y_proba"))
selective_loss = partial(selective, better="low", symmetric=True)


class Groups(NamedTuple):
    """Groups of examples in the order of acceptance: their number, weight, and weight of errors."""

    size: Floats
    weight: Floats
    errors: Floats


def errors(p: Probabilities) -> Floats:
    """Return which examples are misclassified; for ties, the share of wrong classes."""
    most = p.once(confidence)
    right = np.take_along_axis(p.probability, p.outcome[:, None], axis=1)[:, 0] == most
    return 1 - right / sum(column == most for column in p.probability.T)


def confidence(p: Probabilities) -> Floats:
    """Return the probability of the most probable class of each example."""
    return np.asarray(reduce(np.maximum, p.probability.T))


def by_confidence(p: Probabilities) -> Groups:
    """Return the groups of equal confidence, the greatest first."""
    sure, wrong = p.once(confidence), p.once(errors)
    order = np.argsort(-sure, kind="stable")
    starts = np.flatnonzero(np.diff(-sure[order], prepend=-np.inf))
    weight = p.weight[..., order]
    parts = p.sizes[..., order], weight, weight * wrong[order]
    return Groups(*(np.add.reduceat(part, starts, axis=-1) for part in parts))


def by_error(p: Probabilities) -> Groups:
    """Return the groups of equal error, the least first: no order has a lower risk."""
    wrong = p.once(errors)
    kinds = np.unique(wrong)
    size, weight = (
        np.stack([part[..., wrong == kind].sum(axis=-1) for kind in kinds], axis=-1)
        for part in (p.sizes, p.weight)
    )
    return Groups(size, weight, weight * kinds)


def mean_risk(g: Groups) -> Floats:
    """Return the mean over examples, in the order of acceptance, of the error rate up to each.

    In a group of g examples with weight m, errors c m, and E errors in the weight M before it, the k-th
    adds (m / g) (E + c k m / g) / (M + k m / g).
    """
    # (E + c x) / (M + x) = c + (E - c M) / (M + x), so that a group adds c m + (E - c M) H with the sum
    # H of 1 / (b + k) over k = 1, ..., g and b = M g / m: psi(b + g + 1) - psi(b + 1), or one term.
    before, wrong = (np.cumsum(part, axis=-1) - part for part in (g.weight, g.errors))
    rate, rows_before = (quotient(part, g.weight) for part in (g.errors, before * g.size))
    harmonic = 1 / (rows_before + 1)
    many = g.size != 1
    ends = rows_before[many] + g.size[many], rows_before[many]
    harmonic[many] = np.subtract(*(special.digamma(end + 1) for end in ends))
    sums = (g.errors + (wrong - rate * before) * harmonic).sum(axis=-1)
    return np.asarray(sums / g.weight.sum(axis=-1))


def _slopes_of_risk(g: Groups, group: Codes, wrong: Floats) -> Floats:
    r"""Return the derivatives of the mean risk with respect to the weights of rows, by group and error.

    With :math:`H = \psi(b + g + 1) - \psi(b + 1)` at :math:`b = M g / m`, the term
    :math:`c + (E - c M / m) H` of a group of weight m with errors c has slopes with respect to c, m and,
    for the rows before it, E and M.
    """
    before, found = (np.cumsum(part) - part for part in (g.weight, g.errors))
    rate, rows_before = g.errors / g.weight, before * g.size / g.weight
    ends = rows_before + g.size + 1, rows_before + 1
    harmonic = np.subtract(*(special.digamma(end) for end in ends))
    bend = np.subtract(*(special.polygamma(1, end) for end in ends))
    # Slopes with respect to the weight before the group, and to its own.
    of_before = (found - rate * before) * bend * g.size / g.weight - rate * harmonic
    of_weight = -before / g.weight * of_before
    of_errors = 1 - before / g.weight * harmonic
    after_errors, after_weight = (
        np.cumsum(part[::-1])[::-1] - part for part in (harmonic, of_before)
    )
    value = mean_risk(g)
    slopes = wrong * (of_errors + after_errors)[group] + (of_weight + after_weight)[group]
    return np.asarray((slopes - value) / g.weight.sum())


def _group_of_rows(p: Probabilities) -> Codes:
    """Return the place of each row among the groups of equal confidence, the greatest first."""
    sure = p.once(confidence)
    return np.unique(-sure, return_inverse=True)[1]


def _slopes_of_aurc(p: Probabilities) -> Floats:
    return _slopes_of_risk(p.once(by_confidence), _group_of_rows(p), p.once(errors))


def _slopes_of_excess(p: Probabilities) -> Floats:
    wrong = p.once(errors)
    kinds = np.unique(wrong, return_inverse=True)[1]
    return _slopes_of_aurc(p) - _slopes_of_risk(by_error(p), kinds, wrong)


def _at_cut(
    p: Probabilities, called: Callable[[Counts], Any], *how: Callable[[Counts], Any]
) -> Floats:
    """Return the slopes of a function of the counts of errors among the accepted, at a cut."""
    g = p.once(by_confidence)
    # Errors are the positives here: precision is the risk, and the share called the coverage.
    tp, fp = (np.append(0, np.cumsum(part)) for part in (g.errors, g.weight - g.errors))
    c = Counts(tp, fp, tp[-1] - tp, fp[-1] - fp)
    group, wrong = _group_of_rows(p), p.once(errors)
    of_wrong, of_right = (side[group] for side in of_cut(c, called(c), *how))
    return np.asarray(wrong * of_wrong + (1 - wrong) * of_right)


def _accepted(c: Counts) -> Any:
    return c.predicted_positives / c.total


def _slopes_at_coverage(p: Probabilities, *, coverage: float) -> Floats:
    return _at_cut(p, lambda c: coverage * c.total[-1], precision, _accepted)


@selective_loss("aurc_loss", "Geifman et al. 2019", aliases=("aurc",), influence=_slopes_of_aurc)
def aurc_loss(p: Probabilities) -> Floats:
    r"""AURC: the area under the curve of risk against coverage.

    The error rate among the k most confident predictions, averaged over k from 1 to n.

    Notes
    -----
    .. math:: \frac1n \sum_{k=1}^n \frac1k \sum_{i=1}^k e_{(i)}

    with the errors e in order of falling confidence. The area under the accuracy-reject curve is
    1 - AURC. A weighted example adds its weight times the error rate up to it, so that an example of
    weight 2 is not quite the same as two examples.

    See Also
    --------
    excess_aurc_loss : The excess over the least AURC with the same error rate.

    Examples
    --------
    >>> from skaucx.metrics import aurc_loss
    >>> round(aurc_loss([1, 0, 1, 0], [0.9, 0.2, 0.7, 0.6]), 4)
    0.0625
    """
    return mean_risk(p.once(by_confidence))


@selective_loss(
    "excess_aurc_loss",
    "Geifman et al. 2019",
    aliases=("excess_aurc", "e_aurc", "eaurc"),
    influence=_slopes_of_excess,
)
def excess_aurc_loss(p: Probabilities) -> Floats:
    r"""Excess AURC: the AURC minus that of the best order, in which all errors come last.

    Notes
    -----
    .. math:: \mathrm{AURC} - \frac1n \sum_{k=n-m+1}^{n} \frac{k - (n - m)}{k}

    The second part is the least AURC of any order of n examples with m errors, for which the source
    gives the limit :math:`r + (1 - r) \log(1 - r)` for an error rate r.

    Examples
    --------
    >>> from skaucx.metrics import excess_aurc_loss
    >>> excess_aurc_loss([1, 0, 1, 0], [0.9, 0.2, 0.7, 0.6])
    0.0
    >>> round(excess_aurc_loss([1, 0, 1, 0], [0.9, 0.6, 0.7, 0.55]), 4)
    0.0
    """
    least = mean_risk(by_error(p))
    # The least area uses the mean weight of the errors, an approximation if their weights differ.
    return np.maximum(mean_risk(p.once(by_confidence)) - least, 0)


@selective_loss(
    "selective_risk_loss",
    "El-Yaniv & Wiener 2010",
    aliases=("risk_at_coverage",),
    room="rejection",
    influence=_slopes_at_coverage,
    trials=lambda p, *, coverage: coverage,
)
def selective_risk_loss(p: Probabilities, *, coverage: PositiveShare = 0.8) -> Floats:
    r"""Selective risk: the error rate among the share of examples with the greatest confidence.

    Parameters
    ----------
    coverage : float in (0, 1], default=0.8
        The share of the examples, by weight, that is accepted; the last example may count as a
        fraction.

    Notes
    -----
    .. math:: \frac{\sum_i w_i\, a_i\, e_i}{\sum_i w_i\, a_i}

    with a = 1 for an accepted example and e = 1 for an error.

    Examples
    --------
    >>> from skaucx.metrics.rejection import selective_risk_loss
    >>> selective_risk_loss([1, 0, 1, 0], [0.9, 0.2, 0.7, 0.6], coverage=0.75)
    0.0
    """
    g = p.once(by_confidence)
    called = coverage * g.weight.sum(axis=-1, keepdims=True)
    before = np.cumsum(g.weight, axis=-1) - g.weight
    taken = np.clip(called - before, 0, g.weight)
    return np.asarray((quotient(g.errors, g.weight) * taken).sum(axis=-1) / called[..., 0])


# Simulated: intervals hold the value of the population in 85 %.
_OF_NOISY = "the cut is the best of many noisy ones, so the value is optimistic"


@selective(
    "coverage_at_risk_score",
    "El-Yaniv & Wiener 2010",
    aliases=("coverage_at_selective_risk",),
    symmetric=True,
    room="rejection",
    no_interval=_OF_NOISY,
)
def coverage_at_risk(p: Probabilities, *, risk: Share = 0.05) -> Floats:
    r"""Coverage at a risk: the greatest share of examples with at most the given error rate.

    Parameters
    ----------
    risk : float in [0, 1], default=0.05
        The greatest tolerated error rate among the accepted examples.

    Notes
    -----
    .. math:: \max \{c : \mathrm{risk}(c) \le r\}

    over the cuts between distinct confidences; 0 where each of them has a higher rate. The cut is
    chosen on the evaluated examples, so the value is optimistic.

    Examples
    --------
    >>> from skaucx.metrics.rejection import coverage_at_risk_score
    >>> coverage_at_risk_score([1, 0, 1, 0], [0.9, 0.2, 0.7, 0.6])
    0.75
    """
    g = p.once(by_confidence)
    accepted, wrong = np.cumsum(g.weight, axis=-1), np.cumsum(g.errors, axis=-1)
    # Tolerance for rounding of sums of weights at equality.
    borne = wrong <= risk * accepted * (1 + 1e-12)
    return np.asarray(np.max(accepted * borne, axis=-1) / accepted[..., -1])


@selective_loss(
    "chow_cost_loss",
    "Chow 1970",
    aliases=("chow_cost",),
    room="rejection",
    mean=1,
)
def chow_cost_loss(p: Probabilities, *, reject_cost: OpenShare = 0.25) -> Floats:
    r"""Chow's cost: the mean cost of errors and rejections under Chow's rule of rejection.

    Parameters
    ----------
    reject_cost : float in (0, 1), default=0.25
        Cost of a rejection, relative to an error of cost 1.

    Notes
    -----
    .. math:: \frac1n \sum_{i=1}^n \begin{cases} d & \max_k p_{ik} < 1 - d \\ e_i & \text{otherwise}
              \end{cases}

    with the cost d of a rejection and e = 1 for an error. With true probabilities no rule has a
    lower expected cost.

    See Also
    --------
    chow_predictions : The masked predictions of this rule, for any costs.
    rejection_cost_loss : The cost of given rejections.

    Examples
    --------
    >>> from skaucx.metrics.rejection import chow_cost_loss
    >>> chow_cost_loss([1, 0, 1, 0], [0.9, 0.2, 0.7, 0.6])
    0.125
    """
    return np.where(p.once(confidence) < 1 - reject_cost, reject_cost, p.once(errors))


rejection = partial(metric, kind=REJECTIONS, family="rejection", room="rejection")


@rejection(
    "coverage_score",
    "El-Yaniv & Wiener 2010",
    better="neither",
    aliases=("acceptance_rate",),
    share=lambda c: (c.predicted_negatives, c.total),
)
def coverage(c: Counts) -> Floats:
    r"""Coverage: the share of the examples that are not rejected.

    Notes
    -----
    .. math:: \frac{\text{accepted}}{n}

    Examples
    --------
    >>> from skaucx.metrics.rejection import coverage_score
    >>> coverage_score([1, 0, 1, 0], [1, 0, 0, 1], rejected=[False, False, True, False])
    0.75
    """
    return c.predicted_negatives / c.total


@rejection(
    "accepted_accuracy_score",
    "Condessa et al. 2017",
    aliases=("selective_accuracy", "nonrejected_accuracy"),
    share=lambda c: (c.tn, c.predicted_negatives),
)
def accepted_accuracy(c: Counts) -> Floats:
    r"""Accuracy among the examples that are not rejected.

    Notes
    -----
    .. math:: \frac{\text{accepted and right}}{\text{accepted}}

    For other metrics of the accepted rows use ``metric(y_true[~rejected],
    y_pred[~rejected])``, or all of them by ``evaluate(y_true, y_pred, rejected=rejected)``.

    Examples
    --------
    >>> from skaucx.metrics.rejection import accepted_accuracy_score
    >>> accepted_accuracy_score([1, 0, 1, 0], [1, 0, 0, 0], rejected=[False, False, True, False])
    1.0
    """
    return c.tn / c.predicted_negatives


@rejection(
    "classification_quality_score",
    "Condessa et al. 2017",
    share=lambda c: (c.tp + c.tn, c.total),
)
def classification_quality(c: Counts) -> Floats:
    r"""Classification quality: the share of examples correct and accepted, or wrong and rejected.

    Notes
    -----
    .. math:: \frac{\text{accepted and right} + \text{rejected and wrong}}{n}

    Examples
    --------
    >>> from skaucx.metrics.rejection import classification_quality_score
    >>> classification_quality_score([1, 0, 1, 0], [1, 0, 0, 1], rejected=[False, False, True, False])
    0.75
    """
    return (c.tp + c.tn) / c.total


@rejection("rejection_quality", "Condessa et al. 2017", bounds=(0, np.inf))
def rejection_quality(c: Counts) -> Floats:
    r"""Rejection quality: the odds of error among the rejected, divided by those among all.

    Notes
    -----
    .. math:: \frac{\text{rejected and wrong} / \text{rejected and right}}{\text{wrong} / \text{right}}

    It is 1 for rejections at random, and infinite if no correct prediction is rejected.

    Examples
    --------
    >>> from skaucx.metrics.rejection import rejection_quality
    >>> rejection_quality([1, 0, 1, 0], [1, 0, 0, 1], rejected=[True, False, True, False])
    1.0
    """
    return c.tp / c.positives / (c.fp / c.negatives)


@rejection("rejection_cost_loss", "Chow 1970", better="low", aliases=("rejection_cost",))
def rejection_cost(c: Counts, *, reject_cost: Share = 0.25) -> Floats:
    r"""Mean cost of accepted errors and of rejections.

    Parameters
    ----------
    reject_cost : float in [0, 1], default=0.25
        Cost of a rejection, relative to an error of cost 1.

    Notes
    -----
    .. math:: \frac{\text{accepted and wrong} + d \cdot \text{rejected}}{n}

    with the cost d of a rejection.

    See Also
    --------
    chow_cost_loss : The same for probabilities, with Chow's optimal rule of rejection.

    Examples
    --------
    >>> from skaucx.metrics.rejection import rejection_cost_loss
    >>> rejection_cost_loss([1, 0, 1, 0], [1, 0, 0, 1], rejected=[False, False, True, False])
    0.3125
    """
    return (c.fn + reject_cost * c.predicted_positives) / c.total
