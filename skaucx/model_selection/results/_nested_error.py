"""The variance of a score by what inner folds said of it beforehand (Bates, Hastie & Tibshirani)."""

from __future__ import annotations

import numpy as np

from .._types import Floats, Rows
from ._noise import RowNoise

# Outer folds from which the mean of squared differences is steady enough.
LEAST_FOLDS = 20


def nested_variance(
    scores: Floats, inner: Floats, n_train: Rows, n_test: Rows, noise: RowNoise
) -> float:
    r"""Return the variance of the mean score of repeated folds by their inner folds.

    An inner cross-validation of the training part estimates the same as the outer test part does, with
    an error of its own. The mean squared difference of both, less the variance that the test rows of
    a fold have, is the error of the inner estimate [1]_:

    .. math:: \widehat{\mathrm{MSE}} = \frac{1}{J} \sum_{j=1}^{J} (\bar s_j^{in} - s_j)^2 - w, \qquad
              \widehat{\operatorname{Var}} = \frac{K - 1}{K} \widehat{\mathrm{MSE}}

    with w the mean variance of a fold's score, K folds a repetition, and J in all. As there it is kept
    between the variance v that the test rows give to the mean and K v.

    Parameters
    ----------
    scores : ndarray of shape (J,), float64
        Outer scores, nan where undefined.
    inner : ndarray of shape (J, l), float64
        Inner scores of what each outer fold chose. The winner of many is too good there, which adds
        its squared optimism.
    n_train, n_test : ndarray of shape (J,), int
    noise : RowNoise

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If fewer than 20 folds are defined on both sides.

    References
    ----------
    .. [1] Bates, S., Hastie, T. and Tibshirani, R. (2024). Cross-validation: what does it estimate and
       how well does it do it? Journal of the American Statistical Association 119, 1434-1445.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.model_selection.results._nested_error import nested_variance
    >>> from skaucx.model_selection.results._noise import RowNoise
    >>> rng, noise = np.random.default_rng(0), RowNoise(0.001, 0.005, np.nan, 30, "delta method")
    >>> scores, inner = rng.normal(0.8, 0.1, 50), rng.normal(0.8, 0.05, (50, 5))
    >>> round(nested_variance(scores, inner, np.full(50, 80), np.full(50, 20), noise), 4)
    0.0037
    """
    missing = np.isnan(inner)
    held = (~missing).sum(axis=1)
    defined = ~np.isnan(scores) & (held > 0)
    if defined.sum() < LEAST_FOLDS:
        raise ValueError(
            f"method='nested' needs {LEAST_FOLDS} outer folds, such as 10 repetitions of 5, found "
            f"{defined.sum()} with inner and outer scores."
        )
    means = np.where(missing, 0.0, inner).sum(axis=1)[defined] / held[defined]
    error = np.mean((means - scores[defined]) ** 2) - noise.of_fold
    folds = 1 + n_train.sum() / n_test.sum()
    return float(np.clip((folds - 1) / folds * error, noise.of_mean, folds * noise.of_mean))
