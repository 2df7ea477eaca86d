"""Losses of predicted class probabilities.

Every formula reads a :class:`~skaucx.metrics._kinds.scores.state.Probabilities`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np
from scipy import special

from ..._arrays import Floats
from .._kinds.scores import PROBABILITIES
from .._kinds.scores.class_scores import Probabilities
from .._records.totals import weight_of_each
from .._registry.declare import metric

loss = partial(
    metric, kind=PROBABILITIES, family="losses of probabilities", inputs=("y_true", "y_proba")
)
proper_loss = partial(loss, better="low", symmetric=True, sharpest=1)


def _greatest_error(n_classes: int, scale_by_half: Literal["auto", True, False]) -> float:
    """Return the greatest squared error of an example: 2, or half of it."""
    return 1.0 if (n_classes == 2 if scale_by_half == "auto" else scale_by_half) else 2.0


def _range_of_errors(
    n_classes: int, greatest: float = 2.0, *, scale_by_half: Literal["auto", True, False]
) -> tuple[float, float]:
    return 0.0, greatest * _greatest_error(n_classes, scale_by_half) / 2


@proper_loss(
    "log_loss",
    "Good 1952",
    twin=True,
    formerly="y_pred",
    bounds=(0, np.inf),
    mean=1,
    multilabel=True,
    aliases=("logloss", "nll", "cross_entropy", "negative_log_likelihood"),
)
def log_loss(p: Probabilities, *, normalize: bool = True) -> Floats:
    r"""Log loss, or cross-entropy: the mean of minus log of the true class's probability.

    Parameters
    ----------
    normalize : bool, default=True
        If False, return the sum over examples instead of their mean.

    Notes
    -----
    .. math:: -\frac1n \sum_{i=1}^n \log p_{i, y_i}

    Here :math:`p_{i, y_i}` is the predicted probability of the true class of example i; the logs of
    several true labels, of multilabel indicators, are added.
    Probabilities are clipped away from 0 and 1 by the rounding unit of their type, as in
    scikit-learn (2.2e-16 of float64, 1.2e-7 of float32).

    Examples
    --------
    >>> from skaucx.metrics import log_loss
    >>> round(log_loss([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.4723
    """
    return p.once(_minus_logs_of_true)


def _minus_logs_of_true(p: Probabilities) -> Floats:
    return p.of_true(lambda given: -np.log(np.minimum(np.maximum(given, p.unit), 1 - p.unit)))


@proper_loss(
    "brier_score_loss",
    "Brier 1950",
    twin=True,
    formerly="y_prob",
    bounds=(0, 2),
    bounds_under=_range_of_errors,
    mean=1,
    multilabel=True,
    aliases=("brier_score", "brier"),
)
def brier_score_loss(
    p: Probabilities, *, scale_by_half: Literal["auto", True, False] = "auto"
) -> Floats:
    r"""Brier score: the mean squared error of the probabilities.

    Parameters
    ----------
    scale_by_half : bool or "auto", default="auto"
        Whether to halve the sum over classes; "auto" does so for two classes.

    Notes
    -----
    .. math:: \frac1n \sum_{i=1}^n \sum_{k=1}^K (p_{ik} - [y_i = k])^2

    Here :math:`[y_i = k]` is 1 for the true class of example i and 0 for the others. Halved, it is
    in [0, 1]; for two classes it then is the mean of :math:`(p_i - y_i)^2`, with :math:`p_i` the
    probability of the positive class.

    Examples
    --------
    >>> from skaucx.metrics import brier_score_loss
    >>> round(brier_score_loss([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 6)
    0.158125
    """
    errors = ((p.probability - p.true) ** 2).sum(axis=1)
    return np.asarray(errors * (_greatest_error(p.n_columns, scale_by_half) / 2))


def _against_prior(p: Probabilities, loss_of_all: Any, prior: Callable[[Floats], Floats]) -> Any:
    """Return the relative reduction of the loss of the class shares; nan for a single example."""
    if p.n_examples < 2:
        return np.full(np.shape(p.total_weight), np.nan)[()]
    shares = p.class_weights / np.asarray(p.total_weight)[..., None]
    return 1 - loss_of_all / p.total_weight / prior(shares)


def _bits(p: Probabilities) -> tuple[Floats, Floats, Floats]:
    """Return the bits that each example adds, the shares of the classes, and their entropy."""
    shares = p.class_weights / np.asarray(p.total_weight)[..., None]
    prior = shares[..., p.outcome]
    given = np.clip(p.probability[np.arange(len(p.outcome)), p.outcome], p.unit, 1 - p.unit)
    # log2(p / pi) bits gained where p >= pi, and log2((1 - p) / (1 - pi)) lost where it is lower.
    more = np.where(given >= prior, np.log2(given / prior), np.log2((1 - prior) / (1 - given)))
    return more, shares, special.entr(shares).sum(axis=-1) / np.log(2)


def _slopes_of_information(p: Probabilities, *, relative: bool) -> Floats:
    r"""Return the bits of each example, and what it adds by the shares that all are compared with.

    An example changes the share of class k by :math:`([y = k] - \pi_k) / n`, and the sum of bits has the
    slope -1 over :math:`\pi_k \log 2` or :math:`(1 - \pi_k) \log 2` for each example of k.
    """
    more, shares, entropy = _bits(p)
    prior = shares[p.outcome]
    each = -p.weight / np.where(more >= 0, prior, 1 - prior) / np.log(2) / p.total_weight
    of_shares = weight_of_each(p.outcome, p.n_columns, each)
    # Bits above 0 are those of a probability above the share.
    slopes = more + of_shares[p.outcome] - shares @ of_shares
    if relative:
        # By the quotient rule; the entropy H has the slope -log2(pi_k) - H.
        value = more @ p.weight / p.total_weight / entropy
        slopes = (slopes + value * np.log2(prior)) / entropy
    return np.asarray(slopes / p.total_weight)


@loss(
    "information_score",
    "Kononenko & Bratko 1991",
    better="high",
    bounds=(-np.inf, np.inf),
    best=np.nan,
    undefined=np.nan,
    room="information",
    influence=_slopes_of_information,
    symmetric=True,
)
def information(p: Probabilities, *, relative: bool = False) -> Any:
    r"""Information score: the mean gain of the probabilities over the class shares, in bits.

    Parameters
    ----------
    relative : bool, default=False
        Whether to divide by the entropy of the classes, so that perfect predictions have the value
        1.

    Notes
    -----
    .. math:: \frac1n \sum_i \begin{cases}
              \log_2 p_{i, y_i} - \log_2 \pi_{y_i} & p_{i, y_i} \ge \pi_{y_i} \\
              \log_2 (1 - \pi_{y_i}) - \log_2 (1 - p_{i, y_i}) & \text{otherwise}
              \end{cases}

    with the probability :math:`p_{i, y_i}` of the true class and the share :math:`\pi_k` of class k
    in the sample. Predicting these shares for all has the value 0. Probabilities are clipped away
    from 0 and 1 by the rounding unit, as for :func:`log_loss`. The log2 of precision over
    prevalence is
    :func:`pointwise_mutual_information`.

    Examples
    --------
    >>> from skaucx.metrics.information import information_score
    >>> round(information_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.3526
    """
    more, _, entropy = _bits(p)
    mean = (more * p.weight).sum(axis=-1) / p.total_weight
    return np.where(entropy > 0, mean / (entropy if relative else 1), np.nan)[()]


skill = partial(
    proper_loss, twin=True, better="high", bounds=(-np.inf, 1), undefined=np.nan, multilabel=True
)


def _slopes_of_saved(p: Probabilities, ours: Floats, constant: Floats) -> Floats:
    """Return the derivatives of 1 - A / B from those of the losses A and B."""
    a, b = p.weight @ ours, p.weight @ constant
    return -(ours * b - a * constant) / b**2


def _slopes_of_d2_log_loss(p: Probabilities) -> Floats:
    """Return the influence of each example; the shares have the least loss of all constants."""
    shares = p.class_weights / p.total_weight
    return _slopes_of_saved(p, log_loss(p), -np.log(shares[p.outcome]))


def _slopes_of_d2_brier(p: Probabilities) -> Floats:
    shares = p.class_weights / p.total_weight
    constant = 1 - 2 * shares[p.outcome] + shares @ shares
    return _slopes_of_saved(p, brier_score_loss(p, scale_by_half=False), constant)


@skill(
    "d2_log_loss_score",
    "Gneiting & Raftery 2007",
    formerly="y_pred",
    aliases=("d2_log_loss_score", "mcfadden_r2"),  # scikit-learn's scorer
    influence=_slopes_of_d2_log_loss,
)
def d2_log_loss(p: Probabilities) -> Any:
    r"""D2 of log loss: the relative reduction of the log loss against predicting the class shares.

    Notes
    -----
    .. math:: 1 - \frac{-\sum_i \log p_{i, y_i}}{-\sum_i \log \pi_{y_i}}

    with the share :math:`\pi_k` of class k in the sample. It is 0 for predicting these shares for
    all, 1 for perfect predictions, negative for predictions worse than the shares, and undefined
    for one example. Probabilities and shares are clipped away from 0 and 1 by the rounding unit, as
    in scikit-learn.

    See Also
    --------
    uncertainty : The loss of the shares.

    Examples
    --------
    >>> from skaucx.metrics import d2_log_loss_score
    >>> round(d2_log_loss_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.3186
    """

    def entropy(shares: Floats) -> Floats:
        return -np.asarray((shares * np.log(np.clip(shares, p.unit, 1 - p.unit))).sum(axis=-1))

    return _against_prior(p, p.sum_of(log_loss), entropy)


@skill(
    "d2_brier_score",
    "Brier 1950",
    aliases=("d2_brier_score", "brier_skill", "scaled_brier"),
    influence=_slopes_of_d2_brier,
)
def d2_brier(p: Probabilities) -> Any:
    r"""Brier skill score: the relative reduction of the Brier score against predicting the class shares.

    Notes
    -----
    .. math:: 1 - \frac{\sum_i \sum_k (p_{ik} - [y_i = k])^2}{\sum_i \sum_k (\pi_k - [y_i = k])^2}

    with the share :math:`\pi_k` of class k in the sample. It is 0 for predicting these shares for
    all, 1 for perfect predictions, negative for predictions worse than the shares, and undefined
    for one example.

    See Also
    --------
    uncertainty : The Brier score of the shares.

    Examples
    --------
    >>> from skaucx.metrics import d2_brier_score
    >>> round(d2_brier_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.3675
    """
    errors = p.sum_of(brier_score_loss, scale_by_half=False)
    labels = p.class_weights.sum(axis=-1) / p.total_weight  # 1, or how many a row has on average
    return _against_prior(p, errors, lambda shares: labels - (shares**2).sum(axis=-1))
