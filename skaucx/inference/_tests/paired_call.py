"""Two classifiers on the same rows: their values, influences, resamples and exchanges."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from ..._arrays import Array, Floats, by_name, check_rows, entries_of_column, on_host
from ...metrics._registry.declare import options_of_state
from ...metrics._registry.names import NamedMetric
from ...metrics._registry.plain_functions import PlainMetric, plain_sample
from ...metrics._registry.resampling import Resampling, pieces
from ...metrics._registry.row import MetricEvaluator
from ...metrics._registry.samples import MetricOnSample, sample_of
from .._intervals.influence import influence_of, positives_of_pairs
from .._intervals.interval import groups_of_rows
from .._intervals.methods import drawn_again

NAMES = ("y_pred_a", "y_pred_b")


def metric_name(function: Any, parameters: Mapping[str, Any]) -> str:
    """Return the name of a metric with the parameters that define its value."""
    if hasattr(function, "metric"):
        return NamedMetric(function.metric.name, function, parameters).label
    return str(getattr(function, "__name__", "the metric"))


class PairedCall:
    """A metric, or a plain function, on the rows of two classifiers.

    Attributes
    ----------
    function : callable
    parameters : dict
    metric : Metric or PlainMetric
    options : dict
        The parameters that do not belong to the rows.
    shared : dict
        Those that do, and the weights and labels.
    y_true : ndarray
    predictions : tuple of ndarray
    samples : list of Sample
        That of each classifier.
    groups : ndarray of int, or None
    """

    def __init__(
        self,
        function: Any,
        parameters: dict[str, Any],
        y_true: Any,
        predictions: tuple[Any, Any],
        sample_weight: Any = None,
        groups: Any = None,
    ) -> None:
        self.function, self.parameters, self.ours = (
            function,
            parameters,
            hasattr(function, "metric"),
        )
        labels, self.weight = parameters.get("labels"), sample_weight
        self.y_true = entries_of_column(on_host(y_true))
        self.predictions = [
            entries_of_column(on_host(by_name(each, y_true, name, labels)))
            for each, name in zip(predictions, NAMES, strict=True)
        ]
        self.options, self.shared = dict[str, Any](), dict[str, Any]()
        if self.ours:
            self.metric = function.metric
            self.options = options_of_state(function, parameters)
            self.shared = {"labels": labels, "sample_weight": sample_weight}
            for name in self.metric.kind.inputs.per_row_arguments:
                if name in self.options:
                    self.shared[name] = by_name(self.options.pop(name), y_true, name, labels)
            self.evaluator: Any = MetricEvaluator(self.metric, self.options)
        else:
            self.metric = self.evaluator = PlainMetric.of(function, parameters, self.y_true)
        if self.weight is not None and not self.ours:
            raise ValueError(
                "sample_weight needs a metric of this package, found a plain function."
            )
        self.samples = [
            self._sample(self.y_true, each, name, self.shared)
            for each, name in zip(self.predictions, NAMES, strict=True)
        ]
        self.groups = groups_of_rows(groups, self.y_true, sample_weight)

    def _sample(self, true: Any, pred: Any, name: str, shared: Mapping[str, Any]) -> Any:
        if not self.ours:
            return plain_sample(true, pred)
        inputs = self.metric.kind.inputs
        if inputs.of_classes:
            check_rows({"y_true": true, name: pred, "sample_weight": shared["sample_weight"]})
        return sample_of(self.metric, true, pred, names=("y_true", name), **shared)

    @property
    def name(self) -> str:
        """The name of the metric with the parameters that define its value."""
        return metric_name(self.function, self.parameters)

    @property
    def on(self) -> list[MetricOnSample]:
        """The metric of this package on the sample of each classifier."""
        return [MetricOnSample(sample, self.metric, self.options) for sample in self.samples]

    @property
    def has_placements(self) -> bool:
        """Whether it is a mean over pairs to which DeLong's test applies."""
        if not self.ours or self.weight is not None:
            return False
        known = {*self.metric.parameters, "rescale", "pos_label"}
        return set(self.parameters) <= known and positives_of_pairs(self.on[0]) is not None

    def estimates(self) -> tuple[float, float]:
        """Return the metric of both classifiers on all examples."""
        first, second = (self.evaluator.value(sample.state) for sample in self.samples)
        if np.ndim(first):
            raise ValueError(
                f"The metric must return one number, found shape {np.shape(first)}; use an average "
                f"such as average='macro'."
            )
        return float(first), float(second)

    def ranked(self, estimates: tuple[float, float]) -> PairedCall:
        """Return mid-ranks in (0, 1) instead of scores, if the metric depends on their order only."""
        of_order = self.ours and self.metric.kind.scale == "order"
        if not of_order or any(np.ndim(each) != 1 for each in self.predictions):
            return self
        first, second = (stats.rankdata(each) / (len(each) + 1) for each in self.predictions)
        given = self.function, self.parameters, self.y_true, (first, second), self.weight
        found = PairedCall(*given)
        return found if np.allclose(found.estimates(), estimates, rtol=0, atol=1e-12) else self

    def drawn(self, rng: np.random.Generator, size: int) -> Floats:
        """Return the metric of both on examples drawn with replacement, shape (2, size)."""
        plan = Resampling(self.samples[0].n_rows, self.groups)
        parts = [
            _values(self.evaluator, [sample.reweighted(counts) for sample in self.samples])
            for counts in plan.resamples(size, rng)
        ]
        return np.concatenate(parts, axis=1)

    def exchanged(self, rng: np.random.Generator, size: int) -> Floats:
        """Return the metric of both after exchanges of predictions of single rows, shape (2, size).

        They are weights of 0 or 1 for the rows of both classifiers one after the other, so scores are
        sorted once.
        """
        evaluator, shared = self.evaluator, dict(self.shared)
        for name in (
            name for name, each in shared.items() if name != "labels" and each is not None
        ):
            shared[name] = np.concatenate([np.asarray(shared[name])] * 2)
        if not self.ours:
            evaluator = evaluator.subset(np.tile(np.arange(len(self.y_true)), 2))
        twice = np.concatenate([self.y_true, self.y_true])
        both = self._sample(twice, _joined(*self.predictions), "y_pred_b", shared)
        n, found = both.n_rows // 2, []
        for rows in pieces(range(size), both.n_rows):
            kept = rng.random((len(rows), n)) < 0.5
            sides = np.hstack([kept, ~kept]), np.hstack([~kept, kept])
            found.append(_values(evaluator, [both.reweighted(1.0 * side) for side in sides]))
        return np.concatenate(found, axis=1)

    def influences(self) -> Floats | None:
        """Return the difference of the influences of each row; None where there are none."""
        if self.samples[0].counted and any(drawn_again(on) for on in self.on):
            return None
        first, second = (influence_of(on, self.groups) for on in self.on)
        return None if first is None or second is None else first.psi - second.psi


def _values(evaluator: Any, states: list[Any]) -> Floats:
    """Return the metric of replicates, undefined ones as the function returns them."""
    with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
        return np.array([evaluator.value(state) for state in states])


def _joined(first: Array, second: Array) -> Array:
    """Concatenate predictions, with their masks of rejections, if any."""
    both: Array = np.concatenate([np.ma.getdata(first), np.ma.getdata(second)])
    if not np.ma.isMaskedArray(first):
        return both
    mask = np.concatenate([np.ma.getmaskarray(first), np.ma.getmaskarray(second)])
    return np.ma.array(both, mask=mask)
