"""Decision curves, and curves of the loss against the costs of both errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from ..._arguments import Label
from ..._arrays import Floats, Rows, float_array
from ..._options import OPEN_SHARE, check_confidence_level
from .._records.counts import Counts
from .._records.inputs import refuse_missing_class
from ._ranked import CurveTuple, ranked_scores, ranked_unit_scores
from ._roc import RocCurve


@dataclass(frozen=True, eq=False, repr=False)
class DecisionCurve(CurveTuple):
    """Net benefit of treating the predicted positives, and of treating all.

    Unpacks as the tuple ``thresholds, net_benefit, treat_all``; treating none has 0.

    Attributes
    ----------
    thresholds : ndarray of shape (n_thresholds,), float64
        Threshold probabilities for treatment, ascending.
    net_benefit, treat_all : ndarray of shape (n_thresholds,), float64
    low, high : ndarray of shape (n_thresholds,), float64
        The pointwise interval of the net benefit, nan with weights; or the band of
        :func:`decision_band`.
    prevalence : float
        The share of the positives that is assumed.
    confidence_level : float
    simultaneous : bool
        Whether the confidence level applies to the whole curve, or to each point separately.
    method : str
        The method of the limits; for a band with the number of resamples and their seed.
    """

    _arrays: ClassVar[tuple[str, ...]] = ("thresholds", "net_benefit", "treat_all")
    _limits: ClassVar[tuple[str, ...]] = ("low", "high")
    _values: ClassVar[tuple[str, ...]] = ("prevalence",)

    thresholds: Floats
    net_benefit: Floats
    treat_all: Floats
    low: Floats
    high: Floats
    prevalence: float
    confidence_level: float
    simultaneous: bool = False
    method: str = "delta"

    @property
    def interventions_avoided(self) -> Floats:
        """Unnecessary treatments avoided per person, compared with treating all."""
        odds = self.thresholds / (1 - self.thresholds)
        return np.asarray((self.net_benefit - self.treat_all) / odds)


def decision_curve(
    y_true: Rows,
    y_proba: Rows,
    *,
    thresholds: ArrayLike | None = None,
    prevalence: float | None = None,
    confidence_level: float = 0.95,
    pos_label: Label = None,
    sample_weight: Rows | None = None,
) -> DecisionCurve:
    r"""Return the net benefit of a model at every threshold probability.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes; both must occur.
    y_proba : array-like of shape (n_samples,)
        Probabilities of the positive class.
    thresholds : array-like of shape (n_thresholds,), default=None
        Probabilities in (0, 1), rising; 0.01 to 0.99 by default.
    prevalence : float in (0, 1), default=None
        The share of the positives where the model will be used, if it is another than the sample's.
    confidence_level : float, default=0.95
        Confidence of the interval at each threshold, in (0, 1).
    pos_label : int, float, bool or str, default=None
        The positive class; see :func:`recall_score`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights >= 0.

    Returns
    -------
    DecisionCurve
        With ``interventions_avoided`` and ``to_frame``.

    Raises
    ------
    ValueError, TypeError
        If probabilities or thresholds lie outside their range, or a class is missing.

    Notes
    -----
    .. math:: NB(t) = \frac{TP}{n} - \frac{FP}{n} \cdot \frac{t}{1 - t}

    at the cut t; of treating all it is :math:`\pi - (1 - \pi) t / (1 - t)`. The net benefit is a
    mean over examples of the values 1, -t / (1 - t) and 0, so its interval is that of a mean; at
    another prevalence it is that of TPR and FPR.

    See Also
    --------
    DecisionDisplay : Its picture.
    decision_band : A band for all thresholds at once.
    net_benefit : The value at one threshold.

    References
    ----------
    .. [1] A. J. Vickers and E. B. Elkin, Decision curve analysis: a novel method for evaluating
       prediction models, Medical Decision Making 26(6), 565-574, 2006.

    Examples
    --------
    >>> from skaucx.metrics import decision_curve
    >>> y_true, y_proba = [0, 0, 1, 0, 1, 1], [0.1, 0.3, 0.4, 0.6, 0.7, 0.9]
    >>> curve = decision_curve(y_true, y_proba, thresholds=[0.2, 0.5])
    >>> curve.net_benefit.round(4).tolist(), curve.treat_all.round(4).tolist()
    ([0.4167, 0.1667], [0.375, 0.0])
    >>> curve.interventions_avoided.round(4).tolist()
    [0.1667, 0.1667]
    """
    check_confidence_level(confidence_level)
    ranked = ranked_unit_scores(
        "a decision curve", y_true, y_proba, pos_label, sample_weight, None, name="y_proba"
    )
    at = _thresholds(thresholds)
    # Of the counts at falling thresholds, the last whose threshold is not below t.
    below = np.searchsorted(ranked.values, at)
    counts = ranked.threshold_counts[len(ranked.values) - below]
    own = float(ranked.positive_total / (ranked.positive_total + ranked.negative_total))
    share = own if prevalence is None else OPEN_SHARE.check("prevalence", prevalence)
    odds = at / (1 - at)
    benefit = net_benefits(counts.at_prevalence(share), odds)
    error = _error(counts, share, odds, fixed=prevalence is not None)
    if sample_weight is not None:
        error = np.full(len(at), np.nan)
    reach = special.ndtri((1 + confidence_level) / 2) * error
    greatest = 1.0 if prevalence is None else share  # that of the sample is no bound
    ends = np.minimum(benefit + reach, greatest), benefit - reach
    return DecisionCurve(
        at, benefit, share - (1 - share) * odds, ends[1], ends[0], share, float(confidence_level)
    )


def net_benefits(counts: Counts, odds: Floats) -> Floats:
    """Return the net benefit of the counts at thresholds of such odds."""
    return np.asarray((counts.tp - counts.fp * odds) / counts.total)


def _error(counts: Counts, share: float, odds: Floats, *, fixed: bool) -> Floats:
    """Return the standard error of the net benefit, with the prevalence fixed or estimated."""
    found, alarmed = counts.tp / counts.positives, counts.fp / counts.negatives
    if fixed:
        of_found = share**2 * found * (1 - found) / counts.positives
        of_alarmed = ((1 - share) * odds) ** 2 * alarmed * (1 - alarmed) / counts.negatives
        return np.asarray(np.sqrt(of_found + of_alarmed))
    mean = net_benefits(counts, odds)
    square = (counts.tp + counts.fp * odds**2) / counts.total
    return np.asarray(np.sqrt(np.maximum(square - mean**2, 0) / counts.total))


def _thresholds(given: Any) -> Floats:
    if given is None:
        return np.arange(1, 100) / 100
    at = float_array(given, "thresholds")
    if at.ndim != 1 or not len(at) or not ((at > 0) & (at < 1)).all() or (np.diff(at) <= 0).any():
        raise ValueError(
            f"thresholds must be a rising vector of numbers in (0, 1), found {given!r}."
        )
    return at


@dataclass(frozen=True, eq=False, repr=False)
class CostCurve(CurveTuple):
    """The loss of a classifier as a function of the costs of both errors, linear between points.

    Unpacks as the tuple ``cost, loss``.

    Attributes
    ----------
    cost : ndarray of shape (n_points,), float64
        The probability cost of the positives, from 0 to 1.
    loss : ndarray of shape (n_points,), float64
        The expected cost as a share of the greatest.
    """

    _arrays: ClassVar[tuple[str, ...]] = ("cost", "loss")
    _values: ClassVar[tuple[str, ...]] = ("area",)

    cost: Floats
    loss: Floats

    @property
    def area(self) -> float:
        """The area under the curve."""
        return float((np.diff(self.cost) * (self.loss[1:] + self.loss[:-1])).sum() / 2)


def cost_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label = None,
    sample_weight: ArrayLike | None = None,
) -> CostCurve:
    r"""Return the least expected cost over thresholds, for every ratio of costs and class sizes.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes; both must occur.
    y_score : array-like of shape (n_samples,)
        Scores of the positive class.
    pos_label : int, float, bool or str, default=None
        The positive class; see :func:`recall_score`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights >= 0.

    Returns
    -------
    CostCurve
        The lower envelope, with its ``area``; calling all alike costs min(x, 1 - x).

    Raises
    ------
    ValueError, TypeError
        For bad input, or if a class is missing.

    Notes
    -----
    .. math:: \min_t \{ x \, \mathrm{FNR}(t) + (1 - x) \mathrm{FPR}(t) \}, \qquad
              x = \frac{\pi c_{FN}}{\pi c_{FN} + (1 - \pi) c_{FP}}

    Its corners are the segments of the ROC convex hull.

    See Also
    --------
    CostDisplay : Its picture.

    References
    ----------
    .. [1] C. Drummond and R. C. Holte, Cost curves: an improved method for visualizing classifier
       performance, Machine Learning 65(1), 95-130, 2006.

    Examples
    --------
    >>> from skaucx.metrics.curves import cost_curve
    >>> curve = cost_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.cost.round(4).tolist(), curve.loss.round(4).tolist()
    ([0.0, 0.0, 0.5, 1.0, 1.0], [0.0, 0.0, 0.25, 0.0, 0.0])
    """
    ranked = ranked_scores(y_true, y_score, pos_label, sample_weight)
    if not ranked.pairs > 0:
        raise refuse_missing_class("cost curve")
    counts = ranked.threshold_counts
    fpr, tpr = counts.fp / counts.negatives, counts.tp / counts.positives
    hull = RocCurve(fpr, tpr, np.zeros(len(fpr))).hull()
    right, up = np.diff(hull.fpr), np.diff(hull.tpr)
    corner = right / (right + up)
    loss = corner * (1 - hull.tpr[:-1]) + (1 - corner) * hull.fpr[:-1]
    # At 0 misses cost nothing, and nothing is predicted positive; at 1 everything is.
    return CostCurve(np.r_[0.0, corner, 1.0], np.r_[0.0, loss, 0.0])
