"""Pictures of metrics against the decision threshold."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from .._arguments import Axes
from .._arrays import Bools, Floats
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
from ..inference import interval
from ..metrics._registry.declare import get_metric, missing_options
from ..metrics.curves import DensityModel, ThresholdCurves, threshold_curves
from ._curve_display import CurveDisplay
from ._sources import Scored

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
    share: float = np.nan  # of the rows that are predicted positive there


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
            return Best(at, height, np.nan, *self._interval(fold), self._share(at))
        t, mean, sd = self.mean()
        mean = np.where(self._all_defined(t), mean, np.nan)
        if np.isnan(mean).all():
            return None
        pick = np.nanargmin if self._low_is_good else np.nanargmax
        at = int(pick(mean))
        if self._trivial(mean, mean[at]):
            return None
        ends = float(mean[at] - sd[at]), float(mean[at] + sd[at])
        return Best(float(t[at]), float(mean[at]), float(sd[at]), *ends, self._share(float(t[at])))

    def _share(self, threshold: float) -> float:
        """Return the share of the rows that is predicted positive, of several folds its mean."""
        counts = [fold.counts_at(threshold) for fold in self.folds if fold.counts is not None]
        shares = [float(each.predicted_positives / each.total) for each in counts]
        return float(np.mean(shares)) if shares else np.nan

    def _interval(self, fold: ThresholdCurves) -> tuple[float, float]:
        """Return the limits of the interval at the best threshold, if requested."""
        named, level = fold.metric(self.metric), self.confidence_level
        if level is None or not named.row.kind.counted:
            return np.nan, np.nan
        at = fold.best(self.metric)[0]
        # A metric with a threshold of its own, such as the net benefit, takes this one.
        own = dict.fromkeys(missing_options(named.function, named.parameters), at)
        found = interval(
            partial(named.function, **named.parameters, **own),
            counts=fold.counts_at(at),
            confidence_level=level,
            zero_division=np.nan,
        )
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
        rows = "" if np.isnan(best.share) else f", {percent(best.share)} of rows"
        at = f"at {significant(best.threshold)}{rows}"
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
        ax: Axes | None = None,
        *,
        name: str | None = None,
        mark_best: bool = True,
        intervals: bool = False,
        confidence_level: float = 0.95,
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
        intervals : bool, default=False
            Whether to draw the interval at every mark, that of :func:`interval`. It is for a threshold
            fixed beforehand, and does not cover that the best one was picked on the same examples.
        confidence_level : float, default=0.95
            Of the intervals, in (0, 1).
        theory : DensityModel, default=None
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
        models = self._models()
        folds = [fold for several in models.values() for fold in several]
        most = max(map(len, models.values()))
        if intervals and most > 1:
            raise ValueError(
                f"intervals are those of one sample, found {most} folds: their marks have the standard "
                "deviation of the folds."
            )
        self._begin(ax, name, (6.0, 4.2))
        self.lines_ = {}
        self.mean_ = {}
        self.best_: dict[Any, Any] = {}
        self.theory_: dict[str, Any] = {}
        styles, ends = line_styles(self.ax_), ends_of(folds)
        series = {
            (model, metric): MetricSeries(
                metric, own, *ends, confidence_level if intervals else None
            )
            for model, own in models.items()
            for metric in own[0].values
        }
        for number, ((model, metric), one) in enumerate(series.items()):
            style = styled(styles(number) | {"drawstyle": "steps-pre"}, curve_kwargs)
            at = (model, metric) if len(models) > 1 else metric
            named = self._draw_series(at, one, style)
            best = one.best() if mark_best else None
            if best is not None:
                named = self._mark_best(at, best, style, marker(number))
            head = f"{model}, " if len(models) > 1 else ""
            named.set_label(legible(head + one.label(best)))
            if theory is not None and metric not in self.theory_:
                self._draw_theory(theory, metric, style["color"], number)
        if theory is not None:
            look = {"marker": "o", "markerfacecolor": "none", "linestyle": ":", "linewidth": 1.0}
            self.ax_.plot([], [], label="theory", color=muted(self.ax_), **look)
        self._limit({metric for _, metric in series}, ends)
        note = _note(most, confidence_level if intervals else None)
        titles = [None if isinstance(self.curves, Mapping) else self._name, note]
        self._note = "\n".join(filter(None, titles)) or None
        return self._end(despine, self._labelled("Threshold"), "Metric")

    @classmethod
    def _drawn(cls, data: Sequence[Scored], **how: Any) -> Self:
        if any(np.ndim(score) > 1 and np.shape(score)[1] > 1 for _, score, _ in data):
            raise ValueError("Metrics against the threshold need two classes; choose pos_label.")
        return super()._drawn(data, **how)

    def _models(self) -> dict[Any, list[ThresholdCurves]]:
        """Return the folds of each model."""
        if isinstance(self.curves, Mapping):
            return {model: _listed(several) for model, several in self.curves.items()}
        return {None: _listed(self.curves)}

    def _draw_series(self, at: Any, series: MetricSeries, style: dict[str, Any]) -> Any:
        """Draw the curve of a metric, or the mean of folds over a band; return the named artist."""
        ax, faint = self.ax_, {"alpha": 0.1, "linewidth": 0.6, "linestyle": "-"}
        look = style | (faint if series.many else {}) | {"label": "_"}
        self.lines_[at] = [ax.plot(*series.steps(fold), **look)[0] for fold in series.folds]
        if not series.many:
            return self.lines_[at][0]
        t, mean, sd = series.mean()
        [self.mean_[at]] = ax.plot(t, mean, **style)
        ax.fill_between(t, mean - sd, mean + sd, step="pre", **band_style(style["color"]))
        return self.mean_[at]

    def _mark_best(self, at: Any, best: Best, style: dict[str, Any], sign: str) -> Any:
        """Mark the best point, with a bar of its interval or of the standard deviation of folds."""
        ax = self.ax_
        x = min(best.threshold, ax.dataLim.x1)
        if np.isfinite(best.low):
            ends = [[best.value - best.low], [best.high - best.value]]
            ax.errorbar([x], [best.value], ends, color=style["color"], capsize=3)
        look = {key: entry for key, entry in style.items() if key != "drawstyle"}
        look |= {
            "markersize": 1.3 * mark_size(ax),
            "markeredgecolor": ax.get_facecolor(),
            "zorder": 3,
        }
        [self.best_[at]] = ax.plot([x], [best.value], marker=sign, **look)
        return self.best_[at]

    def _draw_theory(self, model: DensityModel, metric: str, colour: Any, number: int) -> None:
        curves = model.threshold_curves([metric])
        style = {"color": colour, "linestyle": ":", "linewidth": 1.0}
        [self.theory_[metric]] = self.ax_.plot(curves.thresholds, curves[metric], **style)
        dot = {"marker": marker(number), "markersize": 1.3 * mark_size(self.ax_), "zorder": 4}
        at = np.transpose([model.optimum(metric)])
        self.ax_.plot(*at, markerfacecolor="none", markeredgecolor=colour, linestyle="none", **dot)

    def _limit(self, metrics: Iterable[str], ends: tuple[float, float]) -> None:
        """Set the limits: those of all thresholds, and of metrics in [-1, 1]."""
        bounds = [get_metric(metric).metric.bounds for metric in metrics]
        lines = [*(line for own in self.lines_.values() for line in own), *self.mean_.values()]
        least = np.fmin.reduce(np.concatenate([[0.0], *(line.get_ydata() for line in lines)]))
        self.ax_.set_xlim(ends)
        if all(low >= -1 and high <= 1 for low, high in bounds):
            self.ax_.set_ylim(float(least) - 0.02, 1.03)  # 0 where all are undefined


def _note(folds: int, level: float | None) -> str:
    """Return the caution about numbers that are picked on the same data."""
    if folds > 1:
        return f"best of the mean \u00b1 sd of {folds} folds\n(mean of fold maxima, optimistic)"
    if level is None:
        return ""
    return f"[{100 * level:g} % interval of a fixed threshold]\npicked on the same data: optimistic"


def _listed(curves: Any) -> list[ThresholdCurves]:
    return [curves] if isinstance(curves, ThresholdCurves) else list(curves)
