"""The precision-recall curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import UndefinedMetricWarning

from ..._arguments import Label
from ..._arrays import Floats
from ..._compat import warn
from ..._options import check_flag
from .._records.counts import Counts
from .._registry.declare import METRICS, plain
from .._registry.row import apply
from ._ranked import (
    CurveTuple,
    checked_rates,
    last_at_or_above,
    ranked_scores,
)


@dataclass(frozen=True, eq=False, repr=False)
class PrecisionRecallCurve(CurveTuple):
    """Points of a precision-recall curve at rising thresholds.

    Unpacks, has a length and is indexed as the tuple ``precision, recall, thresholds``. The areas are
    nan where a class that they need is missing.

    Attributes
    ----------
    precision, recall : ndarray of shape (n_thresholds + 1,), float64
        The last point, precision 1 at recall 0, has no threshold.
    thresholds : ndarray of shape (n_thresholds,), float64
        Rising; a score at or above the threshold is predicted positive.
    threshold_counts : Counts
        The confusion tables at every distinct score, falling, after one above them all.
    """

    _arrays: ClassVar[tuple[str, ...]] = ("precision", "recall", "thresholds")
    _values: ClassVar[tuple[str, ...]] = ("average_precision",)

    precision: Floats
    recall: Floats
    thresholds: Floats
    threshold_counts: Counts

    @classmethod
    def from_points(
        cls, precision: ArrayLike, recall: ArrayLike, prevalence: float = np.nan
    ) -> PrecisionRecallCurve:
        """Return the curve through measured points.

        Parameters
        ----------
        precision, recall : array-like of shape (n_points,)
            In [0, 1], in order of the recall, falling as :func:`precision_recall_curve` has them,
            or rising.
        prevalence : float, default=nan
            The share of the positives, if it is known.

        Returns
        -------
        PrecisionRecallCurve
            Thresholds are nan.

        Raises
        ------
        ValueError, TypeError
            If they are not of one length, lie outside [0, 1], or the recall is not in order.
        """
        rates = checked_rates(precision=precision, recall=recall)
        steps = np.diff(rates["recall"])
        if (steps > 0).any():
            if (steps < 0).any():
                raise ValueError("recall must fall or rise from point to point, and does both.")
            rates = {name: rate[::-1] for name, rate in rates.items()}
        found, right = rates["recall"][::-1], rates["precision"][::-1]
        # Of one positive: precision = tp / (tp + fp) gives fp.
        least = np.finfo(np.float64).tiny
        wrong = np.where(found > 0, found * (1 - right) / np.maximum(right, least), 0.0)
        negatives = (1 - prevalence) / prevalence
        counts = Counts(found, wrong, 1 - found, negatives - wrong)
        none = np.full(len(found) - 1, np.nan)
        return cls(
            recall=rates["recall"],
            precision=rates["precision"],
            thresholds=none,
            threshold_counts=counts,
        )

    @property
    def area(self) -> float:
        """The area under the curve of randomised thresholds, the value of :func:`pr_auc_score`."""
        return self._value("pr_auc")

    @property
    def trapezoid_area(self) -> float:
        """The area under straight lines between the points, which is optimistic."""
        return self._value("pr_auc", interpolation="linear")

    @property
    def average_precision(self) -> float:
        """The value of :func:`average_precision_score`."""
        return self._value("average_precision")

    def at(self, threshold: ArrayLike) -> tuple[Any, Any]:
        """Return precision and recall of calling positive what scores at or above a threshold.

        Parameters
        ----------
        threshold : float or array-like

        Returns
        -------
        precision, recall : float, or ndarray of the shape of `threshold`
            At the lowest score at or above each threshold; 1 and 0 above all scores. Exact where no
            intermediate points were dropped.

        Raises
        ------
        ValueError
            If the curve was measured without scores, or a threshold is nan.

        Examples
        --------
        >>> from skaucx.metrics import precision_recall_curve
        >>> precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).at(0.5)
        (1.0, 0.5)
        """
        falling = np.append(np.inf, self.thresholds[::-1])
        place = last_at_or_above(falling, threshold)
        return plain(self.precision[::-1][place]), plain(self.recall[::-1][place])

    def _heights(self, x: Floats) -> Any:
        """Return the precision of the highest threshold that finds so many positives."""
        # Recall falls along the curve.
        return np.asarray(self.precision[np.searchsorted(-self.recall, -x, side="right") - 1])

    @property
    def prevalence(self) -> float:
        """The share of the positives, the precision of predicting everything positive."""
        counts = self.threshold_counts
        return float(counts.positives[0] / counts.total[0])

    def _value(self, name: str, **parameters: Any) -> float:
        return float(apply(METRICS[name].metric, self, parameters))


def precision_recall_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label = None,
    sample_weight: ArrayLike | None = None,
    drop_intermediate: bool = False,
) -> PrecisionRecallCurve:
    """Return precision and recall at every threshold.

    Arguments and values are those of :func:`sklearn.metrics.precision_recall_curve`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_score : array-like of shape (n_samples,)
        Scores of the positive class. For several classes see :func:`one_vs_rest_curves`.
    pos_label : int, float, bool or str, default=None
        The positive class; see :func:`recall_score`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights >= 0.
    drop_intermediate : bool, default=False
        Whether to keep only the first and the last of several points of one recall.

    Returns
    -------
    PrecisionRecallCurve
        With ``average_precision``, ``area`` and ``trapezoid_area``; it behaves as the tuple
        ``precision, recall, thresholds``.

    Raises
    ------
    ValueError, TypeError
        If an input is empty, not finite, of another length, or not binary.

    Warns
    -----
    UndefinedMetricWarning
        If there is no positive example; recall is then set to 1, as in scikit-learn.

    See Also
    --------
    PrecisionRecallDisplay : Its picture.

    References
    ----------
    .. [1] J. Davis and M. Goadrich, The relationship between precision-recall and ROC curves, ICML,
       233-240, 2006.

    Examples
    --------
    >>> from skaucx.metrics import precision_recall_curve
    >>> curve = precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> precision, recall, thresholds = curve
    >>> precision.round(3).tolist(), recall.tolist(), thresholds.tolist()
    ([0.5, 0.667, 0.5, 1.0, 1.0], [1.0, 1.0, 0.5, 0.5, 0.0], [0.1, 0.35, 0.4, 0.8])
    >>> round(curve.average_precision, 4), round(curve.area, 4)
    (0.8333, 0.7973)
    """
    check_flag("drop_intermediate", drop_intermediate)
    ranked = ranked_scores(y_true, y_score, pos_label, sample_weight)
    curve = _curve(ranked.threshold_counts, ranked.values[::-1], drop_intermediate)
    if not curve.threshold_counts.positives[0] > 0:
        warn(
            "y_true holds no positive example: recall is undefined and set to 1.",
            UndefinedMetricWarning,
        )
    return curve


def _curve(counts: Counts, thresholds: Floats, drop_intermediate: bool) -> PrecisionRecallCurve:
    """Return the curve through counts at falling thresholds, after those above all of them."""
    cuts = counts[1:]
    if drop_intermediate:
        found = np.diff(cuts.tp) != 0
        ends = np.ones(1, dtype=bool)
        kept = np.concatenate([ends, found]) | np.concatenate([found, ends])
        cuts, thresholds = cuts[kept], thresholds[kept]
    precision = apply(METRICS["precision"].metric, cuts, {})
    recall = apply(METRICS["recall"].metric, cuts, {})
    if np.isnan(recall).any():
        recall = np.ones_like(precision)
    return PrecisionRecallCurve(
        np.append(precision[::-1], 1.0), np.append(recall[::-1], 0.0), thresholds[::-1], counts
    )
