"""Metrics of example-dependent costs.

Every formula reads :class:`~skaucx.metrics._kinds.example_costs.CostedLabels`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .._kinds.example_costs import EXAMPLE_COSTS, CostedLabels
from .._registry.declare import metric

costed = partial(
    metric,
    source="Bahnsen et al. 2015",
    kind=EXAMPLE_COSTS,
    family="costs of examples",
    room="costs",
)


@costed(
    "example_cost_loss",
    better="low",
    bounds=(-np.inf, np.inf),
    aliases=("example_cost",),
    losses=lambda c: c.each,
)
def example_cost_loss(c: CostedLabels) -> Any:
    r"""Mean cost of predictions with example-dependent costs.

    Notes
    -----
    .. math:: \frac{\sum_i w_i \, c_i(y_i, \hat y_i)}{\sum_i w_i}

    Multiply by the number of examples for the total cost. Negative costs are gains. With equal
    costs for all examples it is :func:`expected_cost`.

    Examples
    --------
    >>> from skaucx.metrics.costs import example_cost_loss
    >>> costs = [[0, 5], [0, 5], [80, 5], [20, 5]]  # called good, called fraud
    >>> example_cost_loss([0, 0, 1, 1], [0, 1, 1, 0], example_costs=costs)
    7.5
    """
    return c.incurred


@costed(
    "savings_score",
    bounds=(-np.inf, np.inf),
    best=1,
    reason="predicting the cheapest class for all costs nothing, or gains",
)
def savings(c: CostedLabels) -> Any:
    r"""Savings: the relative reduction of costs against predicting the cheapest class for all.

    Notes
    -----
    .. math:: 1 - \frac{\sum_i w_i \, c_i(y_i, \hat y_i)}{\min_k \sum_i w_i \, c_i(y_i, k)}

    It is 1 if the predictions cost nothing, 0 if they cost as much as predicting the cheapest class
    for all examples, and negative if they cost more. It is undefined if that class costs nothing or
    gains, and above 1 if the predictions gain; for gains use
    :func:`example_cost_loss`.

    Examples
    --------
    >>> from skaucx.metrics.costs import savings_score
    >>> costs = [[0, 5], [0, 5], [80, 5], [20, 5]]  # called good, called fraud
    >>> savings_score([0, 0, 1, 1], [0, 1, 1, 1], example_costs=costs)
    0.25
    """
    cheapest = c.constant.min(axis=-1)
    return 1 - c.incurred / np.where(cheapest > 0, cheapest, np.nan)
