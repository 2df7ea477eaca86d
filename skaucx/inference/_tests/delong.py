"""DeLong's test of two AUCs, of the same rows or of different ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from ..._arguments import Label, MetricLike
from ..._arrays import Bools, Codes, Floats, host_array, label_array
from ..._compat import warn
from ..._options import Alternative, Confidence
from ...metrics._records.inputs import (
    check_binary_scores,
    rescaled,
)
from ...metrics._registry.names import metric_or_function
from ...metrics._registry.row import Metric
from ...metrics._registry.samples import placement_values
from .._intervals.influence import Spread
from .._intervals.interval import groups_of_rows
from .._intervals.limits import constant_pairs_interval, student
from .result import (
    ComparisonResult,
    null_difference,
    of_two_sides,
    studentised,
    tail,
)

# A difference, or its standard error, below this share of the values is rounding error.
ROUNDING = 1e-14

_ALIKE = "both rankings are identical: the difference is 0 in every sample and has no interval"
_FEW = (  # benchmarks/results: sizes.md
    "{} of a class: below 20 equal AUCs may be rejected in other than 5 % (0.4 to 9 % simulated)"
)


def delong_test(
    y_true: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike,
    *,
    y_true_b: ArrayLike | None = None,
    metric: MetricLike = "roc_auc",
    pos_label: Label = None,
    alternative: Alternative = "two-sided",
    margin: float = 0.0,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    **parameters: Any,
) -> ComparisonResult:
    r"""Compare two AUCs by DeLong's test, on the same examples or on two samples.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    score_a : array-like of shape (n_samples,)
        Scores of the first classifier.
    score_b : array-like of shape (n_samples,) or (n_samples_b,)
        Scores of the second one, for the same examples (paired) or for those of `y_true_b`.
    y_true_b : array-like of shape (n_samples_b,), default=None
        True labels of a second, independent sample: the test is then unpaired.
    metric : str or callable, default="roc_auc"
        The AUC, or a variant that is a mean over pairs of a function of the score difference and
        nothing else: prob, scor, sond, soft, mm11, gini, pairwise. The others read the span or
        the margin of the sample.
    pos_label : label, default=None
        The positive class; by default 1 of labels in {-1, 0, 1} and booleans.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Alternative hypothesis for the difference a - b.
    margin : float, default=0
        Non-inferiority margin: "greater" tests whether a - b is above -margin, "less" whether it is
        below margin.
    groups : array-like of shape (n_samples,), default=None
        Clusters, such as the examples of one patient: the variance is that of sums over groups
        [3]_. Paired tests only.
    confidence_level : float, default=0.95
        Nominal coverage of the interval, in (0, 1).
    **parameters
        Parameters of the metric, such as ``beta`` of soft_auc; for weights use :func:`paired_test`.

    Returns
    -------
    ComparisonResult
        The statistic is the difference divided by its standard error; normal if paired, Student's t
        if unpaired or with groups.

    Raises
    ------
    ValueError
        If there are not two classes, the metric is of another kind, or an argument is invalid.

    Notes
    -----
    With :math:`V_{10}` the mean of h(d) over the negatives for each positive and :math:`V_{01}`
    that over the positives for each negative, the variance of the difference is

    .. math:: \frac{S_{10}}{P} + \frac{S_{01}}{N}

    with the variances S over the differences of both classifiers' values ([1]_, equations 4 to 7).
    It takes O(n log n) [2]_. With m groups the variance is that of the jackknife of groups: with the
    sums u of the deviations of the positives of a group, which are a share p of all positives, and w
    and q for the negatives,

    .. math:: \frac{m - 1}{m} \sum_g \left(\frac{u_g}{(1 - p_g) P} + \frac{w_g}{(1 - q_g) N}\right)^2

    and the statistic has Student's t with the effective number of groups minus 1 degrees of freedom
    (1 / the sum of the squared shares of rows); [3]_ has the same sums without 1 - p and 1 - q.

    The unpaired form adds both variances and uses Welch's degrees of freedom, as pROC does.

    Two identical rankings have a difference of 0 in every sample: the p-value is 1, and there is no
    interval. Other differences without variance, as of AUCs of 1 and 0, have the exact interval of
    min(P, N) independent pairs, which has positive width, and the p-value at which this interval
    begins to contain 0. If a class has fewer than two examples the test is undefined: nan with a
    warning.

    Simulated size of the nominal 5 % test: 3.5 to 6 % on 100 balanced and on 1000 examples. With 5
    positives among 100 it is up to 9 %, that of the permutation test up to 3 %. With AUCs
    of .95 on 15 + 15 examples it is 0.4 % (``benchmarks/results/sizes.md``).

    References
    ----------
    .. [1] DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). Comparing the areas under
       two or more correlated receiver operating characteristic curves: a nonparametric approach.
       Biometrics 44, 837-845.
    .. [2] Sun, X. and Xu, W. (2014). Fast implementation of DeLong's algorithm for comparing the
       areas under correlated receiver operating characteristic curves. IEEE Signal Processing
       Letters 21, 1389-1393.
    .. [3] Obuchowski, N. A. (1997). Nonparametric analysis of clustered ROC curve data. Biometrics 53,
       567-578.

    Examples
    --------
    >>> from skaucx.inference import delong_test
    >>> y_true = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> a, b = [0.9, 0.8, 0.7, 0.4, 0.5, 0.3, 0.2, 0.1], [0.9, 0.4, 0.6, 0.5, 0.7, 0.3, 0.2, 0.6]
    >>> delong_test(y_true, a, b)
    DeLong's paired test of roc_auc
      statistic 1.4350, p-value 0.1513
      estimates 0.9375, 0.6562
      difference 0.2812, 95 % interval -0.1029 to 0.6654
      target: these predictions
      note: 4 of a class: below 20 equal AUCs may be rejected in other than 5 % (0.4
        to 9 % simulated)
    """
    Confidence(confidence_level, alternative=alternative)
    shift = null_difference(margin, alternative)
    _warn_if_paired(y_true, y_true_b)
    function, parameters = metric_or_function(metric, parameters)
    _check_kind(function, parameters)
    if groups is not None and y_true_b is not None:
        raise ValueError("groups are for paired tests; omit y_true_b.")
    codes = groups_of_rows(groups, y_true)
    truths, rescale = (y_true, y_true_b), parameters.pop("rescale", None)
    samples = _samples(function.metric, truths, (score_a, score_b), pos_label, rescale)
    found = [_influences(function.metric, parameters, *sample) for sample in samples]
    return _comparison(function.metric, samples, found, codes, confidence_level, alternative, shift)


# The value of each score of a sample, and the influences of the rows on it.
Found = tuple[Floats, Floats]


def _influences(
    metric: Metric, parameters: Mapping[str, Any], truth: Bools, scores: Floats
) -> Found:
    """Return the values, and the deviations of placement values over the size of their class."""
    psi = np.full(scores.shape, np.nan)
    if truth.all() or not truth.any():
        return psi[..., 0], psi
    values = placement_values(metric, parameters, truth, scores)
    for side, own in zip((truth, ~truth), values, strict=True):
        psi[..., side] = (own - own.mean(axis=-1, keepdims=True)) / own.shape[-1]
    return np.asarray(values[0].mean(axis=-1)), psi


def _comparison(
    metric: Metric,
    samples: list[tuple[Bools, Floats]],
    found: list[Found],
    codes: Codes | None,
    confidence_level: float,
    alternative: Alternative,
    shift: float,
) -> ComparisonResult:
    """Return the test of two scores: of one sample with both, or of a sample each."""
    paired, truths = len(samples) == 1, [truth for truth, _ in samples]
    estimates = found[0][0].tolist() if paired else [float(value) for value, _ in found]
    psi = [each for _, each in found]
    error, df = _paired(psi[0], truths[0], codes) if paired else _unpaired(psi, truths)
    difference = _rounded(estimates[0] - estimates[1])
    independent = min(min(truth.sum(), (~truth).sum()) for truth in truths)
    width = np.ptp(metric.bounds)
    if error == 0 and difference != shift:  # all pairs have the same difference
        statistic = np.nan
        p_value = _exact_p(difference, shift, independent, width, alternative)
    else:
        why = "a class has fewer than two examples"
        statistic = studentised(difference - shift, error, "DeLong's test", why)
        p_value = float(tail(statistic, alternative, df))
    few = _FEW.format(independent) if independent < 20 else ""
    alike, half = False, student(confidence_level, df) * error
    ends = difference - half, difference + half
    if error == 0:
        ranks = stats.rankdata(samples[0][1], axis=-1)
        alike = paired and np.array_equal(ranks[0], ranks[1])
        exact_ends = constant_pairs_interval(
            np.asarray(difference), independent, confidence_level, (-width, width)
        )
        ends = (np.nan, np.nan) if alike else (float(exact_ends[0]), float(exact_ends[1]))
    return ComparisonResult(
        method=f"DeLong's {'paired' if paired else 'unpaired'} test of {metric.name}",
        statistic=statistic,
        p_value=p_value,
        estimates=(estimates[0], estimates[1]),
        difference=difference,
        standard_error=error,
        interval=ends,
        confidence_level=confidence_level,
        alternative=alternative,
        df=df,
        note=_ALIKE if alike else of_two_sides(alternative, few),
    )


def _exact_p(
    difference: float, shift: float, independent: int, width: float, alternative: Alternative
) -> float:
    r"""Return the p-value at which the exact interval of a constant difference reaches the null.

    With :math:`s = (\alpha / 2)^{1 / k}` the end :math:`s d - (1 - s) w` of :func:`exact` is the null at
    :math:`s = (w + d_0) / (w + d)`.
    """
    side = np.sign(difference - shift)
    share = (width + side * shift) / (width + side * difference)
    single = max(share, 0.0) ** independent
    if alternative == "two-sided":
        return float(min(2 * single, 1))
    return float(single if (side > 0) == (alternative == "greater") else 1)


def _check_kind(function: Any, parameters: Mapping[str, Any]) -> None:
    """Raise an error for a metric without DeLong's test, and for parameters that it does not accept."""
    row = getattr(function, "metric", None)
    if row is None:
        raise TypeError(f"metric must be a metric of this package or its name, found {function!r}.")
    if unknown := set(parameters) - set(row.parameters) - {"rescale"}:
        raise TypeError(
            f"delong_test of {row.name} does not accept the parameter {sorted(unknown)[0]!r}."
        )
    own = {name: value for name, value in parameters.items() if name != "rescale"}
    if parameters.get("rescale") == "minmax" or not row.averages_pairs(own):
        raise ValueError(
            f"{row.name} with these parameters is not a mean over pairs of a function of their "
            f"difference alone, so DeLong's test does not apply; use paired_test."
        )


