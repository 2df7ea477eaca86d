"""The shape of the ROC curve: greatest gap, corner areas, concavities, and expected loss.

Every formula reads the `threshold_counts` of its record, also with a leading axis of replicates.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations
from typing import Any, Literal

import numpy as np
from scipy import special

from ..._arrays import Bools, Floats
from ..._options import OpenShare, Positive, PositiveShare
from .._kinds.scores import ORDER, PROBABILITIES
from .._kinds.scores.class_scores import Probabilities
from .._pairs.isotonic import over_blocks
from .._pairs.ranking import PairMeans, RankedScores
from .._pairs.replicates import SortedScores
from .._registry.declare import metric
from .auc import roc_auc
from .rates import false_positive_rate, recall
from .slopes import of_pairs, of_rows

shape = partial(metric, kind=ORDER, family="shape of the ROC curve", undefined=np.nan)


_HULL = (
    "the convex hull is fitted to the evaluated rows and biases the estimate upwards, and no interval "
    "was found that holds: the bootstrap covers {} to {} % of nominal 95"
)


@shape(
    "ks_score",
    "Fawcett 2006",
    aliases=("kolmogorov_smirnov", "ks_statistic"),
    symmetric=True,
    over_thresholds="best",
    no_interval=(
        "a maximum over thresholds is biased upwards, and no interval was found that holds: the "
        "bootstrap covers 81.5 to 93.5 % of nominal 95"
    ),
)
def ks(r: PairMeans) -> Floats:
    r"""KS: the greatest distance between the score distributions of the two classes.

    Notes
    -----
    .. math:: \max_t |\mathrm{TPR}(t) - \mathrm{FPR}(t)|

    Examples
    --------
    >>> from skaucx.metrics import ks_score
    >>> ks_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.5
    """
    c = r.threshold_counts
    return np.abs(recall(c) - false_positive_rate(c)).max(axis=-1)


@shape(
    "two_way_partial_auc_score",
    "Yang et al. 2019",
    aliases=("two_way_auc",),
    over_thresholds="sum",
)
def two_way_partial_auc(
    r: PairMeans,
    *,
    max_fpr: PositiveShare = 1.0,
    min_tpr: OpenShare = 0.5,
    standardize: bool = True,
) -> Floats:
    r"""Two-way partial AUC: the area under the ROC curve in the region of low FPR and high TPR.

    Parameters
    ----------
    max_fpr : float in (0, 1], default=1.0
        The greatest false positive rate a of the region.
    min_tpr : float in (0, 1), default=0.5
        The least true positive rate b of the region.
    standardize : bool, default=True
        Whether to divide by the area of the region, a (1 - b).

    Notes
    -----
    .. math:: \frac{1}{a (1 - b)} \int_0^a \max(\mathrm{TPR} - b, 0) \, d\mathrm{FPR}

    Examples
    --------
    >>> from skaucx.metrics import two_way_partial_auc_score
    >>> two_way_partial_auc_score([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1], max_fpr=0.5)
    0.5
    """
    c = r.threshold_counts
    x, y = false_positive_rate(c), recall(c)
    width, height = np.diff(x), np.diff(y)
    # Where each segment enters and leaves the region, as fractions of its length.
    enters = np.clip(_ratio(min_tpr - y[..., :-1], height), 0, 1)
    leaves = np.clip(_ratio(max_fpr - x[..., :-1], width), 0, 1)
    length = np.maximum(leaves - enters, 0) * width
    middle = y[..., :-1] + height * (enters + leaves) / 2 - min_tpr
    area = (length * middle).sum(axis=-1) + 0 * (x[..., -1] + y[..., -1])
    return area / (max_fpr * (1 - min_tpr)) if standardize else area


@shape(
    "pr_gain_auc_score",
    "Flach & Kull 2015",
    aliases=("auprg",),
    over_thresholds="sum",
)
def pr_gain_auc(r: PairMeans) -> Floats:
    r"""Area under the precision-recall-gain curve.

    Notes
    -----
    .. math:: \int_0^1 \max(PG, 0) \, dRG, \qquad PG = 1 - \frac{P}{N} \frac{fp}{tp}, \quad
              RG = 1 - \frac{P}{N} \frac{fn}{tp}

    Straight lines join the points; parts of the curve with a precision gain below 0 do not count. The
    authors' package prg subtracts the area of these parts, so that its values are lower where the
    precision falls below the prevalence.

    Examples
    --------
    >>> from skaucx.metrics import pr_gain_auc_score
    >>> round(pr_gain_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.25
    """
    c = r.threshold_counts
    positives, negatives = c.positives[..., -1:], c.negatives[..., -1:]
    # RG = 0 where tp = P^2 / n, which the first segment of the curve passes in counts.
    first = positives * (positives / c.total[..., -1:])
    hits, misses = np.diff(c.tp), np.diff(c.fp)
    enters = np.clip(_ratio(first - c.tp[..., :-1], hits), 0, 1)
    tp = np.maximum(c.tp[..., :-1] + enters * hits, first), c.tp[..., 1:]
    fp = c.fp[..., :-1] + enters * misses, c.fp[..., 1:]
    odds = positives / negatives
    inside = (hits > 0) & (c.tp[..., 1:] > first)
    left, right = (
        1 - odds * np.divide(f, t, where=inside, out=np.ones(t.shape))
        for f, t in zip(fp, tp, strict=True)
    )
    width = odds * positives * np.where(inside, 1 / tp[0] - 1 / np.where(inside, tp[1], 1), 0)
    # 0 / 0 without positives
    return (width * _positive_part(left, right)).sum(axis=-1) + 0 / positives[..., 0]


@shape(
    "hull_auc_score",
    "Flach & Wu 2005",
    aliases=("repaired_auc",),
    symmetric=True,
    no_interval=_HULL.format(88.5, 94.0),
)
def hull_auc(r: PairMeans, *, repair: Literal["hull", "mirror"] = "hull") -> Floats:
    r"""AUC after repairing the concavities of the ROC curve.

    Parameters
    ----------
    repair : {"hull", "mirror"}, default="hull"
        Replace each concavity by the segment of the convex hull, or reverse the ranking within it,
        which mirrors the curve at the middle of that segment.

    Notes
    -----
    .. math::

        \mathrm{AUC}_\mathrm{hull}
        = \frac{1}{P N} \sum_g n_g \Bigl( \sum_{h < g} p_h + \frac{p_g}{2} \Bigr)

    over the segments g of the hull, with p_g positives and n_g negatives; mirrored, 2 AUC_hull -
    AUC. Both are optimistic, because the hull is fitted to the evaluated data.

    Examples
    --------
    >>> from skaucx.metrics import hull_auc_score
    >>> hull_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.875
    >>> hull_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], repair="mirror")
    1.0
    """
    c = r.threshold_counts
    pairs = (c.positives * c.negatives)[..., -1]
    hull = over_blocks(c, _pairs_won) / pairs
    if repair == "hull":
        return hull
    return 2 * hull - (r.win_share + r.tie_share / 2)


@shape("h_measure", "Hand & Anagnostopoulos 2014", no_interval=_HULL.format(83.5, 93.5))
def h_measure(r: PairMeans, *, severity_ratio: Positive | None = None) -> Floats:
    r"""H-measure: the relative reduction of the expected loss, averaged over costs of errors.

    Parameters
    ----------
    severity_ratio : float > 0, default=None
        The cost of calling a negative positive divided by that of missing a positive, at the mode;
        costs then follow Beta(2, 1 + 1 / ratio). None means Beta(1 + P/n, 1 + N/n).

    Notes
    -----
    .. math:: H = 1 - \frac{\int \min_t Q(t, c) \, w(c) \, dc}
              {\int \min(c \, N, (1 - c) P) \, w(c) \, dc},
              \qquad Q(t, c) = c \, fp(t) + (1 - c) fn(t)

    The least loss is reached on the convex hull of the ROC curve, whose segment with the share s of
    positives is predicted positive if c < s.

    The default is the one that Hand & Anagnostopoulos 2014 recommend. Their R package hmeasure has it
    as ``severity.ratio=-1``; its own default is ``severity_ratio=P / N`` here.

    Examples
    --------
    >>> from skaucx.metrics import h_measure
    >>> round(h_measure([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.5
    """
    return over_blocks(r.threshold_counts, partial(_spared, severity_ratio=severity_ratio))


def _pairs_of_classes(p: Probabilities) -> Iterator[tuple[Bools, Bools, Floats]]:
    """Yield the rows of every two classes, which are of the first, and their differences."""
    for i, j in combinations(range(p.n_columns), 2):
        rows = (p.outcome == i) | (p.outcome == j)
        yield rows, p.outcome[rows] == i, p.probability[rows, i] - p.probability[rows, j]


def _slopes_of_auc_mu(p: Probabilities) -> Floats:
    """Return the mean over pairs of classes of the slopes of their AUC."""
    slopes, pairs = np.zeros(p.n_examples), p.n_columns * (p.n_columns - 1) / 2
    for rows, truth, score in _pairs_of_classes(p):
        ranked: Any = RankedScores.from_scores(truth, score, p.weight[rows])
        slopes[rows] += of_rows(ranked, of_pairs(ranked, roc_auc(ranked.placements)), truth, score)
    return slopes / pairs


@partial(metric, kind=PROBABILITIES, family="shape of the ROC curve")(
    "auc_mu_score",
    "Kleiman & Page 2019",
    undefined=np.nan,
    symmetric=True,
    influence=_slopes_of_auc_mu,
)
def auc_mu(p: Probabilities) -> Floats:
    r"""AUC-mu: multiclass AUC, averaged over the pairs of classes.

    Notes
    -----
    .. math:: \frac{2}{K (K - 1)} \sum_{i < j} \mathrm{AUC}_{ij}

    where AUC_ij ranks the examples of classes i and j by the difference of their probabilities
    p_i - p_j, as the argmax rule does. For two classes it is the AUC.

    Examples
    --------
    >>> from skaucx.metrics import auc_mu_score
    >>> auc_mu_score([0, 1, 2, 2], [[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.2, 0.3, 0.5],
    ...                             [0.4, 0.5, 0.1]])
    0.8333333333333334
    """
    weight, areas = np.atleast_2d(p.weight / p.weight.max()), []
    for rows, truth, score in _pairs_of_classes(p):
        ranked = SortedScores(truth, score).replicates(weight[:, rows])
        areas.append(ranked.win_share + ranked.tie_share / 2)
    return np.reshape(np.mean(areas, axis=0), p.weight.shape[:-1])


def _ratio(part: Floats, whole: Floats) -> Floats:
    """Divide; the result for a segment of length zero is 0 or infinite."""
    return np.divide(part, whole, where=whole > 0, out=np.where(part > 0, np.inf, -np.inf))


def _positive_part(left: Floats, right: Floats) -> Floats:
    """Return the mean of max(y, 0) along straight lines from `left` to `right`."""
    mean = np.maximum(left + right, 0) / 2
    crossing = (left < 0) != (right < 0)
    # A triangle with the height h = max(y, 0) over the part h / |left - right| of the line.
    ends = left[crossing], right[crossing]
    mean[crossing] = np.maximum(*ends) ** 2 / (2 * np.abs(np.subtract(*ends)))
    return mean


def _pairs_won(positive: Floats, negative: Floats) -> float:
    """Return the area under the hull, in pairs."""
    return float((negative * (np.cumsum(positive) - positive / 2)).sum())


def _spared(positive: Floats, negative: Floats, severity_ratio: float | None) -> float:
    p, n = positive.sum(), negative.sum()
    # Hand & Anagnostopoulos 2014; Beta(2, 1 + 1 / ratio) has its mode at c = ratio / (1 + ratio).
    a, b = 1 + p / (p + n), 1 + n / (p + n)
    if severity_ratio is not None:
        a, b = 2.0, 1 + 1 / severity_ratio
    share, loss = positive / (positive + negative), partial(_expected_loss, a=a, b=b)
    worst = loss(p, n, p / (p + n))
    return 1 - loss(positive, negative, share).sum() / worst if worst > 0 else np.nan


def _expected_loss(positive: Floats, negative: Floats, share: Floats, a: float, b: float) -> Floats:
    """Integrate c n below the share of positives and (1 - c) p above it, over c ~ Beta(a, b)."""
    # E[c; c < s] = a / (a + b) I_s(a + 1, b), and the same for 1 - c ~ Beta(b, a).
    called = negative * a * special.betainc(a + 1, b, share)
    return (called + positive * b * special.betainc(b + 1, a, 1 - share)) / (a + b)
