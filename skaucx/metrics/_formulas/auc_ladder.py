r"""The mm family: AUC variants from score differences relative to the span, and from the margin.

Every formula reads a :class:`~skaucx.metrics._pairs.contract.PairMeans`; p, n and d as in the module
``auc``. Each variant adds a term to the previous one: mm1 the span, mm4 a floor, mm6 the margin,
mm7 the share of correctly ranked pairs.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..._options import NonNegative, Positive, Share
from .._pairs.contract import PairMeans
from .._pairs.kernels import Floored, Logistic, Power
from ..kinds.scores import RELATIVE_VALUES, UNIT_VALUES
from .auc import variant

Base = Literal["scor", "sond", "soft"]


@variant("mm1_auc_score", "Majnik 2011", kind=RELATIVE_VALUES, sharpest=np.inf)
def mm1_auc(
    r: PairMeans, *, base: Base = "scor", q: NonNegative = 1 / 7, beta: Positive = 7.0
) -> np.float64:
    r"""mm1: scorAUC divided by the span, the highest minus the lowest of all scores.

    Parameters
    ----------
    base : {"scor", "sond", "soft"}, default="scor"
        The variant whose differences are divided by the span: scorAUC, sondAUC or softAUC.
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
    :math:`d_{ij} / s` replaces :math:`\max(d_{ij} / s, 0)`.

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
    return r.mean_of_relative(Floored(Power(q) if base == "sond" else Logistic(beta), floor))


@variant("mm4_auc_score", "Majnik 2011", kind=RELATIVE_VALUES, sharpest=32)
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
    base : {"scor", "sond", "soft"}, default="scor"
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


@variant("mm6_auc_score", "Majnik 2011", kind=UNIT_VALUES, sharpest=32)
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
    base : {"scor", "sond", "soft"}, default="scor"
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


@variant("mm7_auc_score", "Majnik 2011", kind=UNIT_VALUES, aliases=("mm7",), sharpest=16)
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
    powers: Any = {"auc_power": auc_power, "margin_power": margin_power}
    mm6 = mm6_auc(r, floor=floor, base=base, q=q, beta=beta, **powers)
    return np.float64(mm6 * r.win_share)
