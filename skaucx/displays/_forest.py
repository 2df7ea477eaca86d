"""Forests: estimates with their intervals, a row a metric."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from .._arguments import Axes
from .._plotting import (
    Display,
    divided,
    fit_labels,
    inches,
    key,
    legible,
    line_styles,
    mark_size,
    marker,
    name_rows,
    state_rows,
)
from .._text.numbers import value
from .._text.reported import Reported
from ..evaluation._groups import GroupedEvaluation
from ..evaluation._result import Evaluation
from ..metrics._registry.declare import get_metric

Numbers = tuple[float, float, float]
Ends = Mapping[str, Numbers]
Words = tuple[float, Numbers]

_ROW, _MODEL = 0.34, 0.2  # inches: of a metric, and of a further model
_MOST_MARKS, _LISTED = 4, 0.22  # models in a row of a metric, and inches of a row of a model
_NARROW = 3.5  # inches of the caller's axes with too little room for estimates and their ends
_RATIO = "ratio"
_STEP, _SPREAD = 0.24, 0.7  # of a row: from model to model, and of all of them at most


class ForestDisplay(Display):
    """Picture of intervals: a row a metric, a mark a model, a line from one end to the other.

    Make it by `from_intervals` or `from_evaluation`; results of nested runs draw theirs by
    ``plot_intervals``. Metrics of unlike ranges have axes of their own, one below the other: those with
    both ends in [-1, 1] share theirs, any other metric has its own, which is logarithmic for ratios;
    given axes are divided. More than four models or groups have rows of their own below the name of the
    metric.

    Parameters
    ----------
    intervals : dict of str to dict of str to Interval
        For each model the intervals by metric; anything with ``estimate``, ``low`` and ``high`` will
        do. An interval of a metric of every class has one row a class.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    axes_ : list of matplotlib Axes
        The axes of each range of metrics, the first of which is ``ax_``.
    marks_ : dict from str to Line2D
        The estimates of each model in the first axes that show it.
    rows_ : list of str
        The names of the rows.

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
        panels, count = self._panels(), len(self.intervals)
        row = (1 + count) * _LISTED if self._listed else _ROW + _MODEL * (count - 1)
        return 5.2, 0.4 + 0.5 * len(panels) + row * sum(map(len, panels.values()))

    @property
    def _listed(self) -> bool:
        return len(self.intervals) > _MOST_MARKS

    def _draw(self, ax: Any) -> None:
        ends = {model: _ends(found) for model, found in self.intervals.items()}
        self.rows_ = list(dict.fromkeys(row for found in ends.values() for row in found))
        panels, count = self._panels(), len(ends)
        again = self.axes_[:1] == [self.ax_] and len(self.axes_) == len(panels)
        slots = [len(rows) * (1 + count if self._listed else 1) for rows in panels.values()]
        self.axes_ = self.axes_ if again else divided(self.ax_, slots)
        self.marks_: dict[str, Any] = {}
        words = [
            (self._list if self._listed else self._rows)(part, rows, ends)
            for part, rows in zip(self.axes_, panels.values(), strict=True)
        ]
        fit_labels(self.axes_[-1], self._texts)
        self._write(words)
        for part, scale in zip(self.axes_, panels, strict=True):
            if scale == _RATIO and part.dataLim.x0 > 0:
                _logarithmic(part)
        if count > 1 and not self._listed:
            key(
                self.ax_, own=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False
            )

    def _panels(self) -> dict[str, list[str]]:
        """Return the rows by the scale that they share."""
        found: dict[str, list[str]] = {}
        for intervals in self.intervals.values():
            for metric, interval in intervals.items():
                rows = _ends({metric: interval})
                scale = _scale(getattr(interval, "metric", metric), rows.values())
                held = found.setdefault(scale, [])
                held += [row for row in rows if row not in held]
        return found

    def _rows(self, ax: Any, rows: Sequence[str], ends: Mapping[str, Ends]) -> list[Words]:
        """Draw a row a metric, a mark a model; return the words of each row."""
        styles, shifts = line_styles(ax), _shifts(len(ends))
        words: list[Words] = []
        for number, (model, found) in enumerate(ends.items()):
            held = [row for row in rows if row in found]
            at = [rows.index(row) + shifts[number] for row in held]
            numbers, colour = [found[row] for row in held], styles(number)["color"]
            self._mark(ax, model, at, numbers, colour, marker(number))
            words += zip(at, numbers, strict=True)
        name_rows(ax, rows)
        return words

    def _list(self, ax: Any, rows: Sequence[str], ends: Mapping[str, Ends]) -> list[Words]:
        """Draw below the name of each metric a row a model; return the words of each row."""
        names: list[str] = []
        words: list[Words] = []
        colour, shared = line_styles(ax)(0)["color"], _prefix(list(ends))
        for row in rows:
            held = {model: found[row] for model, found in ends.items() if row in found}
            names += [row, *(model.removeprefix(shared) for model in held)]
            at = list(range(len(names) - len(held), len(names)))
            for place, (model, numbers) in zip(at, held.items(), strict=True):
                self._mark(ax, model, [place], [numbers], colour, "o")
                words.append((place, numbers))
        name_rows(ax, names)
        for place, label in enumerate(ax.get_yticklabels()):
            if place not in {place for place, _ in words}:
                label.set_fontweight("bold")
        return words

    def _mark(
        self, ax: Any, model: str, at: Sequence[float], ends: Sequence[Any], colour: Any, sign: str
    ) -> None:
        middle, low, high = np.array(ends, dtype=float).reshape(-1, 3).T
        ax.hlines(at, low, high, color=colour, linewidth=2)
        style = {"marker": sign, "markersize": mark_size(ax), "linestyle": "none", "color": colour}
        [line] = ax.plot(middle, at, label=legible(model) or "_", **style)
        self.marks_.setdefault(model, line)

    def _write(self, words: Sequence[Sequence[Words]]) -> None:
        """Write estimate and ends to the right, in narrow axes the estimate alone."""
        narrow = not self._own and inches(self.ax_)[0] < _NARROW
        for ax, part in zip(self.axes_, words, strict=True):
            state_rows(ax, [(r, value(n[0]) if narrow else _words(*n)) for r, n in part])

    def words(self) -> dict[str, dict[str, str]]:
        """Return estimate and ends as text, by model and row."""
        return {
            model: {row: _words(*numbers) for row, numbers in _ends(found).items()}
            for model, found in self.intervals.items()
        }

    @property
    def _texts(self) -> str:
        """Return the confidence level, if all intervals share it."""
        shares = {
            getattr(found, "confidence_level", None)
            for model in self.intervals.values()
            for found in model.values()
        }
        share = shares.pop() if len(shares) == 1 else None
        return "Estimate" if share is None else f"Estimate with {100 * share:g} % interval"


