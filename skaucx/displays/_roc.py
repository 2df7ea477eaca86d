"""Pictures of ROC and DET curves, and of the curves of the score-valued variants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from .._arguments import Axes, Label
from .._arrays import Floats
from ..metrics.curves import RocCurve, prob_roc_curve, roc_curve, scor_roc_curve
from ._curve_display import CurveDisplay, SquareDisplay, read_from_curves
from ._sources import curves_of_points

_RATES = (0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95)  # ticks of an axis of normal deviates
_SHOWN = special.ndtri(0.0007), special.ndtri(0.97)  # limits of such an axis


class RocCurveDisplay(SquareDisplay):
    """Picture of one or several ROC curves.

    Make it by ``from_estimator``, ``from_predictions`` or ``from_cv_results``, which take the keywords
    of ``plot`` and of :func:`roc_curve` too, or from curves: a convex hull, or the mean of the curves of
    all classes by :func:`mean_curve`, is one more curve.

    Parameters
    ----------
    curves : RocCurve, list of RocCurve, or dict from str to either
        One curve; several that share a style, such as those of the folds of a cross-validation; or
        curves by name, such as those of several classes or classifiers.
    fpr, tpr : array-like of shape (n_points,), default=None
        Instead of `curves`: false and true positive rates. The area is that below these points.
    name : str or list of str, default=None
        Name in the legend; a list names each of several curves.
    pos_label : int, float, bool or str, default=None
        The positive class, named on the axes.
    roc_auc : float, default=None
        The area that the legend shows; by default that of the curve.
    estimator_name : str or list of str, default=None
        The same as `name`, as scikit-learn spells it.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_ : matplotlib Line2D or list of Line2D
        The curve, or the curves.
    mean_ : list of Line2D
        The mean of several curves that share a style, drawn over a band of one standard deviation.
    chance_level_, band_ : matplotlib artist or None

    Examples
    --------
    >>> from skaucx.metrics import RocCurveDisplay, roc_curve
    >>> curve = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> display = RocCurveDisplay({"model": curve, "its hull": curve.hull()}).plot()
    >>> [text.get_text() for text in display.ax_.get_legend().get_texts()]
    ['model (AUC = 0.75)', 'its hull (AUC = 0.88)']
    """

    _make: ClassVar[Callable[..., Any]] = roc_curve
    _axes = ("False positive rate", "True positive rate")
    _fields, _value_name = ("fpr", "tpr"), "AUC"
    _chance = "Chance level (AUC = 0.5)", [(0, 1)]
    fpr, tpr = read_from_curves(attrgetter("fpr")), read_from_curves(attrgetter("tpr"))
    roc_auc = read_from_curves(attrgetter("area"))

    def __init__(
        self,
        curves: Any = None,
        *,
        fpr: ArrayLike | None = None,
        tpr: ArrayLike | None = None,
        name: str | Sequence[str] | None = None,
        pos_label: Label = None,
        roc_auc: float | None = None,
        estimator_name: str | Sequence[str] | None = None,
    ) -> None:
        given = curves_of_points(curves, RocCurve.from_points, fpr=fpr, tpr=tpr)
        super().__init__(given, name=name, pos_label=pos_label, estimator_name=estimator_name)
        self._stated = roc_auc


class DetCurveDisplay(CurveDisplay):
    """Picture of the detection error trade-off: misses against false alarms, on normal deviates.

    Make it by ``from_estimator``, ``from_predictions`` or ``from_cv_results``, or from curves. Scores
    that are normal in both classes give straight lines.

    Parameters
    ----------
    curves : RocCurve, list of RocCurve, or dict from str to either
        As :func:`roc_curve` makes them.
    fpr, fnr : array-like of shape (n_points,), default=None
        Instead of `curves`: false positive and false negative rates.
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

    References
    ----------
    .. [1] A. Martin, G. Doddington, T. Kamm, M. Ordowski and M. Przybocki, The DET curve in assessment
       of detection task performance, Eurospeech, 1895-1898, 1997.

    Examples
    --------
    >>> from skaucx.metrics import DetCurveDisplay
    >>> display = DetCurveDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> display.ax_.get_xlabel()
    'False positive rate, % (Positive label: 1)'
    """

    # The straight lines of a ROC curve bend on deviates: every point is kept.
    _make = partial(roc_curve, drop_intermediate=False)
    _axes = ("False positive rate, %", "False negative rate, %")
    fpr = read_from_curves(attrgetter("fpr"))
    fnr = read_from_curves(lambda curve: 1 - curve.tpr)

    def __init__(
        self,
        curves: Any = None,
        *,
        fpr: ArrayLike | None = None,
        fnr: ArrayLike | None = None,
        name: str | Sequence[str] | None = None,
        pos_label: Label = None,
        estimator_name: str | Sequence[str] | None = None,
    ) -> None:
        hits = None if fnr is None else 1 - np.asarray(fnr, dtype=np.float64)
        given = curves_of_points(curves, RocCurve.from_points, fpr=fpr, fnr=hits)
        super().__init__(given, name=name, pos_label=pos_label, estimator_name=estimator_name)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        despine: bool = False,
        **kwargs: Any,
    ) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New ones if None.
        name : str, default=None
            Instead of the name given before.
        despine : bool, default=False
            Whether to remove the top and the right spine.
        **kwargs
            Keywords of matplotlib's ``plot``.

        Returns
        -------
        DetCurveDisplay
        """
        self._begin(ax, name)
        self._draw_curves(kwargs, places=None)
        places, words = special.ndtri(_RATES), [f"{100 * rate:g}" for rate in _RATES]
        self.ax_.set_xticks(places, words)
        self.ax_.set_yticks(places, words)
        self.ax_.set(xlim=_SHOWN, ylim=_SHOWN, box_aspect=1)
        return self._end(despine, self._labelled(self._axes[0]), self._axes[1])

    def _points(self, curve: RocCurve) -> tuple[Floats, Floats]:
        """Return the points from the first without misses to the last without false alarms.

        As in scikit-learn, rates of 0 and 1 are clipped: their deviates are infinite.
        """
        first = max(np.searchsorted(curve.fpr, 0, side="right") - 1, 0)
        part = slice(first, np.searchsorted(curve.tpr, curve.tpr[-1]) + 1)
        eps = np.finfo(np.float64).eps
        x, y = np.clip([curve.fpr[part], 1 - curve.tpr[part]], eps, 1 - eps)[:, ::-1]
        return special.ndtri(x), special.ndtri(y)


