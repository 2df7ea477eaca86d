"""Metrics of the scores of all classes at once, on any scale.

Every formula reads a :class:`~skaucx.metrics._kinds.scores.state.Columns`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._arrays import Codes
from ..._options import WholePositive
from .._kinds.scores import COLUMNS, MARGINS
from .._kinds.scores.class_scores import Columns
from .._registry.declare import metric


@metric(
    "hinge_loss",
    "Crammer & Singer 2001",
    kind=MARGINS,
    family="losses of scores",
    inputs=("y_true", "pred_decision"),
    twin=True,
    better="low",
    bounds=(0, np.inf),
    symmetric=True,
    mean=1,
)
def hinge_loss(c: Columns) -> Any:
    r"""Hinge loss: by how much the margin of the true class over all others falls short of 1.

    Notes
    -----
    .. math:: \frac1n \sum_{i=1}^n \max\left(0,\ 1 - s_{i, y_i} + \max_{k \ne y_i} s_{ik}\right)

    For two classes with one score s for the positive, the negative has -s and the difference is
    halved:
    :math:`\max(0, 1 - s)` for positives, :math:`\max(0, 1 + s)` for negatives.

    Examples
    --------
    >>> from skaucx.metrics import hinge_loss
    >>> hinge_loss([-1, 1, 1], [-2.2, 2.4, 0.1])
    0.3
    """
    if c.score.ndim == 1:
        ahead = np.where(c.outcome == 1, c.score, -c.score)
    else:
        own = c.outcome[:, None] == np.arange(c.score.shape[1])
        ahead = c.score[own] - np.where(own, -np.inf, c.score).max(axis=1)
    return np.maximum(1 - ahead, 0)


def _places(c: Columns) -> Codes:
    """Return how many classes rank above the true one; ties rank later classes first."""
    own = np.take_along_axis(c.score, c.outcome[:, None], axis=1)
    later = np.arange(c.score.shape[1]) > c.outcome[:, None]
    return ((c.score > own) | ((c.score == own) & later)).sum(axis=1)


@metric(
    "top_k_accuracy_score",
    "Deng et al. 2009",
    kind=COLUMNS,
    family="many classes",
    twin=True,
    symmetric=True,
    mean=1,
    share=True,
)
def top_k_accuracy(c: Columns, *, k: WholePositive = 2, normalize: bool = True) -> Any:
    r"""Top-k accuracy: the share of examples whose true class is among the k of highest score.

    Parameters
    ----------
    k : int, default=2
        Number of highest scores.
    normalize : bool, default=True
        If False, return the number, or the weight, of these examples instead of their share.

    Notes
    -----
    .. math:: \frac1n \sum_{i=1}^n \left[ \left|\{j : s_{ij} > s_{i, y_i}\}\right| < k \right]

    Ties rank later classes first. For two classes with one score, the positive class ranks first
    above 1/2 if all scores are in [0, 1], above 0 otherwise. With k classes or fewer the value is
    1.

    Examples
    --------
    >>> from skaucx.metrics import top_k_accuracy_score
    >>> scores = [[0.5, 0.2, 0.3], [0.3, 0.4, 0.3], [0.2, 0.7, 0.1]]
    >>> round(top_k_accuracy_score([0, 1, 2], scores, k=2), 4)
    0.6667
    """
    if c.n_columns > 1:
        return 1.0 * (_places(c) < k)
    cut = 0.0 if ((c.score < 0) | (c.score > 1)).any() else 0.5
    return np.where(k > 1, 1.0, (c.score > cut) == (c.outcome == 1))
