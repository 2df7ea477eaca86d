r"""The AUC and its variants that read score values: means of a difference function over pairs.

Every formula reads a :class:`~skaucx.metrics._pairs.contract.PairMeans`. In the formulas
:math:`p_1, \dots, p_P` are the scores of the positives, :math:`n_1, \dots, n_N` those of the negatives
and :math:`d_{ij} = p_i - n_j`; weights of examples, which the formulas leave out, weigh a pair by their
product. Where one class is missing the value is nan.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np

from ..._options import NonNegative, Positive, PositiveShare
from .._pairs.contract import PairMeans
from .._pairs.kernels import Logistic, Power
from .._registry.declare import metric
from ..kinds.scores import ORDER, UNIT_VALUES, VALUES
from .curve_areas import partial_roc_auc, slopes_of_partial_area
from .rates import false_positive_rate, recall
from .slopes import Slopes, of_area, of_polygon

variant = partial(metric, family="AUC variants", undefined=np.nan, swapped=True, rises=True)


def slopes_of_auc(
    r: PairMeans,
    *,
    max_fpr: PositiveShare | None = None,
    ties: Literal["half", "win", "loss"] = "half",
) -> Slopes:
    """Return the influence of a positive and of a negative at each score on the AUC."""
    if max_fpr is not None and max_fpr < 1:
        return slopes_of_partial_area(r, fpr=(0, max_fpr), standardize=True)
    c, tie = r.threshold_counts, {"half": 0.5, "win": 1.0, "loss": 0.0}[ties]
    # AUC = sum (FPR_k - FPR_{k-1}) (tie TPR_k + (1 - tie) TPR_{k-1})
    x, y = false_positive_rate(c), recall(c)
    of_fpr, of_tpr = of_area(x, y, tie, 1 - tie)[0], of_area(x, y, 1 - tie, tie)[1]
    return of_polygon(c, of_tpr, of_fpr)


def _slopes_of_gini(r: PairMeans) -> Slopes:
    of_positives, of_negatives = slopes_of_auc(r)
    return 2 * of_positives, 2 * of_negatives


@variant(
    "roc_auc_score",
    "Hanley & McNeil 1982",
    kind=ORDER,
    twin=True,
    aliases=("auc", "auroc", "auc_roc", "rocauc", "c_statistic", "c_index", "concordance_index"),
    uninformed=0.5,
    influence=slopes_of_auc,
    over_thresholds="sum",
)
def roc_auc(
    r: PairMeans,
    *,
    max_fpr: PositiveShare | None = None,
    ties: Literal["half", "win", "loss"] = "half",
) -> np.float64:
    r"""AUC: how often a positive scores above a negative.

    Parameters
    ----------
    max_fpr : float in (0, 1], default=None
        If given, the area for false positive rates up to this one, standardised as by McClish.
    ties : {"half", "win", "loss"}, default="half"
        Whether equal scores count 1/2, 1 or 0.

    Notes
    -----
    .. math::

       \frac{1}{PN} \sum_{i=1}^P \sum_{j=1}^N \left([d_{ij} > 0] + \tfrac12 [d_{ij} = 0]\right),
       \quad d_{ij} = p_i - n_j

    Examples
    --------
    >>> from skaucx.metrics import roc_auc_score
    >>> roc_auc_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1])
    0.875
    >>> roc_auc_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1], ties="win")
    1.0
    """
    if max_fpr is not None and max_fpr < 1:
        return np.float64(partial_roc_auc(r, fpr=(0, max_fpr), standardize=True))
    tie_value = {"half": 0.5, "win": 1.0, "loss": 0.0}[ties]
    return r.win_share + tie_value * r.tie_share


@variant(
    "gini_score",
    "Hand & Till 2001",
    kind=ORDER,
    bounds=(-1, 1),
    aliases=("gini_coefficient", "somers_d", "accuracy_ratio"),
    influence=_slopes_of_gini,
    uninformed=0,
)
def gini(r: PairMeans) -> np.float64:
    r"""Gini coefficient of the ROC curve: 2 AUC - 1.

    Notes
    -----
    .. math:: 2 \, \mathrm{AUC} - 1

    It is the share of the pairs in which the positive scores higher, minus the share in which it scores
    lower.

    Examples
    --------
    >>> from skaucx.metrics import gini_score
    >>> gini_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1])
    0.75
    """
    return 2 * roc_auc(r) - 1


@variant("prob_auc_score", "Ferri et al. 2005", kind=UNIT_VALUES, uninformed=0.5, sharpest=np.inf)
def prob_auc(r: PairMeans) -> np.float64:
    r"""probAUC: the mean of the average score of positives and one minus that of negatives.

    Notes
    -----
    .. math:: \frac12 \left(\frac1P \sum_{i=1}^P p_i + \frac1N \sum_{j=1}^N (1 - n_j)\right)

    Here :math:`p_i` and :math:`n_j` are the scores of the P positives and N negatives, in [0, 1].

    Examples
    --------
    >>> from skaucx.metrics import prob_auc_score
    >>> prob_auc_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1])
    0.7
    """
    return (1 + r.mean_difference) / 2


@variant("scor_auc_score", "Wu & Flach 2005", kind=UNIT_VALUES, aliases=("s_auc",), sharpest=np.inf)
def scor_auc(r: PairMeans) -> np.float64:
    r"""scorAUC: the mean over all pairs of how far the positive scores above the negative.

    Notes
    -----
    .. math:: \frac{1}{PN} \sum_{i=1}^P \sum_{j=1}^N \max(d_{ij}, 0), \quad d_{ij} = p_i - n_j

    A pair whose positive does not score higher adds 0. Scores must lie in [0, 1].

    Examples
    --------
    >>> from skaucx.metrics import scor_auc_score
    >>> round(scor_auc_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1]), 4)
    0.4
    """
    return r.mean_gain


@variant("sond_auc_score", "Huang & Ling 2005", kind=UNIT_VALUES, sharpest=2)
def sond_auc(r: PairMeans, *, q: NonNegative = 1 / 7) -> np.float64:
    r"""sondAUC: scorAUC with each difference raised to the exponent q.

    Parameters
    ----------
    q : float >= 0, default=1/7
        The exponent: 1 gives scorAUC, and q -> 0 tends to the AUC that counts ties as losses.

    Notes
    -----
    .. math::

       \frac{1}{PN} \sum_{i=1}^P \sum_{j=1}^N [d_{ij} > 0] \, d_{ij}^q, \quad d_{ij} = p_i - n_j

    Scores must lie in [0, 1].

    Examples
    --------
    >>> from skaucx.metrics import sond_auc_score
    >>> round(sond_auc_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1]), 4)
    0.6791
    """
    return r.mean_of(Power(q))


@variant("soft_auc_score", "Calders & Jaroszewicz 2007", kind=VALUES, uninformed=0.5, sharpest=2)
def soft_auc(r: PairMeans, *, beta: Positive = 7.0) -> np.float64:
    r"""softAUC: the AUC with the step at d = 0 smoothed into a logistic curve.

    On scores in [0, 1] its greatest value is 1 / (1 + exp(-beta)), that of a perfect prediction.

    Parameters
    ----------
    beta : float > 0, default=7
        Steepness: beta -> inf tends to the AUC, beta -> 0 to 1/2.

    Notes
    -----
    .. math::

       \frac{1}{PN} \sum_{i=1}^P \sum_{j=1}^N \frac{1}{1 + e^{-\beta d_{ij}}},
       \quad d_{ij} = p_i - n_j

    Examples
    --------
    >>> from skaucx.metrics import soft_auc_score
    >>> round(soft_auc_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1]), 4)
    0.8395
    """
    return r.mean_of(Logistic(beta))
