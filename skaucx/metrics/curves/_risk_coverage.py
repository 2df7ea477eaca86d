"""The error rate among the most confident predictions, at every coverage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..._arguments import Label
from ..._arrays import Floats
from .._formulas.rejections import Groups, by_confidence, confidence, mean_risk
from .._kinds.scores.state import score_state
from .._records.inputs import check_scored_labels
from ._ranked import CurveTuple


@dataclass(frozen=True, eq=False, repr=False)
class RiskCoverageCurve(CurveTuple):
    """Coverage and risk at falling thresholds of confidence.

    Unpacks, has a length and is indexed as the tuple ``coverage, risk, thresholds``.

    Attributes
    ----------
    coverage : ndarray of shape (n_thresholds,), float64
        The share of the examples whose confidence reaches the threshold; the last is 1.
    risk : ndarray of shape (n_thresholds,), float64
        The error rate among them.
    thresholds : ndarray of shape (n_thresholds,), float64
        Falling: the distinct probabilities of the predicted class.
    groups : tuple of ndarray of shape (n_thresholds,), float64
        ``size``, ``weight`` and ``errors`` of the examples at each threshold.
    """

    _arrays: ClassVar[tuple[str, ...]] = ("coverage", "risk", "thresholds")
    _values: ClassVar[tuple[str, ...]] = ("area",)

    coverage: Floats
    risk: Floats
    thresholds: Floats
    groups: Groups

    @property
    def area(self) -> float:
        """The mean risk over all coverages, the value of :func:`aurc_loss`."""
        return float(mean_risk(self.groups))

    def at(self, coverage: ArrayLike) -> Any:
        """Return the risk at coverages in [0, 1]; the expected risk within ties of confidence."""
        # Below, the risk of the most confident group.
        share = np.maximum(coverage, self.coverage[0])
        accepted = np.append(0, self.coverage)
        return np.interp(share, accepted, np.append(0, self.coverage * self.risk)) / share

    def _heights(self, x: Floats) -> Any:
        return self.at(x)


def risk_coverage_curve(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Label = None,
    sample_weight: ArrayLike | None = None,
) -> RiskCoverageCurve:
    """Return the error rate among the accepted for every threshold of confidence.

    The confidence in an example is the probability of its most probable class.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two or more classes.
    y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Probabilities of the positive class, or one column per class in sorted order.
    labels : array-like of shape (n_classes,), default=None
        The sorted classes of the columns, if some do not occur.
    pos_label : int, float, bool or str, default=None
        The positive class of one column; see :func:`recall_score`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights >= 0.

    Returns
    -------
    RiskCoverageCurve
        With ``area``; it behaves as the tuple ``coverage, risk, thresholds``.

    Raises
    ------
    ValueError, TypeError
        If an input is empty, not finite, of another length, or no probability.

    See Also
    --------
    RiskCoverageDisplay : Its picture.

    References
    ----------
    .. [1] R. El-Yaniv and Y. Wiener, On the foundations of noise-free selective classification,
       Journal of Machine Learning Research 11, 1605-1641, 2010.

    Examples
    --------
    >>> from skaucx.metrics import risk_coverage_curve
    >>> curve = risk_coverage_curve([1, 0, 1, 0], [0.9, 0.2, 0.7, 0.6])
    >>> curve.coverage.tolist(), curve.risk.tolist()
    ([0.25, 0.5, 0.75, 1.0], [0.0, 0.0, 0.0, 0.25])
    >>> curve.area
    0.0625
    """
    shared = {"labels": labels, "sample_weight": sample_weight}
    state: Any = score_state(
        check_scored_labels(y_true, y_proba, names=("y_true", "y_proba"), **shared)
    )
    p = state.probabilities(pos_label)
    groups = p.once(by_confidence)
    accepted = np.cumsum(groups.weight)
    risk = np.cumsum(groups.errors) / accepted
    sure = np.unique(p.once(confidence))[::-1]
    return RiskCoverageCurve(accepted / accepted[-1], risk, sure, groups)
