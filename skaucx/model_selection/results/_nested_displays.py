"""Pictures of nested cross-validation; matplotlib is imported when one is drawn."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..._arguments import Axes, Colormap
from ..._plotting import (
    Display,
    band_style,
    entitle,
    fit_labels,
    ink,
    muted,
    name_columns,
    name_rows,
    name_table,
    palette,
    shown,
    state_rows,
    write_cells,
)
from ..._text.numbers import decimals, spread
from ..._text.plain import parameters
from .._fold_scores import moments
from .._types import Estimator, Floats, Params
from ..decisions._winner import logarithmic
from ._tuning_matrix import TuningMatrix

_NAMED = 20  # folds; with more the winners are named in the legend only


class ResultDisplay(Display):
    """Common parts of the plots of a nested result.

    Parameters
    ----------
    result : NestedCVResult
    """

    def __init__(self, result: Mapping[str, Floats]) -> None:
        self.result: Any = result

    @classmethod
    def from_estimator(
        cls, estimator: Estimator, *, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Draw the result of a fitted :class:`NestedCV`.

        Parameters
        ----------
        estimator : NestedCV
        ax : matplotlib Axes, default=None
            New ones if None.
        **options
            Keywords of the display, such as `metric`.

        Returns
        -------
        display
            With the axes in ``ax_``.
        """
        check_is_fitted(estimator, "result_")
        return cls(vars(estimator)["result_"], **options).plot(ax)


class MetricDisplay(ResultDisplay):
    """Common parts of the plots of one metric of a nested result.

    Parameters
    ----------
    result : NestedCVResult
    metric : str, default=None
        The metric shown, by default the first of those that choose.
    """

    def __init__(self, result: Mapping[str, Floats], *, metric: str | None = None) -> None:
        super().__init__(result)
        self.metric = self.result.refit[0] if metric is None else metric
        self._check()

    def _check(self) -> None:
        """Raise an error for a metric, or a result, that cannot be drawn."""
        raise NotImplementedError


class NestedCVDisplay(MetricDisplay):
    """Plot of the outer folds: inner and outer score of each, and the candidate that it chose.

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
        Mean inner score of each fold's winner.

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
    >>> [text.get_text().splitlines()[0] for text in display.ax_.get_legend().get_texts()][:2]
    ['outer score', 'inner mean']
    """

    def _check(self) -> None:
        if self.metric not in self.result.test_scores:
            known = ", ".join(self.result.test_scores)
            raise ValueError(f"metric must be one of the result's, {known}, found {self.metric!r}.")

    size = 6.0, 4.2
    _legend: ClassVar = {}

    def _draw(self, ax: Any) -> None:
        """Draw inner and outer scores, joined fold by fold."""
        fold, outer = np.arange(self.result.n_outer), self.result.test_scores[self.metric]
        self.outer_ = self._points(
            fold, outer, "outer score", marker="s", color=_colour(ax), zorder=3
        )
        self.inner_ = self._draw_inner(fold, outer) if self.metric in self.result.refit else None
        self._name_winners(fold, text=self._own)
        fit_labels(self.ax_, "Outer fold and its winner", shown(self.metric))

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
        """Draw the inner scores of each fold's winner, their mean joined to the outer score."""
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
            self.ax_.plot(at, scores.ravel(), label="inner folds of the winner", **dots)
        return line

    def _name_winners(self, fold: Any, text: bool) -> None:
        """Number the winners below the axis, and explain the numbers in the legend."""
        result = self.result
        if len(fold) <= _NAMED:
            pairs = zip(fold, result.winners, strict=True)
            name_columns(self.ax_, [f"{k}\n#{winner}" for k, winner in pairs])
        winners, counts = np.unique(result.winners, return_counts=True)
        for place in np.argsort(-counts, kind="stable").tolist() if text else ():
            won = f" won {counts[place]} of {len(fold)}"
            params = parameters(short_params(result.candidates[winners[place]]))
            lines = textwrap.wrap(f"#{winners[place]}{won}: {params}", 36, max_lines=3)
            self.ax_.plot([], [], linestyle="none", label="\n".join(lines))


