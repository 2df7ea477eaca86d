"""The Bayesian correlated t test of two procedures, with a region of practical equivalence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import fft, special, stats

from ..._arrays import Array, float_array
from ..._options import RealRange, check_whole
from ..._progress import ProgressBar
from ..._text.tables import Table, Tabular
from ...metrics._registry.resampling import generator
from .._types import Floats, RandomState, Rows
from ..results._nested_result import NestedCVResult
from ..results._statistics import corrected_error
from ._tests import paired_scores


@dataclass(frozen=True)
class PosteriorComparison(Tabular):
    """How probable it is that one procedure is better, or that they are equivalent in practice.

    Attributes
    ----------
    first_better, equivalent, second_better : float
        Posterior probabilities that the mean difference a - b is above the region of practical
        equivalence, in it, below it; they add up to 1.
    difference : float
        The mean difference a - b.
    rope : float
        Half the width of the region of practical equivalence.
    title : str
        The test.

    Examples
    --------
    >>> from skaucx.model_selection import bayesian_correlated_t_test
    >>> a, b = [0.85, 0.9, 0.8, 0.95, 0.9], [0.8, 0.85, 0.8, 0.85, 0.8]
    >>> found = bayesian_correlated_t_test(a, b, n_train=80, n_test=20)
    >>> round(found.difference, 3)
    0.06
    """

    first_better: float
    equivalent: float
    second_better: float
    difference: float
    rope: float
    title: str = "Bayesian correlated t test"

    def __repr__(self) -> str:
        return (
            f"{self.title}\n"
            f"  difference {self.difference:.4f}, equivalent within {self.rope:g}: "
            f"{self.equivalent:.4f}\n"
            f"  first better {self.first_better:.4f}, second better {self.second_better:.4f}"
        )

    def _table(self) -> Table:
        found = asdict(self)
        return Table([*found], [[*found.values()]], self.title, hidden={"title"})


# A hundredth of the loss of two equally frequent classes that are all predicted with 0.5.
_ROPES = {"brier_score_loss": 0.0025, "log_loss": 0.007}


def rope_of(result: NestedCVResult, name: str) -> float:
    """Return the default region of equivalence of a metric: from the table, or 1 % of its range."""
    bound = result.metric(name)
    known = None if bound is None else _ROPES.get(bound.function.__name__)
    low, high = result.statistics(name).bounds
    if known is None and not math.isfinite(high - low):
        raise ValueError(
            f"{name} has no range, so rope=, the difference that counts as equivalent in practice, "
            "must be given."
        )
    return (high - low) / 100 if known is None else known


def bayesian_correlated_t_test(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    n_train: ArrayLike,
    n_test: ArrayLike,
    rope: float = 0.01,
) -> PosteriorComparison:
    r"""Compare two procedures by the posterior of their mean difference over the same folds.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (n_folds,)
        Scores on the same test parts. Folds with nan are ignored.
    n_train, n_test : int or array-like of shape (n_folds,)
        Rows of each fold.
    rope : float, default=0.01
        Differences of at most so much count as equivalent in practice; 0 or more.

    Returns
    -------
    PosteriorComparison

    Raises
    ------
    ValueError
        If shapes differ, fewer than two folds count, or `rope` is negative.

    Notes
    -----
    Under the prior of [1]_ the posterior is Student's t with J - 1 degrees of freedom around the mean
    difference, with the squared scale

    .. math:: \left(\frac{1}{J} + \frac{\rho}{1 - \rho}\right) s^2, \quad
        \rho = \frac{n_\mathrm{test}}{n_\mathrm{train} + n_\mathrm{test}}

    that of :func:`corrected_resampled_t_test`, as :math:`\rho / (1 - \rho) = n_\mathrm{test} /
    n_\mathrm{train}`.
    Where no difference varies it is a point.

    References
    ----------
    .. [1] Benavoli, A., Corani, G., Demsar, J. and Zaffalon, M. (2017). Time for a change: a tutorial
       for comparing multiple classifiers through Bayesian analysis. Journal of Machine Learning
       Research 18(77), 1-36.

    Examples
    --------
    >>> from skaucx.model_selection import bayesian_correlated_t_test
    >>> a, b = [0.85, 0.9, 0.8, 0.95, 0.9], [0.8, 0.85, 0.8, 0.85, 0.8]
    >>> found = bayesian_correlated_t_test(a, b, n_train=80, n_test=20, rope=0.02)
    >>> round(found.first_better, 3), round(found.equivalent, 3)
    (0.886, 0.09)
    """
    width = RealRange(0, math.inf).check("rope", rope)
    scores, sizes = paired_scores(scores_a, scores_b, n_train, n_test)
    mean, error, df = corrected_error(scores[0] - scores[1], *sizes)
    if df < 1:
        raise ValueError("The test needs two folds on which both scores are defined.")
    if error > 0:
        below, up_to = (float(stats.t.cdf(x, df, loc=mean, scale=error)) for x in (-width, width))
    else:
        below, up_to = float(mean < -width), float(mean <= width)
    return PosteriorComparison(1 - up_to, up_to - below, below, mean, width)


def probabilities_near_best(
    scores: Floats, n_train: Rows, n_test: Rows, margin: float, draws: int, random_state: Any
) -> Floats:
    r"""Return how probable it is that each of K mean scores is within a margin of the best.

    The posterior of the means, under the prior of the correlated t test, is the multivariate t law
    with J - 1 degrees of freedom around the means found, with covariance matrix
    :math:`(1/J + \rho/(1 - \rho)) S`.

    Parameters
    ----------
    scores : ndarray of shape (K, J), float64
    """
    known = ~np.isnan(scores).any(axis=0)
    scores, folds = scores[:, known], int(known.sum())
    if folds < 2:
        raise ValueError("Two folds are needed on which all scores are defined.")
    scale = 1 / folds + n_test[known].sum() / n_train[known].sum()
    covariance = scale * np.atleast_2d(np.cov(scores))
    rng = generator(random_state)
    noise = rng.multivariate_normal(np.zeros(len(scores)), covariance, draws, method="eigh")
    chi = np.sqrt((folds - 1) / rng.chisquare(folds - 1, (draws, 1)))
    means = scores.mean(axis=1) + noise * chi
    return np.asarray((means >= means.max(axis=1, keepdims=True) - margin).mean(axis=0))


_MOST_CELLS = 2_000_000


def bayesian_signed_rank_test(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    rope: float = 0.01,
    prior_strength: float = 0.5,
    n_resamples: int = 50_000,
    random_state: RandomState = None,
) -> PosteriorComparison:
    r"""Compare two procedures by the posterior of their differences over many data sets.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (n_datasets,)
        One score of each procedure on each data set. Data sets with nan are ignored.
    rope : float, default=0.01
        Differences of at most so much count as equivalent in practice; 0 or more.
    prior_strength : float, default=0.5
        Weight of the prior, a data set without a difference; above 0.
    n_resamples : int, default=50000
        Draws from the posterior.
    random_state : int, RandomState, Generator or None, default=None

    Returns
    -------
    PosteriorComparison
        The probabilities that on a further data set the first procedure is more often better, the two
        equivalent, the second better, than either other; ``difference`` is the mean difference.

    Raises
    ------
    ValueError
        If shapes differ, or no data set is left.

    Notes
    -----
    With the differences :math:`z_1, \dots, z_q`, the prior's :math:`z_0 = 0`, weights
    :math:`w \sim \mathrm{Dirichlet}(s, 1, \dots, 1)` and the region :math:`[-r, r]`, a draw is

    .. math:: \theta_a = \sum_{i,j} w_i w_j 1[z_i + z_j > 2r], \quad
        \theta_b = \sum_{i,j} w_i w_j 1[z_i + z_j < -2r], \quad
        \theta_e = 1 - \theta_a - \theta_b

    and the probabilities are the shares of the draws in which each is the greatest [1]_ [2]_. With
    :math:`r = 0` equal sums count half to either side. :func:`bayesian_hierarchical_test` also uses
    the scores of single folds.

    References
    ----------
    .. [1] Benavoli, A., Mangili, F., Corani, G., Zaffalon, M. and Ruggeri, F. (2014). A Bayesian
       Wilcoxon signed-rank test based on the Dirichlet process. ICML, 1026-1034.
    .. [2] Benavoli, A., Corani, G., Demsar, J. and Zaffalon, M. (2017). Time for a change: a tutorial
       for comparing multiple classifiers through Bayesian analysis. Journal of Machine Learning
       Research 18(77), 1-36.

    Examples
    --------
    >>> from skaucx.model_selection import bayesian_signed_rank_test
    >>> a = [0.85, 0.9, 0.8, 0.95, 0.9, 0.7]
    >>> b = [0.8, 0.85, 0.8, 0.9, 0.8, 0.72]
    >>> found = bayesian_signed_rank_test(a, b, rope=0.01, random_state=0)
    >>> round(found.first_better, 2), round(found.difference, 3)
    (0.97, 0.038)
    """
    width = RealRange(0, math.inf).check("rope", rope)
    strength = RealRange(0, math.inf, open_low=True).check("prior_strength", prior_strength)
    draws = check_whole("n_resamples", n_resamples, least=1)
    a, b = float_array(scores_a, "scores_a"), float_array(scores_b, "scores_b")
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(
            f"scores_a and scores_b must be vectors of one length, found {a.shape} and {b.shape}."
        )
    differences = (a - b)[~np.isnan(a - b)]
    if not len(differences):
        raise ValueError("The test needs a data set on which both scores are defined.")
    z = np.r_[0.0, differences]
    rng = generator(random_state)
    wins = np.zeros(3)
    batch = max(1, _MOST_CELLS // len(z))
    with ProgressBar.of_resamples(draws, "draws") as bar:
        for start in range(0, draws, batch):
            size = min(batch, draws - start)
            weights = rng.dirichlet(np.r_[strength, np.ones(len(differences))], size)
            wins += _shares(_regions(z, width, weights))
            bar.advance(size)
    first, equal, second = wins / draws
    return PosteriorComparison(
        float(first), float(equal), float(second), float(differences.mean()), width,
        title="Bayesian signed-rank test",
    )  # fmt: skip


def _regions(z: Floats, rope: float, weights: Floats) -> Floats:
    """Return the posterior weight above, in and below the region for each draw, shape (n, 3)."""
    order = np.argsort(z)
    rising, own = z[order], weights[:, order]
    first, second = _above(rising, rope, own), _above(-rising[::-1], rope, own[:, ::-1])
    return np.stack([first, 1 - first - second, second], axis=1)


def _above(z: Floats, rope: float, weights: Floats) -> Floats:
    """Return the weight of the pairs of rising differences with a sum above the region, of each draw.

    Those are of one difference the others from a place on, whose weight is a sum from the end.
    """
    tails = np.zeros((len(weights), len(z) + 1))
    np.cumsum(weights[:, ::-1], axis=1, out=tails[:, -2::-1])
    # Of a region without a width equal sums count half.
    sides: Sequence[Literal["left", "right"]] = ("left", "right") if rope == 0 else ("right",)
    places = [np.searchsorted(z, 2 * rope - z, side) for side in sides]
    return np.mean([np.einsum("ij,ij->i", weights, tails[:, at]) for at in places], axis=0)


def _shares(regions: Floats, weight: Any = 1.0) -> Floats:
    """Count in how many draws each region has the most weight; ties are shared."""
    most = np.isclose(regions, regions.max(axis=1, keepdims=True), rtol=0, atol=1e-12)
    shared = most / most.sum(axis=1, keepdims=True)
    return np.asarray((shared * np.reshape(weight, (-1, 1))).sum(axis=0))


# Cells of the differences, and points of the scale and of the degrees of freedom.
_CELLS, _SCALES, _DEGREES = 1024, 64, 24


def bayesian_hierarchical_test(
    scores_a: Sequence[ArrayLike],
    scores_b: Sequence[ArrayLike],
    *,
    n_train: ArrayLike,
    n_test: ArrayLike,
    rope: float = 0.01,
) -> PosteriorComparison:
    r"""Compare two procedures on a further data set by the scores of all folds of many data sets.

    Data sets on which the scores vary much count less, and their differences are drawn towards those
    of the others.

    Parameters
    ----------
    scores_a, scores_b : list of array-like of shape (n_folds,)
        A vector for each of two or more data sets: scores on the same test parts. Folds with nan are
        ignored.
    n_train, n_test : int, or list of int or array-like of shape (n_folds,)
        Rows of each fold; one for all data sets, or one for each.
    rope : float, default=0.01
        Differences of at most so much count as equivalent in practice; 0 or more.

    Returns
    -------
    PosteriorComparison
        The probabilities that on a further data set the first procedure is more probably better, the
        two equivalent, the second better, than either other; ``difference`` is the posterior mean of
        the average difference.

    Raises
    ------
    ValueError
        If there are fewer than two data sets, lengths differ, a data set has fewer than three folds in
        which both scores are defined, all differences are equal, or `rope` is negative.

    Notes
    -----
    In the model of [1]_ the differences of the n folds of data set i are normal around
    :math:`\delta_i`, with standard deviation :math:`\sigma_i` uniform and correlation :math:`\rho =
    n_\mathrm{test} / (n_\mathrm{train} + n_\mathrm{test})`, and

    .. math:: \delta_i \sim t(\delta_0, \sigma_0, \nu), \quad \delta_0 \sim U(-m, m), \quad
        \sigma_0 \sim U(0, 1000 s), \quad \nu \sim \Gamma(\alpha, \beta), \quad
        \alpha \sim U(0.5, 5), \ \beta \sim U(0.05, 0.15)

    with m the greatest absolute difference and s the standard deviation of the means. With
    :math:`\sigma_i` integrated out, the likelihood of :math:`\delta_i` is Student's t with n - 2
    degrees of freedom. The remaining three parameters have their posterior on a grid, so there is no
    sampler and no seed.

    References
    ----------
    .. [1] Corani, G., Benavoli, A., Demsar, J., Mangili, F. and Zaffalon, M. (2017). Statistical
       comparison of classifiers through Bayesian hierarchical modelling. Machine Learning 106,
       1817-1837.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.model_selection import bayesian_hierarchical_test
    >>> rng = np.random.default_rng(0)
    >>> b = rng.normal(0.8, 0.02, (8, 10))
    >>> a = b + 0.03 + rng.normal(0, 0.01, (8, 10))
    >>> found = bayesian_hierarchical_test(a, b, n_train=90, n_test=10)
    >>> round(found.first_better, 2), round(found.difference, 2)
    (1.0, 0.03)
    """
    width = RealRange(0, math.inf).check("rope", rope)
    if len(scores_a) != len(scores_b) or len(scores_a) < 2:
        raise ValueError(
            "scores_a and scores_b must hold the scores of the same two or more data sets, found "
            f"{len(scores_a)} and {len(scores_b)}."
        )
    sizes = (
        _each(name, n, len(scores_a)) for name, n in (("n_train", n_train), ("n_test", n_test))
    )
    found = [
        _fold_law(place, *one)
        for place, one in enumerate(zip(scores_a, scores_b, *sizes, strict=True))
    ]
    centre, scale, df, most = np.array(found).T
    if not most.any() or not centre.std() + scale.sum() > 0:
        raise ValueError("The test needs differences of the scores that vary.")
    low, high = (centre - 8 * scale).min(), (centre + 8 * scale).max()
    ends = np.clip([2 * low - high, 2 * high - low], -1.5 * most.max(), 1.5 * most.max())
    edges = np.linspace(ends[0], ends[1], _CELLS + 1)
    step, middles = edges[1] - edges[0], (edges[1:] + edges[:-1]) / 2
    likelihood = fft.rfft(_mass(edges, centre, scale, df), 4 * _CELLS)
    spread = centre.std(ddof=1)
    scales = np.geomspace(step / 8, max(1000 * spread, 8 * step), _SCALES)
    degrees = np.geomspace(0.2, 300, _DEGREES)
    log_prior = np.log(scales)[:, None] + np.log(degrees * _density_of_degrees(degrees))
    inside = np.abs(middles) <= most.max()
    parts = []
    with ProgressBar.of_resamples(_SCALES, "scales") as bar:
        for sigma in scales:
            parts.append(_averaged(likelihood, step, sigma, degrees))
            bar.advance()
    log_posterior = np.array(parts)
    log_posterior = log_posterior[..., inside] + log_prior[..., None]
    posterior = np.exp(log_posterior - log_posterior.max())
    posterior /= posterior.sum()
    delta, sigma, nu = middles[inside], scales[:, None, None], degrees[:, None]
    below = special.stdtr(nu, (-width - delta) / sigma)
    above = special.stdtr(nu, (delta - width) / sigma)
    regions = np.stack([above, 1 - above - below, below], axis=-1).reshape(-1, 3)
    first, equal, second = _shares(regions, posterior.ravel())
    mean = float(posterior.sum(axis=(0, 1)) @ delta)
    return PosteriorComparison(
        float(first), float(equal), float(second), mean, width, title="Bayesian hierarchical test"
    )


def _each(name: str, sizes: Any, count: int) -> list[Any]:
    """Return the sizes of the folds of every data set."""
    if np.ndim(sizes) == 0:
        return [sizes] * count
    if len(sizes) != count:
        raise ValueError(
            f"{name} must be one number, or hold one for each of the {count} data sets."
        )
    return list(sizes)


def _fold_law(
    place: int, a: ArrayLike, b: ArrayLike, n_train: ArrayLike, n_test: ArrayLike
) -> tuple[float, float, int, float]:
    """Return centre, scale and degrees of freedom of a data set's likelihood, and its greatest gap."""
    scores, sizes = paired_scores(a, b, n_train, n_test)
    differences = scores[0] - scores[1]
    known = ~np.isnan(differences)
    differences, n = differences[known], int(known.sum())
    if n < 3:
        raise ValueError(f"Data set {place} has {n} folds with both scores; three are needed.")
    rho = sizes[1][known].sum() / (sizes[0][known] + sizes[1][known]).sum()
    squares = differences.var() * n / (1 - rho)
    scale = math.sqrt(squares * (1 + (n - 1) * rho) / (n * (n - 2)))
    return float(differences.mean()), scale, n - 2, float(np.abs(differences).max())


