"""Similarity of two sets: the positives and the predicted positives.

Every formula reads a :class:`~skaucx.metrics.Counts` and is vectorised over its leading axes; 0/0
is nan.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..._arrays import Floats
from ..._options import NonNegative
from .._kinds.labels import COUNTS
from .._records.counts import Counts
from .._registry.declare import metric
from .rates import false_negative_rate, false_positive_rate, precision, recall

similarity = partial(metric, kind=COUNTS, family="similarity of sets", room="similarity")


@similarity(
    "overlap_coefficient",
    "Simpson 1943",
    traits=("ignores_true_negatives",),
)
def overlap_coefficient(c: Counts) -> Floats:
    r"""Overlap coefficient: the share of the smaller set that is in the larger one.

    Notes
    -----
    .. math:: \frac{TP}{\min(TP + FP, TP + FN)}

    Examples
    --------
    >>> from skaucx.metrics.similarity import overlap_coefficient
    >>> overlap_coefficient.from_counts(tp=3, fp=1, fn=3, tn=3)
    0.75
    """
    return c.tp / np.minimum(c.positives, c.predicted_positives)


@similarity(
    "braun_blanquet",
    "Braun-Blanquet 1932",
    traits=("ignores_true_negatives",),
)
def braun_blanquet(c: Counts) -> Floats:
    r"""Braun-Blanquet similarity: the smaller of precision and recall.

    Notes
    -----
    .. math:: \frac{TP}{\max(TP + FP, TP + FN)}

    Its mean over the classes (``average="macro"``) is the class balance accuracy.

    Examples
    --------
    >>> from skaucx.metrics.similarity import braun_blanquet
    >>> braun_blanquet.from_counts(tp=3, fp=1, fn=3, tn=3)
    0.5
    """
    return c.tp / np.maximum(c.positives, c.predicted_positives)


@similarity("tversky_index", "Tversky 1977", traits=("ignores_true_negatives",))
def tversky_index(
    c: Counts, *, fn_weight: NonNegative = 0.7, fp_weight: NonNegative = 0.3
) -> Floats:
    r"""Tversky index: the share of true positives among these and weighted errors.

    Parameters
    ----------
    fn_weight : float >= 0, default=0.7
        Weight of a false negative; sources differ in which weight they call alpha.
    fp_weight : float >= 0, default=0.3
        Weight of a false positive. The defaults are those of Salehi et al. 2017.

    Notes
    -----
    .. math:: \frac{TP}{TP + w_{FN} FN + w_{FP} FP}

    Both 1/2 give F1, both 1 the Jaccard index.

    Examples
    --------
    >>> from skaucx.metrics.similarity import tversky_index
    >>> tversky_index.from_counts(tp=3, fp=2, fn=1, tn=3, fn_weight=1.0, fp_weight=0.5)
    0.6
    """
    return c.tp / (c.tp + fn_weight * c.fn + fp_weight * c.fp)


@similarity(
    "kulczynski_index",
    "Kulczynski 1927",
    traits=("ignores_true_negatives",),
)
def kulczynski_index(c: Counts) -> Floats:
    r"""Kulczynski's index: the mean of precision and recall.

    Notes
    -----
    .. math:: \frac12 \Bigl( \frac{TP}{TP + FP} + \frac{TP}{TP + FN} \Bigr)

    Examples
    --------
    >>> from skaucx.metrics.similarity import kulczynski_index
    >>> kulczynski_index.from_counts(tp=3, fp=1, fn=3, tn=3)
    0.625
    """
    return (precision(c) + recall(c)) / 2


@similarity(
    "classification_success_index",
    "Labatut & Cherifi 2011",
    bounds=(-1, 1),
    aliases=("icsi",),
    traits=("ignores_true_negatives",),
)
def classification_success_index(c: Counts) -> Floats:
    r"""Classification success index: precision plus recall minus 1.

    Notes
    -----
    .. math:: \frac{TP}{TP + FP} + \frac{TP}{TP + FN} - 1

    For one class it is the individual index; the mean over the classes (``average="macro"``) is the
    index of the classification.

    Examples
    --------
    >>> from skaucx.metrics.similarity import classification_success_index
    >>> classification_success_index.from_counts(tp=3, fp=1, fn=3, tn=3)
    0.25
    """
    return precision(c) + recall(c) - 1


@similarity(
    "distance_index",
    "Perkins & Schisterman 2006",
    better="low",
    bounds=(0, np.sqrt(2)),
    undefined=np.nan,
    symmetric=True,
    aliases=("distance_to_perfect", "dind"),
    traits=("prevalence_free",),
)
def distance_index(c: Counts) -> Floats:
    r"""Distance of the operating point from the perfect corner of ROC space.

    Notes
    -----
    .. math:: \sqrt{\mathrm{FNR}^2 + \mathrm{FPR}^2}

    Examples
    --------
    >>> from skaucx.metrics import threshold_curves
    >>> from skaucx.metrics.similarity import distance_index
    >>> distance_index.from_counts(tp=7, fp=4, fn=3, tn=6)
    0.5
    >>> curves = threshold_curves([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], ["distance_index"])
    >>> curves.best("distance_index")  # the threshold nearest to perfect
    BestThreshold(threshold=0.8, value=0.5)
    """
    return np.hypot(false_negative_rate(c), false_positive_rate(c))


@similarity(
    "similarity_index",
    "Perkins & Schisterman 2006",
    symmetric=True,
    aliases=("sind",),
    traits=("prevalence_free",),
)
def similarity_index(c: Counts) -> Floats:
    r"""One minus the relative distance of the operating point from the perfect one.

    Notes
    -----
    .. math:: 1 - \sqrt{(\mathrm{FNR}^2 + \mathrm{FPR}^2) / 2}

    Examples
    --------
    >>> from skaucx.metrics.similarity import similarity_index
    >>> round(similarity_index.from_counts(tp=7, fp=4, fn=3, tn=6), 4)
    0.6464
    """
    return 1 - distance_index(c) / np.sqrt(2)


@similarity(
    "excess_of_calls",
    "Powers 2011",
    better="neither",
    bounds=(-1, 1),
    undefined=np.nan,
    aliases=("automatic_manual",),
    losses=True,
)
def excess_of_calls(c: Counts, *, normalize: bool = True) -> Floats:
    r"""Prediction excess: predicted positives minus positives, as a share of all examples.

    Parameters
    ----------
    normalize : bool, default=True
        If False, return their number, or weight, instead of the share of all examples.

    Notes
    -----
    .. math:: \frac{FP - FN}{n}

    Examples
    --------
    >>> from skaucx.metrics.similarity import excess_of_calls
    >>> excess_of_calls.from_counts(tp=3, fp=1, fn=3, tn=3)
    -0.2
    """
    excess = c.fp - c.fn
    return excess / c.total if normalize else excess


@similarity(
    "bray_curtis_dissimilarity",
    "Bray & Curtis 1957",
    better="low",
    bounds=(0, 0.5),
    undefined=np.nan,
    symmetric=True,
    aliases=("bcd",),
    # Simulated: where both sets are of one size, intervals hold 0 in 3 to 18 % of samples.
    no_interval="the value of a sample is above that of the population, and never 0 where that is 0",
)
def bray_curtis_dissimilarity(c: Counts) -> Floats:
    r"""Bray-Curtis dissimilarity of the sizes of both sets; also 0 if errors cancel.

    Notes
    -----
    .. math:: \frac{|FP - FN|}{2 n}

    Examples
    --------
    >>> from skaucx.metrics.similarity import bray_curtis_dissimilarity
    >>> bray_curtis_dissimilarity.from_counts(tp=3, fp=1, fn=3, tn=3)
    0.1
    """
    return np.abs(c.fp - c.fn) / (2 * c.total)
