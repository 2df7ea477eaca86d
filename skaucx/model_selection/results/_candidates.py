"""Pictures of the candidates of an inner search; matplotlib is imported when one is drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._plotting import (
    BLUE,
    band_style,
    fit_labels,
    ink,
    name_columns,
    name_rows,
    new_axes,
    shown,
    tabular,
    write_cells,
)
from ..._text.numbers import spread
from ..._text.tables import parameters
from .._types import Params
from ._displays import ResultDisplay, short_params
from ._final import logarithmic
from ._statistics import moments

_MOST_ROWS = 20


class CandidatesDisplay(ResultDisplay):
    """Picture of what the inner folds said of the candidates.

    A curve over one number that varies, with a band of one standard deviation over all inner folds of
    all outer folds; a table in shades over two parameters; otherwise the best candidates in a row
    each. Marks tell what the outer folds chose. The heights are those by which candidates were chosen,
    so that the best of them is optimistic.

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
            raise ValueError("The inner scores are not known: every fold's search ran by itself.")

    def _draw(self, ax: Any) -> None:
        """Draw a curve, a table or rows, as the candidates differ."""
        scores = self.result.inner_scores[..., self.result.refit.index(self.metric)]
        self.means_, self.spreads_ = moments(np.moveaxis(scores, 1, 0).reshape(scores.shape[1], -1))
        self._wins = np.bincount(self.result.winners, minlength=len(self.means_))
        candidates = [short_params(params) for params in self.result.candidates]
        varied = _varied(candidates)
        crossed = np.prod([len(set(map(repr, values))) for values in varied.values()])
        if len(varied) == 1 and _numeric(varied):
            self._curve(ax, *varied.items())
        elif len(varied) == 2 and crossed == len(candidates):
            self._table(ax, varied)
        else:
            self._rows(ax, candidates)

    def _curve(self, ax: Any, varied: tuple[str, list[Any]]) -> None:
        """Draw mean and band over one parameter; the larger a dot, the more folds chose it."""
        self.ax_, self.figure_ = new_axes(ax, (5.4, 4.0))
        param, given = varied
        x, order = np.asarray(given, dtype=float), np.argsort(np.asarray(given, dtype=float))
        if logarithmic(x):
            self.ax_.set_xscale("log")
        mean, sd = self.means_[order], self.spreads_[order]
        self.ax_.fill_between(x[order], mean - sd, mean + sd, **band_style(BLUE))
        self.ax_.plot(x[order], mean, color=BLUE)
        sizes = 12 + 80 * self._wins / max(self._wins.max(), 1)
        self.ax_.scatter(x, self.means_, s=sizes, color=BLUE, zorder=3)
        fit_labels(self.ax_, param, f"{shown(self.metric)}, inner mean \u00b1 sd")

    def _table(self, ax: Any, varied: dict[str, list[Any]]) -> None:
        """Shade the means over two parameters, and tell how many outer folds chose each."""
        (down, rows), (across, columns) = (
            (n, list(dict.fromkeys(map(repr, v)))) for n, v in varied.items()
        )
        table, words = (
            np.full((len(rows), len(columns)), np.nan),
            np.full((len(rows), len(columns)), "", object),
        )
        for k, pair in enumerate(zip(*varied.values(), strict=True)):
            cell = rows.index(repr(pair[0])), columns.index(repr(pair[1]))
            won = f"\nwon {self._wins[k]}" if self._wins[k] else ""
            table[cell], words[cell] = (
                self.means_[k],
                spread(self.means_[k], self.spreads_[k]) + won,
            )
        size = 1.8 + 1.1 * min(len(columns), 8), 1.4 + 0.6 * min(len(rows), 10)
        self.ax_, self.figure_ = new_axes(ax, size)
        image = self.ax_.imshow(
            np.nan_to_num(table, nan=np.nanmin(table)), cmap="Blues", aspect="auto"
        )
        tabular(self.ax_)
        self.text_ = write_cells(image, words, {"fontsize": "small"})
        name_rows(self.ax_, rows, own=ax is None)
        name_columns(self.ax_, columns, own=ax is None)
        fit_labels(self.ax_, across, down)

    def _rows(self, ax: Any, candidates: list[Params]) -> None:
        """Draw the candidates with the highest means, a row each."""
        best = np.argsort(-np.nan_to_num(self.means_, nan=-np.inf), kind="stable")[:_MOST_ROWS]
        self.ax_, self.figure_ = new_axes(ax, (6.0, 0.9 + 0.3 * len(best)))
        at = np.arange(len(best))
        mean, sd = self.means_[best], self.spreads_[best]
        self.ax_.hlines(at, mean - sd, mean + sd, color=BLUE, linewidth=2)
        self.ax_.plot(mean, at, "o", color=ink(self.ax_))
        named = [f"{parameters(candidates[k])} (won {self._wins[k]})" for k in best]
        name_rows(self.ax_, named, own=ax is None)
        left_out = len(candidates) - len(best)
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
