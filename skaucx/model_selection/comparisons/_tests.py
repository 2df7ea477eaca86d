"""Tests between two estimators that are fitted on folds: 5x2cv, and the corrected resampled t."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from sklearn.base import is_classifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold, cross_validate
from sklearn.utils.multiclass import type_of_target

from skaucx.inference import ComparisonResult
from skaucx.inference._intervals.methods import note_of_groups
from skaucx.inference._tests.result import null_difference
from skaucx.metrics import one_pass_scorer

from ..._compat import warn
from ..._options import ALTERNATIVES, Alternative, check_choice, check_confidence_level
from ...metrics._scorers.bound import bound_metric
from .._fold_scores import moments
from .._types import Estimator, Features, Floats, Rows, Scoring
from ..execution._out_of_fold import score_bounds
from ..results._nested_result import NestedCVResult
from ..results._noise import OF_LOSSES, SamplingVariance, noise_or_none
from ..results._statistics import corrected_error, satterthwaite, student, variance_parts


def corrected_resampled_t_test(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    n_train: ArrayLike,
    n_test: ArrayLike,
    alternative: Alternative = "two-sided",
    margin: float = 0.0,
    confidence_level: float = 0.95,
) -> ComparisonResult:
    r"""Compare two procedures by their scores on the same folds (Nadeau and Bengio's corrected t).

    For folds of (repeated) cross-validation or random splits, whose training sets overlap; also for
    the outer folds of nested results: ``a["test_roc_auc"]``, ``b["test_roc_auc"]``, ``a.n_train``
    and ``a.n_test``.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (n_folds,)
        Scores on the same test parts. Folds with nan are ignored.
    n_train, n_test : int or array-like of shape (n_folds,)
        Rows of each fold.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Alternative hypothesis for the mean difference a - b.
    margin : float, default=0
        Test non-inferiority: with "greater" whether a - b is above -margin, with "less" below margin.
    confidence_level : float, default=0.95
        Nominal coverage of the interval, in (0, 1).

    Returns
    -------
    ComparisonResult
        The estimates are the mean scores over the folds that count.

    Raises
    ------
    ValueError
        If shapes differ, or `alternative` or `confidence_level` is not among those described.

    Notes
    -----
    .. math:: t = \frac{\bar d}{\sqrt{(1/J + n_\mathrm{test} / n_\mathrm{train}) \, s^2}}

    for J folds with differences :math:`d_j` of variance :math:`s^2`; Student's t with J - 1 degrees
    of freedom [1]_, which [2]_ recommends for repeated cross-validation. Scores of stratified folds do
    not vary by the class counts of the sample, which are random as the rows are; where the difference
    depends on the class, as those of losses of probabilities may, :math:`s^2` is too small by that.
    A heuristic: the correlation of the folds is guessed from their sizes. Its real size at a
    nominal 5 % is 0.4 to 4 % with one repetition of 5 folds on balanced classes, 3 to 9 % with
    ten; where accuracy hangs on a cut learned from 48 positives among 1000 examples, up to 8 % and
    23 % (``benchmarks/results/sizes.md``). Where no difference varies, t is 0 if all are 0, else nan
    with a warning; so it is with fewer than two folds.

    References
    ----------
    .. [1] Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. Machine
       Learning 52, 239-281.
    .. [2] Bouckaert, R. R. and Frank, E. (2004). Evaluating the replicability of significance tests
       for comparing learning algorithms. PAKDD, LNCS 3056, 3-12.

    Examples
    --------
    >>> from skaucx.model_selection import corrected_resampled_t_test
    >>> a, b = [0.85, 0.9, 0.8, 0.95, 0.9], [0.8, 0.85, 0.8, 0.85, 0.8]
    >>> result = corrected_resampled_t_test(a, b, n_train=80, n_test=20)
    >>> round(result.statistic, 3), round(result.p_value, 3)
    (2.138, 0.099)
    """
    check_choice("alternative", alternative, ALTERNATIVES)
    check_confidence_level(confidence_level)
    scores, sizes = paired_scores(scores_a, scores_b, n_train, n_test)
    return corrected_t(
        scores, sizes, alternative=alternative, margin=margin, confidence_level=confidence_level,
    )  # fmt: skip


def corrected_t(
    scores: Floats,
    sizes: tuple[Rows, Rows],
    *,
    alternative: Alternative = "two-sided",
    margin: float = 0.0,
    gaps: str = "",
    **options: Any,
) -> ComparisonResult:
    """Return the test of scores of shape (2, k)."""
    differences = scores[0] - scores[1]
    counted = ~np.isnan(differences)
    mean, error, df = corrected_error(differences, *sizes)
    why = "no difference varies" if df > 0 else "fewer than two folds count"
    first, second = (float(one[counted].mean()) if counted.any() else np.nan for one in scores)
    return ComparisonResult.of_difference(
        "Corrected resampled t test (Nadeau and Bengio)",
        (first, second),
        mean,
        error,
        df=max(df, 1),
        null=null_difference(margin, alternative),
        test="The corrected resampled t test",
        why=why,
        alternative=alternative,
        note="; ".join(filter(None, [gaps, _HEURISTIC])),
        target="the procedures",
        **options,
    )


_HEURISTIC = (  # benchmarks/results: sizes.md, fitted_null.md
    "a heuristic that rejects equal procedures in 0.4 to 9 % at a nominal 5 % on balanced classes, and "
    "in up to 23 % where few positives decide; scores of stratified folds do not vary by the class "
    "counts, so losses whose difference depends on the class are rejected in up to 24 %; the test "
    "within folds of compare_estimators rejected in 0 to 12 %"
)


def five_by_two_cv_test(
    estimator_a: Estimator,
    estimator_b: Estimator,
    X: Features,
    y: ArrayLike,
    *,
    scoring: Scoring,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
) -> ComparisonResult:
    r"""Compare two estimators by five repetitions of two-fold cross-validation (combined F test).

    Parameters
    ----------
    estimator_a, estimator_b : estimator
        Fitted ten times each, on the same halves. A :class:`sklearn.model_selection.GridSearchCV`
        or :class:`NestedCV` tunes inside each half.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    scoring : str or scorer
        One metric, as :func:`skaucx.metrics.one_pass_scorer` takes it.
    random_state : int, RandomState or None, default=None
        How the halves are drawn; stratified for classifiers.
    n_jobs : int, optional
        Number of jobs, as in joblib.

    Returns
    -------
    ComparisonResult
        The estimates are the mean scores over the ten halves.

    Raises
    ------
    ValueError
        If `scoring` names several metrics, or as a fit or a metric of a half raises.

    Notes
    -----
    With the difference :math:`d_{ij}` on half j of repetition i and
    :math:`s_i^2 = \sum_j (d_{ij} - \bar d_i)^2`

    .. math:: F = \frac{\sum_{ij} d_{ij}^2}{2 \sum_i s_i^2}

    with 10 and 5 degrees of freedom [1]_; unlike Dietterich's t [2]_ it uses all ten differences and
    does not depend on their order. Its simulated size at a nominal 5 % is 2 to 6 % for features with an
    AUC of .8 or .95, but 10 to 12 % with one of .6 on 30 or 100 examples, where the learned models
    differ between the halves (``benchmarks/results/sizes.md``).
    Where all differences are 0 the statistic is 0; if they do not vary within
    any repetition, or one is undefined, nan with a warning.

    References
    ----------
    .. [1] Alpaydin, E. (1999). Combined 5x2cv F test for comparing supervised classification
       learning algorithms. Neural Computation 11, 1885-1892.
    .. [2] Dietterich, T. G. (1998). Approximate statistical tests for comparing supervised
       classification learning algorithms. Neural Computation 10, 1895-1923.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skaucx.model_selection import five_by_two_cv_test
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=1)
    >>> result = five_by_two_cv_test(
    ...     GaussianNB(), tree, X, y, scoring="roc_auc", random_state=0
    ... )
    >>> result.method, result.p_value < 0.001
    ('5x2cv combined F test (Alpaydin)', True)
    """
    scorer = one_pass_scorer(scoring if isinstance(scoring, str) else {"score": scoring})
    stratified = is_classifier(estimator_a) and type_of_target(y) in ("binary", "multiclass")
    splitter = RepeatedStratifiedKFold if stratified else RepeatedKFold
    cv = splitter(n_splits=2, n_repeats=5, random_state=random_state)
    splits = list(cv.split(X, y))
    first, second = (
        cross_validate(
            estimator, X, y, scoring=scorer, cv=splits, n_jobs=n_jobs, error_score="raise"
        )[f"test_{scorer.names[0]}"]
        for estimator in (estimator_a, estimator_b)
    )
    value, p_value = five_by_two(np.reshape(first - second, (5, 2)))
    if np.isnan(value):
        warn(
            "The 5x2cv test is undefined and nan: a score is undefined or no difference varies.",
            UndefinedMetricWarning,
        )
    return ComparisonResult(
        method="5x2cv combined F test (Alpaydin)",
        statistic=float(value),
        p_value=float(p_value),
        estimates=(float(first.mean()), float(second.mean())),
        difference=float((first - second).mean()),
        df=(10, 5),
        note=_SIZE_OF_HALVES,
        target="the procedures",
    )


_SIZE_OF_HALVES = (  # benchmarks/results: sizes.md
    "rejects equal procedures in 2 to 6 % at a nominal 5 % where a feature separates the classes, and "
    "in 10 to 12 % where none does and the halves' models differ"
)


def five_by_two(differences: Floats) -> tuple[Any, Any]:
    """Return statistic and p-value for differences of shape (..., 5, 2)."""
    spread = ((differences - differences.mean(axis=-1, keepdims=True)) ** 2).sum(axis=(-2, -1))
    unlike = np.where((differences == 0).all(axis=(-2, -1)), 0.0, np.nan)
    above, below = (differences**2).sum(axis=(-2, -1)), 2 * spread
    value = np.divide(above, below, out=unlike, where=below > 0)
    return value, stats.f.sf(value, 10, 5)


def paired_scores(
    scores_a: ArrayLike, scores_b: ArrayLike, n_train: ArrayLike, n_test: ArrayLike
) -> tuple[Floats, tuple[Rows, Rows]]:
    """Check two vectors of scores on the same folds, and the sizes of these."""
    a, b = (np.asarray(scores, dtype=np.float64) for scores in (scores_a, scores_b))
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(
            "scores_a and scores_b must be vectors with one score a fold, the same folds for both, "
            f"found shapes {a.shape} and {b.shape}."
        )
    sizes = []
    for name, given in (("n_train", n_train), ("n_test", n_test)):
        size = np.asarray(given)
        if size.shape not in ((), a.shape) or not (size > 0).all():
            raise ValueError(
                f"{name} must be a positive number, or one a fold ({len(a)}), found {given!r}."
            )
        sizes.append(np.broadcast_to(size, a.shape))
    return np.stack([a, b]), (sizes[0], sizes[1])


# The form of the test within folds that takes the standard error of the corrected t.
WIDENED = "as wide as the corrected t"


def paired_tests(
    a: NestedCVResult, b: NestedCVResult, name: str, scorer: Any, confidence_level: float
) -> tuple[ComparisonResult, ComparisonResult | None]:
    """Return the corrected t of the outer scores, and the test within the folds where there is one.

    Both intervals end where the metric's range does. Of folds of a row or a few, means
    of the scores count for metrics that are means over rows or pairs only.
    """
    scores, sizes = np.stack([a[f"test_{name}"], b[f"test_{name}"]]), (a.n_train, a.n_test)
    if a.statistics(name).pooled_only or b.statistics(name).pooled_only:
        scores = np.full_like(scores, np.nan)
    counted = np.flatnonzero(~np.isnan(scores[0] - scores[1]))
    noise = noise_or_none(bound_metric(scorer), a.predictions, counted, other=b.predictions)
    missing, (low, high) = scores.shape[1] - len(counted), score_bounds(scorer)
    gaps = f"{missing} of {scores.shape[1]} folds are undefined and ignored" if missing else ""
    options: Any = {"confidence_level": confidence_level, "most": high - low}
    with warnings.catch_warnings():  # the table marks undefined folds
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        folds = corrected_t(scores, sizes, gaps=gaps, **options)
    if noise is None:
        return folds, None
    note = "; ".join(filter(None, [gaps, note_of_groups(noise.groups)]))
    return folds, _within_folds(scores, a, name, noise, note=note, **options)


def _within_folds(
    scores: Floats, a: NestedCVResult, name: str, noise: SamplingVariance, **options: Any
) -> ComparisonResult:
    r"""Test two results by the differences of a metric within their folds.

    The variance of the mean difference is that of ``fold_interval``: test-set sampling error, from
    the differences of the influences of every row on both scores (for an AUC those of DeLong's
    test, by fold), and between-fold variation. No scores of different folds are compared.
    """
    differences = scores[0] - scores[1]
    folds = np.flatnonzero(~np.isnan(differences))
    mean = float(differences[folds].mean())
    by_rows, by_models = variance_parts(differences, a.n_train, a.n_test, noise)
    if noise.method == OF_LOSSES:
        # At the minimum of an expected loss the draw of the training rows moves it in the second
        # order, so the allowance for their overlap is halved (``python -m benchmarks.fitted_null``).
        by_rows = (by_rows + noise.of_mean) / 2
    error, widened = float(np.sqrt(by_rows + by_models)), False
    df = float(satterthwaite(by_rows, by_models, len(folds), noise))
    if noise.learned and len(folds) > 1 and moments(differences)[1] > 0:
        corrected = corrected_error(differences, a.n_train, a.n_test)
        level = options["confidence_level"]
        widened = corrected[1] * student(level, corrected[2]) > error * student(level, df)
        if widened:
            _, error, df = corrected
    first, second = scores[:, folds].mean(axis=1).tolist()
    form = f"{noise.method}, {WIDENED}" if widened else noise.method
    return ComparisonResult.of_difference(
        f"Paired test within folds of {name} ({form})",
        (first, second),
        mean,
        error,
        df=df,
        test="The test within folds",
        why="no difference varies",
        target="the procedures",
        **options,
    )
