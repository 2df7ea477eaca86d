"""From metrics asked for on a sample to their intervals: closed forms, or one set of resamples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..._arrays import Codes, Floats
from ..._options import check_choice
from .._registry.averaging import STRICT
from .._registry.calls import plain
from .._resampling.counted import WeighedCells
from .._resampling.draws import Resampling
from .._resampling.placements import reads_the_ends
from .._resampling.sample import Sample, ScoreSample, own_parameters
from ._bootstrap import BOOTSTRAPS, acceleration, replicates
from ._closed_forms import ALL_FORMS, all_alike, forms
from ._clusters import CLUSTER, cluster_forms, note_of_clusters
from ._each_class import questions, together
from ._functions import PlainMetric
from ._linearized import independent_pairs, linearized
from ._normal import Forms, Found, flat
from ._result import Interval
from ._sides import Sides

_NO_GUARANTEE = (
    "the metric reads the lowest and the highest scores of the sample, so nothing vouches for the "
    "coverage of its bootstrap"
)

_SAMPLING_WEIGHTS = (
    "weights are sampling weights, which narrow no interval "
    "(frequency= of interval counts repetitions)"
)

# Fewer examples, or groups, of some class leave an influence curve to the bootstrap in "auto"
# (``python -m benchmarks.influence_coverage``).
_FEWEST_EVENTS = 10
# Rows beyond which "auto" leaves out BCa's correction, which falls with 1 / sqrt(n), and its jackknife.
_MOST_FOR_BCA = 50_000


@dataclass(frozen=True)
class Asked:
    """A metric with the options of its state, asked for on a sample."""

    key: str
    metric: Any
    options: Mapping[str, Any]
    sample: Sample
    sides: Sides
    groups: Codes | None = None

    @cached_property
    def estimate(self) -> Any:
        """The metric on the sample."""
        return self.metric.value(self.sample.state, **self.options)

    @cached_property
    def closed(self) -> Forms:
        """The intervals without resampling, the one that "auto" takes first."""
        if self._of_classes:
            return together([one.closed for one in self._of_classes])
        if isinstance(self.metric, PlainMetric):
            return {}
        asked = self.sample, self.metric, self.options
        if self.groups is not None or self.sample.weight is not None:
            return cluster_forms(*asked, self.groups, self.sides.two_sided)
        return forms(*asked, self.sides.two_sided)

    @cached_property
    def _of_classes(self) -> list[Asked]:
        """The same of each class by itself, which has the methods of one value."""
        if isinstance(self.metric, PlainMetric):
            return []
        parts = questions(self.sample, self.options)
        return [replace(self, sample=sample, options=options) for sample, options in parts]

    def method(self, wanted: str) -> str:
        """Return the method to use, or refuse one that the metric does not have."""
        if wanted in ALL_FORMS and (self.groups is not None or self.sample.weight is not None):
            clusters = "" if self.groups is None else f" or method={CLUSTER!r}"
            raise ValueError(
                f"method={wanted!r} takes every row as one independent example; with sample_weight or "
                f"groups use the bootstrap, method={' or '.join(map(repr, BOOTSTRAPS))}{clusters}."
            )
        closed = self.closed
        if isinstance(self.sample, WeighedCells) and (wanted in BOOTSTRAPS or not closed):
            raise ValueError(
                f"The interval of {self.metric.name} by the bootstrap draws rows with their weights, "
                f"and of rows in chunks only sums are kept; take method={CLUSTER!r} of a metric that "
                "has it, or pass arrays in memory."
            )
        if wanted == "auto":
            many = self.sample.n_rows > _MOST_FOR_BCA
            drawn = "percentile" if many else "bca"
            return drawn if self._few_events else next(iter(closed), drawn)
        return check_choice("method", wanted, ("auto", *closed, *BOOTSTRAPS))

    def result(self, method: str, found: Found, n_resamples: int = 0) -> Interval:
        """Return the public record."""
        low, high = self.sides.ends(found.low, found.high, self.metric.bounds)
        clusters = note_of_clusters(self.groups, method)
        weights = "" if self.sample.weight is None else _SAMPLING_WEIGHTS
        return Interval(
            self.key,
            plain(self.estimate),
            plain(low),
            plain(high),
            plain(found.error),
            self.sides.confidence_level,
            found.method or method,
            n_resamples,
            "; ".join(filter(None, [found.note, clusters, weights])),
            classes=self._classes,
        )

    @property
    def _classes(self) -> Any:
        """What each of several values is about."""
        if not np.ndim(self.estimate):
            return None
        problem, _ = self.metric.kind.select(self.metric, self.options, STRICT)
        return getattr(problem(self.sample.state), "names", None)

    @property
    def _few_events(self) -> bool:
        """Whether the first form rests on an influence curve, of too few units of some class."""
        if self._of_classes:
            return any(one._few_events for one in self._of_classes)
        first = next(iter(self.closed.values()), None)
        if getattr(first, "func", None) is not linearized or self.metric.losses is not None:
            return False
        classes = isinstance(self.sample, ScoreSample) and self.sample.multiplicity is None
        return classes and independent_pairs(self.sample, self.groups) < _FEWEST_EVENTS

    @property
    def note(self) -> str:
        """What to know of the metric's bootstrap."""
        if isinstance(self.metric, PlainMetric):
            return ""
        parameters = own_parameters(self.metric, self.options)
        minmax = self.options.get("rescale") == "minmax"
        return _NO_GUARANTEE if minmax or reads_the_ends(self.metric, parameters) else ""


