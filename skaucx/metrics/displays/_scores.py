"""Pictures of the score distributions of two classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from .._arrays import Array
from .._inputs import (
    check_scored_labels,
    known_positive,
    positive_code,
    refuse_missing_class,
)
from .._states import score_state
from ._responses import estimator_name, folds, scores
from ._style import BLUE, GREEN, GREY, ORANGE, despined, new_axes

# With more distinct scores than this, bars of a histogram stand for them.
_MOST_STEMS = 60


class ScoreDisplay:
    """Picture of the two classes' scores, with span, margin and overlap marked.

    What the AUC variants read: the *span* from the lowest to the highest score, and the *margin*
    between the lowest positive and the highest negative, negative where the classes overlap. Positives
    stand above the axis, negatives hang below it: one stem a score, or a histogram of many.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes, both present.
    y_score : array-like of shape (n_samples,)
        Scores of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights >= 0.
    pos_label : int, float, bool or str, default=None
        The positive class; see :func:`recall_score`.
    name : str, default=None
        Title of the picture.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    ranked : RankedScores
        The scores, ranked.
    span_, margin_ : float
        What is marked.
    relative_error_ : float
        The share of pairs whose positive does not score above the negative.

    Examples
    --------
    >>> from skaucx.metrics import ScoreDisplay
    >>> display = ScoreDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> round(display.span_, 2), round(display.margin_, 2), display.relative_error_
    (0.7, -0.05, 0.25)
    """

    def __init__(
        self,
        y_true: Any,
        y_score: Any,
        *,
        sample_weight: Any = None,
        pos_label: Any = None,
        name: str | None = None,
    ) -> None:
        checked = check_scored_labels(y_true, y_score, sample_weight=sample_weight)
        self.name = name
        self.ranked = score_state(checked).binary_ranking(pos_label)
        if not self.ranked.pairs > 0:
            raise refuse_missing_class("picture of scores")
        classes = np.unique(np.asarray(y_true))
        code = known_positive(positive_code(classes, pos_label))
        self.class_names = {"negative": str(classes[1 - code]), "positive": str(classes[code])}

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        response_method: str = "auto",
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the scores that a fitted classifier gives.

        Parameters
        ----------
        estimator : fitted classifier or pipeline
            Of two classes, or of several with `pos_label`, the one shown against the rest.
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
        response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
        pos_label : int, float, bool or str, default=None
        name : str, default=None
            Title, by default the name of the estimator's class.
        ax : matplotlib Axes, default=None
            New ones if None.
        **options
            Keywords of `plot`.

        Returns
        -------
        ScoreDisplay
        """
        score, _, positive = scores(estimator, X, response_method, pos_label)
        return cls.from_predictions(
            y, score, sample_weight=sample_weight, pos_label=positive, ax=ax,
            name=estimator_name(estimator) if name is None else name, **options,
        )  # fmt: skip

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        sample_weight: Any = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw saved scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
        y_score : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
        pos_label : int, float, bool or str, default=None
            The positive class; of several classes, the one shown against the rest.
        name : str, default=None
        ax : matplotlib Axes, default=None
            New ones if None.
        **options
            Keywords of `plot`.

        Returns
        -------
        ScoreDisplay
        """
        truth = np.asarray(y_true)
        if pos_label is not None and len(np.unique(truth)) > 2:
            truth = np.where(truth == pos_label, str(pos_label), f"not {pos_label}")
            pos_label = str(pos_label)
        display = cls(truth, y_score, sample_weight=sample_weight, pos_label=pos_label, name=name)
        return display.plot(ax, **options)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        response_method: str = "auto",
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the scores of the test rows of all folds of a cross-validation, as one set.

        Parameters
        ----------
        cv_results : dict
            From :func:`sklearn.model_selection.cross_validate` with ``return_estimator=True`` and
            ``return_indices=True``.
        X : array-like of shape (n_samples, n_features)
            What was cross-validated.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
        response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
        pos_label : int, float, bool or str, default=None
        name : str, default=None
        ax : matplotlib Axes, default=None
            New ones if None.
        **options
            Keywords of `plot`.

        Returns
        -------
        ScoreDisplay
        """
        parts, positive = [], pos_label
        for estimator, rows, truth, weight in folds(cv_results, X, y, sample_weight):
            score, _, positive = scores(estimator, rows, response_method, pos_label)
            parts.append((truth, score, weight))
        truths, found, weights = zip(*parts, strict=True)
        weight = None if sample_weight is None else np.concatenate(weights)
        return cls.from_predictions(
            np.concatenate(truths), np.concatenate(found), sample_weight=weight,
            pos_label=positive, name=name, ax=ax, **options,
        )  # fmt: skip

    def plot(
        self, ax: Any = None, *, name: str | None = None, bins: Any = 40, despine: bool = False
    ) -> Self:
        """Draw the scores.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New ones if None.
        name : str, default=None
            Instead of the title given before.
        bins : int or sequence of float, default=40
            Of the histograms that stand for more than 60 distinct scores.
        despine : bool, default=False
            Whether to remove the top and the right spine.

        Returns
        -------
        ScoreDisplay
        """
        r = self.ranked
        self.ax_, self.figure_ = new_axes(ax, (6.4, 4.0))
        self.span_, self.margin_ = float(r.span), float(r.margin)
        self.relative_error_ = float(r.errors / r.pairs)
        stems = len(r.values) <= _MOST_STEMS
        draw = self._stems if stems else self._histogram
        up = draw(r.positive, 1, BLUE, "positive", bins)
        down = draw(r.negative, -1, ORANGE, "negative", bins)
        self._frame(up, down, "Examples" if stems else "Share of the class")
        self._brackets()
        name = self.name if name is None else name
        told = f"pairs not ranked rightly: {self.relative_error_:.1%}"
        self.ax_.set_title(told if name is None else f"{name}: {told}", fontsize="medium")
        if despine:
            despined(self.ax_)
        return self

    def _stems(self, weight: Array, side: int, colour: str, kind: str, bins: Any) -> float:
        """Draw a stem at each score, as high as the number of examples there."""
        held = weight > 0
        at, height = self.ranked.values[held], side * weight[held].astype(float)
        self.ax_.vlines(at, 0, height, color=colour, linewidth=1.5)
        style = {"marker": "o" if side > 0 else "s", "linestyle": "none", "color": colour}
        self.ax_.plot(at, height, label=self._label(kind), **style)
        return float(np.abs(height).max())

    def _histogram(self, weight: Array, side: int, colour: str, kind: str, bins: Any) -> float:
        """Draw bars, each the share of the class that scores there."""
        values = self.ranked.values
        edges = np.histogram_bin_edges(values, bins)
        height = side * np.histogram(values, edges, weights=weight / weight.sum())[0]
        hatch = None if side > 0 else "////"
        self.ax_.stairs(
            height, edges, fill=True, facecolor=colour, alpha=0.6, edgecolor=colour, hatch=hatch,
            label=self._label(kind),
        )  # fmt: skip
        return float(np.abs(height).max())

    def _label(self, kind: str) -> str:
        return f"{kind} ({self.class_names[kind]})"

    def _frame(self, up: float, down: float, height_name: str) -> None:
        """Leave the upper third to the brackets, and the legend below the axes."""
        low = -1.15 * down
        self.ax_.set_ylim(low, low + (up - low) / 0.7)
        self.ax_.axhline(0, color="k", linewidth=0.8)
        self.ax_.yaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
        ticks = self.ax_.get_yticks()
        whole = height_name == "Examples" and (ticks % 1 == 0).any()
        self.ax_.set_yticks([t for t in ticks if low <= t <= up and not (whole and t % 1)])
        self.ax_.set(xlabel="Score", ylabel=height_name)
        self.ax_.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, frameon=False)

    def _brackets(self) -> None:
        """Mark the span, and shade the margin or the overlap."""
        r = self.ranked
        self._bracket(float(r.lowest), float(r.highest), 0.9, f"span {self.span_:.3g}")
        lowest_positive = float(r.values[np.argmax(r.positive > 0)])
        low, high = sorted((lowest_positive - self.margin_, lowest_positive))
        overlap = self.margin_ <= 0
        colour = GREY if overlap else GREEN
        self.ax_.axvspan(low, high, ymax=0.77, facecolor=colour, alpha=0.2, zorder=0, linewidth=0)
        sign = "\u2212" if self.margin_ < 0 else ""
        note = " (overlap)" if overlap else ""
        self._bracket(low, high, 0.77, f"margin {sign}{abs(self.margin_):.3g}{note}")

    def _bracket(self, low: float, high: float, height: float, text: str) -> None:
        """Draw a bracket at a share of the height of the axes, its text above."""
        where = self.ax_.get_xaxis_transform()
        self.ax_.plot([low, high], [height] * 2, "k|-", transform=where, linewidth=1, markersize=8)
        self.ax_.text(
            (low + high) / 2, height + 0.015, text, transform=where, ha="center", va="bottom"
        )