def _samples(
    metric: Metric,
    truths: tuple[Any, Any],
    scores: tuple[Any, ...],
    pos_label: Any,
    rescale: Any,
) -> list[tuple[Bools, Floats]]:
    """Return truth and scores of each sample; a paired sample has the scores of all."""
    labels, paired = label_array(truths[0], "y_true"), truths[1] is None
    others = labels if paired else label_array(truths[1], "y_true_b")
    known = np.unique(np.concatenate([labels, others])) if labels.ndim == others.ndim == 1 else None
    checked, unit = [], metric.name if metric.kind.scale == "unit" and rescale is None else ""
    sides = zip(("score_a", "score_b"), (labels, others), scores, strict=True)
    for name, truth, score in sides:
        positive, scored = check_binary_scores(
            "DeLong's test",
            truth,
            score,
            pos_label,
            unit=unit,
            labels=known,
            names=("y_true", name),
        )
        checked.append((positive, rescaled(scored.score, rescale)))
    if not paired:
        return checked
    return [(checked[0][0], np.stack([score for _, score in checked]))]


def _paired(psi: Floats, truth: Bools, groups: Codes | None) -> tuple[float, float]:
    """Return the standard error of the difference; df is inf: normal.

    With groups Student's t has the effective number of them minus 1 degrees of freedom.
    """
    apart = psi[0] - psi[1]
    if groups is None or np.isnan(apart).any():
        return _rounded(np.sqrt(Spread.of_classes(apart, truth).variance)), np.inf
    found = Spread.of_groups(apart, groups, np.ones(len(apart)), truth.astype(np.intp))
    return _rounded(np.sqrt(found.variance)), found.freedom


