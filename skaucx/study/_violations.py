"""How often a measure ranks a correctly ranked score set below an incorrectly ranked one."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from .._arrays import Array, Bools, Codes, Floats, check_same_length, float_array, score_array
from .._options import check_choice, check_whole
from .._text.tables import Table, Tabular
from ._measures import Measures, measure_values
from ._sets import SetCollection

# Values of measures that lie no further apart are equal: sums of six scores round by 1e-15.
TIE = 1e-12


@dataclass(frozen=True)
class PairOrders:
    """In how many pairs of things two measures agree and differ.

    Parameters
    ----------
    same : int
        Pairs that both order in the same way.
    reversed : int
        Pairs that both order, one against the other.
    first_only, second_only : int
        Pairs that only the first, or only the second, measure distinguishes.
    neither : int
        Pairs that neither distinguishes.
    """

    same: int
    reversed: int
    first_only: int
    second_only: int
    neither: int

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return self.same + self.reversed + self.first_only + self.second_only + self.neither


def pair_orders(first: ArrayLike, second: ArrayLike) -> PairOrders:
    """Count in how many pairs two measures of the same things agree and differ.

    By Kendall's tau-b, in O(m log m). Values within 1e-12 of a neighbour are equal to it.

    Parameters
    ----------
    first, second : array-like of shape (m,)
        The value of each thing by one measure and by the other.

    Returns
    -------
    PairOrders

    Examples
    --------
    >>> from skaucx.study import pair_orders
    >>> pair_orders([1, 2, 3, 3], [10, 30, 20, 20])
    PairOrders(same=3, reversed=2, first_only=0, second_only=0, neither=1)
    """
    a, b = _ranks(score_array(first, "first")), _ranks(score_array(second, "second"))
    check_same_length({"first": a, "second": b})
    ties_a, ties_b = _ties(a), _ties(b)
    ties_both = _ties(np.unique(a * len(b) + b, return_inverse=True)[1])
    pairs = len(a) * (len(a) - 1) // 2
    ordered, excess = pairs - ties_a - ties_b + ties_both, 0  # by both; of same over reversed ones
    if pairs > max(ties_a, ties_b):
        tau = stats.kendalltau(a, b).statistic
        excess = round(tau * math.sqrt(pairs - ties_a) * math.sqrt(pairs - ties_b))
    return PairOrders(
        same=(ordered + excess) // 2,
        reversed=(ordered - excess) // 2,
        first_only=ties_b - ties_both,
        second_only=ties_a - ties_both,
        neither=ties_both,
    )


def _ranks(values: Floats) -> Codes:
    """Number the values from the lowest; values within `TIE` of a neighbour share a number."""
    order = np.argsort(values, kind="stable")
    steps = np.diff(values[order], prepend=values[order[:1]]) > TIE
    rank = np.empty(len(values), dtype=np.intp)
    rank[order] = np.cumsum(steps)
    return rank


def _ties(rank: Codes) -> int:
    count = np.bincount(rank)
    return int((count * (count - 1) // 2).sum())


PROPERTIES = ("span", "margin", "balance", "relative_margin", "median")


@dataclass(frozen=True)
class Tally:
    """What one measure does to the score sets.

    Parameters
    ----------
    violations : int
        Correctly ranked sets whose value is below `highest_incorrect`.
    lowest_correct : float
        The lowest value of a correctly ranked set; nan where there is none.
    highest_incorrect : float
        The highest value of an incorrectly ranked set; nan where there is none.
    """

    violations: int
    lowest_correct: float
    highest_incorrect: float


@dataclass(frozen=True, eq=False, repr=False)
class Breakdown(Tabular):
    """Violations by a property of the violating sets.

    Parameters
    ----------
    by : str
        The property.
    edges : ndarray of shape (bins + 1,)
        A bin holds its lower edge, the last one both of its edges.
    correct : ndarray of shape (bins,), int
        Correctly ranked sets in each bin.
    violations : dict of str to ndarray of shape (bins,), int
        Of those, the sets that a measure violates.
    """

    by: str
    edges: Floats
    correct: Array
    violations: Mapping[str, Array]

    def _table(self) -> Table:
        ends = [f"{low:g} to {high:g}" for low, high in itertools.pairwise(self.edges)]
        return Table.of_columns({self.by: ends, "correct": self.correct, **self.violations})


@dataclass(frozen=True, eq=False, repr=False)
class ErrorViolations(Tabular):
    """Violations by the number of errors: sets valued below one with more errors.

    Parameters
    ----------
    errors : ndarray of shape (n,), int
        The numbers of errors that occur, rising.
    sets : ndarray of shape (n,), int
        Sets with each number of errors.
    violations : dict of str to ndarray of shape (n,), int
        Of those, the sets whose value is below the highest one of a set with more errors.
    """

    errors: Array
    sets: Array
    violations: Mapping[str, Array]

    _index = "errors"

    def _table(self) -> Table:
        return Table.of_columns(
            {"errors": self.errors, "sets": self.sets, **self.violations},
            "Sets whose value is below that of a set with more errors, by errors",
        )


@dataclass(frozen=True, eq=False, repr=False)
class Violations(Tabular):
    """The values of measures on score sets, with violations of the correct ranking.

    Parameters
    ----------
    collection : SetCollection
    values : dict of str to ndarray of shape (n_sets,)
        The value of every set by each measure.
    """

    collection: SetCollection
    values: Mapping[str, Floats]

    _index = "measure"

    @property
    def sets(self) -> int:
        """The number of score sets."""
        return len(self.collection)

    @cached_property
    def is_correct(self) -> Bools:
        """Which sets are correctly ranked."""
        return self.collection.correct

    @property
    def correct(self) -> int:
        """The number of correctly ranked sets."""
        return int(self.is_correct.sum())

    @cached_property
    def measures(self) -> dict[str, Tally]:
        """The tally of each measure."""
        correct, measures = self.is_correct, {}
        for name, value in self.values.items():
            measures[name] = Tally(
                violations=int(self.violating(name).sum()),
                lowest_correct=float(value[correct].min()) if correct.any() else math.nan,
                highest_incorrect=math.nan if correct.all() else float(value[~correct].max()),
            )
        return measures

    def violating(self, measure: str) -> Bools:
        """Return which sets a measure violates.

        Parameters
        ----------
        measure : str

        Returns
        -------
        ndarray of shape (n_sets,), bool
            The correctly ranked sets whose value is more than 1e-12 below the highest value of an
            incorrectly ranked one.
        """
        value, correct = self.values[measure], self.is_correct
        return correct & (value[~correct].max(initial=-np.inf) - value > TIE)

    def by(
        self, property: str | Callable[[SetCollection], Any], *, bins: int | ArrayLike = 10
    ) -> Breakdown:
        """Break the violations down by a property of the violating sets.

        Parameters
        ----------
        property : {"span", "margin", "balance", "relative_margin", "median"} or callable
            The balance is the share of positives. A callable takes the collection and returns one
            number a set; its name names the property.
        bins : int or array-like of shape (bins + 1,), default=10
            The number of equal bins of [0, 1], of a property of one's own from its least to its
            greatest value; or rising edges that enclose every correctly ranked set.

        Returns
        -------
        Breakdown
            The violations in the bins add up to those of :attr:`measures`.

        Examples
        --------
        >>> from skaucx.study import all_labellings, count_violations, narrow_spans, parse_sets
        >>> sets = all_labellings(narrow_spans(parse_sets("1p .8p .6p .4n .2n 0n"), 30))
        >>> print(count_violations(sets, ["prob_auc", "mm7_auc"]).by("span", bins=4))
        span         correct  prob_auc  mm7_auc
        0 to 0.25         35        35       13
        0.25 to 0.5       35        35        0
        0.5 to 0.75       40        40        0
        0.75 to 1         40         5        0
        """
        named, value = _property(self.collection, property)
        ends = (0.0, 1.0) if isinstance(property, str) else (value.min(), value.max())
        # Rounded, so that 0.1 + 0.2 lands in the bin that starts at 0.3.
        value, edges = value.round(12), _edges(bins, *ends).round(12)
        outside = (value < edges[0]) | (value > edges[-1])
        if (outside & self.is_correct).any():
            raise ValueError(
                f"bins must enclose the {named} of every correctly ranked set, found edges from "
                f"{edges[0]:g} to {edges[-1]:g}."
            )
        place = np.clip(np.searchsorted(edges, value, side="right") - 1, 0, len(edges) - 2)
        counts = {
            name: np.bincount(place[self.violating(name)], minlength=len(edges) - 1)
            for name in self.values
        }
        correct = np.bincount(place[self.is_correct], minlength=len(edges) - 1)
        return Breakdown(named, edges, correct, counts)

    def by_errors(self) -> ErrorViolations:
        """Count for each number of errors the sets valued below a set with more errors.

        Those of no error are the correctly ranked ones, with the counts of :attr:`measures`. One error
        of a classifier may be graver than two others, so that such an order need not be a fault.

        Returns
        -------
        ErrorViolations

        Examples
        --------
        >>> from skaucx.study import all_labellings, count_violations, parse_sets
        >>> sets = all_labellings(parse_sets("1p .8p .6p .4n .2n 0n"))
        >>> found = count_violations(sets, ["roc_auc", "scor_auc"]).by_errors()
        >>> found.sets[:3].tolist(), found.violations["scor_auc"][:3].tolist()
        ([5, 5, 8], [0, 0, 2])
        """
        errors, place = np.unique(self.collection.errors, return_inverse=True)
        found = {}
        for name, value in self.values.items():
            highest = np.full(len(errors) + 1, -np.inf)
            np.maximum.at(highest, place, value)
            bar = np.maximum.accumulate(highest[::-1])[::-1][1:]
            found[name] = np.bincount(place[bar[place] - value > TIE], minlength=len(errors))
        return ErrorViolations(errors, np.bincount(place), found)

    def confusion(self) -> dict[tuple[str, str], PairOrders]:
        """Count for any two measures how often they order a pair of score sets differently.

        Returns
        -------
        dict of (str, str) to PairOrders
            For each two measures, the one named first before the other.

        Examples
        --------
        >>> from skaucx.study import all_labellings, count_violations, parse_sets
        >>> study = count_violations(all_labellings(parse_sets("1p .8p .6p .4n .2n 0n")))
        >>> study.confusion()["roc_auc", "scor_auc"]
        PairOrders(same=1776, reversed=32, first_only=4, second_only=20, neither=59)
        """
        return {
            (first, second): pair_orders(self.values[first], self.values[second])
            for first, second in itertools.combinations(self.values, 2)
        }

    def _table(self) -> Table:
        both = self.sets, self.correct
        return Table(
            ["measure", *Tally.__dataclass_fields__, "sets", "correct"],
            [[name, *vars(tally).values(), *both] for name, tally in self.measures.items()],
            f"{self.sets:,} sets, {self.correct:,} of them correctly ranked",
            hidden=("sets", "correct"),
        )


def count_violations(
    sets: SetCollection,
    measures: Measures = "all",
    **parameters: Any,
) -> Violations:
    """Count how often each measure ranks a correctly ranked score set below an incorrect one.

    Parameters
    ----------
    sets : SetCollection
    measures : "all", str, callable, list or dict of these, default="all"
        AUC variants and measures of one's own, as in :func:`measure_values`.
    **parameters
        Parameters given to every variant that takes them: ``ties``, ``q``, ``beta``, ``floor``,
        ``auc_power``, ``margin_power``, ``difference``.

    Returns
    -------
    Violations

    Raises
    ------
    ValueError, TypeError
        If a measure or a parameter is not known, or a parameter is out of range.

    Examples
    --------
    >>> from skaucx.study import all_labellings, count_violations, narrow_spans, parse_sets
    >>> sets = all_labellings(narrow_spans(parse_sets("1p .8p .6p .4n .2n 0n"), 30))
    >>> print(count_violations(sets, ["prob_auc", "soft_auc", "mm7_auc"], beta=7))
    1,860 sets, 150 of them correctly ranked
    measure   violations  lowest_correct  highest_incorrect
    prob_auc         115          0.5100             0.7333
    soft_auc          69          0.5349             0.8516
    mm7_auc           13          0.5000             0.5425
    """
    return Violations(sets, measure_values(sets, measures, **parameters))


def _property(collection: SetCollection, property: Any) -> tuple[str, Floats]:
    """Return the name of a property and its value of each set."""
    if not callable(property):
        check_choice("property", property, PROPERTIES)
        return str(property), np.asarray(getattr(collection, property), dtype=np.float64)
    value = float_array(property(collection), "property")
    name = str(getattr(property, "__name__", "property"))
    if value.shape != (len(collection),) or not np.isfinite(value).all():
        raise ValueError(
            f"property must return one finite number for each of {len(collection)} sets; {name} "
            f"returned shape {value.shape}."
        )
    return name, value


def _edges(bins: Any, low: float, high: float) -> Floats:
    """Return the edges of bins, or of equal bins between two ends."""
    if np.ndim(bins) == 0:
        count = check_whole("bins", bins, 1)
        return np.linspace(low, high if high > low else low + 1, count + 1)
    edges = float_array(bins, "bins")
    if edges.ndim != 1 or len(edges) < 2 or not (np.diff(edges) > 0).all():
        raise ValueError(f"bins must be rising edges, at least two, found {bins!r}.")
    return edges
