"""Risk against coverage, and accuracy against the share that is rejected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np

from ..._arrays import Floats
from ..._options import check_choice
from ..._plotting import muted
from ..curves import RiskCoverageCurve, risk_coverage_curve
from ._curve_display import CurveDisplay, mean_text
from ._sources import Scored


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

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_ : list of Line2D
    mean_ : list of Line2D
        The mean of the curves of folds, over a band of one standard deviation.

    Examples
    --------
    >>> from skaucx.metrics.displays import RiskCoverageDisplay
    >>> display = RiskCoverageDisplay.from_predictions([1, 0, 1, 0], [0.9, 0.2, 0.7, 0.6])
    >>> display.line_[0].get_ydata().tolist()
    [0.0, 0.0, 0.0, 0.25]
    """

    _make: ClassVar[Callable[..., Any]] = risk_coverage_curve

    def plot(
        self,
        ax: Any = None,
        *,
        kind: Literal["risk", "accuracy"] = "risk",
        plot_best: bool = True,
        despine: bool = False,
    ) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New ones if None.
        kind : {"risk", "accuracy"}, default="risk"
            The error rate against the share that is accepted, or the accuracy against the share that
            is rejected.
        plot_best : bool, default=True
            Whether to draw, for a single curve, the best curve with the same errors, all of them
            last.
        despine : bool, default=False
            Whether to remove the top and the right spine.

        Returns
        -------
        RiskCoverageDisplay
        """
        check_choice("kind", kind, ("risk", "accuracy"))
        self._begin(ax)
        if kind == "risk":
            self._draw(_risks, _area, lambda c, x: c.at(x))
        else:
            self._draw(_accuracies, _aurc, lambda c, x: 1 - c.at(1 - x))
        if plot_best and isinstance(self.curves, RiskCoverageCurve):
            share, risk = _risks(self.curves)[0], self.curves.best_risk
            best = (share, risk) if kind == "risk" else (1 - share, 1 - risk)
            self.ax_.plot(*best, label="errors last", color=muted(self.ax_), linestyle=":")
        words = {
            "risk": ("Share accepted", "Error rate of the accepted"),
            "accuracy": ("Share rejected", "Accuracy of the accepted"),
        }
        self.ax_.set_xlim(-0.01, 1.01)
        corner = "upper left" if kind == "risk" else "lower right"
        self._finish(*words[kind], corner, despine)
        return self

    @classmethod
    def _made(
        cls,
        scored: Scored,
        labels: Any,
        pos_label: Any,
        options: dict[str, Any],
        make: Callable[..., Any] | None = None,
    ) -> dict[Any, Any]:
        """Make one curve, of two classes or of many."""
        y, score, weight = scored
        names = labels if np.ndim(score) == 2 else None
        positive = pos_label if np.ndim(score) == 1 else None
        made = risk_coverage_curve(
            y, score, labels=names, pos_label=positive, sample_weight=weight, **options
        )
        return {None: made}


def _risks(curve: RiskCoverageCurve) -> tuple[Floats, Floats]:
    return curve.coverage, curve.risk


def _accuracies(curve: RiskCoverageCurve) -> tuple[Floats, Floats]:
    return 1 - curve.coverage, curve.accuracy


def _aurc(curves: Sequence[RiskCoverageCurve]) -> str:
    return mean_text("AURC", [curve.area for curve in curves])


def _area(curves: Sequence[RiskCoverageCurve]) -> str:
    return mean_text("area", [curve.area for curve in curves])
