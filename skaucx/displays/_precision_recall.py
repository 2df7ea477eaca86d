"""Pictures of precision-recall curves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .._arguments import Axes, Label
from .._plotting import mark_size, marker, muted
from .._text.numbers import value
from ..metrics.curves import PrecisionRecallCurve, precision_recall_curve
from ._curve_display import Drawn, Group, UnitSquareDisplay, mark_thresholds, read_from_curves
from ._sources import Curves, curves_of_points, one_name

if TYPE_CHECKING:
    from ..inference import Interval, PrecisionRecallBand


class PrecisionRecallDisplay(UnitSquareDisplay):
    """Picture of one or several precision-recall curves, as steps.

    Make it by ``from_estimator``, ``from_predictions`` or ``from_cv_results``, which take the keywords
    of ``plot`` and of :func:`precision_recall_curve` too, or from curves. Of several classes
    ``averages``, any of "macro" and "micro", adds the mean of the curves of all classes, and the curve
    of all cells of the scores.

    Parameters
    ----------
    curves : PrecisionRecallCurve, list of PrecisionRecallCurve, or dict from str to either
        One curve; several that share a style, such as those of the folds of a cross-validation; or
        curves by name, such as those of several classes or classifiers. Two arrays in a row are
        taken as `precision` and `recall`.
    recall, precision : array-like of shape (n_points,), default=None
        Instead of `curves`: points in order of the recall, or a list of arrays of each.
    name : str or list of str, default=None
        Name in the legend; a list names each of several curves.
    pos_label : int, float, bool or str, default=None
        The positive class, named on the axes.
    average_precision : float or list of float, default=None
        The value, or one a curve, that the legend shows; by default that of the curve.
    prevalence_pos_label : float or list of float, default=None
        The share of the positives where points are given, for the chance level.
    estimator_name : str or list of str, default=None
        The same as `name`, as scikit-learn spells it.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_ : matplotlib Line2D or list of Line2D
        The curve, or the curves.
    mean_ : list of Line2D
        The mean of several curves that share a style, drawn over a band of one standard deviation.
    break_even_ : list of matplotlib Line2D
        Marks of the break-even points; empty if not requested.
    points_ : list of matplotlib Line2D
        Marks of operating points; empty without thresholds.
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
    precision = read_from_curves(attrgetter("precision"))
    recall = read_from_curves(attrgetter("recall"))
    average_precision = read_from_curves(attrgetter("average_precision"))
    prevalence_pos_label = read_from_curves(attrgetter("prevalence"))

    def __init__(
        self,
        curves: Curves = None,
        recall: ArrayLike | None = None,
        *,
        precision: ArrayLike | None = None,
        name: str | Sequence[str] | None = None,
        pos_label: Label = None,
        average_precision: ArrayLike | None = None,
        prevalence_pos_label: float | None = None,
        estimator_name: str | Sequence[str] | None = None,
    ) -> None:
        if precision is None and recall is not None:
            curves, precision = None, curves
        given = curves_of_points(
            curves,
            PrecisionRecallCurve.from_points,
            prevalence_pos_label,
            precision=precision,
            recall=recall,
        )
        super().__init__(given, name=one_name(name, estimator_name), pos_label=pos_label)
        self._state(average_precision=average_precision)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | Sequence[str] | None = None,
        curve_kwargs: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: Mapping[str, Any] | None = None,
        plot_break_even: bool = False,
        operating_points: Iterable[float] | None = None,
        interval: Interval | None = None,
        band: PrecisionRecallBand | None = None,
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
        operating_points : iterable of float, default=None
            Thresholds to mark on the curves.
        interval : Interval, default=None
            That of the average precision of one curve, by :func:`interval`; the legend shows its
            limits.
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
        drawn = self._draw_square(ax, name, curve_kwargs, interval)
        self.band_ = self._shade(drawn, band, band_kw)
        self.break_even_ = [
            mark
            for group, lines in (drawn if plot_break_even else ())
            for mark in self._mark_break_even(group, lines[0].get_color(), len(drawn) > 1)
        ]
        self.points_ = [
            mark
            for number, (group, lines) in enumerate(drawn if operating_points is not None else ())
            for curve, line in zip(group.curves, lines, strict=True)
            for mark in self._mark(curve, line.get_color(), number, operating_points)
        ]
        if self.break_even_:
            self.ax_.plot((0, 1), (0, 1), color=muted(self.ax_, 0.3), linewidth=0.8, zorder=0)
        self._draw_chance(drawn, plot_chance_level, chance_level_kw)
        if plot_chance_level and self.chance_level_ is None:
            raise ValueError(
                "The chance level is the share of the positives, which points do not hold: pass "
                "prevalence_pos_label to PrecisionRecallDisplay."
            )
        return self._finish_square(despine)

    def _mark(self, curve: Any, colour: Any, number: int, wanted: Any) -> list[Any]:
        """Mark the points of thresholds on a curve."""
        style = {"color": colour, "linestyle": "none", "marker": marker(number)}
        style["markersize"] = mark_size(self.ax_)
        thresholds = np.atleast_1d(np.asarray(wanted, dtype=np.float64))
        precision, recall = curve.at(thresholds)
        return mark_thresholds(self.ax_, thresholds, recall, precision, style)

    def _mark_break_even(self, group: Group, colour: Any, many: bool) -> list[Any]:
        """Mark the break-even points: hollow if precision and recall are not exactly equal."""
        cuts = [curve.break_even() for curve in group.curves]
        points = np.array([(cut.recall, cut.precision) for cut in cuts])
        text = value(np.nanmean([cut.value for cut in cuts]))
        even = not any(cut.interpolated for cut in cuts)
        style = {"linestyle": "none", "marker": "o", "color": colour, "zorder": 3}
        if not even:
            style["markerfacecolor"] = "none"
        named = f"{group.name} break-even" if many else "break-even"
        label = f"{named} point = {text}{'' if even else ', between cuts'}"
        return self.ax_.plot(*points.T, label=label, **style)

    def _chance(self, drawn: list[Drawn]) -> tuple[list[tuple[float, float]], str]:
        parts = [c for group, _ in drawn for c in group.curves if hasattr(c, "prevalence")]
        shares = np.unique([curve.prevalence for curve in parts])
        if np.isnan(shares).any():
            return [], ""
        low, high = value(shares.min()), value(shares.max())
        text = low if low == high else f"{low} to {high}"
        return [(share, share) for share in shares.tolist()], f"Chance level (AP = {text})"
