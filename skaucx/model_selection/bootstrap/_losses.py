"""Losses of single examples and of uninformative predictions, by a metric's own formula."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from skaucx.metrics import list_metrics, roc_auc_score
from skaucx.metrics._scorers.bound import BoundMetric
from skaucx.metrics.kinds.scores.class_scores import Probabilities

from ..._arrays import rounding_unit
from ...metrics._scorers.bound import bound_metric
from .._types import Floats, Scorer

Responses = Mapping[str, NDArray[Any]]


class Losses(Protocol):
    """The functions of a metric that a loss-based estimate needs."""

    def each(self, model: Any, y: NDArray[Any], responses: Responses) -> Floats | None:
        """Return a loss an example; None for an AUC."""

    def no_information(
        self, model: Any, y: NDArray[Any], responses: Responses, weight: Floats | None = None
    ) -> float:
        """Return the mean loss over all pairs of a truth and a prediction, weights multiplied."""


@dataclass(frozen=True, eq=False)
class LabelLosses:
    """Losses that depend on the true and the predicted label; ``table`` has shape (K, K)."""

    classes: NDArray[Any]
    table: Floats

    @classmethod
    def of(cls, bound: BoundMetric, classes: NDArray[Any]) -> LabelLosses:
        """Read each cell's loss from a confusion table that holds one example."""
        options = dict(bound.parameters)
        if "pos_label" in bound.function.options and "average" not in options:
            positive = options.get("pos_label")
            code = len(classes) - 1 if positive is None else classes.tolist().index(positive)
            options["pos_label"] = code
        cells = np.eye(len(classes) ** 2).reshape(-1, len(classes), len(classes))
        values = [
            bound.function.from_table(cell, zero_division=np.nan, **options) for cell in cells
        ]
        losses = _as_losses(bound, np.array(values, dtype=np.float64))
        return cls(classes, losses.reshape(cells.shape[1:]))

    def _codes(self, y: NDArray[Any], responses: Responses) -> tuple[Any, Any]:
        return np.searchsorted(self.classes, y), np.searchsorted(self.classes, responses["predict"])

    def each(self, model: Any, y: NDArray[Any], responses: Responses) -> Floats:
        return self.table[self._codes(y, responses)]

    def no_information(
        self, model: Any, y: NDArray[Any], responses: Responses, weight: Floats | None = None
    ) -> float:
        true, predicted = (
            _shares(codes, len(self.classes), weight) for codes in self._codes(y, responses)
        )
        return float(true @ self.table @ predicted)


@dataclass(frozen=True, eq=False)
class ProbabilityLosses:
    """Losses of class probabilities; a class that a model never saw has probability 0."""

    classes: NDArray[Any]
    bound: BoundMetric

    def each(self, model: Any, y: NDArray[Any], responses: Responses) -> Floats:
        outcome = np.searchsorted(self.classes, y)
        return self._losses(self._table(model, responses), outcome)

    def no_information(
        self, model: Any, y: NDArray[Any], responses: Responses, weight: Floats | None = None
    ) -> float:
        table = self._table(model, responses)
        shares = _shares(np.searchsorted(self.classes, y), len(self.classes), weight)
        means = [
            np.average(self._losses(table, np.full(len(table), code)), weights=weight)
            for code in range(len(self.classes))
        ]
        return float(shares @ means)

    def _table(self, model: Any, responses: Responses) -> Floats:
        given = responses["predict_proba"]
        table = np.zeros((len(given), len(self.classes)), dtype=given.dtype)
        table[:, np.searchsorted(self.classes, model.classes_)] = given
        return table

    def _losses(self, table: Floats, outcome: NDArray[np.intp]) -> Floats:
        losses = self.bound.function.metric.losses
        record = Probabilities(table, outcome, np.ones(len(table)), rounding_unit(table))
        values = losses(record, **self.bound.parameters)  # type: ignore[misc]
        return _as_losses(self.bound, values)


@dataclass(frozen=True, eq=False)
class AucLosses:
    """An AUC has a loss, 1 less the AUC, but no losses of single examples."""

    name: str
    uninformed: float | None
    scorer: Scorer

    def each(self, model: Any, y: NDArray[Any], responses: Responses) -> None:
        return None

    def no_information(
        self, model: Any, y: NDArray[Any], responses: Responses, weight: Floats | None = None
    ) -> float:
        """Return the known loss, or let each score stand once for a positive, once for a negative."""
        if self.uninformed is not None:
            return 1 - self.uninformed
        if len(model.classes_) > 2:
            raise ValueError(
                f"method='.632+' takes {self.name!r} of two classes only, found "
                f"{len(model.classes_)}; use method='.632', or an AUC that gives 1/2 to scores "
                "without information, such as 'roc_auc'."
            )
        twice = {name: np.concatenate([values, values]) for name, values in responses.items()}
        truth = np.repeat(model.classes_, len(y))
        weights = None if weight is None else np.concatenate([weight, weight])
        scores = self.scorer.score(model, None, truth, sample_weight=weights, responses=twice)
        return 1 - scores[self.name]


def losses_of(scorer: Scorer, name: str, scoring: Any, classes: NDArray[Any]) -> Losses:
    """Return the losses of a scorer; raise an error if it has none."""
    bound = bound_metric(scoring)
    if bound is not None:
        row = bound.function.metric
        if row.family == roc_auc_score.metric.family:
            return AucLosses(name, row.uninformed, scorer)
        if _has_losses(row) and _is_mean(bound):
            of_tables = row.kind.counted
            return (
                LabelLosses.of(bound, classes) if of_tables else ProbabilityLosses(classes, bound)
            )
    means = [row.scorer_name for row in list_metrics() if _has_losses(row)]
    raise ValueError(
        "The .632 estimates need a metric of skaucx that is a mean of losses of single examples "
        f"({', '.join(means)}) or an AUC, found {name!r}; method='plain' takes any metric."
    )


def _has_losses(row: Any) -> bool:
    """Whether labels, or probabilities, determine the loss of an example."""
    return row.losses is not None and (row.kind.counted or row.kind.name == "probabilities")


def greater_is_better(scoring: Any) -> bool:
    """Whether a score enters as 1 - score, not as the loss whose negative it is."""
    bound = bound_metric(scoring)
    return bound is None or bound.function.metric.greater_is_better is not False


def _is_mean(bound: BoundMetric) -> bool:
    """Whether the metric with these parameters is a plain mean over examples."""
    given = bound.parameters
    return (
        given.get("normalize", True) is True
        and given.get("average", "binary") in ("binary", "macro", "micro")
        and given.get("labels") is None
    )


def _as_losses(bound: BoundMetric, values: Floats) -> Floats:
    return values if bound.function.metric.greater_is_better is False else 1 - values


def _shares(codes: NDArray[np.intp], n_classes: int, weight: Floats | None) -> Floats:
    totals = np.bincount(codes, weights=weight, minlength=n_classes)
    return totals / totals.sum()
