"""How much predicted risks vary between models that were developed in the same way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .._arguments import Axes, Label
from .._arrays import Floats, check_same_length, float_array
from .._compat import import_pandas
from .._options import check_choice
from .._plotting import Display, fit_labels, muted, palette, unit_square
from .._text.html import Preformatted
from .._text.numbers import fixed
from .._text.plain import count, paragraph
from ..inference import reliability_curve

_MOST_CURVES = 100  # of a calibration instability plot
_MOST_POINTS = 40_000  # of a prediction instability plot


@dataclass(frozen=True, eq=False, repr=False)
class PredictionInstability(Preformatted):
    """Variation of predicted risks between models; made by :func:`prediction_instability`.

    Attributes
    ----------
    risk : ndarray of shape (n_samples,), float64
        Risk by the model.
    risks : ndarray of shape (n_models, n_samples), float64
        Risks by the other models; nan where a model has none.
    threshold : float
        The risk from which on a row is called positive.
    y_true : ndarray of shape (n_samples,) or None
    pos_label : int, float, bool or str, or None

    Examples
    --------
    >>> from skaucx.clinic import prediction_instability
    >>> found = prediction_instability([0.2, 0.6], [[0.1, 0.4], [0.3, 0.7]])
    >>> found.errors.round(2).tolist()
    [0.1, 0.15]
    """

    risk: Floats
    risks: Floats
    threshold: float
    y_true: Any = None
    pos_label: Any = None

    @property
    def errors(self) -> Floats:
        """Mean absolute prediction error of each row, shape (n_samples,)."""
        return np.asarray(np.nanmean(np.abs(self.risks - self.risk), axis=0))

    @property
    def mape(self) -> float:
        """Mean absolute prediction error over all rows."""
        return float(self.errors.mean())

    @property
    def flips(self) -> Floats:
        """Share of the models by which a row is called differently, shape (n_samples,)."""
        differs = (self.risks >= self.threshold) != (self.risk >= self.threshold)
        return np.asarray(np.nanmean(np.where(np.isnan(self.risks), np.nan, differs), axis=0))

    @property
    def flip_rate(self) -> float:
        """Share of the calls that differ, over all rows and models."""
        return float(self.flips.mean())

    def limits(self, share: float = 0.95) -> tuple[Floats, Floats]:
        """Return the outer percentiles of each row's risks, shape (n_samples,) each.

        Parameters
        ----------
        share : float, default=0.95
            Share of the models between the two.
        """
        low, high = np.nanquantile(self.risks, [(1 - share) / 2, (1 + share) / 2], axis=0)
        return low, high

    def to_frame(self) -> Any:
        """Return a pandas DataFrame, a row an example: risk, low, high, mape, flips.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        low, high = self.limits()
        columns = {"risk": self.risk, "low": low, "high": high}
        return import_pandas().DataFrame({**columns, "mape": self.errors, "flips": self.flips})

    def plot(
        self,
        ax: Axes | None = None,
        *,
        kind: Literal["prediction", "calibration", "classification", "error"] = "prediction",
        despine: bool = False,
    ) -> InstabilityDisplay:
        """Draw one of the four instability plots.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New ones if None.
        kind : {"prediction", "calibration", "classification", "error"}, default="prediction"
            As :class:`InstabilityDisplay` takes it.
        despine : bool, default=False
            Whether to remove the top and the right spine.

        Returns
        -------
        InstabilityDisplay
        """
        return InstabilityDisplay(self, kind=kind).plot(ax, despine=despine)

    def __repr__(self) -> str:
        low, high = self.limits()
        return paragraph(
            f"{count(len(self.risks), 'model')}, {count(len(self.risk), 'row')}: mean absolute "
            f"prediction error {fixed(self.mape)}, greatest of a row {fixed(self.errors.max())}; "
            f"95 % of the models within {fixed(float(np.median(high - low)))} (median of the rows); "
            f"{100 * self.flip_rate:.1f} % of the calls at {self.threshold:g} flip.",
            hang=2,
        )


def prediction_instability(
    risk: ArrayLike,
    risks: ArrayLike,
    y_true: ArrayLike | None = None,
    *,
    threshold: float = 0.5,
    pos_label: Label = None,
) -> PredictionInstability:
    r"""Compare predicted risks of a model with those of models developed in the same way.

    Parameters
    ----------
    risk : array-like of shape (n_samples,)
        Risks by the model, in [0, 1].
    risks : array-like of shape (n_models, n_samples)
        Risks of the same rows by models that repeat the whole development on resamples, in [0, 1]; nan
        where a model has none, as in repeated cross-validation.
    y_true : array-like of shape (n_samples,), optional
        True labels of two classes, for the calibration instability plot.
    threshold : float, default=0.5
        The risk from which on a row is called positive, in (0, 1).
    pos_label : int, float, bool or str, optional
        The positive class; see :func:`skaucx.metrics.recall_score`.

    Returns
    -------
    PredictionInstability

    Raises
    ------
    ValueError, TypeError
        If shapes differ, a risk is outside [0, 1], or a row has no risk by any model.

    Notes
    -----
    The mean absolute prediction error of row i over B models is [1]_

    .. math:: \mathrm{MAPE}_i = \frac{1}{B} \sum_b |p_{bi} - p_i|

    See Also
    --------
    optimism_bootstrap : Makes the models; its result has ``instability()``.

    References
    ----------
    .. [1] R. D. Riley and G. S. Collins, Stability of clinical prediction models developed using
       statistical or machine learning methods, Biometrical Journal 65(8), 2200302, 2023.

    Examples
    --------
    >>> from skaucx.clinic import prediction_instability
    >>> found = prediction_instability([0.2, 0.6], [[0.1, 0.4], [0.3, 0.7]])
    >>> round(found.mape, 3), found.flips.tolist()
    (0.125, [0.0, 0.5])
    """
    own = float_array(risk, "risk")
    others = np.asarray(risks, dtype=np.float64)
    if own.ndim != 1 or others.ndim != 2 or others.shape[1] != len(own) or not others.size:
        raise ValueError(
            "risks must have shape (n_models, n_samples) with a column for each entry of risk, found "
            f"{others.shape} and {own.shape}."
        )
    for name, values in (("risk", own), ("risks", others)):
        if ((values < 0) | (values > 1)).any() or np.isinf(values).any():
            raise ValueError(f"{name} must lie in [0, 1], found {np.nanmin(values):g} to "
                             f"{np.nanmax(values):g}.")  # fmt: skip
    if np.isnan(others).all(axis=0).any():
        row = int(np.isnan(others).all(axis=0).argmax())
        raise ValueError(f"risks must have a number for each row, found only nan in column {row}.")
    if not 0 < threshold < 1:
        raise ValueError(f"threshold must lie in (0, 1), found {threshold!r}.")
    if y_true is not None:
        y_true = np.asarray(y_true)
        check_same_length({"risk": own, "y_true": y_true})
    return PredictionInstability(own, others, float(threshold), y_true, pos_label)


