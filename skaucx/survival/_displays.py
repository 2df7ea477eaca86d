"""Pictures of survival metrics: a metric over time with its band, and calibration at a horizon."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from .._arguments import Axes, Estimator, Features
from .._arrays import Array, Floats, check_rows
from .._options import Positive, check_confidence_level, check_whole
from .._plotting import (
    Display,
    band_style,
    fit_labels,
    legible,
    line_styles,
    marker,
    muted,
    shown,
    unit_square,
)
from ..inference import interval
from ..inference._intervals.limits import linked, logit, quantile
from ..metrics import named_metric
from ._formulas import check_times, cloglog_of_risk, fit_until
from ._kinds import ProductLimit, SurvivalFunctions, check_survival_functions

# Shares of the rows at the knots of a restricted cubic spline, and places at which it is drawn.
_KNOTS, _PLACES = (0.1, 0.5, 0.9), 201
_UNIT = logit(0.0, 1.0)
_NONE = np.array(np.nan), np.array(np.nan)


class TimeDependentDisplay(Display):
    """Picture of a survival metric over time, with its interval at every time.

    Make it by ``from_predictions`` or ``from_estimator``.

    Parameters
    ----------
    metric : str
        Name of the metric.
    times : ndarray of shape (n_times,), float64
    intervals : list of Interval
        One a time.
    reference : ndarray of shape (n_times,), float64, or None
        What predictions without information have.
    name : str, default=None
        Name in the legend.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_ : Line2D
    band_ : matplotlib PolyCollection

    Examples
    --------
    >>> from skaucx.survival import TimeDependentDisplay
    >>> y = [[5, 1], [8, 0], [3, 1], [9, 1], [6, 0], [4, 1]]  # times, and whether each is an event
    >>> risk = [0.7, 0.2, 0.9, 0.1, 0.8, 0.3]
    >>> display = TimeDependentDisplay.from_predictions(y, risk, times=[4, 5])
    >>> display.line_.get_ydata().round(4).tolist()
    [0.75, 0.7778]
    """

    _titled = False
    _legend: ClassVar = {}

    def __init__(
        self,
        metric: str,
        times: Floats,
        intervals: Sequence[Any],
        reference: Floats | None = None,
        name: str | None = None,
    ) -> None:
        self.metric, self.times, self.intervals = metric, times, list(intervals)
        self.reference, self.name = reference, name

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred_or_score: ArrayLike,
        *,
        times: ArrayLike,
        metric: str = "cumulative_dynamic_auc",
        name: str | None = None,
        ax: Axes | None = None,
        despine: bool = False,
        **options: Any,
    ) -> Self:
        """Draw a metric of predictions that has a horizon.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or (n_samples, 2)
            Times and events.
        y_pred_or_score : array-like of shape (n_samples,) or (n_samples, n_times), or step functions
            Risks, or probabilities of no event; the columns of a matrix belong to `times`.
        times : array-like of shape (n_times,)
            Two or more times, rising, the last below the end of the follow-up.
        metric : str, default="cumulative_dynamic_auc"
            A metric with a parameter `horizon`, such as "survival_brier_loss" or "survival_r2".
        name : str, default=None
            Name in the legend.
        ax : matplotlib Axes, default=None
            New ones if None.
        despine : bool, default=False
            Whether to remove the top and the right spine.
        **options
            Keywords of :func:`interval` and of the metric, such as `y_train`, `groups` and
            `confidence_level`.

        Returns
        -------
        TimeDependentDisplay
            The band holds at each time by itself, not at all of them at once.
        """
        row = named_metric(metric).row
        if "horizon" not in row.parameters:
            raise ValueError(f"metric must have a parameter 'horizon', found {row.name!r}.")
        times = check_times("times", times)
        if hasattr(y_true, "shape") and hasattr(y_pred_or_score, "shape"):
            check_rows({"y_true": y_true, "y_pred_or_score": y_pred_or_score})
        each = [_column(y_pred_or_score, k, len(times)) for k in range(len(times))]
        found = [
            interval(metric, y_true, own, horizon=float(t), **options)
            for own, t in zip(each, times, strict=True)
        ]
        reference = None
        if row.name == "survival_brier_loss":
            shared = {n: options[n] for n in ("y_train", "sample_weight") if n in options}
            skill = [
                named_metric("survival_r2").function(y_true, own, horizon=float(t), **shared)
                for own, t in zip(each, times, strict=True)
            ]
            reference = np.array([one.estimate for one in found]) / (1 - np.array(skill))
        elif row.uninformed is not None:
            reference = np.full(len(times), row.uninformed)
        return cls(row.name, times, found, reference, name).plot(ax, despine=despine)

    @classmethod
    def from_estimator(
        cls, estimator: Estimator, X: Features, y: ArrayLike, **options: Any
    ) -> Self:
        """Draw a metric of the predictions of a fitted estimator.

        Parameters
        ----------
        estimator : estimator
            Fitted; it has ``predict`` for risks, or ``predict_survival_function``.
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, 2)
            Times and events.
        **options
            As for `from_predictions`.

        Returns
        -------
        TimeDependentDisplay
        """
        response = named_metric(options.get("metric", "cumulative_dynamic_auc")).row.response_method
        method = response if isinstance(response, str) else response[0]
        options.setdefault("name", type(estimator).__name__)
        return cls.from_predictions(y, getattr(estimator, method)(X), **options)

    def _draw(self, ax: Any) -> None:
        style = line_styles(self.ax_)(0)
        values, low, high = (
            np.array([getattr(one, end) for one in self.intervals], dtype=np.float64)
            for end in ("estimate", "low", "high")
        )
        [self.line_] = self.ax_.plot(
            self.times, values, label=legible(self._name or shown(self.metric)), **style
        )
        level = f"{100 * self.intervals[0].confidence_level:g} %, each time by itself"
        shade = band_style(style["color"]) | {"label": level}
        self.band_ = self.ax_.fill_between(self.times, low, high, **shade)
        if self.reference is not None:
            reported = "Kaplan-Meier" if self.metric == "survival_brier_loss" else "no information"
            plain = {"color": muted(self.ax_), "linestyle": ":", "label": reported}
            self.ax_.plot(self.times, self.reference, **plain)
        fit_labels(self.ax_, "Time", shown(self.metric))


def _column(predictions: Any, place: int, many: int) -> Any:
    """Return what belongs to one of several times; a frame and step functions hold their times."""
    if hasattr(predictions, "columns"):
        return predictions
    array: Array = np.asarray(predictions)
    if array.ndim != 2:
        return predictions
    if array.shape[1] != many:
        raise ValueError(f"The predictions have {array.shape[1]} columns for {many} times.")
    return array[:, place]


class SurvivalModel(Protocol):
    """A fitted model of survival functions."""

    def predict_survival_function(self, X: Any) -> Any: ...


class RiskGroups(NamedTuple):
    """Rows in groups of their predicted risk.

    Attributes
    ----------
    predicted, observed, low, high : ndarray of shape (n_bins,), float64
        The mean predicted risk, and that by Kaplan and Meier with its interval.
    """

    predicted: Floats
    observed: Floats
    low: Floats
    high: Floats


class SurvivalCalibrationDisplay(Display):
    r"""Picture of the risk up to a horizon that is observed, against the predicted one.

    Make it by ``from_predictions`` or ``from_estimator``. Points are groups of equal size by their
    predicted risk, with the risk by Kaplan and Meier in each. The line is the risk of a Cox model with a
    restricted cubic spline of three knots in :math:`\log(-\log(1 - p))` of the predicted risk p
    (Austin, Harrell and van Klaveren 2020, Statistics in Medicine 39, 2714-2742).

    Parameters
    ----------
    horizon : float
    bins : RiskGroups
        The points.
    predicted, observed : ndarray of shape (n_places,), float64
        The line; nan where the model has no fit.
    confidence_level : float, default=0.95
        That of the intervals of the points.
    name : str, default=None
        Name in the legend.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_, points_ : Line2D

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.survival import SurvivalCalibrationDisplay
    >>> x = np.random.default_rng(0).normal(size=200)
    >>> time = np.random.default_rng(1).exponential(np.exp(-x))
    >>> y = np.column_stack([time, np.ones(200)])
    >>> display = SurvivalCalibrationDisplay.from_predictions(
    ...     y, np.exp(-np.exp(x)), horizon=1, n_bins=4
    ... )
    >>> display.points_.get_xdata().round(2).tolist()
    [0.27, 0.53, 0.76, 0.95]
    """

    _titled = False
    _legend: ClassVar = {}

    def __init__(
        self,
        horizon: float,
        bins: RiskGroups,
        predicted: Floats,
        observed: Floats,
        confidence_level: float = 0.95,
        name: str | None = None,
    ) -> None:
        self.horizon, self.bins, self.name = horizon, bins, name
        self.predicted, self.observed = predicted, observed
        self.confidence_level = confidence_level

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        horizon: float,
        n_bins: int = 5,
        confidence_level: float = 0.95,
        sample_weight: ArrayLike | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the calibration of predicted probabilities of no event.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or (n_samples, 2)
            Times and events.
        y_pred : array-like of shape (n_samples,), frame, or step functions
            Probabilities of no event up to the horizon.
        horizon : float > 0
            The time, below the end of the follow-up.
        n_bins : int, default=5
            Number of groups of equal size.
        confidence_level : float, default=0.95
            Of the interval of each group, in (0, 1).
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.
        name : str, default=None
            Name in the legend.
        ax : matplotlib Axes, default=None
            New ones if None.
        despine : bool, default=False
            Whether to remove the top and the right spine.

        Returns
        -------
        SurvivalCalibrationDisplay
        """
        horizon = Positive.__metadata__[0].check("horizon", horizon)  # type: ignore[attr-defined]
        check_confidence_level(confidence_level)
        record = check_survival_functions(y_true, y_pred, sample_weight=sample_weight)
        if horizon >= record.time.max():
            raise ValueError(
                f"horizon must lie below the end of the follow-up, {record.time.max():g}, found "
                f"{horizon:g}."
            )
        many = check_whole("n_bins", n_bins, 2)
        bins = _binned(record, horizon, many, quantile(confidence_level))
        line = smooth_calibration(record, horizon)
        return cls(horizon, bins, *line, confidence_level, name).plot(ax, despine=despine)

    @classmethod
    def from_estimator(
        cls, estimator: SurvivalModel, X: Features, y: ArrayLike, **options: Any
    ) -> Self:
        """Draw the calibration of a fitted estimator.

        Parameters
        ----------
        estimator : estimator
            Fitted, with ``predict_survival_function``.
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, 2)
            Times and events.
        **options
            As for `from_predictions`.

        Returns
        -------
        SurvivalCalibrationDisplay
        """
        options.setdefault("name", type(estimator).__name__)
        return cls.from_predictions(y, estimator.predict_survival_function(X), **options)

    def _draw(self, ax: Any) -> None:
        style = line_styles(self.ax_)(0)
        ideal = {"color": muted(self.ax_), "linestyle": ":"}
        self.ax_.plot((0, 1), (0, 1), label="as predicted", **ideal)
        [self.line_] = self.ax_.plot(
            self.predicted,
            self.observed,
            label=legible(self._name or "spline in a Cox model"),
            **style,
        )
        x, y, low, high = self.bins
        self.ax_.vlines(x, low, high, color=style["color"], linewidth=1)
        level = f"Kaplan-Meier, {100 * self.confidence_level:g} %"
        look = style | {"marker": marker(0), "linestyle": "", "label": level}
        [self.points_] = self.ax_.plot(x, y, **look)
        unit_square(self.ax_)
        at = f"up to {self.horizon:g}"
        fit_labels(self.ax_, f"Predicted risk {at}", f"Observed risk {at}")


