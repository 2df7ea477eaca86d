"""Chow's rule: reject where the expected cost of every class is above that of a rejection."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..._arrays import Array, Floats, by_name, float_array, named_labels, score_array
from ..._options import RealRange
from .._records.inputs import refuse_named_costs

_REJECT_COST = RealRange(0, math.inf)


def chow_predictions(
    y_proba: ArrayLike,
    *,
    reject_cost: float,
    cost: ArrayLike | None = None,
    labels: ArrayLike | None = None,
) -> Any:
    r"""Return the cheapest prediction of each example, masked where rejection is cheaper.

    Parameters
    ----------
    y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Probabilities of the positive class, or one column per class in sorted order.
    reject_cost : float >= 0
        Cost of a rejection.
    cost : array-like of shape (n_classes, n_classes), default=None
        ``cost[true, predicted]``; None means 1 for an error and 0 otherwise. Example-dependent
        costs have shape (n_samples, n_classes, n_classes); see
        :func:`example_cost_loss`.
    labels : array-like of shape (n_classes,), default=None
        The sorted classes; 0, 1, ... by default.

    Returns
    -------
    y_pred : numpy.ma.MaskedArray of shape (n_samples,)
        Masked entries are rejected; the data are the predictions without rejection. Metrics of
        rejections, :func:`evaluate`, :func:`interval` and the tests accept the masked array.

    Raises
    ------
    ValueError, TypeError
        If probabilities lie outside [0, 1], or shapes do not fit.

    Notes
    -----
    The class k costs :math:`\sum_j p_j \, c_{jk}` on average. The least of these is compared with the
    cost d of a rejection; with errors that all cost 1, that rejects where
    :math:`\max_k p_k < 1 - d` [1]_.

    References
    ----------
    .. [1] C. K. Chow, On optimum recognition error and reject tradeoff, IEEE Transactions on
       Information Theory 16(1), 41-46, 1970.

    Examples
    --------
    >>> from skaucx.evaluation import evaluate
    >>> from skaucx.metrics.rejection import chow_predictions
    >>> y_pred = chow_predictions([0.9, 0.2, 0.7, 0.6], reject_cost=0.35)
    >>> y_pred.data.tolist(), y_pred.mask.tolist()
    ([1, 0, 1, 1], [False, False, False, True])
    >>> evaluate([1, 0, 1, 0], y_pred, metrics=["coverage", "accuracy"]).to_frame().value.tolist()
    [0.75, 1.0]
    """
    proba = _matrix(y_proba if labels is None else by_name(y_proba, None, "y_proba", labels))
    price = _REJECT_COST.check("reject_cost", reject_cost)
    classes = np.arange(proba.shape[1]) if labels is None else named_labels(labels)
    if len(classes) != proba.shape[1]:
        raise ValueError(f"y_proba has {proba.shape[1]} classes, but labels names {len(classes)}.")
    if cost is None:
        best, rejected = proba.argmax(axis=1), proba.max(axis=1) < 1 - price
    else:
        costs = _costs(cost, proba.shape[1], len(proba))
        expected = (proba[:, None] @ costs)[:, 0]
        best, rejected = expected.argmin(axis=1), expected.min(axis=1) > price
    return np.ma.array(classes[best], mask=rejected)


def chow_thresholds(*, reject_cost: float, cost: ArrayLike | None = None) -> tuple[float, float]:
    r"""Return the two probabilities of the positive class between which rejecting is cheapest.

    Parameters
    ----------
    reject_cost : float >= 0
        What a rejection costs.
    cost : array-like of shape (2, 2), default=None
        ``cost[true, predicted]``, negatives first; None means 1 for an error and 0 otherwise.

    Returns
    -------
    low, high : float
        Below `low` the negative class is cheapest, from `high` on the positive one. Both are the
        threshold without rejections if a rejection is never the cheapest.

    Raises
    ------
    ValueError, TypeError
        If an error costs no more than the right prediction.

    Notes
    -----
    .. math:: \frac{d - c_{00}}{c_{10} - c_{00}}, \quad \frac{c_{01} - d}{c_{01} - c_{11}}

    with the cost d of a rejection.

    Examples
    --------
    >>> from skaucx.metrics.rejection import chow_thresholds
    >>> chow_thresholds(reject_cost=0.25)
    (0.25, 0.75)
    >>> chow_thresholds(reject_cost=1, cost=[[0, 2], [10, 0]])
    (0.1, 0.5)
    """
    price = _REJECT_COST.check("reject_cost", reject_cost)
    (c00, c01), (c10, c11) = np.array([[0.0, 1.0], [1.0, 0.0]]) if cost is None else _costs(cost, 2)
    if not (c01 > c00 and c10 > c11 and c10 > c00 and c01 > c11):
        raise ValueError(
            "cost must make every error cost more than the correct predictions of either class, "
            f"found {[[c00, c01], [c10, c11]]}."
        )
    low, high = (price - c00) / (c10 - c00), (c01 - price) / (c01 - c11)
    if low >= high:
        low = high = (c01 - c00) / (c01 - c00 + c10 - c11)
    return float(np.clip(low, 0, 1)), float(np.clip(high, 0, 1))


def _matrix(y_proba: Any) -> Floats:
    proba = score_array(y_proba, "y_proba")
    if proba.min() < 0 or proba.max() > 1:
        raise ValueError(
            f"y_proba lies in [{proba.min():.6g}, {proba.max():.6g}], but probabilities lie in "
            "[0, 1]; pass the output of predict_proba."
        )
    return np.column_stack([1 - proba, proba]) if proba.ndim == 1 else proba


def _costs(cost: Any, classes: int, examples: int | None = None) -> Array:
    refuse_named_costs(cost, classes)
    costs, one = float_array(cost, "cost"), (classes, classes)
    shapes = [one] if examples is None else [one, (examples, *one)]
    if costs.shape not in shapes or not np.isfinite(costs).all():
        raise ValueError(
            f"cost must hold finite numbers of shape {' or '.join(map(str, shapes))}, found shape "
            f"{costs.shape}."
        )
    return costs
