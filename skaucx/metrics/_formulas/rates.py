"""Rates: shares of one row, of one column or of the whole of a binary confusion table.

Every formula reads a :class:`~skaucx.metrics.Counts` and is vectorised over its leading axes; 0/0
is nan.
"""

from __future__ import annotations

from functools import partial

from ..._arrays import Floats
from ..._options import Share
from .._kinds.labels import COUNTS
from .._records.counts import Counts
from .._registry.declare import metric

rate = partial(metric, kind=COUNTS, family="rates")
error_rate = partial(rate, source="Fawcett 2006", better="low")
cell = partial(rate, source="Fawcett 2006", best=float("nan"), losses=True)


@rate(
    "recall_score",
    "Altman & Bland 1994",
    twin=True,
    aliases=(
        "sensitivity",
        "tpr",
        "true_positive_rate",
        "hit_rate",
        "power",
        "sen",
        "probability_of_detection",
        "sens",
        "pod",
    ),
    share=lambda c: (c.tp, c.positives),
    traits=(
        "prevalence_free",
        "ignores_true_negatives",
    ),
)
def recall(c: Counts) -> Floats:
    r"""Recall, or sensitivity: the share of the positives that are predicted positive.

    Notes
    -----
    .. math:: \frac{TP}{TP + FN}

    Examples
    --------
    >>> from skaucx.metrics import recall_score
    >>> recall_score([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1])
    0.5
    """
    return c.tp / c.positives


@rate(
    "specificity_score",
    "Altman & Bland 1994",
    aliases=("tnr", "true_negative_rate", "selectivity", "spc", "spec"),
    share=lambda c: (c.tn, c.negatives),
    traits=("prevalence_free",),
)
def specificity(c: Counts) -> Floats:
    r"""Specificity: the share of the negatives that are predicted negative.

    Notes
    -----
    .. math:: \frac{TN}{TN + FP}

    Examples
    --------
    >>> from skaucx.metrics import specificity_score
    >>> specificity_score([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1])
    0.6
    >>> specificity_score.from_counts(tp=20, fp=180, fn=10, tn=1820)
    0.91
    """
    return c.tn / c.negatives


@rate(
    "precision_score",
    "Altman & Bland 1994",
    twin=True,
    aliases=("ppv", "positive_predictive_value"),
    share=lambda c: (c.tp, c.predicted_positives),
    traits=("ignores_true_negatives",),
)
def precision(c: Counts, *, prevalence: Share | None = None) -> Floats:
    r"""Precision, or positive predictive value: the share of predicted positives that are positive.

    Parameters
    ----------
    prevalence : float in [0, 1], default=None
        If given, return the value for the same recall and specificity at this prevalence.

    Notes
    -----
    .. math:: \frac{TP}{TP + FP}

    At a prevalence :math:`\pi` it is, by Bayes' rule,

    .. math::

       \frac{\pi \cdot \mathrm{TPR}}{\pi \cdot \mathrm{TPR} + (1 - \pi) \cdot \mathrm{FPR}}.

    Examples
    --------
    >>> from skaucx.metrics import precision_score
    >>> y_true, y_pred = [1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1]
    >>> round(precision_score(y_true, y_pred), 4)
    0.3333
    >>> round(precision_score(y_true, y_pred, prevalence=0.5), 4)
    0.5556
    """
    if prevalence is None:
        return c.tp / c.predicted_positives
    right = c.tp / c.positives * prevalence
    return right / (right + c.fp / c.negatives * (1 - prevalence))


@rate(
    "npv_score",
    "Altman & Bland 1994",
    aliases=("negative_predictive_value",),
    share=lambda c: (c.tn, c.predicted_negatives),
)
def npv(c: Counts, *, prevalence: Share | None = None) -> Floats:
    r"""Negative predictive value: the share of predicted negatives that are negative.

    Parameters
    ----------
    prevalence : float in [0, 1], default=None
        If given, return the value for the same recall and specificity at this prevalence.

    Notes
    -----
    .. math:: \frac{TN}{TN + FN}

    At a prevalence :math:`\pi` it is, by Bayes' rule,

    .. math::

       \frac{(1 - \pi) \cdot \mathrm{TNR}}{(1 - \pi) \cdot \mathrm{TNR} + \pi \cdot \mathrm{FNR}}.

    Examples
    --------
    >>> from skaucx.metrics import npv_score
    >>> npv_score([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1])
    0.75
    """
    if prevalence is None:
        return c.tn / c.predicted_negatives
    right = c.tn / c.negatives * (1 - prevalence)
    return right / (right + c.fn / c.positives * prevalence)


@error_rate(
    "false_negative_rate",
    aliases=("fnr", "miss_rate"),
    share=lambda c: (c.fn, c.positives),
    traits=(
        "prevalence_free",
        "ignores_true_negatives",
    ),
)
def false_negative_rate(c: Counts) -> Floats:
    r"""Miss rate: the share of the positives that are predicted negative.

    Notes
    -----
    .. math:: \frac{FN}{TP + FN}

    Examples
    --------
    >>> from skaucx.metrics import false_negative_rate
    >>> false_negative_rate([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1])
    0.5
    """
    return c.fn / c.positives


