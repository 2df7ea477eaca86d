"""Pictures of metrics against the decision threshold."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from .._arguments import Axes
from .._arrays import Floats
from .._plotting import (
    band_style,
    legible,
    line_styles,
    mark_size,
    marker,
    muted,
    shown,
    styled,
)
from .._text.numbers import percent, significant, spread, value
from ..metrics._registry.declare import get_metric
from ..metrics.curves import DensityModel, ThresholdCurves, threshold_curves
from ._curve_display import CurveDisplay, named
from ._sources import Scored

_POINTS = 401  # places at which the curves of folds are averaged


class Best(NamedTuple):
    """Where a metric is best, of several folds where their mean is, and their deviation there."""

    threshold: float
    value: float
    sd: float
    share: float  # of the rows that are predicted positive there


@dataclass(frozen=True, eq=False)
class MetricSeries:
    """A metric over thresholds from low to high, of one or several folds."""

    metric: str
    folds: Sequence[ThresholdCurves]
    low: float
    high: float

    def steps(self, fold: ThresholdCurves) -> tuple[Floats, Floats]:
        """Return thresholds and values from low to high; a value holds down to the next lower score."""
        t, values = fold.thresholds[::-1], fold[self.metric][::-1]
        t = np.where(np.isinf(t), self.high, t)
        return np.append(self.low, t), np.append(values[0], values)

    def table(self) -> tuple[Floats, Floats]:
        """Return thresholds, and the values there, a row a fold."""
        if len(self.folds) == 1:
            t, values = self.steps(self.folds[0])
            return t, values[None]
        grid = np.linspace(self.low, self.high, _POINTS)
        rows = []
        for t, values in map(self.steps, self.folds):
            rows.append(values[np.minimum(np.searchsorted(t, grid, side="left"), len(t) - 1)])
        return grid, np.array(rows)

    def best(self) -> Best | None:
        """Return the best point; None where nothing beats calling all, or none, positive."""
        t, table = self.table()
        held = ~np.isnan(table)
        # A mean of the folds that are defined there may be better than the best of each.
        everywhere = held[held.any(axis=1)].all(axis=0) & held.any(axis=0)
        if not everywhere.any():
            return None
        mean, sd = _moments(table)
        sign = -1 if get_metric(self.metric).metric.greater_is_better is False else 1
        at = len(t) - 1 - int(np.argmax(np.where(everywhere, sign * mean, -np.inf)[::-1]))
        if mean[at] in (mean[0], mean[-1]):
            return None
        counts = [fold.counts_at(t[at]) for fold in self.folds if fold.counts is not None]
        shares = [float(each.predicted_positives / each.total) for each in counts]
        share = float(np.mean(shares)) if shares else np.nan
        return Best(float(t[at]), float(mean[at]), float(sd[at]), share)

    def label(self, best: Best | None) -> str:
        """Return the text of the best value and threshold, with the mean of the best values by fold."""
        if best is None:
            return shown(self.metric)
        rows = "" if np.isnan(best.share) else f", {percent(best.share)} of rows"
        at = f"at {significant(best.threshold)}{rows}"
        if len(self.folds) == 1:
            return f"{shown(self.metric)}: best {value(best.value)} {at}"
        own = np.nanmean([fold.best(self.metric)[1] for fold in self.folds])
        return f"{shown(self.metric)}: {spread(best.value, best.sd)} {at} ({value(own)})"


def _moments(table: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of the folds that are defined, nan where none is."""
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):
        return np.nanmean(table, axis=0), np.nanstd(table, axis=0, ddof=1)


def ends_of(folds: Sequence[ThresholdCurves]) -> tuple[float, float]:
    """Return the range of the thresholds, with a little room where all, or none, is positive."""
    finite = np.concatenate([fold.thresholds[np.isfinite(fold.thresholds)] for fold in folds])
    low, high = float(finite.min()), float(finite.max())
    room = 0.03 * (high - low) or 0.5
    return low - room, high + room


_USUAL = ("recall", "specificity", "precision", "f1", "matthews_corrcoef")


def _usual_curves(
    y_true: Any, y_score: Any, metrics: Any = None, **options: Any
) -> ThresholdCurves:
    return threshold_curves(y_true, y_score, metrics or _USUAL, **options)


