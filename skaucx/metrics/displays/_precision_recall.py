"""Pictures of precision-recall curves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from ..curves import precision_recall_curve
from ._curve_display import CurveDisplay, Drawn


class PrecisionRecallDisplay(CurveDisplay):
    """Picture of one or several precision-recall curves, as steps.

    Make it by ``from_estimator``, ``from_predictions`` or ``from_cv_results``, which take the keywords
    of ``plot`` and of :func:`precision_recall_curve` too, or from curves.

    Parameters
    ----------
    curves : PrecisionRecallCurve, list of PrecisionRecallCurve, or dict from str to either
        One curve; several that share a style, such as those of the folds of a cross-validation; or
        curves by name, such as those of several classes or classifiers.
    name : str or list of str, default=None
        Name in the legend; a list names each of several curves.
    pos_label : int, float, bool or str, default=None
        The positive class, named on the axes.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_ : matplotlib Line2D or list of Line2D
        The curve, or the curves.
    break_even_ : list of matplotlib Line2D
        Marks of the break-even points; empty if not asked for.
    chance_level_ : Line2D, list of Line2D or None
    band_ : matplotlib artist or None

    Examples
    --------
    >>> from skaucx.metrics import PrecisionRecallDisplay
    >>> display = PrecisionRecallDisplay.from_predictions(
    ...     [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], plot_chance_level=True
    ... )
    >>> [text.get_text() for text in display.ax_.get_legend().get_texts()]
    ['Classifier (AP = 0.83)', 'Chance level (AP = 0.50)']
    """

    _make = precision_recall_curve
    _axes = ("Recall", "Precision")
    _legend = "lower left"

    def plot(
        self,
        ax: Any = None,
        *,
        name: Any = None,
        curve_kwargs: Any = None,
        plot_chance_level: bool = False,
        chance_level_kw: Mapping[str, Any] | None = None,
        plot_break_even: bool = False,
        interval: Any = None,
        band: Any = None,
        band_kw: Mapping[str, Any] | None = None,
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
            Whether to draw the share of the positives, of every class and fold that differs in it.
        chance_level_kw : dict, default=None
        plot_break_even : bool, default=False
            Whether to mark the break-even points, on the line where precision equals recall.
        interval : Interval, default=None
            That of the average precision of one curve, by :func:`interval`; its ends stand in the
            legend.
        band : PrecisionRecallBand, default=None
            To shade, by :func:`precision_recall_band`; anything with ``recall``, ``low`` and ``high``
            will do.
        band_kw : dict, default=None
            Keywords of matplotlib's ``fill_between``.
        despine : bool, default=False
            Whether to remove the top and the right spine.

        Returns
        -------
        PrecisionRecallDisplay
        """
        drawn = self._draw(ax, name, curve_kwargs, interval)
        self.band_ = self._shade(drawn, band, band_kw)
        self.break_even_: list[Any] = []
        for group, lines in drawn if plot_break_even else ():
            points = [curve.break_even_point for curve in group.curves]
            style = {"linestyle": "none", "marker": "o", "color": lines[0].get_color()}
            name = "break-even" if len(drawn) == 1 else f"{group.name} break-even"
            label = f"{name} point = {np.nanmean(points):.2f}"
            self.break_even_ += self.ax_.plot(points, points, label=label, **style)
        if self.break_even_:
            self.ax_.plot((0, 1), (0, 1), color="0.8", linewidth=0.8, zorder=0)
        self._draw_chance(drawn, plot_chance_level, chance_level_kw)
        return self._finish(despine)

    def _chance(self, drawn: list[Drawn]) -> tuple[list[tuple[float, float]], str]:
        shares = np.unique([c.prevalence for group, _ in drawn for c in group.curves])
        low, high = f"{shares.min():.2f}", f"{shares.max():.2f}"
        told = low if low == high else f"{low} to {high}"
        return [(share, share) for share in shares.tolist()], f"Chance level (AP = {told})"
