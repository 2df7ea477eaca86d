"""Passes over the rows that split the cells which keep bounds apart, or count their pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from ..._arrays import Array, code_of
from .._cells.cells import ScoreCells
from .._cells.refinement import Split, costs, split
from .._cells.settling import Settling, settling, unsettled
from .._records.inputs import check_scored_labels
from .._states.binary import BinaryProblem, OneScore
from .scores import GREATEST
from .sources import Arrays, Source
from .tally import SCORE, TRUE, WEIGHT, Settings, Tally, rows_that_count

# Cells and scores of a binary problem while bounds are tightened: 32 bytes each, some 130 MB.
MOST_CELLS = 1 << 22
# Passes that split cells; such that count pairs come to an end, as each leaves fewer.
_MOST_PASSES = 16


class Wanted(NamedTuple):
    """The bounds that are to be tightened.

    Attributes
    ----------
    width : callable
        The greatest distance of the bounds.
    tolerance : float
    by_values : bool
        Whether metrics read score values, not their order alone.
    by_shares : bool
        Whether metrics read the shares of wins and ties, and nothing else.
    """

    width: Callable[[Tally], float]
    tolerance: float
    by_values: bool
    by_shares: bool


def refined(tally: Tally, source: Source, settings: Settings, wanted: Wanted) -> tuple[Tally, int]:
    """Go through the rows again until bounds are as close as the tolerance, or memory is full.

    Returns
    -------
    tally : Tally
    passes : int
        How often the rows were gone through.
    """
    most = max(MOST_CELLS, 2 * settings.plan.max_cells)
    passes, splits, stuck = 0, 0, frozenset[BinaryProblem]()
    while tally.scores is not None and wanted.width(tally) > wanted.tolerance:
        cells = tally.scores.cells
        plans = {
            problem: plan
            for problem, held in cells.items()
            if (plan := _next(held, wanted, most - len(held), problem in stuck))
        }
        splits += any(isinstance(plan, Split) for plan in plans.values())
        if not plans or splits > _MOST_PASSES:
            break
        finer = source.summed(partial(_count, settings, plans, tally.scores.classes))
        found = {p: plan.put_into(cells[p], finer.cells[p]) for p, plan in plans.items()}
        stuck = frozenset(problem for problem, same in found.items() if same is cells[problem])
        tally = tally.with_scores(replace(tally.scores, cells={**cells, **found}))
        passes += 1
    return tally, passes


def _next(cells: ScoreCells, wanted: Wanted, room: int, stuck: bool) -> Settling | Split | None:
    """Split cells; or count the pairs within them, unless not even one of them fits."""
    if not wanted.by_shares:
        return split(cells, costs(cells, values=wanted.by_values), wanted.tolerance, room)
    if stuck:
        return split(cells, unsettled(cells), wanted.tolerance, room // 2)
    return settling(cells, unsettled(cells), wanted.tolerance, room)


@dataclass(frozen=True)
class _Finer:
    """Finer cells, or the scores within cells, a binary problem."""

    cells: Mapping[BinaryProblem, Any]

    def __add__(self, other: _Finer) -> _Finer:
        return _Finer({p: cells + other.cells[p] for p, cells in self.cells.items()})


def _count(
    settings: Settings,
    plans: Mapping[BinaryProblem, Split | Settling],
    classes: Array,
    arrays: Arrays,
    before: Any = None,
) -> _Finer | None:
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
    for problem, plan in plans.items():
        own = problem
        if problem == GREATEST:
            own = OneScore(code_of(scored.classes, classes[-1]))
        known = None if before is None else before.cells[problem]
        cells[problem] = plan.count(*own.of(scored), before=known)
    return _Finer(cells)
