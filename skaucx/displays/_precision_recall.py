"""Pictures of precision-recall curves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from .._arguments import Label
from .._text.numbers import value
from ..metrics.curves import PrecisionRecallCurve, precision_recall_curve
from ._curve_display import SquareDisplay, read_from_curves
from ._sources import curves_of_points


class PrecisionRecallDisplay(SquareDisplay):
    """Picture of one or several precision-recall curves, as steps.

    Make it by ``from_estimator``, ``from_predictions`` or ``from_cv_results``, which take the keywords
    of ``plot`` and of :func:`precision_recall_curve` too, or from curves.

    Parameters
    ----------
    curves : PrecisionRecallCurve, list of PrecisionRecallCurve, or dict from str to either
        One curve; several that share a style, such as those of the folds of a cross-validation; or
        curves by name, such as those of several classes or classifiers. Two arrays in a row are
        taken as `precision` and `recall`.
    recall, precision : array-like of shape (n_points,), default=None
        Instead of `curves`: points in order of the recall.
    name : str or list of str, default=None
        Name in the legend; a list names each of several curves.
    pos_label : int, float, bool or str, default=None
        The positive class, named on the axes.
    average_precision : float, default=None
        The value that the legend shows; by default that of the curve.
    prevalence_pos_label : float, default=None
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
    _fields, _value_name = ("recall", "precision"), "AP"
    _style: ClassVar = {"drawstyle": "steps-post"}
    precision = read_from_curves(attrgetter("precision"))
    recall = read_from_curves(attrgetter("recall"))
    average_precision = read_from_curves(attrgetter("average_precision"))
    prevalence_pos_label = read_from_curves(attrgetter("prevalence"))

    def __init__(
        self,
        curves: Any = None,
        recall: ArrayLike | None = None,
        *,
        precision: ArrayLike | None = None,
        name: str | Sequence[str] | None = None,
        pos_label: Label = None,
        average_precision: float | None = None,
        prevalence_pos_label: float | None = None,
        estimator_name: str | Sequence[str] | None = None,
    ) -> None:
        if precision is None and recall is not None:
            curves, precision = None, curves
        prevalence = np.nan if prevalence_pos_label is None else prevalence_pos_label
        make = partial(PrecisionRecallCurve.from_points, prevalence=prevalence)
        given = curves_of_points(curves, make, precision=precision, recall=recall)
        super().__init__(given, name=name, pos_label=pos_label, estimator_name=estimator_name)
        self._stated = average_precision

    @property
    def _chance(self) -> tuple[str, list[tuple[float, float]]]:
        every = [curve for _, curves in self._groups() for curve in curves]
        shares = sorted({curve.prevalence for curve in every if hasattr(curve, "prevalence")})
        if np.isnan(shares).any():
            raise ValueError(
                "The chance level is the share of the positives, which points do not hold: pass "
                "prevalence_pos_label to PrecisionRecallDisplay."
            )
        ends = dict.fromkeys(map(value, shares[:1] + shares[-1:]))
        return f"Chance level (AP = {' to '.join(ends)})", [(share, share) for share in shares]
