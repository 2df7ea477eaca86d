"""Paired tests of two classifiers by any metric."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils.multiclass import type_of_target

from ..._arrays import Array, Bools, Codes, Floats, check_same_length, weight_vector
from ..._compat import warn
from ..._deprecation import renamed_argument
from ..._options import Alternative, check_alternative, check_choice, check_flag, check_whole
from ..._text.tables import count
from .._records.inputs import LabelPair, check_label_pair
from .._registry.declare import options_of_state
from .._registry.names import NamedMetric, metric_or_function
from .._registry.row import Metric
from .._resampling.draws import Resampling, generator, groups_of_blocks, pieces, resampled_pieces
from .._resampling.sample import MetricOnSample, sample_of
from ..estimation._closed_forms import Spread, curve, of_labels
from ..estimation._gold import GoldDesign, corrected
from ..estimation._group_mean import Weighting, group_mean, weighted_mean
from ..estimation._interval import FunctionSample, FunctionState, PlainMetric, Sides, groups_of_rows
from ..kinds.base import STRICT, Sample
from ..kinds.labels import LabelSample
from ._comparison_result import (
    ComparisonResult,
    as_extreme,
    null_difference,
    of_two_sides,
    resampled,
    studentised,
    tail,
)
from ._label_tests import mcnemar_test
from ._score_tests import delong_test, takes_delong

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
        states = [sample.under(counts) for sample in self.samples]
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
        of_rows = (name for name in metric.kind.inputs.of_rows if name in shared)
        twice |= {name: np.concatenate([shared[name]] * 2) for name in of_rows}
        both = _joined(first, second)
        self.joined = sample_of(metric, np.concatenate([y_true, y_true]), both, **twice)

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


def _strata(true: Array) -> Codes | None:
    """Return the class of each example; None for targets without classes."""
    if type_of_target(true) not in ("binary", "multiclass"):
        return None
    return np.unique(true, return_inverse=True)[1].astype(np.intp)


def metric_name(function: Any, parameters: Mapping[str, Any] = MappingProxyType({})) -> str:
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
        return columns and type_of_target(self.y_true) == "binary"

    @property
    def independent(self) -> bool:
        """Whether the metric is one of this package, of independent rows without weights."""
        return self.ours and self.sample_weight is None and self.groups is None

    def estimates(self) -> tuple[float, float]:
        """Return the metric of both classifiers on all examples."""
        if self.sample_weight is not None and not self.ours:
            raise ValueError(
                "sample_weight needs a metric of this package, found a plain function."
            )
        given = {"sample_weight": self.sample_weight} if self.ours else {}
        given |= self.parameters
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
            plain, groups = (
                PlainMetric(self.function, self.parameters),
                groups_of_rows(self.groups, true),
            )
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
        rows = {n: np.asarray(options.pop(n)) for n in metric.kind.inputs.of_rows if n in options}
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
                name: shared[name][kept] for name in inputs.of_rows if name in shared
            }
        return true, first, second, {**shared, "sample_weight": weight}, codes

    def _options(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the options of the metric, and the arguments that belong to the arrays."""
        options, of_rows = options_of_state(self.function, self.parameters), {}
        for name in self.function.metric.kind.inputs.of_rows:
            if name in options:
                of_rows[name] = options.pop(name)
        return options, {"labels": self.parameters.get("labels"), **of_rows}

    def by_gold(self, gold: dict[str, Any], **tested: Any) -> ComparisonResult:
        """Compare on gold labels of some rows, corrected by a judge's labels of all rows."""
        if not self.ours:
            raise ValueError(
                f"{metric_name(self.function)} is a plain function, whose influences are not known; "
                "take a metric of this package."
            )
        metric, truth = self.function.metric, np.asarray(self.y_true)
        options, shared = self._options()
        design = GoldDesign.of(
            truth, self.predictions, **gold, sample_weight=self.sample_weight,
            groups=self.groups, labels=shared["labels"],
        )  # fmt: skip
        found = corrected(metric, options, truth, self.predictions, design, shared)
        by_judge = "" if design.judge is None else f" + judge = {found.worth:.0f} gold rows"
        error = math.sqrt(max(found.variance, 0.0))
        tested |= {"why": _NO_CHANGE, "note": f"{found.n_gold} gold rows{by_judge}"}
        name = "Paired test by gold labels"
        return self._by_student(name, found.values, error, found.freedom, **tested)

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
        return curve(MetricOnSample(sample, metric, {**options, "zero_division": STRICT}))
    if options.get("average", "binary") is None:
        return None
    return of_labels(MetricOnSample(sample, metric, options))


