"""Metrics of a whole confusion table: agreement of truth and prediction over all classes at once.

Every formula reads tables of shape (..., K, K), rows true, columns predicted, or the counts of each
class against the rest, of shape (..., K), and is vectorised over the leading axes; 0/0 is nan.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np

from ..._arrays import Floats
from ..._options import Replacement
from .._kinds.labels import CLASSES, RIGHT, TABLE
from .._records.counts import Counts, shares_of
from .._records.inputs import check_cost
from .._registry.declare import metric
from .rates import recall

agreement = partial(metric, kind=TABLE, family="agreement")
symmetric = partial(agreement, symmetric=True)
of_examples = partial(
    symmetric, source="Fawcett 2006", kind=RIGHT, twin=True, multilabel=True, losses=True
)


@of_examples(
    "accuracy_score",
    aliases=(
        "fraction_correct",
        "eff",
        "acc",
        "subset_accuracy",
        "exact_match",
        "fc",
        "efficiency",
        "mean_consequential_error",
    ),
    share=lambda table: (table.trace(axis1=-2, axis2=-1), table.sum(axis=(-2, -1))),
)
def accuracy(table: Floats, *, normalize: bool = True) -> Floats:
    r"""Accuracy: the share of the examples that are classified correctly.

    Parameters
    ----------
    normalize : bool, default=True
        If False, return the weight of those examples instead.

    Notes
    -----
    .. math:: \frac{TP + TN}{n}

    Over K classes it is the sum of the table's diagonal divided by the sum of all cells.

    Examples
    --------
    >>> from skaucx.metrics import accuracy_score
    >>> accuracy_score(["a", "b", "c", "c"], ["a", "b", "b", "c"])
    0.75
    """
    right = table.trace(axis1=-2, axis2=-1)
    return right / table.sum(axis=(-2, -1)) if normalize else right


@of_examples(
    "zero_one_loss",
    better="low",
    aliases=("error_rate", "fraction_incorrect", "fic"),
    share=lambda table: (
        table.sum(axis=(-2, -1)) - table.trace(axis1=-2, axis2=-1),
        table.sum(axis=(-2, -1)),
    ),
)
def zero_one_loss(table: Floats, *, normalize: bool = True) -> Floats:
    r"""Error rate: the share of the examples that are classified wrongly.

    Parameters
    ----------
    normalize : bool, default=True
        If False, return the weight of those examples instead.

    Notes
    -----
    .. math:: \frac{FP + FN}{n}

    Over K classes it is the sum of the cells off the diagonal divided by the sum of all cells.

    Examples
    --------
    >>> from skaucx.metrics import zero_one_loss
    >>> zero_one_loss(["a", "b", "c", "c"], ["a", "b", "b", "c"])
    0.25
    """
    wrong = table.sum(axis=(-2, -1), where=~np.eye(table.shape[-1], dtype=bool), initial=0)
    return wrong / table.sum(axis=(-2, -1)) if normalize else wrong


@agreement(
    "balanced_accuracy_score",
    "Brodersen et al. 2010",
    kind=CLASSES,
    twin=True,
    undefined=np.nan,
    aliases=("ba", "bacc", "bal_acc"),
    traits=("prevalence_free",),
    symmetric=True,
)
def balanced_accuracy(c: Counts, *, adjusted: bool = False) -> Floats:
    r"""Balanced accuracy: the mean of the recalls of the classes that occur.

    Parameters
    ----------
    adjusted : bool, default=False
        Whether to rescale so that the chance level is 0 and the best value 1.

    Notes
    -----
    .. math:: \frac12 \left(\frac{TP}{TP + FN} + \frac{TN}{TN + FP}\right)

    Over K classes it is the mean of their recalls. A class that occurs in the predictions only has
    no recall and is omitted, as in scikit-learn.

    Examples
    --------
    >>> from skaucx.metrics import balanced_accuracy_score
    >>> balanced_accuracy_score([0, 1, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1])
    0.625
    """
    recalls = recall(c)
    occurs = ~np.isnan(recalls)
    classes = np.sum(occurs, axis=-1)
    mean = np.sum(np.where(occurs, recalls, 0), axis=-1) / classes
    return (mean - 1 / classes) / (1 - 1 / classes) if adjusted else mean


@symmetric(
    "matthews_corrcoef",
    "Gorodkin 2004",
    kind=CLASSES,
    twin=True,
    bounds=(-1, 1),
    aliases=("mcc", "phi", "phi_coefficient"),
)
def matthews_corrcoef(c: Counts) -> Floats:
    r"""MCC: the correlation of truth and prediction.

    Notes
    -----
    .. math:: \frac{TP \cdot TN - FP \cdot FN}{\sqrt{(TP + FP)(TP + FN)(TN + FP)(TN + FN)}}

    This is the form for two classes (Matthews 1975). Over K classes the numerator, and the two factors
    :math:`(TP + FP)(TN + FN)` and :math:`(TP + FN)(TN + FP)` of the denominator, are each summed over
    the K tables of one class against the rest.

    Examples
    --------
    >>> from skaucx.metrics import matthews_corrcoef
    >>> round(matthews_corrcoef([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1]), 4)
    0.0913
    """
    two = c.tp.shape[-1] == 2
    c = c.of_class(1).scaled if two else c.scaled_alike

    def of_all(term: Floats) -> Floats:
        return term + term if two else np.sum(term, axis=-1)  # of two classes both are equal

    covariance = of_all(c.tp * c.tn - c.fp * c.fn)
    predicted = of_all(c.predicted_positives * c.predicted_negatives)
    true = of_all(c.positives * c.negatives)
    # Equal factors, as for perfect labels, give exactly 1, without rounding.
    return covariance / (predicted * np.sqrt(true / predicted))


_EXPONENTS = {"linear": 1, "quadratic": 2}


def _by_weights(reading: Any, state: Any, **settings: Any) -> Any:
    """Return the whole table where disagreements differ in weight, else the counts of each class."""
    kind = CLASSES if reading.parameters.get("weights") is None else TABLE
    return kind.problem(reading, state, **settings)


@symmetric(
    "cohen_kappa_score",
    "Cohen 1960",
    kind=replace(TABLE, problem=_by_weights),
    twin=True,
    bounds=(-1, 1),
    undefined=np.nan,
    aliases=("kappa", "heidke_skill_score", "hss"),
    inputs=("y1", "y2"),
    options={"labels": None},
)
def cohen_kappa(
    table: Floats | Counts,
    *,
    weights: Literal["linear", "quadratic"] | None = None,
    replace_undefined_by: Replacement = np.nan,
) -> Floats:
    r"""Cohen's kappa: agreement beyond that expected from the class frequencies of both sides.

    Parameters
    ----------
    weights : {"linear", "quadratic"}, default=None
        How a disagreement between classes i and j counts: 1, ``|i - j|`` or ``(i - j)^2``.
    replace_undefined_by : float in [-1, 1] or nan, default=nan
        The value that replaces 0/0, as in scikit-learn; with nan, `zero_division` applies.

    Notes
    -----
    .. math:: \kappa = \frac{p_o - p_e}{1 - p_e}

    Here :math:`p_o` is the share of the examples on which both agree, and :math:`p_e` the share on which
    they would agree if they assigned classes independently with the same frequencies. It is
    computed as one minus the ratio of the observed to the expected disagreement, each weighted by
    `weights`.

    Examples
    --------
    >>> from skaucx.metrics import cohen_kappa_score
    >>> round(cohen_kappa_score(["a", "b", "c", "c"], ["a", "b", "b", "c"]), 4)
    0.6364
    """
    if weights is None:
        c = table if isinstance(table, Counts) else Counts.one_vs_rest(table)
        observed_cost = np.sum(c.fn / c.total, axis=-1)
        chance = (c.positives / c.total) * (c.predicted_negatives / c.total)
        expected_cost = np.sum(chance, axis=-1)
    else:
        share = shares_of(np.asarray(table))
        place = np.arange(share.shape[-1], dtype=np.float64)
        disagreement = np.abs(place[:, None] - place) ** _EXPONENTS[weights]
        expected = share.sum(axis=-1)[..., :, None] * share.sum(axis=-2)[..., None, :]
        observed_cost = (disagreement * share).sum(axis=(-2, -1))
        expected_cost = (disagreement * expected).sum(axis=(-2, -1))
    return np.where(expected_cost > 0, 1 - observed_cost / expected_cost, replace_undefined_by)


@agreement(
    "expected_cost",
    "Elkan 2001",
    better="low",
    bounds=(-np.inf, np.inf),
    best=np.nan,
    aliases=("cost_weighted_error",),
    options={"labels": None},
    losses=True,
)
def expected_cost(table: Floats, *, cost: Any) -> Floats:
    r"""Expected cost: the mean cost of an example, by its true and its predicted class.

    Parameters
    ----------
    cost : array-like of shape (n_classes, n_classes)
        ``cost[true, predicted]``, classes in sorted order or in that of `labels`, whichever is
        positive; of counts without labels the negative class first.

    Notes
    -----
    .. math:: \sum_{i=1}^K \sum_{j=1}^K c_{ij} \, s_{ij}

    Here :math:`s_{ij}` is the share of examples of class i predicted as class j, among all
    examples, and :math:`c_{ij}` its cost.

    Examples
    --------
    >>> from skaucx.metrics import expected_cost
    >>> expected_cost([1, 0, 0, 1], [1, 0, 1, 0], cost=[[0, 1], [5, 0]])
    1.5
    """
    costs = check_cost(cost, table.shape[-1])
    return (costs * shares_of(table)).sum(axis=(-2, -1))
