r"""Errors of predicted numbers.

A metric is a weighted mean over rows of a loss, a root of one, or a share that a model saves of the
loss of the best constant:

.. math:: \bar\ell = \frac{\sum_i w_i \ell_i}{\sum_i w_i}, \quad \sqrt{\bar\ell}, \quad
          1 - \frac{\sum_i w_i a_i}{\sum_i w_i b_i}

and of several outputs the average of their values. The best constant minimises the denominator, so that
moving it with the weights adds nothing to the derivatives with respect to the weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np
from scipy import special

from .._arrays import Floats, float_array, quotient, rows_of, score_array
from .._options import Positive, RealRange, Share, WholePositive, check_choice
from ..metrics._registry.declare import MetricFunction, declare
from ..metrics.kinds.totals import Total
from ._kinds import REGRESSION, Numbers

_UNIFORM, _RAW, _BY_VARIANCE = "uniform_average", "raw_values", "variance_weighted"
Loss = Callable[..., Floats]


def check_outputs(name: str, value: Any, also: tuple[str, ...] = ()) -> Any:
    """Return how outputs are averaged: a name, or a weight for each."""
    if isinstance(value, str):
        return check_choice(name, value, (_UNIFORM, _RAW, *also))
    weights = float_array(value, name)
    if weights.ndim != 1 or not (weights >= 0).all() or not weights.sum() > 0:
        raise ValueError(f"{name} must hold a weight >= 0 for each output, found {value!r}.")
    return weights


def check_power(name: str, value: Any) -> float:
    """Return the power of a Tweedie distribution."""
    power = RealRange(-np.inf, np.inf).check(name, value)
    if 0 < power < 1:
        raise ValueError(f"{name} must be a number <= 0 or >= 1, found {value!r}.")
    return power


Outputs = Annotated[Any, check_outputs]
OutputsOrVariance = Annotated[Any, partial(check_outputs, also=(_BY_VARIANCE,))]
Power = Annotated[float, check_power]
Series = Annotated[Floats, lambda name, value: one_output(score_array(value, name), name)]


def one_output(values: Floats, name: str) -> Floats:
    """Return numbers of shape (n,); raise an error for several outputs."""
    if values.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, found shape {values.shape}.")
    return values


def over_outputs(values: Floats, multioutput: Any = _UNIFORM) -> Any:
    """Average along the outputs, the last axis of several; `values` of one output have none."""
    chosen = isinstance(multioutput, str)
    if not chosen and np.shape(values)[-1:] != multioutput.shape:
        raise ValueError(
            f"multioutput holds {len(multioutput)} weights for {np.shape(values)[-1]} outputs."
        )
    if chosen and multioutput == _RAW:
        return values
    return np.average(values, axis=-1, weights=None if chosen else multioutput)


def columns(values: Floats) -> Floats:
    """Return an array with a column for each output."""
    return values if values.ndim == 2 else values[:, None]


@dataclass(frozen=True)
class Averaged:
    """The losses of the rows, averaged over outputs; equal, and pickled, by the loss."""

    loss: Loss

    @property
    def __wrapped__(self) -> Loss:  # whose parameters it takes
        return self.loss

    @property
    def __name__(self) -> str:
        return self.loss.__name__

    def __call__(self, r: Numbers, *, multioutput: Any = _UNIFORM, **own: Any) -> Floats:
        """Return one loss a row."""
        return np.asarray(over_outputs(columns(self.loss(r, **own)), multioutput))


@dataclass(frozen=True)
class OutputSums:
    """The weighted sum of a value of the rows, one an output; equal, and pickled, by its parts."""

    values: Loss
    own: tuple[tuple[str, Any], ...] = ()

    @property
    def __name__(self) -> str:
        return self.values.__name__

    def __call__(self, rows: Numbers) -> Floats:
        """Return a sum for each output."""
        return np.asarray(rows.weights @ columns(self.values(rows, **dict(self.own))))


@dataclass(frozen=True)
class Spread:
    """Weight, mean, and sum of squares about the mean of a value of the rows, each one an output."""

    values: Loss

    @property
    def __name__(self) -> str:
        return self.values.__name__

    def __call__(self, rows: Numbers) -> Floats:
        """Return three rows, with a column for each output."""
        x = columns(self.values(rows))
        weight = np.full(x.shape[1], rows.weights.sum())
        mean = rows.weights @ x / weight
        return np.stack([weight, mean, rows.weights @ (x - mean) ** 2])

    def merge(self, first: Floats, second: Floats) -> Floats:
        r"""Join two parts: :math:`M = M_a + M_b + (\bar x_b - \bar x_a)^2 w_a w_b / w` [Chan 1979]."""
        weight, apart = first[0] + second[0], second[1] - first[1]
        share = quotient(second[0], weight)
        within = first[2] + second[2] + apart**2 * first[0] * share
        return np.stack([weight, first[1] + apart * share, within])


def sums_of(values: Loss, given: Mapping[str, Any]) -> tuple[Total, ...]:
    """Return the total that the mean of a loss is made of; by `given` parameters of the metric."""
    own = {name: value for name, value in given.items() if name != "multioutput"}
    return (OutputSums(values, tuple(sorted(own.items()))),)


def by_output(r: Any, values: Loss, **own: Any) -> Floats:
    """Return the weighted mean over rows of every output."""
    [total] = sums_of(values, own)
    return np.asarray(r.total(total) / r.total_weight)


def mean_of(r: Any, loss: Loss, multioutput: Any = _UNIFORM, **own: Any) -> Any:
    """Return the mean of a loss."""
    return over_outputs(by_output(r, loss, **own), multioutput)


def root_of(r: Any, loss: Loss, multioutput: Any) -> Any:
    """Return the root of the mean of a loss."""
    return over_outputs(np.sqrt(by_output(r, loss)), multioutput)


def root_slopes(loss: Loss) -> Loss:
    r"""Return the influence on a root: :math:`(\ell_i - \bar\ell) / (2 \sqrt{\bar\ell} \sum w)`."""

    def slopes(r: Numbers, *, multioutput: Any = _UNIFORM) -> Floats:
        mean = by_output(r, loss)
        found = quotient(columns(loss(r)) - mean, 2 * np.sqrt(mean) * r.total_weight)
        return np.asarray(over_outputs(found, multioutput))

    return slopes


def saved(
    r: Any,
    ours: Floats,
    constant: Floats,
    multioutput: Any,
    *,
    finite: bool = True,
    fewest: int = 2,
) -> Any:
    """Return the share of the loss of the best constant that a model saves, nan of too few rows."""
    values = 1 - ours / constant if r.n_rows >= fewest else np.full_like(ours, np.nan)
    if finite and r.n_rows >= fewest:
        values = np.where(constant > 0, values, np.where(ours > 0, 0.0, 1.0))
    if isinstance(multioutput, str) and multioutput == _BY_VARIANCE:
        multioutput = constant if constant.any() else np.ones_like(constant)
    return over_outputs(values, multioutput)


def saved_against(
    r: Numbers,
    parts: Callable[..., tuple[Floats, Floats]],
    multioutput: Any = _UNIFORM,
    *,
    finite: bool = True,
    **own: Any,
) -> Any:
    """Return the same of losses, and of those of a constant, given row by row."""
    ours, constant = (r.weights @ columns(part) / r.total_weight for part in parts(r, **own))
    return saved(r, ours, constant, multioutput, finite=finite)


def saved_slopes(parts: Callable[..., tuple[Floats, Floats]]) -> Loss:
    r"""Return the influence on a share: :math:`-(a_i - q b_i) / \sum w b` with q = sum w a / sum w b."""

    def slopes(
        r: Numbers, *, multioutput: Any = _UNIFORM, force_finite: bool = True, **own: Any
    ) -> Floats:
        a, b = (columns(part) for part in parts(r, **own))
        if isinstance(multioutput, str) and multioutput == _BY_VARIANCE:
            a, b, multioutput = a.sum(axis=1)[:, None], b.sum(axis=1)[:, None], _UNIFORM
        ours, constant = r.weights @ a, r.weights @ b
        found = quotient(b * quotient(ours, constant) - a, constant)
        return np.asarray(over_outputs(found, multioutput))

    return slopes


def quantile(values: Floats, weight: Any, share: float) -> Floats:
    """Return a weighted quantile of every column; between two values that both are one, their mean."""
    order = np.argsort(columns(values), axis=0)
    below = np.cumsum(weight[order], axis=0)
    wanted, last = share * below[-1], len(order) - 1
    room = 4 * np.finfo(float).eps * below[-1]  # sums of weights that are equal but for rounding
    low = np.minimum((below < wanted - room).sum(axis=0), last)
    high = np.minimum((below <= wanted + room).sum(axis=0), last)
    found = np.take_along_axis(columns(values), order, axis=0)
    place = np.arange(found.shape[1])
    return np.asarray((found[low, place] + found[high, place]) / 2)


def refuse(odd: Any, name: str, rule: str) -> None:
    """Raise an error for numbers at which a loss is not defined."""
    if odd.any():
        raise ValueError(f"{name} must {rule} for this metric; it is not so in {rows_of(odd)}.")


def gaps(r: Numbers) -> Floats:
    """Return the absolute errors."""
    return np.abs(r.true - r.pred)


def distances(r: Numbers) -> Floats:
    """Return the absolute errors of one output."""
    return np.abs(one_output(r.true, "y_true") - r.pred)


def squares(r: Numbers) -> Floats:
    """Return the squared errors."""
    return (r.true - r.pred) ** 2


def log_squares(r: Numbers) -> Floats:
    """Return the squared errors of log(1 + y)."""
    for name, values in (("y_true", r.true), ("y_pred", r.pred)):
        refuse((columns(values) <= -1).any(axis=1), name, "be > -1")
    return np.asarray((np.log1p(r.true) - np.log1p(r.pred)) ** 2)


def relative_gaps(r: Numbers) -> Floats:
    """Return the absolute errors relative to the true values."""
    return np.asarray(gaps(r) / np.maximum(np.abs(r.true), np.finfo(np.float64).eps))


def symmetric_gaps(r: Numbers) -> Floats:
    """Return the absolute errors relative to the mean absolute value of both numbers."""
    return 2 * quotient(distances(r), np.abs(r.true) + np.abs(r.pred))


def pinballs(r: Numbers, *, alpha: float = 0.5) -> Floats:
    """Return the losses of a quantile."""
    below = r.true - r.pred
    return np.maximum(alpha * below, (alpha - 1) * below)


def deviances(r: Numbers, *, power: float = 0) -> Floats:
    r"""Return the unit deviances of a Tweedie distribution.

    .. math:: 2 \left(\frac{y_+^{2-p}}{(1-p)(2-p)} - \frac{y \mu^{1-p}}{1-p}
              + \frac{\mu^{2-p}}{2-p}\right)
    """
    y, mu, p = one_output(r.true, "y_true"), one_output(r.pred, "y_pred"), power
    if p == 0:
        return squares(r)
    refuse(mu <= 0, "y_pred", f"be > 0 at power={p:g}")
    if p >= 1:
        rule, odd = ("be >= 0", y < 0) if p < 2 else ("be > 0", y <= 0)
        refuse(odd, "y_true", f"{rule} at power={p:g}")
    if p == 1:
        return np.asarray(2 * (special.xlogy(y, y / mu) - y + mu))
    if p == 2:
        return np.asarray(2 * (np.log(mu / y) + y / mu - 1))
    of_true = np.maximum(y, 0) ** (2 - p) / ((1 - p) * (2 - p))
    return np.asarray(2 * (of_true - y * mu ** (1 - p) / (1 - p) + mu ** (2 - p) / (2 - p)))


def against(loss: Loss, constant: Callable[..., Floats]) -> Callable[..., tuple[Floats, Floats]]:
    """Return the function of the losses of a model and of the best constant."""

    def both(r: Numbers, **own: Any) -> tuple[Floats, Floats]:
        best = np.broadcast_to(np.squeeze(constant(r, **own)), r.true.shape)
        return loss(r, **own), loss(Numbers(r.true, best, r.weight), **own)

    return both


def true_values(r: Numbers, **own: Any) -> Floats:
    """Return the true numbers."""
    return r.true


def errors(r: Numbers) -> Floats:
    """Return the errors with their signs."""
    return r.true - r.pred


def _average(r: Numbers, **own: Any) -> Floats:
    return by_output(r, true_values)


def _centred(r: Numbers) -> tuple[Floats, Floats]:
    return (columns(errors(r)) - by_output(r, errors)) ** 2, squared(r)[1]


squared = against(squares, _average)
deviated = against(deviances, _average)
quantiled = against(pinballs, lambda r, alpha=0.5: quantile(r.true, r.weight, alpha))

_BOOK = (
    "T. Hastie, R. Tibshirani and J. Friedman, The elements of statistical learning, "
    "2nd ed., Springer, 2009."
)
_DRAPER = "N. R. Draper and H. Smith, Applied regression analysis, 3rd ed., Wiley, 1998."
_HYND = (
    "R. J. Hyndman and A. B. Koehler, Another look at measures of forecast accuracy, "
    "International Journal of Forecasting 22(4), 679-688, 2006."
)
_MAK = (
    "S. Makridakis, Accuracy measures: theoretical and practical concerns, "
    "International Journal of Forecasting 9(4), 527-529, 1993."
)
_KOEN = (
    "R. Koenker and J. A. F. Machado, Goodness of fit and related inference processes "
    "for quantile regression, Journal of the American Statistical Association 94(448), "
    "1296-1310, 1999."
)
_JORG = "B. Jorgensen, The theory of dispersion models, Chapman & Hall, 1997."
_HTW = (
    "T. Hastie, R. Tibshirani and M. Wainwright, Statistical learning with sparsity, "
    "CRC Press, 2015, equation 3.11."
)
_GREATEST = (
    "the greatest error of a sample is below that of the population, and grows with its size"
)


number = partial(declare, REGRESSION, family="errors of numbers", module="skaucx.regression")
error = partial(number, better="low", bounds=(0, np.inf), twin=True)
share = partial(number, bounds=(-np.inf, 1), undefined=np.nan, uninformed=0.0, twin=True)


def mean_error(
    loss: Any, source: str, **facts: Any
) -> Callable[[Callable[..., Any]], MetricFunction]:
    """Return the decorator of a mean of losses."""
    return error(source, **{"losses": Averaged(loss), "totals": partial(sums_of, loss)} | facts)


@mean_error(squares, _BOOK, aliases=("mse",), transposed=True)
def mean_squared_error(r: Numbers, *, multioutput: Outputs = _UNIFORM) -> Any:
    r"""Mean squared error: the mean of the squared differences.

    Parameters
    ----------
    multioutput : {"uniform_average", "raw_values"} or array-like, default="uniform_average"
        Of several outputs: the mean, the value of each, or the mean with weights of shape (n_outputs,).

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
    return mean_of(r, squares, multioutput)


