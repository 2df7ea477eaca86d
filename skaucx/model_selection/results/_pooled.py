"""Metrics of all out-of-fold predictions at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import Tags

from ... import metrics
from ..._compat import score_function
from .._types import Floats, Scorer
from ._pool import OutOfFoldPredictions


@dataclass(frozen=True)
class Pooled:
    """The value of a metric on pooled predictions.

    Attributes
    ----------
    value : float
        nan where there is none.
    reason : str or None
        Why there is none.
    """

    value: float
    reason: str | None = None


class Recorded:
    """A stand-in for the models of all folds: it predicts what they predicted, whatever X is."""

    def __init__(self, predictions: OutOfFoldPredictions, tags: Tags) -> None:
        self.responses = {**predictions.responses, "predict": predictions.y_pred}
        self.tags = tags
        if predictions.classes is not None:
            self.classes_ = predictions.classes

    def __sklearn_tags__(self) -> Tags:
        return self.tags

    def __getattr__(self, name: str) -> Callable[[Any], Any]:
        responses = self.__dict__.get("responses", {})
        if name not in responses:
            raise AttributeError(f"{name} is not among the pooled predictions")

        def method(X: Any) -> Any:
            return responses[name]

        method.__name__ = name  # scikit-learn's scorers tell by it what was predicted
        return method


def pooled_scores(
    scorer: Scorer, predictions: OutOfFoldPredictions, tags: Tags
) -> Mapping[str, Pooled]:
    """Score the joined out-of-fold predictions by every metric, nan with a reason if impossible."""
    if not len(predictions.row):
        return dict.fromkeys(scorer.names, Pooled(np.nan, "no fold has predictions"))
    model = Recorded(predictions, tags)

    def scores(names: list[str]) -> Mapping[str, Pooled]:
        values = scorer.subset(names).score(
            model,
            None,
            predictions.y_true,
            sample_weight=predictions.sample_weight,
            responses=model.responses,
        )
        return {name: _told(value) for name, value in values.items()}

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a value that is undefined says so by its reason
        try:
            return scores(list(scorer.names))
        except Exception:
            return {name: _attempt(scores, name) for name in scorer.names}


def pooled_interval(
    predictions: OutOfFoldPredictions, name: str, options: Mapping[str, Any]
) -> metrics.Interval:
    """Return the interval of a metric on the joined predictions."""
    bound = score_function(metrics.get_scorer(name))
    row = bound.function.metric
    classes = [] if predictions.classes is None else predictions.classes.tolist()
    settings = {**bound.parameters, **options}
    if len(np.unique(predictions.row)) < len(predictions.row):
        settings.setdefault("groups", predictions.row)
    if predictions.sample_weight is not None:
        settings.setdefault("sample_weight", predictions.sample_weight)
    one = "pos_label" in bound.function.options and settings.get("average", "binary") == "binary"
    if len(classes) == 2 and one:
        settings.setdefault("pos_label", classes[1])
    if row.reads_labels:
        return metrics.interval(bound.function, predictions.y_true, predictions.y_pred, **settings)
    response = _response(predictions, bound.response_method, name)
    if response.ndim == 2 and len(classes) == 2:
        response = response[:, classes.index(settings.get("pos_label", classes[1]))]
    return metrics.interval(bound.function, predictions.y_true, response, **settings)


def _response(
    predictions: OutOfFoldPredictions, wanted: str | tuple[str, ...], metric: str
) -> Floats:
    for method in (wanted,) if isinstance(wanted, str) else wanted:
        if method in predictions.responses:
            return predictions.responses[method]
    raise ValueError(
        f"{metric!r} reads {wanted!r}, but the pooled predictions hold "
        f"{', '.join(predictions.responses) or 'labels only'}."
    )


def _attempt(scores: Callable[[list[str]], Mapping[str, Pooled]], name: str) -> Pooled:
    try:
        return scores([name])[name]
    except Exception as error:
        return Pooled(np.nan, f"{type(error).__name__}: {error}")


def _told(value: float) -> Pooled:
    return Pooled(value, "undefined on the pooled predictions" if np.isnan(value) else None)
