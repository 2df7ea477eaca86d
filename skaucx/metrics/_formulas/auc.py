"""The AUC and its variants that read score values: means of a difference function over pairs.

Every formula reads a :class:`~skaucx.metrics._pairs.contract.PairMeans`; p and n stand for the score
of a positive and of a negative, d for p - n, and a mean runs over all pairs. Where one class is
missing the value is nan.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np

from ..._options import Difference, NonNegative, Positive, PositiveShare, Share
from .._pairs.contract import PairMeans
from .._pairs.kernels import Logistic, Power
from .._registry.declare import metric
from .._registry.kinds import ORDER, RELATIVE_VALUES, UNIT_VALUES, VALUES
from .curve_areas import partial_roc_auc

variant = partial(metric, family="AUC variants", rises=True)


@variant(
    "roc_auc_score",
    "Hanley & McNeil 1982",
    kind=ORDER,
    twin=True,
    undefined=np.nan,
    aliases=("auc",),
    uninformed=0.5,
)
def roc_auc(
    r: PairMeans,
    *,
    max_fpr: PositiveShare | None = None,
    ties: Literal["half", "win", "loss"] = "half",
) -> np.float64:
    """AUC: how often a positive scores above a negative.

    Parameters
    ----------
    max_fpr : float in (0, 1], default=None
        If given, the area for false positive rates up to this one, standardised as by McClish.
    ties : {"half", "win", "loss"}, default="half"
        Whether equal scores count 1/2, 1 or 0.

    Notes
    -----
    .. math:: mean of h(d), h = 1 if d > 0, 1/2 if d = 0, else 0

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
    undefined=np.nan,
    aliases=("gini_index",),
    uninformed=0,
)
def gini(r: PairMeans) -> np.float64:
    """Gini coefficient of the ROC curve: how much more often a positive wins than loses.

    Notes
    -----
    .. math:: 2 AUC - 1

    Examples
    --------
    >>> from skaucx.metrics import gini_score
    >>> gini_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1])
    0.75
    """
    return 2 * roc_auc(r) - 1


@variant("prob_auc_score", "Ferri et al. 2005", kind=UNIT_VALUES, undefined=np.nan, uninformed=0.5)
def prob_auc(r: PairMeans) -> np.float64:
    """probAUC: the mean of how high the positives score and how low the negatives do.

    Notes
    -----
    .. math:: (mean p + mean (1 - n)) / 2

    Scores must lie in [0, 1].

    Examples
    --------
    >>> from skaucx.metrics import prob_auc_score
    >>> prob_auc_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1])
    0.7
    """
    return (1 + r.mean_difference) / 2


@variant(
    "scor_auc_score", "Wu & Flach 2005", kind=UNIT_VALUES, undefined=np.nan, aliases=("s_auc",)
)
def scor_auc(r: PairMeans) -> np.float64:
    """scorAUC: by how much the winning positives win, on average over all pairs.

    Notes
    -----
    .. math:: mean of max(d, 0)

    Scores must lie in [0, 1].

    Examples
    --------
    >>> from skaucx.metrics import scor_auc_score
    >>> round(scor_auc_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1]), 4)
    0.4
    """
    return r.mean_gain


@variant("sond_auc_score", "Huang & Ling 2005", kind=UNIT_VALUES, undefined=np.nan)
def sond_auc(r: PairMeans, *, q: NonNegative = 1 / 7) -> np.float64:
    """sondAUC: scorAUC of differences raised to a power.

    Parameters
    ----------
    q : float >= 0, default=1/7
        The power: 1 gives scorAUC, and q -> 0 tends to the AUC that counts ties as losses.

    Notes
    -----
    .. math:: mean of d^q if d > 0, else 0

    Scores must lie in [0, 1].

    Examples
    --------
    >>> from skaucx.metrics import sond_auc_score
    >>> round(sond_auc_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1]), 4)
    0.6791
    """
    return r.mean_of(Power(q))


@variant(
    "soft_auc_score", "Calders & Jaroszewicz 2007", kind=VALUES, undefined=np.nan, uninformed=0.5
)
def soft_auc(r: PairMeans, *, beta: Positive = 7.0) -> np.float64:
    """softAUC: the AUC with the step at d = 0 smoothed into a logistic curve.

    On scores in [0, 1] its greatest value is 1 / (1 + exp(-beta)), that of a perfect prediction.

    Parameters
    ----------
    beta : float > 0, default=7
        Steepness: beta -> inf tends to the AUC, beta -> 0 to 1/2.

    Notes
    -----
    .. math:: mean of 1 / (1 + exp(-beta d))

    Examples
    --------
    >>> from skaucx.metrics import soft_auc_score
    >>> round(soft_auc_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1]), 4)
    0.8395
    """
    return r.mean_of(Logistic(beta))


