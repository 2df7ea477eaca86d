"""Costs that every example has of its own: as a loss, and as a scorer that is handed them."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn
from sklearn import metrics as sklearn_metrics

from ..._arrays import Floats, check_same_length, float_array
from ..._options import check_flag
from .._records.inputs import IndicatorPair, check_label_pair, refuse_multilabel


def example_cost_loss(
    y_true: Any,
    y_pred: Any,
    *,
    cost: Any,
    labels: Any = None,
    sample_weight: Any = None,
    savings: bool = False,
) -> float:
    r"""Return the mean cost of predictions whose errors cost every example differently.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted class labels.
    cost : array-like of shape (n_samples, n_classes) or (n_samples, n_classes, n_classes)
        What each example costs, classes in sorted order or in that of `labels`: by its predicted class,
        or ``cost[i, true, predicted]``.
    labels : array-like of shape (n_classes,), default=None
        The classes of the columns, where some do not occur.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights >= 0.
    savings : bool, default=False
        Whether to return the share that is saved beside the cheapest class for all, of which more is
        better.

    Returns
    -------
    float
        nan for savings where that class costs nothing.

    Raises
    ------
    ValueError, TypeError
        If the arrays do not fit each other, or costs are not finite.

    Notes
    -----
    .. math:: \frac{\sum_i w_i \, c_i(y_i, \hat y_i)}{\sum_i w_i}

    Every metric of equal costs for all is :func:`expected_cost`.

    References
    ----------
    .. [1] A. C. Bahnsen, D. Aouada and B. Ottersten, Example-dependent cost-sensitive decision trees,
       Expert Systems with Applications 42(19), 6609-6619, 2015.

    Examples
    --------
    >>> from skaucx.metrics import example_cost_loss
    >>> cost = [[0, 5], [0, 5], [80, 5], [20, 5]]  # called good, called fraud
    >>> example_cost_loss([0, 0, 1, 1], [0, 1, 1, 0], cost=cost)
    7.5
    >>> example_cost_loss([0, 0, 1, 1], [0, 1, 1, 0], cost=cost, savings=True)
    -0.5
    """
    pair = check_label_pair(y_true, y_pred, labels=labels)
    if isinstance(pair, IndicatorPair):
        raise refuse_multilabel("example_cost_loss")
    classes = np.arange(len(pair.classes)) if pair.named is None else pair.named
    costs = _costs(cost, len(pair.true), len(classes))
    weight = (
        np.ones(len(pair.true))
        if sample_weight is None
        else float_array(sample_weight, "sample_weight")
    )
    check_same_length({"y_true": pair.true, "sample_weight": weight})
    place = np.argsort(classes)
    rows = np.arange(len(costs))
    of_calls = costs if costs.ndim == 2 else costs[rows, place[pair.true]]
    mean = float(weight @ of_calls[rows, place[pair.pred]] / weight.sum())
    if not check_flag("savings", savings):
        return mean
    cheapest = float((weight @ of_calls / weight.sum()).min())
    return 1 - mean / cheapest if cheapest else float("nan")


def _costs(cost: Any, rows: int, classes: int) -> Floats:
    array = np.asarray(cost)
    if array.dtype.kind not in "biuf" or array.ndim not in (2, 3):
        raise ValueError(
            "cost must hold numbers of shape (n_samples, n_classes) or (n_samples, n_classes, "
            f"n_classes), found {array.dtype} of shape {array.shape}."
        )
    if array.shape != (rows, *[classes] * (array.ndim - 1)) or not np.isfinite(array).all():
        raise ValueError(
            f"cost must be finite, for {rows} examples and {classes} classes, found shape "
            f"{array.shape}; name all classes with labels= if some do not occur."
        )
    return array.astype(np.float64)


def example_cost_scorer(*, savings: bool = False, labels: Any = None) -> Any:
    """Return a scorer of costs that every example has of its own, which metadata routing hands it.

    Parameters
    ----------
    savings : bool, default=False
        Whether to score the share that is saved; else minus the mean cost.
    labels : array-like of shape (n_classes,), default=None
        The classes of the columns of the costs, where some do not occur.

    Returns
    -------
    scorer
        As :func:`sklearn.metrics.make_scorer` makes it. Under
        ``sklearn.set_config(enable_metadata_routing=True)`` it asks for ``cost``, so that searches and
        cross-validation cut ``params={"cost": cost}`` as they cut the rows.

    Examples
    --------
    >>> import numpy as np
    >>> import sklearn
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skaucx.metrics import example_cost_scorer
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 0, 1, 1]
    >>> model = LogisticRegression().fit(X, y)
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     example_cost_scorer()(model, X, y, cost=[[0, 5], [0, 5], [80, 5], [20, 5]])
    -2.5
    """
    scorer = sklearn_metrics.make_scorer(
        example_cost_loss,
        greater_is_better=check_flag("savings", savings),
        savings=savings,
        labels=labels,
    )
    with sklearn.config_context(enable_metadata_routing=True):
        return scorer.set_score_request(cost=True)
