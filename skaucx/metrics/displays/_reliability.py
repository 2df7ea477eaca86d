"""Reliability curves: how often what is predicted with a probability comes true."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy import special

from ..._arrays import Floats
from ..._options import check_choice, check_confidence_level, check_whole
from ..._plotting import (
    despined,
    fit_labels,
    key,
    line_styles,
    marker,
    muted,
    new_axes,
    unit_square,
)
from .._records.inputs import refuse_missing_class
from ..curves._ranked import ranked_unit_scores
from ..intervals._proportions import score_interval
from ._sources import CurveSources

_HIGH = 0.18  # share of the axes that the histogram of a display reaches


@dataclass(frozen=True, eq=False)
class ReliabilityBins:
    """Probabilities in bins, and how often they came true.

    Attributes
    ----------
    edges : ndarray of shape (n_bins + 1,), float64
    weight : ndarray of shape (n_bins,), float64
        Examples of each bin, or what they weigh.
    predicted, observed : ndarray of shape (n_bins,), float64
        Mean probability, and share of positives; nan in empty bins.
    low, high : ndarray of shape (n_bins,), float64
        Wilson's interval of the share of positives; nan of weighted examples.
    """

    edges: Floats
    weight: Floats
    predicted: Floats
    observed: Floats
    low: Floats
    high: Floats


def reliability_bins(
    y_true: Any,
    y_score: Any,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    n_bins: int = 10,
    strategy: Literal["uniform", "quantile"] = "uniform",
    confidence_level: float = 0.95,
) -> ReliabilityBins:
    """Count how often probabilities of each size came true; ties stand in one bin."""
    check_whole("n_bins", n_bins, 1)
    check_choice("strategy", strategy, ("uniform", "quantile"))
    check_confidence_level(confidence_level)
    ranked = ranked_unit_scores(
        "a reliability curve", y_true, y_score, pos_label, sample_weight, None
    )
    if not ranked.pairs > 0:
        raise refuse_missing_class("reliability curve")
    positive, negative = np.asarray(ranked.positive, float), np.asarray(ranked.negative, float)
    both, values = positive + negative, np.asarray(ranked.values)
    edges = np.linspace(0, 1, n_bins + 1)
    if strategy == "quantile":
        at = np.searchsorted(np.cumsum(both), edges[1:-1] * both.sum())
        edges = np.unique(np.concatenate([[0.0], values[at], [1.0]]))
    place = np.clip(np.searchsorted(edges, values, side="left") - 1, 0, len(edges) - 2)
    weight, hits, mass = (
        np.bincount(place, what, len(edges) - 1).astype(np.float64)
        for what in (both, positive, both * values)
    )
    filled = weight > 0
    observed, predicted = (
        np.divide(part, weight, out=np.full(len(weight), np.nan), where=filled)
        for part in (hits, mass)
    )
    # Sums of weights are no counts, of which alone Wilson's interval is.
    low, high = _wilson(hits, weight * (sample_weight is None), confidence_level)
    return ReliabilityBins(edges, weight, predicted, observed, low, high)


def _wilson(hits: Floats, size: Floats, confidence_level: float) -> tuple[Floats, Floats]:
    """Return Wilson's interval of the share of positives, nan where there are no examples."""
    low, high = np.full((2, len(size)), np.nan)
    filled = size > 0
    quantile = float(special.ndtri((1 + confidence_level) / 2))
    low[filled], high[filled] = score_interval(hits[filled], size[filled], quantile)
    return low, high


class ReliabilityDisplay(CurveSources):
    """Picture of how often what is predicted with a probability comes true, over its histogram.

    Make it by ``from_estimator``, ``from_predictions`` or ``from_cv_results`` (one curve a fold), which
    take the keywords of ``plot`` too, and ``n_bins`` (10), ``strategy`` ("uniform" or "quantile", which
    keeps ties together) and ``confidence_level`` (0.95) of Wilson's intervals.

    Parameters
    ----------
    curves : ReliabilityBins or list of ReliabilityBins
        As those methods make them.
    name : str, default=None
        Name in the legend.
    pos_label : int, float, bool or str, default=None
        The positive class, named on the axes.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_ : Line2D or list of Line2D
    bars_ : matplotlib StepPatch or None
        The histogram of the probabilities, its highest bar at 18 % of the axes.

    Examples
    --------
    >>> from skaucx.metrics import ReliabilityDisplay
    >>> display = ReliabilityDisplay.from_predictions([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9], n_bins=2)
    >>> display.line_.get_ydata().tolist()
    [0.5, 0.5]
    """

    _make: ClassVar[Callable[..., Any]] = reliability_bins

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        histogram: bool = True,
        despine: bool = False,
    ) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New ones if None.
        name : str, default=None
            Instead of the name given before.
        histogram : bool, default=True
            Whether to draw how often each probability was predicted.
        despine : bool, default=False
            Whether to remove the top and the right spine.

        Returns
        -------
        ReliabilityDisplay
        """
        self.ax_, self.figure_ = new_axes(ax)
        several = self.curves if isinstance(self.curves, list) else [self.curves]
        style = line_styles(self.ax_)(0)
        sign = marker(sum(line.get_gid() == "reliability" for line in self.ax_.get_lines()))
        if not any(line.get_gid() == "chance" for line in self.ax_.get_lines()):
            ideal = {"color": muted(self.ax_), "linestyle": ":", "gid": "chance"}
            self.ax_.plot((0, 1), (0, 1), label="as predicted", **ideal)
        lines = [self._draw(bins, style, sign, many=len(several) > 1) for bins in several]
        lines[0].set_label((self.name if name is None else name) or "Classifier")
        self.line_ = lines[0] if len(lines) == 1 else lines
        self.bars_ = (
            self._histogram(several[0], style["color"]) if histogram and ax is None else None
        )
        unit_square(self.ax_)
        words = self._labelled("Mean predicted probability"), self._labelled("Share of positives")
        fit_labels(self.ax_, *words)
        if despine:
            despined(self.ax_)
        key(self.ax_, own=ax is None, loc="upper left")
        return self

    def _draw(self, bins: ReliabilityBins, style: dict[str, Any], sign: str, many: bool) -> Any:
        held = ~np.isnan(bins.observed)
        x, y = bins.predicted[held], bins.observed[held]
        if not many:
            self.ax_.vlines(x, bins.low[held], bins.high[held], color=style["color"], linewidth=1)
        look = style | {"alpha": 0.5 if many else 1, "gid": "reliability"}
        [line] = self.ax_.plot(x, y, marker="" if many else sign, label="_", **look)
        return line

    def _histogram(self, bins: ReliabilityBins, colour: Any) -> Any:
        heights = _HIGH * bins.weight / bins.weight.max()
        return self.ax_.stairs(heights, bins.edges, fill=True, color=colour, alpha=0.2, zorder=0.5)
