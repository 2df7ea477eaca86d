"""Miscalibration against discrimination: the parts of the loss of several models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from .._arguments import Axes, Label
from .._options import check_choice
from .._plotting import (
    Display,
    fit_labels,
    legible,
    line_styles,
    marker,
    muted,
)
from .._text.numbers import significant, value
from ..metrics._registry.declare import get_metric

_ROOM = 1.15  # of the greatest part: the limits
_LINES = 7  # of equal loss


class DecompositionDisplay(Display):
    r"""Picture of the parts of a proper loss: discrimination against miscalibration (MCB-DSC plot).

    A model is a point; all points of a line have the same loss, which is lower towards the upper left.
    Below the dashed line a model is worse than the share of the positives for every example.

    .. math:: S = \mathrm{MCB} - \mathrm{DSC} + \mathrm{UNC}

    with the CORP decomposition [1]_ of :func:`miscalibration`, :func:`discrimination` and
    :func:`uncertainty`. Make it by `from_predictions`, or from the parts.

    Parameters
    ----------
    parts : dict of str to (float, float)
        Miscalibration and discrimination of each model.
    uncertainty : float
        The loss of the share of the positives, the same for all models.
    loss : {"brier", "log"}, default="brier"
        The loss that is decomposed.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    points_ : dict from str to Line2D
        The point of each model.

    References
    ----------
    .. [1] T. Dimitriadis, T. Gneiting, A. I. Jordan and P. Vogel, Evaluating probabilistic
       classifiers: the triptych, International Journal of Forecasting 40(3), 2024.

    Examples
    --------
    >>> from skaucx.displays import DecompositionDisplay
    >>> y_true = [0, 0, 1, 1]
    >>> models = {"first": [0.1, 0.4, 0.35, 0.8], "second": [0.2, 0.3, 0.6, 0.9]}
    >>> display = DecompositionDisplay.from_predictions(y_true, models)
    >>> {name: (round(mcb, 3), round(dsc, 3)) for name, (mcb, dsc) in display.parts.items()}
    {'first': (0.033, 0.125), 'second': (0.075, 0.25)}
    """

    _legend: ClassVar = {}

    def __init__(
        self,
        parts: Mapping[str, tuple[float, float]],
        uncertainty: float,
        *,
        loss: Literal["brier", "log"] = "brier",
    ) -> None:
        self.parts = {name: (float(mcb), float(dsc)) for name, (mcb, dsc) in parts.items()}
        self.uncertainty = float(uncertainty)
        self.loss = check_choice("loss", loss, ("brier", "log"))
        if not self.parts:
            raise ValueError("parts must hold one model at least, found none.")

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_proba: Mapping[str, Any],
        *,
        loss: Literal["brier", "log"] = "brier",
        pos_label: Label = None,
        sample_weight: ArrayLike | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw the parts of the loss of several models on the same examples.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        y_proba : dict of str to array-like of shape (n_samples,) or (n_samples, n_classes)
            The probabilities of each model, as :func:`miscalibration` takes them.
        loss : {"brier", "log"}, default="brier"
            The loss that is decomposed.
        pos_label : int, float, bool or str, default=None
            The positive class; see :func:`recall_score`.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights >= 0.
        ax : matplotlib Axes, default=None
            New ones if None.
        **options
            Keywords of `plot`.

        Returns
        -------
        DecompositionDisplay

        Raises
        ------
        TypeError
            If `y_proba` is not a dict.
        """
        if not isinstance(y_proba, Mapping):
            raise TypeError(
                "y_proba must be a dict from the name of a model to its probabilities, found "
                f"{type(y_proba).__name__}."
            )
        given = {"loss": loss, "pos_label": pos_label, "sample_weight": sample_weight}
        parts = [get_metric(part) for part in ("miscalibration", "discrimination", "uncertainty")]
        found = {name: [part(y_true, p, **given) for part in parts] for name, p in y_proba.items()}
        unknown = next((each[2] for each in found.values()), np.nan)
        points = {name: (each[0], each[1]) for name, each in found.items()}
        return cls(points, unknown, loss=loss).plot(ax, **options)

    def _draw(self, ax: Any) -> None:
        styles = line_styles(self.ax_)
        self.points_ = {}
        for number, (model, at) in enumerate(self.parts.items()):
            look = styles(number) | {"linestyle": "none", "marker": marker(number), "zorder": 3}
            words = f"{model} ({self._called} {value(at[0] - at[1] + self.uncertainty)})"
            [self.points_[model]] = self.ax_.plot(*np.transpose([at]), label=legible(words), **look)
        right, top = _ROOM * np.max(list(self.parts.values()), axis=0)
        right, top = float(right) or float(top) or 1.0, float(top) or float(right) or 1.0
        self.ax_.set(xlim=(-0.02 * right, right), ylim=(-0.02 * top, top))
        fit_labels(self.ax_, "Miscalibration (MCB)", "Discrimination (DSC)")
        self._draw_losses(right, top)

    @property
    def _called(self) -> str:
        return "Brier" if self.loss == "brier" else "log loss"

    def _draw_losses(self, right: float, top: float) -> None:
        """Draw lines of equal loss with their values at the upper or the right end."""
        from matplotlib.ticker import MaxNLocator

        none = self.uncertainty
        colour, x = muted(self.ax_), np.array([0, right])
        self.ax_.plot(
            x, x, linestyle="--", color=colour, gid="chance", zorder=1,
            label=f"share of the positives ({self._called} {value(none)})",
        )  # fmt: skip
        for loss in map(float, MaxNLocator(_LINES).tick_values(none - top, none + right)):
            start = none - loss  # the discrimination without miscalibration
            end = min(right, top - start)
            if end <= max(0, -start):
                continue
            self.ax_.plot(x, start + x, color=colour, linewidth=0.5, alpha=0.6, zorder=0)
            self.ax_.text(
                end, start + end, significant(loss), color=colour, fontsize="x-small",
                ha="right", va="top", clip_on=True,
            )  # fmt: skip
