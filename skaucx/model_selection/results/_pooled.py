"""Metrics of all out-of-fold predictions at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import Tags

from ... import metrics
from .._scoring import bound_metric, depends_on_positive, takes_positive
from .._types import Scorer
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

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a value that is undefined says so by its reason
        judged = scorer.judge(
            model,
            None,
            predictions.y_true,
            sample_weight=predictions.sample_weight,
            responses=model.responses,
        )
    return {name: _told(value, judged.errors.get(name)) for name, value in judged.scores.items()}


def pooled_interval(
    predictions: OutOfFoldPredictions, scorer: Any, positive: Any, options: Mapping[str, Any]
) -> metrics.Interval:
    """Return the interval of a metric on the joined predictions.

    Parameters
    ----------
    predictions : OutOfFoldPredictions
    scorer : scorer
        Of a metric of this package.
    positive : label or None
        The positive class of the run, for a metric that names none itself.
    options : dict
        As :func:`skaucx.metrics.interval` takes them.
    """
    bound = bound_metric(scorer)
    if bound is None:
        raise TypeError(
            f"{scorer!r} is no metric of this package, so that its value is all that is known."
        )
    settings = {**bound.parameters, **options}
    given = {"groups": predictions.clusters, "sample_weight": predictions.sample_weight}
    for name, value in given.items():
        if value is not None:
            settings.setdefault(name, value)
    if takes_positive(scorer) and settings.get("pos_label") is None:
        settings["pos_label"] = _positive(predictions, scorer, positive)
    if bound.function.metric.reads_labels:
        judged = predictions.y_pred
    else:
        judged = predictions.scores(bound.response_method, settings.get("pos_label"))
    return metrics.interval(bound.function, predictions.y_true, judged, **settings)


def _positive(predictions: OutOfFoldPredictions, scorer: Any, positive: Any) -> Any:
    """Return the positive class, either of two for a metric that has the same value for both."""
    classes = predictions.classes
    if positive is not None or classes is None or len(classes) != 2:
        return positive
    if depends_on_positive(scorer):
        raise ValueError(
            f"The classes {classes.tolist()} do not tell which is the positive one; pass pos_label."
        )
    return classes[1]


def _told(value: float, error: Exception | None) -> Pooled:
    if error is not None:
        return Pooled(np.nan, f"{type(error).__name__}: {error}")
    return Pooled(value, "undefined on the pooled predictions" if np.isnan(value) else None)
