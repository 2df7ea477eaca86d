"""Intervals of metrics of the confusion table at a given prevalence, or threshold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..._arguments import Label, MetricLike
from ..._arrays import Bools, Codes, Floats
from ..._options import OPEN_SHARE, Confidence, check_whole
from ..._text.numbers import significant
from ...metrics._formulas.slopes import TIMES, derivatives
from ...metrics._kinds.base import Sample
from ...metrics._kinds.labels import LabelState
from ...metrics._kinds.scores.state import ScoreSample
from ...metrics._records.counts import Counts, given_table
from ...metrics._records.inputs import check_counts, check_scored_labels, refuse_not_of_counts
from ...metrics._registry.declare import get_metric, missing_options
from ...metrics._registry.names import named_metric, named_metrics
from ...metrics._registry.row import Metric, apply, value_of_record
from ...metrics.curves import ThresholdCurves
from .interval import (
    Interval,
    groups_of_rows,
    intervals,
    intervals_of_sample,
    noted,
)
from .limits import link_of, on_scale, quantile

# Added to both cells of a rate of 0 or 1, whose variance would be 0 (Haldane 1956).
_ADDED = 0.5


def interval_at_prevalence(
    metric: MetricLike,
    y_true: ArrayLike | None = None,
    y_pred: ArrayLike | None = None,
    *,
    prevalence: float | tuple[int, int],
    counts: Counts | ArrayLike | None = None,
    pos_label: Label = None,
    confidence_level: float | Confidence = 0.95,
    **parameters: Any,
) -> Interval:
    r"""Return a metric of predicted labels at a given prevalence, with its interval.

    TPR and FPR of the sample are assumed to be independent of the prevalence, as in the analysis of
    case-control studies.

    Parameters
    ----------
    metric : str or callable
        Name, alias or function of a metric of predicted labels, such as "precision" (the positive
        predictive value) or "npv".
    y_true, y_pred : array-like of shape (n_samples,), default=None
        True and predicted labels of two classes.
    prevalence : float in (0, 1), or (int, int)
        The known prevalence, or its counts (positives, examples); with counts the interval includes
        its sampling error.
    counts : Counts or array-like of shape (2, 2), default=None
        Integer counts instead of both arrays: ``[[tn, fp], [fn, tp]]``.
    pos_label : int, float, bool or str, default=None
        The positive class; see :func:`recall_score`.
    confidence_level : float or Confidence, default=0.95
        Confidence, in (0, 1); one-sided by ``Confidence(0.95, alternative="greater")``.
    **parameters
        The metric's own parameters, such as ``beta`` or ``cost``.

    Returns
    -------
    Interval
        By the delta method on the scale of the metric's range ("logit", "log"), or on its own.

    Raises
    ------
    ValueError, TypeError
        If the metric is not of predicted labels, or an argument is invalid.

    Notes
    -----
    TPR, FPR and an estimated prevalence are independent proportions of P, N and n examples, so that

    .. math::

        \operatorname{Var} f = f_{\mathrm{TPR}}^2 \frac{\mathrm{TPR} (1 - \mathrm{TPR})}{P}
        + f_{\mathrm{FPR}}^2 \frac{\mathrm{FPR} (1 - \mathrm{FPR})}{N}
        + f_\pi^2 \frac{\pi (1 - \pi)}{n}

    For predictive values at a known prevalence these are the logit intervals of [1]_. Half an
    example is added to both cells of a rate of 0 or 1.

    References
    ----------
    .. [1] N. D. Mercaldo, K. F. Lau and X. H. Zhou, Confidence intervals for predictive values with an
       emphasis to case-control studies, Statistics in Medicine 26, 2170-2183, 2007.

    Examples
    --------
    >>> from skaucx.inference import interval_at_prevalence
    >>> from skaucx.metrics import Counts
    >>> counts = Counts(tp=90, fn=10, fp=20, tn=180)
    >>> interval_at_prevalence("precision", counts=counts, prevalence=0.02)
    precision 0.1552 (95 %: 0.1076 to 0.2186; logit)
    Note: at prevalence 0.02
    >>> interval_at_prevalence("precision", counts=counts, prevalence=(8, 400))
    precision 0.1552 (95 %: 0.0751 to 0.2936; logit)
    Note: at prevalence 8 of 400
    """
    sides = Confidence.of(confidence_level)
    named = named_metric(metric)
    if named.row.kind.of_counts is None:
        raise refuse_not_of_counts(named.row.name)
    value = _AtRates(named.row.under(parameters), {**named.parameters, **parameters})
    cells = _cells(y_true, y_pred, counts, pos_label)
    share, described = _prevalence(prevalence)
    pairs, bounds = np.vstack([cells, share]), value.row.bounds
    estimate, middle = value(pairs), value(_shown(pairs))
    error = value.standard_error(pairs, known=not isinstance(prevalence, tuple))
    low, high = on_scale(middle, error, quantile(sides.two_sided), bounds)
    low, high = sides.ends(np.fmin(low, estimate), np.fmax(high, estimate), bounds)
    low, high = (np.where(np.isnan(estimate), np.nan, end) for end in (low, high))
    link = link_of(bounds)
    found = Interval(
        named.key,
        float(estimate),
        float(low),
        float(high),
        float(error),
        sides.level,
        link[0] if link else "delta",
        0,
        f"at prevalence {described}",
    )
    return noted(found, "" if counts is None else given_table(counts).note)


class _AtRates:
    """A metric as a function of TPR, FPR and prevalence, each as a pair (p, 1 - p)."""

    def __init__(self, row: Metric, parameters: dict[str, Any]) -> None:
        self.row, self.parameters = row, parameters

    def __call__(self, pairs: Floats) -> Floats:
        """Return the values of pairs of shape (..., 3, 2)."""
        with np.errstate(invalid="ignore"):
            (tpr, fnr), (fpr, tnr), (share, rest) = np.moveaxis(
                pairs / pairs.sum(axis=-1, keepdims=True), (-2, -1), (0, 1)
            )
        counts = Counts(share * tpr, rest * fpr, share * fnr, rest * tnr)
        record = self.row.kind.of_counts(counts)  # type: ignore[misc]
        return np.asarray(value_of_record(self.row, record, self.parameters, np.nan))

    def standard_error(self, pairs: Floats, *, known: bool) -> Floats:
        """Return the standard error from binomial variances; that of a known prevalence is 0."""
        pairs = _shown(pairs)
        steps = 1e-3 * pairs.ravel()
        changes = (np.eye(6) * steps).reshape(6, 3, 2)
        moved = pairs + TIMES[:, None, None, None] * changes
        slopes = derivatives(self(moved), steps).reshape(3, 2)
        # Of g(shares) the sum of count times slope is 0 over a pair, which leaves sum c (dg / dc)^2 of
        # grad' (diag(c) - c c' / n) grad.
        parts = (slopes**2 * pairs).sum(axis=1)
        return np.sqrt(parts[:2].sum() if known else parts.sum())


def _shown(pairs: Floats) -> Floats:
    """Return the pairs with half an example added to the cells of a rate of 0 or 1."""
    return pairs + _ADDED * (pairs == 0).any(axis=-1, keepdims=True)


def _cells(y_true: Any, y_pred: Any, counts: Any, pos_label: Any) -> Floats:
    """Return the counts (tp, fn) and (fp, tn)."""
    if counts is None:
        counted = Counts.from_labels(y_true, y_pred, pos_label=pos_label)
    elif y_true is not None or y_pred is not None:
        raise ValueError("counts represent all rows; omit y_true and y_pred.")
    else:
        counted = Counts.from_table(given_table(counts).table)
    named = dict(zip(("tp", "fp", "fn", "tn"), counted.cells, strict=True))
    tp, fp, fn, tn = check_counts(named)
    cells = np.array([[tp, fn], [fp, tn]], dtype=np.float64)
    if cells.shape != (2, 2) or (cells != np.floor(cells)).any():
        raise ValueError(
            "counts must be four whole numbers: an interval needs the sizes of classes."
        )
    if not cells.sum(axis=1).all():
        raise ValueError("Both classes need examples to estimate TPR and FPR.")
    return cells


def _prevalence(given: Any) -> tuple[Floats, str]:
    """Return the prevalence and its complement, or the numbers of positives and negatives."""
    if not isinstance(given, tuple):
        share = OPEN_SHARE.check("prevalence", given)
        return np.array([share, 1 - share]), f"{share:.4g}"
    if len(given) != 2:
        raise ValueError(f"prevalence must be a number or (positives, examples), found {given!r}.")
    positives, size = (check_whole("prevalence", number, 0) for number in given)
    if not (positives <= size and size > 0):
        raise ValueError(f"prevalence must be (positives, examples), found {given!r}.")
    return np.array([positives, size - positives], dtype=np.float64), f"{positives} of {size}"


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
        found = self.reweighted(np.ones((1, self.n_rows)))
        return LabelState(found.table[0], found.classes)

    def reweighted(self, counts: Floats) -> LabelState:
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
        codes = groups_of_rows(groups, *self._given)
        named = named_metrics(metrics)
        found = intervals_of_sample(named, self, {"zero_division": np.nan}, groups=codes, **how)
        for each in named:
            if each.row.name == self.bound.metric.name:
                none = replace(found[each.key], low=np.nan, high=np.nan, method=_NO_INTERVAL)
                found[each.key] = none
        return found

    def _counts(self, counts: Floats) -> Counts:
        return self.scores.reweighted(counts).binary_ranking(self.pos_label).threshold_counts

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
    confidence_level: float | Confidence = 0.95,
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
    confidence_level : float or Confidence, default=0.95
        Confidence, in (0, 1); one-sided by ``Confidence(0.95, alternative="greater")``.

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
    >>> from skaucx.inference import interval_at_threshold
    >>> from skaucx.metrics import threshold_curves
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
        zero_division=np.nan,
    ).values()
    target = f"the population, predicted positive from {significant(at)} on"
    notes = [_CHOSEN if threshold is None else "", found.note]
    return replace(found, target=target, note=" ".join(note for note in notes if note))
