"""Pictures of nested cross-validation; matplotlib is imported when one is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, cast

import numpy as np

from ..._arguments import Axes, Colormap
from ..._plotting import (
    Display,
    fit_labels,
    muted,
    name_columns,
    name_table,
    palette,
    shown,
    write_cells,
)
from ..._text.numbers import decimals, spread
from .._fold_scores import moments, ratio
from .._types import Floats
from ._tuning_matrix import TuningMatrix

_NAMED = 20  # folds


class NestedCVDisplay(Display):
    """Plot of the outer folds: inner and outer score of each, and the number of its best candidate.

    Parameters
    ----------
    result : NestedCVResult
    metric : str, default=None
        The metric shown, by default the one that chose. Inner scores are known of metrics that choose.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    outer_ : matplotlib Line2D
        Outer test score of each fold.
    inner_ : matplotlib Line2D or None
        Mean inner score of each fold's best parameters.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skaucx.model_selection import NestedCVDisplay, nested_cross_validate
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree, grid = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}
    >>> result = nested_cross_validate(
    ...     tree, grid, X, y, scoring=["roc_auc"], inner_cv=3, final=None
    ... )
    >>> display = NestedCVDisplay(result).plot()
    >>> [text.get_text().split(" (")[0] for text in display.ax_.get_legend().get_texts()][:2]
    ['outer score', 'inner mean']
    """

    def __init__(self, result: Mapping[str, Floats], *, metric: str | None = None) -> None:
        self.result = cast("Any", result)
        self.metric = self.result.refit[0] if metric is None else metric
        if self.metric not in self.result.test_scores:
            known = ", ".join(self.result.test_scores)
            raise ValueError(f"metric must be one of the result's, {known}, found {self.metric!r}.")

    size = 6.0, 4.2
    _legend = True

    def _draw(self, ax: Any) -> None:
        """Draw inner and outer scores, joined fold by fold."""
        fold, outer = np.arange(self.result.n_outer), self.result.test_scores[self.metric]
        self.outer_ = self._points(
            fold, outer, "outer score", marker="s", color=_colour(ax), zorder=3
        )
        self.inner_ = self._draw_inner(fold, outer) if self.metric in self.result.refit else None
        if len(fold) <= _NAMED:
            pairs = zip(fold, self.result.winners, strict=True)
            name_columns(self.ax_, [f"{k}\n#{winner}" for k, winner in pairs])
        fit_labels(self.ax_, "Outer fold and # of its best candidate", shown(self.metric))

    def _points(self, fold: Any, values: Floats, what: str, **style: Any) -> Any:
        """Draw one point a fold, and their mean as a line."""
        defined = values[np.isfinite(values)]
        mean = defined.mean() if len(defined) else np.nan
        text = spread(mean, defined.std(ddof=1)) if len(defined) > 1 else "undefined"
        label = f"{what} (mean \u00b1 sd {text})"
        [line] = self.ax_.plot(fold, values, linestyle="none", label=label, **style)
        dashes = "-" if what.startswith("outer") else "--"
        self.ax_.axhline(mean, color=style["color"], linewidth=0.8, linestyle=dashes, zorder=0)
        return line

    def _draw_inner(self, fold: Any, outer: Floats) -> Any:
        """Draw the inner scores of each fold's best parameters, their mean joined to the outer score."""
        chosen = self.result.refit.index(self.metric)
        scores = self.result.inner_scores[fold, self.result.winners, :, chosen]
        means = moments(scores)[0] if chosen else self.result.inner_means
        style = {
            "marker": "o",
            "markerfacecolor": self.ax_.get_facecolor(),
            "color": _colour(self.ax_, 1),
            "zorder": 3,
        }
        line = self._points(fold, means, "inner mean", **style)
        self.ax_.vlines(fold, means, outer, color=muted(self.ax_), linewidth=1, zorder=2)
        if scores.size:  # a separate search has none
            at = np.repeat(fold, scores.shape[1])
            dots = {"marker": "_", "linestyle": "none", "color": style["color"], "alpha": 0.6}
            self.ax_.plot(at, scores.ravel(), label="inner folds of the best parameters", **dots)
        return line


class TuningMatrixDisplay(Display):
    r"""Picture of a tuning matrix: rows tuned on, columns reported on.

    Each cell holds mean and standard deviation over the outer folds. Columns are shaded separately,
    darker for higher means, by the distance from the column's mean in its mean standard deviations.
    The metric that was tuned on is bold.

    Parameters
    ----------
    matrix : TuningMatrix

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    im_ : matplotlib AxesImage
    text_ : ndarray of shape (R, M) of matplotlib Text

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.model_selection import TuningMatrix, TuningMatrixDisplay
    >>> scores = np.array([[[0.9, 0.8], [0.7, 0.7]], [[0.8, 0.8], [0.9, 0.7]]])
    >>> nothing = np.zeros((2, 2), dtype=int)
    >>> names = ("roc_auc", "f1")
    >>> matrix = TuningMatrix(names, names, scores, nothing, scores[0], ({},))
    >>> TuningMatrixDisplay(matrix).plot().text_[1, 1].get_text().split("\n")[0]
    '0.800'
    """

    def __init__(self, matrix: TuningMatrix) -> None:
        self.matrix = matrix

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches of a figure of its own."""
        rows, columns = self.matrix.means.shape
        return 2.2 + 1.1 * min(columns, 10), 1.6 + 0.6 * min(rows, 12)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        cmap: str | Colormap = "Blues",
        despine: bool = False,
    ) -> Self:
        """Draw the matrix.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New ones if None.
        name : str, default=None
            Title.
        cmap : str or matplotlib Colormap, default="Blues"
        despine : bool, default=False
            Whether to remove the top and the right spine.

        Returns
        -------
        TuningMatrixDisplay
        """
        self._begin(ax, name)
        matrix = self.matrix
        above = matrix.means - moments(matrix.means.T)[0]
        unit = np.broadcast_to(moments(matrix.spreads.T)[0], above.shape)
        shades = np.nan_to_num(ratio(above, unit))
        self.im_ = self.ax_.imshow(shades, cmap=cmap, vmin=-1, vmax=2, aspect="auto")
        words = np.empty(above.shape, dtype=object)
        for (i, j), mean in np.ndenumerate(matrix.means):
            sd, missing = matrix.spreads[i, j], matrix.undefined[i, j]
            places = max(3, decimals(float(sd))) if np.isfinite(sd) else 3
            gaps = f", {missing} undefined" if missing else ""
            words[i, j] = f"{mean:.{places}f}\n\u00b1 {sd:.{places}f}{gaps}"
        self.text_ = write_cells(self.im_, words, {"fontsize": "small"})
        for (i, j), text in np.ndenumerate(self.text_):
            if matrix.tuned_on[i] == matrix.reported_on[j]:
                text.set_fontweight("bold")
        down, right = map(shown, matrix.tuned_on), map(shown, matrix.reported_on)
        name_table(self.ax_, down, right, "horizontal")
        text = " (mean \u00b1 sd of outer folds; darker: higher in its column)"
        return self._end(despine, f"Reported on{text if self._own else ''}", "Tuned on")


def _colour(ax: Any, number: int = 0) -> Any:
    """Return a colour of the style."""
    colours = palette(ax)
    return colours[number % len(colours)]