@error(
    _BOOK,
    aliases=("rmse",),
    transposed=True,
    influence=root_slopes(squares),
    totals=sums_of(squares, {}),
)
def root_mean_squared_error(r: Numbers, *, multioutput: Outputs = _UNIFORM) -> Any:
    r"""Root mean squared error: an error in the unit of the target that weighs large ones most.

    Parameters
    ----------
    multioutput : {"uniform_average", "raw_values"} or array-like, default="uniform_average"
        Of several outputs: the mean, the value of each, or the mean with weights of shape (n_outputs,).

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
    return root_of(r, squares, multioutput)


@mean_error(gaps, _BOOK, aliases=("mae",), transposed=True)
def mean_absolute_error(r: Numbers, *, multioutput: Outputs = _UNIFORM) -> Any:
    r"""Mean absolute error: the mean distance of the predictions.

    Parameters
    ----------
    multioutput : {"uniform_average", "raw_values"} or array-like, default="uniform_average"
        Of several outputs: the mean, the value of each, or the mean with weights of shape (n_outputs,).

    Notes
    -----
    .. math:: \frac1n \sum_{i=1}^n |y_i - f_i|

    Examples
    --------
    >>> from skaucx.regression import mean_absolute_error
    >>> mean_absolute_error([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0])
    0.5
    """
    return mean_of(r, gaps, multioutput)


@error(_HYND, aliases=("medae",), transposed=True)
def median_absolute_error(r: Numbers, *, multioutput: Outputs = _UNIFORM) -> Any:
    r"""Median absolute error: half of the predictions are closer.

    Parameters
    ----------
    multioutput : {"uniform_average", "raw_values"} or array-like, default="uniform_average"
        Of several outputs: the mean, the value of each, or the mean with weights of shape (n_outputs,).

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
    return over_outputs(quantile(gaps(r), r.weight, 0.5), multioutput)


