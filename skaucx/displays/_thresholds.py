"""Pictures of metrics against the decision threshold."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from .._arrays import Bools, Floats
from .._plotting import (
    band_style,
    fit_labels,
    line_styles,
    mark_size,
    marker,
    muted,
    shown,
    styled,
)
from .._text.numbers import significant, spread, value
from ..inference import interval_at_threshold
from ..metrics._registry.declare import get_metric
from ..metrics.curves import BinormalModel, LinearDensityModel, ThresholdCurves, threshold_curves
from ._sources import CurveSources

_POINTS = 401  # places at which the curves of folds are averaged


@dataclass(frozen=True, eq=False)
class Best:
    """Where a metric is best; of several folds, where their mean is.

    `low` and `high` are the ends of its interval, of several folds one standard deviation away; nan
    without.
    """

    threshold: float
    value: float
    sd: float = np.nan
    low: float = np.nan
    high: float = np.nan


@dataclass(frozen=True, eq=False)
class MetricSeries:
    """A metric over thresholds from low to high, of one or several folds."""

    metric: str
    folds: Sequence[ThresholdCurves]
    low: float
    high: float
    confidence_level: float | None = None

    @property
    def many(self) -> bool:
        """Whether there are several folds."""
        return len(self.folds) > 1

    def steps(self, fold: ThresholdCurves) -> tuple[Floats, Floats]:
        """Return thresholds and values from low to high; a value holds down to the next lower score."""
        t, values = fold.thresholds[::-1], fold[self.metric][::-1]
        t = np.where(np.isinf(t), self.high, t)
        return np.append(self.low, t), np.append(values[0], values)

    def mean(self) -> tuple[Floats, Floats, Floats]:
        """Return thresholds, and mean and standard deviation of the folds there."""
        grid = np.linspace(self.low, self.high, _POINTS)
        table = np.array([self._at(fold, grid) for fold in self.folds])
        # nan where no fold is defined
        with warnings.catch_warnings(action="ignore", category=RuntimeWarning):
            return grid, np.nanmean(table, axis=0), np.nanstd(table, axis=0, ddof=1)

    def _all_defined(self, grid: Floats) -> Bools:
        """Return where each fold is defined that is so anywhere: a mean of few may top all maxima."""
        table = np.array([self._at(fold, grid) for fold in self.folds])
        held = ~np.isnan(table)
        return np.asarray(held[held.any(axis=1)].all(axis=0))

    def _at(self, fold: ThresholdCurves, grid: Floats) -> Floats:
        t, values = self.steps(fold)
        return values[np.minimum(np.searchsorted(t, grid, side="left"), len(t) - 1)]

    def best(self) -> Best | None:
        """Return the best point; None where nothing beats calling all, or none, positive."""
        if not self.many:
            [fold] = self.folds
            at, height = fold.best(self.metric)
            if self._trivial(fold[self.metric], height):
                return None
            return Best(at, height, np.nan, *self._interval(fold))
        t, mean, sd = self.mean()
        mean = np.where(self._all_defined(t), mean, np.nan)
        if np.isnan(mean).all():
            return None
        pick = np.nanargmin if self._low_is_good else np.nanargmax
        at = int(pick(mean))
        if self._trivial(mean, mean[at]):
            return None
        ends = float(mean[at] - sd[at]), float(mean[at] + sd[at])
        return Best(float(t[at]), float(mean[at]), float(sd[at]), *ends)

    def _interval(self, fold: ThresholdCurves) -> tuple[float, float]:
        """Return the limits of the interval at the best threshold, if requested."""
        if self.confidence_level is None or not fold.metric(self.metric).row.kind.counted:
            return np.nan, np.nan
        level = self.confidence_level
        found = interval_at_threshold(fold, self.metric, confidence_level=level)
        return float(found.low), float(found.high)

    @property
    def _low_is_good(self) -> bool:
        return get_metric(self.metric).metric.greater_is_better is False

    @staticmethod
    def _trivial(curve: Floats, best: float) -> bool:
        return bool(np.isnan(best) or best in (curve[0], curve[-1]))

    def label(self, best: Best | None) -> str:
        """Return the text of the best value and threshold, with the mean of the best values by fold."""
        if best is None:
            return shown(self.metric)
        at = f"at {significant(best.threshold)}"
        if not self.many:
            ends = f" [{value(best.low)}, {value(best.high)}]" if np.isfinite(best.low) else ""
            return f"{shown(self.metric)}: best {value(best.value)}{ends} {at}"
        own = np.nanmean([fold.best(self.metric)[1] for fold in self.folds])
        text = spread(best.value, best.sd)
        return f"{shown(self.metric)}: {text} {at} ({value(own)})"


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
    >>> from skaucx.displays import ThresholdDisplay
    >>> display = ThresholdDisplay.from_predictions(
    ...     [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], metrics=["recall", "f1"]
    ... )
    >>> [text.get_text() for text in display.ax_.get_legend().get_texts()]
    ['recall', 'F1: best 0.80 at 0.35']

    Notes
    -----
    The best value is optimistic, because the threshold is chosen on the same examples, whatever
    interval it has; see
    :meth:`ThresholdCurves.best`. For several folds the legend shows the best point of the mean
    curve, with the standard deviation of the folds there, and in brackets the mean of the folds'
    own maxima: an optimistic number, since each is picked after looking.
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
                f"intervals are those of one sample, found {len(folds)} folds: their marks have "
                f"the "
                "standard deviation of the folds."
            )
        self._begin(ax, name, (6.0, 4.2))
        self._level = confidence_level if intervals else None
        low, high = ends_of(folds)
        self.lines_: dict[str, list[Any]] = {}
        self.mean_: dict[str, Any] = {}
        self.best_: dict[str, Any] = {}
        self.theory_: dict[str, Any] = {}
        prefix = self._set_apart(self._name)
        styles = line_styles(self.ax_)
        for number, metric in enumerate(folds[0].values):
            series = MetricSeries(metric, folds, low, high, self._level)
            style = styled(styles(number) | {"drawstyle": "steps-pre"}, curve_kwargs)
            named = self._draw_series(series, style)
            best = series.best() if mark_best else None
            if best is not None:
                named = self._mark(series.metric, best, style, marker(number))
            named.set_label(prefix + series.label(best))
            if theory is not None:
                self._draw_theory(theory, metric, style["color"], number)
        return self._finish((low, high), None if prefix else self._name, len(folds), despine)

    def _set_apart(self, name: str | None) -> str:
        """Return the name that distinguishes these curves from others in the axes."""
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

    def _draw_series(self, series: MetricSeries, style: dict[str, Any]) -> Any:
        """Draw the curve of a metric, or the mean of folds over a band; return the named artist."""
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
        edge = {"markeredgecolor": self.ax_.get_facecolor(), "zorder": 3}
        look["markersize"] = 1.3 * mark_size(self.ax_)
        [mark] = self.ax_.plot([at], [best.value], marker=sign, gid="threshold", **edge, **look)
        self.best_[metric] = mark
        return mark

    def _draw_theory(
        self, model: LinearDensityModel | BinormalModel, metric: str, colour: Any, number: int
    ) -> None:
        curves = model.threshold_curves([metric])
        style = {"color": colour, "linestyle": ":", "linewidth": 1.0}
        [self.theory_[metric]] = self.ax_.plot(curves.thresholds, curves[metric], **style)
        dot = {"marker": marker(number), "markersize": 1.3 * mark_size(self.ax_), "zorder": 4}
        at = np.transpose([model.optimum(metric)])
        self.ax_.plot(*at, markerfacecolor="none", markeredgecolor=colour, linestyle="none", **dot)

    def _finish(
        self, ends: tuple[float, float], name: str | None, folds: int, despine: bool
    ) -> Self:
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
        title = "\n".join(part for part in (name, self._note(folds)) if part) or None
        return self._end(despine, {"loc": "lower center", "beside": True, "title": title})

    def _note(self, folds: int) -> str:
        """Return the caution about optimistic numbers in the legend."""
        if folds > 1:
            return f"best of the mean \u00b1 sd of {folds} folds\n(mean of fold maxima, optimistic)"
        if self._level is None:
            return ""
        text = f"[{100 * self._level:g} % interval of a fixed threshold]"
        return f"{text}\npicked on the same data: optimistic"
