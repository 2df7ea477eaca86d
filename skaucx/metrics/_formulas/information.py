"""Information in a confusion table about the true class, in bits.

Formulas read tables of shape (..., K, K), rows true, or :class:`~skaucx.metrics.Counts`, and are
vectorised over leading axes; 0/0 is nan.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np
from scipy import special

from ..._arrays import Floats, quotient
from .._kinds.labels import COUNTS, TABLE
from .._records.counts import Counts, shares_of, sides_of
from .._registry.declare import metric

information = partial(
    metric,
    kind=TABLE,
    family="information",
    room="information",
    undefined=np.nan,
    symmetric=True,
)
# Simulated: of seven or more classes intervals hold the value of the population in 0 to 70 %.
_PLUG_IN = "the value of a sample is biased by about (K - 1)^2 / (2 n), which no interval knows"
# Simulated: where the classes are independent intervals hold 0 in 7 to 18 %.
_AT_ZERO = "the value of a sample is above that of the population, and never 0 where that is 0"
bits = partial(information, bounds=(0, np.inf))
of_one_class = partial(information, kind=COUNTS, best=np.nan, symmetric=False)


@bits("mutual_information", "Shannon 1948", best=np.nan, no_interval=_PLUG_IN)
def mutual_information(table: Floats) -> Floats:
    r"""Mutual information of truth and prediction, in bits.

    Notes
    -----
    .. math:: \sum_{ij} p_{ij} \log_2 \frac{p_{ij}}{p_{i \cdot} p_{\cdot j}}

    Examples
    --------
    >>> from skaucx.metrics.information import mutual_information
    >>> mutual_information([0, 0, 1, 1], [0, 0, 1, 1])
    1.0
    """
    true, predicted = _entropies(table)
    return np.maximum(true + predicted - _joint_entropy(table), 0)


@information(
    "theil_u",
    "Theil 1970",
    aliases=("uncertainty_coefficient", "relative_classifier_information", "rci"),
    no_interval=_PLUG_IN,
)
def theil_u(table: Floats) -> Floats:
    r"""Theil's U: the share of the entropy of the true classes that the prediction explains.

    Notes
    -----
    .. math:: \frac{I(Y, \hat Y)}{H(Y)}

    with the mutual information I and the entropy H of the true classes.

    Examples
    --------
    >>> from skaucx.metrics.information import theil_u
    >>> round(theil_u([0, 0, 1, 1], [0, 0, 1, 0]), 4)
    0.3113
    """
    return mutual_information(table) / _entropies(table)[0]


@bits("class_entropy", "Shannon 1948", better="neither")
def class_entropy(table: Floats, *, of: Literal["true", "predicted", "both"] = "true") -> Floats:
    r"""Entropy of the classes, in bits.

    Parameters
    ----------
    of : {"true", "predicted", "both"}, default="true"
        The true classes (the reference), the predicted ones (the response), or their pairs (the
        joint entropy).

    Notes
    -----
    .. math:: -\sum_k p_k \log_2 p_k

    Examples
    --------
    >>> from skaucx.metrics.information import class_entropy
    >>> class_entropy([0, 0, 1, 1], [0, 1, 0, 1]), class_entropy([0, 0, 1, 1], [0, 1, 0, 1], of="both")
    (1.0, 2.0)
    """
    if of == "both":
        return _joint_entropy(table)
    return _entropies(table)[0 if of == "true" else 1]


@bits("conditional_entropy", "Shannon 1948", better="low", no_interval=_PLUG_IN)
def conditional_entropy(table: Floats, *, given: Literal["true", "predicted"] = "true") -> Floats:
    r"""Conditional entropy: the entropy of one side given the other, in bits.

    Parameters
    ----------
    given : {"true", "predicted"}, default="true"
        The side that is known.

    Notes
    -----
    .. math:: H(\hat Y \mid Y) = -\sum_{ij} p_{ij} \log_2 \frac{p_{ij}}{p_{i \cdot}}

    Examples
    --------
    >>> from skaucx.metrics.information import conditional_entropy
    >>> conditional_entropy([0, 0, 1, 1], [0, 0, 1, 0])
    0.5
    """
    known = _entropies(table)[0 if given == "true" else 1]
    return np.maximum(_joint_entropy(table) - known, 0)


@bits("class_divergence", "Kullback & Leibler 1951", better="low", no_interval=_AT_ZERO)
def class_divergence(table: Floats) -> Floats:
    r"""Kullback-Leibler divergence of the predicted classes' shares from the true ones, in bits.

    Notes
    -----
    .. math:: \sum_k p_{k \cdot} \log_2 \frac{p_{k \cdot}}{p_{\cdot k}}

    It is infinite where a class is never predicted.

    Examples
    --------
    >>> from skaucx.metrics.information import class_divergence
    >>> round(class_divergence([0, 0, 1, 1], [0, 0, 1, 0]), 4)
    0.2075
    """
    true, predicted = sides_of(table)
    return np.maximum(special.rel_entr(true, predicted).sum(axis=-1), 0) / np.log(2)


@bits("class_cross_entropy", "Shannon 1948", better="low", best=np.nan)
def class_cross_entropy(table: Floats) -> Floats:
    r"""Cross-entropy of the true and the predicted classes' shares, in bits.

    Not the log loss of probabilities, which is called cross-entropy too.

    Notes
    -----
    .. math:: -\sum_k p_{k \cdot} \log_2 p_{\cdot k}

    Examples
    --------
    >>> from skaucx.metrics.information import class_cross_entropy
    >>> round(class_cross_entropy([0, 0, 1, 1], [0, 0, 1, 0]), 4)
    1.2075
    """
    return -special.xlogy(*sides_of(table)).sum(axis=-1) / np.log(2)


@bits(
    "confusion_entropy",
    "Wei et al. 2010",
    better="low",
    options={"labels": None},
    aliases=("cen",),
    no_interval=_PLUG_IN,
)
def confusion_entropy(table: Floats, *, modified: bool = False) -> Floats:
    r"""Confusion entropy: how evenly the errors are distributed over the other classes.

    Parameters
    ----------
    modified : bool, default=False
        Whether to exclude correct predictions from the shares (Delgado & Nunez-Gonzalez 2019), so
        that two classes have values of at most 1.

    Notes
    -----
    .. math:: -\sum_k w_k \sum_{j \ne k} \bigl( q_{jk} \log_b q_{jk} + q_{kj} \log_b q_{kj} \bigr),
              \qquad b = 2 (K - 1)

    where q are the errors between classes j and k, divided by the number of examples of class k or
    predicted as k, and w is the share of the latter in the whole table.

    Examples
    --------
    >>> from skaucx.metrics.information import confusion_entropy
    >>> round(confusion_entropy(["a", "b", "c", "c"], ["a", "b", "b", "c"]), 4)
    0.1981
    """
    table = shares_of(table)
    classes, right = table.shape[-1], np.diagonal(table, axis1=-2, axis2=-1)
    held = table.sum(axis=-1) + table.sum(axis=-2) - (right if modified else 0)
    whole = 2 - (right.sum(axis=-1) if modified and classes > 2 else 0)
    errors = np.where(np.eye(classes, dtype=bool), 0, table)
    shares = [quotient(e, held[..., None]) for e in (errors, np.swapaxes(errors, -1, -2))]
    entropy = -sum(special.xlogy(q, q).sum(axis=-1) for q in shares)
    return (held * entropy).sum(axis=-1) / whole / np.log(2 * (classes - 1))


@of_one_class("precision_lift", "Brin et al. 1997", bounds=(0, np.inf), uninformed=1)
def precision_lift(c: Counts) -> Floats:
    r"""Lift of positive predictions: precision divided by prevalence.

    Notes
    -----
    .. math:: \frac{TP}{TP + FP} \Big/ \frac{TP + FN}{n}

    :func:`lift_score` is the lift of the highest scores.

    Examples
    --------
    >>> from skaucx.metrics.information import precision_lift
    >>> precision_lift.from_counts(tp=3, fp=1, fn=1, tn=3)
    1.5
    """
    return c.tp / c.predicted_positives / (c.positives / c.total)


@of_one_class(
    "pointwise_mutual_information",
    "Church & Hanks 1990",
    bounds=(-np.inf, np.inf),
    aliases=("pmi",),
)
def pointwise_mutual_information(c: Counts) -> Floats:
    r"""Pointwise mutual information of predicted and true positives: log2 of :func:`precision_lift`.

    Notes
    -----
    .. math:: \log_2 \frac{TP / (TP + FP)}{(TP + FN) / n}

    PyCM calls it information score; that of Kononenko and Bratko reads probabilities,
    :func:`information_score`.

    Examples
    --------
    >>> from skaucx.metrics.information import pointwise_mutual_information
    >>> round(pointwise_mutual_information.from_counts(tp=3, fp=1, fn=1, tn=3), 4)
    0.585
    """
    return np.log2(precision_lift(c))


def _entropies(table: Floats) -> tuple[Floats, Floats]:
    """Return the entropies of the true and of the predicted classes, in bits."""
    true, predicted = sides_of(table)
    return _entropy(true), _entropy(predicted)


def _joint_entropy(table: Floats) -> Floats:
    return _entropy(shares_of(table), axis=(-2, -1))


def _entropy(shares: Floats, axis: int | tuple[int, ...] = -1) -> Floats:
    """Return -sum of p log2 p."""
    return np.asarray(special.entr(shares).sum(axis=axis) / np.log(2))
