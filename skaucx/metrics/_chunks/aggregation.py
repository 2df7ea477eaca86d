"""All that is counted of rows: predicted labels, scores, costs, rejections, numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ..._arrays import weight_vector
from .._records.inputs import accepted_rows
from ..kinds import INPUTS
from ..kinds.base import PRED, SCORE, TRUE, WEIGHT, Inputs
from ..kinds.scores.chunks import CountingPlan, ScoreCounts
from ..kinds.totals import Total
from .sources import Arrays, Source

# The states, by the name of their counts.
COUNTED: Mapping[str, Inputs] = {each.counting.key: each for each in INPUTS if each.counting}
USUALLY_COUNTED = tuple(
    name
    for name, each in COUNTED.items()
    if each.evaluated_with == each.counting.array  # type: ignore[union-attr]
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
    numbers : tuple of Total
        What to keep of these.
    """

    plan: CountingPlan = field(default_factory=CountingPlan)
    labels: tuple[Any, ...] | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    kinds: tuple[str, ...] = USUALLY_COUNTED
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
    """Counts of rows; tallies add up.

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
            inputs = COUNTED[name]
            given = inputs.further[0] if inputs.further else inputs.argument
            raise ValueError(f"{given} was given with some rows and not with others.")
        counts = {name: mine + other.counts[name] for name, mine in self.counts.items()}
        return Aggregate(self.rows + other.rows, counts)


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
    for name in _counted(settings, arrays):
        counting = COUNTED[name].counting
        assert counting is not None
        record = checked(COUNTED[name], settings, arrays)
        counts[name] = counting.count(settings, record, known.get(name))
    return Aggregate(rows, counts)


def _rejecting(arrays: Arrays) -> bool:
    """Whether some predictions are rejected."""
    return "rejected" in arrays or np.ma.isMaskedArray(arrays.get(PRED))


def checked(inputs: Inputs, settings: Settings, arrays: Arrays) -> Any:
    """Return the checked record of a chunk; of labels that others reject, the accepted rows."""
    second, weight = arrays[inputs.argument], arrays.get(WEIGHT)
    masked = _rejecting(arrays) and inputs.argument == PRED and not inputs.further
    given = np.ma.getdata(second) if masked and np.ma.isMaskedArray(second) else second
    names = settings.named(TRUE), settings.named(inputs.argument)
    further = {name: arrays.get(name) for name in inputs.further}
    shared = {"labels": settings.labels, "sample_weight": weight, "names": names, **further}
    record = inputs.check(arrays[TRUE], given, **shared)
    if not masked:
        return record
    accepted = accepted_rows(second, names[1], arrays.get("rejected"))
    counted = weight_vector(weight)
    return record.taking(np.flatnonzero(accepted if counted is None else accepted[counted > 0]))


def rows_that_count(arrays: Arrays) -> int:
    """Return the number of rows that weigh more than 0."""
    weight = weight_vector(arrays.get(WEIGHT))
    return len(arrays[TRUE]) if weight is None else int(np.count_nonzero(weight))


def _counted(settings: Settings, arrays: Arrays) -> list[str]:
    """Return the names of the states of a chunk."""
    found = [name for name in settings.kinds if COUNTED[name].counting.array in arrays]  # type: ignore[union-attr]
    return [*found, "rejected"] if _rejecting(arrays) and "rejected" not in found else found


def aggregated(source: Source, settings: Settings, count: Any = aggregate_of) -> Any:
    """Count all rows of a source, in an :class:`Aggregate` or as another function counts a chunk."""
    total = source.summed(partial(count, settings))
    if total is None:
        raise ValueError(
            f"{settings.named(TRUE)} is empty, or weighs 0 throughout; at least one example is "
            "needed."
        )
    return total