class ThresholdDisplay(CurveDisplay):
    """Picture of metrics of the confusion table against the threshold, with the best of each.

    Make it by ``from_estimator``, ``from_predictions`` or ``from_cv_results``, which take the keywords
    of ``plot`` and of :func:`threshold_curves` too (``metrics``, by default recall, specificity,
    precision, F1 and MCC; ``beta``, ``cost``), or from curves. Of several classes `pos_label` chooses
    one. The legend has every curve: its best value, the threshold there and the share of the rows that
    is predicted positive.

    Parameters
    ----------
    curves : ThresholdCurves, list of ThresholdCurves, or dict from str to either
        One record of curves, or one a fold; or those of several models by name.
    name : str, default=None
        Title of the legend.
    pos_label : int, float, bool or str, default=None
        The positive class, named on the axis.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    lines_ : dict from str to list of Line2D
        The curves of each metric, one a fold. Of several models the keys of these dicts are pairs of
        model and metric.
    mean_ : dict from str to Line2D
        Of several folds the mean curve of each metric, over a band of one standard deviation.
    best_ : dict from str to Line2D
        The mark of the best threshold of each metric, of several folds that of the mean curve. None is
        marked where nothing beats calling all, or none, positive.
    theory_ : dict from str to Line2D
        The closed forms of a model; empty if none is given.

    Examples
    --------
    >>> from skaucx.displays import ThresholdDisplay
    >>> display = ThresholdDisplay.from_predictions(
    ...     [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], metrics=["recall", "f1"]
    ... )
    >>> [text.get_text() for text in display.ax_.get_legend().get_texts()]
    ['recall', 'F1: best 0.80 at 0.35, 75.0 % of rows']

    Notes
    -----
    The best value is optimistic, because the threshold is chosen on the same examples; see
    :meth:`ThresholdCurves.best`. For several folds the legend shows the best point of the mean
    curve, with the standard deviation of the folds there, and in brackets the mean of the folds'
    own maxima: an optimistic number, since each is picked after looking.
    """

    _make: ClassVar[Callable[..., Any]] = _usual_curves
    _anonymous = None

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        mark_best: bool = True,
        theory: DensityModel | None = None,
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
        theory : DensityModel, default=None
            A model whose closed forms to draw as thin dotted lines, for metrics without parameters.
        curve_kwargs : dict, default=None
            Keywords of matplotlib's ``plot`` for all curves.
        despine : bool, default=False
            Whether to remove the top and the right spine.

        Returns
        -------
        ThresholdDisplay
        """
        self._begin(ax, name, (6.0, 4.2))
        models = named(self.curves)
        ends = ends_of([fold for _, several in models for fold in several])
        self.lines_, self.mean_ = {}, {}
        self.best_: dict[Any, Any] = {}
        self.theory_: dict[str, Any] = {}
        styles, number = line_styles(self.ax_), 0
        for model, folds in models:
            for metric in folds[0].values:
                style = styled(styles(number) | {"drawstyle": "steps-pre"}, curve_kwargs)
                at = metric if len(models) == 1 else (model, metric)
                head = "" if len(models) == 1 else f"{model}, "
                series, sign = MetricSeries(metric, folds, *ends), marker(number)
                best = series.best() if mark_best else None
                style["label"] = legible(head + series.label(best))
                self._draw_series(at, series, best, style, sign)
                if theory is not None and metric not in self.theory_:
                    self._draw_theory(theory, metric, style["color"], sign)
                number += 1
        if theory is not None:
            look = {"marker": "o", "markerfacecolor": "none", "linestyle": ":", "linewidth": 1.0}
            self.ax_.plot([], [], label="theory", color=muted(self.ax_), **look)
        self._limit(ends)
        most = max(len(folds) for _, folds in models)
        note = f"best of the mean \u00b1 sd of {most} folds\n(mean of fold maxima, optimistic)"
        titles = [None if isinstance(self.curves, Mapping) else self._name]
        self._note = "\n".join(filter(None, [*titles, note if most > 1 else None])) or None
        return self._end(despine, self._labelled("Threshold"), "Metric")

    @classmethod
    def _drawn(cls, data: Sequence[Scored], **how: Any) -> Self:
        if any(np.ndim(score) > 1 and np.shape(score)[1] > 1 for _, score, _ in data):
            raise ValueError("Metrics against the threshold need two classes; choose pos_label.")
        return super()._drawn(data, **how)

    def _draw_series(
        self, at: Any, series: MetricSeries, best: Best | None, style: dict[str, Any], sign: str
    ) -> None:
        """Draw the curve of a metric, or the mean of folds over a band, and mark the best point."""
        ax, label = self.ax_, style["label"]
        style = style | {"label": "_"}
        look = style
        if len(series.folds) > 1:
            look = style | {"alpha": 0.1, "linewidth": 0.6, "linestyle": "-"}
        self.lines_[at] = [ax.plot(*series.steps(fold), **look)[0] for fold in series.folds]
        line = self.lines_[at][0]
        if len(series.folds) > 1:
            t, table = series.table()
            mean, sd = _moments(table)
            [line] = ax.plot(t, mean, **style)
            self.mean_[at] = line
            ax.fill_between(t, mean - sd, mean + sd, step="pre", **band_style(style["color"]))
        if best is not None:
            look = {k: v for k, v in style.items() if k != "drawstyle"}
            look |= {"markersize": 1.3 * mark_size(ax), "markeredgecolor": ax.get_facecolor()}
            if len(series.folds) > 1:
                at_best = [best.threshold], [best.value], best.sd
                ax.errorbar(*at_best, color=style["color"], capsize=3)
            [line] = ax.plot([best.threshold], [best.value], marker=sign, zorder=3, **look)
            self.best_[at] = line
        line.set_label(label)

    def _draw_theory(self, model: DensityModel, metric: str, colour: Any, sign: str) -> None:
        """Draw the closed form of a metric, and its optimum."""
        curves = model.threshold_curves([metric])
        style = {"color": colour, "linestyle": ":", "linewidth": 1.0}
        [self.theory_[metric]] = self.ax_.plot(curves.thresholds, curves[metric], **style)
        dot = {"marker": sign, "markersize": 1.3 * mark_size(self.ax_), "zorder": 4}
        at = np.transpose([model.optimum(metric)])
        self.ax_.plot(*at, markerfacecolor="none", markeredgecolor=colour, linestyle="none", **dot)

    def _limit(self, ends: tuple[float, float]) -> None:
        """Show all thresholds and, of metrics in [-1, 1], the values from 0, or the least, to 1."""
        self.ax_.set_xlim(ends)
        heights = [line.get_ydata() for lines in self.lines_.values() for line in lines]
        drawn = np.concatenate([[0.0], *heights])
        if np.nanmax(np.abs(drawn)) <= 1:
            self.ax_.set_ylim(np.nanmin(drawn) - 0.02, 1.03)
