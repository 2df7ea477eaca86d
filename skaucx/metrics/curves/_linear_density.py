"""Models of two classes whose curves have closed forms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special

from ..._arrays import Bools, Floats, float_array
from ..._options import OPEN_SHARE, RealRange, check_whole
from .._records.counts import Counts
from .._registry.declare import plain
from ._roc import RocCurve
from ._thresholds import BestThreshold, ThresholdCurves, values_of_shares


class DensityModel(ABC):
    """Scores of two classes with known densities: metrics in closed form, and where they are best."""

    prevalence: float

    @abstractmethod
    def counts(self, threshold: Any) -> Counts:
        """Return the confusion tables, as shares of the whole, at thresholds."""

    @abstractmethod
    def densities(self, score: Any) -> tuple[Any, Any]:
        """Return the densities of the scores of positives and of negatives."""

    @property
    @abstractmethod
    def _ends(self) -> tuple[float, float]:
        """The lowest and the highest threshold of a curve that is drawn."""

    @abstractmethod
    def _drawn(self, truth: Bools, rng: np.random.Generator) -> Floats:
        """Return a score of each example."""

    def tpr(self, threshold: Any) -> Any:
        """Return the share of positives at or above thresholds."""
        return plain(self.counts(threshold).tp / self.prevalence)

    def fpr(self, threshold: Any) -> Any:
        """Return the share of negatives at or above thresholds."""
        return plain(self.counts(threshold).fp / (1 - self.prevalence))

    def roc_curve(self, n_points: int = 201) -> RocCurve:
        """Return points of the ROC curve, at evenly spaced thresholds."""
        t = np.linspace(*self._ends[::-1], check_whole("n_points", n_points, 2))
        return RocCurve(self.fpr(t), self.tpr(t), t)

    def threshold_curves(
        self,
        metrics: Iterable[Any] | None = None,
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
            Falling, within the range of the scores. None means 201 evenly spaced ones and, of metrics
            that are named, the one at which each is best.
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
        requested, values = values_of_shares(self.counts(t), metrics, parameters, t)
        return ThresholdCurves(t, values, metrics=requested)

    @overload
    def optimum(self, metric: str, **parameters: Any) -> BestThreshold: ...

    @overload
    def optimum(
        self, metric: list[str] | tuple[str, ...], **parameters: Any
    ) -> dict[str, BestThreshold]: ...

    def optimum(self, metric: Any, **parameters: Any) -> Any:
        """Return the threshold at which a metric is best, and its value there.

        The position of a smooth optimum has half the digits of its value: expect errors of 1e-8 and
        1e-15. A metric that approaches its best value at an end gives a threshold next to that end.

        Parameters
        ----------
        metric : str or list of str
            Name or alias of a metric of the confusion table, or several.
        **parameters
            Parameters passed to every metric that accepts them.

        Returns
        -------
        BestThreshold or dict of str to BestThreshold
            The pair of `threshold` and `value`; of several metrics a dict by their names.
        """
        single = isinstance(metric, str)
        named = self._curves([metric] if single else metric, np.array(self._ends[::-1]), parameters)
        found = {key: self._optimum(each) for key, each in named.metrics.items()}
        return next(iter(found.values())) if single else found

    def sampling_spread(
        self,
        metrics: list[str] | tuple[str, ...],
        n_samples: int,
        *,
        n_repetitions: int = 1000,
        random_state: Any = None,
        **parameters: Any,
    ) -> dict[str, float]:
        """Return how much metrics vary over samples of a size, each at its best threshold of the model.

        Parameters
        ----------
        metrics : list of str
            Names or aliases of metrics of the confusion table.
        n_samples : int
            Examples in a sample; how many of them are positive varies, too.
        n_repetitions : int, default=1000
            Samples drawn.
        random_state : int, numpy.random.Generator or None, default=None
            Seed or generator.
        **parameters
            Parameters passed to every metric that accepts them.

        Returns
        -------
        dict of str to float
            The standard deviations over the samples in which a metric is defined.
        """
        rng = np.random.default_rng(random_state)
        n = check_whole("n_samples", n_samples, 1)
        draws = check_whole("n_repetitions", n_repetitions, 2)
        positives = rng.binomial(n, self.prevalence, draws)
        found = {}
        for name, (threshold, _) in self.optimum(metrics, **parameters).items():
            # Given the class counts, the positive calls of each class are binomial.
            tp, fp = (
                rng.binomial(of_class, min(1.0, rate(threshold)))
                for of_class, rate in ((positives, self.tpr), (n - positives, self.fpr))
            )
            shares = Counts(*(cell / n for cell in (tp, fp, positives - tp, n - positives - fp)))
            _, values = values_of_shares(shares, [name], parameters)
            found[name] = float(np.nanstd(values[name]))
        return found

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
        return truth, self._drawn(truth, rng)


@dataclass(frozen=True)
class LinearDensityModel(DensityModel):
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

    @property
    def _ends(self) -> tuple[float, float]:
        return 0.0, 1.0

    def tpr(self, threshold: ArrayLike) -> Any:
        """Return 1 - t^2, the share of positives at or above thresholds in [0, 1]."""
        t = _thresholds(threshold)
        return plain((1 - t) * (1 + t))

    def fpr(self, threshold: ArrayLike) -> Any:
        """Return (1 - t)^2, the share of negatives at or above thresholds in [0, 1]."""
        return plain((1 - _thresholds(threshold)) ** 2)

    def counts(self, threshold: ArrayLike) -> Counts:
        """Return the confusion tables, as shares of the whole, at thresholds in [0, 1]."""
        t, r = _thresholds(threshold), self.prevalence
        # Each cell directly, to avoid cancellation.
        tp, fn = r * self.tpr(t), r * t**2
        return Counts(tp, (1 - r) * self.fpr(t), fn, (1 - r) * t * (2 - t))

    def densities(self, score: ArrayLike) -> tuple[Any, Any]:
        """Return 2x and 2 (1 - x), the densities of positives and negatives at scores in [0, 1]."""
        x = _thresholds(score)
        return plain(2 * x), plain(2 * (1 - x))

    def _drawn(self, truth: Bools, rng: np.random.Generator) -> Floats:
        height = np.sqrt(rng.random(len(truth)))
        return np.where(truth, height, 1 - height)


@dataclass(frozen=True)
class BinormalModel(DensityModel):
    r"""Normal scores in both classes.

    .. math::

       \mathrm{TPR}(t) = \Phi\left(\frac{\mu_1 - t}{\sigma_1}\right), \quad
       \mathrm{FPR}(t) = \Phi\left(\frac{\mu_0 - t}{\sigma_0}\right), \quad
       A = \Phi\left(\frac{\mu_1 - \mu_0}{\sqrt{\sigma_0^2 + \sigma_1^2}}\right)

    Parameters
    ----------
    positive_mean : float, default=1.0
    positive_sd : float > 0, default=1.0
        Standard deviation of the positives' scores.
    negative_mean : float, default=0.0
    negative_sd : float > 0, default=1.0
        Where the standard deviations differ the ROC curve crosses the diagonal near one of its ends.
    prevalence : float in (0, 1), default=0.5
        The share of the positives.

    References
    ----------
    .. [1] M. S. Pepe, The Statistical Evaluation of Medical Tests for Classification and Prediction,
       Oxford University Press, 2003, section 4.4.

    Examples
    --------
    >>> from skaucx.metrics.curves import BinormalModel
    >>> model = BinormalModel(positive_mean=2.0, prevalence=0.2)
    >>> round(model.auc, 4)
    0.9214

    Accuracy is best where the densities, weighted by the prevalence, meet: at 1 + log(4) / 2.

    >>> threshold, value = model.optimum("accuracy")
    >>> round(threshold, 4), round(value, 4)
    (1.6931, 0.8879)
    >>> [round(float(density), 4) for density in model.densities(threshold)]
    [0.3806, 0.0951]
    """

    positive_mean: float = 1.0
    positive_sd: float = 1.0
    negative_mean: float = 0.0
    negative_sd: float = 1.0
    prevalence: float = 0.5

    def __post_init__(self) -> None:
        OPEN_SHARE.check("prevalence", self.prevalence)
        for name in ("positive", "negative"):
            RealRange(-np.inf, np.inf).check(f"{name}_mean", getattr(self, f"{name}_mean"))
            RealRange(0, np.inf, open_low=True).check(f"{name}_sd", getattr(self, f"{name}_sd"))

    @property
    def auc(self) -> float:
        """The area under the ROC curve."""
        distance = self.positive_mean - self.negative_mean
        return float(special.ndtr(distance / np.hypot(self.positive_sd, self.negative_sd)))

    @property
    def _ends(self) -> tuple[float, float]:
        """Eight standard deviations from both means."""
        means = np.array([self.positive_mean, self.negative_mean])
        reach = 8 * np.array([self.positive_sd, self.negative_sd])
        return float((means - reach).min()), float((means + reach).max())

    def _standardized(self, score: Any) -> tuple[Floats, Floats]:
        """Return scores in standard deviations from the mean of the positives and of the negatives."""
        x = float_array(score, "score", scalar=True)
        return (
            (x - self.positive_mean) / self.positive_sd,
            (x - self.negative_mean) / self.negative_sd,
        )

    def counts(self, threshold: ArrayLike) -> Counts:
        """Return the confusion tables, as shares of the whole, at thresholds."""
        above, below = self._standardized(threshold)
        r, phi = self.prevalence, special.ndtr
        cells = r * phi(-above), (1 - r) * phi(-below), r * phi(above), (1 - r) * phi(below)
        return Counts(*cells)

    def densities(self, score: ArrayLike) -> tuple[Any, Any]:
        """Return the normal densities of positives and negatives at scores."""
        sds = self.positive_sd, self.negative_sd
        of_both = (
            np.exp(-(z**2) / 2) / (sd * np.sqrt(2 * np.pi))
            for z, sd in zip(self._standardized(score), sds, strict=True)
        )
        positive, negative = map(plain, of_both)
        return positive, negative

    def _drawn(self, truth: Bools, rng: np.random.Generator) -> Floats:
        mean = np.where(truth, self.positive_mean, self.negative_mean)
        return rng.normal(mean, np.where(truth, self.positive_sd, self.negative_sd))


def _thresholds(values: Any) -> Floats:
    array = float_array(values, "threshold", scalar=True)
    if not ((array >= 0) & (array <= 1)).all():
        raise ValueError(f"threshold must lie in [0, 1], found {values!r}.")
    return array
