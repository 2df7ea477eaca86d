"""The mean of several curves, such as those of the folds of a cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..._arrays import Floats
from ..._options import check_whole
from ._ranked import CurveTuple, Points


@dataclass(frozen=True, eq=False, repr=False)
class MeanCurve(Points):
    """Mean and spread of several curves at the same places.

    Attributes
    ----------
    x : ndarray of shape (n_points,), float64
        Places from 0 to 1: false positive rates, recalls, shifts, coverages, or ratios of costs.
    mean : ndarray of shape (n_points,), float64
        Mean height of the curves there.
    sd : ndarray of shape (n_points,), float64
        Standard deviation of the heights, their number less one in the denominator; nan for one.
    values : ndarray of shape (n_curves,), float64
        The value of each curve: its area, or its average precision.
    """

    _arrays: ClassVar[tuple[str, ...]] = ("x", "mean", "sd")
    _values: ClassVar[tuple[str, ...]] = ("value",)

    x: Floats
    mean: Floats
    sd: Floats
    values: Floats

    @property
    def value(self) -> float:
        """The mean of the values of the curves."""
        return float(self.values.mean()) if len(self.values) else np.nan


def mean_curve(curves: Sequence[Any], *, n_points: int = 201) -> MeanCurve:
    r"""Return the mean of curves of one kind, such as ROC curves of folds, height by height.

    Parameters
    ----------
    curves : sequence of curves of one kind
        ROC, precision-recall, scorROC, probROC, cost, Brier or risk-coverage curves, such as one a fold,
        or one a class. Undefined curves, of data without one of the classes, are ignored.
    n_points : int >= 2, default=201
        Evenly spaced places from 0 to 1 at which the heights are averaged.

    Returns
    -------
    MeanCurve

    Raises
    ------
    ValueError
        If there is no curve.
    TypeError
        If the curves are of several kinds, or none of those above.

    Notes
    -----
    The mean is taken vertically [1]_: with :math:`y_i(x)` the height of the i-th of m curves

    .. math:: \bar y(x) = \frac{1}{m} \sum_i y_i(x), \quad
       s^2(x) = \frac{1}{m - 1} \sum_i (y_i(x) - \bar y(x))^2

    The spread is that of the curves, not the error of their mean: the training sets of folds overlap.

    References
    ----------
    .. [1] T. Fawcett, An introduction to ROC analysis, Pattern Recognition Letters 27(8), 861-874,
       2006, section 9.1.

    Examples
    --------
    >>> from skaucx.metrics import roc_curve
    >>> from skaucx.metrics.curves import mean_curve
    >>> curves = [roc_curve([0, 1, 0, 1], scores) for scores in ([1, 2, 3, 4], [1, 3, 2, 4])]
    >>> mean = mean_curve(curves, n_points=3)
    >>> mean.x.tolist(), mean.mean.tolist(), mean.value
    ([0.0, 0.5, 1.0], [0.75, 1.0, 1.0], 0.875)
    """
    check_whole("n_points", n_points, 2)
    kinds = {type(curve).__name__ for curve in curves}
    if not kinds:
        raise ValueError("curves must hold one curve at least, found none.")
    x, values = np.linspace(0, 1, n_points), np.array([value_of(curve) for curve in curves])
    if len(kinds) > 1:
        raise TypeError(f"curves must be of one kind, found {', '.join(sorted(kinds))}.")
    heights = [c._heights(x) for c, v in zip(curves, values, strict=True) if not np.isnan(v)]
    table = np.array(heights).reshape(-1, n_points)
    return MeanCurve(x, *spread_of_heights(table), values[~np.isnan(values)])


def spread_of_heights(table: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of heights, a row a curve; nan where there are too few."""
    few = np.full(table.shape[-1], np.nan)
    mean = table.mean(axis=0) if len(table) else few
    return mean, table.std(axis=0, ddof=1) if len(table) > 1 else few


def value_of(curve: Any) -> float:
    """Return the value of a curve: its area, or its average precision."""
    if not (
        isinstance(curve, MeanCurve) or (isinstance(curve, CurveTuple) and hasattr(curve, "area"))
    ):
        raise TypeError(
            "curves must hold curves as roc_curve and its like return them, found "
            f"{type(curve).__name__}."
        )
    return float(getattr(curve, curve._values[0]))