@error(_DRAPER, transposed=True, no_interval=_GREATEST)
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


@mean_error(log_squares, _BOOK, aliases=("msle",), transposed=True)
def mean_squared_log_error(r: Numbers, *, multioutput: Outputs = _UNIFORM) -> Any:
    r"""Mean squared logarithmic error: for numbers that grow by factors.

    Parameters
    ----------
    multioutput : {"uniform_average", "raw_values"} or array-like, default="uniform_average"
        Of several outputs: the mean, the value of each, or the mean with weights of shape (n_outputs,).

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
    return mean_of(r, log_squares, multioutput)


@error(
    _BOOK,
    aliases=("rmsle",),
    transposed=True,
    influence=root_slopes(log_squares),
    totals=sums_of(log_squares, {}),
)
def root_mean_squared_log_error(r: Numbers, *, multioutput: Outputs = _UNIFORM) -> Any:
    r"""Root mean squared logarithmic error: about the relative error of positive numbers.

    Parameters
    ----------
    multioutput : {"uniform_average", "raw_values"} or array-like, default="uniform_average"
        Of several outputs: the mean, the value of each, or the mean with weights of shape (n_outputs,).

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
    return root_of(r, log_squares, multioutput)


@mean_error(relative_gaps, _HYND, aliases=("mape",))
def mean_absolute_percentage_error(r: Numbers, *, multioutput: Outputs = _UNIFORM) -> Any:
    r"""Mean absolute percentage error: the mean error relative to the true value, as a share.

    Parameters
    ----------
    multioutput : {"uniform_average", "raw_values"} or array-like, default="uniform_average"
        Of several outputs: the mean, the value of each, or the mean with weights of shape (n_outputs,).

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
    return mean_of(r, relative_gaps, multioutput)


@mean_error(pinballs, _KOEN)
def mean_pinball_loss(r: Numbers, *, alpha: Share = 0.5, multioutput: Outputs = _UNIFORM) -> Any:
    r"""Mean pinball loss: the loss that the true quantile minimises.

    Parameters
    ----------
    alpha : float in [0, 1], default=0.5
        The quantile that is predicted.
    multioutput : {"uniform_average", "raw_values"} or array-like, default="uniform_average"
        Of several outputs: the mean, the value of each, or the mean with weights of shape (n_outputs,).

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
    return mean_of(r, pinballs, multioutput, alpha=alpha)