# A relative difference of two values that can be rounding error.
_ROUNDING = 1e-14
_NONE = (math.nan, math.nan)
_NO_SPREAD = "the difference is 0 in every resample, so it has no interval"


@renamed_argument("level", "confidence_level")
def paired_bootstrap_test(
    metric: Any,
    y_true: Any,
    y_pred_a: Any,
    y_pred_b: Any,
    *,
    n_resamples: int = 2000,
    stratify: bool = False,
    groups: Any = None,
    blocks: int | str | None = None,
    alternative: Alternative = "two-sided",
    margin: float = 0.0,
    confidence_level: float = 0.95,
    random_state: Any = None,
    sample_weight: Any = None,
    **parameters: Any,
) -> ComparisonResult:
    r"""Compare two classifiers on the same examples by any metric, by the bootstrap.

    Parameters
    ----------
    metric : str or callable
        Name, alias or function of a metric of this package, or any function with signature
        ``metric(y_true, y_pred)`` that returns a number.
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        True labels.
    y_pred_a, y_pred_b : array-like of shape (n_samples,) or (n_samples, n_classes)
        Predictions of the two classifiers, as the metric requires: labels, scores or probabilities.
    n_resamples : int, default=2000
        Number of replicates.
    stratify : bool, default=False
        Whether to resample within classes, which fixes the class counts (case-control designs). By
        default the class counts are random.
    groups : array-like of shape (n_samples,), default=None
        Clusters, such as the examples of one patient, which are drawn together; with `stratify` a
        group must be of one class.
    blocks : int, "auto" or None, default=None
        Length of blocks of consecutive rows, for serially dependent rows; see :func:`interval`.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Alternative hypothesis for the difference a - b.
    margin : float, default=0
        Non-inferiority margin: "greater" tests whether a - b is above -margin, "less" whether it is
        below margin.
    confidence_level : float, default=0.95
        Nominal coverage of the interval, in (0, 1).
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws.
    sample_weight : array-like of shape (n_samples,), default=None
        Sampling weights, for metrics of this package: an example drawn twice has twice its weight;
        a weight of 50 does not narrow the interval.
    **parameters
        Parameters of the metric.

    Returns
    -------
    ComparisonResult
        The interval is the percentile interval of the replicates, and the p-value is the level at
        which it begins to contain 0, or the margin [1]_. The statistic is the difference divided by
        the standard deviation of its replicates.

    Raises
    ------
    ValueError, TypeError
        If an argument is invalid, or from the metric itself.

    See Also
    --------
    paired_test : The same comparison by the best method for the metric.

    Notes
    -----
    With the differences :math:`d_b` of B replicates, the two-sided p-value is

    .. math:: p = \frac{2}{B + 1} \min(1 + \#\{d_b \le 0\}, 1 + \#\{d_b \ge 0\})

    and the lower end of the interval at confidence :math:`1 - \alpha` is the replicate of rank k,
    the greatest integer below :math:`\alpha (B + 1) / 2`. If k is 0, or if the difference is
    outside its percentiles, there is no interval, but a note.

    Replicates on which the metric is undefined for either classifier are ignored, with a warning
    that reports their share. Two classifiers whose difference is 0 in every replicate have
    statistic 0 and p-value 1; with another constant difference the test is undefined: nan with a
    warning. Neither has an interval. Simulated sizes: ``python -m benchmarks.sizes`` and ``python
    -m benchmarks.random_sizes``.

    References
    ----------
    .. [1] Davison, A. C. and Hinkley, D. V. (1997). Bootstrap methods and their application. Cambridge
       University Press, sections 4.4 and 5.3.

    Examples
    --------
    >>> from skaucx.metrics import paired_bootstrap_test
    >>> y_true = [1, 1, 1, 1, 0, 0, 0, 0] * 10
    >>> a = [0.9, 0.8, 0.7, 0.4, 0.5, 0.3, 0.2, 0.1] * 10
    >>> b = [0.9, 0.4, 0.6, 0.5, 0.7, 0.3, 0.2, 0.6] * 10
    >>> result = paired_bootstrap_test("scor_auc", y_true, a, b, random_state=0)
    >>> round(result.difference, 4), result.p_value < 0.001
    (0.225, True)
    """
    Sides.checked(alternative, confidence_level)
    groups = groups_of_blocks(blocks, groups, y_true, y_pred_a, y_pred_b)
    own = metric_or_function(metric, parameters)
    call = PairedCall(*own, y_true, (y_pred_a, y_pred_b), sample_weight, groups)
    estimates, replicates = call.estimates(), call.replicates()
    size = check_whole("n_resamples", n_resamples, 2)
    values = replicates.drawn(generator(random_state), size, check_flag("stratify", stratify))
    differences = _defined_differences(values)
    drawn = resampled(f"resamples{' within classes' if stratify else ''}", size, random_state)
    difference = estimates[0] - estimates[1]
    error = float(np.std(differences, ddof=1)) if len(differences) > 1 else np.nan
    shift = null_difference(margin, alternative)
    statistic = studentised(
        difference - shift,
        error,
        "The paired bootstrap test",
        "the replicates of the difference have no variance",
    )
    if error > 0:
        p_value = _p_value(differences, shift, alternative)
        ends, note = _percentiles(differences, difference, confidence_level)
    else:
        p_value, ends = tail(statistic, alternative), (np.nan, np.nan)
        note = _NO_SPREAD if statistic == 0 else ""
    return ComparisonResult(
        method=f"Paired bootstrap test of {call.name}, {drawn}",
        statistic=statistic,
        p_value=float(p_value),
        estimates=estimates,
        difference=difference,
        standard_error=error,
        interval=ends,
        confidence_level=confidence_level,
        alternative=alternative,
        note=of_two_sides(alternative, note),
    )


