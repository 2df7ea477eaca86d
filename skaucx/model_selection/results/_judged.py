"""What a metric judges of the pooled predictions: its options, and the arrays that it takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import metrics as sklearn_metrics

from ..._compat import score_function, scorer_sign
from ...metrics._registry.row import Metric
from ...metrics._resampling.sample import sample_of
from ...metrics._scorers.bound import BoundMetric, bound_metric
from ...metrics.kinds.base import Sample
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
    beside: Mapping[str, Any]

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
            **{name: values[entries] for name, values in self.beside.items()},
        )


def scorer_of(name: Any, scorer: Scorer | None) -> Any:
    """Return the scorer of a result's own name, or that which any other name stands for."""
    known = {} if scorer is None else scorer.scorers
    if isinstance(name, str) and name in known:
        return known[name]
    [found] = resolve_scoring(name).scorers.values()
    return found


def metric_of(name: Any, scorer: Scorer | None) -> BoundMetric | None:
    """Return the metric of a result's own name, or of any scorer; None if it is not one of ours."""
    return bound_metric(scorer_of(name, scorer))


def judged(bound: BoundMetric, predictions: OutOfFoldPredictions, **changed: Any) -> Judged:
    """Return what a metric judges, as the scorer of the folds judged it.

    The positive class of two is the one that the scorer names, or `changed`, or else the run.
    """
    row, metadata = bound.function.metric, predictions.metadata
    asked = {name: metadata[name] for name in bound.function.options if name in metadata}
    given = {**asked, **bound.parameters, **changed}
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
    if of_labels or bound.response_method == "predict":
        pred = predictions.y_pred
    else:
        pred = predictions.scores(bound.response_method, options.get("pos_label"))
    labels = classes if labels is None else labels
    weight = predictions.sample_weight if bound.weighted else None
    beside = {name: np.asarray(options.pop(name)) for name in row.kind.inputs.of_rows}
    return Judged(bound, options, predictions.y_true, pred, labels, weight, beside)


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


_TO_ONE = {"r2_score", "explained_variance_score", "d2_absolute_error_score", "d2_pinball_score",
           "d2_tweedie_score"}  # fmt: skip
_FROM_ZERO = {
    "max_error", "mean_absolute_error", "mean_absolute_percentage_error", "mean_gamma_deviance",
    "mean_pinball_loss", "mean_poisson_deviance", "mean_squared_error", "mean_squared_log_error",
    "median_absolute_error", "root_mean_squared_error", "root_mean_squared_log_error",
}  # fmt: skip


def score_bounds(scorer: Any) -> tuple[float, float]:
    """Return the least and the greatest score, of a loss those of its negative; infinite if unknown.

    Of a metric of this package they stand in its row, of scikit-learn's metrics of numbers here.

    Examples
    --------
    >>> from sklearn.metrics import get_scorer
    >>> from skaucx.model_selection.results._judged import score_bounds
    >>> score_bounds(get_scorer("r2")), score_bounds(get_scorer("neg_max_error"))
    ((-inf, 1.0), (-inf, -0.0))
    """
    bound = bound_metric(scorer)
    if bound is not None:
        low, high = bound.function.metric.bounds
        return (-high, -low) if bound.function.metric.greater_is_better is False else (low, high)
    name, low, high = _name_in_sklearn(scorer), -np.inf, np.inf
    if name in _TO_ONE:
        high = 1.0
    elif name in _FROM_ZERO:
        low = 0.0
    return (low, high) if scorer_sign(scorer) > 0 else (-high, -low)


def _name_in_sklearn(scorer: Any) -> str | None:
    """Return the name of scikit-learn's own function inside a scorer; None of any other."""
    function = score_function(scorer)
    name = getattr(function, "__name__", None)
    return name if name and getattr(sklearn_metrics, name, None) is function else None
