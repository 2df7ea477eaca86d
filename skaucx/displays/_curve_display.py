"""Displays of curves: names, folds with their mean, what chance gives; in the unit square or not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from .._arrays import Floats
from .._plotting import (
    SQUARE,
    band_style,
    fit_labels,
    ink,
    label_points,
    legible,
    line_styles,
    muted,
    styled,
    unit_square,
)
from .._text.numbers import significant, spread, value
from ..metrics.curves import (
    MeanCurve,
    PrecisionRecallCurve,
    ProbRocCurve,
    RocCurve,
    ScorRocCurve,
    mean_curve,
)
from ..metrics.curves._mean import kind_of, spread_of_heights, value_of
from ._sources import MACRO, MICRO, CurveSources, stated_values

_COLOURED = 10  # classes that have a colour each
_LEAST = 3  # of more classes those that keep theirs
_FAINT = 10  # folds; more of them are drawn fainter still
_EVERYWHERE = np.linspace(0, 1, 201)
_ALONG = np.array(
    [0, *np.geomspace(1e-6, 1, 61)]
)  # of a line that is a curve on a logarithmic axis


@dataclass(frozen=True)
class _Fields:
    """The fields of a curve to plot, and the text of the legend."""

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
    label: str = ""
    stated: Sequence[float] | None = None  # values for the legend, instead of those of the curves
    behind: bool = False  # drawn in grey


def _behind(groups: Sequence[Group]) -> list[Group]:
    """Return the groups, of many classes all in grey but their averages and those of least value."""
    values = {
        k: value_of(g.curves[0]) for k, g in enumerate(groups) if g.name not in (MACRO, MICRO)
    }
    if len(values) <= _COLOURED:
        return list(groups)
    least = sorted(values, key=values.__getitem__)[:_LEAST]
    grey = [k for k in values if k not in least]
    words = {grey[0]: f"{len(grey)} other classes"}
    return [
        replace(group, behind=True, label=words.get(k, "")) if k in grey else group
        for k, group in enumerate(groups)
    ]


Drawn = tuple[Group, list[Any]]  # curves, and a line for each
Points = Callable[[Any], tuple[Floats, Floats]]
Heights = Callable[[Any, Floats], Floats]
Spread = tuple[Floats, Floats, Floats, Floats]  # places, mean heights, and the ends of a band


def read_from_curves(read: Callable[[Any], Any]) -> property:
    """Return the attribute of a display that scikit-learn's has: that of its curve, or a list of all."""

    def found(display: Any) -> Any:
        given = display.curves
        curves = list(given.values()) if isinstance(given, Mapping) else _listed(given)
        values = [read(each) for curve in curves for each in _listed(curve)]
        return values[0] if len(values) == 1 else values

    return property(found, doc="Of one curve; of several a list, one a curve.")