def _p_value(differences: Floats, shift: float, alternative: Alternative) -> float:
    below, above = (differences <= shift).sum(), (differences >= shift).sum()
    counts = {"greater": below, "less": above, "two-sided": min(below, above)}
    share = (1 + counts[alternative]) / (1 + len(differences))
    return float(min((1 + (alternative == "two-sided")) * share, 1))


def _percentiles(
    differences: Floats, difference: float, confidence_level: float
) -> tuple[tuple[float, float], str]:
    """Return the interval that excludes the null exactly if p < 1 - confidence_level."""
    ranked, tails = np.sort(differences), round((1 - confidence_level) / 2, 12)
    rank = math.ceil(round((len(ranked) + 1) * tails, 9)) - 1
    if rank < 1:
        least = math.floor(1 / tails)
        return _NONE, f"{least} resamples at least are needed for the interval"
    low, high = float(ranked[rank - 1]), float(ranked[-rank])
    if not low <= difference <= high:
        return _NONE, "the difference is outside the percentiles of its resamples: no interval"
    return (low, high), ""


def _defined_differences(values: Floats) -> Floats:
    """Return first minus second without undefined replicates, and warn with their number."""
    with np.errstate(invalid="ignore"):  # inf - inf
        differences = values[0] - values[1]
    differences = np.where(np.abs(differences) <= _ROUNDING * np.abs(values[0]), 0, differences)
    defined = differences[np.isfinite(differences)]
    if len(defined) < len(differences):
        warn(
            f"The metric is undefined on {len(differences) - len(defined)} of {len(differences)} "
            "replicates, which are ignored.",
            UndefinedMetricWarning,
        )
    return defined