def answers(
    asked: Sequence[Asked], wanted: str, drawn: Resampling, n_resamples: int, rng: Any
) -> dict[str, Interval]:
    """Answer without resampling where the method needs none, the others from the same resamples."""
    methods = {each.key: each.method(wanted) for each in asked}
    results, left = {}, []
    for each in asked:
        method = methods[each.key]
        if method in BOOTSTRAPS:
            left.append(each)
        else:
            results[each.key] = each.result(method, each.closed[method]())
    if left:
        results |= _bootstrapped(left, methods, drawn, n_resamples, rng)
    return {name: results[name] for name in methods}


def _bootstrapped(
    asked: Sequence[Asked],
    methods: Mapping[str, str],
    drawn: Resampling,
    n_resamples: int,
    rng: Any,
) -> dict[str, Interval]:
    """Answer from replicates of all metrics on the same resamples."""
    sample, formulas = asked[0].sample, [(each.metric, each.options) for each in asked]
    values = replicates(sample, formulas, drawn, n_resamples, rng)
    bends = [np.zeros(v.shape[1:]) for v in values]
    if "bca" in methods.values():
        bends = acceleration(sample, formulas, drawn, n_resamples, rng)
    return {
        each.key: _from_replicates(each, methods[each.key], v, bend, drawn)
        for each, v, bend in zip(asked, values, bends, strict=True)
    }


def _from_replicates(
    each: Asked, method: str, values: Floats, bend: Floats, drawn: Resampling
) -> Interval:
    defined = (~np.isnan(values)).sum(axis=0)
    if not np.all(defined > 1) or np.isnan(each.estimate).any():
        nothing = np.full(np.shape(each.estimate), np.nan)
        return each.result(method, Found(nothing, nothing, nothing), int(defined.min()))
    estimate = np.asarray(each.estimate)
    low, high = BOOTSTRAPS[method](values, estimate, bend, each.sides.two_sided)
    with np.errstate(invalid="ignore"):  # infinite ratios have no standard deviation
        error = np.nanstd(values, axis=0, ddof=1)
    found = Found(low, high, error, note=each.note)
    if flat(found).any():
        found = all_alike(
            each.sample, each.metric, each.options, drawn, each.sides.two_sided, found
        )
    missing = len(values) - int(defined.min())
    if missing:
        found = found._replace(
            note="; ".join(
                filter(None, [found.note, f"undefined on {missing} of {len(values)} resamples"])
            )
        )
    return each.result(method, found, int(defined.min()))
