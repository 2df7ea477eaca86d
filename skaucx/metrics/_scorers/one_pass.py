"""Many metrics of one fitted classifier from one prediction, one table and one ranking."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from sklearn import config_context
from sklearn.utils.metadata_routing import MetadataRequest

from ..._arrays import Array, by_name, naming_missing_features
from ..._compat import cached_property, warn
from .._kinds.base import State
from .._records.inputs import names_positive
from .._registry.row import quiet
from .bound import (
    BoundMetric,
    bound_metric,
    known_labels,
    label_columns,
    of_all_classes,
    one_target_classes,
    takes_weights,
)

# A metric, and its further arrays by name.
_Read: TypeAlias = tuple[BoundMetric, Mapping[str, Any]]


@dataclass(frozen=True, eq=False)
class ScoringResult:
    """The results of a scorer on one set of rows.

    Attributes
    ----------
    scores : dict of str to float
        The value of every metric, nan where it is undefined or raised.
    errors : dict of str to Exception
        The errors of metrics without a value.
    responses : dict of str to ndarray
        The output of every method that was called, by its name.
    unpredicted : dict of str to Exception
        The errors of response methods without output; also in ``errors``.
    """

    scores: Mapping[str, float]
    errors: Mapping[str, Exception]
    responses: Mapping[str, Array]
    unpredicted: Mapping[str, Exception]


@dataclass(frozen=True, eq=False)
class CountedPredictions:
    """What a model predicted for some rows, with what scorers of other packages found.

    `shared` are the metrics that read one state each, with their further arrays by name. The rows are
    counted when their states are first read: models of the same rows one after the other.
    """

    fold: _Fold
    shared: Sequence[Mapping[str, _Read]]
    scores: dict[str, float]
    errors: dict[str, Exception]

    @cached_property
    def states(self) -> dict[str, State]:
        """The state that each metric reads; a metric without one has its error."""
        found: dict[str, State] = {}
        for metrics in self.shared:
            for name, (bound, requested) in metrics.items():
                try:
                    state = self.fold.state(bound, name, requested)
                except Exception as error:
                    self.errors[name] = error
                    continue
                found |= dict.fromkeys(metrics, state)
                break
        return found

    def find(self, bound: BoundMetric, name: str) -> None:
        """Find the value of one metric, or its error."""
        if name in self.states:
            try:
                self.scores[name] = float(self.fold.value(bound, self.states[name]))
            except Exception as error:
                self.errors[name] = error


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
        self._shared: dict[Any, list[list[str]]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The keys of the dict that it returns."""
        return tuple(self.scorers)

    def subset(self, names: Iterable[str]) -> OnePassScorer:
        """Return a scorer for some of the names."""
        fewer = OnePassScorer({name: self.scorers[name] for name in names})
        fewer._requests_weight = self._requests_weight
        for found in ("metrics", "requests"):
            if found in vars(self):
                known = getattr(self, found)
                setattr(fewer, found, {n: known[n] for n in fewer.scorers if n in known})
        return fewer

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

    def responses(self, estimator: Any, X: Any) -> dict[str, Array]:
        """Predict once with every method that some metric needs: a dict from method to output."""
        predict = _Predictor(estimator, X, None)
        for name, bound in self.metrics.items():
            predict(predict.first(bound, name))
        return predict.found

    def evaluate(self, estimator: Any, X: Any, y: Any, **given: Any) -> ScoringResult:
        """Find the value of every metric; one that raises leaves the others untouched.

        Takes the arguments of :meth:`count`.
        """
        return self.results([self.count(estimator, X, y, **given)])[0]

    def count(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        responses: Mapping[str, Array] | None = None,
        y_train: Any = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> CountedPredictions:
        """Predict once, for metrics to count; scorers of other packages are called.

        `responses` avoids repeated predictions; `y_train` is for metrics that use the training part;
        `metadata` maps names to the requested metadata.
        """
        predict = _Predictor(estimator, X, responses)
        own = one_target_classes(estimator, y)
        classes = known_labels(own, y) if self.metrics else own
        fold = _Fold(predict, y, own, classes, sample_weight, y_train)
        scores: dict[str, float] = dict.fromkeys(self.scorers, math.nan)
        errors: dict[str, Exception] = {}
        shared: list[dict[str, _Read]] = []
        for names in self._alike(fold.positive, fold.unnamed is None):
            metrics: dict[str, _Read] = {}
            for name in names:
                named, rows = self.requests[name] if metadata else {}, metadata or {}
                requested = {a: rows[n] for a, n in named.items() if n in rows}
                try:
                    if name in self.metrics:
                        predict(predict.first(self.metrics[name], name))
                        metrics[name] = self.metrics[name], requested
                    else:
                        of, weight = self.scorers[name], sample_weight
                        scores[name] = _called(of, estimator, X, y, weight, requested)
                except Exception as error:
                    errors[name] = error
            shared.append(metrics)
        return CountedPredictions(fold, shared, scores, errors)

    def _alike(self, positive: Any, named: bool) -> list[list[str]]:
        """Return the names, those of metrics that share a state together.

        `positive` is the positive class where none is bound; each stands alone where a class has to
        be `named`, as it is checked for it.
        """
        key = type(positive), positive, named
        if key not in self._shared:
            together: dict[Any, list[str]] = {}
            for name in self.scorers:
                bound = self.metrics.get(name)
                shared = named and bound is not None and bound.shared(positive)
                together.setdefault(shared or name, []).append(name)
            self._shared[key] = list(together.values())
        return self._shared[key]

    def results(self, counted: Sequence[CountedPredictions]) -> list[ScoringResult]:
        """Find the values of models, each of the rows and with the weights of :meth:`count`.

        Formulas that are vectorised over tables are evaluated once for all models.
        """
        stacks: dict[tuple[int, ...], list[_Stack]] = {}
        with quiet():
            for name, bound in self.metrics.items():
                states = [one.states.get(name) for one in counted]
                key = tuple(map(id, states))
                if key not in stacks:
                    stacks[key] = _stacks(counted, states)
                for stack in stacks[key]:
                    if not stack.find(bound, name):
                        for one in stack.counted:
                            one.find(bound, name)
        return [
            ScoringResult(
                one.scores,
                {name: one.errors[name] for name in self.scorers if name in one.errors}
                if one.errors
                else {},
                one.fold.predict.found,
                one.fold.predict.raised,
            )
            for one in counted
        ]

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


@dataclass(frozen=True, eq=False)
class _Stack:
    """Models whose states have a common form, and that form; None of a single one."""

    counted: Sequence[CountedPredictions]
    state: State | None

    def find(self, bound: BoundMetric, name: str) -> bool:
        """Find the value of a metric for all models along a leading axis; whether there was a way."""
        if self.state is None or bound.reads_training:
            return False
        try:
            values = self.counted[0].fold.value(bound, self.state)
        except Exception:  # of one model, which finds it by itself
            return False
        if np.shape(values) != (len(self.counted),):
            return False
        for one, value in zip(self.counted, values.tolist(), strict=True):
            one.scores[name] = value
        return True


def _stacks(counted: Sequence[CountedPredictions], states: Sequence[State | None]) -> list[_Stack]:
    """Put the models of one form and positive class together, of each number of rows."""
    alike: dict[Any, list[int]] = {}
    for place, (one, state) in enumerate(zip(counted, states, strict=True)):
        key = None if len(counted) == 1 or state is None else state.stack_key
        alike.setdefault((place,) if key is None else (one.fold.positive, key), []).append(place)
    found = []
    for places in alike.values():
        some, first = [states[place] for place in places], states[places[0]]
        stack = None if len(places) == 1 or first is None else first.stacked(some)
        found.append(_Stack([counted[place] for place in places], stack))
    return found


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


class _Predictor:
    """Calls each response method of an estimator once, also where it raises."""

    def __init__(self, estimator: Any, X: Any, found: Mapping[str, Array] | None) -> None:
        self.estimator, self.X = estimator, X
        self.found: dict[str, Array] = dict(found or {})
        self.raised: dict[str, Exception] = {}
        self._first: dict[str | tuple[str, ...], str] = {}

    def first(self, bound: BoundMetric, name: str) -> str:
        """Return the first of the methods that a metric wants and the estimator has."""
        wanted = bound.response_method
        if wanted not in self._first:
            self._first[wanted] = first_method(self.estimator, wanted, f"the metric {name!r}")
        return self._first[wanted]

    def __call__(self, method: str) -> Array:
        """Return the output of a response method."""
        if method in self.raised:
            raise self.raised[method]
        if method not in self.found:
            try:
                with naming_missing_features(self.estimator, self.X):
                    response = getattr(self.estimator, method)(self.X)
                # The columns of a frame without classes name the times of its probabilities.
                classes = getattr(self.estimator, "classes_", None)
                framed = hasattr(response, "columns") and classes is None
                self.found[method] = response if framed else _array(response, classes, method)
            except Exception as error:
                self.raised[method] = error
                raise
        return self.found[method]


class _Fold:
    """One scored fold, with the states that metrics share."""

    def __init__(
        self,
        predict: _Predictor,
        y: Any,
        own: Array | None,
        classes: Array | None,
        sample_weight: Any,
        y_train: Any = None,
    ) -> None:
        self.predict, self.y, self.weight, self.y_train = predict, y, sample_weight, y_train
        self.own, self.classes = own, classes
        of_two = classes if classes is not None and len(classes) == 2 else None
        self.positive = None if of_two is None else of_two.tolist()[1]
        # Two classes without a default positive one.
        self.unnamed = None if of_two is None or names_positive(of_two) else of_two
        self._states: dict[tuple[Any, ...], State] = {}

    def value(self, bound: BoundMetric, state: State) -> Any:
        """Return one metric, signed so that greater is better."""
        value = bound.reading(self.positive, self.y_train).value_quietly(state)
        return -value if bound.function.metric.greater_is_better is False else value

    def state(self, bound: BoundMetric, name: str, requested: Mapping[str, Any]) -> State:
        """Return the state of a metric, shared by all metrics with the same input.

        `requested` are its further arrays.
        """
        method = self.predict.first(bound, name)
        if self.unnamed is not None:
            bound.check_classes(self.unnamed, self.y)
        positive = bound.parameters.get("pos_label")
        positive = self.positive if positive is None else positive
        evaluated = bound.row(positive).kind.inputs
        beside = {}
        if evaluated.extra_arrays:
            beside = {n: requested.get(n, bound.parameters.get(n)) for n in evaluated.extra_arrays}
        key = (evaluated, method, bound.labels, positive, bound.weighted, *map(id, beside.values()))
        found = self._states.get(key)
        if found is None:
            labels = bound.parameters.get("labels")
            labels = self.classes if labels is None and evaluated.of_classes else labels
            response = of_all_classes(self.predict(method), method, self.own, labels)
            found = self._states[key] = evaluated.state(
                self.y,
                evaluated.of_response(response, self.classes, positive),
                names=("y_true", evaluated.argument),
                labels=labels,
                sample_weight=self.weight if bound.weighted else None,
                **beside,
            )
        return found


def _array(response: Any, classes: Any, method: str) -> Array:
    """Return a response as an array; multilabel probabilities may come as a list, a label each."""
    if isinstance(response, list):
        return label_columns(response, classes)
    # A masked array keeps the mask of rejections.
    return np.asanyarray(by_name(response, classes, method))
