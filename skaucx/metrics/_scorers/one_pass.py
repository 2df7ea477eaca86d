"""Many metrics of one fitted classifier from one prediction, one table and one ranking."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.utils.metadata_routing import MetadataRequest

from ..._arrays import Array, by_name
from ..._compat import cached_property, warn
from .._kinds.base import State
from .bound import (
    BoundMetric,
    bound_metric,
    known_labels,
    label_columns,
    of_all_classes,
    one_target_classes,
    takes_weights,
)


@dataclass(frozen=True, eq=False)
class ScoringResult:
    """The results of a scorer on one set of rows.

    Attributes
    ----------
    scores : dict of str to float
        The value of every metric, nan where it is undefined or raised.
    errors : dict of str to Exception
        The errors of metrics without a value.
    predict : Predictor
        The outputs and the errors of the response methods that were called; these errors are also in
        `errors`.
    """

    scores: Mapping[str, float]
    errors: Mapping[str, Exception]
    predict: Predictor


class OnePassScorer:
    """Evaluate a fitted classifier by many metrics at once; made by :func:`one_pass_scorer`.

    Parameters
    ----------
    scorers : dict of str to scorer
        Scorers of this package share predictions, tables and rankings; others are called one by one.

    Attributes
    ----------
    names : tuple of str
        The keys of the dict that it returns.
    """

    def __init__(self, scorers: Mapping[str, Any]) -> None:
        self.scorers = dict(scorers)
        self._requests_weight: bool | str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The keys of the dict that it returns."""
        return tuple(self.scorers)

    def subset(self, names: Iterable[str]) -> OnePassScorer:
        """Return a scorer for some of the names."""
        fewer = OnePassScorer({name: self.scorers[name] for name in names})
        return fewer.set_score_request(sample_weight=self._requests_weight)

    def each(self) -> dict[str, Any]:
        """Return the scorers by name; if this one declines sample weights, so does each."""
        if self._requests_weight is not False:
            return dict(self.scorers)
        with config_context(enable_metadata_routing=True):
            return {name: _refusing_weights(scorer) for name, scorer in self.scorers.items()}

    def set_score_request(self, *, sample_weight: bool | str | None = None) -> OnePassScorer:
        """Ask scikit-learn's metadata routing for `sample_weight`, or for the name given."""
        self._requests_weight = sample_weight
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Return the metadata requests of the scorer."""
        request = MetadataRequest(owner=self)
        request.score.add_request(param="sample_weight", alias=self._requests_weight)
        for name in self.metadata:
            request.score.add_request(param=name, alias=True)
        return request

    @property
    def metadata(self) -> frozenset[str]:
        """The names of the metadata that the scorers request, except weights."""
        return frozenset(name for of in self.requests.values() for name in of.values())

    def __call__(
        self, estimator: Any, X: Any, y: Any, sample_weight: Any = None, **metadata: Any
    ) -> dict[str, float]:
        """Return the value of every metric, nan where it is undefined.

        A metric that raises is nan too, with a warning; where all of them raise, the first
        exception is let through.
        """
        evaluated = self.evaluate(estimator, X, y, sample_weight=sample_weight, metadata=metadata)
        if evaluated.errors and len(evaluated.errors) == len(self.scorers):
            raise next(iter(evaluated.errors.values()))
        for name, error in evaluated.errors.items():
            warn(f"Scoring failed: {name!r} is nan here. {type(error).__name__}: {error}")
        return dict(evaluated.scores)

    def __repr__(self) -> str:
        return f"OnePassScorer({', '.join(self.names)})"

    def evaluate(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        responses: Mapping[str, Array] | None = None,
        y_train: Any = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> ScoringResult:
        """Find the value of every metric; one that raises leaves the others untouched.

        `responses` avoids repeated predictions; `y_train` is for metrics that use the training part;
        `metadata` maps names to the requested metadata.
        """
        fold = _Fold(Predictor(estimator, X, responses), y, sample_weight, y_train)
        scores: dict[str, float] = dict.fromkeys(self.scorers, math.nan)
        errors: dict[str, Exception] = {}
        rows = metadata or {}
        for name, scorer in self.scorers.items():
            named = self.requests[name] if rows else {}
            requested = {argument: rows[n] for argument, n in named.items() if n in rows}
            try:
                if name in self.metrics:
                    scores[name] = fold.value(self.metrics[name], name, requested)
                else:
                    scores[name] = _called(scorer, estimator, X, y, sample_weight, requested)
            except Exception as error:
                errors[name] = error
        return ScoringResult(scores, errors, fold.predict)

    def score(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        responses: Mapping[str, Array] | None = None,
    ) -> dict[str, float]:
        """Return the value of every metric; the first exception of a metric is let through."""
        evaluated = self.evaluate(estimator, X, y, sample_weight=sample_weight, responses=responses)
        for error in evaluated.errors.values():
            raise error
        return dict(evaluated.scores)

    @cached_property
    def reads_training(self) -> bool:
        """Whether a metric reads the targets of the training part."""
        return any(bound.reads_training for bound in self.metrics.values())

    @cached_property
    def requests(self) -> dict[str, dict[str, str]]:
        """What each scorer requests besides weights: argument to name."""
        return {name: _requests(scorer) for name, scorer in self.scorers.items()}

    @cached_property
    def metrics(self) -> dict[str, BoundMetric]:
        """The metrics of this package, which share predictions, tables and rankings."""
        found = {name: bound_metric(scorer) for name, scorer in self.scorers.items()}
        return {name: bound for name, bound in found.items() if bound is not None}


def _called(
    scorer: Any, estimator: Any, X: Any, y: Any, sample_weight: Any, requested: Mapping[str, Any]
) -> float:
    """Return what another scorer finds, with the weights if it takes them."""
    weighted = sample_weight is not None and takes_weights(scorer)
    given = {"sample_weight": sample_weight} if weighted else {}
    if not requested:
        return float(scorer(estimator, X, y, **given))
    with config_context(enable_metadata_routing=True):  # scorers refuse their own arrays without it
        return float(scorer(estimator, X, y, **given, **requested))


def _requests(scorer: Any) -> dict[str, str]:
    """Return the metadata requests of a scorer except weights: argument to name."""
    if not hasattr(scorer, "get_metadata_routing"):
        return {}
    requested = getattr(scorer.get_metadata_routing(), "score", None)
    found = {} if requested is None else requested.requests
    named = {argument: argument if name is True else name for argument, name in found.items()}
    return {a: n for a, n in named.items() if isinstance(n, str) and a != "sample_weight"}


def first_method(estimator: Any, wanted: str | tuple[str, ...], reader: str) -> str:
    """Return the first of the wanted response methods that an estimator has."""
    wanted = (wanted,) if isinstance(wanted, str) else wanted
    for method in wanted:
        if hasattr(estimator, method):
            return method
    raise AttributeError(
        f"{type(estimator).__name__} has none of the following attributes: {', '.join(wanted)}. "
        f"{reader[:1].upper()}{reader[1:]} reads one; choose a metric of what it predicts, or "
        "calibrate a classifier by CalibratedClassifierCV."
    )


def _refusing_weights(scorer: Any) -> Any:
    asks = hasattr(scorer, "set_score_request")
    return copy(scorer).set_score_request(sample_weight=False) if asks else scorer


class Predictor:
    """Calls each response method of an estimator once, also where it raises."""

    def __init__(self, estimator: Any, X: Any, found: Mapping[str, Array] | None) -> None:
        self.estimator, self.X = estimator, X
        self.found: dict[str, Array] = dict(found or {})
        self.raised: dict[str, Exception] = {}

    def first(self, bound: BoundMetric, name: str) -> str:
        """Return the first of the methods that a metric wants and the estimator has."""
        return first_method(self.estimator, bound.response_method, f"the metric {name!r}")

    def __call__(self, method: str) -> Array:
        """Return the output of a response method."""
        if method in self.raised:
            raise self.raised[method]
        if method not in self.found:
            try:
                response = getattr(self.estimator, method)(self.X)
                classes = getattr(self.estimator, "classes_", None)
                self.found[method] = _array(response, classes, method)
            except Exception as error:
                self.raised[method] = error
                raise
        return self.found[method]


class _Fold:
    """One scored fold, with the states that metrics share."""

    def __init__(self, predict: Predictor, y: Any, sample_weight: Any, y_train: Any) -> None:
        self.predict, self.y, self.weight, self.y_train = predict, y, sample_weight, y_train
        self._own = one_target_classes(predict.estimator, y)
        self._states: dict[tuple[Any, ...], State] = {}

    @cached_property
    def classes(self) -> Array | None:
        """The classes of the model, and those that it never saw."""
        return known_labels(self._own, self.y)

    @cached_property
    def _positive(self) -> Any:
        """The positive class of two where none is bound."""
        two = self.classes is not None and len(self.classes) == 2
        return self.classes.tolist()[1] if two else None  # type: ignore[union-attr]

    def value(self, bound: BoundMetric, name: str, requested: Mapping[str, Any]) -> float:
        """Return one metric, signed so that greater is better; `requested` are its further arrays."""
        reading = bound.reading(self._positive, self.y_train)
        value = float(reading.value(self._state(bound, name, requested)))
        return -value if bound.function.metric.greater_is_better is False else value

    def _state(self, bound: BoundMetric, name: str, requested: Mapping[str, Any]) -> State:
        """Return the state of a metric, shared by all metrics with the same input."""
        method = self.predict.first(bound, name)
        response = self.predict(method)
        if self.classes is not None:
            bound.check_classes(self.classes, self.y)
        positive = bound.parameters.get("pos_label")
        positive = self._positive if positive is None else positive
        inputs = bound.row(positive).kind.inputs
        further = {n: requested.get(n, bound.parameters.get(n)) for n in inputs.extra_arrays}
        key = (inputs, method, bound.labels, positive, bound.weighted, *map(id, further.values()))
        if key not in self._states:
            labels = bound.parameters.get("labels")
            labels = self.classes if labels is None and inputs.of_classes else labels
            columns = of_all_classes(response, method, self._own, labels)
            self._states[key] = inputs.make_state(
                inputs.record(
                    self.y,
                    inputs.of_response(columns, self.classes, positive),
                    names=("y_true", inputs.argument),
                    labels=labels,
                    sample_weight=self.weight if bound.weighted else None,
                    **further,
                )
            )
        return self._states[key]


def _array(response: Any, classes: Any, method: str) -> Array:
    """Return a response as an array; multilabel probabilities may come as a list, a label each."""
    if isinstance(response, list):
        return label_columns(response, classes)
    named = response if classes is None else by_name(response, classes, method)
    return np.asanyarray(named)  # a masked array keeps the mask of rejections
