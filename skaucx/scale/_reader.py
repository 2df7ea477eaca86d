"""The functions through which the core hands over rows that come in parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..metrics._kinds.base import SCORE, TRUE, WEIGHT
from ..metrics._kinds.scores.state import GREATEST
from ..metrics._records.inputs import known_positive, positive_code
from ..metrics._records.totals import Total
from ..metrics._registry.names import named_metrics
from ..metrics._registry.row import Metric
from ._accumulator import MetricAccumulator, evaluated_groups
from ._aggregation import Settings, aggregated
from ._batches import source_of
from ._counted_ranking import CountedRanking
from ._in_chunks import evaluated_in_chunks, needed_counting, totals_of
from ._score_counts import CountedScoreState, CountingPlan, ScoreCounts, counting_of, plan_of

__all__ = [
    "accumulator",
    "counts",
    "counts_all",
    "evaluated",
    "evaluated_groups",
    "probabilities",
    "ranking",
]

accumulator, evaluated = MetricAccumulator, evaluated_in_chunks


def counts(
    row: Metric,
    first: Any,
    second: Any,
    options: Mapping[str, Any] | None = None,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    **further: Any,
) -> Any:
    """Count two arrays in chunks, with their further arrays."""
    counting, second_name = needed_counting(row), row.kind.inputs.argument
    names = dict(zip((TRUE, second_name), row.inputs, strict=True))
    settings = Settings(
        CountingPlan() if options is None else plan_of([row], options),
        None if labels is None else tuple(labels),
        names,
        kinds=(counting.key,),
        numbers=totals_of([row], options or {}),
    )
    arrays = {TRUE: first, second_name: second, WEIGHT: sample_weight, **further}
    return aggregated(source_of(arrays, names), settings).counts[counting.key]


def counts_all(metrics: Any) -> bool:
    """Whether counts of chunks determine all requested metrics."""
    for named in () if metrics is None else named_metrics(metrics):
        counting = counting_of(named.row.kind.inputs)
        if counting is None or (counting.totals_only and not named.row.totals_of({})):
            return False
    return True


def _scores(y_true: Any, y_score: Any, sample_weight: Any, plan: CountingPlan) -> ScoreCounts:
    """Count scores that come in chunks, or return those counted already."""
    if isinstance(y_true, ScoreCounts):
        return y_true
    source = source_of({TRUE: y_true, SCORE: y_score, WEIGHT: sample_weight})
    return aggregated(source, Settings(plan)).counts[SCORE]


def ranking(y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any) -> CountedRanking:
    """Rank the cells of scores."""
    counted = _scores(y_true, y_score, sample_weight, CountingPlan())
    if GREATEST not in counted.cells:
        raise ValueError(
            "Curves need one score of the positive class per example; found "
            f"{counted.columns or 'no'} columns of them."
        )
    code = known_positive(positive_code(counted.classes, pos_label))
    cells = counted.cells[GREATEST]
    return CountedRanking(cells if code == len(counted.classes) - 1 else cells.swapped)


def probabilities(total: Total, y_true: Any, y_proba: Any, sample_weight: Any) -> CountedScoreState:
    """Return the state of probabilities of which a total is kept."""
    plan = CountingPlan(ranked=False, of_probabilities=(total,), strict=True)
    counted = _scores(y_true, y_proba, sample_weight, plan)
    if counted.columns:
        raise ValueError(
            "A reliability curve needs one probability of the positive class per example; found "
            f"{counted.columns} columns of them."
        )
    return CountedScoreState(counted)
