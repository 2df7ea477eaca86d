"""Predicted labels with what each example costs of its own, such as the amount of a payment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..._arrays import Array, Codes, Floats, check_same_length, float_array, rows_of, weight_vector
from .inputs import IndicatorPair, LabelPair, Record, check_label_pair, refuse_multilabel


@dataclass(frozen=True, eq=False)
class CostedLabels(Record):
    """True and predicted labels as codes into `classes`, with what each call of an example would cost.

    `costs` has shape (n, n_classes): a column a call, the true class being what it is.
    """

    _by_row: ClassVar[tuple[str, ...]] = ("true", "pred", "costs")
    many_weights = True

    classes: Array
    true: Codes
    pred: Codes
    costs: Floats
    weight: Floats | None


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
    if isinstance(pair, IndicatorPair):
        raise refuse_multilabel("A metric of the costs of examples")
    costs, weight = example_cost_array(example_costs), weight_vector(sample_weight)
    check_same_length({names[0]: y_true, "example_costs": costs})
    costs = costs if weight is None else costs[weight > 0]
    return CostedLabels(pair.classes, pair.true, pair.pred, _of_calls(costs, pair), pair.weight)


def example_cost_array(example_costs: Any) -> Floats:
    """Return finite costs, a row or a matrix of them an example."""
    if example_costs is None:
        raise TypeError(
            "example_costs is missing: pass what each example costs, shape (n_samples, n_classes), or "
            "(n_samples, n_classes, n_classes) for costs[i, true, predicted]. Scorers are handed those "
            "of NestedCV.fit(..., example_costs=), and of other searches by metadata routing."
        )
    costs = float_array(example_costs, "example_costs")
    if costs.ndim not in (2, 3) or (costs.ndim == 3 and costs.shape[1] != costs.shape[2]):
        raise ValueError(
            "example_costs must have shape (n_samples, n_classes) or (n_samples, n_classes, "
            f"n_classes), found {costs.shape}."
        )
    if not np.isfinite(costs).all():
        odd = ~np.isfinite(costs)
        first = int(np.argwhere(odd)[0, 0])
        raise ValueError(
            f"example_costs contains NaN or infinity, first in row {first}, in {rows_of(odd)}."
        )
    return costs


def _of_calls(costs: Floats, pair: LabelPair) -> Floats:
    """Return what each call of every example costs, a column a class in the order of the codes."""
    named = np.arange(len(pair.classes)) if pair.named is None else pair.named
    if costs.shape[-1] != len(named) or len(named) != len(pair.classes):
        raise ValueError(
            f"example_costs has {costs.shape[-1]} classes, y_true and y_pred have "
            f"{len(pair.classes)}: {', '.join(map(repr, pair.classes.tolist()))}; name all of them, in "
            "the order of the costs, with labels=."
        )
    columns = np.argsort(named)
    if costs.ndim == 2:
        return costs[:, columns]
    return costs[np.arange(len(costs))[:, None], columns[pair.true][:, None], columns]
