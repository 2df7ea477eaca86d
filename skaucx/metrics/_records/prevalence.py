"""Another prevalence than that of the sample: weights that bring it about, Bayes' rule in odds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._arrays import (
    Floats,
    check_same_length,
    float_array,
    label_array,
    number_classes,
    weight_vector,
)
from ..._options import OPEN_SHARE
from .counts import weighted_bincount
from .inputs import known_positive, positive_code, refuse_missing_class, refuse_multilabel


def prevalence_weights(
    y_true: Any, prevalence: float, *, pos_label: Any = None, sample_weight: Any = None
) -> Floats:
    r"""Return weights of rows under which the positives have a stated share of the whole.

    As ``sample_weight=`` they adjust every metric, curve, band and plot to that prevalence, with
    the same score distributions of positives and of negatives.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes; both must occur.
    prevalence : float in (0, 1)
        The share of the positives.
    pos_label : int, float, bool or str, default=None
        The positive class; see :func:`recall_score`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights >= 0 that rows have already.

    Returns
    -------
    weights : ndarray of shape (n_samples,), float64
        Their sum is that of `sample_weight`, by default the number of rows.

    Raises
    ------
    ValueError, TypeError
        If `prevalence` is not a number in (0, 1), or a class is missing.

    Notes
    -----
    .. math:: w_i = \pi \frac{n}{P} \text{ of a positive}, \qquad (1 - \pi) \frac{n}{N} \text{ else}

    Intervals at exactly this prevalence need ``stratify=True``, which resamples within classes.

    See Also
    --------
    interval_at_prevalence : An interval in closed form, which can include the sampling error of
        the prevalence.
    Counts.at_prevalence : The same adjustment of counts.

    Examples
    --------
    >>> from skaucx.metrics import average_precision_score
    >>> from skaucx.metrics.estimation import prevalence_weights
    >>> y_true, y_score = [0, 0, 0, 1, 1, 1], [0.1, 0.4, 0.7, 0.35, 0.8, 0.9]
    >>> round(average_precision_score(y_true, y_score), 4)
    0.8667
    >>> weight = prevalence_weights(y_true, 0.01)
    >>> round(average_precision_score(y_true, y_score, sample_weight=weight), 4)
    0.6716
    """
    share = OPEN_SHARE.check("prevalence", prevalence)
    true, weight = label_array(y_true, "y_true"), weight_vector(sample_weight)
    check_same_length({"y_true": true, "sample_weight": weight})
    if true.ndim == 2:
        raise refuse_multilabel("prevalence_weights")
    classes, [codes] = number_classes({"y_true": true})
    positive = codes == known_positive(positive_code(classes, pos_label))
    own = np.ones(len(true)) if weight is None else weight
    sizes = weighted_bincount(positive.astype(np.intp), 2, own)
    if not sizes.all():
        raise refuse_missing_class("prevalence")
    return np.asarray(own * (np.array([1 - share, share]) * sizes.sum() / sizes)[positive * 1])


def posterior_probability(prior: Any, likelihood_ratio: Any) -> Any:
    r"""Return the probability after a test result, from the one before it and the likelihood ratio.

    Parameters
    ----------
    prior : float or array-like, in [0, 1]
        The probability before the result: at first the prevalence.
    likelihood_ratio : float or array-like, >= 0
        How many times likelier the result is on a positive than on a negative;
        :func:`positive_likelihood_ratio` after a positive call, :func:`negative_likelihood_ratio` after
        a negative one. It may be infinite. Those of independent results multiply.

    Returns
    -------
    posterior : float or ndarray of float64
        nan if prior and result contradict each other.

    Raises
    ------
    ValueError, TypeError
        If a number lies outside its range.

    Notes
    -----
    .. math:: \frac{p'}{1 - p'} = \frac{p}{1 - p} \cdot \mathrm{LR}

    Examples
    --------
    >>> from skaucx.metrics.estimation import posterior_probability
    >>> round(posterior_probability(0.01, 18.0), 4)
    0.1538
    >>> posterior_probability([0.01, 0.1, 0.5], 18.0).round(3).tolist()
    [0.154, 0.667, 0.947]
    """
    before = float_array(prior, "prior", scalar=True)
    ratio = float_array(likelihood_ratio, "likelihood_ratio", scalar=True)
    if not (ratio >= 0).all():
        raise ValueError(f"likelihood_ratio must be >= 0, found {likelihood_ratio!r}.")
    if not ((before >= 0) & (before <= 1)).all():
        raise ValueError(f"prior must lie in [0, 1], found {prior!r}.")
    with np.errstate(divide="ignore", invalid="ignore"):
        # Divided by the ratio where it is large, which may be infinite.
        small, large = np.minimum(ratio, 1), np.minimum(1 / ratio, 1)
        after = before * small / (before * small + (1 - before) * large)
    return float(after) if np.ndim(after) == 0 else after
