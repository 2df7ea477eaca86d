"""Several estimators on the same nested outer folds, on one data set or several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations, islice
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from sklearn.base import is_classifier
from sklearn.exceptions import FitFailedWarning

from skaucx.displays import ForestDisplay
from skaucx.inference import ComparisonResult
from skaucx.inference._tests.result import holm_adjusted

from ..._arguments import Axes, DataFrame
from ..._arrays import check_rows
from ..._compat import import_pandas, warn
from ..._faces import Reportable
from ..._options import check_choice, check_confidence_level
from ..._text.html import Preformatted
from ..._text.html import paragraph as html_paragraph
from ..._text.lines import MARKS
from ..._text.numbers import ends, fixed, p_value
from ..._text.plain import count, elided, paragraph
from ..._text.reported import Reported
from ..._text.tables import Table
from .._nested import NestedCV
from .._run import plan_of, run
from .._run_options import Decisions, Execution, check_estimator, check_splitter
from .._types import (
    Chooser,
    Estimator,
    Features,
    Floats,
    Folds,
    Grid,
    Label,
    Scoring,
    Splitter,
)
from ..execution._dataset import checked_targets, split_rows
from ..results._nested_result import NestedCVResult
from ..results._summary import chosen, scores_table
from ..searches._plan import NestedRun
from ._tests import paired_tests

_LETTERS = 11  # of the name of an estimator in a pair
hung = partial(paragraph, hang=2)

# Estimators by name, each with its grid, or None where it is a search.
Procedures = Mapping[str, Estimator | tuple[Estimator, Grid | None]]


@dataclass(frozen=True, repr=False)
class PairedDifference(Preformatted):
    """Two estimators compared by one metric.

    Attributes
    ----------
    first, second : str
        Names of the estimators.
    folds : ComparisonResult
        Corrected resampled t test of the outer scores, the sensitivity analysis; its difference is first
        minus second.
    p_adjusted : float
        The p-value of :attr:`test`, adjusted by Holm's rule for all pairs of estimators of this metric.
    within : ComparisonResult or None
        The paired test of the rows within the folds, for metrics of this package.
    folds_p_adjusted : float
        The p-value of the corrected t, adjusted likewise.
    metric : str
        The metric as named in the comparison, of which greater is better.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skaucx.model_selection import compare_estimators
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> result = compare_estimators(
    ...     {"bayes": GaussianNB(), "dummy": DummyClassifier()}, X, y, scoring="roc_auc"
    ... )
    >>> (pair,) = result.pairs("roc_auc")
    >>> pair.first, pair.second, round(pair.folds.difference, 2)
    ('bayes', 'dummy', 0.49)
    """

    first: str
    second: str
    folds: ComparisonResult
    p_adjusted: float
    within: ComparisonResult | None = None
    folds_p_adjusted: float = np.nan
    metric: str = ""

    @property
    def test(self) -> ComparisonResult:
        """The test whose interval and p-value are reported: within the folds where there is one."""
        return self.folds if self.within is None else self.within

    @property
    def reported(self) -> Reported:
        """The difference with its interval: the one number that every text and table shows."""
        return Reported(
            self.metric, self.test.difference, *self.test.interval, reference=0, better=True,
            about=f"{self.first} \u2212 {self.second}",
        )  # fmt: skip

    @property
    def better(self) -> tuple[str, str]:
        """The better estimator by the estimated difference, and the other."""
        return (self.first, self.second) if self.test.difference >= 0 else (self.second, self.first)

    def record(self) -> dict[str, Any]:
        """Return all of it by name, as a row of a table."""
        ends_of = dict(zip(("difference", "low", "high"), self.reported.numbers, strict=True))
        return {
            "metric": self.metric,
            "first": self.first,
            "second": self.second,
            **ends_of,
            "statistic": self.test.statistic,
            "p_value": self.test.p_value,
            "p_adjusted": self.p_adjusted,
            "folds_p_value": self.folds.p_value,
            "folds_p_adjusted": self.folds_p_adjusted,
        }

    def __repr__(self) -> str:
        difference, low, high = self.reported.numbers
        return paragraph(
            f"{f'{self.metric}, ' if self.metric else ''}{self.first} - {self.second}: "
            f"{fixed(difference)} ({ends(low, high)}), adjusted p {p_value(self.p_adjusted)}",
            hang=2,
        )


@dataclass(frozen=True, eq=False, repr=False)
class EstimatorComparison(Reportable):
    """Several estimators on the same nested outer folds.

    Attributes
    ----------
    results : dict of str to NestedCVResult
        The nested result of each estimator.
    differences : dict of str to tuple of PairedDifference
        For each metric all pairs of estimators, in the order given.
    confidence_level : float
        Nominal coverage of the intervals.
    failed : dict of str to str
        The estimators that have no result, with their first error.

    Notes
    -----
    No final model is fitted. The interval and p of each pair come from the paired test of the rows
    within the folds: for an AUC DeLong's test by fold, for a mean of losses the t test of the paired
    losses, for another metric the same with the influences of every row on both scores. It estimates
    the sampling error of the test rows from the rows, and adds the between-fold variation of the
    differences beyond it. Groups of rows count together. Where models of all folds share a scale or a
    cut that they learn, it is at least as wide as the corrected t, and its method says so.

    :func:`corrected_resampled_t_test` of the outer scores is the sensitivity analysis: it estimates one
    variance from as many differences as there are folds, and multiplies it for the overlap of the
    training sets. Scores of stratified folds do not vary by the class counts, which are random as the
    rows are: of losses of probabilities it may be too small by that.

    Two fitted procedures of equal expected score, each on its own half of the features, are rejected at
    a nominal 5 % on five folds by the test within folds in 0.2 to 8 % by losses of probabilities, in
    1.8 to 10 % by the AUC and in 0 to 10 % by accuracy; by the corrected t in 0 to 6.5 %, in 94 of
    124 cells below 3 % (``benchmarks/results/fitted_null.md``).

    DeLong's test of the pooled out-of-fold scores is not shown: it ranks scores of different models
    against each other, and rejects equal procedures in 5.5 to 15 % of the runs at a nominal 5 %. On
    10 x 5 folds of 100 rows and an AUC of .71 both tests that are shown reject them in 12 %.

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
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skaucx.model_selection import compare_estimators
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}
    >>> result = compare_estimators({"bayes": GaussianNB(), "tree": tree}, X, y, scoring="roc_auc")
    >>> result.scores("roc_auc").shape
    (2, 5)
    """

    results: Mapping[str, NestedCVResult]
    differences: Mapping[str, tuple[PairedDifference, ...]]
    confidence_level: float
    failed: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the estimators."""
        return tuple(self.results)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(self.differences)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on data, folds and winners; one that is not of all estimators names its own."""
        each = {name: result.notes for name, result in self.results.items()}
        return tuple(
            dict.fromkeys(
                note if all(note in others for others in each.values()) else f"{name}: {note}"
                for name, notes in each.items()
                for note in notes
            )
        )

    def scores(self, metric: str) -> Floats:
        """Return the outer scores by one metric, shape (n_estimators, k).

        Raises
        ------
        KeyError
            If the result has no such metric.
        """
        return np.stack([result[f"test_{metric}"] for result in self.results.values()])

    def pairs(self, metric: str) -> tuple[PairedDifference, ...]:
        """Return the differences of all pairs of estimators by one metric.

        Raises
        ------
        KeyError
            If the result has no such metric.
        """
        return self.differences[metric]

    def __repr__(self) -> str:
        text = f"EstimatorComparison({', '.join(self.names)}; by {', '.join(self.metrics)})"
        return paragraph(text, hang=2)

    def __str__(self) -> str:
        return self.summary()

    def to_frame(self, by: Literal["estimator", "pair"] = "estimator") -> DataFrame:
        """Return one row an estimator and metric, or one row a pair of estimators and metric.

        Parameters
        ----------
        by : {"estimator", "pair"}, default="estimator"

        Returns
        -------
        pandas.DataFrame
            By estimator: mean, sd, pooled value, ends of the corrected interval, undefined folds.
            By pair: difference, ends of its interval, statistic, p-value and adjusted p-value of the
            test within folds; p-values of the corrected t, the sensitivity analysis.

        Raises
        ------
        ImportError
            If pandas is not installed.
        ValueError
            If ``by`` is not one of those.
        """
        check_choice("by", by, ("estimator", "pair"))
        if by == "estimator":
            each = {metric: self._tables(metric)[0].frame(metric) for metric in self.metrics}
            return import_pandas().concat(each, names=["metric", "estimator"])
        keys = ["metric", "first", "second"]
        rows = [pair.record() for metric in self.metrics for pair in self.pairs(metric)]
        return import_pandas().DataFrame(rows, columns=None if rows else keys).set_index(keys)

    def summary(self, metrics: Iterable[str] | None = None) -> str:
        """Return the comparison as plain text for a terminal.

        Parameters
        ----------
        metrics : list of str, default=None
            The metrics to show, in this order; all by default.

        Returns
        -------
        str
            For each metric the scores of every estimator, then the differences of all pairs with
            their intervals and adjusted p-values.

        Raises
        ------
        ValueError
            If a metric is not among those of the comparison.
        """
        first = next(iter(self.results.values()))
        blocks = [f"{count(len(self.names), 'estimator')} on the same {first.n_outer} outer folds"]
        blocks += [] if first.classes is None else [str(first.classes)]
        blocks += map(hung, self._text_of_failed)
        for metric in chosen(metrics, self.metrics):
            blocks += [table.text(explained=False) for table in self._tables(metric)]
        return "\n\n".join([*blocks, *map(hung, (*first.naming, *self.notes, MARKS, _COLUMNS))])

    @property
    def _text_of_failed(self) -> list[str]:
        return [f"{name} failed and is omitted: {error}" for name, error in self.failed.items()]

    def _tables(self, metric: str) -> list[Table]:
        """Return the estimators by one metric, and the differences of all pairs if there are any."""
        level, pairs = self.confidence_level, self.pairs(metric)
        found = {name: result.statistics(metric) for name, result in self.results.items()}
        gaps = [f"{name}: {one.gaps}" for name, one in found.items() if one.gaps]
        told = dict.fromkeys(one.interval(level).note for one in found.values())
        notes = [*gaps, *(f"Note: {note}." for note in told if note)]
        scores = replace(scores_table(metric, found, level), notes=notes)
        if not pairs:
            return [scores]
        rows = [
            [f"{elided(pair.first, _LETTERS)} - {elided(pair.second, _LETTERS)}",
             fixed(pair.test.difference), ends(*pair.test.interval), p_value(pair.p_adjusted)]
            for pair in pairs
        ]  # fmt: skip
        heads = ["differences", "difference", f"{100 * level:g} % interval", "Holm p"]
        return [scores, Table(heads, rows, lines=[pair.reported for pair in pairs])]

    def plot_intervals(self, ax: Axes | None = None, **options: Any) -> ForestDisplay:
        """Draw the interval of every metric of every estimator, as a forest.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New ones if None.
        **options
            Keywords of :meth:`skaucx.displays.ForestDisplay.plot`.

        Returns
        -------
        skaucx.displays.ForestDisplay
        """
        intervals = {
            name: {
                metric: result.interval(metric, self.confidence_level) for metric in self.metrics
            }
            for name, result in self.results.items()
        }
        return ForestDisplay(intervals).plot(ax, **options)

    def _repr_html_(self) -> str:
        """Show scores, differences and classes in a notebook."""
        tables = [each._repr_html_() for metric in self.metrics for each in self._tables(metric)]
        classes = {str(result.classes) for result in self.results.values() if result.classes}
        return "".join([*tables, *map(html_paragraph, (*classes, *self._text_of_failed))])


_COLUMNS = (  # benchmarks/results: fitted_null.md
    "Interval of an estimator: of the expected score of the procedure, as in its own summary. Interval "
    "of a difference, and Holm p: the paired test of the rows within the folds, with their sampling "
    "error and the variation of the differences between folds beyond it, or for metrics of other "
    "packages the corrected resampled t test of the folds, a heuristic. Holm: adjusted by Holm's rule "
    "over the pairs of one metric, not over metrics; to_frame('pair') has the unadjusted p-values, and "
    "those of the corrected resampled t, a sensitivity analysis. At a nominal 5 % the test within folds "
    "rejected equal procedures in 0 to 12 % of simulated runs."
)


def compare_estimators(
    estimators: Procedures,
    X: Features,
    y: ArrayLike,
    *,
    scoring: Scoring = None,
    refit: Chooser | None = None,
    pos_label: Label = None,
    decisions: Decisions | None = None,
    outer_cv: Folds = 5,
    inner_cv: Splitter | int | None = 5,
    n_jobs: int | None = None,
    execution: Execution | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    params: Mapping[str, Any] | None = None,
) -> EstimatorComparison:
    """Compare estimators tuned by nested cross-validation on the same outer folds.

    Parameters
    ----------
    estimators : dict of str to estimator, or to (estimator, param_grid)
        Without a grid the estimator is not tuned.
    X, y : array-like of shape (n_samples, n_features) and (n_samples,)
        Features and class labels.
    scoring, refit : str, list of str, dict or scorer, default=None
        Metrics, and the one that chooses parameters; by default the first.
    pos_label, confidence_level : label and float, default=None and 0.95
        The positive class of two; nominal coverage of the intervals, in (0, 1).
    decisions, execution, n_jobs : Decisions, Execution and int, default=None
        What else the inner folds decide; how it is computed; number of jobs.
    outer_cv, inner_cv : int or splitter, default=5
        Folds that estimate, drawn once for all estimators, and folds that tune.
    sample_weight, groups : array-like of shape (n_samples,), default=None
        Weights >= 0, and clusters that no fold splits.
    params : dict, default=None
        Parameters of every ``fit`` and of scorers that request them.

    Returns
    -------
    EstimatorComparison
        Table of scores and tests; estimators whose fits all fail are in ``failed``.

    Raises
    ------
    ValueError, TypeError
        If there is one estimator, kinds are mixed, or an argument is invalid.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.dummy import DummyClassifier
    >>> from skaucx import compare_estimators
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> models = {"bayes": GaussianNB(), "dummy": DummyClassifier()}
    >>> found = compare_estimators(models, X, y, scoring="roc_auc")
    >>> found.pairs("roc_auc")[0].p_adjusted < 0.05
    True
    """
    plans = _plans_of(
        estimators, X, y, scoring=scoring, refit=refit, pos_label=pos_label, decisions=decisions,
        outer_cv=outer_cv, inner_cv=inner_cv, n_jobs=n_jobs, execution=execution,
        sample_weight=sample_weight, groups=groups, confidence_level=confidence_level, params=params,
    )  # fmt: skip
    return _compared(plans, run([*plans.values()], going_on=True), confidence_level)


def _plans_of(
    estimators: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    groups: Any = None,
    params: Mapping[str, Any] | None = None,
    confidence_level: float = 0.95,
    outer_cv: Any = 5,
    **options: Any,
) -> dict[str, NestedRun]:
    """Check what :func:`compare_estimators` is given, and split once for all estimators."""
    check_confidence_level(confidence_level)
    procedures = _procedures(estimators)
    classifier = is_classifier(next(iter(procedures.values()))[0])
    if y is not None:
        y = checked_targets(y)
        check_rows({"X": X, "y": y})
    splits = split_rows(check_splitter("outer_cv", outer_cv, y, classifier), X, y, groups)
    plans: dict[str, NestedRun] = {}
    for name, (estimator, grid) in procedures.items():
        nested = NestedCV(estimator, grid, outer_cv=splits, final=None, **options)
        plans[name] = plan_of(nested, X, y, sample_weight, groups, params or {})
    return plans


def _compared(
    plans: Mapping[str, NestedRun],
    results: Sequence[NestedCVResult | Exception],
    confidence_level: float,
) -> EstimatorComparison:
    """Compare all pairs of the estimators that have a result by every metric.

    Raises
    ------
    Exception
        The first of them if no estimator has a result.
    """
    each = dict(zip(plans, results, strict=True))
    found = {name: one for name, one in each.items() if not isinstance(one, Exception)}
    failed = {}
    for name, error in each.items():
        if isinstance(error, Exception):
            if not found:
                raise error
            failed[name] = f"{type(error).__name__}: {str(error).splitlines()[0]}"
            warn(f"The estimator {name!r} failed and is omitted: {failed[name]}", FitFailedWarning)
    scorers = next(iter(plans.values())).scorer.scorers
    differences = {
        name: _differences(found, name, scorer, confidence_level)
        for name, scorer in scorers.items()
    }
    return EstimatorComparison(found, differences, confidence_level, failed)


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
        check_estimator(f"estimators[{name!r}]", given[0])
        if len(given) != 2:
            raise ValueError(
                f"estimators[{name!r}] must be an estimator or a pair (estimator, param_grid), "
                f"found {estimators[name]!r}."
            )
    others = [name for name, (estimator, _) in procedures.items() if not is_classifier(estimator)]
    if 0 < len(others) < len(procedures):
        raise ValueError(
            f"estimators must be classifiers alone or none of them, found others in "
            f"{', '.join(map(repr, others))}; compare one kind."
        )
    return procedures


def _differences(
    results: Mapping[str, NestedCVResult], metric: str, scorer: Any, confidence_level: float
) -> tuple[PairedDifference, ...]:
    """Compare all pairs by one metric."""
    pairs = list(combinations(results, 2))
    tests = [
        paired_tests(results[a], results[b], metric, scorer, confidence_level) for a, b in pairs
    ]
    leading = [folds if within is None else within for folds, within in tests]
    adjusted = holm_adjusted([test.p_value for test in leading]).tolist()
    of_folds = holm_adjusted([folds.p_value for folds, _ in tests]).tolist()
    return tuple(
        PairedDifference(*pair, folds, p, within, p_of_folds, metric)
        for pair, (folds, within), p, p_of_folds in zip(
            pairs, tests, adjusted, of_folds, strict=True
        )
    )


@dataclass(frozen=True, eq=False, repr=False)
class DatasetComparison(Preformatted):
    """Several estimators on many data sets; made by :func:`compare_over_datasets`.

    Attributes
    ----------
    comparisons : dict of str to EstimatorComparison
        The comparison on each data set.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer, load_iris, load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skaucx.model_selection import compare_over_datasets
    >>> loaders = {"breast": load_breast_cancer, "iris": load_iris, "wine": load_wine}
    >>> datasets = {name: load(return_X_y=True) for name, load in loaders.items()}
    >>> models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)}
    >>> found = compare_over_datasets(models, datasets, scoring="accuracy")
    >>> print(found.summary())
    3 data sets, 2 estimators
    <BLANKLINE>
    accuracy    bayes    tree
    breast     0.9385  0.9174
    iris       0.9533  0.9600
    wine       0.9663  0.8876
    mean rank  1.3333  1.6667
    """

    comparisons: Mapping[str, EstimatorComparison]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the estimators."""
        return next(iter(self.comparisons.values())).names

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return next(iter(self.comparisons.values())).metrics

    def scores(self, metric: str | None = None) -> Floats:
        """Return the mean outer scores by one metric, shape (n_datasets, n_estimators).

        Parameters
        ----------
        metric : str, default=None
            The first one by default.

        Raises
        ------
        KeyError
            If there is no such metric.
        """
        metric = self.metrics[0] if metric is None else metric
        return np.array(
            [
                [result.statistics(metric).mean for result in one.results.values()]
                for one in self.comparisons.values()
            ]
        )

    def _mean_ranks(self, metric: str | None) -> Floats:
        """Return the mean rank of each estimator over the data sets; 1 is the best."""
        return np.asarray(stats.rankdata(-self.scores(metric), axis=1).mean(axis=0))

    def rank_test(self, metric: str | None = None) -> ComparisonResult:
        """Test whether the estimators perform equally well over the data sets, by ranks (Friedman).

        Parameters
        ----------
        metric : str, default=None
            The first one by default.

        Returns
        -------
        ComparisonResult
            The statistic is Friedman's chi-squared, by :func:`scipy.stats.friedmanchisquare`; the
            estimates are the mean ranks of the estimators, of which 1 is the best.

        Raises
        ------
        KeyError
            If there is no such metric.
        ValueError
            If there are fewer than three estimators; of two take
            ``scipy.stats.wilcoxon(*found.scores().T)``.
        """
        metric = self.metrics[0] if metric is None else metric
        test = stats.friedmanchisquare(*self.scores(metric).T)
        return ComparisonResult(
            method=f"Friedman's test of {metric} over {count(len(self.comparisons), 'data set')}",
            statistic=float(test.statistic),
            p_value=float(test.pvalue),
            estimates=tuple(self._mean_ranks(metric).tolist()),
            df=len(self.names) - 1,
            target="the procedures",
        )

    def to_frame(self, metric: str | None = None) -> DataFrame:
        """Return mean outer scores, a row a data set, a column an estimator.

        Parameters
        ----------
        metric : str, default=None
            The first one by default.

        Returns
        -------
        pandas.DataFrame
        """
        index = import_pandas().Index(self.comparisons, name="dataset")
        return import_pandas().DataFrame(self.scores(metric), index=index, columns=self.names)

    def summary(self) -> str:
        """Return for each metric the mean scores and the mean ranks of the estimators, as text."""
        blocks = [
            f"{count(len(self.comparisons), 'data set')}, {count(len(self.names), 'estimator')}"
        ]
        for metric in self.metrics:
            scores = zip(self.comparisons, self.scores(metric), strict=True)
            rows = [[name, *map(fixed, each)] for name, each in scores]
            ranks = ["mean rank", *map(fixed, self._mean_ranks(metric))]
            rows += [ranks] if len(self.comparisons) > 1 else []
            blocks.append(Table([metric, *self.names], rows).text())
        return "\n\n".join(blocks)

    def __repr__(self) -> str:
        return self.summary()