def _binned(s: SurvivalFunctions, horizon: float, many: int, reach: float) -> RiskGroups:
    """Return groups by predicted risk; rows of one risk stay together."""
    risk = 1 - s.at(np.array([horizon]))[:, 0]
    edges = np.unique(np.quantile(risk, np.linspace(0, 1, many + 1)[1:-1]))
    place, found = np.searchsorted(edges, risk, "left"), []
    for group in np.unique(place):
        own = place == group
        weight = s.weights[own]
        limit = ProductLimit(s.time[own], s.event[own], weight, censoring=False)
        left = float(limit.at(horizon))
        known = horizon <= limit.times[-1] or left == 0
        error = left * np.linalg.norm(weight * limit.slopes(horizon, 1.0))
        inside = known and 0 < left < 1
        ends = linked(np.array(1 - left), np.array(reach * error), _UNIT) if inside else _NONE
        found.append((weight @ risk[own] / weight.sum(), 1 - left if known else np.nan, *ends))
    return RiskGroups(*np.array(found, dtype=np.float64).T)


def smooth_calibration(s: SurvivalFunctions, horizon: float) -> tuple[Floats, Floats]:
    """Return predicted risks, and those of a Cox model with a spline of them."""
    x = cloglog_of_risk(s, horizon)
    knots = np.unique(np.quantile(x, _KNOTS))
    ends = np.quantile(x, (0.01, 0.99))
    places = np.linspace(ends[0], ends[1], _PLACES)
    predicted = 1 - np.exp(-np.exp(places))
    model = fit_until(s, _spline(x, knots), horizon)
    return predicted, 1 - model.survival(_spline(places, knots), horizon)


def _spline(x: Floats, knots: Floats) -> Floats:
    """Return the columns of a restricted cubic spline: a line beyond the outer knots."""
    if len(knots) < len(_KNOTS):
        return x[:, None]
    first, middle, last = knots
    cubes = np.maximum(x[:, None] - knots, 0) ** 3
    ends = cubes[:, 1] * (last - first) - cubes[:, 2] * (middle - first)
    bend = (cubes[:, 0] - ends / (last - middle)) / (last - first) ** 2
    return np.column_stack([x, bend])
