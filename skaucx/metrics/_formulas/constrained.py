"""Metrics where others keep bounds, at one table or at the best threshold that keeps them.

Every formula reads the `threshold_counts` of its record, also with a leading axis of replicates.
The threshold is chosen on the evaluated examples, so the values are optimistic. A threshold chosen
on other examples, as by scikit-learn's ``TunedThresholdClassifierCV``, is evaluated without bias.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, TypeAlias

import numpy as np

from ..._arrays import Bools, Floats
from ..._options import Share, check_bound
from .._kinds.labels import COUNTS
from .._kinds.scores import ORDER
from .._pairs.ranking import PairMeans
from .._records.counts import Counts
from .._records.inputs import refuse_not_of_counts
from .._registry.declare import check_complete, metric
from .._registry.names import NamedMetric, named_metric
from .._registry.row import apply
from .rates import precision, recall, specificity
from .slopes import Slopes, of_cut, positive_share

# Rates that equal their bound up to rounding satisfy it.
_ROUNDING = 1e-12
Rate: TypeAlias = Callable[[Counts], Floats]


def _slopes_of_sensitivity(r: PairMeans, *, min_specificity: float) -> Slopes:
    """Return the influence on the recall of the lowest threshold that keeps the specificity.

    Where all thresholds keep it the bound does not matter.
    """
    c = r.threshold_counts
    kept = np.flatnonzero(specificity(c) >= min_specificity - _ROUNDING)
    if not len(kept):  # no negatives
        return np.full(len(c.tp) - 1, np.nan), np.full(len(c.tp) - 1, np.nan)
    bound = specificity if kept[-1] + 1 < len(c.tp) else None
    return of_cut(c, c.predicted_positives[kept[-1]], recall, bound)


best_rate = partial(
    metric,
    kind=ORDER,
    family="rates under a constraint",
    undefined=np.nan,
    over_thresholds="best",
    reason="no threshold reaches the bound",
)


@best_rate(
    "precision_at_recall_score",
    "Manning et al. 2008",
)
def precision_at_recall(r: PairMeans, *, min_recall: Share = 0.9) -> Floats:
    r"""Precision at recall: the best precision over the thresholds with sufficient recall.

    Parameters
    ----------
    min_recall : float in [0, 1], default=0.9
        The least recall of a threshold.

    Notes
    -----
    .. math:: \max_t \{ \mathrm{precision}(t) : \mathrm{recall}(t) \ge c \}

    over all distinct scores as thresholds and one above them; undefined if no threshold reaches the
    bound. :meth:`ThresholdCurves.best` with ``subject_to=`` gives the threshold too.

    Examples
    --------
    >>> from skaucx.metrics import precision_at_recall_score
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> round(precision_at_recall_score(y_true, y_score, min_recall=0.6), 4)
    0.6667
    """
    return _best(r.threshold_counts, precision, recall, min_recall)


@best_rate(
    "recall_at_precision_score",
    "Manning et al. 2008",
)
def recall_at_precision(r: PairMeans, *, min_precision: Share = 0.5) -> Floats:
    r"""Recall at precision: the best recall over the thresholds with sufficient precision.

    Parameters
    ----------
    min_precision : float in [0, 1], default=0.5
        The least precision of a threshold.

    Notes
    -----
    .. math:: \max_t \{ \mathrm{recall}(t) : \mathrm{precision}(t) \ge c \}

    over the thresholds of :func:`precision_at_recall_score`.

    Examples
    --------
    >>> from skaucx.metrics import recall_at_precision_score
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> round(recall_at_precision_score(y_true, y_score, min_precision=0.6), 4)
    1.0
    """
    return _best(r.threshold_counts, recall, precision, min_precision)


@best_rate(
    "sensitivity_at_specificity_score",
    "Altman & Bland 1994",
    trials=positive_share,
    influence=_slopes_of_sensitivity,
)
def sensitivity_at_specificity(r: PairMeans, *, min_specificity: Share = 0.9) -> Floats:
    r"""Sensitivity at specificity: the best recall over the thresholds with sufficient specificity.

    Parameters
    ----------
    min_specificity : float in [0, 1], default=0.9
        The least specificity of a threshold.

    Notes
    -----
    .. math:: \max_t \{ \mathrm{recall}(t) : \mathrm{specificity}(t) \ge c \}

    over the thresholds of :func:`precision_at_recall_score`.

    Examples
    --------
    >>> from skaucx.metrics import sensitivity_at_specificity_score
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> round(sensitivity_at_specificity_score(y_true, y_score, min_specificity=0.6), 4)
    0.5
    """
    return _best(r.threshold_counts, recall, specificity, min_specificity)


@best_rate(
    "specificity_at_sensitivity_score",
    "Altman & Bland 1994",
)
def specificity_at_sensitivity(r: PairMeans, *, min_sensitivity: Share = 0.9) -> Floats:
    r"""Specificity at sensitivity: the best specificity over the thresholds with sufficient recall.

    Parameters
    ----------
    min_sensitivity : float in [0, 1], default=0.9
        The least recall of a threshold.

    Notes
    -----
    .. math:: \max_t \{ \mathrm{specificity}(t) : \mathrm{recall}(t) \ge c \}

    over the thresholds of :func:`precision_at_recall_score`.

    Examples
    --------
    >>> from skaucx.metrics import specificity_at_sensitivity_score
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> round(specificity_at_sensitivity_score(y_true, y_score, min_sensitivity=0.6), 4)
    0.5
    """
    return _best(r.threshold_counts, specificity, recall, min_sensitivity)


def _best(c: Counts, value: Rate, bounded: Rate, least: float) -> Floats:
    """Return the greatest value where `bounded` reaches its bound; nan if it never does."""
    return _best_kept(value(c), bounded(c) >= least - _ROUNDING)


# The constrained metrics, each with the sign and the value of its bound.
Bounds = list[tuple[NamedMetric, float, float]]


def check_objective(name: str, value: Any) -> NamedMetric:
    """Return a metric of the confusion table with a direction (greater or lower is better)."""
    try:
        named = named_metric(value)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}={value!r} is no metric: {error}") from None
    if named.row.kind.of_counts is None:
        raise refuse_not_of_counts(named.row.name)
    own = inspect.signature(named.row.formula).parameters
    if other := set(named.parameters) - set(own):
        raise ValueError(
            f"{name}={value!r} sets {min(other)!r}, but a metric of the positive class is needed "
            f"here; omit the average."
        )
    check_complete(named.function, named.parameters)
    if name == "objective" and named.row.greater_is_better is None:
        raise ValueError(
            f"{name}={named.key!r} has no better direction, so it has no best threshold."
        )
    return named


def check_bounds(name: str, value: Any) -> Bounds:
    """Return the constrained metrics, each with the sign and the value of its bound."""
    if not isinstance(value, Mapping) or not value:
        raise TypeError(
            f"{name} must map metrics to bounds, such as {{'recall': ('>=', 0.9)}}, found "
            f"{value!r}."
        )
    return [
        (check_objective(name, other), *check_bound(f"{name}[{other!r}]", bound))
        for other, bound in value.items()
    ]


Objective = Annotated[Any, check_objective]
SubjectTo = Annotated[Mapping[Any, tuple[str, float]], check_bounds]


def _range_of_objective(n_classes: int, *, objective: Any, subject_to: Any) -> tuple[float, float]:
    """Return the range of the metric, of losses with the sign reversed."""
    row = check_objective("objective", objective).row
    low, high = row.bounds
    return (low, high) if row.greater_is_better else (-high, -low)


feasible_metric = partial(
    metric,
    family="metrics under a constraint",
    bounds=(-np.inf, np.inf),
    bounds_under=_range_of_objective,
    best=np.nan,
    undefined=np.nan,
    reason="a bound is not satisfied, or 0/0",
)


@feasible_metric(
    "feasible_score",
    "Manning et al. 2008",
    kind=COUNTS,
)
def feasible(c: Counts, *, objective: Objective, subject_to: SubjectTo) -> Floats:
    r"""Any metric if others satisfy their bounds; undefined otherwise.

    As a scorer it lets scikit-learn's ``TunedThresholdClassifierCV`` choose the threshold:
    undefined values are never chosen.

    Parameters
    ----------
    objective : str or callable
        The metric of predicted labels: name, alias, function, or partial function with parameters.
        The sign of losses is reversed, as in scorers.
    subject_to : dict
        Bounds of other metrics of predicted labels, such as ``{"recall": (">=", 0.9)}``; "<=" too.

    Notes
    -----
    .. math:: f \;\text{ where }\; g_1 \ge c_1, \; g_2 \le c_2, \; \dots

    Examples
    --------
    >>> from skaucx.metrics import feasible_score, get_scorer
    >>> bounds, y_true = {"recall": (">=", 0.6)}, [0, 0, 1, 1]
    >>> round(feasible_score(y_true, [0, 1, 1, 1], objective="precision", subject_to=bounds), 4)
    0.6667
    >>> scorer = get_scorer("feasible", objective="npv", subject_to=bounds)
    """
    value, kept = _sides(c, objective, subject_to)
    return np.where(kept, value, np.nan)


@feasible_metric("best_feasible_score", "Manning et al. 2008", kind=ORDER)
def best_feasible(r: PairMeans, *, objective: Objective, subject_to: SubjectTo) -> Floats:
    r"""The best of a metric over the thresholds at which others satisfy their bounds.

    It is optimistic, because the threshold is chosen on the evaluated examples; use
    :func:`feasible_score` for a threshold chosen on other data.

    Parameters
    ----------
    objective : str or callable
        The metric of predicted labels: name, alias, function, or partial function with parameters.
        The sign of losses is reversed, as in scorers.
    subject_to : dict
        Bounds of other metrics of predicted labels, such as ``{"recall": (">=", 0.9)}``; "<=" too.

    Notes
    -----
    .. math:: \max_t \{ f(t) : g_1(t) \ge c_1, \; g_2(t) \le c_2, \; \dots \}

    over all distinct scores as thresholds and one above them; undefined if no threshold satisfies
    the bounds. :meth:`ThresholdCurves.best` with ``subject_to=`` gives the threshold too.

    Examples
    --------
    >>> from skaucx.metrics import best_feasible_score
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> bounds = {"recall": (">=", 0.6), "fpr": ("<=", 0.7)}
    >>> round(best_feasible_score(y_true, y_score, objective="accuracy", subject_to=bounds), 4)
    0.75
    """
    return _best_kept(*_sides(r.threshold_counts, objective, subject_to))


def _best_kept(value: Floats, kept: Bools) -> Floats:
    kept = kept & ~np.isnan(value)
    return np.where(kept.any(axis=-1), np.max(value, axis=-1, where=kept, initial=-np.inf), np.nan)


def _sides(c: Counts, objective: NamedMetric, subject_to: Any) -> tuple[Floats, Bools]:
    """Return the metric (greater is better), and where the bounds are satisfied."""
    sign = 1 if objective.row.greater_is_better else -1
    kept = np.ones(np.shape(c.tp), dtype=bool)
    for named, side, limit in subject_to:
        kept &= side * _value(c, named) >= side * limit - _ROUNDING
    return sign * _value(c, objective), kept


def _value(c: Counts, named: NamedMetric) -> Floats:
    record: Any = named.row.kind.of_counts
    return np.asarray(apply(named.row, record(c), dict(named.parameters)))
