"""The two simulations of Vanderlooy & Huellermeier 2008, section 3.3, and one of folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from sklearn.base import clone
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import check_random_state

from .._arguments import Estimator, MetricLike
from .._arrays import Array, Bools, Floats, RandomState, float_array
from .._options import RealRange, check_whole
from .._text.tables import Table, Tabular
from ..metrics._registry.names import named_metric
from ._measures import Measures, measure_values
from ._sets import SetCollection
from ._violations import TIE

_SMALLEST = 20
_POPULATION = 20_000  # examples that stand for all possible ones


@dataclass(frozen=True, eq=False, repr=False)
class BiasVariance(Tabular):
    """Bias and variance of the measures relative to the true AUC.

    Parameters
    ----------
    alphas : ndarray of shape (n,)
        The steepness of the score densities: the greater, the better the classes are parted.
    true_auc : ndarray of shape (n,)
        The AUC of the densities themselves.
    mean : dict of str to ndarray of shape (n,)
        The mean of each measure over the repetitions.
    variance : dict of str to ndarray of shape (n,)
        Its variance over the repetitions.
    """

    alphas: Floats
    true_auc: Floats
    mean: Mapping[str, Floats]
    variance: Mapping[str, Floats]

    _index = "alpha"

    @property
    def bias(self) -> dict[str, Floats]:
        """The mean of each measure minus the true AUC."""
        return {name: mean - self.true_auc for name, mean in self.mean.items()}

    def _table(self) -> Table:
        bias = [[f"{name}, bias", *row] for name, row in self.bias.items()]
        deviation = [[f"{name}, sd", *np.sqrt(row)] for name, row in self.variance.items()]
        return Table(
            ["alpha", *(f"{alpha:g}" for alpha in self.alphas)],
            [["true AUC", *self.true_auc], [], *bias, [], *deviation],
            "Bias against the true AUC, and standard deviation (sd)",
        )


@dataclass(frozen=True, eq=False, repr=False)
class SelectionShares(Tabular):
    """How often each measure picks the best of several models.

    Parameters
    ----------
    sizes : ndarray of shape (n,)
        The numbers of instances that the choice rests on.
    right : dict of str to ndarray of shape (n,)
        The share of repetitions in which the model with the highest value is the best one; where
        several share the highest value, the chance of drawing the best among them.
    """

    sizes: Floats
    right: Mapping[str, Floats]

    _index = "instances"

    def _table(self) -> Table:
        head = ["instances", *(f"{size:g}" for size in self.sizes)]
        rows = [[name, *share] for name, share in self.right.items()]
        return Table(head, rows, "How often the best model is picked")


def simulate_bias(
    alphas: ArrayLike = range(1, 11),
    *,
    n_positives: int = 50,
    n_negatives: int = 50,
    repetitions: int = 5000,
    measures: Measures = "all",
    random_state: RandomState = None,
    **parameters: Any,
) -> BiasVariance:
    r"""Measure the bias against the true AUC and the variance of each measure.

    Scores have a density proportional to exp(-alpha d) on [0, 1], where d is the distance to 1 for
    positives and to 0 for negatives. Every alpha sees the same random numbers, so that curves over
    alpha are smooth.

    Parameters
    ----------
    alphas : array-like of shape (n,), default=1 to 10
        Steepness of the densities, > 0.
    n_positives, n_negatives : int >= 1, default=50
        Scores of each class.
    repetitions : int >= 2, default=5000
        Sets drawn for each alpha.
    measures : "all", str, callable, list or dict of these, default="all"
        AUC variants and measures of one's own, as in :func:`measure_values`.
    random_state : int, RandomState instance or None, default=None
        The seed.
    **parameters
        Parameters given to every variant that takes them, as in :func:`measure_values`.

    Returns
    -------
    BiasVariance

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range, or as :func:`measure_values`.

    Notes
    -----
    The true AUC, with z = exp(-alpha):

    .. math:: \frac{1 - z - \alpha z}{(1 - z)^2}

    References
    ----------
    .. [1] S. Vanderlooy and E. Huellermeier, "A critical analysis of variants of the AUC", Machine
       Learning 72, 2008, section 3.3.

    Examples
    --------
    >>> from skaucx.study import simulate_bias
    >>> result = simulate_bias([2, 8], repetitions=400, measures=["auc", "scor_auc"], random_state=0)
    >>> result.true_auc.round(3).tolist()
    [0.794, 0.998]
    >>> result.bias["scor_auc"].round(2).tolist()
    [-0.43, -0.25]
    """
    steepness = np.atleast_1d(float_array(alphas, "alphas", scalar=True))
    if steepness.ndim != 1 or not ((steepness > 0) & np.isfinite(steepness)).all():
        raise ValueError(f"alphas must be finite numbers > 0, found {alphas!r}.")
    rows = check_whole("repetitions", repetitions, 2)
    positives = check_whole("n_positives", n_positives, 1)
    size = positives + check_whole("n_negatives", n_negatives, 1)
    truth = np.tile(np.arange(size) < positives, (rows, 1))
    uniform = check_random_state(random_state).uniform(size=truth.shape)
    values = [
        measure_values(_exponential_sets(truth, uniform, alpha), measures, **parameters)
        for alpha in steepness
    ]
    mean = {name: np.array([each[name].mean() for each in values]) for name in values[0]}
    variance = {n: np.array([each[n].var(ddof=1) for each in values]) for n in values[0]}
    return BiasVariance(steepness, true_auc_of_densities(steepness), mean, variance)


def simulate_selection(
    sizes: Sequence[int] = (40, 100, 200, 400, 1000, 2000),
    *,
    n_models: int = 3,
    n_features: int = 10,
    noise: float = 0.5,
    flipped: float = 0.1,
    steepness: float = 4.0,
    repetitions: int = 1000,
    measures: Measures = "all",
    random_state: RandomState = None,
    **parameters: Any,
) -> SelectionShares:
    """Count how often each measure picks the best of several noisy linear models.

    Each repetition draws the coefficients w of the truth, normal and of length `steepness`, and
    models w + noise * steepness * e / sqrt(n_features), e standard normal. Instances x are standard
    normal, positive where w x > 0, a share of their labels switched at random; a model's score is
    1 / (1 + exp(-x m)). The best model is the one with the highest AUC on all possible instances:
    the one that points most nearly where w does.

    Parameters
    ----------
    sizes : sequence of int >= 20, default=(40, 100, 200, 400, 1000, 2000)
        Instances that the choice rests on.
    n_models : int >= 2, default=3
        Models to choose from.
    n_features : int >= 2, default=10
        Features of an instance.
    noise : float > 0, default=0.5
        The expected length of a model's error, as a share of that of w.
    flipped : float in [0, 0.5), default=0.1
        The chance that a label is switched.
    steepness : float > 0, default=4
        The length of w, by which scores are spread over [0, 1].
    repetitions : int >= 1, default=1000
        Choices for each size. All variants at the default sizes take minutes.
    measures : "all", str, callable, list or dict of these, default="all"
        AUC variants and measures of one's own, as in :func:`measure_values`.
    random_state : int, RandomState instance or None, default=None
        The seed.
    **parameters
        Parameters given to every variant that takes them, as in :func:`measure_values`.

    Returns
    -------
    SelectionShares

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range, or as :func:`measure_values`.

    References
    ----------
    .. [1] S. Vanderlooy and E. Huellermeier, "A critical analysis of variants of the AUC", Machine
       Learning 72, 2008, section 3.3. Dimension, noise and coefficients are chosen here.

    Examples
    --------
    >>> from skaucx.study import simulate_selection
    >>> result = simulate_selection([40, 100], repetitions=300, measures=["auc", "scor_auc"],
    ...                             random_state=0)
    >>> result.right["roc_auc"].round(2).tolist()
    [0.56, 0.65]
    """
    numbers = [check_whole("sizes", size, _SMALLEST) for size in sizes]
    if not numbers:
        raise ValueError("sizes is empty; name at least one number of instances.")
    models = check_whole("n_models", n_models, 2)
    shape = (
        check_whole("repetitions", repetitions, 1),
        check_whole("n_features", n_features, 2),
        models,
    )
    positive = RealRange(0, np.inf, open_low=True)
    error, length = positive.check("noise", noise), positive.check("steepness", steepness)
    chance = RealRange(0, 0.5, open_high=True).check("flipped", flipped)
    generator = check_random_state(random_state)
    shares: dict[str, list[float]] = {}
    for number in numbers:
        coefficients = _coefficients(generator, shape, error, length)
        sets = _scored_instances(generator, coefficients, number, chance)
        best = _alignment(coefficients).argmax(axis=1)
        for name, value in measure_values(sets, measures, **parameters).items():
            shares.setdefault(name, []).append(_share_right(value.reshape(-1, models), best))
    return SelectionShares(
        np.array(numbers, dtype=np.float64), {name: np.array(each) for name, each in shares.items()}
    )


@dataclass(frozen=True, eq=False, repr=False)
class FoldEstimates(Tabular):
    """Estimates of cross-validation with different numbers of folds, and what they estimate.

    Parameters
    ----------
    folds : ndarray of shape (n,), int
        The numbers of folds k.
    estimates : ndarray of shape (n, repetitions), float64
        The metric of the pooled out-of-fold predictions of each sample.
    truth : ndarray of shape (repetitions,), float64
        Its value on the population, of the model fitted to all of the sample.
    """

    folds: Array
    estimates: Floats
    truth: Floats

    _index = "folds"

    @property
    def bias(self) -> Floats:
        """The mean of estimate minus truth, by the number of folds."""
        return np.asarray((self.estimates - self.truth).mean(axis=1))

    @property
    def variance(self) -> Floats:
        """The variance of the estimates over samples, by the number of folds."""
        return np.asarray(self.estimates.var(axis=1, ddof=1))

    @property
    def error(self) -> Floats:
        """The root mean square of estimate minus truth, by the number of folds."""
        return np.asarray(np.sqrt(((self.estimates - self.truth) ** 2).mean(axis=1)))

    def _table(self) -> Table:
        columns = {
            "folds": self.folds,
            "bias": self.bias,
            "standard deviation": np.sqrt(self.variance),
            "root mean square error": self.error,
        }
        truth = f"{self.estimates.shape[1]} samples, true value {self.truth.mean():.4f} on average"
        return Table.of_columns(columns, truth)


def simulate_folds(
    folds: Sequence[int] = (2, 5, 10, 20),
    *,
    estimator: Estimator | None = None,
    metric: MetricLike = "accuracy",
    n_samples: int = 20,
    n_features: int = 4,
    distance: float = 2.0,
    repetitions: int = 100,
    random_state: RandomState = None,
) -> FoldEstimates:
    """Measure bias and variance of k-fold cross-validation against the number of folds.

    Each repetition draws a sample of two equally likely classes, normal with unit variances and means at
    a `distance`, and fits the estimator to all of it; its value on 20,000 further examples is the truth.
    The sample is split at random into k parts, and the predictions of all of them are pooled.

    Parameters
    ----------
    folds : sequence of int >= 2, default=(2, 5, 10, 20)
        Numbers of folds, at most `n_samples`, which is leave-one-out.
    estimator : classifier, default=None
        None means Gaussian naive Bayes.
    metric : str or callable, default="accuracy"
        A metric of predicted labels.
    n_samples : int >= 4, default=20
    n_features : int >= 1, default=4
    distance : float > 0, default=2
        Of the means, in standard deviations.
    repetitions : int >= 2, default=100
    random_state : int, RandomState instance or None, default=None
        The seed. Every number of folds sees the same samples.

    Returns
    -------
    FoldEstimates

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range.

    Notes
    -----
    Few folds train on fewer rows and are pessimistic; the bias vanishes towards leave-one-out. That
    more folds have the greater variance, as textbooks say, depends on the learner: of stable ones it
    falls with k [1]_.

    References
    ----------
    .. [1] R. Kohavi, A study of cross-validation and bootstrap for accuracy estimation and model
       selection, IJCAI 1995.

    Examples
    --------
    >>> from skaucx.study import simulate_folds
    >>> found = simulate_folds([2, 5], repetitions=20, random_state=0)
    >>> bool(found.bias[0] < found.bias[1])
    True
    """
    size = check_whole("n_samples", n_samples, 4)
    wide = [check_whole("folds", k, 2) for k in folds]
    if not wide or max(wide) > size:
        raise ValueError(f"folds must be numbers up to n_samples={size}, found {folds!r}.")
    apart = RealRange(0, np.inf, open_low=True).check("distance", distance)
    features = check_whole("n_features", n_features, 1)
    rows, generator = check_whole("repetitions", repetitions, 2), check_random_state(random_state)
    model, named = clone(GaussianNB() if estimator is None else estimator), named_metric(metric)
    value = partial(named.function, **named.parameters)

    def drawn(number: int) -> tuple[Floats, Array]:
        y = generator.randint(2, size=number)
        X = generator.normal(size=(number, features))
        X[:, 0] += y * apart
        return X, y

    X_all, y_all = drawn(_POPULATION)
    truth, estimates = np.empty(rows), np.empty((len(wide), rows))
    for row in range(rows):
        X, y = drawn(size)
        truth[row] = value(y_all, clone(model).fit(X, y).predict(X_all))
        for place, k in enumerate(wide):
            split = KFold(k, shuffle=True, random_state=generator.randint(2**31 - 1))
            estimates[place, row] = value(y, cross_val_predict(model, X, y, cv=split))
    return FoldEstimates(np.array(wide), estimates, truth)


def true_auc_of_densities(alpha: Floats) -> Floats:
    """Return the chance that a positive scores above a negative, of densities exp(-alpha d)."""
    z = np.exp(-alpha)
    return (-np.expm1(-alpha) - alpha * z) / np.expm1(-alpha) ** 2


def _exponential_sets(truth: Bools, uniform: Floats, alpha: float) -> SetCollection:
    """Turn uniform numbers into distances with density exp(-alpha d), by inverting their sum."""
    distance = np.clip(-np.log1p(uniform * np.expm1(-alpha)) / alpha, 0, 1)
    return SetCollection.from_arrays(truth, np.where(truth, 1 - distance, distance))


def _coefficients(
    generator: np.random.RandomState, shape: tuple[int, int, int], noise: float, length: float
) -> Floats:
    """Return the coefficients of truth and models, (repetitions, n_features, 1 + n_models)."""
    truth = generator.normal(size=(*shape[:2], 1))
    truth *= length / np.linalg.norm(truth, axis=1, keepdims=True)
    error = generator.normal(scale=noise * length / np.sqrt(shape[1]), size=shape)
    return np.concatenate([truth, truth + error], axis=2)


def _scored_instances(
    generator: np.random.RandomState, coefficients: Floats, number: int, flipped: float
) -> SetCollection:
    """Draw instances and score them by every model: one set a repetition and model.

    Only x m matters: with coefficients Q R, x Q is as normal as x, so x m needs 1 + n_models normal
    numbers an instance at most, whatever the number of features.
    """
    R = np.asarray(np.linalg.qr(coefficients, mode="r"))
    product = generator.normal(size=(len(R), number, R.shape[1])) @ R
    truth = (product[:, :, 0] > 0) ^ (generator.uniform(size=product.shape[:2]) < flipped)
    score = special.expit(np.moveaxis(product[:, :, 1:], 2, 1)).reshape(-1, number)
    return SetCollection.from_arrays(np.repeat(truth, product.shape[2] - 1, axis=0), score)


def _alignment(coefficients: Floats) -> Floats:
    """Return the cosine between the truth and each model, which orders their true AUCs."""
    directions = coefficients / np.linalg.norm(coefficients, axis=1, keepdims=True)
    return np.asarray((directions[:, :, :1] * directions[:, :, 1:]).sum(axis=1))


def _share_right(values: Floats, best: Any) -> float:
    """Return how often the best is chosen; among equal values each is drawn as often."""
    chosen = values >= values.max(axis=1, keepdims=True) - TIE
    return float((chosen[np.arange(len(best)), best] / chosen.sum(axis=1)).mean())
