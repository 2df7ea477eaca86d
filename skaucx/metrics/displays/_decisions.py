"""Decision curves, and losses against the costs of both errors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np

from ..._options import check_choice
from ..._plotting import band_style
from ..curves import CostCurve, DecisionCurve, cost_curve, decision_curve
from ._curve_display import CurveDisplay, mean_text

_RIGHT, _TOP = 1.04, 1.08  # of the last threshold and the greatest height: the limits
_SEEN = 0.01  # of the prevalence: a net benefit that can be seen


@functools.wraps(decision_curve)
def _curve(y_true: Any, y_proba: Any, **options: Any) -> DecisionCurve:
    """Return a decision curve; by default at thresholds up to those above all probabilities."""
    curve = decision_curve(y_true, y_proba, **options)
    if options.get("thresholds") is not None or _end(curve) == 1:
        return curve
    steps = len(curve.thresholds) + 1
    return decision_curve(
        y_true, y_proba, **options | {"thresholds": _end(curve) * np.arange(1, steps) / steps}
    )


def _end(curve: DecisionCurve) -> float:
    """Return the end of the axis of thresholds: 1, or less where few are predicted positive above."""
    seen = curve.thresholds[np.abs(curve.net_benefit) > _SEEN * curve.prevalence]
    last = 1.1 * float(seen.max(initial=0))
    return 1.0 if last > 0.5 or last == 0 else last


class DecisionDisplay(CurveDisplay):
    """Plot of the net benefit of a model, with treating all and none.

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

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_ : list of Line2D
    mean_ : list of Line2D
        The mean of the curves of folds, over a band of one standard deviation.

    Examples
    --------
    >>> from skaucx.metrics import DecisionDisplay
    >>> y_true, y_proba = [0, 0, 1, 0, 1, 1], [0.1, 0.3, 0.4, 0.6, 0.7, 0.9]
    >>> display = DecisionDisplay.from_predictions(y_true, y_proba, thresholds=[0.2, 0.5])
    >>> display.line_[0].get_ydata().round(4).tolist()
    [0.4167, 0.1667]
    """

    _make: ClassVar[Callable[..., Any]] = _curve

    def plot(
        self,
        ax: Any = None,
        *,
        kind: Literal["net_benefit", "interventions_avoided"] = "net_benefit",
        band: bool | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New ones if None.
        kind : {"net_benefit", "interventions_avoided"}, default="net_benefit"
        band : bool, default=None
            Whether to shade the intervals of the net benefit of a single curve; by default of the
            first one in the axes.
        despine : bool, default=False
            Whether to remove the top and the right spine.

        Returns
        -------
        DecisionDisplay
        """
        check_choice("kind", kind, ("net_benefit", "interventions_avoided"))
        self._begin(ax)
        earlier = any(line.get_gid() == "chance" for line in self.ax_.get_lines())
        before = self.ax_.get_xlim()[1] / _RIGHT if earlier else 0.0, self.ax_.get_ylim()[1] / _TOP
        benefit, curves = (
            kind == "net_benefit",
            [c for _, several in self._named() for c in several],
        )
        curve: DecisionCurve = curves[0]
        self._draw(
            lambda c: (c.thresholds, getattr(c, kind)),
            heights=lambda c, x: np.interp(x, c.thresholds, getattr(c, kind)),
            places=curve.thresholds,
            bounds=(-np.inf, 1.0),
        )
        if benefit:
            self._reference(curve.thresholds, curve.treat_all, "treat all", "--")
            self._reference((0, 1), (0, 0), "treat none")
        shaded = not earlier if band is None else band
        if benefit and shaded and len(self.line_) == 1 and not np.isnan(curve.low).any():
            style = band_style(self.line_[0].get_color())
            self.ax_.fill_between(curve.thresholds, curve.low, curve.high, **style)
        tops = [np.nanmax(getattr(c, kind)) for c in curves]
        top = max([*tops, curve.prevalence if benefit else 0, before[1] if earlier else 0])
        end = max(before[0], *(_end(c) for c in curves), 0)
        self.ax_.set(xlim=((1 - _RIGHT) * end, _RIGHT * end), ylim=(-0.15 * top, _TOP * top))
        high = "Net benefit" if benefit else "Interventions avoided"
        corner = "upper right" if benefit else "upper left"
        self._finish(self._labelled("Threshold probability"), high, corner, despine)
        return self


class CostDisplay(CurveDisplay):
    """Plot of the expected cost against the costs of both errors.

    Make it by ``from_estimator``, ``from_predictions`` or ``from_cv_results``, or from curves, those of
    :func:`brier_curve` too.

    Parameters
    ----------
    curves : CostCurve, list of CostCurve, or dict from str to either
        As :func:`cost_curve` and :func:`brier_curve` make them.
    name : str, default=None
        Name in the legend.
    pos_label : int, float, bool or str, default=None
        The positive class, named on the axes.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_ : list of Line2D
    mean_ : list of Line2D
        The mean of the curves of folds, over a band of one standard deviation.

    Examples
    --------
    >>> from skaucx.metrics.displays import CostDisplay
    >>> display = CostDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> display.ax_.get_xlabel()
    'Probability cost of the positives (Positive label: 1)'
    """

    _make: ClassVar[Callable[..., Any]] = cost_curve

    def plot(self, ax: Any = None, *, despine: bool = False) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New ones if None.
        despine : bool, default=False
            Whether to remove the top and the right spine.

        Returns
        -------
        CostDisplay
        """
        self._begin(ax)
        curves: list[CostCurve] = [c for _, several in self._named() for c in several]
        self._draw(lambda c: (c.cost, c.loss), _area, lambda c, x: c.at(x))
        brier = curves[0].kind == "brier"
        if not brier:
            self._reference((0, 0.5, 1), (0, 0.5, 0), "one call for all")
        self.ax_.set_xlim(-0.04, 1.04)
        x = "Share of a false alarm in the costs" if brier else "Probability cost of the positives"
        up = "Expected loss" if brier else "Normalised expected cost"
        self._finish(self._labelled(x), up, "upper center", despine)
        return self


def _area(curves: Sequence[CostCurve]) -> str:
    called = "Brier score" if curves[0].kind == "brier" else "area"
    return mean_text(called, [curve.area for curve in curves])
