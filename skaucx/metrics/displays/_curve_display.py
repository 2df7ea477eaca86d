"""Curves drawn in the unit square, each named in the legend with the value it stands for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from ..._arrays import Floats
from ..._plotting import (
    band_style,
    despined,
    fit_labels,
    ink,
    key,
    label_points,
    line_styles,
    muted,
    new_axes,
    styled,
    unit_square,
)
from ..._text.numbers import significant, spread, value
from ..curves import (
    MeanCurve,
    PrecisionRecallCurve,
    ProbRocCurve,
    RocCurve,
    ScorRocCurve,
    mean_curve,
)
from ..curves._mean import kind_of, value_of
from ._sources import MACRO, MICRO, CurveSources, stated_values

# A longer legend goes beside the axes.
_MOST_INSIDE = 4
_FAINT = 10  # folds; more of them are drawn fainter still


@dataclass(frozen=True)
class _Fields:
    """Which fields of a curve are drawn against each other, and what the legend tells."""

    x: str
    y: str
    value_name: str
    drawstyle: str = "default"


_FIELDS = {
    RocCurve: _Fields("fpr", "tpr", "AUC"),
    ProbRocCurve: _Fields("fpr", "tpr", "probAUC"),
    ScorRocCurve: _Fields("shift", "auc", "scorAUC"),
    PrecisionRecallCurve: _Fields("recall", "precision", "AP", "steps-post"),
}


def _fields(curve: Any) -> _Fields:
    return _FIELDS[kind_of(curve)]


def mark_thresholds(
    ax: Any, thresholds: Floats, x: Floats, y: Floats, style: Mapping[str, Any]
) -> list[Any]:
    """Mark the points of thresholds, each with its threshold in words."""
    points = list(zip(x, y, strict=True))
    label_points(ax, points, [f"t = {significant(threshold)}" for threshold in thresholds])
    return [line for point in points for line in ax.plot(*np.transpose([point]), **style)]


@dataclass(frozen=True)
class Group:
    """Curves that share a style and an entry of the legend."""

    name: str | None
    curves: Sequence[Any]
    interval: Any = None
    stated: Sequence[float] | None = None

    @property
    def label(self) -> str:
        """The name and the value of the curve with its interval, or mean and deviation of several."""
        values = np.array(self.stated or [value_of(curve) for curve in self.curves])
        values = values[~np.isnan(values)]
        called = _fields(self.curves[0]).value_name
        if not len(values):
            text = f"{called} undefined"
        elif len(self.curves) == 1:
            text = f"{called} = {value(values[0])}{self._ends}"
        else:
            sd = values.std(ddof=1) if len(values) > 1 else np.nan
            text = f"{called} = {spread(values.mean(), sd)}"
        return text if self.name is None else f"{self.name} ({text})"

    @property
    def _ends(self) -> str:
        if self.interval is None:
            return ""
        return f" [{value(self.interval.low)}, {value(self.interval.high)}]"


Drawn = tuple[Group, list[Any]]  # curves, and a line for each


def xy(curve: Any) -> tuple[Floats, Floats]:
    """Return the coordinates of a curve's points."""
    if isinstance(curve, MeanCurve):
        return curve.x, curve.mean
    fields = _fields(curve)
    return getattr(curve, fields.x), getattr(curve, fields.y)


def _with_interval(groups: list[Group], interval: Any) -> Group:
    """Return the only curve with the interval of its value."""
    if len(groups) > 1 or len(groups[0].curves) > 1:
        count = sum(len(group.curves) for group in groups)
        raise ValueError(f"interval is that of one curve, and {count} are drawn.")
    return replace(groups[0], interval=interval)


