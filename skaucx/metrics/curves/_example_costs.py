"""What calling positive from a threshold on costs, where every example has costs of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._arrays import Floats, score_array, weight_vector, without_zero_weights
from .._records.inputs import known_positive, positive_code
from ..kinds.example_costs import Costs, check_costed_labels


def costs_at_thresholds(
    thresholds: Floats,
    y_true: Any,
    y_score: Any,
    example_costs: Any,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> Costs:
    """Return the mean costs at thresholds that fall from infinity over the distinct scores."""
    record = check_costed_labels(
        y_true, y_true, example_costs=example_costs, sample_weight=sample_weight
    )
    score, _ = without_zero_weights(weight_vector(sample_weight), score_array(y_score, "y_score"))
    positive = known_positive(positive_code(record.classes, pos_label))
    weight = np.ones(len(score)) if record.weight is None else record.weight
    shares = weight / weight.sum()
    called, spared = shares * record.costs[:, positive], shares * record.costs[:, 1 - positive]
    place = np.searchsorted(thresholds[:0:-1], score)
    change = np.bincount(place, called - spared, len(thresholds) - 1)[::-1]
    incurred = spared.sum() + np.append(0.0, np.cumsum(change))
    return Costs(incurred, np.array([spared.sum(), called.sum()]))