def _warn_if_paired(y_true: Any, y_true_b: Any) -> None:
    """Warn if two samples have identical labels, which are probably paired."""
    if y_true_b is None:
        return
    labels, others = host_array(y_true), host_array(y_true_b)
    changes = labels.ndim == 1 and np.count_nonzero(labels[1:] != labels[:-1]) > 1
    if changes and np.array_equal(labels, others):
        warn(
            "y_true_b equals y_true in every row, so the examples seem to be the same; the "
            "unpaired test assumes two independent samples. Omit y_true_b for the paired test."
        )


def _unpaired(psi: list[Floats], truths: list[Bools]) -> tuple[float, float]:
    """Return the same of two samples, with Welch's degrees of freedom."""
    sides = zip(psi, truths, strict=True)
    variances = np.array([Spread.of_classes(each, truth).variance for each, truth in sides])
    sizes = np.array([len(truth) for truth in truths])
    # Satterthwaite: (v1 + v2)^2 / (v1^2 / (n1 - 1) + v2^2 / (n2 - 1)).
    total, below = variances.sum(), (variances**2 / np.maximum(sizes - 1, 1)).sum()
    return _rounded(np.sqrt(total)), float(total**2 / below) if below > 0 else 1.0


def _rounded(value: Any) -> float:
    return 0.0 if abs(value) < ROUNDING else float(value)
