"""Metrics for classes of unequal size.

Formulas read :class:`~skaucx.metrics.Counts`, or tables of shape (..., K, K), rows true, and are
vectorised over leading axes; 0/0 is nan.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..._arrays import Floats
from ..._options import PositiveShare, Share
from .._kinds.labels import CLASSES, COUNTS
from .._records.counts import Counts
from .._registry.declare import metric
from .composites import fbeta, g_mean
from .rates import recall, specificity

imbalance = partial(metric, kind=COUNTS, family="imbalanced classes", room="imbalance")
of_classes = partial(imbalance, kind=CLASSES)


@imbalance("optimized_precision", "Ranawana & Palade 2006", bounds=(-1, 1), symmetric=True)
def optimized_precision(c: Counts) -> Floats:
    r"""Optimised precision: the accuracy minus the relative difference of recall and specificity.

    Notes
    -----
    .. math:: \frac{TP + TN}{n} - \frac{|\mathrm{TPR} - \mathrm{TNR}|}{\mathrm{TPR} + \mathrm{TNR}}

    Examples
    --------
    >>> from skaucx.metrics.imbalance import optimized_precision
    >>> round(optimized_precision([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1]), 4)
    0.4805
    """
    found, right = recall(c), c.tn / c.negatives
    return (c.tp + c.tn) / c.total - np.abs(found - right) / (found + right)


@imbalance(
    "index_of_balanced_accuracy",
    "Garcia et al. 2009",
    aliases=("iba",),
    traits=("prevalence_free",),
)
def index_of_balanced_accuracy(c: Counts, *, alpha: PositiveShare = 1.0) -> Floats:
    r"""Index of balanced accuracy: recall times specificity, weighted by their difference.

    Parameters
    ----------
    alpha : float in (0, 1], default=1.0
        The weight of the dominance TPR - TNR.

    Notes
    -----
    .. math:: (1 + \alpha (\mathrm{TPR} - \mathrm{TNR})) \, \mathrm{TPR} \cdot \mathrm{TNR}

    Examples
    --------
    >>> from skaucx.metrics.imbalance import index_of_balanced_accuracy
    >>> round(index_of_balanced_accuracy([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1]), 4)
    0.27
    """
    found, right = recall(c), c.tn / c.negatives
    return (1 + alpha * (found - right)) * found * right


@imbalance("adjusted_f_score", "Maratea et al. 2014", aliases=("agf",))
def adjusted_f(c: Counts) -> Floats:
    r"""Adjusted F: the geometric mean of F2 of the positives and F0.5 of the negatives.

    Notes
    -----
    .. math:: \sqrt{F_2(TP, FP, FN) \cdot F_{1/2}(TN, FN, FP)}

    Examples
    --------
    >>> from skaucx.metrics.imbalance import adjusted_f_score
    >>> round(adjusted_f_score([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1]), 4)
    0.5698
    """
    turned = Counts(tp=c.tn, fp=c.fn, fn=c.fp, tn=c.tp)
    return np.sqrt(fbeta(c, beta=2.0) * fbeta(turned, beta=0.5))


@imbalance("adjusted_g_mean_score", "Batuwita & Palade 2009", aliases=("agm",))
def adjusted_g_mean(c: Counts) -> Floats:
    r"""Adjusted G-mean: the G-mean, shifted towards specificity by the share of negatives.

    Notes
    -----
    .. math:: \frac{\mathrm{GM} + \mathrm{TNR} \cdot N / n}{1 + N / n}

    It is 0 if there is no true positive.

    Examples
    --------
    >>> from skaucx.metrics.imbalance import adjusted_g_mean_score
    >>> round(adjusted_g_mean_score([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1]), 4)
    0.5695
    """
    share = c.negatives / c.total
    mean = g_mean(c)
    adjusted = (mean + specificity(c) * share) / (1 + share)
    return np.where((c.tp == 0) & ~np.isnan(mean), 0.0, adjusted)


@imbalance(
    "label_auc_score", "Sokolova & Lapalme 2009", symmetric=True, traits=("prevalence_free",)
)
def label_auc(c: Counts) -> Floats:
    r"""AUC of labels: the area under the ROC curve with a single operating point.

    Notes
    -----
    .. math:: \frac{\mathrm{TPR} + \mathrm{TNR}}{2}

    For two classes it is the balanced accuracy. For more, its unweighted mean over the classes,
    each against the rest, is also called AUNU, and the mean weighted by their sizes AUNP.

    Examples
    --------
    >>> from skaucx.metrics.imbalance import label_auc_score
    >>> label_auc_score([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1])
    0.55
    """
    return (recall(c) + specificity(c)) / 2


@of_classes(
    "macro_accuracy_score",
    "Sokolova & Lapalme 2009",
    options={"labels": None},
    losses=True,
    symmetric=True,
)
def macro_accuracy(c: Counts) -> Floats:
    r"""Macro accuracy: the mean over the classes of the accuracy of each against the rest.

    Notes
    -----
    .. math:: \frac1K \sum_k \frac{TP_k + TN_k}{n}

    Every error counts in two of the K classes, so it grows with K; for two classes it is the accuracy.

    Examples
    --------
    >>> from skaucx.metrics.imbalance import macro_accuracy_score
    >>> macro_accuracy_score(["a", "b", "c", "c"], ["a", "b", "b", "c"])
    0.8333333333333334
    """
    return np.sum((c.tp + c.tn) / c.total, axis=-1) / c.tp.shape[-1]


@of_classes(
    "multiclass_g_mean_score",
    "Barandela et al. 2003",
    symmetric=True,
    traits=("prevalence_free",),
)
def multiclass_g_mean(c: Counts, *, correction: Share = 0.0) -> Floats:
    r"""G-mean of all classes: the geometric mean of their recalls.

    Parameters
    ----------
    correction : float in [0, 1], default=0.0
        Replaces a recall of 0, so that one class without true positives does not make the whole
        value 0.

    Notes
    -----
    .. math:: \Bigl( \prod_k \frac{TP_k}{TP_k + FN_k} \Bigr)^{1/K}

    over the classes that occur.

    Examples
    --------
    >>> from skaucx.metrics.imbalance import multiclass_g_mean_score
    >>> y_true, y_pred = [0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1]
    >>> multiclass_g_mean_score(y_true, y_pred)
    0.0
    >>> round(multiclass_g_mean_score(y_true, y_pred, correction=0.001), 4)
    0.01
    """
    recalls = recall(c)
    occurs = ~np.isnan(recalls)
    recalls = np.where(recalls == 0, correction, recalls)
    logs = np.log(recalls, out=np.full_like(recalls, -np.inf), where=recalls > 0)
    return np.exp(np.sum(np.where(occurs, logs, 0), axis=-1) / np.sum(occurs, axis=-1))
