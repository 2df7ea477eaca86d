"""Pictures of decisions: gain and lift, net benefit, expected costs, risk against coverage."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from .._arguments import Axes, Label
from .._arrays import Floats
from .._options import check_choice, check_flag
from .._plotting import band_style, fit_labels, inches, muted
from ..metrics.curves import (
    DecisionCurve,
    PrecisionRecallCurve,
    RiskCoverageCurve,
    RocCurve,
    cost_curve,
    decision_curve,
    precision_recall_curve,
    risk_coverage_curve,
    roc_curve,
)
from ._curve_display import CurveDisplay, read_from_curves
from ._sources import Curves, Scored, curves_of_points, one_name

_RIGHT, _TOP = 1.04, 1.08  # of the last threshold and the greatest height: the limits
_SEEN = 0.01  # of the prevalence: a net benefit that can be seen


@functools.wraps(decision_curve)
def _curve(y_true: Any, y_proba: Any, **options: Any) -> DecisionCurve:
    """Return a decision curve; by default at thresholds up to those above all probabilities."""
    curve = decision_curve(y_true, y_proba, **options)
    if options.get("thresholds") is not None or _end(curve) == 1:
        return curve
    steps = len(curve.thresholds) + 1
    return decision_curve(
        y_true, y_proba, **options | {"thresholds": _end(curve) * np.arange(1, steps) / steps}
    )


def _end(curve: DecisionCurve) -> float:
    """Return the end of the axis of thresholds: 1, or less where few are predicted positive above."""
    seen = curve.thresholds[np.abs(curve.net_benefit) > _SEEN * curve.prevalence]
    last = 1.1 * float(seen.max(initial=0))
    return 1.0 if last > 0.5 or last == 0 else last


class DecisionDisplay(CurveDisplay):
    """Plot of the net benefit of a model, with treating all and none.

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
    line_ : Line2D or list of Line2D
    mean_ : list of Line2D
        The mean of the curves of folds, over a band of one standard deviation.

    Examples
    --------
    >>> from skaucx.displays import DecisionDisplay
    >>> y_true, y_proba = [0, 0, 1, 0, 1, 1], [0.1, 0.3, 0.4, 0.6, 0.7, 0.9]
    >>> display = DecisionDisplay.from_predictions(y_true, y_proba, thresholds=[0.2, 0.5])
    >>> display.line_.get_ydata().round(4).tolist()
    [0.4167, 0.1667]
    """

    _make: ClassVar[Callable[..., Any]] = _curve
    _bounds = (-np.inf, 1.0)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        kind: Literal["net_benefit", "interventions_avoided"] = "net_benefit",
        band: bool | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New ones if None.
        name : str, default=None
            Instead of the name given before.
        kind : {"net_benefit", "interventions_avoided"}, default="net_benefit"
        band : bool, default=None
            Whether to shade the intervals of the net benefit; by default where there is one curve.
        despine : bool, default=False
            Whether to remove the top and the right spine.

        Returns
        -------
        DecisionDisplay
        """
        check_choice("kind", kind, ("net_benefit", "interventions_avoided"))
        self._begin(ax, name)
        self._fields, benefit = ("thresholds", kind), kind == "net_benefit"
        first = self._groups(None)[0][1][0]
        drawn = self._draw_curves(places=first.thresholds)
        if benefit:
            style = {"color": muted(self.ax_), "linestyle": "--"}
            self.ax_.plot(first.thresholds, first.treat_all, label="treat all", **style)
            self.ax_.axhline(0, label="treat none", color=muted(self.ax_), linestyle=":")
        shaded = benefit and not self.mean_ and (len(self.lines_) == 1 if band is None else band)
        for one in drawn if shaded else ():
            [curve], [line] = one.curves, one.lines
            look = band_style(line.get_color())
            self.ax_.fill_between(curve.thresholds, curve.low, curve.high, **look)
        end, top = self.ax_.dataLim.x1, self.ax_.dataLim.y1
        self.ax_.set(xlim=(0, _RIGHT * end), ylim=(-0.15 * top, _TOP * top))
        high = "Net benefit" if benefit else "Interventions avoided"
        return self._end(despine, self._labelled("Threshold probability"), high)

    def _points(self, curve: DecisionCurve) -> tuple[Floats, Floats]:
        return curve.thresholds, getattr(curve, self._fields[1])

    def _height(self, curve: DecisionCurve, x: Floats) -> Floats:
        return np.interp(x, *self._points(curve))


