"""Odds, contrasts and net benefit of a binary confusion table.

Every formula reads a :class:`~skaucx.metrics.Counts` and is vectorised over its leading axes; 0/0
is nan.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy import special

from ..._arrays import Floats
from ..._options import OpenShare, Share
from .._kinds.labels import COUNTS
from .._records.counts import Counts
from .._registry.declare import metric
from .rates import false_positive_rate, recall

odds = partial(metric, kind=COUNTS, family="odds and decisions")
contrast = partial(odds, room="association", undefined=np.nan)
symmetric = partial(contrast, symmetric=True)


@odds(
    "predicted_positive_rate",
    "Powers 2011",
    better="neither",
    aliases=("ppr", "bias_rate"),
    share=lambda c: (c.predicted_positives, c.total),
)
def predicted_positive_rate(c: Counts) -> Floats:
    r"""Predicted positive rate: the share of the examples predicted positive.

    Notes
    -----
    .. math:: \frac{TP + FP}{n}

    Examples
    --------
    >>> from skaucx.metrics import predicted_positive_rate
    >>> predicted_positive_rate([1, 0, 0, 0], [1, 1, 0, 0])
    0.5
    """
    return c.predicted_positives / c.total


@symmetric("yule_q", "Yule 1912", bounds=(-1, 1), traits=("prevalence_free",))
def yule_q(c: Counts) -> Floats:
    r"""Yule's Q: the diagnostic odds ratio mapped to [-1, 1].

    Notes
    -----
    .. math:: \frac{TP \cdot TN - FP \cdot FN}{TP \cdot TN + FP \cdot FN}

    Examples
    --------
    >>> from skaucx.metrics.association import yule_q
    >>> yule_q.from_counts(tp=3, fp=1, fn=1, tn=1)
    0.5
    """
    c = c.scaled
    right, wrong = c.tp * c.tn, c.fp * c.fn
    return (right - wrong) / (right + wrong)


@symmetric("yule_y", "Yule 1912", bounds=(-1, 1), traits=("prevalence_free",))
def yule_y(c: Counts) -> Floats:
    r"""Yule's Y, the coefficient of colligation: Q of the square roots of the cells.

    Notes
    -----
    .. math:: \frac{\sqrt{TP \cdot TN} - \sqrt{FP \cdot FN}}{\sqrt{TP \cdot TN} + \sqrt{FP \cdot FN}}

    Examples
    --------
    >>> from skaucx.metrics.association import yule_y
    >>> yule_y.from_counts(tp=4, fp=1, fn=1, tn=4)
    0.6
    """
    c = c.scaled
    right, wrong = np.sqrt(c.tp * c.tn), np.sqrt(c.fp * c.fn)
    return (right - wrong) / (right + wrong)


@odds("net_benefit", "Vickers & Elkin 2006", bounds=(-np.inf, 1), best=np.nan)
def net_benefit(
    c: Counts,
    *,
    threshold: OpenShare,
    prevalence: Share | None = None,
    standardize: bool = False,
) -> Floats:
    r"""Net benefit: true positives minus false positives weighted by the threshold odds, per example.

    Parameters
    ----------
    threshold : float in (0, 1)
        The probability at which treating and not treating have equal utility. Predicted labels must
        use this threshold; scorers, :func:`evaluate` with `y_score` and nested runs cut the
        probabilities there, whatever the labels of the model. :func:`decision_curve` has the value
        at every threshold.
    prevalence : float in [0, 1], default=None
        If given, return the value for the same recall and false positive rate at this prevalence.
    standardize : bool, default=False
        Whether to divide by the prevalence, so that perfect predictions have the value 1.

    Notes
    -----
    .. math:: \frac{TP}{n} - \frac{FP}{n} \cdot \frac{t}{1 - t}

    The predictions must be those at the threshold t for the value to be a point of the decision
    curve.

    Examples
    --------
    >>> from skaucx.metrics import net_benefit
    >>> round(net_benefit([1, 0, 0, 0, 1], [1, 1, 0, 0, 1], threshold=0.2), 4)
    0.35
    """
    share = c.positives / c.total if prevalence is None else prevalence
    benefit = recall(c) * share - false_positive_rate(c) * (1 - share) * threshold / (1 - threshold)
    if prevalence is None:
        benefit = (c.tp - c.fp * threshold / (1 - threshold)) / c.total
    return benefit / share if standardize else benefit


@symmetric(
    "discriminant_power",
    "Blakeley & Oddone 1995",
    bounds=(-np.inf, np.inf),
    traits=("prevalence_free",),
)
def discriminant_power(c: Counts) -> Floats:
    r"""Discriminant power: the distance of two logistic class distributions in standard deviations.

    Notes
    -----
    .. math:: \frac{\sqrt 3}{\pi} \ln \frac{TP \cdot TN}{FP \cdot FN}

    Both distributions have equal spread. The logarithm is natural; with base 10, as in PyCM, values
    are 2.3 times smaller. It is infinite if one kind of error does not occur.

    Examples
    --------
    >>> from skaucx.metrics.association import discriminant_power
    >>> round(discriminant_power.from_counts(tp=40, fp=10, fn=10, tn=40), 4)
    1.5286
    """
    c = c.scaled
    return np.sqrt(3) / np.pi * np.log(c.tp * c.tn / (c.fp * c.fn))


@contrast(
    "d_prime",
    "Green & Swets 1966",
    bounds=(-np.inf, np.inf),
    symmetric=True,
    aliases=("sensitivity_index",),
    traits=("prevalence_free",),
)
def d_prime(c: Counts) -> Floats:
    r"""Sensitivity index d': the distance of two normal class distributions in standard deviations.

    Notes
    -----
    .. math:: d' = \Phi^{-1}(\mathrm{TPR}) - \Phi^{-1}(\mathrm{FPR})

    with the quantiles :math:`\Phi^{-1}` of the normal distribution; both distributions have equal
    spread. It is infinite if one kind of error does not occur.

    Examples
    --------
    >>> from skaucx.metrics.association import d_prime
    >>> round(d_prime.from_counts(tp=40, fp=10, fn=10, tn=40), 4)
    1.6832
    """
    return np.asarray(special.ndtri(recall(c)) - special.ndtri(false_positive_rate(c)))


@odds(
    "relative_risk",
    "Altman 1991",
    bounds=(0, np.inf),
    uninformed=1,
    aliases=("risk_ratio", "positive_predictive_likelihood_ratio"),
    room="association",
)
def relative_risk(c: Counts) -> Floats:
    r"""Relative risk: the prevalence in predicted positives, divided by that in predicted negatives.

    Notes
    -----
    .. math:: \frac{TP}{TP + FP} \Big/ \frac{FN}{FN + TN}

    It is infinite if no predicted negative is positive. It is also the positive predictive likelihood
    ratio, precision divided by the false omission rate; divided by
    :func:`negative_predictive_likelihood_ratio` it is the diagnostic odds ratio.

    Examples
    --------
    >>> from skaucx.metrics.association import relative_risk
    >>> relative_risk.from_counts(tp=6, fp=2, fn=1, tn=7)
    6.0
    """
    return c.tp / c.predicted_positives / (c.fn / c.predicted_negatives)


@contrast(
    "negative_predictive_likelihood_ratio",
    "Altman 1991",
    better="low",
    bounds=(0, np.inf),
    uninformed=1,
)
def negative_predictive_likelihood_ratio(c: Counts) -> Floats:
    r"""Negative predictive likelihood ratio: false discovery rate over negative predictive value.

    Notes
    -----
    .. math:: \frac{FP}{TP + FP} \Big/ \frac{TN}{FN + TN}

    The negative likelihood ratio with truth and prediction exchanged. The positive one is
    :func:`relative_risk`; both change with the prevalence.

    Examples
    --------
    >>> from skaucx.metrics.association import negative_predictive_likelihood_ratio
    >>> round(negative_predictive_likelihood_ratio.from_counts(tp=6, fp=2, fn=1, tn=7), 4)
    0.2857
    """
    return c.fp / c.predicted_positives / (c.tn / c.predicted_negatives)


@contrast("population_attributable_fraction", "Levin 1953", bounds=(-np.inf, 1), uninformed=0)
def population_attributable_fraction(c: Counts) -> Floats:
    r"""Population attributable fraction: the share of positives beyond the rate of predicted negatives.

    Notes
    -----
    .. math:: 1 - \frac{FN}{FN + TN} \Big/ \frac{TP + FN}{n}

    With an exposure in place of the prediction, the share of the cases that are due to it. Times the
    prevalence it is the population attributable risk; the attributable risk of the exposed, precision
    minus the false omission rate, is :func:`markedness_score`.

    Examples
    --------
    >>> from skaucx.metrics.association import population_attributable_fraction
    >>> round(population_attributable_fraction.from_counts(tp=6, fp=2, fn=1, tn=7), 4)
    0.7143
    """
    c = c.scaled
    return (c.tp * c.tn - c.fp * c.fn) / (c.positives * c.predicted_negatives)
