"""Two classifiers on the same rows: their values, influences, resamples and exchanges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from sklearn.utils.multiclass import type_of_target

from ..._arrays import (
    Array,
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
from ...metrics._kinds.base import STRICT
from ...metrics._registry.declare import options_of_state
from ...metrics._registry.names import NamedMetric
from ...metrics._registry.plain_functions import PlainMetric, plain_sample
from ...metrics._registry.resampling import Resampling, resampled_pieces
from ...metrics._registry.samples import MetricOnSample, sample_of
from .._intervals.influence import influence_of
from .._intervals.interval import groups_of_rows
from .._intervals.methods import drawn_again
from .delong import takes_delong


def _joined(first: Array, second: Array) -> Array:
    """Concatenate predictions, with their masks of rejections, if any."""
    both: Array = np.concatenate([np.ma.getdata(first), np.ma.getdata(second)])
    if not np.ma.isMaskedArray(first):
        return both
    mask = np.concatenate([np.ma.getmaskarray(first), np.ma.getmaskarray(second)])
    return np.ma.array(both, mask=mask)


def metric_name(function: Any, parameters: Mapping[str, Any]) -> str:
    """Return the name of a metric with the parameters that define its value."""
    if hasattr(function, "metric"):
        return NamedMetric(function.metric.name, function, parameters).label
    return str(getattr(function, "__name__", "the metric"))


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
    def has_placements(self) -> bool:
        """Whether it is a mean over pairs to which DeLong's test applies."""
        if not self.ours or self.sample_weight is not None:
            return False
        known = {*self.function.metric.parameters, "rescale", "pos_label"}
        if not set(self.parameters) <= known or not takes_delong(self.function, self.parameters):
            return False
        columns = all(np.ndim(each) == 1 for each in (self.y_true, *self.predictions))
        return columns and type_of_target(label_array(self.y_true, "y_true")) == "binary"

    def estimates(self) -> tuple[float, float]:
        """Return the metric of both classifiers on all examples."""
        if self.sample_weight is not None and not self.ours:
            raise ValueError(
                "sample_weight needs a metric of this package, found a plain function."
            )
        if not self.ours:
            true, *both = map(np.asarray, (self.y_true, *self.predictions))
            check_same_length({"y_true": true, "y_pred_a": both[0], "y_pred_b": both[1]})
            first, second = (self.plain()(true, each) for each in both)
            return first, second
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

    def plain(self) -> PlainMetric:
        """Return a plain function with its own arrays."""
        return PlainMetric.of(self.function, self.parameters, self.y_true)

    def drawn(self, rng: np.random.Generator, size: int) -> Floats:
        """Return the metric of both on examples drawn with replacement, shape (2, size)."""
        samples, readings, groups = self._samples()
        plan = Resampling(samples[0].n_rows, groups)
        parts = [
            [
                read(sample.reweighted(counts))
                for sample, read in zip(samples, readings, strict=True)
            ]
            for counts in plan.resamples(size, rng)
        ]
        return np.concatenate([np.asarray(part) for part in parts], axis=1)

    def _samples(self) -> tuple[list[Any], list[Callable[[Any], Any]], Codes | None]:
        """Return the sample of each classifier, what reads it, and the groups."""
        if not self.ours:
            plain = self.plain()
            samples: list[Any] = [plain_sample(self.y_true, each) for each in self.predictions]
            return samples, [plain.value] * 2, groups_of_rows(self.groups, self.y_true)
        options, shared = self._options()
        truth, *both, shared, groups = self.checked(shared)
        samples = [sample_of(self.function.metric, truth, each, **shared) for each in both]
        return samples, [self._reading(options)] * 2, groups

    def _reading(self, options: Mapping[str, Any]) -> Callable[[Any], Any]:
        """Return what evaluates replicates: with the values of the function, without its warnings."""
        metric, filler = self.function.metric, options.get("zero_division", "warn")
        filler = metric.undefined if filler == "warn" else filler
        return partial(metric.value, **{**options, "zero_division": filler})

    def exchanged(self, rng: np.random.Generator, size: int) -> Floats:
        """Return the metric of both after exchanges of predictions of single rows, shape (2, size).

        Of a metric of this package they are weights of 0 or 1 for the rows of both classifiers one
        after the other, so scores are sorted once.
        """
        if not self.ours:
            return self._exchanged_one_by_one(rng, size)
        options, shared = self._options()
        truth, first, second, shared, _ = self.checked(shared)
        per_row = self.function.metric.kind.inputs.per_row_arguments
        shared |= {name: np.concatenate([shared[name]] * 2) for name in per_row if name in shared}
        if shared["sample_weight"] is not None:
            shared["sample_weight"] = np.tile(shared["sample_weight"], 2)
        both = sample_of(
            self.function.metric, np.concatenate([truth, truth]), _joined(first, second), **shared
        )
        read, found = self._reading(options), []
        for rows in resampled_pieces(size, 2 * len(truth)):
            kept = rng.random((len(rows), len(truth))) < 0.5
            sides = np.hstack([kept, ~kept]), np.hstack([~kept, kept])
            found.append([read(both.reweighted(side.astype(np.float64))) for side in sides])
        return np.concatenate([np.asarray(part) for part in found], axis=1)

    def _exchanged_one_by_one(self, rng: np.random.Generator, size: int) -> Floats:
        plain, true = self.plain(), np.asarray(self.y_true)
        first, second = map(np.asarray, self.predictions)
        wide = (len(true), *[1] * (first.ndim - 1))
        found = np.empty((2, size))
        for k in range(size):
            kept = (rng.random(len(true)) < 0.5).reshape(wide)
            found[:, k] = [plain(true, np.where(side, first, second)) for side in (kept, ~kept)]
        return found

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

    def influences(self) -> tuple[Floats, Any, Codes | None] | None:
        """Return the difference of influences, the sample, and the groups; None where there are none."""
        metric = self.function.metric
        if len(self.y_true) < metric.influence_from:
            return None
        options, shared = self._options()
        truth, *both, shared, groups = self.checked(shared)
        found: list[Any] = []
        for each in both:
            sample = sample_of(metric, truth, each, **shared)
            given = options if sample.counted else {**options, "zero_division": STRICT}
            on = MetricOnSample(sample, metric, given)
            if sample.counted and drawn_again(on):
                return None
            found.append(influence_of(on, groups))
        if any(one is None for one in found):
            return None
        return found[0].psi - found[1].psi, sample, groups