class CostDisplay(CurveDisplay):
    """Plot of the expected cost against the costs of both errors.

    Make it by ``from_estimator``, ``from_predictions`` or ``from_cv_results``, or from curves.

    Parameters
    ----------
    curves : CostCurve, list of CostCurve, or dict from str to either
        As :func:`cost_curve` makes them.
    name : str, default=None
        Name in the legend.
    pos_label : int, float, bool or str, default=None
        The positive class, named on the axes.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_ : Line2D or list of Line2D
    mean_ : list of Line2D
        The mean of the curves of folds, over a band of one standard deviation.

    Examples
    --------
    >>> from skaucx.displays import CostDisplay
    >>> display = CostDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> display.ax_.get_xlabel().splitlines()[0]
    'Probability cost of the positives (Positive label: 1)'
    """

    _make: ClassVar[Callable[..., Any]] = cost_curve

    _fields, _value_name = ("cost", "loss"), "area"

    def _draw(self, ax: Any) -> None:
        self._draw_curves()
        style = {"color": muted(ax), "linestyle": ":"}
        ax.plot((0, 0.5, 1), (0, 0.5, 0), label="one call for all", **style)
        ax.set_xlim(-0.04, 1.04)
        x = self._labelled("Probability cost of the positives")
        fit_labels(ax, x, "Normalised expected cost")


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
    line_ : Line2D or list of Line2D
    mean_ : list of Line2D
        The mean of the curves of folds, over a band of one standard deviation.

    Examples
    --------
    >>> from skaucx.displays import GainDisplay
    >>> display = GainDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> display.line_.get_data()[1].tolist()
    [0.0, 0.5, 0.5, 1.0, 1.0]
    """

    _make: ClassVar[Callable[..., Any]] = precision_recall_curve
    _value_name = "KS"

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        kind: Literal["gain", "lift", "ks"] = "gain",
        despine: bool = False,
    ) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New ones if None.
        name : str, default=None
            Instead of the name given before.
        kind : {"gain", "lift", "ks"}, default="gain"
        despine : bool, default=False
            Whether to remove the top and the right spine.

        Returns
        -------
        GainDisplay
        """
        self._what = _KINDS[check_choice("kind", kind, _KINDS)]
        self._bounds = self._what.bounds
        self._begin(ax, name)
        self._draw_curves(places=_SHARES)
        if kind == "ks":
            self._mark_greatest()
        style = {"color": muted(self.ax_), "linestyle": ":"}
        self.ax_.plot((0, 1), self._what.chance, label="random choice", **style)
        self.ax_.set_xlim(-0.01, 1.01)
        across = self._labelled("Share predicted positive")
        return self._end(despine, across, self._what.height)

    def _points(self, curve: PrecisionRecallCurve) -> tuple[Floats, Floats]:
        return self._what.points(curve)

    def _height(self, curve: PrecisionRecallCurve, x: Floats) -> Floats:
        return self._what.at(curve, x)

    def _value(self, curve: PrecisionRecallCurve) -> float:
        """Return the Kolmogorov-Smirnov statistic."""
        return float(np.abs(_gap(curve)[1]).max())

    def _mark_greatest(self) -> None:
        """Mark the greatest gap of every line by a dot and its distance from a random choice."""
        for line in self.lines_:
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
    """The quantity and its range, the chance level, the label of the axis."""

    points: Callable[[PrecisionRecallCurve], tuple[Floats, Floats]]
    at: Callable[[PrecisionRecallCurve, Floats], Floats]
    bounds: tuple[float, float]
    chance: tuple[float, float]
    height: str


_KINDS = {
    "gain": _Kind(_gain, _gain_at, (0, 1), (0, 1), "Share of the positives found"),
    "lift": _Kind(_lift, _lift_at, (0, np.inf), (1, 1), "Lift"),
    "ks": _Kind(_gap, _gap_at, (-1, 1), (0, 0), "TPR \u2212 FPR"),
}