@error_rate(
    "false_positive_rate",
    aliases=("fpr", "fall_out", "false_alarm_rate", "fallout"),
    share=lambda c: (c.fp, c.negatives),
    traits=("prevalence_free",),
)
def false_positive_rate(c: Counts) -> Floats:
    r"""False positive rate, or fall-out: the share of the negatives that are predicted positive.

    Notes
    -----
    .. math:: \frac{FP}{FP + TN}

    Examples
    --------
    >>> from skaucx.metrics import false_positive_rate
    >>> false_positive_rate([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1])
    0.4
    """
    return c.fp / c.negatives


@error_rate(
    "false_discovery_rate",
    aliases=("fdr",),
    share=lambda c: (c.fp, c.predicted_positives),
    traits=("ignores_true_negatives",),
)
def false_discovery_rate(c: Counts) -> Floats:
    r"""False discovery rate: the share of predicted positives that are negative.

    Notes
    -----
    .. math:: \frac{FP}{TP + FP}

    Examples
    --------
    >>> from skaucx.metrics import false_discovery_rate
    >>> round(false_discovery_rate([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1]), 4)
    0.6667
    """
    return c.fp / c.predicted_positives


@error_rate(
    "false_omission_rate",
    aliases=("for",),
    share=lambda c: (c.fn, c.predicted_negatives),
)
def false_omission_rate(c: Counts) -> Floats:
    r"""False omission rate: the share of predicted negatives that are positive.

    Notes
    -----
    .. math:: \frac{FN}{TN + FN}

    Examples
    --------
    >>> from skaucx.metrics import false_omission_rate
    >>> false_omission_rate([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1])
    0.25
    """
    return c.fn / c.predicted_negatives


@error_rate(
    "type_i_error",
    losses=True,
    aliases=("fp", "false_positives"),
    share=lambda c: (c.fp, c.total),
)
def type_i_error(c: Counts, *, normalize: bool = True) -> Floats:
    r"""False positives as a share of all examples.

    Parameters
    ----------
    normalize : bool, default=True
        If False, return their number, or weight, instead.

    Notes
    -----
    .. math:: \frac{FP}{n}

    Examples
    --------
    >>> from skaucx.metrics import type_i_error
    >>> type_i_error.from_counts(tp=5, fp=2, fn=1, tn=2)
    0.2
    """
    return c.fp / c.total if normalize else c.fp


@error_rate(
    "type_ii_error",
    losses=True,
    aliases=("fn", "false_negatives"),
    share=lambda c: (c.fn, c.total),
)
def type_ii_error(c: Counts, *, normalize: bool = True) -> Floats:
    r"""False negatives as a share of all examples.

    Parameters
    ----------
    normalize : bool, default=True
        If False, return their number, or weight, instead.

    Notes
    -----
    .. math:: \frac{FN}{n}

    Examples
    --------
    >>> from skaucx.metrics import type_ii_error
    >>> type_ii_error.from_counts(tp=5, fp=2, fn=1, tn=2)
    0.1
    """
    return c.fn / c.total if normalize else c.fn


@cell(
    "true_positives",
    aliases=("tp",),
    share=lambda c: (c.tp, c.total),
)
def true_positives(c: Counts, *, normalize: bool = True) -> Floats:
    r"""True positives as a share of all examples.

    Parameters
    ----------
    normalize : bool, default=True
        If False, return their number, or weight, instead.

    Notes
    -----
    .. math:: \frac{TP}{n}

    Examples
    --------
    >>> from skaucx.metrics import true_positives
    >>> y_true, y_pred = [1, 1, 0, 0], [1, 0, 1, 0]
    >>> true_positives(y_true, y_pred), true_positives(y_true, y_pred, normalize=False)
    (0.25, 1.0)
    """
    return c.tp / c.total if normalize else c.tp


@cell(
    "true_negatives",
    aliases=("tn",),
    share=lambda c: (c.tn, c.total),
)
def true_negatives(c: Counts, *, normalize: bool = True) -> Floats:
    r"""True negatives as a share of all examples.

    Parameters
    ----------
    normalize : bool, default=True
        If False, return their number, or weight, instead.

    Notes
    -----
    .. math:: \frac{TN}{n}

    Examples
    --------
    >>> from skaucx.metrics import true_negatives
    >>> y_true, y_pred = [1, 1, 0, 0], [1, 0, 1, 0]
    >>> true_negatives(y_true, y_pred), true_negatives(y_true, y_pred, normalize=False)
    (0.25, 1.0)
    """
    return c.tn / c.total if normalize else c.tn


@rate("prevalence", "Altman & Bland 1994", better="neither", share=lambda c: (c.positives, c.total))
def prevalence(c: Counts) -> Floats:
    r"""Prevalence: the share of the positives among all examples; neither direction is better.

    Notes
    -----
    .. math:: \frac{TP + FN}{n}

    Examples
    --------
    >>> from skaucx.metrics import prevalence
    >>> prevalence.from_counts(tp=20, fp=180, fn=10, tn=1790)
    0.015
    """
    return c.positives / c.total
