"""Scores of two classes with known distributions: curves, areas and optima without a sample."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import integrate, optimize, stats

from ..._arrays import Bools, Floats, float_array
from ..._options import OPEN_SHARE, check_whole
from .._records.counts import Counts
from ._roc import RocCurve
from ._thresholds import BestThreshold, ThresholdCurves, values_of_shares

_RISING, _FALLING = stats.beta(2, 1), stats.beta(1, 2)
_TAIL = float(stats.norm.sf(8))  # beyond the ends of a curve that is drawn


@dataclass(frozen=True, eq=False, repr=False)
class DensityModel:
    r"""Scores of two classes with known distributions.

    By default the scores lie on [0, 1] with density 2x among the positives and 2 (1 - x) among the
    negatives, so that at prevalence 1/2 the score is the probability of the positive class:

    .. math:: \mathrm{TPR}(t) = 1 - t^2, \quad \mathrm{FPR}(t) = (1 - t)^2, \quad A = \tfrac56

    Two normal distributions are the binormal model [1]_.

    Parameters
    ----------
    positives, negatives : frozen continuous distributions of :mod:`scipy.stats`
        Of the scores in each class, by default ``beta(2, 1)`` and ``beta(1, 2)``.
    prevalence : float in (0, 1), default=0.5
        The share of the positives.

    Raises
    ------
    ValueError, TypeError
        If the prevalence is out of range, or a distribution is none of SciPy's, or has no density.

    References
    ----------
    .. [1] M. S. Pepe, The Statistical Evaluation of Medical Tests for Classification and Prediction,
       Oxford University Press, 2003, section 4.4.

    Examples
    --------
    >>> from scipy import stats
    >>> from skaucx.metrics.curves import DensityModel
    >>> model = DensityModel(prevalence=0.2)
    >>> counts = model.counts(0.5)
    >>> round(float(counts.tp), 4), round(float(counts.fp), 4), round(model.auc, 4)
    (0.15, 0.2, 0.8333)
    >>> threshold, value = model.optimum("accuracy")
    >>> round(threshold, 6), round(value, 6)
    (0.8, 0.84)

    Of normal scores accuracy is best where the densities, weighted by the prevalence, meet: at
    1 + log(4) / 2.

    >>> model = DensityModel(stats.norm(2), stats.norm(0), prevalence=0.2)
    >>> round(model.optimum("accuracy").threshold, 4)
    1.6931
    """

    positives: Any = _RISING
    negatives: Any = _FALLING
    prevalence: float = 0.5

    def __post_init__(self) -> None:
        OPEN_SHARE.check("prevalence", self.prevalence)
        for name in ("positives", "negatives"):
            given = getattr(self, name)
            if not (hasattr(given, "dist") and hasattr(given, "pdf")):
                raise TypeError(
                    f"{name} must be a frozen continuous distribution, such as "
                    f"scipy.stats.norm(1, 0.5), found {given!r}."
                )

    def __repr__(self) -> str:
        one, zero = map(_written, (self.positives, self.negatives))
        return f"DensityModel({one}, {zero}, prevalence={self.prevalence})"

    def counts(self, threshold: ArrayLike) -> Counts:
        """Return the confusion tables, as shares of the whole, at thresholds."""
        t, r = float_array(threshold, "threshold", scalar=True), self.prevalence
        one, zero = self.positives, self.negatives
        cells = r * one.sf(t), (1 - r) * zero.sf(t), r * one.cdf(t), (1 - r) * zero.cdf(t)
        return Counts(*cells)

    @property
    def auc(self) -> float:
        """The area under the ROC curve: the probability that a positive scores above a negative."""
        inner = self.positives.ppf([0.001, 0.5, 0.999])
        area, _ = integrate.quad(
            lambda x: self.positives.pdf(x) * self.negatives.cdf(x),
            *self._ends, points=inner, epsabs=1e-14, limit=200,
        )  # fmt: skip
        return float(area)

    @property
    def _ends(self) -> tuple[float, float]:
        """The lowest and the highest threshold of a curve that is drawn."""
        both = self.positives, self.negatives
        lows, highs = zip(*(d.support() for d in both), strict=True)
        low, high = min(lows), max(highs)
        return (
            float(low if np.isfinite(low) else min(d.ppf(_TAIL) for d in both)),
            float(high if np.isfinite(high) else max(d.isf(_TAIL) for d in both)),
        )

    def roc_curve(self, n_points: int = 201) -> RocCurve:
        """Return points of the ROC curve, at evenly spaced thresholds."""
        t = np.linspace(*self._ends[::-1], check_whole("n_points", n_points, 2))
        return RocCurve(self.negatives.sf(t), self.positives.sf(t), t)

    def threshold_curves(
        self,
        metrics: Iterable[Any] | None = None,
        *,
        thresholds: ArrayLike | None = None,
        **parameters: Any,
    ) -> ThresholdCurves:
        """Return metrics of the confusion table against the threshold.

        Parameters
        ----------
        metrics : list of str, default=None
            Names or aliases. None means all that need no parameter beyond `parameters`.
        thresholds : array-like of shape (n_thresholds,), default=None
            Falling. None means 201 evenly spaced ones and, of metrics that are named, the one at which
            each is best.
        **parameters
            Parameters passed to every metric that accepts them, such as ``beta`` or ``cost``.

        Returns
        -------
        ThresholdCurves
            nan where a metric is undefined.
        """
        if thresholds is not None:
            return self._curves(metrics, float_array(thresholds, "thresholds"), parameters)
        t = np.linspace(*self._ends[::-1], 201)
        found = self._curves(metrics, t, parameters)
        if metrics is None:
            return found
        best = [self._optimum(named)[0] for named in found.metrics.values()]
        return self._curves(metrics, np.unique(np.append(t, best))[::-1], parameters)

    def _curves(self, metrics: Any, t: Floats, parameters: dict[str, Any]) -> ThresholdCurves:
        requested, values = values_of_shares(self.counts(t), metrics, parameters)
        return ThresholdCurves(t, values, metrics=requested)

    def optimum(self, metric: str, **parameters: Any) -> BestThreshold:
        """Return the threshold at which a metric is best, and its value there.

        The position of a smooth optimum has half the digits of its value: expect errors of 1e-8 and
        1e-15. A metric that approaches its best value at an end gives a threshold next to that end.

        Parameters
        ----------
        metric : str
            Name or alias of a metric of the confusion table.
        **parameters
            Parameters passed to every metric that accepts them.

        Returns
        -------
        BestThreshold
            The pair of `threshold` and `value`.
        """
        [named] = self._curves([metric], np.array(self._ends), parameters).metrics.values()
        return self._optimum(named)

    def _optimum(self, named: Any) -> BestThreshold:
        low, high = self._ends
        grid = np.linspace(high, low, 1025)
        curves = self._curves([named], grid, {})
        start, best = curves.best(named.key)
        sign = -1.0 if best >= np.nanmax(curves[named.key]) else 1.0

        def loss(t: float) -> float:
            [value] = self._curves([named], np.array([t]), {})[named.key]
            return np.inf if np.isnan(value) else sign * float(value)

        step = grid[0] - grid[1]
        bounds = max(start - step, low), min(start + step, high)
        found = optimize.minimize_scalar(
            loss, bounds=bounds, method="bounded", options={"xatol": 1e-12}
        )
        if found.fun < sign * best:
            return BestThreshold(float(found.x), sign * float(found.fun))
        return BestThreshold(start, best)

    def sample(
        self, n_samples: int, random_state: int | np.random.Generator | None = None
    ) -> tuple[Bools, Floats]:
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
        u = rng.random(n_samples)
        return truth, np.where(truth, self.positives.ppf(u), self.negatives.isf(u))


def _written(distribution: Any) -> str:
    """Return a frozen distribution as its call."""
    options = [f"{name}={value}" for name, value in distribution.kwds.items()]
    return f"{distribution.dist.name}({', '.join([*map(str, distribution.args), *options])})"
