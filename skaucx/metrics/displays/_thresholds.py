"""Pictures of metrics against the decision threshold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import numpy as np

from ..._plotting import (
    band_style,
    despined,
    fit_labels,
    key,
    line_styles,
    marker,
    muted,
    new_axes,
    styled,
)
from .._registry.declare import get_metric
from ..curves import BinormalModel, LinearDensityModel, ThresholdCurves, threshold_curves
from ._sources import CurveSources
from ._threshold_series import Best, MetricSeries, ends_of

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
    mean_ : dict from str to Line2D
        Of several folds the mean curve of each metric, over a band of one standard deviation.
    best_ : dict from str to Line2D
        The mark of the best threshold of each metric, of several folds that of the mean curve. None is
        marked where nothing beats calling all, or none, positive.
    theory_ : dict from str to Line2D
        The closed forms of a model; empty if none is given.

    Examples
    --------
    >>> from skaucx.metrics import ThresholdDisplay
    >>> display = ThresholdDisplay.from_predictions(
    ...     [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], metrics=["recall", "f1"]
    ... )
    >>> [text.get_text() for text in display.ax_.get_legend().get_texts()]
    ['recall', 'F1: best 0.80 at 0.35']

    Notes
    -----
    Found on the examples that are judged, the best value is optimistic, whatever interval it has; see
    :meth:`ThresholdCurves.best`. Of several folds the legend tells the best point of the mean curve,
    with the standard deviation of the folds there, and in brackets the mean of the folds' own maxima:
    an optimistic number, since each is picked after looking.
    """

    _make: ClassVar[Callable[..., Any]] = _usual_curves
    _anonymous = None

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        mark_best: bool = True,
        intervals: bool = False,
        confidence_level: float = 0.95,
        theory: LinearDensityModel | BinormalModel | None = None,
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
        intervals : bool, default=False
            Whether to draw the interval at every mark, that of :func:`interval_at_threshold`. It is for
            a fixed threshold, and does not cover that the best one was picked on the same examples.
        confidence_level : float, default=0.95
            Of the intervals, in (0, 1).
        theory : LinearDensityModel or BinormalModel, default=None
            A model whose closed forms to draw as thin dotted lines, for metrics without parameters.
        curve_kwargs : dict, default=None
            Keywords of matplotlib's ``plot`` for all curves.
        despine : bool, default=False
            Whether to remove the top and the right spine.

        Returns
        -------
        ThresholdDisplay

        Raises
        ------
        ValueError
            For several classes; for `intervals` of several folds, or of curves made with weights.
        """
        if isinstance(self.curves, Mapping):
            raise ValueError("Metrics against the threshold need two classes; choose pos_label.")
        folds = [self.curves] if isinstance(self.curves, ThresholdCurves) else list(self.curves)
        if intervals and len(folds) > 1:
            raise ValueError(
                f"intervals are those of one sample, found {len(folds)} folds: their marks have the "
                "standard deviation of the folds."
            )
        self._own, self._level = ax is None, confidence_level if intervals else None
        self.ax_, self.figure_ = new_axes(ax, (6.0, 4.2))
        low, high = ends_of(folds)
        self.lines_: dict[str, list[Any]] = {}
        self.mean_: dict[str, Any] = {}
        self.best_: dict[str, Any] = {}
        self.theory_: dict[str, Any] = {}
        name = self.name if name is None else name
        prefix = self._set_apart(name)
        styles = line_styles(self.ax_)
        for number, metric in enumerate(folds[0].values):
            series = MetricSeries(metric, folds, low, high, self._level)
            style = styled(styles(number) | {"drawstyle": "steps-pre"}, curve_kwargs)
            named = self._draw(series, style)
            best = series.best() if mark_best else None
            if best is not None:
                named = self._mark(series.metric, best, style, marker(number))
            named.set_label(prefix + series.label(best))
            if theory is not None:
                self._draw_theory(theory, metric, style["color"], number)
        self._finish((low, high), None if prefix else name, len(folds), despine)
        return self

    def _set_apart(self, name: str | None) -> str:
        """Return what tells these curves from those in the axes, which then get their own name."""
        legend = self.ax_.get_legend()
        others = [line for line in self.ax_.get_lines() if line.get_gid() == "threshold"]
        self._joined = bool(others)
        if not others or name is None or legend is None:
            return ""
        before = legend.get_title().get_text().partition("\n")[0]
        for line in others:
            if before and not line.get_label().startswith(("_", f"{before}: ")):
                line.set_label(f"{before}: {line.get_label()}")
        return f"{name}: "

    def _draw(self, series: MetricSeries, style: dict[str, Any]) -> Any:
        """Draw the curve of a metric, of several folds their mean over a band; return what is named."""
        faint = {"alpha": 0.1, "linewidth": 0.6, "linestyle": "-"}
        look = style | (faint if series.many else {}) | {"label": "_", "gid": "threshold"}
        lines = [self.ax_.plot(*series.steps(fold), **look)[0] for fold in series.folds]
        self.lines_[series.metric] = lines
        if not series.many:
            return lines[0]
        t, mean, sd = series.mean()
        [line] = self.ax_.plot(t, mean, gid="threshold", **style)
        shade = band_style(style["color"])
        self.ax_.fill_between(t, mean - sd, mean + sd, step="pre", **shade)
        self.mean_[series.metric] = line
        return line

    def _mark(self, metric: str, best: Best, style: dict[str, Any], sign: str) -> Any:
        """Mark the best point, with a bar of its interval or of the standard deviation of folds."""
        at = min(best.threshold, self.ax_.dataLim.x1)
        if np.isfinite(best.low):
            ends = [[best.value - best.low], [best.high - best.value]]
            self.ax_.errorbar([at], [best.value], ends, color=style["color"], capsize=3)
        look = {key: entry for key, entry in style.items() if key != "drawstyle"}
        edge = {"markeredgecolor": self.ax_.get_facecolor(), "markersize": 8, "zorder": 3}
        [mark] = self.ax_.plot([at], [best.value], marker=sign, gid="threshold", **edge, **look)
        self.best_[metric] = mark
        return mark

    def _draw_theory(
        self, model: LinearDensityModel | BinormalModel, metric: str, colour: Any, number: int
    ) -> None:
        curves = model.threshold_curves([metric])
        style = {"color": colour, "linestyle": ":", "linewidth": 1.0}
        [self.theory_[metric]] = self.ax_.plot(curves.thresholds, curves[metric], **style)
        self.ax_.plot(
            *np.transpose([model.optimum(metric)]), marker=marker(number), markersize=8,
            markerfacecolor="none", markeredgecolor=colour, linestyle="none", zorder=4,
        )  # fmt: skip

    def _finish(
        self, ends: tuple[float, float], name: str | None, folds: int, despine: bool
    ) -> None:
        before = self.ax_.get_xlim() if self._joined else ends
        self.ax_.set_xlim(min(ends[0], before[0]), max(ends[1], before[1]))
        bounds = [get_metric(metric).metric.bounds for metric in self.lines_]
        if all(least >= -1 and most <= 1 for least, most in bounds):
            drawn = [line.get_ydata() for one in self.lines_.values() for line in one]
            least = np.fmin.reduce(np.concatenate([[0.0], *drawn]))  # 0 where all are undefined
            self.ax_.set_ylim(float(least) - 0.02, 1.03)
        if self.theory_:
            style = {"marker": "o", "markerfacecolor": "none", "linestyle": ":"}
            self.ax_.plot([], [], label="linear-density model", color=muted(self.ax_), **style)
        fit_labels(self.ax_, self._labelled("Threshold"), "Metric")
        if despine:
            despined(self.ax_)
        title = "\n".join(part for part in (name, self._note(folds)) if part) or None
        key(self.ax_, own=self._own, loc="lower center", beside=True, title=title)

    def _note(self, folds: int) -> str:
        """Say what the numbers of the legend are, where they look better than they are."""
        if folds > 1:
            return f"best of the mean \u00b1 sd of {folds} folds\n(mean of fold maxima, optimistic)"
        if self._level is None:
            return ""
        told = f"[{100 * self._level:g} % interval of a fixed threshold]"
        return f"{told}\npicked on the same data: optimistic"