class TuningMatrixDisplay(Display):
    r"""Picture of a tuning matrix: rows tuned on, columns reported on.

    Each cell holds mean and standard deviation over the outer folds. Columns are shaded separately,
    darker for higher means, from white to full over the column's range or its mean standard
    deviation, whichever is greater. A frame marks the metric that was tuned on.

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

    @classmethod
    def from_estimator(cls, estimator: Estimator, *, ax: Axes | None = None) -> Self:
        """Draw the matrix of a fitted :class:`NestedCV`.

        Parameters
        ----------
        estimator : NestedCV
        ax : matplotlib Axes, default=None
            New ones if None.

        Returns
        -------
        TuningMatrixDisplay
        """
        check_is_fitted(estimator, "result_")
        return cls(vars(estimator)["result_"].tuning_matrix).plot(ax)

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
        means = self.matrix.means
        rows, columns = means.shape
        size = 2.2 + 1.1 * min(columns, 10), 1.6 + 0.6 * min(rows, 12)
        self._begin(ax, name, size)
        shades = _within_columns(means, self.matrix.spreads)
        self.im_ = self.ax_.imshow(shades, cmap=cmap, vmin=0, vmax=1.4, aspect="auto")
        self._write()
        text = " (mean \u00b1 sd of outer folds; darker: higher in its column)"
        across = f"Reported on{text if ax is None else ''}"
        down, right = map(shown, self.matrix.tuned_on), map(shown, self.matrix.reported_on)
        name_table(self.ax_, down, right, across, "Tuned on", own=self._own)
        entitle(self.ax_, self._name)
        return self._end(despine)

    def _write(self) -> None:
        """Write mean and deviation into each cell, and frame the tuning metric."""
        matrix = self.matrix
        words = np.empty(matrix.means.shape, dtype=object)
        for (i, j), mean in np.ndenumerate(matrix.means):
            sd, missing = matrix.spreads[i, j], matrix.undefined[i, j]
            places = max(3, decimals(float(sd))) if np.isfinite(sd) else 3
            gaps = f", {missing} undefined" if missing else ""
            words[i, j] = f"{mean:.{places}f}\n\u00b1 {sd:.{places}f}{gaps}"
            if matrix.tuned_on[i] == matrix.reported_on[j]:
                self.ax_.add_patch(_frame(i, j, _colour(self.ax_, 1)))
        self.text_ = write_cells(self.im_, words, {"fontsize": "small"})


class KeptLimitsDisplay(ResultDisplay):
    """Plot of requested limits: how the metric of each lies to its limit on every outer test part.

    One row a limit, one point an outer fold; points right of zero keep to the limit, and the distance
    left of zero is the shortfall. Open points are folds in which no threshold kept to all limits on the
    inner predictions; folds in which a metric is undefined have no point.

    Parameters
    ----------
    result : NestedCVResult
        With ``kept_limits``, those of ``threshold=`` or ``refit=``.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    met_, missed_ : list of matplotlib PathCollection
        The points of each limit that keep to it, and those that do not.

    Raises
    ------
    ValueError
        If the run had no limits.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skaucx.model_selection import Decisions, KeptLimitsDisplay, nested_cross_validate
    >>> limits = {"specificity": {"recall": (">=", 0.95), "npv": (">=", 0.9)}}
    >>> result = nested_cross_validate(
    ...     GaussianNB(), {}, *load_breast_cancer(return_X_y=True), scoring="roc_auc",
    ...     decisions=Decisions(threshold=limits), final=None,
    ... )
    >>> display = KeptLimitsDisplay(result).plot()
    >>> [len(points.get_offsets()) for points in display.met_]
    [2, 4]
    """

    def __init__(self, result: Mapping[str, Floats]) -> None:
        super().__init__(result)
        if not self.result.kept_limits:
            raise ValueError(
                "result has no limits; request them by threshold={metric: {other: ('>=', value)}}, "
                "or by refit."
            )

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches of a figure of its own."""
        return 6.0, 1.2 + 0.6 * len(self.result.kept_limits)

    def _draw(self, ax: Any) -> None:
        limits = self.result.kept_limits
        self.ax_.axvline(0, color=muted(self.ax_), linewidth=1, zorder=0)
        self.met_: list[Any] = []
        self.missed_: list[Any] = []
        for row, limit in enumerate(limits):
            height = row + np.linspace(-0.2, 0.2, len(limit.inside))
            for points, these, marker, colour in (
                (self.met_, limit.met, "o", _colour(ax)),
                (self.missed_, limit.shortfall > 0, "X", _colour(ax, 1)),
            ):
                faces = np.where(limit.infeasible[these], "none", colour)
                drawn = self.ax_.scatter(
                    limit.inside[these], height[these], marker=marker, facecolors=faces,
                    edgecolors=colour,
                )  # fmt: skip
                points.append(drawn)
        requests = [
            limit.request.replace(">=", "\u2265").replace("<=", "\u2264") for limit in limits
        ]
        name_rows(self.ax_, map(shown, requests), own=self._own)
        counted = [f"{limit.met.sum()} of {len(limit.met)} met" for limit in limits]
        state_rows(self.ax_, enumerate(counted))
        hollow = "; open: infeasible inside" if limits[0].infeasible.any() else ""
        fit_labels(
            self.ax_, f"Distance from the limit on each outer test part (below 0: missed{hollow})"
        )