@mean_error(deviances, _JORG)
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
    return mean_of(r, deviances, power=power)


@mean_error(partial(deviances, power=1.0), _JORG, totals=sums_of(deviances, {"power": 1.0}))
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
    return mean_of(r, deviances, power=1.0)


@mean_error(partial(deviances, power=2.0), _JORG, totals=sums_of(deviances, {"power": 2.0}))
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
    return mean_of(r, deviances, power=2.0)


@share(
    _DRAPER, influence=saved_slopes(squared), totals=(*sums_of(squares, {}), Spread(true_values))
)
def r2_score(
    r: Numbers, *, multioutput: OutputsOrVariance = _UNIFORM, force_finite: bool = True
) -> Any:
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
    variance = r.total(Spread(true_values))[2] / r.total_weight
    return saved(r, by_output(r, squares), variance, multioutput, finite=force_finite)


@share(_DRAPER, influence=saved_slopes(_centred), totals=(Spread(errors), Spread(true_values)))
def explained_variance_score(
    r: Numbers, *, multioutput: OutputsOrVariance = _UNIFORM, force_finite: bool = True
) -> Any:
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
    ours, variance = (r.total(Spread(f))[2] / r.total_weight for f in (errors, true_values))
    return saved(r, ours, variance, multioutput, finite=force_finite, fewest=1)


