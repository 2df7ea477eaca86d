"""Association in a confusion table: what else its cells tell of truth and prediction together.

Every formula reads tables of shape (..., K, K), rows true, columns predicted, and is vectorised over
the leading axes; 0/0 comes out as nan.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy import special

from ..._arrays import Floats
from .._registry.declare import metric
from .._registry.kinds import TABLE

association = partial(metric, kind=TABLE, family="association", undefined=np.nan)
chance_corrected = partial(association, bounds=(-1, 1))


@chance_corrected("scott_pi", "Scott 1955", swapped="scott_pi", transposed="scott_pi")
def scott_pi(table: Floats) -> Floats:
    r"""Scott's pi: agreement beyond the chance that both sides share one distribution of classes.

    Notes
    -----
    .. math:: \frac{p_o - p_e}{1 - p_e}, \qquad
              p_e = \sum_k \Bigl(\frac{p_{k \cdot} + p_{\cdot k}}{2}\Bigr)^2

    Examples
    --------
    >>> from skaucx.metrics import scott_pi
    >>> round(scott_pi([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1]), 4)
    0.0667
    """
    shares, agreed = _shares(table)
    return _beyond(agreed, (_mean_margin(shares) ** 2).sum(axis=-1))


@chance_corrected(
    "gwet_ac1", "Gwet 2008", swapped="gwet_ac1", transposed="gwet_ac1", options={"labels": None}
)
def gwet_ac1(table: Floats) -> Floats:
    r"""Gwet's AC1: agreement beyond chance, steady where one class is rare.

    Notes
    -----
    .. math:: \frac{p_o - p_e}{1 - p_e}, \qquad p_e = \frac{1}{K - 1} \sum_k \pi_k (1 - \pi_k)

    with the mean :math:`\pi_k` of the two shares of class k.

    Examples
    --------
    >>> from skaucx.metrics import gwet_ac1
    >>> round(gwet_ac1([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1]), 4)
    0.2075
    """
    shares, agreed = _shares(table)
    mean = _mean_margin(shares)
    return _beyond(agreed, (mean * (1 - mean)).sum(axis=-1) / (table.shape[-1] - 1))


@chance_corrected(
    "bennett_s",
    "Bennett et al. 1954",
    swapped="bennett_s",
    transposed="bennett_s",
    options={"labels": None},
    losses=True,
)
def bennett_s(table: Floats) -> Floats:
    r"""Bennett's S: agreement beyond that of K classes drawn alike.

    Notes
    -----
    .. math:: \frac{K p_o - 1}{K - 1}

    Examples
    --------
    >>> from skaucx.metrics import bennett_s
    >>> round(bennett_s([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1]), 4)
    0.1429
    """
    _, agreed = _shares(table)
    return _beyond(agreed, 1 / table.shape[-1])


@association(
    "cramer_v", "Cramer 1946", swapped="cramer_v", transposed="cramer_v", aliases=("cramers_v",)
)
def cramer_v(table: Floats) -> Floats:
    r"""Cramer's V: the strength of the association of truth and prediction, of whatever kind.

    Notes
    -----
    .. math:: \sqrt{\frac{\chi^2 / n}{K - 1}}, \qquad
              \chi^2 / n = \sum_{ij} \frac{(p_{ij} - p_{i \cdot} p_{\cdot j})^2}{p_{i \cdot} p_{\cdot j}}

    A class that one side lacks adds nothing. For two classes it is the size of the MCC.

    Examples
    --------
    >>> from skaucx.metrics import cramer_v
    >>> round(cramer_v([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1]), 4)
    0.0913
    """
    shares, _ = _shares(table)
    rows, columns = shares.sum(axis=-1, keepdims=True), shares.sum(axis=-2, keepdims=True)
    expected = rows * columns
    squares = np.divide(
        (shares - expected) ** 2, expected, where=expected > 0, out=np.zeros(shares.shape)
    )
    several = (rows > 0).sum(axis=(-2, -1)) > 1
    both = several & ((columns > 0).sum(axis=(-2, -1)) > 1)
    v = np.sqrt(squares.sum(axis=(-2, -1)) / (table.shape[-1] - 1))
    return np.where(both, np.minimum(v, 1), np.nan)


@association(
    "mutual_information",
    "Shannon 1948",
    bounds=(0, np.inf),
    best=np.nan,
    swapped="mutual_information",
    transposed="mutual_information",
)
def mutual_information(table: Floats) -> Floats:
    r"""Mutual information of truth and prediction, in bits.

    Notes
    -----
    .. math:: \sum_{ij} p_{ij} \log_2 \frac{p_{ij}}{p_{i \cdot} p_{\cdot j}}

    Examples
    --------
    >>> from skaucx.metrics import mutual_information
    >>> mutual_information([0, 0, 1, 1], [0, 0, 1, 1])
    1.0
    """
    shares, _ = _shares(table)
    entropy = -special.xlogy(shares, shares).sum(axis=(-2, -1))
    sides = [-special.xlogy(m, m).sum(axis=-1) for m in (shares.sum(axis=-1), shares.sum(axis=-2))]
    return np.maximum(sides[0] + sides[1] - entropy, 0) / np.log(2)


@association("no_information_rate", "Kuhn 2008", better="neither", swapped="no_information_rate")
def no_information_rate(table: Floats) -> Floats:
    r"""No-information rate: the accuracy of always predicting the most frequent class.

    Notes
    -----
    .. math:: \max_k p_{k \cdot}

    Examples
    --------
    >>> from skaucx.metrics import no_information_rate
    >>> no_information_rate([0, 0, 0, 1], [0, 1, 0, 1])
    0.75
    """
    shares, _ = _shares(table)
    return shares.sum(axis=-1).max(axis=-1)


@association("goodman_kruskal_lambda", "Goodman & Kruskal 1954", swapped="goodman_kruskal_lambda")
def goodman_kruskal_lambda(table: Floats) -> Floats:
    r"""Lambda: the share of errors that knowing the prediction spares in guessing the true class.

    Notes
    -----
    .. math:: \frac{\sum_j \max_i p_{ij} - \max_i p_{i \cdot}}{1 - \max_i p_{i \cdot}}

    Examples
    --------
    >>> from skaucx.metrics import goodman_kruskal_lambda
    >>> goodman_kruskal_lambda([0, 0, 1, 1], [0, 0, 1, 0])
    0.5
    """
    shares, _ = _shares(table)
    guessed = shares.sum(axis=-1).max(axis=-1)
    return _beyond(shares.max(axis=-2).sum(axis=-1), guessed)


def _shares(table: Floats) -> tuple[Floats, Floats]:
    """Return the cells and the diagonal as shares of the whole."""
    shares = table / table.sum(axis=(-2, -1), keepdims=True)
    return shares, np.trace(shares, axis1=-2, axis2=-1)


def _mean_margin(shares: Floats) -> Floats:
    return np.asarray((shares.sum(axis=-1) + shares.sum(axis=-2)) / 2)


def _beyond(agreed: Floats, chance: Floats | float) -> Floats:
    return (agreed - chance) / (1 - chance)
