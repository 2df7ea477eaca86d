"""Pictures of the results of the studies; matplotlib is imported when one is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal

import numpy as np

from .._arrays import Array, Floats
from .._compat import import_pyplot
from .._options import check_choice
from .._plotting import (
    Display,
    entitle,
    fit_labels,
    inches,
    ink,
    key,
    line_styles,
    marker,
    muted,
    name_rows,
    name_table,
    palette,
    wrapped,
    write_cells,
)
from .._text.numbers import fixed
from ._measures import Measures, measure_values
from ._regret import ALL_LEARNERS, SelectionRegret
from ._sets import SetCollection
from ._simulation import BiasVariance, SelectionShares
from ._violations import Breakdown, PairOrders, Violations

_OF_CURVES = 5.4, 4.0  # inches
_SAME = 10  # decimals in which curves agree that are drawn as one


def save_pictures(displays: Sequence[Display], path: str | PathLike[str]) -> None:
    """Draw displays side by side and write them to a file."""
    pyplot = import_pyplot()
    widths, heights = zip(*(display.size for display in displays), strict=True)
    figure, axes = pyplot.subplots(
        1, len(displays), figsize=(sum(widths), max(heights)), squeeze=False,
        layout="constrained", width_ratios=widths,
    )  # fmt: skip
    try:
        for display, ax in zip(displays, axes[0], strict=True):
            display.plot(ax)
        figure.savefig(path, dpi=200)
    finally:
        pyplot.close(figure)


def number_plainly(axis: Any) -> None:
    """Write 1e-05 on a logarithmic axis, which needs no mathematical typesetting."""
    from matplotlib.ticker import LogFormatter

    axis.set_major_formatter(LogFormatter())
    axis.set_minor_formatter(LogFormatter())


def draw_ranges(ax: Any, values: Floats, rows: Array, label: str, style: Mapping[str, Any]) -> None:
    """Draw each row of values: the range as a line, the quartiles as a box, the median as a dot."""
    low, left, median, right, high = np.quantile(values, [0, 0.25, 0.5, 0.75, 1], axis=1)
    line = ink(ax)
    ax.hlines(rows, low, high, color=line, linewidth=1.2, zorder=1)
    ax.barh(
        rows, right - left, left=left, height=0.3, edgecolor=line, label=label, zorder=2, **style
    )
    dot = {"color": ax.get_facecolor(), "markeredgecolor": line, "markersize": 4, "zorder": 3}
    ax.plot(median, rows, "o", **dot)


def draw_curves(ax: Any, x: Floats, curves: Mapping[str, Floats]) -> None:
    """Draw one curve per measure, coinciding ones once; a measure has the same style in all plots."""
    places = {name: place for place, name in enumerate(curves)}
    styles = line_styles(ax)
    for names, y in _merged(curves).items():
        place = places[names[0]]
        ax.plot(
            x, y, label=wrapped(", ".join(names), 30), **styles(place), marker=marker(place),
            linewidth=1.2, markeredgecolor=ax.get_facecolor(), markeredgewidth=0.5,
        )  # fmt: skip


def _merged(curves: Mapping[str, Floats]) -> dict[tuple[str, ...], Floats]:
    """Return the curves that differ, each under the names of all that coincide with it."""
    names: dict[bytes, list[str]] = {}
    for name, curve in curves.items():
        names.setdefault((np.round(curve, _SAME) + 0.0).tobytes(), []).append(name)
    return {tuple(same): curves[same[0]] for same in names.values()}


def draw_shades(ax: Any, table: Floats) -> None:
    """Draw a table in shades of one hue, the numbers in it."""
    image = ax.imshow(table, cmap="Blues", vmin=0, vmax=max(table.max(), 1e-4), aspect="auto")
    words = np.array([[fixed(number) for number in row] for row in table], dtype=object)
    write_cells(image, words, {"fontsize": "small"})


_WIDE = 3.0  # inches of axes in which two long names stand side by side


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
        name_rows(ax, tallies)
        size = ax.get_yticklabels()[0].get_fontsize()
        ax.bar_label(bars, fmt="{:,.0f}", padding=3, fontsize=size)
        ax.set_xlim(0, max(1.15 * max(counts), 1))
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.xaxis.set_major_formatter("{x:,.0f}")
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

    result: Violations

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches of a figure of its own."""
        return 6.0, 1.5 + 0.45 * len(self.result.values)

    def _draw(self, ax: Any) -> None:
        correct, values = self.result.is_correct, np.stack(list(self.result.values.values()))
        more = "ly ranked" if inches(ax)[0] > _WIDE else ""
        for label, chosen, shift, style in (
            (f"correct{more}", correct, -0.19, {"facecolor": palette(ax)[0]}),
            (f"incorrect{more}", ~correct, 0.19, {"facecolor": palette(ax)[1], "hatch": "////"}),
        ):
            if chosen.any():
                draw_ranges(ax, values[:, chosen], np.arange(len(values)) + shift, label, style)
        name_rows(ax, self.result.values)
        ax.use_sticky_edges = False
        ax.margins(x=0.03)
        fit_labels(ax, "value of the measure")
        key(ax, own=self._own)


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

    size = _OF_CURVES
    result: Breakdown

    def _draw(self, ax: Any) -> None:
        edges, correct = self.result.edges, self.result.correct
        filled = np.flatnonzero(correct)
        shares = {
            name: count[filled] / correct[filled] for name, count in self.result.violations.items()
        }
        draw_curves(ax, (edges[filled] + edges[filled + 1]) / 2, shares)
        if len(filled):
            ax.set_xlim(edges[filled[0]], edges[filled[-1] + 1])
        ax.set_ylim(-0.03, 1.03)
        by = self.result.by.replace("_", " ")
        fit_labels(ax, f"{by} of the set", "share of correctly ranked sets violated")
        key(ax, own=self._own)


