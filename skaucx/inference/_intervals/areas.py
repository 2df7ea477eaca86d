"""What each example contributes to an AUC, and its gradient."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from ..._arguments import Label, MetricLike
from ..._arrays import Bools, Floats
from ..._options import RealRange
from ...metrics._pairs.kernels import DifferenceFunction
from ...metrics._pairs.placements import Placements
from ...metrics._records.inputs import check_binary_scores
from ...metrics._registry.names import named_metric
from ...metrics._registry.samples import placement_values as values_of_metric


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
    if not named.row.averages_pairs(own):
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
