"""Reliability diagrams: observed event rates by predicted probability."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np

from ..._arrays import check_same_length
from ..._plotting import (
    band_style,
    despined,
    fit_labels,
    key,
    line_styles,
    marker,
    muted,
    new_axes,
    styled,
    unit_square,
)
from ..estimation._reliability import ReliabilityCurve, reliability_curve
from ._sources import CurveSources, one_name

_HIGH = 0.18  # share of the axes that the histogram of a display reaches
_FINE = 50  # bars of the histogram without bins


class CalibrationDisplay(CurveSources):
    """Reliability diagram: observed event rates by predicted probability, over a histogram.

    Make it by ``from_estimator``, ``from_predictions`` or ``from_cv_results`` (one curve a fold), which
    take the keywords of ``plot`` and those of :func:`reliability_curve` too, such as ``n_bins``,
    ``method="isotonic"`` and ``band="consistency"``.

    Parameters
    ----------
    curves : ReliabilityCurve, list of ReliabilityCurve or array-like of shape (n_bins,)
        As :func:`reliability_curve` makes them.
        Or, as in scikit-learn, the share of positives of each bin (`prob_true`), with `prob_pred`
        and `y_prob`.
    prob_pred : array-like of shape (n_bins,), default=None
        The mean predicted probability of each bin.
    y_prob : array-like of shape (n_samples,), default=None
        The predicted probabilities, for the histogram.
    prob_true : array-like of shape (n_bins,), default=None
        The share of positives of each bin, by keyword.
    name : str, default=None
        Name in the legend.
    pos_label : int, float, bool or str, default=None
        The positive class, named on the axes.
    estimator_name : str, default=None
        The same as `name`, as scikit-learn spells it.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_ : Line2D or list of Line2D
    bars_ : matplotlib StepPatch or None
        The histogram of the probabilities, its highest bar at 18 % of the axes.

    Examples
    --------
    >>> from skaucx.metrics import CalibrationDisplay
    >>> display = CalibrationDisplay.from_predictions([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9], n_bins=2)
    >>> display.line_.get_ydata().tolist()
    [0.5, 0.5]
    """

    _make: ClassVar[Callable[..., Any]] = reliability_curve

    def __init__(
        self,
        curves: Any = None,
        prob_pred: Any = None,
        y_prob: Any = None,
        *,
        prob_true: Any = None,
        name: Any = None,
        pos_label: Any = None,
        estimator_name: Any = None,
    ) -> None:
        observed = curves if prob_true is None else prob_true
        if observed is None or (prob_pred is None) != (y_prob is None):
            raise TypeError("Pass either curves, or prob_true, prob_pred and y_prob.")
        given = observed if prob_pred is None else _of_points(observed, prob_pred, y_prob)
        super().__init__(given, name=one_name(name, estimator_name), pos_label=pos_label)

    @classmethod
    def from_predictions(  # type: ignore[override]
        cls, y_true: Any, y_prob: Any, **options: Any
    ) -> Self:
        """Draw the curve of predicted probabilities; from a matrix of a column a class, one each.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        y_prob : array-like of shape (n_samples,) or (n_samples, n_classes)
            Probabilities of the positive class, or one column a class in sorted order.
        **options
            ``sample_weight``, ``labels``, ``pos_label``, ``name`` and ``ax``, as for
            :meth:`RocCurveDisplay.from_predictions`; keywords of `plot` and of
            :func:`reliability_curve`.

        Returns
        -------
        CalibrationDisplay
        """
        return super().from_predictions(y_true, y_prob, **options)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        ref_line: bool = True,
        histogram: bool = True,
        despine: bool = False,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New ones if None.
        name : str, default=None
            Instead of the name given before.
        ref_line : bool, default=True
            Whether to draw the line of perfect calibration.
        histogram : bool, default=True
            Whether to draw how often each probability was predicted.
        despine : bool, default=False
            Whether to remove the top and the right spine.
        **kwargs
            Keywords of matplotlib's ``plot``.

        Returns
        -------
        CalibrationDisplay
        """
        self.ax_, self.figure_ = new_axes(ax)
        several = self.curves if isinstance(self.curves, list) else [self.curves]
        style = styled(line_styles(self.ax_)(0), kwargs)
        sign = marker(sum(line.get_gid() == "reliability" for line in self.ax_.get_lines()))
        if ref_line and not any(line.get_gid() == "chance" for line in self.ax_.get_lines()):
            ideal = {"color": muted(self.ax_), "linestyle": ":", "gid": "chance"}
            self.ax_.plot((0, 1), (0, 1), label="as predicted", **ideal)
        lines = [self._draw(bins, style, sign, many=len(several) > 1) for bins in several]
        lines[0].set_label((self.name if name is None else name) or "Classifier")
        self.line_ = lines[0] if len(lines) == 1 else lines
        self.bars_ = (
            self._histogram(several[0], style["color"]) if histogram and ax is None else None
        )
        unit_square(self.ax_)
        fit_labels(self.ax_, self._labelled("Mean predicted probability"), "Share of positives")
        if despine:
            despined(self.ax_)
        key(self.ax_, own=ax is None, loc="upper left")
        return self

    def _draw(self, curve: ReliabilityCurve, style: dict[str, Any], sign: str, many: bool) -> Any:
        held = ~np.isnan(curve.observed)
        x, y, low, high = (
            getattr(curve, name)[held] for name in ("predicted", "observed", "low", "high")
        )
        binned = curve.edges is not None
        if not many and binned:
            self.ax_.vlines(x, low, high, color=style["color"], linewidth=1)
        elif not many:
            shade = band_style(style["color"]) | {"label": curve.label}
            self.ax_.fill_between(x, low, high, **shade)
        look = style | {"alpha": 0.5 if many else 1, "gid": "reliability"}
        sign = sign if binned and not many else ""
        [line] = self.ax_.plot(x, y, **{"marker": sign, "label": "_", **look})
        return line

    def _histogram(self, curve: ReliabilityCurve, colour: Any) -> Any:
        edges, weight = curve.edges, curve.weight
        if edges is None:
            weight, edges = np.histogram(curve.predicted, _FINE, (0, 1), weights=weight)
        heights = _HIGH * weight / weight.max()
        return self.ax_.stairs(heights, edges, fill=True, color=colour, alpha=0.2, zorder=0.5)


def _of_points(observed: Any, predicted: Any, proba: Any) -> ReliabilityCurve:
    """Return a curve through points, without intervals, over the histogram of the probabilities."""
    x, y = (np.asarray(array, dtype=np.float64) for array in (predicted, observed))
    check_same_length({"prob_true": y, "prob_pred": x})
    weight, edges = np.histogram(proba, 10, (0, 1))
    unknown = np.full(len(x), np.nan)
    return ReliabilityCurve(
        x, y, unknown, unknown, weight.astype(np.float64), edges, "binned", "confidence", np.nan
    )
