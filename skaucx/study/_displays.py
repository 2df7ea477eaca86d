"""Pictures of the results of the studies; matplotlib is imported when one is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .._options import check_choice
from .._plotting import (
    BLUE,
    ORANGE,
    entitle,
    fit_labels,
    inches,
    key,
    muted,
    name_columns,
    name_rows,
    share_of_rows,
)
from ._drawing import Display, draw_curves, draw_ranges, draw_shades, number_plainly
from ._orders import PairOrders
from ._regret import ALL_LEARNERS, SelectionRegret
from ._simulation import BiasVariance, SelectionShares
from ._violations import Breakdown, Violations

_KEY = 0.12  # of the height of the axes, which a legend above rows may take
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
        bars = ax.barh(np.arange(len(counts)), counts, height=0.7, color=BLUE)
        ax.bar_label(bars, fmt="{:,.0f}", padding=3)
        name_rows(ax, tallies, own=self._own)
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
        more = "ly ranked" if inches(ax, 0) > _WIDE else ""
        for label, chosen, shift, style in (
            (f"correct{more}", correct, -0.19, {"facecolor": BLUE}),
            (f"incorrect{more}", ~correct, 0.19, {"facecolor": ORANGE, "hatch": "////"}),
        ):
            if chosen.any():
                draw_ranges(ax, values[:, chosen], np.arange(len(values)) + shift, label, style)
        name_rows(ax, self.result.values, own=self._own)
        ax.use_sticky_edges = False
        ax.margins(x=0.03)
        fit_labels(ax, "value of the measure")
        share = min(share_of_rows(ax, 1), _KEY)
        bottom, top = ax.get_ylim()
        ax.set_ylim(bottom, top - (bottom - top) * share / (1 - share))  # the legend, then the rows
        shares = 0.97, share
        key(ax, own=self._own, loc="upper center", ncols=2, frameon=False, shares=shares)


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
        key(ax, own=self._own, loc="best", beside=True)


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
            key(ax, own=self._own, loc="best", beside=True)


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

    result: SelectionShares

    def _draw(self, ax: Any) -> None:
        draw_curves(ax, self.result.sizes, self.result.right)
        ax.set_xscale("log")
        ax.set_xticks(self.result.sizes, [f"{size:g}" for size in self.result.sizes])
        ax.set_xticks([], minor=True)
        fit_labels(ax, "instances that the choice rests on", "how often the best model is picked")
        key(ax, own=self._own, loc="best", beside=True)


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
        name_columns(ax, names, own=self._own)
        name_rows(ax, names, own=self._own)
        entitle(ax, "Share of the pairs of sets ordered differently")


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
        name_columns(ax, self.result.regret, own=self._own)
        name_rows(ax, [*self.result.problems, "mean"], own=self._own)
        models = "all learners" if self.pool == ALL_LEARNERS else self.pool.replace("_", " ")
        entitle(ax, f"Regret in test AUC, models of {models}")
