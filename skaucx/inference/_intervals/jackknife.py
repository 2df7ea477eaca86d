"""The jackknife: a bias-corrected estimate and its standard error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import UndefinedMetricWarning

from ..._arrays import RandomState
from ..._compat import warn
from ..._text.tables import Table, Tabular
from ...metrics._registry.declare import plain
from ...metrics._registry.resampling import Resampling
from .bootstrap import without_units
from .interval import asked_of, read_rows

_COLUMNS = "metric", "estimate", "corrected", "bias", "standard_error"


@dataclass(frozen=True, eq=False, repr=False)
class JackknifeEstimate(Tabular):
    """A metric with the jackknife's estimates of its bias and its standard error.

    Attributes
    ----------
    metric : str
    estimate : float or ndarray of shape (n_classes,), float64
        The metric on the sample.
    corrected : float or ndarray of shape (n_classes,), float64
        The estimate minus its bias; it may be outside the metric's range.
    bias, standard_error : float or ndarray of shape (n_classes,), float64
    n_deletions : int
        Number of parts that were deleted one at a time.
    """

    metric: str
    estimate: Any
    corrected: Any
    bias: Any
    standard_error: Any
    n_deletions: int

    _index = "metric"

    def _table(self) -> Table:
        columns = (np.atleast_1d(getattr(self, name)).tolist() for name in _COLUMNS[1:])
        rows = [[self.metric, *row] for row in zip(*columns, strict=True)]
        return Table(_COLUMNS, rows, notes=[f"Jackknife of {self.n_deletions} deletions."])


def jackknife(
    metric: str | Callable[..., Any],
    y_true: ArrayLike,
    y_pred_or_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    random_state: RandomState = None,
    **parameters: Any,
) -> JackknifeEstimate:
    r"""Return the jackknife estimate of a metric: bias-corrected, with its standard error.

    Parameters
    ----------
    metric : str or callable
        A metric of this package by name or alias, with an average, by function or scorer; or any
        function with signature ``metric(y_true, y_pred)`` that returns a number. Its keyword arrays
        need one entry per row and follow the rows; arrays in a closure cannot be seen.
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        True labels, or numbers.
    y_pred_or_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Predicted labels, scores, probabilities or numbers, as the metric requires.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights >= 0, for metrics of this package.
    groups : array-like of shape (n_samples,), default=None
        Rows of one group are deleted together.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the bundles, with more than a thousand rows or groups.
    **parameters
        The metric's own arguments, such as ``pos_label``, ``average`` or ``beta``.

    Returns
    -------
    JackknifeEstimate

    Raises
    ------
    ValueError, TypeError
        As the metric raises.

    Warns
    -----
    UndefinedMetricWarning
        If the metric is undefined without some part; bias and standard error are then nan.

    See Also
    --------
    interval : Intervals; by the bootstrap for metrics that are not smooth.

    Notes
    -----
    With the value :math:`\hat\theta_{(i)}` without part i of n, and their mean
    :math:`\hat\theta_{(\cdot)}`, bias and variance are

    .. math:: (n - 1) (\hat\theta_{(\cdot)} - \hat\theta), \quad
              \frac{n - 1}{n} \sum_{i=1}^n (\hat\theta_{(i)} - \hat\theta_{(\cdot)})^2

    A part is a row or a group; with more than a thousand of them a random bundle. For metrics that
    are not smooth, such as a maximum over thresholds or a span, the standard error is not reliable.

    References
    ----------
    .. [1] B. Efron, The jackknife, the bootstrap and other resampling plans, SIAM, 1982.

    Examples
    --------
    >>> from skaucx.inference import jackknife
    >>> jackknife("f1", [1, 1, 1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0, 1, 0])
    metric  estimate  corrected     bias  standard_error
    f1        0.7500     0.7812  -0.0312          0.1954
    Jackknife of 8 deletions.
    """
    rows = {"y_true": y_true, "y_pred_or_score": y_pred_or_score, "groups": groups}
    rows["sample_weight"] = sample_weight
    [wanted], sample, own, codes = read_rows([metric], parameters, rows)
    [on] = asked_of([wanted], sample, own)
    drawn = Resampling(sample.n_rows, codes, sample.multiplicity)
    [values], alike = without_units(sample, [on.drawn_as], drawn, random_state)
    estimate = np.asarray(on.estimate, dtype=np.float64)
    # Identical parts are evaluated once.
    parts = int(alike.sum())
    if not np.isfinite(values[alike > 0]).all():
        warn(
            f"{on.key} is undefined without some part of the sample, so bias and standard error are "
            f"undefined; both are nan.",
            UndefinedMetricWarning,
        )
    # Over all parts: bias (n - 1) (mean - estimate), variance (n - 1) / n sum (value - mean)^2.
    weight = (alike / parts).reshape(-1, *[1] * (values.ndim - 1))
    with np.errstate(invalid="ignore"):  # inf - inf
        mean = (weight * values).sum(axis=0)
        error = np.sqrt((parts - 1) * (weight * (values - mean) ** 2).sum(axis=0))
        bias = (parts - 1) * (mean - estimate)
    return JackknifeEstimate(
        on.key, plain(estimate), plain(estimate - bias), plain(bias), plain(error), parts
    )
