"""Dominance between the curves of two classifiers, in ROC and in precision-recall space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..._arrays import Bools, Floats
from ..._text.tables import Table, Tabular
from .._pairs.isotonic import upper_hull
from ._precision_recall import PrecisionRecallCurve
from ._roc import RocCurve

# Hulls this close are equal.
_TOLERANCE = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class CurveComparison(Tabular):
    """Where the hull or the precision of one classifier lies above that of another.

    Attributes
    ----------
    first, second : ndarray of shape (n_intervals, 2), float64
        Intervals of FPR, or of recall, in which the first, or the second, is the higher one by more
        than 1e-12. Elsewhere they are level.
    """

    first: Floats
    second: Floats

    @property
    def covering(self) -> Literal["first", "second", "both"] | None:
        """The curve that is nowhere below the other: "first", "second", "both" if equal, or None."""
        if len(self.first) and len(self.second):
            return None
        if len(self.first):
            return "first"
        return "second" if len(self.second) else "both"

    def _table(self) -> Table:
        parts = {"first": self.first, "second": self.second}
        rows = [[name, *ends] for name, part in parts.items() for ends in part.tolist()]
        covering = "neither" if self.covering is None else self.covering
        caption = f"Where one curve is the higher, elsewhere both are level; covering: {covering}"
        return Table(["higher", "low", "high"], rows, caption)


def compare_hulls(
    first: RocCurve | PrecisionRecallCurve, second: RocCurve | PrecisionRecallCurve
) -> CurveComparison:
    """Compare the ROC convex hulls of two classifiers: which is above the other, and where.

    Where a hull is higher there is, for some costs and class sizes, a classifier among its points
    that beats all points of the other; a hull that covers the other is never worse [1]_. Points off a
    hull do not count. Two precision-recall curves are compared by their hulls in precision-recall
    space: on the same examples one classifier dominates the other there exactly if it does in ROC
    space [2]_.

    Parameters
    ----------
    first, second : RocCurve or PrecisionRecallCurve
        Curves, or hulls, of two classifiers, both of one kind.

    Returns
    -------
    CurveComparison
        With ``covering`` and the intervals of FPR, or of recall, in ``first`` and ``second``.

    Raises
    ------
    ValueError
        If a curve is undefined because a class was missing.
    TypeError
        If either is no curve, or they are of two kinds.

    References
    ----------
    .. [1] F. Provost and T. Fawcett, Robust classification for imprecise environments, Machine
       Learning 42(3), 203-231, 2001.
    .. [2] J. Davis and M. Goadrich, The relationship between precision-recall and ROC curves, ICML,
       233-240, 2006.

    Examples
    --------
    >>> from skaucx.metrics.curves import RocCurve, compare_hulls
    >>> early = RocCurve.from_points([0.1], [0.6])
    >>> late = RocCurve.from_points([0.4], [0.9])
    >>> comparison = compare_hulls(early, late)
    >>> comparison.covering is None, comparison.first.round(3).tolist()
    (True, [[0.0, 0.308]])
    >>> compare_hulls(early, RocCurve.from_points([0.5], [0.7])).covering
    'first'
    """
    if isinstance(first, PrecisionRecallCurve) and isinstance(second, PrecisionRecallCurve):
        return _by_precision(first, second)
    one, other = (curve.hull() for curve in _defined(first, second))
    knots = np.union1d(one.fpr, other.fpr)
    return _compared(knots, one.tpr_at(knots) - other.tpr_at(knots))


def _defined(first: Any, second: Any) -> tuple[RocCurve, RocCurve]:
    for name, curve in {"first": first, "second": second}.items():
        if not isinstance(curve, RocCurve):
            raise TypeError(
                f"{name} must be a RocCurve, found {type(curve).__name__}; roc_curve makes one of "
                "scores, RocCurve.from_points one of measured rates."
            )
        if np.isnan(curve.area):
            raise ValueError(f"{name} is undefined: a class was missing.")
    return first, second


def _by_precision(first: PrecisionRecallCurve, second: PrecisionRecallCurve) -> CurveComparison:
    """Compare the precision at each recall that thresholds, and random choices of two, attain."""
    recall, wrong = _false_per_positive("first", first)
    other_recall, other_wrong = _false_per_positive("second", second)
    knots = np.union1d(recall, other_recall)
    # Of one recall the precision tp / (tp + fp) is greater where fp / P is less.
    lead = np.interp(knots, other_recall, other_wrong) - np.interp(knots, recall, wrong)
    return _compared(knots, lead)


def _false_per_positive(name: str, curve: PrecisionRecallCurve) -> tuple[Floats, Floats]:
    """Return the recalls of the hull and the false positives there, for each positive there is."""
    counts = curve.threshold_counts
    positives, negatives = counts.positives[-1], counts.negatives[-1]
    if not (positives > 0 and negatives > 0):
        raise ValueError(f"{name} is undefined: a class was missing.")
    kept = upper_hull(counts.fp / negatives, counts.tp / positives)
    recall = counts.tp[kept] / positives
    last = int(np.argmax(recall == recall[-1])) + 1  # no gain beyond recall 1
    return recall[:last], counts.fp[kept][:last] / positives


def _compared(knots: Floats, lead: Floats) -> CurveComparison:
    """Return where the lead of the first, straight between knots, lies above and below 0."""
    lead[np.abs(lead) <= _TOLERANCE] = 0
    crossed = np.flatnonzero(lead[:-1] * lead[1:] < 0)
    share = lead[crossed] / (lead[crossed] - lead[crossed + 1])
    meeting = knots[crossed] + share * np.diff(knots)[crossed]
    knots = np.insert(knots, crossed + 1, meeting)
    lead = np.insert(lead, crossed + 1, 0.0)
    middle = lead[:-1] + lead[1:]
    return CurveComparison(_intervals(knots, middle > 0), _intervals(knots, middle < 0))


def _intervals(knots: Floats, inside: Bools) -> Floats:
    """Join neighbouring gaps between knots into intervals (low, high)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], inside, [False]])))
    return knots[edges].reshape(-1, 2)
