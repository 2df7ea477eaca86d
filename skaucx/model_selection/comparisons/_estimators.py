"""Several estimators on the same nested outer folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_classifier
from sklearn.exceptions import FitFailedWarning

from skaucx.metrics.comparisons._comparison_result import holm_adjusted

from ..._compat import warn
from ..._deprecation import renamed_argument
from ..._options import check_confidence_level
from .._code import code_of_comparison
from .._nested import NestedCV
from .._run import NestedRun, plan_of, run
from .._run_options import check_splitter
from .._types import Checks, ErrorScore, Grid
from ..execution._failures import first_error
from ..results._nested_result import NestedCVResult
from ..searches._inner_search import has_distributions
from ._estimator_comparison import EstimatorComparison, PairedDifference
from ._tests import paired_tests


@renamed_argument("level", "confidence_level")
def compare_estimators(
    estimators: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    scoring: Any = None,
    refit: str | None = None,
    pos_label: Any = None,
    calibration: Any = None,
    threshold: Any = None,
    reject: Any = None,
    outer_cv: Any = 5,
    inner_cv: Any = 5,
    n_iter: int | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    error_score: ErrorScore = np.nan,
    memory: Any = None,
    fit_timeout: float | None = None,
    weight_fits: bool = True,
    checks: Checks = "note",
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    params: Mapping[str, Any] | None = None,
) -> EstimatorComparison:
    """Compare several estimators, each tuned by nested cross-validation, on the same outer folds.

    Parameters
    ----------
    estimators : dict of str to estimator, or to (estimator, param_grid)
        An estimator without a grid is taken as it is. Also an :class:`OptunaSearch` is a grid, and
        None where the estimator is a search, as :class:`NestedCV` takes them.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    scoring : str, list of str, dict or scorer, optional
        Metrics, as :class:`NestedCV` takes them; None is the estimators' own ``score``.
    refit : str, optional
        Name of the metric that chooses parameters; the first of ``scoring`` by default.
    pos_label : label, optional
        The positive class of two, as :class:`NestedCV` takes it.
    calibration, threshold, reject : optional
        As :class:`NestedCV` takes them, for every estimator.
    outer_cv, inner_cv : int or splitter, default=5
        As :class:`NestedCV` takes them. The outer splits are drawn once, for all estimators.
    n_iter : int, optional
        Number of random draws from each grid that holds distributions.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws.
    n_jobs, verbose, error_score, memory, fit_timeout, weight_fits
        As :class:`NestedCV` takes them.
    checks : {"note", "raise"} or None, default="note"
        As :class:`NestedCV` takes it. Data and outer folds are checked once for all estimators; what
        is found about the winners of one of them is noted with its name.
    sample_weight, groups : array-like of shape (n_samples,), optional
        As :meth:`NestedCV.fit` takes them.
    confidence_level : float, default=0.95
        Nominal coverage of the intervals, in (0, 1).

    params : dict, optional
        Parameters of every ``fit`` and of the scorers that request them, such as
        ``{"example_costs": costs}``, as :meth:`NestedCV.fit` takes them by name.

    Returns
    -------
    EstimatorComparison
        It prints as a table, and gives frames by ``to_frame()``. An estimator whose fits all fail
        is omitted with a warning, and listed with its first error in ``failed``;
        ``error_score="raise"`` raises the error.

    Raises
    ------
    ValueError
        If fewer than two estimators are given, classifiers are mixed with others, or an argument
        has a value that is not among those described.

    Notes
    -----
    No final model is fitted. Each pair is compared by :func:`corrected_resampled_t_test` of its
    outer scores, and by a paired test within the folds: for an AUC DeLong's test by fold, for a
    mean of losses the t test of the paired losses, for another metric the same with the influences
    of every row on both scores. It includes test-set sampling error, the draw of the training data,
    and between-fold variation of the differences. Groups of rows count together. Rows are a random
    sample, class counts included: what stratified folds do not vary by is added to the corrected t,
    for metrics of this package. Where models of all folds share a scale or a cut that they learn,
    the test within the folds is at least as wide as the corrected t; the table marks it. Sizes
    where the difference depends on the class: ``python -m benchmarks.nested_random``.

    DeLong's test of the pooled out-of-fold scores is not shown: it
    ranks scores of different models against each other, and rejects equal procedures in 5 to 15 % of
    the runs at a nominal 5 % (``python -m benchmarks.nested_coverage --compare``). On 10 x 5 folds of
    100 rows and an AUC of .71 both tests that are shown reject them in 12 % (``--repeats 10``).

    p-values are adjusted by Holm's rule over the pairs of one metric, not over the metrics.

    Intervals and tests of a difference assume that the difference changes little where one training row
    is replaced. That can fail although each procedure alone is stable: for two soft-thresholded
    least-squares fits of a sparse linear model intervals of the difference are not valid, and likewise
    in simulations with the lasso [3]_.

    References
    ----------
    .. [1] Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. Machine
       Learning 52, 239-281.
    .. [2] Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian
       Journal of Statistics 6, 65-70.
    .. [3] Bayle, A., Janson, L. and Mackey, L. (2025). The relative instability of model comparison
       with cross-validation. arXiv 2508.04409.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skaucx.model_selection import compare_estimators
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> result = compare_estimators(
    ...     {
    ...         "bayes": GaussianNB(),
    ...         "tree": (DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}),
    ...         "dummy": DummyClassifier(),
    ...     },
    ...     X, y, scoring=["roc_auc", "specificity"],
    ... )
    >>> result.scores("roc_auc").mean(axis=1).round(3).tolist()
    [0.987, 0.905, 0.5]
    >>> [pair.p_adjusted < 0.05 for pair in result.pairs("roc_auc")]
    [True, True, True]
    """
    plan = plan_comparison(
        estimators, X, y,
        sample_weight=sample_weight, groups=groups, params=params,
        confidence_level=confidence_level,
        scoring=scoring, refit=refit, pos_label=pos_label, calibration=calibration,
        threshold=threshold, reject=reject, outer_cv=outer_cv, inner_cv=inner_cv,
        n_iter=n_iter, random_state=random_state, n_jobs=n_jobs, verbose=verbose,
        error_score=error_score, memory=memory, fit_timeout=fit_timeout, weight_fits=weight_fits,
        checks=checks,
    )  # fmt: skip
    return plan.compared(run(list(plan.plans.values()), going_on=True))


@dataclass(frozen=True, eq=False)
class ComparisonPlan:
    """The nested cross-validations of several estimators, ready to run, by name."""

    plans: Mapping[str, NestedRun]
    confidence_level: float
    call: str = ""

    def compared(self, results: Sequence[NestedCVResult | Exception]) -> EstimatorComparison:
        """Compare all pairs of the estimators that have a result by every metric.

        Raises
        ------
        Exception
            The first of them if no estimator has a result.
        """
        each = dict(zip(self.plans, results, strict=True))
        named = {name: one for name, one in each.items() if not isinstance(one, Exception)}
        errors = {name: one for name, one in each.items() if isinstance(one, Exception)}
        if not named:
            raise next(iter(errors.values()))
        failed = {name: first_error(error) for name, error in errors.items()}
        for name, told in failed.items():
            warn(f"The estimator {name!r} failed and is omitted: {told}", FitFailedWarning)
        scorers = next(iter(self.plans.values())).procedure.scorer.scorers
        differences = {
            name: _differences(named, name, scorer, self.confidence_level)
            for name, scorer in scorers.items()
        }
        return EstimatorComparison(named, differences, self.confidence_level, failed, self.call)


def plan_comparison(
    estimators: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    sample_weight: Any,
    groups: Any,
    params: Mapping[str, Any] | None,
    confidence_level: float,
    outer_cv: Any,
    n_iter: int | None,
    checks: Checks,
    **options: Any,
) -> ComparisonPlan:
    """Check what :func:`compare_estimators` is given, and split once for all estimators."""
    check_confidence_level(confidence_level)
    procedures = _procedures(estimators)
    classifier = is_classifier(next(iter(procedures.values()))[0])
    splits = list(check_splitter("outer_cv", outer_cv, y, classifier).split(X, y, groups))
    nested = {
        name: NestedCV(
            estimator,
            grid,
            n_iter=n_iter if has_distributions(grid) else None,
            outer_cv=splits,
            final=None,
            checks=checks,
            **options,
        )
        for name, (estimator, grid) in procedures.items()
    }
    plans: dict[str, NestedRun] = {}
    for name, one in nested.items():
        try:
            first = next(iter(plans.values()), None)
            found = None if first is None else first.findings
            plans[name] = plan_of(one, X, y, sample_weight, groups, params or {}, found)
        except (ValueError, TypeError) as error:
            error.add_note(f"This is about estimators[{name!r}].")
            raise
    requested = {
        "outer_cv": outer_cv,
        "n_iter": n_iter,
        "checks": checks,
        "confidence_level": confidence_level,
        **options,
    }
    optional = {"sample_weight": sample_weight, "groups": groups, "params": params}
    given = [name for name, value in optional.items() if value is not None]
    call = code_of_comparison(compare_estimators, dict(estimators), requested, given)
    return ComparisonPlan(plans, confidence_level, call)


def _procedures(estimators: Mapping[str, Any]) -> dict[str, tuple[Any, Grid]]:
    """Return every estimator with its grid; raise an error for objects that cannot be compared."""
    if not isinstance(estimators, Mapping) or len(estimators) < 2:
        raise ValueError(
            "estimators must be a dict from two or more names to an estimator or to a pair "
            f"(estimator, param_grid), found {estimators!r}."
        )
    procedures = {
        name: given if isinstance(given, tuple) else (given, {})
        for name, given in estimators.items()
    }
    for name, given in procedures.items():
        if len(given) != 2 or isinstance(given[0], type) or not hasattr(given[0], "fit"):
            raise ValueError(
                f"estimators[{name!r}] must be an estimator or a pair (estimator, param_grid), "
                f"found {estimators[name]!r}."
            )
    if len({is_classifier(estimator) for estimator, _ in procedures.values()}) > 1:
        raise ValueError("estimators mixes classifiers with others; compare one kind.")
    return procedures


def _differences(
    results: Mapping[str, NestedCVResult], metric: str, scorer: Any, confidence_level: float
) -> tuple[PairedDifference, ...]:
    """Compare all pairs by one metric."""
    pairs = list(combinations(results, 2))
    tests = [
        paired_tests(results[a], results[b], metric, scorer, confidence_level) for a, b in pairs
    ]
    folds, within = [one for one, _ in tests], [inside for _, inside in tests]
    adjusted = holm_adjusted([test.p_value for test in folds])
    within_adjusted = holm_adjusted([np.nan if t is None else t.p_value for t in within])
    return tuple(
        PairedDifference(*pair, test, float(p), inside, float(inside_p))
        for pair, test, p, inside, inside_p in zip(
            pairs, folds, adjusted, within, within_adjusted, strict=True
        )
    )
