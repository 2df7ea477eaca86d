"""Reliability diagrams: observed event rates by predicted probability."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .._arguments import Axes, Label
from .._arrays import Floats, check_rows, check_same_length
from .._plotting import band_style, muted, unit_square
from ..inference._bands.reliability import ReliabilityCurve, reliability_curve
from ._curve_display import CurveDisplay, named

_HIGH = 0.18  # share of the axes that the histogram of a display reaches
_FINE = 50  # bars of the histogram without bins
_MOST_ROWS = 10_000  # with more the default is bins, as simulated classes would take seconds
_SMALL_SIDE = 0.6  # a longer square is the whole one
_CHOICES = frozenset({"method", "n_bins", "strategy", "band", "simultaneous"})


@functools.wraps(reliability_curve)
def _curve(y_true: Any, y_proba: Any, **options: Any) -> ReliabilityCurve:
    """Return a curve; without a choice the isotonic one with the band of perfect calibration."""
    usual: dict[str, Any] = {"method": "isotonic", "band": "consistency"}
    if np.shape(y_proba)[0] > _MOST_ROWS:
        usual = {"strategy": "quantile"}
    return reliability_curve(
        y_true, y_proba, **options, **usual if _CHOICES.isdisjoint(options) else {}
    )


class CalibrationDisplay(CurveDisplay):
    """Reliability diagram: observed event rates by predicted probability, over a histogram.

    Make it by ``from_estimator``, ``from_predictions`` or ``from_cv_results`` (one curve a fold), which
    take the keywords of ``plot`` and those of :func:`reliability_curve` too. Without ``method``,
    ``n_bins``, ``strategy`` and ``band`` the curve is isotonic (CORP), over the band in which it lies
    if the probabilities are calibrated; with more than 10,000 rows it has bins of equal weight.

    Parameters
    ----------
    curves : ReliabilityCurve, list of ReliabilityCurve, dict from str to either, or array-like
        As :func:`reliability_curve` makes them.
        Or, as in scikit-learn, the share of positives of each bin (`prob_true`), with `prob_pred`
        and `y_prob`.
    prob_pred : array-like of shape (n_bins,), default=None
        The mean predicted probability of each bin.
    y_prob : array-like of shape (n_samples,), default=None
        The predicted probabilities, for the histogram.
    prob_true : array-like of shape (n_bins,), default=None
        The share of positives of each bin, by keyword.
    name : str, default=None
        Name in the legend.
    pos_label : int, float, bool or str, default=None
        The positive class, named on the axes.
    estimator_name : str, default=None
        The same as `name`, as scikit-learn spells it.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_ : Line2D or list of Line2D
    bars_ : matplotlib BarContainer or None
        The histogram of the probabilities, its highest bar at 18 % of the axes.

    Examples
    --------
    >>> from skaucx.displays import CalibrationDisplay
    >>> display = CalibrationDisplay.from_predictions([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9], n_bins=2)
    >>> display.line_.get_ydata().tolist()
    [0.5, 0.5]
    """

    _make = _curve
    _axes = ("Mean predicted probability", "Share of positives")
    _of_two = True

    def __init__(
        self,
        curves: Any = None,
        prob_pred: ArrayLike | None = None,
        y_prob: ArrayLike | None = None,
        *,
        prob_true: ArrayLike | None = None,
        name: str | Sequence[str] | None = None,
        pos_label: Label = None,
        estimator_name: str | Sequence[str] | None = None,
    ) -> None:
        observed: Any = curves if prob_true is None else prob_true
        if observed is None or (prob_pred is None) != (y_prob is None):
            raise TypeError("Pass either curves, or prob_true, prob_pred and y_prob.")
        if prob_pred is not None:
            observed = _of_points(observed, prob_pred, y_prob)
        super().__init__(observed, name=name, pos_label=pos_label, estimator_name=estimator_name)

    @classmethod
    def from_predictions(  # type: ignore[override]
        cls, y_true: ArrayLike, y_prob: ArrayLike, **options: Any
    ) -> Self:
        """Draw the curve of predicted probabilities.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        y_prob : array-like of shape (n_samples,)
            Probabilities of the positive class.
        **options
            ``sample_weight``, ``pos_label``, ``name`` and ``ax``, as for
            :meth:`RocCurveDisplay.from_predictions`; keywords of `plot` and of
            :func:`reliability_curve`.

        Returns
        -------
        CalibrationDisplay
        """
        check_rows({"y_true": y_true, "y_prob": y_prob})
        return super().from_predictions(y_true, y_prob, **options)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        ref_line: bool = True,
        histogram: bool = True,
        despine: bool = False,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve.

        The limits follow the curves where all rates are small. Folds have no intervals.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New ones if None.
        name : str, default=None
            Instead of the name given before.
        ref_line : bool, default=True
            Whether to draw the line of perfect calibration.
        histogram : bool, default=True
            Whether to draw how often each probability was predicted.
        despine : bool, default=False
            Whether to remove the top and the right spine.
        **kwargs
            Keywords of matplotlib's ``plot``.

        Returns
        -------
        CalibrationDisplay
        """
        self._begin(ax, name)
        self._draw_curves(kwargs, places=None)
        curves = [curve for _, several in named(self.curves) for curve in several]
        if len(curves) == len(named(self.curves)):  # not those of folds
            for curve, line in zip(curves, self.lines_, strict=True):
                self._draw_limits(curve, line)
        side = 1.1 * float(self.ax_.dataLim.max.max())
        side = 1.0 if side > _SMALL_SIDE else side
        if ref_line:
            self.ax_.plot((0, side), (0, side), ":", color=muted(self.ax_), label="as predicted")
        self.bars_ = self._histogram(curves[0], side) if histogram else None
        unit_square(self.ax_, side)
        return self._end(despine, self._labelled(self._axes[0]), self._axes[1])

    def _points(self, curve: ReliabilityCurve) -> tuple[Floats, Floats]:
        held = ~np.isnan(curve.observed)
        return curve.predicted[held], curve.observed[held]

    def _draw_limits(self, curve: ReliabilityCurve, line: Any) -> None:
        """Mark the bins, with their intervals, or shade the band of a curve without bins."""
        x, low, high = curve.predicted, curve.low, curve.high
        if curve.edges is not None:
            line.set_marker("o")
            self.ax_.vlines(x, low, high, color=line.get_color(), linewidth=1)
        elif not np.isnan(low).all():
            text = f"{100 * curve.confidence_level:g} % if calibrated"
            label = text if curve.band == "consistency" else curve.label
            self.ax_.fill_between(x, low, high, **band_style(line.get_color(), label))

    def _histogram(self, curve: ReliabilityCurve, side: float) -> Any:
        edges, weight = curve.edges, curve.weight
        if edges is None:
            weight, edges = np.histogram(curve.predicted, _FINE, (0, side), weights=weight)
        wide, held = np.diff(edges), weight > 0
        density = weight[held] / wide[held]  # bins of equal weight have unequal widths
        look = {"align": "edge", "color": self.lines_[0].get_color(), "zorder": 0.5, "alpha": 0.2}
        heights = _HIGH * side * density / density.max()
        return self.ax_.bar(edges[:-1][held], heights, wide[held], **look)


def _of_points(observed: Any, predicted: Any, proba: Any) -> ReliabilityCurve:
    """Return a curve through points, without intervals, over the histogram of the probabilities."""
    x, y = (np.asarray(array, dtype=np.float64) for array in (predicted, observed))
    check_same_length({"prob_true": y, "prob_pred": x})
    weight, edges = np.histogram(proba, 10, (0, 1))
    unknown = np.full(len(x), np.nan)
    return ReliabilityCurve(
        x, y, unknown, unknown, weight.astype(np.float64), edges, "binned", "confidence", np.nan
    )
