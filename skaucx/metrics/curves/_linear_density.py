"""A model of two classes whose curves have closed forms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize

from ..._arrays import Bools, Floats, float_array
from ..._options import OPEN_SHARE, check_whole
from .._records.counts import Counts
from .._registry.calls import plain
from ._roc import RocCurve
from ._thresholds import ThresholdCurves, values_of_shares


@dataclass(frozen=True)
class LinearDensityModel:
    r"""Scores on [0, 1] with density 2x among the positives and 2 (1 - x) among the negatives.

    .. math:: \mathrm{TPR}(t) = 1 - t^2, \quad \mathrm{FPR}(t) = (1 - t)^2, \quad A = \tfrac56

    At prevalence 1/2 the score is the probability of the positive class. Every metric of the confusion
    table is a closed form in the threshold: its formula on counts of these rates.

    Parameters
    ----------
    prevalence : float in (0, 1), default=0.5
        The share of the positives.

    Examples
    --------
    >>> from skaucx.metrics.curves import LinearDensityModel
    >>> model = LinearDensityModel(prevalence=0.2)
    >>> model.tpr(0.5), model.fpr(0.5)
    (0.75, 0.25)
    >>> threshold, value = model.optimum("accuracy")
    >>> round(threshold, 6), round(value, 6)
    (0.8, 0.84)
    """

    prevalence: float = 0.5

    def __post_init__(self) -> None:
        OPEN_SHARE.check("prevalence", self.prevalence)

    @property
    def auc(self) -> float:
        """The area under the ROC curve, 5/6 at any prevalence."""
        return 5 / 6

    def tpr(self, threshold: Any) -> Any:
        """Return 1 - t^2, the share of positives at or above thresholds in [0, 1]."""
        t = _thresholds(threshold)
        return plain((1 - t) * (1 + t))

    def fpr(self, threshold: Any) -> Any:
        """Return (1 - t)^2, the share of negatives at or above thresholds in [0, 1]."""
        return plain((1 - _thresholds(threshold)) ** 2)

    def counts(self, threshold: Any) -> Counts:
        """Return the confusion tables, as shares of the whole, at thresholds in [0, 1]."""
        t, r = _thresholds(threshold), self.prevalence
        # Each cell by itself, so that none is a difference of near numbers.
        tp, fn = r * self.tpr(t), r * t**2
        return Counts(tp, (1 - r) * self.fpr(t), fn, (1 - r) * t * (2 - t))

    def roc_curve(self, n_points: int = 201) -> RocCurve:
        """Return points of the ROC curve, TPR = 1 - (1 - sqrt(FPR))^2."""
        t = np.linspace(1, 0, check_whole("n_points", n_points, 2))
        return RocCurve(self.fpr(t), self.tpr(t), t)

    def threshold_curves(
        self,
        metrics: Iterable[str] | None = None,
        *,
        thresholds: Any = None,
        **parameters: Any,
    ) -> ThresholdCurves:
        """Return metrics of the confusion table against the threshold.

        Parameters
        ----------
        metrics : list of str, default=None
            Names or aliases. None means all that need no parameter beyond `parameters`.
        thresholds : array-like of shape (n_thresholds,), default=None
            In [0, 1], falling; 201 evenly spaced ones if None.
        **parameters
            Parameters given to every metric that takes them, such as ``beta`` or ``cost``.

        Returns
        -------
        ThresholdCurves
            nan where a metric is undefined.
        """
        t = np.linspace(1, 0, 201) if thresholds is None else _thresholds(thresholds)
        return ThresholdCurves(t, values_of_shares(self.counts(t), metrics, parameters, t))

    def optimum(self, metric: str, **parameters: Any) -> tuple[float, float]:
        """Return the threshold in [0, 1] at which a metric is best, and its value there.

        A smooth optimum fixes its place to half of the digits of its value: expect 1e-8 of the one
        and 1e-15 of the other. A metric that only nears its best towards an end gives a threshold
        next to that end.

        Parameters
        ----------
        metric : str
            Name or alias of a metric of the confusion table.
        **parameters
            Its own parameters.

        Returns
        -------
        threshold, value : float
        """
        grid = np.linspace(1, 0, 1025)
        curves = self.threshold_curves([metric], thresholds=grid, **parameters)
        start, best = curves.best(metric)
        sign = -1.0 if best >= np.nanmax(curves[metric]) else 1.0

        def loss(t: float) -> float:
            [value] = self.threshold_curves([metric], thresholds=[t], **parameters)[metric]
            return np.inf if np.isnan(value) else sign * float(value)

        step = grid[0] - grid[1]
        bounds = max(start - step, 0.0), min(start + step, 1.0)
        found = optimize.minimize_scalar(
            loss, bounds=bounds, method="bounded", options={"xatol": 1e-12}
        )
        if found.fun < sign * best:
            return float(found.x), sign * float(found.fun)
        return start, best

    def sample(self, n_samples: int, random_state: Any = None) -> tuple[Bools, Floats]:
        """Draw examples of the model.

        Parameters
        ----------
        n_samples : int
            How many.
        random_state : int, numpy.random.Generator or None, default=None
            Seed or generator.

        Returns
        -------
        y_true : ndarray of shape (n_samples,), bool
        y_score : ndarray of shape (n_samples,), float64
        """
        rng = np.random.default_rng(random_state)
        truth = rng.random(check_whole("n_samples", n_samples, 1)) < self.prevalence
        height = np.sqrt(rng.random(n_samples))
        return truth, np.where(truth, height, 1 - height)


def _thresholds(values: Any) -> Floats:
    array = float_array(values, "threshold", scalar=True)
    if not ((array >= 0) & (array <= 1)).all():
        raise ValueError(f"threshold must lie in [0, 1], found {values!r}.")
    return array
