r"""Means of the score difference itself over all pairs, and of any function of it.

Every formula reads a :class:`~skaucx.metrics._pairs.contract.PairMeans`; p, n and d as in the module
``auc``.
"""

from __future__ import annotations

import numpy as np

from ..._options import Difference
from .._pairs.contract import PairMeans
from ..kinds.scores import UNIT_VALUES, VALUES
from .auc import variant


@variant(
    "mm11_auc_score",
    "Majnik 2011",
    kind=UNIT_VALUES,
    bounds=(-1, 1),
    uninformed=0,
    sharpest=np.inf,
    aliases=("discrimination_slope", "tjur_r2"),
)
def mm11_auc(r: PairMeans) -> np.float64:
    r"""mm11: the mean score of the positives minus that of the negatives.

    Notes
    -----
    .. math::

       \frac{1}{PN} \sum_{i=1}^P \sum_{j=1}^N (p_i - n_j)
       = \frac1P \sum_{i=1}^P p_i - \frac1N \sum_{j=1}^N n_j

    Scores must lie in [0, 1].

    Examples
    --------
    >>> from skaucx.metrics import mm11_auc_score
    >>> round(mm11_auc_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1]), 4)
    0.4
    """
    return r.mean_difference


@variant("mm12_auc_score", "Majnik 2011", kind=UNIT_VALUES, uninformed=0.5, sharpest=np.inf)
def mm12_auc(r: PairMeans) -> np.float64:
    r"""mm12: mm11 mapped from [-1, 1] to [0, 1]; equal to probAUC.

    Notes
    -----
    .. math:: \frac{\mathrm{mm}_{11} + 1}{2}

    Scores must lie in [0, 1].

    Examples
    --------
    >>> from skaucx.metrics import mm12_auc_score
    >>> mm12_auc_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1])
    0.7
    """
    return (mm11_auc(r) + 1) / 2


@variant(
    "pairwise_auc_score",
    "Vanderlooy & Huellermeier 2008",
    kind=VALUES,
    bounds=(-np.inf, np.inf),
    best=np.nan,
    rises=False,  # the caller's function may decrease
    swapped=None,
)
def pairwise_auc(r: PairMeans, *, difference: Difference) -> np.float64:
    r"""Mean over all pairs of any function of the score difference.

    It is evaluated pair by pair in bounded memory. A metric that is declared over a
    :class:`DifferenceFunction` with its kinks takes near-linear time.

    Parameters
    ----------
    difference : callable
        Vectorised h: takes an array of differences d, returns an array of the same shape.

    Notes
    -----
    .. math:: \frac{1}{PN} \sum_{i=1}^P \sum_{j=1}^N h(p_i - n_j)

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.metrics import pairwise_auc_score
    >>> pairwise_auc_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1], difference=np.sign)
    0.75
    """
    return r.mean_of(difference)
