"""Tests of one set of predictions: calibration, independence, chance, and known rates."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from ..._arguments import Label, MetricLike
from ..._arrays import Floats, RandomState, by_name, check_rows, host_array, take_rows
from ..._options import (
    OPEN_SHARE,
    Alternative,
    Confidence,
    check_alternative,
    check_choice,
    check_flag,
    check_whole,
)
from ..._progress import ProgressBar
from ...metrics._formulas.association import cramer_v
from ...metrics._formulas.calibration import miscalibration
from ...metrics._kinds.labels import LabelState, label_state
from ...metrics._kinds.scores.class_scores import Probabilities
from ...metrics._kinds.scores.state import score_state
from ...metrics._records.counts import Counts, given_table
from ...metrics._records.inputs import (
    check_label_pair,
    check_scored_labels,
    check_single_table,
    refuse_multilabel,
)
from ...metrics._registry.declare import get_metric, share
from ...metrics._registry.names import metric_or_function
from ...metrics._registry.plain_functions import PlainMetric
from ...metrics._registry.resampling import generator, resampled_pieces
from ...metrics._registry.row import Metric
from ...metrics._registry.samples import MetricOnSample, sample_of
from .._intervals.interval import sample_of_counts_given
from .._intervals.proportions import share_of, wilson
from .paired_call import metric_name
from .result import EXACT, ComparisonResult, as_extreme, resampled, tail

# Sums of losses that differ by less are equal up to rounding.
_ROUNDING = 1e-12


def spiegelhalter_test(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Label = None,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    sample_weight: ArrayLike | None = None,
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
    >>> from skaucx.inference import spiegelhalter_test
    >>> spiegelhalter_test([0, 1, 0, 1, 1, 0], [0.1, 0.9, 0.4, 0.6, 0.7, 0.3])
    Spiegelhalter's test of calibration
      statistic -1.2472, p-value 0.2123
      estimates 0.0867, 0.1800
      difference -0.0933, 95 % interval -0.2400 to 0.0533
      target: these predictions
    """
    Confidence(confidence_level, alternative=alternative)
    p = _probabilities(y_true, y_proba, labels, pos_label, sample_weight)
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
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    loss: Literal["brier", "log"] = "brier",
    labels: ArrayLike | None = None,
    pos_label: Label = None,
    sample_weight: ArrayLike | None = None,
    n_resamples: int = 999,
    random_state: RandomState = None,
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
    >>> from skaucx.inference import miscalibration_test
    >>> miscalibration_test([0, 1, 0, 1, 1, 0], [0.1, 0.9, 0.4, 0.6, 0.7, 0.3], random_state=0)
    Test of calibration by consistency resampling, 999 resamples, seed 0
      statistic 0.0867, p-value 0.7170 (greater)
      estimates 0.0867, 0.1144
      difference -0.0278
      target: these predictions
    """
    check_choice("loss", loss, ("brier", "log"))
    check_whole("n_resamples", n_resamples, 1)
    p = _probabilities(y_true, y_proba, labels, pos_label, sample_weight)
    rng, below = generator(random_state), p.probability.cumsum(axis=1)[:, :-1]
    found = float(miscalibration(p, loss=loss))
    drawn = np.empty(int(n_resamples))
    with ProgressBar.of_resamples(len(drawn)) as bar:
        for number in range(len(drawn)):
            outcome = (rng.random((len(below), 1)) >= below).sum(axis=1)
            record = dataclasses.replace(p, outcome=outcome, rank=None)
            drawn[number] = miscalibration(record, loss=loss)
            bar.advance()
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


def _probabilities(
    y_true: Any, y_proba: Any, labels: Any, pos_label: Any, sample_weight: Any
) -> Probabilities:
    scored = check_scored_labels(
        y_true, y_proba, names=("y_true", "y_proba"), labels=labels, sample_weight=sample_weight
    )
    return score_state(scored).probabilities(pos_label=pos_label, either=False)


def chi_squared_test(
    y_true: ArrayLike | None = None,
    y_pred: ArrayLike | None = None,
    *,
    counts: Counts | ArrayLike | None = None,
    correction: bool = False,
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
    >>> from skaucx.inference import chi_squared_test
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


def permutation_test(
    metric: MetricLike,
    y_true: ArrayLike,
    y_pred_or_score: ArrayLike,
    *,
    n_resamples: int = 9999,
    alternative: Alternative = "greater",
    random_state: RandomState = None,
    **parameters: Any,
) -> ComparisonResult:
    r"""Test whether a classifier is better than chance, by shuffling the labels.

    Parameters
    ----------
    metric : str or callable
        Name, alias or function of a metric of this package, or any function with signature
        ``metric(y_true, y_pred)`` that returns a number. Its keyword arrays, in `parameters` or bound
        by ``functools.partial``, need one entry per row and follow the rows; arrays in a closure or
        an attribute cannot be seen and stay as they are.
    y_true : array-like of shape (n_samples,)
        True labels.
    y_pred_or_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Predictions to evaluate: labels, scores or probabilities.
    n_resamples : int, default=9999
        Number of shuffles.
    alternative : {"greater", "less", "two-sided"}, default="greater"
        Whether the metric is above its mean under shuffled labels, below it, or either; use "less"
        for a loss.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the shuffles.
    **parameters
        Parameters of the metric.

    Returns
    -------
    ComparisonResult
        The statistic is the metric; the estimates are the metric and its mean over the shuffles;
        the standard error is the standard deviation over the shuffles.

    Raises
    ------
    ValueError, TypeError
        If an argument is invalid, or from the metric itself.

    Notes
    -----
    The p-value is (1 + number at least as extreme) / (1 + n_resamples) [1]_; a shuffle on which the
    metric is undefined counts as extreme. Tables of predicted labels are drawn with their margins
    fixed, and two classes of scores are sorted once. The test is not valid on the training data of
    the classifier.

    References
    ----------
    .. [1] Phipson, B. and Smyth, G. K. (2010). Permutation p-values should never be zero.
       Statistical Applications in Genetics and Molecular Biology 9(1), 39.

    Examples
    --------
    >>> from skaucx.inference import permutation_test
    >>> y_true = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> y_score = [0.1, 0.2, 0.3, 0.4, 0.6, 0.35, 0.5, 0.7, 0.8, 0.9]
    >>> found = permutation_test("roc_auc", y_true, y_score, n_resamples=999, random_state=0)
    >>> found.statistic, found.p_value < 0.05
    (0.88, True)
    """
    check_alternative(alternative)
    size, rng = check_whole("n_resamples", n_resamples, 2), generator(random_state)
    function, parameters = metric_or_function(metric, parameters)
    called = f"{metric_name(function, parameters)}, {resampled('shuffles', size, random_state)}"
    if not hasattr(function, "metric"):
        function, parameters = PlainMetric.of(function, parameters, y_true), {}
        y_true = host_array(y_true)
    check_rows({"y_true": y_true, "y_pred_or_score": y_pred_or_score})
    labels = parameters.get("labels")
    y_pred_or_score = by_name(y_pred_or_score, y_true, "y_pred_or_score", labels)
    value = float(function(y_true, y_pred_or_score, **parameters))
    shuffled = _shuffled(function, y_true, y_pred_or_score, parameters, size, rng)
    mean, spread = float(np.nanmean(shuffled)), float(np.nanstd(shuffled, ddof=1))
    rounding = 1e-12 * max(abs(value), 1)
    extreme = as_extreme(shuffled - mean, value - mean, rounding, alternative)
    return ComparisonResult(
        method=f"Permutation test of {called}",
        statistic=value,
        p_value=math.nan if math.isnan(value) else float((1 + extreme.sum()) / (1 + size)),
        estimates=(value, mean),
        difference=value - mean,
        standard_error=spread,
        alternative=alternative,
    )


def _shuffled(
    function: Any,
    y_true: Any,
    y_pred: Any,
    parameters: dict[str, Any],
    size: int,
    rng: np.random.Generator,
) -> Floats:
    """Return the metric on shuffled labels, undefined values as nan."""
    options = {"zero_division": np.nan, **parameters}
    if hasattr(function, "metric"):
        metric, labels = function.metric, options.pop("labels", None)
        further = {n: options[n] for n in metric.kind.inputs.extra_arrays if n in options}
        sample: Any = sample_of(metric, y_true, y_pred, labels=labels, **further)
        if sample.counted or sample.one_column:
            draws = _draws_of_tables if sample.counted else _draws_of_scores
            width, draw = draws(metric, sample, rng)
            drawn = (draw(len(rows)) for rows in resampled_pieces(size, width))
            return np.concatenate([np.asarray(metric.value(each, **options)) for each in drawn])
    shuffles = (shuffle for rows in resampled_pieces(size, len(y_true)) for shuffle in rows)
    return np.array([_shuffled_once(function, y_true, y_pred, parameters, rng) for _ in shuffles])


def _shuffled_once(
    function: Any, y_true: Any, y_pred: Any, parameters: dict[str, Any], rng: np.random.Generator
) -> float:
    """Return the value after shuffling the labels with their weights."""
    rows, given = rng.permutation(len(y_true)), parameters
    if hasattr(function, "metric"):
        own = function.metric.kind.inputs.per_row_arguments
        moved = {name: take_rows(given[name], rows) for name in own if name in given}
        given = {"zero_division": np.nan, **given, **moved}
    else:
        function = function.subset(rows)
    return float(function(np.asarray(y_true)[rows], y_pred, **given))


# The numbers of one draw, and a function that draws many.
_Draws = tuple[int, Callable[[int], Any]]


def _draws_of_tables(metric: Metric, sample: Any, rng: np.random.Generator) -> _Draws:
    """Draw confusion tables with the margins of the sample."""
    table = sample.state.table
    law = stats.random_table(*(table.sum(axis=axis).astype(np.intp) for axis in (1, 0)))

    def draw(many: int) -> LabelState:
        tables = law.rvs(many, random_state=rng).astype(np.float64)
        return LabelState(tables, sample.pair.classes, sample.pair.named)

    return table.size, draw


def _draws_of_scores(metric: Metric, sample: Any, rng: np.random.Generator) -> _Draws:
    """Give two copies of every score, one per class, weights 0 and 1, so that scores are sorted once."""
    scored = sample.scored
    truth = scored.true == scored.true.max()
    twice = np.repeat(scored.classes[[scored.true.max(), scored.true.min()]], len(truth))
    both = sample_of(metric, twice, np.tile(scored.score, 2), labels=scored.classes)

    def draw(many: int) -> Any:
        drawn = rng.permuted(np.tile(truth, (many, 1)), axis=1)
        return both.reweighted(np.hstack([drawn, ~drawn]).astype(np.float64))

    return 2 * len(truth), draw


def proportion_test(
    metric: MetricLike,
    y_true: ArrayLike | None = None,
    y_pred: ArrayLike | None = None,
    *,
    counts: Counts | ArrayLike | None = None,
    null: float | str = "majority",
    method: Literal["exact", "score"] = "exact",
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    **parameters: Any,
) -> ComparisonResult:
    r"""Test a rate, such as accuracy or recall, against a known value or the majority share.

    Parameters
    ----------
    metric : str or callable
        Name, alias or function of a metric that is a proportion: accuracy,
        recall, specificity, precision ...
    y_true, y_pred : array-like of shape (n_samples,), default=None
        True and predicted labels.
    counts : Counts or array-like of shape (n_classes, n_classes), default=None
        The counts of a published table instead of both arrays.
    null : float or "majority", default="majority"
        The rate under the null hypothesis, in (0, 1); "majority" is the share of the most frequent
        true class, the accuracy of always predicting it.
    method : {"exact", "score"}, default="exact"
        The exact binomial test, or the one-proportion z test of textbooks, which is the score test: its
        statistic is :math:`z = (x/n - p_0) / \sqrt{p_0 (1 - p_0) / n}`, and the interval agrees with it.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Alternative hypothesis for the rate, relative to `null`.
    confidence_level : float, default=0.95
        Nominal coverage of the interval, in (0, 1).
    **parameters
        Parameters of the metric, such as ``pos_label``.

    Returns
    -------
    ComparisonResult
        The statistic is the number of successes, or z; the estimates are the rate and `null`, the
        interval is Wilson's of the rate minus `null`.

    Raises
    ------
    ValueError
        If the metric is not a proportion, its denominator is 0, or an argument is invalid.

    Examples
    --------
    >>> from skaucx.inference import proportion_test
    >>> y_true = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0]
    >>> found = proportion_test("accuracy", y_true, [1, 1, 1, 0, 0, 0, 0, 0, 0, 1])
    >>> found.estimates, round(found.p_value, 4)
    ((0.8, 0.6), 0.3335)
    >>> round(proportion_test("recall", counts=[[90, 10], [4, 46]], null=0.8).p_value, 4)
    0.0329
    >>> found = proportion_test("recall", counts=[[90, 10], [4, 46]], null=0.8, method="score")
    >>> round(found.statistic, 4), round(found.p_value, 4)
    (2.1213, 0.0339)
    """
    if str(method) == "z":
        raise ValueError("The z test of one share is method='score', found 'z'.")
    exact = check_choice("method", method, ("exact", "score")) == "exact"
    sides = Confidence(confidence_level, alternative=alternative)
    function: Any = get_metric(metric) if isinstance(metric, str) else metric
    [own] = share(parameters, [function.options])
    given = {name: o.default for name, o in function.options.items()} | own
    labels = given.pop("labels", None)
    assumed = ""
    if counts is None:
        sample = sample_of(function.metric, y_true, y_pred, labels=labels)
    elif y_true is None and y_pred is None:
        sample = sample_of_counts_given(function.metric, counts)
        assumed = given_table(counts).note
    else:
        raise ValueError("counts represent all rows; omit y_true and y_pred.")
    given = {name: given[name] for name in given if name not in ("sample_weight", "zero_division")}
    counted = share_of(MetricOnSample(sample, function.metric, given)) if sample.counted else None
    if counted is None or not counted[1] > 0:
        raise ValueError(
            f"{function.metric.name} with these arguments is not a proportion; permutation_test "
            f"and paired_test accept any metric."
        )
    successes, trials = (round(x) for x in counted)
    known = _null_rate(null, sample)
    rate = counted[0] / counted[1]
    if exact:
        statistic = float(successes)
        p_value = float(stats.binomtest(successes, trials, known, alternative).pvalue)
    else:
        statistic = (rate - known) / math.sqrt(known * (1 - known) / counted[1])
        p_value = float(tail(statistic, alternative))
    low, high = wilson(np.asarray(counted[0]), np.asarray(counted[1]), sides.two_sided)
    low, high = sides.ends(low, high, (0, 1))
    name = "Exact binomial" if exact else "One-proportion z"
    return ComparisonResult(
        method=f"{name} test of {function.metric.name} against {known:.4g}",
        statistic=statistic,
        p_value=p_value,
        estimates=(rate, known),
        difference=rate - known,
        standard_error=math.sqrt(rate * (1 - rate) / counted[1]),
        interval=(float(low) - known, float(high) - known),
        confidence_level=float(confidence_level),
        alternative=alternative,
        note="; ".join(filter(None, [EXACT.format("Wilson's") if exact else "", assumed])),
    )


def _null_rate(null: Any, sample: Any) -> float:
    if isinstance(null, str):
        if null != "majority":
            raise ValueError(f"null must be a number in (0, 1) or 'majority', found {null!r}.")
        sizes = sample.state.sizes
        return float(sizes.max() / sizes.sum())
    return OPEN_SHARE.check("null", null)