def paired_permutation_test(
    metric: Any,
    y_true: Any,
    y_pred_a: Any,
    y_pred_b: Any,
    *,
    n_resamples: int = 9999,
    alternative: Alternative = "two-sided",
    random_state: Any = None,
    sample_weight: Any = None,
    **parameters: Any,
) -> ComparisonResult:
    r"""Compare two classifiers on the same examples by any metric, by exchanging predictions.

    Under the null hypothesis the predictions of both classifiers are exchangeable. The two
    predictions of each example are exchanged with probability 1/2, and the observed difference is
    compared with the differences after such exchanges. The true labels and class sizes are fixed.

    Parameters
    ----------
    metric : str or callable
        Name, alias or function of a metric of this package, or any function with signature
        ``metric(y_true, y_pred)`` that returns a number.
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        True labels.
    y_pred_a, y_pred_b : array-like of shape (n_samples,) or (n_samples, n_classes)
        Predictions of the two classifiers, as the metric requires: labels, scores or probabilities.
    n_resamples : int, default=9999
        Number of random exchanges, if they are not enumerated.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Alternative hypothesis for the difference a - b.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, for metrics of this package.
    **parameters
        Parameters of the metric.

    Returns
    -------
    ComparisonResult
        The statistic is the difference; there is no interval, because the test of exchangeability
        cannot be inverted for a difference.

    Raises
    ------
    ValueError, TypeError
        If an argument is invalid, or from the metric itself.

    Notes
    -----
    Small exact distributions are enumerated: for labels, up to a million tables of exchanged
    examples; for scores, if at most 14 examples differ. Otherwise the p-value is (1 + number at
    least as extreme) / (1 + n_resamples) [1]_. Exchanges after which the metric is undefined count
    as extreme.

    Scores are exchanged as ranks if the metric depends on their order only, so that classifiers
    with different scales can be compared [2]_. For other metrics the scores themselves are
    exchanged and must have the same scale. The null hypothesis is exchangeability, which is
    stronger than an equal metric.

    References
    ----------
    .. [1] Phipson, B. and Smyth, G. K. (2010). Permutation p-values should never be zero.
       Statistical Applications in Genetics and Molecular Biology 9(1), 39.
    .. [2] Bandos, A. I., Rockette, H. E. and Gur, D. (2005). A permutation test sensitive to
       differences in areas for comparing ROC curves from a paired design. Statistics in Medicine 24,
       2873-2893.

    Examples
    --------
    >>> from skaucx.metrics import paired_permutation_test
    >>> y_true = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> a, b = [1, 1, 1, 1, 0, 0, 0, 1], [1, 0, 0, 0, 0, 1, 1, 0]
    >>> paired_permutation_test("f1", y_true, a, b)
    Paired permutation test of f1, exact
      statistic 0.6032, p-value 0.1250
      estimates 0.8889, 0.2857
      difference 0.6032
      target: these predictions
    """
    check_alternative(alternative)
    own = metric_or_function(metric, parameters)
    call = PairedCall(*own, y_true, (y_pred_a, y_pred_b), sample_weight)
    estimates = call.estimates()
    replicates = call.ranked(estimates).replicates()
    size = check_whole("n_resamples", n_resamples, 2)
    difference = estimates[0] - estimates[1]
    every = replicates.every_exchange()
    if every is not None:
        values, probability = every
        p_value = probability[_extreme(values, difference, alternative)].sum()
    else:
        values = replicates.exchanged(generator(random_state), size)
        p_value = (1 + _extreme(values, difference, alternative).sum()) / (1 + size)
    how = "exact" if every is not None else resampled("random exchanges", size, random_state)
    return ComparisonResult(
        method=f"Paired permutation test of {call.name}, {how}",
        statistic=difference,
        p_value=float(min(p_value, 1)) if np.isfinite(difference) else np.nan,
        estimates=estimates,
        difference=difference,
        alternative=alternative,
    )


def _extreme(values: Floats, difference: float, alternative: Alternative) -> Array:
    """Return which replicates are at least as extreme."""
    with np.errstate(invalid="ignore"):  # inf - inf
        found = values[0] - values[1]
    rounding = 1e-12 * max(np.abs(values[np.isfinite(values)]).max(initial=1), 1)
    return as_extreme(found, difference, rounding, alternative)


Method = Literal["auto", "delong", "mcnemar", "influence", "bootstrap"]
_METHODS = ("delong", "mcnemar", "influence", "bootstrap")
# A standard error relative to the difference that can be rounding error.
_ROUNDING_OF_ERRORS = 1e-12
_NO_CHANGE = "no row changes the difference"


