"""Pictures of decisions: gain, net benefit, expected costs, risk against coverage."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from .._arrays import Floats
from .._plotting import band_style, fit_labels, muted
from ..metrics.curves import (
    DecisionCurve,
    PrecisionRecallCurve,
    cost_curve,
    decision_curve,
    precision_recall_curve,
    risk_coverage_curve,
)
from ._curve_display import CurveDisplay

_SEEN = 0.01  # of the prevalence: a net benefit that can be seen


@functools.wraps(decision_curve)
def _curve(y_true: Any, y_proba: Any, **options: Any) -> DecisionCurve:
    """Return a decision curve; by default up to thresholds that few probabilities reach."""
    curve = decision_curve(y_true, y_proba, **options)
    seen = curve.thresholds[np.abs(curve.net_benefit) > _SEEN * curve.prevalence]
    last = 1.1 * float(seen.max(initial=0))
    if options.get("thresholds") is not None or last > 0.5 or last == 0:
        return curve
    return decision_curve(
        y_true, y_proba, **options | {"thresholds": last * np.arange(1, 100) / 100}
    )


class DecisionDisplay(CurveDisplay):
    """Plot of the net benefit of a model, with treating all and none.

    A single curve has its intervals.

    Make it by ``from_estimator``, ``from_predictions`` or ``from_cv_results``, which take the keywords
    of ``plot`` and those of :func:`decision_curve` too, or from curves.

    Parameters
    ----------
    curves : DecisionCurve, list of DecisionCurve, or dict from str to either
        As :func:`decision_curve` makes them.
    name : str, default=None
        Name in the legend.
    pos_label : int, float, bool or str, default=None
        The positive class, named on the axes.
    estimator_name : str or list of str, default=None
        The same as `name`, as scikit-learn spells it.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_ : Line2D or list of Line2D
    mean_ : list of Line2D
        The mean of the curves of folds, over a band of one standard deviation.

    Examples
    --------
    >>> from skaucx.displays import DecisionDisplay
    >>> y_true, y_proba = [0, 0, 1, 0, 1, 1], [0.1, 0.3, 0.4, 0.6, 0.7, 0.9]
    >>> display = DecisionDisplay.from_predictions(y_true, y_proba, thresholds=[0.2, 0.5])
    >>> display.line_.get_ydata().round(4).tolist()
    [0.4167, 0.1667]
    """

    _make = _curve
    _fields = ("thresholds", "net_benefit")
    _bounds = (-np.inf, 1.0)

    def _draw(self, ax: Any) -> None:
        first = self._groups()[0][1][0]
        self._draw_curves(places=first.thresholds)
        ax.plot(first.thresholds, first.treat_all, "--", label="treat all", color=muted(ax))
        ax.axhline(0, label="treat none", color=muted(ax), linestyle=":")
        if len(self.lines_) == 1:
            ax.fill_between(
                first.thresholds, first.low, first.high, **band_style(self.line_.get_color())
            )
        end, top = ax.dataLim.x1, ax.dataLim.y1
        ax.set(xlim=(0, 1.04 * end), ylim=(-0.15 * top, 1.08 * top))
        fit_labels(ax, self._labelled("Threshold probability"), "Net benefit")


class CostDisplay(CurveDisplay):
    """Plot of the expected cost against the costs of both errors.

    Make it by ``from_estimator``, ``from_predictions`` or ``from_cv_results``, or from curves.

    Parameters
    ----------
    curves : CostCurve, list of CostCurve, or dict from str to either
        As :func:`cost_curve` makes them.
    name : str, default=None
        Name in the legend.
    pos_label : int, float, bool or str, default=None
        The positive class, named on the axes.
    estimator_name : str or list of str, default=None
        The same as `name`, as scikit-learn spells it.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_ : Line2D or list of Line2D
    mean_ : list of Line2D
        The mean of the curves of folds, over a band of one standard deviation.

    Examples
    --------
    >>> from skaucx.displays import CostDisplay
    >>> display = CostDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> " ".join(display.ax_.get_xlabel().split())
    'Probability cost of the positives (Positive label: 1)'
    """

    _make = cost_curve
    _fields, _value_name = ("cost", "loss"), "area"

    def _draw(self, ax: Any) -> None:
        self._draw_curves()
        ax.plot((0, 0.5, 1), (0, 0.5, 0), ":", label="one prediction for all", color=muted(ax))
        fit_labels(
            ax, self._labelled("Probability cost of the positives"), "Normalised expected cost"
        )


class GainDisplay(CurveDisplay):
    """Picture of the cumulative gain against the share predicted positive.

    Of the examples with the highest scores, a share of all, the gain is the share of the positives among
    them; the lift is the gain divided by that share. The legend has :func:`ks_score`.

    Make it by ``from_estimator``, ``from_predictions`` or ``from_cv_results``, or from curves.

    Parameters
    ----------
    curves : PrecisionRecallCurve, list of PrecisionRecallCurve, or dict from str to either
        As :func:`precision_recall_curve` makes them.
    name : str, default=None
        Name in the legend.
    pos_label : int, float, bool or str, default=None
        The positive class, named on the axes.
    estimator_name : str or list of str, default=None
        The same as `name`, as scikit-learn spells it.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_ : Line2D or list of Line2D
    mean_ : list of Line2D
        The mean of the curves of folds, over a band of one standard deviation.

    Examples
    --------
    >>> from skaucx.displays import GainDisplay
    >>> display = GainDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> display.line_.get_data()[1].tolist()
    [0.0, 0.5, 0.5, 1.0, 1.0]
    """

    _make = precision_recall_curve
    _value_name = "KS"

    def _draw(self, ax: Any) -> None:
        self._draw_curves()
        ax.plot((0, 1), (0, 1), color=muted(ax), linestyle=":", label="random choice")
        fit_labels(ax, self._labelled("Share predicted positive"), "Share of the positives found")

    def _points(self, curve: PrecisionRecallCurve) -> tuple[Floats, Floats]:
        """Return the shares of all and of the positives that are predicted positive."""
        counts = curve.threshold_counts
        return counts.predicted_positives / counts.total, counts.tp / counts.positives

    def _height(self, curve: PrecisionRecallCurve, x: Floats) -> Floats:
        return np.interp(x, *self._points(curve))

    def _value(self, curve: PrecisionRecallCurve) -> float:
        """Return the Kolmogorov-Smirnov statistic."""
        return curve._value("ks")


class RiskCoverageDisplay(CurveDisplay):
    """Picture of the error rate among the accepted against the share that is accepted.

    Make it by ``from_estimator``, ``from_predictions`` or ``from_cv_results`` (one curve a fold), or
    from curves. Several classes have one curve, of the errors of the most probable class.

    Parameters
    ----------
    curves : RiskCoverageCurve, list of RiskCoverageCurve, or dict from str to either
        As :func:`risk_coverage_curve` makes them.
    name : str, default=None
        Name in the legend.
    pos_label : int, float, bool or str, default=None
        The class that one column of probabilities is of.
    estimator_name : str or list of str, default=None
        The same as `name`, as scikit-learn spells it.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_ : Line2D or list of Line2D
    mean_ : list of Line2D
        The mean of the curves of folds, over a band of one standard deviation.

    Examples
    --------
    >>> from skaucx.displays import RiskCoverageDisplay
    >>> display = RiskCoverageDisplay.from_predictions([1, 0, 1, 0], [0.9, 0.2, 0.7, 0.6])
    >>> display.line_.get_ydata().tolist()
    [0.0, 0.0, 0.0, 0.25]
    """

    _make = risk_coverage_curve
    _fields, _value_name = ("coverage", "risk"), "AURC"

    def _draw(self, ax: Any) -> None:
        self._draw_curves()
        ax.set_xlim(-0.01, 1.01)
        fit_labels(ax, "Share accepted", "Error rate of the accepted")

    @classmethod
    def _made(
        cls, y: Any, score: Any, weight: Any, labels: Any, pos_label: Any, options: dict[str, Any]
    ) -> dict[Any, Any]:
        """Make one curve, of two classes or of many."""
        names = {"labels": labels} if np.ndim(score) == 2 else {"pos_label": pos_label}
        return {None: risk_coverage_curve(y, score, sample_weight=weight, **names, **options)}
