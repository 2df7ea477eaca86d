"""Two classifiers' predictions and a metric of any kind, made ready for resampling."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy import stats
from sklearn.utils.multiclass import type_of_target

from ..._arrays import (
    Array,
    Codes,
    check_same_length,
    group_codes,
    weight_vector,
)
from .._records.inputs import LabelPair, check_label_pair
from .._registry.declare import MetricFunction
from .._registry.names import NamedMetric, metric_or_function
from .._registry.row import Metric
from ._replicates import LabelReplicates, Replicates, RowReplicates, WeightedReplicates


def compared(
    metric: Any,
    y_true: Any,
    y_pred_a: Any,
    y_pred_b: Any,
    sample_weight: Any,
    parameters: dict[str, Any],
    *,
    groups: Any = None,
    as_ranks: bool = False,
) -> tuple[Any, Replicates, tuple[float, float]]:
    """Return the metric, the replicates of both classifiers, and its values on all examples.

    With `as_ranks` the replicates hold mid-ranks where the metric reads no more of the scores.
    """
    function, parameters = metric_or_function(metric, parameters)
    predictions = y_pred_a, y_pred_b
    first, second = values_of_both(function, y_true, predictions, sample_weight, parameters)
    if not hasattr(function, "metric"):
        rows = _rows(function, y_true, *predictions, parameters, groups)
        return function, rows, (first, second)
    if as_ranks:
        options = {"sample_weight": sample_weight} | parameters
        predictions = _as_ranks(function, y_true, predictions, (first, second), options)
    judged = _judged(function.metric, y_true, predictions, sample_weight, parameters, groups)
    return function, judged, (first, second)


def values_of_both(
    function: Any,
    y_true: Any,
    predictions: tuple[Any, Any],
    sample_weight: Any,
    parameters: dict[str, Any],
) -> tuple[float, float]:
    """Return the metric of both classifiers on all examples."""
    ours = hasattr(function, "metric")
    if sample_weight is not None and not ours:
        raise ValueError("sample_weight needs a metric of this package, found a plain function.")
    shared = {"sample_weight": sample_weight} if ours else {}
    first, second = (
        _number(function(y_true, each, **shared, **parameters)) for each in predictions
    )
    return first, second


def _number(value: Any) -> float:
    if np.ndim(value):
        raise ValueError(
            f"The metric must return one number, found shape {np.shape(value)}; an average such as "
            "average='macro' makes one of the values of all classes."
        )
    return float(value)


def _judged(
    metric: Metric,
    y_true: Any,
    predictions: tuple[Any, Any],
    sample_weight: Any,
    parameters: dict[str, Any],
    groups: Any,
) -> Replicates:
    """Hold the examples ready for a metric of this package."""
    # Replicates are what the function returns for them, but without a warning each.
    filler = parameters.get("zero_division", "warn")
    filler = metric.undefined if filler == "warn" else filler
    options = parameters | {"zero_division": filler}
    labels = options.pop("labels", None)
    if metric.kind.counted and sample_weight is None and groups is None:
        pairs = _label_pairs(y_true, *predictions, labels)
        if pairs is not None:
            return LabelReplicates(metric, options, *pairs)
    rows = {n: np.asarray(options.pop(n)) for n in metric.kind.inputs.of_rows if n in options}
    shared = {"labels": labels, "sample_weight": sample_weight, **rows}
    checked = checked_rows(metric, y_true, predictions, shared, groups)
    return WeightedReplicates(metric, options, *checked)


def _label_pairs(
    y_true: Any, y_pred_a: Any, y_pred_b: Any, labels: Any
) -> tuple[LabelPair, LabelPair] | None:
    """Number the labels of both classifiers by the same classes; None for multilabel indicators."""
    pairs = [check_label_pair(y_true, y_pred, labels=labels) for y_pred in (y_pred_a, y_pred_b)]
    if any(pair.multilabel for pair in pairs):
        return None
    vectors: list[Any] = pairs
    classes = np.unique(np.concatenate([pair.classes for pair in vectors]))
    both = []
    for pair in vectors:
        at = np.searchsorted(classes, pair.classes)
        named = None if pair.named is None else at[pair.named]
        both.append(LabelPair(classes, at[pair.true], at[pair.pred], None, named))
    return both[0], both[1]


def checked_rows(
    metric: Metric,
    y_true: Any,
    predictions: tuple[Any, Any],
    shared: dict[str, Any],
    groups: Any,
) -> tuple[Array, Array, Array, dict[str, Any], Codes | None]:
    """Return truth, both predictions, what they share and the groups of the examples with weight."""
    judged = metric.kind.inputs
    true = judged.read_true(y_true, "y_true")
    first, second = (
        judged.read(y_pred, name)
        for y_pred, name in zip(predictions, ("y_pred_a", "y_pred_b"), strict=True)
    )
    codes, weight = _groups(groups, true), weight_vector(shared["sample_weight"])
    if weight is not None and not weight.all():
        kept = weight > 0
        true, first, second, weight = true[kept], first[kept], second[kept], weight[kept]
        codes = None if codes is None else _groups(codes[kept], true)
        shared = shared | {name: shared[name][kept] for name in judged.of_rows if name in shared}
    return true, first, second, {**shared, "sample_weight": weight}, codes


def _rows(
    function: Callable[..., Any],
    y_true: Any,
    y_pred_a: Any,
    y_pred_b: Any,
    parameters: dict[str, Any],
    groups: Any,
) -> RowReplicates:
    """Hold the examples ready for a plain function."""
    arrays = {"y_true": y_true, "y_pred_a": y_pred_a, "y_pred_b": y_pred_b}
    true, first, second = (np.asarray(given) for given in arrays.values())
    check_same_length(dict(zip(arrays, (true, first, second), strict=True)))

    def value(truth: Array, pred: Array) -> float:
        return float(function(truth, pred, **parameters))

    return RowReplicates(value, true, first, second, _strata(true), _groups(groups, true))


def _groups(groups: Any, true: Array) -> Codes | None:
    """Number the groups from 0."""
    return None if groups is None else group_codes(groups, {"y_true": true})


def _strata(true: Array) -> Codes | None:
    """Return the class of each example; None for targets without classes."""
    if type_of_target(true) not in ("binary", "multiclass"):
        return None
    return np.unique(true, return_inverse=True)[1].astype(np.intp)


def _as_ranks(
    function: MetricFunction,
    y_true: Any,
    scores: tuple[Any, Any],
    values: tuple[float, float],
    options: dict[str, Any],
) -> tuple[Any, Any]:
    """Return mid-ranks in (0, 1) in place of the scores, if the metric reads nothing else of them."""
    if function.metric.kind.scale != "order" or any(np.ndim(score) != 1 for score in scores):
        return scores
    first, second = (stats.rankdata(score) / (len(score) + 1) for score in scores)
    found = [function(y_true, ranks, **options) for ranks in (first, second)]
    return (first, second) if np.allclose(found, values, rtol=0, atol=1e-12) else scores


def metric_name(function: Any, parameters: Mapping[str, Any] = MappingProxyType({})) -> str:
    """Return the name of a metric, with the parameters that its value depends on."""
    if hasattr(function, "metric"):
        return NamedMetric(function.metric.name, function, parameters).label
    return str(getattr(function, "__name__", "the metric"))