def paired_test(
    metric: Any,
    y_true: Any,
    y_pred_a: Any,
    y_pred_b: Any,
    *,
    method: Method = "auto",
    alternative: Alternative = "two-sided",
    margin: float = 0.0,
    groups: Any = None,
    blocks: int | str | None = None,
    n_resamples: int = 2000,
    stratify: bool = False,
    confidence_level: float = 0.95,
    random_state: Any = None,
    sample_weight: Any = None,
    judged: Any = None,
    labelled: Any = None,
    strata: Any = None,
    inclusion: Any = None,
    **parameters: Any,
) -> ComparisonResult:
    r"""Compare two classifiers on the same examples by any metric, by the best method for it.

    Parameters
    ----------
    metric : str or callable
        Name, alias or function of a metric of this package, or any function with signature
        ``metric(y_true, y_pred)`` that returns a number.
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        True labels.
    y_pred_a, y_pred_b : array-like of shape (n_samples,) or (n_samples, n_classes)
        Predictions of the two classifiers, as the metric requires: labels, scores or probabilities.
    method : {"auto", "delong", "mcnemar", "influence", "bootstrap"}, default="auto"
        "delong": :func:`delong_test`, for the AUC and its variants that are means over pairs. "mcnemar":
        McNemar's test without correction, for the accuracy. "influence": Student's t of the
        differences of influences by row, for metrics with influence curves; for means over rows,
        such as the Brier score, it is the paired t test of the losses. "bootstrap":
        :func:`paired_bootstrap_test`, for any metric. "auto" is the first that applies; for
        predicted labels without weights and groups the bootstrap precedes "influence".
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Alternative hypothesis for the difference a - b.
    margin : float, default=0
        Non-inferiority margin: "greater" tests whether a - b is above -margin, "less" whether it is
        below margin.
    groups : array-like of shape (n_samples,), default=None
        Clusters, such as the examples of one patient: groups are the random sample.
    blocks : int, "auto" or None, default=None
        Length of blocks of consecutive rows, for serially dependent rows; see :func:`interval`.
    n_resamples : int, default=2000
        Number of resamples of the bootstrap.
    stratify : bool, default=False
        Whether the class counts are fixed by design, as in a case-control study. Only the bootstrap
        supports it; "auto" then uses the bootstrap, except for means over pairs.
    confidence_level : float, default=0.95
        Nominal coverage of the interval, in (0, 1).
    random_state : int, RandomState, Generator or None, default=None
        Seed of the bootstrap.
    sample_weight : array-like of shape (n_samples,), default=None
        Sampling weights, for metrics of this package.
    judged, labelled, strata, inclusion
        Gold labels of some rows only, corrected by a judge's labels of all; see :func:`interval`. The
        test is then by influence curves.
    **parameters
        Parameters of the metric.

    Returns
    -------
    ComparisonResult
        The estimates, their difference with its interval, and the test, all from one statistic: the
        two-sided p-value is below 1 - confidence_level exactly where the interval excludes 0.

    Raises
    ------
    ValueError, TypeError
        If an argument is invalid, the method does not apply to the metric, or from the metric
        itself.

    Notes
    -----
    The variance of the difference of two smooth metrics of the same rows is

    .. math:: \frac{n}{n - 1} \sum_i (\psi_i^a - \psi_i^b)^2

    with the influences :math:`\psi` of the rows [1]_. With groups they are summed within groups
    before squaring, and n is the number of groups. The class counts are random with the rows.

    Predicted labels are resampled as counts, at a cost independent of n. With 20 positives among
    200, the nominal 5 % test of two recalls has a size of 8.8 % with "influence" and 4.9 % with the
    bootstrap (``python -m benchmarks.random_sizes``).

    References
    ----------
    .. [1] Efron, B. (1982). The jackknife, the bootstrap and other resampling plans. SIAM, chapter 6.

    Examples
    --------
    >>> from skaucx.metrics import paired_test
    >>> y_true = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> a, b = [0.9, 0.8, 0.7, 0.4, 0.5, 0.3, 0.2, 0.1], [0.9, 0.4, 0.6, 0.5, 0.7, 0.3, 0.2, 0.6]
    >>> paired_test("brier_score", y_true, a, b)
    Paired t test of brier_score_loss
      statistic -1.7979, p-value 0.1152
      estimates 0.1113, 0.2200
      difference -0.1087, 95 % interval -0.2518 to 0.0343
      target: these predictions
    """
    check_choice("method", method, ("auto", *_METHODS))
    Sides.checked(alternative, confidence_level)
    by_class = check_flag("stratify", stratify)
    function, parameters = metric_or_function(metric, parameters)
    groups = groups_of_blocks(blocks, groups, y_true, y_pred_a, y_pred_b)
    sides: dict[str, Any] = {"alternative": alternative, "confidence_level": confidence_level}
    null = null_difference(margin, alternative)
    call = PairedCall(function, parameters, y_true, (y_pred_a, y_pred_b), sample_weight, groups)
    gold = {"judged": judged, "labelled": labelled, "strata": strata, "inclusion": inclusion}
    if any(each is not None for each in gold.values()):
        if method not in ("auto", "influence") or by_class:
            raise ValueError(
                "Gold labels of some rows are compared by influence curves: leave out stratify, and "
                f"take method='auto', found {method!r}."
            )
        return call.by_gold(gold, null=null, **sides)
    # Resampling the counts of independent labels is cheap.
    counted = call.independent and call.function.metric.kind.counted
    skipped = "influence" if counted else ""
    order = [name for name in _METHODS if name != skipped] if method == "auto" else [method]
    applies = {
        "delong": call.has_placements,
        "mcnemar": call.independent
        and not (parameters or margin or by_class)
        and function.metric.name == "accuracy",
        "influence": call.ours and not by_class and (method != "auto" or call.has_rows),
        "bootstrap": True,
    }
    how = next((name for name in order if applies[name]), None)
    if how == "influence":
        found = call.by_influence(null=null, **sides)
        if found is not None:
            return found
        how = "bootstrap" if method == "auto" else None
    if how is None:
        raise ValueError(
            f"method={method!r} does not apply to {metric_name(function)} with these arguments; "
            f"use 'auto' or 'bootstrap'."
        )
    rows = {"groups": groups, "sample_weight": sample_weight, "margin": margin, **sides}
    if how == "delong":
        return delong_test(y_true, y_pred_a, y_pred_b, metric=function, **rows, **parameters)
    if how == "mcnemar":
        return mcnemar_test(y_true, y_pred_a, y_pred_b, method="asymptotic", **sides)
    draws = {"n_resamples": n_resamples, "stratify": by_class, "random_state": random_state}
    return paired_bootstrap_test(
        function, y_true, y_pred_a, y_pred_b, **draws, **rows, **parameters
    )


