"""Metrics of multilabel data other than those of the confusion table."""

from __future__ import annotations

import numpy as np

from ..._arrays import Floats
from .._kinds.labels import CELLS
from .._registry.declare import metric


@metric(
    "hamming_loss",
    "Hamming 1950",
    kind=CELLS,
    family="many labels",
    twin=True,
    better="low",
    symmetric=True,
    losses=True,
    share=lambda table: (
        table.sum(axis=(-2, -1)) - table.trace(axis1=-2, axis2=-1),
        table.sum(axis=(-2, -1)),
    ),
)
def hamming_loss(table: Floats) -> Floats:
    r"""Hamming loss: the share of wrong labels; for multilabel data, of wrong indicators.

    Notes
    -----
    .. math:: \frac{1}{n L} \sum_{i=1}^n \sum_{l=1}^L [y_{il} \ne \hat y_{il}]

    For one target, L = 1, it is the error rate; the loss of whole rows is :func:`zero_one_loss`.

    Examples
    --------
    >>> from skaucx.metrics import hamming_loss
    >>> hamming_loss([[1, 0, 1], [0, 1, 0]], [[1, 1, 1], [0, 1, 0]])
    0.16666666666666666
    """
    wrong = np.where(~np.eye(table.shape[-1], dtype=bool), table, 0).sum(axis=(-2, -1))
    return np.asarray(wrong / table.sum(axis=(-2, -1)))