@share(_KOEN, influence=saved_slopes(quantiled))
def d2_absolute_error_score(r: Numbers, *, multioutput: Outputs = _UNIFORM) -> Any:
    r"""D2 of the absolute error: the share of the error of the median that a model saves.

    Parameters
    ----------
    multioutput : {"uniform_average", "raw_values"} or array-like, default="uniform_average"
        Of several outputs: the mean, the value of each, or the mean with weights of shape (n_outputs,).

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
    return saved_against(r, quantiled, multioutput)


@share(_KOEN, influence=saved_slopes(quantiled))
def d2_pinball_score(r: Numbers, *, alpha: Share = 0.5, multioutput: Outputs = _UNIFORM) -> Any:
    r"""D2 of the pinball loss: the share of the loss of the constant quantile that a model saves.

    Parameters
    ----------
    alpha : float in [0, 1], default=0.5
        The quantile that is predicted.
    multioutput : {"uniform_average", "raw_values"} or array-like, default="uniform_average"
        Of several outputs: the mean, the value of each, or the mean with weights of shape (n_outputs,).

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
    return saved_against(r, quantiled, multioutput, alpha=alpha)


@share(_HTW, influence=saved_slopes(deviated))
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
    return saved_against(r, deviated, finite=False, power=power)


@number(
    _MAK, better="low", bounds=(0, 2), aliases=("smape",), transposed=True,
    losses=Averaged(symmetric_gaps),
    totals=sums_of(symmetric_gaps, {}),
)  # fmt: skip
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
    return mean_of(r, symmetric_gaps)


def scaled_gaps(r: Numbers, **scaling: Any) -> Floats:
    """Return the absolute errors relative to that of the naive forecast."""
    return np.asarray(distances(r) / _naive_error(**scaling))


@number(
    _HYND,
    better="low",
    bounds=(0, np.inf),
    aliases=("mase",),
    losses=scaled_gaps,
    totals=sums_of(distances, {}),
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
    return mean_of(r, distances) / _naive_error(y_train, scale, period)


def _naive_error(y_train: Floats | None = None, scale: float | None = None, period: int = 1) -> Any:
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
