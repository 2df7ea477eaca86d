"""Metrics of the scores of all classes at once, on any scale.

Every formula reads a :class:`~skaucx.metrics._kinds.scores.state.Columns`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._arrays import Codes, Floats
from ..._options import WholePositive
from .._kinds.scores import COLUMNS, MARGINS
from .._kinds.scores.class_scores import Columns
from .._records.totals import weight_of_each
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
    swapped=True,
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


def weight_of_places(c: Columns) -> Floats:
    """Return the weight of the examples by the rank of their true class, the highest score first.

    For one score: of those correct with threshold 1/2, with threshold 0, and the number of scores
    outside [0, 1].
    """
    if c.score.ndim == 1:
        right = [((c.score > cut) == (c.outcome == 1)) * c.weight for cut in (0.5, 0)]
        called = [calls.sum(axis=-1) for calls in right]
        beyond = np.count_nonzero((c.score < 0) | (c.score > 1))
        return np.stack([*called, np.full_like(called[0], beyond)], axis=-1)
    return weight_of_each(_places(c), c.score.shape[1], c.weight)


def _places(c: Columns) -> Codes:
    """Return how many classes rank above the true one; ties rank later classes first."""
    own = np.take_along_axis(c.score, c.outcome[:, None], axis=1)
    later = np.arange(c.score.shape[1]) > c.outcome[:, None]
    return ((c.score > own) | ((c.score == own) & later)).sum(axis=1)


def among_highest(c: Columns, *, k: int = 2, normalize: bool = True) -> Any:
    """Return 1 for the examples whose true class is among the k of highest score, 0 for the others."""
    if c.n_columns == 1:
        cut = 0.0 if ((c.score < 0) | (c.score > 1)).any() else 0.5
        return np.asarray(
            np.where(k > 1, 1.0, (c.score > cut) == (c.outcome == 1)), dtype=np.float64
        )
    return 1.0 * (_places(c) < k)


@metric(
    "top_k_accuracy_score",
    "Deng et al. 2009",
    kind=COLUMNS,
    family="many classes",
    twin=True,
    swapped=True,
    losses=among_highest,
    totals=(weight_of_places,),
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
    found = c.total(weight_of_places)
    if c.n_columns > 1:
        total = found[..., :k].sum(axis=-1)
    else:
        by_half, by_sign, beyond = np.moveaxis(found, -1, 0)
        total = c.total_weight if k > 1 else np.where(beyond > 0, by_sign, by_half)[()]
    return total / c.total_weight if normalize else total
