"""Pictures of metrics against the decision threshold."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from .._arguments import Axes
from .._arrays import Floats
from .._plotting import marker, shown
from .._text.numbers import percent, significant, spread
from ..metrics._registry.names import named_metric
from ..metrics.curves import DensityModel, ThresholdCurves, threshold_curves
from ..metrics.curves._mean import spread_of_heights
from ._curve_display import CurveDisplay, named

_POINTS = 401  # places at which the curves of folds are averaged
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
    estimator_name : str or list of str, default=None
        The same as `name`, as scikit-learn spells it.

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
    :meth:`ThresholdCurves.best`. Of several folds the legend has the best point of their mean curve,
    with the standard deviation of the folds there.
    """

    _make = _usual_curves
    _anonymous, _of_two = None, True
    _style: ClassVar = {"drawstyle": "steps-pre"}
    _bounds = (-np.inf, np.inf)
    size = (6.0, 4.2)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
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
        self._begin(ax, name)
        models = named(self.curves)
        every = np.concatenate([fold.thresholds for _, folds in models for fold in folds])
        low, high = float(every.min()), float(every[np.isfinite(every)].max())
        room = 0.03 * (high - low) or 0.5  # where all, or none, is positive
        self._ends = low - room, high + room
        self._series = {
            metric if len(models) == 1 else (model, metric): [(fold, metric) for fold in folds]
            for model, folds in models
            for metric in folds[0].values
        }
        drawn = self._draw_curves(curve_kwargs, np.linspace(*self._ends, _POINTS))
        self.lines_ = dict(zip(self._series, drawn, strict=True))
        self.mean_ = dict(zip(self._series, self.mean_, strict=False))
        self.best_: dict[Any, Any] = {}
        self.theory_: dict[str, Any] = {}
        for at, [line, *_] in self.lines_.items():
            self._mark_best(at, self.mean_.get(at, line))
        if theory is not None:
            of_metrics = {self._series[at][0][1]: lines[0] for at, lines in self.lines_.items()}
            known = theory.threshold_curves(list(of_metrics))
            for metric, line in of_metrics.items():
                [self.theory_[metric]] = self.ax_.plot(
                    known.thresholds, known[metric], ":", color=line.get_color(), linewidth=1.0,
                    label="_" if self.theory_ else "theory",
                )  # fmt: skip
        self.ax_.set_xlim(self._ends)
        title = None if isinstance(self.curves, Mapping) else self._name
        self._note = "\n".join(filter(None, [title, self._note])) or None
        return self._end(despine, self._labelled("Threshold"), "Metric")

    @classmethod
    def _of_making(cls, options: Mapping[str, Any]) -> dict[str, Any]:
        """All but those of `plot` make the curves, such as parameters of metrics."""
        known = inspect.signature(cls.plot).parameters
        return {key: option for key, option in options.items() if key not in known}

    def _groups(self, _: Any = None) -> list[tuple[str | None, list[Any]]]:
        """Return a curve, or those of the folds, of each metric."""
        return [
            (shown(at) if isinstance(at, str) else f"{at[0]}, {shown(at[1])}", curves)
            for at, curves in self._series.items()
        ]

    def _points(self, curve: tuple[ThresholdCurves, str]) -> tuple[Floats, Floats]:
        """Return rising thresholds and values; a value holds down to the next lower score."""
        fold, metric = curve
        t, values = fold.thresholds[::-1], fold[metric][::-1]
        low, high = self._ends
        return np.append(low, np.minimum(t, high)), np.append(values[0], values)

    def _height(self, curve: tuple[ThresholdCurves, str], x: Floats) -> Floats:
        t, values = self._points(curve)
        return np.asarray(values[np.searchsorted(t, x)])

    def _value(self, curve: tuple[ThresholdCurves, str]) -> float:
        """Return nan where a metric has no value at any threshold: its fold is no part of the mean."""
        fold, metric = curve
        return np.nan if np.isnan(fold[metric]).all() else 0.0

    def _mark_best(self, at: Any, line: Any) -> None:
        """Mark the best point of a curve, or of the mean of folds, and write it into the legend.

        There is none where nothing beats predicting all, or none, positive.
        """
        curves, (t, values) = self._series[at], line.get_data()
        sign = -1 if named_metric(curves[0][1]).row.greater_is_better is False else 1
        worth = np.where(np.isnan(values), -np.inf, sign * values)
        x, y = (array[len(t) - 1 - int(np.argmax(worth[::-1]))] for array in (t, values))
        if np.isnan(y) or y in (values[0], values[-1]):
            return
        held = [curve for curve in curves if not np.isnan(self._value(curve))]
        _, sd = spread_of_heights(np.array([self._height(curve, x) for curve in held])[:, None])
        share = float(np.mean([_share(fold, x) for fold, _ in curves]))
        rows = "" if np.isnan(share) else f", {percent(share)} of rows"
        best = f"best {spread(y, sd[0])} at {significant(x)}{rows}"
        line.set_label(f"{line.get_label()}: {best}")
        look = {
            "color": line.get_color(), "marker": marker(len(self.best_)), "markersize": 8,
            "markeredgecolor": self.ax_.get_facecolor(), "zorder": 3,
        }  # fmt: skip
        [self.best_[at]] = self.ax_.plot([x], [y], **look)


def _share(fold: ThresholdCurves, threshold: float) -> float:
    """Return the share of rows that reach a threshold; nan where the curves are of no rows."""
    if fold.counts is None:
        return np.nan
    place = np.searchsorted(-fold.thresholds, -threshold, side="right") - 1
    return float((fold.counts.predicted_positives / fold.counts.total)[place])
