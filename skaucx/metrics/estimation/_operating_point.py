"""Metrics at a constrained threshold, which is chosen again in every resample."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..._arrays import Bools, Codes, Floats
from ..._options import Alternative
from ..._text.numbers import significant
from .._records.counts import Counts
from .._records.inputs import check_scored_labels
from .._registry.averaging import apply
from .._registry.declare import get_metric, missing_options
from .._registry.names import named_metrics
from .._registry.row import Metric
from ..curves import ThresholdCurves
from ..kinds.base import Sample
from ..kinds.labels import LabelState
from ..kinds.scores.resampled import ScoreSample
from ._interval import Interval, groups_of_rows, intervals, intervals_of_sample

# Rates of one class: their intervals are valid at a threshold that is an order statistic.
_RATES_OF = {
    "recall": "positives",
    "false_negative_rate": "positives",
    "specificity": "negatives",
    "false_positive_rate": "negatives",
}
_NO_INTERVAL = "none: chosen by its bound"


@dataclass(frozen=True)
class Bound:
    """The threshold that satisfies a bound and maximises the counterpart."""

    metric: Metric
    value: float

    @property
    def sign(self) -> float:
        """1 for a lower bound, -1 for an upper bound."""
        return -1.0 if self.metric.greater_is_better is False else 1.0

    @property
    def of_class(self) -> str | None:
        """The class whose rate the metric is."""
        return _RATES_OF.get(self.metric.name)

    def reached(self, counts: Counts) -> Floats:
        """Return the metric, losses negated; undefined values are minus infinity."""
        return np.nan_to_num(self.sign * _values(self.metric, counts), nan=-np.inf)

    def places(self, counts: Counts) -> tuple[Codes, Bools]:
        """Return the index along the last axis of descending thresholds, and whether one is feasible.

        Ties of the counterpart are broken by the bounded metric, then by the higher threshold.
        """
        reached = self.reached(counts)
        feasible = reached >= self.sign * self.value
        partner = _values(get_metric(self.metric.counterpart).metric, counts)
        best = np.where(feasible, np.nan_to_num(partner, nan=-np.inf), -np.inf)
        tied = feasible & (best == best.max(axis=-1, keepdims=True))
        place = np.argmax(np.where(tied, reached, -np.inf), axis=-1)
        return np.asarray(place), np.asarray(feasible.any(axis=-1))


def _values(metric: Any, counts: Counts) -> Floats:
    return np.asarray(apply(metric, metric.kind.of_counts(counts), {}))


class BoundSample(Sample):
    """Scores whose threshold follows from a bound, in the sample and in each resample."""

    def __init__(
        self, y_true: Any, y_score: Any, weight: Any, pos_label: Any, bound: Bound
    ) -> None:
        scored = check_scored_labels(y_true, y_score, sample_weight=weight)
        self.scores, self.pos_label, self.bound = ScoreSample(scored), pos_label, bound
        self.n_rows, self.strata = self.scores.n_rows, self.scores.strata
        self.weight, self._given = self.scores.weight, (y_true, weight)

    @cached_property
    def counts(self) -> Counts:
        """The counts at all thresholds."""
        return self._counts(np.ones((1, self.n_rows)))[0]

    @property
    def state(self) -> LabelState:
        """The confusion table of the sample at its threshold."""
        found = self.under(np.ones((1, self.n_rows)))
        return LabelState(found.table[0], found.classes)

    def under(self, counts: Floats) -> LabelState:
        """Return one confusion table per replicate; nan if no threshold satisfies the bound."""
        every = self._counts(counts)
        place, feasible = self.bound.places(every)
        cells = (np.take_along_axis(cell, place[:, None], axis=1)[:, 0] for cell in every.cells)
        return self._state(Counts(*(np.where(feasible, cell, np.nan) for cell in cells)))

    def chooses(self, metric: Any, options: Mapping[str, Any]) -> bool:
        """Whether the interval of a metric depends on the choice of the threshold.

        It does not if the metric is the same at all thresholds, or a rate of the bounded class.
        """
        if _RATES_OF.get(metric.name, 0) == self.bound.of_class:
            return False
        every = self._state(self.counts)
        return len(np.unique(metric.value(every, **{**options, "zero_division": np.nan}))) > 1

    def intervals(
        self, metrics: Mapping[str, Any], *, groups: Any, **how: Any
    ) -> dict[str, Interval]:
        """Return the bootstrap intervals of metrics of labels, except the bounded one."""
        codes = None if groups is None else groups_of_rows(groups, *self._given)
        named = named_metrics(metrics)
        found = intervals_of_sample(named, self, {"zero_division": np.nan}, groups=codes, **how)
        for each in named:
            if each.row.name == self.bound.metric.name:
                none = replace(found[each.key], low=np.nan, high=np.nan, method=_NO_INTERVAL)
                found[each.key] = none
        return found

    def _counts(self, counts: Floats) -> Counts:
        return self.scores.under(counts).binary_ranking(self.pos_label).threshold_counts

    def _state(self, counts: Counts) -> LabelState:
        classes = self.scores.scored.classes
        last = classes[-1] == self.pos_label
        return LabelState(counts.table if last else counts.table[..., ::-1, ::-1], classes)


_CHOSEN = (
    "the threshold was chosen on the same examples, so the estimate is optimistic; the interval "
    "is that of a threshold fixed beforehand and ignores the choice."
)


def interval_at_threshold(
    curves: ThresholdCurves,
    metric: str,
    threshold: float | None = None,
    *,
    subject_to: Mapping[str, tuple[str, float]] | None = None,
    method: str = "auto",
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Interval:
    """Return the interval of a metric at a threshold.

    Parameters
    ----------
    curves : ThresholdCurves
        By :func:`threshold_curves`, without weights.
    metric : str
        Name or alias of one of the curves.
    threshold : float, default=None
        Any number; None means the threshold at which the metric is best, with a `note` on optimism.
    subject_to : dict, default=None
        Constraints on the best threshold; see :meth:`ThresholdCurves.best`.
    method : str, default="auto"
        As for :func:`interval`.
    confidence_level : float, default=0.95
        Confidence, in (0, 1).
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        "greater" gives a lower limit only, "less" an upper one.

    Returns
    -------
    Interval
        For the fixed threshold that `target` names.

    Raises
    ------
    ValueError
        If the curves do not contain counts of examples, or the metric needs more; if both a
        threshold and `subject_to` are given; if no threshold is best.

    Warns
    -----
    UndefinedMetricWarning
        If the metric is undefined at the threshold, or no threshold satisfies a bound.

    See Also
    --------
    ThresholdDisplay : Draws these with ``intervals=True``.

    Examples
    --------
    >>> from skaucx.metrics import interval_at_threshold, threshold_curves
    >>> y_true, y_score = [0, 0, 0, 1, 0, 1, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.9]
    >>> curves = threshold_curves(y_true, y_score, ["recall", "f1"])
    >>> interval_at_threshold(curves, "recall", 0.55)
    recall 0.7500 (95 %: 0.3006 to 0.9544; wilson)
    >>> best = interval_at_threshold(curves, "f1")
    >>> best.target, best.note[:31]
    ('the population, predicted positive from 0.4 on', 'the threshold was chosen on the')
    """
    if threshold is not None and subject_to is not None:
        raise ValueError("subject_to constrains the best threshold; omit it, or threshold.")
    at = curves.best(metric, subject_to)[0] if threshold is None else threshold
    if threshold is None and np.isnan(at):
        raise ValueError(
            f"{metric} has no best threshold: it is undefined, or none satisfies the bounds."
        )
    named = curves.metric(metric)
    if not named.row.kind.counted:
        raise ValueError(
            f"{metric} needs more than the counts at a threshold; call interval on the labels at "
            f"the threshold."
        )
    # A metric with a threshold of its own, such as the net benefit, takes this one.
    own = dict.fromkeys(missing_options(named.function, named.parameters), at)
    [found] = intervals(
        {named.key: partial(named.function, **named.parameters, **own)},
        counts=curves.counts_at(at),
        method=method,
        confidence_level=confidence_level,
        alternative=alternative,
        zero_division=np.nan,
    ).values()
    target = f"the population, predicted positive from {significant(at)} on"
    notes = [_CHOSEN if threshold is None else "", found.note]
    return replace(found, target=target, note=" ".join(note for note in notes if note))
