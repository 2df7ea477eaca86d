"""Areas under the ROC and precision-recall curves, and the break-even point.

Every formula reads the `threshold_counts` of its record, also with a leading axis of replicates.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np

from ..._arrays import Floats, quotient
from ..._options import Band
from .._kinds.scores import ORDER
from .._pairs.ranking import PairMeans
from .._records.counts import Counts
from .._registry.declare import metric
from .rates import false_positive_rate, precision, recall
from .slopes import Slopes, of_average_precision, of_cut

area = partial(metric, kind=ORDER, family="areas")


@area(
    "partial_roc_auc_score",
    "McClish 1989",
    undefined=np.nan,
    aliases=("partial_auc",),
    over_thresholds="sum",
)
def partial_roc_auc(
    r: PairMeans,
    *,
    fpr: Band | None = None,
    tpr: Band | None = None,
    standardize: bool = False,
) -> np.float64:
    r"""Partial AUC: the area under the ROC curve within a band of FPR or of TPR.

    Parameters
    ----------
    fpr : (float, float), default=None
        The band 0 <= low < high <= 1 of false positive rates; (0, 1) if `tpr` is None too.
    tpr : (float, float), default=None
        The band of true positive rates; the area is then to the right of the curve.
    standardize : bool, default=False
        Whether to map the area of the diagonal to 1/2 and that of the perfect curve to 1.

    Notes
    -----
    .. math::

       A = \int_a^b \mathrm{TPR} \, d\mathrm{FPR} \quad \text{or} \quad
       A = \int_a^b (1 - \mathrm{FPR}) \, d\mathrm{TPR}

    over the band from a to b. Standardised it is

    .. math:: \frac12 \left(1 + \frac{A - A_0}{A_1 - A_0}\right),

    where :math:`A_0` is the area of the diagonal within the band and :math:`A_1 = b - a` that of the
    perfect curve.

    Examples
    --------
    >>> from skaucx.metrics import partial_roc_auc_score
    >>> partial_roc_auc_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1], fpr=(0, 0.5))
    0.375
    """
    if fpr is not None and tpr is not None:
        raise ValueError(f"fpr and tpr are two bands ({fpr!r}, {tpr!r}); give one of them.")
    low, high = fpr or tpr or (0, 1)
    c = r.threshold_counts
    x, y = false_positive_rate(c), recall(c)
    if tpr is not None:
        x, y = y, 1 - x
    area = _area_within(x, y, low, high)
    if not standardize:
        return area
    greatest = high - low
    least = _of_diagonal(low, high, tpr is not None)
    return (1 + (area - least) / (greatest - least)) / 2


def _of_diagonal(low: float, high: float, of_tpr: bool) -> float:
    """Return the area within a band of the diagonal: y = x against FPR and y = 1 - x against TPR."""
    middle = (low + high) / 2
    return (high - low) * (1 - middle if of_tpr else middle)


@area(
    "average_precision_score",
    "Manning et al. 2008",
    twin=True,
    options={"multi_class": "ovr"},
    aliases=("ap", "auprc", "aupr", "auc_pr", "prauc"),
    influence=of_average_precision,
    over_thresholds="sum",
)
def average_precision(r: PairMeans) -> np.float64:
    r"""Average precision: the mean of the precisions at which recall grows.

    Notes
    -----
    .. math:: \sum_k (R_k - R_{k-1}) P_k

    Here :math:`R_k` and :math:`P_k` are recall and precision at the k-th highest distinct score as
    threshold, and :math:`R_0 = 0`.

    Examples
    --------
    >>> from skaucx.metrics import average_precision_score
    >>> round(average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.8333
    """
    found, right = _recall_precision(r.threshold_counts)
    return ((found[..., 1:] - found[..., :-1]) * right[..., 1:]).sum(axis=-1)


@area(
    "pr_auc_score",
    "Davis & Goadrich 2006",
    aliases=("prc_auc",),
    over_thresholds="sum",
)
def pr_auc(
    r: PairMeans, *, interpolation: Literal["hyperbolic", "linear"] = "hyperbolic"
) -> np.float64:
    r"""Area under the precision-recall curve.

    Parameters
    ----------
    interpolation : {"hyperbolic", "linear"}, default="hyperbolic"
        Interpolation between points: hyperbolas, which random choice between two thresholds
        attains, or straight lines, which are too optimistic.

    Notes
    -----
    Counts, not precisions, are interpolated: between two thresholds the number of predicted
    positives is linear in the number of true positives, m = m_1 + a (t - tp_1), and the area of the
    step is the integral of t / m,

    .. math:: \frac{1}{a P}
              \Bigl( tp_2 - tp_1 + \bigl(tp_1 - \frac{m_1}{a}\bigr) \ln \frac{m_2}{m_1} \Bigr)

    so that a constant model has the prevalence as its value. The straight lines start at recall 0,
    precision 1:

    .. math:: \sum_k (R_k - R_{k-1}) \frac{P_k + P_{k-1}}{2}

    Examples
    --------
    >>> from skaucx.metrics import pr_auc_score
    >>> round(pr_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.7973
    >>> round(pr_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], interpolation="linear"), 4)
    0.7917
    >>> pr_auc_score([0, 0, 0, 1], [0.5] * 4)
    0.25
    """
    c = r.threshold_counts
    if interpolation == "linear":
        found, right = _recall_precision(c)
        return (np.diff(found) * (right[..., 1:] + right[..., :-1])).sum(axis=-1) / 2
    calls, hits = c.predicted_positives, np.diff(c.tp)
    step = np.where(hits > 0, np.diff(calls), 1)
    # Precision is constant up to the first threshold.
    before = calls[..., :-1]
    growth = np.log1p(quotient(step, before))
    areas = hits / step * (hits + (c.tp[..., :-1] - before * hits / step) * growth)
    return areas.sum(axis=-1) / c.positives[..., -1]


def _slopes_at_break_even(r: PairMeans) -> Slopes:
    """Return the slopes of recall where as many are called as are positive."""
    c = r.threshold_counts
    return of_cut(c, c.positives[-1], recall, lambda counts: counts.fp - counts.fn)


@area(
    "break_even_point",
    "Manning et al. 2008",
    aliases=("bep",),
    influence=_slopes_at_break_even,
)
def break_even_point(ranked: PairMeans) -> np.float64:
    """Break-even point: the value at which precision equals recall.

    Notes
    -----
    Precision equals recall at the threshold where the number of predicted positives equals the
    number of positives. If tied scores prevent such a threshold, the value is the mid-point of
    precision and recall at the neighbouring threshold where they differ less. Thresholds without a
    true positive are ignored.

    Examples
    --------
    >>> from skaucx.metrics import break_even_point
    >>> break_even_point([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.5
    """
    counts = ranked.threshold_counts
    finds = counts.tp > 0
    enough = counts.predicted_positives >= counts.positives[..., :1]
    reached = np.argmax(finds & enough, axis=-1)
    cuts = np.stack([np.maximum(reached - 1, 0), reached], axis=-1)
    at_cuts = Counts(*(np.take_along_axis(count, cuts, axis=-1) for count in counts.cells))
    p, r = precision(at_cuts), recall(at_cuts)
    distance = np.where(at_cuts.tp > 0, np.abs(p - r), np.inf)
    closest = np.argmin(distance, axis=-1)[..., None]
    middle: Any = np.take_along_axis((p + r) / 2, closest, axis=-1)[..., 0]
    return middle


def _area_within(x: Floats, y: Floats, low: float, high: float) -> np.float64:
    """Integrate the polygon through (x, y) from `low` to `high`; x rises from 0 to 1, y may jump."""
    left, right = np.clip(x[..., :-1], low, high), np.clip(x[..., 1:], low, high)
    slope = quotient(np.diff(y), np.diff(x))
    middle = y[..., :-1] + slope * ((left + right) / 2 - x[..., :-1])
    # nan, not 0, where a missing class leaves the polygon undefined
    return ((right - left) * middle).sum(axis=-1) + 0 * (x[..., -1] + y[..., -1])


def _recall_precision(counts: Counts) -> tuple[Floats, Floats]:
    """Return recall and precision at falling thresholds, from recall 0 and precision 1."""
    called = counts.predicted_positives > 0
    return recall(counts), np.where(called, precision(counts), 1.0)