@dataclass(eq=False, repr=False)
class BiasVarianceDisplay(Display):
    """Curves: the bias, or the variance, of each measure against the steepness of the densities.

    Parameters
    ----------
    result : BiasVariance
    what : {"bias", "variance"}, default="bias"
        The variance has a logarithmic axis.
    legend : bool, default=True
        Whether to name the curves.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> from skaucx.study import BiasVarianceDisplay, simulate_bias
    >>> result = simulate_bias(repetitions=20, random_state=0)
    >>> display = BiasVarianceDisplay(result, what="variance").plot()  # doctest: +SKIP
    """

    size = _OF_CURVES
    result: BiasVariance
    what: Literal["bias", "variance"] = "bias"
    legend: bool = True

    def __post_init__(self) -> None:
        check_choice("what", self.what, ("bias", "variance"))

    def _draw(self, ax: Any) -> None:
        draw_curves(ax, self.result.alphas, getattr(self.result, self.what))
        if self.what == "bias":
            ax.axhline(0, color=muted(ax), linewidth=0.8, zorder=0)
        else:
            ax.set_yscale("log")
            number_plainly(ax.yaxis)
        height = {"bias": "bias against the true AUC", "variance": "variance"}[self.what]
        fit_labels(ax, "alpha: the greater, the better the classes are parted", height)
        if self.legend:
            key(ax, own=self._own)


@dataclass(eq=False, repr=False)
class SelectionSharesDisplay(Display):
    """Curves: how often each measure picks the best model, against the number of instances.

    Parameters
    ----------
    result : SelectionShares

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> from skaucx.study import SelectionSharesDisplay, simulate_selection
    >>> result = simulate_selection([40, 80], repetitions=20, random_state=0)
    >>> display = SelectionSharesDisplay(result).plot()  # doctest: +SKIP
    """

    size = _OF_CURVES
    result: SelectionShares

    def _draw(self, ax: Any) -> None:
        draw_curves(ax, self.result.sizes, self.result.right)
        ax.set_xscale("log")
        ax.set_xticks(self.result.sizes, [f"{size:g}" for size in self.result.sizes])
        ax.set_xticks([], minor=True)
        fit_labels(ax, "instances that the choice rests on", "how often the best model is picked")
        key(ax, own=self._own)


@dataclass(eq=False, repr=False)
class DisagreementDisplay(Display):
    """A table in shades: the share of the pairs of sets that two measures order differently.

    Parameters
    ----------
    orders : dict from pair of str to PairOrders
        As :meth:`Violations.confusion` returns them.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> from skaucx.study import DisagreementDisplay, all_labellings, count_violations, parse_sets
    >>> study = count_violations(all_labellings(parse_sets("1p .8p .6p .4n .2n 0n")))
    >>> display = DisagreementDisplay(study.confusion()).plot()  # doctest: +SKIP
    """

    orders: Mapping[tuple[str, str], PairOrders]

    @property
    def names(self) -> list[str]:
        """The measures."""
        return list(dict.fromkeys(name for pair in self.orders for name in pair))

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches of a figure of its own."""
        return 2.2 + 0.6 * len(self.names), 1.8 + 0.35 * len(self.names)

    def _draw(self, ax: Any) -> None:
        names = self.names
        table = np.zeros((len(names), len(names)))
        for (one, other), count in self.orders.items():
            i, j = names.index(one), names.index(other)
            table[i, j] = table[j, i] = count.different / max(count.pairs, 1)
        draw_shades(ax, table)
        name_table(ax, names, names)
        entitle(ax, self._name or "Share of the pairs of sets ordered differently")


@dataclass(eq=False, repr=False)
class RegretDisplay(Display):
    """A table in shades: the mean regret of each measure on each problem.

    Parameters
    ----------
    result : SelectionRegret
    pool : str, default="all"
        The models to choose from, one of the result's `pools`.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> from skaucx.study import RegretDisplay, load_problems, measure_regret
    >>> problems = {"wine": load_problems()["wine_1"]}
    >>> result = measure_regret(problems, repetitions=2, random_state=0)
    >>> display = RegretDisplay(result, pool="naive_bayes").plot()  # doctest: +SKIP
    """

    result: SelectionRegret
    pool: str = ALL_LEARNERS

    def __post_init__(self) -> None:
        check_choice("pool", self.pool, self.result.pools)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches of a figure of its own."""
        rows, columns = len(self.result.problems), len(self.result.regret)
        return max(2.5 + 0.6 * columns, 5.0), 2.0 + 0.32 * rows

    def _draw(self, ax: Any) -> None:
        place = self.result.pools.index(self.pool)
        table = np.stack([mean[:, place] for mean in self.result.mean.values()], axis=1)
        draw_shades(ax, np.vstack([table, table.mean(axis=0)]))
        ax.axhline(len(table) - 0.5, color=ax.get_facecolor(), linewidth=4, gid="gap")
        name_table(ax, [*self.result.problems, "mean"], self.result.regret)
        models = "all learners" if self.pool == ALL_LEARNERS else self.pool.replace("_", " ")
        entitle(ax, self._name or f"Regret in test AUC, models of {models}")


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
        for line in ax.get_lines():
            line.set_markevery(50)
        fit_labels(ax, "difference of a positive's and a negative's score", "value of the pair")
        key(ax, own=self._own)
