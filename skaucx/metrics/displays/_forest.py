"""Forests: estimates with their intervals, a row a metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np

from ..._plotting import (
    despined,
    entitle,
    fit_labels,
    inches,
    key,
    line_styles,
    marker,
    name_rows,
    new_axes,
    share_of_rows,
    shown,
    text_width,
    widen,
)
from ..._text.numbers import value
from .._evaluation.grouped import GroupedEvaluation
from .._evaluation.result import Evaluation
from ..estimation._pooling import SiteEvaluation

_ROW, _MODEL = 0.34, 0.2  # inches: of a metric, and of a further model
_MOST = 4  # names in a line of the legend
_SAMPLE = 6.0  # letters high: a mark in the legend with the gaps about it
_STEP, _SPREAD = 0.24, 0.7  # of a row: from model to model, and of all of them at most


class ForestDisplay:
    """Picture of intervals: a row a metric, a mark a model, a line from one end to the other.

    Make it by `from_intervals` or `from_evaluation`; results of nested runs draw theirs by
    ``plot_intervals``.

    Parameters
    ----------
    intervals : dict of str to dict of str to Interval
        For each model the intervals by metric; anything with ``estimate``, ``low`` and ``high`` will
        do. An interval of a metric of every class has one row a class.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    marks_ : dict from str to Line2D
        The estimates of each model.
    rows_ : list of str
        The names of the rows.

    Examples
    --------
    >>> from skaucx.metrics import intervals
    >>> from skaucx.metrics.displays import ForestDisplay
    >>> y_true, y_pred = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 0]
    >>> found = intervals(["recall", "specificity"], y_true, y_pred)
    >>> ForestDisplay.from_intervals(found).rows_
    ['recall', 'specificity']
    """

    diamond_: Any  # of the pooled value, where one is drawn

    def __init__(self, intervals: Mapping[str, Mapping[str, Any]]) -> None:
        self.intervals = {model: dict(found) for model, found in intervals.items()}
        if not any(self.intervals.values()):
            raise ValueError("intervals must hold one interval at least, found none.")

    @classmethod
    def from_intervals(
        cls, intervals: Mapping[str, Any], *, ax: Any = None, **options: Any
    ) -> Self:
        """Draw intervals of one model by metric, or of several models.

        Parameters
        ----------
        intervals : dict of str to Interval, or dict of str to dict of str to Interval
            As :func:`intervals` returns them, or such a dict for each model.
        ax : matplotlib Axes, default=None
            New ones if None.
        **options
            Keywords of `plot`.

        Returns
        -------
        ForestDisplay
        """
        one = any(hasattr(found, "estimate") for found in intervals.values())
        return cls({"": intervals} if one else intervals).plot(ax, **options)

    @classmethod
    def from_evaluation(
        cls, evaluation: Evaluation | GroupedEvaluation, *, ax: Any = None, **options: Any
    ) -> Self:
        """Draw the intervals of an evaluation; of one by groups, a mark a group.

        Parameters
        ----------
        evaluation : Evaluation or GroupedEvaluation
            As :func:`evaluate` returns it with ``intervals=True``.
        ax : matplotlib Axes, default=None
            New ones if None.
        **options
            Keywords of `plot`.

        Returns
        -------
        ForestDisplay

        Raises
        ------
        ValueError
            If the evaluation has no intervals.
        """
        if isinstance(evaluation, GroupedEvaluation):
            found = {name: own.intervals for name, own in evaluation.named().items()}
        else:
            found = {"": evaluation.intervals}
        if not all(found.values()):
            raise ValueError("The evaluation has no intervals; call evaluate with intervals=True.")
        return cls(found).plot(ax, **options)

    @classmethod
    def from_sites(
        cls, found: SiteEvaluation, metric: str, *, ax: Any = None, **options: Any
    ) -> Self:
        """Draw a metric at every site, with the pooled value as a diamond and where a new site lies.

        Parameters
        ----------
        found : SiteEvaluation
            As :func:`evaluate_sites` returns it.
        metric : str
            One of its metrics.
        ax : matplotlib Axes, default=None
            New ones if None.
        **options
            Keywords of `plot`.

        Returns
        -------
        ForestDisplay

        Raises
        ------
        ValueError
            If no site has the metric.
        """
        if not found.intervals.get(metric):
            known = [name for name, sites in found.intervals.items() if sites]
            raise ValueError(f"metric must be one of {known}, found {metric!r}.")
        pooled = found.pooled[metric]
        new = replace(pooled, low=pooled.prediction_low, high=pooled.prediction_high)
        rows = {**found.intervals[metric], "pooled": pooled}
        drawn = cls({"": rows | ({} if np.isnan(new.low) else {"new site": new})}).plot(
            ax, **options
        )
        at = drawn.rows_.index(shown("pooled"))
        across = [pooled.low, pooled.estimate, pooled.high, pooled.estimate]
        drawn.diamond_ = drawn.ax_.fill(
            across, [at, at - _STEP, at, at + _STEP], color=drawn.marks_[""].get_color()
        )[0]
        return drawn

    def plot(self, ax: Any = None, *, name: str | None = None, despine: bool = False) -> Self:
        """Draw the intervals.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New ones if None; new axes show the numbers at the side.
        name : str, default=None
            Title.
        despine : bool, default=False
            Whether to remove the top and the right spine.

        Returns
        -------
        ForestDisplay
        """
        ends = {model: _ends(found) for model, found in self.intervals.items()}
        self.rows_ = list(dict.fromkeys(row for found in ends.values() for row in found))
        high = 0.9 + len(self.rows_) * (_ROW + _MODEL * (len(ends) - 1))
        self.ax_, self.figure_ = new_axes(ax, (5.2, high))
        styles, shifts = line_styles(self.ax_), _shifts(len(ends))
        self.marks_: dict[str, Any] = {}
        for number, (model, found) in enumerate(ends.items()):
            at = [self.rows_.index(row) + shifts[number] for row in found]
            self._draw(model, at, list(found.values()), styles(number)["color"], number)
        name_rows(self.ax_, self.rows_, own=ax is None)
        fit_labels(self.ax_, self._told)
        entitle(self.ax_, name)
        if despine:
            despined(self.ax_)
        if ax is None:
            self._write(ends, shifts)
        if len(ends) > 1:
            self._name_models(list(ends), own=ax is None)
        return self

    def _name_models(self, names: Sequence[str], own: bool) -> None:
        """Put the legend above the first row, in as many columns as fit."""
        letter = self.ax_.xaxis.label.get_fontsize() / 72
        longest = max(text_width(self.ax_, name, "small") for name in names)
        fitting = inches(self.ax_, 0) // (longest + _SAMPLE * letter)
        columns = int(np.clip(fitting, 1, min(len(names), _MOST)))
        share = share_of_rows(self.ax_, -(-len(names) // columns))
        bottom, top = self.ax_.get_ylim()
        self.ax_.set_ylim(bottom, top - (bottom - top) * share / (1 - share))
        shares = 0.97, share
        key(self.ax_, own=own, loc="upper center", ncols=columns, frameon=False, shares=shares)

    def words(self) -> dict[str, dict[str, str]]:
        """Return estimate and ends as text, by model and row."""
        return {
            model: {row: _words(*numbers) for row, numbers in _ends(found).items()}
            for model, found in self.intervals.items()
        }

    @property
    def _told(self) -> str:
        """Return the confidence level, if all intervals share it."""
        shares = {
            getattr(found, "confidence_level", None)
            for model in self.intervals.values()
            for found in model.values()
        }
        share = shares.pop() if len(shares) == 1 else None
        return "Estimate" if share is None else f"Estimate with {100 * share:g} % interval"

    def _draw(
        self, model: str, at: Sequence[float], ends: Sequence[Any], colour: Any, number: int
    ) -> None:
        middle, low, high = np.array(ends, dtype=float).T
        self.ax_.hlines(at, low, high, color=colour, linewidth=2)
        style = {"marker": marker(number), "linestyle": "none", "color": colour}
        [self.marks_[model]] = self.ax_.plot(middle, at, label=model or "_", **style)

    def _write(self, ends: Mapping[str, Mapping[str, Any]], shifts: Sequence[float]) -> None:
        """Write estimate and ends to the right, and make room for them."""
        words = [
            (self.rows_.index(row) + shift, _words(*numbers))
            for shift, found in zip(shifts, ends.values(), strict=True)
            for row, numbers in found.items()
        ]
        for row, told in words:
            self.ax_.annotate(
                told, (1, row), xytext=(6, 0), xycoords=("axes fraction", "data"),
                textcoords="offset points", va="center", fontsize="small", annotation_clip=False,
            )  # fmt: skip
        widen(self.figure_, max(text_width(self.ax_, told, "small") for _, told in words) + 0.1)


def _ends(found: Mapping[str, Any]) -> dict[str, tuple[float, float, float]]:
    """Return estimate, low and high by row."""
    rows = {}
    for metric, interval in found.items():
        parts = [np.atleast_1d(x) for x in (interval.estimate, interval.low, interval.high)]
        for k, ends in enumerate(zip(*parts, strict=True)):
            told = shown(metric) if len(parts[0]) == 1 else f"{shown(metric)}, class {k}"
            rows[told] = (float(ends[0]), float(ends[1]), float(ends[2]))
    return rows


def _shifts(models: int) -> list[float]:
    """Return where the models stand in a row."""
    if models == 1:
        return [0.0]
    spread = min(_STEP * (models - 1), _SPREAD)
    return np.linspace(-spread / 2, spread / 2, models).tolist()


def _words(estimate: float, low: float, high: float) -> str:
    if np.isnan(low):
        return value(estimate)
    return f"{value(estimate)} [{value(low)}, {value(high)}]"
