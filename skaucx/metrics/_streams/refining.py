"""Passes over the rows that split the cells which keep bounds apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..._arrays import Array, code_of
from .._cells.cells import ScoreCells
from .._cells.refinement import Split, costs, split
from .._records.inputs import check_scored_labels
from .._states.binary import BinaryProblem, OneScore
from .scores import GREATEST
from .sources import Arrays, Source
from .tally import SCORE, TRUE, WEIGHT, Settings, Tally

# Cells of a binary problem while bounds are tightened: 32 bytes each, some 130 MB.
_MOST_CELLS = 1 << 22
_MOST_PASSES = 16


def refined(
    tally: Tally,
    source: Source,
    settings: Settings,
    width: Callable[[Tally], float],
    tolerance: float,
    *,
    values: bool,
) -> Tally:
    """Go through the rows again until bounds are as close as the tolerance, or memory is full.

    Parameters
    ----------
    tally : Tally
        Of all rows.
    source : Source
    settings : Settings
    width : callable
        The greatest distance of the bounds that are wanted.
    tolerance : float
    values : bool
        Whether the bounds are of metrics that read score values, not their order alone.
    """
    most = max(_MOST_CELLS, 2 * settings.plan.max_cells)
    for _ in range(_MOST_PASSES):
        if tally.scores is None or not width(tally) > tolerance:
            break
        plans = {
            problem: plan
            for problem, cells in tally.scores.cells.items()
            if (plan := split(cells, costs(cells, values=values), tolerance, most - len(cells)))
        }
        if not plans:
            break
        finer = source.summed(partial(_count, settings, plans, tally.scores.classes))
        cells = {problem: plan.put_into(tally.scores.cells[problem], finer.cells[problem])
                 for problem, plan in plans.items()}  # fmt: skip
        scores = replace(tally.scores, cells={**tally.scores.cells, **cells})
        tally = replace(tally, scores=scores)
    return tally


@dataclass(frozen=True)
class _Finer:
    """Finer cells a binary problem."""

    cells: Mapping[BinaryProblem, ScoreCells]

    def __add__(self, other: _Finer) -> _Finer:
        return _Finer({p: cells + other.cells[p] for p, cells in self.cells.items()})


def _count(
    settings: Settings,
    plans: Mapping[BinaryProblem, Split],
    classes: Array,
    arrays: Arrays,
    before: Any = None,
) -> _Finer:
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
        cells[problem] = plan.count(*own.of(scored))
    return _Finer(cells)