def compare_over_datasets(
    estimators: Procedures,
    datasets: Mapping[str, tuple[Features, ArrayLike] | Mapping[str, Any]],
    **options: Any,
) -> DatasetComparison:
    """Compare several estimators, each tuned by nested cross-validation, over many data sets.

    Parameters
    ----------
    estimators : dict of str to estimator, or to (estimator, param_grid)
        As :func:`compare_estimators` takes them.
    datasets : dict of str to (X, y), or to a dict
        A dict holds the arguments of :func:`compare_estimators` that belong to a data set: ``X`` and
        ``y``, and ``pos_label``, ``groups`` or ``sample_weight``.
    **options
        Of :func:`compare_estimators`, the same for all data sets.

    Returns
    -------
    DatasetComparison
        Critical-difference picture and rank tests follow from it.

    Raises
    ------
    ValueError
        If there is no data set, or one is not in that form, or sets options of the workers, which
        all data sets share. Errors of one data set name it.

    Notes
    -----
    The inner fits of all estimators on all data sets are one batch, all refits a second one, so that
    every worker is busy until the last data set is done; the numbers are those of one data set after
    the other. Everything is checked before the first fit. With ``memory`` a run that was killed
    continues with the fits that it lacks, and one data set more costs its own fits only.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer, load_iris, load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skaucx.model_selection import compare_over_datasets
    >>> loaders = {"breast": load_breast_cancer, "iris": load_iris, "wine": load_wine}
    >>> datasets = {name: load(return_X_y=True) for name, load in loaders.items()}
    >>> tree = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}
    >>> found = compare_over_datasets(
    ...     {"bayes": GaussianNB(), "tree": tree}, datasets, scoring="accuracy", inner_cv=3
    ... )
    >>> found.scores().shape
    (3, 2)
    """
    if not isinstance(datasets, Mapping) or not datasets:
        raise ValueError(f"datasets must be a dict from names to (X, y), found {datasets!r}.")
    plans = {}
    for name, data in datasets.items():
        try:
            plans[name] = _plans_of(estimators, **{**options, **_arguments(name, data)})
        except (ValueError, TypeError) as error:
            error.add_note(f"This is about datasets[{name!r}].")
            raise
    done = iter(run([one for each in plans.values() for one in each.values()]))
    level = options.get("confidence_level", 0.95)
    return DatasetComparison(
        {
            name: _compared(each, list(islice(done, len(each))), level)
            for name, each in plans.items()
        }
    )


def _arguments(name: str, data: Any) -> dict[str, Any]:
    """Return the arguments that belong to a data set."""
    if isinstance(data, tuple | list) and len(data) == 2:
        return {"X": data[0], "y": data[1]}
    known = set(data) if isinstance(data, Mapping) else set()
    # All data sets share the workers.
    if not {"X", "y"} <= known or known & {"n_jobs", "execution", "confidence_level"}:
        raise ValueError(
            f"datasets[{name!r}] must be (X, y), or a dict with X and y but without n_jobs, execution "
            "and confidence_level, which all data sets share; found "
            f"{sorted(known) or type(data).__name__}."
        )
    return dict(data)
