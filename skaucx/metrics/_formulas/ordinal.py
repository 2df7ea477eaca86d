"""Metrics of ordered classes."""

from __future__ import annotations

import numpy as np

from ..._arrays import Floats
from .._kinds.labels import TABLE
from .._kinds.scores.class_scores import Probabilities
from .imbalance import of_classes
from .probability import proper_loss


@proper_loss(
    "ranked_probability_score_loss",
    "Epstein 1969",
    mean=1,
    aliases=("ranked_probability_score", "rps"),
)
def ranked_probability_score_loss(p: Probabilities) -> Floats:
    r"""Ranked probability score: the Brier score of ordered classes; close errors cost less.

    Notes
    -----
    .. math:: \frac1n \sum_{i=1}^n \frac{1}{K - 1} \sum_{k=1}^{K-1} \left(F_{ik} - [y_i \le k]\right)^2

    Here :math:`F_{ik} = p_{i1} + \dots + p_{ik}` is the predicted probability of the first k
    classes for example i. The classes and columns are in sorted order: numbers by size, but strings
    alphabetically, so "high" comes before "low". For two classes it is the Brier score. Other texts
    do not divide by K - 1.

    Examples
    --------
    >>> from skaucx.metrics import ranked_probability_score_loss
    >>> near, far = [[0.1, 0.8, 0.1]], [[0.1, 0.1, 0.8]]
    >>> round(ranked_probability_score_loss([0], near, labels=[0, 1, 2]), 4)
    0.41
    >>> round(ranked_probability_score_loss([0], far, labels=[0, 1, 2]), 4)
    0.725
    """
    levels = np.arange(p.n_columns - 1)
    reached = p.outcome[:, None] <= levels
    gaps = np.cumsum(p.probability, axis=1)[:, :-1] - reached
    return np.asarray((gaps**2).sum(axis=1) / len(levels))


@of_classes(
    "macro_averaged_mean_absolute_error",
    "Baccianella et al. 2009",
    kind=TABLE,
    better="low",
    bounds=(0, np.inf),
    undefined=np.nan,
    symmetric=True,
    aliases=("macro_averaged_mae", "mmae"),
    options={"labels": None},
    traits=("prevalence_free",),
)
def macro_averaged_mean_absolute_error(table: Floats) -> Floats:
    r"""Macro-averaged mean absolute error: mean distance of ordered classes, averaged over true classes.

    Notes
    -----
    .. math:: \frac1K \sum_{i=1}^K \sum_{j=1}^K |i - j| \, \frac{n_{ij}}{n_{i \cdot}}

    Here :math:`n_{ij}` of the :math:`n_{i \cdot}` examples of class i are predicted as class j.
    Classes without true examples are omitted from the mean. The classes are in sorted order, or in
    that of `labels`, and neighbours have distance one whatever their numbers.

    Examples
    --------
    >>> from skaucx.metrics.imbalance import macro_averaged_mean_absolute_error
    >>> y_true, y_pred = ["low", "high", "high", "high"], ["low", "mid", "low", "high"]
    >>> macro_averaged_mean_absolute_error(y_true, y_pred, labels=["low", "mid", "high"])
    0.5
    """
    place = np.arange(table.shape[-1])
    distance = np.abs(np.subtract.outer(place, place))
    sizes = table.sum(axis=-1)
    of_class = (distance * table).sum(axis=-1) / sizes
    occurs = sizes > 0
    return np.asarray(of_class.sum(axis=-1, where=occurs) / occurs.sum(axis=-1))
