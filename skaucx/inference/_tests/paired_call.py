"""Two classifiers on the same rows, resampled together: what paired tests call."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from sklearn.utils.multiclass import type_of_target

from ..._arrays import (
    Array,
    Bools,
    Codes,
    Floats,
    by_name,
    check_rows,
    check_same_length,
    entries_of_column,
    label_array,
    on_host,
    weight_vector,
)
from ...metrics._kinds.base import STRICT, Sample
from ...metrics._kinds.labels import LabelSample
from ...metrics._records.inputs import (
    LabelPair,
    check_label_pair,
)
from ...metrics._registry.declare import options_of_state
from ...metrics._registry.names import NamedMetric
from ...metrics._registry.plain_functions import FunctionSample, FunctionState, PlainMetric
from ...metrics._registry.resampling import (
    Resampling,
    pieces,
    resampled_pieces,
)
from ...metrics._registry.row import Metric
from ...metrics._registry.samples import MetricOnSample, sample_of
from .._intervals.interval import groups_of_rows
from .._intervals.means import Spread, influence_values, of_labels
from .._intervals.proportions import form_of
from .delong import takes_delong
from .result import (
    ComparisonResult,
)

# Greatest numbers of examples, and of outcomes of counts, whose exchanges are enumerated.
_MOST_UNLIKE, _MOST_COUNTS = 14, 1 << 20


class Replicates(ABC):
    """The metric of two classifiers on replicates of their examples.

    Parameters
    ----------
    metric : Metric or PlainMetric
    options : mapping
        Its parameters.
    samples : list of Sample
        The examples with the predictions of each classifier.
    strata : ndarray of shape (n,), int, or None
        Class of each example.
    groups : ndarray of shape (n,), int, or None
        Examples with the same code are drawn together.
    multiplicity : ndarray of shape (n,), int, or None
        How many examples each row stands for.
    """

    def __init__(
        self,
        metric: Any,
        options: Mapping[str, Any],
        samples: list[Any],
        strata: Codes | None,
        groups: Codes | None = None,
        multiplicity: Codes | None = None,
    ) -> None:
        self.metric, self.options, self.samples = metric, options, samples
        self.strata, self.groups, self.multiplicity = strata, groups, multiplicity

    def drawn(self, rng: np.random.Generator, size: int, stratify: bool) -> Floats:
        """Return the metric of both on examples drawn with replacement, shape (2, size)."""
        strata = self.strata if stratify else None
        plan = Resampling(self.samples[0].n_rows, strata, self.groups, self.multiplicity)
        return np.concatenate([self.of_counts(c) for c in plan.resamples(size, rng)], axis=1)

    def of_counts(self, counts: Floats) -> Floats:
        """Return the metric of both where example i counts ``counts[r, i]`` times, (2, rows)."""
        states = [sample.reweighted(counts) for sample in self.samples]
        return np.stack([self.metric.value(state, **self.options) for state in states])

    @abstractmethod
    def exchanged(self, rng: np.random.Generator, size: int) -> Floats:
        """Return the metric of both after random exchanges, shape (2, size)."""

    @abstractmethod
    def every_exchange(self) -> tuple[Floats, Floats] | None:
        """Return the metric of both after all exchanges, and their probabilities; None if too many."""


class LabelReplicates(Replicates):
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
        self.k = k = len(first.classes)
        codes = (first.true * k + first.pred) * k + second.pred
        swapped = (first.true * k + second.pred) * k + first.pred
        # Cells that occur, or could after an exchange.
        self.cells = np.unique(np.concatenate([codes, swapped]))
        self.counts = np.bincount(np.searchsorted(self.cells, codes), minlength=len(self.cells))
        self.true, self.a, self.b = np.unravel_index(self.cells, (k, k, k))
        samples = [
            LabelSample(LabelPair(first.classes, self.true, predicted, None, first.named))
            for predicted in (self.a, self.b)
        ]
        super().__init__(metric, options, samples, self.true, multiplicity=self.counts)

    def exchanged(self, rng: np.random.Generator, size: int) -> Floats:
        here, there, sizes = self._exchanges()
        found = []
        for rows in resampled_pieces(size, len(self.cells)):
            kept = rng.binomial(sizes, 0.5, (len(rows), len(sizes)))
            found.append(self.of_counts(self._moved(here, there, sizes, kept)))
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
            found.append(self.of_counts(self._moved(here, there, sizes, kept)))
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

    def of_counts(self, counts: Array) -> Floats:
        """Return the metric of both classifiers for counts of the cells, shape (2, rows)."""
        parts = pieces(counts, self.k**2)
        return np.concatenate(
            [super(LabelReplicates, self).of_counts(1.0 * p) for p in parts], axis=1
        )


class ExampleReplicates(Replicates):
    """Predictions of any kind, resampled and exchanged by example.

    Parameters
    ----------
    first, second : ndarray of shape (n, ...)
        The predictions of the two classifiers.
    *parts
        As :class:`Replicates` takes them.
    """

    def __init__(self, first: Array, second: Array, *parts: Any) -> None:
        super().__init__(*parts)
        self.first, self.second = first, second
        unlike = _unlike(first, second).reshape(len(first), -1).any(axis=1)
        self.unlike = np.flatnonzero(unlike)

    @abstractmethod
    def of_exchanges(self, exchange: Bools) -> Floats:
        """Return the metric of both with marked predictions exchanged, (2, rows)."""

    def _of_marks(self, marks: Iterable[Bools]) -> Floats:
        """Return the same for marks of the unlike predictions, in pieces."""
        found = []
        for piece in marks:
            exchange = np.zeros((len(piece), len(self.first)), dtype=bool)
            exchange[:, self.unlike] = piece
            found.append(self.of_exchanges(exchange))
        return np.concatenate(found, axis=1)

    def exchanged(self, rng: np.random.Generator, size: int) -> Floats:
        parts = resampled_pieces(size, len(self.first))
        return self._of_marks(rng.random((len(rows), len(self.unlike))) < 0.5 for rows in parts)

    def every_exchange(self) -> tuple[Floats, Floats] | None:
        if len(self.unlike) > _MOST_UNLIKE:
            return None
        outcomes, bits = 1 << len(self.unlike), np.arange(len(self.unlike))
        parts = pieces(range(outcomes), len(self.first))
        values = self._of_marks(np.asarray(rows)[:, None] >> bits & 1 > 0 for rows in parts)
        return values, np.full(outcomes, 1 / outcomes)


class FunctionReplicates(ExampleReplicates):
    """Predictions evaluated by a plain function, one replicate at a time.

    Parameters
    ----------
    metric : PlainMetric
    y_true : ndarray of shape (n, ...)
    first, second : ndarray of shape (n, ...)
    groups : ndarray of shape (n,), int, or None
        Examples with the same code are drawn together.
    """

    def __init__(
        self, metric: PlainMetric, y_true: Array, first: Array, second: Array, groups: Codes | None
    ) -> None:
        samples = [FunctionSample(y_true, pred) for pred in (first, second)]
        super().__init__(first, second, metric, {}, samples, _strata(y_true), groups)
        self.y_true = y_true

    def of_exchanges(self, exchange: Bools) -> Floats:
        values = np.empty((2, len(exchange)))
        for place, chosen in enumerate(exchange):
            first, second = self.first.copy(), self.second.copy()
            first[chosen], second[chosen] = self.second[chosen], self.first[chosen]
            states = [FunctionState((self.y_true, pred)) for pred in (first, second)]
            values[:, place] = [self.metric.value(state) for state in states]
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
        samples = [sample_of(metric, y_true, pred, **shared) for pred in (first, second)]
        super().__init__(first, second, metric, options, samples, samples[0].strata, groups)
        weight = shared["sample_weight"]
        twice = {**shared, "sample_weight": None if weight is None else np.tile(weight, 2)}
        of_rows = (name for name in metric.kind.inputs.per_row_arguments if name in shared)
        twice |= {name: np.concatenate([shared[name]] * 2) for name in of_rows}
        both = _joined(first, second)
        self.joined = sample_of(metric, np.concatenate([y_true, y_true]), both, **twice)

    def of_exchanges(self, exchange: Bools) -> Floats:
        kept = ~exchange
        weights = (np.hstack(sides) for sides in ((kept, exchange), (exchange, kept)))
        states = [self.joined.reweighted(weight.astype(np.float64)) for weight in weights]
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


def _strata(true: Array) -> Codes | None:
    """Return the class of each example; None for targets without classes."""
    if type_of_target(true) not in ("binary", "multiclass"):
        return None
    return np.unique(true, return_inverse=True)[1].astype(np.intp)


def metric_name(function: Any, parameters: Mapping[str, Any]) -> str:
    """Return the name of a metric with the parameters that define its value."""
    if hasattr(function, "metric"):
        return NamedMetric(function.metric.name, function, parameters).label
    return str(getattr(function, "__name__", "the metric"))


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


class PairedCall(NamedTuple):
    """A metric, or a plain function, with the arrays of two classifiers."""

    function: Any
    parameters: dict[str, Any]
    y_true: Any
    predictions: tuple[Any, Any]
    sample_weight: Any = None
    groups: Any = None

    @classmethod
    def of(
        cls,
        function: Any,
        parameters: dict[str, Any],
        y_true: Any,
        predictions: tuple[Any, Any],
        *others: Any,
    ) -> PairedCall:
        """Read columns by their names, and arrays of other devices; a matrix of one column is one."""
        labels, named = parameters.get("labels"), ("y_pred_a", "y_pred_b")
        own = function.metric.kind.inputs.per_row_arguments if hasattr(function, "metric") else ()
        of_rows = {n: by_name(parameters[n], y_true, n, labels) for n in own if n in parameters}
        parameters = parameters | of_rows
        first, second = (
            entries_of_column(on_host(by_name(each, y_true, name, labels)))
            for each, name in zip(predictions, named, strict=True)
        )
        true = entries_of_column(on_host(y_true))
        return cls(function, parameters, true, (first, second), *others)

    @property
    def ours(self) -> bool:
        """Whether the metric is one of this package."""
        return hasattr(self.function, "metric")

    @property
    def name(self) -> str:
        """The name of the metric with the parameters that define its value."""
        return metric_name(self.function, self.parameters)

    @property
    def has_rows(self) -> bool:
        """Whether the metric's influence is taken of so many rows."""
        return len(self.y_true) >= self.function.metric.influence_from

    @property
    def has_placements(self) -> bool:
        """Whether it is a mean over pairs to which DeLong's test applies."""
        if not self.ours or self.sample_weight is not None:
            return False
        known = {*self.function.metric.parameters, "rescale", "pos_label"}
        if not set(self.parameters) <= known or not takes_delong(self.function, self.parameters):
            return False
        columns = all(np.ndim(each) == 1 for each in (self.y_true, *self.predictions))
        return columns and type_of_target(label_array(self.y_true, "y_true")) == "binary"

    @property
    def independent(self) -> bool:
        """Whether the metric is one of this package, of independent rows without weights."""
        return self.ours and self.sample_weight is None and self.groups is None

    @property
    def by_right_rows(self) -> tuple[float, float] | None:
        """The metric where no row is right and where all are, if it is linear in their share."""
        if not self.independent or not self.function.metric.kind.counted:
            return None
        metric, (options, shared) = self.function.metric, self._options()
        rises, falls, ends = True, True, None
        for y_pred in self.predictions:
            sample = sample_of(metric, self.y_true, y_pred, labels=shared["labels"])
            form = form_of(MetricOnSample(sample, metric, options)) if sample.counted else None
            if form is None or not form.linear:
                return None
            outcomes = sample.state.outcomes
            right, rows = float(np.trace(outcomes)), float(outcomes.sum())
            rises &= (form.part, form.whole) == (right, rows)
            falls &= (form.part, form.whole) == (rows - right, rows)
            ends = float(form.at(np.asarray(0.0))), float(form.at(np.asarray(1.0)))
        return ends if rises else ends and ends[::-1] if falls else None

    def estimates(self) -> tuple[float, float]:
        """Return the metric of both classifiers on all examples."""
        if self.sample_weight is not None and not self.ours:
            raise ValueError(
                "sample_weight needs a metric of this package, found a plain function."
            )
        if not self.ours:
            held: Any = self.replicates()
            return held.metric(held.y_true, held.first), held.metric(held.y_true, held.second)
        first, second = self.predictions
        rows = {"y_pred_a": first, "y_pred_b": second}
        if self.function.metric.kind.inputs.of_classes:
            rows |= {"y_true": self.y_true, "sample_weight": self.sample_weight}
        check_rows(rows)
        given = {"sample_weight": self.sample_weight, **self.parameters}
        first, second = (self.function(self.y_true, each, **given) for each in self.predictions)
        if np.ndim(first):
            raise ValueError(
                f"The metric must return one number, found shape {np.shape(first)}; use an average "
                f"such as average='macro'."
            )
        return float(first), float(second)

    def ranked(self, estimates: tuple[float, float]) -> PairedCall:
        """Return mid-ranks in (0, 1) instead of scores, if the metric depends on their order only."""
        scores = self.predictions
        if any(np.ndim(each) != 1 for each in scores) or not self.ours:
            return self
        if self.function.metric.kind.scale != "order":
            return self
        first, second = (stats.rankdata(score) / (len(score) + 1) for score in scores)
        found = self._replace(predictions=(first, second))
        return found if np.allclose(found.estimates(), estimates, rtol=0, atol=1e-12) else self

    def replicates(self) -> Replicates:
        """Return what evaluates replicates of the examples of both classifiers."""
        if not self.ours:
            true, first, second = (np.asarray(each) for each in (self.y_true, *self.predictions))
            check_same_length({"y_true": true, "y_pred_a": first, "y_pred_b": second})
            plain = PlainMetric.of(self.function, self.parameters, true)
            groups = groups_of_rows(self.groups, true)
            return FunctionReplicates(plain, true, first, second, groups)
        # Replicates have the values of the function, without its warnings.
        metric, filler = self.function.metric, self.parameters.get("zero_division", "warn")
        options = self.parameters | {
            "zero_division": metric.undefined if filler == "warn" else filler
        }
        labels = options.pop("labels", None)
        if metric.kind.counted and self.independent:
            pairs = _label_pairs(self.y_true, *self.predictions, labels)
            if pairs is not None:
                return LabelReplicates(metric, options, *pairs)
        rows = {
            n: np.asarray(options.pop(n))
            for n in metric.kind.inputs.per_row_arguments
            if n in options
        }
        return WeightedReplicates(metric, options, *self.checked({"labels": labels, **rows}))

    def checked(
        self, shared: dict[str, Any]
    ) -> tuple[Array, Array, Array, dict[str, Any], Codes | None]:
        """Return truth, predictions, shared arguments and groups of examples with positive weight."""
        inputs = self.function.metric.kind.inputs
        true, weight = inputs.read_true(self.y_true, "y_true"), weight_vector(self.sample_weight)
        named = zip(self.predictions, ("y_pred_a", "y_pred_b"), strict=True)
        first, second = (inputs.read(y_pred, name) for y_pred, name in named)
        codes = groups_of_rows(self.groups, true, weight)
        if weight is not None and not weight.all():
            kept = weight > 0
            true, first, second, weight = true[kept], first[kept], second[kept], weight[kept]
            shared = shared | {
                name: shared[name][kept] for name in inputs.per_row_arguments if name in shared
            }
        return true, first, second, {**shared, "sample_weight": weight}, codes

    def _options(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the options of the metric, and the arguments that belong to the arrays."""
        options, of_rows = options_of_state(self.function, self.parameters), {}
        for name in self.function.metric.kind.inputs.per_row_arguments:
            if name in options:
                of_rows[name] = options.pop(name)
        return options, {"labels": self.parameters.get("labels"), **of_rows}

    def by_influence(self, **tested: Any) -> ComparisonResult | None:
        """Compare by Student's t of the differences of influences; None without an influence curve."""
        estimates, metric, (options, shared) = (
            self.estimates(),
            self.function.metric,
            self._options(),
        )
        truth, *both, shared, groups = self.checked(shared)
        samples = [sample_of(metric, truth, each, **shared) for each in both]
        first, second = (_curve(sample, metric, options) for sample in samples)
        if first is None or second is None:
            return None
        spread = Spread.of(first - second, groups)
        small = spread.error <= _ROUNDING_OF_ERRORS * abs(estimates[0] - estimates[1])
        error = 0.0 if small else spread.error
        why = _NO_CHANGE if error == 0 else "the difference or its variance is undefined"
        tested |= {"why": why, "note": "" if error > 0 else f"{why}: no interval"}
        name = "Paired t test" if metric.losses is not None else "Paired test by influence curves"
        return self._by_student(name, estimates, error, max(spread.units - 1, 1), **tested)

    def _by_student(
        self, name: str, estimates: tuple[float, ...], error: float, df: float, **tested: Any
    ) -> ComparisonResult:
        return ComparisonResult.of_difference(
            f"{name} of {self.name}", estimates, estimates[0] - estimates[1], error, df=df,
            test="The paired test", most=np.ptp(self.function.metric.under(self.parameters).bounds),
            **tested,
        )  # fmt: skip


def _curve(sample: Sample, metric: Metric, options: dict[str, Any]) -> Floats | None:
    if not sample.counted:
        return influence_values(
            MetricOnSample(sample, metric, {**options, "zero_division": STRICT})
        )
    if options.get("average", "binary") is None:
        return None
    return of_labels(MetricOnSample(sample, metric, options))


# A standard error relative to the difference that can be rounding error.
_ROUNDING_OF_ERRORS = 1e-12

_NO_CHANGE = "no row changes the difference"
