"""Pictures of what the studies find; matplotlib is imported when one is asked for."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from ..metrics._options import check_choice
from ._drawing import (
    BLUE,
    ORANGE,
    Display,
    draw_curves,
    draw_legend,
    draw_ranges,
    draw_shades,
    name_rows,
)
from ._regret import ALL_LEARNERS, SelectionRegret
from ._simulation import BiasVariance, SelectionShares
from ._violations import Breakdown, Violations


class ViolationsDisplay(Display):
    """Bars: how many correctly ranked score sets each measure ranks below an incorrect one.

    Parameters
    ----------
    violations : Violations

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from skaucx.study import ViolationsDisplay, all_labellings, count_violations, parse_sets
    >>> study = count_violations(all_labellings(parse_sets("1p .8p .6p .4n .2n 0n")))
    >>> display = ViolationsDisplay(study).plot()  # doctest: +SKIP
    """

    def __init__(self, violations: Violations) -> None:
        self.violations = violations

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches of a figure of its own."""
        return 6.0, 1.2 + 0.3 * len(self.violations.values)

    def plot(self, ax: Any = None) -> Self:
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None means a figure of its own.

        Returns
        -------
        display : ViolationsDisplay

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        ax = self._start(ax)
        tallies = self.violations.measures
        counts = [tally.violations for tally in tallies.values()]
        bars = ax.barh(np.arange(len(counts)), counts, height=0.7, color=BLUE)
        ax.bar_label(bars, fmt="{:,.0f}", padding=3)
        name_rows(ax, tallies)
        ax.set_xlim(0, max(1.15 * max(counts), 1))
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.set_xlabel(f"violations, of {self.violations.correct:,} correctly ranked sets")
        return self


