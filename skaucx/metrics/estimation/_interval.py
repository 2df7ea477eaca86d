"""The interval of any metric, by one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..._arrays import Codes
from ..._deprecation import renamed_argument
from ..._options import check_flag
from .._records.counts import given_table
from .._registry.declare import check_complete, share
from .._registry.names import NamedMetric, named_metrics
from .._resampling.draws import block_codes, block_length, seed_of
from ..kinds.base import Sample
from ._bootstrap import plan
from ._requests import (
    Alternative,
    Asked,
    FunctionSample,
    PlainMetric,
    Rows,
    Sides,
    answers,
    check_alternative,
    check_settings,
    judged,
)
from ._result import Interval, noted


@renamed_argument("level", "confidence_level")
def interval(
    metric: str | Callable[..., Any],
    y_true: Any = None,
    y_pred_or_score: Any = None,
    *,
    counts: Any = None,
    layout: str | None = None,
    method: str = "auto",
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    sample_weight: Any = None,
    frequency: Any = None,
    groups: Any = None,
    blocks: int | str | None = None,
    n_resamples: int = 2000,
    stratify: bool = False,
    random_state: Any = None,
    **parameters: Any,
) -> Interval:
    """Return an interval for the value that a metric has on the population of the sample.

    Parameters
    ----------
    metric : str or callable
        A metric of this package by name or alias, with an average ("f1_macro"), by function or scorer;
        or any function that is called as ``metric(y_true, y_pred)`` and returns a number: that has
        the bootstrap.
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        True class labels, or multilabel indicators.
    y_pred_or_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Predicted labels, scores or probabilities: what the metric takes.
    counts : Counts or array-like of shape (n_classes, n_classes), default=None
        Instead of both arrays: the counts of a published table, for metrics of labels. The classes are
        0, 1, ..., the positive one of two is 1.
    layout : str, default=None
        That of the table, as for :func:`evaluate`; None is "tn fp fn tp", or "true rows".
    method : str, default="auto"
        Every metric has "percentile" and "bca", the quantiles of bootstrap replicates. Others by what
        the metric is:

        - a share of some counts among others (recall, specificity, precision, accuracy, error rates,
          prevalence, Jaccard ...): "wilson", "clopper-pearson", "agresti-coull", "jeffreys", "wald";
        - any metric of predicted labels: "delta", the delta method on multinomial counts, and the same
          on the scale of the metric's range: "logit" for a finite one, "log" for (0, inf), which
          gives the usual log intervals of likelihood and odds ratios;
        - a mean over pairs of a function of the difference alone (roc_auc, gini, prob_auc, scor_auc,
          sond_auc, soft_auc, mm11_auc, mm12_auc, pairwise_auc): "delong", from placement values,
          "logit", the same on that scale, and "logit-t", with Student's t in place of the normal law;
        - roc_auc and gini: "score-t", from a score test whose variance has the size of DeLong's, and
          "newcombe" and "hanley-mcneil", whose variances are those of exponential scores, too;
        - a mean over rows (Brier score, log loss, other losses of probabilities, costs, SMAPE): "t",
          Student's interval of a mean, and the same on the scale of the metric's range: "logit-t" for
          a finite one, "log-t" for (0, inf); top-k accuracy, a share of the rows, has "wilson", too;
        - calibration_error with ``norm="l2", debias=True``: "score", see there;
        - a metric with an influence curve (average_precision, pr_auc, partial_roc_auc,
          two_way_partial_auc, precision_at_k, recall_at_k, lift, calibration_slope,
          calibration_intercept, d2_log_loss, d2_brier; averages of these and of AUCs over classes):
          the same names, "wilson" for shares of the top of a ranking;
        - with `groups`, metrics of labels with one value, means over pairs and over rows, influence
          curves: "cluster"; with `sample_weight` alone the last two: "linearized".

        "auto" takes the first that the metric has of "score-t", "wilson", "log", "log-t", "logit-t",
        "logit", "delta", "t", "cluster", "linearized" and "bca"; of more than 50,000 rows "percentile"
        in place of "bca".
    confidence_level : float, default=0.95
        Confidence, in (0, 1).
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        One-sided: from the low end to the metric's greatest value, or from its least to the high end.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights >= 0, as those of a sample: weights of 50 do not narrow an interval.
    frequency : array-like of shape (n_samples,), default=None
        How many equal examples each row stands for: 50 narrow an interval as 50 rows do.
    groups : array-like of shape (n_samples,), default=None
        Rows of one group belong together, such as examples of one patient: groups are what is counted,
        or drawn.
    blocks : int, "auto" or None, default=None
        For rows that depend on their neighbours, such as successive days: the number of rows of a
        block. Closed forms then take sums over blocks side by side in place of rows; the bootstrap
        draws blocks that start at any row. "auto" reads the length from the autocorrelation of
        classes and predictions, at most a tenth of the rows; blocks as long as that leave few.
    n_resamples : int, default=2000
        Bootstrap resamples.
    stratify : bool, default=False
        Whether to draw from each class by itself, so that class sizes are those of the sample.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the resamples. It alone decides them, and the result prints it: a new one for None.
    **parameters
        The metric's own arguments, such as ``pos_label``, ``labels``, ``average``, ``multi_class``,
        ``rescale`` or ``beta``.

    Returns
    -------
    Interval
        With ``average=None``, arrays of one interval a class.

    Raises
    ------
    ValueError, TypeError
        As the metric raises; for a method that the metric does not have; for a closed form together
        with weights or groups.

    Warns
    -----
    UndefinedMetricWarning
        If the metric is undefined, or a method needs two examples of each class: the ends are nan.

    Notes
    -----
    Both arrays may come in chunks, as iterators of arrays or as collections of Dask. The intervals then
    come from counts, in which rows of a cell of scores stand in its middle. Weighted labels have
    "cluster", each row a group of its own; weighted scores, groups and several columns are refused.

    The intervals are those of a fixed classifier on examples drawn independently; they know nothing of
    what another training set would change.

    Where all pairs are alike, as at an AUC of 0 or 1, DeLong's variance is 0. The interval is then
    that of min(P, N) independent pairs, exact by Clopper and Pearson's argument and never of width 0;
    `method` tells "exact". Where all examples of some class are called alike, their cells hide the
    variance of its rate, and the delta method adds two examples spread over the table: half of one a
    cell of a binary table.

    ``python -m benchmarks.coverage`` finds the real coverage of 95 %; "auto" takes what holds best. Bad
    cases are every interval of score values with five examples of a class and an AUC of .95 (75 to
    84 %), "delong" and "percentile" with few of a class (72 %), and the bootstrap of mm1.

    A pair that is won lowers no end of "newcombe", whose variance knows the AUC alone, and of "score-t"
    in no case tried with 15 examples a class; with fewer an end may fall by what 1.5 pairs are worth, as
    Student's t does where an outlier moves out. Coverage: ``benchmarks/results/auc_coverage.md``.

    The degrees of freedom of "logit-t" are those of Brunner and Munzel: about the size of the class
    that contributes most of the variance.

    "cluster" takes sums over groups in place of rows, and Student's t with a degree of freedom less
    than groups that tell something. A share has the variance of the ratio estimator [9]_ and Wilson's
    ends for as many examples as that is worth, or as there are groups where it is 0 or 1; other metrics
    of labels have the delta method. A mean over pairs has placement values summed by group [10]_ and the
    ends of "score-t" or "logit-t". Below 30 groups a `note` says so
    (``benchmarks/results/cluster_coverage.md``, ``python -m benchmarks.cluster_coverage``).

    For a mean over rows of the losses l_i with weights w_i, the variance is that of the linearised
    ratio [11]_, the sum of the squares of w_i (l_i - mean) / w over rows, or of their sums over groups,
    times m / (m - 1) for m of these, and Student's t has m - 1 degrees of freedom. Class counts are
    random with the rows.

    An influence curve is the derivative of the metric with respect to the weight of each row (the
    infinitesimal jackknife [12]_), and Student's t has the degrees of freedom of the variance that is
    found, fewer than rows where few rows make most of it [13]_. Average precision and the area under
    the precision-recall curve take the logit scale [14]_, calibration slope and intercept have the
    sandwich variance of their fit [15]_. Of k called positive, precision and recall at k take the share
    of positives near the cut from a window of ranks, as a row more above the cut pushes one out.
    With fewer than ten examples (or groups) of some class a `note` says that coverage is not
    guaranteed; the bootstrap's is no higher there (``benchmarks/results/influence_coverage.md``,
    ``python -m benchmarks.influence_coverage``: class counts are random).

    Metrics that read the span or the margin (mm1, mm4, mm6, mm7, and all with ``rescale="minmax"``)
    have a bootstrap without a guarantee, and `note` says so. It also notes a greatest value over
    thresholds, and fewer than 20 rows of a class.

    An interval contains its estimate, has a width and lies in the metric's range, or both ends are nan
    and `note` gives the reason: the metric is undefined on the sample, its replicates lie beyond the
    estimate by a standard error, where BCa's correction is none, or chance raises it on every sample
    (calibration_error, miscalibration). A part of an average that is undefined on the sample counts on
    every resample as on the sample, and is noted (``python -m benchmarks.random_coverage``).

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, Comparing the areas under two or more
       correlated receiver operating characteristic curves: a nonparametric approach, Biometrics
       44(3), 837-845, 1988.
    .. [2] J. A. Hanley and B. J. McNeil, The meaning and use of the area under a receiver operating
       characteristic (ROC) curve, Radiology 143(1), 29-36, 1982.
    .. [3] R. G. Newcombe, Confidence intervals for an effect size measure based on the Mann-Whitney
       statistic, part 2, Statistics in Medicine 25(4), 559-573, 2006.
    .. [4] L. D. Brown, T. T. Cai and A. DasGupta, Interval estimation for a binomial proportion,
       Statistical Science 16(2), 101-133, 2001.
    .. [5] D. L. Simel, G. P. Samsa and D. B. Matchar, Likelihood ratios with confidence, Journal of
       Clinical Epidemiology 44(8), 763-770, 1991.
    .. [6] E. Brunner and U. Munzel, The nonparametric Behrens-Fisher problem: asymptotic theory and a
       small-sample approximation, Biometrical Journal 42(1), 17-25, 2000.
    .. [7] M. P. Perme and D. Manevski, Confidence intervals for the Mann-Whitney test, Statistical
       Methods in Medical Research 28(12), 3755-3768, 2019.
    .. [8] B. Efron, Better bootstrap confidence intervals, JASA 82(397), 171-185, 1987.
    .. [9] J. N. K. Rao and A. J. Scott, A simple method for the analysis of clustered binary data,
       Biometrics 48(2), 577-585, 1992.
    .. [10] N. A. Obuchowski, Nonparametric analysis of clustered ROC curve data, Biometrics 53(2),
       567-578, 1997.
    .. [11] C.-E. Sarndal, B. Swensson and J. Wretman, Model assisted survey sampling, Springer, 1992,
       section 5.7.
    .. [12] B. Efron, The jackknife, the bootstrap and other resampling plans, SIAM, 1982, chapter 6.
    .. [13] F. E. Satterthwaite, An approximate distribution of estimates of variance components,
       Biometrics Bulletin 2(6), 110-114, 1946.
    .. [14] K. Boyd, K. H. Eng and C. D. Page, Area under the precision-recall curve: point estimates
       and confidence intervals, ECML PKDD, 451-466, 2013.
    .. [15] H. White, Maximum likelihood estimation of misspecified models, Econometrica 50(1), 1-25,
       1982.

    Examples
    --------
    >>> from skaucx.metrics import interval
    >>> y_true = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> interval("roc_auc", y_true, [0.1, 0.2, 0.3, 0.4, 0.6, 0.35, 0.5, 0.7, 0.8, 0.9])
    roc_auc 0.8800 (95 %: 0.4480 to 0.9829; score-t)
    >>> found = interval("recall", y_true, [0, 0, 0, 0, 1, 0, 1, 1, 1, 1], confidence_level=0.9)
    >>> round(found.low, 4), round(found.high, 4), found.method
    (0.4353, 0.954, 'wilson')
    >>> interval("mm4_auc", y_true, [0.1, 0.2, 0.3, 0.4, 0.6, 0.35, 0.5, 0.7, 0.8, 0.9],
    ...          random_state=0).method
    'bca'
    """
    found = intervals(
        [metric],
        y_true,
        y_pred_or_score,
        counts=counts,
        layout=layout,
        method=method,
        confidence_level=confidence_level,
        alternative=alternative,
        sample_weight=sample_weight,
        frequency=frequency,
        groups=groups,
        blocks=blocks,
        n_resamples=n_resamples,
        stratify=stratify,
        random_state=random_state,
        **parameters,
    )
    return next(iter(found.values()))


@renamed_argument("level", "confidence_level")
def intervals(
    metrics: Iterable[str | Callable[..., Any]],
    y_true: Any = None,
    y_pred_or_score: Any = None,
    *,
    counts: Any = None,
    layout: str | None = None,
    method: str = "auto",
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    sample_weight: Any = None,
    frequency: Any = None,
    groups: Any = None,
    blocks: int | str | None = None,
    n_resamples: int = 2000,
    stratify: bool = False,
    random_state: Any = None,
    **parameters: Any,
) -> dict[str, Interval]:
    """Return the intervals of several metrics; those by bootstrap share one set of resamples.

    Parameters
    ----------
    metrics : str, list, dict or one-pass scorer
        Metrics, each as for :func:`interval`, that all read predicted labels, or all read scores.
    y_true, y_pred_or_score, counts, layout, method, confidence_level, alternative, sample_weight
        As for :func:`interval`.
    frequency, groups, blocks, n_resamples, stratify, random_state
        As for :func:`interval`.
    **parameters
        Given to every metric that takes them.

    Returns
    -------
    dict of str to Interval

    Raises
    ------
    ValueError, TypeError
        As :func:`interval` raises; or for metrics of labels beside metrics of scores.

    Examples
    --------
    >>> from skaucx.metrics import intervals
    >>> found = intervals(["recall", "mcc"], [0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 0, 1, 1, 1])
    >>> found["recall"]
    recall 0.7500 (95 %: 0.3006 to 0.9544; wilson)
    >>> found["matthews_corrcoef"].method
    'logit'
    """
    length = block_length(blocks, groups, y_true, y_pred_or_score)
    if length is not None:
        if frequency is not None:
            raise ValueError("blocks are rows in their order; leave out frequency, or blocks.")
        groups = block_codes(len(y_true), length)
    rows = Rows(y_true, y_pred_or_score, sample_weight, groups)
    asked = judged(metrics, rows, parameters, counts=counts, frequency=frequency, layout=layout)
    found = intervals_of_sample(
        asked.metrics,
        asked.sample,
        asked.parameters,
        method=method,
        confidence_level=confidence_level,
        groups=asked.groups,
        n_resamples=n_resamples,
        stratify=stratify,
        random_state=random_state,
        alternative=alternative,
        block=length,
    )
    told = "" if counts is None else given_table(counts, layout).note
    told = told if length is None else f"rows in blocks of {length}"
    return {key: noted(each, told) for key, each in found.items()}


def intervals_of_sample(
    metrics: Sequence[Any],
    sample: Sample,
    parameters: Mapping[str, Any],
    *,
    method: str = "auto",
    confidence_level: float = 0.95,
    groups: Codes | None = None,
    n_resamples: int = 2000,
    stratify: bool = False,
    random_state: Any = None,
    alternative: str = "two-sided",
    block: int | None = None,
) -> dict[str, Interval]:
    """Return the intervals of metrics on a sample."""
    check_settings(confidence_level, n_resamples)
    sides = Sides(check_alternative(alternative), float(confidence_level))
    if isinstance(sample, FunctionSample):
        plain = [PlainMetric(function, parameters) for function in metrics]
        asked = [Asked(each.name, each, {}, sample, sides, groups) for each in plain]
    else:
        asked = _asked(named_metrics(metrics), sample, parameters, sides, groups)
    drawn = plan(sample, stratify=check_flag("stratify", stratify), groups=groups, block=block)
    return answers(asked, method, drawn, int(n_resamples), seed_of(random_state))


def _asked(
    wanted: Sequence[NamedMetric],
    sample: Sample,
    parameters: Mapping[str, Any],
    sides: Sides,
    groups: Codes | None,
) -> list[Asked]:
    """Give every metric its own options."""
    asked = []
    given = share(parameters, [named.function.options for named in wanted])
    for named, own in zip(wanted, given, strict=True):
        function, own = named.function, {**named.parameters, **own}
        check_complete(function, own)
        options = {
            name: o.default for name, o in function.options.items() if o.default is not o.empty
        }
        options = _of_state(options | own)
        label = replace(named, parameters=own).label
        row = named.row.under(options)
        asked.append(Asked(named.key, row, options, sample, sides, groups, label))
    return asked


def _of_state(options: dict[str, Any]) -> dict[str, Any]:
    """Leave out what belongs to the arrays, not to the evaluation."""
    return {name: options[name] for name in options if name not in ("labels", "sample_weight")}
