"""The threshold of a classifier, chosen by a metric on predictions that are given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...metrics import get_scorer, threshold_curves
from ...metrics._scorers.bound import BoundMetric, bound_metric
from .._scoring import resolve_scoring
from .._types import Floats
from ._rules import Limit, limits_of


@dataclass(frozen=True)
class Cut:
    """A threshold: scores at or above it are predicted positive.

    ``value`` is that of the metric on the predictions that chose, ``feasible`` whether the
    constraints are kept there.
    """

    threshold: float
    value: float
    feasible: bool


@dataclass(frozen=True, eq=False)
class ThresholdRule:
    """The criterion of a threshold: a metric, and others that are held to limits."""

    metric: BoundMetric
    constraints: tuple[tuple[BoundMetric, Limit], ...] = ()

    def choose(
        self, y_true: NDArray[Any], score: Floats, positive: Any, weight: Floats | None = None
    ) -> Cut:
        """Choose among all cuts between distinct scores, those that call all or nothing included.

        Of equal values the cut with the better constrained metric wins, then the higher one. If no
        threshold satisfies the constraints, the one with the least sum of shortfalls is chosen.

        Examples
        --------
        >>> import numpy as np
        >>> from skaucx.model_selection.decisions._threshold import threshold_rule
        >>> y, score = np.array([0, 0, 1, 0, 1]), np.array([0.1, 0.3, 0.4, 0.6, 0.8])
        >>> rule = threshold_rule({"precision": {"recall": (">=", 1.0)}})
        >>> rule.choose(y, score, positive=1)
        Cut(threshold=0.35, value=0.6666666666666666, feasible=True)
        """
        values, cuts = self._curve(self.metric, y_true, score, positive, weight)
        if self.metric.function.metric.greater_is_better is False:
            values = -values
        gaps = [
            limit.gap(self._curve(metric, y_true, score, positive, weight)[0])
            for metric, limit in self.constraints
        ]
        gaps = [np.where(np.isnan(gap), -np.inf, gap) for gap in gaps]
        nothing = np.zeros(len(values))
        short = sum((np.minimum(gap, 0) for gap in gaps), nothing)
        defined, slack = ~np.isnan(values), sum(gaps, nothing)
        at = int(np.lexsort((-slack, -np.where(defined, values, -np.inf), -short, ~defined))[0])
        return Cut(_between(cuts, at), float(values[at]), bool(defined[at] and short[at] == 0))

    @staticmethod
    def _curve(
        bound: BoundMetric,
        y_true: Any,
        score: Floats,
        positive: Any,
        weight: Floats | None,
    ) -> tuple[Floats, Floats]:
        """Return a metric at every cut from the highest, and the cuts."""
        row = bound.function.metric
        given = {name: value for name, value in bound.parameters.items() if name != "pos_label"}
        curves = threshold_curves(
            y_true, score, [row.name], pos_label=positive, sample_weight=weight, **given
        )
        return curves[row.name], curves.thresholds


def _between(cuts: Floats, at: int) -> float:
    """Return a threshold half-way to the next lower score; below the lowest one, minus infinity."""
    if at == len(cuts) - 1:
        return -np.inf
    return float(cuts[at] if np.isinf(cuts[at]) else 0.5 * cuts[at] + 0.5 * cuts[at + 1])


def threshold_rule(given: Any) -> ThresholdRule | None:
    """Return the rule of ``threshold=``.

    Parameters
    ----------
    given : None, str, scorer, dict or array-like of shape (2, 2)
        The metric to be best; ``{metric: {constrained: (">=" or "<=", value)}}``; or costs, true
        classes in rows and predicted ones in columns, both in sorted order.

    Raises
    ------
    ValueError, TypeError
        If a metric is not a function of the confusion table of two classes.
    """
    if given is None:
        return None
    if isinstance(given, Mapping):
        if len(given) != 1:
            raise ValueError(f"threshold must name one metric to be best, found {given!r}.")
        [(metric, constraints)] = given.items()
        kept = limits_of(constraints, "threshold").items()
        held = tuple((_metric_of_labels(name), limit) for name, limit in kept)
        return ThresholdRule(_metric_of_labels(metric), held)
    if isinstance(given, str) or callable(given):
        return ThresholdRule(_metric_of_labels(given))
    cost = np.asarray(given)
    if cost.shape != (2, 2) or cost.dtype.kind not in "iuf":
        raise TypeError(
            "threshold must be the name of a metric, a scorer, a dict from a metric to its "
            f"constraints, or 2 x 2 costs, found {given!r}."
        )
    costs = cost.astype(np.float64)
    return ThresholdRule(_metric_of_labels(get_scorer("neg_expected_cost", cost=costs)))


def _metric_of_labels(given: Any) -> BoundMetric:
    """Return a metric of the confusion table of two classes, with its parameters."""
    [scorer] = resolve_scoring(given).scorers.values()
    bound = bound_metric(scorer)
    counted = bound is not None and bound.function.metric.kind.counted
    if bound is None or not counted or bound.parameters.get("average", "binary") != "binary":
        raise ValueError(
            f"threshold takes metrics of the confusion table of two classes, found {given!r}."
        )
    return bound
