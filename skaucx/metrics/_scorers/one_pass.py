"""Many metrics of one fitted classifier from one prediction, one table and one ranking."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils.metadata_routing import MetadataRequest

from ..._arrays import Array
from ..._compat import score_function
from .._registry.averaging import STRICT
from .._registry.declare import plain
from .._registry.kind import Prediction
from .._states.problems import State
from .bound import BoundMetric


class OnePassScorer:
    """Judge a fitted classifier by many metrics at once; made by :func:`one_pass_scorer`.

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
        fewer._requests_weight = self._requests_weight
        return fewer

    def set_score_request(self, *, sample_weight: bool | str | None = None) -> OnePassScorer:
        """Ask scikit-learn's metadata routing for `sample_weight`, or for the name given."""
        self._requests_weight = sample_weight
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Return what the scorer asks of metadata routing."""
        request = MetadataRequest(owner=self)
        request.score.add_request(param="sample_weight", alias=self._requests_weight)
        return request

    def __call__(
        self, estimator: Any, X: Any, y: Any, sample_weight: Any = None
    ) -> dict[str, float]:
        """Return the value of every metric, nan where it is undefined."""
        return self.score(estimator, X, y, sample_weight=sample_weight)

    def __repr__(self) -> str:
        return f"OnePassScorer({', '.join(self.names)})"

    def responses(self, estimator: Any, X: Any) -> dict[str, Array]:
        """Predict once with every method that some metric needs: a dict from method to output."""
        methods = sorted(set(self._methods(estimator).values()))
        return {method: _array(getattr(estimator, method)(X)) for method in methods}

    def score(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        responses: Mapping[str, Array] | None = None,
    ) -> dict[str, float]:
        """Return the value of every metric; `responses` spares predicting again."""
        given = self.responses(estimator, X) if responses is None else responses
        fold = _Fold(given, y, getattr(estimator, "classes_", None), sample_weight)
        methods, weights = self._methods(estimator), {}
        if sample_weight is not None:
            weights["sample_weight"] = sample_weight
        return {
            name: fold.value(self._metrics[name], methods[name])
            if name in methods
            else float(scorer(estimator, X, y, **weights))
            for name, scorer in self.scorers.items()
        }

    @cached_property
    def _metrics(self) -> dict[str, BoundMetric]:
        """The metrics of this package, which share predictions, tables and rankings."""
        functions = {name: score_function(scorer) for name, scorer in self.scorers.items()}
        return {name: f for name, f in functions.items() if isinstance(f, BoundMetric)}

    def _methods(self, estimator: Any) -> dict[str, str]:
        """Return for each metric the first of its response methods that the estimator has."""
        found: dict[str | tuple[str, ...], str] = {}
        methods = {}
        for name, bound in self._metrics.items():
            wanted = bound.response_method
            if wanted not in found:
                found[wanted] = first_method(estimator, wanted, f"the metric {name!r}")
            methods[name] = found[wanted]
        return methods


def first_method(estimator: Any, wanted: str | tuple[str, ...], reader: str) -> str:
    """Return the first of the wanted response methods that an estimator has."""
    wanted = (wanted,) if isinstance(wanted, str) else wanted
    for method in wanted:
        if hasattr(estimator, method):
            return method
    raise AttributeError(
        f"{type(estimator).__name__} has no {' or '.join(wanted)}, which {reader} reads."
    )


class _Fold:
    """One scored fold, with the states that metrics share."""

    def __init__(
        self, responses: Mapping[str, Array], y: Any, classes: Any, sample_weight: Any
    ) -> None:
        self.responses, self.y, self.weight = responses, y, sample_weight
        multilabel = getattr(y, "ndim", 1) == 2 and y.shape[1] > 1
        self.classes = None if classes is None or multilabel else np.asarray(classes)
        binary = self.classes is not None and len(self.classes) == 2
        self.positive = self.classes[1] if self.classes is not None and binary else None
        self._states: dict[tuple[Any, ...], State] = {}

    def value(self, bound: BoundMetric, method: str) -> float:
        """Return one metric, signed so that greater is better."""
        row = bound.function.metric
        options: dict[str, Any] = {"zero_division": STRICT, **bound.parameters}
        labels, positive = options.pop("labels", None), options.get("pos_label")
        positive = self.positive if positive is None else positive
        if "pos_label" in bound.function.options and options.get("average", "binary") == "binary":
            options["pos_label"] = positive
        judged = row.kind.judged
        key = (judged, method, None if labels is None else tuple(labels), positive)
        if key not in self._states:
            self._states[key] = self._state(judged, method, labels, positive)
        value = row.value(self._states[key], **options)
        return float(plain(value)) * (-1 if row.greater_is_better is False else 1)

    def _state(self, judged: Prediction, method: str, labels: Any, positive: Any) -> State:
        response = judged.of_response(self.responses[method], self.classes, positive)
        return judged.state(
            self.y,
            response,
            names=("y_true", judged.argument),
            labels=self.classes if labels is None else labels,
            sample_weight=self.weight,
        )


def _array(response: Any) -> Array:
    """Return a response as an array; multilabel probabilities may come as a list, a label each."""
    if isinstance(response, list):
        return np.column_stack([np.asarray(label)[:, -1] for label in response])
    return np.asarray(response)