def _ends(found: Mapping[str, Any]) -> dict[str, Numbers]:
    """Return estimate, low and high by row; those of a negated loss are the loss's."""
    rows: dict[str, Numbers] = {}
    for metric, interval in found.items():
        parts = [np.atleast_1d(x) for x in (interval.estimate, interval.low, interval.high)]
        classes = getattr(interval, "classes", None)
        for k, ends in enumerate(np.transpose(parts).tolist()):
            one, label = Reported(metric, *ends).as_loss(), k if classes is None else classes[k]
            name = one.name if len(parts[0]) == 1 else f"{one.name}, class {label}"
            rows[name] = one.numbers
    return rows


def _scale(metric: str, ends: Iterable[Numbers]) -> str:
    """Return the scale of a metric: "" in [-1, 1], that of ratios, or its own name."""
    name = metric.removeprefix("neg_")
    try:
        row = get_metric(name).metric
    except ValueError:  # a function of the caller's, whose range its values show
        least, most = -np.inf, 1.0
    else:
        least, most = row.bounds
        if row.ratio:
            return _RATIO
    drawn = np.array([x for numbers in ends for x in numbers if np.isfinite(x)])
    like = least >= -1 or bool((np.abs(drawn) <= 1).all())
    return "" if most <= 1 and like else name


def _prefix(names: Sequence[str]) -> str:
    """Return "site = " of "site = a", "site = b"."""
    heads = {name.partition(" = ")[0] for name in names if name.count(" = ") == 1}
    shared = len(heads) == 1 and all(" = " in name for name in names)
    return f"{heads.pop()} = " if shared else ""


def _logarithmic(ax: Any) -> None:
    """Make an axis of ratios logarithmic, with plain numbers at 1, 2 and 5."""
    from matplotlib.ticker import LogLocator, NullFormatter

    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=6))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())


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
