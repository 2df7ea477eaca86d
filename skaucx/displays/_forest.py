"""Forests: estimates with their intervals, a row a metric."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from .._arguments import Axes
from .._plotting import Display, fit_labels, line_styles, marker, name_rows
from .._text.reported import Reported
from ..evaluation._groups import GroupedEvaluation
from ..evaluation._result import Evaluation

_ROW = 0.26  # inches
_BESIDE = {
    "xycoords": ("axes fraction", "data"), "textcoords": "offset points", "va": "center",
    "fontsize": "small", "annotation_clip": False,
}  # fmt: skip


class ForestDisplay(Display):
    """Picture of intervals: a row a metric, a line from one end to the other.

    Make it by `from_intervals` or `from_evaluation`; results of nested runs draw theirs by
    ``plot_intervals``. Several models or groups have a row each below the name of the metric. For
    ratios make the axis logarithmic: ``display.ax_.set_xscale("log")``.

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
        The names of the metrics, and of their classes.

    Examples
    --------
    >>> from skaucx.inference import intervals
    >>> from skaucx.displays import ForestDisplay
    >>> y_true, y_pred = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 0]
    >>> found = intervals(["recall", "specificity"], y_true, y_pred)
    >>> ForestDisplay.from_intervals(found).rows_
    ['recall', 'specificity']
    """

    def __init__(self, intervals: Mapping[str, Mapping[str, Any]]) -> None:
        self.intervals = {model: dict(found) for model, found in intervals.items()}
        if not any(self.intervals.values()):
            raise ValueError("intervals must hold one interval at least, found none.")
        self._lines = {model: _lines(found) for model, found in self.intervals.items()}
        self.rows_ = list(dict.fromkeys(row for found in self._lines.values() for row in found))

    @classmethod
    def from_intervals(
        cls, intervals: Mapping[str, Any], *, ax: Axes | None = None, **options: Any
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
        cls, evaluation: Evaluation | GroupedEvaluation, *, ax: Axes | None = None, **options: Any
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

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches of a figure of its own."""
        several = len(self._lines) > 1
        return 5.6, 0.9 + _ROW * (several * len(self.rows_) + sum(map(len, self._lines.values())))

    def _draw(self, ax: Any) -> None:
        names: list[str] = []
        places: dict[str, list[tuple[int, Reported]]] = {model: [] for model in self._lines}
        for row in self.rows_:
            if len(places) > 1:
                names.append(row)
            for model, found in self._lines.items():
                if row in found:
                    places[model].append((len(names), found[row]))
                    names.append(model if len(places) > 1 else row)
        styles, self.marks_ = line_styles(ax), {}
        for number, (model, part) in enumerate(places.items()):
            numbers = [(at, *one.numbers) for at, one in part]
            at, middle, low, high = np.transpose(numbers).reshape(4, -1)
            look = {"color": styles(number)["color"]}
            ax.hlines(at, low, high, linewidth=2, **look)
            look |= {"marker": marker(number), "linestyle": "none"}
            [self.marks_[model]] = ax.plot(middle, at, label="_", **look)
            for place, one in part:  # to the right of it
                ax.annotate(one.text, (1, place), xytext=(6, 0), **_BESIDE)
        name_rows(ax, names)
        levels = {
            getattr(one, "confidence_level", None)
            for found in self.intervals.values()
            for one in found.values()
        }
        [level] = levels if len(levels) == 1 else [None]
        fit_labels(ax, "Estimate" if level is None else f"Estimate with {100 * level:g} % interval")


def _lines(found: Mapping[str, Any]) -> dict[str, Reported]:
    """Return what is reported by row; of a negated loss that is the loss."""
    rows: dict[str, Reported] = {}
    for metric, interval in found.items():
        parts = [np.atleast_1d(x) for x in (interval.estimate, interval.low, interval.high)]
        classes = getattr(interval, "classes", None)
        for k, ends in enumerate(np.transpose(parts).tolist()):
            one, label = Reported(metric, *ends).as_loss(), k if classes is None else classes[k]
            rows[one.name if len(parts[0]) == 1 else f"{one.name}, class {label}"] = one
    return rows
