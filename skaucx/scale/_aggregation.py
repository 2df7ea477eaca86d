"""All that is counted of rows in chunks, and cells split where they cost a bound most."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Array, Bools, Codes, Floats, code_of, weight_vector
from ..metrics._kinds import INPUTS
from ..metrics._kinds.base import PRED, SCORE, TRUE, WEIGHT, Counting, Inputs
from ..metrics._kinds.scores import SCORES
from ..metrics._kinds.scores.state import OneScore, Ranked
from ..metrics._records.inputs import accepted_rows
from ..metrics._records.totals import Total
from ._batches import Arrays, Source
from ._score_counts import CountingPlan, ScoreCounts, counting_of
from ._score_histogram import (
    UNLIMITED,
    ScoreCells,
    ScoreCodes,
    check_same_rows,
    codes_of,
    merged,
    scores_of,
)
from ._summing import PairSum, Summing
from ._windows import Window


def counted_inputs(more: Iterable[Inputs] = ()) -> dict[str, Inputs]:
    """Return the inputs that are counted in chunks, by the names of their counts."""
    return {own.key: each for each in (*INPUTS, *more) if (own := counting_of(each))}


def usually_counted() -> tuple[str, ...]:
    """Return the names of the counts of arrays of which all metrics are evaluated."""
    return tuple(
        own.key
        for each in INPUTS
        if (own := counting_of(each)) and each.evaluated_with == own.array
    )


@dataclass(frozen=True)
class Settings:
    """How rows are counted.

    Parameters
    ----------
    plan : CountingPlan
        What to keep of scores.
    labels : tuple or None
        The caller's ``labels``.
    names : mapping
        What messages call the arrays.
    kinds : tuple of str
        The names of the states whose arrays are given.
    cuts : tuple of Inputs
        Those of them that cut scores at a threshold.
    numbers : tuple of Total
        What to keep of these.
    """

    plan: CountingPlan = field(default_factory=CountingPlan)
    labels: tuple[Any, ...] | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    kinds: tuple[str, ...] = field(default_factory=usually_counted)
    cuts: tuple[Inputs, ...] = ()
    numbers: tuple[Total, ...] = ()

    @property
    def kept(self) -> tuple[Any, ...]:
        """What must be alike for counts to add up."""
        return self.labels, self.plan.kept, self.kinds, self.numbers

    def named(self, array: str) -> str:
        """Return what messages call an array."""
        return self.names.get(array, array)


@dataclass(frozen=True, eq=False)
class Aggregate:
    """Counts of rows, which add up.

    Parameters
    ----------
    rows : int
        Those that weigh more than 0.
    counts : dict of str to counts
        By input: predicted labels, scores, costs of examples, rejections, numbers. Each makes
        the state that metrics are read from.
    """

    rows: int
    counts: Mapping[str, Any]

    @property
    def labels(self) -> Any:
        """The counts of predicted labels."""
        return self.counts.get(PRED)

    @property
    def scores(self) -> ScoreCounts | None:
        """The counts of scores."""
        return self.counts.get(SCORE)

    def with_scores(self, scores: ScoreCounts) -> Aggregate:
        """Return the same with other counts of the scores."""
        return Aggregate(self.rows, {**self.counts, SCORE: scores})

    def __add__(self, other: Aggregate) -> Aggregate:
        """Return the counts of the rows of both."""
        for name in self.counts.keys() ^ other.counts.keys():
            inputs = counted_inputs().get(name, SCORES)
            given = inputs.extra_arrays[0] if inputs.extra_arrays else inputs.argument
            raise ValueError(f"{given} was given with some rows and not with others.")
        counts = {name: mine + other.counts[name] for name, mine in self.counts.items()}
        return Aggregate(self.rows + other.rows, counts)


@dataclass(frozen=True, eq=False)
class Parts:
    """Counts of parts of the rows, such as groups, by a key of each; `names` are those of the keys."""

    held: Mapping[Any, Any]
    names: tuple[str, ...] = ()

    def __add__(self, other: Parts) -> Parts:
        """Return the counts of the rows of both."""
        held = dict(self.held)
        for key, counts in other.held.items():
            held[key] = held[key] + counts if key in held else counts
        return Parts(held, self.names)


def sum_of_parts(parts: Sequence[Aggregate]) -> Aggregate:
    """Return the counts of the rows of all parts, added two by two.

    One after another, thousands of small parts would each be merged with the cells of all before.
    """
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    return sum_of_parts(parts[:half]) + sum_of_parts(parts[half:])


def aggregate_of(
    settings: Settings, arrays: Arrays, before: Aggregate | None = None
) -> Aggregate | None:
    """Count the rows of a chunk, in cells of the levels that others have reached.

    None where every row weighs 0, which adds nothing.
    """
    rows = rows_that_count(arrays)
    if not rows:
        return None
    known: Mapping[str, Any] = {} if before is None else before.counts
    counts = {}
    for inputs, counting in _counted(settings, arrays):
        record = checked(inputs, settings, arrays)
        counts[counting.key] = counting.count(settings, record, known.get(counting.key))
    return Aggregate(rows, counts)


def _rejecting(arrays: Arrays) -> bool:
    """Whether some predictions are rejected."""
    return "rejected" in arrays or np.ma.isMaskedArray(arrays.get(PRED))


def checked(inputs: Inputs, settings: Settings, arrays: Arrays) -> Any:
    """Return the checked record of a chunk; of labels that others reject, the accepted rows."""
    second, weight = arrays[inputs.argument], arrays.get(WEIGHT)
    masked = _rejecting(arrays) and inputs.argument == PRED and not inputs.extra_arrays
    given = np.ma.getdata(second) if masked and np.ma.isMaskedArray(second) else second
    names = settings.named(TRUE), settings.named(inputs.argument)
    further = {name: arrays.get(name) for name in inputs.extra_arrays}
    shared = {"labels": settings.labels, "sample_weight": weight, "names": names, **further}
    record = inputs.record(arrays[TRUE], given, **shared)
    if not masked:
        return record
    accepted = accepted_rows(second, names[1], arrays.get("rejected"))
    counted = weight_vector(weight)
    return record.subset(np.flatnonzero(accepted if counted is None else accepted[counted > 0]))


def rows_that_count(arrays: Arrays) -> int:
    """Return the number of rows that weigh more than 0."""
    weight = weight_vector(arrays.get(WEIGHT))
    return len(arrays[TRUE]) if weight is None else int(np.count_nonzero(weight))


def _counted(settings: Settings, arrays: Arrays) -> Iterator[tuple[Inputs, Counting]]:
    """Yield the inputs of a chunk, and how they are counted."""
    known = counted_inputs(settings.cuts)
    rejected = ["rejected"] if _rejecting(arrays) and "rejected" not in settings.kinds else []
    for name in (*settings.kinds, *rejected):
        counting = counting_of(known[name])
        if counting is not None and counting.array in arrays:
            yield known[name], counting


def aggregated(source: Source, settings: Settings, count: Any = aggregate_of) -> Any:
    """Count all rows of a source, in an :class:`Aggregate` or as another function counts a chunk."""
    total = source.summed(partial(count, settings))
    if total is None:
        raise ValueError(
            f"{settings.named(TRUE)} is empty, or weighs 0 throughout; at least one example is "
            "needed."
        )
    return total


# The least number of bits by which a pass distinguishes rows.
_LEAST_BITS = 6


@dataclass(frozen=True, eq=False)
class Split:
    """Cells that are counted again, in finer cells.

    Parameters
    ----------
    first, last : ndarray of shape (m,), uint64
        The codes of the lowest and the highest float of each.
    kept : ndarray of shape (m,), uint64
        The mask of the bits that distinguish the rows of each.
    """

    first: ScoreCodes
    last: ScoreCodes
    kept: ScoreCodes

    def count(
        self, truth: Bools, score: Floats, weight: Floats | None, before: Any = None
    ) -> ScoreCells:
        """Count the rows that fall into the cells."""
        codes = codes_of(score)
        place = np.searchsorted(self.first, codes, side="right") - 1
        inside = np.flatnonzero((place >= 0) & (codes <= self.last[place]))
        if not len(inside):
            return ScoreCells.empty(UNLIMITED)
        exact = ScoreCells.count(
            truth[inside], score[inside], None if weight is None else weight[inside], UNLIMITED
        )
        place = np.searchsorted(self.first, exact.first, side="right") - 1
        kept = self.kept[place]
        first = np.maximum(exact.first & kept, self.first[place])
        last = np.minimum(exact.last | ~kept, self.last[place])
        return replace(exact.grouped(first, last), level=None)

    def put_into(self, cells: ScoreCells, finer: ScoreCells) -> ScoreCells:
        """Return the cells with the finer ones in the place of those that were split."""
        chosen = np.isin(cells.first, self.first, assume_unique=True)
        rest = replace(cells.taken(~chosen), max_cells=UNLIMITED)
        whole = cells.taken(chosen)
        for side, again in zip(whole.sides, finer.sides, strict=True):
            check_same_rows(side.sum(), again.sum())
        both = merged([rest, finer])
        return replace(both, max_cells=UNLIMITED, ends=cells.ends, level=None)


def costs(cells: ScoreCells, *, values: bool) -> Floats:
    """Return what each cell can add to the width of the bounds, up to a factor.

    Within a cell p n of all P N pairs may go either way, and the precision at which its positives are
    found; where score values count, every score may lie anywhere between the edges.
    """
    total = [max(float(side.sum()), 1.0) for side in cells.sides]
    p, n = (side / whole for side, whole in zip(cells.sides, total, strict=True))
    called = np.cumsum((cells.positive + cells.negative)[::-1], dtype=np.float64)[::-1]
    own = cells.positive + cells.negative
    lone = cells.first == cells.last
    found = p * np.where(own > 1, own, 0) / called
    cost = p * n + found
    # Precision meets recall in the cell where as many are called positive as there are positives.
    meeting = np.searchsorted(-called, -total[0], side="right") - 1
    cost[meeting] += own[meeting] / called[0]
    if values:
        reach = [scores_of(edge.clip(*codes_of(cells.outer))) for edge in (cells.first, cells.last)]
        width = np.clip(reach[1] - reach[0], np.finfo(np.float64).tiny, 1.0)
        cost = cost + (p + n) * width
    return np.where(lone, 0.0, cost)


def split(cells: ScoreCells, cost: Floats, tolerance: float, most: int) -> Split | None:
    """Return the split of the costliest cells whose others cost less than the tolerance.

    It makes at most `most` cells; None where no cell can be split.
    """
    order = np.argsort(-cost, kind="stable")
    order = order[cost[order] > 0]
    remaining = np.append(np.cumsum(cost[order][::-1])[::-1], 0.0)
    chosen = order[: int(np.argmax(remaining <= tolerance / 4))] if len(order) else order
    while len(chosen):
        plan = _finest(cells, np.sort(chosen), most)
        if plan is not None:
            return plan
        chosen = chosen[: len(chosen) // 2]
    return None


def _finest(cells: ScoreCells, chosen: Codes, most: int) -> Split | None:
    """Return the split of all chosen cells into no more than `most`, None if there is no such."""
    first, last = cells.first[chosen], cells.last[chosen]
    bits = np.frexp((first ^ last).astype(np.float64))[1]
    rows = np.inf if cells.weighted else (cells.positive + cells.negative)[chosen]
    # A few bits a pass, or the passes do not come to an end.
    for more in range(int(bits.max()), min(_LEAST_BITS, int(bits.max())) - 1, -1):
        if np.minimum(2.0 ** np.minimum(bits, more), rows).sum() <= most:
            dropped = np.maximum(bits - more, 0).astype(np.uint64)
            return Split(first, last, ~((np.uint64(1) << dropped) - np.uint64(1)))
    return None


# Cells and scores of a binary problem while bounds are tightened: 32 bytes each, some 130 MB.
MOST_CELLS = 1 << 22
# Passes that split cells.
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
    """

    read: Callable[[Aggregate], OpenBounds]
    tolerance: float
    by_values: bool


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
    if wanted.tolerance == 0 and aggregate.rows > most:
        steps.reverse()
    passes = 0
    for step in steps:
        aggregate, more = step(aggregate, source, settings, wanted, most)
        passes += more
    return aggregate, passes


