"""Predicted labels with example-dependent costs, such as the amount of a payment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np

from ..._arrays import (
    Array,
    Codes,
    Floats,
    by_name,
    check_same_length,
    float_array,
    rows_of,
    weight_vector,
)
from .._records.inputs import LabelPair, Record, check_label_pair, refuse_multilabel
from .base import Inputs, Kind


@dataclass(frozen=True, eq=False)
class CostedLabels(Record):
    """True and predicted labels as codes into `classes`, with the cost of each possible prediction.

    `costs` has shape (n, n_classes): one column per prediction, given the true class.
    """

    by_row: ClassVar[tuple[str, ...]] = ("true", "pred", "costs")
    many_weights = True

    classes: Array
    true: Codes
    pred: Codes
    costs: Floats
    weight: Floats | None

    strata = property(attrgetter("true"), doc="The class of each row.")

    @property
    def each(self) -> Floats:
        """The cost of each example."""
        return self.costs[np.arange(len(self.pred)), self.pred]

    @property
    def incurred(self) -> Any:
        """The mean cost of the predictions, under one set of weights or many."""
        return (self.weights * self.each).sum(axis=-1) / self.total_weight

    @property
    def constant(self) -> Any:
        """The mean cost of each class called for all examples, of shape (..., n_classes)."""
        sums = [(self.weights * costs).sum(axis=-1) for costs in self.costs.T]
        return np.stack(sums, axis=-1) / np.asarray(self.total_weight)[..., None]


def check_costed_labels(
    y_true: Any,
    y_pred: Any,
    *,
    example_costs: Any = None,
    labels: Any = None,
    sample_weight: Any = None,
    names: Sequence[str] = ("y_true", "y_pred"),
) -> CostedLabels:
    """Check true and predicted labels with the costs of each example."""
    pair = check_label_pair(y_true, y_pred, labels=labels, sample_weight=sample_weight, names=names)
    if pair.multilabel:
        raise refuse_multilabel("A metric of the costs of examples")
    named = pair.classes if labels is None else labels
    costs = example_cost_array(by_name(example_costs, None, "example_costs", named))
    weight = weight_vector(sample_weight)
    check_same_length({names[0]: y_true, "example_costs": costs})
    costs = costs if weight is None else costs[weight > 0]
    return CostedLabels(pair.classes, pair.true, pair.pred, _of_calls(costs, pair), pair.weight)


def example_cost_array(example_costs: Any) -> Floats:
    """Return finite costs, a row or a matrix of them an example."""
    if example_costs is None:
        raise TypeError(
            "example_costs is missing: pass the costs of the examples, shape (n_samples, "
            "n_classes), or "
            "(n_samples, n_classes, n_classes) for costs[i, true, predicted]. Scorers receive "
            "those of NestedCV.fit(..., example_costs=), and in other searches by metadata routing."
        )
    costs = float_array(example_costs, "example_costs")
    if costs.ndim not in (2, 3) or (costs.ndim == 3 and costs.shape[1] != costs.shape[2]):
        raise ValueError(
            "example_costs must have shape (n_samples, n_classes) or (n_samples, n_classes, "
            f"n_classes), found {costs.shape}."
        )
    if not np.isfinite(costs).all():
        odd = rows_of(~np.isfinite(costs))
        raise ValueError(f"example_costs contains NaN or infinity, in {odd}.")
    return costs


def _of_calls(costs: Floats, pair: LabelPair) -> Floats:
    """Return the cost of each possible prediction for every example, one column per class."""
    named = np.arange(len(pair.classes)) if pair.named is None else pair.named
    if costs.shape[-1] != len(named) or len(named) != len(pair.classes):
        raise ValueError(
            f"example_costs has {costs.shape[-1]} classes, y_true and y_pred have "
            f"{len(pair.classes)}: {', '.join(map(repr, pair.classes.tolist()))}; name all of "
            "them, in the order of the costs, with labels=."
        )
    columns = np.argsort(named)
    if costs.ndim == 2:
        return costs[:, columns]
    return costs[np.arange(len(costs))[:, None], columns[pair.true][:, None], columns]


COSTED = Inputs(
    "predicted labels with costs of examples",
    "y_pred",
    check=check_costed_labels,
    of_classes=True,
    evaluated_with="example_costs",
    default_metrics=("savings", "example_cost_loss"),
    extra_arrays=("example_costs",),
    per_row_arguments=("example_costs",),
    texts={
        "example_costs": (
            "array-like of shape (n_samples, n_classes) or (n_samples, n_classes, n_classes)\n"
            "    Cost of each example, classes in sorted order or in that of `labels`: by predicted\n"
            "    class, or ``example_costs[i, true, predicted]``."
        )
    },
)


_OPTIONS = {"labels": None, "example_costs": None}


EXAMPLE_COSTS = Kind("example_costs", COSTED, settings=tuple(_OPTIONS), options=_OPTIONS)
