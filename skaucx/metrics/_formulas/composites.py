"""Metrics that combine several rates of a binary confusion table in one number.

Every formula reads a :class:`~skaucx.metrics.Counts` and is vectorised over its leading axes; 0/0
is nan.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..._arrays import Floats
from ..._options import UpToInfinity
from .._kinds.labels import COUNTS
from .._records.counts import Counts
from .._registry.declare import metric
from .rates import (
    false_negative_rate,
    false_positive_rate,
    npv,
    precision,
    recall,
    specificity,
)

composite = partial(metric, kind=COUNTS, family="composites")
symmetric = partial(composite, symmetric=True)
likelihood_ratio = partial(
    composite, source="Deeks & Altman 2004", bounds=(0, np.inf), undefined=np.nan, uninformed=1
)


@composite(
    "f1_score",
    "van Rijsbergen 1979",
    twin=True,
    aliases=("f_measure", "dice", "f_score", "f1_measure"),
    share=lambda c: (c.tp, c.tp + c.fp + c.fn, lambda jaccard: 2 * jaccard / (1 + jaccard)),
    traits=("ignores_true_negatives",),
)
def f1(c: Counts) -> Floats:
    r"""F1: the harmonic mean of precision and recall.

    Notes
    -----
    .. math:: F_1 = \frac{2\,TP}{2\,TP + FN + FP}

    Examples
    --------
    >>> from skaucx.metrics import f1_score
    >>> f1_score([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1])
    0.4
    """
    return 2 * c.tp / (2 * c.tp + c.fn + c.fp)


@composite("fbeta_score", "van Rijsbergen 1979", twin=True, aliases=("f_beta", "f_gamma"))
def fbeta(c: Counts, *, beta: UpToInfinity) -> Floats:
    r"""F-beta: the harmonic mean of precision and recall, recall weighing beta^2 times as much.

    Parameters
    ----------
    beta : float >= 0
        The weight of recall; 1 gives F1.

    Notes
    -----
    .. math:: F_\beta = \frac{(1 + \beta^2)\,TP}{(1 + \beta^2)\,TP + \beta^2\,FN + FP}

    F_gamma, an alias, is this form with beta = gamma. Sources that write
    :math:`F_\gamma = (\gamma + 1) P R / (\gamma P + R)` have gamma = beta^2, and van Rijsbergen's
    :math:`F_\alpha = 1 / (\alpha / P + (1 - \alpha) / R)` has alpha = 1 / (1 + beta^2).

    Examples
    --------
    >>> from skaucx.metrics import fbeta_score
    >>> round(fbeta_score([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1], beta=2), 4)
    0.4545
    """
    missed = 1.0 if beta == np.inf else beta**2 / (1 + beta**2)
    return c.tp / (c.tp + missed * c.fn + (1 - missed) * c.fp)


@composite(
    "g_mean_score",
    "Kubat & Matwin 1997",
    symmetric=True,
    aliases=("geometric_mean", "gmean"),
    traits=("prevalence_free",),
)
def g_mean(c: Counts) -> Floats:
    r"""G-mean: the geometric mean of recall and specificity.

    Notes
    -----
    .. math:: \sqrt{\frac{TP}{TP + FN} \cdot \frac{TN}{TN + FP}}

    Examples
    --------
    >>> from skaucx.metrics import g_mean_score
    >>> round(g_mean_score([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1]), 4)
    0.5477
    """
    return np.sqrt(recall(c) * specificity(c))


@composite(
    "fowlkes_mallows_index",
    "Fowlkes & Mallows 1983",
    aliases=("fm", "fmi"),
    traits=("ignores_true_negatives",),
)
def fowlkes_mallows_index(c: Counts) -> Floats:
    r"""Fowlkes-Mallows index: the geometric mean of precision and recall.

    Not the clustering score ``sklearn.metrics.fowlkes_mallows_score``, which counts pairs of
    examples.

    Notes
    -----
    .. math:: \sqrt{\frac{TP}{TP + FP} \cdot \frac{TP}{TP + FN}}

    Examples
    --------
    >>> from skaucx.metrics import fowlkes_mallows_index
    >>> round(fowlkes_mallows_index([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1]), 4)
    0.4082
    """
    return np.sqrt(precision(c) * recall(c))


@composite(
    "informedness_score",
    "Youden 1950",
    bounds=(-1, 1),
    aliases=(
        "youden_j",
        "youden",
        "bookmaker",
        "bm",
        "youden_index",
        "true_skill_statistic",
        "tss",
        "peirce_skill_score",
    ),
    traits=("prevalence_free",),
    symmetric=True,
)
def informedness(c: Counts) -> Floats:
    r"""Informedness, or Youden's J: recall plus specificity minus 1; the chance level is 0.

    Notes
    -----
    .. math:: J = \frac{TP}{TP + FN} + \frac{TN}{TN + FP} - 1

    Examples
    --------
    >>> from skaucx.metrics import informedness_score
    >>> round(informedness_score([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1]), 4)
    0.1
    """
    return recall(c) + specificity(c) - 1


@composite(
    "markedness_score",
    "Powers 2011",
    bounds=(-1, 1),
    aliases=("delta_p", "mk", "attributable_risk", "deltap"),
    symmetric=True,
)
def markedness(c: Counts) -> Floats:
    r"""Markedness, or delta-p: precision plus negative predictive value minus 1.

    Notes
    -----
    .. math:: \frac{TP}{TP + FP} + \frac{TN}{TN + FN} - 1

    It is the difference of the prevalences in predicted positives and negatives, the attributable risk.

    Examples
    --------
    >>> from skaucx.metrics import markedness_score
    >>> round(markedness_score([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1]), 4)
    0.0833
    """
    return precision(c) + npv(c) - 1


@symmetric("p4_score", "Sitarz 2022")
def p4(c: Counts) -> Floats:
    r"""P4: the harmonic mean of precision, recall, specificity and negative predictive value.

    Notes
    -----
    .. math:: P_4 = \frac{4\,TP \cdot TN}{4\,TP \cdot TN + (TP + TN)(FP + FN)}

    It is 0 if there are errors and :math:`TP \cdot TN = 0`.

    Examples
    --------
    >>> from skaucx.metrics import p4_score
    >>> round(p4_score([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1]), 4)
    0.5
    """
    c = c.scaled
    right, wrong = 4 * c.tp * c.tn, (c.tp + c.tn) * (c.fp + c.fn)
    nothing_right = (c.tp + c.tn == 0) & (c.fp + c.fn > 0)
    return np.where(nothing_right, 0.0, right / (right + wrong))


@composite(
    "jaccard_score",
    "Gilbert 1884",
    twin=True,
    aliases=(
        "threat_score",
        "critical_success_index",
        "csi",
        "ts",
        "iou",
        "intersection_over_union",
        "jaccard_index",
    ),
    share=lambda c: (c.tp, c.tp + c.fp + c.fn),
    traits=("ignores_true_negatives",),
)
def jaccard(c: Counts) -> Floats:
    r"""Jaccard index: the share of true positives among true positives and errors.

    Notes
    -----
    .. math:: \frac{TP}{TP + FN + FP}

    Examples
    --------
    >>> from skaucx.metrics import jaccard_score
    >>> jaccard_score([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1])
    0.25
    """
    return c.tp / (c.tp + c.fn + c.fp)


@symmetric(
    "gilbert_skill_score",
    "Schaefer 1990",
    bounds=(-1 / 3, 1),
    uninformed=0,
    aliases=("equitable_threat_score", "ets", "gss"),
)
def gilbert_skill(c: Counts) -> Floats:
    r"""Gilbert skill score: the Jaccard index beyond the true positives expected by chance.

    Notes
    -----
    .. math:: \frac{TP - e}{TP + FN + FP - e}, \qquad e = \frac{(TP + FN)(TP + FP)}{n}

    Also the equitable threat score. With Cohen's :math:`\kappa` it is
    :math:`\kappa / (2 - \kappa)`, so it does not depend on which class is positive.

    Examples
    --------
    >>> from skaucx.metrics import gilbert_skill_score
    >>> round(gilbert_skill_score([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1]), 4)
    0.0455
    """
    c = c.scaled
    beyond = c.tp * c.tn - c.fp * c.fn  # n (TP - e)
    return beyond / (beyond + (c.tp + c.fp + c.fn + c.tn) * (c.fp + c.fn))


@likelihood_ratio(
    "positive_likelihood_ratio",
    aliases=("lr_plus", "plr", "lr+"),
    traits=("prevalence_free",),
)
def positive_likelihood_ratio(c: Counts) -> Floats:
    r"""LR+: the probability of a positive prediction in positives, divided by that in negatives.

    Notes
    -----
    .. math:: \mathrm{LR}_+ = \frac{TP}{TP + FN} \Big/ \frac{FP}{FP + TN}

    It is infinite if no negative is predicted positive.

    Examples
    --------
    >>> from skaucx.metrics import positive_likelihood_ratio
    >>> positive_likelihood_ratio([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1])
    1.25
    """
    return recall(c) / false_positive_rate(c)


@likelihood_ratio(
    "negative_likelihood_ratio",
    better="low",
    aliases=("lr_minus", "nlr", "lr-"),
    traits=("prevalence_free",),
)
def negative_likelihood_ratio(c: Counts) -> Floats:
    r"""LR-: the probability of a negative prediction in positives, divided by that in negatives.

    Notes
    -----
    .. math:: \mathrm{LR}_- = \frac{FN}{TP + FN} \Big/ \frac{TN}{FP + TN}

    It is infinite if every negative is predicted positive.

    Examples
    --------
    >>> from skaucx.metrics import negative_likelihood_ratio
    >>> round(negative_likelihood_ratio([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1]), 4)
    0.8333
    """
    return false_negative_rate(c) / specificity(c)


@symmetric(
    "diagnostic_odds_ratio",
    "Glas et al. 2003",
    bounds=(0, np.inf),
    uninformed=1,
    aliases=("dor", "odds_ratio"),
    traits=("prevalence_free",),
)
def diagnostic_odds_ratio(c: Counts) -> Floats:
    r"""DOR: the odds of a positive prediction in positives, divided by those in negatives.

    Notes
    -----
    .. math:: \frac{TP \cdot TN}{FP \cdot FN}

    It is infinite if one kind of error does not occur.

    Examples
    --------
    >>> from skaucx.metrics import diagnostic_odds_ratio
    >>> diagnostic_odds_ratio([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1])
    1.5
    """
    c = c.scaled
    return c.tp * c.tn / (c.fp * c.fn)


@composite(
    "prevalence_threshold",
    "Balayla 2020",
    better="low",
    aliases=("pt",),
    traits=("prevalence_free",),
)
def prevalence_threshold(c: Counts) -> Floats:
    r"""Prevalence below which the precision of the test falls most steeply.

    Notes
    -----
    .. math:: \frac{\sqrt{\mathrm{FPR}}}{\sqrt{\mathrm{TPR}} + \sqrt{\mathrm{FPR}}}

    The usual form is :math:`(\sqrt{\mathrm{TPR} \cdot \mathrm{FPR}} - \mathrm{FPR}) / (\mathrm{TPR} -
    \mathrm{FPR})`; the one above is equal to it and is defined where both rates are equal.

    Examples
    --------
    >>> from skaucx.metrics import prevalence_threshold
    >>> round(prevalence_threshold.from_counts(tp=20, fp=180, fn=10, tn=1820), 4)
    0.2687
    """
    found, alarmed = np.sqrt(recall(c)), np.sqrt(false_positive_rate(c))
    return alarmed / (found + alarmed)
