"""Pictures of the results of the studies; matplotlib is imported when one is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._arrays import Floats
from .._plotting import Display, fit_labels, ink, line_styles, name_rows, palette, wrapped
from ._measures import Measures, measure_values
from ._sets import SetCollection
from ._violations import Breakdown, Violations

_OF_CURVES = 5.4, 4.0  # inches
_SAME = 10  # decimals in which curves agree that are drawn as one


def draw_curves(ax: Any, x: Floats, curves: Mapping[str, Floats], **look: Any) -> None:
    """Draw one curve per measure, coinciding ones once; a measure has the same style in all plots."""
    styles, places = line_styles(ax), list(curves)
    named: dict[bytes, list[str]] = {}
    for name, curve in curves.items():
        named.setdefault((np.round(curve, _SAME) + 0.0).tobytes(), []).append(name)
    for first, *others in named.values():
        label = wrapped(", ".join([first, *others]), 30)
        style = styles(places.index(first))
        ax.plot(x, curves[first], label=label, linewidth=1.2, **style, **look)


@dataclass(eq=False, repr=False)
class ViolationsDisplay(Display):
    """Bars: how many correctly ranked score sets each measure ranks below an incorrect one.

    Parameters
    ----------
    result : Violations

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> from skaucx.study import ViolationsDisplay, all_labellings, count_violations, parse_sets
    >>> study = count_violations(all_labellings(parse_sets("1p .8p .6p .4n .2n 0n")))
    >>> display = ViolationsDisplay(study).plot()  # doctest: +SKIP
    """

    result: Violations

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches of a figure of its own."""
        return 6.0, 1.2 + 0.3 * len(self.result.values)

    def _draw(self, ax: Any) -> None:
        tallies = self.result.measures
        counts = [tally.violations for tally in tallies.values()]
        bars = ax.barh(np.arange(len(counts)), counts, height=0.7, color=palette(ax)[0])
        ax.bar_label(bars, fmt="{:,.0f}", padding=3)
        ax.set_xlim(0, max(1.15 * max(counts), 1))
        name_rows(ax, tallies)
        fit_labels(ax, f"violations, of {self.result.correct:,} correctly ranked sets")


@dataclass(eq=False, repr=False)
class ValueRangesDisplay(Display):
    """The values that each measure gives to correctly and to incorrectly ranked score sets.

    A line reaches from the lowest to the highest value, a box over the middle half of them, with a
    dot at the median. Where the two lines overlap, there are violations.

    Parameters
    ----------
    result : Violations

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> from skaucx.study import ValueRangesDisplay, all_labellings, count_violations, parse_sets
    >>> study = count_violations(all_labellings(parse_sets("1p .8p .6p .4n .2n 0n")))
    >>> display = ValueRangesDisplay(study).plot()  # doctest: +SKIP
    """

    _legend = True
    result: Violations

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches of a figure of its own."""
        return 6.0, 1.5 + 0.45 * len(self.result.values)

    def _draw(self, ax: Any) -> None:
        correct, values = self.result.is_correct, np.stack(list(self.result.values.values()))
        dot = {"color": ax.get_facecolor(), "markeredgecolor": ink(ax), "markersize": 4}
        blue, orange = palette(ax)[:2]
        for label, chosen, shift, style in (
            ("correctly ranked", correct, -0.19, {"facecolor": blue}),
            ("incorrectly ranked", ~correct, 0.19, {"facecolor": orange, "hatch": "////"}),
        ):
            if chosen.any():
                rows, quartiles = np.arange(len(values)) + shift, [0, 0.25, 0.5, 0.75, 1]
                low, left, median, right, high = np.quantile(values[:, chosen], quartiles, axis=1)
                look = {"height": 0.3, "edgecolor": ink(ax), "label": label, **style}
                ax.hlines(rows, low, high, color=ink(ax), linewidth=1.2, zorder=1)
                ax.barh(rows, right - left, left=left, zorder=2, **look)
                ax.plot(median, rows, "o", zorder=3, **dot)
        name_rows(ax, self.result.values)
        ax.use_sticky_edges = False
        ax.margins(x=0.03)
        fit_labels(ax, "value of the measure")


@dataclass(eq=False, repr=False)
class BreakdownDisplay(Display):
    """Curves: the share of correctly ranked sets that each measure violates, bin by bin.

    Parameters
    ----------
    result : Breakdown

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> from skaucx.study import BreakdownDisplay, all_labellings, count_violations, parse_sets
    >>> study = count_violations(all_labellings(parse_sets("1p .8p .6p .4n .2n 0n")))
    >>> display = BreakdownDisplay(study.by("margin")).plot()  # doctest: +SKIP
    """

    _legend = True
    size = _OF_CURVES
    result: Breakdown

    def _draw(self, ax: Any) -> None:
        edges, correct = self.result.edges, self.result.correct
        filled = np.flatnonzero(correct)
        shares = {
            name: count[filled] / correct[filled] for name, count in self.result.violations.items()
        }
        draw_curves(ax, (edges[filled] + edges[filled + 1]) / 2, shares, marker=".")
        if len(filled):
            ax.set_xlim(edges[filled[0]], edges[filled[-1] + 1])
        ax.set_ylim(-0.03, 1.03)
        by = self.result.by.replace("_", " ")
        fit_labels(ax, f"{by} of the set", "share of correctly ranked sets violated")


@dataclass(eq=False, repr=False)
class DifferenceDisplay(Display):
    """Difference functions: the value of a set of one positive and one negative, by their difference.

    A measure that is a mean over pairs of a function of d = p - n is that function here.

    Parameters
    ----------
    measures : str, callable, list or dict of these
        AUC variants and measures of one's own, as for :func:`measure_values`. The mm measures up to mm7
        read the span, and are constant above 0 here.
    parameters : dict, default=None
        Parameters given to every variant that takes them, such as ``{"beta": 2}``.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> from skaucx.study import DifferenceDisplay, parameter_variants
    >>> display = DifferenceDisplay(parameter_variants("soft_auc", beta=[2, 7]))
    >>> difference, values = display.functions
    >>> values["soft_auc(beta=2)"][difference == 0].tolist()
    [0.5]
    >>> display = display.plot()  # doctest: +SKIP
    """

    _legend = True
    size = _OF_CURVES
    measures: Measures = ("roc_auc", "prob_auc", "scor_auc", "sond_auc", "soft_auc")
    parameters: Mapping[str, Any] | None = None

    @property
    def functions(self) -> tuple[Floats, dict[str, Floats]]:
        """Differences from -1 to 1, and the value of each measure at them."""
        d = np.linspace(-1, 1, 401)
        score = np.stack([np.maximum(d, 0), np.maximum(-d, 0)], axis=1)
        sets = SetCollection.from_arrays(np.tile([True, False], (len(d), 1)), score)
        return d, measure_values(sets, self.measures, **(self.parameters or {}))

    def _draw(self, ax: Any) -> None:
        draw_curves(ax, *self.functions)
        fit_labels(ax, "difference of a positive's and a negative's score", "value of the pair")
