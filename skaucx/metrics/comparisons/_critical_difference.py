"""The critical-difference picture of classifiers over many data sets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..._options import check_choice
from ..._plotting import fit_rows, inches, ink, new_axes, palette, text_width, wrapped
from ..._text.numbers import significant
from ._rank_tests import PairwiseResult, critical_difference, nemenyi_test, wilcoxon_holm_test

_SIDE = 0.3  # of the width: the most that names have on either side
_LEAD = 0.1  # lengths of the scale from its end to the names
_TESTS = {"nemenyi": nemenyi_test, "wilcoxon": wilcoxon_holm_test}


@dataclass(eq=False)
class CriticalDifferenceDisplay:
    """Mean ranks on a line, with bars over the classifiers that do not differ.

    Made by :meth:`from_scores`. The best mean rank stands to the left. Under Nemenyi's test the
    length of the critical difference is drawn above the line.

    Parameters
    ----------
    result : PairwiseResult
        The tests of all pairs.
    alpha : float, default=0.05
        A pair differs where its p-value is below this.
    length : float, default=nan
        The critical difference to draw above the line, in ranks; none is drawn for nan.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the last plot.
    figure_ : matplotlib Figure
        The figure of the last plot.

    References
    ----------
    .. [1] Demsar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal
       of Machine Learning Research 7, 1-30.

    Examples
    --------
    >>> from skaucx.metrics import CriticalDifferenceDisplay
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.7, 0.6, 0.5]]
    >>> display = CriticalDifferenceDisplay.from_scores(scores, names=["a", "b", "c"])
    >>> display.result.groups(display.alpha)
    (('a', 'b'), ('b', 'c'))
    """

    result: PairwiseResult
    alpha: float = 0.05
    length: float = math.nan

    @classmethod
    def from_scores(
        cls,
        scores: Any,
        *,
        names: Sequence[str] | None = None,
        test: Literal["nemenyi", "wilcoxon"] = "nemenyi",
        alpha: float = 0.05,
        greater_is_better: bool = True,
        ax: Any = None,
    ) -> CriticalDifferenceDisplay:
        """Test all pairs of classifiers and draw the picture.

        Parameters
        ----------
        scores : array-like of shape (n_datasets, n_classifiers)
            One score of each classifier on each data set.
        names : list of str, default=None
            Names of the classifiers; by default the columns of a data frame, or "0", "1" ...
        test : {"nemenyi", "wilcoxon"}, default="nemenyi"
            :func:`nemenyi_test` or :func:`wilcoxon_holm_test`.
        alpha : float, default=0.05
            Size of the test, in (0, 1).
        greater_is_better : bool, default=True
            Whether the greatest score of a data set has rank 1.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure by default.

        Returns
        -------
        CriticalDifferenceDisplay

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        check_choice("test", test, _TESTS)
        result = _TESTS[test](scores, names=names, greater_is_better=greater_is_better)
        length = math.nan
        if test == "nemenyi":
            length = critical_difference(result.n_datasets, len(result.names), alpha)
        return cls(result, alpha, length).plot(ax=ax)

    def plot(self, ax: Any = None) -> CriticalDifferenceDisplay:
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure by default.

        Returns
        -------
        CriticalDifferenceDisplay
            Itself, with ``ax_`` and ``figure_``.
        """
        groups, names = self.result.groups(self.alpha), self.result.names
        rows = (len(names) + 1) // 2
        self.ax_, self.figure_ = new_axes(ax, (7, 1.2 + 0.22 * (len(groups) + 1.4 * rows)))
        self._ink = ink(self.ax_)
        self._side = self._room()
        self._texts: list[Any] = []
        top = self._draw_scale(self.ax_, len(names))
        bottom = self._draw_groups(self.ax_, groups)
        depth = self._draw_names(self.ax_, bottom)
        margin = self._side * (len(names) - 1)
        self.ax_.set(xlim=(1 - margin, len(names) + margin), ylim=(depth, top))
        self.ax_.set_axis_off()
        fit_rows(self.ax_, self._texts)
        return self

    def _room(self) -> float:
        """Return what lies on either side of the scale, in lengths of it: leads and names."""
        widest = max(text_width(self.ax_, label) for label in self._labels())
        names = min(_SIDE, 1.05 * widest / inches(self.ax_, 0))
        scale = (1 - 2 * names) / (1 + 2 * _LEAD)  # of the width
        return (1 / scale - 1) / 2

    def _labels(self) -> list[str]:
        names = (wrapped(name, 30, lines=1) for name in self.result.names)
        ranks = self.result.mean_ranks
        return [f" {name} ({rank:.2f}) " for name, rank in zip(names, ranks, strict=True)]

    def _draw_scale(self, ax: Any, classifiers: int) -> float:
        """Draw the line of ranks at height 0 and the critical difference above it."""
        ax.plot([1, classifiers], [0, 0], color=self._ink, linewidth=1)
        fit = max(2, int(inches(ax, 0) / (1 + 2 * self._side) / 0.25))  # numbers of a quarter inch
        step = -(-classifiers // fit)
        for rank in range(1, classifiers + 1, step):
            ax.plot([rank, rank], [0, 0.25], color=self._ink, linewidth=1)
            self._write(rank, 0.35, str(rank), ha="center", va="bottom")
        if math.isnan(self.length):
            return 1.4
        end = 1 + self.length
        ax.plot([1, end], [1.9, 1.9], color=self._ink, linewidth=1.5)
        for x in (1, end):
            ax.plot([x, x], [1.75, 2.05], color=self._ink, linewidth=1.5)
        self._write(1, 2.15, f"critical difference {significant(self.length)}", va="bottom")
        return 3.3

    def _write(self, x: float, y: float, words: str, **align: str) -> None:
        self._texts.append(self.ax_.text(x, y, words, **align))

    def _draw_groups(self, ax: Any, groups: Sequence[Sequence[str]]) -> float:
        """Draw a bar over each group, one below the other; return the height under the last."""
        at = dict(zip(self.result.names, self.result.mean_ranks, strict=True))
        height, colour = -0.4, palette(ax)[0]
        thick = min(4.0, 72 * inches(ax, 1) / (len(self.result.names) + 8) * 0.2)
        for group in groups:
            ends = at[group[0]] - 0.03, at[group[-1]] + 0.03
            ax.plot(ends, [height, height], color=colour, linewidth=thick, solid_capstyle="butt")
            height -= 0.4
        return height

    def _draw_names(self, ax: Any, bottom: float) -> float:
        """Lead from each mean rank to its name: the better half to the left, the worse right."""
        classifiers = len(self.result.names)
        order = np.argsort(self.result.mean_ranks, kind="stable")
        left = (classifiers + 1) // 2
        margin, labels = _LEAD * (classifiers - 1), self._labels()
        for place, index in enumerate(order.tolist()):
            rank = float(self.result.mean_ranks[index])
            depth = bottom - (place if place < left else classifiers - 1 - place) - 0.3
            edge, side = (1 - margin, "right") if place < left else (classifiers + margin, "left")
            ax.plot([rank, rank, edge], [0, depth, depth], color=self._ink, linewidth=0.8)
            self._write(edge, depth, labels[index], ha=side, va="center")
        return bottom - left - 0.2
