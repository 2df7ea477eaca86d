"""What a metric judges of the pooled predictions: its options, and the arrays that it takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...metrics._registry.row import Metric
from ...metrics._resampling.sample import Sample, sample_of
from ...metrics._scorers.bound import BoundMetric, bound_metric
from .._scoring import depends_on_positive, resolve_scoring
from .._types import Floats, Rows, Scorer
from ._pool import OutOfFoldPredictions


@dataclass(frozen=True, eq=False)
class Judged:
    """A metric with its options and what it judges, one entry for each time that a row was tested."""

    bound: BoundMetric
    options: Mapping[str, Any]
    y_true: NDArray[Any]
    y_pred_or_score: NDArray[Any]
    labels: Any
    sample_weight: Floats | None

    @property
    def metric(self) -> Metric:
        """The row of the metric."""
        return self.bound.function.metric

    def sample(self, entries: Rows) -> Sample:
        """Return some entries as a sample."""
        weight = None if self.sample_weight is None else self.sample_weight[entries]
        return sample_of(
            self.metric,
            self.y_true[entries],
            self.y_pred_or_score[entries],
            labels=self.labels,
            sample_weight=weight,
        )


def metric_of(name: Any, scorer: Scorer | None) -> BoundMetric | None:
    """Return the metric of a result's own name, or of any scorer; None if it is not one of ours."""
    known = {} if scorer is None else scorer.scorers
    if isinstance(name, str) and name in known:
        return bound_metric(known[name])
    [found] = resolve_scoring(name).scorers.values()
    return bound_metric(found)


def judged(bound: BoundMetric, predictions: OutOfFoldPredictions, **changed: Any) -> Judged:
    """Return what a metric judges, as the scorer of the folds judged it.

    The positive class of two is the one that the scorer names, or `changed`, or else the run.
    """
    row, given = bound.function.metric, {**bound.parameters, **changed}
    options = {
        name: option.default
        for name, option in bound.function.options.items()
        if option.default is not option.empty
    } | given
    classes, labels = predictions.classes, options.pop("labels", None)
    options = {k: options[k] for k in options if k not in ("sample_weight", "zero_division")}
    two = classes is not None and len(classes) == 2
    of_labels = row.kind.counted
    one_value = not of_labels or options.get("average", "binary") == "binary"
    if two and one_value and "pos_label" in options and options["pos_label"] is None:
        options["pos_label"] = _positive(predictions, bound)
    if of_labels:
        pred = predictions.y_pred
    else:
        pred = predictions.scores(bound.response_method, options.get("pos_label"))
    labels = classes if labels is None else labels
    weight = predictions.sample_weight if bound.weighted else None
    return Judged(bound, options, predictions.y_true, pred, labels, weight)


def _positive(predictions: OutOfFoldPredictions, bound: BoundMetric) -> Any:
    """Return the run's positive class, either of two for a metric with the same value for both."""
    classes = predictions.classes
    if predictions.positive is not None or classes is None:
        return predictions.positive
    if depends_on_positive(bound):
        raise ValueError(
            f"The classes {classes.tolist()} do not tell which is the positive one; pass pos_label."
        )
    return classes[1]


def score_bounds(bound: BoundMetric | None) -> tuple[float, float]:
    """Return the least and the greatest score, of a loss those of its negative; infinite if unknown."""
    if bound is None:
        return -np.inf, np.inf
    low, high = bound.function.metric.bounds
    return (-high, -low) if bound.function.metric.greater_is_better is False else (low, high)
