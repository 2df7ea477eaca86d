"""Pictures of metrics against the decision threshold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import numpy as np

from ..._arrays import Floats
from ..._plotting import GREY, despined, legend_beside, line_style, marker, new_axes, shown, styled
from .._registry.declare import get_metric
from ..curves import LinearDensityModel, ThresholdCurves, threshold_curves
from ._sources import CurveSources

_USUAL = ("recall", "specificity", "precision", "f1", "matthews_corrcoef")


def _usual_curves(
    y_true: Any, y_score: Any, metrics: Any = None, **options: Any
) -> ThresholdCurves:
    return threshold_curves(y_true, y_score, metrics or _USUAL, **options)


class ThresholdDisplay(CurveSources):
    """Picture of metrics of the confusion table against the threshold, with the best of each.

    Make it by ``from_estimator``, ``from_predictions`` or ``from_cv_results``, which take the keywords
    of ``plot`` and of :func:`threshold_curves` too (``metrics``, by default recall, specificity,
    precision, F1 and MCC; ``beta``, ``cost``), or from curves. Of several classes `pos_label` chooses
    one.

    Parameters
    ----------
    curves : ThresholdCurves or list of ThresholdCurves
        One record of curves, or one a fold.
    name : str, default=None
        Title of the legend.
    pos_label : int, float, bool or str, default=None
        The positive class, named on the axis.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    lines_ : dict from str to list of Line2D
        The curves of each metric, one a fold.
    best_ : dict from str to Line2D
        The mark of the best threshold of each metric, one point a fold.
    theory_ : dict from str to Line2D
        The closed forms of a model; empty if none is given.

    Examples
    --------
    >>> from skaucx.metrics import ThresholdDisplay
    >>> display = ThresholdDisplay.from_predictions(
    ...     [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], metrics=["recall", "f1"]
    ... )
    >>> [text.get_text() for text in display.ax_.get_legend().get_texts()]
    ['recall: best 1.00 at 0.35', 'F1: best 0.80 at 0.35']
    """

    _make: ClassVar[Callable[..., Any]] = _usual_curves
    _anonymous = None

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        mark_best: bool = True,
        theory: LinearDensityModel | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New ones if None.
        name : str, default=None
            Instead of the name given before.
        mark_best : bool, default=True
            Whether to mark the best threshold of every metric.
        theory : LinearDensityModel, default=None
            A model whose closed forms to draw as thin dotted lines, for metrics without parameters.
        curve_kwargs : dict, default=None
            Keywords of matplotlib's ``plot`` for all curves.
        despine : bool, default=False
            Whether to remove the top and the right spine.

        Returns
        -------
        ThresholdDisplay
        """
        if isinstance(self.curves, Mapping):
            raise ValueError("Metrics against the threshold need two classes; choose pos_label.")
        self.ax_, self.figure_ = new_axes(ax, (8.0, 4.2))
        folds = [self.curves] if isinstance(self.curves, ThresholdCurves) else list(self.curves)
        low, high = _range(folds)
        self.lines_: dict[str, list[Any]] = {}
        self.best_: dict[str, Any] = {}
        self.theory_: dict[str, Any] = {}
        for number, metric in enumerate(folds[0].values):
            style = line_style(number) | {"drawstyle": "steps-pre"}
            if len(folds) > 1:
                style |= {"alpha": 0.4, "linewidth": 1.0}
            self.lines_[metric] = [
                self.ax_.plot(*_extended(fold, metric, low, high), **styled(style, curve_kwargs))[0]
                for fold in folds
            ]
            if mark_best:
                self.best_[metric] = self._mark(folds, metric, number, high)
            else:
                self.lines_[metric][0].set_label(shown(metric))
            if theory is not None:
                self._draw_theory(theory, metric, number)
        self._finish(low, high, self.name if name is None else name, despine)
        return self

    def _mark(self, folds: list[ThresholdCurves], metric: str, number: int, high: float) -> Any:
        """Mark the best threshold of every fold, and name it in the legend."""
        best = np.array([fold.best(metric) for fold in folds])
        at, value = np.where(np.isinf(best[:, 0]), high, best[:, 0]), best[:, 1]
        label = f"{shown(metric)}: best {np.nanmean(value):.2f} {_places(best[:, 0])}"
        style = line_style(number) | {"marker": marker(number), "markeredgecolor": "white"}
        if len(folds) > 1:
            style["linestyle"] = "none"
        # The legend shows line and marker; one point alone draws no line.
        [mark] = self.ax_.plot(
            at, value, label=label, zorder=3, markersize=8, clip_on=False, **style
        )
        return mark

    def _draw_theory(self, model: LinearDensityModel, metric: str, number: int) -> None:
        curves = model.threshold_curves([metric])
        style = {"color": line_style(number)["color"], "linestyle": ":", "linewidth": 1.0}
        [self.theory_[metric]] = self.ax_.plot(curves.thresholds, curves[metric], **style)
        self.ax_.plot(
            *np.transpose([model.optimum(metric)]), marker=marker(number), markersize=8,
            markerfacecolor="none", markeredgecolor=style["color"], linestyle="none", zorder=4,
        )  # fmt: skip

    def _finish(self, low: float, high: float, name: str | None, despine: bool) -> None:
        self.ax_.set(xlabel=self._labelled("Threshold"), ylabel="Metric", xlim=(low, high))
        bounds = [get_metric(metric).metric.bounds for metric in self.lines_]
        if all(least >= -1 and most <= 1 for least, most in bounds):
            drawn = [np.nanmin(line.get_ydata()) for one in self.lines_.values() for line in one]
            self.ax_.set_ylim(min(-0.02, *(float(y) - 0.02 for y in drawn), 0), 1.03)
        if self.theory_:
            style = {"marker": "o", "markerfacecolor": "none", "linestyle": ":", "color": GREY}
            self.ax_.plot([], [], label="linear-density model", **style)
        if despine:
            despined(self.ax_)
        legend_beside(self.ax_, title=name)


def _places(thresholds: Floats) -> str:
    """Say where the best thresholds lie: one, a range, or above all scores."""
    finite = thresholds[np.isfinite(thresholds)]
    if not len(finite):
        return "nowhere" if np.isnan(thresholds).all() else "above all scores"
    low, high = f"{finite.min():.2f}", f"{finite.max():.2f}"
    return f"at {low}" if low == high else f"at {low} to {high}"


def _range(folds: list[ThresholdCurves]) -> tuple[float, float]:
    """Return the range of the thresholds, with a little room where all, or none, is positive."""
    finite = np.concatenate([fold.thresholds[np.isfinite(fold.thresholds)] for fold in folds])
    low, high = float(finite.min()), float(finite.max())
    room = 0.03 * (high - low) or 0.5
    return low - room, high + room


def _extended(
    curves: ThresholdCurves, metric: str, low: float, high: float
) -> tuple[Floats, Floats]:
    """Return thresholds and values from low to high; a value holds down to the next lower score."""
    t, values = curves.thresholds[::-1], curves[metric][::-1]
    t = np.where(np.isinf(t), high, t)
    return np.append(low, t), np.append(values[0], values)
