"""Early retrieval: positives among the highest scores.

Every formula reads the `threshold_counts` of its record, also with a leading axis of replicates. A
group of equal scores at the cut counts by its expectation under random order.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..._arrays import Floats, quotient
from ..._options import Positive, PositiveShare, WholePositive
from .._kinds.scores import ORDER
from .._pairs.ranking import PairMeans
from .._records.counts import Counts
from .._registry.declare import metric
from .rates import precision, recall
from .slopes import Slopes, of_cut, positive_share

early = partial(metric, kind=ORDER, family="top of the ranking")


def _slopes_at_k(
    r: PairMeans, value: Callable[[Counts], Any], *, share: float, k: int | None
) -> Slopes:
    """Return the slopes of a function of the counts where so many, or such a share, are called."""
    c = r.threshold_counts

    def called(c: Counts) -> Any:
        return c.predicted_positives / (1 if k is not None else c.total)

    return of_cut(c, _called(r, share, k), value, called)


def _lift(c: Counts) -> Any:
    return precision(c) * c.total / c.positives


@early(
    "precision_at_k_score",
    "Manning et al. 2008",
    aliases=("precision_at_share",),
    influence=partial(_slopes_at_k, value=precision),
    trials=lambda r, *, share, k: _called(r, share, k) / r.threshold_counts.total[-1],
)
def precision_at_k(
    r: PairMeans, *, share: PositiveShare = 0.1, k: WholePositive | None = None
) -> Floats:
    r"""Precision at k: the share of positives among the k highest scores.

    Parameters
    ----------
    share : float in (0, 1], default=0.1
        The share of all examples predicted positive; the last example may count as a fraction.
    k : int, default=None
        If given, the number of examples predicted positive, instead of `share`; with weights, their
        total weight.

    Notes
    -----
    .. math:: \frac{tp(k)}{k}

    Examples
    --------
    >>> from skaucx.metrics import precision_at_k_score
    >>> precision_at_k_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.3, 0.1], k=2)
    0.5
    """
    called = _called(r, share, k)
    return _found(r.threshold_counts, called) / called


@early(
    "recall_at_k_score",
    "Manning et al. 2008",
    best=np.nan,
    aliases=("recall_at_share", "cumulative_gain"),
    influence=partial(_slopes_at_k, value=recall),
    trials=positive_share,
)
def recall_at_k(
    r: PairMeans, *, share: PositiveShare = 0.1, k: WholePositive | None = None
) -> Floats:
    r"""Recall at k, or cumulative gain: the share of all positives that is among the k highest scores.

    Parameters
    ----------
    share, k : float or int
        Number predicted positive, as in :func:`precision_at_k_score`.

    Notes
    -----
    .. math:: \frac{tp(k)}{P}

    Examples
    --------
    >>> from skaucx.metrics import recall_at_k_score
    >>> recall_at_k_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.3, 0.1], share=0.6)
    1.0
    """
    c = r.threshold_counts
    return _found(c, _called(r, share, k)) / c.positives[..., -1]


@early(
    "lift_score",
    "Truchon & Bayly 2007",
    bounds=(0, np.inf),
    best=np.nan,
    aliases=("enrichment_factor",),
    influence=partial(_slopes_at_k, value=_lift),
)
def lift(r: PairMeans, *, share: PositiveShare = 0.1, k: WholePositive | None = None) -> Floats:
    r"""Lift, or enrichment factor: precision among the highest scores, divided by the prevalence.

    Parameters
    ----------
    share, k : float or int
        Number predicted positive, as in :func:`precision_at_k_score`.

    Notes
    -----
    .. math:: \frac{tp(k) / k}{P / n}

    The greatest value is min(1 / share, n / P).

    Examples
    --------
    >>> from skaucx.metrics import lift_score
    >>> round(lift_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.3, 0.1], share=0.4), 4)
    1.25
    """
    c, called = r.threshold_counts, _called(r, share, k)
    return _found(c, called) / called / (c.positives / c.total)[..., -1]


@early(
    "robust_initial_enhancement",
    "Truchon & Bayly 2007",
    bounds=(0, np.inf),
    best=np.nan,
    undefined=np.nan,
    aliases=("rie",),
    over_thresholds="sum",
    room="imbalance",
)
def robust_initial_enhancement(r: PairMeans, *, alpha: Positive = 20.0) -> Floats:
    r"""RIE: exponentially weighted true positives, relative to a random order.

    Parameters
    ----------
    alpha : float > 0, default=20.0
        Emphasis on early ranks: at 20 the first 8 % of the ranking contribute 80 % of the value.

    Notes
    -----
    .. math:: \frac{\frac{1}{P} \sum_{i=1}^{P} e^{-\alpha r_i / n}}
              {\frac{1}{n} \sum_{r=1}^{n} e^{-\alpha r / n}}

    with the ranks r_i of the positives, 1 for the highest score.

    Examples
    --------
    >>> from skaucx.metrics.imbalance import robust_initial_enhancement
    >>> round(robust_initial_enhancement([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.3, 0.1]), 4)
    2.455
    """
    return _enhancement(r.threshold_counts, alpha)


@early(
    "bedroc_score",
    "Truchon & Bayly 2007",
    undefined=np.nan,
    over_thresholds="sum",
    interval_note=(
        "with half of the rows positive the value is near its greatest and coverage is not guaranteed "
        "(78 to 96 % of nominal 95)"
    ),
)
def bedroc(r: PairMeans, *, alpha: Positive = 20.0) -> Floats:
    r"""BEDROC: the robust initial enhancement, rescaled to [0, 1] by its least and greatest value.

    Parameters
    ----------
    alpha : float > 0, default=20.0
        Emphasis on early ranks: at 20 the first 8 % of the ranking contribute 80 % of the value.

    Notes
    -----
    .. math:: \frac{\mathrm{RIE} - \mathrm{RIE}_{\min}}{\mathrm{RIE}_{\max} - \mathrm{RIE}_{\min}}

    with the RIE of the rankings with all positives last and first.

    Examples
    --------
    >>> from skaucx.metrics import bedroc_score
    >>> round(bedroc_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.3, 0.1]), 4)
    0.9823
    """
    c = r.threshold_counts
    prevalence = (c.positives / c.total)[..., -1]
    # The RIE of the best and of the worst order, without exp(alpha), which may overflow.
    scale = -np.expm1(-alpha) * prevalence
    most = -np.expm1(-alpha * prevalence) / scale
    least = np.exp(-alpha * (1 - prevalence)) * -np.expm1(-alpha * prevalence) / scale
    both = c.positives * c.negatives > 0  # one class has only one order
    spread = np.where(both[..., -1], most - least, np.nan)
    return (_enhancement(c, alpha) - least) / spread


def _enhancement(c: Counts, alpha: float) -> Floats:
    """Return the RIE; the sum of exp(-alpha r / n) over a group of ranks is a geometric one."""
    total = c.total[..., -1:]
    before, size = c.predicted_positives[..., :-1] / total, np.diff(c.predicted_positives)
    hits = np.diff(c.tp)
    # sum over r = b + 1, ..., b + s of exp(-alpha r / n)
    # = exp(-alpha b / n) (1 - exp(-alpha s / n)) / (exp(alpha / n) - 1),
    # whose denominator is also that of the mean over random orders, and cancels.
    share = quotient(hits, size)
    sums = (share * np.exp(-alpha * before) * -np.expm1(-alpha * size / total)).sum(axis=-1)
    return sums / (c.positives / c.total)[..., -1] / -np.expm1(-alpha)


def _called(r: PairMeans, share: float, k: int | None) -> Any:
    """Return the number predicted positive, in the unit of the threshold counts."""
    total = r.threshold_counts.total[..., -1]
    if k is None:
        return share * total
    if np.any(k > r.total):
        raise ValueError(f"k must be at most the number of examples, {r.total:g}, found {k!r}.")
    return total * (k / r.total)


def _found(c: Counts, called: Any) -> Any:
    """Return the true positives among the `called` highest scores."""
    reached = c.predicted_positives
    after = np.argmax(reached >= called[..., None], axis=-1)[..., None]
    after = np.where(reached[..., -1:] < called[..., None], reached.shape[-1] - 1, after)
    (m0, m1), (t0, t1) = (
        [np.take_along_axis(count, after - back, axis=-1)[..., 0] for back in (1, 0)]
        for count in (reached, c.tp)
    )
    # Where the cut parts equal scores, the expectation over their orders.
    return t0 + (t1 - t0) * np.minimum((called - m0) / (m1 - m0), 1)