def group_mean_test(
    metric: Any,
    y_true: Any,
    y_pred_a: Any,
    y_pred_b: Any,
    *,
    groups: Any,
    average: Weighting = "macro",
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    **options: Any,
) -> ComparisonResult:
    """Test two models by the difference of a metric's means over the same groups.

    Parameters
    ----------
    metric : str or callable
        As for :func:`skaucx.metrics.estimation.group_mean`.
    y_true : array-like of shape (n_samples,)
    y_pred_a, y_pred_b : array-like of shape (n_samples,)
        What the metric reads of each model: scores, or predicted labels.
    groups : array-like of shape (n_samples,)
        The group of each row: a query, a user.
    average : {"macro", "weighted"}, default="macro"
        Whether every group counts equally, or by its number of rows.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Whether the first mean differs, is greater, or is less.
    confidence_level : float, default=0.95
        Of the interval of the difference, in (0, 1).
    **options
        ``sample_weight`` and parameters of the metric, such as ``k`` and ``pos_label``.

    Returns
    -------
    ComparisonResult

    Raises
    ------
    ValueError, TypeError
        If an input is invalid.

    Notes
    -----
    A paired t test of the differences of the groups in which both models have a value, with one degree
    of freedom less than there are such groups; the groups are the random sample.

    References
    ----------
    .. [1] M. D. Smucker, J. Allan and B. Carterette, A comparison of statistical significance tests for
       information retrieval evaluation, CIKM 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.metrics.comparisons import group_mean_test
    >>> rng = np.random.default_rng(0)
    >>> query, y = np.repeat(np.arange(50), 8), rng.integers(2, size=400)
    >>> better, worse = y + rng.normal(size=400), rng.normal(size=400)
    >>> group_mean_test("ndcg", y, better, worse, groups=query, k=5).p_value < 0.001
    True
    """
    sides = Sides.checked(alternative, confidence_level)
    first, second = (
        group_mean(metric, y_true, pred, groups=groups, average=average, **options)
        for pred in (y_pred_a, y_pred_b)
    )
    both = first.defined & second.defined
    kept = replace(first, values=first.values + 0 * second.values)
    difference, error = weighted_mean((first.values - second.values)[both], kept.weights)
    n, lost = int(both.sum()), int((~both).sum())
    return ComparisonResult.of_difference(
        f"paired t test over {n} groups, {first.metric}",
        tuple(weighted_mean(each.values[both], kept.weights)[0] for each in (first, second)),
        difference,
        error,
        df=n - 1,
        why="fewer than two groups differ",
        note=f"undefined in {count(lost, 'group')}" if lost else "",
        **sides._asdict(),
        target="the mean over groups of the population",
    )
