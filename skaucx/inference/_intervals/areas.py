"""Intervals of the AUC, and of other means over pairs of a positive and a negative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats
from sklearn.exceptions import UndefinedMetricWarning

from ..._arguments import Label, MetricLike
from ..._arrays import Bools, Floats
from ..._compat import warn
from ..._options import RealRange
from ...metrics._pairs.kernels import DifferenceFunction
from ...metrics._pairs.placements import (
    Placements,
)
from ...metrics._records.inputs import check_binary_scores, positive_code, rescaled
from ...metrics._registry.names import named_metric
from ...metrics._registry.samples import MetricOnSample, has_placements
from ...metrics._registry.samples import placement_values as values_of_metric
from .bootstrap import Ends
from .limits import ROUNDING, IntervalEstimate, has_zero_width, invert_test, on_scale

T = TypeVar("T", float, Floats)


def exponential_covariances(auc: T) -> tuple[T, T]:
    """Return Q1 - A^2 and Q2 - A^2, the covariances of two pairs that share an example.

    For exponential scores Q1 = A / (2 - A), if the positive differs, and Q2 = 2 A^2 / (1 + A), if
    the negative does (Hanley & McNeil 1982).
    """
    return auc * (1 - auc) ** 2 / (2 - auc), auc**2 * (1 - auc) / (1 + auc)


def exponential_variance(auc: Floats, positives: float, negatives: float) -> Floats:
    """Return P N times the variance of an AUC of exponential scores (Hanley & McNeil 1982, eq. 1)."""
    q1, q2 = exponential_covariances(auc)
    return np.asarray(auc * (1 - auc) + (positives - 1) * q1 + (negatives - 1) * q2)


def score_t(
    auc: Floats, parts: Floats, positives: int, negatives: int, confidence_level: float
) -> Ends:
    """Return the AUCs that a score test with the variance of the data does not reject.

    Newcombe's variance V(A) of exponential scores is scaled to DeLong's: it is multiplied by (D + 2
    U) / (V(auc) + 2 U), with D = S10 / P + S01 / N. U, the variance of an AUC of 1 - 1 / (2 min(P,
    N)), gives Newcombe's variance if nearly all pairs are ranked correctly and D is uninformative.
    Student's t has the degrees of freedom of Brunner & Munzel for both terms of D + 2 U.
    """
    sizes = np.array([positives, negatives]).reshape(2, *[1] * (parts.ndim - 1))
    few = _of_mean_sizes(np.asarray(1 - 0.5 / sizes.min()), positives, negatives)
    size = (parts.sum(axis=0) + 2 * few) / (_of_mean_sizes(auc, positives, negatives) + 2 * few)
    # Satterthwaite: (v1 + v2)^2 / (v1^2 / (P - 1) + v2^2 / (N - 1)).
    freedom = (parts + few).sum(axis=0) ** 2 / ((parts + few) ** 2 / (sizes - 1)).sum(axis=0)
    reach = special.stdtrit(freedom, (1 + confidence_level) / 2)

    def accepted(a: Floats) -> Bools:
        return np.abs(a - auc) <= reach * np.sqrt(size * _of_mean_sizes(a, positives, negatives))

    return invert_test(accepted, auc)


def _of_mean_sizes(auc: Floats, positives: int, negatives: int) -> Floats:
    size = (positives + negatives) / 2
    return exponential_variance(auc, size, size) / (positives * negatives)


def constant_pairs_interval(
    value: Floats, independent: int, confidence_level: float, bounds: tuple[float, float]
) -> Ends:
    """Return an interval for a mean of h if every pair of the sample has the same h.

    k = `independent` disjoint pairs are independent, and all have h = c. By the argument of Clopper
    and Pearson, h = c has a probability of at least b = (alpha / 2)^(1 / k), so the mean of h is
    between b c + (1 - b) times its least and its greatest value, for any distribution of the
    scores.
    """
    share = ((1 - confidence_level) / 2) ** (1 / independent)
    low, high = (np.asarray(share * value + (1 - share) * end) for end in bounds)
    return low, high


def _of_pairs(on: MetricOnSample) -> bool:
    """Whether the metric is a mean over the pairs of one binary problem."""
    one = on.sample.one_column and on.options.get("rescale") != "minmax"
    return one and has_placements(on.metric, on.parameters)


def binary_scores(on: MetricOnSample) -> tuple[Bools, Floats] | None:
    """Return truth and scores if the metric is a mean over the pairs of one binary problem."""
    if not _of_pairs(on):
        return None
    scored, options = on.sample.scored, on.options
    truth = scored.true == positive_code(scored.classes, options.get("pos_label"))
    return truth, rescaled(scored.score, options.get("rescale"))


ALL_ALIKE = "all pairs have the same value, so the limits are those of min(P, N) independent pairs"


def placements_of(on: MetricOnSample) -> Placements | None:
    """Return the placement values of a mean over pairs, None of another metric."""
    return on.record.placements if _of_pairs(on) else None


def is_auc(values: Floats, bounds: tuple[float, float], ranks: Placements) -> bool:
    """Whether a mean over pairs is the AUC, or linear in it, such as the Gini coefficient."""
    if not np.isfinite(bounds[1] - bounds[0]):
        return False
    apart = ranks.tie_share / 2
    apart += ranks.win_share
    apart *= bounds[1] - bounds[0]
    apart += bounds[0]
    apart -= values
    return bool(max(apart.max(), -apart.min()) <= ROUNDING)


class Pairs(NamedTuple):
    """A mean over pairs with the two components of DeLong's variance, and the class sizes."""

    mean: Floats
    parts: Floats
    sizes: tuple[int, int]
    bounds: tuple[float, float]
    confidence_level: float = 0.95

    @property
    def error(self) -> Floats:
        """The standard error."""
        return np.sqrt(self.parts.sum(axis=0))

    @property
    def width(self) -> float:
        """The length of the metric's range."""
        return self.bounds[1] - self.bounds[0]

    @property
    def auc(self) -> Floats:
        """The mean as a share of the range."""
        return np.asarray((self.mean - self.bounds[0]) / self.width)

    def scaled(self, ends: Ends) -> Ends:
        """Return shares of the range as values of the metric."""
        return self.bounds[0] + self.width * ends[0], self.bounds[0] + self.width * ends[1]

    @property
    def student(self) -> float:
        """The quantile of Student's law with the degrees of freedom of Brunner & Munzel 2000."""
        # (v1 + v0)^2 / (v1^2 / (P - 1) + v0^2 / (N - 1))
        freedom = self.parts.sum() ** 2 / (self.parts**2 / (np.array(self.sizes) - 1)).sum()
        return float(stats.t.ppf((1 + self.confidence_level) / 2, freedom))


