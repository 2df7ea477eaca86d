"""Curves whose areas are score-valued variants of the AUC: scorROC and probROC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..._arguments import Label
from ..._arrays import Floats
from ..._options import check_whole
from .._pairs.ranking import RankedScores
from ._ranked import CurveTuple, ranked_unit_scores
from ._roc import RocCurve

# Up to this many pairs of distinct scores every step of a scorROC is drawn.
_PAIRS = 1_000_000


@dataclass(frozen=True, eq=False, repr=False)
class ScorRocCurve(CurveTuple):
    """The AUC after lowering every positive score; a decreasing step function.

    Iterates as ``shift, auc``.

    Attributes
    ----------
    shift : ndarray of shape (n_points,), float64
        The shift of the positive scores, from 0 to 1; repeated where the AUC jumps.
    auc : ndarray of shape (n_points,), float64
        The AUC after the shift.
    """

    _arrays: ClassVar[tuple[str, ...]] = ("shift", "auc")
    _values: ClassVar[tuple[str, ...]] = ("area",)

    shift: Floats
    auc: Floats

    @property
    def area(self) -> float:
        """The area under the curve, the value of :func:`scor_auc_score`."""
        return float((np.diff(self.shift) * (self.auc[1:] + self.auc[:-1])).sum() / 2)


@dataclass(frozen=True, eq=False, repr=False)
class ProbRocCurve(RocCurve):
    """A curve in ROC space whose area is :func:`prob_auc_score`; see :func:`prob_roc_curve`.

    Iterates as ``fpr, tpr, thresholds``.

    Attributes
    ----------
    fpr, tpr : ndarray of shape (n_points,), float64
        The rates of the blurred scores, both rising.
    thresholds : ndarray of shape (n_points,), float64
        Falling from 2 to -1.
    """


def scor_roc_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label = None,
    sample_weight: ArrayLike | None = None,
    rescale: str | None = None,
    n_steps: int = 200,
) -> ScorRocCurve:
    """Return the scorROC: the AUC after every positive score is lowered by 0 to 1.

    It starts at the AUC, falls at every difference d = p - n > 0 of a positive and a negative score,
    and its area is scorAUC.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes, both present.
    y_score : array-like of shape (n_samples,)
        Scores of the positive class in [0, 1].
    pos_label : int, float, bool or str, default=None
        The positive class; see :func:`recall_score`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights >= 0.
    rescale : {"minmax", "expit"}, default=None
        How to map scores to [0, 1] first: by their range, or as log-odds.
    n_steps : int >= 1, default=200
        With more than a million pairs of distinct scores: the number of equal steps, each with the
        mean height of the curve, so that the area is exact.

    Returns
    -------
    ScorRocCurve
        With ``area``; iterates as ``shift, auc``.

    Raises
    ------
    ValueError, TypeError
        If an input is empty, not finite, of another length, not binary, outside [0, 1], or if a
        class is missing.

    See Also
    --------
    ScorRocDisplay : Its picture.

    References
    ----------
    .. [1] S. Wu and P. Flach, A scored AUC metric for classifier evaluation and selection, ICML
       workshop on ROC analysis (ROCML), 2005.

    Examples
    --------
    >>> from skaucx.metrics import scor_roc_curve
    >>> shift, auc = curve = scor_roc_curve([1, 1, 0], [0.75, 0.5, 0.25])
    >>> shift.tolist()
    [0.0, 0.0, 0.25, 0.25, 0.5, 0.5, 1.0]
    >>> auc.tolist()
    [1.0, 1.0, 1.0, 0.5, 0.5, 0.0, 0.0]
    >>> curve.area
    0.375
    """
    check_whole("n_steps", n_steps, 1)
    r = ranked_unit_scores("scorROC", y_true, y_score, pos_label, sample_weight, rescale)
    if np.count_nonzero(r.positive) * np.count_nonzero(r.negative) <= _PAIRS:
        edges, heights = _steps(r)
    else:
        edges, heights = _mean_steps(r, n_steps)
    start = r.win_share + r.tie_share / 2
    return ScorRocCurve(
        np.append(np.repeat(edges, 2), 1.0), np.append(start, np.repeat(heights, 2))
    )


def prob_roc_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label = None,
    sample_weight: ArrayLike | None = None,
    rescale: str | None = None,
) -> ProbRocCurve:
    r"""Return the probROC: a curve in ROC space whose area is probAUC.

    Ferri et al. [1]_ draw a curve with this area in ROC space by taking each probability as an interval
    around its value. The construction here is such a one, and others have the same area: positives keep
    their scores, every negative n is spread evenly over [n - 1, n + 1], and one threshold t sweeps from
    2 to -1:

    .. math::

       \mathrm{TPR}(t) = \frac1P \sum_{i=1}^P [p_i > t], \quad \mathrm{FPR}(t) = \frac1N
       \sum_{j=1}^N \min\left(\max\left(\frac{n_j + 1 - t}{2}, 0\right), 1\right)

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes, both present.
    y_score : array-like of shape (n_samples,)
        Scores of the positive class in [0, 1].
    pos_label : int, float, bool or str, default=None
        The positive class; see :func:`recall_score`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights >= 0.
    rescale : {"minmax", "expit"}, default=None
        How to map scores to [0, 1] first: by their range, or as log-odds.

    Returns
    -------
    ProbRocCurve
        With the attributes and methods of :class:`RocCurve`.

    Raises
    ------
    ValueError, TypeError
        If an input is empty, not finite, of another length, not binary, outside [0, 1], or if a
        class is missing.

    See Also
    --------
    ProbRocDisplay : Its picture.

    References
    ----------
    .. [1] C. Ferri, P. Flach, J. Hernandez-Orallo and A. Senad, Modifying ROC curves to incorporate
       predicted probabilities, ICML workshop on ROC analysis (ROCML), 2005.

    Examples
    --------
    >>> from skaucx.metrics import prob_roc_curve
    >>> curve = prob_roc_curve([1, 1, 0, 0], [1.0, 0.5, 0.25, 0.25])
    >>> curve.fpr.tolist()
    [0.0, 0.125, 0.125, 0.375, 0.375, 1.0]
    >>> curve.tpr.tolist()
    [0.0, 0.0, 0.5, 0.5, 1.0, 1.0]
    >>> curve.area
    0.75
    """
    r = ranked_unit_scores("probROC", y_true, y_score, pos_label, sample_weight, rescale)
    held = r.positive > 0
    falling = r.values[held][::-1]
    tpr = np.append(0.0, np.cumsum(r.positive[held][::-1]) / r.positive_total)
    tpr[-1] = 1.0
    # With all scores in [0, 1] the clip binds for no threshold there: FPR needs their mean only.
    fpr = (np.average(r.values, weights=r.negative) + 1 - falling) / 2
    return ProbRocCurve(
        np.concatenate([[0.0], np.repeat(fpr, 2), [1.0]]),
        np.repeat(tpr, 2),
        np.concatenate([[2.0], np.repeat(falling, 2), [-1.0]]),
    )


def _steps(r: RankedScores) -> tuple[Floats, Floats]:
    """Return the shifts at which the AUC jumps, from 0, and its height after each."""
    p, n = r.positive > 0, r.negative > 0
    d = np.subtract.outer(r.values[p], r.values[n]).ravel()
    weight = np.multiply.outer(r.positive[p].astype(float), r.negative[n].astype(float)).ravel()
    won = d > 0
    edges, place = np.unique(d[won], return_inverse=True)
    lost = np.bincount(place, weight[won], minlength=len(edges)) / r.pairs
    # Summed from the end, so that the curve comes down to 0 exactly.
    heights = np.cumsum(np.append(lost, 0.0)[::-1])[::-1]
    heights[-1] = 0.0
    return np.concatenate([[0.0], edges]), heights


def _mean_steps(r: RankedScores, n_steps: int) -> tuple[Floats, Floats]:
    """Return equal steps from 0 to 1, and the mean of the curve over each."""
    edges = np.linspace(0, 1, n_steps + 1)
    # The mean of max(d - shift, 0) is the remaining area beyond a shift.
    share = np.minimum(edges / r.span, 1) if r.span > 0 else np.ones_like(edges)
    left = np.array([r.mean_gain_above(float(s)) for s in share]) * r.span
    heights = np.maximum(-np.diff(left) * n_steps, 0)
    return edges[:-1], heights
