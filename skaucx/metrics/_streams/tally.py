"""All that is counted of labelled rows: predicted labels, scores, losses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from .._records.inputs import check_label_pair, check_scored_labels
from .labels import Labelled, label_counts
from .scores import Plan, ScoreCounts
from .sources import Arrays, Source

TRUE, PRED, SCORE, WEIGHT = "y_true", "y_pred", "y_score", "sample_weight"


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
    """

    plan: Plan = field(default_factory=Plan)
    labels: tuple[Any, ...] | None = None
    names: Mapping[str, str] = field(default_factory=dict)

    def named(self, array: str) -> str:
        """Return what messages call an array."""
        return self.names.get(array, array)


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts of rows; tallies add up.

    Parameters
    ----------
    rows : int
    labels : LabelCounts, IndicatorCounts or None
        Of predicted labels.
    scores : ScoreCounts or None
    """

    rows: int
    labels: Labelled | None = None
    scores: ScoreCounts | None = None

    def __add__(self, other: Tally) -> Tally:
        """Return the counts of the rows of both."""
        return Tally(
            self.rows + other.rows,
            _added(self.labels, other.labels, PRED),
            _added(self.scores, other.scores, SCORE),
        )

    @property
    def counts(self) -> dict[str, Any]:
        """The counts of the predictions and of the scores, each with the state that it makes."""
        return {
            name: counts
            for name, counts in ((PRED, self.labels), (SCORE, self.scores))
            if counts is not None
        }


def _added(mine: Any, others: Any, name: str) -> Any:
    if (mine is None) != (others is None):
        raise ValueError(f"{name} was given with some rows and not with others.")
    return None if mine is None else mine + others


def tally_of(settings: Settings, arrays: Arrays, before: Tally | None = None) -> Tally:
    """Count the rows of a chunk, in cells of the levels that others have reached."""
    shared = {"labels": settings.labels, "sample_weight": arrays.get(WEIGHT)}
    true: Any = arrays[TRUE]
    pred, score = arrays.get(PRED), arrays.get(SCORE)
    labels = scores = None
    if pred is not None:
        names = settings.named(TRUE), settings.named(PRED)
        labels = label_counts(check_label_pair(true, pred, names=names, **shared))
    if score is not None:
        names = settings.named(TRUE), settings.named(SCORE)
        scored = check_scored_labels(true, score, names=names, **shared)
        reached = before.scores.levels if before is not None and before.scores is not None else {}
        scores = ScoreCounts.of(settings.plan, scored, reached)
    return Tally(len(true), labels, scores)


def tallied(source: Source, settings: Settings) -> Tally:
    """Count all rows of a source."""
    total = source.summed(partial(tally_of, settings))
    if total is None:
        raise refuse_no_rows(settings)
    return total


def refuse_no_rows(settings: Settings) -> ValueError:
    """Return the error for rows that are none."""
    return ValueError(f"{settings.named(TRUE)} is empty; at least one example is needed.")