def logit_t(p: Pairs) -> IntervalEstimate:
    """Return the limits of a mean over pairs by Student's t on the logit scale of its range."""
    if not p.error > 0:
        return IntervalEstimate(p.mean, p.mean, p.error)
    return IntervalEstimate(*on_scale(p.mean, p.error, p.student, p.bounds), p.error)


def score_t_of_pairs(p: Pairs) -> IntervalEstimate:
    """Return the limits of :func:`score_t` in the metric's range."""
    parts = p.parts / p.width**2
    return IntervalEstimate(*p.scaled(score_t(p.auc, parts, *p.sizes, p.confidence_level)), p.error)


def limits_of_pairs(
    pairs: Pairs, form: Callable[[Pairs], IntervalEstimate], note: str, confidence_level: float
) -> IntervalEstimate:
    """Return the interval, or the exact one if all pairs have the same value and the variance is 0."""
    found = form(pairs._replace(confidence_level=confidence_level))
    if not has_zero_width(found):
        return found._replace(note=note)
    ends = constant_pairs_interval(pairs.mean, min(pairs.sizes), confidence_level, pairs.bounds)
    return IntervalEstimate(*ends, np.asarray(np.nan), "exact", ALL_ALIKE)


def too_few(name: str, needed: str, found: str, confidence_level: float) -> IntervalEstimate:
    text = f"The variance of {name} needs {needed}, found {found}; the interval is nan."
    warn(text, UndefinedMetricWarning)
    return IntervalEstimate.nothing()


class PlacementValues(NamedTuple):
    """What each example contributes to an AUC, in the order of the rows.

    Attributes
    ----------
    of_positives : ndarray of shape (n_positives,), float64
        For each positive the mean over the negatives.
    of_negatives : ndarray of shape (n_negatives,), float64
        For each negative the mean over the positives. Both have the metric as their mean.
    """

    of_positives: Floats
    of_negatives: Floats

    @property
    def partial_sums(self) -> Floats:
        """For each positive the sum over the negatives: of the AUC, how many it exceeds, ties half."""
        return self.of_positives * len(self.of_negatives)


