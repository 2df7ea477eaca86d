"""The precision-recall curve."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import UndefinedMetricWarning

from ..._arguments import Label
from ..._arrays import Floats
from ..._compat import warn
from ..._options import OPEN_SHARE, check_flag
from .._formulas.curve_areas import rates_at_break_even
from .._records.counts import Counts, posterior_probability
from .._records.inputs import refuse_missing_class
from .._registry.declare import get_metric, plain
from .._registry.row import apply, quiet
from ._ranked import (
    CurveTuple,
    checked_rates,
    last_at_or_above,
    ranked_scores,
)

_EVEN = 1e-9  # above, precision and recall are not equal


class BreakEven(NamedTuple):
    """Precision and recall where they are equal, or as nearly so as tied scores let them be.

    Attributes
    ----------
    value : float
        The mid-point of both, that of :func:`break_even_point`.
    precision, recall : float
        At the cut.
    gap : float
        Their distance; the value says little of the classifier where it is wide.
    interpolated : bool
        Whether the gap is not 0, so that no cut has the value.
    """

    value: float
    precision: float
    recall: float
    gap: float
    interpolated: bool


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

    @property
    def break_even_point(self) -> float:
        """The value of :func:`break_even_point`."""
        return self._value("break_even_point")

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

    def break_even(self) -> BreakEven:
        """Return the cut at which precision and recall are nearest to each other.

        Returns
        -------
        BreakEven
            nan where there is no positive.

        Examples
        --------
        Three tied scores leave no cut with as many calls as positives:

        >>> from skaucx.metrics import precision_recall_curve
        >>> curve = precision_recall_curve([1, 0, 1, 0, 0], [0.9, 0.6, 0.6, 0.6, 0.1])
        >>> curve.break_even()
        BreakEven(value=0.75, precision=1.0, recall=0.5, gap=0.5, interpolated=True)
        """
        with quiet():
            precision, recall = map(float, rates_at_break_even(self.threshold_counts))
        gap = abs(precision - recall)
        return BreakEven((precision + recall) / 2, precision, recall, gap, gap > _EVEN)

    @property
    def prevalence(self) -> float:
        """The share of the positives, the precision of predicting everything positive."""
        counts = self.threshold_counts
        return float(counts.positives[0] / counts.total[0])

    def nearest_to_perfect(self) -> tuple[float, float, float]:
        """Return the point with the least distance from (1, 1), the highest threshold of several.

        Returns
        -------
        precision, recall, threshold : float
        """
        precision, recall = self.precision[:-1][::-1], self.recall[:-1][::-1]
        at = int(np.argmin(np.hypot(1 - precision, 1 - recall)))
        return float(precision[at]), float(recall[at]), float(self.thresholds[::-1][at])

    def at_prevalence(self, prevalence: float) -> PrecisionRecallCurve:
        """Return the curve that the same scores of each class give at another share of positives.

        Parameters
        ----------
        prevalence : float in (0, 1)

        Returns
        -------
        PrecisionRecallCurve
            Of the same recalls and thresholds.

        Raises
        ------
        ValueError
            If `prevalence` lies outside (0, 1), or a class is missing.
        """
        share, own = OPEN_SHARE.check("prevalence", prevalence), self.prevalence
        if not 0 < own < 1:
            raise refuse_missing_class("curve at another prevalence")
        # The odds of a correct positive prediction change by the factor of the odds of the classes.
        ratio = share / (1 - share) * (1 - own) / own
        return replace(
            self,
            precision=posterior_probability(self.precision, ratio),
            threshold_counts=self.threshold_counts.at_prevalence(share),
        )

    def _value(self, name: str, **parameters: Any) -> float:
        return float(apply(get_metric(name).metric, self, parameters))


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
        With ``average_precision``, ``area``, ``trapezoid_area`` and ``break_even_point``; it behaves
        as the tuple ``precision, recall, thresholds``.

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
    >>> round(curve.average_precision, 4), round(curve.area, 4), curve.break_even_point
    (0.8333, 0.7973, 0.5)
    """
    check_flag("drop_intermediate", drop_intermediate)
    ranked = ranked_scores(y_true, y_score, pos_label, sample_weight)
    curve = _curve(ranked.threshold_counts, ranked.values[::-1], drop_intermediate)
    if not curve.threshold_counts.positives[0] > 0:
        warn(
            "y_true holds no positive example: recall is undefined and set to 1.",
            UndefinedMetricWarning,
        )
    return curve.like(y_score)


def _curve(counts: Counts, thresholds: Floats, drop_intermediate: bool) -> PrecisionRecallCurve:
    """Return the curve through counts at falling thresholds, after those above all of them."""
    cuts = counts[1:]
    if drop_intermediate:
        found = np.diff(cuts.tp) != 0
        ends = np.ones(1, dtype=bool)
        kept = np.concatenate([ends, found]) | np.concatenate([found, ends])
        cuts, thresholds = cuts[kept], thresholds[kept]
    precision = apply(get_metric("precision").metric, cuts, {})
    recall = apply(get_metric("recall").metric, cuts, {})
    if np.isnan(recall).any():
        recall = np.ones_like(precision)
    return PrecisionRecallCurve(
        np.append(precision[::-1], 1.0), np.append(recall[::-1], 0.0), thresholds[::-1], counts
    )
