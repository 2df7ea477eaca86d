"""Cumulative gain, lift and Kolmogorov-Smirnov gap; the trade-off of errors on normal deviates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from scipy import special

from ..._arrays import Floats
from ..._options import check_choice
from ..._plotting import expected
from ..curves import PrecisionRecallCurve, RocCurve, precision_recall_curve, roc_curve
from ._curve_display import CurveDisplay, mean_text
from ._sources import curves_of_points, one_name

_RATES = (0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95)  # ticks of an axis of normal deviates
_SHARES = np.linspace(0.005, 1, 200)  # at which the curves of folds are averaged
_SMALL = 18  # letters high; smaller axes have every other tick


class GainDisplay(CurveDisplay):
    r"""Picture of the cumulative gain, the lift or the KS gap against the share of the examples called.

    Of the examples with the highest scores, a share s of all: the gain is the share of the positives
    among them, the lift how many times more that is than of a random choice, and the gap how much more
    than the share of the negatives. The greatest gap, which is marked, is :func:`ks_score`.

    .. math:: \mathrm{gain}(s) = \mathrm{TPR}, \quad \mathrm{lift}(s) = \mathrm{TPR} / s, \quad
        \mathrm{gap}(s) = \mathrm{TPR} - \mathrm{FPR}

    Make it by ``from_estimator``, ``from_predictions`` or ``from_cv_results``, or from curves.

    Parameters
    ----------
    curves : PrecisionRecallCurve, list of PrecisionRecallCurve, or dict from str to either
        As :func:`precision_recall_curve` makes them.
    name : str, default=None
        Name in the legend.
    pos_label : int, float, bool or str, default=None
        The positive class, named on the axes.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_ : list of Line2D
    mean_ : list of Line2D
        The mean of the curves of folds, over a band of one standard deviation.

    Examples
    --------
    >>> from skaucx.metrics.displays import GainDisplay
    >>> display = GainDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> display.line_[0].get_data()[1].tolist()
    [0.0, 0.5, 0.5, 1.0, 1.0]
    """

    _make: ClassVar[Callable[..., Any]] = precision_recall_curve

    def plot(
        self, ax: Any = None, *, kind: Literal["gain", "lift", "ks"] = "gain", despine: bool = False
    ) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New ones if None.
        kind : {"gain", "lift", "ks"}, default="gain"
        despine : bool, default=False
            Whether to remove the top and the right spine.

        Returns
        -------
        GainDisplay
        """
        what = _KINDS[check_choice("kind", kind, _KINDS)]
        self._begin(ax)
        self._draw(what.points, _greatest, what.at, places=_SHARES, bounds=what.bounds)
        if kind == "ks":
            self._mark_greatest()
        self._reference((0, 1), what.chance, "random choice")
        self.ax_.set_xlim(-0.01, 1.01)
        across = self._labelled("Share predicted positive")
        self._finish(across, what.height, what.corner, despine)
        return self

    def _mark_greatest(self) -> None:
        """Mark the greatest gap of every line by a dot and its distance from a random choice."""
        for line in self.line_:
            called, gap = (np.asarray(side, float) for side in line.get_data())
            if np.isfinite(gap).any():
                at = int(np.nanargmax(np.abs(gap)))
                look = {"color": line.get_color(), "alpha": line.get_alpha()}
                self.ax_.plot(
                    [called[at]] * 2, [0, gap[at]], marker="o", markevery=[1], linewidth=0.8, **look
                )


def _gain(curve: PrecisionRecallCurve) -> tuple[Floats, Floats]:
    counts = curve.threshold_counts
    return counts.predicted_positives / counts.total, counts.tp / counts.positives


def _lift(curve: PrecisionRecallCurve) -> tuple[Floats, Floats]:
    called, gain = _gain(curve)
    return called[1:], gain[1:] / called[1:]  # nothing is called at the first


def _gap(curve: PrecisionRecallCurve) -> tuple[Floats, Floats]:
    called, gain = _gain(curve)
    counts = curve.threshold_counts
    return called, gain - counts.fp / counts.negatives


def _gain_at(curve: PrecisionRecallCurve, share: Floats) -> Floats:
    return np.interp(share, *_gain(curve))  # of ties at the cut their expectation


def _lift_at(curve: PrecisionRecallCurve, share: Floats) -> Floats:
    return _gain_at(curve, share) / share


def _gap_at(curve: PrecisionRecallCurve, share: Floats) -> Floats:
    return np.interp(share, *_gap(curve))


class _Kind(NamedTuple):
    """The quantity and its range, the chance level, the label of the axis, the corner of the legend."""

    points: Callable[[PrecisionRecallCurve], tuple[Floats, Floats]]
    at: Callable[[PrecisionRecallCurve, Floats], Floats]
    bounds: tuple[float, float]
    chance: tuple[float, float]
    height: str
    corner: str


_KINDS = {
    "gain": _Kind(_gain, _gain_at, (0, 1), (0, 1), "Share of the positives found", "lower right"),
    "lift": _Kind(_lift, _lift_at, (0, np.inf), (1, 1), "Lift", "upper right"),
    "ks": _Kind(_gap, _gap_at, (-1, 1), (0, 0), "TPR \u2212 FPR", "upper right"),
}


def _greatest(curves: Sequence[PrecisionRecallCurve]) -> str:
    """Return the Kolmogorov-Smirnov statistic, of several curves its mean."""
    return mean_text("KS", [float(np.abs(_gap(curve)[1]).max()) for curve in curves])


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
    line_ : list of Line2D

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

    _make: ClassVar[Callable[..., Any]] = roc_curve

    def __init__(
        self,
        curves: Any = None,
        *,
        fpr: Any = None,
        fnr: Any = None,
        name: Any = None,
        pos_label: Any = None,
        estimator_name: Any = None,
    ) -> None:
        given = curves_of_points(curves, _from_misses, fpr=fpr, fnr=fnr)
        super().__init__(given, name=one_name(name, estimator_name), pos_label=pos_label)

    def plot(
        self, ax: Any = None, *, name: str | None = None, despine: bool = False, **kwargs: Any
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
        self.name = self.name if name is None else name
        self._begin(ax)
        self._draw(_deviates, kwargs=kwargs)
        self.ax_.set_box_aspect(1)
        letters = 72 * expected(self.ax_)[0] / self.ax_.xaxis.label.get_fontsize()
        rates = _RATES if letters > _SMALL else _RATES[::2]
        places, words = special.ndtri(rates), [f"{100 * rate:g}" for rate in rates]
        self.ax_.set_xticks(places, words)
        self.ax_.set_yticks(places, words)
        limits = special.ndtri(0.0007), special.ndtri(0.97)
        self.ax_.set(xlim=limits, ylim=limits)
        across = self._labelled("False positive rate, %")
        self._finish(across, "False negative rate, %", "upper right", despine)
        return self


def _from_misses(fpr: Any, fnr: Any) -> RocCurve:
    return RocCurve.from_points(fpr, 1 - np.asarray(fnr, dtype=np.float64))


def _deviates(curve: RocCurve) -> tuple[Floats, Floats]:
    inner = (curve.fpr > 0) & (curve.tpr < 1)
    return special.ndtri(curve.fpr[inner]), special.ndtri(1 - curve.tpr[inner])
