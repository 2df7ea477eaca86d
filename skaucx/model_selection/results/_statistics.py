"""What the scores of k folds say about a metric: pure functions of arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import stats

from ..._deprecation import renamed_argument
from ..._options import check_confidence_level
from .._types import Floats, Rows
from ._pooled import Pooled


class Interval(NamedTuple):
    """Two ends; nan where there is nothing to compute them from."""

    low: float
    high: float


@dataclass(frozen=True, eq=False)
class MetricStatistics:
    """Outer scores of one metric over k folds.

    Attributes
    ----------
    scores : ndarray of shape (k,), float64
        One value a fold, nan where undefined.
    pooled : Pooled
        The metric of the joined out-of-fold predictions, or why there is none.
    n_train, n_test : ndarray of shape (k,), int
        Rows of each fold.
    """

    scores: Floats
    pooled: Pooled
    n_train: Rows
    n_test: Rows

    @property
    def mean(self) -> float:
        """Mean of the defined folds."""
        return float(moments(self.scores)[0])

    @property
    def sd(self) -> float:
        """Standard deviation of the defined folds, with their number less one below."""
        return float(moments(self.scores)[1])

    @property
    def undefined(self) -> int:
        """Number of undefined folds."""
        return int(np.isnan(self.scores).sum())

    @renamed_argument("level", "confidence_level")
    def interval(self, confidence_level: float = 0.95) -> Interval:
        """Nadeau-Bengio corrected interval of the mean; see :func:`corrected_interval`."""
        return corrected_interval(self.scores, self.n_train, self.n_test, confidence_level)

    def record(self) -> dict[str, float]:
        """Return all of it by name, the ends of the 95 % interval among them."""
        low, high = self.interval()
        return {
            "mean": self.mean,
            "sd": self.sd,
            "pooled": self.pooled.value,
            "low": low,
            "high": high,
            "undefined": self.undefined,
        }


def moments(scores: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation (k - 1) over the defined entries of the last axis.

    Parameters
    ----------
    scores : ndarray of shape (..., k), float64

    Returns
    -------
    mean, sd : ndarray of shape (...), float64
        nan where no entry is defined, for the standard deviation where fewer than two are.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.model_selection.results._statistics import moments
    >>> mean, sd = moments(np.array([[1.0, np.nan, 3.0], [2.0, np.nan, np.nan]]))
    >>> mean.tolist(), sd.round(4).tolist()
    ([2.0, 2.0], [1.4142, nan])
    """
    missing = np.isnan(scores)
    defined = np.sum(~missing, axis=-1)
    mean = _ratio(np.where(missing, 0.0, scores).sum(axis=-1), defined)
    deviations = np.where(missing, 0.0, scores - mean[..., None])
    return mean, np.sqrt(_ratio((deviations**2).sum(axis=-1), defined - 1))


def corrected_interval(
    scores: Floats, n_train: Rows, n_test: Rows, confidence_level: float = 0.95
) -> Interval:
    r"""Interval of the mean score of folds whose training sets overlap.

    .. math:: \bar s \pm t_{J-1} \sqrt{(1/J + n_{test}/n_{train}) s^2}

    with J defined folds, their mean and standard deviation s. The second term stands for the
    correlation of scores from overlapping training sets. It is a heuristic: the correlation is
    guessed from the sizes, not estimated, and no coverage is proved.

    Parameters
    ----------
    scores : ndarray of shape (k,), float64
        nan where undefined.
    n_train, n_test : ndarray of shape (k,), int
        Rows of each fold; where sizes differ, their totals over the defined folds count.
    confidence_level : float, default=0.95
        Nominal coverage, in (0, 1).

    Returns
    -------
    Interval
        ``(low, high)``, not clipped to the metric's range; nan with fewer than two defined folds.

    Raises
    ------
    ValueError
        If ``confidence_level`` is not in (0, 1).

    References
    ----------
    .. [1] Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. Machine
       Learning 52, 239-281.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.model_selection.results._statistics import corrected_interval
    >>> sizes = np.full(5, 80), np.full(5, 20)
    >>> low, high = corrected_interval(np.array([0.8, 0.9, 0.85, 0.95, 0.9]), *sizes)
    >>> round(low, 3), round(high, 3)
    (0.774, 0.986)
    """
    check_confidence_level(confidence_level)
    mean, error, df = corrected_error(scores, n_train, n_test)
    if df < 1:
        return Interval(np.nan, np.nan)
    half = stats.t.ppf((1 + confidence_level) / 2, df) * error
    return Interval(float(mean - half), float(mean + half))


def corrected_error(scores: Floats, n_train: Rows, n_test: Rows) -> tuple[float, float, int]:
    """Mean, its corrected standard error, and J - 1; see :func:`corrected_interval`.

    Parameters
    ----------
    scores : ndarray of shape (k,), float64
        nan where undefined.
    n_train, n_test : ndarray of shape (k,), int
        Rows of each fold.

    Returns
    -------
    mean, error : float
        nan with fewer than two defined folds.
    df : int
        Defined folds less one.
    """
    defined = ~np.isnan(scores)
    folds = int(defined.sum())
    if folds < 2:
        return np.nan, np.nan, folds - 1
    mean, sd = moments(scores)
    overlap = n_test[defined].sum() / n_train[defined].sum()
    return float(mean), float(sd * np.sqrt(1 / folds + overlap)), folds - 1


def _ratio(above: Floats, below: Rows) -> Floats:
    return np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0)