class InstabilityDisplay(Display):
    """Plot of the variation of predicted risks between models [1]_.

    Parameters
    ----------
    instability : PredictionInstability
    kind : {"prediction", "calibration", "classification", "error"}, default="prediction"
        The risks by the other models against that by the model, with the 2.5th and 97.5th percentiles;
        the smooth calibration curves of the other models on the same rows; the share of models by which
        a row is called differently; or its mean absolute prediction error.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure

    References
    ----------
    .. [1] R. D. Riley and G. S. Collins, Stability of clinical prediction models developed using
       statistical or machine learning methods, Biometrical Journal 65(8), 2200302, 2023.

    Examples
    --------
    >>> from skaucx.clinic import InstabilityDisplay, prediction_instability
    >>> found = prediction_instability([0.2, 0.6], [[0.1, 0.4], [0.3, 0.7]])
    >>> display = InstabilityDisplay(found, kind="error").plot()
    >>> display.ax_.get_ylabel()
    'Mean absolute prediction error'
    """

    def __init__(
        self,
        instability: PredictionInstability,
        *,
        kind: Literal["prediction", "calibration", "classification", "error"] = "prediction",
    ) -> None:
        self.instability = instability
        self.kind = check_choice("kind", kind, tuple(_DRAWN))

    def _draw(self, ax: Any) -> None:
        fit_labels(self.ax_, *_DRAWN[self.kind](self.ax_, self.instability))


def _prediction(ax: Any, found: PredictionInstability) -> tuple[str, str]:
    rows = slice(None, None, 1 + found.risks.size // _MOST_POINTS)
    order = np.argsort(found.risk, kind="stable")
    across = np.broadcast_to(found.risk[rows], found.risks[:, rows].shape)
    ax.plot(across.ravel(), found.risks[:, rows].ravel(), ".", ms=2, alpha=0.25, color=palette(ax)[0],
            rasterized=True, zorder=1)  # fmt: skip
    for end in found.limits():
        # A running median over the sorted risks, of 5 % of the rows.
        smooth = _running_median(end[order], max(1, len(order) // 20))
        ax.plot(found.risk[order], smooth, "--", color=muted(ax), lw=1.2)
    ax.plot([0, 1], [0, 1], color=muted(ax), lw=0.8)
    unit_square(ax)
    return "Risk by the model", "Risks by models of resamples"


def _running_median(values: Floats, width: int) -> Floats:
    half = width // 2
    ends = np.pad(values, half, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(ends, 2 * half + 1)
    return np.asarray(np.median(windows, axis=1))


def _calibration(ax: Any, found: PredictionInstability) -> tuple[str, str]:
    if found.y_true is None:
        raise ValueError("A calibration instability plot needs y_true=.")
    for risks in [*found.risks[:_MOST_CURVES], found.risk]:
        own = risks is found.risk
        held = ~np.isnan(risks)
        try:
            curve = reliability_curve(
                found.y_true[held], risks[held], method="spline", pos_label=found.pos_label
            )
        except ValueError:  # too few distinct risks of a model for a smooth curve
            continue
        style = (
            {"color": palette(ax)[0], "lw": 1.8}
            if own
            else {"color": muted(ax), "lw": 0.5, "alpha": 0.5}
        )
        ax.plot(curve.predicted, curve.observed, **style)
    ax.plot([0, 1], [0, 1], color=muted(ax), lw=0.8)
    unit_square(ax)
    return "Predicted risk", "Observed event rate"


def _classification(ax: Any, found: PredictionInstability) -> tuple[str, str]:
    ax.plot(found.risk, found.flips, ".", ms=3, alpha=0.4, color=palette(ax)[0], rasterized=True)
    ax.axvline(found.threshold, color=muted(ax), lw=0.8)
    ax.set(xlim=(0, 1), ylim=(0, 1))
    return "Risk by the model", f"Share of models that call it differently at {found.threshold:g}"


def _error(ax: Any, found: PredictionInstability) -> tuple[str, str]:
    ax.plot(found.risk, found.errors, ".", ms=3, alpha=0.4, color=palette(ax)[0], rasterized=True)
    ax.set_xlim(0, 1)
    ax.set_ylim(bottom=0)
    return "Risk by the model", "Mean absolute prediction error"


_DRAWN = {
    "prediction": _prediction,
    "calibration": _calibration,
    "classification": _classification,
    "error": _error,
}