class CurveDisplay(CurveSources):
    """Base of displays of curves in the unit square."""

    _axes: ClassVar[tuple[str, str]]
    _legend: ClassVar[str]
    _crossing = False  # whether curves run through the corner of the legend
    _stated: Sequence[float] = ()  # values for the legend, instead of those of the curves

    def _state(self, **given: Any) -> None:
        """Take the values that the legend shows instead of those of the curves."""
        [(name, values)] = given.items()
        self._stated = stated_values(values)
        count = 0 if isinstance(self.curves, Mapping) else len(_listed(self.curves))
        if len(self._stated) not in (0, count):
            raise ValueError(f"{name} must have one value a curve, found {values!r}.")

    def plot(
        self,
        ax: Any = None,
        *,
        name: Any = None,
        curve_kwargs: Any = None,
        plot_chance_level: bool = False,
        chance_level_kw: Mapping[str, Any] | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New ones if None.
        name : str or list of str, default=None
            Instead of the name given before.
        curve_kwargs : dict or list of dict, default=None
            Keywords of matplotlib's ``plot``, for all curves or one dict a curve.
        plot_chance_level : bool, default=False
            Whether to draw the line of a classifier without knowledge.
        chance_level_kw : dict, default=None
            Keywords of matplotlib's ``plot`` for that line.
        despine : bool, default=False
            Whether to remove the top and the right spine.

        Returns
        -------
        display
            Itself.
        """
        drawn = self._draw(ax, name, curve_kwargs)
        self._draw_chance(drawn, plot_chance_level, chance_level_kw)
        return self._finish(despine)

    def _draw(self, ax: Any, name: Any, curve_kwargs: Any, interval: Any = None) -> list[Drawn]:
        """Draw all curves, and return each group with its lines."""
        self._own = ax is None
        self.ax_, self.figure_ = new_axes(ax)
        groups = self._groups(name, curve_kwargs)
        if interval is not None:
            groups = [_with_interval(groups, interval)]
        given = iter(curve_kwargs if isinstance(curve_kwargs, list) else ())
        styles = line_styles(self.ax_)
        self.mean_: list[Any] = []
        drawn = []
        for number, group in enumerate(groups):
            style = self._style(styles(number), group)
            lines: list[Any] = []
            for curve in group.curves:
                own = next(given) if isinstance(curve_kwargs, list) else curve_kwargs
                lines += self.ax_.plot(*xy(curve), **styled(style, own))
            if len(group.curves) > 1:
                self._draw_mean(group, styled(styles(number), own))
            drawn.append((group, lines))
        self.lines_ = [line for _, lines in drawn for line in lines]
        self.line_ = self.lines_[0] if len(self.lines_) == 1 else self.lines_
        return drawn

    def _style(self, style: dict[str, Any], group: Group) -> dict[str, Any]:
        """Return how the curves of a group look: averages in ink, the folds under their mean faint."""
        style |= {"drawstyle": _fields(group.curves[0]).drawstyle}
        if group.name in (MACRO, MICRO):
            dashes = "-" if group.name == MACRO else "--"
            style |= {"color": ink(self.ax_), "linestyle": dashes, "linewidth": 2.2, "zorder": 2.5}
        if len(group.curves) == 1:
            return style | {"label": group.label}
        faint = 0.3 if len(group.curves) <= _FAINT else 0.12
        return style | {"alpha": faint, "linewidth": 0.8, "linestyle": "-", "label": "_fold"}

    def _draw_mean(self, group: Group, style: dict[str, Any]) -> None:
        """Draw the mean of several curves over a band of one standard deviation to either side."""
        mean = mean_curve(group.curves)
        style = {key: entry for key, entry in style.items() if key != "label"}
        if group.name in (MACRO, MICRO):
            style["color"] = ink(self.ax_)
        line = self.ax_.plot(*xy(mean), **style | {"label": group.label, "zorder": 2.4})
        self.mean_ += line
        if not np.isnan(mean.sd).all():
            shade = band_style(line[0].get_color())
            self.ax_.fill_between(mean.x, mean.low, mean.high, **shade)

    def _shade(self, drawn: list[Drawn], band: Any, kwargs: Mapping[str, Any] | None) -> Any:
        """Shade a band in the colour of the first curve."""
        if band is None:
            return None
        [curve, *_], [line, *_] = drawn[0][0].curves, drawn[0][1]
        x, label = getattr(band, _fields(curve).x), getattr(band, "label", "band")
        style = band_style(line.get_color(), label)
        return self.ax_.fill_between(x, band.low, band.high, **styled(style, kwargs))

    def _groups(self, name: Any, curve_kwargs: Any) -> list[Group]:
        """Return the curves that share a style; a list of names or of styles sets all apart."""
        name = self.name if name is None else name
        if isinstance(self.curves, Mapping):
            groups = [Group(key, _listed(several)) for key, several in self.curves.items()]
        else:
            called = None if isinstance(name, list) else name
            groups = [Group(called, _listed(self.curves), stated=self._stated)]
        count = sum(len(group.curves) for group in groups)
        for what, given in (("name", name), ("curve_kwargs", curve_kwargs)):
            if isinstance(given, list) and len(given) != count:
                raise ValueError(
                    f"{what} must have {count} entries, one a curve, has {len(given)}."
                )
        if not isinstance(name, list) and not isinstance(curve_kwargs, list):
            return groups
        single = [
            Group(group.name, [curve], stated=self._stated[k : k + 1])
            for group in groups
            for k, curve in enumerate(group.curves)
        ]
        if not isinstance(name, list):
            return single
        return [replace(one, name=own) for own, one in zip(name, single, strict=True)]

    def _finish(self, despine: bool) -> Self:
        """Name the axes, and put the legend where it covers no curve."""
        x, y = self._axes
        unit_square(self.ax_)
        fit_labels(self.ax_, self._labelled(x), self._labelled(y))
        if despine:
            despined(self.ax_)
        labels = self.ax_.get_legend_handles_labels()[1]
        beside = len(labels) > _MOST_INSIDE or self._crossing
        several = max((len(lines) for lines in self._folds()), default=1)
        note = f"mean \u00b1 sd of {several} curves" if several > 1 else None
        key(self.ax_, own=self._own, loc=self._corner(), beside=beside, title=note)
        return self

    def _corner(self) -> str:
        """Return the corner of a legend inside the axes."""
        return self._legend

    def _folds(self) -> list[Any]:
        """Return the groups of several curves, which the legend names by mean and deviation."""
        groups = self._groups(self.name, None)
        return [group.curves for group in groups] if self.mean_ else []

    def _draw_chance(self, drawn: list[Drawn], wanted: bool, kwargs: Any) -> None:
        """Draw the line, or the lines, of a classifier without knowledge, each of them once."""
        lines, label = self._chance(drawn)
        style = {"color": muted(self.ax_), "linestyle": ":", "linewidth": 1.2, "gid": "chance"}
        before = {(*line.get_ydata(),): line for line in self.ax_.get_lines() if _chance(line)}
        artists = []
        for number, heights in enumerate(lines if wanted else ()):
            if heights in before:
                artists.append(before[heights])
                continue
            named = {"label": "_" if number or before else label}
            artists += self.ax_.plot((0, 1), heights, **styled(style | named, kwargs))
        self.chance_level_ = artists[0] if len(artists) == 1 else artists or None

    def _chance(self, drawn: list[Drawn]) -> tuple[list[tuple[float, float]], str]:
        """Return the heights of those lines at 0 and 1, and their name."""
        raise NotImplementedError


def _chance(line: Any) -> bool:
    return bool(line.get_gid() == "chance")


def _listed(curves: Any) -> list[Any]:
    return list(curves) if isinstance(curves, (list, tuple)) else [curves]