def _split(
    aggregate: Aggregate, source: Source, settings: Settings, wanted: Target, most: int
) -> tuple[Aggregate, int]:
    """Split cells until bounds are close or memory is full."""
    passes = 0
    while aggregate.scores is not None and wanted.read(aggregate).width > wanted.tolerance:
        cells = aggregate.scores.cells
        plans = {}
        for problem, held in cells.items():
            cost = costs(held, values=wanted.by_values)
            if plan := split(held, cost, wanted.tolerance, most - len(held)):
                plans[problem] = plan
        if not plans or passes == _MOST_PASSES:
            break
        finer = source.summed(partial(_count, settings, plans, aggregate.scores.classes))
        found = {p: plan.put_into(cells[p], finer.held[p]) for p, plan in plans.items()}
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
        sums.update({key: sums[key].after(rows.held[key]) for key in plans})
        passes += 1
    means = {**scores.means, **{key: summing.means for key, summing in sums.items()}}
    return aggregate.with_scores(replace(scores, means=means)), passes


def _count(
    settings: Settings,
    plans: Mapping[Any, Split | Window],
    classes: Array,
    arrays: Arrays,
    before: Any = None,
) -> Parts | None:
    """Count rows for plans by binary problem, or by that and a rescaling."""
    if not rows_that_count(arrays):
        return None
    scored = checked(SCORES, settings, arrays)
    cells = {}
    for key, plan in plans.items():
        own = key[0] if isinstance(key, tuple) else key
        if isinstance(own, OneScore):
            own = OneScore(code_of(scored.classes, classes[own.positive]))
        known = None if before is None else before.held[key]
        truth, score, weight = own.of(scored)
        cells[key] = plan.count(truth, score, weight, before=known)
    return Parts(cells)
