"""Many metrics of one fitted classifier from one prediction, one table and one ranking."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from sklearn.utils.metadata_routing import MetadataRequest

from .._compat import score_function
from ._arrays import Array
from ._averaging import STRICT
from ._bound import BoundMetric
from ._declare import plain
from ._inputs import check_label_pair, check_scored_labels
from ._states import LabelState, ScoreState, label_state, score_state


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
        methods = {self._method(estimator, name) for name in self.names if self._bound(name)}
        return {method: np.asarray(getattr(estimator, method)(X)) for method in sorted(methods)}

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
        values = {}
        for name, scorer in self.scorers.items():
            bound = self._bound(name)
            if bound is None:
                weights = {} if sample_weight is None else {"sample_weight": sample_weight}
                values[name] = float(scorer(estimator, X, y, **weights))
            else:
                values[name] = fold.value(bound, self._method(estimator, name))
        return values

    def _bound(self, name: str) -> BoundMetric | None:
        function = score_function(self.scorers[name])
        return function if isinstance(function, BoundMetric) else None

    def _method(self, estimator: Any, name: str) -> str:
        """Return the first of the metric's response methods that the estimator has."""
        wanted = self._bound(name).function.metric.response_method  # type: ignore[union-attr]
        wanted = (wanted,) if isinstance(wanted, str) else wanted
        for method in wanted:
            if hasattr(estimator, method):
                return method
        raise AttributeError(
            f"{type(estimator).__name__} has no {' or '.join(wanted)}, which the metric {name!r} "
            "reads."
        )


class _Fold:
    """One scored fold, with the states that metrics share."""

    def __init__(
        self, responses: Mapping[str, Array], y: Any, classes: Any, sample_weight: Any
    ) -> None:
        self.responses, self.y, self.weight = responses, y, sample_weight
        self.classes = None if classes is None else np.asarray(classes)
        self._states: dict[tuple[Any, ...], Any] = {}

    def value(self, bound: BoundMetric, method: str) -> float:
        """Return one metric, signed so that greater is better."""
        row, options = bound.function.metric, dict(bound.parameters)
        labels, pos_label = options.pop("labels", None), options.pop("pos_label", None)
        if pos_label is None and self.classes is not None and len(self.classes) == 2:
            pos_label = self.classes[1]
        if row.reads != "table":
            options["pos_label"] = pos_label
        key = (row.reads_labels, method, None if labels is None else tuple(labels), pos_label)
        if key not in self._states:
            self._states[key] = self._state(row.reads_labels, method, labels, pos_label)
        value = self._states[key].value(row, zero_division=STRICT, **options)
        return float(plain(value)) * (-1 if row.greater_is_better is False else 1)

    def _state(
        self, reads_labels: bool, method: str, labels: Any, pos_label: Any
    ) -> LabelState | ScoreState:
        labels = self.classes if labels is None else labels
        response = self.responses[method]
        if reads_labels:
            pair = check_label_pair(self.y, response, labels=labels, sample_weight=self.weight)
            return label_state(pair)
        score = self._positive_scores(response, pos_label)
        return score_state(
            check_scored_labels(self.y, score, labels=labels, sample_weight=self.weight)
        )

    def _positive_scores(self, response: Array, pos_label: Any) -> Array:
        """Return the scores of the positive class of a binary problem, or the matrix of many."""
        if self.classes is None or len(self.classes) > 2:
            return response
        if pos_label not in self.classes.tolist():
            raise ValueError(
                f"pos_label={pos_label!r} is not a class of the estimator, whose classes are "
                f"{self.classes.tolist()}."
            )
        if response.ndim == 2:
            return response[:, self.classes.tolist().index(pos_label)]
        return response if pos_label == self.classes[-1] else -response
