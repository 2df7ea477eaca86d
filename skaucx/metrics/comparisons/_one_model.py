"""Tests of one set of predictions: calibration of probabilities, independence of labels."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

import numpy as np
from scipy import stats

from ..._arrays import Floats
from ..._options import (
    Alternative,
    check_alternative,
    check_choice,
    check_confidence_level,
    check_flag,
    check_whole,
)
from .._formulas.association import cramer_v
from .._formulas.calibration import miscalibration
from .._records.counts import Counts
from .._records.inputs import (
    check_label_pair,
    check_scored_labels,
    check_single_table,
    refuse_multilabel,
)
from .._resampling.draws import generator
from ..kinds.labels import label_state
from ..kinds.scores.state import score_state
from ._comparison_result import (
    ComparisonResult,
    resampled,
)

# Sums of losses that differ by less are equal up to rounding.
_ROUNDING = 1e-12


def spiegelhalter_test(
    y_true: Any,
    y_proba: Any,
    *,
    labels: Any = None,
    pos_label: Any = None,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    sample_weight: Any = None,
) -> ComparisonResult:
    r"""Test whether probabilities are calibrated, by Spiegelhalter's z.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True class labels.
    y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Probabilities of the positive class, or of every class, in sorted order.
    labels : array-like of shape (n_classes,), default=None
        All classes, if some do not occur.
    pos_label : int, float, bool or str, default=None
        The positive class; see :func:`recall_score`.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Alternative hypothesis for the Brier score, relative to its expectation under calibration:
        "greater" if probabilities are too extreme.
    confidence_level : float, default=0.95
        Nominal coverage of the interval, in (0, 1).
    sample_weight : array-like of shape (n_samples,), default=None
        Weights >= 0, assumed fixed.

    Returns
    -------
    ComparisonResult
        The statistic is z, standard normal under calibration; the estimates are the Brier score
        (halved for two classes, as in :func:`brier_score_loss`) and its expectation.

    Raises
    ------
    ValueError, TypeError
        If the arrays do not match, probabilities are outside [0, 1], or an argument is invalid.

    Warns
    -----
    UndefinedMetricWarning
        If no probability is strictly between 0 and 1 (or all are 1/2); the statistic is then nan.

    Notes
    -----
    .. math:: z = \frac{\sum_i (y_i - p_i)(1 - 2 p_i)}{\sqrt{\sum_i (1 - 2 p_i)^2 p_i (1 - p_i)}}

    for two classes [1]_; in general the Brier score :math:`B` of K classes minus its expectation
    :math:`\sum_i (1 - \sum_k p_{ik}^2)`, over the square root of its variance
    :math:`4 \sum_i (\sum_k p_{ik}^3 - (\sum_k p_{ik}^2)^2)`, both under the hypothesis that the
    probabilities are true. A probability of 1/2 contributes nothing: the test detects over- and
    underconfidence, not every miscalibration.

    References
    ----------
    .. [1] Spiegelhalter, D. J. (1986). Probabilistic prediction in patient management and clinical
       trials. Statistics in Medicine 5, 421-433.

    Examples
    --------
    >>> from skaucx.metrics.comparisons import spiegelhalter_test
    >>> spiegelhalter_test([0, 1, 0, 1, 1, 0], [0.1, 0.9, 0.4, 0.6, 0.7, 0.3])
    Spiegelhalter's test of calibration
      statistic -1.2472, p-value 0.2123
      estimates 0.0867, 0.1800
      difference -0.0933, 95 % interval -0.2400 to 0.0533
      target: these predictions
    """
    check_alternative(alternative)
    check_confidence_level(confidence_level)
    scored = check_scored_labels(
        y_true, y_proba, names=("y_true", "y_proba"), labels=labels, sample_weight=sample_weight
    )
    p = score_state(scored).probabilities(pos_label=pos_label, either=False)
    scale = 2 if p.n_columns == 2 else 1
    weight = p.weight / p.total_weight / scale
    given = np.take_along_axis(p.probability, p.outcome[:, None], axis=1)[:, 0]
    squares, cubes = (p.probability**2).sum(axis=1), (p.probability**3).sum(axis=1)
    brier, expected = weight @ (1 - 2 * given + squares), weight @ (1 - squares)
    error = 2 * np.sqrt(weight**2 @ np.maximum(cubes - squares**2, 0))
    return ComparisonResult.of_difference(
        "Spiegelhalter's test of calibration",
        (float(brier), float(expected)),
        float(brier - expected),
        float(error),
        test="Spiegelhalter's z",
        why="the statistic has no variance",
        alternative=alternative,
        confidence_level=float(confidence_level),
    )


def miscalibration_test(
    y_true: Any,
    y_proba: Any,
    *,
    loss: Literal["brier", "log"] = "brier",
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    n_resamples: int = 999,
    random_state: Any = None,
) -> ComparisonResult:
    r"""Test whether probabilities are calibrated, by their miscalibration and consistency resampling.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True class labels.
    y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Probabilities of the positive class, or of every class, in sorted order.
    loss : {"brier", "log"}, default="brier"
        The proper loss whose miscalibration component is the statistic.
    labels : array-like of shape (n_classes,), default=None
        All classes, if some do not occur.
    pos_label : int, float, bool or str, default=None
        The positive class; see :func:`recall_score`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights >= 0, assumed fixed.
    n_resamples : int, default=999
        Number of sets of outcomes drawn from the probabilities.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the outcomes.

    Returns
    -------
    ComparisonResult
        The statistic is :func:`miscalibration`; the estimates are it and its mean over the
        simulated outcomes, and the difference is the first minus the second.

    Raises
    ------
    ValueError, TypeError
        If the arrays do not match, probabilities are outside [0, 1], or an argument is invalid.

    Notes
    -----
    Outcomes drawn from the probabilities give the distribution of the statistic under calibration
    (consistency resampling [1]_), and the p-value is (1 + number of draws at least as
    miscalibrated) / (1 + n_resamples). Unlike
    :func:`spiegelhalter_test` it detects every miscalibration that an increasing recalibration
    would correct.

    References
    ----------
    .. [1] Broecker, J. and Smith, L. A. (2007). Increasing the reliability of reliability diagrams.
       Weather and Forecasting 22(3), 651-661.

    Examples
    --------
    >>> from skaucx.metrics.comparisons import miscalibration_test
    >>> miscalibration_test([0, 1, 0, 1, 1, 0], [0.1, 0.9, 0.4, 0.6, 0.7, 0.3], random_state=0)
    Test of calibration by consistency resampling, 999 resamples, seed 0
      statistic 0.0867, p-value 0.7170 (greater)
      estimates 0.0867, 0.1144
      difference -0.0278
      target: these predictions
    """
    check_choice("loss", loss, ("brier", "log"))
    check_whole("n_resamples", n_resamples, 1)
    scored = check_scored_labels(
        y_true, y_proba, names=("y_true", "y_proba"), labels=labels, sample_weight=sample_weight
    )
    p = score_state(scored).probabilities(pos_label=pos_label, either=False)
    rng, below = generator(random_state), p.probability.cumsum(axis=1)[:, :-1]
    found = float(miscalibration(p, loss=loss))
    drawn = np.empty(int(n_resamples))
    for number in range(len(drawn)):
        outcome = (rng.random((len(below), 1)) >= below).sum(axis=1)
        record = dataclasses.replace(p, outcome=outcome, rank=None)
        drawn[number] = miscalibration(record, loss=loss)
    rounding = _ROUNDING * max(1.0, abs(found))
    how = resampled("resamples", len(drawn), random_state)
    return ComparisonResult(
        method=f"Test of calibration by consistency resampling, {how}",
        statistic=found,
        p_value=(1 + np.count_nonzero(drawn >= found - rounding)) / (1 + len(drawn)),
        estimates=(found, float(drawn.mean())),
        difference=found - float(drawn.mean()),
        standard_error=float(drawn.std(ddof=1)) if len(drawn) > 1 else np.nan,
        alternative="greater",
    )


def chi_squared_test(
    y_true: Any = None, y_pred: Any = None, *, counts: Any = None, correction: bool = False
) -> ComparisonResult:
    r"""Test the independence of predicted and true labels, by Pearson's chi-squared.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,), default=None
        True and predicted class labels, two or more classes.
    counts : Counts or array-like of shape (n_classes, n_classes), default=None
        A confusion table instead of both arrays, rows true.
    correction : bool, default=False
        Whether to apply Yates' continuity correction to a 2 x 2 table.

    Returns
    -------
    ComparisonResult
        The statistic is chi-squared, the estimate Cramer's V (without the correction).

    Raises
    ------
    ValueError, TypeError
        If the arrays do not match, or both arrays and `counts` are given.

    Notes
    -----
    .. math:: \chi^2 = n \sum_{ij} \frac{(p_{ij} - p_{i \cdot} p_{\cdot j})^2}{p_{i \cdot} p_{\cdot j}}

    with (r - 1)(c - 1) degrees of freedom, for the r true and c predicted classes that occur. If
    one side has one class only, the statistic is 0 and the p-value 1. With expected counts below 5
    the p-value is inaccurate; :func:`permutation_test` has no such limit.

    See Also
    --------
    proportion_test : The accuracy against the no-information rate.

    Examples
    --------
    >>> from skaucx.metrics.comparisons import chi_squared_test
    >>> chi_squared_test(counts=[[30, 9], [4, 17]])
    Chi-squared test of independence
      statistic 18.6197, p-value < 0.0001
      estimates 0.5571
      target: these predictions
    """
    table = _counted(y_true, y_pred, counts)
    held = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    found = stats.chi2_contingency(held, correction=check_flag("correction", correction))
    with np.errstate(divide="ignore", invalid="ignore"):
        strength = float(cramer_v(table))
    return ComparisonResult(
        method=f"Chi-squared test of independence{', corrected' if correction else ''}",
        statistic=float(found.statistic),
        p_value=float(found.pvalue),
        estimates=(strength,),
        df=float(found.dof),
    )


def _counted(y_true: Any, y_pred: Any, counts: Any) -> Floats:
    """Return the confusion table of labels, or the given one."""
    if counts is not None:
        if y_true is not None or y_pred is not None:
            raise ValueError("counts represent all rows; omit y_true and y_pred.")
        return check_single_table(counts.table if isinstance(counts, Counts) else counts)
    pair = check_label_pair(y_true, y_pred)
    if pair.multilabel:
        raise refuse_multilabel("chi_squared_test")
    return np.asarray(label_state(pair).table)
