"""Which of two classifiers' ROC convex hulls covers the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..._arrays import Bools, Floats
from ..._compat import import_pandas
from ..._text.tables import paragraph
from ._roc import RocCurve

# Hulls this close are level.
_TOLERANCE = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class HullComparison:
    """Where the ROC convex hull of one classifier lies above that of another.

    Attributes
    ----------
    first, second : ndarray of shape (n_intervals, 2), float64
        Intervals of FPR in which the hull of the first, or of the second, is the higher one by more
        than 1e-12. Elsewhere they are level.
    """

    first: Floats
    second: Floats

    @property
    def covering(self) -> Literal["first", "second", "both"] | None:
        """Whose hull is nowhere below the other: "both" where they are level, None for neither."""
        if len(self.first) and len(self.second):
            return None
        if len(self.first):
            return "first"
        return "second" if len(self.second) else "both"

    def __repr__(self) -> str:
        parts = {"first": self.first, "second": self.second}
        told = [
            f"{name} higher on {', '.join(f'{low:.4g} to {high:.4g}' for low, high in part)}"
            for name, part in parts.items()
            if len(part)
        ]
        return paragraph(f"HullComparison({'; '.join(told) or 'level'})", hang=2)

    def to_frame(self) -> Any:
        """Return a pandas DataFrame, a row an interval of FPR with the hull that is higher there.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        ends = np.concatenate([self.first, self.second])
        higher = ["first"] * len(self.first) + ["second"] * len(self.second)
        return import_pandas().DataFrame({"higher": higher, "low": ends[:, 0], "high": ends[:, 1]})


def compare_hulls(first: RocCurve, second: RocCurve) -> HullComparison:
    """Tell which of two classifiers' ROC convex hulls covers the other, and over which part.

    Where a hull is higher there is, for some costs and class sizes, a classifier among its points
    that beats all points of the other; a hull that covers the other is never worse.

    Parameters
    ----------
    first, second : RocCurve
        Curves, or hulls, of two classifiers.

    Returns
    -------
    HullComparison
        With ``covering`` and the intervals of FPR in ``first`` and ``second``.

    Raises
    ------
    ValueError
        If a curve is undefined because a class was missing.
    TypeError
        If either is no curve.

    References
    ----------
    .. [1] F. Provost and T. Fawcett, Robust classification for imprecise environments, Machine
       Learning 42(3), 203-231, 2001.

    Examples
    --------
    >>> from skaucx.metrics import RocCurve, compare_hulls
    >>> early = RocCurve.from_points([0.1], [0.6])
    >>> late = RocCurve.from_points([0.4], [0.9])
    >>> comparison = compare_hulls(early, late)
    >>> comparison.covering is None, comparison.first.round(3).tolist()
    (True, [[0.0, 0.308]])
    >>> compare_hulls(early, RocCurve.from_points([0.5], [0.7])).covering
    'first'
    """
    for name, curve in {"first": first, "second": second}.items():
        if not isinstance(curve, RocCurve):
            raise TypeError(
                f"{name} must be a RocCurve, found {type(curve).__name__}; roc_curve makes one of "
                "scores, RocCurve.from_points one of measured rates."
            )
        if np.isnan(curve.area):
            raise ValueError(f"{name} is undefined: a class was missing.")
    one, other = first.hull(), second.hull()
    knots = np.union1d(one.fpr, other.fpr)
    lead = one.tpr_at(knots) - other.tpr_at(knots)
    lead[np.abs(lead) <= _TOLERANCE] = 0
    crossed = np.flatnonzero(lead[:-1] * lead[1:] < 0)
    share = lead[crossed] / (lead[crossed] - lead[crossed + 1])
    meeting = knots[crossed] + share * np.diff(knots)[crossed]
    knots = np.insert(knots, crossed + 1, meeting)
    lead = np.insert(lead, crossed + 1, 0.0)
    middle = lead[:-1] + lead[1:]
    return HullComparison(_intervals(knots, middle > 0), _intervals(knots, middle < 0))


def _intervals(knots: Floats, inside: Bools) -> Floats:
    """Join neighbouring gaps between knots into intervals (low, high)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], inside, [False]])))
    return knots[edges].reshape(-1, 2)
