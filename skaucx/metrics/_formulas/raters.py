"""Agreement of two raters beyond chance.

Every formula reads tables of shape (..., K, K) and is vectorised over the leading axes; 0/0 is nan.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..._arrays import Floats
from .._records.counts import shares_of
from .association import association, chance_corrected

# Maximum number of iterations of Aickin's equations; changes of alpha that are rounding, and that
# mean convergence.
_MOST_ROUNDS, _ROUNDING, _SETTLED = 2000, 1e-15, 1e-13


@chance_corrected("krippendorff_alpha", "Krippendorff 2004", traits=("reads_size",))
def krippendorff_alpha(
    table: Floats, *, distance: Literal["nominal", "ordinal", "interval"] = "nominal"
) -> Floats:
    r"""Krippendorff's alpha of two raters: one minus the ratio of observed to expected disagreement.

    Parameters
    ----------
    distance : {"nominal", "ordinal", "interval"}, default="nominal"
        Distance of two classes: 1 if they differ, the number of ratings between their mid-ranks, or
        the difference of their positions in sorted order.

    Notes
    -----
    .. math:: 1 - \frac{(2 n - 1) \sum_{jk} o_{jk} \, \delta_{jk}^2}{\sum_{jk} n_j n_k \, \delta_{jk}^2}

    with the ratings :math:`n_k` of class k by either side, their coincidences :math:`o_{jk}`, which
    count every example in both orders, and the distance :math:`\delta`. With nominal distance it is
    Scott's pi corrected for the sample size. Weights count as repetitions: the value depends on
    their sum n, and is undefined below 1.

    Examples
    --------
    >>> from skaucx.metrics.association import krippendorff_alpha
    >>> round(krippendorff_alpha([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1]), 4)
    0.1333
    """
    coincidences = (table + np.swapaxes(table, -1, -2)) / 2
    ratings = coincidences.sum(axis=-1)
    pairs = 2 * ratings.sum(axis=-1)
    shares = ratings / ratings.sum(axis=-1, keepdims=True)
    place = np.arange(shares.shape[-1], dtype=np.float64)
    if distance == "ordinal":
        place = np.cumsum(shares, axis=-1) - shares / 2
    apart = (place[..., :, None] - place[..., None, :]) ** 2
    if distance == "nominal":
        apart = np.sign(apart)
    chance = shares[..., :, None] * shares[..., None, :]
    seen = coincidences / ratings.sum(axis=-1)[..., None, None]
    observed, expected = ((apart * s).sum(axis=(-2, -1)) for s in (seen, chance))
    return np.where(pairs >= 2, 1 - observed / expected * (1 - 1 / pairs), np.nan)


@association(
    "aickin_alpha",
    "Aickin 1990",
    traits=("iterative",),
    reason="0/0, or the equations do not converge",
)
def aickin_alpha(table: Floats) -> Floats:
    r"""Aickin's alpha: the share of examples on which two raters agree for a reason other than chance.

    Notes
    -----
    .. math:: \alpha = \frac{p_o - p_e}{1 - p_e}, \qquad p_e = \sum_k p_k q_k, \qquad
              p_k = \frac{p_{k \cdot}}{1 - \alpha + \alpha q_k / p_e}, \qquad
              q_k = \frac{p_{\cdot k}}{1 - \alpha + \alpha p_k / p_e}

    The shares p and q are those of the examples that are classified by chance; the iteration starts
    from all examples, where alpha is Cohen's kappa. It is 0 if the raters agree less than by
    chance, and undefined if the iteration does not converge, as in small tables in which chance
    explains no agreement.

    Examples
    --------
    >>> from skaucx.metrics.association import aickin_alpha
    >>> round(aickin_alpha.from_table([[12, 3, 1], [4, 9, 5], [2, 2, 14]]), 4)
    0.5161
    """
    shares = shares_of(table)
    agreed = np.trace(shares, axis1=-2, axis2=-1)
    sides = (shares.sum(axis=axis).reshape(-1, table.shape[-1]) for axis in (-1, -2))
    return _caused(agreed.ravel(), *sides).reshape(agreed.shape)


def _caused(agreed: Floats, first: Floats, second: Floats) -> Floats:
    """Solve Aickin's equations of many tables from the class shares, until all converge."""
    p, q, alpha, step = first, second, np.zeros(len(agreed)), np.full(len(agreed), np.inf)
    for _ in range(_MOST_ROUNDS):
        chance = (p * q).sum(axis=-1)
        before, alpha = alpha, np.maximum((agreed - chance) / (1 - chance), 0)  # a share
        step = np.abs(alpha - before)
        moving = (step > _ROUNDING)[:, None]  # a table that has converged stays as it is
        if not moving.any():
            break
        caused, rest = (alpha / chance)[:, None], 1 - alpha[:, None]
        p, q = (
            np.divide(own, rest + caused * other, out=last.copy(), where=moving & (own > 0))
            for own, other, last in ((first, q, p), (second, p, q))
        )
    return np.where(step > _SETTLED, np.nan, alpha)
