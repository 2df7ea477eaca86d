"""The ROC curve, from scores or from measured operating points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import UndefinedMetricWarning

from ..._arguments import Label
from ..._arrays import Array, Bools, Floats
from ..._compat import warn
from ..._options import check_flag
from .._pairs.isotonic import upper_hull
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
class RocCurve(CurveTuple):
    """Points of a ROC curve from (0, 0) to (1, 1), joined by straight lines.

    Unpacks, has a length and is indexed as the tuple ``fpr, tpr, thresholds``.

    Attributes
    ----------
    fpr, tpr : ndarray of shape (n_points,), float64
        False and true positive rates, the first rising.
    thresholds : ndarray of shape (n_points,), float64
        Falling from infinity; a score at or above the threshold is predicted positive. nan at points
        that were measured without scores.
    """

    _arrays: ClassVar[tuple[str, ...]] = ("fpr", "tpr", "thresholds")
    _values: ClassVar[tuple[str, ...]] = ("area",)

    fpr: Floats
    tpr: Floats
    thresholds: Floats

    @classmethod
    def from_points(cls, fpr: ArrayLike, tpr: ArrayLike) -> RocCurve:
        """Return the curve through measured operating points, (0, 0) and (1, 1).

        Parameters
        ----------
        fpr, tpr : array-like of shape (n_points,)
            Rates in [0, 1], in any order.

        Returns
        -------
        RocCurve
            Its points sorted by `fpr`, then `tpr`; thresholds are nan.

        Raises
        ------
        ValueError, TypeError
            If the rates are not of one length, or lie outside [0, 1].
        """
        points = np.column_stack(list(checked_rates(fpr=fpr, tpr=tpr).values()))
        points = np.unique(np.concatenate([points, [[0, 0], [1, 1]]]), axis=0)
        return cls(points[:, 0], points[:, 1], np.full(len(points), np.nan))

    @property
    def threshold_counts(self) -> Counts:
        """Counts of one positive and one negative, split as the rates say."""
        return Counts(self.tpr, self.fpr, 1 - self.tpr, 1 - self.fpr)

    @property
    def area(self) -> float:
        """The area under the curve, the value of :func:`roc_auc_score`; nan without both classes."""
        return self.partial_area()

    def partial_area(
        self,
        *,
        fpr: tuple[float, float] | None = None,
        tpr: tuple[float, float] | None = None,
        standardize: bool = False,
    ) -> float:
        """Return the area within a band of FPR or of TPR, as :func:`partial_roc_auc_score` does.

        Parameters
        ----------
        fpr : (float, float), default=None
            The band 0 <= low < high <= 1 of false positive rates.
        tpr : (float, float), default=None
            The band of true positive rates; the area is then to the right of the curve.
        standardize : bool, default=False
            Whether to map the area of the diagonal to 1/2 and that of the perfect curve to 1.

        Returns
        -------
        float

        Raises
        ------
        ValueError, TypeError
            If a band is invalid, if both are given, or if a band of TPR is requested and TPR
            decreases along the curve.
        """
        if tpr is not None and (np.diff(self.tpr) < 0).any():
            raise ValueError(
                "tpr falls between measured points, so the area in a band of it is ambiguous; use "
                "that of hull()."
            )
        bands = {"fpr": fpr, "tpr": tpr, "standardize": standardize}
        return float(apply(METRICS["partial_roc_auc"].metric, self, bands))

    def tpr_at(self, fpr: ArrayLike) -> Any:
        """Return the height of the curve, the upper end of vertical steps.

        Parameters
        ----------
        fpr : float or array-like
            False positive rates in [0, 1].

        Returns
        -------
        float or ndarray, float64
        """
        return self._heights(np.asarray(fpr))

    def at(self, threshold: ArrayLike) -> tuple[Any, Any]:
        """Return FPR and TPR at a threshold; scores at or above it are predicted positive.

        Parameters
        ----------
        threshold : float or array-like

        Returns
        -------
        fpr, tpr : float, or ndarray of the shape of `threshold`
            The last point at or above each threshold; exact where no intermediate points were dropped.

        Raises
        ------
        ValueError
            If the curve was measured without scores, or a threshold is nan.

        Examples
        --------
        >>> from skaucx.metrics import roc_curve
        >>> fpr, tpr = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).at([0.8, 0.5, 0.1])
        >>> fpr.tolist(), tpr.tolist()
        ([0.0, 0.0, 1.0], [0.5, 0.5, 1.0])
        """
        place = last_at_or_above(self.thresholds, threshold)
        return plain(self.fpr[place]), plain(self.tpr[place])

    def hull(self) -> RocCurve:
        """Return the ROC convex hull: the least concave curve over all points.

        Points within 1e-12 of a chord are dropped. Its area is the best attainable by random choice
        among the points.

        Returns
        -------
        RocCurve
            The vertices, with their thresholds.

        References
        ----------
        .. [1] F. Provost and T. Fawcett, Robust classification for imprecise environments, Machine
           Learning 42(3), 203-231, 2001.
        """
        if np.isnan(self.fpr).any() or np.isnan(self.tpr).any():
            return self
        kept = upper_hull(self.fpr, self.tpr)
        return RocCurve(self.fpr[kept], self.tpr[kept], self.thresholds[kept])


def roc_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label = None,
    sample_weight: ArrayLike | None = None,
    drop_intermediate: bool = True,
) -> RocCurve:
    """Return the ROC curve of scores; equal scores form one step.

    Arguments and values are those of :func:`sklearn.metrics.roc_curve`.

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
    drop_intermediate : bool, default=True
        Whether to drop collinear points.

    Returns
    -------
    RocCurve
        With ``area``, ``partial_area``, ``hull``, ``tpr_at`` and ``to_frame``; it behaves as the tuple
        ``fpr, tpr, thresholds``.

    Raises
    ------
    ValueError, TypeError
        If an input is empty, not finite, of another length, or not binary.

    Warns
    -----
    UndefinedMetricWarning
        If a class is missing; its rate is nan.

    See Also
    --------
    RocCurve.from_points : The curve of measured operating points.
    RocCurveDisplay : Its picture.

    References
    ----------
    .. [1] T. Fawcett, An introduction to ROC analysis, Pattern Recognition Letters 27(8), 861-874,
       2006.

    Examples
    --------
    >>> from skaucx.metrics import roc_curve
    >>> fpr, tpr, thresholds = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr.tolist(), tpr.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    >>> curve = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.area, curve.hull().area, curve.partial_area(fpr=(0, 0.5))
    (0.75, 0.875, 0.25)
    """
    check_flag("drop_intermediate", drop_intermediate)
    ranked = ranked_scores(y_true, y_score, pos_label, sample_weight)
    thresholds = np.append(np.inf, ranked.values[::-1])
    curve = _curve(ranked.threshold_counts, thresholds, drop_intermediate)
    for rate, side, called in ((curve.fpr, "negative", "false"), (curve.tpr, "positive", "true")):
        if np.isnan(rate).any():
            warn(
                f"y_true holds no {side} example: the {called} positive rates are nan.",
                UndefinedMetricWarning,
            )
    return curve


def _curve(counts: Counts, thresholds: Floats, drop_intermediate: bool) -> RocCurve:
    """Return the curve through counts at falling thresholds."""
    if drop_intermediate:
        corners = _corners(counts.tp, counts.fp)
        counts, thresholds = counts[corners], thresholds[corners]
    rates = "false_positive_rate", "recall"
    fpr, tpr = (apply(METRICS[name].metric, counts, {}) for name in rates)
    return RocCurve(fpr, tpr, thresholds)


def _corners(tp: Array, fp: Array) -> Bools:
    """Return where the curve turns; the start at (0, 0) is kept and not compared with the rest."""
    kept = np.ones(len(tp), dtype=bool)
    kept[2:-1] = (np.diff(tp[1:], 2) != 0) | (np.diff(fp[1:], 2) != 0)
    return kept