def _mass(edges: Floats, centre: Floats, scale: Floats, df: Floats) -> Floats:
    """Return the likelihood of each cell, shape (n_datasets, n_cells), from Student's t."""
    gap = edges - centre[:, None]
    z = np.divide(gap, scale[:, None], out=np.sign(gap) * np.inf, where=scale[:, None] > 0)
    upper = special.stdtr(df[:, None], np.where(np.isnan(z), 0.0, z))
    return np.asarray(np.diff(upper, axis=1))


def _averaged(transformed: Array, step: float, sigma: float, degrees: Floats) -> Floats:
    """Return the log likelihood of all data sets by the centre of the t law of their differences.

    The mass of each cell is convolved with that of the t law, one law for each number of degrees.
    """
    reach = step * (np.arange(-_CELLS, _CELLS + 1) - 0.5)
    kernel = fft.rfft(np.diff(special.stdtr(degrees[:, None], reach / sigma)), 4 * _CELLS)
    found = fft.irfft(transformed * kernel[:, None], 4 * _CELLS)[..., _CELLS : 2 * _CELLS]
    return np.asarray(np.log(np.maximum(found, 1e-300)).sum(axis=1))


def _density_of_degrees(nu: Floats) -> Floats:
    """Return the density of a gamma law whose shape and rate are uniform."""
    shape = np.linspace(0.5, 5, 91)[:, None, None]
    rate = np.linspace(0.05, 0.15, 41)[:, None]
    return np.mean(stats.gamma.pdf(nu, shape, scale=1 / rate), axis=(0, 1))
