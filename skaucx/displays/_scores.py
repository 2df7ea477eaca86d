"""Pictures of the score distributions of two classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from .._arguments import Axes, Label
from .._plotting import ink, line_styles, marker, muted
from .._text.numbers import significant
from ..metrics._pairs.ranking import RankedScores
from ..metrics._records.inputs import refuse_missing_class
from ..metrics.curves._ranked import ranked_scores
from ._curve_display import CurveDisplay

_MOST_STEMS = 60  # distinct scores; of more a histogram is drawn


def class_scores(
    y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None
) -> RankedScores:
    """Return the ranked scores of two classes, which both must occur."""
    ranked = ranked_scores(y_true, y_score, pos_label, sample_weight)
    if not ranked.pairs > 0:
        raise refuse_missing_class("picture of scores")
    return ranked


class ScoreDisplay(CurveDisplay):
    """Picture of the two classes' scores, with span, margin and overlap marked.

    The inputs of AUC variants: the *span* from the lowest to the highest score, and the *margin*
    between the lowest positive and the highest negative, negative where the classes overlap.
    Positives stand above the axis, negatives hang below it, as shares of their class: one stem a score,
    or a histogram of many.

    Make it by ``from_estimator``, ``from_predictions`` or ``from_cv_results`` (the test rows of all
    folds as one set), which take the keywords of ``plot`` too. Of several classes `pos_label` chooses
    the one that is shown against the others.

    Parameters
    ----------
    scores : RankedScores
        The scores of two classes, as those methods rank them.
    name : str, default=None
        Title of the picture.
    pos_label : int, float, bool or str, default=None
        The positive class, named in the legend.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    span_, margin_ : float
        The marked values.

    Examples
    --------
    >>> from skaucx.displays import ScoreDisplay
    >>> display = ScoreDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> round(display.span_, 2), round(display.margin_, 2)
    (0.7, -0.05)
    """

    _make = class_scores
    _anonymous, _of_two = None, True
    _titled = True
    size = (6.4, 4.0)

    def __init__(
        self, scores: RankedScores, *, name: str | None = None, pos_label: Label = None
    ) -> None:
        if not isinstance(scores, RankedScores):
            raise TypeError(
                f"scores must be the ranked scores of two classes, found {type(scores).__name__}: "
                "make the picture by ScoreDisplay.from_predictions or from_estimator."
            )
        super().__init__(scores, name=name, pos_label=pos_label)
        self.scores = scores

    @classmethod
    def _drawn(cls, data: Sequence[tuple[Any, Any, Any]], *how: Any) -> Self:
        """Put the scores of all folds into one set."""
        truth, score, weight = zip(*data, strict=True)
        joined = None if weight[0] is None else np.concatenate(weight)
        return super()._drawn([(np.concatenate(truth), np.concatenate(score), joined)], *how)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        bins: int | Sequence[float] = 40,
        despine: bool = False,
    ) -> Self:
        """Draw the scores.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New ones if None.
        name : str, default=None
            Instead of the title given before.
        bins : int or sequence of float, default=40
            Bins of the histograms, which are drawn for more than 60 distinct scores.
        despine : bool, default=False
            Whether to remove the top and the right spine.

        Returns
        -------
        ScoreDisplay
        """
        r = self.scores
        self._begin(ax, name)
        self.span_, self.margin_ = float(r.span), float(r.margin)
        styles = line_styles(self.ax_)
        kinds = {f"positive ({self.pos_label})": r.positive, "negative": r.negative}
        for number, (kind, weight) in enumerate(kinds.items()):
            size = (1 - 2 * number) * weight / weight.sum()
            look = {"color": styles(number)["color"], "label": kind}
            if len(r.values) <= _MOST_STEMS:
                at, height = r.values[size != 0], size[size != 0]  # of the class
                self.ax_.vlines(at, 0, height, color=look["color"])
                self.ax_.plot(at, height, linestyle="none", marker=marker(number), **look)
            else:
                heights, edges = np.histogram(r.values, bins, weights=size)
                look |= {"fill": True, "alpha": 0.6, "hatch": "////" if number else None}
                self.ax_.stairs(heights, edges, **look)
        self.ax_.axhline(0, color=ink(self.ax_), linewidth=0.8)
        self.ax_.yaxis.set_major_formatter(_height)
        self._mark_margin()
        return self._end(despine, "Score", "Share of the class")

    def _mark_margin(self) -> None:
        """Mark the span above the scores, and shade the margin or the overlap."""
        r = self.scores
        lowest_positive = float(r.values[r.positive > 0][0])
        label = f"margin {significant(self.margin_)}".replace("-", "\u2212")
        look = {"facecolor": muted(self.ax_, 0.15), "zorder": 0, "linewidth": 0}
        if self.margin_ <= 0:
            label += " (overlap)"
            look |= {"hatch": "..", "edgecolor": muted(self.ax_, 0.3)}
        self.ax_.axvspan(lowest_positive - self.margin_, lowest_positive, label=label, **look)
        self.ax_.margins(y=0.12)
        self.ax_.plot(
            (float(r.lowest), float(r.highest)), (0.96, 0.96), marker="|", color=ink(self.ax_),
            label=f"span {significant(self.span_)}", transform=self.ax_.get_xaxis_transform(),
        )  # fmt: skip


def _height(value: float, _: int) -> str:
    """Return a height without its sign: a named function, so that a drawn display pickles."""
    return f"{abs(value):g}"
