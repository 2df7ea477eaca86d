r"""The AUC and its variants that read score values: means of a difference function over pairs.

Every formula reads a :class:`~skaucx.metrics._pairs.ranking.PairMeans`. In the formulas
:math:`p_1, \dots, p_P` are the scores of the positives, :math:`n_1, \dots, n_N` those of the negatives
and :math:`d_{ij} = p_i - n_j`; with sample weights, which the formulas omit, a pair has the product
of its weights. Where one class is missing the value is nan.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np

from ..._options import Difference, NonNegative, Positive, PositiveShare, Share
from .._kinds.scores import ORDER, RELATIVE_VALUES, UNIT_VALUES, VALUES
from .._pairs.kernels import Floored, HalfLinear, Logistic, Power
from .._pairs.ranking import PairMeans
from .._registry.declare import metric
from .curve_areas import partial_roc_auc

# What holds of the intervals of a metric that reads more than means over pairs.
ENDS = (
    "the metric depends on the lowest and the highest scores of the sample, so the coverage of its "
    "bootstrap is not guaranteed"
)

variant = partial(metric, family="AUC variants", undefined=np.nan, symmetric=True)


@variant(
    "roc_auc_score",
    "Hanley & McNeil 1982",
    kind=ORDER,
    twin=True,
    aliases=("auc", "auroc", "auc_roc", "rocauc", "c_statistic", "c_index", "concordance_index"),
    uninformed=0.5,
    over_thresholds="sum",
    pair_mean=lambda *, max_fpr, ties: max_fpr in (None, 1),
)
def roc_auc(
    r: PairMeans,
    *,
    max_fpr: PositiveShare | None = None,
    ties: Literal["half", "win", "loss"] = "half",
) -> np.float64:
    r"""AUC: the probability that a positive has a higher score than a negative.

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
    uninformed=0,
    pair_mean=True,
)
def gini(r: PairMeans) -> np.float64:
    r"""Gini coefficient of the ROC curve: 2 AUC - 1.

    Notes
    -----
    .. math:: 2 \, \mathrm{AUC} - 1

    It is the share of pairs with a higher score of the positive, minus the share with a lower one.

    Examples
    --------
    >>> from skaucx.metrics import gini_score
    >>> gini_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1])
    0.75
    """
    return 2 * roc_auc(r) - 1


@variant(
    "prob_auc_score",
    "Ferri et al. 2005",
    kind=UNIT_VALUES,
    uninformed=0.5,
    sharpest=np.inf,
    aliases=("mm12_auc", "mm12", "probauc", "mm12auc"),
    pair_mean=True,
)
def prob_auc(r: PairMeans) -> np.float64:
    r"""probAUC: the mean of the average score of positives and one minus that of negatives.

    Notes
    -----
    .. math:: \frac12 \left(\frac1P \sum_{i=1}^P p_i + \frac1N \sum_{j=1}^N (1 - n_j)\right)

    Here :math:`p_i` and :math:`n_j` are the scores of the P positives and N negatives, in [0, 1]. It is
    the same number as mm12, :math:`(\mathrm{mm}_{11} + 1) / 2`, of Majnik 2011.

    Examples
    --------
    >>> from skaucx.metrics import prob_auc_score
    >>> prob_auc_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1])
    0.7
    """
    return (1 + r.mean_difference) / 2


