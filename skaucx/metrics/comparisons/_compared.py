"""Two classifiers' predictions and a metric of any kind, prepared for resampling."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from scipy import stats
from sklearn.utils.multiclass import type_of_target

from ..._arrays import (
    Array,
    Bools,
    Codes,
    Floats,
    check_same_length,
    group_codes,
    weight_vector,
)
from .._records.inputs import LabelPair, check_label_pair
from .._registry.declare import MetricFunction
from .._registry.names import NamedMetric, metric_or_function
from .._registry.row import Metric
from .._resampling.draws import Resampling, pieces, resampled_pieces
from .._resampling.sample import sample_of
from ..kinds.labels import LabelSample

# Greatest numbers of examples, and of outcomes of counts, whose exchanges are enumerated.
_MOST_UNLIKE, _MOST_COUNTS = 14, 1 << 20


class Replicates(Protocol):
    """The metric of two classifiers on replicates of their examples."""

    def drawn(self, rng: np.random.Generator, size: int, stratify: bool) -> Floats:
        """Return the metric of both on examples drawn with replacement, shape (2, size)."""

    def exchanged(self, rng: np.random.Generator, size: int) -> Floats:
        """Return the metric of both after random exchanges, shape (2, size)."""

    def every_exchange(self) -> tuple[Floats, Floats] | None:
        """Return the metric of both after all exchanges, and their probabilities; None if too many."""


class LabelReplicates:
    """Predicted labels without weights, as counts of the cells (true, first, second).

    Resampled examples fall into the cells by a multinomial distribution, and of the examples
    predicted as i by one classifier and as j by the other a binomial number is exchanged.

    Parameters
    ----------
    metric : Metric
        A metric of labels.
    options : dict
        Its parameters.
    first, second : LabelPair
        True labels with those of each classifier, numbered by the same classes.
    """

    def __init__(
        self, metric: Metric, options: Mapping[str, Any], first: LabelPair, second: LabelPair
    ) -> None:
        self.metric, self.options = metric, options
        self.k = k = len(first.classes)
        codes = (first.true * k + first.pred) * k + second.pred
        swapped = (first.true * k + second.pred) * k + first.pred
        # Cells that occur, or could after an exchange.
        self.cells = np.unique(np.concatenate([codes, swapped]))
        self.counts = np.bincount(np.searchsorted(self.cells, codes), minlength=len(self.cells))
        self.true, self.a, self.b = np.unravel_index(self.cells, (k, k, k))
        self.samples = [
            LabelSample(LabelPair(first.classes, self.true, predicted, None, first.named))
            for predicted in (self.a, self.b)
        ]

    def drawn(self, rng: np.random.Generator, size: int, stratify: bool) -> Floats:
        strata = self.true if stratify else None
        plan = Resampling(len(self.cells), strata=strata, multiplicity=self.counts)
        return np.concatenate([self._values(c) for c in plan.resamples(size, rng)], axis=1)

    def exchanged(self, rng: np.random.Generator, size: int) -> Floats:
        here, there, sizes = self._exchanges()
        found = []
        for rows in resampled_pieces(size, len(self.cells)):
            kept = rng.binomial(sizes, 0.5, (len(rows), len(sizes)))
            found.append(self._values(self._moved(here, there, sizes, kept)))
        return np.concatenate(found, axis=1)

    def every_exchange(self) -> tuple[Floats, Floats] | None:
        here, there, sizes = self._exchanges()
        if np.log(sizes + 1.0).sum() > np.log(_MOST_COUNTS):
            return None
        shape = tuple((sizes + 1).tolist())
        laws = [stats.binom.pmf(np.arange(size + 1), size, 0.5) for size in sizes]
        found, probability = [], []
        for rows in pieces(range(int(np.prod(shape))), len(self.cells)):
            at = np.unravel_index(np.asarray(rows), shape) if shape else ()
            kept = np.array(at, dtype=np.intp).reshape(len(sizes), len(rows)).T
            found.append(self._values(self._moved(here, there, sizes, kept)))
            chances = [chance[column] for chance, column in zip(laws, kept.T, strict=True)]
            probability.append(np.prod(chances, axis=0) * np.ones(len(rows)))
        return np.concatenate(found, axis=1), np.concatenate(probability)

    def _exchanges(self) -> tuple[Codes, Codes, Codes]:
        """Return the cells (t, i, j) and (t, j, i) with i < j, and the examples in both."""
        here = np.flatnonzero(self.a < self.b)
        swapped = (self.true[here] * self.k + self.b[here]) * self.k + self.a[here]
        there = np.searchsorted(self.cells, swapped)
        return here, there, self.counts[here] + self.counts[there]

    def _moved(self, here: Codes, there: Codes, sizes: Codes, kept: Codes) -> Codes:
        counts = np.tile(self.counts, (len(kept), 1))
        counts[:, here], counts[:, there] = kept, sizes - kept
        return counts

    def _values(self, counts: Array) -> Floats:
        """Return the metric of both classifiers for counts of the cells, shape (2, rows)."""
        found = [
            [
                self.metric.value(sample.under(1.0 * rows), **self.options)
                for rows in pieces(counts, self.k**2)
            ]
            for sample in self.samples
        ]
        return np.stack([np.concatenate(values) for values in found])


class ExampleReplicates(ABC):
    """Predictions of any kind, resampled and exchanged by example.

    Parameters
    ----------
    first, second : ndarray of shape (n, ...)
        The predictions of the two classifiers.
    strata : ndarray of shape (n,), int, or None
        Class of each example.
    groups : ndarray of shape (n,), int, or None
        Examples with the same code are drawn together.
    """

    def __init__(
        self, first: Array, second: Array, strata: Codes | None, groups: Codes | None
    ) -> None:
        self.first, self.second, self.strata, self.groups = first, second, strata, groups
        unlike = _unlike(first, second).reshape(len(first), -1).any(axis=1)
        self.unlike = np.flatnonzero(unlike)

    @abstractmethod
    def of_counts(self, counts: Floats) -> Floats:
        """Return the metric of both where example i counts ``counts[r, i]`` times, (2, rows)."""

    @abstractmethod
    def of_exchanges(self, exchange: Bools) -> Floats:
        """Return the metric of both with marked predictions exchanged, (2, rows)."""

    def drawn(self, rng: np.random.Generator, size: int, stratify: bool) -> Floats:
        strata = self.strata if stratify else None
        plan = Resampling(len(self.first), strata=strata, groups=self.groups)
        return np.concatenate([self.of_counts(c) for c in plan.resamples(size, rng)], axis=1)

    def exchanged(self, rng: np.random.Generator, size: int) -> Floats:
        found = []
        for rows in resampled_pieces(size, len(self.first)):
            exchange = np.zeros((len(rows), len(self.first)), dtype=bool)
            exchange[:, self.unlike] = rng.random((len(rows), len(self.unlike))) < 0.5
            found.append(self.of_exchanges(exchange))
        return np.concatenate(found, axis=1)

    def every_exchange(self) -> tuple[Floats, Floats] | None:
        if len(self.unlike) > _MOST_UNLIKE:
            return None
        outcomes = 1 << len(self.unlike)
        found = []
        for rows in pieces(range(outcomes), len(self.first)):
            exchange = np.zeros((len(rows), len(self.first)), dtype=bool)
            exchange[:, self.unlike] = np.asarray(rows)[:, None] >> np.arange(len(self.unlike)) & 1
            found.append(self.of_exchanges(exchange))
        return np.concatenate(found, axis=1), np.full(outcomes, 1 / outcomes)


class RowReplicates(ExampleReplicates):
    """Predictions evaluated by a plain function, one replicate at a time.

    Parameters
    ----------
    value : callable
        Called as ``value(y_true, y_pred)``.
    y_true : ndarray of shape (n, ...)
    first, second, strata, groups
        As :class:`ExampleReplicates` takes them.
    """

    def __init__(self, value: Callable[[Array, Array], float], y_true: Array, *parts: Any) -> None:
        super().__init__(*parts)
        self.value, self.y_true = value, y_true

    def of_counts(self, counts: Floats) -> Floats:
        drawn = [np.repeat(np.arange(len(self.y_true)), times.astype(np.intp)) for times in counts]
        return np.array(
            [
                [self.value(self.y_true[rows], pred[rows]) for rows in drawn]
                for pred in (self.first, self.second)
            ]
        )

    def of_exchanges(self, exchange: Bools) -> Floats:
        values = np.empty((2, len(exchange)))
        for place, chosen in enumerate(exchange):
            first, second = self.first.copy(), self.second.copy()
            first[chosen], second[chosen] = self.second[chosen], self.first[chosen]
            values[:, place] = [self.value(self.y_true, pred) for pred in (first, second)]
        return values


class WeightedReplicates(ExampleReplicates):
    """Predictions of any kind, evaluated by a metric of this package for all replicates at once.

    Exchanges are weights of 0 or 1 for the concatenated examples of both classifiers, so scores are
    sorted once.

    Parameters
    ----------
    metric : Metric
    options : dict
        Its parameters.
    y_true : ndarray of shape (n,) or (n, n_labels)
    first, second : ndarray of shape (n,) or (n, n_classes)
    shared : dict
        ``labels``, positive ``sample_weight``, and other arguments with rows.
    groups : ndarray of shape (n,), int, or None
        Examples with the same code are drawn together.
    """

    def __init__(
        self,
        metric: Metric,
        options: Mapping[str, Any],
        y_true: Array,
        first: Array,
        second: Array,
        shared: Mapping[str, Any],
        groups: Codes | None,
    ) -> None:
        self.metric, self.options = metric, options
        self.samples = [sample_of(metric, y_true, pred, **shared) for pred in (first, second)]
        super().__init__(first, second, self.samples[0].strata, groups)
        weight = shared["sample_weight"]
        twice = {**shared, "sample_weight": None if weight is None else np.tile(weight, 2)}
        of_rows = (name for name in metric.kind.inputs.of_rows if name in shared)
        twice |= {name: np.concatenate([shared[name]] * 2) for name in of_rows}
        both = _joined(first, second)
        self.joined = sample_of(metric, np.concatenate([y_true, y_true]), both, **twice)

    def of_counts(self, counts: Floats) -> Floats:
        states = [sample.under(counts) for sample in self.samples]
        return np.stack([self.metric.value(state, **self.options) for state in states])

    def of_exchanges(self, exchange: Bools) -> Floats:
        kept = ~exchange
        weights = (np.hstack(sides) for sides in ((kept, exchange), (exchange, kept)))
        states = [self.joined.under(weight.astype(np.float64)) for weight in weights]
        return np.stack([self.metric.value(state, **self.options) for state in states])


def _joined(first: Array, second: Array) -> Array:
    """Concatenate predictions, with their masks of rejections, if any."""
    both: Array = np.concatenate([np.ma.getdata(first), np.ma.getdata(second)])
    if not np.ma.isMaskedArray(first):
        return both
    mask = np.concatenate([np.ma.getmaskarray(first), np.ma.getmaskarray(second)])
    return np.ma.array(both, mask=mask)


def _unlike(first: Array, second: Array) -> Bools:
    """Return where two arrays of predictions, or their masks, differ."""
    parts = np.ma.getdata(first) != np.ma.getdata(second)
    return np.asarray(parts | (np.ma.getmaskarray(first) != np.ma.getmaskarray(second)))


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

    With `as_ranks` the replicates use mid-ranks if the metric depends on the order of scores only.
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
            f"The metric must return one number, found shape {np.shape(value)}; use an average "
            f"such as average='macro'."
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
    """Prepare the examples for a metric of this package."""
    # Replicates have the values of the function, without its warnings.
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
    """Return truth, predictions, shared arguments and groups of examples with positive weight."""
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
    """Prepare the examples for a plain function."""
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
    """Return mid-ranks in (0, 1) instead of scores, if the metric depends on their order only."""
    if function.metric.kind.scale != "order" or any(np.ndim(score) != 1 for score in scores):
        return scores
    first, second = (stats.rankdata(score) / (len(score) + 1) for score in scores)
    found = [function(y_true, ranks, **options) for ranks in (first, second)]
    return (first, second) if np.allclose(found, values, rtol=0, atol=1e-12) else scores


def metric_name(function: Any, parameters: Mapping[str, Any] = MappingProxyType({})) -> str:
    """Return the name of a metric with the parameters that define its value."""
    if hasattr(function, "metric"):
        return NamedMetric(function.metric.name, function, parameters).label
    return str(getattr(function, "__name__", "the metric"))
