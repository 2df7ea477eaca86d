"""Errors of predicted numbers.

Every formula reads a :class:`~skaucx.metrics.kinds.regression.Numbers`, also with weights that have a
leading axis of replicates.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import numpy as np

from ..._arrays import Floats, quotient
from ..._options import Positive, WholePositive
from .._registry.declare import metric
from ..kinds.regression import REGRESSION, Numbers, number_vector
from ..kinds.totals import SumOf

forecast = partial(metric, kind=REGRESSION, family="errors of numbers", better="low")


def check_series(name: str, value: Any) -> Floats:
    """Check the numbers of a training part, in their order."""
    return number_vector(value, name)


Series = Annotated[Floats, check_series]


def relative_gaps(r: Numbers) -> Floats:
    """Return the absolute errors relative to the mean absolute value of both numbers."""
    return 2 * quotient(gaps(r), np.abs(r.true) + np.abs(r.pred))


def gaps(r: Numbers) -> Floats:
    """Return the absolute error of each example."""
    return np.abs(r.true - r.pred)


def gaps_of_naive(
    r: Numbers, *, y_train: Any = None, scale: float | None = None, period: int = 1
) -> Floats:
    """Return the absolute errors relative to that of the naive forecast."""
    return np.asarray(gaps(r) / _naive_error(y_train, scale, period))


@forecast(
    "smape_loss",
    "Makridakis 1993",
    bounds=(0, 2),
    aliases=("smape",),
    transposed="smape_loss",
    losses=relative_gaps,
)
def smape_loss(r: Numbers) -> Floats:
    r"""SMAPE: the mean absolute error, each relative to the mean absolute value of both numbers.

    Notes
    -----
    .. math:: \frac1n \sum_{i=1}^n \frac{2 \, |a_i - f_i|}{|a_i| + |f_i|}

    with the true values a and the predicted f; a term with both 0 is 0. Other texts multiply by
    100, or omit the 2.

    Examples
    --------
    >>> from skaucx.metrics import smape_loss
    >>> round(smape_loss([1.0, 2.0, 4.0], [1.0, 3.0, 3.0]), 4)
    0.2286
    """
    return r.sum_of(relative_gaps) / r.total_weight


@forecast(
    "mase_loss",
    "Hyndman & Koehler 2006",
    bounds=(0, np.inf),
    aliases=("mase",),
    losses=gaps_of_naive,
    totals=(SumOf(gaps),),
)
def mase_loss(
    r: Numbers,
    *,
    y_train: Series | None = None,
    scale: Positive | None = None,
    period: WholePositive = 1,
) -> Floats:
    r"""MASE: the mean absolute error divided by that of the naive forecast on the training part.

    Parameters
    ----------
    y_train : array-like of shape (n_train,), default=None
        The values of the training part in their order. :class:`NestedCV` takes it from each fold.
    scale : float > 0, default=None
        The mean absolute error of the naive forecast, in place of `y_train`.
    period : int, default=1
        The lag of the naive forecast; 1 repeats the last value, the length of a season the value of
        the last season.

    Notes
    -----
    .. math:: \frac{\frac1n \sum_{i=1}^n |a_i - f_i|}
              {\frac{1}{T - m} \sum_{t=m+1}^{T} |y_t - y_{t-m}|}

    with the true values a, the predicted f, and the period m. It is infinite if the training part
    is constant.

    Examples
    --------
    >>> from skaucx.metrics import mase_loss
    >>> mase_loss([5.0, 7.0], [4.0, 6.0], y_train=[1.0, 3.0, 2.0, 3.0])
    0.75
    >>> mase_loss([5.0, 7.0], [4.0, 6.0], scale=2.0)
    0.5
    """
    return r.sum_of(gaps) / r.total_weight / _naive_error(y_train, scale, period)


def _naive_error(y_train: Floats | None, scale: float | None, period: int) -> Any:
    """Return the mean absolute error of the forecast that repeats the value a period ago."""
    if (y_train is None) == (scale is None):
        found = "neither" if scale is None else "both"
        raise ValueError(f"mase_loss needs one of y_train and scale, found {found}.")
    if y_train is None:
        return scale
    if len(y_train) <= period:
        raise ValueError(
            f"y_train must hold more than period={period} values, found {len(y_train)}."
        )
    return np.abs(y_train[period:] - y_train[:-period]).mean()
