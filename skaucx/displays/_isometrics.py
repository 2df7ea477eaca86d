"""Pictures of level lines of metrics in ROC and precision-recall space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np

from .._arguments import Axes, MetricLike
from .._plotting import Display, line_styles, shown, unit_square
from .._text.numbers import significant
from ..metrics.curves import Isometrics, isometrics

_AXES = {
    "roc": ("False positive rate", "True positive rate"),
    "pr": ("Recall", "Precision"),
}


class IsometricsDisplay(Display):
    """Picture of the isometrics of a metric: lines along which it is level.

    In precision-recall space there are none below the precision of predicting all positive.

    Drawn into the axes of another one, of a :class:`RocCurveDisplay` or of a
    :class:`PrecisionRecallDisplay`, it shows which of two classifiers each metric prefers.

    Parameters
    ----------
    isometrics : Isometrics
        Made by :func:`isometrics`.
    name : str, default=None
        Name in the legend, by default the metric's.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    contours_ : matplotlib QuadContourSet
    levels_ : ndarray of float64
        The values whose lines are drawn.

    Examples
    --------
    >>> from skaucx.displays import IsometricsDisplay
    >>> display = IsometricsDisplay.from_metric("f1", 0.2, space="pr")
    >>> display.levels_.round(1).tolist()
    [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    """

    _titled, _legend = False, True

    def __init__(self, isometrics: Isometrics, *, name: str | None = None) -> None:
        self.isometrics = isometrics
        self.name = name

    @classmethod
    def from_metric(
        cls,
        metric: MetricLike,
        prevalence: float = 0.5,
        *,
        space: Literal["roc", "pr"] = "roc",
        name: str | None = None,
        ax: Axes | None = None,
        levels: Sequence[float] | None = None,
        despine: bool = False,
        **parameters: Any,
    ) -> Self:
        """Draw the level lines of a metric.

        Parameters
        ----------
        metric : str or callable
            Name or alias, or a function of :class:`Counts`.
        prevalence : float in (0, 1), default=0.5
            The share of the positives.
        space : {"roc", "pr"}, default="roc"
            FPR against TPR, or recall against precision.
        name : str, default=None
            Name in the legend, by default the metric's.
        ax : matplotlib Axes, default=None
            New ones if None.
        levels, despine
            As in `plot`.
        **parameters
            The metric's own parameters, such as ``beta`` or ``cost``.

        Returns
        -------
        IsometricsDisplay
        """
        grid = isometrics(metric, prevalence, space=space, **parameters)
        return cls(grid, name=name).plot(ax, levels=levels, despine=despine)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        levels: Sequence[float] | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the level lines.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New ones if None.
        name : str, default=None
            Instead of the name given before.
        levels : sequence of float, default=None
            Values whose lines to draw; nine round ones, more or less, if None.
        despine : bool, default=False
            Whether to remove the top and the right spine.

        Returns
        -------
        IsometricsDisplay
        """
        x, y, values = grid = self.isometrics
        self._begin(ax, name)
        ax = self.ax_
        wanted = 9 if levels is None else np.sort(np.asarray(levels, float))
        style = line_styles(ax)(0)
        look = {"colors": style["color"], "linestyles": [style["linestyle"]], "linewidths": 1.2}
        self.contours_ = ax.contour(x, y, values, wanted, **look)
        self.levels_ = self.contours_.levels
        for label in ax.clabel(self.contours_, fontsize="small", fmt=significant):
            label.set(in_layout=False, clip_on=True)
        ax.plot([], [], label=self._name or shown(grid.metric), **style)
        unit_square(ax)
        self._note = f"prevalence {significant(grid.prevalence)}"
        # The names that a curve gave, on which the lines are laid, stay.
        across, up = (None, None) if ax.get_xlabel() else _AXES[grid.space]
        return self._end(despine, across, up)
