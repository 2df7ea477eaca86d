"""The Bayesian correlated t test of two procedures, with a region of practical equivalence."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from ..._arrays import float_array
from ..._compat import import_pandas
from ..._options import RealRange, check_whole
from ..._text.html import table
from ...metrics._resampling.draws import generator
from .._types import Floats
from ..results._statistics import corrected_error
from ._tests import paired_scores


@dataclass(frozen=True)
class PosteriorComparison:
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
            f"{self.title}: difference {self.difference:.4f}\n"
            f"  first better {self.first_better:.4f}, equivalent within {self.rope:g} "
            f"{self.equivalent:.4f}, second better {self.second_better:.4f}"
        )

    def to_frame(self) -> Any:
        """Return a pandas DataFrame of one row.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return import_pandas().DataFrame([asdict(self)])

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        found = asdict(self)
        names = [name.replace("_", " ") for name in found]
        return table("Bayesian correlated t test", names, [list(found.values())])


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


_MOST_CELLS = 2_000_000


def bayesian_signed_rank_test(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    rope: float = 0.01,
    prior_strength: float = 0.5,
    n_resamples: int = 50_000,
    random_state: Any = None,
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
    :math:`r = 0` equal sums count half to either side. The hierarchical model of [3]_, which also
    uses the scores of single folds, has no closed form and needs a special sampler; it is not
    implemented.

    References
    ----------
    .. [1] Benavoli, A., Mangili, F., Corani, G., Zaffalon, M. and Ruggeri, F. (2014). A Bayesian
       Wilcoxon signed-rank test based on the Dirichlet process. ICML, 1026-1034.
    .. [2] Benavoli, A., Corani, G., Demsar, J. and Zaffalon, M. (2017). Time for a change: a tutorial
       for comparing multiple classifiers through Bayesian analysis. Journal of Machine Learning
       Research 18(77), 1-36.
    .. [3] Corani, G., Benavoli, A., Demsar, J., Mangili, F. and Zaffalon, M. (2017). Statistical
       comparison of classifiers through Bayesian hierarchical modelling. Machine Learning 106,
       1817-1837.

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
    for size in _batches(draws, len(z)):
        weights = rng.dirichlet(np.r_[strength, np.ones(len(differences))], size)
        wins += _shares(_regions(z, width, weights))
    first, equal, second = wins / draws
    return PosteriorComparison(
        float(first), float(equal), float(second), float(differences.mean()), width,
        title="Bayesian signed-rank test",
    )  # fmt: skip


def _regions(z: Floats, rope: float, weights: Floats) -> Floats:
    """Return the posterior weight above, in and below the region for each draw, shape (n, 3)."""
    sums = z[:, None] + z
    above, below = (sums > 2 * rope) * 1.0, (sums < -2 * rope) * 1.0
    if rope == 0:
        above, below = above + 0.5 * (sums == 0), below + 0.5 * (sums == 0)
    first, second = (((weights @ table) * weights).sum(axis=1) for table in (above, below))
    return np.stack([first, 1 - first - second, second], axis=1)


def _shares(regions: Floats) -> Floats:
    """Count in how many draws each region has the most weight; ties are shared."""
    most = np.isclose(regions, regions.max(axis=1, keepdims=True), rtol=0, atol=1e-12)
    counted: Floats = (most / most.sum(axis=1, keepdims=True)).sum(axis=0)
    return counted


def _batches(draws: int, size: int) -> list[int]:
    most = max(1, _MOST_CELLS // size)
    return [min(most, draws - start) for start in range(0, draws, most)]
