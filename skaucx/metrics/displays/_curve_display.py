"""Curves drawn in the unit square, each named in the legend with the value it stands for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from ..._arrays import Floats
from ..._plotting import despined, legend_beside, line_style, new_axes, styled, unit_square
from ..curves import PrecisionRecallCurve, ProbRocCurve, RocCurve, ScorRocCurve
from ._sources import CurveSources

# A longer legend goes beside the axes.
_MOST_INSIDE = 4


@dataclass(frozen=True)
class _Fields:
    """Which fields of a curve are drawn against each other, and what the legend tells."""

    x: str
    y: str
    value: str
    value_name: str
    drawstyle: str = "default"


_FIELDS = {
    RocCurve: _Fields("fpr", "tpr", "area", "AUC"),
    ProbRocCurve: _Fields("fpr", "tpr", "area", "probAUC"),
    ScorRocCurve: _Fields("shift", "auc", "area", "scorAUC"),
    PrecisionRecallCurve: _Fields("recall", "precision", "average_precision", "AP", "steps-post"),
}


def _fields(curve: Any) -> _Fields:
    if type(curve) not in _FIELDS:
        raise TypeError(
            f"curves must hold curves as roc_curve and its like return them, found "
            f"{type(curve).__name__}."
        )
    return _FIELDS[type(curve)]


@dataclass(frozen=True)
class Group:
    """Curves that share a style and an entry of the legend."""

    name: str | None
    curves: Sequence[Any]
    interval: Any = None

    @property
    def label(self) -> str:
        """The name and the value of the curve with its interval, or mean and deviation of several."""
        fields = _fields(self.curves[0])
        values = np.array([getattr(curve, fields.value) for curve in self.curves])
        values = values[~np.isnan(values)]
        if not len(values):
            text = f"{fields.value_name} undefined"
        elif len(self.curves) == 1:
            text = f"{fields.value_name} = {values[0]:.2f}"
            if self.interval is not None:
                text += f" [{self.interval.low:.2f}, {self.interval.high:.2f}]"
        else:
            sd = f" \u00b1 {values.std(ddof=1):.2f}" if len(values) > 1 else ""
            text = f"{fields.value_name} = {values.mean():.2f}{sd}"
        return text if self.name is None else f"{self.name} ({text})"


Drawn = tuple[Group, list[Any]]  # curves, and a line for each


def xy(curve: Any) -> tuple[Floats, Floats]:
    """Return the coordinates of a curve's points."""
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
        self.ax_, self.figure_ = new_axes(ax)
        groups = self._groups(name, curve_kwargs)
        if interval is not None:
            groups = [_with_interval(groups, interval)]
        given = iter(curve_kwargs if isinstance(curve_kwargs, list) else ())
        # Curves drawn into these axes before keep their colours to themselves.
        start = sum(line.get_gid() == "group" for line in self.ax_.get_lines())
        drawn = []
        for number, group in enumerate(groups, start):
            lines: list[Any] = []
            for curve in group.curves:
                own = next(given) if isinstance(curve_kwargs, list) else curve_kwargs
                style = self._style(number, group, first=not lines)
                lines += self.ax_.plot(*xy(curve), **styled(style, own))
            lines[0].set_gid("group")
            drawn.append((group, lines))
        self.lines_ = [line for _, lines in drawn for line in lines]
        self.line_ = self.lines_[0] if len(self.lines_) == 1 else self.lines_
        return drawn

    def _shade(self, drawn: list[Drawn], band: Any, kwargs: Mapping[str, Any] | None) -> Any:
        """Shade a band in the colour of the first curve."""
        if band is None:
            return None
        [curve, *_], [line, *_] = drawn[0][0].curves, drawn[0][1]
        x, label = getattr(band, _fields(curve).x), getattr(band, "label", "band")
        style = {"color": line.get_color(), "alpha": 0.15, "linewidth": 0, "label": label}
        return self.ax_.fill_between(x, band.low, band.high, **styled(style, kwargs))

    @staticmethod
    def _style(number: int, group: Group, first: bool) -> dict[str, Any]:
        style = line_style(number) | {"drawstyle": _fields(group.curves[0]).drawstyle}
        if len(group.curves) > 1:
            style |= {"alpha": 0.5, "linewidth": 1.0}
        return style | ({"label": group.label} if first else {})

    def _groups(self, name: Any, curve_kwargs: Any) -> list[Group]:
        """Return the curves that share a style; a list of names or of styles sets all apart."""
        name = self.name if name is None else name
        if isinstance(self.curves, Mapping):
            groups = [Group(key, _listed(several)) for key, several in self.curves.items()]
        else:
            groups = [Group(None if isinstance(name, list) else name, _listed(self.curves))]
        count = sum(len(group.curves) for group in groups)
        for what, given in (("name", name), ("curve_kwargs", curve_kwargs)):
            if isinstance(given, list) and len(given) != count:
                raise ValueError(
                    f"{what} must have {count} entries, one a curve, has {len(given)}."
                )
        if not isinstance(name, list) and not isinstance(curve_kwargs, list):
            return groups
        single = [Group(group.name, [curve]) for group in groups for curve in group.curves]
        if not isinstance(name, list):
            return single
        return [Group(own, one.curves) for own, one in zip(name, single, strict=True)]

    def _finish(self, despine: bool) -> Self:
        """Name the axes, and put the legend where it covers no curve."""
        x, y = self._axes
        self.ax_.set(xlabel=self._labelled(x), ylabel=self._labelled(y))
        unit_square(self.ax_)
        if despine:
            despined(self.ax_)
        labels = self.ax_.get_legend_handles_labels()[1]
        if len(labels) > _MOST_INSIDE or self._crossing:
            legend_beside(self.ax_)
        elif labels:
            self.ax_.legend(loc=self._legend)
        return self

    def _draw_chance(self, drawn: list[Drawn], wanted: bool, kwargs: Any) -> None:
        """Draw the line, or the lines, of a classifier without knowledge."""
        lines, label = self._chance(drawn)
        style = {"color": "k", "linestyle": ":", "linewidth": 1.0}
        artists = [
            artist
            for number, heights in enumerate(lines if wanted else ())
            for artist in self.ax_.plot(
                (0, 1), heights, **styled(style | {"label": label if not number else "_"}, kwargs)
            )
        ]
        self.chance_level_ = artists[0] if len(artists) == 1 else artists or None

    def _chance(self, drawn: list[Drawn]) -> tuple[list[tuple[float, float]], str]:
        """Return the heights of those lines at 0 and 1, and their name."""
        raise NotImplementedError


def _listed(curves: Any) -> list[Any]:
    return list(curves) if isinstance(curves, (list, tuple)) else [curves]
