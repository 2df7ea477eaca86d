"""Metrics of the scores of all classes at once, on any scale.

Every formula reads a :class:`~skaucx.metrics._states.scores.Columns`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._arrays import Bools, Floats
from ..._options import WholePositive
from .._registry.declare import metric
from .._registry.kinds import COLUMNS, MARGINS
from .._states.scores import Columns


def hinge_losses(c: Columns) -> Floats:
    """Return how far the score of each true class is from 1 above those of the others."""
    if c.score.ndim == 1:
        ahead = np.where(c.outcome == 1, c.score, -c.score)
    else:
        own = c.outcome[:, None] == np.arange(c.score.shape[1])
        ahead = c.score[own] - np.where(own, -np.inf, c.score).max(axis=1)
    return np.maximum(1 - ahead, 0)


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
)
def hinge_loss(c: Columns) -> Any:
    r"""Hinge loss: how far the score of the true class is from 1 above that of every other.

    Notes
    -----
    .. math:: \frac1n \sum_{i=1}^n \max\left(0,\ 1 - s_{i, y_i} + \max_{k \ne y_i} s_{ik}\right)

    Of two classes with one score s for the positive, the negative has -s and the difference is halved:
    :math:`\max(0, 1 - s)` for positives, :math:`\max(0, 1 + s)` for negatives.

    Examples
    --------
    >>> from skaucx.metrics import hinge_loss
    >>> hinge_loss([-1, 1, 1], [-2.2, 2.4, 0.1])
    0.3
    """
    return c.sum_of(hinge_losses) / c.total_weight


@metric(
    "top_k_accuracy_score",
    "Deng et al. 2009",
    kind=COLUMNS,
    family="many classes",
    twin=True,
    swapped=True,
)
def top_k_accuracy(c: Columns, *, k: WholePositive = 2, normalize: bool = True) -> Any:
    r"""Top-k accuracy: the share of examples whose true class is among the k of highest score.

    Parameters
    ----------
    k : int, default=2
        Among how many.
    normalize : bool, default=True
        If False, return the number, or the weight, of these examples instead of their share.

    Notes
    -----
    .. math:: \frac1n \sum_{i=1}^n \left[ \left|\{j : s_{ij} > s_{i, y_i}\}\right| < k \right]

    Of equal scores the later class counts as higher. Of two classes with one score, the positive is the
    first above 1/2 where all scores lie in [0, 1], above 0 elsewhere. With as many classes as k it is 1.

    Examples
    --------
    >>> from skaucx.metrics import top_k_accuracy_score
    >>> scores = [[0.5, 0.2, 0.3], [0.3, 0.4, 0.3], [0.2, 0.7, 0.1]]
    >>> round(top_k_accuracy_score([0, 1, 2], scores, k=2), 4)
    0.6667
    """
    total = (_among_highest(c, k) * c.weight).sum(axis=-1)
    return total / c.total_weight if normalize else total


def _among_highest(c: Columns, k: int) -> Bools:
    """Return whether the true class is among the k of highest score."""
    if c.score.ndim == 2:
        own = np.take_along_axis(c.score, c.outcome[:, None], axis=1)
        later = np.arange(c.score.shape[1]) > c.outcome[:, None]
        return np.asarray(((c.score > own) | ((c.score == own) & later)).sum(axis=1) < k)
    unit = c.score.min() >= 0 and c.score.max() <= 1
    called = c.score > (0.5 if unit else 0)
    return (called == (c.outcome == 1)) | (k > 1)