class ValueRangesDisplay(Display):
    """The values that each measure gives to correctly and to incorrectly ranked score sets.

    A line reaches from the lowest to the highest value, a box over the middle half of them, with a
    dot at the median. Where the two lines overlap, there are violations.

    Parameters
    ----------
    violations : Violations

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from skaucx.study import ValueRangesDisplay, all_labellings, count_violations, parse_sets
    >>> study = count_violations(all_labellings(parse_sets("1p .8p .6p .4n .2n 0n")))
    >>> display = ValueRangesDisplay(study).plot()  # doctest: +SKIP
    """

    def __init__(self, violations: Violations) -> None:
        self.violations = violations

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches of a figure of its own."""
        return 6.0, 1.5 + 0.45 * len(self.violations.values)

    def plot(self, ax: Any = None) -> Self:
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None means a figure of its own.

        Returns
        -------
        display : ValueRangesDisplay

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        ax, correct = self._start(ax), self.violations.is_correct
        values = np.stack(list(self.violations.values.values()))
        for label, chosen, shift, style in (
            ("correctly ranked", correct, -0.19, {"facecolor": BLUE}),
            ("incorrectly ranked", ~correct, 0.19, {"facecolor": ORANGE, "hatch": "////"}),
        ):
            if chosen.any():
                draw_ranges(ax, values[:, chosen], np.arange(len(values)) + shift, label, style)
        name_rows(ax, self.violations.values)
        ax.use_sticky_edges = False
        ax.margins(x=0.03)
        ax.set_xlabel("value of the measure")
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, frameon=False)
        return self


class BreakdownDisplay(Display):
    """Curves: the share of correctly ranked sets that each measure violates, bin by bin.

    Parameters
    ----------
    breakdown : Breakdown

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from skaucx.study import BreakdownDisplay, all_labellings, count_violations, parse_sets
    >>> study = count_violations(all_labellings(parse_sets("1p .8p .6p .4n .2n 0n")))
    >>> display = BreakdownDisplay(study.by("margin")).plot()  # doctest: +SKIP
    """

    size = 7.0, 4.0

    def __init__(self, breakdown: Breakdown) -> None:
        self.breakdown = breakdown

    def plot(self, ax: Any = None) -> Self:
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None means a figure of its own.

        Returns
        -------
        display : BreakdownDisplay

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        ax, parts = self._start(ax), self.breakdown
        filled = np.flatnonzero(parts.correct)
        shares = {
            name: count[filled] / parts.correct[filled] for name, count in parts.violations.items()
        }
        draw_curves(ax, (parts.edges[filled] + parts.edges[filled + 1]) / 2, shares)
        if len(filled):
            ax.set_xlim(parts.edges[filled[0]], parts.edges[filled[-1] + 1])
        ax.set_ylim(-0.03, 1.03)
        ax.set_xlabel(f"{parts.by.replace('_', ' ')} of the set")
        ax.set_ylabel("share of correctly ranked sets violated")
        draw_legend(ax)
        return self


class BiasVarianceDisplay(Display):
    """Curves: the bias, or the variance, of each measure against the steepness of the densities.

    Parameters
    ----------
    result : BiasVariance

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from skaucx.study import BiasVarianceDisplay, simulate_bias
    >>> result = simulate_bias(repetitions=20, random_state=0)
    >>> display = BiasVarianceDisplay(result).plot(what="variance")  # doctest: +SKIP
    """

    size = 7.0, 4.0

    def __init__(self, result: BiasVariance) -> None:
        self.result = result

    def plot(
        self, ax: Any = None, *, what: Literal["bias", "variance"] = "bias", legend: bool = True
    ) -> Self:
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None means a figure of its own.
        what : {"bias", "variance"}, default="bias"
            The variance has a logarithmic axis.
        legend : bool, default=True
            Whether to name the curves.

        Returns
        -------
        display : BiasVarianceDisplay

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        check_choice("what", what, ("bias", "variance"))
        ax = self._start(ax)
        draw_curves(ax, self.result.alphas, getattr(self.result, what))
        ax.set_xlabel("alpha: the greater, the better the classes are parted")
        if what == "bias":
            ax.axhline(0, color="0.6", linewidth=0.8, zorder=0)
            ax.set_ylabel("bias against the true AUC")
        else:
            ax.set_yscale("log")
            ax.set_ylabel("variance")
        if legend:
            draw_legend(ax)
        return self


class SelectionSharesDisplay(Display):
    """Curves: how often each measure picks the best model, against the number of instances.

    Parameters
    ----------
    result : SelectionShares

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from skaucx.study import SelectionSharesDisplay, simulate_selection
    >>> result = simulate_selection([40, 80], repetitions=20, random_state=0)
    >>> display = SelectionSharesDisplay(result).plot()  # doctest: +SKIP
    """

    size = 7.0, 4.0

    def __init__(self, result: SelectionShares) -> None:
        self.result = result

    def plot(self, ax: Any = None) -> Self:
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None means a figure of its own.

        Returns
        -------
        display : SelectionSharesDisplay

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        ax = self._start(ax)
        draw_curves(ax, self.result.sizes, self.result.right)
        ax.set_xscale("log")
        ax.set_xticks(self.result.sizes, [f"{size:g}" for size in self.result.sizes])
        ax.set_xticks([], minor=True)
        ax.set_xlabel("instances that the choice rests on")
        ax.set_ylabel("how often the best model is picked")
        draw_legend(ax)
        return self


class RegretDisplay(Display):
    """A table in shades: the mean regret of each measure on each problem.

    Parameters
    ----------
    result : SelectionRegret

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from skaucx.study import RegretDisplay, load_problems, measure_regret
    >>> problems = {"wine": load_problems()["wine_1"]}
    >>> result = measure_regret(problems, repetitions=2, random_state=0)
    >>> display = RegretDisplay(result).plot(pool="naive_bayes")  # doctest: +SKIP
    """

    def __init__(self, result: SelectionRegret) -> None:
        self.result = result

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches of a figure of its own."""
        return max(2.5 + 0.6 * len(self.result.regret), 5.0), 2.0 + 0.32 * len(self.result.problems)

    def plot(self, ax: Any = None, *, pool: str = ALL_LEARNERS) -> Self:
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None means a figure of its own.
        pool : str, default="all"
            The models to choose from, one of the result's `pools`.

        Returns
        -------
        display : RegretDisplay

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        check_choice("pool", pool, self.result.pools)
        ax, place = self._start(ax), self.result.pools.index(pool)
        table = np.stack([mean[:, place] for mean in self.result.mean.values()], axis=1)
        table = np.vstack([table, table.mean(axis=0)])
        draw_shades(ax, table)
        ax.axhline(len(table) - 1.5, color="white", linewidth=4)
        measures = list(self.result.regret)
        ax.set_xticks(
            range(len(measures)), measures, rotation=45, ha="right", rotation_mode="anchor"
        )
        name_rows(ax, [*self.result.problems, "mean"])
        models = "all learners" if pool == ALL_LEARNERS else pool.replace("_", " ")
        ax.set_title(f"Regret in test AUC,\nmodels of {models}", loc="left")
        return self
