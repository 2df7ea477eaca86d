"""Metrics of all out-of-fold predictions at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils import Tags

from ... import metrics
from ...metrics._scorers.bound import BoundMetric
from .._types import Scorer
from ._judged import judged
from ._pool import OutOfFoldPredictions

_MIXED = (
    "scores of the models of different folds are ranked against each other, which biases the value; "
    "interval() is about the mean of the folds"
)


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
    scorer: Scorer,
    predictions: OutOfFoldPredictions,
    tags: Tags,
) -> Mapping[str, Pooled]:
    """Score the joined out-of-fold predictions by every metric, nan with a reason if impossible."""
    if not len(predictions.row):
        return dict.fromkeys(scorer.names, Pooled(np.nan, "no fold has predictions"))
    model = Recorded(predictions, tags)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a value that is undefined says so by its reason
        judged = scorer.judge(
            model,
            None,
            predictions.y_true,
            sample_weight=predictions.sample_weight,
            responses=model.responses,
            metadata=predictions.metadata,
        )
    return {name: _told(value, judged.errors.get(name)) for name, value in judged.scores.items()}


def pooled_interval(
    bound: BoundMetric | None, predictions: OutOfFoldPredictions, options: Mapping[str, Any]
) -> metrics.Interval:
    """Return the interval of a metric on the joined predictions."""
    if bound is None:
        raise ValueError(
            "pooled_interval takes metrics of this package, by their names in scoring."
        )
    own = {name: options[name] for name in options if name in bound.function.options}
    asked = judged(bound, predictions, **own)
    settings = {**asked.options, **asked.beside, "labels": asked.labels, **options}
    settings = {k: v for k, v in settings.items() if k in (*bound.function.options, *options)}
    given = {"groups": predictions.clusters, "sample_weight": asked.sample_weight}
    for name, value in given.items():
        if value is not None:
            settings.setdefault(name, value)
    found = metrics.interval(bound.function, asked.y_true, asked.y_pred_or_score, **settings)
    mixed = asked.metric.kind.scale is not None
    note = "; ".join(filter(None, [found.note, _MIXED if mixed else ""]))
    return replace(found, target="the fitted models, joined", note=note)


def _told(value: float, error: Exception | None) -> Pooled:
    if error is not None:
        return Pooled(np.nan, f"{type(error).__name__}: {error}")
    return Pooled(value, "undefined on the pooled predictions" if np.isnan(value) else None)
