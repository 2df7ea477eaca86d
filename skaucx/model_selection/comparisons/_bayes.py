"""The Bayesian correlated t test of two procedures, with a region of practical equivalence."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from numpy.typing import ArrayLike
from scipy import stats

from ..._compat import import_pandas
from ..._options import RealRange
from ..._text.html import table
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
        Scores on the same test parts. Folds on which either is nan are left out.
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
