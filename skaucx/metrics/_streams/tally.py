"""All that is counted of rows: predicted labels, scores, costs, rejections, numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ..._arrays import weight_vector
from .._records.example_costs import check_costed_labels
from .._records.inputs import check_label_pair, check_scored_labels
from .._records.numbers import check_numbers
from .._records.rejections import accepted_rows, check_rejections, masked_labels
from .._states.totals import Total
from .labels import LabelCounts, Labelled, label_counts
from .numbers import CostSums, NumberTotals
from .scores import Plan, ScoreCounts
from .sources import Arrays, Source

TRUE, PRED, SCORE, WEIGHT = "y_true", "y_pred", "y_score", "sample_weight"
COSTS, REJECTED, NUMBERS = "example_costs", "rejected", "numbers"


@dataclass(frozen=True)
class Settings:
    """How rows are counted.

    Parameters
    ----------
    plan : Plan
        What to keep of scores.
    labels : tuple or None
        The caller's ``labels``.
    names : mapping
        What messages call the arrays.
    kinds : tuple of str
        What is counted where it is given; NUMBERS stands for numbers in place of predicted labels.
    numbers : tuple of Total
        What to keep of these.
    """

    plan: Plan = field(default_factory=Plan)
    labels: tuple[Any, ...] | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    kinds: tuple[str, ...] = (PRED, SCORE, COSTS)
    numbers: tuple[Total, ...] = ()

    @property
    def kept(self) -> tuple[Any, ...]:
        """What must be alike for counts to add up."""
        return self.labels, self.plan.kept, self.kinds, self.numbers

    def named(self, array: str) -> str:
        """Return what messages call an array."""
        return self.names.get(array, array)


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts of rows; tallies add up.

    Parameters
    ----------
    rows : int
        Those that weigh more than 0.
    counts : dict of str to counts
        By what is counted: predicted labels, scores, costs of examples, rejections, numbers. Each makes
        the state that metrics are read from.
    """

    rows: int
    counts: Mapping[str, Any]

    @property
    def labels(self) -> Labelled | None:
        """The counts of predicted labels."""
        return self.counts.get(PRED)

    @property
    def scores(self) -> ScoreCounts | None:
        """The counts of scores."""
        return self.counts.get(SCORE)

    def with_scores(self, scores: ScoreCounts) -> Tally:
        """Return the same with other counts of the scores."""
        return Tally(self.rows, {**self.counts, SCORE: scores})

    def __add__(self, other: Tally) -> Tally:
        """Return the counts of the rows of both."""
        for name in self.counts.keys() ^ other.counts.keys():
            given = PRED if name == NUMBERS else name
            raise ValueError(f"{given} was given with some rows and not with others.")
        counts = {name: mine + other.counts[name] for name, mine in self.counts.items()}
        return Tally(self.rows + other.rows, counts)


def tally_of(settings: Settings, arrays: Arrays, before: Tally | None = None) -> Tally | None:
    """Count the rows of a chunk, in cells of the levels that others have reached.

    None where every row weighs 0, which adds nothing.
    """
    rows = rows_that_count(arrays)
    if not rows:
        return None
    known: Mapping[str, Any] = {} if before is None else before.counts
    counts = {
        name: _COUNTERS[name](settings, arrays, known.get(name))
        for name in _counted(settings, arrays)
    }
    return Tally(rows, counts)


def rows_that_count(arrays: Arrays) -> int:
    """Return the number of rows that weigh more than 0."""
    weight = weight_vector(arrays.get(WEIGHT))
    return len(arrays[TRUE]) if weight is None else int(np.count_nonzero(weight))


def _counted(settings: Settings, arrays: Arrays) -> list[str]:
    """Return what of a chunk is counted."""
    needed = {SCORE: SCORE, COSTS: COSTS}
    masked = REJECTED in arrays or np.ma.isMaskedArray(arrays.get(PRED))
    found = [kind for kind in settings.kinds if needed.get(kind, PRED) in arrays]
    return [*found, REJECTED] if masked and REJECTED not in found else found


def _shared(settings: Settings, arrays: Arrays) -> dict[str, Any]:
    return {
        "labels": settings.labels,
        "sample_weight": arrays.get(WEIGHT),
        "names": (settings.named(TRUE), settings.named(PRED)),
    }


def _labels(settings: Settings, arrays: Arrays, before: Any) -> Labelled:
    """Count predicted labels, those that are not rejected."""
    given: Any = arrays[PRED]
    masked = np.ma.isMaskedArray(given)
    pred = np.ma.getdata(given) if masked else given
    pair = check_label_pair(arrays[TRUE], pred, **_shared(settings, arrays))
    if masked or REJECTED in arrays:
        labels = masked_labels(given, settings.named(PRED), arrays.get(REJECTED))
        accepted, weight = accepted_rows(labels), weight_vector(arrays.get(WEIGHT))
        pair = pair.taking(np.flatnonzero(accepted if weight is None else accepted[weight > 0]))
    return label_counts(pair)


def _rejections(settings: Settings, arrays: Arrays, before: Any) -> LabelCounts:
    """Count wrong and right predictions, accepted and rejected."""
    shared = _shared(settings, arrays) | {"rejected": arrays.get(REJECTED)}
    return LabelCounts.of(check_rejections(arrays[TRUE], arrays[PRED], **shared))


def _costs(settings: Settings, arrays: Arrays, before: Any) -> CostSums:
    """Sum what examples cost."""
    shared = _shared(settings, arrays) | {"example_costs": arrays[COSTS]}
    return CostSums.of(check_costed_labels(arrays[TRUE], arrays[PRED], **shared))


def _numbers(settings: Settings, arrays: Arrays, before: Any) -> NumberTotals:
    """Find totals of numbers."""
    pair = check_numbers(arrays[TRUE], arrays[PRED], **_shared(settings, arrays))
    return NumberTotals.of(settings.numbers, pair)


def _scores(settings: Settings, arrays: Arrays, before: Any) -> ScoreCounts:
    """Count scores in cells."""
    shared = _shared(settings, arrays) | {"names": (settings.named(TRUE), settings.named(SCORE))}
    scored = check_scored_labels(arrays[TRUE], arrays[SCORE], **shared)
    return ScoreCounts.of(settings.plan, scored, {} if before is None else before.levels)


_COUNTERS: Mapping[str, Callable[[Settings, Arrays, Any], Any]] = {
    PRED: _labels,
    SCORE: _scores,
    COSTS: _costs,
    REJECTED: _rejections,
    NUMBERS: _numbers,
}


def tallied(source: Source, settings: Settings) -> Tally:
    """Count all rows of a source."""
    total = source.summed(partial(tally_of, settings))
    if total is None:
        raise refuse_no_rows(settings)
    return total


def refuse_no_rows(settings: Settings) -> ValueError:
    """Return the error for rows that are none."""
    return ValueError(
        f"{settings.named(TRUE)} is empty, or weighs 0 throughout; at least one example is needed."
    )