class ProbRocDisplay(RocCurveDisplay):
    """Picture of probROC curves, whose areas are probAUC; see :func:`prob_roc_curve`.

    Made and drawn as a :class:`RocCurveDisplay`.

    Parameters
    ----------
    curves : ProbRocCurve, list of ProbRocCurve, or dict from str to either
    name : str or list of str, default=None
        Name in the legend.
    pos_label : int, float, bool or str, default=None
        The positive class, named on the axes.
    estimator_name : str or list of str, default=None
        The same as `name`, as scikit-learn spells it.

    Examples
    --------
    >>> from skaucx.displays import ProbRocDisplay
    >>> display = ProbRocDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> display.ax_.get_xlabel().splitlines()[0]
    'False positive rate of blurred negatives'
    """

    __init__ = CurveDisplay.__init__  # points of a ROC curve are none of this one
    _make = prob_roc_curve
    _value_name = "probAUC"
    _axes = ("False positive rate of blurred negatives", "True positive rate")


class ScorRocDisplay(SquareDisplay):
    """Picture of scorROC curves: the AUC that is left when positive scores are lowered.

    Made as a :class:`RocCurveDisplay`; see :func:`scor_roc_curve`.

    Parameters
    ----------
    curves : ScorRocCurve, list of ScorRocCurve, or dict from str to either
    name : str or list of str, default=None
        Name in the legend.
    pos_label : int, float, bool or str, default=None
        The positive class, named on the axes.
    estimator_name : str or list of str, default=None
        The same as `name`, as scikit-learn spells it.

    Examples
    --------
    >>> from skaucx.displays import ScorRocDisplay
    >>> display = ScorRocDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> display.ax_.get_legend().get_texts()[0].get_text()
    'Classifier (scorAUC = 0.34)'
    """

    _make = scor_roc_curve
    _fields, _value_name = ("shift", "auc"), "scorAUC"
    _axes = ("Shift \u03c4 by which positive scores are lowered", "AUC")
    _chance = "AUC = 0.5", [(0.5, 0.5)]
