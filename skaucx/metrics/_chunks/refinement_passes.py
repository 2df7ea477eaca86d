"""Passes over the rows that split the cells which keep bounds apart, or sum over all pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from ..._arrays import Array, code_of
from .._cells.pair_sums import PairSum
from .._cells.refinement import PairCount, Split, costs, pair_count, split, undecided
from .._cells.score_histogram import ScoreCells
from .._cells.summing import Summing
from .._cells.windows import Window
from .._records.inputs import check_scored_labels
from ..kinds.base import SCORE, TRUE, WEIGHT
from ..kinds.scores.state import BinaryProblem, OneScore, Ranked
from .aggregation import Aggregate, Settings, rows_that_count
from .sources import Arrays, Source

# Cells and scores of a binary problem while bounds are tightened: 32 bytes each, some 130 MB.
MOST_CELLS = 1 << 22
# Passes that split cells; such that count pairs come to an end, as each leaves fewer.
_MOST_PASSES = 16


class OpenBounds(NamedTuple):
    """The values of metrics of counts.

    Attributes
    ----------
    width : float
        The greatest distance of the bounds.
    open : dict
        Sums over all pairs that determine the metrics, with the cells of their binary problems.
    """

    width: float
    open: Mapping[Ranked, tuple[ScoreCells, set[PairSum]]]


class Target(NamedTuple):
    """The bounds that are to be tightened.

    Attributes
    ----------
    read : callable
        Reads the metrics from counts.
    tolerance : float
    by_values : bool
        Whether metrics read score values, not their order alone.
    by_shares : bool
        Whether metrics read the shares of wins and ties, and nothing else.
    """

    read: Callable[[Aggregate], OpenBounds]
    tolerance: float
    by_values: bool
    by_shares: bool


def refined(
    aggregate: Aggregate, source: Source, settings: Settings, wanted: Target
) -> tuple[Aggregate, int]:
    """Go through the rows again until bounds are as close as the tolerance.

    Cells are split as far as memory allows; beyond, sums over all pairs are computed by window.

    Returns
    -------
    aggregate : Aggregate
    passes : int
        Number of passes over the rows.
    """
    most = max(MOST_CELLS, 2 * settings.plan.max_cells)
    steps = [_split, _summed]
    if wanted.tolerance == 0 and aggregate.rows > most and not wanted.by_shares:
        steps.reverse()
    passes = 0
    for step in steps:
        aggregate, more = step(aggregate, source, settings, wanted, most)
        passes += more
    return aggregate, passes


def _split(
    aggregate: Aggregate, source: Source, settings: Settings, wanted: Target, most: int
) -> tuple[Aggregate, int]:
    """Split cells, or count their pairs, until bounds are close or memory is full."""
    passes, splits, stuck = 0, 0, frozenset[BinaryProblem]()
    while aggregate.scores is not None and wanted.read(aggregate).width > wanted.tolerance:
        cells = aggregate.scores.cells
        plans = {
            problem: plan
            for problem, held in cells.items()
            if (plan := _next(held, wanted, most - len(held), problem in stuck))
        }
        splits += any(isinstance(plan, Split) for plan in plans.values())
        if not plans or splits > _MOST_PASSES:
            break
        finer = source.summed(partial(_count, settings, plans, aggregate.scores.classes))
        found = {p: plan.put_into(cells[p], finer.cells[p]) for p, plan in plans.items()}
        stuck = frozenset(problem for problem, same in found.items() if same is cells[problem])
        aggregate = aggregate.with_scores(replace(aggregate.scores, cells={**cells, **found}))
        passes += 1
    return aggregate, passes


def _summed(
    aggregate: Aggregate, source: Source, settings: Settings, wanted: Target, most: int
) -> tuple[Aggregate, int]:
    """Compute the sums over all pairs of the metrics whose bounds are not close."""
    scores, found = aggregate.scores, wanted.read(aggregate)
    if scores is None or not found.width > wanted.tolerance:
        return aggregate, 0
    begun = {key: Summing.of(*of_key, key[1], most) for key, of_key in found.open.items()}
    sums = {key: summing for key, summing in begun.items() if summing is not None}
    passes = 0
    while plans := {key: s.window for key, s in sums.items() if s.window is not None}:
        rows = source.summed(partial(_count, settings, plans, scores.classes))
        sums.update({key: sums[key].after(rows.cells[key]) for key in plans})
        passes += 1
    means = {**scores.means, **{key: summing.means for key, summing in sums.items()}}
    return aggregate.with_scores(replace(scores, means=means)), passes


def _next(cells: ScoreCells, wanted: Target, room: int, stuck: bool) -> PairCount | Split | None:
    """Split cells; or count the pairs within them, unless not even one of them fits."""
    if not wanted.by_shares:
        return split(cells, costs(cells, values=wanted.by_values), wanted.tolerance, room)
    if stuck:
        return split(cells, undecided(cells), wanted.tolerance, room // 2)
    return pair_count(cells, undecided(cells), wanted.tolerance, room)


@dataclass(frozen=True)
class _Finer:
    """Finer cells, or the scores within cells or windows, by their plan."""

    cells: Mapping[Any, Any]

    def __add__(self, other: _Finer) -> _Finer:
        return _Finer({key: cells + other.cells[key] for key, cells in self.cells.items()})


def _count(
    settings: Settings,
    plans: Mapping[Any, Split | PairCount | Window],
    classes: Array,
    arrays: Arrays,
    before: Any = None,
) -> _Finer | None:
    """Count rows for plans by binary problem, or by that and a rescaling."""
    if not rows_that_count(arrays):
        return None
    scored: Any = check_scored_labels(
        arrays[TRUE],
        arrays[SCORE],
        labels=settings.labels,
        sample_weight=arrays.get(WEIGHT),
        names=(settings.named(TRUE), settings.named(SCORE)),
    )
    cells = {}
    for key, plan in plans.items():
        own = key[0] if isinstance(key, tuple) else key
        if isinstance(own, OneScore):
            own = OneScore(code_of(scored.classes, classes[own.positive]))
        known = None if before is None else before.cells[key]
        truth, score, weight = own.of(scored)
        cells[key] = plan.count(truth, score, weight, before=known)
    return _Finer(cells)
