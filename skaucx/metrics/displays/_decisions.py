"""Decision curves, and losses against the costs of both errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal, Self

import numpy as np

from ..._options import check_choice
from ..._plotting import band_style, despined, fit_labels, key, line_styles, muted, new_axes
from ..._text.numbers import value
from ..curves import CostCurve, DecisionCurve, cost_curve, decision_curve
from ._sources import CurveSources


class DecisionDisplay(CurveSources):
    """Picture of the net benefit of treating by a model, beside treating all and none.

    Make it by ``from_estimator``, ``from_predictions`` or ``from_cv_results``, which take the keywords
    of ``plot`` and those of :func:`decision_curve` too, or from curves.

    Parameters
    ----------
    curves : DecisionCurve, list of DecisionCurve, or dict from str to either
        As :func:`decision_curve` makes them.
    name : str, default=None
        Name in the legend.
    pos_label : int, float, bool or str, default=None
        The positive class, named on the axes.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_ : list of Line2D

    Examples
    --------
    >>> from skaucx.metrics import DecisionDisplay
    >>> y_true, y_proba = [0, 0, 1, 0, 1, 1], [0.1, 0.3, 0.4, 0.6, 0.7, 0.9]
    >>> display = DecisionDisplay.from_predictions(y_true, y_proba, thresholds=[0.2, 0.5])
    >>> display.line_[0].get_ydata().round(4).tolist()
    [0.4167, 0.1667]
    """

    _make: ClassVar[Callable[..., Any]] = decision_curve

    def plot(
        self,
        ax: Any = None,
        *,
        kind: Literal["net_benefit", "interventions_avoided"] = "net_benefit",
        band: bool = True,
        despine: bool = False,
    ) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New ones if None.
        kind : {"net_benefit", "interventions_avoided"}, default="net_benefit"
        band : bool, default=True
            Whether to shade the intervals of the net benefit of a single curve.
        despine : bool, default=False
            Whether to remove the top and the right spine.

        Returns
        -------
        DecisionDisplay
        """
        check_choice("kind", kind, ("net_benefit", "interventions_avoided"))
        self.ax_, self.figure_ = new_axes(ax)
        listed, benefit = named_curves(self.curves, self.name), kind == "net_benefit"
        curve: DecisionCurve = listed[0][1][0]
        self.line_ = draw(self.ax_, listed, lambda c: (c.thresholds, getattr(c, kind)))
        if benefit:
            self._references(curve)
        if benefit and band and len(self.line_) == 1 and not np.isnan(curve.low).any():
            style = band_style(self.line_[0].get_color())
            self.ax_.fill_between(curve.thresholds, curve.low, curve.high, **style)
        tops = [np.nanmax(getattr(c, kind)) for _, several in listed for c in several]
        top = max([*tops, curve.prevalence if benefit else 0])
        self.ax_.set(xlim=(-0.04, 1.04), ylim=(-0.15 * top, 1.08 * top))
        high = "Net benefit" if benefit else "Interventions avoided"
        fit_labels(self.ax_, "Threshold probability", self._labelled(high))
        if despine:
            despined(self.ax_)
        key(self.ax_, own=ax is None, loc="upper right" if benefit else "upper left")
        return self

    def _references(self, curve: DecisionCurve) -> None:
        """Draw treating all and treating none, once."""
        if any(line.get_gid() == "chance" for line in self.ax_.get_lines()):
            return
        style = {"color": muted(self.ax_), "gid": "chance"}
        at = curve.thresholds
        self.ax_.plot(at, curve.treat_all, linestyle="--", label="treat all", **style)
        self.ax_.plot((0, 1), (0, 0), linestyle=":", label="treat none", **style)


class CostDisplay(CurveSources):
    """Picture of the expected cost against what the two errors cost.

    Make it by ``from_estimator``, ``from_predictions`` or ``from_cv_results``, or from curves, those of
    :func:`brier_curve` too.

    Parameters
    ----------
    curves : CostCurve, list of CostCurve, or dict from str to either
        As :func:`cost_curve` and :func:`brier_curve` make them.
    name : str, default=None
        Name in the legend.
    pos_label : int, float, bool or str, default=None
        The positive class, named on the axes.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_ : list of Line2D

    Examples
    --------
    >>> from skaucx.metrics import CostDisplay
    >>> display = CostDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> display.ax_.get_xlabel()
    'Probability cost of the positives (Positive label: 1)'
    """

    _make: ClassVar[Callable[..., Any]] = cost_curve

    def plot(self, ax: Any = None, *, despine: bool = False) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New ones if None.
        despine : bool, default=False
            Whether to remove the top and the right spine.

        Returns
        -------
        CostDisplay
        """
        self.ax_, self.figure_ = new_axes(ax)
        listed = named_curves(self.curves, self.name)
        curve: CostCurve = listed[0][1][0]
        self.line_ = draw(self.ax_, listed, lambda c: (c.cost, c.loss), _area)
        style = {"color": muted(self.ax_), "linestyle": ":", "gid": "chance"}
        brier = curve.kind == "brier"
        if not brier and not any(line.get_gid() == "chance" for line in self.ax_.get_lines()):
            self.ax_.plot((0, 0.5, 1), (0, 0.5, 0), label="one call for all", **style)
        tops = [c.loss.max() for _, several in listed for c in several]
        top = 1.08 * max(*tops, 0 if brier else 0.5)
        self.ax_.set(xlim=(-0.04, 1.04), ylim=(-0.06 * top, top))
        x = "Share of a false alarm in the costs" if brier else "Probability cost of the positives"
        fit_labels(
            self.ax_, self._labelled(x), "Expected loss" if brier else "Normalised expected cost"
        )
        if despine:
            despined(self.ax_)
        key(self.ax_, own=ax is None, loc="lower center")
        return self


def _area(curves: list[Any]) -> str:
    called = "Brier score" if curves[0].kind == "brier" else "area"
    mean = "mean " if len(curves) > 1 else ""
    return f"{mean}{called} = {value(np.mean([curve.area for curve in curves]))}"


def named_curves(curves: Any, name: str | None) -> list[tuple[str | None, list[Any]]]:
    """Return curves by name, several to a name where they are those of folds."""
    if isinstance(curves, dict):
        return [(k, c if isinstance(c, list) else [c]) for k, c in curves.items()]
    return [(name, curves if isinstance(curves, list) else [curves])]


def draw(
    ax: Any,
    listed: list[tuple[str | None, list[Any]]],
    xy: Callable[[Any], tuple[Any, Any]],
    told: Callable[[list[Any]], str] = lambda several: "",
) -> list[Any]:
    """Draw every curve; those of folds share a line of the legend."""
    styles, lines = line_styles(ax), []
    for number, (name, several) in enumerate(listed):
        faint = {"alpha": 0.4, "linewidth": 0.8} if len(several) > 1 else {}
        for k, curve in enumerate(several):
            label = "_" if k else _label(name, several, told(several))
            lines += ax.plot(*xy(curve), label=label or "_", **styles(number), **faint)
    return lines


def _label(name: str | None, several: list[Any], told: str) -> str:
    """Return the name, of folds without one their number, and what is told in brackets."""
    called = name or (f"{len(several)} folds" if len(several) > 1 else "")
    return f"{called} ({told})" if called and told else called or told