def _colour(ax: Any, number: int = 0) -> Any:
    """Return a colour of the style."""
    colours = palette(ax)
    return colours[number % len(colours)]


def _within_columns(means: Floats, spreads: Floats) -> Floats:
    """Return each mean minus the least of its column, scaled to at most 1."""
    defined = ~np.isnan(means)
    low = np.where(defined, means, np.inf).min(axis=0)
    height = np.subtract(means, low, out=np.zeros_like(means), where=defined)
    spread = np.nan_to_num(spreads).mean(axis=0)
    unit = np.maximum(height.max(axis=0), spread)
    return np.divide(height, unit, out=np.zeros_like(means), where=unit > 0)


def _frame(row: int, column: int, colour: Any) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((column - 0.47, row - 0.46), 0.94, 0.92, fill=False, edgecolor=colour, lw=2)


def short_params(params: Params) -> Params:
    """Name parameters without the steps of a pipeline, where that keeps them apart."""
    short = {name.rpartition("__")[2]: value for name, value in params.items()}
    return short if len(short) == len(params) else params


_MOST_ROWS = 20


class CandidatesDisplay(MetricDisplay):
    """Plot of the inner scores of the candidates.

    A curve over one number that varies, with a band of one standard deviation over all inner folds of
    all outer folds; a table in shades over two parameters; otherwise the best candidates in a row
    each. Marks show the choices of the outer folds. The heights are those by which candidates were
    chosen, so that the best of them is optimistic.

    Parameters
    ----------
    result : NestedCVResult
    metric : str, default=None
        One of the metrics that choose, by default the first.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    means_, spreads_ : ndarray of shape (C,), float64
        Mean and standard deviation of each candidate.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skaucx.model_selection import CandidatesDisplay, nested_cross_validate
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree, grid = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}
    >>> result = nested_cross_validate(
    ...     tree, grid, X, y, scoring="roc_auc", inner_cv=3, final=None
    ... )
    >>> CandidatesDisplay(result).plot().ax_.get_xlabel()
    'max_depth'
    """

    def _check(self) -> None:
        if self.metric not in self.result.refit:
            raise ValueError(
                f"metric must be one that chooses, {', '.join(self.result.refit)}, found "
                f"{self.metric!r}."
            )
        if not self.result.inner_scores.size:
            raise ValueError(
                "The inner scores are not available: every fold has a separate search."
            )

    def __init__(self, result: Mapping[str, Floats], *, metric: str | None = None) -> None:
        super().__init__(result, metric=metric)
        found = self.result
        scores = found.inner_scores[..., found.refit.index(self.metric)]
        self.means_, self.spreads_ = moments(np.moveaxis(scores, 1, 0).reshape(scores.shape[1], -1))
        self._wins = np.bincount(found.winners, minlength=len(self.means_))
        self._candidates = [short_params(params) for params in found.candidates]
        self._varied = _varied(self._candidates)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches of a figure of its own."""
        if self._form == "curve":
            return 5.4, 4.0
        if self._form == "table":
            rows, columns = (len(set(map(repr, values))) for values in self._varied.values())
            return 1.8 + 1.1 * min(columns, 8), 1.4 + 0.6 * min(rows, 10)
        return 6.0, 0.9 + 0.3 * min(len(self.means_), _MOST_ROWS)

    @property
    def _form(self) -> str:
        """Return how the candidates are drawn, by what they differ in."""
        if len(self._varied) == 1 and _numeric(self._varied):
            return "curve"
        crossed = np.prod([len(set(map(repr, values))) for values in self._varied.values()])
        full = len(self._varied) == 2 and crossed == len(self._candidates)
        return "table" if full else "rows"

    def _draw(self, ax: Any) -> None:
        {"curve": self._curve, "table": self._table, "rows": self._rows}[self._form]()

    def _curve(self) -> None:
        """Draw mean and band over one parameter; the larger a dot, the more folds chose it."""
        [(param, given)] = self._varied.items()
        x, order = np.asarray(given, dtype=float), np.argsort(np.asarray(given, dtype=float))
        if logarithmic(x):
            self.ax_.set_xscale("log")
        mean, sd = self.means_[order], self.spreads_[order]
        self.ax_.fill_between(x[order], mean - sd, mean + sd, **band_style(_colour(self.ax_)))
        self.ax_.plot(x[order], mean, color=_colour(self.ax_))
        sizes = 12 + 80 * self._wins / max(self._wins.max(), 1)
        self.ax_.scatter(x, self.means_, s=sizes, color=_colour(self.ax_), zorder=3)
        fit_labels(self.ax_, param, f"{shown(self.metric)}, inner mean \u00b1 sd")

    def _table(self) -> None:
        """Shade the means over two parameters, with the number of outer folds that chose each."""
        (down, rows), (across, columns) = (
            (n, list(dict.fromkeys(map(repr, v)))) for n, v in self._varied.items()
        )
        table, words = (
            np.full((len(rows), len(columns)), np.nan),
            np.full((len(rows), len(columns)), "", object),
        )
        for k, pair in enumerate(zip(*self._varied.values(), strict=True)):
            cell = rows.index(repr(pair[0])), columns.index(repr(pair[1]))
            won = f"\nwon {self._wins[k]}" if self._wins[k] else ""
            table[cell], words[cell] = (
                self.means_[k],
                spread(self.means_[k], self.spreads_[k]) + won,
            )
        image = self.ax_.imshow(
            np.nan_to_num(table, nan=np.nanmin(table)), cmap="Blues", aspect="auto"
        )
        self.text_ = write_cells(image, words, {"fontsize": "small"})
        name_table(self.ax_, rows, columns, across, down, own=self._own)

    def _rows(self) -> None:
        """Draw the candidates with the highest means, a row each."""
        best = np.argsort(-np.nan_to_num(self.means_, nan=-np.inf), kind="stable")[:_MOST_ROWS]
        at = np.arange(len(best))
        mean, sd = self.means_[best], self.spreads_[best]
        self.ax_.hlines(at, mean - sd, mean + sd, color=_colour(self.ax_), linewidth=2)
        self.ax_.plot(mean, at, "o", color=ink(self.ax_))
        named = [f"{parameters(self._candidates[k])} (won {self._wins[k]})" for k in best]
        name_rows(self.ax_, named, own=self._own)
        left_out = len(self._candidates) - len(best)
        rest = f", {left_out} more not shown" if left_out else ""
        fit_labels(self.ax_, f"{shown(self.metric)}, inner mean \u00b1 sd{rest}")


def _varied(candidates: list[Params]) -> dict[str, list[Any]]:
    """Return the values of the parameters that are not the same in all candidates."""
    names = dict.fromkeys(name for params in candidates for name in params)
    values = {name: [params.get(name) for params in candidates] for name in names}
    return {name: given for name, given in values.items() if len({*map(repr, given)}) > 1}


def _numeric(varied: dict[str, list[Any]]) -> bool:
    return all(
        isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        for given in varied.values()
        for value in given
    )


__all__ = ["CandidatesDisplay"]