class CurveDisplay(CurveSources):
    """Base of displays of one curve, or one a fold or a class, on axes of their own."""

    _titled = False

    def _begin(self, ax: Any, name: Any = None, size: tuple[float, float] = SQUARE) -> None:
        super()._begin(ax, name, size)
        self.line_: Any = []
        self.mean_: list[Any] = []

    def _draw_groups(
        self,
        groups: Sequence[Group],
        xy: Points,
        mean: Callable[[Sequence[Any]], Spread] | None = None,
        kwargs: Any = None,
    ) -> list[Drawn]:
        """Draw every curve; those of folds faintly, under their mean and a band of one deviation."""
        each = iter(kwargs if isinstance(kwargs, list) else ())
        styles = line_styles(self.ax_)
        drawn = []
        for number, group in enumerate(groups):
            style, many = styles(number) | self._style(group), len(group.curves) > 1
            averaged = many and mean is not None
            lines: list[Any] = []
            for curve in group.curves:
                own = next(each) if isinstance(kwargs, list) else kwargs
                look: dict[str, Any] = {
                    "label": "_" if lines or averaged else legible(group.label) or "_"
                }
                if many:
                    look |= {
                        "alpha": 0.3 if len(group.curves) <= _FAINT else 0.12,
                        "linewidth": 0.8,
                    }
                    look |= {"linestyle": "-"} if averaged else {}
                lines += self.ax_.plot(*xy(curve), **styled(style | look, own))
            if many and mean is not None:
                look = styled(style | {"label": legible(group.label) or "_", "zorder": 2.4}, own)
                x, middle, low, high = mean(group.curves)
                [line] = self.ax_.plot(x, middle, **look)
                self.mean_.append(line)
                if not np.isnan(low).all():
                    self.ax_.fill_between(x, low, high, **band_style(line.get_color()))
            drawn.append((group, lines))
        return drawn

    def _style(self, group: Group) -> dict[str, Any]:
        """Return what the curves of a group look like, apart from their colour and dashes."""
        return {}

    def _draw_curves(
        self,
        xy: Points,
        words: Callable[[Sequence[Any]], str] = lambda several: "",
        heights: Heights | None = None,
        *,
        places: Floats = _EVERYWHERE,
        bounds: tuple[float, float] = (0.0, 1.0),
        kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        """Draw the curves by name; the mean of folds is that of their heights at some places."""

        def mean(several: Sequence[Any]) -> Spread:
            assert heights is not None
            middle, sd = spread_of_heights(np.array([heights(curve, places) for curve in several]))
            low, high = np.clip([middle - sd, middle + sd], *bounds)
            return places, middle, low, high

        groups = [
            Group(name, several, _label(name, several, words(several)))
            for name, several in self._named()
        ]
        drawn = self._draw_groups(groups, xy, None if heights is None else mean, kwargs)
        self.line_ = [line for _, lines in drawn for line in lines]

    def _named(self) -> list[tuple[str | None, list[Any]]]:
        """Return curves by name, several to a name where they are those of folds."""
        if isinstance(self.curves, Mapping):
            return [(name, _listed(several)) for name, several in self.curves.items()]
        return [(self._name, _listed(self.curves))]

    def _reference(self, x: Any, y: Any, label: str, style: str = ":") -> None:
        """Draw a line that does not depend on the examples."""
        self.ax_.plot(x, y, label=label, color=muted(self.ax_), linestyle=style)

    def _finish(self, across: str, up: str, despine: bool) -> Self:
        """Label the axes and the curves."""
        note = "mean over a band of \u00b1 sd" if self.mean_ else None
        fit_labels(self.ax_, across, up)
        return self._end(despine, {"title": note})


def xy(curve: Any) -> tuple[Floats, Floats]:
    """Return the coordinates of a curve's points."""
    if isinstance(curve, MeanCurve):
        return curve.x, curve.mean
    fields = _fields(curve)
    return getattr(curve, fields.x), getattr(curve, fields.y)


class UnitSquareDisplay(CurveDisplay):
    """Base of displays of curves in the unit square."""

    _axes: ClassVar[tuple[str, str]]
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
            Whether to plot the chance level.
        chance_level_kw : dict, default=None
            Keywords of matplotlib's ``plot`` for that line.
        despine : bool, default=False
            Whether to remove the top and the right spine.

        Returns
        -------
        display
            Itself.
        """
        drawn = self._draw_square(ax, name, curve_kwargs)
        self._draw_chance(drawn, plot_chance_level, chance_level_kw)
        return self._finish_square(despine)

    def _draw_square(
        self, ax: Any, name: Any, curve_kwargs: Any, interval: Any = None
    ) -> list[Drawn]:
        """Draw all curves, and return each group with its lines."""
        self._begin(ax, name)
        groups = self._groups(curve_kwargs)
        count = sum(len(group.curves) for group in groups)
        if interval is not None and count > 1:
            raise ValueError(f"interval is that of one curve, and {count} are drawn.")
        groups = [replace(group, label=_value_text(group, interval)) for group in groups]
        if any(group.name in (MACRO, MICRO) for group in groups):
            groups = _behind(groups)
        drawn = self._draw_groups(groups, xy, _mean_and_band, curve_kwargs)
        self.lines_ = [line for _, lines in drawn for line in lines]
        self.line_ = self.lines_[0] if len(self.lines_) == 1 else self.lines_
        return drawn

    def _style(self, group: Group) -> dict[str, Any]:
        """Return the steps of curves that have them; averages over classes are drawn in ink."""
        style = {"drawstyle": _fields(group.curves[0]).drawstyle}
        if group.behind:
            faint = {"color": muted(self.ax_, 0.25), "linestyle": "-", "linewidth": 0.8}
            return style | faint | {"zorder": 1.8}
        if group.name not in (MACRO, MICRO):
            return style
        dashes = "-" if group.name == MACRO else "--"
        return style | {
            "color": ink(self.ax_),
            "linestyle": dashes,
            "linewidth": 2.2,
            "zorder": 2.5,
        }

    def _shade(self, drawn: list[Drawn], band: Any, kwargs: Mapping[str, Any] | None) -> Any:
        """Shade a band in the colour of the first curve."""
        if band is None:
            return None
        [curve, *_], [line, *_] = drawn[0][0].curves, drawn[0][1]
        x, label = getattr(band, _fields(curve).x), getattr(band, "label", "band")
        style = band_style(line.get_color(), label)
        return self.ax_.fill_between(x, band.low, band.high, **styled(style, kwargs))

    def _groups(self, curve_kwargs: Any) -> list[Group]:
        """Return the curves that share a style; a list of names or of styles sets all apart."""
        name = self._name
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

    def _finish_square(self, despine: bool, more: str = "") -> Self:
        """Name the axes, with more words on the x-axis, and the curves."""
        x, y = self._axes
        unit_square(self.ax_)
        several = max(len(group.curves) for group in self._groups(None))
        note = f"mean \u00b1 sd of {several} curves" if self.mean_ else None
        fit_labels(self.ax_, self._labelled(x) + more, y)
        return self._end(despine, {"title": note})

    def _draw_chance(self, drawn: list[Drawn], wanted: bool, kwargs: Any) -> None:
        """Draw the chance level of each curve once."""
        lines, label = self._chance(drawn)
        style = {"color": muted(self.ax_), "linestyle": ":", "linewidth": 1.2}
        artists = []
        for number, heights in enumerate(lines if wanted else ()):
            y = np.interp(_ALONG, (0, 1), heights)
            look = styled(style | {"label": "_" if number else label}, kwargs)
            artists += self.ax_.plot(_ALONG, y, **look)
        self.chance_level_ = artists[0] if len(artists) == 1 else artists or None

    def _chance(self, drawn: list[Drawn]) -> tuple[list[tuple[float, float]], str]:
        """Return the heights of those lines at 0 and 1, and their name."""
        raise NotImplementedError


def _value_text(group: Group, interval: Any) -> str:
    """Return the name and the value of a curve with its interval, or mean and deviation of several."""
    called = _fields(group.curves[0]).value_name
    values = np.array(group.stated or [value_of(curve) for curve in group.curves])
    values = values[~np.isnan(values)]
    if not len(values):
        text = f"{called} undefined"
    elif len(group.curves) == 1:
        ends = "" if interval is None else f" [{value(interval.low)}, {value(interval.high)}]"
        text = f"{called} = {value(values[0])}{ends}"
    else:
        sd = values.std(ddof=1) if len(values) > 1 else np.nan
        text = f"{called} = {spread(values.mean(), sd)}"
    return text if group.name is None else f"{group.name} ({text})"


def mean_text(called: str, values: Sequence[float]) -> str:
    """Return the value of a curve, or mean and standard deviation of those of several."""
    mean = "mean " if len(values) > 1 else ""
    sd = np.std(values, ddof=1) if mean else np.nan
    return f"{mean}{called} = {spread(np.mean(values), sd)}"


def _label(name: str | None, several: Sequence[Any], words: str) -> str:
    """Return the name, or the number of folds, with the values in brackets."""
    called = name or (f"{len(several)} folds" if len(several) > 1 else "")
    return f"{called} ({words})" if called and words else called or words


def _mean_and_band(curves: Sequence[Any]) -> Spread:
    mean = mean_curve(curves)
    return mean.x, mean.mean, mean.low, mean.high


def _listed(curves: Any) -> list[Any]:
    return list(curves) if isinstance(curves, (list, tuple)) else [curves]
