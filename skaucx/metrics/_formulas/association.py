"""Association of true and predicted classes in a confusion table.

Every formula reads tables of shape (..., K, K), rows true, columns predicted, or the counts of each
class against the rest, of shape (..., K), and is vectorised over the leading axes; 0/0 is nan.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np

from ..._arrays import Floats, quotient
from .._kinds.labels import CLASSES, TABLE
from .._records.counts import Counts, shares_of
from .._registry.declare import metric

association = partial(
    metric,
    kind=TABLE,
    family="association",
    room="association",
    undefined=np.nan,
    symmetric=True,
)
# Simulated: where the classes are independent intervals hold 0 in 0 to 18 %.
_AT_ZERO = "the value of a sample is above that of the population, and never 0 where that is 0"
# Simulated: intervals hold the value of the population in 52 to 87 %.
_OF_GREATEST = (
    "the greatest of several noisy shares is biased upwards, so an interval does not cover"
)
chance_corrected = partial(association, bounds=(-1, 1))


@chance_corrected("scott_pi", "Scott 1955", kind=CLASSES, aliases=("unbiased_kappa",))
def scott_pi(c: Counts) -> Floats:
    r"""Scott's pi: agreement beyond chance, with one class distribution for both sides.

    Notes
    -----
    .. math:: \frac{p_o - p_e}{1 - p_e}, \qquad
              p_e = \sum_k \Bigl(\frac{p_{k \cdot} + p_{\cdot k}}{2}\Bigr)^2

    Examples
    --------
    >>> from skaucx.metrics.association import scott_pi
    >>> round(scott_pi([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1]), 4)
    0.0667
    """
    return _beyond(_agreed(c), np.sum(_mean_share(c) ** 2, axis=-1))


@chance_corrected("gwet_ac1", "Gwet 2008", kind=CLASSES, options={"labels": None})
def gwet_ac1(c: Counts) -> Floats:
    r"""Gwet's AC1: agreement beyond chance, stable if one class is rare.

    Notes
    -----
    .. math:: \frac{p_o - p_e}{1 - p_e}, \qquad p_e = \frac{1}{K - 1} \sum_k \pi_k (1 - \pi_k)

    with the mean :math:`\pi_k` of the two shares of class k.

    Examples
    --------
    >>> from skaucx.metrics.association import gwet_ac1
    >>> round(gwet_ac1([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1]), 4)
    0.2075
    """
    mean = _mean_share(c)
    return _beyond(_agreed(c), np.sum(mean * (1 - mean), axis=-1) / (mean.shape[-1] - 1))


@chance_corrected(
    "bennett_s", "Bennett et al. 1954", kind=CLASSES, options={"labels": None}, losses=True
)
def bennett_s(c: Counts) -> Floats:
    r"""Bennett's S: agreement beyond that of K equally likely classes.

    Notes
    -----
    .. math:: \frac{K p_o - 1}{K - 1}

    Examples
    --------
    >>> from skaucx.metrics.association import bennett_s
    >>> round(bennett_s([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1]), 4)
    0.1429
    """
    return _beyond(_agreed(c), 1 / c.tp.shape[-1])


@chance_corrected(
    "prevalence_adjusted_kappa", "Byrt et al. 1993", kind=CLASSES, aliases=("pabak",), losses=True
)
def prevalence_adjusted_kappa(c: Counts) -> Floats:
    r"""PABAK: the kappa that the same agreement would give with two equally frequent classes.

    Notes
    -----
    .. math:: 2 p_o - 1

    Examples
    --------
    >>> from skaucx.metrics.association import prevalence_adjusted_kappa
    >>> prevalence_adjusted_kappa([1, 0, 0, 0], [1, 0, 1, 0])
    0.5
    """
    return _beyond(_agreed(c), 0.5)


@association("bangdiwala_b", "Munoz & Bangdiwala 1997", kind=CLASSES)
def bangdiwala_b(c: Counts) -> Floats:
    r"""Bangdiwala's B: the area of the squares of agreement among the rectangles of the margins.

    Notes
    -----
    .. math:: \frac{\sum_k p_{kk}^2}{\sum_k p_{k \cdot} p_{\cdot k}}

    Examples
    --------
    >>> from skaucx.metrics.association import bangdiwala_b
    >>> bangdiwala_b([0, 0, 1, 1], [0, 0, 1, 0])
    0.625
    """
    return np.sum((c.tp / c.total) ** 2, axis=-1) / _chance(c)


@association("chance_agreement", "Cohen 1960", kind=CLASSES, better="neither")
def chance_agreement(c: Counts, *, shared: bool = False) -> Floats:
    r"""Chance agreement: the expected agreement of independent sides with these class frequencies.

    Parameters
    ----------
    shared : bool, default=False
        Whether to use the mean class distribution for both sides, as in :func:`scott_pi`; otherwise
        each side has its own, as in :func:`cohen_kappa_score`.

    Notes
    -----
    .. math:: \sum_k p_{k \cdot} p_{\cdot k}

    Examples
    --------
    >>> from skaucx.metrics.association import chance_agreement
    >>> y_true, y_pred = [0, 0, 1, 1], [0, 0, 1, 0]
    >>> chance_agreement(y_true, y_pred), chance_agreement(y_true, y_pred, shared=True)
    (0.5, 0.53125)
    """
    return np.sum(_mean_share(c) ** 2, axis=-1) if shared else _chance(c)


@association("cramer_v", "Cramer 1946", aliases=("cramers_v",), no_interval=_AT_ZERO)
def cramer_v(table: Floats) -> Floats:
    r"""Cramer's V: the strength of any association of true and predicted classes.

    Notes
    -----
    .. math:: \sqrt{\frac{\chi^2 / n}{K - 1}}, \qquad
              \chi^2 / n = \sum_{ij} \frac{(p_{ij} - p_{i \cdot} p_{\cdot j})^2}{p_{i \cdot} p_{\cdot j}}

    A class that does not occur on one side adds nothing, and one that occurs on neither is not among
    the K. For two classes it is the absolute MCC.

    Examples
    --------
    >>> from skaucx.metrics.association import cramer_v
    >>> round(cramer_v([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1]), 4)
    0.0913
    """
    shares = shares_of(table)
    rows, columns = shares.sum(axis=-1, keepdims=True), shares.sum(axis=-2, keepdims=True)
    several = (rows > 0).sum(axis=(-2, -1)) > 1
    both = several & ((columns > 0).sum(axis=(-2, -1)) > 1)
    classes = (rows + columns.swapaxes(-1, -2) > 0).sum(axis=(-2, -1))
    v = np.sqrt(phi_squared(table) / (classes - 1))
    return np.where(both, np.minimum(v, 1), np.nan)


@association("phi_squared", "Cramer 1946", bounds=(0, np.inf), best=np.nan, no_interval=_AT_ZERO)
def phi_squared(table: Floats) -> Floats:
    r"""Phi squared: Pearson's chi-squared of truth and prediction, divided by the number of examples.

    Notes
    -----
    .. math:: \frac{\chi^2}{n} = \sum_{ij}
              \frac{(p_{ij} - p_{i \cdot} p_{\cdot j})^2}{p_{i \cdot} p_{\cdot j}}

    A class that does not occur on one side adds nothing.

    Examples
    --------
    >>> from skaucx.metrics.association import phi_squared
    >>> phi_squared([0, 0, 1, 1], [0, 0, 1, 1])
    1.0
    """
    shares = shares_of(table)
    expected = shares.sum(axis=-1, keepdims=True) * shares.sum(axis=-2, keepdims=True)
    squares = quotient((shares - expected) ** 2, expected)
    return np.asarray(squares.sum(axis=(-2, -1)) + 0 * shares.sum(axis=(-2, -1)))


@association(
    "contingency_coefficient",
    "Cramer 1946",
    best=np.nan,
    aliases=("pearson_c",),
    no_interval=_AT_ZERO,
)
def contingency_coefficient(table: Floats) -> Floats:
    r"""Pearson's contingency coefficient C.

    Notes
    -----
    .. math:: \sqrt{\frac{\chi^2}{\chi^2 + n}}

    For K classes it is at most :math:`\sqrt{(K - 1) / K}`.

    Examples
    --------
    >>> from skaucx.metrics.association import contingency_coefficient
    >>> round(contingency_coefficient([0, 0, 1, 1], [0, 0, 1, 1]), 4)
    0.7071
    """
    squared = phi_squared(table)
    return np.sqrt(squared / (1 + squared))


@association(
    "no_information_rate",
    "Kuhn 2008",
    kind=CLASSES,
    better="neither",
    no_interval=_OF_GREATEST,
)
def no_information_rate(c: Counts) -> Floats:
    r"""No-information rate: the accuracy of always predicting the most frequent class.

    Notes
    -----
    .. math:: \max_k p_{k \cdot}

    Examples
    --------
    >>> from skaucx.metrics.association import no_information_rate
    >>> no_information_rate([0, 0, 0, 1], [0, 1, 0, 1])
    0.75
    """
    return (c.positives / c.total).max(axis=-1)


@association("goodman_kruskal_lambda", "Goodman & Kruskal 1954", no_interval=_OF_GREATEST)
def goodman_kruskal_lambda(
    table: Floats, *, guessed: Literal["true", "predicted"] = "true"
) -> Floats:
    r"""Lambda: the relative reduction of errors in guessing the true class, given the prediction.

    Parameters
    ----------
    guessed : {"true", "predicted"}, default="true"
        The side whose classes are guessed from the other side.

    Notes
    -----
    .. math:: \frac{\sum_j \max_i p_{ij} - \max_i p_{i \cdot}}{1 - \max_i p_{i \cdot}}

    Examples
    --------
    >>> from skaucx.metrics.association import goodman_kruskal_lambda
    >>> goodman_kruskal_lambda([0, 0, 1, 1], [0, 0, 1, 0])
    0.5
    """
    shares = shares_of(table if guessed == "true" else np.swapaxes(table, -1, -2))
    blind = shares.sum(axis=-1).max(axis=-1)
    return _beyond(shares.max(axis=-2).sum(axis=-1), blind)


@association("rand_index", "Rand 1971", traits=("reads_size",))
def rand_index(table: Floats) -> Floats:
    r"""Rand index: the share of pairs of examples on which truth and prediction agree.

    They agree on a pair that shares a class on both sides, or on neither.

    Notes
    -----
    .. math:: 1 - \frac{A + B - 2 \sum_{ij} \binom{n_{ij}}{2}}{\binom n2}, \qquad
              A = \sum_i \binom{n_{i \cdot}}{2}, \qquad B = \sum_j \binom{n_{\cdot j}}{2}

    The names of classes do not matter; the value is that of two partitions of the examples, as
    :func:`sklearn.metrics.rand_score` computes it. Weights count as repetitions: the value depends on
    their sum n, and is undefined below 2.

    Examples
    --------
    >>> from skaucx.metrics.association import rand_index
    >>> round(rand_index(["a", "b", "c", "c"], ["a", "b", "b", "c"]), 4)
    0.6667
    """
    shared, first, second, total = _shared_pairs(table)
    return 1 - (first + second - 2 * shared) / total


@chance_corrected(
    "adjusted_rand_index", "Hubert & Arabie 1985", traits=("reads_size",), aliases=("ari",)
)
def adjusted_rand_index(table: Floats) -> Floats:
    r"""Adjusted Rand index: agreement beyond chance on which pairs of examples share a class.

    Notes
    -----
    .. math:: \frac{\sum_{ij} \binom{n_{ij}}{2} - E}{\frac12 (A + B) - E}, \qquad
              A = \sum_i \binom{n_{i \cdot}}{2}, \qquad B = \sum_j \binom{n_{\cdot j}}{2}, \qquad
              E = A B \Big/ \binom n2

    The names of classes do not matter; the value is that of two partitions of the examples, as
    :func:`sklearn.metrics.adjusted_rand_score` computes it. Weights count as repetitions: the value
    depends on their sum n, and is undefined below 2.

    Examples
    --------
    >>> from skaucx.metrics.association import adjusted_rand_index
    >>> round(adjusted_rand_index(["a", "b", "c", "c"], ["a", "b", "b", "c"]), 4)
    -0.2
    """
    shared, first, second, total = _shared_pairs(table)
    chance = first * second / total
    return (shared - chance) / ((first + second) / 2 - chance)


def _shared_pairs(table: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the pairs of one class on both sides, on the true and the predicted one, and all pairs."""
    total = table.sum(axis=(-2, -1))
    first, second = (_pairs(table.sum(axis=side)).sum(axis=-1) for side in (-1, -2))
    pairs = np.where(total >= 2, _pairs(total), np.nan)
    return _pairs(table).sum(axis=(-2, -1)), first, second, pairs


def _pairs(counts: Floats) -> Floats:
    return counts * (counts - 1) / 2


def _agreed(c: Counts) -> Floats:
    return np.sum(c.tp / c.total, axis=-1)


def _chance(c: Counts) -> Floats:
    return np.sum((c.positives / c.total) * (c.predicted_positives / c.total), axis=-1)


def _mean_share(c: Counts) -> Floats:
    return (c.positives + c.predicted_positives) / (2 * c.total)


def _beyond(agreed: Floats, chance: Floats | float) -> Floats:
    return (agreed - chance) / (1 - chance)
