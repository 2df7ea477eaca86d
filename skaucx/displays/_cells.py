"""Pictures of the four cells of a confusion table: areas below densities, and overlapping circles."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, stats

from .._arguments import Axes, Label
from .._options import RealRange
from .._plotting import Display, fit_labels, ink, line_styles
from .._text.numbers import counted, significant, value
from ..metrics._records.counts import Counts
from ..metrics.curves._density_model import DensityModel
from ._scores import class_scores

_POINTS = 1001  # of a density
_BINS = 20  # of scores
_VISIBLE = 1e-3  # of the greatest height: lower ends are left out
_HATCHES = {"TP": "", "FN": "////", "FP": "....", "TN": ""}


class DensityDisplay(Display):
    r"""Picture of the densities of two classes, in which the cells of a threshold are areas.

    Each density is multiplied by the share of its class. The areas on both sides of the threshold *t*
    are the shares of true and false positives and negatives, such as

    .. math:: \mathrm{TP} = \pi \int_t^\infty f_1(x)\,dx, \quad
       \mathrm{FP} = (1 - \pi) \int_t^\infty f_0(x)\,dx

    with the prevalence *π*.

    Parameters
    ----------
    model : DensityModel
        The densities and the prevalence.
    threshold : float
        At or above it an example is predicted positive.
    name : str, default=None
        Title of the picture.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    areas_ : dict from str to matplotlib PolyCollection
        The areas of "TP", "FN", "FP" and "TN".
    lines_ : list of Line2D
        The densities of positives and of negatives.

    Raises
    ------
    TypeError, ValueError
        If `model` is no model of densities, or the threshold no finite number.

    Examples
    --------
    >>> from skaucx.displays import DensityDisplay
    >>> from skaucx.metrics.curves import DensityModel
    >>> display = DensityDisplay(DensityModel(), threshold=0.4).plot()
    >>> [text.get_text() for text in display.ax_.get_legend().get_texts()]
    ['TP 0.42', 'FN 0.08', 'FP 0.18', 'TN 0.32', 'threshold 0.4']
    """

    size = (6.0, 3.6)
    _legend = True

    def __init__(self, model: DensityModel, threshold: float, *, name: str | None = None) -> None:
        if not isinstance(model, DensityModel):
            raise TypeError(f"model must be a DensityModel, found {type(model).__name__}.")
        RealRange(-np.inf, np.inf).check("threshold", threshold)
        self.model, self.threshold, self.name = model, float(threshold), name
        self.counts = model.counts(self.threshold)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        threshold: float,
        pos_label: Label = None,
        name: str | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw histograms of the scores of both classes; their areas are the shares of the rows.

        Parameters
        ----------
        y_true, y_score : array-like of shape (n_samples,)
        threshold : float
            At or above it an example is predicted positive.
        pos_label : int, float, bool or str, default=None
            The positive class; see :func:`recall_score`.
        name : str, default=None
            Title of the picture.
        ax : matplotlib Axes, default=None
            New ones if None.

        Returns
        -------
        DensityDisplay
        """
        ranked = class_scores(y_true, y_score, pos_label=pos_label)
        width = float(ranked.span) / _BINS or 1.0
        ends = (np.array([ranked.lowest, ranked.highest]) - threshold) // width
        edges = threshold + width * np.arange(ends[0], ends[1] + 2)  # one at the threshold
        heights = [
            np.histogram(ranked.values, edges, weights=part)[0]
            for part in (ranked.positive, ranked.negative)
        ]
        one, zero = (stats.rv_histogram((part, edges), density=False)() for part in heights)
        model = DensityModel(one, zero, float(heights[0].sum() / np.sum(heights)))
        return cls(model, threshold, name=name).plot(ax)

    def _draw(self, ax: Any) -> None:
        scores = np.unique(np.append(self.model.roc_curve(_POINTS).thresholds, self.threshold))
        first, second = self.model.positives.pdf(scores), self.model.negatives.pdf(scores)
        heights = np.stack([self.model.prevalence * first, (1 - self.model.prevalence) * second])
        tallest = heights.max()
        seen = scores[heights.max(axis=0) > _VISIBLE * tallest]
        cells = dict(zip(("TP", "FP", "FN", "TN"), self.counts.cells, strict=True))
        styles, self.areas_, self.lines_ = line_styles(ax), {}, []
        above, below = scores >= self.threshold, scores <= self.threshold
        for number, (cell, part) in enumerate(
            (("TP", above), ("FN", below), ("FP", above), ("TN", below))
        ):
            height, colour = heights[number // 2], styles(number // 2)["color"]
            look = _shade(cell, colour) | {"label": f"{cell} {value(cells[cell])}"}
            self.areas_[cell] = ax.fill_between(scores[part], height[part], **look)
            if part is above:
                self.lines_ += ax.plot(scores, height, color=colour, linewidth=1.2)
        ax.axvline(
            self.threshold, color=ink(ax), linestyle="--", linewidth=1.0,
            label=f"threshold {significant(self.threshold)}",
        )  # fmt: skip
        ax.set_xlim(min(seen[0], self.threshold), max(seen[-1], self.threshold))
        ax.set_ylim(0, 1.05 * tallest)
        fit_labels(ax, "Score", "Density times share of the class")


class VennDisplay(Display):
    r"""Picture of the four cells of one table: circles of positives, left, and of predicted positives.

    The areas are in proportion to the counts: true positives where the circles overlap, true
    negatives outside both. Circles of radii *r* and *s*, *d* apart, overlap in

    .. math:: r^2 \arccos\frac{d^2 + r^2 - s^2}{2dr} + s^2 \arccos\frac{d^2 + s^2 - r^2}{2ds}
       - \tfrac12 \sqrt{(r + s - d)(d + r - s)(d - r + s)(d + r + s)}

    Parameters
    ----------
    counts : Counts
        One table of whole numbers, weights or shares.
    name : str, default=None
        Title of the picture.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    areas_ : dict from str to matplotlib Patch
        "FN" and "FP" are the whole circles, "TP" is drawn over both, "TN" under them.

    Raises
    ------
    TypeError, ValueError
        If `counts` are not those of one table, or hold no positive of either kind.

    Examples
    --------
    >>> from skaucx.displays import VennDisplay
    >>> from skaucx.metrics import Counts
    >>> display = VennDisplay(Counts(tp=20, fp=180, fn=10, tn=1820)).plot()
    >>> [text.get_text() for text in display.ax_.get_legend().get_texts()]
    ['FN 10', 'FP 180', 'TP 20', 'TN 1,820']
    """

    _legend = True

    def __init__(self, counts: Counts, *, name: str | None = None) -> None:
        if not hasattr(counts, "cells"):
            raise TypeError(f"counts must be a Counts object, found {type(counts).__name__}.")
        if np.ndim(counts.total):
            raise ValueError(f"counts must be one table, found {np.size(counts.total)}.")
        if not counts.positives + counts.predicted_positives > 0:
            raise ValueError("counts must hold positives or predicted positives, found neither.")
        self.counts, self.name = counts, name

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: Label = None,
        name: str | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the table of true and predicted labels of two classes.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
        pos_label : int, float, bool or str, default=None
            The positive class; see :func:`recall_score`.
        name : str, default=None
            Title of the picture.
        ax : matplotlib Axes, default=None
            New ones if None.

        Returns
        -------
        VennDisplay
        """
        counts = Counts.from_labels(
            y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight
        )
        return cls(counts, name=name).plot(ax)

    def _draw(self, ax: Any) -> None:
        from matplotlib.patches import Circle, Rectangle

        tp, fp, fn, tn = (float(cell) for cell in self.counts.cells)
        r, s = np.sqrt(np.array([tp + fn, tp + fp]) / np.pi)
        apart = _distance(r, s, tp) if tp and fp and fn else abs(r - s) if tp else r + s
        left, right = min(-r, apart - s), max(r, apart + s)
        room = 0.1 * (right - left)
        wide, high = right - left + 2 * room, max(r, s) + room
        patches = {
            "FN": (Circle((0, 0), r), fn),
            "FP": (Circle((apart, 0), s), fp),
            "TP": (Circle((0, 0), r), tp),
            "TN": (Rectangle((left - room, -high), wide, 2 * high), tn),
        }
        styles, self.areas_ = line_styles(ax), {}
        for number, (cell, (patch, count)) in enumerate(patches.items()):
            look = _shade(cell, styles(number)["color"]) | {"zorder": 1 + number}
            if cell == "TN":
                look |= {"facecolor": "none", "edgecolor": ink(ax), "zorder": 0.5}
            patch.set(label=f"{cell} {counted(count)}", **look)
            self.areas_[cell] = ax.add_patch(patch)
        self.areas_["TP"].set_clip_path(self.areas_["FP"])
        ax.set_aspect("equal", adjustable="datalim")
        ax.autoscale_view()
        ax.set_axis_off()


def _shade(cell: str, colour: Any) -> dict[str, Any]:
    """Return how an area is filled: cells of one colour differ by their hatching."""
    from matplotlib.colors import to_rgba

    look = {"facecolor": to_rgba(colour, 0.4), "edgecolor": colour, "linewidth": 0.8}
    return look | {"hatch": _HATCHES[cell]}


def _overlap(r: float, s: float, apart: float) -> float:
    """Return the area that two circles share."""
    cosines = np.array([apart**2 + r**2 - s**2, apart**2 + s**2 - r**2]) / (2 * apart)
    angles = np.arccos(np.clip(cosines / [r, s], -1, 1))
    sides = np.array([r + s - apart, apart + r - s, apart - r + s, apart + r + s])
    return float(angles @ [r**2, s**2] - np.sqrt(np.prod(np.maximum(sides, 0))) / 2)


def _distance(r: float, s: float, shared: float) -> float:
    """Return how far apart circles are that share an area, of which neither holds the other."""
    ends = max(abs(r - s), 1e-9 * r), r + s
    # The ends' own areas, up to rounding: a smaller or larger one lies at an end.
    least, most = _overlap(r, s, ends[1]), _overlap(r, s, ends[0])
    within = float(np.clip(shared, least, most))
    return float(optimize.brentq(lambda apart: _overlap(r, s, apart) - within, *ends))