@variant("mm1_auc_score", "Majnik 2011", kind=RELATIVE_VALUES, undefined=np.nan)
def mm1_auc(r: PairMeans) -> np.float64:
    """mm1: scorAUC as a share of the span of all scores.

    Notes
    -----
    .. math:: mean of max(d, 0) / span

    Free of shift and scale; 0 where all scores are equal.

    Examples
    --------
    >>> from skaucx.metrics import mm1_auc_score
    >>> round(mm1_auc_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1]), 4)
    0.5
    """
    return r.mean_gain_above(0)


@variant("mm4_auc_score", "Majnik 2011", kind=RELATIVE_VALUES, undefined=np.nan)
def mm4_auc(r: PairMeans, *, floor: Share = 0.5) -> np.float64:
    """mm4: mm1 in which every won pair counts at least `floor`.

    Parameters
    ----------
    floor : float in [0, 1], default=1/2
        The least value of a won pair.

    Notes
    -----
    .. math:: mean of max(d / span, floor) if d > 0, else 0

    Free of shift and scale; 0 where all scores are equal.

    Examples
    --------
    >>> from skaucx.metrics import mm4_auc_score
    >>> mm4_auc_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1])
    0.53125
    """
    return floor * r.win_share + r.mean_gain_above(floor)


@variant("mm6_auc_score", "Majnik 2011", kind=UNIT_VALUES, undefined=np.nan)
def mm6_auc(
    r: PairMeans,
    *,
    floor: Share = 0.5,
    auc_power: NonNegative = 9 / 10,
    margin_power: NonNegative = 1 / 16,
) -> np.float64:
    r"""mm6: mm4, damped where a correct ranking has a narrow margin.

    Parameters
    ----------
    floor : float in [0, 1], default=1/2
        The least value of a won pair in mm4.
    auc_power : float >= 0, default=9/10
        The power of mm4.
    margin_power : float >= 0, default=1/16
        The power of the margin.

    Notes
    -----
    .. math:: mm4^{auc\_power} * (margin^{margin\_power} if margin > 0, else 1)

    The margin is the lowest positive minus the highest negative. Scores must lie in [0, 1].

    Examples
    --------
    >>> from skaucx.metrics import mm6_auc_score
    >>> round(mm6_auc_score([1, 1, 0, 0], [0.9, 0.6, 0.4, 0.1]), 4)
    0.6454
    """
    damping: Any = np.where(r.margin > 0, np.maximum(r.margin, 0) ** margin_power, 1.0)
    return mm4_auc(r, floor=floor) ** auc_power * damping


@variant("mm7_auc_score", "Majnik 2011", kind=UNIT_VALUES, undefined=np.nan)
def mm7_auc(
    r: PairMeans,
    *,
    floor: Share = 0.5,
    auc_power: NonNegative = 9 / 10,
    margin_power: NonNegative = 1 / 16,
) -> np.float64:
    """mm7: mm6 times the share of the pairs that are won.

    Parameters
    ----------
    floor : float in [0, 1], default=1/2
        The least value of a won pair in mm4.
    auc_power : float >= 0, default=9/10
        The power of mm4.
    margin_power : float >= 0, default=1/16
        The power of the margin.

    Notes
    -----
    .. math:: mm6 * (share of pairs with d > 0)

    Scores must lie in [0, 1].

    Examples
    --------
    >>> from skaucx.metrics import mm7_auc_score
    >>> round(mm7_auc_score([1, 1, 0, 0], [0.9, 0.6, 0.4, 0.1]), 4)
    0.6454
    """
    mm6 = mm6_auc(r, floor=floor, auc_power=auc_power, margin_power=margin_power)
    return np.float64(mm6 * r.win_share)


@variant(
    "mm11_auc_score",
    "Majnik 2011",
    kind=UNIT_VALUES,
    bounds=(-1, 1),
    undefined=np.nan,
    uninformed=0,
)
def mm11_auc(r: PairMeans) -> np.float64:
    """mm11: by how much the positives outscore the negatives on average.

    Notes
    -----
    .. math:: mean of d

    Scores must lie in [0, 1].

    Examples
    --------
    >>> from skaucx.metrics import mm11_auc_score
    >>> round(mm11_auc_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1]), 4)
    0.4
    """
    return r.mean_difference


@variant("mm12_auc_score", "Majnik 2011", kind=UNIT_VALUES, undefined=np.nan, uninformed=0.5)
def mm12_auc(r: PairMeans) -> np.float64:
    """mm12: mm11 brought into [0, 1]; the same number as probAUC.

    Notes
    -----
    .. math:: (mm11 + 1) / 2

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
    undefined=np.nan,
    rises=False,  # nothing tells that the caller's function does
)
def pairwise_auc(r: PairMeans, *, difference: Difference) -> np.float64:
    """Mean over all pairs of any function of the score difference.

    Evaluated pair by pair in bounded memory: the plain form of every variant above.

    Parameters
    ----------
    difference : callable
        Vectorised h: takes an array of differences d, returns an array of the same shape.

    Notes
    -----
    .. math:: mean of h(d)

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.metrics import pairwise_auc_score
    >>> pairwise_auc_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1], difference=np.sign)
    0.75
    """
    return r.mean_of(difference)
