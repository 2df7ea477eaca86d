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
from .._registry.declare import get_metric, plain
from .._registry.row import apply
from ._ranked import (
    CurveTuple,
    checked_rates,
    last_at_or_above,
    pareto_front,
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
        return float(apply(get_metric("partial_roc_auc").metric, self, bands))

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

    def greatest_gap(self) -> tuple[float, float]:
        """Return the difference TPR - FPR that is greatest in size, with its sign, and its threshold.

        Its size is the Kolmogorov-Smirnov statistic, :func:`ks_score`; the highest threshold of several.

        Returns
        -------
        gap, threshold : float
            Both nan where a class is missing.
        """
        gap = self.tpr - self.fpr
        if np.isnan(gap).any():
            return np.nan, np.nan
        at = int(np.argmax(np.abs(gap)))
        return float(gap[at]), float(self.thresholds[at])

    def nearest_to_perfect(self) -> tuple[float, float, float]:
        """Return the point with the least distance from (0, 1), the highest threshold of several.

        The distance is :func:`distance_index`; this threshold gives both rates equal weight, which
        costs rarely justify.

        Returns
        -------
        fpr, tpr, threshold : float
            All nan where a class is missing.
        """
        distance = np.hypot(self.fpr, 1 - self.tpr)
        if np.isnan(distance).any():
            return np.nan, np.nan, np.nan
        at = int(np.argmin(distance))
        return float(self.fpr[at]), float(self.tpr[at]), float(self.thresholds[at])

    def negated(self) -> RocCurve:
        """Return the curve of the negated scores: the whole of this one turned about (1/2, 1/2).

        Scores that rank the classes the wrong way round have a curve below the diagonal; the curve of
        their negation lies above it, with 1 minus the area. :meth:`repaired` mirrors concave parts only.

        Returns
        -------
        RocCurve
            Its thresholds are those of the negated scores, the next float above the negated ones: what
            scored below a threshold is now predicted positive.

        Examples
        --------
        >>> from skaucx.metrics import roc_curve
        >>> from skaucx.metrics.curves import RocCurve
        >>> wrong = roc_curve([0, 0, 1, 1], [0.8, 0.6, 0.7, 0.1])
        >>> wrong.area, wrong.negated().area
        (0.25, 0.75)
        >>> RocCurve.from_points([0.7], [0.4]).negated().tpr.round(2).tolist()
        [0.0, 0.6, 1.0]
        """
        t = self.thresholds
        # s < t where -s >= the float after -t.
        thresholds = np.concatenate([t[:1], np.nextafter(-t[-2:0:-1], np.inf), -t[1:2]])
        return RocCurve(1 - self.fpr[::-1], 1 - self.tpr[::-1], thresholds)

    def repaired(self) -> RocCurve:
        r"""Return the curve whose concave parts are mirrored at the edges of the :meth:`hull` [1]_.

        Between two vertices A and B of the hull the order of the scores is reversed, which takes a
        point p to A + B - p. The area is that of :func:`hull_auc_score` with ``repair="mirror"``,
        :math:`2 AUC_{hull} - AUC`, and is optimistic on the rows that chose the parts to repair.

        Returns
        -------
        RocCurve
            No threshold of the scores gives a mirrored point; theirs are nan.

        References
        ----------
        .. [1] P. Flach and S. Wu, Repairing concavities in ROC curves, IJCAI 2005.

        Examples
        --------
        >>> from skaucx.metrics import roc_curve
        >>> curve = roc_curve([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4])
        >>> curve.area, curve.hull().area, curve.repaired().area
        (0.75, 0.875, 1.0)
        """
        if np.isnan(self.area):
            return self
        kept = upper_hull(self.fpr, self.tpr)
        places = np.arange(len(self.fpr))
        edge = np.searchsorted(kept[1:-1], places, side="right")
        left, right = kept[edge], kept[edge + 1]
        mirror = left + right - places
        inside = ~np.isin(places, kept)
        fpr, tpr = (
            np.where(inside, rate[left] + rate[right] - rate[mirror], rate)
            for rate in (self.fpr, self.tpr)
        )
        return RocCurve(fpr, tpr, np.where(inside, np.nan, self.thresholds))

    def pareto_front(self) -> RocFront:
        """Return the points that no other beats: less FPR at no less TPR, or more TPR at no more FPR.

        (0, 0) and (1, 1), which need no classifier, are no points of a front. It is a staircase below
        the :meth:`hull`, whose other vertices are all on it; a point of the front off the hull is best
        at no ratio of costs, but reached without choosing at random.

        Returns
        -------
        RocFront
            The points, with their thresholds.

        See Also
        --------
        compare_fronts : Which points of one front the other does not reach.

        Examples
        --------
        >>> from skaucx.metrics.curves import RocCurve
        >>> front = RocCurve.from_points([0.2, 0.25, 0.4, 0.4], [0.2, 0.2, 0.6, 0.5]).pareto_front()
        >>> front.fpr.tolist(), front.tpr.tolist()
        ([0.2, 0.4], [0.2, 0.6])
        """
        kept = pareto_front(-self.fpr, self.tpr)
        kept = kept[(self.tpr[kept] > 0) & (self.fpr[kept] < 1)]
        return RocFront(self.fpr[kept], self.tpr[kept], self.thresholds[kept])

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


@dataclass(frozen=True, eq=False, repr=False)
class RocFront(CurveTuple):
    """The points of a ROC curve that no other of them beats; see :meth:`RocCurve.pareto_front`.

    Attributes
    ----------
    fpr, tpr : ndarray of shape (n_points,), float64
        False and true positive rates, both rising.
    thresholds : ndarray of shape (n_points,), float64
        Falling; nan at points that were measured without scores.
    """

    _arrays: ClassVar[tuple[str, ...]] = ("fpr", "tpr", "thresholds")
    _values: ClassVar[tuple[str, ...]] = ("area",)

    fpr: Floats
    tpr: Floats
    thresholds: Floats

    @property
    def area(self) -> float:
        """The area under the staircase, without random choice between points."""
        return float(self.tpr @ np.diff(self.fpr, append=1.0))

    def tpr_at(self, fpr: ArrayLike) -> Any:
        """Return the greatest TPR of a point with at most each false positive rate; 0 without one."""
        return np.append(0.0, self.tpr)[np.searchsorted(self.fpr, fpr, side="right")]

    def _heights(self, x: Floats) -> Any:
        return self.tpr_at(x)


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
    return curve.like(y_score)


def _curve(counts: Counts, thresholds: Floats, drop_intermediate: bool) -> RocCurve:
    """Return the curve through counts at falling thresholds."""
    if drop_intermediate:
        corners = _corners(counts.tp, counts.fp)
        counts, thresholds = counts[corners], thresholds[corners]
    fpr, tpr = (apply(get_metric(name).metric, counts, {}) for name in ("fpr", "tpr"))
    return RocCurve(fpr, tpr, thresholds)


def _corners(tp: Array, fp: Array) -> Bools:
    """Return where the curve turns; the start at (0, 0) is kept and not compared with the rest."""
    kept = np.ones(len(tp), dtype=bool)
    kept[2:-1] = (np.diff(tp[1:], 2) != 0) | (np.diff(fp[1:], 2) != 0)
    return kept
