"""Pictures of metrics against the decision threshold."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from .._arguments import Axes
from .._arrays import Bools, Floats
from .._plotting import (
    band_style,
    blank,
    divided,
    fit_labels,
    inches,
    key,
    legible,
    line_styles,
    mark_size,
    marker,
    muted,
    shown,
    styled,
)
from .._text.numbers import significant, spread, value
from ..inference import interval
from ..metrics._registry.declare import get_metric, missing_options
from ..metrics.curves import DensityModel, ThresholdCurves, threshold_curves
from ._sources import CurveSources, Scored

_POINTS = 401  # places at which the curves of folds are averaged
_COLUMNS = 3  # of panels in a figure of ours


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
    one. Several models, given together or drawn one after the other into the same axes, have a panel
    a metric, in which a model keeps its colour; given axes are divided.

    Parameters
    ----------
    curves : ThresholdCurves, list of ThresholdCurves, or dict from str to either
        One record of curves, or one a fold; or those of several models by name.
    name : str, default=None
        Title of the legend; of several models the name in the legend.
    pos_label : int, float, bool or str, default=None
        The positive class, named on the axis.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    axes_ : list of matplotlib Axes
        Of several models the panels, the first of which is ``ax_``.
    lines_ : dict from str to list of Line2D
        The curves of each metric, one a fold. Of several models the keys of these dicts are pairs of
        model and metric, and the curves of folds are their mean alone.
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
        models = self._models(name)
        if intervals and max(map(len, models.values())) > 1:
            raise ValueError(
                f"intervals are those of one sample, found {max(map(len, models.values()))} folds: "
                "their marks have the standard deviation of the folds."
            )
        self._begin(ax, name, _size(models))
        earlier = next((a for a in self.ax_.artists if hasattr(a, "models")), None)
        drawn = _Drawn(models, confidence_level if intervals else None)
        if earlier is not None:
            drawn.join(earlier.models)
        axes = drawn.axes_for(self.ax_, self._own)
        self._several = len(drawn.models) > 1
        self.axes_ = axes if self._several else ()
        self._level = drawn.level
        self.lines_: dict[Any, list[Any]] = {}
        self.mean_: dict[Any, Any] = {}
        self.best_: dict[Any, Any] = {}
        self.theory_: dict[str, Any] = {}
        before = {child for one in axes for child in one.get_children()}
        styles = line_styles(self.ax_)
        for number, metric in enumerate(drawn.metrics):
            part = axes[number % len(axes)]
            for place, (model, folds) in enumerate(drawn.models.items()):
                if metric not in folds[0].values:
                    continue
                series = MetricSeries(metric, folds, *drawn.ends, self._level)
                look = styles(place if self._several else number) | {"drawstyle": "steps-pre"}
                style, at = styled(look, curve_kwargs), (model, metric) if self._several else metric
                named = self._draw_series(part, at, series, style, drawn.banded)
                best = series.best() if mark_best else None
                if best is not None:
                    sign = marker(place if self._several else number)
                    mark = self._mark(part, at, best, style, sign, drawn.banded)
                    named = named if self._several else mark
                named.set_label(legible(str(model)) if self._several else series.label(best))
            if theory is not None:
                colour = muted(part) if self._several else style["color"]
                self._draw_theory(part, theory, metric, colour, number)
        if theory is not None:
            look = {"marker": "o", "markerfacecolor": "none", "linestyle": ":", "linewidth": 1.0}
            self.ax_.plot([], [], label="theory", color=muted(self.ax_), **look)
        self._finish(drawn, axes)
        drawn.artists = [c for one in axes for c in one.get_children() if c not in before]
        drawn.keep(self.ax_)
        title = self._heading(drawn)
        # Models are named in a free part, or else next to the last panel of the first row.
        if drawn.free is None:
            key(axes[drawn.columns - 1], own=self._own, title=title, of=self.ax_)
        else:
            key(drawn.free, own=False, title=title, of=self.ax_, within=True)
        return self._end(despine)

    @classmethod
    def _drawn(cls, data: Sequence[Scored], **how: Any) -> Self:
        if any(np.ndim(score) > 1 and np.shape(score)[1] > 1 for _, score, _ in data):
            raise ValueError("Metrics against the threshold need two classes; choose pos_label.")
        return super()._drawn(data, **how)

    def _models(self, name: str | None) -> dict[Any, list[ThresholdCurves]]:
        """Return the folds of each model."""
        if isinstance(self.curves, Mapping):
            return {model: _listed(several) for model, several in self.curves.items()}
        return {self.name if name is None else name: _listed(self.curves)}

    def _draw_series(
        self, ax: Any, at: Any, series: MetricSeries, style: dict[str, Any], banded: bool
    ) -> Any:
        """Draw the curve of a metric, or the mean of folds over a band; return the named artist."""
        faint = {"alpha": 0.1, "linewidth": 0.6, "linestyle": "-"}
        look = style | (faint if series.many else {}) | {"label": "_", "gid": "threshold"}
        # Of several models the folds are not drawn.
        shown_folds = series.folds if not (self._several and series.many) else ()
        self.lines_[at] = [ax.plot(*series.steps(fold), **look)[0] for fold in shown_folds]
        if not series.many:
            return self.lines_[at][0]
        t, mean, sd = series.mean()
        [self.mean_[at]] = ax.plot(t, mean, gid="threshold", **style)
        if banded:
            ax.fill_between(t, mean - sd, mean + sd, step="pre", **band_style(style["color"]))
        return self.mean_[at]

    def _mark(
        self, ax: Any, at: Any, best: Best, style: dict[str, Any], sign: str, banded: bool
    ) -> Any:
        """Mark the best point, with a bar of its interval or of the standard deviation of folds."""
        x = min(best.threshold, ax.dataLim.x1)
        if banded and np.isfinite(best.low):
            ends = [[best.value - best.low], [best.high - best.value]]
            ax.errorbar([x], [best.value], ends, color=style["color"], capsize=3)
        look = {key: entry for key, entry in style.items() if key != "drawstyle"}
        edge = {"markeredgecolor": ax.get_facecolor(), "zorder": 3}
        look["markersize"] = 1.3 * mark_size(ax)
        [mark] = ax.plot([x], [best.value], marker=sign, gid="threshold", **edge, **look)
        self.best_[at] = mark
        return mark

    def _draw_theory(self, ax: Any, model: DensityModel, metric: str, colour: Any, k: int) -> None:
        curves = model.threshold_curves([metric])
        style = {"color": colour, "linestyle": ":", "linewidth": 1.0}
        [self.theory_[metric]] = ax.plot(curves.thresholds, curves[metric], **style)
        dot = {"marker": marker(k), "markersize": 1.3 * mark_size(ax), "zorder": 4}
        at = np.transpose([model.optimum(metric)])
        ax.plot(*at, markerfacecolor="none", markeredgecolor=colour, linestyle="none", **dot)

    def _finish(self, drawn: _Drawn, axes: Sequence[Any]) -> None:
        """Set the limits, the same in all panels, and name the axes."""
        bounds = [get_metric(metric).metric.bounds for metric in drawn.metrics]
        lines = [*(line for own in self.lines_.values() for line in own), *self.mean_.values()]
        least = np.fmin.reduce(np.concatenate([[0.0], *(line.get_ydata() for line in lines)]))
        across = self._labelled("Threshold")
        for number, ax in enumerate(axes):
            ax.set_xlim(drawn.ends)
            if all(low >= -1 and high <= 1 for low, high in bounds):
                ax.set_ylim(float(least) - 0.02, 1.03)  # 0 where all are undefined
            last = number + drawn.columns >= len(axes)
            height = shown(drawn.metrics[number]) if self._several else "Metric"
            fit_labels(
                ax, across if number == len(axes) - 1 else "Threshold" if last else "", height
            )

    def _heading(self, drawn: _Drawn) -> str | None:
        """Return the name of a single model, with the caution about optimistic numbers."""
        name = None if self._several else self._name
        return "\n".join(part for part in (name, self._note(drawn)) if part) or None

    def _note(self, drawn: _Drawn) -> str:
        folds = max(map(len, drawn.models.values()))
        if folds > 1:
            return (
                f"mean \u00b1 sd of {folds} folds" if self._several and drawn.banded else
                "mean of folds" if self._several else
                f"best of the mean \u00b1 sd of {folds} folds\n(mean of fold maxima, optimistic)"
            )  # fmt: skip
        if self._level is None:
            return ""
        text = f"[{100 * self._level:g} % interval of a fixed threshold]"
        return f"{text}\npicked on the same data: optimistic"


@dataclass(eq=False)
class _Drawn:
    """What axes show: the folds of each model, the panels and all that is drawn in them."""

    models: dict[Any, list[ThresholdCurves]]
    level: float | None
    axes: Sequence[Any] = ()
    free: Any = None
    artists: Sequence[Any] = ()
    spec: Any = None
    columns: int = 1

    def join(self, earlier: _Drawn) -> None:
        """Add models to those drawn before, which are taken away to be drawn anew."""
        for artist in earlier.artists:
            if artist.axes is not None:
                artist.remove()
        for one in [*earlier.axes, *filter(None, [earlier.free])]:
            if one.get_legend() is not None:
                one.get_legend().remove()
        own, self.models = self.models, dict(earlier.models)
        for name, folds in own.items():
            again = folds == self.models.get(name)  # the same ones, drawn again
            taken = name is None or (name in self.models and not again)
            number = len(self.models) + 1
            self.models[name if again or not taken else f"{name or 'model'} {number}"] = folds
        if None in self.models and len(self.models) > 1:
            self.models = {name or "model 1": folds for name, folds in self.models.items()}
        self.level = earlier.level if self.level is None else self.level
        self.axes, self.free = earlier.axes, earlier.free
        self.spec, self.columns = earlier.spec, earlier.columns

    @property
    def metrics(self) -> list[str]:
        """The metrics of any of the models."""
        return list(
            dict.fromkeys(name for folds in self.models.values() for name in folds[0].values)
        )

    @property
    def ends(self) -> tuple[float, float]:
        """The range of the thresholds of all models."""
        return ends_of([fold for folds in self.models.values() for fold in folds])

    @property
    def banded(self) -> bool:
        """Whether every model has a standard deviation of folds or an interval, or none has."""
        return len({len(folds) > 1 for folds in self.models.values()}) == 1

    def axes_for(self, ax: Any, own: bool) -> Sequence[Any]:
        """Return the axes, divided into a panel a metric where there are several models."""
        count = len(self.metrics) if len(self.models) > 1 else 1
        if len(self.axes) != count:
            for one in [*self.axes[1:], *filter(None, [self.free])]:
                one.remove()
            self.spec = ax.get_subplotspec() if self.spec is None else self.spec
            if self.spec is not None:
                ax.set_subplotspec(self.spec)
            wide, high = inches(ax)
            fitting = _COLUMNS if own else round(np.sqrt(count * wide / high))
            self.columns = int(np.clip(fitting, 1, count))
            rows = -(-count // self.columns)
            axes = divided(ax, [1.0] * rows, self.columns)
            for one in axes[count + 1 :]:
                one.remove()
            self.axes, self.free = axes[:count], next(iter(axes[count:]), None)
            if self.free is not None:
                blank(self.free)
        return self.axes

    def keep(self, ax: Any) -> None:
        """Have the axes hold the record, for the models that are added to them."""
        from matplotlib.artist import Artist

        holder = Artist()
        holder.models = self  # type: ignore[attr-defined]
        holder.set_in_layout(False)
        ax.add_artist(holder)
        self.artists = [*self.artists, holder]


def _size(models: Mapping[Any, Sequence[ThresholdCurves]]) -> tuple[float, float]:
    """Return the size of a figure of one model, or of a panel a metric."""
    if len(models) == 1:
        return 6.0, 4.2
    count = len(next(iter(models.values()))[0].values)
    return 3.0 * min(_COLUMNS, count), 2.5 * -(-count // _COLUMNS)


def _listed(curves: Any) -> list[ThresholdCurves]:
    return [curves] if isinstance(curves, ThresholdCurves) else list(curves)
