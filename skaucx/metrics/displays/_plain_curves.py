"""Displays of curves on axes of their own: names, folds with their mean, what knows nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..._arrays import Floats
from ..._plotting import (
    band_style,
    despined,
    fit_labels,
    key,
    line_styles,
    muted,
    new_axes,
    share_of_rows,
    styled,
)
from ..._text.numbers import spread
from ..curves._mean import spread_of_heights
from ._sources import CurveSources

_FEW = 10  # folds; more of them are drawn fainter still
_EVERYWHERE = np.linspace(0, 1, 201)

Points = Callable[[Any], tuple[Floats, Floats]]
Heights = Callable[[Any, Floats], Floats]


class PlainCurves(CurveSources):
    """Base of displays of one curve, or one a fold or a class, outside the unit square."""

    ax_: Any
    figure_: Any

    def _begin(self, ax: Any) -> None:
        self._own = ax is None
        self.ax_, self.figure_ = new_axes(ax)
        self.line_: list[Any] = []
        self.mean_: list[Any] = []

    def _draw(
        self,
        xy: Points,
        told: Callable[[Sequence[Any]], str] = lambda several: "",
        heights: Heights | None = None,
        *,
        places: Floats = _EVERYWHERE,
        bounds: tuple[float, float] = (0.0, 1.0),
        kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        """Draw every curve; those of folds faintly, under their mean and a band of one deviation."""
        styles = line_styles(self.ax_)
        for number, (name, several) in enumerate(self._named()):
            label = _label(name, several, told(several)) or "_"
            style, faint = styles(number), {}
            if len(several) > 1:
                faint = {"alpha": 0.3 if len(several) <= _FEW else 0.12, "linewidth": 0.8}
                if heights is not None:
                    table = np.array([heights(curve, places) for curve in several])
                    self._draw_mean(places, table, bounds, style | {"label": label})
                    label = "_"
            for k, curve in enumerate(several):
                look = styled(style | faint | {"label": "_" if k else label}, kwargs)
                self.line_ += self.ax_.plot(*xy(curve), **look)

    def _draw_mean(
        self, x: Floats, table: Floats, bounds: tuple[float, float], style: dict[str, Any]
    ) -> None:
        mean, sd = spread_of_heights(table)
        self.mean_ += self.ax_.plot(x, mean, **style | {"zorder": 2.4})
        ends = np.clip([mean - sd, mean + sd], *bounds)
        self.ax_.fill_between(x, *ends, **band_style(style["color"]))

    def _named(self) -> list[tuple[str | None, list[Any]]]:
        """Return curves by name, several to a name where they are those of folds."""
        if isinstance(self.curves, dict):
            return [(k, c if isinstance(c, list) else [c]) for k, c in self.curves.items()]
        return [(self.name, self.curves if isinstance(self.curves, list) else [self.curves])]

    def _reference(self, x: Any, y: Any, label: str, style: str = ":") -> None:
        """Draw a line that knows nothing of the examples, once in the same axes."""
        drawn = [line.get_label() for line in self.ax_.get_lines() if line.get_gid() == "chance"]
        if label not in drawn:
            look = {"color": muted(self.ax_), "linestyle": style, "gid": "chance"}
            self.ax_.plot(x, y, label=label, **look)

    def _finish(self, across: str, up: str, corner: str, despine: bool) -> None:
        """Name the axes and what they show."""
        fit_labels(self.ax_, across, up)
        if despine:
            despined(self.ax_)
        note = "mean over a band of \u00b1 sd" if self.mean_ else None
        if corner.startswith("upper"):
            self._raise(len(self.ax_.get_legend_handles_labels()[1]) + (note is not None))
        key(self.ax_, own=self._own, loc=corner, title=note)

    def _raise(self, rows: int) -> None:
        """Leave room above the curves for the rows of a legend, where the limits follow the data."""
        heights = np.concatenate([np.ravel(line.get_ydata()) for line in self.ax_.get_lines()])
        heights = heights[np.isfinite(heights)]
        if len(heights):
            share = share_of_rows(self.ax_, rows)
            top = heights.max() + share / (1 - share) * np.ptp(heights)
            self.ax_.update_datalim([(0, top)], updatex=False)
            self.ax_.autoscale_view(scalex=False)


def mean_told(called: str, values: Sequence[float]) -> str:
    """Tell the value of a curve, or mean and standard deviation of those of several."""
    mean = "mean " if len(values) > 1 else ""
    sd = np.std(values, ddof=1) if mean else np.nan
    return f"{mean}{called} = {spread(np.mean(values), sd)}"


def _label(name: str | None, several: Sequence[Any], told: str) -> str:
    """Return the name, of folds without one their number, and what is told in brackets."""
    called = name or (f"{len(several)} folds" if len(several) > 1 else "")
    return f"{called} ({told})" if called and told else called or told