def placement_values(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    metric: MetricLike = "roc_auc",
    pos_label: Label = None,
    **parameters: Any,
) -> PlacementValues:
    r"""Return how far each example is on the right side of the examples of the other class.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_score : array-like of shape (n_samples,)
        Scores of the positive class.
    metric : str or callable, default="roc_auc"
        A metric that is a mean over pairs of a function h of the score difference, such as
        "scor_auc", "sond_auc" and "soft_auc".
    pos_label : int, float, bool or str, default=None
        The positive class; see :func:`recall_score`.
    **parameters
        Parameters of the metric.

    Returns
    -------
    PlacementValues

    Raises
    ------
    ValueError, TypeError
        If an input is invalid, a class is missing, or the metric is no such mean.

    Notes
    -----
    .. math:: V_i = \frac1N \sum_{j=1}^N h(p_i - n_j), \quad W_j = \frac1P \sum_{i=1}^P h(p_i - n_j)

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, Comparing the areas under two or more
       correlated receiver operating characteristic curves, Biometrics 44, 1988, equation 2.

    Examples
    --------
    >>> from skaucx.inference import placement_values
    >>> values = placement_values([1, 0, 1, 0, 0], [0.9, 0.7, 0.6, 0.6, 0.2])
    >>> values.partial_sums.tolist(), values.of_negatives.tolist()
    ([3.0, 1.5], [0.5, 0.75, 1.0])
    """
    named = named_metric(metric)
    own = {**named.parameters, **parameters}
    if not has_placements(named.row, own):
        raise ValueError(
            f"{named.key} is no mean over pairs of a function of the score difference."
        )
    truth, score = _binary(named.row, y_true, y_score, pos_label)
    return PlacementValues(*values_of_metric(named.row, own, truth, score))


def soft_auc_gradient(
    y_true: ArrayLike, y_score: ArrayLike, *, beta: float = 7.0, pos_label: Label = None
) -> Floats:
    r"""Return the derivative of softAUC with respect to each score, for learning by it.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_score : array-like of shape (n_samples,)
        Scores of the positive class.
    beta : float > 0, default=7.0
        Steepness.
    pos_label : int, float, bool or str, default=None
        The positive class; see :func:`recall_score`.

    Returns
    -------
    ndarray of shape (n_samples,), float64
        Positive at positives, negative at negatives, with a sum of 0. In near-linear time.

    Raises
    ------
    ValueError, TypeError
        If an input is invalid or a class is missing.

    Notes
    -----
    With :math:`s = 1 / (1 + e^{-\beta (p_i - n_j)})`:

    .. math::

       \frac{\partial}{\partial p_i} = \frac{\beta}{PN} \sum_{j=1}^N s (1 - s), \quad
       \frac{\partial}{\partial n_j} = -\frac{\beta}{PN} \sum_{i=1}^P s (1 - s)

    References
    ----------
    .. [1] T. Calders and S. Jaroszewicz, Efficient AUC optimization for classification, PKDD 2007.

    Examples
    --------
    >>> from skaucx.inference import soft_auc_gradient
    >>> soft_auc_gradient([1, 1, 0], [0.9, 0.4, 0.5]).round(3).tolist()
    [0.189, 0.776, -0.965]
    """
    steep = RealRange(0, np.inf, open_low=True).check("beta", beta)
    truth, score = _binary(named_metric("soft_auc").row, y_true, y_score, pos_label)

    def slope(d: Floats) -> Floats:
        return np.asarray(steep * special.expit(steep * d) * special.expit(-steep * d))

    means = Placements(truth, score).mean_of(DifferenceFunction(slope, kinks=()))
    positives = int(truth.sum())
    gradient = np.empty(len(truth))
    gradient[truth] = means[:positives] / positives
    gradient[~truth] = -means[positives:] / (len(truth) - positives)
    return gradient


def _binary(metric: Any, y_true: Any, y_score: Any, pos_label: Any) -> tuple[Bools, Floats]:
    """Return truth and scores of two classes that both occur."""
    unit = metric.name if metric.kind.scale == "unit" else ""
    truth, scored = check_binary_scores(metric.name, y_true, y_score, pos_label, unit=unit)
    if truth.all() or not truth.any():
        raise ValueError("y_true must hold both classes, found one.")
    return truth, scored.score