@functools.wraps(roc_curve)
def _misses(y_true: Any, y_score: Any, *, drop_intermediate: bool = True, **how: Any) -> RocCurve:
    """Drop points between others of their height: the rest of a straight line bends on deviates."""
    curve = roc_curve(y_true, y_score, drop_intermediate=False, **how)
    if not check_flag("drop_intermediate", drop_intermediate):
        return curve
    level = np.diff(curve.tpr) == 0
    kept = ~np.pad(level[:-1] & level[1:], 1)
    points = {name: getattr(curve, name)[kept] for name in ("fpr", "tpr", "thresholds")}
    return replace(curve, **points)


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

    _make: ClassVar[Callable[..., Any]] = _misses
    _averaged = False
    fpr = read_from_curves(attrgetter("fpr"))
    fnr = read_from_curves(lambda curve: 1 - curve.tpr)

    def __init__(
        self,
        curves: Curves = None,
        *,
        fpr: ArrayLike | None = None,
        fnr: ArrayLike | None = None,
        name: str | Sequence[str] | None = None,
        pos_label: Label = None,
        estimator_name: str | Sequence[str] | None = None,
    ) -> None:
        given = curves_of_points(curves, _from_misses, fpr=fpr, fnr=fnr)
        super().__init__(given, name=one_name(name, estimator_name), pos_label=pos_label)

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
        self._draw_curves(kwargs)
        self.ax_.set_box_aspect(1)
        letters = 72 * inches(self.ax_).min() / self.ax_.xaxis.label.get_fontsize()
        rates = _RATES if letters > _SMALL else _RATES[::2]
        places, words = special.ndtri(rates), [f"{100 * rate:g}" for rate in rates]
        self.ax_.set_xticks(places, words)
        self.ax_.set_yticks(places, words)
        limits = special.ndtri(0.0007), special.ndtri(0.97)
        self.ax_.set(xlim=limits, ylim=limits)
        across = self._labelled("False positive rate, %")
        return self._end(despine, across, "False negative rate, %")

    def _points(self, curve: RocCurve) -> tuple[Floats, Floats]:
        """Return the points from the first without misses to the last without false alarms.

        As in scikit-learn, rates of 0 and 1 are clipped: their deviates are infinite.
        """
        first = max(np.searchsorted(curve.fpr, 0, side="right") - 1, 0)
        part = slice(first, np.searchsorted(curve.tpr, curve.tpr[-1]) + 1)
        eps = np.finfo(np.float64).eps
        x, y = np.clip([curve.fpr[part], 1 - curve.tpr[part]], eps, 1 - eps)[:, ::-1]
        return special.ndtri(x), special.ndtri(y)


def _from_misses(fpr: Any, fnr: Any) -> RocCurve:
    return RocCurve.from_points(fpr, 1 - np.asarray(fnr, dtype=np.float64))


class RiskCoverageDisplay(CurveDisplay):
    """Picture of the error rate among the accepted against the share that is accepted.

    Make it by ``from_estimator``, ``from_predictions`` or ``from_cv_results`` (one curve a fold), or
    from curves. Several classes have one curve, of the errors of the most probable class.

    Parameters
    ----------
    curves : RiskCoverageCurve, list of RiskCoverageCurve, or dict from str to either
        As :func:`risk_coverage_curve` makes them.
    name : str, default=None
        Name in the legend.
    pos_label : int, float, bool or str, default=None
        The class that one column of probabilities is of.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_ : Line2D or list of Line2D
    mean_ : list of Line2D
        The mean of the curves of folds, over a band of one standard deviation.

    Examples
    --------
    >>> from skaucx.displays import RiskCoverageDisplay
    >>> display = RiskCoverageDisplay.from_predictions([1, 0, 1, 0], [0.9, 0.2, 0.7, 0.6])
    >>> display.line_.get_ydata().tolist()
    [0.0, 0.0, 0.0, 0.25]
    """

    _make: ClassVar[Callable[..., Any]] = risk_coverage_curve
    _value_name = "AURC"

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        kind: Literal["risk", "accuracy"] = "risk",
        plot_best: bool = True,
        despine: bool = False,
    ) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New ones if None.
        name : str, default=None
            Instead of the name given before.
        kind : {"risk", "accuracy"}, default="risk"
            The error rate against the share that is accepted, or the accuracy against the share that
            is rejected.
        plot_best : bool, default=True
            Whether to draw, for a single curve, the best curve with the same errors, all of them
            last.
        despine : bool, default=False
            Whether to remove the top and the right spine.

        Returns
        -------
        RiskCoverageDisplay
        """
        self._risk = check_choice("kind", kind, ("risk", "accuracy")) == "risk"
        self._begin(ax, name)
        self._draw_curves()
        if plot_best and isinstance(self.curves, RiskCoverageCurve):
            best = replace(self.curves, risk=self.curves.best_risk)
            style = {"color": muted(self.ax_), "linestyle": ":"}
            self.ax_.plot(*self._points(best), label="errors last", **style)
        self.ax_.set_xlim(-0.01, 1.01)
        if self._risk:
            return self._end(despine, "Share accepted", "Error rate of the accepted")
        return self._end(despine, "Share rejected", "Accuracy of the accepted")

    def _points(self, curve: RiskCoverageCurve) -> tuple[Floats, Floats]:
        if self._risk:
            return curve.coverage, curve.risk
        return 1 - curve.coverage, 1 - curve.risk

    def _height(self, curve: RiskCoverageCurve, x: Floats) -> Floats:
        return curve.at(x) if self._risk else 1 - curve.at(1 - x)

    @classmethod
    def _made(
        cls, scored: Scored, labels: Any, pos_label: Any, options: dict[str, Any]
    ) -> dict[Any, Any]:
        """Make one curve, of two classes or of many."""
        y, score, weight = scored
        names = labels if np.ndim(score) == 2 else None
        positive = pos_label if np.ndim(score) == 1 else None
        how = {"labels": names, "pos_label": positive, "sample_weight": weight}
        return {None: risk_coverage_curve(y, score, **how, **options)}
