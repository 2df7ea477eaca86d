"""Pictures of the score distributions of two classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, cast

import numpy as np

from .._arguments import Axes, Label
from .._arrays import Array, Bools, Floats
from .._plotting import (
    GREEN,
    ink,
    line_styles,
    mark_size,
    muted,
)
from .._text.numbers import percent, significant
from ..metrics._pairs.ranking import RankedScores
from ..metrics._records.inputs import known_positive, positive_code, refuse_missing_class
from ..metrics.curves._ranked import ranked_scores
from ._curve_display import CurveDisplay
from ._sources import Scored

# With more distinct scores than this a histogram is drawn.
_MOST_STEMS = 60

# Shares of the height of the axes: the bars end below both brackets.
_BARS, _MARGIN, _SPAN = 0.8, 0.87, 0.94


@dataclass(frozen=True, eq=False)
class ClassScores:
    """The ranked scores of two classes, and the name of the negative class."""

    ranked: RankedScores
    negative: str

    @classmethod
    def from_scores(
        cls, y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None
    ) -> ClassScores:
        """Rank the scores of two classes."""
        ranked = ranked_scores(y_true, y_score, pos_label, sample_weight)
        if not ranked.pairs > 0:
            raise refuse_missing_class("picture of scores")
        classes = np.unique(np.asarray(y_true))
        code = known_positive(positive_code(classes, pos_label))
        other = classes[1 - code]
        return cls(ranked, "others" if isinstance(other, np.bool_) else str(other))


class ScoreDisplay(CurveDisplay):
    """Picture of the two classes' scores, with span, margin and overlap marked.

    The inputs of AUC variants: the *span* from the lowest to the highest score, and the *margin*
    between the lowest positive and the highest negative, negative where the classes overlap.
    Positives stand above the axis, negatives hang below it: one stem a score, or a histogram of
    many.

    Make it by ``from_estimator``, ``from_predictions`` or ``from_cv_results`` (the test rows of all
    folds as one set), which take the keywords of ``plot`` too. Of several classes `pos_label` chooses
    the one that is shown against the others.

    Parameters
    ----------
    scores : ClassScores
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
    relative_error_ : float
        The share of pairs whose positive does not score above the negative.

    Examples
    --------
    >>> from skaucx.displays import ScoreDisplay
    >>> display = ScoreDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> round(display.span_, 2), round(display.margin_, 2), display.relative_error_
    (0.7, -0.05, 0.25)
    """

    _make: ClassVar[Callable[..., Any]] = ClassScores.from_scores
    _anonymous = None
    _titled = True

    def __init__(
        self, scores: ClassScores, *, name: str | None = None, pos_label: Label = None
    ) -> None:
        if not isinstance(scores, ClassScores):
            raise TypeError(
                f"scores must be the ranked scores of two classes, found {type(scores).__name__}: "
                "make the picture by ScoreDisplay.from_predictions or from_estimator."
            )
        super().__init__(cast(Any, scores), name=name, pos_label=pos_label)
        self.scores = scores

    @classmethod
    def _drawn(cls, data: Sequence[Scored], **how: Any) -> Self:
        """Put the scores of all folds into one set."""
        truth, score, weight = zip(*data, strict=True)
        if any(np.ndim(part) > 1 for part in score):
            raise ValueError(
                "Scores of two classes are drawn against each other; choose pos_label."
            )
        joined = None if weight[0] is None else np.concatenate(weight)
        return super()._drawn([(np.concatenate(truth), np.concatenate(score), joined)], **how)

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
        r = self.scores.ranked
        self._begin(ax, name, (6.4, 4.0))
        self.span_, self.margin_ = float(r.span), float(r.margin)
        self.relative_error_ = float(1 - r.win_share)
        stems = len(r.values) <= _MOST_STEMS
        draw = self._stems if stems else self._histogram
        first, second = (line_styles(self.ax_)(k)["color"] for k in range(2))
        up = draw(r.positive, 1, first, "positive", bins)
        down = draw(r.negative, -1, second, "negative", bins)
        counted = stems and r.positive.dtype.kind == "i"
        height = "Examples" if counted else "Share of the class"
        self._frame(up, down, height)
        tied = float(r.tie_share)
        wrong = max(self.relative_error_ - tied, 0.0)
        across = "Score" if counted else "Score (each class on its own scale)"
        stated = f"wrong pairs {percent(wrong)}, tied {percent(tied)}"
        self._brackets()
        return self._end(despine, f"{across}\n{stated}", height)

    def _stems(self, weight: Array, side: int, colour: str, kind: str, bins: Any) -> float:
        """Draw a stem at each score, as high as examples are there, or the share that they weigh."""
        held = weight > 0
        size = weight[held] if weight.dtype.kind == "i" else weight[held] / weight.sum()
        at, height = self.scores.ranked.values[held], side * size.astype(float)
        self.ax_.vlines(at, 0, height, color=colour, linewidth=1.5)
        style: dict[str, Any] = {
            "marker": "o" if side > 0 else "s",
            "linestyle": "none",
            "color": colour,
        }
        style["markersize"] = mark_size(self.ax_)
        self.ax_.plot(at, height, label=self._named(kind), **style)
        return float(np.abs(height).max())

    def _histogram(self, weight: Array, side: int, colour: str, kind: str, bins: Any) -> float:
        """Draw bars, each the share of the class that scores there."""
        values = self.scores.ranked.values
        edges = _class_edges(values, weight > 0, bins)
        height = side * np.histogram(values, edges, weights=weight / weight.sum())[0]
        hatch = None if side > 0 else "////"
        self.ax_.stairs(
            height, edges, fill=True, facecolor=colour, alpha=0.6, edgecolor=colour, hatch=hatch,
            label=self._named(kind),
        )  # fmt: skip
        return float(np.abs(height).max())

    def _named(self, kind: str) -> str:
        if kind == "positive":
            return f"{kind} ({self.pos_label})"
        # Labels that are booleans themselves have a False, not others.
        plain = isinstance(self.pos_label, bool | np.bool_)
        return f"{kind} ({False if plain else self.scores.negative})"

    def _frame(self, up: float, down: float, height_name: str) -> None:
        """Leave the upper part to the brackets."""
        low = -1.15 * down
        self.ax_.set_ylim(low, low + (up - low) / _BARS)
        self.ax_.axhline(0, color=ink(self.ax_), linewidth=0.8)
        self.ax_.yaxis.set_major_formatter(_size)
        ticks = self.ax_.get_yticks()
        whole = height_name == "Examples" and (ticks % 1 == 0).any()
        self.ax_.set_yticks([t for t in ticks if low <= t <= up and not (whole and t % 1)])

    def _brackets(self) -> None:
        """Mark the span, and shade the margin or the overlap."""
        r = self.scores.ranked
        lowest_positive = float(r.values[np.argmax(r.positive > 0)])
        low, high = sorted((lowest_positive - self.margin_, lowest_positive))
        overlap = self.margin_ <= 0
        sign = "\u2212" if self.margin_ < 0 else ""
        note = " (overlap)" if overlap else ""
        self.ax_.axvspan(
            low, high, ymax=_MARGIN, facecolor=muted(self.ax_) if overlap else GREEN, alpha=0.2,
            zorder=0, linewidth=0, label=f"margin {sign}{significant(abs(self.margin_))}{note}",
        )  # fmt: skip
        style = {"color": ink(self.ax_), "marker": "|", "markersize": 1.3 * mark_size(self.ax_)}
        style |= {"linewidth": 1, "zorder": 0.9}
        for ends, height, label in (
            ((float(r.lowest), float(r.highest)), _SPAN, f"span {significant(self.span_)}"),
            ((low, high), _MARGIN, "_"),
        ):
            at = {"transform": self.ax_.get_xaxis_transform(), "label": label}
            self.ax_.plot(ends, [height] * 2, **at, **style)


def _class_edges(values: Floats, held: Bools, bins: Any) -> Floats:
    """Return the edges of the bars of a class, which end where its scores do."""
    edges = np.histogram_bin_edges(values, bins)
    if np.ndim(bins) > 0:
        return edges
    low, high = float(values[held][0]), float(values[held][-1])
    if low == high:
        half = np.diff(edges)[0] / 2
        return np.array([low - half, low + half])
    return np.linspace(low, high, max(1, round((high - low) / np.diff(edges)[0])) + 1)


def _size(value: float, _: int) -> str:
    """Return a height without its sign: a named function, so that a drawn display pickles."""
    return f"{abs(value):g}"
