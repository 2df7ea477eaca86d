"""Predictions of which some were rejected, judged by the errors among both parts.

Every formula reads :class:`~skaucx.metrics.Counts` in which a wrong prediction is positive and a
rejected one predicted positive: tp errors are rejected, fp right predictions too, fn errors accepted.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..._arrays import Floats
from ..._options import Share
from .._records.counts import Counts
from .._registry.declare import metric
from ..kinds.rejections import REJECTIONS

rejection = partial(metric, kind=REJECTIONS, family="rejection", room="rejection")


@rejection(
    "coverage_score", "El-Yaniv & Wiener 2010", better="neither", aliases=("acceptance_rate",)
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
)
def accepted_accuracy(c: Counts) -> Floats:
    r"""Accuracy among the examples that are not rejected.

    Notes
    -----
    .. math:: \frac{\text{accepted and right}}{\text{accepted}}

    Other metrics of the accepted are those of the other rows: ``metric(y_true[~rejected],
    y_pred[~rejected])``, or all of them by ``evaluate(y_true, y_pred, rejected=rejected)``.

    Examples
    --------
    >>> from skaucx.metrics.rejection import accepted_accuracy_score
    >>> accepted_accuracy_score([1, 0, 1, 0], [1, 0, 0, 0], rejected=[False, False, True, False])
    1.0
    """
    return c.tn / c.predicted_negatives


@rejection("classification_quality_score", "Condessa et al. 2017")
def classification_quality(c: Counts) -> Floats:
    r"""Classification quality: the share that is right and accepted, or wrong and rejected.

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
    r"""Rejection quality: the odds of error among the rejected, in units of those among all.

    Notes
    -----
    .. math:: \frac{\text{rejected and wrong} / \text{rejected and right}}{\text{wrong} / \text{right}}

    It is 1 for rejections at random, and infinite where no right prediction is rejected.

    Examples
    --------
    >>> from skaucx.metrics.rejection import rejection_quality
    >>> rejection_quality([1, 0, 1, 0], [1, 0, 0, 1], rejected=[True, False, True, False])
    1.0
    """
    return c.tp / c.positives / (c.fp / c.negatives)


@rejection("rejection_cost_loss", "Chow 1970", better="low", aliases=("rejection_cost",))
def rejection_cost(c: Counts, *, reject_cost: Share = 0.25) -> Floats:
    r"""Cost of errors that were accepted, and of rejections.

    Parameters
    ----------
    reject_cost : float in [0, 1], default=0.25
        What a rejection costs where an error costs 1.

    Notes
    -----
    .. math:: \frac{\text{accepted and wrong} + d \cdot \text{rejected}}{n}

    with the cost d of a rejection.

    See Also
    --------
    chow_cost_loss : The same of probabilities, by the rule that makes it least.

    Examples
    --------
    >>> from skaucx.metrics.rejection import rejection_cost_loss
    >>> rejection_cost_loss([1, 0, 1, 0], [1, 0, 0, 1], rejected=[False, False, True, False])
    0.3125
    """
    return (c.fn + reject_cost * c.predicted_positives) / c.total
