r"""Errors of predicted numbers.

A metric is a weighted mean over rows of a loss, a root of one, or a share that a model saves of the
loss of the best constant:

.. math:: \bar\ell = \frac{\sum_i w_i \ell_i}{\sum_i w_i}, \quad \sqrt{\bar\ell}, \quad
          1 - \frac{\sum_i w_i a_i}{\sum_i w_i b_i}

and of several outputs the average of their values. The best constant minimises the denominator, so that
moving it with the weights adds nothing to the derivatives with respect to the weights.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

import numpy as np
from scipy import special

from .._arrays import Floats, quotient, rows_of, score_array
from .._options import Positive, RealRange, Share, WholePositive
from ..metrics import declare
from ..metrics._kinds.averages import BY_VARIANCE, by_variance, over_outputs
from ._bibliography import BIBLIOGRAPHY
from ._kinds import Numbers


def check_power(name: str, value: Any) -> float:
    """Return the power of a Tweedie distribution."""
    if 0 < (power := RealRange(-np.inf, np.inf).check(name, value)) < 1:
        raise ValueError(f"{name} must be a number <= 0 or >= 1, found {value!r}.")
    return power


Power = Annotated[float, check_power]
Series = Annotated[Floats, lambda name, value: one_output(score_array(value, name), name)]


def one_output(values: Floats, name: str) -> Floats:
    """Return numbers of shape (n,); raise an error for several outputs."""
    if values.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, found shape {values.shape}.")
    return values


def quantile(values: Floats, weight: Floats, share: float) -> Floats:
    """Return a weighted quantile of every output; between two values that both are one, their mean."""
    x = values.reshape(len(values), -1)
    order = np.argsort(x, axis=0)
    below = np.cumsum(weight[order], axis=0)
    room = 4 * np.finfo(float).eps * below[-1]  # sums of weights that are equal but for rounding
    ends = [(below < share * below[-1] + side).sum(axis=0) for side in (-room, room)]
    rows = np.take_along_axis(order, np.minimum(ends, len(x) - 1), axis=0)
    return np.asarray(np.take_along_axis(x, rows, axis=0).mean(axis=0))


def refuse(odd: Any, name: str, rule: str) -> None:
    """Raise an error for numbers at which a loss is not defined."""
    if odd.any():
        raise ValueError(f"{name} must {rule} for this metric; it is not so in {rows_of(odd)}.")


def errors(r: Numbers) -> Floats:
    """Return the errors with their signs."""
    return r.true - r.pred


def distances(r: Numbers) -> Floats:
    """Return the absolute errors of one output."""
    return np.abs(one_output(r.true, "y_true") - r.pred)


def squares(r: Numbers) -> Floats:
    """Return the squared errors."""
    return errors(r) ** 2


def log_squares(r: Numbers) -> Floats:
    """Return the squared errors of log(1 + y)."""
    refuse(np.minimum(r.true, r.pred) <= -1, "y_true and y_pred", "be > -1")
    return np.asarray((np.log1p(r.true) - np.log1p(r.pred)) ** 2)


def pinballs(r: Numbers, *, alpha: float) -> Floats:
    """Return the losses of a quantile."""
    return np.maximum(alpha * errors(r), (alpha - 1) * errors(r))


def deviances(r: Numbers, *, power: float) -> Floats:
    r"""Return the unit deviances of a Tweedie distribution, :math:`2 \int_\mu^y (y - t) t^{-p} dt`.

    .. math:: 2 \left(y \, \bigl[B_{1-p}\bigr]_\mu^{y_+} - \bigl[B_{2-p}\bigr]_\mu^{y_+}\right),
              \qquad B_\lambda(t) = \frac{t^\lambda - 1}{\lambda}, \quad B_0(t) = \log t
    """
    y, mu = one_output(r.true, "y_true"), one_output(r.pred, "y_pred")
    if power == 0:
        return squares(r)
    refuse(mu <= 0, "y_pred", f"be > 0 at power={power:g}")
    refuse((y <= 0) & (power >= 2), "y_true", f"be > 0 at power={power:g}")
    refuse((y < 0) & (power >= 1), "y_true", f"be >= 0 at power={power:g}")
    first, second = (
        special.boxcox(np.maximum(y, 0), k - power) - special.boxcox(mu, k - power) for k in (1, 2)
    )
    return 2 * (np.multiply(y, first, where=y != 0, out=np.zeros_like(y)) - second)


def constantly(r: Numbers, value: Any) -> Numbers:
    """Return the same true numbers with one prediction for all rows."""
    return replace(r, pred=np.broadcast_to(value, r.true.shape))


def mean(values: Floats, r: Numbers) -> Any:
    """Return the weighted mean of each output."""
    return np.average(values, axis=0, weights=r.weights)


def of_squares(r: Numbers) -> tuple[Floats, Floats]:
    """Return the squared errors, and those of the mean."""
    return squares(r), squares(constantly(r, mean(r.true, r)))


def of_variances(r: Numbers) -> tuple[Floats, Floats]:
    """Return the squared errors but for a constant one, and those of the mean."""
    return (errors(r) - mean(errors(r), r)) ** 2, squares(constantly(r, mean(r.true, r)))


def of_quantiles(r: Numbers, *, alpha: float = 0.5) -> tuple[Floats, Floats]:
    """Return the losses of a quantile, and those of the true one."""
    return pinballs(r, alpha=alpha), pinballs(
        constantly(r, quantile(r.true, r.weights, alpha)), alpha=alpha
    )


def of_deviances(r: Numbers, *, power: float) -> tuple[Floats, Floats]:
    """Return the unit deviances, and those of the mean."""
    return deviances(r, power=power), deviances(constantly(r, mean(r.true, r)), power=power)


def saved(
    r: Numbers, ours: Floats, constant: Floats, *, finite: bool = True, fewest: int = 2
) -> Floats:
    """Return the share of the loss of the best constant that a model saves, nan of too few rows."""
    a, b = r.weights @ ours, r.weights @ constant
    values = np.where((b > 0) | (not finite), 1 - a / b, np.where(a > 0, 0.0, 1.0))
    return values if r.n_rows >= fewest else np.full_like(values, np.nan)


def slopes_of_saved(
    of_rows: Callable[..., tuple[Floats, Floats]], r: Numbers, *, multioutput: Any = "uniform_average",
    force_finite: bool = True, **own: Any,
) -> Floats:  # fmt: skip
    """Return the derivatives of that share with respect to the weights of rows."""
    ours, constant = of_rows(r, **own)
    if isinstance(multioutput, str) and multioutput == BY_VARIANCE and ours.ndim == 2:
        ours, constant = ours.sum(axis=1), constant.sum(axis=1)
    a, b = r.weights @ ours, r.weights @ constant
    found = np.divide(a * constant - ours * b, b**2, where=b > 0, out=np.zeros_like(ours))
    return found if found.ndim == 1 else over_outputs(found, r, multioutput=multioutput)


number = partial(declare, "regression", family="errors of numbers", module="skaucx.regression")
error = partial(number, better="low", bounds=(0, np.inf), twin=True)
mean_error = partial(error, mean=1)
share = partial(number, bounds=(-np.inf, 1), undefined=np.nan, uninformed=0.0, twin=True)


@mean_error(BIBLIOGRAPHY["Hastie et al. 2009"], average=over_outputs, aliases=("mse",))
def mean_squared_error(r: Numbers) -> Any:
    r"""Mean squared error: the mean of the squared differences.

    Notes
    -----
    .. math:: \frac1n \sum_{i=1}^n (y_i - f_i)^2

    with the true values y and the predicted f.

    Examples
    --------
    >>> from skaucx.regression import mean_squared_error
    >>> mean_squared_error([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0])
    0.375
    """
    return squares(r)


@error(
    BIBLIOGRAPHY["Hastie et al. 2009"],
    mean=0.5,
    average=over_outputs,
    aliases=("rmse",),
)
def root_mean_squared_error(r: Numbers) -> Any:
    r"""Root mean squared error: an error in the unit of the target that weighs large ones most.

    Notes
    -----
    .. math:: \sqrt{\frac1n \sum_{i=1}^n (y_i - f_i)^2}

    of each output.

    Examples
    --------
    >>> from skaucx.regression import root_mean_squared_error
    >>> round(root_mean_squared_error([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0]), 4)
    0.6124
    """
    return squares(r)


@mean_error(BIBLIOGRAPHY["Hastie et al. 2009"], average=over_outputs, aliases=("mae",))
def mean_absolute_error(r: Numbers) -> Any:
    r"""Mean absolute error: the mean distance of the predictions.

    Notes
    -----
    .. math:: \frac1n \sum_{i=1}^n |y_i - f_i|

    Examples
    --------
    >>> from skaucx.regression import mean_absolute_error
    >>> mean_absolute_error([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0])
    0.5
    """
    return np.abs(errors(r))


@error(
    BIBLIOGRAPHY["Hyndman & Koehler 2006"],
    average=over_outputs,
    aliases=("medae",),
)
def median_absolute_error(r: Numbers) -> Any:
    r"""Median absolute error: half of the predictions are closer.

    Notes
    -----
    .. math:: \operatorname{median}_i |y_i - f_i|

    weighted by the rows; between two medians their mean. Outliers do not move it.

    Examples
    --------
    >>> from skaucx.regression import median_absolute_error
    >>> median_absolute_error([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0])
    0.5
    """
    return quantile(np.abs(errors(r)), r.weights, 0.5)


@error(
    BIBLIOGRAPHY["Draper & Smith 1998"],
    no_interval="the greatest error of a sample is below that of the population, and grows with "
    "its size",
)
def max_error(r: Numbers) -> Any:
    r"""Maximum error: the distance of the worst prediction.

    Notes
    -----
    .. math:: \max_i |y_i - f_i|

    of one output. It grows with the number of rows and has no interval.

    Examples
    --------
    >>> from skaucx.regression import max_error
    >>> max_error([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0])
    1.0
    """
    return distances(r).max()


@mean_error(BIBLIOGRAPHY["Hastie et al. 2009"], average=over_outputs, aliases=("msle",))
def mean_squared_log_error(r: Numbers) -> Any:
    r"""Mean squared logarithmic error: for numbers that grow by factors.

    Notes
    -----
    .. math:: \frac1n \sum_{i=1}^n (\log(1 + y_i) - \log(1 + f_i))^2

    All numbers must be greater than -1.

    Examples
    --------
    >>> from skaucx.regression import mean_squared_log_error
    >>> round(mean_squared_log_error([3.0, 5.0, 2.5, 7.0], [2.5, 5.0, 4.0, 8.0]), 4)
    0.0397
    """
    return log_squares(r)


@error(
    BIBLIOGRAPHY["Hastie et al. 2009"],
    mean=0.5,
    average=over_outputs,
    aliases=("rmsle",),
)
def root_mean_squared_log_error(r: Numbers) -> Any:
    r"""Root mean squared logarithmic error: about the relative error of positive numbers.

    Notes
    -----
    .. math:: \sqrt{\frac1n \sum_{i=1}^n (\log(1 + y_i) - \log(1 + f_i))^2}

    of each output. All numbers must be greater than -1.

    Examples
    --------
    >>> from skaucx.regression import root_mean_squared_log_error
    >>> round(root_mean_squared_log_error([3.0, 5.0, 2.5, 7.0], [2.5, 5.0, 4.0, 8.0]), 4)
    0.1993
    """
    return log_squares(r)


@mean_error(BIBLIOGRAPHY["Hyndman & Koehler 2006"], average=over_outputs, aliases=("mape",))
def mean_absolute_percentage_error(r: Numbers) -> Any:
    r"""Mean absolute percentage error: the mean error relative to the true value, as a share.

    Notes
    -----
    .. math:: \frac1n \sum_{i=1}^n \frac{|y_i - f_i|}{\max(|y_i|, \epsilon)}

    with the spacing :math:`\epsilon` of floats at 1: true values near 0 make it huge.

    Examples
    --------
    >>> from skaucx.regression import mean_absolute_percentage_error
    >>> round(mean_absolute_percentage_error([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0]), 4)
    0.3274
    """
    return np.abs(errors(r)) / np.maximum(np.abs(r.true), np.finfo(np.float64).eps)


@mean_error(BIBLIOGRAPHY["Koenker & Machado 1999"], average=over_outputs)
def mean_pinball_loss(r: Numbers, *, alpha: Share = 0.5) -> Any:
    r"""Mean pinball loss: the loss that the true quantile minimises.

    Parameters
    ----------
    alpha : float in [0, 1], default=0.5
        The quantile that is predicted.

    Notes
    -----
    .. math:: \frac1n \sum_{i=1}^n \max(\alpha (y_i - f_i), (\alpha - 1) (y_i - f_i))

    Of the median it is half the mean absolute error.

    Examples
    --------
    >>> from skaucx.regression import mean_pinball_loss
    >>> round(mean_pinball_loss([1.0, 2.0, 3.0], [1.0, 1.0, 4.0], alpha=0.9), 4)
    0.3333
    """
    return pinballs(r, alpha=alpha)


@mean_error(BIBLIOGRAPHY["Jorgensen 1997"])
def mean_tweedie_deviance(r: Numbers, *, power: Power = 0) -> Any:
    r"""Mean Tweedie deviance: the loss of skewed positive numbers, with many zeros or none.

    Parameters
    ----------
    power : float, default=0
        0 is the squared error, 1 the Poisson, 2 the gamma and 3 the inverse Gaussian deviance; any
        number <= 0 or >= 1. Predictions must be > 0, unless it is 0; true numbers must be >= 0 from 1
        on, and > 0 from 2 on.

    Notes
    -----
    .. math:: \frac1n \sum_{i=1}^n 2 \left(\frac{\max(y_i, 0)^{2-p}}{(1-p)(2-p)}
              - \frac{y_i f_i^{1-p}}{1-p} + \frac{f_i^{2-p}}{2-p}\right)

    with the power p, and the limits of this where p is 1 or 2. Of one output.

    Examples
    --------
    >>> from skaucx.regression import mean_tweedie_deviance
    >>> round(mean_tweedie_deviance([2.0, 1.0, 1.0, 4.0], [0.5, 0.5, 2.0, 2.0], power=1.5), 4)
    1.1924
    """
    return deviances(r, power=power)


@mean_error(BIBLIOGRAPHY["Jorgensen 1997"])
def mean_poisson_deviance(r: Numbers) -> Any:
    r"""Mean Poisson deviance: the loss of counts and rates.

    Notes
    -----
    .. math:: \frac1n \sum_{i=1}^n 2 \left(y_i \log\frac{y_i}{f_i} - y_i + f_i\right)

    Predictions must be > 0, true numbers >= 0.

    Examples
    --------
    >>> from skaucx.regression import mean_poisson_deviance
    >>> round(mean_poisson_deviance([2.0, 1.0, 1.0, 4.0], [0.5, 0.5, 2.0, 2.0]), 4)
    1.2726
    """
    return deviances(r, power=1.0)


@mean_error(BIBLIOGRAPHY["Jorgensen 1997"])
def mean_gamma_deviance(r: Numbers) -> Any:
    r"""Mean gamma deviance: the loss of positive numbers that depends on ratios only.

    Notes
    -----
    .. math:: \frac1n \sum_{i=1}^n 2 \left(\log\frac{f_i}{y_i} + \frac{y_i}{f_i} - 1\right)

    All numbers must be > 0.

    Examples
    --------
    >>> from skaucx.regression import mean_gamma_deviance
    >>> round(mean_gamma_deviance([2.0, 1.0, 1.0, 4.0], [0.5, 0.5, 2.0, 2.0]), 4)
    1.2103
    """
    return deviances(r, power=2.0)


@share(
    BIBLIOGRAPHY["Draper & Smith 1998"],
    average=by_variance,
    influence=partial(slopes_of_saved, of_squares),
)
def r2_score(r: Numbers, *, force_finite: bool = True) -> Any:
    r"""R2, the coefficient of determination: the share of the variance that a model explains.

    Parameters
    ----------
    multioutput : str or array-like of shape (n_outputs,), default="uniform_average"
        Of several outputs: "uniform_average" is the mean, "raw_values" the value of each,
        "variance_weighted" the mean with their variances as weights; or weights.
    force_finite : bool, default=True
        Whether the value for constant true numbers is 1 where all are predicted and 0 otherwise; if
        not, it is undefined or minus infinity.

    Notes
    -----
    .. math:: 1 - \frac{\sum_i (y_i - f_i)^2}{\sum_i (y_i - \bar y)^2}

    It is undefined for fewer than two rows.

    Examples
    --------
    >>> from skaucx.regression import r2_score
    >>> round(r2_score([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0]), 4)
    0.9486
    """
    return saved(r, *of_squares(r), finite=force_finite)


@share(
    BIBLIOGRAPHY["Draper & Smith 1998"],
    average=by_variance,
    influence=partial(slopes_of_saved, of_variances),
)
def explained_variance_score(r: Numbers, *, force_finite: bool = True) -> Any:
    r"""Explained variance: R2 without the part of a constant error.

    Parameters
    ----------
    multioutput : str or array-like of shape (n_outputs,), default="uniform_average"
        Of several outputs: "uniform_average" is the mean, "raw_values" the value of each,
        "variance_weighted" the mean with their variances as weights; or weights.
    force_finite : bool, default=True
        Whether the value for constant true numbers is 1 where all are predicted and 0 otherwise; if
        not, it is undefined or minus infinity.

    Notes
    -----
    .. math:: 1 - \frac{\sum_i (y_i - f_i - \overline{y - f})^2}{\sum_i (y_i - \bar y)^2}

    It equals R2 if the errors have mean 0, and is greater otherwise.

    Examples
    --------
    >>> from skaucx.regression import explained_variance_score
    >>> round(explained_variance_score([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0]), 4)
    0.9572
    """
    return saved(r, *of_variances(r), finite=force_finite, fewest=1)


@share(
    BIBLIOGRAPHY["Koenker & Machado 1999"],
    average=over_outputs,
    influence=partial(slopes_of_saved, of_quantiles),
)
def d2_absolute_error_score(r: Numbers) -> Any:
    r"""D2 of the absolute error: the share of the error of the median that a model saves.

    Notes
    -----
    .. math:: 1 - \frac{\sum_i |y_i - f_i|}{\sum_i |y_i - \tilde y|}

    with the median of the true values. It is undefined for fewer than two rows.

    Examples
    --------
    >>> from skaucx.regression import d2_absolute_error_score
    >>> round(d2_absolute_error_score([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0]), 4)
    0.7647
    """
    return saved(r, *of_quantiles(r))


@share(
    BIBLIOGRAPHY["Koenker & Machado 1999"],
    average=over_outputs,
    influence=partial(slopes_of_saved, of_quantiles),
)
def d2_pinball_score(r: Numbers, *, alpha: Share = 0.5) -> Any:
    r"""D2 of the pinball loss: the share of the loss of the constant quantile that a model saves.

    Parameters
    ----------
    alpha : float in [0, 1], default=0.5
        The quantile that is predicted.

    Notes
    -----
    .. math:: 1 - \frac{\sum_i \rho_\alpha(y_i - f_i)}{\sum_i \rho_\alpha(y_i - q_\alpha)}

    with :math:`\rho_\alpha(d) = \max(\alpha d, (\alpha - 1) d)` and the quantile of the true values.

    Examples
    --------
    >>> from skaucx.regression import d2_pinball_score
    >>> round(d2_pinball_score([1.0, 2.0, 3.0], [1.0, 1.0, 3.0], alpha=0.9), 4)
    -2.0
    """
    return saved(r, *of_quantiles(r, alpha=alpha))


@share(BIBLIOGRAPHY["Hastie et al. 2015"], influence=partial(slopes_of_saved, of_deviances))
def d2_tweedie_score(r: Numbers, *, power: Power = 0) -> Any:
    r"""D2 of the Tweedie deviance: the share of the deviance of the mean that a model saves.

    Parameters
    ----------
    power : float, default=0
        0 is the squared error, 1 the Poisson, 2 the gamma and 3 the inverse Gaussian deviance; any
        number <= 0 or >= 1. Predictions must be > 0, unless it is 0; true numbers must be >= 0 from 1
        on, and > 0 from 2 on.

    Notes
    -----
    .. math:: 1 - \frac{\sum_i d_p(y_i, f_i)}{\sum_i d_p(y_i, \bar y)}

    with the terms d of :func:`mean_tweedie_deviance`. It is undefined for fewer than two rows.

    Examples
    --------
    >>> from skaucx.regression import d2_tweedie_score
    >>> round(d2_tweedie_score([2.0, 1.0, 1.0, 4.0], [0.5, 0.5, 2.0, 2.0], power=1.5), 4)
    -1.4571
    """
    return saved(r, *of_deviances(r, power=power), finite=False)


@number(
    BIBLIOGRAPHY["Makridakis 1993"],
    better="low",
    bounds=(0, 2),
    aliases=("smape",),
    mean=1,
)
def smape_loss(r: Numbers) -> Any:
    r"""SMAPE: the mean absolute error, each relative to the mean absolute value of both numbers.

    Notes
    -----
    .. math:: \frac1n \sum_{i=1}^n \frac{2 \, |y_i - f_i|}{|y_i| + |f_i|}

    a term with both 0 is 0. Other texts multiply by 100, or omit the 2.

    Examples
    --------
    >>> from skaucx.regression import smape_loss
    >>> round(smape_loss([1.0, 2.0, 4.0], [1.0, 3.0, 3.0]), 4)
    0.2286
    """
    return 2 * quotient(distances(r), np.abs(r.true) + np.abs(r.pred))


@number(
    BIBLIOGRAPHY["Hyndman & Koehler 2006"],
    better="low",
    bounds=(0, np.inf),
    aliases=("mase",),
    mean=1,
)
def mase_loss(
    r: Numbers,
    *,
    y_train: Series | None = None,
    scale: Positive | None = None,
    period: WholePositive = 1,
) -> Any:
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
    .. math:: \frac{\frac1n \sum_{i=1}^n |y_i - f_i|}
              {\frac{1}{T - m} \sum_{t=m+1}^{T} |y_t - y_{t-m}|}

    with the values y_t of the training part and the period m. It is infinite if the training part
    is constant.

    Examples
    --------
    >>> from skaucx.regression import mase_loss
    >>> mase_loss([5.0, 7.0], [4.0, 6.0], y_train=[1.0, 3.0, 2.0, 3.0])
    0.75
    >>> mase_loss([5.0, 7.0], [4.0, 6.0], scale=2.0)
    0.5
    """
    return distances(r) / _naive_error(y_train, scale, period)


def _naive_error(y_train: Floats | None = None, scale: float | None = None, period: int = 1) -> Any:
    """Return the mean absolute error of the forecast that repeats the value a period ago."""
    if (y_train is None) == (scale is None):
        raise ValueError(
            "mase_loss needs one of y_train and scale, found "
            f"{'neither' if scale is None else 'both'}."
        )
    if y_train is not None and len(y_train) <= period:
        raise ValueError(
            f"y_train must hold more than period={period} values, found {len(y_train)}."
        )
    return scale if y_train is None else np.abs(y_train[period:] - y_train[:-period]).mean()