@variant(
    "scor_auc_score",
    "Wu & Flach 2005",
    kind=UNIT_VALUES,
    aliases=("s_auc", "scorauc"),
    sharpest=np.inf,
    pair_mean=True,
)
def scor_auc(r: PairMeans) -> np.float64:
    r"""scorAUC: the mean over all pairs of the excess of the positive's score over the negative's.

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


@variant(
    "sond_auc_score",
    "Huang & Ling 2005",
    kind=UNIT_VALUES,
    aliases=("sondauc",),
    sharpest=2,
    pair_mean=True,
)
def sond_auc(r: PairMeans, *, q: NonNegative = 1 / 7) -> np.float64:
    r"""sondAUC: scorAUC with each difference raised to the exponent q.

    Parameters
    ----------
    q : float >= 0, default=1/7
        The exponent: 1 gives scorAUC, and 0, as q -> 0, ``roc_auc_score(..., ties="loss")``.

    Notes
    -----
    .. math::

       \frac{1}{PN} \sum_{i=1}^P \sum_{j=1}^N [d_{ij} > 0] \, d_{ij}^q, \quad d_{ij} = p_i - n_j

    Scores must lie in [0, 1]. A tie, d = 0, counts 0 for every q, so that q = 0 is the limit of q -> 0.
    The source that calls q = 0 the AUC has terms :math:`d^q` over :math:`d \ge 0`, in which a tie
    counts :math:`0^0 = 1` at q = 0 and 0 at every other q; the AUC counts it 1/2. Without ties all
    three agree.

    Examples
    --------
    >>> from skaucx.metrics import sond_auc_score
    >>> round(sond_auc_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1]), 4)
    0.6791
    >>> sond_auc_score([1, 0, 1], [0.5, 0.5, 0.9], q=0)
    0.5
    """
    return r.mean_of(Power(q))


@variant(
    "soft_auc_score",
    "Calders & Jaroszewicz 2007",
    kind=VALUES,
    uninformed=0.5,
    aliases=("softauc",),
    sharpest=2,
    pair_mean=True,
)
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


Base = Literal["scor", "sond", "soft", "prob"]


@variant(
    "mm1_auc_score",
    "Majnik 2011",
    kind=RELATIVE_VALUES,
    aliases=("mm1", "mm1auc"),
    sharpest=np.inf,
    interval_note=ENDS,
)
def mm1_auc(
    r: PairMeans, *, base: Base = "scor", q: NonNegative = 1 / 7, beta: Positive = 7.0
) -> np.float64:
    r"""mm1: scorAUC divided by the span, the highest minus the lowest of all scores.

    Parameters
    ----------
    base : {"scor", "sond", "soft", "prob"}, default="scor"
        The variant whose differences are divided by the span: scorAUC, sondAUC, softAUC or
        probAUC (the mm12 of the source).
    q : float >= 0, default=1/7
        The exponent of sondAUC, if that is the base.
    beta : float > 0, default=7.0
        The steepness of softAUC, if that is the base.

    Notes
    -----
    .. math::

       \frac{1}{PN} \sum_{i=1}^P \sum_{j=1}^N \frac{\max(d_{ij}, 0)}{s}, \quad d_{ij} = p_i - n_j

    Here s is the span. Adding a constant to all scores, or multiplying them by a positive one, does
    not change the value; it is 0 if all scores are equal. With another base its function of
    :math:`d_{ij} / s` takes the place of :math:`\max(d_{ij} / s, 0)`.

    Examples
    --------
    >>> from skaucx.metrics import mm1_auc_score
    >>> round(mm1_auc_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1]), 4)
    0.5
    >>> round(mm1_auc_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1], base="sond"), 4)
    0.7011
    """
    return _relative(r, 0.0, base, q, beta)


def _relative(r: PairMeans, floor: float, base: Base, q: float, beta: float) -> Any:
    """Return the mean of the base at d / s, at least `floor` where d > 0."""
    if base == "scor":
        return floor * r.win_share + r.mean_gain_above(floor)
    kernels = {"sond": Power(q), "soft": Logistic(beta), "prob": HalfLinear()}
    return r.mean_of_relative(Floored(kernels[base], floor))


@variant(
    "mm4_auc_score",
    "Majnik 2011",
    kind=RELATIVE_VALUES,
    aliases=("mm4", "mm4auc"),
    sharpest=32,
    interval_note=ENDS,
)
def mm4_auc(
    r: PairMeans,
    *,
    floor: Share = 0.5,
    base: Base = "scor",
    q: NonNegative = 1 / 7,
    beta: Positive = 7.0,
) -> np.float64:
    r"""mm4: mm1 in which every correctly ranked pair counts at least `floor`.

    Parameters
    ----------
    floor : float in [0, 1], default=1/2
        The least value of a correctly ranked pair.
    base : {"scor", "sond", "soft", "prob"}, default="scor"
        The variant that gives the values of pairs; see :func:`mm1_auc_score`.
    q : float >= 0, default=1/7
        The exponent of sondAUC, if that is the base.
    beta : float > 0, default=7.0
        The steepness of softAUC, if that is the base.

    Notes
    -----
    .. math::

       \frac{1}{PN} \sum_{i=1}^P \sum_{j=1}^N [d_{ij} > 0] \max\left(\frac{d_{ij}}{s}, f\right),
       \quad d_{ij} = p_i - n_j

    Here s is the span of all scores and f the `floor`. Adding a constant to all scores, or multiplying
    them by a positive one, does not change the value; it is 0 if all scores are equal.

    Examples
    --------
    >>> from skaucx.metrics import mm4_auc_score
    >>> mm4_auc_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1])
    0.53125
    """
    return _relative(r, floor, base, q, beta)


@variant(
    "mm6_auc_score",
    "Majnik 2011",
    kind=UNIT_VALUES,
    aliases=("mm6", "mm6auc"),
    sharpest=32,
    interval_note=ENDS,
)
def mm6_auc(
    r: PairMeans,
    *,
    floor: Share = 0.5,
    auc_power: NonNegative = 9 / 10,
    margin_power: NonNegative = 1 / 16,
    base: Base = "scor",
    q: NonNegative = 1 / 7,
    beta: Positive = 7.0,
) -> np.float64:
    r"""mm6: mm4, reduced for a perfect ranking with a narrow margin.

    Parameters
    ----------
    floor : float in [0, 1], default=1/2
        The least value of a correctly ranked pair in mm4.
    auc_power : float >= 0, default=9/10
        The exponent of mm4.
    margin_power : float >= 0, default=1/16
        The exponent of the margin.
    base : {"scor", "sond", "soft", "prob"}, default="scor"
        The variant that gives the values of pairs; see :func:`mm1_auc_score`.
    q : float >= 0, default=1/7
        The exponent of sondAUC, if that is the base.
    beta : float > 0, default=7.0
        The steepness of softAUC, if that is the base.

    Notes
    -----
    .. math::

       \mathrm{mm}_6 = \mathrm{mm}_4^{a} \cdot
       \begin{cases} m^{b} & m > 0 \\ 1 & m \le 0 \end{cases}

    Here m is the margin, the lowest score of a positive minus the highest of a negative, a is
    `auc_power` and b is `margin_power`. Scores must lie in [0, 1].

    Examples
    --------
    >>> from skaucx.metrics import mm6_auc_score
    >>> round(mm6_auc_score([1, 1, 0, 0], [0.9, 0.6, 0.4, 0.1]), 4)
    0.6454
    """
    damping: Any = np.where(r.margin > 0, r.margin, 1.0) ** margin_power
    return mm4_auc(r, floor=floor, base=base, q=q, beta=beta) ** auc_power * damping


@variant(
    "mm7_auc_score",
    "Majnik 2011",
    kind=UNIT_VALUES,
    aliases=("mm7", "mm7auc"),
    sharpest=16,
    interval_note=ENDS,
)
def mm7_auc(
    r: PairMeans,
    *,
    floor: Share = 0.5,
    auc_power: NonNegative = 9 / 10,
    margin_power: NonNegative = 1 / 16,
    base: Base = "scor",
    q: NonNegative = 1 / 7,
    beta: Positive = 7.0,
) -> np.float64:
    r"""mm7: mm6 times the share of correctly ranked pairs.

    Parameters
    ----------
    floor, auc_power, margin_power, base, q, beta : float or str
        See :func:`mm6_auc_score`.

    Notes
    -----
    .. math::

       \mathrm{mm}_7 = \mathrm{mm}_6 \cdot \frac{1}{PN} \sum_{i=1}^P \sum_{j=1}^N [p_i > n_j]

    Scores must lie in [0, 1].

    Examples
    --------
    >>> from skaucx.metrics import mm7_auc_score
    >>> round(mm7_auc_score([1, 1, 0, 0], [0.9, 0.6, 0.4, 0.1]), 4)
    0.6454
    """
    return r.win_share * mm6_auc(
        r, floor=floor, auc_power=auc_power, margin_power=margin_power, base=base, q=q, beta=beta
    )


@variant(
    "mm11_auc_score",
    "Majnik 2011",
    kind=UNIT_VALUES,
    bounds=(-1, 1),
    uninformed=0,
    sharpest=np.inf,
    aliases=("discrimination_slope", "tjur_r2", "mm11", "mm11auc"),
    pair_mean=True,
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


@variant(
    "pairwise_auc_score",
    "Vanderlooy & Huellermeier 2008",
    kind=VALUES,
    bounds=(-np.inf, np.inf),
    best=np.nan,
    symmetric=False,
    pair_mean=True,
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
